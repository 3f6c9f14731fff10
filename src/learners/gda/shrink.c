/* learners/gda/shrink.c - how far covariances are shrunk.
 *
 * ledoit-wolf: the intensity that is best in expectation for the squared error, estimated from the
 * rows of each class, their features scaled to mean 0 and variance 1 (Ledoit & Wolf, "A
 * well-conditioned estimator for large-dimensional covariance matrices", 2004). With d features,
 * n rows z and their covariance C (divided by n):
 *
 *     m = tr C / d,  δ² = (‖C‖² - d m²) / d,  β² = min(δ², (Σ ‖z‖⁴ / n - ‖C‖²) / (n d)),  s = β² /
 * δ²
 *
 * cv: the intensity out of a few whose log loss on held-out rows is least, over five folds; the
 * products of a fold are subtracted, so the rows are read only twice, however much is tried.
 *
 * covariance=auto: the same for pairs of pool and shrinkage, which lead from a covariance for each
 * class to one for all, and from either to variances only; each is computed on features scaled to
 * variance 1. In addition some levels are tried, which suit features of one unit, such as the
 * pixels of an image. With many features a density is far too confident, which a calibration
 * corrects: log densities are judged at the best of a few slopes. Large data are sampled evenly, so
 * that this takes a fraction of a second. With many features fewer forms are tried, on one fold.
 *
 * All need complete rows, and are decided when the model is trained: statistics that change later
 * keep the intensity.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "learners/gda/gda.h"
#include "learners/gda/loss.h"
#include "learners/gda/turned.h"

enum { FOLDS = 5, BLOCK = 256 };

#define WORK_MOST 2e7     /* rows × features² × classes that choices are tried on, */
#define ROWS_LEAST 1000   /* but at least this many rows */
#define ROWS_FEATURE 3    /* or this many per feature */
#define WIDE 2e6          /* features³ × classes from which on few forms are tried, */
#define FACTORS_MOST 2e10 /* and those that all classes share */

static const double tried_shrinkage[] = {0,   1e-4, 1e-3, 0.01, 0.03, 0.1,
                                         0.2, 0.3,  0.5,  0.7,  0.9,  1};
static const double auto_pool[] = {0.3, 0, 0.1, 0.6, 1};
static const double auto_shrinkage[] = {0.05, 0, 0.01, 0.2, 0.5, 1};
static const cr__gda_choice wide[] = {{1, 0.05, 0}, {1, 0.2, 0}, {1, 0.5, 0}, /* shared: first */
                                      {0, 0, 0.3},  {0, 0, 0.6}, {0, 0, 0.8}};
static const double auto_level[] = {0.1, 0.3, 0.6, 0.8};
static const double slope[] = {1, 0.5, 0.2, 0.07};

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

/* If the knobs set pooling and shrinkage there is nothing to choose. */
static int chooses(const cr__knobs *knobs)
{
    return cr__knobs_is(knobs, "covariance", "auto") && cr__knobs_is(knobs, "estimate", "plugin") &&
           cr__knobs_number(knobs, "pool") == 0 && cr__knobs_number(knobs, "shrinkage") == 0 &&
           cr__knobs_number(knobs, "level") == 0;
}

int cr__gda_shrinks_by_rows(const cr__knobs *knobs)
{
    return cr__knobs_is(knobs, "shrinkage", "ledoit-wolf") ||
           cr__knobs_is(knobs, "shrinkage", "cv") || chooses(knobs);
}

/* Computing a factor for each class takes about this many operations. */
static double factor_work(const cr__gda_fit *fit)
{
    const double features = (double)fit->n;

    return features * features * features * (double)fit->classes;
}

static int is_wide(const cr__gda_fit *fit)
{
    return chooses(fit->knobs) && factor_work(fit) > WIDE;
}

/* The candidates. The first is used where rows are uninformative. */
static size_t list_choices(const cr__gda_fit *fit, cr__gda_choice *out)
{
    const cr__knobs *knobs = fit->knobs;
    const double pool = cr__knobs_number(knobs, "pool"), level = cr__knobs_number(knobs, "level");
    size_t n = 0;

    for (size_t s = 0; !chooses(knobs) && s < SHRINKAGES; s++)
        out[n++] = (cr__gda_choice){pool, tried_shrinkage[s], level};
    if (!chooses(knobs))
        return n;
    if (is_wide(fit)) {
        n = factor_work(fit) > FACTORS_MOST ? WIDE_SHARED : WIDE_FORMS;
        memcpy(out, wide, n * sizeof *out);
        return n;
    }
    for (size_t p = 0; p < POOLS; p++)
        for (size_t s = 0; s < AUTO_SHRINKAGES; s++)
            out[n++] = (cr__gda_choice){auto_pool[p], auto_shrinkage[s], 0};
    for (size_t l = 0; l < LEVELS; l++)
        out[n++] = (cr__gda_choice){0, 0, auto_level[l]};
    return n;
}

