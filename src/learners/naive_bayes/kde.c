/* learners/naive_bayes/kde.c - flexible Bayes: P(x | class) as a kernel density.
 *
 * With the numbers v of a class, each as often as it occurs (w times, n in all), and a bandwidth h,
 *
 *     k(x) = 1 / (n h) Σ w φ((x - v) / h)
 *
 * (John & Langley 1995, "Estimating continuous distributions in Bayesian classifiers"). Far from
 * all numbers that is nearly 0, and a class would be ruled out by one odd number; so a Gaussian of
 * the whole feature, worth r rows, is mixed in, as a prior guess is for symbols:
 *
 *     p(x) = (n k(x) + r g(x)) / (n + r)
 *
 * bandwidth=silverman   0.9 min(sd, iqr / 1.349) n^(-1/5)   (Silverman 1986, Density Estimation)
 * bandwidth=range       (largest - least) / √n              as in Weka
 * bandwidth=rows        1 / √n                              as in John and Langley: for
 *                                                           features of about unit spread
 * bandwidth=auto        the one of these, doubled, halved, quartered, that predicts best:
 *                       choose_real.c
 * None is below a sixth of the mean distance between neighbouring numbers of the feature.
 *
 * A class of many different numbers gets a grid of log p and its slope at every h/8, between which
 * a cubic is drawn: its log p differs from that of the sum by less than 1e-3 (tests measure it),
 * and it takes the same time for any number of rows. Beyond the grid, and for few numbers, all
 * kernels are summed. The numbers of a large class are first replaced by their means within cells
 * of h/64, which moves log p by less than 1e-3 even eight bandwidths from all numbers: by
 * (1/64)²/24 (z² - 1) at z.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/naive_bayes/bins.h"
#include "learners/naive_bayes/kernel_sum.h"
#include "learners/naive_bayes/spread.h"

enum { SUMMED_MOST = 32, NODES_MOST = 65536, CELLED_LEAST = 512 };

#define MARGIN 8.0 /* bandwidths that a grid reaches beyond the numbers */
#define CELLS_PER_H 64.0
#define CELLS_PER_H_ROUGH 16.0 /* for a comparison of densities */
#define FAR 42.0               /* a term below e^-FAR of the largest is left out */
#define NODE_TERMS 3.0         /* terms of a sum that take as long as a node, */
#define KERNEL_TERMS 10.0      /* and as a kernel that is added to nodes */
#define FAINT 1e-20            /* of the weight: below it, what is out of reach may count */

void cr__nb_kde_free(cr__nb_kde *kde)
{
    if (kde == NULL)
        return;
    cr__free(kde->own);
    cr__free(kde);
}

/* --- the density ---------------------------------------------------------------------------- */

