/* eval/study.c - sets of rows, and models of parts of them. */
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
#include "stats/fold_cuts.h"
#include "stats/fold_pairs.h"
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
    s->calibrated = deal->calibrated;
    s->usual = deal->usual;
    s->seed = deal->seed;
    s->run = cr__run_of(run);
    if (s->run.pool == NULL && cr__run_threads(run) > 1) { /* one for all its passes */
        if ((st = cr_pool_new(&s->own_pool, cr__run_threads(run), err)) != CR_OK) {
            cr__free(s);
            return st;
        }
        s->run.pool = s->own_pool;
    }
    if (s->folds < 2) {
        cr_pool_free(s->own_pool);
        cr__free(s);
        return cr__fail(err, CR_EARG, "%zu fold: there must be two at least", deal->folds);
    }
    if (deal->group != NULL && (s->group = cr__strndup(deal->group, strlen(deal->group))) == NULL) {
        cr_pool_free(s->own_pool);
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

void cr__rowset_free(cr__rowset *set, size_t folds)
{
    free_parts(set->parts, folds);
    cr__free(set->fold);
    cr__free(set->place);
    cr__free(set->start);
    cr__free(set->class_code);
    cr__free(set->row);
    cr__recipe_free(&set->recipe);
    if (set->whole == NULL)
        cr__table_free(set->table);
    cr__free(set);
}

/* The parameters of a candidate with one more. */
typedef struct cr__more_params {
    struct cr__more_params *next;
    const char *param[];
} more_params;

void cr_study_free(cr_study *s)
{
    if (s == NULL)
        return;
    while (s->more != NULL) {
        more_params *next = s->more->next;

        cr__free(s->more);
        s->more = next;
    }
    while (s->sets != NULL) {
        cr__rowset *next = s->sets->next;

        cr__rowset_free(s->sets, s->leave_one_out ? 0 : s->folds * s->repeats);
        s->sets = next;
    }
    cr__free(s->place);
    cr__free(s->group);
    cr_pool_free(s->own_pool);
    cr__free(s);
}

/* --- sets of rows ---------------------------------------------------------------------------- */

static int has_target(const cr__table_column *target, size_t row)
{
    return target->kind == CR_REAL ? !isnan(target->real[row])
                                   : cr__table_code(target, row) != CR__MISSING;
}

static cr_status list_rows(cr__rowset *set, cr_error *err)
{
    const cr__table *table = set->table;
    const cr__table_column *target = &table->column[table->schema->target];
    const int classes = target->kind == CR_SYMBOL;

    set->row = cr__alloc(table->rows + 1, sizeof *set->row);
    set->class_code = classes ? cr__alloc(table->rows + 1, sizeof *set->class_code) : NULL;
    if (set->row == NULL || (classes && set->class_code == NULL))
        return cr__fail_memory(err);
    for (size_t r = 0; r < table->rows; r++) {
        if (!has_target(target, r)) {
            set->unlabelled++;
            continue;
        }
        if (classes)
            set->class_code[set->rows] = cr__table_code(target, r) - 1;
        set->row[set->rows++] = (uint32_t)r;
    }
    if (set->rows < 2)
        return cr__fail(err, CR_EFORMAT, "%zu row%s with a target: there must be two at least",
                        set->rows, set->rows == 1 ? "" : "s");
    for (size_t r = 0; r < set->rows; r++)
        if (table->weight == NULL || table->weight[set->row[r]] > 0)
            return CR_OK;
    return cr__fail(err, CR_EFORMAT, "no row with a target has a weight above 0");
}

/* A number and its row. */
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
static cr_status group_numbers(const cr__rowset *set, const double *real, uint32_t *group,
                               size_t *groups, cr_error *err)
{
    marked *list = cr__alloc(set->rows, sizeof *list);
    size_t n = 0;

    if (list == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < set->rows; r++)
        if (isnan(real[set->row[r]]))
            group[r] = (uint32_t)(*groups)++;
        else
            list[n++] = (marked){real[set->row[r]], (uint32_t)r};
    qsort(list, n, sizeof *list, by_number);
    for (size_t i = 0; i < n; i++) {
        *groups += i == 0 || list[i].x != list[i - 1].x;
        group[list[i].row] = (uint32_t)*groups - 1;
    }
    cr__free(list);
    return CR_OK;
}

static void group_symbols(const cr__rowset *set, const cr__table_column *column, uint32_t *group,
                          size_t *groups)
{
    *groups = column->dict->words;
    for (size_t r = 0; r < set->rows; r++) {
        const uint32_t code = cr__table_code(column, set->row[r]);

        group[r] = code == CR__MISSING ? (uint32_t)(*groups)++ : code - 1;
    }
}

/* Each row is its own group, where the column is different in every one. */
static cr_status group_alone(const cr__rowset *set, uint32_t **group, size_t *groups, cr_error *err)
{
    if ((*group = cr__alloc(set->rows, sizeof **group)) == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < set->rows; r++)
        (*group)[r] = (uint32_t)r;
    *groups = set->rows;
    return CR_OK;
}

/* The groups of the labelled rows; the column is no longer a feature. */
static cr_status take_groups(const cr_study *s, cr__rowset *set, uint32_t **group, size_t *groups,
                             cr_error *err)
{
    cr_schema *schema = set->table->schema;
    const size_t column = cr_schema_find(schema, s->group);
    const cr__table_column *data;
    cr_status st = CR_OK;

    if (column == SIZE_MAX)
        return cr__fail(err, CR_EARG, "there is no column '%s' to group by", s->group);
    data = &set->table->column[column];
    if (schema->column[column].why == CR_WHY_NAMES)
        return group_alone(set, group, groups, err);
    if (column == schema->target || (data->kind != CR_SYMBOL && data->kind != CR_REAL))
        return cr__fail(err, CR_EARG, "rows cannot be grouped by '%s'", s->group);
    if ((*group = cr__alloc(set->rows, sizeof **group)) == NULL)
        return cr__fail_memory(err);
    if (data->kind == CR_REAL)
        st = group_numbers(set, data->real, *group, groups, err);
    else
        group_symbols(set, data, *group, groups);
    schema->column[column].kind = CR_IGNORE;
    if (st == CR_OK && *groups < s->folds && !s->leave_one_out)
        st = cr__fail(err, CR_EARG, "'%s' has %zu groups, which do not fill %zu folds", s->group,
                      *groups, s->folds);
    return st;
}

static cr_status reserve_folds(const cr_study *s, cr__rowset *set, cr_error *err)
{
    set->fold = cr__alloc(s->repeats * set->rows, sizeof *set->fold);
    set->place = cr__alloc(s->repeats * set->rows, sizeof *set->place);
    set->start = cr__alloc(s->repeats * (s->folds + 1), sizeof *set->start);
    return set->fold == NULL || set->place == NULL || set->start == NULL ? cr__fail_memory(err)
                                                                         : CR_OK;
}

const uint32_t *cr__rowset_fold(const cr__rowset *set, size_t folds, size_t fold, size_t *rows)
{
    const size_t repeat = fold / folds;
    const size_t *start = set->start + repeat * (folds + 1) + fold % folds;

    *rows = start[1] - start[0];
    return set->place + repeat * set->rows + start[0];
}

cr_status cr__rowset_deal(const cr_study *s, cr__rowset *set, cr_error *err)
{
    uint32_t *group = NULL;
    size_t groups = 0;
    cr_status st = s->group == NULL ? CR_OK : take_groups(s, set, &group, &groups, err);

    if (st == CR_OK && !s->leave_one_out && s->folds > set->rows) {
        cr__fail(err, CR_EARG, "%zu folds of %zu rows: some would be empty", s->folds, set->rows);
        st = cr__fail_hint(err, CR_EARG, "fewer folds, or one row left out at a time");
    }
    if (st == CR_OK && !s->leave_one_out)
        st = reserve_folds(s, set, err);
    for (size_t i = 0; st == CR_OK && set->fold != NULL && i < s->repeats; i++) {
        const size_t target = set->table->schema->target;
        const cr__dict *dict = set->table->column[target].dict;
        uint32_t *fold = set->fold + i * set->rows;

        st = cr__folds_deal(fold,
                            &(cr__deal){.rows = set->rows,
                                        .folds = s->folds,
                                        .class_code = s->unstratified ? NULL : set->class_code,
                                        .classes = dict == NULL ? 0 : dict->words,
                                        .group = group,
                                        .groups = groups,
                                        .seed = s->seed + i},
                            err);
        if (st == CR_OK)
            cr__folds_sort(fold, set->rows, s->folds, set->place + i * set->rows,
                           set->start + i * (s->folds + 1));
    }
    cr__free(group);
    return st;
}

/* A learner without a specific kind of target uses that of a classifier. */
static cr__target_use use_of(const cr__learner *kind)
{
    return kind->target == CR__TARGET_NONE ? CR__TARGET_CLASS : kind->target;
}

void cr__study_note_target(cr_study *study, const cr__rowset *set)
{
    const cr__table *table = set->table;

    if (!study->noted && !study->undecided)
        cr__training_note_target(table->schema, table->column[table->schema->target].dict,
                                 set->rows, study->source);
    study->noted = study->noted || !study->undecided;
}

int cr__rowset_has_texts(const cr__rowset *set)
{
    const cr_schema *schema = set->table->schema;

    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_BAG)
            return 1;
    return 0;
}

