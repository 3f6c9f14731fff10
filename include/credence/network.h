/* credence/network.h - read, write, inspect and query Bayesian networks.
 *
 * A network is a cr_model like any other: cr_model_save() keeps it, credence/query.h asks it for
 * probabilities of logical expressions, and with a target cr_model_predict() classifies by it. Its
 * nodes are the columns of its schema, with the same numbers, and the states of a node are the
 * values of the column.
 *
 * A cr_network answers questions about a model given some evidence. The evidence can be changed
 * again and again, and only what depends on the change is computed anew. A cr_network borrows the
 * model, which must outlive it, and belongs to one thread at a time; several may share a model.
 */
#ifndef CREDENCE_NETWORK_H
#define CREDENCE_NETWORK_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- files ------------------------------------------------------------------------------------ */

/* Read a network: BIF, XMLBIF, Hugin's .net, Netica's .dne, or plain text (also with the extension
 * .net; see docs/networks.md). target names the node that predict decides, or is NULL. On CR_OK the
 * caller frees *out. CR_EFORMAT: err names file, line and column. */
cr_status cr_network_read(cr_model **out, const char *path, const char *target, cr_error *err);

/* The same from the bytes of a file in memory. name gives the format if the bytes do not. */
cr_status cr_network_read_bytes(cr_model **out, const void *bytes, size_t size, const char *name,
                                const char *target, cr_error *err);

/* Whether the file at path is such a network, by its name and first bytes. */
int cr_network_recognise(const char *path);

/* Write the network of a model, all or nothing: "bif", "xmlbif", "net", "hugin", "netica" or "dot",
 * or NULL to take it from the extension (.bif, .xml, .xmlbif, .net, .dne, .dot, .gv). CR_EARG:
 * neither gives a format, or the model is not a network. */
cr_status cr_network_write(const cr_model *model, const char *path, const char *format,
                           cr_error *err);

/* The format that a path's extension stands for, or NULL. */
const char *cr_network_format(const char *path);

/* The same network with another target (NULL: none). On CR_OK the caller frees *out. */
cr_status cr_network_copy(cr_model **out, const cr_model *model, const char *target, cr_error *err);

/* --- structure -------------------------------------------------------------------------------- */

size_t cr_network_nodes(const cr_model *model); /* 0: the model is no network */

/* A node's i-th parent or child; SIZE_MAX past the last. */
size_t cr_network_parent(const cr_model *model, size_t node, size_t index);
size_t cr_network_child(const cr_model *model, size_t node, size_t index);

/* P(node | parents): a row for each combination of the parents' states, of which the last parent's
 * vary fastest. A row has the node's own states. *cells is the number of cells. Borrowed. */
const double *cr_network_table(const cr_model *model, size_t node, size_t *cells);

/* A Gaussian node, which is a number: for each row of its table the intercept, a slope for each
 * Gaussian parent in their order, and the standard deviation, *count numbers in all. Borrowed; NULL
 * for a discrete node. Numbers are asked about with credence/query.h. */
const double *cr_network_weights(const cr_model *model, size_t node, size_t *count);

/* The Markov blanket of a node into out, [nodes]: parents, children, the children's other parents.
 * Returns how many there are. */
size_t cr_network_blanket(const cr_model *model, size_t node, size_t *out);

/* --- inference -------------------------------------------------------------------------------- */

typedef struct cr_network cr_network;

/* run (may be NULL) says how many threads large products use and how many bytes exact inference may
 * take; neither changes an answer. On CR_OK the caller closes *out. CR_EARG: it is no network. */
cr_status cr_network_open(cr_network **out, const cr_model *model, const cr_run *run,
                          cr_error *err);
void cr_network_close(cr_network *network); /* NULL is allowed */

/* Observe a state; SIZE_MAX takes the observation back. CR_EARG: no such node or state. */
cr_status cr_network_observe(cr_network *network, size_t node, size_t state, cr_error *err);

/* Set soft evidence: the likelihood of what was seen given each state, [states], not negative and
 * not all 0. Only ratios matter for posteriors. NULL takes it back. */
cr_status cr_network_soften(cr_network *network, size_t node, const double *likelihood,
                            cr_error *err);
void cr_network_forget(cr_network *network); /* all evidence */

/* The cost of exact inference with the current evidence: an upper bound, computed before inference
 * begins. */
typedef struct cr_network_cost {
    double cells;   /* of all cliques of the junction tree */
    double largest; /* of its largest */
    double bytes;
    double operations; /* multiplications and additions for all posteriors, about */
} cr_network_cost;
cr_status cr_network_estimate(cr_network *network, cr_network_cost *out, cr_error *err);

/* ln P(evidence); -infinity when it is impossible. For this and all functions below, CR_ELIMIT: it
 * would take more memory than allowed (err has the numbers); CR_ECONFLICT: the evidence is
 * impossible. */
cr_status cr_network_evidence(cr_network *network, double *log_evidence, cr_error *err);

/* P(node | evidence) into p, [states]; and of all nodes, one after another. */
cr_status cr_network_posterior(cr_network *network, size_t node, double *p, cr_error *err);
cr_status cr_network_posteriors(cr_network *network, double *p, cr_error *err);

/* P(nodes | evidence) for all combinations of their states, the last node's fastest. */
cr_status cr_network_joint(cr_network *network, const size_t *node, size_t count, double *p,
                           cr_error *err);

/* The most probable states of all nodes given the evidence into state, [nodes]; log_p (may be NULL)
 * becomes ln P(states | evidence). */
cr_status cr_network_explanation(cr_network *network, size_t *state, double *log_p, cr_error *err);

/* Posteriors of all nodes approximately, as cr_network_posteriors() lays them out; error (may be
 * NULL) becomes their standard errors, NaN for loopy. For loopy, samples is the maximum number of
 * rounds. */
typedef enum cr_network_method {
    CR_NETWORK_WEIGHTING = 1, /* likelihood weighting */
    CR_NETWORK_GIBBS = 2,
    CR_NETWORK_LOOPY = 3 /* loopy belief propagation */
} cr_network_method;
typedef struct cr_network_sampled {
    double effective;    /* number of independent samples that would be as accurate; NaN for
                          * loopy */
    double log_evidence; /* an estimate with weighting; otherwise NaN */
    uint64_t samples;    /* or rounds */
    int converged;       /* of loopy */
} cr_network_sampled;
cr_status cr_network_sample(cr_network *network, cr_network_method method, uint64_t samples,
                            uint64_t seed, double *p, double *error, cr_network_sampled *about,
                            cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
