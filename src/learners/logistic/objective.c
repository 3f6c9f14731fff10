/* learners/logistic/objective.c - scores, losses and gradients, block by block. */
#include "learners/logistic/objective.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "base/logspace.h"
#include "base/memory.h"
#include "base/team.h"

enum {
    MOST_SLABS = 64, /* rows are divided into at most this many parts */
    FEATURES = 1024, /* sparse features a worker processes at a time */
    SMALL = 1 << 16  /* too few multiplications for a second thread */
};

typedef enum goal { GRADIENT, CURVATURE } goal;

struct cr__lr_room {
    size_t slabs, slab_blocks, slab_size; /* size: doubles of each, (1 + dense) * sets + 1 */
    double *slab;                         /* [slabs * slab_size] the sums of each, the loss last */
    double *scratch;                      /* [workers * scratch_size] */
    size_t scratch_size;
    double *residual; /* [rows * sets], for sparse features */
    double *scaled;   /* [P] θ times scale, or NULL */
    /* The current task. */
    cr__lr_objective *objective;
    const double *theta;
    double *gradient;
    goal task;
    atomic_size_t next;
};

/* --- scores of a block --------------------------------------------------------------------- */

/* One set of weights: a sum that needs no array. */
static double score_sparse_one(const cr__lr_objective *o, const double *w, size_t row)
{
    const cr__lr_sparse *sparse = &o->design->by_row;
    double sum = 0;

    if (sparse->value == NULL)
        for (uint64_t k = sparse->start[row]; k < sparse->start[row + 1]; k++)
            sum += w[sparse->index[k]];
    else
        for (uint64_t k = sparse->start[row]; k < sparse->start[row + 1]; k++)
            sum += sparse->value[k] * w[sparse->index[k]];
    return sum;
}

/* The dense features of a block, the intercept's 1 first: [1 + dense][64]. Rows beyond the last
 * count as missing all values. */
static void frame_block(const cr__lr_objective *o, size_t block, double *x)
{
    const cr__lr_design *d = o->design;
    const size_t first = block * CR__LR_BLOCK, left = d->rows - first;

    for (size_t r = 0; r < CR__LR_BLOCK; r++)
        x[r] = 1;
    for (size_t j = 0; j < d->shape->reals; j++) {
        const cr__lr_real *real = &d->real[j];
        double *to = x + (1 + j) * CR__LR_BLOCK;

        if (left >= CR__LR_BLOCK) {
            o->kernel->frame(real->value + first, real->centre, real->inverse, to);
            continue;
        }
        for (size_t r = 0; r < CR__LR_BLOCK; r++)
            to[r] = r < left ? real->value[first + r] : NAN;
        o->kernel->frame(to, real->centre, real->inverse, to);
    }
    for (size_t k = 0; d->shape->dense > d->shape->reals && k < d->shape->pairs; k++) {
        const cr__lr_pair *pair = &d->shape->pair[k];
        const double *a = x + (1 + d->shape->slot[pair->a].first) * CR__LR_BLOCK;
        const double *b = x + (1 + d->shape->slot[pair->b].first) * CR__LR_BLOCK;

        if (pair->first < d->shape->dense)
            for (size_t r = 0; r < CR__LR_BLOCK; r++)
                x[(1 + pair->first) * CR__LR_BLOCK + r] = a[r] * b[r];
    }
}

/* Scores [sets][64] of a block under θ, whose dense features are x; work is [sets]. */
static void score_block(const cr__lr_objective *o, const double *theta, size_t block,
                        const double *x, double *score, double *work)
{
    const cr__lr_design *d = o->design;
    const size_t sets = d->shape->sets, first = block * CR__LR_BLOCK;
    const size_t rows = d->rows - first < CR__LR_BLOCK ? d->rows - first : CR__LR_BLOCK;
    const cr__lr_sparse *sparse = &d->by_row;

    memset(score, 0, sets * CR__LR_BLOCK * sizeof *score);
    o->kernel->forward(x, 1 + d->shape->dense, theta, sets, score);
    if (d->by_row.start == NULL)
        return;
    for (size_t r = 0; r < rows; r++) {
        if (sets == 1) {
            score[r] += score_sparse_one(o, theta + sets, first + r);
            continue;
        }
        memset(work, 0, sets * sizeof *work);
        o->kernel->gather(sparse->index + sparse->start[first + r],
                          sparse->value == NULL ? NULL : sparse->value + sparse->start[first + r],
                          (size_t)(sparse->start[first + r + 1] - sparse->start[first + r]),
                          theta + sets, sets, work);
        for (size_t s = 0; s < sets; s++)
            score[s * CR__LR_BLOCK + r] += work[s];
    }
}

