/* stats/values_read.c - workers count numbers by class, with class codes of their own; their counts
 * are joined in canonical order. */
#include "stats/values_read.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "base/team.h"
#include "stats/collect.h"
#include "stats/gather.h"
#include "stats/team_values.h"
#include "source/pass.h"
#include "source/team_pass.h"

typedef struct job {
    const cr_schema *schema;
    const cr__recipe *recipe;
} job;

typedef struct worker {
    cr__gather *words;       /* its dictionaries: nothing is counted in it */
    cr__value_table *column; /* [columns] */
    uint64_t rows;           /* that it has seen */
} worker;

static void end(void *state)
{
    worker *w = state;

    for (size_t i = 0; w->column != NULL && i < w->words->schema->columns; i++)
        cr__value_table_free(&w->column[i]);
    cr__free(w->column);
    cr__gather_free(w->words);
    cr__free(w);
}

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    const job *j = context;
    worker *w = cr__alloc_zero(1, sizeof *w);
    cr_status st;

    if (w == NULL)
        return cr__fail_memory(err);
    st = cr__gather_new(&w->words, j->schema, j->recipe, 0, err);
    if (st == CR_OK && (w->column = cr__alloc_zero(j->schema->columns, sizeof *w->column)) == NULL)
        st = cr__fail_memory(err);
    if (st != CR_OK) {
        cr__gather_free(w->words);
        cr__free(w);
        return st;
    }
    *state = w;
    *plan = &w->words->plan;
    return CR_OK;
}

static int is_cut(const cr_schema *schema, size_t i)
{
    return cr__stats_is_feature(schema, i) && schema->column[i].kind == CR_REAL;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    worker *w = state;
    const cr_schema *schema = w->words->schema;
    const uint32_t *class_code =
        schema->target == SIZE_MAX ? NULL : batch->column[schema->target].code;
    cr_status st = CR_OK;

    (void)chunk;
    w->rows += batch->rows;
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (is_cut(schema, i))
            st = cr__value_table_absorb(&w->column[i], batch->column[i].real, batch->weight,
                                        class_code, batch->rows);
    return st == CR_OK ? CR_OK : cr__fail(err, st, "the numbers of a column cannot be counted");
}

/* --- all workers together ------------------------------------------------------------------- */

/* The classes of all workers in canonical order: for each worker the class of each code. */
static cr_status number_classes(worker *const *workers, size_t count, const cr_schema *schema,
                                uint32_t **class_of, size_t *classes)
{
    cr__dict *all = NULL;
    uint32_t *order = NULL, *place = NULL;
    cr_status st = cr__dict_new(&all, 0, NULL);

    for (size_t w = 0; st == CR_OK && w < count; w++) {
        const cr__dict *own = workers[w]->words->column[schema->target].dict;

        if ((class_of[w] = cr__alloc_zero((size_t)own->words + 1, sizeof **class_of)) == NULL)
            st = CR_ENOMEM;
        for (uint32_t code = 1; st == CR_OK && code <= own->words; code++) {
            size_t length;
            const char *word = cr__dict_word(own, code, &length);

            st = cr__dict_intern(all, word, length, &class_of[w][code]);
        }
    }
    if (st == CR_OK && ((order = cr__alloc(all->words, sizeof *order)) == NULL ||
                        (place = cr__alloc((size_t)all->words + 1, sizeof *place)) == NULL))
        st = CR_ENOMEM;
    if (st == CR_OK && (st = cr__dict_order(all, order)) == CR_OK) {
        *classes = all->words;
        for (uint32_t c = 0; c < all->words; c++)
            place[order[c]] = c;
        for (size_t w = 0; w < count; w++)
            for (uint32_t code = 1; code <= workers[w]->words->column[schema->target].dict->words;
                 code++)
                class_of[w][code] = place[class_of[w][code]];
    }
    cr__free(order);
    cr__free(place);
    cr__dict_free(all);
    return st;
}

/* One column of all workers. */
static cr_status join_values(worker *const *workers, size_t count, size_t i,
                             uint32_t *const *class_of, const uint32_t *same, cr__values *out)
{
    static const uint32_t first = 0;
    cr__value_table total = {0};
    cr__values values = {0};
    cr_status st = CR_OK;

    for (size_t w = 0; st == CR_OK && w < count; w++) {
        st = cr__value_table_finish(&workers[w]->column[i], class_of == NULL ? &first : class_of[w],
                                    &values);
        if (st == CR_OK)
            st = cr__value_table_add(&total, &values, same, 1);
        cr__values_free(&values);
    }
    if (st == CR_OK)
        st = cr__value_table_finish(&total, NULL, out);
    cr__value_table_free(&total);
    return st;
}

