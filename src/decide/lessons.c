/* decide/lessons.c - single rows that a model learns or unlearns.
 *
 * Lessons are two tables, of rows to learn and of rows to unlearn, with dictionaries of their own.
 * They reach the model as sources, like all data.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/product.h"
#include "data/table.h"
#include "decide/lessons.h"
#include "decide/row.h"
#include "model/later.h"
#include "stats/one_row.h"
#include "text/text_to_batch.h"
#include "train/calibration.h"

#define LESSON_SEED UINT64_C(0x6c6573736f6e)

enum { LEARN, UNLEARN, WAYS };

typedef struct heap {
    cr__table *table;
    cr__dict **dict; /* [columns] the table's */
} heap;

struct cr_lessons {
    cr_model *model; /* a copy, for its columns and its text recipe */
    heap heap[WAYS];
    cr__tokenizer *tokenizer; /* NULL where there are no texts */
    cr__batch batch;          /* of one row */
    cr__record record;
    double weight;
    double *real;    /* [columns] */
    uint32_t *code;  /* [columns] */
    uint32_t *start; /* [2 * columns] */
};

/* --- making ----------------------------------------------------------------------------------- */

static void close_heap(heap *h)
{
    cr__table_free(h->table);
    cr__free(h->dict);
    *h = (heap){0};
}

void cr_lessons_free(cr_lessons *lessons)
{
    if (lessons == NULL)
        return;
    for (int way = 0; way < WAYS; way++)
        close_heap(&lessons->heap[way]);
    for (size_t i = 0; lessons->batch.column != NULL && i < lessons->batch.columns; i++)
        cr__free(lessons->batch.column[i].word);
    cr__tokenizer_free(lessons->tokenizer);
    cr__free(lessons->batch.column);
    cr__free(lessons->real);
    cr__free(lessons->code);
    cr__free(lessons->start);
    cr_model_free(lessons->model);
    cr__free(lessons);
}

static cr_status open_heap(heap *h, const cr_model *model, cr_error *err)
{
    const cr_schema *schema = model->schema;
    cr_status st = cr__table_new(&h->table, schema, err);

    if (st != CR_OK)
        return st;
    h->dict = cr__alloc_zero(schema->columns, sizeof *h->dict);
    h->table->missing = cr__strndup(model->missing, strlen(model->missing));
    if (h->dict == NULL || h->table->missing == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (schema->column[i].kind == CR_SYMBOL || schema->column[i].kind == CR_BAG) {
            st = cr__dict_new(&h->table->column[i].dict, LESSON_SEED + i, err);
            h->dict[i] = h->table->column[i].dict;
        }
    return st;
}

static cr_status open_batch(cr_lessons *lessons, cr_error *err)
{
    const cr_schema *schema = lessons->model->schema;
    const size_t columns = schema->columns;

    lessons->batch =
        (cr__batch){.rows = 1, .capacity = 1, .columns = columns, .record = &lessons->record};
    lessons->batch.column = cr__alloc_zero(columns, sizeof *lessons->batch.column);
    lessons->real = cr__alloc(columns, sizeof *lessons->real);
    lessons->code = cr__alloc(columns, sizeof *lessons->code);
    lessons->start = cr__alloc_zero(columns, 2 * sizeof *lessons->start);
    if (lessons->batch.column == NULL || lessons->real == NULL || lessons->code == NULL ||
        lessons->start == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < columns; i++)
        lessons->batch.column[i] = (cr__batch_column){.kind = schema->column[i].kind,
                                                      .real = &lessons->real[i],
                                                      .code = &lessons->code[i],
                                                      .start = &lessons->start[2 * i]};
    if (schema->weight != SIZE_MAX)
        lessons->batch.weight = &lessons->weight;
    return CR_OK;
}

static int has_texts(const cr_schema *schema)
{
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_BAG)
            return 1;
    return 0;
}

