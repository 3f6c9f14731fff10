/* learners/naive_bayes/fit_test.c - does a Gaussian fit the numbers of a class?
 *
 * Anderson and Darling's test with mean and variance estimated: with z the standardised numbers in
 * order and F the normal distribution function,
 *
 *     A² = -n - 1/n Σ (2 i - 1) (ln F(z_i) + ln (1 - F(z_(n+1-i)))),
 *     A*² = A² (1 + 0.75/n + 2.25/n²)
 *
 * and p from A*² as in Stephens (D'Agostino & Stephens 1986, Goodness-of-Fit Techniques, table
 * 4.9). Repeated numbers count as often as they occur. Alternatives are compared by the
 * leave-one-out density of each row: of the Gaussian, of kernels by Silverman's rule, and of a
 * Gaussian of the logarithms where all numbers are above 0.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "model/model.h"
#include "learners/naive_bayes/bins.h"

enum { LEAST_ROWS = 8 };

/* The numbers of one class, ascending, with their weights. */
typedef struct sample {
    double *x, *w;
    size_t count;
    double n, mean, squares;
} sample;

static void measure(sample *s)
{
    s->n = s->mean = s->squares = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->n += s->w[i];
        s->mean += s->w[i] * s->x[i];
    }
    s->mean /= s->n;
    for (size_t i = 0; i < s->count; i++)
        s->squares += s->w[i] * (s->x[i] - s->mean) * (s->x[i] - s->mean);
}

/* Stephens's approximation of the upper tail of A*². */
static double tail(double a)
{
    if (a > 153) /* e^… is below 1e-300 */
        return 0;
    if (a > 0.6)
        return exp(1.2937 - 5.709 * a + 0.0186 * a * a);
    if (a > 0.34)
        return exp(0.9177 - 4.279 * a - 1.38 * a * a);
    if (a > 0.2)
        return 1 - exp(-8.318 + 42.796 * a - 59.938 * a * a);
    return 1 - exp(-13.436 + 101.14 * a - 223.73 * a * a);
}

/* With weights, the ranks of w equal numbers are w in a row: Σ (2 i - 1) over them is (b² - a²), a
 * and b being the weight before and after. */
static double anderson_darling(const sample *s)
{
    const double sd = sqrt(s->squares / (s->n - 1));
    double before = 0, sum = 0;

    for (size_t i = 0; i < s->count; i++) {
        const double z = (s->x[i] - s->mean) / sd, after = before + s->w[i];
        const double below = log(fmax(cr__normal_lower(z), 1e-300));
        const double above = log(fmax(cr__normal_lower(-z), 1e-300));

        sum += (after * after - before * before) * below;
        sum += ((s->n - before) * (s->n - before) - (s->n - after) * (s->n - after)) * above;
        before = after;
    }
    return (-s->n - sum / s->n) * (1 + 0.75 / s->n + 2.25 / (s->n * s->n));
}

/* The mean leave-one-out log density of the rows under a Gaussian; shift is added to each, for the
 * logarithms. */
static double gaussian_left_out(const sample *s, const double *shift)
{
    double sum = 0;

    for (size_t i = 0; i < s->count; i++) {
        const double n = s->n - 1, mean = (s->n * s->mean - s->x[i]) / n, d = s->x[i] - s->mean;
        const double squares = fmax(s->squares - d * d * s->n / n, 1e-12 * s->squares);
        const double variance = squares / (n - 1), e = s->x[i] - mean;

        sum += s->w[i] * (-0.5 * log(2 * M_PI * variance) - 0.5 * e * e / variance +
                          (shift == NULL ? 0 : shift[i]));
    }
    return sum / s->n;
}

static double kernels_left_out(const sample *s)
{
    const double h = 0.9 * sqrt(s->squares / (s->n - 1)) * pow(s->n, -0.2);
    const double own = -log(h) - 0.5 * log(2 * M_PI);
    double sum = 0;

    for (size_t i = 0; i < s->count; i++) {
        double density = s->w[i] - 1;

        for (size_t k = i + 1; k < s->count && (s->x[k] - s->x[i]) / h < 9; k++)
            density += s->w[k] * exp(-0.5 * pow((s->x[k] - s->x[i]) / h, 2));
        for (size_t k = i; k-- > 0 && (s->x[i] - s->x[k]) / h < 9;)
            density += s->w[k] * exp(-0.5 * pow((s->x[i] - s->x[k]) / h, 2));
        sum += s->w[i] * (log(fmax(density, 1e-30) / (s->n - 1)) + own);
    }
    return sum / s->n;
}

static cr_status take(sample *s, const cr__values *values, size_t c)
{
    *s = (sample){.x = cr__alloc(values->count, sizeof *s->x),
                  .w = cr__alloc(values->count, sizeof *s->w)};
    if (s->x == NULL || s->w == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < values->count; i++)
        if (values->key[2 * i + 1] == c) {
            s->x[s->count] = cr__values_number(values->key[2 * i], values->shift);
            s->w[s->count++] = cr__count_value(cr__values_at(values, i));
        }
    return CR_OK;
}

/* What would fit better than a Gaussian, and by how much per row. */
static cr_status look_for_better(sample *s, cr_fit_test *out)
{
    const double gaussian = gaussian_left_out(s, NULL), kernels = kernels_left_out(s);
    double *shift = cr__alloc(s->count, sizeof *shift);
    double logarithm = -INFINITY;

    if (shift == NULL)
        return CR_ENOMEM;
    if (s->x[0] > 0) {
        for (size_t i = 0; i < s->count; i++) {
            s->x[i] = log(s->x[i]);
            shift[i] = -s->x[i];
        }
        measure(s);
        logarithm = gaussian_left_out(s, shift);
    }
    cr__free(shift);
    out->better = kernels > logarithm ? "kernels" : "logarithms";
    out->gain = fmax(kernels, logarithm) - gaussian;
    if (!(out->gain > 0)) {
        out->better = NULL;
        out->gain = 0;
    }
    return CR_OK;
}

cr_status cr_model_fit_test(const cr_model *model, size_t column, size_t class_index,
                            cr_fit_test *out, cr_error *err)
{
    const cr__stats *stats;
    sample s = {0};
    cr_status st = cr__model_stats(model, &stats, err);

    *out = (cr_fit_test){0};
    if (st != CR_OK)
        return st;
    if (column >= stats->schema->columns || class_index >= stats->classes ||
        stats->column[column].values == NULL) {
        cr__fail(err, CR_EARG, "the model does not keep the numbers of this column");
        return cr__fail_hint(err, CR_EARG, "train with values=keep");
    }
    st = take(&s, stats->column[column].values, class_index);
    if (st == CR_OK && s.count > 0)
        measure(&s);
    out->rows = s.n;
    out->p = 1;
    if (st == CR_OK && s.n >= LEAST_ROWS && s.count > 2 && s.squares > 0) {
        out->a2 = anderson_darling(&s);
        out->p = tail(out->a2);
        st = look_for_better(&s, out);
    }
    cr__free(s.x);
    cr__free(s.w);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}
