/* source/rows.c - rows of a table in memory as a source.
 *
 * The codes of the table are mapped to those of the plan by a cache in the plan: a word is looked
 * up once per plan, not once per row. So everything that reads sources also reads tables, at the
 * speed of copying.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/format.h"
#include "text/token.h"

#define CHUNK_ROWS ((size_t)8192)

enum { UNKNOWN = 64 }; /* words that are looked up together */

typedef struct cr__rows {
    const cr__table *table;
    const uint32_t *row; /* [rows] which ones, or NULL: all */
    size_t rows;
    cr__file *file;
} cr__rows;

void cr__rows_free(const cr__rows *rows)
{
    if (rows == NULL)
        return;
    cr__file_release(rows->file);
    cr__free((void *)rows);
}

const cr__table *cr__source_table(const cr_source *source, const uint32_t **row, size_t *rows)
{
    if (source->rows == NULL)
        return NULL;
    *row = source->rows->row;
    *rows = source->rows->rows;
    return source->rows->table;
}

static cr_status make_rows(cr_source *source, const cr__table *table, const uint32_t *row,
                           size_t rows, cr_error *err)
{
    cr__rows *made = cr__alloc_zero(1, sizeof *made);

    if (made == NULL)
        return cr__fail_memory(err);
    source->rows = made;
    made->table = table;
    made->row = row;
    made->rows = row == NULL ? table->rows : rows;
    if ((made->file = cr__alloc_zero(1, sizeof *made->file)) == NULL)
        return cr__fail_memory(err);
    made->file->source = source;
    atomic_init(&made->file->users, 1);
    if ((made->file->name = cr__strndup("(table)", 7)) == NULL)
        return cr__fail_memory(err);
    cr__schema_free(source->fields);
    source->fields = NULL;
    return cr__schema_copy(&source->fields, table->schema, err);
}

cr_status cr__source_open_table(cr_source **out, const cr__table *table, const uint32_t *row,
                                size_t rows, cr_error *err)
{
    cr_status st = cr__source_make_arrays(out, err);

    if (st == CR_OK)
        st = make_rows(*out, table, row, rows, err);
    if (st == CR_OK && !cr__source_take_more_fields(*out))
        st = cr__fail_memory(err);
    if (st == CR_OK && table->missing != NULL) {
        cr__missing_close(&(*out)->missing);
        st = cr__missing_open(&(*out)->missing, table->missing, err);
    }
    if (st != CR_OK) {
        cr_source_close(*out);
        *out = NULL;
        return st;
    }
    (*out)->fixed = 1;
    (*out)->visible = table->schema->columns;
    return CR_OK;
}

cr_status cr__rows_infer(cr_source *source, const cr_schema **schema)
{
    for (size_t i = 0; i < source->fields->columns; i++)
        source->column[i] = (uint32_t)i;
    source->target_field = source->fields->target;
    source->weight_field = source->fields->weight;
    source->inferred = 0;
    *schema = source->schema = source->fields;
    return CR_OK;
}

cr_status cr__rows_next(cr_source *source, cr__chunk *chunk, cr_error *err)
{
    const cr__rows *rows = source->rows;

    return cr__source_take_rows(source, rows->file, rows->rows, CHUNK_ROWS, chunk, err);
}

/* --- codes --------------------------------------------------------------------------------- */

static cr_status make_memo(const cr__table *table, cr__plan *plan)
{
    cr__memo *memo;

    if (plan->memo != NULL && plan->memo->table == table)
        return CR_OK;
    cr__plan_forget(plan);
    if ((memo = cr__alloc_zero(1, sizeof *memo)) == NULL)
        return CR_ENOMEM;
    plan->memo = memo;
    memo->table = table;
    if ((memo->code = cr__alloc_zero(table->schema->columns, sizeof *memo->code)) == NULL)
        return CR_ENOMEM;
    memo->columns = table->schema->columns;
    return CR_OK;
}

