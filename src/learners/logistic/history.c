/* learners/logistic/history.c - products and sums of the vectors of limited-memory BFGS. */
#include "learners/logistic/history.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/cpu.h"
#include "base/fail.h"
#include "base/memory.h"

enum {
    SLAB = 2048, /* numbers of a vector processed at a time */
    LANES = 4,
    MEMORY = CR__LR_MEMORY,
    KINDS = 5, /* products of a pair: s g, y g, s y', y y', y s' */
    PRODUCTS = KINDS * MEMORY + 1,
    SMALL = 1 << 16 /* too few numbers for a second thread */
};

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* The current task. */
typedef struct task {
    cr__lr_history *h;
    const double *before, *gradient, *from;
    double *to, length;
    double by_s[MEMORY], by_y[MEMORY], by_g; /* factors of the sum */
    atomic_size_t next;
} task;

/* --- one slab ------------------------------------------------------------------------------ */

INLINE double add_lanes(const quad *q)
{
    return ((*q)[0] + (*q)[2]) + ((*q)[1] + (*q)[3]);
}

/* The newest pair of a slab and its gradient in φ; zeros beyond the end. */
INLINE void make_pair(const task *t, size_t first, size_t n, float *s, float *y, double *g)
{
    const double *scale = t->h->scale + first, *now = t->gradient + first;
    const double *before = t->before + first, *d = t->h->direction + first;
    const double length = t->length;

    for (size_t i = 0; i < n; i++) {
        g[i] = now[i] * scale[i];
        y[i] = (float)((now[i] - before[i]) * scale[i]);
        s[i] = (float)(length * d[i]);
    }
    for (size_t i = n; i < SLAB; i++) {
        g[i] = 0;
        s[i] = y[i] = 0;
    }
}

INLINE void note_slab(const task *t, size_t slab)
{
    const cr__lr_history *h = t->h;
    const size_t first = slab * SLAB, n = h->all - first < SLAB ? h->all - first : SLAB;
    const float *newest_s = h->step[h->next] + first, *newest_y = h->change[h->next] + first;
    double *product = h->partial + slab * PRODUCTS, g[SLAB];
    quad squares = {0};

    make_pair(t, first, n, h->step[h->next] + first, h->change[h->next] + first, g);
    for (size_t k = 0; k < MEMORY; k++, product += KINDS) {
        const float *s = h->step[k] + first, *y = h->change[k] + first;
        quad sum[KINDS] = {{0}};

        for (size_t i = 0; i < SLAB && (k < h->known || k == h->next); i += LANES) {
            const quad a = __builtin_convertvector(*(const four *)(s + i), quad);
            const quad b = __builtin_convertvector(*(const four *)(y + i), quad);
            const quad c = __builtin_convertvector(*(const four *)(newest_s + i), quad);
            const quad d = __builtin_convertvector(*(const four *)(newest_y + i), quad);
            const quad e = *(const quad *)(g + i);

            sum[0] += a * e;
            sum[1] += b * e;
            sum[2] += a * d;
            sum[3] += b * d;
            sum[4] += b * c;
        }
        for (size_t i = 0; i < KINDS; i++)
            product[i] = add_lanes(&sum[i]);
    }
    for (size_t i = 0; i < SLAB; i += LANES)
        squares += *(const quad *)(g + i) * *(const quad *)(g + i);
    *product = add_lanes(&squares);
}

INLINE void direct_slab(const task *t, size_t slab)
{
    const cr__lr_history *h = t->h;
    const size_t first = slab * SLAB, n = h->all - first < SLAB ? h->all - first : SLAB;
    double d[SLAB];

    for (size_t i = 0; i < n; i++)
        d[i] = t->by_g * t->gradient[first + i] * h->scale[first + i];
    for (size_t i = n; i < SLAB; i++)
        d[i] = 0;
    for (size_t k = 0; k < h->known; k++) {
        const float *s = h->step[k] + first, *y = h->change[k] + first;

        for (size_t i = 0; i < SLAB; i += LANES)
            *(quad *)(d + i) += __builtin_convertvector(*(const four *)(s + i), quad) * t->by_s[k] +
                                __builtin_convertvector(*(const four *)(y + i), quad) * t->by_y[k];
    }
    memcpy(h->direction + first, d, n * sizeof *d);
}

INLINE void move_slab(const task *t, size_t slab)
{
    const cr__lr_history *h = t->h;
    const size_t first = slab * SLAB, n = h->all - first < SLAB ? h->all - first : SLAB;
    const double *scale = h->scale + first, *d = h->direction + first, *from = t->from + first;
    double *to = t->to + first;
    const double length = t->length;

    for (size_t i = 0; i < n; i++)
        to[i] = from[i] + length * (scale[i] * d[i]);
}

/* --- for each processor -------------------------------------------------------------------- */

