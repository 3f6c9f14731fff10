/* store/judged.c - how rows were classified before they were learned.
 *
 * Every row that is learned is first classified by the model without it: an honest test of the
 * store. A day's results are one record of sums:
 *
 *     judged, right, loss (in 2^-20), good, good lost, spam, spam passed,
 *     {class, bin, rows}…   rows of each class by the log-odds z = ln P / (1 - P) of their class,
 *                           in bins of asinh z by 1/4
 *
 * All are sums over rows, so the records of several days or stores add up.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/filter.h"
#include "data/table.h"
#include "decide/rule.h"
#include "model/calibration.h"
#include "source/source.h"
#include "store/judged.h"
#include "store/parts.h"

#define LOSS_UNITS 0x1p20
#define LOSS_MOST 1000.0 /* of one row */

enum { HALF = CR__JUDGED_BINS / 2 };

void cr__judged_free(cr__judged *j)
{
    cr__free(j->rows);
    *j = (cr__judged){0};
}

static int make_room(cr__judged *j, size_t classes)
{
    uint64_t *rows;

    if (classes <= j->classes)
        return 1;
    if ((rows = cr__realloc(j->rows, classes, CR__JUDGED_BINS * sizeof *rows)) == NULL)
        return 0;
    memset(rows + j->classes * CR__JUDGED_BINS, 0,
           (classes - j->classes) * CR__JUDGED_BINS * sizeof *rows);
    j->rows = rows;
    j->classes = classes;
    return 1;
}

/* --- records ---------------------------------------------------------------------------------- */

static void write_judged(const cr__judged *j, cr__buffer *out)
{
    const uint64_t number[] = {j->judged,    j->right, j->loss,       j->good,
                               j->good_lost, j->spam,  j->spam_passed};

    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        cr__put_number(out, number[i]);
    for (size_t i = 0; i < j->classes * CR__JUDGED_BINS; i++)
        if (j->rows[i] > 0) {
            cr__put_number(out, i / CR__JUDGED_BINS);
            cr__put_number(out, i % CR__JUDGED_BINS);
            cr__put_number(out, j->rows[i]);
        }
}

cr_status cr__judged_add(cr__judged *j, const void *bytes, size_t size)
{
    cr__reader in = cr__reader_of(bytes, size);
    uint64_t *const number[] = {&j->judged,    &j->right, &j->loss,       &j->good,
                                &j->good_lost, &j->spam,  &j->spam_passed};

    if (size == 0)
        return CR_OK;
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        *number[i] += cr__read_number(&in);
    while (!in.failed && in.at < in.end) {
        const uint64_t class_id = cr__read_number(&in), bin = cr__read_number(&in),
                       rows = cr__read_number(&in);

        if (in.failed || class_id >= (uint64_t)1 << 20 || bin >= CR__JUDGED_BINS)
            return CR_EFORMAT;
        if (!make_room(j, (size_t)class_id + 1))
            return CR_ENOMEM;
        j->rows[class_id * CR__JUDGED_BINS + bin] += rows;
    }
    return in.failed ? CR_EFORMAT : CR_OK;
}

cr_status cr__judged_translate(cr__bytes from, const uint32_t *class_id, cr__buffer *out)
{
    cr__judged a = {0}, b;
    cr_status st = cr__judged_add(&a, from.at, from.size);

    b = a;
    b.rows = NULL;
    b.classes = 0;
    for (size_t i = 0; st == CR_OK && i < a.classes * CR__JUDGED_BINS; i++)
        if (a.rows[i] > 0) {
            const size_t c = class_id[i / CR__JUDGED_BINS];

            if (make_room(&b, c + 1))
                b.rows[c * CR__JUDGED_BINS + i % CR__JUDGED_BINS] += a.rows[i];
            else
                st = CR_ENOMEM;
        }
    if (st == CR_OK)
        write_judged(&b, out);
    cr__judged_free(&a);
    cr__judged_free(&b);
    return st;
}

/* --- counting --------------------------------------------------------------------------------- */

typedef struct counting {
    cr__judged *judged;
    const uint32_t *id; /* [classes] of the model's classes */
    size_t spam;        /* or SIZE_MAX */
    cr_filter_limits limits;
} counting;

