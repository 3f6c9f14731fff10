/* tests/stats/test_table.c - rows in memory are a source like any other.
 *
 * What is learned from a table, or from some of its rows, is what is learned from a file of these
 * rows, byte for byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "credence/credence.h"
#include "model/model.h"
#include "stats/table_read.h"
#include "support/model_bytes.h"

enum { ROWS = 700 };

/* A table with a number, a symbol, a text and a class, some of each missing. */
typedef struct data {
    double number[ROWS];
    const char *symbol[ROWS], *text[ROWS], *class[ROWS];
    char said[ROWS][64];
} data;

static void fill(data *d)
{
    static const char *const words[] = {"ball", "game", "vote", "law", "goal", "senate", "team"};
    static const char *const symbols[] = {"red", "green", "blue", "rare"};
    static const char *const classes[] = {"sport", "politics", "neither"};
    cr__random random;

    cr__random_seed(&random, 7);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&random, r < 5 ? 3 : 2);

        d->class[r] = cr__random_below(&random, 40) == 0 ? NULL : classes[c];
        d->number[r] = cr__random_below(&random, 9) == 0 ? NAN : cr__random_normal(&random) * 1e3;
        d->symbol[r] = cr__random_below(&random, 9) == 0
                           ? NULL
                           : symbols[cr__random_below(&random, r % 100 == 0 ? 4 : 3)];
        snprintf(d->said[r], sizeof d->said[r], "%s %s w%u %s", words[cr__random_below(&random, 7)],
                 words[cr__random_below(&random, 7)], (unsigned)cr__random_below(&random, 300),
                 words[cr__random_below(&random, 7)]);
        d->text[r] = cr__random_below(&random, 9) == 0 ? NULL : d->said[r];
    }
}

/* The rows listed (NULL: all) as arrays of their own. */
typedef struct subset {
    double number[ROWS];
    const char *symbol[ROWS], *text[ROWS], *class[ROWS];
} subset;

static cr_source *open_subset(subset *s, const data *d, const uint32_t *row, size_t rows)
{
    const cr_array arrays[] = {{.name = "number", .real = s->number},
                               {.name = "symbol", .text = s->symbol},
                               {.name = "text", .text = s->text, .kind = CR_BAG},
                               {.name = "class", .text = s->class, .role = CR_ROLE_TARGET}};
    cr_source *source;

    for (size_t i = 0; i < rows; i++) {
        const size_t r = row == NULL ? i : row[i];

        s->number[i] = d->number[r];
        s->symbol[i] = d->symbol[r];
        s->text[i] = d->text[r];
        s->class[i] = d->class[r];
    }
    assert_int_equal(cr_source_open_arrays(&source, arrays, 4, rows, NULL), CR_OK);
    return source;
}

