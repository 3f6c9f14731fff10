/* render/board_regression.c - how a model computes a number.
 *
 *     target = mean + Σ weight × (value - mean of the column)
 *     scale  = noise × √(1 + 1/n + leverage)
 *
 * A Gaussian network has no weights: there the contribution of a column is the change of the mean
 * when it becomes known after the columns before it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "render/board.h"

static const char *column_name(cr__board *b, size_t column)
{
    const char *name = cr_schema_name(cr_model_schema(b->model), column);

    return cr__board_name(b, name, strlen(name));
}

/* "size=1.5", "heating=gas (filled in)" */
static const char *share_side(cr__board *b, const cr_regression_share *s)
{
    char number[CR_SHOW_SIZE];
    const char *value = s->text != NULL   ? cr__board_name(b, s->text, strlen(s->text))
                        : isnan(s->value) ? "?"
                                          : cr_show_number(number, CR_SHOW_EXACT, s->value);

    return cr__board_text(b, "%s=%s%s", column_name(b, s->column), value,
                          s->filled ? " (filled in)" : "");
}

static size_t share_line(cr__board *b, const cr_regression_explanation *e,
                         const cr_regression_share *s)
{
    cr_board_line is = {.rule = CR_BOARD_NUMBER, .value = s->share, .log_value = NAN};

    if (!e->chained && !s->known) {
        cr__board_put(b, "stands for the mean: 0");
    } else if (!e->chained && s->text == NULL) {
        is.rule = CR_BOARD_TIMES;
        is.top = s->weight;
        is.bottom = s->value - s->mean;
        cr__board_put(b, "= ");
        cr__board_plain(b, s->weight);
        cr__board_put(b, " × (");
        cr__board_plain(b, s->value);
        cr__board_added(b, -s->mean, 0);
        cr__board_put(b, ") = ");
        cr__board_plain(b, s->share);
    } else if (!e->chained) {
        cr__board_put(b, "= ");
        cr__board_plain(b, s->weight);
        cr__board_added(b, -s->mean, 0);
        cr__board_put(b, " = ");
        cr__board_plain(b, s->share);
    } else {
        cr__board_put(b, "= ");
        cr__board_plain(b, s->share);
    }
    return cr__board_line(b, share_side(b, s), is);
}

static void sum_lines(cr__board *b, const cr_regression_explanation *e, const char *target)
{
    const size_t first = b->board.lines, n = e->shares + 1;

    cr__board_put(b, "= ");
    cr__board_plain(b, e->base);
    cr__board_line(b, cr__board_text(b, "mean of %s", target),
                   (cr_board_line){.rule = CR_BOARD_NUMBER, .value = e->base, .log_value = NAN});
    for (size_t i = 0; i < e->shares && !b->failed; i++)
        share_line(b, e, &e->share[i]);
    for (size_t i = 0; i < n && !b->failed; i++) {
        cr__board_term(b, first + i);
        if (n > 2 * CR__BOARD_TERMS)
            continue;
        cr__board_put(b, i == 0 ? "= " : "");
        cr__board_added(b, b->line[first + i].value, i == 0);
    }
    cr__board_put(b, n > 2 * CR__BOARD_TERMS ? "= sum of the %zu above = " : " = ", n);
    cr__board_plain(b, e->answer.mean);
    cr__board_line(
        b, target,
        (cr_board_line){.rule = CR_BOARD_SUM, .value = e->answer.mean, .log_value = NAN});
}

static void scale_line(cr__board *b, const cr_regression_explanation *e)
{
    cr__board_put(b, "= ");
    if (!e->chained) {
        cr__board_put(b, "noise × √(1 + 1/n + leverage) = ");
        cr__board_plain(b, e->noise);
        cr__board_put(b, " × √(1 + 1/");
        cr__board_plain(b, e->rows);
        cr__board_put(b, " + ");
        cr__board_plain(b, e->leverage);
        cr__board_put(b, ") = ");
    }
    cr__board_plain(b, e->answer.scale);
    cr__board_line(
        b, "scale",
        (cr_board_line){.rule = CR_BOARD_NUMBER, .value = e->answer.scale, .log_value = NAN});
}

