/* tests/eval/test_cv.c - the whole minus a fold is the model of the other folds, to the last
 * bit. */
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
#include "data/folds.h"
#include "eval/cv_impl.h"
#include "eval/study.h"
#include "support/model_bytes.h"

enum { ROWS = 211 };

typedef struct data {
    double number[ROWS], other[ROWS];
    const char *symbol[ROWS], *text[ROWS], *class[ROWS], *group[ROWS];
    char said[ROWS][64], named[ROWS][8];
} data;

static data all;

static void fill(void)
{
    static const char *const words[] = {"ball", "game", "vote", "law", "goal", "senate", "team"};
    static const char *const symbols[] = {"red", "green", "blue", "rare"};
    static const char *const classes[] = {"sport", "politics", "neither"};
    cr__random random;

    cr__random_seed(&random, 11);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&random, r == 17 ? 3 : 2);

        all.class[r] = cr__random_below(&random, 40) == 0 ? NULL : classes[r == 17 ? 2 : c];
        all.number[r] = cr__random_below(&random, 9) == 0
                            ? NAN
                            : (cr__random_normal(&random) + (double)c) * 1e3;
        all.other[r] = cr__random_exponential(&random) / (1 + (double)c);
        all.symbol[r] = cr__random_below(&random, 9) == 0
                            ? NULL
                            : symbols[cr__random_below(&random, r % 100 == 0 ? 4 : 2 + c)];
        snprintf(all.said[r], sizeof all.said[r], "%s %s w%u %s",
                 words[cr__random_below(&random, 4 + 3 * c)], words[cr__random_below(&random, 7)],
                 (unsigned)cr__random_below(&random, 300), words[cr__random_below(&random, 7)]);
        all.text[r] = cr__random_below(&random, 9) == 0 ? NULL : all.said[r];
        snprintf(all.named[r], sizeof all.named[r], "g%u", (unsigned)cr__random_below(&random, 30));
        all.group[r] = all.named[r];
    }
}

/* Columns by their letters: n(umber), o(ther), s(ymbol), t(ext), g(roup). */
static cr_source *open_data(const char *columns)
{
    cr_array arrays[8];
    size_t count = 0;
    cr_source *source;

    fill();
    if (strchr(columns, 'n') != NULL)
        arrays[count++] = (cr_array){.name = "number", .real = all.number};
    if (strchr(columns, 'o') != NULL)
        arrays[count++] = (cr_array){.name = "other", .real = all.other};
    if (strchr(columns, 's') != NULL)
        arrays[count++] = (cr_array){.name = "symbol", .text = all.symbol};
    if (strchr(columns, 't') != NULL)
        arrays[count++] = (cr_array){.name = "text", .text = all.text, .kind = CR_BAG};
    if (strchr(columns, 'g') != NULL)
        arrays[count++] = (cr_array){.name = "group", .text = all.group};
    arrays[count++] = (cr_array){.name = "class", .text = all.class, .role = CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(&source, arrays, count, ROWS, NULL), CR_OK);
    return source;
}

static cr_study *open_study(cr_source *source, cr_deal deal, int threads)
{
    const cr_run run = {.threads = threads};
    cr_study *study;

    assert_int_equal(cr_study_new(&study, source, &deal, &run, NULL), CR_OK);
    return study;
}

