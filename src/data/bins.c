/* data/bins.c - read cuts from a list, and turn them into names and back. */
#include "data/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

void cr__bins_free(cr__bins *bins)
{
    for (size_t i = 0; i < bins->columns; i++)
        cr__free(bins->column[i].cut);
    cr__free(bins->column);
    *bins = (cr__bins){0};
}

/* --- the list ------------------------------------------------------------------------------- */

/* Where the cuts begin in one item "NAME:CUT:CUT": after its first colon, but since a name may
 * contain colons, the names are tried. Returns the length of the name, 0 when there is none. */
static size_t find_name(const char *item, size_t length, const cr_schema *schema, size_t *column)
{
    size_t first = 0;

    *column = SIZE_MAX;
    for (size_t i = 1; i < length; i++) {
        if (item[i] != ':')
            continue;
        first = first == 0 ? i : first;
        const uint32_t code = cr__dict_find(schema->names, item, i);
        if (code != CR__MISSING) {
            *column = code - 1;
            return i;
        }
    }
    return first;
}

static cr_status fail_item(const char *item, size_t length, cr_error *err)
{
    char shown[64];

    cr__fail(err, CR_EARG, "bins has '%s', which is not of the form COLUMN:CUT:CUT…",
             cr__printable(shown, sizeof shown, item, length));
    return cr__fail_hint(err, CR_EARG, "for example bins=hours:40.5 or bins=hours:20:40.5,age:30");
}

static cr_status check_column(const char *item, size_t name, size_t column, const cr_schema *schema,
                              cr_error *err)
{
    char shown[64];
    const char *near;

    cr__printable(shown, sizeof shown, item, name);
    if (column == SIZE_MAX) {
        cr__fail(err, CR_EARG, "bins names the column '%s', which does not exist", shown);
        near = cr__schema_nearest(schema, shown);
        return near == NULL ? CR_EARG : cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near);
    }
    if (schema->column[column].role == CR_ROLE_FEATURE && schema->column[column].kind == CR_REAL)
        return CR_OK;
    cr__fail(err, CR_EARG, "bins names the column '%s', which is %s", shown,
             schema->column[column].role == CR_ROLE_TARGET   ? "the target"
             : schema->column[column].role == CR_ROLE_WEIGHT ? "the weight"
                                                             : "not a column of numbers");
    return cr__fail_hint(err, CR_EARG, "only columns of numbers can be cut");
}

static int compare_numbers(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;

    return a < b ? -1 : a > b;
}

/* The numbers of one item, separated by colons, sorted and without duplicates. */
static cr_status read_cuts(cr__cuts *cuts, const char *text, size_t length)
{
    size_t capacity = 0, kept = 0;

    for (size_t at = 0; at <= length;) {
        const char *colon = memchr(text + at, ':', length - at);
        const size_t n = colon == NULL ? length - at : (size_t)(colon - text) - at;
        double x;

        if (cr__parse_double(text + at, n, &x) != CR__NUMBER_OK)
            return CR_EARG;
        if (!cr__grow(&cuts->cut, &capacity, cuts->count + 1, sizeof *cuts->cut))
            return CR_ENOMEM;
        cuts->cut[cuts->count++] = x + 0.0; /* no negative zero */
        at += n + 1;
    }
    qsort(cuts->cut, cuts->count, sizeof *cuts->cut, compare_numbers);
    for (size_t i = 0; i < cuts->count; i++)
        if (kept == 0 || cuts->cut[i] != cuts->cut[kept - 1])
            cuts->cut[kept++] = cuts->cut[i];
    cuts->count = kept;
    return CR_OK;
}

static cr_status read_item(cr__bins *bins, const char *item, size_t length, const cr_schema *schema,
                           cr_error *err)
{
    size_t column;
    const size_t name = find_name(item, length, schema, &column);
    cr_status st;

    if (name == 0)
        return fail_item(item, length, err);
    if ((st = check_column(item, name, column, schema, err)) != CR_OK)
        return st;
    if (bins->column[column].count > 0)
        return cr__fail(err, CR_EARG, "bins names the column '%s' twice",
                        schema->column[column].name);
    st = read_cuts(&bins->column[column], item + name + 1, length - name - 1);
    if (st == CR_EARG)
        return fail_item(item, length, err);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

cr_status cr__bins_read(cr__bins *out, const char *list, const cr_schema *schema, cr_error *err)
{
    cr_status st = CR_OK;

    *out = (cr__bins){0};
    if ((out->column = cr__alloc_zero(schema->columns, sizeof *out->column)) == NULL)
        return cr__fail_memory(err);
    out->columns = schema->columns;
    if (strcmp(list, "none") == 0)
        return CR_OK;
    while (st == CR_OK) {
        const size_t length = strcspn(list, ",");

        st = read_item(out, list, length, schema, err);
        if (list[length] == '\0')
            break;
        list += length + 1;
    }
    return st;
}

cr_status cr__bins_declared(cr__bins *out, const cr_schema *schema, cr_error *err)
{
    cr_status st = CR_OK;

    *out = (cr__bins){0};
    if ((out->column = cr__alloc_zero(schema->columns, sizeof *out->column)) == NULL)
        return cr__fail_memory(err);
    out->columns = schema->columns;
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        const cr__column *column = &schema->column[i];

        if (column->role == CR_ROLE_FEATURE && column->kind == CR_REAL && column->declared != NULL)
            st = cr__cuts_of_column(&out->column[i], column, column->declared->words, err);
    }
    return st;
}

