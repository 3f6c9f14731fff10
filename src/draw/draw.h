/* draw/draw.h - the numbers of pictures, for programs; shared by all kinds. */
#ifndef CR_DRAW_DRAW_H
#define CR_DRAW_DRAW_H

#include <string.h>

#include "credence/draw.h"
#include "render/fields.h"

enum { CR__CURVES = 8 }; /* classes with a colour of their own */

/* A kind of curve: what it is called, and what its points are. */
typedef struct cr__sweep {
    cr_curve_kind kind;
    const char *area, *x, *y;
} cr__sweep;
extern const cr__sweep cr__roc_sweep, cr__pr_sweep;

/* The numbers as members of j, or into a sheet; either may be NULL. */
cr_status cr__sweep_numbers(cr_json *j, cr_sheet *sheet, const cr_scored *s, size_t only,
                            const cr__sweep *k, cr_error *err);
cr_status cr__reliability_numbers(cr_json *j, cr_sheet *sheet, const cr_scored *s, size_t only,
                                  cr_error *err);
cr_status cr__confusion_numbers(cr_json *j, cr_sheet *sheet, const cr_scored *s, cr_error *err);

void cr__scored_json(cr_json *j, const cr_scored *s);
void cr__coverage_json(cr_json *j, const cr_scored *s);
cr_status cr__feature_numbers(cr_json *j, const cr_model *model, size_t column,
                              const cr_values *values, size_t at, size_t bins, cr_error *err);
cr_status cr__means_numbers(cr_json *j, const cr_model *model, size_t width, size_t height,
                            cr_error *err);
cr_status cr__mistake_numbers(cr_json *j, const cr_model *model, const cr_mistake *m,
                              cr_error *err);
cr_status cr__words_numbers(cr_json *j, const cr_model *model, size_t column, size_t class_index,
                            size_t top, cr_error *err);
cr_status cr__network_numbers(cr_json *j, const cr_model *model, const char *condition,
                              cr_error *err);
cr_status cr__tree_numbers(cr_json *j, const cr_model *model, cr_error *err);

/* Read what a model loads only when it is asked: what it says of itself afterwards needs no memory,
 * so that nothing can be missing from a picture. CR_ENOMEM. */
cr_status cr__draw_ready(const cr_model *model, cr_error *err);

/* The last part of a path, which is enough of a name for a title; NULL when there is none. */
static inline const char *cr__short_name(const char *path, const char *otherwise)
{
    const char *slash = path == NULL ? NULL : strrchr(path, '/');

    if (path == NULL)
        return otherwise;
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Width of the bins of a histogram of x, which is sorted, and how many of them there are. */
double cr__bin_width(double *x, size_t n);
size_t cr__bins_between(double low, double high, double width);

#endif
