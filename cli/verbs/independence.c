/* cli/verbs/independence.c - `credence independence`: how far features are from independent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/describe.h"
#include "out/out.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { PAIRS_USUAL = 10 };

typedef struct study {
    cr_model *model;
    cr_independence *result;
    cr_independence_facts facts;
    size_t shown;
} study;

/* --- the counts --------------------------------------------------------------------------- */

/* Whether the only operand is a model; any other file is data. */
static bool is_model(const request *r, study *s)
{
    return r->operand_count == 1 && strcmp(r->operands[0], "-") != 0 &&
           cr_model_load(&s->model, r->operands[0], 0, NULL) == CR_OK;
}

/* The cells of a joint table as rows: columns of words, and the weight of each row. */
typedef struct cells {
    const cr_model *model;
    const char ***word; /* [columns][rows] */
    double *weight;
    size_t columns, rows, room;
} cells;

static cr_status take_cell(void *context, const size_t *value, double count, double probability)
{
    cells *c = context;

    (void)probability;
    if (count == 0)
        return CR_OK;
    if (c->rows == c->room) {
        c->room = c->room == 0 ? 256 : 2 * c->room;
        c->weight = reserve_more(c->weight, c->room, sizeof *c->weight);
        for (size_t i = 0; i < c->columns; i++)
            c->word[i] = reserve_more(c->word[i], c->room, sizeof *c->word[i]);
    }
    for (size_t i = 0; i < c->columns; i++)
        c->word[i][c->rows] = value[i] == SIZE_MAX ? NULL : cr_model_value(c->model, i, value[i]);
    c->weight[c->rows++] = count;
    return CR_OK;
}

static cr_status train_cells(const cells *c, const char *target, const cr_run *run, cr_model **out,
                             cr_error *err)
{
    const cr_schema *schema = cr_model_schema(c->model);
    const char *const params[] = {"pairs=0"};
    cr_array *array = reserve(c->columns + 1, sizeof *array);
    cr_source *source = NULL;
    size_t n = 0;
    cr_status status;

    for (size_t i = 0; i < c->columns; i++) {
        const char *name = cr_schema_name(schema, i);

        if (c->rows > 0 && c->word[i][0] != NULL) /* it is a variable */
            array[n++] =
                (cr_array){.name = name,
                           .text = c->word[i],
                           .kind = CR_SYMBOL,
                           .role = strcmp(name, target) == 0 ? CR_ROLE_TARGET : CR_ROLE_FEATURE};
    }
    array[n++] = (cr_array){.name = "(rows)", .real = c->weight, .role = CR_ROLE_WEIGHT};
    if ((status = cr_source_open_arrays(&source, array, n, c->rows, err)) == CR_OK)
        status = cr_model_train(out, source, "pairs", params, 1, run, NULL, err);
    cr_source_close(source);
    free(array);
    return status;
}

/* A joint table knows all combinations, so any column may be its class. */
static int retarget(const request *r, study *s)
{
    const char *target = option_text(r, "target");
    const size_t column =
        target == NULL ? SIZE_MAX : cr_schema_find(cr_model_schema(s->model), target);
    cells c = {.model = s->model};
    cr_model *other = NULL;
    cr_error err = {0};
    cr_status status;

    if (target == NULL)
        return EXIT_DONE;
    if (column == SIZE_MAX)
        return misuse(NULL, "the model has no column '%s'", target);
    if (column == cr_model_target(s->model))
        return EXIT_DONE;
    if (strcmp(cr_model_learner(s->model), "joint") != 0)
        return misuse("give the data, or a model of joint",
                      "a model of '%s' keeps combinations by its own target only",
                      cr_model_learner(s->model));
    c.columns = cr_schema_columns(cr_model_schema(s->model));
    c.word = reserve(c.columns, sizeof *c.word);
    for (size_t i = 0; i < c.columns; i++)
        c.word[i] = NULL;
    status = cr_joint_cells(s->model, UINT64_MAX, take_cell, &c, &err);
    if (status == CR_OK)
        status = train_cells(&c, target, &r->run, &other, &err);
    for (size_t i = 0; i < c.columns; i++)
        free((void *)c.word[i]);
    free(c.word);
    free(c.weight);
    if (status != CR_OK)
        return complain(status, &err);
    cr_model_free(s->model);
    s->model = other;
    return EXIT_DONE;
}

/* Count combinations: with classes like `pairs` without any joined pair, without classes as a joint
 * table. */
