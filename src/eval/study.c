/* eval/study.c - decks of rows, and models of parts of them. */
#include "eval/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/folds.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "learners/registry.h"
#include "model/scorer.h"
#include "stats/table_read.h"

enum { USUAL_FOLDS = 10 };

/* --- life ------------------------------------------------------------------------------------ */

cr_status cr_study_new(cr_study **out, cr_source *source, const cr_deal *given, const cr_run *run,
                       cr_error *err)
{
    cr_deal own;
    const cr_deal *deal = &own;
    cr_study *s;
    cr_status st = cr__sized_take(&own, sizeof own, given, "cr_deal", err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    s = cr__alloc_zero(1, sizeof *s);
    if (s == NULL)
        return cr__fail_memory(err);
    s->source = source;
    s->leave_one_out = deal->folds == CR_LEAVE_ONE_OUT;
    s->folds = deal->folds == 0 ? USUAL_FOLDS : deal->folds;
    s->repeats = deal->repeats == 0 || s->leave_one_out ? 1 : deal->repeats;
    s->unstratified = deal->unstratified;
    s->seed = deal->seed;
    s->run = cr__run_of(run);
    if (s->folds < 2) {
        cr__free(s);
        return cr__fail(err, CR_EARG, "%zu fold: there must be two at least", deal->folds);
    }
    if (deal->group != NULL && (s->group = cr__strndup(deal->group, strlen(deal->group))) == NULL) {
        cr__free(s);
        return cr__fail_memory(err);
    }
    *out = s;
    return CR_OK;
}

static void free_parts(cr__parts *parts, size_t folds)
{
    while (parts != NULL) {
        cr__parts *next = parts->next;

        for (size_t i = 0; parts->fold != NULL && i < folds; i++)
            cr__stats_free(parts->fold[i]);
        cr__free(parts->fold);
        cr__stats_free(parts->total);
        cr__free(parts->bins);
        cr__free(parts);
        parts = next;
    }
}

void cr__deck_free(cr__deck *deck, size_t folds)
{
    free_parts(deck->parts, folds);
    cr__free(deck->fold);
    cr__free(deck->class_code);
    cr__free(deck->row);
    cr__recipe_free(&deck->recipe);
    if (deck->whole == NULL)
        cr__table_free(deck->table);
    cr__free(deck);
}

void cr_study_free(cr_study *s)
{
    if (s == NULL)
        return;
    while (s->decks != NULL) {
        cr__deck *next = s->decks->next;

        cr__deck_free(s->decks, s->leave_one_out ? 0 : s->folds * s->repeats);
        s->decks = next;
    }
    cr__free(s->place);
    cr__free(s->group);
    cr__free(s);
}

/* --- decks ----------------------------------------------------------------------------------- */

static int has_target(const cr__table_column *target, size_t row)
{
    return target->kind == CR_REAL ? !isnan(target->real[row]) : target->code[row] != CR__MISSING;
}

static cr_status list_rows(cr__deck *deck, cr_error *err)
{
    const cr__table *table = deck->table;
    const cr__table_column *target = &table->column[table->schema->target];
    const int classes = target->kind == CR_SYMBOL;

    deck->row = cr__alloc(table->rows + 1, sizeof *deck->row);
    deck->class_code = classes ? cr__alloc(table->rows + 1, sizeof *deck->class_code) : NULL;
    if (deck->row == NULL || (classes && deck->class_code == NULL))
        return cr__fail_memory(err);
    for (size_t r = 0; r < table->rows; r++) {
        if (!has_target(target, r)) {
            deck->unlabelled++;
            continue;
        }
        if (classes)
            deck->class_code[deck->rows] = target->code[r] - 1;
        deck->row[deck->rows++] = (uint32_t)r;
    }
    if (deck->rows < 2)
        return cr__fail(err, CR_EFORMAT, "%zu row%s with a target: there must be two at least",
                        deck->rows, deck->rows == 1 ? "" : "s");
    for (size_t r = 0; r < deck->rows; r++)
        if (table->weight == NULL || table->weight[deck->row[r]] > 0)
            return CR_OK;
    return cr__fail(err, CR_EFORMAT, "no row with a target has a weight above 0");
}

/* A number and whose it is. */
typedef struct marked {
    double x;
    uint32_t row;
} marked;

static int by_number(const void *pa, const void *pb)
{
    const marked *a = pa, *b = pb;

    return a->x < b->x ? -1 : a->x > b->x;
}

/* Rows of equal number are a group; a row without one is a group of its own. */
static cr_status group_numbers(const cr__deck *deck, const double *real, uint32_t *group,
                               size_t *groups, cr_error *err)
{
    marked *list = cr__alloc(deck->rows, sizeof *list);
    size_t n = 0;

    if (list == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < deck->rows; r++)
        if (isnan(real[deck->row[r]]))
            group[r] = (uint32_t)(*groups)++;
        else
            list[n++] = (marked){real[deck->row[r]], (uint32_t)r};
    qsort(list, n, sizeof *list, by_number);
    for (size_t i = 0; i < n; i++) {
        *groups += i == 0 || list[i].x != list[i - 1].x;
        group[list[i].row] = (uint32_t)*groups - 1;
    }
    cr__free(list);
    return CR_OK;
}

static void group_symbols(const cr__deck *deck, const cr__table_column *column, uint32_t *group,
                          size_t *groups)
{
    *groups = column->dict->words;
    for (size_t r = 0; r < deck->rows; r++) {
        const uint32_t code = column->code[deck->row[r]];

        group[r] = code == CR__MISSING ? (uint32_t)(*groups)++ : code - 1;
    }
}

/* The groups of the labelled rows; the column is a feature no more. */
static cr_status take_groups(const cr_study *s, cr__deck *deck, uint32_t **group, size_t *groups,
                             cr_error *err)
{
    cr_schema *schema = deck->table->schema;
    const size_t column = cr_schema_find(schema, s->group);
    const cr__table_column *data;
    cr_status st = CR_OK;

    if (column == SIZE_MAX)
        return cr__fail(err, CR_EARG, "there is no column '%s' to group by", s->group);
    data = &deck->table->column[column];
    if (column == schema->target || (data->kind != CR_SYMBOL && data->kind != CR_REAL))
        return cr__fail(err, CR_EARG, "rows cannot be grouped by '%s'", s->group);
    if ((*group = cr__alloc(deck->rows, sizeof **group)) == NULL)
        return cr__fail_memory(err);
    if (data->kind == CR_REAL)
        st = group_numbers(deck, data->real, *group, groups, err);
    else
        group_symbols(deck, data, *group, groups);
    schema->column[column].kind = CR_IGNORE;
    if (st == CR_OK && *groups < s->folds && !s->leave_one_out)
        st = cr__fail(err, CR_EARG, "'%s' has %zu groups, which do not fill %zu folds", s->group,
                      *groups, s->folds);
    return st;
}

cr_status cr__deck_deal(const cr_study *s, cr__deck *deck, cr_error *err)
{
    uint32_t *group = NULL;
    size_t groups = 0;
    cr_status st = s->group == NULL ? CR_OK : take_groups(s, deck, &group, &groups, err);

    if (st == CR_OK && !s->leave_one_out && s->folds > deck->rows)
        st = cr__fail(err, CR_EARG, "%zu folds of %zu rows: some would be empty", s->folds,
                      deck->rows);
    if (st == CR_OK && !s->leave_one_out &&
        (deck->fold = cr__alloc(s->repeats * deck->rows, sizeof *deck->fold)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && deck->fold != NULL && i < s->repeats; i++) {
        const size_t target = deck->table->schema->target;
        const cr__dict *dict = deck->table->column[target].dict;

        st = cr__folds_deal(deck->fold + i * deck->rows,
                            &(cr__deal){.rows = deck->rows,
                                        .folds = s->folds,
                                        .class_code = s->unstratified ? NULL : deck->class_code,
                                        .classes = dict == NULL ? 0 : dict->words,
                                        .group = group,
                                        .groups = groups,
                                        .seed = s->seed + i},
                            err);
    }
    cr__free(group);
    return st;
}

/* A learner of no target in particular takes that of a classifier. */
static cr__target_use use_of(const cr__learner *kind)
{
    return kind->target == CR__TARGET_NONE ? CR__TARGET_CLASS : kind->target;
}

/* Read the source for a learner. */
static cr_status read_deck(cr_study *s, const char *learner, const char *const *params,
                           size_t count, cr__deck **out, cr_error *err)
{
    const cr__learner *kind = cr__learner_find(learner, err);
    const int plain = kind != NULL && kind->target == CR__TARGET_NONE;
    cr__deck *deck = cr__alloc_zero(1, sizeof *deck);
    cr__training course = {0};
    cr_status st = deck == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK)
        st = cr__source_rewind(s->source, err);
    if (st == CR_OK)
        st = plain ? cr__training_open(&course, s->source, "nb", NULL, 0, &s->run, err)
                   : cr__training_open(&course, s->source, learner, params, count, &s->run, err);
    if (st == CR_OK)
        st = cr__recipe_copy(&deck->recipe, &course.recipe, err);
    if (st == CR_OK)
        st = cr__table_read(&deck->table, s->source, course.schema, &course.recipe, &s->run, err);
    cr__training_close(&course);
    if (st == CR_OK && deck->table->schema->target == SIZE_MAX) {
        cr__fail(err, CR_ECONFLICT, "there is no target, so there is nothing to predict");
        st = cr__fail_hint(err, CR_ECONFLICT, CR__SET("target") " names the column to learn");
    }
    if (st == CR_OK)
        st = list_rows(deck, err);
    if (st == CR_OK)
        st = cr__deck_deal(s, deck, err);
    if (st != CR_OK) {
        if (deck != NULL)
            cr__deck_free(deck, 0);
        return st;
    }
    deck->use = use_of(kind);
    deck->next = s->decks;
    *out = s->decks = deck;
    return CR_OK;
}

static int has_texts(const cr_schema *schema)
{
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_BAG)
            return 1;
    return 0;
}

