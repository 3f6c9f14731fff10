/* cli/plot/result.c - --plot FILE: learning curves, and answers next to the truth. */
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

/* Write the figure if all of it could be drawn, and free it. */
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

/* The sizes, means and intervals of one learner's curve, [4 * points] at n. One repeat has no
 * interval: it is infinite. */
static cr_series learning_series(const cr_learning_curve *c, const char *name, size_t at,
                                 double least, double most, double *n)
{
    for (size_t k = 0; k < c->points; k++) {
        cr_spread s;

        memcpy(&s, (const char *)&c->point[k] + at, sizeof s);
        n[k] = (double)c->point[k].size;
        n[c->points + k] = s.mean;
        n[2 * c->points + k] = isfinite(s.low) ? fmax(s.low, least) : NAN;
        n[3 * c->points + k] = isfinite(s.high) ? fmin(s.high, most) : NAN;
    }
    return (cr_series){.name = name,
                       .x = n,
                       .y = n + c->points,
                       .low = n + 2 * c->points,
                       .high = n + 3 * c->points,
                       .count = c->points,
                       .marks = 1};
}

/* One measure of all learners, which have the same sizes; `at` says where it is in a point, and an
 * interval goes no farther than least and most. */
static int add_measure(cr_figure *f, const request *r, const curves *c, const char *label,
                       size_t at, double least, double most)
{
    const size_t room = 4 * c->curve[0]->points;
    double *numbers = reserve(c->count, room * sizeof *numbers);
    cr_series *series = reserve(c->count, sizeof *series);
    char from[256];
    char *title = plot_title(r, "Learning %s: %s", data_name(r, 0, from, sizeof from), label);
    cr_error err = {0};
    int code;

    for (size_t i = 0; i < c->count; i++)
        series[i] =
            learning_series(c->curve[i], c->specs[i].name, at, least, most, numbers + i * room);
    code = panel_added(cr_figure_add_learning(f, title, label, series, c->count, &err), &err);
    free(numbers);
    free(series);
    free(title);
    return code;
}

int plot_learning(const request *r, const curves *c)
{
    cr_figure *f;
    int code;

    if (!option_given(r, "plot"))
        return EXIT_DONE;
    f = new_figure();
    if (c->curve[0]->numbers)
        code = add_measure(f, r, c, "RMSE", offsetof(cr_learning_point, rmse), 0, INFINITY);
    else
        code = add_measure(f, r, c, "accuracy", offsetof(cr_learning_point, accuracy), 0, 1);
    if (code == EXIT_DONE && c->curve[0]->numbers)
        code = add_measure(f, r, c, "log density", offsetof(cr_learning_point, log_density),
                           -INFINITY, INFINITY);
    else if (code == EXIT_DONE)
        code = add_measure(f, r, c, "log loss", offsetof(cr_learning_point, log_loss), 0, INFINITY);
    return finish(f, r, code);
}

/* --- answers next to the truth ---------------------------------------------------------------- */

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
    title = plot_title(r, "%s on %s", what, data_name(r, first, from, sizeof from));
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
    title = plot_title(r, "%s on %s", what, data_name(r, first, from, sizeof from));
    code = panel_added(cr_draw_predicted(f, title, a, &err), &err);
    if (code == EXIT_DONE)
        code = panel_added(cr_draw_residuals(f, title, a, &err), &err);
    free(title);
    return finish(f, r, code);
}
