/* data/table.c - make room for rows and copy them. */
#include "data/table.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

cr_status cr__table_new(cr__table **out, const cr_schema *schema, cr_error *err)
{
    cr__table *table = cr__alloc_zero(1, sizeof *table);
    cr_status st;

    *out = NULL;
    if (table == NULL)
        return cr__fail_memory(err);
    if ((st = cr__schema_copy(&table->schema, schema, err)) == CR_OK &&
        (table->column = cr__alloc_zero(schema->columns, sizeof *table->column)) == NULL)
        st = cr__fail_memory(err);
    if (st != CR_OK) {
        cr__table_free(table);
        return st;
    }
    for (size_t i = 0; i < schema->columns; i++)
        table->column[i].kind = schema->column[i].kind;
    *out = table;
    return CR_OK;
}

void cr__table_free(cr__table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; table->column != NULL && i < table->schema->columns; i++) {
        cr__table_column *column = &table->column[i];

        cr__dict_free(column->dict);
        if (column->lent)
            continue;
        cr__free(column->real);
        cr__free(column->code);
        cr__free(column->byte);
        cr__free(column->start);
        cr__free(column->word);
    }
    cr__free(table->column);
    if (!table->lent) {
        cr__free(table->weight);
        cr__free(table->line);
    }
    cr__free(table->missing);
    cr__schema_free(table->schema);
    cr__free(table);
}

/* Change the size of one array; 0 when out of memory. */
static int resize(void *array, size_t count, size_t size)
{
    void **at = array;
    void *moved = cr__realloc(*at, count, size);

    if (moved != NULL)
        *at = moved;
    return moved != NULL;
}

static int resize_column(cr__table_column *column, size_t capacity)
{
    switch (column->kind) {
    case CR_REAL: return resize(&column->real, capacity, sizeof *column->real);
    case CR_SYMBOL:
        return column->byte != NULL ? resize(&column->byte, capacity, sizeof *column->byte)
                                    : resize(&column->code, capacity, sizeof *column->code);
    case CR_BAG:
        if (!resize(&column->code, capacity, sizeof *column->code) ||
            !resize(&column->start, capacity + 1, sizeof *column->start))
            return 0;
        column->start[0] = 0;
        return 1;
    default: return 1;
    }
}

static int resize_rows(cr__table *table, size_t capacity)
{
    for (size_t i = 0; i < table->schema->columns; i++)
        if (!resize_column(&table->column[i], capacity))
            return 0;
    if ((table->weight != NULL && !resize(&table->weight, capacity, sizeof *table->weight)) ||
        !resize(&table->line, capacity, sizeof *table->line))
        return 0;
    table->capacity = capacity;
    return 1;
}

/* Room for more rows, and for weights when some have them. */
static cr_status make_room(cr__table *table, size_t more, int weighted)
{
    const size_t twice = table->capacity * 2, need = table->rows + more;

    if (more > UINT32_MAX - table->rows)
        return CR_ELIMIT; /* row indices have 32 bits */
    if (need > table->capacity && !resize_rows(table, twice > need ? twice : need))
        return CR_ENOMEM;
    if (weighted && table->weight == NULL) {
        if ((table->weight = cr__alloc(table->capacity, sizeof *table->weight)) == NULL)
            return CR_ENOMEM;
        for (size_t r = 0; r < table->rows; r++)
            table->weight[r] = 1;
    }
    return CR_OK;
}

static double row_bytes(const cr__table *table)
{
    double row = sizeof *table->line + (table->weight == NULL ? 0 : sizeof *table->weight);

    for (size_t i = 0; i < table->schema->columns; i++) {
        const cr_kind kind = table->column[i].kind;

        row += kind == CR_REAL     ? sizeof(double)
               : kind == CR_SYMBOL ? table->column[i].byte != NULL ? 1 : sizeof(uint32_t)
               : kind == CR_BAG ? sizeof(uint32_t) + sizeof(uint64_t)
                                   : 0;
    }
    return row;
}

cr_status cr__table_expect(cr__table *table, size_t rows, double bytes)
{
    const double fit = bytes / row_bytes(table);

    return resize_rows(table, fit < 1              ? 1
                              : fit < (double)rows ? (size_t)fit
                                                   : rows)
               ? CR_OK
               : CR_ENOMEM;
}

/* --- codes in bytes -------------------------------------------------------------------------- */

cr_status cr__table_pack(cr__table *table)
{
    for (size_t i = 0; i < table->schema->columns; i++) {
        cr__table_column *column = &table->column[i];

        if (column->kind != CR_SYMBOL || column->byte != NULL)
            continue;
        if (!resize(&column->byte, table->capacity, sizeof *column->byte))
            return CR_ENOMEM;
        cr__free(column->code);
        column->code = NULL;
    }
    return CR_OK;
}

