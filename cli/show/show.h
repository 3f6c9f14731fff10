/* cli/show/show.h - show a model. */
#ifndef CLI_SHOW_SHOW_H
#define CLI_SHOW_SHOW_H

#include <stdbool.h>

#include "credence/credence.h"
#include "options/options.h"

typedef struct exhibit {
    const cr_model *model;
    const char *path;
    const cr_feature_rank *features; /* the most informative first */
    size_t feature_count;
    const size_t *classes; /* in the order in which they are shown to people */
    size_t class_count;
    size_t class_limit; /* number shown; 0: all */
    size_t top;         /* features, and values and words of each, shown to people; 0: all */
    bool one;           /* only one feature was asked for */
    bool evidence;      /* ln P(data) was asked for, and its value */
    double log_evidence;
} exhibit;

/* For people. */
void show_model(const exhibit *x);
void show_feature(const exhibit *x, const cr_feature_rank *feature, bool counts);
void show_words(const exhibit *x, size_t column); /* the most informative words of a text */

/* The cells of a joint table, if they are few; nothing for other models. */
void show_cells(const exhibit *x);

/* Show the learned structure, if there is one. Returns whether there is nothing else to show. */
bool show_picture(const exhibit *x);

/* Print a note where a Gaussian does not fit a feature, if the model keeps the numbers. */
void show_misfit(const exhibit *x, size_t column);

/* The width that tables of show may use. */
size_t show_width(void);

/* At most this many; 0: all. */
size_t show_at_most(size_t count, size_t limit);

/* For programs, complete. JSON works for any model; level is that of a regression's intervals. */
int show_json(const request *r, const cr_model *model, double level);

#endif
