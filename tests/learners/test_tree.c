/* tests/learners/test_tree.c - decision trees and version spaces, on the tables of the textbooks.
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

#include "credence/credence.h"

/* --- reading a table from text -------------------------------------------------------------- */

enum { COLUMNS = 8, ROWS = 64 };

typedef struct sheet {
    char text[4096];
    const char *cell[COLUMNS][ROWS];
    double number[COLUMNS][ROWS];
    cr_array array[COLUMNS];
    size_t columns, rows;
} sheet;

/* Words between blanks, a line for each row, names first; a column whose name ends in # has
 * numbers, and ? is missing. The last column is the target. */
static cr_source *source_of(sheet *s, const char *text)
{
    char *save_line = NULL, *save = NULL;
    cr_source *source;

    memset(s, 0, sizeof *s);
    snprintf(s->text, sizeof s->text, "%s", text);
    for (char *line = strtok_r(s->text, "\n", &save_line); line != NULL;
         line = strtok_r(NULL, "\n", &save_line)) {
        size_t i = 0;

        for (char *word = strtok_r(line, " ", &save); word != NULL;
             word = strtok_r(NULL, " ", &save), i++) {
            if (s->array[i].name == NULL) {
                s->array[i] = (cr_array){.name = word, .text = s->cell[i]};
                if (strchr(word, '#') != NULL)
                    s->array[i] = (cr_array){.name = word, .real = s->number[i]};
                s->columns = i + 1;
                continue;
            }
            s->cell[i][s->rows] = strcmp(word, "?") == 0 ? NULL : word;
            s->number[i][s->rows] = strcmp(word, "?") == 0 ? NAN : strtod(word, NULL);
            if (i + 1 == s->columns)
                s->rows++;
        }
    }
    for (size_t i = 0; i < s->columns; i++)
        s->array[i].role = i + 1 == s->columns ? CR_ROLE_TARGET : CR_ROLE_FEATURE;
    assert_int_equal(cr_source_open_arrays(&source, s->array, s->columns, s->rows, NULL), CR_OK);
    return source;
}

static cr_status try_train(const char *text, const char *learner, const char *const *knobs,
                           size_t count, cr_model **out, cr_error *err)
{
    sheet *s = malloc(sizeof *s);
    cr_source *source = source_of(s, text);
    cr_status st = cr_model_train(out, source, learner, knobs, count, NULL, NULL, err);

    cr_source_close(source);
    free(s);
    return st;
}

static cr_model *train(const char *text, const char *learner, const char *const *knobs,
                       size_t count)
{
    cr_model *model;
    cr_error err = {0};

    if (try_train(text, learner, knobs, count, &model, &err) != CR_OK)
        fail_msg("%s", err.message);
    return model;
}

static void add_line(void *context, size_t depth, const char *text)
{
    char *all = context;

    snprintf(all + strlen(all), 4096 - strlen(all), "%*s%s\n", (int)(2 * depth), "", text);
}

static void expect_picture(const cr_model *model, const char *want)
{
    char all[4096] = "";

    assert_int_equal(cr_model_draw(model, add_line, all, NULL), CR_OK);
    assert_string_equal(all, want);
}

/* P(class 1 | row) of words or NULL. */
static double ask(const cr_model *model, const char *const *value, size_t count)
{
    cr_row *row;
    double p[3];
    int32_t decision;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(cr_row_set_text(row, i, value[i]), CR_OK);
    assert_int_equal(cr_model_classify(model, row, p, &decision, NULL), CR_OK);
    cr_row_free(row);
    return p[1];
}

/* --- trees ---------------------------------------------------------------------------------- */

/* Quinlan 1986, table 1: when to play tennis. */
static const char weather[] = "outlook temp humidity wind play\n"
                              "sunny hot high weak no\nsunny hot high strong no\n"
                              "overcast hot high weak yes\nrain mild high weak yes\n"
                              "rain cool normal weak yes\nrain cool normal strong no\n"
                              "overcast cool normal strong yes\nsunny mild high weak no\n"
                              "sunny cool normal weak yes\nrain mild normal weak yes\n"
                              "sunny mild normal strong yes\novercast mild high strong yes\n"
                              "overcast hot normal weak yes\nrain mild high strong no\n";

