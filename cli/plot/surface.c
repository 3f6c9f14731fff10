/* cli/plot/surface.c - credence plot surface, curve and lines: pictures of several models, and of
 * tables. */
#include <stdlib.h>

#include "out/out.h"
#include "plot/plot.h"
#include "session/session.h"

enum { MOST_MODELS = 6 };

/* DATA are the operands from first on. */
static int draw_all(plot *p, cr_model *const *model, const char *const *name, size_t models,
                    size_t first)
{
    request *r = p->r;
    cr_draw_options how = {
        .title = option_find(r->verb, "title") != NULL ? option_text(r, "title") : NULL,
        .x = option_text(r, "x"),
        .y = option_text(r, "y"),
        .margins = option_find(r->verb, "margins") != NULL && option_given(r, "margins")};
    const char **at = option_pairs(r, "at", &how.ats);
    const char **range = option_pairs(r, "range", &how.ranges);
    cr_source *source = NULL;
    cr_drawn drawn = {0};
    cr_error err = {0};
    cr_status status;
    int code = r->operand_count > first ? open_data(&source, r, first, model[0]) : EXIT_DONE;

    how.at = at;
    how.range = range;
    if (code == EXIT_DONE) {
        status = cr_draw_surfaces(p->figure, model, name, models, source, &how, &r->run,
                                  r->json ? &p->j : NULL, &drawn, &err);
        if (status != CR_OK)
            code = source != NULL ? fail_data(r, &source, status, &err) : complain(status, &err);
    }
    if (code == EXIT_DONE && drawn.every > 1)
        note("of %zu rows one in %zu is drawn", drawn.rows, drawn.every);
    if (code == EXIT_DONE && drawn.no_density != NULL)
        note("'%s' has no density to draw", drawn.no_density);
    close_data(&source);
    free(at);
    free(range);
    return code;
}

/* Which operands are models: those that open as such. */
static size_t open_models(const request *r, cr_model **model)
{
    size_t count = 0;

    while (count < MOST_MODELS && count + 1 < r->operand_count &&
           cr_model_load(&model[count], r->operands[count + 1], CR_LOAD_TRUST, NULL) == CR_OK)
        count++;
    return count;
}

int plot_surface(plot *p)
{
    cr_model *model[MOST_MODELS] = {0};
    size_t models;
    int code;

    if (p->models > 0)
        return draw_all(p, p->model, p->name, p->models, 0);
    models = open_models(p->r, model);
    code = models > 0 ? draw_all(p, model, p->r->operands + 1, models, models + 1)
                      : open_model(&model[0], p->r, 1);
    for (size_t i = 0; i < MOST_MODELS; i++)
        cr_model_free(model[i]);
    return code;
}

/* --- tables ----------------------------------------------------------------------------------- */

typedef cr_status drawer(cr_figure *figure, cr_source *source, const cr_draw_options *options,
                         cr_json *numbers, cr_error *err);

static int draw_table(plot *p, drawer *draw)
{
    request *r = p->r;
    const cr_draw_options how = {.title = option_text(r, "title"),
                                 .data = r->operands[1],
                                 .x = option_text(r, "x"),
                                 .y = option_text(r, "y"),
                                 .by = option_text(r, "by"),
                                 .log_x = option_given(r, "log")};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    int code;

    if (r->operand_count != 2)
        return misuse(NULL, "%s takes one FILE", r->operands[0]);
    if ((code = open_data(&source, r, 1, NULL)) != EXIT_DONE)
        return code;
    status = draw(p->figure, source, &how, r->json ? &p->j : NULL, &err);
    if (status != CR_OK)
        return fail_data(r, &source, status, &err);
    close_data(&source);
    return EXIT_DONE;
}

int plot_curve(plot *p)
{
    return draw_table(p, cr_draw_learning);
}

int plot_lines(plot *p)
{
    return draw_table(p, cr_draw_lines);
}
