/* tests/learners/test_beyond.c - bins, kernels, tan, aode, kdb, joined features, independence.
 *
 * Figures of scipy and of an independent implementation: tests/reference/make_beyond_reference.py.
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

#include "base/memory.h"
#include "base/random.h"
#include "credence/credence.h"
#include "model/model.h"
#include "learners/naive_bayes/naive_bayes.h"
#include "support/model_bytes.h"

enum { ROWS = 1200 };

/* --- random tables -------------------------------------------------------------------------- */

/* Symbols that depend on each other, numbers, missing values everywhere. */
typedef struct table {
    const char *symbol[5][ROWS]; /* the last is the class */
    double real[2][ROWS];
} table;

static table *random_table(uint64_t seed)
{
    static const char *const letters[] = {"a", "b", "c", "d"};
    table *t = calloc(1, sizeof *t);
    cr__random rng;

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        const uint64_t c = cr__random_below(&rng, 3), u = cr__random_below(&rng, 3);
        const uint64_t v = cr__random_below(&rng, 4) == 0 ? cr__random_below(&rng, 4) : (u + c) % 4;

        t->symbol[0][r] = letters[u];
        t->symbol[1][r] = cr__random_below(&rng, 9) == 0 ? NULL : letters[v];
        t->symbol[2][r] = cr__random_below(&rng, 3) == 0 ? letters[v] : letters[c];
        t->symbol[3][r] = cr__random_below(&rng, 12) == 0 ? NULL : letters[(u * v + c) % 3];
        t->symbol[4][r] = letters[c];
        t->real[0][r] = cr__random_below(&rng, 20) == 0
                            ? NAN
                            : floor(10 * (cr__random_normal(&rng) + 2 * (double)c)) / 10;
        t->real[1][r] = cr__random_normal(&rng) + (double)v;
    }
    return t;
}

static cr_source *source_of(const table *t, size_t first, size_t count)
{
    const cr_array arrays[] = {
        {.name = "p", .text = t->symbol[0] + first, .role = CR_ROLE_FEATURE},
        {.name = "q", .text = t->symbol[1] + first, .role = CR_ROLE_FEATURE},
        {.name = "x", .real = t->real[0] + first, .role = CR_ROLE_FEATURE},
        {.name = "r", .text = t->symbol[2] + first, .role = CR_ROLE_FEATURE},
        {.name = "s", .text = t->symbol[3] + first, .role = CR_ROLE_FEATURE},
        {.name = "y", .real = t->real[1] + first, .role = CR_ROLE_FEATURE},
        {.name = "class", .text = t->symbol[4] + first, .role = CR_ROLE_TARGET},
    };
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 7, count, NULL), CR_OK);
    return source;
}

static cr_model *train(cr_source *source, const char *learner, const char *knob, int threads)
{
    const cr_run run = {.threads = threads};
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, &knob, knob != NULL, &run, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* Learner and knob. The cuts of learners of cells are given, as those of parts would differ. */
static const char *const kinds[][2] = {
    {"nb", "real=bins:mdl"},
    {"nb", "real=bins:sqrt"},
    {"nb", "real=bins:width"},
    {"nb", "real=kde"},
    {"nb", "real=auto"},
    {"tan", "bins=x:0:2:4,y:0:1"},
    {"kdb", "bins=x:0:2:4,y:0:1"},
    {"aode", "bins=x:0:2:4,y:0:1"},
    {"pairs", "bins=x:0:2:4,y:0:1"},
};

#define KINDS (sizeof kinds / sizeof *kinds)

static void the_same_bytes_for_any_number_of_threads(void **state)
{
    static const char *const more[][2] = {
        {"tan", "bins=mdl"}, {"joint", "bins=frequency:4"}, {"aode", "bins=mdl"}, {"tree", "m=1"}};
    table *t = random_table(1);

    (void)state;
    for (size_t k = 0; k < KINDS + 4; k++) {
        const char *const *kind = k < KINDS ? kinds[k] : more[k - KINDS];
        cr_model *one = train(source_of(t, 0, ROWS), kind[0], kind[1], 1);
        cr_model *three = train(source_of(t, 0, ROWS), kind[0], kind[1], 3);

        assert_same_model(one, three);
        cr_model_free(one);
        cr_model_free(three);
    }
    free(t);
}

static void merging_parts_gives_what_one_pass_gives(void **state)
{
    table *t = random_table(2);

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        cr_model *whole = train(source_of(t, 0, ROWS), kinds[k][0], kinds[k][1], 1);
        cr_model *part = train(source_of(t, 0, 500), kinds[k][0], kinds[k][1], 1);
        cr_model *rest = train(source_of(t, 500, ROWS - 500), kinds[k][0], kinds[k][1], 1);

        assert_int_equal(cr_model_merge(part, rest, NULL), CR_OK);
        assert_same_model(whole, part);
        cr_model_free(whole);
        cr_model_free(part);
        cr_model_free(rest);
    }
    free(t);
}

