/* cli/report/classes.c - sections of a report about a model of classes. */
#include <math.h>
#include <stdlib.h>

#include "show/describe.h"
#include "out/out.h"
#include "out/text.h"
#include "report/report.h"
#include "session/reserve.h"

enum { MATRIX_LIMIT = 60, WORDS_SHOWN = 20 };

void put_class_tiles(FILE *f, const report *x)
{
    char one[NUMBER_ROOM], two[NUMBER_ROOM], text[2 * NUMBER_ROOM + 40];
    const cr_metric *m;

    for (size_t i = 0; (m = cr_metric_get(0, i)) != NULL; i++) {
        if ((m->shown & CR_METRIC_REPORT) == 0 || m == cr_metric_find(0, "rows"))
            continue;
        snprintf(text, sizeof text, "%s", m->title);
        if (m == cr_metric_find(0, "accuracy"))
            snprintf(text, sizeof text, "accuracy (95 %%: %s to %s)",
                     number_percent(one, x->metrics.accuracy_low),
                     number_percent(two, x->metrics.accuracy_high));
        html_tile(f, cr_show_number(one, m->show, cr_evaluation_value(x->evaluation, m)), text);
    }
}

/* --- classes ---------------------------------------------------------------------------------- */

static int put_classes(FILE *f, const report *x)
{
    const size_t classes = cr_model_classes(x->model);
    cr_figure *figure;
    cr_error err = {0};
    int code;

    html_section(f, "classes", "Classes");
    html_heads(f, "class|#prior|#rows|#decided|#right|#precision|#recall|#F1");
    for (size_t c = 0; c < classes && c < ROWS_LISTED; c++) {
        cr_class_metrics m;

        cr_evaluation_class(x->evaluation, c, &m);
        fputs("<tr>", f);
        html_cell(f, "td", NULL, cr_model_class(x->model, c));
        html_number(f, number_probability, cr_model_prior(x->model, c));
        html_number(f, number_plain, m.support);
        html_number(f, number_plain, m.predicted);
        html_number(f, number_plain, m.correct);
        html_number(f, number_probability, m.precision);
        html_number(f, number_probability, m.recall);
        html_number(f, number_probability, m.f1);
        fputs("</tr>\n", f);
    }
    html_end(f);
    if (classes > ROWS_LISTED)
        fprintf(f, "<p class=\"dim\">… and %zu more classes.</p>\n", classes - ROWS_LISTED);
    if (classes > MATRIX_LIMIT)
        return EXIT_DONE;
    figure = new_figure();
    code = panel_added(cr_draw_confusion(figure, "Confusion", x->model, x->evaluation, &err), &err);
    return html_figure(f, figure, code,
                       "A row for each true class, a column for each decision; shaded "
                       "by the share of the true class.");
}

static int put_curves(FILE *f, const report *x)
{
    cr_figure *figure = new_figure();
    size_t drawn = 0;
    cr_error err = {0};
    int code;

    html_section(f, "curves", "How well the classes are told apart");
    code = panel_added(cr_draw_roc(figure, "ROC", x->model, x->evaluation, SIZE_MAX, &drawn, &err),
                       &err);
    if (code == EXIT_DONE && drawn < cr_model_classes(x->model))
        note("the first %zu of %zu classes are drawn", drawn, cr_model_classes(x->model));
    if (code == EXIT_DONE)
        code = panel_added(cr_draw_precision_recall(figure, "Precision and recall", x->model,
                                                    x->evaluation, SIZE_MAX, NULL, &err),
                           &err);
    return html_figure(f, figure, code,
                       "Each class against the others (of two the second one); in "
                       "brackets the area and the average precision.");
}

static int put_calibration(FILE *f, const report *x)
{
    cr_figure *figure = new_figure();
    cr_error err = {0};
    int code;

    html_section(f, "calibration", "Are the probabilities right?");
    code = panel_added(
        cr_draw_reliability(figure, "Reliability", x->model, x->evaluation, SIZE_MAX, &err), &err);
    return html_figure(f, figure, code,
                       "Below the diagonal the model is too sure of itself, above it "
                       "too doubtful. Lines are Wilson's 95 % intervals.");
}

