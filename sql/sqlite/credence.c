/* sql/sqlite/credence.c - the loadable extension of SQLite: learning is an aggregate.
 *
 * Rows are given as names and values in turn, since SQLite has no rows to hand over:
 *
 *     SELECT credence_train('species', 'length', length, 'width', width, 'species', species) FROM
 * iris
 *
 * The first argument is the column to learn, or a JSON object of options (see options.h). The kind
 * of a column is that of its first value that is not NULL: numbers are real, texts symbols. A model
 * is a BLOB with the bytes of a model file. No function reads or writes files.
 */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "explain.h"
#include "judge.h"
#include "opened.h"
#include "options.h"
#include "recent.h"
#include "trainer.h"

/* --- results and errors ------------------------------------------------------------------------
 */

static void raise(sqlite3_context *context, cr_status status, const cr_error *err)
{
    char text[1100];

    if (status == CR_ENOMEM) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (err->code == CR_OK)
        snprintf(text, sizeof text, "credence: %s", cr_status_text(status));
    else {
        memcpy(text, "credence: ", 10);
        cr_error_text(err, text + 10, sizeof text - 10);
    }
    sqlite3_result_error(context, text, -1);
}

/* The model as a BLOB. */
static void give_model(sqlite3_context *context, const cr_model *model)
{
    cr_error err = {0};
    void *bytes;
    size_t size;
    cr_status status = cr_model_save_bytes(model, &bytes, &size, &err);

    if (status != CR_OK)
        raise(context, status, &err);
    else {
        sqlite3_result_blob64(context, bytes, size, SQLITE_TRANSIENT);
        cr_bytes_free(bytes);
    }
}