/* --- from scores to losses and residuals --------------------------------------------------- */

/* Σ weight (top + log total - the class's score). With weights of 1 the totals are multiplied and
 * their logarithm taken once for 16 rows: each is between 1 and the number of classes. */
static double block_loss(const cr__lr_objective *o, size_t block, const double *own,
                         const double *top, const double *total)
{
    const double *weight = o->weight + block * CR__LR_BLOCK;
    const int whole = (block + 1) * CR__LR_BLOCK <= o->design->rows;
    double product[4] = {1, 1, 1, 1}, sum[4] = {0}, loss = 0;

    for (size_t r = 0; (!o->unit || !whole) && r < CR__LR_BLOCK; r++)
        if (weight[r] != 0)
            loss += weight[r] * (top[r] + log(total[r]) - own[r]);
    if (!o->unit || !whole)
        return loss;
    for (size_t r = 0; r < CR__LR_BLOCK; r += 4)
        for (size_t k = 0; k < 4; k++) {
            product[k] *= total[r + k];
            sum[k] += top[r + k] - own[r + k];
        }
    for (size_t k = 0; k < 4; k++)
        loss += sum[k] + log(product[k]);
    return loss;
}

/* Scores become weight (P - [it is the row's class]), or weight P (1 - P) for the curvature. */
static double block_residuals(const cr__lr_objective *o, size_t block, double *score, goal task,
                              double *work)
{
    const cr__lr_shape *shape = o->design->shape;
    const uint32_t *label = o->design->label + block * CR__LR_BLOCK;
    const double *weight = o->weight + block * CR__LR_BLOCK;
    double *own = work, *top = work + CR__LR_BLOCK, *total = work + 2 * CR__LR_BLOCK;
    double share[CR__LR_BLOCK], loss;

    for (size_t r = 0; r < CR__LR_BLOCK; r++)
        own[r] = label[r] < shape->first_class
                     ? 0
                     : score[(label[r] - shape->first_class) * CR__LR_BLOCK + r];
    o->kernel->softmax(score, shape->sets, shape->first_class == 1, top, total);
    loss = block_loss(o, block, own, top, total);
    for (size_t r = 0; r < CR__LR_BLOCK; r++)
        share[r] = task == CURVATURE ? 1 / total[r] : weight[r] / total[r];
    for (size_t s = 0; s < shape->sets; s++) {
        double *of = score + s * CR__LR_BLOCK;

        if (task == CURVATURE)
            for (size_t r = 0; r < CR__LR_BLOCK; r++)
                of[r] = weight[r] * (of[r] * share[r]) * (1 - of[r] * share[r]);
        else
            for (size_t r = 0; r < CR__LR_BLOCK; r++)
                of[r] *= share[r];
    }
    for (size_t r = 0; task == GRADIENT && r < CR__LR_BLOCK; r++)
        if (label[r] >= shape->first_class)
            score[(label[r] - shape->first_class) * CR__LR_BLOCK + r] -= weight[r];
    return loss;
}

/* --- sums over rows ------------------------------------------------------------------------ */

/* Keep residuals row by row for the sparse features. */
static void keep_residuals(const cr__lr_objective *o, size_t block, const double *score)
{
    const size_t sets = o->design->shape->sets, first = block * CR__LR_BLOCK;
    const size_t left = o->design->rows - first, rows = left < CR__LR_BLOCK ? left : CR__LR_BLOCK;
    double *to = o->room->residual + first * sets;

    for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < sets; s++)
            to[r * sets + s] = score[s * CR__LR_BLOCK + r];
}

static void sum_block(const cr__lr_objective *o, size_t block, double *slab, double *scratch)
{
    const struct cr__lr_room *room = o->room;
    const size_t sets = o->design->shape->sets, dense = o->design->shape->dense;
    double *x = scratch, *score = x + (1 + dense) * CR__LR_BLOCK;
    double *work = score + sets * CR__LR_BLOCK;

    frame_block(o, block, x);
    score_block(o, room->theta, block, x, score, work);
    slab[room->slab_size - 1] += block_residuals(o, block, score, room->task, work);
    for (size_t k = 0; room->task == CURVATURE && k < (1 + dense) * CR__LR_BLOCK; k++)
        x[k] *= x[k];
    o->kernel->backward(x, 1 + dense, score, sets, slab);
    if (room->residual != NULL)
        keep_residuals(o, block, score);
}

