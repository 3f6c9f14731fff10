/* credence/draw.h - pictures of models and of their answers, as panels of a figure.
 *
 * cr_draw() makes the panels of one kind of picture from a model and, where the kind needs them,
 * from rows:
 *
 *     roc, pr, reliability, confusion          answers of a classifier next to the truth
 *     predicted, residuals, errors, coverage   answers of a regression next to the truth
 *     densities                                each feature by class, over histograms of the rows
 *     surface                                  what is decided over two features
 *     means                                    the mean of each number by class, as an image
 *     mistake                                  regions of decisions by one number, p(mistake)
 *     words                                    the words that speak for and against a class
 *     network                                  the graph of a Bayesian network, with beliefs
 *     tree                                     the questions of a decision tree
 *
 * The other functions add single panels, for custom pages. A figure is written with
 * cr_figure_draw() or cr_figure_save() (credence/plot.h).
 */
#ifndef CREDENCE_DRAW_H
#define CREDENCE_DRAW_H

#include "credence/linear.h"
#include "credence/mistake.h"
#include "credence/plot.h"
#include "credence/render.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- one kind of picture ---------------------------------------------------------------------- */

/* All zero is a good choice. */
typedef struct cr_draw_options {
    size_t size;              /* sizeof(cr_draw_options), or 0 */
    const char *title;        /* of every panel; NULL: made from the names below */
    const char *model, *data; /* their names, such as paths; NULL: "the model", "the data" */
    const char *class_name;   /* only this class; NULL: as many as fit */
    const char *feature;      /* only this feature; NULL: the most informative */
    size_t top;               /* how many features or words to draw; 0: 6 features, 20 words */
    size_t bins;              /* of histograms, at most 200; 0: as many as suit the rows */
    int allow_absent_columns;
    size_t width, height; /* for means: of an image or a slice; 0: one square image */
    const cr_rule *rule;  /* for mistake: how to decide; NULL: the most probable class */
    const char *x, *y; /* axes of a surface or of lines; y of lines may name several columns, "a,b".
                        * NULL: the most informative features, or the first two columns */
    const char *const *at; /* [ats] for a surface: "COLUMN=VALUE" for other features */
    size_t ats;
    const char *const *range; /* [ranges] for a surface: "COLUMN=LOW:HIGH" for an axis */
    size_t ranges;
    const char *by;        /* for lines: one line for each value of this column; NULL: none */
    int log_x;             /* for lines: the horizontal axis is logarithmic */
    const char *condition; /* for network: draw the beliefs given this condition as bars; "":
                            * without a condition; NULL: no beliefs */
    int margins; /* for a surface: draw p(x | class) and p(y | class) along the axes, the other
                  * features unknown, where the model has densities */
} cr_draw_options;

/* What a picture leaves out. */
typedef struct cr_drawn {
    uint64_t unlabelled;    /* rows without the target */
    size_t classes, drawn;  /* of the model, and how many of them are drawn */
    const char *no_density; /* a feature without a density, or NULL; borrowed from the model, or for
                             * a surface from x or y */
    size_t rows, every;     /* for a surface: only one row in `every` is drawn; 0: no rows */
} cr_drawn;

/* cr_draw_kind() names the kinds in the order above, NULL past the last. cr_draw_takes_rows() says
 * whether a kind uses rows: 0 never, 1 if there are any, 2 always; -1: there is no such kind. */
const char *cr_draw_kind(size_t index);
int cr_draw_takes_rows(const char *kind);

/* Add the panels of a kind. source may be NULL where the kind can do without rows. The numbers that
 * the picture shows become members of the object that is open in `numbers`. For roc, pr,
 * reliability and confusion they also make a sheet, which must be freed before the model; for other
 * kinds *sheet is NULL. options, run, numbers, sheet and drawn may be NULL. CR_EARG: there is no
 * such kind, or the model has nothing of the kind to draw. */
cr_status cr_draw(cr_figure *figure, const char *kind, const cr_model *model, cr_source *source,
                  const cr_draw_options *options, const cr_run *run, cr_json *numbers,
                  cr_sheet **sheet, cr_drawn *drawn, cr_error *err);

/* Surfaces of several classifiers side by side, over the same features. Unless the options name
 * features, those of the first model are used. names are [count] and may be NULL. source, options,
 * run, numbers and drawn may be NULL. */
