/* tests/decide/test_changes.c - what would have to change for another decision.
 *
 * A reported change leads to the decision that it states, and no smaller one does: checked by
 * trying, and for two Gaussians by solving for the boundary by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "credence/credence.h"

static cr_model *learn(const char *table, const char *target, const char *learner, const char *knob)
{
    const char *const knobs[] = {knob}, *const types[] = {"text=text"};
    cr_source_options o;
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    cr_source_options_default(&o);
    o.format = "csv";
    o.target = target;
    o.types = types;
    o.type_count = strstr(table, "text,") != NULL;
    assert_int_equal(cr_source_open_memory(&source, table, strlen(table), "t", &o, &err), CR_OK);
    if (cr_model_train(&model, source, learner, knobs, knob != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static cr_row *row_of(const cr_model *model)
{
    cr_row *row;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    return row;
}

static const cr_change *change_of(const cr_changes *changes, const char *name)
{
    for (size_t i = 0; i < changes->count; i++)
        if (strcmp(changes->change[i].name, name) == 0)
            return &changes->change[i];
    return NULL;
}

static int32_t decide(cr_row *row, const cr_rule *rule, double *posterior)
{
    cr_decision d;

    assert_int_equal(cr_row_classify(row, rule, posterior, &d), CR_OK);
    return d.decision;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Two classes at -1 ± 1 and 3 ± 1, pooled variance 4/(4 - 2) = 2, equal priors: the log-odds are
 * 2 (x - 1), the boundary at 1. Over all rows the mean is 1, the sum of squares 4 (1 + 4) = 20 of 4
 * rows, so that s² = 20/3. */
static const char two[] = "x,class\n-2,a\n0,a\n2,b\n4,b\n";

static void a_number_changes_at_the_boundary(void **state)
{
    cr_model *model = learn(two, "class", "nb", "variance=feature");
    cr_row *row = row_of(model);
    cr_changes *changes;
    double posterior[2];

    (void)state;
    cr_row_set_real(row, 0, -0.5);
    assert_int_equal(cr_row_changes(row, NULL, &changes, NULL), CR_OK);
    assert_int_equal(changes->count, 1);
    assert_string_equal(changes->change[0].name, "x");
    assert_int_equal(changes->change[0].decision, 1);
    /* The boundary itself is a tie, which goes to the first class: one hundredth beyond. */
    assert_true(changes->change[0].number > 1 && changes->change[0].number <= 1.01 + 1e-12);
    assert_true(fabs(changes->change[0].distance -
                     (changes->change[0].number + 0.5) / sqrt(20.0 / 3)) < 1e-12);
    assert_int_equal(decide(row, NULL, posterior), 0); /* the row is as it was */
    cr_changes_free(changes);
    cr_row_free(row);
    cr_model_free(model);
}

/* With costs the boundary lies where the log-odds, 2 (x - 1), equal ln 9: x = 1 + ln(9)/2. */
static void costs_move_the_boundary(void **state)
{
    cr_model *model = learn(two, "class", "nb", "variance=feature");
    const cr_rule_options o = {.costs = "a->b=9, b->a=1"};
    cr_row *row = row_of(model);
    cr_changes *changes;
    cr_rule *rule;

    (void)state;
    assert_int_equal(cr_rule_new(&rule, model, &o, NULL), CR_OK);
    cr_row_set_real(row, 0, 3);
    assert_int_equal(cr_row_changes(row, rule, &changes, NULL), CR_OK);
    assert_int_equal(changes->count, 1);
    assert_true(changes->change[0].number <= 1 + log(9) / 2 &&
                changes->change[0].number > 1 + log(9) / 2 - 0.011);
    cr_changes_free(changes);
    cr_rule_free(rule);
    cr_row_free(row);
    cr_model_free(model);
}

/* --- any learner ------------------------------------------------------------------------------ */

enum { ROWS = 120, MOST = 3 };

static const char *const classes[MOST] = {"a", "b", "c"};
static const char *const values[4] = {"u", "v", "w", "x"};

static void write_table(char *out, size_t size, uint64_t seed)
{
    cr__random random;
    size_t at = (size_t)snprintf(out, size, "p,s,q,class\n");

    cr__random_seed(&random, seed);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&random, MOST);

        at += (size_t)snprintf(out + at, size - at, "%.3f,%s,%.1f,%s\n",
                               (double)c + cr__random_normal(&random),
                               values[(c + cr__random_below(&random, 3)) % 4],
                               40 * (double)c + 100 * cr__random_normal(&random), classes[c]);
    }
}

