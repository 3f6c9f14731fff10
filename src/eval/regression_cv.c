/* eval/regression_cv.c - predictions of numbers for unseen rows. */
#include "base/fail.h"
#include "base/memory.h"
#include "data/folds.h"
#include "eval/regression.h"
#include "model/scorer.h"

#define LEVEL 0.95 /* default level of intervals */

/* --- rows ------------------------------------------------------------------------------------- */

cr_status cr__regress_rows(const cr_model *model, const cr__table *table, const uint32_t *row,
                           size_t rows, cr_regression *out, cr_error *err)
{
    const double *truth = table->column[table->schema->target].real;
    cr_source *source = NULL;
    cr__scorer scorer = {0};
    cr__batch *batch = NULL;
    cr__chunk chunk;
    size_t at = 0;
    cr_status st = cr__source_open_table(&source, table, row, rows, err);

    if (st == CR_OK)
        st = cr__source_bind(source, model->schema, 0, 1, err);
    if (st == CR_OK)
        st = cr__scorer_open(&scorer, model, err);
    if (st == CR_OK)
        st = cr__batch_new(&batch, model->schema, err);
    while (st == CR_OK && (st = cr__source_next(source, &chunk, err)) == CR_OK) {
        while ((st = cr__source_parse(&chunk, &scorer.plan, batch, err)) == CR_OK &&
               (st = cr__scorer_regress(&scorer, batch, out + at, err)) == CR_OK)
            at += batch->rows;
        cr__source_release(&chunk);
        st = st == CR_END ? CR_OK : st;
    }
    for (size_t r = 0; r < at; r++)
        out[r].truth = truth[row[r]];
    cr__batch_free(batch);
    cr__scorer_close(&scorer);
    cr_source_close(source);
    return st == CR_END ? CR_OK : st;
}

cr_status cr__regression_judge(const cr_model *model, const cr__table *table, const uint32_t *row,
                               size_t rows, cr_regression_metrics *out, cr_error *err)
{
    cr_regression *answer = cr__alloc(rows + 1, sizeof *answer);
    cr__regression_sum sum = {.level = LEVEL};
    cr_status st = answer == NULL ? cr__fail_memory(err)
                                  : cr__regress_rows(model, table, row, rows, answer, err);

    for (size_t r = 0; st == CR_OK && r < rows; r++)
        cr__regression_add(&sum, &answer[r], table->weight == NULL ? 1 : table->weight[row[r]]);
    if (st == CR_OK && !(sum.weight > 0))
        st = cr__fail(err, CR_EFORMAT, "no row that is tested has a weight above 0");
    if (st == CR_OK)
        cr__regression_figures(&sum, out);
    cr__free(answer);
    return st;
}

/* --- folds ------------------------------------------------------------------------------------ */

cr_status cr__cv_regress_fold(cr_cv *cv, const cr__rowset *set, size_t i, const cr_model *model,
                              cr_error *err)
{
    const size_t repeat = cv->fold == NULL ? 0 : i / cv->folds;
    cr_regression *into = cv->regression + repeat * cv->rows, *answer;
    const uint32_t *place;
    uint32_t *list;
    size_t rows;
    cr_status st;

    if (cv->fold == NULL)
        return cr__regress_rows(model, set->table, &set->row[i], 1, &into[i], err);
    place = cr__rowset_fold(set, cv->folds, i, &rows);
    list = cr__alloc(rows, sizeof *list);
    answer = cr__alloc(rows, sizeof *answer);
    st = list == NULL || answer == NULL ? cr__fail_memory(err) : CR_OK;
    for (size_t r = 0; st == CR_OK && r < rows; r++)
        list[r] = set->row[place[r]];
    if (st == CR_OK)
        st = cr__regress_rows(model, set->table, list, rows, answer, err);
    for (size_t r = 0; st == CR_OK && r < rows; r++)
        into[place[r]] = answer[r];
    cr__free(list);
    cr__free(answer);
    return st;
}

/* --- figures ---------------------------------------------------------------------------------- */

cr_status cr_cv_get_regression(const cr_cv *cv, size_t repeat, size_t row, cr_cv_answer *out,
                               cr_regression *regression)
{
    if (cv->regression == NULL || repeat >= cv->repeats || row >= cv->rows)
        return CR_EARG;
    *out = (cr_cv_answer){.line = cr__cv_line(cv, row),
                          .fold = cr__cv_fold(cv, repeat, row),
                          .truth = -1,
                          .decision = CR_UNDECIDED,
                          .weight = cv->weight == NULL ? 1 : cv->weight[row]};
    *regression = cv->regression[repeat * cv->rows + row];
    return CR_OK;
}

cr_status cr_cv_regression(const cr_cv *cv, size_t fold, double level, cr_regression_metrics *out,
                           cr_error *err)
{
    cr__regression_sum sum = {.level = level > 0 ? level : LEVEL};
    cr_status st;

    *out = (cr_regression_metrics){0};
    if (cv->regression == NULL)
        return cr__fail(err, CR_EARG, "a model of '%s' is a classifier, not a regression",
                        cr_model_learner(cv->model));
    if ((st = cr__regression_level(sum.level, err)) != CR_OK)
        return st;
    for (size_t i = 0; i < cv->repeats; i++)
        for (size_t r = 0; r < cv->rows; r++)
            if (fold == SIZE_MAX || i * cv->folds + cr__cv_fold(cv, i, r) == fold)
                cr__regression_add(&sum, &cv->regression[i * cv->rows + r],
                                   cv->weight == NULL ? 1 : cv->weight[r]);
    if (!(sum.weight > 0))
        return cr__fail(err, CR_EFORMAT, "no row of the fold has a weight above 0");
    cr__regression_figures(&sum, out);
    return CR_OK;
}
