/* stats/cells.c - keys, the hash table of cells, their canonical order. */
#include "stats/cells.h"

#include <string.h>

#include "base/memory.h"

/* --- keys ----------------------------------------------------------------------------------- */

static uint8_t bits_for(uint32_t code)
{
    uint8_t bits = 1;

    while (bits < 32 && code >> bits != 0)
        bits++;
    return bits;
}

cr_status cr__packing_make(cr__packing *out, const uint32_t *values, size_t variables)
{
    uint32_t word = 0;
    unsigned left = 64;

    *out = (cr__packing){.variables = variables};
    if ((out->field = cr__alloc(variables, sizeof *out->field)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < variables; i++) {
        const uint8_t bits = bits_for(values[i]);

        if (bits > left) {
            word++;
            left = 64;
        }
        left -= bits;
        out->field[i] = (cr__packed_field){word, (uint8_t)left, bits};
    }
    out->words = (size_t)word + 1;
    return CR_OK;
}

void cr__packing_free(cr__packing *packing)
{
    cr__free(packing->field);
    *packing = (cr__packing){0};
}

/* --- the canonical form --------------------------------------------------------------------- */

void cr__cells_free(cr__cells *cells)
{
    cr__free(cells->column);
    cr__packing_free(&cells->packing);
    cr__free(cells->key);
    cr__free(cells->whole);
    cr__free(cells->fraction);
    *cells = (cr__cells){0};
}

cr_status cr__cells_lay(cr__cells *cells, const cr_schema *schema, const size_t *values)
{
    uint32_t *most = cr__alloc(schema->columns, sizeof *most);
    size_t n = 0;
    cr_status st = CR_ENOMEM;

    *cells = (cr__cells){.column = cr__alloc(schema->columns, sizeof *cells->column)};
    if (most != NULL && cells->column != NULL) {
        for (size_t i = 0; i < schema->columns; i++)
            if (schema->column[i].role == CR_ROLE_FEATURE && schema->column[i].kind != CR_IGNORE)
                cells->column[n++] = (uint32_t)i;
        if (schema->target != SIZE_MAX)
            cells->column[n++] = (uint32_t)schema->target;
        for (size_t j = 0; j < n; j++)
            most[j] = (uint32_t)values[cells->column[j]];
        st = cr__packing_make(&cells->packing, most, n);
    }
    cr__free(most);
    return st;
}

int cr__cells_complete(const cr__cells *cells, size_t i)
{
    const uint64_t *key = cells->key + i * cells->packing.words;

    for (size_t j = 0; j < cells->packing.variables; j++)
        if (cr__packing_get(&cells->packing, key, j) == CR__MISSING)
            return 0;
    return 1;
}

/* --- the hash table ------------------------------------------------------------------------- */

void cr__cell_table_free(cr__cell_table *table)
{
    cr__packing_free(&table->packing);
    cr__free(table->key);
    cr__free(table->whole);
    cr__free(table->fraction);
    cr__free(table->slot);
    *table = (cr__cell_table){0};
}

void cr__cell_table_close(cr__cell_table *table)
{
    cr__free(table->slot);
    table->slot = NULL;
    table->slot_bits = 0;
}

double cr__cell_table_bytes(const cr__cell_table *table)
{
    const double cell = 8.0 * ((double)table->packing.words + 1 + (table->fraction != NULL));

    return (double)table->capacity * cell +
           (table->slot == NULL ? 0 : 4.0 * (double)((size_t)1 << table->slot_bits));
}

/* Mix the words as splitmix64 does; the slot is taken from the highest bits. */
static uint64_t hash_key(const uint64_t *key, size_t words)
{
    uint64_t h = 0;

    for (size_t w = 0; w < words; w++) {
        h = (h ^ key[w]) + UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
        h ^= h >> 31;
    }
    return h;
}

static inline int same_key(const uint64_t *a, const uint64_t *b, size_t words)
{
    uint64_t differ = 0;

    for (size_t w = 0; w < words; w++)
        differ |= a[w] ^ b[w];
    return differ == 0;
}

/* Where the search for a key begins. */
static inline size_t first_slot(const cr__cell_table *t, const uint64_t *key)
{
    return (size_t)(hash_key(key, t->packing.words) >> (64 - t->slot_bits));
}

/* The slot of a key, or the empty one where it would be. At least half of the slots are empty. */
static size_t find_slot(const cr__cell_table *t, const uint64_t *key)
{
    const size_t words = t->packing.words, mask = ((size_t)1 << t->slot_bits) - 1;
    size_t at = first_slot(t, key);

    while (t->slot[at] != 0 && !same_key(t->key + (t->slot[at] - 1) * words, key, words))
        at = (at + 1) & mask;
    return at;
}

void cr__cell_table_expect(const cr__cell_table *table, const uint64_t *key)
{
    if (table->slot != NULL)
        __builtin_prefetch(table->slot + first_slot(table, key));
}

/* Enter all cells into empty slots; their keys differ, so they need not be compared. */
static void fill_slots(cr__cell_table *t)
{
    const size_t words = t->packing.words, mask = ((size_t)1 << t->slot_bits) - 1;

    for (size_t i = 0; i < t->count; i++) {
        size_t at = first_slot(t, t->key + i * words);

        if (i + CR__CELLS_AHEAD < t->count)
            cr__cell_table_expect(t, t->key + (i + CR__CELLS_AHEAD) * words);
        while (t->slot[at] != 0)
            at = (at + 1) & mask;
        t->slot[at] = (uint32_t)i + 1;
    }
}

static int grow_slots(cr__cell_table *t)
{
    const uint32_t bits = t->slot_bits == 0 ? 10 : t->slot_bits + 1;
    uint32_t *slot = cr__alloc_zero((size_t)1 << bits, sizeof *slot);

    if (slot == NULL)
        return 0;
    cr__free(t->slot);
    t->slot = slot;
    t->slot_bits = bits;
    fill_slots(t);
    return 1;
}

/* Double the arrays of cells; the capacity is theirs together. */
static int grow_cells(cr__cell_table *t)
{
    const size_t need = t->capacity < 256 ? 512 : t->capacity * 2, words = t->packing.words;
    void *p;

    if (need > SIZE_MAX / 8 / words || (p = cr__realloc(t->key, need * words, 8)) == NULL)
        return 0;
    t->key = p;
    if ((p = cr__realloc(t->whole, need, sizeof *t->whole)) == NULL)
        return 0;
    t->whole = p;
    if (t->fraction != NULL) {
        if ((p = cr__realloc(t->fraction, need, sizeof *t->fraction)) == NULL)
            return 0;
        t->fraction = p;
        memset(t->fraction + t->capacity, 0, (need - t->capacity) * sizeof *t->fraction);
    }
    t->capacity = need;
    return 1;
}

size_t cr__cell_table_find(const cr__cell_table *table, const uint64_t *key)
{
    const size_t at = table->slot == NULL ? SIZE_MAX : find_slot(table, key);

    return at == SIZE_MAX || table->slot[at] == 0 ? SIZE_MAX : (size_t)table->slot[at] - 1;
}

/* The cell of a key, made when it is new. */
static cr_status take_cell(cr__cell_table *t, const uint64_t *key, size_t *cell)
{
    const size_t words = t->packing.words;
    size_t at = t->slot == NULL ? 0 : find_slot(t, key);

    if (t->slot != NULL && t->slot[at] != 0) {
        *cell = (size_t)t->slot[at] - 1;
        return CR_OK;
    }
    if (t->count >= UINT32_MAX - 1)
        return CR_ELIMIT;
    if (t->count == t->capacity && !grow_cells(t))
        return CR_ENOMEM;
    if (t->slot == NULL || (t->count + 1) * 2 > (size_t)1 << t->slot_bits) {
        if (!grow_slots(t))
            return CR_ENOMEM;
        at = find_slot(t, key);
    }
    memcpy(t->key + t->count * words, key, words * sizeof *key);
    t->whole[t->count] = 0;
    *cell = t->count++;
    t->slot[at] = (uint32_t)t->count;
    return CR_OK;
}

cr_status cr__cell_table_count(cr__cell_table *table, const uint64_t *key, cr__count n, int sign)
{
    size_t cell;
    cr__count sum;
    cr_status st = take_cell(table, key, &cell);

    if (st != CR_OK)
        return st;
    if (n.fraction != 0 && table->fraction == NULL &&
        (table->fraction = cr__alloc_zero(table->capacity, sizeof *table->fraction)) == NULL)
        return CR_ENOMEM;
    sum = (cr__count){table->whole[cell], table->fraction == NULL ? 0 : table->fraction[cell]};
    if (sum.whole > INT64_MAX / 2 || sum.whole < INT64_MIN / 2 || n.whole > INT64_MAX / 2)
        return CR_ELIMIT;
    sum = cr__count_plus(sum, n, sign);
    table->whole[cell] = sum.whole;
    if (table->fraction != NULL)
        table->fraction[cell] = sum.fraction;
    return CR_OK;
}

/* The bits of each word that stay as they are, and the variables whose fields or codes change;
 * returns how many of these there are. */
static size_t find_changes(const cr__packing *from, const cr__packing *to, uint32_t *const *map,
                           uint64_t *keep, size_t *changed)
{
    size_t changes = 0;

    for (size_t j = 0; j < from->variables; j++) {
        const cr__packed_field a = from->field[j], b = to->field[j];

        if ((map == NULL || map[j] == NULL) && a.word == b.word && a.shift == b.shift &&
            a.bits == b.bits)
            keep[a.word] |= ((UINT64_C(1) << a.bits) - 1) << a.shift;
        else
            changed[changes++] = j;
    }
    return changes;
}

static void repack_keys(const cr__cell_table *table, const cr__packing *to, uint32_t *const *map,
                        const uint64_t *keep, const size_t *changed, size_t changes, uint64_t *key)
{
    const cr__packing *from = &table->packing;
    const size_t both = from->words < to->words ? from->words : to->words;

    for (size_t i = 0; i < table->count; i++) {
        const uint64_t *old = table->key + i * from->words;
        uint64_t *new = key + i * to->words;

        for (size_t w = 0; w < both; w++)
            new[w] = old[w] & keep[w];
        for (size_t k = 0; k < changes; k++) {
            const size_t j = changed[k];
            const uint32_t code = cr__packing_get(from, old, j);

            cr__packing_put(to, new, j, map == NULL || map[j] == NULL ? code : map[j][code]);
        }
    }
}

cr_status cr__cell_table_repack(cr__cell_table *table, const cr__packing *packing,
                                uint32_t *const *map)
{
    uint64_t *key = cr__alloc_zero(table->capacity, packing->words * sizeof *key);
    uint64_t *keep = cr__alloc_zero(table->packing.words, sizeof *keep);
    size_t *changed = cr__alloc(packing->variables, sizeof *changed);
    cr__packing copy = *packing;
    uint32_t *slot = NULL;
    cr_status st = CR_ENOMEM;

    copy.field = cr__alloc(packing->variables, sizeof *copy.field);
    if (table->slot != NULL)
        slot = cr__alloc_zero((size_t)1 << table->slot_bits, sizeof *slot);
    if (key != NULL && keep != NULL && changed != NULL && copy.field != NULL &&
        (slot != NULL || table->slot == NULL)) {
        memcpy(copy.field, packing->field, packing->variables * sizeof *copy.field);
        repack_keys(table, &copy, map, keep, changed,
                    find_changes(&table->packing, &copy, map, keep, changed), key);
        cr__free(table->key);
        cr__free(table->slot);
        cr__packing_free(&table->packing);
        table->key = key;
        table->slot = slot;
        table->packing = copy;
        if (slot != NULL)
            fill_slots(table);
        st = CR_OK;
    } else {
        cr__free(key);
        cr__free(slot);
        cr__free(copy.field);
    }
    cr__free(keep);
    cr__free(changed);
    return st;
}

/* --- canonical order ------------------------------------------------------------------------ */

/* A cell by the first word of its key, which tells most of them apart. */
typedef struct placed {
    uint64_t first;
    uint32_t cell;
} placed;

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 32 };

