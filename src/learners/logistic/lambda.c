/* learners/logistic/lambda.c - how strong the prior should be, by cross-validation.
 *
 * The rows are assigned to five folds by the seed. For each fold the weights are followed from a
 * strong prior to a weak one, each starting where the previous one ended, on the rows outside the
 * fold; the λ under which the rows inside are most probable, over all folds, is chosen. Every fold
 * has its share of each class. A row whose class does not occur outside its fold is uninformative
 * about λ: the intercept of such a class would decrease without bound.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "learners/logistic/fit.h"

enum { FOLDS = 5, PATH = 15 };

/* 10^3.5, 10^3, … 10^-3.5: a range that suits any number of rows. */
static double path_lambda(size_t step)
{
    return pow(10, 3.5 - 0.5 * (double)step);
}

/* Assign the rows in random order, class by class. */
static cr_status deal(cr__random *random, const cr__lr_design *design, size_t classes,
                      uint32_t *fold, cr_error *err)
{
    uint32_t *order = cr__alloc(design->rows + 1, sizeof *order);
    uint32_t *next = cr__alloc_zero(classes, sizeof *next);
    const int room = order != NULL && next != NULL;

    for (size_t r = 0; room && r < design->rows; r++)
        order[r] = (uint32_t)r;
    if (room)
        cr__random_shuffle(random, order, design->rows);
    for (size_t c = 0; room && c < classes; c++)
        next[c] = (uint32_t)(c % FOLDS);
    for (size_t i = 0; room && i < design->rows; i++)
        fold[order[i]] = next[design->label[order[i]]]++ % FOLDS;
    cr__free(order);
    cr__free(next);
    return room ? CR_OK : cr__fail_memory(err);
}

/* Which classes have a row of positive weight outside a fold. */
static void find_known(const cr__lr_fit *f, const uint32_t *fold, uint32_t which, size_t classes,
                       unsigned char *known)
{
    memset(known, 0, classes);
    for (size_t r = 0; r < f->design->rows; r++)
        if (fold[r] != which && f->design->weight[r] > 0)
            known[f->design->label[r]] = 1;
}

/* Give the objective the rows inside a fold, or those outside. */
static void take_rows(cr__lr_fit *f, const uint32_t *fold, uint32_t which, int inside,
                      const unsigned char *known, double *weight)
{
    cr__lr_objective *o = &f->objective;

    o->total = 0;
    for (size_t r = 0; r < f->design->rows; r++) {
        weight[r] = (fold[r] == which) == inside ? f->design->weight[r] : 0;
        if (inside && weight[r] > 0 && !known[f->design->label[r]])
            weight[r] = 0;
        o->total += weight[r];
    }
    o->weight = weight;
    o->unit = 0;
}

/* ln P(classes inside | rows inside) at each λ of the path, added to score. */
static cr_status follow(cr__lr_fit *f, const uint32_t *fold, uint32_t which,
                        const unsigned char *known, double *weight, double *gradient, double *score,
                        cr_error *err)
{
    const size_t all = cr__lr_parameters(&f->lr->shape);
    cr_status st = CR_OK;

    memset(f->theta, 0, all * sizeof *f->theta);
    for (size_t step = 0; st == CR_OK && step < PATH; step++) {
        const double lambda = path_lambda(step);

        take_rows(f, fold, which, 0, known, weight);
        if (!(f->objective.total > 0))
            return CR_OK;
        cr__lr_precision(f, f->prior == CR__LR_GAUSSIAN ? lambda : 0, f->precision);
        f->search.laplace = f->prior == CR__LR_LAPLACE ? lambda : 0;
        if ((st = cr__lr_solve(&f->search, f->solver, err)) != CR_OK)
            return st;
        take_rows(f, fold, which, 1, known, weight);
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
    const size_t classes = f->lr->shape.classes;
    unsigned char *known = cr__alloc_zero(classes, 1);
    cr__random random;
    size_t best = 0;
    cr_status st = CR_OK;

    if (fold == NULL || weight == NULL || gradient == NULL || known == NULL)
        st = cr__fail_memory(err);
    cr__random_seed(&random, cr__run_of(f->input->run).seed);
    if (st == CR_OK)
        st = deal(&random, f->design, classes, fold, err);
    f->search.epsilon = fmax(epsilon, 1e-4); /* enough to compare priors */
    f->search.keep_trace = 0;
    for (uint32_t k = 0; st == CR_OK && k < FOLDS; k++) {
        find_known(f, fold, k, classes, known);
        st = follow(f, fold, k, known, weight, gradient, score, err);
    }
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
    cr__free(known);
    return st;
}
