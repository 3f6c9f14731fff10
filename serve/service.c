/* serve/service.c - find the endpoint of a request, and call it. */
#include "service.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "metrics.h"

/* --- workers ---------------------------------------------------------------------------------- */

worker *worker_new(service *s)
{
    worker *w = calloc(1, sizeof *w);

    if (w == NULL)
        return NULL;
    w->service = s;
    spool_init(&w->lines);
    w->figures = figures_new(s);
    return w;
}

void worker_free(worker *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->view_count; i++)
        view_close(&w->views[i]);
    free(w->views);
    spool_close(&w->lines);
    cr_json_reader_free(&w->json);
    buffer_free(&w->rows);
    buffer_free(&w->more);
    free(w);
}

cr_status worker_view(worker *w, slot *s, view **out, cr_error *err)
{
    if (s->index >= w->view_count) {
        const size_t count = s->index + 16;
        view *more = realloc(w->views, count * sizeof *more);

        if (more == NULL)
            return fail(err, CR_ENOMEM, NULL, "out of memory");
        memset(more + w->view_count, 0, (count - w->view_count) * sizeof *more);
        w->views = more;
        w->view_count = count;
    }
    *out = &w->views[s->index];
    return view_refresh(*out, s, err);
}

/* --- routes ----------------------------------------------------------------------------------- */

/* Whether the path matches the pattern, segment by segment; one in braces matches anything. */
static bool fits(const char *pattern, const request *r)
{
    size_t i = 0;

    for (; *pattern == '/' && pattern[1] != '\0'; i++) {
        const size_t size = strcspn(++pattern, "/");

        if (i == r->segments)
            return false;
        if (*pattern != '{' &&
            (strncmp(pattern, r->segment[i], size) != 0 || r->segment[i][size] != '\0'))
            return false;
        pattern += size;
    }
    return i == r->segments;
}

const route *service_route(const request *r, answer *a)
{
    const request_method method = r->method == METHOD_HEAD ? METHOD_GET : r->method;
    const route *other = NULL, *t;

    for (size_t i = 0; (t = route_at(i)) != NULL; i++) {
        if (!fits(t->path, r))
            continue;
        if (t->method == method)
            return t;
        other = t;
    }
    if (other != NULL)
        answer_refuse(a, 405, NULL, "this path takes %s",
                      other->method == METHOD_GET ? "GET" : "POST");
    else
        answer_refuse(a, 404, "GET /openapi.json tells what there is", "there is nothing here");
    return NULL;
}

/* The values of the segments in braces: the model, and something else. */
static cr_status bind(call *k, const char *pattern, unsigned *http)
{
    const char *near = NULL;
    slot *s;

    for (size_t i = 0; *pattern == '/' && pattern[1] != '\0'; i++) {
        const size_t size = strcspn(++pattern, "/");
        const bool model = size == 7 && strncmp(pattern, "{model}", 7) == 0;

        if (*pattern == '{' && !model)
            k->rest = k->request->segment[i];
        pattern += size;
        if (!model)
            continue;
        if ((s = catalog_find(&k->service->models, k->request->segment[i], &near)) == NULL) {
            *http = 404;
            fail(k->err, CR_EARG, NULL, "there is no model '%.100s'", k->request->segment[i]);
            if (near != NULL)
                snprintf(k->err->hint, sizeof k->err->hint, "did you mean '%s'?", near);
            return CR_EARG;
        }
        const cr_status status = worker_view(k->worker, s, &k->view, k->err);

        if (status != CR_OK) {
            *http = 503;
            return status;
        }
    }
    return CR_OK;
}

void service_answer(service *s, worker *w, const route *found, const request *r, answer *a)
{
    cr_error err;
    call k = {.service = s, .worker = w, .request = r, .answer = a, .err = &err};
    unsigned http = 0;
    cr_status status;

    error_clear(&err);
    w->answered_rows = w->undecided = w->rejected = 0;
    status = bind(&k, found->path, &http);
    if (status == CR_OK && (found->flags & ROUTE_TEACH) != 0 && !s->learn) {
        http = 403;
        status = fail(&err, CR_EARG, "start it with --learn", "this server does not learn");
    }
    if (status == CR_OK) {
        status = found->run(&k);
        if (k.view != NULL)
            metrics_rows(w, k.view->slot);
    }
    if (status == CR_OK)
        status = cr_output_flush(a->out);
    if (status == CR_OK && a->body.failed)
        status = CR_ENOMEM;
    if (status == CR_OK && a->flowing)
        status = a->flow(a->flow_context, a);
    spool_close(&w->lines);
    if (status == CR_OK)
        return;
    if (a->flowing) {
        answer_cut(a, status, &err);
        return;
    }
    if (http == 0 && a->status >= 400) /* the endpoint knows more */
        http = a->status;
    answer_fail(a, status, &err);
    if (http != 0)
        a->status = http;
}
