/* network/learn/independence.c - G² tests, many at once. */
#include "network/learn/independence.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"

enum { CELLS_PER_ROW = 16, WORK_ALONE = 1 << 17 };

/* n ln n, 0 for 0. */
static double self_log(double n)
{
    return n > 0 ? n * log(n) : 0;
}

/* Written as sums of n ln n: over cells, minus those over the two margins, plus the total's. */
double cr__g_square(const double *counts, size_t given, size_t x_states, size_t y_states,
                    double *work, double *freedom)
{
    double sum = 0;

    *freedom = 0;
    for (size_t s = 0; s < given; s++, counts += x_states * y_states) {
        double all = 0, xs = 0, ys = 0; /* rows, and states that occur */

        memset(work, 0, y_states * sizeof *work);
        for (size_t x = 0; x < x_states; x++) {
            const double *row = counts + x * y_states;
            double of_x = 0;

            for (size_t y = 0; y < y_states; y++) {
                of_x += row[y];
                work[y] += row[y];
                sum += self_log(row[y]);
            }
            all += of_x;
            xs += of_x > 0;
            sum -= self_log(of_x);
        }
        for (size_t y = 0; y < y_states; y++) {
            ys += work[y] > 0;
            sum -= self_log(work[y]);
        }
        sum += self_log(all);
        *freedom += xs > 1 && ys > 1 ? (xs - 1) * (ys - 1) : 0;
    }
    return sum > 0 ? 2 * sum : 0;
}

/* --- testers ---------------------------------------------------------------------------------- */

static cr_status init_tester(cr__tester *t, const cr__cases *cases, cr_error *err)
{
    uint32_t most = 1;
    cr_status st;

    *t = (cr__tester){0};
    for (uint32_t i = 0; i < cases->variables; i++)
        most = cases->states[i] > most ? cases->states[i] : most;
    st = cr__counter_new(&t->counter, cases, err);
    t->base = cr__alloc(cases->variables + (size_t)1, sizeof *t->base);
    t->work = cr__alloc(most, sizeof *t->work);
    t->p = cr__alloc(cases->variables, sizeof *t->p);
    t->g = cr__alloc(cases->variables, sizeof *t->g);
    if (st == CR_OK && (t->base == NULL || t->work == NULL || t->p == NULL || t->g == NULL))
        st = cr__fail_memory(err);
    return st;
}

static void free_tester(cr__tester *t)
{
    cr__counter_free(&t->counter);
    cr__free(t->base);
    cr__free(t->work);
    cr__free(t->p);
    cr__free(t->g);
}

/* One test of counts; a variable with one value depends on nothing. */
static void judge(cr__tester *t, const double *counts, size_t given, size_t x_states,
                  size_t y_states, double *p, double *g)
{
    double freedom;
    const double value = cr__g_square(counts, given, x_states, y_states, t->work, &freedom);

    t->tests++;
    *p = freedom > 0 ? cr__chi_square_upper(freedom, value) : 1;
    *g = value - freedom;
}

/* A smaller p means a stronger dependence. */
static void test_by(cr__tester *t, uint32_t x, const uint32_t *y, size_t ys, const uint32_t *given,
                    size_t givens)
{
    for (size_t i = 0; i < ys; i++) {
        t->p[i] = t->by->p(t->by->context, x, y[i], given, givens, t->work);
        t->g[i] = t->p[i] > 0 ? -log(t->p[i]) : INFINITY;
        t->tests++;
    }
}

static cr_status new_by(cr__tester *t, const cr__test_by *by, cr_error *err)
{
    *t = (cr__tester){.by = by};
    t->work = cr__alloc(by->work, sizeof *t->work);
    t->p = cr__alloc(by->variables, sizeof *t->p);
    t->g = cr__alloc(by->variables, sizeof *t->g);
    return t->work == NULL || t->p == NULL || t->g == NULL ? cr__fail_memory(err) : CR_OK;
}

cr_status cr__test(cr__tester *t, uint32_t x, const uint32_t *y, size_t ys, const uint32_t *given,
                   size_t givens)
{
    const cr__cases *cases = t->counter.cases;
    double most;
    size_t cells;

    if (t->by != NULL) {
        test_by(t, x, y, ys, given, givens);
        return CR_OK;
    }
    most = CELLS_PER_ROW * (cases->total > 64 ? cases->total : 64);
    memcpy(t->base, given, givens * sizeof *given);
    t->base[givens] = x;
    cells = cr__cases_cells(cases, t->base, givens + 1, (size_t)1 << 40);
    for (size_t first = 0, n; first < ys; first += n) {
        if (cells == SIZE_MAX || (double)cells * cases->states[y[first]] > most) {
            t->p[first] = 0;
            t->g[first] = INFINITY;
            n = 1;
            continue;
        }
        n = 1;
        while (first + n < ys && (double)cells * cases->states[y[first + n]] <= most)
            n++;
        if ((n = cr__counter_lay(&t->counter, cells, y + first, n)) == 0 ||
            cr__count_extended(&t->counter, t->base, givens + 1, y + first, n, t->counter.table) !=
                CR_OK)
            return CR_ENOMEM;
        for (size_t i = 0; i < n; i++)
            judge(t, t->counter.table[i], cells / cases->states[x], cases->states[x],
                  cases->states[y[first + i]], &t->p[first + i], &t->g[first + i]);
    }
    return CR_OK;
}

void cr__subset_first(uint32_t *subset, size_t k)
{
    for (size_t i = 0; i < k; i++)
        subset[i] = (uint32_t)i;
}

int cr__subset_next(uint32_t *subset, size_t k, size_t n)
{
    size_t i = k;

    while (i > 0 && subset[i - 1] == n - k + i - 1)
        i--;
    if (i == 0)
        return 0;
    subset[i - 1]++;
    for (; i < k; i++)
        subset[i] = subset[i - 1] + 1;
    return 1;
}

/* --- several ---------------------------------------------------------------------------------- */

cr_status cr__testers_new(cr__testers *out, const cr__cases *cases, const cr__test_by *by,
                          int threads, cr_error *err)
{
    cr_status st;

    *out = (cr__testers){0};
    if (by != NULL || (double)cases->rows * cases->variables < WORK_ALONE)
        threads = 1;
    if ((st = cr_pool_new(&out->pool, threads, err)) != CR_OK)
        return st;
    out->workers = cr_pool_threads(out->pool);
    if ((out->tester = cr__alloc_zero((size_t)out->workers, sizeof *out->tester)) == NULL)
        return cr__fail_memory(err);
    for (int w = 0; st == CR_OK && w < out->workers; w++)
        st = by != NULL ? new_by(&out->tester[w], by, err)
                        : init_tester(&out->tester[w], cases, err);
    return st;
}

void cr__testers_free(cr__testers *testers)
{
    for (int w = 0; testers->tester != NULL && w < testers->workers; w++)
        free_tester(&testers->tester[w]);
    cr__free(testers->tester);
    cr_pool_free(testers->pool);
}

cr_status cr__testers_run(cr__testers *testers, void (*work)(void *, int), void *context,
                          cr_error *err)
{
    for (int w = 0; w < testers->workers; w++)
        testers->tester[w].status = CR_OK;
    cr__pool_run(testers->pool, work, context);
    for (int w = 0; w < testers->workers; w++)
        if (testers->tester[w].status != CR_OK)
            return cr__fail_memory(err);
    return CR_OK;
}

size_t cr__testers_tests(const cr__testers *testers)
{
    size_t sum = 0;

    for (int w = 0; w < testers->workers; w++)
        sum += testers->tester[w].tests;
    return sum;
}
