/* learners/gda/shrink.c - how far covariances are shrunk.
 *
 * ledoit-wolf: the intensity that is best in expectation for the squared error, estimated from the
 * rows of each class, their features scaled to mean 0 and variance 1 (Ledoit & Wolf, "A
 * well-conditioned estimator for large-dimensional covariance matrices", 2004). With d features,
 * n rows z and their covariance C (divided by n):
 *
 *     m = tr C / d,  δ² = (‖C‖² - d m²) / d,  β² = min(δ², (Σ ‖z‖⁴ / n - ‖C‖²) / (n d)),  s = β² /
 * δ²
 *
 * The other ways to choose, shrinkage=cv and covariance=auto, are choose.c's.
 *
 * All are decided when the model is trained: statistics that change later keep the intensity.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/gda/gda.h"

int cr__gda_chooses(const cr__knobs *knobs)
{
    return cr__knobs_is(knobs, "covariance", "auto") && cr__knobs_is(knobs, "estimate", "plugin") &&
           cr__knobs_number(knobs, "pool") == 0 && cr__knobs_number(knobs, "shrinkage") == 0 &&
           cr__knobs_number(knobs, "level") == 0;
}

static int shrinks_by_rows(const cr__knobs *knobs)
{
    return cr__knobs_is(knobs, "shrinkage", "ledoit-wolf") ||
           cr__knobs_is(knobs, "shrinkage", "cv") || cr__gda_chooses(knobs);
}

int cr__gda_take_row(const cr__gda_fit *fit, const cr__table *rows, size_t r, double *x)
{
    for (size_t i = 0; i < fit->n; i++) {
        x[i] = rows->column[fit->cross->term[fit->term[i]].column].real[r];
        if (isnan(x[i]))
            return 0;
    }
    return rows->column[rows->schema->target].code[r] != CR__MISSING;
}

size_t cr__gda_row_class(const cr__table *rows, size_t r)
{
    return rows->column[rows->schema->target].code[r] - 1;
}

/* --- Ledoit and Wolf ------------------------------------------------------------------------ */

/* ‖C‖² of the correlations, and how many features vary. */
static double correlation_norm(const double *S, size_t n, double *varied)
{
    double norm = 0;

    *varied = 0;
    for (size_t i = 0; i < n; i++) {
        *varied += S[i * n + i] > 0;
        for (size_t j = 0; j < n; j++)
            if (S[i * n + i] > 0 && S[j * n + j] > 0)
                norm += S[i * n + j] / S[i * n + i] * (S[i * n + j] / S[j * n + j]);
    }
    return norm;
}

/* Σ ‖z‖⁴ of the rows of a class with covariance S, and how many these are. */
static double fourth(const cr__gda_fit *fit, const cr__table *rows, size_t c, const double *S,
                     double *x, double *count)
{
    double sum = 0;

    *count = 0;
    for (size_t r = 0; r < rows->rows; r++) {
        double length = 0;

        if (!cr__gda_take_row(fit, rows, r, x) || cr__gda_row_class(rows, r) != c)
            continue;
        for (size_t i = 0; i < fit->n; i++) {
            const double d = x[i] - fit->mean[c * fit->n + i], v = S[i * fit->n + i];

            length += v > 0 ? d * d / v : 0;
        }
        sum += length * length;
        ++*count;
    }
    return sum;
}

static cr_status ledoit_wolf(const cr__gda_fit *given, const cr__table *rows, double *shrinkage)
{
    const size_t n = given->n;
    cr__gda_fit fit = *given;
    double *S = cr__alloc(n * n, sizeof *S), *x = cr__alloc(n, sizeof *x);
    cr_status st = S == NULL || x == NULL ? CR_ENOMEM : CR_OK;

    fit.unbiased = 0;
    for (size_t c = 0; st == CR_OK && c < fit.classes; c++) {
        double varied, count, norm, length, m, delta, beta;

        cr__gda_class_covariance(&fit, c, S);
        norm = correlation_norm(S, n, &varied);
        length = fourth(&fit, rows, c, S, x, &count);
        m = varied / (double)n;
        delta = (norm - (double)n * m * m) / (double)n;
        beta = count > 0 ? (length / count - norm) / (count * (double)n) : 0;
        beta = fmax(0, fmin(beta, delta));
        shrinkage[c] = delta > 0 ? beta / delta : 0;
    }
    cr__free(S);
    cr__free(x);
    return st;
}

/* --- the knob ------------------------------------------------------------------------------- */

static int same_knob(const cr__fit_input *input, const char *name)
{
    return input->before_knobs == NULL ||
           cr__knobs_is(input->before_knobs, name, cr__knobs_text(input->knobs, name));
}

/* The previous choice, for the classes that are the same. */
static cr_status keep_before(const cr__fit_input *input, double *shrinkage, cr__gda_choice *choice,
                             cr_error *err)
{
    const cr__gda *before = input->before;
    const cr__stats *then = input->before_stats, *now = input->stats;
    const char *name = cr__gda_chooses(input->knobs) ? "covariance" : "shrinkage";

    if (before == NULL || before->repair == NULL || !same_knob(input, "shrinkage") ||
        !same_knob(input, "covariance") ||
        (cr__gda_chooses(input->knobs) && isnan(before->choice.pool))) {
        cr__fail(err, CR_EARG, "%s=%s is chosen from the rows, which are not kept", name,
                 cr__knobs_text(input->knobs, name));
        return cr__fail_hint(err, CR_EARG, "train again with it, or give a %s",
                             cr__gda_chooses(input->knobs) ? "form" : "number");
    }
    *choice = before->choice;
    for (size_t c = 0; c < now->classes; c++) {
        size_t length;
        const char *word =
            cr__dict_word(now->column[now->schema->target].dict, (uint32_t)c + 1, &length);
        const uint32_t code = cr__dict_find(then->column[then->schema->target].dict, word, length);

        shrinkage[c] = cr__gda_chooses(input->knobs)
                           ? choice->shrinkage
                           : before->repair[code == CR__MISSING ? 0 : code - 1].shrinkage;
    }
    return CR_OK;
}

cr_status cr__gda_choose_shrinkage(cr__gda_fit *fit, const cr__fit_input *input, double *shrinkage,
                                   cr__gda_choice *choice, cr_error *err)
{
    const int wolf = cr__knobs_is(fit->knobs, "shrinkage", "ledoit-wolf");
    cr__gda_choice best = {cr__knobs_number(fit->knobs, "pool"),
                           cr__knobs_number(fit->knobs, "shrinkage"),
                           cr__knobs_number(fit->knobs, "level")};
    cr_status st = CR_OK;

    fit->by_correlation = wolf || cr__gda_chooses(fit->knobs);
    fit->shrinkage = shrinkage;
    if (shrinks_by_rows(fit->knobs) && input->rows == NULL) {
        st = keep_before(input, shrinkage, choice, err);
        best = cr__gda_chooses(fit->knobs) ? *choice : best;
    } else if (wolf) {
        st = ledoit_wolf(fit, input->rows, shrinkage);
    } else {
        if (isnan(best.shrinkage) || cr__gda_chooses(fit->knobs))
            st = cr__gda_choose_form(fit, input, &best, err);
        for (size_t c = 0; st == CR_OK && c < fit->classes; c++)
            shrinkage[c] = best.shrinkage;
        if (cr__gda_chooses(fit->knobs))
            *choice = best;
    }
    fit->pool = best.pool;
    fit->level = best.level;
    return st == CR_ENOMEM ? cr__fail_memory(err) : st;
}
