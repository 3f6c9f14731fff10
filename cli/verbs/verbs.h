/* cli/verbs/verbs.h - what the command can do: one row for each verb.
 *
 * A verb is one file with its words, its options and its function, and one row in verbs.c. The
 * same table drives dispatch, help, man pages and completions.
 */
#ifndef CLI_VERBS_VERBS_H
#define CLI_VERBS_VERBS_H

#include "options/options.h"

typedef struct example {
    const char *command, *comment;
} example;

typedef struct verb {
    const char *name;
    const char *operands;               /* "MODEL [DATA...]" */
    size_t least, most;                 /* how many operands */
    const char *summary;                /* half a sentence */
    const char *const *about;           /* paragraphs, up to NULL */
    const option_group *const *options; /* besides common_options, up to NULL */
    const example *examples;            /* up to a NULL command */
    const char *see_also;               /* other verbs, separated by blanks */
    const char *const *exits; /* what exit status 0, 1 ... mean, up to NULL; NULL: as usual */
    int failure;              /* exit status of any failure; 0: as usual */
    int (*run)(request *r);   /* the exit status */
} verb;

extern const verb verb_train, verb_predict, verb_test, verb_learn, verb_unlearn, verb_merge,
    verb_refit, verb_show, verb_explain, verb_query, verb_convert, verb_estimate, verb_hypotheses,
    verb_filter, verb_help;
extern const verb verb_independence;
extern const verb verb_impute, verb_split, verb_store;
extern const verb verb_compare, verb_combine, verb_plot, verb_drift, verb_report;
extern const verb verb_cv, verb_calibrate, verb_curve, verb_tune;
extern const verb verb_structure, verb_sample, verb_decide;

/* The verb at an index of the table, NULL past the last; and by its name. */
const verb *verb_at(size_t index);
const verb *verb_find(const char *name);

/* The name of the verb closest to the given text, or NULL. */
const char *verb_nearest(const char *typed);

#endif