/* The course of a candidate on rows of its deck. */
static cr_status open_course(const cr_study *s, cr_source *rows, const char *learner,
                             const char *const *params, size_t count, const cr_run *run,
                             cr__training *course, cr_error *err)
{
    cr_status st = cr__training_open(course, rows, learner, params, count, run, err);

    if (st == CR_OK)
        st = cr__model_recipe_mail(&course->recipe, &course->knobs, s->source, err);
    return st;
}

/* Whether a deck serves a candidate; what is wrong with the candidate itself is a failure. */
static cr_status suits(cr__candidate *c, cr__deck *deck, int *fits, cr_error *err)
{
    cr_source *rows = NULL;
    cr__training course = {0};
    cr_status st = cr__source_open_table(&rows, deck->table, NULL, 0, err);

    *fits = 0;
    if (st == CR_OK)
        st = open_course(c->study, rows, c->learner, c->params, c->param_count, &c->study->run,
                         &course, err);
    if (st == CR_OK)
        *fits = !has_texts(deck->table->schema);
    if (st == CR_OK && !*fits)
        st = cr__recipe_same(&course.recipe, &deck->recipe, fits, err);
    c->adds = st == CR_OK && course.needs.rows == CR__ROWS_NONE && !course.needs.stream &&
              course.rule.kind == CR__CUT_NONE && course.how == CR__IMPUTE_NONE;
    c->values = course.needs.values;
    cr__training_close(&course);
    cr_source_close(rows);
    return st;
}

