/* cli/filter/model.c - judge a message by a model, and teach the model a message. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/change.h"
#include "filter/filter.h"
#include "session/reserve.h"
#include "session/session.h"

/* --- a message as a table of one row ------------------------------------------------------ */

typedef struct one_row {
    cr_array *arrays;
    const char *text;
    const char *class_name; /* NULL: not known */
    const char *none;       /* NULL */
} one_row;

int filter_column(const cr_model *model, const char *path, size_t *column)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_error err = {0};
    size_t found = 0;

    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (cr_schema_role(schema, i) == CR_ROLE_FEATURE && cr_schema_kind(schema, i) == CR_BAG) {
            *column = i;
            found++;
        }
    if (found == 1)
        return EXIT_DONE;
    snprintf(err.file, sizeof err.file, "%s", path);
    snprintf(err.message, sizeof err.message, "a filter needs a model with one text, this has %zu",
             found);
    snprintf(err.hint, sizeof err.hint, "credence train --type COLUMN=text makes one");
    return complain(CR_ECONFLICT, &err);
}

/* The text in its column, the class as the target if there is one; all other columns missing. The
 * source borrows from row, which must outlive it. */
static cr_status open_row(cr_source **out, one_row *row, const cr_model *model, cr_error *err)
{
    static const double missing = NAN;
    const cr_schema *schema = cr_model_schema(model);
    size_t columns = cr_schema_columns(schema), count = 0;
    cr_status status;

    row->arrays = reserve(columns, sizeof *row->arrays);
    for (size_t i = 0; i < columns; i++) {
        cr_array *array = &row->arrays[count];
        cr_kind kind = cr_schema_kind(schema, i);

        *array = (cr_array){.name = cr_schema_name(schema, i), .role = cr_schema_role(schema, i)};
        if (kind == CR_IGNORE || array->role == CR_ROLE_WEIGHT ||
            (array->role == CR_ROLE_TARGET && row->class_name == NULL))
            continue;
        if (array->role == CR_ROLE_TARGET) {
            array->text = &row->class_name;
        } else if (kind == CR_BAG) {
            array->text = &row->text;
            array->kind = CR_BAG;
            array->mail = 1;
        } else if (kind == CR_REAL) {
            array->real = &missing;
        } else {
            array->text = &row->none;
        }
        count++;
    }
    status = cr_source_open_arrays(out, row->arrays, count, 1, err);
    if (status != CR_OK)
        free(row->arrays);
    return status;
}

static void close_row(cr_source *source, one_row *row)
{
    cr_source_close(source);
    free(row->arrays);
}

/* --- judging ------------------------------------------------------------------------------ */

static cr_status take(void *context, const cr_predictions *p)
{
    verdict *v = context;

    if (p->rows == 0)
        return CR_OK;
    v->decision = p->decision[0];
    memcpy(v->posterior, p->posterior, p->classes * sizeof *v->posterior);
    return CR_OK;
}

int filter_judge(verdict *v, const cr_model *model, const char *text, size_t spam_class,
                 const limits *l, const cr_run *run)
{
    cr_predict_options options = {.allow_absent_columns = 1};
    cr_sink sink = {.visit = take, .context = v};
    cr_run alone = *run;
    one_row row = {.text = text};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;

    alone.threads = 1; /* there is nothing to share out, and threads take time to begin */
    *v = (verdict){.status = FILTER_UNSURE, .spam = NAN, .decision = CR_UNDECIDED};
    v->posterior = reserve(cr_model_classes(model), sizeof *v->posterior);
    if ((status = open_row(&source, &row, model, &err)) != CR_OK)
        return complain(status, &err);
    status = cr_model_predict(model, source, &options, &sink, &alone, NULL, &err);
    close_row(source, &row);
    if (status != CR_OK)
        return complain(status, &err);
    if (v->decision == CR_UNDECIDED)
        return EXIT_DONE;
    v->spam = v->posterior[spam_class];
    v->status = v->spam >= l->high ? FILTER_SPAM : v->spam <= l->low ? FILTER_HAM : FILTER_UNSURE;
    return EXIT_DONE;
}

/* --- learning ----------------------------------------------------------------------------- */

typedef cr_status (*lesson_fn)(cr_model *model, cr_source *source, const cr_run *run,
                               cr_tally *tally, cr_error *err);

static int teach(cr_model *model, lesson_fn lesson, const char *text, const char *class_name,
                 const cr_run *run)
{
    one_row row = {.text = text, .class_name = class_name};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status = open_row(&source, &row, model, &err);

    if (status == CR_OK) {
        status = lesson(model, source, run, NULL, &err);
        close_row(source, &row);
    }
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* A mistyped class would be learned as a new one; only a model that lacks classes takes those. */
static int check_class(const cr_model *model, const char *name)
{
    int32_t found;

    return name == NULL || cr_model_classes(model) < 2 ? EXIT_DONE
                                                       : find_class(model, name, &found);
}

int filter_teach(const request *r, const char *path, const char *text, const char *unlearn,
                 const char *learn)
{
    cr_model *model = NULL;
    size_t column;
    change c;
    cr_lock *held;
    int code;

    if ((code = check_output(path, r, r->operand_count)) != EXIT_DONE)
        return code;
    held = hold_model(path);
    if ((code = open_model(&model, r, 0)) != EXIT_DONE ||
        (code = filter_column(model, path, &column)) != EXIT_DONE ||
        (code = check_class(model, unlearn)) != EXIT_DONE ||
        (code = check_class(model, learn)) != EXIT_DONE)
        goto done;
    change_begin(&c, model, learn == NULL ? "unlearned" : "learned");
    c.path = path;
    if (unlearn != NULL)
        code = teach(model, cr_model_unlearn, text, unlearn, &r->run);
    if (code == EXIT_DONE && learn != NULL)
        code = teach(model, cr_model_learn, text, learn, &r->run);
    if (code == EXIT_DONE && (code = save_model(model, path)) == EXIT_DONE)
        change_report(&c, r, model);
done:
    cr_model_free(model);
    cr_model_unlock(held);
    return code;
}
