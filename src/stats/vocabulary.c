/* stats/vocabulary.c - find words in groups, count them in cache lines. */
#include "stats/vocabulary.h"

#include <string.h>

#include "base/memory.h"

enum { GROUP = 64, NONE = 0, HEAD = 8, SLOT_AHEAD = 16, FIND_AHEAD = 64 };
enum { ROW_AHEAD = 24, WIDE_AHEAD = 12 };

_Static_assert(CR__ROW_CELLS == 4, "find_packed looks at four cells");

#define WORDS_MAX 0x7fffffffu
#define CLASS_MAX (1u << 20)

/* Wide counts are allocated in blocks, large blocks when there are many, so that they share large
 * pages; they are freed together. An array that has become too short is abandoned: each is at least
 * twice as long as the one before. */
typedef struct cr__wide_block {
    struct cr__wide_block *next;
    size_t used, capacity; /* cells */
    uint32_t *cell;        /* at the beginning of a cache line */
} cr__wide_block;

#define LINE ((size_t)64)
#define LINE_CELLS (LINE / sizeof(uint32_t))
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
    block->cell = (uint32_t *)(((uintptr_t)(block + 1) + LINE - 1) & ~(uintptr_t)(LINE - 1));
    block->capacity = (bytes - sizeof *block - LINE) / LINE * LINE_CELLS;
    block->next = v->wide;
    v->wide = block;
    v->wide_bytes += bytes;
    return 1;
}

/* Zeroed counts for so many classes, a multiple of half a line's: two of each class. */
static uint32_t *wide_counts(cr__vocabulary *v, size_t classes)
{
    cr__wide_block *block = v->wide;

    if ((block == NULL || block->capacity - block->used < 2 * classes) &&
        !new_block(v, 2 * classes))
        return NULL;
    block = v->wide;
    block->used += 2 * classes;
    return block->cell + block->used - 2 * classes;
}

void cr__vocabulary_close(cr__vocabulary *v)
{
    cr__pages_free(&v->slot_room);
    v->slot = NULL;
    v->slot_bits = 0;
}

void cr__vocabulary_free(cr__vocabulary *v)
{
    for (cr__wide_block *block = v->wide, *next; block != NULL; block = next) {
        next = block->next;
        cr__free(block);
    }
    cr__dense_free(&v->dense);
    cr__pages_free(&v->row_room);
    cr__pages_free(&v->key_room);
    cr__pages_free(&v->slot_room);
    cr__free(v->text);
    *v = (cr__vocabulary){0};
}

size_t cr__vocabulary_bytes(const cr__vocabulary *v)
{
    return cr__dense_bytes(&v->dense) + v->row_capacity * sizeof *v->row +
           v->key_capacity * sizeof *v->key + v->text_capacity + v->wide_bytes +
           (v->slot_bits == 0 ? 0 : sizeof *v->slot << v->slot_bits);
}

/* --- finding --------------------------------------------------------------------------------- */

static inline uint64_t head_of(const char *bytes, size_t length)
{
    uint64_t head;

    memcpy(&head, bytes, sizeof head);
    return length < HEAD ? head & ~(~(uint64_t)0 << 8 * length) : head;
}

/* Together with the head this identifies a word of up to eight bytes; for a longer one it says
 * so. */
static inline uint32_t mark_of(const cr__token *term)
{
    return ((uint32_t)term->hash & ~(uint32_t)15) | (term->length <= HEAD ? term->length : 15);
}

static inline size_t first_slot(const cr__vocabulary *v, uint64_t hash)
{
    return (size_t)(hash >> (64 - v->slot_bits));
}

/* Whether the row found by a long word's head and mark has the whole word. */
static inline int key_is(const cr__vocabulary *v, const cr__word_key *key, const char *bytes,
                         const cr__token *term)
{
    return key->hash == term->hash && key->length == term->length &&
           memcmp(v->text + key->start + HEAD, bytes + HEAD, term->length - HEAD) == 0;
}

/* Words are put into the larger table in the order in which they were met. Common words come early,
 * so most of them stand in their first slot, and a text rarely looks at a second one. */
