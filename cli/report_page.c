/* cli/report_page.c - the sections of a report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "out.h"
#include "out_text.h"
#include "report.h"
#include "reserve.h"
#include "session.h"

enum { CLASSES_SHOWN = 30, MATRIX_LIMIT = 60, WORDS_SHOWN = 20 };

static void cell_number(FILE *f, char *(*picture)(char *buffer, double x), double x)
{
    char text[NUMBER_ROOM];

    html_cell(f, "td", "n", picture(text, x));
}

/* "<tr><th>a</th>…": names parted by |; those that begin with # head numbers. */
static void table_heads(FILE *f, const char *names)
{
    char *copy = reserve_text(names);

    fputs("<div class=\"wide\"><table>\n<tr>", f);
    for (char *name = strtok(copy, "|"); name != NULL; name = strtok(NULL, "|"))
        html_cell(f, "th", *name == '#' ? "n" : NULL, name + (*name == '#'));
    fputs("</tr>\n", f);
    free(copy);
}

static void table_end(FILE *f)
{
    fputs("</table></div>\n", f);
}

/* --- summary ---------------------------------------------------------------------------------- */

static void tile(FILE *f, const char *number, const char *what)
{
    fputs("<div class=\"tile\">", f);
    html_cell(f, "b", NULL, number);
    html_cell(f, "span", NULL, what);
    fputs("</div>\n", f);
}

static void put_tiles(FILE *f, const report *x)
{
    const cr_metrics *m = &x->metrics;
    char one[NUMBER_ROOM], two[NUMBER_ROOM], text[2 * NUMBER_ROOM + 40];

    fputs("<div class=\"tiles\">\n", f);
    tile(f, number_plain(one, m->rows), "rows tested");
    snprintf(text, sizeof text, "accuracy (95 %%: %s to %s)", number_percent(one, m->accuracy_low),
             number_percent(two, m->accuracy_high));
    tile(f, number_percent(one, m->accuracy), text);
    tile(f, number_plain(one, m->macro_f1), "macro F1");
    tile(f, number_plain(one, m->log_loss), "log-loss");
    tile(f, number_plain(one, m->brier), "Brier score");
    tile(f, number_plain(one, m->ece), "calibration error");
    fputs("</div>\n", f);
}

static void put_heading(FILE *f, const report *x)
{
    static const char *const sections[] = {"classes",  "curves",   "calibration",
                                           "features", "mistakes", "data"};
    cr_model_facts facts;
    char from[256], title[600], number[NUMBER_ROOM], knobs[600];

    cr_model_get_facts(x->model, &facts);
    snprintf(title, sizeof title, "%s on %s", x->r->operands[0],
             data_name(x->r, 1, from, sizeof from));
    html_open(f, title);
    html_cell(f, "h1", NULL, title);
    fputs("<p class=\"dim\">", f);
    html_text(f, learner_title(cr_model_learner(x->model)));
    fprintf(f, "; learned from %s rows; knobs ", number_plain(number, facts.weight));
    html_text(f, describe_knobs(x->model, knobs, sizeof knobs));
    fputs("; fingerprint ", f);
    html_text(f, facts.fingerprint);
    fputs("</p>\n<nav>", f);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        fprintf(f, "<a href=\"#%s\">%s</a>", sections[i], sections[i]);
    fputs("</nav>\n", f);
    put_tiles(f, x);
}

/* --- classes ---------------------------------------------------------------------------------- */

static int put_classes(FILE *f, const report *x)
{
    const size_t classes = cr_model_classes(x->model);
    cr_figure *figure;
    int code;

    html_section(f, "classes", "Classes");
    table_heads(f, "class|#prior|#rows|#decided|#right|#precision|#recall|#F1");
    for (size_t c = 0; c < classes && c < CLASSES_SHOWN; c++) {
        cr_class_metrics m;

        cr_evaluation_class(x->evaluation, c, &m);
        fputs("<tr>", f);
        html_cell(f, "td", NULL, cr_model_class(x->model, c));
        cell_number(f, number_probability, cr_model_prior(x->model, c));
        cell_number(f, number_plain, m.support);
        cell_number(f, number_plain, m.predicted);
        cell_number(f, number_plain, m.correct);
        cell_number(f, number_probability, m.precision);
        cell_number(f, number_probability, m.recall);
        cell_number(f, number_probability, m.f1);
        fputs("</tr>\n", f);
    }
    table_end(f);
    if (classes > CLASSES_SHOWN)
        fprintf(f, "<p class=\"dim\">… and %zu more classes.</p>\n", classes - CLASSES_SHOWN);
    if (classes > MATRIX_LIMIT)
        return EXIT_DONE;
    figure = new_figure();
    if ((code = add_confusion(figure, x->scores, "Confusion")) != EXIT_DONE) {
        cr_figure_free(figure);
        return code;
    }
    return html_figure(f, figure,
                       "A row for each true class, a column for each decision; shaded "
                       "by the share of the true class.");
}

