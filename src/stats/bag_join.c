/* stats/bag_join.c - join the vocabularies of all workers into one bag.
 *
 * Each worker takes a range of hashes: it sorts the words of all vocabularies that fall into it, so
 * that equal ones are neighbours, and computes the room they need. Then each worker knows where its
 * part of the bag begins, and writes it. Nothing is written twice or allocated too large.
 */
#include "stats/bag_join.h"

#include <string.h>

#include "base/memory.h"
#include "base/pool.h"

enum { ITEM_AHEAD = 12, CELLS_AHEAD = 6, ALONE = 1 << 14 }; /* few enough words for one worker */

typedef struct item {
    uint64_t hash;
    uint32_t row, source;
    uint64_t used; /* the class codes that it has, when its row is dense */
} item;

typedef struct sum {
    uint64_t terms, documents;
} sum;

/* What one worker does: words in a range of hashes, their place in the bag. */
typedef struct part {
    item *item;
    size_t items;
    size_t words, bytes, cells; /* that they will be, */
    size_t word, byte, cell;    /* and the next ones to write */
    sum *sum;                   /* [classes] of the word at hand, else 0 */
    uint64_t *used;             /* a bit for each class that it has */
    cr_status status;
} part;

typedef struct joining {
    const cr__bag_source *source;
    size_t sources, classes, parts;
    part *part;
    cr__bag *bag;
    int writing;
} joining;

static const char *word_of(const joining *j, const item *i, size_t *length)
{
    const cr__vocabulary *v = j->source[i->source].vocabulary;

    *length = v->key[i->row].length;
    return v->text + v->key[i->row].start;
}

/* --- sorting --------------------------------------------------------------------------------- */

/* Sort by hash, least significant bytes first (radix sort). */
static int sort_by_hash(item **items, size_t n)
{
    item *from = *items, *to = NULL;

    if (n < 2)
        return 1;
    if ((to = cr__alloc(n, sizeof *to)) == NULL)
        return 0;
    for (int shift = 0; shift < 64; shift += 11) {
        size_t count[2048] = {0}, before = 0;
        item *swap;

        for (size_t i = 0; i < n; i++)
            count[from[i].hash >> shift & 2047]++;
        for (size_t d = 0; d < 2048; d++) {
            size_t here = count[d];
            count[d] = before;
            before += here;
        }
        for (size_t i = 0; i < n; i++)
            to[count[from[i].hash >> shift & 2047]++] = from[i];
        swap = from;
        from = to;
        to = swap;
    }
    cr__free(to);
    *items = from;
    return 1;
}

static int compare_items(const joining *j, const item *a, const item *b)
{
    size_t length_a, length_b;
    const char *word_a = word_of(j, a, &length_a), *word_b = word_of(j, b, &length_b);

    return cr__word_compare(word_a, length_a, word_b, length_b);
}

/* Words of one hash by their bytes: different ones hardly ever occur. */
static void sort_equal_hashes(const joining *j, part *p)
{
    for (size_t i = 1; i < p->items; i++)
        for (size_t k = i; k > 0 && p->item[k].hash == p->item[k - 1].hash; k--) {
            const item swap = p->item[k];

            if (compare_items(j, &p->item[k - 1], &swap) <= 0)
                break;
            p->item[k] = p->item[k - 1];
            p->item[k - 1] = swap;
        }
}

static size_t part_of(const joining *j, uint64_t hash)
{
    return (size_t)((hash >> 32) * j->parts >> 32);
}

/* The words of the part's range, sorted. */
static int take_items(const joining *j, size_t number)
{
    part *p = &j->part[number];

    for (int taking = 0; taking < 2; taking++) {
        if (taking && (p->item = cr__alloc(p->items, sizeof *p->item)) == NULL)
            return 0;
        p->items = 0;
        for (size_t s = 0; s < j->sources; s++) {
            const cr__vocabulary *v = j->source[s].vocabulary;

            for (uint32_t r = 0; r < v->words; r++) {
                if (part_of(j, v->key[r].hash) != number)
                    continue;
                if (taking)
                    p->item[p->items] = (item){v->key[r].hash, r, (uint32_t)s,
                                               v->sparse ? 0 : cr__dense_used(&v->dense, r)};
                p->items++;
            }
        }
    }
    if (!sort_by_hash(&p->item, p->items))
        return 0;
    sort_equal_hashes(j, p);
    return 1;
}

