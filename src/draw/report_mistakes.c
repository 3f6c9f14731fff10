/* draw/report_mistakes.c - the most confident mistakes, the numbers farthest off, and why. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/explain.h"
#include "draw/report.h"

enum {
    ROWS_MOVED = 2000, /* rows used to find which features influence a number */
    TEXT_SHOWN = 400
};

/* The posterior of a decision that is wrong, or how far off a number is; -1: not a mistake. */
static double rank_of(const cr_scored *s, size_t row)
{
    if (s->evaluation == NULL)
        return s->weight[row] > 0 ? cr_regression_distance(&s->answer[row]) : -1;
    return s->decision[row] >= 0 && s->truth[row] >= 0 && s->decision[row] != s->truth[row]
               ? s->confidence[row]
               : -1;
}

cr_status cr__mistakes_find(cr_report *r, size_t most, cr_error *err)
{
    cr__mistake *m = r->mistake = cr__alloc_zero(most + 1, sizeof *m);

    if (m == NULL)
        return cr__fail_memory(err);
    for (size_t row = 0; most > 0 && row < r->scored.rows; row++) {
        const double rank = rank_of(&r->scored, row);
        size_t at = r->mistakes;

        if (!(rank >= 0) || (at == most && rank <= m[at - 1].rank))
            continue;
        if (at == most)
            at--;
        else
            r->mistakes++;
        for (; at > 0 && m[at - 1].rank < rank; at--)
            m[at] = m[at - 1];
        m[at] = (cr__mistake){.row = row, .rank = rank};
    }
    return CR_OK;
}

static void free_reason(cr__reason *reason)
{
    cr__free(reason->feature);
    cr__free(reason->value);
}

void cr__mistakes_free(cr_report *r)
{
    for (size_t i = 0; i < r->mistakes; i++) {
        for (size_t k = 0; k < r->mistake[i].reasons; k++)
            free_reason(&r->mistake[i].reason[k]);
        cr__free(r->mistake[i].text);
    }
    cr__free(r->mistake);
}

/* --- why -------------------------------------------------------------------------------------- */

typedef struct reader {
    cr_report *report;
    size_t at, last;     /* the current row, and the last one wanted */
    const size_t *place; /* indices of the rows to visit; NULL: all */
    int failed;          /* out of memory */
} reader;

/* Keep the strongest reasons, for the decision or against it. */
static void offer(reader *r, cr__mistake *m, const char *feature, const char *value, size_t size,
                  double adds)
{
    cr__reason own = {.adds = adds};
    size_t at = m->reasons;

    if (!(fabs(adds) > 0) || (at == CR__REASONS && fabs(adds) <= fabs(m->reason[at - 1].adds)))
        return;
    own.feature = cr__strndup(feature, strlen(feature));
    own.value = cr__strndup(value, size);
    if (own.feature == NULL || own.value == NULL) {
        free_reason(&own);
        r->failed = 1;
        return;
    }
    if (at == CR__REASONS)
        free_reason(&m->reason[--at]);
    else
        m->reasons++;
    for (; at > 0 && fabs(m->reason[at - 1].adds) < fabs(adds); at--)
        m->reason[at] = m->reason[at - 1];
    m->reason[at] = own;
}

/* Words of a text count one by one. */
static void offer_words(reader *r, cr__mistake *m, const cr_factor *f, size_t decision,
                        size_t truth)
{
    cr__buffer word = {0};

    for (size_t i = 0; i < f->words; i++) {
        const cr_word_share *w = &f->word[i];

        if (w->bytes == NULL)
            continue;
        cr__buffer_clear(&word);
        cr__buffer_add(&word, w->bytes, w->length);
        if (w->count > 1)
            cr__buffer_printf(&word, " (%zu times)", w->count);
        r->failed |= word.failed;
        if (!word.failed)
            offer(r, m, f->name, word.data, word.size, w->log_p[decision] - w->log_p[truth]);
    }
    cr__buffer_free(&word);
}

