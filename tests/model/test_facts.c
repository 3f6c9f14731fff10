/* tests/model/test_facts.c - what a program can ask a model and its source, one story for each.
 *
 * Numbers are counted in the tables below or worked by hand, as said beside them.
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

#include "support/in_memory.h"
#include "support/model_bytes.h"

/* The sky decides; the wind and the hours say nothing. */
static const char play[] = "wind,hours,sky,play\n"
                           "weak,1,sun,yes\nweak,3,sun,yes\nstrong,5,sun,yes\n"
                           "weak,1,rain,no\nweak,3,rain,no\nstrong,5,rain,no\n";
static const char prices[] = "size,price\n1,3\n2,5\n3,7.5\n4,9\n";
static const char letters[] = "text,class\n"
                              "buy cheap pills,spam\nmeet me at noon,good\n"
                              "cheap pills today,spam\nlunch at noon today,good\n";

static void its_kind(void **state)
{
    cr_model *nb = model_of(play, "nb", NULL), *linear = model_of(prices, "linear", NULL);
    int major, minor, patch;

    (void)state;
    assert_true(cr_model_has_classes(nb) && !cr_model_is_regression(nb));
    assert_true(cr_model_is_regression(linear) && !cr_model_has_classes(linear));
    assert_has(cr_model_title(nb), "naive Bayes");
    assert_has(cr_model_title(linear), "linear");
    assert_int_equal(sscanf(cr_version(), "%d.%d.%d", &major, &minor, &patch), 3);
    cr_model_free(nb);
    cr_model_free(linear);
}

static void its_columns(void **state)
{
    cr_model *nb = model_of(play, "nb", NULL);
    const cr_schema *schema = cr_model_schema(nb);
    const size_t wind = cr_schema_find(schema, "wind"), hours = cr_schema_find(schema, "hours"),
                 sky = cr_schema_find(schema, "sky"), target = cr_schema_find(schema, "play");
    cr_feature_rank rank[4];
    double mean, deviation;

    (void)state;
    assert_true(cr_model_has_values(nb, sky) && !cr_model_has_values(nb, hours));
    assert_string_equal(cr_kind_name(cr_schema_kind(schema, hours)), "real");
    assert_string_equal(cr_kind_name(cr_schema_kind(schema, sky)), "symbol");
    assert_string_equal(cr_why_text(cr_schema_why(schema, target)), cr_why_text(CR_WHY_TARGET));
    assert_string_not_equal(cr_why_text(CR_WHY_TARGET), cr_why_text(CR_WHY_WORDS));
    /* 1 3 5 1 3 5: mean 3, sum of squares 4 + 0 + 4 + 4 + 0 + 4 = 16, over 5 */
    assert_int_equal(cr_model_moments(nb, hours, &mean, &deviation), CR_OK);
    assert_true(mean == 3 && fabs(deviation - sqrt(3.2)) < 1e-15);
    assert_int_equal(cr_model_moments(nb, sky, &mean, &deviation), CR_EARG);
    assert_int_equal(cr_model_rank_features(nb, rank), 3);
    assert_int_equal(rank[0].column, sky);
    assert_true(rank[0].bits > 0.1 && rank[0].bits == cr_model_information(nb, sky));
    assert_true(fabs(cr_model_information(nb, wind)) <
                1e-12); /* 2 of 3 rows of either class are weak */
    cr_model_free(nb);
}

static void its_classes_and_words(void **state)
{
    cr_model *model = model_with(letters, "nb", "smoothing=none", "text=text");
    size_t spam = 9;
    cr_error err = {0};
    cr_word word;

    (void)state;
    assert_ok(cr_model_find_class(&spam, model, "spam", &err), err);
    assert_string_equal(cr_model_class(model, spam), "spam");
    assert_int_equal(cr_model_find_class(&spam, model, "spma", &err), CR_EARG);
    assert_has(err.hint, "spam");
    for (size_t w = 0; cr_model_word(model, 0, w, spam, &word) == CR_OK; w++) {
        const double odds = cr_model_word_odds(model, 0, w, spam);

        if (word.length == 5 && memcmp(word.bytes, "pills", 5) == 0)
            assert_true(isinf(odds) && odds > 0); /* never in good mail */
        if (word.length == 5 && memcmp(word.bytes, "today", 5) == 0)
            assert_true(fabs(odds - log((1.0 / 6) / (1.0 / 8))) < 1e-12); /* once in 6, once in 8 */
    }
    cr_model_free(model);
}

