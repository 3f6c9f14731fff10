/* learners/gda/network.c - Gaussian discriminants as a Bayesian network, and queried as one.
 *
 * The class is the parent of all. With Σ_c = L L' and M = L⁻¹, each number is normal given the
 * class and the numbers before it:
 *
 *     x_i = μ_i - Σ_{j<i} M_ij L_ii (x_j - μ_j) + N(0, L_ii²)
 *
 * which is their joint density, factor by factor. Symbols depend on the class alone.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/gda/gda.h"
#include "learners/network/learn.h"
#include "learners/network/network_model.h"
#include "learners/pairs/network.h"

#define CONSTANT_DEVIATION 1e-9 /* of a feature that does not vary, in units of its value */

typedef struct maker {
    const cr__gda *gda;
    const cr_schema *schema;
    cr__dict *const *dict; /* NULL: states are numbered */
    cr__builder *builder;
    uint32_t *node_of; /* [columns] */
    double *inverse;   /* [n * n] of the factor of one class */
} maker;

static int takes_part(const cr_schema *schema, size_t column)
{
    return column == schema->target || cr__stats_is_feature(schema, column);
}

static cr_status check(const cr__gda *gda, const cr_schema *schema, cr_error *err)
{
    for (size_t c = 0; c < gda->density.classes; c++)
        if (gda->density.n > 0 && gda->density.freedom[c] != 0)
            return cr__fail(err, CR_ECONFLICT,
                            "estimate=predictive makes Student's t of the classes, which is not "
                            "normal given some of the numbers");
    if (gda->density.n + 1 > CR__PARENTS_MAX)
        return cr__fail(err, CR_ELIMIT,
                        "%zu numbers depend on each other, and at most %d can be "
                        "asked about",
                        gda->density.n, CR__PARENTS_MAX - 1);
    for (size_t i = 0; i < schema->columns; i++)
        if (takes_part(schema, i) && schema->column[i].kind == CR_BAG)
            return cr__fail(err, CR_ECONFLICT,
                            "'%s' is a text, which cannot be a variable of a network",
                            schema->column[i].name);
    return CR_OK;
}

static size_t values_of(const maker *m, size_t column)
{
    return column == m->schema->target ? m->gda->density.classes
                                       : m->gda->marginal->column[column].values;
}

static cr_status add_node(maker *m, size_t column, cr_error *err)
{
    const char *name = m->schema->column[column].name;
    const int number = m->schema->column[column].kind == CR_REAL && column != m->schema->target;
    char label[24];
    cr_status st;

    if (m->dict != NULL && !number) {
        st = cr__builder_add_column(m->builder, name, m->dict[column], err);
        m->node_of[column] = (uint32_t)m->builder->nodes - 1;
        return st;
    }
    if ((st = cr__builder_add(m->builder, name, strlen(name), &m->node_of[column], err)) != CR_OK)
        return st;
    if (number)
        return cr__builder_make_gaussian(m->builder, m->node_of[column], err);
    for (size_t v = 0; st == CR_OK && v < (values_of(m, column) > 0 ? values_of(m, column) : 1);
         v++) {
        snprintf(label, sizeof label, "%zu", v);
        st = cr__builder_add_state(m->builder, m->node_of[column], label, strlen(label), err);
    }
    return st;
}

/* P(class), and P(symbol | class). */
static cr_status fill_class(maker *m, cr_error *err)
{
    double *table;
    const uint32_t node = m->node_of[m->schema->target];
    cr_status st = cr__builder_set_parents(m->builder, node, NULL, 0, err);

    if (st == CR_OK && (st = cr__builder_table(m->builder, node, &table, err)) == CR_OK)
        for (size_t c = 0; c < m->gda->density.classes; c++)
            table[c] = exp(m->gda->marginal->log_prior[c]);
    return st;
}

static cr_status fill_symbol(maker *m, size_t column, cr_error *err)
{
    const size_t K = m->gda->density.classes, values = values_of(m, column);
    const double *log_p = m->gda->marginal->column[column].log_p;
    const uint32_t parent = m->node_of[m->schema->target];
    double *table;
    cr_status st = cr__builder_set_parents(m->builder, m->node_of[column], &parent, 1, err);

    if (st == CR_OK)
        st = cr__builder_table(m->builder, m->node_of[column], &table, err);
    for (size_t c = 0; st == CR_OK && c < K; c++)
        for (size_t v = 0; v < (values > 0 ? values : 1); v++)
            table[c * (values > 0 ? values : 1) + v] = values > 0 ? exp(log_p[(v + 1) * K + c]) : 1;
    return st;
}

