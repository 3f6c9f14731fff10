/* store/lesson.c - learn one row: its words are counted where they are.
 *
 * A lesson of many rows changes a view like any model, and what differs is stored. For one row that
 * is a detour: the words of the row, each as often as it occurs, are the difference, and the rest
 * is learned by the head from the same row without its words.
 *
 * A message that is judged as its class beyond doubt may be counted only, and not learned.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/table.h"
#include "decide/row.h"
#include "source/source.h"
#include "store/change.h"
#include "train/keep.h"

/* The class of the row, or CR__MISSING where the head has none of that name. */
static uint32_t class_of(const cr_model *head, const cr__table *table, const char **name,
                         size_t *length)
{
    const size_t target = head->schema->target;
    const cr__table_column *column = &table->column[target];

    if (column->kind != CR_SYMBOL || column->dict == NULL || column->code[0] == CR__MISSING)
        return CR__MISSING;
    *name = cr__dict_word(column->dict, column->code[0], length);
    return cr__dict_find(head->dict[target], *name, *length);
}

int cr__store_is_row(const cr_store *store, const cr_model *head, const cr__table *table)
{
    const cr__calibration *c = head->calibration;
    const char *name;
    size_t length;

    return store->meta.apart && table->rows == 1 && table->weight == NULL && head->classes >= 2 &&
           head->schema->target != SIZE_MAX && head->impute == NULL &&
           (c == NULL ? store->meta.calibrate == 0 : c->tally != NULL) &&
           class_of(head, table, &name, &length) != CR__MISSING;
}

/* --- its words -------------------------------------------------------------------------------- */

/* Each word of the row once, with the number of times. */
static int count_words(cr__changes *c, const cr__table_column *column, uint32_t class_id)
{
    const uint64_t first = column->start[0], n = column->start[1] - first;
    uint32_t *times = cr__alloc_zero((size_t)column->dict->words + 1, sizeof *times);

    c->word = cr__alloc(n, sizeof *c->word);
    c->cell = cr__alloc(n, sizeof *c->cell);
    if (times == NULL || c->word == NULL || c->cell == NULL) {
        cr__free(times);
        return 0;
    }
    for (uint64_t i = 0; i < n; i++)
        times[column->word[first + i]]++;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t code = column->word[first + i];
        cr__word_change *w = &c->word[c->words];

        if (times[code] == 0)
            continue;
        w->word = cr__dict_word(column->dict, code, &w->length);
        w->first = c->words;
        w->cells = 1;
        c->cell[c->words++] =
            (cr__word_cell){.class_id = class_id, .documents = 1, .terms = times[code]};
        times[code] = 0;
    }
    c->cells = c->words;
    cr__free(times);
    return 1;
}

static cr_status find_words(cr_store *store, const cr_model *head, const cr__table *table,
                            cr__changes *c, cr_error *err)
{
    const char *name = NULL;
    size_t length = 0;
    uint32_t id;

    class_of(head, table, &name, &length);
    if ((id = cr__store_class_id(&store->meta, name, length)) == UINT32_MAX)
        return cr__fail_memory(err);
    for (size_t i = 0; i < table->schema->columns; i++)
        if (table->column[i].kind == CR_BAG && table->column[i].dict != NULL &&
            table->column[i].start[1] > table->column[i].start[0] &&
            !count_words(&c[i], &table->column[i], id))
            return cr__fail_memory(err);
    return CR_OK;
}

/* --- the rest --------------------------------------------------------------------------------- */

/* Learn the row without its words. */
static cr_status learn_bare(cr_model *head, const cr__table *table, const cr_run *run,
                            cr_tally *tally, cr_error *err)
{
    uint64_t none[2] = {0};
    cr__table bare = *table;
    cr_source *source = NULL;
    cr_status st;

    if ((bare.column = cr__alloc(table->schema->columns, sizeof *bare.column)) == NULL)
        return cr__fail_memory(err);
    memcpy(bare.column, table->column, table->schema->columns * sizeof *bare.column);
    for (size_t i = 0; i < table->schema->columns; i++)
        if (bare.column[i].kind == CR_BAG)
            bare.column[i].start = none;
    if ((st = cr__source_open_table(&source, &bare, NULL, 0, err)) == CR_OK)
        st = cr_model_learn(head, source, run, tally, err);
    cr_source_close(source);
    cr__free(bare.column);
    return st;
}

