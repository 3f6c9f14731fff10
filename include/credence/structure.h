/* credence/structure.h - compare the arcs of Bayesian networks, measure their strength, and draw
 * rows.
 *
 * Models here are networks: read by cr_network_read() or trained with the learner "network". Names
 * are borrowed from a model until it is freed. Arcs whose direction data cannot determine are
 * lines. A network stands for its class: all networks with the same independences (its CPDAG).
 */
#ifndef CREDENCE_STRUCTURE_H
#define CREDENCE_STRUCTURE_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arcs in all, and how many of them have a direction in the class. */
typedef struct cr_structure_size {
    size_t nodes, arcs, directed;
} cr_structure_size;

/* How a second network differs from a first one, pair by pair. */
typedef struct cr_structure_difference {
    size_t missing;  /* joined in the first only */
    size_t extra;    /* joined in the second only */
    size_t turned;   /* joined in both, but in different ways */
    size_t distance; /* their sum: between classes, the structural Hamming distance */
} cr_structure_difference;

typedef struct cr_structure_comparison {
    cr_structure_size first, second;
    cr_structure_difference arcs;    /* as they point */
    cr_structure_difference classes; /* as data can tell */
} cr_structure_comparison;

/* Compare two networks over variables of the same names. CR_EARG: a model is no network, or one has
 * a variable that the other lacks. */
cr_status cr_structure_compare(const cr_model *first, const cr_model *second,
                               cr_structure_comparison *out, cr_error *err);

/* One arc or line. */
typedef struct cr_structure_arc {
    const char *from, *to;
    int directed;     /* 0: a line, the direction is open */
    double strength;  /* share of the rounds that join the two */
    double direction; /* share of those in which it points this way */
} cr_structure_arc;
typedef cr_status cr_structure_visit(void *context, const cr_structure_arc *arc);

/* Visit the arcs and lines of a network's class, each once, ordered by child. If visit returns a
 * status other than CR_OK, the function stops and returns it. */
cr_status cr_structure_class(const cr_model *model, cr_structure_visit *visit, void *context,
                             cr_error *err);

/* How certain the arcs are, by the bootstrap. The complete rows that the model has learned are
 * drawn anew, with replacement, `rounds` times, and each time a structure is learned as the model's
 * knobs say. Each pair that was joined at least once is visited once, the strongest first, in the
 * direction that is more frequent. CR_EARG: the model was not trained on data. */
cr_status cr_structure_strengths(const cr_model *model, unsigned rounds, const cr_run *run,
                                 cr_structure_visit *visit, void *context, cr_error *err);

/* The network that the bootstrap rounds agree on (N. Friedman, M. Goldszmidt and A. Wyner, 1999):
 * the arcs of cr_structure_strengths() with a strength of at least `threshold`, added strongest
 * first, in the more frequent direction, or in the other if that would close a cycle. Its
 * parameters come from the model's rows. On CR_OK the caller frees *out. */
cr_status cr_structure_average(cr_model **out, const cr_model *model, unsigned rounds,
                               double threshold, const cr_run *run, cr_error *err);

/* How well the arcs of a network account for the complete rows of a trained one, in natural
 * logarithms; larger is better: the log likelihood, less parameters (AIC), less parameters ·
 * ln(rows) / 2 (BIC); ln P(rows) under Dirichlet priors worth `size` rows spread evenly (BDeu), and
 * under uniform priors (K2). network NULL: the model's own arcs. CR_EARG: the model was not trained
 * on data, or the variables of the two differ; CR_ELIMIT: a node has too many parents. */
typedef struct cr_structure_scores {
    double rows, parameters;
    double loglik, aic, bic, bdeu, k2;
} cr_structure_scores;
cr_status cr_structure_score(const cr_model *model, const cr_model *network, double size,
                             cr_structure_scores *out, cr_error *err);

/* Draw rows: state[i] is the state of node i; number[i] is its number if it is Gaussian, else NaN.
 * Equal seeds give equal rows. */
typedef cr_status cr_structure_row(void *context, const size_t *state, const double *number);
cr_status cr_structure_draw(const cr_model *model, uint64_t rows, uint64_t seed,
                            cr_structure_row *visit, void *context, cr_error *err);

/* Nodes of a network that was read are the columns of the schema. Those of a trained one are the
 * columns that take part, in their order, and then hidden variables; so nodes have names of their
 * own. NULL, 0 or SIZE_MAX: there is no such node. */
const char *cr_structure_node(const cr_model *model, size_t node);
const char *cr_structure_state(const cr_model *model, size_t node, size_t state);
size_t cr_structure_states(const cr_model *model, size_t node);
size_t cr_structure_find(const cr_model *model, const char *name);
size_t cr_structure_target(const cr_model *model);

#ifdef __cplusplus
}
#endif
#endif
