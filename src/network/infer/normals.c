/* network/infer/normals.c - means, covariances, densities and conditionals of Gaussian nodes. */
#include "network/infer/normals.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/special.h"

#define PIVOT_LEAST 1e-13 /* share of a variance that the numbers before it leave unexplained */

/* --- which nodes ------------------------------------------------------------------------------ */

void cr__normals_free(cr__normals *n)
{
    if (n == NULL)
        return;
    cr__free(n->node);
    cr__free(n->place);
    cr__free(n->mixer);
    cr__free(n);
}

static void list_mixers(cr__normals *n)
{
    const cr__network *net = n->net;

    for (uint32_t i = 0; i < net->nodes; i++) {
        int mixes = 0;

        for (size_t k = net->child_at[i]; !net->gaussian[i] && k < net->child_at[i + 1]; k++)
            mixes |= net->gaussian[net->child[k]];
        if (mixes)
            n->mixer[n->mixers++] = i;
    }
}

cr_status cr__normals_new(cr__normals **out, const cr__network *net, cr_error *err)
{
    cr__normals *n;

    *out = NULL;
    if (net->weight_at[net->nodes] == 0)
        return CR_OK;
    if ((n = cr__alloc_zero(1, sizeof *n)) == NULL)
        return cr__fail_memory(err);
    n->net = net;
    n->node = cr__alloc(net->nodes, sizeof *n->node);
    n->place = cr__alloc(net->nodes, sizeof *n->place);
    n->mixer = cr__alloc(net->nodes, sizeof *n->mixer);
    if (n->node == NULL || n->place == NULL || n->mixer == NULL) {
        cr__normals_free(n);
        return cr__fail_memory(err);
    }
    for (uint32_t i = 0; i < net->nodes; i++)
        n->place[i] = CR__NO_NODE;
    for (uint32_t i = 0; i < net->nodes; i++)
        if (net->gaussian[net->order[i]]) {
            n->place[net->order[i]] = n->count;
            n->node[n->count++] = net->order[i];
        }
    list_mixers(n);
    *out = n;
    return CR_OK;
}

/* Intercept, slopes and deviation of a node for the states of its discrete parents. */
static const double *weights_of(const cr__network *net, uint32_t node, const uint32_t *state)
{
    size_t row = 0;

    for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++)
        if (!net->gaussian[net->parent[k]])
            row = row * net->states[net->parent[k]] + state[net->parent[k]];
    return net->weight + net->weight_at[node] + row * cr__network_stride(net, node);
}

/* The mean of a number given its parents' values, x by place. */
static double mean_of(const cr__normals *n, uint32_t node, const uint32_t *state, const double *x,
                      double *deviation)
{
    const cr__network *net = n->net;
    const double *w = weights_of(net, node, state);
    double mean = *w++;

    for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++)
        if (net->gaussian[net->parent[k]])
            mean += *w++ * x[n->place[net->parent[k]]];
    *deviation = *w;
    return mean;
}

double cr__normals_log_density(const cr__normals *n, const uint32_t *state, const double *x)
{
    double sum = 0, deviation;

    for (uint32_t i = 0; i < n->count; i++) {
        const double z = (x[i] - mean_of(n, n->node[i], state, x, &deviation)) / deviation;

        sum -= 0.5 * (z * z + log(2 * M_PI)) + log(deviation);
    }
    return sum;
}

void cr__normals_draw(const cr__normals *n, cr__random *random, const uint32_t *state, double *x)
{
    double deviation;

    for (uint32_t i = 0; i < n->count; i++) {
        x[i] = mean_of(n, n->node[i], state, x, &deviation);
        x[i] += deviation * cr__random_normal(random);
    }
}

/* --- conditions ------------------------------------------------------------------------------- */

void cr__condition_free(cr__condition *c)
{
    if (c == NULL)
        return;
    cr__free(c->known);
    cr__free(c->list);
    cr__free(c->mean);
    cr__free(c->cov);
    cr__free(c->factor);
    cr__free(c->residual);
    cr__free(c->row);
    cr__free(c);
}

cr_status cr__condition_new(cr__condition **out, const cr__normals *n, cr_error *err)
{
    cr__condition *c;
    const size_t m = n->count;
    const cr_status st = cr__matrix_open(err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((c = cr__alloc_zero(1, sizeof *c)) == NULL)
        return cr__fail_memory(err);
    c->normals = n;
    c->known = cr__alloc_zero(m, 1);
    c->list = cr__alloc(m, sizeof *c->list);
    c->mean = cr__alloc(m, sizeof *c->mean);
    c->cov = cr__alloc(m, m * sizeof *c->cov);
    c->factor = cr__alloc(m, m * sizeof *c->factor);
    c->residual = cr__alloc(m, sizeof *c->residual);
    c->row = cr__alloc(m, sizeof *c->row);
    if (c->known == NULL || c->list == NULL || c->mean == NULL || c->cov == NULL ||
        c->factor == NULL || c->residual == NULL || c->row == NULL) {
        cr__condition_free(c);
        return cr__fail_memory(err);
    }
    *out = c;
    return CR_OK;
}

/* Mean and covariance along the arcs, as in the header. */
static void fill_joint(cr__condition *c, const uint32_t *state)
{
    const cr__normals *n = c->normals;
    const cr__network *net = n->net;
    const size_t m = n->count;

    for (size_t i = 0; i < m; i++) {
        const uint32_t node = n->node[i];
        const double *w = weights_of(net, node, state);
        double *row = c->cov + i * m, mean = *w++, variance = 0;

        memset(row, 0, m * sizeof *row);
        for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++) {
            const size_t p = n->place[net->parent[k]];

            if (!net->gaussian[net->parent[k]])
                continue;
            mean += *w * c->mean[p];
            cblas_daxpy((int)i, *w, c->cov + p * m, 1, row, 1);
            w++;
        }
        w -= cr__network_stride(net, node) - 2;
        for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++)
            if (net->gaussian[net->parent[k]])
                variance += *w++ * row[n->place[net->parent[k]]];
        c->mean[i] = mean;
        row[i] = variance + *w * *w;
        for (size_t j = 0; j < i; j++)
            c->cov[j * m + i] = row[j];
    }
}

