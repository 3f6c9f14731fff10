/* learners/ensemble/ensemble.h - models inside a model.
 *
 * A member is kept as the container of its model file, in memory or as a section of the ensemble's
 * own file, and is opened from there. Batches have the ensemble's columns, the union of the
 * members' columns; for each member they are translated to its own columns, values and words.
 */
#ifndef CR_LEARNERS_ENSEMBLE_ENSEMBLE_H
#define CR_LEARNERS_ENSEMBLE_ENSEMBLE_H

#include "credence/combine.h"
#include "model/model.h"
#include "model/scorer.h"

enum { CR__MEMBERS_MAX = 4096 };

typedef struct cr__member {
    char *name;
    cr_model *model;
    void *block;       /* of the container; NULL when it is in the ensemble's */
    const void *bytes; /* the container: a whole model file */
    size_t size;
    size_t *class_of;   /* [classes] its class for each of the ensemble's */
    size_t *column_of;  /* [its columns] the ensemble's column; SIZE_MAX where it is none */
    uint32_t **code_of; /* [its columns] of symbols: its code for each code of the ensemble's,
                           [words + 2] */
    size_t *code_count; /* [its columns] words + 2 */
    double prior, weight, log_weight;
    double log_likelihood, stacking; /* of the held-out labels; NaN without them */
    double accuracy;                 /* on them; NaN also for older files */
} cr__member;

/* How members are combined: the numbers are those of the file. */
typedef enum cr__ensemble_rule {
    CR__RULE_OPTIMAL,
    CR__RULE_GIBBS,
    CR__RULE_PRODUCT
} cr__ensemble_rule;

/* In a product no log posterior of a member counts as less than this, the limit of the log loss:
 * one member alone makes nothing impossible. */
#define CR__PRODUCT_FLOOR (-52 * 0.69314718055994530942)

typedef struct cr__ensemble {
    size_t members, classes, columns;
    cr__member *member;
    cr__ensemble_rule rule;
    uint64_t seed;
    double held_out; /* weight of the rows that gave the weights */
} cr__ensemble;

void cr__ensemble_free(void *fitted);

/* Match a member to the ensemble's columns and classes. CR_ECONFLICT when it does not fit. */
cr_status cr__member_match(cr__member *m, const cr_schema *schema, cr__dict *const *dict,
                           cr_error *err);

/* Priors and weights as set by the knobs. Unchanged on failure. */
cr_status cr__ensemble_weigh(void *fitted, const cr__knobs *knobs, cr_error *err);

/* The weights that make the mixture's held-out score largest: log_p is [rows * members]. */
cr_status cr__stack(const double *log_p, const double *weight, size_t rows, size_t members,
                    double *out, cr_error *err);

/* The fingerprint of the members and their weights, 32 hexadecimal digits. */
cr_status cr__ensemble_fingerprint(const cr__ensemble *e, char out[33], cr_error *err);

/* The learner's sections. */
void cr__ensemble_save(const void *fitted, cr__draft *draft);
cr_status cr__ensemble_open(void **fitted, const cr__container *container, const cr_schema *schema,
                            const size_t *values, size_t classes, cr_error *err);

/* --- scoring ---------------------------------------------------------------------------------- */

/* What a worker scores with, see cr__scores: batches translated for each member. */
typedef struct cr__panel cr__panel;

cr_status cr__panel_open(void **panel, const void *fitted, cr_error *err);
void cr__panel_close(void *panel);
void cr__panel_plan(void *panel, cr__plan *plan);
cr_status cr__panel_score(const void *fitted, void *panel, const cr__batch *batch, double *score,
                          cr_error *err);

/* Of the rows scored last: a member's log P(class | row), [classes], all -inf where the row is
 * impossible for it; and the member that the Gibbs rule drew, or SIZE_MAX. */
void cr__panel_posterior(const cr__panel *panel, size_t member, size_t row, double *log_posterior);
size_t cr__panel_drawn(const cr__panel *panel, size_t row);

#endif
