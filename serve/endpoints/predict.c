/* serve/endpoints/predict.c - POST /models/NAME/predict: the class of every row, as `credence
 * predict` writes it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body.h"
#include "endpoints/endpoints.h"
#include "traffic.h"

enum { REST = 64 };

typedef struct job {
    call *k;
    const view *v;
    media form;
    bool proba, keep, reasons, header;
    double level; /* level of the interval around a number; 0: none */
    bool too_many;
    size_t batches;
} job;

/* --- one answer ------------------------------------------------------------------------------- */

static void put_name(const view *v, int32_t c, cr_output *out)
{
    cr_output_bytes(out, v->words.bytes + v->name[c].at, v->name[c].size);
}

static void put_posterior(const view *v, const double *posterior, cr_output *out)
{
    cr_output_bytes(out, ", \"posterior\": {", 16);
    for (size_t c = 0; c < v->classes; c++) {
        if (c != 0)
            cr_output_bytes(out, ", ", 2);
        put_name(v, (int32_t)c, out);
        cr_output_bytes(out, ": ", 2);
        cr_output_number(out, posterior[c]);
    }
    cr_output_bytes(out, "}", 1);
}

static void put_class(const view *v, const double *posterior, int32_t decision, cr_reason reason,
                      const double *cost, cr_output *out)
{
    cr_output_bytes(out, "{\"prediction\": ", 15);
    if (reason == CR_IMPOSSIBLE) {
        cr_output_text(out, "null, \"posterior\": null, \"reason\": \"every class gives this row "
                            "probability zero\"}");
        return;
    }
    if (decision == CR_UNDECIDED)
        cr_output_bytes(out, "null", 4);
    else
        put_name(v, decision, out);
    put_posterior(v, posterior, out);
    if (cost != NULL) {
        cr_output_text(out, ", \"expected_cost\": ");
        cr_output_number(out, *cost);
    }
    if (decision == CR_UNDECIDED)
        cr_output_text(out, ", \"reason\": \"rejected\"");
    cr_output_bytes(out, "}", 1);
}

static void put_number(const cr_regression *f, double level, cr_output *out)
{
    const double variance = cr_regression_variance(f);
    double low, high;

    cr_output_text(out, "{\"prediction\": ");
    cr_output_number(out, f->mean);
    cr_output_text(out, ", \"sd\": ");
    if (isfinite(variance))
        cr_output_number(out, sqrt(variance));
    else
        cr_output_text(out, "null");
    if (level > 0) {
        cr_regression_interval(f, level, &low, &high);
        cr_output_text(out, ", \"low\": ");
        cr_output_number(out, low);
        cr_output_text(out, ", \"high\": ");
        cr_output_number(out, high);
    }
    cr_output_bytes(out, "}", 1);
}

static void count(worker *w, cr_reason reason)
{
    w->answered_rows++;
    w->undecided += reason == CR_IMPOSSIBLE;
    w->rejected += reason == CR_REJECTED;
}

/* Answer the row that the view holds. */
static cr_status answer_row(call *k, const cr_rule *rule, double level)
{
    view *v = k->view;
    cr_decision d;
    cr_regression f;
    cr_status status;

    if (v->numbers) {
        if ((status = cr_row_regress(v->row, &f)) == CR_OK)
            put_number(&f, level, k->answer->out);
        count(k->worker, CR_DECIDED);
    } else {
        if ((status = cr_row_classify(v->row, rule, v->posterior, &d)) == CR_OK)
            put_class(v, v->posterior, d.decision, d.reason, rule != NULL ? &d.expected_cost : NULL,
                      k->answer->out);
        count(k->worker, d.reason);
    }
    return status == CR_OK ? CR_OK : fail(k->err, status, NULL, "%s", cr_status_text(status));
}

/* --- plain JSON ------------------------------------------------------------------------------- */

static body_row answer_plain(call *k, const cr_rule *rule, double level, cr_status *status)
{
    cr_output *out = k->answer->out;
    body_row row = BODY_ODD;
    cr_json_reader *in = &k->worker->json;
    cr_json_token token;
    bool array, first = true;

    cr_json_reader_start(in, k->request->body, k->request->size);
    token = cr_json_read(in);
    array = token == CR_JSON_ARRAY;
    if (array)
        token = cr_json_read(in);
    while (token == CR_JSON_OBJECT && *status == CR_OK) {
        if ((row = body_fill(k, in)) != BODY_ROW)
            return row;
        if (array)
            cr_output_text(out, first ? "[\n" : ",\n");
        first = false;
        if ((*status = answer_row(k, rule, level)) != CR_OK)
            break;
        token = cr_json_read(in);
    }
    if (*status == CR_OK && (array ? token != CR_JSON_ARRAY_END || cr_json_read(in) != CR_JSON_END
                                   : token != CR_JSON_END))
        return BODY_WRONG;
    cr_output_text(out, array ? "\n]\n" : "\n");
    return row;
}

