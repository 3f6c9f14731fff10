/* tests/source/test_folder.c - folders and archives of documents. */
#include "source/training.h"

#include <fcntl.h>

#define KINDS "class=symbol/target text=bag/text\n"
#define FOLDER(...) (&(cr_source_options){.format = "folder", __VA_ARGS__})

/* The same whatever the size of the groups. */
static void expect_documents(const char *path, const cr_source_options *options,
                             const char *expected)
{
    const size_t usual = cr__source_chunk_size;

    for (size_t size = 1; size < 24; size++) {
        cr__source_chunk_size = size;
        expect_path(path, options, expected);
    }
    cr__source_chunk_size = usual;
    expect_path(path, options, expected);
}

static void each_folder_is_a_class(void **state)
{
    (void)state;
    plant("news/sport/2", "a goal");
    plant("news/sport/10", "the ball");
    plant("news/art/1.txt", "a museum\n\nwith paintings\n");
    plant("news/art/.hidden", "not this");
    plant("news/.git/config", "nor this");
    plant("news/art/old/3", "");
    expect_documents("news", NULL,
                     KINDS "1: \"art\"|[a museum\n\nwith paintings\n]\n2: \"old\"|[]\n"
                           "3: \"sport\"|[the ball]\n4: \"sport\"|[a goal]\n");
    expect_documents("news/", &(cr_source_options){.member = "./sport/"},
                     KINDS "1: \"sport\"|[the ball]\n2: \"sport\"|[a goal]\n");
    expect_documents("news", &(cr_source_options){.member = "sport/2"},
                     KINDS "1: \"sport\"|[a goal]\n");
    expect_path_error("news", &(cr_source_options){.member = "spor"}, CR_EARG, "no 'spor' in it");
}

static void several_folders_are_one_table(void **state)
{
    const char *const paths[] = {"news/sport", "news/art/"};
    reading r;

    (void)state;
    r = read_paths(paths, 2, &(cr_source_options){.classes = "sport=games,old="});
    assert_int_equal(r.status, CR_OK);
    assert_string_equal(r.text.data, KINDS "1: \"games\"|[the ball]\n2: \"games\"|[a goal]\n"
                                           "1: \"art\"|[a museum\n\nwith paintings\n]\n2: ~|[]\n");
    cr__buffer_free(&r.text);
}

static void the_folder_itself_names_the_class_of_what_lies_in_it(void **state)
{
    char here[4096];

    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir("news/sport"), 0);
    expect_documents(".", NULL, KINDS "1: \"sport\"|[the ball]\n2: \"sport\"|[a goal]\n");
    assert_int_equal(chdir(here), 0);
}

static void a_single_file_is_one_document(void **state)
{
    (void)state;
    expect_documents("news/sport/2", FOLDER(0), KINDS "1: \"sport\"|[a goal]\n");
    assert_int_equal(chdir("news/sport"), 0);
    expect_documents("2", FOLDER(0), KINDS "1: ~|[a goal]\n");
    assert_int_equal(chdir("../.."), 0);
}

static const member documents[] = {{"set/", NULL},
                                   {"set/train/a/1", "one"},
                                   {"set/train/b/.x", "hidden"},
                                   {"set/train/b/2", "two\nlines\n"},
                                   {"set/test/a/3", "three"},
                                   {"set/test2/a/4", "four"}};

static void members_of_archives_are_documents(void **state)
{
    static const struct {
        const char *path, *filter, *format;
    } kinds[] = {{"d.tar", NULL, "ustar"}, {"d.tar.zst", "zstd", "pax"}, {"d.zip", NULL, "zip"}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        pack(kinds[i].path, kinds[i].filter, kinds[i].format, documents, 6);
        expect_documents(kinds[i].path, NULL,
                         KINDS "1: \"a\"|[one]\n2: \"b\"|[two\nlines\n]\n3: \"a\"|[three]\n"
                               "4: \"a\"|[four]\n");
        expect_documents(kinds[i].path, &(cr_source_options){.member = "set/test"},
                         KINDS "1: \"a\"|[three]\n");
        expect_path_error(kinds[i].path, &(cr_source_options){.member = "set/no"}, CR_EARG,
                          "no member 'set/no'");
    }
}

static void members_outside_folders_have_the_archives_name(void **state)
{
    const member flat[] = {{"./1", "one"}, {"./a/2", "two"}};

    (void)state;
    pack("ham.tar.gz", "gzip", "ustar", flat, 2);
    expect_documents("ham.tar.gz", FOLDER(0), KINDS "1: \"ham\"|[one]\n2: \"a\"|[two]\n");
}

