/* data/mdl.c - cuts that separate classes, by minimum description length.
 *
 * Of the N rows of an interval S, k classes occur; a cut T splits it into S1 and S2. With the
 * entropies Ent in bits, the cut of least remaining entropy is taken when it is worth its
 * description:
 *
 *     Gain(T) > (log2(N - 1) + Δ) / N,   Gain = Ent(S) - N1/N Ent(S1) - N2/N Ent(S2),
 *     Δ = log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2))
 *
 * and both parts are cut again (Fayyad & Irani 1993). Pending intervals are kept in a list, so
 * there is no recursion.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/discretise.h"

/* Rows by class and the sum Σ n log2 n that entropy needs, updated as rows are added and
 * removed. */
typedef struct mix {
    double *rows;   /* [classes] */
    double *log;    /* [classes] n log2 n of each */
    double n, sum;  /* Σ n, Σ n log2 n */
    size_t classes; /* that occur */
} mix;

/* A class on both sides of a place, in whole rows. */
typedef struct class_sides {
    uint32_t left, right;
    double left_log, right_log; /* n log2 n of each */
} class_sides;

typedef struct part {
    size_t first, end; /* entries of the spread */
} part;

typedef struct cutter {
    const cr__spread *spread;
    cr__cut_logs logs;
    mix left, right;
    uint32_t *whole;    /* [entries] the counts, or NULL where one is not whole */
    class_sides *sides; /* [classes] likewise */
    uint32_t *occurs;   /* [classes] those that occur in the current part, ascending */
    size_t occurring;
    part *wait;
    size_t waiting, capacity;
    size_t cut_capacity;
} cutter;

static double n_log_n(const cr__cut_logs *logs, double n)
{
    const size_t whole = n > 0 && n < (double)logs->count ? (size_t)n : 0;

    if ((double)whole == n)
        return logs->n_log_n[whole];
    return n > 0 ? n * log2(n) : 0;
}

enum { LOGS_MOST = 1 << 18, LOGS_PER_ENTRY = 4 }; /* a cut takes a few logarithms for an entry */

cr_status cr__cut_logs_make(cr__cut_logs *out, double rows)
{
    *out = (cr__cut_logs){.count = rows + 2 < LOGS_MOST ? (size_t)rows + 2 : LOGS_MOST};
    if ((out->n_log_n = cr__alloc(out->count, sizeof *out->n_log_n)) == NULL)
        return CR_ENOMEM;
    out->n_log_n[0] = 0;
    for (size_t n = 1; n < out->count; n++)
        out->n_log_n[n] = (double)n * log2((double)n);
    return CR_OK;
}

static double rows_of(const cr__spread *spread)
{
    double all = 0;

    for (size_t i = 0; i < spread->entries; i++)
        all += spread->count[i];
    return all;
}

static void move_rows(const cr__cut_logs *logs, mix *m, uint32_t c, double n)
{
    const double before = m->rows[c], after = before + n;
    const double log = n_log_n(logs, after);

    m->classes += (after > 0) - (size_t)(before > 0);
    m->sum += log - m->log[c];
    m->n += n;
    m->rows[c] = after;
    m->log[c] = log;
}

static int make_mix(mix *m, size_t classes)
{
    m->rows = cr__alloc_zero(classes, sizeof *m->rows);
    m->log = cr__alloc_zero(classes, sizeof *m->log);
    return m->rows != NULL && m->log != NULL;
}

static void free_mix(mix *m)
{
    cr__free(m->rows);
    cr__free(m->log);
}

/* Compute the sums of a mix from its rows. */
static void sum_up(const cutter *c, mix *m)
{
    m->n = m->sum = 0;
    m->classes = 0;
    for (size_t i = 0; i < c->occurring; i++) {
        const uint32_t of = c->occurs[i];

        m->n += m->rows[of];
        m->sum += m->log[of] = n_log_n(&c->logs, m->rows[of]);
        m->classes += m->rows[of] > 0;
    }
}

/* N times the entropy: N log2 N - Σ n log2 n. */
static double total_entropy(const cr__cut_logs *logs, const mix *m)
{
    const double total = n_log_n(logs, m->n) - m->sum;

    return total > 0 ? total : 0;
}

