/* learners/naive_bayes/choose_real.c - real=auto: which density each real feature gets.
 *
 * Each form is judged by how well the feature alone predicts the classes, by leave-one-out:
 *
 *     Σ ln P(c | x),    P(c | x) ∝ (n_c - [own]) p(x | c without the row)
 *
 *   Gaussian      n, mean and Σ (x - mean)² without the row, in closed form; the variance is that
 *                 of the class, or shared by all
 *   kernels       the sum minus the row's own kernel, for several bandwidths
 *   intervals     the counts minus one; the cuts stay where they are
 *
 * Everything comes from the numbers that the statistics keep, so rows may be learned, unlearned and
 * merged in any order with the same choice. With many different numbers some hundred are sampled
 * evenly.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/logspace.h"
#include "base/memory.h"
#include "learners/naive_bayes/bins.h"

enum { ENTRIES_MOST = 512 };

#define VARIANCE_FLOOR 1e-9
#define LEAST (-50.0)   /* no answer is worse */
#define NATS_BETTER 2.0 /* a form must be better by this much than those before it */

/* Simplest first. */
static const cr__nb_form forms[] = {
    {CR__NB_GAUSSIAN, 0, CR__NB_BY_KNOB, 1}, {CR__NB_GAUSSIAN, 1, CR__NB_BY_KNOB, 1},
    {CR__NB_KDE, 0, CR__NB_SILVERMAN, 1},    {CR__NB_KDE, 0, CR__NB_SILVERMAN, 0.5},
    {CR__NB_KDE, 0, CR__NB_SILVERMAN, 0.25}, {CR__NB_KDE, 0, CR__NB_SILVERMAN, 2},
    {CR__NB_KDE, 0, CR__NB_RANGE, 1},        {CR__NB_KDE, 0, CR__NB_RANGE, 0.25},
    {CR__NB_BINS, 0, CR__NB_BY_KNOB, 1},
};

enum { FORMS = sizeof forms / sizeof *forms, KERNELS_FIRST = 2 }; /* intervals are the last */

/* One column, and room for the log densities of a row. */
typedef struct judge {
    const cr__spread *spread;
    size_t classes;
    double *n, *mean, *squares; /* [classes] */
    double *log_n, *log_less;   /* [classes] ln n, ln (n - 1) */
    double *score, *log_p;      /* [classes] */
    double *guess;              /* [entries] once it is guessed */
    cr__nb_places *places;      /* [classes] */
    int guessed, none;          /* no entry is answered by its density: */
    double known;               /* all answers are known */
} judge;

static void take_moments(judge *j)
{
    const cr__spread *s = j->spread;

    for (size_t i = 0; i < s->entries; i++) {
        const size_t c = s->class_of[i];
        const double d = s->value[i] - j->mean[c];

        j->n[c] += s->count[i];
        j->mean[c] += d * s->count[i] / j->n[c];
        j->squares[c] += s->count[i] * d * (s->value[i] - j->mean[c]);
    }
    for (size_t c = 0; c < j->classes; c++) {
        j->log_n[c] = j->n[c] > 0 ? log(j->n[c]) : -INFINITY;
        j->log_less[c] = j->n[c] > 1 ? log(j->n[c] - 1) : -INFINITY;
    }
}

static double row_weight(const judge *j, size_t i)
{
    return fmin(1, j->spread->count[i]);
}

/* ln of the rows of a class without row i's weight, if that is in the class. */
static double log_rows(const judge *j, size_t i, size_t c)
{
    const double w = c == j->spread->class_of[i] ? row_weight(j, i) : 0;

    if (w == 0 || w == 1)
        return w == 0 ? j->log_n[c] : j->log_less[c];
    return j->n[c] > w ? log(j->n[c] - w) : -INFINITY;
}

/* The log probability of entry i's class, given the log densities of the others and its own. */
static double answer(judge *j, size_t i)
{
    const size_t own = j->spread->class_of[i];
    double all = -INFINITY;

    for (size_t c = 0; c < j->classes; c++) {
        j->score[c] += log_rows(j, i, c);
        all = fmax(all, j->score[c]);
    }
    if (!isfinite(all) || !isfinite(j->score[own]))
        return isfinite(all) ? LEAST : 0; /* the only row of its class is uninformative */
    return fmax(LEAST, j->score[own] - cr__log_sum_exp(j->score, j->classes));
}

/* Whether entry i is its class's only row. No density is known without it, and each form answers it
 * as wrongly: its answer is known then. */
