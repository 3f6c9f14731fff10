/* cli/plot/read.c - rows for pictures and reports, and the pictures that the library draws. */
#include <stdlib.h>
#include <string.h>

#include "options/decide.h"
#include "out/out.h"
#include "out/progress.h"
#include "out/text.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"

int scores_read(cr_scored *s, request *r, const cr_model *model, size_t first, bool keep_rows,
                double *seconds)
{
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    progress watch;
    double took;
    int code = open_data(&source, r, first, model);

    *s = (cr_scored){0};
    if (code != EXIT_DONE)
        return code;
    progress_begin(&watch, "predicting", &r->run);
    status =
        cr_scored_read(s, model, source, keep_rows, option_given(r, "allow-absent"), &r->run, &err);
    took = progress_end(&watch);
    if (seconds != NULL)
        *seconds = took;
    if (status != CR_OK)
        return fail_data(r, &source, status, &err);
    close_data(&source);
    return EXIT_DONE;
}

/* --- kinds of the library --------------------------------------------------------------------- */

/* A model file, or a network in one of its formats. */
static int open_drawn(cr_model **model, const plot *p, const char *kind)
{
    const char *path = p->r->operands[1];
    cr_error err = {0};
    cr_status status;

    if (strcmp(kind, "network") != 0 || !cr_network_recognise(path))
        return open_model(model, p->r, 1);
    status = cr_network_read(model, path, NULL, &err);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static void note_drawn(const cr_model *model, const cr_drawn *d)
{
    if (d->drawn < d->classes)
        note("the first %zu of %zu classes are drawn (--class NAME draws one)", d->drawn,
             d->classes);
    if (d->no_density != NULL)
        note("'%s' has no density to draw", d->no_density);
    if (d->unlabelled > 0)
        note("%llu row%s without %s left out", (unsigned long long)d->unlabelled,
             plural(d->unlabelled), cr_model_is_regression(model) ? "the target" : "a class");
}

/* -F, or -x if there is only one number. */
static const char *feature_asked(const request *r, const char *kind)
{
    const char *feature = option_text(r, "feature");

    return feature == NULL && strcmp(kind, "mistake") == 0 ? option_text(r, "x") : feature;
}

/* --size WIDTHxHEIGHT */
static int read_size(const request *r, size_t *width, size_t *height)
{
    const char *text = option_text(r, "size");
    char end;

    *width = *height = 0;
    if (text == NULL || (sscanf(text, "%6zux%6zu%c", width, height, &end) == 2 && *width > 0 &&
                         *height > 0 && strchr(text, '-') == NULL))
        return EXIT_DONE;
    return misuse("--size 28x28", "--size %s is no width and height", text);
}

/* Costs and priors move decision regions; no other picture of the library uses them. */
static int rule_of(cr_rule **rule, const request *r, const char *kind, const cr_model *model)
{
    if (strcmp(kind, "mistake") == 0)
        return read_rule(rule, r, model);
    if (option_given(r, "cost") || option_given(r, "reject") || option_given(r, "priors"))
        return misuse("mistake has", "a picture of %s has no costs and no other priors", kind);
    return EXIT_DONE;
}

int plot_model(plot *p)
{
    request *r = p->r;
    const char *kind = r->operands[0];
    const int rows = cr_draw_takes_rows(kind);
    char from[256];
    cr_draw_options how = {.title = option_text(r, "title"),
                           .model = r->operands[1],
                           .data = data_name(r, 2, from, sizeof from),
                           .class_name = option_text(r, "class"),
                           .feature = feature_asked(r, kind),
                           .top = option_count(r, "top", 0),
                           .bins = option_count(r, "bins", 0),
                           .allow_absent_columns = option_given(r, "allow-absent"),
                           .condition = option_text(r, "beliefs")};
    cr_rule *rule = NULL;
    cr_model *model = NULL;
    cr_source *source = NULL;
    cr_sheet *sheet = NULL;
    cr_drawn drawn = {0};
    cr_error err = {0};
    cr_status status;
    progress watch;
    int code = open_drawn(&model, p, kind);

    if (code == EXIT_DONE && how.condition != NULL && strcmp(kind, "network") != 0)
        code = misuse("network has", "a picture of %s has no beliefs", kind);
    if (code == EXIT_DONE && (code = read_size(r, &how.width, &how.height)) == EXIT_DONE)
        code = rule_of(&rule, r, kind, model);
    how.rule = rule;
    if (code == EXIT_DONE && (rows == 2 || (rows == 1 && r->operand_count > 2)))
        code = open_data(&source, r, 2, model);
    if (code == EXIT_DONE) {
        progress_begin(&watch, "predicting", &r->run);
        status = cr_draw(p->figure, kind, model, source, &how, &r->run, r->json ? &p->j : NULL,
                         r->csv ? &sheet : NULL, &drawn, &err);
        progress_end(&watch);
        if (status == CR_OK)
            note_drawn(model, &drawn);
        else
            code = source != NULL ? fail_data(r, &source, status, &err) : complain(status, &err);
    }
    if (sheet != NULL) {
        cr_output *out = output_to(stdout);

        cr_sheet_csv(sheet, out);
        output_end(out);
    }
    cr_sheet_free(sheet);
    close_data(&source);
    cr_rule_free(rule);
    cr_model_free(model);
    return code;
}
