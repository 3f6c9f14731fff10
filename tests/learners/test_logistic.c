/* tests/learners/test_logistic.c - logistic regression: the arithmetic, the solvers, the bridge.
 *
 * Derivatives are compared with differences, solvers with each other, converted models with the
 * models they come from, kernels with the plain ones. Figures of other programs are in
 * tests/reference and tests/cli/logistic.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "credence/credence.h"
#include "learners/logistic/kernel.h"
#include "learners/logistic/solve.h"
#include "model/model.h"
#include "support/model_bytes.h"

enum { ROWS = 300, MOST = 3, BLOCK = CR__LR_BLOCK };

static void assert_near(double found, double expected, double absolute)
{
    if (!(fabs(found - expected) <= absolute))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* --- data ------------------------------------------------------------------------------------- */

typedef struct table {
    double size[ROWS], weight[ROWS], age[ROWS];
    const char *colour[ROWS], *bit[ROWS], *text[ROWS], *class[ROWS];
    char texts[ROWS][64];
} table;

/* Classes that overlap; some values are missing. */
static table *random_table(uint64_t seed, size_t classes)
{
    static const char *const colours[] = {"red", "green", "blue", "grey"};
    static const char *const nouns[] = {"sun", "moon", "sea", "tree", "stone", "bird"};
    static const char *const names[] = {"high", "low", "mid"};
    cr__random rng;
    table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&rng, classes);

        snprintf(t->texts[r], sizeof t->texts[r], "%s %s %s %s",
                 nouns[(c + cr__random_below(&rng, 4)) % 6], nouns[cr__random_below(&rng, 6)],
                 nouns[cr__random_below(&rng, 6)], nouns[cr__random_below(&rng, 6)]);
        t->text[r] = cr__random_below(&rng, 15) == 0 ? NULL : t->texts[r];
        t->class[r] = names[c];
        t->colour[r] =
            cr__random_below(&rng, 9) == 0 ? NULL : colours[(c + cr__random_below(&rng, 3)) % 4];
        t->bit[r] = cr__random_below(&rng, 3 + c) == 0 ? "1" : "0";
        t->size[r] = cr__random_below(&rng, 9) == 0 ? NAN : (double)c + 2 * cr__random_normal(&rng);
        t->age[r] = 40 + 10 * cr__random_normal(&rng) - (double)c;
        t->weight[r] = 1 + (double)cr__random_below(&rng, 3);
    }
    return t;
}

enum { REALS = 1, SYMBOLS = 2, TEXT = 4, WEIGHT = 8, ALL = REALS | SYMBOLS | TEXT };