static int put_curves(FILE *f, const report *x)
{
    cr_figure *figure = new_figure();
    int code;

    html_section(f, "curves", "How well the classes are told apart");
    code = add_roc(figure, x->scores, "ROC", -1);
    if (code == EXIT_DONE)
        code = add_precision_recall(figure, x->scores, "Precision and recall", -1);
    if (code == EXIT_DONE)
        return html_figure(f, figure,
                           "Each class against the others (of two the second one); in "
                           "brackets the area and the average precision.");
    cr_figure_free(figure);
    return code;
}

static int put_calibration(FILE *f, const report *x)
{
    cr_figure *figure = new_figure();
    int code;

    html_section(f, "calibration", "Are the probabilities right?");
    code = add_reliability(figure, x->scores, "Reliability", -1);
    if (code == EXIT_DONE)
        return html_figure(f, figure,
                           "Below the diagonal the model is too sure of itself, above it "
                           "too doubtful. Lines are Wilson's 95 % intervals.");
    cr_figure_free(figure);
    return code;
}

/* --- features --------------------------------------------------------------------------------- */

static void put_ranking(FILE *f, const report *x)
{
    const cr_schema *schema = cr_model_schema(x->model);
    size_t count, *order = telling_features(x->model, &count);
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, cr_model_information(x->model, order[i]));
    if (count > 0 && most > 0) {
        table_heads(f, "feature|kind|#bits|");
        for (size_t i = 0; i < count && i < CLASSES_SHOWN; i++) {
            const double bits = cr_model_information(x->model, order[i]);

            if (isnan(bits))
                continue;
            fputs("<tr>", f);
            html_cell(f, "td", NULL, cr_schema_name(schema, order[i]));
            html_cell(f, "td", NULL, describe_kind(x->model, order[i]));
            cell_number(f, number_probability, bits);
            fprintf(f, "<td><span class=\"bar\" style=\"width:%.1fem\"></span></td></tr>\n",
                    fmax(bits / most * 10, 0));
        }
        table_end(f);
        fputs("<p class=\"dim\">Mutual information of the feature and the class under the "
              "model.</p>\n",
              f);
    }
    free(order);
}

static int put_densities(FILE *f, const report *x)
{
    cr_figure *figure;
    int code = EXIT_DONE;

    if (x->features == 0)
        return EXIT_DONE;
    figure = new_figure();
    for (size_t i = 0; code == EXIT_DONE && i < x->features; i++)
        code = add_feature(figure, x->model, x->feature[i], x->values->rows > 0 ? x->values : NULL,
                           i, 0, cr_schema_name(cr_model_schema(x->model), x->feature[i]));
    if (code == EXIT_DONE)
        return html_figure(f, figure,
                           "The most telling features by class: what the model uses, over "
                           "histograms of the data.");
    cr_figure_free(figure);
    return code;
}

