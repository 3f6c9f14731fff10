/* tests/source/test_idx.c - idx files: items, labels from the file beside, and damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"
#include "source/format.h"

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Four items of 1 by 2 bytes; one of them ends in a line end, one has a NUL. */
static const unsigned char images[] = {0, 0, 8, 3, 0, 0,  0, 4, 0,   0,  0,   1,
                                       0, 0, 0, 2, 1, 10, 2, 0, 250, 10, 255, 10};
static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 4, 3, 3, 7, 7};

static cr_status train(cr_model **model, const char *path, cr_error *err)
{
    const char *const paths[] = {path};
    cr_source *source;
    cr_status st = cr_source_open(&source, paths, 1, NULL, err);

    *model = NULL;
    if (st != CR_OK)
        return st;
    st = cr_model_train(model, source, "nb", NULL, 0, NULL, NULL, err);
    cr_source_close(source);
    return st;
}

static void items_come_with_their_labels(void **state)
{
    cr_model *model;
    cr_gaussian g;
    cr_error err = {0};

    (void)state;
    write_file("a-images-idx3-ubyte", images, sizeof images);
    write_file("a-labels-idx1-ubyte", labels, sizeof labels);
    if (train(&model, "a-images-idx3-ubyte", &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_int_equal(cr_model_classes(model), 2);
    assert_string_equal(cr_model_class(model, 1), "7");
    assert_int_equal(cr_schema_kind(cr_model_schema(model), 0), CR_REAL);
    assert_string_equal(cr_schema_name(cr_model_schema(model), 2), "label");
    assert_int_equal(cr_model_gaussian(model, 0, 1, &g), CR_OK);
    assert_true(g.count == 2 && g.mean == 252.5);
    assert_int_equal(cr_model_gaussian(model, 1, 0, &g), CR_OK);
    assert_true(g.count == 2 && g.mean == 5);
    cr_model_free(model);
}

static void without_labels_there_is_nothing_to_learn(void **state)
{
    cr_model *model;
    cr_error err = {0};

    (void)state;
    write_file("b-images-idx3-ubyte", images, sizeof images);
    assert_int_equal(train(&model, "b-images-idx3-ubyte", &err), CR_EFORMAT);
    assert_non_null(strstr(err.message, "no row has a class"));
}

static void damaged_files_are_refused(void **state)
{
    unsigned char few[sizeof labels];
    cr_model *model;
    cr_error err = {0};

    (void)state;
    memcpy(few, labels, sizeof few);
    few[7] = 3;
    write_file("c-images-idx3-ubyte", images, sizeof images);
    write_file("c-labels-idx1-ubyte", few, sizeof few - 1);
    assert_int_equal(train(&model, "c-images-idx3-ubyte", &err), CR_EFORMAT);
    assert_non_null(strstr(err.message, "does not have a label for each of 4 items"));
    write_file("d-images-idx3-ubyte", images, sizeof images - 1);
    write_file("d-labels-idx1-ubyte", labels, sizeof labels);
    assert_int_equal(train(&model, "d-images-idx3-ubyte", &err), CR_EFORMAT);
    write_file("e-images-idx3-ubyte", images, 9);
    assert_int_equal(train(&model, "e-images-idx3-ubyte", &err), CR_EFORMAT);
}

/* Files that are wrong in one byte or two, and the error for each. */
static void every_kind_of_damage_is_named(void **state)
{
    static const struct {
        unsigned char bytes[24];
        size_t size;
        const char *says;
    } bad[] = {
        {{0, 0, 13, 1, 0, 0, 0, 1, 63, 128, 0, 0}, 12, "not an idx file of bytes"}, /* floats */
        {{0, 0, 8, 2, 0, 0, 0, 3, 0, 0, 0, 0},
         12,
         "not an idx file of bytes"}, /* items of 0 bytes */
        {{0, 0, 8, 2, 0, 0, 0, 1, 0, 16, 0, 1, 7},
         13,
         "not an idx file of bytes"}, /* a million and one */
        {{0, 0, 8, 3, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 7},
         17,
         "not an idx file of bytes"},
        {{0, 0, 8, 9, 0, 0, 0, 1}, 8, "not an idx file of bytes"}, /* nine dimensions */
        {{0, 0, 8, 2, 0, 0, 0, 9, 0, 0, 0, 2, 1, 2, 3},
         15,
         "the header announces 9 items, but there are 1 and a part of one"},
        {{0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4},
         16,
         "the header announces 1 items, but there are 2"},
        {{0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 2}, 12, "there are no rows"},
    };
    const char *const paths[] = {"bad.idx"};
    cr_source_options options;

    (void)state;
    cr_source_options_default(&options);
    options.format = "idx";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_source *source = NULL;
        cr_model *model = NULL;
        cr_error err = {0};

        write_file("bad.idx", bad[i].bytes, bad[i].size);
        if (cr_source_open(&source, paths, 1, &options, &err) == CR_OK)
            assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, &err),
                             CR_EFORMAT);
        if (strstr(err.message, bad[i].says) == NULL)
            fail_msg("%zu: '%s' does not say '%s'", i, err.message, bad[i].says);
        cr_source_close(source);
    }
}

/* The end may come right after a chunk, before it is known to be the end. */
static void missing_items_are_missed_whatever_the_chunks_are(void **state)
{
    static const unsigned char few[] = {0, 0, 8, 2, 0, 0, 0, 9, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6};
    const size_t usual = cr__source_chunk_size;

    (void)state;
    write_file("few-images-idx2-ubyte", few, sizeof few);
    for (size_t size = 1; size < 10; size++) {
        const char *const paths[] = {"few-images-idx2-ubyte"};
        static const char *const types[] = {"p0=symbol"};
        cr_source_options options;
        cr_source *source;
        cr_model *model;
        cr_error err = {0};

        cr__source_chunk_size = size;
        cr_source_options_default(&options);
        options.target = "p0";
        options.types = types;
        options.type_count = 1;
        assert_int_equal(cr_source_open(&source, paths, 1, &options, &err), CR_OK);
        assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, &err),
                         CR_EFORMAT);
        assert_non_null(strstr(err.message, "the header announces 9 items, but there are 3"));
        cr_source_close(source);
    }
    cr__source_chunk_size = usual;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_with_their_labels),
        cmocka_unit_test(without_labels_there_is_nothing_to_learn),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(every_kind_of_damage_is_named),
        cmocka_unit_test(missing_items_are_missed_whatever_the_chunks_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
