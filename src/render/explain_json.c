/* render/explain_json.c - explanations as JSON, one object on a line. The log of zero cannot be
 * written in JSON; it is null. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "credence/explain.h"

typedef struct writer {
    const cr_model *model;
    const cr_explanation *e;
    int32_t rival;
    int compares; /* there are two classes to compare */
    cr_json json;
} writer;

static const char *class_name(const writer *w, int32_t c)
{
    return c != CR_UNDECIDED ? cr_model_class(w->model, (size_t)c) : NULL;
}

/* One number per class under its name. */
static void by_class(writer *w, const char *key, const double *numbers)
{
    if (numbers == NULL)
        return;
    cr_json_object(&w->json, key, CR_JSON_LINE);
    for (size_t c = 0; c < w->e->classes; c++)
        cr_json_number(&w->json, cr_model_class(w->model, c), numbers[c]);
    cr_json_end(&w->json);
}

static int is_text(const writer *w, const cr_factor *f)
{
    return f->column != SIZE_MAX && cr_schema_kind(cr_model_schema(w->model), f->column) == CR_BAG;
}

static void word_json(writer *w, const cr_word_share *word, char *room)
{
    cr_json *j = &w->json;

    memcpy(room, word->bytes, word->length);
    room[word->length] = '\0';
    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "word", room);
    cr_json_number(j, "times", (double)word->count);
    cr_json_number(j, "weight", word->weight);
    if (w->compares)
        cr_json_number(j, "log_odds", word->log_p[w->e->decision] - word->log_p[w->rival]);
    by_class(w, "log_p", word->log_p);
    cr_json_end(j);
}

/* The strongest word first. */
static cr_status words_json(writer *w, const cr_factor *f)
{
    size_t *order = cr__alloc(f->words, sizeof *order), longest = 0;
    char *room;
    cr_status st = CR_OK;

    for (size_t i = 0; i < f->words; i++)
        longest = f->word[i].length > longest ? f->word[i].length : longest;
    room = cr__alloc(longest + 1, 1);
    if (order == NULL || room == NULL ||
        cr_factor_order_words(f, w->e->decision, w->rival, order) != CR_OK)
        st = CR_ENOMEM;
    cr_json_array(&w->json, "words", CR_JSON_LINE);
    for (size_t i = 0; st == CR_OK && i < f->words; i++)
        word_json(w, &f->word[order[i]], room);
    cr_json_end(&w->json);
    cr__free(order);
    cr__free(room);
    return st;
}

static cr_status factor_json(writer *w, const cr_factor *f)
{
    cr_json *j = &w->json;
    cr_status st = CR_OK;

    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "name", f->name);
    cr_json_text(j, "value", is_text(w, f) ? NULL : f->value);
    if (f->left_out)
        cr_json_text(j, "left_out", f->left_out == 1 ? "missing" : "never seen");
    if (w->compares)
        cr_json_number(j, "log_odds", f->log_p[w->e->decision] - f->log_p[w->rival]);
    by_class(w, "log_p", f->log_p);
    if (!f->left_out) {
        by_class(w, "count", f->count);
        by_class(w, "total", f->total);
        by_class(w, "top", f->fraction ? f->top : NULL);
        by_class(w, "bottom", f->fraction ? f->bottom : NULL);
        by_class(w, "mean", f->mean);
        by_class(w, "variance", f->variance);
        by_class(w, "freedom", f->mean != NULL ? f->freedom : NULL);
        by_class(w, "weight", f->column != SIZE_MAX ? f->slope : NULL);
        if (is_text(w, f))
            st = words_json(w, f);
    }
    cr_json_end(j);
    return st;
}

static void members_json(writer *w)
{
    cr_json *j = &w->json;

    cr_json_array(j, "members", CR_JSON_LINE);
    for (size_t i = 0; i < w->e->members; i++) {
        const cr_member_share *m = &w->e->member[i];

        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", m->name);
        cr_json_number(j, "weight", m->weight);
        cr_json_bool(j, "drawn", m->drawn);
        cr_json_text(j, "prediction", class_name(w, m->decision));
        by_class(w, "posterior", m->posterior);
        cr_json_end(j);
    }
    cr_json_end(j);
}

/* For two classes: from which probability on the second is decided. */
static void threshold_json(writer *w)
{
    cr_threshold t;

    if (w->e->rule == NULL || cr_rule_threshold(w->e->rule, &t) != CR_OK)
        return;
    cr_json_object(&w->json, "threshold", CR_JSON_LINE);
    cr_json_text(&w->json, "class", cr_model_class(w->model, 1));
    cr_json_number(&w->json, "decide", t.decide);
    cr_json_number(&w->json, "low", t.low);
    cr_json_number(&w->json, "high", t.high);
    cr_json_end(&w->json);
}

/* The prediction, or why there is none, and the posterior. */
static void head_json(writer *w)
{
    const cr_explanation *e = w->e;
    cr_json *j = &w->json;

    cr_json_number(j, "line", (double)e->line);
    cr_json_text(j, "prediction", class_name(w, e->decision));
    if (e->decision == CR_UNDECIDED)
        cr_json_text(j, "reason",
                     e->reason == CR_REJECTED ? "any decision is expected to cost more than none"
                                              : "every class gives this row probability zero");
    if (e->members == 0)
        cr_json_text(j, "against", class_name(w, w->rival));
    if (e->members == 0 && w->compares)
        cr_json_number(j, "log_odds", e->score[e->decision] - e->score[w->rival]);
    if (e->rule != NULL && e->reason != CR_IMPOSSIBLE)
        cr_json_number(j, "expected_cost", e->expected_cost);
    threshold_json(w);
    if (e->reason == CR_IMPOSSIBLE)
        cr_json_text(j, "posterior", NULL);
    else
        by_class(w, "posterior", e->posterior);
    if (e->low != NULL) {
        by_class(w, "low", e->low);
        by_class(w, "high", e->high);
    }
}