static int is_alone(const judge *j, size_t i, double *log_p)
{
    const size_t own = j->spread->class_of[i];
    int others = 0;

    if (log_rows(j, i, own) > -INFINITY)
        return 0;
    for (size_t c = 0; !others && c < j->classes; c++)
        others = c != own && j->n[c] > 0;
    *log_p = others ? LEAST : 0;
    return 1;
}

/* --- Gaussians -------------------------------------------------------------------------------- */

/* For the other classes, and for the row's own class without the row. */
static void without_row(const judge *j, size_t i, size_t c, double *n, double *mean,
                        double *squares)
{
    const double w = row_weight(j, i), d = j->spread->value[i] - j->mean[c];

    *n = j->n[c];
    *mean = j->mean[c];
    *squares = j->squares[c];
    if (c != j->spread->class_of[i])
        return;
    *squares = *n - w > 0 ? fmax(0, *squares - w * d * d * *n / (*n - w)) : 0;
    *mean = *n - w > 0 ? *mean - w * d / (*n - w) : *mean;
    *n -= w;
}

static double judge_gaussian(judge *j, int own, double floor)
{
    double sum = 0, all_n = 0, all_squares = 0;

    for (size_t c = 0; c < j->classes; c++) {
        all_n += fmax(0, j->n[c] - 1);
        all_squares += j->squares[c];
    }
    for (size_t i = 0; i < j->spread->entries; i++) {
        const size_t truth = j->spread->class_of[i];
        double n, mean, squares, pooled, variance, known;

        if (is_alone(j, i, &known)) {
            sum += j->spread->count[i] * known;
            continue;
        }
        without_row(j, i, truth, &n, &mean, &squares);
        pooled = (all_squares - j->squares[truth] + squares) / fmax(1, all_n - row_weight(j, i));
        for (size_t c = 0; c < j->classes; c++) {
            without_row(j, i, c, &n, &mean, &squares);
            variance = (own && n > 1 ? squares / (n - 1) : pooled) + floor;
            j->score[c] = -0.5 * log(variance) - 0.5 * (j->spread->value[i] - mean) *
                                                     (j->spread->value[i] - mean) / variance;
        }
        sum += j->spread->count[i] * answer(j, i);
    }
    return sum;
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* The prior guess at every number: it is the same for all bandwidths. */
static void take_guesses(judge *j, const cr__nb_kde *kde)
{
    for (size_t i = 0; i < j->spread->entries; i++) {
        const double d = j->spread->value[i] - kde->prior_mean;

        j->guess[i] = i > 0 && j->spread->value[i] == j->spread->value[i - 1]
                          ? j->guess[i - 1]
                          : kde->prior_rows * exp(-0.5 * d * d / kde->prior_variance) /
                                sqrt(2 * M_PI * kde->prior_variance);
    }
    j->guessed = 1;
}

/* ln p(x) of a class without a row at x, from that with it: the row's own kernel is the largest
 * one. */
static double kernels_without(const cr__nb_kde *kde, size_t c, double x, double w, double log_p,
                              double guess)
{
    const double n = kde->of[c].n + kde->prior_rows, h = kde->of[c].bandwidth;
    const double own = w / (h * sqrt(2 * M_PI)), all = n * exp(log_p);
    double left = all - own;

    if (left < 0.05 * all) /* the grid is too coarse for the difference */
        left = n * exp(cr__nb_kde_sum(kde, c, x)) - own;
    return log(fmax(fmax(left, guess), 1e-300) / fmax(n - w, 1e-9));
}

static cr_status judge_kernels(judge *j, const cr__knobs *knobs, const cr__nb_form *form,
                               double *sum)
{
    cr__nb_kde *kde = NULL;
    size_t at = SIZE_MAX; /* the entry whose number the log densities belong to */
    cr_status st = cr__nb_kde_of(&kde, j->spread, j->classes, knobs, form, 1);

    *sum = 0;
    for (size_t c = 0; st == CR_OK && c < j->classes; c++)
        cr__nb_places_of(&j->places[c], kde, c);
    if (st == CR_OK && !j->guessed)
        take_guesses(j, kde);
    for (size_t i = 0; st == CR_OK && i < j->spread->entries; i++) {
        const size_t own = j->spread->class_of[i];
        const double x = j->spread->value[i];
        double known;

        if (is_alone(j, i, &known)) {
            *sum += j->spread->count[i] * known;
            continue;
        }
        for (size_t c = 0; (at == SIZE_MAX || x != j->spread->value[at]) && c < j->classes; c++)
            j->log_p[c] = cr__nb_places_log(&j->places[c], x);
        at = i;
        memcpy(j->score, j->log_p, j->classes * sizeof *j->score);
        j->score[own] = kernels_without(kde, own, x, row_weight(j, i), j->log_p[own], j->guess[i]);
        *sum += j->spread->count[i] * answer(j, i);
    }
    cr__nb_kde_free(kde);
    return st;
}

/* --- intervals -------------------------------------------------------------------------------- */

static cr_status judge_bins(judge *j, double *sum)
{
    const cr__spread *s = j->spread;
    cr__cuts cuts = {0};
    cr_status st = cr__cut(&cuts, s, (cr__cut_rule){.kind = CR__CUT_MDL});
    const size_t bins = cuts.count + 1;
    double *count = st == CR_OK ? cr__alloc_zero(bins * j->classes, sizeof *count) : NULL;

    *sum = 0;
    st = count == NULL ? CR_ENOMEM : CR_OK;
    for (size_t i = 0; st == CR_OK && i < s->entries; i++)
        count[(cr__cuts_code(&cuts, s->value[i]) - 1) * j->classes + s->class_of[i]] += s->count[i];
    for (size_t i = 0; st == CR_OK && i < s->entries; i++) {
        const double *of = count + (cr__cuts_code(&cuts, s->value[i]) - 1) * j->classes;
        double known;

        if (is_alone(j, i, &known)) {
            *sum += s->count[i] * known;
            continue;
        }
        for (size_t c = 0; c < j->classes; c++) {
            const double out = c == s->class_of[i] ? row_weight(j, i) : 0;

            j->score[c] = log((of[c] - out + 1) / (j->n[c] - out + (double)bins));
        }
        *sum += s->count[i] * answer(j, i);
    }
    cr__free(count);
    cr__free(cuts.cut);
    return st;
}

/* --- a column --------------------------------------------------------------------------------- */

static cr_status judge_form(judge *j, const cr__knobs *knobs, const cr__nb_form *form, double *sum)
{
    double squares = 0, n = 0;

    if (j->none) {
        *sum = j->known;
        return CR_OK;
    }
    if (form->kind == CR__NB_KDE)
        return judge_kernels(j, knobs, form, sum);
    if (form->kind == CR__NB_BINS)
        return judge_bins(j, sum);
    for (size_t c = 0; c < j->classes; c++) {
        squares += j->squares[c];
        n += j->n[c];
    }
    *sum = judge_gaussian(j, form->own, squares > 0 ? VARIANCE_FLOOR * squares / n : 1e-300);
    return CR_OK;
}

cr_status cr__nb_judge_forms(double *sum, const cr__nb_form *form, size_t count,
                             const cr__values *values, size_t classes, const cr__knobs *knobs)
{
    cr__spread spread = {0};
    double *room = cr__alloc_zero(classes + 1, 7 * sizeof *room);
    double *guess = cr__alloc(ENTRIES_MOST + 1, sizeof *guess);
    cr__nb_places *places = cr__alloc(classes + 1, sizeof *places);
    cr_status st = room == NULL || guess == NULL || places == NULL
                       ? CR_ENOMEM
                       : cr__values_thinned(values, ENTRIES_MOST, classes, &spread);

    if (st == CR_OK) {
        judge j = {&spread,
                   classes,
                   room,
                   room + classes,
                   room + 2 * classes,
                   room + 3 * classes,
                   room + 4 * classes,
                   room + 5 * classes,
                   room + 6 * classes,
                   guess,
                   places,
                   0,
                   1,
                   0};
        double known;

        take_moments(&j);
        for (size_t i = 0; j.none && i < spread.entries; i++) {
            j.none = is_alone(&j, i, &known);
            j.known += j.none ? spread.count[i] * known : 0;
        }
        for (size_t f = 0; st == CR_OK && f < count; f++)
            st = judge_form(&j, knobs, &form[f], &sum[f]);
    }
    cr__spread_free(&spread);
    cr__free(room);
    cr__free(guess);
    cr__free(places);
    return st;
}

cr_status cr__nb_choose_form(cr__nb_form *best, const cr__values *values, size_t classes,
                             const cr__knobs *knobs, int kernels_only)
{
    double sum[FORMS], most = -INFINITY;
    const size_t first = kernels_only ? KERNELS_FIRST : 0;
    const size_t end = kernels_only ? FORMS - 1 : FORMS;
    cr_status st =
        cr__nb_judge_forms(sum + first, forms + first, end - first, values, classes, knobs);

    for (size_t f = first; st == CR_OK && f < end; f++)
        if (sum[f] > most + NATS_BETTER) {
            most = sum[f];
            *best = forms[f];
        }
    return st;
}