cr_status cr__condition_set(cr__condition *c, const uint32_t *state, const unsigned char *known,
                            cr_error *err)
{
    const size_t m = c->normals->count;
    int sound = 1;
    size_t k;

    memcpy(c->known, known, m);
    c->knowns = 0;
    for (uint32_t i = 0; i < m; i++)
        if (known[i])
            c->list[c->knowns++] = i;
    fill_joint(c, state);
    k = c->knowns;
    for (size_t i = 0; i < m; i++)
        sound &= isfinite(c->mean[i]) && isfinite(c->cov[i * m + i]);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j <= i; j++)
            c->factor[i * k + j] = c->cov[c->list[i] * m + c->list[j]];
    if (sound && k > 0)
        sound = cr__cholesky(c->factor, k) == 0;
    c->log_det = 0;
    for (size_t i = 0; sound && i < k; i++) {
        const double pivot = c->factor[i * k + i];

        sound = pivot * pivot > PIVOT_LEAST * c->cov[c->list[i] * m + c->list[i]];
        c->log_det += 2 * log(pivot);
    }
    if (sound)
        return CR_OK;
    cr__fail(err, CR_ECONFLICT,
             "the numbers that are observed determine one another, or are too "
             "large or too small to calculate with");
    return cr__fail_hint(err, CR_ECONFLICT, "observe fewer of them");
}

/* ln N(x; μ, Σ) = -½ (|L⁻¹(x - μ)|² + ln|Σ| + k ln 2π) with Σ = L L'. */
double cr__condition_observe(cr__condition *c, const double *x)
{
    const int k = (int)c->knowns;

    for (int i = 0; i < k; i++)
        c->residual[i] = x[c->list[i]] - c->mean[c->list[i]];
    if (k == 0)
        return 0;
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, k, c->factor, k, c->residual,
                1);
    return -0.5 * (cblas_ddot(k, c->residual, 1, c->residual, 1) + c->log_det + k * log(2 * M_PI));
}

/* E(y | x) = μ_y + Σ_yx Σ_xx⁻¹ (x - μ_x), var(y | x) = σ_yy - Σ_yx Σ_xx⁻¹ Σ_xy. */
void cr__condition_tell(cr__condition *c, uint32_t place, const double *x, double *mean,
                        double *variance)
{
    const size_t m = c->normals->count;
    const int k = (int)c->knowns;

    if (c->known[place]) {
        *mean = x[place];
        *variance = 0;
        return;
    }
    for (int i = 0; i < k; i++)
        c->row[i] = c->cov[place * m + c->list[i]];
    if (k > 0)
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, k, c->factor, k, c->row,
                    1);
    *mean = c->mean[place] + cblas_ddot(k, c->row, 1, c->residual, 1);
    *variance = fmax(c->cov[place * m + place] - cblas_ddot(k, c->row, 1, c->row, 1), 0);
}

/* --- mixtures --------------------------------------------------------------------------------- */

void cr__mixture_moments(const cr__normal_part *part, size_t parts, double *mean, double *deviation)
{
    double variance = 0;

    *mean = 0;
    for (size_t i = 0; i < parts; i++)
        *mean += part[i].weight * part[i].mean;
    for (size_t i = 0; i < parts; i++) {
        const double off = part[i].mean - *mean;

        variance += part[i].weight * (part[i].deviation * part[i].deviation + off * off);
    }
    *deviation = sqrt(variance);
}

static double mixture_lower(const cr__normal_part *part, size_t parts, double x)
{
    double p = 0;

    for (size_t i = 0; i < parts; i++)
        p += part[i].weight * (part[i].deviation > 0
                                   ? cr__normal_lower((x - part[i].mean) / part[i].deviation)
                                   : x >= part[i].mean);
    return p;
}

/* Bisection between the quantiles of the parts. */
double cr__mixture_quantile(const cr__normal_part *part, size_t parts, double p)
{
    const double z = cr__normal_quantile(p);
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < parts; i++) {
        low = fmin(low, part[i].mean + z * part[i].deviation);
        high = fmax(high, part[i].mean + z * part[i].deviation);
    }
    for (int step = 0; step < 200 && low < high; step++) {
        const double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            break;
        if (mixture_lower(part, parts, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}