static int count_data(const request *r, study *s)
{
    const bool classes = !option_given(r, "no-class");
    char bins[256];
    const char *params[] = {bins, "pairs=0"};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_run run = r->run;
    progress watch;
    cr_status status;
    int code = open_data(&source, r, 0, NULL);

    if (code != EXIT_DONE)
        return code;
    snprintf(bins, sizeof bins, "bins=%.240s",
             option_text(r, "bins") != NULL ? option_text(r, "bins")
             : classes                      ? "mdl"
                                            : "frequency:5");
    progress_begin(&watch, "counting", &run);
    status = cr_model_train(&s->model, source, classes ? "pairs" : "joint", params, classes ? 2 : 1,
                            &run, NULL, &err);
    progress_end(&watch);
    if (status != CR_OK)
        return fail_data(r, &source, status, &err);
    close_data(&source);
    return EXIT_DONE;
}

/* Correlations of numbers, from a model that keeps their products: discriminants have them by
 * class, a network for all rows. */
static int correlate_data(const request *r, study *s)
{
    static const char *const params[] = {"real=gaussian", "structure=none"};
    const bool classes = cr_model_has_classes(s->model);
    cr_model *numbers = NULL;
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    int code = open_data(&source, r, 0, NULL);

    if (code != EXIT_DONE)
        return code;
    status = cr_model_train(&numbers, source, classes ? "gda" : "network", params, classes ? 0 : 2,
                            &r->run, NULL, &err);
    if (status == CR_OK)
        status = cr_independence_numbers(s->result, s->model, numbers, &err);
    if (status != CR_OK)
        code = fail_data(r, &source, status, &err);
    cr_source_close(source); /* its notes have been printed */
    cr_model_free(numbers);
    return code;
}

/* --- the result --------------------------------------------------------------------------- */

static const char *name_of(const study *s, size_t column)
{
    return cr_schema_name(cr_model_schema(s->model), column);
}

/* "buying=low, maint=high in good" */
static char *place_of(const study *s, const cr_pair *p, char *buffer, size_t size)
{
    const bool classes = cr_model_has_classes(s->model);

    snprintf(buffer, size, "%.60s, %.60s%s%.60s", cr_model_value(s->model, p->a, p->value_a),
             cr_model_value(s->model, p->b, p->value_b), classes ? " in " : "",
             classes ? cr_model_class(s->model, p->class_index) : "");
    return buffer;
}

static table *pairs_table(const study *s, bool exact)
{
    char place[256];
    table *t = table_new();

    table_column(t, "feature", TABLE_LEFT);
    table_column(t, exact ? "other" : "and", TABLE_LEFT);
    if (exact)
        table_column(t, "rows", TABLE_RIGHT);
    table_column(t, "bits", TABLE_RIGHT);
    table_column(t, exact ? "g2" : "G²", TABLE_RIGHT);
    table_column(t, exact ? "freedom" : "df", TABLE_RIGHT);
    table_column(t, "p", TABLE_RIGHT);
    if (exact)
        table_column(t, "mean_deviation", TABLE_RIGHT);
    table_column(t, exact ? "deviation" : "off by", TABLE_RIGHT);
    table_column(t, exact ? "where" : "at", TABLE_LEFT);
    for (size_t i = 0; i < s->shown; i++) {
        const cr_pair *p = cr_independence_pair(s->result, i);

        table_text(t, name_of(s, p->a));
        table_text(t, name_of(s, p->b));
        if (exact)
            table_number(t, number_plain, p->rows);
        table_number(t, number_probability, p->information);
        table_number(t, number_plain, p->g2);
        table_number(t, number_plain, p->freedom);
        table_number(t, number_plain, p->p);
        if (exact)
            table_number(t, number_plain, p->mean_deviation);
        if (isnan(p->correlation))
            table_number(t, number_probability, p->deviation);
        else
            table_text(t, "");
        if (isnan(p->correlation)) {
            table_text(t, p->deviation > 0 ? place_of(s, p, place, sizeof place) : "");
        } else {
            snprintf(place, sizeof place, "r = %.4f", p->correlation);
            table_text(t, place);
        }
    }
    return t;
}

