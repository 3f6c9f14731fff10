/* tests/learners/test_gda.c - Gaussian discriminants: mergeable to ten digits, exact with missing
 * values, robust on data that have no covariance. Posteriors against scikit-learn:
 * cli/reference.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "credence/credence.h"
#include "support/gda.h"
#include "support/model_bytes.h"

enum { ROWS = 2000, REALS = 4, CLASSES = 3 };

/* Correlated reals around the mean of their class, far from 0, and a symbol. */
typedef struct table {
    double x[REALS][ROWS];
    const char *colour[ROWS], *class[ROWS];
} table;

static table *make_table(uint64_t seed, int missing)
{
    static const char *const classes[CLASSES] = {"a", "b", "c"};
    static const char *const colours[2] = {"red", "blue"};
    cr__random rng;
    table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&rng, CLASSES);
        double common = cr__random_normal(&rng);

        t->class[r] = classes[c];
        t->colour[r] = colours[cr__random_below(&rng, 3) > c];
        for (size_t i = 0; i < REALS; i++) {
            t->x[i][r] = 1e4 + (double)(c * i) + common * (double)(1 + c) + cr__random_normal(&rng);
            if (missing && cr__random_below(&rng, 6) == 0)
                t->x[i][r] = NAN;
        }
    }
    return t;
}

