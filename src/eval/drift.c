/* eval/drift.c - count recent rows in the same way as a model's training rows. */
#include "eval/drift.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "belief/posterior.h"
#include "credence/combine.h"
#include "model/scorer.h"
#include "source/pass.h"

typedef struct worker {
    cr_drift *drift;
    cr_source *source;
    cr__scorer scorer;
    cr__fields fields;
} worker;

void cr_drift_free(cr_drift *d)
{
    if (d == NULL)
        return;
    for (size_t i = 0; i < d->columns; i++) {
        cr__drift_column *c = &d->column[i];

        cr__free(c->before);
        cr__free(c->after);
        cr__free(c->fresh_count);
        cr__dict_free(c->fresh);
        cr__value_table_free(&c->table);
        cr__free(c->cuts.cut);
    }
    cr__free(d->column);
    cr__free(d->class_shift);
    cr__free(d->labels);
    cr__free(d->decided);
    cr__free(d->posterior);
    cr__free(d->weight);
    cr__arena_free(&d->texts);
    cr__free(d);
}

/* --- what the model has stored ---------------------------------------------------------------- */

static int lay_values(cr__drift_column *c, size_t values)
{
    c->values = values;
    c->before = cr__alloc_zero(values + 1, sizeof *c->before);
    c->after = cr__alloc_zero(values + 1, sizeof *c->after);
    return c->before != NULL && c->after != NULL;
}

static int recall_symbol(cr__drift_column *c, const cr_model *model)
{
    if (!lay_values(c, cr_model_values(model, c->found.column)) ||
        cr__dict_new(&c->fresh, 0, NULL) != CR_OK)
        return 0;
    for (size_t v = 0; v < c->values; v++)
        for (size_t k = 0; k < model->classes; k++) {
            const double count = cr_model_count(model, c->found.column, v, k);

            c->before[v] += isnan(count) ? 0 : count;
        }
    for (size_t v = 0; v < c->values; v++)
        c->before_total += c->before[v];
    return 1;
}

static int recall_words(cr__drift_column *c, const cr__bag *bag)
{
    if (!lay_values(c, bag == NULL ? 0 : bag->words))
        return 0;
    for (size_t w = 0; w < c->values; w++)
        for (uint64_t i = bag->row[w]; i < bag->row[w + 1]; i++)
            c->before[w] += bag->cell[i].documents;
    for (size_t k = 0; bag != NULL && k < bag->classes; k++)
        c->before_total += (double)bag->documents[k];
    return 1;
}

/* Moments over all classes: the variance within the classes plus that between them. */
typedef struct pooled {
    double n, mean, squares;
} pooled;

static void pool(pooled *p, double count, double mean, double variance)
{
    const double step = mean - p->mean;

    if (!(count > 0))
        return;
    p->squares += count * variance + step * step * p->n * count / (p->n + count);
    p->mean += step * count / (p->n + count);
    p->n += count;
}

/* Where a model keeps only cross products: those of the column with itself. */
static void pool_products(pooled *p, const cr__cross *cross, size_t column)
{
    for (size_t i = 0; i < cross->terms; i++)
        for (size_t k = 0; cross->term[i].column == column && k < cross->classes; k++) {
            const cr__cross_pair_sum x = cr__cross_pair(cross, k, i, i, 0);
            const double mean = x.sum_i / x.count;

            pool(p, x.count, cross->shift[i] + mean, fmax(x.product / x.count - mean * mean, 0));
        }
}

static void recall_moments(cr__drift_column *c, const cr__stats *stats)
{
    const cr__column_stats *s = &stats->column[c->found.column];
    pooled p = {0};

    for (size_t k = 0; s->moment != NULL && k < stats->classes; k++) {
        const cr__moment *m = &s->moment[k];

        if (cr__count_value(m->count) > 0)
            pool(&p, cr__count_value(m->count),
                 cr__exact_mean(m->count.whole, m->count.fraction, &m->sum),
                 cr__exact_variance(m->count.whole, m->count.fraction, &m->sum, &m->squares, 0));
    }
    if (s->moment == NULL && stats->cross != NULL)
        pool_products(&p, stats->cross, c->found.column);
    c->before_total = p.n;
    c->found.mean_before = p.n > 0 ? p.mean : NAN;
    c->variance_before = p.n > 0 ? p.squares / p.n : NAN;
    c->found.sd_before = p.n > 1 ? sqrt(p.squares / (p.n - 1)) : NAN;
    c->centre = p.n > 0 ? p.mean : 0;
    c->kept = s->values;
}

