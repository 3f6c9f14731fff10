/* cli/show/weights.c - show a logistic regression: how it was fitted, and its weights. */
#include "show/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/describe.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

enum { STEPS_SHOWN = 20 };

#define PRODUCT (SIZE_MAX - 1)

#define NORMAL_95 1.959963984540054 /* half the width of a 95 % interval, in standard errors */

bool has_weights(const cr_model *model)
{
    cr_fit fit;

    return cr_model_fit(model, &fit) == CR_OK;
}

/* --- the fit ------------------------------------------------------------------------------- */

static const char *separation(const cr_fit *fit)
{
    return fit->separated == 1
               ? "the classes can be parted by a hyperplane, so that weights without "
                 "a prior have no finite best value: they grow until the solver stops"
               : "weights have grown very large: some values or combinations occur "
                 "in one class only";
}

void describe_fit(const cr_model *model, char *buffer, size_t size)
{
    char steps[NUMBER_ROOM], gradient[NUMBER_ROOM], likelihood[NUMBER_ROOM], lambda[NUMBER_ROOM];
    cr_fit fit;

    buffer[0] = '\0';
    if (cr_model_fit(model, &fit) != CR_OK)
        return;
    if (fit.converted) {
        snprintf(buffer, size, "converted from another model; no rows were searched");
        return;
    }
    snprintf(
        buffer, size,
        "%s, %s step%s, %s; largest derivative %s a row; ln P(classes | rows) = %s; prior %s%s%s",
        fit.solver, number_plain(steps, fit.iterations), plural((uint64_t)fit.iterations),
        fit.converged ? "converged" : "not converged", number_plain(gradient, fit.gradient),
        number_plain(likelihood, fit.log_likelihood), fit.prior,
        strcmp(fit.prior, "none") == 0 ? "" : ", lambda ",
        strcmp(fit.prior, "none") == 0 ? "" : number_plain(lambda, fit.lambda));
}

int note_fit(const cr_model *model, bool strict)
{
    cr_fit fit;

    if (cr_model_fit(model, &fit) != CR_OK || fit.converted)
        return EXIT_DONE;
    if (fit.separated != 0)
        note("%s; -p prior=gaussian gives them one", separation(&fit));
    if (fit.converged)
        return EXIT_DONE;
    note("the weights have not converged after %.0f step%s: -p iterations=N allows more",
         fit.iterations, plural((uint64_t)fit.iterations));
    return strict ? EXIT_FAULT : EXIT_DONE;
}

/* --- all weights --------------------------------------------------------------------------- */

typedef struct item {
    size_t column, value; /* column SIZE_MAX: the intercept; PRODUCT: value is its number */
    double strength;      /* sort key */
} item;

static size_t items_of(const cr_model *model, size_t column)
{
    return cr_schema_kind(cr_model_schema(model), column) == CR_REAL
               ? 1
               : describe_count(model, column);
}

/* The features of a product, or the values in it. Free it. */
static char *product_name(const cr_model *model, const item *it, int values)
{
    const size_t size = 1 + cr_model_interaction_name(model, it->value, values, NULL, 0);
    char *name = reserve(size, 1);

    cr_model_interaction_name(model, it->value, values, name, size);
    return name;
}

/* The name of an item: the value or word, or nothing. Free it. */
static char *item_name(const cr_model *model, const item *it)
{
    const char *text = "";
    size_t length = 0;
    cr_word w;

    if (it->column == PRODUCT)
        return product_name(model, it, 1);
    if (it->column != SIZE_MAX) {
        cr_kind kind = cr_schema_kind(cr_model_schema(model), it->column);

        if (kind == CR_SYMBOL)
            text = cr_model_value(model, it->column, it->value);
        length = strlen(text);
        if (kind == CR_BAG && cr_model_word(model, it->column, it->value, 0, &w) == CR_OK) {
            text = w.bytes;
            length = w.length;
        }
    }
    return memcpy(reserve(length + 1, 1), text, length);
}

/* Free it. */
static char *feature_name(const cr_model *model, const item *it)
{
    const char *name = "(intercept)";

    if (it->column == PRODUCT)
        return product_name(model, it, 0);
    if (it->column != SIZE_MAX)
        name = cr_schema_name(cr_model_schema(model), it->column);
    return strcpy(reserve(strlen(name) + 1, 1), name);
}

static cr_weight weight_of(const cr_model *model, const item *it, size_t c)
{
    cr_interaction p;
    cr_weight w;

    if (it->column == PRODUCT) {
        cr_model_interaction(model, it->value, c, &p);
        return p.weight;
    }
    cr_model_weight(model, it->column, it->value, c, &w);
    return w;
}

