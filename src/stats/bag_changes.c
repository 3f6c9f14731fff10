/* stats/bag_changes.c - a table of the words that texts have touched, with differences by class.
 *
 * Texts that go are checked as cr__bag_sum() checks them: no count falls below 0, and no word is in
 * more documents of a class than the class has. For the latter it is known how many words are in
 * how many documents; that is counted when the first text goes.
 */
#include "stats/bag_changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What texts have added to a word in a class. */
typedef struct change {
    uint32_t class_index;
    uint32_t next; /* of the same word, + 1; 0: none */
    int64_t terms, documents;
} change;

typedef struct touched {
    uint64_t hash;
    uint32_t start, length; /* of its bytes */
    uint32_t word;          /* of the bag; UINT32_MAX: it is new */
    uint32_t first;         /* change, + 1; 0: none */
} touched;

struct cr__bag_changes {
    const cr__bag *bag;
    cr__words words; /* of the bag, */
    uint32_t *index; /* and their index */
    uint32_t *slot;  /* [2^slot_bits] touched words, + 1; 0: empty */
    uint32_t slot_bits;
    touched *touched;
    size_t count, capacity;
    char *bytes;
    size_t size, bytes_capacity;
    change *change;
    size_t changes, change_capacity;
    int64_t *documents;    /* [classes] that came, less those that went */
    uint32_t **words_in;   /* [classes] words that are in so many documents; NULL: not counted */
    size_t *words_in_room; /* [classes] */
    int64_t *total[2];     /* [classes] by cr__bag_count, of all words; NULL: not counted */
    int64_t words_more;    /* and words that there are now beyond those of the bag */
    uint64_t *spectrum;    /* words and classes together in so many documents; NULL: not counted */
    size_t spectrum_room;
};

enum { SLOT_BITS = 8 };

/* The number of a word of the bag that no text has touched: this, and its number there. */
#define UNTOUCHED ((uint32_t)1 << 31)

/* --- making ----------------------------------------------------------------------------------- */

static void forget_words_in(cr__bag_changes *c)
{
    for (size_t k = 0; c->words_in != NULL && k < c->bag->classes; k++)
        cr__free(c->words_in[k]);
    cr__free(c->words_in);
    cr__free(c->words_in_room);
    c->words_in = NULL;
    c->words_in_room = NULL;
}

void cr__bag_changes_free(cr__bag_changes *c)
{
    if (c == NULL)
        return;
    forget_words_in(c);
    cr__free(c->index);
    cr__free(c->slot);
    cr__free(c->touched);
    cr__free(c->bytes);
    cr__free(c->change);
    cr__free(c->documents);
    cr__free(c->total[CR__BAG_TERMS]);
    cr__free(c->total[CR__BAG_DOCUMENTS]);
    cr__free(c->spectrum);
    cr__free(c);
}