cr_status cr_lessons_new(cr_lessons **out, const cr_model *model, cr_error *err)
{
    cr_lessons *lessons = cr__alloc_zero(1, sizeof *lessons);
    cr_status st;

    *out = NULL;
    if (lessons == NULL)
        return cr__fail_memory(err);
    st = cr_model_copy(&lessons->model, model, err);
    if (st == CR_OK)
        st = open_batch(lessons, err);
    for (int way = 0; st == CR_OK && way < WAYS; way++)
        st = open_heap(&lessons->heap[way], model, err);
    if (st == CR_OK && has_texts(model->schema))
        st = cr__tokenizer_new(&lessons->tokenizer, &lessons->model->recipe, err);
    if (st != CR_OK) {
        cr_lessons_free(lessons);
        return st;
    }
    *out = lessons;
    return CR_OK;
}

/* --- adding ----------------------------------------------------------------------------------- */

/* Words of a text by the table's own numbers. */
static cr_status intern_words(void *context, size_t column, const char *text,
                              const cr__token *token, size_t n, uint32_t *word, size_t *kept)
{
    const heap *h = context;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++)
        st = cr__dict_intern(h->dict[column], text + token[i].start, token[i].length, &word[i]);
    *kept = n;
    return st;
}

static cr_status add_text(cr_lessons *lessons, heap *h, const cr_row *row, size_t i, cr_error *err)
{
    const cr__row_text *text = &row->text[i];

    cr__batch_no_text(&lessons->batch, 0, i);
    if (row->code[i] == CR__MISSING)
        return CR_OK;
    return cr__text_to_batch(
        lessons->tokenizer, &lessons->batch, 0, i,
        &(cr__section){
            .prefix = "", .text = text->bytes, .size = text->size, .whole = 1, .mail = text->mail},
        intern_words, h, err);
}

/* A word as given, even when the row's model does not know it. */
static cr_status add_symbol(cr_lessons *lessons, heap *h, const cr_row *row, size_t i,
                            cr_error *err)
{
    const cr__dict *known = row->model->dict[i];
    const char *word = row->text[i].bytes;
    size_t length = row->text[i].size;

    lessons->code[i] = CR__MISSING;
    if (row->code[i] == CR__MISSING)
        return CR_OK;
    if (row->code[i] <= known->words)
        word = cr__dict_word(known, row->code[i], &length);
    return cr__dict_intern(h->dict[i], word, length, &lessons->code[i]) == CR_OK
               ? CR_OK
               : cr__fail_memory(err);
}

static cr_status add_weight(cr_lessons *lessons, const cr_row *row, cr_error *err)
{
    const size_t column = lessons->model->schema->weight;

    if (column == SIZE_MAX)
        return CR_OK;
    lessons->weight = isnan(row->real[column]) ? 1 : row->real[column];
    if (lessons->weight >= 0)
        return CR_OK;
    return cr__fail(err, CR_EARG, "the weight of the row is %g; it must be 0 or more",
                    lessons->weight);
}

/* Whether the columns of a row are those of the lessons. */
static cr_status check_columns(const cr_schema *a, const cr_schema *b, cr_error *err)
{
    return cr__columns_match(a, b)
               ? CR_OK
               : cr__fail(err, CR_ECONFLICT, "the row is of a model with other columns");
}

static cr_status check_target(const cr_row *row, cr_error *err)
{
    const cr_schema *schema = row->model->schema;
    const size_t target = schema->target;

    if (target == SIZE_MAX ||
        (schema->column[target].kind == CR_REAL ? !isnan(row->real[target])
                                                : row->code[target] != CR__MISSING))
        return CR_OK;
    return cr__fail(err, CR_EARG, "the row has no %s: '%s' is not set",
                    schema->column[target].kind == CR_REAL ? "number to learn" : "class",
                    schema->column[target].name);
}

static cr_status add_columns(cr_lessons *lessons, heap *h, const cr_row *row, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < lessons->batch.columns; i++)
        switch (lessons->batch.column[i].kind) {
        case CR_REAL: lessons->real[i] = row->real[i]; break;
        case CR_SYMBOL: st = add_symbol(lessons, h, row, i, err); break;
        case CR_BAG: st = add_text(lessons, h, row, i, err); break;
        default: break;
        }
    cr__products_fill(lessons->model->schema, &lessons->batch);
    return st;
}