/* Move the rows of each fold of the first repeat next to each other, rows without a target behind
 * them all: a fold is then read front to back, instead of every tenth row of each column. Lists of
 * rows keep the order in which the rows were read. */
static cr_status put_folds_together(const cr_study *s, cr__rowset *set, cr_error *err)
{
    uint32_t *place = cr__alloc(set->table->rows, sizeof *place), after = (uint32_t)set->rows;
    cr_status st;

    if (place == NULL)
        return cr__fail_memory(err);
    memset(place, UINT8_MAX, set->table->rows * sizeof *place);
    for (size_t i = 0; i < set->rows; i++)
        place[set->row[set->place[i]]] = (uint32_t)i;
    for (size_t r = 0; r < set->table->rows; r++)
        place[r] = place[r] == UINT32_MAX ? after++ : place[r];
    st = cr__table_rearrange(set->table, place, &s->run, err);
    for (size_t i = 0; i < set->rows; i++)
        set->row[i] = place[set->row[i]];
    cr__free(place);
    return st;
}

/* Its rows, classes, folds and their lists, without the table. */
static double list_bytes(const cr__rowset *set, size_t rows, const cr_study *s)
{
    return (double)rows * (sizeof *set->row + sizeof *set->class_code +
                           (double)s->repeats * (sizeof *set->fold + sizeof *set->place));
}

