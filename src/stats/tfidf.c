/* stats/tfidf.c - tf-idf and related weightings: a second pass that sums each text's weights.
 *
 * The first pass has counted in how many documents each word is, so the weight of a word in a text
 * is known now. It is rounded to a multiple of 2^-36 and added to the integer sum of its word and
 * class: any order of the texts, any number of workers gives the same sums, and they can be
 * subtracted again.
 */
#include "stats/tfidf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stats/text_plan.h"
#include "base/team.h"
#include "source/team_pass.h"
#include "text/weighting.h"

int cr__tfidf_needed(const cr_schema *schema, const cr__knobs *knobs)
{
    int unit_length;
    const cr__text_weight weight = cr__text_weighting(knobs, &unit_length);
    int texts = 0;

    for (size_t i = 0; i < schema->columns; i++)
        texts |= schema->column[i].kind == CR_BAG;
    return texts && (unit_length || (weight != CR__WEIGHT_COUNTS && weight != CR__WEIGHT_BINARY));
}

/* One text column: its words, their idf, and the sums. */
typedef struct column_weights {
    cr__words words;
    uint32_t *index;
    double *idf;
} column_weights;

typedef struct job {
    cr__stats *stats;
    const cr__recipe *recipe;
    cr__text_weight weight;
    int unit_length;
    column_weights *column; /* [columns] */
    cr__dict **dict;        /* [columns] the stats' */
} job;

typedef struct worker {
    job *job;
    cr__plan plan;
    cr__text_plan text;
    int64_t **sum; /* [columns] of [cells] */
} worker;

static void end(void *state)
{
    worker *w = state;

    for (size_t i = 0; w->sum != NULL && i < w->job->stats->schema->columns; i++)
        cr__free(w->sum[i]);
    cr__free(w->sum);
    cr__text_plan_close(&w->text);
    cr__plan_forget(&w->plan);
    cr__free(w);
}

/* All words are there, unless the input has changed since the first pass. */
static const cr__words *words_of(const void *context, size_t column)
{
    const job *j = context;

    return &j->column[column].words;
}

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    job *j = context;
    const size_t columns = j->stats->schema->columns;
    worker *w = cr__alloc_zero(1, sizeof *w);
    cr_status st = CR_OK;

    if (w == NULL)
        return cr__fail_memory(err);
    w->job = j;
    if ((w->sum = cr__alloc_zero(columns, sizeof *w->sum)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        if (j->stats->column[i].bag != NULL &&
            (w->sum[i] = cr__alloc_zero(j->stats->column[i].bag->cells, sizeof **w->sum)) == NULL)
            st = cr__fail_memory(err);
    if (st == CR_OK)
        st = cr__text_plan_begin(&w->text, &w->plan, j->stats->schema, j->dict, j->recipe, words_of,
                                 j, err);
    if (st != CR_OK) {
        end(w);
        return st;
    }
    *state = w;
    *plan = &w->plan;
    return CR_OK;
}

/* The cell of a word and class: a binary search among the word's classes. */
static uint64_t find_cell(const cr__bag *bag, uint32_t word, uint32_t class_index)
{
    uint64_t low = bag->row[word], high = bag->row[word + 1];

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (bag->cell[middle].class_index < class_index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < bag->row[word + 1] && bag->cell[low].class_index == class_index ? low : UINT64_MAX;
}

static void weigh_text(const job *j, size_t column, const uint32_t *word, size_t n,
                       uint32_t class_index, int64_t times, int64_t *sum)
{
    const cr__bag *bag = j->stats->column[column].bag;
    const double *idf = j->column[column].idf;
    double squares = 0, norm = 1;

    for (int adding = !j->unit_length; adding < 2; adding++) {
        for (size_t i = 0, run; i < n; i += run) {
            double f;
            uint64_t cell;

            for (run = 1; i + run < n && word[i + run] == word[i]; run++)
                ;
            f = cr__text_weight_of(j->weight, (double)run, idf[word[i]]);
            squares += f * f;
            if (adding && (cell = find_cell(bag, word[i], class_index)) != UINT64_MAX)
                sum[cell] += times * llrint(f * norm * CR__WEIGHT_ONE);
        }
        norm = squares > 0 ? 1 / sqrt(squares) : 1;
    }
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    worker *w = state;
    const job *j = w->job;
    const uint32_t *class_code = batch->column[j->stats->schema->target].code;

    (void)chunk;
    (void)err;
    cr__text_plan_sort(batch);
    for (size_t i = 0; i < batch->columns; i++) {
        const cr__batch_column *data = &batch->column[i];

        for (size_t r = 0; data->kind == CR_BAG && r < batch->rows; r++)
            if (data->code[r] != CR__MISSING && class_code[r] != CR__MISSING &&
                class_code[r] <= j->stats->classes)
                weigh_text(j, i, data->word + data->start[r], data->start[r + 1] - data->start[r],
                           class_code[r] - 1, batch->weight == NULL ? 1 : (int64_t)batch->weight[r],
                           w->sum[i]);
    }
    return CR_OK;
}

/* Document frequencies: the stats' own, or what a model has frozen. */
static cr_status freeze(cr__bag *bag, const cr__bag *frozen, cr_error *err)
{
    if ((bag->frozen = cr__alloc_zero(bag->words, sizeof *bag->frozen)) == NULL)
        return cr__fail_memory(err);
    if (frozen != NULL) {
        bag->frozen_documents = frozen->frozen_documents;
        for (size_t i = 0, w = 0; w < bag->words; w++) { /* both are in order */
            size_t length, other_length;
            const char *word = cr__bag_word(bag, w, &length), *other;

            while (i < frozen->words && frozen->hash[i] < bag->hash[w])
                i++;
            for (size_t k = i; k < frozen->words && frozen->hash[k] == bag->hash[w]; k++) {
                other = cr__bag_word(frozen, k, &other_length);
                if (length == other_length && memcmp(word, other, length) == 0)
                    bag->frozen[w] = frozen->frozen == NULL ? 0 : frozen->frozen[k];
            }
        }
        return CR_OK;
    }
    bag->frozen_documents = 0;
    for (size_t c = 0; c < bag->classes; c++)
        bag->frozen_documents += bag->documents[c];
    for (size_t w = 0; w < bag->words; w++)
        for (uint64_t k = bag->row[w]; k < bag->row[w + 1]; k++)
            bag->frozen[w] += bag->cell[k].documents;
    return CR_OK;
}

cr_status cr__tfidf_freeze(cr__stats *stats, const cr__stats *frozen, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++)
        if (stats->column[i].bag != NULL)
            st = freeze(stats->column[i].bag, frozen == NULL ? NULL : frozen->column[i].bag, err);
    return st;
}

static cr_status prepare(job *j, size_t i, cr_error *err)
{
    cr__bag *bag = j->stats->column[i].bag;
    column_weights *c = &j->column[i];
    const int with_idf = j->weight == CR__WEIGHT_TFIDF || j->weight == CR__WEIGHT_SUBLINEAR;

    c->words = (cr__words){.words = bag->words,
                           .hash = bag->hash,
                           .end = bag->end,
                           .bytes = bag->bytes,
                           .index_bits = cr__words_index_bits(bag->words)};
    c->index = cr__alloc(((size_t)1 << c->words.index_bits) + 1, sizeof *c->index);
    c->idf = cr__alloc(bag->words, sizeof *c->idf);
    bag->weight = cr__alloc_zero(bag->cells, sizeof *bag->weight);
    if (c->index == NULL || c->idf == NULL || bag->weight == NULL)
        return cr__fail_memory(err);
    cr__words_make_index(&c->words, c->index);
    c->words.index = c->index;
    for (size_t w = 0; w < bag->words; w++)
        c->idf[w] = with_idf ? cr__text_idf(bag->frozen_documents, bag->frozen[w]) : 1;
    return CR_OK;
}

static void add_sums(cr__stats *stats, void **states, size_t count)
{
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < stats->schema->columns; i++) {
            cr__bag *bag = stats->column[i].bag;
            const int64_t *sum = ((worker *)states[s])->sum[i];

            for (size_t k = 0; bag != NULL && k < bag->cells; k++)
                bag->weight[k] += sum[k];
        }
}