/* M = L⁻¹, lower, by forward substitution. */
static void invert(const cr__gda_density *d, size_t c, double *inverse)
{
    const size_t n = d->n, f = d->factors == 1 ? 0 : c;

    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t i = 0; i < n; i++) {
        const double *row = d->diagonal ? NULL : d->factor + (f * n + i) * n;
        const double own = d->diagonal ? d->factor[f * n + i] : row[i];

        inverse[i * n + i] = 1 / own;
        for (size_t j = 0; j < i && row != NULL; j++) {
            double sum = 0;

            for (size_t k = j; k < i; k++)
                sum += row[k] * inverse[k * n + j];
            inverse[i * n + j] = -sum / own;
        }
    }
}

/* Intercept, slopes and deviation of feature i in a class. */
static void fill_normal(const maker *m, size_t i, size_t c, double *weight)
{
    const cr__gda_density *d = &m->gda->density;
    const size_t n = d->n;
    const double own = 1 / m->inverse[i * n + i];
    double intercept = d->mean[c * n + i];

    for (size_t j = 0; j < i; j++) {
        const double slope = -m->inverse[i * n + j] * own;

        weight[1 + j] = slope;
        intercept -= slope * d->mean[c * n + j];
    }
    weight[0] = intercept;
    weight[1 + i] = own;
}

static cr_status fill_numbers(maker *m, cr_error *err)
{
    const cr__gda_density *d = &m->gda->density;
    uint32_t parent[CR__PARENTS_MAX];
    cr_status st = CR_OK;

    parent[0] = m->node_of[m->schema->target];
    for (size_t i = 0; st == CR_OK && i < d->n; i++) {
        st = cr__builder_set_parents(m->builder, m->node_of[m->gda->column[i]], parent, 1 + i, err);
        parent[1 + i] = m->node_of[m->gda->column[i]];
    }
    for (size_t c = 0; st == CR_OK && c < d->classes; c++) {
        invert(d, c, m->inverse);
        for (size_t i = 0; st == CR_OK && i < d->n; i++) {
            double *weight;

            st = cr__builder_weights(m->builder, m->node_of[m->gda->column[i]], &weight, err);
            if (st == CR_OK)
                fill_normal(m, i, c, weight + c * (i + 2));
        }
    }
    return st;
}

/* A number that does not vary is constant. */
static cr_status fill_constant(maker *m, size_t column, cr_error *err)
{
    const double x = m->gda->marginal->column[column].real.mean[0];
    double *weight;
    cr_status st = cr__builder_set_parents(m->builder, m->node_of[column], NULL, 0, err);

    if (st == CR_OK)
        st = cr__builder_weights(m->builder, m->node_of[column], &weight, err);
    if (st == CR_OK) {
        weight[0] = isfinite(x) ? x : 0;
        weight[1] = CONSTANT_DEVIATION * fmax(1, fabs(weight[0]));
    }
    return st;
}

static cr_status fill(maker *m, cr_error *err)
{
    const cr_schema *schema = m->schema;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (takes_part(schema, i))
            st = add_node(m, i, err);
    if (st == CR_OK)
        st = fill_class(m, err);
    if (st == CR_OK)
        st = fill_numbers(m, err);
    for (size_t i = 0, k = 0; st == CR_OK && i < schema->columns; i++) {
        const int varies = k < m->gda->density.n && m->gda->column[k] == i;

        k += (size_t)varies;
        if (!takes_part(schema, i) || i == schema->target || varies)
            continue;
        st = schema->column[i].kind == CR_REAL ? fill_constant(m, i, err) : fill_symbol(m, i, err);
    }
    return st;
}

cr_status cr__gda_network(cr__network **out, const void *fitted, const cr_schema *schema,
                          cr__dict *const *dict, cr_error *err)
{
    const cr__gda *gda = fitted;
    maker m = {.gda = gda, .schema = schema, .dict = dict};
    cr_status st = check(gda, schema, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    m.node_of = cr__alloc(schema->columns, sizeof *m.node_of);
    m.inverse = cr__alloc(gda->density.n * gda->density.n, sizeof *m.inverse);
    st = m.node_of == NULL || m.inverse == NULL ? cr__fail_memory(err)
                                                : cr__builder_new(&m.builder, err);
    if (st == CR_OK)
        st = fill(&m, err);
    if (st == CR_OK)
        st = cr__builder_finish(m.builder, out, err);
    cr__builder_free(m.builder);
    cr__free(m.node_of);
    cr__free(m.inverse);
    return st;
}

cr_status cr__gda_measure(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                          const cr__question *question, cr__scaled *mass, cr_error *err)
{
    cr__network *network;
    cr_status st = cr__gda_network(&network, fitted, schema, NULL, err);

    (void)knobs;
    return st == CR_OK ? cr__class_net_measure(network, schema, question, mass, err) : st;
}

int cr__gda_is_number(const void *fitted, size_t column)
{
    (void)fitted;
    (void)column;
    return 1; /* every real column is */
}
