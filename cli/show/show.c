/* cli/show/show.c - show a model to people: facts, classes, the most informative features. */
#include "show/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "show/describe.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"
#include "show/tried.h"
#include "show/weights.h"

enum { USUAL_WIDTH = 100, FACT_INDENT = 15, HEAD_WIDTH = 14, NUMBER_WIDTH = 7, VALUE_WIDTH = 16 };

#define SORTABLE 1e7 /* lookups of counts allowed for sorting the values of a column */

static void heading(const char *text)
{
    putchar('\n');
    out_line("%s%s%s", out_style(STYLE_BOLD), text, out_style(STYLE_NONE));
}

/* --- facts -------------------------------------------------------------------------------- */

/* "  knobs        smoothing=none" */
static void fact(const char *name, const char *text)
{
    printf("  %-*s", FACT_INDENT - 2, name);
    text_wrap(stdout, text, FACT_INDENT, FACT_INDENT, out_width());
}

/* How much of a joint table was observed, and which columns could not be used. */
static void print_cells(const cr_model_facts *facts)
{
    char text[200], number[NUMBER_ROOM];

    fact("cells", describe_cells(facts, text, sizeof text));
    if (facts->incomplete > 0) {
        snprintf(text, sizeof text, "%s rows lack a value and are left out",
                 number_plain(number, facts->incomplete));
        fact("incomplete", text);
    }
}

static void number_huge(char *text, size_t size, double x, double log10_x)
{
    if (x < 1e15)
        number_plain(text, x);
    else
        snprintf(text, size, "10^%.0f", log10_x);
}

/* Only symbols can be in a table; without any there is nothing to compare with. */
static void print_parameters(const exhibit *x, const cr_model_facts *facts)
{
    char own[NUMBER_ROOM], joint[NUMBER_ROOM], given[NUMBER_ROOM], number[32] = "", text[280];
    int n;
    size_t symbols = 0;

    for (size_t i = 0; i < x->feature_count; i++)
        symbols += cr_schema_kind(cr_model_schema(x->model), x->features[i].column) == CR_SYMBOL;
    number_plain(own, facts->parameters);
    number_huge(joint, sizeof joint, facts->joint_parameters, facts->joint_log10);
    number_huge(given, sizeof given, facts->conditional_parameters, facts->conditional_log10);
    if (facts->cells > 0) {
        fact("parameters", facts->parameters < 1e15 ? own : joint);
        print_cells(facts);
        return;
    }
    if (symbols > 1)
        snprintf(number, sizeof number, "%zu ", symbols);
    n = snprintf(text, sizeof text,
                 "%s; a table of every combination of the class and the %ssymbol%s%s would need %s",
                 own, number, plural(symbols), symbols < x->feature_count ? " alone" : "", joint);
    if (facts->conditional_parameters > 0)
        snprintf(text + n, sizeof text - (size_t)n, ", one of P(class | symbols) %s", given);
    fact("parameters", symbols != 0 ? text : own);
}

/* "10 rows, 2 classes of evade, 3 features" */
static void print_learned(const exhibit *x, const cr_model_facts *facts)
{
    size_t classes = cr_model_classes(x->model);
    char number[NUMBER_ROOM], weight[NUMBER_ROOM + 16] = "", text[600], *target;

    if (facts->weight != (double)facts->rows)
        snprintf(weight, sizeof weight, " of weight %s", number_plain(number, facts->weight));
    if (!cr_model_has_classes(x->model)) {
        snprintf(text, sizeof text, "%llu row%s%s, %zu variable%s", (unsigned long long)facts->rows,
                 plural(facts->rows), weight, x->feature_count, plural(x->feature_count));
        fact("learned", text);
        return;
    }
    target = text_shown(cr_schema_name(cr_model_schema(x->model), cr_model_target(x->model)), 0);
    snprintf(text, sizeof text, "%llu row%s%s, %zu class%s of %.200s, %zu feature%s",
             (unsigned long long)facts->rows, plural(facts->rows), weight, classes,
             classes == 1 ? "" : "es", target, x->feature_count, plural(x->feature_count));
    fact("learned", text);
    free(target);
}

static void print_evidence(double log_evidence)
{
    char natural[NUMBER_ROOM], bits[NUMBER_ROOM], text[200];

    snprintf(text, sizeof text, "ln P(data) = %s, the parameters integrated out: %s bits",
             number_plain(natural, log_evidence), number_plain(bits, -log_evidence / log(2)));
    fact("evidence", text);
}

