/* learners/network/row_scorer.c - score rows by tables, the junction tree and densities. */
#include "learners/network/row_scorer.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

enum { MIX_CELLS = 1 << 20 }; /* combinations of mixers that a row may leave open */

void cr__row_scorer_close(cr__row_scorer *d)
{
    if (d == NULL)
        return;
    for (int i = 0; i < CR__CONDITION_SLOTS; i++)
        cr__condition_free(d->slot[i]);
    cr__compiled_end(d->work);
    cr__free(d->state);
    cr__free(d->mix);
    cr__free(d->x);
    cr__free(d->known);
    cr__free(d->held);
    cr__free(d);
}

cr_status cr__row_scorer_open(cr__row_scorer **out, const cr__network_model *g, cr_error *err)
{
    const size_t numbers = g->normals == NULL ? 0 : g->normals->count;
    const size_t mixers = g->normals == NULL ? 0 : g->normals->mixers;
    cr__row_scorer *d = cr__alloc_zero(1, sizeof *d);

    *out = NULL;
    if (d == NULL)
        return cr__fail_memory(err);
    d->g = g;
    d->state = cr__alloc(g->network->nodes, sizeof *d->state);
    d->mix = cr__alloc_zero(g->network->nodes, sizeof *d->mix);
    d->x = cr__alloc(numbers, sizeof *d->x);
    d->known = cr__alloc_zero(numbers, 1);
    d->held = cr__alloc(CR__CONDITION_SLOTS * mixers, sizeof *d->held);
    if (d->state == NULL || d->mix == NULL || d->x == NULL || d->known == NULL || d->held == NULL) {
        cr__row_scorer_close(d);
        return cr__fail_memory(err);
    }
    *out = d;
    return CR_OK;
}

