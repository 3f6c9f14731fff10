/* eval/calibrate_trained.c - calibrate a model that has just been trained, unasked.
 *
 * The model is trained in one pass as ever. Then some thousands of its rows are read again and
 * dealt into folds; the rows of each fold are taken back from a copy of the model, which answers
 * them. That is exact, and costs little however many rows there are: nothing is learned twice.
 *
 * A learner that is fitted on the rows themselves cannot take them back: models are trained again
 * without a fold, of few rows one for each fold, of many rows one alone. A fold has at most a fifth
 * of the rows, so that these models are like the one that is calibrated; and a search does not
 * begin at the weights of that one, which know the rows of the fold.
 *
 * Of many chunks some are read, evenly over the source, and rows weigh what makes the shares of the
 * classes those of all rows. Where the classes lie in stretches that this would miss, as in a file
 * in order of its classes, all chunks are read.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "base/team.h"
#include "data/folds.h"
#include "eval/auto.h"
#include "eval/calibration_choose.h"
#include "stats/table_read.h"
#include "train/training.h"

enum { CHUNKS_LEAST = 16, FOLDS_OF_FEW = 10, FOLDS_OF_MANY = 5, MANY_ROWS = 1000 };

#define CELLS_AGAIN 5e5 /* values and words that are quickly learned again */

/* --- the rows --------------------------------------------------------------------------------- */

typedef struct sample {
    cr__table *table;
    uint32_t *all;   /* [labelled] rows of the table that have a class */
    uint32_t *row;   /* [rows] of them, those that are answered */
    int32_t *truth;  /* [rows] by the model's classes */
    double *weight;  /* [rows] */
    uint32_t *fold;  /* [rows] */
    uint32_t *place; /* [rows] 0 … rows - 1 */
    double *score;   /* [rows * classes] */
    size_t labelled, rows, folds;
} sample;

static void close_sample(sample *s)
{
    cr__table_free(s->table);
    cr__free(s->all);
    cr__free(s->row);
    cr__free(s->truth);
    cr__free(s->weight);
    cr__free(s->fold);
    cr__free(s->place);
    cr__free(s->score);
}

/* The class of a table's row as the model numbers it; -1: it has none. */
static int32_t class_of(const cr_model *model, const cr__table *table, size_t row)
{
    const size_t target = model->schema->target;
    const uint32_t code = table->column[target].code[row];
    size_t length;
    const char *name;

    if (code == CR__MISSING)
        return -1;
    name = cr__dict_word(table->column[target].dict, code, &length);
    return (int32_t)cr__dict_find(model->dict[target], name, length) - 1;
}

static double row_weight(const cr__table *table, size_t row)
{
    return table->weight == NULL ? 1 : table->weight[row];
}

/* List the rows that have a class, and every k-th of them so that there are not too many. */
static cr_status list_rows(sample *s, const cr_model *model, cr_error *err)
{
    const size_t rows = s->table->rows, most = cr__calibration_rows_most(model->classes);

    cr__free(s->all);
    cr__free(s->row);
    cr__free(s->truth);
    s->all = cr__alloc(rows + 1, sizeof *s->all);
    s->row = cr__alloc(rows + 1, sizeof *s->row);
    s->truth = cr__alloc(rows + 1, sizeof *s->truth);
    s->labelled = s->rows = 0;
    if (s->all == NULL || s->row == NULL || s->truth == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < rows; r++)
        if (class_of(model, s->table, r) >= 0 && row_weight(s->table, r) > 0)
            s->all[s->labelled++] = (uint32_t)r;
    for (size_t i = 0; i < s->labelled; i++) {
        const size_t kept = s->labelled < most ? s->labelled : most;

        if (i * kept / s->labelled == (i + 1) * kept / s->labelled)
            continue;
        s->row[s->rows] = s->all[i];
        s->truth[s->rows++] = class_of(model, s->table, s->all[i]);
    }
    return CR_OK;
}

/* Weigh the rows so that classes have the shares that they have in the model. Not fair: a class has
 * far fewer than its share, so that a few of its rows would stand for many. */