static void report_table(const study *s)
{
    const size_t more = s->facts.pairs - s->shown;
    char bits[NUMBER_ROOM], deviation[NUMBER_ROOM];
    table *t = pairs_table(s, false);

    if (cr_model_has_classes(s->model))
        out_line("%zu pair%s of %zu features, given %s", s->facts.pairs, plural(s->facts.pairs),
                 s->facts.features, name_of(s, cr_model_target(s->model)));
    else
        out_line("%zu pair%s of %zu variables", s->facts.pairs, plural(s->facts.pairs),
                 s->facts.features);
    number_probability(bits, s->facts.mean_information);
    if (s->facts.mean_deviation > 0)
        out_line("  on average %s bits of one tell of the other; P(a, b) is off P(a) P(b) by %s",
                 bits, number_probability(deviation, s->facts.mean_deviation));
    else
        out_line("  on average %s bits of one tell of the other", bits);
    out_line("  %zu pair%s dependent beyond chance (Holm, level 0.05)\n", s->facts.dependent,
             s->facts.dependent == 1 ? " is" : "s are");
    table_print(t, 0, true);
    if (more > 0)
        out_line("... and %zu more pair%s (--top N shows N, --top 0 all)", more, plural(more));
    table_free(t);
}

static void report(const request *r, study *s)
{
    const size_t top = (size_t)option_count(r, "top", PAIRS_USUAL);
    const bool all = top == 0 || ((r->json || r->csv) && !option_given(r, "top"));
    cr_output *out;
    table *t;

    cr_independence_get_facts(s->result, &s->facts);
    s->shown = all || top > s->facts.pairs ? s->facts.pairs : top;
    if (r->json) {
        out = output_to(stdout);
        cr_independence_json(s->result, s->model, s->shown, out);
        output_end(out);
    } else if (r->csv) {
        t = pairs_table(s, true);
        table_csv(t);
        table_free(t);
    } else {
        report_table(s);
    }
}

/* --- the verb ----------------------------------------------------------------------------- */

static int run(request *r)
{
    study s = {0};
    cr_error err = {0};
    cr_status status;
    const bool counted = is_model(r, &s);
    int code = counted ? EXIT_DONE : count_data(r, &s);

    if (counted)
        code = retarget(r, &s);
    if (counted && option_given(r, "gaussian"))
        code = misuse("give the data instead", "--gaussian is for data, and %s is a model",
                      r->operands[0]);

    if (code == EXIT_DONE) {
        status = cr_independence_measure(&s.result, s.model, &r->run, &err);
        if (status != CR_OK)
            code = complain(status, &err);
        else if (option_given(r, "gaussian"))
            code = correlate_data(r, &s);
        if (code == EXIT_DONE)
            report(r, &s);
    }
    cr_independence_free(s.result);
    cr_model_free(s.model);
    return code;
}

static const char *const about[] = {
    "Naive Bayes takes features as independent within each class. For every pair of features this "
    "measures how far that is from the truth: the conditional mutual information I(A; B | class) "
    "in bits, whether it is more than chance (G², its degrees of freedom and p), and the "
    "combination of values whose probability P(a, b | class) is furthest from P(a | class) P(b | "
    "class).",
    "It reads DATA, or a MODEL that keeps combinations: joint, tan, kdb, pairs or aode. Numbers "
    "are cut into intervals first; --bins says how. With --gaussian two numbers are taken as "
    "jointly normal given the class: r, their correlation within the classes, makes -log2(1 - "
    "r²)/2 bits, and p is that of Student's t.",
    "--json gives target, features, pairs, dependent, mean_information, mean_deviation and pair[] "
    "with a, b, rows, information, g2, freedom, p, deviation (at class, value_a, value_b), "
    "mean_deviation and, with --gaussian, correlation; --csv the table of pairs. Both give all "
    "pairs unless --top says otherwise.",
    NULL,
};

static const option own[] = {
    {"top", 'N', OPTION_COUNT, "N", "Show the N most dependent pairs; 0: all. Default: 10."},
    {"bins", 0, OPTION_TEXT, "RULE",
     "How numbers are cut: mdl, sqrt, width:K, frequency:K or COLUMN:CUT:CUT,... Default: mdl, "
     "without classes frequency:5."},
    {"gaussian", 'g', OPTION_FLAG, NULL,
     "Measure two numbers by their correlation within the classes, as normals, not on intervals."},
    {"no-class", 0, OPTION_FLAG, NULL,
     "There is no target, unless -t names one: all columns are variables."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &column_options, &data_options, NULL};

static const example examples[] = {
    {"credence independence car.csv", "Which features depend on each other within the classes?"},
    {"credence independence --bins frequency:5 --top 3 iris.csv", "The three worst pairs."},
    {"credence independence --gaussian iris.csv", "Numbers by their correlations."},
    {"credence independence --json car.model", "All pairs of a model, for programs."},
    {0},
};

const verb verb_independence = {
    .name = "independence",
    .operands = "[DATA...|MODEL]",
    .most = SIZE_MAX,
    .summary = "tell how far features are from being independent",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train show compare",
    .run = run,
};