/* The features of a row of the table; 0 when one is missing. */
static int take_row(const cr__gda_fit *fit, const cr__table *rows, size_t r, double *x)
{
    for (size_t i = 0; i < fit->n; i++) {
        x[i] = rows->column[fit->cross->term[fit->term[i]].column].real[r];
        if (isnan(x[i]))
            return 0;
    }
    return rows->column[rows->schema->target].code[r] != CR__MISSING;
}

static size_t class_of(const cr__table *rows, size_t r)
{
    return rows->column[rows->schema->target].code[r] - 1;
}

/* --- Ledoit and Wolf ------------------------------------------------------------------------ */

/* ‖C‖² of the correlations, and how many features vary. */
static double correlation_norm(const double *S, size_t n, double *varied)
{
    double norm = 0;

    *varied = 0;
    for (size_t i = 0; i < n; i++) {
        *varied += S[i * n + i] > 0;
        for (size_t j = 0; j < n; j++)
            if (S[i * n + i] > 0 && S[j * n + j] > 0)
                norm += S[i * n + j] / S[i * n + i] * (S[i * n + j] / S[j * n + j]);
    }
    return norm;
}

/* Σ ‖z‖⁴ of the rows of a class with covariance S, and how many these are. */
static double fourth(const cr__gda_fit *fit, const cr__table *rows, size_t c, const double *S,
                     double *x, double *count)
{
    double sum = 0;

    *count = 0;
    for (size_t r = 0; r < rows->rows; r++) {
        double length = 0;

        if (!take_row(fit, rows, r, x) || class_of(rows, r) != c)
            continue;
        for (size_t i = 0; i < fit->n; i++) {
            const double d = x[i] - fit->mean[c * fit->n + i], v = S[i * fit->n + i];

            length += v > 0 ? d * d / v : 0;
        }
        sum += length * length;
        ++*count;
    }
    return sum;
}

static cr_status ledoit_wolf(const cr__gda_fit *given, const cr__table *rows, double *shrinkage)
{
    const size_t n = given->n;
    cr__gda_fit fit = *given;
    double *S = cr__alloc(n * n, sizeof *S), *x = cr__alloc(n, sizeof *x);
    cr_status st = S == NULL || x == NULL ? CR_ENOMEM : CR_OK;

    fit.unbiased = 0;
    for (size_t c = 0; st == CR_OK && c < fit.classes; c++) {
        double varied, count, norm, length, m, delta, beta;

        cr__gda_class_covariance(&fit, c, S);
        norm = correlation_norm(S, n, &varied);
        length = fourth(&fit, rows, c, S, x, &count);
        m = varied / (double)n;
        delta = (norm - (double)n * m * m) / (double)n;
        beta = count > 0 ? (length / count - norm) / (count * (double)n) : 0;
        beta = fmax(0, fmin(beta, delta));
        shrinkage[c] = delta > 0 ? beta / delta : 0;
    }
    cr__free(S);
    cr__free(x);
    return st;
}

/* --- cross-validation ----------------------------------------------------------------------- */

/* Complete rows, assigned to folds. */
typedef struct deal {
    size_t rows;
    double *x;           /* [rows * n] */
    uint32_t *of, *fold; /* [rows] class, fold */
} deal;

static void free_deal(deal *d)
{
    cr__free(d->x);
    cr__free(d->of);
    cr__free(d->fold);
}

static cr_status make_deal(deal *d, const cr__gda_fit *fit, const cr__table *rows, uint64_t seed)
{
    const size_t n = fit->n;
    const double least = fmax(ROWS_LEAST, ROWS_FEATURE * (double)n);
    const double most = fmax(least, WORK_MOST / ((double)(n * n + 1) * (double)(fit->classes + 1)));
    const size_t step =
        chooses(fit->knobs) && (double)rows->rows > most ? (size_t)((double)rows->rows / most) : 1;
    uint64_t state = seed;

    *d = (deal){0};
    if (n > 0 && rows->rows > SIZE_MAX / sizeof(double) / n)
        return CR_ENOMEM;
    d->x = cr__alloc((rows->rows + 1) * n, sizeof *d->x);
    d->of = cr__alloc(rows->rows + 1, sizeof *d->of);
    d->fold = cr__alloc(rows->rows + 1, sizeof *d->fold);
    if (d->x == NULL || d->of == NULL || d->fold == NULL)
        return CR_ENOMEM;
    for (size_t r = 0; r < rows->rows; r += step)
        if (take_row(fit, rows, r, d->x + d->rows * n)) {
            d->of[d->rows] = (uint32_t)class_of(rows, r);
            d->fold[d->rows++] = (uint32_t)(cr__splitmix64(&state) % FOLDS);
        }
    return CR_OK;
}