static void count_mail(cr__judged *j, const counting *c, int32_t truth, double spam)
{
    const int caught = spam >= c->limits.high;

    if (c->spam == SIZE_MAX)
        return;
    if ((size_t)truth == c->spam) {
        j->spam++;
        j->spam_passed += !caught;
    } else {
        j->good++;
        j->good_lost += caught;
    }
}

/* ln P - ln(1 - P) of the truth, the bin of. */
static size_t bin_of(double log_p)
{
    const double rest = log(-expm1(log_p)), z = log_p - rest;
    const double at = isfinite(z) ? asinh(z) * 4 : z > 0 ? HALF : -HALF;

    return (size_t)(HALF + lround(fmax(-HALF, fmin(HALF, at))));
}

static cr_status count(void *context, const cr_predictions *p)
{
    const counting *c = context;
    cr__judged *j = c->judged;

    for (size_t r = 0; r < p->rows; r++) {
        const int32_t truth = p->truth == NULL ? -1 : p->truth[r];

        if (truth < 0)
            continue;
        if (!make_room(j, c->id[truth] + (size_t)1))
            return CR_ENOMEM;
        j->judged++;
        j->right += p->decision[r] == truth;
        j->loss += (uint64_t)llround(fmin(-p->log_truth[r], LOSS_MOST) * LOSS_UNITS);
        j->rows[c->id[truth] * CR__JUDGED_BINS + bin_of(p->log_truth[r])]++;
        count_mail(j, c, truth, p->posterior[r * p->classes + (c->spam == SIZE_MAX ? 0 : c->spam)]);
    }
    return CR_OK;
}

static cr_status judge_rows(const cr_model *model, const cr__table *table, const uint32_t *row,
                            size_t rows, counting *c, cr_error *err)
{
    const cr_run one = {.threads = 1};
    const cr_predict_options options = {.allow_absent_columns = 1};
    const cr_sink sink = {.visit = count, .context = c};
    cr_source *source;
    cr_status st = cr__source_open_table(&source, table, row, rows, err);

    if (st != CR_OK)
        return st;
    st = cr_model_predict(model, source, &options, &sink, &one, NULL, err);
    cr_source_close(source);
    return st;
}

