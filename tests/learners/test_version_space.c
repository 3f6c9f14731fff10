/* tests/learners/test_version_space.c - version spaces over numbers: boxes, and their votes.
 *
 * Votes are compared with brute force: every combination of gaps in which the ends of a box may lie
 * is gone through, and those that keep all rows of the other class out are counted.
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

#include "credence/credence.h"

enum { ROWS_MOST = 40, COLOURS = 3 };

typedef struct rows {
    size_t count;
    double x[ROWS_MOST], y[ROWS_MOST];
    const char *colour[ROWS_MOST], *class_name[ROWS_MOST];
} rows;

static const char *const colour[COLOURS] = {"red", "green", "blue"};

static void add(rows *t, double x, double y, size_t c, int yes)
{
    t->x[t->count] = x;
    t->y[t->count] = y;
    t->colour[t->count] = colour[c];
    t->class_name[t->count++] = yes ? "yes" : "no";
}

static cr_source *source_of(const rows *t, size_t from, size_t to)
{
    const cr_array arrays[] = {
        {.name = "x", .real = t->x + from},
        {.name = "y", .real = t->y + from},
        {.name = "colour", .text = t->colour + from},
        {.name = "class", .text = t->class_name + from, .role = CR_ROLE_TARGET}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 4, to - from, NULL), CR_OK);
    return source;
}

static cr_status try_train(const rows *t, size_t from, size_t to, cr_model **model, cr_error *err)
{
    const char *params[] = {"positive=yes"};
    cr_source *source = source_of(t, from, to);
    const cr_status st =
        cr_model_train(model, source, "candidate-elimination", params, 1, NULL, NULL, err);

    cr_source_close(source);
    return st;
}

static cr_model *train(const rows *t)
{
    cr_model *model;
    cr_error err = {0};

    if (try_train(t, 0, t->count, &model, &err) != CR_OK)
        fail_msg("%s", err.message);
    return model;
}

/* P(yes | row) */
static double ask(const cr_model *model, double x, double y, size_t c)
{
    double posterior[2];
    int32_t decision;
    cr_row *row;
    const size_t yes = strcmp(cr_model_class(model, 0), "yes") != 0;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    cr_row_set_real(row, 0, x);
    cr_row_set_real(row, 1, y);
    cr_row_set_text(row, 2, colour[c]);
    assert_int_equal(cr_model_classify(model, row, posterior, &decision, NULL), CR_OK);
    cr_row_free(row);
    return posterior[yes];
}

static void add_line(void *context, size_t depth, const char *text)
{
    char *out = context;

    snprintf(out + strlen(out), 4096 - strlen(out), "%*s%s\n", (int)depth * 2, "", text);
}

/* --- by hand ---------------------------------------------------------------------------------- */

/* S is the box 2..4 by 5..6. The row at x = 1 is kept out on the left, the one at y = 9 above: G is
 * the one box between them. */
static void a_box_has_one_most_specific_description(void **state)
{
    rows t = {0};
    cr_model *model;
    char text[4096] = "";

    (void)state;
    add(&t, 2, 5, 0, 1);
    add(&t, 4, 6, 0, 1);
    add(&t, 1, 5.5, 0, 0);
    add(&t, 3, 9, 0, 0);
    model = train(&t);
    assert_int_equal(cr_model_draw(model, add_line, text, NULL), CR_OK);
    assert_string_equal(text, "S, the most specific description of 'yes'\n"
                              "  2 <= x <= 4, 5 <= y <= 6, colour=red\n"
                              "G, the most general: 1\n"
                              "  1 < x, y < 9\n");
    assert_true(ask(model, 3, 5, 0) == 1);   /* in S */
    assert_true(ask(model, 1, 5, 0) == 0);   /* beyond G */
    assert_true(ask(model, 3, 9.5, 0) == 0); /* beyond G */
    /* The left end lies anywhere between 1 and 2: three quarters of the way, one in four. */
    assert_true(fabs(ask(model, 1.25, 5, 0) - .25) < 1e-12);
    /* To the right there is no row, so no hypothesis has an end there. */
    assert_true(fabs(ask(model, 100, 5, 0) - 1) < 1e-12);
    /* A missing number is within those that ask for none: none has no left end. */
    assert_true(ask(model, NAN, 5, 0) == 0);
    /* Half of them ask for red. */
    assert_true(fabs(ask(model, 3, 5, 1) - .5) < 1e-12);
    cr_model_free(model);
}