cr_status cr__bins_whole(cr__bins *out, const cr_schema *schema, cr_error *err)
{
    *out = (cr__bins){0};
    if ((out->column = cr__alloc_zero(schema->columns, sizeof *out->column)) == NULL)
        return cr__fail_memory(err);
    out->columns = schema->columns;
    for (size_t i = 0; i < schema->columns; i++)
        out->column[i].whole = schema->column[i].kind == CR_REAL;
    return CR_OK;
}

/* --- codes ---------------------------------------------------------------------------------- */

uint32_t cr__cuts_code(const cr__cuts *cuts, double x)
{
    size_t low = 0, high = cuts->count; /* the number of cuts below x */

    if (isnan(x))
        return CR__MISSING;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (cuts->cut[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low + 1;
}

void cr__cuts_interval(const cr__cuts *cuts, uint32_t code, double *low, double *high)
{
    *low = code >= 2 && code - 2 < cuts->count ? cuts->cut[code - 2] : -INFINITY;
    *high = code >= 1 && code - 1 < cuts->count ? cuts->cut[code - 1] : INFINITY;
}

/* A search without branches: it halves the range and counts the cuts below x. */
void cr__cuts_codes(const cr__cuts *cuts, const double *x, size_t rows, uint32_t *code)
{
    const double *cut = cuts->cut;

    for (size_t r = 0; r < rows; r++)
        code[r] = 0;
    for (size_t left = cuts->count; left > 1; left -= left / 2) {
        const uint32_t half = (uint32_t)(left / 2);

        for (size_t r = 0; r < rows; r++)
            code[r] += half & -(uint32_t)(cut[code[r] + half - 1] < x[r]);
    }
    for (size_t r = 0; r < rows; r++) {
        const uint32_t above = cuts->count > 0 && cut[code[r]] < x[r];

        code[r] = x[r] == x[r] ? code[r] + above + 1 : CR__MISSING;
    }
}

const cr__cuts *cr__bins_cuts(const cr__bins *bins, size_t column)
{
    static const cr__cuts none = {0};

    return bins == NULL || column >= bins->columns ? &none : &bins->column[column];
}

/* --- names ---------------------------------------------------------------------------------- */

/* Interval i: at most 2 * CR__NUMBER_SIZE + 2 characters. */
static size_t write_name(const cr__cuts *cuts, size_t i, char *out)
{
    size_t n = 0;

    if (cuts->count == 0) {
        memcpy(out, "all", 3);
        return 3;
    }
    if (i == cuts->count)
        out[n++] = '>';
    else if (i == 0)
        out[n++] = '<', out[n++] = '=';
    if (i > 0)
        n += cr__format_double(out + n, cuts->cut[i - 1]);
    if (i > 0 && i < cuts->count)
        out[n++] = '.', out[n++] = '.';
    if (i < cuts->count)
        n += cr__format_double(out + n, cuts->cut[i]);
    return n;
}

cr_status cr__cuts_name(const cr__cuts *cuts, cr__dict *names, cr_error *err)
{
    char name[2 * CR__NUMBER_SIZE + 2];
    cr_status st = CR_OK;
    uint32_t code;

    for (size_t i = 0; st == CR_OK && i <= cuts->count; i++)
        st = cr__dict_intern(names, name, write_name(cuts, i, name), &code);
    return st == CR_OK ? CR_OK : cr__fail(err, st, "the intervals of a column cannot be kept");
}

int cr__interval_of_name(const char *name, size_t length, double *low, double *high)
{
    *low = -INFINITY;
    *high = INFINITY;
    if (length == 3 && memcmp(name, "all", 3) == 0)
        return 1;
    if (length > 2 && name[0] == '<' && name[1] == '=')
        return cr__parse_double(name + 2, length - 2, high) == CR__NUMBER_OK;
    if (length > 1 && name[0] == '>')
        return cr__parse_double(name + 1, length - 1, low) == CR__NUMBER_OK;
    for (size_t i = 1; i + 2 < length; i++)
        if (name[i] == '.' && name[i + 1] == '.')
            return cr__parse_double(name, i, low) == CR__NUMBER_OK &&
                   cr__parse_double(name + i + 2, length - i - 2, high) == CR__NUMBER_OK &&
                   *low < *high;
    return 0;
}

cr_status cr__cuts_of_names(cr__cuts *out, const cr__dict *names)
{
    double last = -INFINITY, low, high;

    *out = (cr__cuts){.whole = 1};
    if (names->words == 0)
        return CR_EFORMAT;
    if ((out->cut = cr__alloc(names->words - 1, sizeof *out->cut)) == NULL)
        return CR_ENOMEM;
    for (uint32_t code = 1; code <= names->words; code++) {
        size_t length;
        const char *name = cr__dict_word(names, code, &length);

        if (!cr__interval_of_name(name, length, &low, &high) || low != last ||
            (code == names->words) != (high == INFINITY))
            break;
        if (code == names->words)
            return CR_OK;
        out->cut[out->count++] = last = high;
    }
    cr__free(out->cut);
    *out = (cr__cuts){0};
    return CR_EFORMAT;
}

cr_status cr__cuts_of_column(cr__cuts *out, const cr__column *column, size_t values, cr_error *err)
{
    const cr_status st = column->declared == NULL || column->declared->words != values
                             ? CR_EFORMAT
                             : cr__cuts_of_names(out, column->declared);

    if (st == CR_OK || st == CR_ENOMEM)
        return st == CR_OK ? CR_OK : cr__fail_memory(err);
    return cr__fail(err, CR_EFORMAT, "the intervals of '%s' are not valid", column->name);
}