/* Whether the target, named or usual, has numbers. */
cr_status cr__study_look(cr_study *s, cr_error *err)
{
    const cr_schema *schema;
    size_t target;
    cr_status st = s->looked ? CR_OK : cr__source_rewind(s->source, err);

    if (st != CR_OK || s->looked ||
        (st = cr__source_infer(s->source, CR__TARGET_NONE, &schema, err)) != CR_OK)
        return st;
    target = schema->target != SIZE_MAX ? schema->target : cr__source_usual_target(s->source);
    s->real_target = target < schema->columns && schema->column[target].kind == CR_REAL;
    s->looked = 1;
    return CR_OK;
}

/* Like training: a learner that takes numbers as they are gives way to its kin that predicts one.
 */
static cr_status give_way(cr__candidate *c, cr_error *err)
{
    int numbers = 0;
    cr_status st = c->kind->of_numbers == NULL
                       ? CR_OK
                       : cr__training_numbers(c->kind, c->params, c->param_count, &numbers, err);

    if (st != CR_OK || !numbers || (st = cr__study_look(c->study, err)) != CR_OK)
        return st;
    if (c->study->real_target) {
        c->kind = c->kind->of_numbers;
        c->learner = c->kind->name;
    }
    return CR_OK;
}

cr_status cr__candidate_open(cr__candidate *out, cr_study *study, const char *learner,
                             const char *const *params, size_t count, cr_error *err)
{
    const char *name = learner == NULL ? "nb" : learner;
    cr_status st;
    int fits = 0;

    *out = (cr__candidate){.study = study,
                           .learner = name,
                           .params = params,
                           .param_count = count,
                           .kind = cr__learner_find(name, err)};
    if (out->kind == NULL)
        return CR_EARG;
    if (study->whole != NULL)
        return cr__part_deck(out, err);
    st = give_way(out, err);
    for (cr__deck *d = study->decks; st == CR_OK && out->deck == NULL && d != NULL; d = d->next)
        if (d->use == use_of(out->kind) && (st = suits(out, d, &fits, err)) == CR_OK && fits)
            out->deck = d;
    if (st == CR_OK && out->deck == NULL &&
        (st = read_deck(study, out->learner, params, count, &out->deck, err)) == CR_OK)
        st = suits(out, out->deck, &fits, err);
    return st;
}

