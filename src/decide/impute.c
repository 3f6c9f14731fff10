/* decide/impute.c - read a table, fill its gaps, and write it as CSV. */
#include "credence/impute.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "decide/impute_network.h"
#include "decide/table_write.h"
#include "learners/network/network_model.h"
#include "model/model.h"
#include "stats/table_read.h"

static cr_status write_rows(const cr__table *table, const uint32_t *row, size_t rows,
                            const cr_impute_options *o, cr_error *err)
{
    return cr__table_write(table, row, rows,
                           &(cr_table_options){.write = o->write, .context = o->context}, err);
}

/* Features that rows lack. */
static uint64_t count_gaps(const cr__table *table)
{
    uint64_t gaps = 0;

    for (size_t i = 0; i < table->schema->columns; i++)
        for (size_t r = 0; cr__stats_is_feature(table->schema, i) && r < table->rows; r++)
            gaps += table->column[i].kind == CR_REAL ? isnan(table->column[i].real[r])
                                                     : table->column[i].code[r] == CR__MISSING;
    return gaps;
}

static cr_status check(const cr_schema *schema, const cr_model *model, cr_error *err)
{
    const cr_status st = cr__table_check_written(schema, err);

    if (st != CR_OK)
        return st;
    if (model != NULL && model->impute == NULL && cr__network_model_of(model) == NULL) {
        cr__fail(err, CR_EARG, "the model does not fill in missing values");
        return cr__fail_hint(err, CR_EARG, "train it with " CR__SET("impute"));
    }
    return CR_OK;
}

/* Read, and find what to fill in. */
static cr_status prepare(cr_source *source, const cr_impute_options *o, const cr_run *run,
                         cr__table **table, cr__impute **impute, cr_error *err)
{
    const cr_schema *schema = o->model == NULL ? NULL : o->model->schema;
    cr__impute_how how = CR__IMPUTE_MODEL;
    cr_status st = CR_OK;

    if (o->model == NULL && o->how != NULL)
        st = cr__impute_read(&how, o->how, err);
    if (st == CR_OK)
        st = o->model == NULL ? cr__source_infer(source, CR__TARGET_NONE, &schema, err)
                              : cr__source_bind(source, schema, 0, 1, err);
    if (st == CR_OK)
        st = check(schema, o->model, err);
    if (st == CR_OK)
        st = cr__table_read(table, source, schema, NULL, run, err);
    if (st == CR_OK && o->model == NULL)
        st = cr__impute_learn(impute, how, *table, cr__run_threads(run), err);
    return st;
}

static cr_status impute_source(cr_source *source, const cr_impute_options *options,
                               const cr_run *run, cr_impute_tally *tally, cr_error *err)
{
    cr__table *table = NULL;
    cr__impute *own = NULL;
    uint32_t *row = NULL;
    size_t rows = 0;
    cr_impute_tally t = {0};
    cr_status st = prepare(source, options, run, &table, &own, err);
    const cr__impute *impute = own != NULL              ? own
                               : options->model != NULL ? options->model->impute
                                                        : NULL;

    if (st == CR_OK) {
        t.filled = count_gaps(table);
        st = cr__impute_fill_table(impute, table, err);
    }
    if (st == CR_OK) {
        t.left = count_gaps(table);
        t.filled -= t.left;
        rows = table->rows;
        if (impute->how == CR__IMPUTE_DROP &&
            (row = cr__impute_complete(table, NULL, 0, &rows)) == NULL)
            st = cr__fail_memory(err);
        t.rows = rows;
        t.dropped = table->rows - rows;
        t.left = t.dropped > 0 ? 0 : t.left;
    }
    if (st == CR_OK)
        st = write_rows(table, row, rows, options, err);
    if (tally != NULL)
        *tally = t;
    cr__free(row);
    cr__impute_free(own);
    cr__table_free(table);
    return st;
}

/* Whether a network completes the rows: how is "mpe" (NULL) or "marginal". */
static int by_network(const cr_impute_options *o)
{
    return o->model != NULL && o->model->impute == NULL && cr__network_model_of(o->model) != NULL;
}

static cr_status complete_source(cr_source *source, const cr_impute_options *o, const cr_run *run,
                                 cr_impute_tally *tally, cr_error *err)
{
    const int together = o->how == NULL || strcmp(o->how, "mpe") == 0;
    cr__table *table = NULL;
    cr__impute *none = NULL;
    cr_impute_tally t = {0};
    cr_status st;

    if (!together && strcmp(o->how, "marginal") != 0) {
        cr__fail(err, CR_EARG, "a network does not fill in by '%s'", o->how);
        return cr__fail_hint(err, CR_EARG,
                             "mpe takes values that are most probable together, "
                             "marginal each by itself");
    }
    st = prepare(source, o, run, &table, &none, err);
    if (st == CR_OK)
        st = cr__impute_by_network(o->model, table, together, run, &t, err);
    if (st == CR_OK)
        st = write_rows(table, NULL, table->rows, o, err);
    if (tally != NULL)
        *tally = t;
    cr__table_free(table);
    return st;
}

cr_status cr_impute(cr_source *source, const cr_impute_options *options, const cr_run *run,
                    cr_impute_tally *tally, cr_error *err)
{
    cr_impute_options own;
    const cr_status st = cr__sized_take(&own, sizeof own, options, "cr_impute_options", err);

    if (st != CR_OK)
        return st;
    return by_network(&own) ? complete_source(source, &own, run, tally, err)
                            : impute_source(source, &own, run, tally, err);
}
