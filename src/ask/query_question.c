/* ask/query_question.c - from a parsed query to a question: which values it cannot distinguish. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "ask/query.h"

/* The index of each column among the question's variables; SIZE_MAX: not mentioned. */
typedef struct builder {
    const cr__query *query;
    const cr_model *model;
    cr__question *question;
    size_t *place; /* [columns] */
} builder;

/* --- variables ------------------------------------------------------------------------------ */

static void mention(builder *b, size_t column)
{
    cr__question *e = b->question;

    if (b->place[column] != SIZE_MAX)
        return;
    b->place[column] = e->variables;
    e->variable[e->variables++] = (cr__question_variable){
        .column = column, .values = b->model->values[column], .observed = SIZE_MAX};
}

/* The condition's variables first, as they come, and those that are asked for last. */
static cr_status list_variables(builder *b, cr_error *err)
{
    const cr__query *q = b->query;
    const cr__expression *parts[2] = {&q->condition, &q->question};

    b->question->variable =
        cr__arena_alloc(&b->question->arena, q->leaves + q->columns, sizeof *b->question->variable);
    if (b->question->variable == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < b->model->schema->columns; i++)
        b->place[i] = SIZE_MAX;
    for (int part = 0; part < 2; part++)
        for (size_t i = 0; i < parts[part]->terms; i++) {
            const cr__term *t = &parts[part]->term[i];

            if (t->op == CR__QUESTION_LEAF && !cr__query_asks(q, q->leaf[t->leaf].column))
                mention(b, q->leaf[t->leaf].column);
        }
    for (size_t i = 0; i < q->columns; i++)
        mention(b, q->column[i]);
    b->question->asked = q->columns;
    return CR_OK;
}

/* --- symbols -------------------------------------------------------------------------------- */

/* Split the blocks by one more set: values in it go to a block of their own. */
static cr_status refine(cr__question_variable *v, const unsigned char *set, cr_error *err)
{
    uint32_t *moved = cr__alloc_zero(v->blocks * 2, sizeof *moved); /* new name of each half */
    uint32_t next = 0;

    if (moved == NULL)
        return cr__fail_memory(err);
    for (size_t k = 0; k <= v->values; k++) {
        uint32_t *name = &moved[v->block_of[k] * 2 + (set[k] != 0)];

        if (*name == 0)
            *name = ++next;
        v->block_of[k] = *name - 1;
    }
    v->blocks = next;
    cr__free(moved);
    return CR_OK;
}

static cr_status make_symbol(builder *b, cr__question_variable *v, cr_error *err)
{
    const cr__query *q = b->query;
    const int asked = cr__query_asks(q, v->column);
    cr_status st = CR_OK;

    v->block_of = cr__arena_alloc(&b->question->arena, v->values + 1, sizeof *v->block_of);
    if (v->block_of == NULL)
        return cr__fail_memory(err);
    for (size_t k = 0; k <= v->values; k++)
        v->block_of[k] = asked ? (uint32_t)k : 0;
    v->blocks = asked ? v->values + 1 : 1;
    for (size_t i = 0; st == CR_OK && i < q->leaves && !asked; i++)
        if (q->leaf[i].column == v->column)
            st = refine(v, q->leaf[i].set, err);
    return st;
}

/* --- numbers -------------------------------------------------------------------------------- */

static int compare_numbers(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;

    return a < b ? -1 : a > b;
}