#define TASK(name, attribute)                                                                      \
    attribute static void note_##name(const task *t, size_t slab)                                  \
    {                                                                                              \
        note_slab(t, slab);                                                                        \
    }                                                                                              \
    attribute static void direct_##name(const task *t, size_t slab)                                \
    {                                                                                              \
        direct_slab(t, slab);                                                                      \
    }                                                                                              \
    attribute static void move_##name(const task *t, size_t slab)                                  \
    {                                                                                              \
        move_slab(t, slab);                                                                        \
    }                                                                                              \
    static void name(void *context, int worker)                                                    \
    {                                                                                              \
        work(context, worker, (parts){note_##name, direct_##name, move_##name});                   \
    }

typedef struct parts {
    void (*note)(const task *t, size_t slab);
    void (*direct)(const task *t, size_t slab);
    void (*move)(const task *t, size_t slab);
} parts;

static void work(task *t, int worker, parts by)
{
    size_t slab;

    (void)worker;
    while ((slab = atomic_fetch_add(&t->next, 1)) < t->h->slabs)
        (t->before != NULL ? by.note : t->to != NULL ? by.move : by.direct)(t, slab);
}

TASK(plain, )

#if defined(__x86_64__)
TASK(avx2, __attribute__((target("avx2"))))
#endif

static void run(task *t)
{
    void (*by)(void *, int) = plain;

#if defined(__x86_64__)
    if (cr__cpu_has_avx2())
        by = avx2;
#endif
    if (t->h->pool == NULL || t->h->all < SMALL)
        by(t, 0);
    else
        cr__pool_run(t->h->pool, by, t);
}

/* --- the search's side --------------------------------------------------------------------- */

double cr__lr_history_note(cr__lr_history *h, double length, const double *before,
                           const double *gradient)
{
    task t = {.h = h, .length = length, .before = before, .gradient = gradient};
    double sum[PRODUCTS] = {0};

    run(&t);
    for (size_t i = 0; i < h->slabs; i++)
        for (size_t k = 0; k < PRODUCTS; k++)
            sum[k] += h->partial[i * PRODUCTS + k];
    for (size_t k = 0; k < MEMORY; k++) {
        h->sg[k] = sum[KINDS * k];
        h->yg[k] = sum[KINDS * k + 1];
        h->sy[k][h->next] = sum[KINDS * k + 2];
        h->yy[k][h->next] = h->yy[h->next][k] = sum[KINDS * k + 3];
        h->sy[h->next][k] = sum[KINDS * k + 4];
    }
    h->gg = sum[PRODUCTS - 1];
    return length > 0 ? h->sg[h->next] / length : 0;
}

int cr__lr_history_keep(cr__lr_history *h)
{
    const double bend = h->sy[h->next][h->next];

    if (!(bend > 0) || !isfinite(bend) || !(h->yy[h->next][h->next] > 0))
        return 0;
    h->known += h->known < MEMORY;
    h->next = (h->next + 1) % MEMORY;
    return 1;
}

/* The vectors' factors in -H g, by the two loops over the pairs, newest first and oldest first. */
static void find_factors(const cr__lr_history *h, task *t)
{
    double alpha[MEMORY];

    t->by_g = -1;
    for (size_t n = 1; n <= h->known; n++) {
        const size_t i = (h->next + MEMORY - n) % MEMORY;
        double product = t->by_g * h->sg[i];

        for (size_t k = 0; k < h->known; k++)
            product += t->by_y[k] * h->sy[i][k];
        alpha[i] = product / h->sy[i][i];
        t->by_y[i] -= alpha[i];
    }
    for (size_t n = h->known; n > 0; n--) {
        const size_t i = (h->next + MEMORY - n) % MEMORY, last = (h->next + MEMORY - 1) % MEMORY;
        const double bend = h->sy[last][last] / h->yy[last][last];
        double product;

        if (n == h->known) {
            t->by_g *= bend;
            for (size_t k = 0; k < h->known; k++)
                t->by_y[k] *= bend;
        }
        product = t->by_g * h->yg[i];
        for (size_t k = 0; k < h->known; k++)
            product += t->by_y[k] * h->yy[i][k] + t->by_s[k] * h->sy[k][i];
        t->by_s[i] += alpha[i] - product / h->sy[i][i];
    }
}

double cr__lr_history_direct(cr__lr_history *h, const double *gradient)
{
    double slope = 0;

    for (;;) {
        task t = {.h = h, .gradient = gradient};

        find_factors(h, &t);
        slope = t.by_g * h->gg;
        for (size_t k = 0; k < h->known; k++)
            slope += t.by_s[k] * h->sg[k] + t.by_y[k] * h->yg[k];
        if (h->known == 0 || (slope < 0 && isfinite(slope))) {
            run(&t);
            return slope;
        }
        h->known = h->next = 0;
    }
}

void cr__lr_history_move(cr__lr_history *h, const double *from, double length, double *to)
{
    task t = {.h = h, .length = length, .from = from, .to = to};

    run(&t);
}

cr_status cr__lr_history_open(cr__lr_history *out, size_t all, const double *scale, cr_pool *pool,
                              cr_error *err)
{
    const size_t slabs = (all + SLAB - 1) / SLAB;
    int whole;

    *out = (cr__lr_history){.all = all, .slabs = slabs, .scale = scale, .pool = pool};
    out->direction = cr__alloc_zero(all, sizeof *out->direction);
    out->partial = cr__alloc(slabs * PRODUCTS, sizeof *out->partial);
    whole = out->direction != NULL && out->partial != NULL;
    for (size_t k = 0; k < MEMORY; k++) {
        out->step[k] = cr__alloc(slabs * SLAB, sizeof **out->step);
        out->change[k] = cr__alloc(slabs * SLAB, sizeof **out->change);
        whole = whole && out->step[k] != NULL && out->change[k] != NULL;
    }
    return whole ? CR_OK : cr__fail_memory(err);
}

void cr__lr_history_close(cr__lr_history *h)
{
    for (size_t k = 0; k < MEMORY; k++) {
        cr__free(h->step[k]);
        cr__free(h->change[k]);
    }
    cr__free(h->direction);
    cr__free(h->partial);
    *h = (cr__lr_history){0};
}