cr__bag_changes *cr__bag_changes_new(const cr__bag *bag)
{
    cr__bag_changes *c = cr__alloc_zero(1, sizeof *c);
    const uint32_t bits = cr__words_index_bits(bag->words);

    if (c == NULL)
        return NULL;
    c->bag = bag;
    c->slot_bits = SLOT_BITS;
    c->index = cr__alloc(((size_t)1 << bits) + 1, sizeof *c->index);
    c->slot = cr__alloc_zero((size_t)1 << SLOT_BITS, sizeof *c->slot);
    c->documents = cr__alloc_zero(bag->classes, sizeof *c->documents);
    if (c->index == NULL || c->slot == NULL || c->documents == NULL) {
        cr__bag_changes_free(c);
        return NULL;
    }
    c->words = (cr__words){.words = bag->words,
                           .hash = bag->hash,
                           .end = bag->end,
                           .bytes = bag->bytes,
                           .index = c->index,
                           .index_bits = bits};
    cr__words_make_index(&c->words, c->index);
    return c;
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *bytes_of(const cr__bag_changes *c, const touched *t)
{
    return c->bytes + t->start;
}

/* The slot of a word, or the empty one where it belongs. */
static uint32_t *find_slot(const cr__bag_changes *c, uint64_t hash, const char *word, size_t length)
{
    const size_t mask = ((size_t)1 << c->slot_bits) - 1;
    size_t at = hash & mask;

    for (; c->slot[at] != 0; at = (at + 1) & mask) {
        const touched *t = &c->touched[c->slot[at] - 1];

        if (t->hash == hash && t->length == length && memcmp(bytes_of(c, t), word, length) == 0)
            break;
    }
    return &c->slot[at];
}

/* Twice as many slots. */
static cr_status widen(cr__bag_changes *c)
{
    uint32_t *old = c->slot;

    if ((c->slot = cr__alloc_zero((size_t)2 << c->slot_bits, sizeof *c->slot)) == NULL) {
        c->slot = old;
        return CR_ENOMEM;
    }
    cr__free(old);
    c->slot_bits++;
    for (size_t i = 0; i < c->count; i++) {
        const touched *t = &c->touched[i];

        *find_slot(c, t->hash, bytes_of(c, t), t->length) = (uint32_t)i + 1;
    }
    return CR_OK;
}

static cr_status find_word(cr__bag_changes *c, uint64_t hash, const char *word, size_t length,
                           uint32_t *number)
{
    uint32_t *slot;

    if (2 * (c->count + 1) > (size_t)1 << c->slot_bits && widen(c) != CR_OK)
        return CR_ENOMEM;
    slot = find_slot(c, hash, word, length);
    if (*slot != 0) {
        *number = *slot - 1;
        return CR_OK;
    }
    if (length > UINT32_MAX - c->size || c->count >= UINT32_MAX / 4)
        return CR_ELIMIT;
    if (!cr__grow(&c->bytes, &c->bytes_capacity, c->size + length + 1, 1) ||
        !cr__grow(&c->touched, &c->capacity, c->count + 1, sizeof *c->touched))
        return CR_ENOMEM;
    memcpy(c->bytes + c->size, word, length);
    c->touched[c->count] = (touched){.hash = hash,
                                     .start = (uint32_t)c->size,
                                     .length = (uint32_t)length,
                                     .word = cr__words_find(&c->words, hash, word, length)};
    c->size += length;
    *number = (uint32_t)c->count++;
    *slot = *number + 1;
    return CR_OK;
}

cr_status cr__bag_changes_find(cr__bag_changes *c, const char *text, const cr__token *token,
                               size_t n, uint32_t *number)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++)
        st = find_word(c, token[i].hash, text + token[i].start, token[i].length, &number[i]);
    return st;
}

size_t cr__bag_changes_look(const cr__bag_changes *c, const char *text, const cr__token *token,
                            size_t n, uint32_t *number)
{
    size_t kept = 0;

    cr__words_find_each(&c->words, text, token, n, number);
    for (size_t i = 0; i < n; i++) {
        const uint32_t word = number[i];
        const uint32_t slot = *find_slot(c, token[i].hash, text + token[i].start, token[i].length);

        if (slot != 0)
            number[kept++] = slot - 1;
        else if (word != UINT32_MAX)
            number[kept++] = UNTOUCHED | word;
    }
    return kept;
}

/* --- counts ----------------------------------------------------------------------------------- */

static change *change_of(const cr__bag_changes *c, const touched *t, size_t class_index)
{
    uint32_t at = t->first;

    while (at != 0 && c->change[at - 1].class_index != class_index)
        at = c->change[at - 1].next;
    return at == 0 ? NULL : &c->change[at - 1];
}

/* A word's counts in a class as they are now. */
static void count_of(const cr__bag_changes *c, uint32_t number, size_t class_index, int64_t *terms,
                     int64_t *documents)
{
    const cr__bag *bag = c->bag;
    const touched *t = &c->touched[number];
    const change *x = change_of(c, t, class_index);

    *terms = x == NULL ? 0 : x->terms;
    *documents = x == NULL ? 0 : x->documents;
    for (uint64_t i = t->word == UINT32_MAX ? 0 : bag->row[t->word];
         t->word != UINT32_MAX && i < bag->row[t->word + 1]; i++)
        if (bag->cell[i].class_index == class_index) {
            *terms += (int64_t)bag->cell[i].terms;
            *documents += bag->cell[i].documents;
            return;
        }
}