static void learning_and_unlearning_leaves_nothing_behind(void **state)
{
    table *t = random_table(3);

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        cr_model *before = train(source_of(t, 0, 700), kinds[k][0], kinds[k][1], 1);
        cr_model *after = train(source_of(t, 0, 700), kinds[k][0], kinds[k][1], 1);
        cr_source *more = source_of(t, 700, ROWS - 700);
        cr_source *again = source_of(t, 700, ROWS - 700);
        cr_error err = {0};

        assert_int_equal(cr_model_learn(after, more, NULL, NULL, &err), CR_OK);
        assert_int_equal(cr_model_unlearn(after, again, NULL, NULL, &err), CR_OK);
        assert_same_model(before, after);
        cr_source_close(more);
        cr_source_close(again);
        cr_model_free(before);
        cr_model_free(after);
    }
    free(t);
}

/* Saved, opened and saved again: the same bytes; and the same answers. */
static void a_model_file_brings_back_the_same_model(void **state)
{
    table *t = random_table(4);

    (void)state;
    for (size_t k = 0; k < KINDS + 1; k++) {
        cr_model *model = k < KINDS ? train(source_of(t, 0, ROWS), kinds[k][0], kinds[k][1], 1)
                                    : train(source_of(t, 0, ROWS), "tree", NULL, 1);
        cr_model *opened;
        size_t size;
        char *bytes = model_bytes(model, &size);
        void *aligned = aligned_alloc(64, (size + 63) / 64 * 64);
        cr_error err = {0};

        assert_non_null(aligned);
        memcpy(aligned, bytes, size);
        if (cr__model_borrow(&opened, aligned, size, 1, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_same_model(model, opened);
        cr_model_free(opened);
        cr_model_free(model);
        free(aligned);
        free(bytes);
    }
    free(t);
}

static void refit_needs_no_data_where_numbers_are_kept(void **state)
{
    table *t = random_table(5);
    cr_model *cut = train(source_of(t, 0, ROWS), "nb", "real=bins:mdl", 1);
    cr_model *kernels = train(source_of(t, 0, ROWS), "nb", "real=kde", 1);
    cr_model *plain = train(source_of(t, 0, ROWS), "nb", NULL, 1);
    const char *kde = "real=kde";

    (void)state;
    assert_int_equal(cr_model_refit(cut, &kde, 1, NULL), CR_OK);
    assert_same_model(cut, kernels);
    assert_int_equal(cr_model_refit(plain, &kde, 1, NULL), CR_EARG);
    cr_model_free(cut);
    cr_model_free(kernels);
    cr_model_free(plain);
    free(t);
}

/* --- one row -------------------------------------------------------------------------------- */

/* P(class, row) of each class. */
static void joint_of(const cr_model *model, cr_row *row, double *p)
{
    double log_evidence;
    int32_t decision;

    assert_int_equal(cr_model_classify(model, row, p, &decision, &log_evidence), CR_OK);
    for (size_t c = 0; c < cr_model_classes(model); c++)
        p[c] *= exp(log_evidence);
}

static void set(cr_row *row, const char *const *value)
{
    cr_row_clear(row);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(cr_row_set_text(row, i, value[i]), CR_OK);
}

/* Symbols only, for going through all rows there can be. */
static cr_model *train_symbols(const table *t, const char *learner, const char *knob)
{
    const cr_array arrays[] = {
        {.name = "p", .text = t->symbol[0], .role = CR_ROLE_FEATURE},
        {.name = "q", .text = t->symbol[1], .role = CR_ROLE_FEATURE},
        {.name = "r", .text = t->symbol[2], .role = CR_ROLE_FEATURE},
        {.name = "s", .text = t->symbol[3], .role = CR_ROLE_FEATURE},
        {.name = "class", .text = t->symbol[4], .role = CR_ROLE_TARGET},
    };
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 5, ROWS, NULL), CR_OK);
    return train(source, learner, knob, 1);
}

