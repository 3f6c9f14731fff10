/* learners/logistic/lambda.c - how strong the prior should be, and answers to rows not seen.
 *
 * Rows are dealt into five folds by the seed, each with its share of every class. For each fold the
 * weights are followed from a strong prior to a weaker one, each starting where the previous one
 * ended, on the rows outside the fold; the λ under which the rows inside are most probable, over
 * all folds, is chosen. The path ends where weaker priors do not help any more: these take longest.
 * A row whose class does not occur outside its fold is uninformative about λ: the intercept of such
 * a class would decrease without bound.
 *
 * The search is to cost about as much as the training itself. Where a step takes long, one fold is
 * judged instead of five; of many rows, some thousands are used. The prior is one of the weights,
 * whatever the number of rows: its λ is that of the sum over all rows. With a thousand rows for
 * each weight it changes the answers by less than a thousandth of a nat, and λ stays 1.
 *
 * The answers to the rows inside, under the λ that is used, are those of models that have not seen
 * them: what a calibration needs. Where there was no search, or only on some of the rows, models of
 * all rows but those of a fold are fitted for them. They start at nothing, or at weights that were
 * found without the fold: any others know its rows, and a search that ends within a tolerance
 * remembers where it began.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/logspace.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/team.h"
#include "data/folds.h"
#include "learners/logistic/fit.h"

enum { FOLDS = 5, PATH = 15, PATIENCE = 2, FEW_ROWS = 2000, SAMPLE_ROWS = 10000 };

#define STEP_WORK 1e6      /* products of a step that is quick enough for all folds */
#define GAIN_LEAST 1e-4    /* nats a row: a weaker prior that gains less is no better */
#define NEWTON_WIDTH 64    /* wider rows make second derivatives dearer than more steps */
#define ROWS_A_WEIGHT 1000 /* from so many on, the prior hardly matters */

/* 10^3.5, 10^3, … 10^-3.5: a range that suits any number of rows. */
static double path_lambda(size_t step)
{
    return pow(10, 3.5 - 0.5 * (double)step);
}

/* Models without folds of the rows of a design. */
typedef struct trial {
    cr__lr_fit *fit;
    const cr__lr_design *design;
    cr__lr_design *own; /* the design of a sample, and its rows; or NULL: all rows */
    cr__table *sample;
    cr__lr_objective objective;
    cr__lr_search search;
    unsigned solver;
    uint32_t *fold;                     /* [rows] FOLDS and more: in none */
    size_t folds;                       /* that are judged */
    uint32_t *row;                      /* the rows of these, fold by fold, */
    size_t start[FOLDS + 1];            /* and where each fold begins */
    double *weight;                     /* [blocks * 64] of the rows that are learned */
    unsigned char *known;               /* [classes] those of the rows that are learned */
    double *theta[FOLDS], *best[FOLDS]; /* [P] where each fold is, and was under the best λ */
    double *answer, *best_answer;       /* ln P(class | row), [rows of all folds * classes] */
} trial;

static void close_trial(trial *t)
{
    cr__lr_objective_close(&t->objective);
    cr__lr_design_free(t->own);
    cr__table_free(t->sample);
    cr__free(t->fold);
    cr__free(t->row);
    cr__free(t->weight);
    cr__free(t->known);
    for (size_t f = 0; f < FOLDS; f++) {
        cr__free(t->theta[f]);
        cr__free(t->best[f]);
    }
    cr__free(t->answer);
    cr__free(t->best_answer);
}

/* --- which rows ----------------------------------------------------------------------------- */

static size_t weights(const cr__lr_fit *f)
{
    return cr__lr_parameters(&f->lr->shape);
}

static uint64_t seed_of(const cr__lr_fit *f)
{
    return cr__run_of(f->input->run).seed;
}

/* List some thousands of many rows, with their share of each class, as [*rows]; NULL: all are
 * used. */
static cr_status pick(const cr__lr_fit *f, uint32_t **list, size_t *rows, cr_error *err)
{
    const cr__lr_design *d = f->design;
    const cr__deal deal = {.rows = d->rows,
                           .folds = d->rows / SAMPLE_ROWS + (d->rows % SAMPLE_ROWS > 0),
                           .class_code = d->label,
                           .classes = f->lr->shape.classes,
                           .seed = seed_of(f)};
    uint32_t *part = NULL;
    cr_status st = CR_OK;

    *list = NULL;
    *rows = d->rows;
    if (deal.folds < 2)
        return CR_OK;
    part = cr__alloc(d->rows, sizeof *part);
    *list = cr__alloc(d->rows, sizeof **list);
    st = part == NULL || *list == NULL ? cr__fail_memory(err) : cr__folds_deal(part, &deal, err);
    for (size_t r = *rows = 0; st == CR_OK && r < d->rows; r++)
        if (part[r] == 0)
            (*list)[(*rows)++] = (uint32_t)r;
    cr__free(part);
    return st;
}

