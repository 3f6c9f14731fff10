/* model/later.c - texts noted one by one, and worked into the model when it is looked at. */
#include "model/later.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stats/bag_changes.h"
#include "stats/text_plan.h"
#include "text/text_to_batch.h"

/* Numbers as large as this one, 2^53 of them, have a sum of squares that is a double. */
#define NUMBER_MAX 1e140

struct cr__later {
    size_t columns;
    cr__bag_changes **changes; /* [columns] of texts, else NULL */
    cr__recipe recipe;         /* of its own: a model's may move */
    cr__tokenizer *tokenizer;
    cr__batch batch;                                                  /* of one row */
    uint32_t *code;                                                   /* [columns] */
    uint32_t *start;                                                  /* [2 * columns] */
    cr_status (*settle)(cr__calibration *calibration, cr_error *err); /* NULL: nothing to settle */
};

/* --- making ----------------------------------------------------------------------------------- */

void cr__later_free(cr__later *later)
{
    if (later == NULL)
        return;
    for (size_t i = 0; later->changes != NULL && i < later->columns; i++)
        cr__bag_changes_free(later->changes[i]);
    for (size_t i = 0; later->batch.column != NULL && i < later->columns; i++)
        cr__free(later->batch.column[i].word);
    cr__tokenizer_free(later->tokenizer);
    cr__recipe_free(&later->recipe);
    cr__free(later->changes);
    cr__free(later->batch.column);
    cr__free(later->code);
    cr__free(later->start);
    cr__free(later);
}

static cr_status make_columns(cr__later *later, const cr__stats *stats)
{
    const size_t columns = later->columns;

    later->batch = (cr__batch){.rows = 1, .capacity = 1, .columns = columns};
    later->changes = cr__alloc_zero(columns, sizeof *later->changes);
    later->batch.column = cr__alloc_zero(columns, sizeof *later->batch.column);
    later->code = cr__alloc_zero(columns, sizeof *later->code);
    later->start = cr__alloc_zero(columns, 2 * sizeof *later->start);
    if (later->changes == NULL || later->batch.column == NULL || later->code == NULL ||
        later->start == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < columns; i++) {
        if (stats->column[i].bag == NULL)
            continue;
        later->batch.column[i] = (cr__batch_column){
            .kind = CR_BAG, .code = &later->code[i], .start = &later->start[2 * i]};
        if ((later->changes[i] = cr__bag_changes_new(stats->column[i].bag)) == NULL)
            return CR_ENOMEM;
    }
    return CR_OK;
}

static cr_status begin(cr__later **out, const cr_model *model, cr_error *err)
{
    cr__later *later = cr__alloc_zero(1, sizeof *later);
    cr_status st;

    *out = NULL;
    if (later == NULL)
        return cr__fail_memory(err);
    later->columns = model->schema->columns;
    st = make_columns(later, model->stats) == CR_OK ? CR_OK : cr__fail_memory(err);
    if (st == CR_OK)
        st = cr__recipe_copy(&later->recipe, &model->recipe, err);
    if (st == CR_OK)
        st = cr__tokenizer_new(&later->tokenizer, &later->recipe, err);
    if (st != CR_OK) {
        cr__later_free(later);
        return st;
    }
    *out = later;
    return CR_OK;
}

/* --- noting ----------------------------------------------------------------------------------- */

int cr__later_applies(const cr__stats *stats)
{
    int texts = 0;

    for (size_t i = 0; i < stats->schema->columns; i++) {
        const cr__bag *bag = stats->column[i].bag;

        texts |= bag != NULL;
        if (bag != NULL && (bag->weight != NULL || bag->frozen != NULL || bag->totals != NULL))
            return 0;
    }
    return texts && stats->base == NULL;
}

static cr_status find_words(void *context, size_t column, const char *text, const cr__token *token,
                            size_t n, uint32_t *word, size_t *kept)
{
    cr__later *later = context;

    *kept = n;
    return cr__bag_changes_find(later->changes[column], text, token, n, word);
}

