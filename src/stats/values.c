/* stats/values.c - numbers by class: counted, coarsened, put into canonical order. */
#include "stats/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/values_sort.h"

enum { WORDS = 2 }; /* of a key: number, class */

#define SIGN_BIT (UINT64_C(1) << 63)

void cr__values_free(cr__values *values)
{
    cr__free(values->key);
    cr__free(values->whole);
    cr__free(values->fraction);
    *values = (cr__values){0};
}

uint64_t cr__values_key(double x)
{
    uint64_t bits;

    x += 0.0; /* no negative zero */
    memcpy(&bits, &x, sizeof bits);
    return bits ^ ((UINT64_C(0) - (bits >> 63)) | SIGN_BIT);
}

double cr__values_number(uint64_t key, unsigned shift)
{
    double x;

    if (shift > 0)
        key |= UINT64_C(1) << (shift - 1);
    key = key & SIGN_BIT ? key ^ SIGN_BIT : ~key;
    memcpy(&x, &key, sizeof x);
    return isfinite(x) ? x : x > 0 ? 0x1.fffffffffffffp1023 : -0x1.fffffffffffffp1023;
}

static uint64_t coarse(uint64_t key, unsigned shift)
{
    return shift == 0 ? key : key >> shift << shift;
}

void cr__value_table_free(cr__value_table *table)
{
    cr__values_free(&table->counted);
    cr__free(table->pending);
    cr__free(table->weight);
    cr__free(table->code);
    cr__value_grid_free(&table->grid);
    *table = (cr__value_table){0};
}

/* --- merging -------------------------------------------------------------------------------- */

static int less(const uint64_t *a, uint64_t key, uint64_t c)
{
    return a[0] != key ? a[0] < key : a[1] < c;
}

/* Add to the last pair when it is the same, else begin a new one. */
static cr_status append(cr__values *out, uint64_t key, uint64_t c, cr__count n)
{
    const size_t last = out->count - 1;

    if (out->count > 0 && out->key[last * WORDS] == key && out->key[last * WORDS + 1] == c) {
        const cr__count sum = cr__count_plus(cr__values_at(out, last), n, 1);

        if (out->whole[last] > INT64_MAX / 2 || out->whole[last] < INT64_MIN / 2)
            return CR_ELIMIT;
        out->whole[last] = sum.whole;
        if (out->fraction != NULL)
            out->fraction[last] = sum.fraction;
        return CR_OK;
    }
    out->key[out->count * WORDS] = key;
    out->key[out->count * WORDS + 1] = c;
    out->whole[out->count] = n.whole;
    if (out->fraction != NULL)
        out->fraction[out->count] = n.fraction;
    out->count++;
    return CR_OK;
}

static cr_status reserve(cr__values *out, size_t count, int fractional)
{
    *out = (cr__values){.key = cr__alloc(count, WORDS * sizeof *out->key),
                        .whole = cr__alloc(count, sizeof *out->whole),
                        .fraction = fractional ? cr__alloc(count, sizeof *out->fraction) : NULL};
    return out->key == NULL || out->whole == NULL || (fractional && out->fraction == NULL)
               ? CR_ENOMEM
               : CR_OK;
}

static cr__count weight_of(const cr__value_table *t, const cr__value_pending *p)
{
    return p->at < t->weighted ? t->weight[p->at] : (cr__count){1, 0};
}

static int has_fraction(const cr__value_table *t)
{
    for (size_t i = 0; i < t->weighted; i++)
        if (t->weight[i].fraction != 0)
            return 1;
    return 0;
}

/* Count the waiting numbers. */
static cr_status count_pending(cr__value_table *t, cr__values *out)
{
    cr__value_pending *spare = cr__alloc(t->pendings, sizeof *spare), *list;
    cr_status st = spare == NULL ? CR_ENOMEM : reserve(out, t->pendings, has_fraction(t));

    if (st == CR_OK) {
        list = cr__values_sort_pending(t->pending, spare, t->pendings, t->counted.shift);
        for (size_t i = 0; st == CR_OK && i < t->pendings; i++)
            st = append(out, coarse(list[i].key, t->counted.shift), list[i].class_code,
                        weight_of(t, &list[i]));
    }
    cr__free(spare);
    t->pendings = t->weighted = 0;
    return st;
}