/* --- adding up ------------------------------------------------------------------------------- */

/* Prefetch the memory of the next words: where their counts are, and then the counts. */
static void fetch_ahead(const joining *j, const part *p, size_t i)
{
    if (i + ITEM_AHEAD < p->items) {
        const item *far = &p->item[i + ITEM_AHEAD];
        const cr__vocabulary *v = j->source[far->source].vocabulary;

        __builtin_prefetch(&v->key[far->row]);
        if (v->sparse)
            __builtin_prefetch(&v->row[far->row]);
        else if (j->writing)
            cr__dense_fetch(&v->dense, far->row, far->used);
    }
    if (i + CELLS_AHEAD < p->items) {
        const item *near = &p->item[i + CELLS_AHEAD];
        size_t length;

        __builtin_prefetch(word_of(j, near, &length));
        cr__vocabulary_fetch_wide(j->source[near->source].vocabulary, near->row);
    }
}

/* Until the sums are written, only the set of classes matters. */
static inline void add_count(const joining *j, part *p, uint32_t c, cr__word_count n)
{
    p->used[c / 64] |= (uint64_t)1 << c % 64;
    if (j->writing) {
        p->sum[c].terms += n.terms;
        p->sum[c].documents += n.documents;
    }
}

static void add_dense(const joining *j, part *p, const item *i)
{
    const cr__dense *dense = &j->source[i->source].vocabulary->dense;
    const uint32_t *map = j->source[i->source].map;

    for (uint64_t used = i->used; used != 0; used &= used - 1) {
        const uint32_t code = (uint32_t)__builtin_ctzll(used);

        if (map[code] != UINT32_MAX)
            add_count(j, p, map[code],
                      j->writing ? cr__dense_at(dense, i->row, code) : (cr__word_count){0, 0});
    }
}

static void add_counts(const joining *j, part *p, const item *i)
{
    const cr__vocabulary *v = j->source[i->source].vocabulary;
    const uint32_t *map = j->source[i->source].map;

    if (!v->sparse) {
        add_dense(j, p, i);
        return;
    }
    for (size_t at = 0; at < cr__word_places(&v->row[i->row]); at++) {
        uint32_t c;
        const cr__word_count n = cr__word_count_at(&v->row[i->row], at, &c);

        if (n.terms > 0 && map[c] != UINT32_MAX)
            add_count(j, p, map[c], n);
    }
}

/* In the writing pass, write the sums; then clear them. Returns how many there were. */
static size_t take_sums(const joining *j, part *p)
{
    size_t count = 0;

    for (size_t block = 0; block < (j->classes + 63) / 64; block++)
        for (; p->used[block] != 0; p->used[block] &= p->used[block] - 1, count++) {
            const size_t c = block * 64 + (size_t)__builtin_ctzll(p->used[block]);

            if (!j->writing)
                continue;
            if (p->sum[c].documents > UINT32_MAX)
                p->status = CR_ELIMIT;
            j->bag->cell[p->cell + count] =
                (cr__bag_cell){(uint32_t)c, (uint32_t)p->sum[c].documents, p->sum[c].terms};
            p->sum[c] = (sum){0, 0};
        }
    return count;
}

/* Finish a word that has cells; one without any is dropped. */
static void end_word(const joining *j, part *p, const item *i, size_t cells)
{
    size_t length;
    const char *word = word_of(j, i, &length);

    if (cells == 0)
        return;
    if (!j->writing) {
        p->words++;
        p->bytes += length;
        p->cells += cells;
        return;
    }
    memcpy(j->bag->bytes + p->byte, word, length);
    p->byte += length;
    p->cell += cells;
    j->bag->hash[p->word] = i->hash;
    j->bag->end[p->word] = (uint32_t)p->byte;
    j->bag->row[++p->word] = p->cell;
}

