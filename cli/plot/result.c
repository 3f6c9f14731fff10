/* cli/plot/result.c - --plot FILE: learning curves, and answers against true values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/text.h"
#include "plot/plot.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"

static const option picture_list[] = {
    {"plot", 0, OPTION_TEXT, "FILE",
     "Draw the result too: .svg, .png, .pdf or .txt; - is the terminal."},
    {0},
};
const option_group picture_options = {"Pictures", picture_list};

int check_plot(const request *r, size_t first)
{
    const char *path = option_text(r, "plot");

    if (path == NULL)
        return EXIT_DONE;
    if (cr_picture_form_of(path) == CR_PICTURE_AUTO)
        return misuse("the name ends in .svg, .png, .pdf or .txt; - is the terminal",
                      "--plot %s: what kind of picture is that?", path);
    if (strcmp(path, "-") == 0 && (r->json || r->csv))
        return misuse("--plot FILE for the picture", "--%s writes to standard output",
                      r->json ? "json" : "csv");
    return check_output(path, r, first);
}

/* Write the figure if it could be drawn, and free it. */
static int finish(cr_figure *f, const request *r, int code)
{
    const char *path = option_text(r, "plot");

    if (code == EXIT_DONE && strcmp(path, "-") == 0)
        putchar('\n');
    if (code == EXIT_DONE)
        code = put_picture(f, path, NULL);
    cr_figure_free(f);
    return code;
}

/* --- learning curves -------------------------------------------------------------------------- */

int plot_learning(const request *r, const curves *c)
{
    const char **name;
    char from[256];
    cr_error err = {0};
    cr_figure *f;
    int code;

    if (!option_given(r, "plot"))
        return EXIT_DONE;
    f = new_figure();
    name = names_of(c);
    code = panel_added(cr_draw_curves(f, data_name(r, 0, from, sizeof from),
                                      (const cr_learning_curve *const *)c->curve, name, c->count,
                                      &err),
                       &err);
    free(name);
    return finish(f, r, code);
}

/* --- answers against true values -------------------------------------------------------------- */

int plot_verdict(const request *r, const verdict *x, const char *what, size_t first)
{
    char from[256], *title;
    cr_error err = {0};
    cr_area area = {.roc = NAN};
    cr_figure *f;
    int code;

    if (!option_given(r, "plot"))
        return EXIT_DONE;
    f = new_figure();
    title = plot_title(r, "%s on %s", what, path_end(data_name(r, first, from, sizeof from)));
    if (x->classes == 2)
        cr_evaluation_area(x->evaluation, 1, &area, NULL);
    code =
        panel_added(cr_draw_reliability(f, title, x->model, x->evaluation, SIZE_MAX, &err), &err);
    if (code == EXIT_DONE && !isnan(area.roc))
        code =
            panel_added(cr_draw_roc(f, title, x->model, x->evaluation, SIZE_MAX, NULL, &err), &err);
    else if (code == EXIT_DONE)
        code = panel_added(cr_draw_confusion(f, title, x->model, x->evaluation, &err), &err);
    free(title);
    return finish(f, r, code);
}

/* --- numbers ---------------------------------------------------------------------------------- */

int plot_numbers(const request *r, const cr_scored *a, const char *what, size_t first)
{
    char from[256], *title;
    cr_error err = {0};
    cr_figure *f;
    int code;

    if (!option_given(r, "plot"))
        return EXIT_DONE;
    f = new_figure();
    title = plot_title(r, "%s on %s", what, path_end(data_name(r, first, from, sizeof from)));
    code = panel_added(cr_draw_predicted(f, title, a, &err), &err);
    if (code == EXIT_DONE)
        code = panel_added(cr_draw_residuals(f, title, a, &err), &err);
    free(title);
    return finish(f, r, code);
}
