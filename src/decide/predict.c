/* decide/predict.c - classify every row of a source: scored in parallel, delivered in order. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/sized.h"
#include "model/calibration.h"
#include "decide/predict.h"
#include "decide/rule.h"
#include "decide/credible.h"
#include "model/scorer.h"
#include "decide/team_predict.h"
#include "source/team_pass.h"

typedef struct job {
    const cr_model *model;
    cr_source *source;
    const cr_sink *sink;
    const cr_rule *rule;
    int has_target, logs;
    double interval; /* level of intervals, or 0 */
    uint64_t seed;
    uint64_t rows;       /* delivered so far */
    const cr_team *team; /* whose members answer parts of the source, or NULL */
    cr__spool spool;     /* with a team: this member's answers */
} job;

/* What the public cr_predictions hides: where the rows came from. */
struct cr__answers {
    const cr_source *source;
    const cr__chunk *chunk;
    const cr__record *record;
    cr__fields fields;
    size_t split; /* the row that fields hold; SIZE_MAX when none */
    int failed;   /* memory was out when fields were asked for, which then seemed to be missing */
};

/* A worker: the answers for its current chunk. */
typedef struct worker {
    job *job;
    cr__scorer scorer;
    size_t rows, capacity; /* of the arrays below */
    size_t *line;
    int32_t *decision, *truth;
    double *posterior, *log_evidence, *weight, *expected_cost, *log_truth, *log_posterior;
    double *low, *high;        /* when intervals are asked for, by */
    cr__credible *credible;    /* this */
    cr_regression *regression; /* when a number is predicted */
    unsigned char *reason;
    cr__record *record;
    char **error; /* [capacity]; NULL while every row could be read */
    int weighted;
    cr_output out;
    struct cr__answers answers;
} worker;

static void forget_errors(worker *w)
{
    for (size_t r = 0; w->error != NULL && r < w->capacity; r++)
        cr__free(w->error[r]);
    cr__free(w->error);
    w->error = NULL;
}

static void end(void *state)
{
    worker *w = state;

    cr__free(w->line);
    cr__free(w->decision);
    cr__free(w->truth);
    cr__free(w->posterior);
    cr__free(w->log_evidence);
    cr__free(w->weight);
    cr__free(w->expected_cost);
    cr__free(w->log_truth);
    cr__free(w->log_posterior);
    cr__free(w->low);
    cr__free(w->high);
    cr__credible_close(w->credible);
    cr__free(w->regression);
    cr__free(w->reason);
    forget_errors(w);
    cr__free(w->record);
    cr__buffer_free(&w->out.bytes);
    cr__fields_free(&w->answers.fields);
    cr__scorer_close(&w->scorer);
    cr__free(w);
}

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    job *j = context;
    worker *w = cr__alloc_zero(1, sizeof *w);
    cr_status st;

    if (w == NULL)
        return cr__fail_memory(err);
    st = cr__scorer_open(&w->scorer, j->model, err);
    if (st == CR_OK && j->interval > 0)
        st = cr__credible_open(&w->credible, j->model, j->rule, j->interval, j->seed, err);
    if (st != CR_OK) {
        cr__scorer_close(&w->scorer);
        cr__free(w);
        return st;
    }
    w->job = j;
    w->answers.source = j->source;
    *state = w;
    *plan = &w->scorer.plan;
    return CR_OK;
}

static int resize(worker *w, size_t capacity)
{
    const size_t classes = w->job->model->classes;
    void *p;

    if (capacity > SIZE_MAX / sizeof(double) / classes)
        return 0;
#define RESIZE(array, count)                                                                       \
    if ((p = cr__realloc(w->array, (count), sizeof *w->array)) == NULL)                            \
        return 0;                                                                                  \
    w->array = p
    RESIZE(line, capacity);
    RESIZE(decision, capacity);
    RESIZE(truth, capacity);
    RESIZE(posterior, capacity * classes);
    RESIZE(log_evidence, capacity);
    RESIZE(weight, capacity);
    RESIZE(expected_cost, capacity);
    RESIZE(log_truth, capacity);
    RESIZE(log_posterior, w->job->logs ? capacity * classes : 0);
    RESIZE(low, w->credible != NULL ? capacity * classes : 0);
    RESIZE(high, w->credible != NULL ? capacity * classes : 0);
    RESIZE(reason, capacity);
    RESIZE(regression, w->job->model->learner->regresses == NULL ? 0 : capacity);
    RESIZE(record, capacity);
    if (w->error != NULL) {
        RESIZE(error, capacity);
        memset(w->error + w->capacity, 0, (capacity - w->capacity) * sizeof *w->error);
    }
#undef RESIZE
    w->capacity = capacity;
    return 1;
}

