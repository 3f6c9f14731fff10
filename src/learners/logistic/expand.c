/* learners/logistic/expand.c - value, gradient and all second derivatives in one pass over the
 * rows.
 *
 *     ∂²f / ∂w_is ∂w_jt  =  Σ_r weight_r p_rs ([s = t] - p_rt) x_ri x_rj  +  the prior's part
 *
 * For each pair of sets s ≤ t that is a symmetric matrix over pairs of features, of which one half
 * is summed. Like the objective, the sums are over slabs that do not depend on the number of
 * threads.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/logistic/objective.h"

enum {
    MOST_SLABS = 8,
    SLAB_BLOCKS = 16, /* least blocks per slab */
    PANEL = 6         /* features whose products with later ones are computed at a time */
};

typedef struct expansion {
    const cr__lr_objective *objective;
    const double *theta;
    size_t stride, blocks;   /* number of blocks: every stride-th one */
    size_t features, pairs;  /* with the intercept; pairs of sets */
    size_t slabs, slab_size; /* size: pairs * features^2 + P + 2 */
    double *slab;            /* [slabs * slab_size] products, gradient, loss and weight */
    size_t scratch_size;
    double *scratch; /* [workers * scratch_size] */
    atomic_size_t next;
} expansion;

/* weight p_s ([s = t] - p_t) of a block's rows, from the residuals weight (p - [the row's class]).
 */
static void pair_weights(const expansion *e, size_t block, const double *p, size_t s, size_t t,
                         double *q)
{
    const double *weight = e->objective->weight + block * CR__LR_BLOCK;

    for (size_t r = 0; r < CR__LR_BLOCK; r++) {
        const double other = weight[r] > 0 ? p[t * CR__LR_BLOCK + r] / weight[r] : 0;

        q[r] = p[s * CR__LR_BLOCK + r] * ((s == t ? 1 : 0) - other);
    }
}

/* Σ_r q_r x_i x_j for dense i <= j: features are weighted once, and the products are those of the
 * gradient's kernel, panel by panel. */
static void add_dense(const expansion *e, const double *x, const double *q, double *weighted,
                      double *product, double *into)
{
    const size_t m = 1 + e->objective->design->shape->dense;

    for (size_t i = 0; i < m; i++)
        for (size_t r = 0; r < CR__LR_BLOCK; r++)
            weighted[i * CR__LR_BLOCK + r] = x[i * CR__LR_BLOCK + r] * q[r];
    for (size_t i = 0; i < m; i += PANEL) {
        const size_t height = m - i < PANEL ? m - i : PANEL, width = m - i;

        memset(product, 0, height * width * sizeof *product);
        e->objective->kernel->backward(x + i * CR__LR_BLOCK, height, weighted + i * CR__LR_BLOCK,
                                       width, product);
        for (size_t k = 0; k < height; k++)
            for (size_t j = k; j < width; j++)
                into[(i + k) * e->features + i + j] += product[k * width + j];
    }
}

/* The same for the pairs with a sparse feature, which most rows have few of. */
static void add_sparse(const expansion *e, size_t block, const double *x, const double *q,
                       double *into)
{
    const cr__lr_design *d = e->objective->design;
    const cr__lr_sparse *sparse = &d->by_row;
    const size_t m = 1 + d->shape->dense, first = block * CR__LR_BLOCK;

    for (size_t r = first; r < first + CR__LR_BLOCK && r < d->rows; r++)
        for (uint64_t k = sparse->start[r]; k < sparse->start[r + 1]; k++) {
            const double y = q[r - first] * (sparse->value == NULL ? 1 : sparse->value[k]);
            double *of = into + (1 + sparse->index[k]) * e->features;

            for (size_t j = 0; j < m; j++)
                of[j] += y * x[j * CR__LR_BLOCK + r - first];
            if (sparse->value == NULL)
                for (uint64_t l = sparse->start[r]; l <= k; l++)
                    of[1 + sparse->index[l]] += y;
            else
                for (uint64_t l = sparse->start[r]; l <= k; l++)
                    of[1 + sparse->index[l]] += y * sparse->value[l];
        }
}

