/* store/change.c - store the effect of a lesson: the difference of two models, word by word.
 *
 * A lesson changes a view (store/view.c) like any model. The differences in the counts of words go
 * into their records, as contributions of this store in the current period; the rest of the model
 * becomes the head.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/change.h"
#include "store/edit.h"
#include "store/parts.h"
#include "store/tallies.h"
#include "train/calibration.h"

/* --- what differs ----------------------------------------------------------------------------- */

uint32_t *cr__store_class_ids(cr_store *store, const cr_model *model)
{
    uint32_t *id = cr__alloc(model->classes, sizeof *id);

    for (size_t c = 0; id != NULL && c < model->classes; c++) {
        const char *name = cr_model_class(model, c);

        if ((id[c] = cr__store_class_id(&store->meta, name, strlen(name))) == UINT32_MAX) {
            cr__free(id);
            return NULL;
        }
    }
    return id;
}

static int add_cell(cr__changes *c, size_t first, uint32_t id, int64_t documents, int64_t terms)
{
    for (size_t i = first; i < c->cells; i++)
        if (c->cell[i].class_id == id) {
            c->cell[i].documents += documents;
            c->cell[i].terms += terms;
            return 1;
        }
    if (!cr__grow(&c->cell, &c->cell_capacity, c->cells + 1, sizeof *c->cell))
        return 0;
    c->cell[c->cells++] = (cr__word_cell){.class_id = id, .documents = documents, .terms = terms};
    return 1;
}

static int add_word_cells(cr__changes *c, size_t first, const cr__bag *bag, size_t w,
                          const uint32_t *id, int sign)
{
    for (size_t i = bag->row[w]; i < bag->row[w + 1]; i++)
        if (!add_cell(c, first, id[bag->cell[i].class_index],
                      sign * (int64_t)bag->cell[i].documents, sign * (int64_t)bag->cell[i].terms))
            return 0;
    return 1;
}

/* One word of both, or of one of them (SIZE_MAX: it is missing in the other). */
static int add_word(cr__changes *c, const cr__bag *before, size_t b, const uint32_t *before_id,
                    const cr__bag *after, size_t a, const uint32_t *after_id)
{
    cr__word_change w = {.first = c->cells};
    size_t kept;

    if ((b != SIZE_MAX && !add_word_cells(c, w.first, before, b, before_id, -1)) ||
        (a != SIZE_MAX && !add_word_cells(c, w.first, after, a, after_id, 1)))
        return 0;
    kept = w.first;
    for (size_t i = w.first; i < c->cells; i++)
        if (c->cell[i].documents != 0 || c->cell[i].terms != 0)
            c->cell[kept++] = c->cell[i];
    c->cells = kept;
    if ((w.cells = kept - w.first) == 0)
        return 1;
    w.word = a != SIZE_MAX ? cr__bag_word(after, a, &w.length) : cr__bag_word(before, b, &w.length);
    if (!cr__grow(&c->word, &c->word_capacity, c->words + 1, sizeof *c->word))
        return 0;
    c->word[c->words++] = w;
    return 1;
}

/* The order of two words: below, at or above 0. */
static int compare(const cr__bag *x, size_t i, const cr__bag *y, size_t j)
{
    size_t length_x, length_y;
    const char *word_x, *word_y;

    if (x->hash[i] != y->hash[j])
        return x->hash[i] < y->hash[j] ? -1 : 1;
    word_x = cr__bag_word(x, i, &length_x);
    word_y = cr__bag_word(y, j, &length_y);
    return cr__word_compare(word_x, length_x, word_y, length_y);
}

static int find_changes(cr__changes *c, const cr__bag *before, const uint32_t *before_id,
                        const cr__bag *after, const uint32_t *after_id)
{
    const size_t words = before == NULL ? 0 : before->words;
    size_t b = 0, a = 0;

    while (b < words || a < after->words) {
        const int order = b == words ? 1 : a == after->words ? -1 : compare(before, b, after, a);

        if (!add_word(c, before, order <= 0 ? b : SIZE_MAX, before_id, after,
                      order >= 0 ? a : SIZE_MAX, after_id))
            return 0;
        b += order <= 0;
        a += order >= 0;
    }
    return 1;
}

/* --- into records ----------------------------------------------------------------------------- */

/* The changes of a column, and the keys of their groups. */
typedef struct kept {
    const cr__changes *changes;
    uint64_t period, version;
} kept;

