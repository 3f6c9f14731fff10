/* source/columns_words.c - counts of words in compressed sparse rows. */
#include <math.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "source/columns_impl.h"
#include "text/token.h"

#define SKIPPED UINT32_MAX /* a word that the reader of the batch does not want */

static size_t place(const cr_array *a, const void *places, size_t i)
{
    const char *at = places;

    if (a->index_element == CR_ELEMENT_INT32) {
        CR__LOAD(int32_t, at + i * sizeof x);
        return x < 0 ? SIZE_MAX : (size_t)x;
    }
    CR__LOAD(int64_t, at + i * sizeof x);
    return x < 0 ? SIZE_MAX : (size_t)x;
}

/* The count of entry k; -1 when it is not a valid count. */
static double count_of(const cr_array *a, size_t k)
{
    cr_array values = *a;
    double count;

    values.offset = 0; /* which is for rows */
    if (a->data == NULL)
        return 1;
    count = cr__array_number(&values, k);
    return count >= 0 && count <= INT32_MAX && count == floor(count) ? count : -1;
}

/* The plan's number for a word. */
static cr_status know_word(const cr__columns *c, size_t column, size_t word, cr__plan *plan,
                           const cr__cell *cell, uint32_t *number)
{
    char scratch[CR__NUMBER_SIZE];
    size_t length;
    const char *text = cr__columns_name(c, column, word, scratch, &length);
    cr__buffer padded = {0};
    cr__token token;
    uint64_t high;
    cr_status st;

    *number = SKIPPED;
    if (text == NULL)
        return CR_OK;
    if (length > CR__WORD_MAX)
        return CR_ELIMIT;
    cr__buffer_add(&padded, text, length);
    if (cr__buffer_reserve(&padded, CR__DICT_PAD) == NULL)
        return CR_ENOMEM;
    memset(padded.data + length, 0, CR__DICT_PAD);
    token = (cr__token){.hash = cr__token_hash_padded(padded.data, length, &high),
                        .length = (uint32_t)length};
    st = plan->find_words(plan, cell->column, padded.data, &token, 1, number);
    cr__buffer_free(&padded);
    return st;
}

static cr_status add_words(cr__batch *batch, size_t row, size_t column, uint32_t word, size_t count)
{
    uint32_t *into = cr__batch_words(batch, row, column, count);

    if (into == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < count; i++)
        into[i] = word;
    batch->column[column].start[row + 1] += (uint32_t)count;
    return CR_OK;
}

static cr_status fail_entry(const cr_array *a, size_t k, cr_error *err)
{
    const size_t word = place(a, a->index, k);

    if (word >= a->name_count)
        return cr__fail(err, CR_EFORMAT, "entry %zu of array '%s' is of a word that has no name", k,
                        a->name);
    return cr__fail(err, CR_EFORMAT, "entry %zu of array '%s' is not a count of words", k, a->name);
}

static cr_status put_row(const cr__columns *c, size_t column, size_t row, size_t into,
                         cr__plan *plan, const cr__cell *cell, uint32_t *known, cr_error *err)
{
    const cr_array *a = &c->array[column];
    const size_t begin = place(a, a->start, a->offset + row);
    const size_t end = place(a, a->start, a->offset + row + 1);
    cr_status st = CR_OK;

    if (begin == SIZE_MAX || end == SIZE_MAX || begin > end)
        return cr__fail(err, CR_EFORMAT, "the rows of array '%s' do not follow each other",
                        a->name);
    cell->batch->column[cell->column].code[into] = 1;
    for (size_t k = begin; st == CR_OK && k < end; k++) {
        const size_t word = place(a, a->index, k);
        const double count = count_of(a, k);

        if (word >= a->name_count || count < 0)
            return fail_entry(a, k, err);
        if (known[word] == CR__MEMO_OPEN)
            st = know_word(c, column, word, plan, cell, &known[word]);
        if (st == CR_OK && known[word] != SKIPPED)
            st = add_words(cell->batch, into, cell->column, known[word], (size_t)count);
    }
    if (st == CR_ELIMIT)
        return cr__fail(err, st, "the words of array '%s' are too many or too long", a->name);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

cr_status cr__columns_put_words(const cr__columns *c, size_t column, size_t first, size_t rows,
                                cr__plan *plan, const cr__cell *cell, cr_error *err)
{
    const cr_array *a = &c->array[column];
    uint32_t *known = cr__columns_codes(c, column, a->name_count, plan);
    cr_status st;

    if (cell->use != CR__CELL_TEXT || plan->find_words == NULL)
        return cr__fail(err, CR_ECONFLICT, "array '%s' has counts of words, but the column is %s",
                        a->name, cr_kind_name(cell->about->kind));
    if (known == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < rows; r++) {
        cr__batch_no_text(cell->batch, r, cell->column);
        if (cr__array_is_masked(a, first + r))
            continue;
        if ((st = put_row(c, column, first + r, r, plan, cell, known, err)) != CR_OK)
            return cr__fail_at(err, st, CR__ARRAYS_NAME, first + r + 1, column + 1);
    }
    return CR_OK;
}
