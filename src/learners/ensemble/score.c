/* learners/ensemble/score.c - score each member on its view of the batch, then combine them.
 *
 * With w the weights, optimal:  P(c | x) = Σ_m w_m P_m(c | x), P(x) = Σ_m w_m P_m(x)
 *                    Gibbs:     P(c | x) = P_m(c | x) and P(x) = P_m(x) of a member m drawn by w
 *                    product:   P(c | x) ∝ Π_m Q_m(c | x)^w_m, Q_m the calibrated posterior of m,
 *                               none below 2^-52
 * A member for which a row is impossible has no posterior for it; the others share its weight.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/logspace.h"
#include "base/memory.h"
#include "base/random.h"
#include "learners/ensemble/ensemble.h"

/* A member's view of the batch. Real columns are the ensemble's own arrays. */
typedef struct view {
    cr__text_plan text;
    cr__plan plan;
    cr__batch batch;
    size_t *begun; /* [columns] of texts: rows that have been begun */
    void *state;   /* the member's, see cr__scores */
    double *score; /* [capacity * classes] in the member's order of classes */
} view;

struct cr__panel {
    const cr__ensemble *ensemble;
    size_t capacity; /* rows that the arrays below and those of the views have room for */
    view *view;      /* [members] */
    size_t *drawn;   /* [capacity] */
    double *log_evidence, *term; /* [members] of the current row */
    double *own, *posterior;     /* [classes] of a member */
    uint64_t calls;              /* for rows that do not know their line */
};

/* --- memory ----------------------------------------------------------------------------------- */

static void close_view(view *v, const cr__member *m)
{
    if (v->state != NULL)
        m->model->learner->scores->close(v->state);
    for (size_t i = 0; v->batch.column != NULL && i < v->batch.columns; i++) {
        cr__free(v->batch.column[i].code);
        cr__free(v->batch.column[i].start);
        cr__free(v->batch.column[i].word);
    }
    cr__free(v->batch.column);
    cr__free(v->begun);
    cr__free(v->score);
    cr__text_plan_close(&v->text);
}

void cr__panel_close(void *state)
{
    cr__panel *panel = state;

    for (size_t m = 0; panel->view != NULL && m < panel->ensemble->members; m++)
        close_view(&panel->view[m], &panel->ensemble->member[m]);
    cr__free(panel->view);
    cr__free(panel->drawn);
    cr__free(panel->log_evidence);
    cr__free(panel->term);
    cr__free(panel->own);
    cr__free(panel->posterior);
    cr__free(panel);
}

static cr_status open_view(view *v, const cr__member *m, cr_error *err)
{
    const cr_schema *schema = m->model->schema;
    const cr__scores *scores = m->model->learner->scores;
    cr_status st;

    v->batch.columns = schema->columns;
    v->batch.column = cr__alloc_zero(schema->columns, sizeof *v->batch.column);
    v->begun = cr__alloc_zero(schema->columns, sizeof *v->begun);
    if (v->batch.column == NULL || v->begun == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++)
        v->batch.column[i].kind = m->column_of[i] == SIZE_MAX ? CR_IGNORE : schema->column[i].kind;
    st = cr__model_plan(&v->text, &v->plan, m->model, err);
    if (st == CR_OK && scores->open != NULL)
        st = scores->open(&v->state, m->model->share->fitted, err);
    return st;
}

static int resize(void *array_of_pointer, size_t count, size_t size)
{
    void **array = array_of_pointer, *larger = cr__realloc(*array, count, size);

    if (larger == NULL)
        return 0;
    *array = larger;
    return 1;
}

static int make_room_in(view *v, size_t rows, size_t classes)
{
    if (rows > SIZE_MAX / sizeof(double) / (classes + 1) ||
        !resize(&v->score, rows * classes, sizeof *v->score))
        return 0;
    for (size_t i = 0; i < v->batch.columns; i++) {
        cr__batch_column *column = &v->batch.column[i];

        if ((column->kind == CR_SYMBOL || column->kind == CR_BAG) &&
            !resize(&column->code, rows, sizeof *column->code))
            return 0;
        if (column->kind == CR_BAG && !resize(&column->start, rows + 1, sizeof *column->start))
            return 0;
        if (column->kind == CR_BAG && v->batch.capacity == 0)
            column->start[0] = 0;
    }
    v->batch.capacity = rows;
    return 1;
}