static const char *changed_word(const void *context, size_t i, size_t *length)
{
    const cr__word_change *w = &((const kept *)context)->changes->word[i];

    *length = w->length;
    return w->word;
}

static cr_status add_changes(const void *context, size_t i, cr__word_record *r)
{
    const kept *l = context;
    const cr__word_change *w = &l->changes->word[i];
    cr_status st = CR_OK;

    for (size_t k = 0; st == CR_OK && k < w->cells; k++) {
        cr__word_cell cell = l->changes->cell[w->first + k];

        cell.period = l->period;
        cell.version = l->version;
        st = cr__word_record_add(r, &cell);
    }
    return st;
}

static cr_status keep_column(cr_store *store, size_t column, const cr__changes *c, double least,
                             cr_error *err)
{
    const kept l = {c, store->lesson_period, store->meta.origin[0].version + 1};
    const cr__edits edits = {c->words, changed_word, add_changes, &l};

    return cr__words_edit(store, column, &edits, least, err);
}

/* What differs in each text, [columns]; to be freed by cr__changes_free(). */
static cr_status find_all(cr_store *store, const cr_model *before, const cr__stats *old,
                          const cr_model *after, const cr__stats *new, cr__changes *c,
                          cr_error *err)
{
    uint32_t *after_id = cr__store_class_ids(store, after);
    uint32_t *before_id = before == NULL ? NULL : cr__store_class_ids(store, before);
    int done = after_id != NULL && (before == NULL || before_id != NULL);

    for (size_t i = 0; done && i < after->schema->columns; i++)
        if (new->column[i].bag != NULL)
            done = find_changes(&c[i], before == NULL ? NULL : old->column[i].bag, before_id,
                                new->column[i].bag, after_id);
    cr__free(after_id);
    cr__free(before_id);
    return done ? CR_OK : cr__fail_memory(err);
}

void cr__changes_free(cr__changes *c, size_t columns)
{
    for (size_t i = 0; c != NULL && i < columns; i++) {
        cr__free(c[i].word);
        cr__free(c[i].cell);
    }
    cr__free(c);
}

static cr_status keep_words(cr_store *store, const cr_model *after, const cr__changes *c,
                            cr_error *err)
{
    const double least = cr__knobs_number(&after->knobs, "min-count");
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < after->schema->columns; i++)
        if (after->schema->column[i].kind == CR_BAG && cr__stats_is_feature(after->schema, i))
            st = keep_column(store, i, &c[i], least, err);
    return st;
}

/* Whether a period has enough counts of one word to subtract. */
static int holds(const cr__word_record *r, const cr__changes *c, const cr__word_change *w,
                 uint64_t period)
{
    for (size_t k = 0; k < w->cells; k++) {
        const cr__word_cell *want = &c->cell[w->first + k];
        int64_t documents = want->documents, terms = want->terms;

        for (size_t i = 0; i < r->cells; i++)
            if (r->cell[i].period == period && r->cell[i].class_id == want->class_id) {
                documents += r->cell[i].documents;
                terms += r->cell[i].terms;
            }
        if (documents < 0 || terms < 0)
            return 0;
    }
    return 1;
}

/* The same for all words: CR_ECONFLICT where it does not. */
static cr_status check_period(cr_store *store, size_t columns, const cr__changes *c,
                              uint64_t period, cr_error *err)
{
    cr__word_record record = {0};
    cr__buffer key = {0};
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < columns; i++)
        for (size_t w = 0; st == CR_OK && w < c[i].words; w++) {
            cr__bytes value;

            cr__buffer_clear(&key);
            cr__record_key(&key, i, c[i].word[w].word, c[i].word[w].length);
            if (key.failed)
                st = cr__fail_memory(err);
            else if ((st = cr__store_get(store, key.data, key.size, &value, err)) == CR_OK)
                st = cr__word_record_read(&record, value.at, value.size);
            if (st == CR_OK && !holds(&record, &c[i], &c[i].word[w], period))
                st = CR_ECONFLICT;
        }
    cr__buffer_free(&key);
    cr__word_record_free(&record);
    return st;
}

/* --- the head --------------------------------------------------------------------------------- */

cr_status cr__store_put_head(cr_store *store, const cr_model *head, cr_error *err)
{
    void *bytes;
    size_t size;
    cr_status st = cr_model_save_bytes(head, &bytes, &size, err);

    if (st == CR_OK)
        st = cr__store_put(store, "M", 1, bytes, size, err);
    cr_bytes_free(bytes);
    return st;
}