static void a_tree(void **state)
{
    cr_model *model = model_of(play, "tree", NULL), *nb = model_of(play, "nb", NULL);
    cr_tree tree = {0};
    cr_error err = {0};

    (void)state;
    assert_ok(cr_model_tree(model, &tree, &err), err);
    assert_int_equal(tree.nodes, 3); /* the sky, and what follows from either */
    assert_int_equal(tree.node[0].parent, SIZE_MAX);
    assert_int_equal(tree.node[0].column, 2);
    assert_string_equal(tree.node[1].branch, "sky = rain");
    assert_string_equal(cr_model_class(model, tree.node[1].best), "no");
    assert_true(tree.node[1].count[tree.node[1].best] == 3);
    assert_int_equal(tree.node[2].column, SIZE_MAX);
    cr_tree_free(&tree);
    assert_int_equal(cr_model_tree(nb, &tree, &err), CR_EARG);
    cr_tree_free(&tree);
    cr_model_free(model);
    cr_model_free(nb);
}

/* A table of probabilities is a model, too: P(rain) = .2 + .1, P(wet | rain) = .2 / .3. */
static void a_joint_table(void **state)
{
    cr_source *source =
        rows_with("sky,lawn,p\nrain,wet,.2\nrain,dry,.1\nsun,wet,.1\nsun,dry,.6\n", NULL, "p");
    cr_model *model = NULL;
    cr_answer *answer = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_joint_read(&model, source, &err), err);
    assert_ok(cr_query_run(model, "P(lawn=wet | sky=rain)", &answer, &err), err);
    assert_true(fabs(answer->probability - 2.0 / 3) < 1e-12);
    cr_answer_free(answer);
    cr_model_free(model);
    cr_source_close(source);
}

/* Two numbers whose correlation within each class is 1/2: (-1, -1), (0, 1), (1, 0) and the same a
 * hundred higher. G² = -N ln(1 - r²) with N = 6. */
static void correlated_numbers(void **state)
{
    static const char csv[] = "a,b,class\n-1,-1,u\n0,1,u\n1,0,u\n99,99,v\n100,101,v\n101,100,v\n";
    cr_model *cells = model_of(csv, "tan", NULL), *gda = model_of(csv, "gda", NULL);
    cr_independence *pairs = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_independence_measure(&pairs, cells, NULL, &err), err);
    assert_true(isnan(cr_independence_pair(pairs, 0)->correlation));
    assert_ok(cr_independence_numbers(pairs, cells, gda, &err), err);
    assert_true(fabs(cr_independence_pair(pairs, 0)->correlation - 0.5) < 1e-12);
    assert_true(fabs(cr_independence_pair(pairs, 0)->g2 + 6 * log(0.75)) < 1e-12);
    cr_independence_free(pairs);
    cr_model_free(cells);
    cr_model_free(gda);
}

/* --- training ----------------------------------------------------------------------------------
 */

static void a_search_that_starts_elsewhere(void **state)
{
    cr_source *source = rows_of(play);
    cr_model *plain = model_of(play, "logistic", NULL), *from = NULL, *again = NULL,
             *nb = model_of(play, "nb", NULL), *wrong = NULL;
    cr_error err = {0};
    cr_row *a = NULL, *b = NULL;
    double p[2], q[2];
    int32_t decision;

    (void)state;
    assert_ok(cr_model_train_from(&from, source, "logistic", NULL, 0, NULL, NULL, NULL, &err), err);
    assert_same_model(plain, from); /* it starts nowhere */
    assert_ok(cr_model_train_from(&again, source, "logistic", NULL, 0, plain, NULL, NULL, &err),
              err);
    assert_int_equal(cr_row_new(&a, plain, NULL), CR_OK);
    assert_int_equal(cr_row_new(&b, again, NULL), CR_OK);
    cr_row_set_real(a, 1, 2);
    cr_row_set_real(b, 1, 2);
    assert_int_equal(cr_model_classify(plain, a, p, &decision, NULL), CR_OK);
    assert_int_equal(cr_model_classify(again, b, q, &decision, NULL), CR_OK);
    assert_true(fabs(p[0] - q[0]) < 1e-6);
    assert_int_equal(cr_model_train_from(&wrong, source, "logistic", NULL, 0, nb, NULL, NULL, &err),
                     CR_ECONFLICT);
    cr_row_free(a);
    cr_row_free(b);
    cr_model_free(plain);
    cr_model_free(from);
    cr_model_free(again);
    cr_model_free(nb);
    cr_source_close(source);
}

static void rows_that_were_learned(void **state)
{
    cr_model *model = model_of(play, "nb", NULL);
    cr_source *same = rows_of(play),
              *other = rows_of("wind,hours,sky,play\nweak,77,sun,yes\nstrong,88,rain,no\n");
    int learned = -1;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_model_has_learned(model, same, NULL, &learned, &err), err);
    assert_int_equal(learned, 1); /* nothing would be left without them */
    assert_ok(cr_model_has_learned(model, other, NULL, &learned, &err), err);
    assert_int_equal(learned, 0);
    cr_source_close(same);
    cr_source_close(other);
    cr_model_free(model);
}

