/* tests/source/test_array_layouts.c - columns in memory as other programs lay them out.
 *
 * Each layout must give the bytes of the model that the same values in a CSV file give.
 */
#include <math.h>

#include "source/training.h"

#include "credence/credence.h"

static cr__buffer bytes_of(cr_source *source, const char *learner)
{
    cr_model *model = NULL;
    cr_error err = {0};
    cr__buffer bytes;

    if (cr_model_train(&model, source, learner, NULL, 0, NULL, NULL, &err) != CR_OK ||
        cr_model_save(model, "m.model", &err) != CR_OK)
        fail_msg("%s:%zu:%zu: %s", err.file, err.line, err.column, err.message);
    cr_model_free(model);
    cr_source_close(source);
    bytes = read_whole("m.model");
    return bytes;
}

/* Train from arrays and from CSV, with types given where they are not as a file would guess. */
static void expect_csv(const cr_array *arrays, size_t columns, size_t rows, const char *csv,
                       const char *const *types, size_t type_count)
{
    const cr_source_options options = {
        .size = sizeof options, .types = types, .type_count = type_count};
    cr_source *memory = NULL, *table = NULL;
    cr_error err = {0};
    cr__buffer a, b;

    if (cr_source_open_arrays(&table, arrays, columns, rows, &err) != CR_OK ||
        cr_source_open_memory(&memory, csv, strlen(csv), NULL, &options, &err) != CR_OK)
        fail_msg("%s", err.message);
    a = bytes_of(table, NULL);
    b = bytes_of(memory, NULL);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    cr__buffer_free(&a);
    cr__buffer_free(&b);
}

static const char *const fruit[] = {"apple", "lemon", "apple", "lemon"};
#define FRUIT                                                                                      \
    {                                                                                              \
        .name = "fruit", .text = fruit, .role = CR_ROLE_TARGET                                     \
    }

static const char *const expected = "x,fruit\n3,apple\n-7,lemon\n11,apple\n100,lemon\n";
static const char *const positive = "x,fruit\n3,apple\n7,lemon\n11,apple\n100,lemon\n";

#define EXPECT_TYPE(ctype, code, first, csv)                                                       \
    do {                                                                                           \
        const ctype x[] = {3, (ctype)(first), 11, 100};                                            \
        const cr_array arrays[] = {{.name = "x", .data = x, .element = (code)}, FRUIT};            \
                                                                                                   \
        expect_csv(arrays, 2, 4, csv, NULL, 0);                                                    \
    } while (0)

static void numbers_of_every_type_are_the_numbers_of_a_file(void **state)
{
    (void)state;
    EXPECT_TYPE(double, CR_ELEMENT_DOUBLE, -7, expected);
    EXPECT_TYPE(float, CR_ELEMENT_FLOAT, -7, expected);
    EXPECT_TYPE(int8_t, CR_ELEMENT_INT8, -7, expected);
    EXPECT_TYPE(int16_t, CR_ELEMENT_INT16, -7, expected);
    EXPECT_TYPE(int32_t, CR_ELEMENT_INT32, -7, expected);
    EXPECT_TYPE(int64_t, CR_ELEMENT_INT64, -7, expected);
    EXPECT_TYPE(uint8_t, CR_ELEMENT_UINT8, 7, positive);
    EXPECT_TYPE(uint16_t, CR_ELEMENT_UINT16, 7, positive);
    EXPECT_TYPE(uint32_t, CR_ELEMENT_UINT32, 7, positive);
    EXPECT_TYPE(uint64_t, CR_ELEMENT_UINT64, 7, positive);
}

