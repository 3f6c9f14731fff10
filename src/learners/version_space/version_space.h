/* learners/version_space/version_space.h - the hypotheses that are right on every row.
 *
 * S is the most specific of them, G are the most general. A hypothesis has a condition for each
 * feature: a symbol must have a value, or may have any; a number must lie in an interval, closed in
 * S and open in G, where it may be unbounded.
 *
 * Between S and G a hypothesis has a place on each side: a symbol has one side, with the places
 * "requires the value" and "accepts any"; a number has two, below and above S, whose places are the
 * gaps between the values of rows outside S, and the last of them is unbounded. So hypotheses are
 * points of a product of sides, counted from S on, and those that are right are a union of boxes,
 * one for each of G.
 */
#ifndef CR_LEARNERS_VERSION_SPACE_VERSION_SPACE_H
#define CR_LEARNERS_VERSION_SPACE_VERSION_SPACE_H

#include "model/learner.h"

enum {
    CR__SPACE_ANY = 0,
    CR__SPACE_GENERAL_MOST = 4096, /* in G */
    CR__SPACE_COUNTED_MOST = 20    /* sides that G restricts */
};

typedef struct cr__restraint {
    uint32_t code;    /* of a symbol, or CR__SPACE_ANY */
    double low, high; /* of a number */
} cr__restraint;

/* Numbers of rows outside S, in order and without repetition. */
typedef struct cr__outside {
    double *value;
    size_t count, capacity;
    size_t below; /* how many of them lie below S */
} cr__outside;

typedef struct cr__space {
    size_t features, columns;
    size_t positive;        /* class */
    size_t *column;         /* [features] of the schema */
    unsigned char *number;  /* [features] it is a number */
    cr__restraint *special; /* [features] S */
    cr__restraint *general; /* [generals * features] G */
    size_t generals, general_capacity;
    cr__outside *outside; /* [features] */
    uint64_t left_out;    /* rows that lack a value */

    /* For the votes, made by cr__space_prepare(): the sides that G restricts. */
    size_t sides;
    struct {
        size_t feature;
        int above; /* of a number: above S, not below */
    } side[CR__SPACE_COUNTED_MOST];
    double *place; /* [generals * sides] how far each of G reaches */
    double volume; /* of their union */
} cr__space;

static inline int cr__outside_special(const cr__restraint *s, double x)
{
    return x < s->low || x > s->high;
}

/* Whether a of G covers everything that S or b covers. */
int cr__space_is_more_general(const cr__space *v, const cr__restraint *a, const cr__restraint *b);

/* The features of a schema; CR_EARG: a text is one of them. */
cr_status cr__space_lay(cr__space *v, const cr_schema *schema, cr_error *err);
void cr__space_free(void *fitted);

/* CR_ELIMIT: there are too many sides, or hypotheses of G, for votes to be counted. */
cr_status cr__space_prepare(cr__space *v, cr_error *err);

/* --- space_file.c --- */

void cr__space_save(const void *fitted, cr__draft *draft);
cr_status cr__space_open(void **fitted, const cr__container *container, const cr_schema *schema,
                         const size_t *values, size_t classes, cr_error *err);

/* --- space_draw.c --- */

cr_status cr__space_draw(const void *fitted, const cr_schema *schema, cr__dict *const *dict,
                         cr__line_visit *line, void *context, cr_error *err);

/* --- votes.c --- */

cr_status cr__space_score(const void *fitted, void *state, const cr__batch *batch, double *out,
                          cr_error *err);
cr_status cr__space_factors(const void *fitted, void *state, const cr__stats *stats,
                            const cr__knobs *knobs, const cr__batch *batch, size_t row,
                            cr_factor *factor, size_t *count, double *work, cr_error *err);

#endif