const char *cr__bag_changes_word(const cr__bag_changes *c, uint32_t number, uint64_t *hash,
                                 size_t *length)
{
    const uint32_t word = number & ~UNTOUCHED;

    if (word != number) {
        *hash = c->bag->hash[word];
        return cr__bag_word(c->bag, word, length);
    }
    *hash = c->touched[number].hash;
    *length = c->touched[number].length;
    return bytes_of(c, &c->touched[number]);
}

static int64_t cell_count(const cr__bag *bag, uint64_t i, cr__bag_count what)
{
    return what == CR__BAG_TERMS ? (int64_t)bag->cell[i].terms : bag->cell[i].documents;
}

static int64_t change_count(const change *x, cr__bag_count what)
{
    return what == CR__BAG_TERMS ? x->terms : x->documents;
}

int64_t cr__bag_changes_count(const cr__bag_changes *c, cr__bag_count what, uint32_t number,
                              int64_t *count)
{
    const cr__bag *bag = c->bag;
    const touched *t = (number & UNTOUCHED) != 0 ? NULL : &c->touched[number];
    const uint32_t word = t == NULL ? number & ~UNTOUCHED : t->word;
    int64_t all = 0;

    for (uint64_t i = word == UINT32_MAX ? 0 : bag->row[word];
         word != UINT32_MAX && i < bag->row[word + 1]; i++) {
        count[bag->cell[i].class_index] += cell_count(bag, i, what);
        all += cell_count(bag, i, what);
    }
    for (uint32_t at = t == NULL ? 0 : t->first; at != 0; at = c->change[at - 1].next) {
        count[c->change[at - 1].class_index] += change_count(&c->change[at - 1], what);
        all += change_count(&c->change[at - 1], what);
    }
    return all;
}

/* How often a word occurs. */
static int64_t terms_of(const cr__bag_changes *c, uint32_t number)
{
    const cr__bag *bag = c->bag;
    const touched *t = &c->touched[number];
    int64_t all = 0;

    for (uint64_t i = t->word == UINT32_MAX ? 0 : bag->row[t->word];
         t->word != UINT32_MAX && i < bag->row[t->word + 1]; i++)
        all += (int64_t)bag->cell[i].terms;
    for (uint32_t at = t->first; at != 0; at = c->change[at - 1].next)
        all += c->change[at - 1].terms;
    return all;
}

const int64_t *cr__bag_changes_totals(cr__bag_changes *c, cr__bag_count what, uint64_t *words)
{
    const cr__bag *bag = c->bag;

    if (c->total[what] == NULL) {
        int64_t *total = cr__alloc_zero(bag->classes, sizeof *total);

        if (total == NULL)
            return NULL;
        for (size_t i = 0; i < bag->cells; i++)
            total[bag->cell[i].class_index] += cell_count(bag, i, what);
        for (size_t i = 0; i < c->changes; i++)
            total[c->change[i].class_index] += change_count(&c->change[i], what);
        c->total[what] = total;
        c->words_more = 0;
        for (size_t i = 0; i < c->count; i++)
            c->words_more += (terms_of(c, (uint32_t)i) > 0) - (c->touched[i].word != UINT32_MAX);
    }
    *words = bag->words + (uint64_t)c->words_more;
    return c->total[what];
}

/* Documents of a class. */
static int64_t documents_of(const cr__bag_changes *c, size_t class_index)
{
    return (int64_t)c->bag->documents[class_index] + c->documents[class_index];
}

/* Room to say how many words are in up to so many documents of a class, and in one more. */
static int room_for_documents(cr__bag_changes *c, size_t class_index, size_t documents)
{
    const size_t have = c->words_in_room[class_index];

    if (documents + 2 <= have)
        return 1;
    if (!cr__grow(&c->words_in[class_index], &c->words_in_room[class_index], documents + 2,
                  sizeof **c->words_in))
        return 0;
    memset(c->words_in[class_index] + have, 0,
           (c->words_in_room[class_index] - have) * sizeof **c->words_in);
    return 1;
}

