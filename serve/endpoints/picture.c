/* serve/endpoints/picture.c - GET and POST /models/NAME/plot/KIND.svg: the pictures that `credence
 * plot` draws, of the model and of the rows in the body. */
#include <stdio.h>
#include <string.h>

#include "body.h"
#include "endpoints/endpoints.h"

/* The kind that a file name such as roc.svg asks for. */
static cr_status find_kind(call *k, const char **out)
{
    const char *dot = strrchr(k->rest, '.'), *name;
    char kind[32];
    cr_nearest n = {.wanted = kind};

    snprintf(kind, sizeof kind, "%.*s", (int)(dot != NULL ? dot - k->rest : 0), k->rest);
    for (size_t i = 0; (name = cr_draw_kind(i)) != NULL; i++) {
        if (strcmp(name, kind) == 0 && strcmp(dot, ".svg") == 0) {
            *out = name;
            return CR_OK;
        }
        cr_nearest_offer(&n, name);
    }
    k->answer->status = 404;
    fail(k->err, CR_EARG, "docs/plot.md names them", "there is no picture '%.40s'", k->rest);
    if (n.best != NULL)
        snprintf(k->err->hint, sizeof k->err->hint, "did you mean %s.svg?", n.best);
    return CR_EARG;
}

/* The parameters of a picture; they point into the request. */
typedef struct wishes {
    cr_draw_options options;
    const char *at[REQUEST_PARAMETERS], *range[REQUEST_PARAMETERS];
    cr_rule *rule;
} wishes;

/* All values of a parameter that may be repeated. */
static size_t all_of(const request *r, const char *name, const char **value)
{
    size_t count = 0;

    for (size_t i = 0; i < r->parameters; i++)
        if (strcmp(r->parameter[i].name, name) == 0)
            value[count++] = r->parameter[i].value;
    return count;
}

/* "28x28": the size of images, if means are drawn as images. */
static cr_status choose_image(call *k, cr_draw_options *o)
{
    const char *text = request_text(k->request, "size");
    int end = 0;

    if (text == NULL || (sscanf(text, "%5zux%5zu%n", &o->width, &o->height, &end) == 2 &&
                         text[end] == '\0' && o->width > 0 && o->height > 0))
        return CR_OK;
    return fail(k->err, CR_EARG, "WIDTHxHEIGHT, such as 28x28", "size cannot be '%.40s'", text);
}

static cr_status choose_options(call *k, wishes *w)
{
    cr_draw_options *o = &w->options;
    const request *r = k->request;
    cr_status status;

    *o = (cr_draw_options){.title = request_text(r, "title"),
                           .model = k->view->slot->name,
                           .data = request_text(r, "filename"),
                           .class_name = request_text(r, "class"),
                           .feature = request_text(r, "feature"),
                           .x = request_text(r, "x"),
                           .y = request_text(r, "y"),
                           .at = w->at,
                           .ats = all_of(r, "at", w->at),
                           .range = w->range,
                           .ranges = all_of(r, "range", w->range),
                           .margins = request_flag(r, "margins"),
                           .allow_absent_columns = request_flag(r, "allow-absent")};
    if (o->data == NULL)
        o->data = "rows";
    if ((status = request_count(r, "top", 1, 10000, &o->top, k->err)) == CR_OK)
        status = request_count(r, "bins", 1, 200, &o->bins, k->err);
    if (status == CR_OK)
        status = choose_image(k, o);
    if (status == CR_OK)
        status = body_rule(k, &w->rule);
    o->rule = w->rule;
    return status;
}

static cr_status choose_size(call *k, cr_figure *figure)
{
    const request *r = k->request;
    size_t width = 420, height = 330, across = 0;
    cr_status status;

    if ((status = request_count(r, "width", 100, 5000, &width, k->err)) == CR_OK &&
        (status = request_count(r, "height", 100, 5000, &height, k->err)) == CR_OK &&
        (status = request_count(r, "across", 1, 100, &across, k->err)) == CR_OK)
        status = cr_figure_layout(figure, (double)width, (double)height, across, k->err);
    return status;
}

/* The rows of the body if the kind needs them; otherwise *out is NULL. */
static cr_status open_rows(call *k, const char *kind, cr_source **out)
{
    const int rows = cr_draw_takes_rows(kind);

    if (rows == 2 && k->request->size == 0)
        return fail(k->err, CR_EARG, "POST them", "a picture of %s needs labelled rows", kind);
    if (rows == 0 || k->request->size == 0)
        return CR_OK;
    return body_source(k, view_model(k->view), out);
}

static void note_drawn(call *k, const cr_drawn *d)
{
    buffer *notes = &k->answer->notes;

    if (d->drawn < d->classes)
        buffer_printf(notes, "%sthe first %zu of %zu classes are drawn; ?class=NAME draws one",
                      notes->size > 0 ? "; " : "", d->drawn, d->classes);
    if (d->every > 1)
        buffer_printf(notes, "%sone row in %zu is drawn", notes->size > 0 ? "; " : "", d->every);
    if (d->unlabelled > 0)
        buffer_printf(notes, "%srows without the target left out: %llu",
                      notes->size > 0 ? "; " : "", (unsigned long long)d->unlabelled);
}

cr_status draw_picture(call *k)
{
    const cr_run run = {.pool = k->service->pool};
    const char *kind = NULL, *bytes = NULL;
    wishes w = {.rule = NULL};
    cr_figure *figure = NULL;
    cr_source *source = NULL;
    cr_drawn drawn = {0};
    size_t size = 0;
    cr_status status;

    if ((status = find_kind(k, &kind)) != CR_OK || (status = choose_options(k, &w)) != CR_OK)
        return status;
    if ((status = cr_figure_new(&figure, k->err)) == CR_OK &&
        (status = choose_size(k, figure)) == CR_OK &&
        (status = open_rows(k, kind, &source)) == CR_OK &&
        (status = cr_draw(figure, kind, view_model(k->view), source, &w.options, &run, NULL, NULL,
                          &drawn, k->err)) == CR_OK)
        status = cr_figure_draw(figure, NULL, &bytes, &size, k->err);
    if (status == CR_OK) {
        k->answer->type = TYPE_SVG;
        cr_output_bytes(k->answer->out, bytes, size);
        if (source != NULL)
            body_notes(k, source);
        note_drawn(k, &drawn);
    }
    cr_source_close(source);
    cr_figure_free(figure);
    cr_rule_free(w.rule);
    return status;
}