/* The same as a spread. */
static cr_status join_column(worker *const *workers, size_t count, size_t i,
                             uint32_t *const *class_of, const uint32_t *same, size_t classes,
                             cr__spread *out)
{
    cr__values values = {0};
    cr_status st = join_values(workers, count, i, class_of, same, &values);

    if (st == CR_OK)
        st = cr__values_spread(&values, classes, out);
    cr__values_free(&values);
    return st;
}

/* Columns are joined and cut one by one, by several threads. */
typedef struct cutting {
    cr__bins *out;
    worker *const *workers;
    size_t count, classes;
    const cr_schema *schema;
    cr__cut_rule rule;
    uint32_t **class_of;
    uint32_t *same; /* [classes] */
} cutting;

static cr_status cut_column(void *context, size_t i, cr_error *err)
{
    const cutting *c = context;
    cr__spread spread = {0};
    cr_status st;

    (void)err; /* the caller, which waits for all columns, reports the error */
    if (!is_cut(c->schema, i))
        return CR_OK;
    st = join_column(c->workers, c->count, i, c->class_of, c->same, c->classes, &spread);
    if (st == CR_OK)
        st = cr__cut(&c->out->column[i], &spread, c->rule);
    cr__spread_free(&spread);
    return st;
}

static cr_status cut_columns(cutting *c, int threads)
{
    const cr_run run = {.threads = threads};
    cr__cut_logs logs = {0};
    uint64_t rows = 0;
    cr_status st = c->class_of == NULL
                       ? CR_OK
                       : number_classes(c->workers, c->count, c->schema, c->class_of, &c->classes);

    if (st == CR_OK && (c->same = cr__alloc(c->classes, sizeof *c->same)) == NULL)
        st = CR_ENOMEM;
    for (size_t k = 0; st == CR_OK && k < c->classes; k++)
        c->same[k] = (uint32_t)k;
    for (size_t w = 0; w < c->count; w++)
        rows += c->workers[w]->rows;
    if (st == CR_OK && c->rule.kind == CR__CUT_MDL) {
        st = cr__cut_logs_make(&logs, (double)rows);
        c->rule.logs = &logs;
    }
    if (st == CR_OK)
        st = cr__parallel_for(&run, c->schema->columns, cut_column, c, NULL);
    cr__free(c->same);
    cr__free(logs.n_log_n);
    return st;
}

static cr_status cut_workers(cr__bins *out, worker *const *workers, size_t count,
                             const cr_schema *schema, cr__cut_rule rule, int threads, cr_error *err)
{
    uint32_t **class_of =
        schema->target == SIZE_MAX ? NULL : cr__alloc_zero(count, sizeof *class_of);
    cr_status st = CR_ENOMEM;

    out->column = cr__alloc_zero(schema->columns, sizeof *out->column);
    if (out->column != NULL && (class_of != NULL || schema->target == SIZE_MAX)) {
        out->columns = schema->columns;
        st = cut_columns(&(cutting){.out = out,
                                    .workers = workers,
                                    .count = count,
                                    .classes = 1,
                                    .schema = schema,
                                    .rule = rule,
                                    .class_of = class_of},
                         threads);
    }
    for (size_t w = 0; class_of != NULL && w < count; w++)
        cr__free(class_of[w]);
    cr__free(class_of);
    return st == CR_OK ? CR_OK : cr__fail(err, st, "out of memory for the cuts of columns");
}

int cr__values_any(const cr_schema *schema)
{
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_REAL && cr__stats_is_feature(schema, i))
            return 1;
    return 0;
}