static int grow_slots(cr__vocabulary *v)
{
    const uint32_t bits = v->slot_bits == 0 ? 12 : v->slot_bits + 1;
    const size_t mask = ((size_t)1 << bits) - 1;
    cr__pages room = {0};
    cr__word_slot *slot;

    if (!cr__pages_fit(&room, mask + 1, sizeof *slot))
        return 0;
    slot = room.at;
    for (uint32_t i = 0; i < v->words; i++) {
        const cr__word_key *key = &v->key[i];
        const cr__token term = {.hash = key->hash, .length = key->length};
        size_t at = (size_t)(key->hash >> (64 - bits));

        if (i + SLOT_AHEAD < v->words)
            __builtin_prefetch(&slot[v->key[i + SLOT_AHEAD].hash >> (64 - bits)], 1);
        while (slot[at].row != 0)
            at = (at + 1) & mask;
        slot[at] =
            (cr__word_slot){head_of(v->text + key->start, key->length), mark_of(&term), i + 1};
    }
    cr__pages_free(&v->slot_room);
    v->slot_room = room;
    v->slot = slot;
    v->slot_bits = bits;
    return 1;
}

/* Double the rows. */
static int grow_rows(cr__vocabulary *v, size_t need)
{
    const size_t have = v->sparse ? v->row_capacity : v->dense.rows;
    const size_t capacity = have * 2 > need ? have * 2 : need;

    if (need <= have)
        return 1;
    if (!v->sparse)
        return cr__dense_fit(&v->dense, v->words, capacity, v->dense.codes);
    if (!cr__pages_fit(&v->row_room, capacity, sizeof *v->row))
        return 0;
    v->row = v->row_room.at;
    v->row_capacity = capacity;
    return 1;
}

static int grow_keys(cr__vocabulary *v, size_t need)
{
    const size_t capacity = v->key_capacity * 2 > need ? v->key_capacity * 2 : need;

    if (need <= v->key_capacity)
        return 1;
    if (!cr__pages_fit(&v->key_room, capacity, sizeof *v->key))
        return 0;
    v->key = v->key_room.at;
    v->key_capacity = capacity;
    return 1;
}

/* Whether so many words need more slots. Half of them may be taken, but only a quarter where there
 * is room: whether a second slot must be looked at is hard to predict, and so costs much. */
static int need_slots(const cr__vocabulary *v, uint64_t words)
{
    const uint64_t slots = v->slot_bits == 0 ? 0 : (uint64_t)1 << v->slot_bits;

    return words * 2 > slots || (words * 4 > slots && 2 * slots * sizeof *v->slot <= v->room);
}

/* Room for another group of new words. */
static cr_status make_room(cr__vocabulary *v, size_t words)
{
    if (v->words > WORDS_MAX - GROUP)
        return CR_ELIMIT;
    while (need_slots(v, (uint64_t)v->words + words))
        if (!grow_slots(v))
            return CR_ENOMEM;
    return grow_rows(v, v->words + words) && grow_keys(v, v->words + words) ? CR_OK : CR_ENOMEM;
}

/* Put a new word at an empty slot. */
static cr_status add_word(cr__vocabulary *v, size_t at, const char *bytes, const cr__token *term)
{
    if (v->text_size > UINT32_MAX - (size_t)term->length)
        return CR_ELIMIT;
    if (!cr__grow(&v->text, &v->text_capacity, v->text_size + term->length + HEAD, 1))
        return CR_ENOMEM;
    memcpy(v->text + v->text_size, bytes, term->length);
    if (v->sparse)
        v->row[v->words] = (cr__word_row){0};
    v->key[v->words] = (cr__word_key){term->hash, (uint32_t)v->text_size, term->length};
    v->text_size += term->length;
    v->slot[at] = (cr__word_slot){head_of(bytes, term->length), mark_of(term), ++v->words};
    return CR_OK;
}

/* Walk from the word's slot to the one that has its head and mark, else to the empty one that ends
 * the probe sequence. */
static inline size_t walk(const cr__vocabulary *v, size_t at, uint64_t head, uint32_t mark)
{
    const size_t mask = ((size_t)1 << v->slot_bits) - 1;

    while (v->slot[at].row != 0 && (v->slot[at].head != head || v->slot[at].mark != mark))
        at = (at + 1) & mask;
    return at;
}