static cr_source *source_of(const table *t, size_t first, size_t count, int columns)
{
    cr_array arrays[7];
    size_t n = 0;
    cr_source *source;
    cr_error err = {0};

    if (columns & REALS) {
        arrays[n++] = (cr_array){.name = "size", .real = t->size + first};
        arrays[n++] = (cr_array){.name = "age", .real = t->age + first};
    }
    if (columns & SYMBOLS) {
        arrays[n++] = (cr_array){.name = "colour", .text = t->colour + first};
        arrays[n++] = (cr_array){.name = "bit", .text = t->bit + first, .kind = CR_SYMBOL};
    }
    if (columns & TEXT)
        arrays[n++] = (cr_array){.name = "text", .text = t->text + first, .kind = CR_BAG};
    if (columns & WEIGHT)
        arrays[n++] = (cr_array){.name = "w", .real = t->weight + first, .role = CR_ROLE_WEIGHT};
    arrays[n++] = (cr_array){.name = "class", .text = t->class + first, .role = CR_ROLE_TARGET};
    if (cr_source_open_arrays(&source, arrays, n, count, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

/* Knobs are separated by blanks. */
static cr_model *train(const table *t, size_t first, size_t count, int columns, const char *learner,
                       const char *knobs, int threads)
{
    cr_source *source = source_of(t, first, count, columns);
    const cr_run run = {.threads = threads};
    char copy[400];
    const char *params[16];
    size_t n = 0;
    cr_model *model = NULL;
    cr_error err = {0};

    snprintf(copy, sizeof copy, "%s", knobs);
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " "))
        params[n++] = at;
    if (cr_model_train(&model, source, learner, params, n, &run, NULL, &err) != CR_OK)
        fail_msg("%s (%s)", err.message, err.hint);
    cr_source_close(source);
    return model;
}

typedef struct answers {
    double posterior[ROWS][MOST];
    size_t rows;
} answers;

static cr_status take(void *context, const cr_predictions *p)
{
    answers *a = context;

    for (size_t r = 0; r < p->rows; r++, a->rows++)
        for (size_t c = 0; c < p->classes; c++)
            a->posterior[a->rows][c] = p->posterior[r * p->classes + c];
    return CR_OK;
}

static answers *answers_of(const cr_model *model, const table *t, int columns)
{
    cr_source *source = source_of(t, 0, ROWS, columns);
    answers *a = calloc(1, sizeof *a);
    const cr_sink sink = {.visit = take, .context = a};
    cr_error err = {0};

    assert_non_null(a);
    if (cr_model_predict(model, source, NULL, &sink, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    assert_int_equal(a->rows, ROWS);
    return a;
}

static double largest_difference(const cr_model *x, const cr_model *y, const table *t, int columns)
{
    answers *a = answers_of(x, t, columns), *b = answers_of(y, t, columns);
    double most = 0;

    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < MOST; c++)
            most = fmax(most, fabs(a->posterior[r][c] - b->posterior[r][c]));
    free(a);
    free(b);
    return most;
}

static cr_fit fit_of(const cr_model *model)
{
    cr_fit fit;

    assert_int_equal(cr_model_fit(model, &fit), CR_OK);
    return fit;
}

/* --- kernels ---------------------------------------------------------------------------------- */

static void kernels_of_all_processors_give_the_same_bits(void **state)
{
    const cr__lr_kernel *best = cr__lr_kernel_best(), *plain = cr__lr_kernel_plain();
    enum { DENSE = 7, SETS = 5 };
    static double x[DENSE * BLOCK], w[DENSE * SETS], a[SETS * BLOCK], b[SETS * BLOCK];
    double value[BLOCK], framed[2][BLOCK];
    double top[2][BLOCK], total[2][BLOCK], g[2][DENSE * SETS] = {{0}};
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 1);
    for (size_t i = 0; i < DENSE * BLOCK; i++)
        x[i] = cr__random_normal(&rng);
    for (size_t i = 0; i < DENSE * SETS; i++)
        w[i] = 3 * cr__random_normal(&rng);
    for (size_t r = 0; r < BLOCK; r++)
        value[r] = r % 5 == 0 ? NAN : x[r];
    best->frame(value, 0.3, 1.7, framed[0]);
    plain->frame(value, 0.3, 1.7, framed[1]);
    assert_memory_equal(framed[0], framed[1], sizeof value);
    for (size_t r = 0; r < BLOCK; r++)
        assert_true(framed[0][r] == (r % 5 == 0 ? 0 : (x[r] - 0.3) * 1.7));
    for (size_t sets = 1; sets <= SETS; sets++) {
        for (size_t i = 0; i < SETS * BLOCK; i++)
            a[i] = b[i] = (double)i / 100;
        best->forward(x, DENSE, w, sets, a);
        plain->forward(x, DENSE, w, sets, b);
        assert_memory_equal(a, b, sizeof a);
        best->softmax(a, sets, sets == 1, top[0], total[0]);
        plain->softmax(b, sets, sets == 1, top[1], total[1]);
        assert_memory_equal(a, b, sizeof a);
        assert_memory_equal(top[0], top[1], sizeof top[0]);
        assert_memory_equal(total[0], total[1], sizeof total[0]);
        best->backward(x, DENSE, a, sets, g[0]);
        plain->backward(x, DENSE, b, sets, g[1]);
        assert_memory_equal(g[0], g[1], sizeof g[0]);
    }
}

static void sparse_sums_are_those_of_a_plain_loop(void **state)
{
    enum { ROWS_OF = 50, WIDEST = 35, N = 23 };
    static double w[ROWS_OF * WIDEST];
    const cr__lr_kernel *kernel[2] = {cr__lr_kernel_best(), cr__lr_kernel_plain()};
    uint32_t index[N];
    double value[N];
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 8);
    for (size_t i = 0; i < ROWS_OF * WIDEST; i++)
        w[i] = cr__random_normal(&rng);
    for (size_t k = 0; k < N; k++) {
        index[k] = (uint32_t)cr__random_below(&rng, ROWS_OF);
        value[k] = cr__random_normal(&rng);
    }
    for (size_t sets = 1; sets <= WIDEST; sets++)
        for (int i = 0; i < 4; i++) {
            const double *x = i % 2 == 0 ? value : NULL;
            double sum[WIDEST] = {0};

            kernel[i / 2]->gather(index, x, N, w, sets, sum);
            for (size_t s = 0; s < sets; s++) {
                double expected = 0;

                for (size_t k = 0; k < N; k++)
                    expected += w[index[k] * sets + s] * (x == NULL ? 1 : x[k]);
                assert_true(sum[s] == expected);
            }
        }
}

