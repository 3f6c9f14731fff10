/* train/advice.h - notes about columns and classes, from statistics or from rows. */
#ifndef CR_TRAIN_ADVICE_H
#define CR_TRAIN_ADVICE_H

#include "credence/model.h"
#include "data/discretise.h"
#include "source/source.h"
#include "stats/stats.h"

#define CR__TELLS_ALL 0.99 /* share of the rows that a column predicts correctly */

enum { CR__ADVICE_ROWS_LEAST = 50 };

/* The share of rows whose class is the commonest one of their value, [values * classes], among rows
 * that have a value. A value of a single row is uninformative about others: it counts as wrong. 0
 * where there are too many values for so many rows, or too few rows. */
double cr__values_tell(const double *cell, size_t values, size_t classes, double rows);

/* Intervals that separate the classes, and their accuracy. */
double cr__intervals_tell(const cr__spread *spread, double rows);

/* Whether a column that determines the class would be worth a note: count [classes] of the rows. */
int cr__may_leak(const cr_schema *schema, const double *count, size_t classes);

/* Name a column that tells at least CR__TELLS_ALL. */
void cr__note_leak(cr_source *source, const char *column, double told, int at_least);

/* Name the classes of a few rows, by their numbers of rows. */
void cr__note_rare(cr_source *source, const cr__dict *dict, const double *count, size_t classes);

/* Both from statistics alone, once for each source; not where its rows are in memory, which those
 * who read them have looked at. */
void cr__stats_notes(const cr__stats *stats, cr_source *source);

/* The same of a model that has learned a lesson from a source. Of a few rows nobody asks that. */
void cr__lesson_notes(const cr_model *model, const cr_tally *tally, cr_source *source);

#endif