/* Products of a step, and the changes of its weights. */
static double step_work(const trial *t)
{
    const cr__lr_design *d = t->design;
    const double sparse = d->by_row.start == NULL ? 0 : (double)d->by_row.start[d->rows];
    const double cells = sparse + (double)d->rows * (double)(1 + d->shape->dense);

    return cells * (double)d->shape->sets + 10 * (double)cr__lr_parameters(d->shape);
}

static size_t folds_for(const trial *t)
{
    const size_t rows = t->design->rows;

    if (rows < FOLDS)
        return rows < 2 ? 1 : 2;
    return rows <= FEW_ROWS || (rows < SAMPLE_ROWS && step_work(t) <= STEP_WORK) ? FOLDS : 1;
}

/* The rows of the folds that are judged. */
static cr_status list_folds(trial *t, cr_error *err)
{
    size_t n = 0;

    if ((t->row = cr__alloc(t->design->rows + 1, sizeof *t->row)) == NULL)
        return cr__fail_memory(err);
    for (size_t f = 0; f < t->folds; f++) {
        for (size_t r = 0; r < t->design->rows; r++)
            if (t->fold[r] == f && t->design->weight[r] > 0)
                t->row[n++] = (uint32_t)r;
        t->start[f + 1] = n;
    }
    return CR_OK;
}

/* --- models without a fold ------------------------------------------------------------------ */

static cr_status make_room(trial *t, cr_error *err)
{
    const cr__lr_shape *shape = t->design->shape;
    const size_t all = cr__lr_parameters(shape), rows = t->start[t->folds];
    int room;

    t->weight = cr__alloc_zero(t->design->blocks * CR__LR_BLOCK, sizeof *t->weight);
    t->known = cr__alloc(shape->classes, 1);
    t->answer = cr__alloc(rows + 1, shape->classes * sizeof *t->answer);
    t->best_answer = cr__alloc_zero(rows + 1, shape->classes * sizeof *t->best_answer);
    room = t->weight != NULL && t->known != NULL && t->answer != NULL && t->best_answer != NULL;
    for (size_t f = 0; f < t->folds; f++) {
        t->theta[f] = cr__alloc_zero(all, sizeof *t->theta[f]);
        t->best[f] = cr__alloc_zero(all, sizeof *t->best[f]);
        room = room && t->theta[f] != NULL && t->best[f] != NULL;
    }
    return room ? CR_OK : cr__fail_memory(err);
}

/* Newton's steps are few, but each takes the products of all pairs of a row's features. */
static unsigned choose_solver(const trial *t)
{
    const cr__lr_design *d = t->design;
    const double sparse = d->by_row.start == NULL || d->rows == 0
                              ? 0
                              : (double)d->by_row.start[d->rows] / (double)d->rows;
    const double width = (double)d->shape->sets * (1 + (double)d->shape->dense + sparse);

    return t->fit->solver == CR__LR_NEWTON && width > NEWTON_WIDTH ? CR__LR_LBFGS : t->fit->solver;
}

/* On the design's rows, of which fold says what is left out. */
static cr_status open_models(trial *t, cr_error *err)
{
    const cr__lr_fit *f = t->fit;
    cr_status st = list_folds(t, err);

    if (st == CR_OK)
        st = make_room(t, err);
    if (st == CR_OK)
        st = cr__lr_objective_open(&t->objective, t->design, f->pool, cr__team_of(f->input->run),
                                   err);
    if (st == CR_OK && f->scale != NULL)
        st = cr__lr_objective_scale(&t->objective, f->scale, err);
    t->objective.precision = f->precision;
    t->objective.matrix = f->matrix;
    t->objective.centre = f->centre;
    t->objective.weight = t->weight;
    t->objective.unit = 0;
    t->search = (cr__lr_search){.objective = &t->objective,
                                .epsilon = fmax(f->search.epsilon, 1e-4), /* enough to compare */
                                .most = f->search.most,
                                .eta = f->search.eta,
                                .run = f->search.run};
    t->solver = choose_solver(t);
    return st;
}

/* Learn the rows outside a fold. */
static void leave_out(trial *t, uint32_t fold)
{
    const cr__lr_design *d = t->design;

    memset(t->known, 0, d->shape->classes);
    t->objective.total = 0;
    for (size_t r = 0; r < d->rows; r++) {
        t->weight[r] = t->fold[r] == fold ? 0 : d->weight[r];
        t->objective.total += t->weight[r];
        if (t->weight[r] > 0)
            t->known[d->label[r]] = 1;
    }
}

