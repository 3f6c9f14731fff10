/* ask/query_names.c - what the names in a query stand for: variables, values, numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "base/number.h"
#include "data/bins.h"
#include "ask/query.h"

int cr__name_is_variable(const cr_model *model, size_t column)
{
    const cr__column *c = &model->schema->column[column];

    return c->role != CR_ROLE_WEIGHT && (c->kind == CR_SYMBOL || c->kind == CR_REAL);
}

/* A real column that is not cut into intervals. */
static int is_real(const cr_model *model, size_t column)
{
    return cr__model_is_number(model, column);
}

static const char *name_of(const cr_model *model, size_t column)
{
    return model->schema->column[column].name;
}

static const char *word_of(const cr_model *model, size_t column, size_t value, size_t *length)
{
    return cr__dict_word(model->dict[column], (uint32_t)value + 1, length);
}

static int parse_number(const cr__lexeme *text, double *x)
{
    return cr__parse_double(text->text, text->length, x) == CR__NUMBER_OK;
}

/* --- lists for hints ------------------------------------------------------------------------ */

/* Names, as many as fit, separated by commas. */
typedef struct list {
    char text[160];
    size_t used;
    int full;
} list;

static void list_add(list *l, const char *name)
{
    char shown[48];

    cr__printable(shown, sizeof shown, name, strlen(name));
    if (l->full || l->used + strlen(shown) + 8 > sizeof l->text) {
        if (!l->full)
            strcpy(l->text + l->used, ", ...");
        l->full = 1;
        return;
    }
    l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s",
                                l->used > 0 ? ", " : "", shown);
}

/* --- variables ------------------------------------------------------------------------------ */

size_t cr__name_find(const cr_model *model, const cr__lexeme *name)
{
    const size_t column = cr_schema_find(model->schema, name->text);

    return column != SIZE_MAX && cr__name_is_variable(model, column) ? column : SIZE_MAX;
}

/* A column of that name that cannot be asked about. */
static cr_status fail_column(const cr_model *model, const cr__lexeme *name, size_t column,
                             cr_error *err)
{
    const cr__column *c = &model->schema->column[column];

    if (c->kind == CR_BAG)
        cr__fail(err, CR_EARG, "'%s' is a text: its words cannot be asked about", c->name);
    else if (c->role == CR_ROLE_WEIGHT)
        cr__fail(err, CR_EARG, "'%s' is the weight of the rows, not a variable", c->name);
    else
        cr__fail(err, CR_EARG, "the model ignores '%s'", c->name);
    return cr__fail_lexeme(err, name);
}

/* The first variable that has the value, or SIZE_MAX. */
static size_t owner_of(const cr_model *model, const cr__lexeme *name)
{
    for (size_t i = 0; i < model->schema->columns; i++)
        if (cr__name_is_variable(model, i) && !is_real(model, i) &&
            cr__dict_find(model->dict[i], name->text, name->length) != CR__MISSING)
            return i;
    return SIZE_MAX;
}