/* Σ over all rows of P(class, row). */
static double total_of(const cr_model *model)
{
    cr_row *row;
    double p[3], sum = 0;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t a = 0; a < cr_model_values(model, 0); a++)
        for (size_t b = 0; b < cr_model_values(model, 1); b++)
            for (size_t c = 0; c < cr_model_values(model, 2); c++)
                for (size_t d = 0; d < cr_model_values(model, 3); d++) {
                    set(row, (const char *const[]){
                                 cr_model_value(model, 0, a), cr_model_value(model, 1, b),
                                 cr_model_value(model, 2, c), cr_model_value(model, 3, d)});
                    joint_of(model, row, p);
                    sum += p[0] + p[1] + p[2];
                }
    cr_row_free(row);
    return sum;
}

static void probabilities_of_all_rows_sum_to_one(void **state)
{
    static const char *const learners[][2] = {{"tan", "m=1"},       {"tan", "smoothing=laplace"},
                                              {"kdb", "k=2"},       {"kdb", "k=3"},
                                              {"pairs", "pairs=2"}, {"pairs", "order=3"}};
    table *t = random_table(6);

    (void)state;
    for (size_t k = 0; k < sizeof learners / sizeof *learners; k++) {
        cr_model *model = train_symbols(t, learners[k][0], learners[k][1]);

        assert_true(fabs(total_of(model) - 1) < 1e-12);
        cr_model_free(model);
    }
    free(t);
}

/* tan: every pattern of missing values equals the sum over the values that are missing. */
static void missing_values_are_summed_out_exactly(void **state)
{
    static const char *const value[] = {"a", "b", "c", "a"};
    table *t = random_table(7);
    cr_model *model = train_symbols(t, "tan", "m=2");
    cr_row *row;

    (void)state;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (unsigned gaps = 1; gaps < 16; gaps++) {
        const char *now[4];
        double sum[3] = {0}, p[3];
        size_t count[4];

        for (size_t i = 0; i < 4; i++)
            count[i] = gaps >> i & 1 ? cr_model_values(model, i) : 1;
        for (size_t k = 0; k < count[0] * count[1] * count[2] * count[3]; k++) {
            size_t rest = k;

            for (size_t i = 0; i < 4; i++) {
                now[i] = gaps >> i & 1 ? cr_model_value(model, i, rest % count[i]) : value[i];
                rest /= count[i];
            }
            set(row, now);
            joint_of(model, row, p);
            for (size_t c = 0; c < 3; c++)
                sum[c] += p[c];
        }
        for (size_t i = 0; i < 4; i++)
            now[i] = gaps >> i & 1 ? NULL : value[i];
        set(row, now);
        joint_of(model, row, p);
        for (size_t c = 0; c < 3; c++)
            assert_true(fabs(p[c] - sum[c]) <= 1e-12 * sum[c]);
    }
    cr_row_free(row);
    cr_model_free(model);
    free(t);
}

/* What explanations add up to is what the model answers. */
typedef struct check {
    const cr_model *model;
    size_t rows;
} check;

static cr_status look(void *context, const cr_explanation *e)
{
    check *k = context;
    double sum[3] = {0}, all = 0;

    for (size_t f = 0; f < e->factors; f++)
        for (size_t c = 0; c < 3; c++)
            sum[c] += e->factor[f].log_p[c];
    for (size_t c = 0; c < 3; c++) {
        assert_true(fabs(sum[c] - e->score[c]) < 1e-9);
        all += exp(sum[c]);
        if (e->factor[0].fraction)
            for (size_t f = 0; f < e->factors; f++)
                if (e->factor[f].fraction)
                    assert_true(fabs(log(e->factor[f].top[c] / e->factor[f].bottom[c]) -
                                     e->factor[f].log_p[c]) < 1e-9);
    }
    for (size_t c = 0; c < 3; c++)
        assert_true(fabs(exp(sum[c]) / all - e->posterior[c]) < 1e-9);
    k->rows++;
    return CR_OK;
}