void cr__row_scorer_read(cr__row_scorer *d, const cr__batch *batch, size_t row)
{
    const cr__network *net = d->g->network;

    d->knowns = 0;
    for (uint32_t i = 0; i < net->nodes; i++) {
        const cr__batch_column *column = &batch->column[i];

        d->state[i] = UINT32_MAX;
        if (net->gaussian[i]) {
            const uint32_t place = d->g->normals->place[i];
            const double x = i == d->g->target || column->kind != CR_REAL ? NAN : column->real[row];

            d->x[place] = isfinite(x) ? x : NAN;
            d->known[place] = isfinite(x);
            d->knowns += isfinite(x);
            d->state[i] = isfinite(x) ? 0 : UINT32_MAX;
        } else if (i != d->g->target && column->code[row] != CR__MISSING &&
                   column->code[row] <= net->states[i]) {
            d->state[i] = column->code[row] - 1;
        }
    }
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Where the condition for these states of the mixers is kept, and whether it is valid now: the
 * states are recorded for it. */
static size_t find_slot(cr__row_scorer *d, const uint32_t *mix, int *holds)
{
    const cr__normals *n = d->g->normals;
    uint64_t hash = 0;
    uint32_t *held;
    size_t slot;

    for (uint32_t k = 0; k < n->mixers; k++)
        hash = hash * n->net->states[n->mixer[k]] + mix[n->mixer[k]];
    slot = hash % CR__CONDITION_SLOTS;
    held = d->held + slot * n->mixers;
    *holds = d->holds[slot];
    for (uint32_t k = 0; k < n->mixers; k++) {
        *holds &= held[k] == mix[n->mixer[k]];
        held[k] = mix[n->mixer[k]];
    }
    return slot;
}

/* The log density of the known numbers given states of the mixers; *condition (may be NULL) becomes
 * the conditional distribution of the others. */
static cr_status density_of_numbers(cr__row_scorer *d, const uint32_t *mix, double *log_density,
                                    cr__condition **condition, cr_error *err)
{
    const cr__normals *n = d->g->normals;
    cr__condition *c;
    size_t slot;
    int holds;
    cr_status st = CR_OK;

    if (condition == NULL && d->knowns == n->count) {
        *log_density = cr__normals_log_density(n, mix, d->x);
        return CR_OK;
    }
    slot = find_slot(d, mix, &holds);
    if (d->slot[slot] == NULL && (st = cr__condition_new(&d->slot[slot], n, err)) != CR_OK)
        return st;
    c = d->slot[slot];
    if (!holds || memcmp(c->known, d->known, n->count) != 0) {
        d->holds[slot] = 0;
        if ((st = cr__condition_set(c, mix, d->known, err)) != CR_OK)
            return st;
        d->holds[slot] = 1;
    }
    *log_density = cr__condition_observe(c, d->x);
    if (condition != NULL)
        *condition = c;
    return CR_OK;
}

/* The unknown mixers, except the target, into `open`; *cells are their combinations. */
static uint32_t open_mixers(const cr__row_scorer *d, uint32_t *open, size_t *cells)
{
    const cr__normals *n = d->g->normals;
    uint32_t count = 0;

    *cells = 1;
    for (uint32_t k = 0; k < n->mixers; k++) {
        d->mix[n->mixer[k]] = d->state[n->mixer[k]];
        if (d->state[n->mixer[k]] != UINT32_MAX)
            continue;
        d->mix[n->mixer[k]] = 0;
        if (n->mixer[k] == d->g->target)
            continue;
        open[count++] = n->mixer[k];
        *cells = *cells > MIX_CELLS ? *cells : *cells * n->net->states[n->mixer[k]];
    }
    return count;
}

static cr_status fail_mixers(uint32_t count, cr_error *err)
{
    cr__fail(err, CR_ELIMIT,
             "%u variables that decide about numbers are not known, which makes "
             "more than %d combinations",
             count, (int)MIX_CELLS);
    return cr__fail_hint(err, CR_ELIMIT, "observe some of them");
}

/* P(open mixers, and last the target if there is one among the query, evidence) to be freed. */
static cr_status ask_mixers(const cr__row_scorer *d, const uint32_t *query, uint32_t count,
                            size_t cells, double **p, int64_t *exponent, cr_error *err)
{
    const cr__evidence evidence = {.state = d->state};

    if ((*p = cr__alloc(cells, sizeof **p)) == NULL)
        return cr__fail_memory(err);
    (*p)[0] = 1; /* without mixers: only ratios matter */
    *exponent = 0;
    if (count == 0)
        return CR_OK;
    return cr__ask_joint(d->g->network, &evidence, query, count, d->g->memory, NULL, *p, exponent,
                         err);
}

static double log_plus(double a, double b)
{
    const double top = fmax(a, b);

    return top == -INFINITY ? top : top + log(exp(a - top) + exp(b - top));
}

/* States of some nodes from the number of their combination, the last one's fastest. */
static void set_mix(const cr__row_scorer *d, const uint32_t *query, uint32_t count, size_t cell)
{
    for (uint32_t k = count; k-- > 0;) {
        d->mix[query[k]] = (uint32_t)(cell % d->g->network->states[query[k]]);
        cell /= d->g->network->states[query[k]];
    }
}

/* Sum over open mixers: P(class, mixers, discrete evidence) times the density of the numbers. */
static cr_status score_mixture(cr__row_scorer *d, uint32_t *query, uint32_t count, size_t cells,
                               size_t classes, double *score, cr_error *err)
{
    double *p = NULL, log_density;
    int64_t exponent = 0;
    cr_status st;

    if (cells > MIX_CELLS || cells > MIX_CELLS / classes)
        return fail_mixers(count, err);
    if (d->g->target != CR__NO_NODE)
        query[count++] = d->g->target;
    st = ask_mixers(d, query, count, cells * classes, &p, &exponent, err);
    for (size_t c = 0; c < classes; c++)
        score[c] = -INFINITY;
    for (size_t cell = 0; st == CR_OK && cell < cells * classes; cell++) {
        if (!(p[cell] > 0))
            continue;
        set_mix(d, query, count, cell);
        st = density_of_numbers(d, d->mix, &log_density, NULL, err);
        if (st == CR_OK)
            score[cell % classes] = log_plus(score[cell % classes],
                                             log(p[cell]) + (double)exponent * M_LN2 + log_density);
    }
    cr__free(p);
    return st;
}

/* Add the density of the numbers to scores of the discrete part, where all mixers except the target
 * are known. */
static cr_status add_density(cr__row_scorer *d, size_t classes, double *score, cr_error *err)
{
    const uint32_t target = d->g->target;
    double log_density = 0;
    cr_status st = CR_OK;

    for (size_t c = 0; st == CR_OK && c < classes; c++) {
        if (target != CR__NO_NODE)
            d->mix[target] = (uint32_t)c;
        st = density_of_numbers(d, d->mix, &log_density, NULL, err);
        score[c] += log_density;
    }
    return st;
}

cr_status cr__row_scorer_number(cr__row_scorer *d, uint32_t node, double *mean, double *deviation,
                                cr_error *err)
{
    const uint32_t place = d->g->normals->place[node];
    uint32_t *open = cr__alloc(d->g->normals->mixers, sizeof *open);
    size_t cells = 1;
    const uint32_t count = open == NULL ? 0 : open_mixers(d, open, &cells);
    cr__normal_part *part = NULL;
    double *p = NULL, *log_weight = NULL, top = -INFINITY, sum = 0;
    int64_t exponent;
    cr_status st = open == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK && cells > MIX_CELLS)
        st = fail_mixers(count, err);
    if (st == CR_OK)
        st = ask_mixers(d, open, count, cells, &p, &exponent, err);
    if (st == CR_OK && ((part = cr__alloc_zero(cells, sizeof *part)) == NULL ||
                        (log_weight = cr__alloc(cells, sizeof *log_weight)) == NULL))
        st = cr__fail_memory(err);
    for (size_t cell = 0; st == CR_OK && cell < cells; cell++) {
        cr__condition *c;
        double variance;

        log_weight[cell] = -INFINITY;
        if (!(p[cell] > 0))
            continue;
        set_mix(d, open, count, cell);
        if ((st = density_of_numbers(d, d->mix, &log_weight[cell], &c, err)) != CR_OK)
            continue;
        cr__condition_tell(c, place, d->x, &part[cell].mean, &variance);
        part[cell].deviation = sqrt(variance);
        log_weight[cell] += log(p[cell]);
        top = fmax(top, log_weight[cell]);
    }
    /* Numbers so extreme that their density underflows do not distinguish mixers. */
    for (size_t cell = 0; st == CR_OK && cell < cells; cell++)
        sum += part[cell].weight = top == -INFINITY ? p[cell] : exp(log_weight[cell] - top);
    if (st == CR_OK && sum == 0)
        st = cr__fail(err, CR_ECONFLICT,
                      "a row is impossible: the network gives its values "
                      "probability zero");
    for (size_t cell = 0; st == CR_OK && cell < cells; cell++)
        part[cell].weight /= sum;
    if (st == CR_OK)
        cr__mixture_moments(part, cells, mean, deviation);
    if (st == CR_OK && !(isfinite(*mean) && isfinite(*deviation)))
        st = cr__fail(err, CR_ECONFLICT, "the numbers of this row are too large to calculate with");
    cr__free(open);
    cr__free(p);
    cr__free(part);
    cr__free(log_weight);
    return st;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Whether the row has all discrete nodes except the target. */
static int is_whole(const cr__row_scorer *d)
{
    for (uint32_t i = 0; i < d->g->network->nodes; i++)
        if (!d->g->network->gaussian[i] && i != d->g->target && d->state[i] == UINT32_MAX)
            return 0;
    return 1;
}

/* All but the target is known: only the tables that contain it depend on the class. */
static void score_whole(const cr__row_scorer *d, double *score)
{
    const cr__network *net = d->g->network;
    const uint32_t t = d->g->target;
    double rest = 0;

    for (uint32_t i = 0; i < net->nodes; i++) {
        int about = i == t || net->gaussian[i];

        for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++)
            about |= net->parent[k] == t;
        if (!about)
            rest += log(net->table[cr__row_at(net, i, d->state) + d->state[i]]);
    }
    for (uint32_t c = 0; c < (t == CR__NO_NODE ? 1 : net->states[t]); c++) {
        score[c] = rest;
        if (t == CR__NO_NODE)
            break;
        d->state[t] = c;
        score[c] += log(net->table[cr__row_at(net, t, d->state) + c]);
        for (size_t k = net->child_at[t]; k < net->child_at[t + 1]; k++) {
            const uint32_t child = net->child[k];

            if (!net->gaussian[child])
                score[c] += log(net->table[cr__row_at(net, child, d->state) + d->state[child]]);
        }
        d->state[t] = UINT32_MAX;
    }
}

