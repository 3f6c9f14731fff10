/* data/table.c - room for rows, and rows into it. */
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

        cr__free(column->real);
        cr__free(column->code);
        cr__free(column->start);
        cr__free(column->word);
        cr__dict_free(column->dict);
    }
    cr__free(table->column);
    cr__free(table->weight);
    cr__free(table->line);
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
    case CR_REAL:
        return resize(&column->real, capacity, sizeof *column->real);
    case CR_SYMBOL:
        return resize(&column->code, capacity, sizeof *column->code);
    case CR_BAG:
        if (!resize(&column->code, capacity, sizeof *column->code) ||
            !resize(&column->start, capacity + 1, sizeof *column->start))
            return 0;
        column->start[0] = 0;
        return 1;
    default:
        return 1;
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
        return CR_ELIMIT; /* lists of rows are of 32 bits */
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
            memcpy(into->code + first, data->code, rows * sizeof *into->code);
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

static cr_status extend_texts(cr__table_column *into, size_t first, const cr__table_column *from,
                              const uint32_t *row, size_t rows, const uint32_t *map)
{
    uint64_t end = into->start[first];

    for (size_t i = 0; i < rows; i++) {
        const size_t r = row == NULL ? i : row[i];
        const uint64_t words = from->start[r + 1] - from->start[r];

        if (words > SIZE_MAX - end || !cr__grow(&into->word, &into->word_capacity,
                                                (size_t)(end + words), sizeof *into->word))
            return CR_ENOMEM;
        for (uint64_t k = from->start[r]; k < from->start[r + 1]; k++) {
            const uint32_t word = map == NULL ? from->word[k] : map[from->word[k]];

            if (word != UINT32_MAX)
                into->word[end++] = word;
        }
        into->code[first + i] = from->code[r];
        into->start[first + i + 1] = end;
    }
    return CR_OK;
}

cr_status cr__table_extend(cr__table *table, const cr__table *from, const uint32_t *row,
                           size_t rows, uint32_t *const *map)
{
    const size_t first = table->rows;
    cr_status st = make_room(table, rows, from->weight != NULL);

    if (st != CR_OK)
        return st;
    append_weights(table, from->weight, row, rows);
    for (size_t i = 0; st == CR_OK && i < table->schema->columns; i++) {
        cr__table_column *into = &table->column[i];
        const cr__table_column *data = &from->column[i];
        const uint32_t *codes = map == NULL ? NULL : map[i];

        for (size_t r = 0; into->kind == CR_REAL && r < rows; r++)
            into->real[first + r] = data->real[row == NULL ? r : row[r]];
        for (size_t r = 0; into->kind == CR_SYMBOL && r < rows; r++) {
            const uint32_t code = data->code[row == NULL ? r : row[r]];

            into->code[first + r] = codes == NULL ? code : codes[code];
        }
        if (into->kind == CR_BAG)
            st = extend_texts(into, first, data, row, rows, codes);
    }
    for (size_t r = 0; r < rows; r++)
        table->line[first + r] = from->line[row == NULL ? r : row[r]];
    if (st == CR_OK)
        table->rows += rows;
    return st;
}

void cr__table_clear(cr__table *table)
{
    table->rows = 0;
}

void cr__table_trim(cr__table *table)
{
    if (table->rows < table->capacity && table->rows > 0)
        resize_rows(table, table->rows); /* shrinking that fails loses nothing */
}

double cr__table_bytes(const cr__table *table)
{
    double row = sizeof *table->line + (table->weight == NULL ? 0 : sizeof *table->weight);
    double words = 0;

    for (size_t i = 0; i < table->schema->columns; i++) {
        const cr__table_column *column = &table->column[i];

        row += column->kind == CR_REAL     ? sizeof *column->real
               : column->kind == CR_SYMBOL ? sizeof *column->code
               : column->kind == CR_BAG    ? sizeof *column->code + sizeof *column->start
                                           : 0;
        words += (double)column->word_capacity * sizeof *column->word;
    }
    return (double)table->capacity * row + words;
}
