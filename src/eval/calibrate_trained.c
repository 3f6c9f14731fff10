/* eval/calibrate_trained.c - calibrate a model that has just been trained, unasked.
 *
 * The model is trained in one pass as ever. Then some thousands of its rows are read again and
 * dealt into folds; the rows of each fold are taken back from a copy of the model, which answers
 * them. That is exact, and costs little however many rows there are: nothing is learned twice.
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

enum { CHUNKS_LEAST = 16, FOLDS_OF_FEW = 10, FOLDS_OF_MANY = 5, MANY_ROWS = 1000 };

/* --- the rows --------------------------------------------------------------------------------- */

typedef struct sample {
    cr__table *table;
    uint32_t *row;   /* [rows] of the table, those that are answered */
    int32_t *truth;  /* [rows] by the model's classes */
    double *weight;  /* [rows] */
    uint32_t *fold;  /* [rows] */
    uint32_t *place; /* [rows] 0 … rows - 1 */
    double *score;   /* [rows * classes] */
    size_t rows, folds;
} sample;

static void close_sample(sample *s)
{
    cr__table_free(s->table);
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

/* List the rows that have a class, every k-th of them so that there are not too many. */
static cr_status list_rows(sample *s, const cr_model *model, cr_error *err)
{
    const size_t all = s->table->rows, most = cr__calibration_rows_most(model->classes);
    size_t labelled = 0, at = 0;

    cr__free(s->row);
    cr__free(s->truth);
    s->row = cr__alloc(all + 1, sizeof *s->row);
    s->truth = cr__alloc(all + 1, sizeof *s->truth);
    s->rows = 0;
    if (s->row == NULL || s->truth == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < all; r++)
        labelled += class_of(model, s->table, r) >= 0 && row_weight(s->table, r) > 0;
    for (size_t r = 0; r < all; r++) {
        const int32_t truth = class_of(model, s->table, r);
        const size_t kept = labelled < most ? labelled : most;

        if (truth < 0 || !(row_weight(s->table, r) > 0))
            continue;
        if (at * kept / labelled != (at + 1) * kept / labelled) {
            s->row[s->rows] = (uint32_t)r;
            s->truth[s->rows++] = truth;
        }
        at++;
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

/* Some chunks where that is fair to all classes, else all. */
static cr_status open_sample(sample *s, const cr_model *model, cr_source *source, uint64_t chunks,
                             const cr_run *run, cr_error *err)
{
    const double share = (double)cr__calibration_rows_most(model->classes) / (double)model->rows;
    uint64_t wanted = (uint64_t)ceil(share * (double)chunks);
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

static cr_status deal_rows(sample *s, const cr_model *model, cr_error *err)
{
    uint32_t *code = cr__alloc(s->rows + 1, sizeof *code);
    const cr__deal deal = {.rows = s->rows,
                           .folds = s->rows < MANY_ROWS ? FOLDS_OF_FEW : FOLDS_OF_MANY,
                           .class_code = code,
                           .classes = model->classes,
                           .seed = 1};
    cr_status st = CR_OK;

    s->folds = deal.folds;
    s->fold = cr__alloc(s->rows + 1, sizeof *s->fold);
    s->place = cr__alloc(s->rows + 1, sizeof *s->place);
    s->score = cr__alloc(s->rows + 1, model->classes * sizeof *s->score);
    if (code == NULL || s->fold == NULL || s->place == NULL || s->score == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < s->rows; i++) {
        code[i] = (uint32_t)s->truth[i];
        s->place[i] = (uint32_t)i;
    }
    if (st == CR_OK)
        st = cr__folds_deal(s->fold, &deal, err);
    cr__free(code);
    return st;
}

/* --- the answers ------------------------------------------------------------------------------ */

typedef struct answering {
    const cr_model *model;
    sample *s;
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

static cr_status answer_fold(void *context, size_t f, cr_error *err)
{
    const answering *a = context;
    const cr_run one = {.threads = 1};
    uint32_t *list = cr__alloc(a->s->rows + 1, sizeof *list);
    cr_source *source = NULL;
    cr_model *without = NULL;
    size_t rows = 0;
    cr_status st = list == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK)
        rows = cr__folds_list(a->s->fold, a->s->row, a->s->rows, (uint32_t)f, 1, list);
    if (st == CR_OK)
        st = cr__source_open_table(&source, a->s->table, list, rows, err);
    if (st == CR_OK)
        st = cr_model_copy(&without, a->model, err);
    if (st == CR_OK)
        st = cr_model_unlearn(without, source, &one, NULL, err);
    if (st == CR_OK)
        st = score_fold(a, without, (uint32_t)f, list, rows, err);
    cr_model_free(without);
    cr_source_close(source);
    cr__free(list);
    return st;
}

/* --- all together ----------------------------------------------------------------------------- */

const char *cr__calibrate_reason(const cr_model *model)
{
    const cr__needs needs = cr__learner_needs(model->learner, &model->knobs);

    if (model->learner->regresses != NULL || model->schema->target == SIZE_MAX)
        return "there are no classes";
    if (model->classes < 2)
        return "there is one class only";
    if (needs.rows == CR__ROWS_ALWAYS || needs.stream)
        return "its learner cannot take rows back";
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

static cr_status fit_sample(cr_model *model, const sample *s, cr_calibration_report *report,
                            cr_error *err)
{
    const cr__answers_seen seen = {.classes = model->classes,
                                   .score = s->score,
                                   .truth = s->truth,
                                   .weight = s->weight,
                                   .row = s->place,
                                   .rows = s->rows,
                                   .prior = CR__TEMPERATURE_PRIOR};
    cr__calibration_kind kind;
    cr_status st = cr__calibration_choose(&kind, &seen, report, err);

    if (st != CR_OK)
        return st;
    report->rows = (double)s->rows;
    if (kind == 0) {
        report->why = "its probabilities hold as they are";
        return CR_OK;
    }
    if ((st = cr__calibration_keep(&model->calibration, kind, &seen, err)) == CR_OK &&
        cr__calibration_is_temperature(kind))
        report->temperature = model->calibration->number[0];
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

cr_status cr__calibrate_trained(cr_model *model, cr_source *source, const cr_run *run,
                                cr_calibration_report *report, cr_error *err)
{
    const cr_run all = cr__run_of(run);
    const cr_run quiet = {.threads = all.threads, .memory = all.memory, .pool = all.pool};
    const uint64_t chunks = cr__source_chunks_read(source);
    sample s = {0};
    answering a = {model, &s};
    cr_calibration_report own;
    cr_status st;

    report = report == NULL ? &own : report;
    *report = (cr_calibration_report){
        .method = "none", .temperature = NAN, .log_loss_before = NAN, .log_loss_after = NAN};
    if ((report->why = reason_against(model, source, run)) != NULL)
        return CR_OK;
    if (cr__source_rewind(source, NULL) != CR_OK) {
        report->why = "its rows cannot be read a second time";
        return CR_OK;
    }
    st = open_sample(&s, model, source, chunks, &quiet, err);
    if (st == CR_OK)
        st = deal_rows(&s, model, err);
    if (st == CR_OK)
        st = cr__parallel_for(&quiet, s.folds, answer_fold, &a, err);
    st = st == CR_OK ? fit_sample(model, &s, report, err) : leave(st, report);
    close_sample(&s);
    return st;
}

cr_status cr_model_calibrate_learned(cr_model *model, cr_source *source, const cr_run *run,
                                     cr_calibration_report *report, cr_error *err)
{
    cr_model_uncalibrate(model);
    return cr__calibrate_trained(model, source, run, report, err);
}