double cr__study_bytes(const cr_study *s)
{
    double bytes = s->whole == NULL ? 0 : cr__study_bytes(s->whole);

    for (const cr__rowset *set = s->sets; set != NULL; set = set->next)
        bytes +=
            list_bytes(set, set->rows, s) + (set->whole == NULL ? cr__table_bytes(set->table) : 0);
    return bytes;
}

/* Read the table, within the memory that the rows read before and its lists leave. */
static cr_status read_table(cr_study *s, cr__training *training, cr__rowset *set, cr_error *err)
{
    cr_run run = s->run;
    cr_status st;

    run.memory = cr__run_memory(&s->run);
    st = cr__table_read_packed(&set->table, s->source, training->schema, &training->recipe, &run,
                               err);
    return st != CR_OK ? st
                       : cr__run_afford(&s->run,
                                        cr__study_bytes(s) + cr__table_bytes(set->table) +
                                            list_bytes(set, set->table->rows, s),
                                        "the rows and their folds", err);
}

/* Read the source for a learner. */
static cr_status read_rowset(cr_study *s, const char *learner, const char *const *params,
                             size_t count, cr__rowset **out, cr_error *err)
{
    const cr__learner *kind = cr__learner_find(learner, err);
    const int plain = kind != NULL && kind->target == CR__TARGET_NONE;
    cr__rowset *set = cr__alloc_zero(1, sizeof *set);
    cr__training training = {0};
    cr_status st = set == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK)
        st = cr__source_rewind(s->source, err);
    if (st == CR_OK)
        st = plain ? cr__training_open(&training, s->source, "nb", NULL, 0, &s->run, err)
                   : cr__training_open(&training, s->source, learner, params, count, &s->run, err);
    if (st == CR_OK)
        st = cr__recipe_copy(&set->recipe, &training.recipe, err);
    if (st == CR_OK)
        st = read_table(s, &training, set, err);
    cr__training_close(&training);
    if (st == CR_OK && set->table->schema->target == SIZE_MAX) {
        cr__fail(err, CR_ECONFLICT, "there is no target, so there is nothing to predict");
        st = cr__fail_hint(err, CR_ECONFLICT, CR__SET("target") " names the column to learn");
    }
    if (st == CR_OK)
        st = list_rows(set, err);
    if (st == CR_OK)
        st = cr__rowset_deal(s, set, err);
    if (st == CR_OK)
        cr__study_note_target(s, set);
    if (st == CR_OK && s->sets == NULL)
        cr__rowset_notes(set, s->source);
    if (st == CR_OK && set->fold != NULL && !cr__rowset_has_texts(set))
        st = put_folds_together(s, set, err);
    if (st != CR_OK) {
        if (set != NULL)
            cr__rowset_free(set, 0);
        return st;
    }
    set->use = use_of(kind);
    set->next = s->sets;
    *out = s->sets = set;
    return CR_OK;
}

