/* stats/cells.h - a sparse joint table: how often each combination of values occurs.
 *
 * A combination has a code for each variable (0: missing, else value code - 1), packed into a few
 * words of 64 bits: its key. Only combinations that occur have a cell. While data are read, the
 * cells are in a hash table, in order of arrival; the canonical form has them in the order of their
 * keys, so equal data give equal bytes.
 */
#ifndef CR_STATS_CELLS_H
#define CR_STATS_CELLS_H

#include "data/schema.h"
#include "stats/counts.h"

/* --- keys ----------------------------------------------------------------------------------- */

/* Where a variable's code is in a key. Fields do not straddle words, and the first variable has the
 * highest bits, so keys compare as combinations do. */
typedef struct cr__packed_field {
    uint32_t word;
    uint8_t shift, bits;
} cr__packed_field;

typedef struct cr__packing {
    size_t variables, words;
    cr__packed_field *field; /* [variables] */
} cr__packing;               /* {0} is empty */

/* Fields for codes up to values[i] each. CR_ENOMEM. */
cr_status cr__packing_make(cr__packing *out, const uint32_t *values, size_t variables);
void cr__packing_free(cr__packing *packing);

static inline uint32_t cr__packing_get(const cr__packing *p, const uint64_t *key, size_t variable)
{
    const cr__packed_field f = p->field[variable];

    return (uint32_t)(key[f.word] >> f.shift) & (uint32_t)((UINT64_C(1) << f.bits) - 1);
}

static inline void cr__packing_put(const cr__packing *p, uint64_t *key, size_t variable,
                                   uint32_t code)
{
    key[p->field[variable].word] |= (uint64_t)code << p->field[variable].shift;
}

/* The largest code that fits. */
static inline uint32_t cr__packing_room(const cr__packing *p, size_t variable)
{
    return (uint32_t)((UINT64_C(1) << p->field[variable].bits) - 1);
}

/* --- the canonical form --------------------------------------------------------------------- */

typedef struct cr__cells {
    uint32_t *column; /* [packing.variables] of the schema: the features, then the target */
    cr__packing packing;
    size_t count;
    uint64_t *key;      /* [count * packing.words] ascending */
    int64_t *whole;     /* [count] */
    uint64_t *fraction; /* [count], or NULL */
} cr__cells;

void cr__cells_free(cr__cells *cells); /* bytes it holds */

/* The columns that are variables, features first and the target last, and room for their codes;
 * no cells yet. values [columns] tells how many values each column has. */
cr_status cr__cells_lay(cr__cells *cells, const cr_schema *schema, const size_t *values);

static inline cr__count cr__cells_at(const cr__cells *cells, size_t i)
{
    return (cr__count){cells->whole[i], cells->fraction == NULL ? 0 : cells->fraction[i]};
}

/* Whether the cell has a value for every variable. */
int cr__cells_complete(const cr__cells *cells, size_t i);

/* --- while they are being collected ----------------------------------------------------------- */

typedef struct cr__cell_table {
    cr__packing packing;
    size_t count, capacity;
    uint64_t *key;      /* [capacity * packing.words] */
    int64_t *whole;     /* [capacity] */
    uint64_t *fraction; /* [capacity], or NULL while all counts are whole */
    uint32_t *slot;     /* [2^slot_bits] cell + 1, 0 is empty */
    uint32_t slot_bits;
} cr__cell_table; /* with a packing it is ready */

void cr__cell_table_free(cr__cell_table *table);

/* Add sign * n to the cell of a key, which is made when it is new. CR_ELIMIT: too large a count,
 * or too many cells. */
cr_status cr__cell_table_count(cr__cell_table *table, const uint64_t *key, cr__count n, int sign);

/* The cell of a key, or SIZE_MAX. */
size_t cr__cell_table_find(const cr__cell_table *table, const uint64_t *key);

/* A key will be looked up soon: fetch its slot. It pays this many keys ahead. */
enum { CR__CELLS_AHEAD = 12 };
void cr__cell_table_expect(const cr__cell_table *table, const uint64_t *key);

/* No key is looked up any more: the cells are only repacked and sorted. */
void cr__cell_table_close(cr__cell_table *table);

/* The same cells with other fields: codes by map[variable][code]; as they are where map or
 * map[variable] is NULL. */
cr_status cr__cell_table_repack(cr__cell_table *table, const cr__packing *packing,
                                uint32_t *const *map);

/* Bytes it uses. */
double cr__cell_table_bytes(const cr__cell_table *table);

/* Put the cells whose count is not zero into canonical order. The cells must use the table's
 * packing. CR_ECONFLICT when a count is negative. */
cr_status cr__cell_table_sort(const cr__cell_table *table, cr__cells *out);

#endif
