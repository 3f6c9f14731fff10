/* store/teach.c - lessons: rows of sources, rows one by one, messages, models, knobs.
 *
 * For every kind of lesson, a view with its words is changed like a model in memory, and the
 * difference is stored in one transaction. Rows are classified by the view before they are learned.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "decide/lessons.h"
#include "decide/filter.h"
#include "source/source.h"
#include "stats/table_read.h"
#include "store/change.h"
#include "store/mail_words.h"
#include "store/parts.h"
#include "store/teach.h"
#include "train/advice.h"

/* The dictionaries of a table's texts by column, to be freed (they are the table's). */
static cr__dict **words_of(const cr__table *table)
{
    cr__dict **words = cr__alloc_zero(table->schema->columns, sizeof *words);

    for (size_t i = 0; words != NULL && i < table->schema->columns; i++)
        if (table->column[i].kind == CR_BAG)
            words[i] = table->column[i].dict;
    return words;
}

/* --- rows ------------------------------------------------------------------------------------- */

static cr_status check_classes(const cr_model *before, const cr_model *after, cr_error *err)
{
    const cr__dict *known = before->classes < 2 || before->schema->target == SIZE_MAX
                                ? NULL
                                : before->dict[before->schema->target];

    for (size_t c = 0; known != NULL && c < after->classes; c++) {
        const char *name = cr_model_class(after, c);

        if (cr__dict_find(known, name, strlen(name)) != CR__MISSING)
            continue;
        if (before->classes == 2)
            return cr__fail(err, CR_ECONFLICT,
                            "the data have a class '%.80s', the store has '%.80s' and '%.80s'",
                            name, cr_model_class(before, 0), cr_model_class(before, 1));
        return cr__fail(err, CR_ECONFLICT, "the data have a class '%.80s', which the store lacks",
                        name);
    }
    return CR_OK;
}

/* Learn some rows of a table (NULL: all), and add the counts to the tally. */
static cr_status teach_table(cr_model *model, const cr__table *table, const uint32_t *row,
                             size_t count, int sign, const cr__taught *r, cr_error *err)
{
    cr_tally tally = {0};
    cr_source *source;
    cr_status st = cr__source_open_table(&source, table, row, count, err);

    if (st != CR_OK)
        return st;
    st = sign > 0 ? cr_model_learn(model, source, r->run, &tally, err)
                  : cr_model_unlearn(model, source, r->run, &tally, err);
    r->tally->rows += tally.rows;
    r->tally->unlabelled += tally.unlabelled;
    r->tally->passes = tally.passes;
    cr_source_close(source);
    return st;
}

/* --- learning in steps -------------------------------------------------------------------------
 *
 * Each row of a lesson is classified before it is learned. Where a lesson is large compared with
 * what the store knows (a folder of mail as the second lesson of a new store), a model without all
 * of it would classify most of its rows far worse than the store ever will later, and spoil a
 * calibration fitted to such results. So it is learned in steps: no step has more rows of a class
 * than half of what is known of that class, or one. Where classes are many and rare, a step has a
 * share of the rows before it, so that there are few steps.
 */

enum { SHARE = 32 };

/* Rows of a class of the table's that the model has. */
static double known_rows(const cr_model *model, const cr__stats *stats, const cr__dict *dict,
                         uint32_t code)
{
    const size_t target = model->schema->target;
    size_t length;
    const char *name = cr__dict_word(dict, code, &length);
    const uint32_t own = cr__dict_find(model->dict[target], name, length);

    return own == CR__MISSING || own > stats->classes
               ? 0
               : (double)cr__stats_class(stats, own - 1).whole;
}

/* The end of the step that begins at a row. seen is room for a count for each class, all 0. */
static size_t step_end(const cr_model *model, const cr__stats *stats, const cr__table *table,
                       size_t first, size_t *seen)
{
    const cr__table_column *target = &table->column[model->schema->target];
    size_t end = first;

    for (; end < table->rows; end++) {
        const uint32_t code = target->code[end];

        if (code == CR__MISSING)
            continue;
        if (seen[code] > 0 && end - first >= first / SHARE &&
            (double)seen[code] + 1 > known_rows(model, stats, target->dict, code) / 2)
            break;
        seen[code]++;
    }
    memset(seen, 0, (target->dict->words + 1) * sizeof *seen);
    return end;
}