/* The training of a candidate on rows of its row set. */
static cr_status open_training(const cr_study *s, cr_source *rows, const char *learner,
                               const char *const *params, size_t count, const cr_run *run,
                               cr__training *training, cr_error *err)
{
    cr_status st = cr__training_open(training, rows, learner, params, count, run, err);

    if (st == CR_OK)
        st = cr__model_recipe_mail(&training->recipe, &training->knobs, s->source, err);
    return st;
}

/* What is collected for a candidate, and whether that of parts adds up: not where it is fitted on
 * all rows. */
static void look_at_needs(cr__candidate *c, const cr__training *training, const cr__rowset *set)
{
    const cr__needs *needs = &training->needs;
    const int some_rows = needs->rows == CR__ROWS_ONCE && needs->rows_most > 0;
    const int sums = (needs->rows == CR__ROWS_NONE || some_rows) && !needs->stream &&
                     training->how == CR__IMPUTE_NONE;

    c->samples = some_rows;
    c->rule = training->rule;
    c->needs = *needs;
    c->adds = sums && c->rule.kind == CR__CUT_NONE;
    c->cuts = sums && !c->adds && needs->tuples > 0 && !c->study->leave_one_out &&
              set->class_code != NULL && cr__fold_cuts_apply(set->table);
}

/* Whether a row set serves a candidate; an error of the candidate itself is returned. */
static cr_status suits(cr__candidate *c, cr__rowset *set, int *fits, cr_error *err)
{
    cr_source *rows = NULL;
    cr__training training = {0};
    cr_status st = cr__source_open_table(&rows, set->table, NULL, 0, err);

    *fits = 0;
    if (st == CR_OK)
        st = open_training(c->study, rows, c->learner, c->params, c->param_count, &c->study->run,
                           &training, err);
    if (st == CR_OK)
        *fits = !cr__rowset_has_texts(set);
    if (st == CR_OK && !*fits)
        st = cr__recipe_same(&training.recipe, &set->recipe, fits, err);
    if (st == CR_OK)
        look_at_needs(c, &training, set);
    cr__training_close(&training);
    cr_source_close(rows);
    return st;
}

/* Whether the target, named or default, has numbers. */
cr_status cr__study_target(cr_study *s, cr_error *err)
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

/* Like training: a learner that uses uncut numbers is replaced by its variant that predicts one.
 */