static void the_exponential_is_that_of_the_library_to_three_units(void **state)
{
    double score[BLOCK], top[BLOCK], total[BLOCK];
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 2);
    for (int round = 0; round < 2000; round++) {
        double was[BLOCK];

        for (size_t r = 0; r < BLOCK; r++)
            was[r] = score[r] = -700 * cr__random_uniform(&rng) * cr__random_uniform(&rng);
        cr__lr_kernel_best()->softmax(score, 1, 1, top, total);
        for (size_t r = 0; r < BLOCK; r++)
            assert_near(score[r] / exp(was[r]), 1, 7e-16);
    }
}

/* --- the objective ---------------------------------------------------------------------------- */

typedef struct workshop {
    cr_model *model; /* for its statistics */
    cr__lr_design design;
    cr__lr_shape shape;
    cr__lr_objective objective;
    double *x, *weight; /* x: feature by feature */
    uint32_t *label;
    cr__lr_real real[8];
    size_t all;
} workshop;

/* A design of random dense rows. */
static workshop *open_workshop(size_t rows, size_t dense, size_t classes, size_t first_class,
                               uint64_t seed)
{
    workshop *w = calloc(1, sizeof *w);
    const size_t blocks = (rows + BLOCK - 1) / BLOCK;
    cr__random rng;

    assert_non_null(w);
    cr__random_seed(&rng, seed);
    w->shape = (cr__lr_shape){.classes = classes,
                              .sets = classes - first_class,
                              .first_class = first_class,
                              .reals = dense,
                              .dense = dense,
                              .features = dense};
    w->x = calloc(blocks * BLOCK * dense, sizeof *w->x);
    w->weight = calloc(blocks * BLOCK, sizeof *w->weight);
    w->label = calloc(blocks * BLOCK, sizeof *w->label);
    for (size_t i = 0; i < blocks * BLOCK * dense; i++)
        w->x[i] = cr__random_normal(&rng);
    for (size_t r = 0; r < rows; r++) {
        w->weight[r] = 1 + (double)cr__random_below(&rng, 2);
        w->label[r] = (uint32_t)cr__random_below(&rng, classes);
        w->design.total += w->weight[r];
    }
    w->design.shape = &w->shape;
    w->design.rows = rows;
    w->design.blocks = blocks;
    for (size_t j = 0; j < dense; j++)
        w->real[j] = (cr__lr_real){.value = w->x + j * rows, .inverse = 1};
    w->design.real = w->real;
    w->design.label = w->label;
    w->design.weight = w->weight;
    assert_int_equal(cr__lr_objective_open(&w->objective, &w->design, NULL, NULL, NULL), CR_OK);
    w->all = cr__lr_parameters(&w->shape);
    return w;
}

static void close_workshop(workshop *w)
{
    cr__lr_objective_close(&w->objective);
    free(w->x);
    free(w->weight);
    free(w->label);
    free(w);
}

static void derivatives_are_the_limits_of_differences(void **state)
{
    (void)state;
    for (size_t form = 0; form < 2; form++) {
        workshop *w = open_workshop(150, 3, 3, form, 5 + form);
        double theta[12], g[12], up[12], down[12], diagonal[12], hessian[144], precision[12];
        double slope[12];
        cr__lr_expansion expansion = {.gradient = slope, .hessian = hessian};
        const double step = 1e-5;

        for (size_t p = 0; p < w->all; p++) {
            theta[p] = 0.3 * sin((double)p);
            precision[p] = 0.5 + (double)p / 10;
        }
        w->objective.precision = precision;
        cr__lr_evaluate(&w->objective, theta, g);
        cr__lr_curvature(&w->objective, theta, diagonal);
        assert_int_equal(cr__lr_expand(&w->objective, theta, 1, &expansion, NULL), CR_OK);
        for (size_t p = 0; p < w->all; p++)
            assert_near(expansion.gradient[p], g[p], 1e-11);
        assert_near(expansion.value, cr__lr_evaluate(&w->objective, theta, g), 1e-11);
        for (size_t p = 0; p < w->all; p++) {
            const double was = theta[p];
            double f_up, f_down;

            theta[p] = was + step;
            f_up = cr__lr_evaluate(&w->objective, theta, up);
            theta[p] = was - step;
            f_down = cr__lr_evaluate(&w->objective, theta, down);
            theta[p] = was;
            assert_near(g[p], (f_up - f_down) / (2 * step), 1e-6);
            for (size_t q = 0; q < w->all; q++)
                assert_near(hessian[q * w->all + p], (up[q] - down[q]) / (2 * step), 1e-5);
            assert_near(diagonal[p], hessian[p * w->all + p], 1e-10);
        }
        close_workshop(w);
    }
}

