/* draw/report_classes.c - sections of a report about a classifier. */
#include <math.h>
#include <stdio.h>

#include "draw/report.h"
#include "render/model_json.h"

enum { MATRIX_LIMIT = 60, WORDS_SHOWN = 20, WORD_CLASSES = 4 };

static void put_tiles(cr__report_page *p)
{
    const cr_evaluation *e = p->report->scored.evaluation;
    const cr_metrics *all = &p->report->scored.metrics;
    char one[CR_SHOW_SIZE], two[CR_SHOW_SIZE], text[2 * CR_SHOW_SIZE + 40];
    const cr_metric *m;

    for (size_t i = 0; (m = cr_metric_get(0, i)) != NULL; i++) {
        if ((m->shown & CR_METRIC_REPORT) == 0 || m == cr_metric_find(0, "rows"))
            continue;
        snprintf(text, sizeof text, "%s", m->title);
        if (m == cr_metric_find(0, "accuracy"))
            snprintf(text, sizeof text, "accuracy (95 %%: %s to %s)",
                     cr_show_number(one, CR_SHOW_PERCENT, all->accuracy_low),
                     cr_show_number(two, CR_SHOW_PERCENT, all->accuracy_high));
        cr__html_tile(p, cr_show_number(one, m->show, cr_evaluation_value(e, m)), text);
    }
}

/* --- classes ---------------------------------------------------------------------------------- */

static void put_class(cr__report_page *p, size_t c)
{
    const cr_model *model = p->report->model;
    cr_class_metrics m;

    cr_evaluation_class(p->report->scored.evaluation, c, &m);
    cr__html(p, "<tr>");
    cr__html_cell(p, "td", NULL, cr_model_class(model, c));
    cr__html_number(p, CR_SHOW_PROBABILITY, cr_model_prior(model, c));
    cr__html_number(p, CR_SHOW_PLAIN, m.support);
    cr__html_number(p, CR_SHOW_PLAIN, m.predicted);
    cr__html_number(p, CR_SHOW_PLAIN, m.correct);
    cr__html_number(p, CR_SHOW_PROBABILITY, m.precision);
    cr__html_number(p, CR_SHOW_PROBABILITY, m.recall);
    cr__html_number(p, CR_SHOW_PROBABILITY, m.f1);
    cr__html(p, "</tr>\n");
}

static cr_status put_classes(cr__report_page *p)
{
    const cr_report *r = p->report;
    const size_t classes = cr_model_classes(r->model);
    cr_figure *figure = NULL;
    cr_status st;

    cr__html_section(p, "classes", "Classes");
    cr__html_heads(p, "class|#prior|#rows|#decided|#right|#precision|#recall|#F1");
    for (size_t c = 0; c < classes && c < CR__ROWS_LISTED; c++)
        put_class(p, c);
    cr__html_end(p);
    if (classes > CR__ROWS_LISTED)
        cr__html_format(p, "<p class=\"dim\">… and %zu more classes.</p>\n",
                        classes - CR__ROWS_LISTED);
    if (classes > MATRIX_LIMIT)
        return CR_OK;
    if ((st = cr_figure_new(&figure, p->err)) == CR_OK)
        st = cr_draw_confusion(figure, "Confusion", r->model, r->scored.evaluation, p->err);
    return cr__html_figure(p, figure, st,
                           "A row for each true class, a column for each decision; shaded by the "
                           "share of the true class.");
}

/* A figure, or a note where not all rows could be kept. */
static cr_status put_figure(cr__report_page *p, cr_figure *figure, cr_status st,
                            const char *caption)
{
    if (st != CR_ELIMIT)
        return cr__html_figure(p, figure, st, caption);
    cr_figure_free(figure);
    cr__html(p, "<p class=\"dim\">There are too many classes or rows for this picture.</p>\n");
    return CR_OK;
}

static cr_status put_curves(cr__report_page *p)
{
    const cr_report *r = p->report;
    cr_figure *figure = NULL;
    cr_status st = cr_figure_new(&figure, p->err);

    cr__html_section(p, "curves", "How well the classes are told apart");
    if (st == CR_OK)
        st = cr_draw_roc(figure, "ROC", r->model, r->scored.evaluation, SIZE_MAX, &p->drawn.drawn,
                         p->err);
    if (st == CR_OK)
        st = cr_draw_precision_recall(figure, "Precision and recall", r->model,
                                      r->scored.evaluation, SIZE_MAX, NULL, p->err);
    return put_figure(p, figure, st,
                      "Each class against the others (of two the second one); in brackets the "
                      "area and the average precision.");
}

static cr_status put_calibration(cr__report_page *p)
{
    const cr_report *r = p->report;
    cr_figure *figure = NULL;
    cr_status st = cr_figure_new(&figure, p->err);

    cr__html_section(p, "calibration", "Are the probabilities right?");
    if (st == CR_OK)
        st = cr_draw_reliability(figure, "Reliability", r->model, r->scored.evaluation, SIZE_MAX,
                                 p->err);
    return put_figure(p, figure, st,
                      "Below the diagonal the model is too sure of itself, above it too "
                      "doubtful. Lines are Wilson's 95 % intervals.");
}

