/* decide/predict_arrays.c - rows in memory, answers into memory.
 *
 * There is no source and no order to keep: workers take ranges of rows and write their answers in
 * place. The failure nearest the first row is the one reported.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/product.h"
#include "credence/spec.h"
#include "base/pool.h"
#include "base/sized.h"
#include "model/calibration.h"
#include "decide/predict.h"
#include "decide/rule.h"
#include "model/scorer.h"
#include "source/columns.h"
#include "source/missing.h"

#define RANGE ((size_t)8192)      /* rows that a worker takes at a time */
#define LEAST_RANGE ((size_t)256) /* fewer for small inputs, so that all workers have some */

typedef struct job {
    const cr_model *model;
    cr_predict_options options;
    cr_answers out;
    cr_run run;
    cr__columns table;
    size_t
        *array; /* [columns of the schema] which array fills each; SIZE_MAX: none, it is missing */
    int workers;

    pthread_mutex_t lock;
    size_t next;      /* the next row to take */
    size_t done;      /* rows answered */
    cr_status status; /* of the failure nearest the first row, */
    size_t failed_at; /* its range, */
    cr_error error;   /* and what to say */
} job;

typedef struct worker {
    const char *empty;   /* the only text that means missing */
    size_t empty_length; /* 0 */
    cr__missing missing;
    const job *job;
    cr__scorer scorer;
    cr__batch *batch;
    cr__cell *cell; /* [columns of the schema] */
    double *score;  /* [batch * classes] where the caller wants no posterior */
    cr_regression *regression;
} worker;

/* --- columns ------------------------------------------------------------------------------- */

static int is_feature(const cr__column *column)
{
    return column->role == CR_ROLE_FEATURE && column->kind != CR_IGNORE;
}

static cr_status fail_absent(const job *j, const char *name, cr_error *err)
{
    cr_nearest near = (cr_nearest){.wanted = name};

    for (size_t i = 0; i < j->table.columns; i++)
        cr_nearest_offer(&near, j->table.array[i].name);
    cr__fail(err, CR_ECONFLICT, "there is no array '%s', which the model needs", name);
    return near.best == NULL ? CR_ECONFLICT
                             : cr__fail_hint(err, CR_ECONFLICT, "the nearest is '%s'", near.best);
}

