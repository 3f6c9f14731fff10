/* learners/joint/read.c - read a written joint table as rows weighted by their probabilities.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/joint.h"
#include "learners/registry.h"
#include "model/model.h"
#include "stats/gather_cells.h"
#include "source/pass.h"

#define SUM_TOLERANCE 1e-4 /* tables are printed with few digits */

typedef struct reader {
    cr_schema *schema; /* a copy, since the table declares its values */
    cr__gather *gather;
} reader;

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    reader *r = context;

    (void)err;
    *state = r->gather;
    *plan = &r->gather->plan;
    return CR_OK;
}

static void end(void *state)
{
    (void)state;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    const cr__gather *gather = state;

    for (size_t i = 0; i < batch->columns; i++)
        for (size_t r = 0; batch->column[i].kind == CR_SYMBOL && r < batch->rows; r++)
            if (batch->column[i].code[r] == CR__MISSING) {
                cr__fail(err, CR_EFORMAT, "'%s' has no value in this row",
                         gather->schema->column[i].name);
                return cr__fail_at(err, CR_EFORMAT, cr__source_chunk_name(chunk),
                                   batch->record[r].line, 0);
            }
    return cr__gather_absorb(state, batch, err);
}

/* All columns except the weight hold words, whatever they look like. */
static cr_status infer(cr_source *source, const cr_schema **schema, cr_error *err)
{
    cr_status st = cr__source_infer(source, CR__TARGET_NONE, schema, err);

    if (st == CR_OK && (*schema)->target != SIZE_MAX)
        st = cr__source_infer(source, CR__TARGET_CLASS, schema, err);
    if (st == CR_OK && (*schema)->weight == SIZE_MAX)
        return cr__fail(err, CR_EARG, "no column is said to hold the probabilities");
    for (size_t i = 0; st == CR_OK && i < (*schema)->columns; i++) {
        const cr__column *column = &(*schema)->column[i];

        if (column->role == CR_ROLE_FEATURE && column->kind == CR_BAG)
            return cr__fail(err, CR_EARG, "a joint table cannot hold the texts of '%s'",
                            column->name);
        if (column->role == CR_ROLE_FEATURE && column->kind != CR_IGNORE &&
            (column->why == CR_WHY_NUMBERS || column->why == CR_WHY_BINARY ||
             column->why == CR_WHY_EMPTY))
            st = cr__source_widen(source, i, CR_SYMBOL, err);
        else if (column->role == CR_ROLE_FEATURE && column->kind == CR_REAL)
            return cr__fail(err, CR_EARG, "'%s' is real, but the values of a table are words",
                            column->name);
    }
    return st;
}

/* The values are those of the table, in its order, even where their probability is 0. */
static cr_status declare(reader *r, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < r->schema->columns; i++) {
        const cr__dict *dict = r->gather->column[i].dict;
        cr__dict **declared = &r->schema->column[i].declared;

        if (dict == NULL || *declared != NULL)
            continue;
        st = cr__dict_new(declared, CR__CANONICAL_SEED, err);
        for (uint32_t code = 1; st == CR_OK && code <= dict->words; code++) {
            size_t length;
            const char *word = cr__dict_word(dict, code, &length);
            uint32_t same;

            if ((st = cr__dict_intern(*declared, word, length, &same)) != CR_OK)
                cr__fail(err, st, "the values of '%s' cannot be kept", r->schema->column[i].name);
        }
    }
    return st;
}

static cr_status check_sum(const cr__stats *stats, cr_error *err)
{
    cr__count sum = {0};
    double total;

    for (size_t i = 0; i < stats->cells->count; i++)
        sum = cr__count_plus(sum, cr__cells_at(stats->cells, i), 1);
    total = cr__count_value(sum);
    if (fabs(total - 1) <= SUM_TOLERANCE)
        return CR_OK;
    cr__fail(err, CR_EFORMAT, "the probabilities sum to %.9g, not to 1", total);
    return cr__fail_hint(
        err, CR_EFORMAT,
        "train " CR__SET("learner joint") " " CR__SET("weight COLUMN") " learns a table of counts");
}

/* Read all rows, in their order. */
static cr_status read_rows(reader *r, cr_source *source, cr__stats **stats, cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr__pass pass = {.source = source,
                     .schema = r->schema,
                     .run = &one,
                     .job = r,
                     .begin = begin,
                     .absorb = absorb,
                     .end = end};
    void **states = NULL;
    size_t count, broken;
    cr_kind to;
    cr_status st = cr__gather_new(&r->gather, r->schema, NULL, 0, err);

    if (st == CR_OK)
        st = cr__gather_count_cells(r->gather, NULL, err);
    if (st == CR_OK)
        st = cr__pass_run(&pass, &states, &count, &broken, &to, err);
    cr__free(states);
    if (st == CR_OK)
        st = declare(r, err);
    return st == CR_OK ? cr__gather_finish(r->gather, stats, err) : st;
}

static cr_status make_model(cr_model **out, cr_source *source, cr__stats *stats, cr_error *err)
{
    cr__recipe recipe = cr__recipe_usual();
    cr__knobs knobs;
    cr_status st = cr__knobs_new(&knobs, cr__joint_table.knobs, cr__joint_table.knob_count, err);

    if (st == CR_OK)
        st = cr__model_recipe(&recipe, &knobs, err);
    if (st != CR_OK)
        cr__stats_free(stats);
    else
        st = cr__model_new(out, &cr__joint_table, stats, &(cr__fit_input){.knobs = &knobs},
                           cr__source_missing(source), &recipe, err);
    cr__recipe_free(&recipe);
    cr__knobs_free(&knobs);
    return st;
}

cr_status cr_joint_read(cr_model **out, cr_source *source, cr_error *err)
{
    const cr_schema *schema;
    reader r = {0};
    cr__stats *stats = NULL;
    cr_status st;

    *out = NULL;
    if ((st = infer(source, &schema, err)) != CR_OK ||
        (st = cr__schema_copy(&r.schema, schema, err)) != CR_OK)
        return st;
    st = read_rows(&r, source, &stats, err);
    if (st == CR_OK)
        st = check_sum(stats, err);
    if (st != CR_OK)
        cr__stats_free(stats);
    else
        st = make_model(out, source, stats, err);
    cr__gather_free(r.gather);
    cr__schema_free(r.schema);
    return st;
}
