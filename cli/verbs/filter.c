/* cli/verbs/filter.c - credence filter: is this message spam? */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explain/explain.h"
#include "filter/filter.h"
#include "out/json.h"
#include "out/out.h"
#include "out/text.h"
#include "session/change.h"
#include "session/live.h"
#include "session/reserve.h"
#include "session/session.h"
#include "session/user_mail.h"
#include "verbs/verbs.h"

/* Exit statuses of the filter, as bogofilter has them; verdicts have their own. */
enum { FILTER_ERROR = 3 };

/* --- the model ---------------------------------------------------------------------------- */

/* The model that was named, or the store of the user's mail. */
static const char *model_path(const request *r)
{
    return r->operand_count > 0 ? r->operands[0] : user_mail_path();
}

/* Whether it is a store, or will be one: the user's mail before the first lesson. */
static bool is_live(const request *r)
{
    return r->operand_count == 0 || cr_store_is(model_path(r)) || user_mail_is_new(model_path(r));
}

/* --- the request -------------------------------------------------------------------------- */

static int read_limits(const request *r, cr_filter_limits *l)
{
    const char *text = option_text(r, "unsure");

    return cr_filter_limits_read(l, text, NULL) == CR_OK
               ? EXIT_DONE
               : misuse("credence filter --unsure " CR_FILTER_USUAL_LIMITS,
                        "--unsure takes two probabilities LOW..HIGH, not '%s'", text);
}

/* Report a problem with the model. */
static int fail_model(const request *r, cr_status status, cr_error *err, const char *hint)
{
    snprintf(err->file, sizeof err->file, "%s", model_path(r));
    if (hint != NULL)
        snprintf(err->hint, sizeof err->hint, "%s", hint);
    return complain(status, err);
}

/* The class that is spam, in a model with one text. */
static int find_spam(const request *r, const cr_model *model, size_t *out)
{
    const char *name = option_text(r, "spam");
    cr_error err = {0};
    cr_status status;
    size_t column;

    if ((status = cr_filter_column(model, &column, &err)) != CR_OK)
        return fail_model(r, status, &err, "credence train --type COLUMN=text makes one");
    if ((status = cr_filter_spam_class(model, name, out, &err)) == CR_OK)
        return EXIT_DONE;
    return fail_model(r, status, &err,
                      name == NULL ? "--spam CLASS names the class that is meant" : NULL);
}

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int check_request(const request *r)
{
    bool teach_it = option_given(r, "learn") || option_given(r, "unlearn");
    bool update = option_given(r, "update");

    if (update && teach_it)
        return misuse(NULL, "--update learns what it judged, so it goes without --learn and "
                            "--unlearn");
    if (update && !is_live(r))
        return misuse("credence train --store DIR makes one", "--update needs a store, not a file");
    if (option_given(r, "on-error") && !option_given(r, "learn"))
        return misuse(NULL, "--on-error goes with --learn");

    if (teach_it && (option_given(r, "passthrough") || option_given(r, "exit-zero")))
        return misuse(NULL, "--learn and --unlearn go without --passthrough and --exit-zero");
    if (teach_it && option_given(r, "trust"))
        return misuse(NULL, "--learn and --unlearn go without --trust, or damage would be kept");
    if (option_given(r, "explain") &&
        (teach_it || option_given(r, "passthrough") || r->json || r->csv))
        return misuse(NULL, "--explain shows a table, so it goes without --passthrough, --json, "
                            "--csv, --learn and --unlearn");
    if (option_given(r, "passthrough") && (r->json || r->csv))
        return misuse(NULL,
                      "--passthrough copies the message, so it goes without --json and --csv");
    if (r->operand_count > 0 && is_folder(model_path(r)) && !cr_store_is(model_path(r)))
        return misuse("credence learn MODEL FOLDER --as CLASS learns all messages of a folder",
                      "%s is a folder and no store", model_path(r));
    if (r->operand_count == 1 && !option_given(r, "passthrough") && is_data(r, 0))
        return misuse("credence filter < MESSAGE judges by the store of your own mail",
                      "%s is no model; filter takes MODEL before MESSAGE", r->operands[0]);
    if (r->operand_count < 2 && isatty(STDIN_FILENO))
        return misuse("name a file, or pipe a message in", "filter has no message to read");
    return EXIT_DONE;
}

/* --- answers ------------------------------------------------------------------------------ */

static cr_status show_why(void *context, const cr_explanation *e)
{
    explain_shares(context, e);
    return CR_OK;
}