static cr_status weigh_rows(sample *s, const cr_model *model, int *fair, cr_error *err)
{
    double *have = cr__alloc_zero(model->classes, sizeof *have), sum = 0, all = 0;

    cr__free(s->weight);
    s->weight = cr__alloc(s->rows + 1, sizeof *s->weight);
    *fair = 1;
    if (have == NULL || s->weight == NULL) {
        cr__free(have);
        return cr__fail_memory(err);
    }
    for (size_t i = 0; i < s->rows; i++) {
        s->weight[i] = row_weight(s->table, s->row[i]);
        have[s->truth[i]] += s->weight[i];
        sum += s->weight[i];
    }
    for (size_t c = 0; c < model->classes; c++)
        all += cr__count_value(cr__stats_class(model->stats, c));
    for (size_t c = 0; sum > 0 && c < model->classes; c++) {
        const double should = sum * cr__count_value(cr__stats_class(model->stats, c)) / all;

        *fair = *fair && (have[c] >= 0.5 * should || should < 1);
        have[c] = have[c] > 0 ? should / have[c] : 0;
    }
    for (size_t i = 0; i < s->rows; i++)
        s->weight[i] *= have[s->truth[i]];
    cr__free(have);
    return CR_OK;
}

static cr_status read_rows(sample *s, const cr_model *model, cr_source *source, const cr_run *run,
                           uint64_t wanted, uint64_t chunks, cr_error *err)
{
    cr_status st = cr__source_rewind(source, err);

    if (st == CR_OK)
        st = cr__source_bind(source, model->schema, 1, 0, err);
    if (st == CR_OK)
        st = cr__table_read_some(&s->table, source, model->schema, &model->recipe, run, wanted,
                                 chunks, err);
    return st == CR_OK ? list_rows(s, model, err) : st;
}

/* Whether models without a fold are trained again on all other rows. */
static int trains_again(const cr_model *model)
{
    const cr__needs needs = cr__learner_needs(model->learner, &model->knobs);

    return needs.rows == CR__ROWS_ALWAYS || needs.stream;
}

/* Some chunks where that is fair to all classes and they are all that is needed, else all. */
static cr_status open_sample(sample *s, const cr_model *model, cr_source *source, uint64_t chunks,
                             const cr_run *run, cr_error *err)
{
    const double share = (double)cr__calibration_rows_most(model->classes) / (double)model->rows;
    uint64_t wanted = trains_again(model) ? chunks : (uint64_t)ceil(share * (double)chunks);
    int fair = 0;
    cr_status st = CR_OK;

    wanted = wanted < CHUNKS_LEAST ? CHUNKS_LEAST : wanted;
    if (wanted < chunks && (st = read_rows(s, model, source, run, wanted, chunks, err)) == CR_OK)
        st = weigh_rows(s, model, &fair, err);
    if (st != CR_OK || fair)
        return st;
    cr__table_free(s->table);
    s->table = NULL;
    st = read_rows(s, model, source, run, 0, 0, err);
    return st == CR_OK ? weigh_rows(s, model, &fair, err) : st;
}

/* Values and words of the features. */
static double count_cells(const cr__table *table)
{
    double cells = 0;

    for (size_t i = 0; i < table->schema->columns; i++)
        if (cr__stats_is_feature(table->schema, i))
            cells += table->column[i].kind == CR_BAG ? (double)table->column[i].start[table->rows]
                                                     : (double)table->rows;
    return cells;
}

/* How many folds there are, and how many of them are answered. */
static void plan_folds(sample *s, const cr_model *model, size_t *dealt)
{
    const double share = (double)s->rows / (double)(s->labelled > 0 ? s->labelled : 1);

    *dealt = s->folds = s->rows < MANY_ROWS ? FOLDS_OF_FEW : FOLDS_OF_MANY;
    if (!trains_again(model))
        return;
    if (s->rows >= MANY_ROWS)
        *dealt = (size_t)ceil(FOLDS_OF_MANY * share);
    s->folds = (size_t)(CELLS_AGAIN / fmax(1, count_cells(s->table)));
    s->folds = s->folds < 1 ? 1 : s->folds > *dealt ? *dealt : s->folds;
}

/* Leave out the rows of folds that are not answered. */
static void drop_unanswered(sample *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->rows; i++) {
        if (s->fold[i] >= s->folds)
            continue;
        s->row[kept] = s->row[i];
        s->truth[kept] = s->truth[i];
        s->weight[kept] = s->weight[i];
        s->fold[kept++] = s->fold[i];
    }
    s->rows = kept;
}

