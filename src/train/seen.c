/* train/seen.c - whether rows are among those that a model has learned.
 *
 * A model keeps sums, not rows. But rows that it has learned can be taken back: their values, words
 * and numbers were counted at least as often in their classes. Rows that are new hardly ever pass
 * that where values are rare: one word or number that was counted less often gives them away. So
 * rows are said to be known when they can be taken back and so many values, words and numbers go
 * with them that chance does not explain it. Where nothing is left, the sums of the rows must be
 * the model's own to the last bit.
 */
#include <string.h>

#include "base/fail.h"
#include "learners/ensemble/ensemble.h"
#include "learners/registry.h"
#include "train/training.h"

enum { GONE_LEAST = 10 };

/* Different values, words and numbers that statistics have. */
static size_t count_items(const cr__stats *stats)
{
    size_t items = 0;

    for (size_t i = 0; i < stats->schema->columns; i++) {
        const cr__column_stats *s = &stats->column[i];

        if (!cr__stats_is_feature(stats->schema, i))
            continue;
        items += s->dict != NULL && s->whole != NULL ? s->dict->words : 0;
        items += s->values != NULL ? s->values->count : 0;
        items += s->bag != NULL ? s->bag->words : 0;
    }
    return items;
}

/* A copy that can take rows back: of a learner that cannot, naive Bayes of the same sums. */
static cr_status open_copy(cr_model **out, const cr_model *model, const cr__stats *stats,
                           cr_error *err)
{
    const cr__learner *plain = cr__learner_find("nb", err);
    cr__knobs knobs = {0};
    cr_status st;

    if (model->learner->needs.rows != CR__ROWS_ALWAYS && model->learner->regresses == NULL)
        return cr_model_copy(out, model, err);
    if (plain == NULL || model->schema->column[model->schema->target].kind != CR_SYMBOL)
        return CR_END;
    st = cr__knobs_new(&knobs, plain->knobs, plain->knob_count, err);
    if (st == CR_OK)
        st = cr__model_new(out, plain, cr__stats_share(stats), &(cr__fit_input){.knobs = &knobs},
                           model->missing, &model->recipe, err);
    cr__knobs_free(&knobs);
    return st;
}

/* Nothing is left of a model: whether it is the same again once it has learned the rows. */
static cr_status is_same_again(cr_model *copy, const char *fingerprint, cr_source *source,
                               const cr_run *run, int *same, cr_error *err)
{
    cr_model_facts facts;
    cr_status st = cr__source_rewind(source, err);

    if (st == CR_OK)
        st = cr_model_learn(copy, source, run, NULL, err);
    if (st == CR_OK)
        st = cr_model_get_facts(copy, &facts);
    *same = st == CR_OK && strcmp(facts.fingerprint, fingerprint) == 0;
    return st;
}

/* Take the rows back from a copy, which is spoiled. */
static cr_status take_back(cr_model *copy, cr_source *source, const cr_run *run, int *learned,
                           cr_error *err)
{
    const size_t items = count_items(copy->stats);
    char fingerprint[sizeof((cr_model_facts *)0)->fingerprint];
    cr_model_facts facts;
    cr_tally tally = {0};
    cr_status st = cr_model_get_facts(copy, &facts);

    if (st != CR_OK)
        return st;
    memcpy(fingerprint, facts.fingerprint, sizeof fingerprint);
    if ((st = cr_model_unlearn(copy, source, run, &tally, err)) != CR_OK)
        return st;
    if (copy->stats->rows == 0)
        return is_same_again(copy, fingerprint, source, run, learned, err);
    *learned = tally.rows > 0 && items >= count_items(copy->stats) + GONE_LEAST;
    return CR_OK;
}

cr_status cr_model_has_learned(const cr_model *model, cr_source *source, const cr_run *run,
                               int *learned, cr_error *err)
{
    const cr__ensemble *e = model->learner->of_models ? model->share->fitted : NULL;
    const cr_model *own = e != NULL && e->members > 0 ? e->member[0].model : model;
    const cr__stats *stats = NULL;
    cr_model *copy = NULL;
    cr_error reason = {0};
    cr_status st = own->learner->fit == NULL || own->schema->target == SIZE_MAX
                       ? CR_END
                       : cr__model_stats(own, &stats, &reason);

    *learned = 0;
    if (st == CR_OK)
        st = open_copy(&copy, own, stats, &reason);
    if (st == CR_OK) {
        cr__calibration_free(copy->calibration);
        copy->calibration = NULL;
        st = take_back(copy, source, run, learned, &reason);
    }
    cr_model_free(copy);
    if (st == CR_END || st == CR_ECONFLICT)
        return CR_OK; /* it cannot be known, or they are new */
    if (st != CR_OK && err != NULL)
        *err = reason;
    return st;
}