/* The answers to the rows of a fold, among the classes that were learned; returns -Σ weight ln
 * P(class). */
static double judge(trial *t, size_t fold)
{
    const cr__lr_design *d = t->design;
    const size_t K = d->shape->classes, first = t->start[fold], end = t->start[fold + 1];
    double *answer = t->answer + first * K, loss = 0;

    cr__lr_answer(&t->objective, t->theta[fold], t->row + first, end - first, answer);
    for (size_t i = first; i < end; i++, answer += K) {
        const uint32_t r = t->row[i];

        double all;

        for (size_t c = 0; c < K; c++)
            if (!t->known[c])
                answer[c] = -INFINITY;
        all = cr__log_sum_exp(answer, K);
        for (size_t c = 0; c < K; c++)
            answer[c] -= all;
        if (t->known[d->label[r]])
            loss -= d->weight[r] * answer[d->label[r]];
    }
    return loss;
}

/* All folds under a λ. */
static cr_status try_lambda(trial *t, double lambda, double *loss, cr_error *err)
{
    cr__lr_fit *f = t->fit;
    cr_status st = CR_OK;

    *loss = 0;
    cr__lr_precision(f, f->prior == CR__LR_GAUSSIAN ? lambda : 0, f->precision);
    t->search.laplace = f->prior == CR__LR_LAPLACE ? lambda : 0;
    for (size_t k = 0; st == CR_OK && k < t->folds; k++) {
        leave_out(t, (uint32_t)k);
        t->search.theta = t->theta[k];
        if (t->objective.total > 0)
            st = cr__lr_solve(&t->search, t->solver, err);
        if (st == CR_OK)
            *loss += judge(t, k);
    }
    if (st == CR_OK && t->objective.lost != CR_OK)
        st = cr__fail(err, t->objective.lost, "the sums of other processes did not arrive");
    return st;
}

static void keep_best(trial *t)
{
    double *answer = t->best_answer;

    t->best_answer = t->answer;
    t->answer = answer;
    for (size_t f = 0; f < t->folds; f++)
        memcpy(t->best[f], t->theta[f], weights(t->fit) * sizeof *t->best[f]);
}

/* Follow the path; the fit gets the best λ. */
static cr_status follow(trial *t, cr_error *err)
{
    double least = INFINITY, loss, judged = 0;
    size_t waited = 0;
    cr_status st = CR_OK;

    for (size_t i = 0; i < t->start[t->folds]; i++)
        judged += t->design->weight[t->row[i]];
    for (size_t step = 0; st == CR_OK && step < PATH && waited < PATIENCE; step++) {
        st = try_lambda(t, path_lambda(step), &loss, err);
        waited++;
        if (st != CR_OK || !(loss < least - GAIN_LEAST * judged))
            continue;
        waited = 0;
        least = loss;
        t->fit->lambda = path_lambda(step);
        keep_best(t);
    }
    return st;
}

/* --- answers -------------------------------------------------------------------------------- */

/* Hand over the answers of the trial, under the best λ. */
static cr_status hand_over(const trial *t, cr__unseen *to, cr_error *err)
{
    const cr__table *rows = t->sample != NULL ? t->sample : t->fit->input->rows;
    const size_t K = t->design->shape->classes, n = t->start[t->folds];

    to->truth = cr__alloc(n + 1, sizeof *to->truth);
    to->weight = cr__alloc(n + 1, sizeof *to->weight);
    to->score = cr__alloc(n + 1, K * sizeof *to->score);
    if (to->truth == NULL || to->weight == NULL || to->score == NULL)
        return cr__fail_memory(err);
    memcpy(to->score, t->best_answer, n * K * sizeof *to->score);
    for (size_t i = 0; i < n; i++) {
        to->truth[i] = (int32_t)t->design->label[t->row[i]];
        to->weight[i] = rows->weight == NULL ? 1 : rows->weight[t->row[i]];
    }
    to->rows = n;
    return CR_OK;
}

/* The rows left out are those of the first fold of the sample, or of all folds where there is no
 * sample. */