/* The class in the data: an index, -1 when missing, -2 when the model has no such class. */
static int32_t truth_of(uint32_t code, size_t classes)
{
    if (code == CR__MISSING)
        return -1;
    return code <= classes ? (int32_t)code - 1 : -2;
}

/* log P(class | row) of row `at`, where the scores have been put. */
static void log_normalise(worker *w, size_t at)
{
    const size_t classes = w->job->model->classes;
    double *logs = w->log_posterior + at * classes;

    for (size_t c = 0; c < classes; c++) {
        const double log_p = logs[c] + cr__rule_shift(w->job->rule, c) - w->log_evidence[at];

        logs[c] = w->reason[at] == CR_IMPOSSIBLE ? -INFINITY : log_p > 0 ? 0 : log_p;
    }
}

/* Convert the scores of row `at` in place to its posterior, and decide. */
static void answer(worker *w, size_t at, double *score)
{
    const job *j = w->job;
    const size_t classes = j->model->classes;
    const int32_t truth = w->truth[at];
    const double joint = truth < 0 ? -INFINITY : score[truth];
    cr_reason reason;

    if (j->logs)
        memcpy(w->log_posterior + at * classes, score, classes * sizeof *score);
    w->decision[at] = cr__rule_decide(j->rule, score, classes, score, &w->log_evidence[at],
                                      &w->expected_cost[at], &reason);
    w->reason[at] = (unsigned char)reason;
    w->log_truth[at] = -INFINITY;
    if (truth >= 0 && reason != CR_IMPOSSIBLE)
        w->log_truth[at] =
            fmin(0, joint + cr__rule_shift(j->rule, (size_t)truth) - w->log_evidence[at]);
    if (j->logs)
        log_normalise(w, at);
}

/* For a regression there is one class, which is certain. */
static cr_status absorb_numbers(worker *w, cr__batch *batch, cr_error *err)
{
    const cr_model *model = w->job->model;
    const double *target = batch->column[model->schema->target].real;
    const size_t first = w->rows;
    cr_status st = cr__scorer_regress(&w->scorer, batch, w->regression + first, err);

    for (size_t r = 0; st == CR_OK && r < batch->rows; r++) {
        w->regression[first + r].truth = w->job->has_target ? target[r] : NAN;
        w->truth[first + r] = isnan(w->regression[first + r].truth) ? -1 : 0;
        w->posterior[first + r] = 1;
        w->decision[first + r] = 0;
        w->reason[first + r] = CR_DECIDED;
        w->log_evidence[first + r] = w->expected_cost[first + r] = w->log_truth[first + r] = 0;
    }
    return st;
}

/* Scores of the classes, and the decisions. */
static cr_status absorb_classes(worker *w, cr__batch *batch, cr_error *err)
{
    const cr_model *model = w->job->model;
    const size_t classes = model->classes, first = w->rows;
    const uint32_t *target = batch->column[model->schema->target].code;
    double *posterior = w->posterior + first * classes;
    cr_status st = cr__scorer_score(&w->scorer, batch, posterior, err);

    for (size_t r = 0; st == CR_OK && r < batch->rows; r++) {
        w->truth[first + r] = truth_of(target[r], classes);
        cr__calibrate(model->calibration, posterior + r * classes);
        answer(w, first + r, posterior + r * classes);
        if (w->credible != NULL)
            cr__credible_row(w->credible, batch, r, w->low + (first + r) * classes,
                             w->high + (first + r) * classes);
    }
    return st;
}

/* Why a row could not be read. */
static cr_status note_error(worker *w, size_t at, const char *why, cr_error *err)
{
    if (w->error == NULL)
        w->error = cr__alloc_zero(w->capacity, sizeof *w->error);
    if (w->error == NULL || (w->error[at] = cr__strndup(why, strlen(why))) == NULL)
        return cr__fail_memory(err);
    return CR_OK;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    worker *w = state;
    const size_t first = w->rows;
    cr_status st;

    if (first + batch->rows > w->capacity && !resize(w, (first + batch->rows) * 2))
        return cr__fail_memory(err);
    st = w->job->model->learner->regresses != NULL ? absorb_numbers(w, batch, err)
                                                   : absorb_classes(w, batch, err);
    if (st != CR_OK)
        return cr__source_blame(chunk, st, err);
    for (size_t r = 0; r < batch->rows; r++) {
        w->line[first + r] = batch->record[r].line;
        w->weight[first + r] = batch->weight == NULL ? 1 : batch->weight[r];
    }
    if (batch->failure != NULL && (st = note_error(w, first, batch->failure, err)) != CR_OK)
        return st;
    w->weighted |= batch->weight != NULL;
    memcpy(w->record + first, batch->record, batch->rows * sizeof *w->record);
    w->rows += batch->rows;
    return CR_OK;
}