/* The posteriors of predict, in order. */
static cr_status take_posteriors(void *context, const cr_predictions *p)
{
    double **next = context;

    memcpy(*next, p->posterior, p->rows * p->classes * sizeof **next);
    *next += p->rows * p->classes;
    return CR_OK;
}

static cr_status compare_posteriors(void *context, const cr_explanation *e)
{
    const double **next = context;

    for (size_t c = 0; c < e->classes; c++)
        assert_true(fabs(*(*next)++ - e->posterior[c]) < 1e-9);
    return CR_OK;
}

static void explanations_add_up_to_the_answer(void **state)
{
    static const char *const more[][2] = {{"tree", "m=1"}};
    table *t = random_table(8);

    (void)state;
    for (size_t k = 0; k < KINDS + 1; k++) {
        const char *const *kind = k < KINDS ? kinds[k] : more[k - KINDS];
        cr_model *model = train(source_of(t, 0, ROWS), kind[0], kind[1], 1);
        cr_source *source = source_of(t, 0, 200);
        double posterior[200 * 3], *end = posterior;
        const double *next = posterior;
        const cr_sink sink = {.visit = take_posteriors, .context = &end};
        check seen = {model, 0};

        assert_int_equal(cr_model_predict(model, source, NULL, &sink, NULL, NULL, NULL), CR_OK);
        cr_source_close(source);
        source = source_of(t, 0, 200);
        assert_int_equal(cr_model_explain(model, source, NULL, look, &seen, NULL), CR_OK);
        cr_source_close(source);
        source = source_of(t, 0, 200);
        assert_int_equal(cr_model_explain(model, source, NULL, compare_posteriors, &next, NULL),
                         CR_OK);
        assert_int_equal(seen.rows, 200);
        cr_source_close(source);
        cr_model_free(model);
    }
    free(t);
}

/* --- by hand -------------------------------------------------------------------------------- */

static double accuracy_on(const cr_model *model, cr_source *source)
{
    cr_evaluation *e;
    cr_metrics m;

    assert_int_equal(cr_model_test(model, source, NULL, NULL, &e, NULL, NULL), CR_OK);
    cr_evaluation_metrics(e, &m);
    cr_evaluation_free(e);
    cr_source_close(source);
    return m.accuracy;
}

static cr_source *xor_rows(void)
{
    static const char *const a[] = {"0", "0", "1", "1", "0", "0", "1", "1"};
    static const char *const b[] = {"0", "1", "0", "1", "0", "1", "0", "1"};
    static const char *const c[] = {"no", "yes", "yes", "no", "no", "yes", "yes", "no"};
    const cr_array arrays[] = {
        {.name = "a", .text = a, .role = CR_ROLE_FEATURE},
        {.name = "b", .text = b, .role = CR_ROLE_FEATURE},
        {.name = "c", .text = c, .role = CR_ROLE_TARGET},
    };
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, 8, NULL), CR_OK);
    return source;
}

/* Exclusive or: given the class, b follows from a. Naive Bayes holds both classes for equally
 * probable whatever the row. */
static void a_tree_of_dependence_solves_xor_and_naive_bayes_does_not(void **state)
{
    static const char *const learners[] = {"tan", "aode", "kdb", "pairs"};
    cr_model *naive = train(xor_rows(), "nb", NULL, 1);
    cr_row *row;
    double p[2];

    (void)state;
    assert_int_equal(cr_row_new(&row, naive, NULL), CR_OK);
    cr_row_set_text(row, 0, "0");
    cr_row_set_text(row, 1, "1");
    joint_of(naive, row, p);
    assert_true(fabs(p[0] - p[1]) < 1e-15);
    cr_row_free(row);
    cr_model_free(naive);
    for (size_t k = 0; k < 4; k++) {
        cr_model *model = train(xor_rows(), learners[k], NULL, 1);

        assert_true(accuracy_on(model, xor_rows()) == 1);
        cr_model_free(model);
    }
}

/* By hand, tan on exclusive or with m = 1, alpha = 1/2. P(yes) = 1/2; the root is a (both tell
 * nothing of the class, so the first): P(a=0 | yes) = (2 + 1/2)/(4 + 1) = 1/2. b depends on a: of
 * the two rows with a=0 in yes both have b=1, and P(b=1 | yes) = 1/2, so P(b=1 | a=0, yes) = (2 +
 * 1/2 + 1/2)/(2 + 1 + 1) = 3/4. In no it is (0 + 1/2 + 1/2)/4 = 1/4. P(yes, row) = 3/16, P(no,
 * row) = 1/16. */
