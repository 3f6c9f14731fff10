/* learners/naive_bayes/network.c - naive Bayes of counted features as a Bayesian network: a star.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/naive_bayes/naive_bayes.h"
#include "learners/pairs/network.h"

/* Every class has a distribution over the values of a column, except with two rules of smoothing,
 * or with a share reserved for unseen values. */
static cr_status check_column(const cr__nb *nb, const cr_schema *schema, size_t column,
                              cr_error *err)
{
    const cr__nb_column *of = &nb->column[column];
    const size_t K = nb->classes;

    if (of->kind != CR_SYMBOL && !of->cut) {
        cr__fail(err, CR_ECONFLICT, "'%s' has a density, not a table of values",
                 schema->column[column].name);
        return cr__fail_hint(err, CR_ECONFLICT,
                             "real=bins:mdl cuts numbers into intervals; " CR__SET(
                                 "type COLUMN=ignore") " leaves a column out");
    }
    for (size_t c = 0; c < K && of->values > 0; c++) {
        double sum = 0;

        for (size_t v = 0; v < of->values; v++)
            sum += exp(of->log_p[(v + 1) * K + c]);
        if (fabs(sum - 1) < 1e-9)
            continue;
        cr__fail(err, CR_ECONFLICT, "the probabilities of '%s' sum to %.6g in a class, not to 1",
                 schema->column[column].name, sum);
        return cr__fail_hint(err, CR_ECONFLICT, "refit with smoothing=laplace and unseen=skip");
    }
    return CR_OK;
}

static cr_status add_columns(cr__class_net *net, const cr__nb *nb, const cr_schema *schema,
                             cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < nb->columns; i++)
        if (cr__stats_is_feature(schema, i) && (st = check_column(nb, schema, i, err)) == CR_OK)
            st = cr__class_net_add(net, i, NULL, 0, nb->column[i].log_p + nb->classes,
                                   nb->column[i].values * nb->classes, err);
    return st;
}

cr_status cr__nb_network(cr__network **out, const void *fitted, const cr_schema *schema,
                         cr__dict *const *dict, cr_error *err)
{
    const cr__nb *nb = fitted;
    const cr__dict **names = cr__alloc_zero(nb->columns, sizeof *names);
    cr__class_net net = {0};
    cr_status st = names == NULL ? cr__fail_memory(err) : CR_OK, ended;

    for (size_t i = 0; st == CR_OK && i < nb->columns; i++)
        names[i] = nb->bins != NULL && nb->bins[i].counted.dict != NULL ? nb->bins[i].counted.dict
                                                                        : dict[i];
    if (st == CR_OK)
        st = cr__class_net_begin(&net, schema, names, NULL, nb->log_prior, nb->classes, err);
    if (st == CR_OK)
        st = add_columns(&net, nb, schema, err);
    ended = cr__class_net_end(&net, st == CR_OK ? out : NULL, err);
    cr__free(names);
    return st == CR_OK ? ended : st;
}
