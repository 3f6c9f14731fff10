/* train/keep.c - calibrations and ensembles that continue to learn.
 *
 * A row is counted in a calibration by the scores of a model that does not have it: the one before
 * it is learned, or the one after it is unlearned. So rows that are unlearned in the reverse order
 * of learning restore the tallies, and with them the calibration, bit for bit. When they are
 * unlearned in another order, the counts of each class still add up, but a row may be removed from
 * a bin next to the one it was put into.
 */
#include "train/keep.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/ensemble/ensemble.h"
#include "model/scorer.h"
#include "stats/table_read.h"
#include "train/assemble.h"
#include "train/calibration.h"

/* --- calibrations ----------------------------------------------------------------------------- */

/* The class of a table's row as the model numbers it; SIZE_MAX: it has none of that name. */
static size_t class_of(const cr_model *model, const cr__table *table, size_t row)
{
    const size_t target = model->schema->target;
    const uint32_t code = cr__table_code(&table->column[target], row);
    const char *name;
    size_t length;
    uint32_t own;

    if (code == CR__MISSING)
        return SIZE_MAX;
    name = cr__dict_word(table->column[target].dict, code, &length);
    own = cr__dict_find(model->dict[target], name, length);
    return own == CR__MISSING || own > model->classes ? SIZE_MAX : own - 1;
}

cr_status cr__scores_each(const cr_model *model, const cr__table *table, cr__scores_visit *visit,
                          void *context, cr_error *err)
{
    cr_source *source = NULL;
    cr__scorer scorer = {0};
    cr__batch *batch = NULL;
    double *score = NULL;
    size_t at = 0;
    cr__chunk chunk;
    cr_status st = cr__source_open_table(&source, table, NULL, 0, err);

    if (st == CR_OK)
        st = cr__source_bind(source, model->schema, 0, 1, err);
    if (st == CR_OK)
        st = cr__scorer_open(&scorer, model, err);
    if (st == CR_OK)
        st = cr__batch_new_for(&batch, model->schema, table->rows, err);
    if (st == CR_OK && (score = cr__alloc(batch->capacity, model->classes * sizeof *score)) == NULL)
        st = cr__fail_memory(err);
    while (st == CR_OK && (st = cr__source_next(source, &chunk, err)) == CR_OK) {
        while ((st = cr__source_parse(&chunk, &scorer.plan, batch, err)) == CR_OK &&
               (st = cr__scorer_score(&scorer, batch, score, err)) == CR_OK)
            for (size_t r = 0; r < batch->rows; r++)
                visit(context, at++, score + r * model->classes);
        cr__source_release(&chunk);
        st = st == CR_END ? CR_OK : st;
    }
    cr__free(score);
    cr__batch_free(batch);
    cr__scorer_close(&scorer);
    cr_source_close(source);
    return st == CR_END ? CR_OK : st;
}

/* Answers that are counted. */
typedef struct counting {
    const cr_model *model;
    const cr__table *table;
    cr__calibration *calibration;
    int sign;
} counting;

static void count_row(void *context, size_t row, const double *score)
{
    const counting *c = context;
    const size_t truth = class_of(c->model, c->table, row);

    if (truth != SIZE_MAX)
        cr__calibration_count(c->calibration, score, truth,
                              c->table->weight == NULL ? 1 : c->table->weight[row], c->sign);
}

/* Count the answers of a model to the rows of a table. */
static cr_status count_rows(const cr_model *model, const cr__table *table, cr__calibration *c,
                            int sign, cr_error *err)
{
    counting own = {model, table, c, sign};

    return cr__scores_each(model, table, count_row, &own, err);
}

cr_status cr__calibration_learn(const cr_model *model, const double *score, size_t truth,
                                cr__calibration **out, cr_error *err)
{
    const cr__calibration *have = model->calibration;
    cr_status st = cr__calibration_begin(out, have->kind, have->classes, have->tally, err);

    if (st != CR_OK)
        return st;
    cr__calibration_count(*out, score, truth, 1, 1);
    if ((st = cr__calibration_settle(*out, err)) != CR_OK) {
        cr__calibration_free(*out);
        *out = NULL;
    }
    return st;
}

/* The rows of a source in memory, and a source to learn them from: itself when it can be read
 * again, else a source over the table. */
typedef struct rows {
    cr__table *table;
    cr_source *again; /* or NULL */
} rows;

static void close_rows(rows *x)
{
    cr_source_close(x->again);
    cr__table_free(x->table);
}

static cr_status read_rows(rows *x, const cr_model *model, cr_source *source, const cr_run *run,
                           cr_source **use, cr_error *err)
{
    const cr__recipe *recipe = &model->recipe;
    cr_status st = cr__source_bind(source, model->schema, 1, 0, err);

    *x = (rows){0};
    *use = source;
    if (st == CR_OK)
        st = cr__table_read(&x->table, source, model->schema, recipe, run, err);
    if (st != CR_OK || cr__source_rewind(source, NULL) == CR_OK)
        return st;
    st = cr__source_open_table(&x->again, x->table, NULL, 0, err);
    *use = x->again;
    return st;
}

