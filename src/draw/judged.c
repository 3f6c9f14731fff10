/* draw/judged.c - decisions next to the truth: ROC, precision and recall, reliability, confusion.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "draw/draw.h"

enum { CURVES_SHOWN = 8, THINNED = 500 };

const cr__sweep cr__roc_sweep = {CR_CURVE_ROC, "area", "false_positive_rate", "true_positive_rate"};
const cr__sweep cr__pr_sweep = {CR_CURVE_PR, "average_precision", "recall", "precision"};

/* NaN where there is none. CR_ENOMEM. */
static cr_status area_of(const cr__sweep *k, const cr_evaluation *e, size_t class_index,
                         double *out)
{
    cr_area area = {.roc = NAN, .pr = NAN};
    const cr_status st = cr_evaluation_area(e, class_index, &area, NULL);

    *out = k->kind == CR_CURVE_ROC ? area.roc : area.pr;
    return st == CR_ENOMEM ? st : CR_OK;
}

/* Of two classes the second one is the positive; of more each against the others, the first few. */
static size_t curve_classes(size_t all, size_t only, size_t *classes)
{
    size_t count = 0;

    if (only != SIZE_MAX || all == 2)
        classes[count++] = only != SIZE_MAX ? only : 1;
    else
        for (; count < all && count < CURVES_SHOWN; count++)
            classes[count] = count;
    return count;
}

static double share_of(const cr_evaluation *e, size_t class_index)
{
    cr_class_metrics m;
    cr_metrics all;

    cr_evaluation_class(e, class_index, &m);
    cr_evaluation_metrics(e, &all);
    return m.support / all.rows;
}

/* Few enough points that the difference is invisible: a point is kept when it is a step of 1 /
 * THINNED away from the last one, or the next one is. Free x. */
static cr_status thin(const cr_point *p, size_t count, cr_series *out, cr_error *err)
{
    double *x = cr__alloc(2 * count + 1, sizeof *x), *y = x + count;
    const double step = 1.0 / THINNED;
    size_t n = 0;

    if (x == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && i + 1 < count && fabs(p[i + 1].x - x[n - 1]) < step &&
            fabs(p[i + 1].y - y[n - 1]) < step)
            continue;
        x[n] = p[i].x;
        y[n++] = p[i].y;
    }
    out->x = x;
    out->y = y;
    out->count = n;
    return CR_OK;
}

static cr_status add_curves(cr_figure *f, const char *title, const cr_model *model,
                            const cr_evaluation *e, size_t only, const cr__sweep *k, size_t *drawn,
                            cr_error *err)
{
    size_t classes[CURVES_SHOWN], all = cr_model_classes(model);
    const size_t count = curve_classes(all, only, classes);
    cr_series series[CURVES_SHOWN] = {0};
    char name[CURVES_SHOWN][160], text[CR_SHOW_SIZE];
    cr_status status = CR_OK;

    for (size_t i = 0; status == CR_OK && i < count; i++) {
        cr_point *points = NULL;
        double area;
        size_t n;

        if ((status = area_of(k, e, classes[i], &area)) != CR_OK) {
            cr__fail_memory(err);
            break;
        }
        status = cr_evaluation_curve(e, k->kind, classes[i], &points, &n, err);
        if (status == CR_OK)
            status = thin(points, n, &series[i], err);
        snprintf(name[i], sizeof name[i], "%.100s (%s)", cr_model_class(model, classes[i]),
                 isnan(area) ? "no such row" : cr_show_number(text, CR_SHOW_PROBABILITY, area));
        series[i].name = name[i];
        cr_points_free(points);
    }
    if (drawn != NULL)
        *drawn = count < all && all > 2 && only == SIZE_MAX ? count : all;
    if (status == CR_OK && k->kind == CR_CURVE_ROC)
        status = cr_figure_add_roc(f, title, series, count, err);
    else if (status == CR_OK)
        status = cr_figure_add_precision_recall(f, title, count == 1 ? share_of(e, classes[0]) : 0,
                                                series, count, err);
    for (size_t i = 0; i < count; i++) {
        cr__free((double *)series[i].x);
    }
    return status;
}