static cr_status deal(trial *t, const uint32_t *list, size_t rows, cr_error *err)
{
    const size_t all = t->design->rows;
    uint32_t *label = cr__alloc(rows + 1, sizeof *label), *fold = NULL;
    const cr__deal how = {.rows = rows,
                          .folds = rows < FOLDS ? (rows < 2 ? 1 : 2) : FOLDS,
                          .class_code = label,
                          .classes = t->design->shape->classes,
                          .seed = seed_of(t->fit)};
    cr_status st;

    t->fold = cr__alloc(all + 1, sizeof *t->fold);
    fold = cr__alloc(rows + 1, sizeof *fold);
    st = label == NULL || fold == NULL || t->fold == NULL ? cr__fail_memory(err) : CR_OK;
    for (size_t i = 0; st == CR_OK && i < rows; i++)
        label[i] = t->fit->design->label[list == NULL ? i : list[i]];
    if (st == CR_OK)
        st = cr__folds_deal(fold, &how, err);
    for (size_t r = 0; st == CR_OK && r < all; r++)
        t->fold[r] = FOLDS;
    for (size_t i = 0; st == CR_OK && i < rows; i++)
        t->fold[all == rows || list == NULL ? i : list[i]] = fold[i];
    cr__free(label);
    cr__free(fold);
    return st;
}

/* The design of the listed rows. */
static cr_status design_sample(trial *t, const uint32_t *list, size_t rows, cr_error *err)
{
    const cr__lr_fit *f = t->fit;
    cr__fit_input input = *f->input;
    cr_status st = cr__table_new(&t->sample, input.rows->schema, err);

    if (st == CR_OK && cr__table_extend(t->sample, input.rows, list, rows, NULL) != CR_OK)
        st = cr__fail_memory(err);
    input.rows = t->sample;
    if (st == CR_OK)
        st = cr__lr_design_new(&t->own, &f->lr->shape, &input, f->lr->frame, f->class_weight, 1,
                               err);
    t->design = t->own;
    return st;
}

/* Choose on all rows, or on those listed; the fit starts at the mean of what the folds found. */
static cr_status search(trial *t, const uint32_t *list, size_t rows, cr_error *err)
{
    cr__lr_fit *f = t->fit;
    cr_status st = list == NULL ? CR_OK : design_sample(t, list, rows, err);

    if (st == CR_OK)
        st = deal(t, list, rows, err);
    if (st == CR_OK) {
        t->folds = folds_for(t);
        st = open_models(t, err);
    }
    if (st == CR_OK)
        st = follow(t, err);
    for (size_t p = 0; st == CR_OK && p < weights(f); p++) {
        double sum = 0;

        for (size_t k = 0; k < t->folds; k++)
            sum += t->best[k][p];
        f->theta[p] = sum / (double)t->folds;
    }
    return st;
}

/* Answers to rows of all: by models without their fold, which start where the search ended if it
 * left out the same rows. */
static cr_status answer(cr__lr_fit *f, const uint32_t *list, size_t rows, int start, cr_error *err)
{
    trial t = {.fit = f, .design = f->design};
    double loss;
    cr_status st = deal(&t, list, rows, err);

    if (st == CR_OK) {
        t.folds = list != NULL ? 1 : folds_for(&t);
        st = open_models(&t, err);
    }
    if (st == CR_OK && start)
        memcpy(t.theta[0], f->theta, weights(f) * sizeof *f->theta);
    if (st == CR_OK)
        st = try_lambda(&t, f->lambda, &loss, err);
    if (st == CR_OK) {
        keep_best(&t);
        st = hand_over(&t, f->input->unseen, err);
    }
    close_trial(&t);
    return st;
}

/* Whether answers are wanted that are honest: features=log-count-ratio makes the features by the
 * classes of all rows. */
static int wants_answers(const cr__lr_fit *f)
{
    const cr__unseen *unseen = f->input->unseen;

    return unseen != NULL && f->design->rows >= unseen->rows_least && f->lr->shape.classes > 1 &&
           !cr__knobs_is(f->input->knobs, "features", "log-count-ratio");
}

cr_status cr__lr_choose_lambda(cr__lr_fit *f, cr_error *err)
{
    trial t = {.fit = f, .design = f->design};
    const int answers = wants_answers(f);
    uint32_t *list = NULL;
    size_t rows = f->design->rows;
    int searched = isnan(f->lambda);
    cr_status st = CR_OK;

    if (!searched && !answers)
        return CR_OK;
    if (searched && (double)rows >= ROWS_A_WEIGHT * (double)weights(f)) {
        f->lambda = 1;
        searched = 0;
    }
    st = pick(f, &list, &rows, err);
    if (st == CR_OK && searched)
        st = search(&t, list, rows, err);
    if (st == CR_OK && answers)
        st = searched && list == NULL ? hand_over(&t, f->input->unseen, err)
                                      : answer(f, list, rows, searched && t.folds == 1, err);
    close_trial(&t);
    cr__free(list);
    return st;
}