cr_status cr_lessons_add(cr_lessons *lessons, const cr_row *row, int sign, cr_error *err)
{
    heap *h = &lessons->heap[sign < 0 ? UNLEARN : LEARN];
    cr_status st = check_columns(lessons->model->schema, row->model->schema, err);

    if (st != CR_OK || (st = check_target(row, err)) != CR_OK ||
        (st = add_weight(lessons, row, err)) != CR_OK ||
        (st = add_columns(lessons, h, row, err)) != CR_OK)
        return st;
    lessons->record.line = h->table->rows + 1;
    if ((st = cr__table_append(h->table, &lessons->batch)) != CR_OK)
        return cr__fail(err, st, "the lessons do not fit into memory");
    return CR_OK;
}

size_t cr_lessons_count(const cr_lessons *lessons)
{
    return lessons->heap[LEARN].table->rows + lessons->heap[UNLEARN].table->rows;
}

void cr__lessons_tables(const cr_lessons *lessons, const cr__table **learn,
                        const cr__table **unlearn)
{
    *learn = lessons->heap[LEARN].table;
    *unlearn = lessons->heap[UNLEARN].table;
}

/* --- learning --------------------------------------------------------------------------------- */

/* Words of earlier rows would be looked up with those of later ones. */
void cr_lessons_clear(cr_lessons *lessons)
{
    const size_t columns = lessons->model->schema->columns;

    for (int way = 0; way < WAYS; way++) {
        cr__table_clear(lessons->heap[way].table);
        for (size_t i = 0; i < columns; i++)
            if (lessons->heap[way].dict[i] != NULL)
                cr__dict_clear(lessons->heap[way].dict[i]);
    }
}

static cr_status teach(cr_model *model, const cr__table *table, int way, const cr_run *run,
                       cr_error *err)
{
    cr_source *source;
    cr_status st;

    if (table->rows == 0)
        return CR_OK;
    if ((st = cr__source_open_table(&source, table, NULL, 0, err)) != CR_OK)
        return st;
    st = way == LEARN ? cr_model_learn(model, source, run, NULL, err)
                      : cr_model_unlearn(model, source, run, NULL, err);
    cr_source_close(source);
    if (st != CR_OK && err != NULL)
        err->file[0] = '\0'; /* there is no such row */
    return st;
}

cr_status cr_lessons_apply(cr_lessons *lessons, cr_model *model, const cr_run *run, cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr_model *changed;
    cr_status st = check_columns(lessons->model->schema, model->schema, err);

    if (st != CR_OK || (st = cr_model_copy(&changed, model, err)) != CR_OK)
        return st;
    for (int way = 0; st == CR_OK && way < WAYS; way++)
        st = teach(changed, lessons->heap[way].table, way, run == NULL ? &one : run, err);
    if (st == CR_OK) {
        cr__model_swap(model, changed);
        cr_lessons_clear(lessons);
    }
    cr_model_free(changed);
    return st;
}

/* --- one row in place --------------------------------------------------------------------------
 */

/* Whether the model shares no parts, and nothing else depends on it. */
static int is_alone(const cr_model *model)
{
    return model->learner->follows != NULL && model->impute == NULL && !cr__model_shared(model) &&
           model->stats != NULL && model->share->stats == model->stats &&
           atomic_load(&model->stats->others) == 0;
}

/* The codes of the row's words in the statistics, into its scratch; unknown words get the code
 * beyond the last. */
static const uint32_t *codes_of(const cr_row *row, const cr__stats *stats)
{
    for (size_t i = 0; i < stats->schema->columns; i++)
        row->kept_code[i] = cr__row_code(row, i, stats->column[i].dict);
    return row->kept_code;
}