/* One pass of a radix sort: order by one digit, keeping the order of equals. */
static void sort_by_digit(const placed *from, placed *to, size_t count, unsigned shift)
{
    size_t start[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < count; i++)
        start[from[i].first >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        const size_t n = start[d];

        start[d] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        to[start[from[i].first >> shift & (DIGITS - 1)]++] = from[i];
}

/* By the first word, least significant digit first; digits that are the same in all keys need no
 * pass. Returns where they are then. */
static placed *sort_by_first(placed *list, placed *spare, size_t count)
{
    uint64_t differ = 0;

    for (size_t i = 1; i < count; i++)
        differ |= list[i].first ^ list[0].first;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        placed *swap = list;

        if ((differ >> shift & (DIGITS - 1)) == 0)
            continue;
        sort_by_digit(list, spare, count, shift);
        list = spare;
        spare = swap;
    }
    return list;
}

static int compare_keys(const uint64_t *a, const uint64_t *b, size_t words)
{
    size_t w = 0;

    while (w + 1 < words && a[w] == b[w])
        w++;
    return a[w] < b[w] ? -1 : a[w] > b[w];
}

/* Cells that have the first `at` words of their keys in common, by the words that follow: a few by
 * insertion, many by the next word as before by the first. */
static void sort_rest(const cr__cell_table *t, size_t at, placed *list, placed *spare, size_t count)
{
    const size_t words = t->packing.words;
    placed *sorted;

    if (at == words || count < 2)
        return;
    if (count <= FEW) {
        for (size_t i = 1; i < count; i++) {
            const placed one = list[i];
            size_t to = i;

            for (; to > 0 && compare_keys(t->key + list[to - 1].cell * words,
                                          t->key + one.cell * words, words) > 0;
                 to--)
                list[to] = list[to - 1];
            list[to] = one;
        }
        return;
    }
    for (size_t i = 0; i < count; i++)
        list[i].first = t->key[list[i].cell * words + at];
    if ((sorted = sort_by_first(list, spare, count)) != list)
        memcpy(list, sorted, count * sizeof *list);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && list[next].first == list[i].first;)
            next++;
        sort_rest(t, at + 1, list + i, spare, next - i);
    }
}

