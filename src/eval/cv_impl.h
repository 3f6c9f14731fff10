/* eval/cv_impl.h - the internals of cr_cv. */
#ifndef CR_EVAL_CV_IMPL_H
#define CR_EVAL_CV_IMPL_H

#include "credence/cv.h"

struct cr_cv {
    cr_model *model; /* of all rows */
    size_t rows, folds, repeats, classes;
    uint64_t unlabelled;
    cr_cv_way way;
    double seconds;
    uint32_t *fold; /* [repeats * rows]; NULL when row r was left out alone */
    uint64_t *line; /* [rows]; NULL: the rows follow each other, from here on */
    uint64_t first_line;
    int32_t *truth; /* [rows] class of the model */
    double *weight; /* [rows], or NULL */
    double *score;  /* [repeats * rows * classes] log P(class, row) by a model without the row */
    cr_regression *regression; /* [repeats * rows] instead, for a regression: then there are no
                                * classes, and the truth is only in here */
};

/* The line of a row in its file. */
static inline uint64_t cr__cv_line(const cr_cv *cv, size_t row)
{
    return cv->line == NULL ? cv->first_line + row : cv->line[row];
}

/* The fold of a row. */
static inline size_t cr__cv_fold(const cr_cv *cv, size_t repeat, size_t row)
{
    return cv->fold == NULL ? row : cv->fold[repeat * cv->rows + row];
}

static inline const double *cr__cv_score(const cr_cv *cv, size_t repeat, size_t row)
{
    return cv->score + (repeat * cv->rows + row) * cv->classes;
}

/* Put every answer into the evaluation of all and into that of its fold, [repeats * folds]; either
 * may be NULL. CR_ENOMEM. */
cr_status cr__cv_evaluate_all(const cr_cv *cv, const cr_rule *rule, cr_evaluation *all,
                              cr_evaluation *const *fold, cr_error *err);

#endif