static void integers_keep_all_their_digits(void **state)
{
    const uint64_t id[] = {UINT64_MAX, 9007199254740993, 1, 2};
    const int64_t low[] = {INT64_MIN, -9007199254740993, 1, 2};
    const cr_array arrays[] = {
        {.name = "id", .data = id, .element = CR_ELEMENT_UINT64, .kind = CR_SYMBOL},
        {.name = "low", .data = low, .element = CR_ELEMENT_INT64, .kind = CR_SYMBOL},
        FRUIT};
    const char *const types[] = {"id=symbol", "low=symbol"};

    (void)state;
    expect_csv(arrays, 3, 4,
               "id,low,fruit\n18446744073709551615,-9223372036854775808,apple\n"
               "9007199254740993,-9007199254740993,lemon\n1,1,apple\n2,2,lemon\n",
               types, 2);
}

/* A matrix by rows, one by columns, every second row, backwards, and not aligned. */
static void strides_step_over_what_is_between(void **state)
{
    const double rows[4][3] = {{3, 0, 0}, {-7, 0, 0}, {11, 0, 0}, {100, 0, 0}};
    const float doubled[8] = {3, 0, -7, 0, 11, 0, 100, 0};
    const int16_t backwards[4] = {100, 11, -7, 3};
    char odd[1 + 4 * sizeof(double)];
    const double x[] = {3, -7, 11, 100};
    const cr_array layouts[] = {
        {.name = "x", .data = rows, .element = CR_ELEMENT_DOUBLE, .stride = sizeof rows[0]},
        {.name = "x", .data = doubled, .element = CR_ELEMENT_FLOAT, .stride = 2 * sizeof(float)},
        {.name = "x", .data = &backwards[3], .element = CR_ELEMENT_INT16, .stride = -2},
        {.name = "x", .data = odd + 1, .element = CR_ELEMENT_DOUBLE}};

    (void)state;
    memcpy(odd + 1, x, sizeof x);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const cr_array arrays[] = {layouts[i], FRUIT};

        expect_csv(arrays, 2, 4, expected, NULL, 0);
    }
}

static void codes_stand_for_their_names(void **state)
{
    const char *const words[] = {"small", "large", "never"};
    const int8_t code[] = {1, 0, -1, 1};
    const uint32_t wide[] = {1, 0, 0, 1};
    const double numbers[] = {10, 2.5};
    const cr_array named[] = {{.name = "size",
                               .data = code,
                               .element = CR_ELEMENT_INT8,
                               .names = &(cr_array){.text = words},
                               .name_count = 3},
                              FRUIT};
    const cr_array numbered[] = {{.name = "size",
                                  .data = wide,
                                  .element = CR_ELEMENT_UINT32,
                                  .kind = CR_SYMBOL,
                                  .names = &(cr_array){.real = numbers},
                                  .name_count = 2},
                                 FRUIT};
    const char *const types[] = {"size=symbol"};

    (void)state;
    expect_csv(named, 2, 4, "size,fruit\nlarge,apple\nsmall,lemon\n,apple\nlarge,lemon\n", NULL, 0);
    expect_csv(numbered, 2, 4, "size,fruit\n2.5,apple\n10,lemon\n10,apple\n2.5,lemon\n", types, 1);
}

static void booleans_are_0_and_1_or_have_names(void **state)
{
    const unsigned char truth[] = {1, 0, 0, 7}, bits = 0x24; /* offset 2: 1 0 0 1 */
    const char *const names[] = {"False", "True"};
    cr_array arrays[] = {{.name = "b", .data = truth, .element = CR_ELEMENT_BOOL}, FRUIT};

    (void)state;
    expect_csv(arrays, 2, 4, "b,fruit\n1,apple\n0,lemon\n0,apple\n1,lemon\n", NULL, 0);
    arrays[0] = (cr_array){.name = "b", .data = &bits, .element = CR_ELEMENT_BIT, .offset = 2};
    expect_csv(arrays, 2, 4, "b,fruit\n1,apple\n0,lemon\n0,apple\n1,lemon\n", NULL, 0);
    arrays[0].names = &(cr_array){.text = names};
    arrays[0].name_count = 2;
    expect_csv(arrays, 2, 4, "b,fruit\nTrue,apple\nFalse,lemon\nFalse,apple\nTrue,lemon\n", NULL,
               0);
}