/* Numbers that were counted by interval. */
static int recall_intervals(cr__drift_column *c, const cr_model *model, const cr__stats *stats)
{
    const cr__dict *names = model->dict[c->found.column];

    if (stats->column[c->found.column].whole == NULL ||
        cr__model_is_number(model, c->found.column) || cr__cuts_of_names(&c->cuts, names) != CR_OK)
        return 1;
    if (!lay_values(c, names->words) || cr__dict_new(&c->fresh, 0, NULL) != CR_OK)
        return 0;
    for (size_t v = 0; v < c->values; v++)
        for (size_t k = 0; k < stats->classes; k++)
            c->before[v] += cr__count_value(cr__stats_count(stats, c->found.column, v, k));
    for (size_t v = 0; v < c->values; v++)
        c->before_total += c->before[v];
    c->cut = 1;
    return 1;
}

static cr_status recall(cr_drift *d, cr_error *err)
{
    const cr_model *model = d->model;
    const cr__stats *stats;
    cr_status st = cr__model_stats(model, &stats, err);

    if (st != CR_OK)
        return st;
    for (size_t i = 0; i < model->schema->columns; i++) {
        cr__drift_column *c = &d->column[d->columns];
        int good = 1;

        if (!cr__stats_is_feature(model->schema, i))
            continue;
        *c = (cr__drift_column){.field = SIZE_MAX,
                                .found = {.column = i,
                                          .name = model->schema->column[i].name,
                                          .kind = model->schema->column[i].kind,
                                          .test = "",
                                          .missing_p = NAN,
                                          .index = NAN,
                                          .statistic = NAN,
                                          .p = NAN,
                                          .corrected = NAN,
                                          .mean_before = NAN,
                                          .sd_before = NAN,
                                          .mean_after = NAN,
                                          .sd_after = NAN}};
        d->columns++;
        if (c->found.kind == CR_SYMBOL)
            good = recall_symbol(c, model);
        else if (c->found.kind == CR_BAG)
            good = recall_words(c, stats->column[i].bag);
        else
            recall_moments(c, stats);
        if (c->found.kind == CR_REAL && c->before_total == 0 && cr__stats_cuts(stats))
            good = recall_intervals(c, model, stats);
        if (!good)
            return cr__fail_memory(err);
        c->found.before = c->before_total;
    }
    return CR_OK;
}

/* --- recent rows ------------------------------------------------------------------------------ */

/* A value that the model does not know, by the name it has in the input. */
static cr_status count_fresh(worker *w, cr__drift_column *c, const cr__chunk *chunk,
                             const cr__record *record, double weight, cr_error *err)
{
    const size_t before = c->fresh->words;
    uint32_t code;
    cr_status st;

    if ((st = cr__source_split(chunk, record, &w->fields, err)) != CR_OK)
        return st;
    for (size_t f = 0; c->field == SIZE_MAX && f < cr__source_fields(w->source); f++)
        if (strcmp(cr__source_field_name(w->source, f), c->found.name) == 0)
            c->field = f;
    if (c->field >= w->fields.count || w->fields.bytes[c->field] == NULL)
        return CR_OK;
    st = cr__dict_intern(c->fresh, w->fields.bytes[c->field], w->fields.size[c->field], &code);
    if (st != CR_OK)
        return st == CR_ENOMEM ? cr__fail_memory(err) : CR_OK; /* too long to be reported by name */
    if (!cr__grow(&c->fresh_count, &c->fresh_capacity, code, sizeof *c->fresh_count))
        return cr__fail_memory(err);
    if (c->fresh->words > before)
        c->fresh_count[code - 1] = 0;
    c->fresh_count[code - 1] += weight;
    return CR_OK;
}

static cr_status count_symbols(worker *w, cr__drift_column *c, const cr__chunk *chunk,
                               const cr__batch *batch, cr_error *err)
{
    const uint32_t *code = batch->column[c->found.column].code;
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < batch->rows; r++) {
        const double weight = batch->weight == NULL ? 1 : batch->weight[r];

        if (code[r] == CR__MISSING)
            continue;
        c->found.after += weight;
        if (code[r] <= c->values) {
            c->after[code[r] - 1] += weight;
        } else {
            c->unseen += weight;
            st = count_fresh(w, c, chunk, &batch->record[r], weight, err);
        }
    }
    return st;
}

static void count_intervals(cr__drift_column *c, const cr__batch *batch)
{
    const double *x = batch->column[c->found.column].real;

    for (size_t r = 0; r < batch->rows; r++) {
        const double weight = batch->weight == NULL ? 1 : batch->weight[r];

        if (isnan(x[r]))
            continue;
        c->found.after += weight;
        c->after[cr__cuts_code(&c->cuts, x[r]) - 1] += weight;
    }
}

