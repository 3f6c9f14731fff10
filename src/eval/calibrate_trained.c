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
#include "eval/taken_back.h"
#include "stats/table_read.h"
#include "train/training.h"

enum { CHUNKS_LEAST = 16, FOLDS_OF_FEW = 10, FOLDS_OF_MANY = 5, MANY_ROWS = 1000 };

#define CELLS_AGAIN 5e5 /* values and words that are quickly learned again */

/* --- the rows --------------------------------------------------------------------------------- */

typedef struct sample {
    const cr__table *table;
    cr__table *own;  /* the table, unless it is somebody else's */
    uint32_t *all;   /* [labelled] rows of the table that have a class */
    uint32_t *row;   /* [rows] of them, those that are answered */
    int32_t *truth;  /* [rows] by the model's classes */
    double *weight;  /* [rows] */
    uint32_t *fold;  /* [rows] */
    uint32_t *place; /* [rows] 0 … rows - 1 */
    double *score;   /* [rows * classes] */
    size_t labelled, rows, folds;
    int again; /* train again without a fold */
} sample;

static void close_sample(sample *s)
{
    cr__table_free(s->own);
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
    const uint32_t code = cr__table_code(&table->column[target], row);
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

/* List those of some rows (NULL: of all) that have a class, and every k-th of them so that there
 * are not too many. */
static cr_status list_rows(sample *s, const cr_model *model, const uint32_t *row, size_t rows,
                           cr_error *err)
{
    const size_t most = cr__calibration_rows_most(model->classes);

    cr__free(s->all);
    cr__free(s->row);
    cr__free(s->truth);
    s->all = cr__alloc(rows + 1, sizeof *s->all);
    s->row = cr__alloc(rows + 1, sizeof *s->row);
    s->truth = cr__alloc(rows + 1, sizeof *s->truth);
    s->labelled = s->rows = 0;
    if (s->all == NULL || s->row == NULL || s->truth == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < rows; i++) {
        const uint32_t r = row == NULL ? (uint32_t)i : row[i];

        if (class_of(model, s->table, r) >= 0 && row_weight(s->table, r) > 0)
            s->all[s->labelled++] = r;
    }
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
        st = cr__table_read_some(&s->own, source, model->schema, &model->recipe, run, wanted,
                                 chunks, err);
    s->table = s->own;
    return st == CR_OK ? list_rows(s, model, NULL, s->table->rows, err) : st;
}

/* Some chunks where that is fair to all classes and they are all that is needed, else all. */
static cr_status open_sample(sample *s, const cr_model *model, cr_source *source, uint64_t chunks,
                             const cr_run *run, cr_error *err)
{
    const double share = (double)cr__calibration_rows_most(model->classes) / (double)model->rows;
    uint64_t wanted = cr__trains_again(model) ? chunks : (uint64_t)ceil(share * (double)chunks);
    int fair = 0;
    cr_status st = CR_OK;

    wanted = wanted < CHUNKS_LEAST ? CHUNKS_LEAST : wanted;
    if (wanted < chunks && (st = read_rows(s, model, source, run, wanted, chunks, err)) == CR_OK)
        st = weigh_rows(s, model, &fair, err);
    if (st != CR_OK || fair)
        return st;
    cr__table_free(s->own);
    s->own = NULL;
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

/* How many folds there are, and how many of them are answered. A model that takes rows back keeps
 * the cuts of its numbers, which were found with the classes of these rows: few rows are answered
 * by models that cut anew. */
static void plan_folds(sample *s, const cr_model *model, size_t *dealt)
{
    const double share = (double)s->rows / (double)(s->labelled > 0 ? s->labelled : 1);

    *dealt = s->folds = s->rows < MANY_ROWS ? FOLDS_OF_FEW : FOLDS_OF_MANY;
    s->again = cr__trains_again(model) ||
               (cr__model_finds_cuts(model) && s->labelled >= model->rows &&
                count_cells(s->table) * (double)*dealt <= CELLS_AGAIN);
    if (!s->again)
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

static cr_status answer_rows(const cr_model *model, const sample *s, const cr_run *run,
                             cr_error *err)
{
    return cr__taken_back_answer(&(cr__taken_back){.model = model,
                                                   .table = s->table,
                                                   .all = s->all,
                                                   .labelled = s->labelled,
                                                   .row = s->row,
                                                   .fold = s->fold,
                                                   .rows = s->rows,
                                                   .folds = s->folds,
                                                   .score = s->score,
                                                   .again = s->again},
                                 run, err);
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

/* By a kind, or (-1) by the one that is chosen. */
static cr_status fit_answers(cr_model *model, const cr__answers_seen *seen, int wanted,
                             cr_calibration_report *report, cr_error *err)
{
    cr__calibration_kind kind = (cr__calibration_kind)(wanted < 0 ? 0 : wanted);
    cr_status st = wanted < 0 ? cr__calibration_choose(&kind, seen, report, err) : CR_OK;

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

static cr_status fit_sample(cr_model *model, const sample *s, int kind,
                            cr_calibration_report *report, cr_error *err)
{
    return fit_answers(model,
                       &(cr__answers_seen){.classes = model->classes,
                                           .score = s->score,
                                           .truth = s->truth,
                                           .weight = s->weight,
                                           .row = s->place,
                                           .rows = s->rows,
                                           .prior = CR__TEMPERATURE_PRIOR},
                       kind, report, err);
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
                         -1, report, err);
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
        st = answer_rows(model, &s, &quiet, err);
    st = st == CR_OK ? fit_sample(model, &s, -1, report, err) : leave(st, report);
    close_sample(&s);
    return st;
}

cr_status cr__calibrate_on_table(cr_model *model, const cr__table *table, const uint32_t *row,
                                 size_t rows, int kind, const cr_run *given, int *done,
                                 cr_error *err)
{
    const cr_run run = {.threads = given->threads,
                        .memory = given->memory,
                        .pool = given->pool,
                        .seed = given->seed};
    cr_calibration_report report = {.why = cr__calibrate_reason(model)};
    sample s = {.table = table};
    int fair;
    cr_status st;

    *done = report.why == NULL;
    if (!*done)
        return CR_OK;
    if ((st = list_rows(&s, model, row, rows, err)) == CR_OK)
        st = weigh_rows(&s, model, &fair, err);
    if (st == CR_OK)
        st = deal_rows(&s, model, err);
    if (st == CR_OK)
        st = answer_rows(model, &s, &run, err);
    if (st == CR_OK)
        st = fit_sample(model, &s, kind, &report, err);
    else
        *done = (st = leave(st, &report)) != CR_OK;
    close_sample(&s);
    return st;
}

/* Cut the source into chunks, none of which is parsed: how many there are tells training which of
 * them to look at. */
static cr_status count_chunks(const cr_model *model, cr_source *source, cr_error *err)
{
    cr_status st = cr__source_bind(source, model->schema, 1, 0, err);
    cr__chunk chunk;

    while (st == CR_OK)
        if ((st = cr__source_next(source, &chunk, err)) == CR_OK)
            cr__source_release(&chunk);
    return st == CR_END ? CR_OK : st;
}

cr_status cr_model_calibrate_learned(cr_model *model, cr_source *source, const cr_run *run,
                                     cr_calibration_report *report, cr_error *err)
{
    const cr__stats *stats;
    cr_status st = cr__model_stats(model, &stats, err);

    if (st != CR_OK)
        return st;
    cr_model_uncalibrate(model);
    if (reason_against(model, source, run) == NULL &&
        model->rows > cr__calibration_rows_most(model->classes) && !cr__trains_again(model) &&
        cr__source_rewind(source, NULL) == CR_OK)
        st = count_chunks(model, source, err);
    return st == CR_OK ? cr__calibrate_trained(model, source, NULL, run, report, err) : st;
}
