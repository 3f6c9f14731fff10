/* ask/query_parse.c - tokens into postfix form.
 *
 *     query       P ( question [ | expression ] )   or   argmax ( variable [ | expression ] )
 *                 or   E ( variable [ | expression ] )
 *     question    variable   or   expression
 *     expression  terms joined by  not  and  or  ,   and parentheses, binding in that order: a
 *                 comma is an `and` that binds less than `or`
 *     term        variable = value   (also != < <= > >=),   variable in { value, … },   value
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "ask/query.h"

enum { PAREN = 0, COMMA = 1, OR = 2, AND = 3, NOT = 4 }; /* also how tightly they bind */

typedef struct operator
{
    int binds;
    const cr__lexeme *token;
}
operator;

typedef struct parser {
    cr__query *query;
    const cr_model *model;
    const cr__lexeme *at;
    cr__expression *into;
    operator* stack;
    size_t depth, capacity;
} parser;

void cr__query_free(cr__query *query)
{
    cr__free(query->question.term);
    cr__free(query->condition.term);
    cr__free(query->leaf);
    cr__arena_free(&query->arena);
    *query = (cr__query){0};
}

/* "'x'" or "the end". */
static const char *shown(const cr__lexeme *token, char *buffer, size_t size)
{
    if (token->type == CR__LEXEME_END)
        return "the end";
    buffer[0] = '\'';
    cr__printable(buffer + 1, size - 2, token->text, token->length);
    strcat(buffer, "'");
    return buffer;
}

static cr_status fail_expected(const cr__lexeme *token, const char *expected, cr_error *err)
{
    char found[48];

    cr__fail(err, CR_EARG, "%s is expected here, not %s", expected,
             shown(token, found, sizeof found));
    return cr__fail_lexeme(err, token);
}

static int is_keyword(const cr__lexeme *token)
{
    return cr__lexeme_is(token, "and") || cr__lexeme_is(token, "or") ||
           cr__lexeme_is(token, "not") || cr__lexeme_is(token, "in");
}

static int is_name(const cr__lexeme *token)
{
    return token->type == CR__LEXEME_QUOTED ||
           (token->type == CR__LEXEME_WORD && !is_keyword(token));
}

/* --- terms ---------------------------------------------------------------------------------- */

static cr_status emit(parser *p, cr__question_op op, size_t leaf, cr_error *err)
{
    cr__expression *x = p->into;
    const size_t at = x->terms;
    size_t first = at;

    if (!cr__grow(&x->term, &x->capacity, at + 1, sizeof *x->term))
        return cr__fail_memory(err);
    if (op != CR__QUESTION_LEAF)
        first = x->term[at - 1].first;
    if (op >= CR__QUESTION_AND)
        first = x->term[first - 1].first;
    x->term[x->terms++] = (cr__term){op, first, leaf};
    return CR_OK;
}

/* { value, value, … }; p->at is behind `in`. */
static cr_status take_set(parser *p, cr__leaf *leaf, cr_error *err)
{
    const cr__lexeme **list = NULL;
    size_t count = 0, capacity = 0;
    cr_status st = CR_OK;

    if (p->at->type != CR__LEXEME_SET)
        return fail_expected(p->at, "{ with a list of values", err);
    do {
        p->at++;
        if (!is_name(p->at))
            st = fail_expected(p->at, "a value", err);
        else if (!cr__grow(&list, &capacity, count + 1, sizeof *list))
            st = cr__fail_memory(err);
        else
            list[count++] = p->at++;
    } while (st == CR_OK && p->at->type == CR__LEXEME_COMMA);
    if (st == CR_OK && p->at->type != CR__LEXEME_SET_END)
        st = fail_expected(p->at, ", or }", err);
    if (st == CR_OK) {
        p->at++;
        st = cr__name_member(p->model, &p->query->arena, leaf, list, count, err);
    }
    cr__free(list);
    return st;
}