cr_status cr__name_variable(const cr_model *model, const cr__lexeme *name, size_t *column,
                            cr_error *err)
{
    cr_nearest near = (cr_nearest){.wanted = name->text};
    char shown[64];
    size_t owner;
    list all = {{0}, 0, 0};

    *column = cr_schema_find(model->schema, name->text);
    if (*column != SIZE_MAX)
        return cr__name_is_variable(model, *column) ? CR_OK
                                                    : fail_column(model, name, *column, err);
    cr__printable(shown, sizeof shown, name->text, name->length);
    for (size_t i = 0; i < model->schema->columns; i++)
        if (cr__name_is_variable(model, i)) {
            cr_nearest_offer(&near, name_of(model, i));
            list_add(&all, name_of(model, i));
        }
    if ((owner = owner_of(model, name)) != SIZE_MAX) {
        cr__fail(err, CR_EARG, "'%s' is not a variable but a value of '%s'", shown,
                 name_of(model, owner));
        cr__fail_hint(err, CR_EARG, "a comparison begins with a variable: %s", all.text);
        return cr__fail_lexeme(err, name);
    }
    cr__fail(err, CR_EARG, "there is no variable '%s'", shown);
    if (near.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
    else
        cr__fail_hint(err, CR_EARG, "the variables are %s", all.text);
    return cr__fail_lexeme(err, name);
}

/* --- values --------------------------------------------------------------------------------- */

static cr_status fail_value(const cr_model *model, size_t column, const cr__lexeme *value,
                            cr_error *err)
{
    cr_nearest near = (cr_nearest){.wanted = value->text};
    char shown[64];
    list all = {{0}, 0, 0};

    for (size_t v = 0; v < model->values[column]; v++) {
        const char *word = word_of(model, column, v, NULL);

        cr_nearest_offer(&near, word);
        list_add(&all, word);
    }
    cr__fail(err, CR_EARG, "'%s' has no value '%s'", name_of(model, column),
             cr__printable(shown, sizeof shown, value->text, value->length));
    if (near.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
    else
        cr__fail_hint(err, CR_EARG, "its values are %s", all.text);
    return cr__fail_lexeme(err, value);
}

/* Whether every value of a variable is a number, or every one the name of an interval. */
static int all_values(const cr_model *model, size_t column, int intervals)
{
    double low, high;

    for (size_t v = 0; v < model->values[column]; v++) {
        size_t length;
        const char *word = word_of(model, column, v, &length);

        if (intervals ? !cr__interval_of_name(word, length, &low, &high)
                      : cr__parse_double(word, length, &low) != CR__NUMBER_OK)
            return 0;
    }
    return model->values[column] > 0;
}

/* The interval low < x <= high that a number is in. */
static int include_interval(const cr_model *model, cr__leaf *leaf, double x)
{
    for (size_t v = 0; v < leaf->values; v++) {
        size_t length;
        const char *word = word_of(model, leaf->column, v, &length);
        double low, high;

        cr__interval_of_name(word, length, &low, &high);
        if (low < x && x <= high) {
            leaf->set[v] = 1;
            return 1;
        }
    }
    return 0;
}

/* Put a value into a leaf's set: the word itself, the one that is the same number, or the interval
 * that the number is in. */
static cr_status include(const cr_model *model, cr__leaf *leaf, const cr__lexeme *value,
                         cr_error *err)
{
    const cr__dict *dict = model->dict[leaf->column];
    const uint32_t code = cr__dict_find(dict, value->text, value->length);
    double x, y;
    int found = code != CR__MISSING;

    if (found)
        leaf->set[code - 1] = 1;
    for (size_t v = 0; !found && parse_number(value, &x) && v < leaf->values; v++) {
        size_t length;
        const char *word = word_of(model, leaf->column, v, &length);

        if (cr__parse_double(word, length, &y) == CR__NUMBER_OK && x == y)
            leaf->set[v] = 1, found = 1;
    }
    if (!found && parse_number(value, &x) && all_values(model, leaf->column, 1))
        found = include_interval(model, leaf, x);
    return found ? CR_OK : fail_value(model, leaf->column, value, err);
}

/* An empty set over the values of the leaf's variable. */
static cr_status make_set(const cr_model *model, cr__arena *arena, cr__leaf *leaf, cr_error *err)
{
    leaf->values = model->values[leaf->column];
    leaf->set = cr__arena_alloc(arena, leaf->values + 1, 1);
    if (leaf->set == NULL)
        return cr__fail_memory(err);
    memset(leaf->set, 0, leaf->values + 1);
    return CR_OK;
}

/* Use the complement, including values never seen. */
static void complement(cr__leaf *leaf)
{
    for (size_t v = 0; v <= leaf->values; v++)
        leaf->set[v] = !leaf->set[v];
}

/* --- order ---------------------------------------------------------------------------------- */

static int holds(cr__lexeme_type op, double x, double y)
{
    switch (op) {
    case CR__LEXEME_LT: return x < y;
    case CR__LEXEME_LE: return x <= y;
    case CR__LEXEME_GT: return x > y;
    default: return x >= y;
    }
}

static cr_status fail_cut(const cr_model *model, const cr__leaf *leaf, const cr__lexeme *value,
                          cr_error *err)
{
    const int closed = leaf->op == CR__LEXEME_LT || leaf->op == CR__LEXEME_GE;
    list all = {{0}, 0, 0};

    for (size_t v = 0; v < leaf->values; v++)
        list_add(&all, word_of(model, leaf->column, v, NULL));
    cr__fail(err, CR_EARG, "'%s' is known only as %s", name_of(model, leaf->column), all.text);
    cr__fail_hint(err, CR_EARG,
                  closed ? "a cut belongs to the interval below: compare with <= or >"
                         : "compare with one of the cuts");
    return cr__fail_lexeme(err, value);
}

/* The intervals low < x <= high that lie on one side of a cut. */
static cr_status compare_intervals(const cr_model *model, cr__leaf *leaf, const cr__lexeme *value,
                                   double x, cr_error *err)
{
    for (size_t v = 0; v < leaf->values; v++) {
        size_t length;
        const char *word = word_of(model, leaf->column, v, &length);
        double low, high;

        cr__interval_of_name(word, length, &low, &high);
        if ((low < x && x < high) || leaf->op == CR__LEXEME_LT || leaf->op == CR__LEXEME_GE)
            return fail_cut(model, leaf, value, err);
        leaf->set[v] = leaf->op == CR__LEXEME_LE ? high <= x : low >= x;
    }
    return CR_OK;
}

static cr_status compare_order(const cr_model *model, cr__leaf *leaf, const cr__lexeme *value,
                               cr_error *err)
{
    double x, y;

    if (!all_values(model, leaf->column, 0) && !all_values(model, leaf->column, 1)) {
        cr__fail(err, CR_EARG, "the values of '%s' are words, which have no order",
                 name_of(model, leaf->column));
        cr__fail_hint(err, CR_EARG, "compare with =, != or in { }");
        return cr__fail_lexeme(err, value);
    }
    if (!parse_number(value, &x)) {
        cr__fail(err, CR_EARG, "'%s' is compared with a number here, and this is not one",
                 name_of(model, leaf->column));
        return cr__fail_lexeme(err, value);
    }
    if (all_values(model, leaf->column, 1))
        return compare_intervals(model, leaf, value, x, err);
    for (size_t v = 0; v < leaf->values; v++) {
        size_t length;
        const char *word = word_of(model, leaf->column, v, &length);

        cr__parse_double(word, length, &y);
        leaf->set[v] = (unsigned char)holds(leaf->op, y, x);
    }
    return CR_OK;
}

/* --- leaves --------------------------------------------------------------------------------- */

/* A real variable: numbers are collected, and sorted when all are known. */
static cr_status add_number(const cr_model *model, cr__leaf *leaf, const cr__lexeme *value,
                            cr_error *err)
{
    char shown[64];

    if (parse_number(value, &leaf->number[leaf->numbers])) {
        leaf->numbers++;
        return CR_OK;
    }
    cr__fail(err, CR_EARG, "'%s' is compared with numbers, and '%s' is not one",
             name_of(model, leaf->column),
             cr__printable(shown, sizeof shown, value->text, value->length));
    return cr__fail_lexeme(err, value);
}

cr_status cr__name_member(const cr_model *model, cr__arena *arena, cr__leaf *leaf,
                          const cr__lexeme *const *value, size_t count, cr_error *err)
{
    cr_status st = CR_OK;

    if (!is_real(model, leaf->column))
        st = make_set(model, arena, leaf, err);
    else if ((leaf->number = cr__arena_alloc(arena, count, sizeof *leaf->number)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = leaf->set != NULL ? include(model, leaf, value[i], err)
                               : add_number(model, leaf, value[i], err);
    return st;
}

cr_status cr__name_compare(const cr_model *model, cr__arena *arena, cr__leaf *leaf,
                           const cr__lexeme *value, cr_error *err)
{
    cr_status st;

    if (is_real(model, leaf->column) || leaf->op == CR__LEXEME_EQ)
        return cr__name_member(model, arena, leaf, &value, 1, err);
    if ((st = make_set(model, arena, leaf, err)) != CR_OK)
        return st;
    if (leaf->op != CR__LEXEME_NE)
        return compare_order(model, leaf, value, err);
    if ((st = include(model, leaf, value, err)) == CR_OK)
        complement(leaf);
    return st;
}

/* --- bare names ----------------------------------------------------------------------------- */

/* The value that means true when a variable has two, one for true and one for false; SIZE_MAX for
 * other variables. */
static size_t true_value(const cr_model *model, size_t column)
{
    static const char *const truths[] = {"1", "true", "yes", "t", "y"};
    static const char *const lies[] = {"0", "false", "no", "f", "n"};

    if (is_real(model, column) || model->values[column] != 2)
        return SIZE_MAX;
    for (size_t v = 0; v < 2; v++)
        for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
            if (strcasecmp(word_of(model, column, v, NULL), truths[i]) == 0 &&
                strcasecmp(word_of(model, column, 1 - v, NULL), lies[i]) == 0)
                return v;
    return SIZE_MAX;
}

static cr_status fail_ambiguous(const cr_model *model, const cr__lexeme *name, size_t variable,
                                cr_error *err)
{
    list all = {{0}, 0, 0};
    size_t first = variable;
    char shown[64];

    if (variable != SIZE_MAX)
        list_add(&all, name_of(model, variable));
    for (size_t i = 0; i < model->schema->columns; i++)
        if (cr__name_is_variable(model, i) && !is_real(model, i) &&
            cr__dict_find(model->dict[i], name->text, name->length) != CR__MISSING) {
            list_add(&all, name_of(model, i));
            first = first == SIZE_MAX || first == variable ? i : first;
        }
    cr__printable(shown, sizeof shown, name->text, name->length);
    cr__fail(err, CR_EARG, "'%s' may mean several things: it is %s %s", shown,
             variable == SIZE_MAX ? "a value of" : "a variable and a value:", all.text);
    cr__fail_hint(err, CR_EARG, "write %s=%s, for example", name_of(model, first), shown);
    return cr__fail_lexeme(err, name);
}

static cr_status fail_bare(const cr_model *model, const cr__lexeme *name, size_t variable,
                           cr_error *err)
{
    cr_nearest near = (cr_nearest){.wanted = name->text};
    list all = {{0}, 0, 0};
    char shown[64];

    cr__printable(shown, sizeof shown, name->text, name->length);
    if (variable != SIZE_MAX) {
        cr__fail(err, CR_EARG, "'%s' is a variable, which is neither true nor false", shown);
        cr__fail_hint(err, CR_EARG,
                      is_real(model, variable) ? "compare it: %s <= NUMBER"
                                               : "compare it: %s = VALUE",
                      shown);
        return cr__fail_lexeme(err, name);
    }
    for (size_t i = 0; i < model->schema->columns; i++) {
        if (!cr__name_is_variable(model, i))
            continue;
        list_add(&all, name_of(model, i));
        cr_nearest_offer(&near, name_of(model, i));
        for (size_t v = 0; !is_real(model, i) && v < model->values[i]; v++)
            cr_nearest_offer(&near, word_of(model, i, v, NULL));
    }
    cr__fail(err, CR_EARG, "there is no variable or value '%s'", shown);
    if (near.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
    else
        cr__fail_hint(err, CR_EARG, "the variables are %s", all.text);
    return cr__fail_lexeme(err, name);
}

cr_status cr__name_bare(const cr_model *model, cr__arena *arena, cr__leaf *leaf,
                        const cr__lexeme *name, cr_error *err)
{
    const size_t variable = cr__name_find(model, name);
    const size_t truth = variable == SIZE_MAX ? SIZE_MAX : true_value(model, variable);
    size_t owners = 0;
    cr_status st;

    for (size_t i = 0; i < model->schema->columns; i++)
        if (cr__name_is_variable(model, i) && !is_real(model, i) &&
            cr__dict_find(model->dict[i], name->text, name->length) != CR__MISSING) {
            leaf->column = i;
            owners++;
        }
    if (owners > 1 || (owners == 1 && truth != SIZE_MAX))
        return fail_ambiguous(model, name, truth == SIZE_MAX ? SIZE_MAX : variable, err);
    if (owners == 0 && truth == SIZE_MAX)
        return fail_bare(model, name, variable, err);
    if (owners == 0)
        leaf->column = variable;
    if ((st = make_set(model, arena, leaf, err)) != CR_OK)
        return st;
    if (owners == 0)
        leaf->set[truth] = 1;
    else
        st = include(model, leaf, name, err);
    return st;
}
