/* tests/ask/test_query_force.c - queries on random models equal brute force; long ones and large
 * tables take the expected time.
 */
#include "ask/asking.h"

#include <time.h>

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
    int cut; /* numbers are cut, and so compared by <= and > only */
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
        index /= CELLS;
    }
    return w;
}

/* Write a comparison to text, and its truth to truth[]. */
static int random_leaf(const space *s, cr__random *rng, char *text, unsigned char *truth)
{
    static const char *const ops[] = {"<", "<=", ">", ">="};
    const size_t variable = cr__random_below(rng, SYMBOLS + REALS);
    const char *name = cr_schema_name(cr_model_schema(s->model), variable);

    if (variable >= SYMBOLS) {
        const size_t i = variable - SYMBOLS, t = cr__random_below(rng, GRID);
        const size_t op = s->cut ? 1 + cr__random_below(rng, 2) : cr__random_below(rng, 4);

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
    return sprintf(text, "%s%s'%s'", name,
                   form == 0 ? "=" : "!=", cr_model_value(s->model, variable, v));
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
        snprintf(joined, TEXT,
                 op == 0   ? "(%s) and (%s)"
                 : op == 1 ? "(%s) or (%s)"
                           : "not (%s) or (%s)",
                 text, piece);
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

static space make_space(const cr_model *model, int cut)
{
    space s = {.model = model, .cut = cut, .size = 1};

    for (size_t i = 0; i < SYMBOLS; i++)
        s.size *= s.values[i] = cr_model_values(model, i);
    s.size *= CELLS * CELLS;
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

/* P(class) Π P(value | class) · Π P(cell | class). */
static double bayes_probability(const cr_model *model, world w)
{
    const size_t c = w.value[SYMBOLS - 1];
    double p = cr_model_prior(model, c);

    for (size_t i = 0; i < SYMBOLS - 1; i++)
        p *= cr_model_probability(model, i, w.value[i], c);
    for (size_t i = 0; i < REALS; i++) {
        const size_t column = SYMBOLS + i, cell = w.cell[i];

        p *= (cell == GRID ? 1 : below(model, column, c, grid[i][cell])) -
             (cell == 0 ? 0 : below(model, column, c, grid[i][cell - 1]));
    }
    return p;
}

static void queries_on_naive_bayes_equal_brute_force(void **state)
{
    const char *const settings[][1] = {{"smoothing=laplace"},    {"smoothing=none"},
                                       {"smoothing=m-estimate"}, {"smoothing=dirichlet"},
                                       {"prior=uniform"},        {"variance=class-feature"}};

    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        cr__random rng;
        cr__random_seed(&rng, seed);
        data *d = random_data(&rng);
        cr_model *model = random_model(d, "nb", settings[seed % 6], 1, 1, 1);
        space s = make_space(model, 0);

        for (size_t k = 0; k < s.size; k++)
            s.p[k] = bayes_probability(model, world_of(&s, k));
        compare_with_worlds(&s, &rng, 40);
        free(s.p);
        cr_model_free(model);
        free(d);
    }
}

/* The world of a row; SIZE_MAX when it lacks something. */
static size_t world_of_row(const space *s, const data *d, size_t r)
{
    size_t index = 0, base = 1;

    for (size_t i = 0; i < SYMBOLS; i++) {
        size_t v = 0;

        if (d->symbol[i][r] == NULL)
            return SIZE_MAX;
        while (strcmp(cr_model_value(s->model, i, v), d->symbol[i][r]) != 0)
            v++;
        index += v * base;
        base *= s->values[i];
    }
    for (size_t i = 0; i < REALS; i++) {
        size_t cell = 0;

        if (isnan(d->real[i][r]))
            return SIZE_MAX;
        while (cell < GRID && d->real[i][r] > grid[i][cell])
            cell++;
        index += cell * base;
        base *= CELLS;
    }
    return index;
}

static void queries_on_joint_tables_equal_brute_force(void **state)
{
    const struct {
        const char *setting;
        double pseudo;
    } settings[] = {{"smoothing=none", 0},
                    {"smoothing=laplace", 1},
                    {"smoothing=dirichlet", 1},
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
        for (size_t r = 0; r < ROWS; r++)
            if (world_of_row(&s, d, r) != SIZE_MAX)
                s.p[world_of_row(&s, d, r)]++;
        compare_with_worlds(&s, &rng, 40);
        free(s.p);
        cr_model_free(model);
        free(d);
    }
}
/* --- size ----------------------------------------------------------------------------------- */

/* A model of many binary features; P(x_i = 1 | class) differ. */
static cr_model *wide_model(const char *learner, size_t features, size_t rows)
{
    cr_array *arrays = calloc(features + 1, sizeof *arrays);
    const char **text = calloc((features + 1) * rows, sizeof *text);
    char(*name)[12] = calloc(features + 1, sizeof *name);
    cr__random rng;
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    cr__random_seed(&rng, 77);
    for (size_t i = 0; i <= features; i++) {
        snprintf(name[i], sizeof name[i], i == features ? "class" : "x%zu", i);
        for (size_t r = 0; r < rows; r++)
            text[i * rows + r] =
                bits[i == features ? r & 1 : cr__random_below(&rng, 3 + r % 2) > 0];
        arrays[i] = (cr_array){.name = name[i],
                               .text = text + i * rows,
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

/* A thousand terms: conjunctions, disjunctions and pairs take time proportional to their length,
 * and their products do not underflow. */
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
    log_p = fmax(log_class[0], log_class[1]) + log1p(exp(-fabs(log_class[0] - log_class[1])));
    a = ask(model, query);
    assert_true(a->probability == 0);                         /* below the smallest double, */
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

/* x0 belongs with x30, x1 with x31, …: after the first thirty, every combination of them is a case
 * of its own. */
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
                    (double)(ended.tv_nsec - begun.tv_nsec) * 1e-9 <
                1.0);
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
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_on_naive_bayes_equal_brute_force),
        cmocka_unit_test(queries_on_joint_tables_equal_brute_force),
        cmocka_unit_test(long_expressions_take_linear_time),
        cmocka_unit_test(what_would_take_too_long_is_refused_with_the_number),
        cmocka_unit_test(a_million_cells_are_asked_in_well_under_a_second),
    };
    return cmocka_run_group_tests_name("query by force", tests, NULL, NULL);
}
