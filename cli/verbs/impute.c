/* cli/verbs/impute.c - credence impute: a table with its missing values filled in. */
#include <string.h>

#include "credence/impute.h"
#include "credence/network.h"
#include "out/file.h"
#include "out/json.h"
#include "session/live.h"
#include "session/session.h"
#include "verbs/verbs.h"

static cr_status write_bytes(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size ? CR_OK : CR_EIO;
}

static void report(const request *r, const cr_impute_tally *t, const char *path, bool network)
{
    cr_json j;

    if (r->json) {
        json_start(&j, stdout);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        cr_json_text(&j, "output", path);
        cr_json_number(&j, "rows", (double)t->rows);
        cr_json_number(&j, "filled", (double)t->filled);
        cr_json_number(&j, "left", (double)t->left);
        cr_json_number(&j, "dropped", (double)t->dropped);
        json_end(&j);
        return;
    }
    note("%llu row%s, %llu value%s filled in", (unsigned long long)t->rows, plural(t->rows),
         (unsigned long long)t->filled, plural(t->filled));
    if (t->dropped > 0)
        note("%llu row%s that lack something dropped", (unsigned long long)t->dropped,
             plural(t->dropped));
    if (t->left > 0)
        note("%llu value%s still missing: %s", (unsigned long long)t->left, plural(t->left),
             network ? "the network makes their rows impossible"
                     : "their columns have no value at all");
}

/* Write errors are reported when the output is closed. */
static int fill_in(const request *r, const cr_model *model, cr_source **source, const char *path)
{
    cr_impute_options options = {
        .how = option_text(r, "impute"), .write = write_bytes, .model = model};
    cr_impute_tally tally;
    cr_error err = {0};
    cr_status status;
    out_file out;
    int code = out_file_open(&out, path);

    if (code != EXIT_DONE)
        return code;
    options.context = out.file;
    status = cr_impute(*source, &options, &r->run, &tally, &err);
    if (status != CR_OK && !ferror(out.file))
        code = fail_data(r, source, status, &err);
    code = out_file_close(&out, code);
    if (code == EXIT_DONE && status == CR_OK)
        report(r, &tally, path, model != NULL && cr_network_nodes(model) > 0);
    return code;
}

static int run(request *r)
{
    const char *path = option_text(r, "output"), *from = option_text(r, "model");
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    int code = EXIT_DONE;

    if (r->json && (path == NULL || strcmp(path, "-") == 0))
        return misuse("-o FILE", "--json tells what was done, so the table needs a file");
    if (from != NULL && cr_store_is(from)) {
        if ((code = open_store_model(&model, r, from)) != EXIT_DONE)
            return code;
    } else {
        status = from == NULL                 ? CR_OK
                 : cr_network_recognise(from) ? cr_network_read(&model, from, NULL, &err)
                                              : cr_model_load(&model, from, 0, &err);
        if (status != CR_OK)
            return complain(status, &err);
    }
    if (path != NULL)
        code = check_output(path, r, 0);
    if (code == EXIT_DONE && (code = open_data(&source, r, 0, model)) == EXIT_DONE)
        code = fill_in(r, model, &source, path);
    close_data(&source);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Reads a table, fills in what is missing, and writes it as CSV. The values are learned from "
    "the table itself: mean or median of a number and the commonest value of a symbol, the "
    "commonest value of both (mode), or a prediction from the other values of the row (model). "
    "drop leaves out rows that lack something.",
    "-t names a column that is not to be filled in. --model MODEL takes what a model has learned "
    "about missing values with credence train --impute, and fills its features. A Bayesian "
    "network, learned or a .bif file, completes every row by the values that are most probable "
    "together given those that are there (mpe), or each by itself (marginal); columns that DATA "
    "lack are "
    "made.",
    "--json tells what was done, for which -o must name the output: output, rows, filled, left, "
    "dropped.",
    NULL,
};

static const option own[] = {
    {"impute", 'i', OPTION_CHOICE, "mean|median|mode|model|drop|mpe|marginal",
     "How values are filled in. Default: model; mpe for a network."},
    {"model", 'm', OPTION_TEXT, "MODEL", "Fill in what this model learned to fill in."},
    {"output", 'o', OPTION_TEXT, "FILE",
     "File to write, all or nothing. Default: standard output."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &column_options, &data_options, NULL};

static const example examples[] = {
    {"credence impute -o full.csv gaps.csv", "Each value from the others of its row."},
    {"credence impute --impute median gaps.csv > full.csv", "The middle of each column."},
    {"credence impute --model alarm.net calls.csv", "What a network thinks happened."},
    {"credence impute --model filled.model new.csv > full.csv",
     "As it was learned from other rows with credence train --impute."},
    {0},
};

const verb verb_impute = {
    .name = "impute",
    .operands = "[DATA...]",
    .most = SIZE_MAX,
    .summary = "fill in the missing values of a table",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train predict",
    .run = run,
};