/* The cells that are not zero, by key. */
static cr_status order_cells(const cr__cell_table *t, uint32_t **order, size_t *count)
{
    placed *list = cr__alloc(t->count, sizeof *list), *spare = cr__alloc(t->count, sizeof *spare);
    cr_status st = list == NULL || spare == NULL ? CR_ENOMEM : CR_OK;

    *count = 0;
    for (size_t i = 0; st == CR_OK && i < t->count; i++)
        if (t->whole[i] != 0 || (t->fraction != NULL && t->fraction[i] != 0))
            list[(*count)++].cell = (uint32_t)i;
    if (st == CR_OK && (*order = cr__alloc(*count, sizeof **order)) == NULL)
        st = CR_ENOMEM;
    if (st == CR_OK) {
        sort_rest(t, 0, list, spare, *count);
        for (size_t i = 0; i < *count; i++)
            (*order)[i] = list[i].cell;
    }
    if (st != CR_OK)
        *count = 0;
    cr__free(list);
    cr__free(spare);
    return st;
}

cr_status cr__cell_table_sort(const cr__cell_table *table, cr__cells *out)
{
    const size_t words = table->packing.words;
    uint32_t *order = NULL;
    int fractional = 0;
    cr_status st = order_cells(table, &order, &out->count);

    if (st != CR_OK)
        return st;
    out->key = cr__alloc(out->count * words, sizeof *out->key);
    out->whole = cr__alloc(out->count, sizeof *out->whole);
    for (size_t i = 0; table->fraction != NULL && i < out->count; i++)
        fractional |= table->fraction[order[i]] != 0;
    if (fractional)
        out->fraction = cr__alloc(out->count, sizeof *out->fraction);
    if (out->key == NULL || out->whole == NULL || (fractional && out->fraction == NULL))
        st = CR_ENOMEM;
    for (size_t i = 0; st == CR_OK && i < out->count; i++) {
        memcpy(out->key + i * words, table->key + order[i] * words, words * sizeof *out->key);
        out->whole[i] = table->whole[order[i]];
        if (fractional)
            out->fraction[i] = table->fraction[order[i]];
        if (out->whole[i] < 0)
            st = CR_ECONFLICT;
    }
    cr__free(order);
    return st;
}