static cr_status count_codes(cr__value_table *t, cr__values *out)
{
    const uint64_t classes = (UINT64_C(1) << t->class_bits) - 1;
    uint64_t *spare = cr__alloc(t->codes, sizeof *spare), *list;
    cr_status st = spare == NULL ? CR_ENOMEM : reserve(out, t->codes, 0);

    if (st == CR_OK) {
        list = cr__values_sort_codes(t->code, spare, t->codes);
        for (size_t i = 0, next; i < t->codes; i = next) {
            for (next = i + 1; next < t->codes && list[next] == list[i];)
                next++;
            out->key[out->count * WORDS] = list[i] >> t->class_bits << t->counted.shift;
            out->key[out->count * WORDS + 1] = list[i] & classes;
            out->whole[out->count++] = (int64_t)(next - i);
        }
    }
    cr__free(spare);
    t->codes = 0;
    return st;
}

/* The counts of a grid, as they are appended. */
typedef struct draining {
    cr__values *out;
    unsigned shift;
} draining;

static void append_count(void *context, uint64_t number, uint32_t class_code, uint32_t count)
{
    const draining *d = context;

    d->out->key[d->out->count * WORDS] = number << d->shift;
    d->out->key[d->out->count * WORDS + 1] = class_code;
    d->out->whole[d->out->count++] = count;
}

static cr_status count_grid(cr__value_table *t, cr__values *out)
{
    draining d = {out, t->counted.shift};
    cr_status st = reserve(out, cr__value_grid_entries(&t->grid), 0);

    if (st == CR_OK)
        cr__value_grid_visit(&t->grid, append_count, &d);
    cr__value_grid_free(&t->grid);
    return st;
}

static void copy_pairs(cr__values *out, const cr__values *from, size_t first, size_t n)
{
    if (n == 0)
        return;
    memcpy(out->key + out->count * WORDS, from->key + first * WORDS, n * WORDS * sizeof *out->key);
    memcpy(out->whole + out->count, from->whole + first, n * sizeof *out->whole);
    if (out->fraction != NULL && from->fraction != NULL)
        memcpy(out->fraction + out->count, from->fraction + first, n * sizeof *out->fraction);
    else if (out->fraction != NULL)
        memset(out->fraction + out->count, 0, n * sizeof *out->fraction);
    out->count += n;
}

/* Pairs as they stand, or with other names of their classes, which keep their order, and with the
 * other sign. */
typedef struct addend {
    const cr__values *values;
    const uint32_t *class_of; /* NULL: as they are */
    int sign;
} addend;

static uint64_t class_at(const addend *b, size_t i)
{
    const uint64_t c = b->values->key[i * WORDS + 1];

    return b->class_of == NULL ? c : b->class_of[c];
}

static cr__count count_at(const addend *b, size_t i)
{
    const cr__count n = cr__values_at(b->values, i);

    return b->sign < 0 ? cr__count_plus((cr__count){0}, n, -1) : n;
}

/* What is added from pair j on, when everything else is smaller. */
static cr_status copy_rest(cr__values *out, const addend *b, size_t j)
{
    size_t at;
    cr_status st;

    if (j == b->values->count)
        return CR_OK;
    if ((st = append(out, b->values->key[j * WORDS], class_at(b, j), count_at(b, j))) != CR_OK)
        return st;
    at = out->count;
    j++;
    copy_pairs(out, b->values, j, b->values->count - j);
    for (; (b->class_of != NULL || b->sign < 0) && at < out->count; at++, j++) {
        const cr__count n = count_at(b, j);

        out->key[at * WORDS + 1] = class_at(b, j);
        out->whole[at] = n.whole;
        if (out->fraction != NULL)
            out->fraction[at] = n.fraction;
    }
    return CR_OK;
}

/* Merge both. Pairs of `a` between two of `b` are copied at once. */
static cr_status merge(const cr__values *a, const addend *b, cr__values *out)
{
    const cr__values *added = b->values;
    size_t i = 0, j = 0, next;
    cr_status st =
        reserve(out, a->count + added->count, a->fraction != NULL || added->fraction != NULL);

    out->shift = a->shift;
    for (; st == CR_OK && j < added->count && i < a->count; j++, i = next) {
        const uint64_t key = added->key[j * WORDS], c = class_at(b, j);

        for (next = i; next < a->count && less(a->key + next * WORDS, key, c);)
            next++;
        if (next < a->count && a->key[next * WORDS] == key && a->key[next * WORDS + 1] == c)
            next++;
        copy_pairs(out, a, i, next - i);
        st = append(out, key, c, count_at(b, j));
    }
    if (st == CR_OK)
        copy_pairs(out, a, i, a->count - i);
    return st == CR_OK ? copy_rest(out, b, j) : st;
}

