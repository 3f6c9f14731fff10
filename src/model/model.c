/* model/model.c - make a model from statistics, change it, inspect it, free it. */
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"

const char *cr_version(void)
{
    return CREDENCE_VERSION;
}

cr_status cr_model_knob(const cr_model *model, size_t index, cr_knob *out)
{
    const cr__knob_spec *spec = &model->learner->knobs[index];

    if (index >= model->learner->knob_count)
        return CR_END;
    *out =
        (cr_knob){spec->name, model->knobs.value[index], spec->fallback, spec->help, spec->choices};
    return CR_OK;
}

/* --- life ------------------------------------------------------------------------------------ */

/* Whether fitting may cut real columns, whose dictionaries are the learner's then. */
static int can_bin(const cr_model *model)
{
    return model->learner->has_values != NULL && model->learner->has_values->binned != NULL;
}

static void free_dicts(cr_model *model)
{
    for (size_t i = 0; model->dict_views && model->dict != NULL && i < model->schema->columns; i++)
        if (!can_bin(model) || model->schema->column[i].kind == CR_SYMBOL)
            cr__dict_free(model->dict[i]);
    cr__free(model->dict);
    model->dict = NULL;
}

cr_model *cr__model_alloc(void)
{
    cr_model *model = cr__alloc_zero(1, sizeof *model);
    cr__model_share *share = cr__alloc_zero(1, sizeof *share);

    if (model == NULL || share == NULL) {
        cr__free(model);
        cr__free(share);
        return NULL;
    }
    atomic_init(&share->copies, 1);
    pthread_mutex_init(&share->lock, NULL);
    model->share = share;
    return model;
}

/* Free what the copies share, when the last of them is freed. */
static void free_shared(cr_model *model)
{
    if (model->learner != NULL)
        model->learner->free(model->share->fitted);
    free_dicts(model);
    cr__later_free(model->share->later);
    cr__stats_free(model->share->stats);
    cr__free(model->values);
    cr__free(model->missing);
    cr__recipe_free(&model->recipe);
    cr__knobs_free(&model->knobs);
    cr__schema_free(model->schema);
    cr__impute_unbind(&model->codes);
    cr__impute_free(model->impute);
    cr__container_close(&model->container);
    pthread_mutex_destroy(&model->share->lock);
    cr__free(model->share);
}

void cr_model_free(cr_model *model)
{
    if (model == NULL)
        return;
    cr__calibration_free(model->calibration);
    cr__choices_free(model->choices);
    if (atomic_fetch_sub(&model->share->copies, 1) == 1)
        free_shared(model);
    cr__free(model);
}

