/* network/learn/family.c - cases, and the counting of families over them. */
#include "network/learn/family.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

enum {
    BLOCK = 2048,        /* rows whose places in a table are found at a time */
    TABLES_MAX = 1 << 20 /* cells that are counted at a time, unless one table has more */
};

/* --- cases ------------------------------------------------------------------------------------ */

cr_status cr__cases_new(cr__cases **out, const uint32_t *states, uint32_t variables, size_t rows,
                        cr_error *err)
{
    cr__cases *cases = cr__alloc_zero(1, sizeof *cases);
    int made = cases != NULL;

    *out = NULL;
    if (made) {
        cases->variables = variables;
        cases->rows = rows;
        cases->total = (double)rows;
        cases->states = cr__alloc(variables, sizeof *cases->states);
        cases->code = cr__alloc_zero(variables, sizeof *cases->code);
        made = cases->states != NULL && cases->code != NULL;
    }
    for (uint32_t i = 0; made && i < variables; i++) {
        cases->states[i] = states[i];
        cases->code[i] = cr__alloc_zero(rows, states[i] <= 256 ? 1 : 2);
        made = cases->code[i] != NULL;
    }
    if (!made) {
        cr__cases_free(cases);
        return cr__fail_memory(err);
    }
    *out = cases;
    return CR_OK;
}

void cr__cases_free(cr__cases *cases)
{
    if (cases == NULL)
        return;
    for (uint32_t i = 0; i < cases->variables; i++) {
        if (cases->code != NULL)
            cr__free(cases->code[i]);
        if (cases->bits != NULL)
            cr__free(cases->bits[i]);
    }
    cr__free(cases->states);
    cr__free(cases->code);
    cr__free(cases->bits);
    cr__free(cases->weight);
    cr__free(cases);
}

cr_status cr__cases_index(cr__cases *cases, cr_error *err)
{
    if (cases->weight != NULL)
        return CR_OK; /* a bit can only have weight 1 */
    cases->words = (cases->rows + 255) / 256 * 4;
    if ((cases->bits = cr__alloc_zero(cases->variables, sizeof *cases->bits)) == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; i < cases->variables; i++) {
        const size_t words = cases->words;
        uint64_t *bits;

        if (cases->states[i] > CR__BITMAP_STATES_MAX)
            continue;
        if ((bits = cr__alloc_zero(cases->states[i] * words, sizeof *bits)) == NULL)
            return cr__fail_memory(err);
        cases->bits[i] = bits;
        for (size_t r = 0; r < cases->rows; r++)
            bits[((const uint8_t *)cases->code[i])[r] * words + r / 64] |= UINT64_C(1) << r % 64;
    }
    return CR_OK;
}

/* Complete cells, the number of rows they represent, and whether all these numbers are integers. */
static int survey(const cr__cells *cells, size_t *complete, double *rows)
{
    int whole = cells->fraction == NULL;

    *complete = 0;
    *rows = 0;
    for (size_t i = 0; i < cells->count; i++)
        if (cr__cells_complete(cells, i)) {
            ++*complete;
            *rows += cr__count_value(cr__cells_at(cells, i));
        }
    return whole;
}

static void fill_cases(cr__cases *cases, const cr__cells *cells)
{
    size_t row = 0;

    cases->total = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const uint64_t *key = cells->key + i * cells->packing.words;
        const double n = cr__count_value(cr__cells_at(cells, i));

        if (!cr__cells_complete(cells, i))
            continue;
        cases->total += n;
        if (cases->weight != NULL)
            cases->weight[row] = n;
        for (size_t end = row + (cases->weight != NULL ? 1 : (size_t)n); row < end; row++)
            for (uint32_t v = 0; v < cases->variables; v++)
                cr__cases_put(cases, v, row, cr__packing_get(&cells->packing, key, v) - 1);
    }
}

