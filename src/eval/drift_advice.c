/* eval/drift_advice.c - advice that follows from the verdicts. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "eval/drift.h"

enum { PRIORS_SHOWN = 120 }; /* longer lists of priors are not useful advice */

static int strong(const cr_drift_feature *f, double level)
{
    (void)level;
    return f->verdict == CR_DRIFT_STRONG;
}

static int lost(const cr_drift_feature *f, double level)
{
    return f->missing_p < level && f->missing_after - f->missing_before > 0.05;
}

static int newly_valued(const cr_drift_feature *f, double level)
{
    (void)level;
    return f->new_values > 0 && f->new_share > 0.01;
}

static int unknown(const cr_drift_feature *f, double level)
{
    (void)level;
    return f->verdict == CR_DRIFT_UNKNOWN;
}

static size_t count_with(const cr_drift *d, int (*has)(const cr_drift_feature *f, double level))
{
    size_t count = 0;

    for (size_t i = 0; i < d->columns; i++)
        count += has(&d->column[i].found, d->summary.level) != 0;
    return count;
}

/* A sentence made like printf's, kept in the arena. */
CR_PRINTF_LIKE(4, 5)
static cr_status add(cr_drift *d, cr_drift_action action, size_t features, const char *format, ...)
{
    cr_drift_advice *a = &d->advice[d->advices];
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *a = (cr_drift_advice){action, features, cr__arena_copy(&d->texts, text, strlen(text)), NULL};
    d->advices++;
    return a->text == NULL ? CR_ENOMEM : CR_OK;
}

/* "ham:0.9,spam:0.1", in the arena. */
static const char *estimated_priors(cr_drift *d)
{
    cr__buffer text = {0};
    const char *kept = NULL;

    for (size_t i = 0; i < d->classes && d->class_shift != NULL; i++)
        cr__buffer_printf(&text, "%s%s:%.4g", i > 0 ? "," : "", d->class_shift[i].name,
                          round(fmax(d->class_shift[i].estimated, 1e-4) * 1e4) / 1e4);
    if (!text.failed)
        kept = cr__arena_copy(&d->texts, text.size > 0 ? text.data : "", text.size);
    cr__buffer_free(&text);
    return kept;
}

static cr_status advise_priors(cr_drift *d, size_t far)
{
    const char *priors = estimated_priors(d);
    cr_status st;

    if (priors == NULL)
        return CR_ENOMEM;
    if (far > 0 || strlen(priors) >= PRIORS_SHOWN)
        return add(d, CR_DRIFT_LABEL, 0,
                   "The classes seem to have other shares, but features changed too, so the "
                   "estimate may mislead: label some recent rows and check.");
    st = add(d, CR_DRIFT_PRIORS, 0,
             "The classes have other shares: predict with the priors %s, or refit with them; the "
             "rest of the model still holds.",
             priors);
    d->advice[d->advices - 1].priors = priors;
    return st;
}

static int is_marked(cr_drift_verdict v)
{
    return v == CR_DRIFT_MODERATE || v == CR_DRIFT_STRONG;
}

cr_status cr__drift_advise(cr_drift *d)
{
    const int classes = d->class_shift != NULL && d->classes > 0;
    const size_t far = count_with(d, strong), gone = count_with(d, lost),
                 fresh = count_with(d, newly_valued), blind = count_with(d, unknown);
    cr_status st = CR_OK;

    if (gone > 0)
        st = add(d, CR_DRIFT_LOOK, gone,
                 "%zu feature%s more often missing than in training: look at where the data come "
                 "from before anything else.",
                 gone, gone == 1 ? " is" : "s are");
    if (st == CR_OK && fresh > 0)
        st = add(d, CR_DRIFT_LEARN, fresh,
                 "%zu feature%s values that the model has never seen: let it learn labelled "
                 "recent rows.",
                 fresh, fresh == 1 ? " has" : "s have");
    if (st == CR_OK && is_marked(d->summary.prior_verdict))
        st = advise_priors(d, far);
    if (st == CR_OK && far > 0)
        st = add(d, CR_DRIFT_RETRAIN, far,
                 "%zu feature%s strongly: %strain again or let it learn recent rows.", far,
                 far == 1 ? " changed" : "s changed",
                 classes ? "label a sample of recent rows, test the model on them, and " : "");
    else if (st == CR_OK && d->summary.drifted > 0 && gone == 0 && fresh == 0)
        st = add(d, CR_DRIFT_WATCH, d->summary.drifted,
                 "Changes are moderate: watch them, and test on labelled recent rows when there "
                 "are some.");
    if (st == CR_OK && blind > 0)
        st = add(d, CR_DRIFT_BLIND, blind,
                 "%zu feature%s could not be compared: the model keeps nothing to compare %s "
                 "with, or there are no values.",
                 blind, blind == 1 ? "" : "s", blind == 1 ? "it" : "them");
    if (st == CR_OK && d->advices == (blind > 0) && blind < d->columns)
        st =
            add(d, CR_DRIFT_NOTHING, 0, "Nothing to do: %srecent rows look like the training data.",
                blind > 0 ? "by the other features " : "");
    return st;
}

cr_status cr_drift_get_advice(const cr_drift *d, size_t index, cr_drift_advice *out)
{
    if (index >= d->advices)
        return CR_END;
    *out = d->advice[index];
    return CR_OK;
}

/* --- order ------------------------------------------------------------------------------------ */

/* By the verdict, then by the size of the change. */
static double rank(const cr_drift_feature *f)
{
    return (f->verdict == CR_DRIFT_UNKNOWN ? -1 : (int)f->verdict) * 1e6 +
           (isnan(f->index) ? 0 : fmin(f->index, 1e5));
}

size_t cr_drift_order(const cr_drift *d, size_t place)
{
    return place < d->columns ? d->order[place] : SIZE_MAX;
}

cr_status cr__drift_order(cr_drift *d)
{
    if ((d->order = cr__arena_alloc(&d->texts, d->columns + 1, sizeof *d->order)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < d->columns; i++) {
        size_t at = i;

        for (; at > 0 && rank(&d->column[d->order[at - 1]].found) < rank(&d->column[i].found); at--)
            d->order[at] = d->order[at - 1];
        d->order[at] = i;
    }
    return CR_OK;
}