static void tan_by_hand(void **state)
{
    const char *knob = "m=1";
    cr_model *model = train(xor_rows(), "tan", knob, 1);
    cr_row *row;
    double p[2];

    (void)state;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    cr_row_set_text(row, 0, "0");
    cr_row_set_text(row, 1, "1");
    joint_of(model, row, p);
    assert_true(fabs(p[0] - 1.0 / 16) < 1e-15);
    assert_true(fabs(p[1] - 3.0 / 16) < 1e-15);
    cr_row_free(row);
    cr_model_free(model);
}

/* The numbers of class a in the reference, whose kernel densities scipy gives. */
static void kernel_densities_equal_scipy(void **state)
{
    static const double at[] = {0.5, 4.2, 9.0};
    static const double want[2][3] = {
        {-1.3064769943698178, -3.2674361384801975, -60.51248662544311},
        {-1.672303597448657, -2.618729075809742, -7.5689796387710855},
    };
    static const char *const width[] = {"bandwidth=0.25", "bandwidth=1"};
    double x[60];
    const char *c[60];
    const cr_array arrays[] = {{.name = "x", .real = x, .role = CR_ROLE_FEATURE},
                               {.name = "c", .text = c, .role = CR_ROLE_TARGET}};

    (void)state;
    for (int i = 1; i <= 60; i++) {
        x[i - 1] = round(fmod(i * 0.6180339887498949, 1) * 1000) / 100;
        c[i - 1] = x[i - 1] < 3 || (x[i - 1] < 7 && i % 5 == 0) ? "a" : x[i - 1] < 7 ? "b" : "c";
    }
    for (size_t k = 0; k < 2; k++) {
        const char *knobs[] = {"real=kde", width[k], "kde-rows=0"};
        cr_source *source;
        cr_model *model;
        const cr__nb *nb;

        assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 60, NULL), CR_OK);
        assert_int_equal(cr_model_train(&model, source, "nb", knobs, 3, NULL, NULL, NULL), CR_OK);
        nb = model->share->fitted;
        for (size_t i = 0; i < 3; i++)
            assert_true(fabs(cr__nb_kde_sum(nb->column[0].kde, 0, at[i]) - want[k][i]) <
                        1e-9 * fabs(want[k][i]));
        cr_model_free(model);
        cr_source_close(source);
    }
}

/* The grid against the sum: within 1e-3 everywhere, and within 1e-6 where there are rows. */
static void the_grid_is_as_exact_as_it_says(void **state)
{
    table *t = random_table(9);
    cr_model *model = train(source_of(t, 0, ROWS), "nb", "real=kde", 1);
    const cr__nb *nb = model->share->fitted;

    (void)state;
    for (size_t i = 0; i < nb->columns; i++) {
        const cr__nb_kde *kde = nb->column[i].kde;

        for (size_t c = 0; kde != NULL && c < 3; c++) {
            double off = 0;

            assert_true(kde->of[c].nodes > 0);
            for (double x = -6; x < 10; x += 0.00917)
                off = fmax(off, fabs(cr__nb_kde_log(kde, c, x) - cr__nb_kde_sum(kde, c, x)));
            assert_true(off < 1e-3);
        }
    }
    cr_model_free(model);
    free(t);
}

/* With and without a grid, the same to 12 digits or so; at numbers, between them and far away. */
static void places_are_compared_by_the_same_densities(void **state)
{
    double value[90], count[90];
    uint32_t class_of[90];
    const cr__spread spread = {90, 2, value, class_of, count};
    const cr__nb_form form = {CR__NB_KDE, 0, CR__NB_SILVERMAN, 0.25};
    table *t = random_table(9);
    cr_model *model = train(source_of(t, 0, ROWS), "nb", "real=kde", 1);

    (void)state;
    for (size_t i = 0; i < 90; i++) {
        value[i] = floor((double)i * (double)i / 40);
        class_of[i] = i % 3 == 0;
        count[i] = 1 + (double)(i % 4) / 2;
    }
    for (int few = 0; few < 2; few++) {
        cr__nb_kde *kde;

        assert_int_equal(cr__nb_kde_of(&kde, &spread, 2, &model->knobs, &form, few), CR_OK);
        for (size_t c = 0; c < 2; c++) {
            cr__nb_places places;

            cr__nb_places_of(&places, kde, c);
            for (double x = -900; x<1200; x += x> - 20 && x < 220 ? 0.25 : 20.5)
                assert_true(fabs(cr__nb_places_log(&places, x) - cr__nb_kde_log(kde, c, x)) <
                            1e-12 * (1 + fabs(cr__nb_kde_log(kde, c, x))));
        }
        cr__nb_kde_free(kde);
    }
    cr_model_free(model);
    free(t);
}