static cr_model *train(cr_source *source, const char *param, int threads)
{
    const cr_run run = {.threads = threads};
    cr_error err = {0};
    cr_model *model = NULL;

    if (cr_model_train(&model, source, "nb", &param, param != NULL, &run, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static cr__table *read_table(cr_source *source, int threads)
{
    cr__recipe recipe = cr__recipe_usual();
    const cr_run run = {.threads = threads};
    const cr_schema *schema;
    cr__table *table;
    cr_error err = {0};

    assert_int_equal(cr__recipe_check(&recipe, &err), CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, &err), CR_OK);
    if (cr__table_read(&table, source, schema, &recipe, &run, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return table;
}

static cr_source *open_rows(const cr__table *table, const uint32_t *row, size_t rows)
{
    cr_source *source;

    assert_int_equal(cr__source_open_table(&source, table, row, rows, NULL), CR_OK);
    return source;
}

static data all;
static subset some;

static void a_table_teaches_what_its_source_teaches(void **state)
{
    static const char *const params[] = {NULL, "weight=tfidf", "event=bernoulli"};

    (void)state;
    fill(&all);
    for (size_t p = 0; p < 3; p++)
        for (int threads = 1; threads <= 3; threads += 2) {
            cr__table *table = read_table(open_subset(&some, &all, NULL, ROWS), threads);
            cr_model *a = train(open_rows(table, NULL, 0), params[p], threads);
            cr_model *b = train(open_subset(&some, &all, NULL, ROWS), params[p], 1);

            assert_int_equal(table->rows, ROWS);
            assert_same_model(a, b);
            cr_model_free(a);
            cr_model_free(b);
            cr__table_free(table);
        }
}

static void rows_of_a_table_teach_what_a_file_of_them_teaches(void **state)
{
    uint32_t row[ROWS];
    size_t rows = 0;
    cr__table *table;
    cr_model *a, *b;

    (void)state;
    fill(&all);
    table = read_table(open_subset(&some, &all, NULL, ROWS), 2);
    for (uint32_t r = 0; r < ROWS; r++)
        if (r >= 5 && r % 3 != 0) /* no row of the third class is left */
            row[rows++] = r;
    a = train(open_rows(table, row, rows), NULL, 2);
    b = train(open_subset(&some, &all, row, rows), NULL, 1);
    assert_int_equal(cr_model_classes(a), 2);
    assert_same_model(a, b);
    cr_model_free(a);
    cr_model_free(b);
    cr__table_free(table);
}

static void codes_come_in_order_of_arrival_whatever_the_threads(void **state)
{
    cr__table *one, *three;

    (void)state;
    fill(&all);
    one = read_table(open_subset(&some, &all, NULL, ROWS), 1);
    three = read_table(open_subset(&some, &all, NULL, ROWS), 3);
    for (size_t i = 0; i < one->schema->columns; i++) {
        const cr__table_column *a = &one->column[i], *b = &three->column[i];

        if (a->code != NULL)
            assert_memory_equal(a->code, b->code, ROWS * sizeof *a->code);
        if (a->start != NULL)
            assert_memory_equal(a->word, b->word, a->start[ROWS] * sizeof *a->word);
        for (uint32_t w = 1; a->dict != NULL && w <= a->dict->words; w++)
            assert_string_equal(cr__dict_word(a->dict, w, NULL), cr__dict_word(b->dict, w, NULL));
    }
    cr__table_free(one);
    cr__table_free(three);
}

/* 300 symbols do not fit into bytes, the few of the class do; the first of the 300 arrive late, so
 * that the column is widened when it has rows. */
static void packed_codes_are_the_same_codes(void **state)
{
    static char name[3000][8];
    static const char *symbol[3000], *class[3000];
    const cr_array arrays[] = {{.name = "symbol", .text = symbol},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr__recipe recipe = cr__recipe_usual();

    (void)state;
    for (size_t r = 0; r < 3000; r++) {
        snprintf(name[r], sizeof name[r], "s%zu", r < 1500 ? r % 9 : r % 300);
        symbol[r] = r % 11 == 0 ? NULL : name[r];
        class[r] = r % 2 == 0 ? "even" : "odd";
    }
    assert_int_equal(cr__recipe_check(&recipe, NULL), CR_OK);
    for (int threads = 1; threads <= 3; threads++) {
        const cr_run run = {.threads = threads};
        cr__table *table[2];

        for (size_t packed = 0; packed < 2; packed++) {
            const cr_schema *schema;
            cr_source *source;

            assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 3000, NULL), CR_OK);
            assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, NULL), CR_OK);
            assert_int_equal((packed ? cr__table_read_packed : cr__table_read)(
                                 &table[packed], source, schema, &recipe, &run, NULL),
                             CR_OK);
            cr_source_close(source);
        }
        assert_null(table[1]->column[0].byte);
        assert_non_null(table[1]->column[1].byte);
        assert_null(table[0]->column[1].byte);
        assert_true(cr__table_bytes(table[1]) < cr__table_bytes(table[0]));
        for (size_t i = 0; i < 2; i++)
            for (size_t r = 0; r < 3000; r++)
                assert_int_equal(cr__table_code(&table[0]->column[i], r),
                                 cr__table_code(&table[1]->column[i], r));
        cr__table_free(table[0]);
        cr__table_free(table[1]);
    }
}

/* Row r moves to the end it is nearer to: 0 2 4 … 5 3 1. */
static void rearranged_rows_are_found_at_their_places(void **state)
{
    static double number[ROWS], weight[ROWS];
    static const char *class[ROWS];
    const cr_array arrays[] = {{.name = "number", .real = number},
                               {.name = "weight", .real = weight, .role = CR_ROLE_WEIGHT},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr__recipe recipe = cr__recipe_usual();
    uint32_t place[ROWS];

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        number[r] = (double)r;
        weight[r] = 1 + (double)(r % 5);
        class[r] = r % 3 == 0 ? "third" : "other";
        place[r] = (uint32_t)(r % 2 == 0 ? r / 2 : ROWS - 1 - r / 2);
    }
    assert_int_equal(cr__recipe_check(&recipe, NULL), CR_OK);
    for (int threads = 1; threads <= 8; threads++) {
        const cr_run run = {.threads = threads};
        const cr_schema *schema;
        cr_source *source;
        cr__table *table;

        assert_int_equal(cr_source_open_arrays(&source, arrays, 3, ROWS, NULL), CR_OK);
        assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, NULL), CR_OK);
        assert_int_equal((threads % 2 == 0 ? cr__table_read_packed : cr__table_read)(
                             &table, source, schema, &recipe, &run, NULL),
                         CR_OK);
        assert_int_equal(cr__table_rearrange(table, place, &run, NULL), CR_OK);
        for (size_t r = 0; r < ROWS; r++) {
            const cr__table_column *target = &table->column[table->schema->target];

            assert_true(table->column[0].real[place[r]] == number[r]);
            assert_true(table->weight[place[r]] == weight[r]);
            assert_int_equal(table->line[place[r]], r + 1);
            assert_string_equal(cr__dict_word(target->dict, cr__table_code(target, place[r]), NULL),
                                class[r]);
        }
        cr__table_free(table);
        cr_source_close(source);
    }
}

