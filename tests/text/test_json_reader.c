/* tests/text/test_json_reader.c - JSON (RFC 8259) read by tokens and as a tree.
 *
 * Expected values are worked by hand from the grammar of the RFC.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "credence/json_reader.h"

/* A config file's text, token by token: what a caller writes. */
static void tokens_come_in_order(void **state)
{
    static const char text[] =
        " {\"learner\": \"nb\", \"knobs\": [1, -2.5e3, true, null], \"o\": {}}";
    static const cr_json_token expected[] = {
        CR_JSON_OBJECT, CR_JSON_KEY,    CR_JSON_STRING,     CR_JSON_KEY,        CR_JSON_ARRAY,
        CR_JSON_NUMBER, CR_JSON_NUMBER, CR_JSON_TRUE,       CR_JSON_NULL,       CR_JSON_ARRAY_END,
        CR_JSON_KEY,    CR_JSON_OBJECT, CR_JSON_OBJECT_END, CR_JSON_OBJECT_END, CR_JSON_END};
    cr_json_reader r = {0};
    double x = 0;

    (void)state;
    cr_json_reader_start(&r, text, strlen(text));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(cr_json_read(&r), expected[i]);
        if (i == 2)
            assert_true(cr_json_reader_is(&r, "nb"));
        if (i == 6) {
            assert_int_equal(cr_json_reader_number(&r, &x), CR_OK);
            assert_true(x == -2500);
            assert_true(cr_json_reader_is(&r, "-2.5e3"));
        }
    }
    assert_int_equal(cr_json_read(&r), CR_JSON_END);
    assert_int_equal(cr_json_reader_error(&r, NULL), CR_OK);
    assert_int_equal(cr_json_reader_offset(&r), strlen(text));
    cr_json_reader_free(&r);
}

static void escapes_become_utf8(void **state)
{
    static const char text[] =
        "\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\ud83d.\\u0000\"";
    static const char expected[] = "a\"b\\c/d\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"
                                   "\xef\xbf\xbd.";
    cr_json_reader r = {0};

    (void)state;
    cr_json_reader_start(&r, text, strlen(text));
    assert_int_equal(cr_json_read(&r), CR_JSON_STRING);
    assert_int_equal(r.size, sizeof expected); /* the NUL belongs to it */
    assert_memory_equal(r.text, expected, sizeof expected);
    assert_int_equal(cr_json_read(&r), CR_JSON_END);
    cr_json_reader_free(&r);
}

static void what_is_not_json_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text;
        size_t line, column;
    } bad[] = {
        {"", 1, 1},          {"{", 1, 2},           {"[1,]", 1, 4},
        {"{\"a\" 1}", 1, 6}, {"{a: 1}", 1, 2},      {"[1 2]", 1, 4},
        {"01", 1, 3},        {"1.", 1, 3},          {"1e", 1, 3},
        {"-", 1, 2},         {"+1", 1, 1},          {"nul", 1, 1},
        {"\"a", 1, 3},       {"\"\\x\"", 1, 2},     {"\"\\u12g4\"", 1, 2},
        {"\"a\tb\"", 1, 3},  {"1 2", 1, 3},         {"{\n  \"a\": [1,\n  }", 3, 3},
        {"[}", 1, 2},        {"\"\\n\x01\"", 1, 4}, {"{\"a\": 1,}", 1, 9},
        {".5", 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const cr_json_value *root;
        cr_error err = {0};

        if (cr_json_parse(&root, bad[i].text, strlen(bad[i].text), &err) != CR_EFORMAT)
            fail_msg("'%s' is taken for JSON", bad[i].text);
        assert_null(root);
        assert_memory_equal(err.message, "not JSON: ", 10);
        if (err.line != bad[i].line || err.column != bad[i].column)
            fail_msg("'%s': %zu:%zu, expected %zu:%zu", bad[i].text, err.line, err.column,
                     bad[i].line, bad[i].column);
    }
}

static void depth_has_a_limit(void **state)
{
    char text[2 * (CR_JSON_READ_DEPTH + 1)];
    const cr_json_value *root;
    cr_error err = {0};
    size_t depth = 0;

    (void)state;
    memset(text, '[', sizeof text / 2);
    memset(text + sizeof text / 2, ']', sizeof text / 2);
    assert_int_equal(cr_json_parse(&root, text, sizeof text, &err), CR_ELIMIT);
    assert_int_equal(err.column, CR_JSON_READ_DEPTH + 1);
    assert_int_equal(cr_json_parse(&root, text + 1, sizeof text - 2, &err), CR_OK);
    for (const cr_json_value *v = root; v != NULL; v = v->child)
        depth++;
    assert_int_equal(depth, CR_JSON_READ_DEPTH);
    assert_int_equal(cr_json_values(root), CR_JSON_READ_DEPTH);
    cr_json_free(root);
}