/* What a view answers to the row: the scores of the classes, before calibration; and its class. */
typedef struct answer {
    double *score; /* [classes] */
    size_t classes, truth;
} answer;

static void take_scores(void *context, size_t row, const double *score)
{
    const answer *a = context;

    (void)row;
    memcpy(a->score, score, a->classes * sizeof *score);
}

static cr_status ask(const cr_model *view, const cr__table *table, answer *out, cr_error *err)
{
    const char *name = NULL;
    size_t length = 0;

    out->classes = view->classes;
    out->truth = class_of(view, table, &name, &length) - 1;
    if ((out->score = cr__alloc_zero(view->classes, sizeof *out->score)) == NULL)
        return cr__fail_memory(err);
    return cr__scores_each(view, table, take_scores, out, err);
}

/* The head after the row was counted, and learned. The calibration counts the answer of the view.
 */
static cr_status next_head(const cr_model *head, const answer *a, const cr__row_lesson *l,
                           int learn, cr_model **out, cr_error *err)
{
    cr__calibration *c = NULL;
    cr_status st = cr_model_copy(out, head, err);

    if (st == CR_OK && head->calibration != NULL)
        st = cr__calibration_learn(head, a->score, a->truth, &c, err);
    if (st == CR_OK) {
        cr__calibration_free((*out)->calibration);
        (*out)->calibration = NULL;
        st = learn ? learn_bare(*out, l->table, l->run, l->tally, err) : CR_OK;
    }
    if (st != CR_OK) {
        cr__calibration_free(c);
        return st;
    }
    (*out)->calibration = c;
    return CR_OK;
}

/* Whether the view judges the message as its class, beyond doubt. */
static cr_status is_known(const cr_model *view, const cr__row_lesson *l, int *known, cr_error *err)
{
    const char *name = NULL;
    cr_filter_judgement v;
    cr_row *row = NULL;
    size_t spam, column, length = 0;
    cr_status st = cr_filter_spam_class(view, l->spam, &spam, err);

    if (st == CR_OK)
        st = cr_filter_column(view, &column, err);
    if (st == CR_OK && (st = cr_row_new(&row, view, err)) == CR_OK) {
        const cr__table_column *text = &l->table->column[column];

        st = cr__row_from_words(row, "", 0, text->dict, text->word + text->start[0],
                                (size_t)(text->start[1] - text->start[0]), err);
    }
    if (st == CR_OK)
        st = cr_filter_judge_row(view, row, spam, l->limits, &v, NULL, err);
    if (st == CR_OK)
        *known = v.verdict != CR_FILTER_UNSURE && v.decision != CR_UNDECIDED &&
                 class_of(view, l->table, &name, &length) == (uint32_t)v.decision + 1 &&
                 (v.verdict == CR_FILTER_SPAM) == ((size_t)v.decision == spam);
    cr_row_free(row);
    return st;
}

cr_status cr__store_learn_row(cr_store *store, const cr__row_lesson *l, cr_error *err)
{
    const size_t columns = l->table->schema->columns;
    cr__changes *c = cr__alloc_zero(columns, sizeof *c);
    cr_model *head, *view = NULL, *after = NULL;
    answer a = {.score = NULL};
    int known = 0;
    cr_status st = c == NULL ? cr__fail_memory(err) : cr__store_view(store, l->words, &view, err);

    if (st == CR_OK)
        st = cr__store_head(store, &head, err);
    if (st == CR_OK)
        st = ask(view, l->table, &a, err);
    if (st == CR_OK)
        st = cr__store_judge_scores(store, view, a.score, a.truth, err);
    if (st == CR_OK && l->limits != NULL)
        st = is_known(view, l, &known, err);
    if (st == CR_OK)
        st = next_head(head, &a, l, !known, &after, err);
    if (st == CR_OK && !known)
        st = find_words(store, head, l->table, c, err);
    if (st == CR_OK)
        st = cr__store_keep_words(store, head, after, c, err);
    cr__changes_free(c, columns);
    cr__free(a.score);
    cr_model_free(after);
    cr_model_free(view);
    return st;
}