static cr_predictions predictions_of(const worker *w)
{
    return (cr_predictions){.rows = w->rows,
                            .classes = w->job->model->classes,
                            .line = w->line,
                            .decision = w->decision,
                            .posterior = w->posterior,
                            .regression =
                                w->job->model->learner->regresses == NULL ? NULL : w->regression,
                            .log_evidence = w->log_evidence,
                            .truth = w->job->has_target ? w->truth : NULL,
                            .weight = w->weighted ? w->weight : NULL,
                            .inside = &w->answers,
                            .reason = w->reason,
                            .expected_cost = w->job->rule != NULL ? w->expected_cost : NULL,
                            .log_truth = w->job->has_target ? w->log_truth : NULL,
                            .log_posterior = w->job->logs ? w->log_posterior : NULL,
                            .error = (const char *const *)w->error,
                            .low = w->credible != NULL ? w->low : NULL,
                            .high = w->credible != NULL ? w->high : NULL};
}

static cr_status sink_failed(cr_status st, cr_error *err)
{
    return cr__fail(err, st, "%s", cr_status_text(st));
}

/* The chunk is scored: convert the answers to bytes, still in parallel. */
static cr_status render(void *state, const cr__chunk *chunk, cr_error *err)
{
    worker *w = state;
    const cr_sink *sink = w->job->sink;
    cr_predictions p = predictions_of(w);
    cr_status st = CR_OK;

    w->answers.chunk = chunk;
    w->answers.record = w->record;
    w->answers.split = SIZE_MAX;
    cr__buffer_clear(&w->out.bytes);
    if (sink->render != NULL && (st = sink->render(sink->context, &p, &w->out)) != CR_OK)
        return sink_failed(st, err);
    return w->out.bytes.failed || w->answers.failed ? cr__fail_memory(err) : CR_OK;
}

/* The parts of the answers that other members need: the first member's bytes are written at
 * once. */
static cr_status spool(worker *w, const cr_predictions *p, cr_error *err)
{
    const int first = w->job->team->rank == 0;

    return cr__spool_add(&w->job->spool, p, w->out.bytes.data, first ? 0 : w->out.bytes.size, err);
}

static cr_status deliver(void *state, const cr__chunk *chunk, cr_error *err)
{
    worker *w = state;
    const cr_sink *sink = w->job->sink;
    const int first = w->job->team == NULL || w->job->team->rank == 0;
    cr_predictions p = predictions_of(w);
    cr_status st = CR_OK;

    (void)chunk;
    if (w->job->team != NULL)
        st = spool(w, &p, err);
    if (st == CR_OK && first && sink->visit != NULL)
        st = sink->visit(sink->context, &p);
    if (st == CR_OK && w->answers.failed)
        st = CR_ENOMEM;
    if (st == CR_OK && first && sink->write != NULL && w->out.bytes.size > 0)
        st = sink->write(sink->context, w->out.bytes.data, w->out.bytes.size);
    w->job->rows += w->rows;
    forget_errors(w);
    w->rows = 0;
    w->weighted = 0;
    return st == CR_OK ? CR_OK : sink_failed(st, err);
}

cr_status cr__predict_check(const cr_model *model, const cr_predict_options *options, cr_error *err)
{
    if (model->schema->target == SIZE_MAX) {
        cr__fail(err, CR_ECONFLICT, "the model has no target, so there is nothing to predict");
        return cr__fail_hint(err, CR_ECONFLICT,
                             "train with " CR__SET("target COLUMN") ", or query it");
    }
    if (model->classes == 0)
        return cr__fail(err, CR_ECONFLICT, "the model has learned nothing: it has no classes");
    if (options->rule != NULL && options->rule->classes != model->classes)
        return cr__fail(err, CR_EARG, "the rule is made for %zu classes, the model has %zu",
                        options->rule->classes, model->classes);
    return CR_OK;
}

