/* cli/report/numbers.c - sections of a report about a model of numbers. */
#include <math.h>
#include <stdlib.h>

#include "show/describe.h"
#include "show/linear.h"
#include "evaluate/numbers.h"
#include "out/out.h"
#include "out/text.h"
#include "report/report.h"
#include "session/reserve.h"

/* --- summary ---------------------------------------------------------------------------------- */

void put_number_tiles(FILE *f, const report *x)
{
    char number[NUMBER_ROOM], meaning[80], text[160];
    const cr_metric *m;

    for (size_t i = 0; (m = cr_metric_get(1, i)) != NULL; i++) {
        if ((m->shown & CR_METRIC_REPORT) == 0)
            continue;
        snprintf(text, sizeof text, "%s: %s", m->title,
                 number_meaning(&x->numbers, m, meaning, sizeof meaning));
        html_tile(f, cr_show_number(number, m->show, shown_number(&x->numbers, m)), text);
    }
}

/* --- pictures --------------------------------------------------------------------------------- */

typedef cr_status (*panel)(cr_figure *f, const char *title, const cr_scored *a, cr_error *err);

static int put_panels(FILE *f, const report *x, const panel add[2], const char *const title[2],
                      const char *caption)
{
    cr_figure *page = new_figure();
    cr_error err = {0};
    int code = EXIT_DONE;

    for (size_t i = 0; code == EXIT_DONE && i < 2; i++)
        code = panel_added(add[i](page, title[i], x->answers, &err), &err);
    return html_figure(f, page, code, caption);
}

static int put_errors(FILE *f, const report *x)
{
    html_section(f, "errors", "How far off it is");
    return put_panels(f, x, (const panel[]){cr_draw_predicted, cr_draw_residuals},
                      (const char *const[]){"Truth against prediction", "What is left"},
                      "On the dashed line a prediction is right. A bend, or dots that spread more "
                      "at one end, are something that the model does not know.");
}

static int put_calibration(FILE *f, const report *x)
{
    html_section(f, "calibration", "Is it as sure as it should be?");
    return put_panels(f, x, (const panel[]){cr_draw_errors, cr_draw_coverage},
                      (const char *const[]){"Errors", "Coverage"},
                      "Left the errors, under the curve that the predictions expect of them. Right "
                      "how many truths lie in intervals of each level: below the diagonal the "
                      "model is too sure of itself, above it too doubtful; the band is Wilson's "
                      "95 % interval.");
}

/* --- features --------------------------------------------------------------------------------- */

typedef struct mover {
    size_t column;
    double moves;
} mover;

static int strongest_first(const void *pa, const void *pb)
{
    const mover *a = pa, *b = pb;

    return a->moves != b->moves ? (a->moves > b->moves ? -1 : 1) : a->column < b->column ? -1 : 1;
}

size_t *moving_features(const report *x, size_t *count)
{
    const size_t columns = cr_schema_columns(cr_model_schema(x->model));
    size_t *column = reserve(columns + 1, sizeof *column);
    mover *m = reserve(columns + 1, sizeof *m);

    *count = 0;
    for (size_t i = 0; x->moves != NULL && i < columns; i++)
        if (x->moves[i] > 0)
            m[(*count)++] = (mover){i, x->moves[i]};
    qsort(m, *count, sizeof *m, strongest_first);
    for (size_t i = 0; i < *count; i++)
        column[i] = m[i].column;
    free(m);
    return column;
}

static void put_ranking(FILE *f, const report *x)
{
    const cr_schema *schema = cr_model_schema(x->model);
    size_t count, *order = moving_features(x, &count);

    if (count > 0) {
        html_heads(f, "feature|kind|#moves it by|");
        for (size_t i = 0; i < count && i < ROWS_LISTED; i++) {
            fputs("<tr>", f);
            html_cell(f, "td", NULL, cr_schema_name(schema, order[i]));
            html_cell(f, "td", NULL, describe_kind(x->model, order[i]));
            html_number(f, number_plain, x->moves[order[i]]);
            html_bar(f, x->moves[order[i]] / x->moves[order[0]], 10);
            fputs("</tr>\n", f);
        }
        html_end(f);
        fprintf(f,
                "<p class=\"dim\">By how much the feature moves the prediction up or down, on "
                "average%s.</p>\n",
                is_linear(x->model) ? "" : ", given the features that stand before it");
    }
    free(order);
}

static void put_weights(FILE *f, const report *x)
{
    table *t;

    if (!is_linear(x->model))
        return;
    t = linear_weights(x->model, x->numbers.level);
    fprintf(f,
            "<h3>Weights</h3>\n<p class=\"dim\">What a unit adds, or a value instead of the one "
            "that is not listed; its standard error, and its %g %% interval.</p>\n",
            x->numbers.level * 100);
    html_table(f, t);
    table_free(t);
}

/* What is left along the features that move the prediction most. */
static int put_bends(FILE *f, const report *x)
{
    const cr_values *v = x->values;
    double *along;
    cr_figure *page;
    cr_error err = {0};
    int code = EXIT_DONE;

    if (v->rows == 0 || x->features == 0)
        return EXIT_DONE;
    along = reserve(x->answers->rows, sizeof *along);
    page = new_figure();
    for (size_t k = 0; code == EXIT_DONE && k < x->features; k++) {
        const char *name = cr_schema_name(cr_model_schema(x->model), x->feature[k]);

        for (size_t i = 0; i < x->answers->rows; i++)
            along[i] = v->value[x->answers->place[i] * v->columns + k];
        code =
            panel_added(cr_draw_residuals_along(page, name, x->answers, along, name, &err), &err);
    }
    free(along);
    return html_figure(f, page, code,
                       "What is left along the features that move the prediction most: a bend says "
                       "that a straight line does not do for them.");
}

static int put_features(FILE *f, const report *x)
{
    html_section(f, "features", "What moves the prediction");
    put_ranking(f, x);
    put_weights(f, x);
    return put_bends(f, x);
}

const part number_parts[] = {
    {"errors", put_errors}, {"calibration", put_calibration}, {"features", put_features}, {0}};

/* --- mistakes and notes ----------------------------------------------------------------------- */

void put_number_mistake(FILE *f, const report *x, const mistake *m)
{
    const cr_regression *a = &x->answers->answer[m->row];
    char truth[NUMBER_ROOM], mean[NUMBER_ROOM], off[NUMBER_ROOM], scales[NUMBER_ROOM];

    fprintf(f, "%s, where %s was predicted: off by %s", number_plain(truth, a->truth),
            number_plain(mean, a->mean), number_plain(off, fabs(a->truth - a->mean)));
    if (isfinite(m->rank))
        fprintf(f, ", %s scales", number_plain(scales, m->rank));
}

void put_number_notes(FILE *f, const report *x)
{
    char number[NUMBER_ROOM];
    cr_linear_facts facts;

    if (cr_model_linear_facts(x->model, &facts) != CR_OK)
        return;
    fprintf(f, "<li>The model explains %s of the variance of the rows that it learned from.</li>\n",
            number_percent(number, facts.r2));
    if (facts.incomplete > 0)
        fprintf(f,
                "<li>It did not learn from %s rows that lack a value; --impute fills them.</li>\n",
                number_plain(number, facts.incomplete));
    if (facts.constant > 0)
        fprintf(f, "<li>%zu columns or values do not vary and have no weight.</li>\n",
                facts.constant);
    if (facts.rank < facts.weights)
        fprintf(f,
                "<li class=\"warn\">Columns are collinear: of %zu weights the data tell only "
                "%zu combinations.</li>\n",
                facts.weights, facts.rank);
}
