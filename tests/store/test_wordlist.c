/* tests/store/test_wordlist.c - the word counts of another filter as a model, and what a store
 * holds as JSON. The counts are those of the list, added up by hand where capitals differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"

static void write_list(const char *text)
{
    FILE *file = fopen("words.txt", "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Ten spam and twenty good messages; "meeting" is in 1 and in 15 + 2 of them. */
static void counts_become_a_model(void **state)
{
    cr_model *model;
    cr_model_facts facts;
    uint64_t clipped = 7;

    (void)state;
    write_list(".MSG_COUNT 10 20 20240101\nsubj:Prize 9 0 20240101\nmeeting 0 15 20240101\n"
               "Meeting 1 2 20240101\n.ENCODING 2 0 20240101\n");
    assert_int_equal(cr_wordlist_read(&model, "words.txt", &clipped, NULL), CR_OK);
    assert_int_equal(clipped, 0);
    assert_int_equal(cr_model_get_facts(model, &facts), CR_OK);
    assert_int_equal(facts.rows, 30);
    assert_string_equal(cr_model_learner(model), "nb");
    for (size_t c = 0; c < 2; c++)
        assert_true(cr_model_class_count(model, c) ==
                    (strcmp(cr_model_class(model, c), "spam") == 0 ? 10 : 20));
    cr_model_free(model);
}

static void counts_above_the_messages_are_clipped(void **state)
{
    cr_model *model;
    uint64_t clipped;

    (void)state;
    write_list(".MSG_COUNT 2 3 20240101\na 5 1 20240101\nb 1 4 20240101\n");
    assert_int_equal(cr_wordlist_read(&model, "words.txt", &clipped, NULL), CR_OK);
    assert_int_equal(clipped, 2);
    cr_model_free(model);
}

static void other_files_are_refused(void **state)
{
    cr_model *model;
    cr_error err;

    (void)state;
    write_list(".MSG_COUNT 2 3 20240101\nhello\n");
    assert_int_equal(cr_wordlist_read(&model, "words.txt", NULL, &err), CR_EFORMAT);
    assert_null(model);
    assert_int_equal(err.line, 2);
    assert_string_equal(err.file, "words.txt");
    write_list("a 1 1 20240101\n");
    assert_int_equal(cr_wordlist_read(&model, "words.txt", NULL, &err), CR_EFORMAT);
    assert_int_equal(cr_wordlist_read(&model, "nowhere.txt", NULL, &err), CR_EIO);
}

static void a_store_is_described_as_json(void **state)
{
    const cr_store_facts facts = {.rows = 30,
                                  .words = 2,
                                  .lessons = 4,
                                  .bytes = 4096,
                                  .period = CR_STORE_PERIOD_WEEK,
                                  .keep = 84,
                                  .origins = 1,
                                  .judged = 8,
                                  .right = 6,
                                  .log_loss = 0.5,
                                  .good = 5,
                                  .spam = 3,
                                  .spam_passed = 1};
    cr_output *out;
    char json[1024] = "";
    const char *bytes;
    size_t size;

    (void)state;
    assert_int_equal(cr_output_new(&out, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_store_json(&facts, "mail", out), CR_OK);
    bytes = cr_output_data(out, &size);
    assert_true(size < sizeof json);
    memcpy(json, bytes, size);
    assert_non_null(strstr(json, "\"store\": \"mail\""));
    assert_non_null(strstr(json, "\"period\": \"week\""));
    assert_non_null(strstr(json, "\"accuracy\": 0.75")); /* 6 of 8 */
    assert_non_null(strstr(json, "\"spam_passed\": 1"));
    cr_output_free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_become_a_model),
        cmocka_unit_test(counts_above_the_messages_are_clipped),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_store_is_described_as_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
