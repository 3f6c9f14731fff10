/* credence/diagram.h - influence diagrams: decisions and utilities in a network, and what to do.
 *
 * An influence diagram is a Bayesian network some of whose nodes are decisions and utilities (R.
 * Howard and J. Matheson, "Influence diagrams", 1984). The parents of a decision are what is known
 * when it is taken; nothing known or decided earlier is forgotten. A utility has a number for each
 * combination of its parents' states, and utilities add up. A strategy says what to decide in every
 * situation; the best one has the maximum expected utility.
 *
 *     cr_diagram_read(&diagram, "oil.net", &err);
 *     cr_diagram_solve(&strategy, diagram, "test=yes", NULL, &err);
 *
 * A diagram is never changed, so threads may share it. A strategy and a list of information own
 * what they point to, except for names, which belong to the diagram.
 */
#ifndef CREDENCE_DIAGRAM_H
#define CREDENCE_DIAGRAM_H

#include "credence/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_diagram cr_diagram;

typedef enum cr_diagram_kind { CR_CHANCE = 1, CR_DECISION = 2, CR_UTILITY = 3 } cr_diagram_kind;

/* Read a diagram in Hugin's language (.net) or Netica's (.dne); a network without decisions is also
 * a diagram. On CR_OK the caller frees *out. CR_EFORMAT: err names file, line and column. */
cr_status cr_diagram_read(cr_diagram **out, const char *path, cr_error *err);
void cr_diagram_free(cr_diagram *diagram); /* NULL is allowed */

/* Whether the file at path is a readable network with decisions or utilities. */
int cr_diagram_recognise(const char *path);

/* Write the diagram, all or nothing. The format is "hugin", "netica" or "dot"; NULL takes it from
 * the file's extension (.net, .dne, .dot, .gv). CR_EARG: neither gives a format, or the format
 * cannot hold decisions. */
cr_status cr_diagram_write(const cr_diagram *diagram, const char *path, const char *format,
                           cr_error *err);

/* Its nodes, in the order of the file. */
size_t cr_diagram_nodes(const cr_diagram *diagram);
const char *cr_diagram_name(const cr_diagram *diagram, size_t node);        /* NULL past the last */
cr_diagram_kind cr_diagram_kind_of(const cr_diagram *diagram, size_t node); /* 0 past the last */
size_t cr_diagram_states(const cr_diagram *diagram, size_t node);           /* 0 for a utility */
const char *cr_diagram_state(const cr_diagram *diagram, size_t node, size_t state);
size_t cr_diagram_parent(const cr_diagram *diagram, size_t node, size_t index); /* or SIZE_MAX */

/* What to do at one decision, for each combination of the known variables that matter; the last one
 * varies fastest. Known variables that are not listed make no difference. */
typedef struct cr_policy {
    size_t decision; /* the node */
    size_t options;  /* its states */
    size_t knowns;   /* known nodes that the choice depends on */
    const size_t *known;
    size_t rows;               /* combinations of their states */
    const size_t *best;        /* [rows] the state to choose; of equals, the first */
    const double *utility;     /* [rows][options] expected total utility of each option if all later
                                * decisions are optimal; NaN: the situation is impossible */
    const double *probability; /* [rows] of the situation if the strategy is followed */
} cr_policy;

typedef struct cr_strategy {
    double utility;          /* the maximum expected utility */
    size_t policies;         /* open decisions, in the order in which they are taken */
    const cr_policy *policy; /* [policies] */
} cr_strategy;

/* Find the best strategy. condition is what is known or decided at the start, "VARIABLE=VALUE, …";
 * NULL or empty means nothing. Only memory and pool of run are used; it may be NULL. CR_EARG: the
 * condition is wrong at err->column, or there is no decision and no utility. CR_ECONFLICT: it is
 * impossible, it depends on an open decision, or the decisions have no order. CR_ELIMIT: it would
 * take too much memory. On CR_OK the caller frees *out. */
cr_status cr_diagram_solve(cr_strategy **out, const cr_diagram *diagram, const char *condition,
                           const cr_run *run, cr_error *err);
void cr_strategy_free(cr_strategy *strategy); /* NULL is allowed */

/* The value of knowing a variable before a decision: the maximum expected utility if it is known
 * then, minus that if it is not. It is never negative. */
typedef struct cr_information {
    size_t decision, variable;
    double value;
} cr_information;

/* Compute it for every open decision and every chance variable that the decision cannot influence
 * and that is not known by then, most valuable first. *count is their number. The caller frees *out
 * with cr_information_free(). */
cr_status cr_diagram_information(cr_information **out, size_t *count, const cr_diagram *diagram,
                                 const char *condition, const cr_run *run, cr_error *err);
void cr_information_free(cr_information *information); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
