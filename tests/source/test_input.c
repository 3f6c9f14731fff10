/* tests/source/test_input.c - files, pipes, archives, and several of them as one table. */
#include "source/paths.h"

#include <fcntl.h>
#include <sys/wait.h>

#define TABLE "a,y\n1.5,u\n2.5,v\n"
#define READ "a=real/numbers y=symbol/target\n2: 1.5|\"u\"\n3: 2.5|\"v\"\n"

static void plain_files_are_read_in_chunks_of_any_size(void **state)
{
    const size_t usual = cr__source_chunk_size;
    char text[4096 * 2 + 1] = TABLE;

    (void)state;
    write_file("t.csv", TABLE, strlen(TABLE));
    write_file("open.csv", TABLE, strlen(TABLE) - 1);
    for (size_t size = 1; size < 40; size++) {
        cr__source_chunk_size = size;
        expect_path("t.csv", NULL, READ);
        expect_path("open.csv", NULL, READ);
    }
    cr__source_chunk_size = usual;

    /* A file that fills its pages to the last byte and has no line end there. */
    memset(text + strlen(text), ' ', 4096 - strlen(text) - 3);
    memcpy(text + 4096 - 3, "7,w", 3);
    write_file("page.csv", text, 4096);
    expect_path("page.csv", NULL, READ "4: 7|\"w\"\n");
}

static void paths_that_cannot_be_read_are_told(void **state)
{
    const char *const twice[] = {"-", "-"};

    (void)state;
    write_file("empty.csv", "", 0);
    expect_path_error("nowhere.csv", NULL, CR_EIO, "cannot open nowhere.csv");
    assert_true(mkdir("tables", 0700) == 0 || errno == EEXIST);
    write_file("tables/a.csv", "a,y\n1,u\n", 8);
    expect_path_error("tables", NULL, CR_EIO, "is a folder");
    expect_path_error("empty.csv", NULL, CR_EFORMAT, "empty");
    assert_int_equal(read_paths(twice, 2, NULL).status, CR_EARG);
    assert_int_equal(read_paths(twice, 0, NULL).status, CR_EARG);
    expect_path_error("t.csv", &(cr_source_options){.format = "cvs"}, CR_EARG, "no format 'cvs'");
}

/* --- packed files -------------------------------------------------------------------------- */

static void compressed_files_are_recognised_by_content(void **state)
{
    static const char *const filters[] = {"gzip", "bzip2", "xz", "zstd"};
    const member one[] = {{"data", TABLE}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        pack("packed", filters[i], "raw", one, 1);
        expect_path("packed", NULL, READ);
    }
}

static void members_of_archives_are_one_table(void **state)
{
    const member members[] = {{"folder/", NULL},
                              {"folder/one.csv", TABLE},
                              {"__MACOSX/x", "litter"},
                              {"folder/._one.csv", "litter"},
                              {"folder/two.csv", "y,a\nw,3.5\n"}};
    static const struct {
        const char *path, *filter, *format;
    } kinds[] = {{"t.tar", NULL, "ustar"},
                 {"t.tar.gz", "gzip", "pax"},
                 {"t.tar.xz", "xz", "gnutar"},
                 {"t.tar.zst", "zstd", "pax"},
                 {"t.zip", NULL, "zip"}};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        pack(kinds[i].path, kinds[i].filter, kinds[i].format, members, 5);
        expect_path(kinds[i].path, NULL, READ "2: 3.5|\"w\"\n");
        expect_path(kinds[i].path, &(cr_source_options){.member = "folder/one.csv"}, READ);
        expect_path_error(kinds[i].path, &(cr_source_options){.member = "no.csv"}, CR_EARG,
                          "no member 'no.csv'");
    }
}

static void faults_in_members_name_them(void **state)
{
    const member members[] = {{"one.csv", TABLE}, {"two.csv", "a,y\n1,2,3\n"}};
    const char *path = "bad.tar";
    reading r;

    (void)state;
    pack(path, NULL, "ustar", members, 2);
    r = read_paths(&path, 1, NULL);
    assert_int_equal(r.status, CR_EFORMAT);
    assert_string_equal(r.err.file, "bad.tar:two.csv");
    assert_int_equal(r.err.line, 2);
    cr__buffer_free(&r.text);
}

