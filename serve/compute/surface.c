/* serve/compute/surface.c - POST /compute/surface: learners compared on two columns of a
 * table.
 *
 * {"table", "target", "learners": ["nb", "tree"], "x", "y", "low": [x, y], "high": [x, y],
 *  "columns": 60, "rows": 60}: for each learner the posterior of every class at every point, the
 * lowest row first. Columns of symbols have their values in place of an even grid.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/compute.h"
#include "endpoints/endpoints.h"
#include "json_list.h"

enum { GRID = 60, LARGEST = 200 };

typedef struct plane {
    call *k;
    const cr_json_value *body;
    cr_grid_axis x, y;
    const char **x_value, **y_value; /* of columns of symbols */
} plane;

/* The values of a column of symbols, to be freed. */
static cr_status take_values(plane *p, const cr_model *model, cr_grid_axis *s, const char ***value)
{
    s->points = cr_model_values(model, s->column);
    if (s->points > LARGEST)
        return fail(p->k->err, CR_EARG, NULL, "'%.100s' has %zu values; at most %d can be drawn",
                    cr_schema_name(cr_model_schema(model), s->column), s->points, LARGEST);
    if ((*value = calloc(s->points + 1, sizeof **value)) == NULL)
        return fail(p->k->err, CR_ENOMEM, NULL, "out of memory");
    for (size_t i = 0; i < s->points; i++)
        (*value)[i] = cr_model_value(model, s->column, i);
    s->value = *value;
    return CR_OK;
}

static cr_status find_side(plane *p, const cr_model *model, const char *key, size_t index,
                           cr_grid_axis *s, const char ***value)
{
    const char *name = cr_json_get_text(p->body, key, NULL);
    const cr_schema *schema = cr_model_schema(model);
    size_t count = 0;
    double *low = json_numbers(cr_json_get(p->body, "low"), &count);
    double *high = json_numbers(cr_json_get(p->body, "high"), &count);
    const double points = cr_json_get_number(p->body, index == 0 ? "columns" : "rows", GRID);

    s->column = name != NULL ? cr_schema_find(schema, name) : SIZE_MAX;
    s->low = low != NULL && count > index ? low[index] : 0;
    s->high = high != NULL && count > index ? high[index] : 1;
    s->points = points >= 2 && points <= LARGEST ? (size_t)points : GRID;
    free(low);
    free(high);
    if (s->column == SIZE_MAX)
        return fail(p->k->err, CR_EARG, NULL, "the table has no column '%.100s' for \"%s\"",
                    name != NULL ? name : "", key);
    return cr_schema_kind(schema, s->column) == CR_SYMBOL ? take_values(p, model, s, value) : CR_OK;
}

static cr_status put_points(plane *p, cr_row *row, size_t classes)
{
    const size_t numbers = p->x.points * p->y.points * classes;
    double *posterior = calloc(numbers + 1, sizeof *posterior);
    cr_output *out = p->k->answer->out;
    cr_status status = posterior != NULL ? cr_row_grid(row, &p->x, &p->y, posterior, p->k->err)
                                         : fail(p->k->err, CR_ENOMEM, NULL, "out of memory");

    cr_output_text(out, ", \"posterior\": [");
    for (size_t i = 0; status == CR_OK && i < numbers; i++) {
        char text[32];

        snprintf(text, sizeof text, i == 0 ? "%.4g" : ",%.4g", posterior[i]);
        cr_output_text(out, text);
    }
    cr_output_text(out, "]");
    free(posterior);
    return status;
}

static void put_values(plane *p, const char *key, const cr_grid_axis *s)
{
    cr_output *out = p->k->answer->out;

    cr_output_text(out, ", \"");
    cr_output_text(out, key);
    cr_output_text(out, "\": [");
    for (size_t i = 0; i < s->points; i++) {
        cr_output_text(out, i == 0 ? "" : ", ");
        if (s->value != NULL)
            cr_json_quote(out, s->value[i], strlen(s->value[i]));
        else
            cr_output_number(out, cr_grid_at(s, i));
    }
    cr_output_text(out, "]");
}

static cr_status put_surface(plane *p, const cr_model *model, const char *learner)
{
    const size_t classes = cr_model_classes(model);
    cr_output *out = p->k->answer->out;
    cr_row *row = NULL;
    cr_status status = cr_row_new(&row, model, p->k->err);

    p->x = p->y = (cr_grid_axis){0};
    p->x_value = p->y_value = NULL;
    if (status == CR_OK && (status = find_side(p, model, "x", 0, &p->x, &p->x_value)) == CR_OK &&
        (status = find_side(p, model, "y", 1, &p->y, &p->y_value)) == CR_OK) {
        cr_output_text(out, "{\"learner\": ");
        cr_json_quote(out, learner, strlen(learner));
        cr_output_text(out, ", \"classes\": [");
        for (size_t c = 0; c < classes; c++) {
            cr_output_text(out, c == 0 ? "" : ", ");
            cr_json_quote(out, cr_model_class(model, c), strlen(cr_model_class(model, c)));
        }
        cr_output_text(out, "]");
        put_values(p, "x", &p->x);
        put_values(p, "y", &p->y);
        status = put_points(p, row, classes);
        cr_output_text(out, "}");
    }
    cr_row_free(row);
    free(p->x_value);
    free(p->y_value);
    return status;
}

static cr_status one_learner(plane *p, const char *learner)
{
    cr_spec spec = {0};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_status status = cr_spec_parse(&spec, learner, p->k->err);

    if (status == CR_OK && (status = compute_source(p->k, p->body, &source)) == CR_OK &&
        (status = cr_model_train(&model, source, spec.learner, (const char *const *)spec.params,
                                 spec.param_count, NULL, NULL, p->k->err)) == CR_OK)
        status = put_surface(p, model, learner);
    cr_model_free(model);
    cr_source_close(source);
    cr_spec_free(&spec);
    return status;
}

/* A learner that cannot learn this table is answered with an error. */
static cr_status surfaces(call *k, const cr_json_value *body)
{
    const cr_json_value *learners = cr_json_get(body, "learners");
    plane p = {.k = k, .body = body};
    cr_output *out = k->answer->out;

    if (learners == NULL || learners->kind != CR_JSON_ARRAY || learners->count == 0 ||
        learners->count > 16)
        return fail(k->err, CR_EARG, NULL, "\"learners\" must be an array of 1 to 16 names");
    cr_output_text(out, "{\"surfaces\": [\n");
    for (const cr_json_value *n = learners->child; n != NULL; n = n->next) {
        const char *learner = n->text != NULL ? n->text : "";
        cr_status status;

        cr_output_text(out, n == learners->child ? "" : ",\n");
        status = one_learner(&p, learner);
        if (status == CR_EARG && learners->count == 1)
            return status;
        if (status != CR_OK) {
            cr_output_text(out, "{\"learner\": ");
            cr_json_quote(out, learner, strlen(learner));
            cr_output_text(out, ", \"error\": ");
            cr_json_quote(out, k->err->message, strlen(k->err->message));
            cr_output_text(out, "}");
        }
    }
    cr_output_text(out, "\n]}\n");
    return CR_OK;
}

cr_status compute_surface(call *k)
{
    return compute_with(k, surfaces);
}
