/* cli/evaluate/compare_surface.c - credence compare --surface: decisions over two features,
 * side by side. */
#include <stdlib.h>
#include <string.h>

#include "evaluate/compare_folds.h"
#include "show/linear.h"
#include "out/progress.h"
#include "plot/plot.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"
#include "evaluate/study.h"

/* Train every learner on all rows. */
static int train(cr_model **model, const cr_spec *specs, size_t count, request *r)
{
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status = CR_OK;
    progress watch;
    int code = open_data(&source, r, 0, NULL);

    if (code != EXIT_DONE)
        return code;
    progress_begin(&watch, "learning", &r->run);
    for (size_t i = 0; status == CR_OK && i < count; i++) {
        status = cr_model_train_calibrated(
            &model[i], source, specs[i].learner, (const char *const *)specs[i].params,
            specs[i].param_count, NULL, "none", &r->run, NULL, NULL, &err);
        if (status != CR_OK && err.file[0] == '\0')
            snprintf(err.file, sizeof err.file, "%s", specs[i].name);
    }
    progress_end(&watch);
    if (status != CR_OK)
        code = fail_data(r, &source, status, &err);
    close_data(&source);
    for (size_t i = 0; code == EXIT_DONE && i < count; i++)
        if (cr_model_target(model[i]) == SIZE_MAX || cr_model_is_regression(model[i]))
            code = misuse("-t COLUMN names the column that has them", "%s has learned no classes",
                          specs[i].name);
    return code;
}

/* The rows are read again to be drawn, but a pipe can be read only once. */
static int check_surface(const request *r)
{
    bool piped = r->operand_count == 0;

    for (size_t i = 0; i < r->operand_count; i++)
        piped |= strcmp(r->operands[i], "-") == 0;
    if (piped)
        return misuse("name the file", "--surface does not read standard input");
    if (r->csv)
        return misuse("--json gives the numbers", "a surface is not a table");
    return check_plot(r, 0);
}

int compare_surface(request *r)
{
    const char *path = option_text(r, "plot");
    cr_spec *specs;
    size_t count;
    plot p = {.r = r};
    int code = check_surface(r);

    if (code != EXIT_DONE)
        return code;
    read_candidates(&specs, &count, r);
    p.model = reserve(count, sizeof *p.model);
    p.name = reserve(count, sizeof *p.name);
    p.models = count;
    p.figure = new_figure();
    for (size_t i = 0; i < count; i++)
        p.name[i] = specs[i].name;
    if ((code = train(p.model, specs, count, r)) == EXIT_DONE)
        code = draw_kind(&p, "surface", plot_surface);
    if (code == EXIT_DONE && (path != NULL || !r->json))
        code = put_picture(p.figure, path != NULL ? path : "-", NULL);
    for (size_t i = 0; i < count; i++)
        cr_model_free(p.model[i]);
    cr_figure_free(p.figure);
    free(p.model);
    free(p.name);
    free_candidates(specs, count);
    return code;
}