/* --- features --------------------------------------------------------------------------------- */

static void put_ranking(FILE *f, const report *x)
{
    const cr_schema *schema = cr_model_schema(x->model);
    size_t count, *order = ranked_features(x->model, &count);
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, cr_model_information(x->model, order[i]));
    if (count > 0 && most > 0) {
        html_heads(f, "feature|kind|#bits|");
        for (size_t i = 0; i < count && i < ROWS_LISTED; i++) {
            const double bits = cr_model_information(x->model, order[i]);

            if (isnan(bits))
                continue;
            fputs("<tr>", f);
            html_cell(f, "td", NULL, cr_schema_name(schema, order[i]));
            html_cell(f, "td", NULL, describe_kind(x->model, order[i]));
            html_number(f, number_probability, bits);
            html_bar(f, fmax(bits / most, 0), 10);
            fputs("</tr>\n", f);
        }
        html_end(f);
        fputs("<p class=\"dim\">Mutual information of the feature and the class under the "
              "model.</p>\n",
              f);
    }
    free(order);
}

static int put_densities(FILE *f, const report *x)
{
    cr_figure *figure;
    cr_error err = {0};
    int code = EXIT_DONE;

    if (x->features == 0)
        return EXIT_DONE;
    figure = new_figure();
    for (size_t i = 0; code == EXIT_DONE && i < x->features; i++)
        code = panel_added(
            cr_draw_feature(figure, cr_schema_name(cr_model_schema(x->model), x->feature[i]),
                            x->model, x->feature[i], x->values->rows > 0 ? x->values : NULL, i, 0,
                            NULL, &err),
            &err);
    return html_figure(f, figure, code,
                       "The most telling features by class: what the model uses, over "
                       "histograms of the data.");
}

static int put_words(FILE *f, const report *x)
{
    const cr_schema *schema = cr_model_schema(x->model);
    const size_t classes = cr_model_classes(x->model);
    cr_error err = {0};
    int code = EXIT_DONE;

    for (size_t i = 0; code == EXIT_DONE && i < cr_schema_columns(schema); i++) {
        cr_figure *figure;

        if (cr_schema_kind(schema, i) != CR_BAG || cr_model_words(x->model, i) == 0)
            continue;
        figure = new_figure();
        for (size_t c = classes == 2; code == EXIT_DONE && c < classes && c < 4; c++) {
            char *title;

            if (asprintf(&title, "%s: words for %s", cr_schema_name(schema, i),
                         cr_model_class(x->model, c)) < 0)
                reserve_failed();
            code = panel_added(cr_draw_words(figure, title, x->model, i, c,
                                             classes == 2 ? WORDS_SHOWN : WORDS_SHOWN / 2, &err),
                               &err);
            free(title);
        }
        code = html_figure(f, figure, code, "What one occurrence of a word adds to the log-odds.");
    }
    return code;
}

static int put_features(FILE *f, const report *x)
{
    int code;

    html_section(f, "features", "What tells the classes apart");
    put_ranking(f, x);
    code = put_densities(f, x);
    return code == EXIT_DONE ? put_words(f, x) : code;
}

const part class_parts[] = {{"classes", put_classes},
                            {"curves", put_curves},
                            {"calibration", put_calibration},
                            {"features", put_features},
                            {0}};

/* --- mistakes --------------------------------------------------------------------------------- */

void put_class_mistake(FILE *f, const report *x, const mistake *m)
{
    const cr_scored *s = x->scores;
    char number[NUMBER_ROOM];

    html_text(f, cr_model_class(x->model, (size_t)s->truth[m->row]));
    fputs(" taken for ", f);
    html_text(f, cr_model_class(x->model, (size_t)s->decision[m->row]));
    fprintf(f, " with probability %s", number_probability(number, m->rank));
}