static void texts_have_lengths_or_offsets(void **state)
{
    const char *bytes = "skippedredgreenred";
    const cr_span spans[] = {{bytes + 7, 3}, {bytes + 10, 5}, {NULL, 0}, {bytes + 15, 3}};
    const int32_t offset[] = {0, 7, 10, 15, 15, 18};
    const int64_t large[] = {0, 7, 10, 15, 15, 18};
    const unsigned char valid = 0x16; /* offset 1: 1 1 0 1 */
    const cr_array layouts[] = {{.name = "c", .data = spans, .element = CR_ELEMENT_SPAN},
                                {.name = "c",
                                 .data = offset,
                                 .element = CR_ELEMENT_UTF8,
                                 .bytes = bytes,
                                 .offset = 1,
                                 .mask = &valid,
                                 .mask_kind = CR_MASK_VALID_BITS},
                                {.name = "c",
                                 .data = large,
                                 .element = CR_ELEMENT_LARGE_UTF8,
                                 .bytes = bytes,
                                 .offset = 1,
                                 .mask = &valid,
                                 .mask_kind = CR_MASK_VALID_BITS}};

    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const cr_array arrays[] = {layouts[i], FRUIT};

        expect_csv(arrays, 2, 4, "c,fruit\nred,apple\ngreen,lemon\n,apple\nred,lemon\n", NULL, 0);
    }
}

static void masks_tell_what_is_missing(void **state)
{
    const int32_t x[] = {3, 999, 11, 999};
    const unsigned char valid[] = {1, 0, 1, 0}, missing[] = {0, 9, 1, 9, 0, 9, 1}, bits = 0x05;
    const cr_array layouts[] = {{.name = "x",
                                 .data = x,
                                 .element = CR_ELEMENT_INT32,
                                 .mask = valid,
                                 .mask_kind = CR_MASK_VALID_BYTES},
                                {.name = "x",
                                 .data = x,
                                 .element = CR_ELEMENT_INT32,
                                 .mask = &bits,
                                 .mask_kind = CR_MASK_VALID_BITS},
                                {.name = "x",
                                 .data = x,
                                 .element = CR_ELEMENT_INT32,
                                 .mask = missing,
                                 .mask_kind = CR_MASK_MISSING_BYTES,
                                 .mask_stride = 2}};

    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const cr_array arrays[] = {layouts[i], FRUIT};

        expect_csv(arrays, 2, 4, "x,fruit\n3,apple\n,lemon\n11,apple\n,lemon\n", NULL, 0);
    }
}

static void a_column_without_values_is_as_in_a_file(void **state)
{
    const double none[] = {NAN, NAN, NAN, NAN}, x[] = {3, -7, 11, 100};
    const cr_array arrays[] = {{.name = "none", .real = none}, {.name = "x", .real = x}, FRUIT};

    (void)state;
    expect_csv(arrays, 3, 4, "none,x,fruit\n,3,apple\n,-7,lemon\n,11,apple\n,100,lemon\n", NULL, 0);
}

/* Sentences in a file, and the same words counted: matrix of SciPy's csr_array. */
static void sparse_counts_are_bags_of_words(void **state)
{
    const char *const words[] = {"free", "hello", "money", "now", "you"};
    const char *const class[] = {"spam", "ham", "spam", "ham"};
    const int32_t start[] = {0, 3, 5, 6, 6}, index[] = {0, 2, 3, 1, 4, 2};
    const int64_t start64[] = {0, 3, 5, 6, 6}, index64[] = {0, 2, 3, 1, 4, 2};
    const double count[] = {2, 1, 1, 1, 1, 3};
    const uint8_t small[] = {2, 1, 1, 1, 1, 3};
    const cr_array layouts[] = {{.name = "text",
                                 .kind = CR_BAG,
                                 .start = start,
                                 .index = index,
                                 .index_element = CR_ELEMENT_INT32,
                                 .data = count,
                                 .element = CR_ELEMENT_DOUBLE,
                                 .names = &(cr_array){.text = words},
                                 .name_count = 5},
                                {.name = "text",
                                 .kind = CR_BAG,
                                 .start = start64,
                                 .index = index64,
                                 .index_element = CR_ELEMENT_INT64,
                                 .data = small,
                                 .element = CR_ELEMENT_UINT8,
                                 .names = &(cr_array){.text = words},
                                 .name_count = 5}};
    const char *const types[] = {"text=text"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const cr_array arrays[] = {layouts[i],
                                   {.name = "class", .text = class, .role = CR_ROLE_TARGET}};

        expect_csv(arrays, 2, 4,
                   "text,class\nfree money now free,spam\nhello you,ham\nmoney money money,spam\n"
                   "\". . .\",ham\n", /* a text without a word */
                   types, 1);
    }
}