/* Whether there is anything to classify step by step. */
static int has_steps(const cr_model *model, const cr__table *table)
{
    const size_t target = model->schema->target;

    return table->rows > 1 && target != SIZE_MAX && model->learner->scores != NULL &&
           table->column[target].kind == CR_SYMBOL && table->column[target].dict != NULL;
}

static cr_status learn_in_steps(cr_store *store, cr_model *model, const cr__table *table,
                                const cr__taught *r, cr_error *err)
{
    const cr__dict *classes = table->column[model->schema->target].dict;
    size_t *seen = cr__alloc_zero(classes->words + 1, sizeof *seen);
    uint32_t *row = cr__alloc(table->rows, sizeof *row);
    const cr__stats *stats;
    cr_status st = seen == NULL || row == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < table->rows; i++)
        row[i] = (uint32_t)i;
    for (size_t first = 0, end; st == CR_OK && first < table->rows; first = end) {
        end = first;
        if ((st = cr__model_stats(model, &stats, err)) != CR_OK)
            break;
        end = step_end(model, stats, table, first, seen);
        st = cr__store_judge(store, model, table, row + first, end - first, err);
        if (st == CR_OK)
            st = teach_table(model, table, row + first, end - first, 1, r, err);
        if (st == CR_OK)
            st = cr__store_keep_calibration(store, model, err);
    }
    cr__free(seen);
    cr__free(row);
    return st;
}

static cr_status teach_rows(cr_store *store, cr_model *model, const cr__table *table, int sign,
                            const cr__taught *r, cr_error *err)
{
    cr_status st = CR_OK;

    if (sign > 0 && has_steps(model, table))
        return learn_in_steps(store, model, table, r, err);
    if (sign > 0)
        st = cr__store_judge(store, model, table, NULL, 0, err);
    return st == CR_OK ? teach_table(model, table, NULL, 0, sign, r, err) : st;
}

/* Change a view with the words of the table, and store what differs. */
static cr_status change_view(cr_store *store, const cr__table *table, cr__dict *const *words,
                             int sign, const cr__taught *r, cr_error *err)
{
    cr_model *before, *after = NULL;
    cr_status st = cr__store_view(store, words, &before, err);

    if (st == CR_OK)
        st = cr_model_copy(&after, before, err);
    if (st == CR_OK)
        st = teach_rows(store, after, table, sign, r, err);
    if (st == CR_OK && r->known_only)
        st = check_classes(before, after, err);
    if (st == CR_OK)
        st = cr__store_keep(store, before, after, sign, err);
    cr_model_free(after);
    cr_model_free(before);
    return st;
}

/* Learn or unlearn one table. */
static cr_status change_by(cr_store *store, const cr__table *table, int sign, const cr__taught *r,
                           cr_error *err)
{
    cr__dict **words = words_of(table);
    cr_model *head;
    cr_status st = words == NULL ? cr__fail_memory(err) : cr__store_head(store, &head, err);

    *r->tally = (cr_tally){0};
    if (st == CR_OK && sign > 0 && cr__store_is_row(store, head, table))
        st = cr__store_learn_row(store,
                                 &(cr__row_lesson){.table = table,
                                                   .words = words,
                                                   .run = r->run,
                                                   .tally = r->tally,
                                                   .limits = r->limits,
                                                   .spam = r->spam},
                                 err);
    else if (st == CR_OK)
        st = change_view(store, table, words, sign, r, err);
    cr__free(words);
    return st;
}

/* The head is read again in between: it has changed. */
cr_status cr__store_change_by_rows(cr_store *store, void *context, cr_error *err)
{
    const cr__taught *r = context;
    cr_status st = cr__store_forget(store, err);

    if (st == CR_OK && r->unlearn != NULL && r->unlearn->rows > 0) {
        st = change_by(store, r->unlearn, -1, r, err);
        cr_model_free(store->head);
        store->head = NULL;
    }
    if (st == CR_OK && r->learn != NULL && r->learn->rows > 0)
        st = change_by(store, r->learn, 1, r, err);
    if (st != CR_OK) { /* what was read in this transaction is no longer valid */
        cr_model_free(store->head);
        store->head = NULL;
    }
    return st;
}

