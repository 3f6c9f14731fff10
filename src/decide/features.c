/* decide/features.c - features ranked by information, their moments, and the kind of model. */
#include <math.h>
#include <stdlib.h>

#include "credence/model.h"
#include "credence/network.h"
#include "model/model.h"

/* Beyond this, the integral that ranks a real feature takes too long. */
enum { RANKED_CLASSES = 300 };

/* Features that cannot be ranked come last. */
static int more_informative_first(const void *a, const void *b)
{
    const cr_feature_rank *x = a, *y = b;
    const double p = isnan(x->bits) ? -1 : x->bits, q = isnan(y->bits) ? -1 : y->bits;

    if (p != q)
        return p > q ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

size_t cr_model_rank_features(const cr_model *model, cr_feature_rank *out)
{
    const cr_schema *schema = cr_model_schema(model);
    size_t count = 0;

    for (size_t i = 0; i < cr_schema_columns(schema); i++) {
        const cr_kind kind = cr_schema_kind(schema, i);

        if (cr_schema_role(schema, i) != CR_ROLE_FEATURE || kind == CR_IGNORE)
            continue;
        out[count].column = i;
        out[count++].bits = kind == CR_REAL && cr_model_classes(model) > RANKED_CLASSES
                                ? NAN
                                : cr_model_information(model, i);
    }
    qsort(out, count, sizeof *out, more_informative_first);
    return count;
}

int cr_model_has_classes(const cr_model *model)
{
    const size_t target = cr_model_target(model);

    return target != SIZE_MAX && cr_schema_kind(cr_model_schema(model), target) != CR_REAL;
}

int cr_model_is_regression(const cr_model *model)
{
    const size_t target = cr_model_target(model);

    return target != SIZE_MAX && cr_schema_kind(cr_model_schema(model), target) == CR_REAL;
}

int cr_model_has_values(const cr_model *model, size_t column)
{
    return cr_schema_kind(cr_model_schema(model), column) == CR_SYMBOL ||
           cr_model_values(model, column) > 0;
}

/* Mean and sample variance of the union of groups: the squares within them plus those between. */
cr_status cr_model_moments(const cr_model *of, size_t column, double *mean, double *deviation)
{
    const cr_model *model = cr__model_counted(of, &column);
    const cr_schema *schema = cr_model_schema(model);
    double count = 0, sum = 0, squares = 0;
    cr_gaussian g;

    if (cr_schema_role(schema, column) != CR_ROLE_FEATURE ||
        cr_schema_kind(schema, column) != CR_REAL || cr_model_has_values(model, column) ||
        cr_network_nodes(model) > 0)
        return CR_EARG;
    for (size_t c = 0; c < cr_model_classes(model); c++)
        if (cr_model_gaussian(model, column, c, &g) == CR_OK && g.count > 0) {
            count += g.count;
            sum += g.count * g.mean;
        }
    *mean = count > 0 ? sum / count : NAN;
    for (size_t c = 0; c < cr_model_classes(model); c++)
        if (cr_model_gaussian(model, column, c, &g) == CR_OK && g.count > 0)
            squares += g.count * (g.variance_mle + (g.mean - *mean) * (g.mean - *mean));
    *deviation = count > 1 ? sqrt(squares / (count - 1)) : NAN;
    return CR_OK;
}
