/* draw/scored.c - answers next to the truth, and columns next to the class. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "draw/draw.h"

/* --- answers ---------------------------------------------------------------------------------- */

/* Room for one more row. */
static int make_room(cr_scored *s, int numbers)
{
    size_t room = s->room;
    int good;

    if (s->rows < s->room)
        return 1;
    good = cr__grow(&s->place, &room, s->rows + 1, sizeof *s->place);
    room = s->room;
    good = good && cr__grow(&s->line, &room, s->rows + 1, sizeof *s->line);
    if (numbers) {
        room = s->room;
        good = good && cr__grow(&s->answer, &room, s->rows + 1, sizeof *s->answer);
        room = s->room;
        good = good && cr__grow(&s->weight, &room, s->rows + 1, sizeof *s->weight);
    } else {
        room = s->room;
        good = good && cr__grow(&s->confidence, &room, s->rows + 1, sizeof *s->confidence);
        room = s->room;
        good = good && cr__grow(&s->truth, &room, s->rows + 1, sizeof *s->truth);
        room = s->room;
        good = good && cr__grow(&s->decision, &room, s->rows + 1, sizeof *s->decision);
    }
    if (good)
        s->room = room;
    return good;
}

cr_status cr_scored_add(cr_scored *s, const cr_regression *answer, double weight, size_t line)
{
    if (!make_room(s, 1))
        return CR_ENOMEM;
    s->answer[s->rows] = *answer;
    s->weight[s->rows] = weight;
    s->place[s->rows] = s->seen++;
    s->line[s->rows++] = line;
    return CR_OK;
}

static cr_status keep_number(void *context, const cr_predictions *p)
{
    cr_scored *s = context;

    for (size_t i = 0; i < p->rows; i++)
        if (isnan(p->regression[i].truth)) {
            s->unlabelled++;
            s->seen++;
        } else if (cr_scored_add(s, &p->regression[i], p->weight != NULL ? p->weight[i] : 1,
                                 p->line[i]) != CR_OK) {
            return CR_ENOMEM;
        }
    return CR_OK;
}

static cr_status count_class(void *context, const cr_predictions *p)
{
    cr_scored *s = context;

    for (size_t i = 0; i < p->rows; i++, s->seen++) {
        if (p->truth[i] == -1) {
            s->unlabelled++;
            continue;
        }
        cr_evaluation_add_logs(s->evaluation, p->posterior + i * p->classes,
                               p->log_posterior + i * p->classes, p->decision[i], p->truth[i],
                               p->weight != NULL ? p->weight[i] : 1);
    }
    return CR_OK;
}

static cr_status keep_class(void *context, const cr_predictions *p)
{
    cr_scored *s = context;
    const size_t seen = s->seen;

    for (size_t i = 0; i < p->rows; i++) {
        if (p->truth[i] == -1)
            continue;
        if (!make_room(s, 0))
            return CR_ENOMEM;
        s->confidence[s->rows] =
            p->decision[i] < 0 ? 0 : p->posterior[i * p->classes + (size_t)p->decision[i]];
        s->truth[s->rows] = p->truth[i];
        s->decision[s->rows] = p->decision[i];
        s->place[s->rows] = seen + i;
        s->line[s->rows++] = p->line[i];
    }
    return count_class(context, p);
}

/* Whether some row has a truth and a weight. */
static cr_status check_rows(cr_scored *s, cr_error *err)
{
    double total = 0;

    if (s->evaluation != NULL) {
        cr_evaluation_metrics(s->evaluation, &s->metrics);
        if (!(s->metrics.rows > 0))
            return cr__fail(err, CR_EFORMAT, "no row has a class to compare with");
        return CR_OK;
    }
    for (size_t i = 0; i < s->rows; i++)
        total += s->weight[i];
    return total > 0 ? CR_OK : cr__fail(err, CR_EFORMAT, "no row has a number to test against");
}

cr_status cr_scored_read(cr_scored *out, const cr_model *model, cr_source *source, int keep_rows,
                         int allow_absent_columns, const cr_run *run, cr_error *err)
{
    const int numbers = cr_model_is_regression(model);
    const cr_predict_options options = {
        .allow_absent_columns = allow_absent_columns, .need_target = 1, .log_posterior = 1};
    const cr_sink sink = {.visit = numbers     ? keep_number
                                   : keep_rows ? keep_class
                                               : count_class,
                          .context = out};
    cr_status st = CR_OK;

    *out = (cr_scored){.model = model};
    if (!numbers)
        st = cr_evaluation_new(&out->evaluation, cr_model_classes(model), err);
    if (st == CR_OK)
        st = cr_model_predict(model, source, &options, &sink, run, NULL, err);
    return st == CR_OK ? check_rows(out, err) : st;
}