/* Nothing nearer than the reported change changes the decision, checked at a hundred places. */
static void check_number(cr_row *row, const cr_change *c, size_t column, double from, int32_t was)
{
    const double deviation = fabs(c->number - from) / c->distance;
    double posterior[MOST];

    cr_row_set_real(row, column, c->number);
    assert_int_equal(decide(row, NULL, posterior), c->decision);
    assert_true(posterior[c->decision] == c->probability);
    for (int i = 1; i < 100; i++) {
        const double x = from + (c->number - from) * i / 100;

        if (fabs(x - c->number) > 0.02 * deviation) {
            cr_row_set_real(row, column, x);
            assert_int_equal(decide(row, NULL, posterior), was);
        }
    }
}

static void check_value(cr_row *row, const cr_change *c, size_t column, int32_t was)
{
    double posterior[MOST], most = -1;

    for (int32_t v = 0; v < 4; v++) {
        int32_t d;

        cr_row_set_code(row, column, v);
        d = decide(row, NULL, posterior);
        if (d != was)
            most = fmax(most, posterior[d]);
    }
    if (c == NULL)
        assert_true(most == -1);
    else
        assert_true(c->probability == most);
}

static void check_row(const cr_model *model, double p, const char *s, double q)
{
    cr_row *row = row_of(model);
    double posterior[MOST];
    cr_changes *changes;
    const cr_change *c;
    int32_t was;

    cr_row_set_real(row, 0, p);
    cr_row_set_text(row, 1, s);
    cr_row_set_real(row, 2, q);
    was = decide(row, NULL, posterior);
    assert_int_equal(cr_row_changes(row, NULL, &changes, NULL), CR_OK);
    for (size_t i = 1; i < changes->count; i++)
        assert_true(changes->change[i].distance >= changes->change[i - 1].distance);
    if ((c = change_of(changes, "p")) != NULL && c->value == NULL)
        check_number(row, c, 0, p, was);
    cr_row_set_real(row, 0, p);
    if ((c = change_of(changes, "q")) != NULL && c->value == NULL)
        check_number(row, c, 2, q, was);
    cr_row_set_real(row, 2, q);
    check_value(row, change_of(changes, "s"), 1, was);
    cr_changes_free(changes);
    cr_row_free(row);
}

static void every_learner_is_changed_by_what_is_told(void **state)
{
    static const struct {
        const char *learner, *knob;
    } tried[] = {{"nb", NULL},  {"nb", "real=kde"}, {"nb", "real=bins:frequency:4"},
                 {"gda", NULL}, {"tree", NULL},     {"logistic", NULL}};
    static char table[1 << 14];
    cr__random random;

    (void)state;
    write_table(table, sizeof table, 5);
    cr__random_seed(&random, 6);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        cr_model *model = learn(table, "class", tried[i].learner, tried[i].knob);

        for (int r = 0; r < 12; r++)
            check_row(model, 2 * cr__random_normal(&random), values[r % 4],
                      100 * cr__random_normal(&random));
        cr_model_free(model);
    }
}

/* An interval of a cut number is reported by its name, and leads to the decision. */
static void an_interval_is_told_by_its_name(void **state)
{
    cr_model *model =
        learn("x,class\n1,a\n2,a\n3,a\n7,b\n8,b\n9,b\n", "class", "nb", "real=bins:frequency:2");
    cr_row *row = row_of(model);
    cr_changes *changes;

    (void)state;
    cr_row_set_real(row, 0, 2);
    assert_int_equal(cr_row_changes(row, NULL, &changes, NULL), CR_OK);
    assert_int_equal(changes->count, 1);
    assert_true(isnan(changes->change[0].number));
    assert_int_equal(changes->change[0].value[0], '>');
    assert_int_equal(changes->change[0].decision, 1);
    cr_changes_free(changes);
    cr_row_free(row);
    cr_model_free(model);
}

