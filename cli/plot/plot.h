/* cli/plot/plot.h - the parts of credence plot, and what other verbs need to draw.
 *
 * A kind of picture adds panels to a figure and, where JSON is asked for, writes the numbers that
 * they show. Functions that return int give EXIT_DONE, or an exit status after having told the
 * user.
 */
#ifndef CLI_PLOT_PLOT_H
#define CLI_PLOT_PLOT_H

#include <stdbool.h>

#include "credence/credence.h"
#include "credence/plot.h"
#include "options/options.h"
#include "out/json.h"

/* --- put.c: out of the door ------------------------------------------------------------- */

/* Write a figure: to a file by its name, or in characters to the terminal ("-"). */
int put_picture(cr_figure *figure, const char *path, const cr_picture *how);

/* The figure, or the end of the command. */
cr_figure *new_figure(void);

/* Tell why a panel could not be added, if so. */
int panel_added(cr_status status, const cr_error *err);

/* EXIT_DONE for a model of classes. */
int check_classes(const cr_model *model);

/* The title asked for with --title, or one made like printf's; to be freed. */
char *plot_title(const request *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Predict all of DATA from an operand on into a sink; the target must be there. The seconds that it
 * took may be NULL. */
int predict_all(request *r, const cr_model *model, size_t first, const cr_sink *sink,
                double *seconds);

/* --- scores.c: answers next to the truth ------------------------------------------------------ */

typedef struct scores {
    const cr_model *model;
    cr_evaluation *evaluation;
    cr_metrics metrics;
    bool keep; /* each row, as follows */
    size_t rows, room;
    double *confidence;        /* posterior of the decision */
    int32_t *truth, *decision; /* truth -2: a class that the model does not know */
    size_t *place, *line;      /* the row's number in DATA, from 0, and its line */
    size_t seen;               /* rows in all */
    uint64_t unlabelled;
} scores;

/* Predict all of DATA from an operand on and judge the answers of rows that have a class. To be
 * freed either way. */
int scores_read(scores *s, request *r, const cr_model *model, size_t first, bool keep_rows);
void scores_free(scores *s);

/* Names of the classes, to be freed (not the names). */
const char **class_names(const cr_model *model);

/* Panels of one evaluation; of the class `only`, or of all that there is room for (SIZE_MAX). */
int add_roc(cr_figure *f, const cr_model *model, const cr_evaluation *e, const char *title,
            size_t only);
int add_precision_recall(cr_figure *f, const cr_model *model, const cr_evaluation *e,
                         const char *title, size_t only);
int add_reliability(cr_figure *f, const cr_model *model, const cr_evaluation *e, const char *title,
                    size_t only);
int add_confusion(cr_figure *f, const cr_model *model, const cr_evaluation *e, const char *title);

/* --- numbers.c: numbers next to the truth ------------------------------------------------ */

typedef struct answers {
    size_t rows, room;
    cr_regression *answer; /* [rows] each with a truth */
    double *weight;
    size_t *place, *line; /* as those of scores */
    size_t seen;
    uint64_t unlabelled;
} answers;

/* As scores_read(), of a model of numbers. seconds may be NULL. */
int answers_read(answers *a, request *r, const cr_model *model, size_t first, double *seconds);
void answers_add(answers *a, const cr_regression *answer, double weight, size_t line);
void answers_free(answers *a);

/* How far the truth is from the mean, in scales; infinite where there is no scale. */
double answer_distance(const cr_regression *f);

/* P(target <= truth), by what was predicted. */
double answer_place(const cr_regression *f);

enum { COVERAGE_LEVELS = 20 };

/* The share of truths that lie in intervals of the levels 0, 0.05 … 1, with Wilson's 95 %. */
typedef struct coverage {
    double level[COVERAGE_LEVELS + 1], share[COVERAGE_LEVELS + 1];
    double low[COVERAGE_LEVELS + 1], high[COVERAGE_LEVELS + 1];
} coverage;
void answers_coverage(const answers *a, coverage *out);

/* Panels: the truth, and what is left of it, against the prediction; what is left against x, [rows]
 * of some column; its histogram under what was predicted of it; the share of truths that lie in
 * intervals of all levels; the histogram of P(target <= truth), which should be flat. */
int add_predicted(cr_figure *f, const answers *a, const char *title);
int add_residuals(cr_figure *f, const answers *a, const char *title);
int add_residuals_along(cr_figure *f, const answers *a, const double *x, const char *name,
                        const char *title);
int add_errors(cr_figure *f, const answers *a, const char *title);
int add_coverage(cr_figure *f, const answers *a, const char *title);
int add_places(cr_figure *f, const answers *a, const char *title);

/* --- values.c: columns of the data, by class ------------------------------------------- */

typedef struct values {
    size_t columns; /* how many were asked for */
    size_t rows, room;
    double *value;        /* [rows * columns] NaN is missing */
    int32_t *class_index; /* [rows] -1: not known */
} values;

/* Read real columns of the model's schema from DATA. */
int values_read(values *v, request *r, const cr_model *model, size_t first, const size_t *column,
                size_t columns);
void values_free(values *v);

/* --- the kinds -------------------------------------------------------------------------------- */

typedef struct plot {
    request *r;
    cr_figure *figure;
    json j;              /* a block is open when r->json */
    struct table *table; /* the same numbers when r->csv; otherwise NULL */

    /* Of a surface: models that are at hand, and all operands are DATA; 0: operands name them. */
    cr_model **model;
    const char **name;
    size_t models;
} plot;

/* Draw a kind; with --json or --csv its numbers are written too, but only when all went well. */
int draw_kind(plot *p, const char *kind, int (*draw)(plot *p));
bool wants_numbers(const plot *p);

int plot_roc(plot *p);
int plot_precision_recall(plot *p);
int plot_reliability(plot *p);
int plot_confusion(plot *p);
int plot_predicted(plot *p);
int plot_residuals(plot *p);
int plot_errors(plot *p);
int plot_coverage(plot *p);
int plot_densities(plot *p);
int plot_words(plot *p);
int plot_surface(plot *p);
int plot_network(plot *p);
int plot_beta(plot *p);
int plot_dirichlet(plot *p);
int plot_curve(plot *p);
int plot_lines(plot *p);

/* Panels that a report has too: one feature by class; the words for a class. histogram may have no
 * rows; its column is the one at `at`. */
int add_feature(cr_figure *f, const cr_model *model, size_t column, const values *histogram,
                size_t at, size_t bins, const char *title);
int add_words(cr_figure *f, const cr_model *model, size_t column, size_t class_index, size_t top,
              const char *title);

/* Bins of a histogram from low to high, by D. Freedman and P. Diaconis; x is sorted. */
double bin_width(double *x, size_t n);
size_t bins_between(double low, double high, double width);

/* Features, the most telling first; to be freed. */
size_t *telling_features(const cr_model *model, size_t *count);

#endif
