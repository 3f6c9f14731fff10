/* tests/source/test_mail_sources.c - mailbox files, Maildirs, folders and archives of messages. */
#include "source/training.h"

/* The text as a symbol shows the message that was found, before it is split. */
#define KINDS "class=symbol/target text=symbol/given\n"

static const char *const as_symbol[] = {"text=symbol"};

#define RAW(...) (&(cr_source_options){.types = as_symbol, .type_count = 1, __VA_ARGS__})

#define ONE "From a@x Mon Jan  1 00:00:00 2024\nSubject: one\n\nfirst body\n\n"
#define TWO "From b@x Mon Jan  1 00:00:00 2024\nSubject: two\n\nFrom here on\nsecond\n\n"
#define THREE "From c@x Mon Jan  1 00:00:00 2024\n\nthird\n"

static void a_mailbox_is_cut_at_from_lines_behind_empty_ones(void **state)
{
    (void)state;
    expect_reading(ONE TWO THREE, RAW(.format = "mbox"),
                   KINDS "1: \"memory\"|\"" ONE "\"\n6: \"memory\"|\"From b@x Mon Jan  1 00:00:00 "
                         "2024\nSubject: two\n\n\"\n9: \"memory\"|\"From here on\nsecond\n\n\"\n"
                         "12: \"memory\"|\"" THREE "\"\n");
}

static void quoted_from_lines_are_unquoted(void **state)
{
    (void)state;
    expect_reading("From a\nS: x\n\n>From here\n>>From there\n> From us\n", RAW(.format = "mbox"),
                   KINDS "1: \"memory\"|\"From a\nS: x\n\nFrom here\n>From there\n> From us\n\"\n");
}

static void line_ends_may_have_carriage_returns(void **state)
{
    (void)state;
    expect_reading("From a\r\nS: x\r\n\r\nb\r\n\r\nFrom c\r\nS: y\r\n\r\nd\r\n",
                   RAW(.format = "mbox"),
                   KINDS "1: \"memory\"|\"From a\r\nS: x\r\n\r\nb\r\n\r\n\"\n"
                         "6: \"memory\"|\"From c\r\nS: y\r\n\r\nd\r\n\"\n");
}

static void a_message_is_put_section_by_section(void **state)
{
    reading r = read_memory("From a\nSubject: Hello\n\nthe body\n", NULL);

    (void)state;
    assert_int_equal(r.status, CR_OK);
    assert_non_null(strstr(r.text.data, "class=symbol/target text=bag/text\n1: \"memory\"|["));
    assert_non_null(strstr(r.text.data, "[subject:"));
    assert_non_null(strstr(r.text.data, "the body"));
    cr__buffer_free(&r.text);
}

static void any_bytes_may_be_in_a_message(void **state)
{
    static const char text[] = "From a\nS: x\n\na\0b\xff\n\nFrom a\n\nc\n";
    const size_t usual = cr__source_chunk_size;

    (void)state;
    for (size_t size = 1; size < 40; size++) {
        reading r;

        cr__source_chunk_size = size;
        r = read_memory_n(text, sizeof text - 1, NULL);
        assert_int_equal(r.status, CR_OK);
        cr__buffer_free(&r.text);
    }
    cr__source_chunk_size = usual;
}

static void mailboxes_have_the_class_of_their_name(void **state)
{
    const char *const paths[] = {"spam.mbox", "mail/ham.mbox.gz", "Inbox"};
    const member ham[] = {{"ham.mbox", TWO}};
    reading r;

    (void)state;
    plant("spam.mbox", ONE THREE);
    plant("mail/x", "");
    plant("Inbox", ONE);
    pack("mail/ham.mbox.gz", "gzip", "raw", ham, 1);
    r = read_paths(paths, 3, RAW(.classes = "Inbox=ham"));
    assert_int_equal(r.status, CR_OK);
    assert_string_equal(r.text.data,
                        KINDS "1: \"spam\"|\"" ONE "\"\n6: \"spam\"|\"" THREE "\"\n"
                              "1: \"ham\"|\"From b@x Mon Jan  1 00:00:00 2024\nSubject: two\n\n\"\n"
                              "4: \"ham\"|\"From here on\nsecond\n\n\"\n1: \"ham\"|\"" ONE "\"\n");
    cr__buffer_free(&r.text);
}

static void mailboxes_in_archives_have_the_class_of_their_member(void **state)
{
    const member boxes[] = {{"mail/spam.mbox", ONE}, {"mail/ham.mbox", THREE}};

    (void)state;
    pack("boxes.zip", NULL, "zip", boxes, 2);
    expect_path("boxes.zip", RAW(0), KINDS "1: \"spam\"|\"" ONE "\"\n1: \"ham\"|\"" THREE "\"\n");
}

static void a_maildir_is_a_class(void **state)
{
    (void)state;
    plant("md/cur/1:2,S", "S: x\n\na\n");
    plant("md/new/2", "S: y\n\nb\n");
    plant("md/tmp/3", "half a mess");
    plant("md/dovecot-uidlist", "1 2 3");
    expect_path("md", RAW(0), KINDS "1: \"md\"|\"S: x\n\na\n\"\n2: \"md\"|\"S: y\n\nb\n\"\n");
    plant("all/ham/cur/1", "S: x\n\na\n");
    plant("all/ham/new/2", "S: y\n\nb\n");
    plant("all/spam/cur/3", "S: z\n\nc\n");
    assert_true(mkdir("all/spam/new", 0700) == 0 || errno == EEXIST);
    expect_path("all", RAW(0),
                KINDS "1: \"ham\"|\"S: x\n\na\n\"\n2: \"ham\"|\"S: y\n\nb\n\"\n"
                      "3: \"spam\"|\"S: z\n\nc\n\"\n");
    plant("big/.Junk/cur/1", "S: x\n\na\n");
    plant("big/.Junk/new/2", "S: y\n\nb\n");
    expect_path("big/.Junk/", RAW(0),
                KINDS "1: \"Junk\"|\"S: x\n\na\n\"\n2: \"Junk\"|\"S: y\n\nb\n\"\n");
}

