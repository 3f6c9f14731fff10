/* cli/evaluate/numbers.c - the figures of answers that are numbers. */
#include "evaluate/numbers.h"

#include <math.h>

#include "out/out.h"
#include "out/text.h"

const figure number_figures[NUMBER_FIGURES] = {
    {"rmse", "RMSE", "root of the mean squared error", offsetof(cr_regression_metrics, rmse),
     number_plain, 0, INFINITY},
    {"mae", "MAE", "mean absolute error", offsetof(cr_regression_metrics, mae), number_plain, 0,
     INFINITY},
    {"r2", "R²", "share of the variance that is explained", offsetof(cr_regression_metrics, r2),
     number_plain, -INFINITY, 1},
    {"bias", "bias", "mean of prediction less truth", offsetof(cr_regression_metrics, bias),
     number_plain, -INFINITY, INFINITY},
    {"log_density", "log density", "mean of ln p(truth)",
     offsetof(cr_regression_metrics, log_density), number_plain, -INFINITY, INFINITY},
    {"coverage", "coverage", NULL, offsetof(cr_regression_metrics, coverage), number_plain, 0, 1},
    {"width", "width", "of these intervals, on average", offsetof(cr_regression_metrics, width),
     number_plain, 0, INFINITY},
};

/* What is left of a bias by rounding is none. */
double shown_figure(const cr_regression_metrics *m, const figure *f)
{
    const double x = figure_of(m, f);

    return f->at == offsetof(cr_regression_metrics, bias) && fabs(x) < 1e-12 * m->rmse ? 0 : x;
}

void numbers_json(json *j, const cr_regression_metrics *m)
{
    json_number(j, "rows", m->rows);
    for (size_t f = 0; f < NUMBER_FIGURES; f++) {
        if (number_figures[f].at == offsetof(cr_regression_metrics, coverage))
            json_number(j, "level", m->level);
        json_number(j, number_figures[f].key, figure_of(m, &number_figures[f]));
    }
}

table *numbers_table(const cr_regression_metrics *m)
{
    table *t = table_new();
    char coverage[80], people[NUMBER_ROOM], programs[NUMBER_ROOM];

    snprintf(coverage, sizeof coverage, "share of truths inside their %g %% interval",
             m->level * 100);
    table_column(t, "measure", TABLE_LEFT);
    table_column(t, "value", TABLE_RIGHT);
    table_column(t, "meaning", TABLE_LEFT);
    for (size_t f = 0; f < NUMBER_FIGURES; f++) {
        const figure *one = &number_figures[f];

        table_text(t, one->title);
        table_both(t, one->picture(people, shown_figure(m, one)),
                   number_exact(programs, figure_of(m, one)));
        table_text(t, one->meaning == NULL ? coverage : one->meaning);
    }
    return t;
}

void spread_within(cr_spread *s, double least, double most)
{
    if (s->low < least)
        s->low = least;
    if (s->high > most)
        s->high = most;
}

void table_spread(table *t, char *(*picture)(char *buffer, double x), const cr_spread *s,
                  double least, double most)
{
    cr_spread cut = *s;

    spread_within(&cut, least, most);
    table_number(t, picture, cut.mean);
    table_number(t, picture, cut.low);
    table_number(t, picture, cut.high);
}

void spread_json(json *j, const char *key, const cr_spread *s)
{
    json_object(j, key, JSON_LINE);
    json_number(j, "mean", s->mean);
    json_number(j, "sd", s->deviation);
    json_number(j, "low", s->low);
    json_number(j, "high", s->high);
    json_end(j);
}

int check_no_rule(const request *r, const char *learner)
{
    static const char *const options[] = {"cost", "reject", "priors"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (option_given(r, options[i]))
            return misuse(NULL, "--%s is about classes, and %s predicts a number", options[i],
                          learner);
    return EXIT_DONE;
}
