/* credence/plot.h - pictures of numbers: curves, matrices, surfaces, graphs.
 *
 * A cr_figure is a page of panels, side by side. Each cr_figure_add_...() draws one more panel from
 * arrays, which are only read during the call; nothing here knows of models or data.
 * cr_figure_save() then writes a file, SVG, PNG or PDF depending on its name. cr_figure_draw()
 * gives the bytes, and can also draw with characters for a terminal.
 *
 * SVG output is the same, byte for byte, on every machine. PNG and PDF need the cairo library at
 * build time, and network graphs need the Graphviz library; without them they are CR_EARG, and the
 * error says so. Colours are those of Okabe and Ito, which the colour-blind can tell apart. Lines
 * also differ in their dashes and points in their shape, so pictures can be printed in black.
 *
 * NaN in an array is a gap. Names are UTF-8 and may contain anything; names that are too long are
 * cut. A figure belongs to one thread at a time.
 */
#ifndef CREDENCE_PLOT_H
#define CREDENCE_PLOT_H

#include <stdint.h>

#include "credence/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_figure cr_figure;

/* An empty figure. */
cr_status cr_figure_new(cr_figure **out, cr_error *err);
void cr_figure_free(cr_figure *figure); /* NULL is allowed */

/* Set the size of the panels added from now on, in points (1/72 inch), and how many are side by
 * side (0: chosen automatically). The default is 420 by 330. CR_EARG: a size is outside 100 ...
 * 5000. */
cr_status cr_figure_layout(cr_figure *figure, double width, double height, size_t columns,
                           cr_error *err);

/* --- out ----------------------------------------------------------------------------------------
 */

typedef enum cr_picture_form {
    CR_PICTURE_AUTO = 0, /* by the name of the file */
    CR_PICTURE_SVG = 1,
    CR_PICTURE_PNG = 2,
    CR_PICTURE_PDF = 3,
    CR_PICTURE_TERMINAL = 4 /* Unicode characters, one panel below the other */
} cr_picture_form;

/* All zero is a good choice. */
typedef struct cr_picture {
    cr_picture_form form;
    double scale;   /* of PNG: pixels for a point; 0: 2 */
    size_t columns; /* of the terminal; 0: 80 */
    int colours;    /* of the terminal: 0, 256 or 1 << 24 */
} cr_picture;

/* The form that a file of this name would have; CR_PICTURE_AUTO if there is none. */
cr_picture_form cr_picture_form_of(const char *path);

/* Draw the panels added so far. *bytes is borrowed until the figure is drawn again or freed, and
 * ends in a NUL that is not part of *size. how may be NULL: SVG. CR_EARG: there is no panel, or the
 * form is not in this build. */
cr_status cr_figure_draw(cr_figure *figure, const cr_picture *how, const char **bytes, size_t *size,
                         cr_error *err);

/* The same into a file, all or nothing; "-" is standard output. */
cr_status cr_figure_save(cr_figure *figure, const char *path, const cr_picture *how, cr_error *err);

/* --- panels -------------------------------------------------------------------------------------
 */

typedef struct cr_axis {
    const char *label;
    double low, high; /* both 0: from the numbers */
    int log;
} cr_axis;

/* The title and axes of a panel. All may be zero. */
typedef struct cr_axes {
    const char *title;
    cr_axis x, y;
} cr_axes;

/* One curve: of a learner, of a class. */
typedef struct cr_series {
    const char *name;         /* NULL: not in the legend */
    const double *x, *y;      /* [count] */
    const double *low, *high; /* [count] a band around it; both or neither NULL */
    size_t count;
    int marks; /* draw a mark at each point */
    int loose; /* marks only, without a line: a scatter plot */
    int steps; /* y holds until the next x */
    int dim;   /* grey and thin: something to compare with */
} cr_series;

/* Curves: learning curves, scores of a search, densities. */
cr_status cr_figure_add_lines(cr_figure *figure, const cr_axes *axes, const cr_series *series,
                              size_t count, cr_error *err);

/* The same with a strip above the curves, which names intervals of the horizontal axis. */
typedef struct cr_strip {
    double low, high; /* may be infinite */
    const char *name;
    size_t colour; /* that of the series of this index; SIZE_MAX: none */
} cr_strip;
cr_status cr_figure_add_strips(cr_figure *figure, const cr_axes *axes, const cr_series *series,
                               size_t count, const cr_strip *strip, size_t strips, cr_error *err);

/* Learning curves: the measure against the size of the training set on a logarithmic axis, with
 * marks and bands. */
cr_status cr_figure_add_learning(cr_figure *figure, const char *title, const char *measure,
                                 const cr_series *series, size_t count, cr_error *err);

/* ROC curves (false positive rate, true positive rate) over the diagonal of guessing; and precision
 * against recall over the precision of guessing, which is the share of positives (0: not shown). */
cr_status cr_figure_add_roc(cr_figure *figure, const char *title, const cr_series *series,
                            size_t count, cr_error *err);
cr_status cr_figure_add_precision_recall(cr_figure *figure, const char *title, double share,
                                         const cr_series *series, size_t count, cr_error *err);