static cr_source *source_of(const table *t, size_t first, size_t count, size_t reals, int symbol)
{
    static const char *const name[REALS] = {"x0", "x1", "x2", "x3"};
    cr_array arrays[REALS + 2];
    size_t n = 0;
    cr_source *source;
    cr_error err = {0};

    for (size_t i = 0; i < reals; i++)
        arrays[n++] = (cr_array){.name = name[i], .real = t->x[i] + first, .role = CR_ROLE_FEATURE};
    if (symbol)
        arrays[n++] =
            (cr_array){.name = "colour", .text = t->colour + first, .role = CR_ROLE_FEATURE};
    arrays[n++] = (cr_array){.name = "class", .text = t->class + first, .role = CR_ROLE_TARGET};
    if (cr_source_open_arrays(&source, arrays, n, count, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_model *train(const table *t, size_t first, size_t count, int threads)
{
    return train_gda(source_of(t, first, count, REALS, 1), NULL, 0, threads);
}

static void classify(const cr_model *model, const table *t, size_t r, size_t reals,
                     const unsigned char *has, double *posterior)
{
    const cr_schema *schema = cr_model_schema(model);
    const size_t colour = cr_schema_find(schema, "colour");
    cr_row *row;
    int32_t decision;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t i = 0; i < reals; i++)
        if (has == NULL || has[i]) {
            char name[8];

            snprintf(name, sizeof name, "x%zu", i);
            assert_int_equal(cr_row_set_real(row, cr_schema_find(schema, name), t->x[i][r]), CR_OK);
        }
    if (colour != SIZE_MAX)
        cr_row_set_text(row, colour, t->colour[r]);
    assert_int_equal(cr_model_classify(model, row, posterior, &decision, NULL), CR_OK);
    cr_row_free(row);
}

static double farthest(const cr_model *a, const cr_model *b, const table *t)
{
    double worst = 0;

    for (size_t r = 0; r < 200; r++) {
        double p[CLASSES], q[CLASSES];

        classify(a, t, r, REALS, NULL, p);
        classify(b, t, r, REALS, NULL, q);
        for (size_t c = 0; c < CLASSES; c++)
            worst = fmax(worst, fabs(p[c] - q[c]));
    }
    return worst;
}

/* --- statistics ----------------------------------------------------------------------------- */

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    table *t = make_table(1, 1);
    cr_model *one = train(t, 0, ROWS, 1), *four = train(t, 0, ROWS, 4);

    (void)state;
    assert_same_model(one, four);
    cr_model_free(one);
    cr_model_free(four);
    free(t);
}

static void merging_and_unlearning_agree_with_one_pass(void **state)
{
    (void)state;
    for (int missing = 0; missing < 2; missing++) {
        table *t = make_table(2, missing);
        cr_model *all = train(t, 0, ROWS, 2), *a = train(t, 0, 700, 1);
        cr_model *b = train(t, 700, ROWS - 700, 1), *first = train(t, 0, 700, 1);
        cr_source *rest = source_of(t, 700, ROWS - 700, REALS, 1);
        cr_error err = {0};

        assert_int_equal(cr_model_merge(a, b, &err), CR_OK);
        assert_true(farthest(a, all, t) < 1e-10);
        if (cr_model_unlearn(all, rest, NULL, NULL, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_true(farthest(all, first, t) < 1e-10);
        cr_source_close(rest);
        cr_model_free(all);
        cr_model_free(a);
        cr_model_free(b);
        cr_model_free(first);
        free(t);
    }
}

static void a_saved_model_answers_the_same(void **state)
{
    table *t = make_table(3, 1);
    cr_model *model = train(t, 0, ROWS, 1), *loaded;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_save(model, "gda.model", &err), CR_OK);
    if (cr_model_load(&loaded, "gda.model", 0, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_true(farthest(model, loaded, t) == 0);
    assert_same_model(model, loaded);
    cr_model_free(model);
    cr_model_free(loaded);
    free(t);
}

/* --- posteriors ----------------------------------------------------------------------------- */

/* The marginal of a Gaussian fitted on four features is the Gaussian fitted on two of them. */
static void missing_values_are_integrated_out_exactly(void **state)
{
    static const char *const shared[] = {"covariance=shared"};
    const unsigned char has[REALS] = {1, 1, 0, 0};
    table *t = make_table(4, 0);

    (void)state;
    for (size_t knobs = 0; knobs < 2; knobs++) {
        cr_model *four = train_gda(source_of(t, 0, ROWS, 4, 0), shared, knobs, 1);
        cr_model *two = train_gda(source_of(t, 0, ROWS, 2, 0), shared, knobs, 1);

        for (size_t r = 0; r < 100; r++) {
            double p[CLASSES], q[CLASSES];

            classify(four, t, r, 4, has, p);
            classify(two, t, r, 2, NULL, q);
            for (size_t c = 0; c < CLASSES; c++)
                assert_true(fabs(p[c] - q[c]) < 1e-10);
        }
        cr_model_free(four);
        cr_model_free(two);
    }
    free(t);
}

typedef struct seen {
    size_t rows;
    double worst;
    const cr_model *model;
    const table *t;
} seen;

/* The posterior of an explanation, whose factors are chained, is that of the batch kernel. */
static cr_status compare_explanation(void *context, const cr_explanation *e)
{
    seen *s = context;
    double p[CLASSES];

    classify(s->model, s->t, s->rows++, REALS, NULL, p);
    for (size_t c = 0; c < e->classes; c++)
        s->worst = fmax(s->worst, fabs(p[c] - e->posterior[c]));
    return CR_OK;
}

static void explanations_add_up_to_the_score(void **state)
{
    static const char *const knobs[] = {"estimate=predictive"};
    table *t = make_table(5, 1);

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        cr_model *model = train_gda(source_of(t, 0, ROWS, REALS, 1), knobs, n, 1);
        cr_source *source = source_of(t, 0, 200, REALS, 1);
        seen s = {.model = model, .t = t};
        cr_error err = {0};

        if (cr_model_explain(model, source, NULL, compare_explanation, &s, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_int_equal(s.rows, 200);
        assert_true(s.worst < 1e-9);
        cr_source_close(source);
        cr_model_free(model);
    }
    free(t);
}

/* Two classes of one feature, by hand from Murphy 2007: 10 rows each around 0 and 4 with scatter
 * S = 82.5, k0 = 1, v0 = 3, m0 = 2, Ψ0 = (3 - 2) · 82.5/9. At x = 1. */
static void predictive_densities_integrate_mean_and_covariance_out(void **state)
{
    static const char *const knobs[] = {"estimate=predictive"};
    double x[20], p[2], expected;
    const char *class[20];
    const cr_array arrays[] = {{.name = "x", .real = x, .role = CR_ROLE_FEATURE},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model;
    cr_row *row;
    int32_t decision;
    double log_p[2];

    (void)state;
    for (int i = 0; i < 20; i++) {
        x[i] = i % 10 - 4.5 + (i < 10 ? 0 : 4);
        class[i] = i < 10 ? "low" : "high";
    }
    for (int c = 0; c < 2; c++) {
        const double n = 10, m = c == 0 ? 4 : 0, kn = 11, v = 3 + n;
        const double centre = (2 + n * m) / kn, psi = 82.5 / 9 + 82.5 + n / kn * (m - 2) * (m - 2);
        const double scale2 = psi * (kn + 1) / (kn * v), d = 1 - centre;

        log_p[c] = lgamma((v + 1) / 2) - lgamma(v / 2) - 0.5 * log(v * M_PI * scale2) -
                   (v + 1) / 2 * log1p(d * d / (v * scale2));
    }
    expected = 1 / (1 + exp(log_p[1] - log_p[0])); /* classes in order: high, low */
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 20, NULL), CR_OK);
    model = train_gda(source, knobs, 1, 1);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    cr_row_set_real(row, 0, 1);
    assert_int_equal(cr_model_classify(model, row, p, &decision, NULL), CR_OK);
    assert_true(fabs(p[0] - expected) < 1e-12);
    cr_row_free(row);
    cr_model_free(model);
}

static void a_shared_covariance_is_a_logistic_regression(void **state)
{
    static const char *const shared[] = {"covariance=shared"};
    table *t = make_table(6, 0);
    cr_model *model = train_gda(source_of(t, 0, ROWS, REALS, 1), shared, 1, 1);
    cr_model *weights = train_gda(source_of(t, 0, ROWS, REALS, 1), shared, 1, 1);
    cr_error err = {0};

    (void)state;
    if (cr_model_to_logistic(weights, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_true(farthest(model, weights, t) < 1e-10);
    cr_model_free(weights);
    weights = train(t, 0, ROWS, 1);
    assert_int_equal(cr_model_to_logistic(weights, &err), CR_ECONFLICT);
    cr_model_free(weights);
    cr_model_free(model);
    free(t);
}

/* --- data without a covariance -------------------------------------------------------------- */

/* Fit on columns of one row each; the remark that comes with it, or "". */
static cr_model *fit_odd(const double *const *x, size_t columns, const char *const *class,
                         size_t rows, char *remark, size_t size)
{
    cr_array arrays[8];
    char name[8][4];
    cr_source *source;
    cr_model *model;

    for (size_t i = 0; i < columns; i++) {
        snprintf(name[i], sizeof name[i], "x%u", (unsigned)i % 10);
        arrays[i] = (cr_array){.name = name[i], .real = x[i], .role = CR_ROLE_FEATURE};
    }
    arrays[columns] = (cr_array){.name = "class", .text = class, .role = CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(&source, arrays, columns + 1, rows, NULL), CR_OK);
    model = train_gda(source, NULL, 0, 1);
    if (cr_model_remark(model, 0, remark, size) != CR_OK)
        remark[0] = '\0';
    return model;
}

static void decide_all(const cr_model *model, const double *const *x, size_t columns, size_t rows,
                       const char *const *class)
{
    cr_row *row;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t r = 0; r < rows; r++) {
        double p[8], sum = 0;
        int32_t decision;

        for (size_t i = 0; i < columns; i++)
            cr_row_set_real(row, i, x[i][r]);
        assert_int_equal(cr_model_classify(model, row, p, &decision, NULL), CR_OK);
        for (size_t c = 0; c < cr_model_classes(model); c++)
            sum += p[c];
        assert_true(fabs(sum - 1) < 1e-9);
        assert_string_equal(cr_model_class(model, (size_t)decision), class[r]);
    }
    cr_row_free(row);
}

static const double up[8] = {0, 1, 2, 3, 10, 11, 12, 13};
static const double zigzag[8] = {1, 0, 1, 0, 1, 0, 1, 0};
static const double twice[8] = {0, 2, 4, 6, 20, 22, 24, 26};
static const double constant[8] = {7, 7, 7, 7, 7, 7, 7, 7};
static const double absent[8] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
static const char *const halves[8] = {"a", "a", "a", "a", "b", "b", "b", "b"};

static void collinear_columns_are_mended_and_told(void **state)
{
    const double *const x[] = {up, twice, zigzag};
    char remark[300];
    cr_model *model = fit_odd(x, 3, halves, 8, remark, sizeof remark);

    (void)state;
    assert_non_null(strstr(remark, "not of full rank"));
    decide_all(model, x, 3, 8, halves);
    cr_model_free(model);
}

static void columns_that_do_not_vary_are_left_out_and_told(void **state)
{
    const double *const x[] = {up, constant, absent};
    char remark[300];
    cr_model *model = fit_odd(x, 3, halves, 8, remark, sizeof remark);

    (void)state;
    assert_string_equal(remark, "'x1' does not vary and is left out");
    assert_int_equal(cr_model_remark(model, 1, remark, sizeof remark), CR_OK);
    assert_string_equal(remark, "'x2' does not vary and is left out");
    decide_all(model, x, 3, 8, halves);
    cr_model_free(model);
}

static void one_class_is_certain(void **state)
{
    static const char *const one[8] = {"a", "a", "a", "a", "a", "a", "a", "a"};
    const double *const x[] = {up, zigzag};
    char remark[300];
    cr_model *model = fit_odd(x, 2, one, 8, remark, sizeof remark);

    (void)state;
    decide_all(model, x, 2, 8, one);
    cr_model_free(model);
}

static void more_features_than_rows_still_decide(void **state)
{
    static const double square[8] = {0, 1, 4, 9, 100, 121, 144, 169};
    static const double wave[8] = {0, 1, 0, -1, 0, 2, 0, -2};
    const double *const x[] = {up, zigzag, twice, constant, square, wave};
    char remark[300];
    cr_model *model = fit_odd(x, 6, halves, 8, remark, sizeof remark);

    (void)state;
    decide_all(model, x, 6, 8, halves);
    cr_model_free(model);
}

/* A class of one row has no covariance of its own: it gets the shared one. */
static void a_class_of_one_row_shares_the_covariance(void **state)
{
    static const char *const lone[8] = {"a", "a", "a", "a", "a", "a", "a", "b"};
    static const double far[8] = {0, 1, 2, 3, 2, 1, 0, 40};
    const double *const x[] = {far, zigzag};
    char remark[300];
    cr_model *model = fit_odd(x, 2, lone, 8, remark, sizeof remark);

    (void)state;
    decide_all(model, x, 2, 8, lone);
    cr_model_free(model);
}

static void knobs_out_of_range_are_refused(void **state)
{
    static const char *const bad[] = {"pool=2", "shrinkage=1.5", "covariance=round",
                                      "covariance-rows=1", "shrinkage=cv"};
    table *t = make_table(7, 0);
    cr_model *model = train(t, 0, ROWS, 1);

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        const char *const params[] = {bad[i], "estimate=predictive"};

        assert_int_equal(cr_model_refit(model, params, i == 3 ? 2 : 1, NULL), CR_EARG);
    }
    cr_model_free(model);
    free(t);
}

/* --- the form that is chosen ------------------------------------------------------------------ */

/* Mean log loss over rows that were not learned. */
static double loss_on(const cr_model *model, const table *t, size_t first, size_t count)
{
    double sum = 0;

    for (size_t r = first; r < first + count; r++) {
        double p[CLASSES];

        classify(model, t, r, REALS, NULL, p);
        sum -= log(fmax(p[t->class[r][0] - 'a'], 1e-300));
    }
    return sum / (double)count;
}

/* Eight rows of a class are too few for ten covariances of its own; 600 are enough. */
static void few_rows_share_more_than_many(void **state)
{
    const char *const chosen[] = {"covariance=auto"}, *const shared[] = {"covariance=shared"};

    (void)state;
    for (uint64_t seed = 11; seed < 14; seed++) {
        table *t = make_table(seed, 0);
        cr_model *own = train(t, 0, 24, 1);
        cr_model *best = train_gda(source_of(t, 0, 24, REALS, 1), chosen, 1, 1);
        cr_model *many = train_gda(source_of(t, 0, 1800, REALS, 1), chosen, 1, 1);
        cr_model *tied = train_gda(source_of(t, 0, 1800, REALS, 1), shared, 1, 1);

        assert_true(loss_on(best, t, 1800, 200) < loss_on(own, t, 1800, 200));
        assert_true(loss_on(many, t, 1800, 200) < loss_on(tied, t, 1800, 200));
        cr_model_free(own);
        cr_model_free(best);
        cr_model_free(many);
        cr_model_free(tied);
        free(t);
    }
}

/* In the file, and when rows are learned and taken back; it cannot be chosen without rows. */
static void what_was_chosen_is_kept(void **state)
{
    const char *const chosen[] = {"covariance=auto"};
    table *t = make_table(15, 1);
    cr_model *model = train_gda(source_of(t, 0, 300, REALS, 1), chosen, 1, 1);
    cr_model *full = train(t, 0, 300, 1), *before, *loaded;
    cr_source *rest = source_of(t, 300, 500, REALS, 1);

    (void)state;
    assert_int_equal(cr_model_copy(&before, model, NULL), CR_OK);
    assert_int_equal(cr_model_save(model, "chosen.model", NULL), CR_OK);
    assert_int_equal(cr_model_load(&loaded, "chosen.model", 0, NULL), CR_OK);
    assert_same_model(model, loaded);
    assert_int_equal(cr_model_learn(loaded, rest, NULL, NULL, NULL), CR_OK);
    assert_true(farthest(loaded, before, t) > 1e-6);
    cr_source_close(rest);
    rest = source_of(t, 300, 500, REALS, 1);
    assert_int_equal(cr_model_unlearn(loaded, rest, NULL, NULL, NULL), CR_OK);
    assert_true(farthest(loaded, before, t) < 1e-9);
    assert_int_equal(cr_model_refit(full, chosen, 1, NULL), CR_EARG);
    cr_source_close(rest);
    cr_model_free(model);
    cr_model_free(full);
    cr_model_free(before);
    cr_model_free(loaded);
    free(t);
}

/* --- one level for all ------------------------------------------------------------------------ */

static void take_covariance(const cr_model *model, size_t class, double *out)
{
    size_t column[REALS];
    double mean[REALS];

    for (size_t i = 0; i < REALS; i++)
        column[i] = i;
    assert_int_equal(cr_model_normal(model, class, column, REALS, mean, out, NULL, NULL), CR_OK);
}

/* (1 - l) Σ_c + l (tr Σ / d) I with Σ the shared covariance, from the models without a level. */
static void a_level_adds_the_same_variance_to_all_classes(void **state)
{
    static const char *const levelled[] = {"level=0.4"}, *const one[] = {"covariance=shared"};
    static const char *const too_much[] = {"level=1.5"};
    static const char *const both[] = {"level=0.5", "estimate=predictive"};
    table *t = make_table(21, 0);
    cr_model *model = train_gda(source_of(t, 0, ROWS, REALS, 1), levelled, 1, 1);
    cr_model *full = train(t, 0, ROWS, 1);
    cr_model *shared = train_gda(source_of(t, 0, ROWS, REALS, 1), one, 1, 1);
    double S[REALS * REALS], C[REALS * REALS], L[REALS * REALS], trace = 0;

    (void)state;
    take_covariance(shared, 0, S);
    for (size_t i = 0; i < REALS; i++)
        trace += S[i * REALS + i];
    for (size_t c = 0; c < CLASSES; c++) {
        take_covariance(full, c, C);
        take_covariance(model, c, L);
        for (size_t i = 0; i < REALS * REALS; i++) {
            const double v = i % (REALS + 1) == 0 ? trace / REALS : 0;

            assert_true(fabs(L[i] - (0.6 * C[i] + 0.4 * v)) < 1e-10 * trace);
        }
    }
    assert_int_equal(cr_model_refit(model, too_much, 1, NULL), CR_EARG);
    assert_int_equal(cr_model_refit(model, both, 2, NULL), CR_EARG);
    cr_model_free(model);
    cr_model_free(full);
    cr_model_free(shared);
    free(t);
}

enum { POINTS = 90, PICTURES = 1200, PICTURE_CLASSES = 3 };

/* A wave of 90 points that begins anywhere; classes differ by its length. Their means are alike,
 * and their covariances of rank 2 with a little noise, so that neither one for all nor one of each
 * class will do as it is. */
static void draw_wave(uint64_t *seed, size_t class, double *x)
{
    const double phase = (double)(cr__splitmix64(seed) >> 11) * 0x1p-53;

    for (size_t i = 0; i < POINTS; i++) {
        const double noise = (double)(cr__splitmix64(seed) >> 11) * 0x1p-53;

        x[i] = cos(2 * M_PI * (phase + (double)(i * (class + 5)) / POINTS)) + noise;
    }
}

static void points_of_a_picture_are_levelled(void **state)
{
    static double x[POINTS][PICTURES];
    static const char *name[] = {"a", "b", "c"};
    static const char *const chosen[] = {"covariance=auto"}, *const shared[] = {
                                                                 "covariance=shared"};
    const char *class[PICTURES];
    char title[POINTS][8], remark[200] = "";
    cr_array arrays[POINTS + 1];
    cr_source *source[2];
    cr_model *model[2];
    double row[POINTS];
    uint64_t seed = 5;
    size_t right[2] = {0};

    (void)state;
    for (size_t r = 0; r < PICTURES; r++) {
        class[r] = name[r % PICTURE_CLASSES];
        draw_wave(&seed, r % PICTURE_CLASSES, row);
        for (size_t i = 0; i < POINTS; i++)
            x[i][r] = row[i];
    }
    for (size_t i = 0; i < POINTS; i++) {
        snprintf(title[i], sizeof title[i], "p%zu", i % 1000);
        arrays[i] = (cr_array){.name = title[i], .real = x[i], .role = CR_ROLE_FEATURE};
    }
    arrays[POINTS] = (cr_array){.name = "class", .text = class, .role = CR_ROLE_TARGET};
    for (size_t m = 0; m < 2; m++) {
        assert_int_equal(cr_source_open_arrays(&source[m], arrays, POINTS + 1, 900, NULL), CR_OK);
        model[m] = train_gda(source[m], m == 0 ? chosen : shared, 1, 1);
    }
    for (size_t i = 0; cr_model_remark(model[0], i, remark, sizeof remark) == CR_OK; i++)
        if (strstr(remark, "chosen") != NULL)
            break;
    assert_non_null(strstr(remark, "pool 0, shrinkage 0 and level 0."));
    for (size_t m = 0; m < 2; m++) {
        cr_row *r;

        assert_int_equal(cr_row_new(&r, model[m], NULL), CR_OK);
        for (size_t k = 900; k < PICTURES; k++) {
            double p[PICTURE_CLASSES];
            int32_t decision;

            for (size_t i = 0; i < POINTS; i++)
                cr_row_set_real(r, i, x[i][k]);
            assert_int_equal(cr_model_classify(model[m], r, p, &decision, NULL), CR_OK);
            right[m] += (size_t)decision == k % PICTURE_CLASSES;
        }
        cr_row_free(r);
        cr_model_free(model[m]);
    }
    assert_true(right[0] > right[1]);
}

/* --- wine, leave one out -------------------------------------------------------------------- */

enum { WINES = 178, CHEMICALS = 13 };

static int read_wine(double x[CHEMICALS][WINES], char class[WINES][4])
{
    const char *folder = getenv("CREDENCE_DATA");
    char path[1024], line[512];
    FILE *file;
    size_t r = 0;

    if (folder == NULL)
        return 0;
    snprintf(path, sizeof path, "%s/table/uci/wine.data", folder);
    if ((file = fopen(path, "r")) == NULL)
        return 0;
    while (r < WINES && fgets(line, sizeof line, file) != NULL) {
        char *at = line;

        snprintf(class[r], sizeof class[r], "%ld", strtol(at, &at, 10));
        for (size_t i = 0; i < CHEMICALS; i++)
            x[i][r] = strtod(at + 1, &at);
        r++;
    }
    fclose(file);
    return r == WINES;
}

/* Aeberhard, Coomans & de Vel 1992: of 178 wines, left out one by one, the linear discriminants
 * miss 2 and the quadratic ones 1. Each is taken out of the statistics and put back. */
static void wines_left_out_one_by_one(void **state)
{
    static double x[CHEMICALS][WINES];
    static char class[WINES][4], name[CHEMICALS][4];
    const char *text[WINES];
    cr_array arrays[CHEMICALS + 1], row_of[CHEMICALS + 1];
    const char *const knobs[2][1] = {{"covariance=shared"}, {"covariance=full"}};
    const int expected[2] = {2, 1};

    (void)state;
    if (!read_wine(x, class))
        skip();
    for (size_t r = 0; r < WINES; r++)
        text[r] = class[r];
    for (size_t i = 0; i < CHEMICALS; i++) {
        snprintf(name[i], sizeof name[i], "x%u", (unsigned)i % 100);
        arrays[i] = (cr_array){.name = name[i], .real = x[i], .role = CR_ROLE_FEATURE};
    }
    arrays[CHEMICALS] = (cr_array){.name = "class", .text = text, .role = CR_ROLE_TARGET};
    for (int k = 0; k < 2; k++) {
        cr_source *source;
        cr_model *model;
        int errors = 0;

        assert_int_equal(cr_source_open_arrays(&source, arrays, CHEMICALS + 1, WINES, NULL), CR_OK);
        model = train_gda(source, knobs[k], 1, 1);
        for (size_t r = 0; r < WINES; r++) {
            double p[3];
            int32_t decision;
            cr_row *row;

            memcpy(row_of, arrays, sizeof row_of);
            for (size_t i = 0; i < CHEMICALS; i++)
                row_of[i].real = x[i] + r;
            row_of[CHEMICALS].text = text + r;
            assert_int_equal(cr_source_open_arrays(&source, row_of, CHEMICALS + 1, 1, NULL), CR_OK);
            assert_int_equal(cr_model_unlearn(model, source, NULL, NULL, NULL), CR_OK);
            cr_source_close(source);
            assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
            for (size_t i = 0; i < CHEMICALS; i++)
                cr_row_set_real(row, i, x[i][r]);
            assert_int_equal(cr_model_classify(model, row, p, &decision, NULL), CR_OK);
            errors += strcmp(cr_model_class(model, (size_t)decision), class[r]) != 0;
            cr_row_free(row);
            assert_int_equal(cr_source_open_arrays(&source, row_of, CHEMICALS + 1, 1, NULL), CR_OK);
            assert_int_equal(cr_model_learn(model, source, NULL, NULL, NULL), CR_OK);
            cr_source_close(source);
        }
        assert_int_equal(errors, expected[k]);
        cr_model_free(model);
    }
}

/* P(class | part of a row) of a query is what the model predicts for it, whatever the covariance;
 * the mean of a number in a class is the class's. */
static void queries_agree_with_predictions(void **state)
{
    static const char *const forms[][1] = {
        {"covariance=full"}, {"covariance=shared"}, {"covariance=diagonal"}};
    table *t = make_table(5, 0);

    (void)state;
    for (size_t f = 0; f < 3; f++) {
        cr_model *model = train_gda(source_of(t, 0, ROWS, REALS, 1), forms[f], 1, 1);
        cr_gaussian g;
        cr_answer *a;

        for (size_t r = 0; r < 60; r++) {
            const unsigned char has[REALS] = {1, r % 2, r % 3 == 0, r % 5 != 0};
            char query[300] = "P(class | ";
            double p[CLASSES];

            for (size_t i = 0; i < REALS; i++)
                if (has[i])
                    sprintf(query + strlen(query), "x%zu=%.17g, ", i, t->x[i][r]);
            sprintf(query + strlen(query), "colour=%s)", t->colour[r]);
            classify(model, t, r, REALS, has, p);
            assert_int_equal(cr_query_run(model, query, &a, NULL), CR_OK);
            for (size_t c = 0; c < CLASSES; c++)
                assert_true(fabs(a->p[c] - p[c]) < 1e-9);
            cr_answer_free(a);
        }
        assert_int_equal(cr_query_run(model, "E(x2 | class=b)", &a, NULL), CR_OK);
        assert_int_equal(cr_model_gaussian(model, 2, 1, &g), CR_OK);
        assert_true(fabs(a->mean - g.fitted_mean) < 1e-7 &&
                    fabs(a->deviation - sqrt(g.fitted_variance)) < 1e-7);
        cr_answer_free(a);
        cr_model_free(model);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(merging_and_unlearning_agree_with_one_pass),
        cmocka_unit_test(a_saved_model_answers_the_same),
        cmocka_unit_test(missing_values_are_integrated_out_exactly),
        cmocka_unit_test(explanations_add_up_to_the_score),
        cmocka_unit_test(predictive_densities_integrate_mean_and_covariance_out),
        cmocka_unit_test(a_shared_covariance_is_a_logistic_regression),
        cmocka_unit_test(collinear_columns_are_mended_and_told),
        cmocka_unit_test(columns_that_do_not_vary_are_left_out_and_told),
        cmocka_unit_test(one_class_is_certain),
        cmocka_unit_test(more_features_than_rows_still_decide),
        cmocka_unit_test(a_class_of_one_row_shares_the_covariance),
        cmocka_unit_test(knobs_out_of_range_are_refused),
        cmocka_unit_test(few_rows_share_more_than_many),
        cmocka_unit_test(what_was_chosen_is_kept),
        cmocka_unit_test(a_level_adds_the_same_variance_to_all_classes),
        cmocka_unit_test(points_of_a_picture_are_levelled),
        cmocka_unit_test(wines_left_out_one_by_one),
        cmocka_unit_test(queries_agree_with_predictions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