cr_status cr__table_widen(cr__table *table, size_t i, uint32_t code)
{
    cr__table_column *column = &table->column[i];

    if (column->byte == NULL || code <= UINT8_MAX)
        return CR_OK;
    if (!resize(&column->code, table->capacity, sizeof *column->code))
        return CR_ENOMEM;
    for (size_t r = 0; r < table->rows; r++)
        column->code[r] = column->byte[r];
    cr__free(column->byte);
    column->byte = NULL;
    return CR_OK;
}

static cr_status append_codes(cr__table *table, size_t i, const uint32_t *code, size_t rows)
{
    cr__table_column *into = &table->column[i];
    uint32_t most = 0;
    cr_status st = CR_OK;

    for (size_t r = 0; into->byte != NULL && r < rows; r++)
        most = code[r] > most ? code[r] : most;
    if ((st = cr__table_widen(table, i, most)) != CR_OK)
        return st;
    if (into->byte == NULL)
        memcpy(into->code + table->rows, code, rows * sizeof *code);
    for (size_t r = 0; into->byte != NULL && r < rows; r++)
        into->byte[table->rows + r] = (uint8_t)code[r];
    return CR_OK;
}

static void append_weights(cr__table *table, const double *weight, const uint32_t *row, size_t rows)
{
    for (size_t r = 0; table->weight != NULL && r < rows; r++)
        table->weight[table->rows + r] = weight == NULL ? 1 : weight[row == NULL ? r : row[r]];
}

/* --- from a batch --------------------------------------------------------------------------- */

static cr_status append_texts(cr__table_column *into, size_t first, const cr__batch_column *data,
                              size_t rows)
{
    const uint64_t end = into->start[first];
    const size_t words = data->start[rows] - data->start[0];

    if (words > SIZE_MAX - end ||
        !cr__grow(&into->word, &into->word_capacity, (size_t)end + words, sizeof *into->word))
        return CR_ENOMEM;
    if (words > 0)
        memcpy(into->word + end, data->word + data->start[0], words * sizeof *into->word);
    for (size_t r = 0; r < rows; r++)
        into->start[first + r + 1] = end + (data->start[r + 1] - data->start[0]);
    memcpy(into->code + first, data->code, rows * sizeof *data->code);
    return CR_OK;
}

cr_status cr__table_append(cr__table *table, const cr__batch *batch)
{
    const size_t first = table->rows, rows = batch->rows;
    cr_status st = make_room(table, rows, batch->weight != NULL);

    if (st != CR_OK)
        return st;
    append_weights(table, batch->weight, NULL, rows);
    for (size_t i = 0; st == CR_OK && i < table->schema->columns; i++) {
        cr__table_column *into = &table->column[i];
        const cr__batch_column *data = &batch->column[i];

        if (into->kind == CR_REAL)
            memcpy(into->real + first, data->real, rows * sizeof *into->real);
        else if (into->kind == CR_SYMBOL)
            st = append_codes(table, i, data->code, rows);
        else if (into->kind == CR_BAG)
            st = append_texts(into, first, data, rows);
    }
    for (size_t r = 0; r < rows; r++)
        table->line[first + r] = batch->record[r].line;
    if (st == CR_OK)
        table->rows += rows;
    return st;
}

/* --- from another table --------------------------------------------------------------------- */

/* Words of those rows, before some of them are left out. */
static uint64_t count_words(const cr__table_column *from, const uint32_t *row, size_t rows)
{
    uint64_t words = 0;

    if (rows == 0)
        return 0; /* a table that never had rows has no arrays */
    if (row == NULL)
        return from->start[rows];
    for (size_t i = 0; i < rows; i++)
        words += from->start[row[i] + 1] - from->start[row[i]];
    return words;
}

static cr_status reserve_words(cr__table_column *into, size_t first, const cr__table_column *from,
                               const uint32_t *row, size_t rows)
{
    const uint64_t end = into->start[first], words = count_words(from, row, rows);

    if (words > SIZE_MAX - end ||
        !cr__grow(&into->word, &into->word_capacity, (size_t)(end + words), sizeof *into->word))
        return CR_ENOMEM;
    into->start[first + rows] = end + words;
    return CR_OK;
}

cr_status cr__table_reserve(cr__table *table, const cr__table *from, const uint32_t *row,
                            size_t rows)
{
    cr_status st = make_room(table, rows, from->weight != NULL);

    for (size_t i = 0; st == CR_OK && rows > 0 && i < table->schema->columns; i++)
        if (table->column[i].kind == CR_BAG)
            st = reserve_words(&table->column[i], table->rows, &from->column[i], row, rows);
    if (st == CR_OK)
        table->rows += rows;
    return st;
}

