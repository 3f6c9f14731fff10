/* learners/naive_bayes/without.h - scores of rows as if each had not been learned. */
#ifndef CR_LEARNERS_NAIVE_BAYES_WITHOUT_H
#define CR_LEARNERS_NAIVE_BAYES_WITHOUT_H

#include "learners/naive_bayes/naive_bayes.h"

/* Real features: gaussian.c. Adds the log densities of a row to the scores of all classes, with the
 * row itself removed from its class; 0 where rounding would show, and the model must be
 * refitted. */
typedef struct cr__nb_reals cr__nb_reals;
cr_status cr__nb_reals_open(cr__nb_reals **out, const cr__stats *stats, const cr__knobs *knobs,
                            cr_error *err);
void cr__nb_reals_free(cr__nb_reals *reals);
int cr__nb_reals_without(cr__nb_reals *reals, const cr__batch *batch, size_t row,
                         size_t class_index, double weight, double *score);

/* The same samples, updated as rows are added to and removed from the statistics one by one. The
 * first prepares; the second adds or removes the numbers of a row, all or nothing (CR_ENOMEM); the
 * third reads the row's class from the statistics again and writes the five arrays of every real
 * column. */
cr_status cr__nb_reals_keep_up(cr__nb_reals *reals, const cr__stats *stats);
cr_status cr__nb_reals_take(cr__nb_reals *reals, const double *real, int sign);
void cr__nb_reals_write(cr__nb_reals *reals, const cr__stats *stats, const cr__knobs *knobs,
                        const double *real, size_t class_index, cr__nb_column *column);

/* Texts: without_text.c. CR_EARG for knobs with which a text changes more than its own counts. */
typedef struct cr__nb_texts cr__nb_texts;
cr_status cr__nb_texts_open(cr__nb_texts **out, const cr__nb_text *text, const cr__bag *bag,
                            const cr__knobs *knobs, cr_error *err);
void cr__nb_texts_free(cr__nb_texts *texts);
void cr__nb_texts_without(cr__nb_texts *texts, const uint32_t *word, size_t n, size_t class_index,
                          double *score);

extern const cr__leaves_one_out cr__nb_without;

#endif
