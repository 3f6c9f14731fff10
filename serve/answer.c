/* serve/answer.c - the answer to a client. */
#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

cr_status buffer_write(void *to, const char *bytes, size_t size)
{
    buffer *b = to;

    buffer_add(b, bytes, size);
    return b->failed ? CR_ENOMEM : CR_OK;
}

static cr_status write_body(void *context, const char *bytes, size_t size)
{
    answer *a = context;

    buffer_add(&a->body, bytes, size);
    if (a->streams && a->flow != NULL && a->body.size >= ANSWER_BLOCK && !a->body.failed) {
        a->flowing = true;
        a->failed = a->flow(a->flow_context, a);
    }
    return a->body.failed ? CR_ENOMEM : a->failed;
}

cr_status answer_new(answer *a, cr_error *err)
{
    *a = (answer){0};
    return cr_output_new(&a->out, write_body, a, err);
}

/* A failed output stays failed, so it is replaced. */
static void renew_output(answer *a)
{
    cr_output *fresh = NULL;

    a->failed = CR_OK;
    if (cr_output_flush(a->out) == CR_OK || cr_output_new(&fresh, write_body, a, NULL) != CR_OK)
        return;
    cr_output_free(a->out);
    a->out = fresh;
}

void answer_clear(answer *a)
{
    a->streams = a->flowing = false;
    renew_output(a);
    buffer_clear(&a->body, 2 * ANSWER_BLOCK);
    buffer_clear(&a->notes, 1 << 12);
    buffer_clear(&a->name, 1 << 12);
    a->status = 200;
    a->type = TYPE_JSON;
    a->fixed = NULL;
    a->etag = NULL;
}

void answer_free(answer *a)
{
    cr_output_free(a->out);
    buffer_free(&a->body);
    buffer_free(&a->notes);
    buffer_free(&a->name);
}

unsigned answer_status(cr_status status)
{
    switch (status) {
    case CR_OK:
    case CR_END: return 200;
    case CR_EFORMAT:
    case CR_EARG: return 400;
    case CR_ECONFLICT: return 409;
    case CR_ELIMIT: return 413;
    case CR_ENOMEM:
    case CR_ESTOPPED: return 503;
    default: return 500;
    }
}

/* --- errors for HTTP clients ------------------------------------------------------------------ */

/* Settings are query parameters: ?target=wealth&type=age=ignore. */
int answer_hint_words(void *context, const cr_hint_item *item, char *words, size_t size)
{
    static const char *const parameter[] = {
        [CR_HINT_TYPE] = "type",           [CR_HINT_TARGET] = "target",
        [CR_HINT_WEIGHT] = "weight",       [CR_HINT_MISSING] = "missing",
        [CR_HINT_DELIMITER] = "delimiter", [CR_HINT_COMMENT] = "comment",
        [CR_HINT_NO_HEADER] = "no-header", [CR_HINT_INDEX_BASE] = "index-base",
        [CR_HINT_CALIBRATE] = "calibrate", [CR_HINT_LEARNER] = "learner",
        [CR_HINT_KNOB] = "param",
    };
    const size_t code = item->code;

    (void)context;
    if (item->code == CR_HINT_KNOB_LIST) {
        snprintf(words, size, "GET /learners lists them");
        return 1;
    }
    if (item->code == CR_HINT_TRAIN) {
        snprintf(words, size, "POST /train");
        return 1;
    }
    if (code >= sizeof parameter / sizeof *parameter || parameter[code] == NULL)
        return 0;
    snprintf(words, size, "?%s%s%s%s%s", parameter[code],
             item->column[0] != '\0' || item->value[0] != '\0' ? "=" : "", item->column,
             item->column[0] != '\0' ? "=" : "", item->value);
    return 1;
}

static void put_error(answer *a, cr_status status, const cr_error *err)
{
    char text[1024];
    cr_json j;

    cr_json_start(&j, a->out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_error_message(err, answer_hint_words, NULL, text, sizeof text);
    cr_json_text(&j, "error", text[0] != '\0' ? text : cr_status_text(status));
    cr_error_hint(err, answer_hint_words, NULL, text, sizeof text);
    if (text[0] != '\0')
        cr_json_text(&j, "hint", text);
    if (err->file[0] != '\0')
        cr_json_text(&j, "file", err->file);
    if (err->line != 0)
        cr_json_number(&j, "line", (double)err->line);
    if (err->column != 0)
        cr_json_number(&j, "column", (double)err->column);
    cr_json_end(&j);
    cr_output_flush(a->out);
}

void answer_fail(answer *a, cr_status status, const cr_error *err)
{
    answer_clear(a);
    a->status = answer_status(status);
    put_error(a, status, err);
}

void answer_cut(answer *a, cr_status status, const cr_error *err)
{
    a->status = answer_status(status);
    if (a->failed != CR_OK)
        return;
    if (strcmp(a->type, TYPE_JSON) == 0)
        cr_output_text(a->out, ",\n"); /* of an array */
    if (strcmp(a->type, TYPE_CSV) != 0)
        put_error(a, status, err);
    a->failed = a->flow(a->flow_context, a);
}

void answer_refuse(answer *a, unsigned http, const char *hint, const char *format, ...)
{
    cr_error err = {0};
    va_list args;

    va_start(args, format);
    vsnprintf(err.message, sizeof err.message, format, args);
    va_end(args);
    if (hint != NULL)
        snprintf(err.hint, sizeof err.hint, "%s", hint);
    answer_fail(a, CR_EARG, &err);
    a->status = http;
}