static void tables_in_archives_are_still_tables(void **state)
{
    const member table[] = {{"data/train", "a,y\n1.5,u\n2.5,v\n"}};
    const member text[] = {{"data/train", "Dear Sir,\nno, not this,\nyours\n"}};

    (void)state;
    pack("t.tar", NULL, "ustar", table, 1);
    expect_path("t.tar", NULL, "a=real/numbers y=symbol/target\n2: 1.5|\"u\"\n3: 2.5|\"v\"\n");
    pack("t.tar", NULL, "ustar", text, 1);
    expect_path("t.tar", NULL, KINDS "1: \"data\"|[Dear Sir,\nno, not this,\nyours\n]\n");
}

static void any_bytes_may_be_in_a_document(void **state)
{
    static const char expected[] = KINDS "1: \"x\"|[a\0b\xff\xfe]\n";
    const char *path = "binary/x/1";
    reading r;

    (void)state;
    plant(path, "");
    write_file(path, "a\0b\xff\xfe", 5);
    path = "binary";
    r = read_paths(&path, 1, NULL);
    assert_int_equal(r.status, CR_OK);
    assert_int_equal(r.text.size, sizeof expected);
    assert_memory_equal(r.text.data, expected, sizeof expected);
    cr__buffer_free(&r.text);
}

static void documents_that_are_too_long_are_named(void **state)
{
    const size_t usual = cr__source_document_limit;
    const char *path = "long";
    const member members[] = {{"x/1", "short"}, {"x/2", "one two three four"}};
    reading r;

    (void)state;
    plant("long/x/1", "short");
    plant("long/x/2", "one two three four");
    pack("long.tar", NULL, "ustar", members, 2);
    cr__source_document_limit = 10;
    r = read_paths(&path, 1, NULL);
    assert_int_equal(r.status, CR_ELIMIT);
    assert_string_equal(r.err.file, "long/x/2");
    cr__buffer_free(&r.text);
    path = "long.tar";
    r = read_paths(&path, 1, NULL);
    assert_int_equal(r.status, CR_ELIMIT);
    assert_string_equal(r.err.file, "long.tar:x/2");
    cr__buffer_free(&r.text);
    cr__source_document_limit = usual;
}

static void a_file_that_vanishes_is_named(void **state)
{
    const char *path = "going";
    cr_source *source;
    cr_error err = {0};
    reading r = {0};

    (void)state;
    plant("going/x/1", "here");
    plant("going/x/2", "gone");
    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    assert_int_equal(unlink("going/x/2"), 0);
    reading_run(&r, source);
    assert_int_equal(r.status, CR_EIO);
    assert_string_equal(r.err.file, "going/x/2");
    assert_non_null(strstr(r.err.message, "is gone"));
    cr__buffer_free(&r.text);
    cr_source_close(source);
}

static void loops_and_special_files_are_left_out(void **state)
{
    const char *path = "odd";
    cr_source *source;
    cr_error err = {0};
    reading r = {0};

    (void)state;
    plant("odd/x/1", "one");
    plant("elsewhere/y/2", "two");
    assert_true(symlink("..", "odd/x/up") == 0 || errno == EEXIST);
    assert_true(symlink("nowhere", "odd/x/nothing") == 0 || errno == EEXIST);
    assert_true(symlink("../elsewhere/y", "odd/b") == 0 || errno == EEXIST);
    assert_true(symlink("../elsewhere/y", "odd/a") == 0 || errno == EEXIST);
    assert_true(symlink("../../elsewhere/y/2", "odd/x/2") == 0 || errno == EEXIST);
    assert_true(mkfifo("odd/x/pipe", 0600) == 0 || errno == EEXIST);
    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    reading_run(&r, source);
    assert_int_equal(r.status, CR_OK);
    assert_string_equal(r.text.data, KINDS "1: \"a\"|[two]\n2: \"x\"|[one]\n3: \"x\"|[two]\n");
    assert_true(is_noted(source, "such as x/pipe"));
    assert_true(is_noted(source, "3 links in odd"));
    assert_true(is_noted(source, "such as b"));
    cr__buffer_free(&r.text);
    cr_source_close(source);
}

static void an_empty_folder_is_told(void **state)
{
    (void)state;
    assert_true(mkdir("nothing", 0700) == 0 || errno == EEXIST);
    expect_path_error("nothing", NULL, CR_EFORMAT, "contains no files");
}

