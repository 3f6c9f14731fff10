/* network/infer/sample.c - likelihood weighting and Gibbs sampling.
 *
 * Samples come in 64 batches. Batch b has sums W of the weights and S of the weights where an
 * outcome holds; p = sum S / sum W, and by the delta method for a ratio of sums over B independent
 * batches
 *
 *     error^2 = B / (B - 1) * sum (S - p W)^2 / (sum W)^2
 *
 * (W. Cochran, Sampling Techniques, 3rd ed., 6.4), but no less than that of n independent samples
 * with two more successes and two more failures (A. Agresti and B. Coull, 1998), where n is the
 * effective number of samples: an outcome that was never seen need not be impossible.
 *
 * An error is stated only where it can be trusted; otherwise it is NaN.
 */
#include "network/infer/sample.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"

enum {
    BATCHES = 64,
    CHAINS = 8,
    STARTS = 2000,
    BLOCK_BYTES = 1 << 27, /* of the tables for drawing all nodes jointly */
    HITS_LEAST = 400       /* see is_covered() */
};
#define R_HAT_MOST 1.02 /* of split chains (A. Gelman et al., Bayesian Data Analysis, 3rd ed.) */
#define CELL_LEAST 1e-3 /* smaller entries, or zeros, may trap a chain of single moves */

typedef struct batch {
    double log_scale; /* all sums are times e^log_scale */
    double weight, squares;
    uint64_t drawn;
    double *sum; /* [outcomes] */
} batch;

typedef struct run {
    const cr__network *net;
    const cr__evidence *evidence;
    const cr__sample_count *survey;
    uint64_t each; /* samples of a batch */
    int gibbs;
    cr__sampler *block; /* of gibbs: all nodes are drawn jointly; NULL: one by one */
    cr_pool *pool;
    cr__random stream[BATCHES];
    batch batch[BATCHES];
    int stuck[BATCHES]; /* a chain found no starting state */
    uint32_t *state;    /* [BATCHES * nodes] */
    double *work;       /* [BATCHES * most states] */
    uint32_t most;
} run;

static void count_states(const void *context, const uint32_t *state, double weight, double *sum)
{
    const cr__network *net = context;

    for (uint32_t i = 0; i < net->nodes; i++)
        sum[net->label_at[i] + state[i]] += weight;
}

cr__sample_count cr__sample_states(const cr__network *net)
{
    return (cr__sample_count){
        .outcomes = net->label_at[net->nodes], .count = count_states, .context = net};
}

/* All states, parents first. Returns the log of the weight: the probability of what was not
 * drawn. */
static double draw_all(const run *r, cr__random *random, uint32_t *state)
{
    const cr__network *net = r->net;
    double log_weight = 0;

    for (uint32_t i = 0; i < net->nodes; i++) {
        const uint32_t node = net->order[i];
        const double *row = net->table + cr__row_at(net, node, state);
        const double *likelihood =
            r->evidence->likelihood == NULL ? NULL : r->evidence->likelihood[node];

        if (r->evidence->state[node] != UINT32_MAX) {
            state[node] = r->evidence->state[node];
            log_weight += log(row[state[node]]);
        } else {
            state[node] = cr__draw_state(random, row, net->states[node], 1);
        }
        if (likelihood != NULL)
            log_weight += log(likelihood[state[node]]);
    }
    return log_weight;
}

/* Add a sample to a batch, whose sums are kept relative to its largest weight. */
static void add_sample(const run *r, batch *b, const uint32_t *state, double log_weight)
{
    double weight;

    b->drawn++;
    if (log_weight == -INFINITY)
        return;
    if (log_weight > b->log_scale) {
        const double less = b->weight > 0 ? exp(b->log_scale - log_weight) : 0;

        for (size_t k = 0; k < r->survey->outcomes; k++)
            b->sum[k] *= less;
        b->weight *= less;
        b->squares *= less * less;
        b->log_scale = log_weight;
    }
    weight = exp(log_weight - b->log_scale);
    b->weight += weight;
    b->squares += weight * weight;
    r->survey->count(r->survey->context, state, weight, b->sum);
}

static void weighting_batch(run *r, size_t index)
{
    uint32_t *state = r->state + index * r->net->nodes;

    for (uint64_t n = 0; n < r->each; n++)
        add_sample(r, &r->batch[index], state, draw_all(r, &r->stream[index], state));
}

/* --- Gibbs ------------------------------------------------------------------------------------ */

