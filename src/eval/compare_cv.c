/* eval/compare_cv.c - learners cross-validated on the same folds, and each against the best. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/compare_impl.h"
#include "eval/metric_table.h"

typedef struct entry {
    char *name;
    cr_cv *cv;
    cr_rule *rule;
    cr_cv_metrics *metrics;
    cr_error error; /* why it cannot be compared */
    cr_entrant told;
} entry;

struct cr_comparison {
    entry *entry;
    size_t count, best;
    size_t first; /* that can learn the table */
    int numbers;
    const cr_metric *by, *main, *log;
    double rope;
};

void cr_comparison_free(cr_comparison *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; c->entry != NULL && i < c->count; i++) {
        cr_cv_metrics_free(c->entry[i].metrics);
        cr_rule_free(c->entry[i].rule);
        cr_cv_free(c->entry[i].cv);
        cr__free(c->entry[i].name);
    }
    cr__free(c->entry);
    cr__free(c);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* The first entrant that can learn the table determines whether classes or numbers are
 * predicted. */
static cr_status begin(cr_comparison *c, const cr_cv_facts *facts, const cr_compare_options *o,
                       cr_error *err)
{
    const char *by = o->by != NULL ? o->by : o->rule != NULL ? "cost" : NULL;

    c->numbers = facts->numbers != 0;
    c->main = cr_metric_find(c->numbers, c->numbers ? "rmse" : "accuracy");
    c->log = cr_metric_find(c->numbers, c->numbers ? "log_density" : "log_loss");
    c->by = by == NULL ? c->log : cr_metric_find(c->numbers, by);
    if (c->by == NULL || c->by->direction == 0)
        return cr__fail(err, CR_EARG, "'%s' is not a metric of %s that ranks models", by,
                        c->numbers ? "numbers" : "classes");
    return CR_OK;
}

static cr_status check_alike(const cr_comparison *c, const entry *e, cr_error *err)
{
    const int numbers = e->told.facts.numbers != 0;

    if (numbers == c->numbers)
        return CR_OK;
    return cr__fail(err, CR_ECONFLICT, "%s predicts a %s, and %s a %s", e->name,
                    numbers ? "number" : "class", c->entry[c->first].name,
                    numbers ? "class" : "number");
}

static cr_status make_rule(const cr_comparison *c, entry *e, const cr_compare_options *o,
                           cr_error *err)
{
    return o->rule == NULL || c->numbers ? CR_OK
                                         : cr_rule_new(&e->rule, cr_cv_model(e->cv), o->rule, err);
}

static cr_status measure(const cr_comparison *c, entry *e, cr_error *err)
{
    const cr_cv_options options = {.shown = CR_METRIC_FOLDS, .also = c->by, .rule = e->rule};
    const cr_status st = cr_cv_measure(&e->metrics, e->cv, &options, err);
    cr_model_facts facts;

    if (st != CR_OK)
        return st;
    cr_model_get_facts(cr_cv_model(e->cv), &facts);
    e->told.cv = e->cv;
    e->told.metrics = e->metrics;
    e->told.parameters = facts.parameters;
    e->told.bytes = cr_model_size(cr_cv_model(e->cv));
    return CR_OK;
}

/* CR_OK also where the entrant cannot be compared; then its error says why. */
static cr_status enter(cr_comparison *c, entry *e, cr_study *study, const cr_spec *spec,
                       const cr_compare_options *o, int is_first, cr_error *err)
{
    cr_status st;

    if ((e->name = cr__strndup(spec->name, strlen(spec->name))) == NULL)
        return cr__fail_memory(err);
    e->told.name = e->name;
    if ((st = cr__compare_check(spec, err)) != CR_OK)
        return cr__compare_blame(e->name, st, err);
    st = cr_cv_run(&e->cv, study, spec->learner, (const char *const *)spec->params,
                   spec->param_count, &e->error);
    if (st == CR_OK) {
        cr_cv_get_facts(e->cv, &e->told.facts);
        if (is_first && (st = begin(c, &e->told.facts, o, err)) != CR_OK)
            return st;
        st = check_alike(c, e, &e->error);
    }
    if (st == CR_OK && (st = make_rule(c, e, o, err)) != CR_OK)
        return st;
    if (st == CR_OK)
        st = measure(c, e, &e->error);
    e->told.status = st;
    e->told.why = st == CR_OK ? "" : e->error.message;
    if (st == CR_OK || (cr__compare_unable(st) && o->skip))
        return CR_OK;
    if (err != NULL)
        *err = e->error;
    return cr__compare_blame(e->name, st, err);
}

/* --- against the best ------------------------------------------------------------------------- */

static double score_of(const cr_comparison *c, const entry *e)
{
    const double x = e->metrics->all[cr__metric_place(c->by)];

    return c->by->direction * x;
}

