/* learners/naive_bayes/sections_text.c - the fitted text of a column in the model file.
 *
 *   TXHD i    u64 words, cells, classes; u32 index bits, weight, scaling (the sum of UNIT and
 *             APART), length
 *   TXIX i    u32 index[2^bits + 1]         TXWD i   f64 word[words]
 *   TXID i    f64 idf[words], when there is TXCL i   f64 once, each, scale, [classes] each
 *   TXDL i    {u32 class, u32 0, f64 delta}[cells]
 *   TXAL i    f64 text-alike, when it is not 1
 *
 * Hashes, words and rows are those of the statistics: BAGH, BAGE, BAGB, BAGR.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stats/bag_sections.h"
#include "learners/naive_bayes/text.h"

#define TAG_HEAD CR__TAG('T', 'X', 'H', 'D')
#define TAG_INDEX CR__TAG('T', 'X', 'I', 'X')
#define TAG_WORDS CR__TAG('T', 'X', 'W', 'D')
#define TAG_IDF CR__TAG('T', 'X', 'I', 'D')
#define TAG_CLASSES CR__TAG('T', 'X', 'C', 'L')
#define TAG_DELTAS CR__TAG('T', 'X', 'D', 'L')
#define TAG_ALIKE CR__TAG('T', 'X', 'A', 'L')

enum { UNIT = 1, APART = 2 };

typedef struct head {
    uint64_t words, cells, classes;
    uint32_t index_bits, weight, scaling, length;
} head;

void cr__nb_save_text(const cr__nb_text *text, cr__draft *draft, uint32_t column)
{
    const head h = {.words = text->words.words,
                    .cells = text->cells,
                    .classes = text->classes,
                    .index_bits = text->words.index_bits,
                    .weight = text->weight,
                    .scaling = (text->unit_length ? UNIT : 0) | (text->length.apart ? APART : 0),
                    .length = text->length.most};

    cr__draft_section_begin(draft, TAG_HEAD, column);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_section_begin(draft, TAG_INDEX, column);
    cr__draft_borrow(draft, text->words.index,
                     (((size_t)1 << text->words.index_bits) + 1) * sizeof *text->words.index);
    cr__draft_section_begin(draft, TAG_WORDS, column);
    cr__draft_borrow(draft, text->word, text->words.words * sizeof *text->word);
    if (text->idf != NULL) {
        cr__draft_section_begin(draft, TAG_IDF, column);
        cr__draft_borrow(draft, text->idf, text->words.words * sizeof *text->idf);
    }
    cr__draft_section_begin(draft, TAG_CLASSES, column);
    cr__draft_borrow(draft, text->once, text->classes * sizeof *text->once);
    cr__draft_borrow(draft, text->each, text->classes * sizeof *text->each);
    cr__draft_borrow(draft, text->scale, text->classes * sizeof *text->scale);
    cr__draft_section_begin(draft, TAG_DELTAS, column);
    cr__draft_borrow(draft, text->cell, text->cells * sizeof *text->cell);
    if (text->length.alike != 1) {
        cr__draft_section_begin(draft, TAG_ALIKE, column);
        cr__draft_copy(draft, &text->length.alike, sizeof text->length.alike);
    }
}

static cr_status open_alike(cr__nb_text *text, const cr__container *container, uint32_t column,
                            cr_error *err)
{
    const void *bytes;
    size_t size;
    cr_status st;

    text->length.alike = 1;
    if (cr__container_section(container, TAG_ALIKE, column, &size) == NULL)
        return CR_OK;
    st = cr__container_need(container, TAG_ALIKE, column, sizeof text->length.alike, 1, &bytes,
                            NULL, err);
    if (st != CR_OK)
        return st;
    memcpy(&text->length.alike, bytes, sizeof text->length.alike);
    return text->length.alike >= 0 && isfinite(text->length.alike)
               ? CR_OK
               : cr__container_damaged(container, err, "a text has an impossible weight");
}

/* A section of exactly count items. */
static cr_status view(const cr__container *container, uint32_t tag, uint32_t column, size_t count,
                      size_t size, const void **out, cr_error *err)
{
    return cr__container_need(container, tag, column, count * size, 1, out, NULL, err);
}

static cr_status open_parts(cr__nb_text *text, const cr__container *container, uint32_t column,
                            cr_error *err)
{
    const void *index, *word, *classes, *cell, *idf = NULL;
    size_t size;
    cr__bag bag;
    cr_status st = cr__bag_view(&bag, container, column, text->classes, err);

    if (st != CR_OK)
        return st;
    if (bag.words != text->words.words || bag.cells != text->cells)
        return cr__container_damaged(container, err, "a text's words do not match its counts");
    text->words.hash = bag.hash;
    text->words.end = bag.end;
    text->words.bytes = bag.bytes;
    text->row = bag.row;
    if ((st = view(container, TAG_INDEX, column, ((size_t)1 << text->words.index_bits) + 1,
                   sizeof *text->words.index, &index, err)) != CR_OK ||
        (st = view(container, TAG_WORDS, column, text->words.words, sizeof *text->word, &word,
                   err)) != CR_OK ||
        (st = view(container, TAG_CLASSES, column, 3 * text->classes, sizeof *text->once, &classes,
                   err)) != CR_OK ||
        (st = view(container, TAG_DELTAS, column, text->cells, sizeof *text->cell, &cell, err)) !=
            CR_OK)
        return st;
    if (cr__container_section(container, TAG_IDF, column, &size) != NULL &&
        (st = view(container, TAG_IDF, column, text->words.words, sizeof *text->idf, &idf, err)) !=
            CR_OK)
        return st;
    text->words.index = index;
    text->word = word;
    text->once = classes;
    text->each = text->once + text->classes;
    text->scale = text->each + text->classes;
    text->cell = cell;
    text->idf = idf;
    return CR_OK;
}

cr_status cr__nb_open_text(cr__nb_text **out, const cr__container *container, uint32_t column,
                           size_t classes, cr_error *err)
{
    const void *bytes;
    cr__nb_text *text;
    head h;
    cr_status st = cr__container_need(container, TAG_HEAD, column, sizeof h, 1, &bytes, NULL, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    memcpy(&h, bytes, sizeof h);
    if (h.classes != classes || h.index_bits < 1 || h.index_bits > 30 || h.words > UINT32_MAX ||
        h.cells > SIZE_MAX / 64 || h.weight > CR__WEIGHT_SUBLINEAR || h.scaling > (UNIT | APART))
        return cr__container_damaged(container, err, "a text has an impossible size");
    if ((text = cr__alloc_zero(1, sizeof *text)) == NULL)
        return cr__fail_memory(err);
    text->words.words = (size_t)h.words;
    text->cells = (size_t)h.cells;
    text->classes = classes;
    text->words.index_bits = h.index_bits;
    text->weight = h.weight;
    text->unit_length = (h.scaling & UNIT) != 0;
    text->length.apart = (h.scaling & APART) != 0;
    text->length.most = h.length;
    if ((st = open_alike(text, container, column, err)) != CR_OK ||
        (st = open_parts(text, container, column, err)) != CR_OK) {
        cr__nb_text_free(text);
        return st;
    }
    *out = text;
    return CR_OK;
}
