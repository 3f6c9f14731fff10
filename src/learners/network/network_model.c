/* learners/network/network_model.c - a network as a model: its knobs, its life cycle, getters. */
#include "learners/network/network_model.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "credence/spec.h"
#include "learners/registry.h"
#include "source/missing.h"

static const cr__knob_spec knobs_of_network[] = {CR__NETWORK_KNOBS};

enum {
    KNOBS = sizeof knobs_of_network / sizeof *knobs_of_network,
    PLAN_MOST = 1 << 26 /* bytes of a plan for rows */
};

static void free_likelihoods(double **likelihood, uint32_t nodes)
{
    for (uint32_t i = 0; likelihood != NULL && i < nodes; i++)
        cr__free(likelihood[i]);
    cr__free(likelihood);
}

void cr__network_model_free(void *fitted)
{
    cr__network_model *g = fitted;

    if (g == NULL)
        return;
    free_likelihoods(g->likelihood, g->network->nodes);
    cr__free(g->table);
    cr__compiled_free(g->compiled);
    cr__normals_free(g->normals);
    pthread_mutex_destroy(&g->lock);
    cr__network_free(g->network);
    cr__free(g);
}

cr_status cr__network_model_new(cr__network_model **out, cr__network *net, uint32_t target,
                                cr_error *err)
{
    cr__network_model *g = cr__alloc_zero(1, sizeof *g);

    *out = NULL;
    if (g == NULL || (g->likelihood = cr__alloc_zero(net->nodes, sizeof *g->likelihood)) == NULL ||
        cr__normals_new(&g->normals, net, NULL) != CR_OK) {
        cr__free(g == NULL ? NULL : g->likelihood);
        cr__free(g);
        cr__network_free(net);
        return cr__fail_memory(err);
    }
    g->network = net;
    g->target = target;
    g->samples = 100000;
    g->memory = cr__run_memory(NULL);
    g->cached = CR__NO_NODE;
    pthread_mutex_init(&g->lock, NULL);
    *out = g;
    return CR_OK;
}

/* The parts of a network that was not learned. */
static const cr__has_joint has_joint = {.measure = cr__network_model_measure,
                                        .is_number = cr__network_model_is_number};

const cr__network_model *cr__network_model_of(const cr_model *model)
{
    if (cr__is_learned_network(model))
        return cr__learned_network(model->share->fitted);
    return model->learner->has_joint == &has_joint ? model->share->fitted : NULL;
}

cr_status cr__network_model_plan(const cr__network_model *model, const cr__compiled **out,
                                 cr_error *err)
{
    cr__network_model *g = (cr__network_model *)model; /* filling the cache is not a change */
    const int number = g->target != CR__NO_NODE && g->network->gaussian[g->target];
    cr_status st = CR_OK;

    pthread_mutex_lock(&g->lock);
    if (!g->planned)
        st = cr__compiled_new(&g->compiled, g->network, number ? CR__NO_NODE : g->target, PLAN_MOST,
                              err);
    g->planned = st == CR_OK;
    *out = g->compiled;
    pthread_mutex_unlock(&g->lock);
    if (*out != NULL && g->memory != 0 && cr__compiled_bytes(*out) > g->memory)
        *out = NULL;
    return st;
}

/* --- knobs ------------------------------------------------------------------------------------ */

/* VALUE:NUMBER,VALUE:NUMBER of one variable; values that are not named have likelihood 0. */
static cr_status read_likelihoods(const cr__network *net, uint32_t node, const char *list,
                                  double *likelihood, cr_error *err)
{
    char buffer[1024];
    const char *name;
    double number, sum = 0;
    cr_status st;

    for (size_t i = 0;
         (st = cr__list_item(list, i, buffer, sizeof buffer, &name, &number)) == CR_OK; i++) {
        const uint32_t state = name == NULL ? UINT32_MAX : cr__network_state(net, node, name);

        if (state == UINT32_MAX)
            return cr__fail(err, CR_EARG, "soft evidence: '%s' has no value '%s'", net->name[node],
                            name == NULL ? "" : name);
        if (!(number >= 0 && number <= 1e300))
            return cr__fail(err, CR_EARG,
                            "soft evidence: the likelihood of '%s' is %g; it must "
                            "not be negative",
                            name, number);
        sum += likelihood[state] = number;
    }
    if (st != CR_END)
        return cr__fail(err, CR_EARG, "soft evidence is '%s'; it should be VALUE:LIKELIHOOD,...",
                        list);
    return sum > 0 ? CR_OK
                   : cr__fail(err, CR_ECONFLICT,
                              "soft evidence makes every value of '%s' "
                              "impossible",
                              net->name[node]);
}

