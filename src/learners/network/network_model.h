/* learners/network/network_model.h - a network as a model: queried, scored, saved, whatever its
 * origin.
 *
 * A cr__network_model is the fitted part of a model. In one that was read from a file every node is
 * a symbol column of the schema, in the same order, and value v of a column is state v of its node.
 * The functions below are what a learner's table needs; they do not depend on where the network
 * comes from.
 */
#ifndef CR_LEARNERS_NETWORK_NETWORK_MODEL_H
#define CR_LEARNERS_NETWORK_NETWORK_MODEL_H

#include <pthread.h>

#include "model/model.h"
#include "network/infer/compiled.h"
#include "network/infer/infer.h"
#include "network/infer/normals.h"

typedef enum cr__method {
    CR__METHOD_EXACT,
    CR__METHOD_WEIGHTING,
    CR__METHOD_GIBBS,
    CR__METHOD_LOOPY
} cr__method;

typedef struct cr__network_model {
    cr__network *network;
    cr__normals *normals; /* its Gaussian nodes, or NULL: there are none */
    uint32_t target;      /* node, or CR__NO_NODE */
    cr__method method;    /* how to answer, as the knobs say */
    uint64_t samples, seed;
    uint64_t memory;      /* bytes that exact answers may take */
    double **likelihood;  /* [nodes] soft evidence, entries may be NULL */
    pthread_mutex_t lock; /* guards what follows: the plan for rows, */
    cr__compiled *compiled;
    int planned;     /* it has been tried; NULL then means that it would be too large */
                     /* and joint tables of the target and one column */
    uint32_t cached; /* the column, or CR__NO_NODE; the target itself: its prior */
    double *table;   /* P(value, class), [values * classes] */
} cr__network_model;

/* The knobs of inference, for the tables of learners. */
/* clang-format off */
#define CR__NETWORK_KNOBS                                                                          \
    {"method", "exact", CR__KNOB_CHOICE, 0, "exact|weighting|gibbs|loopy",                         \
     "how questions are answered: exactly, by likelihood weighting, Gibbs sampling, loopy belief " \
     "propagation"},                                                                               \
    {"samples", "100000", CR__KNOB_NUMBER, 1, NULL, "of weighting and gibbs; rounds of loopy"},    \
    {"seed", "0", CR__KNOB_NUMBER, 0, NULL, "of the samples"},                                     \
    {"memory", "auto", CR__KNOB_EITHER, 0, "auto",                                                 \
     "bytes that exact answers may take; auto is three quarters of the machine's"},                \
    {"soft", "none", CR__KNOB_LISTED, 0, NULL,                                                     \
     "soft evidence: how likely values make what was seen, as in rain=yes:0.8,no:0.1; several "    \
     "variables are parted by semicolons"}
/* clang-format on */

/* Take over a network; on failure it is freed too. */
cr_status cr__network_model_new(cr__network_model **out, cr__network *network, uint32_t target,
                                cr_error *err);
void cr__network_model_free(void *fitted);

/* Set what the knobs say; unchanged on failure. */
cr_status cr__network_model_refit(void *fitted, const cr__knobs *knobs, cr_error *err);

/* The learner of networks from data, which contains a cr__network_model: learn_model.c. */
int cr__is_learned_network(const cr_model *model);
const cr__network_model *cr__learned_network(const void *fitted);

/* Translate a question about columns to the nodes of the model's network. CR_EARG: a column is not
 * a node. */
cr_status cr__question_of_nodes(cr__question *question, const cr_model *model, cr_error *err);

/* The node of a column, or CR__NO_NODE. */
uint32_t cr__network_model_node(const cr_model *model, size_t column);

/* The network after nodes are set to a state, or a number where they are Gaussian. The caller frees
 * it. */
typedef struct cr__forced {
    uint32_t node, state;
    double number;
} cr__forced;
cr_status cr__network_model_force(cr__network_model **out, const cr__network_model *given,
                                  const cr__forced *forced, size_t count, cr_error *err);

/* The plan for rows with gaps, made when it is first needed; NULL when it would be too large. Any
 * thread. */
cr_status cr__network_model_plan(const cr__network_model *g, const cr__compiled **out,
                                 cr_error *err);

/* The network inside a model, or NULL. */
const cr__network_model *cr__network_model_of(const cr_model *model);

/* A model of a network, which is taken over; target is a node's name or NULL. */
cr_status cr__network_model_model(cr_model **out, cr__network *network, const char *target,
                                  cr_error *err);

/* --- for the learner's table ----------------------------------------------------------------- */

void cr__network_model_save(const void *fitted, cr__draft *draft);
/* Title, parents and tables of a saved network into a builder that has all its nodes and states. */
cr_status cr__network_model_read(cr__builder *builder, const cr__container *container,
                                 cr_error *err);
cr_status cr__network_model_open(void **fitted, const cr__container *container,
                                 const cr_schema *schema, const size_t *values, size_t classes,
                                 cr_error *err);
/* A worker's state is a cr__row_scorer. */
cr_status cr__network_model_begin(void **state, const void *fitted, cr_error *err);
void cr__network_model_end(void *state);
cr_status cr__network_model_score(const void *fitted, void *state, const cr__batch *batch,
                                  double *score, cr_error *err);
cr_status cr__network_model_regress(const void *fitted, void *state, const cr__batch *batch,
                                    cr_regression *out, cr_error *err);
cr_status cr__network_model_factors(const void *fitted, void *state, const cr__stats *stats,
                                    const cr__knobs *knobs, const cr__batch *batch, size_t row,
                                    cr_factor *factor, size_t *count, double *work, cr_error *err);
double cr__network_model_prior(const void *fitted, size_t class_index);
double cr__network_model_probability(const void *fitted, size_t column, size_t value,
                                     size_t class_index);
double cr__network_model_information(const void *fitted, size_t column);
int cr__network_model_is_number(const void *fitted, size_t column);
double cr__network_model_parameters(const void *fitted, const cr__stats *stats,
                                    const cr__knobs *knobs);
/* The marginal mean and variance of a Gaussian node in a class; unchanged where they cannot be
 * computed. */
void cr__network_model_gaussian(const void *fitted, size_t column, size_t class_index,
                                cr_gaussian *out);
cr_status cr__network_model_measure(const void *fitted, const cr__knobs *knobs,
                                    const cr_schema *schema, const cr__question *question,
                                    cr__scaled *mass, cr_error *err);

/* The facts that a question's condition states: for each variable whether it is one, and what the
 * states are multiplied by ([nodes], likelihood and given are filled; both to be freed). CR_EARG:
 * with `only`, when the condition is more than facts joined by "and". */
enum { CR__FACT = 1, CR__FACT_NOT = 2 };
typedef struct cr__facts {
    uint32_t *state;     /* [nodes] */
    double **likelihood; /* [nodes] */
    unsigned char *fact; /* [question nodes] leaves that are facts, or whose opposite is */
    uint32_t nodes;
} cr__facts;
cr_status cr__facts_of(cr__facts *out, const cr__network_model *model, const cr__question *question,
                       int only, cr_error *err);
void cr__facts_free(cr__facts *facts);

/* The facts as the evidence of a junction tree that has none. */
cr_status cr__facts_into_tree(const cr__facts *facts, cr__junction_tree *tree, cr_error *err);

#endif
