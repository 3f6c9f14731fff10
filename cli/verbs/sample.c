/* cli/verbs/sample.c - credence sample: rows drawn from a network, as CSV, ARFF or JSON. */
#include <string.h>
#include <math.h>

#include "credence/credence.h"
#include "credence/structure.h"
#include "network/networks.h"
#include "out/out.h"
#include "out/file.h"
#include "out/json.h"
#include "out/text.h"
#include "session/session.h"
#include "verbs/verbs.h"

/* Where rows go, and how. */
typedef struct writing {
    const cr_model *model;
    FILE *file;
    bool json, arff;
} writing;

static void write_json_row(const writing *w, const size_t *state, const double *number)
{
    const char *name;
    cr_json j;

    json_start(&j, w->file);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    for (size_t i = 0; (name = cr_structure_node(w->model, i)) != NULL; i++)
        if (isnan(number[i]))
            cr_json_text(&j, name, cr_structure_state(w->model, i, state[i]));
        else
            cr_json_number(&j, name, number[i]);
    json_end(&j);
}

/* A word in quotes, with quotes, backslashes and line ends escaped. */
static void arff_word(FILE *file, const char *word)
{
    fputc('\'', file);
    for (; *word != '\0'; word++) {
        const bool ends = *word == '\n' || *word == '\r';

        if (ends || *word == '\'' || *word == '\\')
            fputc('\\', file);
        fputc(!ends ? *word : *word == '\n' ? 'n' : 'r', file);
    }
    fputc('\'', file);
}

static void write_row_of_fields(const writing *w, const size_t *state, const double *number)
{
    char text[NUMBER_ROOM];

    for (size_t i = 0; cr_structure_node(w->model, i) != NULL; i++) {
        if (i > 0)
            fputc(',', w->file);
        if (isnan(number[i]))
            (w->arff ? arff_word : csv_field)(w->file, cr_structure_state(w->model, i, state[i]));
        else
            fputs(number_exact(text, number[i]), w->file);
    }
    fputc('\n', w->file);
}

static cr_status write_row(void *context, const size_t *state, const double *number)
{
    const writing *w = context;

    (w->json ? write_json_row : write_row_of_fields)(w, state, number);
    return ferror(w->file) ? CR_EIO : CR_OK;
}

static void write_names(const writing *w)
{
    const char *name;

    for (size_t i = 0; (name = cr_structure_node(w->model, i)) != NULL; i++) {
        if (i > 0)
            fputc(',', w->file);
        csv_field(w->file, name);
    }
    fputc('\n', w->file);
}

/* The variables with their states, which are never read as missing, whatever their names. */
static void write_attributes(const writing *w)
{
    const char *name;

    fputs("@relation sample\n\n", w->file);
    for (size_t i = 0; (name = cr_structure_node(w->model, i)) != NULL; i++) {
        const size_t states = cr_structure_states(w->model, i);

        fputs("@attribute ", w->file);
        arff_word(w->file, name);
        fputs(states == 0 ? " numeric" : " {", w->file);
        for (size_t k = 0; k < states; k++) {
            fputs(k > 0 ? ", " : "", w->file);
            arff_word(w->file, cr_structure_state(w->model, i, k));
        }
        fputs(states == 0 ? "\n" : "}\n", w->file);
    }
    fputs("\n@data\n", w->file);
}

/* Write errors are reported when the output is closed. */
static int write_all(writing *w, const request *r)
{
    cr_error err = {0};
    cr_status status;

    if (w->arff)
        write_attributes(w);
    else if (!w->json)
        write_names(w);
    status =
        cr_structure_draw(w->model, option_count(r, "rows", 1000), r->run.seed, write_row, w, &err);
    return status == CR_OK || ferror(w->file) ? EXIT_DONE : complain(status, &err);
}

/* Warn of states that a reader of the rows would take for missing values. */
static void note_missing(const cr_model *model)
{
    static const char *const texts[] = {"", "?", "NA", "NaN"};

    for (size_t i = 0; cr_structure_node(model, i) != NULL; i++)
        for (size_t k = 0; k < cr_structure_states(model, i); k++)
            for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
                if (strcmp(cr_structure_state(model, i, k), texts[t]) == 0) {
                    note("'%s' has a state '%s', which CSV and JSON do not tell from a missing "
                         "value; --to arff does, or read the rows with --missing and the texts "
                         "that do mean that",
                         cr_structure_node(model, i), texts[t]);
                    return;
                }
}

static bool is_arff(const char *path)
{
    const size_t length = path == NULL ? 0 : strlen(path);

    return length > 5 && strcmp(path + length - 5, ".arff") == 0;
}

static int run(request *r)
{
    const char *path = option_text(r, "output"), *to = option_text(r, "to");
    const bool arff = to == NULL ? is_arff(path) && !r->json : strcmp(to, "arff") == 0;
    cr_model *model = NULL;
    out_file out;
    int code;

    if (to != NULL && r->json)
        return misuse("one of them", "--to %s and --json are two formats", to);
    if ((code = open_network(&model, r, 0)) != EXIT_DONE)
        return code;
    if (!arff)
        note_missing(model);
    if ((path == NULL || (code = check_output(path, r, 0)) == EXIT_DONE) &&
        (code = out_file_open(&out, path)) == EXIT_DONE)
        code = out_file_close(&out, write_all(&(writing){model, out.file, r->json, arff}, r));
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Draws rows from a Bayesian network: each variable given its parents, which come first. The "
    "network is a file in BIF, XMLBIF or plain text, or a model trained with -m network. Rows are "
    "CSV with a column for each variable, ARFF, or with --json an object a line; numbers have all "
    "their digits. Equal seeds give equal rows.",
    "ARFF names the states of each variable, so one called NA or ? is a value to those who read "
    "it; in CSV and JSON it would be taken for a missing one.",
    NULL,
};

static const option own[] = {
    {"rows", 'n', OPTION_COUNT, "ROWS", "How many. Default: 1000."},
    {"to", 0, OPTION_CHOICE, "csv|arff",
     "Format of the rows. Default: arff where FILE ends in .arff, csv otherwise."},
    {"output", 'o', OPTION_TEXT, "FILE", "Where to. All or nothing. Default: standard output."},
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