/* P(node | all others) is in proportion to its own row and its children's. */
static void redraw(const run *r, cr__random *random, uint32_t node, uint32_t *state, double *p)
{
    const cr__network *net = r->net;
    const double *row = net->table + cr__row_at(net, node, state);
    const double *likelihood =
        r->evidence->likelihood == NULL ? NULL : r->evidence->likelihood[node];
    const uint32_t before = state[node];
    double most = 0, sum = 0;

    for (uint32_t k = 0; k < net->states[node]; k++)
        p[k] = row[k] * (likelihood == NULL ? 1 : likelihood[k]);
    for (size_t c = net->child_at[node]; c < net->child_at[node + 1]; c++) {
        const uint32_t child = net->child[c];

        most = 0;
        for (uint32_t k = 0; k < net->states[node]; k++) {
            if (p[k] > 0) {
                state[node] = k;
                p[k] *= net->table[cr__row_at(net, child, state) + state[child]];
            }
            most = p[k] > most ? p[k] : most;
        }
        if (most > 0 && most < 1e-100) /* thousands of children would make it underflow */
            for (uint32_t k = 0; k < net->states[node]; k++)
                p[k] /= most;
    }
    for (uint32_t k = 0; k < net->states[node]; k++)
        sum += p[k];
    state[node] = sum > 0 ? cr__draw_state(random, p, net->states[node], sum) : before;
}

/* A chain fills consecutive batches. */
static void gibbs_chain(run *r, size_t chain)
{
    const size_t first = chain * (BATCHES / CHAINS);
    const uint64_t burn = r->each * (BATCHES / CHAINS) / 10 + 1;
    uint32_t *state = r->state + first * r->net->nodes;
    double *p = r->work + first * r->most;
    cr__random *random = &r->stream[first];
    int tries = 0;

    for (uint64_t n = 0; r->block != NULL && n < r->each * (BATCHES / CHAINS); n++) {
        cr__sampler_draw(r->block, random, state, p);
        add_sample(r, &r->batch[first + n / r->each], state, 0);
    }
    if (r->block != NULL)
        return;
    while (draw_all(r, random, state) == -INFINITY)
        if (++tries == STARTS) {
            r->stuck[first] = 1;
            return;
        }
    for (uint64_t n = 0; n < burn + r->each * (BATCHES / CHAINS); n++) {
        for (uint32_t i = 0; i < r->net->nodes; i++)
            if (r->evidence->state[r->net->order[i]] == UINT32_MAX)
                redraw(r, random, r->net->order[i], state, p);
        if (n >= burn)
            add_sample(r, &r->batch[first + (n - burn) / r->each], state, 0);
    }
}

/* --- all samples ------------------------------------------------------------------------------ */

static void work_batches(void *context, int worker)
{
    run *r = context;
    const int workers = r->pool == NULL ? 1 : cr_pool_threads(r->pool);

    for (int i = worker; i < (r->gibbs ? CHAINS : BATCHES); i += workers)
        if (r->gibbs)
            gibbs_chain(r, (size_t)i);
        else
            weighting_batch(r, (size_t)i);
}

/* Sums of batches [first, end) on a common scale, with weight and squares. */
static void add_batches(const run *r, size_t outcome, double scale, size_t first, size_t end,
                        double *sum, double *weight)
{
    *sum = *weight = 0;
    for (size_t b = first; b < end; b++) {
        const double times = exp(r->batch[b].log_scale - scale);

        if (r->batch[b].weight > 0) {
            *sum += times * r->batch[b].sum[outcome];
            *weight += times * r->batch[b].weight;
        }
    }
}

/* The error of p estimated from groups of batches. */
static double group_error(const run *r, size_t outcome, double scale, double p, double all,
                          size_t groups)
{
    const size_t each = BATCHES / groups;
    double squares = 0;

    for (size_t g = 0; g < groups; g++) {
        double sum, weight;

        add_batches(r, outcome, scale, g * each, (g + 1) * each, &sum, &weight);
        squares += (sum - p * weight) * (sum - p * weight);
    }
    return sqrt(squares * (double)groups / (double)(groups - 1)) / all;
}

/* --- can the error be trusted? ---------------------------------------------------------------- */