static cr_status open_codes(cr__memo *memo, size_t field, const cr__dict *dict)
{
    const size_t codes = (size_t)dict->words + 1;

    if (memo->code[field] != NULL)
        return CR_OK;
    if ((memo->code[field] = cr__alloc(codes, sizeof **memo->code)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < codes; i++)
        memo->code[field][i] = CR__MEMO_OPEN;
    memo->code[field][CR__MISSING] = CR__MISSING;
    return CR_OK;
}

static cr_status know_symbol(const cr__plan *plan, size_t column, const cr__dict *dict,
                             uint32_t code, uint32_t *known)
{
    cr__dict *own = plan->dict[column];
    size_t length;
    const char *word = cr__dict_word(dict, code, &length);

    if (plan->grow)
        return cr__dict_intern(own, word, length, known);
    if ((*known = cr__dict_find(own, word, length)) == CR__MISSING)
        *known = own->words + 1;
    return CR_OK;
}

typedef struct unknown {
    uint32_t code[UNKNOWN];
    size_t count;
} unknown;

_Static_assert(CR__TOKEN_PAD <= CR__DICT_PAD, "words are hashed where they stand");

static cr_status know_words(cr__plan *plan, size_t column, const cr__dict *dict, unknown *list,
                            uint32_t *memo)
{
    cr__token token[UNKNOWN];
    uint32_t number[UNKNOWN];
    cr_status st;

    for (size_t i = 0; i < list->count; i++) {
        size_t length;
        const char *word = cr__dict_word(dict, list->code[i], &length);
        uint64_t high;

        token[i] = (cr__token){.hash = cr__token_hash_padded(word, length, &high),
                               .start = (uint32_t)(word - dict->bytes),
                               .length = (uint32_t)length};
    }
    st = plan->find_words(plan, column, dict->bytes, token, list->count, number);
    for (size_t i = 0; st == CR_OK && i < list->count; i++)
        memo[list->code[i]] = number[i];
    list->count = 0;
    return st;
}

/* --- columns -------------------------------------------------------------------------------- */

/* The rows first, first + 1 … of the source. */
static size_t row_at(const cr__rows *rows, size_t i)
{
    return rows->row == NULL ? i : rows->row[i];
}

static cr_status put_codes(const cr__rows *rows, size_t first, size_t n, size_t field,
                           const cr__plan *plan, size_t column, uint32_t *into)
{
    const cr__table_column *from = &rows->table->column[field];
    uint32_t *memo = plan->memo->code[field];
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < n; r++) {
        const uint32_t code = cr__table_code(from, row_at(rows, first + r));

        if (memo[code] == CR__MEMO_OPEN)
            st = know_symbol(plan, column, from->dict, code, &memo[code]);
        into[r] = memo[code];
    }
    return st;
}

/* Look up the words of the rows that have not been met before. */
static cr_status meet_words(const cr__rows *rows, size_t first, size_t n, size_t field,
                            cr__plan *plan, size_t column)
{
    const cr__table_column *from = &rows->table->column[field];
    uint32_t *memo = plan->memo->code[field];
    unknown list = {.count = 0};
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < n; r++) {
        const size_t at = row_at(rows, first + r);

        for (uint64_t k = from->start[at]; st == CR_OK && k < from->start[at + 1]; k++) {
            if (memo[from->word[k]] != CR__MEMO_OPEN)
                continue;
            memo[from->word[k]] = UINT32_MAX; /* it is on the list */
            list.code[list.count++] = from->word[k];
            if (list.count == UNKNOWN)
                st = know_words(plan, column, from->dict, &list, memo);
        }
    }
    return st == CR_OK ? know_words(plan, column, from->dict, &list, memo) : st;
}