/* The model without its words. */
static cr_status keep_head(cr_store *store, const cr_model *model, const cr__stats *stats,
                           cr_error *err)
{
    cr__stats *bare;
    cr_model *head;
    cr_status st = cr__stats_view(&bare, stats, err);

    if (st != CR_OK)
        return st;
    if ((st = cr_model_copy(&head, model, err)) != CR_OK) {
        cr__stats_free(bare);
        return st;
    }
    if ((st = cr__model_become(head, bare, NULL, err)) == CR_OK) {
        head->calibration = cr__calibration_share(model->calibration);
        st = cr__store_put_head(store, head, err);
    }
    cr_model_free(head);
    return st;
}

/* Messages are long, and their words say the same over and over: naive Bayes is far too sure of
 * them from the first lesson, as later ones show. */
cr_status cr__store_keep_calibration(const cr_store *store, cr_model *model, cr_error *err)
{
    const double of_mail = 20; /* a temperature; docs/benchmarks.md has figures */
    cr__calibration *c;
    cr_status st;

    if (store->meta.calibrate == 0 || model->calibration != NULL || model->classes < 2)
        return CR_OK;
    st = cr__calibration_begin(&c, (cr__calibration_kind)store->meta.calibrate, model->classes,
                               NULL, err);
    if (st == CR_OK && model->recipe.mail)
        cr__calibration_expect(c, of_mail);
    if (st == CR_OK && (st = cr__calibration_settle(c, err)) != CR_OK)
        cr__calibration_free(c);
    if (st == CR_OK)
        model->calibration = c;
    return st;
}

/* The content of a head: everything except words with records of their own. */
static cr_status head_of(const cr_store *store, const cr__stats *stats, cr__stats **out,
                         cr_error *err)
{
    if (store->meta.apart)
        return cr__stats_view(out, stats, err);
    *out = cr__stats_share(stats);
    return CR_OK;
}

/* The head of what was learned (sign 1) or unlearned (-1): the difference of two. The caller frees
 * it. */
static cr_status lesson_head(const cr_store *store, const cr__stats *old, const cr__stats *new,
                             int sign, cr__stats **out, cr_error *err)
{
    cr__stats *before = NULL, *after = NULL;
    cr_status st = head_of(store, new, &after, err);

    if (st == CR_OK && old == NULL)
        st = cr__stats_sum(out, &after, 1, err);
    else if (st == CR_OK && (st = head_of(store, old, &before, err)) == CR_OK)
        st = sign > 0 ? cr__stats_combine(out, after, before, -1, err)
                      : cr__stats_combine(out, before, after, -1, err);
    cr__stats_free(before);
    cr__stats_free(after);
    return st;
}

/* Record a lesson under its period, and set store->lesson_period to it: the current one, or for
 * unlearning the newest that holds the lesson. */
static cr_status keep_part(cr_store *store, const cr_model *like, const cr__stats *old,
                           const cr__stats *new, const cr__changes *c, int sign, cr_error *err)
{
    const uint64_t now = cr__store_period(store);
    const uint64_t first =
        store->meta.floor > store->meta.first ? store->meta.floor : store->meta.first;
    cr__stats *lesson = NULL;
    cr_status st;

    store->lesson_period = now;
    if (!cr__store_has_parts(store))
        return CR_OK;
    if ((st = lesson_head(store, old, new, sign, &lesson, err)) != CR_OK)
        return st;
    if (sign > 0) {
        st = cr__store_part_add(store, now, like, lesson, 1, err);
    } else {
        st = CR_ECONFLICT;
        for (uint64_t p = now + 1; st == CR_ECONFLICT && p-- > first;) {
            store->lesson_period = p;
            st = check_period(store, like->schema->columns, c, p, err);
            if (st == CR_OK)
                st = cr__store_part_add(store, p, like, lesson, -1, err);
        }
        if (st == CR_ECONFLICT)
            cr__fail(err, st, "no period holds all of what is to be unlearned");
    }
    cr__stats_free(lesson);
    return st;
}

/* Store everything but the head of two models, whose statistics and words differ by a lesson. */
static cr_status keep_changes(cr_store *store, const cr_model *before, const cr__stats *old,
                              cr_model *after, const cr__stats *new, const cr__changes *c, int sign,
                              cr_error *err)
{
    cr_status st = store->meta.shared ? cr__tallies_keep(store, before, after, err) : CR_OK;

    if (st == CR_OK)
        st = keep_part(store, after, old, new, c, sign, err);
    if (st == CR_OK && store->meta.apart)
        st = keep_words(store, after, c, err);
    return st;
}