static cr_status give_way(cr__candidate *c, cr_error *err)
{
    int numbers = 0;
    cr_status st = c->kind->of_numbers == NULL
                       ? CR_OK
                       : cr__training_numbers(c->kind, c->params, c->param_count, &numbers, err);

    if (st != CR_OK || !numbers || (st = cr__study_target(c->study, err)) != CR_OK)
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
        return cr__part_rowset(out, err);
    st = give_way(out, err);
    for (cr__rowset *d = study->sets; st == CR_OK && out->set == NULL && d != NULL; d = d->next)
        if (d->use == use_of(out->kind) && (st = suits(out, d, &fits, err)) == CR_OK && fits)
            out->set = d;
    if (st == CR_OK && out->set == NULL &&
        (st = read_rowset(study, out->learner, params, count, &out->set, err)) == CR_OK)
        st = suits(out, out->set, &fits, err);
    return st;
}

/* Room for the parameters of a candidate and those that it gets unasked. */
static more_params *add_params(cr_study *study, size_t count)
{
    more_params *more =
        cr__alloc(1, sizeof *more + (count + CR__USUAL_SETTINGS_MOST) * sizeof *more->param);

    if (more != NULL) {
        more->next = study->more;
        study->more = more;
    }
    return more;
}

cr_status cr__study_take_none(cr_study *study, const char *learner, const char *const **params,
                              size_t *count, int *bare, cr_error *err)
{
    more_params *left;
    size_t n = 0;

    *bare = 0;
    if (learner != NULL && strcmp(learner, "auto") == 0)
        return CR_OK;
    for (size_t i = 0; i < *count; i++)
        *bare |= strcmp((*params)[i], "calibrate=none") == 0;
    if (!*bare)
        return CR_OK;
    if ((left = add_params(study, *count)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*params)[i], "calibrate=none") != 0)
            left->param[n++] = (*params)[i];
    *params = left->param;
    *count = n;
    return CR_OK;
}