static cr_status deal_rows(sample *s, const cr_model *model, cr_error *err)
{
    uint32_t *code = cr__alloc(s->rows + 1, sizeof *code);
    cr__deal deal = {.rows = s->rows, .class_code = code, .classes = model->classes, .seed = 1};
    cr_status st = CR_OK;

    plan_folds(s, model, &deal.folds);
    s->fold = cr__alloc(s->rows + 1, sizeof *s->fold);
    s->place = cr__alloc(s->rows + 1, sizeof *s->place);
    s->score = cr__alloc(s->rows + 1, model->classes * sizeof *s->score);
    if (code == NULL || s->fold == NULL || s->place == NULL || s->score == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < s->rows; i++) {
        code[i] = (uint32_t)s->truth[i];
        s->place[i] = (uint32_t)i;
    }
    if (st == CR_OK && (st = cr__folds_deal(s->fold, &deal, err)) == CR_OK)
        drop_unanswered(s);
    cr__free(code);
    return st;
}

/* --- the answers ------------------------------------------------------------------------------ */

typedef struct answering {
    const cr_model *model;
    sample *s;
    cr_run run; /* of a model that is trained again */
} answering;

/* The scores of the rows of a fold by a model into their places. */
static cr_status score_fold(const answering *a, const cr_model *without, uint32_t f,
                            const uint32_t *list, size_t rows, cr_error *err)
{
    const size_t K = a->model->classes;
    double *score = cr__alloc(rows + 1, K * sizeof *score);
    size_t *place = NULL, at = 0;
    cr_status st =
        score == NULL ? cr__fail_memory(err) : cr__class_places(without, a->model, &place, err);

    if (st == CR_OK)
        st = cr__score_rows(without, a->s->table, list, rows, place, K, score, err);
    for (size_t i = 0; st == CR_OK && i < a->s->rows; i++)
        if (a->s->fold[i] == f)
            memcpy(a->s->score + i * K, score + at++ * K, K * sizeof *score);
    cr__free(score);
    cr__free(place);
    return st;
}

/* The rows of the fold, taken back from a copy. */
static cr_status take_back(const answering *a, const uint32_t *list, size_t rows, cr_model **out,
                           cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr_source *source = NULL;
    cr_status st = cr__source_open_table(&source, a->s->table, list, rows, err);

    if (st == CR_OK)
        st = cr_model_copy(out, a->model, err);
    if (st == CR_OK)
        st = cr_model_unlearn(*out, source, &one, NULL, err);
    cr_source_close(source);
    return st;
}

/* A model of all rows but the listed ones; both lists rise. */
static cr_status train_again(const answering *a, const uint32_t *list, size_t rows, cr_model **out,
                             cr_error *err)
{
    const sample *s = a->s;
    uint32_t *others = cr__alloc(s->labelled + 1, sizeof *others);
    cr_source *source = NULL;
    size_t n = 0, at = 0;
    cr_status st = others == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < s->labelled; i++)
        if (at < rows && s->all[i] == list[at])
            at++;
        else
            others[n++] = s->all[i];
    if (st == CR_OK)
        st = cr__source_open_table(&source, s->table, others, n, err);
    if (st == CR_OK)
        st = cr__model_train_again(out, a->model, source, &a->run, err);
    cr_source_close(source);
    cr__free(others);
    return st;
}

static cr_status answer_fold(void *context, size_t f, cr_error *err)
{
    const answering *a = context;
    uint32_t *list = cr__alloc(a->s->rows + 1, sizeof *list);
    cr_model *without = NULL;
    size_t rows = 0;
    cr_status st = list == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK)
        rows = cr__folds_list(a->s->fold, a->s->row, a->s->rows, (uint32_t)f, 1, list);
    if (st == CR_OK)
        st = (trains_again(a->model) ? train_again : take_back)(a, list, rows, &without, err);
    if (st == CR_OK)
        st = score_fold(a, without, (uint32_t)f, list, rows, err);
    cr_model_free(without);
    cr__free(list);
    return st;
}

/* Folds side by side, or a single one with all threads. */
static cr_status answer_folds(answering *a, const cr_run *run, cr_error *err)
{
    if (a->s->folds == 1) {
        a->run = *run;
        return answer_fold(a, 0, err);
    }
    a->run = (cr_run){.threads = 1, .memory = run->memory, .seed = run->seed};
    return cr__parallel_for(run, a->s->folds, answer_fold, a, err);
}

/* --- all together ----------------------------------------------------------------------------- */

const char *cr__calibrate_reason(const cr_model *model)
{
    if (model->learner->regresses != NULL || model->schema->target == SIZE_MAX)
        return "there are no classes";
    if (model->classes < 2)
        return "there is one class only";
    if (model->rows < CR__CALIBRATE_ROWS_LEAST)
        return "there are fewer than 100 rows";
    if (model->rows < 2 * model->classes) /* most are not known any more without their row */
        return "most classes have a single row";
    return NULL;
}