/* --- coarsening ----------------------------------------------------------------------------- */

/* Bits to drop so that there are few enough numbers. Where bits were dropped before, there were too
 * many numbers to keep them exactly, and there still are. Neighbours whose highest differing bit is
 * b become one when more than b bits are dropped. The numbers are those that are left when the
 * other's counts are subtracted. */
static unsigned find_shift_without(const cr__values *v, const cr__values *less)
{
    size_t numbers[65] = {0}, left = 0, j = 0;
    uint64_t before = 0;
    unsigned shift = v->shift;

    if (v->count <= (shift == 0 ? CR__VALUES_EXACT : CR__VALUES_COARSE))
        return shift;
    for (size_t i = 0; i < v->count; i++) {
        const uint64_t *pair = v->key + i * WORDS, key = pair[0];
        cr__count n = cr__values_at(v, i);

        if (j < less->count && less->key[j * WORDS] == key && less->key[j * WORDS + 1] == pair[1])
            n = cr__count_plus(n, cr__values_at(less, j++), -1);
        if (cr__count_zero(n) || (left > 0 && key == before))
            continue;
        if (left++ > 0)
            numbers[cr__values_highest_bit(key ^ before)]++;
        before = key;
    }
    if (shift == 0 && left <= CR__VALUES_EXACT)
        return 0;
    for (unsigned b = 0; b < shift; b++)
        left -= numbers[b];
    while (left > CR__VALUES_COARSE && shift < 62)
        left -= numbers[shift++];
    return shift;
}

static unsigned find_shift(const cr__values *v)
{
    const cr__values none = {0};

    return find_shift_without(v, &none);
}

/* One number with its classes. */
typedef struct of_class {
    uint64_t class_code;
    cr__count n;
} of_class;

static int by_class(const void *pa, const void *pb)
{
    const of_class *a = pa, *b = pb;

    return a->class_code < b->class_code ? -1 : a->class_code > b->class_code;
}

/* By class: insertion sort, for what is nearly sorted or short. */
static void order_group(of_class *group, size_t n)
{
    size_t moved = 0;

    for (size_t k = 1; k < n && moved < 4 * n + 64; k++) {
        const of_class one = group[k];
        size_t at = k;

        for (; at > 0 && group[at - 1].class_code > one.class_code; at--, moved++)
            group[at] = group[at - 1];
        group[at] = one;
    }
    if (moved >= 4 * n + 64)
        qsort(group, n, sizeof *group, by_class);
}

/* A number's classes with their counts, added up by class. */
typedef struct class_sums {
    size_t classes; /* codes below this are added in place, 0: none are */
    cr__count *sum; /* [classes] */
    uint8_t *seen;  /* [classes] */
} class_sums;

enum { SUMMED_CLASSES = 256 };

static cr_status make_sums(class_sums *s, const cr__values *from, const uint32_t *class_of)
{
    uint64_t most = 0;

    *s = (class_sums){0};
    for (size_t i = 0; i < from->count; i++) {
        const uint64_t c = from->key[i * WORDS + 1], to = class_of == NULL ? c : class_of[c];

        if (to != UINT32_MAX && to >= most)
            most = to + 1;
    }
    if (most > SUMMED_CLASSES)
        return CR_OK;
    s->sum = cr__alloc((size_t)most, sizeof *s->sum);
    s->seen = cr__alloc_zero((size_t)most, sizeof *s->seen);
    if (s->sum == NULL || s->seen == NULL)
        return CR_ENOMEM;
    s->classes = (size_t)most;
    return CR_OK;
}

static void free_sums(class_sums *s)
{
    cr__free(s->sum);
    cr__free(s->seen);
}

enum { SHORT_GROUP = 8 };