/* --- models of parts -------------------------------------------------------------------------- */

/* Rows of the deck as a source bound to its schema, and the candidate's course on them. */
typedef struct lecture {
    cr_run run;
    cr_source *rows;
    cr__training course;
} lecture;

static cr_status open_lecture(lecture *l, const cr__candidate *c, const uint32_t *row, size_t rows,
                              int threads, cr_error *err)
{
    cr_status st;

    *l = (lecture){
        .run = {.threads = threads, .seed = c->study->run.seed, .memory = c->study->run.memory}};
    if ((st = cr__source_open_table(&l->rows, c->deck->table, row, rows, err)) != CR_OK)
        return st;
    return open_course(c->study, l->rows, c->learner, c->params, c->param_count, &l->run,
                       &l->course, err);
}

static void close_lecture(lecture *l)
{
    cr__training_close(&l->course);
    cr_source_close(l->rows);
}

cr_status cr__candidate_gather(const cr__candidate *c, const uint32_t *row, size_t rows,
                               int threads, cr__stats **out, cr_error *err)
{
    lecture l;
    cr_tally tally;
    cr_status st = open_lecture(&l, c, row, rows, threads, err);
    cr_source *source = l.rows;

    if (st == CR_OK)
        st = cr__training_gather(&l.course, &source, &tally, err);
    *out = l.course.stats;
    close_lecture(&l);
    return st;
}

/* Whether there is a row of a weight above 0. */
static int counts_rows(const cr__stats *stats)
{
    for (size_t c = 0; c < stats->classes; c++)
        if (!cr__count_zero(cr__stats_class(stats, c)))
            return 1;
    return 0;
}