/* An upper bound of ln(weight): the largest number that each factor of it can be. */
static double log_weight_most(const run *r)
{
    const cr__network *net = r->net;
    double sum = 0;

    for (uint32_t i = 0; i < net->nodes; i++) {
        const double *likelihood =
            r->evidence->likelihood == NULL ? NULL : r->evidence->likelihood[i];
        double most = 0;

        for (uint32_t k = 0; likelihood != NULL && k < net->states[i]; k++)
            most = fmax(most, likelihood[k]);
        sum += likelihood != NULL ? log(most) : 0;
        most = 0;
        if (r->evidence->state[i] == UINT32_MAX)
            continue;
        for (size_t c = net->table_at[i] + r->evidence->state[i]; c < net->table_at[i + 1];
             c += net->states[i])
            most = fmax(most, net->table[c]);
        sum += log(most);
    }
    return sum;
}

/* Weighting: a share m of the posterior corresponds to at least m P(evidence) / w of the prior, if
 * no weight is above w. So n samples are expected to hit it m n P(evidence) / w times, and when n
 * P(evidence) / w is large nothing that matters can have been missed. */
static int is_covered(const run *r, double log_evidence, uint64_t drawn)
{
    return log_evidence - log_weight_most(r) + log((double)drawn) >= log(HITS_LEAST);
}

/* Single moves: whether chains may be trapped in a part of the state space. */
static int may_be_kept(const run *r)
{
    const cr__network *net = r->net;

    for (size_t c = 0; c < net->table_at[net->nodes]; c++)
        if (net->table[c] < CELL_LEAST)
            return 1;
    return 0;
}

/* R^ of the halves of the chains for one outcome: how much wider all of them are than each:
 *     within = mean p_h (1 - p_h),  between = n / (2 C - 1) sum (p_h - p)^2,
 *     R^2 = ((n - 1) within / n + between / n) / within */
static double split_r_hat(const run *r, size_t outcome, double p)
{
    const size_t halves = 2 * CHAINS, each = BATCHES / halves;
    double within = 0, between = 0, n = 0;

    for (size_t h = 0; h < halves; h++) {
        double sum, weight;

        add_batches(r, outcome, 0, h * each, (h + 1) * each, &sum, &weight);
        n = weight;
        within += sum / weight * (1 - sum / weight) / (double)halves;
        between += (sum / weight - p) * (sum / weight - p) / (double)(halves - 1);
    }
    return within > 0 ? sqrt((n - 1) / n + between / within) : between > 0 ? INFINITY : 1;
}

static int is_trusted(const run *r, const double *p, double log_evidence, uint64_t drawn)
{
    if (!r->gibbs)
        return is_covered(r, log_evidence, drawn);
    if (r->block != NULL)
        return 1;
    if (may_be_kept(r))
        return 0;
    for (size_t k = 0; k < r->survey->outcomes; k++)
        if (split_r_hat(r, k, p[k]) > R_HAT_MOST)
            return 0;
    return 1;
}

/* --- results ---------------------------------------------------------------------------------- */

/* The effective number of samples that agree with the evidence, on the scale of the largest
 * weight. */
static cr_status find_scale(const run *r, double *scale, double *squares, uint64_t *drawn,
                            cr_error *err)
{
    *scale = -INFINITY;
    *squares = 0;
    *drawn = 0;
    for (size_t b = 0; b < BATCHES; b++) {
        *scale = fmax(*scale, r->batch[b].log_scale);
        *drawn += r->batch[b].drawn;
    }
    if (*scale == -INFINITY) {
        cr__fail(err, CR_ECONFLICT, "none of %llu samples agrees with the evidence",
                 (unsigned long long)*drawn);
        return cr__fail_hint(err, CR_ECONFLICT,
                             "it is impossible or very improbable; draw more "
                             "samples, or take another method");
    }
    for (size_t b = 0; b < BATCHES; b++) {
        const double times = exp(r->batch[b].log_scale - *scale);

        *squares += r->batch[b].squares * times * times;
    }
    return CR_OK;
}

/* The least error of a share p of n samples. */
static double least_error(double p, double n)
{
    const double q = (n * p + 2) / (n + 4);

    return sqrt(q * (1 - q) / (n + 4));
}

