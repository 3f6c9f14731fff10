/* network/infer/session.h - many queries of one network, asked one after the other.
 *
 * A single query is cheapest by elimination (infer.h), which looks only at what the query depends
 * on. Many queries share most of their work in a junction tree (junction_tree.h), whose evidence is
 * changed from one query to the next. A session begins with eliminations. When these have cost as
 * much as a propagation through the whole tree would, the tree is built, and from then on each
 * query goes where recent ones were cheaper. So a session never costs much more than the better of
 * the two. What it chooses depends on the queries alone, not on time or threads.
 *
 * A session belongs to one thread at a time.
 */
#ifndef CR_NETWORK_INFER_SESSION_H
#define CR_NETWORK_INFER_SESSION_H

#include "network/infer/infer.h"

typedef struct cr__inference_session cr__inference_session;

/* memory: bytes that a query may take, 0: no limit. The network must outlive the session. */
cr_status cr__inference_session_new(cr__inference_session **out, const cr__network *network,
                                    uint64_t memory, cr_error *err);
void cr__inference_session_free(cr__inference_session *session); /* NULL is allowed */

/* As cr__ask_joint(). */
cr_status cr__inference_session_joint(cr__inference_session *session, const cr__evidence *evidence,
                                      const uint32_t *query, uint32_t count, double *p,
                                      int64_t *exponent, cr_error *err);

/* The session's junction tree, with this evidence. CR_ELIMIT: it would take too much memory. */
cr_status cr__inference_session_tree(cr__inference_session *session, const cr__evidence *evidence,
                                     cr__junction_tree **tree, cr_error *err);

/* How many queries the tree has answered so far, for tests. */
uint64_t cr__inference_session_propagations(const cr__inference_session *session);

#endif
