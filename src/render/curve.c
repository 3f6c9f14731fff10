/* render/curve.c - learning curves: quality against the number of rows learned. */
#include <math.h>

#include "eval/metric_table.h"
#include "render/results.h"

/* A metric of a point: where the point has its spread, and whether a table shows the interval. */
typedef struct measure {
    const char *key, *low, *high;
    size_t at;
    int numbers, interval;
} measure;

#define MEASURE(key, numbers, interval)                                                            \
    {                                                                                              \
#key, #key "_low", #key "_high", offsetof(cr_learning_point, key), numbers, interval       \
    }
static const measure measures[] = {MEASURE(accuracy, 0, 1), MEASURE(log_loss, 0, 1),
                                   MEASURE(rmse, 1, 1), MEASURE(r2, 1, 0),
                                   MEASURE(log_density, 1, 1)};

#define NAME(name)                                                                                 \
    {                                                                                              \
        name, NULL, 0, 0, 0                                                                        \
    }
static const cr__part parts[] = {NAME("repeats"),
                                 NAME("tested"),
                                 NAME("seconds"),
                                 NAME("points[]:"),
                                 NAME("learner"),
                                 NAME("size"),
                                 NAME("accuracy, accuracy_low, accuracy_high, log_loss, "
                                      "log_loss_low, log_loss_high (of numbers rmse, rmse_low, "
                                      "rmse_high, r2, r2_low, r2_high, log_density, "
                                      "log_density_low, log_density_high)"),
                                 NAME("parameters")};
const cr__result cr__curves_result = {"curve", parts, CR__COUNT_OF(parts)};

static cr_spread spread_of(const cr_learning_point *p, const measure *m)
{
    cr_spread s = *(const cr_spread *)((const char *)p + m->at);

    cr__spread_within(&s, cr_metric_find(m->numbers, m->key));
    return s;
}

static void point(cr_json *j, const char *name, const cr_learning_point *p, int numbers)
{
    cr_json_text(j, "learner", name);
    cr_json_number(j, "size", (double)p->size);
    for (size_t i = 0; i < CR__COUNT_OF(measures); i++) {
        const cr_spread s = spread_of(p, &measures[i]);

        if (measures[i].numbers != numbers)
            continue;
        cr_json_number(j, measures[i].key, s.mean);
        cr_json_number(j, measures[i].low, s.low);
        cr_json_number(j, measures[i].high, s.high);
    }
    cr_json_number(j, "parameters", p->parameters);
}

void cr_learning_point_json(cr_json *j, const char *name, const cr_learning_point *p, int numbers)
{
    point(j, name, p, numbers != 0);
}

cr_status cr_curves_json(const cr_learning_curve *const *curve, const char *const *name,
                         size_t count, double seconds, cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_number(&j, "repeats", (double)curve[0]->repeats);
    cr_json_number(&j, "tested", (double)curve[0]->tested);
    cr_json_number(&j, "seconds", seconds);
    cr_json_array(&j, "points", CR_JSON_BLOCK);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < curve[i]->points; k++) {
            cr_json_object(&j, NULL, CR_JSON_LINE);
            point(&j, name[i], &curve[i]->point[k], curve[i]->numbers != 0);
            cr_json_end(&j);
        }
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}

static void columns(cr_sheet *s, int numbers)
{
    cr__sheet_column(s, (cr_field){"learner", "learner", NULL, CR_SHOW_PLAIN, CR_FOR_ALL});
    cr__sheet_column(s, (cr_field){"size", "size", "rows learned", CR_SHOW_PLAIN, CR_FOR_ALL});
    for (size_t i = 0; i < CR__COUNT_OF(measures); i++) {
        const cr_metric *m = cr_metric_find(measures[i].numbers, measures[i].key);

        if (measures[i].numbers != numbers)
            continue;
        cr__sheet_column(s, (cr_field){m->key, m->title, m->meaning, m->show, CR_FOR_ALL});
        if (measures[i].interval) {
            cr__sheet_column(s, (cr_field){measures[i].low, "low", NULL, m->show, CR_FOR_ALL});
            cr__sheet_column(s, (cr_field){measures[i].high, "high", NULL, m->show, CR_FOR_ALL});
        }
    }
}

cr_status cr_curves_sheet(cr_sheet **out, const cr_learning_curve *const *curve,
                          const char *const *name, size_t count, cr_error *err)
{
    const int numbers = curve[0]->numbers != 0;
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    columns(*out, numbers);
    for (size_t c = 0; c < count; c++)
        for (size_t k = 0; k < curve[c]->points; k++) {
            const cr_learning_point *p = &curve[c]->point[k];

            cr__sheet_text(*out, name[c]);
            cr__sheet_number(*out, (double)p->size);
            for (size_t i = 0; i < CR__COUNT_OF(measures); i++) {
                const cr_spread s = spread_of(p, &measures[i]);

                if (measures[i].numbers != numbers)
                    continue;
                cr__sheet_number(*out, s.mean);
                if (measures[i].interval) {
                    cr__sheet_number(*out, s.low);
                    cr__sheet_number(*out, s.high);
                }
            }
        }
    return cr__sheet_done(out, err);
}