/* Where rows are many, Newton's method begins on samples of them and takes second derivatives from
 * one; with rare ones of much weight, whose second derivatives are in no sample, it must notice. */
static void newton_by_samples_ends_where_lbfgs_does(void **state)
{
    (void)state;
    for (size_t round = 0; round < 4; round++) {
        const size_t form = round % 2;
        workshop *w = open_workshop(30000, 3, 3, form, 50 + round);
        double found[2][12] = {{0}}, precision[12];
        cr__random rng;

        cr__random_seed(&rng, round);
        for (size_t r = 0; r < 30000; r++) {
            if (round >= 2 && r % 1000 == 999) {
                w->design.total += 500 - w->weight[r];
                w->weight[r] = 500;
                w->x[r] *= 5;
            }
            w->label[r] = w->x[r] + 0.5 * cr__random_normal(&rng) > 0.3 ? 2 : w->label[r] % 2;
        }
        w->objective.total = w->design.total;
        for (size_t p = 0; p < w->all; p++)
            precision[p] = p < w->shape.sets ? 0 : 1;
        w->objective.precision = precision;
        for (unsigned k = 0; k < 2; k++) {
            cr__lr_search search = {
                .objective = &w->objective, .theta = found[k], .epsilon = 1e-9, .most = 100};

            assert_int_equal(cr__lr_solve(&search, k == 0 ? CR__LR_LBFGS : CR__LR_NEWTON, NULL),
                             CR_OK);
            assert_true(search.converged);
            assert_true(k == 0 || search.iterations < 15);
        }
        for (size_t p = 0; p < w->all; p++) {
            double shift = 0; /* the softmax form leaves the sum of intercepts open */

            for (size_t s = 0; form == 0 && p < w->shape.sets && s < w->shape.sets; s++)
                shift += (found[1][s] - found[0][s]) / (double)w->shape.sets;
            assert_near(found[1][p] - shift, found[0][p], 1e-6);
        }
        close_workshop(w);
    }
}

/* --- training --------------------------------------------------------------------------------- */

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    table *t = random_table(3, 3);

    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        const int columns = ALL | (weighted ? WEIGHT : 0);
        cr_model *one = train(t, 0, ROWS, columns, "logistic", "weight=tfidf length-norm=l2", 1);
        cr_model *three = train(t, 0, ROWS, columns, "logistic", "weight=tfidf length-norm=l2", 3);

        assert_same_model(one, three);
        cr_model_free(one);
        cr_model_free(three);
    }
    free(t);
}

static void solvers_and_forms_find_the_same_maximum(void **state)
{
    table *t = random_table(4, 3);
    cr_model *lbfgs = train(t, 0, ROWS, ALL, "logistic", "epsilon=1e-11", 1);
    cr_model *newton = train(t, 0, ROWS, ALL, "logistic", "solver=newton epsilon=1e-11", 1);
    cr_model *gradient =
        train(t, 0, ROWS, ALL, "logistic", "solver=gradient epsilon=1e-14 iterations=20000", 1);

    (void)state;
    assert_true(fit_of(lbfgs).converged && fit_of(newton).converged);
    assert_true(largest_difference(lbfgs, newton, t, ALL) < 1e-6);
    assert_true(largest_difference(lbfgs, gradient, t, ALL) < 1e-4);
    cr_model_free(lbfgs);
    cr_model_free(newton);
    cr_model_free(gradient);
    /* Without a prior both forms have the same likelihood, and so the same posterior. */
    lbfgs = train(t, 0, ROWS, REALS | SYMBOLS, "logistic",
                  "prior=none form=softmax coding=reference epsilon=1e-9", 1);
    newton = train(t, 0, ROWS, REALS | SYMBOLS, "logistic",
                   "prior=none form=reference coding=reference epsilon=1e-9", 1);
    assert_true(largest_difference(lbfgs, newton, t, REALS | SYMBOLS) < 1e-6);
    cr_model_free(lbfgs);
    cr_model_free(newton);
    free(t);
}

