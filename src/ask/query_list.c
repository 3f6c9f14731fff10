/* ask/query_list.c - items between commas in a query that are not expressions: variables by their
 * names alone, * for all of them, and do(VARIABLE=VALUE, …).
 *
 * Such items are removed from the tokens, and the rest is an expression, or nothing.
 */
#include <string.h>

#include "ask/query_parse.h"
#include "base/fail.h"
#include "base/memory.h"

int cr__query_asks(const cr__query *q, size_t column)
{
    for (size_t i = 0; i < q->columns; i++)
        if (q->column[i] == column)
            return 1;
    return 0;
}

/* The | or ) that ends the list, or the end of all. */
static const cr__lexeme *end_of_list(const cr__lexeme *at)
{
    size_t depth = 0;

    for (; at->type != CR__LEXEME_END; at++) {
        if (depth == 0 && (at->type == CR__LEXEME_GIVEN || at->type == CR__LEXEME_CLOSE))
            break;
        depth += at->type == CR__LEXEME_OPEN || at->type == CR__LEXEME_SET;
        depth -= depth > 0 && (at->type == CR__LEXEME_CLOSE || at->type == CR__LEXEME_SET_END);
    }
    return at;
}

/* The comma that ends an item, or the end of the list. */
static const cr__lexeme *end_of_item(const cr__lexeme *at, const cr__lexeme *end)
{
    size_t depth = 0;

    for (; at < end && (depth > 0 || at->type != CR__LEXEME_COMMA); at++) {
        depth += at->type == CR__LEXEME_OPEN || at->type == CR__LEXEME_SET;
        depth -= depth > 0 && (at->type == CR__LEXEME_CLOSE || at->type == CR__LEXEME_SET_END);
    }
    return at;
}

static int is_all(const cr__lexeme *token)
{
    return token->type == CR__LEXEME_WORD && strcmp(token->text, "*") == 0;
}

static int is_do(const cr__lexeme *token)
{
    return cr__lexeme_is(token, "do") && token[1].type == CR__LEXEME_OPEN;
}

/* --- variables ------------------------------------------------------------------------------ */

static cr_status fail_twice(const cr__lexeme *name, int given, cr_error *err)
{
    cr__fail(err, CR_EARG,
             given ? "'%s' is asked for and in the condition, too" : "'%s' is queried twice",
             name->text);
    return cr__fail_lexeme(err, name);
}

static cr_status add_variable(cr__parser *p, const cr__lexeme *name, int given, cr_error *err)
{
    cr__query *q = p->query;
    size_t column, at;
    cr_status st = cr__name_variable(p->model, name, &column, err);

    if (st != CR_OK)
        return st;
    if (cr__query_asks(q, column))
        return fail_twice(name, given, err);
    if (!cr__grow(&q->column, &q->column_capacity, q->columns + 1, sizeof *q->column))
        return cr__fail_memory(err);
    at = given ? q->givens : q->columns;
    memmove(q->column + at + 1, q->column + at, (q->columns - at) * sizeof *q->column);
    q->column[at] = column;
    q->columns++;
    q->givens += (size_t)given;
    return CR_OK;
}

/* --- interventions -------------------------------------------------------------------------- */

/* do(VARIABLE=VALUE, …); the leaves are kept, and joined to the condition when all of it is known.
 */
static cr_status take_do(cr__parser *p, const cr__lexeme *at, const cr__lexeme *end, cr_error *err)
{
    cr__query *q = p->query;
    cr_status st = CR_OK;

    for (at += 2; st == CR_OK; at += 4) {
        cr__leaf leaf = {.op = CR__LEXEME_EQ, .place = at->column};

        if (!cr__is_name(at))
            return cr__fail_expected(at, "a variable", err);
        if (at[1].type != CR__LEXEME_EQ)
            return cr__fail_expected(at + 1, "=", err);
        if (!cr__is_name(at + 2))
            return cr__fail_expected(at + 2, "a value", err);
        if ((st = cr__name_variable(p->model, at, &leaf.column, err)) != CR_OK ||
            (st = cr__name_compare(p->model, &q->arena, &leaf, at + 2, err)) != CR_OK)
            return st;
        if (!cr__grow(&q->leaf, &q->leaf_capacity, q->leaves + 1, sizeof *q->leaf) ||
            !cr__grow(&q->forced, &q->forced_capacity, q->forces + 1, sizeof *q->forced))
            return cr__fail_memory(err);
        q->forced[q->forces++] = q->leaves;
        q->leaf[q->leaves++] = leaf;
        if (at[3].type != CR__LEXEME_COMMA && !cr__lexeme_is(at + 3, "and"))
            break;
    }
    if (at[3].type != CR__LEXEME_CLOSE)
        return cr__fail_expected(at + 3, "a comma or )", err);
    if (at + 4 != end)
        return cr__fail_expected(at + 4, "a comma, | or )", err);
    return CR_OK;
}