/* The numbers that a team's members have read, where there are no classes. */
static cr_status cut_members(cr__bins *out, worker *const *workers, size_t count,
                             const cr_schema *schema, cr__cut_rule rule, const cr_team *team,
                             cr_error *err)
{
    const uint32_t same = 0;
    cr_status st = CR_OK;

    out->column = cr__alloc_zero(schema->columns, sizeof *out->column);
    out->columns = out->column == NULL ? 0 : schema->columns;
    st = cr__team_agree(team, out->column == NULL ? cr__fail_memory(err) : CR_OK, err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        cr__values own = {0};

        if (!is_cut(schema, i))
            continue;
        if (join_values(workers, count, i, NULL, &same, &own) != CR_OK)
            st = cr__fail_memory(err);
        if ((st = cr__team_agree(team, st, err)) == CR_OK)
            st = cr__team_cut_values(team, &own, rule, &out->column[i], err);
        cr__values_free(&own);
    }
    return st;
}

/* The numbers of a team's members, which are joined as statistics that keep them. */
static cr_status cut_stats(cr__bins *out, const cr__stats *stats, cr__cut_rule rule, cr_error *err)
{
    const cr_schema *schema = stats->schema;
    cr_status st = CR_OK;

    if ((out->column = cr__alloc_zero(schema->columns, sizeof *out->column)) == NULL)
        return cr__fail_memory(err);
    out->columns = schema->columns;
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        cr__spread spread = {0};

        if (!is_cut(schema, i))
            continue;
        st = cr__values_spread(stats->column[i].values, stats->classes, &spread);
        if (st == CR_OK)
            st = cr__cut(&out->column[i], &spread, rule);
        cr__spread_free(&spread);
    }
    return st == CR_OK ? CR_OK : cr__fail(err, st, "out of memory for the cuts of columns");
}

static cr_status cut_together(cr__bins *out, cr_source *source, const job *j, cr__cut_rule rule,
                              const cr_run *run, cr_error *err)
{
    const cr__collect what = {.schema = j->schema, .recipe = j->recipe, .values = 1};
    cr__stats *stats = NULL;
    cr_tally tally;
    cr_status st = cr__stats_collect(&stats, source, &what, run, &tally, err);

    if (st == CR_OK)
        st = cut_stats(out, stats, rule, err);
    cr__stats_free(stats);
    return st == CR_OK ? cr__source_rewind(source, err) : st;
}

cr_status cr__values_rule(cr__cut_rule *rule, const cr_schema *schema, cr_error *err)
{
    if (rule->kind == CR__CUT_AUTO)
        *rule = schema->target != SIZE_MAX ? (cr__cut_rule){.kind = CR__CUT_MDL}
                                           : (cr__cut_rule){.kind = CR__CUT_FREQUENCY, .bins = 5};
    if (rule->kind != CR__CUT_MDL || schema->target != SIZE_MAX)
        return CR_OK;
    cr__fail(err, CR_EARG, "bins=mdl cuts where the classes change, and there is no target");
    return cr__fail_hint(err, CR_EARG,
                         CR__SET("target") " names one; frequency, width and sqrt need none");
}

cr_status cr__values_cut(cr__bins *out, cr_source *source, const cr_schema *schema,
                         const cr__recipe *recipe, cr__cut_rule rule, const cr_run *run,
                         cr_error *err)
{
    job j = {schema, recipe};
    const cr__pass pass = {.source = source,
                           .schema = schema,
                           .run = run,
                           .job = &j,
                           .begin = begin,
                           .absorb = absorb,
                           .end = end};
    const cr_team *team = cr__team_of(run);
    void **states = NULL;
    size_t count = 0, broken = 0;
    cr_kind to = CR_SYMBOL;
    cr_status st;

    *out = (cr__bins){0};
    if (!cr__values_any(schema))
        return CR_OK;
    if ((st = cr__values_rule(&rule, schema, err)) != CR_OK)
        return st;
    if (team != NULL && schema->target != SIZE_MAX)
        return cut_together(out, source, &j, rule, run, err);
    while ((st = cr__team_pass_run(&pass, team, &states, &count, &broken, &to, err)) == CR__EWIDEN)
        if ((st = cr__source_widen(source, broken, to, err)) != CR_OK ||
            (st = cr__source_rewind(source, err)) != CR_OK)
            return st;
    if (st == CR_OK && team != NULL)
        st = cut_members(out, (worker *const *)states, count, schema, rule, team, err);
    else if (st == CR_OK)
        st = cut_workers(out, (worker *const *)states, count, schema, rule, cr__run_threads(run),
                         err);
    for (size_t i = 0; i < count; i++)
        end(states[i]);
    cr__free(states);
    return st == CR_OK ? cr__source_rewind(source, err) : st;
}