/* A missing value may become known: the search begins at the mean. */
static void a_missing_number_is_told(void **state)
{
    cr_model *model = learn(two, "class", "nb", "variance=feature");
    cr_row *row = row_of(model);
    cr_changes *changes;

    (void)state;
    assert_int_equal(cr_row_changes(row, NULL, &changes, NULL), CR_OK);
    assert_int_equal(changes->count, 1); /* a tie for a; b beyond the mean, 1 */
    assert_true(changes->change[0].number > 1 && changes->change[0].number <= 1.01 + 1e-12);
    cr_changes_free(changes);
    cr_row_free(row);
    cr_model_free(model);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* "free free win lunch": of the words that support spam, "free" twice is the strongest; trying
 * shows whether the rest is then decided for ham. */
static void words_are_left_out_strongest_first(void **state)
{
    cr_model *model = learn("text,tag\nfree free win,spam\nfree prize now,spam\nwin prize,spam\n"
                            "lunch at noon,ham\nnoon meeting lunch,ham\nsee you at lunch,ham\n",
                            "tag", "nb", NULL);
    cr_row *row = row_of(model), *rest = row_of(model);
    double posterior[2];
    cr_changes *changes;
    cr_word word;

    (void)state;
    cr_row_set_text(row, 0, "free win free lunch");
    assert_int_equal(cr_row_changes(row, NULL, &changes, NULL), CR_OK);
    assert_int_equal(changes->count, 1);
    assert_int_equal(changes->change[0].words, 1);
    assert_int_equal(cr_model_word(model, 0, changes->change[0].word[0], 0, &word), CR_OK);
    assert_int_equal(word.length, 4);
    assert_memory_equal(word.bytes, "free", 4);
    cr_row_set_text(rest, 0, "win lunch");
    assert_int_equal(decide(rest, NULL, posterior), changes->change[0].decision);
    assert_true(posterior[changes->change[0].decision] == changes->change[0].probability);
    assert_int_not_equal(decide(row, NULL, posterior), changes->change[0].decision);
    cr_changes_free(changes);
    cr_row_free(row);
    cr_row_free(rest);
    cr_model_free(model);
}

/* --- rows of a source ------------------------------------------------------------------------- */

typedef struct pass {
    const cr_model *model;
    size_t rows;
} pass;

static cr_status take(void *context, const cr_explanation *e)
{
    pass *p = context;
    cr_row *row = row_of(p->model);
    double posterior[2];

    assert_int_equal(cr_row_take(row, e), CR_OK);
    assert_int_equal(decide(row, NULL, posterior), e->decision);
    assert_memory_equal(posterior, e->posterior, sizeof posterior);
    cr_row_free(row);
    p->rows++;
    return CR_OK;
}

static void a_row_is_taken_from_an_explanation(void **state)
{
    static const char table[] =
        "x,s,text,class\n1,u,one two,a\n?,v,two two,b\n3,?,?,b\n2,w,one,a\n";
    cr_model *model = learn(table, "class", "nb", NULL);
    pass p = {.model = model};
    cr_source_options o;
    cr_source *source;

    (void)state;
    cr_source_options_default(&o);
    o.format = "csv";
    assert_int_equal(cr_source_open_memory(&source, table, sizeof table - 1, "t", &o, NULL), CR_OK);
    assert_int_equal(cr_model_explain(model, source, NULL, take, &p, NULL), CR_OK);
    assert_int_equal(p.rows, 4);
    cr_source_close(source);
    cr_model_free(model);
}

static void memory_may_run_out_anywhere(void **state)
{
    cr_model *model =
        learn("x,text,class\n-2,one,a\n0,two,a\n2,three,b\n4,one three,b\n", "class", "nb", NULL);
    cr_row *row = row_of(model);
    cr_status st = CR_ENOMEM;

    (void)state;
    cr_row_set_real(row, 0, 1.2);
    cr_row_set_text(row, 1, "three one");
    for (long n = 0; st != CR_OK; n++) {
        cr_changes *changes;

        cr__memory_fail_after = n;
        st = cr_row_changes(row, NULL, &changes, NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || (st == CR_ENOMEM && changes == NULL));
        cr_changes_free(changes);
        assert_true(n < 1000);
    }
    cr_row_free(row);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_changes_at_the_boundary),
        cmocka_unit_test(costs_move_the_boundary),
        cmocka_unit_test(every_learner_is_changed_by_what_is_told),
        cmocka_unit_test(an_interval_is_told_by_its_name),
        cmocka_unit_test(a_missing_number_is_told),
        cmocka_unit_test(words_are_left_out_strongest_first),
        cmocka_unit_test(a_row_is_taken_from_an_explanation),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