/* The same of the spectrum. */
static int room_for_spectrum(cr__bag_changes *c, size_t documents)
{
    const size_t have = c->spectrum_room;

    if (documents + 2 <= have)
        return 1;
    if (!cr__grow(&c->spectrum, &c->spectrum_room, documents + 2, sizeof *c->spectrum))
        return 0;
    memset(c->spectrum + have, 0, (c->spectrum_room - have) * sizeof *c->spectrum);
    return 1;
}

/* What is in so many documents of a class now was in others before. */
static void move_in_spectrum(cr__bag_changes *c, int64_t before, int64_t now)
{
    if (before > 0)
        c->spectrum[before]--;
    if (now > 0)
        c->spectrum[now]++;
}

const uint64_t *cr__bag_changes_spectrum(cr__bag_changes *c, size_t *room)
{
    const cr__bag *bag = c->bag;
    const int counted = c->spectrum != NULL;
    int64_t most = 0, terms, documents;

    for (size_t k = 0; !counted && k < bag->classes; k++)
        most = documents_of(c, k) > most ? documents_of(c, k) : most;
    for (size_t i = 0; !counted && i < bag->cells; i++)
        most = bag->cell[i].documents > most ? bag->cell[i].documents : most;
    if (!counted && !room_for_spectrum(c, (size_t)most))
        return NULL;
    for (size_t i = 0; !counted && i < bag->cells; i++)
        c->spectrum[bag->cell[i].documents]++;
    for (size_t i = 0; !counted && i < c->count; i++)
        for (uint32_t at = c->touched[i].first; at != 0; at = c->change[at - 1].next) {
            count_of(c, (uint32_t)i, c->change[at - 1].class_index, &terms, &documents);
            move_in_spectrum(c, documents - c->change[at - 1].documents, documents);
        }
    *room = c->spectrum_room;
    return c->spectrum;
}

/* Count the words that are in so many documents, for each class: those of the bag, and then for
 * the touched ones what has changed. */
static cr_status count_words_in(cr__bag_changes *c)
{
    const cr__bag *bag = c->bag;
    int64_t terms, documents;
    int room = 1;

    c->words_in = cr__alloc_zero(bag->classes, sizeof *c->words_in);
    c->words_in_room = cr__alloc_zero(bag->classes, sizeof *c->words_in_room);
    for (size_t k = 0; c->words_in != NULL && c->words_in_room != NULL && k < bag->classes; k++)
        room &= room_for_documents(c, k, (size_t)bag->documents[k]) &&
                room_for_documents(c, k, (size_t)documents_of(c, k));
    if (c->words_in == NULL || c->words_in_room == NULL || !room) {
        forget_words_in(c);
        return CR_ENOMEM;
    }
    for (size_t i = 0; i < bag->cells; i++)
        c->words_in[bag->cell[i].class_index][bag->cell[i].documents]++;
    for (size_t i = 0; i < c->count; i++)
        for (uint32_t at = c->touched[i].first; at != 0; at = c->change[at - 1].next) {
            const change *x = &c->change[at - 1];

            count_of(c, (uint32_t)i, x->class_index, &terms, &documents);
            c->words_in[x->class_index][documents - x->documents]--;
            c->words_in[x->class_index][documents]++;
        }
    return CR_OK;
}

static size_t run_length(const uint32_t *number, size_t n, size_t i)
{
    size_t run = 1;

    while (i + run < n && number[i + run] == number[i])
        run++;
    return run;
}

/* Whether each word can be taken from the class so often, and each word that all documents of the
 * class have is among them. */
static int can_lose(const cr__bag_changes *c, const uint32_t *number, size_t n, size_t class_index)
{
    const int64_t all = documents_of(c, class_index);
    uint32_t everywhere = 0;

    if (all < 1)
        return 0;
    for (size_t i = 0, run; i < n; i += run) {
        int64_t terms, documents;

        run = run_length(number, n, i);
        count_of(c, number[i], class_index, &terms, &documents);
        everywhere += documents == all;
        terms -= (int64_t)run;
        documents--;
        if (terms < 0 || documents < 0 || documents > terms || (terms == 0) != (documents == 0))
            return 0;
    }
    return everywhere == c->words_in[class_index][all];
}