/* The members of a team answer the rows of their parts, when these are contiguous. */
static cr_status answer_together(const cr__pass *pass, job *j, cr_error *err)
{
    const struct cr__answers elsewhere = {.source = j->source, .split = SIZE_MAX};
    void **states = NULL;
    size_t count = 0, broken = 0;
    cr_kind to = CR_SYMBOL;
    uint64_t rows = 0;
    cr_status st = cr__team_agree(j->team, cr__spool_open(&j->spool, err), err);

    if (st == CR_OK)
        st = cr__team_pass_run(pass, j->team, &states, &count, &broken, &to, err);
    for (size_t i = 0; i < count; i++)
        end(states[i]);
    cr__free(states);
    if (st == CR_OK)
        st = cr__spool_replay(&j->spool, j->team, j->sink, &elsewhere, &rows, err);
    j->rows = j->team->rank == 0 ? j->rows + rows : rows;
    cr__spool_close(&j->spool);
    return st;
}

static cr_status answer_alone(const cr__pass *pass, cr_error *err)
{
    void **states = NULL;
    size_t count = 0, broken;
    cr_kind to;
    const cr_status st = cr__pass_run(pass, &states, &count, &broken, &to, err);

    for (size_t i = 0; i < count; i++)
        end(states[i]);
    cr__free(states);
    return st;
}

cr_status cr_model_predict(const cr_model *model, cr_source *source,
                           const cr_predict_options *options, const cr_sink *sink,
                           const cr_run *run, cr_tally *tally, cr_error *err)
{
    cr_predict_options own;
    job j = {.model = model, .source = source, .sink = sink};
    cr__pass pass = {.source = source,
                     .schema = model->schema,
                     .run = run,
                     .job = &j,
                     .begin = begin,
                     .absorb = absorb,
                     .complete = render,
                     .deliver = deliver,
                     .delivers_before_failure = 1,
                     .end = end};
    cr_status st;

    st = cr__sized_take(&own, sizeof own, options, "cr_predict_options", err);
    if (st != CR_OK)
        return st;
    if ((st = cr__predict_check(model, &own, err)) != CR_OK)
        return st;
    j.rule = own.rule;
    j.interval = model->learner->regresses == NULL ? own.interval : 0;
    j.seed = cr__run_of(run).seed;
    j.logs = own.log_posterior && model->learner->regresses == NULL;
    cr__source_on_error(source, own.on_error);
    st = cr__source_bind(source, model->schema, own.need_target,
                         own.allow_absent_columns ? 1
                         : model->learner->absent ? CR__ABSENT_NOTED
                                                  : 0,
                         err);
    if (st != CR_OK) {
        cr__source_on_error(source, CR_ON_ERROR_STOP);
        return st;
    }
    j.has_target = cr__source_has_target(source);
    if (cr__source_is_ordered(source) && !(j.interval > 0))
        j.team = cr__team_of(run);
    st = j.team != NULL ? answer_together(&pass, &j, err) : answer_alone(&pass, err);
    cr__source_on_error(source, CR_ON_ERROR_STOP);
    if (st == CR_OK && j.rows == 0 && sink->visit != NULL) {
        struct cr__answers none_at_all = {.source = source, .split = SIZE_MAX};
        cr_predictions p = {.classes = model->classes, .inside = &none_at_all};
        if ((st = sink->visit(sink->context, &p)) != CR_OK)
            sink_failed(st, err);
    }
    if (tally != NULL)
        *tally = (cr_tally){.rows = j.rows, .passes = 1};
    return st;
}

/* --- the input's own columns -------------------------------------------------------------- */

size_t cr_predictions_fields(const cr_predictions *p)
{
    return cr__source_fields(p->inside->source);
}

const char *cr_predictions_field_name(const cr_predictions *p, size_t field)
{
    return field < cr_predictions_fields(p) ? cr__source_field_name(p->inside->source, field)
                                            : NULL;
}

const char *cr_predictions_field(const cr_predictions *p, size_t row, size_t field, size_t *size)
{
    struct cr__answers *a = (struct cr__answers *)p->inside; /* the worker's own scratch */
    cr_status st;

    *size = 0;
    if (row >= p->rows)
        return NULL;
    if (a->split != row) {
        a->split = SIZE_MAX;
        if (a->chunk == NULL)
            return NULL;
        if ((st = cr__source_split(a->chunk, &a->record[row], &a->fields, NULL)) != CR_OK) {
            a->failed |= st == CR_ENOMEM;
            return NULL;
        }
        a->split = row;
    }
    if (field >= a->fields.count || a->fields.bytes[field] == NULL)
        return NULL;
    *size = a->fields.size[field];
    return a->fields.bytes[field];
}
