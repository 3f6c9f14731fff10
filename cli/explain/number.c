/* cli/explain/number.c - how a model comes to a number: a table, or on the board. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "show/linear.h"
#include "out/csv.h"
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

/* The strongest first; equal ones by their columns. */
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

/* scale is that of the bars; 0: a sum, which has none. what is NULL where nobody asks. */
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

/* What a share is made of: "4.153 × (1.5 - 4.433)", or for a symbol "3.958 - 2.441"; NULL where a
 * column is given those before it. */
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

/* --- on the board --------------------------------------------------------------------------- */

static void board_interval(const tour *t, const cr_regression_explanation *e)
{
    char noise[NUMBER_ROOM], rows[NUMBER_ROOM], leverage[NUMBER_ROOM], scale[NUMBER_ROOM],
        mean[NUMBER_ROOM], from[NUMBER_ROOM], to[NUMBER_ROOM], reach[NUMBER_ROOM],
        freedom[NUMBER_ROOM], family[2 * NUMBER_ROOM];
    const cr_regression *f = &e->answer;
    double low, high;

    cr_regression_interval(f, t->level, &low, &high);
    number_plain(scale, f->scale);
    if (!e->chained)
        out_line("scale = noise × √(1 + 1/n + leverage) = %s × √(1 + 1/%s + %s) = %s",
                 number_plain(noise, e->noise), number_plain(rows, e->rows),
                 number_plain(leverage, e->leverage), scale);
    if (isinf(f->freedom))
        snprintf(family, sizeof family, "a Gaussian");
    else
        snprintf(family, sizeof family, "Student's t with %s degrees of freedom",
                 number_plain(freedom, f->freedom));
    out_line("%g %% of %s lie within ±%s: %s ± %s × %s = %s ... %s", t->level * 100, family,
             number_plain(reach, (high - f->mean) / f->scale), number_plain(mean, f->mean), reach,
             scale, number_plain(from, low), number_plain(to, high));
    if (!isnan(f->truth))
        out_line("truth: %s, which is %s the interval; off by %s", number_plain(mean, f->truth),
                 f->truth >= low && f->truth <= high ? "in" : "outside",
                 number_plain(reach, f->truth - f->mean));
}

/* "mean of price + sum of weight × (value - mean of the column)", or one after the other. */
static void board_rule(const cr_regression_explanation *e, const char *target)
{
    if (e->chained)
        out_line("\n%s = mean of %s + what each column changes of that, given the columns before "
                 "it",
                 target, target);
    else
        out_line("\n%s = mean of %s + sum of weight × (value - mean of the column)", target,
                 target);
}

static void show_work(const tour *t, const cr_regression_explanation *e)
{
    char number[NUMBER_ROOM], text[4 * NUMBER_ROOM], name[300];
    table *list = table_new();
    char *target = text_shown(target_name(t), 0);
    double sum = e->base;

    headline(t, e);
    board_rule(e, target);
    table_column(list, "", TABLE_LEFT);
    table_column(list, "", e->chained ? TABLE_RIGHT : TABLE_LEFT);
    table_column(list, "", TABLE_RIGHT);
    table_text(list, "mean");
    table_text(list, "");
    table_number(list, number_plain, e->base);
    for (size_t i = 0; i < e->shares; i++) {
        const cr_regression_share *s = &e->share[i];

        snprintf(name, sizeof name, "%.120s=%.120s%s", column_name(t, s->column),
                 value_text(s, number), s->filled ? " (filled in)" : "");
        table_text(list, name);
        sum += s->share;
        table_text(list,
                   e->chained ? number_added(text, s->share) : sum_text(e, s, text, sizeof text));
        table_number(list, e->chained ? number_plain : number_added, e->chained ? sum : s->share);
    }
    table_text(list, target);
    table_text(list, "");
    table_number(list, number_plain, e->answer.mean);
    table_print(list, 2, false);
    putchar('\n');
    board_interval(t, e);
    table_free(list);
    free(target);
}

/* --- for programs --------------------------------------------------------------------------- */

static void show_json(const tour *t, const cr_regression_explanation *e)
{
    double low, high;
    json j;

    cr_regression_interval(&e->answer, t->level, &low, &high);
    json_start(&j, stdout);
    json_object(&j, NULL, JSON_LINE);
    json_number(&j, "line", (double)e->line);
    json_number(&j, "prediction", e->answer.mean);
    json_number(&j, "low", low);
    json_number(&j, "high", high);
    json_number(&j, "level", t->level);
    json_number(&j, "scale", e->answer.scale);
    json_number(&j, "freedom", e->answer.freedom);
    json_number(&j, "truth", e->answer.truth);
    json_number(&j, "base", e->base);
    if (!e->chained) {
        json_number(&j, "noise", e->noise);
        json_number(&j, "rows", e->rows);
        json_number(&j, "leverage", e->leverage);
    }
    json_array(&j, "shares", JSON_LINE);
    for (size_t i = 0; i < e->shares; i++) {
        const cr_regression_share *s = &e->share[i];

        json_object(&j, NULL, JSON_LINE);
        json_text(&j, "column", column_name(t, s->column));
        if (s->text != NULL)
            json_text(&j, "value", s->text);
        else
            json_number(&j, "value", s->value);
        if (!e->chained) {
            json_number(&j, "weight", s->weight);
            json_number(&j, "mean", s->mean);
        }
        json_number(&j, "share", s->share);
        if (!s->known)
            json_bool(&j, "missing", true);
        if (s->filled)
            json_bool(&j, "filled", true);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static void show_csv(const tour *t, const cr_regression_explanation *e)
{
    char number[NUMBER_ROOM];

    for (size_t i = 0; i < e->shares; i++) {
        const cr_regression_share *s = &e->share[i];

        printf("%llu,%s,", (unsigned long long)e->line, number_exact(number, e->answer.mean));
        printf("%s,", number_exact(number, e->base));
        csv_field(stdout, column_name(t, s->column));
        putchar(',');
        csv_field(stdout, s->known ? value_text(s, number) : "");
        printf(",%s,", e->chained ? "" : number_exact(number, s->weight));
        printf("%s,", e->chained ? "" : number_exact(number, s->mean));
        printf("%s\n", number_exact(number, s->share));
    }
}

/* --- the rows ------------------------------------------------------------------------------- */

static cr_status visit(void *context, const cr_regression_explanation *e)
{
    tour *t = context;
    bool show;
    cr_status status = walk_step(&t->walk, &show);

    if (show)
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
        puts("line,prediction,base,column,value,weight,mean,share");
    status = cr_model_explain_regression(model, *source, options, visit, &t, &err);
    return walk_end(&t.walk, r, source, status, &err);
}