static cr_status find_or_add(cr__vocabulary *v, const char *bytes, const cr__token *term,
                             uint32_t *row)
{
    const size_t mask = ((size_t)1 << v->slot_bits) - 1;
    const uint64_t head = head_of(bytes, term->length);
    size_t at = walk(v, first_slot(v, term->hash), head, mark_of(term));
    cr_status st = CR_OK;

    while (v->slot[at].row != 0 && term->length > HEAD &&
           !key_is(v, &v->key[v->slot[at].row - 1], bytes, term))
        at = walk(v, (at + 1) & mask, head, mark_of(term));
    if (v->slot[at].row == 0)
        st = add_word(v, at, bytes, term);
    *row = v->slot[at].row - 1;
    return st;
}

static inline void fetch_slot(const cr__vocabulary *v, const cr__token *term)
{
    __builtin_prefetch(&v->slot[first_slot(v, term->hash)]);
}

/* A group: find the words' rows, prefetching the slots of later words, of which there are `left`
 * with those of the group, and the keys of long words; then compare those. Words not found this way
 * are new, or nearly the same as another word. */
static cr_status find_group(cr__vocabulary *v, const char *text, const cr__token *term, size_t n,
                            size_t left, uint32_t *row)
{
    cr_status st = make_room(v, n);

    if (st != CR_OK)
        return st;
    for (size_t i = 0; i < n; i++) {
        const uint64_t head = head_of(text + term[i].start, term[i].length);

        if (i + FIND_AHEAD < left)
            fetch_slot(v, &term[i + FIND_AHEAD]);
        row[i] = v->slot[walk(v, first_slot(v, term[i].hash), head, mark_of(&term[i]))].row;
        if (term[i].length > HEAD && row[i] != NONE)
            __builtin_prefetch(&v->key[row[i] - 1]);
    }
    for (size_t i = 0; i < n && st == CR_OK; i++) {
        const char *bytes = text + term[i].start;

        if (row[i] != NONE &&
            (term[i].length <= HEAD || key_is(v, &v->key[row[i] - 1], bytes, &term[i])))
            row[i]--;
        else
            st = find_or_add(v, bytes, &term[i], &row[i]);
    }
    return st;
}

cr_status cr__vocabulary_find(cr__vocabulary *v, const char *text, const cr__token *term, size_t n,
                              uint32_t *row)
{
    cr_status st = CR_OK;

    for (size_t i = 0; i < n && i < FIND_AHEAD && v->slot_bits > 0; i++)
        fetch_slot(v, &term[i]);
    for (size_t i = 0; i < n && st == CR_OK; i += GROUP)
        st = find_group(v, text, term + i, n - i < GROUP ? n - i : GROUP, n - i, row + i);
    return st;
}

/* --- counting -------------------------------------------------------------------------------- */

/* Convert packed counts to an array, or to a longer one, with all classes met so far. */
static int widen(cr__vocabulary *v, cr__word_row *row)
{
    const uint32_t met = (v->last_class | (LINE_CELLS / 2 - 1)) + 1;
    const uint32_t classes = met < 2 * row->classes ? 2 * row->classes : met;
    uint32_t *wide = wide_counts(v, classes);

    if (wide == NULL)
        return 0;
    for (size_t i = 0; i < cr__word_places(row); i++) {
        uint32_t c;
        const cr__word_count n = cr__word_count_at(row, i, &c);

        if (n.terms > 0) {
            wide[c] = n.terms;
            wide[classes + c] = n.terms - n.documents;
        }
    }
    row->count.wide = wide;
    row->classes = classes;
    return 1;
}

/* One more term, and one more document when it is the first in this one. */
static cr_status count_wide(cr__vocabulary *v, cr__word_row *row, uint32_t class_code,
                            uint32_t first)
{
    if (class_code >= row->classes && !widen(v, row))
        return CR_ENOMEM;
    if (!first)
        row->count.wide[row->classes + class_code]++;
    return ++row->count.wide[class_code] == 0 ? CR_ELIMIT : CR_OK;
}

/* The cell of a class, else the first empty one, else NULL. All four are compared without branches:
 * which one matches cannot be predicted, and mispredictions cost more. */
