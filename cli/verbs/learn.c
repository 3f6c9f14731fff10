/* cli/verbs/learn.c - credence learn and unlearn: add rows to a model, or take them back. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "session/change.h"
#include "session/live.h"
#include "out/progress.h"
#include "session/session.h"
#include "session/user_mail.h"
#include "show/weights.h"
#include "verbs/verbs.h"

typedef cr_status (*lesson_fn)(cr_model *model, cr_source *source, const cr_run *run,
                               cr_tally *tally, cr_error *err);

/* A new class is more often misspelt, or the name of a mailbox, than really new. */
static int check_classes(const request *r, const cr_model *before, const cr_model *model)
{
    const size_t known = cr_model_classes(before);
    cr_error err = {0};

    if (known < 2 || cr_model_classes(model) <= known || option_given(r, "new-class"))
        return EXIT_DONE;
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        const char *name = cr_model_class(model, c);
        size_t k = 0;

        while (k < known && strcmp(cr_model_class(before, k), name) != 0)
            k++;
        if (k < known)
            continue;
        snprintf(err.message, sizeof err.message,
                 "DATA have a class '%.80s', which the model lacks", name);
        snprintf(err.hint, sizeof err.hint,
                 "--new-class adds it; --as CLASS says that all rows are of a class");
        break;
    }
    return complain(CR_ECONFLICT, &err);
}

/* The model file is replaced only after all of DATA was learned or taken back. */
static int change_by_data(request *r, lesson_fn teach, const char *doing, const char *done_word)
{
    const char *path = option_text(r, "output");
    cr_source *source = NULL;
    cr_model *model = NULL, *before = NULL;
    cr_error err = {0};
    cr_tally tally = {0};
    cr_status status;
    progress watch;
    change c;
    cr_lock *held;
    int code;

    if (path == NULL)
        path = r->operands[0];
    if ((code = check_output(path, r, 1)) != EXIT_DONE)
        return code;
    held = hold_model(path);
    if ((code = open_model(&model, r, 0)) != EXIT_DONE ||
        (code = open_data(&source, r, 1, model)) != EXIT_DONE)
        goto done;
    change_begin(&c, model, done_word);
    if ((status = cr_model_copy(&before, model, &err)) != CR_OK) {
        code = complain(status, &err);
        goto done;
    }
    progress_begin(&watch, doing, &r->run);
    status = teach(model, source, &r->run, &tally, &err);
    c.seconds = progress_end(&watch);
    c.tally = &tally;
    c.path = path;
    if (status != CR_OK)
        code = fail_data(r, &source, status, &err);
    else if ((code = check_classes(r, before, model)) == EXIT_DONE &&
             (code = save_model(model, path)) == EXIT_DONE) {
        change_report(&c, r, model);
        note_fit(model, false);
    }
done:
    close_data(&source);
    cr_model_free(before);
    cr_model_free(model);
    cr_model_unlock(held);
    return code;
}

/* A store is changed in place. */
static bool is_live(const request *r)
{
    return option_text(r, "output") == NULL && cr_store_is(r->operands[0]);
}

/* Folders have names of their own, and a filter without spam and ham would judge nothing. */
static int check_first_classes(const request *r, const cr_model *model)
{
    char hint[200];

    for (size_t c = 0; c < cr_model_classes(model); c++)
        if (option_given(r, "as") || strcasecmp(cr_model_class(model, c), "spam") == 0 ||
            strcasecmp(cr_model_class(model, c), "ham") == 0)
            return EXIT_DONE;
    snprintf(hint, sizeof hint, "credence learn %s FOLDER --as spam, and others --as ham",
             r->operands[0]);
    return misuse(hint, "a filter learns spam and ham, and DATA are named '%.80s'",
                  cr_model_class(model, 0));
}

