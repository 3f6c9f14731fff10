/* data/table_rearrange.c - rows of a table in another order.
 *
 * A column is written into the memory of the one before, so that each worker needs memory for one
 * more column only.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "data/table.h"

typedef struct moving {
    cr__table *table;
    const uint32_t *place; /* [rows] */
    size_t shares;         /* of the columns */
} moving;

/* What a worker writes to: one array for each size of values, [capacity of the table]. */
typedef struct spare {
    void *eight, *four, *one;
} spare;

static void scatter(char *restrict to, const char *restrict from, const uint32_t *place,
                    size_t rows, size_t size)
{
    if (size == 8)
        for (size_t r = 0; r < rows; r++)
            memcpy(to + (size_t)place[r] * 8, from + r * 8, 8);
    else if (size == 4)
        for (size_t r = 0; r < rows; r++)
            memcpy(to + (size_t)place[r] * 4, from + r * 4, 4);
    else
        for (size_t r = 0; r < rows; r++)
            to[place[r]] = from[r];
}

/* The array, of which the caller has the pointer's address, and the spare one change places. */
static cr_status move(const moving *m, void *pointer, void **other, size_t size)
{
    void *from;

    if (*other == NULL && (*other = cr__alloc(m->table->capacity, size)) == NULL)
        return CR_ENOMEM;
    memcpy(&from, pointer, sizeof from);
    scatter(*other, from, m->place, m->table->rows, size);
    memcpy(pointer, other, sizeof from);
    *other = from;
    return CR_OK;
}

static cr_status move_column(const moving *m, cr__table_column *column, spare *s)
{
    if (column->kind == CR_REAL)
        return move(m, &column->real, &s->eight, sizeof *column->real);
    if (column->kind != CR_SYMBOL)
        return CR_OK;
    return column->byte != NULL ? move(m, &column->byte, &s->one, sizeof *column->byte)
                                : move(m, &column->code, &s->four, sizeof *column->code);
}

/* The columns i, i + shares …; lines and weights follow the last. */
static cr_status move_share(void *context, size_t i, cr_error *err)
{
    const moving *m = context;
    const size_t columns = m->table->schema->columns;
    cr_status st = CR_OK;
    spare s = {0};

    for (; st == CR_OK && i < columns + 2; i += m->shares)
        if (i < columns)
            st = move_column(m, &m->table->column[i], &s);
        else if (i == columns)
            st = move(m, &m->table->line, &s.eight, sizeof *m->table->line);
        else if (m->table->weight != NULL)
            st = move(m, &m->table->weight, &s.eight, sizeof *m->table->weight);
    cr__free(s.eight);
    cr__free(s.four);
    cr__free(s.one);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

cr_status cr__table_rearrange(cr__table *table, const uint32_t *place, const cr_run *run,
                              cr_error *err)
{
    const cr_run quiet = {.threads = run->threads, .pool = run->pool};
    moving m = {table, place, (size_t)cr__run_threads(run)};

    if (m.shares > table->schema->columns)
        m.shares = table->schema->columns;
    return cr__parallel_for(&quiet, m.shares, move_share, &m, err);
}