/* The gradient's part of a row's sparse features. */
static void add_gradient(const expansion *e, size_t block, const double *residual, double *gradient)
{
    const cr__lr_design *d = e->objective->design;
    const cr__lr_sparse *sparse = &d->by_row;
    const size_t sets = d->shape->sets, first = block * CR__LR_BLOCK;

    for (size_t r = first; r < first + CR__LR_BLOCK && r < d->rows; r++)
        for (uint64_t k = sparse->start[r]; k < sparse->start[r + 1]; k++) {
            const double x = sparse->value == NULL ? 1 : sparse->value[k];
            double *of = gradient + (1 + sparse->index[k]) * sets;

            for (size_t s = 0; s < sets; s++)
                of[s] += x * residual[s * CR__LR_BLOCK + r - first];
        }
}

static void add_block(const expansion *e, size_t block, double *slab, double *scratch)
{
    const cr__lr_objective *o = e->objective;
    const cr__lr_shape *shape = o->design->shape;
    const size_t m = 1 + shape->dense, sets = shape->sets, square = e->features * e->features;
    double *x = scratch, *p = x + m * CR__LR_BLOCK, *weighted = p + sets * CR__LR_BLOCK;
    double *product = weighted + m * CR__LR_BLOCK, *gradient = slab + e->pairs * square;
    double *tail = gradient + e->features * sets, q[CR__LR_BLOCK];
    const int sparse = o->design->by_row.start != NULL;

    tail[0] += cr__lr_block(o, e->theta, block, x, p, product);
    o->kernel->backward(x, m, p, sets, gradient);
    if (sparse)
        add_gradient(e, block, p, gradient);
    for (size_t r = block * CR__LR_BLOCK, k = 0; k < CR__LR_BLOCK; r++, k++) {
        if (o->design->label[r] >= shape->first_class)
            p[(o->design->label[r] - shape->first_class) * CR__LR_BLOCK + k] += o->weight[r];
        tail[1] += o->weight[r];
    }
    for (size_t s = 0; s < sets; s++)
        for (size_t t = s; t < sets; t++, slab += square) {
            pair_weights(e, block, p, s, t, q);
            add_dense(e, x, q, weighted, product, slab);
            if (sparse)
                add_sparse(e, block, x, q, slab);
        }
}

static void add_slabs(void *context, int worker)
{
    expansion *e = context;
    double *scratch = e->scratch + (size_t)worker * e->scratch_size;
    size_t slab;

    while ((slab = atomic_fetch_add(&e->next, 1)) < e->slabs) {
        const size_t each = (e->blocks + e->slabs - 1) / e->slabs;
        double *sums = e->slab + slab * e->slab_size;

        memset(sums, 0, e->slab_size * sizeof *sums);
        if (cr__lr_is_others(e->objective, slab))
            continue;
        for (size_t b = slab * each; b < (slab + 1) * each && b < e->blocks; b++)
            add_block(e, b * e->stride, sums, scratch);
    }
}

/* One half of each pair's matrix, wherever it was summed, into all of H. */
static void spread(const expansion *e, double factor, double *hessian)
{
    const size_t sets = e->objective->design->shape->sets, n = e->features, all = n * sets;
    const double *pair = e->slab;

    for (size_t s = 0; s < sets; s++)
        for (size_t t = s; t < sets; t++, pair += n * n)
            for (size_t i = 0; i < n; i++)
                for (size_t j = i; j < n; j++) {
                    const double h =
                        factor * (i == j ? pair[i * n + i] : pair[i * n + j] + pair[j * n + i]);

                    hessian[(i * sets + s) * all + j * sets + t] = h;
                    hessian[(i * sets + t) * all + j * sets + s] = h;
                    hessian[(j * sets + s) * all + i * sets + t] = h;
                    hessian[(j * sets + t) * all + i * sets + s] = h;
                }
}

