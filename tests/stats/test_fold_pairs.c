/* tests/stats/test_fold_pairs.c - pairs counted once for all folds, against those of a source that
 * has only the other rows, counted by the cuts of these. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "source/source.h"
#include "stats/collect.h"
#include "stats/fold_pairs.h"
#include "stats/table_read.h"

enum { ROWS = 30000, FOLDS = 4, REALS = 3, COLUMNS = REALS + 2 };

typedef struct data {
    double x[REALS][ROWS];
    const char *word[ROWS], *class[ROWS];
    uint32_t fold[ROWS], row[ROWS];
} data;

/* Numbers that tell the classes apart, some missing, and that do not; words, one of them and one
 * class in the first fold alone. */
static void fill(data *d)
{
    static const char *const classes[] = {"b", "a", "c"}, *const words[] = {"u", "", "v", "w"};
    cr__random random;

    cr__random_seed(&random, 7);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&random, 2);

        d->fold[r] = (uint32_t)cr__random_below(&random, FOLDS);
        d->row[r] = (uint32_t)r;
        d->class[r] = classes[d->fold[r] == 0 && r % 7 == 0 ? 2 : c];
        d->word[r] = words[cr__random_below(&random, d->fold[r] == 0 ? 4 : 3)];
        d->x[0][r] = cr__random_normal(&random) + (double)c;
        d->x[1][r] = cr__random_below(&random, 10) == 0 ? NAN : exp(d->x[0][r] - 3 * (double)c);
        d->x[2][r] = cr__random_normal(&random);
    }
}

static cr__table *read_table(const data *d, const cr_schema **schema, cr_source **source)
{
    static const char *const names[REALS] = {"p", "q", "r"};
    cr_array arrays[COLUMNS];
    const cr__recipe recipe = cr__recipe_usual();
    cr__table *table;

    for (size_t i = 0; i < REALS; i++)
        arrays[i] = (cr_array){.name = names[i], .real = d->x[i]};
    arrays[REALS] = (cr_array){.name = "word", .text = d->word};
    arrays[REALS + 1] = (cr_array){.name = "class", .text = d->class, .role = CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(source, arrays, COLUMNS, ROWS, NULL), CR_OK);
    assert_int_equal(cr__source_infer(*source, CR__TARGET_CLASS, schema, NULL), CR_OK);
    assert_int_equal(cr__table_read(&table, *source, *schema, &recipe, NULL, NULL), CR_OK);
    return table;
}

static cr__stats *collect(const cr__table *table, const uint32_t *row, size_t rows,
                          const cr__bins *bins)
{
    const cr__recipe recipe = cr__recipe_usual();
    const cr_run run = {.threads = 1};
    cr__collect what = {.recipe = &recipe, .bins = bins, .tuples = 2};
    cr_source *source;
    cr_tally tally;
    cr__stats *out;

    assert_int_equal(cr__source_open_table(&source, table, row, rows, NULL), CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &what.schema, NULL), CR_OK);
    assert_int_equal(cr__stats_collect(&out, source, &what, &run, &tally, NULL), CR_OK);
    cr_source_close(source);
    return out;
}

static void same_words(const cr__dict *a, const cr__dict *b)
{
    assert_int_equal(a->words, b->words);
    for (uint32_t code = 1; code <= a->words; code++) {
        size_t n, m;
        const char *word = cr__dict_word(a, code, &n), *other = cr__dict_word(b, code, &m);

        assert_int_equal(n, m);
        assert_memory_equal(word, other, n);
    }
}

static void same_stats(const cr__stats *a, const cr__stats *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->classes, b->classes);
    assert_memory_equal(a->class_whole, b->class_whole, a->classes * sizeof *a->class_whole);
    for (size_t i = 0; i < COLUMNS; i++) {
        same_words(a->column[i].dict, b->column[i].dict);
        if (i != a->schema->target)
            assert_memory_equal(a->column[i].whole, b->column[i].whole,
                                cr__stats_values(a, i) * a->classes * sizeof(int64_t));
    }
    assert_int_equal(a->tuples->count, b->tuples->count);
    for (size_t t = 0; t < a->tuples->count; t++) {
        const cr__tuple_counts *m = &a->tuples->counts[t], *n = &b->tuples->counts[t];

        assert_int_equal(m->cells, n->cells);
        assert_null(m->key);
        assert_null(n->key);
        assert_memory_equal(m->whole, n->whole, m->cells * sizeof *m->whole);
    }
}

