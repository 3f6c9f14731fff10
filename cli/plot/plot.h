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

/* The last part of a path: enough of a name for a title. */
const char *path_end(const char *path);

/* The title asked for with --title, or one made like printf's; to be freed. */
char *plot_title(const request *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- read.c: rows for pictures ---------------------------------------------------------------- */

/* Answer all of DATA from an operand on, next to the truth. keep_rows: each row of a classifier.
 * The seconds that it took may be NULL. To be freed either way. */
int scores_read(cr_scored *s, request *r, const cr_model *model, size_t first, bool keep_rows,
                double *seconds);

/* --- the kinds -------------------------------------------------------------------------------- */

typedef struct plot {
    request *r;
    cr_figure *figure;
    cr_json j; /* a block is open when r->cr_json */

    /* Of a surface: models that are at hand, and all operands are DATA; 0: operands name them. */
    cr_model **model;
    const char **name;
    size_t models;
} plot;

/* Draw a kind; with --json or --csv its numbers are written too, but only when all went well. */
int draw_kind(plot *p, const char *kind, int (*draw)(plot *p));

int plot_model(plot *p); /* all that the library draws: credence/draw.h */
int plot_surface(plot *p);
int plot_beta(plot *p);
int plot_dirichlet(plot *p);
int plot_curve(plot *p);
int plot_lines(plot *p);

#endif
