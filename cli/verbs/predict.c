/* cli/verbs/predict.c - credence predict: the class of every row, and how sure that is. */
#include <string.h>

#include "show/linear.h"
#include "options/decide.h"
#include "out/json.h"
#include "out/progress.h"
#include "session/live.h"
#include "session/session.h"
#include "verbs/verbs.h"

typedef struct job {
    cr_prediction_format format;
    cr_prediction_writer *writer;
    bool live;   /* someone is waiting for answers */
    bool header; /* still to be written */
    uint64_t rows, undecided, rejected;
    size_t first_undecided; /* its line */
    bool write_failed;
} job;

/* --- what the library calls --------------------------------------------------------------- */

/* Called by several threads at once. */
static cr_status render(void *context, const cr_predictions *p, cr_output *out)
{
    const job *k = context;

    cr_prediction_writer_rows(k->writer, p, out);
    return CR_OK;
}

/* The names of the input's columns are known with the first batch. */
static void write_header(job *k, const cr_predictions *p)
{
    cr_output *out;

    if (!k->header)
        return;
    k->header = false;
    out = output_to(stdout);
    cr_prediction_writer_header(k->writer, p, out);
    output_end(out);
}

static cr_status visit(void *context, const cr_predictions *p)
{
    job *k = context;

    write_header(k, p);
    k->rows += p->rows;
    for (size_t row = 0; row < p->rows; row++) {
        if (p->error != NULL && p->error[row] != NULL)
            continue;
        if (p->reason[row] == CR_IMPOSSIBLE && k->undecided++ == 0)
            k->first_undecided = p->line[row];
        k->rejected += p->reason[row] == CR_REJECTED;
    }
    return CR_OK;
}

static cr_status write_bytes(void *context, const char *bytes, size_t size)
{
    job *k = context;

    if (fwrite(bytes, 1, size, stdout) == size && (!k->live || fflush(stdout) == 0))
        return CR_OK;
    k->write_failed = true;
    return CR_EIO;
}

/* --- the verb ----------------------------------------------------------------------------- */

static int read_digits(const request *r, job *k)
{
    uint64_t digits = option_count(r, "digits", 0);

    k->format.digits = option_given(r, "digits") ? (unsigned)digits + 1 : 0;
    return digits <= CR_PREDICTION_DIGITS
               ? EXIT_DONE
               : misuse(NULL, "--digits takes at most %d", CR_PREDICTION_DIGITS);
}

static void report_notes(const request *r, const job *k)
{
    if (k->rejected != 0)
        note("%llu of %llu rows rejected: any decision is expected to cost more",
             (unsigned long long)k->rejected, (unsigned long long)k->rows);
    if (k->undecided == 0)
        return;
    note("%llu of %llu rows undecided, the first on line %zu: every class gives them probability "
         "zero. credence explain --work tells why; credence refit %s -p smoothing=laplace helps",
         (unsigned long long)k->undecided, (unsigned long long)k->rows, k->first_undecided,
         r->operands[0]);
}

static int run(request *r)
{
    job k = {.format = {.json = r->json},
             .header = !r->json && !option_given(r, "no-output-header")};
    cr_sink sink = {render, visit, write_bytes, &k};
    cr_predict_options options = {.allow_absent_columns = option_given(r, "allow-absent")};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_rule *rule = NULL;
    cr_error err = {0};
    cr_status status;
    progress watch;
    int code;

    k.format.posterior = option_given(r, "proba");
    k.format.fields = option_given(r, "keep");
    k.format.only = option_text(r, "keep");
    options.on_error = read_on_error(r);
    k.format.errors = options.on_error == CR_ON_ERROR_ROW;
    if ((code = read_digits(r, &k)) != EXIT_DONE ||
        (code = read_interval(r, &k.format.level)) != EXIT_DONE ||
        (code = open_model_for_data(&model, r, 0, 1)) != EXIT_DONE ||
        (code = read_rule(&rule, r, model)) != EXIT_DONE ||
        (code = open_data(&source, r, 1, model)) != EXIT_DONE)
        goto done;
    options.rule = rule;
    options.interval = k.format.level;
    k.format.reasons = option_given(r, "reject");
    k.live = comes_live(r, 1);
    if ((status = cr_prediction_writer_new(&k.writer, model, &k.format, &err)) != CR_OK) {
        code = complain(status, &err);
        goto done;
    }
    if (!out_is_terminal())
        progress_begin(&watch, "predicting", &r->run);
    status = cr_model_predict(model, source, &options, &sink, &r->run, NULL, &err);
    if (!out_is_terminal())
        progress_end(&watch);
    if (status == CR_OK || (err.line > 1 && !k.format.fields)) /* a row is wrong, not the head */
        write_header(&k, NULL);
    report_notes(r, &k);
    if (status != CR_OK && !k.write_failed) /* otherwise out_close() reports it */
        code = fail_data(r, &source, status, &err);
done:
    cr_prediction_writer_free(k.writer);
    close_data(&source);
    cr_rule_free(rule);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Writes one line for each row of DATA, in order: the class that the model decides for. "
    "Columns are matched by name, so their order does not matter and columns that the model does "
    "not know are ignored. Missing values and values never seen are left out of the product.",
    "The output is CSV with the column prediction; with --proba one column p(CLASS) for each "
    "class follows, the probability of the class given the row. --json writes one object a line: "
    "prediction, and posterior{} with the probability of each class.",
    "Where the model learned a number (linear), the prediction is its mean; --proba adds sd, the "
    "standard deviation of the prediction, and --interval 95 adds low and high.",
    "A row to which every class gives probability zero is not guessed: the prediction is ? (null "
    "in JSON, with the reason), and a note at the end says how many there were.",
    "--cost, --reject and --priors decide by the least expected cost. With --reject a column "
    "reason follows the prediction: rejected, impossible or nothing. JSON then has expected_cost, "
    "that of the decision by the posterior, and the reason of what is not decided.",
    NULL,
};

static const option own[] = {
    {"proba", 'P', OPTION_FLAG, NULL, "Add the probability of each class."},
    {"keep", 'k', OPTION_FLAG, "A,B",
     "Repeat the columns of the input first (in JSON as an object called input), or only those "
     "named."},
    ON_ERROR_OPTION,
    {"digits", 0, OPTION_COUNT, "N",
     "Decimals of the probabilities. Default: as many as it takes to read them back exactly."},
    {"interval", 0, OPTION_TEXT, "PERCENT",
     "Add low and high. For a number, the interval that holds the truth with this probability; "
     "for a class of naive Bayes, the interval of its own probability."},
    ALLOW_ABSENT_OPTION,
    {"no-output-header", 0, OPTION_FLAG, NULL, "CSV without the line of names."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &decide_options, &data_options, NULL};

static const example examples[] = {
    {"credence predict iris.model iris.csv", "The class of each row."},
    {"credence predict --keep --proba --digits 3 iris.model iris.csv > answers.csv",
     "The input with the answers and three decimals of their probabilities beside it."},
    {"echo '{\"income\": 120}' | credence predict --allow-absent --json -f jsonl tax.model",
     "One row from a pipe; values that it lacks are missing."},
    {"credence predict --json --keep sports.model sports.csv | jq -c 'select(.posterior.Sports > "
     "0.9)'",
     "Only what is surely about sports."},
    {"credence predict --reject 0.2 --proba --digits 3 tax.model tax.csv",
     "No decision where it would be wrong with a probability above 0.2."},
    {0},
};

const verb verb_predict = {
    .name = "predict",
    .operands = "MODEL [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "decide the class of every row, and how sure that is",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "explain test train",
    .run = run,
};