cr_status cr__candidate_train(const cr__candidate *c, const uint32_t *row, size_t rows,
                              cr__stats *stats, int threads, cr_model **out, cr_error *err)
{
    lecture l;
    cr_status st = open_lecture(&l, c, row, rows, threads, err);
    cr_source *source = l.rows;
    cr_tally tally;

    *out = NULL;
    l.course.stats = stats;
    if (st == CR_OK && stats == NULL)
        st = cr__training_gather(&l.course, &source, &tally, err);
    if (st == CR_OK && !counts_rows(l.course.stats))
        st = cr__fail(err, CR_EFORMAT, "no row that is to be learned has a weight above 0");
    if (st == CR_OK)
        st = cr__training_finish(&l.course, source, cr__source_missing(l.rows), out, err);
    else
        cr__stats_free(l.course.stats);
    close_lecture(&l);
    return st;
}

typedef struct gathering {
    const cr__candidate *candidate;
    cr__parts *parts;
} gathering;

static cr_status gather_fold(void *context, size_t i, cr_error *err)
{
    const gathering *g = context;
    const cr__deck *deck = g->candidate->deck;
    const size_t folds = g->candidate->study->folds;
    uint32_t *list = cr__alloc(deck->rows, sizeof *list);
    cr_status st;

    if (list == NULL)
        return cr__fail_memory(err);
    st = cr__candidate_gather(g->candidate, list,
                              cr__folds_list(deck->fold + i / folds * deck->rows, deck->row,
                                             deck->rows, (uint32_t)(i % folds), 1, list),
                              1, &g->parts->fold[i], err);
    cr__free(list);
    return st;
}

static const char *bins_of(const cr__candidate *c)
{
    const char *bins = "";

    for (size_t i = 0; cr__needs_cuts(&c->kind->needs) && i < c->param_count; i++)
        if (strncmp(c->params[i], "bins=", 5) == 0)
            bins = c->params[i] + 5;
    return bins;
}

cr_status cr__candidate_parts(const cr__candidate *c, const cr__parts **out, cr_error *err)
{
    const cr_study *s = c->study;
    const char *bins = bins_of(c);
    cr__parts *p;
    cr_status st;

    for (p = c->deck->parts; p != NULL; p = p->next)
        if (p->learner == c->kind && p->values == c->values && strcmp(p->bins, bins) == 0) {
            *out = p;
            return CR_OK;
        }
    if ((p = cr__alloc_zero(1, sizeof *p)) == NULL)
        return cr__fail_memory(err);
    p->learner = c->kind;
    p->values = c->values;
    p->bins = cr__strndup(bins, strlen(bins));
    p->fold = s->leave_one_out ? NULL : cr__alloc_zero(s->folds * s->repeats, sizeof *p->fold);
    if (p->bins == NULL || (p->fold == NULL && !s->leave_one_out))
        st = cr__fail_memory(err);
    else if (s->leave_one_out)
        st = cr__candidate_gather(c, c->deck->row, c->deck->rows, s->run.threads, &p->total, err);
    else if ((st = cr__parallel_for(&s->run, s->folds * s->repeats, gather_fold, &(gathering){c, p},
                                    err)) == CR_OK)
        st = cr__stats_sum(&p->total, p->fold, s->folds, err); /* the first deal has every row */
    if (st != CR_OK) {
        free_parts(p, s->leave_one_out ? 0 : s->folds * s->repeats);
        return st;
    }
    p->next = c->deck->parts;
    *out = c->deck->parts = p;
    return CR_OK;
}

/* The list of the rows that a fold leaves: all but one, when one is left out at a time. */
static size_t others(const cr__candidate *c, size_t fold, uint32_t *list)
{
    const cr__deck *deck = c->deck;
    const size_t folds = c->study->folds;

    if (!c->study->leave_one_out)
        return cr__folds_list(deck->fold + fold / folds * deck->rows, deck->row, deck->rows,
                              (uint32_t)(fold % folds), 0, list);
    memcpy(list, deck->row, fold * sizeof *list);
    memcpy(list + fold, deck->row + fold + 1, (deck->rows - fold - 1) * sizeof *list);
    return deck->rows - 1;
}

