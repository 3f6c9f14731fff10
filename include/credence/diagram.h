/* credence/diagram.h - influence diagrams: decisions and utilities in a network, and what to do.
 *
 * An influence diagram is a Bayesian network some of whose nodes are decisions and utilities
 * (R. Howard and J. Matheson, "Influence diagrams", 1984). The parents of a decision are what is
 * known when it is taken; nothing that was known or decided before is forgotten. A utility is a
 * number for each combination of its parents' states, and utilities add up. A strategy says what to
 * decide whatever is known; the best one has the maximum expected utility.
 *
 *     cr_diagram_read(&diagram, "oil.net", &err);
 *     cr_diagram_solve(&strategy, diagram, "test=yes", NULL, &err);
 *
 * A diagram is never changed, so threads may share it. A strategy and a list of information own
 * what they point to but for names, which are the diagram's.
 */
#ifndef CREDENCE_DIAGRAM_H
#define CREDENCE_DIAGRAM_H

#include "credence/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_diagram cr_diagram;

typedef enum cr_diagram_kind { CR_CHANCE = 1, CR_DECISION = 2, CR_UTILITY = 3 } cr_diagram_kind;

/* Read a diagram in Hugin's language (.net) or Netica's (.dne); a network without a decision is a
 * diagram, too. On CR_OK the caller frees *out. CR_EFORMAT: err names file, line and column. */
cr_status cr_diagram_read(cr_diagram **out, const char *path, cr_error *err);
void cr_diagram_free(cr_diagram *diagram); /* NULL is allowed */

/* Whether the file at path is a network with decisions or utilities that can be read. */
int cr_diagram_recognise(const char *path);

/* Write it, all or nothing: "hugin", "netica" or "dot", or NULL for what the name's ending says
 * (.net, .dne, .dot, .gv). CR_EARG: neither says it, or the format has no decisions. */
cr_status cr_diagram_write(const cr_diagram *diagram, const char *path, const char *format,
                           cr_error *err);

/* Its nodes, in the order of the file. */
size_t cr_diagram_nodes(const cr_diagram *diagram);
const char *cr_diagram_name(const cr_diagram *diagram, size_t node);        /* NULL past the last */
cr_diagram_kind cr_diagram_kind_of(const cr_diagram *diagram, size_t node); /* 0 past the last */
size_t cr_diagram_states(const cr_diagram *diagram, size_t node);           /* 0 for a utility */
const char *cr_diagram_state(const cr_diagram *diagram, size_t node, size_t state);
size_t cr_diagram_parent(const cr_diagram *diagram, size_t node, size_t index); /* or SIZE_MAX */

/* What to do at one decision, for each combination of what matters among what is known then, the
 * last of it the fastest. What is not listed makes no difference. */
typedef struct cr_policy {
    size_t decision; /* the node */
    size_t options;  /* its states */
    size_t knowns;   /* nodes that the choice looks at */
    const size_t *known;
    size_t rows;               /* combinations of their states */
    const size_t *best;        /* [rows] the state to choose, the first of equals */
    const double *utility;     /* [rows][options] expected total utility of each option, when what
                                  follows is decided as well as can be; NaN: it cannot happen */
    const double *probability; /* [rows] of the situation, when the strategy is followed */
} cr_policy;

typedef struct cr_strategy {
    double utility;          /* the maximum expected utility */
    size_t policies;         /* decisions that are open, in the order in which they are taken */
    const cr_policy *policy; /* [policies] */
} cr_strategy;

/* The best strategy. condition: what is known or decided at the start, "VARIABLE=VALUE, …"; NULL or
 * empty: nothing. run (may be NULL): its memory and pool count. CR_EARG: the condition is at fault,
 * with err->column; CR_ECONFLICT: it is impossible, or depends on a decision that is open, or
 * decisions are in no order; CR_ELIMIT: it would take too much memory. On CR_OK the caller frees
 * *out. */
cr_status cr_diagram_solve(cr_strategy **out, const cr_diagram *diagram, const char *condition,
                           const cr_run *run, cr_error *err);
void cr_strategy_free(cr_strategy *strategy); /* NULL is allowed */

/* What it would be worth to know a variable before a decision: the maximum expected utility when it
 * is known then, less that when it is not. It is never negative. */
typedef struct cr_information {
    size_t decision, variable;
    double value;
} cr_information;

/* Of every open decision and every variable of chance that the decision cannot influence and that
 * is not known by then, the most valuable first. *count of them; the caller frees *out with
 * cr_information_free(). */
cr_status cr_diagram_information(cr_information **out, size_t *count, const cr_diagram *diagram,
                                 const char *condition, const cr_run *run, cr_error *err);
void cr_information_free(cr_information *information); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
