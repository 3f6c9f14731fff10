/* learners/gda/choose.c - the form of the covariances that predicts held-out rows best.
 *
 * shrinkage=cv: the intensity out of a few whose log loss on held-out rows is least.
 *
 * covariance=auto: the same for pairs of pool and shrinkage, which lead from a covariance for each
 * class to one for all, and from either to variances only; each is computed on features scaled to
 * variance 1. In addition some levels are tried, which suit features of one unit, such as the
 * pixels of an image. Densities are too confident, which a calibration corrects: log densities are
 * judged at the best of a few slopes, that is, posteriors at the best of a few temperatures.
 *
 * Rows are held out fold by fold. Their products are subtracted from those of all rows, so a form
 * is judged as it will be used, on nearly all rows, even where only some thousand of them are
 * sampled to be held out; and each form is factored once for a fold, however many rows that has.
 * After each fold the worse half of the forms is given up, until a few are left. Of those that are
 * as good as the best but for a difference that chance makes, the simplest is taken. With many
 * features fewer forms are tried, on one fold.
 *
 * Held-out rows are complete ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "learners/gda/gda.h"
#include "learners/gda/loss.h"
#include "learners/gda/turned.h"

enum { FOLDS = 10, FOLDS_WIDE = 5, BLOCK = 256 };

enum { RACE_ROWS = 200, RACE_LEAST = 4 }; /* rows that tell worse forms, and forms that stay */

#define NATS_BETTER 2.0 /* a form must be better by this much than simpler ones */

#define WORK_MOST 2e7     /* rows × features² × classes that are held out, */
#define ROWS_LEAST 1000   /* but at least this many rows */
#define ROWS_FEATURE 3    /* or this many per feature */
#define WIDE 2e6          /* features³ × classes from which on few forms are tried, */
#define FACTORS_MOST 2e10 /* and those that all classes share */

static const double tried_shrinkage[] = {0,   1e-4, 1e-3, 0.01, 0.03, 0.1,
                                         0.2, 0.3,  0.5,  0.7,  0.9,  1};
/* Simplest first: the fewest numbers of each class, and a shrinkage that guards against few rows.
 */
static const double auto_pool[] = {1, 0.6, 0.3, 0.1, 0};
static const double auto_shrinkage[] = {0.05, 0.2, 0, 0.01, 0.5, 1};
static const cr__gda_choice wide[] = {{1, 0.05, 0}, {1, 0.2, 0}, {1, 0.5, 0}, /* shared: first */
                                      {0, 0, 0.3},  {0, 0, 0.6}, {0, 0, 0.8}};
static const double auto_level[] = {0.1, 0.3, 0.6, 0.8};
static const double slope[] = {1, 0.7, 0.45, 0.25};

enum {
    SHRINKAGES = sizeof tried_shrinkage / sizeof *tried_shrinkage,
    POOLS = sizeof auto_pool / sizeof *auto_pool,
    AUTO_SHRINKAGES = sizeof auto_shrinkage / sizeof *auto_shrinkage,
    LEVELS = sizeof auto_level / sizeof *auto_level,
    WIDE_FORMS = sizeof wide / sizeof *wide,
    WIDE_SHARED = 3,
    SLOPES = sizeof slope / sizeof *slope,
    TRIED_MOST = POOLS * SHRINKAGES
};

/* --- forms ------------------------------------------------------------------------------------ */

/* A form that is tried. */
typedef struct form {
    cr__gda_choice choice;
    size_t number;       /* simplest first */
    double loss[SLOPES]; /* so far */
} form;

/* Those that are still in the race. */
typedef struct race {
    size_t left;
    form form[TRIED_MOST];
} race;

/* Computing a factor for each class takes about this many operations. */
static double factor_work(const cr__gda_fit *fit)
{
    const double features = (double)fit->n;

    return features * features * features * (double)fit->classes;
}

static int is_wide(const cr__gda_fit *fit)
{
    return cr__gda_chooses(fit->knobs) && factor_work(fit) > WIDE;
}

static void enter(race *r, double pool, double shrinkage, double level)
{
    r->form[r->left] = (form){.choice = {pool, shrinkage, level}, .number = r->left};
    r->left++;
}

