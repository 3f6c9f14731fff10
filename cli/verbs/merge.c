/* cli/verbs/merge.c - credence merge: several models become one. */
#include "session/change.h"
#include "session/session.h"
#include "verbs/verbs.h"

static int run(request *r)
{
    const char *path = option_text(r, "output");
    cr_model *model = NULL, *other = NULL;
    cr_error err = {0};
    cr_status status;
    change c;
    cr_lock *held;
    int code;

    if (path == NULL)
        return misuse("credence merge -o OUT A B...", "merge needs -o, a file for the result");
    if ((code = check_output(path, r, r->operand_count)) != EXIT_DONE)
        return code;
    held = hold_model(path);
    if ((code = open_model(&model, r, 0)) != EXIT_DONE)
        goto done;
    change_begin(&c, model, "merged");
    for (size_t i = 1; i < r->operand_count && code == EXIT_DONE; i++) {
        if ((code = open_model(&other, r, i)) != EXIT_DONE)
            break;
        status = cr_model_merge(model, other, &err);
        cr_model_free(other);
        if (status == CR_OK)
            continue;
        if (err.file[0] == '\0')
            snprintf(err.file, sizeof err.file, "%s", r->operands[i]);
        code = complain(status, &err);
    }
    if (code == EXIT_DONE && (code = save_model(model, path)) == EXIT_DONE) {
        c.path = path;
        change_report(&c, r, model);
    }
done:
    cr_model_free(model);
    cr_model_unlock(held);
    return code;
}

static const char *const about[] = {
    "Adds up what several models have learned. The result is the same, byte for byte, as one "
    "model trained on all their data, whatever the order: train on parts of the data, on several "
    "machines, day by day, and merge. Values and classes that only some of them know are kept.",
    "The models must be of the same learner, with columns of the same names and kinds. The knobs "
    "are those of the first.",
    "--json gives model, rows_before and classes_before (of the first), rows, classes, "
    "fingerprint, knobs{}.",
    NULL,
};

static const option own[] = {
    {"output", 'o', OPTION_TEXT, "MODEL", "File for the result; required."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence merge -o both.model tax.model more.model", "Two models become one."},
    {"credence merge -o more.model more.model less.model", "The result may replace one of them."},
    {0},
};

const verb verb_merge = {
    .name = "merge",
    .operands = "MODEL MODEL...",
    .least = 2,
    .most = SIZE_MAX,
    .summary = "add up what several models have learned",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "learn train",
    .run = run,
};