/* The statistics without a fold. */
static cr_status subtract(const cr__candidate *c, size_t fold, cr__stats **out, cr_error *err)
{
    const cr__parts *parts;
    cr__stats *one = NULL;
    cr_status st = cr__candidate_parts(c, &parts, err);

    if (st == CR_OK && c->study->leave_one_out)
        st = cr__candidate_gather(c, c->deck->row + fold, 1, 1, &one, err);
    if (st == CR_OK)
        st = cr__stats_combine(out, parts->total, one != NULL ? one : parts->fold[fold], -1, err);
    cr__stats_free(one);
    return st;
}

cr_status cr__candidate_without(const cr__candidate *c, size_t fold, cr_model **out, cr_error *err)
{
    uint32_t *list = cr__alloc(c->deck->rows, sizeof *list);
    cr__stats *stats = NULL;
    cr_status st = list == NULL ? cr__fail_memory(err) : CR_OK;
    size_t rows;

    *out = NULL;
    if (st == CR_OK && c->adds)
        st = subtract(c, fold, &stats, err);
    if (st == CR_OK) {
        rows = others(c, fold, list);
        st = cr__candidate_train(c, list, rows, stats, 1, out, err);
    }
    cr__free(list);
    return st;
}

/* --- scores ----------------------------------------------------------------------------------- */

static void put_scores(const double *from, size_t rows, size_t own, const size_t *place,
                       size_t classes, double *score)
{
    for (size_t r = 0; r < rows; r++, from += own, score += classes) {
        for (size_t k = 0; k < classes; k++)
            score[k] = -INFINITY;
        for (size_t k = 0; k < own; k++)
            score[place[k]] = from[k];
    }
}

cr_status cr__score_rows(const cr_model *model, const cr__table *table, const uint32_t *row,
                         size_t rows, const size_t *place, size_t classes, double *score,
                         cr_error *err)
{
    cr_source *source = NULL;
    cr__scorer scorer = {0};
    cr__batch *batch = NULL;
    double *work = NULL;
    cr__chunk chunk;
    cr_status st = cr__source_open_table(&source, table, row, rows, err);

    if (st == CR_OK)
        st = cr__source_bind(source, model->schema, 0, 1, err);
    if (st == CR_OK)
        st = cr__scorer_open(&scorer, model, err);
    if (st == CR_OK)
        st = cr__batch_new(&batch, model->schema, err);
    if (st == CR_OK && (work = cr__alloc(batch->capacity, model->classes * sizeof *work)) == NULL)
        st = cr__fail_memory(err);
    while (st == CR_OK && (st = cr__source_next(source, &chunk, err)) == CR_OK) {
        while ((st = cr__source_parse(&chunk, &scorer.plan, batch, err)) == CR_OK &&
               (st = cr__scorer_score(&scorer, batch, work, err)) == CR_OK) {
            for (size_t r = 0; model->calibration != NULL && r < batch->rows; r++)
                cr__calibrate(model->calibration, work + r * model->classes);
            put_scores(work, batch->rows, model->classes, place, classes, score);
            score += batch->rows * classes;
        }
        cr__source_release(&chunk);
        st = st == CR_END ? CR_OK : st;
    }
    cr__free(work);
    cr__batch_free(batch);
    cr__scorer_close(&scorer);
    cr_source_close(source);
    return st == CR_END ? CR_OK : st;
}

cr_status cr__class_places(const cr_model *model, const cr_model *among, size_t **place,
                           cr_error *err)
{
    const cr__dict *dict = among->dict[among->schema->target];

    if ((*place = cr__alloc(model->classes > 0 ? model->classes : 1, sizeof **place)) == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < model->classes; c++) {
        const char *name = cr_model_class(model, c);

        (*place)[c] = cr__dict_find(dict, name, strlen(name)) - 1;
    }
    return CR_OK;
}