static void damaged_archives_are_told(void **state)
{
    const member one[] = {{"data.csv", TABLE TABLE TABLE TABLE TABLE TABLE}};
    char bytes[8192];
    size_t size;
    FILE *file;

    (void)state;
    pack("whole.gz", "gzip", "raw", one, 1);
    file = fopen("whole.gz", "rb");
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    write_file("cut.gz", bytes, size - 12);
    expect_path_error("cut.gz", NULL, CR_EFORMAT, "cannot be unpacked");
    pack("none.zip", NULL, "zip", one, 0);
    expect_path_error("none.zip", NULL, CR_EFORMAT, "none.zip contains no files");
}

/* A copy of a .gz with one byte changed, counted from its end: the last eight are the CRC-32 and
 * the length of what was packed (RFC 1952, 2.3.1). */
static void flip_in_copy(const char *path, const char *copy, size_t from_end)
{
    char bytes[8192];
    FILE *file = fopen(path, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);

    fclose(file);
    bytes[size - from_end] ^= 4;
    write_file(copy, bytes, size);
}

static void checksums_of_gzip_are_compared(void **state)
{
    const member one[] = {{"data.csv", TABLE}};
    const char *const archives[][2] = {{"sum.csv.gz", "raw"}, {"sum.tar.gz", "ustar"}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        pack(archives[i][0], "gzip", archives[i][1], one, 1);
        expect_path(archives[i][0], NULL, READ);
        flip_in_copy(archives[i][0], "flip.gz", 8);
        expect_path_error("flip.gz", NULL, CR_EFORMAT, "cannot be unpacked: incorrect data check");
        flip_in_copy(archives[i][0], "flip.gz", 4);
        expect_path_error("flip.gz", NULL, CR_EFORMAT, "cannot be unpacked: incorrect length");
    }
}

static void members_of_gzip_are_one_stream(void **state)
{
    const member parts[] = {{"1", TABLE}, {"2", "3.5,w\n"}};
    char bytes[8192];
    size_t size = 0;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        FILE *file;

        pack("part.gz", "gzip", "raw", &parts[i], 1);
        file = fopen("part.gz", "rb");
        size += fread(bytes + size, 1, sizeof bytes - size, file);
        fclose(file);
    }
    write_file("both.csv.gz", bytes, size);
    expect_path("both.csv.gz", NULL, READ "4: 3.5|\"w\"\n");
    memcpy(bytes + size, "\0\0\0\0", 4);
    write_file("padded.csv.gz", bytes, size + 4);
    expect_path("padded.csv.gz", NULL, READ "4: 3.5|\"w\"\n");
}

/* --- pipes --------------------------------------------------------------------------------- */

/* Run the reading with standard input a pipe that another process fills. */
static reading read_pipe(const char *bytes, size_t size)
{
    const char *path = "-";
    int ends[2], saved = dup(STDIN_FILENO);
    pid_t child;
    reading r;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        while (size > 0) {
            const ssize_t n = write(ends[1], bytes, size);
            if (n <= 0)
                _exit(1);
            bytes += n;
            size -= (size_t)n;
        }
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    r = read_paths(&path, 1, NULL);
    dup2(saved, STDIN_FILENO);
    close(saved);
    waitpid(child, NULL, 0);
    return r;
}

static char *long_table(size_t rows, const char *last, size_t *size)
{
    cr__buffer text = {0};

    cr__buffer_adds(&text, "a,y\n");
    for (size_t i = 0; i < rows; i++)
        cr__buffer_adds(&text, "1,u\n");
    cr__buffer_adds(&text, last);
    *size = text.size;
    return text.data;
}