/* The sums of class c over the rows outside a fold; block: [BLOCK * terms]. */
static void gather_class(const cr__gda_fit *fit, const deal *d, uint32_t fold, size_t c,
                         double *block, cr__cross *cross)
{
    const size_t n = fit->n, terms = cross->terms;
    cr__cross_sum *sum = &cross->of[c];
    size_t rows = 0;

    for (size_t r = 0; r <= d->rows; r++) {
        double *x = block + rows * terms;

        if (rows == BLOCK || (r == d->rows && rows > 0)) {
            cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)terms, (int)rows, 1, block,
                        (int)terms, 1, sum->product, (int)terms);
            rows = 0;
            x = block;
        }
        if (r == d->rows || d->fold[r] == fold || d->of[r] != c)
            continue;
        memset(x, 0, terms * sizeof *x);
        for (size_t i = 0; i < n; i++) {
            x[fit->term[i]] = d->x[r * n + i] - cross->shift[fit->term[i]];
            sum->sum[fit->term[i]] += x[fit->term[i]];
        }
        sum->count += 1;
        rows++;
    }
}

/* The products of the rows outside a fold. */
static cr_status gather_fold(const cr__gda_fit *fit, const deal *d, uint32_t fold, cr__cross **out)
{
    const size_t terms = fit->cross->terms;
    cr__cross *cross = *out = cr__stats_lay_out_cross(fit->stats, CR__CROSS_CLASSES);
    double *block = cr__alloc(BLOCK * (terms + 1), sizeof *block);

    if (cross == NULL || block == NULL) {
        cr__free(block);
        return CR_ENOMEM;
    }
    memcpy(cross->shift, fit->cross->shift, terms * sizeof *cross->shift);
    for (size_t c = 0; c < fit->classes; c++)
        gather_class(fit, d, fold, c, block, cross);
    cr__free(block);
    return CR_OK;
}

/* Rows and means of the products. */
static void take_means(cr__gda_fit *fit)
{
    for (size_t c = 0; c < fit->classes; c++) {
        const cr__cross_sum *sum = &fit->cross->of[c];

        fit->rows[c] = sum->count;
        for (size_t i = 0; i < fit->n; i++)
            fit->mean[c * fit->n + i] = sum->count > 0 ? fit->cross->shift[fit->term[i]] +
                                                             sum->sum[fit->term[i]] / sum->count
                                                       : fit->center[i];
    }
}

/* The rows of a fold, which every choice is judged on. */
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

static cr_status try_fold(const cr__gda_fit *given, const deal *rows, uint32_t fold,
                          const cr__gda_choice *choice, size_t choices, double (*loss)[SLOPES],
                          cr_error *err)
{
    const size_t n = given->n, K = given->classes;
    double *room = cr__alloc_zero(2 * K + K * n, sizeof *room);
    cr__gda_repair *repair = cr__alloc_zero(K, sizeof *repair);
    const int shared = cr__knobs_is(given->knobs, "covariance", "shared");
    cr__gda_fit fit = *given;
    cr__cross *cross = NULL;
    judged j;
    cr_status st = make_judged(&j, rows, fold, n, K);
    double *shrinkage = room;

    if (room == NULL || repair == NULL)
        st = CR_ENOMEM;
    if (st == CR_OK)
        st = gather_fold(&fit, rows, fold, &cross);
    if (st == CR_OK) {
        fit.cross = cross;
        fit.rows = room + K;
        fit.mean = room + 2 * K;
        fit.shrinkage = shrinkage;
        fit.complete = 1;
        fit.em = NULL;
        take_means(&fit);
        take_judged(&j, &fit, rows, fold);
    }
    for (size_t t = 0; st == CR_OK && t < choices; t++) {
        cr__gda_density d;

        fit.pool = choice[t].pool;
        fit.level = choice[t].level;
        for (size_t c = 0; c < K; c++)
            shrinkage[c] = choice[t].shrinkage;
        if (cr__gda_density_new(&d, K, n, shared || fit.pool == 1 ? 1 : K, 0) != CR_OK)
            st = CR_ENOMEM;
        else
            st = cr__gda_fit_factors(&fit, &d, repair, err);
        if (st == CR_OK)
            add_loss(&fit, &d, &j, loss[t]);
        cr__gda_density_free(&d);
    }
    cr__cross_free(cross);
    cr__free(repair);
    cr__free(room);
    free_judged(&j);
    return st;
}