static void members_in_a_known_order_are_read_at_once(void **state)
{
    static const char text[] = "{\"x\": 1.5, \"name\" : \"ann\", \"odd\": \"a\\nb\", \"y\": 2}";
    cr_json_reader r = {0};

    (void)state;
    cr_json_reader_start(&r, text, strlen(text));
    assert_int_equal(cr_json_read_member(&r, "x", 1), CR_JSON_ERROR); /* no object is open */
    assert_int_equal(cr_json_read(&r), CR_JSON_OBJECT);
    assert_int_equal(cr_json_read_member(&r, "y", 1), CR_JSON_ERROR);
    assert_int_equal(cr_json_read_member(&r, "x", 1), CR_JSON_NUMBER);
    assert_true(cr_json_reader_is(&r, "1.5"));
    assert_int_equal(cr_json_read_member(&r, "name", 4), CR_JSON_STRING);
    assert_true(cr_json_reader_is(&r, "ann"));
    assert_int_equal(cr_json_read_member(&r, "odd", 3), CR_JSON_ERROR); /* it has an escape */
    assert_int_equal(cr_json_read(&r), CR_JSON_KEY);
    assert_true(cr_json_reader_is(&r, "odd"));
    assert_int_equal(cr_json_read(&r), CR_JSON_STRING);
    assert_true(cr_json_reader_is(&r, "a\nb"));
    assert_int_equal(cr_json_read_member(&r, "y", 1), CR_JSON_NUMBER);
    assert_int_equal(cr_json_read(&r), CR_JSON_OBJECT_END);
    assert_int_equal(cr_json_read(&r), CR_JSON_END);
    cr_json_reader_free(&r);
}

static void values_are_skipped_whole(void **state)
{
    static const char text[] = "[{\"a\": [1, {\"b\": \"]}\"}]}, 7]";
    cr_json_reader r = {0};

    (void)state;
    cr_json_reader_start(&r, text, strlen(text));
    assert_int_equal(cr_json_read(&r), CR_JSON_ARRAY);
    assert_int_equal(cr_json_skip(&r, cr_json_read(&r)), CR_JSON_OBJECT_END);
    assert_int_equal(cr_json_skip(&r, cr_json_read(&r)), CR_JSON_NUMBER);
    assert_true(cr_json_reader_is(&r, "7"));
    cr_json_reader_free(&r);
}

static void a_tree_is_asked_by_keys(void **state)
{
    static const char text[] =
        "{\"target\": \"play\", \"folds\": 10, \"plot\": true, \"none\": null,"
        " \"types\": {\"day\": \"ignore\"}, \"x\": [1, 1e999, \"two\"],"
        " \"folds\": 5}";
    const cr_json_value *root, *x;
    cr_error err;

    (void)state;
    assert_int_equal(cr_json_parse(&root, text, strlen(text), &err), CR_OK);
    assert_int_equal(cr_json_values(root), 12); /* the root, 7 members, 1 in types, 3 in x */
    assert_int_equal(root->count, 7);
    assert_string_equal(cr_json_get_text(root, "target", NULL), "play");
    assert_string_equal(cr_json_get_text(root, "folds", "none"), "none");
    assert_true(cr_json_get_number(root, "folds", 0) == 10); /* the first of the two */
    assert_true(cr_json_get_number(root, "target", 3) == 3);
    assert_true(cr_json_get_flag(root, "plot") && !cr_json_get_flag(root, "target"));
    assert_null(cr_json_get(root, "none"));
    assert_string_equal(cr_json_get_text(cr_json_get(root, "types"), "day", NULL), "ignore");
    assert_null(cr_json_get(cr_json_get(root, "absent"), "day"));
    x = cr_json_get(root, "x")->child;
    assert_true(x->number == 1 && x->key == NULL && x->text == NULL);
    assert_true(isnan(x->next->number));
    assert_string_equal(x->next->next->text, "two");
    assert_null(x->next->next->next);
    cr_json_free(root);
    cr_json_free(NULL);
}

static void every_allocation_may_fail(void **state)
{
    static const char text[] = "{\"a\\n\": [\"b\\tc\", 1, {\"d\": \"e\"}]}";
    cr_status status = CR_ENOMEM;
    long n;

    (void)state;
    for (n = 0; status == CR_ENOMEM && n < 100; n++) {
        const cr_json_value *root;
        cr_error err = {0};

        cr__memory_fail_after = n;
        status = cr_json_parse(&root, text, strlen(text), &err);
        cr__memory_fail_after = -1;
        assert_true((status == CR_OK) == (root != NULL));
        assert_int_equal(err.code, status);
        cr_json_free(root);
    }
    assert_int_equal(status, CR_OK);
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_come_in_order),
        cmocka_unit_test(escapes_become_utf8),
        cmocka_unit_test(what_is_not_json_is_refused_with_its_place),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(members_in_a_known_order_are_read_at_once),
        cmocka_unit_test(values_are_skipped_whole),
        cmocka_unit_test(a_tree_is_asked_by_keys),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