cr_status cr__study_usual(cr_study *study, const char *learner, size_t rows,
                          const char *const **params, size_t *count, cr_error *err)
{
    const cr__usual *usual[CR__USUALS_MOST];
    const cr__table_column *target;
    const size_t given = *count;
    cr__candidate c;
    more_params *more;
    size_t knobs = 0, words = 0;
    cr_status st;

    if (!study->usual || study->leave_one_out || (learner != NULL && strcmp(learner, "auto") == 0))
        return CR_OK; /* a choice for each row would take long */
    if ((more = add_params(study, *count)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < *count; i++) /* which is no knob */
        if (strncmp((*params)[i], "calibrate=", 10) != 0)
            more->param[knobs++] = (*params)[i];
    if ((st = cr__candidate_open(&c, study, learner, more->param, knobs, err)) != CR_OK)
        return st;
    cr__learner_usual(usual, c.kind, *params, given, c.set->table->schema);
    for (size_t i = 0; i < c.set->table->schema->columns; i++)
        words += c.set->table->column[i].kind == CR_BAG ? c.set->table->column[i].dict->words : 0;
    target = &c.set->table->column[c.set->table->schema->target];
    for (size_t i = 0; i < given; i++)
        more->param[i] = (*params)[i];
    for (size_t u = 0; u < CR__USUALS_MOST; u++)
        if (usual[u] != NULL &&
            cr__usual_suits(usual[u], c.set->table->schema, rows == 0 ? c.set->rows : rows, words,
                            target->dict == NULL ? 1 : target->dict->words))
            for (size_t s = 0; s < 3 && usual[u]->setting[s] != NULL; s++)
                more->param[(*count)++] = usual[u]->setting[s];
    if (*count > given)
        *params = more->param;
    return CR_OK;
}

/* --- models of parts -------------------------------------------------------------------------- */

/* Rows of the row set as a source bound to its schema, and the candidate's training on them. */
typedef struct part_training {
    cr_run run;
    cr_source *rows;
    cr__training training;
} part_training;

static cr_status open_part_training(part_training *l, const cr__candidate *c, const uint32_t *row,
                                    size_t rows, int threads, cr_error *err)
{
    cr_status st;

    *l = (part_training){.run = {.threads = threads,
                                 .seed = c->study->run.seed,
                                 .memory = c->study->run.memory,
                                 .pool = threads == 1 ? NULL : c->study->run.pool}};
    if ((st = cr__source_open_table(&l->rows, c->set->table, row, rows, err)) != CR_OK)
        return st;
    return open_training(c->study, l->rows, c->learner, c->params, c->param_count, &l->run,
                         &l->training, err);
}

static void close_part_training(part_training *l)
{
    cr__training_close(&l->training);
    cr_source_close(l->rows);
}

cr_status cr__candidate_gather(const cr__candidate *c, const uint32_t *row, size_t rows,
                               int threads, cr__stats **out, cr_error *err)
{
    part_training l;
    cr_tally tally;
    cr_status st = open_part_training(&l, c, row, rows, threads, err);
    cr_source *source = l.rows;

    if (st == CR_OK)
        st = cr__training_gather(&l.training, &source, &tally, err);
    *out = l.training.stats;
    close_part_training(&l);
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
    part_training l;
    cr_status st = open_part_training(&l, c, row, rows, threads, err);
    cr_source *source = l.rows;
    cr_tally tally;

    *out = NULL;
    l.training.stats = stats;
    if (st == CR_OK && stats == NULL)
        st = cr__training_gather(&l.training, &source, &tally, err);
    if (st == CR_OK && !counts_rows(l.training.stats))
        st = cr__fail(err, CR_EFORMAT, "no row that is to be learned has a weight above 0");
    if (st == CR_OK)
        st = cr__training_finish(&l.training, source, cr__source_missing(l.rows), out, err);
    else
        cr__stats_free(l.training.stats);
    close_part_training(&l);
    return st;
}

typedef struct gathering {
    const cr__candidate *candidate;
    cr__parts *parts;
    cr__bins *bins; /* [repeats * (folds + 1)] cuts without each fold, and of all rows; or NULL */
} gathering;

static cr_status gather_fold(void *context, size_t i, cr_error *err)
{
    const gathering *g = context;
    const cr__rowset *set = g->candidate->set;
    size_t rows;
    const uint32_t *place = cr__rowset_fold(set, g->candidate->study->folds, i, &rows);
    uint32_t *list = cr__alloc(rows, sizeof *list);
    cr_status st;

    if (list == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < rows; r++)
        list[r] = set->row[place[r]];
    st = cr__candidate_gather(g->candidate, list, rows, 1, &g->parts->fold[i], err);
    cr__free(list);
    return st;
}

/* The list of the rows outside a fold: all but one, in leave-one-out. */
static size_t others(const cr__candidate *c, size_t fold, uint32_t *list)
{
    const cr__rowset *set = c->set;
    const size_t folds = c->study->folds;

    if (!c->study->leave_one_out)
        return cr__folds_list(set->fold + fold / folds * set->rows, set->row, set->rows,
                              (uint32_t)(fold % folds), 0, list);
    memcpy(list, set->row, fold * sizeof *list);
    memcpy(list + fold, set->row + fold + 1, (set->rows - fold - 1) * sizeof *list);
    return set->rows - 1;
}

/* The statistics of rows with given bins; takes over the bins. */
static cr_status gather_cut(const cr__candidate *c, const uint32_t *row, size_t rows, int threads,
                            cr__bins *bins, cr__stats **out, cr_error *err)
{
    part_training l;
    cr_tally tally;
    cr_status st = open_part_training(&l, c, row, rows, threads, err);
    cr_source *source = l.rows;

    if (st == CR_OK) {
        l.training.rule = (cr__cut_rule){0};
        l.training.bins = *bins;
        *bins = (cr__bins){0};
        st = cr__training_gather(&l.training, &source, &tally, err);
    }
    *out = l.training.stats;
    close_part_training(&l);
    return st;
}

static cr_status gather_others(void *context, size_t i, cr_error *err)
{
    const gathering *g = context;
    const cr__candidate *c = g->candidate;
    const size_t folds = c->study->folds;
    uint32_t *list = cr__alloc(c->set->rows, sizeof *list);
    cr_status st;

    if (list == NULL)
        return cr__fail_memory(err);
    st = gather_cut(c, list, others(c, i, list), 1, &g->bins[i / folds * (folds + 1) + i % folds],
                    &g->parts->fold[i], err);
    cr__free(list);
    return st;
}

/* Count pairs once for all folds. CR_END: that does not pay, or something else is needed. */
static cr_status count_pairs(const cr__candidate *c, cr__parts *p, const cr__bins *bins,
                             cr_error *err)
{
    const cr_study *s = c->study;
    part_training l;
    cr__stats **out;
    cr_status st;

    if (c->needs.tuples > 2 || s->repeats != 1 || c->set->table->weight != NULL)
        return CR_END;
    if ((out = cr__alloc_zero(s->folds + 1, sizeof *out)) == NULL)
        return cr__fail_memory(err);
    st = open_part_training(&l, c, c->set->row, c->set->rows, 1, err);
    if (st == CR_OK && l.training.needs.cross != CR__CROSS_NONE)
        st = CR_END;
    if (st == CR_OK)
        st = cr__fold_pairs(out,
                            &(cr__dealt){.table = c->set->table,
                                         .row = c->set->row,
                                         .fold = c->set->fold,
                                         .rows = c->set->rows,
                                         .folds = s->folds},
                            l.training.schema, bins, cr__study_bytes(s), &s->run, err);
    close_part_training(&l);
    memcpy(p->fold, out, s->folds * sizeof *out);
    p->total = out[s->folds];
    cr__free(out);
    return st;
}

/* The statistics without each fold, and of all rows, each with its own cuts. */
static cr_status gather_cuts(const cr__candidate *c, cr__parts *p, cr_error *err)
{
    const cr_study *s = c->study;
    const size_t each = s->folds + 1, count = s->repeats * each;
    cr__bins *bins = cr__alloc_zero(count, sizeof *bins);
    cr_status st = bins == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < s->repeats; i++)
        st = cr__fold_cuts(bins + i * each,
                           &(cr__dealt){.table = c->set->table,
                                        .row = c->set->row,
                                        .fold = c->set->fold + i * c->set->rows,
                                        .rows = c->set->rows,
                                        .folds = s->folds},
                           c->rule, &s->run, err);
    if (st == CR_OK && (st = count_pairs(c, p, bins, err)) == CR_END) {
        st = gather_cut(c, c->set->row, c->set->rows, s->run.threads, &bins[s->folds], &p->total,
                        err);
        if (st == CR_OK)
            st = cr__parallel_for(&s->run, s->repeats * s->folds, gather_others,
                                  &(gathering){c, p, bins}, err);
    }
    for (size_t i = 0; bins != NULL && i < count; i++)
        cr__bins_free(&bins[i]);
    cr__free(bins);
    return st;
}

