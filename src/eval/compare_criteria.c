/* eval/compare_criteria.c - learners trained on all rows, and which accounts for them best.
 *
 * Every criterion is a cost: the least is best. Those that count bits or likelihood do so for the
 * classes given the rows, which every learner has; only `joint` counts the rows too, and only
 * learners that describe rows have it.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/compare_impl.h"

/* --- criteria --------------------------------------------------------------------------------- */

static double mdl_cost(const cr_account *a)
{
    return a->criteria.mdl;
}

static double joint_cost(const cr_account *a)
{
    return a->criteria.joint_mdl;
}

static double mistakes_cost(const cr_account *a)
{
    return a->criteria.mistakes_mdl;
}

static double penalty_cost(const cr_account *a)
{
    return a->penalised;
}

static double bic_cost(const cr_account *a)
{
    return a->criteria.bic;
}

static double aic_cost(const cr_account *a)
{
    return a->criteria.aic;
}

static double evidence_cost(const cr_account *a)
{
    return -a->criteria.log_evidence / log(2);
}

static double holdout_cost(const cr_account *a)
{
    return a->has_holdout ? -a->held_out.conditional / log(2) : NAN;
}

static const cr_criterion criteria[] = {
    {"mdl", "description length: hypothesis and classes given the rows, in bits", mdl_cost},
    {"joint", "description length: hypothesis, rows and classes, in bits", joint_cost},
    {"mistakes", "description length: hypothesis and list of its mistakes, in bits", mistakes_cost},
    {"penalty", "error + lambda * parameters", penalty_cost},
    {"bic", "BIC", bic_cost},
    {"aic", "AIC", aic_cost},
    {"evidence", "evidence, -log2 P(data), in bits", evidence_cost},
    {"holdout", "held-out targets, in bits", holdout_cost},
};

const cr_criterion *cr_criterion_get(size_t index)
{
    return index < sizeof criteria / sizeof *criteria ? &criteria[index] : NULL;
}

const cr_criterion *cr_criterion_find(const char *key)
{
    for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++)
        if (strcmp(criteria[i].key, key) == 0)
            return &criteria[i];
    return NULL;
}

/* --- models ----------------------------------------------------------------------------------- */

typedef struct entry {
    char *name, *learner;
    cr_error error;
    cr_account told;
} entry;

struct cr_accounts {
    entry *entry;
    size_t count, best;
    const cr_criterion *by;
};

void cr_accounts_free(cr_accounts *a)
{
    if (a == NULL)
        return;
    for (size_t i = 0; a->entry != NULL && i < a->count; i++) {
        cr__free(a->entry[i].name);
        cr__free(a->entry[i].learner);
    }
    cr__free(a->entry);
    cr__free(a);
}

static char *setting(const cr_knob *knob)
{
    char *text = cr__alloc(strlen(knob->name) + strlen(knob->fallback) + 2, 1);

    if (text != NULL)
        stpcpy(stpcpy(stpcpy(text, knob->name), "="), knob->fallback);
    return text;
}

/* Turn the knobs of a model that is trained already to those of another spec: what it does not name
 * goes back to its default. CR_EARG: some of them are fixed at training. */
static cr_status set_knobs(cr_model *model, const cr_spec *spec)
{
    size_t knobs = 0, made = 0;
    char **params;
    cr_knob knob;
    cr_status st = CR_OK;

    while (cr_model_knob(model, knobs, &knob) == CR_OK)
        knobs++;
    if ((params = cr__alloc_zero(knobs + spec->param_count + 1, sizeof *params)) == NULL)
        return CR_ENOMEM;
    for (; st == CR_OK && made < knobs; made++) {
        cr_model_knob(model, made, &knob);
        if ((params[made] = setting(&knob)) == NULL)
            st = CR_ENOMEM;
    }
    for (size_t i = 0; i < spec->param_count; i++)
        params[knobs + i] = spec->params[i];
    if (st == CR_OK)
        st = cr_model_refit(model, (const char *const *)params, knobs + spec->param_count, NULL);
    for (size_t i = 0; i < made; i++)
        cr__free(params[i]);
    cr__free(params);
    return st;
}

/* The spec's model: counts that are there already serve again where only knobs differ. */
static cr_status learn(cr_model **model, const cr_spec *spec, cr_source *source, const cr_run *run,
                       cr_tally *tally, cr_error *err)
{
    if (*model != NULL && strcmp(cr_model_learner(*model), spec->learner) == 0 &&
        set_knobs(*model, spec) == CR_OK)
        return CR_OK;
    cr_model_free(*model);
    *model = NULL;
    return cr_model_train(model, source, spec->learner, (const char *const *)spec->params,
                          spec->param_count, run, tally, err);
}

/* --- one account ------------------------------------------------------------------------------ */

static int predicts_number(const cr_model *model)
{
    const size_t target = cr_model_target(model);

    return target != SIZE_MAX && cr_schema_kind(cr_model_schema(model), target) == CR_REAL;
}