/* The first row leaves x < 4 and y < 1.4. The second one is kept out by x < 1 or y < 1, and
 * "x < 4, y < 1" is less general than these. */
static void the_most_general_are_no_more_than_needed(void **state)
{
    rows t = {0};
    cr_model *model;
    char text[4096] = "";

    (void)state;
    add(&t, 0, 0, 0, 1);
    add(&t, 0, 0, 1, 1);
    add(&t, 4, 1.4, 0, 0);
    add(&t, 1, 1, 0, 0);
    model = train(&t);
    assert_int_equal(cr_model_draw(model, add_line, text, NULL), CR_OK);
    assert_string_equal(text, "S, the most specific description of 'yes'\n"
                              "  0 <= x <= 0, 0 <= y <= 0\n"
                              "G, the most general: 2\n"
                              "  x < 1\n  y < 1\n");
    cr_model_free(model);
}

/* --- by brute force --------------------------------------------------------------------------- */

typedef struct side {
    double end[ROWS_MOST]; /* values outside S, from S on; end[0] is S's own */
    size_t gaps;           /* the last has no end */
    double sign;
} side;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static side make_side(const rows *t, const double *x, double sign)
{
    side s = {.sign = sign, .end[0] = -INFINITY};
    size_t n = 1;

    for (size_t r = 0; r < t->count; r++)
        if (t->class_name[r][0] == 'y')
            s.end[0] = fmax(s.end[0], sign * x[r]);
    for (size_t r = 0; r < t->count; r++)
        if (t->class_name[r][0] == 'n' && sign * x[r] > s.end[0])
            s.end[n++] = sign * x[r];
    qsort(s.end, n, sizeof *s.end, ascending);
    s.gaps = 1;
    for (size_t i = 1; i < n; i++)
        if (s.end[i] > s.end[s.gaps - 1])
            s.end[s.gaps++] = s.end[i];
    return s;
}

/* The chance that an end in this gap lies beyond x. */
static double beyond(const side *s, size_t gap, double x)
{
    const double at = s->sign * x;

    if (at <= s->end[gap])
        return 1;
    if (gap + 1 == s->gaps)
        return 1;
    return at >= s->end[gap + 1] ? 0 : (s->end[gap + 1] - at) / (s->end[gap + 1] - s->end[gap]);
}