static size_t find_threshold(const cr__question_variable *v, double x)
{
    size_t low = 0, high = v->thresholds;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (v->threshold[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The numbers that the variable is compared with, each once. */
static cr_status make_real(builder *b, cr__question_variable *v, cr_error *err)
{
    const cr__query *q = b->query;
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < q->leaves; i++)
        count += q->leaf[i].column == v->column ? q->leaf[i].numbers : 0;
    v->threshold = cr__arena_alloc(&b->question->arena, count, sizeof *v->threshold);
    if (v->threshold == NULL)
        return cr__fail_memory(err);
    count = 0;
    for (size_t i = 0; i < q->leaves; i++)
        if (q->leaf[i].column == v->column) {
            memcpy(v->threshold + count, q->leaf[i].number,
                   q->leaf[i].numbers * sizeof *v->threshold);
            count += q->leaf[i].numbers;
        }
    qsort(v->threshold, count, sizeof *v->threshold, compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || v->threshold[i] != v->threshold[kept - 1])
            v->threshold[kept++] = v->threshold[i];
    v->thresholds = kept;
    v->blocks = 2 * kept + 1;
    return CR_OK;
}

/* --- leaves --------------------------------------------------------------------------------- */

/* Block 2k + 1 is threshold k itself, block 2k lies right below it. */
static int real_truth(const cr__leaf *leaf, const cr__question_variable *v, size_t block)
{
    const size_t at = 2 * find_threshold(v, leaf->number[0]) + 1;

    switch (leaf->op) {
    case CR__LEXEME_LT: return block < at;
    case CR__LEXEME_LE: return block <= at;
    case CR__LEXEME_GT: return block > at;
    case CR__LEXEME_GE: return block >= at;
    case CR__LEXEME_NE: return block != at;
    default: break;
    }
    for (size_t i = 0; i < leaf->numbers; i++)
        if (block == 2 * find_threshold(v, leaf->number[i]) + 1)
            return 1;
    return 0;
}

static cr_status make_leaf(builder *b, cr__question_node *node, const cr__leaf *leaf, cr_error *err)
{
    const cr__question_variable *v;

    node->variable = b->place[leaf->column];
    v = &b->question->variable[node->variable];
    node->truth = cr__arena_alloc(&b->question->arena, v->blocks, 1);
    if (node->truth == NULL)
        return cr__fail_memory(err);
    if (leaf->set != NULL)
        for (size_t k = 0; k <= v->values; k++)
            node->truth[v->block_of[k]] = leaf->set[k];
    else
        for (size_t k = 0; k < v->blocks; k++)
            node->truth[k] = (unsigned char)real_truth(leaf, v, k);
    return CR_OK;
}

static cr_status make_nodes(builder *b, const cr__expression *x, size_t *root, cr_error *err)
{
    cr__question *e = b->question;
    const size_t start = e->nodes;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < x->terms; i++) {
        cr__question_node *node = &e->node[e->nodes++];

        *node = (cr__question_node){.op = x->term[i].op, .first = start + x->term[i].first};
        if (node->op == CR__QUESTION_LEAF)
            st = make_leaf(b, node, &b->query->leaf[x->term[i].leaf], err);
    }
    *root = x->terms > 0 ? e->nodes - 1 : SIZE_MAX;
    return st;
}

/* --- observations --------------------------------------------------------------------------- */

/* An equation of a real variable is an observation when the condition is a conjunction and the
 * equation is one of its parts. */
static cr_status find_observations(builder *b, int *density, cr_error *err)
{
    const cr__expression *x = &b->query->condition;
    unsigned char *top = cr__alloc_zero(x->terms, 1);

    *density = 0;
    if (top == NULL)
        return cr__fail_memory(err);
    if (x->terms > 0)
        top[x->terms - 1] = 1;
    for (size_t i = x->terms; i-- > 0;) {
        const cr__leaf *leaf = &b->query->leaf[x->term[i].leaf];

        if (!top[i])
            continue;
        if (x->term[i].op == CR__QUESTION_AND) {
            top[i - 1] = 1;
            top[x->term[i - 1].first - 1] = 1;
        } else if (x->term[i].op == CR__QUESTION_LEAF && leaf->set == NULL &&
                   leaf->op == CR__LEXEME_EQ && leaf->numbers == 1) {
            cr__question_variable *v = &b->question->variable[b->place[leaf->column]];

            v->observed = find_threshold(v, leaf->number[0]);
            *density = 1;
        }
    }
    cr__free(top);
    return CR_OK;
}

/* How many outcomes there are: all combinations of what is asked for. */
static cr_status count_outcomes(cr__question *e, cr_error *err)
{
    double cells = e->question == SIZE_MAX ? 1 : 2;

    for (size_t i = e->variables - e->asked; i < e->variables; i++)
        cells *= (double)e->variable[i].blocks;
    if (cells > CR__OUTCOMES_MAX)
        return cr__fail(err, CR_ELIMIT,
                        "a table of %zu variables would have %.3g cells; %g at most", e->asked,
                        cells, (double)CR__OUTCOMES_MAX);
    e->outcomes = (size_t)cells;
    return CR_OK;
}

cr_status cr__query_question(const cr__query *query, const cr_model *model, cr__question *out,
                             int *density, cr_error *err)
{
    builder b = {.query = query, .model = model, .question = out};
    cr_status st;

    *out = (cr__question){.condition = SIZE_MAX, .question = SIZE_MAX};
    b.place = cr__alloc(model->schema->columns, sizeof *b.place);
    out->node = cr__arena_alloc(&out->arena, query->condition.terms + query->question.terms,
                                sizeof *out->node);
    if (b.place == NULL || out->node == NULL)
        st = cr__fail_memory(err);
    else
        st = list_variables(&b, err);
    for (size_t i = 0; st == CR_OK && i < out->variables; i++)
        st = cr__model_is_number(model, out->variable[i].column)
                 ? make_real(&b, &out->variable[i], err)
                 : make_symbol(&b, &out->variable[i], err);
    if (st == CR_OK)
        st = make_nodes(&b, &query->condition, &out->condition, err);
    if (st == CR_OK)
        st = make_nodes(&b, &query->question, &out->question, err);
    if (st == CR_OK)
        st = find_observations(&b, density, err);
    if (st == CR_OK)
        st = count_outcomes(out, err);
    cr__free(b.place);
    if (st != CR_OK)
        cr__question_free(out);
    return st;
}