static void a_pipe_can_be_read_again_when_a_guess_breaks(void **state)
{
    size_t size;
    char *text = long_table(600000, "2,v\n", &size);
    reading r = read_pipe(text, size);

    (void)state;
    assert_int_equal(r.status, CR_OK);
    assert_int_equal(r.passes, 2);
    assert_non_null(strstr(r.text.data, "a=real/numbers"));
    assert_non_null(strstr(r.text.data, "600002: 2|\"v\"\n"));
    cr__buffer_free(&r.text);
    cr__free(text);
}

static void a_pipe_that_cannot_be_kept_says_so(void **state)
{
    size_t size;
    char *text = long_table(600000, "2,v\n", &size);
    char *old = getenv("TMPDIR") != NULL ? strdup(getenv("TMPDIR")) : NULL;
    reading r;

    (void)state;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    r = read_pipe(text, size);
    assert_int_equal(r.status, CR_EIO);
    assert_non_null(strstr(r.err.message, "temporary file"));
    assert_non_null(strstr(r.err.hint, "TMPDIR"));
    cr__buffer_free(&r.text);
    cr__free(text);

    /* As long as no guess breaks, nothing has to be kept. */
    text = long_table(600000, "0,v\n", &size);
    r = read_pipe(text, size);
    assert_int_equal(r.status, CR_OK);
    cr__buffer_free(&r.text);
    cr__free(text);
    if (old != NULL)
        setenv("TMPDIR", old, 1);
    else
        unsetenv("TMPDIR");
    free(old);
}