static inline uint64_t *find_packed(cr__word_row *row, uint32_t class_code)
{
    uint64_t *const cell = row->count.packed;
    const unsigned same = (cell[0] >> CR__PACK_CLASS_SHIFT == class_code) |
                          (unsigned)(cell[1] >> CR__PACK_CLASS_SHIFT == class_code) << 1 |
                          (unsigned)(cell[2] >> CR__PACK_CLASS_SHIFT == class_code) << 2 |
                          (unsigned)(cell[3] >> CR__PACK_CLASS_SHIFT == class_code) << 3;
    const unsigned empty = (cell[0] == 0) | (unsigned)(cell[1] == 0) << 1 |
                           (unsigned)(cell[2] == 0) << 2 | (unsigned)(cell[3] == 0) << 3;
    const unsigned either = same != 0 ? same : empty;

    return either == 0 ? NULL : &cell[__builtin_ctz(either)];
}

static cr_status count_word(cr__vocabulary *v, cr__word_row *row, uint32_t class_code,
                            uint32_t document)
{
    const uint32_t first = row->seen != document;
    const uint64_t one = (uint64_t)1 << CR__PACK_TERMS_SHIFT | first;
    uint64_t *cell;

    row->seen = document;
    if (row->classes > 0)
        return count_wide(v, row, class_code, first);
    cell = find_packed(row, class_code);
    if (cell == NULL || (*cell >> CR__PACK_TERMS_SHIFT & CR__PACK_MASK) == CR__PACK_MASK)
        return widen(v, row) ? count_wide(v, row, class_code, first) : CR_ENOMEM;
    *cell += *cell == 0 ? ((uint64_t)class_code << CR__PACK_CLASS_SHIFT) + one : one;
    return CR_OK;
}

/* The same for a document that counts several times, which is rare: the counts are wide. */
static cr_status count_word_times(cr__vocabulary *v, cr__word_row *row, uint32_t class_code,
                                  uint32_t document, uint32_t times)
{
    const uint32_t first = row->seen != document;
    uint32_t *terms;

    row->seen = document;
    if (class_code >= row->classes && !widen(v, row))
        return CR_ENOMEM;
    terms = &row->count.wide[class_code];
    if (*terms > UINT32_MAX - times)
        return CR_ELIMIT;
    *terms += times;
    terms[row->classes] += first ? 0 : times;
    return CR_OK;
}

/* Convert dense rows to sparse ones. CR_ENOMEM: nothing that matters has changed. */
static cr_status become_sparse(cr__vocabulary *v)
{
    cr__pages_free(&v->row_room);
    if (!cr__pages_fit(&v->row_room, v->dense.rows, sizeof *v->row))
        return CR_ENOMEM;
    v->row = v->row_room.at;
    v->row_capacity = v->dense.rows;
    for (uint32_t i = 0; i < v->words; i++)
        for (uint32_t c = 0; c < v->dense.codes; c++) {
            const cr__word_count n = cr__dense_at(&v->dense, i, c);
            cr__word_row *row = &v->row[i];
            uint64_t *cell = row->classes > 0 ? NULL : find_packed(row, c);

            if (n.terms == 0)
                continue;
            if (cell != NULL && n.terms <= CR__PACK_MASK) {
                *cell = (uint64_t)c << CR__PACK_CLASS_SHIFT |
                        (uint64_t)n.terms << CR__PACK_TERMS_SHIFT | n.documents;
                continue;
            }
            if (c >= row->classes && !widen(v, row))
                return CR_ENOMEM;
            row->count.wide[c] = n.terms;
            row->count.wide[row->classes + c] = n.terms - n.documents;
        }
    cr__dense_free(&v->dense);
    v->sparse = 1;
    return CR_OK;
}

/* Room for a class, of which there may be too many now for dense rows. */
static cr_status meet_class(cr__vocabulary *v, uint32_t class_code)
{
    if (class_code >= CLASS_MAX)
        return CR_ELIMIT;
    if (class_code > v->last_class)
        v->last_class = class_code;
    if (v->sparse || class_code < v->dense.codes)
        return CR_OK;
    if (class_code >= CR__DENSE_CODES)
        return become_sparse(v);
    return cr__dense_fit(&v->dense, v->words, v->dense.rows, class_code + 1) ? CR_OK : CR_ENOMEM;
}

