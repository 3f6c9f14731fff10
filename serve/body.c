/* serve/body.c - the rows of a request. */
#include "body.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- one row ---------------------------------------------------------------------------------- */

/* The column of a key. Keys usually come in the same order, so the next column is tried first. */
static const view_column *column_of(const view *v, const cr_json_reader *in, size_t *next)
{
    for (size_t i = 0; i < v->columns; i++) {
        const view_column *c = &v->column[*next];

        *next = *next + 1 == v->columns ? 0 : *next + 1;
        if (c->length == in->size && memcmp(c->name, in->text, in->size) == 0)
            return c;
    }
    return NULL;
}

/* Whether a value can be used as it is in a column of this kind. */
static bool plain(const view_column *c, cr_json_token token)
{
    if (c->kind == CR_REAL)
        return token == CR_JSON_NUMBER;
    return token == CR_JSON_STRING || (token == CR_JSON_NUMBER && c->kind == CR_SYMBOL);
}

static body_row fill_value(view *v, const view_column *c, const cr_json_reader *in,
                           cr_json_token token)
{
    if (token == CR_JSON_NULL)
        return BODY_ROW;
    if (!plain(c, token))
        return BODY_ODD;
    return cr_row_set_bytes(v->row, c->column, in->text, in->size) == CR_OK ? BODY_ROW : BODY_ODD;
}

/* Members in the order of the columns, as far as they match. */
static body_row fill_in_order(view *v, cr_json_reader *in, size_t *next)
{
    body_row row = BODY_ROW;
    cr_json_token token;

    while (row == BODY_ROW && *next < v->columns &&
           (token = cr_json_read_member(in, v->column[*next].name, v->column[*next].length)) !=
               CR_JSON_ERROR)
        row = fill_value(v, &v->column[(*next)++], in, token);
    *next = *next == v->columns ? 0 : *next;
    return row;
}

body_row body_fill(call *k, cr_json_reader *in)
{
    view *v = k->view;
    size_t next = 0;
    cr_json_token token;

    cr_row_clear(v->row);
    if (fill_in_order(v, in, &next) != BODY_ROW)
        return BODY_ODD;
    while ((token = cr_json_read(in)) == CR_JSON_KEY) {
        const view_column *c = column_of(v, in, &next);

        token = cr_json_read(in);
        if (c == NULL)
            return BODY_ODD; /* the library reports it */
        if (fill_value(v, c, in, token) != BODY_ROW)
            return token == CR_JSON_ERROR ? BODY_WRONG : BODY_ODD;
    }
    return token == CR_JSON_OBJECT_END ? BODY_ROW : BODY_WRONG;
}

/* --- the type --------------------------------------------------------------------------------- */

/* The first non-blank character; NUL: there is none. */
static char first(const request *r)
{
    size_t i = 0;

    while (i < r->size && (r->body[i] == ' ' || (r->body[i] >= '\t' && r->body[i] <= '\r')))
        i++;
    return i < r->size ? r->body[i] : '\0';
}

bool body_is_array(const request *r)
{
    return first(r) == '[';
}

media body_type(const request *r)
{
    if (r->type != MEDIA_NONE)
        return r->type;
    return first(r) == '{' || first(r) == '[' ? MEDIA_JSON : MEDIA_OTHER;
}

media body_answer(const request *r)
{
    const media type = body_type(r);

    if (r->accept == MEDIA_JSON || r->accept == MEDIA_JSONL || r->accept == MEDIA_CSV)
        return r->accept;
    return type == MEDIA_JSON || type == MEDIA_CSV ? type : MEDIA_JSONL;
}

/* --- as a source ------------------------------------------------------------------------------ */

/* Write one JSON value on one line: line ends between its tokens become spaces. */
static void add_line(buffer *b, const char *from, const char *to)
{
    char *at = buffer_reserve(b, (size_t)(to - from) + 1);

    if (at == NULL)
        return;
    for (; from < to; from++)
        *at++ = *from == '\n' || *from == '\r' ? ' ' : *from;
    *at++ = '\n';
    b->size = (size_t)(at - b->bytes);
}