cr_status cr_store_learn(cr_store *store, cr_source *source, int sign, unsigned flags,
                         const cr_run *run, cr_tally *tally, cr_error *err)
{
    cr__taught r = {.run = run, .known_only = !(flags & CR_STORE_NEW_CLASSES)};
    cr_tally own;
    cr_model *head;
    cr__table *table = NULL;
    cr_status st = cr_store_head(store, &head, err);

    r.tally = tally == NULL ? &own : tally;
    if (st != CR_OK)
        return st;
    if ((st = cr__source_bind(source, head->schema, 1, 0, err)) == CR_OK)
        st = cr__table_read(&table, source, head->schema, &head->recipe, run, err);
    if (st == CR_OK) {
        *(sign > 0 ? &r.learn : &r.unlearn) = table;
        st = cr__store_teach(store, &r, err);
    }
    cr__table_free(table);
    cr_model_free(head);
    if (st == CR_OK && sign > 0 && cr_store_head(store, &head, NULL) == CR_OK) {
        cr__lesson_notes(head, r.tally, source);
        cr_model_free(head);
    }
    return st;
}

cr_status cr_store_apply(cr_store *store, cr_lessons *lessons, cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr_tally tally;
    cr__taught r = {.run = &one, .tally = &tally};
    cr_status st;

    cr__lessons_tables(lessons, &r.learn, &r.unlearn);
    if ((st = cr__store_teach(store, &r, err)) == CR_OK)
        cr_lessons_clear(lessons);
    else if (err != NULL)
        err->file[0] = '\0'; /* there is no such row */
    return st;
}

/* --- messages --------------------------------------------------------------------------------- */

static cr_status read_mail(const cr_model *head, cr__messages *m, const char *class_name,
                           cr__table **out, cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr_source *source;
    cr_status st = CR_OK;

    if (class_name == NULL)
        return CR_OK;
    if (cr__messages_count(m) == 1 && cr__mail_words_are_all(head)) {
        const cr__buffer *text = cr__messages_text(m, 0);
        cr__mail_words words;

        if ((st = cr__mail_words_read(&words, head, text->data, text->size - 1, err)) == CR_OK)
            st = cr__mail_words_table(&words, head, class_name, out, err);
        cr__mail_words_free(&words);
        return st;
    }
    if ((st = cr__messages_source(m, head, class_name, &source, err)) != CR_OK)
        return st;
    if ((st = cr__source_bind(source, head->schema, 1, 0, err)) == CR_OK)
        st = cr__table_read(out, source, head->schema, &head->recipe, &one, err);
    cr_source_close(source);
    return st;
}

cr_status cr_store_teach_mail(cr_store *store, const void *bytes, size_t size, const char *unlearn,
                              const char *learn, int new_class, uint64_t *messages, cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr_tally tally;
    cr__table *take = NULL, *give = NULL;
    cr__messages *m = NULL;
    cr_model *head;
    cr_status st = cr_store_head(store, &head, err);

    if (st != CR_OK)
        return st;
    if ((st = cr__messages_open(&m, head, bytes, size, err)) == CR_OK &&
        (st = cr__filter_check_class(head, unlearn, new_class, err)) == CR_OK &&
        (st = cr__filter_check_class(head, learn, new_class, err)) == CR_OK &&
        (st = read_mail(head, m, unlearn, &take, err)) == CR_OK &&
        (st = read_mail(head, m, learn, &give, err)) == CR_OK) {
        cr__taught r = {.learn = give, .unlearn = take, .run = &one, .tally = &tally};

        st = cr__store_teach(store, &r, err);
    }
    if (messages != NULL)
        *messages = st == CR_OK ? cr__messages_count(m) : 0;
    cr__table_free(take);
    cr__table_free(give);
    cr__messages_close(m);
    cr_model_free(head);
    return st;
}

/* --- on error --------------------------------------------------------------------------------- */

/* Whether a message is judged as its class beyond doubt, by a store whose words are not apart. */
static cr_status is_right(cr_store *store, const cr__buffer *text, const char *class_name,
                          const cr__taught *r, int *right, cr_error *err)
{
    cr_filter_judgement v;
    cr_model *model;
    cr_row *row;
    size_t spam;
    cr_status st = cr_store_view_message(store, text->data, text->size - 1, &model, &row, err);

    *right = 0;
    if (st == CR_OK && model->classes >= 2 &&
        (st = cr_filter_spam_class(model, r->spam, &spam, err)) == CR_OK &&
        (st = cr_filter_judge_row(model, row, spam, r->limits, &v, NULL, err)) == CR_OK)
        *right = v.verdict != CR_FILTER_UNSURE && v.decision != CR_UNDECIDED &&
                 strcmp(cr_model_class(model, (size_t)v.decision), class_name) == 0 &&
                 (v.verdict == CR_FILTER_SPAM) == ((size_t)v.decision == spam);
    cr_row_free(row);
    cr_model_free(model);
    return st;
}