/* The candidates. */
static void enter_all(race *r, const cr__gda_fit *fit)
{
    const cr__knobs *knobs = fit->knobs;
    const double pool = cr__knobs_number(knobs, "pool"), level = cr__knobs_number(knobs, "level");

    r->left = 0;
    if (!cr__gda_chooses(knobs)) {
        for (size_t s = 0; s < SHRINKAGES; s++)
            enter(r, pool, tried_shrinkage[s], level);
    } else if (is_wide(fit)) {
        const size_t forms = factor_work(fit) > FACTORS_MOST ? WIDE_SHARED : WIDE_FORMS;

        for (size_t i = 0; i < forms; i++)
            enter(r, wide[i].pool, wide[i].shrinkage, wide[i].level);
    } else {
        for (size_t p = 0; p < POOLS; p++)
            for (size_t s = 0; s < AUTO_SHRINKAGES; s++)
                enter(r, auto_pool[p], auto_shrinkage[s], 0);
        for (size_t l = 0; l < LEVELS; l++)
            enter(r, 0, 0, auto_level[l]);
    }
}

/* At the best slope. */
static double loss_of(const form *f)
{
    double least = f->loss[0];

    for (size_t i = 1; i < SLOPES; i++)
        least = fmin(least, f->loss[i]);
    return least;
}

/* Best first; of equal ones the simplest. */
static int by_loss(const void *pa, const void *pb)
{
    const form *a = pa, *b = pb;
    const double la = loss_of(a), lb = loss_of(b);

    return la != lb ? (la < lb ? -1 : 1) : a->number < b->number ? -1 : a->number > b->number;
}

/* Once enough rows were held out, the better half is left. */
static void give_up(race *r, size_t rows)
{
    qsort(r->form, r->left, sizeof *r->form, by_loss);
    if (rows >= RACE_ROWS && r->left > RACE_LEAST)
        r->left = r->left / 2 > RACE_LEAST ? r->left / 2 : RACE_LEAST;
}

