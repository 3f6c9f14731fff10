/* network/infer/product.c - multiply tables and sum variables out, in one pass over the product.
 *
 * The product itself is never stored. Its last variables form a block of a few hundred cells; the
 * others are loops around it, those of the result outside, those that are eliminated inside, so
 * that a piece of the result stays in the cache while everything is added to it. Within a block a
 * factor is one number, or a run of consecutive cells, or else it is expanded into such a run
 * first, which is kept until the loops reach another part of it. So the innermost work is vector
 * arithmetic over contiguous doubles, whatever the variables are.
 *
 * Large products are shared among threads by parts of the result: each cell of it is computed by
 * one thread, in the same order, so its bytes do not depend on how many there are.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/infer/factor.h"

enum {
    BLOCK = 128, /* cells of a block, unless one variable has more */
    BLOCK_MOST = 1024,
    FACTORS_MOST = 12,     /* in one product; more are multiplied in several steps */
    SHARED_CELLS = 1 << 17 /* smaller products do not pay for threads */
};

typedef enum form { ONE_NUMBER, RUN, LAID_OUT } form;

typedef struct operand {
    form form;
    const double *cell;
    size_t stride[CR__SCOPE_MAX]; /* strides by loop */
    uint32_t *index;              /* of a laid-out one: [runs] where each run of the block begins */
    int runs_on;                  /* it has the block's last variable */
} operand;

typedef struct plan {
    const cr__workshop *shop;
    size_t count;
    operand in[FACTORS_MOST], out;
    double *result;
    uint32_t loops, outer;      /* loops around the block; the first `outer` are of the result */
    size_t size[CR__SCOPE_MAX]; /* of each loop */
    size_t outer_cells;         /* iterations of the outer loops */
    size_t block, run;          /* cells of the block, and of its last variable */
    double *work;               /* room for each worker: (count + 1) * block */
    uint32_t *index;            /* of all operands */
} plan;

/* --- planning --------------------------------------------------------------------------------- */

/* All variables of the factors, ascending; UINT32_MAX when they are too many. */
static uint32_t unite(cr__factor *const *in, size_t count, uint32_t *all)
{
    uint32_t at[FACTORS_MOST] = {0}, n = 0;

    for (;;) {
        uint32_t least = UINT32_MAX;

        for (size_t i = 0; i < count; i++)
            if (at[i] < in[i]->variables && in[i]->variable[at[i]] < least)
                least = in[i]->variable[at[i]];
        if (least == UINT32_MAX)
            return n;
        if (n == CR__SCOPE_MAX)
            return UINT32_MAX;
        all[n++] = least;
        for (size_t i = 0; i < count; i++)
            at[i] += at[i] < in[i]->variables && in[i]->variable[at[i]] == least;
    }
}

/* How an operand over the given variables is laid out within the block all[first ... n - 1], and
 * its strides along the loops. */
static void place(plan *p, operand *o, const cr__factor *f, const uint32_t *all, uint32_t n,
                  uint32_t first, const uint32_t *loop_of, uint32_t *index)
{
    size_t stride[CR__SCOPE_MAX] = {0}, step = 1;
    uint32_t j = f->variables, inside = 0;

    for (uint32_t i = n; i-- > 0;)
        if (j > 0 && f->variable[j - 1] == all[i]) {
            stride[i] = step;
            step *= p->shop->size[all[i]];
            inside += i >= first;
            j--;
        }
    o->cell = f->cell;
    o->form = inside == 0 ? ONE_NUMBER : inside == n - first ? RUN : LAID_OUT;
    o->runs_on = n > first && stride[n - 1] == 1;
    for (uint32_t i = 0; i < first; i++)
        o->stride[loop_of[i]] = stride[i];
    o->index = index;
    if (o->form != LAID_OUT)
        return;
    for (size_t r = 0; r < p->block / p->run; r++) {
        size_t rest = r, offset = 0;

        for (uint32_t i = n - 1; i-- > first;) {
            offset += rest % p->shop->size[all[i]] * stride[i];
            rest /= p->shop->size[all[i]];
        }
        index[r] = (uint32_t)offset;
    }
}

