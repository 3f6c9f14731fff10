/* ask/answer_table.c - joint and conditional tables.
 *
 *     P(a, b | c, e): for each value of c, P(a, b, c, e) / P(c, e)
 *
 * One measurement gives P(c, a, b, e) of all combinations; each value of c is a row of it.
 */
#include <math.h>

#include "ask/answer.h"
#include "base/fail.h"
#include "base/memory.h"

/* How many values of each variable the table shows: those known, and one for any other value where
 * that has some probability. */
static void count_values(const cr__question *e, const cr__scaled *mass, size_t split, size_t *shown)
{
    const size_t first = e->variables - e->asked;

    for (size_t i = 0; i < e->asked; i++)
        shown[i] = e->variable[first + i].values;
    for (size_t cell = 0; cell < e->outcomes; cell++) {
        size_t rest = cell / split;

        if (!(mass[cell].value > 0))
            continue;
        for (size_t i = e->asked; i-- > 0;) {
            const cr__question_variable *v = &e->variable[first + i];

            if (rest % v->blocks == v->values)
                shown[i] = v->values + 1;
            rest /= v->blocks;
        }
    }
}

/* Where a cell of the table is among the outcomes. */
static size_t outcome_of(const cr__question *e, const size_t *shown, size_t cell)
{
    const size_t first = e->variables - e->asked;
    size_t outcome = 0, stride = 1;

    for (size_t i = e->asked; i-- > 0;) {
        outcome += cell % shown[i] * stride;
        stride *= e->variable[first + i].blocks;
        cell /= shown[i];
    }
    return outcome;
}

/* The sum of a row, the outcomes that agree in what is given. */
static cr__scaled row_total(const cr__scaled *mass, size_t row, size_t cells)
{
    cr__scaled total = {0, 0};

    for (size_t i = 0; i < cells; i++)
        total = cr__scaled_add(total, mass[row * cells + i]);
    return total;
}

/* The values of a table. */
typedef struct cells {
    const cr__question *question;
    const cr__scaled *mass;
    size_t *shown; /* [asked] values of each variable */
    size_t count, in_row;
    double *p, *log_p, *errors; /* [count]; no errors of an exact answer */
} cells;

/* A cell's error is that of a share of the total; relative to its row it is larger accordingly. */
static void fill_cells(const cells *c, cr_answer *a)
{
    const cr__question *e = c->question;
    const size_t split = e->question == SIZE_MAX ? 1 : 2;
    const cr__scaled all = row_total(c->mass, 0, e->outcomes);
    cr__scaled total = {0, 0};
    size_t row = SIZE_MAX;

    a->log_probability = -INFINITY;
    for (size_t i = 0; i < c->count; i++) {
        const size_t at = outcome_of(e, c->shown, i) * split;

        if (at / c->in_row != row)
            total = row_total(c->mass, row = at / c->in_row, c->in_row);
        c->p[i] = total.value > 0 ? cr__scaled_ratio(c->mass[at], total) : NAN;
        c->log_p[i] = total.value > 0 ? cr__log_share(c->mass[at], total) : NAN;
        if (c->errors != NULL)
            c->errors[i] =
                total.value > 0 ? e->report->error[at] / cr__scaled_ratio(total, all) : NAN;
        if (c->log_p[i] > a->log_probability) {
            a->log_probability = c->log_p[i];
            a->best = i;
        }
    }
    a->values = c->count;
    a->p = c->p;
    a->log_p = c->log_p;
    a->errors = c->errors;
    a->probability = c->p[a->best];
    a->error = c->errors == NULL ? NAN : c->errors[a->best];
}

static cr_status make_cells(cr__answering *k, cells *c, cr_error *err)
{
    const cr__question *e = c->question;
    const size_t first = e->variables - e->asked;

    c->shown = cr__arena_alloc(k->arena, e->asked, sizeof *c->shown);
    if (c->shown == NULL)
        return cr__fail_memory(err);
    c->count = 1;
    c->in_row = e->question == SIZE_MAX ? 1 : 2;
    count_values(e, c->mass, c->in_row, c->shown);
    for (size_t i = 0; i < e->asked; i++)
        c->count *= c->shown[i];
    for (size_t i = k->query->givens; i < e->asked; i++)
        c->in_row *= e->variable[first + i].blocks;
    c->p = cr__arena_alloc(k->arena, c->count, sizeof *c->p);
    c->log_p = cr__arena_alloc(k->arena, c->count, sizeof *c->log_p);
    if (e->report->method != NULL &&
        (c->errors = cr__arena_alloc(k->arena, c->count, sizeof *c->errors)) == NULL)
        return cr__fail_memory(err);
    return c->p == NULL || c->log_p == NULL ? cr__fail_memory(err) : CR_OK;
}

cr_status cr__answer_table(cr__answering *k, const cr__question *question, const cr__scaled *mass,
                           cr_error *err)
{
    cells c = {.question = question, .mass = mass};
    cr_query_variable *about = cr__arena_alloc(k->arena, question->asked, sizeof *about);
    cr_status st = about == NULL ? cr__fail_memory(err) : make_cells(k, &c, err);

    for (size_t i = 0; st == CR_OK && i < question->asked; i++) {
        st = cr__answer_name(k, k->query->column[i], c.shown[i], &about[i], err);
        about[i].given = i < k->query->givens;
    }
    if (st != CR_OK)
        return st;
    fill_cells(&c, k->answer);
    k->answer->about = about;
    k->answer->variables = question->asked;
    return CR_OK;
}