/* log2(3^k - 2) */
static double log_choices(size_t k)
{
    return (double)k * log2(3) + log2(1 - 2 * pow(3, -(double)k));
}

static void empty(const cutter *c, mix *m)
{
    for (size_t i = 0; i < c->occurring; i++)
        m->rows[c->occurs[i]] = m->log[c->occurs[i]] = 0;
    m->n = m->sum = 0;
    m->classes = 0;
}

static int compare_classes(const void *pa, const void *pb)
{
    const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

    return a < b ? -1 : a > b;
}

/* The classes to consider in a part: when it has fewer entries than there are classes, only those
 * that occur in it, so that the cost is linear in its entries. */
static void find_classes(cutter *c, part p)
{
    const cr__spread *s = c->spread;
    const size_t n = p.end - p.first;
    size_t kept = 0;

    c->occurring = n < s->classes ? n : s->classes;
    for (size_t i = 0; i < c->occurring; i++)
        c->occurs[i] = n < s->classes ? s->class_of[p.first + i] : (uint32_t)i;
    if (n >= s->classes)
        return;
    qsort(c->occurs, n, sizeof *c->occurs, compare_classes);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || c->occurs[kept - 1] != c->occurs[i])
            c->occurs[kept++] = c->occurs[i];
    c->occurring = kept;
}

/* Whether the cut into the current left and right sides is worth its description. */
static int worth(const cutter *c, double n, double entropy, size_t classes)
{
    const double left = total_entropy(&c->logs, &c->left);
    const double right = total_entropy(&c->logs, &c->right);
    const double gain = (entropy - left - right) / n;
    const double delta = log_choices(classes) - ((double)classes * entropy / n -
                                                 (double)c->left.classes * left / c->left.n -
                                                 (double)c->right.classes * right / c->right.n);

    return gain > (log2(n - 1) + delta) / n;
}

static inline double whole_log(const cr__cut_logs *logs, uint32_t n)
{
    return n < logs->count ? logs->n_log_n[n] : (double)n * log2((double)n);
}

/* As least_entropy() for whole counts: the same operations on the same numbers, without asking
 * whether they are whole. */
static size_t least_whole(const cutter *c, part p)
{
    const cr__spread *s = c->spread;
    const cr__cut_logs logs = c->logs;
    class_sides *restrict sides = c->sides;
    double left_sum = c->left.sum, right_sum = c->right.sum, less = INFINITY;
    uint32_t left_n = 0, right_n = (uint32_t)c->right.n;
    size_t best = SIZE_MAX;

    for (size_t k = 0; k < c->occurring; k++) {
        const uint32_t of = c->occurs[k];

        sides[of] = (class_sides){0, (uint32_t)c->right.rows[of], 0, c->right.log[of]};
    }
    for (size_t i = p.first; i < p.end; i++) {
        class_sides *one = &sides[s->class_of[i]];
        const uint32_t n = c->whole[i];
        double left, right;

        if (i > p.first && s->value[i] != s->value[i - 1]) {
            left = whole_log(&logs, left_n) - left_sum;
            right = whole_log(&logs, right_n) - right_sum;
            left = (left > 0 ? left : 0) + (right > 0 ? right : 0);
            if (left < less) {
                less = left * (1 - 1e-12);
                best = i;
            }
        }
        left = whole_log(&logs, one->left += n);
        right = whole_log(&logs, one->right -= n);
        left_sum += left - one->left_log;
        right_sum += right - one->right_log;
        one->left_log = left;
        one->right_log = right;
        left_n += n;
        right_n -= n;
    }
    return best;
}

/* The place of least remaining entropy: the entry that the right side begins with, or SIZE_MAX. All
 * rows are on the right at first. */
static size_t least_entropy(cutter *c, part p)
{
    const cr__spread *s = c->spread;
    double least = INFINITY;
    size_t best = SIZE_MAX;

    for (size_t i = p.first; i < p.end; i++) {
        if (i > p.first && s->value[i] != s->value[i - 1]) {
            const double rest =
                total_entropy(&c->logs, &c->left) + total_entropy(&c->logs, &c->right);

            if (rest < least * (1 - 1e-12)) { /* the first of equals, whatever the rounding */
                least = rest;
                best = i;
            }
        }
        move_rows(&c->logs, &c->left, s->class_of[i], s->count[i]);
        move_rows(&c->logs, &c->right, s->class_of[i], -s->count[i]);
    }
    return best;
}

