/* stats/vocabulary.c - find words in groups, count them in cache lines. */
#include "stats/vocabulary.h"

#include <string.h>

#include "base/memory.h"

enum { GROUP = 64, NONE = 0, ROW_AHEAD = 24, WIDE_AHEAD = 12 };

_Static_assert(CR__ROW_CELLS == 4, "find_packed looks at four cells");

#define PACK_CLASS_SHIFT 44
#define PACK_TERMS_SHIFT 22
#define PACK_MASK ((UINT64_C(1) << 22) - 1)
#define WORDS_MAX 0x7fffffffu
#define CLASS_MAX (1u << 20)

_Static_assert(sizeof(cr__word_row) == 64, "a row is a cache line");

/* Wide counts live in blocks, large ones when there are many, so that they share large pages; they
 * are freed together. An array that has become too short is left behind: each is at least twice as
 * long as the one before. */
typedef struct cr__wide_block {
    struct cr__wide_block *next;
    size_t used, capacity; /* cells */
    cr__word_count *cell;  /* at the beginning of a cache line */
} cr__wide_block;

#define LINE ((size_t)64)
#define LINE_CELLS (LINE / sizeof(cr__word_count))
#define BLOCK_LEAST ((size_t)64 << 10)
#define BLOCK_MOST ((size_t)16 << 20)

static int new_block(cr__vocabulary *v, size_t cells)
{
    size_t bytes = v->wide_bytes < BLOCK_LEAST  ? BLOCK_LEAST
                   : v->wide_bytes > BLOCK_MOST ? BLOCK_MOST
                                                : v->wide_bytes;
    cr__wide_block *block;

    if (cells > (bytes - LINE - sizeof *block) / sizeof *block->cell)
        bytes = sizeof *block + LINE + cells * sizeof *block->cell;
    if ((block = cr__alloc_zero(bytes, 1)) == NULL)
        return 0;
    block->cell = (cr__word_count *)(((uintptr_t)(block + 1) + LINE - 1) & ~(uintptr_t)(LINE - 1));
    block->capacity = (bytes - sizeof *block - LINE) / sizeof *block->cell / LINE_CELLS * LINE_CELLS;
    block->next = v->wide;
    v->wide = block;
    v->wide_bytes += bytes;
    return 1;
}

/* Zeroed counts for so many classes, a multiple of a line's. */
static cr__word_count *wide_counts(cr__vocabulary *v, size_t classes)
{
    cr__wide_block *block = v->wide;

    if ((block == NULL || block->capacity - block->used < classes) && !new_block(v, classes))
        return NULL;
    block = v->wide;
    block->used += classes;
    return block->cell + block->used - classes;
}

void cr__vocabulary_free(cr__vocabulary *v)
{
    for (cr__wide_block *block = v->wide, *next; block != NULL; block = next) {
        next = block->next;
        cr__free(block);
    }
    cr__free(v->row);
    cr__free(v->slot);
    cr__free(v->text);
    *v = (cr__vocabulary){0};
}

size_t cr__vocabulary_bytes(const cr__vocabulary *v)
{
    return v->row_capacity * sizeof *v->row + v->text_capacity + v->wide_bytes +
           (v->slot_bits == 0 ? 0 : sizeof *v->slot << v->slot_bits);
}

/* --- finding --------------------------------------------------------------------------------- */

static inline uint64_t head_of(const char *bytes, size_t length)
{
    uint64_t head;

    memcpy(&head, bytes, sizeof head);
    return length < 8 ? head & ~(~(uint64_t)0 << 8 * length) : head;
}

static inline int row_is(const cr__vocabulary *v, const cr__word_row *row, const char *bytes,
                         const cr__token *term, uint64_t head)
{
    return row->hash == term->hash && row->length == term->length && row->head == head &&
           (term->length <= 8 ||
            memcmp(v->text + row->start + 8, bytes + 8, term->length - 8) == 0);
}

static inline uint64_t slot_value(uint64_t hash, uint32_t row)
{
    return (hash & ~(uint64_t)UINT32_MAX) | (row + 1);
}

/* The word's row + 1 by walking from its slot, or 0; *at is where it is or would go. */
static uint32_t walk(const cr__vocabulary *v, const char *bytes, const cr__token *term,
                     uint64_t head, size_t *at)
{
    const size_t mask = ((size_t)1 << v->slot_bits) - 1;

    for (*at = (size_t)(term->hash >> (64 - v->slot_bits));; *at = (*at + 1) & mask) {
        const uint64_t s = v->slot[*at];
        if (s == 0)
            return NONE;
        if ((s ^ term->hash) >> 32 == 0 && row_is(v, &v->row[(uint32_t)s - 1], bytes, term, head))
            return (uint32_t)s;
    }
}

