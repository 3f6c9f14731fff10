/* learners/pairs/score.c - log P(class, row) with parents; missing values summed out along the
 * tree.
 *
 * Where every feature has at most one parent they make a forest, and the sum over missing values is
 * taken from the leaves up (Pearl 1988, Probabilistic Reasoning in Intelligent Systems, ch. 4).
 * With B_i(x) the product of what the children of a missing feature i say of its value x:
 *
 *     a known x with a missing parent says   P(x | p, c)            to each value p of it
 *     a missing feature says                 Σ_x P(x | p, c) B(x)   to its parent or the score
 *
 * A missing feature whose descendants are all missing says 1, so it is passed over.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/pairs/pairs.h"

void cr__dependent_codes(const cr__dependent *d, const cr__batch *batch, size_t row, uint32_t *code,
                         unsigned char *never)
{
    for (size_t i = 0; i < d->features; i++) {
        const cr__batch_column *data = &batch->column[d->column[i]];
        const int unknown = data->kind == CR_SYMBOL && data->code[row] > d->values[i];

        code[i] = unknown                   ? CR__MISSING
                  : data->kind == CR_SYMBOL ? data->code[row]
                                            : cr__cuts_code(&d->cuts[i], data->real[row]);
        if (never != NULL)
            never[i] = (unsigned char)unknown;
    }
}

size_t cr__dependent_known(const cr__dependent *d, size_t i, const uint32_t *code)
{
    size_t t = 0;

    while (t < d->structure.depth[i] &&
           code[d->structure.parent[i * CR__PARENTS_MOST + t]] != CR__MISSING)
        t++;
    return t;
}

/* Where B of each feature begins; and one flag for each. */
size_t cr__dependent_work(const cr__dependent *d)
{
    size_t size = 1;

    for (size_t i = 0; i < d->features; i++)
        size += d->values[i] * d->classes + 2;
    return size;
}

static void add(double *score, const double *log_p, size_t K)
{
    for (size_t c = 0; c < K; c++)
        score[c] += log_p[c];
}

/* log Σ_x P(x | …, c) B(x) for each class; row is [values * classes]. */
static void sum_values(const double *row, const double *b, size_t values, size_t K, double *out)
{
    for (size_t c = 0; c < K; c++) {
        double largest = -INFINITY, sum = 0;

        for (size_t x = 0; x < values; x++)
            largest = fmax(largest, row[x * K + c] + b[x * K + c]);
        for (size_t x = 0; x < values && largest > -INFINITY; x++)
            sum += exp(row[x * K + c] + b[x * K + c] - largest);
        out[c] += largest > -INFINITY ? largest + log(sum) : -INFINITY;
    }
}

/* What feature i says to the values of its missing parent. */
static void tell_parent(const cr__dependent *d, size_t i, uint32_t code, const double *b,
                        double *parent_b)
{
    const size_t K = d->classes, V = d->values[i];
    const size_t parents = d->values[d->structure.parent[i * CR__PARENTS_MOST]];
    const double *table = d->log_p + d->table_at[i * (CR__PARENTS_MOST + 1) + 1];

    for (size_t p = 0; p < parents; p++, table += V * K)
        if (code != CR__MISSING)
            add(parent_b + p * K, table + (code - 1) * K, K);
        else
            sum_values(table, b, V, K, parent_b + p * K);
}

static void score_tree(const cr__dependent *d, const uint32_t *code, double *work, double *score)
{
    const size_t K = d->classes;
    double *heard = work, *place = work + d->features, *b = work + 2 * d->features;

    for (size_t i = 0; i < d->features; i++) {
        heard[i] = 0;
        place[i] = (double)(b - work);
        b += d->values[i] * K;
    }
    for (size_t q = d->features; q-- > 0;) {
        const size_t i = d->structure.order[q];
        const size_t p =
            d->structure.depth[i] == 1 ? d->structure.parent[i * CR__PARENTS_MOST] : SIZE_MAX;
        double *own = work + (size_t)place[i];

        if (code[i] == CR__MISSING && heard[i] == 0)
            continue;
        if (p != SIZE_MAX && code[p] == CR__MISSING) {
            double *up = work + (size_t)place[p];

            if (heard[p] == 0)
                memset(up, 0, d->values[p] * K * sizeof *up);
            heard[p] = 1;
            tell_parent(d, i, code[i], own, up);
        } else {
            const double *row = d->log_p + cr__dependent_row(d, i, p != SIZE_MAX, code);

            if (code[i] != CR__MISSING)
                add(score, row + (code[i] - 1) * K, K);
            else
                sum_values(row, own, d->values[i], K, score);
        }
    }
}

