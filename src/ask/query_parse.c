/* ask/query_parse.c - tokens into postfix form.
 *
 *     query       P ( question [ | condition ] )   or   argmax ( variables [ | condition ] )
 *                 or   E ( variable [ | condition ] )   or   inform ( variable [ | condition ] )
 *                 or   dsep ( variables , variables [ | variables ] )
 *     question    *   or   variables and an expression, separated by commas
 *     condition   variables, do ( variable = value , … ) and an expression, separated by commas
 *     expression  terms joined by  not  and  or  ,   and parentheses, binding in that order: a
 *                 comma is an `and` that binds less than `or`
 *     term        variable = value   (also != < <= > >=),   variable in { value, … },   value
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "ask/query_parse.h"

enum { PAREN = 0, COMMA = 1, OR = 2, AND = 3, NOT = 4 }; /* also how tightly they bind */

typedef cr__parser parser;

void cr__query_free(cr__query *query)
{
    cr__free(query->question.term);
    cr__free(query->condition.term);
    cr__free(query->leaf);
    cr__free(query->column);
    cr__free(query->list[0]);
    cr__free(query->list[1]);
    cr__free(query->forced);
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

cr_status cr__fail_expected(const cr__lexeme *token, const char *expected, cr_error *err)
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

int cr__is_name(const cr__lexeme *token)
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
        return cr__fail_expected(p->at, "{ with a list of values", err);
    do {
        p->at++;
        if (!cr__is_name(p->at))
            st = cr__fail_expected(p->at, "a value", err);
        else if (!cr__grow(&list, &capacity, count + 1, sizeof *list))
            st = cr__fail_memory(err);
        else
            list[count++] = p->at++;
    } while (st == CR_OK && p->at->type == CR__LEXEME_COMMA);
    if (st == CR_OK && p->at->type != CR__LEXEME_SET_END)
        st = cr__fail_expected(p->at, ", or }", err);
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
        if ((st = cr__name_variable(p->model, name, &leaf.column, err)) == CR_OK &&
            !cr__is_name(p->at))
            st = cr__fail_expected(p->at, "a value", err);
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
    p->stack[p->depth++] = (cr__operator){binds, p->at++};
    return CR_OK;
}

