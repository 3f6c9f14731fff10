/* cli/plot/put.c - write pictures. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "show/linear.h"
#include "out/out.h"
#include "out/table.h"
#include "plot/plot.h"
#include "session/reserve.h"

/* As many colours as the terminal declares. */
static int terminal_colours(void)
{
    const char *depth = getenv("COLORTERM");

    if (*out_style(STYLE_BOLD) == '\0')
        return 0;
    return depth != NULL && (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0)
               ? 1 << 24
               : 256;
}

int put_picture(cr_figure *figure, const char *path, const cr_picture *how)
{
    cr_picture chosen = how != NULL ? *how : (cr_picture){0};
    cr_error err = {0};
    cr_status status;

    chosen.columns = out_width();
    if (strcmp(path, "-") == 0)
        chosen.colours = terminal_colours();
    fflush(stdout);
    status = cr_figure_save(figure, path, &chosen, &err);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

cr_figure *new_figure(void)
{
    cr_figure *figure;

    if (cr_figure_new(&figure, NULL) != CR_OK)
        reserve_failed();
    return figure;
}

int panel_added(cr_status status, const cr_error *err)
{
    return status == CR_OK ? EXIT_DONE : complain(status, err);
}

const char *path_end(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

char *plot_title(const request *r, const char *format, ...)
{
    const char *asked = option_find(r->verb, "title") != NULL ? option_text(r, "title") : NULL;
    va_list args;
    char *text;

    if (asked != NULL)
        return reserve_text(asked);
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        reserve_failed();
    va_end(args);
    return text;
}

int draw_kind(plot *p, const char *kind, int (*draw)(plot *p))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file;
    int code;

    if (!p->r->json)
        return draw(p);
    if ((file = open_memstream(&text, &size)) == NULL)
        reserve_failed();
    json_start(&p->j, file);
    cr_json_object(&p->j, NULL, CR_JSON_BLOCK);
    cr_json_text(&p->j, "plot", kind);
    code = draw(p);
    if (code == EXIT_DONE)
        json_end(&p->j);
    else
        json_drop(&p->j);
    if (fclose(file) != 0)
        reserve_failed();
    if (code == EXIT_DONE)
        fwrite(text, 1, size, stdout);
    free(text);
    return code;
}
