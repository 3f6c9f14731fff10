/* learners/logistic/stream.c - stochastic gradient ascent over data that need not fit into memory.
 *
 * Workers parse and code chunks in parallel; their rows are learned chunk by chunk, in the order of
 * the data, so the weights do not depend on the number of threads. Steps are AdaGrad's (Duchi,
 * Hazan & Singer 2011): θ ← θ - η g / √(Σ g²), weight by weight. Rows without symbols and texts are
 * processed 64 at a time, others one by one; the prior's gradient is spread over the rows that have
 * the feature. The likelihood is progressive: that of each row before it is learned.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/logistic/fit.h"
#include "stats/text_plan.h"
#include "source/pass.h"

#define ETA 0.3 /* the default first step, in standard deviations */

typedef struct stream {
    cr__lr_fit *fit;
    cr__words *words; /* [columns] of texts */
    uint32_t **index; /* [columns] theirs */
    cr__dict **dict;  /* [columns] the statistics' */
    double *squares;  /* [P] Σ g² */
    double *pull;     /* [1 + features] the share of the prior that a row accounts for */
    double *mean;     /* [P] of θ over the second half of the last pass; dense rows only */
    double *work;     /* [(1 + dense + sets) * 64 + P] and that of a block */
    double averaged, eta;
    double rows, seen; /* weight of all rows, and of those learned in this pass */
    double loss, steps;
    int last; /* it is the last pass */
} stream;

typedef struct worker {
    stream *stream;
    cr__plan plan;
    cr__text_plan text;
    cr__table *part;       /* the chunk's rows */
    cr__lr_design *design; /* the same, coded */
} worker;

/* --- reading ------------------------------------------------------------------------------- */

static void end(void *state)
{
    worker *w = state;

    cr__lr_design_free(w->design);
    cr__table_free(w->part);
    cr__text_plan_close(&w->text);
    cr__plan_forget(&w->plan);
    cr__free(w);
}

static const cr__words *words_of(const void *context, size_t column)
{
    const stream *s = context;

    return &s->words[column];
}

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    stream *s = context;
    const cr__fit_input *input = s->fit->input;
    worker *w = cr__alloc_zero(1, sizeof *w);
    cr_status st;

    if (w == NULL)
        return cr__fail_memory(err);
    w->stream = s;
    st = cr__table_new(&w->part, input->stats->schema, err);
    if (st == CR_OK)
        st = cr__text_plan_begin(&w->text, &w->plan, input->stats->schema, s->dict, input->recipe,
                                 words_of, s, err);
    if (st != CR_OK) {
        end(w);
        return st;
    }
    *state = w;
    *plan = &w->plan;
    return CR_OK;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    const cr_status st = cr__table_append(((worker *)state)->part, batch);

    (void)chunk;
    return st == CR_OK ? CR_OK : cr__fail(err, st, "the rows of a chunk do not fit into memory");
}

static cr_status complete(void *state, const cr__chunk *chunk, cr_error *err)
{
    worker *w = state;
    const cr__lr_fit *f = w->stream->fit;
    cr__fit_input input = *f->input;

    (void)chunk;
    input.rows = w->part;
    cr__lr_design_free(w->design);
    return cr__lr_design_new(&w->design, &f->lr->shape, &input, f->lr->frame, f->class_weight, 0,
                             err);
}

/* --- learning ------------------------------------------------------------------------------ */

/* One weight: the gradient of the row and its share of the prior's. */
static void step(stream *s, size_t p, double slope, double share)
{
    const cr__lr_fit *f = s->fit;
    const double from = f->centre == NULL ? 0 : f->centre[p];
    const double g = slope + share * f->precision[p] * (f->theta[p] - from);

    s->squares[p] += g * g;
    if (s->squares[p] > 0)
        f->theta[p] -= s->eta * g / sqrt(s->squares[p]);
}

static void add_mean(stream *s)
{
    const size_t all = cr__lr_parameters(&s->fit->lr->shape);

    if (!s->last || s->seen < s->rows / 2)
        return;
    for (size_t p = 0; p < all; p++)
        s->mean[p] += s->fit->theta[p];
    s->averaged++;
}

/* 64 rows of reals at once. */
static void learn_block(stream *s, const cr__lr_objective *o, size_t block)
{
    const cr__lr_shape *shape = &s->fit->lr->shape;
    const size_t sets = shape->sets, all = cr__lr_parameters(shape);
    const double *weight = o->weight + block * CR__LR_BLOCK;
    double *x = s->work, *residual = x + (1 + shape->dense) * CR__LR_BLOCK;
    double *gradient = residual + sets * CR__LR_BLOCK, total = 0;

    for (size_t r = 0; r < CR__LR_BLOCK; r++)
        total += weight[r];
    if (total == 0)
        return;
    memset(gradient, 0, all * sizeof *gradient);
    s->loss += cr__lr_block(o, s->fit->theta, block, x, residual, gradient + all);
    o->kernel->backward(x, 1 + shape->dense, residual, sets, gradient);
    for (size_t p = 0; p < all; p++)
        step(s, p, gradient[p] / total, 1 / s->rows);
    s->seen += total;
    s->steps++;
    add_mean(s);
}