/* w ← w + η (Σ x (y - P) - λ w) can only climb when the step is safe. */
static void gradient_ascent_climbs_at_each_step(void **state)
{
    table *t = random_table(5, 2);
    cr_model *model =
        train(t, 0, ROWS, ALL, "logistic", "solver=gradient prior=none trace=yes iterations=50", 1);
    const cr_fit fit = fit_of(model);

    (void)state;
    assert_int_equal(fit.steps, 51);
    assert_near(fit.trace[0], -ROWS * log(2), 1e-9);
    for (size_t i = 1; i < fit.steps; i++)
        assert_true(fit.trace[i] >= fit.trace[i - 1]);
    assert_near(fit.trace[50], fit.log_likelihood, 1e-12);
    cr_model_free(model);
    free(t);
}

/* At a maximum under a Laplace prior the likelihood's slope is λ against every weight that is not
 * 0, and no more than λ at those that are. */
static void a_laplace_prior_leaves_weights_at_zero(void **state)
{
    table *t = random_table(6, 2);
    cr_model *strong =
        train(t, 0, ROWS, ALL, "logistic", "prior=laplace lambda=12 epsilon=1e-8", 1);
    cr_model *weak = train(t, 0, ROWS, ALL, "logistic", "prior=laplace lambda=0.1 epsilon=1e-7", 1);
    size_t zeros[2] = {0, 0};
    cr_weight w;

    (void)state;
    for (size_t v = 0; v < 6; v++) {
        assert_int_equal(cr_model_weight(strong, 4, v, 1, &w), CR_OK);
        zeros[0] += w.weight == 0;
        assert_int_equal(cr_model_weight(weak, 4, v, 1, &w), CR_OK);
        zeros[1] += w.weight == 0;
    }
    assert_true(fit_of(strong).converged);
    assert_true(zeros[0] > zeros[1]);
    cr_model_free(strong);
    cr_model_free(weak);
    free(t);
}

static void weights_of_rows_count_like_copies(void **state)
{
    table *t = random_table(7, 2);
    cr_model *weighted = train(t, 0, 100, REALS | WEIGHT, "logistic", "epsilon=1e-11", 1);
    cr_model *copied;
    table *more = calloc(1, sizeof *more);
    size_t n = 0;

    (void)state;
    for (size_t r = 0; r < 100; r++)
        for (int k = 0; k < (int)t->weight[r]; k++, n++) {
            more->size[n] = t->size[r];
            more->age[n] = t->age[r];
            more->class[n] = t->class[r];
        }
    copied = train(more, 0, n, REALS, "logistic", "epsilon=1e-11", 1);
    assert_true(largest_difference(weighted, copied, t, REALS) < 1e-8);
    cr_model_free(weighted);
    cr_model_free(copied);
    free(t);
    free(more);
}

/* At the maximum of Σ ln P(class | row) - λ/2 Σ (w - m)² the derivative by each weight is 0:
 * Σ x (y - p) = λ (w - m), worked out here row by row, with the weights as they are shown. */
static void a_prior_has_its_mean(void **state)
{
    table *t = random_table(12, 2);
    cr_model *model;
    cr_row *row;
    double posterior[2], slope[2] = {0}, at[2], weight[2], mean[2] = {0.5, -0.25};
    int32_t decision;

    (void)state;
    for (size_t r = 0; r < ROWS; r++)
        if (isnan(t->size[r]))
            t->size[r] = 0;
    model = train(t, 0, ROWS, REALS, "logistic",
                  "prior-mean=size:0.5,age:-0.25 standardise=no lambda=20 epsilon=1e-12", 1);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t r = 0; r < ROWS; r++) {
        cr_row_set_real(row, 0, t->size[r]);
        cr_row_set_real(row, 1, t->age[r]);
        cr_model_classify(model, row, posterior, &decision, NULL);
        const double y = strcmp(t->class[r], cr_model_class(model, 1)) == 0;

        slope[0] += t->size[r] * (y - posterior[1]);
        slope[1] += t->age[r] * (y - posterior[1]);
    }
    /* The weight of a number: how much the log-odds grow with it. */
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 2; k++) {
            cr_row_set_real(row, 0, i == 0 ? (double)k : 0);
            cr_row_set_real(row, 1, 40 + (i == 1 ? (double)k : 0));
            cr_model_classify(model, row, posterior, &decision, NULL);
            at[k] = log(posterior[1] / posterior[0]);
        }
        weight[i] = at[1] - at[0];
        assert_near(slope[i], 20 * (weight[i] - mean[i]), 1e-6);
    }
    cr_row_free(row);
    cr_model_free(model);
    free(t);
}