/* How a candidate cuts real columns: as given, or as its learner does unasked. */
static const char *bins_of(const cr__candidate *c)
{
    const char *bins = "";

    if (!cr__needs_cuts(&c->needs) || c->needs.whole)
        return bins;
    for (size_t k = 0; k < c->kind->knob_count; k++)
        if (strcmp(c->kind->knobs[k].name, "bins") == 0)
            bins = c->kind->knobs[k].fallback;
    for (size_t i = 0; i < c->param_count; i++)
        if (strncmp(c->params[i], "bins=", 5) == 0)
            bins = c->params[i] + 5;
    return bins;
}

/* Whether the same is collected. Learners count pairs from the first tuple on. */
static int same_needs(const cr__needs *a, const cr__needs *b)
{
    return a->values == b->values && a->cross == b->cross &&
           (a->tuples == b->tuples ||
            (a->tuples > 0 && a->tuples < 3 && b->tuples > 0 && b->tuples < 3)) &&
           a->cells == b->cells && a->whole == b->whole && a->rows == b->rows &&
           a->rows_most == b->rows_most && a->stream == b->stream;
}

cr_status cr__candidate_parts(const cr__candidate *c, const cr__parts **out, cr_error *err)
{
    const cr_study *s = c->study;
    const char *bins = bins_of(c);
    cr__parts *p;
    cr_status st;

    for (p = c->set->parts; p != NULL; p = p->next)
        if (same_needs(&p->needs, &c->needs) && p->rule.kind == c->rule.kind &&
            p->rule.bins == c->rule.bins && strcmp(p->bins, bins) == 0) {
            *out = p;
            return CR_OK;
        }
    if ((p = cr__alloc_zero(1, sizeof *p)) == NULL)
        return cr__fail_memory(err);
    p->needs = c->needs;
    p->rule = c->rule;
    p->bins = cr__strndup(bins, strlen(bins));
    p->fold = s->leave_one_out ? NULL : cr__alloc_zero(s->folds * s->repeats, sizeof *p->fold);
    if (p->bins == NULL || (p->fold == NULL && !s->leave_one_out))
        st = cr__fail_memory(err);
    else if (s->leave_one_out)
        st = cr__candidate_gather(c, c->set->row, c->set->rows, s->run.threads, &p->total, err);
    else if (c->cuts)
        st = gather_cuts(c, p, err);
    else if ((st = cr__parallel_for(&s->run, s->folds * s->repeats, gather_fold,
                                    &(gathering){c, p, NULL}, err)) == CR_OK)
        st = cr__stats_sum(&p->total, p->fold, s->folds, err); /* the first repeat has every row */
    if (st != CR_OK) {
        free_parts(p, s->leave_one_out ? 0 : s->folds * s->repeats);
        return st;
    }
    p->next = c->set->parts;
    *out = c->set->parts = p;
    return CR_OK;
}