static void print_facts(const exhibit *x)
{
    cr_model_facts facts;
    char text[600];

    cr_model_get_facts(x->model, &facts);
    out_line("%s%s%s: %s", out_style(STYLE_BOLD), x->path, out_style(STYLE_NONE),
             cr_model_title(x->model));
    print_learned(x, &facts);
    print_parameters(x, &facts);
    if (x->evidence)
        print_evidence(x->log_evidence);
    describe_fit(x->model, text, sizeof text);
    if (text[0] != '\0')
        fact("fit", text);
    fact("knobs", cr_show_knobs(text, sizeof text, x->model));
    if (cr_model_calibration(x->model) != NULL) {
        snprintf(text, sizeof text, "by %s", cr_model_calibration(x->model));
        fact("calibrated", text);
    }
    snprintf(text, sizeof text, "by credence %s, format %llu", facts.version,
             (unsigned long long)facts.format);
    fact("written", text);
    fact("fingerprint", facts.fingerprint);
}

/* Entropy of the class in bits. */
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
        table_text(t, describe_kind(x->model, x->features[i].column));
        table_number(t, number_probability, x->features[i].bits);
        table_bar(t, whole > 0 && x->features[i].bits > 0 ? x->features[i].bits / whole : 0);
    }
    table_print(t, 0, true);
    if (shown < x->feature_count)
        out_line("... and %zu more feature%s (--all shows them)", x->feature_count - shown,
                 plural(x->feature_count - shown));
    table_free(t);
}

/* --- one feature -------------------------------------------------------------------------- */

size_t show_width(void)
{
    return out_width() != 0 ? out_width() : USUAL_WIDTH;
}

size_t show_at_most(size_t count, size_t limit)
{
    return limit != 0 && count > limit ? limit : count;
}

static void more_classes(const exhibit *x, size_t shown)
{
    size_t more = x->class_count - shown;

    if (more > 0)
        out_line("  ... and %zu more class%s (--class NAME shows one; --csv, --json all)", more,
                 more == 1 ? "" : "es");
}

/* Whether the densities differ from a plain Gaussian of the sample. */
static void look_at_densities(const exhibit *x, size_t column, bool *student, bool *moved)
{
    cr_gaussian g;

    *student = *moved = false;
    for (size_t c = 0; c < cr_model_classes(x->model); c++)
        if (cr_model_gaussian(x->model, column, c, &g) == CR_OK) {
            *student |= g.freedom > 0;
            *moved |= g.fitted_mean != g.mean;
        }
}

