/* cli/plot/number_kinds.c - credence plot predicted, residuals, errors, coverage. */
#include <math.h>
#include <stdlib.h>

#include "show/linear.h"
#include "evaluate/numbers.h"
#include "out/out.h"
#include "plot/plot.h"
#include "session/session.h"

typedef int (*panel)(cr_figure *f, const answers *a, const char *title);

/* What was predicted of each row, and what is true: all pictures show these. */
static void json_answers(json *j, const answers *a)
{
    cr_regression_metrics m;

    if (cr_regression_measure(a->answer, a->weight, a->rows, USUAL_LEVEL, &m, NULL) == CR_OK)
        cr_regression_members(j, &m);
    json_array(j, "answers", JSON_BLOCK);
    for (size_t i = 0; i < a->rows; i++) {
        json_object(j, NULL, JSON_LINE);
        json_number(j, "line", (double)a->line[i]);
        json_number(j, "truth", a->answer[i].truth);
        json_number(j, "prediction", a->answer[i].mean);
        json_number(j, "scale", a->answer[i].scale);
        json_number(j, "place", answer_place(&a->answer[i]));
        json_end(j);
    }
    json_end(j);
}

static void json_coverage(json *j, const answers *a)
{
    coverage c;

    answers_coverage(a, &c);
    json_array(j, "levels", JSON_BLOCK);
    for (size_t k = 0; k <= COVERAGE_LEVELS; k++) {
        json_object(j, NULL, JSON_LINE);
        json_number(j, "level", c.level[k]);
        json_number(j, "share", c.share[k]);
        json_number(j, "low", c.low[k]);
        json_number(j, "high", c.high[k]);
        json_end(j);
    }
    json_end(j);
}

/* MODEL [DATA...] after the name of the kind. */
static int draw(plot *p, const char *what, panel first, panel second)
{
    char from[256], *title;
    cr_model *model = NULL;
    answers a = {0};
    int code;

    if ((code = open_model(&model, p->r, 1)) != EXIT_DONE)
        return code;
    code = cr_model_is_regression(model)
               ? answers_read(&a, p->r, model, 2, NULL)
               : misuse("roc, pr, reliability and confusion are pictures of classes",
                        "the model decides between classes and predicts no number");
    if (code == EXIT_DONE) {
        title = plot_title(p->r, "%s of %s on %s", what, p->r->operands[1],
                           data_name(p->r, 2, from, sizeof from));
        code = first(p->figure, &a, title);
        if (code == EXIT_DONE && second != NULL)
            code = second(p->figure, &a, title);
        free(title);
    }
    if (code == EXIT_DONE && p->r->json) {
        json_answers(&p->j, &a);
        if (first == add_coverage)
            json_coverage(&p->j, &a);
    }
    if (a.unlabelled > 0)
        note("%llu row%s without the target left out", (unsigned long long)a.unlabelled,
             plural(a.unlabelled));
    answers_free(&a);
    cr_model_free(model);
    return code;
}

int plot_predicted(plot *p)
{
    return draw(p, "Predictions", add_predicted, NULL);
}

int plot_residuals(plot *p)
{
    return draw(p, "What is left", add_residuals, NULL);
}

int plot_errors(plot *p)
{
    return draw(p, "Errors", add_errors, NULL);
}

int plot_coverage(plot *p)
{
    return draw(p, "Coverage", add_coverage, add_places);
}