static void find_best(cr_comparison *c)
{
    c->best = SIZE_MAX;
    for (size_t i = 0; i < c->count; i++)
        if (c->entry[i].told.status == CR_OK && !isnan(score_of(c, &c->entry[i])) &&
            (c->best == SIZE_MAX || score_of(c, &c->entry[i]) > score_of(c, &c->entry[c->best])))
            c->best = i;
}

/* For a metric where less is better, what cr_paired calls better is worse. */
static cr_paired in_direction(cr_paired p, const cr_metric *metric)
{
    const double worse = p.worse;

    if (metric->direction < 0) {
        p.worse = p.better;
        p.better = worse;
    }
    return p;
}

static cr_status pair(const cr_comparison *c, const entry *a, const cr_metric *metric, double rope,
                      cr_paired *out, cr_error *err)
{
    const cr_cv_metrics *x = a->metrics, *y = c->entry[c->best].metrics;
    const size_t at = cr__metric_place(metric);
    double *both = cr__alloc(2 * x->folds + 1, sizeof *both);

    if (both == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < x->folds; i++) {
        both[i] = x->value[i * x->metrics + at];
        both[x->folds + i] = y->value[i * y->metrics + at];
    }
    cr_compare_paired(both, both + x->folds, x->folds, 1 / ((double)a->told.facts.folds - 1), rope,
                      out);
    *out = in_direction(*out, metric);
    cr__free(both);
    return CR_OK;
}

static cr_status pair_up(const cr_comparison *c, entry *e, cr_error *err)
{
    const entry *best = &c->entry[c->best];
    const double scale = c->numbers ? best->metrics->all[cr__metric_place(c->main)] : 1;
    cr_status st = pair(c, e, c->main, c->rope * scale, &e->told.main, err);

    if (st == CR_OK)
        st = pair(c, e, c->log, c->rope, &e->told.log, err);
    if (st == CR_OK && cr_compare_rows(e->cv, best->cv, &e->told.only, &e->told.only_best,
                                       &e->told.rows_p, NULL) != CR_OK)
        e->told.only = e->told.only_best = e->told.rows_p = NAN;
    return st;
}

cr_status cr_compare_learners(cr_comparison **out, cr_study *study, const cr_spec *specs,
                              size_t count, const cr_compare_options *options, cr_error *err)
{
    const cr_compare_options usual = {0};
    const cr_compare_options *o = options == NULL ? &usual : options;
    cr_comparison *c = cr__alloc_zero(1, sizeof *c);
    size_t able = 0;
    cr_status st = c == NULL ? cr__fail_memory(err) : CR_OK;

    *out = NULL;
    if (st == CR_OK && (c->entry = cr__alloc_zero(count + 1, sizeof *c->entry)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        c->rope = o->rope > 0 ? o->rope : CR_ROPE;
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        c->count = i + 1;
        c->first = able == 0 ? i : c->first;
        st = enter(c, &c->entry[i], study, &specs[i], o, able == 0, err);
        able += st == CR_OK && c->entry[i].told.status == CR_OK;
    }
    if (st == CR_OK && able == 0) {
        st = count == 0 ? cr__fail(err, CR_EARG, "there is nothing to compare")
                        : c->entry[0].told.status;
        if (err != NULL && count > 0)
            *err = c->entry[0].error;
        if (count > 0)
            cr__compare_blame(c->entry[0].name, st, err);
    }
    if (st == CR_OK)
        find_best(c);
    for (size_t i = 0; st == CR_OK && c->best != SIZE_MAX && i < count; i++)
        if (c->entry[i].told.status == CR_OK)
            st = pair_up(c, &c->entry[i], err);
    if (st != CR_OK) {
        cr_comparison_free(c);
        return st;
    }
    *out = c;
    return CR_OK;
}

/* --- the result ------------------------------------------------------------------------------- */

cr_status cr_comparison_get(const cr_comparison *c, size_t index, cr_entrant *out)
{
    if (index >= c->count)
        return CR_END;
    *out = c->entry[index].told;
    return CR_OK;
}

void cr_comparison_get_facts(const cr_comparison *c, cr_comparison_facts *out)
{
    *out = (cr_comparison_facts){.count = c->count,
                                 .best = c->best,
                                 .numbers = c->numbers,
                                 .by = c->by,
                                 .main = c->main,
                                 .log = c->log,
                                 .rope = c->rope};
    for (size_t i = 0; i < c->count; i++)
        if (c->entry[i].told.status == CR_OK) {
            out->rows = c->entry[i].told.facts.rows;
            out->folds = c->entry[i].told.facts.folds;
            out->repeats = c->entry[i].told.facts.repeats;
            out->unlabelled = c->entry[i].told.facts.unlabelled;
            return;
        }
}