/* The first lesson of the user's mail creates its store. DATA are read as messages. */
static int learn_first_mail(request *r)
{
    static const char nothing[] = "\n";
    const char *params[1] = {user_mail_knobs[0]};
    cr_source *source = NULL;
    cr_model *like = NULL, *model = NULL;
    cr_error err = {0};
    cr_status status = cr_filter_train(&like, nothing, 1, "ham", params, 1, &err);
    size_t column;
    int code;

    if (status != CR_OK)
        return complain(status, &err);
    if ((code = open_data(&source, r, 1, like)) == EXIT_DONE &&
        (status = cr_model_train(&model, source, "nb", params, 1, &r->run, NULL, &err)) != CR_OK)
        code = fail_data(r, &source, status, &err);
    if (code == EXIT_DONE && cr_filter_column(model, &column, NULL) != CR_OK)
        code = misuse(NULL, "%s is for mail, and DATA are no messages", r->operands[0]);
    if (code == EXIT_DONE)
        code = check_first_classes(r, model);
    if (code == EXIT_DONE)
        code = user_mail_make(model);
    close_data(&source);
    cr_model_free(like);
    cr_model_free(model);
    return code;
}

static int run_learn(request *r)
{
    if (option_text(r, "output") == NULL && user_mail_is_new(r->operands[0]))
        return learn_first_mail(r);
    if (is_live(r))
        return teach_store(r, 1);
    return change_by_data(r, cr_model_learn, "learning", "learned");
}

static int run_unlearn(request *r)
{
    if (is_live(r))
        return teach_store(r, -1);
    return change_by_data(r, cr_model_unlearn, "unlearning", "unlearned");
}

/* --- learn -------------------------------------------------------------------------------- */

static const char *const about_learn[] = {
    "Adds the rows of DATA to what the model knows. The result is the same, byte for byte, as "
    "training on everything at once. New values are welcome, new classes with --new-class. Columns "
    "are matched by name; those the model does not know are skipped.",
    "The model file is replaced at the end, all or nothing. If anything is wrong with DATA it "
    "stays as it was. Commands that change the same file at the same time wait for each other.",
    "--json gives model, rows_before, rows, classes_before, classes, learned, unlabelled, "
    "seconds, fingerprint, knobs{}.",
    NULL,
};

static const option own[] = {
    CHANGED_MODEL_OPTION,
    {"as", 0, OPTION_TEXT, "CLASS",
     "All texts of DATA were learned as of CLASS, whatever their files and folders are called."},
    SYNC_OPTION,
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &data_options, NULL};

static const option own_learn[] = {
    CHANGED_MODEL_OPTION,
    {"as", 0, OPTION_TEXT, "CLASS",
     "All texts of DATA are of CLASS, whatever their files and folders are called."},
    {"new-class", 0, OPTION_FLAG, NULL,
     "DATA may have classes that the model does not know. Default: that is an error."},
    SYNC_OPTION,
    {0},
};
static const option_group learn_group = {"Options", own_learn};
static const option_group *const learn_groups[] = {&learn_group, &data_options, NULL};

static const example examples_learn[] = {
    {"head -4 tax.csv | credence learn tax.model -o more.model",
     "Three rows from a pipe; the old model stays."},
    {"credence learn tax.model tax.csv", "Learn a file; the model is replaced."},
    {0},
};

const verb verb_learn = {
    .name = "learn",
    .operands = "MODEL [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "add rows to what a model knows",
    .about = about_learn,
    .options = learn_groups,
    .examples = examples_learn,
    .see_also = "unlearn merge train",
    .run = run_learn,
};

/* --- unlearn ------------------------------------------------------------------------------ */

static const char *const about_unlearn[] = {
    "Takes the rows of DATA back out of the model, exactly: learn and then unlearn gives the "
    "file from before, byte for byte. Use it for rows that were wrong, too old, or not yours to "
    "keep.",
    "A row that was never learned is refused where the counts can tell, with its line, and the "
    "model stays as it was.",
    "--json gives model, rows_before, rows, classes_before, classes, unlearned, unlabelled, "
    "seconds, fingerprint, knobs{}.",
    NULL,
};

static const example examples_unlearn[] = {
    {"credence unlearn tax.model tax.csv", "Take a file back that should not have been learned."},
    {"head -4 tax.csv | credence unlearn tax.model -o less.model",
     "A model without three of its rows; the old model stays."},
    {0},
};

const verb verb_unlearn = {
    .name = "unlearn",
    .operands = "MODEL [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "take rows back out of a model",
    .about = about_unlearn,
    .options = groups,
    .examples = examples_unlearn,
    .see_also = "learn train",
    .run = run_unlearn,
};
