/* cli/report/mistakes.c - the most confident mistakes, the numbers farthest off, and why. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/text.h"
#include "report/report.h"
#include "session/reserve.h"
#include "session/session.h"

enum {
    ROWS_MOVED = 2000, /* that tell which features move a number, when no others are wanted */
    TEXT_SHOWN = 400
};

/* The posterior of a decision that is wrong, or how far off a number is; -1: not a mistake. */
static double rank_of(const report *x, size_t row)
{
    const cr_scored *s = x->scores;

    if (s == NULL)
        return x->answers->weight[row] > 0 ? cr_regression_distance(&x->answers->answer[row]) : -1;
    return s->decision[row] >= 0 && s->truth[row] >= 0 && s->decision[row] != s->truth[row]
               ? s->confidence[row]
               : -1;
}

void mistakes_find(report *x, size_t most)
{
    const size_t rows = x->scores != NULL ? x->scores->rows : x->answers->rows;
    mistake *m = x->mistake = reserve(most + 1, sizeof *m);

    for (size_t row = 0; most > 0 && row < rows; row++) {
        const double rank = rank_of(x, row);
        size_t at = x->mistakes;

        if (!(rank >= 0) || (at == most && rank <= m[at - 1].rank))
            continue;
        if (at == most)
            at--;
        else
            x->mistakes++;
        for (; at > 0 && m[at - 1].rank < rank; at--)
            m[at] = m[at - 1];
        m[at] = (mistake){.row = row, .rank = rank};
    }
}

void mistakes_free(report *x)
{
    for (size_t i = 0; i < x->mistakes; i++) {
        for (size_t k = 0; k < x->mistake[i].reasons; k++) {
            free(x->mistake[i].reason[k].feature);
            free(x->mistake[i].reason[k].value);
        }
        free(x->mistake[i].text);
    }
    free(x->mistake);
    x->mistake = NULL;
    x->mistakes = 0;
}

size_t mistake_line(const report *x, const mistake *m)
{
    return (x->scores != NULL ? x->scores->line : x->answers->line)[m->row];
}

/* --- why -------------------------------------------------------------------------------------- */

typedef struct reader {
    report *report;
    const size_t *place; /* of the rows that have a target, among all */
    size_t at, last;     /* the row at hand, and the last one wanted */
} reader;

/* Keep the reasons that speak loudest, for the decision or against it. */
static void offer(mistake *m, const char *feature, const char *value, double adds)
{
    size_t at = m->reasons;

    if (!(fabs(adds) > 0) || (at == REASONS && fabs(adds) <= fabs(m->reason[at - 1].adds)))
        return;
    if (at == REASONS) {
        at--;
        free(m->reason[at].feature);
        free(m->reason[at].value);
    } else {
        m->reasons++;
    }
    for (; at > 0 && fabs(m->reason[at - 1].adds) < fabs(adds); at--)
        m->reason[at] = m->reason[at - 1];
    m->reason[at] = (reason){reserve_text(feature), reserve_text(value), adds};
}

/* Words of a text speak one by one. */
static void offer_words(mistake *m, const cr_factor *f, size_t decision, size_t truth)
{
    for (size_t i = 0; i < f->words; i++) {
        const cr_word_share *w = &f->word[i];
        char *word = reserve(w->length + 32, 1);

        if (w->bytes != NULL) {
            memcpy(word, w->bytes, w->length);
            if (w->count > 1)
                snprintf(word + w->length, 32, " (%zu times)", w->count);
            offer(m, f->name, word, w->log_p[decision] - w->log_p[truth]);
        }
        free(word);
    }
}