cr_status cr__store_keep(cr_store *store, const cr_model *before, cr_model *after, int sign,
                         cr_error *err)
{
    const size_t columns = after->schema->columns;
    const cr__stats *old = NULL, *new = NULL;
    cr__changes *c = cr__alloc_zero(columns, sizeof *c);
    cr_status st = c == NULL ? cr__fail_memory(err) : cr__store_keep_calibration(store, after, err);

    if (st == CR_OK && before != NULL)
        st = cr__model_stats(before, &old, err);
    if (st == CR_OK)
        st = cr__model_stats(after, &new, err);
    if (st == CR_OK && store->meta.apart)
        st = find_all(store, before, old, after, new, c, err);
    if (st == CR_OK)
        st = keep_changes(store, before, old, after, new, c, sign, err);
    cr__changes_free(c, columns);
    if (st != CR_OK)
        return st;
    return store->meta.apart ? keep_head(store, after, new, err)
                             : cr__store_put_head(store, after, err);
}

cr_status cr__store_keep_words(cr_store *store, const cr_model *before, cr_model *after,
                               const cr__changes *c, cr_error *err)
{
    const cr__stats *old, *new;
    cr_status st = cr__model_stats(before, &old, err);

    if (st == CR_OK)
        st = cr__model_stats(after, &new, err);
    if (st == CR_OK)
        st = keep_changes(store, before, old, after, new, c, 1, err);
    return st == CR_OK ? cr__store_put_head(store, after, err) : st;
}

/* --- other knobs ------------------------------------------------------------------------------ */

typedef struct recount {
    cr__word_totals totals;
    cr__word_record record;
    double least;
    const cr_store *store;
} recount;

static cr_status count_record(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    recount *r = context;
    const cr_status st = cr__word_record_read(&r->record, value.at, value.size);

    if (st == CR_EFORMAT)
        return cr__store_damaged(r->store, err, "the counts of a word make no sense");
    r->totals.digest += cr__word_digest(key, value);
    return st == CR_OK && cr__word_totals_count(&r->totals, &r->record, r->least, 1) == CR_OK
               ? CR_OK
               : cr__fail_memory(err);
}

/* The sum of the records of a column. */
cr_status cr__word_totals_recount(cr_store *store, size_t column, double least,
                                  cr__word_totals *out, cr_error *err)
{
    recount r = {.least = least, .store = store};
    cr__buffer prefix = {0};
    cr_status st;

    cr__record_key(&prefix, column, "", 0);
    st = prefix.failed ? cr__fail_memory(err)
                       : store->kv->kind->scan(store->kv, (cr__bytes){prefix.data, prefix.size},
                                               count_record, &r, err);
    cr__buffer_free(&prefix);
    cr__word_record_free(&r.record);
    *out = r.totals;
    return st;
}

/* Knobs do not change counts, but may change which words are chosen. */
static cr_status recount_all(cr_store *store, const cr_model *model, cr_error *err)
{
    const double least = cr__knobs_number(&model->knobs, "min-count");
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < model->schema->columns; i++) {
        cr__word_totals t;

        if (model->schema->column[i].kind != CR_BAG || !cr__stats_is_feature(model->schema, i))
            continue;
        st = cr__word_totals_recount(store, i, least, &t, err);
        if (st == CR_OK)
            st = cr__word_totals_write(store, i, &t, err);
        cr__word_totals_free(&t);
    }
    return st;
}

cr_status cr__store_rebuild(cr_store *store, cr_model *model, cr_error *err)
{
    const int apart = cr__store_words_apart(model);
    const cr__stats *stats;
    cr_status st;

    if (apart == store->meta.apart && !apart)
        return cr__store_put_head(store, model, err);
    if (apart != store->meta.apart) {
        cr__fail(err, CR_ECONFLICT, "with these knobs the words of a text %s",
                 apart ? "would be kept one by one" : "depend on each other");
        return cr__fail_hint(err, CR_ECONFLICT,
                             "make a new store from the exported model, with these knobs");
    }
    if ((st = recount_all(store, model, err)) != CR_OK ||
        (st = cr__model_stats(model, &stats, err)) != CR_OK)
        return st;
    return keep_head(store, model, stats, err);
}
