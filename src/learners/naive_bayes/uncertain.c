/* learners/naive_bayes/uncertain.c - scores under parameters drawn from their posterior.
 *
 * P(class) and P(value | class) are Dirichlet a posteriori, with the parameters of evidence.c. Only
 * one value of each column matters for a row, whose probability is Beta(a, A - a): drawn as G1 /
 * (G1 + G2) of two Gamma variables. Mean and variance of a real feature are, with n values of mean
 * m, whose squared deviations and those of all cells that share the variance sum to S on v degrees
 * of freedom (Gelman et al., Bayesian Data Analysis, 3.2, under the prior 1 / variance):
 *
 *     variance = S / chi-square(v),   mean = Normal(m, variance / n)
 *
 * With gaussian=predictive the prior is gaussian.c's: v = 2 an, S = 2 bn, m = mn, n = kn. Intervals
 * of numbers are treated like values of symbols, with the cuts taken as given. Kernel densities are
 * in uncertain_kde.c, texts in uncertain_text.c.
 */
#include <float.h>
#include <math.h>

#include "base/exact.h"
#include "base/fail.h"
#include "base/memory.h"
#include "learners/naive_bayes/naive_bayes.h"
#include "learners/naive_bayes/uncertain_kde.h"

/* One factor of a class: a Beta, a normal density at x, or kernels. No information where a is 0, n
 * is 0 and there are no kernels. */
typedef struct term {
    double a, rest;
    double x, mean, n;
    size_t group; /* of cells that share a variance */
    const cr__nb_bundles *kernels;
} term;

typedef struct group {
    double squares, freedom;
    double variance; /* as drawn, */
    int drawn;       /* when it has been */
} group;

typedef struct uncertain {
    const cr__nb *nb;
    cr__stats view;         /* the statistics, with intervals in place of numbers that are cut */
    cr__column_stats *room; /* [columns] of it */
    const cr__stats *stats; /* it */
    const cr__knobs *knobs;
    double *prior;              /* [classes] Dirichlet parameters, or log P(class) */
    int counted;                /* the former */
    double *total;              /* [columns * classes] Σ of a symbol's Dirichlet parameters */
    term *cell;                 /* [columns * classes] real: mean, n and group */
    group *group;               /* [columns * classes] */
    cr__nb_bundles *bundles;    /* [columns * classes] of the row; NULL: there are no kernels */
    term *term;                 /* [columns * classes] of the row */
    size_t columns;             /* of the row that are informative */
    cr__nb_text_draw **text;    /* [columns] NULL where there is no text */
    cr__nb_text_draw **reading; /* [texts] of the row that are informative */
    size_t texts;
} uncertain;

static void close_state(void *state)
{
    uncertain *u = state;

    if (u == NULL)
        return;
    for (size_t i = 0; u->text != NULL && i < u->nb->columns; i++)
        cr__nb_text_draw_free(u->text[i]);
    cr__free(u->text);
    cr__free(u->reading);
    cr__free(u->room);
    cr__free(u->bundles);
    cr__free(u->prior);
    cr__free(u->total);
    cr__free(u->cell);
    cr__free(u->group);
    cr__free(u->term);
    cr__free(u);
}

/* --- preparing -------------------------------------------------------------------------------- */

static void add_prior(uncertain *u)
{
    const size_t K = u->stats->classes;

    u->counted =
        cr__knobs_is(u->knobs, "prior", "empirical") || cr__knobs_is(u->knobs, "prior", "map");
    for (size_t c = 0; c < K; c++)
        u->prior[c] = u->counted ? cr__count_value(cr__stats_class(u->stats, c)) + 1 +
                                       cr__nb_prior_plus(u->stats, u->knobs, c)
                                 : u->nb->log_prior[c];
}