/* The first of n ascending numbers that is not below x. */
static size_t lower_bound(const double *value, size_t n, double x)
{
    size_t low = 0, high = n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (value[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ln Σ w φ((x - v)/h) / h and the mean of (v - x)/h² under its terms: the slope. The terms are
 * added outwards from the nearest number, and scaled by its term. */
static double log_kernels(const cr__nb_kernels *k, const double *value, const double *weight,
                          double x, double *slope)
{
    const size_t n = (size_t)k->count, right = lower_bound(value, n, x);
    const double h = k->bandwidth;
    double least, sum = 0, pull = 0, all = 0;

    least =
        fmin(right < n ? value[right] - x : INFINITY, right > 0 ? x - value[right - 1] : INFINITY) /
        h;
    for (size_t i = right; i < n; i++) {
        const double z = (value[i] - x) / h, e = 0.5 * (z - least) * (z + least);

        if (e > FAR)
            break;
        all = weight[i] * exp(-e);
        sum += all;
        pull += all * z;
    }
    for (size_t i = right; i-- > 0;) {
        const double z = (value[i] - x) / h, e = 0.5 * (-z - least) * (-z + least);

        if (e > FAR)
            break;
        all = weight[i] * exp(-e);
        sum += all;
        pull += all * z;
    }
    *slope = pull / sum / h;
    return log(sum) - 0.5 * least * least - log(h) - 0.5 * log(2 * M_PI);
}

static double log_add(double a, double b)
{
    const double high = fmax(a, b), low = fmin(a, b);

    return high == -INFINITY ? high : high + log1p(exp(low - high));
}

/* What mixing takes besides x. */
typedef struct mixing {
    double constant; /* ln r - ln √(2π variance); without a guess, where it stands for no numbers,
                      * r = 1 */
    double log_total; /* ln (n + r) */
    int guesses;      /* the guess takes part */
} mixing;

static mixing mixing_of(const cr__nb_kde *kde, const cr__nb_kernels *k)
{
    const int guesses = kde->prior_rows > 0 || k->count == 0;
    const double rows = kde->prior_rows > 0 ? kde->prior_rows : 1;

    return (mixing){.constant = log(rows) - 0.5 * log(2 * M_PI * kde->prior_variance),
                    .log_total = log(k->n + (guesses ? rows : 0)),
                    .guesses = guesses};
}

/* ln p and its slope, from those of the kernels of a class. With a = ln of their sum and b = ln of
 * the guess, e^-|a - b| gives both their sum and its shares. */
static double mix(const cr__nb_kde *kde, const mixing *m, double x, double own, double own_slope,
                  double *slope)
{
    const double d = kde->prior_mean - x;
    const double guess = m->constant - 0.5 * d * d / kde->prior_variance;
    const double less = m->guesses ? exp(-fabs(own - guess)) : 0, share = 1 / (1 + less);
    const double guess_share = own > guess ? less * share : share;

    *slope = own_slope;
    if (!m->guesses)
        return own - m->log_total;
    *slope = (own > -INFINITY ? own_slope * (own > guess ? share : less * share) : 0) +
             d / kde->prior_variance * guess_share;
    return fmax(own, guess) + log1p(less) - m->log_total;
}

double cr__nb_kde_sum(const cr__nb_kde *kde, size_t c, double x)
{
    const cr__nb_kernels *k = &kde->of[c];
    const mixing m = mixing_of(kde, k);
    double own = -INFINITY, slope = 0;

    if (k->count > 0)
        own = log_kernels(k, kde->value + k->first, kde->weight + k->first, x, &slope);
    return mix(kde, &m, x, own, slope, &slope);
}

/* Whether x lies between two nodes of a grid, and where. */
static int on_grid(const cr__nb_kernels *k, double x, double *at)
{
    *at = k->nodes == 0 ? -1 : (x - k->low) / k->step;
    return *at >= 0 && *at < (double)(k->nodes - 1);
}

static double between_nodes(const cr__nb_kde *kde, const cr__nb_kernels *k, double at)
{
    const double *node = kde->grid + 2 * (k->node + (uint64_t)at);
    double t, s, left, right;

    t = at - floor(at);
    s = 1 - t;
    left = node[1] * k->step;
    right = node[3] * k->step;
    return node[0] * s * s * (1 + 2 * t) + node[2] * t * t * (1 + 2 * s) +
           s * t * (left * s - right * t);
}

double cr__nb_kde_log(const cr__nb_kde *kde, size_t c, double x)
{
    double at;

    return on_grid(&kde->of[c], x, &at) ? between_nodes(kde, &kde->of[c], at)
                                        : cr__nb_kde_sum(kde, c, x);
}

void cr__nb_places_of(cr__nb_places *out, const cr__nb_kde *kde, size_t c)
{
    const mixing m = mixing_of(kde, &kde->of[c]);

    *out = (cr__nb_places){.kde = kde,
                           .class_index = c,
                           .constant = m.constant,
                           .log_total = m.log_total,
                           .log_h = log(kde->of[c].bandwidth),
                           .guesses = m.guesses};
}

/* As log_kernels(), of the kernels that are near enough. */
static double log_near_kernels(const cr__nb_places *p, double x)
{
    const cr__nb_kernels *k = &p->kde->of[p->class_index];
    const double *value = p->kde->value + k->first, *weight = p->kde->weight + k->first;
    const size_t n = (size_t)k->count, right = lower_bound(value, n, x);
    const double h = k->bandwidth;
    const double least =
        fmin(right < n ? value[right] - x : INFINITY, right > 0 ? x - value[right - 1] : INFINITY) /
        h;
    const double reach = h * sqrt(2 * FAR + least * least);
    const size_t first = lower_bound(value, right, x - reach);
    const size_t end = right + lower_bound(value + right, n - right, x + reach);

    return log(cr__nb_kernel_sum(value + first, weight + first, end - first, x, h, least)) -
           0.5 * least * least - p->log_h - 0.5 * log(2 * M_PI);
}

double cr__nb_places_log(const cr__nb_places *p, double x)
{
    const cr__nb_kernels *k = &p->kde->of[p->class_index];
    const mixing m = {p->constant, p->log_total, p->guesses};
    double at, slope, own = -INFINITY;

    if (on_grid(k, x, &at))
        return between_nodes(p->kde, k, at);
    if (k->count > 0)
        own = log_near_kernels(p, x);
    return mix(p->kde, &m, x, own, 0, &slope);
}

double cr__nb_kde_lower(const cr__nb_kde *kde, size_t c, double x)
{
    const cr__nb_kernels *k = &kde->of[c];
    const double rows = kde->prior_rows > 0 || k->count > 0 ? kde->prior_rows : 1;
    double sum = rows * cr__normal_lower((x - kde->prior_mean) / sqrt(kde->prior_variance));

    for (uint64_t i = 0; i < k->count; i++)
        sum += kde->weight[k->first + i] *
               cr__normal_lower((x - kde->value[k->first + i]) / k->bandwidth);
    return sum / (k->n + rows);
}

double cr__nb_kde_information(const cr__nb_kde *kde, const double *log_prior)
{
    enum { STEPS = 2048 };
    double low = INFINITY, high = -INFINITY, bits = 0, width;

    for (size_t c = 0; c < kde->classes; c++) {
        const cr__nb_kernels *k = &kde->of[c];

        if (k->count > 0) {
            low = fmin(low, kde->value[k->first] - 5 * k->bandwidth);
            high = fmax(high, kde->value[k->first + k->count - 1] + 5 * k->bandwidth);
        }
    }
    if (!(high > low))
        return 0;
    width = (high - low) / STEPS;
    for (int i = 0; i <= STEPS; i++) {
        const double x = low + i * width, part = i == 0 || i == STEPS ? 1 : i % 2 == 1 ? 4 : 2;
        double mixture = -INFINITY;

        for (size_t c = 0; c < kde->classes; c++)
            mixture = log_add(mixture, log_prior[c] + cr__nb_kde_log(kde, c, x));
        for (size_t c = 0; c < kde->classes && mixture > -INFINITY; c++) {
            const double p = cr__nb_kde_log(kde, c, x);

            if (log_prior[c] > -INFINITY)
                bits += part * exp(log_prior[c] + p) * (p - mixture) / M_LN2;
        }
    }
    return fmax(0, bits * width / 3);
}

/* --- fit ------------------------------------------------------------------------------------ */

/* The number with a share q of the weight below it. */
static double quantile(const double *value, const double *weight, size_t n, double total, double q)
{
    double below = 0;

    for (size_t i = 0; i < n; i++)
        if ((below += weight[i]) >= q * total)
            return value[i];
    return n > 0 ? value[n - 1] : 0;
}

static void moments(const double *value, const double *weight, size_t n, double *total,
                    double *mean, double *variance)
{
    double sum = 0, squares = 0;

    *total = 0;
    for (size_t i = 0; i < n; i++) {
        *total += weight[i];
        sum += weight[i] * value[i];
    }
    *mean = *total > 0 ? sum / *total : 0;
    for (size_t i = 0; i < n; i++)
        squares += weight[i] * (value[i] - *mean) * (value[i] - *mean);
    *variance = *total > 1 ? squares / (*total - 1) : 0;
}

static cr__nb_width width_rule(const cr__knobs *knobs, const cr__nb_form *form)
{
    if (form->width != CR__NB_BY_KNOB)
        return form->width;
    return cr__knobs_is(knobs, "bandwidth", "range") ? CR__NB_RANGE
           : isnan(cr__knobs_number(knobs, "bandwidth")) &&
                   !cr__knobs_is(knobs, "bandwidth", "rows")
               ? CR__NB_SILVERMAN
               : CR__NB_BY_KNOB;
}

static double bandwidth_of(const cr__knobs *knobs, const cr__nb_form *form, const double *value,
                           const double *weight, size_t n, double least)
{
    const cr__nb_width width = width_rule(knobs, form);
    double total, mean, variance, spread, h = cr__knobs_number(knobs, "bandwidth");

    moments(value, weight, n, &total, &mean, &variance);
    if (n == 0)
        return least;
    if (width == CR__NB_RANGE)
        h = (value[n - 1] - value[0]) / sqrt(total);
    else if (width == CR__NB_BY_KNOB && isnan(h))
        h = 1 / sqrt(total);
    else if (width == CR__NB_SILVERMAN) {
        spread =
            (quantile(value, weight, n, total, 0.75) - quantile(value, weight, n, total, 0.25)) /
            1.349;
        spread = spread > 0 ? fmin(spread, sqrt(variance)) : sqrt(variance);
        h = 0.9 * spread * pow(total, -0.2);
    }
    return h * form->scale > least ? h * form->scale : least;
}

/* A sixth of the mean distance between neighbouring numbers. */
static double least_bandwidth(const cr__spread *spread)
{
    size_t different = 1;

    for (size_t i = 1; i < spread->entries; i++)
        different += spread->value[i] != spread->value[i - 1];
    if (spread->entries == 0 || different < 2)
        return 1e-3;
    return (spread->value[spread->entries - 1] - spread->value[0]) / (double)(different - 1) / 6;
}

/* Nodes of a grid for one class; 0 when summing is as good: the terms of all sums are no more than
 * what the nodes take, and the kernels that are added to them. */
static uint64_t grid_nodes(const cr__nb_kernels *k, const double *value, double lookups)
{
    const double count = (double)k->count;
    double range, nodes, terms;

    if (k->count <= SUMMED_MOST)
        return 0;
    range = value[k->first + k->count - 1] - value[k->first];
    nodes = (range / k->bandwidth + 2 * MARGIN) * CR__NB_NODES_PER_H + 2;
    terms = count * fmin(1, 2 * sqrt(2 * FAR) * k->bandwidth / range);
    return nodes <= NODES_MOST && NODE_TERMS * nodes + KERNEL_TERMS * count < lookups * terms
               ? (uint64_t)nodes
               : 0;
}

/* The means of ascending numbers within cells of this width; returns how many. */
static size_t mean_by_cells(const double *value, const double *weight, size_t n, double width,
                            double *mean, double *sum)
{
    double cell = -1;
    size_t cells = 0;

    for (size_t i = 0; i < n; i++) {
        const double at = floor((value[i] - value[0]) / width);

        if (at != cell) {
            cell = at;
            mean[cells] = value[i];
            sum[cells++] = weight[i];
            continue;
        }
        sum[cells - 1] += weight[i];
        mean[cells - 1] += (value[i] - mean[cells - 1]) * weight[i] / sum[cells - 1];
    }
    return cells;
}

/* room: for the sums at the nodes. */
static void fill_class(const cr__nb_kde *kde, const cr__nb_kernels *k, const double *value,
                       const double *weight, double *room, double *grid)
{
    const cr__nb_nodes nodes = {k->low, k->step, k->bandwidth, (size_t)k->nodes};
    const double constant = 0.5 * log(2 * M_PI) + log(k->bandwidth);
    const mixing m = mixing_of(kde, k);
    double *sum = room, *pull = room + nodes.count + 2 * CR__NB_SPREAD_PAD;

    cr__nb_spread(&nodes, value, weight, (size_t)k->count, sum, pull);
    sum += CR__NB_SPREAD_PAD;
    pull += CR__NB_SPREAD_PAD;
    for (size_t i = 0; i < nodes.count; i++) {
        const double x = k->low + (double)i * k->step;
        double slope = pull[i] / sum[i] / k->bandwidth, own;

        own = sum[i] > FAINT * k->n ? log(sum[i]) - constant
                                    : log_kernels(k, value, weight, x, &slope);
        grid[2 * i] = mix(kde, &m, x, own, slope, &grid[2 * i + 1]);
    }
}

static cr_status fill_grid(const cr__nb_kde *kde, double per_h, double *grid)
{
    double *room = cr__alloc(kde->entries + 1, 2 * sizeof *room);
    double *sums = cr__alloc(kde->nodes + 2 * CR__NB_SPREAD_PAD, 2 * sizeof *sums);

    if (room == NULL || sums == NULL) {
        cr__free(room);
        cr__free(sums);
        return CR_ENOMEM;
    }
    for (size_t c = 0; c < kde->classes; c++) {
        cr__nb_kernels k = kde->of[c];
        const double *value = kde->value + k.first, *weight = kde->weight + k.first;

        if (k.nodes == 0)
            continue;
        if (k.count >= CELLED_LEAST) {
            k.count = mean_by_cells(value, weight, (size_t)k.count, k.bandwidth / per_h, room,
                                    room + kde->entries);
            value = room;
            weight = room + kde->entries;
        }
        fill_class(kde, &k, value, weight, sums, grid + 2 * k.node);
    }
    cr__free(room);
    cr__free(sums);
    return CR_OK;
}

/* Numbers class by class, their bandwidths, and how large the grids are. */
static void sort_kernels(cr__nb_kde *kde, cr__nb_kernels *of, double *value, double *weight,
                         const cr__spread *spread, const cr__knobs *knobs, const cr__nb_form *form)
{
    const double least = least_bandwidth(spread);
    uint64_t first = 0;

    for (size_t i = 0; i < spread->entries; i++)
        of[spread->class_of[i]].count++;
    for (size_t c = 0; c < kde->classes; c++) {
        of[c].first = first;
        first += of[c].count;
        of[c].count = 0;
    }
    for (size_t i = 0; i < spread->entries; i++) {
        cr__nb_kernels *k = &of[spread->class_of[i]];

        value[k->first + k->count] = spread->value[i];
        weight[k->first + k->count++] = spread->count[i];
        k->n += spread->count[i];
    }
    for (size_t c = 0; c < kde->classes; c++) {
        cr__nb_kernels *k = &of[c];

        k->bandwidth =
            bandwidth_of(knobs, form, value + k->first, weight + k->first, (size_t)k->count, least);
        k->nodes = grid_nodes(k, value, kde->lookups);
        k->node = kde->nodes;
        k->step = k->bandwidth / (double)CR__NB_NODES_PER_H;
        k->low = k->count == 0 ? 0 : value[k->first] - MARGIN * k->bandwidth;
        kde->nodes += (size_t)k->nodes;
    }
}

enum { KERNEL_WORDS = sizeof(cr__nb_kernels) / sizeof(double) };

static void set_views(cr__nb_kde *kde, const double *base)
{
    kde->of = (const cr__nb_kernels *)base;
    kde->value = base + kde->classes * KERNEL_WORDS;
    kde->weight = kde->value + kde->entries;
    kde->grid = kde->weight + kde->entries;
}

static cr_status fit_kernels(cr__nb_kde *kde, const cr__spread *spread, const cr__knobs *knobs,
                             const cr__nb_form *form, double per_h)
{
    const size_t fixed = kde->classes * KERNEL_WORDS + 2 * spread->entries;
    double total, *more;

    kde->entries = spread->entries;
    if ((kde->own = cr__alloc_zero(fixed, sizeof *kde->own)) == NULL)
        return CR_ENOMEM;
    moments(spread->value, spread->count, spread->entries, &total, &kde->prior_mean,
            &kde->prior_variance);
    if (!(kde->prior_variance > 0))
        kde->prior_variance = 1;
    set_views(kde, kde->own);
    sort_kernels(kde, (cr__nb_kernels *)kde->own, kde->own + kde->classes * KERNEL_WORDS,
                 kde->own + kde->classes * KERNEL_WORDS + kde->entries, spread, knobs, form);
    if ((more = cr__realloc(kde->own, fixed + 2 * kde->nodes, sizeof *more)) == NULL)
        return CR_ENOMEM;
    kde->own = more;
    set_views(kde, more);
    return fill_grid(kde, per_h, more + fixed);
}

cr_status cr__nb_kde_of(cr__nb_kde **out, const cr__spread *spread, size_t classes,
                        const cr__knobs *knobs, const cr__nb_form *form, int few_rows)
{
    cr__nb_kde *kde = cr__alloc_zero(1, sizeof *kde);
    cr_status st = CR_ENOMEM;

    if (kde != NULL) {
        kde->classes = classes;
        kde->lookups = few_rows ? (double)spread->entries : INFINITY;
        kde->prior_rows = cr__knobs_number(knobs, "kde-rows");
        st = fit_kernels(kde, spread, knobs, form, few_rows ? CELLS_PER_H_ROUGH : CELLS_PER_H);
    }
    if (st != CR_OK) {
        cr__nb_kde_free(kde);
        kde = NULL;
    }
    *out = kde;
    return st;
}

cr_status cr__nb_fit_kde(cr__nb_kde **out, const cr__stats *stats, const cr__knobs *knobs,
                         const cr__nb_form *form, size_t column, cr_error *err)
{
    cr__spread spread = {0};
    cr_status st = cr__values_spread(stats->column[column].values, stats->classes, &spread);

    *out = NULL;
    if (st == CR_OK)
        st = cr__nb_kde_of(out, &spread, stats->classes, knobs, form, 0);
    cr__spread_free(&spread);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

/* --- the model file ------------------------------------------------------------------------- */

/*   NBKD i    u64 numbers, nodes; f64 rows, mean and variance of the prior guess; kernels[classes];
 *             value[numbers], weight[numbers], grid[2 * nodes] */
#define TAG_KDE CR__TAG('N', 'B', 'K', 'D')

typedef struct kde_head {
    uint64_t entries, nodes;
    double prior_rows, prior_mean, prior_variance;
} kde_head;

void cr__nb_kde_save(const cr__nb_kde *kde, uint32_t column, cr__draft *draft)
{
    const kde_head h = {kde->entries, kde->nodes, kde->prior_rows, kde->prior_mean,
                        kde->prior_variance};

    cr__draft_section_begin(draft, TAG_KDE, column);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_borrow(draft, kde->of, kde->classes * sizeof *kde->of);
    cr__draft_borrow(draft, kde->value, 2 * (kde->entries + kde->nodes) * sizeof *kde->value);
}

static int sound_kernels(const cr__nb_kde *kde)
{
    for (size_t c = 0; c < kde->classes; c++) {
        const cr__nb_kernels *k = &kde->of[c];

        if (!(k->n >= 0) || !(k->bandwidth > 0) || !isfinite(k->bandwidth) || !(k->step > 0) ||
            !isfinite(k->low) || k->first > kde->entries || k->count > kde->entries - k->first ||
            k->node > kde->nodes || k->nodes > kde->nodes - k->node || (k->count > 0 && k->n == 0))
            return 0;
        for (uint64_t i = k->first; i < k->first + k->count; i++)
            if (!isfinite(kde->value[i]) || !(kde->weight[i] > 0) ||
                (i > k->first && kde->value[i] <= kde->value[i - 1]))
                return 0;
    }
    for (size_t i = 0; i < 2 * kde->nodes; i++)
        if (!isfinite(kde->grid[i]))
            return 0;
    return 1;
}

cr_status cr__nb_kde_open(cr__nb_kde **out, const cr__container *container, uint32_t column,
                          size_t classes, cr_error *err)
{
    size_t size;
    const char *bytes = cr__container_section(container, TAG_KDE, column, &size);
    cr__nb_kde *kde;
    kde_head h;

    *out = NULL;
    if (bytes == NULL)
        return CR_OK;
    if (size < sizeof h)
        return cr__container_damaged(container, err, "the kernels of a column are cut short");
    memcpy(&h, bytes, sizeof h);
    size -= sizeof h;
    if (classes > size / sizeof(cr__nb_kernels) || h.entries > size || h.nodes > size ||
        size != classes * sizeof(cr__nb_kernels) + 16 * (size_t)(h.entries + h.nodes) ||
        !(h.prior_rows >= 0) || !isfinite(h.prior_mean) || !(h.prior_variance > 0))
        return cr__container_damaged(container, err, "the kernels of a column have a wrong length");
    if ((kde = *out = cr__alloc_zero(1, sizeof *kde)) == NULL)
        return cr__fail_memory(err);
    *kde = (cr__nb_kde){.classes = classes,
                        .prior_rows = h.prior_rows,
                        .prior_mean = h.prior_mean,
                        .prior_variance = h.prior_variance,
                        .entries = (size_t)h.entries,
                        .nodes = (size_t)h.nodes};
    set_views(kde, (const double *)(bytes + sizeof h));
    if (sound_kernels(kde))
        return CR_OK;
    cr__nb_kde_free(kde);
    *out = NULL;
    return cr__container_damaged(container, err, "the kernels of a column make no sense");
}