/* One message. */
static cr_status teach_error(cr_store *store, const cr_model *head, const cr__buffer *text,
                             const char *class_name, cr__taught *r, int new_class,
                             uint64_t *learned, cr_error *err)
{
    cr__mail_words words;
    cr__table *table = NULL;
    int right;
    cr_status st;

    if (!store->meta.apart || !cr__mail_words_are_all(head)) {
        st = is_right(store, text, class_name, r, &right, err);
        if (st == CR_OK && !right)
            st = cr_store_teach_mail(store, text->data, text->size - 1, NULL, class_name, new_class,
                                     NULL, err);
        *learned += st == CR_OK && !right;
        return st;
    }
    if ((st = cr__mail_words_read(&words, head, text->data, text->size - 1, err)) != CR_OK)
        return st;
    if ((st = cr__mail_words_table(&words, head, class_name, &table, err)) == CR_OK) {
        r->learn = table;
        st = cr__store_teach(store, r, err);
    }
    *learned += st == CR_OK && r->tally->rows > 0;
    cr__table_free(table);
    cr__mail_words_free(&words);
    return st;
}

cr_status cr_store_teach_errors(cr_store *store, const void *bytes, size_t size,
                                const char *class_name, const char *spam,
                                const cr_filter_limits *limits, int new_class, uint64_t *learned,
                                cr_error *err)
{
    const cr_run one = {.threads = 1};
    const cr_filter_limits certain = cr_filter_certain(limits);
    cr_tally tally = {0};
    cr__taught r = {.run = &one, .tally = &tally, .limits = &certain, .spam = spam};
    uint64_t count = 0;
    cr__messages *m = NULL;
    cr_model *head;
    cr_status st = cr_store_head(store, &head, err);

    if (st != CR_OK)
        return st;
    if ((st = cr__messages_open(&m, head, bytes, size, err)) == CR_OK)
        st = cr__filter_check_class(head, class_name, new_class, err);
    for (size_t i = 0; st == CR_OK && i < cr__messages_count(m); i++)
        st = teach_error(store, head, cr__messages_text(m, i), class_name, &r, new_class, &count,
                         err);
    if (learned != NULL)
        *learned = count;
    cr__messages_close(m);
    cr_model_free(head);
    return st;
}

/* --- models and knobs ------------------------------------------------------------------------- */

static cr_status merge(cr_store *store, void *context, cr_error *err)
{
    const cr_model *other = context;
    const cr__stats *stats;
    cr__dict **words = NULL;
    cr_model *before = NULL, *after = NULL;
    cr_status st = cr__model_stats(other, &stats, err);

    if (st == CR_OK && (words = cr__alloc_zero(other->schema->columns, sizeof *words)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK) /* adding needs no counts: what differs is what is added */
        st = cr__store_view(store, words, &before, err);
    if (st == CR_OK)
        st = cr_model_copy(&after, before, err);
    if (st == CR_OK)
        st = cr_model_merge(after, other, err);
    if (st == CR_OK)
        st = cr__store_keep(store, before, after, 1, err);
    cr_model_free(after);
    cr_model_free(before);
    cr__free(words);
    return st;
}

cr_status cr_store_merge(cr_store *store, const cr_model *model, cr_error *err)
{
    return cr__store_write(store, merge, (void *)model, err);
}

typedef struct turning {
    const char *const *params;
    size_t count;
} turning;

static cr_status refit(cr_store *store, void *context, cr_error *err)
{
    const turning *t = context;
    cr_model *before, *after = NULL;
    cr_status st = cr__store_view(store, NULL, &before, err);

    if (st == CR_OK)
        st = cr_model_copy(&after, before, err);
    if (st == CR_OK)
        st = cr_model_refit(after, t->params, t->count, err);
    if (st == CR_OK)
        st = cr__store_rebuild(store, after, err);
    cr_model_free(after);
    cr_model_free(before);
    return st;
}

cr_status cr_store_refit(cr_store *store, const char *const *params, size_t param_count,
                         cr_error *err)
{
    turning t = {params, param_count};

    return cr__store_write(store, refit, &t, err);
}
