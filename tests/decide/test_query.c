/* tests/decide/test_query.c - queries: the lectures' figures, the grammar, errors that point, and
 * brute force on random models.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "credence/credence.h"

/* --- tables --------------------------------------------------------------------------------- */

static const char *const bits[2] = {"0", "1"};

/* The lecture's table of A, B, C, rows 000 to 111. */
static cr_model *abc_model(void)
{
    static const double p[8] = {.30, .05, .10, .05, .05, .10, .25, .10};
    static const char *text[3][8];
    const cr_array arrays[] = {{.name = "A", .text = text[0]},
                               {.name = "B", .text = text[1]},
                               {.name = "C", .text = text[2]},
                               {.name = "probability", .real = p, .role = CR_ROLE_WEIGHT}};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    for (size_t r = 0; r < 8; r++)
        for (size_t i = 0; i < 3; i++)
            text[i][r] = bits[r >> (2 - i) & 1];
    assert_int_equal(cr_source_open_arrays(&source, arrays, 4, 8, NULL), CR_OK);
    if (cr_joint_read(&model, source, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* The lecture's census table: gender, hours worked a week, wealth. */
static cr_model *census_model(void)
{
    static const double p[8] = {.253122, .0245895, .0421768, .0116293,
                                .331313, .0971295, .134106, .105933};
    static const char *const gender[] = {"female", "female", "female", "female",
                                         "male", "male", "male", "male"};
    static const char *const hours[] = {"<=40.5", "<=40.5", ">40.5", ">40.5",
                                        "<=40.5", "<=40.5", ">40.5", ">40.5"};
    static const char *const wealth[] = {"poor", "rich", "poor", "rich",
                                         "poor", "rich", "poor", "rich"};
    const cr_array arrays[] = {{.name = "gender", .text = gender},
                               {.name = "hours", .text = hours},
                               {.name = "wealth", .text = wealth},
                               {.name = "probability", .real = p, .role = CR_ROLE_WEIGHT}};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, arrays, 4, 8, NULL), CR_OK);
    if (cr_joint_read(&model, source, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static cr_answer *ask(const cr_model *model, const char *query)
{
    cr_answer *answer;
    cr_error err = {0};

    if (cr_query_run(model, query, &answer, &err) != CR_OK)
        fail_msg("%s: %zu: %s", query, err.column, err.message);
    return answer;
}

static double probability(const cr_model *model, const char *query)
{
    cr_answer *answer = ask(model, query);
    const double p = answer->probability;

    assert_true(fabs(exp(answer->log_probability) - p) < 1e-12);
    cr_answer_free(answer);
    return p;
}

static void assert_near(const char *query, double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
        fail_msg("%s is %.17g, not %.17g", query, got, want);
}

/* --- the lectures --------------------------------------------------------------------------- */

static void the_abc_table_gives_the_lectures_figures(void **state)
{
    cr_model *model = abc_model();
    cr_answer *a;

    (void)state;
    assert_near("P(A)", probability(model, "P(A=1)"), .5, 1e-12);
    assert_near("P(A|B)", probability(model, "P(A=1 | B=1)"), .7, 1e-12);
    a = ask(model, "P(A | B)"); /* a whole distribution, given that B is true */
    assert_int_equal(a->kind, CR_QUERY_DISTRIBUTION);
    assert_string_equal(a->variable, "A");
    assert_int_equal(a->values, 2);
    assert_string_equal(a->value[1], "1");
    assert_near("P(A=0|B)", a->p[0], .3, 1e-12);
    assert_near("P(A=1|B)", a->p[1], .7, 1e-12);
    assert_near("ln P(B)", a->log_condition, log(.5), 1e-12);
    cr_answer_free(a);
    assert_near("P(A or B or C)", probability(model, "P(A or B or C)"), .7, 1e-12);
    assert_near("P(not A)", probability(model, "P(not A)"), .5, 1e-12);
    cr_model_free(model);
}

static void the_census_table_gives_the_lectures_figures(void **state)
{
    /* The printed table sums to .9999991: figures to four digits. */
    const struct {
        const char *query;
        double want;
    } cases[] = {
        {"P(poor, male)", .4654},
        {"P(wealth=poor and gender=male)", .4654},
        {"P(poor)", .7607}, /* printed .7604: the table's sum is .7607 */
        {"P(male | poor)", .612},
        {"P(rich | female, hours<=40.5)", .0885},
        {"P(rich | female, hours>40.5)", .216},
        {"P(rich | male, hours<=40.5)", .227},
        {"P(wealth=rich | gender=male, hours > 40.5)", .441}, /* printed .38 */
    };
    cr_model *model = census_model();
    cr_answer *a;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near(cases[i].query, probability(model, cases[i].query), cases[i].want,
                    cases[i].want * 2.3e-3);
    assert_near("P(poor, male)", probability(model, "P(poor, male)"),
                (.331313 + .134106) / .9999991, 1e-12);
    assert_near("P(poor)", probability(model, "P(poor)"), .7607178 / .9999991, 1e-12);
    a = ask(model, "argmax(wealth | male, hours>40.5)");
    assert_int_equal(a->kind, CR_QUERY_ARGMAX);
    assert_string_equal(a->value[a->best], "poor");
    assert_near("its probability", a->probability, .134106 / .240039, 1e-12);
    cr_answer_free(a);
    cr_model_free(model);
}

/* --- grammar -------------------------------------------------------------------------------- */

/* Each pair asks for the same. */
static void operators_bind_as_they_should(void **state)
{
    const char *const same[][2] = {
        {"P(A=1 or B=1 and C=1)", "P(A=1 or (B=1 and C=1))"},
        {"P(not A=1 and B=1)", "P((not A=1) and B=1)"},
        {"P(not A=1 or B=1)", "P((not (A=1)) or B=1)"},
        {"P(A=1 or B=1, C=1)", "P((A=1 or B=1) and C=1)"},
        {"P(A=1, B=1 or C=1)", "P(A=1 and (B=1 or C=1))"},
        {"P(not not not A)", "P(A=0)"},
        {"P(A!=1)", "P(A=0)"},
        {"P(A in {0,1} | B in {1})", "P(A=0 or A=1 | B)"},
        {"P(A<1)", "P(A=0)"},
        {"P(A>=1)", "P(A=1)"},
        {"P(A>0.5)", "P(A=1)"},
        {"p ( 'A' = \"1\" AND 'B'=1 )", "P(A,B)"},
        {"P(A=1.0)", "P(A=1)"},
        {"P(((((A=1)))))", "P(A=1)"},
        {"P(A=1 and A=1)", "P(A=1)"},
        {"P(A=1 | B=1 or C=1)", "P(A and (B or C) | B or C)"},
        {"P(A=1 and A=0 or B=1)", "P(B=1)"},
        {"P((A and not B) or (B and not A) | C)", "P(not ((A and B) or (not A and not B)) | C)"},
    };
    cr_model *model = abc_model();

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_near(same[i][0], probability(model, same[i][0]), probability(model, same[i][1]),
                    1e-14);
    /* by hand: 000 .30, 001 .05, 010 .10, 011 .05, 100 .05, 101 .10, 110 .25, 111 .10 */
    assert_near("or binds less", probability(model, "P(A=1 or B=1 and C=1)"), .55, 1e-12);
    assert_near("comma least", probability(model, "P(A=1 or B=1, C=1)"), .25, 1e-12);
    assert_near("impossible", probability(model, "P(A=1 and A=0)"), 0, 0);
    assert_near("certain", probability(model, "P(A=1 or A=0)"), 1, 0);
    cr_model_free(model);
}

/* Twenty thousand parentheses and nots: nothing recurses. */
static void depth_costs_no_stack(void **state)
{
    enum { DEPTH = 20000 };
    cr_model *model = abc_model();
    char *query = malloc(4 * DEPTH + 64), *at = query;

    (void)state;
    at += sprintf(at, "P(");
    for (int i = 0; i < DEPTH; i++)
        *at++ = '(';
    at += sprintf(at, "A");
    for (int i = 0; i < DEPTH; i++)
        *at++ = ')';
    sprintf(at, " | B)");
    assert_near("deep", probability(model, query), .7, 1e-12);
    at = query + sprintf(query, "P(A and ");
    for (int i = 0; i < 16000; i++)
        at += sprintf(at, "not ");
    sprintf(at, "B | B)");
    assert_near("nots", probability(model, query), .7, 1e-12);
    free(query);
    cr_model_free(model);
}

/* --- errors --------------------------------------------------------------------------------- */

static void assert_refused(const cr_model *model, const char *query, cr_status status,
                           size_t column, const char *message, const char *hint)
{
    cr_answer *answer;
    cr_error err = {0};

    if (cr_query_run(model, query, &answer, &err) != status)
        fail_msg("%s was not refused as it should be: %s", query, err.message);
    assert_null(answer);
    if (err.column != column)
        fail_msg("%s: column %zu, not %zu: %s", query, err.column, column, err.message);
    if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL)
        fail_msg("%s: '%s' and '%s' do not say '%s' and '%s'", query, err.message, err.hint,
                 message, hint);
}

static void errors_point_at_the_character(void **state)
{
    const struct {
        const char *query;
        size_t column;
        const char *message, *hint;
    } cases[] = {
        {"", 1, "P(...)", ""},
        {"Q(rich)", 1, "not 'Q'", ""},
        {"P rich", 3, "( is expected", ""},
        {"P()", 3, "a variable, a value or (", ""},
        {"P(rich", 7, "not the end", ""},
        {"P((rich)", 9, "not the end", ""},
        {"P((rich", 3, "not closed", ""},
        {"P(rich))", 8, "nothing more", ""},
        {"P(rich) x", 9, "nothing more", ""},
        {"P(rich | )", 10, "a variable, a value or (", ""},
        {"P(rich | male | poor)", 15, "|", "once"},
        {"P((rich | male))", 9, "|", "once"},
        {"P(rich male)", 8, "not 'male'", ""},
        {"P(rich and)", 11, "a variable, a value or (", ""},
        {"P(and rich)", 3, "a variable, a value or (", ""},
        {"P(rich or or male)", 11, "a variable, a value or (", ""},
        {"P(wealth=)", 10, "a value is expected", ""},
        {"P(wealth= = rich)", 11, "a value is expected", ""},
        {"P(wealth == rich)", 10, "no sign", "write ="},
        {"P(rich & male)", 8, "'&'", "write and"},
        {"P(!rich)", 3, "'!'", "not"},
        {"P(wealth in rich)", 13, "{", ""},
        {"P(wealth in {rich)", 18, ", or }", ""},
        {"P(wealth in {})", 14, "a value", ""},
        {"P('rich)", 3, "not closed", ""},
        {"P(welth=rich)", 3, "no variable 'welth'", "'wealth'"},
        {"P(wealth=Rich)", 10, "no value 'Rich'", "'rich'"},
        {"P(wealth=riche)", 10, "no value 'riche'", "'rich'"},
        {"P(wealth=xyzzyx)", 10, "no value", "poor, rich"},
        {"P(ric)", 3, "'ric'", "'rich'"},
        {"P(xyzzy)", 3, "'xyzzy'", "gender, hours, wealth"},
        {"P(wealth and male)", 3, "is a variable", "wealth = VALUE"},
        {"P(rich=wealth)", 3, "a value of 'wealth'", "begins with a variable"},
        {"P(wealth<rich)", 10, "no order", "!="},
        {"P(hours<=30)", 10, "<=40.5, >40.5", "one of the cuts"},
        {"P(hours<40.5)", 9, "<=40.5, >40.5", "<= or >"},
        {"P(hours<=many)", 10, "number", ""},
        {"P(hours=40)", 9, "no value '40'", ""},
        {"argmax(rich and male)", 8, "the name of a variable", ""},
        {"argmax(wealt)", 8, "no variable 'wealt'", "'wealth'"},
        {"P(w\xC3\xA9" "alth=rich)", 3, "no variable", "'wealth'"},
        {"P(rich | 'm\xC3\xA9" "l\xC3\xA9')", 10, "no value", ""},
        {"P(rich, '\xC3\xA9' , x)", 9, "no value", ""},
    };
    cr_model *model = census_model();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(model, cases[i].query, CR_EARG, cases[i].column, cases[i].message,
                       cases[i].hint);
    /* columns count characters, not bytes */
    assert_refused(model, "P('\xE2\x80\x9C\xE2\x80\x9D', & rich)", CR_EARG, 9, "'&'", "write and");
    cr_model_free(model);
}

static void a_condition_of_probability_zero_is_an_error(void **state)
{
    cr_model *model = abc_model();
    cr_answer *answer;

    (void)state;
    assert_refused(model, "P(A | B=1 and B=0)", CR_ECONFLICT, 7, "probability zero", "");
    assert_int_equal(cr_query_run(model, "P(B=1 and B=0)", &answer, NULL), CR_OK);
    assert_true(answer->probability == 0 && answer->log_probability == -INFINITY);
    cr_answer_free(answer);
    cr_model_free(model);
}

/* --- random models -------------------------------------------------------------------------- */

enum { ROWS = 80, SYMBOLS = 4, REALS = 2 };

typedef struct data {
    const char *symbol[SYMBOLS][ROWS]; /* the last is the class */
    double real[REALS][ROWS];
} data;

static data *random_data(cr__random *rng)
{
    static const char *const words[SYMBOLS][4] = {{"red", "green", "blue", "two words"},
                                                  {"0", "1", "0", "1"},
                                                  {"a", "b", "c", "d"},
                                                  {"yes", "no", "perhaps", "yes"}};
    data *d = calloc(1, sizeof *d);

    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(rng, 4);

        for (size_t i = 0; i < SYMBOLS; i++)
            d->symbol[i][r] = cr__random_below(rng, 9) == 0
                                  ? NULL
                                  : words[i][i == SYMBOLS - 1 || cr__random_below(rng, 2)
                                                 ? c
                                                 : cr__random_below(rng, 4)];
        for (size_t i = 0; i < REALS; i++)
            d->real[i][r] = cr__random_below(rng, 9) == 0
                                ? NAN
                                : cr__random_normal(rng) * (1 + (double)i) + (double)c / 2;
    }
    return d;
}

static cr_model *random_model(const data *d, const char *learner, const char *const *params,
                              size_t count, int reals, int targeted)
{
    static const char *const names[SYMBOLS + REALS] = {"colour", "bit", "letter", "class", "x", "y"};
    cr_array arrays[SYMBOLS + REALS];
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    for (size_t i = 0; i < SYMBOLS + REALS; i++)
        arrays[i] = (cr_array){.name = names[i],
                               .text = i < SYMBOLS ? d->symbol[i] : NULL,
                               .real = i < SYMBOLS ? NULL : d->real[i - SYMBOLS],
                               .role = targeted && i == SYMBOLS - 1 ? CR_ROLE_TARGET
                                                                    : CR_ROLE_FEATURE};
    assert_int_equal(cr_source_open_arrays(&source, arrays, reals ? SYMBOLS + REALS : SYMBOLS, ROWS,
                                           NULL), CR_OK);
    if (cr_model_train(&model, source, learner, params, count, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* A random expression as text, with its truth for every combination of the values of the symbols
 * and, for the reals, of the cells between GRID numbers. */
enum { GRID = 3, CELLS = GRID + 1, TEXT = 4096 };

static const double grid[REALS][GRID] = {{-0.75, 0.25, 1.5}, {-1.125, 0.5, 2.25}};

typedef struct world { /* a combination */
    size_t value[SYMBOLS], cell[REALS];
} world;

typedef struct space {
    const cr_model *model;
    size_t values[SYMBOLS];
    int reals;
    size_t size;
    double *p; /* of each world, by brute force */
} space;

static world world_of(const space *s, size_t index)
{
    world w;

    for (size_t i = 0; i < SYMBOLS; i++) {
        w.value[i] = index % s->values[i];
        index /= s->values[i];
    }
    for (size_t i = 0; i < REALS; i++) {
        w.cell[i] = index % CELLS;
        index /= s->reals ? CELLS : 1;
    }
    return w;
}

/* Write a comparison to text, and its truth to truth[]. */
static int random_leaf(const space *s, cr__random *rng, char *text, unsigned char *truth)
{
    static const char *const ops[] = {"<", "<=", ">", ">="};
    const size_t variable = cr__random_below(rng, SYMBOLS + (s->reals ? REALS : 0));
    const char *name = cr_schema_name(cr_model_schema(s->model), variable);

    if (variable >= SYMBOLS) {
        const size_t i = variable - SYMBOLS, t = cr__random_below(rng, GRID);
        const size_t op = cr__random_below(rng, 4);

        for (size_t k = 0; k < s->size; k++)
            truth[k] = (world_of(s, k).cell[i] <= t) == (op < 2);
        return sprintf(text, "%s %s %g", name, ops[op], grid[i][t]);
    }
    const size_t v = cr__random_below(rng, s->values[variable]);
    const size_t u = cr__random_below(rng, s->values[variable]), form = cr__random_below(rng, 3);
    for (size_t k = 0; k < s->size; k++) {
        const size_t w = world_of(s, k).value[variable];
        truth[k] = form == 0 ? w == v : form == 1 ? w != v : w == v || w == u;
    }
    if (form == 2)
        return sprintf(text, "%s in {'%s', '%s'}", name, cr_model_value(s->model, variable, v),
                       cr_model_value(s->model, variable, u));
    return sprintf(text, "%s%s'%s'", name, form == 0 ? "=" : "!=",
                   cr_model_value(s->model, variable, v));
}

/* Leaves joined at random: text and truth grow together. */
static void random_expression(const space *s, cr__random *rng, char *text, unsigned char *truth)
{
    const size_t leaves = 1 + cr__random_below(rng, 5);
    unsigned char *other = malloc(s->size);
    char piece[256], *joined = malloc(TEXT);

    random_leaf(s, rng, text, truth);
    for (size_t n = 1; n < leaves; n++) {
        const size_t op = cr__random_below(rng, 3);

        random_leaf(s, rng, piece, other);
        snprintf(joined, TEXT, op == 0   ? "(%s) and (%s)"
                               : op == 1 ? "(%s) or (%s)"
                                         : "not (%s) or (%s)", text, piece);
        strcpy(text, joined);
        for (size_t k = 0; k < s->size; k++)
            truth[k] = op == 0   ? truth[k] && other[k]
                       : op == 1 ? truth[k] || other[k]
                                 : !truth[k] || other[k];
    }
    free(other);
    free(joined);
}

/* Ask random questions and add up the worlds. */
static void compare_with_worlds(const space *s, cr__random *rng, size_t questions)
{
    unsigned char *e = malloc(s->size), *given = malloc(s->size);
    char *a = malloc(TEXT), *b = malloc(TEXT), *query = malloc(2 * TEXT + 16);

    for (size_t q = 0; q < questions; q++) {
        double both = 0, all = 0;
        cr_answer *answer;
        cr_status st;

        random_expression(s, rng, a, e);
        random_expression(s, rng, b, given);
        snprintf(query, 2 * TEXT + 16, q % 3 == 0 ? "P(%s)" : "P(%s | %s)", a, b);
        for (size_t k = 0; k < s->size; k++) {
            both += e[k] && (q % 3 == 0 || given[k]) ? s->p[k] : 0;
            all += q % 3 == 0 || given[k] ? s->p[k] : 0;
        }
        st = cr_query_run(s->model, query, &answer, NULL);
        if (all == 0) {
            assert_int_equal(st, CR_ECONFLICT);
            continue;
        }
        assert_int_equal(st, CR_OK);
        assert_near(query, answer->probability, both / all, 1e-12);
        cr_answer_free(answer);
        /* a whole distribution given the same, and its parts */
        snprintf(query, 2 * TEXT + 16, "P(letter | %s)", q % 3 == 0 ? "bit in {0,1}" : b);
        answer = ask(s->model, query);
        for (size_t v = 0; v < s->values[2]; v++) {
            double part = 0;
            for (size_t k = 0; k < s->size; k++)
                part += world_of(s, k).value[2] == v && (q % 3 == 0 || given[k]) ? s->p[k] : 0;
            assert_near(query, answer->p[v], part / all, 1e-12);
        }
        cr_answer_free(answer);
    }
    free(e);
    free(given);
    free(a);
    free(b);
    free(query);
}

static space make_space(const cr_model *model, int reals)
{
    space s = {.model = model, .reals = reals, .size = 1};

    for (size_t i = 0; i < SYMBOLS; i++)
        s.size *= s.values[i] = cr_model_values(model, i);
    s.size *= reals ? CELLS * CELLS : 1;
    s.p = calloc(s.size, sizeof *s.p);
    return s;
}

/* P(x < t | class) by the C library's own error function. */
static double below(const cr_model *model, size_t column, size_t c, double t)
{
    cr_gaussian g;

    assert_int_equal(cr_model_gaussian(model, column, c, &g), CR_OK);
    return 0.5 * erfc(-(t - g.fitted_mean) / sqrt(2 * g.fitted_variance));
}

static void queries_on_naive_bayes_equal_brute_force(void **state)
{
    const char *const settings[][1] = {{"smoothing=laplace"}, {"smoothing=none"},
                                       {"smoothing=m-estimate"}, {"smoothing=dirichlet"},
                                       {"prior=uniform"}, {"variance=class-feature"}};

    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        cr__random rng;
        cr__random_seed(&rng, seed);
        data *d = random_data(&rng);
        cr_model *model = random_model(d, "nb", settings[seed % 6], 1, 1, 1);
        space s = make_space(model, 1);

        for (size_t k = 0; k < s.size; k++) {
            const world w = world_of(&s, k);
            double p = cr_model_prior(model, w.value[SYMBOLS - 1]);

            for (size_t i = 0; i < SYMBOLS - 1; i++)
                p *= cr_model_probability(model, i, w.value[i], w.value[SYMBOLS - 1]);
            for (size_t i = 0; i < REALS; i++) {
                const size_t column = SYMBOLS + i, c = w.value[SYMBOLS - 1];
                const double low = w.cell[i] == 0 ? 0 : below(model, column, c, grid[i][w.cell[i] - 1]);
                p *= (w.cell[i] == GRID ? 1 : below(model, column, c, grid[i][w.cell[i]])) - low;
            }
            s.p[k] = p;
        }
        compare_with_worlds(&s, &rng, 40);
        free(s.p);
        cr_model_free(model);
        free(d);
    }
}

static void queries_on_joint_tables_equal_brute_force(void **state)
{
    const struct {
        const char *setting;
        double pseudo;
    } settings[] = {{"smoothing=none", 0}, {"smoothing=laplace", 1}, {"smoothing=dirichlet", 1},
                    {"alpha=0.25", 0}};

    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        cr__random rng;
        cr__random_seed(&rng, 1000 + seed);
        data *d = random_data(&rng);
        const char *const params[] = {"bins=x:-0.75:0.25:1.5,y:-1.125:0.5:2.25",
                                      settings[seed % 4].setting};
        cr_model *model = random_model(d, "joint", params, 2, 1, (int)(seed & 1));
        space s = make_space(model, 1);

        for (size_t k = 0; k < s.size; k++)
            s.p[k] = settings[seed % 4].pseudo;
        for (size_t r = 0; r < ROWS; r++) { /* rows that lack nothing */
            int whole = 1;
            size_t index = 0, base = 1;
            for (size_t i = 0; i < SYMBOLS; i++) {
                size_t v = 0;
                whole = whole && d->symbol[i][r] != NULL;
                while (whole && v < s.values[i] &&
                       strcmp(cr_model_value(model, i, v), d->symbol[i][r]) != 0)
                    v++;
                index += v * base;
                base *= s.values[i];
            }
            for (size_t i = 0; i < REALS; i++) {
                size_t cell = 0;
                whole = whole && !isnan(d->real[i][r]);
                while (whole && cell < GRID && d->real[i][r] > grid[i][cell])
                    cell++;
                index += cell * base;
                base *= CELLS;
            }
            if (whole)
                s.p[index]++;
        }
        /* compare with cuts: only <= and > */
        unsigned char *e = malloc(s.size), *given = malloc(s.size);
        char *a = malloc(TEXT), *b = malloc(TEXT), *query = malloc(2 * TEXT + 16);
        for (size_t q = 0; q < 40; q++) {
            double both = 0, all = 0;
            cr_answer *answer;
            cr_status st;

            random_expression(&s, &rng, a, e);
            random_expression(&s, &rng, b, given);
            for (char *p = strstr(a, " < "); p != NULL; p = strstr(a, " < "))
                memmove(p + 4, p + 3, strlen(p + 3) + 1), memcpy(p, " <= ", 4);
            for (char *p = strstr(a, ">="); p != NULL; p = strstr(a, ">="))
                p[1] = ' ';
            for (char *p = strstr(b, " < "); p != NULL; p = strstr(b, " < "))
                memmove(p + 4, p + 3, strlen(p + 3) + 1), memcpy(p, " <= ", 4);
            for (char *p = strstr(b, ">="); p != NULL; p = strstr(b, ">="))
                p[1] = ' ';
            snprintf(query, 2 * TEXT + 16, "P(%s | %s)", a, b);
            for (size_t k = 0; k < s.size; k++) {
                both += e[k] && given[k] ? s.p[k] : 0;
                all += given[k] ? s.p[k] : 0;
            }
            st = cr_query_run(model, query, &answer, NULL);
            assert_int_equal(st, all == 0 ? CR_ECONFLICT : CR_OK);
            if (st == CR_OK)
                assert_near(query, answer->probability, both / all, 1e-12);
            cr_answer_free(answer);
        }
        free(e);
        free(given);
        free(a);
        free(b);
        free(query);
        free(s.p);
        cr_model_free(model);
        free(d);
    }
}

/* --- real variables ------------------------------------------------------------------------- */

/* Observed numbers give the posterior that classifying a row gives. */
static void observed_numbers_give_the_posterior_of_a_row(void **state)
{
    const char *const settings[][1] = {{"gaussian=plugin"}, {"gaussian=predictive"}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        cr__random rng;
        cr__random_seed(&rng, 5);
        data *d = random_data(&rng);
        cr_model *model = random_model(d, "nb", settings[i], 1, 1, 1);
        double posterior[8], evidence;
        int32_t decision;
        cr_row *row;
        cr_answer *a = ask(model, "P(class | x = 1.25, y=-0.5, colour='two words')");

        assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
        cr_row_set_real(row, 4, 1.25);
        cr_row_set_real(row, 5, -0.5);
        cr_row_set_text(row, 0, "two words");
        assert_int_equal(cr_model_classify(model, row, posterior, &decision, &evidence), CR_OK);
        for (size_t c = 0; c < a->values; c++)
            assert_near("P(class | x, y, colour)", a->p[c], posterior[c], 1e-13);
        assert_int_equal(a->best, decision);
        assert_true(a->density);
        assert_near("ln density", a->log_condition, evidence, 1e-12);
        cr_answer_free(a);
        /* far out, where every density is below the smallest double */
        cr_row_set_real(row, 4, 1e4);
        assert_int_equal(cr_model_classify(model, row, posterior, &decision, &evidence), CR_OK);
        a = ask(model, "P(class | x = 1e4, y=-0.5, colour='two words')");
        for (size_t c = 0; c < a->values; c++)
            assert_near("P(class | far)", a->p[c], posterior[c], 1e-9);
        cr_answer_free(a);
        cr_row_free(row);
        cr_model_free(model);
        free(d);
    }
}

static void numbers_have_no_probability_but_intervals_have(void **state)
{
    cr__random rng;
    cr_model *model;
    data *d;

    (void)state;
    cr__random_seed(&rng, 9);
    d = random_data(&rng);
    model = random_model(d, "nb", NULL, 0, 1, 1);
    assert_true(probability(model, "P(x = 1)") == 0);
    assert_near("P(x != 1)", probability(model, "P(x != 1)"), 1, 1e-15);
    assert_near("P(x<1)", probability(model, "P(x<1)"), probability(model, "P(x <= 1)"), 1e-15);
    assert_near("P(x<1 or x>=1)", probability(model, "P(x<1 or x>=1)"), 1, 1e-15);
    assert_near("P(x<1 | x=0.5)", probability(model, "P(x<1 | x=0.5)"), 1, 0);
    assert_near("P(x>1 | x=0.5)", probability(model, "P(x>1 | x=0.5)"), 0, 0);
    assert_near("x in a set", probability(model, "P(x in {1,2,3} or y > 0)"),
                probability(model, "P(y > 0)"), 1e-15);
    assert_near("an interval", probability(model, "P(x>0 and x<=1)"),
                probability(model, "P(x<=1)") - probability(model, "P(x<=0)"), 1e-13);
    assert_near("with a condition on itself", probability(model, "P(x<=0 | x<=1)"),
                probability(model, "P(x<=0)") / probability(model, "P(x<=1)"), 1e-13);
    assert_refused(model, "P(class | x=1 or x=2)", CR_ECONFLICT, 11, "probability zero",
                   "joined by and");
    assert_refused(model, "P(class | x=1, x=2)", CR_ECONFLICT, 11, "probability zero", "");
    assert_refused(model, "P(x)", CR_EARG, 3, "no table", "P(x <= NUMBER)");
    assert_refused(model, "P(x and class=yes)", CR_EARG, 3, "is a variable", "x <= NUMBER");
    assert_refused(model, "P(x < red)", CR_EARG, 7, "numbers", "");
    assert_refused(model, "P(x < inf)", CR_EARG, 7, "numbers", "");
    cr_model_free(model);
    free(d);
}

/* The t distribution: P(x <= its centre) is a half in every class. */
static void predictive_intervals_are_students(void **state)
{
    static const double x[] = {1, 3, 2, 4};
    static const char *const class[] = {"a", "a", "b", "b"};
    const cr_array arrays[] = {{.name = "x", .real = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    const char *const params[] = {"gaussian=predictive", "mean-rows=1", "variance-rows=2",
                                  "variance-floor=0"};
    char query[128];
    cr_source *source;
    cr_model *model;
    cr_gaussian g;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 4, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", params, 4, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_gaussian(model, 0, 0, &g), CR_OK);
    snprintf(query, sizeof query, "P(x <= %.17g | class=a)", g.fitted_mean);
    assert_near(query, probability(model, query), 0.5, 1e-14);
    assert_true(g.freedom == 4);
    /* R: pt(1, 4) = 0.8130495168499706 */
    snprintf(query, sizeof query, "P(x <= %.17g | class=a)",
             g.fitted_mean + sqrt(g.fitted_variance));
    assert_near(query, probability(model, query), 0.8130495168499706, 1e-12);
    cr_source_close(source);
    cr_model_free(model);
}

/* --- naive Bayes, other ---------------------------------------------------------------------- */

static void rules_that_are_no_distribution_are_refused(void **state)
{
    const char *const params[] = {"smoothing=laplace-classes"};
    cr__random rng;
    cr_model *model;
    data *d;

    (void)state;
    cr__random_seed(&rng, 3);
    d = random_data(&rng);
    model = random_model(d, "nb", params, 1, 1, 1);
    assert_refused(model, "P(class | colour=red)", CR_ECONFLICT, 0, "sum to", "laplace");
    assert_near("unaffected", probability(model, "P(class in {yes,no,perhaps})"), 1, 1e-14);
    cr_model_free(model);
    free(d);
}

static void a_value_never_seen_has_its_share_when_smoothed(void **state)
{
    const char *const params[] = {"unseen=smooth"};
    cr__random rng;
    cr_model *model;
    cr_answer *a;
    double sum = 0;
    data *d;

    (void)state;
    cr__random_seed(&rng, 3);
    d = random_data(&rng);
    model = random_model(d, "nb", params, 1, 1, 1);
    a = ask(model, "P(colour | class=yes)");
    assert_int_equal(a->values, cr_model_values(model, 0) + 1);
    assert_string_equal(a->value[a->values - 1], "(never seen)");
    assert_true(a->p[a->values - 1] > 0);
    for (size_t v = 0; v < a->values; v++)
        sum += a->p[v];
    assert_near("sum", sum, 1, 1e-14);
    assert_near("not red", probability(model, "P(colour != red | class=yes)"),
                1 - probability(model, "P(colour = red | class=yes)"), 1e-14);
    cr_answer_free(a);
    cr_model_free(model);
    free(d);
}

/* Names that mean several things, and bare ones that mean one. */
static void bare_names_must_be_unambiguous(void **state)
{
    static const char *const smokes[] = {"yes", "no", "yes", "no"};
    static const char *const drinks[] = {"yes", "yes", "no", "no"};
    static const char *const mood[] = {"good", "smokes", "good", "bad"};
    const cr_array arrays[] = {{.name = "smokes", .text = smokes},
                               {.name = "drinks", .text = drinks},
                               {.name = "mood", .text = mood}};
    cr_source *source;
    cr_model *model;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, 4, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "joint", NULL, 0, NULL, NULL, NULL), CR_OK);
    assert_near("P(good)", probability(model, "P(good)"), 0.5, 1e-15);
    assert_near("P(drinks | good)", probability(model, "P(good | drinks)"), 0.5, 1e-15);
    assert_near("P(not drinks, good)", probability(model, "P(not drinks, good)"), 0.25, 1e-15);
    assert_refused(model, "P(yes)", CR_EARG, 3, "a value of smokes, drinks", "smokes=yes");
    assert_refused(model, "P(good, smokes)", CR_EARG, 9, "a variable and a value: smokes, mood",
                   "mood=smokes");
    cr_source_close(source);
    cr_model_free(model);
}

/* --- size ----------------------------------------------------------------------------------- */

/* A model of many binary features; P(x_i = 1 | class) differ. */
static cr_model *wide_model(const char *learner, size_t features, size_t rows)
{
    cr_array *arrays = calloc(features + 1, sizeof *arrays);
    const char **text = calloc((features + 1) * rows, sizeof *text);
    char (*name)[12] = calloc(features + 1, sizeof *name);
    cr__random rng;
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    cr__random_seed(&rng, 77);
    for (size_t i = 0; i <= features; i++) {
        snprintf(name[i], sizeof name[i], i == features ? "class" : "x%zu", i);
        for (size_t r = 0; r < rows; r++)
            text[i * rows + r] = bits[i == features ? r & 1 : cr__random_below(&rng, 3 + r % 2) > 0];
        arrays[i] = (cr_array){.name = name[i], .text = text + i * rows,
                               .role = i == features ? CR_ROLE_TARGET : CR_ROLE_FEATURE};
    }
    assert_int_equal(cr_source_open_arrays(&source, arrays, features + 1, rows, NULL), CR_OK);
    if (cr_model_train(&model, source, learner, NULL, 0, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    free(arrays);
    free(text);
    free(name);
    return model;
}

/* A thousand terms: conjunctions, disjunctions and pairs take no longer than they are, and their
 * products do not underflow. */
static void long_expressions_take_linear_time(void **state)
{
    enum { FEATURES = 1000 };
    cr_model *model = wide_model("nb", FEATURES, 40);
    char *query = malloc(40 * FEATURES), *at = query;
    double log_p = 0, log_class[2];
    cr_answer *a;

    (void)state;
    at += sprintf(at, "P(");
    for (size_t i = 0; i < FEATURES; i++)
        at += sprintf(at, "%sx%zu=0", i == 0 ? "" : ", ", i);
    sprintf(at, ")");
    for (size_t c = 0; c < 2; c++) {
        log_class[c] = log(cr_model_prior(model, c));
        for (size_t i = 0; i < FEATURES; i++)
            log_class[c] += log(cr_model_probability(model, i, 0, c));
    }
    log_p = fmax(log_class[0], log_class[1]) +
            log1p(exp(-fabs(log_class[0] - log_class[1])));
    a = ask(model, query);
    assert_true(a->probability == 0); /* below the smallest double, */
    assert_near("its log", a->log_probability, log_p, 1e-12); /* but its log is there */
    cr_answer_free(a);
    at = query + sprintf(query, "P(class | not (");
    for (size_t i = 0; i < FEATURES; i += 2)
        at += sprintf(at, "%s(x%zu=0 and x%zu=1)", i == 0 ? "" : " or ", i, i + 1);
    sprintf(at, "))");
    for (size_t c = 0; c < 2; c++) {
        log_class[c] = log(cr_model_prior(model, c));
        for (size_t i = 0; i < FEATURES; i += 2)
            log_class[c] += log1p(-cr_model_probability(model, i, 0, c) *
                                  cr_model_probability(model, i + 1, 1, c));
    }
    a = ask(model, query);
    assert_near("pairs", a->p[0], 1 / (1 + exp(log_class[1] - log_class[0])), 1e-11);
    cr_answer_free(a);
    free(query);
    cr_model_free(model);
}

/* x0 belongs with x20, x1 with x21, …: in this order two to the twentieth cases stay open, and with
 * thirty pairs too many. */
static void what_would_take_too_long_is_refused_with_the_number(void **state)
{
    enum { PAIRS = 30 };
    cr_model *model = wide_model("nb", 2 * PAIRS, 40);
    char *query = malloc(80 * PAIRS), *at = query;

    (void)state;
    at += sprintf(at, "P((");
    for (size_t i = 0; i < PAIRS; i++)
        at += sprintf(at, "%sx%zu=0", i == 0 ? "" : " or ", i);
    at += sprintf(at, ") and (");
    for (size_t i = 0; i < PAIRS; i++)
        at += sprintf(at, "%s(x%zu=0 and x%zu=1)", i == 0 ? "" : " or ", i, i + PAIRS);
    sprintf(at, "))");
    assert_refused(model, query, CR_ELIMIT, 0, "ties 60 variables together: of 1.15e+18",
                   "next to each other");
    free(query);
    cr_model_free(model);
}

/* Twenty binary variables from a million rows, in well under a second. */
static void a_million_cells_are_asked_in_well_under_a_second(void **state)
{
    cr_model *model = wide_model("joint", 19, 1000000), *smooth;
    const char *const params[] = {"smoothing=laplace"};
    const char *query = "P(x0=1 or x1=1 and x2=0 | not (x3=1, x4=1), x5=1 or x6=0, class=1)";
    struct timespec begun, ended;
    cr_answer *a;

    (void)state;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
    a = ask(model, query);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    assert_true((double)(ended.tv_sec - begun.tv_sec) +
                    (double)(ended.tv_nsec - begun.tv_nsec) * 1e-9 < 1.0);
    /* the features are independent given the class, all with P(1 | class=1) = 3/4 */
    assert_near(query, a->probability, 0.75 + 0.25 * 0.75 * 0.25, 5e-3);
    cr_answer_free(a);
    smooth = model;
    assert_int_equal(cr_model_refit(smooth, params, 1, NULL), CR_OK);
    a = ask(smooth, query); /* 2^20 pseudo-counts: halfway to uniform; it must still be a number */
    assert_true(a->probability > 0.5 && a->probability < 0.9);
    cr_answer_free(a);
    cr_model_free(model);
}

/* --- evidence ------------------------------------------------------------------------------- */

/* By the chain rule of predictive probabilities: each row's probability given the ones before it.
 * Symbols with Laplace's rule, class by class; values and classes are known from the start. */
static void evidence_of_symbols_is_a_product_of_predictions(void **state)
{
    static const char *const x[] = {"a", "b", "a", "a", NULL, "b"};
    static const char *const class[] = {"p", "p", "q", "q", "q", "p"};
    const cr_array arrays[] = {{.name = "x", .text = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    double got, want = 0, n[2][2] = {{0}}, rows[2] = {0};
    cr_source *source;
    cr_model *model;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 6, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    for (size_t r = 0; r < 6; r++) {
        const size_t c = class[r][0] == 'q';

        want += log((rows[c] + 1) / (rows[0] + rows[1] + 2));
        rows[c]++;
        if (x[r] == NULL)
            continue;
        want += log((n[c][x[r][0] == 'b'] + 1) / (n[c][0] + n[c][1] + 2));
        n[c][x[r][0] == 'b']++;
    }
    assert_int_equal(cr_model_evidence(model, &got, NULL), CR_OK);
    assert_near("evidence", got, want, 1e-13);
    cr_source_close(source);
    cr_model_free(model);
}

/* With a variance for each class, each class is a sample of its own: cr_normal_estimate() gives the
 * same. */
static void evidence_of_numbers_is_that_of_the_samples(void **state)
{
    static const double x[] = {1, 3.5, 2, 4, 7, NAN};
    static const char *const class[] = {"a", "a", "b", "b", "b", "a"};
    const cr_array arrays[] = {{.name = "x", .real = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    const char *const own[] = {"variance=class-feature", "variance-estimate=mle", "mean-rows=0.5",
                               "variance-rows=3", "variance-floor=0", "prior=uniform"};
    const char *const tied[] = {"variance=feature"};
    const double within = (2 * 1.25 * 1.25 + 2 * 2 * 2 + 1.0 / 3 * 1.0 / 3 * 0 +
                           (2 - 13.0 / 3) * (2 - 13.0 / 3) + (4 - 13.0 / 3) * (4 - 13.0 / 3) +
                           (7 - 13.0 / 3) * (7 - 13.0 / 3) - 8) / 5;
    const cr_normal_prior prior = {17.5 / 5, 0.5, 1.5, 1.5 * within};
    double got, want = 6 * log(0.5);
    cr_source *source;
    cr_model *model;
    cr_sample sample;
    cr_normal normal;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 6, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", own, 6, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_sample_of(&sample, x, 2, NULL), CR_OK);
    assert_int_equal(cr_normal_estimate(&normal, &sample, &prior, NULL), CR_OK);
    want += normal.log_evidence;
    assert_int_equal(cr_sample_of(&sample, x + 2, 3, NULL), CR_OK);
    assert_int_equal(cr_normal_estimate(&normal, &sample, &prior, NULL), CR_OK);
    want += normal.log_evidence;
    assert_int_equal(cr_model_evidence(model, &got, NULL), CR_OK);
    assert_near("evidence", got, want, 1e-12);
    /* one variance for both: another number, and no NaN */
    assert_int_equal(cr_model_refit(model, tied, 1, NULL), CR_OK);
    assert_int_equal(cr_model_evidence(model, &got, NULL), CR_OK);
    assert_true(isfinite(got) && fabs(got - want) > 1e-3);
    cr_source_close(source);
    cr_model_free(model);
}

/* --- memory --------------------------------------------------------------------------------- */

static void running_out_of_memory_is_survived(void **state)
{
    const char *const params[] = {"smoothing=laplace"};
    const char *const queries[] = {
        "P(A=1 or B=1 and not C=1 | A in {0,1}, B=1 or C=0)", "P(A | B or C)",
        "argmax(class | x=1.5, y<0 or x<2, colour in {red, 'two words'})"};
    cr__random rng;
    cr_model *model[2];
    data *d;

    (void)state;
    cr__random_seed(&rng, 8);
    d = random_data(&rng);
    model[0] = abc_model();
    model[1] = random_model(d, "nb", NULL, 0, 1, 1);
    assert_int_equal(cr_model_refit(model[0], params, 1, NULL), CR_OK);
    for (size_t q = 0; q < 3; q++) {
        cr_status st = CR_ENOMEM;
        long n;

        for (n = 0; st != CR_OK && n < 2000; n++) {
            cr_answer *answer;

            cr__memory_fail_after = n;
            st = cr_query_run(model[q / 2], queries[q], &answer, NULL);
            cr__memory_fail_after = -1;
            assert_true(st == CR_ENOMEM || st == CR_OK);
            assert_true((answer == NULL) == (st != CR_OK));
            cr_answer_free(answer);
        }
        assert_true(n > 10 && n < 2000);
    }
    cr_model_free(model[0]);
    cr_model_free(model[1]);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_abc_table_gives_the_lectures_figures),
        cmocka_unit_test(the_census_table_gives_the_lectures_figures),
        cmocka_unit_test(operators_bind_as_they_should),
        cmocka_unit_test(depth_costs_no_stack),
        cmocka_unit_test(errors_point_at_the_character),
        cmocka_unit_test(a_condition_of_probability_zero_is_an_error),
        cmocka_unit_test(queries_on_naive_bayes_equal_brute_force),
        cmocka_unit_test(queries_on_joint_tables_equal_brute_force),
        cmocka_unit_test(observed_numbers_give_the_posterior_of_a_row),
        cmocka_unit_test(numbers_have_no_probability_but_intervals_have),
        cmocka_unit_test(predictive_intervals_are_students),
        cmocka_unit_test(rules_that_are_no_distribution_are_refused),
        cmocka_unit_test(a_value_never_seen_has_its_share_when_smoothed),
        cmocka_unit_test(bare_names_must_be_unambiguous),
        cmocka_unit_test(long_expressions_take_linear_time),
        cmocka_unit_test(what_would_take_too_long_is_refused_with_the_number),
        cmocka_unit_test(a_million_cells_are_asked_in_well_under_a_second),
        cmocka_unit_test(evidence_of_symbols_is_a_product_of_predictions),
        cmocka_unit_test(evidence_of_numbers_is_that_of_the_samples),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests_name("query", tests, NULL, NULL);
}