/* Where the block begins; its size and that of its runs. */
static uint32_t choose_block(plan *p, const uint32_t *all, uint32_t n)
{
    uint32_t first = n;

    p->block = p->run = 1;
    if (n == 0)
        return 0;
    p->block = p->run = p->shop->size[all[--first]];
    while (first > 0 && p->block < BLOCK && p->block * p->shop->size[all[first - 1]] <= BLOCK_MOST)
        p->block *= p->shop->size[all[--first]];
    return first;
}

static cr_status make_plan(plan *p, cr__factor *const *in, size_t count, cr__factor *out,
                           cr_error *err)
{
    uint32_t all[CR__SCOPE_MAX], loop_of[CR__SCOPE_MAX];
    const uint32_t n = unite(in, count, all);
    uint32_t first;
    size_t runs;

    if (n == UINT32_MAX)
        return cr__fail(err, CR_ELIMIT, "a product has more than %d variables", CR__SCOPE_MAX);
    first = choose_block(p, all, n);
    p->count = count;
    p->result = out->cell;
    p->loops = 0;
    p->outer_cells = 1;
    for (int of_result = 1; of_result >= 0; of_result--) {
        for (uint32_t i = 0; i < first; i++)
            if (cr__factor_has(out, all[i]) == of_result) {
                loop_of[i] = p->loops;
                p->size[p->loops++] = p->shop->size[all[i]];
                p->outer_cells *= of_result ? p->shop->size[all[i]] : 1;
            }
        if (of_result)
            p->outer = p->loops;
    }
    runs = p->block / p->run;
    if ((p->index = cr__alloc((count + 1) * runs, sizeof *p->index)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < count; i++)
        place(p, &p->in[i], in[i], all, n, first, loop_of, p->index + i * runs);
    place(p, &p->out, out, all, n, first, loop_of, p->index + count * runs);
    return CR_OK;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Write a part of an operand as one run of the block. */
static void lay_out(const plan *p, const operand *o, const double *cell, double *to)
{
    for (size_t r = 0; r < p->block / p->run; r++, to += p->run) {
        const double *from = cell + o->index[r];

        if (o->runs_on)
            memcpy(to, from, p->run * sizeof *to);
        else
            for (size_t i = 0; i < p->run; i++)
                to[i] = *from;
    }
}

/* Four sums side by side, so that additions do not wait for each other; always in this order. */
static double sum_run(const double *x, size_t n)
{
    double a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    for (; i < n; i++)
        a += x[i];
    return (a + b) + (c + d);
}

static double max_run(const double *x, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

static void add_run(double *restrict to, const double *restrict x, size_t n, int max)
{
    if (max)
        for (size_t i = 0; i < n; i++)
            to[i] = x[i] > to[i] ? x[i] : to[i];
    else
        for (size_t i = 0; i < n; i++)
            to[i] += x[i];
}

/* Add the finished block to the result. */
static void deliver(const plan *p, const double *x, double *to)
{
    const operand *o = &p->out;
    const int max = p->shop->max;

    if (o->form == RUN) {
        add_run(to, x, p->block, max);
    } else if (o->form == ONE_NUMBER) {
        const double all = max ? max_run(x, p->block) : sum_run(x, p->block);

        *to = max ? fmax(*to, all) : *to + all;
    } else if (o->runs_on) {
        for (size_t r = 0; r < p->block / p->run; r++)
            add_run(to + o->index[r], x + r * p->run, p->run, max);
    } else {
        for (size_t r = 0; r < p->block / p->run; r++) {
            double *cell = to + o->index[r];
            const double all =
                max ? max_run(x + r * p->run, p->run) : sum_run(x + r * p->run, p->run);

            *cell = max ? fmax(*cell, all) : *cell + all;
        }
    }
}

/* The two cases that take most of the time: one or two runs, added to a run of the result. */
static int deliver_fast(const plan *p, double number, const double *const *run, size_t runs,
                        double *restrict to)
{
    const size_t n = p->block;

    if (p->shop->max || p->out.form != RUN || runs < 1 || runs > 2)
        return 0;
    if (runs == 1) {
        const double *restrict x = run[0];

        for (size_t i = 0; i < n; i++)
            to[i] += number * x[i];
    } else {
        const double *restrict x = run[0], *restrict y = run[1];

        for (size_t i = 0; i < n; i++)
            to[i] += number * x[i] * y[i];
    }
    return 1;
}

/* Multiply the runs into x. */
static void multiply(double *restrict x, double number, const double *const *run, size_t runs,
                     size_t n)
{
    if (runs == 0) {
        for (size_t i = 0; i < n; i++)
            x[i] = number;
        return;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = number * run[0][i];
    for (size_t k = 1; k < runs; k++) {
        const double *restrict y = run[k];

        for (size_t i = 0; i < n; i++)
            x[i] *= y[i];
    }
}

/* One block at the given offsets. laid holds the expanded part of each operand and its offset. */
static void do_block(const plan *p, const size_t *offset, size_t *laid, double *work)
{
    const double *run[FACTORS_MOST];
    double number = 1;
    size_t runs = 0;

    for (size_t i = 0; i < p->count; i++)
        if (p->in[i].form == ONE_NUMBER)
            number *= p->in[i].cell[offset[i]];
    if (number == 0)
        return;
    for (size_t i = 0; i < p->count; i++) {
        const operand *o = &p->in[i];

        if (o->form == RUN)
            run[runs++] = o->cell + offset[i];
        if (o->form != LAID_OUT)
            continue;
        if (laid[i] != offset[i])
            lay_out(p, o, o->cell + offset[i], work + (i + 1) * p->block);
        laid[i] = offset[i];
        run[runs++] = work + (i + 1) * p->block;
    }
    if (!deliver_fast(p, number, run, runs, p->result + offset[p->count])) {
        multiply(work, number, run, runs, p->block);
        deliver(p, work, p->result + offset[p->count]);
    }
}

/* --- loops ------------------------------------------------------------------------------------ */

/* Advance the loops [first, last) by one; 0 when they are done, and then all back at their
 * start. */
static int advance(const plan *p, uint32_t first, uint32_t last, size_t *counter, size_t *offset)
{
    for (uint32_t l = last; l-- > first;) {
        const int more = ++counter[l] < p->size[l];
        const size_t back = more ? 0 : p->size[l];

        for (size_t i = 0; i <= p->count; i++) {
            const size_t stride = i < p->count ? p->in[i].stride[l] : p->out.stride[l];

            offset[i] += stride - stride * back;
        }
        if (more)
            return 1;
        counter[l] = 0;
    }
    return 0;
}

/* The part [begin, end) of the outer loops' iterations. */
static void do_part(const plan *p, size_t begin, size_t end, double *work)
{
    size_t counter[CR__SCOPE_MAX] = {0}, offset[FACTORS_MOST + 1] = {0}, laid[FACTORS_MOST];
    size_t rest = begin;

    for (size_t i = 0; i < p->count; i++)
        laid[i] = SIZE_MAX;
    for (uint32_t l = p->outer; l-- > 0;) {
        counter[l] = rest % p->size[l];
        rest /= p->size[l];
        for (size_t i = 0; i <= p->count; i++)
            offset[i] += counter[l] * (i < p->count ? p->in[i].stride[l] : p->out.stride[l]);
    }
    for (size_t k = begin; k < end; k++) {
        do
            do_block(p, offset, laid, work);
        while (advance(p, p->outer, p->loops, counter, offset));
        advance(p, 0, p->outer, counter, offset);
    }
}

static void work_part(void *context, int worker)
{
    const plan *p = context;
    const size_t workers = (size_t)cr_pool_threads(p->shop->pool), w = (size_t)worker;
    const size_t each = p->outer_cells / workers, more = p->outer_cells % workers;
    const size_t begin = w * each + (w < more ? w : more);

    do_part(p, begin, begin + each + (w < more), p->work + w * (p->count + 1) * p->block);
}

/* Numbers so small that products with them might vanish move their power of two into the exponent,
 * which changes none of their digits. */
static void rescale(cr__factor *f)
{
    const double most = max_run(f->cell, f->cells);
    int shift;

    if (most == 0 || (most > 0x1p-100 && most < 0x1p100))
        return;
    frexp(most, &shift);
    for (size_t i = 0; i < f->cells; i++)
        f->cell[i] = ldexp(f->cell[i], -shift);
    f->exponent += shift;
}

static cr_status run_plan(plan *p, cr_error *err)
{
    double cells = (double)p->block;
    size_t workers = 1;

    for (uint32_t l = 0; l < p->loops; l++)
        cells *= (double)p->size[l];
    if (p->shop->pool != NULL && cells >= SHARED_CELLS && p->outer_cells > 1)
        workers = (size_t)cr_pool_threads(p->shop->pool);
    if ((p->work = cr__alloc(workers * (p->count + 1) * p->block, sizeof *p->work)) == NULL)
        return cr__fail_memory(err);
    if (workers > 1)
        cr__pool_run(p->shop->pool, work_part, p);
    else
        do_part(p, 0, p->outer_cells, p->work);
    cr__free(p->work);
    return CR_OK;
}

/* At most FACTORS_MOST of them. */
static cr_status multiply_few(cr__factor **out, cr__factor *const *in, size_t count,
                              const uint32_t *keep, uint32_t kept, const cr__workshop *shop,
                              cr_error *err)
{
    plan p = {.shop = shop};
    cr__factor *f = cr__factor_new(keep, kept, shop->size);
    cr_status st = f == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK) {
        memset(f->cell, 0, f->cells * sizeof *f->cell);
        for (size_t i = 0; i < count; i++)
            f->exponent += in[i]->exponent;
        st = make_plan(&p, in, count, f, err);
    }
    if (st == CR_OK)
        st = run_plan(&p, err);
    cr__free(p.index);
    if (st != CR_OK) {
        cr__factor_drop(f);
        return st;
    }
    rescale(f);
    *out = f;
    return CR_OK;
}

/* Two factors become one, with all their variables. */
static cr_status join(cr__factor **a, cr__factor *b, const cr__workshop *shop, cr_error *err)
{
    cr__factor *const pair[2] = {*a, b};
    uint32_t all[CR__SCOPE_MAX];
    const uint32_t n = unite(pair, 2, all);
    cr__factor *joined;
    cr_status st = n == UINT32_MAX ? cr__fail(err, CR_ELIMIT, "a product has too many variables")
                                   : multiply_few(&joined, pair, 2, all, n, shop, err);

    if (st != CR_OK)
        return st;
    cr__factor_drop(*a);
    *a = joined;
    return CR_OK;
}

cr_status cr__factor_product(cr__factor **out, cr__factor *const *in, size_t count,
                             const uint32_t *keep, uint32_t kept, const cr__workshop *shop,
                             cr_error *err)
{
    cr__factor *few[FACTORS_MOST];
    size_t used = 0;
    cr_status st = CR_OK;

    *out = NULL;
    if (count <= FACTORS_MOST)
        return multiply_few(out, in, count, keep, kept, shop, err);
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        size_t best = 0;

        if (used < FACTORS_MOST) {
            few[used++] = cr__factor_keep(in[i]);
            continue;
        }
        for (size_t k = 1; k < used; k++) /* into the smallest, which grows least */
            if (few[k]->cells < few[best]->cells)
                best = k;
        st = join(&few[best], in[i], shop, err);
    }
    if (st == CR_OK)
        st = multiply_few(out, few, used, keep, kept, shop, err);
    while (used > 0)
        cr__factor_drop(few[--used]);
    return st;
}