void cr_scored_free(cr_scored *s)
{
    cr_evaluation_free(s->evaluation);
    cr__free(s->confidence);
    cr__free(s->truth);
    cr__free(s->decision);
    cr__free(s->answer);
    cr__free(s->weight);
    cr__free(s->place);
    cr__free(s->line);
    *s = (cr_scored){0};
}

/* --- columns ---------------------------------------------------------------------------------- */

typedef struct reader {
    cr_values *out;
    const cr_model *model;
    const size_t *column;
    size_t *field; /* [columns] of the input; SIZE_MAX: it lacks the column */
    int found;
} reader;

static void find_fields(reader *r, const cr_predictions *p)
{
    const cr_schema *schema = cr_model_schema(r->model);

    for (size_t i = 0; i < r->out->columns; i++) {
        r->field[i] = SIZE_MAX;
        for (size_t f = 0; f < cr_predictions_fields(p); f++)
            if (strcmp(cr_predictions_field_name(p, f), cr_schema_name(schema, r->column[i])) == 0)
                r->field[i] = f;
    }
    r->found = 1;
}

/* A field as a number; NaN when it is missing or not a number. */
static double field_number(const cr_predictions *p, size_t row, size_t field)
{
    size_t size = 0;
    const char *text = field != SIZE_MAX ? cr_predictions_field(p, row, field, &size) : NULL;
    char copy[64], *end;
    double x;

    if (text == NULL || size == 0 || size >= sizeof copy)
        return NAN;
    memcpy(copy, text, size);
    copy[size] = '\0';
    x = strtod(copy, &end);
    while (*end == ' ')
        end++;
    return *end == '\0' && isfinite(x) ? x : NAN;
}

/* The index of a symbol's value; NaN when it is missing or the model does not know it. */
static double field_value(const cr_model *model, size_t column, const cr_predictions *p, size_t row,
                          size_t field)
{
    size_t size = 0;
    const char *text = field != SIZE_MAX ? cr_predictions_field(p, row, field, &size) : NULL;

    for (size_t i = 0; text != NULL && i < cr_model_values(model, column); i++) {
        const char *name = cr_model_value(model, column, i);

        if (strlen(name) == size && memcmp(name, text, size) == 0)
            return (double)i;
    }
    return NAN;
}

static cr_status keep_values(void *context, const cr_predictions *p)
{
    reader *r = context;
    cr_values *v = r->out;

    if (!r->found && p->rows > 0)
        find_fields(r, p);
    for (size_t i = 0; i < p->rows; i++) {
        if (v->rows == v->room) {
            size_t room = v->room;

            if (!cr__grow(&v->class_index, &room, v->rows + 1, sizeof *v->class_index))
                return CR_ENOMEM;
            room = v->room;
            if (!cr__grow(&v->value, &room, v->rows + 1, (v->columns + 1) * sizeof *v->value))
                return CR_ENOMEM;
            v->room = room;
        }
        for (size_t c = 0; c < v->columns; c++)
            v->value[v->rows * v->columns + c] =
                cr_schema_kind(cr_model_schema(r->model), r->column[c]) == CR_SYMBOL
                    ? field_value(r->model, r->column[c], p, i, r->field[c])
                    : field_number(p, i, r->field[c]);
        v->class_index[v->rows++] = p->truth != NULL && p->truth[i] >= 0 ? p->truth[i] : -1;
    }
    return CR_OK;
}

cr_status cr_values_read(cr_values *out, const cr_model *model, cr_source *source,
                         const size_t *column, size_t columns, const cr_run *run, cr_error *err)
{
    const cr_predict_options options = {.allow_absent_columns = 1};
    reader reading = {.out = out,
                      .model = model,
                      .column = column,
                      .field = cr__alloc(columns + 1, sizeof *reading.field)};
    const cr_sink sink = {.visit = keep_values, .context = &reading};
    cr_status st;

    *out = (cr_values){.columns = columns};
    if (reading.field == NULL)
        return cr__fail_memory(err);
    st = cr_model_predict(model, source, &options, &sink, run, NULL, err);
    cr__free(reading.field);
    return st;
}

void cr_values_free(cr_values *v)
{
    cr__free(v->value);
    cr__free(v->class_index);
    *v = (cr_values){0};
}