cr_status cr_model_copy(cr_model **out, const cr_model *model, cr_error *err)
{
    cr_model *copy;
    const cr_status st = cr__model_catch_up(model, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((copy = cr__alloc(1, sizeof *copy)) == NULL)
        return cr__fail_memory(err);
    pthread_mutex_lock(&model->share->lock); /* another thread may be reading the statistics */
    *copy = *model;
    pthread_mutex_unlock(&model->share->lock);
    atomic_fetch_add(&copy->share->copies, 1);
    cr__calibration_share(copy->calibration);
    cr__choices_share(copy->choices);
    *out = copy;
    return CR_OK;
}

int cr__model_shared(const cr_model *model)
{
    return atomic_load(&model->share->copies) > 1;
}

void cr__model_swap(cr_model *a, cr_model *b)
{
    const cr_model kept = *a;

    *a = *b;
    *b = kept;
}

static cr_status list_dicts(cr_model *model, cr_error *err)
{
    const size_t columns = model->schema->columns;

    model->dict = cr__alloc_zero(columns, sizeof *model->dict);
    model->values = cr__alloc_zero(columns, sizeof *model->values);
    if (model->dict == NULL || model->values == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < columns; i++) {
        model->dict[i] = model->stats->column[i].dict;
        model->values[i] = cr__stats_values(model->stats, i);
    }
    return CR_OK;
}

void cr__model_adopt_bins(cr_model *model)
{
    for (size_t i = 0; can_bin(model) && i < model->schema->columns; i++) {
        const cr__column_stats *binned;

        if (model->schema->column[i].kind != CR_REAL)
            continue;
        binned = model->learner->has_values->binned(model->share->fitted, i);
        model->dict[i] = binned == NULL ? NULL : binned->dict;
        model->values[i] = binned == NULL ? 0 : binned->dict->words;
    }
}

/* Fit a model that has all but its fitted parameters. */
static cr_status fit(cr_model *model, const cr__fit_input *input, cr_error *err)
{
    cr__fit_input own = *input;

    own.stats = model->stats;
    own.knobs = &model->knobs;
    return model->learner->fit(&model->share->fitted, &own, err);
}

cr_status cr__model_new(cr_model **out, const cr__learner *learner, cr__stats *stats,
                        const cr__fit_input *input, const char *missing, const cr__recipe *recipe,
                        cr_error *err)
{
    cr_model *model = cr__model_alloc();
    cr_status st;

    *out = NULL;
    if (model == NULL) {
        cr__stats_free(stats);
        return cr__fail_memory(err);
    }
    model->learner = learner;
    model->stats = model->share->stats = stats;
    model->rows = stats->rows;
    model->classes = stats->classes;
    strcpy(model->version, CREDENCE_VERSION);
    model->missing = cr__strndup(missing, strlen(missing));
    st = model->missing == NULL ? cr__fail_memory(err) : CR_OK;
    if (st == CR_OK)
        st = cr__knobs_copy(&model->knobs, input->knobs, err);
    if (st == CR_OK)
        st = cr__recipe_copy(&model->recipe, recipe, err);
    if (st == CR_OK)
        st = cr__schema_copy(&model->schema, stats->schema, err);
    if (st == CR_OK)
        st = list_dicts(model, err);
    if (st == CR_OK)
        st = fit(model, input, err);
    if (st != CR_OK) {
        cr_model_free(model);
        return st;
    }
    cr__model_adopt_bins(model);
    *out = model;
    return CR_OK;
}

cr_status cr__model_stats(const cr_model *const_model, const cr__stats **out, cr_error *err)
{
    cr_model *model = (cr_model *)const_model; /* filling the cache is not a change */
    cr_status st = CR_OK;

    if (model->learner->fit == NULL) {
        *out = NULL;
        if (!model->learner->of_models)
            return cr__fail(err, CR_ECONFLICT,
                            "a model of '%s' was not learned from data and has no statistics",
                            model->learner->name);
        cr__fail(err, CR_ECONFLICT, "an %s keeps no statistics of its own, only models",
                 model->learner->name);
        return cr__fail_hint(err, CR_ECONFLICT, "change its members and combine them again");
    }
    if ((st = cr__model_catch_up(model, err)) != CR_OK)
        return st;
    pthread_mutex_lock(&model->share->lock);
    if (model->share->stats == NULL)
        st = cr__stats_load(&model->share->stats, &model->container, model->schema, model->rows,
                            model->classes, err);
    *out = model->stats = model->share->stats;
    pthread_mutex_unlock(&model->share->lock);
    return st;
}

cr_status cr__model_fingerprint(const cr_model *const_model, cr_error *err)
{
    cr_model *model = (cr_model *)const_model; /* filling the cache is not a change */
    char fingerprint[33] = "";
    const cr__stats *stats;
    cr_status st = CR_OK;

    pthread_mutex_lock(&model->share->lock);
    memcpy(fingerprint, model->fingerprint, sizeof fingerprint);
    pthread_mutex_unlock(&model->share->lock);
    if (*fingerprint != '\0' || model->learner->fit == NULL)
        return CR_OK;
    if ((st = cr__model_stats(model, &stats, err)) != CR_OK ||
        (st = cr__stats_fingerprint(stats, fingerprint, err)) != CR_OK)
        return st;
    pthread_mutex_lock(&model->share->lock);
    memcpy(model->fingerprint, fingerprint, sizeof fingerprint);
    pthread_mutex_unlock(&model->share->lock);
    return CR_OK;
}

/* For the getters, which cannot fail: NULL when the statistics cannot be read. */
static const cr__stats *stats_or_null(const cr_model *model)
{
    const cr__stats *stats;

    return cr__model_stats(model, &stats, NULL) == CR_OK ? stats : NULL;
}

const cr_model *cr__model_counted(const cr_model *model, size_t *column)
{
    const cr_model *member = model->choices == NULL || model->learner->spokesman == NULL
                                 ? NULL
                                 : model->learner->spokesman(model->share->fitted);
    const char *name = column == NULL ? NULL : cr_schema_name(model->schema, *column);
    size_t at = SIZE_MAX;

    if (member == NULL)
        return model;
    if (name != NULL && (at = cr_schema_find(member->schema, name)) == SIZE_MAX)
        return model;
    if (name != NULL)
        *column = at;
    return member;
}

cr_status cr__model_take_impute(cr_model *model, cr__impute *impute, cr_error *err)
{
    cr__impute_unbind(&model->codes);
    cr__impute_free(model->impute);
    model->impute = impute;
    return impute == NULL ? CR_OK : cr__impute_bind(&model->codes, impute, model->dict, 0, err);
}

cr_status cr__model_become(cr_model *model, cr__stats *stats, const cr__fit_input *input,
                           cr_error *err)
{
    cr__fit_input own = input == NULL ? (cr__fit_input){0} : *input;
    cr_model *changed;
    cr_status st;

    if (own.knobs == NULL)
        own.knobs = &model->knobs;
    st = cr__model_new(&changed, model->learner, stats, &own, model->missing, &model->recipe, err);

    if (st != CR_OK)
        return st;
    st = cr__model_take_impute(changed, cr__impute_share(model->impute), err);
    if (st == CR_OK) {
        changed->choices = cr__choices_share(model->choices);
        cr__model_swap(model, changed);
    }
    cr_model_free(changed);
    return st;
}

/* --- getters ---------------------------------------------------------------------------------- */

/* NULL is a model that has nothing. */
const char *cr_model_learner(const cr_model *model)
{
    return model == NULL ? NULL : model->learner->name;
}
const char *cr_model_title(const cr_model *model)
{
    return model == NULL ? NULL : model->learner->summary;
}
const cr_schema *cr_model_schema(const cr_model *model)
{
    return model == NULL ? NULL : model->schema;
}
size_t cr_model_target(const cr_model *model)
{
    return model == NULL ? SIZE_MAX : model->schema->target;
}
const char *cr_model_missing(const cr_model *model)
{
    return model == NULL ? NULL : model->missing;
}
size_t cr_model_classes(const cr_model *model)
{
    return model == NULL ? 0 : model->classes;
}

int cr__model_has_column(const cr_model *model, size_t column)
{
    return model != NULL && column < model->schema->columns;
}

const char *cr_model_class(const cr_model *model, size_t c)
{
    if (c >= cr_model_classes(model))
        return NULL;
    if (model->schema->target == SIZE_MAX)
        return "";
    return cr__dict_word(model->dict[model->schema->target], (uint32_t)c + 1, NULL);
}

cr_status cr__model_no_class(const cr_model *model, cr_status st, const char *name, size_t length,
                             cr_error *err)
{
    char wanted[80], list[100] = "";
    cr_nearest near = {.wanted = cr__printable(wanted, sizeof wanted, name, length)};
    size_t used = 0;

    for (size_t c = 0; c < model->classes; c++)
        cr_nearest_offer(&near, cr_model_class(model, c));
    cr__fail(err, st, "the model has no class '%s'", wanted);
    if (near.best != NULL)
        return cr__fail_hint(err, st, "did you mean '%s'?", near.best);
    for (size_t c = 0; c < model->classes && used < sizeof list; c++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", c > 0 ? ", " : "",
                                 cr_model_class(model, c));
    if (used < sizeof list)
        return cr__fail_hint(err, st, "its classes are %s", list);
    return cr__fail_hint(err, st, "its first class is '%s'", cr_model_class(model, 0));
}

cr_status cr_model_find_class(size_t *out, const cr_model *model, const char *name, cr_error *err)
{
    const size_t length = strlen(name);
    const uint32_t code = model->schema->target == SIZE_MAX
                              ? CR__MISSING
                              : cr__dict_find(model->dict[model->schema->target], name, length);

    if (code == CR__MISSING || code > model->classes)
        return cr__model_no_class(model, CR_EARG, name, length, err);
    *out = code - 1;
    return CR_OK;
}

const char *cr_model_impute(const cr_model *model)
{
    return cr__impute_name(model->impute == NULL ? CR__IMPUTE_NONE : model->impute->how);
}

cr_status cr_model_remark(const cr_model *model, size_t index, char *buffer, size_t size)
{
    if (model->learner->remark == NULL ||
        !model->learner->remark(model->share->fitted, model->schema, model->dict, index, buffer,
                                size))
        return CR_END;
    return CR_OK;
}

double cr_model_class_count(const cr_model *model, size_t c)
{
    const cr__stats *stats =
        c < cr_model_classes(model) ? stats_or_null(cr__model_counted(model, NULL)) : NULL;

    return stats == NULL ? NAN : cr__count_value(cr__stats_class(stats, c));
}

double cr_model_prior(const cr_model *model, size_t c)
{
    if (c >= cr_model_classes(model) || cr__model_catch_up(model, NULL) != CR_OK)
        return NAN;
    return model->learner->prior == NULL ? 1 / (double)model->classes
                                         : model->learner->prior(model->share->fitted, c);
}

size_t cr_model_values(const cr_model *model, size_t column)
{
    return !cr__model_has_column(model, column) || cr__model_is_number(model, column)
               ? 0
               : model->values[column];
}

const char *cr_model_value(const cr_model *model, size_t column, size_t value)
{
    if (!cr__model_has_column(model, column) || model->dict[column] == NULL ||
        value >= model->dict[column]->words)
        return NULL;
    return cr__dict_word(model->dict[column], (uint32_t)value + 1, NULL);
}

/* Whether the column has this value and the model this class. */
static int has_count(const cr_model *model, size_t column, size_t value, size_t c)
{
    return cr__model_has_column(model, column) && c < model->classes &&
           value < model->values[column];
}

double cr_model_count(const cr_model *model, size_t column, size_t value, size_t c)
{
    const int there = has_count(model, column, value, c);
    const cr__stats *stats = there ? stats_or_null(model) : NULL;
    const cr__column_stats *binned =
        there && can_bin(model) ? model->learner->has_values->binned(model->share->fitted, column)
                                : NULL;

    if (binned != NULL) {
        const size_t at = value * model->classes + c;

        return cr__count_value(
            (cr__count){binned->whole[at], binned->fraction == NULL ? 0 : binned->fraction[at]});
    }
    if (stats == NULL || stats->column[column].whole == NULL)
        return NAN;
    return cr__count_value(cr__stats_count(stats, column, value, c));
}

double cr_model_probability(const cr_model *model, size_t column, size_t value, size_t c)
{
    if (!has_count(model, column, value, c) || model->learner->has_values == NULL ||
        !cr__stats_is_feature(model->schema, column) || cr__model_catch_up(model, NULL) != CR_OK)
        return NAN;
    return model->learner->has_values->probability(model->share->fitted, column, value, c);
}

int cr__model_is_number(const cr_model *model, size_t column)
{
    const cr__has_joint *joint = model->learner->has_joint;

    return model->schema->column[column].kind == CR_REAL &&
           (model->dict[column] == NULL || (joint != NULL && joint->is_number != NULL &&
                                            joint->is_number(model->share->fitted, column)));
}

cr_status cr_model_gaussian(const cr_model *model, size_t column, size_t c, cr_gaussian *out)
{
    const cr__stats *stats;
    const cr__moment *m;

    *out = (cr_gaussian){0};
    if (!cr__model_has_column(model, column) || c >= model->classes)
        return CR_EARG;
    if ((stats = stats_or_null(model)) == NULL)
        return CR_EFORMAT;
    if (stats->column[column].moment == NULL || model->values[column] > 0)
        return CR_EARG;
    m = &stats->column[column].moment[c];
    out->count = cr__count_value(m->count);
    out->mean = cr__exact_mean(m->count.whole, m->count.fraction, &m->sum);
    out->variance_mle =
        cr__exact_variance(m->count.whole, m->count.fraction, &m->sum, &m->squares, 0);
    out->variance_unbiased =
        cr__exact_variance(m->count.whole, m->count.fraction, &m->sum, &m->squares, 1);
    out->fitted_mean = out->mean;
    out->fitted_variance = out->variance_unbiased;
    if (model->learner->has_normals != NULL)
        model->learner->has_normals->gaussian(model->share->fitted, column, c, out);
    return CR_OK;
}

/* Whether a real column is one of a joint normal distribution of `count`, and its centre. */
static int normal_centre(const cr_model *model, size_t column, size_t c, size_t count,
                         cr_gaussian *out)
{
    *out = (cr_gaussian){0};
    if (column >= model->schema->columns || !cr__stats_is_feature(model->schema, column) ||
        model->schema->column[column].kind != CR_REAL || model->values[column] > 0)
        return 0;
    model->learner->has_normals->gaussian(model->share->fitted, column, c, out);
    return out->bandwidth == 0 &&
           (out->freedom == 0 || count == 1 || model->learner->needs.cross == CR__CROSS_CLASSES);
}

cr_status cr_model_normal(const cr_model *model, size_t c, const size_t *column, size_t count,
                          double *mean, double *covariance, double *freedom, cr_error *err)
{
    const cr__has_normals *normals = model->learner->has_normals;
    cr_gaussian g = {0};
    cr_status st;

    if (normals == NULL || normals->covariance == NULL)
        return cr__fail(err, CR_EARG, "a model of '%s' has no normal distributions",
                        model->learner->name);
    if (c >= model->classes)
        return cr__fail(err, CR_EARG, "the model has %zu classes, not %zu", model->classes, c + 1);
    if ((st = cr__model_catch_up(model, err)) != CR_OK)
        return st;
    for (size_t i = 0; i < count; i++) {
        if (!normal_centre(model, column[i], c, count, &g))
            return cr__fail(
                err, CR_EARG, "'%s' is not jointly normal in this model",
                column[i] < model->schema->columns ? model->schema->column[column[i]].name : "");
        mean[i] = g.fitted_mean;
        for (size_t j = 0; j < count; j++)
            covariance[i * count + j] =
                normals->covariance(model->share->fitted, column[i], column[j], c);
    }
    if (freedom != NULL)
        *freedom = g.freedom;
    return CR_OK;
}

cr_status cr_model_draw(const cr_model *model,
                        void (*line)(void *context, size_t depth, const char *text), void *context,
                        cr_error *err)
{
    if (model->learner->draws == NULL)
        return cr__fail(err, CR_EARG, "a model of '%s' has no picture", model->learner->name);
    return model->learner->draws(model->share->fitted, model->schema, model->dict, line, context,
                                 err);
}

double cr_model_information(const cr_model *model, size_t column)
{
    return !cr__model_has_column(model, column) || model->learner->information == NULL ||
                   cr__model_catch_up(model, NULL) != CR_OK
               ? NAN
               : model->learner->information(model->share->fitted, column);
}

/* A full joint table over the target and all symbol features has Π V - 1 free parameters; one of
 * P(class | symbols) has K - 1 for each combination of symbols. */
static void joint_size(const cr_model *model, cr_model_facts *out)
{
    double log10_cells = model->classes > 0 ? log10((double)model->classes) : 0;

    for (size_t i = 0; i < model->schema->columns; i++)
        if (cr__stats_is_feature(model->schema, i) && model->values[i] > 0)
            log10_cells += log10((double)model->values[i]);
    out->joint_parameters = pow(10, log10_cells);
    if (out->joint_parameters < 1 / DBL_EPSILON)
        out->joint_parameters = rint(out->joint_parameters) - 1;
    out->joint_log10 =
        out->joint_parameters > 0 ? fmin(log10_cells, log10(out->joint_parameters)) : 0;
    if (model->classes < 2)
        return;
    out->conditional_log10 =
        log10_cells - log10((double)model->classes) + log10((double)model->classes - 1);
    out->conditional_parameters = pow(10, out->conditional_log10);
    if (out->conditional_parameters < 1 / DBL_EPSILON)
        out->conditional_parameters = rint(out->conditional_parameters);
}

cr_status cr_model_get_facts(const cr_model *model, cr_model_facts *out)
{
    const cr__stats *stats = NULL;
    cr_status st = model->learner->fit == NULL ? CR_OK : cr__model_stats(model, &stats, NULL);

    if (st == CR_OK)
        st = cr__model_fingerprint(model, NULL);
    *out = (cr_model_facts){.rows = model->rows, .format = CR__FORMAT};
    for (size_t c = 0; stats != NULL && c < model->classes; c++)
        out->weight += cr__count_value(cr__stats_class(stats, c));
    out->parameters = model->learner->fit != NULL && stats == NULL
                          ? NAN
                          : model->learner->parameters(model->share->fitted, stats, &model->knobs);
    joint_size(model, out);
    if (model->learner->facts != NULL)
        model->learner->facts(model->share->fitted, stats, out);
    memcpy(out->fingerprint, model->fingerprint, sizeof out->fingerprint);
    memcpy(out->version, model->version, sizeof out->version);
    return st == CR_OK && isnan(out->parameters) ? CR_ENOMEM : st;
}