/* One VARIABLE=LIST; several that name the same variable are multiplied. */
static cr_status read_soft_one(const cr__network *net, const char *name, size_t length,
                               const char *list, double **likelihood, cr_error *err)
{
    const uint32_t node = cr__network_find(net, name, length);
    cr_nearest near;
    char shown[100];
    double *one;
    cr_status st;

    if (node == CR__NO_NODE) {
        near = (cr_nearest){.wanted = cr__printable(shown, sizeof shown, name, length)};
        for (uint32_t i = 0; i < net->nodes; i++)
            cr_nearest_offer(&near, net->name[i]);
        cr__fail(err, CR_EARG, "soft evidence names '%s', which is not a variable", shown);
        return near.best == NULL ? CR_EARG
                                 : cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
    }
    if ((one = cr__alloc_zero(net->states[node], sizeof *one)) == NULL)
        return cr__fail_memory(err);
    st = read_likelihoods(net, node, list, one, err);
    for (uint32_t k = 0; st == CR_OK && likelihood[node] != NULL && k < net->states[node]; k++)
        one[k] *= likelihood[node][k];
    if (st != CR_OK) {
        cr__free(one);
        return st;
    }
    cr__free(likelihood[node]);
    likelihood[node] = one;
    return CR_OK;
}

static cr_status read_soft(const cr__network *net, const char *text, double **likelihood,
                           cr_error *err)
{
    cr_status st = CR_OK;

    while (st == CR_OK && *text != '\0' && strcmp(text, "none") != 0) {
        const size_t length = strcspn(text, ";"), name = strcspn(text, "=");
        char *one;

        if (name >= length)
            return cr__fail(err, CR_EARG,
                            "soft evidence is '%s'; it should be "
                            "VARIABLE=VALUE:LIKELIHOOD,...",
                            text);
        if ((one = cr__strndup(text + name + 1, length - name - 1)) == NULL)
            return cr__fail_memory(err);
        st = read_soft_one(net, text, name, one, likelihood, err);
        cr__free(one);
        text += length + (text[length] == ';');
    }
    return st;
}

cr_status cr__network_model_refit(void *fitted, const cr__knobs *knobs, cr_error *err)
{
    static const char *const methods[] = {"exact", "weighting", "gibbs", "loopy"};
    cr__network_model *g = fitted;
    const double samples = cr__knobs_number(knobs, "samples"),
                 memory = cr__knobs_number(knobs, "memory"), seed = cr__knobs_number(knobs, "seed");
    double **likelihood;
    cr_status st;

    if (seed != floor(seed) || seed >= 0x1p53 || samples != floor(samples) || samples >= 0x1p53)
        return cr__fail(err, CR_EARG, "samples and seed must be whole numbers below 2^53");
    if ((likelihood = cr__alloc_zero(g->network->nodes, sizeof *likelihood)) == NULL)
        return cr__fail_memory(err);
    if ((st = read_soft(g->network, cr__knobs_text(knobs, "soft"), likelihood, err)) != CR_OK) {
        free_likelihoods(likelihood, g->network->nodes);
        return st;
    }
    free_likelihoods(g->likelihood, g->network->nodes);
    g->likelihood = likelihood;
    for (int m = 0; m < 4; m++)
        if (cr__knobs_is(knobs, "method", methods[m]))
            g->method = (cr__method)m;
    g->samples = (uint64_t)samples;
    g->seed = (uint64_t)seed;
    g->memory = isnan(memory) ? cr__run_memory(NULL) : memory < 0x1p62 ? (uint64_t)memory : 0;
    g->cached = CR__NO_NODE;
    return CR_OK;
}

/* --- models ----------------------------------------------------------------------------------- */