static void give_output(sqlite3_context *context, cr_output *out, cr_status status,
                        const cr_error *err)
{
    const char *bytes;
    size_t size;

    if (status == CR_OK)
        status = cr_output_flush(out);
    if (status != CR_OK)
        raise(context, status, err);
    else {
        bytes = cr_output_data(out, &size);
        while (size > 0 && bytes[size - 1] == '\n')
            size--;
        sqlite3_result_text64(context, bytes, size, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    cr_output_free(out);
}

/* --- models that are opened once ---------------------------------------------------------------
 */

static void close_opened(opened *o)
{
    if (o != NULL)
        opened_close(o);
    free(o);
}

static cr_status check_model(sqlite3_value *value, cr_error *err)
{
    if (sqlite3_value_type(value) == SQLITE_BLOB)
        return CR_OK;
    *err = (cr_error){.code = CR_EARG,
                      .message = "the first argument must be a model, which is a BLOB"};
    return CR_EARG;
}

/* A model for one call or aggregate alone. Free it with close_opened(). */
static cr_status open_model(opened **out, sqlite3_value *value, cr_error *err)
{
    opened *o = calloc(1, sizeof *o);
    cr_status status = o == NULL ? CR_ENOMEM : check_model(value, err);

    if (status == CR_OK)
        status = opened_open(o, sqlite3_value_blob(value), (size_t)sqlite3_value_bytes(value), err);
    if (status != CR_OK) {
        close_opened(o);
        return status;
    }
    *out = o;
    return CR_OK;
}

/* The models that a connection used last. */
typedef struct shelf {
    size_t users; /* functions that are registered with it */
    opened_cache cache;
} shelf;

/* The user data of a function. */
typedef struct binding {
    shelf *shelf;
    int sign; /* 1: learn, merge; -1: take back */
} binding;

static void unbind(void *pointer)
{
    binding *b = pointer;

    if (b == NULL)
        return;
    if (--b->shelf->users == 0) {
        opened_cache_close(&b->shelf->cache);
        free(b->shelf);
    }
    free(b);
}

/* The model of the first argument, opened once for equal bytes; valid until the next call. */
static opened *get_model(sqlite3_context *context, sqlite3_value **argv)
{
    shelf *s = ((binding *)sqlite3_user_data(context))->shelf;
    opened *o = NULL;
    cr_error err = {0};
    cr_status status;

    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return NULL; /* so is the result */
    if ((status = check_model(argv[0], &err)) == CR_OK)
        status = opened_get(&s->cache, sqlite3_value_blob(argv[0]),
                            (size_t)sqlite3_value_bytes(argv[0]), &o, &err);
    if (status != CR_OK) {
        raise(context, status, &err);
        return NULL;
    }
    return o;
}

/* --- rows --------------------------------------------------------------------------------------
 */

/* Set a row from names and values in turn. */
static cr_status fill_row(opened *o, sqlite3_value **argv, int argc, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(o->model);
    cr_status status = CR_OK;

    if (argc % 2 != 0) {
        *err = (cr_error){.code = CR_EARG, .message = "names and values come in pairs"};
        return CR_EARG;
    }
    cr_row_clear(o->row);
    for (int i = 0; status == CR_OK && i + 1 < argc; i += 2) {
        const char *name = (const char *)sqlite3_value_text(argv[i]);
        const size_t column = name == NULL ? SIZE_MAX : cr_schema_find(schema, name);
        const int type = sqlite3_value_type(argv[i + 1]);

        if (column == SIZE_MAX || type == SQLITE_NULL ||
            cr_schema_kind(schema, column) == CR_IGNORE)
            continue;
        if (type != SQLITE_TEXT && cr_schema_kind(schema, column) == CR_REAL)
            status = cr_row_set_real(o->row, column, sqlite3_value_double(argv[i + 1]));
        else
            status = cr_row_set_bytes(o->row, column, (const char *)sqlite3_value_text(argv[i + 1]),
                                      (size_t)sqlite3_value_bytes(argv[i + 1]));
        if (status != CR_OK) {
            *err = (cr_error){.code = status};
            snprintf(err->message, sizeof err->message, "the value of column '%.100s' does not fit",
                     name);
        }
    }
    return status;
}

static cr_status classify(opened *o, sqlite3_value **argv, int argc, const cr_rule *rule,
                          cr_decision *decision, cr_error *err)
{
    cr_status status = fill_row(o, argv, argc, err);

    return status == CR_OK ? cr_row_classify(o->row, rule, o->posterior, decision) : status;
}

static void give_decision(sqlite3_context *context, const opened *o, const cr_decision *d)
{
    if (d->decision == CR_UNDECIDED)
        sqlite3_result_null(context);
    else
        sqlite3_result_text(context, cr_model_class(o->model, (size_t)d->decision), -1,
                            SQLITE_TRANSIENT);
}

/* --- scalar functions --------------------------------------------------------------------------
 */

static void f_predict(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    opened *o = get_model(context, argv);
    cr_regression number;
    cr_decision decision;
    cr_error err = {0};
    cr_status status;

    if (o == NULL)
        return;
    if (judge_is_regression(o->model)) {
        status = fill_row(o, argv + 1, argc - 1, &err);
        if (status == CR_OK && (status = cr_row_regress(o->row, &number)) == CR_OK)
            sqlite3_result_double(context, number.mean);
    } else if ((status = classify(o, argv + 1, argc - 1, NULL, &decision, &err)) == CR_OK) {
        give_decision(context, o, &decision);
    }
    if (status != CR_OK)
        raise(context, status, &err);
}

static void f_proba(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    opened *o = get_model(context, argv);
    cr_decision decision;
    cr_output *out = NULL;
    cr_error err = {0};
    cr_status status;

    if (o == NULL)
        return;
    status = classify(o, argv + 1, argc - 1, NULL, &decision, &err);
    if (status == CR_OK)
        status = cr_output_new(&out, NULL, NULL, &err);
    if (status == CR_OK)
        answer_proba(o->model, o->posterior, out);
    give_output(context, out, status, &err);
}

/* credence_decide(model, costs, 'name', value, ...) */
static void f_decide(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    cr_rule_options wanted = {.size = sizeof wanted};
    opened *o = get_model(context, argv);
    cr_rule *rule = NULL;
    cr_decision decision;
    cr_error err = {0};
    cr_status status;

    if (o == NULL)
        return;
    wanted.costs = argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : NULL;
    status = cr_rule_new(&rule, o->model, &wanted, &err);
    if (status == CR_OK)
        status = classify(o, argv + 2, argc - 2, rule, &decision, &err);
    if (status == CR_OK)
        give_decision(context, o, &decision);
    else
        raise(context, status, &err);
    cr_rule_free(rule);
}

static void f_work(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    opened *o = get_model(context, argv);
    cr_output *out = NULL;
    cr_error err = {0};
    cr_status status;

    if (o == NULL)
        return;
    status = cr_output_new(&out, NULL, NULL, &err);
    if (status == CR_OK)
        status = fill_row(o, argv + 1, argc - 1, &err);
    if (status == CR_OK)
        status = answer_work(o->row, o->model, out, &err);
    give_output(context, out, status, &err);
}

static void f_show(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    opened *o = get_model(context, argv);
    cr_output *out = NULL;
    cr_error err = {0};
    cr_status status;

    (void)argc;
    if (o == NULL)
        return;
    if ((status = cr_output_new(&out, NULL, NULL, &err)) == CR_OK)
        status = cr_model_json(o->model, NULL, NULL, out, &err);
    give_output(context, out, status, &err);
}

static void f_query(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *question = (const char *)sqlite3_value_text(argv[1]);
    opened *o = get_model(context, argv);
    cr_output *out = NULL;
    cr_error err = {0};
    cr_status status;

    (void)argc;
    if (o == NULL)
        return;
    status = cr_output_new(&out, NULL, NULL, &err);
    if (status == CR_OK)
        status = answer_query(o->model, question == NULL ? "" : question, out, &err);
    give_output(context, out, status, &err);
}

/* A changed copy of the model; the one in the cache stays as it is. */
static void f_teach(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const int sign = ((binding *)sqlite3_user_data(context))->sign;
    opened *o = get_model(context, argv);
    cr_model *copy = NULL;
    cr_error err = {0};
    cr_status status;

    if (o == NULL)
        return;
    status = fill_row(o, argv + 1, argc - 1, &err);
    if (status == CR_OK)
        status = cr_model_copy(&copy, o->model, &err);
    if (status == CR_OK)
        status = cr_row_learn(copy, o->row, sign, &err);
    if (status == CR_OK)
        give_model(context, copy);
    else
        raise(context, status, &err);
    cr_model_free(copy);
}

static void f_merge(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const int sign = ((binding *)sqlite3_user_data(context))->sign;
    opened *a = NULL, *b = NULL;
    cr_error err = {0};
    cr_status status = open_model(&a, argv[0], &err);

    (void)argc;
    if (status == CR_OK)
        status = open_model(&b, argv[1], &err);
    if (status == CR_OK)
        status = sign < 0 ? cr_model_unmerge(a->model, b->model, &err)
                          : cr_model_merge(a->model, b->model, &err);
    if (status == CR_OK)
        give_model(context, a->model);
    else
        raise(context, status, &err);
    close_opened(a);
    close_opened(b);
}

static void f_refit(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *text = (const char *)sqlite3_value_text(argv[1]);
    options knobs = {0};
    opened *o = NULL;
    cr_error err = {0};
    cr_status status = open_model(&o, argv[0], &err);

    (void)argc;
    if (status == CR_OK)
        status = options_read(&knobs, text, 1, &err);
    if (status == CR_OK)
        status = cr_model_refit(o->model, (const char *const *)knobs.param, knobs.params, &err);
    if (status == CR_OK)
        give_model(context, o->model);
    else
        raise(context, status, &err);
    options_free(&knobs);
    close_opened(o);
}

static void f_refit_auto(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    opened *o = NULL;
    cr_error err = {0};
    cr_status status = open_model(&o, argv[0], &err);

    (void)argc;
    if (status == CR_OK)
        status = cr_model_refit_auto(o->model, &err);
    if (status == CR_OK)
        give_model(context, o->model);
    else
        raise(context, status, &err);
    close_opened(o);
}

/* --- training: an aggregate and a window -------------------------------------------------------
 */

typedef struct aggregate {
    trainer *trainer;
    int failed;
} aggregate;

/* The columns are those of the first row. */
static cr_status begin_training(aggregate *a, int argc, sqlite3_value **argv, cr_error *err)
{
    const size_t columns = (size_t)(argc - 1) / 2;
    trainer_column *column = calloc(columns + 1, sizeof *column);
    options o = {0};
    trainer_settings settings;
    cr_status status = column == NULL ? CR_ENOMEM : CR_OK;
    int found = 0;

    if (status == CR_OK)
        status = options_read(&o, (const char *)sqlite3_value_text(argv[0]), 0, err);
    for (size_t i = 0; status == CR_OK && i < columns; i++) {
        sqlite3_value *value = argv[2 + 2 * i];
        const int type = sqlite3_value_type(value);

        column[i].name = (const char *)sqlite3_value_text(argv[1 + 2 * i]);
        if (column[i].name == NULL) {
            *err = (cr_error){.code = CR_EARG, .message = "a name of a column is NULL"};
            status = CR_EARG;
            break;
        }
        if (o.target != NULL && strcmp(o.target, column[i].name) == 0) {
            column[i].role = CR_ROLE_TARGET;
            found = 1;
        }
        status = options_kind(&o, column[i].name, type == SQLITE_TEXT ? CR_SYMBOL : CR_REAL,
                              &column[i].kind, err);
        if (column[i].role == CR_ROLE_TARGET && column[i].kind == CR_REAL &&
            (o.learner == NULL || strcmp(o.learner, "linear") != 0))
            column[i].kind = CR_SYMBOL;
        column[i].open = type == SQLITE_NULL && column[i].kind == CR_REAL &&
                         options_kind_name(&o, column[i].name) == NULL;
    }
    if (status == CR_OK && o.target != NULL && !found) {
        *err = (cr_error){.code = CR_EARG};
        snprintf(err->message, sizeof err->message, "there is no column '%.100s' to learn",
                 o.target);
        status = CR_EARG;
    }
    if (status == CR_OK)
        status = options_check_types(&o, column, columns, err);
    settings = options_settings(&o);
    if (status == CR_OK)
        status = trainer_new(&a->trainer, column, columns, &settings, err);
    options_free(&o);
    free(column);
    return status;
}

static cr_status add_row(aggregate *a, int argc, sqlite3_value **argv, int sign, cr_error *err)
{
    const size_t given = (size_t)(argc - 1) / 2, columns = trainer_columns(a->trainer);
    cr_status status = trainer_begin_row(a->trainer, sign, err);

    for (size_t i = 0; status == CR_OK && i < columns && i < given; i++) {
        sqlite3_value *value = argv[2 + 2 * i];
        const int type = sqlite3_value_type(value);

        if (type == SQLITE_NULL)
            continue;
        if (trainer_column_at(a->trainer, i)->open)
            status = trainer_settle(a->trainer, i, type == SQLITE_TEXT ? CR_SYMBOL : CR_REAL, err);
        if (status != CR_OK)
            return status;
        if (type != SQLITE_TEXT && type != SQLITE_BLOB &&
            trainer_column_at(a->trainer, i)->kind == CR_REAL)
            trainer_set_real(a->trainer, i, sqlite3_value_double(value));
        else
            status = trainer_set_text(a->trainer, i, (const char *)sqlite3_value_text(value),
                                      (size_t)sqlite3_value_bytes(value), err);
    }
    return status == CR_OK ? trainer_end_row(a->trainer, err) : status;
}

static void change(sqlite3_context *context, int argc, sqlite3_value **argv, int sign)
{
    aggregate *a = sqlite3_aggregate_context(context, sizeof *a);
    cr_error err = {0};
    cr_status status = CR_OK;

    if (a == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (a->failed)
        return;
    if (argc < 3 || argc % 2 == 0) {
        sqlite3_result_error(
            context, "credence_train(target, 'name', value, ...): names and values in turn", -1);
        a->failed = 1;
        return;
    }
    if (a->trainer == NULL)
        status = begin_training(a, argc, argv, &err);
    if (status == CR_OK)
        status = add_row(a, argc, argv, sign, &err);
    if (status != CR_OK) {
        a->failed = 1;
        raise(context, status, &err);
    }
}

static void train_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    change(context, argc, argv, 1);
}

static void train_inverse(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    change(context, argc, argv, -1);
}

static void give_trained(sqlite3_context *context, aggregate *a)
{
    const cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;

    if (a == NULL || a->trainer == NULL || a->failed)
        return;
    status = trainer_finish(a->trainer, &model, &err);
    if (status != CR_OK)
        raise(context, status, &err);
    else if (model != NULL)
        give_model(context, model);
}

/* Only windows ask for a model before the last one. */
static void train_value(sqlite3_context *context)
{
    aggregate *a = sqlite3_aggregate_context(context, 0);

    if (a != NULL && a->trainer != NULL)
        trainer_is_window(a->trainer);
    give_trained(context, a);
}

static void train_final(sqlite3_context *context)
{
    aggregate *a = sqlite3_aggregate_context(context, 0);

    give_trained(context, a);
    if (a != NULL) {
        trainer_free(a->trainer);
        a->trainer = NULL;
    }
}

/* --- testing -----------------------------------------------------------------------------------
 */

typedef struct testing {
    opened *model;
    judge *judge;
} testing;

/* credence_test(model, truth, 'name', value, ...) */
static void test_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    testing *t = sqlite3_aggregate_context(context, sizeof *t);
    const char *truth = argc < 2 ? NULL : (const char *)sqlite3_value_text(argv[1]);
    cr_error err = {0};
    cr_status status = CR_OK;

    if (t == NULL || argc < 2) {
        sqlite3_result_error(context, "credence_test(model, truth, 'name', value, ...)", -1);
        return;
    }
    if (t->model == NULL && (status = open_model(&t->model, argv[0], &err)) == CR_OK)
        status = judge_new(&t->judge, t->model->model, &err);
    if (status == CR_OK)
        status = fill_row(t->model, argv + 2, argc - 2, &err);
    if (status == CR_OK)
        status =
            judge_add(t->judge, t->model->row, truth, (size_t)sqlite3_value_bytes(argv[1]), &err);
    if (status != CR_OK)
        raise(context, status, &err);
}

static void test_final(sqlite3_context *context)
{
    testing *t = sqlite3_aggregate_context(context, 0);
    cr_output *out = NULL;
    cr_error err = {0};
    cr_status status;

    if (t == NULL || t->model == NULL)
        return;
    if (t->judge != NULL) {
        if ((status = cr_output_new(&out, NULL, NULL, &err)) == CR_OK)
            status = judge_report(t->judge, out, &err);
        give_output(context, out, status, &err);
    }
    judge_free(t->judge);
    close_opened(t->model);
    *t = (testing){0};
}

/* --- the sum of models -------------------------------------------------------------------------
 */

static void sum_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    opened **slot = sqlite3_aggregate_context(context, sizeof *slot), *more = NULL;
    cr_error err = {0};
    cr_status status;

    (void)argc;
    if (slot == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    status = open_model(*slot == NULL ? slot : &more, argv[0], &err);
    if (status == CR_OK && more != NULL)
        status = cr_model_merge((*slot)->model, more->model, &err);
    close_opened(more);
    if (status != CR_OK)
        raise(context, status, &err);
}

static void sum_final(sqlite3_context *context)
{
    opened **slot = sqlite3_aggregate_context(context, 0);

    if (slot == NULL || *slot == NULL)
        return;
    give_model(context, (*slot)->model);
    close_opened(*slot);
    *slot = NULL;
}

/* --- drift -------------------------------------------------------------------------------------
 */

typedef struct drifting {
    opened *model;
    recent *rows;
} drifting;

/* One more recent row, from names and values in turn. */
static cr_status add_recent(drifting *d, int argc, sqlite3_value **argv)
{
    const cr_schema *schema = cr_model_schema(d->model->model);
    cr_status status = recent_begin_row(d->rows);

    for (int i = 0; status == CR_OK && i + 1 < argc; i += 2) {
        const char *name = (const char *)sqlite3_value_text(argv[i]);
        const size_t column = name == NULL ? SIZE_MAX : cr_schema_find(schema, name);
        const int type = sqlite3_value_type(argv[i + 1]);

        if (column == SIZE_MAX || type == SQLITE_NULL)
            continue;
        if (type != SQLITE_TEXT && cr_schema_kind(schema, column) == CR_REAL)
            recent_set_real(d->rows, column, sqlite3_value_double(argv[i + 1]));
        else
            status = recent_set_text(d->rows, column, (const char *)sqlite3_value_text(argv[i + 1]),
                                     (size_t)sqlite3_value_bytes(argv[i + 1]));
    }
    return status;
}

/* credence_drift(model, 'name', value, ...) */
static void drift_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    drifting *d = sqlite3_aggregate_context(context, sizeof *d);
    cr_error err = {0};
    cr_status status = CR_OK;

    if (d == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (d->model == NULL && (status = open_model(&d->model, argv[0], &err)) == CR_OK)
        status = recent_new(&d->rows, d->model->model, &err);
    if (status == CR_OK)
        status = add_recent(d, argc - 1, argv + 1);
    if (status != CR_OK)
        raise(context, status, &err);
}

static void drift_final(sqlite3_context *context)
{
    drifting *d = sqlite3_aggregate_context(context, 0);
    cr_output *out = NULL;
    cr_error err = {0};
    cr_status status;

    if (d == NULL || d->model == NULL)
        return;
    if (d->rows != NULL) {
        if ((status = cr_output_new(&out, NULL, NULL, &err)) == CR_OK)
            status = recent_drift(d->rows, out, &err);
        give_output(context, out, status, &err);
    }
    recent_free(d->rows);
    close_opened(d->model);
    *d = (drifting){0};
}

/* --- the module --------------------------------------------------------------------------------
 */

static const struct scalar {
    const char *name;
    int arguments, sign;
    void (*function)(sqlite3_context *, int, sqlite3_value **);
} scalars[] = {
    {"credence_predict", -1, 0, f_predict}, {"credence_proba", -1, 0, f_proba},
    {"credence_decide", -1, 0, f_decide},   {"credence_work", -1, 0, f_work},
    {"credence_show", 1, 0, f_show},        {"credence_query", 2, 0, f_query},
    {"credence_learn", -1, 1, f_teach},     {"credence_unlearn", -1, -1, f_teach},
    {"credence_merge", 2, 1, f_merge},      {"credence_unmerge", 2, -1, f_merge},
    {"credence_refit", 2, 0, f_refit},      {"credence_refit_auto", 1, 0, f_refit_auto},
};

/* Functions are pure: they access no files, and their results depend only on their arguments. */
enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

/* Scalar functions share a cache, which is freed with the last of them. */
static int register_scalars(sqlite3 *db)
{
    shelf *s = calloc(1, sizeof *s);
    int status = s == NULL ? SQLITE_NOMEM : SQLITE_OK;

    for (size_t i = 0; status == SQLITE_OK && i < sizeof scalars / sizeof *scalars; i++) {
        binding *b = malloc(sizeof *b);

        if (b == NULL) {
            status = SQLITE_NOMEM;
            break;
        }
        *b = (binding){s, scalars[i].sign};
        s->users++;
        status = sqlite3_create_function_v2(db, scalars[i].name, scalars[i].arguments, FLAGS, b,
                                            scalars[i].function, NULL, NULL, unbind);
    }
    if (s != NULL && s->users == 0)
        free(s);
    return status;
}

__attribute__((visibility("default"))) int sqlite3_credence_init(sqlite3 *db, char **error,
                                                                 const sqlite3_api_routines *api);

int sqlite3_credence_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    static const struct {
        const char *name;
        int arguments;
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*final)(sqlite3_context *);
    } aggregates[] = {{"credence_test", -1, test_step, test_final},
                      {"credence_drift", -1, drift_step, drift_final},
                      {"credence_sum", 1, sum_step, sum_final}};
    int status;

    (void)error;
    SQLITE_EXTENSION_INIT2(api);
    status = register_scalars(db);
    if (status == SQLITE_OK)
        status = sqlite3_create_window_function(db, "credence_train", -1, FLAGS, NULL, train_step,
                                                train_final, train_value, train_inverse, NULL);
    for (size_t i = 0; status == SQLITE_OK && i < sizeof aggregates / sizeof *aggregates; i++)
        status =
            sqlite3_create_function_v2(db, aggregates[i].name, aggregates[i].arguments, FLAGS, NULL,
                                       NULL, aggregates[i].step, aggregates[i].final, NULL);
    if (status == SQLITE_OK)
        status = credence_explain_module(db);
    return status;
}