/* After 2^32 - 1 documents the numbers start again: no word may keep an old one. */
static uint32_t next_document(cr__vocabulary *v)
{
    if (++v->documents == 0) {
        for (uint32_t i = 0; v->sparse && i < v->words; i++)
            v->row[i].seen = 0;
        cr__dense_forget(&v->dense, v->sparse ? 0 : v->words);
        v->documents = 1;
    }
    return v->documents;
}

cr_status cr__vocabulary_count(cr__vocabulary *v, const uint32_t *row, size_t n,
                               uint32_t class_code)
{
    const uint32_t document = next_document(v);
    cr_status st = meet_class(v, class_code);

    if (st == CR_OK && !v->sparse)
        return cr__dense_count(&v->dense, row, n, class_code, document);
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
    cr_status st = meet_class(v, class_code);

    if (st == CR_OK && !v->sparse)
        return cr__dense_count_times(&v->dense, row, n, class_code, document, times);
    for (size_t i = 0; i < n && st == CR_OK; i++)
        st = count_word_times(v, &v->row[row[i]], class_code, document, times);
    return st;
}

/* --- pruning --------------------------------------------------------------------------------- */

static uint64_t row_terms(const cr__vocabulary *v, uint32_t row)
{
    uint64_t terms = 0;
    uint32_t c;

    for (size_t i = 0; i < cr__vocabulary_places(v, row); i++)
        terms += cr__vocabulary_count_at(v, row, i, &c).terms;
    return terms;
}

/* The least number of occurrences that a word must have so that at most `keep` words remain. */
static uint64_t least_terms(const cr__vocabulary *v, size_t keep)
{
    enum { MOST = 1 << 12 };
    size_t have[MOST + 1] = {0}, left = v->words;
    uint64_t least = 1;

    for (uint32_t i = 0; i < v->words; i++) {
        const uint64_t terms = row_terms(v, i);
        have[terms < MOST ? terms : MOST]++;
    }
    while (left > keep && least < MOST)
        left -= have[least++];
    return least;
}

static cr_status copy_row(cr__vocabulary *to, const cr__vocabulary *from, uint32_t number)
{
    const cr__word_row *row;
    const cr__word_key *key = &from->key[number];
    const cr__token term = {.hash = key->hash, .length = key->length};
    uint32_t at;
    cr_status st = make_room(to, 1);

    if (st == CR_OK)
        st = find_or_add(to, from->text + key->start, &term, &at);
    if (st != CR_OK)
        return st;
    if (!to->sparse) {
        cr__dense_copy(&to->dense, at, &from->dense, number);
        return CR_OK;
    }
    row = &from->row[number];
    to->row[at] = *row;
    if (row->classes == 0)
        return CR_OK;
    if ((to->row[at].count.wide = wide_counts(to, row->classes)) == NULL)
        return CR_ENOMEM;
    memcpy(to->row[at].count.wide, row->count.wide, 2 * row->classes * sizeof *row->count.wide);
    return CR_OK;
}

cr_status cr__vocabulary_prune(cr__vocabulary *v, size_t bytes)
{
    const size_t used = cr__vocabulary_bytes(v);
    const double share = used <= bytes ? 1 : (double)bytes / (double)used;
    const uint64_t least = used <= bytes ? 1 : least_terms(v, (size_t)((double)v->words * share));
    cr__vocabulary kept = {.room = v->room,
                           .last_class = v->last_class,
                           .documents = v->documents,
                           .sparse = v->sparse,
                           .pruned = v->pruned,
                           .pruned_terms = v->pruned_terms,
                           .pruned_most = v->pruned_most};
    cr_status st = CR_OK;

    if (least == 1)
        return CR_OK;
    if (!v->sparse && !cr__dense_fit(&kept.dense, 0, GROUP, v->dense.codes))
        return CR_ENOMEM;
    for (uint32_t i = 0; st == CR_OK && i < v->words; i++) {
        const uint64_t terms = row_terms(v, i);

        if (terms >= least) {
            st = copy_row(&kept, v, i);
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
