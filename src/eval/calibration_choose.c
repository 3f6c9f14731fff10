/* eval/calibration_choose.c - the calibration that is worth it.
 *
 * Every kind is fitted on four fifths of the answers and judged by the log loss of the others, five
 * times, so that each row is judged by a function it had no part in. Kinds are tried in the order
 * of what they have to estimate. A kind is taken when the mean of the paired differences of the
 * losses is more than half its standard error: a function that only follows chance does not come
 * that far.
 */
#include "eval/calibration_choose.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/folds.h"
#include "eval/auto.h"

enum { CROSS_FOLDS = 5, TEMPERATURE_ROWS = 30, CURVE_ROWS = 300 };

#define CURVES_MOST 5e4   /* rows × functions up to which Platt's and beta's are tried */
#define ISOTONIC_MOST 1e5 /* and isotonic ones */

enum { ROWS_MOST = 8000, ROWS_LEAST = 1000 };

size_t cr__calibration_rows_most(size_t classes)
{
    const double rows = ISOTONIC_MOST / (double)(classes > 2 ? classes : 1);

    return rows < ROWS_LEAST ? ROWS_LEAST : rows > ROWS_MOST ? ROWS_MOST : (size_t)rows;
}

/* One kind after the other on the same folds. */
typedef struct trial {
    const cr__answers_seen *all;
    uint32_t *fold, *list; /* [rows] */
    double *scratch;       /* [classes] */
    double *loss, *least;  /* [rows] of the kind being tried, and of the best so far */
    double *weight;        /* [rows] 0 where there is no class */
} trial;

static void close_trial(trial *t)
{
    cr__free(t->fold);
    cr__free(t->list);
    cr__free(t->scratch);
    cr__free(t->loss);
    cr__free(t->least);
    cr__free(t->weight);
}

static cr_status open_trial(trial *t, const cr__answers_seen *seen, cr_error *err)
{
    const cr__deal deal = {.rows = seen->rows, .folds = CROSS_FOLDS, .seed = 1};

    *t = (trial){.all = seen};
    t->fold = cr__alloc(seen->rows + 1, sizeof *t->fold);
    t->list = cr__alloc(seen->rows + 1, sizeof *t->list);
    t->scratch = cr__alloc(seen->classes + 1, sizeof *t->scratch);
    t->loss = cr__alloc(seen->rows + 1, sizeof *t->loss);
    t->least = cr__alloc(seen->rows + 1, sizeof *t->least);
    t->weight = cr__alloc(seen->rows + 1, sizeof *t->weight);
    if (t->fold == NULL || t->list == NULL || t->scratch == NULL || t->loss == NULL ||
        t->least == NULL || t->weight == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < seen->rows; i++) {
        const size_t r = seen->row[i];

        t->weight[i] = seen->truth[r] < 0 ? 0 : seen->weight == NULL ? 1 : seen->weight[r];
    }
    return cr__folds_deal(t->fold, &deal, err);
}

/* A temperature is found on the rows themselves, other kinds on the bins that are kept. */
static cr_status fit(cr__calibration **out, cr__calibration_kind kind, const cr__answers_seen *seen,
                     cr_error *err)
{
    return kind == CR__CALIBRATION_TEMPERATURE ? cr__calibration_fit(out, kind, seen, err)
                                               : cr__calibration_keep(out, kind, seen, err);
}

static cr_status try_fold(trial *t, cr__calibration_kind kind, uint32_t f, cr_error *err)
{
    cr__answers_seen part = *t->all;
    cr__calibration *c = NULL;
    cr_status st = CR_OK;

    part.row = t->list;
    part.rows = cr__folds_list(t->fold, t->all->row, t->all->rows, f, 0, t->list);
    if (kind != 0)
        st = fit(&c, kind, &part, err);
    for (size_t i = 0; st == CR_OK && i < t->all->rows; i++) {
        double weight = 0;

        if (t->fold[i] != f)
            continue;
        part.row = &t->all->row[i];
        part.rows = 1;
        t->loss[i] = cr__calibration_loss(c, &part, t->scratch, &weight);
        t->loss[i] = weight > 0 ? t->loss[i] / weight : 0;
    }
    cr__calibration_free(c);
    return st;
}

static int may_try(cr__calibration_kind kind, const cr__answers_seen *seen)
{
    const double cells = (double)seen->rows * (double)(seen->classes > 2 ? seen->classes : 1);

    switch (kind) {
    case CR__CALIBRATION_TEMPERATURE: /* Platt's has one for two classes, in bins that add up */
        return seen->rows >= TEMPERATURE_ROWS && (seen->classes > 2 || seen->rows < CURVE_ROWS);
    case CR__CALIBRATION_PLATT:
    case CR__CALIBRATION_BETA: return seen->rows >= CURVE_ROWS && cells <= CURVES_MOST;
    case CR__CALIBRATION_ISOTONIC: return seen->rows >= CURVE_ROWS && cells <= ISOTONIC_MOST;
    default: return 0;
    }
}

static double mean_loss(const trial *t, const double *loss)
{
    double sum = 0, all = 0;

    for (size_t i = 0; i < t->all->rows; i++) {
        sum += t->weight[i] * loss[i];
        all += t->weight[i];
    }
    return all > 0 ? sum / all : NAN;
}

cr_status cr__calibration_choose(cr__calibration_kind *kind, const cr__answers_seen *seen,
                                 cr_calibration_report *report, cr_error *err)
{
    cr_calibration_report own;
    trial t;
    cr_status st = open_trial(&t, seen, err);

    *kind = 0;
    report = report == NULL ? &own : report;
    for (int k = 0; st == CR_OK && k <= CR__CALIBRATION_ISOTONIC; k++) {
        double gain = INFINITY, error = 0;

        if (k != 0 && !may_try((cr__calibration_kind)k, seen))
            continue;
        for (uint32_t f = 0; st == CR_OK && f < CROSS_FOLDS; f++)
            st = try_fold(&t, (cr__calibration_kind)k, f, err);
        if (st == CR_OK && k != 0)
            cr__paired_loss(t.least, t.loss, t.weight, seen->rows, &gain, &error);
        if (st == CR_OK && gain > error / 2) {
            memcpy(t.least, t.loss, seen->rows * sizeof *t.loss);
            *kind = (cr__calibration_kind)k;
        }
        if (st == CR_OK && k == 0)
            report->log_loss_before = mean_loss(&t, t.loss);
    }
    if (st == CR_OK) {
        report->method = cr__calibration_name(*kind);
        report->log_loss_after = mean_loss(&t, t.least);
    }
    close_trial(&t);
    return st;
}