static cr_status work_json(writer *w, const cr_explanation_json_options *o, cr_error *err)
{
    const cr_board_options options = {.against = o->against};
    cr_board *board;
    cr_status st = cr_board_new(&board, w->model, w->e, &options, err);

    if (st == CR_OK)
        cr_board_json(board, &w->json, "work");
    cr_board_free(board);
    return st;
}

static void change_json(writer *w, const cr_change *c)
{
    cr_json *j = &w->json;
    cr_word word;

    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "name", c->name);
    if (c->words > 0) {
        cr_json_array(j, "without", CR_JSON_LINE);
        for (size_t i = 0; i < c->words; i++)
            if (cr_model_word(w->model, c->column, c->word[i], 0, &word) == CR_OK)
                cr_json_bytes(j, NULL, word.bytes, word.length);
        cr_json_end(j);
    } else if (c->value != NULL) {
        cr_json_text(j, "to", c->value);
    } else {
        cr_json_number(j, "to", c->number);
    }
    cr_json_text(j, "prediction", class_name(w, c->decision));
    cr_json_number(j, "probability", c->probability);
    cr_json_number(j, "distance", c->distance);
    cr_json_end(j);
}

static void changes_json(writer *w, const cr_changes *changes)
{
    cr_json_array(&w->json, "changes", CR_JSON_LINE);
    for (size_t i = 0; i < changes->count; i++)
        change_json(w, &changes->change[i]);
    cr_json_end(&w->json);
}

cr_status cr_explanation_json(const cr_model *model, const cr_explanation *e,
                              const cr_explanation_json_options *options, cr_output *out,
                              cr_error *err)
{
    writer w = {.model = model, .e = e};
    cr_explanation_json_options o;
    cr_status st = cr__sized_take(&o, sizeof o, options, "cr_explanation_json_options", err);

    if (st == CR_OK)
        st = cr_explanation_rival(&w.rival, model, e, o.against, err);
    if (st != CR_OK)
        return st;
    w.compares = e->decision != CR_UNDECIDED && w.rival != CR_UNDECIDED;
    cr_json_start(&w.json, out);
    cr_json_object(&w.json, NULL, CR_JSON_LINE);
    if (e->error != NULL) {
        cr_json_number(&w.json, "line", (double)e->line);
        cr_json_text(&w.json, "error", e->error);
        cr_json_end(&w.json);
        return CR_OK;
    }
    head_json(&w);
    if (e->members > 0) {
        members_json(&w);
    } else {
        by_class(&w, "score", e->score);
        cr_json_array(&w.json, "factors", CR_JSON_LINE);
        for (size_t i = 0; st == CR_OK && i < e->factors; i++)
            st = factor_json(&w, &e->factor[i]);
        cr_json_end(&w.json);
    }
    if (o.changes != NULL)
        changes_json(&w, o.changes);
    if (st == CR_OK && o.work)
        st = work_json(&w, &o, err);
    cr_json_end(&w.json);
    return st == CR_ENOMEM ? cr__fail_memory(err) : st;
}

/* --- a number -------------------------------------------------------------------------------- */

static void share_json(cr_json *j, const cr_model *model, const cr_regression_explanation *e,
                       const cr_regression_share *s)
{
    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "column", cr_schema_name(cr_model_schema(model), s->column));
    if (s->text != NULL)
        cr_json_text(j, "value", s->text);
    else
        cr_json_number(j, "value", s->value);
    if (!e->chained) {
        cr_json_number(j, "weight", s->weight);
        cr_json_number(j, "mean", s->mean);
    }
    cr_json_number(j, "share", s->share);
    if (!s->known)
        cr_json_bool(j, "missing", 1);
    if (s->filled)
        cr_json_bool(j, "filled", 1);
    cr_json_end(j);
}

cr_status cr_regression_explanation_json(const cr_model *model, const cr_regression_explanation *e,
                                         double level, int work, cr_output *out, cr_error *err)
{
    cr_board *board = NULL;
    cr_status st = CR_OK;
    double low, high;
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_number(&j, "line", (double)e->line);
    if (e->error != NULL) {
        cr_json_text(&j, "error", e->error);
        cr_json_end(&j);
        return CR_OK;
    }
    cr_regression_interval(&e->answer, level, &low, &high);
    cr_json_number(&j, "prediction", e->answer.mean);
    cr_json_number(&j, "low", low);
    cr_json_number(&j, "high", high);
    cr_json_number(&j, "level", level);
    cr_json_number(&j, "scale", e->answer.scale);
    cr_json_number(&j, "freedom", e->answer.freedom);
    cr_json_number(&j, "truth", e->answer.truth);
    cr_json_number(&j, "base", e->base);
    if (!e->chained) {
        cr_json_number(&j, "noise", e->noise);
        cr_json_number(&j, "rows", e->rows);
        cr_json_number(&j, "leverage", e->leverage);
    }
    cr_json_array(&j, "shares", CR_JSON_LINE);
    for (size_t i = 0; i < e->shares; i++)
        share_json(&j, model, e, &e->share[i]);
    cr_json_end(&j);
    if (work && (st = cr_board_new_regression(&board, model, e, level, NULL, err)) == CR_OK)
        cr_board_json(board, &j, "work");
    cr_board_free(board);
    cr_json_end(&j);
    return st;
}
