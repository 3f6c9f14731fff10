/* train/change.c - change the knobs of a model, and merge two models. */
#include <string.h>

#include "base/fail.h"
#include "model/presets.h"
#include "stats/tfidf.h"
#include "train/calibration.h"
#include "train/training.h"

static int has_text(const cr_model *model)
{
    for (size_t i = 0; i < model->schema->columns; i++)
        if (model->schema->column[i].kind == CR_BAG)
            return 1;
    return 0;
}

static int same_knob(const cr__knobs *a, const cr__knobs *b, const char *name)
{
    return cr__knobs_is(a, name, cr__knobs_text(b, name));
}

/* Whether no knob was turned: all have the same texts. */
static int same_knobs(const cr__knobs *a, const cr__knobs *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!same_knob(a, b, a->spec[i].name))
            return 0;
    return 1;
}

/* Knobs that decide what the words of a text are cannot be changed without the texts. */
static cr_status check_recipe(const cr_model *model, const cr__knobs *knobs, cr_error *err)
{
    cr__recipe recipe;
    int same = 0;
    int turned = 0;
    cr_status st;

    for (size_t i = 0; i < cr__recipe_knob_count; i++)
        turned |= !same_knob(knobs, &model->knobs, cr__recipe_knobs[i].name);
    if ((cr__tfidf_needed(model->schema, knobs) ||
         cr__tfidf_needed(model->schema, &model->knobs)) &&
        (!same_knob(knobs, &model->knobs, "weight") ||
         !same_knob(knobs, &model->knobs, "length-norm"))) {
        cr__fail(err, CR_EARG, "how the words of a text are weighted is fixed at training");
        return cr__fail_hint(err, CR_EARG, "train again with these knobs");
    }
    if (!same_knob(knobs, &model->knobs, "values")) {
        cr__fail(err, CR_EARG, "whether the numbers of real columns are kept is fixed at training");
        return cr__fail_hint(err, CR_EARG, "train again with values=%s",
                             cr__knobs_text(knobs, "values"));
    }
    if (cr__needs_cuts(&model->learner->needs) && !same_knob(knobs, &model->knobs, "bins")) {
        cr__fail(err, CR_EARG, "how real columns are cut is fixed at training");
        return cr__fail_hint(err, CR_EARG, "train again with these bins");
    }
    if (!turned || !has_text(model))
        return CR_OK;
    if ((st = cr__model_recipe(&recipe, knobs, err)) != CR_OK)
        return st;
    if ((st = cr__recipe_same(&recipe, &model->recipe, &same, err)) == CR_OK && !same) {
        cr__fail(err, CR_EARG, "what the words of a text are is fixed at training");
        st = cr__fail_hint(err, CR_EARG, "train again with these knobs");
    }
    cr__recipe_free(&recipe);
    return st;
}

/* Fit the statistics again, in place unless a copy shares the old parameters. On success `knobs`
 * becomes the model's old ones. */
static cr_status refit_trained(cr_model *model, cr__knobs *knobs, const cr__stats *stats,
                               cr_error *err)
{
    const cr__fit_input input = {.stats = stats,
                                 .knobs = knobs,
                                 .before = model->share->fitted,
                                 .before_stats = stats,
                                 .before_knobs = &model->knobs};
    const cr__knobs old = model->knobs;
    void *fitted = NULL;
    cr_status st = check_recipe(model, knobs, err);

    if (st == CR_OK && cr__model_shared(model))
        return cr__model_become(model, cr__stats_share(stats), &input, err);
    if (st != CR_OK || (st = model->learner->fit(&fitted, &input, err)) != CR_OK)
        return st;
    model->learner->free(model->share->fitted);
    model->share->fitted = fitted;
    cr__model_adopt_bins(model);
    model->knobs = *knobs;
    *knobs = old;
    return CR_OK;
}

/* The same for a model that was not trained on data. */
static cr_status refit_given(cr_model *model, cr__knobs *knobs, cr_error *err)
{
    cr_status st = cr__model_own(model, err);
    const cr__knobs old = model->knobs;

    if (st != CR_OK || (st = model->learner->refit(model->share->fitted, knobs, err)) != CR_OK)
        return st;
    model->knobs = *knobs;
    *knobs = old;
    return CR_OK;
}

cr_status cr_model_refit(cr_model *model, const char *const *params, size_t count, cr_error *err)
{
    const cr__stats *stats = NULL;
    const int trained = model->learner->fit != NULL;
    cr__calibration *kept = NULL; /* a knob that is turned makes other answers, and drops it */
    cr__knobs knobs;
    cr_status st = trained ? cr__model_stats(model, &stats, err) : CR_OK;

    if (st != CR_OK || (st = cr__knobs_copy(&knobs, &model->knobs, err)) != CR_OK)
        return st;
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = cr__knobs_choose(&knobs, params[i], err);
    if (st == CR_OK && same_knobs(&knobs, &model->knobs))
        kept = cr__calibration_share(model->calibration);
    if (st == CR_OK)
        st = trained ? refit_trained(model, &knobs, stats, err) : refit_given(model, &knobs, err);
    if (st == CR_OK) {
        cr__calibration_free(model->calibration);
        model->calibration = kept;
    } else {
        cr__calibration_free(kept);
    }
    cr__knobs_free(&knobs);
    return st;
}

cr_status cr__model_needs_rows(const cr_model *model, const char *what, cr_error *err)
{
    if (model->learner->needs.rows != CR__ROWS_ALWAYS)
        return CR_OK;
    cr__fail(err, CR_ECONFLICT, "a model of '%s' is fitted on the rows themselves and cannot %s",
             model->learner->name, what);
    return cr__fail_hint(err, CR_ECONFLICT, "train again on the rows that should count");
}

