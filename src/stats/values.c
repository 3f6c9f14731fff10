/* stats/values.c - numbers by class: counted, coarsened, put into canonical order. */
#include "stats/values.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

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
    return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
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
    cr__cell_table_free(&table->table);
    *table = (cr__value_table){0};
}

/* --- coarsening ----------------------------------------------------------------------------- */

/* The same pairs with more bits dropped, and other classes where class_of says so. */
static cr_status remake(const cr__cell_table *from, unsigned shift, const uint32_t *class_of,
                        cr__cell_table *to)
{
    cr_status st = CR_OK;

    *to = (cr__cell_table){.packing = {.words = WORDS}};
    for (size_t i = 0; st == CR_OK && i < from->count; i++) {
        const cr__count n = {from->whole[i], from->fraction == NULL ? 0 : from->fraction[i]};
        const uint64_t c = from->key[i * WORDS + 1];
        const uint64_t key[WORDS] = {coarse(from->key[i * WORDS], shift),
                                     class_of == NULL ? c : class_of[c]};

        if (cr__count_zero(n))
            continue;
        st = class_of != NULL && class_of[c] == UINT32_MAX ? CR_ECONFLICT
                                                           : cr__cell_table_count(to, key, n, 1);
    }
    return st;
}

/* How many different numbers there are. */
static cr_status count_numbers(const cr__cell_table *table, unsigned shift, size_t *numbers)
{
    cr__cell_table seen = {.packing = {.words = 1}};
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < table->count; i++) {
        const uint64_t key = coarse(table->key[i * WORDS], shift);

        if (table->whole[i] != 0 || (table->fraction != NULL && table->fraction[i] != 0))
            st = cr__cell_table_count(&seen, &key, (cr__count){1, 0}, 1);
    }
    *numbers = seen.count;
    cr__cell_table_free(&seen);
    return st;
}

/* Bits to drop so that there are few enough numbers. */
static cr_status find_shift(const cr__cell_table *table, unsigned *shift)
{
    size_t numbers = 0;
    cr_status st = CR_OK;

    if (table->count <= CR__VALUES_MOST)
        return CR_OK;
    while ((st = count_numbers(table, *shift, &numbers)) == CR_OK && numbers > CR__VALUES_MOST &&
           *shift < 62)
        ++*shift;
    return st;
}

/* Drop bits while data come in, so that memory stays bounded. */
static cr_status coarsen(cr__value_table *t)
{
    unsigned shift = t->shift;
    cr__cell_table smaller;
    cr_status st = find_shift(&t->table, &shift);

    if (st == CR_OK && shift != t->shift) {
        st = remake(&t->table, shift, NULL, &smaller);
        cr__cell_table_free(st == CR_OK ? &t->table : &smaller);
        if (st == CR_OK) {
            t->table = smaller;
            t->shift = shift;
        }
    }
    t->look = t->table.count * 2 > 2 * CR__VALUES_MOST ? t->table.count * 2 : 2 * CR__VALUES_MOST;
    return st;
}

static cr_status count_value(cr__value_table *t, uint64_t number, uint64_t c, cr__count n, int sign)
{
    const uint64_t key[WORDS] = {coarse(number, t->shift), c};
    cr_status st;

    t->table.packing.words = WORDS;
    st = cr__cell_table_count(&t->table, key, n, sign);
    if (st == CR_OK && t->table.count > CR__VALUES_MOST && t->table.count > t->look)
        st = coarsen(t);
    return st;
}

cr_status cr__value_table_absorb(cr__value_table *table, const double *x, const double *weight,
                                 const uint32_t *class_code, size_t rows)
{
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < rows; r++) {
        const uint32_t c = class_code == NULL ? 0 : class_code[r];

        if (isnan(x[r]) || (class_code != NULL && c == CR__MISSING))
            continue;
        st = count_value(table, cr__values_key(x[r]), c,
                         weight == NULL ? (cr__count){1, 0} : cr__count_of_weight(weight[r]), 1);
    }
    return st;
}

cr_status cr__value_table_add(cr__value_table *table, const cr__values *values,
                              const uint32_t *class_code, int sign)
{
    cr_status st = CR_OK;

    if (values->shift > table->shift) {
        cr__cell_table coarser;

        st = remake(&table->table, values->shift, NULL, &coarser);
        cr__cell_table_free(st == CR_OK ? &table->table : &coarser);
        if (st != CR_OK)
            return st;
        table->table = coarser;
        table->shift = values->shift;
    }
    for (size_t i = 0; st == CR_OK && i < values->count; i++)
        st = count_value(table, values->key[i * WORDS], class_code[values->key[i * WORDS + 1]],
                         cr__values_at(values, i), sign);
    return st;
}

cr_status cr__value_table_finish(const cr__value_table *table, const uint32_t *class_of,
                                 cr__values *out)
{
    unsigned shift = table->shift;
    cr__cell_table canonical = {0};
    cr__cells cells = {0};
    cr_status st = find_shift(&table->table, &shift);

    *out = (cr__values){0};
    if (st == CR_OK)
        st = remake(&table->table, shift, class_of, &canonical);
    if (st == CR_OK)
        st = cr__cell_table_sort(&canonical, &cells);
    *out = (cr__values){cells.count, shift, cells.key, cells.whole, cells.fraction};
    cr__cell_table_free(&canonical);
    if (st != CR_OK)
        cr__values_free(out);
    return st;
}

/* --- looked at ------------------------------------------------------------------------------ */

cr_status cr__values_spread(const cr__values *values, size_t classes, cr__spread *out)
{
    *out = (cr__spread){.entries = values->count, .classes = classes};
    out->value = cr__alloc(values->count, sizeof *out->value);
    out->class_of = cr__alloc(values->count, sizeof *out->class_of);
    out->count = cr__alloc(values->count, sizeof *out->count);
    if (out->value == NULL || out->class_of == NULL || out->count == NULL) {
        cr__spread_free(out);
        return CR_ENOMEM;
    }
    for (size_t i = 0; i < values->count; i++) {
        out->value[i] = cr__values_number(values->key[i * WORDS], values->shift);
        out->class_of[i] = (uint32_t)values->key[i * WORDS + 1];
        out->count[i] = cr__count_value(cr__values_at(values, i));
    }
    return CR_OK;
}