/* With a model's schema, rows come as soon as they are written, not when a chunk is full. */
static void a_bound_pipe_does_not_wait_for_more(void **state)
{
    const char *path = "-";
    int ends[2], saved = dup(STDIN_FILENO);
    cr_schema *schema;
    cr_source *source;
    cr__chunk chunk;
    cr_error err;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(write(ends[1], "a\n1\n2\n3", 7), 7);
    assert_int_equal(cr__schema_new(&schema, &err), CR_OK);
    cr__schema_add(schema, "a", 1, CR_REAL, CR_ROLE_FEATURE, CR_WHY_NUMBERS, &err);
    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    assert_int_equal(cr__source_bind(source, schema, 0, 0, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    assert_int_equal(chunk.size, 4);
    cr__source_release(&chunk);
    assert_int_equal(write(ends[1], "4\n", 2), 2);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    assert_memory_equal(chunk.bytes, "34\n", chunk.size);
    cr__source_release(&chunk);
    close(ends[1]);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_END);
    assert_int_equal(cr__source_rewind(source, &err), CR_EIO);
    cr_source_close(source);
    cr__schema_free(schema);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

/* --- several files
 * --------------------------------------------------------------------------------- */

static void several_files_are_one_table(void **state)
{
    const char *const paths[] = {"one.csv", "two.csv", "three.jsonl"};
    reading r;

    (void)state;
    write_file("one.csv", "a,b,y\n1.5,x,u\n", 14);
    write_file("two.csv", "y;b;a\nv;z;2\n", 12);
    write_file("three.jsonl", "{\"b\":\"w\",\"y\":\"u\"}\n", 18);
    r = read_paths(paths, 3, NULL);
    assert_int_equal(r.status, CR_OK);
    assert_string_equal(r.text.data, "a=real/numbers b=symbol/words y=symbol/target\n"
                                     "2: 1.5|\"x\"|\"u\"\n2: 2|\"z\"|\"v\"\n1: ~|\"w\"|\"u\"\n");
    cr__buffer_free(&r.text);
}

static void fields_are_split_in_the_order_of_the_first_file(void **state)
{
    const char *const paths[] = {"one.csv", "two.csv"};
    static const char *const expected[] = {"2", "z", "v"};
    const cr_schema *schema;
    cr__fields fields = {0};
    cr_source *source;
    cr__batch *batch;
    cr__chunk chunk;
    cr__plan plan;
    cr_error err;

    (void)state;
    write_file("one.csv", "a,b,y\n1.5,x,u\n", 14);
    write_file("two.csv", "y;b;a\nv;z;2\n", 12);
    assert_int_equal(cr_source_open(&source, paths, 2, NULL, &err), CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, &err), CR_OK);
    assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
    assert_int_equal(cr__batch_new(&batch, schema, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    cr__source_release(&chunk);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    assert_int_equal(cr__source_parse(&chunk, &plan, batch, &err), CR_OK);
    assert_int_equal(cr__source_split(&chunk, &batch->record[0], &fields, &err), CR_OK);
    for (size_t f = 0; f < 3; f++) {
        assert_int_equal(fields.size[f], 1);
        assert_memory_equal(fields.bytes[f], expected[f], 1);
    }
    cr__fields_free(&fields);
    cr__source_release(&chunk);
    cr__batch_free(batch);
    reading_plan_free(&plan);
    cr_source_close(source);
}

static void files_with_other_columns_are_refused(void **state)
{
    const char *const more[] = {"one.csv", "more.csv"}, *const less[] = {"one.csv", "less.csv"};
    const char *const twice[] = {"one.csv", "twice.csv"}, *const late[] = {"one.csv",
                                                                           "missing.csv"};
    reading r;

    (void)state;
    write_file("one.csv", "a,b,y\n1.5,x,u\n", 14);
    write_file("more.csv", "a,b,c,y\n1,x,2,u\n", 16);
    write_file("less.csv", "a,y\n1,u\n", 8);
    write_file("twice.csv", "a,b,y,y\n1,x,u,u\n", 16);
    r = read_paths(more, 2, NULL);
    assert_int_equal(r.status, CR_EFORMAT);
    assert_string_equal(r.err.file, "more.csv");
    assert_non_null(strstr(r.err.message, "column 3 is 'c', which one.csv does not have"));
    cr__buffer_free(&r.text);
    r = read_paths(less, 2, NULL);
    assert_int_equal(r.status, CR_EFORMAT);
    assert_non_null(strstr(r.err.message, "it has no column 'b', which one.csv has"));
    cr__buffer_free(&r.text);
    r = read_paths(twice, 2, NULL);
    assert_int_equal(r.status, CR_EFORMAT);
    assert_non_null(strstr(r.err.message, "column 4 has the name 'y'"));
    cr__buffer_free(&r.text);
    r = read_paths(late, 2, NULL); /* told before the first is read */
    assert_int_equal(r.status, CR_EIO);
    cr__buffer_free(&r.text);
}

static void formats_are_recognised_by_name_and_content(void **state)
{
    static const struct {
        const char *name, *text, *expected;
    } cases[] = {
        {"x.tsv", "a,b\ty\n1.5\tu\n", "a,b=real/numbers y=symbol/target\n2: 1.5|\"u\"\n"},
        {"x.arff", "@relation r\n@attribute y {u}\n@data\nu\n", "y=symbol/declared\n4: \"u\"\n"},
        {"noname1", "% c\n@relation r\n@attribute y {u}\n@data\nu\n",
         "y=symbol/declared\n5: \"u\"\n"},
        {"noname2", "\n{\"y\":\"u\"}\n", "y=symbol/target\n2: \"u\"\n"},
        {"noname3", "1 2:2\n",
         "label=symbol/target 1=symbol/binary 2=real/numbers\n"
         "1: \"1\"|\"0\"|2\n"},
        {"noname4", TABLE, READ},
        {"x.csv", "{a},y\n1.5,u\n", "{a}=real/numbers y=symbol/target\n2: 1.5|\"u\"\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(cases[i].name, cases[i].text, strlen(cases[i].text));
        expect_path(cases[i].name, &(cr_source_options){0}, cases[i].expected);
    }
}

static void formats_are_listed(void **state)
{
    size_t i;

    (void)state;
    for (i = 0; cr_source_format_name(i) != NULL; i++)
        assert_non_null(cr_source_format_summary(i));
    assert_int_equal(i, 10);
    assert_string_equal(cr_source_format_name(0), "csv");
}

static void progress_counts_bytes(void **state)
{
    const char *path = "t.csv";
    uint64_t done, total;
    cr_source *source;
    cr__chunk chunk;
    cr_error err;

    (void)state;
    write_file(path, TABLE, strlen(TABLE));
    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    cr__source_progress(source, &done, &total);
    assert_int_equal(total, strlen(TABLE));
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    cr__source_progress(source, &done, &total);
    assert_int_equal(done, strlen(TABLE));
    cr__source_release(&chunk);
    cr_source_close(source);
}

/* A table of more bytes than one read takes. */
static void write_long_table(const char *path)
{
    static char text[400004];

    memcpy(text, "x,y\n", 4);
    for (size_t i = 4; i < sizeof text; i += 4)
        memcpy(text + i, "1,u\n", 4);
    write_file(path, text, sizeof text);
}

static void a_file_that_shrinks_is_told(void **state)
{
    const char *path = "shrinks.csv";
    cr_source *source;
    cr__chunk chunk;
    cr_error err;

    (void)state;
    write_long_table(path);
    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    cr__source_release(&chunk);
    assert_int_equal(truncate(path, 5), 0);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_EIO);
    assert_non_null(strstr(err.message, "has shrunk"));
    cr_source_close(source);
}

/* What is appended while the file is read is not part of it: a second pass sees the same rows. */
static void a_file_that_grows_ends_where_it_did(void **state)
{
    const char *path = "grows.csv";
    size_t size = 4;
    cr_source *source;
    cr__chunk chunk;
    cr_error err;
    FILE *file;

    (void)state;
    write_long_table(path);
    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    assert_non_null(file = fopen(path, "a"));
    assert_int_equal(fputs("2,v\n", file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    while (cr__source_next(source, &chunk, &err) == CR_OK) {
        size += chunk.size;
        cr__source_release(&chunk);
    }
    assert_int_equal(size, 400004);
    cr_source_close(source);
}

/* A chunk outlives the file it comes from. */
static void chunks_stay_when_the_source_goes_on(void **state)
{
    const char *const paths[] = {"t.csv", "t.csv"};
    cr_source *source;
    cr__chunk first, second, none;
    cr_error err;

    (void)state;
    write_file("t.csv", TABLE, strlen(TABLE));
    assert_int_equal(cr_source_open(&source, paths, 2, NULL, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &first, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &second, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &none, &err), CR_END);
    assert_memory_equal(first.bytes, "1.5,u\n", 6);
    assert_string_equal(second.file->name, "t.csv");
    assert_memory_equal(second.bytes, "1.5,u\n", 6);
    cr__source_release(&second);
    cr__source_release(&first);
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_are_read_in_chunks_of_any_size),
        cmocka_unit_test(paths_that_cannot_be_read_are_told),
        cmocka_unit_test(compressed_files_are_recognised_by_content),
        cmocka_unit_test(members_of_archives_are_one_table),
        cmocka_unit_test(faults_in_members_name_them),
        cmocka_unit_test(damaged_archives_are_told),
        cmocka_unit_test(checksums_of_gzip_are_compared),
        cmocka_unit_test(members_of_gzip_are_one_stream),
        cmocka_unit_test(a_pipe_can_be_read_again_when_a_guess_breaks),
        cmocka_unit_test(a_pipe_that_cannot_be_kept_says_so),
        cmocka_unit_test(a_bound_pipe_does_not_wait_for_more),
        cmocka_unit_test(several_files_are_one_table),
        cmocka_unit_test(fields_are_split_in_the_order_of_the_first_file),
        cmocka_unit_test(files_with_other_columns_are_refused),
        cmocka_unit_test(formats_are_recognised_by_name_and_content),
        cmocka_unit_test(formats_are_listed),
        cmocka_unit_test(progress_counts_bytes),
        cmocka_unit_test(a_file_that_shrinks_is_told),
        cmocka_unit_test(a_file_that_grows_ends_where_it_did),
        cmocka_unit_test(chunks_stay_when_the_source_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
