/* serve/endpoints/query.c - POST /models/NAME/query: probabilities, as `credence query --json`. */
#include <string.h>

#include "endpoints/endpoints.h"

static cr_status ask_question(call *k, const char *question, size_t size)
{
    cr_answer *a = NULL;
    cr_status status;

    if (memchr(question, '\0', size) != NULL)
        return fail(k->err, CR_EARG, NULL, "a question must not contain a NUL");
    status = cr_query_run(view_model(k->view), question, &a, k->err);

    if (status == CR_OK)
        status = cr_answer_json(question, a, k->answer->out);
    cr_answer_free(a);
    return status;
}

/* --- several questions ------------------------------------------------------------------------ */

/* A wrong question is answered with its error; the others are answered all the same. */
static void answer_one(call *k, const cr_model *model, const char *question)
{
    cr_output *out = k->answer->out;
    cr_error err = {0};
    cr_answer *a = NULL;
    cr_json j;

    if (cr_query_run(model, question, &a, &err) == CR_OK) {
        cr_answer_json(question, a, out);
    } else {
        cr_json_start(&j, out);
        cr_json_object(&j, NULL, CR_JSON_LINE);
        cr_json_text(&j, "query", question);
        cr_json_text(&j, "error", err.message);
        cr_json_text(&j, "hint", err.hint);
        cr_json_number(&j, "column", (double)err.column);
        cr_json_end(&j);
    }
    cr_answer_free(a);
}

void answer_questions(call *k, const cr_model *model, const cr_json_value *queries)
{
    cr_output *out = k->answer->out;

    cr_output_text(out, "\"answers\": [");
    for (const cr_json_value *n = queries != NULL ? queries->child : NULL; n != NULL; n = n->next) {
        cr_output_text(out, n == queries->child ? "\n" : ",\n");
        answer_one(k, model, n->text != NULL ? n->text : "");
    }
    cr_output_text(out, "]");
}

/* --- a request -------------------------------------------------------------------------------- */

enum { LONGEST = 1 << 16 };

/* {"query": "…"}, or {"queries": ["…", …]}. */
static cr_status answer_object(call *k)
{
    const cr_json_value *body, *queries, *query;
    cr_status status = cr_json_parse(&body, k->request->body, k->request->size, k->err);

    if (status != CR_OK)
        return status;
    queries = cr_json_get(body, "queries");
    query = cr_json_get(body, "query");
    if (queries != NULL && queries->kind == CR_JSON_ARRAY) {
        cr_output_text(k->answer->out, "{");
        answer_questions(k, view_model(k->view), queries);
        cr_output_text(k->answer->out, "}\n");
    } else if (query != NULL && query->kind == CR_JSON_STRING && query->size > 0) {
        status = ask_question(k, query->text, query->size);
    } else {
        status = fail(k->err, CR_EFORMAT, NULL,
                      "the body must be {\"query\": \"…\"}, {\"queries\": […]}, or the question");
    }
    cr_json_free(body);
    return status;
}

/* The body is the question itself, or an object. */
cr_status answer_query(call *k)
{
    buffer *question = &k->worker->more;
    const request *r = k->request;

    if (r->size == 0 || r->size > LONGEST)
        return fail(k->err, CR_EARG, "P(rich | hours>40)", "the body must be a question");
    if (*r->body == '{')
        return answer_object(k);
    buffer_clear(question, LONGEST);
    buffer_add(question, r->body, r->size);
    while (question->size > 0 && strchr("\r\n ", question->bytes[question->size - 1]) != NULL)
        question->size--;
    return ask_question(k, buffer_string(question), question->size);
}