/* The slabs are added up in the first one; then `factor` compensates for the blocks left out. */
static void conclude(expansion *e, const double *theta, cr__lr_expansion *out)
{
    const cr__lr_objective *o = e->objective;
    const size_t all = cr__lr_parameters(o->design->shape);
    double *gradient = e->slab + e->slab_size - all - 2, *tail = gradient + all, factor;

    for (size_t k = 1; k < e->slabs; k++)
        for (size_t i = 0; i < e->slab_size; i++)
            e->slab[i] += e->slab[k * e->slab_size + i];
    factor = e->stride == 1 || !(tail[1] > 0) ? 1 : o->total / tail[1];
    spread(e, factor, out->hessian);
    for (size_t p = 0; p < all; p++)
        gradient[p] *= o->scale == NULL ? factor : factor * o->scale[p];
    out->value = factor * tail[0] + cr__lr_add_prior(o, theta, gradient);
    if (out->gradient != NULL)
        memcpy(out->gradient, gradient, all * sizeof *gradient);
    for (size_t p = 0; p < all; p++)
        for (size_t q = 0; q < all; q++) {
            if (o->scale != NULL)
                out->hessian[p * all + q] *= o->scale[p] * o->scale[q];
            if (o->matrix != NULL)
                out->hessian[p * all + q] += o->matrix[p * all + q];
            else if (p == q && o->precision != NULL)
                out->hessian[p * all + q] += o->precision[p];
        }
}

static size_t scratch_size(const cr__lr_shape *shape)
{
    const size_t m = 1 + shape->dense, work = cr__lr_block_work(shape);

    return (2 * m + shape->sets) * CR__LR_BLOCK + (m * PANEL > work ? m * PANEL : work);
}

cr_status cr__lr_expand(cr__lr_objective *o, const double *theta, size_t stride,
                        cr__lr_expansion *out, cr_error *err)
{
    const cr__lr_shape *shape = o->design->shape;
    const size_t all = cr__lr_parameters(shape), n = 1 + shape->features;
    const size_t workers = o->pool == NULL ? 1 : (size_t)cr_pool_threads(o->pool);
    expansion e = {.objective = o,
                   .stride = stride,
                   .blocks = (o->design->blocks + stride - 1) / stride,
                   .features = n,
                   .pairs = shape->sets * (shape->sets + 1) / 2,
                   .scratch_size = scratch_size(shape)};
    double *scaled = o->scale == NULL ? NULL : cr__alloc(all, sizeof *scaled);
    cr_status st = CR_OK;

    e.slabs = (e.blocks + SLAB_BLOCKS - 1) / SLAB_BLOCKS;
    e.slabs = e.slabs < 1 ? 1 : e.slabs > MOST_SLABS ? MOST_SLABS : e.slabs;
    e.slab_size = e.pairs * n * n + all + 2;
    e.slab = cr__alloc(e.slabs * e.slab_size, sizeof *e.slab);
    e.scratch = cr__alloc(workers * e.scratch_size, sizeof *e.scratch);
    if (e.slab == NULL || e.scratch == NULL || (scaled == NULL && o->scale != NULL)) {
        st = cr__fail_memory(err);
    } else {
        for (size_t p = 0; scaled != NULL && p < all; p++)
            scaled[p] = theta[p] * o->scale[p];
        e.theta = scaled != NULL ? scaled : theta;
        if (o->pool == NULL || e.slabs == 1)
            add_slabs(&e, 0);
        else
            cr__pool_run(o->pool, add_slabs, &e);
        cr__lr_bring_together(o, e.slab, e.slabs * e.slab_size);
        conclude(&e, theta, out);
    }
    cr__free(scaled);
    cr__free(e.scratch);
    cr__free(e.slab);
    return st;
}