/* So many bytes of a text, but whole characters of UTF-8. */
static void take_text(mistake *m, const char *text, size_t size)
{
    size_t length = size < TEXT_SHOWN ? size : TEXT_SHOWN;

    if (m->text != NULL)
        return;
    while (length < size && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    m->text = reserve(length + sizeof "…", 1);
    memcpy(m->text, text, length);
    if (length < size)
        strcpy(m->text + length, "…");
}

static void take_reasons(mistake *m, const cr_explanation *e, size_t decision, size_t truth)
{
    for (size_t i = 0; i < e->factors; i++) {
        const cr_factor *f = &e->factor[i];

        if (f->text != NULL)
            take_text(m, f->text, f->text_size);
        if (f->words > 0)
            offer_words(m, f, decision, truth);
        else if (f->left_out == 0)
            offer(m, f->name, f->value != NULL ? f->value : "",
                  f->log_p[decision] - f->log_p[truth]);
    }
    for (size_t i = 0; i < e->members; i++) {
        char text[32];

        snprintf(text, sizeof text, "weight %.3g", e->member[i].weight);
        offer(m, e->member[i].name, text,
              log(fmax(e->member[i].posterior[decision], 1e-300)) -
                  log(fmax(e->member[i].posterior[truth], 1e-300)));
    }
}

/* The mistake that the row at hand is, or NULL; the row is done then. */
static mistake *next_mistake(reader *r)
{
    report *x = r->report;
    mistake *found = NULL;

    for (size_t i = 0; found == NULL && i < x->mistakes; i++)
        if (r->place[x->mistake[i].row] == r->at)
            found = &x->mistake[i];
    r->at++;
    return found;
}

static cr_status visit(void *context, const cr_explanation *e)
{
    reader *r = context;
    const cr_scored *s = r->report->scores;
    mistake *m = next_mistake(r);

    if (m != NULL)
        take_reasons(m, e, (size_t)s->decision[m->row], (size_t)s->truth[m->row]);
    return r->at > r->last ? CR_ESTOPPED : CR_OK;
}

/* A number is a sum: what each column adds to it, and how much that is on average. */
static cr_status visit_number(void *context, const cr_regression_explanation *e)
{
    reader *r = context;
    report *x = r->report;
    const cr_schema *schema = cr_model_schema(x->model);
    mistake *m = next_mistake(r);

    for (size_t i = 0; i < e->shares; i++) {
        const cr_regression_share *s = &e->share[i];
        char number[NUMBER_ROOM];

        x->moves[s->column] += fabs(s->share);
        if (m != NULL && (s->known || s->filled))
            offer(m, cr_schema_name(schema, s->column),
                  s->text != NULL ? s->text : number_exact(number, s->value), s->share);
    }
    return r->at > r->last ? CR_ESTOPPED : CR_OK;
}

int mistakes_explain(report *x, size_t first)
{
    const cr_predict_options options = {.allow_absent_columns = option_given(x->r, "allow-absent")};
    const size_t columns = cr_schema_columns(cr_model_schema(x->model));
    reader r = {.report = x, .place = x->scores != NULL ? x->scores->place : x->answers->place};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    int code;

    if (x->scores == NULL) {
        r.last = ROWS_MOVED - 1;
        x->moves = reserve(columns + 1, sizeof *x->moves);
    }
    for (size_t i = 0; i < x->mistakes; i++)
        r.last = r.place[x->mistake[i].row] > r.last ? r.place[x->mistake[i].row] : r.last;
    if (x->scores != NULL && x->mistakes == 0)
        return EXIT_DONE;
    if ((code = open_data(&source, x->r, first, x->model)) != EXIT_DONE)
        return code;
    status = x->scores != NULL
                 ? cr_model_explain(x->model, source, &options, visit, &r, &err)
                 : cr_model_explain_regression(x->model, source, &options, visit_number, &r, &err);
    cr_source_close(source);
    for (size_t i = 0; x->moves != NULL && r.at > 0 && i < columns; i++)
        x->moves[i] /= (double)r.at;
    if (status != CR_OK && status != CR_ESTOPPED)
        note("mistakes are shown without reasons: %s", err.message);
    return EXIT_DONE;
}
