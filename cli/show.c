/* cli/show.c - a model laid open for people: facts, classes, the most telling features. */
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "describe.h"
#include "out.h"
#include "out_table.h"
#include "out_text.h"
#include "reserve.h"
#include "session.h"

enum { USUAL_WIDTH = 100, HEAD_WIDTH = 14, NUMBER_WIDTH = 7, VALUE_WIDTH = 14 };

#define SORTABLE 1e7 /* counts that may be looked up to order the values of a column */

static const char *kind_of(const exhibit *x, size_t column)
{
    return cr_kind_name(cr_schema_kind(cr_model_schema(x->model), column));
}

static void heading(const char *text)
{
    printf("\n%s%s%s\n", out_style(STYLE_BOLD), text, out_style(STYLE_NONE));
}

/* --- facts -------------------------------------------------------------------------------- */

/* The joint table is over symbols; without any there is nothing to compare with. */
static void print_joint(const exhibit *x, const cr_model_facts *facts)
{
    char number[NUMBER_ROOM];
    bool symbols = false;

    for (size_t i = 0; i < x->feature_count; i++)
        symbols |= cr_schema_kind(cr_model_schema(x->model), x->features[i].column) == CR_SYMBOL;
    if (symbols && facts->joint_parameters < 1e15)
        printf("; a full joint table of the symbols would need %s",
               number_plain(number, facts->joint_parameters));
    else if (symbols)
        printf("; a full joint table of the symbols would need 10^%s",
               number_plain(number, facts->joint_log10));
}

static void print_facts(const exhibit *x)
{
    cr_model_facts facts;
    char number[NUMBER_ROOM], knobs[512];

    cr_model_get_facts(x->model, &facts);
    printf("%s%s%s: %s\n", out_style(STYLE_BOLD), x->path, out_style(STYLE_NONE),
           learner_title(cr_model_learner(x->model)));
    printf("  learned     %llu row%s", (unsigned long long)facts.rows, plural(facts.rows));
    if (facts.weight != (double)facts.rows)
        printf(" of weight %s", number_plain(number, facts.weight));
    printf(", %zu classes of %s, %zu features\n", cr_model_classes(x->model),
           cr_schema_name(cr_model_schema(x->model), cr_model_target(x->model)),
           x->feature_count);
    printf("  parameters  %s", number_plain(number, facts.parameters));
    print_joint(x, &facts);
    printf("\n  knobs       %s\n", describe_knobs(x->model, knobs, sizeof knobs));
    printf("  written     by credence %s, format %llu, fingerprint %s\n", facts.version,
           (unsigned long long)facts.format, facts.fingerprint);
}

/* Entropy of the class in bits: what there is to be told. */
static double class_bits(const cr_model *model)
{
    double bits = 0;

    for (size_t c = 0; c < cr_model_classes(model); c++) {
        double p = cr_model_prior(model, c);

        if (p > 0)
            bits -= p * log2(p);
    }
    return bits;
}

static void print_ranking(const exhibit *x, size_t shown)
{
    double whole = class_bits(x->model);
    char text[NUMBER_ROOM + 80], number[NUMBER_ROOM];
    table *t = table_new();

    snprintf(text, sizeof text, "What tells the classes apart, in bits (there are %s to tell)",
             number_plain(number, whole));
    heading(text);
    table_column(t, "feature", TABLE_LEFT);
    table_column(t, "kind", TABLE_LEFT);
    table_column(t, "bits", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < shown; i++) {
        table_text(t, cr_schema_name(cr_model_schema(x->model), x->features[i].column));
        table_text(t, kind_of(x, x->features[i].column));
        table_number(t, number_probability, x->features[i].bits);
        table_bar(t, whole > 0 && x->features[i].bits > 0 ? x->features[i].bits / whole : 0);
    }
    table_print(t, 0, true);
    if (shown < x->feature_count)
        printf("... and %zu more features (--all shows them)\n", x->feature_count - shown);
    table_free(t);
}

/* --- one feature -------------------------------------------------------------------------- */

static size_t at_most(size_t count, size_t limit)
{
    return limit != 0 && count > limit ? limit : count;
}

static void print_real(const exhibit *x, size_t column)
{
    size_t classes = cr_model_classes(x->model), shown = at_most(classes, x->top);
    size_t *order = shown < classes ? classes_by_size(x->model) : NULL;
    bool student = false;
    table *t = table_new();
    cr_gaussian g;

    for (size_t c = 0; c < classes && !student; c++)
        student = cr_model_gaussian(x->model, column, c, &g) == CR_OK && g.freedom > 0;
    table_column(t, "class", TABLE_LEFT);
    table_column(t, "rows", TABLE_RIGHT);
    table_column(t, "mean", TABLE_RIGHT);
    table_column(t, "sd", TABLE_RIGHT);
    table_column(t, "variance in use", TABLE_RIGHT);
    if (student)
        table_column(t, "degrees of freedom", TABLE_RIGHT);
    for (size_t i = 0; i < shown; i++) {
        size_t c = order != NULL ? order[i] : i;

        if (cr_model_gaussian(x->model, column, c, &g) != CR_OK)
            continue;
        table_text(t, cr_model_class(x->model, c));
        table_number(t, number_plain, g.count);
        table_number(t, number_plain, g.mean);
        table_number(t, number_plain, sqrt(g.count > 1 ? g.variance_unbiased : g.variance_mle));
        table_number(t, number_plain, g.fitted_variance);
        if (student)
            table_number(t, number_plain, g.freedom);
    }
    table_print(t, 2, true);
    if (shown < classes)
        printf("  ... and %zu smaller classes\n", classes - shown);
    table_free(t);
    free(order);
}

