/* tests/eval/test_cv_gda.c - Gaussian discriminants without a fold, by subtraction, against those
 * trained on the other folds: the same posteriors to 1e-9. */
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

enum { MOST_ROWS = 240, MOST_REALS = 6, MOST_CLASSES = 4 };

typedef struct table {
    size_t rows, reals, classes;
    double x[MOST_REALS][MOST_ROWS];
    const char *colour[MOST_ROWS], *class[MOST_ROWS];
} table;

/* Correlated reals of different scales, some far from 0, some missing; a symbol. */
static table *make_table(uint64_t seed, size_t rows, int missing)
{
    static const char *const classes[MOST_CLASSES] = {"a", "b", "c", "d"};
    static const char *const colours[3] = {"red", "green", "blue"};
    cr__random rng;
    table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    t->rows = rows;
    t->reals = 1 + cr__random_below(&rng, MOST_REALS);
    t->classes = 2 + cr__random_below(&rng, MOST_CLASSES - 1);
    for (size_t r = 0; r < rows; r++) {
        const size_t c = cr__random_below(&rng, (uint32_t)t->classes);
        const double common = cr__random_normal(&rng);

        t->class[r] = classes[c];
        t->colour[r] = colours[cr__random_below(&rng, 3)];
        for (size_t i = 0; i < t->reals; i++) {
            const double z = common * (1 + 0.3 * (double)c) + cr__random_normal(&rng);

            t->x[i][r] = (i % 2 == 0 ? 1e5 : -3) + pow(10, (double)i - 2) * (z + (double)c);
            if (missing && cr__random_below(&rng, 8) == 0)
                t->x[i][r] = NAN;
        }
    }
    return t;
}

/* The rows that are (in = 1) or are not in a fold; fold NULL: all. Names are borrowed from t. */
typedef struct part {
    table t;
    size_t row[MOST_ROWS];
} part;

static void take_part(part *p, const table *t, const size_t *fold, size_t which, int in)
{
    p->t = *t;
    p->t.rows = 0;
    for (size_t r = 0; r < t->rows; r++)
        if (fold == NULL || (fold[r] == which) == in) {
            const size_t at = p->t.rows++;

            p->row[at] = r;
            for (size_t i = 0; i < t->reals; i++)
                p->t.x[i][at] = t->x[i][r];
            p->t.colour[at] = t->colour[r];
            p->t.class[at] = t->class[r];
        }
}

static cr_source *source_of(const table *t)
{
    static const char *const name[MOST_REALS] = {"x0", "x1", "x2", "x3", "x4", "x5"};
    cr_array arrays[MOST_REALS + 2];
    size_t n = 0;
    cr_source *source;

    for (size_t i = 0; i < t->reals; i++)
        arrays[n++] = (cr_array){.name = name[i], .real = t->x[i], .role = CR_ROLE_FEATURE};
    arrays[n++] = (cr_array){.name = "colour", .text = t->colour, .role = CR_ROLE_FEATURE};
    arrays[n++] = (cr_array){.name = "class", .text = t->class, .role = CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(&source, arrays, n, t->rows, NULL), CR_OK);
    return source;
}

typedef struct answers {
    const cr_cv *cv;
    const size_t *row;
    size_t at, classes;
    double worst;
} answers;

static cr_status compare(void *context, const cr_predictions *p)
{
    answers *a = context;
    double posterior[MOST_CLASSES];
    cr_cv_answer answer;

    for (size_t r = 0; r < p->rows; r++) {
        cr_cv_get(a->cv, 0, a->row[a->at++], NULL, &answer, posterior);
        assert_int_equal(p->classes, a->classes);
        for (size_t c = 0; c < a->classes; c++)
            a->worst = fmax(a->worst, fabs(posterior[c] - p->posterior[r * a->classes + c]));
    }
    return CR_OK;
}