void cr__dependent_score_codes(const cr__dependent *d, const uint32_t *code, double *work,
                               double *score)
{
    int whole = 1;

    memcpy(score, d->log_prior, d->classes * sizeof *score);
    for (size_t i = 0; i < d->features; i++)
        whole &= code[i] != CR__MISSING;
    if (!whole && d->exact) {
        score_tree(d, code, work, score);
        return;
    }
    for (size_t i = 0; i < d->features; i++)
        if (code[i] != CR__MISSING)
            add(score,
                d->log_p + cr__dependent_row(d, i, cr__dependent_known(d, i, code), code) +
                    (code[i] - 1) * d->classes,
                d->classes);
}

void cr__dependent_score(const void *fitted, const cr__batch *batch, double *score)
{
    const cr__dependent *d = fitted;
    uint32_t *code = cr__alloc(d->features, sizeof *code);
    double *work = cr__alloc(cr__dependent_work(d), sizeof *work);

    for (size_t r = 0; r < batch->rows; r++, score += d->classes) {
        if (code == NULL || work == NULL) { /* without memory no row can be decided */
            for (size_t c = 0; c < d->classes; c++)
                score[c] = -INFINITY;
            continue;
        }
        cr__dependent_codes(d, batch, r, code, NULL);
        cr__dependent_score_codes(d, code, work, score);
    }
    cr__free(code);
    cr__free(work);
}

/* --- why ------------------------------------------------------------------------------------ */

/* Rows of each class that have the feature's value and its first t parents' values; and those that
 * have the parents' values and any of the feature's. */
static void count_rows(const cr__dependent *d, const cr__cells *cells, const uint32_t *code,
                       size_t i, size_t t, double *count, double *total)
{
    const size_t last = cells->packing.variables - 1;

    memset(count, 0, d->classes * sizeof *count);
    memset(total, 0, d->classes * sizeof *total);
    for (size_t q = 0; q < cells->count; q++) {
        const uint64_t *key = cells->key + q * cells->packing.words;
        const uint32_t c = cr__packing_get(&cells->packing, key, last);
        const uint32_t x = cr__packing_get(&cells->packing, key, i);
        int agrees = c != CR__MISSING && x != CR__MISSING;

        for (size_t k = 0; k < t && agrees; k++) {
            const uint32_t p = d->structure.parent[i * CR__PARENTS_MOST + k];

            agrees = cr__packing_get(&cells->packing, key, p) == code[p];
        }
        if (agrees) {
            total[c - 1] += cr__count_value(cr__cells_at(cells, q));
            count[c - 1] += x == code[i] ? cr__count_value(cr__cells_at(cells, q)) : 0;
        }
    }
}

/* A factor that is one row of a table, with the fraction behind it. */
static void table_factor(const cr__dependent *d, const cr__cells *cells, const uint32_t *code,
                         size_t i, size_t t, double *work, cr_factor *f)
{
    const size_t K = d->classes;
    double *top = work + K, *bottom = work + 2 * K, *count = work + 3 * K, *total = work + 4 * K;
    const double *log_p = d->log_p + cr__dependent_row(d, i, t, code) + (code[i] - 1) * K;
    const double *less = t == 0 || isnan(d->m)
                             ? NULL
                             : d->log_p + cr__dependent_row(d, i, t - 1, code) + (code[i] - 1) * K;

    count_rows(d, cells, code, i, t, count, total);
    for (size_t c = 0; c < K; c++) {
        work[c] = log_p[c];
        top[c] = count[c] + d->alpha + (less != NULL ? d->m * exp(less[c]) : 0);
        bottom[c] = total[c] + d->alpha * (double)d->values[i] + (less != NULL ? d->m : 0);
        f->fraction |= bottom[c] > 0;
    }
    f->log_p = work;
    f->chained = t > 0;
    f->givens = t;
    for (size_t k = 0; k < t && k < CR_FACTOR_GIVEN; k++)
        f->given[k] = d->column[d->structure.parent[i * CR__PARENTS_MOST + k]];
    f->top = top;
    f->bottom = bottom;
    f->count = count;
    f->total = total;
}