static void work(void *context, int worker)
{
    joining *j = context;
    part *p = &j->part[worker];
    size_t same;

    if (!j->writing && !take_items(j, (size_t)worker))
        p->status = CR_ENOMEM;
    for (size_t i = 0; p->status == CR_OK && i < p->items; i += same) {
        for (same = 0; i + same < p->items && p->item[i + same].hash == p->item[i].hash &&
                       (same == 0 || compare_items(j, &p->item[i], &p->item[i + same]) == 0);
             same++) {
            fetch_ahead(j, p, i + same);
            add_counts(j, p, &p->item[i + same]);
        }
        end_word(j, p, &p->item[i], take_sums(j, p));
    }
}

/* --- the bag --------------------------------------------------------------------------------- */

static int begin_parts(joining *j)
{
    if ((j->part = cr__alloc_zero(j->parts, sizeof *j->part)) == NULL)
        return 0;
    for (size_t k = 0; k < j->parts; k++) {
        part *p = &j->part[k];

        p->sum = cr__alloc_zero(j->classes, sizeof *p->sum);
        p->used = cr__alloc_zero(j->classes / 64 + 1, sizeof *p->used);
        if (p->sum == NULL || p->used == NULL)
            return 0;
    }
    return 1;
}

static void end_parts(joining *j)
{
    for (size_t k = 0; j->part != NULL && k < j->parts; k++) {
        cr__free(j->part[k].item);
        cr__free(j->part[k].sum);
        cr__free(j->part[k].used);
    }
    cr__free(j->part);
}

/* Lay out the parts one after another, and allocate room for all of them. */
static cr_status lay_out(joining *j)
{
    cr__bag *bag = j->bag;
    size_t bytes = 0;

    for (size_t k = 0; k < j->parts; k++) {
        part *p = &j->part[k];

        if (p->status != CR_OK)
            return p->status;
        p->word = bag->words;
        p->byte = bytes;
        p->cell = bag->cells;
        bag->words += p->words;
        bytes += p->bytes;
        bag->cells += p->cells;
    }
    if (bytes > UINT32_MAX || bag->words >= UINT32_MAX)
        return CR_ELIMIT;
    bag->hash = cr__alloc(bag->words, sizeof *bag->hash);
    bag->end = cr__alloc(bag->words, sizeof *bag->end);
    bag->row = cr__alloc(bag->words + 1, sizeof *bag->row);
    bag->bytes = cr__alloc(bytes + 1, 1);
    bag->cell = cr__alloc(bag->cells, sizeof *bag->cell);
    if (bag->hash == NULL || bag->end == NULL || bag->row == NULL || bag->bytes == NULL ||
        bag->cell == NULL)
        return CR_ENOMEM;
    bag->row[0] = 0;
    return CR_OK;
}

static int count_documents(joining *j)
{
    j->bag->documents = cr__alloc_zero(j->classes, sizeof *j->bag->documents);
    for (size_t s = 0; j->bag->documents != NULL && s < j->sources; s++) {
        const cr__bag_source *from = &j->source[s];

        for (size_t c = 0; c < from->codes; c++)
            if (from->map[c] != UINT32_MAX)
                j->bag->documents[from->map[c]] += from->documents[c];
    }
    return j->bag->documents != NULL;
}

cr_status cr__bag_of_vocabularies(cr__bag *out, const cr__bag_source *source, size_t sources,
                                  size_t classes, int workers)
{
    joining j = {.source = source, .sources = sources, .classes = classes, .bag = out};
    size_t words = 0;
    cr_pool *pool = NULL;
    cr_status st;

    *out = (cr__bag){.classes = classes};
    for (size_t s = 0; s < sources; s++)
        words += source[s].vocabulary->words;
    st = cr_pool_new(&pool, words < ALONE || workers < 1 ? 1 : workers, NULL);
    if (st == CR_OK) {
        j.parts = (size_t)cr_pool_threads(pool);
        st = count_documents(&j) && begin_parts(&j) ? CR_OK : CR_ENOMEM;
    }
    if (st == CR_OK) {
        cr__pool_run(pool, work, &j);
        st = lay_out(&j);
    }
    if (st == CR_OK) {
        j.writing = 1;
        cr__pool_run(pool, work, &j);
        for (size_t k = 0; st == CR_OK && k < j.parts; k++)
            st = j.part[k].status;
    }
    end_parts(&j);
    cr_pool_free(pool);
    if (st != CR_OK)
        cr__bag_free(out);
    return st;
}