/* --- any body --------------------------------------------------------------------------------- */

static bool needs_quotes(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (strchr(",\"\r\n", text[i]) != NULL)
            return true;
    return false;
}

static void put_csv(cr_output *out, const char *text, size_t size)
{
    if (!needs_quotes(text, size)) {
        cr_output_bytes(out, text, size);
        return;
    }
    cr_output_bytes(out, "\"", 1);
    for (const char *end = text + size; text < end; text++)
        cr_output_bytes(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    cr_output_bytes(out, "\"", 1);
}

static void put_csv_text(cr_output *out, const char *text)
{
    put_csv(out, text, strlen(text));
}

/* The columns of the rows. */
static void csv_kept(const cr_predictions *p, size_t row, cr_output *out)
{
    for (size_t f = 0; f < cr_predictions_fields(p); f++) {
        size_t size = 0;
        const char *field = cr_predictions_field(p, row, f, &size);

        if (field != NULL)
            put_csv(out, field, size);
        cr_output_bytes(out, ",", 1);
    }
}

static void csv_head(const job *b, const cr_predictions *p, cr_output *out)
{
    const cr_model *model = view_model(b->v);

    for (size_t f = 0; b->keep && f < cr_predictions_fields(p); f++) {
        put_csv_text(out, cr_predictions_field_name(p, f));
        cr_output_bytes(out, ",", 1);
    }
    if (b->v->numbers) {
        cr_output_text(out, b->proba ? "prediction,sd" : "prediction");
        cr_output_text(out, b->level > 0 ? ",low,high\n" : "\n");
        return;
    }
    cr_output_text(out, b->reasons ? "prediction,reason" : "prediction");
    for (size_t c = 0; b->proba && c < b->v->classes; c++) {
        char name[512];

        snprintf(name, sizeof name, "p(%.500s)", cr_model_class(model, c));
        cr_output_bytes(out, ",", 1);
        put_csv_text(out, name);
    }
    cr_output_bytes(out, "\n", 1);
}

static void csv_number(const job *b, const cr_regression *f, cr_output *out)
{
    double low, high;

    cr_output_number(out, f->mean);
    if (b->proba) {
        cr_output_bytes(out, ",", 1);
        if (isfinite(cr_regression_variance(f)))
            cr_output_number(out, sqrt(cr_regression_variance(f)));
    }
    if (b->level > 0) {
        cr_regression_interval(f, b->level, &low, &high);
        cr_output_bytes(out, ",", 1);
        cr_output_number(out, low);
        cr_output_bytes(out, ",", 1);
        cr_output_number(out, high);
    }
    cr_output_bytes(out, "\n", 1);
}

static void csv_row(const job *b, const cr_predictions *p, size_t row, cr_output *out)
{
    const cr_reason reason = p->reason[row];

    if (p->decision[row] == CR_UNDECIDED)
        cr_output_bytes(out, "?", 1);
    else
        put_csv_text(out, cr_model_class(view_model(b->v), (size_t)p->decision[row]));
    if (b->reasons)
        cr_output_text(out, reason == CR_REJECTED     ? ",rejected"
                            : reason == CR_IMPOSSIBLE ? ",impossible"
                                                      : ",");
    for (size_t c = 0; b->proba && c < p->classes; c++) {
        cr_output_bytes(out, ",", 1);
        if (reason != CR_IMPOSSIBLE)
            cr_output_number(out, p->posterior[row * p->classes + c]);
    }
    cr_output_bytes(out, "\n", 1);
}

/* Called by several threads at once. Rows of an array are lines that body_lines() wrote, from 1. */
static cr_status render(void *context, const cr_predictions *p, cr_output *out)
{
    const job *b = context;

    for (size_t row = 0; row < p->rows; row++) {
        if (b->form == MEDIA_CSV) {
            if (b->keep)
                csv_kept(p, row, out);
            if (b->v->numbers)
                csv_number(b, &p->regression[row], out);
            else
                csv_row(b, p, row, out);
            continue;
        }
        if (b->form == MEDIA_JSON)
            cr_output_text(out, p->line[row] == 1 ? "" : ",\n");
        if (b->v->numbers)
            put_number(&p->regression[row], b->level, out);
        else
            put_class(b->v, p->posterior + row * p->classes, p->decision[row], p->reason[row],
                      p->expected_cost != NULL ? &p->expected_cost[row] : NULL, out);
        if (b->form != MEDIA_JSON)
            cr_output_bytes(out, "\n", 1);
    }
    return CR_OK;
}

/* A sample of each batch, to be compared with the training data. */
static void note_rows(call *k, const cr_predictions *p)
{
    buffer *lines = &k->worker->more;
    cr_output *out = NULL;

    buffer_clear(lines, 1 << 20);
    if (cr_output_new(&out, buffer_write, lines, NULL) != CR_OK)
        return;
    for (size_t row = 0; row < p->rows && row < NOTED_ROWS; row++) {
        cr_output_text(out, "{");
        body_fields(p, row, out);
        cr_output_text(out, "}\n");
    }
    if (cr_output_flush(out) == CR_OK)
        traffic_note(k->view->slot->traffic, lines->bytes, lines->size,
                     p->rows < NOTED_ROWS ? p->rows : NOTED_ROWS);
    cr_output_free(out);
}

static cr_status visit(void *context, const cr_predictions *p)
{
    job *b = context;
    worker *w = b->k->worker;

    if (b->header)
        csv_head(b, p, b->k->answer->out);
    b->header = false;
    if (++b->batches % REST == 0)
        body_rest(b->k);
    for (size_t row = 0; row < p->rows; row++)
        count(w, p->reason[row]);
    if (b->k->view->slot->traffic != NULL)
        note_rows(b->k, p);
    b->too_many = w->answered_rows > b->k->service->max_rows;
    return b->too_many ? CR_ELIMIT : CR_OK;
}

static cr_status write_answer(void *context, const char *bytes, size_t size)
{
    const job *b = context;

    cr_output_bytes(b->k->answer->out, bytes, size);
    return b->k->answer->failed;
}

static cr_status answer_source(call *k, const cr_rule *rule, double level)
{
    job b = {.k = k, .v = k->view, .form = body_answer(k->request), .level = level};
    const bool array = b.form == MEDIA_JSON;
    const cr_sink sink = {render, visit, write_answer, &b};
    const cr_predict_options options = {
        .allow_absent_columns = request_flag(k->request, "allow-absent"), .rule = rule};
    const cr_run run = {.threads = k->request->size < 1 << 20 ? 1 : 0, .pool = k->service->pool};
    cr_source *source = NULL;
    cr_status status = body_source(k, view_model(k->view), &source);
    bool single = false;

    b.proba = request_flag(k->request, "proba");
    b.keep = request_flag(k->request, "keep");
    b.reasons = request_text(k->request, "reject") != NULL;
    b.header = b.form == MEDIA_CSV && !request_flag(k->request, "no-output-header");
    k->answer->type = array ? TYPE_JSON : b.form == MEDIA_CSV ? TYPE_CSV : TYPE_JSONL;
    k->answer->streams = true;
    if (status == CR_OK && array) {
        single = body_type(k->request) == MEDIA_JSON && !body_is_array(k->request);
        cr_output_text(k->answer->out, single ? "" : "[\n");
    }
    if (status == CR_OK)
        status = cr_model_predict(view_model(k->view), source, &options, &sink, &run, NULL, k->err);
    if (status == CR_OK && array)
        cr_output_text(k->answer->out, single ? "\n" : "\n]\n");
    if (b.too_many)
        fail(k->err, status, "send them in parts", "more than %zu rows", k->service->max_rows);
    if (status == CR_OK)
        body_notes(k, source);
    cr_source_close(source);
    return status;
}

cr_status predict_rows(call *k)
{
    const media type = body_type(k->request);
    cr_rule *rule = NULL;
    const char *lines;
    double level = 0;
    size_t size;
    cr_status status;

    if (k->request->parameters > 0) {
        if ((status = body_rule(k, &rule)) != CR_OK ||
            (status = request_number(k->request, "interval", 0, &level, k->err)) != CR_OK)
            goto done;
        level /= 100;
    }
    status = CR_OK;
    if (type == MEDIA_JSON && body_answer(k->request) == MEDIA_JSON && k->request->large == NULL) {
        if (answer_plain(k, rule, level, &status) == BODY_ROW) {
            if (k->view->slot->traffic != NULL && body_lines(k, &lines, &size) == CR_OK)
                traffic_note(k->view->slot->traffic, lines, size, k->worker->answered_rows);
            goto done;
        }
        answer_clear(k->answer);
        k->worker->answered_rows = k->worker->undecided = k->worker->rejected = 0;
    }
    status = answer_source(k, rule, level);
done:
    cr_rule_free(rule);
    return status;
}