cr_status cr_draw_surfaces(cr_figure *figure, cr_model *const *models, const char *const *names,
                           size_t count, cr_source *source, const cr_draw_options *options,
                           const cr_run *run, cr_json *numbers, cr_drawn *drawn, cr_error *err);

/* --- pictures without a model ----------------------------------------------------------------- */

/* Columns of a table against each other, as the options x, y, by and log_x say; and the learning
 * curves in a table as cr_curves_sheet() has it. options and numbers may be NULL. CR_EARG: there is
 * no such column. CR_EFORMAT: a value is not a number. CR_ELIMIT: there are more than 16 lines. */
cr_status cr_draw_lines(cr_figure *figure, cr_source *source, const cr_draw_options *options,
                        cr_json *numbers, cr_error *err);
cr_status cr_draw_learning(cr_figure *figure, cr_source *source, const cr_draw_options *options,
                           cr_json *numbers, cr_error *err);

/* Draw learning curves, [count], of learners on the same rows. data is the name of these rows. */
cr_status cr_draw_curves(cr_figure *figure, const char *data, const cr_learning_curve *const *curve,
                         const char *const *name, size_t count, cr_error *err);

/* What is known about shares, as beta distributions with the central 95 % shaded. */
typedef struct cr_beta_curve {
    const char *name; /* or NULL */
    double a, b;
} cr_beta_curve;

enum { CR_BETAS_DRAWN = 8 }; /* at most */

/* title and numbers may be NULL. CR_EARG: there are too many, or a parameter is not above 0. */
cr_status cr_draw_betas(cr_figure *figure, const char *title, const cr_beta_curve *share,
                        size_t count, cr_json *numbers, cr_error *err);

/* The same for a Dirichlet distribution: each share by itself and, if there are three, the triangle
 * of all. name and parameter are [count], 2 to CR_BETAS_DRAWN. */
cr_status cr_draw_dirichlet(cr_figure *figure, const char *title, const char *const *name,
                            const double *parameter, size_t count, cr_json *numbers, cr_error *err);

/* --- answers next to the truth ---------------------------------------------------------------- */

/* Rows that have a truth, with the model's answers. Members are read-only. */
typedef struct cr_scored {
    const cr_model *model;
    cr_evaluation *evaluation; /* of a classifier; otherwise NULL */
    cr_metrics metrics;        /* of a classifier: what the evaluation says */
    size_t rows;               /* kept one by one: always of a regression */
    double *confidence;        /* posterior of the decision */
    int32_t *truth, *decision; /* truth -2: a class that the model does not know */
    cr_regression *answer;     /* of a regression */
    double *weight;
    size_t *place, *line; /* the row's number in the data, from 0, and its line */
    size_t seen;          /* rows in all */
    uint64_t unlabelled;
    size_t room;
} cr_scored;

/* Answer all rows of a source. keep_rows keeps each row of a classifier as well. Free *out even
 * after a failure. CR_EFORMAT: no row has a truth. */
cr_status cr_scored_read(cr_scored *out, const cr_model *model, cr_source *source, int keep_rows,
                         int allow_absent_columns, const cr_run *run, cr_error *err);

/* Add one answer of a regression. CR_ENOMEM. */
cr_status cr_scored_add(cr_scored *scored, const cr_regression *answer, double weight, size_t line);
void cr_scored_free(cr_scored *scored);

/* cr_regression_place() is P(target <= truth) under the prediction. cr_regression_distance() is the
 * distance of the truth from the mean in units of the scale; infinite if the scale is 0. */
double cr_regression_place(const cr_regression *answer);
double cr_regression_distance(const cr_regression *answer);

/* --- panels ----------------------------------------------------------------------------------- */

/* Panels of an evaluation, for the class `only`, or for as many classes as fit (SIZE_MAX). *drawn
 * is the number of classes drawn; drawn may be NULL. */
cr_status cr_draw_roc(cr_figure *figure, const char *title, const cr_model *model,
                      const cr_evaluation *evaluation, size_t only, size_t *drawn, cr_error *err);
cr_status cr_draw_precision_recall(cr_figure *figure, const char *title, const cr_model *model,
                                   const cr_evaluation *evaluation, size_t only, size_t *drawn,
                                   cr_error *err);
cr_status cr_draw_reliability(cr_figure *figure, const char *title, const cr_model *model,
                              const cr_evaluation *evaluation, size_t only, cr_error *err);
cr_status cr_draw_confusion(cr_figure *figure, const char *title, const cr_model *model,
                            const cr_evaluation *evaluation, cr_error *err);

