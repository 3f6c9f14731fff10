/* data/discretise.h - where to cut a real column into intervals: rules that find the cuts.
 *
 *   width:K       K intervals of equal width; width alone chooses K by leave-one-out
 *   frequency:K   K intervals with about equally many rows; frequency alone: 10
 *   sqrt          about √n intervals of about √n rows each (Yang & Webb 2001, "Proportional
 *                 k-interval discretization for naive-Bayes classifiers")
 *   mdl           the cuts that separate the classes, as many as are worth their description
 *                 (Fayyad & Irani 1993, "Multi-interval discretization of continuous-valued
 *                 attributes for classification learning")
 *   auto          mdl where there are classes, frequency:5 otherwise
 *
 * All use only the distinct numbers of the column and how often each occurs in each class.
 */
#ifndef CR_DATA_DISCRETISE_H
#define CR_DATA_DISCRETISE_H

#include "data/bins.h"

/* The numbers of a column, ascending; a number that occurs in several classes comes once for
 * each. */
typedef struct cr__spread {
    size_t entries, classes;
    double *value;      /* [entries] */
    uint32_t *class_of; /* [entries] */
    double *count;      /* [entries] above 0 */
} cr__spread;

void cr__spread_free(cr__spread *spread);

typedef enum cr__cut_rule_kind {
    CR__CUT_NONE,
    CR__CUT_WIDTH,
    CR__CUT_FREQUENCY,
    CR__CUT_SQRT,
    CR__CUT_MDL,
    CR__CUT_AUTO
} cr__cut_rule_kind;

/* n log2 n of whole numbers: most counts are integers, and each is needed many times. */
typedef struct cr__cut_logs {
    size_t count;
    double *n_log_n; /* [count] */
} cr__cut_logs;      /* {0} is empty; free n_log_n */

/* For the counts of up to this many rows, as far as a table of them pays. CR_ENOMEM. */
cr_status cr__cut_logs_make(cr__cut_logs *out, double rows);

typedef struct cr__cut_rule {
    cr__cut_rule_kind kind;
    size_t bins;              /* of width and frequency; 0: chosen */
    const cr__cut_logs *logs; /* for mdl, where many columns are cut; NULL: made for each */
} cr__cut_rule;

#define CR__CUT_BINS_MOST 65536

/* Read a rule. Returns 0 when the text is not a rule, -1 when it is one with an invalid number. */
int cr__cut_rule_read(cr__cut_rule *out, const char *text);

/* The cuts a rule makes; none where all numbers are equal. Cuts lie halfway between numbers that
 * occur, except those of equal width. Free it even after CR_ENOMEM. */
cr_status cr__cut(cr__cuts *out, const cr__spread *spread, cr__cut_rule rule);

/* The rule of Fayyad and Irani: mdl.c. */
cr_status cr__cut_mdl(cr__cuts *out, const cr__spread *spread, const cr__cut_logs *logs);

/* Between two neighbouring numbers; at least a, below b. */
double cr__cut_between(double a, double b);

#endif