static cr_status put_words(const cr__rows *rows, size_t first, size_t n, size_t field,
                           cr__plan *plan, size_t column, cr__batch *batch)
{
    const cr__table_column *from = &rows->table->column[field];
    const uint32_t *memo = plan->memo->code[field];
    cr_status st = meet_words(rows, first, n, field, plan, column);

    for (size_t r = 0; st == CR_OK && r < n; r++) {
        const size_t at = row_at(rows, first + r);
        const size_t words = (size_t)(from->start[at + 1] - from->start[at]);
        uint32_t *into, kept = 0;

        cr__batch_no_text(batch, r, column);
        if (from->code[at] == CR__MISSING)
            continue;
        if ((into = cr__batch_words(batch, r, column, words)) == NULL)
            return CR_ENOMEM;
        for (uint64_t k = from->start[at]; k < from->start[at + 1]; k++) {
            into[kept] = memo[from->word[k]];
            kept += into[kept] != UINT32_MAX;
        }
        batch->column[column].code[r] = 1;
        batch->column[column].start[r + 1] += kept;
    }
    return st;
}

/* Whether the rows follow each other in the table. */
static int rows_adjoin(const cr__rows *rows, size_t first, size_t n)
{
    for (size_t r = 1; rows->row != NULL && r < n; r++)
        if (rows->row[first + r] != rows->row[first] + r)
            return 0;
    return n > 0;
}

static cr_status put_column(const cr__rows *rows, size_t first, size_t n, int adjoin, size_t field,
                            cr__plan *plan, size_t column, cr__batch *batch)
{
    const cr__table_column *from = &rows->table->column[field];
    cr__batch_column *into = &batch->column[column];
    cr_status st;

    if (into->kind == CR_IGNORE)
        return CR_OK;
    if (into->kind != from->kind || (into->kind == CR_BAG && plan->find_words == NULL))
        return CR_ECONFLICT;
    if (into->kind == CR_REAL && adjoin) {
        memcpy(into->real, from->real + row_at(rows, first), n * sizeof *into->real);
        return CR_OK;
    }
    if (into->kind == CR_REAL) {
        for (size_t r = 0; r < n; r++)
            into->real[r] = from->real[row_at(rows, first + r)];
        return CR_OK;
    }
    if ((st = open_codes(plan->memo, field, from->dict)) != CR_OK)
        return st;
    return into->kind == CR_SYMBOL ? put_codes(rows, first, n, field, plan, column, into->code)
                                   : put_words(rows, first, n, field, plan, column, batch);
}

cr_status cr__rows_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const cr_source *source = chunk->file->source;
    const cr__rows *rows = source->rows;
    const cr__table *table = rows->table;
    const size_t left = chunk->size - chunk->position;
    const size_t n = left < batch->capacity ? left : batch->capacity;
    const size_t first = chunk->first_line - 1 + chunk->position;
    const int adjoin = rows_adjoin(rows, first, n);
    cr_status st = make_memo(table, plan);

    if (st == CR_OK && table->weight != NULL)
        st = cr__batch_weigh(batch, err);
    for (size_t i = 0; st == CR_OK && i < table->schema->columns; i++)
        if (source->column[i] != CR__NO_COLUMN)
            st = put_column(rows, first, n, adjoin, i, plan, source->column[i], batch);
    if (st == CR_ECONFLICT)
        return cr__fail(err, st, "the columns of the model differ in kind from the table's");
    if (st != CR_OK)
        return cr__fail(err, st, "out of memory for the words of a table");
    for (size_t r = 0; r < n; r++) {
        const size_t at = row_at(rows, first + r);

        batch->record[r] = (cr__record){.line = (size_t)table->line[at]};
        if (batch->weight != NULL)
            batch->weight[r] = table->weight == NULL ? 1 : table->weight[at];
    }
    chunk->position += n;
    chunk->line += n;
    batch->rows = n;
    return CR_OK;
}

cr_status cr__rows_split(cr__fields *fields)
{
    fields->count = 0; /* the texts are gone */
    return CR_OK;
}