/* Append an unordered group, sorted by class; adding in place must visit every class. */
static cr_status append_group(cr__values *out, uint64_t key, of_class *group, size_t n,
                              class_sums *sums)
{
    cr_status st = CR_OK;

    if (n <= SHORT_GROUP || sums->classes == 0 || sums->classes > 4 * n) {
        order_group(group, n);
        for (size_t k = 0; st == CR_OK && k < n; k++)
            st = append(out, key, group[k].class_code, group[k].n);
        return st;
    }
    for (size_t k = 0; k < n; k++) {
        const uint64_t c = group[k].class_code;

        sums->sum[c] = sums->seen[c] ? cr__count_plus(sums->sum[c], group[k].n, 1) : group[k].n;
        sums->seen[c] = 1;
        if (sums->sum[c].whole > INT64_MAX / 2 || sums->sum[c].whole < INT64_MIN / 2)
            st = CR_ELIMIT;
    }
    for (size_t c = 0; c < sums->classes; c++) {
        if (sums->seen[c] && st == CR_OK)
            st = append(out, key, c, sums->sum[c]);
        sums->seen[c] = 0;
    }
    return st;
}

/* Whether the classes that occur keep their order, and none is gone. */
static int keeps_order(const cr__values *from, const uint32_t *class_of)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; class_of != NULL && i < from->count; i++) {
        const uint64_t c = from->key[i * WORDS + 1];

        least = c < least ? c : least;
        most = c > most ? c : most;
    }
    for (uint64_t c = least; class_of != NULL && c < most; c++)
        if (class_of[c] >= class_of[c + 1])
            return 0;
    return class_of == NULL || from->count == 0 || class_of[most] != UINT32_MAX;
}

/* The same pairs with other names of their classes, without those that are zero. */
static cr_status rename_classes(const cr__values *from, const uint32_t *class_of, cr__values *out)
{
    cr_status st = reserve(out, from->count, from->fraction != NULL);

    out->shift = from->shift;
    for (size_t i = 0, next; st == CR_OK && i < from->count; i = next + 1) {
        for (next = i; next < from->count && !cr__count_zero(cr__values_at(from, next));)
            next++;
        copy_pairs(out, from, i, next - i);
    }
    for (size_t i = 0; st == CR_OK && class_of != NULL && i < out->count; i++)
        out->key[i * WORDS + 1] = class_of[out->key[i * WORDS + 1]];
    return st;
}

/* The same pairs with more bits dropped, and other classes where class_of says so. Numbers that
 * become one have their classes put in order. */
static cr_status remake(const cr__values *from, unsigned shift, const uint32_t *class_of,
                        cr__values *out)
{
    class_sums sums;
    of_class *group = NULL;
    size_t capacity = 0;
    cr_status st, made;

    if (shift == from->shift && keeps_order(from, class_of))
        return rename_classes(from, class_of, out);
    st = reserve(out, from->count, from->fraction != NULL);
    made = make_sums(&sums, from, class_of);
    out->shift = shift;
    if (st == CR_OK)
        st = made;
    for (size_t i = 0, next; st == CR_OK && i < from->count; i = next) {
        const uint64_t key = coarse(from->key[i * WORDS], shift);
        size_t n = 0;

        for (next = i; next < from->count && coarse(from->key[next * WORDS], shift) == key;)
            next++;
        if (next - i > capacity && !cr__grow(&group, &capacity, next - i, sizeof *group))
            st = CR_ENOMEM;
        for (size_t k = i; st == CR_OK && k < next; k++) {
            const uint64_t c = from->key[k * WORDS + 1];

            if (cr__count_zero(cr__values_at(from, k)))
                continue;
            if (class_of != NULL && class_of[c] == UINT32_MAX)
                st = CR_ECONFLICT;
            else
                group[n++] = (of_class){class_of == NULL ? c : class_of[c], cr__values_at(from, k)};
        }
        if (st == CR_OK)
            st = append_group(out, key, group, n, &sums);
    }
    cr__free(group);
    free_sums(&sums);
    return st;
}

/* Replace the values by a new form, or free that. */
static cr_status replace(cr__value_table *t, cr__values *by, cr_status st)
{
    if (st == CR_OK) {
        cr__values_free(&t->counted);
        t->counted = *by;
    } else {
        cr__values_free(by);
    }
    return st;
}

static cr_status coarsen(cr__value_table *t, unsigned shift)
{
    cr__values coarser;

    return shift == t->counted.shift
               ? CR_OK
               : replace(t, &coarser, remake(&t->counted, shift, NULL, &coarser));
}

