/* cli/verbs/convert.c - credence convert: tables of probabilities to models, and back. */
#include <stdio.h>
#include <string.h>

#include "convert/logistic.h"
#include "credence/credence.h"
#include "network/network.h"
#include "out/out.h"
#include "out/file.h"
#include "out/json.h"
#include "out/text.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { MOST_CELLS = 10000000 };

/* --- from a table to a model --------------------------------------------------------------- */

static void report_json(const char *path, const cr_model *model, const cr_model_facts *facts)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_json j;

    json_start(&j, stdout);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "model", path);
    cr_json_text(&j, "learner", cr_model_learner(model));
    cr_json_number(&j, "cells", facts->cells);
    cr_json_number(&j, "parameters", facts->parameters);
    cr_json_number(&j, "sum", facts->weight);
    cr_json_array(&j, "variables", CR_JSON_BLOCK);
    for (size_t i = 0; i < cr_schema_columns(schema); i++) {
        if (cr_model_values(model, i) == 0)
            continue;
        cr_json_object(&j, NULL, CR_JSON_LINE);
        cr_json_text(&j, "name", cr_schema_name(schema, i));
        cr_json_number(&j, "values", (double)cr_model_values(model, i));
        json_end(&j);
    }
    json_end(&j);
    cr_json_text(&j, "fingerprint", facts->fingerprint);
    json_end(&j);
}

static void report(const request *r, const char *path, const cr_model *model)
{
    char cells[NUMBER_ROOM], all[NUMBER_ROOM], sum[NUMBER_ROOM];
    size_t variables = 0;
    cr_model_facts facts;

    cr_model_get_facts(model, &facts);
    for (size_t i = 0; i < cr_schema_columns(cr_model_schema(model)); i++)
        variables += cr_model_values(model, i) > 0;
    if (path != NULL && strcmp(path, "-") == 0)
        return; /* the model goes to standard output */
    if (r->json)
        report_json(path, model, &facts);
    else if (!out_is_quiet())
        printf("%s: a joint table of %zu variable%s, %s of %s cells above 0, sum %s\n",
               path == NULL ? r->operands[0] : path, variables, plural(variables),
               number_plain(cells, facts.cells), number_plain(all, facts.parameters + 1),
               number_exact(sum, facts.weight));
    if (path == NULL)
        note("the model is not kept; name a file with -o MODEL");
}

static int to_joint(const request *r, const char *path)
{
    const char *named = option_text(r, "probability");
    cr_source_options options;
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    int code = EXIT_DONE;

    cr_source_options_default(&options);
    options.format = option_text(r, "format");
    options.delimiter = option_byte(r, "delimiter");
    options.target = option_text(r, "target");
    options.missing = option_text(r, "missing");
    options.weight = named != NULL ? named : "probability";
    if ((status = cr_source_open(&source, r->operands, 1, &options, &err)) == CR_OK)
        status = cr_joint_read(&model, source, &err);
    if (status != CR_OK) {
        if (err.file[0] == '\0' && err.line == 0)
            snprintf(err.file, sizeof err.file, "%s", r->operands[0]);
        code = complain(status, &err);
    } else if (path == NULL || (code = save_model(model, path)) == EXIT_DONE) {
        report(r, path, model);
    }
    cr_model_free(model);
    cr_source_close(source);
    return code;
}

/* --- from a model to a table --------------------------------------------------------------- */

typedef struct writer {
    FILE *file;
    const cr_model *model;
    bool begun; /* whether the names are written, which happens before the first cell */
} writer;

static void write_names(writer *w)
{
    const cr_schema *schema = cr_model_schema(w->model);

    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (cr_model_values(w->model, i) > 0) {
            csv_field(w->file, cr_schema_name(schema, i));
            fputc(',', w->file);
        }
    fputs("probability\n", w->file);
    w->begun = true;
}

static cr_status write_cell(void *context, const size_t *value, double count, double probability)
{
    writer *w = context;
    char number[NUMBER_ROOM];

    (void)count;
    if (!w->begun)
        write_names(w);
    for (size_t i = 0; i < cr_schema_columns(cr_model_schema(w->model)); i++)
        if (value[i] != SIZE_MAX) {
            csv_field(w->file, cr_model_value(w->model, i, value[i]));
            fputc(',', w->file);
        }
    fprintf(w->file, "%s\n", number_exact(number, probability));
    return ferror(w->file) ? CR_EIO : CR_OK;
}

static cr_status write_table(writer *w, cr_error *err)
{
    cr_status status = cr_joint_cells(w->model, MOST_CELLS, write_cell, w, err);

    if (status == CR_OK && !w->begun)
        write_names(w);
    return status;
}

static int to_csv(const request *r, const char *path)
{
    writer w = {0};
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    out_file out;
    int code = open_model(&model, r, 0);

    if (code != EXIT_DONE)
        return code;
    w.model = model;
    if ((code = out_file_open(&out, path)) == EXIT_DONE) {
        w.file = out.file;
        if ((status = write_table(&w, &err)) != CR_OK)
            code = complain(status, &err);
        code = out_file_close(&out, code);
    }
    cr_model_free(model);
    return code;
}

/* --- from a table to a table ------------------------------------------------------------------ */

static cr_status write_bytes(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size ? CR_OK : CR_EIO;
}