static cr_status prepare(cr__row_scorer *d, cr_error *err)
{
    const cr__compiled *plan;
    cr_status st = d->planned ? CR_OK : cr__network_model_plan(d->g, &plan, err);

    if (d->planned || st != CR_OK)
        return st;
    if (plan != NULL && (d->work = cr__compiled_begin(plan)) == NULL)
        return cr__fail_memory(err);
    d->planned = 1;
    return CR_OK;
}

/* By inference; all classes -infinity when the row is impossible. */
static cr_status score_part(cr__row_scorer *d, size_t classes, double *score, cr_error *err)
{
    const cr__evidence evidence = {.state = d->state};
    int64_t exponent;
    cr_status st = prepare(d, err);

    if (st != CR_OK)
        return st;
    if (d->work != NULL) {
        cr__compiled_score(d->work, d->state, score);
        return CR_OK;
    }
    st = cr__ask_joint(d->g->network, &evidence, &d->g->target, d->g->target != CR__NO_NODE,
                       d->g->memory, NULL, score, &exponent, err);
    for (size_t c = 0; st == CR_OK && c < classes; c++)
        score[c] = cr__scaled_log(cr__scaled_of(score[c], exponent));
    return st;
}

cr_status cr__row_scorer_score(cr__row_scorer *d, size_t classes, double *score, cr_error *err)
{
    uint32_t *open = NULL, count = 0;
    size_t cells = 1;
    cr_status st = CR_OK;

    if (d->knowns > 0) {
        open = cr__alloc(d->g->normals->mixers + (size_t)1, sizeof *open);
        if (open == NULL)
            return cr__fail_memory(err);
        count = open_mixers(d, open, &cells);
    }
    if (count > 0) {
        st = score_mixture(d, open, count, cells, classes, score, err);
    } else {
        if (is_whole(d))
            score_whole(d, score);
        else
            st = score_part(d, classes, score, err);
        if (st == CR_OK && d->knowns > 0)
            st = add_density(d, classes, score, err);
    }
    cr__free(open);
    return st;
}