static cr_status add_values(cr__value_table *t, const addend *more)
{
    cr__values merged;

    return replace(t, &merged, merge(&t->counted, more, &merged));
}

/* Merge the new counts with the rest. */
static cr_status join(cr__value_table *t, cr_status (*count)(cr__value_table *, cr__values *))
{
    cr__values more = {0};
    cr_status st = count(t, &more);

    if (st == CR_OK)
        st = add_values(t, &(addend){.values = &more, .sign = 1});
    cr__values_free(&more);
    return st;
}

/* Class codes that occur, and one more. */
static uint32_t most_classes(const cr__value_table *t)
{
    const uint64_t mask = (UINT64_C(1) << t->class_bits) - 1;
    uint64_t most = 0;

    for (size_t i = 0; i < t->codes; i++)
        most = (t->code[i] & mask) > most ? t->code[i] & mask : most;
    for (size_t i = 0; i < t->counted.count; i++)
        most = t->counted.key[i * WORDS + 1] > most ? t->counted.key[i * WORDS + 1] : most;
    return (uint32_t)most + 1;
}

enum { CODES_MOST = 4 * CR__VALUES_COARSE };

/* Move the waiting codes into the grid, as far as it has room for them. Where many numbers with
 * their classes would be spread over more places than pay, there is no grid any more. */
static cr_status fill_grid(cr__value_table *t)
{
    size_t done = 0;
    cr_status st = t->grid.rows + t->codes > UINT32_MAX ? join(t, count_grid) : CR_OK;

    if (st == CR_OK && t->grid.classes == 0) {
        cr__value_grid_begin(&t->grid, 64 - t->counted.shift + t->class_bits, t->class_bits,
                             most_classes(t));
        t->looked = 0;
    }
    while (st == CR_OK && done < t->codes) {
        done += cr__value_grid_count(&t->grid, t->code + done, t->codes - done);
        if (done < t->codes && (st = cr__value_grid_widen(&t->grid, t->code[done])) == CR_ELIMIT)
            break;
    }
    memmove(t->code, t->code + done, (t->codes - done) * sizeof *t->code);
    t->codes -= done;
    t->scattered |= st == CR_ELIMIT;
    return st == CR_ELIMIT ? CR_OK : st;
}

/* Count the waiting numbers; then drop bits if there are too many numbers. */
static cr_status settle(cr__value_table *t)
{
    const int waited = t->pendings > 0 || t->codes > 0 || t->grid.rows > 0;
    cr_status st = t->pendings == 0 ? CR_OK : join(t, count_pending);

    if (st == CR_OK && t->codes > 0 && !t->scattered)
        st = fill_grid(t);
    if (st == CR_OK && t->codes > 0)
        st = join(t, count_codes);
    if (st == CR_OK && t->grid.rows > 0)
        st = join(t, count_grid);
    cr__value_grid_free(&t->grid);
    if (st == CR_OK && waited)
        st = coarsen(t, find_shift(&t->counted));
    if (t->counted.shift > 0 && t->weight == NULL) { /* what follows is codes */
        cr__free(t->pending);
        t->pending = NULL;
        t->pending_capacity = 0;
    }
    return st;
}

/* Count waiting codes in the grid, and settle when it has too many numbers, which is looked at as
 * often as its rows double. */
static cr_status settle_codes(cr__value_table *t)
{
    cr_status st = t->scattered ? CR_OK : fill_grid(t);

    if (st != CR_OK || t->scattered)
        return st == CR_OK ? settle(t) : st;
    if (t->grid.rows < 2 * t->looked)
        return CR_OK;
    t->looked = t->grid.rows;
    return cr__value_grid_numbers(&t->grid) > CR__VALUES_COARSE ? settle(t) : CR_OK;
}

/* Make room for this many more; when there may be too many to be exact, they are counted first. */
static cr_status make_room(cr__value_table *t, size_t more)
{
    if (t->pendings > CR__VALUES_EXACT) {
        const cr_status st = settle(t);

        if (st != CR_OK)
            return st;
    }
    return cr__grow(&t->pending, &t->pending_capacity, t->pendings + more, sizeof *t->pending)
               ? CR_OK
               : CR_ENOMEM;
}

