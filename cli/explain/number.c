/* cli/explain/number.c - how a model arrives at a number: a table, or the derivation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "show/linear.h"
#include "out/json.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

enum { TOP = 20 };

typedef struct tour {
    walk walk;
    const cr_model *model;
    void (*present)(const struct tour *t, const cr_regression_explanation *e);
    double level;
    size_t top; /* 0: all */
    bool work;
} tour;

/* --- words ---------------------------------------------------------------------------------- */

static const char *column_name(const tour *t, size_t column)
{
    return cr_schema_name(cr_model_schema(t->model), column);
}

static const char *target_name(const tour *t)
{
    return column_name(t, cr_model_target(t->model));
}

static const char *value_text(const cr_regression_share *s, char *number)
{
    return s->text != NULL ? s->text : isnan(s->value) ? "?" : number_exact(number, s->value);
}

static const char *remark(const cr_regression_share *s)
{
    return s->filled ? "filled in" : !s->known ? "stands for the mean" : "";
}

/* The strongest first; ties in the order of the columns. */
static int stronger_first(const void *pa, const void *pb)
{
    const cr_regression_share *a = pa, *b = pb;
    const double x = fabs(a->share), y = fabs(b->share);

    return x != y ? (x > y ? -1 : 1) : a->column < b->column ? -1 : 1;
}

static int columns_in_order(const void *pa, const void *pb)
{
    const cr_regression_share *a = pa, *b = pb;

    return a->column < b->column ? -1 : a->column > b->column;
}

/* "Line 2: price = 12.28, with 95 % between 10.35 and 14.21; it is 12.1" */
static void headline(const tour *t, const cr_regression_explanation *e)
{
    char mean[NUMBER_ROOM], from[NUMBER_ROOM], to[NUMBER_ROOM], truth[NUMBER_ROOM];
    char *name = text_shown(target_name(t), 0);
    double low, high;

    cr_regression_interval(&e->answer, t->level, &low, &high);
    out_line("%sLine %llu: %s = %s%s, with %g %% between %s and %s%s%s", out_style(STYLE_BOLD),
             (unsigned long long)e->line, name, number_plain(mean, e->answer.mean),
             out_style(STYLE_NONE), t->level * 100, number_plain(from, low), number_plain(to, high),
             isnan(e->answer.truth) ? "" : "; it is ",
             isnan(e->answer.truth) ? "" : number_plain(truth, e->answer.truth));
    free(name);
}

/* --- the table ------------------------------------------------------------------------------ */

/* scale is that of the bars; 0: a sum, which has no bar. what may be NULL. */
static void add_row(table *t, const char *name, const char *value, const char *what, double share,
                    double scale)
{
    table_text(t, name);
    table_text(t, value);
    if (what != NULL)
        table_text(t, what);
    table_number(t, scale > 0 ? number_added : number_plain, share);
    table_bar(t, scale > 0 ? share / scale : 0);
}

/* The parts of a share: "4.153 × (1.5 - 4.433)", or "3.958 - 2.441" for a symbol; NULL if a column
 * depends on those before it. */
static const char *sum_text(const cr_regression_explanation *e, const cr_regression_share *s,
                            char *buffer, size_t size)
{
    char weight[NUMBER_ROOM], mean[NUMBER_ROOM], value[NUMBER_ROOM];

    if (e->chained)
        return NULL;
    if (!s->known)
        return remark(s);
    number_plain(weight, s->weight);
    number_plain(mean, fabs(s->mean));
    if (s->text != NULL)
        snprintf(buffer, size, "%s %c %s", weight, s->mean < 0 ? '+' : '-', mean);
    else
        snprintf(buffer, size, "%s × (%s %c %s)", weight, number_plain(value, s->value),
                 s->mean < 0 ? '+' : '-', mean);
    return buffer;
}

static void show_shares(const tour *t, const cr_regression_explanation *e)
{
    cr_regression_share *shares = reserve(e->shares + 1, sizeof *shares);
    const size_t shown = t->top == 0 || t->top > e->shares ? e->shares : t->top;
    const char *const nothing = e->chained ? NULL : "";
    char number[NUMBER_ROOM], text[4 * NUMBER_ROOM], rest_name[48];
    double rest = 0, scale;
    table *list = table_new();

    memcpy(shares, e->share, e->shares * sizeof *shares);
    qsort(shares, e->shares, sizeof *shares, stronger_first);
    scale = e->shares > 0 && shares[0].share != 0 ? fabs(shares[0].share) : 1;
    if (e->chained)
        qsort(shares, shown, sizeof *shares, columns_in_order);
    headline(t, e);
    table_column(list, "column", TABLE_LEFT);
    table_column(list, "value", TABLE_LEFT);
    if (!e->chained)
        table_column(list, "weight × (value - mean)", TABLE_LEFT);
    table_column(list, e->chained ? "adds, given those before" : "adds", TABLE_RIGHT);
    table_column(list, "", TABLE_BAR);
    add_row(list, "mean", "", nothing, e->base, 0);
    for (size_t i = 0; i < shown; i++)
        add_row(list, column_name(t, shares[i].column), value_text(&shares[i], number),
                sum_text(e, &shares[i], text, sizeof text), shares[i].share, scale);
    for (size_t i = shown; i < e->shares; i++)
        rest += shares[i].share;
    snprintf(rest_name, sizeof rest_name, "%zu more", e->shares - shown);
    if (shown < e->shares)
        add_row(list, rest_name, "", nothing, rest, scale);
    add_row(list, "all together", "", nothing, e->answer.mean, 0);
    table_print(list, 0, true);
    table_free(list);
    free(shares);
}

static void show_work(const tour *t, const cr_regression_explanation *e)
{
    explain_work_number(t->model, e, t->level);
}

/* --- for programs --------------------------------------------------------------------------- */

static void show_json(const tour *t, const cr_regression_explanation *e)
{
    cr_output *out = output_to(stdout);

    if (cr_regression_explanation_json(t->model, e, t->level, t->work, out, NULL) != CR_OK)
        reserve_failed();
    output_end(out);
}

static void show_csv(const tour *t, const cr_regression_explanation *e)
{
    cr_output *out = output_to(stdout);

    cr_regression_explanation_csv(t->model, e, out);
    output_end(out);
}

/* --- the rows ------------------------------------------------------------------------------- */

static cr_status visit(void *context, const cr_regression_explanation *e)
{
    tour *t = context;
    bool show;
    cr_status status = walk_step(&t->walk, &show);

    if (show && e->error != NULL && t->present != show_json && t->present != show_csv)
        out_line("Line %zu cannot be read: %s", e->line, e->error);
    else if (show && (e->error == NULL || t->present == show_json))
        t->present(t, e);
    return status;
}

int explain_numbers(const request *r, const cr_model *model, cr_source **source,
                    const cr_predict_options *options)
{
    tour t = {.model = model, .top = option_count(r, "top", TOP)};
    cr_error err = {0};
    cr_status status;
    int code;

    if (option_given(r, "against"))
        return misuse(NULL, "--against names a class, and this model predicts a number");
    if ((code = walk_begin(&t.walk, r)) != EXIT_DONE ||
        (code = read_interval(r, &t.level)) != EXIT_DONE)
        return code;
    t.level = t.level > 0 ? t.level : USUAL_LEVEL;
    t.present = r->json                   ? show_json
                : r->csv                  ? show_csv
                : option_given(r, "work") ? show_work
                                          : show_shares;
    if (r->csv)
        explain_csv_header(model);
    status = cr_model_explain_regression(model, *source, options, visit, &t, &err);
    return walk_end(&t.walk, r, source, status, &err);
}