static cr_status look_words(void *context, size_t column, const char *text, const cr__token *token,
                            size_t n, uint32_t *word, size_t *kept)
{
    const cr__later *later = context;

    *kept = cr__bag_changes_look(later->changes[column], text, token, n, word);
    return CR_OK;
}

/* The words of the row's texts into the batch. */
static cr_status read_texts(cr__later *later, const cr__one_row *row, cr__later_text *text,
                            const void *context, cr__text_find *find, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < later->columns; i++) {
        cr__section section;

        if (later->changes[i] == NULL)
            continue;
        cr__batch_no_text(&later->batch, 0, i);
        if (row->code[i] == CR__MISSING)
            continue;
        section = text(context, i);
        st = cr__text_to_batch(later->tokenizer, &later->batch, 0, i, &section, find, later, err);
    }
    if (st == CR_OK)
        cr__text_plan_sort(&later->batch);
    return st;
}

static const uint32_t *words_of(const cr__later *later, size_t column, size_t *n)
{
    const cr__batch_column *data = &later->batch.column[column];

    *n = data->start[1] - data->start[0];
    return *n == 0 ? NULL : data->word + data->start[0];
}

static cr_status make_ready(cr__later *later, size_t class_index, int sign, cr_error *err)
{
    cr_status st = CR_OK;
    size_t n;

    for (size_t i = 0; st == CR_OK && i < later->columns; i++)
        if (later->changes[i] != NULL && later->code[i] != CR__MISSING) {
            const uint32_t *word = words_of(later, i, &n);

            st = cr__bag_changes_ready(later->changes[i], word, n, class_index, sign);
        }
    return st == CR_ENOMEM ? cr__fail_memory(err) : st;
}

/* Numbers whose squares may be too large to be added up are looked at on the way of all data. */
static int has_huge(const cr__stats *stats, const double *real)
{
    for (size_t i = 0; i < stats->schema->columns; i++)
        if (stats->column[i].moment != NULL && fabs(real[i]) > NUMBER_MAX)
            return 1;
    return 0;
}

static cr_status answer_row(const cr_model *model, const cr__later *later,
                            const cr__later_answer *answer, cr_error *err)
{
    return answer == NULL
               ? CR_OK
               : model->learner->follows->score_texts(model->stats, &model->knobs, later->changes,
                                                      &later->batch, answer->score, err);
}

static void take_texts(const cr__later *later, size_t class_index, int sign)
{
    size_t n;

    for (size_t i = 0; i < later->columns; i++)
        if (later->changes[i] != NULL && later->code[i] != CR__MISSING) {
            const uint32_t *word = words_of(later, i, &n);

            cr__bag_changes_take(later->changes[i], word, n, class_index, sign);
        }
}

cr_status cr__model_note_row(cr_model *model, const cr__one_row *row, cr__later_text *text,
                             const void *context, int sign, const cr__later_answer *answer,
                             cr_error *err)
{
    cr__model_share *share = model->share;
    const uint32_t class_code = row->code[model->schema->target];
    cr__later *later;
    cr_status st = CR_OK;

    if (class_code == CR__MISSING || class_code > model->classes ||
        has_huge(model->stats, row->real))
        return CR_END;
    if (share->later == NULL && (st = begin(&share->later, model, err)) != CR_OK)
        return st;
    later = share->later;
    if ((st = read_texts(later, row, text, context, find_words, err)) != CR_OK ||
        (st = make_ready(later, class_code - 1, sign, err)) != CR_OK ||
        (sign > 0 && (st = answer_row(model, later, answer, err)) != CR_OK) ||
        (st = cr__stats_take_row(model->stats, row, sign)) != CR_OK)
        return st;
    take_texts(later, class_code - 1, sign);
    if (sign < 0 && (st = answer_row(model, later, answer, err)) != CR_OK) {
        take_texts(later, class_code - 1, 1);
        (void)cr__stats_take_row(model->stats, row, 1); /* it was there a moment ago */
        return st;
    }
    if (answer != NULL)
        later->settle = answer->settle;
    atomic_store(&share->behind, 1);
    return CR_OK;
}