/* A number of bytes of a text, cut to whole characters of UTF-8. */
static void take_text(reader *r, cr__mistake *m, const char *text, size_t size)
{
    size_t length = size < TEXT_SHOWN ? size : TEXT_SHOWN;
    cr__buffer shown = {0};

    if (m->text != NULL)
        return;
    while (length < size && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    cr__buffer_add(&shown, text, length);
    cr__buffer_add(&shown, "…", length < size ? strlen("…") + 1 : 0);
    cr__buffer_addc(&shown, '\0');
    if (shown.failed) {
        r->failed = 1;
        cr__buffer_free(&shown);
    } else {
        m->text = shown.data;
    }
}

static void take_reasons(reader *r, cr__mistake *m, const cr_explanation *e, size_t decision,
                         size_t truth)
{
    for (size_t i = 0; i < e->factors; i++) {
        const cr_factor *f = &e->factor[i];
        const char *value = f->value != NULL ? f->value : "";

        if (f->text != NULL)
            take_text(r, m, f->text, f->text_size);
        if (f->words > 0)
            offer_words(r, m, f, decision, truth);
        else if (f->left_out == 0)
            offer(r, m, f->name, value, strlen(value), f->log_p[decision] - f->log_p[truth]);
    }
    for (size_t i = 0; i < e->members; i++) {
        char text[32];

        snprintf(text, sizeof text, "weight %.3g", e->member[i].weight);
        offer(r, m, e->member[i].name, text, strlen(text),
              log(fmax(e->member[i].posterior[decision], 1e-300)) -
                  log(fmax(e->member[i].posterior[truth], 1e-300)));
    }
}

/* The mistake that belongs to the current row, or NULL; then the row is done. */
static cr__mistake *next_mistake(reader *r)
{
    cr_report *x = r->report;
    const size_t place = r->place == NULL ? r->at : r->place[r->at];
    cr__mistake *found = NULL;

    for (size_t i = 0; found == NULL && i < x->mistakes; i++)
        if (x->scored.place[x->mistake[i].row] == place)
            found = &x->mistake[i];
    r->at++;
    return found;
}

static cr_status next_row(const reader *r)
{
    return r->failed ? CR_ENOMEM : r->at > r->last ? CR_ESTOPPED : CR_OK;
}

static cr_status visit(void *context, const cr_explanation *e)
{
    reader *r = context;
    const cr_scored *s = &r->report->scored;
    cr__mistake *m = next_mistake(r);

    if (m != NULL)
        take_reasons(r, m, e, (size_t)s->decision[m->row], (size_t)s->truth[m->row]);
    return next_row(r);
}

/* A number is a sum: the contribution of each column, and its mean size. */
static cr_status visit_number(void *context, const cr_regression_explanation *e)
{
    reader *r = context;
    const cr_schema *schema = cr_model_schema(r->report->model);
    cr__mistake *m = next_mistake(r);

    for (size_t i = 0; i < e->shares; i++) {
        const cr_regression_share *s = &e->share[i];
        char number[CR_SHOW_SIZE];
        const char *value =
            s->text != NULL ? s->text : cr_show_number(number, CR_SHOW_EXACT, s->value);

        r->report->moves[s->column] += fabs(s->share);
        if (m != NULL && (s->known || s->filled))
            offer(r, m, cr_schema_name(schema, s->column), value, strlen(value), s->share);
    }
    return next_row(r);
}

/* A model that cannot explain has no reasons; the page says so elsewhere. */
static cr_status keep_fault(cr_report *r, cr_status st, const cr_error *fault, cr_error *err)
{
    if (st == CR_OK || st == CR_ESTOPPED)
        return CR_OK;
    r->no_reasons = cr__strndup(fault->message, strlen(fault->message));
    return st == CR_ENOMEM || r->no_reasons == NULL ? cr__fail_memory(err) : CR_OK;
}

/* The indices of the mistakes in the data, ascending. */
static void list_places(const cr_report *report, size_t *place)
{
    for (size_t i = 0; i < report->mistakes; i++) {
        const size_t own = report->scored.place[report->mistake[i].row];
        size_t at = i;

        for (; at > 0 && place[at - 1] > own; at--)
            place[at] = place[at - 1];
        place[at] = own;
    }
}

static cr_status explain_classes(cr_report *report, cr_source *source, cr_error *err)
{
    size_t *place = cr__alloc(report->mistakes, sizeof *place);
    reader r = {.report = report, .place = place, .last = report->mistakes - 1};
    const cr_predict_options options = {.allow_absent_columns = report->how.allow_absent_columns,
                                        .only = place,
                                        .only_count = report->mistakes};
    cr_error fault = {0};
    cr_status st;

    if (place == NULL)
        return cr__fail_memory(err);
    list_places(report, place);
    st = cr_model_explain(report->model, source, &options, visit, &r, &fault);
    cr__free(place);
    return keep_fault(report, st, &fault, err);
}

static cr_status explain_numbers(cr_report *report, cr_source *source, cr_error *err)
{
    const cr_predict_options options = {.allow_absent_columns = report->how.allow_absent_columns};
    const size_t columns = cr_schema_columns(cr_model_schema(report->model));
    reader r = {.report = report, .last = ROWS_MOVED - 1};
    cr_error fault = {0};
    cr_status st;

    if ((report->moves = cr__alloc_zero(columns + 1, sizeof *report->moves)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < report->mistakes; i++) {
        const size_t place = report->scored.place[report->mistake[i].row];

        r.last = place > r.last ? place : r.last;
    }
    st = cr_model_explain_regression(report->model, source, &options, visit_number, &r, &fault);
    for (size_t i = 0; r.at > 0 && i < columns; i++)
        report->moves[i] /= (double)r.at;
    return keep_fault(report, st, &fault, err);
}

cr_status cr__mistakes_explain(cr_report *report, cr_source *source, cr_error *err)
{
    if (report->scored.evaluation == NULL)
        return explain_numbers(report, source, err);
    return report->mistakes == 0 ? CR_OK : explain_classes(report, source, err);
}
