/* credence/report.h - one page about a model and labelled rows, as HTML and as JSON.
 *
 * A report answers the rows of a source, measures the answers, explains the most confident mistakes
 * (of a regression: the predictions farthest off), ranks the features, and compares the rows with
 * those that the model learned from. The page is self-contained: pictures are inside, there are no
 * scripts, and every name is escaped.
 *
 * A report belongs to one thread at a time. It borrows the model, which must outlive it.
 */
#ifndef CREDENCE_REPORT_H
#define CREDENCE_REPORT_H

#include "credence/draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is a good choice. Texts are copied. */
typedef struct cr_report_options {
    size_t size;              /* sizeof(cr_report_options), or 0 */
    const char *model, *data; /* their names, such as paths; NULL: "the model", "the data" */
    size_t mistakes;          /* shown at most; 0: 8; SIZE_MAX: none */
    double level;             /* of a regression's intervals; 0: 0.95 */
    int read_once;            /* the source can be read only once: leave out reasons, histograms and
                               * drift */
    int allow_absent_columns;
} cr_report_options;

typedef struct cr_report cr_report;

/* Read the source, up to four times, and gather what the page shows. Without one (NULL) the page is
 * about the model alone: what it learned from, and its features. options and run may be NULL.
 * CR_EFORMAT: no row has a truth; CR_EARG: the options are wrong, or the model has no target; and
 * the statuses of cr_model_predict(). */
cr_status cr_report_new(cr_report **out, const cr_model *model, cr_source *source,
                        const cr_report_options *options, const cr_run *run, cr_error *err);
void cr_report_free(cr_report *report); /* NULL is allowed */

/* Why the mistakes are shown without reasons, as a text for people; NULL if they have reasons.
 * Borrowed. */
const char *cr_report_without_reasons(const cr_report *report);

/* Write the page. *drawn, which may be NULL, says what the pictures leave out. CR_ENOMEM, or the
 * first status of the output's write that is not CR_OK. */
cr_status cr_report_html(const cr_report *report, cr_output *out, cr_drawn *drawn, cr_error *err);

/* The metrics at the top of the page, and the mistakes with their reasons. name, such as the path
 * of the page, becomes the member "report"; NULL: there is none. */
cr_status cr_report_json(const cr_report *report, const char *name, cr_output *out);

#ifdef __cplusplus
}
#endif
#endif
