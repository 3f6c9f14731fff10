/* draw/report_regression.c - sections of a report about a regression. */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "draw/report.h"
#include "render/model_json.h"

static int is_linear(const cr_model *model)
{
    cr_linear_facts facts;

    return cr_model_linear_facts(model, &facts) == CR_OK;
}

static void put_tiles(cr__report_page *p)
{
    const cr_regression_metrics *all = &p->report->numbers;
    char number[CR_SHOW_SIZE], meaning[80], text[160];
    const cr_metric *m;

    for (size_t i = 0; (m = cr_metric_get(1, i)) != NULL; i++) {
        if ((m->shown & CR_METRIC_REPORT) == 0)
            continue;
        snprintf(text, sizeof text, "%s: %s", m->title,
                 cr_regression_meaning(all, m, meaning, sizeof meaning));
        cr__html_tile(p, cr_show_number(number, m->show, cr_regression_shown(all, m)), text);
    }
}

/* --- pictures --------------------------------------------------------------------------------- */

typedef cr_status (*panel)(cr_figure *f, const char *title, const cr_scored *a, cr_error *err);

static cr_status put_panels(cr__report_page *p, const panel add[2], const char *const title[2],
                            const char *caption)
{
    cr_figure *figure = NULL;
    cr_status st = cr_figure_new(&figure, p->err);

    for (size_t i = 0; st == CR_OK && i < 2; i++)
        st = add[i](figure, title[i], &p->report->scored, p->err);
    return cr__html_figure(p, figure, st, caption);
}

static cr_status put_errors(cr__report_page *p)
{
    cr__html_section(p, "errors", "How far off it is");
    return put_panels(p, (const panel[]){cr_draw_predicted, cr_draw_residuals},
                      (const char *const[]){"Truth against prediction", "Residuals"},
                      "On the dashed line a prediction is right. A bend, or dots that spread more "
                      "at one end, are something that the model does not know.");
}

static cr_status put_calibration(cr__report_page *p)
{
    cr__html_section(p, "calibration", "Is it as sure as it should be?");
    return put_panels(p, (const panel[]){cr_draw_errors, cr_draw_coverage},
                      (const char *const[]){"Errors", "Coverage"},
                      "Left the errors, under the curve that the predictions expect of them. Right "
                      "how many truths lie in intervals of each level: below the diagonal the "
                      "model is too sure of itself, above it too doubtful; the band is Wilson's "
                      "95 % interval.");
}

/* --- features --------------------------------------------------------------------------------- */

static void put_ranking(cr__report_page *p)
{
    const cr_report *r = p->report;

    if (r->ranked == 0)
        return;
    cr__html_heads(p, "feature|kind|#moves it by|");
    for (size_t i = 0; i < r->ranked && i < CR__ROWS_LISTED; i++) {
        const cr_feature_rank *f = &r->rank[i];

        cr__html(p, "<tr>");
        cr__html_cell(p, "td", NULL, cr_schema_name(cr_model_schema(r->model), f->column));
        cr__html_cell(p, "td", NULL, cr__kind_name(r->model, f->column));
        cr__html_number(p, CR_SHOW_PLAIN, f->bits);
        cr__html_bar(p, f->bits / r->rank[0].bits, 10);
        cr__html(p, "</tr>\n");
    }
    cr__html_end(p);
    cr__html_format(p,
                    "<p class=\"dim\">By how much the feature moves the prediction up or down, on "
                    "average%s.</p>\n",
                    is_linear(r->model) ? "" : ", given the features that stand before it");
}

static cr_status put_weights(cr__report_page *p)
{
    const double level = p->report->numbers.level;
    cr_sheet *sheet = NULL;
    cr_status st;

    if (!is_linear(p->report->model))
        return CR_OK;
    if ((st = cr_coefficients_sheet(&sheet, p->report->model, level, p->err)) != CR_OK)
        return st;
    cr__html_format(p,
                    "<h3>Weights</h3>\n<p class=\"dim\">What a unit adds, or a value instead of "
                    "the one that is not listed; its standard error, and its %g %% "
                    "interval.</p>\n",
                    level * 100);
    cr__html_sheet(p, sheet);
    cr_sheet_free(sheet);
    return CR_OK;
}

