/* eval/combine_learned.c - weigh the members of an ensemble by rows that they have learned.
 *
 * On what it has learned the member that was fitted most closely would win. So the rows are dealt
 * into folds, the same for all members, and each member answers the rows of a fold without it (D.
 * Wolpert, "Stacked generalization", 1992). That needs no rows to be held out: the members learn
 * from all of them, and all of them tell the weights.
 */
#include <math.h>

#include "base/fail.h"
#include "base/logspace.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/folds.h"
#include "decide/combine.h"
#include "eval/study.h"
#include "eval/taken_back.h"
#include "source/format.h"
#include "stats/table_read.h"
#include "train/training.h"

enum { FOLDS = 10 };

typedef struct asking {
    const cr_model *const *member;
    cr_source *source;
    uint32_t *all, *fold; /* [labelled] rows that have a class, by the first member */
    size_t labelled, rows;
} asking;

/* The class of a table's row as a model numbers it; -1: it has none, or one that is not known. */
static int32_t class_of(const cr_model *model, const cr__table *table, size_t row)
{
    const size_t target = model->schema->target;
    const uint32_t code = table->column[target].code[row];
    size_t length;
    const char *name;

    if (code == CR__MISSING || (table->weight != NULL && !(table->weight[row] > 0)))
        return -1;
    name = cr__dict_word(table->column[target].dict, code, &length);
    return (int32_t)cr__dict_find(model->dict[target], name, length) - 1;
}

/* List the rows that have a class and deal them. */
static cr_status deal_rows(asking *a, const cr_model *model, const cr__table *table,
                           uint64_t *unlabelled, cr_error *err)
{
    uint32_t *code = cr__alloc(table->rows + 1, sizeof *code);
    cr__deal deal = {.folds = FOLDS, .class_code = code, .classes = model->classes, .seed = 1};
    cr_status st = CR_OK;

    a->rows = table->rows;
    a->all = cr__alloc(table->rows + 1, sizeof *a->all);
    a->fold = cr__alloc(table->rows + 1, sizeof *a->fold);
    if (code == NULL || a->all == NULL || a->fold == NULL)
        st = cr__fail_memory(err);
    for (size_t r = 0; st == CR_OK && r < table->rows; r++) {
        const int32_t c = class_of(model, table, r);

        if (c < 0) {
            ++*unlabelled;
            continue;
        }
        code[a->labelled] = (uint32_t)c;
        a->all[a->labelled++] = (uint32_t)r;
    }
    deal.rows = a->labelled;
    if (st == CR_OK && a->labelled < 2)
        st = cr__fail(err, CR_EFORMAT, "there are too few rows to leave some out");
    if (st == CR_OK)
        st = cr__folds_deal(a->fold, &deal, err);
    cr__free(code);
    return st;
}

/* A member's answers, each row without its fold, in the ensemble's classes. */
static void take_scores(const asking *a, const cr_model *model, const cr__member *in,
                        const cr__table *table, size_t classes, size_t m, size_t members,
                        double *score, double *log_posterior, cr__member_answers *out)
{
    for (size_t i = 0; i < a->labelled; i++) {
        double *s = score + i * classes, all;
        const size_t own = (size_t)class_of(model, table, a->all[i]);
        size_t truth = 0;

        cr__calibrate(model->calibration, s);
        all = cr__log_sum_exp(s, classes);
        for (size_t c = 0; c < classes; c++) {
            log_posterior[c] = isinf(all) ? -INFINITY : s[in->class_of[c]] - all;
            if (in->class_of[c] == own)
                truth = c;
        }
        cr__member_answers_take(out, i, m, members, log_posterior, classes, truth);
    }
}

static cr_status ask_one(asking *a, const cr__ensemble *e, size_t m, const cr_run *run,
                         cr__member_answers *out, cr_error *err)
{
    const cr_model *model = a->member[m];
    const size_t K = model->classes;
    double *score = NULL, *log_posterior = cr__alloc(K + 1, sizeof *log_posterior);
    cr__table *table = NULL;
    cr_status st = log_posterior == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK && m > 0)
        st = cr__source_rewind(a->source, err);
    if (st == CR_OK)
        st = cr__source_bind(a->source, model->schema, 1, 0, err);
    if (st == CR_OK)
        st = cr__table_read(&table, a->source, model->schema, &model->recipe, run, err);
    if (st == CR_OK && m == 0)
        st = deal_rows(a, model, table, &out->unlabelled, err);
    if (st == CR_OK && table->rows != a->rows)
        st = cr__fail(err, CR_ECONFLICT, "the members read different rows");
    if (st == CR_OK && ((score = cr__alloc(a->labelled + 1, K * sizeof *score)) == NULL ||
                        (m == 0 && !cr__member_answers_room(out, a->labelled, e->members))))
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && m == 0 && i < a->labelled; i++)
        out->weight[i] = table->weight == NULL ? 1 : table->weight[a->all[i]];
    if (st == CR_OK)
        st = cr__taken_back_answer(&(cr__taken_back){.model = model,
                                                     .table = table,
                                                     .all = a->all,
                                                     .labelled = a->labelled,
                                                     .row = a->all,
                                                     .fold = a->fold,
                                                     .rows = a->labelled,
                                                     .folds = FOLDS,
                                                     .score = score,
                                                     .again = cr__model_finds_cuts(model)},
                                   run, err);
    if (st == CR_OK)
        take_scores(a, model, &e->member[m], table, K, m, e->members, score, log_posterior, out);
    cr__table_free(table);
    cr__free(log_posterior);
    cr__free(score);
    return st;
}

static cr_status ask_all(void *context, const cr_model *model, const cr_run *run,
                         cr__member_answers *out, cr_error *err)
{
    asking *a = context;
    const cr__ensemble *e = model->share->fitted;
    const cr_run all = cr__run_of(run);
    const cr_run quiet = {
        .threads = all.threads, .memory = all.memory, .pool = all.pool, .seed = all.seed};
    cr_status st = CR_OK;

    for (size_t m = 0; st == CR_OK && m < e->members; m++)
        if ((st = ask_one(a, e, m, &quiet, out, err)) == CR_ECONFLICT && err != NULL &&
            err->hint[0] == '\0')
            cr__fail_hint(err, st,
                          "the member is '%s'; its weight is to come from rows that it "
                          "has learned",
                          e->member[m].name);
    out->rows = a->labelled;
    return st;
}

cr_status cr_model_combine_learned(cr_model **out, const cr_model *const *member,
                                   const char *const *name, size_t count, cr_source *learned,
                                   const char *const *params, size_t param_count, const cr_run *run,
                                   cr_tally *tally, cr_error *err)
{
    asking a = {.member = member, .source = learned};
    const cr_status st =
        cr__combine(out, member, name, count, ask_all, &a, params, param_count, run, tally, err);

    cr__free(a.all);
    cr__free(a.fold);
    return st;
}