/* A term; p->at is its first token, a name. */
static cr_status take_leaf(parser *p, cr_error *err)
{
    cr__query *q = p->query;
    const cr__lexeme *name = p->at++;
    cr__leaf leaf = {.op = p->at->type, .place = name->column};
    cr_status st;

    if (cr__lexeme_is(p->at, "in")) {
        leaf.op = CR__LEXEME_EQ;
        p->at++;
        if ((st = cr__name_variable(p->model, name, &leaf.column, err)) == CR_OK)
            st = take_set(p, &leaf, err);
    } else if (p->at->type >= CR__LEXEME_EQ) {
        p->at++;
        if ((st = cr__name_variable(p->model, name, &leaf.column, err)) == CR_OK && !is_name(p->at))
            st = fail_expected(p->at, "a value", err);
        if (st == CR_OK)
            st = cr__name_compare(p->model, &q->arena, &leaf, p->at++, err);
    } else {
        st = cr__name_bare(p->model, &q->arena, &leaf, name, err);
    }
    if (st != CR_OK)
        return st;
    if (!cr__grow(&q->leaf, &q->leaf_capacity, q->leaves + 1, sizeof *q->leaf))
        return cr__fail_memory(err);
    q->leaf[q->leaves] = leaf;
    return emit(p, CR__QUESTION_LEAF, q->leaves++, err);
}

/* --- operators ------------------------------------------------------------------------------ */

static cr_status push(parser *p, int binds, cr_error *err)
{
    if (!cr__grow(&p->stack, &p->capacity, p->depth + 1, sizeof *p->stack))
        return cr__fail_memory(err);
    p->stack[p->depth++] = (operator){binds, p->at++};
    return CR_OK;
}

/* Write out the operators on the stack that bind at least so tightly. */
static cr_status pop(parser *p, int binds, cr_error *err)
{
    cr_status st = CR_OK;

    while (st == CR_OK && p->depth > 0 && p->stack[p->depth - 1].binds != PAREN &&
           p->stack[p->depth - 1].binds >= binds) {
        const int top = p->stack[--p->depth].binds;

        st = emit(p,
                  top == NOT  ? CR__QUESTION_NOT
                  : top == OR ? CR__QUESTION_OR
                              : CR__QUESTION_AND,
                  0, err);
    }
    return st;
}

/* What joins two terms, or PAREN. */
static int joins(const cr__lexeme *token)
{
    if (token->type == CR__LEXEME_COMMA)
        return COMMA;
    return cr__lexeme_is(token, "and") ? AND : cr__lexeme_is(token, "or") ? OR : PAREN;
}

static cr_status fail_operator(const parser *p, cr_error *err)
{
    const cr__lexeme *open = p->depth > 0 ? p->stack[p->depth - 1].token : NULL;

    if (open != NULL && p->at->type == CR__LEXEME_END) {
        cr__fail(err, CR_EARG, "the parenthesis that opens here is not closed");
        return cr__fail_lexeme(err, open);
    }
    if (p->at->type == CR__LEXEME_GIVEN) {
        cr__fail(err, CR_EARG, "a | cannot stand here");
        cr__fail_hint(err, CR_EARG,
                      "it parts the question from the condition, once; or is written "
                      "or");
        return cr__fail_lexeme(err, p->at);
    }
    return fail_expected(p->at, "and, or, a comma, | or )", err);
}

/* An expression, up to the | or ) that ends it. */
static cr_status take_expression(parser *p, cr__expression *into, int given, cr_error *err)
{
    cr_status st = CR_OK;
    int operand = 1; /* a term comes next, not an operator */

    p->into = into;
    p->depth = 0;
    while (st == CR_OK) {
        if (operand && cr__lexeme_is(p->at, "not")) {
            st = push(p, NOT, err);
        } else if (operand && p->at->type == CR__LEXEME_OPEN) {
            st = push(p, PAREN, err);
        } else if (operand && is_name(p->at)) {
            st = take_leaf(p, err);
            operand = 0;
        } else if (operand) {
            st = fail_expected(p->at, "a variable, a value or (", err);
        } else if (joins(p->at) != PAREN) {
            if ((st = pop(p, joins(p->at), err)) == CR_OK)
                st = push(p, joins(p->at), err);
            operand = 1;
        } else {
            if ((st = pop(p, PAREN, err)) != CR_OK)
                return st;
            if (p->depth == 0 &&
                (p->at->type == CR__LEXEME_CLOSE || (p->at->type == CR__LEXEME_GIVEN && given)))
                return CR_OK;
            if (p->depth == 0 || p->at->type != CR__LEXEME_CLOSE)
                return fail_operator(p, err);
            p->depth--;
            p->at++;
        }
    }
    return st;
}