/* The simplest that is hardly worse than the best. */
static cr__gda_choice winner(const race *r)
{
    const form *best = &r->form[0];

    for (size_t i = 1; i < r->left; i++)
        if (r->form[i].number < best->number &&
            loss_of(&r->form[i]) < loss_of(&r->form[0]) + NATS_BETTER)
            best = &r->form[i];
    return best->choice;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Complete rows, assigned to folds. */
typedef struct deal {
    size_t rows, folds;
    double *x;           /* [rows * n] */
    double *weight;      /* [rows], or NULL */
    uint32_t *of, *fold; /* [rows] class, fold */
} deal;

static void free_deal(deal *d)
{
    cr__free(d->x);
    cr__free(d->weight);
    cr__free(d->of);
    cr__free(d->fold);
}

static cr_status make_deal(deal *d, const cr__gda_fit *fit, const cr__table *rows, uint64_t seed)
{
    const size_t n = fit->n;
    const double least = fmax(ROWS_LEAST, ROWS_FEATURE * (double)n);
    const double most = fmax(least, WORK_MOST / ((double)(n * n + 1) * (double)(fit->classes + 1)));
    const size_t take =
        cr__gda_chooses(fit->knobs) && (double)rows->rows > most ? (size_t)most : rows->rows;
    uint64_t state = seed;

    *d = (deal){.folds = is_wide(fit) ? FOLDS_WIDE : FOLDS};
    if (take > SIZE_MAX / sizeof(double) / (n + 1) - 1)
        return CR_ENOMEM;
    d->x = cr__alloc((take + 1) * n, sizeof *d->x);
    d->of = cr__alloc(take + 1, sizeof *d->of);
    d->fold = cr__alloc(take + 1, sizeof *d->fold);
    d->weight = rows->weight == NULL ? NULL : cr__alloc(take + 1, sizeof *d->weight);
    if (d->x == NULL || d->of == NULL || d->fold == NULL ||
        (rows->weight != NULL && d->weight == NULL))
        return CR_ENOMEM;
    for (size_t i = 0; i < take; i++) {
        const size_t r = (size_t)((uint64_t)i * rows->rows / take);

        if (!cr__gda_take_row(fit, rows, r, d->x + d->rows * n))
            continue;
        d->of[d->rows] = (uint32_t)cr__gda_row_class(rows, r);
        if (d->weight != NULL)
            d->weight[d->rows] = rows->weight[r];
        d->fold[d->rows++] = (uint32_t)(cr__splitmix64(&state) % d->folds);
    }
    return CR_OK;
}

/* --- the rest of the rows -----------------------------------------------------------------------
 */

static void copy_sums(const double *from, size_t count, double *to)
{
    memcpy(to, from, count * sizeof *to);
}

/* The same products. */
static cr__cross *copy_cross(const cr__gda_fit *fit)
{
    const cr__cross *from = fit->cross;
    const size_t terms = from->terms;
    cr__cross *cross = cr__stats_lay_out_cross(fit->stats, CR__CROSS_CLASSES);
    int failed = cross == NULL;

    if (!failed)
        copy_sums(from->shift, terms, cross->shift);
    for (size_t c = 0; !failed && c < fit->classes; c++) {
        const cr__cross_sum *a = &from->of[c];
        cr__cross_sum *b = &cross->of[c];

        b->count = a->count;
        copy_sums(a->sum, terms, b->sum);
        copy_sums(a->product, terms * terms, b->product);
        if (a->pair_count == NULL)
            continue;
        failed = !cr__cross_sum_pairs(b, terms);
        if (!failed) {
            copy_sums(a->pair_count, terms * terms, b->pair_count);
            copy_sums(a->pair_sum, terms * terms, b->pair_sum);
            copy_sums(a->pair_product, terms * terms, b->pair_product);
        }
    }
    if (!failed)
        return cross;
    cr__cross_free(cross);
    return NULL;
}

/* Subtract the rows of class c in a fold; block: [BLOCK * terms]. */
static void subtract_class(const cr__gda_fit *fit, const deal *d, uint32_t fold, size_t c,
                           double *block, cr__cross *cross)
{
    const size_t n = fit->n, terms = cross->terms;
    const double before = cross->of[c].count;
    cr__cross_sum *sum = &cross->of[c];
    size_t rows = 0;

    for (size_t r = 0; r <= d->rows; r++) {
        double *x = block + rows * terms, w;

        if (rows == BLOCK || (r == d->rows && rows > 0)) {
            cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)terms, (int)rows, -1, block,
                        (int)terms, 1, sum->product, (int)terms);
            rows = 0;
            x = block;
        }
        if (r == d->rows || d->fold[r] != fold || d->of[r] != c)
            continue;
        w = d->weight == NULL ? 1 : d->weight[r];
        memset(x, 0, terms * sizeof *x);
        for (size_t i = 0; i < n; i++) {
            const double apart = d->x[r * n + i] - cross->shift[fit->term[i]];

            x[fit->term[i]] = sqrt(w) * apart;
            sum->sum[fit->term[i]] -= w * apart;
        }
        sum->count -= w;
        rows++;
    }
    if (sum->count < 1e-9 * before) /* what is left of fractions is rounding */
        sum->count = 0;
}

/* The products of all rows outside a fold. */
static cr_status hold_out(const cr__gda_fit *fit, const deal *d, uint32_t fold, cr__cross **out)
{
    cr__cross *cross = *out = copy_cross(fit);
    double *block = cr__alloc(BLOCK * (fit->cross->terms + 1), sizeof *block);
    const cr_status st = cross == NULL || block == NULL ? CR_ENOMEM : CR_OK;

    for (size_t c = 0; st == CR_OK && c < fit->classes; c++)
        subtract_class(fit, d, fold, c, block, cross);
    cr__free(block);
    return st;
}