static int grow_slots(cr__vocabulary *v)
{
    const uint32_t bits = v->slot_bits == 0 ? 12 : v->slot_bits + 1;
    const size_t mask = ((size_t)1 << bits) - 1;
    uint64_t *slot = cr__alloc_zero(mask + 1, sizeof *slot);

    if (slot == NULL)
        return 0;
    for (uint32_t i = 0; i < v->words; i++) {
        size_t at = (size_t)(v->row[i].hash >> (64 - bits));
        while (slot[at] != 0)
            at = (at + 1) & mask;
        slot[at] = slot_value(v->row[i].hash, i);
    }
    cr__free(v->slot);
    v->slot = slot;
    v->slot_bits = bits;
    return 1;
}

/* Twice the rows, in new memory so that all of it can be in large pages. */
static int grow_rows(cr__vocabulary *v, size_t need)
{
    const size_t capacity = v->row_capacity * 2 > need ? v->row_capacity * 2 : need;
    cr__word_row *row = cr__alloc(capacity, sizeof *row);

    if (row == NULL)
        return 0;
    if (v->words > 0)
        memcpy(row, v->row, v->words * sizeof *row);
    cr__free(v->row);
    v->row = row;
    v->row_capacity = capacity;
    return 1;
}

/* Room for another group of new words: at most half of the slots are ever taken. */
static cr_status make_room(cr__vocabulary *v, size_t words)
{
    if (v->words > WORDS_MAX - GROUP)
        return CR_ELIMIT;
    while (v->slot_bits == 0 || ((uint64_t)v->words + words) * 2 > (uint64_t)1 << v->slot_bits)
        if (!grow_slots(v))
            return CR_ENOMEM;
    if (v->words + words > v->row_capacity && !grow_rows(v, v->words + words))
        return CR_ENOMEM;
    return CR_OK;
}

static cr_status find_or_add(cr__vocabulary *v, const char *bytes, const cr__token *term,
                             uint32_t *row)
{
    const uint64_t head = head_of(bytes, term->length);
    size_t at;
    uint32_t found = walk(v, bytes, term, head, &at);

    if (found == NONE) {
        if (v->text_size > UINT32_MAX - (size_t)term->length)
            return CR_ELIMIT;
        if (!cr__grow(&v->text, &v->text_capacity, v->text_size + term->length + 8, 1))
            return CR_ENOMEM;
        memcpy(v->text + v->text_size, bytes, term->length);
        v->row[v->words] = (cr__word_row){.hash = term->hash, .head = head,
                                          .start = (uint32_t)v->text_size,
                                          .length = term->length};
        v->text_size += term->length;
        v->slot[at] = slot_value(term->hash, v->words);
        found = ++v->words;
    }
    *row = found - 1;
    return CR_OK;
}

/* A group: fetch all slots, then all rows they point at, then compare. */
static cr_status find_group(cr__vocabulary *v, const char *text, const cr__token *term, size_t n,
                            uint32_t *row)
{
    uint32_t guess[GROUP];
    cr_status st = make_room(v, n);
    const unsigned shift = 64 - v->slot_bits;

    if (st != CR_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&v->slot[term[i].hash >> shift]);
    for (size_t i = 0; i < n; i++) {
        const uint64_t s = v->slot[term[i].hash >> shift];
        guess[i] = (s ^ term[i].hash) >> 32 == 0 ? (uint32_t)s : NONE;
        if (guess[i] != NONE)
            __builtin_prefetch(&v->row[guess[i] - 1]);
    }
    for (size_t i = 0; i < n && st == CR_OK; i++) {
        const char *bytes = text + term[i].start;
        if (guess[i] != NONE && row_is(v, &v->row[guess[i] - 1], bytes, &term[i],
                                       head_of(bytes, term[i].length)))
            row[i] = guess[i] - 1;
        else
            st = find_or_add(v, bytes, &term[i], &row[i]);
    }
    return st;
}

cr_status cr__vocabulary_find(cr__vocabulary *v, const char *text, const cr__token *term, size_t n,
                              uint32_t *row)
{
    cr_status st = CR_OK;

    for (size_t i = 0; i < n && st == CR_OK; i += GROUP)
        st = find_group(v, text, term + i, n - i < GROUP ? n - i : GROUP, row + i);
    return st;
}

/* --- counting -------------------------------------------------------------------------------- */

static cr__word_count unpack(uint64_t cell)
{
    return (cr__word_count){(uint32_t)(cell >> PACK_TERMS_SHIFT & PACK_MASK),
                            (uint32_t)(cell & PACK_MASK)};
}

