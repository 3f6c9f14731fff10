/* learners/naive_bayes/measure.c - the probability of a question under naive Bayes.
 *
 * Given the class, features are independent: the model is a mixture of products, one for each class
 * (question.h). Features that the question does not mention are summed out, which leaves a factor
 * of 1. The class is a variable like the others, with one value in each component. Intervals of
 * real features come from the distribution function of the Gaussian, or of Student's t; a real
 * feature that the condition fixes counts with its density there.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/naive_bayes/naive_bayes.h"

typedef struct measurer {
    const cr__nb *nb;
    const cr__knobs *knobs;
    const cr_schema *schema;
} measurer;

/* P(value | class) over all values must be a distribution, which two rules do not guarantee. */
static cr_status check_sum(const measurer *m, size_t column, double sum, cr_error *err)
{
    if (fabs(sum - 1) < 1e-9)
        return CR_OK;
    cr__fail(err, CR_ECONFLICT,
             "with smoothing=%s the probabilities of '%s' sum to %.6g in a class, not to 1",
             cr__knobs_text(m->knobs, "smoothing"), m->schema->column[column].name, sum);
    return cr__fail_hint(err, CR_ECONFLICT,
                         "refit with smoothing=laplace; then the model is a "
                         "distribution");
}

static cr_status symbol_blocks(const measurer *m, const cr__question_variable *v, double *p,
                               cr_error *err)
{
    const size_t K = m->nb->classes;
    const cr__nb_column *column = &m->nb->column[v->column];
    const int other = cr__knobs_is(m->knobs, "unseen", "smooth");
    cr_status st = CR_OK;

    for (size_t c = 0; st == CR_OK && c < K; c++) {
        double sum = 0;

        for (size_t k = 0; k < column->values + (size_t)other; k++) {
            const double one = exp(column->log_p[(k + 1) * K + c]);

            p[v->block_of[k] * K + c] += one;
            sum += one;
        }
        st = check_sum(m, v->column, sum, err);
    }
    return st;
}

static double lower_tail(double freedom, double z)
{
    return freedom > 0 ? cr__student_lower(freedom, z) : cr__normal_lower(z);
}

/* P(a < z < b), by the tails on the side where they are small. */
static double between(double freedom, double a, double b)
{
    if (a > 0)
        return lower_tail(freedom, -a) - lower_tail(freedom, -b);
    return lower_tail(freedom, b) - lower_tail(freedom, a);
}

/* The intervals between the thresholds; a single number has no probability. */
static void real_blocks(const cr__nb_real *real, const cr__question_variable *v, size_t K,
                        double *p)
{
    for (size_t c = 0; c < K; c++) {
        const double freedom = real->freedom[c];
        const double scale =
            freedom > 0 ? 1 / sqrt(freedom * real->inverse[c]) : sqrt(0.5 / real->power[c]);
        double last = -INFINITY;

        for (size_t t = 0; t <= v->thresholds; t++) {
            const double z =
                t < v->thresholds ? (v->threshold[t] - real->mean[c]) / scale : INFINITY;

            p[2 * t * K + c] = between(freedom, last, z);
            last = z;
        }
    }
}

static void kernel_blocks(const cr__nb_kde *kde, const cr__question_variable *v, size_t K,
                          double *p)
{
    for (size_t c = 0; c < K; c++) {
        double last = 0;

        for (size_t t = 0; t <= v->thresholds; t++) {
            const double below = t < v->thresholds ? cr__nb_kde_lower(kde, c, v->threshold[t]) : 1;

            p[2 * t * K + c] = below > last ? below - last : 0;
            last = below;
        }
    }
}

#define FARTHEST 0x1p50 /* powers of two by which a density may differ from 1 */

/* The density where the feature was observed, scaled so that the largest is near 1. */
static void observed_block(const cr__nb_column *column, const cr__question_variable *v, size_t K,
                           double *p, int64_t *exponent)
{
    double *density = p + (2 * v->observed + 1) * K, largest = -INFINITY;

    for (size_t c = 0; c < K; c++) {
        density[c] = column->kde != NULL
                         ? cr__nb_kde_log(column->kde, c, v->threshold[v->observed])
                         : cr__nb_log_density(&column->real, c, v->threshold[v->observed]);
        largest = fmax(largest, density[c]);
    }
    if (!isfinite(largest))
        largest = 0;
    *exponent = (int64_t)fmax(-FARTHEST, fmin(FARTHEST, floor(largest / M_LN2)));
    for (size_t c = 0; c < K; c++)
        density[c] = exp(density[c] - largest) *
                     exp(fmax(0, fmin(M_LN2, largest - (double)*exponent * M_LN2)));
}

static cr_status blocks(const void *context, const cr__question_variable *v, double *p,
                        int64_t *exponent, cr_error *err)
{
    const measurer *m = context;
    const size_t K = m->nb->classes;

    if (v->column == m->schema->target) {
        for (size_t c = 0; c < K; c++)
            p[v->block_of[c] * K + c] = 1;
        return CR_OK;
    }
    if (v->block_of != NULL)
        return symbol_blocks(m, v, p, err);
    if (v->observed != SIZE_MAX)
        observed_block(&m->nb->column[v->column], v, K, p, exponent);
    else if (m->nb->column[v->column].kde != NULL)
        kernel_blocks(m->nb->column[v->column].kde, v, K, p);
    else
        real_blocks(&m->nb->column[v->column].real, v, K, p);
    return CR_OK;
}

cr_status cr__nb_measure(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                         const cr__question *question, cr__scaled *mass, cr_error *err)
{
    const cr__nb *nb = fitted;
    const measurer m = {nb, knobs, schema};
    double *weight = cr__alloc(nb->classes, sizeof *weight);
    const cr__mixture mixture = {nb->classes, weight, blocks, &m};
    cr_status st;

    if (weight == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < nb->classes; c++)
        weight[c] = exp(nb->log_prior[c]);
    st = cr__question_measure(question, &mixture, mass, err);
    cr__free(weight);
    return st;
}
