/* learners/logistic/bridge.c - other models as logistic regressions, where they are linear. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/logistic.h"
#include "learners/logistic/design.h"
#include "learners/registry.h"
#include "model/model.h"

/* The words of a text and their weighting are kept. */
cr_status cr__lr_convert_knobs(cr__knobs *out, const cr_model *model, cr_error *err)
{
    cr_status st = cr__knobs_new(out, cr__logistic.knobs, cr__logistic.knob_count, err);

    for (size_t i = 0; st == CR_OK && i < out->count; i++) {
        const char *name = out->spec[i].name, *value = cr__knobs_text(&model->knobs, name);
        const int text = strcmp(name, "weight") == 0 || strcmp(name, "length-norm") == 0;
        int recipe = 0;

        for (size_t k = 0; k < cr__recipe_knob_count; k++)
            recipe |= strcmp(cr__recipe_knobs[k].name, name) == 0;
        if ((!text && !recipe) || *value == '\0')
            continue;
        cr__free(out->value[i]);
        if ((out->value[i] = cr__strndup(value, strlen(value))) == NULL)
            st = cr__fail_memory(err);
    }
    if (st == CR_OK && (cr__knobs_is(&model->knobs, "event", "boolean") ||
                        cr__knobs_is(&model->knobs, "event", "bernoulli")))
        st = cr__knobs_set(out, "weight=binary", err);
    return st == CR_OK ? cr__knobs_set(out, "form=reference", err) : st;
}

static cr_status make_arrays(cr__lr *lr, const cr__stats *stats, const cr__knobs *knobs,
                             cr__linear *linear, cr_error *err)
{
    double *intercept = cr__alloc_zero(lr->shape.sets, sizeof *intercept);
    double *frame = cr__alloc(lr->shape.columns, 2 * sizeof *frame);
    cr_status st = CR_OK;

    linear->sets = lr->shape.sets;
    linear->column = cr__alloc_zero(lr->shape.columns, sizeof *linear->column);
    lr->intercept = lr->own[0] = linear->intercept = intercept;
    lr->frame = lr->own[2] = frame;
    if (intercept == NULL || frame == NULL || linear->column == NULL)
        return cr__fail_memory(err);
    cr__lr_frame(stats, frame);
    for (size_t i = 0; st == CR_OK && i < lr->shape.columns; i++)
        if (lr->column[i].kind != CR_IGNORE)
            st = cr__lr_own_column(lr, i, stats->column[i].bag, knobs, &linear->column[i], err);
    for (size_t i = 0; st == CR_OK && i < lr->shape.columns; i++)
        if (lr->column[i].text != NULL)
            lr->column[i].text->apart = 0; /* one length for all words, as before */
    return st;
}

static cr_status make_shares(cr__lr *lr, const cr_model *model, cr_error *err)
{
    double *share = cr__alloc(model->classes, sizeof *share);

    lr->share = lr->own[1] = share;
    if (share == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < model->classes; c++)
        share[c] = cr_model_prior(model, c);
    return CR_OK;
}

cr_status cr__lr_convert(cr__lr **out, const cr_model *model, const cr__stats *stats,
                         const cr__knobs *knobs, cr_error *err)
{
    cr__linear linear = {0};
    cr__lr_shape shape;
    cr__lr *lr = NULL;
    cr_status st = cr__lr_shape_new(&shape, stats, knobs, err);

    if (st != CR_OK)
        cr__lr_shape_free(&shape);
    else
        st = cr__lr_new(&lr, &shape, err);
    if (st == CR_OK)
        st = make_shares(lr, model, err);
    if (st == CR_OK)
        st = make_arrays(lr, stats, knobs, &linear, err);
    if (st == CR_OK)
        st = model->learner->is_linear(model->share->fitted, stats, &model->knobs, &linear, err);
    cr__free(linear.column);
    if (st != CR_OK) {
        cr__lr_free(lr);
        return st;
    }
    lr->outcome = (cr__lr_outcome){.origin = CR__LR_CONVERTED,
                                   .prior = CR__LR_FLAT,
                                   .converged = 1,
                                   .rows = (double)stats->rows};
    *out = lr;
    return CR_OK;
}
