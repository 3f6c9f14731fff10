/* cli/report.h - the parts of credence report: one page about a model and some data. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdio.h>

#include "credence/credence.h"
#include "credence/drift.h"
#include "credence/plot.h"
#include "options.h"
#include "plot.h"

/* --- report_html.c: text into HTML ----------------------------------------------------------- */

/* Text as HTML, whatever is in it. */
void html_text(FILE *f, const char *text);

/* "<td>text</td>" and the like; class may be NULL. */
void html_cell(FILE *f, const char *element, const char *class_name, const char *text);

void html_open(FILE *f, const char *title); /* up to the heading */
void html_close(FILE *f);
void html_section(FILE *f, const char *id, const char *heading);

/* A figure as inline SVG with a caption, and the figure is gone. */
int html_figure(FILE *f, cr_figure *figure, const char *caption);

/* --- report_mistakes.c: rows worth looking at --------------------------------------------- */

typedef struct reason {
    char *feature, *value;
    double odds; /* what it adds to the log-odds of the decision against the true class */
} reason;

enum { REASONS = 6 };

typedef struct mistake {
    size_t row;  /* of the scores */
    double sure; /* posterior of the decision */
    reason reason[REASONS];
    size_t reasons;
} mistake;

/* The up to `most` mistakes with the largest posterior, to be freed with mistakes_free(). */
mistake *mistakes_find(const scores *s, size_t most, size_t *count);
void mistakes_free(mistake *m, size_t count);

/* Read DATA again and find why. */
int mistakes_explain(mistake *m, size_t count, const scores *s, request *r, size_t first);

/* --- report_page.c: the sections -------------------------------------------------------------- */

typedef struct report {
    request *r;
    const cr_model *model;
    const scores *scores;
    cr_metrics metrics;
    const cr_evaluation *evaluation;
    const mistake *mistake;
    size_t mistakes;
    const cr_drift *drift; /* or NULL */
    const values *values;  /* of the features drawn; rows may be 0 */
    const size_t *feature;
    size_t features; /* drawn */
} report;

int report_write(FILE *f, const report *x);

#endif
