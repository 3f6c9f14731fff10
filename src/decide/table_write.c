/* decide/table_write.c - the rows of a table as CSV or ARFF, with numbers cut into intervals if
 * wanted. */
#include "decide/table_write.h"

#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "stats/values_read.h"

enum { ROWS_AT_ONCE = 4096 };

/* --- values ----------------------------------------------------------------------------------- */

/* A word of ARFF: quoted where it contains a special character or would be read as missing. */
static void put_arff_word(cr__buffer *out, const char *word, size_t length)
{
    int plain = length > 0 && !(length == 1 && word[0] == '?');

    for (size_t i = 0; i < length; i++)
        plain &= (unsigned char)word[i] > ' ' && strchr("'\"\\{},%@", word[i]) == NULL;
    if (plain) {
        cr__buffer_add(out, word, length);
        return;
    }
    cr__buffer_addc(out, '\'');
    for (size_t i = 0; i < length; i++) {
        const char *escape = word[i] == '\n'   ? "\\n"
                             : word[i] == '\r' ? "\\r"
                             : word[i] == '\t' ? "\\t"
                                               : NULL;

        if (escape != NULL) {
            cr__buffer_adds(out, escape);
            continue;
        }
        if (word[i] == '\'' || word[i] == '\\')
            cr__buffer_addc(out, '\\');
        cr__buffer_addc(out, word[i]);
    }
    cr__buffer_addc(out, '\'');
}

static void put_word(cr__buffer *out, const char *word, size_t length, int arff)
{
    if (arff)
        put_arff_word(out, word, length);
    else
        cr__csv_field(out, word, length);
}

static void put_value(cr__buffer *out, const cr__table_column *column, size_t r, int arff)
{
    if (column->kind == CR_REAL && !isnan(column->real[r])) {
        char *at = cr__buffer_reserve(out, CR__NUMBER_SIZE);

        if (at != NULL)
            out->size += cr__format_double(at, column->real[r]);
    } else if (column->kind == CR_SYMBOL && column->code[r] != CR__MISSING) {
        size_t length;
        const char *word = cr__dict_word(column->dict, column->code[r], &length);

        put_word(out, word, length, arff);
    } else if (arff) {
        cr__buffer_addc(out, '?');
    }
}

static void put_line(cr__buffer *out, const cr__table *table, size_t r, int arff)
{
    int first = 1;

    for (size_t i = 0; i < table->schema->columns; i++) {
        if (table->column[i].kind == CR_IGNORE)
            continue;
        if (!first)
            cr__buffer_addc(out, ',');
        first = 0;
        put_value(out, &table->column[i], r, arff);
    }
    cr__buffer_addc(out, '\n');
}

/* --- heads ------------------------------------------------------------------------------------ */

static void put_names(cr__buffer *out, const cr__table *table)
{
    int first = 1;

    for (size_t i = 0; i < table->schema->columns; i++) {
        const char *name = table->schema->column[i].name;

        if (table->column[i].kind == CR_IGNORE)
            continue;
        if (!first)
            cr__buffer_addc(out, ',');
        first = 0;
        cr__csv_field(out, name, strlen(name));
    }
    cr__buffer_addc(out, '\n');
}

/* @attribute NAME numeric, or its values. */
static void put_attribute(cr__buffer *out, const char *name, const cr__table_column *column)
{
    cr__buffer_adds(out, "@attribute ");
    put_arff_word(out, name, strlen(name));
    if (column->kind == CR_REAL) {
        cr__buffer_adds(out, " numeric\n");
        return;
    }
    cr__buffer_adds(out, " {");
    for (uint32_t code = 1; code <= column->dict->words; code++) {
        size_t length;
        const char *word = cr__dict_word(column->dict, code, &length);

        cr__buffer_adds(out, code > 1 ? "," : "");
        put_arff_word(out, word, length);
    }
    cr__buffer_adds(out, "}\n");
}

static void put_arff_head(cr__buffer *out, const cr__table *table, const char *name)
{
    name = name == NULL ? "table" : name;
    cr__buffer_adds(out, "@relation ");
    put_arff_word(out, name, strlen(name));
    cr__buffer_adds(out, "\n\n");
    for (size_t i = 0; i < table->schema->columns; i++)
        if (table->column[i].kind != CR_IGNORE)
            put_attribute(out, table->schema->column[i].name, &table->column[i]);
    cr__buffer_adds(out, "\n@data\n");
}

/* --- tables ----------------------------------------------------------------------------------- */