/* Which array each column of the model is. */
static cr_status match_columns(job *j, cr_error *err)
{
    const cr_schema *schema = j->model->schema;
    const int may_lack = j->options.allow_absent_columns || j->model->learner->absent;
    size_t found = 0, lacking = SIZE_MAX;

    if ((j->array = cr__alloc(schema->columns, sizeof *j->array)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++)
        j->array[i] = SIZE_MAX;
    for (size_t i = 0; i < j->table.columns; i++) {
        const size_t column = cr_schema_find(schema, j->table.array[i].name);

        if (column == SIZE_MAX)
            continue;
        if (j->array[column] != SIZE_MAX)
            return cr__fail(err, CR_EARG, "two arrays have the name '%s'", j->table.array[i].name);
        if (is_feature(&schema->column[column]) && schema->column[column].factors == 0)
            j->array[column] = i;
    }
    for (size_t i = 0; i < schema->columns; i++) {
        found += j->array[i] != SIZE_MAX;
        if (is_feature(&schema->column[i]) && schema->column[i].factors == 0 &&
            j->array[i] == SIZE_MAX && lacking == SIZE_MAX)
            lacking = i;
    }
    if (lacking != SIZE_MAX && (!may_lack || (found == 0 && !j->options.allow_absent_columns)))
        return fail_absent(j, schema->column[lacking].name, err);
    return CR_OK;
}

/* --- a worker ------------------------------------------------------------------------------- */

static void lay_cell(const worker *w, size_t column)
{
    const cr__batch_column *data = &w->batch->column[column];

    w->cell[column] = (cr__cell){.use = data->kind == CR_BAG      ? CR__CELL_TEXT
                                        : data->kind == CR_SYMBOL ? CR__CELL_SYMBOL
                                                                  : CR__CELL_REAL,
                                 .absent = CR__NO_CODE,
                                 .real = data->real,
                                 .code = data->code,
                                 .dict = w->job->model->dict[column],
                                 .missing = &w->missing,
                                 .batch = w->batch,
                                 .column = column,
                                 .about = &w->job->model->schema->column[column]};
}

static cr_status open_worker(worker *w, const job *j, cr_error *err)
{
    const cr_schema *schema = j->model->schema;
    cr_status st;

    *w = (worker){.job = j, .empty = ""};
    w->missing = (cr__missing){.text = &w->empty, .length = &w->empty_length, .count = 1};
    if ((st = cr__scorer_open(&w->scorer, j->model, err)) != CR_OK ||
        (st = cr__batch_new_for(&w->batch, schema, j->table.rows, err)) != CR_OK)
        return st;
    if ((w->cell = cr__alloc(schema->columns, sizeof *w->cell)) == NULL)
        return cr__fail_memory(err);
    if (j->model->learner->regresses == NULL && j->out.posterior == NULL &&
        (w->score = cr__alloc(w->batch->capacity, j->model->classes * sizeof *w->score)) == NULL)
        return cr__fail_memory(err);
    if (j->model->learner->regresses != NULL && j->out.regression == NULL &&
        (w->regression = cr__alloc(w->batch->capacity, sizeof *w->regression)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++)
        lay_cell(w, i);
    return CR_OK;
}

static void close_worker(worker *w)
{
    cr__free(w->cell);
    cr__free(w->score);
    cr__free(w->regression);
    cr__batch_free(w->batch);
    cr__scorer_close(&w->scorer);
}

static void put_missing(const cr__batch *batch, size_t column)
{
    const cr__batch_column *data = &batch->column[column];

    for (size_t r = 0; data->real != NULL && r < batch->rows; r++)
        data->real[r] = NAN;
    if (data->code != NULL)
        memset(data->code, 0, batch->rows * sizeof *data->code);
    if (data->start != NULL)
        memset(data->start, 0, (batch->rows + 1) * sizeof *data->start);
}

/* Rows first, first + 1 … as many as fit, or end, into the batch. */
static cr_status fill(worker *w, size_t first, size_t end, cr_error *err)
{
    const job *j = w->job;
    cr__batch *batch = w->batch;
    cr_status st = CR_OK;

    batch->rows = end - first < batch->capacity ? end - first : batch->capacity;
    for (size_t r = 0; r < batch->rows; r++) {
        batch->record[r] = (cr__record){.line = first + r + 1};
        if (batch->weight != NULL)
            batch->weight[r] = 1;
    }
    for (size_t i = 0; st == CR_OK && i < batch->columns; i++) {
        if (j->array[i] == SIZE_MAX)
            put_missing(batch, i);
        else
            st = cr__columns_put(&j->table, j->array[i], first, batch->rows, &w->scorer.plan,
                                 &w->cell[i], err);
    }
    if (st == CR_OK)
        cr__products_fill(j->model->schema, batch);
    return st;
}

/* --- answers -------------------------------------------------------------------------------- */

/* ln P(class | row) from the scores. */
static void put_logs(const job *j, size_t row, const double *score, double evidence, int impossible)
{
    const size_t classes = j->model->classes;
    double *logs = j->out.log_posterior + row * classes;

    for (size_t c = 0; c < classes; c++)
        logs[c] = impossible ? -INFINITY
                             : fmin(0, score[c] + cr__rule_shift(j->options.rule, c) - evidence);
}

/* The decision for a row from its scores, which become its posterior. */
static void answer(const job *j, size_t row, double *score, double *logs)
{
    const cr_answers *out = &j->out;
    const size_t classes = j->model->classes;
    double evidence, cost;
    cr_reason reason;
    int32_t decision;

    cr__calibrate(j->model->calibration, score);
    if (logs != NULL)
        memcpy(logs, score, classes * sizeof *logs);
    decision = cr__rule_decide(j->options.rule, score, classes, score, &evidence, &cost, &reason);
    if (logs != NULL)
        put_logs(j, row, logs, evidence, reason == CR_IMPOSSIBLE);
    if (out->decision != NULL)
        out->decision[row] = decision;
    if (out->reason != NULL)
        out->reason[row] = (unsigned char)reason;
    if (out->log_evidence != NULL)
        out->log_evidence[row] = evidence;
    if (out->expected_cost != NULL)
        out->expected_cost[row] = cost;
}

static cr_status answer_classes(worker *w, size_t first, cr_error *err)
{
    const job *j = w->job;
    const size_t classes = j->model->classes;
    double *score = j->out.posterior == NULL ? w->score : j->out.posterior + first * classes;
    cr_status st = cr__scorer_score(&w->scorer, w->batch, score, err);

    for (size_t r = 0; st == CR_OK && r < w->batch->rows; r++) {
        double *logs = j->out.log_posterior;

        answer(j, first + r, score + r * classes,
               logs == NULL ? NULL : logs + (first + r) * classes);
    }
    return st;
}

/* For a regression there is one class, which is certain. */
static cr_status answer_numbers(worker *w, size_t first, cr_error *err)
{
    const cr_answers *out = &w->job->out;
    cr_regression *regression = out->regression == NULL ? w->regression : out->regression + first;
    cr_status st = cr__scorer_regress(&w->scorer, w->batch, regression, err);

    for (size_t r = first; st == CR_OK && r < first + w->batch->rows; r++) {
        regression[r - first].truth = NAN;
        if (out->posterior != NULL)
            out->posterior[r] = 1;
        if (out->log_posterior != NULL)
            out->log_posterior[r] = 0;
        if (out->decision != NULL)
            out->decision[r] = 0;
        if (out->reason != NULL)
            out->reason[r] = CR_DECIDED;
        if (out->log_evidence != NULL)
            out->log_evidence[r] = 0;
        if (out->expected_cost != NULL)
            out->expected_cost[r] = NAN;
    }
    return st;
}

/* --- together ------------------------------------------------------------------------------- */

static cr_status answer_range(worker *w, size_t first, size_t end, cr_error *err)
{
    const int numbers = w->job->model->learner->regresses != NULL;
    cr_status st = CR_OK;

    while (first < end && (st = fill(w, first, end, err)) == CR_OK &&
           (st = numbers ? answer_numbers(w, first, err) : answer_classes(w, first, err)) == CR_OK)
        first += w->batch->rows;
    return st;
}

/* How many rows pay for one more thread: a text takes as long as many numbers. */
static size_t worth_a_thread(const cr_schema *schema)
{
    for (size_t c = 0; c < schema->columns; c++)
        if (schema->column[c].kind == CR_BAG)
            return LEAST_RANGE;
    return RANGE;
}

/* The next rows for a worker; *first equal to *end: none are left. The caller holds the lock. */
static void take_range(job *j, size_t *first, size_t *end)
{
    const size_t share = j->table.rows / ((size_t)j->workers * 4);
    const size_t range = share < LEAST_RANGE ? LEAST_RANGE : share < RANGE ? share : RANGE;

    *first = *end = j->next;
    if (j->status != CR_OK)
        return;
    *end += j->table.rows - j->next < range ? j->table.rows - j->next : range;
    j->next = *end;
}

/* The caller holds the lock. */
static void note(job *j, size_t first, size_t rows, cr_status st, const cr_error *err)
{
    cr_error stopped = {0};

    j->done += rows;
    if (st == CR_OK && j->run.progress != NULL &&
        j->run.progress(j->run.context, j->done, j->table.rows, j->done) != 0) {
        st = cr__fail(&stopped, CR_ESTOPPED, "stopped");
        err = &stopped;
    }
    if (st != CR_OK && (j->status == CR_OK || first < j->failed_at)) {
        j->status = st;
        j->failed_at = first;
        j->error = *err;
    }
}

static void work(void *context, int index)
{
    job *j = context;
    worker w = {0};
    size_t first = 0, end = 0;
    cr_error err = {0};
    cr_status st = CR_OK;

    if (index >= j->workers)
        return;
    for (;;) {
        pthread_mutex_lock(&j->lock);
        if (end > first)
            note(j, first, end - first, st, &err);
        take_range(j, &first, &end);
        pthread_mutex_unlock(&j->lock);
        if (first == end)
            break;
        if (w.job == NULL)
            st = open_worker(&w, j, &err);
        if (st == CR_OK)
            st = answer_range(&w, first, end, &err);
    }
    close_worker(&w);
}

static cr_status run(job *j, cr_error *err)
{
    cr_pool *pool = NULL;
    cr_status st = CR_OK;

    j->workers = 1;
    if (j->table.rows > worth_a_thread(j->model->schema))
        st = cr__pool_enter(&pool, &j->workers, &j->run,
                            j->table.rows / worth_a_thread(j->model->schema) + 1, err);
    if (st != CR_OK)
        return st;
    pthread_mutex_init(&j->lock, NULL);
    if (pool == NULL)
        work(j, 0);
    else
        cr__pool_run(pool, work, j);
    pthread_mutex_destroy(&j->lock);
    if (pool != NULL)
        cr__pool_leave(pool, &j->run);
    if (j->status != CR_OK && err != NULL)
        *err = j->error;
    return j->status;
}

static cr_status take_options(job *j, const cr_predict_options *options, const cr_answers *answers,
                              const cr_run *given, cr_error *err)
{
    cr_status st =
        cr__sized_take(&j->options, sizeof j->options, options, "cr_predict_options", err);

    if (st == CR_OK)
        st = cr__sized_take(&j->out, sizeof j->out, answers, "cr_answers", err);
    if (st == CR_OK)
        st = cr__sized_take(&j->run, sizeof j->run, given, "cr_run", err);
    if (st == CR_OK)
        st = cr__predict_check(j->model, &j->options, err);
    if (st == CR_OK && j->out.regression != NULL && j->model->learner->regresses == NULL)
        st = cr__fail(err, CR_EARG, "a model of '%s' is a classifier, not a regression",
                      j->model->learner->name);
    return st;
}

cr_status cr_model_predict_arrays(const cr_model *model, const cr_array *arrays, size_t columns,
                                  size_t rows, const cr_predict_options *options,
                                  const cr_answers *answers, const cr_run *given, cr_error *err)
{
    job j = {.model = model};
    cr_status st = take_options(&j, options, answers, given, err);

    if (st == CR_OK)
        st = cr__columns_open(&j.table, arrays, columns, rows, err);
    if (st == CR_OK)
        st = match_columns(&j, err);
    if (st == CR_OK && rows > 0)
        st = run(&j, err);
    cr__columns_close(&j.table);
    cr__free(j.array);
    return st;
}