/* The rest of the rows as the input of a fit; room: [classes * (2 + n + n * n)]. */
static void take_rest(cr__gda_fit *fit, const cr__gda_fit *all, const cr__cross *rest, double *room)
{
    const size_t n = all->n, K = all->classes;
    double *rows = room + K, *mean = rows + K, *own = mean + K * n;

    fit->cross = rest;
    fit->em = NULL;
    fit->complete = all->complete || all->em != NULL; /* completed rows cannot be subtracted */
    fit->shrinkage = room;
    fit->rows = rows;
    fit->mean = mean;
    for (size_t c = 0; c < K; c++) {
        const double held = all->cross->of[c].count - rest->of[c].count;

        rows[c] = fit->complete ? rest->of[c].count : fmax(0, all->rows[c] - held);
        for (size_t i = 0; i < n; i++) {
            const cr__cross_pair_sum p =
                cr__cross_pair(rest, c, fit->term[i], fit->term[i], fit->complete);

            mean[c * n + i] =
                p.count > 0 ? rest->shift[fit->term[i]] + p.sum_i / p.count : all->center[i];
        }
    }
    for (size_t c = 0; c < K; c++)
        cr__gda_class_covariance(fit, c, own + c * n * n);
    fit->own = own;
}

/* --- rows that are held out ---------------------------------------------------------------------
 */

/* The rows of a fold, which every form is judged on. */
typedef struct judged {
    double *x;      /* [rows * n], */
    double *by;     /* [n * stride] the same by feature */
    size_t stride;  /* rows, padded */
    uint32_t *of;   /* [rows] */
    size_t rows;    /* whose class has rows outside the fold */
    double *z;      /* [BLOCK * n] */
    double *score;  /* [BLOCK * classes], */
    double *turned; /* the same by class */
    double *prior;  /* [classes] log of their shares outside the fold */
    uint32_t *at;   /* [BLOCK] 0, 1, … */
} judged;

static cr_status make_judged(judged *j, const deal *rows, uint32_t fold, size_t n, size_t classes)
{
    size_t count = 1, stride;

    for (size_t r = 0; r < rows->rows; r++)
        count += rows->fold[r] == fold;
    stride = (count + BLOCK - 1) / BLOCK * BLOCK;
    *j = (judged){.x = cr__alloc(count * (n + 1), sizeof *j->x),
                  .by = n > CR__GDA_TURNED_MOST ? NULL
                                                : cr__alloc_zero(stride * (n + 1), sizeof *j->by),
                  .stride = stride,
                  .of = cr__alloc(count, sizeof *j->of),
                  .z = cr__alloc(BLOCK * (n + 1), sizeof *j->z),
                  .score = cr__alloc(BLOCK * (classes + 1), sizeof *j->score),
                  .turned = cr__alloc(BLOCK * (classes + 1), sizeof *j->turned),
                  .prior = cr__alloc(classes, sizeof *j->prior),
                  .at = cr__alloc(BLOCK, sizeof *j->at)};
    if (j->x == NULL || (j->by == NULL && n <= CR__GDA_TURNED_MOST) || j->of == NULL ||
        j->z == NULL || j->score == NULL || j->turned == NULL || j->prior == NULL || j->at == NULL)
        return CR_ENOMEM;
    for (uint32_t r = 0; r < BLOCK; r++)
        j->at[r] = r;
    return CR_OK;
}

static void free_judged(judged *j)
{
    cr__free(j->x);
    cr__free(j->by);
    cr__free(j->of);
    cr__free(j->z);
    cr__free(j->score);
    cr__free(j->turned);
    cr__free(j->prior);
    cr__free(j->at);
}

/* The rows of a fold, once the rows outside it are counted. */
static void take_judged(judged *j, const cr__gda_fit *fit, const deal *rows, uint32_t fold)
{
    double total = 0;

    for (size_t c = 0; c < fit->classes; c++)
        total += fit->rows[c];
    for (size_t c = 0; c < fit->classes; c++)
        j->prior[c] = log(fit->rows[c] / total);
    for (size_t r = 0; r < rows->rows; r++) {
        if (rows->fold[r] != fold || !(fit->rows[rows->of[r]] > 0))
            continue;
        memcpy(j->x + j->rows * fit->n, rows->x + r * fit->n, fit->n * sizeof *j->x);
        for (size_t i = 0; j->by != NULL && i < fit->n; i++)
            j->by[i * j->stride + j->rows] = rows->x[r * fit->n + i];
        j->of[j->rows++] = rows->of[r];
    }
}

