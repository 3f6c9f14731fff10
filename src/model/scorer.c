/* model/scorer.c - one model on one batch, with the state of its learner. */
#include "model/scorer.h"

#include "base/fail.h"

static const cr__words *words_of(const void *context, size_t column)
{
    const cr_model *model = context;

    return model->learner->has_words->words(model->share->fitted, column);
}

cr_status cr__model_plan(cr__text_plan *text, cr__plan *plan, const cr_model *model, cr_error *err)
{
    const cr_status st = cr__model_catch_up(model, err);

    return st != CR_OK ? st
                       : cr__text_plan_begin(text, plan, model->schema, model->dict, &model->recipe,
                                             words_of, model, err);
}

/* A plan by which words are found in the model's vocabularies, unless the learner has its own. */
static cr_status open_plan(cr__scorer *s, cr_error *err)
{
    const cr_model *model = s->model;
    const cr__scores *scores = model->learner->scores;

    if (scores == NULL || scores->plan == NULL)
        return cr__model_plan(&s->text, &s->plan, model, err);
    s->plan = (cr__plan){.schema = model->schema, .dict = model->dict};
    scores->plan(s->state, &s->plan);
    return CR_OK;
}

cr_status cr__scorer_open(cr__scorer *s, const cr_model *model, cr_error *err)
{
    const cr__learner *learner = model->learner;
    cr_status (*open)(void **, const void *, cr_error *) =
        learner->scores != NULL ? learner->scores->open : learner->regresses->open;
    cr_status st = cr__model_catch_up(model, err);

    *s = (cr__scorer){.model = model};
    if (st == CR_OK && open != NULL)
        st = open(&s->state, model->share->fitted, err);
    return st == CR_OK ? open_plan(s, err) : st;
}

void cr__scorer_close(cr__scorer *s)
{
    if (s->state != NULL) {
        const cr__learner *learner = s->model->learner;

        (learner->scores != NULL ? learner->scores->close : learner->regresses->close)(s->state);
    }
    cr__text_plan_close(&s->text);
    cr__plan_forget(&s->plan);
    *s = (cr__scorer){0};
}

/* The model's imputer. */
static cr_status fill(const cr__scorer *s, cr__batch *batch, cr_error *err)
{
    return s->model->impute == NULL
               ? CR_OK
               : cr__impute_fill_batch(s->model->impute, &s->model->codes, batch, err);
}

cr_status cr__scorer_score(cr__scorer *s, cr__batch *batch, double *score, cr_error *err)
{
    const cr__learner *learner = s->model->learner;
    cr_status st;

    if (learner->scores == NULL)
        return cr__fail(err, CR_EARG, "a model of '%s' is a regression: it has no classes",
                        learner->name);
    if ((st = fill(s, batch, err)) != CR_OK)
        return st;
    cr__text_plan_sort(batch);
    return learner->scores->score(s->model->share->fitted, s->state, batch, score, err);
}

cr_status cr__scorer_regress(cr__scorer *s, cr__batch *batch, cr_regression *out, cr_error *err)
{
    const cr_status st = fill(s, batch, err);

    if (st != CR_OK)
        return st;
    return s->model->learner->regresses->regress(s->model->share->fitted, s->state, batch, out,
                                                 err);
}