static void refused(cr_array array, cr_status status, const char *message)
{
    const cr_array arrays[] = {array, FRUIT};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status st = cr_source_open_arrays(&source, arrays, 2, 4, &err);

    if (st == CR_OK)
        st = cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, &err);
    if (st != status || strstr(err.message, message) == NULL)
        fail_msg("%d: %s", st, err.message);
    cr_source_close(source);
}

static void what_makes_no_sense_is_refused(void **state)
{
    const double x[] = {1, 2, INFINITY, 4}, half[] = {0.5};
    const int8_t code[] = {0, 1, 2, 0};
    const int32_t start[] = {0, 1, 1, 1, 1}, index[] = {0}, beyond[] = {7},
                  back[] = {1, 0, 1, 1, 1};
    const char *const words[] = {"u", "v"};
    const cr_array bag = {.name = "x",
                          .start = start,
                          .index = index,
                          .index_element = CR_ELEMENT_INT32,
                          .names = &(cr_array){.text = words},
                          .name_count = 2};
    cr_array a;

    (void)state;
    refused((cr_array){.name = "x"}, CR_EARG, "no values");
    refused((cr_array){.name = "x", .data = x}, CR_EARG, "unknown type");
    refused((cr_array){.name = "x", .real = x, .text = words}, CR_EARG, "more than one form");
    refused((cr_array){.name = "x", .real = x}, CR_EFORMAT, "not a finite number");
    refused((cr_array){.name = "x", .data = x, .element = CR_ELEMENT_UTF8}, CR_EARG, "no bytes");
    refused((cr_array){.name = "x", .real = x, .mask = x}, CR_EARG, "mask");
    refused(
        (cr_array){.name = "x", .real = x, .names = &(cr_array){.text = words}, .name_count = 2},
        CR_EARG, "integers");
    refused((cr_array){.name = "x",
                       .data = code,
                       .element = CR_ELEMENT_INT8,
                       .names = &(cr_array){.text = words},
                       .name_count = 2},
            CR_EFORMAT, "the code 2 in array 'x' has no name");
    a = bag;
    a.names = NULL;
    refused(a, CR_EARG, "does not name the words");
    a = bag;
    a.index = beyond;
    refused(a, CR_EFORMAT, "no name");
    a = bag;
    a.data = half;
    a.element = CR_ELEMENT_DOUBLE;
    refused(a, CR_EFORMAT, "not a count");
    a = bag;
    a.start = back;
    refused(a, CR_EFORMAT, "do not follow");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_type_are_the_numbers_of_a_file),
        cmocka_unit_test(integers_keep_all_their_digits),
        cmocka_unit_test(strides_step_over_what_is_between),
        cmocka_unit_test(codes_stand_for_their_names),
        cmocka_unit_test(booleans_are_0_and_1_or_have_names),
        cmocka_unit_test(texts_have_lengths_or_offsets),
        cmocka_unit_test(masks_tell_what_is_missing),
        cmocka_unit_test(a_column_without_values_is_as_in_a_file),
        cmocka_unit_test(sparse_counts_are_bags_of_words),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
