/* learners/logistic/lambda.c - how strong the prior should be, by cross-validation.
 *
 * The rows are dealt to five folds by the seed. For each fold the weights are followed from a
 * strong prior to a weak one, each from where the one before ended, on the rows outside the fold;
 * the λ under which the rows inside are most probable, over all folds, is taken.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "learners/logistic/fit.h"

enum { FOLDS = 5, PATH = 15 };

/* 10^3.5, 10^3, … 10^-3.5: rows of any number are worth some of it. */
static double path_lambda(size_t step)
{
    return pow(10, 3.5 - 0.5 * (double)step);
}

static void deal(cr__random *random, uint32_t *fold, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        fold[r] = (uint32_t)(r % FOLDS);
    cr__random_shuffle(random, fold, rows);
}

/* Give the objective the rows inside a fold, or those outside. */
static void take_rows(cr__lr_fit *f, const uint32_t *fold, uint32_t which, int inside,
                      double *weight)
{
    cr__lr_objective *o = &f->objective;

    o->total = 0;
    for (size_t r = 0; r < f->design->rows; r++) {
        weight[r] = (fold[r] == which) == inside ? f->design->weight[r] : 0;
        o->total += weight[r];
    }
    o->weight = weight;
    o->unit = 0;
}

/* ln P(classes inside | rows inside) at each λ of the path, added to score. */
static cr_status follow(cr__lr_fit *f, const uint32_t *fold, uint32_t which, double *weight,
                        double *gradient, double *score, cr_error *err)
{
    const size_t all = cr__lr_parameters(&f->lr->shape);
    cr_status st = CR_OK;

    memset(f->theta, 0, all * sizeof *f->theta);
    for (size_t step = 0; st == CR_OK && step < PATH; step++) {
        const double lambda = path_lambda(step);

        take_rows(f, fold, which, 0, weight);
        if (!(f->objective.total > 0))
            return CR_OK;
        cr__lr_precision(f, f->prior == CR__LR_GAUSSIAN ? lambda : 0, f->precision);
        f->search.laplace = f->prior == CR__LR_LAPLACE ? lambda : 0;
        if ((st = cr__lr_solve(&f->search, f->solver, err)) != CR_OK)
            return st;
        take_rows(f, fold, which, 1, weight);
        cr__lr_evaluate(&f->objective, f->theta, gradient);
        score[step] += f->objective.log_likelihood;
    }
    return st;
}

cr_status cr__lr_choose_lambda(cr__lr_fit *f, cr_error *err)
{
    const size_t all = cr__lr_parameters(&f->lr->shape), rows = f->design->rows;
    const double epsilon = f->search.epsilon;
    const int keep_trace = f->search.keep_trace;
    uint32_t *fold = cr__alloc(rows, sizeof *fold);
    double *weight = cr__alloc_zero(f->design->blocks * CR__LR_BLOCK, sizeof *weight);
    double *gradient = cr__alloc(all, sizeof *gradient), score[PATH] = {0};
    cr__random random;
    size_t best = 0;
    cr_status st = CR_OK;

    if (fold == NULL || weight == NULL || gradient == NULL)
        st = cr__fail_memory(err);
    cr__random_seed(&random, cr__run_of(f->lesson->run).seed);
    if (st == CR_OK)
        deal(&random, fold, rows);
    f->search.epsilon = fmax(epsilon, 1e-4); /* enough to compare priors */
    f->search.keep_trace = 0;
    for (uint32_t k = 0; st == CR_OK && k < FOLDS; k++)
        st = follow(f, fold, k, weight, gradient, score, err);
    for (size_t step = 1; step < PATH; step++)
        if (score[step] > score[best])
            best = step;
    f->lambda = path_lambda(best);
    f->search.epsilon = epsilon;
    f->search.keep_trace = keep_trace;
    f->objective.weight = f->design->weight;
    f->objective.total = f->design->total;
    f->objective.unit = f->design->unit;
    memset(f->theta, 0, all * sizeof *f->theta);
    cr__free(fold);
    cr__free(weight);
    cr__free(gradient);
    return st;
}