static void lambda_by_cross_validation_depends_on_the_seed_alone(void **state)
{
    table *t = random_table(8, 2);
    cr_model *a = train(t, 0, ROWS, ALL, "logistic", "lambda=auto", 1);
    cr_model *b = train(t, 0, ROWS, ALL, "logistic", "lambda=auto", 2);

    (void)state;
    assert_same_model(a, b);
    assert_true(fit_of(a).lambda >= 1e-4 && fit_of(a).lambda <= 1e4);
    cr_model_free(a);
    cr_model_free(b);
    free(t);
}

/* --- going on --------------------------------------------------------------------------------- */

/* The posterior of the first half is the prior of the second: near to all at once, and nearer than
 * the first half alone. */
static void learning_goes_on_from_the_posterior(void **state)
{
    table *t = random_table(9, 3);
    cr_model *all = train(t, 0, ROWS, ALL, "logistic", "", 1);
    cr_model *half = train(t, 0, ROWS / 2, ALL, "logistic", "", 1);
    const double before = largest_difference(all, half, t, ALL);
    cr_source *rest = source_of(t, ROWS / 2, ROWS / 2, ALL);
    cr_error err = {0};
    cr_weight x, y;

    (void)state;
    if (cr_model_learn(half, rest, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(rest);
    assert_true(largest_difference(all, half, t, ALL) < before / 2);
    cr_model_weight(all, 1, 0, 1, &x);
    cr_model_weight(half, 1, 0, 1, &y);
    assert_near(x.error, y.error, 0.2 * x.error);
    cr_model_free(all);
    cr_model_free(half);
    free(t);
}

static void knobs_that_need_the_rows_cannot_be_turned(void **state)
{
    table *t = random_table(10, 2);
    cr_model *model = train(t, 0, ROWS, ALL, "logistic", "", 1);
    const char *lambda = "lambda=2", *moderate = "moderate=yes";
    answers *before = answers_of(model, t, ALL), *after;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_refit(model, &lambda, 1, &err), CR_EARG);
    assert_non_null(strstr(err.message, "lambda is fixed at training"));
    assert_int_equal(cr_model_refit(model, &moderate, 1, &err), CR_OK);
    after = answers_of(model, t, ALL);
    /* Averaging over the weights' uncertainty draws every answer toward one half. */
    for (size_t r = 0; r < ROWS; r++) {
        const double p = before->posterior[r][0] - 0.5, q = after->posterior[r][0] - 0.5;

        assert_true(p * q >= 0 && fabs(q) <= fabs(p));
    }
    free(before);
    free(after);
    cr_model_free(model);
    free(t);
}

/* --- the bridge ------------------------------------------------------------------------------- */

static void expect_bridge(const table *t, int columns, const char *knobs)
{
    cr_model *from = train(t, 0, ROWS, columns, "nb", knobs, 1);
    cr_model *to = train(t, 0, ROWS, columns, "nb", knobs, 1);
    cr_error err = {0};
    double most;

    if (cr_model_to_logistic(to, &err) != CR_OK)
        fail_msg("%s: %s", knobs, err.message);
    assert_string_equal(cr_model_learner(to), "logistic");
    if ((most = largest_difference(from, to, t, columns)) > 1e-12)
        fail_msg("%s: the posteriors differ by %g", knobs, most);
    cr_model_free(from);
    cr_model_free(to);
}

static void naive_bayes_is_a_logistic_regression_where_it_is_linear(void **state)
{
    static const char *const knobs[] = {"",
                                        "variance=shared",
                                        "variance=feature smoothing=m-estimate unseen=smooth",
                                        "event=bernoulli alpha=0.5",
                                        "event=boolean",
                                        "event=complement",
                                        "event=weighted-complement",
                                        "weight=tfidf length-norm=l2",
                                        "text-smoothing=jelinek-mercer",
                                        "text-smoothing=dirichlet mu=10 select=chi2:4"};

    (void)state;
    for (uint64_t seed = 20; seed < 24; seed++) {
        table *t = random_table(seed, 2 + seed % 2);

        for (size_t k = 0; k < sizeof knobs / sizeof *knobs; k++)
            expect_bridge(t, ALL, knobs[k]);
        free(t);
    }
}

/* Two classes, one real feature: w = (μ1 - μ0) / σ² and w0 = ln(π1/π0) + (μ0² - μ1²) / (2σ²), the
 * lectures' formula with the classes in this order. */
static void the_weights_are_those_of_the_lectures(void **state)
{
    table *t = random_table(11, 2);
    cr_model *model = train(t, 0, ROWS, REALS, "nb", "variance=feature", 1);
    cr_gaussian low, high;
    double odds, w, w0 = 0;
    cr_weight found;
    cr_error err;

    (void)state;
    odds = log(cr_model_prior(model, 1) / cr_model_prior(model, 0));
    for (size_t i = 0; i < 2; i++) {
        cr_model_gaussian(model, i, 0, &low);
        cr_model_gaussian(model, i, 1, &high);
        w0 += (low.fitted_mean * low.fitted_mean - high.fitted_mean * high.fitted_mean) /
              (2 * low.fitted_variance);
        w = (high.fitted_mean - low.fitted_mean) / low.fitted_variance;
    }
    assert_int_equal(cr_model_to_logistic(model, &err), CR_OK);
    assert_int_equal(cr_model_weight(model, 1, 0, 1, &found), CR_OK);
    assert_near(found.weight, w, 1e-12);
    assert_int_equal(cr_model_weight(model, SIZE_MAX, 0, 1, &found), CR_OK);
    assert_near(found.weight, odds + w0, 1e-9);
    assert_int_equal(cr_model_to_logistic(model, &err), CR_ECONFLICT);
    cr_model_free(model);
    free(t);
}

static void a_boundary_that_is_not_linear_is_refused(void **state)
{
    static const struct {
        const char *knobs, *why;
    } cases[] = {{"variance=class-feature", "different variances"},
                 {"gaussian=predictive", "Student t"},
                 {"real=bins:width:4", "intervals"},
                 {"prior=high:0,low:1", "probability zero"}};
    table *t = random_table(12, 2);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_model *model = train(t, 0, ROWS, ALL, "nb", cases[i].knobs, 1);
        cr_error err = {0};

        assert_int_equal(cr_model_to_logistic(model, &err), CR_ECONFLICT);
        assert_non_null(strstr(err.message, cases[i].why));
        assert_string_equal(cr_model_learner(model), "nb");
        cr_model_free(model);
    }
    free(t);
}

