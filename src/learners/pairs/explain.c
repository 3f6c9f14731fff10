/* learners/pairs/explain.c - the factors of one row, and the counts behind the tables' rows. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/pairs/pairs.h"

/* A factor that is one row of a table. */
static void table_factor(const cr__dependent *d, const uint32_t *code, size_t i, size_t t,
                         cr_factor *f)
{
    f->log_p = d->log_p + cr__dependent_row(d, i, t, code) + (code[i] - 1) * d->classes;
    f->chained = t > 0;
    f->givens = t;
    for (size_t k = 0; k < t && k < CR_FACTOR_GIVEN; k++)
        f->given[k] = d->column[d->structure.parent[i * CR__PARENTS_MOST + k]];
}

/* With values missing in a tree: the contribution of each known feature to the score of those
 * before it, in the order of the structure. */
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
        factor[i + 1].givens = 0; /* where a parent is missing, others act through it */
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

cr_status cr__dependent_factors(const void *fitted, void *state, const cr__stats *stats,
                                const cr__knobs *knobs, const cr__batch *batch, size_t row,
                                cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__dependent *d = fitted;
    const size_t K = d->classes, step = CR__DEPENDENT_FACTOR_WORK * K;
    uint32_t *code = cr__alloc(d->features, 2 * sizeof *code);
    unsigned char *never = cr__alloc(d->features, 1);
    double *room = cr__alloc(cr__dependent_work(d) + 2 * K, sizeof *room);
    int gaps = 0;
    cr_status st = CR_OK;

    (void)state;
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
            if (d->cuts[i].cut != NULL || d->cuts[i].whole) {
                f->cut = 1;
                cr__cuts_interval(&d->cuts[i], code[i], &f->low, &f->high);
            }
            if (code[i] == CR__MISSING) {
                f->left_out = never[i] ? 2 : 1;
                memset(work + (i + 1) * step, 0, K * sizeof *work);
            } else {
                table_factor(d, code, i, cr__dependent_known(d, i, code), f);
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

/* --- the counts behind them ----------------------------------------------------------------- */

typedef struct detail {
    const cr__dependent *d;
    double *rows; /* [size] of every table */
    double *work; /* [features * 4 * classes] top, bottom, count, total */
    uint32_t *code;
} detail;

static void close_detail(void *state)
{
    detail *x = state;

    if (x == NULL)
        return;
    cr__free(x->rows);
    cr__free(x->work);
    cr__free(x->code);
    cr__free(x);
}

static cr_status open_detail(void **state, const void *fitted, const cr__stats *stats,
                             const cr__knobs *knobs, cr_error *err)
{
    const cr__dependent *d = fitted;
    detail *x = cr__alloc_zero(1, sizeof *x);
    cr__codes codes = {0};
    cr_status st;

    (void)knobs;
    *state = x;
    if (x == NULL || (x->rows = cr__alloc(d->size, sizeof *x->rows)) == NULL ||
        (x->work = cr__alloc(d->features, 4 * d->classes * sizeof *x->work)) == NULL ||
        (x->code = cr__alloc(d->features, sizeof *x->code)) == NULL)
        return cr__fail_memory(err);
    x->d = d;
    if ((st = cr__codes_make(&codes, stats, err)) == CR_OK)
        cr__dependent_count(d, &codes, x->rows);
    cr__codes_free(&codes);
    return st;
}

/* The fraction of feature i, given its first t parents. */
static void set_fraction(const detail *x, size_t i, size_t t, double *work, cr_factor *f)
{
    const cr__dependent *d = x->d;
    const size_t K = d->classes, V = d->values[i], row = cr__dependent_row(d, i, t, x->code);
    const double *n = x->rows + row, *less = NULL;
    double *top = work, *bottom = work + K, *count = work + 2 * K, *total = work + 3 * K;

    if (t > 0 && !isnan(d->m))
        less = d->log_p + cr__dependent_row(d, i, t - 1, x->code) + (x->code[i] - 1) * K;
    for (size_t c = 0; c < K; c++) {
        count[c] = n[(x->code[i] - 1) * K + c];
        total[c] = 0;
        for (size_t v = 0; v < V; v++)
            total[c] += n[v * K + c];
        top[c] = count[c] + cr__dependent_plus(d, less == NULL ? NAN : exp(less[c]));
        bottom[c] = total[c] + cr__dependent_plus_all(d, V, less != NULL);
        f->fraction |= bottom[c] > 0;
    }
    f->top = top;
    f->bottom = bottom;
    f->count = count;
    f->total = total;
}

/* Where a missing value was summed out, the factors are not single rows of tables. */
static cr_status detail_row(void *state, const cr__batch *batch, size_t row, cr_factor *factor,
                            cr_explanation *e, cr_error *err)
{
    const detail *x = state;
    const cr__dependent *d = x->d;
    int gaps = 0;

    (void)e;
    (void)err;
    cr__dependent_codes(d, batch, row, x->code, NULL);
    for (size_t i = 0; i < d->features; i++)
        gaps |= x->code[i] == CR__MISSING;
    for (size_t i = 0; i < d->features; i++)
        if (x->code[i] != CR__MISSING && !(gaps && d->exact))
            set_fraction(x, i, cr__dependent_known(d, i, x->code), x->work + i * 4 * d->classes,
                         &factor[i + 1]);
    return CR_OK;
}

const cr__detail cr__dependent_detail = {open_detail, detail_row, close_detail};
