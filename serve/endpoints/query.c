/* serve/endpoints/query.c - POST /models/NAME/query: probabilities, as `credence query --json`. */
#include <string.h>

#include "endpoints/endpoints.h"
#include "json_in.h"

cr_status ask_question(call *k, const cr_model *model, const char *question)
{
    cr_answer *a = NULL;
    cr_status status = cr_query_run(model, question, &a, k->err);

    if (status == CR_OK)
        status = cr_answer_json(question, a, k->answer->out);
    cr_answer_free(a);
    return status;
}

/* The body is the question itself, or {"query": "…"}. */
static cr_status question_of(call *k, buffer *out)
{
    const request *r = k->request;
    json_in in;
    json_piece piece;

    buffer_clear(out, 1 << 16);
    if (r->size == 0 || r->size > 1 << 16)
        return fail(k->err, CR_EARG, "P(rich | hours>40)", "the body must be a question");
    if (*r->body != '{') {
        buffer_add(out, r->body, r->size);
        while (out->size > 0 && strchr("\r\n ", out->bytes[out->size - 1]) != NULL)
            out->size--;
        return CR_OK;
    }
    json_in_start(&in, r->body, r->size, &k->worker->scratch);
    json_in_next(&in);
    while ((piece = json_in_next(&in)) == JSON_IN_KEY) {
        const bool query = json_in_is(&in, "query");

        piece = json_in_skip(&in, json_in_next(&in));
        if (query && piece == JSON_IN_STRING)
            buffer_add(out, in.text, in.size);
    }
    if (piece != JSON_IN_OBJECT_END || out->size == 0)
        return fail(k->err, CR_EFORMAT, NULL,
                    "the body must be {\"query\": \"…\"}, or the question");
    return CR_OK;
}

cr_status answer_query(call *k)
{
    buffer *question = &k->worker->more;
    const cr_status status = question_of(k, question);

    if (status != CR_OK)
        return status;
    if (memchr(question->bytes, '\0', question->size) != NULL)
        return fail(k->err, CR_EARG, NULL, "a question has no NUL in it");
    return ask_question(k, view_model(k->view), buffer_string(question));
}