/* A reliability diagram: for the rows of each bin, the mean confidence, the share that was correct,
 * and their number. Bins without rows are left out. low and high (both may be NULL) are an interval
 * of the share. */
typedef struct cr_reliability {
    size_t bins;
    const double *confidence, *share, *count; /* [bins] */
    const double *low, *high;
    double error;   /* expected calibration error, printed below; NaN: not printed */
    const char *of; /* the class whose probability it is; NULL: that of the decision */
} cr_reliability;
cr_status cr_figure_add_reliability(cr_figure *figure, const char *title,
                                    const cr_reliability *reliability, cr_error *err);

/* A confusion matrix: weight[true * columns + decided]; columns is classes, or one more for rows
 * without a decision. Shaded by the share of each true class. */
cr_status cr_figure_add_confusion(cr_figure *figure, const char *title, const char *const *name,
                                  size_t classes, size_t columns, const double *weight,
                                  cr_error *err);

/* A histogram (height[i] between edge[i] and edge[i + 1]; may be absent) and a curve over it. */
typedef struct cr_density {
    const char *name;
    const double *edge, *height;
    size_t bins;
    const double *x, *y;
    size_t count;
} cr_density;
cr_status cr_figure_add_densities(cr_figure *figure, const cr_axes *axes, const cr_density *density,
                                  size_t count, cr_error *err);

/* Bars in groups: one group for each name, one bar in it for each set; value[set * names + name].
 */
cr_status cr_figure_add_bars(cr_figure *figure, const cr_axes *axes, const char *const *name,
                             size_t names, const char *const *set, size_t sets, const double *value,
                             cr_error *err);

/* Bars on both sides of zero, one below the other: weights of words, shares of an explanation. An
 * infinite bar is drawn longer than all others. negative and positive name the two sides. */
cr_status cr_figure_add_weights(cr_figure *figure, const cr_axes *axes, const char *negative,
                                const char *positive, const char *const *name, const double *weight,
                                size_t count, cr_error *err);

/* The density of a Dirichlet distribution of three outcomes, over the triangle of their shares. */
cr_status cr_figure_add_dirichlet(cr_figure *figure, const char *title, const char *const name[3],
                                  const double parameter[3], cr_error *err);

/* A Gaussian in two dimensions, by its centre and covariances. Its contours at one, two and three
 * standard deviations are drawn. */
typedef struct cr_ellipse {
    size_t class_index;
    double x, y;
    double xx, xy, yy;
} cr_ellipse;

/* A decision surface: the posterior of each class at points of a grid that reaches from low to high
 * on both axes, posterior[(row * columns + column) * classes + class], the lowest row first. All 0
 * at a point: no class is possible there. */
typedef struct cr_surface {
    size_t columns, rows, classes;
    const double *posterior;
    const char *const *name;    /* [classes] */
    const double *x, *y;        /* [points] of data */
    const int32_t *class_index; /* [points]; negative: not known */
    size_t points;
    const cr_ellipse *ellipse;
    size_t ellipses;
    const char *const *x_name; /* [x_names] words at 0, 1, 2 … instead of numbers */
    size_t x_names;            /* with words, the vertical axis runs downwards */
    const char *const *y_name;
    size_t y_names;
    const double *x_density; /* [classes * columns] density of each class at the points of the grid,
                              * drawn above the frame; NaN: a gap; NULL: nothing is drawn */
    const double *y_density; /* [classes * rows] the same, drawn to the right of the frame */
} cr_surface;

/* The axes must have limits. CR_EARG: a grid below 2 by 2 or above 1000 by 1000. */
cr_status cr_figure_add_surface(cr_figure *figure, const cr_axes *axes, const cr_surface *surface,
                                cr_error *err);

/* Numbers as an image, the upper row first: light is low, dark is high, white is NaN. CR_EARG: a
 * side of 0 or above 2000. */
typedef struct cr_image {
    size_t columns, rows;
    const double *value; /* [columns * rows] */
    double low, high;
} cr_image;
cr_status cr_figure_add_image(cr_figure *figure, const char *title, const cr_image *image,
                              cr_error *err);

/* A directed graph, laid out in layers. */
typedef struct cr_arc {
    size_t from, to;
    double strength;   /* 0 ... 1: how thick; 0 is thin */
    const char *label; /* may be NULL */
} cr_arc;
/* What a node shows below its name: lines with bars, such as one for each value. */
typedef struct cr_node_lines {
    size_t lines;
    const char *const *text; /* [lines] */
    const double *share;     /* [lines] 0 ... 1: how long the bar is, with a number of percent; NaN:
                                the text alone */
    size_t marked;           /* a highlighted line, such as an observed value; SIZE_MAX: none */
    size_t first_hue;        /* SIZE_MAX: all bars have one colour; otherwise line i that of class
                                first_hue + i */
} cr_node_lines;
typedef struct cr_network_picture {
    const char *const *name; /* [nodes] */
    size_t nodes;
    const cr_arc *arc;
    size_t arcs;
    size_t marked;              /* a highlighted node, such as the target; SIZE_MAX: none */
    const cr_node_lines *lines; /* [nodes], or NULL: names alone */
} cr_network_picture;
cr_status cr_figure_add_network(cr_figure *figure, const char *title,
                                const cr_network_picture *network, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