static void sum_slabs(void *context, int worker)
{
    struct cr__lr_room *room = context;
    const cr__lr_objective *o = room->objective;
    double *scratch = room->scratch + (size_t)worker * room->scratch_size;
    size_t slab;

    while ((slab = atomic_fetch_add(&room->next, 1)) < room->slabs) {
        const size_t end = (slab + 1) * room->slab_blocks;
        double *sums = room->slab + slab * room->slab_size;

        memset(sums, 0, room->slab_size * sizeof *sums);
        if (cr__lr_is_others(o, slab))
            continue;
        for (size_t b = slab * room->slab_blocks; b < end && b < o->design->blocks; b++)
            sum_block(o, b, sums, scratch);
    }
}

/* --- sums over the rows of sparse features ------------------------------------------------- */

/* The same for one set of weights, in four lanes. */
static double sum_one(const struct cr__lr_room *room, size_t feature)
{
    const cr__lr_sparse *sparse = &room->objective->design->by_feature;
    const double *residual = room->residual;
    const uint32_t *row = sparse->index + sparse->start[feature];
    const double *value = sparse->value == NULL ? NULL : sparse->value + sparse->start[feature];
    const size_t n = (size_t)(sparse->start[feature + 1] - sparse->start[feature]);
    double lane[4] = {0};
    size_t k = 0;

    for (; value == NULL && k + 4 <= n; k += 4)
        for (size_t i = 0; i < 4; i++)
            lane[i] += residual[row[k + i]];
    for (; k < n; k++) {
        const double x = value == NULL ? 1 : value[k];

        lane[k % 4] += (room->task == CURVATURE ? x * x : x) * residual[row[k]];
    }
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

static void sum_feature(const struct cr__lr_room *room, size_t feature, double *sum)
{
    const cr__lr_sparse *sparse = &room->objective->design->by_feature;
    const size_t sets = room->objective->design->shape->sets;

    if (sets == 1) {
        sum[0] = sum_one(room, feature);
        return;
    }
    for (size_t s = 0; s < sets; s++)
        sum[s] = 0;
    if (room->task == GRADIENT) {
        const uint64_t start = sparse->start[feature];

        room->objective->kernel->gather(
            sparse->index + start, sparse->value == NULL ? NULL : sparse->value + start,
            (size_t)(sparse->start[feature + 1] - start), room->residual, sets, sum);
        return;
    }
    for (uint64_t k = sparse->start[feature]; k < sparse->start[feature + 1]; k++) {
        const double *residual = room->residual + sparse->index[k] * sets;
        const double x = sparse->value == NULL ? 1 : sparse->value[k];

        for (size_t s = 0; s < sets; s++)
            sum[s] += x * x * residual[s];
    }
}

static void sum_features(void *context, int worker)
{
    struct cr__lr_room *room = context;
    const cr__lr_shape *shape = room->objective->design->shape;
    const size_t features = shape->features - shape->dense;
    size_t part;

    (void)worker;
    while ((part = atomic_fetch_add(&room->next, 1)) * FEATURES < features) {
        const size_t end = (part + 1) * FEATURES < features ? (part + 1) * FEATURES : features;

        if (cr__lr_is_others(room->objective, part))
            continue;
        for (size_t j = part * FEATURES; j < end; j++)
            sum_feature(room, j, room->gradient + (1 + shape->dense + j) * shape->sets);
    }
}

/* --- the members of a team ----------------------------------------------------------------- */

int cr__lr_is_others(const cr__lr_objective *o, size_t i)
{
    return o->team != NULL && i % (size_t)o->team->ranks != (size_t)o->team->rank;
}

/* The bits of one member's number and the zeros of all others' add up to that number. */
void cr__lr_bring_together(cr__lr_objective *o, double *sums, size_t count)
{
    if (o->team != NULL && o->lost == CR_OK)
        o->lost = cr__team_add(o->team, (uint64_t *)(void *)sums, count, NULL);
}

/* --- evaluation ---------------------------------------------------------------------------- */

static void run(cr__lr_objective *o, void (*work)(void *, int))
{
    const cr__lr_design *d = o->design;
    const double steps = (double)d->rows * (double)(d->shape->dense + 8) * (double)d->shape->sets;

    atomic_store(&o->room->next, 0);
    if (steps < SMALL || o->pool == NULL)
        work(o->room, 0);
    else
        cr__pool_run(o->pool, work, o->room);
}

/* Put the sums of a task into gradient; returns the loss. */
static double sum_all(cr__lr_objective *o, const double *theta, double *gradient, goal task)
{
    struct cr__lr_room *room = o->room;
    const cr__lr_shape *shape = o->design->shape;
    const size_t head = shape->sets * (1 + shape->dense), all = cr__lr_parameters(shape);
    double loss = 0;

    for (size_t p = 0; room->scaled != NULL && p < all; p++)
        room->scaled[p] = theta[p] * o->scale[p];
    room->theta = room->scaled != NULL ? room->scaled : theta;
    room->gradient = gradient;
    room->task = task;
    room->objective = o;
    if (o->team != NULL && room->residual != NULL)
        memset(room->residual, 0, o->design->rows * shape->sets * sizeof *room->residual);
    run(o, sum_slabs);
    cr__lr_bring_together(o, room->slab, room->slabs * room->slab_size);
    if (room->residual != NULL)
        cr__lr_bring_together(o, room->residual, o->design->rows * shape->sets);
    memset(gradient, 0, head * sizeof *gradient);
    for (size_t i = 0; i < room->slabs; i++) {
        const double *sums = room->slab + i * room->slab_size;

        for (size_t p = 0; p < head; p++)
            gradient[p] += sums[p];
        loss += sums[room->slab_size - 1];
    }
    if (room->residual != NULL) {
        if (o->team != NULL)
            memset(gradient + head, 0, (all - head) * sizeof *gradient);
        run(o, sum_features);
        cr__lr_bring_together(o, gradient + head, all - head);
    }
    for (size_t p = 0; room->scaled != NULL && p < all; p++)
        gradient[p] *= task == CURVATURE ? o->scale[p] * o->scale[p] : o->scale[p];
    return loss;
}

double cr__lr_add_prior(const cr__lr_objective *o, const double *theta, double *gradient)
{
    const size_t all = cr__lr_parameters(o->design->shape);
    double sum = 0;

    for (size_t p = 0; o->matrix == NULL && o->precision != NULL && p < all; p++) {
        const double d = theta[p] - (o->centre == NULL ? 0 : o->centre[p]);

        sum += o->precision[p] * d * d;
        gradient[p] += o->precision[p] * d;
    }
    for (size_t p = 0; o->matrix != NULL && p < all; p++) {
        double row = 0;

        for (size_t q = 0; q < all; q++)
            row += o->matrix[p * all + q] * (theta[q] - o->centre[q]);
        sum += row * (theta[p] - o->centre[p]);
        gradient[p] += row;
    }
    return sum / 2;
}

double cr__lr_evaluate(cr__lr_objective *o, const double *theta, double *gradient)
{
    const double loss = sum_all(o, theta, gradient, GRADIENT);

    o->log_likelihood = -loss;
    return loss + cr__lr_add_prior(o, theta, gradient);
}

void cr__lr_curvature(cr__lr_objective *o, const double *theta, double *diagonal)
{
    const size_t all = cr__lr_parameters(o->design->shape);

    sum_all(o, theta, diagonal, CURVATURE);
    for (size_t p = 0; p < all; p++)
        diagonal[p] += o->matrix != NULL      ? o->matrix[p * all + p]
                       : o->precision != NULL ? o->precision[p]
                                              : 0;
}

void cr__lr_answer(cr__lr_objective *o, const double *theta, const uint32_t *row, size_t rows,
                   double *log_p)
{
    struct cr__lr_room *room = o->room;
    const cr__lr_shape *shape = o->design->shape;
    const size_t K = shape->classes;
    double *x = room->scratch, *score = x + (1 + shape->dense) * CR__LR_BLOCK;
    size_t block = SIZE_MAX;

    for (size_t p = 0; room->scaled != NULL && p < cr__lr_parameters(shape); p++)
        room->scaled[p] = theta[p] * o->scale[p];
    theta = room->scaled != NULL ? room->scaled : theta;
    for (size_t i = 0; i < rows; i++, log_p += K) {
        double all;

        if (row[i] / CR__LR_BLOCK != block) {
            block = row[i] / CR__LR_BLOCK;
            frame_block(o, block, x);
            score_block(o, theta, block, x, score, score + shape->sets * CR__LR_BLOCK);
        }
        for (size_t c = 0; c < K; c++)
            log_p[c] = c < shape->first_class
                           ? 0
                           : score[(c - shape->first_class) * CR__LR_BLOCK + row[i] % CR__LR_BLOCK];
        all = cr__log_sum_exp(log_p, K);
        for (size_t c = 0; c < K; c++)
            log_p[c] -= all;
    }
}

double cr__lr_block(const cr__lr_objective *o, const double *theta, size_t block, double *x,
                    double *residual, double *work)
{
    frame_block(o, block, x);
    score_block(o, theta, block, x, residual, work);
    return block_residuals(o, block, residual, GRADIENT, work);
}

size_t cr__lr_block_work(const cr__lr_shape *shape)
{
    return 3 * CR__LR_BLOCK + shape->sets;
}

int cr__lr_separates(cr__lr_objective *o, const double *theta)
{
    const cr__lr_shape *shape = o->design->shape;
    double *x = o->room->scratch, *score = x + (1 + shape->dense) * CR__LR_BLOCK;
    int separated = 1;

    for (size_t b = 0; separated && b < o->design->blocks; b++) {
        frame_block(o, b, x);
        score_block(o, theta, b, x, score, score + shape->sets * CR__LR_BLOCK);
        for (size_t r = b * CR__LR_BLOCK; r < (b + 1) * CR__LR_BLOCK && r < o->design->rows; r++) {
            const double *of = score + r % CR__LR_BLOCK;
            const size_t y = o->design->label[r];
            const double own =
                y < shape->first_class ? 0 : of[(y - shape->first_class) * CR__LR_BLOCK];

            for (size_t c = 0; o->weight[r] > 0 && c < shape->classes; c++)
                if (c != y &&
                    own <=
                        (c < shape->first_class ? 0 : of[(c - shape->first_class) * CR__LR_BLOCK]))
                    separated = 0;
        }
    }
    return separated;
}

/* --- memory -------------------------------------------------------------------------------- */

void cr__lr_objective_close(cr__lr_objective *o)
{
    struct cr__lr_room *room = o->room;

    if (room != NULL) {
        cr__free(room->slab);
        cr__free(room->scratch);
        cr__free(room->residual);
        cr__free(room->scaled);
        cr__free(room);
    }
    *o = (cr__lr_objective){0};
}

static int make_room(cr__lr_objective *o)
{
    const cr__lr_shape *shape = o->design->shape;
    struct cr__lr_room *room = o->room;
    const size_t workers = o->pool == NULL ? 1 : (size_t)cr_pool_threads(o->pool);
    size_t slabs = MOST_SLABS;

    room->slab_size = shape->sets * (1 + shape->dense) + 1;
    while (slabs > 1 && slabs * room->slab_size > ((size_t)1 << 23))
        slabs /= 2;
    room->slab_blocks = (o->design->blocks + slabs - 1) / slabs;
    room->slabs = (o->design->blocks + room->slab_blocks - 1) / room->slab_blocks;
    room->scratch_size = (1 + shape->dense + shape->sets) * CR__LR_BLOCK + cr__lr_block_work(shape);
    room->slab = cr__alloc(room->slabs * room->slab_size, sizeof *room->slab);
    room->scratch = cr__alloc(workers * room->scratch_size, sizeof *room->scratch);
    if (shape->features > shape->dense &&
        (room->residual = cr__alloc(o->design->rows * shape->sets, sizeof *room->residual)) == NULL)
        return 0;
    return room->slab != NULL && room->scratch != NULL;
}

cr_status cr__lr_objective_open(cr__lr_objective *out, const cr__lr_design *design, cr_pool *pool,
                                const cr_team *team, cr_error *err)
{
    *out = (cr__lr_objective){.design = design,
                              .weight = design->weight,
                              .total = design->total,
                              .unit = design->unit,
                              .kernel = cr__lr_kernel_best(),
                              .pool = pool,
                              .team = team};
    if ((out->room = cr__alloc_zero(1, sizeof *out->room)) == NULL || !make_room(out)) {
        cr__lr_objective_close(out);
        return cr__fail_memory(err);
    }
    return CR_OK;
}

cr_status cr__lr_objective_scale(cr__lr_objective *o, const double *scale, cr_error *err)
{
    cr__free(o->room->scaled);
    o->scale = NULL;
    o->room->scaled = cr__alloc(cr__lr_parameters(o->design->shape), sizeof *o->room->scaled);
    if (o->room->scaled == NULL)
        return cr__fail_memory(err);
    o->scale = scale;
    return CR_OK;
}
