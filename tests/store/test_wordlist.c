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

/* Whether a word is in so many messages of spam and ham; -1: it is not in the model. */
static int has(const cr_model *model, const char *text, int spam, int ham)
{
    size_t column;

    assert_int_equal(cr_filter_column(model, &column, NULL), CR_OK);
    for (size_t i = 0; i < cr_model_words(model, column); i++) {
        cr_word word;
        int same = 1;

        for (size_t c = 0; c < cr_model_classes(model); c++) {
            assert_int_equal(cr_model_word(model, column, i, c, &word), CR_OK);
            same &= word.documents == (strcmp(cr_model_class(model, c), "spam") == 0 ? spam : ham);
        }
        if (word.length == strlen(text) && memcmp(word.bytes, text, word.length) == 0)
            return same;
    }
    return -1;
}

/* The hashes are those of `printf WORD | sha1sum | cut -c31-40`, of the tokens prize,
 * H*F:D*example.org, sk:antidis, UD:buy.example.com, HTo:Jo and unknown. */
static void words_of_mail_are_found_in_a_backup(void **state)
{
    static const char message[] = "From: x@example.org\nTo: Jo <jo@example.net>\nSubject: prize\n\n"
                                  "Your Prize, antidisestablishment! http://buy.example.com/now\n";
    cr_model *mail, *model;
    cr_wordlist_found found;
    cr_error err;

    (void)state;
    assert_int_equal(cr_filter_train(&mail, message, sizeof message - 1, "all",
                                     (const char *[]){"preset=mail", "ngrams=1..1"}, 2, NULL),
                     CR_OK);
    write_list("v\t3\tdb_version # this must be the first line!!!\nv\t10\tnum_spam\n"
               "v\t20\tnum_nonspam\nt\t9\t1\t1028402349\t7f675a41e0\n"
               "t\t0\t8\t1028402349\t33d61a2dfb\nt\t3\t2\t1028402349\ted6e31bc41\n"
               "t\t4\t0\t1028402349\t0edbae7fe4\nt\t1\t7\t1028402349\t4ba714d63a\n"
               "t\t5\t5\t1028402349\t274f9ced66\ns\ts\tabc@sa_generated\n");
    assert_int_equal(cr_wordlist_match(&model, "words.txt", mail, &found, NULL), CR_OK);
    assert_int_equal(found.tokens, 6);
    assert_int_equal(found.found, 5);
    assert_int_equal(found.counts, 45); /* 10 + 8 + 5 + 4 + 8 + 10 */
    assert_int_equal(found.counts_found, 35);
    assert_int_equal(found.words, 5);
    assert_int_equal(has(model, "prize", 9, 1), 1);
    assert_int_equal(has(model, "from:email:example.org", 0, 8), 1);
    assert_int_equal(has(model, "antidisestablishment", 3, 2), 1);
    assert_int_equal(has(model, "url:buy.example.com", 4, 0), 1);
    assert_int_equal(has(model, "to:jo", 1, 7), 1);
    assert_int_equal(has(model, "subject:prize", 0, 0), -1);
    for (size_t c = 0; c < 2; c++)
        assert_true(cr_model_class_count(model, c) ==
                    (strcmp(cr_model_class(model, c), "spam") == 0 ? 10 : 20));
    cr_model_free(model);
    write_list("v\t3\tdb_version\nv\t2\tnum_spam\nv\t20\tnum_nonspam\n"
               "t\t9\t1\t1028402349\t7f675a41e0\n");
    assert_int_equal(cr_wordlist_match(&model, "words.txt", mail, &found, NULL), CR_OK);
    assert_int_equal(found.clipped, 1);
    assert_int_equal(has(model, "prize", 2, 1), 1);
    cr_model_free(model);
    write_list("v\t3\tdb_version\nv\t2\tnum_spam\nt\t1\t-1\t1028402349\t7f675a41e0\n");
    assert_int_equal(cr_wordlist_match(&model, "words.txt", mail, NULL, &err), CR_EFORMAT);
    assert_int_equal(err.line, 3);
    assert_non_null(strstr(err.message, "'-1'"));
    write_list("v\t2\tdb_version\nt\t9\t1\t1028402349\tprize\n");
    assert_int_equal(cr_wordlist_match(&model, "words.txt", mail, NULL, &err), CR_EFORMAT);
    assert_int_equal(err.line, 2);
    assert_null(model);
    cr_model_free(mail);
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
        cmocka_unit_test(words_of_mail_are_found_in_a_backup),
        cmocka_unit_test(a_store_is_described_as_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