/* The same for codes: 0 when they cannot be used for these classes. */
static int make_code_room(cr__value_table *t, const uint32_t *class_code, size_t rows,
                          cr_status *st)
{
    uint32_t largest = 0;
    unsigned bits;

    for (size_t r = 0; class_code != NULL && r < rows; r++)
        largest |= class_code[r];
    bits = largest == 0 ? 0 : cr__values_highest_bit(largest) + 1;
    if (bits > t->counted.shift)
        return 0;
    if (bits > t->class_bits && (t->codes > 0 || t->grid.classes > 0))
        *st = settle(t);
    else if (t->codes > 0 && t->codes + rows > CODES_MOST)
        *st = settle_codes(t);
    if (t->codes == 0 && t->grid.classes == 0)
        t->class_bits = bits > t->class_bits ? bits : t->class_bits;
    if (t->class_bits > t->counted.shift)
        return 0;
    if (*st == CR_OK && !cr__grow(&t->code, &t->code_capacity, t->codes + rows, sizeof *t->code))
        *st = CR_ENOMEM;
    return 1;
}

static void wait_codes(cr__value_table *t, const double *x, const uint32_t *class_code, size_t rows)
{
    const unsigned shift = t->counted.shift, bits = t->class_bits;

    for (size_t r = 0; r < rows; r++) {
        const uint32_t c = class_code == NULL ? 0 : class_code[r];

        t->code[t->codes] = cr__values_key(x[r]) >> shift << bits | c;
        t->codes += !isnan(x[r]) && (class_code == NULL || c != CR__MISSING);
    }
}

/* A number with a weight: waiting numbers before it must get one, too. */
static cr_status wait_weighted(cr__value_table *t, uint64_t key, uint32_t c, cr__count n)
{
    if (!cr__grow(&t->weight, &t->weight_capacity, t->pendings + 1, sizeof *t->weight))
        return CR_ENOMEM;
    while (t->weighted < t->pendings)
        t->weight[t->weighted++] = (cr__count){1, 0};
    t->weight[t->weighted++] = n;
    t->pending[t->pendings] = (cr__value_pending){key, c, (uint32_t)t->pendings};
    t->pendings++;
    return CR_OK;
}

cr_status cr__value_table_absorb(cr__value_table *table, const double *x, const double *weight,
                                 const uint32_t *class_code, size_t rows)
{
    cr_status st = CR_OK;

    if (weight == NULL && table->counted.shift > 0 &&
        make_code_room(table, class_code, rows, &st)) {
        if (st == CR_OK)
            wait_codes(table, x, class_code, rows);
        return st;
    }
    if ((st = make_room(table, rows)) != CR_OK)
        return st;
    for (size_t r = 0; st == CR_OK && r < rows; r++) {
        const uint32_t c = class_code == NULL ? 0 : class_code[r];

        if (isnan(x[r]) || (class_code != NULL && c == CR__MISSING))
            continue;
        if (weight != NULL) {
            st = wait_weighted(table, cr__values_key(x[r]), c, cr__count_of_weight(weight[r]));
        } else {
            table->pending[table->pendings] =
                (cr__value_pending){cr__values_key(x[r]), c, (uint32_t)table->pendings};
            table->pendings++;
        }
    }
    return st;
}

/* Add values that have to be made anew first. */
static cr_status add_remade(cr__value_table *table, const cr__values *values,
                            const uint32_t *class_code, int sign)
{
    cr__values more = {0};
    cr_status st = remake(values, table->counted.shift, class_code, &more);

    if (st == CR_OK)
        st = add_values(table, &(addend){.values = &more, .sign = sign});
    cr__values_free(&more);
    return st;
}

cr_status cr__value_table_add(cr__value_table *table, const cr__values *values,
                              const uint32_t *class_code, int sign)
{
    cr_status st = settle(table);
    const int alone = table->counted.count == 0;

    if (st == CR_OK && values->shift > table->counted.shift)
        st = coarsen(table, values->shift);
    if (st != CR_OK)
        return st;
    st = values->shift == table->counted.shift && keeps_order(values, class_code)
             ? add_values(table, &(addend){values, class_code, sign})
             : add_remade(table, values, class_code, sign);
    if (st != CR_OK || (alone && values->shift == table->counted.shift))
        return st; /* they are as coarse as they should be */
    return coarsen(table, find_shift(&table->counted));
}