/* --- independence --------------------------------------------------------------------------- */

/* scipy.stats: I in nats 0.007115240588309412, G² 0.8538288705971294, 4 degrees of freedom, p
 * 0.9310893261520685. */
static void dependence_of_pairs_equals_scipy(void **state)
{
    const char *x[60], *y[60], *c[60];
    const cr_array arrays[] = {{.name = "x", .text = x, .role = CR_ROLE_FEATURE},
                               {.name = "y", .text = y, .role = CR_ROLE_FEATURE},
                               {.name = "c", .text = c, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model;
    cr_independence *result;
    const cr_pair *p;

    (void)state;
    for (int i = 1; i <= 60; i++) {
        x[i - 1] = i % 3 ? "u" : "v";
        y[i - 1] = i * i % 7 < 3 ? "p" : i % 2 ? "q" : "r";
        c[i - 1] = i % 4 < 2 ? "yes" : "no";
    }
    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, 60, NULL), CR_OK);
    model = train(source, "tan", NULL, 1);
    assert_int_equal(cr_independence_measure(&result, model, NULL, NULL), CR_OK);
    assert_int_equal(cr_independence_pairs(result), 1);
    p = cr_independence_pair(result, 0);
    assert_true(fabs(p->information * log(2) - 0.007115240588309412) < 1e-12);
    assert_true(fabs(p->g2 - 0.8538288705971294) < 1e-9);
    assert_true(p->freedom == 4);
    assert_true(fabs(p->p - 0.9310893261520685) < 1e-9);
    cr_independence_free(result);
    cr_model_free(model);
}

/* Exclusive or by hand: given the class b is a function of a, so I is 1 bit, and P(0, 1 | yes) =
 * 1/2 is 1/4 away from 1/2 · 1/2, as is every other cell. */
static void independence_of_xor_by_hand(void **state)
{
    cr_model *model = train(xor_rows(), "pairs", "pairs=0", 1);
    cr_independence *result;
    cr_independence_facts facts;
    const cr_pair *p;

    (void)state;
    assert_int_equal(cr_independence_measure(&result, model, NULL, NULL), CR_OK);
    p = cr_independence_pair(result, 0);
    assert_true(fabs(p->information - 1) < 1e-12);
    assert_true(fabs(p->deviation - 0.25) < 1e-15);
    assert_true(fabs(p->mean_deviation - 0.25) < 1e-15);
    assert_true(p->freedom == 2);
    cr_independence_get_facts(result, &facts);
    assert_int_equal(facts.pairs, 1);
    cr_independence_free(result);
    cr_model_free(model);
    model = train(xor_rows(), "nb", NULL, 1);
    assert_int_equal(cr_independence_measure(&result, model, NULL, NULL), CR_EARG);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(merging_parts_gives_what_one_pass_gives),
        cmocka_unit_test(learning_and_unlearning_leaves_nothing_behind),
        cmocka_unit_test(a_model_file_brings_back_the_same_model),
        cmocka_unit_test(refit_needs_no_data_where_numbers_are_kept),
        cmocka_unit_test(probabilities_of_all_rows_sum_to_one),
        cmocka_unit_test(missing_values_are_summed_out_exactly),
        cmocka_unit_test(explanations_add_up_to_the_answer),
        cmocka_unit_test(a_tree_of_dependence_solves_xor_and_naive_bayes_does_not),
        cmocka_unit_test(tan_by_hand),
        cmocka_unit_test(kernel_densities_equal_scipy),
        cmocka_unit_test(the_grid_is_as_exact_as_it_says),
        cmocka_unit_test(places_are_compared_by_the_same_densities),
        cmocka_unit_test(dependence_of_pairs_equals_scipy),
        cmocka_unit_test(independence_of_xor_by_hand),
    };

    return cmocka_run_group_tests_name("beyond", tests, NULL, NULL);
}
