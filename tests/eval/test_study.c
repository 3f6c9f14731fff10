/* tests/eval/test_study.c - which candidates share the statistics of the folds, and that sharing
 * them changes no answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "credence/credence.h"
#include "eval/cv_impl.h"
#include "eval/study.h"

enum { ROWS = 600, REALS = 3 };

typedef struct data {
    double x[REALS][ROWS];
    const char *class[ROWS];
    cr_source *source;
} data;

static data *make(cr_study **study)
{
    static const char *const names[REALS] = {"x", "y", "z"};
    static const char *const classes[] = {"a", "b", "c"};
    const cr_deal deal = {.folds = 4};
    cr_array arrays[REALS + 1];
    data *d = calloc(1, sizeof *d);
    cr__random random;

    assert_non_null(d);
    cr__random_seed(&random, 3);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&random, 3);

        d->class[r] = classes[c];
        for (size_t i = 0; i < REALS; i++)
            d->x[i][r] = cr__random_normal(&random) + (double)(c * i);
    }
    for (size_t i = 0; i < REALS; i++)
        arrays[i] = (cr_array){.name = names[i], .real = d->x[i]};
    arrays[REALS] = (cr_array){.name = "class", .text = d->class, .role = CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(&d->source, arrays, REALS + 1, ROWS, NULL), CR_OK);
    assert_int_equal(cr_study_new(study, d->source, &deal, NULL, NULL), CR_OK);
    return d;
}

static void free_data(data *d, cr_study *study)
{
    cr_study_free(study);
    cr_source_close(d->source);
    free(d);
}

static const cr__parts *parts_of(cr_study *study, const char *learner, const char *param)
{
    const char *const params[] = {param};
    const cr__parts *parts;
    cr__candidate c;
    cr_error err;

    if (cr__candidate_open(&c, study, learner, params, param != NULL, &err) != CR_OK)
        fail_msg("%s: %s", learner, err.message);
    if (cr__candidate_parts(&c, &parts, &err) != CR_OK)
        fail_msg("%s: %s", learner, err.message);
    return parts;
}

static void learners_of_the_same_needs_share(void **state)
{
    cr_study *study;
    data *d = make(&study);
    const cr__parts *tan = parts_of(study, "tan", NULL), *nb = parts_of(study, "nb", NULL);

    (void)state;
    assert_ptr_equal(parts_of(study, "aode", NULL), tan);
    assert_ptr_equal(parts_of(study, "pairs", NULL), tan);
    assert_ptr_equal(parts_of(study, "kdb", "k=1"), tan);
    assert_ptr_equal(parts_of(study, "tan", "bins=mdl"), tan);
    assert_ptr_equal(parts_of(study, "tan", "m=3"), tan);
    assert_ptr_equal(parts_of(study, "nb", "variance=class"), nb);
    assert_ptr_not_equal(nb, tan);
    assert_ptr_not_equal(parts_of(study, "kdb", "k=2"), tan);
    assert_ptr_not_equal(parts_of(study, "aode", "bins=frequency:5"), tan);
    assert_ptr_not_equal(parts_of(study, "aode", "bins=frequency:4"),
                         parts_of(study, "tan", "bins=frequency:5"));
    assert_ptr_not_equal(parts_of(study, "tan", "bins=x:0:1,y:0.5,z:2"), tan);
    assert_ptr_not_equal(parts_of(study, "nb", "real=kde"), nb);
    assert_ptr_not_equal(parts_of(study, "gda", NULL), nb);
    free_data(d, study);
}

static void shared_statistics_change_no_answer(void **state)
{
    static const char *const learners[] = {"tan", "aode", "kdb", "pairs", "nb", "gda"};
    enum { COUNT = sizeof learners / sizeof *learners };
    cr_study *study;
    data *d = make(&study);

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        cr_study *own;
        data *copy = make(&own);
        cr_cv *shared, *alone;

        assert_int_equal(cr_cv_run(&shared, study, learners[i], NULL, 0, NULL), CR_OK);
        assert_int_equal(cr_cv_run(&alone, own, learners[i], NULL, 0, NULL), CR_OK);
        assert_int_equal(shared->classes, 3);
        assert_memory_equal(shared->score, alone->score, ROWS * 3 * sizeof *shared->score);
        cr_cv_free(shared);
        cr_cv_free(alone);
        free_data(copy, own);
    }
    free_data(d, study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learners_of_the_same_needs_share),
        cmocka_unit_test(shared_statistics_change_no_answer),
    };

    return cmocka_run_group_tests_name("study", tests, NULL, NULL);
}