/* Residuals against the most influential features. */
static cr_status put_bends(cr__report_page *p)
{
    const cr_report *r = p->report;
    const cr_scored *s = &r->scored;
    double *along;
    cr_figure *figure = NULL;
    cr_status st;

    if (r->values.rows == 0 || r->features == 0)
        return CR_OK;
    if ((along = cr__alloc(s->rows, sizeof *along)) == NULL)
        return cr__fail_memory(p->err);
    st = cr_figure_new(&figure, p->err);
    for (size_t k = 0; st == CR_OK && k < r->features; k++) {
        const char *name = cr_schema_name(cr_model_schema(r->model), r->feature[k]);

        for (size_t i = 0; i < s->rows; i++)
            along[i] = r->values.value[s->place[i] * r->values.columns + k];
        st = cr_draw_residuals_along(figure, name, s, along, name, p->err);
    }
    cr__free(along);
    return cr__html_figure(
        p, figure, st,
        "Residuals along the features that move the prediction most: a bend means "
        "that a straight line does not fit them.");
}

static cr_status put_features(cr__report_page *p)
{
    cr_status st;

    cr__html_section(p, "features", "What moves the prediction");
    put_ranking(p);
    st = put_weights(p);
    return st == CR_OK ? put_bends(p) : st;
}

/* --- mistakes and notes ----------------------------------------------------------------------- */

static void put_mistake(cr__report_page *p, const cr__mistake *m)
{
    const cr_regression *a = &p->report->scored.answer[m->row];
    char truth[CR_SHOW_SIZE], mean[CR_SHOW_SIZE], off[CR_SHOW_SIZE], scales[CR_SHOW_SIZE];

    cr__html_format(p, "%s, where %s was predicted: off by %s",
                    cr_show_number(truth, CR_SHOW_PLAIN, a->truth),
                    cr_show_number(mean, CR_SHOW_PLAIN, a->mean),
                    cr_show_number(off, CR_SHOW_PLAIN, fabs(a->truth - a->mean)));
    if (isfinite(m->rank))
        cr__html_format(p, ", %s scales", cr_show_number(scales, CR_SHOW_PLAIN, m->rank));
}

static void put_notes(cr__report_page *p)
{
    char number[CR_SHOW_SIZE];
    cr_linear_facts facts;

    if (cr_model_linear_facts(p->report->model, &facts) != CR_OK)
        return;
    cr__html_format(
        p, "<li>The model explains %s of the variance of the rows that it learned from.</li>\n",
        cr_show_number(number, CR_SHOW_PERCENT, facts.r2));
    if (facts.incomplete > 0)
        cr__html_format(p,
                        "<li>It did not learn from %s rows that lack a value; imputation would "
                        "fill them.</li>\n",
                        cr_show_number(number, CR_SHOW_PLAIN, facts.incomplete));
    if (facts.constant > 0)
        cr__html_format(p, "<li>%zu columns or values do not vary and have no weight.</li>\n",
                        facts.constant);
    if (facts.rank < facts.weights)
        cr__html_format(p,
                        "<li class=\"warn\">Columns are collinear: of %zu weights the data tell "
                        "only %zu combinations.</li>\n",
                        facts.weights, facts.rank);
}

const cr__report_kind cr__report_regression = {
    .tiles = put_tiles,
    .section = {{"errors", put_errors, 0},
                {"calibration", put_calibration, 0},
                {"features", put_features, 1}},
    .mistakes = "The numbers farthest off",
    .about_mistakes =
        "Measured in scales of the prediction; data-entry errors and outliers are often among "
        "them. Under each is what the columns add to the mean of the target (blue), or take away "
        "(red).",
    .adds = "feature|value|#adds|",
    .show = CR_SHOW_ADDED,
    .mistake = put_mistake,
    .notes = put_notes,
};
