/* decide/impute_network.c - rows completed by a Bayesian network. */
#include "decide/impute_network.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/network.h"
#include "learners/network/network_model.h"

/* One pass over a table. Only evidence that differs between rows is changed. */
typedef struct filler {
    const cr_model *model;
    const cr__network *net;
    cr_network *network;
    cr__table *table;
    uint32_t *node;      /* [columns] or CR__NO_NODE */
    uint32_t **state_of; /* [columns][codes] the state of a code; UINT32_MAX: none */
    uint32_t **code_of;  /* [columns][states] */
    size_t *state;       /* [nodes] */
    double *p;           /* of one node */
} filler;

static void filler_close(filler *f, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        cr__free(f->state_of == NULL ? NULL : f->state_of[i]);
        cr__free(f->code_of == NULL ? NULL : f->code_of[i]);
    }
    cr__free(f->node);
    cr__free(f->state_of);
    cr__free(f->code_of);
    cr__free(f->state);
    cr__free(f->p);
    cr_network_close(f->network);
}

/* States of the column's codes, and codes of all states: those that no row has are new words. */
static cr_status map_states(filler *f, size_t column, cr_error *err)
{
    cr__dict *dict = f->table->column[column].dict;
    const uint32_t node = f->node[column], states = f->net->states[node];
    const char *const *label = f->net->label + f->net->label_at[node];
    uint32_t *code_of = f->code_of[column] = cr__alloc(states, sizeof *code_of), *state_of;

    for (uint32_t s = 0; code_of != NULL && s < states; s++)
        if (cr__dict_intern(dict, label[s], strlen(label[s]), &code_of[s]) != CR_OK)
            return cr__fail_memory(err);
    state_of = f->state_of[column] = cr__alloc(dict->words + (size_t)1, sizeof *state_of);
    if (code_of == NULL || state_of == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c <= dict->words; c++)
        state_of[c] = UINT32_MAX;
    for (uint32_t s = 0; s < states; s++)
        state_of[code_of[s]] = s;
    return CR_OK;
}

static cr_status filler_open(filler *f, const cr_run *run, cr_error *err)
{
    const cr_schema *schema = f->model->schema;
    cr_status st = cr_network_open(&f->network, f->model, run, err);
    uint32_t most = 1;

    f->node = cr__alloc(schema->columns, sizeof *f->node);
    f->state_of = cr__alloc_zero(schema->columns, sizeof *f->state_of);
    f->code_of = cr__alloc_zero(schema->columns, sizeof *f->code_of);
    f->state = cr__alloc(f->net->nodes, sizeof *f->state);
    if (st == CR_OK &&
        (f->node == NULL || f->state_of == NULL || f->code_of == NULL || f->state == NULL))
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        f->node[i] =
            schema->column[i].kind == CR_IGNORE ? CR__NO_NODE : cr__network_model_node(f->model, i);
        if (f->node[i] == CR__NO_NODE)
            continue;
        if (schema->column[i].kind != CR_SYMBOL || f->net->gaussian[f->node[i]])
            return cr__fail(err, CR_EARG,
                            "'%s' is a number; a network completes only discrete columns",
                            schema->column[i].name);
        most = f->net->states[f->node[i]] > most ? f->net->states[f->node[i]] : most;
        st = map_states(f, i, err);
    }
    if (st == CR_OK && (f->p = cr__alloc(most, sizeof *f->p)) == NULL)
        st = cr__fail_memory(err);
    return st;
}

/* What the row has, as evidence; *gaps are what it lacks. */
static cr_status observe(filler *f, size_t row, size_t *gaps, cr_error *err)
{
    cr_status st = CR_OK;

    *gaps = 0;
    for (size_t i = 0; st == CR_OK && i < f->table->schema->columns; i++) {
        const uint32_t node = f->node[i];
        const uint32_t code = node == CR__NO_NODE ? CR__MISSING : f->table->column[i].code[row];
        const uint32_t state = code == CR__MISSING ? UINT32_MAX : f->state_of[i][code];

        if (node == CR__NO_NODE)
            continue;
        if (code != CR__MISSING && state == UINT32_MAX)
            return cr__fail(err, CR_EFORMAT, "line %llu: '%s' is not a state of '%s'",
                            (unsigned long long)f->table->line[row],
                            cr__dict_word(f->table->column[i].dict, code, NULL),
                            f->net->name[node]);
        *gaps += code == CR__MISSING;
        st = cr_network_observe(f->network, node, state == UINT32_MAX ? SIZE_MAX : state, err);
    }
    return st;
}

/* The most probable state of one node by itself, the first of equals. */
static cr_status choose(filler *f, uint32_t node, cr_error *err)
{
    const cr_status st = cr_network_posterior(f->network, node, f->p, err);

    f->state[node] = 0;
    for (uint32_t s = 1; st == CR_OK && s < f->net->states[node]; s++)
        if (f->p[s] > f->p[f->state[node]])
            f->state[node] = s;
    return st;
}

static cr_status fill_row(filler *f, size_t row, int together, cr_impute_tally *tally,
                          cr_error *err)
{
    size_t gaps;
    cr_status st = observe(f, row, &gaps, err);

    if (st != CR_OK || gaps == 0)
        return st;
    if (together)
        st = cr_network_explanation(f->network, f->state, NULL, err);
    for (size_t i = 0; st == CR_OK && i < f->table->schema->columns; i++) {
        uint32_t *code = f->table->column[i].code;

        if (f->node[i] == CR__NO_NODE || code[row] != CR__MISSING)
            continue;
        if (!together && (st = choose(f, f->node[i], err)) != CR_OK)
            break;
        code[row] = f->code_of[i][f->state[f->node[i]]];
        tally->filled++;
    }
    if (st != CR_ECONFLICT)
        return st;
    tally->left += gaps; /* the network makes such rows impossible */
    return CR_OK;
}

cr_status cr__impute_by_network(const cr_model *model, cr__table *table, int together,
                                const cr_run *run, cr_impute_tally *tally, cr_error *err)
{
    filler f = {.model = model, .net = cr__network_model_of(model)->network, .table = table};
    cr_status st = filler_open(&f, run, err);

    for (size_t r = 0; st == CR_OK && r < table->rows; r++)
        st = fill_row(&f, r, together, tally, err);
    tally->rows = table->rows;
    filler_close(&f, table->schema->columns);
    return st;
}