/* Write out the operators on the stack that bind at least this tightly. */
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
                      "it separates the question from the condition, once; or is written "
                      "or");
        return cr__fail_lexeme(err, p->at);
    }
    return cr__fail_expected(p->at, "and, or, a comma, | or )", err);
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
        } else if (operand && cr__is_name(p->at)) {
            st = take_leaf(p, err);
            operand = 0;
        } else if (operand) {
            st = cr__fail_expected(p->at, "a variable, a value or (", err);
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

/* Numbers have no table of probabilities. */
static cr_status fail_number(const parser *p, size_t column, cr_error *err)
{
    const char *name = p->model->schema->column[column].name;

    cr__fail(err, CR_EARG, "the distribution of '%s' is not a table: its values are numbers", name);
    cr__fail_hint(err, CR_EARG, "P(%s <= NUMBER) asks for one probability", name);
    if (err != NULL)
        err->column = p->query->place;
    return CR_EARG;
}

/* One variable alone may be a number of a network: then its mean and spread are meant. */
static cr_status check_variables(parser *p, cr_error *err)
{
    cr__query *q = p->query;
    const int alone = q->columns == 1 && q->givens == 0 && q->question.terms == 0;
    const int numbers =
        p->model->learner->has_joint != NULL && p->model->learner->has_joint->is_number != NULL;

    if (alone && q->kind == CR_QUERY_NUMBER && !cr__model_is_number(p->model, q->column[0])) {
        const char *name = p->model->schema->column[q->column[0]].name;

        cr__fail(err, CR_EARG, "the values of '%s' are not numbers, so it has no mean", name);
        cr__fail_hint(err, CR_EARG, "P(%s) asks for its distribution", name);
        if (err != NULL)
            err->column = q->place;
        return CR_EARG;
    }
    if (alone && numbers && q->kind <= CR_QUERY_NUMBER && q->kind != CR_QUERY_ARGMAX &&
        cr__model_is_number(p->model, q->column[0])) {
        q->kind = CR_QUERY_NUMBER;
        return CR_OK;
    }
    for (size_t i = 0; i < q->columns; i++)
        if (cr__model_is_number(p->model, q->column[i]))
            return fail_number(p, q->column[i], err);
    return CR_OK;
}

/* The kind of the answer, now that the whole query is known. */
static cr_status settle_kind(parser *p, cr_error *err)
{
    cr__query *q = p->query;
    const size_t asked = q->columns - q->givens;

    if ((q->all || q->kind != CR_QUERY_PROBABILITY) && q->givens > 0) {
        const char *name = p->model->schema->column[q->column[0]].name;

        cr__fail(err, CR_EARG, "the condition names '%s' without a value", name);
        cr__fail_hint(err, CR_EARG, "write %s=VALUE; only P(...) is answered for all of them",
                      name);
        if (err != NULL)
            err->column = q->condition_place;
        return CR_EARG;
    }
    if (q->kind == CR_QUERY_PROBABILITY && q->all)
        q->kind = CR_QUERY_BELIEFS;
    else if (q->kind == CR_QUERY_PROBABILITY && q->columns > 0)
        q->kind = asked == 1 && q->givens == 0 && q->question.terms == 0 ? CR_QUERY_DISTRIBUTION
                                                                         : CR_QUERY_TABLE;
    else if (q->kind == CR_QUERY_ARGMAX && (q->all || asked > 1))
        q->kind = CR_QUERY_STATES;
    return q->all ? CR_OK : check_variables(p, err);
}

/* What P, argmax, E or inform is about. */
static cr_status take_question(parser *p, cr_error *err)
{
    static const char wanted[] = "the name of a variable, and then | or ),";
    cr__query *q = p->query;
    const cr__lexeme *first = p->at;
    const int single = q->kind == CR_QUERY_NUMBER || q->kind == CR_QUERY_INFORMATION;
    size_t others, column;
    cr_status st = cr__take_list(p, 0, &others, err);

    if (st != CR_OK)
        return st;
    if (q->kind != CR_QUERY_PROBABILITY && others > 0) {
        if (cr__is_name(p->at) &&
            (p->at[1].type == CR__LEXEME_GIVEN || p->at[1].type == CR__LEXEME_CLOSE) &&
            (st = cr__name_variable(p->model, p->at, &column, err)) != CR_OK)
            return st;
        return cr__fail_expected(p->at, wanted, err);
    }
    if ((q->all && (others > 0 || q->columns > 0 || single)) || (single && q->columns != 1))
        return cr__fail_expected(first, single ? wanted : "* alone", err);
    return others > 0 ? take_expression(p, &q->question, 1, err) : CR_OK;
}

/* Variables set by intervention are part of the condition, too. */
static cr_status join_forced(parser *p, cr_error *err)
{
    cr__query *q = p->query;
    cr_status st = CR_OK;

    p->into = &q->condition;
    for (size_t i = 0; st == CR_OK && i < q->forces; i++) {
        st = emit(p, CR__QUESTION_LEAF, q->forced[i], err);
        if (st == CR_OK && q->condition.terms > 1)
            st = emit(p, CR__QUESTION_AND, 0, err);
    }
    return st;
}

static cr_status take_condition(parser *p, cr_error *err)
{
    cr__query *q = p->query;
    size_t others;
    cr_status st;

    q->condition_place = (++p->at)->column;
    if ((st = cr__take_list(p, 1, &others, err)) != CR_OK)
        return st;
    if (others > 0)
        st = take_expression(p, &q->condition, 0, err);
    else if (p->at->type != CR__LEXEME_CLOSE)
        st = fail_operator(p, err);
    return st == CR_OK ? join_forced(p, err) : st;
}

static cr_status take_query(parser *p, cr_error *err)
{
    static const char *const names[] = {"p", "argmax", "e", "dsep", "inform"};
    static const cr_query_kind kinds[] = {CR_QUERY_PROBABILITY, CR_QUERY_ARGMAX, CR_QUERY_NUMBER,
                                          CR_QUERY_SEPARATION, CR_QUERY_INFORMATION};
    cr__query *q = p->query;
    cr_status st;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cr__lexeme_is(p->at, names[i]))
            q->kind = kinds[i];
    if (q->kind == 0)
        return cr__fail_expected(p->at, "P(...), E(...), argmax(...), dsep(...) or inform(...)",
                                 err);
    if ((++p->at)->type != CR__LEXEME_OPEN)
        return cr__fail_expected(p->at, "(", err);
    q->place = (++p->at)->column;
    if (q->kind == CR_QUERY_SEPARATION) {
        if ((st = cr__take_separation(p, err)) != CR_OK)
            return st;
    } else {
        if ((st = take_question(p, err)) != CR_OK)
            return st;
        if (p->at->type == CR__LEXEME_GIVEN && (st = take_condition(p, err)) != CR_OK)
            return st;
        if (p->at->type != CR__LEXEME_CLOSE)
            return cr__fail_expected(p->at, "a comma, | or )", err);
        p->at++; /* the ) that ended it */
        if ((st = settle_kind(p, err)) != CR_OK)
            return st;
    }
    if (p->at->type != CR__LEXEME_END)
        return cr__fail_expected(p->at, "nothing more", err);
    return CR_OK;
}

cr_status cr__query_parse(cr__query *out, const cr_model *model, const char *text, cr_error *err)
{
    parser p = {.query = out, .model = model};
    cr__lexeme *tokens;
    cr_status st;

    *out = (cr__query){0};
    if ((st = cr__lexemes_make(&out->arena, text, &tokens, err)) == CR_OK) {
        p.at = tokens;
        st = take_query(&p, err);
    }
    cr__free(p.stack);
    if (st != CR_OK)
        cr__query_free(out);
    return st;
}
