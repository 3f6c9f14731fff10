/* train/recode.c - convert a table's codes to those of statistics. */
#include "train/recode.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "text/token.h"

static cr_status map_symbols(const cr__dict *from, const cr__dict *to, uint32_t *map)
{
    map[CR__MISSING] = CR__MISSING;
    for (uint32_t code = 1; code <= from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);

        map[code] = cr__dict_find(to, word, length);
    }
    return CR_OK;
}

static cr_status map_words(const cr__dict *from, const cr__bag *bag, uint32_t *map)
{
    cr__words words = {.words = bag->words,
                       .hash = bag->hash,
                       .end = bag->end,
                       .bytes = bag->bytes,
                       .index_bits = cr__words_index_bits(bag->words)};
    uint32_t *index = cr__alloc(((size_t)1 << words.index_bits) + 1, sizeof *index);

    if (index == NULL)
        return CR_ENOMEM;
    cr__words_make_index(&words, index);
    words.index = index;
    map[CR__MISSING] = UINT32_MAX;
    for (uint32_t code = 1; code <= from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);

        map[code] = cr__words_find(&words, cr__token_hash(word, length), word, length);
    }
    cr__free(index);
    return CR_OK;
}

cr_status cr__recode_column(uint32_t **map, const cr__table_column *from,
                            const cr__column_stats *to)
{
    if (from->dict == NULL || (to->dict == NULL && to->bag == NULL))
        return CR_OK;
    if ((*map = cr__alloc((size_t)from->dict->words + 1, sizeof **map)) == NULL)
        return CR_ENOMEM;
    return to->bag != NULL ? map_words(from->dict, to->bag, *map)
                           : map_symbols(from->dict, to->dict, *map);
}

/* Whether there is something to learn from a row. One of weight 0 may have a class that the
 * statistics do not know. */
static int teaches(const cr__table *table, size_t row)
{
    const size_t target = table->schema->target;

    if (table->weight != NULL && table->weight[row] == 0)
        return 0;
    if (target == SIZE_MAX)
        return 1;
    if (table->column[target].kind == CR_REAL)
        return table->column[target].real[row] == table->column[target].real[row];
    return cr__table_code(&table->column[target], row) != CR__MISSING;
}

static uint32_t *list_teaching(const cr__table *table, const uint32_t *row, size_t rows,
                               size_t *count)
{
    uint32_t *list = cr__alloc(rows > 0 ? rows : 1, sizeof *list);

    *count = 0;
    for (size_t i = 0; list != NULL && i < rows; i++) {
        const uint32_t r = row == NULL ? (uint32_t)i : row[i];

        list[*count] = r;
        *count += (size_t)teaches(table, r);
    }
    return list;
}

/* Evenly no more than `most` of a list. */
static size_t thin(uint32_t *list, size_t count, size_t most)
{
    for (size_t i = 0; count > most && i < most; i++)
        list[i] = list[(uint64_t)i * count / most];
    return count > most ? most : count;
}

/* An identity map is replaced by NULL. */
static void drop_identity(uint32_t **map, const cr__table_column *from)
{
    const size_t codes = *map == NULL || from->kind != CR_SYMBOL ? 0 : from->dict->words + 1;
    size_t same = 0;

    while (same < codes && (*map)[same] == same)
        same++;
    if (codes > 0 && same == codes) {
        cr__free(*map);
        *map = NULL;
    }
}

cr_status cr__recode_rows(cr__table **out, const cr__table *table, const uint32_t *row, size_t rows,
                          size_t most, const cr__stats *stats, cr_error *err)
{
    const size_t columns = table->schema->columns;
    uint32_t **map = cr__alloc_zero(columns, sizeof *map);
    size_t count = 0;
    uint32_t *teaching = list_teaching(table, row, row == NULL ? table->rows : rows, &count);
    cr_status st = map == NULL || teaching == NULL ? CR_ENOMEM : CR_OK;

    *out = NULL;
    if (st == CR_OK && most > 0)
        count = thin(teaching, count, most);
    for (size_t i = 0; st == CR_OK && i < columns; i++) {
        st = cr__recode_column(&map[i], &table->column[i], &stats->column[i]);
        drop_identity(&map[i], &table->column[i]);
    }
    if (st == CR_OK && (st = cr__table_new(out, table->schema, err)) == CR_OK)
        st = row == NULL && count == table->rows
                 ? cr__table_borrow(*out, table, map)
                 : cr__table_extend(*out, table, teaching, count, map);
    for (size_t i = 0; map != NULL && i < columns; i++)
        cr__free(map[i]);
    cr__free(map);
    cr__free(teaching);
    if (st == CR_OK)
        return CR_OK;
    cr__table_free(*out);
    *out = NULL;
    return cr__fail(err, st, "out of memory for the rows");
}
