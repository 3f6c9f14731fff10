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

typedef struct figures {
    double n, entropy; /* N, N Ent(S) */
    size_t classes;
} figures;

typedef struct cutter {
    const cr__spread *spread;
    cr__cut_logs logs;
    mix left, right;
    uint32_t *whole;     /* [entries] the counts, or NULL where one is not whole */
    class_sides *sides;  /* [classes] likewise */
    uint32_t *before;    /* [blocks + 1][classes] rows before each block of entries, likewise */
    unsigned block_bits; /* of the entries of a block */
    uint32_t *occurs;    /* [classes] those that occur in the current part, ascending */
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

/* --- whole counts ---------------------------------------------------------------------------- */

enum {
    BLOCK_BITS = 6,  /* at least, of the entries of a block, */
    BLOCK_SHARE = 4, /* and so many times as many entries as classes */
    SPAN_MOST = 64,  /* blocks passed at once */
    SAMPLES = 128,   /* places looked at first */
    FEW_BLOCKS = 3   /* not worth it */
};

/* A search for the place of least remaining entropy, from left to right. */
typedef struct search {
    part p;
    figures all;
    double left_sum, right_sum;
    uint32_t left_n, right_n;
    double least;       /* remaining entropy of the best place so far; */
    size_t best;        /* SIZE_MAX: none */
    double description; /* log2(N - 1) + log2(3^k - 2) - k Ent(S) */
    double known;       /* some place has at most this */
    double skipped;     /* no place that was skipped as not worth a cut has less */
} search;

static double side_entropy(double n_log, double sum)
{
    const double total = n_log - sum;

    return total > 0 ? total : 0;
}

/* Begin with all rows on the right, or go on where the sums are stale. */
static void sum_sides(const cutter *c, search *s)
{
    s->left_sum = s->right_sum = 0;
    for (size_t k = 0; k < c->occurring; k++) {
        class_sides *one = &c->sides[c->occurs[k]];

        s->left_sum += one->left_log = whole_log(&c->logs, one->left);
        s->right_sum += one->right_log = whole_log(&c->logs, one->right);
    }
}

/* Look at every place before some entries, and move these to the left. */
static void look_at(const cutter *c, search *s, size_t first, size_t end)
{
    const cr__spread *spread = c->spread;
    const cr__cut_logs logs = c->logs;
    class_sides *restrict sides = c->sides;
    double left_sum = s->left_sum, right_sum = s->right_sum, less = s->least * (1 - 1e-12);
    uint32_t left_n = s->left_n, right_n = s->right_n;

    for (size_t i = first; i < end; i++) {
        class_sides *one = &sides[spread->class_of[i]];
        const uint32_t n = c->whole[i];
        double left, right;

        if (i > s->p.first && spread->value[i] != spread->value[i - 1]) {
            const double rest = side_entropy(whole_log(&logs, left_n), left_sum) +
                                side_entropy(whole_log(&logs, right_n), right_sum);

            if (rest < less) { /* the first of equals, whatever the rounding */
                s->least = rest;
                less = rest * (1 - 1e-12);
                s->best = i;
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
    s->left_sum = left_sum;
    s->right_sum = right_sum;
    s->left_n = left_n;
    s->right_n = right_n;
}

static const uint32_t *rows_before(const cutter *c, size_t entry)
{
    return c->before + (entry >> c->block_bits) * c->spread->classes;
}

/* What the places before some whole blocks can have. With l rows of a class on the left and r on
 * the right, of L and R, the remaining entropy changes with l by log2(L / l) - log2(R / r). As rows
 * only move to the left, this is nowhere less than with L and r at their least, l and R at their
 * most; and each side's N Ent only grows with its rows, which bounds the description from below. */
typedef struct bounds {
    double least; /* remaining entropy */
    double gain;  /* N Gain that a cut needs */
} bounds;

static bounds bound_places(const cutter *c, const search *s, size_t first, size_t end)
{
    const uint32_t *from = rows_before(c, first), *to = rows_before(c, end);
    double left = 0, right = 0, last = 0, change = 0, moved = 0;
    size_t left_classes = 0, right_classes = 0;
    bounds b;

    if (s->left_n == 0)
        return (bounds){-INFINITY, -INFINITY};
    for (size_t k = 0; k < c->occurring; k++) {
        const uint32_t of = c->occurs[k], move = to[of] - from[of];
        const class_sides *one = &c->sides[of];
        const double most = (double)(one->left + move) * s->right_n;
        const double least = (double)(one->right - move) * s->left_n;

        left += whole_log(&c->logs, one->left);
        right += whole_log(&c->logs, one->right);
        last += whole_log(&c->logs, one->right - move);
        left_classes += one->left > 0;
        right_classes += one->right > move;
        moved += move;
        if (move > 0 && least < most)
            change += least > 0 ? move * log2(least / most) : -INFINITY;
    }
    left = side_entropy(whole_log(&c->logs, s->left_n), left);
    right = side_entropy(whole_log(&c->logs, s->right_n), right);
    last = side_entropy(n_log_n(&c->logs, s->right_n - moved), last);
    b.least = left + right + change;
    b.gain = s->description + (double)left_classes * left / (s->left_n + moved) +
             (double)right_classes * last / s->right_n;
    return b;
}

/* Remaining entropies at the beginnings of some blocks from entry `first` on, where the search is.
 */
static void sample(const cutter *c, search *s, size_t first)
{
    const cr__spread *spread = c->spread;
    const size_t at = first >> c->block_bits, end = s->p.end >> c->block_bits;
    const uint32_t *from = rows_before(c, first);

    for (size_t b = at + 1; b < end; b += (end - at) / SAMPLES + 1) {
        const size_t i = b << c->block_bits;
        const uint32_t *to = rows_before(c, i);
        uint32_t left_n = s->left_n, right_n = s->right_n;
        double left = 0, right = 0;

        if (spread->value[i] == spread->value[i - 1])
            continue;
        for (size_t k = 0; k < c->occurring; k++) {
            const uint32_t of = c->occurs[k], move = to[of] - from[of];

            left_n += move;
            right_n -= move;
            left += whole_log(&c->logs, c->sides[of].left + move);
            right += whole_log(&c->logs, c->sides[of].right - move);
        }
        s->known = fmin(s->known, side_entropy(whole_log(&c->logs, left_n), left) +
                                      side_entropy(whole_log(&c->logs, right_n), right));
    }
}

/* Move the rows of blocks to the left without looking at places between them. */
static void pass(const cutter *c, search *s, size_t first, size_t end)
{
    const uint32_t *from = rows_before(c, first), *to = rows_before(c, end);

    for (size_t k = 0; k < c->occurring; k++) {
        const uint32_t of = c->occurs[k], move = to[of] - from[of];

        c->sides[of].left += move;
        c->sides[of].right -= move;
        s->left_n += move;
        s->right_n -= move;
    }
}

/* Look only where the least remaining entropy may be and, with `worthy`, where a cut may be worth
 * its description. */
static void look_between(const cutter *c, search *s, double margin, int worthy)
{
    const size_t block = (size_t)1 << c->block_bits, blocks = s->p.end >> c->block_bits;
    size_t i = (s->p.first + block - 1) & ~(block - 1), span = 1;
    int stale = 0;

    look_at(c, s, s->p.first, i);
    sample(c, s, i);
    for (size_t at = i >> c->block_bits; at < blocks; at = i >> c->block_bits) {
        const size_t next = (at + (span < blocks - at ? span : blocks - at)) << c->block_bits;
        const bounds b = bound_places(c, s, i, next);
        const int above = b.least > fmin(s->least, s->known) + margin;

        if (above || (worthy && b.least > s->all.entropy - b.gain + margin)) {
            if (!above)
                s->skipped = fmin(s->skipped, b.least);
            pass(c, s, i, next);
            i = next;
            span = span < SPAN_MOST ? 2 * span : span;
            stale = 1;
        } else if (span > 1) {
            span /= 2;
        } else {
            if (stale)
                sum_sides(c, s);
            stale = 0;
            look_at(c, s, i, next);
            i = next;
        }
    }
    if (stale)
        sum_sides(c, s);
    look_at(c, s, i, s->p.end);
}

/* As least_entropy() for whole counts. With `worthy` the place may be another one where no cut is
 * worth its description; *sure says that it is not when it is worth its own. */
static size_t least_whole(const cutter *c, part p, int worthy, int *sure)
{
    const double margin = 1e-9 * (1 + n_log_n(&c->logs, c->right.n)); /* above all rounding */
    search s = {.p = p,
                .all = {c->right.n, total_entropy(&c->logs, &c->right), c->right.classes},
                .right_n = (uint32_t)c->right.n,
                .least = INFINITY,
                .best = SIZE_MAX,
                .known = INFINITY,
                .skipped = INFINITY};

    s.description = log2(s.all.n - 1) + log_choices(s.all.classes) -
                    (double)s.all.classes * s.all.entropy / s.all.n;
    for (size_t k = 0; k < c->occurring; k++) {
        const uint32_t of = c->occurs[k];

        c->sides[of] = (class_sides){.right = (uint32_t)c->right.rows[of]};
    }
    sum_sides(c, &s);
    if (p.end - p.first < (size_t)FEW_BLOCKS << c->block_bits)
        look_at(c, &s, p.first, p.end);
    else
        look_between(c, &s, margin, worthy);
    *sure = s.skipped > s.least + margin;
    return s.best;
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

/* Add or subtract the rows of whole counts before a place. */
static void add_before(const cutter *c, size_t place, int sign, mix *m)
{
    const uint32_t *before = rows_before(c, place);

    for (size_t k = 0; k < c->occurring; k++)
        m->rows[c->occurs[k]] += sign * (double)before[c->occurs[k]];
    for (size_t i = place >> c->block_bits << c->block_bits; i < place; i++)
        m->rows[c->spread->class_of[i]] += sign * (double)c->whole[i];
}

/* Split the rows of a part at a place into both sides. */
static void part_at(cutter *c, part p, size_t place)
{
    const cr__spread *s = c->spread;

    empty(c, &c->left);
    empty(c, &c->right);
    if (c->whole != NULL && p.end - p.first >= (size_t)FEW_BLOCKS << c->block_bits) {
        add_before(c, place, 1, &c->left);
        add_before(c, p.first, -1, &c->left);
        add_before(c, p.end, 1, &c->right);
        add_before(c, place, -1, &c->right);
    } else
        for (size_t i = p.first; i < p.end; i++)
            (i < place ? &c->left : &c->right)->rows[s->class_of[i]] += s->count[i];
    sum_up(c, &c->left);
    sum_up(c, &c->right);
}

/* Whether a cut at a place of a part with such figures is worth its description; the current sides
 * are those of the cut then. */
static int worth_at(cutter *c, part p, size_t place, const figures *all)
{
    part_at(c, p, place);
    return worth(c, all->n, all->entropy, all->classes);
}

/* The best cut of a part if it is worth its description, else SIZE_MAX. */
static size_t best_cut(cutter *c, part p)
{
    size_t best = SIZE_MAX;
    int sure = 1;

    find_classes(c, p);
    part_at(c, p, p.first);
    if (c->right.classes > 1) {
        const figures all = {c->right.n, total_entropy(&c->logs, &c->right), c->right.classes};

        best = c->whole != NULL ? least_whole(c, p, 1, &sure) : least_entropy(c, p);
        if (best != SIZE_MAX && !worth_at(c, p, best, &all))
            best = SIZE_MAX;
        if (best != SIZE_MAX && !sure) {
            part_at(c, p, p.first);
            best = least_whole(c, p, 0, &sure);
            best = worth_at(c, p, best, &all) ? best : SIZE_MAX;
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
    while ((size_t)1 << c->block_bits < BLOCK_SHARE * s->classes)
        c->block_bits++;
    c->whole = cr__alloc(s->entries, sizeof *c->whole);
    c->sides = cr__alloc(s->classes, sizeof *c->sides);
    c->before = cr__alloc_zero((s->entries >> c->block_bits) + 1, s->classes * sizeof *c->before);
    if (c->whole == NULL || c->sides == NULL || c->before == NULL)
        return CR_ENOMEM;
    for (size_t b = 0, i = 0; i < s->entries; b++) {
        uint32_t *restrict next = c->before + (b + 1) * s->classes;
        const int last = b == s->entries >> c->block_bits;
        const size_t end = last ? s->entries : (b + 1) << c->block_bits;

        if (!last)
            memcpy(next, next - s->classes, s->classes * sizeof *next);
        for (; i < end; i++) {
            c->whole[i] = (uint32_t)s->count[i];
            if (!last)
                next[s->class_of[i]] += c->whole[i];
        }
    }
    return CR_OK;
}

cr_status cr__cut_mdl(cr__cuts *out, const cr__spread *spread, const cr__cut_logs *logs)
{
    cr__cut_logs own = {0};
    cutter c = {.spread = spread, .block_bits = BLOCK_BITS};
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
    cr__free(c.before);
    cr__free(c.occurs);
    cr__free(c.wait);
    return st;
}
