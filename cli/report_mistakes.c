/* cli/report_mistakes.c - the most confident mistakes, and why they were made. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "reserve.h"
#include "report.h"
#include "session.h"

/* A row that the model got wrong, of a class that it knows. */
static bool is_mistake(const scores *s, size_t row)
{
    return s->decision[row] >= 0 && s->truth[row] >= 0 && s->decision[row] != s->truth[row];
}

mistake *mistakes_find(const scores *s, size_t most, size_t *count)
{
    mistake *m = reserve(most + 1, sizeof *m);

    *count = 0;
    for (size_t row = 0; row < s->rows; row++) {
        const double sure =
            is_mistake(s, row) ? s->posterior[row * s->classes + (size_t)s->decision[row]] : -1;
        size_t at = *count;

        if (sure < 0 || (at == most && sure <= m[at - 1].sure))
            continue;
        if (at == most)
            at--;
        else
            ++*count;
        for (; at > 0 && m[at - 1].sure < sure; at--)
            m[at] = m[at - 1];
        m[at] = (mistake){.row = row, .sure = sure};
    }
    return m;
}

void mistakes_free(mistake *m, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < m[i].reasons; k++) {
            free(m[i].reason[k].feature);
            free(m[i].reason[k].value);
        }
    free(m);
}

/* --- why -------------------------------------------------------------------------------------- */

typedef struct reader {
    mistake *mistake;
    size_t count;
    const scores *scores;
    size_t at, last; /* the row at hand, and the last one wanted */
} reader;

/* Keep the reasons that speak loudest, for the decision or against it. */
static void offer(mistake *m, const char *feature, const char *value, double odds)
{
    size_t at = m->reasons;

    if (!(fabs(odds) > 0) || (at == REASONS && fabs(odds) <= fabs(m->reason[at - 1].odds)))
        return;
    if (at == REASONS) {
        at--;
        free(m->reason[at].feature);
        free(m->reason[at].value);
    } else {
        m->reasons++;
    }
    for (; at > 0 && fabs(m->reason[at - 1].odds) < fabs(odds); at--)
        m->reason[at] = m->reason[at - 1];
    m->reason[at] = (reason){reserve_text(feature), reserve_text(value), odds};
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

static void take_reasons(mistake *m, const cr_explanation *e, size_t decision, size_t truth)
{
    for (size_t i = 0; i < e->factors; i++) {
        const cr_factor *f = &e->factor[i];

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

static cr_status visit(void *context, const cr_explanation *e)
{
    reader *r = context;
    const scores *s = r->scores;

    for (size_t i = 0; i < r->count; i++) {
        const size_t row = r->mistake[i].row;

        if (s->place[row] == r->at)
            take_reasons(&r->mistake[i], e, (size_t)s->decision[row], (size_t)s->truth[row]);
    }
    return r->at++ == r->last ? CR_ESTOPPED : CR_OK;
}

int mistakes_explain(mistake *m, size_t count, const scores *s, request *r, size_t first)
{
    const cr_predict_options options = {.allow_absent_columns = option_given(r, "allow-absent")};
    reader reading = {.mistake = m, .count = count, .scores = s};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    int code;

    for (size_t i = 0; i < count; i++)
        reading.last = s->place[m[i].row] > reading.last ? s->place[m[i].row] : reading.last;
    if (count == 0)
        return EXIT_DONE;
    if ((code = open_data(&source, r, first, s->model)) != EXIT_DONE)
        return code;
    status = cr_model_explain(s->model, source, &options, visit, &reading, &err);
    cr_source_close(source);
    if (status != CR_OK && status != CR_ESTOPPED)
        note("mistakes are shown without reasons: %s", err.message);
    return EXIT_DONE;
}