static cr_status cross_validate(const cr__gda_fit *fit, const cr__fit_input *input,
                                cr__gda_choice *best, cr_error *err)
{
    cr__gda_choice choice[TRIED_MOST];
    double loss[TRIED_MOST][SLOPES] = {{0}};
    const size_t choices = list_choices(fit, choice);
    size_t least = 0;
    deal rows;
    cr_status st;

    *best = choice[0];
    if (fit->n == 0) /* without numbers all forms are the same */
        return CR_OK;
    st = make_deal(&rows, fit, input->rows, cr__run_of(input->run).seed);
    for (uint32_t fold = 0; st == CR_OK && fold < (is_wide(fit) ? 1 : FOLDS); fold++)
        st = try_fold(fit, &rows, fold, choice, choices, loss, err);
    for (size_t t = 0; st == CR_OK && t < choices; t++) {
        for (size_t i = 1; i < SLOPES; i++)
            loss[t][0] = fmin(loss[t][0], loss[t][i]);
        least = loss[t][0] < loss[least][0] ? t : least;
    }
    *best = choice[least];
    free_deal(&rows);
    return st;
}

/* --- the knob ------------------------------------------------------------------------------- */

static int same_knob(const cr__fit_input *input, const char *name)
{
    return input->before_knobs == NULL ||
           cr__knobs_is(input->before_knobs, name, cr__knobs_text(input->knobs, name));
}

/* The previous choice, for the classes that are the same. */
static cr_status keep_before(const cr__fit_input *input, double *shrinkage, cr__gda_choice *choice,
                             cr_error *err)
{
    const cr__gda *before = input->before;
    const cr__stats *then = input->before_stats, *now = input->stats;
    const char *name = chooses(input->knobs) ? "covariance" : "shrinkage";

    if (before == NULL || before->repair == NULL || !same_knob(input, "shrinkage") ||
        !same_knob(input, "covariance") || (chooses(input->knobs) && isnan(before->choice.pool))) {
        cr__fail(err, CR_EARG, "%s=%s is chosen from the rows, which are not kept", name,
                 cr__knobs_text(input->knobs, name));
        return cr__fail_hint(err, CR_EARG, "train again with it, or give a %s",
                             chooses(input->knobs) ? "form" : "number");
    }
    *choice = before->choice;
    for (size_t c = 0; c < now->classes; c++) {
        size_t length;
        const char *word =
            cr__dict_word(now->column[now->schema->target].dict, (uint32_t)c + 1, &length);
        const uint32_t code = cr__dict_find(then->column[then->schema->target].dict, word, length);

        shrinkage[c] = chooses(input->knobs)
                           ? choice->shrinkage
                           : before->repair[code == CR__MISSING ? 0 : code - 1].shrinkage;
    }
    return CR_OK;
}

cr_status cr__gda_choose_shrinkage(cr__gda_fit *fit, const cr__fit_input *input, double *shrinkage,
                                   cr__gda_choice *choice, cr_error *err)
{
    const int wolf = cr__knobs_is(fit->knobs, "shrinkage", "ledoit-wolf");
    cr__gda_choice best = {cr__knobs_number(fit->knobs, "pool"),
                           cr__knobs_number(fit->knobs, "shrinkage"),
                           cr__knobs_number(fit->knobs, "level")};
    cr_status st = CR_OK;

    fit->by_correlation = wolf || chooses(fit->knobs);
    fit->shrinkage = shrinkage;
    if (cr__gda_shrinks_by_rows(fit->knobs) && input->rows == NULL) {
        st = keep_before(input, shrinkage, choice, err);
        best = chooses(fit->knobs) ? *choice : best;
    } else if (wolf) {
        st = ledoit_wolf(fit, input->rows, shrinkage);
    } else {
        if (isnan(best.shrinkage) || chooses(fit->knobs))
            st = cross_validate(fit, input, &best, err);
        for (size_t c = 0; st == CR_OK && c < fit->classes; c++)
            shrinkage[c] = best.shrinkage;
        if (chooses(fit->knobs))
            *choice = best;
    }
    fit->pool = best.pool;
    fit->level = best.level;
    return st == CR_ENOMEM ? cr__fail_memory(err) : st;
}
