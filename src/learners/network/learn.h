/* learners/network/learn.h - a network from data: its structure, then its tables.
 *
 * The statistics are the cells of a joint table (stats/cells.h), which hold all that is needed, so
 * learning more, unlearning and merging are exact. A structure is kept when data are learned or
 * unlearned, and its tables are updated; it is searched again when a knob that it depends on
 * changes, or each time with relearn=always.
 */
#ifndef CR_LEARNERS_NETWORK_LEARN_H
#define CR_LEARNERS_NETWORK_LEARN_H

#include "model/learner.h"
#include "network/graph/arcs.h"
#include "network/learn/family.h"
#include "network/learn/normals_learn.h"

/* The knobs of a learner of networks, as initialisers of cr__knob_spec. */
/* clang-format off */
#define CR__NETWORK_LEARN_KNOBS                                                                    \
    {"structure", "tabu", CR__KNOB_LISTED, 0, NULL,                                                \
     "where arcs come from: tabu, hc, k2, chow-liu, pc, mmhc, naive, none, or file:NETWORK"},      \
    {"score", "auto", CR__KNOB_LISTED, 0, NULL,                                                    \
     "what hc, tabu, k2 and mmhc raise: bic, aic, bdeu:ROWS, k2 or loglik; auto: aic where the "   \
     "target has its arcs by class-arcs, else bic"},                                               \
    {"max-parents", "none", CR__KNOB_EITHER, 1, "none", "the most parents a variable may have"},   \
    {"whitelist", "none", CR__KNOB_LISTED, 0, NULL,                                                \
     "arcs there must be, as in a>b,a>c; a> means all from a, >b all to b"},                       \
    {"blacklist", "none", CR__KNOB_LISTED, 0, NULL, "arcs there must not be, likewise"},           \
    {"class-arcs", "explained", CR__KNOB_CHOICE, 0, "explained|search",                            \
     "hc, tabu and mmhc with a target: arcs from it to all that it explains, or as found"},        \
    {"order", "none", CR__KNOB_LISTED, 0, NULL,                                                    \
     "k2: variables that come first, as in a,b,c; the others follow as they stand"},               \
    {"restarts", "0", CR__KNOB_NUMBER, 0, NULL,                                                    \
     "hc, tabu and mmhc: climb again so often, from random steps away from the best"},             \
    {"tabu", "100", CR__KNOB_NUMBER, 1, NULL,                                                      \
     "tabu: networks not to visit again, and steps without a gain before it stops"},               \
    {"alpha", "0.05", CR__KNOB_NUMBER, 0, NULL,                                                    \
     "pc and mmhc: a p above it is independence"},                                                 \
    {"parameters", "dirichlet:0.5", CR__KNOB_LISTED, 0, NULL,                                      \
     "tables: mle, bdeu:ROWS or dirichlet:COUNT"},                                                 \
    {"missing", "em", CR__KNOB_CHOICE, 0, "em|gradient|ignore",                                    \
     "rows with gaps: expected counts by EM or gradient ascent, or only what they have"},          \
    {"iterations", "100", CR__KNOB_NUMBER, 0, NULL, "em and gradient: rounds at most"},            \
    {"relearn", "never", CR__KNOB_CHOICE, 0, "never|always",                                       \
     "whether the structure is looked for again when data come or go"},                            \
    {"real", "bins", CR__KNOB_CHOICE, 0, "bins|gaussian",                                          \
     "real columns: cut into intervals, or Gaussian nodes, each normal around a line through its " \
     "parents; fixed at training"},                                                              \
    {"bins", "auto", CR__KNOB_LISTED, 0, NULL,                                                     \
     "how real columns are cut: mdl, sqrt, width:K, frequency:K or hours:20:40.5,age:30; auto is " \
     "mdl with a target, else frequency:5; fixed at training"}
/* clang-format on */

/* The outcome. */
typedef struct cr__learned {
    int searched;          /* a structure was searched */
    double score;          /* of the network over complete rows; NaN where none was asked for */
    size_t complete;       /* rows of the complete cells */
    uint32_t rounds;       /* of EM */
    double log_likelihood; /* of all rows, by EM; NaN otherwise */
} cr__learned;

/* Learn the network that an input's knobs describe. before: the network there was (its structure
 * may be kept), or NULL. Nodes are the variables of the cells, in the order of their columns,
 * then hidden ones; states are the values, in the order of their codes. report may be NULL. */
cr_status cr__network_learn(cr__network **out, const cr__fit_input *input,
                            const cr__network *before, cr__learned *report, cr_error *err);

/* A knob that is a whole number; 0 where it is a word. */
uint32_t cr__knobs_whole(const cr__knobs *knobs, const char *name);

/* The score that the knobs name; target: a variable, or UINT32_MAX. */
const char *cr__network_score_name(const cr__knobs *knobs, uint32_t target);

/* Add a node with the states of a dictionary; "?" is the only one where it has no words. */
cr_status cr__builder_add_column(cr__builder *builder, const char *name, const cr__dict *dict,
                                 cr_error *err);

/* The structure that the knobs describe, over given cases; name [variables] for messages. target:
 * the variable to be predicted, UINT32_MAX: none. For structure=none and file:... there is nothing
 * to search: CR_EARG. *score becomes NaN where the method has none. */
cr_status cr__find_structure(cr__arcs *arcs, const cr__cases *cases, const cr__knobs *knobs,
                             const char *const *name, uint32_t target, const cr_run *run,
                             double *score, cr_error *err);

/* How often the arcs of a structure recur in resampled rows, over `rounds` rounds (N. Friedman, M.
 * Goldszmidt and A. Wyner, 1999). strength[from * n + to]: the share of the rounds in which the two
 * are joined; direction[from * n + to]: the share of those in which the arc has that direction, a
 * line of the equivalence class counting half each way. */
cr_status cr__arc_strengths(double *strength, double *direction, const cr__cases *cases,
                            const cr__knobs *knobs, const char *const *name, uint32_t target,
                            uint32_t rounds, const cr_run *run, cr_error *err);

/* The cases behind statistics, with the names of their variables (borrowed; free the array).
 * CR_ELIMIT: a variable has too many values. */
cr_status cr__cases_of_stats(cr__cases **out, const cr__stats *stats, const char ***name,
                             cr_error *err);

#endif