/* Write rows of any format as CSV or ARFF; --cut discretises their numbers. */
static int to_table(const request *r, const char *to, const char *path)
{
    const char *slash = strrchr(r->operands[0], '/');
    cr_table_options options = {.format = to,
                                .name = slash != NULL ? slash + 1 : r->operands[0],
                                .cut = option_text(r, "cut"),
                                .write = write_bytes};
    cr_source_options how;
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    out_file out;
    int code;

    cr_source_options_default(&how);
    how.format = option_text(r, "format");
    how.delimiter = option_byte(r, "delimiter");
    how.target = option_text(r, "target");
    how.missing = option_text(r, "missing");
    if ((status = cr_source_open(&source, r->operands, 1, &how, &err)) != CR_OK)
        return complain(status, &err);
    if ((code = out_file_open(&out, path)) == EXIT_DONE) {
        options.context = out.file;
        status = cr_table_write(source, &options, &r->run, NULL, &err);
        if (status != CR_OK && !ferror(out.file))
            code = complain(status, &err);
        code = out_file_close(&out, code);
    }
    cr_source_close(source);
    return code;
}

/* --- the verb ----------------------------------------------------------------------------- */

static bool is_model(const char *path)
{
    cr_model *model = NULL;
    const bool found = cr_model_load(&model, path, CR_LOAD_TRUST, NULL) == CR_OK;

    cr_model_free(model);
    return found;
}

static int run(request *r)
{
    const char *to = option_text(r, "to"), *path = option_text(r, "output");
    bool done;
    int code = network_convert(r, to, path, &done);

    if (code != EXIT_DONE || done)
        return code;
    if (to == NULL)
        return misuse(
            "--to joint makes a model of a table, --to csv a table of a model, --to arff of rows, "
            "--to logistic weights of a model",
            "convert needs --to");
    if (path != NULL && (code = check_output(path, r, 0)) != EXIT_DONE)
        return code;
    if (option_given(r, "cut") && strcmp(to, "csv") != 0 && strcmp(to, "arff") != 0)
        return misuse("--to csv or --to arff", "--cut is for tables");
    if (strcmp(to, "arff") == 0 || (strcmp(to, "csv") == 0 && !is_model(r->operands[0])))
        return to_table(r, to, path);
    if (strcmp(to, "logistic") == 0)
        return convert_to_logistic(r, path);
    return strcmp(to, "csv") == 0 ? to_csv(r, path) : to_joint(r, path);
}

static const char *const about[] = {
    "--to joint reads a table of probabilities: a row for each combination of values, its "
    "probability in the column named probability, or --probability. All other columns are "
    "variables. The result is a joint table that credence query can ask, as if it had been "
    "learned. The probabilities must sum to 1; a table printed with few digits may be off by "
    "0.0001.",
    "--to csv writes such a table from a joint model: all cells that have a probability above 0. "
    "A table of more than ten million cells is refused, with their number.",
    "--to arff and --to csv write DATA of any format as a table, all rows and columns. --cut makes "
    "its numbers intervals: mdl where the classes of -t (the last column) change, frequency:K with "
    "about equally many rows, width:K, sqrt.",
    "--to logistic makes a logistic regression of a naive Bayes model, or of a Gaussian "
    "discriminant with one covariance: different parameters, the same posteriors. It is refused, "
    "with the reason, where the boundary between classes is not linear, as with variances of their "
    "own.",
    "A Bayesian network (BIF, XMLBIF, or plain text in a file whose name ends in .net) becomes a "
    "model; with -o FILE.bif, .xml, .net or .dot, or with --to, a network is written in that "
    "format. -t names the variable that predict decides. --to network makes one of naive Bayes, "
    "tan, kdb and pairs, as far as their columns are counted; with a format they are written at "
    "once.",
    NULL,
};

static const option own[] = {
    {"to", 0, OPTION_CHOICE, "joint|csv|arff|logistic|network|bif|xmlbif|net|hugin|netica|dot",
     "What to write: a joint table, a CSV or ARFF file, a logistic regression, a Bayesian network, "
     "or one in a format of its own. Default: for networks what the ending of FILE says, a model "
     "otherwise."},
    {"output", 'o', OPTION_TEXT, "FILE",
     "File for the result. Default: a table goes to standard output, a model is not kept."},
    {"cut", 0, OPTION_TEXT, "RULE",
     "Of --to csv and arff: numbers become intervals by mdl, sqrt, frequency:K, width:K or auto."},
    {"probability", 0, OPTION_TEXT, "COLUMN", "The column of probabilities. Default: probability."},
    {"target", 't', OPTION_TEXT, "COLUMN",
     "Column to be predicted, for predict and test. Default: none."},
    {"format", 'f', OPTION_TEXT, "NAME", "Format of the table. Default: by name and content."},
    {"delimiter", 'd', OPTION_BYTE, "CHAR", "Between fields. Default: found in the first lines."},
    {"missing", 0, OPTION_TEXT, "LIST", "Texts that mean missing. A table may not have any."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence convert census.csv --to joint -o census.model",
     "A table of probabilities becomes a model."},
    {"credence query census.model 'P(rich | male)'", "Ask it."},
    {"credence convert alarm.net -t B -o alarm.model", "A Bayesian network becomes a model."},
    {"credence convert car.model -o car.bif", "Other programs can read what tan has learned."},
    {"credence convert iris.csv --cut mdl --to arff -o iris.arff",
     "Numbers cut where the species change, for Weka."},
    {"credence convert census.model --to csv", "Write it down again."},
    {"credence convert iris.model --to logistic -o weights.model",
     "The weights that naive Bayes with tied variances stands for."},
    {0},
};

const verb verb_convert = {
    .name = "convert",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .summary = "turn tables, networks and models into each other",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "query train show",
    .run = run,
};
