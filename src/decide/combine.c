/* decide/combine.c - weight the members of an ensemble by their answers to labelled rows.
 *
 * The likelihood of a member is Π P(label | row, member) over the held-out rows, in logs. A member
 * for which a row is impossible counts as guessing: every class equally.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "decide/combine.h"
#include "train/assemble.h"
#include "learners/ensemble/ensemble.h"
#include "learners/registry.h"
#include "model/presets.h"
#include "model/scorer.h"
#include "source/pass.h"

typedef cr__member_answers answers;

static void free_answers(answers *a)
{
    cr__free(a->right);
    cr__free(a->log_p);
    cr__free(a->weight);
}

int cr__member_answers_room(answers *a, size_t more, size_t members)
{
    if (a->right == NULL && (a->right = cr__alloc_zero(members, sizeof *a->right)) == NULL)
        return 0;
    return more <= (SIZE_MAX / sizeof(double) / members - a->rows) &&
           cr__grow(&a->log_p, &a->p_capacity, (a->rows + more) * members, sizeof *a->log_p) &&
           cr__grow(&a->weight, &a->weight_capacity, a->rows + more, sizeof *a->weight);
}

static double log_likelihood(const double *log_posterior, size_t classes, size_t truth)
{
    for (size_t c = 0; c < classes; c++)
        if (!isinf(log_posterior[c]))
            return fmin(0, log_posterior[truth]);
    return -log((double)classes);
}

/* Whether the truth is the (first) most probable class. */
static int is_right(const double *log_posterior, size_t classes, size_t truth)
{
    for (size_t c = 0; c < classes; c++)
        if (log_posterior[c] > log_posterior[truth] ||
            (c < truth && log_posterior[c] == log_posterior[truth]))
            return 0;
    return !isinf(log_posterior[truth]);
}

void cr__member_answers_take(answers *a, size_t row, size_t member, size_t members,
                             const double *log_posterior, size_t classes, size_t truth)
{
    a->log_p[row * members + member] = log_likelihood(log_posterior, classes, truth);
    if (is_right(log_posterior, classes, truth))
        a->right[member] += a->weight[row];
}

typedef struct job {
    const cr_model *model;
    size_t members;
    answers *all;
} job;

typedef struct worker {
    job *job;
    cr__scorer scorer;
    double *score; /* [rows * classes] */
    size_t score_capacity;
    double *log_posterior; /* [classes] */
    answers chunk;
} worker;

static void end(void *state)
{
    worker *w = state;

    cr__scorer_close(&w->scorer);
    cr__free(w->score);
    cr__free(w->log_posterior);
    free_answers(&w->chunk);
    cr__free(w);
}

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    job *j = context;
    worker *w = cr__alloc_zero(1, sizeof *w);
    cr_status st;

    if (w == NULL)
        return cr__fail_memory(err);
    w->job = j;
    st = cr__scorer_open(&w->scorer, j->model, err);
    if (st == CR_OK &&
        (w->log_posterior = cr__alloc(j->model->classes, sizeof *w->log_posterior)) == NULL)
        st = cr__fail_memory(err);
    if (st != CR_OK) {
        end(w);
        return st;
    }
    *state = w;
    *plan = &w->scorer.plan;
    return CR_OK;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    worker *w = state;
    const cr_model *model = w->job->model;
    const size_t classes = model->classes, members = w->job->members;
    const uint32_t *target = batch->column[model->schema->target].code;
    cr_status st;

    (void)chunk;
    if (batch->rows > SIZE_MAX / sizeof(double) / classes ||
        !cr__grow(&w->score, &w->score_capacity, batch->rows * classes, sizeof *w->score) ||
        !cr__member_answers_room(&w->chunk, batch->rows, members))
        return cr__fail_memory(err);
    if ((st = cr__scorer_score(&w->scorer, batch, w->score, err)) != CR_OK)
        return st;
    for (size_t r = 0; r < batch->rows; r++) {
        if (target[r] == CR__MISSING || target[r] > classes) {
            w->chunk.unlabelled++;
            continue;
        }
        w->chunk.weight[w->chunk.rows] = batch->weight == NULL ? 1 : batch->weight[r];
        for (size_t m = 0; m < members; m++) {
            cr__panel_posterior(w->scorer.state, m, r, w->log_posterior);
            cr__member_answers_take(&w->chunk, w->chunk.rows, m, members, w->log_posterior, classes,
                                    target[r] - 1);
        }
        w->chunk.rows++;
    }
    return CR_OK;
}

/* Chunk by chunk in their order, so that sums do not depend on threads. */
static cr_status deliver(void *state, const cr__chunk *chunk, cr_error *err)
{
    worker *w = state;
    answers *all = w->job->all;
    const size_t members = w->job->members, rows = w->chunk.rows;

    (void)chunk;
    if (!cr__member_answers_room(all, rows, members))
        return cr__fail_memory(err);
    if (rows > 0) {
        memcpy(all->log_p + all->rows * members, w->chunk.log_p,
               rows * members * sizeof *all->log_p);
        memcpy(all->weight + all->rows, w->chunk.weight, rows * sizeof *all->weight);
    }
    for (size_t m = 0; w->chunk.right != NULL && m < members; m++) {
        all->right[m] += w->chunk.right[m];
        w->chunk.right[m] = 0;
    }
    all->rows += rows;
    all->unlabelled += w->chunk.unlabelled;
    w->chunk.rows = 0;
    w->chunk.unlabelled = 0;
    return CR_OK;
}