static cr_status account(cr_account *a, const cr_model *model, cr_source *source,
                         cr_source *holdout, const cr_account_options *o, const cr_run *run,
                         cr_error *err)
{
    cr_status st;

    if (cr_model_target(model) == SIZE_MAX)
        return cr__fail(err, CR_EARG, "%s needs to know which column is to be predicted", a->name);
    a->numbers = predicts_number(model);
    if ((st = cr_model_likelihood(model, source, NULL, run, &a->likelihood, NULL, err)) != CR_OK)
        return st;
    cr_model_criteria(model, &a->likelihood, &a->criteria);
    a->lambda =
        o->lambda > 0 ? o->lambda : log(fmax(a->likelihood.rows, 2)) / (2 * a->likelihood.rows);
    a->penalised = a->criteria.error + a->lambda * a->criteria.parameters;
    a->has_holdout = holdout != NULL;
    return holdout == NULL
               ? CR_OK
               : cr_model_likelihood(model, holdout, NULL, run, &a->held_out, NULL, err);
}

static cr_status check_alike(const cr_accounts *all, const cr_account *a, size_t at, cr_error *err)
{
    for (size_t i = 0; i < at; i++) {
        const cr_account *other = &all->entry[i].told;

        if (other->status == CR_OK && !other->numbers != !a->numbers)
            return cr__fail(err, CR_ECONFLICT, "%s predicts a %s, and %s a %s", a->name,
                            a->numbers ? "number" : "class", other->name,
                            a->numbers ? "class" : "number");
    }
    return CR_OK;
}

static cr_status enter(cr_accounts *all, size_t at, cr_model **model, const cr_spec *spec,
                       cr_source *source, cr_source *holdout, const cr_account_options *o,
                       const cr_run *run, cr_tally *tally, cr_error *err)
{
    entry *e = &all->entry[at];
    cr_status st;

    e->name = cr__strndup(spec->name, strlen(spec->name));
    e->learner = cr__strndup(spec->learner, strlen(spec->learner));
    if (e->name == NULL || e->learner == NULL)
        return cr__fail_memory(err);
    e->told.name = e->name;
    e->told.learner = e->learner;
    if ((st = cr__compare_check(spec, err)) != CR_OK)
        return cr__compare_blame(e->name, st, err);
    if ((st = learn(model, spec, source, run, tally, &e->error)) == CR_OK &&
        (st = account(&e->told, *model, source, holdout, o, run, &e->error)) == CR_OK)
        st = check_alike(all, &e->told, at, &e->error);
    e->told.status = st;
    e->told.why = st == CR_OK ? "" : e->error.message;
    if (st == CR_OK || (cr__compare_unable(st) && o->skip))
        return CR_OK;
    if (err != NULL)
        *err = e->error;
    return cr__compare_blame(e->name, st, err);
}

/* --- the comparison --------------------------------------------------------------------------- */

static void find_best(cr_accounts *a)
{
    double least = NAN;

    a->best = SIZE_MAX;
    for (size_t i = 0; i < a->count; i++) {
        cr_account *told = &a->entry[i].told;

        told->cost = told->status == CR_OK ? a->by->cost(told) : NAN;
        if (!isnan(told->cost) && !(told->cost >= least)) {
            least = told->cost;
            a->best = i;
        }
    }
    for (size_t i = 0; i < a->count; i++)
        a->entry[i].told.behind = a->entry[i].told.cost - least;
}

cr_status cr_compare_accounts(cr_accounts **out, cr_source *source, cr_source *holdout,
                              const cr_spec *specs, size_t count, const cr_account_options *options,
                              const cr_run *run, cr_tally *tally, cr_error *err)
{
    const cr_account_options usual = {0};
    const cr_account_options *o = options == NULL ? &usual : options;
    cr_accounts *a = cr__alloc_zero(1, sizeof *a);
    cr_model *model = NULL;
    size_t able = 0;
    cr_status st = CR_OK;

    *out = NULL;
    if (a == NULL || (a->entry = cr__alloc_zero(count + 1, sizeof *a->entry)) == NULL)
        st = cr__fail_memory(err);
    else if ((a->by = cr_criterion_find(o->by == NULL ? "mdl" : o->by)) == NULL)
        st = cr__fail(err, CR_EARG, "there is no criterion '%s'", o->by);
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        a->count = i + 1;
        st = enter(a, i, &model, &specs[i], source, holdout, o, run, tally, err);
        able += st == CR_OK && a->entry[i].told.status == CR_OK;
    }
    cr_model_free(model);
    if (st == CR_OK && able == 0) {
        st = count == 0 ? CR_EARG : a->entry[0].told.status;
        if (err != NULL && count > 0)
            *err = a->entry[0].error;
        if (count > 0)
            cr__compare_blame(a->entry[0].name, st, err);
    }
    if (st != CR_OK) {
        cr_accounts_free(a);
        return st;
    }
    find_best(a);
    *out = a;
    return CR_OK;
}

size_t cr_accounts_best(const cr_accounts *a)
{
    return a->best;
}

const cr_criterion *cr_accounts_by(const cr_accounts *a)
{
    return a->by;
}

cr_status cr_accounts_get(const cr_accounts *a, size_t index, cr_account *out)
{
    if (index >= a->count)
        return CR_END;
    *out = a->entry[index].told;
    return CR_OK;
}