/* Nothing negative; fractions only when there are some. */
static cr_status check(cr__values *out)
{
    int fractional = 0;

    for (size_t i = 0; i < out->count; i++) {
        if (out->whole[i] < 0)
            return CR_ECONFLICT;
        fractional |= out->fraction != NULL && out->fraction[i] != 0;
    }
    if (!fractional) {
        cr__free(out->fraction);
        out->fraction = NULL;
    }
    return CR_OK;
}

cr_status cr__value_table_finish(cr__value_table *table, const uint32_t *class_of, cr__values *out)
{
    cr_status st = settle(table);

    *out = (cr__values){0};
    if (st == CR_OK)
        st = remake(&table->counted, table->counted.shift, class_of, out);
    if (st == CR_OK)
        st = check(out);
    if (st != CR_OK)
        cr__values_free(out);
    return st;
}

/* --- sums and differences ------------------------------------------------------------------ */

/* Whether all classes that occur are called the same. */
static int same_classes(const cr__values_of *of)
{
    for (size_t i = 0; i < of->values->count; i++) {
        const uint64_t c = of->values->key[i * WORDS + 1];

        if (of->class_of[c] != c)
            return 0;
    }
    return 1;
}

/* Remove pairs without counts. */
static void drop_zeros(cr__values *v)
{
    size_t n = 0;

    for (size_t i = 0; i < v->count; i++) {
        if (cr__count_zero(cr__values_at(v, i)))
            continue;
        if (n < i) {
            memcpy(v->key + n * WORDS, v->key + i * WORDS, WORDS * sizeof *v->key);
            v->whole[n] = v->whole[i];
            if (v->fraction != NULL)
                v->fraction[n] = v->fraction[i];
        }
        n++;
    }
    v->count = n;
}

/* As coarse as it should be, without what cancelled out. */
static cr_status settle_sum(cr__values *sum, size_t classes, cr__values *out)
{
    const unsigned shift = find_shift(sum);
    cr_status st = CR_OK;

    if (shift != sum->shift) {
        st = remake(sum, shift, NULL, out);
        cr__values_free(sum);
    } else {
        drop_zeros(sum);
        *out = *sum;
    }
    for (size_t i = 0; st == CR_OK && i < out->count; i++)
        if (out->key[i * WORDS + 1] >= classes)
            st = CR_ECONFLICT;
    return st == CR_OK ? check(out) : st;
}

cr_status cr__values_combine(cr__values_of a, cr__values_of b, int sign, size_t classes,
                             cr__values *out)
{
    const unsigned shift = a.values->shift > b.values->shift ? a.values->shift : b.values->shift;
    addend added = {b.values, b.class_of, sign};
    cr__values first = {0}, second = {0}, sum = {0};
    cr_status st = CR_OK;

    *out = (cr__values){0};
    if (a.values->shift != shift || !same_classes(&a)) {
        st = remake(a.values, shift, a.class_of, &first);
        a.values = &first;
    }
    if (st == CR_OK && (b.values->shift != shift || !keeps_order(b.values, b.class_of))) {
        st = remake(b.values, shift, b.class_of, &second);
        added = (addend){.values = &second, .sign = sign};
    }
    if (st == CR_OK && (st = merge(a.values, &added, &sum)) == CR_OK)
        st = settle_sum(&sum, classes, out);
    else
        cr__values_free(&sum);
    if (st != CR_OK)
        cr__values_free(out);
    cr__values_free(&first);
    cr__values_free(&second);
    return st;
}

/* --- parts ------------------------------------------------------------------------------------ */

cr_status cr__values_join(const cr__values *part, size_t count, size_t skip, cr__values *out)
{
    cr_status st = CR_OK;

    *out = (cr__values){0};
    for (size_t p = 0; p < count; p++)
        if (p != skip && part[p].shift > out->shift)
            out->shift = part[p].shift;
    for (size_t p = 0; st == CR_OK && p < count; p++) {
        cr__values coarser = {0}, sum;

        if (p == skip)
            continue;
        if (part[p].shift != out->shift)
            st = remake(&part[p], out->shift, NULL, &coarser);
        if (st == CR_OK &&
            (st = merge(
                 out,
                 &(addend){.values = part[p].shift != out->shift ? &coarser : &part[p], .sign = 1},
                 &sum)) != CR_OK)
            cr__values_free(&sum);
        cr__values_free(&coarser);
        if (st == CR_OK) {
            cr__values_free(out);
            *out = sum;
        }
    }
    return st;
}