/* The scores of a row become its residuals. Returns its loss. */
static double row_residuals(const cr__lr_shape *shape, size_t label, double weight, double *score)
{
    double top = shape->first_class > 0 ? 0 : -INFINITY, total, loss;

    for (size_t s = 0; s < shape->sets; s++)
        top = fmax(top, score[s]);
    total = shape->first_class > 0 ? exp(-top) : 0;
    loss = top - (label < shape->first_class ? 0 : score[label - shape->first_class]);
    for (size_t s = 0; s < shape->sets; s++)
        total += score[s] = exp(score[s] - top);
    for (size_t s = 0; s < shape->sets; s++)
        score[s] = weight * (score[s] / total - (label == shape->first_class + s ? 1 : 0));
    return weight * (loss + log(total));
}

/* A feature of a row: scores += x θ, or θ steps along residual x. */
static void touch(stream *s, size_t feature, double x, double *score, int learning)
{
    const size_t sets = s->fit->lr->shape.sets;
    const double *scale = s->fit->scale;

    for (size_t k = 0, p = feature * sets; k < sets; k++, p++) {
        const double v = scale == NULL ? x : x * scale[p];

        if (!learning)
            score[k] += v * s->fit->theta[p];
        else
            step(s, p, v * score[k], s->pull[feature]);
    }
}

static void learn_row(stream *s, const cr__lr_design *d, size_t r)
{
    const cr__lr_shape *shape = d->shape;
    double *score = s->work, *x = score + shape->sets;

    if (d->weight[r] == 0)
        return;
    for (size_t j = 0; j < shape->dense; j++) {
        x[j] = (d->real[j].value[r] - d->real[j].centre) * d->real[j].inverse;
        x[j] = isnan(x[j]) ? 0 : x[j];
    }
    memset(score, 0, shape->sets * sizeof *score);
    for (int learning = 0; learning < 2; learning++) {
        touch(s, 0, 1, score, learning);
        for (size_t j = 0; j < shape->dense; j++)
            touch(s, 1 + j, x[j], score, learning);
        for (uint64_t k = d->by_row.start[r]; k < d->by_row.start[r + 1]; k++)
            touch(s, 1 + d->by_row.index[k], d->by_row.value == NULL ? 1 : d->by_row.value[k],
                  score, learning);
        if (!learning)
            s->loss += row_residuals(shape, d->label[r], d->weight[r], score);
    }
    s->seen += d->weight[r];
    s->steps++;
}

static cr_status deliver(void *state, const cr__chunk *chunk, cr_error *err)
{
    worker *w = state;
    stream *s = w->stream;
    const cr__lr_design *d = w->design;
    const cr__lr_objective o = {
        .design = d, .weight = d->weight, .unit = d->unit, .kernel = cr__lr_kernel_best()};

    (void)chunk;
    (void)err;
    for (size_t r = 0; d->by_row.start != NULL && r < d->rows; r++)
        learn_row(s, d, r);
    for (size_t b = 0; d->by_row.start == NULL && b < d->blocks; b++)
        learn_block(s, &o, b);
    cr__table_clear(w->part);
    return CR_OK;
}

/* --- all together -------------------------------------------------------------------------- */

static cr_status prepare_words(stream *s, size_t i, cr_error *err)
{
    const cr__bag *bag = s->fit->input->stats->column[i].bag;
    cr__words *words = &s->words[i];

    *words = (cr__words){.words = bag->words,
                         .hash = bag->hash,
                         .end = bag->end,
                         .bytes = bag->bytes,
                         .index_bits = cr__words_index_bits(bag->words)};
    s->index[i] = cr__alloc(((size_t)1 << words->index_bits) + 1, sizeof **s->index);
    if (s->index[i] == NULL)
        return cr__fail_memory(err);
    cr__words_make_index(words, s->index[i]);
    words->index = s->index[i];
    return CR_OK;
}

/* A row accounts for 1 / (rows that have the feature) of the prior. */
static void prepare_pull(stream *s)
{
    const cr__lr_shape *shape = &s->fit->lr->shape;
    const cr__stats *stats = s->fit->input->stats;

    for (size_t j = 0; j < 1 + shape->features; j++)
        s->pull[j] = 1 / s->rows;
    for (size_t i = 0; i < shape->columns; i++) {
        const cr__lr_slot *slot = &shape->slot[i];
        const cr__bag *bag = stats->column[i].bag;

        for (size_t w = 0; slot->kind == CR_BAG && w < bag->words; w++) {
            double n = 0;

            for (uint64_t k = bag->row[w]; k < bag->row[w + 1]; k++)
                n += bag->cell[k].documents;
            s->pull[1 + slot->first + w] = 1 / fmax(n, 1);
        }
        for (size_t v = 0; slot->kind == CR_SYMBOL && v < slot->values; v++) {
            size_t feature;
            double n = 0, x;

            for (size_t c = 0; c < stats->classes; c++)
                n += cr__count_value(cr__stats_count(stats, i, v, c));
            if (cr__lr_code_size(slot, v) != 1)
                continue;
            cr__lr_code(slot, v, 0, &feature, &x);
            s->pull[1 + feature] = 1 / fmax(n, 1);
        }
    }
}