/* The tree that the paper prints. */
static void the_tree_of_the_tennis_table(void **state)
{
    const char *const knobs[] = {"symbols=multiway", "m=0"};
    cr_model *model = train(weather, "tree", knobs, 2);

    (void)state;
    expect_picture(model, "outlook = overcast: yes (4)\n"
                          "outlook = rain\n  wind = strong: no (2)\n  wind = weak: yes (3)\n"
                          "outlook = sunny\n  humidity = high: no (3)\n"
                          "  humidity = normal: yes (2)\n");
    assert_true(ask(model, (const char *const[]){"rain", "hot", "high", "strong"}, 4) == 0);
    cr_model_free(model);
}

/* By hand: of the 14 rows 4 are overcast (all yes), 5 rain (3 weak: yes, 2 strong: no), 5 sunny (3
 * high: no, 2 normal: yes). Nothing known but a strong wind: 4/14 · 1 + 5/14 · 0 + 5/14 · 2/5. */
static void a_missing_value_goes_down_every_branch(void **state)
{
    const char *const knobs[] = {"symbols=multiway", "m=0"};
    cr_model *model = train(weather, "tree", knobs, 2);

    (void)state;
    assert_true(fabs(ask(model, (const char *const[]){NULL, NULL, NULL, "strong"}, 4) -
                     (4.0 / 14 + 5.0 / 14 * 2 / 5)) < 1e-12);
    cr_model_free(model);
}

/* By hand, m = 1: root (9 + 1/2)/(14 + 1) = 19/30 for yes; overcast (4 + 19/30)/5. */
static void leaves_are_smoothed_towards_the_nodes_above(void **state)
{
    const char *const knobs[] = {"symbols=multiway", "m=1"};
    cr_model *model = train(weather, "tree", knobs, 2);

    (void)state;
    assert_true(fabs(ask(model, (const char *const[]){"overcast", NULL, NULL, NULL}, 4) -
                     (4 + 19.0 / 30) / 5) < 1e-12);
    cr_model_free(model);
}

/* Rows that lack the value count in part: 8 rows decide at 2.5, the ninth goes both ways by 4 :
 * 4. */
static void thresholds_and_fractional_rows(void **state)
{
    static const char text[] = "x# c\n1 a\n1.5 a\n2 a\n2 a\n3 b\n3 b\n4 b\n5 b\n? a\n";
    const char *const knobs[] = {"m=0"};
    cr_model *model = train(text, "tree", knobs, 1);

    (void)state;
    expect_picture(model, "x# <= 2.5: a (4.5)\nx# > 2.5: b (4.5, 0.5 wrong)\n");
    cr_model_free(model);
}

/* Noise: the classes alternate, no question is worth asking, and pruning leaves one leaf. */
static void noise_is_pruned_and_refit_brings_it_back(void **state)
{
    char text[2048] = "x# c\n";
    const char *const none[] = {"confidence=1"}, *const usual[] = {"confidence=0.25"};
    cr_model *model;
    cr_model_facts grown, pruned;

    (void)state;
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d %s\n", i,
                 i * 7 % 11 < 6 ? "a" : "b");
    model = train(text, "tree", usual, 1);
    cr_model_get_facts(model, &pruned);
    assert_int_equal(cr_model_refit(model, none, 1, NULL), CR_OK);
    cr_model_get_facts(model, &grown);
    assert_true(grown.parameters >= pruned.parameters);
    cr_model_free(model);
}

static void a_tree_cannot_learn_more_or_forget(void **state)
{
    cr_model *model = train(weather, "tree", NULL, 0);
    sheet *s = malloc(sizeof *s);
    cr_source *source = source_of(s, weather);

    (void)state;
    assert_int_equal(cr_model_learn(model, source, NULL, NULL, NULL), CR_ECONFLICT);
    assert_int_equal(cr_model_unlearn(model, source, NULL, NULL, NULL), CR_ECONFLICT);
    cr_source_close(source);
    free(s);
    cr_model_free(model);
}

