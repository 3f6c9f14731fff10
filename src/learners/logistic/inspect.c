/* learners/logistic/inspect.c - getters of a logistic regression. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "credence/logistic.h"
#include "learners/logistic/logistic.h"
#include "learners/registry.h"
#include "model/model.h"

static const cr__lr *weights_of(const cr_model *model)
{
    return model->learner == &cr__logistic ? model->share->fitted : NULL;
}

cr_status cr_model_fit(const cr_model *model, cr_fit *out)
{
    static const char *const solvers[] = {"lbfgs", "gradient", "newton", "sgd"};
    static const char *const priors[] = {"gaussian", "laplace", "none"};
    static const char *const posteriors[] = {"none", "diagonal", "full"};
    const cr__lr *lr = weights_of(model);

    *out = (cr_fit){0};
    if (lr == NULL)
        return CR_EARG;
    *out = (cr_fit){.solver =
                        lr->outcome.origin == CR__LR_CONVERTED ? "" : solvers[lr->outcome.solver],
                    .prior = priors[lr->outcome.prior],
                    .lambda = lr->outcome.lambda,
                    .iterations = lr->outcome.iterations,
                    .gradient = lr->outcome.gradient,
                    .log_likelihood = lr->outcome.log_likelihood,
                    .objective = lr->outcome.objective,
                    .rows = lr->outcome.rows,
                    .converged = lr->outcome.converged != 0,
                    .separated = (int)lr->outcome.separated,
                    .converted = lr->outcome.origin == CR__LR_CONVERTED,
                    .posterior = posteriors[lr->outcome.posterior],
                    .steps = lr->steps,
                    .trace = lr->trace};
    return CR_OK;
}

/* --- errors -------------------------------------------------------------------------------- */

/* Cov(θ_i, θ_j) of one set; features are counted from 1, the intercept is 0. */
static double covariance(const cr__lr *lr, size_t i, size_t j, size_t set)
{
    const size_t sets = lr->shape.sets, p = i * sets + set, q = j * sets + set;

    if (lr->outcome.posterior == CR__LR_FULL)
        return lr->covariance[p * cr__lr_parameters(&lr->shape) + q];
    return i == j ? lr->covariance[p] : 0;
}

/* How a real feature's internal weight changes the external intercept. */
static double lever(const cr__lr *lr, size_t column)
{
    const double *frame = lr->frame + 2 * column;

    return lr->shape.slot[column].kind == CR_REAL && frame[1] > 0 ? -frame[0] / frame[1] : 0;
}

static double intercept_variance(const cr__lr *lr, size_t set)
{
    const cr__lr_slot *slot = lr->shape.slot;
    double variance = covariance(lr, 0, 0, set);

    for (size_t i = 0; i < lr->shape.columns; i++) {
        if (lever(lr, i) == 0)
            continue;
        variance += 2 * lever(lr, i) * covariance(lr, 0, 1 + slot[i].first, set);
        for (size_t j = 0; j < lr->shape.columns; j++)
            if (lever(lr, j) != 0)
                variance += lever(lr, i) * lever(lr, j) *
                            covariance(lr, 1 + slot[i].first, 1 + slot[j].first, set);
    }
    return variance;
}

static double symbol_variance(const cr__lr *lr, const cr__lr_slot *slot, size_t value, size_t set)
{
    const size_t n = cr__lr_code_size(slot, value);
    double variance = 0;

    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            size_t i, j;
            double x, y;

            cr__lr_code(slot, value, a, &i, &x);
            cr__lr_code(slot, value, b, &j, &y);
            variance += x * y * covariance(lr, 1 + i, 1 + j, set);
        }
    return variance;
}

static double variance_of(const cr__lr *lr, size_t column, size_t value, size_t set)
{
    const cr__lr_slot *slot;
    const double *frame;

    if (column == SIZE_MAX)
        return intercept_variance(lr, set);
    slot = &lr->shape.slot[column];
    frame = lr->frame + 2 * column;
    if (slot->kind == CR_SYMBOL)
        return symbol_variance(lr, slot, value, set);
    if (slot->kind == CR_BAG)
        return covariance(lr, 1 + slot->first + value, 1 + slot->first + value, set);
    return frame[1] > 0
               ? covariance(lr, 1 + slot->first, 1 + slot->first, set) / (frame[1] * frame[1])
               : 0;
}

/* --- weights ------------------------------------------------------------------------------- */

static double weight_of(const cr__lr *lr, size_t column, size_t value, size_t set)
{
    const size_t sets = lr->shape.sets;

    if (column == SIZE_MAX)
        return lr->intercept[set];
    switch (lr->column[column].kind) {
    case CR_SYMBOL: return lr->column[column].weight[(1 + value) * sets + set];
    case CR_BAG: return lr->column[column].text->weight[value * sets + set];
    default: return lr->column[column].weight[set];
    }
}