/* The statistics without a fold. */
static cr_status subtract(const cr__candidate *c, size_t fold, cr__stats **out, cr_error *err)
{
    const cr__parts *parts;
    cr__stats *one = NULL;
    cr_status st = cr__candidate_parts(c, &parts, err);

    if (st == CR_OK && c->study->leave_one_out)
        st = cr__candidate_gather(c, c->set->row + fold, 1, 1, &one, err);
    if (st == CR_OK && c->cuts)
        *out = cr__stats_share(parts->fold[fold]);
    else if (st == CR_OK)
        st = cr__stats_combine(out, parts->total, one != NULL ? one : parts->fold[fold], -1, err);
    cr__stats_free(one);
    return st;
}

cr_status cr__candidate_without(const cr__candidate *c, size_t fold, cr_model **out, cr_error *err)
{
    /* the words of texts may have to be weighted by the rows; otherwise statistics suffice, unless
     * something is chosen on some rows */
    const int sums = c->adds || c->cuts;
    const int by_sums = sums && !c->samples && !cr__rowset_has_texts(c->set);
    uint32_t *list = by_sums ? NULL : cr__alloc(c->set->rows, sizeof *list);
    cr__stats *stats = NULL;
    cr_status st = list == NULL && !by_sums ? cr__fail_memory(err) : CR_OK;
    size_t rows = c->set->rows;

    *out = NULL;
    if (st == CR_OK && sums)
        st = subtract(c, fold, &stats, err);
    if (st == CR_OK && !by_sums)
        rows = others(c, fold, list);
    if (st == CR_OK)
        st = cr__candidate_train(c, by_sums ? c->set->row : list, rows, stats, 1, out, err);
    cr__free(list);
    return st;
}

/* --- scores ----------------------------------------------------------------------------------- */

/* The batch begins with row `first` of the list. */
static void put_scores(const double *from, size_t first, size_t rows, size_t own,
                       const size_t *place, size_t classes, const uint32_t *to, double *score)
{
    for (size_t r = 0; r < rows; r++, from += own) {
        double *into = score + (to == NULL ? first + r : to[first + r]) * classes;

        for (size_t k = 0; k < classes && own < classes; k++)
            into[k] = -INFINITY;
        for (size_t k = 0; k < own; k++)
            into[place[k]] = from[k];
    }
}

cr_status cr__score_rows(const cr_model *model, const cr__table *table, const uint32_t *row,
                         size_t rows, const size_t *place, size_t classes, const uint32_t *to,
                         double *score, cr_error *err)
{
    cr_source *source = NULL;
    cr__scorer scorer = {0};
    cr__batch *batch = NULL;
    double *work = NULL;
    size_t done = 0;
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
            put_scores(work, done, batch->rows, model->classes, place, classes, to, score);
            done += batch->rows;
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
