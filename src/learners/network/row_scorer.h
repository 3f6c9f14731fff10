/* learners/network/row_scorer.h - what one thread needs to score rows by a network with numbers in
 * it.
 *
 * P(class, row) is a product: of the discrete part, by tables or the junction tree, and of the
 * density of the numbers, given the states of the mixers. Mixers that the row lacks are summed
 * over. Rows mostly lack the same numbers, so conditions are cached and only the observations
 * change.
 */
#ifndef CR_LEARNERS_NETWORK_ROW_SCORER_H
#define CR_LEARNERS_NETWORK_ROW_SCORER_H

#include "learners/network/network_model.h"

enum { CR__CONDITION_SLOTS = 64 };

typedef struct cr__row_scorer {
    const cr__network_model *g;
    uint32_t *state;         /* [nodes] of the row; UINT32_MAX: not observed, a number's is 0 */
    uint32_t *mix;           /* [nodes] scratch: states of the mixers */
    cr__compiled_work *work; /* for rows with gaps, made when needed */
    int planned;             /* NULL then means no plan: each row is a query */
    double *x;               /* [Gaussian nodes] by place; NaN: not observed */
    unsigned char *known;    /* [Gaussian nodes] */
    uint32_t knowns;
    cr__condition *slot[CR__CONDITION_SLOTS]; /* made when needed */
    uint32_t *held;                           /* [slots * mixers] for these states of the mixers; */
    unsigned char holds[CR__CONDITION_SLOTS]; /* 0: for none yet */
} cr__row_scorer;

cr_status cr__row_scorer_open(cr__row_scorer **out, const cr__network_model *g, cr_error *err);
void cr__row_scorer_close(cr__row_scorer *scorer); /* NULL is allowed */

/* Set the row, without the target. */
void cr__row_scorer_read(cr__row_scorer *scorer, const cr__batch *batch, size_t row);

/* log P(class, what is known) for each class. */
cr_status cr__row_scorer_score(cr__row_scorer *scorer, size_t classes, double *score,
                               cr_error *err);

/* A Gaussian node given what is known. */
cr_status cr__row_scorer_number(cr__row_scorer *scorer, uint32_t node, double *mean,
                                double *deviation, cr_error *err);

#endif