size_t cr__vocabulary_class_count(const cr__word_row *row)
{
    size_t found = 0;

    for (int i = 0; row->classes == 0 && i < CR__ROW_CELLS; i++)
        found += row->count.packed[i] != 0;
    for (uint32_t c = 0; c < row->classes; c++)
        found += row->count.wide[c].terms > 0;
    return found;
}

void cr__vocabulary_classes(const cr__word_row *row,
                            void (*visit)(void *context, uint32_t class_code, cr__word_count n),
                            void *context)
{
    if (row->classes == 0) {
        for (int i = 0; i < CR__ROW_CELLS && row->count.packed[i] != 0; i++)
            visit(context, (uint32_t)(row->count.packed[i] >> PACK_CLASS_SHIFT),
                  unpack(row->count.packed[i]));
        return;
    }
    for (uint32_t c = 0; c < row->classes; c++)
        if (row->count.wide[c].terms > 0)
            visit(context, c, row->count.wide[c]);
}

/* From packed counts to an array, or to a longer one: it has all classes met so far. */
static int widen(cr__vocabulary *v, cr__word_row *row)
{
    const uint32_t met = (v->last_class | (LINE_CELLS - 1)) + 1;
    const uint32_t classes = met < 2 * row->classes ? 2 * row->classes : met;
    cr__word_count *wide = wide_counts(v, classes);

    if (wide == NULL)
        return 0;
    if (row->classes == 0) {
        for (int i = 0; i < CR__ROW_CELLS; i++)
            if (row->count.packed[i] != 0)
                wide[row->count.packed[i] >> PACK_CLASS_SHIFT] = unpack(row->count.packed[i]);
    } else {
        memcpy(wide, row->count.wide, row->classes * sizeof *wide);
    }
    row->count.wide = wide;
    row->classes = classes;
    return 1;
}

/* One more term, and one more document when it is the first in this one. */
static cr_status count_wide(cr__vocabulary *v, cr__word_row *row, uint32_t class_code, uint32_t first)
{
    if (class_code >= row->classes && !widen(v, row))
        return CR_ENOMEM;
    row->count.wide[class_code].documents += first;
    return ++row->count.wide[class_code].terms == 0 ? CR_ELIMIT : CR_OK;
}

/* The cell of a class, else the first empty one, else NULL. All four are looked at without asking:
 * which of them it is cannot be foreseen, and wrong guesses cost more. */
static inline uint64_t *find_packed(cr__word_row *row, uint32_t class_code)
{
    uint64_t *const cell = row->count.packed;
    const unsigned same = (cell[0] >> PACK_CLASS_SHIFT == class_code) |
                          (unsigned)(cell[1] >> PACK_CLASS_SHIFT == class_code) << 1 |
                          (unsigned)(cell[2] >> PACK_CLASS_SHIFT == class_code) << 2 |
                          (unsigned)(cell[3] >> PACK_CLASS_SHIFT == class_code) << 3;
    const unsigned empty = (cell[0] == 0) | (unsigned)(cell[1] == 0) << 1 |
                           (unsigned)(cell[2] == 0) << 2 | (unsigned)(cell[3] == 0) << 3;
    const unsigned either = same != 0 ? same : empty;

    return either == 0 ? NULL : &cell[__builtin_ctz(either)];
}

static cr_status count_word(cr__vocabulary *v, cr__word_row *row, uint32_t class_code,
                            uint32_t document)
{
    const uint32_t first = row->seen != document;
    const uint64_t one = (uint64_t)1 << PACK_TERMS_SHIFT | first;
    uint64_t *cell;

    row->seen = document;
    if (row->classes > 0)
        return count_wide(v, row, class_code, first);
    cell = find_packed(row, class_code);
    if (cell == NULL || (*cell >> PACK_TERMS_SHIFT & PACK_MASK) == PACK_MASK)
        return widen(v, row) ? count_wide(v, row, class_code, first) : CR_ENOMEM;
    *cell += *cell == 0 ? ((uint64_t)class_code << PACK_CLASS_SHIFT) + one : one;
    return CR_OK;
}

/* The same for a document that stands there several times, which is rare: the counts are wide. */
static cr_status count_word_times(cr__vocabulary *v, cr__word_row *row, uint32_t class_code,
                                  uint32_t document, uint32_t times)
{
    const uint32_t first = row->seen != document;
    cr__word_count *count;

    row->seen = document;
    if (class_code >= row->classes && !widen(v, row))
        return CR_ENOMEM;
    count = &row->count.wide[class_code];
    if (count->terms > UINT32_MAX - times)
        return CR_ELIMIT;
    count->terms += times;
    count->documents += first * times;
    return CR_OK;
}