static void a_document_is_split_into_class_text_and_name(void **state)
{
    const char *path = "news";
    cr__fields fields = {0};
    const cr_schema *schema;
    cr_source *source;
    cr__batch *batch;
    cr__plan plan;
    cr__chunk chunk;
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, &err), CR_OK);
    assert_int_equal(schema->columns, 2);
    assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
    assert_int_equal(cr__batch_new(&batch, schema, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    assert_int_equal(cr__source_parse(&chunk, &plan, batch, &err), CR_OK);
    assert_int_equal(cr__source_split(&chunk, &batch->record[3], &fields, &err), CR_OK);
    assert_int_equal(cr__source_fields(source), 3);
    assert_string_equal(cr__source_field_name(source, 2), "file");
    assert_memory_equal(fields.bytes[0], "sport", 5);
    assert_memory_equal(fields.bytes[1], "a goal", 6);
    assert_int_equal(fields.size[2], 12);
    assert_memory_equal(fields.bytes[2], "news/sport/2", 12);
    cr__fields_free(&fields);
    cr__source_release(&chunk);
    cr__batch_free(batch);
    reading_plan_free(&plan);
    cr_source_close(source);
}

/* A model is asked about documents: the name of the file is no column that it should know. */
static void the_name_is_for_output_only(void **state)
{
    const char *path = "news", *first;
    cr_schema *schema;
    cr_source *source;
    cr_error err;

    (void)state;
    assert_int_equal(cr__schema_new(&schema, &err), CR_OK);
    assert_int_equal(cr__schema_add(schema, "text", 4, CR_BAG, CR_ROLE_FEATURE, CR_WHY_TEXT, &err),
                     CR_OK);
    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    assert_int_equal(cr__source_bind(source, schema, 0, 0, &err), CR_OK);
    assert_false(cr__source_has_target(source));
    cr_source_close(source);
    assert_int_equal(
        cr_source_open(&source, &path, 1, &(cr_source_options){.target = "file"}, &err), CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, (const cr_schema **)&first, &err),
                     CR_EARG);
    cr_source_close(source);
    cr__schema_free(schema);
}

static void progress_counts_the_files_of_folders(void **state)
{
    const char *path = "news";
    uint64_t done, total;
    cr_source *source;
    cr__chunk chunk;
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    cr__source_progress(source, &done, &total);
    assert_int_equal(done, 0);
    assert_int_equal(total, 25 + 8 + 6); /* the bytes of the four documents */
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    cr__source_progress(source, &done, &total);
    assert_int_equal(done, total);
    cr__source_release(&chunk);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_END);
    cr__source_progress(source, &done, &total);
    assert_int_equal(done, total);
    cr_source_close(source);
}

static void memory_may_run_out_anywhere(void **state)
{
    static const char *const paths[] = {"news", "d.tar"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        long n = 0;

        for (;; n++) {
            reading r;
            int done;

            cr__memory_fail_after = n;
            r = read_paths(&paths[i], 1, &(cr_source_options){.classes = "a=b"});
            cr__memory_fail_after = -1;
            done = r.status == CR_OK && !r.text.failed;
            assert_true(done || r.status == CR_ENOMEM || r.text.failed);
            cr__buffer_free(&r.text);
            if (done)
                break;
        }
        assert_true(n > 20);
    }
}

static void threads_and_chunks_make_no_difference(void **state)
{
    const char *path = "many";
    member *members = calloc(300, sizeof *members);

    (void)state;
    assert_non_null(members);
    for (int i = 0; i < 300; i++) {
        char name[64], text[128];

        snprintf(name, sizeof name, "many/c%d/%d", i % 5, i);
        snprintf(text, sizeof text, "word%d and word%d of a document", i * 31 % 97, i * 17 % 89);
        members[i] = (member){strdup(name), strdup(text)};
        plant(name, text);
    }
    expect_same_model(&path, 1, NULL);
    train_file(&path, 1, NULL, 1, 0, "folder.model");
    path = "many.tar.zst";
    pack(path, "zstd", "pax", members, 300);
    expect_same_model(&path, 1, NULL);
    expect_same_bytes("folder.model", "one.model");
    for (int i = 0; i < 300; i++) {
        free((char *)members[i].name);
        free((char *)members[i].text);
    }
    free(members);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_folder_is_a_class),
        cmocka_unit_test(several_folders_are_one_table),
        cmocka_unit_test(the_folder_itself_names_the_class_of_what_lies_in_it),
        cmocka_unit_test(a_single_file_is_one_document),
        cmocka_unit_test(members_of_archives_are_documents),
        cmocka_unit_test(members_outside_folders_have_the_archives_name),
        cmocka_unit_test(tables_in_archives_are_still_tables),
        cmocka_unit_test(any_bytes_may_be_in_a_document),
        cmocka_unit_test(documents_that_are_too_long_are_named),
        cmocka_unit_test(a_file_that_vanishes_is_named),
        cmocka_unit_test(loops_and_special_files_are_left_out),
        cmocka_unit_test(an_empty_folder_is_told),
        cmocka_unit_test(a_document_is_split_into_class_text_and_name),
        cmocka_unit_test(the_name_is_for_output_only),
        cmocka_unit_test(progress_counts_the_files_of_folders),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(threads_and_chunks_make_no_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