static cr_status prepare(stream *s, cr_error *err)
{
    cr__lr_fit *f = s->fit;
    const cr__stats *stats = f->input->stats;
    const size_t columns = stats->schema->columns, all = cr__lr_parameters(&f->lr->shape);
    cr_status st = CR_OK;

    s->words = cr__alloc_zero(columns, sizeof *s->words);
    s->index = cr__alloc_zero(columns, sizeof *s->index);
    s->dict = cr__alloc_zero(columns, sizeof *s->dict);
    s->squares = cr__alloc_zero(all, sizeof *s->squares);
    s->mean = cr__alloc_zero(all, sizeof *s->mean);
    s->pull = cr__alloc(1 + f->lr->shape.features, sizeof *s->pull);
    s->work = cr__alloc(CR__LR_BLOCK * (1 + f->lr->shape.dense + f->lr->shape.sets) + all +
                            cr__lr_block_work(&f->lr->shape),
                        sizeof *s->work);
    if (s->words == NULL || s->index == NULL || s->dict == NULL || s->squares == NULL ||
        s->mean == NULL || s->pull == NULL || s->work == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < columns; i++) {
        s->dict[i] = stats->column[i].dict;
        if (stats->column[i].bag != NULL)
            st = prepare_words(s, i, err);
    }
    for (size_t c = 0; c < stats->classes; c++)
        s->rows += cr__count_value(cr__stats_class(stats, c)) *
                   (f->class_weight == NULL ? 1 : f->class_weight[c]);
    s->eta = isnan(f->search.eta) ? ETA : f->search.eta;
    prepare_pull(s);
    return st;
}

static cr_status run_passes(stream *s, cr_error *err)
{
    const cr__fit_input *input = s->fit->input;
    const size_t passes = (size_t)fmin(cr__knobs_number(input->knobs, "passes"), 1e6);
    cr__pass pass = {.source = input->source,
                     .schema = input->stats->schema,
                     .run = input->run,
                     .job = s,
                     .begin = begin,
                     .absorb = absorb,
                     .complete = complete,
                     .deliver = deliver,
                     .end = end};
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < passes; i++) {
        void **states = NULL;
        size_t count = 0, broken;
        cr_kind to;

        s->last = i + 1 == passes;
        s->loss = s->seen = 0;
        if ((st = cr__source_rewind(input->source, err)) == CR_OK)
            st = cr__pass_run(&pass, &states, &count, &broken, &to, err);
        for (size_t k = 0; k < count; k++)
            end(states[k]);
        cr__free(states);
    }
    return st;
}

/* Weights are averaged only if all features are real: the last steps are noise around the mean. */
static void conclude(stream *s)
{
    cr__lr_fit *f = s->fit;

    for (size_t p = 0; p < cr__lr_parameters(&f->lr->shape); p++) {
        if (s->averaged > 0)
            f->theta[p] = s->mean[p] / s->averaged;
        if (f->scale != NULL)
            f->theta[p] *= f->scale[p];
    }
    f->lr->outcome = (cr__lr_outcome){.iterations = s->steps,
                                      .log_likelihood = -s->loss,
                                      .objective = -s->loss,
                                      .lambda = f->lambda,
                                      .rows = s->rows,
                                      .solver = CR__LR_SGD,
                                      .prior = f->prior,
                                      .converged = 1};
}

cr_status cr__lr_stream(cr__lr_fit *f, cr_error *err)
{
    stream s = {.fit = f};
    cr_status st;

    if (f->matrix != NULL)
        return cr__fail(err, CR_ECONFLICT,
                        "a model with a full posterior continues with its solver");
    if (f->input->before == NULL)
        cr__lr_precision(f, f->lambda, f->precision);
    if ((st = prepare(&s, err)) == CR_OK && (st = run_passes(&s, err)) == CR_OK) {
        conclude(&s);
        st = cr__lr_set_units(f->lr, f->input->stats, f->input->knobs, f->theta, err);
    }
    for (size_t i = 0; s.index != NULL && i < f->lr->shape.columns; i++)
        cr__free(s.index[i]);
    cr__free(s.words);
    cr__free(s.index);
    cr__free(s.dict);
    cr__free(s.squares);
    cr__free(s.mean);
    cr__free(s.pull);
    cr__free(s.work);
    return st;
}
