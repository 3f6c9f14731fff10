/* stats/bag_sum.c - the sum of bags, each added or subtracted, in one walk.
 *
 * All bags have their words in the same order, so the walk repeatedly takes the lowest of the next
 * words. Runs of words that only one bag has are copied as a whole, which is most of the work when
 * a small bag is subtracted from a large one; the counts of the others are summed by class.
 */
#include <string.h>

#include "base/memory.h"
#include "stats/bag.h"

/* A bag during the walk. */
typedef struct side {
    cr__bag_part from;
    size_t next; /* the word that it has reached */
    int copies;  /* it is added, and its classes are in the same order in the sum */
} side;

/* What a word has in a class. */
typedef struct tally {
    int64_t terms, documents, weight;
} tally;

typedef struct walk {
    cr__bag *out;
    side *side;
    size_t sides;
    const side *first; /* the first that has words: its frozen frequencies count */
    size_t bytes;      /* of out's words */
    tally *tally;      /* [classes], */
    uint64_t *used;    /* [classes / 64 + 1] and a bit for each of them that is in use */
    cr_status status;
} walk;

/* --- room ------------------------------------------------------------------------------------ */

static int keeps_order(const cr__bag_part *part)
{
    uint32_t last = 0;

    for (size_t c = 0; c < part->bag->classes; c++) {
        if (part->bag->documents[c] == 0)
            continue;
        if (part->map[c] < last)
            return 0;
        last = part->map[c] + 1;
    }
    return 1;
}

static int open_sides(walk *w, const cr__bag_part *part)
{
    if ((w->side = cr__alloc_zero(w->sides, sizeof *w->side)) == NULL)
        return 0;
    for (size_t i = 0; i < w->sides; i++) {
        w->side[i] = (side){.from = part[i], .copies = part[i].sign > 0 && keeps_order(&part[i])};
        if (w->first == NULL && part[i].bag->words > 0)
            w->first = &w->side[i];
    }
    return 1;
}

/* Sums of weights may be added when all were weighted by the same frozen frequencies: their
 * existence is checked here, their values during the walk. */
static int all_weighted_alike(const walk *w)
{
    for (size_t i = 0; i < w->sides; i++) {
        const cr__bag *bag = w->side[i].from.bag, *first = w->first->from.bag;

        if (bag->words > 0 &&
            ((bag->frozen == NULL) != (first->frozen == NULL) ||
             (bag->frozen != NULL && bag->frozen_documents != first->frozen_documents)))
            return 0;
    }
    return 1;
}

/* Room for the words of all bags and the cells of those that are added: subtracted bags bring none.
 * Memory that is not used is never touched. */
static int make_room(walk *w, size_t classes)
{
    cr__bag *out = w->out;
    size_t words = 0, cells = 0, bytes = 0;
    int weighted = 0;

    for (size_t i = 0; i < w->sides; i++) {
        const cr__bag *bag = w->side[i].from.bag;

        words += bag->words;
        cells += w->side[i].from.sign > 0 ? bag->cells : 0;
        bytes += bag->words == 0 ? 0 : bag->end[bag->words - 1];
        weighted |= bag->weight != NULL || bag->frozen != NULL;
    }
    out->hash = cr__alloc(words, sizeof *out->hash);
    out->end = cr__alloc(words, sizeof *out->end);
    out->bytes = cr__alloc(bytes, 1);
    out->row = cr__alloc(words + 1, sizeof *out->row);
    out->cell = cr__alloc(cells, sizeof *out->cell);
    out->documents = cr__alloc_zero(classes, sizeof *out->documents);
    out->weight = weighted ? cr__alloc(cells, sizeof *out->weight) : NULL;
    out->frozen = weighted ? cr__alloc(words, sizeof *out->frozen) : NULL;
    w->tally = cr__alloc_zero(classes, sizeof *w->tally);
    w->used = cr__alloc_zero(classes / 64 + 1, sizeof *w->used);
    if (out->hash == NULL || out->end == NULL || out->bytes == NULL || out->row == NULL ||
        out->cell == NULL || out->documents == NULL || w->tally == NULL || w->used == NULL ||
        (weighted && (out->weight == NULL || out->frozen == NULL)))
        return 0;
    out->row[0] = 0;
    return 1;
}

/* Release unused memory; a block that cannot be shrunk does no harm. */
static void trim(void *array, size_t count, size_t size)
{
    void **at = array;
    void *less = *at == NULL ? NULL : cr__realloc(*at, count, size);

    if (less != NULL)
        *at = less;
}

static void give_back(walk *w)
{
    cr__bag *out = w->out;

    trim(&out->hash, out->words, sizeof *out->hash);
    trim(&out->end, out->words, sizeof *out->end);
    trim(&out->bytes, w->bytes, 1);
    trim(&out->row, out->words + 1, sizeof *out->row);
    trim(&out->cell, out->cells, sizeof *out->cell);
    if (out->words > 0) {
        trim(&out->weight, out->cells, sizeof *out->weight);
        trim(&out->frozen, out->words, sizeof *out->frozen);
        return;
    }
    cr__free(out->weight);
    cr__free(out->frozen);
    out->weight = NULL;
    out->frozen = NULL;
}

