/* model/presets.c - several knobs by one name.
 *
 * preset=mail separates spam from ham best, preset=tfidf and preset=tfidf-pairs tell subjects
 * apart; docs/text.md has the figures. Settings that come after a preset overrule it.
 */
#include <string.h>

#include "base/fail.h"
#include "model/presets.h"

static const struct preset {
    const char *name;
    const char *with;       /* for learners that have this knob */
    const char *setting[9]; /* ends with NULL */
} presets[] = {
    {"mail",
     "features",
     {"tokens=rich", "ngrams=1..2", "weight=binary", "length-norm=l2", "features=log-count-ratio",
      "min-count=2", "lambda=0.01", "epsilon=1e-5", NULL}},
    {"mail",
     "event",
     {"tokens=rich", "ngrams=1..2", "event=boolean", "text-alpha=0.02", "select=odds:3",
      "text-length=20", "text-alike=0.5", NULL}},
    {"tfidf",
     "features",
     {"weight=tfidf", "length-norm=l2", "min-count=2", "lambda=0.1", "epsilon=1e-3", NULL}},
    {"tfidf-pairs",
     "features",
     {"weight=sublinear-tfidf", "length-norm=l2", "ngrams=1..2", "min-count=2", "lambda=0.03",
      "epsilon=1e-3", NULL}},
    {"tfidf-pairs",
     "event",
     {"event=complement", "prior=uniform", "weight=sublinear-tfidf", "length-norm=l2",
      "ngrams=1..2", "text-alpha=0.03", NULL}},
};

static cr_status apply(cr__knobs *knobs, const char *name, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const struct preset *p = &presets[i];

        if (strcmp(p->name, name) != 0 || *cr__knobs_text(knobs, p->with) == '\0')
            continue;
        for (size_t k = 0; st == CR_OK && p->setting[k] != NULL; k++)
            st = cr__knobs_set(knobs, p->setting[k], err);
        return st;
    }
    cr__fail(err, CR_EARG, "this learner has no preset '%.40s'", name);
    return cr__fail_hint(err, CR_EARG,
                         "naive Bayes and logistic regression have mail and tfidf-pairs, logistic "
                         "regression also tfidf");
}

cr_status cr__knobs_choose(cr__knobs *knobs, const char *setting, cr_error *err)
{
    static const char preset[] = "preset=";

    return strncmp(setting, preset, sizeof preset - 1) == 0
               ? apply(knobs, setting + sizeof preset - 1, err)
               : cr__knobs_set(knobs, setting, err);
}