static void a_limit_on_memory_holds(void **state)
{
    cr__recipe recipe = cr__recipe_usual();
    const cr_run run = {.threads = 1, .memory = 1000};
    const cr_schema *schema;
    cr_source *source;
    cr__table *table = NULL;
    cr_error err = {0};

    (void)state;
    fill(&all);
    source = open_subset(&some, &all, NULL, ROWS);
    assert_int_equal(cr__recipe_check(&recipe, &err), CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, &err), CR_OK);
    assert_int_equal(cr__table_read(&table, source, schema, &recipe, &run, &err), CR_ELIMIT);
    cr_source_close(source);
}

/* All words of the first text are stop words: that is no lack of memory. */
static void a_text_may_have_no_words_at_all(void **state)
{
    static const char *const texts[] = {"the of", "hello world"}, *const classes[] = {"a", "b"};
    const cr_array arrays[] = {{.name = "text", .text = texts, .kind = CR_BAG},
                               {.name = "class", .text = classes, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 2, NULL), CR_OK);
    model = train(source, "stop=en", 1);
    assert_int_equal(cr_model_words(model, 0), 2);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_teaches_what_its_source_teaches),
        cmocka_unit_test(rows_of_a_table_teach_what_a_file_of_them_teaches),
        cmocka_unit_test(codes_come_in_order_of_arrival_whatever_the_threads),
        cmocka_unit_test(packed_codes_are_the_same_codes),
        cmocka_unit_test(rearranged_rows_are_found_at_their_places),
        cmocka_unit_test(a_limit_on_memory_holds),
        cmocka_unit_test(a_text_may_have_no_words_at_all),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