static cr_status not_json(call *k, const cr_json_reader *in)
{
    static const char hint[] =
        "a JSON object, or an array of objects; JSON Lines are application/x-ndjson";
    const cr_status status = cr_json_reader_error(in, k->err);

    if (status == CR_OK)
        return fail(k->err, CR_EFORMAT, hint, "the body is not a JSON object or array");
    if (status == CR_EFORMAT)
        snprintf(k->err->hint, sizeof k->err->hint, "%s", hint);
    return status;
}

/* Lines that do not fit in memory go to a file. */
static cr_status keep_lines(call *k, size_t most)
{
    buffer *rows = &k->worker->rows;

    if (rows->failed)
        return fail(k->err, CR_ENOMEM, NULL, "out of memory");
    if (rows->size <= most)
        return CR_OK;
    if (!spool_add(&k->worker->lines, rows->bytes, rows->size))
        return fail(k->err, CR_EIO, "TMPDIR names the folder for large bodies",
                    "there is no room for the body: %s", strerror(errno));
    rows->size = 0;
    if (k->request->large != NULL)
        spool_rest(k->request->large);
    return CR_OK;
}

static cr_status add_objects(call *k, cr_json_reader *in, cr_json_token token)
{
    cr_status status = CR_OK;

    for (; token == CR_JSON_OBJECT && status == CR_OK; token = cr_json_read(in)) {
        const size_t from = cr_json_reader_offset(in) - 1;

        if (cr_json_skip(in, token) != CR_JSON_OBJECT_END)
            return not_json(k, in);
        add_line(&k->worker->rows, k->request->body + from,
                 k->request->body + cr_json_reader_offset(in));
        status = keep_lines(k, 8 * SPOOL_FROM);
    }
    if (status != CR_OK)
        return status;
    if (token == CR_JSON_ERROR)
        return not_json(k, in);
    if (token != CR_JSON_ARRAY_END && token != CR_JSON_END)
        return fail(k->err, CR_EFORMAT, "each row is an object: {\"COLUMN\": VALUE, ...}",
                    "a member of the array is not an object, at character %zu",
                    cr_json_reader_offset(in));
    return CR_OK;
}

cr_status body_lines(call *k, const char **bytes, size_t *size)
{
    buffer *rows = &k->worker->rows;
    spool *lines = &k->worker->lines;
    cr_json_reader *in = &k->worker->json;
    cr_json_token token;
    cr_status status;

    buffer_clear(rows, 16 * SPOOL_FROM);
    spool_close(lines);
    cr_json_reader_start(in, k->request->body, k->request->size);
    token = cr_json_read(in);
    if (token != CR_JSON_OBJECT && token != CR_JSON_ARRAY)
        return not_json(k, in);
    status = add_objects(k, in, token == CR_JSON_ARRAY ? cr_json_read(in) : token);
    if (status == CR_OK && cr_json_read(in) == CR_JSON_ERROR)
        status = not_json(k, in);
    if (status == CR_OK && lines->fd >= 0)
        status = keep_lines(k, 0);
    if (status != CR_OK)
        return status;
    *bytes = lines->fd >= 0 ? spool_map(lines) : rows->bytes;
    *size = lines->fd >= 0 ? lines->size : rows->size;
    return *bytes != NULL || *size == 0 ? CR_OK : fail(k->err, CR_ENOMEM, NULL, "out of memory");
}

void body_rest(call *k)
{
    if (k->request->large != NULL)
        spool_rest(k->request->large);
    spool_rest(&k->worker->lines);
}

static char one_byte(const char *text)
{
    return text == NULL ? '\0' : strcmp(text, "tab") == 0 ? '\t' : text[0];
}

static void fill_options(const request *r, const cr_model *model, cr_source_options *o)
{
    const char *missing = request_text(r, "missing");
    const char *base = request_text(r, "index-base");

    cr_source_options_default(o);
    o->format = request_text(r, "format");
    o->delimiter = one_byte(request_text(r, "delimiter"));
    o->no_header = request_flag(r, "no-header");
    o->columns = request_text(r, "columns");
    o->comment = one_byte(request_text(r, "comment"));
    o->missing = missing != NULL ? missing : model != NULL ? cr_model_missing(model) : NULL;
    o->member = request_text(r, "member");
    o->classes = request_text(r, "classes");
    o->zero_based = base != NULL && strcmp(base, "0") == 0;
    if (model == NULL) {
        o->target = request_text(r, "target");
        o->weight = request_text(r, "weight");
        o->basis = request_text(r, "basis");
    }
}

