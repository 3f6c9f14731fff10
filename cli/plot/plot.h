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

/* --- put.c: output ---------------------------------------------------------------------- */

/* Write a figure to the file of this name, or as characters to the terminal ("-"). */
int put_picture(cr_figure *figure, const char *path, const cr_picture *how);

/* A new figure; the command ends if memory runs out. */
cr_figure *new_figure(void);

/* Report why a panel could not be added, if it could not. */
int panel_added(cr_status status, const cr_error *err);

/* The last part of a path, used in titles. */
const char *path_end(const char *path);

/* The title given by --title, or else one formatted as by printf. Free it. */
char *plot_title(const request *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- read.c: rows for pictures ---------------------------------------------------------------- */

/* Answer all of DATA from an operand on, and keep the true values. keep_rows: keep each row of a
 * classifier. seconds may be NULL. Free the result either way. */
int scores_read(cr_scored *s, request *r, const cr_model *model, size_t first, bool keep_rows,
                double *seconds);

/* --- the kinds -------------------------------------------------------------------------------- */

typedef struct plot {
    request *r;
    cr_figure *figure;
    cr_json j; /* an object is open if r->cr_json */

    /* For a surface: the given models, and all operands are DATA; 0: operands name the models. */
    cr_model **model;
    const char **name;
    size_t models;
} plot;

/* Draw a kind. With --json or --csv also write its numbers, but only if everything succeeded. */
int draw_kind(plot *p, const char *kind, int (*draw)(plot *p));

int plot_model(plot *p); /* all kinds that the library draws: credence/draw.h */
int plot_surface(plot *p);
int plot_beta(plot *p);
int plot_dirichlet(plot *p);
int plot_curve(plot *p);
int plot_lines(plot *p);

#endif