/* The mean and deviation of the data (n - 1), then those of the model. */
static void print_real(const exhibit *x, size_t column)
{
    size_t shown = show_at_most(x->class_count, x->class_limit);
    bool student, moved, kernels;
    table *t = table_new();
    cr_gaussian g;

    look_at_densities(x, column, &student, &moved);
    kernels = cr_model_gaussian(x->model, column, 0, &g) == CR_OK && g.bandwidth > 0;
    student = student && !kernels;
    moved = moved && !kernels;
    table_column(t, "class", TABLE_LEFT);
    table_column(t, describe_weighted(x->model) ? "weight" : "rows", TABLE_RIGHT);
    table_column(t, "mean", TABLE_RIGHT);
    table_column(t, "sd", TABLE_RIGHT);
    if (moved)
        table_column(t, "mean in use", TABLE_RIGHT);
    table_column(t, kernels ? "bandwidth" : student ? "scale in use" : "sd in use", TABLE_RIGHT);
    if (student)
        table_column(t, "freedom", TABLE_RIGHT);
    for (size_t i = 0; i < shown; i++) {
        if (cr_model_gaussian(x->model, column, x->classes[i], &g) != CR_OK)
            continue;
        table_text(t, cr_model_class(x->model, x->classes[i]));
        table_number(t, number_plain, g.count);
        table_number(t, number_plain, g.count > 0 ? g.mean : NAN);
        table_number(t, number_plain, g.count > 1 ? sqrt(g.variance_unbiased) : NAN);
        if (moved)
            table_number(t, number_plain, g.fitted_mean);
        table_number(t, number_plain, kernels ? g.bandwidth : sqrt(g.fitted_variance));
        if (student)
            table_number(t, number_plain, g.freedom);
    }
    table_print(t, 2, true);
    more_classes(x, shown);
    if (!kernels)
        show_misfit(x, column);
    table_free(t);
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

/* The values to show: all in the model's order, or the most frequent. */
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

/* As many classes as fit side by side. */
static size_t classes_that_fit(const exhibit *x, bool counts)
{
    size_t used = VALUE_WIDTH, fit = 0;

    for (; fit < x->class_count; fit++) {
        size_t head = text_width(cr_model_class(x->model, x->classes[fit]));

        head = head > HEAD_WIDTH ? HEAD_WIDTH : head < NUMBER_WIDTH ? NUMBER_WIDTH : head;
        used += 2 + head + (counts ? NUMBER_WIDTH + 2 : 0);
        if (used > show_width())
            break;
    }
    return fit > 1 ? fit : 1;
}

/* Rows are values, columns are P(value | class), with the counts before it if asked for. */
static void print_symbols(const exhibit *x, size_t column, bool counts)
{
    size_t values = cr_model_values(x->model, column), shown = show_at_most(values, x->top);
    size_t columns = classes_that_fit(x, counts);
    seen_value *value = pick_values(x, column, shown);
    table *t = table_new();

    table_column(t, "value", TABLE_LEFT);
    for (size_t i = 0; i < columns; i++) {
        char *name = text_shown(
            cr_model_has_classes(x->model) ? cr_model_class(x->model, x->classes[i]) : "P(value)",
            HEAD_WIDTH);

        if (counts)
            table_column(t, describe_weighted(x->model) ? "weight" : "count", TABLE_RIGHT);
        table_column(t, name, TABLE_RIGHT);
        free(name);
    }
    for (size_t row = 0; row < shown; row++) {
        size_t v = value[row].value;

        table_text(t, cr_model_value(x->model, column, v));
        for (size_t i = 0; i < columns; i++) {
            size_t c = x->classes[i];

            if (counts)
                table_number(t, number_plain, cr_model_count(x->model, column, v, c));
            table_number(t, number_probability, cr_model_probability(x->model, column, v, c));
        }
    }
    table_print(t, 2, true);
    if (shown < values)
        out_line("  ... and %zu more value%s (--feature NAME shows all)", values - shown,
                 plural(values - shown));
    more_classes(x, columns);
    table_free(t);
    free(value);
}

/* What the numbers below a feature mean. */
static const char *remark_on(const exhibit *x, size_t column)
{
    bool student, moved, kernels;
    cr_gaussian g;

    if (cr_model_has_values(x->model, column))
        return cr_model_has_classes(x->model) ? "; P(value | class)" : "";
    switch (cr_schema_kind(cr_model_schema(x->model), column)) {
    case CR_BAG: return "; the most telling, and how often in the class/in all";
    default:
        look_at_densities(x, column, &student, &moved);
        kernels = cr_model_gaussian(x->model, column, 0, &g) == CR_OK && g.bandwidth > 0;
        return kernels   ? "; kernel density"
               : student ? "; Student t, the parameters integrated out"
                         : "; Gaussian";
    }
}

static void head_feature(const exhibit *x, const cr_feature_rank *feature)
{
    char *name = text_shown(cr_schema_name(cr_model_schema(x->model), feature->column), 0);
    char number[NUMBER_ROOM], amount[NUMBER_ROOM + 16] = "";
    size_t words = cr_model_words(x->model, feature->column);

    if (words > 0)
        snprintf(amount, sizeof amount, ", %zu word%s", words, plural(words));
    else if (!isnan(feature->bits))
        snprintf(amount, sizeof amount, ", %s bits", number_probability(number, feature->bits));
    out_line("%s%s%s  %s%s%s", out_style(STYLE_BOLD), name, out_style(STYLE_NONE),
             describe_kind(x->model, feature->column), amount, remark_on(x, feature->column));
    free(name);
}

void show_feature(const exhibit *x, const cr_feature_rank *feature, bool counts)
{
    head_feature(x, feature);
    if (cr_model_has_values(x->model, feature->column))
        print_symbols(x, feature->column, counts);
    else if (cr_schema_kind(cr_model_schema(x->model), feature->column) == CR_BAG)
        show_words(x, feature->column);
    else
        print_real(x, feature->column);
}

void show_model(const exhibit *x)
{
    size_t shown = show_at_most(x->feature_count, x->top);

    print_facts(x);
    if (was_chosen(x->model))
        putchar('\n');
    tried_print(x->model);
    if (cr_model_has_classes(x->model)) {
        putchar('\n');
        describe_classes(x->model, x->class_limit);
    }
    if (has_weights(x->model)) {
        show_weights(x);
        return;
    }
    if (shown > 0 && !isnan(x->features[0].bits))
        print_ranking(x, shown);
    if (show_picture(x))
        return;
    show_cells(x);
    for (size_t i = 0; i < shown; i++) {
        putchar('\n');
        show_feature(x, &x->features[i], false);
    }
}