/* The same where it depends on how the rows are read. */
static const char *reason_against(const cr_model *model, const cr_source *source, const cr_run *run)
{
    if (cr__team_of(run) != NULL)
        return "several processes learn together";
    if (!cr__source_is_whole(source))
        return "this is a part of the data";
    return cr__calibrate_reason(model);
}

static cr_status fit_answers(cr_model *model, const cr__answers_seen *seen,
                             cr_calibration_report *report, cr_error *err)
{
    cr__calibration_kind kind;
    cr_status st = cr__calibration_choose(&kind, seen, report, err);

    if (st != CR_OK)
        return st;
    report->rows = (double)seen->rows;
    if (kind == 0) {
        report->why = "its probabilities hold as they are";
        return CR_OK;
    }
    if ((st = cr__calibration_keep(&model->calibration, kind, seen, err)) == CR_OK &&
        cr__calibration_is_temperature(kind))
        report->temperature = model->calibration->number[0];
    return st;
}

static cr_status fit_sample(cr_model *model, const sample *s, cr_calibration_report *report,
                            cr_error *err)
{
    return fit_answers(model,
                       &(cr__answers_seen){.classes = model->classes,
                                           .score = s->score,
                                           .truth = s->truth,
                                           .weight = s->weight,
                                           .row = s->place,
                                           .rows = s->rows,
                                           .prior = CR__TEMPERATURE_PRIOR},
                       report, err);
}

/* By answers at hand, every k-th of them so that there are not too many. */
static cr_status fit_unseen(cr_model *model, const cr__unseen *unseen,
                            cr_calibration_report *report, cr_error *err)
{
    const size_t most = cr__calibration_rows_most(model->classes);
    const size_t rows = unseen->rows < most ? unseen->rows : most;
    uint32_t *row = cr__alloc(rows + 1, sizeof *row);
    cr_status st = row == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < rows; i++)
        row[i] = (uint32_t)(i * unseen->rows / rows);
    if (st == CR_OK)
        st = fit_answers(model,
                         &(cr__answers_seen){.classes = model->classes,
                                             .score = unseen->score,
                                             .truth = unseen->truth,
                                             .weight = unseen->weight,
                                             .row = row,
                                             .rows = rows,
                                             .prior = CR__TEMPERATURE_PRIOR},
                         report, err);
    cr__free(row);
    return st;
}

/* Whether a model can be left as it is after a failure, with a reason. */
static cr_status leave(cr_status st, cr_calibration_report *report)
{
    report->why = st == CR_ELIMIT      ? "its rows take too much memory"
                  : st == CR_ECONFLICT ? "its rows cannot be taken back one by one"
                                       : NULL;
    return report->why == NULL ? st : CR_OK;
}

cr_status cr__calibrate_trained(cr_model *model, cr_source *source, const cr__unseen *unseen,
                                const cr_run *run, cr_calibration_report *report, cr_error *err)
{
    const cr_run all = cr__run_of(run);
    const cr_run quiet = {
        .threads = all.threads, .memory = all.memory, .pool = all.pool, .seed = all.seed};
    const uint64_t chunks = cr__source_chunks_read(source);
    sample s = {0};
    cr_calibration_report own;
    cr_status st;

    report = report == NULL ? &own : report;
    *report = (cr_calibration_report){
        .method = "none", .temperature = NAN, .log_loss_before = NAN, .log_loss_after = NAN};
    if ((report->why = reason_against(model, source, run)) != NULL)
        return CR_OK;
    if (unseen != NULL && unseen->rows > 0)
        return fit_unseen(model, unseen, report, err);
    if (cr__source_rewind(source, NULL) != CR_OK) {
        report->why = "its rows cannot be read a second time";
        return CR_OK;
    }
    st = open_sample(&s, model, source, chunks, &quiet, err);
    if (st == CR_OK)
        st = deal_rows(&s, model, err);
    if (st == CR_OK)
        st = answer_folds(&(answering){.model = model, .s = &s}, &quiet, err);
    st = st == CR_OK ? fit_sample(model, &s, report, err) : leave(st, report);
    close_sample(&s);
    return st;
}

cr_status cr_model_calibrate_learned(cr_model *model, cr_source *source, const cr_run *run,
                                     cr_calibration_report *report, cr_error *err)
{
    cr_model_uncalibrate(model);
    return cr__calibrate_trained(model, source, NULL, run, report, err);
}