/* --- working in ------------------------------------------------------------------------------- */

/* Exchange the bags of the statistics with others; NULL where there is none. */
static void exchange(cr__stats *stats, cr__bag *bag)
{
    for (size_t i = 0; i < stats->schema->columns; i++)
        if (stats->column[i].bag != NULL) {
            const cr__bag old = *stats->column[i].bag;

            *stats->column[i].bag = bag[i];
            bag[i] = old;
        }
}

static cr_status make_bags(const cr__later *later, cr__bag *bag, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < later->columns; i++)
        if (later->changes[i] != NULL)
            st = cr__bag_changes_apply(later->changes[i], &bag[i]);
    if (st == CR_ELIMIT)
        return cr__fail(err, st, "the texts have too many different words to be kept");
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

/* New bags and new parameters, or all as it was. */
static cr_status work_in(cr_model *model, cr_error *err)
{
    cr__model_share *share = model->share;
    cr__stats *stats = share->stats;
    cr__bag *bag = cr__alloc_zero(model->schema->columns, sizeof *bag);
    void *fitted = NULL;
    cr_status st = bag == NULL ? cr__fail_memory(err) : make_bags(share->later, bag, err);

    if (st == CR_OK) {
        exchange(stats, bag);
        st = model->learner->fit(&fitted, &(cr__fit_input){.stats = stats, .knobs = &model->knobs},
                                 err);
        if (st == CR_OK && share->later->settle != NULL)
            st = share->later->settle(model->calibration, err);
        if (st != CR_OK) {
            exchange(stats, bag);
            model->learner->free(fitted);
        }
    }
    if (st == CR_OK) {
        model->learner->free(model->share->fitted);
        model->share->fitted = fitted;
        cr__later_free(share->later);
        share->later = NULL;
        atomic_store(&share->behind, 0);
    }
    for (size_t i = 0; bag != NULL && i < model->schema->columns; i++)
        cr__bag_free(&bag[i]);
    cr__free(bag);
    return st;
}

cr_status cr__model_catch_up(const cr_model *const_model, cr_error *err)
{
    cr_model *model = (cr_model *)const_model; /* what it knows does not change */
    cr_status st = CR_OK;

    if (!atomic_load(&model->share->behind))
        return CR_OK;
    pthread_mutex_lock(&model->share->lock);
    if (atomic_load(&model->share->behind)) /* no other thread has done it meanwhile */
        st = work_in(model, err);
    pthread_mutex_unlock(&model->share->lock);
    return st;
}

/* --- asking ----------------------------------------------------------------------------------- */

static cr_status score_row(cr_model *model, const cr__one_row *row, cr__later_text *text,
                           const void *context, double *score, cr_error *err)
{
    cr__later *later = model->share->later;
    const cr__later_answer answer = {.score = score};
    cr_status st = read_texts(later, row, text, context, look_words, err);

    if (st == CR_OK)
        st = answer_row(model, later, &answer, err);
    if (st == CR_OK && later->settle != NULL &&
        (st = later->settle(model->calibration, err)) == CR_OK)
        later->settle = NULL;
    return st;
}

cr_status cr__model_score_later(const cr_model *const_model, const cr__one_row *row,
                                cr__later_text *text, const void *context, double *score,
                                cr_error *err)
{
    cr_model *model = (cr_model *)const_model; /* what it knows does not change */
    cr_status st = CR_END;

    if (!atomic_load(&model->share->behind) || model->learner->follows->score_texts == NULL)
        return CR_END;
    pthread_mutex_lock(&model->share->lock);
    if (atomic_load(&model->share->behind)) /* no other thread has worked it in meanwhile */
        st = score_row(model, row, text, context, score, err);
    pthread_mutex_unlock(&model->share->lock);
    return st;
}