/* A converted model has no posterior; the knobs' prior stands around its weights. */
static void a_converted_model_can_learn_more(void **state)
{
    table *t = random_table(13, 2);
    cr_model *model = train(t, 0, ROWS / 2, ALL, "nb", "", 1);
    cr_source *rest = source_of(t, ROWS / 2, ROWS / 2, ALL);
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_to_logistic(model, &err), CR_OK);
    assert_true(fit_of(model).converted);
    if (cr_model_learn(model, rest, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_false(fit_of(model).converted);
    assert_true(fit_of(model).converged);
    cr_source_close(rest);
    cr_model_free(model);
    free(t);
}

/* --- files ------------------------------------------------------------------------------------ */

static void a_saved_model_answers_as_before(void **state)
{
    table *t = random_table(14, 3);

    (void)state;
    for (int converted = 0; converted < 2; converted++) {
        cr_model *model =
            train(t, 0, ROWS, ALL, converted ? "nb" : "logistic",
                  converted ? "weight=tfidf" : "weight=log trace=yes moderate=yes", 1);
        cr_model *loaded = NULL;
        size_t size;
        cr_error err = {0};
        char *bytes, *aligned = NULL;

        if (converted)
            assert_int_equal(cr_model_to_logistic(model, &err), CR_OK);
        bytes = model_bytes(model, &size);
        assert_int_equal(posix_memalign((void **)&aligned, 64, size), 0);
        memcpy(aligned, bytes, size);
        if (cr__model_borrow(&loaded, aligned, size, 1, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_true(largest_difference(model, loaded, t, ALL) == 0);
        assert_same_model(model, loaded);
        cr_model_free(loaded);
        cr_model_free(model);
        free(bytes);
        free(aligned);
    }
    free(t);
}

/* Any byte may be anything: the file is refused, or the model answers with probabilities. */
static void damaged_files_do_no_harm(void **state)
{
    table *t = random_table(17, 3);
    cr_model *model = train(t, 0, ROWS, ALL, "logistic", "weight=tfidf trace=yes moderate=yes", 1);
    size_t size, opened = 0;
    char *bytes = model_bytes(model, &size), *aligned = NULL;
    cr__random rng;

    (void)state;
    assert_int_equal(posix_memalign((void **)&aligned, 64, size), 0);
    cr__random_seed(&rng, 18);
    for (int round = 0; round < 400; round++) {
        cr_model *loaded = NULL;
        cr_error err = {0};

        memcpy(aligned, bytes, size);
        for (uint64_t k = cr__random_below(&rng, 4) + 1; k > 0; k--)
            aligned[64 + cr__random_below(&rng, size - 64)] = (char)cr__random_next(&rng);
        if (cr__model_borrow(&loaded, aligned, size, 0, &err) == CR_OK &&
            strcmp(cr_model_learner(loaded), "logistic") == 0) {
            cr_source *source = source_of(t, 0, 40, ALL);
            answers a = {.rows = 0};
            const cr_sink sink = {.visit = take, .context = &a};

            if (cr_model_predict(loaded, source, NULL, &sink, NULL, NULL, &err) == CR_OK)
                for (size_t r = 0; r < a.rows; r++)
                    assert_true(a.posterior[r][0] >= 0 && a.posterior[r][0] <= 1);
            cr_source_close(source);
            opened++;
        }
        cr_model_free(loaded);
    }
    assert_true(opened > 20);
    cr_model_free(model);
    free(bytes);
    free(aligned);
    free(t);
}

typedef struct exactness {
    const answers *answers;
    size_t row;
} exactness;

static cr_status check_shares(void *context, const cr_explanation *e)
{
    exactness *x = context;

    for (size_t c = 0; c < e->classes; c++) {
        double sum = 0;

        for (size_t f = 0; f < e->factors; f++)
            sum += e->factor[f].log_p[c];
        assert_true(sum == e->score[c]);
        assert_near(e->posterior[c], x->answers->posterior[x->row][c], 1e-15);
    }
    x->row++;
    return CR_OK;
}

static void shares_add_up_to_the_scores_exactly(void **state)
{
    table *t = random_table(15, 3);

    (void)state;
    for (int moderated = 0; moderated < 2; moderated++) {
        cr_model *model = train(t, 0, ROWS, ALL, "logistic", moderated ? "moderate=yes" : "", 1);
        cr_source *source = source_of(t, 0, ROWS, ALL);
        answers *a = answers_of(model, t, ALL);
        exactness x = {a, 0};
        cr_error err = {0};

        if (cr_model_explain(model, source, NULL, check_shares, &x, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_int_equal(x.row, ROWS);
        free(a);
        cr_source_close(source);
        cr_model_free(model);
    }
    free(t);
}

static void out_of_memory_is_an_error_and_nothing_leaks(void **state)
{
    table *t = random_table(16, 3);
    cr_status st = CR_ENOMEM;

    (void)state;
    for (long n = 0; st != CR_OK && n < 100000; n += 1 + n / 40) {
        cr_source *source = source_of(t, 0, 60, ALL);
        const cr_run run = {.threads = 1};
        const char *knobs[] = {"lambda=auto", "iterations=3", "trace=yes", "weight=tfidf"};
        cr_model *model = NULL;
        cr_error err = {0};

        cr__memory_fail_after = n;
        st = cr_model_train(&model, source, "logistic", knobs, 4, &run, NULL, &err);
        cr__memory_fail_after = -1;
        if (st != CR_OK)
            assert_int_equal(st, CR_ENOMEM);
        cr_model_free(model);
        cr_source_close(source);
    }
    assert_int_equal(st, CR_OK);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_all_processors_give_the_same_bits),
        cmocka_unit_test(sparse_sums_are_those_of_a_plain_loop),
        cmocka_unit_test(the_exponential_is_that_of_the_library_to_three_units),
        cmocka_unit_test(derivatives_are_the_limits_of_differences),
        cmocka_unit_test(newton_by_samples_ends_where_lbfgs_does),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(solvers_and_forms_find_the_same_maximum),
        cmocka_unit_test(gradient_ascent_climbs_at_each_step),
        cmocka_unit_test(a_laplace_prior_leaves_weights_at_zero),
        cmocka_unit_test(weights_of_rows_count_like_copies),
        cmocka_unit_test(a_prior_has_its_mean),
        cmocka_unit_test(lambda_by_cross_validation_depends_on_the_seed_alone),
        cmocka_unit_test(learning_goes_on_from_the_posterior),
        cmocka_unit_test(knobs_that_need_the_rows_cannot_be_turned),
        cmocka_unit_test(naive_bayes_is_a_logistic_regression_where_it_is_linear),
        cmocka_unit_test(the_weights_are_those_of_the_lectures),
        cmocka_unit_test(a_boundary_that_is_not_linear_is_refused),
        cmocka_unit_test(a_converted_model_can_learn_more),
        cmocka_unit_test(a_saved_model_answers_as_before),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(shares_add_up_to_the_scores_exactly),
        cmocka_unit_test(out_of_memory_is_an_error_and_nothing_leaks),
    };

    return cmocka_run_group_tests_name("logistic", tests, NULL, NULL);
}