static int put_words(FILE *f, const report *x)
{
    const cr_schema *schema = cr_model_schema(x->model);
    const size_t classes = cr_model_classes(x->model);
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
            code = add_words(figure, x->model, i, c, classes == 2 ? WORDS_SHOWN : WORDS_SHOWN / 2,
                             title);
            free(title);
        }
        if (code == EXIT_DONE)
            code = html_figure(f, figure, "What one occurrence of a word adds to the log-odds.");
        else
            cr_figure_free(figure);
    }
    return code;
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void put_mistake(FILE *f, const report *x, const mistake *m)
{
    const scores *s = x->scores;
    char number[NUMBER_ROOM];
    double most = 0;

    fprintf(f, "<h3>Line %zu: ", s->line[m->row]);
    html_text(f, cr_model_class(x->model, (size_t)s->truth[m->row]));
    fputs(" taken for ", f);
    html_text(f, cr_model_class(x->model, (size_t)s->decision[m->row]));
    fprintf(f, " with probability %s</h3>\n", number_probability(number, m->sure));
    if (m->reasons == 0)
        return;
    for (size_t i = 0; i < m->reasons; i++)
        most = fmax(most, isfinite(m->reason[i].odds) ? fabs(m->reason[i].odds) : 0);
    table_heads(f, "feature|value|#log-odds|");
    for (size_t i = 0; i < m->reasons; i++) {
        const double odds = m->reason[i].odds, share = most > 0 ? fmin(fabs(odds) / most, 1) : 1;

        fputs("<tr>", f);
        html_cell(f, "td", NULL, m->reason[i].feature);
        html_cell(f, "td", NULL, m->reason[i].value);
        cell_number(f, number_signed, odds);
        fprintf(f, "<td><span class=\"bar%s\" style=\"width:%.1fem\"></span></td></tr>\n",
                odds < 0 ? " against" : "", share * 8);
    }
    table_end(f);
}

static void put_mistakes(FILE *f, const report *x)
{
    html_section(f, "mistakes", "The most confident mistakes");
    if (x->mistakes == 0) {
        fputs("<p>There are none.</p>\n", f);
        return;
    }
    fputs("<p class=\"dim\">Wrong labels and rows unlike all others are often among them. Log-odds "
          "speak for what was decided against the true class (blue), or against it (red).</p>\n",
          f);
    for (size_t i = 0; i < x->mistakes; i++)
        put_mistake(f, x, &x->mistake[i]);
}

/* --- data ------------------------------------------------------------------------------------- */

static void put_notes(FILE *f, const report *x)
{
    char number[NUMBER_ROOM];

    fputs("<ul>\n", f);
    if (x->scores->unlabelled > 0)
        fprintf(f, "<li>%llu rows have no class and were left out.</li>\n",
                (unsigned long long)x->scores->unlabelled);
    if (x->metrics.unknown > 0)
        fprintf(f, "<li class=\"warn\">%s rows have a class that the model does not know.</li>\n",
                number_plain(number, x->metrics.unknown));
    if (x->metrics.undecided > 0)
        fprintf(f, "<li class=\"warn\">%s rows are impossible for every class: undecided.</li>\n",
                number_plain(number, x->metrics.undecided));
    if (x->metrics.rows < 100)
        fputs("<li class=\"warn\">These are few rows: look at the intervals.</li>\n", f);
    fputs("</ul>\n", f);
}

static void put_data(FILE *f, const report *x)
{
    cr_drift_feature d;

    html_section(f, "data", "The data, next to what the model learned from");
    put_notes(f, x);
    if (x->drift == NULL)
        return;
    table_heads(f, "feature|kind|verdict|#index|#missing before|#missing now|#new values");
    for (size_t i = 0; i < CLASSES_SHOWN && cr_drift_get_feature(x->drift, i, &d) == CR_OK; i++) {
        const bool bad = d.verdict == CR_DRIFT_MODERATE || d.verdict == CR_DRIFT_STRONG;

        fputs("<tr>", f);
        html_cell(f, "td", NULL, d.name);
        html_cell(f, "td", NULL, describe_kind(x->model, d.column));
        html_cell(f, "td", bad ? "warn" : NULL, cr_drift_verdict_name(d.verdict));
        if (isfinite(d.index))
            cell_number(f, number_plain, d.index);
        else
            html_cell(f, "td", "n", "–");
        cell_number(f, number_percent, d.missing_before);
        cell_number(f, number_percent, d.missing_after);
        cell_number(f, number_percent, d.new_share);
        fputs("</tr>\n", f);
    }
    table_end(f);
    fputs("<p class=\"dim\">index is the population stability index; credence drift tells "
          "more.</p>\n",
          f);
}

int report_write(FILE *f, const report *x)
{
    int code;

    put_heading(f, x);
    if ((code = put_classes(f, x)) != EXIT_DONE || (code = put_curves(f, x)) != EXIT_DONE ||
        (code = put_calibration(f, x)) != EXIT_DONE)
        return code;
    html_section(f, "features", "What tells the classes apart");
    put_ranking(f, x);
    if ((code = put_densities(f, x)) != EXIT_DONE || (code = put_words(f, x)) != EXIT_DONE)
        return code;
    put_mistakes(f, x);
    put_data(f, x);
    html_close(f);
    return EXIT_DONE;
}
