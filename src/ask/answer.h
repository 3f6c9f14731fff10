/* ask/answer.h - an answer under construction. */
#ifndef CR_ASK_ANSWER_H
#define CR_ASK_ANSWER_H

#include "ask/query.h"
#include "learners/network/network_model.h"
#include "network/infer/session.h"

typedef struct cr__answering {
    cr_answer *answer;
    cr__arena *arena; /* memory of what the answer points to */
    const cr_model *model;
    const cr__query *query;
    const cr__network_model *network; /* that is queried, or NULL: the model is not one */
    cr__network_model *forced;        /* it, when an intervention made it; owned */
    cr__inference_session *session;   /* of the model's own network, or NULL */
} cr__answering;

/* The same for the query with other columns asked for, and no expression; masses and question are
 * the caller's to free. The errors of an approximate answer are in question->report, which may be
 * NULL.
 */
cr_status cr__answer_columns(const cr__answering *k, size_t *column, size_t columns,
                             cr__question_report *report, cr__question *question, cr__scaled **mass,
                             cr_error *err);

/* Names of a column and of its first values; "(never seen)" for one more. */
cr_status cr__answer_name(const cr__answering *k, size_t column, size_t values,
                          cr_query_variable *out, cr_error *err);

/* A node of the network; observed when the facts (may be NULL) say so. */
cr_status cr__answer_node(const cr__answering *k, uint32_t node, const cr__facts *facts,
                          cr_query_variable *out, cr_error *err);

/* Fail with "the condition has probability zero", or because the model gives everything probability
 * zero. */
cr_status cr__answer_fail_zero(const cr__query *query, cr_error *err);

/* log(a / b) without loss of digits near 1 and without underflow. */
double cr__log_share(cr__scaled a, cr__scaled b);

/* Joint tables, beliefs about all variables, states, separation, information: each fills the
 * answer. */
cr_status cr__answer_table(cr__answering *k, const cr__question *question, const cr__scaled *mass,
                           cr_error *err);
cr_status cr__answer_beliefs(cr__answering *k, cr_error *err);
cr_status cr__answer_states(cr__answering *k, cr_error *err);
cr_status cr__answer_separation(cr__answering *k, cr_error *err);
cr_status cr__answer_information(cr__answering *k, cr_error *err);

/* The condition's facts about a network's nodes, when it consists of facts only; to be freed.
 * CR_EARG: it does not. */
cr_status cr__answer_facts(const cr__answering *k, cr__facts *facts, cr_error *err);

#endif
