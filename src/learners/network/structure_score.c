/* learners/network/structure_score.c - how well given arcs account for the rows of a model. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/structure.h"
#include "learners/network/learn.h"
#include "learners/network/network_model.h"
#include "network/learn/score.h"

enum { SCORED_CELLS_MAX = 1 << 24 };

/* --- scores ----------------------------------------------------------------------------------- */

static cr_status keeps_rows(const cr_model *model, const cr__stats **stats, cr_error *err)
{
    cr_status st;

    if (!cr__is_learned_network(model)) {
        cr__fail(err, CR_EARG, "a model of '%s' has no rows to score a structure on",
                 model->learner->name);
        return cr__fail_hint(err, CR_EARG, CR__SET("learner network") " keeps them");
    }
    if ((st = cr__model_stats(model, stats, err)) == CR_OK && (*stats)->cross != NULL)
        st = cr__fail(err, CR_EARG, "rows with numbers are not kept, so none can be scored");
    return st;
}

/* The numbers of a node's parents among the variables of the cases. */
static cr_status parents_of(const cr__network *net, uint32_t node, const char *const *name,
                            uint32_t variables, uint32_t *parent, size_t *count, cr_error *err)
{
    *count = net->parent_at[node + 1] - net->parent_at[node];
    for (size_t k = 0; k < *count; k++) {
        const char *wanted = net->name[net->parent[net->parent_at[node] + k]];
        uint32_t at = 0;

        while (at < variables && strcmp(name[at], wanted) != 0)
            at++;
        if (at == variables)
            return cr__fail(err, CR_EARG, "the rows have no variable '%s'", wanted);
        parent[k] = at;
    }
    return CR_OK;
}

/* Count one family and add its score. */
static cr_status add_family(cr__counter *counter, uint32_t child, const uint32_t *parent,
                            size_t parents, double size, cr_structure_scores *out, cr_error *err)
{
    const cr__cases *cases = counter->cases;
    const size_t states = cases->states[child],
                 cells = cr__cases_cells(cases, parent, parents, SCORED_CELLS_MAX / states);
    const cr__score kinds[] = {{CR__SCORE_LOGLIK, 0},
                               {CR__SCORE_AIC, 0},
                               {CR__SCORE_BIC, 0},
                               {CR__SCORE_BDEU, size},
                               {CR__SCORE_K2, 0}};
    double *const sum[] = {&out->loglik, &out->aic, &out->bic, &out->bdeu, &out->k2};

    if (cells == SIZE_MAX)
        return cr__fail(err, CR_ELIMIT, "a table of %zu parents has more than %d cells", parents,
                        (int)SCORED_CELLS_MAX);
    if (cr__counter_lay(counter, cells, &child, 1) == 0 ||
        cr__count_extended(counter, parent, parents, &child, 1, counter->table) != CR_OK)
        return cr__fail_memory(err);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        *sum[i] += cr__score_table(&kinds[i], cases->total, counter->table[0], cells, states, 1);
    out->parameters += (double)cells * (double)(states - (states > 0));
    return CR_OK;
}

static cr_status score_all(const cr__cases *cases, const char *const *name, const cr__network *net,
                           double size, cr_structure_scores *out, cr_error *err)
{
    uint32_t parent[CR__PARENTS_MAX];
    cr__counter counter = {0};
    size_t parents = 0;
    cr_status st = cr__counter_new(&counter, cases, err);

    for (uint32_t i = 0; st == CR_OK && i < cases->variables; i++) {
        const uint32_t node = cr__network_find(net, name[i], strlen(name[i]));

        if (node == CR__NO_NODE)
            st = cr__fail(err, CR_EARG, "the network has no variable '%s'", name[i]);
        else
            st = parents_of(net, node, name, cases->variables, parent, &parents, err);
        if (st == CR_OK)
            st = add_family(&counter, i, parent, parents, size, out, err);
    }
    cr__counter_free(&counter);
    return st;
}

cr_status cr_structure_score(const cr_model *model, const cr_model *network, double size,
                             cr_structure_scores *out, cr_error *err)
{
    const cr__network_model *g = cr__network_model_of(network == NULL ? model : network);
    const cr__stats *stats = NULL;
    const char **name = NULL;
    cr__cases *cases = NULL;
    cr_status st = keeps_rows(model, &stats, err);

    *out = (cr_structure_scores){0};
    if (st == CR_OK && g == NULL)
        st = cr__fail(err, CR_EARG, "a model of '%s' is not a Bayesian network",
                      network->learner->name);
    if (st == CR_OK && !(size > 0 && isfinite(size)))
        st = cr__fail(err, CR_EARG, "the prior of bdeu is worth %g rows; it must be above 0", size);
    if (st == CR_OK)
        st = cr__cases_of_stats(&cases, stats, &name, err);
    if (st == CR_OK)
        st = score_all(cases, name, g->network, size, out, err);
    if (st == CR_OK)
        out->rows = cases->total;
    cr__free(name);
    cr__cases_free(cases);
    return st;
}