static void counts_are_those_of_the_other_rows(void **state)
{
    data *d = malloc(sizeof *d);
    uint32_t *list = malloc(ROWS * sizeof *list);
    const cr_schema *schema;
    cr_source *source;
    cr__table *table;

    (void)state;
    assert_non_null(d);
    assert_non_null(list);
    fill(d);
    table = read_table(d, &schema, &source);
    for (int threads = 1; threads <= 3; threads++) {
        const cr__dealt dealt = {table, d->row, d->fold, ROWS, FOLDS};
        const cr_run run = {.threads = threads};
        cr__bins bins[FOLDS + 1] = {0};
        cr__stats *out[FOLDS + 1] = {0};

        assert_int_equal(
            cr__fold_cuts(bins, &dealt, (cr__cut_rule){.kind = CR__CUT_MDL}, &run, NULL), CR_OK);
        assert_true(bins[0].column[0].count > 1);
        assert_true(bins[0].column[0].cut[0] != bins[1].column[0].cut[0]);
        assert_int_equal(bins[0].column[2].count, 0);
        assert_int_equal(cr__fold_pairs(out, &dealt, schema, bins, 0, &run, NULL), CR_OK);
        for (uint32_t f = 0; f <= FOLDS; f++) {
            cr__stats *plain;
            size_t rows = 0;

            for (size_t r = 0; r < ROWS; r++)
                if (d->fold[r] != f)
                    list[rows++] = (uint32_t)r;
            plain = collect(table, list, rows, &bins[f]);
            assert_int_equal(plain->classes, f == 0 ? 2 : 3);
            same_stats(out[f], plain);
            cr__stats_free(plain);
            cr__stats_free(out[f]);
            cr__bins_free(&bins[f]);
        }
    }
    cr__table_free(table);
    cr_source_close(source);
    free(list);
    free(d);
}

/* 200 intervals of two columns and 3 classes: more cells than rows. */
static void many_cuts_do_not_pay(void **state)
{
    data *d = malloc(sizeof *d);
    const cr_run run = {.threads = 1};
    const cr_schema *schema;
    cr_source *source;
    cr__table *table;
    cr__dealt dealt;
    cr__bins bins[FOLDS + 1] = {0};
    cr__stats *out[FOLDS + 1] = {0};

    (void)state;
    assert_non_null(d);
    fill(d);
    table = read_table(d, &schema, &source);
    dealt = (cr__dealt){table, d->row, d->fold, ROWS, FOLDS};
    assert_int_equal(cr__fold_cuts(bins, &dealt,
                                   (cr__cut_rule){.kind = CR__CUT_FREQUENCY, .bins = 200}, &run,
                                   NULL),
                     CR_OK);
    assert_int_equal(cr__fold_pairs(out, &dealt, schema, bins, 0, &run, NULL), CR_END);
    for (size_t f = 0; f <= FOLDS; f++) {
        assert_null(out[f]);
        cr__bins_free(&bins[f]);
    }
    cr__table_free(table);
    cr_source_close(source);
    free(d);
}

/* The rows take 2 bytes for each feature, 6 besides, and the pairs much less than a megabyte: they
 * are counted within a megabyte beside what is held, but not within the bytes of the rows. */
static void a_limit_of_memory_is_kept(void **state)
{
    static const struct {
        uint64_t memory;
        double held;
        cr_status expected;
    } cases[] = {{ROWS * 16 + 1000000, 0, CR_OK},
                 {ROWS * 16 + 5000000, 4000000, CR_OK},
                 {ROWS * 16 + 1000000, 4000000, CR_END},
                 {ROWS * 8, 0, CR_END}};
    data *d = malloc(sizeof *d);
    const cr_run run = {.threads = 1};
    const cr_schema *schema;
    cr_source *source;
    cr__table *table;
    cr__dealt dealt;
    cr__bins bins[FOLDS + 1] = {0};

    (void)state;
    assert_non_null(d);
    fill(d);
    table = read_table(d, &schema, &source);
    dealt = (cr__dealt){table, d->row, d->fold, ROWS, FOLDS};
    assert_int_equal(cr__fold_cuts(bins, &dealt, (cr__cut_rule){.kind = CR__CUT_MDL}, &run, NULL),
                     CR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cr_run limited = {.threads = 1, .memory = cases[i].memory};
        cr__stats *out[FOLDS + 1] = {0};

        assert_int_equal(cr__fold_pairs(out, &dealt, schema, bins, cases[i].held, &limited, NULL),
                         cases[i].expected);
        for (size_t f = 0; f <= FOLDS; f++) {
            assert_int_equal(out[f] != NULL, cases[i].expected == CR_OK);
            cr__stats_free(out[f]);
        }
    }
    for (size_t f = 0; f <= FOLDS; f++)
        cr__bins_free(&bins[f]);
    cr__table_free(table);
    cr_source_close(source);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_other_rows),
        cmocka_unit_test(many_cuts_do_not_pay),
        cmocka_unit_test(a_limit_of_memory_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