/* The same numbers and counts with so many bits dropped: themselves, or made where there is room.
 */
static cr_status with_shift(const cr__values **values, unsigned shift, cr__values *room)
{
    const cr__values *from = *values;
    cr_status st;

    if (from->shift == shift)
        return CR_OK;
    if (room->count > 0 && room->shift == shift) { /* made before */
        *values = room;
        return CR_OK;
    }
    cr__values_free(room);
    *room = (cr__values){0};
    if ((st = remake(from, shift, NULL, room)) == CR_OK)
        *values = room;
    return st;
}

static cr_status make_spread(cr__spread *out, size_t entries)
{
    *out = (cr__spread){.entries = entries};
    out->value = cr__alloc(entries, sizeof *out->value);
    out->class_of = cr__alloc(entries, sizeof *out->class_of);
    out->count = cr__alloc(entries, sizeof *out->count);
    if (out->value != NULL && out->class_of != NULL && out->count != NULL)
        return CR_OK;
    cr__spread_free(out);
    return CR_ENOMEM;
}

/* The pairs without the other's counts, whose pairs all exist. */
static cr_status spread_without(const cr__values *from, const cr__values *less, cr__spread *out)
{
    size_t n = 0, j = 0;

    for (size_t i = 0; i < from->count; i++) {
        const uint64_t *key = from->key + i * WORDS;
        cr__count count = cr__values_at(from, i);

        if (j < less->count && less->key[j * WORDS] == key[0] && less->key[j * WORDS + 1] == key[1])
            count = cr__count_plus(count, cr__values_at(less, j++), -1);
        if (cr__count_zero(count))
            continue;
        if (count.whole < 0)
            return CR_ECONFLICT;
        out->value[n] = cr__values_number(key[0], from->shift);
        out->class_of[n] = (uint32_t)key[1];
        out->count[n++] = cr__count_value(count);
    }
    out->entries = n;
    return j < less->count ? CR_ECONFLICT : CR_OK;
}

cr_status cr__values_spread_without(const cr__values *joined, const cr__values *part,
                                    size_t classes, cr__values_room *room)
{
    const cr__values none = {.shift = joined->shift};
    cr__values first = {0}, second = {0};
    unsigned shift;
    cr_status st;

    if (part == NULL)
        part = &none;
    if ((st = with_shift(&part, joined->shift, &first)) == CR_OK &&
        (shift = find_shift_without(joined, part)) != joined->shift) {
        st = part == &none ? CR_OK : with_shift(&part, shift, &second);
        if (st == CR_OK)
            st = with_shift(&joined, shift, &room->coarse);
    }
    if (st == CR_OK && joined->count > room->capacity) {
        cr__spread_free(&room->spread);
        st = make_spread(&room->spread, joined->count);
        room->capacity = st == CR_OK ? joined->count : 0;
    }
    room->spread.classes = classes;
    if (st == CR_OK)
        st = spread_without(joined, part, &room->spread);
    cr__values_free(&first);
    cr__values_free(&second);
    return st;
}

void cr__values_room_free(cr__values_room *room)
{
    cr__values_free(&room->coarse);
    cr__spread_free(&room->spread);
    *room = (cr__values_room){0};
}

/* --- queries ---------------------------------------------------------------------------------- */

static cr_status spread_some(const cr__values *values, size_t step, size_t classes, cr__spread *out)
{
    const size_t entries = (values->count + step - 1) / step;

    if (make_spread(out, entries) != CR_OK)
        return CR_ENOMEM;
    out->classes = classes;
    for (size_t n = 0, i = 0; n < entries; n++, i += step) {
        out->value[n] = cr__values_number(values->key[i * WORDS], values->shift);
        out->class_of[n] = (uint32_t)values->key[i * WORDS + 1];
        out->count[n] = cr__count_value(cr__values_at(values, i));
    }
    return CR_OK;
}

cr_status cr__values_spread(const cr__values *values, size_t classes, cr__spread *out)
{
    return spread_some(values, 1, classes, out);
}

cr_status cr__values_thinned(const cr__values *values, size_t most, size_t classes, cr__spread *out)
{
    return spread_some(values, values->count / most + 1, classes, out);
}