cr_status cr_model_weight(const cr_model *model, size_t column, size_t value, size_t c,
                          cr_weight *out)
{
    const cr__lr *lr = weights_of(model);

    *out = (cr_weight){0};
    if (lr == NULL || c >= lr->shape.classes ||
        (column != SIZE_MAX &&
         (column >= lr->shape.columns || lr->column[column].kind == CR_IGNORE ||
          (lr->column[column].kind != CR_REAL && value >= lr->column[column].values))))
        return CR_EARG;
    if (c < lr->shape.first_class)
        return CR_OK;
    c -= lr->shape.first_class;
    out->weight = weight_of(lr, column, value, c);
    out->error = lr->covariance == NULL ? NAN : sqrt(fmax(variance_of(lr, column, value, c), 0));
    return CR_OK;
}

/* --- products ------------------------------------------------------------------------------ */

size_t cr_model_interactions(const cr_model *model)
{
    const cr__lr *lr = weights_of(model);

    return lr == NULL ? 0 : lr->shape.products;
}

/* The value of a symbol that a feature of its column stands for; 0 for a number. */
static size_t value_of(const cr__lr_slot *slot, size_t feature)
{
    return feature + (slot->coding == CR__LR_INDICATOR || slot->coding == CR__LR_REFERENCE);
}

/* The pair that has the weights of a product: the last that begins there or before. */
static const cr__lr_pair *pair_of(const cr__lr_shape *shape, size_t product)
{
    size_t low = 0, high = shape->pairs;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (shape->pair[middle].weight <= product)
            low = middle;
        else
            high = middle;
    }
    return &shape->pair[low];
}

cr_status cr_model_interaction(const cr_model *model, size_t product, size_t c, cr_interaction *out)
{
    const cr__lr *lr = weights_of(model);
    const cr__lr_pair *pair;
    size_t i, column[2], count;
    double spread[2] = {1, 1};

    *out = (cr_interaction){0};
    if (lr == NULL || product >= lr->shape.products || c >= lr->shape.classes)
        return CR_EARG;
    pair = pair_of(&lr->shape, product);
    i = product - pair->weight;
    column[0] = pair->a;
    column[1] = pair->b;
    count = lr->shape.slot[pair->b].count;
    for (int k = 0; k < 2; k++) {
        const cr__lr_slot *slot = &lr->shape.slot[column[k]];

        out->column[k] = column[k];
        if (slot->kind == CR_REAL)
            spread[k] = out->deviation[k] = lr->frame[2 * column[k] + 1];
        else
            out->value[k] = value_of(slot, k == 0 ? i / count : i % count);
    }
    if (c < lr->shape.first_class)
        return CR_OK;
    c -= lr->shape.first_class;
    out->weight.weight = lr->product[product * lr->shape.sets + c];
    out->weight.error = lr->covariance == NULL ? NAN : 0;
    if (lr->covariance != NULL && spread[0] > 0 && spread[1] > 0)
        out->weight.error =
            sqrt(fmax(covariance(lr, 1 + pair->first + i, 1 + pair->first + i, c), 0)) /
            (spread[0] * spread[1]);
    return CR_OK;
}

size_t cr_model_interaction_name(const cr_model *model, size_t i, int values, char *buffer,
                                 size_t size)
{
    const char *part[2] = {"", ""}, *between;
    cr_interaction p;
    int length;

    if (size > 0)
        buffer[0] = '\0';
    if (cr_model_interaction(model, i, 0, &p) != CR_OK)
        return 0;
    for (int k = 0; k < 2; k++) {
        const size_t column = p.column[k];

        if (!values)
            part[k] = model->schema->column[column].name;
        else if (model->schema->column[column].kind == CR_SYMBOL)
            part[k] = cr__dict_word(model->dict[column], (uint32_t)p.value[k] + 1, NULL);
    }
    between = values ? (*part[0] != '\0' && *part[1] != '\0' ? ", " : "") : "*";
    if (p.column[0] == p.column[1]) { /* the square of a number */
        part[1] = "";
        between = values ? "" : "^2";
    }
    length = snprintf(buffer, size, "%s%s%s", part[0], between, part[1]);
    return length < 0 ? 0 : (size_t)length;
}

/* --- strength ------------------------------------------------------------------------------ */

/* The weighted deviation of a symbol's weights in one set. */
static double symbol_deviation(const cr__lr *lr, const cr__stats *stats, size_t column, size_t set)
{
    double total = 0, sum = 0, squares = 0;

    for (size_t v = 0; v < lr->column[column].values; v++) {
        const double w = weight_of(lr, column, v, set);
        double n = 0;

        for (size_t c = 0; c < stats->classes; c++)
            n += cr__count_value(cr__stats_count(stats, column, v, c));
        total += n;
        sum += n * w;
        squares += n * w * w;
    }
    return total > 0 ? sqrt(fmax(squares / total - sum / total * (sum / total), 0)) : 0;
}

double cr_model_strength(const cr_model *model, size_t column)
{
    const cr__lr *lr = weights_of(model);
    const cr__stats *stats;
    double most = 0;

    if (lr == NULL || column >= lr->shape.columns || lr->column[column].kind == CR_IGNORE ||
        lr->column[column].kind == CR_BAG || cr__model_stats(model, &stats, NULL) != CR_OK)
        return NAN;
    for (size_t s = 0; s < lr->shape.sets; s++)
        most = fmax(most, lr->column[column].kind == CR_SYMBOL
                              ? symbol_deviation(lr, stats, column, s)
                              : fabs(lr->column[column].weight[s]) * lr->frame[2 * column + 1]);
    return most;
}