/* --- version spaces ------------------------------------------------------------------------- */

/* Mitchell 1997, table 2.1; figures 2.6 and 2.7, table 2.6. */
static const char sport[] = "sky air humidity wind water forecast enjoy\n"
                            "sunny warm normal strong warm same yes\n"
                            "sunny warm high strong warm same yes\n"
                            "rainy cold high strong warm change no\n"
                            "sunny warm high strong cool change yes\n";

static void the_version_space_of_enjoy_sport(void **state)
{
    cr_model *model = train(sport, "candidate-elimination", NULL, 0);

    (void)state;
    expect_picture(model, "S, the most specific description of 'yes'\n"
                          "  sky=sunny, air=warm, wind=strong\n"
                          "G, the most general: 2\n  sky=sunny\n  air=warm\n");
    /* All six say yes; all say no; three of six; two of six. */
    assert_true(ask(model,
                    (const char *const[]){"sunny", "warm", "normal", "strong", "cool", "change"},
                    6) == 1);
    assert_true(ask(model,
                    (const char *const[]){"rainy", "cold", "normal", "light", "warm", "same"},
                    6) == 0);
    assert_true(
        fabs(ask(model, (const char *const[]){"sunny", "warm", "normal", "light", "warm", "same"},
                 6) -
             0.5) < 1e-12);
    assert_true(
        fabs(ask(model, (const char *const[]){"sunny", "cold", "normal", "strong", "warm", "same"},
                 6) -
             1.0 / 3) < 1e-12);
    cr_model_free(model);
}

/* Learned in two parts it is the same. */
static void a_version_space_goes_on_learning(void **state)
{
    cr_model *whole = train(sport, "candidate-elimination", NULL, 0);
    cr_model *part = train("sky air humidity wind water forecast enjoy\n"
                           "sunny warm normal strong warm same yes\n"
                           "rainy cold high strong warm change no\n",
                           "candidate-elimination", NULL, 0);
    sheet *s = malloc(sizeof *s);
    cr_source *source = source_of(s, "sky air humidity wind water forecast enjoy\n"
                                     "sunny warm high strong warm same yes\n"
                                     "sunny warm high strong cool change yes\n");
    char a[4096] = "", b[4096] = "";

    (void)state;
    assert_int_equal(cr_model_learn(part, source, NULL, NULL, NULL), CR_OK);
    cr_model_draw(whole, add_line, a, NULL);
    cr_model_draw(part, add_line, b, NULL);
    assert_string_equal(a, b);
    cr_source_close(source);
    free(s);
    cr_model_free(whole);
    cr_model_free(part);
}

static void a_contradiction_is_named(void **state)
{
    cr_model *model;
    cr_error err = {0};
    char text[1024];

    (void)state;
    snprintf(text, sizeof text, "%ssunny warm low strong cool same no\n", sport);
    assert_int_equal(try_train(text, "candidate-elimination", NULL, 0, &model, &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "line 5"));
    assert_int_equal(
        try_train("x c\n1 a\n2 b\n3 d\n", "candidate-elimination", NULL, 0, &model, &err), CR_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_of_the_tennis_table),
        cmocka_unit_test(a_missing_value_goes_down_every_branch),
        cmocka_unit_test(leaves_are_smoothed_towards_the_nodes_above),
        cmocka_unit_test(thresholds_and_fractional_rows),
        cmocka_unit_test(noise_is_pruned_and_refit_brings_it_back),
        cmocka_unit_test(a_tree_cannot_learn_more_or_forget),
        cmocka_unit_test(the_version_space_of_enjoy_sport),
        cmocka_unit_test(a_version_space_goes_on_learning),
        cmocka_unit_test(a_contradiction_is_named),
    };

    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