static int can_gain(const cr__bag_changes *c, const uint32_t *number, size_t n, size_t class_index)
{
    for (size_t i = 0; i < n; i++) {
        int64_t terms, documents;

        count_of(c, number[i], class_index, &terms, &documents);
        if (documents >= UINT32_MAX || terms > INT64_MAX / 2)
            return 0;
    }
    return 1;
}

cr_status cr__bag_changes_ready(cr__bag_changes *c, const uint32_t *number, size_t n,
                                size_t class_index, int sign)
{
    if (!cr__grow(&c->change, &c->change_capacity, c->changes + n, sizeof *c->change) ||
        c->changes + n >= UINT32_MAX)
        return CR_ENOMEM;
    if (sign < 0 && c->words_in == NULL && count_words_in(c) != CR_OK)
        return CR_ENOMEM;
    if (c->words_in != NULL &&
        !room_for_documents(c, class_index, (size_t)documents_of(c, class_index) + 1))
        return CR_ENOMEM;
    if (c->spectrum != NULL && !room_for_spectrum(c, (size_t)documents_of(c, class_index) + 1))
        return CR_ENOMEM;
    return (sign < 0 ? can_lose : can_gain)(c, number, n, class_index) ? CR_OK : CR_END;
}

/* A word's change in a class, which may be a new one: there is room. */
static change *touch(cr__bag_changes *c, uint32_t number, size_t class_index)
{
    touched *t = &c->touched[number];
    change *x = change_of(c, t, class_index);

    if (x == NULL) {
        x = &c->change[c->changes++];
        *x = (change){.class_index = (uint32_t)class_index, .next = t->first};
        t->first = (uint32_t)c->changes;
    }
    return x;
}

void cr__bag_changes_take(cr__bag_changes *c, const uint32_t *number, size_t n, size_t class_index,
                          int sign)
{
    for (size_t i = 0, run; i < n; i += run) {
        change *x = touch(c, number[i], class_index);
        int64_t *const all = c->total[CR__BAG_TERMS], *const in = c->total[CR__BAG_DOCUMENTS];
        const int counts = all != NULL || in != NULL;
        const int there = counts && terms_of(c, number[i]) > 0;
        int64_t terms, documents = 0;

        run = run_length(number, n, i);
        if (c->words_in != NULL || c->spectrum != NULL)
            count_of(c, number[i], class_index, &terms, &documents);
        if (c->words_in != NULL) {
            c->words_in[class_index][documents]--;
            c->words_in[class_index][documents + sign]++;
        }
        if (c->spectrum != NULL)
            move_in_spectrum(c, documents, documents + sign);
        x->terms += sign * (int64_t)run;
        x->documents += sign;
        if (all != NULL)
            all[class_index] += sign * (int64_t)run;
        if (in != NULL)
            in[class_index] += sign;
        if (counts)
            c->words_more += (terms_of(c, number[i]) > 0) - there;
    }
    c->documents[class_index] += sign;
}

/* --- the bag that it adds up to --------------------------------------------------------------- */

/* What is added, or what is taken away, as a bag of its own. */
typedef struct side {
    const cr__bag_changes *c;
    const uint32_t *order; /* [count] touched words in canonical order */
    int sign;
    cr__bag bag;
} side;

static uint64_t part_of(int64_t difference, int sign)
{
    return difference * sign > 0 ? (uint64_t)(difference * sign) : 0;
}

static int by_class(const void *a, const void *b)
{
    const cr__bag_cell *x = a, *y = b;

    return x->class_index < y->class_index ? -1 : x->class_index > y->class_index;
}

/* The cells of one word; terms and documents may differ in sign. */
static void add_cells(side *s, const touched *t)
{
    cr__bag *bag = &s->bag;
    const size_t first = bag->cells;

    for (uint32_t at = t->first; at != 0; at = s->c->change[at - 1].next) {
        const change *x = &s->c->change[at - 1];
        const uint64_t terms = part_of(x->terms, s->sign);
        const uint64_t documents = part_of(x->documents, s->sign);

        if (terms > 0 || documents > 0)
            bag->cell[bag->cells++] = (cr__bag_cell){x->class_index, (uint32_t)documents, terms};
    }
    if (bag->cells > first + 1)
        qsort(bag->cell + first, bag->cells - first, sizeof *bag->cell, by_class);
}

