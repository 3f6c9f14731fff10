/* stats/cross_lessons.h - cross products that lessons changed, so that they can be taken back.
 *
 * Products are rounded, so adding and subtracting them would leave a residue. What a model was
 * trained on is therefore kept as it was, and what lessons added to each sum beside it, without any
 * rounding; the sums that learners read are both together, rounded once. When all that was added is
 * taken back, nothing is left of it: the sums are those of the training, bit for bit, whatever the
 * order of lessons.
 */
#ifndef CR_STATS_CROSS_LESSONS_H
#define CR_STATS_CROSS_LESSONS_H

#include "base/exact.h"
#include "stats/cross.h"

/* Of one class with n terms: numbers for its count, its sums and the lower triangle of its products
 * by rows; with pairs, then the triangles of pair counts and pair products, and pair sums [n * n].
 */
struct cr__cross_lessons {
    int pairs, base_pairs; /* there are such numbers; and of the training */
    size_t cells;
    double *base;     /* [cells] of the training */
    cr__exact *added; /* [cells] by lessons */
};

size_t cr__cross_lesson_cells(size_t terms, int pairs);

/* Empty; NULL when out of memory. */
cr__cross_lessons *cr__cross_lessons_new(size_t terms, int pairs);
void cr__cross_lessons_free(cr__cross_lessons *lessons);

/* Statistics with the places of their terms and classes in others, as cr__cross_add() takes them.
 */
typedef struct cr__cross_side {
    const cr__cross *cross;
    const uint32_t *term, *class_of;
} cr__cross_side;

/* into = before + sign * lesson, where the lesson is added exactly. into and alone are laid out
 * alike and empty; alone becomes the lesson. */
cr_status cr__cross_change(cr__cross *into, cr__cross *alone, cr__cross_side before,
                           cr__cross_side lesson, int sign);

#endif