static cr_status add_columns(cr_model *model, const cr__network *net, uint32_t target,
                             cr_error *err)
{
    cr_status st = cr__schema_new(&model->schema, err);

    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        st = cr__schema_add(model->schema, net->name[i], strlen(net->name[i]),
                            net->gaussian[i] ? CR_REAL : CR_SYMBOL,
                            i == target ? CR_ROLE_TARGET : CR_ROLE_FEATURE, CR_WHY_DECLARED, err);
    if (st != CR_OK)
        return st;
    model->schema->target = target == CR__NO_NODE ? SIZE_MAX : target;
    model->dict = cr__alloc_zero(net->nodes, sizeof *model->dict);
    model->values = cr__alloc_zero(net->nodes, sizeof *model->values);
    model->dict_views = 1; /* owned: freed with the model */
    if (model->dict == NULL || model->values == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        if (net->gaussian[i] && i != target) /* a number has no words; as the target, one class */
            continue;
        st = cr__dict_new(&model->dict[i], 1, err);
        for (uint32_t k = 0; st == CR_OK && k < net->states[i]; k++) {
            const char *label = net->label[net->label_at[i] + k];
            uint32_t code;

            st = cr__dict_intern(model->dict[i], label, strlen(label), &code);
        }
        model->values[i] = net->states[i];
    }
    return st;
}

static cr_status find_target(const cr__network *net, const char *name, uint32_t *target,
                             cr_error *err)
{
    cr_nearest near;

    *target = CR__NO_NODE;
    if (name == NULL)
        return CR_OK;
    if ((*target = cr__network_find(net, name, strlen(name))) != CR__NO_NODE)
        return CR_OK;
    near = (cr_nearest){.wanted = name};
    for (uint32_t i = 0; i < net->nodes; i++)
        cr_nearest_offer(&near, net->name[i]);
    cr__fail(err, CR_EARG, "the network has no variable '%s'", name);
    return near.best == NULL ? CR_EARG
                             : cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
}

static cr_status fill(cr_model *model, cr__network *net, uint32_t target, cr_error *err)
{
    cr__network_model *g;
    cr__draft draft = {0};
    cr_status st = cr__network_model_new(&g, net, target, err);

    if (st != CR_OK)
        return st;
    model->share->fitted = g;
    model->recipe = cr__recipe_usual();
    strcpy(model->version, CREDENCE_VERSION);
    if ((model->missing = cr__strndup(CR__MISSING_DEFAULT, strlen(CR__MISSING_DEFAULT))) == NULL)
        return cr__fail_memory(err);
    if ((st = cr__knobs_new(&model->knobs, knobs_of_network, KNOBS, err)) != CR_OK ||
        (st = cr__recipe_check(&model->recipe, err)) != CR_OK ||
        (st = add_columns(model, net, target, err)) != CR_OK)
        return st;
    model->classes = target == CR__NO_NODE ? 1 : net->states[target];
    cr__network_model_save(g, &draft);
    st = cr__draft_fingerprint(&draft, model->fingerprint, err);
    cr__draft_free(&draft);
    return st;
}

cr_status cr__network_model_model(cr_model **out, cr__network *net, const char *target,
                                  cr_error *err)
{
    cr_model *model = NULL;
    uint32_t node;
    cr_status st = find_target(net, target, &node, err);

    *out = NULL;
    if (st == CR_OK && (model = cr__model_alloc()) == NULL)
        st = cr__fail_memory(err);
    if (st != CR_OK) {
        cr__network_free(net);
        return st;
    }
    model->learner =
        node != CR__NO_NODE && net->gaussian[node] ? &cr__network_given_number : &cr__network_given;
    if ((st = fill(model, net, node, err)) != CR_OK) {
        cr_model_free(model);
        return st;
    }
    *out = model;
    return CR_OK;
}

/* --- getters ---------------------------------------------------------------------------------- */

double cr__network_model_parameters(const void *fitted, const cr__stats *stats,
                                    const cr__knobs *knobs)
{
    (void)stats;
    (void)knobs;
    return cr__network_parameters(((const cr__network_model *)fitted)->network);
}

/* Fill the cache with P(value of the column, class). 0 when it cannot be computed. The caller holds
 * the lock. */
static int fill_cache(cr__network_model *g, uint32_t column)
{
    const cr__network *net = g->network;
    const uint32_t query[2] = {column, g->target};
    const int alone = g->target == CR__NO_NODE || column == g->target;
    const size_t cells =
        alone ? net->states[column] : (size_t)net->states[column] * net->states[g->target];
    uint32_t *state;
    double sum = 0, *table;
    int64_t exponent;

    if (g->cached == column)
        return 1;
    state = cr__alloc(net->nodes, sizeof *state);
    table = cr__alloc(cells, sizeof *table);
    for (uint32_t i = 0; state != NULL && i < net->nodes; i++)
        state[i] = UINT32_MAX;
    g->cached = CR__NO_NODE;
    if (state != NULL && table != NULL &&
        cr__ask_joint(net, &(cr__evidence){.state = state}, query, alone ? 1 : 2, g->memory, NULL,
                      table, &exponent, NULL) == CR_OK) {
        for (size_t k = 0; k < cells; k++)
            sum += table[k];
        for (size_t k = 0; k < cells; k++)
            table[k] /= sum;
        cr__free(g->table);
        g->table = table;
        g->cached = column;
        table = NULL;
    }
    cr__free(table);
    cr__free(state);
    return g->cached == column;
}

