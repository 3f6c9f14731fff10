/* cli/show.h - a model laid open. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stdbool.h>

#include "credence/credence.h"

/* A feature and how much it tells about the class. */
typedef struct telling {
    size_t column;
    double bits; /* NaN: not known */
} telling;

typedef struct exhibit {
    const cr_model *model;
    const char *path;
    const telling *features; /* the most telling first */
    size_t feature_count;
    size_t top; /* features, classes and values shown to people; 0: all */
    bool one;   /* only one feature was asked for */
} exhibit;

/* For people. */
void show_model(const exhibit *x);
void show_feature(const exhibit *x, const telling *feature, bool counts);

/* For programs, complete. */
void show_json(const exhibit *x);
void show_csv(const exhibit *x);

#endif