static int stronger_first(const void *a, const void *b)
{
    const item *x = a, *y = b;

    if (x->strength != y->strength)
        return x->strength > y->strength ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* The weight of a real feature is scaled by its deviation, so that units do not matter. */
static double strength_of(const cr_model *model, const item *it, size_t c)
{
    double mean, deviation = 1;
    cr_interaction p;
    cr_weight w;

    if (it->column == SIZE_MAX)
        return INFINITY;
    if (it->column == PRODUCT) {
        cr_model_interaction(model, it->value, c, &p);
        for (int k = 0; k < 2; k++)
            deviation *= p.deviation[k] > 0 ? p.deviation[k] : 1;
        return fabs(p.weight.weight) * deviation;
    }
    if (cr_model_weight(model, it->column, it->value, c, &w) != CR_OK)
        return -1;
    if (cr_schema_kind(cr_model_schema(model), it->column) == CR_REAL)
        cr_model_moments(model, it->column, &mean, &deviation);
    return isnan(deviation) ? -1 : fabs(w.weight) * deviation;
}

/* Products are shown beside all features. */
static size_t products_of(const exhibit *x)
{
    return x->one ? 0 : cr_model_interactions(x->model);
}

/* The intercept and all weights of the exhibit's features for a class, the strongest first. */
static item *list_items(const exhibit *x, size_t c, size_t *count)
{
    size_t room = 1 + products_of(x), n = 0;
    item *all;

    for (size_t i = 0; i < x->feature_count; i++)
        room += items_of(x->model, x->features[i].column);
    all = reserve(room, sizeof *all);
    if (!x->one)
        all[n++] = (item){SIZE_MAX, 0, 0};
    for (size_t i = 0; i < x->feature_count; i++)
        for (size_t v = 0; v < items_of(x->model, x->features[i].column); v++)
            all[n++] = (item){x->features[i].column, v, 0};
    for (size_t i = 0; i < products_of(x); i++)
        all[n++] = (item){PRODUCT, i, 0};
    for (size_t i = 0; i < n; i++)
        all[i].strength = strength_of(x->model, &all[i], c);
    qsort(all, n, sizeof *all, stronger_first);
    *count = n;
    return all;
}

/* --- for people ---------------------------------------------------------------------------- */

static void add_item(table *t, const cr_model *model, const item *it, size_t c, bool errors,
                     double scale)
{
    char *feature = feature_name(model, it), *name = item_name(model, it);
    const cr_weight w = weight_of(model, it, c);

    table_text(t, feature);
    table_text(t, name);
    table_number(t, number_signed, w.weight);
    if (errors) {
        table_number(t, number_plain, w.error);
        table_number(t, number_signed, w.weight - NORMAL_95 * w.error);
        table_number(t, number_signed, w.weight + NORMAL_95 * w.error);
    }
    table_bar(t,
              it->column == SIZE_MAX || scale <= 0 ? 0 : copysign(it->strength, w.weight) / scale);
    free(feature);
    free(name);
}

static void print_class(const exhibit *x, size_t c, bool errors)
{
    size_t count, shown;
    item *all = list_items(x, c, &count);
    table *t = table_new();
    double scale = 0;

    shown = x->top == 0 || count <= x->top + 1 ? count : x->top + 1;
    table_column(t, "feature", TABLE_LEFT);
    table_column(t, "value", TABLE_LEFT);
    table_column(t, "weight", TABLE_RIGHT);
    if (errors) {
        table_column(t, "error", TABLE_RIGHT);
        table_column(t, "95 % from", TABLE_RIGHT);
        table_column(t, "to", TABLE_RIGHT);
    }
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < count; i++)
        if (isfinite(all[i].strength))
            scale = fmax(scale, all[i].strength);
    for (size_t i = 0; i < shown; i++)
        add_item(t, x->model, &all[i], c, errors, scale);
    table_print(t, 2, true);
    if (shown < count)
        out_line("  ... and %zu more weight%s (--all shows them)", count - shown,
                 plural(count - shown));
    table_free(t);
    free(all);
}

static void print_trace(const cr_fit *fit)
{
    char number[NUMBER_ROOM];

    if (fit->steps == 0)
        return;
    out_line("\nln P(classes | rows) at each step");
    for (size_t i = 0; i < fit->steps; i++) {
        if (i >= STEPS_SHOWN / 2 && i + STEPS_SHOWN / 2 < fit->steps) {
            if (i == STEPS_SHOWN / 2)
                out_line("  ...");
            continue;
        }
        out_line("  %5zu  %s", i, number_plain(number, fit->trace[i]));
    }
}

/* In the reference form the first class has no weights: all others are relative to it. */
static bool is_reference(const cr_model *model)
{
    cr_weight w;

    return cr_model_weight(model, SIZE_MAX, 0, 0, &w) == CR_OK && w.weight == 0 && w.error == 0;
}

void show_weights(const exhibit *x)
{
    bool reference = is_reference(x->model);
    cr_fit fit;
    char *first = text_shown(cr_model_class(x->model, 0), 0);

    cr_model_fit(x->model, &fit);
    for (size_t i = 0; i < x->class_count && (x->class_limit == 0 || i < x->class_limit); i++) {
        char *name;

        if (reference && x->classes[i] == 0)
            continue;
        name = text_shown(cr_model_class(x->model, x->classes[i]), 0);
        out_line("\n%sWeights of %s%s%s%s", out_style(STYLE_BOLD), name,
                 reference ? " against " : "", reference ? first : "", out_style(STYLE_NONE));
        print_class(x, x->classes[i], strcmp(fit.posterior, "none") != 0);
        free(name);
    }
    if (x->class_limit != 0 && x->class_count > x->class_limit)
        out_line("\n... and %zu more classes (--class NAME shows one; --csv, --json all)",
                 x->class_count - x->class_limit);
    print_trace(&fit);
    free(first);
}