static void folders_and_archives_of_messages_are_read_when_told(void **state)
{
    const member members[] = {{"sa/easy_ham/1", ONE}, {"sa/spam_2/2", THREE}};
    const char *path = "sa.tar.gz";
    reading r;

    (void)state;
    pack(path, "gzip", "pax", members, 2);
    expect_path(path, RAW(.format = "mail", .classes = "easy_ham=ham,spam_2=spam"),
                KINDS "1: \"ham\"|\"" ONE "\"\n2: \"spam\"|\"" THREE "\"\n");
    r = read_paths(&path, 1, &(cr_source_options){.format = "mail"});
    assert_int_equal(r.status, CR_OK);
    assert_non_null(strstr(r.text.data, "[subject:"));
    assert_null(strstr(r.text.data, "a@x"));
    cr__buffer_free(&r.text);
    /* Without being told, they are texts, as newsgroup posts are. */
    expect_path(path, NULL,
                "class=symbol/target text=bag/text\n1: \"easy_ham\"|[" ONE
                "]\n2: \"spam_2\"|[" THREE "]\n");
}

static void a_single_message_has_the_class_of_its_folder(void **state)
{
    (void)state;
    plant("one/spam/x.eml", "S: x\n\na\n");
    expect_path("one/spam/x.eml", RAW(0), KINDS "1: \"spam\"|\"S: x\n\na\n\"\n");
    expect_path("one", RAW(0), KINDS "1: \"spam\"|\"S: x\n\na\n\"\n");
}

static void a_message_that_is_too_long_is_refused(void **state)
{
    const size_t usual = cr__source_document_limit;

    (void)state;
    cr__source_document_limit = 20;
    expect_error("From a\n\nb\n\nFrom a\nSubject: something long\n\nbody\n\nFrom a\n\nb\n",
                 RAW(.format = "mbox"), CR_ELIMIT, 5, 0, "more than 20 bytes");
    cr__source_document_limit = usual;
}

static void a_message_is_split_into_class_text_and_file(void **state)
{
    static const char text[] = ONE THREE;
    cr__fields fields = {0};
    cr_source *source;
    cr__chunk chunk;
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, text, sizeof text - 1, NULL, NULL, &err),
                     CR_OK);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    assert_int_equal(
        cr__source_split(&chunk, &(cr__record){chunk.bytes, sizeof ONE - 1, 1}, &fields, &err),
        CR_OK);
    assert_int_equal(fields.count, 3);
    assert_memory_equal(fields.bytes[0], "memory", 6);
    assert_int_equal(fields.size[1], sizeof ONE - 1);
    assert_memory_equal(fields.bytes[2], "memory", 6);
    cr__fields_free(&fields);
    cr__source_release(&chunk);
    cr_source_close(source);
}

static void threads_and_chunks_make_no_difference(void **state)
{
    const char *const boxes[] = {"b0.mbox", "b1.mbox"}, *folder = "letters";

    (void)state;
    for (int b = 0; b < 2; b++) {
        cr__buffer text = {0};

        for (int i = 0; i < 200; i++) {
            char name[64];
            const size_t start = text.size;

            cr__buffer_printf(&text,
                              "From a@x Mon Jan  1 00:00:00 2024\nSubject: word%d\n\nword%d and "
                              "word%d\n>From %d\n\n",
                              i % 13, (i + b) * 31 % 97, i * 17 % 89, i % 5);
            cr__buffer_addc(&text, 0);
            text.size--;
            snprintf(name, sizeof name, "letters/b%d/%d", b, i);
            plant(name, text.data + start);
        }
        write_file(boxes[b], text.data, text.size);
        cr__buffer_free(&text);
    }
    expect_same_model(boxes, 2, NULL);
    expect_same_model(&folder, 1, &(cr_source_options){.format = "mail"});
}

static void memory_may_run_out_anywhere(void **state)
{
    for (long n = 0;; n++) {
        reading r;
        int done;

        (void)state;
        cr__memory_fail_after = n;
        r = read_memory(ONE "From x\n\n>From y\n", NULL);
        cr__memory_fail_after = -1;
        done = r.status == CR_OK && !r.text.failed;
        assert_true(done || r.status == CR_ENOMEM || r.text.failed);
        cr__buffer_free(&r.text);
        if (done) {
            assert_true(n > 20);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mailbox_is_cut_at_from_lines_behind_empty_ones),
        cmocka_unit_test(quoted_from_lines_are_unquoted),
        cmocka_unit_test(line_ends_may_have_carriage_returns),
        cmocka_unit_test(a_message_is_put_section_by_section),
        cmocka_unit_test(any_bytes_may_be_in_a_message),
        cmocka_unit_test(mailboxes_have_the_class_of_their_name),
        cmocka_unit_test(mailboxes_in_archives_have_the_class_of_their_member),
        cmocka_unit_test(a_maildir_is_a_class),
        cmocka_unit_test(folders_and_archives_of_messages_are_read_when_told),
        cmocka_unit_test(a_single_message_has_the_class_of_its_folder),
        cmocka_unit_test(a_message_that_is_too_long_is_refused),
        cmocka_unit_test(a_message_is_split_into_class_text_and_file),
        cmocka_unit_test(threads_and_chunks_make_no_difference),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