/* --- words of one bag ------------------------------------------------------------------------ */

static void copy_weights(const walk *w, const side *from, uint64_t cell, size_t n)
{
    int64_t *to = w->out->weight == NULL ? NULL : w->out->weight + w->out->cells;

    if (to != NULL && from->from.bag->weight != NULL)
        memcpy(to, from->from.bag->weight + cell, n * sizeof *to);
    else if (to != NULL)
        memset(to, 0, n * sizeof *to);
}

/* Only the first bag has words with a frozen frequency that another lacks. */
static void copy_frozen(walk *w, const side *from, size_t word, size_t n)
{
    const uint32_t *frozen = from->from.bag->frozen;

    for (size_t i = 0; w->out->frozen != NULL && i < n; i++) {
        const uint32_t frequency = frozen == NULL ? 0 : frozen[word + i];

        if (frequency != 0 && from != w->first)
            w->status = CR_EARG;
        w->out->frozen[w->out->words + i] = frequency;
    }
}

static int fits(walk *w, size_t bytes)
{
    if (w->bytes > UINT32_MAX - bytes)
        w->status = CR_ELIMIT;
    return w->status == CR_OK;
}

/* Words first <= i < last, with their cells, as they are. */
static void copy_words(walk *w, const side *from, size_t first, size_t last)
{
    const cr__bag *bag = from->from.bag;
    cr__bag *out = w->out;
    const size_t n = last - first, start = first == 0 ? 0 : bag->end[first - 1];
    const size_t bytes = bag->end[last - 1] - start;
    const uint64_t cell = bag->row[first], cells = bag->row[last] - cell;

    if (!fits(w, bytes))
        return;
    copy_weights(w, from, cell, cells);
    copy_frozen(w, from, first, n);
    memcpy(out->hash + out->words, bag->hash + first, n * sizeof *out->hash);
    if (bytes > 0)
        memcpy(out->bytes + w->bytes, bag->bytes + start, bytes);
    for (size_t i = 0; i < n; i++) {
        out->end[out->words + i] = (uint32_t)(bag->end[first + i] - start + w->bytes);
        out->row[out->words + i + 1] = bag->row[first + i + 1] - cell + out->cells;
    }
    for (uint64_t i = 0; i < cells; i++) {
        out->cell[out->cells + i] = bag->cell[cell + i];
        out->cell[out->cells + i].class_index = from->from.map[bag->cell[cell + i].class_index];
    }
    out->words += n;
    out->cells += cells;
    w->bytes += bytes;
}

/* --- words of several ------------------------------------------------------------------------ */

static void add_cells(walk *w, const cr__bag_part *part, size_t word)
{
    const cr__bag *bag = part->bag;
    const int64_t sign = part->sign;

    for (uint64_t i = bag->row[word]; i < bag->row[word + 1]; i++) {
        const uint32_t c = part->map[bag->cell[i].class_index];
        tally *t = &w->tally[c];

        w->used[c / 64] |= (uint64_t)1 << c % 64;
        t->terms += sign * (int64_t)bag->cell[i].terms;
        t->documents += sign * (int64_t)bag->cell[i].documents;
        t->weight += bag->weight == NULL ? 0 : sign * bag->weight[i];
    }
}

/* A class without terms has no documents and no weight either. */
static int makes_sense(const tally *t)
{
    return t->terms >= 0 && t->documents >= 0 && t->documents <= UINT32_MAX &&
           t->documents <= t->terms && (t->terms == 0) == (t->documents == 0) &&
           (t->terms > 0 || t->weight == 0);
}

/* Write the remaining cells, by class, and clear the tallies. */
static void take_cells(walk *w)
{
    cr__bag *out = w->out;

    for (size_t block = 0; block < out->classes / 64 + 1; block++)
        for (; w->used[block] != 0; w->used[block] &= w->used[block] - 1) {
            const uint32_t c = (uint32_t)(block * 64) + (uint32_t)__builtin_ctzll(w->used[block]);
            tally *t = &w->tally[c];

            if (!makes_sense(t))
                w->status = CR_ECONFLICT;
            if (w->status == CR_OK && t->terms > 0) {
                if (out->weight != NULL)
                    out->weight[out->cells] = t->weight;
                out->cell[out->cells++] =
                    (cr__bag_cell){c, (uint32_t)t->documents, (uint64_t)t->terms};
            }
            *t = (tally){0};
        }
}

/* Write a word whose cells are there. One without cells is dropped, unless it has a frozen
 * frequency. */
static void end_word(walk *w, uint64_t hash, const char *word, size_t length, uint32_t frozen)
{
    cr__bag *out = w->out;

    if ((out->cells == out->row[out->words] && frozen == 0) || !fits(w, length))
        return;
    if (length > 0)
        memcpy(out->bytes + w->bytes, word, length);
    w->bytes += length;
    if (out->frozen != NULL)
        out->frozen[out->words] = frozen;
    out->hash[out->words] = hash;
    out->end[out->words] = (uint32_t)w->bytes;
    out->row[++out->words] = out->cells;
}