/* One end of the interval: mean ± reach × scale. */
static void end_line(cr__board *b, const cr_regression *f, double end, const char *side)
{
    const double reach = (end - f->mean) / f->scale;

    cr__board_put(b, "= ");
    cr__board_plain(b, f->mean);
    cr__board_added(b, reach, 0);
    cr__board_put(b, " × ");
    cr__board_plain(b, f->scale);
    cr__board_put(b, " = ");
    cr__board_plain(b, end);
    cr__board_line(b, side,
                   (cr_board_line){.rule = CR_BOARD_NUMBER, .value = end, .log_value = NAN});
}

static const char *closing(cr__board *b, const cr_regression *f, double low, double high)
{
    char truth[CR_SHOW_SIZE], off[CR_SHOW_SIZE];

    if (isnan(f->truth))
        return "";
    return cr__board_text(b, "truth: %s, which is %s the interval; off by %s",
                          cr_show_number(truth, CR_SHOW_PLAIN, f->truth),
                          f->truth >= low && f->truth <= high ? "in" : "outside",
                          cr_show_number(off, CR_SHOW_PLAIN, f->truth - f->mean));
}

/* "Line 2: price = 12.28, with 95 % between 10.35 and 14.21; it is 12.1" */
static const char *heading(cr__board *b, const cr_regression_explanation *e, const char *target,
                           double level, double low, double high)
{
    char mean[CR_SHOW_SIZE], from[CR_SHOW_SIZE], to[CR_SHOW_SIZE], truth[CR_SHOW_SIZE];
    const int known = !isnan(e->answer.truth);

    return cr__board_text(b, "Line %llu: %s = %s, with %g %% between %s and %s%s%s",
                          (unsigned long long)e->line, target,
                          cr_show_number(mean, CR_SHOW_PLAIN, e->answer.mean), level * 100,
                          cr_show_number(from, CR_SHOW_PLAIN, low),
                          cr_show_number(to, CR_SHOW_PLAIN, high), known ? "; it is " : "",
                          known ? cr_show_number(truth, CR_SHOW_PLAIN, e->answer.truth) : "");
}

static void write_board(cr__board *b, const cr_regression_explanation *e, double level)
{
    const cr_regression *f = &e->answer;
    const char *target = column_name(b, cr_model_target(b->model));
    char freedom[CR_SHOW_SIZE];
    double low, high;

    cr_regression_interval(f, level, &low, &high);
    b->board.heading = heading(b, e, target, level, low, high);
    cr__board_section(
        b,
        e->chained ? cr__board_text(b, "mean + what each column changes, given those before it")
                   : cr__board_text(b, "mean + sum of weight × (value - mean of the column)"),
        CR_UNDECIDED);
    if (!b->failed)
        sum_lines(b, e, target);
    cr__board_section(b,
                      isinf(f->freedom)
                          ? cr__board_text(b, "%g %% of a Gaussian", level * 100)
                          : cr__board_text(b, "%g %% of Student's t with %s degrees of freedom",
                                           level * 100,
                                           cr_show_number(freedom, CR_SHOW_PLAIN, f->freedom)),
                      CR_UNDECIDED);
    if (!b->failed) {
        scale_line(b, e);
        end_line(b, f, low, "from");
        end_line(b, f, high, "to");
    }
    b->board.closing = closing(b, f, low, high);
    b->board.section = b->section;
    b->board.line = b->line;
}

cr_status cr_board_new_regression(cr_board **out, const cr_model *model,
                                  const cr_regression_explanation *e, double level,
                                  const cr_board_options *options, cr_error *err)
{
    cr_board_options o;
    cr__board *b;
    cr_status st = cr__sized_take(&o, sizeof o, options, "cr_board_options", err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((b = cr__alloc_zero(1, sizeof *b)) == NULL)
        return cr__fail_memory(err);
    b->model = model;
    b->name_width = o.name_width == 0 ? CR__BOARD_NAME_WIDTH : o.name_width;
    write_board(b, e, level);
    if (b->failed || b->right.failed) {
        cr_board_free(&b->board);
        return cr__fail_memory(err);
    }
    *out = &b->board;
    return CR_OK;
}
