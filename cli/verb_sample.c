/* cli/verb_sample.c - credence sample: rows drawn from a network, as CSV. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "credence/credence.h"
#include "credence/structure.h"
#include "networks.h"
#include "out_csv.h"
#include "out_text.h"
#include "session.h"
#include "verbs.h"

/* Where rows go. */
typedef struct writing {
    const cr_model *model;
    FILE *file;
} writing;

static cr_status write_row(void *context, const size_t *state, const double *number)
{
    const writing *w = context;
    char text[NUMBER_ROOM];

    for (size_t i = 0; cr_structure_node(w->model, i) != NULL; i++) {
        if (i > 0)
            fputc(',', w->file);
        if (isnan(number[i]))
            csv_field(w->file, cr_structure_state(w->model, i, state[i]));
        else
            fputs(number_exact(text, number[i]), w->file);
    }
    fputc('\n', w->file);
    return ferror(w->file) ? CR_EIO : CR_OK;
}

static int write_all(const writing *w, const request *r)
{
    cr_error err = {0};
    cr_status status;
    const char *name;

    for (size_t i = 0; (name = cr_structure_node(w->model, i)) != NULL; i++) {
        if (i > 0)
            fputc(',', w->file);
        csv_field(w->file, name);
    }
    fputc('\n', w->file);
    status = cr_structure_draw(w->model, option_count(r, "rows", 1000), r->run.seed, write_row,
                               (void *)w, &err);
    if (status == CR_EIO)
        snprintf(err.message, sizeof err.message, "cannot write: %s", strerror(errno));
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static int run(request *r)
{
    const char *path = option_text(r, "output");
    writing w = {.file = stdout};
    cr_model *model = NULL;
    int code = open_network(&model, r, 0);

    if (code != EXIT_DONE)
        return code;
    w.model = model;
    if (path != NULL && strcmp(path, "-") != 0 &&
        ((code = check_output(path, r, r->operand_count)) != EXIT_DONE ||
         (w.file = fopen(path, "w")) == NULL)) {
        cr_model_free(model);
        return code != EXIT_DONE ? code
                                 : misuse(NULL, "cannot write %s: %s", path, strerror(errno));
    }
    code = write_all(&w, r);
    if (w.file != stdout && fclose(w.file) != 0 && code == EXIT_DONE)
        code = misuse(NULL, "cannot write %s: %s", path, strerror(errno));
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Draws rows from a Bayesian network: each variable given its parents, which come first. The "
    "network is a file in BIF, XMLBIF or plain text, or a model trained with -m network. Rows are "
    "CSV with a column for each variable, numbers with all their digits; equal seeds give equal "
    "rows.",
    NULL,
};

static const option own[] = {
    {"rows", 'n', OPTION_COUNT, "ROWS", "How many. Default: 1000."},
    {"output", 'o', OPTION_TEXT, "FILE", "Where to. Default: standard output."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence sample alarm.bif -n 10000 --seed 1 -o alarm.csv", "Ten thousand rows."},
    {0},
};

const verb verb_sample = {
    .name = "sample",
    .operands = "NETWORK",
    .least = 1,
    .most = 1,
    .summary = "draw rows from a Bayesian network",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "structure train query",
    .run = run,
};