/* --- queries -------------------------------------------------------------------------------- */

/* Whether the question is nothing but the name of a variable. */
static int is_variable_alone(const parser *p)
{
    return is_name(p->at) &&
           (p->at[1].type == CR__LEXEME_GIVEN || p->at[1].type == CR__LEXEME_CLOSE) &&
           (cr__name_find(p->model, p->at) != SIZE_MAX || p->query->kind != CR_QUERY_PROBABILITY);
}

static cr_status take_asked(parser *p, cr_error *err)
{
    cr__query *q = p->query;
    const cr__lexeme *name = p->at++;
    cr_status st = cr__name_variable(p->model, name, &q->asked, err);

    if (st != CR_OK)
        return st;
    if (!cr__model_is_number(p->model, q->asked)) {
        if (q->kind != CR_QUERY_NUMBER)
            return CR_OK;
        cr__fail(err, CR_EARG, "the values of '%s' are no numbers, so it has no mean", name->text);
        cr__fail_hint(err, CR_EARG, "P(%s) asks for its distribution", name->text);
        return cr__fail_lexeme(err, name);
    }
    if (p->model->learner->has_joint != NULL && p->model->learner->has_joint->is_number != NULL &&
        q->kind != CR_QUERY_ARGMAX) {
        q->kind = CR_QUERY_NUMBER;
        return CR_OK;
    }
    cr__fail(err, CR_EARG, "the distribution of '%s' is no table: its values are numbers",
             name->text);
    cr__fail_hint(err, CR_EARG, "P(%s <= NUMBER) asks for one probability", name->text);
    return cr__fail_lexeme(err, name);
}

static cr_status take_question(parser *p, cr_error *err)
{
    cr__query *q = p->query;

    if (!is_variable_alone(p) && q->kind != CR_QUERY_PROBABILITY)
        return fail_expected(p->at, "the name of a variable, and then | or ),", err);
    if (!is_variable_alone(p))
        return take_expression(p, &q->question, 1, err);
    if (q->kind == CR_QUERY_PROBABILITY)
        q->kind = CR_QUERY_DISTRIBUTION;
    return take_asked(p, err);
}

static cr_status take_query(parser *p, cr_error *err)
{
    cr__query *q = p->query;
    cr_status st;

    if (cr__lexeme_is(p->at, "argmax"))
        q->kind = CR_QUERY_ARGMAX;
    else if (cr__lexeme_is(p->at, "e"))
        q->kind = CR_QUERY_NUMBER;
    else if (cr__lexeme_is(p->at, "p"))
        q->kind = CR_QUERY_PROBABILITY;
    else
        return fail_expected(p->at, "P(...), E(...) or argmax(...)", err);
    if ((++p->at)->type != CR__LEXEME_OPEN)
        return fail_expected(p->at, "(", err);
    p->at++;
    if ((st = take_question(p, err)) != CR_OK)
        return st;
    if (p->at->type == CR__LEXEME_GIVEN) {
        q->condition_place = (++p->at)->column;
        if ((st = take_expression(p, &q->condition, 0, err)) != CR_OK)
            return st;
    }
    p->at++; /* the ) that ended it */
    if (p->at->type != CR__LEXEME_END)
        return fail_expected(p->at, "nothing more", err);
    return CR_OK;
}

cr_status cr__query_parse(cr__query *out, const cr_model *model, const char *text, cr_error *err)
{
    parser p = {.query = out, .model = model};
    cr__lexeme *tokens;
    cr_status st;

    *out = (cr__query){.asked = SIZE_MAX};
    if ((st = cr__lexemes_make(&out->arena, text, &tokens, err)) == CR_OK) {
        p.at = tokens;
        st = take_query(&p, err);
    }
    cr__free(p.stack);
    if (st != CR_OK)
        cr__query_free(out);
    return st;
}