static double brute_force(const rows *t, double x, double y, const char *c)
{
    const side s[4] = {make_side(t, t->x, -1), make_side(t, t->x, 1), make_side(t, t->y, -1),
                       make_side(t, t->y, 1)};
    const char *common = NULL;
    double right = 0, yes = 0;
    int mixed = 0;

    for (size_t r = 0; r < t->count; r++)
        if (t->class_name[r][0] == 'y') {
            mixed |= common != NULL && strcmp(common, t->colour[r]) != 0;
            common = t->colour[r];
        }
    for (size_t i = 0; i < s[0].gaps * s[1].gaps * s[2].gaps * s[3].gaps * (mixed ? 1 : 2); i++) {
        size_t gap[4], rest = i;
        int wrong = 0, asks;
        double p = 1;

        for (size_t k = 0; k < 4; k++) {
            gap[k] = rest % s[k].gaps;
            rest /= s[k].gaps;
        }
        asks = rest == 1;
        for (size_t r = 0; r < t->count && !wrong; r++)
            wrong = t->class_name[r][0] == 'n' && beyond(&s[0], gap[0], t->x[r]) > 0 &&
                    beyond(&s[1], gap[1], t->x[r]) > 0 && beyond(&s[2], gap[2], t->y[r]) > 0 &&
                    beyond(&s[3], gap[3], t->y[r]) > 0 &&
                    (!asks || strcmp(t->colour[r], common) == 0);
        if (wrong)
            continue;
        p = beyond(&s[0], gap[0], x) * beyond(&s[1], gap[1], x) * beyond(&s[2], gap[2], y) *
            beyond(&s[3], gap[3], y) * (!asks || strcmp(c, common) == 0);
        right++;
        yes += p;
    }
    return yes / right;
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

/* Rows of a box that is red, among others that are not. */
static rows draw_rows(uint64_t *seed, size_t count)
{
    rows t = {0};

    add(&t, .5, .5, 0, 1);
    while (t.count < count) {
        const double x = floor(20 * uniform(seed)) / 20, y = floor(20 * uniform(seed)) / 20;
        const size_t c = (size_t)(COLOURS * uniform(seed));

        add(&t, x, y, c, x > .3 && x < .7 && y > .25 && y < .8 && c == 0);
    }
    return t;
}

static void votes_are_counted(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (size_t trial = 0; trial < 40; trial++) {
        const rows t = draw_rows(&seed, 4 + trial % 20);
        cr_model *model = train(&t);

        for (size_t i = 0; i < 20; i++) {
            const double x = uniform(&seed), y = uniform(&seed);
            const size_t c = (size_t)(COLOURS * uniform(&seed));

            if (fabs(ask(model, x, y, c) - brute_force(&t, x, y, colour[c])) > 1e-12)
                fail_msg("trial %zu, row %zu: %.17g, %.17g by brute force", trial, i,
                         ask(model, x, y, c), brute_force(&t, x, y, colour[c]));
        }
        cr_model_free(model);
    }
}

/* --- files and more rows ---------------------------------------------------------------------- */

static void expect_same(const cr_model *a, const cr_model *b, uint64_t *seed)
{
    char one[4096] = "", two[4096] = "";

    assert_int_equal(cr_model_draw(a, add_line, one, NULL), CR_OK);
    assert_int_equal(cr_model_draw(b, add_line, two, NULL), CR_OK);
    assert_string_equal(one, two);
    for (size_t i = 0; i < 10; i++) {
        const double x = uniform(seed), y = uniform(seed);

        assert_true(ask(a, x, y, 0) == ask(b, x, y, 0));
    }
}

static void a_file_and_more_rows_change_nothing(void **state)
{
    uint64_t seed = 11;
    size_t learned = 0;
    cr_error err = {0};

    (void)state;
    for (size_t trial = 0; trial < 30; trial++) {
        const rows t = draw_rows(&seed, 12);
        cr_model *whole = train(&t), *part, *read;
        cr_source *source = source_of(&t, 6, 12);
        void *bytes;
        size_t size;

        assert_int_equal(cr_model_save_bytes(whole, &bytes, &size, &err), CR_OK);
        assert_int_equal(cr_model_load_bytes(&read, bytes, size, 0, &err), CR_OK);
        expect_same(whole, read, &seed);
        cr_bytes_free(bytes);
        if (try_train(&t, 0, 6, &part, &err) == CR_OK) { /* both classes are among them */
            assert_int_equal(cr_model_learn(part, source, NULL, NULL, &err), CR_OK);
            for (size_t i = 0; i < 20; i++) {
                const double x = uniform(&seed), y = uniform(&seed);

                assert_true(fabs(ask(whole, x, y, 0) - ask(part, x, y, 0)) < 1e-12);
                learned++;
            }
            cr_model_free(part);
        }
        cr_source_close(source);
        cr_model_free(whole);
        cr_model_free(read);
    }
    assert_true(learned > 100);
}

/* A row of the other class within the box. */
static void what_is_no_box_is_named(void **state)
{
    rows t = {0};
    cr_model *model;
    cr_error err = {0};

    (void)state;
    add(&t, 1, 1, 0, 1);
    add(&t, 3, 3, 0, 1);
    add(&t, 2, 2, 0, 0);
    assert_int_equal(try_train(&t, 0, t.count, &model, &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "version space is empty"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_one_most_specific_description),
        cmocka_unit_test(the_most_general_are_no_more_than_needed),
        cmocka_unit_test(votes_are_counted),
        cmocka_unit_test(a_file_and_more_rows_change_nothing),
        cmocka_unit_test(what_is_no_box_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