/* The scores of some rows, by class. */
static void score_rows(const cr__gda_fit *fit, const cr__gda_density *d, const judged *j,
                       size_t from, size_t rows)
{
    const size_t K = fit->classes;

    for (size_t r = 0; r < rows; r++)
        memcpy(j->score + r * K, j->prior, K * sizeof *j->score);
    cr__gda_add_scores(d, j->x + from * fit->n, j->at, rows, j->z, j->score);
    cr__gda_turn(j->score, rows, BLOCK, K, j->turned);
}

/* Add the log loss of a density on the rows of a fold to that of each slope. */
static void add_loss(const cr__gda_fit *fit, const cr__gda_density *d, const judged *j,
                     double *loss)
{
    const int turns = j->by != NULL && cr__gda_turns(d);

    for (size_t from = 0, rows; from < j->rows; from += rows) {
        rows = j->rows - from < BLOCK ? j->rows - from : BLOCK;
        if (turns) {
            cr__gda_turned_scores(d, j->prior, j->by + from, j->stride, BLOCK, j->turned);
            cr__gda_pad(rows, BLOCK, fit->classes, j->turned);
        } else {
            score_rows(fit, d, j, from, rows);
        }
        cr__gda_log_loss(j->turned, j->of + from, rows, BLOCK, fit->classes, slope, SLOPES, loss);
    }
}

/* Judge the forms on a fold; their losses are added. */
static cr_status try_fold(const cr__gda_fit *all, const deal *rows, uint32_t fold, race *r,
                          size_t *held, cr_error *err)
{
    const size_t n = all->n, K = all->classes;
    double *room = cr__alloc_zero(K, (2 + n + n * n) * sizeof *room);
    cr__gda_repair *repair = cr__alloc_zero(K, sizeof *repair);
    const int shared = cr__knobs_is(all->knobs, "covariance", "shared") &&
                       cr__knobs_is(all->knobs, "estimate", "plugin");
    cr__gda_fit fit = *all;
    cr__cross *rest = NULL;
    judged j;
    cr_status st = make_judged(&j, rows, fold, n, K);

    if (room == NULL || repair == NULL)
        st = CR_ENOMEM;
    if (st == CR_OK && (st = hold_out(all, rows, fold, &rest)) == CR_OK) {
        take_rest(&fit, all, rest, room);
        take_judged(&j, &fit, rows, fold);
    }
    for (size_t t = 0; st == CR_OK && t < r->left; t++) {
        cr__gda_density d;

        fit.pool = r->form[t].choice.pool;
        fit.level = r->form[t].choice.level;
        for (size_t c = 0; c < K; c++)
            room[c] = r->form[t].choice.shrinkage;
        if (cr__gda_density_new(&d, K, n, shared || fit.pool == 1 ? 1 : K,
                                cr__gda_is_diagonal(all->knobs)) != CR_OK)
            st = CR_ENOMEM;
        else
            st = cr__gda_fit_factors(&fit, &d, repair, err);
        if (st == CR_OK)
            add_loss(&fit, &d, &j, r->form[t].loss);
        cr__gda_density_free(&d);
    }
    *held += j.rows;
    cr__cross_free(rest);
    cr__free(repair);
    cr__free(room);
    free_judged(&j);
    return st;
}

cr_status cr__gda_choose_form(const cr__gda_fit *fit, const cr__fit_input *input,
                              cr__gda_choice *best, cr_error *err)
{
    const uint32_t folds = is_wide(fit) ? 1 : FOLDS;
    size_t held = 0;
    race r;
    deal rows;
    cr_status st;

    enter_all(&r, fit);
    *best = r.form[0].choice;
    if (fit->n == 0) /* without numbers all forms are the same */
        return CR_OK;
    st = make_deal(&rows, fit, input->rows, cr__run_of(input->run).seed);
    for (uint32_t fold = 0; st == CR_OK && fold < folds; fold++) {
        st = try_fold(fit, &rows, fold, &r, &held, err);
        give_up(&r, held);
    }
    *best = winner(&r);
    free_deal(&rows);
    return st;
}