static void add_symbol(uncertain *u, size_t i)
{
    const int one_more = cr__knobs_is(u->knobs, "unseen", "smooth");
    const size_t K = u->stats->classes;

    for (size_t c = 0; c < K; c++) {
        double added = one_more ? cr__nb_parameter(u->stats, u->knobs, i, SIZE_MAX, c) : 0;

        for (size_t v = 0; v < cr__stats_values(u->stats, i); v++)
            added += cr__nb_parameter(u->stats, u->knobs, i, v, c);
        u->total[i * K + c] = added + cr__nb_total(u->stats, i, c);
    }
}

/* The cells that share a variance with a cell. */
static size_t group_of(const uncertain *u, size_t i, size_t c)
{
    const size_t K = u->stats->classes;

    if (cr__knobs_is(u->knobs, "variance", "feature"))
        return i * K;
    if (cr__knobs_is(u->knobs, "variance", "class"))
        return c;
    return cr__knobs_is(u->knobs, "variance", "shared") ? 0 : i * K + c;
}

static double squares_of(const cr__moment *m)
{
    return cr__count_value(m->count) *
           cr__exact_variance(m->count.whole, m->count.fraction, &m->sum, &m->squares, 0);
}

static void add_real(uncertain *u, size_t i)
{
    const size_t K = u->stats->classes;

    for (size_t c = 0; c < K; c++) {
        const cr__moment *m = &u->stats->column[i].moment[c];
        const double n = cr__count_value(m->count);
        group *g = &u->group[group_of(u, i, c)];

        if (!(n > 0))
            continue;
        u->cell[i * K + c] =
            (term){.n = n,
                   .mean = cr__exact_mean(m->count.whole, m->count.fraction, &m->sum),
                   .group = group_of(u, i, c)};
        g->squares += squares_of(m);
        g->freedom += n > 1 ? n - 1 : 0;
    }
}

/* The posterior of a Normal-Inverse-Gamma prior around the feature's mean and pooled variance. */
static void add_prior_rows(uncertain *u, size_t i)
{
    const size_t K = u->stats->classes;
    const double k0 = cr__knobs_number(u->knobs, "mean-rows");
    const double v0 = cr__knobs_number(u->knobs, "variance-rows");
    double n = 0, sum = 0, squares = 0, freedom = 0;

    for (size_t c = 0; c < K; c++) {
        const term *t = &u->cell[i * K + c];

        n += t->n;
        sum += t->n * t->mean;
        squares += squares_of(&u->stats->column[i].moment[c]);
        freedom += t->n > 1 ? t->n - 1 : 0;
    }
    for (size_t c = 0; c < K; c++) {
        term *t = &u->cell[i * K + c];
        group *g = &u->group[i * K + c];
        const double away = t->mean - sum / n, kn = k0 + t->n;

        *g = (group){.freedom = v0 + t->n,
                     .squares = v0 * (freedom > 0 ? squares / freedom : 0) +
                                squares_of(&u->stats->column[i].moment[c]) +
                                k0 * t->n * away * away / kn};
        *t = (term){.n = kn, .mean = sum / n + t->n * away / kn, .group = i * K + c};
    }
}

static cr_status check_prior(const cr__knobs *knobs, cr_error *err)
{
    if (cr__knobs_is(knobs, "smoothing", "m-estimate") && cr__knobs_is(knobs, "p", "class"))
        return cr__fail(err, CR_EARG,
                        "p=class is not a prior: there is no posterior of parameters");
    return CR_OK;
}

static cr_status add_texts(uncertain *u, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < u->nb->columns; i++)
        if (u->nb->column[i].text != NULL)
            st = cr__nb_text_draw_new(&u->text[i], u->nb->column[i].text, u->stats->column[i].bag,
                                      u->knobs, u->stats->schema->column[i].name, err);
    return st;
}

static int is_counted(const cr__nb_column *column)
{
    return column->kind == CR_SYMBOL || column->cut;
}

static int is_normal(const cr__nb_column *column)
{
    return column->kind == CR_REAL && !column->cut && column->kde == NULL;
}