static cr_status make_room(cr__panel *panel, size_t rows, cr_error *err)
{
    if (rows <= panel->capacity)
        return CR_OK;
    if (!resize(&panel->drawn, rows, sizeof *panel->drawn))
        return cr__fail_memory(err);
    for (size_t m = 0; m < panel->ensemble->members; m++)
        if (!make_room_in(&panel->view[m], rows, panel->ensemble->classes))
            return cr__fail_memory(err);
    panel->capacity = rows;
    return CR_OK;
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Begin the texts of all rows up to `row`, and restart that one. */
static void begin_rows(view *v, size_t column, size_t row)
{
    for (size_t r = v->begun[column] < row ? v->begun[column] : row; r <= row; r++)
        cr__batch_no_text(&v->batch, r, column);
    v->begun[column] = row + 1;
}

/* A text goes to every member that has the column, split into words by the member's own recipe. */
static cr_status put_text(cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                          const cr__section *section, cr_error *err)
{
    cr__panel *panel = plan->text;
    const int first = batch->column[column].code[row] == CR__MISSING;
    cr_status st = make_room(panel, batch->capacity, err);

    for (size_t m = 0; m < panel->ensemble->members; m++) {
        view *v = &panel->view[m];

        for (size_t i = 0; st == CR_OK && i < v->batch.columns; i++) {
            if (panel->ensemble->member[m].column_of[i] != column)
                continue;
            if (first)
                begin_rows(v, i, row);
            st = v->plan.put_text(&v->plan, &v->batch, row, i, section, err);
        }
    }
    batch->column[column].code[row] = (uint32_t)row + 1; /* rows may be left out afterwards */
    return st;
}

cr_status cr__panel_open(void **out, const void *fitted, cr_error *err)
{
    const cr__ensemble *e = fitted;
    cr__panel *panel = cr__alloc_zero(1, sizeof *panel);
    cr_status st = CR_OK;

    *out = NULL;
    if (panel == NULL)
        return cr__fail_memory(err);
    panel->ensemble = e;
    panel->view = cr__alloc_zero(e->members, sizeof *panel->view);
    panel->log_evidence = cr__alloc(e->members, sizeof *panel->log_evidence);
    panel->term = cr__alloc(e->members, sizeof *panel->term);
    panel->own = cr__alloc(e->classes + 1, sizeof *panel->own);
    panel->posterior = cr__alloc(e->classes + 1, sizeof *panel->posterior);
    if (panel->view == NULL || panel->log_evidence == NULL || panel->term == NULL ||
        panel->own == NULL || panel->posterior == NULL)
        st = cr__fail_memory(err);
    for (size_t m = 0; st == CR_OK && m < e->members; m++)
        st = open_view(&panel->view[m], &e->member[m], err);
    if (st != CR_OK) {
        cr__panel_close(panel);
        return st;
    }
    *out = panel;
    return CR_OK;
}

void cr__panel_plan(void *panel, cr__plan *plan)
{
    plan->put_text = put_text;
    plan->text = panel;
}

/* --- one member ------------------------------------------------------------------------------- */

static void see_codes(const cr__member *m, size_t i, const uint32_t *code, size_t rows,
                      uint32_t *own)
{
    const size_t last = m->code_count[i] - 1; /* never seen */

    for (size_t r = 0; r < rows; r++)
        own[r] = m->code_of[i][code[r] < last ? code[r] : last];
}

/* Texts are at the places of the rows before some were left out of the batch: code has the place of
 * each, plus 1. Move them up. */
static void move_texts(cr__batch_column *own, const uint32_t *code, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        const size_t from = code[r] == CR__MISSING ? r : code[r] - 1;
        const size_t begin = own->start[from];
        const size_t n = code[r] == CR__MISSING ? 0 : own->start[from + 1] - begin;

        if (n > 0)
            memmove(own->word + own->start[r], own->word + begin, n * sizeof *own->word);
        own->code[r] = code[r] == CR__MISSING ? CR__MISSING : own->code[from];
        own->start[r + 1] = own->start[r] + (uint32_t)n;
    }
}

static void see_texts(view *v, size_t i, const uint32_t *code, size_t rows)
{
    int moved = 0;

    if (v->begun[i] < rows)
        begin_rows(v, i, rows - 1);
    v->begun[i] = 0;
    for (size_t r = 0; r < rows; r++)
        moved = moved || (code[r] != CR__MISSING && code[r] != r + 1);
    if (moved)
        move_texts(&v->batch.column[i], code, rows);
    for (size_t r = 0; r < rows; r++)
        if (code[r] == CR__MISSING)
            v->batch.column[i].code[r] = CR__MISSING;
}

