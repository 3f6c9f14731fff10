/* tests/source/test_memory.c - bytes in memory as a file. */
#include <math.h>

#include "source/training.h"

#include "credence/credence.h"

static const char *const csv = "colour,grams,fruit\nred,150,apple\ngreen,160,apple\nred,140,apple\n"
                               "yellow,110,lemon\nyellow,120,lemon\ngreen,105,lemon\n";

static cr_source *open_bytes(const void *bytes, size_t size, const char *name)
{
    cr_source *source = NULL;
    cr_error err = {0};

    if (cr_source_open_memory(&source, bytes, size, name, NULL, &err) != CR_OK)
        fail_msg("%s: %s", err.file, err.message);
    return source;
}

static cr_model *train_and_close(cr_source *source)
{
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, &err) != CR_OK)
        fail_msg("%s: %s", err.file, err.message);
    cr_source_close(source);
    return model;
}

/* A file of the same bytes, and the model that it gives. */
static void expect_model_of_file(cr_model *model, const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_error err = {0};

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    train_file(&path, 1, NULL, 1, 0, "file.model");
    assert_int_equal(cr_model_save(model, "memory.model", &err), CR_OK);
    expect_same_bytes("memory.model", "file.model");
    cr_model_free(model);
}

static void bytes_give_the_model_of_a_file_with_these_bytes(void **state)
{
    static const char jsonl[] = "{\"x\": 1.5, \"y\": \"a\"}\n{\"x\": 2, \"y\": \"b\"}\n";
    static const char arff[] = "@relation r\n@attribute x real\n@attribute y {a,b}\n@data\n"
                               "1.5,a\n2,b\n";

    (void)state;
    expect_model_of_file(train_and_close(open_bytes(csv, strlen(csv), NULL)), "m.csv", csv,
                         strlen(csv));
    expect_model_of_file(train_and_close(open_bytes(jsonl, strlen(jsonl), "rows.jsonl")), "m.jsonl",
                         jsonl, strlen(jsonl));
    expect_model_of_file(train_and_close(open_bytes(arff, strlen(arff), NULL)), "m.arff", arff,
                         strlen(arff));
}

/* printf 'x,y\n1,a\n3,b\n' | gzip -9n */
static void compressed_bytes_are_unpacked(void **state)
{
    static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
                                           0x02, 0x03, 0xab, 0xd0, 0xa9, 0xe4, 0x32, 0xd4,
                                           0x49, 0xe4, 0x32, 0xd6, 0x49, 0xe2, 0x02, 0x00,
                                           0x1c, 0xc4, 0xd2, 0xe6, 0x0c, 0x00, 0x00, 0x00};
    cr_model *model = train_and_close(open_bytes(packed, sizeof packed, "rows.csv.gz"));

    (void)state;
    assert_int_equal(cr_model_classes(model), 2);
    assert_string_equal(cr_schema_name(cr_model_schema(model), 0), "x");
    cr_model_free(model);
}

static void one_source_serves_several_passes(void **state)
{
    cr_source *source = open_bytes(csv, strlen(csv), NULL);
    cr_model *model = NULL;
    cr_evaluation *evaluation = NULL;
    cr_metrics m;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, &err), CR_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cr_model_test(model, source, NULL, NULL, &evaluation, NULL, &err), CR_OK);
        cr_evaluation_metrics(evaluation, &m);
        assert_true(m.accuracy == 1);
        cr_evaluation_free(evaluation);
    }
    cr_source_close(source);
    cr_model_free(model);
}

static void errors_name_the_bytes_as_the_caller_does(void **state)
{
    static const char text[] = "x,y\n1,a\n2,b,c\n";
    cr_source *source = open_bytes(text, sizeof text - 1, "request body");
    cr_model *model = NULL;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, &err), CR_EFORMAT);
    assert_null(model);
    assert_string_equal(err.file, "request body");
    assert_int_equal(err.line, 3);
    cr_source_close(source);
    assert_int_equal(cr_source_open_memory(&source, NULL, 0, "nothing", NULL, &err), CR_EFORMAT);
    assert_string_equal(err.file, "nothing");
    assert_null(source);
}

/* The rule of credence/run.h, with the options of sources. */
static void options_of_other_versions_are_understood(void **state)
{
    struct {
        cr_source_options known;
        const char *later;
    } newer = {.known = {.size = sizeof newer, .target = "colour"}};
    cr_source_options older = {.size = offsetof(cr_source_options, target), .target = "absent"};
    cr_source *source = NULL;
    cr_model *model;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, csv, strlen(csv), NULL, &newer.known, &err),
                     CR_OK);
    model = train_and_close(source);
    assert_int_equal(cr_model_classes(model), 3);
    cr_model_free(model);
    assert_int_equal(cr_source_open_memory(&source, csv, strlen(csv), NULL, &older, &err), CR_OK);
    model = train_and_close(source);
    assert_int_equal(cr_model_classes(model), 2); /* the last column: target was not looked at */
    cr_model_free(model);
    newer.later = "what this version does not know";
    assert_int_equal(cr_source_open_memory(&source, csv, strlen(csv), NULL, &newer.known, &err),
                     CR_EARG);
    assert_null(source);
    assert_non_null(strstr(err.message, "later version"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_give_the_model_of_a_file_with_these_bytes),
        cmocka_unit_test(compressed_bytes_are_unpacked),
        cmocka_unit_test(one_source_serves_several_passes),
        cmocka_unit_test(errors_name_the_bytes_as_the_caller_does),
        cmocka_unit_test(options_of_other_versions_are_understood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