/* After 2^32 - 1 documents the numbers start again: no word may remember an old one. */
static uint32_t next_document(cr__vocabulary *v)
{
    if (++v->documents == 0) {
        for (uint32_t i = 0; i < v->words; i++)
            v->row[i].seen = 0;
        v->documents = 1;
    }
    return v->documents;
}

cr_status cr__vocabulary_count(cr__vocabulary *v, const uint32_t *row, size_t n,
                               uint32_t class_code)
{
    const uint32_t document = next_document(v);
    cr_status st = class_code < CLASS_MAX ? CR_OK : CR_ELIMIT;

    if (st == CR_OK && class_code > v->last_class)
        v->last_class = class_code;

    for (size_t i = 0; i < n && st == CR_OK; i++) {
        if (i + ROW_AHEAD < n)
            __builtin_prefetch(&v->row[row[i + ROW_AHEAD]], 1);
        if (i + WIDE_AHEAD < n && v->row[row[i + WIDE_AHEAD]].classes > class_code)
            __builtin_prefetch(&v->row[row[i + WIDE_AHEAD]].count.wide[class_code], 1);
        st = count_word(v, &v->row[row[i]], class_code, document);
    }
    return st;
}

cr_status cr__vocabulary_count_times(cr__vocabulary *v, const uint32_t *row, size_t n,
                                     uint32_t class_code, uint32_t times)
{
    const uint32_t document = next_document(v);
    cr_status st = class_code < CLASS_MAX ? CR_OK : CR_ELIMIT;

    if (st == CR_OK && class_code > v->last_class)
        v->last_class = class_code;
    for (size_t i = 0; i < n && st == CR_OK; i++)
        st = count_word_times(v, &v->row[row[i]], class_code, document, times);
    return st;
}

/* --- pruning --------------------------------------------------------------------------------- */

static uint64_t row_terms(const cr__word_row *row)
{
    uint64_t terms = 0;

    for (int i = 0; row->classes == 0 && i < CR__ROW_CELLS; i++)
        terms += unpack(row->count.packed[i]).terms;
    for (uint32_t c = 0; c < row->classes; c++)
        terms += row->count.wide[c].terms;
    return terms;
}

/* The least number of occurrences that a word must have so that at most `keep` words stay. */
static uint64_t least_terms(const cr__vocabulary *v, size_t keep)
{
    enum { MOST = 1 << 12 };
    size_t have[MOST + 1] = {0}, left = v->words;
    uint64_t least = 1;

    for (uint32_t i = 0; i < v->words; i++) {
        const uint64_t terms = row_terms(&v->row[i]);
        have[terms < MOST ? terms : MOST]++;
    }
    while (left > keep && least < MOST)
        left -= have[least++];
    return least;
}

static cr_status copy_row(cr__vocabulary *to, const cr__vocabulary *from, const cr__word_row *row)
{
    const cr__token term = {.hash = row->hash, .length = row->length};
    uint32_t at;
    cr_status st = make_room(to, 1);

    if (st == CR_OK)
        st = find_or_add(to, from->text + row->start, &term, &at);
    if (st != CR_OK)
        return st;
    to->row[at].seen = row->seen;
    to->row[at].classes = row->classes;
    to->row[at].count = row->count;
    if (row->classes == 0)
        return CR_OK;
    if ((to->row[at].count.wide = wide_counts(to, row->classes)) == NULL)
        return CR_ENOMEM;
    memcpy(to->row[at].count.wide, row->count.wide, row->classes * sizeof *row->count.wide);
    return CR_OK;
}

cr_status cr__vocabulary_prune(cr__vocabulary *v, size_t bytes)
{
    const size_t used = cr__vocabulary_bytes(v);
    const uint64_t least =
        used <= bytes ? 1 : least_terms(v, (size_t)((double)v->words * (double)bytes / (double)used));
    cr__vocabulary kept = {.last_class = v->last_class, .documents = v->documents,
                           .pruned = v->pruned, .pruned_terms = v->pruned_terms,
                           .pruned_most = v->pruned_most};
    cr_status st = CR_OK;

    if (least == 1)
        return CR_OK;
    for (uint32_t i = 0; st == CR_OK && i < v->words; i++) {
        const uint64_t terms = row_terms(&v->row[i]);

        if (terms >= least) {
            st = copy_row(&kept, v, &v->row[i]);
            continue;
        }
        kept.pruned++;
        kept.pruned_terms += terms;
        kept.pruned_most = terms > kept.pruned_most ? terms : kept.pruned_most;
    }
    if (st != CR_OK) {
        cr__vocabulary_free(&kept);
        return st;
    }
    cr__vocabulary_free(v);
    *v = kept;
    return CR_OK;
}