static cr_status count_numbers(cr__drift_column *c, const cr__batch *batch, cr_error *err)
{
    const double *x = batch->column[c->found.column].real;

    for (size_t r = 0; r < batch->rows; r++) {
        const double weight = batch->weight == NULL ? 1 : batch->weight[r];
        double power = weight;

        if (isnan(x[r]))
            continue;
        c->found.after += weight;
        for (int k = 0; k < 4; k++)
            c->sum[k] += power *= x[r] - c->centre;
    }
    if (c->kept != NULL &&
        cr__value_table_absorb(&c->table, x, batch->weight, NULL, batch->rows) != CR_OK)
        return cr__fail_memory(err);
    return CR_OK;
}

/* Words of a text are sorted, so each is met once. */
static void count_words(cr__drift_column *c, const cr__batch *batch)
{
    const cr__batch_column *column = &batch->column[c->found.column];

    for (size_t r = 0; r < batch->rows; r++) {
        const double weight = batch->weight == NULL ? 1 : batch->weight[r];
        uint32_t last = UINT32_MAX;

        if (column->code[r] == CR__MISSING)
            continue;
        c->found.after += weight;
        c->unseen += column->start[r] == column->start[r + 1] ? weight : 0;
        for (uint32_t i = column->start[r]; i < column->start[r + 1]; i++) {
            if (column->word[i] != last && column->word[i] < c->values)
                c->after[column->word[i]] += weight;
            last = column->word[i];
        }
    }
}

/* For a regression, or without a target, there are no shares of classes. */
static void count_rows(cr_drift *d, const cr__batch *batch)
{
    const size_t column = d->model->schema->target;
    const double *target = column == SIZE_MAX ? NULL : batch->column[column].real;

    for (size_t r = 0; r < batch->rows; r++, d->rows++) {
        const double weight = batch->weight == NULL ? 1 : batch->weight[r];

        d->summary.rows += weight;
        d->summary.labelled += target != NULL && d->has_target && !isnan(target[r]) ? weight : 0;
    }
}

/* Posteriors are kept: EM reads them many times. */
static cr_status score(worker *w, cr__batch *batch, cr_error *err)
{
    cr_drift *d = w->drift;
    const uint32_t *target = batch->column[d->model->schema->target].code;
    cr_status st;

    if (d->rows + batch->rows > d->capacity) {
        const size_t capacity = (d->rows + batch->rows) * 2;
        void *p;

        if (capacity > SIZE_MAX / sizeof(double) / d->classes)
            return cr__fail_memory(err);
        if ((p = cr__realloc(d->posterior, capacity * d->classes, sizeof(double))) == NULL)
            return cr__fail_memory(err);
        d->posterior = p;
        if ((p = cr__realloc(d->weight, capacity, sizeof(double))) == NULL)
            return cr__fail_memory(err);
        d->weight = p;
        d->capacity = capacity;
    }
    if ((st = cr__scorer_score(&w->scorer, batch, d->posterior + d->rows * d->classes, err)) !=
        CR_OK)
        return st;
    for (size_t r = 0; r < batch->rows; r++, d->rows++) {
        double *p = d->posterior + d->rows * d->classes;
        const double weight = batch->weight == NULL ? 1 : batch->weight[r];
        const int32_t decision = cr__posterior(p, d->classes, p, NULL);

        d->weight[d->rows] = weight;
        d->summary.rows += weight;
        *(decision >= 0 ? &d->decided[decision] : &d->summary.impossible) += weight;
        if (target[r] != CR__MISSING && target[r] <= d->classes) {
            d->labels[target[r] - 1] += weight;
            d->summary.labelled += weight;
        }
    }
    return CR_OK;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    worker *w = state;
    cr_status st = CR_OK;

    if (w->drift->classes > 0)
        st = score(w, batch, err); /* first: it sorts the words of texts */
    else
        count_rows(w->drift, batch);
    for (size_t i = 0; st == CR_OK && i < w->drift->columns; i++) {
        cr__drift_column *c = &w->drift->column[i];

        if (c->found.kind == CR_SYMBOL)
            st = count_symbols(w, c, chunk, batch, err);
        else if (c->cut)
            count_intervals(c, batch);
        else if (c->found.kind == CR_REAL)
            st = count_numbers(c, batch, err);
        else
            count_words(c, batch);
    }
    return st;
}

static void end(void *state)
{
    worker *w = state;

    cr__scorer_close(&w->scorer);
    cr__fields_free(&w->fields);
    cr__free(w);
}

typedef struct job {
    cr_drift *drift;
    cr_source *source;
} job;

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    job *j = context;
    worker *w = cr__alloc_zero(1, sizeof *w);
    cr_status st;

    if (w == NULL)
        return cr__fail_memory(err);
    w->drift = j->drift;
    w->source = j->source;
    if ((st = cr__scorer_open(&w->scorer, j->drift->model, err)) != CR_OK) {
        end(w);
        return st;
    }
    *state = w;
    *plan = &w->scorer.plan;
    return CR_OK;
}