/* Split the rows of a part at a place into both sides. */
static void part_at(cutter *c, part p, size_t place)
{
    const cr__spread *s = c->spread;

    empty(c, &c->left);
    empty(c, &c->right);
    for (size_t i = p.first; i < p.end; i++)
        (i < place ? &c->left : &c->right)->rows[s->class_of[i]] += s->count[i];
    sum_up(c, &c->left);
    sum_up(c, &c->right);
}

/* The best cut of a part if it is worth its description, else SIZE_MAX. */
static size_t best_cut(cutter *c, part p)
{
    size_t best = SIZE_MAX;

    find_classes(c, p);
    part_at(c, p, p.first);
    if (c->right.classes > 1) {
        const double entropy = total_entropy(&c->logs, &c->right), n = c->right.n;
        const size_t classes = c->right.classes;

        best = c->whole != NULL ? least_whole(c, p) : least_entropy(c, p);
        if (best != SIZE_MAX) {
            part_at(c, p, best);
            best = worth(c, n, entropy, classes) ? best : SIZE_MAX;
        }
    }
    empty(c, &c->left);
    empty(c, &c->right);
    return best;
}

static int compare_numbers(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;

    return a < b ? -1 : a > b;
}

static cr_status cut_parts(cutter *c, cr__cuts *out)
{
    const cr__spread *s = c->spread;

    if (!cr__grow(&c->wait, &c->capacity, 1, sizeof *c->wait))
        return CR_ENOMEM;
    c->wait[c->waiting++] = (part){0, s->entries};
    while (c->waiting > 0) {
        const part p = c->wait[--c->waiting];
        const size_t at = best_cut(c, p);

        if (at == SIZE_MAX)
            continue;
        if (!cr__grow(&out->cut, &c->cut_capacity, out->count + 1, sizeof *out->cut) ||
            !cr__grow(&c->wait, &c->capacity, c->waiting + 2, sizeof *c->wait))
            return CR_ENOMEM;
        out->cut[out->count++] = cr__cut_between(s->value[at - 1], s->value[at]);
        c->wait[c->waiting++] = (part){p.first, at};
        c->wait[c->waiting++] = (part){at, p.end};
    }
    if (out->count > 1)
        qsort(out->cut, out->count, sizeof *out->cut, compare_numbers);
    return CR_OK;
}

/* The counts as whole numbers, if they are and their sum is one of 32 bits. */
static cr_status take_whole(cutter *c)
{
    const cr__spread *s = c->spread;

    if (!(rows_of(s) <= UINT32_MAX))
        return CR_OK;
    for (size_t i = 0; i < s->entries; i++)
        if (s->count[i] != floor(s->count[i]))
            return CR_OK;
    c->whole = cr__alloc(s->entries, sizeof *c->whole);
    c->sides = cr__alloc(s->classes, sizeof *c->sides);
    if (c->whole == NULL || c->sides == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < s->entries; i++)
        c->whole[i] = (uint32_t)s->count[i];
    return CR_OK;
}

cr_status cr__cut_mdl(cr__cuts *out, const cr__spread *spread, const cr__cut_logs *logs)
{
    cr__cut_logs own = {0};
    cutter c = {.spread = spread};
    cr_status st = logs == NULL
                       ? cr__cut_logs_make(
                             &own, fmin(rows_of(spread), LOGS_PER_ENTRY * (double)spread->entries))
                       : CR_OK;

    c.logs = logs == NULL ? own : *logs;
    *out = (cr__cuts){.whole = 1};
    if (!make_mix(&c.left, spread->classes) || !make_mix(&c.right, spread->classes) ||
        (c.occurs = cr__alloc(spread->classes, sizeof *c.occurs)) == NULL ||
        take_whole(&c) != CR_OK)
        st = CR_ENOMEM;
    if (st == CR_OK)
        st = cut_parts(&c, out);
    cr__free(own.n_log_n);
    free_mix(&c.left);
    free_mix(&c.right);
    cr__free(c.whole);
    cr__free(c.sides);
    cr__free(c.occurs);
    cr__free(c.wait);
    return st;
}
