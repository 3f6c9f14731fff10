/* learners/naive_bayes/linear.c - naive Bayes as logistic regression.
 *
 * The log-odds of two classes are a sum over features, which is linear wherever a feature's part
 * is: always for symbols and texts, whose values and words are counted; for a Gaussian when the
 * classes share its variance, because then x² cancels (L: "Logistic form"):
 *
 *     w = (μ_c - μ_0) / σ²,      part of the intercept = (μ_0² - μ_c²) / (2σ²)
 */
#include <math.h>

#include "base/fail.h"
#include "learners/naive_bayes/naive_bayes.h"

static cr_status refuse(cr_error *err, const char *column, const char *why, const char *hint)
{
    cr__fail(err, CR_ECONFLICT, "the boundary is not linear in '%s': %s", column, why);
    return cr__fail_hint(err, CR_ECONFLICT, "%s", hint);
}

static cr_status linear_real(const cr__nb_column *column, const char *name, double *weight,
                             cr__linear *out, cr_error *err)
{
    const cr__nb_real *real = &column->real;

    if (column->cut)
        return refuse(err, name, "it is cut into intervals", "refit with real=gaussian");
    if (column->kde != NULL)
        return refuse(err, name, "its density is a sum of kernels", "refit with real=gaussian");
    if (real->freedom[0] > 0)
        return refuse(err, name, "its density is a Student t", "refit with gaussian=plugin");
    for (size_t s = 0; s < out->sets; s++) {
        const double d = real->mean[s + 1] - real->mean[0];
        const double part = -real->power[0] * d * (real->mean[s + 1] + real->mean[0]);

        if (real->power[s + 1] != real->power[0])
            return refuse(err, name, "the classes have different variances",
                          "refit with variance=feature or variance=shared");
        weight[s] = 2 * real->power[0] * d;
        weight[out->sets + s] = -part; /* a missing value leaves the whole factor out */
        out->intercept[s] += part;
    }
    return CR_OK;
}

static cr_status linear_symbol(const cr__nb_column *column, const char *name, double *weight,
                               const cr__linear *out, cr_error *err)
{
    const size_t classes = out->sets + 1;

    for (size_t row = 1; row < column->values + 2; row++)
        for (size_t s = 0; s < out->sets; s++) {
            const double *log_p = column->log_p + row * classes;

            weight[row * out->sets + s] = log_p[s + 1] - log_p[0];
            if (!isfinite(weight[row * out->sets + s]))
                return refuse(err, name,
                              "a value has probability zero in some class, and so an "
                              "infinite weight",
                              "refit with smoothing=laplace");
        }
    return CR_OK;
}

static cr_status linear_text(const cr__nb_text *text, const char *name, double *weight,
                             const cr__linear *out, cr_error *err)
{
    const size_t sets = out->sets;

    if (text->length.most > 0)
        return refuse(err, name, "long texts count like shorter ones",
                      "refit with text-length=none");
    if (text->length.alike != 1)
        return refuse(err, name, "words that repeat each other count less",
                      "refit with text-alike=1");
    for (size_t s = 0; s < sets; s++)
        weight[s] = text->once[s + 1] - text->once[0];
    for (size_t w = 0; w < text->words.words; w++) {
        double *of = weight + (w + 1) * sets;

        if (isnan(text->word[w]))
            continue; /* it is left out */
        for (size_t s = 0; s < sets; s++)
            of[s] = (text->word[w] + text->each[s + 1]) * text->scale[s + 1] -
                    (text->word[w] + text->each[0]) * text->scale[0];
        for (uint64_t k = text->row[w]; k < text->row[w + 1] && k < text->cells; k++) {
            const size_t c = text->cell[k].class_index;
            const double delta = c <= sets ? text->cell[k].delta * text->scale[c] : NAN;

            for (size_t s = 0; c == 0 && s < sets; s++)
                of[s] -= delta;
            if (c > 0 && c <= sets)
                of[c - 1] += delta;
        }
        for (size_t s = 0; s < sets; s++)
            if (!isfinite(of[s]))
                return refuse(err, name, "a word has an infinite weight",
                              "refit with another smoothing");
    }
    return CR_OK;
}

cr_status cr__nb_linear(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                        cr__linear *out, cr_error *err)
{
    const cr__nb *nb = fitted;
    cr_status st = CR_OK;

    (void)knobs;
    for (size_t s = 0; s < out->sets; s++) {
        out->intercept[s] = nb->log_prior[s + 1] - nb->log_prior[0];
        if (!isfinite(out->intercept[s]))
            return cr__fail(err, CR_ECONFLICT,
                            "a class has probability zero, and so an infinite "
                            "intercept");
    }
    for (size_t i = 0; st == CR_OK && i < nb->columns; i++) {
        const cr__nb_column *column = &nb->column[i];
        const char *name = stats->schema->column[i].name;

        if (column->kind == CR_REAL)
            st = linear_real(column, name, out->column[i], out, err);
        else if (column->kind == CR_SYMBOL)
            st = linear_symbol(column, name, out->column[i], out, err);
        else if (column->kind == CR_BAG)
            st = linear_text(column->text, name, out->column[i], out, err);
    }
    return st;
}