cr_status cr_draw_roc(cr_figure *f, const char *title, const cr_model *model,
                      const cr_evaluation *e, size_t only, size_t *drawn, cr_error *err)
{
    return add_curves(f, title, model, e, only, &cr__roc_sweep, drawn, err);
}

cr_status cr_draw_precision_recall(cr_figure *f, const char *title, const cr_model *model,
                                   const cr_evaluation *e, size_t only, size_t *drawn,
                                   cr_error *err)
{
    return add_curves(f, title, model, e, only, &cr__pr_sweep, drawn, err);
}

cr_status cr_draw_reliability(cr_figure *f, const char *title, const cr_model *model,
                              const cr_evaluation *e, size_t only, cr_error *err)
{
    const char *of = only != SIZE_MAX ? cr_model_class(model, only) : NULL;
    cr_reliability_bins b;
    cr_status status = cr_evaluation_reliability(e, only, &b, err);

    if (status == CR_OK)
        status =
            cr_figure_add_reliability(f, title,
                                      &(cr_reliability){CR_RELIABILITY_BINS, b.confidence, b.share,
                                                        b.weight, b.low, b.high, b.error, of},
                                      err);
    return status;
}

/* [classes * *columns], to be freed; with one more column where some rows are undecided. */
static double *matrix_of(const cr_model *model, const cr_evaluation *e, size_t *columns)
{
    const size_t classes = cr_model_classes(model);
    double *weight;
    cr_metrics m;

    cr_evaluation_metrics(e, &m);
    *columns = classes + (m.undecided > 0);
    weight = cr__alloc(classes * *columns + 1, sizeof *weight);
    for (size_t i = 0; weight != NULL && i < classes * *columns; i++) {
        const size_t decision = i % *columns;

        weight[i] = cr_evaluation_confusion(e, i / *columns,
                                            decision < classes ? (int32_t)decision : CR_UNDECIDED);
    }
    return weight;
}

cr_status cr_draw_confusion(cr_figure *f, const char *title, const cr_model *model,
                            const cr_evaluation *e, cr_error *err)
{
    const size_t classes = cr_model_classes(model);
    size_t columns;
    double *weight = matrix_of(model, e, &columns);
    const char **name = cr__alloc(classes + 1, sizeof *name);
    cr_status st = CR_OK;

    for (size_t c = 0; name != NULL && c < classes; c++)
        name[c] = cr_model_class(model, c);
    if (name == NULL || weight == NULL)
        st = cr__fail_memory(err);
    else
        st = cr_figure_add_confusion(f, title, name, classes, columns, weight, err);
    cr__free(weight);
    cr__free(name);
    return st;
}

/* --- the numbers ------------------------------------------------------------------------------ */

static void json_column(cr_json *j, const char *key, const cr_point *p, size_t count, size_t at)
{
    cr_json_array(j, key, CR_JSON_LINE);
    for (size_t i = 0; i < count; i++)
        cr_json_number(j, NULL, at == 0 ? p[i].threshold : at == 1 ? p[i].x : p[i].y);
    cr_json_end(j);
}

static cr_status curve_json(cr_json *j, const cr_scored *s, size_t c, const cr__sweep *k,
                            const cr_point *points, size_t n, cr_error *err)
{
    double area;

    if (area_of(k, s->evaluation, c, &area) != CR_OK)
        return cr__fail_memory(err);
    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "class", cr_model_class(s->model, c));
    cr_json_number(j, k->area, area);
    cr_json_number(j, "share", share_of(s->evaluation, c));
    json_column(j, "threshold", points, n, 0);
    json_column(j, k->x, points, n, 1);
    json_column(j, k->y, points, n, 2);
    cr_json_end(j);
    return CR_OK;
}