cr_status cr__table_check_written(const cr_schema *schema, cr_error *err)
{
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_BAG) {
            cr__fail(err, CR_EARG, "'%s' is a text, which cannot be written back",
                     schema->column[i].name);
            return cr__fail_hint(err, CR_EARG,
                                 CR__SET("type %s=ignore") " leaves it out, " CR__SET(
                                     "type %s=symbol") " takes it as one value",
                                 schema->column[i].name, schema->column[i].name);
        }
    return CR_OK;
}

cr_status cr__table_write(const cr__table *table, const uint32_t *row, size_t rows,
                          const cr_table_options *o, cr_error *err)
{
    const int arff = o->format != NULL && strcmp(o->format, "arff") == 0;
    cr__buffer out = {0};
    cr_status st = CR_OK;

    if (arff)
        put_arff_head(&out, table, o->name);
    else
        put_names(&out, table);
    for (size_t k = 0; st == CR_OK && k <= rows; k++) {
        if (k < rows)
            put_line(&out, table, row == NULL ? k : row[k], arff);
        if (k % ROWS_AT_ONCE != 0 && k < rows)
            continue;
        if (out.failed)
            st = cr__fail_memory(err);
        else if ((st = o->write(o->context, out.data, out.size)) != CR_OK)
            cr__fail(err, st, "%s", cr_status_text(st));
        cr__buffer_clear(&out);
    }
    cr__buffer_free(&out);
    return st;
}

/* A column of numbers becomes one of intervals. */
static cr_status cut_column(cr__table *table, size_t i, const cr__cuts *cuts, cr_error *err)
{
    cr__table_column *column = &table->column[i];
    cr__dict *names = NULL;
    uint32_t *code = cr__alloc(table->rows, sizeof *code);
    cr_status st = code == NULL ? cr__fail_memory(err) : cr__dict_new(&names, 0, err);

    if (st == CR_OK)
        st = cr__cuts_name(cuts, names, err);
    if (st != CR_OK) {
        cr__free(code);
        cr__dict_free(names);
        return st;
    }
    cr__cuts_codes(cuts, column->real, table->rows, code);
    cr__free(column->real);
    cr__dict_free(column->dict);
    column->real = NULL;
    column->kind = CR_SYMBOL;
    column->code = code;
    column->dict = names;
    return CR_OK;
}

static cr_status cut_columns(cr__table *table, const cr__bins *bins, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < table->schema->columns; i++) {
        const cr__cuts *cuts = cr__bins_cuts(bins, i);

        if (table->column[i].kind == CR_REAL && cuts != NULL && (cuts->count > 0 || cuts->whole))
            st = cut_column(table, i, cuts, err);
    }
    return st;
}

static cr_status read_options(const cr_table_options *o, cr__cut_rule *rule, cr_error *err)
{
    *rule = (cr__cut_rule){0};
    if (o->format != NULL && strcmp(o->format, "csv") != 0 && strcmp(o->format, "arff") != 0)
        return cr__fail(err, CR_EARG, "a table is written as csv or arff, not as '%s'", o->format);
    if (o->cut == NULL || cr__cut_rule_read(rule, o->cut) == 1)
        return CR_OK;
    cr__fail(err, CR_EARG, "'%s' is not a rule for cutting numbers", o->cut);
    return cr__fail_hint(err, CR_EARG, "mdl, sqrt, frequency:K, width:K and auto are");
}

cr_status cr_table_write(cr_source *source, const cr_table_options *options, const cr_run *run,
                         uint64_t *rows, cr_error *err)
{
    const cr_schema *schema = NULL;
    cr_table_options own;
    cr__cut_rule rule;
    cr__bins bins = {0};
    cr__table *table = NULL;
    cr_status st = cr__sized_take(&own, sizeof own, options, "cr_table_options", err);

    if (st == CR_OK)
        st = read_options(&own, &rule, err);
    if (st == CR_OK)
        st = cr__source_infer(source,
                              rule.kind == CR__CUT_MDL || rule.kind == CR__CUT_AUTO
                                  ? CR__TARGET_CLASS
                                  : CR__TARGET_NONE,
                              &schema, err);
    if (st == CR_OK)
        st = cr__table_check_written(schema, err);
    if (st == CR_OK && rule.kind != CR__CUT_NONE)
        st = cr__values_cut(&bins, source, schema, NULL, rule, run, err);
    if (st == CR_OK)
        st = cr__table_read(&table, source, schema, NULL, run, err);
    if (st == CR_OK)
        st = cut_columns(table, &bins, err);
    if (st == CR_OK)
        st = cr__table_write(table, NULL, table->rows, &own, err);
    if (rows != NULL)
        *rows = table == NULL ? 0 : table->rows;
    cr__table_free(table);
    cr__bins_free(&bins);
    return st;
}
