/* tests/eval/test_split.c - a table split into rows to learn and rows to test, and written again.
 *
 * Eighteen rows of three classes, six of each: a third of them are six rows, two of each class.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/in_memory.h"

static const char rows[] = "x,class\n1,a\n2,b\n3,c\n4,a\n5,b\n6,c\n7,a\n8,b\n9,c\n"
                           "10,a\n11,b\n12,c\n13,a\n14,b\n15,c\n16,a\n17,b\n18,c\n";

static cr_status add_to_side(void *context, cr_side side, const char *bytes, size_t size)
{
    cr_output **out = context;

    cr_output_bytes(out[side], bytes, size);
    return CR_OK;
}

static size_t times(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

static size_t lines(const char *text)
{
    return times(text, "\n");
}

static void each_class_has_its_share(void **state)
{
    cr_source *source = rows_of(rows);
    cr_output *out[2] = {new_output(), new_output()};
    cr_split *split = NULL;
    cr_error err = {0};
    const char *train, *test;

    (void)state;
    assert_ok(cr_split_new(&split, source, NULL, &err), err);
    assert_int_equal(cr_split_rows(split, CR_SIDE_TRAIN), 12);
    assert_int_equal(cr_split_rows(split, CR_SIDE_TEST), 6);
    assert_ok(cr_split_write(split, source, add_to_side, out, &err), err);
    train = text_of(out[CR_SIDE_TRAIN]);
    test = text_of(out[CR_SIDE_TEST]);
    assert_int_equal(lines(train), 13); /* with the header */
    assert_int_equal(lines(test), 7);
    for (size_t c = 0; c < 3; c++)
        assert_int_equal(times(test, (const char *const[]){",a\n", ",b\n", ",c\n"}[c]), 2);
    for (int x = 1; x <= 18; x++) { /* every row is on one side */
        char line[8];

        snprintf(line, sizeof line, "\n%d,", x);
        assert_true((strstr(train, line) != NULL) != (strstr(test, line) != NULL));
    }
    cr_output_free(out[0]);
    cr_output_free(out[1]);
    cr_split_free(split);
    cr_source_close(source);
}

/* The last third by a column: 13 ... 18, whose mean is 15.5 and whose sum of squares is 17.5. A
 * source that keeps one side learns only its rows. */
static void the_last_rows(void **state)
{
    cr_source *source = rows_of(rows), *again = rows_of(rows);
    const cr_split_options by_x = {.order = "x"}, nonsense = {.order = "y"};
    cr_split *split = NULL, *none = NULL;
    cr_model *model = NULL;
    double mean, deviation;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_split_new(&split, source, &by_x, &err), err);
    cr_source_keep(again, split, CR_SIDE_TEST);
    assert_ok(cr_model_train(&model, again, "nb", NULL, 0, NULL, NULL, &err), err);
    assert_int_equal(cr_model_moments(model, 0, &mean, &deviation), CR_OK);
    assert_true(mean == 15.5 && fabs(deviation - sqrt(3.5)) < 1e-12);
    assert_int_equal(cr_split_new(&none, source, &nonsense, &err), CR_EARG);
    cr_model_free(model);
    cr_source_close(again);
    cr_source_close(source);
    cr_split_free(split);
}

/* --- a table written again ----------------------------------------------------------------------
 */

static cr_status add_bytes(void *context, const char *bytes, size_t size)
{
    cr_output_bytes(context, bytes, size);
    return CR_OK;
}

/* Two intervals of the same width, which meet in the middle of 1 ... 18. */
static void numbers_cut(void **state)
{
    cr_source *source = rows_of(rows);
    cr_output *out = new_output();
    const cr_table_options options = {
        .format = "arff", .name = "letters", .cut = "width:2", .write = add_bytes, .context = out};
    uint64_t count = 0;
    cr_error err = {0};
    const char *text;

    (void)state;
    assert_ok(cr_table_write(source, &options, NULL, &count, &err), err);
    assert_int_equal(count, 18);
    text = text_of(out);
    assert_has(text, "@relation letters");
    assert_has(text, "<=9.5");
    assert_has(text, ">9.5");
    assert_has(text, "@data");
    cr_output_free(out);
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_class_has_its_share),
        cmocka_unit_test(the_last_rows),
        cmocka_unit_test(numbers_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
