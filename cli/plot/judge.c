/* cli/plot/judge.c - credence plot roc, pr, reliability, confusion. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "out/out.h"
#include "out/text.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"

enum { CURVES_SHOWN = 8 };

typedef curve (*sweep)(const scores *s, size_t class_index);
typedef cr_status (*adder)(cr_figure *f, const char *title, double share, const cr_series *series,
                           size_t count, cr_error *err);

/* Of two classes the second one is the positive; of more each against the others, the first few. */
static size_t curve_classes(const scores *s, int32_t only, size_t *classes)
{
    size_t count = 0;

    if (only >= 0 || s->classes == 2)
        classes[count++] = only >= 0 ? (size_t)only : 1;
    else
        for (; count < s->classes && count < CURVES_SHOWN; count++)
            classes[count] = count;
    return count;
}

static int add_curves(cr_figure *f, const scores *s, const char *title, int32_t only, sweep make,
                      adder add)
{
    size_t classes[CURVES_SHOWN], count = curve_classes(s, only, classes);
    cr_series series[CURVES_SHOWN] = {0};
    curve thin[CURVES_SHOWN];
    char name[CURVES_SHOWN][160], area[NUMBER_ROOM];
    cr_error err = {0};
    cr_status status;

    for (size_t i = 0; i < count; i++) {
        curve whole = make(s, classes[i]);

        thin[i] = curve_thinned(&whole);
        snprintf(name[i], sizeof name[i], "%.100s (%s)", cr_model_class(s->model, classes[i]),
                 isnan(whole.area) ? "no such row" : number_probability(area, whole.area));
        series[i] =
            (cr_series){.name = name[i], .x = thin[i].x, .y = thin[i].y, .count = thin[i].count};
        curve_free(&whole);
    }
    if (count < s->classes && s->classes > 2 && only < 0)
        note("the first %d of %zu classes are drawn (--class NAME draws one)", CURVES_SHOWN,
             s->classes);
    status = add(f, title, count == 1 ? thin[0].share : 0, series, count, &err);
    for (size_t i = 0; i < count; i++)
        curve_free(&thin[i]);
    return panel_added(status, &err);
}

static cr_status roc_panel(cr_figure *f, const char *title, double share, const cr_series *series,
                           size_t count, cr_error *err)
{
    (void)share;
    return cr_figure_add_roc(f, title, series, count, err);
}

int add_roc(cr_figure *f, const scores *s, const char *title, int32_t only)
{
    return add_curves(f, s, title, only, scores_roc, roc_panel);
}

int add_precision_recall(cr_figure *f, const scores *s, const char *title, int32_t only)
{
    return add_curves(f, s, title, only, scores_precision_recall, cr_figure_add_precision_recall);
}

int add_reliability(cr_figure *f, const scores *s, const char *title, int32_t only)
{
    reliability r;
    cr_error err = {0};

    scores_reliability(s, only, &r);
    return panel_added(
        cr_figure_add_reliability(f, title,
                                  &(cr_reliability){RELIABILITY_BINS, r.confidence, r.share,
                                                    r.count, r.low, r.high, r.error},
                                  &err),
        &err);
}

int add_confusion(cr_figure *f, const scores *s, const char *title)
{
    size_t columns;
    double *weight = scores_confusion(s, &columns);
    const char **name = class_names(s->model);
    cr_error err = {0};
    cr_status status = cr_figure_add_confusion(f, title, name, s->classes, columns, weight, &err);

    free(weight);
    free(name);
    return panel_added(status, &err);
}

/* --- the numbers ------------------------------------------------------------------------------ */

static void json_curves(json *j, const scores *s, int32_t only, sweep make, const char *area,
                        const char *x, const char *y)
{
    size_t classes[CURVES_SHOWN], count = curve_classes(s, only, classes);

    json_array(j, "curves", JSON_BLOCK);
    for (size_t i = 0; i < count; i++) {
        curve c = make(s, classes[i]);

        json_object(j, NULL, JSON_BLOCK);
        json_text(j, "class", cr_model_class(s->model, classes[i]));
        json_number(j, area, c.area);
        json_number(j, "share", c.share);
        json_numbers(j, "threshold", c.threshold, c.count);
        json_numbers(j, x, c.x, c.count);
        json_numbers(j, y, c.y, c.count);
        json_end(j);
        curve_free(&c);
    }
    json_end(j);
}