static cr_status make_side(side *s)
{
    const cr__bag_changes *c = s->c;
    cr__bag *bag = &s->bag;
    size_t size = 0;

    bag->classes = c->bag->classes;
    bag->hash = cr__alloc(c->count, sizeof *bag->hash);
    bag->end = cr__alloc(c->count, sizeof *bag->end);
    bag->bytes = cr__alloc(c->size, 1);
    bag->row = cr__alloc_zero(c->count + 1, sizeof *bag->row);
    bag->cell = cr__alloc(c->changes, sizeof *bag->cell);
    bag->documents = cr__alloc(bag->classes, sizeof *bag->documents);
    if (bag->hash == NULL || bag->end == NULL || bag->bytes == NULL || bag->row == NULL ||
        bag->cell == NULL || bag->documents == NULL)
        return CR_ENOMEM;
    for (size_t k = 0; k < bag->classes; k++)
        bag->documents[k] = part_of(c->documents[k], s->sign);
    for (size_t i = 0; i < c->count; i++) {
        const touched *t = &c->touched[s->order[i]];
        const size_t before = bag->cells;

        add_cells(s, t);
        if (bag->cells == before)
            continue;
        memcpy(bag->bytes + size, bytes_of(c, t), t->length);
        size += t->length;
        bag->hash[bag->words] = t->hash;
        bag->end[bag->words] = (uint32_t)size;
        bag->row[++bag->words] = bag->cells;
    }
    return CR_OK;
}

static int precedes(const cr__bag_changes *c, uint32_t a, uint32_t b)
{
    const touched *x = &c->touched[a], *y = &c->touched[b];

    return x->hash != y->hash
               ? x->hash < y->hash
               : cr__word_compare(bytes_of(c, x), x->length, bytes_of(c, y), y->length) < 0;
}

/* The touched words by hash, then by their bytes: a merge sort from the bottom up. Returns where
 * they are then. */
static uint32_t *sort_words(const cr__bag_changes *c, uint32_t *list, uint32_t *spare)
{
    for (size_t i = 0; i < c->count; i++)
        list[i] = (uint32_t)i;
    for (size_t width = 1; width < c->count; width *= 2) {
        uint32_t *swap = list;

        for (size_t first = 0; first < c->count; first += 2 * width) {
            const size_t middle = first + width < c->count ? first + width : c->count;
            const size_t last = first + 2 * width < c->count ? first + 2 * width : c->count;
            size_t a = first, b = middle;

            for (size_t to = first; to < last; to++)
                spare[to] = b == last || (a < middle && !precedes(c, list[b], list[a])) ? list[a++]
                                                                                        : list[b++];
        }
        list = spare;
        spare = swap;
    }
    return list;
}

cr_status cr__bag_changes_apply(const cr__bag_changes *c, cr__bag *out)
{
    uint32_t *same = cr__alloc(c->bag->classes, sizeof *same);
    uint32_t *list = cr__alloc(c->count, 2 * sizeof *list);
    side more = {.c = c, .sign = 1}, less = {.c = c, .sign = -1};
    cr_status st = same == NULL || list == NULL ? CR_ENOMEM : CR_OK;

    *out = (cr__bag){0};
    if (st == CR_OK) {
        more.order = less.order = sort_words(c, list, list + c->count);
        if ((st = make_side(&more)) == CR_OK)
            st = make_side(&less);
    }
    for (size_t k = 0; st == CR_OK && k < c->bag->classes; k++)
        same[k] = (uint32_t)k;
    if (st == CR_OK) {
        const cr__bag_part part[] = {
            {c->bag, same, 1}, {&more.bag, same, 1}, {&less.bag, same, -1}};

        st = cr__bag_sum(out, part, sizeof part / sizeof *part, c->bag->classes);
    }
    cr__bag_free(&more.bag);
    cr__bag_free(&less.bag);
    cr__free(same);
    cr__free(list);
    return st;
}