/* The sums of all members of a team. */
static cr_status add_members(cr__stats *stats, const cr_team *team, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && team != NULL && i < stats->schema->columns; i++)
        if (stats->column[i].bag != NULL)
            st = cr__team_add(team, (uint64_t *)stats->column[i].bag->weight,
                              stats->column[i].bag->cells, err);
    return st;
}

cr_status cr__tfidf(cr__stats *stats, cr_source *source, const cr__recipe *recipe,
                    const cr__knobs *knobs, const cr__stats *frozen, const cr_run *run,
                    cr_error *err)
{
    job j = {.stats = stats, .recipe = recipe};
    cr__pass pass = {.source = source,
                     .schema = stats->schema,
                     .run = run,
                     .job = &j,
                     .begin = begin,
                     .absorb = absorb,
                     .end = end};
    void **states = NULL;
    size_t count = 0, broken;
    cr_kind to;
    cr_status st = cr__tfidf_freeze(stats, frozen, err);

    j.weight = cr__text_weighting(knobs, &j.unit_length);
    j.column = cr__alloc_zero(stats->schema->columns, sizeof *j.column);
    j.dict = cr__alloc_zero(stats->schema->columns, sizeof *j.dict);
    if (st == CR_OK && (j.column == NULL || j.dict == NULL))
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++) {
        j.dict[i] = stats->column[i].dict;
        if (stats->column[i].bag != NULL)
            st = prepare(&j, i, err);
    }
    if (st == CR_OK)
        st = cr__source_rewind(source, err);
    if (st == CR_OK)
        st = cr__team_pass_run(&pass, cr__team_of(run), &states, &count, &broken, &to, err);
    if (st == CR_OK)
        add_sums(stats, states, count);
    if (st == CR_OK)
        st = add_members(stats, cr__team_of(run), err);
    for (size_t i = 0; i < count; i++)
        end(states[i]);
    cr__free(states);
    for (size_t i = 0; j.column != NULL && i < stats->schema->columns; i++) {
        cr__free(j.column[i].index);
        cr__free(j.column[i].idf);
    }
    cr__free(j.column);
    cr__free(j.dict);
    return st;
}