double cr__network_model_prior(const void *fitted, size_t c)
{
    cr__network_model *g = (cr__network_model *)fitted; /* filling the cache is not a change */
    double p = NAN;

    if (g->target == CR__NO_NODE)
        return 1;
    pthread_mutex_lock(&g->lock);
    if (fill_cache(g, g->target))
        p = g->table[c];
    pthread_mutex_unlock(&g->lock);
    return p;
}

double cr__network_model_probability(const void *fitted, size_t column, size_t value, size_t c)
{
    cr__network_model *g = (cr__network_model *)fitted;
    double p = NAN, sum = 0;

    pthread_mutex_lock(&g->lock);
    if (fill_cache(g, (uint32_t)column)) {
        const size_t classes = g->target == CR__NO_NODE ? 1 : g->network->states[g->target];

        for (uint32_t k = 0; k < g->network->states[column]; k++)
            sum += g->table[k * classes + c];
        p = sum > 0 ? g->table[value * classes + c] / sum : 0;
    }
    pthread_mutex_unlock(&g->lock);
    return p;
}

/* I(column; class) = sum p(v, c) log2 (p(v, c) / p(v) p(c)). */
static double mutual_information(const double *joint, size_t values, size_t classes)
{
    double bits = 0;

    for (size_t v = 0; v < values; v++)
        for (size_t c = 0; c < classes; c++) {
            double of_value = 0, of_class = 0;

            if (!(joint[v * classes + c] > 0))
                continue;
            for (size_t k = 0; k < classes; k++)
                of_value += joint[v * classes + k];
            for (size_t k = 0; k < values; k++)
                of_class += joint[k * classes + c];
            bits += joint[v * classes + c] * log2(joint[v * classes + c] / of_value / of_class);
        }
    return fmax(bits, 0);
}

int cr__network_model_is_number(const void *fitted, size_t column)
{
    return ((const cr__network_model *)fitted)->network->gaussian[column];
}

double cr__network_model_information(const void *fitted, size_t column)
{
    cr__network_model *g = (cr__network_model *)fitted;
    double bits = NAN;

    if (g->target == CR__NO_NODE || column == g->target || g->network->gaussian[column])
        return NAN;
    pthread_mutex_lock(&g->lock);
    if (fill_cache(g, (uint32_t)column))
        bits =
            mutual_information(g->table, g->network->states[column], g->network->states[g->target]);
    pthread_mutex_unlock(&g->lock);
    return bits;
}

static const cr__scores scores = {.open = cr__network_model_begin,
                                  .close = cr__network_model_end,
                                  .score = cr__network_model_score};
static const cr__regresses regresses = {.open = cr__network_model_begin,
                                        .close = cr__network_model_end,
                                        .regress = cr__network_model_regress};
static const cr__explains explains = {.factors = cr__network_model_factors, .work = 1};
static const cr__has_values has_values = {.probability = cr__network_model_probability};
static const cr__has_normals has_normals = {.gaussian = cr__network_model_gaussian};

/* Common entries of both tables; the target is a discrete node, or none, or a number. */
#define GIVEN_NETWORK                                                                              \
    .knobs = knobs_of_network, .knob_count = KNOBS, .refit = cr__network_model_refit,              \
    .settle = cr__network_model_refit, .free = cr__network_model_free,                             \
    .save = cr__network_model_save, .sections = "NETW NETP NETT NETG",                             \
    .open = cr__network_model_open, .absent = 1, .prior = cr__network_model_prior,                 \
    .parameters = cr__network_model_parameters, .information = cr__network_model_information,      \
    .has_values = &has_values, .has_normals = &has_normals, .has_joint = &has_joint

const cr__learner cr__network_given = {
    .name = "network-given",
    .summary = "a Bayesian network as a file gives it (made by convert)",
    .target = CR__TARGET_NONE,
    .scores = &scores,
    .explains = &explains,
    GIVEN_NETWORK,
};

const cr__learner cr__network_given_number = {
    .name = "network-given-number",
    .summary = "a Bayesian network as a file gives it, its target a number (made by convert)",
    .target = CR__TARGET_REAL,
    .regresses = &regresses,
    GIVEN_NETWORK,
};