/* How far the answers of a cross-validation are from those of models trained without the fold. */
static double farthest(const table *t, const cr_cv *cv, size_t folds, const char *const *params,
                       size_t count)
{
    part *rest = calloc(1, sizeof *rest), *held = calloc(1, sizeof *held);
    size_t fold[MOST_ROWS];
    double worst = 0;

    assert_true(rest != NULL && held != NULL);
    for (size_t r = 0; r < t->rows; r++) {
        double posterior[MOST_CLASSES];
        cr_cv_answer answer;

        cr_cv_get(cv, 0, r, NULL, &answer, posterior);
        fold[r] = answer.fold;
    }
    for (size_t f = 0; f < folds; f++) {
        answers a = {.cv = cv, .row = held->row, .classes = t->classes};
        const cr_sink sink = {.visit = compare, .context = &a};
        cr_source *source;
        cr_model *model;

        take_part(rest, t, fold, f, 0);
        take_part(held, t, fold, f, 1);
        model = train_gda(source_of(&rest->t), params, count, 1);
        source = source_of(&held->t);
        assert_int_equal(cr_model_predict(model, source, NULL, &sink, NULL, NULL, NULL), CR_OK);
        assert_int_equal(a.at, held->t.rows);
        worst = fmax(worst, a.worst);
        cr_source_close(source);
        cr_model_free(model);
    }
    free(rest);
    free(held);
    return worst;
}

static void expect_close(const table *t, size_t folds, uint64_t seed, const char *const *params,
                         size_t count)
{
    const cr_deal deal = {.folds = folds, .seed = seed};
    cr_source *source = source_of(t);
    cr_study *study;
    cr_cv_facts facts;
    cr_cv *cv;
    cr_error err = {0};
    double worst;

    assert_int_equal(cr_study_new(&study, source, &deal, NULL, NULL), CR_OK);
    if (cr_cv_run(&cv, study, "gda", params, count, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_cv_get_facts(cv, &facts);
    assert_int_equal(facts.way, CR_CV_SUBTRACTED);
    worst = farthest(t, cv, facts.folds, params, count);
    if (!(worst < 1e-9))
        fail_msg("%s %s, %zu folds, seed %llu: %g", params[0], params[1], folds,
                 (unsigned long long)seed, worst);
    cr_cv_free(cv);
    cr_study_free(study);
    cr_source_close(source);
}

static const char *const forms[] = {"covariance=full", "covariance=shared", "covariance=diagonal",
                                    "covariance=spherical"};

static void every_form_without_a_fold_is_that_of_the_others(void **state)
{
    static const char *const besides[] = {"pool=0",     "shrinkage=0.1",
                                          "ridge=0.01", "variance-estimate=mle",
                                          "pool=0.3",   "incomplete=drop"};

    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++)
        for (size_t f = 0; f < 4; f++) {
            const char *const params[] = {forms[f], besides[seed % 6]};
            table *t = make_table(100 + seed, 120 + 10 * seed, seed % 2 == 1);

            expect_close(t, 2 + seed, seed, params, 2);
            free(t);
        }
}

static void predictive_densities_without_a_fold_are_those_of_the_others(void **state)
{
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        const char *const params[] = {forms[f], "estimate=predictive"};
        table *t = make_table(200 + f, 150, (int)f);

        expect_close(t, 10, f, params, 2);
        free(t);
    }
}

/* The products are subtracted, and the form is chosen on a sample of the other rows. */
static void what_is_chosen_without_a_fold_is_chosen_on_the_others(void **state)
{
    static const char *const params[][2] = {{"covariance=auto", "pool=0"},
                                            {"covariance=auto", "incomplete=drop"},
                                            {"covariance=full", "shrinkage=cv"},
                                            {"covariance=diagonal", "shrinkage=cv"},
                                            {"covariance=shared", "shrinkage=cv"}};

    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        table *t = make_table(400 + seed, 120 + 10 * seed, seed % 2 == 1);

        expect_close(t, 2 + seed, seed, params[seed % 5], 2);
        free(t);
    }
}

static void one_left_out_is_all_others_trained(void **state)
{
    (void)state;
    for (size_t f = 0; f < 4; f++) {
        const char *const params[] = {forms[f], "pool=0"};
        table *t = make_table(300 + f, 80, f % 2 == 0);

        expect_close(t, CR_LEAVE_ONE_OUT, 0, params, 2);
        free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_without_a_fold_is_that_of_the_others),
        cmocka_unit_test(predictive_densities_without_a_fold_are_those_of_the_others),
        cmocka_unit_test(what_is_chosen_without_a_fold_is_chosen_on_the_others),
        cmocka_unit_test(one_left_out_is_all_others_trained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