/* Give a changed model its calibration, with new numbers. */
static cr_status put_back(cr_model *model, cr__calibration **c, cr_error *err)
{
    cr_status st;

    if (model->classes != (*c)->classes)
        return CR_OK;
    if ((st = cr__calibration_settle(*c, err)) == CR_OK) {
        cr__calibration_free(model->calibration);
        model->calibration = *c;
        *c = NULL;
    }
    return st;
}

cr_status cr__change_calibrated(cr_model *model, cr_source *source, const cr_run *run, int sign,
                                cr_tally *tally, cr__change *change, cr_error *err)
{
    const cr__calibration *have = model->calibration;
    cr__calibration *c = NULL;
    cr_model *changed = NULL;
    cr_source *use;
    rows x;
    cr_status st = read_rows(&x, model, source, run, &use, err);

    if (st == CR_OK)
        st = cr__calibration_begin(&c, have->kind, have->classes, have->tally, err);
    if (st == CR_OK)
        st = cr_model_copy(&changed, model, err);
    if (st == CR_OK && sign > 0)
        st = count_rows(model, x.table, c, 1, err);
    if (st == CR_OK)
        st = change(changed, use, run, sign, tally, err);
    if (st == CR_OK && sign < 0 && changed->classes == c->classes)
        st = count_rows(changed, x.table, c, -1, err);
    if (st == CR_OK)
        st = put_back(changed, &c, err);
    if (st == CR_OK)
        cr__model_swap(model, changed);
    cr_model_free(changed);
    cr__calibration_free(c);
    close_rows(&x);
    return st;
}

/* --- ensembles -------------------------------------------------------------------------------- */

static cr_status change_member(cr_model **out, const cr__member *m, cr_source *source,
                               const cr_run *run, int sign, cr_tally *tally, cr__change *change,
                               cr_error *err)
{
    cr_status st = cr_model_copy(out, m->model, err);

    if (st == CR_OK)
        st = cr__source_rewind(source, err);
    if (st != CR_OK)
        return st;
    if ((*out)->calibration != NULL && (*out)->calibration->tally != NULL)
        return cr__change_calibrated(*out, source, run, sign, tally, change, err);
    return change(*out, source, run, sign, tally, err);
}

/* The parts of the ensemble besides its members. */
static cr_status take_over(cr_model *to, const cr_model *from, cr_error *err)
{
    const cr__ensemble *old = from->share->fitted;
    cr__ensemble *e = to->share->fitted;
    cr_status st;

    if (to->classes != from->classes)
        return cr__fail(err, CR_ECONFLICT,
                        "the rows change the classes, for which the members have no weights");
    e->held_out = old->held_out;
    for (size_t m = 0; m < e->members; m++) {
        e->member[m].log_likelihood = old->member[m].log_likelihood;
        e->member[m].stacking = old->member[m].stacking;
        e->member[m].accuracy = old->member[m].accuracy;
    }
    if ((st = cr__ensemble_weigh(e, &to->knobs, err)) != CR_OK)
        return st;
    to->rows = e->member[0].model->rows;
    to->calibration = cr__calibration_share(from->calibration);
    to->choices = cr__choices_share(from->choices);
    return cr__ensemble_fingerprint(e, to->fingerprint, err);
}

int cr__members_learn(const cr_model *model)
{
    return cr_model_members(model) > 0 &&
           ((const cr__ensemble *)model->share->fitted)->rule == CR__RULE_PRODUCT;
}

cr_status cr__change_members(cr_model *model, cr_source *source, const cr_run *run, int sign,
                             cr_tally *tally, cr__change *change, cr_error *err)
{
    const cr__ensemble *e = model->share->fitted;
    const size_t members = e->members;
    cr_model **member = cr__alloc_zero(members, sizeof *member), *changed = NULL;
    const char **name = cr__alloc(members, sizeof *name);
    cr_status st = member == NULL || name == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t m = 0; st == CR_OK && m < members; m++) {
        name[m] = e->member[m].name;
        st = change_member(&member[m], &e->member[m], source, run, sign, tally, change, err);
    }
    if (st == CR_OK)
        st = cr__ensemble_assemble(&changed, (const cr_model *const *)member, name, members,
                                   &model->knobs, err);
    if (st == CR_OK)
        st = take_over(changed, model, err);
    if (st == CR_OK)
        cr__model_swap(model, changed);
    cr_model_free(changed);
    for (size_t m = 0; member != NULL && m < members; m++)
        cr_model_free(member[m]);
    cr__free(member);
    cr__free(name);
    return st;
}