cr_status cr__cases_of_cells(cr__cases **out, const cr__cells *cells, const uint32_t *states,
                             cr_error *err)
{
    const uint32_t variables = (uint32_t)cells->packing.variables;
    size_t complete;
    double rows;
    int apart = survey(cells, &complete, &rows);
    cr_status st;

    *out = NULL;
    if (complete == 0) {
        cr__fail(err, CR_EFORMAT, "no row has a value for every variable");
        return cr__fail_hint(err, CR_EFORMAT,
                             "leave columns out that are often empty, or give a structure");
    }
    apart = apart && rows <= 16 * (double)complete; /* a bit is cheaper */
    if ((st = cr__cases_new(out, states, variables, apart ? (size_t)rows : complete, err)) != CR_OK)
        return st;
    if (!apart && ((*out)->weight = cr__alloc(complete, sizeof(double))) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK) {
        fill_cases(*out, cells);
        st = cr__cases_index(*out, err);
    }
    if (st != CR_OK) {
        cr__cases_free(*out);
        *out = NULL;
    }
    return st;
}

/* Rows drawn by weight: binary search in the cumulative sums. */
static size_t draw(const double *sum, size_t rows, cr__random *random)
{
    const double u = cr__random_uniform(random) * sum[rows - 1];
    size_t low = 0, high = rows - 1;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (sum[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void copy_rows(cr__cases *to, const cr__cases *from, const uint32_t *row)
{
    for (uint32_t v = 0; v < from->variables; v++)
        for (size_t i = 0; i < to->rows; i++)
            cr__cases_put(to, v, i, cr__cases_get(from, v, row[i]));
}

cr_status cr__cases_resample(cr__cases **out, const cr__cases *cases, cr__random *random,
                             cr_error *err)
{
    const double most = 1e9;
    const size_t rows = (size_t)(cases->total < 1 ? 1 : cases->total < most ? cases->total : most);
    uint32_t *row = cr__alloc(rows, sizeof *row);
    double *sum = cases->weight == NULL ? NULL : cr__alloc(cases->rows, sizeof *sum);
    cr_status st;

    *out = NULL;
    if (row == NULL || (cases->weight != NULL && sum == NULL))
        st = cr__fail_memory(err);
    else
        st = cr__cases_new(out, cases->states, cases->variables, rows, err);
    for (size_t i = 0; st == CR_OK && sum != NULL && i < cases->rows; i++)
        sum[i] = cases->weight[i] + (i > 0 ? sum[i - 1] : 0);
    for (size_t i = 0; st == CR_OK && i < rows; i++)
        row[i] = (uint32_t)(sum != NULL ? draw(sum, cases->rows, random)
                                        : cr__random_below(random, cases->rows));
    if (st == CR_OK) {
        copy_rows(*out, cases, row);
        st = cr__cases_index(*out, err);
    }
    if (st != CR_OK) {
        cr__cases_free(*out);
        *out = NULL;
    }
    cr__free(row);
    cr__free(sum);
    return st;
}

size_t cr__cases_cells(const cr__cases *cases, const uint32_t *variable, size_t count, size_t most)
{
    size_t cells = 1;

    for (size_t i = 0; i < count; i++) {
        if (cells > most / cases->states[variable[i]])
            return SIZE_MAX;
        cells *= cases->states[variable[i]];
    }
    return cells;
}

/* --- counting rows one by one ----------------------------------------------------------------- */

cr_status cr__counter_new(cr__counter *counter, const cr__cases *cases, cr_error *err)
{
    *counter = (cr__counter){.cases = cases};
    counter->row = cr__alloc(cases->rows, sizeof *counter->row);
    counter->table = cr__alloc(cases->variables, sizeof *counter->table);
    return counter->row == NULL || counter->table == NULL ? cr__fail_memory(err) : CR_OK;
}

void cr__counter_free(cr__counter *counter)
{
    cr__free(counter->level);
    cr__free(counter->row);
    cr__free(counter->cells);
    cr__free(counter->table);
    *counter = (cr__counter){0};
}

size_t cr__counter_lay(cr__counter *counter, size_t cells, const uint32_t *extra, size_t extras)
{
    const uint32_t *states = counter->cases->states;
    size_t n = 0, need = 0;

    while (n < extras && (n == 0 || need + cells * states[extra[n]] <= TABLES_MAX))
        need += cells * states[extra[n++]];
    if (!cr__grow(&counter->cells, &counter->cell_capacity, need, sizeof *counter->cells))
        return 0;
    need = 0;
    for (size_t i = 0; i < n; i++) {
        counter->table[i] = counter->cells + need;
        need += cells * states[extra[i]];
    }
    return n;
}

/* A request: which variables, and where the counts go. */
typedef struct question {
    const cr__cases *cases;
    const uint32_t *base, *extra;
    size_t bases, extras;
    double *const *table;
} question;

/* place[i] = place[i] * states + code of the i-th row; row NULL: the rows from `first` on. */
static void step_places(size_t *place, const cr__cases *cases, uint32_t variable,
                        const uint32_t *row, size_t first, size_t n)
{
    const size_t states = cases->states[variable];

    for (size_t i = 0; i < n; i++)
        place[i] =
            place[i] * states + cr__cases_get(cases, variable, row == NULL ? first + i : row[i]);
}

/* Count n rows in a table with the places of the base's combinations. */
static void tally(double *table, const size_t *place, const cr__cases *cases, uint32_t variable,
                  const uint32_t *row, size_t first, size_t n)
{
    const size_t states = cases->states[variable];

    for (size_t i = 0; i < n; i++) {
        const size_t r = row == NULL ? first + i : row[i];

        table[place[i] * states + cr__cases_get(cases, variable, r)] +=
            cases->weight == NULL ? 1 : cases->weight[r];
    }
}

/* Rows of a combination of the first `level` base variables, which is at `start` among these. */
static void count_listed(const question *q, const uint32_t *row, size_t rows, size_t level,
                         size_t start)
{
    size_t place[BLOCK];

    for (size_t first = 0; first < rows; first += BLOCK) {
        const size_t n = rows - first < BLOCK ? rows - first : BLOCK;
        const uint32_t *part = row == NULL ? NULL : row + first;

        for (size_t i = 0; i < n; i++)
            place[i] = start;
        for (size_t i = level; i < q->bases; i++)
            step_places(place, q->cases, q->base[i], part, first, n);
        for (size_t e = 0; e < q->extras; e++)
            tally(q->table[e], place, q->cases, q->extra[e], part, first, n);
    }
}

/* The rows whose bits are set. */
static size_t list_rows(uint32_t *row, const uint64_t *bits, size_t words)
{
    size_t n = 0;

    for (size_t i = 0; i < words; i++)
        for (uint64_t left = bits[i]; left != 0; left &= left - 1)
            row[n++] = (uint32_t)(i * 64 + (size_t)__builtin_ctzll(left));
    return n;
}

/* --- counting with bitmaps -------------------------------------------------------------------- */

/* Whether n rows are better listed than narrowed down with bitmaps through the remaining base
 * variables. In units of about a nanosecond: a row costs 1 per variable, a word of a bitmap 1/8
 * (measured on both sides with tables from 8 to 4096 cells). */
static int better_listed(const question *q, size_t n, size_t level, size_t extra_states)
{
    const double words = (double)q->cases->words / 8;
    double narrow = words * (double)extra_states, step = 1;

    for (size_t i = level; i < q->bases; i++) {
        step *= q->cases->states[q->base[i]];
        if (q->cases->bits[q->base[i]] == NULL || step * words > (double)n * 64)
            return 1;
        narrow = narrow * q->cases->states[q->base[i]] + step * words;
    }
    return (double)n * (double)(q->bases - level + q->extras) + 2 * words < narrow;
}

/* A leaf: n rows that agree in all base variables. The last state's count is the remainder. */
static void count_leaf(const question *q, const uint64_t *bits, size_t n, size_t place)
{
    for (size_t e = 0; e < q->extras; e++) {
        const uint32_t v = q->extra[e], states = q->cases->states[v];
        double *row = q->table[e] + place * states;
        size_t left = n;

        for (uint32_t s = 0; s + 1 < states && left > 0; s++) {
            const size_t here =
                cr__bits_common(bits, q->cases->bits[v] + s * q->cases->words, q->cases->words);

            row[s] = (double)here;
            left -= here;
        }
        row[states - 1] = (double)left;
    }
}

typedef struct station {
    const uint64_t *bits; /* of the combination so far */
    uint32_t next;        /* state of the level's variable to try next */
    size_t place;
} station;

enum { LEVELS = 64 };

/* Go through the combinations of the base, depth first; stations are the path down. */
static void descend(const question *q, cr__counter *counter, size_t extra_states)
{
    const size_t words = q->cases->words;
    station way[LEVELS + 1] = {{NULL, 0, 0}};
    size_t level = 0;

    for (;;) {
        station *at = &way[level];
        const uint32_t v = q->base[level];
        const uint64_t *state;
        uint64_t *room = counter->level + level * words;
        size_t n;

        if (at->next == q->cases->states[v]) {
            if (level-- == 0)
                return;
            continue;
        }
        state = q->cases->bits[v] + at->next * words;
        n = at->bits == NULL ? cr__bits_common(state, state, words)
                             : cr__bits_meet(room, at->bits, state, words);
        way[level + 1] = (station){at->bits == NULL ? state : room, 0,
                                   at->place * q->cases->states[v] + at->next};
        at->next++;
        if (n == 0)
            continue;
        if (better_listed(q, n, level + 1, extra_states))
            count_listed(q, counter->row, list_rows(counter->row, way[level + 1].bits, words),
                         level + 1, way[level + 1].place);
        else if (level + 1 == q->bases)
            count_leaf(q, way[level + 1].bits, n, way[level + 1].place);
        else
            level++;
    }
}

static int reserve_levels(cr__counter *counter, size_t levels)
{
    uint64_t *more;

    if (levels <= counter->level_count)
        return 1;
    more = cr__realloc(counter->level, levels * counter->cases->words, sizeof *more);
    if (more == NULL)
        return 0;
    counter->level = more;
    counter->level_count = levels;
    return 1;
}

/* Leaves need bitmaps of the extra variables; *states is how many of them are counted. */
static int have_bitmaps(const question *q, size_t *states)
{
    *states = 0;
    for (size_t e = 0; e < q->extras; e++) {
        if (q->cases->bits[q->extra[e]] == NULL)
            return 0;
        *states += q->cases->states[q->extra[e]] - 1;
    }
    return 1;
}

cr_status cr__count_extended(cr__counter *counter, const uint32_t *base, size_t bases,
                             const uint32_t *extra, size_t extras, double *const *table)
{
    const cr__cases *cases = counter->cases;
    const question q = {cases, base, extra, bases, extras, table};
    const size_t cells = cr__cases_cells(cases, base, bases, SIZE_MAX);
    size_t extra_states;

    for (size_t e = 0; e < extras; e++)
        memset(table[e], 0, cells * cases->states[extra[e]] * sizeof(double));
    if (cases->bits == NULL || bases == 0 || bases > LEVELS || !have_bitmaps(&q, &extra_states) ||
        better_listed(&q, cases->rows, 0, extra_states)) {
        count_listed(&q, NULL, cases->rows, 0, 0);
        return CR_OK;
    }
    if (!reserve_levels(counter, bases))
        return CR_ENOMEM;
    descend(&q, counter, extra_states);
    return CR_OK;
}
