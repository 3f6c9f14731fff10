/* cli/show/picture.c - the learned structure: trees, networks, bounds; and where a
 * Gaussian does not fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/text.h"
#include "show/show.h"

enum { INDENT = 2 };

static void print_line(void *context, size_t depth, const char *text)
{
    bool *begun = context;
    char *shown = text_shown(text, 0);

    if (!*begun)
        printf("\n%sWhat depends on what%s\n", out_style(STYLE_BOLD), out_style(STYLE_NONE));
    *begun = true;
    printf("%*s", (int)(INDENT * (depth + 1)), "");
    text_wrap(stdout, shown, INDENT * (depth + 1), INDENT * (depth + 2), out_width());
    free(shown);
}

bool show_picture(const exhibit *x)
{
    const char *learner = cr_model_learner(x->model);
    const bool all = strcmp(learner, "tree") == 0 || strcmp(learner, "candidate-elimination") == 0;
    bool begun = all;

    if (all)
        printf("\n%sWhat it has learned%s\n", out_style(STYLE_BOLD), out_style(STYLE_NONE));
    cr_model_draw(x->model, print_line, &begun, NULL);
    return all;
}

/* --- where a Gaussian does not fit ---------------------------------------------------------- */

#define LEVEL 0.001 /* significance level: with many rows nothing is exactly Gaussian */
#define WORTH 0.05  /* nats per row that are worth a note */

void show_misfit(const exhibit *x, size_t column)
{
    const char *better = NULL;
    double gain = 0;
    size_t bad = 0, classes = cr_model_classes(x->model), worst = 0;
    char number[NUMBER_ROOM];
    cr_fit_test test;

    for (size_t c = 0; c < classes; c++) {
        if (cr_model_fit_test(x->model, column, c, &test, NULL) != CR_OK)
            return;
        if (test.p >= LEVEL || test.gain < WORTH)
            continue;
        bad++;
        if (test.gain > gain) {
            gain = test.gain;
            better = test.better;
            worst = c;
        }
    }
    if (bad == 0)
        return;
    out_line("  a Gaussian fits badly in %zu of %zu classes (Anderson-Darling, p < 0.001): in '%s' "
             "%s would gain %s nats a row; %s",
             bad, classes, cr_model_class(x->model, worst), better, number_plain(number, gain),
             strcmp(better, "kernels") == 0 ? "try -p real=kde or real=bins:mdl"
                                            : "take logarithms, or try -p real=bins:mdl");
}