/* With values missing in a tree: what each known feature adds to the score of those before it, in
 * the order of the structure. */
static void chain_factors(const cr__dependent *d, const uint32_t *code, uint32_t *known,
                          double *room, double *work, cr_factor *factor)
{
    const size_t K = d->classes, step = CR__DEPENDENT_FACTOR_WORK * K;
    double *before = room, *after = room + K, *own = room + 2 * K;

    memset(known, 0, d->features * sizeof *known);
    cr__dependent_score_codes(d, known, own, before);
    for (size_t q = 0; q < d->features; q++) {
        const size_t i = d->structure.order[q];
        double *log_p = work + (i + 1) * step;

        if (code[i] == CR__MISSING)
            continue;
        known[i] = code[i];
        cr__dependent_score_codes(d, known, own, after);
        for (size_t c = 0; c < K; c++)
            log_p[c] = before[c] == -INFINITY ? 0 : after[c] - before[c];
        memcpy(before, after, K * sizeof *before);
        factor[i + 1].log_p = log_p;
        factor[i + 1].chained = d->structure.depth[i] > 0;
        factor[i + 1].givens = 0; /* where a parent is missing, others speak through it */
        factor[i + 1].fraction = 0;
    }
}

static void prior_factor(const cr__dependent *d, const cr__stats *stats, const cr__knobs *knobs,
                         double *work, cr_factor *f)
{
    const size_t K = d->classes;
    const int uniform = cr__knobs_is(knobs, "prior", "uniform");
    double all = 0;

    for (size_t c = 0; c < K; c++)
        all += work[3 * K + c] = cr__count_value(cr__stats_class(stats, c));
    for (size_t c = 0; c < K; c++) {
        work[K + c] = uniform ? 1 : work[3 * K + c];
        work[2 * K + c] = uniform ? (double)K : all;
        work[4 * K + c] = all;
    }
    *f = (cr_factor){.column = SIZE_MAX,
                     .name = "prior",
                     .log_p = d->log_prior,
                     .fraction = 1,
                     .top = work + K,
                     .bottom = work + 2 * K,
                     .count = work + 3 * K,
                     .total = work + 4 * K};
}

cr_status cr__dependent_factors(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                                const cr__batch *batch, size_t row, cr_factor *factor,
                                size_t *count, double *work, cr_error *err)
{
    const cr__dependent *d = fitted;
    const size_t K = d->classes, step = CR__DEPENDENT_FACTOR_WORK * K;
    uint32_t *code = cr__alloc(d->features, 2 * sizeof *code);
    unsigned char *never = cr__alloc(d->features, 1);
    double *room = cr__alloc(cr__dependent_work(d) + 2 * K, sizeof *room);
    int gaps = 0;
    cr_status st = CR_OK;

    if (code == NULL || never == NULL || room == NULL) {
        st = cr__fail_memory(err);
    } else {
        cr__dependent_codes(d, batch, row, code, never);
        prior_factor(d, stats, knobs, work, &factor[0]);
        for (size_t i = 0; i < d->features; i++) {
            cr_factor *f = &factor[i + 1];

            *f = (cr_factor){.column = d->column[i],
                             .name = stats->schema->column[d->column[i]].name,
                             .log_p = work + (i + 1) * step};
            gaps |= code[i] == CR__MISSING;
            if (code[i] == CR__MISSING) {
                f->left_out = never[i] ? 2 : 1;
                memset(work + (i + 1) * step, 0, K * sizeof *work);
            } else {
                table_factor(d, stats->cells, code, i, cr__dependent_known(d, i, code),
                             work + (i + 1) * step, f);
            }
        }
        if (gaps && d->exact)
            chain_factors(d, code, code + d->features, room, work, factor);
        *count = d->features + 1;
    }
    cr__free(code);
    cr__free(never);
    cr__free(room);
    return st;
}
