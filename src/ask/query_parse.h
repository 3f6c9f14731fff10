/* ask/query_parse.h - the parser's state, for the parts of the parser. */
#ifndef CR_ASK_QUERY_PARSE_H
#define CR_ASK_QUERY_PARSE_H

#include "ask/query.h"

typedef struct cr__operator {
    int binds;
    const cr__lexeme *token;
} cr__operator;

typedef struct cr__parser {
    cr__query *query;
    const cr_model *model;
    const cr__lexeme *at;
    cr__expression *into;
    cr__operator *stack;
    size_t depth, capacity;
} cr__parser;

/* "WHAT is expected here, not …". */
cr_status cr__fail_expected(const cr__lexeme *token, const char *expected, cr_error *err);

/* A bare or quoted word that is not a keyword. */
int cr__is_name(const cr__lexeme *token);

/* Remove bare variable names, * and do() from a list up to its | or ). The other items follow from
 * p->at on, *others of them. */
cr_status cr__take_list(cr__parser *p, int given, size_t *others, cr_error *err);

/* dsep(A, {B, C} | D): the content of the parentheses, and the closing one. */
cr_status cr__take_separation(cr__parser *p, cr_error *err);

#endif
