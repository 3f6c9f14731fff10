/* cli/report/report.h - the parts of credence report: one page about a model and some data. */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include <stdio.h>

#include "credence/credence.h"
#include "credence/drift.h"
#include "credence/plot.h"
#include "options/options.h"
#include "out/table.h"
#include "plot/plot.h"

/* --- report_html.c: text into HTML ----------------------------------------------------------- */

/* Text as HTML, whatever is in it. */
void html_text(FILE *f, const char *text);

/* "<td>text</td>" and the like; class may be NULL. */
void html_cell(FILE *f, const char *element, const char *class_name, const char *text);

void html_number(FILE *f, char *(*picture)(char *buffer, double x), double x); /* a cell */
void html_bar(FILE *f, double share, double width); /* a cell; share -1 ... 1 of width, in em */

void html_open(FILE *f, const char *title); /* up to the heading */
void html_close(FILE *f);
void html_section(FILE *f, const char *id, const char *heading);

/* A table under names that are parted by |; those that begin with # head numbers. */
void html_heads(FILE *f, const char *names);
void html_end(FILE *f);
void html_table(FILE *f, const table *t); /* all of it, at once */

/* A large number and what it is. */
void html_tile(FILE *f, const char *number, const char *what);

/* A figure as inline SVG with a caption, unless code tells that it could not be made. The figure is
 * gone. The exit status. */
int html_figure(FILE *f, cr_figure *figure, int code, const char *caption);

/* --- report_mistakes.c: rows worth looking at --------------------------------------------- */

typedef struct reason {
    char *feature, *value;
    double adds; /* to the log-odds of the decision against the true class; or to a number */
} reason;

enum { REASONS = 6 };

typedef struct mistake {
    size_t row;  /* of the scores or the answers */
    double rank; /* posterior of the decision; or how far off a number is, in scales */
    reason reason[REASONS];
    size_t reasons;
    char *text; /* the beginning of the row's text; NULL when it has none */
} mistake;

typedef struct report {
    request *r;
    const cr_model *model;
    const cr_scored *scores;  /* of a model of classes, */
    const cr_scored *answers; /* or of one of numbers; the other one is NULL */
    cr_metrics metrics;
    cr_regression_metrics numbers;
    const cr_evaluation *evaluation;
    mistake *mistake;
    size_t mistakes;
    const cr_drift *drift;   /* or NULL */
    const cr_values *values; /* of the features drawn; rows may be 0 */
    size_t *feature;         /* the most telling first */
    size_t features;         /* drawn */
    double *moves;           /* [columns] by how much each moves a number on average, or NULL */
} report;

/* The up to `most` mistakes with the largest posterior, or those numbers that are farthest off. To
 * be freed with mistakes_free(). */
void mistakes_find(report *x, size_t most);
void mistakes_free(report *x);

/* Read DATA again and find why; and of numbers, which features move them. */
int mistakes_explain(report *x, size_t first);

/* Where a mistake stands, and among the rows of DATA from 0. */
size_t mistake_line(const report *x, const mistake *m);

/* --- the sections ------------------------------------------------------------------------------
 */

typedef struct part {
    const char *id;
    int (*put)(FILE *f, const report *x);
} part;

/* report_classes.c and report_numbers.c: the tiles at the top, the parts up to the mistakes (the
 * last one has no id), and what is said of a mistake. */
void put_class_tiles(FILE *f, const report *x);
extern const part class_parts[];
void put_class_mistake(FILE *f, const report *x, const mistake *m);

void put_number_tiles(FILE *f, const report *x);
extern const part number_parts[];
void put_number_mistake(FILE *f, const report *x, const mistake *m);
void put_number_notes(FILE *f, const report *x); /* what is to be known of the fit */

/* Columns that move a number, the strongest first; to be freed. */
size_t *moving_features(const report *x, size_t *count);

enum { ROWS_LISTED = 30 };

/* report_page.c */
int report_write(FILE *f, const report *x);

#endif