/* --- two models as one ------------------------------------------------------------------------ */

static int same_classes(const cr_model *a, const cr_model *b)
{
    int same = a->classes == b->classes;

    for (size_t c = 0; same && c < a->classes; c++)
        same = strcmp(cr_model_class(a, c), cr_model_class(b, c)) == 0;
    return same;
}

static int has_tallies(const cr_model *model)
{
    return model->calibration != NULL && model->calibration->tally != NULL;
}

/* Of kinds that count the same bins, that of the model with more rows; 0: they cannot be added. */
static cr__calibration_kind common_kind(const cr_model *a, const cr_model *b)
{
    const cr__calibration_kind x = a->calibration->kind, y = b->calibration->kind;

    if (x == y)
        return x;
    if (cr__calibration_is_temperature(x) || cr__calibration_is_temperature(y))
        return 0;
    return a->rows > b->rows || (a->rows == b->rows && x < y) ? x : y;
}

/* The calibration of the sum or difference of two models; NULL where there is none. Tallies are
 * integers and add up in any order. A model without one adds rows that were not answered: the
 * calibration of the other stays right as long as most rows are its own. */
static cr_status combine_calibrations(cr__calibration **out, const cr_model *a, const cr_model *b,
                                      int sign, cr_error *err)
{
    const cr_model *most = has_tallies(a) ? a : b;
    cr__calibration_kind kind;
    cr_status st;

    *out = NULL;
    if (!has_tallies(most) || !same_classes(a, b))
        return CR_OK;
    if (has_tallies(a) && has_tallies(b))
        kind = common_kind(a, b);
    else
        kind = sign > 0 && most->rows >= (most == a ? b : a)->rows ? most->calibration->kind : 0;
    if (kind == 0)
        return CR_OK;
    st = cr__calibration_begin(out, kind, most->classes, most->calibration->tally, err);
    for (size_t i = 0; st == CR_OK && most == a && has_tallies(b) && i < (*out)->tallies; i++)
        (*out)->tally[i] += sign * b->calibration->tally[i];
    if (st == CR_OK && (st = cr__calibration_settle(*out, err)) != CR_OK) {
        cr__calibration_free(*out);
        *out = NULL;
    }
    return st;
}

/* Whether one model has chosen densities by its numbers and the other, smaller or far larger, has
 * kept only moments: their sum has moments, and is Gaussian. */
static int becomes_gaussian(const cr_model *model, const cr__stats *a, const cr__stats *b, int sign)
{
    return sign > 0 && cr__stats_keeps_values(a) && !cr__stats_keeps_values(b) &&
           cr__knobs_is(&model->knobs, "real", "auto") &&
           !cr__knobs_is(&model->knobs, "values", "keep");
}

/* Let a model become the sum of statistics that lack numbers. */
static cr_status become_gaussian(cr_model *model, const cr__stats *a, const cr__stats *b,
                                 cr_error *err)
{
    cr__stats *sum = NULL;
    cr_status st = cr__stats_combine(&sum, b, a, 1, err);

    if (st == CR_OK && (st = cr__knobs_set(&model->knobs, "real=gaussian", err)) != CR_OK)
        cr__stats_free(sum);
    if (st == CR_OK && (st = cr__model_become(model, sum, &(cr__fit_input){0}, err)) != CR_OK)
        cr__knobs_set(&model->knobs, "real=auto", NULL);
    return st;
}

/* Add what other has learned (sign 1), or unlearn it (-1). */
static cr_status combine(cr_model *model, const cr_model *other, int sign, cr_error *err)
{
    const cr__stats *a, *b;
    cr__stats *sum = NULL;
    cr__calibration *calibration = NULL;
    int same = 1;
    cr_status st = CR_OK;

    if (model->learner != other->learner)
        return cr__fail(err, CR_ECONFLICT, "a model of '%s' cannot %s one of '%s'",
                        model->learner->name, sign > 0 ? "be merged with" : "take back",
                        other->learner->name);
    if (has_text(model))
        st = cr__recipe_same(&model->recipe, &other->recipe, &same, err);
    if (st != CR_OK)
        return st;
    if (!same)
        return cr__fail(err, CR_ECONFLICT, "the models make different words of a text");
    if ((st = cr__model_stats(model, &a, err)) != CR_OK ||
        (st = cr__model_stats(other, &b, err)) != CR_OK ||
        (st = cr__model_needs_rows(model, sign > 0 ? "be merged" : "forget", err)) != CR_OK)
        return st;
    if (becomes_gaussian(model, a, b, sign))
        return become_gaussian(model, a, b, err);
    if (cr__stats_keeps_values(a) ==
        cr__stats_keeps_values(b)) /* else other answers were counted */
        st = combine_calibrations(&calibration, model, other, sign, err);
    if (st != CR_OK || (st = cr__stats_combine(&sum, a, b, sign, err)) != CR_OK ||
        (st = cr__model_become(model, sum,
                               &(cr__fit_input){.before = model->share->fitted, .before_stats = a},
                               err)) != CR_OK) {
        cr__calibration_free(calibration);
        return st;
    }
    if (calibration != NULL && calibration->classes == model->classes)
        model->calibration = calibration;
    else
        cr__calibration_free(calibration);
    return CR_OK;
}

cr_status cr_model_merge(cr_model *model, const cr_model *other, cr_error *err)
{
    return combine(model, other, 1, err);
}

cr_status cr_model_unmerge(cr_model *model, const cr_model *other, cr_error *err)
{
    return combine(model, other, -1, err);
}