/* With JSON an object for each curve, in the sheet a row for each point. */
cr_status cr__sweep_numbers(cr_json *j, cr_sheet *sheet, const cr_scored *s, size_t only,
                            const cr__sweep *k, cr_error *err)
{
    size_t classes[CURVES_SHOWN];
    const size_t count = curve_classes(cr_model_classes(s->model), only, classes);
    cr_status st = CR_OK;

    if (j != NULL)
        cr_json_array(j, "curves", CR_JSON_BLOCK);
    if (sheet != NULL)
        cr__sheet_name(sheet, (const char *[]){"class", "threshold", k->x, k->y}, 4);
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        cr_point *points = NULL;
        size_t n = 0;

        st = cr_evaluation_curve(s->evaluation, k->kind, classes[i], &points, &n, err);
        if (st == CR_OK && j != NULL)
            st = curve_json(j, s, classes[i], k, points, n, err);
        for (size_t at = 0; sheet != NULL && at < n; at++) {
            cr__sheet_text(sheet, cr_model_class(s->model, classes[i]));
            cr__sheet_number(sheet, points[at].threshold);
            cr__sheet_number(sheet, points[at].x);
            cr__sheet_number(sheet, points[at].y);
        }
        cr_points_free(points);
    }
    if (j != NULL)
        cr_json_end(j);
    return st;
}

cr_status cr__reliability_numbers(cr_json *j, cr_sheet *sheet, const cr_scored *s, size_t only,
                                  cr_error *err)
{
    static const char *const names[] = {"from", "to", "rows", "confidence", "share", "low", "high"};
    enum { NAMES = sizeof names / sizeof *names };
    cr_reliability_bins b;
    const cr_status st = cr_evaluation_reliability(s->evaluation, only, &b, err);

    if (st != CR_OK)
        return st;
    if (sheet != NULL)
        cr__sheet_name(sheet, names, NAMES);
    if (j != NULL) {
        cr_json_number(j, "calibration_error", b.error);
        cr_json_array(j, "bins", CR_JSON_BLOCK);
    }
    for (size_t i = 0; i < CR_RELIABILITY_BINS; i++) {
        const double x[NAMES] = {(double)i / CR_RELIABILITY_BINS,
                                 (double)(i + 1) / CR_RELIABILITY_BINS,
                                 b.weight[i],
                                 b.confidence[i],
                                 b.share[i],
                                 b.low[i],
                                 b.high[i]};

        if (j != NULL)
            cr_json_object(j, NULL, CR_JSON_LINE);
        for (size_t k = 0; k < NAMES; k++) {
            if (j != NULL)
                cr_json_number(j, names[k], x[k]);
            if (sheet != NULL)
                cr__sheet_number(sheet, x[k]);
        }
        if (j != NULL)
            cr_json_end(j);
    }
    if (j != NULL)
        cr_json_end(j);
    return CR_OK;
}

static void confusion_sheet(cr_sheet *sheet, const cr_model *model, const double *weight,
                            size_t columns)
{
    const size_t classes = cr_model_classes(model);

    cr__sheet_name(sheet, (const char *[]){"truth"}, 1);
    for (size_t c = 0; c < columns; c++)
        cr__sheet_name(sheet, (const char *[]){c < classes ? cr_model_class(model, c) : "?"}, 1);
    for (size_t i = 0; i < classes * columns; i++) {
        if (i % columns == 0)
            cr__sheet_text(sheet, cr_model_class(model, i / columns));
        cr__sheet_number(sheet, weight[i]);
    }
}

cr_status cr__confusion_numbers(cr_json *j, cr_sheet *sheet, const cr_scored *s, cr_error *err)
{
    const size_t classes = cr_model_classes(s->model);
    size_t columns;
    double *weight = matrix_of(s->model, s->evaluation, &columns);

    if (weight == NULL)
        return cr__fail_memory(err);
    if (sheet != NULL)
        confusion_sheet(sheet, s->model, weight, columns);
    if (j != NULL) {
        cr_json_array(j, "classes", CR_JSON_LINE);
        for (size_t c = 0; c < classes; c++)
            cr_json_text(j, NULL, cr_model_class(s->model, c));
        cr_json_end(j);
        cr_json_bool(j, "undecided", columns > classes);
        cr_json_array(j, "confusion", CR_JSON_BLOCK);
        for (size_t c = 0; c < classes; c++)
            cr_json_numbers(j, NULL, weight + c * columns, columns);
        cr_json_end(j);
    }
    cr__free(weight);
    return CR_OK;
}