static cr_status score_member(view *v, const cr__member *m, const cr__batch *batch, cr_error *err)
{
    v->batch.rows = batch->rows;
    v->batch.record = batch->record;
    for (size_t i = 0; i < v->batch.columns; i++) {
        cr__batch_column *own = &v->batch.column[i];
        const cr__batch_column *data =
            own->kind == CR_IGNORE ? NULL : &batch->column[m->column_of[i]];

        if (own->kind == CR_REAL)
            own->real = data->real;
        else if (own->kind == CR_SYMBOL)
            see_codes(m, i, data->code, batch->rows, own->code);
        else if (own->kind == CR_BAG)
            see_texts(v, i, data->code, batch->rows);
    }
    cr__text_plan_sort(&v->batch);
    return m->model->learner->scores->score(m->model->share->fitted, v->state, &v->batch, v->score,
                                            err);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* The draw for a row is a hash of the seed and its line: the same for any number of threads. */
static double draw_for(uint64_t seed, uint64_t line)
{
    uint64_t state = seed;

    state = cr__splitmix64(&state) ^ line;
    return (double)(cr__splitmix64(&state) >> 11) * 0x1p-53;
}

/* A member by its weight among those that have a posterior; there is one. */
static size_t draw(const cr__panel *panel, double share, uint64_t line)
{
    const cr__ensemble *e = panel->ensemble;
    double left = draw_for(e->seed, line) * share;
    size_t last = SIZE_MAX;

    for (size_t m = 0; m < e->members; m++) {
        if (isinf(panel->log_evidence[m]) || !(e->member[m].weight > 0))
            continue;
        last = m;
        if (left < e->member[m].weight)
            break;
        left -= e->member[m].weight;
    }
    return last;
}

static void mix(cr__panel *panel, size_t row, double share, double *score)
{
    const cr__ensemble *e = panel->ensemble;
    double log_evidence;

    for (size_t m = 0; m < e->members; m++)
        panel->term[m] = e->member[m].log_weight + panel->log_evidence[m];
    log_evidence = cr__log_sum_exp(panel->term, e->members);
    for (size_t c = 0; c < e->classes; c++) {
        for (size_t m = 0; m < e->members; m++)
            panel->term[m] =
                isinf(panel->log_evidence[m])
                    ? -INFINITY
                    : e->member[m].log_weight - panel->log_evidence[m] +
                          panel->view[m].score[row * e->classes + e->member[m].class_of[c]];
        score[c] = cr__log_sum_exp(panel->term, e->members) - log(share) + log_evidence;
    }
}

/* A member's log posterior of a row in the ensemble's order of classes. */
static void member_posterior(const cr__panel *panel, size_t member, size_t row, double *out)
{
    const cr__ensemble *e = panel->ensemble;
    const cr__member *m = &e->member[member];
    const double *own = panel->view[member].score + row * e->classes;
    double log_evidence;

    for (size_t c = 0; c < e->classes; c++) /* in its own order first, like its calibration */
        out[c] = own[c];
    if (e->rule == CR__RULE_PRODUCT)
        cr__calibrate(m->model->calibration, out);
    log_evidence = cr__log_sum_exp(out, e->classes);
    memcpy(panel->own, out, e->classes * sizeof *out);
    for (size_t c = 0; c < e->classes; c++)
        out[c] = isfinite(log_evidence) ? panel->own[m->class_of[c]] - log_evidence : -INFINITY;
}

/* Scores whose posterior is the product; their sum is unchanged. */
static void multiply(cr__panel *panel, size_t row, double *score)
{
    const cr__ensemble *e = panel->ensemble;
    const double log_evidence = cr__log_sum_exp(score, e->classes);
    double all;

    for (size_t c = 0; c < e->classes; c++)
        score[c] = 0;
    for (size_t m = 0; m < e->members; m++) {
        if (isinf(panel->log_evidence[m]) || !(e->member[m].weight > 0))
            continue;
        member_posterior(panel, m, row, panel->posterior);
        for (size_t c = 0; c < e->classes; c++)
            score[c] += e->member[m].weight * fmax(panel->posterior[c], CR__PRODUCT_FLOOR);
    }
    all = cr__log_sum_exp(score, e->classes);
    for (size_t c = 0; c < e->classes; c++)
        score[c] += log_evidence - all;
}

static void score_row(cr__panel *panel, const cr__batch *batch, size_t row, double *score)
{
    const cr__ensemble *e = panel->ensemble;
    double share = 0;

    for (size_t m = 0; m < e->members; m++) {
        const double *own = panel->view[m].score + row * e->classes;
        const double log_evidence = cr__log_sum_exp(own, e->classes);

        panel->log_evidence[m] = isfinite(log_evidence) ? log_evidence : -INFINITY;
        share += isfinite(log_evidence) ? e->member[m].weight : 0;
    }
    panel->drawn[row] = SIZE_MAX;
    if (!(share > 0)) {
        for (size_t c = 0; c < e->classes; c++)
            score[c] = -INFINITY;
        return;
    }
    if (e->rule != CR__RULE_GIBBS) {
        mix(panel, row, share, score);
        if (e->rule == CR__RULE_PRODUCT)
            multiply(panel, row, score);
        return;
    }
    const size_t m =
        draw(panel, share, batch->record == NULL ? panel->calls++ : batch->record[row].line);

    panel->drawn[row] = m;
    for (size_t c = 0; c < e->classes; c++)
        score[c] = panel->view[m].score[row * e->classes + e->member[m].class_of[c]];
}

cr_status cr__panel_score(const void *fitted, void *state, const cr__batch *batch, double *score,
                          cr_error *err)
{
    const cr__ensemble *e = fitted;
    cr__panel *panel = state;
    cr_status st = make_room(panel, batch->rows, err);

    for (size_t m = 0; st == CR_OK && m < e->members; m++)
        st = score_member(&panel->view[m], &e->member[m], batch, err);
    for (size_t r = 0; st == CR_OK && r < batch->rows; r++)
        score_row(panel, batch, r, score + r * e->classes);
    return st;
}

void cr__panel_posterior(const cr__panel *panel, size_t member, size_t row, double *log_posterior)
{
    member_posterior(panel, member, row, log_posterior);
}

size_t cr__panel_drawn(const cr__panel *panel, size_t row)
{
    return panel->drawn[row];
}