static void fill(uncertain *u)
{
    const int predictive = cr__knobs_is(u->knobs, "gaussian", "predictive");

    add_prior(u);
    for (size_t i = 0; i < u->nb->columns; i++) {
        if (is_counted(&u->nb->column[i]))
            add_symbol(u, i);
        else if (is_normal(&u->nb->column[i]))
            add_real(u, i);
    }
    for (size_t i = 0; predictive && i < u->nb->columns; i++)
        if (is_normal(&u->nb->column[i]))
            add_prior_rows(u, i);
}

/* Room for the kernels of a row, where there are any. */
static int make_bundles(uncertain *u)
{
    size_t kernels = 0;

    for (size_t i = 0; i < u->nb->columns; i++)
        kernels += u->nb->column[i].kde != NULL;
    if (kernels > 0)
        u->bundles = cr__alloc(u->nb->columns * u->stats->classes, sizeof *u->bundles);
    return kernels == 0 || u->bundles != NULL;
}

static int make_arrays(uncertain *u)
{
    const size_t columns = u->nb->columns, cells = columns * u->stats->classes;

    u->prior = cr__alloc_zero(u->stats->classes, sizeof *u->prior);
    u->total = cr__alloc_zero(cells, sizeof *u->total);
    u->cell = cr__alloc_zero(cells, sizeof *u->cell);
    u->group = cr__alloc_zero(cells, sizeof *u->group);
    u->term = cr__alloc_zero(cells, sizeof *u->term);
    u->text = cr__alloc_zero(columns, sizeof(cr__nb_text_draw *));
    u->reading = cr__alloc_zero(columns, sizeof(cr__nb_text_draw *));
    u->room = cr__alloc(columns, sizeof *u->room);
    return u->prior != NULL && u->total != NULL && u->cell != NULL && u->group != NULL &&
           u->term != NULL && u->text != NULL && u->reading != NULL && u->room != NULL &&
           make_bundles(u);
}

