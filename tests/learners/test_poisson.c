/* Poisson naive Bayes, by hand:
 *
 *     a: clicks 0, 1, 2    n = 3, Σ = 3    λ = (1 + 3) / (1 + 3) = 1
 *     b: clicks 4, 6       n = 2, Σ = 10   λ = (1 + 10) / (1 + 2) = 11/3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"

static const char rows[] = "clicks,who\n0,a\n1,a\n2,a\n4,b\n6,b\n";
static const char first[] = "clicks,who\n0,a\n6,b\n1,a\n", second[] = "clicks,who\n4,b\n2,a\n";

static cr_source *source_of(const char *text)
{
    cr_source *source = NULL;

    assert_int_equal(cr_source_open_memory(&source, text, strlen(text), NULL, NULL, NULL), CR_OK);
    return source;
}

static cr_model *train(const char *text, const char *param)
{
    cr_source *source = source_of(text);
    cr_model *model = NULL;

    assert_int_equal(
        cr_model_train(&model, source, "poisson", &param, param != NULL, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    return model;
}

static void assert_same_bytes(const cr_model *a, const cr_model *b)
{
    void *of_a, *of_b;
    size_t size_a, size_b;

    assert_int_equal(cr_model_save_bytes(a, &of_a, &size_a, NULL), CR_OK);
    assert_int_equal(cr_model_save_bytes(b, &of_b, &size_b, NULL), CR_OK);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(of_a, of_b, size_a);
    cr_bytes_free(of_a);
    cr_bytes_free(of_b);
}

/* P(b | x) of a model; log_evidence may be NULL. */
static double ask(const cr_model *model, double x, double *log_evidence)
{
    double p[2];
    int32_t decision;
    cr_row *row;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    assert_int_equal(cr_row_set_real(row, 0, x), CR_OK);
    assert_int_equal(cr_model_classify(model, row, p, &decision, log_evidence), CR_OK);
    cr_row_free(row);
    return p[1];
}

static void posteriors_are_those_worked_by_hand(void **state)
{
    cr_model *model = train(rows, NULL);
    const double a = .6 * exp(-1) / 2, b = .4 * 121 / 9 * exp(-11. / 3) / 2;
    double log_evidence;

    (void)state;
    assert_true(fabs(ask(model, 2, &log_evidence) - b / (a + b)) < 1e-14);
    assert_true(fabs(log_evidence - log(a + b)) < 1e-14);
    cr_model_free(model);
}

/* alpha and beta next to nothing: λ are the means, 1 and 5. */
static void a_weak_prior_leaves_the_means(void **state)
{
    cr_model *model = train(rows, "alpha=1e-9");
    const char *weak[] = {"beta=1e-9"};
    const double a = .6 * exp(-1), b = .4 * 5 * exp(-5);

    (void)state;
    assert_int_equal(cr_model_refit(model, weak, 1, NULL), CR_OK);
    assert_true(fabs(ask(model, 1, NULL) - b / (a + b)) < 1e-8);
    cr_model_free(model);
}

static void what_is_no_count_is_left_out(void **state)
{
    cr_model *model = train(rows, NULL);

    (void)state;
    assert_true(fabs(ask(model, NAN, NULL) - .4) < 1e-15);
    assert_true(fabs(ask(model, 1.5, NULL) - .4) < 1e-15);
    assert_true(fabs(ask(model, -1, NULL) - .4) < 1e-15);
    cr_model_free(model);
}

static void learning_unlearning_and_merging_are_exact(void **state)
{
    cr_model *all = train(rows, NULL), *model = train(first, NULL), *other = train(second, NULL);
    cr_source *more = source_of(second);

    (void)state;
    assert_int_equal(cr_model_learn(model, more, NULL, NULL, NULL), CR_OK);
    assert_same_bytes(model, all);
    cr_source_close(more);
    more = source_of(second);
    assert_int_equal(cr_model_unlearn(model, more, NULL, NULL, NULL), CR_OK);
    cr_source_close(more);
    assert_int_equal(cr_model_merge(model, other, NULL), CR_OK);
    assert_same_bytes(model, all);
    cr_model_free(all);
    cr_model_free(model);
    cr_model_free(other);
}

static void a_model_answers_the_same_when_it_comes_back(void **state)
{
    cr_model *model = train(rows, NULL), *again;
    void *bytes;
    size_t size;

    (void)state;
    assert_int_equal(cr_model_save_bytes(model, &bytes, &size, NULL), CR_OK);
    assert_int_equal(cr_model_load_bytes(&again, bytes, size, 0, NULL), CR_OK);
    for (int x = 0; x < 9; x++)
        assert_true(ask(model, x, NULL) == ask(again, x, NULL));
    assert_true(cr_model_prior(again, 0) == cr_model_prior(model, 0));
    assert_same_bytes(model, again);
    cr_bytes_free(bytes);
    cr_model_free(model);
    cr_model_free(again);
}

static cr_status sum_up(void *context, const cr_explanation *e)
{
    double *sum = context;

    for (size_t f = 0; f < e->factors; f++)
        *sum += e->factor[f].log_p[1];
    return CR_OK;
}

static void explanations_add_up_to_the_score(void **state)
{
    cr_model *model = train(rows, NULL);
    cr_source *source = source_of("clicks\n2\n");
    double sum = 0;

    (void)state;
    assert_int_equal(cr_model_explain(model, source, NULL, sum_up, &sum, NULL), CR_OK);
    assert_true(fabs(sum - log(.4 * 121 / 9 * exp(-11. / 3) / 2)) < 1e-14);
    cr_source_close(source);
    cr_model_free(model);
}

static void words_and_negative_numbers_are_refused(void **state)
{
    static const char *const texts[] = {"x,who\nred,a\nblue,b\n", "x,who\n-3,a\n2,b\n"};
    static const char *const words[] = {"'x' is not a count: its values are words",
                                        "'x' is not a count: it has negative values"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        cr_source *source = source_of(texts[i]);
        cr_model *model = NULL;
        cr_error err = {0};

        assert_int_equal(cr_model_train(&model, source, "poisson", NULL, 0, NULL, NULL, &err),
                         CR_EARG);
        assert_string_equal(err.message, words[i]);
        assert_null(model);
        cr_source_close(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_are_those_worked_by_hand),
        cmocka_unit_test(a_weak_prior_leaves_the_means),
        cmocka_unit_test(what_is_no_count_is_left_out),
        cmocka_unit_test(learning_unlearning_and_merging_are_exact),
        cmocka_unit_test(a_model_answers_the_same_when_it_comes_back),
        cmocka_unit_test(explanations_add_up_to_the_score),
        cmocka_unit_test(words_and_negative_numbers_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
