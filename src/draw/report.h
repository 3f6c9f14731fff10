/* draw/report.h - the parts of a report: what it knows, HTML, and its sections. */
#ifndef CR_DRAW_REPORT_H
#define CR_DRAW_REPORT_H

#include "base/buffer.h"
#include "credence/report.h"

enum { CR__REASONS = 6, CR__FEATURES_DRAWN = 4, CR__ROWS_LISTED = 30 };

typedef struct cr__reason {
    char *feature, *value;
    double adds; /* to the log-odds of the decision against the true class; or to a number */
} cr__reason;

typedef struct cr__mistake {
    size_t row;  /* of the answers */
    double rank; /* posterior of the decision; or how far off a number is, in scales */
    cr__reason reason[CR__REASONS]; /* the strongest first */
    size_t reasons;
    char *text; /* the beginning of the row's text; NULL when it has none */
} cr__mistake;

struct cr_report {
    const cr_model *model;
    char *model_name, *data_name;
    cr_report_options how;
    int judged; /* there are rows; otherwise the page is about the model alone */
    cr_scored scored;
    cr_regression_metrics numbers; /* of a regression */
    cr__mistake *mistake;          /* [mistakes] the worst first */
    size_t mistakes;
    cr_drift *drift;       /* or NULL */
    cr_values values;      /* of the features that are drawn; rows may be 0 */
    double *moves;         /* [columns] by how much each moves a number on average, or NULL */
    cr_feature_rank *rank; /* [ranked] numbers and symbols by information or influence */
    size_t ranked;
    size_t feature[CR__FEATURES_DRAWN]; /* [features] those of them that are drawn */
    size_t features;
    char *no_reasons; /* why there are none; NULL: there are */
};

/* --- report_mistakes.c ------------------------------------------------------------------------ */

/* The mistakes with the largest posterior, or the numbers that are farthest off. */
cr_status cr__mistakes_find(cr_report *r, size_t most, cr_error *err);
void cr__mistakes_free(cr_report *r);

/* Read the source again to explain them; and for numbers, find which features influence them. */
cr_status cr__mistakes_explain(cr_report *r, cr_source *source, cr_error *err);

/* --- report_html.c: text into HTML ------------------------------------------------------------ */

/* A page being written. */
typedef struct cr__report_page {
    cr_output *out;
    const cr_report *report;
    cr_drawn drawn;
    cr_error *err;
} cr__report_page;

void cr__html(cr__report_page *p, const char *markup); /* unescaped */
CR_PRINTF_LIKE(2, 3)
void cr__html_format(cr__report_page *p, const char *format, ...); /* markup, up to 300 bytes */
void cr__html_text(cr__report_page *p, const char *text);          /* escaped as text */

/* "<td>text</td>" and the like; class_name may be NULL. */
void cr__html_cell(cr__report_page *p, const char *element, const char *class_name,
                   const char *text);
void cr__html_number(cr__report_page *p, cr_show show, double x);  /* a cell */
void cr__html_bar(cr__report_page *p, double share, double width); /* a cell; in em */
void cr__html_tile(cr__report_page *p, const char *number, const char *what);

void cr__html_open(cr__report_page *p, const char *title); /* up to the heading */
void cr__html_close(cr__report_page *p);
void cr__html_section(cr__report_page *p, const char *id, const char *heading);

/* A table with headings separated by |; those that begin with # are for numbers. */
void cr__html_heads(cr__report_page *p, const char *names);
void cr__html_end(cr__report_page *p);
void cr__html_sheet(cr__report_page *p, const cr_sheet *sheet); /* a whole table at once */

/* A figure as inline SVG with a caption, if st is CR_OK. The figure is freed. */
cr_status cr__html_figure(cr__report_page *p, cr_figure *figure, cr_status st, const char *caption);

/* --- the sections ----------------------------------------------------------------------------- */

/* What is specific to a kind of model: tiles at the top, sections up to the mistakes (the last one
 * has no id), and what is said of a mistake and of the fit. */
typedef struct cr__report_kind {
    void (*tiles)(cr__report_page *p);
    struct {
        const char *id;
        cr_status (*put)(cr__report_page *p);
        int alone; /* it needs no rows */
    } section[5];
    const char *mistakes, *about_mistakes, *adds; /* the heading, what to know, what reasons add */
    cr_show show;                                 /* of what a reason adds */
    void (*mistake)(cr__report_page *p, const cr__mistake *m);
    void (*notes)(cr__report_page *p);
} cr__report_kind;
extern const cr__report_kind cr__report_classes, cr__report_regression;

#endif