/* The rows of a source that no member has learned. */
static cr_status ask_members(void *context, const cr_model *model, const cr_run *run, answers *out,
                             cr_error *err)
{
    cr_source *source = context;
    job own = {.model = model,
               .members = ((const cr__ensemble *)model->share->fitted)->members,
               .all = out};
    job *j = &own;
    cr__pass pass = {.source = source,
                     .schema = j->model->schema,
                     .run = run,
                     .job = j,
                     .begin = begin,
                     .absorb = absorb,
                     .deliver = deliver,
                     .end = end};
    void **states;
    size_t count, broken;
    cr_kind to;
    cr_status st = cr__source_bind(source, j->model->schema, 1, 0, err);

    if (st != CR_OK || (st = cr__pass_run(&pass, &states, &count, &broken, &to, err)) != CR_OK)
        return st;
    for (size_t i = 0; i < count; i++)
        end(states[i]);
    cr__free(states);
    return out->rows > 0 ? CR_OK
                         : cr__fail(err, CR_EFORMAT,
                                    "no held-out row has a class that the "
                                    "members know");
}

/* Sum up the members' answers, and stack them. */
static cr_status take_answers(cr__ensemble *e, const answers *all, cr_error *err)
{
    double *stacking = cr__alloc(e->members, sizeof *stacking);
    cr_status st = stacking == NULL
                       ? cr__fail_memory(err)
                       : cr__stack(all->log_p, all->weight, all->rows, e->members, stacking, err);

    for (size_t m = 0; st == CR_OK && m < e->members; m++) {
        e->member[m].stacking = stacking[m];
        e->member[m].log_likelihood = 0;
    }
    for (size_t r = 0; st == CR_OK && r < all->rows; r++) {
        e->held_out += all->weight[r];
        for (size_t m = 0; m < e->members; m++)
            if (all->weight[r] > 0)
                e->member[m].log_likelihood += all->weight[r] * all->log_p[r * e->members + m];
    }
    for (size_t m = 0; st == CR_OK && m < e->members; m++)
        e->member[m].accuracy = fmin(all->right[m] / e->held_out, 1);
    cr__free(stacking);
    return st;
}

static cr_status weigh(cr_model *model, cr__members_ask *ask, void *context, const cr_run *run,
                       cr_tally *tally, cr_error *err)
{
    cr__ensemble *e = model->share->fitted;
    answers all = {0};
    cr_status st = CR_OK;

    for (size_t m = 0; m < e->members; m++)
        e->member[m].log_likelihood = e->member[m].stacking = e->member[m].accuracy = NAN;
    if (ask != NULL) {
        if ((st = ask(context, model, run, &all, err)) == CR_OK)
            st = take_answers(e, &all, err);
        model->rows = all.rows;
        *tally = (cr_tally){.rows = all.rows, .unlabelled = all.unlabelled, .passes = 1};
    }
    free_answers(&all);
    return st == CR_OK ? cr__ensemble_weigh(e, &model->knobs, err) : st;
}

static cr_status set_knobs(cr__knobs *knobs, const char *const *params, size_t count, cr_error *err)
{
    const cr__learner *learner = &cr__ensemble_learner;
    cr_status st = cr__knobs_new(knobs, learner->knobs, learner->knob_count, err);

    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = cr__knobs_choose(knobs, params[i], err);
    return st;
}

cr_status cr__combine(cr_model **out, const cr_model *const *member, const char *const *name,
                      size_t count, cr__members_ask *ask, void *context, const char *const *params,
                      size_t param_count, const cr_run *run, cr_tally *tally, cr_error *err)
{
    cr_tally own;
    cr__knobs knobs = {0};
    cr_model *model = NULL;
    cr_status st;

    *out = NULL;
    tally = tally == NULL ? &own : tally;
    *tally = (cr_tally){0};
    st = set_knobs(&knobs, params, param_count, err);
    if (st == CR_OK)
        st = cr__ensemble_assemble(&model, member, name, count, &knobs, err);
    if (st == CR_OK)
        st = weigh(model, ask, context, run, tally, err);
    cr__knobs_free(&knobs);
    if (st == CR_OK)
        st = cr__ensemble_fingerprint(model->share->fitted, model->fingerprint, err);
    if (st != CR_OK) {
        cr_model_free(model);
        return st;
    }
    *out = model;
    return CR_OK;
}

cr_status cr_model_combine(cr_model **out, const cr_model *const *member, const char *const *name,
                           size_t count, cr_source *held_out, const char *const *params,
                           size_t param_count, const cr_run *run, cr_tally *tally, cr_error *err)
{
    return cr__combine(out, member, name, count, held_out == NULL ? NULL : ask_members, held_out,
                       params, param_count, run, tally, err);
}