static void json_roc(json *j, const scores *s, int32_t only)
{
    json_curves(j, s, only, scores_roc, "area", "false_positive_rate", "true_positive_rate");
}

static void json_precision_recall(json *j, const scores *s, int32_t only)
{
    json_curves(j, s, only, scores_precision_recall, "average_precision", "recall", "precision");
}

static void json_reliability(json *j, const scores *s, int32_t only)
{
    reliability r;

    scores_reliability(s, only, &r);
    json_number(j, "calibration_error", r.error);
    json_array(j, "bins", JSON_BLOCK);
    for (size_t b = 0; b < RELIABILITY_BINS; b++) {
        json_object(j, NULL, JSON_LINE);
        json_number(j, "from", (double)b / RELIABILITY_BINS);
        json_number(j, "to", (double)(b + 1) / RELIABILITY_BINS);
        json_number(j, "rows", r.count[b]);
        json_number(j, "confidence", r.count[b] > 0 ? r.confidence[b] : NAN);
        json_number(j, "share", r.count[b] > 0 ? r.share[b] : NAN);
        json_number(j, "low", r.count[b] > 0 ? r.low[b] : NAN);
        json_number(j, "high", r.count[b] > 0 ? r.high[b] : NAN);
        json_end(j);
    }
    json_end(j);
}

static void json_confusion(json *j, const scores *s, int32_t only)
{
    size_t columns;
    double *weight = scores_confusion(s, &columns);

    (void)only;
    json_array(j, "classes", JSON_LINE);
    for (size_t c = 0; c < s->classes; c++)
        json_text(j, NULL, cr_model_class(s->model, c));
    json_end(j);
    json_bool(j, "undecided", columns > s->classes);
    json_array(j, "confusion", JSON_BLOCK);
    for (size_t c = 0; c < s->classes; c++)
        json_numbers(j, NULL, weight + c * columns, columns);
    json_end(j);
    free(weight);
}

/* --- the kinds -------------------------------------------------------------------------------- */

typedef int (*panel)(cr_figure *f, const scores *s, const char *title, int32_t only);
typedef void (*numbers)(json *j, const scores *s, int32_t only);

static int confusion_panel(cr_figure *f, const scores *s, const char *title, int32_t only)
{
    (void)only;
    return add_confusion(f, s, title);
}

/* MODEL [DATA...] after the name of the kind. */
static int judge(plot *p, const char *what, panel add, numbers say)
{
    const char *wanted = option_text(p->r, "class");
    char from[256], *title = NULL;
    int32_t only = -1;
    cr_model *model = NULL;
    scores s = {0};
    int code;

    if ((code = open_model(&model, p->r, 1)) != EXIT_DONE)
        return code;
    if (wanted != NULL)
        code = find_class(model, wanted, &only);
    if (code == EXIT_DONE)
        code = scores_read(&s, p->r, model, 2);
    if (code == EXIT_DONE) {
        title = plot_title(p->r, "%s of %s on %s", what, p->r->operands[1],
                           data_name(p->r, 2, from, sizeof from));
        code = add(p->figure, &s, title, only);
        free(title);
    }
    if (code == EXIT_DONE && p->r->json) {
        json_number(&p->j, "rows", s.total);
        say(&p->j, &s, only);
    }
    if (s.unlabelled > 0)
        note("%llu row%s without a class left out", (unsigned long long)s.unlabelled,
             plural(s.unlabelled));
    scores_free(&s);
    cr_model_free(model);
    return code;
}

int plot_roc(plot *p)
{
    return judge(p, "ROC", add_roc, json_roc);
}

int plot_precision_recall(plot *p)
{
    return judge(p, "Precision and recall", add_precision_recall, json_precision_recall);
}

int plot_reliability(plot *p)
{
    return judge(p, "Reliability", add_reliability, json_reliability);
}

int plot_confusion(plot *p)
{
    return judge(p, "Confusion", confusion_panel, json_confusion);
}