/* One worker: the sums must not depend on the number of workers. */
static cr_status read_rows(cr_drift *d, cr_source *source, const cr_run *run, cr_error *err)
{
    cr_run alone = cr__run_of(run);
    job j = {d, source};
    const cr__pass pass = {.source = source,
                           .schema = d->model->schema,
                           .run = &alone,
                           .job = &j,
                           .begin = begin,
                           .absorb = absorb,
                           .end = end};
    void **states;
    size_t count, broken;
    cr_kind to;
    cr_status st;

    alone.threads = 1;
    d->has_target = cr__source_has_target(source);
    st = cr__pass_run(&pass, &states, &count, &broken, &to, err);
    for (size_t i = 0; i < count; i++)
        end(states[i]);
    cr__free(states);
    if (st == CR_OK && !(d->summary.rows > 0))
        return cr__fail(err, CR_EFORMAT, "there is no row to compare");
    return st;
}

/* --- the whole -------------------------------------------------------------------------------- */

static cr_status make(cr_drift **out, const cr_model *model, cr_error *err)
{
    cr_drift *d;

    if (cr_model_members(model) > 0)
        return cr__fail(err, CR_ECONFLICT, "an ensemble keeps no statistics to compare with");
    if (model->schema->target != SIZE_MAX && model->classes == 0)
        return cr__fail(err, CR_ECONFLICT, "the model has learned nothing: it has no classes");
    if ((*out = d = cr__alloc_zero(1, sizeof *d)) == NULL)
        return cr__fail_memory(err);
    d->model = model;
    d->classes =
        model->learner->regresses != NULL || model->schema->target == SIZE_MAX ? 0 : model->classes;
    d->column = cr__alloc_zero(model->schema->columns, sizeof *d->column);
    d->class_shift = cr__alloc_zero(d->classes, sizeof *d->class_shift);
    d->labels = cr__alloc_zero(d->classes, sizeof *d->labels);
    d->decided = cr__alloc_zero(d->classes, sizeof *d->decided);
    if (d->column == NULL || d->class_shift == NULL || d->labels == NULL || d->decided == NULL)
        return cr__fail_memory(err);
    return CR_OK;
}

cr_status cr_model_drift(const cr_model *model, cr_source *source, const cr_drift_options *options,
                         const cr_run *run, cr_drift **out, cr_tally *tally, cr_error *err)
{
    cr_drift_options own;
    cr_drift *d = NULL;
    cr_status st = cr__sized_take(&own, sizeof own, options, "cr_drift_options", err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    options = &own;
    if ((st = make(&d, model, err)) != CR_OK || (st = recall(d, err)) != CR_OK ||
        (st = cr__source_bind(source, model->schema, 0, options->allow_absent_columns, err)) !=
            CR_OK ||
        (st = read_rows(d, source, run, err)) != CR_OK)
        goto done;
    for (size_t i = 0; st == CR_OK && i < d->columns; i++)
        st = cr__drift_judge(d, &d->column[i]);
    d->summary.level = options->level > 0 ? options->level : 0.05;
    if (st == CR_OK)
        st = cr__drift_priors(d, d->summary.level);
    if (st == CR_OK)
        st = cr__drift_correct(d, options);
    if (st == CR_OK && (st = cr__drift_order(d)) == CR_OK)
        st = cr__drift_advise(d);
    if (st != CR_OK) {
        st = cr__fail_memory(err);
        goto done;
    }
    if (tally != NULL)
        *tally = (cr_tally){.rows = d->rows, .passes = 1};
    *out = d;
    d = NULL;
done:
    cr_drift_free(d);
    return st;
}

void cr_drift_get_summary(const cr_drift *d, cr_drift_summary *out)
{
    *out = d->summary;
}

cr_status cr_drift_get_feature(const cr_drift *d, size_t index, cr_drift_feature *out)
{
    if (index >= d->columns)
        return CR_END;
    *out = d->column[index].found;
    return CR_OK;
}

cr_status cr_drift_get_change(const cr_drift *d, size_t feature, size_t index, cr_drift_change *out)
{
    if (feature >= d->columns || index >= d->column[feature].changes)
        return CR_END;
    *out = d->column[feature].change[index];
    return CR_OK;
}

cr_status cr_drift_get_class(const cr_drift *d, size_t index, cr_drift_class *out)
{
    if (index >= d->classes)
        return CR_END;
    *out = d->class_shift[index];
    return CR_OK;
}

const char *cr_drift_verdict_name(cr_drift_verdict verdict)
{
    static const char *const name[] = {"stable", "slight", "moderate", "strong", "unknown"};

    return verdict <= CR_DRIFT_UNKNOWN ? name[verdict] : "unknown";
}