/* --- features --------------------------------------------------------------------------------- */

static void put_ranking(cr__report_page *p)
{
    const cr_report *r = p->report;
    double most = 0;

    for (size_t i = 0; i < r->ranked; i++)
        most = fmax(most, r->rank[i].bits);
    if (!(most > 0))
        return;
    cr__html_heads(p, "feature|kind|#bits|");
    for (size_t i = 0; i < r->ranked && i < CR__ROWS_LISTED; i++) {
        if (isnan(r->rank[i].bits))
            continue;
        cr__html(p, "<tr>");
        cr__html_cell(p, "td", NULL, cr_schema_name(cr_model_schema(r->model), r->rank[i].column));
        cr__html_cell(p, "td", NULL, cr__kind_name(r->model, r->rank[i].column));
        cr__html_number(p, CR_SHOW_PROBABILITY, r->rank[i].bits);
        cr__html_bar(p, fmax(r->rank[i].bits / most, 0), 10);
        cr__html(p, "</tr>\n");
    }
    cr__html_end(p);
    cr__html(p, "<p class=\"dim\">Mutual information of the feature and the class under the "
                "model.</p>\n");
}

static cr_status put_densities(cr__report_page *p)
{
    const cr_report *r = p->report;
    const cr_values *values = r->values.rows > 0 ? &r->values : NULL;
    cr_figure *figure = NULL;
    cr_status st = cr_figure_new(&figure, p->err);
    int drawn, any = 0;

    for (size_t i = 0; st == CR_OK && i < r->features; i++) {
        st = cr_draw_feature(figure, cr_schema_name(cr_model_schema(r->model), r->feature[i]),
                             r->model, r->feature[i], values, i, 0, &drawn, p->err);
        any |= drawn;
    }
    if (st == CR_OK && !any) {
        cr_figure_free(figure);
        return CR_OK;
    }
    return cr__html_figure(p, figure, st,
                           values == NULL
                               ? "The most informative features by class: what the model uses."
                               : "The most informative features by class: curves and P(value | "
                                 "class) are the model's, histograms and shares the data's.");
}

/* The words of one text. */
static cr_status put_text(cr__report_page *p, size_t column)
{
    const cr_model *model = p->report->model;
    const size_t classes = cr_model_classes(model);
    cr_figure *figure = NULL;
    cr_status st = cr_figure_new(&figure, p->err);

    for (size_t c = classes == 2; st == CR_OK && c < classes && c < WORD_CLASSES; c++) {
        char title[400];

        snprintf(title, sizeof title, "%.180s: words for %.180s",
                 cr_schema_name(cr_model_schema(model), column), cr_model_class(model, c));
        st = cr_draw_words(figure, title, model, column, c,
                           classes == 2 ? WORDS_SHOWN : WORDS_SHOWN / 2, p->err);
    }
    return cr__html_figure(p, figure, st, "What one occurrence of a word adds to the log-odds.");
}

static cr_status put_features(cr__report_page *p)
{
    const cr_model *model = p->report->model;
    const cr_schema *schema = cr_model_schema(model);
    cr_status st;

    cr__html_section(p, "features", "What tells the classes apart");
    put_ranking(p);
    st = put_densities(p);
    for (size_t i = 0; st == CR_OK && i < cr_schema_columns(schema); i++)
        if (cr_schema_kind(schema, i) == CR_BAG && cr_model_words(model, i) > 0)
            st = put_text(p, i);
    return st;
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void put_mistake(cr__report_page *p, const cr__mistake *m)
{
    const cr_scored *s = &p->report->scored;
    char number[CR_SHOW_SIZE];

    cr__html_text(p, cr_model_class(s->model, (size_t)s->truth[m->row]));
    cr__html(p, " taken for ");
    cr__html_text(p, cr_model_class(s->model, (size_t)s->decision[m->row]));
    cr__html_format(p, " with probability %s",
                    cr_show_number(number, CR_SHOW_PROBABILITY, m->rank));
}

static void put_notes(cr__report_page *p)
{
    const cr_metrics *m = &p->report->scored.metrics;
    char number[CR_SHOW_SIZE];

    if (m->unknown > 0)
        cr__html_format(
            p, "<li class=\"warn\">%s rows have a class that the model does not know.</li>\n",
            cr_show_number(number, CR_SHOW_PLAIN, m->unknown));
    if (m->undecided > 0)
        cr__html_format(
            p, "<li class=\"warn\">%s rows are impossible for every class: undecided.</li>\n",
            cr_show_number(number, CR_SHOW_PLAIN, m->undecided));
}

const cr__report_kind cr__report_classes = {
    .tiles = put_tiles,
    .section = {{"classes", put_classes, 0},
                {"curves", put_curves, 0},
                {"calibration", put_calibration, 0},
                {"features", put_features, 1}},
    .mistakes = "The most confident mistakes",
    .about_mistakes =
        "Wrong labels and rows unlike all others are often among them. Log-odds speak for what was "
        "decided against the true class (blue), or against it (red).",
    .adds = "feature|value|#log-odds|",
    .show = CR_SHOW_SIGNED,
    .mistake = put_mistake,
    .notes = put_notes,
};