static cr_status open_state(void **out, const void *fitted, const cr__stats *stats,
                            const cr__knobs *knobs, cr_error *err)
{
    uncertain *u;
    cr_status st = check_prior(knobs, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((u = cr__alloc_zero(1, sizeof *u)) == NULL)
        return cr__fail_memory(err);
    *u = (uncertain){.nb = fitted, .stats = stats, .knobs = knobs};
    if (!make_arrays(u)) {
        close_state(u);
        return cr__fail_memory(err);
    }
    u->view = cr__nb_view(stats, u->nb->bins, u->room);
    u->stats = &u->view;
    if ((st = add_texts(u, err)) != CR_OK) {
        close_state(u);
        return st;
    }
    fill(u);
    *out = u;
    return CR_OK;
}

/* --- a row ----------------------------------------------------------------------------------- */

/* 0: the value is uninformative. */
static int take_symbol(uncertain *u, size_t i, uint32_t code, term *to)
{
    const size_t K = u->stats->classes, values = cr__stats_values(u->stats, i);
    const size_t value = code == CR__MISSING || code > values ? SIZE_MAX : code - 1;

    if (code == CR__MISSING || (cr__knobs_is(u->knobs, "unseen", "skip") &&
                                cr__nb_is_left_out(u->stats, u->knobs, i, value)))
        return 0;
    for (size_t c = 0; c < K; c++) {
        const double n =
            value == SIZE_MAX ? 0 : cr__count_value(cr__stats_count(u->stats, i, value, c));
        const double a = n + cr__nb_parameter(u->stats, u->knobs, i, value, c);

        to[c] = (term){.a = a, .rest = u->total[i * K + c] - a};
    }
    return 1;
}

static int take_real(uncertain *u, size_t i, double x, term *to)
{
    const size_t K = u->stats->classes;

    if (isnan(x))
        return 0;
    for (size_t c = 0; c < K; c++) {
        to[c] = u->cell[i * K + c];
        to[c].x = x;
    }
    return 1;
}

static int take_kernels(uncertain *u, size_t i, double x, term *to)
{
    const size_t K = u->stats->classes;

    if (isnan(x))
        return 0;
    for (size_t c = 0; c < K; c++) {
        cr__nb_bundles *of = &u->bundles[i * K + c];

        cr__nb_bundle(of, u->nb->column[i].kde, c, x);
        to[c] = (term){.kernels = of};
    }
    return 1;
}

static int take_text(uncertain *u, size_t i, const cr__batch_column *data, size_t row)
{
    return data->code[row] != CR__MISSING &&
           cr__nb_text_draw_row(u->text[i], data->word + data->start[row],
                                data->start[row + 1] - data->start[row]);
}

static void take_row(void *state, const cr__batch *batch, size_t row)
{
    uncertain *u = state;
    const size_t K = u->stats->classes;

    u->columns = u->texts = 0;
    for (size_t i = 0; i < u->nb->columns; i++) {
        const cr__batch_column *data = &batch->column[i];
        term *to = u->term + u->columns * K;

        if (u->nb->column[i].kind == CR_SYMBOL)
            u->columns += (size_t)take_symbol(u, i, data->code[row], to);
        else if (u->nb->column[i].cut)
            u->columns +=
                (size_t)take_symbol(u, i, cr__cuts_code(&u->nb->bins[i].cuts, data->real[row]), to);
        else if (u->nb->column[i].kde != NULL)
            u->columns += (size_t)take_kernels(u, i, data->real[row], to);
        else if (u->nb->column[i].kind == CR_REAL)
            u->columns += (size_t)take_real(u, i, data->real[row], to);
        else if (u->text[i] != NULL && take_text(u, i, data, row))
            u->reading[u->texts++] = u->text[i];
    }
}

static double log_gamma_draw(cr__random *random, double shape)
{
    return shape > 0 ? log(fmax(cr__random_gamma(random, shape), DBL_MIN)) : -INFINITY;
}

/* log of a Beta variable. */
static double draw_share(cr__random *random, double a, double rest)
{
    const double top = cr__random_gamma(random, a);

    if (!(rest > 0))
        return 0;
    return log(fmax(top, DBL_MIN)) - log(fmax(top + cr__random_gamma(random, rest), DBL_MIN));
}

/* log density at x under a drawn mean and variance; a cell of one value that shares its variance
 * with no other cell is uninformative. */
static double draw_density(uncertain *u, cr__random *random, const term *t)
{
    group *g = &u->group[t->group];
    double away;

    if (!g->drawn) {
        g->variance = g->squares / (2 * cr__random_gamma(random, g->freedom / 2));
        g->drawn = 1;
    }
    if (!(g->freedom > 0) || !(g->variance > 0))
        return 0;
    away = t->x - t->mean - cr__random_normal(random) * sqrt(g->variance / t->n);
    return -0.5 * (log(g->variance) + away * away / g->variance);
}

static void draw(void *state, cr__random *random, double *score)
{
    uncertain *u = state;
    const size_t K = u->stats->classes;

    for (size_t g = 0; g < u->nb->columns * K; g++)
        u->group[g].drawn = 0;
    for (size_t c = 0; c < K; c++)
        score[c] = u->counted ? log_gamma_draw(random, u->prior[c]) : u->prior[c];
    for (size_t i = 0; i < u->columns * K; i++) {
        const term *t = &u->term[i];

        if (t->a > 0)
            score[i % K] += draw_share(random, t->a, t->rest);
        else if (t->kernels != NULL)
            score[i % K] += cr__nb_bundles_draw(t->kernels, random);
        else if (t->n > 0)
            score[i % K] += draw_density(u, random, t);
    }
    for (size_t i = 0; i < u->texts; i++)
        cr__nb_text_draw_add(u->reading[i], random, score);
}

/* Where no feature is informative, P(class) is Beta. */
static int exact(const void *state, size_t class_index, double *a, double *b)
{
    const uncertain *u = state;

    if (u->columns > 0 || u->texts > 0 || !u->counted)
        return 0;
    *b = 0;
    for (size_t c = 0; c < u->stats->classes; c++)
        *b += c == class_index ? 0 : u->prior[c];
    *a = u->prior[class_index];
    return *b > 0;
}

const cr__is_uncertain cr__nb_uncertain = {open_state, take_row, draw, exact, close_state};
