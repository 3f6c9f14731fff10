/* sql/sqlite/explain.c - the table-valued function credence_explain(model, row), row a JSON object.
 *
 *     SELECT factor, value, log_odds
 *     FROM credence_explain((SELECT model FROM models), json_object('refund', 'yes', 'income',
 * 120))
 */
#include "explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "options.h"

SQLITE_EXTENSION_INIT3

enum { COLUMN_FACTOR, COLUMN_VALUE, COLUMN_LOG_ODDS, COLUMN_MODEL, COLUMN_ROW };

typedef struct cursor {
    sqlite3_vtab_cursor base;
    answer_factor *factor;
    size_t count, at;
} cursor;

static int connect_table(sqlite3 *db, void *data, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error)
{
    int status = sqlite3_declare_vtab(
        db, "CREATE TABLE x(factor TEXT, value TEXT, log_odds REAL, model HIDDEN, row HIDDEN)");

    (void)data;
    (void)argc;
    (void)argv;
    (void)error;
    if (status == SQLITE_OK && (*out = sqlite3_malloc(sizeof **out)) == NULL)
        status = SQLITE_NOMEM;
    if (status == SQLITE_OK)
        memset(*out, 0, sizeof **out);
    return status;
}

static int disconnect_table(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* Both arguments are needed. */
static int plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int found = 0;

    (void)table;
    for (int i = 0; i < info->nConstraint; i++) {
        const int column = info->aConstraint[i].iColumn;

        if (column < COLUMN_MODEL || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = column - COLUMN_MODEL + 1;
        info->aConstraintUsage[i].omit = 1;
        found++;
    }
    return found == 2 ? SQLITE_OK : SQLITE_CONSTRAINT;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    cursor *c = sqlite3_malloc(sizeof *c);

    (void)table;
    if (c == NULL)
        return SQLITE_NOMEM;
    memset(c, 0, sizeof *c);
    *out = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    cursor *c = (cursor *)base;

    answer_factors_free(c->factor, c->count);
    sqlite3_free(c);
    return SQLITE_OK;
}

/* Set a row from the names and values of a JSON object. */
static cr_status fill(cr_row *row, const char *text, cr_error *err)
{
    options pairs = {0};
    cr_status status = options_read(&pairs, text, 1, err);

    for (size_t i = 0; status == CR_OK && i < pairs.params; i++) {
        char *value = strchr(pairs.param[i], '=');

        *value++ = '\0';
        if (strcmp(value, "null") != 0)
            status = cr_row_set_named(row, pairs.param[i], value, err);
    }
    options_free(&pairs);
    return status;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *name, int argc,
                  sqlite3_value **argv)
{
    cursor *c = (cursor *)base;
    const char *text = argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : NULL;
    cr_model *model = NULL;
    cr_row *row = NULL;
    cr_error err = {0};
    cr_status status;
    char message[1100];

    (void)number;
    (void)name;
    answer_factors_free(c->factor, c->count);
    c->factor = NULL;
    c->count = c->at = 0;
    if (argc < 2)
        return SQLITE_ERROR;
    status = cr_model_load_bytes(&model, sqlite3_value_blob(argv[0]),
                                 (size_t)sqlite3_value_bytes(argv[0]), 0, &err);
    if (status == CR_OK)
        status = cr_row_new(&row, model, &err);
    if (status == CR_OK)
        status = fill(row, text == NULL ? "{}" : text, &err);
    if (status == CR_OK)
        status = answer_explain(row, &c->factor, &c->count, &err);
    cr_row_free(row);
    cr_model_free(model);
    if (status == CR_OK)
        return SQLITE_OK;
    cr_error_text(&err, message, sizeof message);
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("credence: %s", message);
    return SQLITE_ERROR;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((cursor *)base)->at++;
    return SQLITE_OK;
}

static int is_end(sqlite3_vtab_cursor *base)
{
    const cursor *c = (const cursor *)base;

    return c->at >= c->count;
}

static int give_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const cursor *c = (const cursor *)base;
    const answer_factor *f = &c->factor[c->at];

    if (column == COLUMN_FACTOR)
        sqlite3_result_text(context, f->factor, -1, SQLITE_TRANSIENT);
    else if (column == COLUMN_VALUE && f->value != NULL)
        sqlite3_result_text(context, f->value, -1, SQLITE_TRANSIENT);
    else if (column == COLUMN_LOG_ODDS && !isnan(f->log_odds))
        sqlite3_result_double(context, f->log_odds);
    else
        sqlite3_result_null(context);
    return SQLITE_OK;
}

static int give_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((cursor *)base)->at;
    return SQLITE_OK;
}

int credence_explain_module(sqlite3 *db)
{
    static const sqlite3_module module = {
        .iVersion = 0,
        .xConnect = connect_table,
        .xBestIndex = plan,
        .xDisconnect = disconnect_table,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = filter,
        .xNext = next,
        .xEof = is_end,
        .xColumn = give_column,
        .xRowid = give_rowid,
    };

    return sqlite3_create_module_v2(db, "credence_explain", &module, NULL, NULL);
}