/* Panels of the answers of a regression, in this order: the truth against the prediction; the
 * residuals against the prediction; the residuals against x, [rows] of some column; the histogram
 * of the residuals under the predicted density; the share of truths within intervals of all levels;
 * the histogram of P(target <= truth), which should be flat. */
cr_status cr_draw_predicted(cr_figure *figure, const char *title, const cr_scored *scored,
                            cr_error *err);
cr_status cr_draw_residuals(cr_figure *figure, const char *title, const cr_scored *scored,
                            cr_error *err);
cr_status cr_draw_residuals_along(cr_figure *figure, const char *title, const cr_scored *scored,
                                  const double *x, const char *name, cr_error *err);
cr_status cr_draw_errors(cr_figure *figure, const char *title, const cr_scored *scored,
                         cr_error *err);
cr_status cr_draw_coverage(cr_figure *figure, const char *title, const cr_scored *scored,
                           cr_error *err);
cr_status cr_draw_places(cr_figure *figure, const char *title, const cr_scored *scored,
                         cr_error *err);

/* Columns of rows, by class. */
typedef struct cr_values {
    size_t columns, rows;
    double *value;        /* [rows * columns] NaN is missing; for a symbol, the index of its
                           * value */
    int32_t *class_index; /* [rows] -1: not known */
    size_t room;
} cr_values;

/* Read columns of the model's schema. Columns that the source lacks are missing. Free *out even
 * after a failure. */
cr_status cr_values_read(cr_values *out, const cr_model *model, cr_source *source,
                         const size_t *column, size_t columns, const cr_run *run, cr_error *err);
void cr_values_free(cr_values *values);

/* A number whose density has two humps within a class, so that one Gaussian fits badly. */
typedef struct cr_humps {
    size_t class_index;                    /* the first class that has two */
    double low, high;                      /* their centres */
    double right_with_one, right_with_two; /* share of the rows that the number alone classifies
                                            * correctly, with the model's Gaussians, and with two
                                            * Gaussians for such a class */
} cr_humps;

/* Whether column `at` of the values, which is column `column` of the model, has such humps, and
 * modelling them would classify 5 % more rows correctly. *found is 0 otherwise, and *out then has
 * no meaning. At most 50 classes are allowed. CR_EARG, CR_ENOMEM. */
cr_status cr_values_humps(const cr_values *values, size_t at, const cr_model *model, size_t column,
                          cr_humps *out, int *found, cr_error *err);

/* One feature by class: densities, over histograms of the column at `at` of values (which may be
 * NULL), or P(value | class). *drawn is 0 where it has no density to draw. */
cr_status cr_draw_feature(cr_figure *figure, const char *title, const cr_model *model,
                          size_t column, const cr_values *values, size_t at, size_t bins,
                          int *drawn, cr_error *err);

/* An image for each class. It shows the means of the real features in their order, row by row, and
 * slice by slice if there are more features than one image holds. width and height 0: one square
 * image. CR_EARG: the features do not fill images of that size. */
cr_status cr_draw_means(cr_figure *figure, const char *title, const cr_model *model, size_t only,
                        size_t width, size_t height, size_t *drawn, cr_error *err);

/* The joint densities p(x, Ck) with the regions of decisions, and the mistakes shaded. */
cr_status cr_draw_mistake(cr_figure *figure, const char *title, const cr_model *model,
                          const cr_mistake *mistake, cr_error *err);

/* The `top` words of a text that speak most for a class and, of two classes, against it. */
cr_status cr_draw_words(cr_figure *figure, const char *title, const cr_model *model, size_t column,
                        size_t class_index, size_t top, cr_error *err);

/* The graph of a network. An arc is thicker the more the parent changes the distribution of its
 * child. */
cr_status cr_draw_network(cr_figure *figure, const char *title, const cr_model *model,
                          cr_error *err);

/* The same with a bar for each value of each node: P(value | condition), as in credence/query.h;
 * NULL: no condition. Nodes that the condition fixes are highlighted. Statuses are those of
 * cr_query_run(). */
cr_status cr_draw_beliefs(cr_figure *figure, const char *title, const cr_model *model,
                          const char *condition, cr_error *err);

/* A decision tree: what each node asks, and the share of each class among the rows that reach
 * it. */
cr_status cr_draw_tree(cr_figure *figure, const char *title, const cr_model *model, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