/* The words behind the decision: spam against the most probable other class. */
static int explain_message(const request *r, const cr_model *model, const message *m)
{
    inquiry q = {.model = model, .path = model_path(r), .top = 20};
    cr_row *row = NULL;
    cr_error err = {0};
    cr_status status = cr_row_new(&row, model, &err);

    if (status == CR_OK)
        status = cr_filter_row(row, m->bytes, m->size, &err);
    if (status == CR_OK)
        status = cr_row_explain(row, NULL, show_why, &q, &err);
    cr_row_free(row);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static void pass_on(const message *m, const char *line)
{
    cr_output *out = output_to(stdout);

    cr_filter_mark(m->bytes, m->size, line, out);
    output_end(out);
}

static void answer(const request *r, const cr_model *model, const cr_filter_judgement *v,
                   const cr_filter_limits *l, const double *posterior, const message *m)
{
    char line[CR_FILTER_LINE], number[NUMBER_ROOM];
    cr_output *out;

    cr_filter_line(line, v, model_path(r));
    if (option_given(r, "passthrough")) {
        pass_on(m, line);
    } else if (r->json) {
        out = output_to(stdout);
        cr_filter_json(model, model_path(r), v, l, posterior, out);
        output_end(out);
    } else if (r->csv) {
        printf("verdict,probability\n%s,%s\n", cr_filter_verdict_name(v->verdict),
               isnan(v->spam) ? "" : number_exact(number, v->spam));
    } else if (!out_is_quiet()) {
        puts(line);
    }
}

/* --- the verb ----------------------------------------------------------------------------- */

/* One class alone, or none, allows no judgement: the message still passes. */
static const cr_filter_judgement unsure = {
    .verdict = CR_FILTER_UNSURE, .spam = NAN, .decision = CR_UNDECIDED};

/* Judge by a model that has the words of the message; row is the message, or NULL. */
static int judge_by(const request *r, const cr_model *model, cr_row *row, const message *m,
                    const cr_filter_limits *l, cr_filter_judgement *v)
{
    double *posterior = reserve(cr_model_classes(model), sizeof *posterior);
    const bool live = is_live(r);
    cr_error err = {0};
    cr_status status = CR_OK;
    size_t spam = 0;
    int code = EXIT_DONE;

    *v = unsure;
    for (size_t c = 0; c < cr_model_classes(model); c++)
        posterior[c] = NAN;
    if (!live || cr_model_classes(model) >= 2) {
        if ((code = find_spam(r, model, &spam)) == EXIT_DONE)
            status = row != NULL
                         ? cr_filter_judge_row(model, row, spam, l, v, posterior, &err)
                         : cr_filter_judge(model, m->bytes, m->size, spam, l, v, posterior, &err);
        if (status != CR_OK)
            code = complain(status, &err);
    }
    if (code == EXIT_DONE) {
        answer(r, model, v, l, posterior, m);
        if (option_given(r, "explain"))
            code = explain_message(r, model, m);
    }
    free(posterior);
    return code;
}

/* A model for the message: that of a file, or the part of a store with its words, and the message
 * as a row of it. *store stays open. */
static int open_for(const request *r, const message *m, cr_store **store, cr_model **model,
                    cr_row **row)
{
    cr_error err = {0};
    cr_status status;
    int code;

    if (!cr_store_is(model_path(r)))
        return open_model(model, r, 0);
    if ((code = open_store(store, r, model_path(r), option_given(r, "update"))) != EXIT_DONE)
        return code;
    status = cr_store_view_message(*store, m->bytes, m->size, model, row, &err);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* Learn a message as it was judged, unless that is uncertain or beyond doubt anyway. */
static int update(cr_store *store, const cr_model *model, const message *m,
                  const cr_filter_judgement *v)
{
    const double certain = 0.0005;
    cr_error err = {0};
    cr_status status;

    if (v->verdict == CR_FILTER_UNSURE || v->decision == CR_UNDECIDED || v->spam <= certain ||
        v->spam >= 1 - certain)
        return EXIT_DONE;
    status = cr_store_teach_mail(store, m->bytes, m->size, NULL,
                                 cr_model_class(model, (size_t)v->decision), 0, NULL, &err);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* The user's mail before the first lesson. */
static int judge_nothing(const request *r, const message *m, const cr_filter_limits *l)
{
    note("nothing is learned yet: credence filter --learn ham, --learn spam");
    answer(r, NULL, &unsure, l, NULL, m);
    return option_given(r, "exit-zero") ? EXIT_DONE : (int)CR_FILTER_UNSURE;
}

static int judge(const request *r, const message *m)
{
    cr_store *store = NULL;
    cr_model *model = NULL;
    cr_row *row = NULL;
    cr_filter_limits l;
    cr_filter_judgement v;
    int code;

    if ((code = read_limits(r, &l)) != EXIT_DONE)
        return code;
    if (is_live(r) && !cr_store_is(model_path(r)))
        return judge_nothing(r, m, &l);
    if ((code = open_for(r, m, &store, &model, &row)) == EXIT_DONE &&
        (code = judge_by(r, model, row, m, &l, &v)) == EXIT_DONE) {
        if (option_given(r, "update"))
            code = update(store, model, m, &v);
        if (code == EXIT_DONE && !option_given(r, "exit-zero"))
            code = (int)v.verdict;
    }
    cr_row_free(row);
    cr_model_free(model);
    cr_store_close(store);
    return code;
}

/* --- lessons ------------------------------------------------------------------------------ */

/* Take the messages back from one class, learn them as another, and replace the model file. Other
 * commands that change the file wait. */
static int teach_file(const request *r, const message *m)
{
    const char *path = model_path(r), *learn = option_text(r, "learn");
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    change c;
    cr_lock *held;
    int code;

    if ((code = check_output(path, r, r->operand_count)) != EXIT_DONE)
        return code;
    held = hold_model(path);
    if ((code = open_model(&model, r, 0)) == EXIT_DONE) {
        change_begin(&c, model, learn == NULL ? "unlearned" : "learned");
        c.path = path;
        status = cr_filter_teach(model, m->bytes, m->size, option_text(r, "unlearn"), learn,
                                 option_given(r, "new-class"), &r->run, NULL, &err);
        if (status != CR_OK)
            code = complain(status, &err);
        else if ((code = save_model(model, path)) == EXIT_DONE)
            change_report(&c, r, model);
    }
    cr_model_free(model);
    cr_model_unlock(held);
    return code;
}

/* The first lesson creates the store of the user's mail. */
static int teach_first(const request *r, const message *m)
{
    const char *learn = option_text(r, "learn");
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    int code;

    if (learn == NULL || option_given(r, "unlearn"))
        return misuse("credence filter --learn ham", "%s has not learned anything yet",
                      user_mail_path());
    status = cr_filter_train(&model, m->bytes, m->size, learn, user_mail_knobs, 1, &err);
    code = status == CR_OK ? user_mail_make(model) : complain(status, &err);
    cr_model_free(model);
    return code;
}

/* Teach the store, and report what has changed. */
static cr_status teach_and_report(const request *r, cr_store *store, const message *m,
                                  const cr_filter_limits *l, cr_error *err)
{
    const char *learn = option_text(r, "learn");
    cr_model *head = NULL, *after = NULL;
    uint64_t learned = 0;
    change c;
    cr_status status = out_is_quiet() && !r->json ? CR_OK : cr_store_head(store, &head, err);

    if (status != CR_OK)
        return status;
    if (head != NULL) {
        change_begin(&c, head, learn == NULL ? "unlearned" : "learned");
        c.path = model_path(r);
    }
    status = option_given(r, "on-error")
                 ? cr_store_teach_errors(store, m->bytes, m->size, learn, option_text(r, "spam"), l,
                                         option_given(r, "new-class"), &learned, err)
                 : cr_store_teach_mail(store, m->bytes, m->size, option_text(r, "unlearn"), learn,
                                       option_given(r, "new-class"), &learned, err);
    if (status == CR_OK && head != NULL && learned == 0 && option_given(r, "on-error") && !r->json)
        printf("%s: judged right, nothing learned\n", model_path(r));
    else if (status == CR_OK && head != NULL &&
             (status = cr_store_head(store, &after, err)) == CR_OK)
        change_report(&c, r, after);
    cr_model_free(after);
    cr_model_free(head);
    return status;
}

static int teach_store_mail(const request *r, const message *m)
{
    cr_store *store = NULL;
    cr_error err = {0};
    cr_filter_limits l;
    cr_status status;
    int code;

    if ((code = read_limits(r, &l)) != EXIT_DONE ||
        (code = open_store(&store, r, model_path(r), true)) != EXIT_DONE)
        return code;
    status = teach_and_report(r, store, m, &l, &err);
    cr_store_close(store);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static int teach(const request *r, const message *m)
{
    if (m->size == 0)
        return misuse("name a file, or pipe a message in", "the message is empty");
    if (!is_live(r))
        return teach_file(r, m);
    return cr_store_is(model_path(r)) ? teach_store_mail(r, m) : teach_first(r, m);
}

/* A message is never lost: if it cannot be judged, it passes unchanged. */
static int run(request *r)
{
    message m = {.bytes = NULL};
    int code;

    if ((code = check_request(r)) != EXIT_DONE)
        return code;
    if ((code = message_read(&m, r->operand_count > 1 ? r->operands[1] : "-")) == EXIT_DONE)
        code = option_given(r, "learn") || option_given(r, "unlearn") ? teach(r, &m) : judge(r, &m);
    if (code == FILTER_ERROR && option_given(r, "passthrough"))
        pass_on(&m, NULL);
    message_free(&m);
    return code;
}

static const char *const about[] = {
    "Judges one message, from a file or from standard input, by a model with one text column. It "
    "is read as mail: headers decoded and marked, MIME parts, character sets and HTML as text. The "
    "exit status is 0 for spam, 1 for ham, 2 for unsure, 3 for an error, as in bogofilter. A line "
    "with the probability of spam goes to standard output.",
    "A message is spam from the upper limit of --unsure on, ham up to the lower one. The limits "
    "are stricter on the side where a mistake does more harm: a good message taken for spam is "
    "lost.",
    "--passthrough copies the message instead and adds the line as a field to the end of its "
    "head, in place of such fields that came with it; not another byte is changed. When anything "
    "fails the message is copied as it came, with exit status 3.",
    "--learn CLASS adds the message to the model, --unlearn CLASS takes it back; both together "
    "move it from one class to another. A mailbox file is learned message by message. The file is "
    "replaced all or nothing, and commands that teach the same model at the same time wait for "
    "each other.",
    "--json gives model, verdict, probability (of spam; null when no class can explain the "
    "message), low, high, prediction, posterior{}; with --learn or --unlearn the report of "
    "credence learn.",
    NULL,
};

static const option own[] = {
    {"passthrough", 'p', OPTION_FLAG, NULL, "Copy the message with an " CR_FILTER_FIELD " field."},
    {"exit-zero", 'e', OPTION_FLAG, NULL,
     "Exit with status 0 for spam, ham and unsure, for callers that take any other status for a "
     "failure."},
    {"spam", 0, OPTION_TEXT, "CLASS", "The class that is spam. Default: spam, in any capitals."},
    {"unsure", 0, OPTION_TEXT, "LOW..HIGH",
     "Ham up to LOW, spam from HIGH on, unsure between. Default: " CR_FILTER_USUAL_LIMITS "."},
    {"trust", 0, OPTION_FLAG, NULL,
     "Do not check the whole model for damage first, which takes longer than judging the message."},
    {"explain", 0, OPTION_FLAG, NULL, "Show which words decided."},
    {"learn", 0, OPTION_TEXT, "CLASS",
     "Learn the message, or all messages of a mailbox, as of CLASS; the model changes."},
    {"unlearn", 0, OPTION_TEXT, "CLASS", "Take back that it was learned as one of CLASS."},
    {"on-error", 0, OPTION_FLAG, NULL,
     "Of a store, with --learn: only messages that are not already judged so with certainty, by "
     "odds ten times beyond the limit."},
    {"update", 'u', OPTION_FLAG, NULL,
     "Of a store: learn the message as what it is judged, unless that is unsure, or so sure that "
     "it would teach nothing."},
    SYNC_OPTION,
    {"new-class", 0, OPTION_FLAG, NULL, "CLASS may be one that the model does not have yet."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence train -m nb messages.csv --type text=text -o mail.model", "A model to filter with."},
    {"echo 'Win a free prize now' | credence filter mail.model", "Is this spam?"},
    {"echo 'See you at lunch' | credence filter -p -e mail.model", "Mark it and pass it on."},
    {"echo 'See you at lunch' | credence filter mail.model --learn ham", "It was a good one."},
    {"echo 'Free lunch' | credence filter mail.model --learn ham && echo 'Free lunch' | credence "
     "filter mail.model --unlearn ham --learn spam",
     "It was learned as ham, but it is spam."},
    {0},
};

static const char *const exits[] = {"Spam; or the model has learned.", "Ham.", "Unsure.",
                                    "Something failed.", NULL};

const verb verb_filter = {
    .name = "filter",
    .operands = "[MODEL [MESSAGE]]",
    .most = 2,
    .summary = "judge, mark or learn one mail message",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train learn explain",
    .exits = exits,
    .failure = FILTER_ERROR,
    .run = run,
};