typedef struct seen_value {
    size_t value;
    double count;
} seen_value;

static int more_first(const void *a, const void *b)
{
    const seen_value *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* The values to be shown: all as the model has them, or the commonest. */
static seen_value *pick_values(const exhibit *x, size_t column, size_t shown)
{
    size_t values = cr_model_values(x->model, column), classes = cr_model_classes(x->model);
    seen_value *all = reserve(values, sizeof *all);

    for (size_t v = 0; v < values; v++)
        all[v].value = v;
    if (shown == values || (double)values * (double)classes > SORTABLE)
        return all;
    for (size_t v = 0; v < values; v++)
        for (size_t c = 0; c < classes; c++)
            all[v].count += cr_model_count(x->model, column, v, c);
    qsort(all, values, sizeof *all, more_first);
    return all;
}

/* As many classes as fit beside each other, the largest first where not all do. */
static size_t classes_that_fit(const exhibit *x, bool counts)
{
    size_t limit = out_width() != 0 ? out_width() : USUAL_WIDTH, used = VALUE_WIDTH, fit = 0;

    for (; fit < cr_model_classes(x->model); fit++) {
        size_t head = text_width(cr_model_class(x->model, fit));

        head = head > HEAD_WIDTH ? HEAD_WIDTH : head < NUMBER_WIDTH ? NUMBER_WIDTH : head;
        used += 2 + head + (counts ? NUMBER_WIDTH + 2 : 0);
        if (used > limit)
            break;
    }
    return fit > 1 ? fit : 1;
}

/* Rows are values, columns are P(value | class), with the counts before it where asked for. */
static void print_symbols(const exhibit *x, size_t column, bool counts)
{
    size_t values = cr_model_values(x->model, column), shown = at_most(values, x->top);
    size_t classes = cr_model_classes(x->model), columns = classes_that_fit(x, counts);
    size_t *order = columns < classes ? classes_by_size(x->model) : NULL;
    seen_value *value = pick_values(x, column, shown);
    table *t = table_new();

    table_column(t, "value", TABLE_LEFT);
    for (size_t i = 0; i < columns; i++) {
        char *name = text_shown(cr_model_class(x->model, order ? order[i] : i), HEAD_WIDTH);

        if (counts)
            table_column(t, "count", TABLE_RIGHT);
        table_column(t, name, TABLE_RIGHT);
        free(name);
    }
    for (size_t row = 0; row < shown; row++) {
        size_t v = value[row].value;

        table_text(t, cr_model_value(x->model, column, v));
        for (size_t i = 0; i < columns; i++) {
            size_t c = order != NULL ? order[i] : i;

            if (counts)
                table_number(t, number_plain, cr_model_count(x->model, column, v, c));
            table_number(t, number_probability, cr_model_probability(x->model, column, v, c));
        }
    }
    table_print(t, 2, true);
    if (shown < values)
        printf("  ... and %zu more values\n", values - shown);
    if (columns < classes)
        printf("  ... and %zu more classes (--csv and --json give all)\n", classes - columns);
    table_free(t);
    free(value);
    free(order);
}

void show_feature(const exhibit *x, const telling *feature, bool counts)
{
    const char *name = cr_schema_name(cr_model_schema(x->model), feature->column);
    bool real = cr_schema_kind(cr_model_schema(x->model), feature->column) == CR_REAL;
    char *shown = text_shown(name, 0), bits[NUMBER_ROOM];

    printf("\n%s%s%s  %s, %s bits%s\n", out_style(STYLE_BOLD), shown, out_style(STYLE_NONE),
           kind_of(x, feature->column), number_probability(bits, feature->bits),
           real ? "" : "; P(value | class)");
    free(shown);
    if (real)
        print_real(x, feature->column);
    else
        print_symbols(x, feature->column, counts);
}

void show_model(const exhibit *x)
{
    size_t shown = at_most(x->feature_count, x->top);

    print_facts(x);
    putchar('\n');
    describe_classes(x->model, x->top);
    if (shown == 0)
        return;
    print_ranking(x, shown);
    for (size_t i = 0; i < shown; i++)
        show_feature(x, &x->features[i], false);
}