/* --- lists ---------------------------------------------------------------------------------- */

cr_status cr__take_list(cr__parser *p, int given, size_t *others, cr_error *err)
{
    const cr__lexeme *const end = end_of_list(p->at);
    const cr__lexeme *at = p->at, *next;
    cr__lexeme *rest = cr__arena_alloc(&p->query->arena, (size_t)(end - at) + 1, sizeof *rest);
    size_t left = 0;
    cr_status st = rest == NULL ? cr__fail_memory(err) : CR_OK;

    *others = 0;
    for (; st == CR_OK; at = next + 1) {
        next = end_of_item(at, end);
        if (given && next > at && is_do(at)) {
            st = take_do(p, at, next, err);
        } else if (!given && next == at + 1 && is_all(at)) {
            p->query->all = 1;
        } else if (next == at + 1 && cr__is_name(at) && cr__name_find(p->model, at) != SIZE_MAX) {
            st = add_variable(p, at, given, err);
        } else {
            if (*others > 0)
                rest[left++] = at[-1]; /* the comma */
            memcpy(rest + left, at, (size_t)(next - at) * sizeof *rest);
            left += (size_t)(next - at);
            ++*others;
        }
        if (next == end)
            break;
    }
    p->at = end - left;
    if (st == CR_OK && left > 0)
        memcpy((cr__lexeme *)p->at, rest, left * sizeof *rest);
    return st;
}

/* --- separation ----------------------------------------------------------------------------- */

static cr_status add_side(cr__parser *p, int side, const cr__lexeme *name, cr_error *err)
{
    cr__query *q = p->query;
    size_t column;
    cr_status st;

    if (!cr__is_name(name))
        return cr__fail_expected(name, "a variable", err);
    if ((st = cr__name_variable(p->model, name, &column, err)) != CR_OK)
        return st;
    if (!cr__grow(&q->list[side], &q->list_capacity[side], q->listed[side] + 1,
                  sizeof *q->list[side]))
        return cr__fail_memory(err);
    q->list[side][q->listed[side]++] = column;
    return CR_OK;
}

/* A variable, or several in { }. */
static cr_status take_side(cr__parser *p, int side, cr_error *err)
{
    cr_status st = CR_OK;

    if (p->at->type != CR__LEXEME_SET)
        return add_side(p, side, p->at++, err);
    do {
        p->at++;
        st = add_side(p, side, p->at++, err);
    } while (st == CR_OK && p->at->type == CR__LEXEME_COMMA);
    if (st == CR_OK && (p->at++)->type != CR__LEXEME_SET_END)
        return cr__fail_expected(p->at - 1, ", or }", err);
    return st;
}

cr_status cr__take_separation(cr__parser *p, cr_error *err)
{
    cr_status st = take_side(p, 0, err);

    if (st == CR_OK && (p->at++)->type != CR__LEXEME_COMMA)
        return cr__fail_expected(p->at - 1, "a comma", err);
    if (st == CR_OK)
        st = take_side(p, 1, err);
    if (st == CR_OK && p->at->type == CR__LEXEME_GIVEN)
        do {
            const cr__lexeme *name = ++p->at;

            if (!cr__is_name(name))
                return cr__fail_expected(name, "a variable", err);
            st = add_variable(p, name, 0, err);
            p->at++;
        } while (st == CR_OK && p->at->type == CR__LEXEME_COMMA);
    if (st == CR_OK && p->at->type != CR__LEXEME_CLOSE)
        return cr__fail_expected(p->at, "a comma, | or )", err);
    p->at++;
    return st;
}
