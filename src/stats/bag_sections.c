/* stats/bag_sections.c - the statistics of a text column in the model file.
 *
 *   BAGD i    u64 documents[classes], then u64 frozen documents
 *   BAGH i    u64 hash[words], ascending       BAGE i   u32 end[words]
 *   BAGB i    the words' bytes                 BAGR i   u64 row[words + 1]
 *   BAGC i    {u32 class, u32 documents, u64 terms}[cells]
 *   BAGW i    i64 weight[cells] and BAGF i u32 frozen[words], for weighted texts only
 */
#include "stats/bag_sections.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

#define TAG_DOCUMENTS CR__TAG('B', 'A', 'G', 'D')
#define TAG_HASHES CR__TAG('B', 'A', 'G', 'H')
#define TAG_ENDS CR__TAG('B', 'A', 'G', 'E')
#define TAG_BYTES CR__TAG('B', 'A', 'G', 'B')
#define TAG_ROWS CR__TAG('B', 'A', 'G', 'R')
#define TAG_CELLS CR__TAG('B', 'A', 'G', 'C')
#define TAG_WEIGHTS CR__TAG('B', 'A', 'G', 'W')
#define TAG_FROZEN CR__TAG('B', 'A', 'G', 'F')

static void save(cr__draft *draft, uint32_t tag, uint32_t column, const void *bytes, size_t count,
                 size_t size)
{
    cr__draft_section_begin(draft, tag, column);
    cr__draft_borrow(draft, bytes, count * size);
}

void cr__bag_save(const cr__bag *bag, cr__draft *draft, uint32_t column)
{
    const uint64_t no_row = 0;

    save(draft, TAG_DOCUMENTS, column, bag->documents, bag->classes, sizeof *bag->documents);
    cr__draft_copy(draft, &bag->frozen_documents, sizeof bag->frozen_documents);
    save(draft, TAG_HASHES, column, bag->hash, bag->words, sizeof *bag->hash);
    save(draft, TAG_ENDS, column, bag->end, bag->words, sizeof *bag->end);
    save(draft, TAG_BYTES, column, bag->bytes, bag->words == 0 ? 0 : bag->end[bag->words - 1], 1);
    cr__draft_section_begin(draft, TAG_ROWS, column);
    if (bag->row == NULL)
        cr__draft_copy(draft, &no_row, sizeof no_row);
    else
        cr__draft_borrow(draft, bag->row, (bag->words + 1) * sizeof *bag->row);
    save(draft, TAG_CELLS, column, bag->cell, bag->cells, sizeof *bag->cell);
    if (bag->weight != NULL)
        save(draft, TAG_WEIGHTS, column, bag->weight, bag->cells, sizeof *bag->weight);
    if (bag->frozen != NULL)
        save(draft, TAG_FROZEN, column, bag->frozen, bag->words, sizeof *bag->frozen);
}

/* A section of whole items; *count is how many. */
static cr_status items(const cr__container *container, uint32_t tag, uint32_t column, size_t size,
                       const void **out, size_t *count, cr_error *err)
{
    size_t bytes;
    cr_status st = cr__container_need(container, tag, column, 0, 0, out, &bytes, err);

    *count = bytes / size;
    if (st == CR_OK && bytes % size != 0)
        return cr__container_damaged(container, err, "a text's counts have a wrong length");
    return st;
}

/* Optional arrays, which must have as many items as the arrays they belong to. */
static cr_status optional(const cr__container *container, uint32_t tag, uint32_t column,
                          size_t count, size_t size, void **out, cr_error *err)
{
    size_t bytes;

    *out = (void *)cr__container_section(container, tag, column, &bytes);
    if (*out != NULL && bytes != count * size)
        return cr__container_damaged(container, err, "a text's weights have a wrong length");
    return CR_OK;
}