static void put_texts(cr__table_column *into, size_t first, const cr__table_column *from,
                      const uint32_t *row, size_t rows, const uint32_t *map)
{
    uint64_t end = into->start[first];

    for (size_t i = 0; i < rows; i++) {
        const size_t r = row == NULL ? i : row[i];

        for (uint64_t k = from->start[r]; k < from->start[r + 1]; k++) {
            const uint32_t word = map == NULL ? from->word[k] : map[from->word[k]];

            if (word != UINT32_MAX)
                into->word[end++] = word;
        }
        into->code[first + i] = from->code[r];
        if (i + 1 < rows || into->start[first + i + 1] != end)
            into->start[first + i + 1] = end; /* the last one is known, and may be in use */
    }
}

static void put_codes(cr__table_column *into, size_t first, const cr__table_column *from,
                      const uint32_t *row, size_t rows, const uint32_t *map)
{
    for (size_t i = 0; i < rows; i++) {
        const uint32_t code = cr__table_code(from, row == NULL ? i : row[i]);
        const uint32_t own = map == NULL ? code : map[code];

        if (into->byte != NULL)
            into->byte[first + i] = (uint8_t)own;
        else
            into->code[first + i] = own;
    }
}

static void put_column(cr__table_column *into, size_t first, const cr__table_column *from,
                       const uint32_t *row, size_t rows, const uint32_t *map)
{
    if (into->kind == CR_BAG) {
        put_texts(into, first, from, row, rows, map);
    } else if (into->kind == CR_REAL && row == NULL && rows > 0) {
        memcpy(into->real + first, from->real, rows * sizeof *into->real);
    } else if (into->kind == CR_REAL) {
        for (size_t r = 0; r < rows; r++)
            into->real[first + r] = from->real[row[r]];
    } else if (into->kind == CR_SYMBOL) {
        put_codes(into, first, from, row, rows, map);
    }
}

void cr__table_put(cr__table *table, size_t first, const cr__table *from, const uint32_t *row,
                   size_t rows, uint32_t *const *map)
{
    for (size_t i = 0; rows > 0 && i < table->schema->columns; i++)
        put_column(&table->column[i], first, &from->column[i], row, rows,
                   map == NULL ? NULL : map[i]);
    for (size_t r = 0; table->weight != NULL && r < rows; r++)
        table->weight[first + r] =
            from->weight == NULL ? 1 : from->weight[row == NULL ? r : row[r]];
    for (size_t r = 0; r < rows; r++)
        table->line[first + r] = from->line[row == NULL ? r : row[r]];
}

cr_status cr__table_extend(cr__table *table, const cr__table *from, const uint32_t *row,
                           size_t rows, uint32_t *const *map)
{
    const size_t first = table->rows;
    const cr_status st = cr__table_reserve(table, from, row, rows);

    if (st == CR_OK)
        cr__table_put(table, first, from, row, rows, map);
    return st;
}

static void lend(cr__table_column *into, const cr__table_column *from)
{
    into->lent = 1;
    into->real = from->real;
    into->code = from->code;
    into->start = from->start;
    into->word = from->word;
}

cr_status cr__table_borrow(cr__table *table, const cr__table *from, uint32_t *const *map)
{
    const size_t rows = from->rows;
    cr_status st = CR_OK;

    table->lent = 1;
    table->weight = from->weight;
    table->line = from->line;
    for (size_t i = 0; st == CR_OK && i < table->schema->columns; i++) {
        cr__table_column *into = &table->column[i];

        if (map[i] == NULL && from->column[i].byte == NULL) {
            lend(into, &from->column[i]);
            continue;
        }
        if (!resize_column(into, rows))
            st = CR_ENOMEM;
        else if (into->kind == CR_BAG)
            st = reserve_words(into, 0, &from->column[i], NULL, rows);
        if (st == CR_OK)
            put_column(into, 0, &from->column[i], NULL, rows, map[i]);
    }
    table->rows = table->capacity = rows;
    return st;
}

void cr__table_clear(cr__table *table)
{
    table->rows = 0;
}

void cr__table_trim(cr__table *table)
{
    if (table->rows < table->capacity && table->rows > 0)
        resize_rows(table, table->rows); /* a failure to shrink is harmless */
}

double cr__table_bytes(const cr__table *table)
{
    double words = 0;

    for (size_t i = 0; i < table->schema->columns; i++)
        words += (double)table->column[i].word_capacity * sizeof(uint32_t);
    return (double)table->rows * row_bytes(table) + words;
}