static void the_share_of_rows_that_were_learned(void **state)
{
    char learned[4000] = "text,class\n", judged[4000] = "text,class\n", line[200];
    cr_model *model;
    cr_source *source;
    cr_error err = {0};
    double share = -1;

    (void)state;
    /* Words that occur in one row alone: ten of fifteen rows were learned. */
    for (int r = 0; r < 20; r++) {
        snprintf(line, sizeof line, "a%d b%d c%d d%d e%d f%d,%s\n", r, r, r, r, r, r,
                 r % 2 ? "yes" : "no");
        if (r < 15)
            strcat(learned, line);
        if (r >= 5)
            strcat(judged, line);
    }
    model = model_of(learned, "nb", NULL);
    source = rows_of(judged);
    assert_ok(cr_model_share_learned(model, source, NULL, &share, &err), err);
    assert_true(share == 10.0 / 15);
    cr_source_close(source);
    cr_model_free(model);
    model = model_of(play, "nb", NULL); /* values that come often tell nothing */
    source = rows_of(play);
    assert_ok(cr_model_share_learned(model, source, NULL, &share, &err), err);
    assert_true(share == 0);
    cr_source_close(source);
    cr_model_free(model);
}

static void its_size(void **state)
{
    cr_model *model = model_of(play, "nb", NULL);
    size_t size;
    char *bytes = model_bytes(model, &size);

    (void)state;
    assert_true(cr_model_size(model) == (double)size);
    free(bytes);
    cr_model_free(model);
}

static void choices_made_again(void **state)
{
    cr_model *kept = model_of(play, "nb", "values=keep"), *bare = model_of(play, "nb", NULL);
    cr_error err = {0};

    (void)state;
    assert_ok(cr_model_refit_auto(kept, &err), err);
    assert_int_equal(cr_model_refit_auto(bare, &err), CR_EARG);
    cr_model_free(kept);
    cr_model_free(bare);
}

/* Answers of a cross-validation make a temperature, which the model says it has. */
static void calibrated_by_its_folds(void **state)
{
    cr_source *source = rows_of(play);
    cr_model *model = model_of(play, "nb", NULL);
    cr_calibration_report report;
    cr_study *study = NULL;
    cr_cv *cv = NULL;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_study_new(&study, source, &(cr_deal){.folds = 3}, NULL, &err), err);
    assert_ok(cr_cv_run(&cv, study, "nb", NULL, 0, &err), err);
    assert_null(cr_model_calibration(model));
    assert_ok(cr_model_calibrate(model, cv, "temperature", &report, &err), err);
    assert_string_equal(cr_model_calibration(model), "temperature");
    assert_string_equal(report.method, "temperature");
    assert_true(report.rows == 6 && report.temperature > 0);
    cr_cv_free(cv);
    cr_study_free(study);
    cr_model_free(model);
    cr_source_close(source);
}

/* --- the source --------------------------------------------------------------------------------
 */

static void notes_about_the_data(void **state)
{
    char csv[2048] = "id,x,class\n";
    size_t used = strlen(csv);
    cr_source *source;
    cr_model *model = NULL;
    cr_error note = {0}, err = {0};
    const char *text;

    (void)state;
    for (int i = 0; i < 60; i++)
        used += (size_t)snprintf(csv + used, sizeof csv - used, "a%d,%d,%c\n", i, i % 5,
                                 i % 2 == 0 ? 'u' : 'v');
    source = rows_of(csv);
    assert_ok(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, &err), err);
    text = cr_source_note(source, 0);
    assert_non_null(text);
    assert_has(text, "id");
    assert_int_equal(cr_source_get_note(source, 0, &note), CR_OK);
    assert_string_equal(note.message, text);
    assert_int_equal(cr_source_get_note(source, 99, &note), CR_END);
    cr_model_free(model);
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_kind),
        cmocka_unit_test(its_columns),
        cmocka_unit_test(its_classes_and_words),
        cmocka_unit_test(a_tree),
        cmocka_unit_test(a_joint_table),
        cmocka_unit_test(correlated_numbers),
        cmocka_unit_test(a_search_that_starts_elsewhere),
        cmocka_unit_test(rows_that_were_learned),
        cmocka_unit_test(the_share_of_rows_that_were_learned),
        cmocka_unit_test(its_size),
        cmocka_unit_test(choices_made_again),
        cmocka_unit_test(calibrated_by_its_folds),
        cmocka_unit_test(notes_about_the_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