cr_status cr__bag_view(cr__bag *out, const cr__container *container, uint32_t column,
                       size_t classes, cr_error *err)
{
    const void *documents, *hash, *end, *bytes, *row, *cell;
    size_t words, ends, rows, byte_count;
    cr_status st;

    *out = (cr__bag){.classes = classes};
    if ((st = cr__container_need(container, TAG_DOCUMENTS, column, (classes + 1) * sizeof(uint64_t),
                                 1, &documents, NULL, err)) != CR_OK ||
        (st = items(container, TAG_HASHES, column, sizeof(uint64_t), &hash, &words, err)) !=
            CR_OK ||
        (st = items(container, TAG_ENDS, column, sizeof(uint32_t), &end, &ends, err)) != CR_OK ||
        (st = items(container, TAG_BYTES, column, 1, &bytes, &byte_count, err)) != CR_OK ||
        (st = items(container, TAG_ROWS, column, sizeof(uint64_t), &row, &rows, err)) != CR_OK ||
        (st = items(container, TAG_CELLS, column, sizeof(cr__bag_cell), &cell, &out->cells, err)) !=
            CR_OK)
        return st;
    if (ends != words || rows != words + 1 || words > UINT32_MAX ||
        byte_count != (words == 0 ? 0 : ((const uint32_t *)end)[words - 1]))
        return cr__container_damaged(container, err, "a text's words do not fit together");
    out->words = words;
    out->documents = (uint64_t *)documents;
    memcpy(&out->frozen_documents, (const uint64_t *)documents + classes, sizeof(uint64_t));
    out->hash = (uint64_t *)hash;
    out->end = (uint32_t *)end;
    out->bytes = (char *)bytes;
    out->row = (uint64_t *)row;
    out->cell = (cr__bag_cell *)cell;
    st = optional(container, TAG_WEIGHTS, column, out->cells, sizeof(int64_t),
                  (void **)&out->weight, err);
    if (st == CR_OK)
        st = optional(container, TAG_FROZEN, column, words, sizeof(uint32_t), (void **)&out->frozen,
                      err);
    return st;
}

static int copy(void *to, const void *from, size_t count, size_t size)
{
    void *own = from == NULL ? NULL : cr__alloc(count, size);

    if (own != NULL && count > 0)
        memcpy(own, from, count * size);
    memcpy(to, &own, sizeof own);
    return own != NULL || from == NULL;
}

/* Check what combining relies on: words in order, cells in range, classes known. */
static cr_status check(const cr__bag *bag, const cr__container *container, cr_error *err)
{
    for (size_t w = 0; w < bag->words; w++)
        if ((w > 0 && (bag->end[w] < bag->end[w - 1] || bag->hash[w] < bag->hash[w - 1])) ||
            bag->row[w + 1] < bag->row[w])
            return cr__container_damaged(container, err, "a text's words are not in order");
    if (bag->row[0] != 0 || bag->row[bag->words] != bag->cells)
        return cr__container_damaged(container, err, "a text's counts do not fit its words");
    for (size_t i = 0; i < bag->cells; i++)
        if (bag->cell[i].class_index >= bag->classes || bag->cell[i].terms > INT64_MAX / 4 ||
            bag->cell[i].documents > bag->documents[bag->cell[i].class_index])
            return cr__container_damaged(container, err, "a text's count makes no sense");
    return CR_OK;
}

cr_status cr__bag_load(cr__bag *out, const cr__container *container, uint32_t column,
                       size_t classes, cr_error *err)
{
    cr__bag view;
    cr_status st = cr__bag_view(&view, container, column, classes, err);

    *out = (cr__bag){0};
    if (st == CR_OK)
        st = check(&view, container, err);
    if (st != CR_OK)
        return st;
    *out = (cr__bag){.words = view.words,
                     .cells = view.cells,
                     .classes = classes,
                     .frozen_documents = view.frozen_documents};
    if (!copy(&out->hash, view.hash, view.words, sizeof *view.hash) ||
        !copy(&out->end, view.end, view.words, sizeof *view.end) ||
        !copy(&out->bytes, view.bytes, view.words == 0 ? 0 : view.end[view.words - 1], 1) ||
        !copy(&out->row, view.row, view.words + 1, sizeof *view.row) ||
        !copy(&out->cell, view.cell, view.cells, sizeof *view.cell) ||
        !copy(&out->documents, view.documents, classes, sizeof *view.documents) ||
        !copy(&out->weight, view.weight, view.cells, sizeof *view.weight) ||
        !copy(&out->frozen, view.frozen, view.words, sizeof *view.frozen)) {
        cr__bag_free(out);
        return cr__fail_memory(err);
    }
    return CR_OK;
}
