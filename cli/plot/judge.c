/* cli/plot/judge.c - credence plot roc, pr, reliability, confusion. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"

enum { CURVES_SHOWN = 8, THINNED = 500 };

/* A kind of curve: what it is called, and what its points are. */
typedef struct sweep {
    cr_curve_kind kind;
    const char *area, *x, *y;
} sweep;

static const sweep roc = {CR_CURVE_ROC, "area", "false_positive_rate", "true_positive_rate"};
static const sweep precision_recall = {CR_CURVE_PR, "average_precision", "recall", "precision"};

static double area_of(const sweep *k, const cr_evaluation *e, size_t class_index)
{
    cr_area area = {.roc = NAN, .pr = NAN};

    cr_evaluation_area(e, class_index, &area, NULL);
    return k->kind == CR_CURVE_ROC ? area.roc : area.pr;
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

/* So few points that nobody sees the difference: a point stays when it is a step of 1 / THINNED
 * away from the last one, or the next one is. Both arrays are to be freed. */
static void thin(const cr_point *p, size_t count, cr_series *out)
{
    double *x = reserve(count, sizeof *x), *y = reserve(count, sizeof *y);
    const double step = 1.0 / THINNED;
    size_t n = 0;

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
}

static int add_curves(cr_figure *f, const cr_model *model, const cr_evaluation *e,
                      const char *title, size_t only, const sweep *k)
{
    size_t classes[CURVES_SHOWN], all = cr_model_classes(model);
    const size_t count = curve_classes(all, only, classes);
    cr_series series[CURVES_SHOWN] = {0};
    char name[CURVES_SHOWN][160], text[NUMBER_ROOM];
    cr_error err = {0};
    cr_status status = CR_OK;

    for (size_t i = 0; status == CR_OK && i < count; i++) {
        const double area = area_of(k, e, classes[i]);
        cr_point *points = NULL;
        size_t n;

        status = cr_evaluation_curve(e, k->kind, classes[i], &points, &n, &err);
        if (status == CR_OK)
            thin(points, n, &series[i]);
        snprintf(name[i], sizeof name[i], "%.100s (%s)", cr_model_class(model, classes[i]),
                 isnan(area) ? "no such row" : number_probability(text, area));
        series[i].name = name[i];
        cr_points_free(points);
    }
    if (count < all && all > 2 && only == SIZE_MAX)
        note("the first %d of %zu classes are drawn (--class NAME draws one)", CURVES_SHOWN, all);
    if (status == CR_OK && k->kind == CR_CURVE_ROC)
        status = cr_figure_add_roc(f, title, series, count, &err);
    else if (status == CR_OK)
        status = cr_figure_add_precision_recall(f, title, count == 1 ? share_of(e, classes[0]) : 0,
                                                series, count, &err);
    for (size_t i = 0; i < count; i++) {
        free((double *)series[i].x);
        free((double *)series[i].y);
    }
    return panel_added(status, &err);
}

int add_roc(cr_figure *f, const cr_model *model, const cr_evaluation *e, const char *title,
            size_t only)
{
    return add_curves(f, model, e, title, only, &roc);
}

int add_precision_recall(cr_figure *f, const cr_model *model, const cr_evaluation *e,
                         const char *title, size_t only)
{
    return add_curves(f, model, e, title, only, &precision_recall);
}

int add_reliability(cr_figure *f, const cr_model *model, const cr_evaluation *e, const char *title,
                    size_t only)
{
    const char *of = only != SIZE_MAX ? cr_model_class(model, only) : NULL;
    cr_reliability_bins b;
    cr_error err = {0};
    cr_status status = cr_evaluation_reliability(e, only, &b, &err);

    if (status == CR_OK)
        status =
            cr_figure_add_reliability(f, title,
                                      &(cr_reliability){CR_RELIABILITY_BINS, b.confidence, b.share,
                                                        b.weight, b.low, b.high, b.error, of},
                                      &err);
    return panel_added(status, &err);
}

/* [classes * *columns], to be freed; a column more where some rows are undecided. */
static double *matrix_of(const cr_model *model, const cr_evaluation *e, size_t *columns)
{
    const size_t classes = cr_model_classes(model);
    double *weight;
    cr_metrics m;

    cr_evaluation_metrics(e, &m);
    *columns = classes + (m.undecided > 0);
    weight = reserve(classes * *columns, sizeof *weight);
    for (size_t i = 0; i < classes * *columns; i++) {
        const size_t decision = i % *columns;

        weight[i] = cr_evaluation_confusion(e, i / *columns,
                                            decision < classes ? (int32_t)decision : CR_UNDECIDED);
    }
    return weight;
}

int add_confusion(cr_figure *f, const cr_model *model, const cr_evaluation *e, const char *title)
{
    size_t columns;
    double *weight = matrix_of(model, e, &columns);
    const char **name = class_names(model);
    cr_error err = {0};
    const cr_status status =
        cr_figure_add_confusion(f, title, name, cr_model_classes(model), columns, weight, &err);

    free(weight);
    free(name);
    return panel_added(status, &err);
}

/* --- the numbers ------------------------------------------------------------------------------ */

static void json_column(json *j, const char *key, const cr_point *p, size_t count, size_t at)
{
    json_array(j, key, JSON_LINE);
    for (size_t i = 0; i < count; i++)
        json_number(j, NULL, at == 0 ? p[i].threshold : at == 1 ? p[i].x : p[i].y);
    json_end(j);
}

/* With JSON an object for each curve, with CSV a line for each point. */
static void curve_numbers(plot *p, const scores *s, size_t only, const sweep *k)
{
    size_t classes[CURVES_SHOWN];
    const size_t count = curve_classes(cr_model_classes(s->model), only, classes);
    table *t = p->table;

    if (t == NULL)
        json_array(&p->j, "curves", JSON_BLOCK);
    for (size_t i = 0; t != NULL && i < 4; i++)
        table_column(t, (const char *[]){"class", "threshold", k->x, k->y}[i], TABLE_RIGHT);
    for (size_t i = 0; i < count; i++) {
        const char *name = cr_model_class(s->model, classes[i]);
        cr_point *points = NULL;
        size_t n = 0;

        cr_evaluation_curve(s->evaluation, k->kind, classes[i], &points, &n, NULL);
        if (t == NULL) {
            json_object(&p->j, NULL, JSON_BLOCK);
            json_text(&p->j, "class", name);
            json_number(&p->j, k->area, area_of(k, s->evaluation, classes[i]));
            json_number(&p->j, "share", share_of(s->evaluation, classes[i]));
            json_column(&p->j, "threshold", points, n, 0);
            json_column(&p->j, k->x, points, n, 1);
            json_column(&p->j, k->y, points, n, 2);
            json_end(&p->j);
        }
        for (size_t at = 0; t != NULL && at < n; at++) {
            table_text(t, name);
            table_number(t, number_plain, points[at].threshold);
            table_number(t, number_plain, points[at].x);
            table_number(t, number_plain, points[at].y);
        }
        cr_points_free(points);
    }
    if (t == NULL)
        json_end(&p->j);
}

static void reliability_numbers(plot *p, const scores *s, size_t only)
{
    static const char *const names[] = {"from", "to", "rows", "confidence", "share", "low", "high"};
    cr_reliability_bins b;
    table *t = p->table;

    cr_evaluation_reliability(s->evaluation, only, &b, NULL);
    if (t == NULL) {
        json_number(&p->j, "calibration_error", b.error);
        json_array(&p->j, "bins", JSON_BLOCK);
    }
    for (size_t i = 0; t != NULL && i < sizeof names / sizeof *names; i++)
        table_column(t, names[i], TABLE_RIGHT);
    for (size_t i = 0; i < CR_RELIABILITY_BINS; i++) {
        const double from = (double)i / CR_RELIABILITY_BINS;
        const double to = (double)(i + 1) / CR_RELIABILITY_BINS;
        const double x[] = {from,       to,       b.weight[i], b.confidence[i],
                            b.share[i], b.low[i], b.high[i]};

        if (t == NULL)
            json_object(&p->j, NULL, JSON_LINE);
        for (size_t k = 0; k < sizeof x / sizeof *x; k++)
            if (t == NULL)
                json_number(&p->j, names[k], x[k]);
            else
                table_number(t, number_plain, x[k]);
        if (t == NULL)
            json_end(&p->j);
    }
    if (t == NULL)
        json_end(&p->j);
}

static void confusion_csv(table *t, const scores *s, const double *weight, size_t columns)
{
    const size_t classes = cr_model_classes(s->model);

    table_column(t, "truth", TABLE_LEFT);
    for (size_t c = 0; c < columns; c++)
        table_column(t, c < classes ? cr_model_class(s->model, c) : "?", TABLE_RIGHT);
    for (size_t i = 0; i < classes * columns; i++) {
        if (i % columns == 0)
            table_text(t, cr_model_class(s->model, i / columns));
        table_number(t, number_plain, weight[i]);
    }
}

static void confusion_numbers(plot *p, const scores *s)
{
    const size_t classes = cr_model_classes(s->model);
    size_t columns;
    double *weight = matrix_of(s->model, s->evaluation, &columns);

    if (p->table != NULL) {
        confusion_csv(p->table, s, weight, columns);
    } else {
        json_array(&p->j, "classes", JSON_LINE);
        for (size_t c = 0; c < classes; c++)
            json_text(&p->j, NULL, cr_model_class(s->model, c));
        json_end(&p->j);
        json_bool(&p->j, "undecided", columns > classes);
        json_array(&p->j, "confusion", JSON_BLOCK);
        for (size_t c = 0; c < classes; c++)
            json_numbers(&p->j, NULL, weight + c * columns, columns);
        json_end(&p->j);
    }
    free(weight);
}

/* --- the kinds -------------------------------------------------------------------------------- */

/* MODEL [DATA...] after the name of the kind: the answers, the class asked for, and a title. */
typedef struct trial {
    cr_model *model;
    scores scores;
    size_t only; /* SIZE_MAX: no class is named */
    char *title;
} trial;

static int begin(trial *t, plot *p, const char *what)
{
    const char *wanted = option_text(p->r, "class");
    char from[256];
    int32_t found = -1;
    int code = open_model(&t->model, p->r, 1);

    if (code == EXIT_DONE && wanted != NULL)
        code = find_class(t->model, wanted, &found);
    t->only = found < 0 ? SIZE_MAX : (size_t)found;
    if (code == EXIT_DONE)
        code = scores_read(&t->scores, p->r, t->model, 2, false);
    if (code != EXIT_DONE)
        return code;
    t->title = plot_title(p->r, "%s of %s on %s", what, p->r->operands[1],
                          data_name(p->r, 2, from, sizeof from));
    if (p->r->json)
        json_number(&p->j, "rows", t->scores.metrics.rows);
    return EXIT_DONE;
}

static int end(trial *t, int code)
{
    if (t->scores.unlabelled > 0)
        note("%llu row%s without a class left out", (unsigned long long)t->scores.unlabelled,
             plural(t->scores.unlabelled));
    free(t->title);
    scores_free(&t->scores);
    cr_model_free(t->model);
    return code;
}

static int plot_sweep(plot *p, const char *what, const sweep *k)
{
    trial t = {0};
    int code = begin(&t, p, what);

    if (code == EXIT_DONE)
        code = add_curves(p->figure, t.model, t.scores.evaluation, t.title, t.only, k);
    if (code == EXIT_DONE && wants_numbers(p))
        curve_numbers(p, &t.scores, t.only, k);
    return end(&t, code);
}

int plot_roc(plot *p)
{
    return plot_sweep(p, "ROC", &roc);
}

int plot_precision_recall(plot *p)
{
    return plot_sweep(p, "Precision and recall", &precision_recall);
}

int plot_reliability(plot *p)
{
    trial t = {0};
    int code = begin(&t, p, "Reliability");

    if (code == EXIT_DONE)
        code = add_reliability(p->figure, t.model, t.scores.evaluation, t.title, t.only);
    if (code == EXIT_DONE && wants_numbers(p))
        reliability_numbers(p, &t.scores, t.only);
    return end(&t, code);
}

int plot_confusion(plot *p)
{
    trial t = {0};
    int code = begin(&t, p, "Confusion");

    if (code == EXIT_DONE)
        code = add_confusion(p->figure, t.model, t.scores.evaluation, t.title);
    if (code == EXIT_DONE && wants_numbers(p))
        confusion_numbers(p, &t.scores);
    return end(&t, code);
}