static cr_status evaluate(const run *r, double *p, double *error, cr__sampled *about, cr_error *err)
{
    double scale, all = 0, squares, spread = 0, variance = 0, sum;
    uint64_t drawn;
    cr_status st = find_scale(r, &scale, &squares, &drawn, err);

    if (st != CR_OK)
        return st;
    for (size_t k = 0; k < r->survey->outcomes; k++) {
        add_batches(r, k, scale, 0, BATCHES, &sum, &all);
        p[k] = sum / all;
        error[k] = group_error(r, k, scale, p[k], all, BATCHES);
        if (r->gibbs && r->block == NULL)
            error[k] = fmax(error[k], group_error(r, k, scale, p[k], all, CHAINS));
        variance += error[k] * error[k];
        spread += p[k] * (1 - p[k]);
    }
    about->rounds = drawn;
    about->log_evidence = r->block != NULL ? cr__sampler_log_evidence(r->block)
                          : r->gibbs       ? NAN
                                           : log(all) + scale - log((double)drawn);
    about->effective = !r->gibbs                          ? all * all / squares
                       : r->block == NULL && variance > 0 ? fmin(spread / variance, (double)drawn)
                                                          : (double)drawn;
    about->trusted = is_trusted(r, p, about->log_evidence, drawn);
    for (size_t k = 0; k < r->survey->outcomes; k++)
        error[k] = about->trusted ? fmax(error[k], least_error(p[k], about->effective)) : NAN;
    return CR_OK;
}

static cr_status sample(run *r, uint64_t samples, uint64_t seed, double *p, double *error,
                        cr__sampled *about, cr_error *err)
{
    const cr__network *net = r->net;
    double *sums = cr__alloc_zero(r->survey->outcomes, BATCHES * sizeof *sums);
    cr__random random;
    cr_status st = CR_OK;

    *about = (cr__sampled){.log_evidence = NAN};
    r->each = samples / BATCHES + (samples % BATCHES != 0);
    for (uint32_t i = 0; i < net->nodes; i++)
        r->most = net->states[i] > r->most ? net->states[i] : r->most;
    r->state = cr__alloc_zero(net->nodes, BATCHES * sizeof *r->state);
    r->work = cr__alloc(r->most, BATCHES * sizeof *r->work);
    if (sums == NULL || r->state == NULL || r->work == NULL) {
        st = cr__fail_memory(err);
    } else {
        cr__random_seed(&random, seed);
        for (size_t b = 0; b < BATCHES; b++, cr__random_jump(&random)) {
            r->stream[b] = random;
            r->batch[b] = (batch){.log_scale = -INFINITY, .sum = sums + b * r->survey->outcomes};
        }
        if (r->pool != NULL)
            cr__pool_run(r->pool, work_batches, r);
        else
            work_batches(r, 0);
        for (size_t b = 0; b < BATCHES; b++)
            if (r->stuck[b])
                st = cr__fail(err, CR_ECONFLICT,
                              "no state to begin with was found in %d samples: the evidence is "
                              "impossible or very improbable",
                              STARTS);
        if (st == CR_OK)
            st = evaluate(r, p, error, about, err);
    }
    cr__free(sums);
    cr__free(r->state);
    cr__free(r->work);
    return st;
}

cr_status cr__sample_weighting(const cr__network *net, const cr__evidence *evidence,
                               const cr__sample_count *survey, uint64_t samples, uint64_t seed,
                               cr_pool *pool, double *p, double *error, cr__sampled *about,
                               cr_error *err)
{
    run r = {.net = net, .evidence = evidence, .survey = survey, .pool = pool};

    return sample(&r, samples, seed, p, error, about, err);
}

cr_status cr__sample_gibbs(const cr__network *net, const cr__evidence *evidence,
                           const cr__sample_count *survey, uint64_t samples, uint64_t seed,
                           cr_pool *pool, double *p, double *error, cr__sampled *about,
                           cr_error *err)
{
    return cr__sample_gibbs_within(net, evidence, survey, samples, seed, BLOCK_BYTES, pool, p,
                                   error, about, err);
}

cr_status cr__sample_gibbs_within(const cr__network *net, const cr__evidence *evidence,
                                  const cr__sample_count *survey, uint64_t samples, uint64_t seed,
                                  uint64_t block, cr_pool *pool, double *p, double *error,
                                  cr__sampled *about, cr_error *err)
{
    run r = {.net = net, .evidence = evidence, .survey = survey, .pool = pool, .gibbs = 1};
    cr_status st = cr__sampler_new(&r.block, net, evidence, block, pool, err);

    if (st == CR_OK || st == CR_ELIMIT)
        st = sample(&r, samples, seed, p, error, about, err);
    cr__sampler_free(r.block);
    return st;
}