/* The next word of a bag when it has this hash, else NULL. */
static const char *next_of(const side *s, uint64_t hash, size_t *length)
{
    const cr__bag *bag = s->from.bag;

    return s->next < bag->words && bag->hash[s->next] == hash ? cr__bag_word(bag, s->next, length)
                                                              : NULL;
}

/* Sum the first of the words that have this hash, over all bags that have it. */
static void sum_word(walk *w, uint64_t hash)
{
    const char *word = NULL, *own;
    size_t length = 0, size;
    uint32_t frozen = 0;

    for (const side *s = w->side; s < w->side + w->sides; s++)
        if ((own = next_of(s, hash, &size)) != NULL &&
            (word == NULL || cr__word_compare(own, size, word, length) < 0)) {
            word = own;
            length = size;
        }
    for (side *s = w->side; s < w->side + w->sides; s++) {
        const uint32_t *frequency = s->from.bag->frozen;

        if ((own = next_of(s, hash, &size)) == NULL ||
            cr__word_compare(own, size, word, length) != 0)
            continue;
        add_cells(w, &s->from, s->next);
        if (s == w->first && frequency != NULL)
            frozen = frequency[s->next];
        else if (frequency != NULL && frequency[s->next] != frozen)
            w->status = CR_EARG;
        s->next++;
    }
    take_cells(w);
    end_word(w, hash, word, length, frozen);
}

/* --- the walk -------------------------------------------------------------------------------- */

/* The bag whose next word has the lowest hash, and the lowest hash of the others': *alone says that
 * there is none. NULL at the end. */
static side *find_lowest(const walk *w, uint64_t *others, int *alone)
{
    side *lowest = NULL;

    *alone = 1;
    *others = UINT64_MAX;
    for (side *s = w->side; s < w->side + w->sides; s++) {
        const cr__bag *bag = s->from.bag;
        uint64_t hash;

        if (s->next == bag->words)
            continue;
        hash = bag->hash[s->next];
        if (lowest == NULL) {
            lowest = s;
            continue;
        }
        *alone = 0;
        if (hash < lowest->from.bag->hash[lowest->next]) {
            hash = lowest->from.bag->hash[lowest->next];
            lowest = s;
        }
        if (hash < *others)
            *others = hash;
    }
    return lowest;
}

/* Copy all words of a bag before the next hash of another bag. */
static void take_run(walk *w, side *s, uint64_t others, int alone)
{
    const cr__bag *bag = s->from.bag;
    size_t last = s->next;

    while (last < bag->words && (alone || bag->hash[last] < others))
        last++;
    copy_words(w, s, s->next, last);
    s->next = last;
}

static void sum_words(walk *w)
{
    uint64_t others;
    int alone;
    side *lowest;

    while (w->status == CR_OK && (lowest = find_lowest(w, &others, &alone)) != NULL) {
        const uint64_t hash = lowest->from.bag->hash[lowest->next];

        if (lowest->copies && (alone || hash < others))
            take_run(w, lowest, others, alone);
        else
            sum_word(w, hash);
    }
}

/* Texts of each class: additions first, so that nothing is below 0 in between. */
static cr_status sum_documents(const walk *w, int sign)
{
    uint64_t *sum = w->out->documents;

    for (size_t i = 0; i < w->sides; i++) {
        const cr__bag_part *part = &w->side[i].from;

        for (size_t c = 0; part->sign == sign && c < part->bag->classes; c++) {
            const uint64_t n = part->bag->documents[c];

            if (n == 0) /* the class may be gone, and have no place in map */
                continue;
            if (sign < 0 && sum[part->map[c]] < n)
                return CR_ECONFLICT;
            sum[part->map[c]] += sign > 0 ? n : -n;
        }
    }
    return CR_OK;
}

/* No word is in more documents of a class than the class has. */
static cr_status check_documents(const cr__bag *bag)
{
    for (size_t i = 0; i < bag->cells; i++)
        if (bag->cell[i].documents > bag->documents[bag->cell[i].class_index])
            return CR_ECONFLICT;
    return CR_OK;
}

cr_status cr__bag_sum(cr__bag *out, const cr__bag_part *part, size_t parts, size_t classes)
{
    walk w = {.out = out, .sides = parts};
    cr_status st;

    *out = (cr__bag){.classes = classes};
    st = open_sides(&w, part) && make_room(&w, classes) ? CR_OK : CR_ENOMEM;
    if (st == CR_OK && w.first != NULL && !all_weighted_alike(&w))
        st = CR_EARG;
    if (st == CR_OK) {
        sum_words(&w);
        st = w.status;
    }
    if (st == CR_OK && (st = sum_documents(&w, 1)) == CR_OK &&
        (st = sum_documents(&w, -1)) == CR_OK)
        st = check_documents(out);
    for (size_t i = 0; i < parts && out->frozen_documents == 0; i++)
        out->frozen_documents = part[i].bag->frozen_documents;
    give_back(&w);
    cr__free(w.side);
    cr__free(w.tally);
    cr__free(w.used);
    if (st != CR_OK)
        cr__bag_free(out);
    return st;
}