/* Whether the answer to a row can be counted in the model's calibration in place. */
static int can_count(const cr_model *model)
{
    return model->learner->follows->score_texts != NULL && model->schema->weight == SIZE_MAX &&
           model->calibration->tally != NULL && model->calibration->classes == model->classes;
}

/* A calibration with the same tallies that belongs to the model alone, unless its own does. */
static cr_status own_calibration(const cr_model *model, cr__calibration **own, cr_error *err)
{
    const cr__calibration *c = model->calibration;

    *own = NULL;
    return c == NULL || atomic_load(&c->others) == 0
               ? CR_OK
               : cr__calibration_begin(own, c->kind, c->classes, c->tally, err);
}

static cr_status learn_later(cr_model *model, const cr_row *row, int sign, cr_error *err)
{
    const cr__one_row one = {
        .real = row->real, .code = codes_of(row, model->stats), .texts_apart = 1};
    const size_t target = model->schema->target;
    cr__later_answer answer = {.settle = cr__calibration_settle};
    const int counts = model->calibration != NULL;
    cr__calibration *own = NULL;
    cr_status st = counts && !can_count(model) ? CR_END : CR_OK;

    if (st == CR_OK && counts &&
        (answer.score = cr__alloc(model->classes, sizeof *answer.score)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = own_calibration(model, &own, err);
    if (st == CR_OK)
        st = cr__model_note_row(model, &one, cr__row_section, row, sign, counts ? &answer : NULL,
                                err);
    if (st == CR_OK) {
        model->rows = model->stats->rows;
        model->fingerprint[0] = '\0';
    }
    if (st == CR_OK && own != NULL) {
        cr__calibration_free(model->calibration);
        model->calibration = own;
        own = NULL;
    }
    if (st == CR_OK && counts)
        cr__calibration_count(model->calibration, answer.score, one.code[target] - 1, 1, sign);
    cr__calibration_free(own);
    cr__free(answer.score);
    return st;
}

/* CR_END: it takes the way of all data. */
static cr_status learn_in_place(cr_model *model, const cr_row *row, int sign, cr_error *err)
{
    const cr__follows *follows = model->learner->follows;
    cr__stats *stats = model->stats;
    cr__one_row one = {.real = row->real};
    size_t target;

    if (!is_alone(model) || stats->schema->target == SIZE_MAX)
        return CR_END;
    if (cr__later_applies(stats))
        return learn_later(model, row, sign, err);
    if (model->calibration != NULL)
        return CR_END;
    target = stats->schema->target;
    one.code = codes_of(row, stats);
    if (follows->open(model->share->fitted, stats, &model->knobs, one.real) != CR_OK ||
        cr__stats_take_row(stats, &one, sign) != CR_OK)
        return CR_END;
    if (follows->follow(model->share->fitted, stats, &model->knobs, one.real, one.code,
                        one.code[target] - 1, sign) != CR_OK) {
        (void)cr__stats_take_row(stats, &one, -sign);
        return cr__fail_memory(err);
    }
    model->rows = stats->rows;
    model->fingerprint[0] = '\0';
    return CR_OK;
}

static cr_status learn_alone(cr_model *model, const cr_row *row, int sign, cr_error *err)
{
    cr_lessons *lessons;
    cr_status st = cr_lessons_new(&lessons, model, err);

    if (st != CR_OK)
        return st;
    if ((st = cr_lessons_add(lessons, row, sign, err)) == CR_OK)
        st = cr_lessons_apply(lessons, model, NULL, err);
    if (st != CR_OK && err != NULL)
        err->line = 0;
    cr_lessons_free(lessons);
    return st;
}

cr_status cr_row_learn(cr_model *model, const cr_row *row, int sign, cr_error *err)
{
    cr_status st = check_columns(model->schema, row->model->schema, err);

    if (st != CR_OK || (st = check_target(row, err)) != CR_OK)
        return st;
    st = learn_in_place(model, row, sign < 0 ? -1 : 1, err);
    return st == CR_END ? learn_alone(model, row, sign, err) : st;
}