/* The answer of cr_model_predict() to a row with these scores. */
static cr_status judge_scores(const cr_model *model, const double *score, size_t truth, counting *c,
                              cr_error *err)
{
    const int32_t own = (int32_t)truth;
    double *posterior = cr__alloc(model->classes, sizeof *posterior);
    double joint, log_truth, log_evidence;
    int32_t decision;
    cr_reason reason;
    cr_predictions p = {.rows = 1, .classes = model->classes, .truth = &own};
    cr_status st;

    if (posterior == NULL)
        return cr__fail_memory(err);
    memcpy(posterior, score, model->classes * sizeof *posterior);
    cr__calibrate(model->calibration, posterior);
    joint = posterior[truth];
    decision =
        cr__rule_decide(NULL, posterior, model->classes, posterior, &log_evidence, NULL, &reason);
    log_truth = reason == CR_IMPOSSIBLE ? -INFINITY : fmin(0, joint - log_evidence);
    p.decision = &decision;
    p.posterior = posterior;
    p.log_truth = &log_truth;
    st = count(c, &p);
    cr__free(posterior);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

static void day_key(char key[5], int64_t day)
{
    key[0] = 'D';
    for (int i = 0; i < 4; i++)
        key[1 + i] = (char)(day >> (24 - 8 * i));
}

/* Rows that are judged: of a table, or one by its scores. */
typedef struct judging {
    const cr_model *model;
    const cr__table *table; /* or NULL */
    const uint32_t *row;
    size_t rows;
    const double *score;
    size_t truth;
} judging;

/* Add the answers to the results of this day. */
static cr_status judge(cr_store *store, const judging *g, cr_error *err)
{
    cr__judged j = {0};
    counting c = {.judged = &j, .spam = SIZE_MAX};
    uint32_t *id;
    char key[5];
    cr__bytes value;
    cr__buffer out = {0};
    cr_status st;

    if (g->model->learner->scores == NULL || g->model->classes < 2)
        return CR_OK;
    if ((id = cr__store_class_ids(store, g->model)) == NULL)
        return cr__fail_memory(err);
    c.id = id;
    cr_filter_limits_read(&c.limits, NULL, NULL);
    if (cr_filter_spam_class(g->model, NULL, &c.spam, NULL) != CR_OK)
        c.spam = SIZE_MAX;
    day_key(key, cr__store_now(store) / 86400);
    if ((st = cr__store_get(store, key, sizeof key, &value, err)) == CR_OK &&
        (st = cr__judged_add(&j, value.at, value.size)) != CR_OK)
        st = cr__store_damaged(store, err, "the results of a day make no sense");
    if (st == CR_OK)
        st = g->table != NULL ? judge_rows(g->model, g->table, g->row, g->rows, &c, err)
                              : judge_scores(g->model, g->score, g->truth, &c, err);
    if (st == CR_OK) {
        write_judged(&j, &out);
        st = out.failed ? cr__fail_memory(err)
                        : cr__store_put(store, key, sizeof key, out.data, out.size, err);
    }
    cr__buffer_free(&out);
    cr__judged_free(&j);
    cr__free(id);
    return st;
}

cr_status cr__store_judge(cr_store *store, const cr_model *model, const cr__table *table,
                          const uint32_t *row, size_t rows, cr_error *err)
{
    return judge(store, &(judging){.model = model, .table = table, .row = row, .rows = rows}, err);
}

cr_status cr__store_judge_scores(cr_store *store, const cr_model *model, const double *score,
                                 size_t truth, cr_error *err)
{
    return judge(store, &(judging){.model = model, .score = score, .truth = truth}, err);
}

/* --- facts ------------------------------------------------------------------------------------ */

static cr_status add_day(cr_store *store, const char *key, size_t size, cr__judged *out,
                         cr_error *err)
{
    cr__bytes value;
    cr_status st = cr__store_get(store, key, size, &value, err);

    if (st == CR_OK && (st = cr__judged_add(out, value.at, value.size)) != CR_OK)
        st = cr__store_damaged(store, err, "the results of a day make no sense");
    return st;
}

/* The sums of the last days, today included. In a transaction. */
static cr_status judged_of_days(cr_store *store, int64_t days, cr__judged *out, cr_error *err)
{
    const int64_t today = cr__store_now(store) / 86400;
    cr_status st = CR_OK;

    *out = (cr__judged){0};
    for (int64_t day = today - days + 1; st == CR_OK && day <= today; day++) {
        char key[5];

        day_key(key, day);
        st = add_day(store, key, sizeof key, out, err);
        for (size_t i = 1; st == CR_OK && i < store->meta.origins; i++) {
            char other[CR__PART_KEY];

            cr__part_key(other, 'E', i, (uint64_t)day);
            st = add_day(store, other, sizeof other, out, err);
        }
    }
    return st;
}

static cr_status gather_facts(cr_store *store, void *context, cr_error *err)
{
    cr_store_facts *f = context;
    cr__judged j = {0};
    cr_model *head;
    cr_status st = cr__store_head(store, &head, err);

    if (st != CR_OK || (st = judged_of_days(store, 7, &j, err)) != CR_OK)
        return st;
    *f = (cr_store_facts){.rows = head->rows,
                          .lessons = store->meta.origin[0].version - 1,
                          .whole = !store->meta.apart,
                          .period = (cr_store_period)store->meta.period,
                          .keep = (uint32_t)store->meta.keep,
                          .origins = store->meta.origins,
                          .judged = j.judged,
                          .right = j.right,
                          .log_loss = (double)j.loss / LOSS_UNITS / (double)j.judged,
                          .good = j.good,
                          .good_lost = j.good_lost,
                          .spam = j.spam,
                          .spam_passed = j.spam_passed};
    for (size_t i = 0; st == CR_OK && i < head->schema->columns; i++) {
        cr__word_totals t = {0};

        if (store->meta.apart && head->schema->column[i].kind == CR_BAG)
            st = cr__word_totals_read(store, i, &t, err);
        else if (head->schema->column[i].kind == CR_BAG)
            t.words = cr_model_words(head, i);
        f->words += t.words;
        cr__word_totals_free(&t);
    }
    cr__judged_free(&j);
    return st;
}

cr_status cr_store_get_facts(cr_store *store, cr_store_facts *out, cr_error *err)
{
    cr_status st = cr__store_read(store, gather_facts, out, err);

    return st == CR_OK ? store->kv->kind->measure(store->kv, &out->bytes, err) : st;
}
