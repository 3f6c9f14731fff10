/* ask/query.h - the internals of queries: tokens, names, the parsed form.
 *
 *     text → tokens → nodes and leaves → question → masses → answer
 *
 * A parsed query holds what it needs in an arena. Nothing here recurses: expressions are converted
 * to postfix form with a stack of operators (Dijkstra's shunting yard).
 */
#ifndef CR_ASK_QUERY_H
#define CR_ASK_QUERY_H

#include "credence/query.h"
#include "model/question.h"
#include "model/model.h"

/* --- tokens: query_lex.c ------------------------------------------------------------------ */

typedef enum cr__lexeme_type {
    CR__LEXEME_END,
    CR__LEXEME_WORD,   /* bare: a name, a number, a keyword */
    CR__LEXEME_QUOTED, /* always a name */
    CR__LEXEME_OPEN,
    CR__LEXEME_CLOSE,
    CR__LEXEME_SET, /* { */
    CR__LEXEME_SET_END,
    CR__LEXEME_COMMA,
    CR__LEXEME_GIVEN, /* | */
    CR__LEXEME_EQ,
    CR__LEXEME_NE,
    CR__LEXEME_LT,
    CR__LEXEME_LE,
    CR__LEXEME_GT,
    CR__LEXEME_GE
} cr__lexeme_type;

typedef struct cr__lexeme {
    cr__lexeme_type type;
    const char *text; /* NUL-terminated, without quotes */
    size_t length;
    size_t column; /* the character it begins at, from 1 */
} cr__lexeme;

/* All tokens of a text, ending in CR__LEXEME_END. */
cr_status cr__lexemes_make(cr__arena *arena, const char *text, cr__lexeme **tokens, cr_error *err);

/* Whether a token is the bare word `keyword`, whatever its case. */
int cr__lexeme_is(const cr__lexeme *token, const char *keyword);

/* An error about a token: what cr__fail says, and where. */
cr_status cr__fail_lexeme(cr_error *err, const cr__lexeme *token);

/* --- names: query_names.c ------------------------------------------------------------------- */

/* "variable in set", or a real variable compared with numbers. */
typedef struct cr__leaf {
    size_t column;
    cr__lexeme_type op; /* of a real variable; CR__LEXEME_EQ with several numbers is `in` */
    double *number;     /* [numbers] */
    size_t numbers;
    unsigned char *set; /* [values + 1] of any other */
    size_t values;
    size_t place; /* the character it begins at */
} cr__leaf;

/* Whether a column can be asked about; texts and row weights cannot. */
int cr__name_is_variable(const cr_model *model, size_t column);

/* The column that a name stands for. CR_EARG, with the nearest name, when there is none, or when it
 * cannot be asked about. */
cr_status cr__name_variable(const cr_model *model, const cr__lexeme *name, size_t *column,
                            cr_error *err);

/* The same without an error: SIZE_MAX when it is not a variable. */
size_t cr__name_find(const cr_model *model, const cr__lexeme *name);

/* Fill a leaf: a variable compared with a value; in a set of values; a bare name. */
cr_status cr__name_compare(const cr_model *model, cr__arena *arena, cr__leaf *leaf,
                           const cr__lexeme *value, cr_error *err);
cr_status cr__name_member(const cr_model *model, cr__arena *arena, cr__leaf *leaf,
                          const cr__lexeme *const *value, size_t count, cr_error *err);
cr_status cr__name_bare(const cr_model *model, cr__arena *arena, cr__leaf *leaf,
                        const cr__lexeme *name, cr_error *err);

/* --- the parsed form: query_parse.c --------------------------------------------------------- */

typedef struct cr__term {
    cr__question_op op;
    size_t first; /* where its subtree begins */
    size_t leaf;  /* of leaves */
} cr__term;

typedef struct cr__expression {
    cr__term *term; /* in postfix form */
    size_t terms, capacity;
} cr__expression;

typedef struct cr__query {
    cr__arena arena;
    cr_query_kind kind;
    size_t *column; /* [columns] variables asked for, those of the condition first */
    size_t columns, column_capacity;
    size_t givens;   /* how many of them are in the condition */
    int all;         /* instead: all variables */
    size_t *list[2]; /* of a separation: the columns on either side, and column[] between */
    size_t listed[2], list_capacity[2];
    size_t *forced; /* [forces] leaves of the condition that are set by intervention */
    size_t forces, forced_capacity;
    cr__expression question; /* no terms when only variables are asked for */
    cr__expression condition;
    size_t place;           /* the character where the question begins */
    size_t condition_place; /* the character where the condition begins; 0 without one */
    cr__leaf *leaf;
    size_t leaves, leaf_capacity;
} cr__query;

cr_status cr__query_parse(cr__query *out, const cr_model *model, const char *text, cr_error *err);
void cr__query_free(cr__query *query);

/* Whether a variable is asked for. */
int cr__query_asks(const cr__query *query, size_t column);

/* --- the question: query_question.c ------------------------------------------------------------
 */

/* What a model needs to know of a query. density: the condition fixes a real variable. */
cr_status cr__query_question(const cr__query *query, const cr_model *model, cr__question *out,
                             int *density, cr_error *err);

#endif