cr_status body_source(call *k, const cr_model *model, cr_source **out)
{
    static const char *const format[] = {[MEDIA_JSON] = "jsonl",
                                         [MEDIA_JSONL] = "jsonl",
                                         [MEDIA_CSV] = "csv",
                                         [MEDIA_MAIL] = "mail",
                                         [MEDIA_OTHER] = NULL};
    const request *r = k->request;
    const char *types[REQUEST_PARAMETERS];
    const char *bytes = r->body, *name = request_text(r, "filename");
    size_t size = r->size;
    const media type = body_type(r);
    cr_source_options o;
    cr_status status;

    *out = NULL;
    fill_options(r, model, &o);
    o.types = types;
    for (size_t i = 0; i < r->parameters; i++)
        if (strcmp(r->parameter[i].name, "type") == 0)
            types[o.type_count++] = r->parameter[i].value;
    if (o.format == NULL)
        o.format = format[type];
    if (type == MEDIA_JSON && (status = body_lines(k, &bytes, &size)) != CR_OK)
        return status;
    if (size == 0)
        return fail(k->err, CR_EFORMAT, "rows as JSON, JSON Lines or CSV", "the body is empty");
    return cr_source_open_memory(out, bytes, size, name != NULL ? name : "body", &o, k->err);
}

void body_notes(call *k, const cr_source *source)
{
    cr_error note;
    char text[600];

    for (size_t i = 0; cr_source_get_note(source, i, &note) == CR_OK; i++) {
        cr_error_message(&note, answer_hint_words, NULL, text, sizeof text);
        for (char *p = text; *p != '\0'; p++)
            if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7F)
                *p = ' ';
        if (k->answer->notes.size < 4096) {
            buffer_text(&k->answer->notes, k->answer->notes.size > 0 ? "; " : "");
            buffer_text(&k->answer->notes, text);
        }
    }
}

void body_fields(const cr_predictions *p, size_t row, cr_output *out)
{
    for (size_t f = 0; f < cr_predictions_fields(p); f++) {
        const char *name = cr_predictions_field_name(p, f);
        size_t size = 0;
        const char *field = cr_predictions_field(p, row, f, &size);

        cr_output_text(out, f == 0 ? "" : ", ");
        cr_json_quote(out, name, strlen(name));
        cr_output_text(out, ": ");
        if (field == NULL)
            cr_output_text(out, "null");
        else
            cr_json_quote(out, field, size);
    }
}

/* --- rules ------------------------------------------------------------------------------------ */

cr_status body_rule(call *k, cr_rule **out)
{
    const request *r = k->request;
    const char *reject = request_text(r, "reject");
    cr_rule_options o = {.costs = request_text(r, "cost"),
                         .priors = request_text(r, "priors"),
                         .may_reject = reject != NULL};
    cr_status status;

    *out = NULL;
    if (o.costs == NULL && reject == NULL && o.priors == NULL)
        return CR_OK;
    if ((status = request_number(r, "reject", 0, &o.reject_cost, k->err)) != CR_OK)
        return status;
    if (!isfinite(o.reject_cost) || o.reject_cost < 0)
        return fail(k->err, CR_EARG, NULL, "reject takes a cost, a number of at least 0, not '%s'",
                    reject);
    return cr_rule_new(out, view_model(k->view), &o, k->err);
}

cr_status body_class(call *k, const char *name, int32_t *out)
{
    const char *wanted = request_text(k->request, name);
    size_t found;
    cr_status status;

    if (wanted == NULL)
        return CR_OK;
    status = cr_model_find_class(&found, view_model(k->view), wanted, k->err);
    if (status == CR_OK)
        *out = (int32_t)found;
    return status;
}