/* The model trained on the rows of a list, as a user would do it. */
static cr_model *retrain(const cr__candidate *c, const uint32_t *row, size_t rows)
{
    cr_source *source;
    cr_model *model = NULL;
    cr_error err = {0};

    assert_int_equal(cr__source_open_table(&source, c->set->table, row, rows, NULL), CR_OK);
    if (cr_model_train(&model, source, c->learner, c->params, c->param_count, NULL, NULL, &err) !=
        CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* The rows of two numbers, a symbol and a class, and their lists of 4 x 4 bytes, take 42 bytes
 * each; an answer takes 3 posteriors twice, truth twice, its fold and two keys: 76 bytes. */
static void what_is_held_stays_within_the_limit(void **state)
{
    static const struct {
        uint64_t memory;
        cr_status status;
        const char *what;
    } tries[] = {{2000, CR_ELIMIT, "rows take more than"},
                 {ROWS * 30, CR_ELIMIT, "the rows and their folds need"},
                 {ROWS * 80, CR_ELIMIT, "the rows and the answers to them need"},
                 {ROWS * 130, CR_OK, NULL}};

    (void)state;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        cr_source *source = open_data("nos");
        const cr_run run = {.threads = 2, .memory = tries[i].memory};
        cr_study *study;
        cr_cv *cv = NULL;
        cr_error err = {0};

        assert_int_equal(cr_study_new(&study, source, &(cr_deal){.folds = 5}, &run, NULL), CR_OK);
        assert_int_equal(cr_cv_run(&cv, study, "nb", NULL, 0, &err), tries[i].status);
        if (tries[i].what != NULL) {
            assert_non_null(strstr(err.message, tries[i].what));
            assert_non_null(strstr(err.hint, "memory"));
        }
        cr_cv_free(cv);
        cr_study_free(study);
        cr_source_close(source);
    }
}

static int knows(const char *learner)
{
    for (size_t i = 0; cr_learner_name(i) != NULL; i++)
        if (strcmp(cr_learner_name(i), learner) == 0)
            return 1;
    return 0;
}

static void expect_same_folds(const char *columns, const char *learner, const char *param,
                              cr_deal deal)
{
    cr_source *source = open_data(columns);
    cr_study *study = open_study(source, deal, 2);
    const size_t folds = deal.folds == 0 ? 10 : deal.folds;
    cr__candidate c;
    cr_error err = {0};
    uint32_t list[ROWS];

    if (cr__candidate_open(&c, study, learner, &param, param != NULL, &err) != CR_OK)
        fail_msg("%s %s: %s", learner, param == NULL ? "" : param, err.message);
    for (size_t f = 0; f < folds * (deal.repeats == 0 ? 1 : deal.repeats); f++) {
        cr_model *a, *b;

        if (cr__candidate_without(&c, f, &a, &err) != CR_OK)
            fail_msg("%s", err.message);
        b = retrain(&c, list,
                    cr__folds_list(c.set->fold + f / folds * c.set->rows, c.set->row, c.set->rows,
                                   (uint32_t)(f % folds), 0, list));
        assert_same_model(a, b);
        cr_model_free(a);
        cr_model_free(b);
    }
    cr_study_free(study);
    cr_source_close(source);
}

static void naive_bayes_without_a_fold_is_naive_bayes_retrained(void **state)
{
    static const char *const params[] = {NULL,
                                         "variance=class-feature",
                                         "gaussian=predictive",
                                         "smoothing=m-estimate",
                                         "unseen=smooth",
                                         "real=kde",
                                         "real=bins:mdl"};

    (void)state;
    for (size_t i = 0; i < sizeof params / sizeof *params; i++)
        expect_same_folds("nos", "nb", params[i], (cr_deal){.folds = 7, .seed = i});
    expect_same_folds("nost", "nb", NULL, (cr_deal){.folds = 3, .repeats = 2});
}

static void texts_without_a_fold_are_texts_retrained(void **state)
{
    static const char *const params[] = {
        NULL,         "event=bernoulli", "event=complement", "weight=tfidf",  "length-norm=l2",
        "weight=log", "stop=common:3",   "min-count=2",      "select=chi2:5", "text-alpha=auto",
        "ngrams=1..2"};

    (void)state;
    for (size_t i = 0; i < sizeof params / sizeof *params; i++)
        expect_same_folds("t", "nb", params[i], (cr_deal){.folds = 5, .seed = 3});
}

static void other_learners_without_a_fold_are_retrained_ones(void **state)
{
    static const char *const learners[] = {"tan", "aode", "kdb"};

    (void)state;
    expect_same_folds("s", "joint", NULL, (cr_deal){.folds = 4});
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        if (knows(learners[i]))
            expect_same_folds("s", learners[i], NULL, (cr_deal){.folds = 4});
}

/* Each fold's rows have cuts of their own, though their numbers are counted once. */
static void cuts_without_a_fold_are_found_in_the_other_rows(void **state)
{
    static const char *const learners[] = {"tan", "aode", "kdb", "pairs"};
    static const char *const params[] = {NULL, "bins=mdl", "bins=frequency:3", "bins=width",
                                         "bins=sqrt"};

    (void)state;
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        for (size_t k = 0; k < sizeof params / sizeof *params; k++)
            expect_same_folds("nos", learners[i], params[k],
                              (cr_deal){.folds = 5, .repeats = 2, .seed = k});
}

/* --- answers --------------------------------------------------------------------------------- */

static cr_cv *validate(cr_study *study, const char *learner, const char *param)
{
    cr_cv *cv = NULL;
    cr_error err = {0};

    if (cr_cv_run(&cv, study, learner, &param, param != NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    return cv;
}

typedef struct expected {
    const cr_cv *cv;
    size_t *row; /* of the fold's rows */
    size_t at;
} expected;

static cr_status compare_answers(void *context, const cr_predictions *p)
{
    expected *e = context;
    double posterior[3];
    cr_cv_answer a;

    for (size_t r = 0; r < p->rows; r++) {
        cr_cv_get(e->cv, 0, e->row[e->at++], NULL, &a, posterior);
        assert_int_equal(a.line, p->line[r]);
        if (p->classes == 3) /* else the fold has the only row of a class */
            assert_int_equal(a.decision, p->decision[r]);
        for (size_t c = 0; p->classes == 3 && c < 3; c++)
            assert_true(posterior[c] == p->posterior[r * 3 + c]);
    }
    return CR_OK;
}

static void answers_are_those_of_the_model_without_the_fold(void **state)
{
    cr_source *source = open_data("nost");
    cr_study *study = open_study(source, (cr_deal){.folds = 4}, 3);
    cr_cv *cv = validate(study, NULL, NULL);
    cr__candidate c;
    uint32_t list[ROWS];
    size_t row[ROWS], seen = 0;

    (void)state;
    assert_int_equal(cr__candidate_open(&c, study, "nb", NULL, 0, NULL), CR_OK);
    for (uint32_t f = 0; f < 4; f++) {
        expected e = {cv, row, 0};
        const cr_sink sink = {.visit = compare_answers, .context = &e};
        size_t rows = cr__folds_list(c.set->fold, c.set->row, c.set->rows, f, 0, list), n = 0;
        cr_model *model = retrain(&c, list, rows);
        cr_source *fold;

        rows = cr__folds_list(c.set->fold, c.set->row, c.set->rows, f, 1, list);
        for (size_t r = 0; r < c.set->rows; r++)
            if (c.set->fold[r] == f)
                row[n++] = r;
        assert_int_equal(cr__source_open_table(&fold, c.set->table, list, rows, NULL), CR_OK);
        assert_int_equal(cr_model_predict(model, fold, NULL, &sink, NULL, NULL, NULL), CR_OK);
        seen += e.at;
        cr_source_close(fold);
        cr_model_free(model);
    }
    assert_int_equal(seen, c.set->rows);
    cr_cv_free(cv);
    cr_study_free(study);
    cr_source_close(source);
}

static double accuracy_of(const cr_cv *cv, size_t fold, double *rows)
{
    cr_evaluation *e;
    cr_metrics m;

    assert_int_equal(cr_cv_evaluate(cv, fold, NULL, &e, NULL), CR_OK);
    cr_evaluation_metrics(e, &m);
    cr_evaluation_free(e);
    *rows = m.rows;
    return m.accuracy;
}

static void the_number_of_threads_changes_nothing(void **state)
{
    double rows, first = 0;

    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        cr_source *source = open_data("nost");
        cr_study *study =
            open_study(source, (cr_deal){.folds = 5, .repeats = 2, .seed = 5}, threads);
        cr_cv *cv = validate(study, NULL, NULL);
        const double accuracy = accuracy_of(cv, SIZE_MAX, &rows);

        if (threads == 1)
            first = accuracy;
        assert_true(accuracy == first);
        cr_cv_free(cv);
        cr_study_free(study);
        cr_source_close(source);
    }
}

static void figures_of_the_folds_add_up_to_those_of_all(void **state)
{
    cr_source *source = open_data("nos");
    cr_study *study = open_study(source, (cr_deal){.folds = 6, .repeats = 2}, 2);
    cr_cv *cv = validate(study, NULL, NULL);
    double rows, correct = 0, total = 0, all_rows;
    const double accuracy = accuracy_of(cv, SIZE_MAX, &all_rows);

    (void)state;
    for (size_t f = 0; f < 12; f++) {
        const double a = accuracy_of(cv, f, &rows);

        correct += a * rows;
        total += rows;
    }
    assert_true(total == all_rows);
    assert_true(fabs(correct / total - accuracy) < 1e-12);
    cr_cv_free(cv);
    cr_study_free(study);
    cr_source_close(source);
}

/* Each row's scores by the fast way and by a model that was trained without it. */
static void expect_same_answers(const char *columns, const char *param)
{
    cr_source *source = open_data(columns);
    cr_study *study = open_study(source, (cr_deal){.folds = CR_LEAVE_ONE_OUT}, 2);
    cr_cv *cv = validate(study, "nb", param);
    cr_cv_facts facts;
    cr__candidate c;

    cr_cv_get_facts(cv, &facts);
    assert_int_equal(facts.way, CR_CV_DECREMENTED);
    assert_int_equal(cr__candidate_open(&c, study, "nb", &param, param != NULL, NULL), CR_OK);
    for (size_t r = 0; r < facts.rows; r++) {
        double posterior[3], expected_score[3];
        size_t *place;
        cr_model *model;
        cr_cv_answer a;

        assert_int_equal(cr__candidate_without(&c, r, &model, NULL), CR_OK);
        assert_int_equal(cr__class_places(model, cr_cv_model(cv), &place, NULL), CR_OK);
        assert_int_equal(cr__score_rows(model, c.set->table, c.set->row + r, 1, place, 3, NULL,
                                        expected_score, NULL),
                         CR_OK);
        cr_cv_get(cv, 0, r, NULL, &a, posterior);
        for (size_t k = 0; k < 3; k++) {
            const double got = cr__cv_score(cv, 0, r)[k], wanted = expected_score[k];

            if (isfinite(wanted) ? !(fabs(got - wanted) <= 1e-9 * fmax(1, fabs(wanted)))
                                 : got != wanted)
                fail_msg("%s %s row %zu class %zu: %.17g, not %.17g", columns,
                         param == NULL ? "" : param, r, k, got, wanted);
        }
        cr__free(place);
        cr_model_free(model);
    }
    cr_cv_free(cv);
    cr_study_free(study);
    cr_source_close(source);
}

static void leaving_one_out_is_training_without_it(void **state)
{
    static const char *const tables[] = {NULL,
                                         "variance=class-feature",
                                         "variance=class",
                                         "variance=shared",
                                         "gaussian=predictive",
                                         "smoothing=m-estimate",
                                         "smoothing=none",
                                         "prior=map",
                                         "prior=uniform",
                                         "unseen=smooth",
                                         "smoothing=dirichlet",
                                         "variance-estimate=mle"};
    static const char *const texts[] = {
        NULL, "alpha=0.01", "event=boolean", "event=complement", "weight=binary", "ngrams=1..2"};

    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        expect_same_answers("nos", tables[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_same_answers("t", texts[i]);
    expect_same_answers("nost", NULL);
}

/* --- folds ------------------------------------------------------------------------------------ */

static void strata_and_sizes_differ_by_one_at_most(void **state)
{
    enum { N = 103, K = 7 };
    uint32_t class_code[N], fold[N], other[N];

    (void)state;
    for (uint32_t r = 0; r < N; r++)
        class_code[r] = r % 10 == 0 ? 2 : r % 3 == 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const cr__deal deal = {
            .rows = N, .folds = K, .class_code = class_code, .classes = 3, .seed = seed};
        size_t size[K] = {0}, of[K][3] = {{0}};

        assert_int_equal(cr__folds_deal(fold, &deal, NULL), CR_OK);
        assert_int_equal(cr__folds_deal(other, &deal, NULL), CR_OK);
        assert_memory_equal(fold, other, sizeof fold);
        for (size_t r = 0; r < N; r++) {
            size[fold[r]]++;
            of[fold[r]][class_code[r]]++;
        }
        for (size_t a = 0; a < K; a++)
            for (size_t b = 0; b < K; b++) {
                assert_true(size[a] <= size[b] + 1);
                for (size_t c = 0; c < 3; c++)
                    assert_true(of[a][c] <= of[b][c] + 1);
            }
    }
}

static void groups_stay_together_and_are_no_features(void **state)
{
    cr_source *source = open_data("nsg");
    cr_study *study = open_study(source, (cr_deal){.folds = 5, .group = "group"}, 2);
    cr_cv *cv = validate(study, NULL, NULL);
    cr_cv_facts facts;
    cr_cv_answer a;
    double posterior[3];
    size_t fold_of[31];

    (void)state;
    cr_cv_get_facts(cv, &facts);
    for (size_t g = 0; g < 31; g++)
        fold_of[g] = SIZE_MAX;
    for (size_t r = 0; r < facts.rows; r++) {
        size_t g;

        cr_cv_get(cv, 0, r, NULL, &a, posterior);
        g = (size_t)strtoul(all.named[a.line - 1] + 1, NULL, 10);
        assert_true(fold_of[g] == SIZE_MAX || fold_of[g] == a.fold);
        fold_of[g] = a.fold;
    }
    assert_int_equal(cr_schema_kind(cr_model_schema(cr_cv_model(cv)), 2), CR_IGNORE);
    cr_cv_free(cv);
    cr_study_free(study);
    cr_source_close(source);
}

/* Ten accuracies of mean .85, by hand: Σ (x - .85)² = .0092, s = sqrt(.0092 / 9); the 97.5 % point
 * of t with 9 degrees of freedom is 2.262157 (R's qt). */
static void the_interval_is_that_of_nadeau_and_bengio(void **state)
{
    static const double figure[] = {.80, .90, .85, .85, .81, .89, .83, .87, .84, .86};
    cr_spread s;

    (void)state;
    cr_corrected_spread(figure, 10, 1.0 / 9, &s);
    assert_true(fabs(s.mean - .85) < 1e-12);
    assert_true(fabs(s.deviation - sqrt(.0092 / 9)) < 1e-12);
    assert_true(fabs(s.high - s.mean - 2.2621571627409915 * s.deviation * sqrt(.1 + 1.0 / 9)) <
                1e-12);
    cr_corrected_spread(figure, 1, 1.0 / 9, &s);
    assert_true(isnan(s.low) && s.mean == .8);
}

static void what_cannot_be_dealt_is_said(void **state)
{
    cr_source *source = open_data("ns");
    cr_study *study;
    cr_cv *cv;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_study_new(&study, source, &(cr_deal){.folds = 1}, NULL, &err), CR_EARG);
    study = open_study(source, (cr_deal){.folds = ROWS + 1}, 1);
    assert_int_equal(cr_cv_run(&cv, study, NULL, NULL, 0, &err), CR_EARG);
    cr_study_free(study);
    study = open_study(source, (cr_deal){.group = "nothing"}, 1);
    assert_int_equal(cr_cv_run(&cv, study, NULL, NULL, 0, &err), CR_EARG);
    assert_non_null(strstr(err.message, "nothing"));
    cr_study_free(study);
    study = open_study(source, (cr_deal){0}, 1);
    assert_int_equal(cr_cv_run(&cv, study, "nonsense", NULL, 0, &err), CR_EARG);
    cr_study_free(study);
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_held_stays_within_the_limit),
        cmocka_unit_test(naive_bayes_without_a_fold_is_naive_bayes_retrained),
        cmocka_unit_test(texts_without_a_fold_are_texts_retrained),
        cmocka_unit_test(other_learners_without_a_fold_are_retrained_ones),
        cmocka_unit_test(cuts_without_a_fold_are_found_in_the_other_rows),
        cmocka_unit_test(answers_are_those_of_the_model_without_the_fold),
        cmocka_unit_test(leaving_one_out_is_training_without_it),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
        cmocka_unit_test(figures_of_the_folds_add_up_to_those_of_all),
        cmocka_unit_test(strata_and_sizes_differ_by_one_at_most),
        cmocka_unit_test(groups_stay_together_and_are_no_features),
        cmocka_unit_test(the_interval_is_that_of_nadeau_and_bengio),
        cmocka_unit_test(what_cannot_be_dealt_is_said),
    };
    return cmocka_run_group_tests_name("cv", tests, NULL, NULL);
}
