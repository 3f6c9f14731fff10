/* model/scorer.c - one model, or the members of an ensemble, on one batch. */
#include "model/scorer.h"

cr_status cr__scorer_open(cr__scorer *s, const cr_model *model, cr_error *err)
{
    *s = (cr__scorer){.model = model};
    if (model->learner == &cr__ensemble_learner)
        return cr__panel_open(&s->panel, &s->plan, model, err);
    return cr__text_plan_open(&s->text, &s->plan, model, err);
}

void cr__scorer_close(cr__scorer *s)
{
    cr__panel_close(s->panel);
    cr__text_plan_close(&s->text);
    cr__plan_forget(&s->plan);
    *s = (cr__scorer){0};
}

/* What the model has for missing values. */
static cr_status fill(const cr__scorer *s, cr__batch *batch, cr_error *err)
{
    return s->model->impute == NULL
               ? CR_OK
               : cr__impute_fill_batch(s->model->impute, &s->model->codes, batch, err);
}

cr_status cr__scorer_score(cr__scorer *s, cr__batch *batch, double *score, cr_error *err)
{
    if (s->panel != NULL)
        return cr__panel_score(s->panel, batch, score, err);
    cr_status st = fill(s, batch, err);

    if (st != CR_OK)
        return st;
    cr__text_plan_sort(batch);
    return cr__learner_score(s->model->learner, s->model->fitted, batch, score, err);
}

cr_status cr__scorer_regress(cr__scorer *s, cr__batch *batch, cr_regression *out, cr_error *err)
{
    const cr_status st = fill(s, batch, err);

    if (st != CR_OK)
        return st;
    return s->model->learner->regress(s->model->fitted, batch, out, err);
}
