/* cli/plot/surface.c - credence plot surface: what models decide over two of their features.
 *
 * A feature of symbols has a stripe for each value; rows are spread out over it.
 *
 * Every other feature is left missing, which sums it out where the model is a distribution, or has
 * the value that --at gives it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"

enum { COLUMNS = 81, ROWS = 61, MOST_MODELS = 6, MOST_POINTS = 600, MOST_VALUES = 40 };

typedef struct axis {
    const char *name; /* of the column */
    double low, high;
    size_t points; /* of the grid */
    size_t values; /* of a column of symbols; 0: it has numbers */
    const char *value[MOST_VALUES];
} axis;

typedef struct field {
    axis x, y;
    double *posterior;
    cr_ellipse *ellipse;
    size_t ellipses;
} field;

/* --- columns ---------------------------------------------------------------------------------- */

static bool can_be_drawn(const cr_schema *schema, size_t i)
{
    return cr_schema_role(schema, i) == CR_ROLE_FEATURE && cr_schema_kind(schema, i) != CR_BAG;
}

static int find_column(const cr_model *model, const char *name, size_t *column)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_nearest n = {.wanted = name};
    char hint[300];

    *column = cr_schema_find(schema, name);
    if (*column != SIZE_MAX && can_be_drawn(schema, *column))
        return EXIT_DONE;
    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (can_be_drawn(schema, i))
            cr_nearest_offer(&n, cr_schema_name(schema, i));
    snprintf(hint, sizeof hint, "did you mean '%s'?", n.best != NULL ? n.best : "");
    return misuse(n.best != NULL ? hint : NULL, "the model has no feature '%s' to draw", name);
}

/* -x and -y, or the two most telling features of the first model, numbers before symbols. */
static int choose_columns(const request *r, const cr_model *model, field *f)
{
    const cr_schema *schema = cr_model_schema(model);
    size_t count, *order = ranked_features(model, &count);

    f->x.name = option_text(r, "x");
    f->y.name = option_text(r, "y");
    for (size_t i = 0; i < 2 * count; i++) {
        const char *name = cr_schema_name(schema, order[i % count]);

        if ((cr_schema_kind(schema, order[i % count]) == CR_REAL) != (i < count))
            continue;
        if (f->x.name == NULL && (f->y.name == NULL || strcmp(f->y.name, name) != 0))
            f->x.name = name;
        else if (f->y.name == NULL && strcmp(f->x.name, name) != 0)
            f->y.name = name;
    }
    free(order);
    if (f->x.name == NULL || f->y.name == NULL || strcmp(f->x.name, f->y.name) == 0)
        return misuse("-x COLUMN -y COLUMN names them", "a surface needs two features");
    return EXIT_DONE;
}

/* --- limits ----------------------------------------------------------------------------------- */

/* From the data; without any from the densities of the classes. */
static void find_limits(const cr_model *model, size_t column, const cr_values *v, size_t at,
                        double *low, double *high)
{
    cr_gaussian g;
    double room;

    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < v->rows; i++) {
        *low = fmin(*low, v->value[2 * i + at]);
        *high = fmax(*high, v->value[2 * i + at]);
    }
    room = (*high - *low) * 0.08;
    for (size_t c = 0; v->rows == 0 && c < cr_model_classes(model); c++)
        if (cr_model_gaussian(model, column, c, &g) == CR_OK) {
            *low = fmin(*low, g.fitted_mean - 3.2 * sqrt(g.fitted_variance));
            *high = fmax(*high, g.fitted_mean + 3.2 * sqrt(g.fitted_variance));
            room = 0;
        }
    *low -= room;
    *high += room;
}

/* --range COLUMN=LOW:HIGH */
static int ask_limits(const request *r, axis *a)
{
    const char *name = a->name;
    double *low = &a->low, *high = &a->high;
    size_t count, length = strlen(name);
    const char **pair = option_pairs(r, "range", &count);
    int code = EXIT_DONE;

    for (size_t i = 0; code == EXIT_DONE && i < count; i++)
        if (strncmp(pair[i], name, length) == 0 && pair[i][length] == '=' &&
            (sscanf(pair[i] + length + 1, "%lf:%lf", low, high) != 2 || !(*low < *high)))
            code = misuse("--range COLUMN=LOW:HIGH", "--range %s is no range", pair[i]);
    free(pair);
    if (code == EXIT_DONE && !(isfinite(*low) && isfinite(*high) && *low < *high))
        code = misuse("--range COLUMN=LOW:HIGH gives one, or name DATA",
                      "'%s' has no range to draw", name);
    return code;
}

/* The values of a symbol are at 0, 1, 2 …; a number has limits. */
static int set_axis(axis *a, const request *r, const cr_model *model, size_t column,
                    const cr_values *v, size_t at, size_t points)
{
    const size_t values = cr_model_values(model, column);

    a->points = points;
    if (cr_schema_kind(cr_model_schema(model), column) == CR_REAL) {
        find_limits(model, column, v, at, &a->low, &a->high);
        return ask_limits(r, a);
    }
    if (values == 0 || values > MOST_VALUES)
        return misuse("-x and -y name others", "'%s' has %zu values; 1 to %d can be drawn", a->name,
                      values, MOST_VALUES);
    a->values = values;
    a->low = -0.5;
    a->high = (double)values - 0.5;
    a->points = values * ((points + values - 1) / values);
    for (size_t i = 0; i < values; i++)
        a->value[i] = cr_model_value(model, column, i);
    return EXIT_DONE;
}

/* --- the grid --------------------------------------------------------------------------------- */

static int fix_others(const request *r, const cr_model *model, cr_row *row)
{
    size_t count, column;
    const char **pair = option_pairs(r, "at", &count);
    int code = EXIT_DONE;

    for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
        const char *equals = strrchr(pair[i], '=');
        char *name = reserve_text(pair[i]), *end;

        name[equals - pair[i]] = '\0';
        if ((code = find_column(model, name, &column)) == EXIT_DONE) {
            const bool real = cr_schema_kind(cr_model_schema(model), column) == CR_REAL;
            const double x = real ? strtod(equals + 1, &end) : 0;

            if (real ? *end != '\0' || cr_row_set_real(row, column, x) != CR_OK
                     : cr_row_set_text(row, column, equals + 1) != CR_OK)
                code = misuse(NULL, "--at %s: '%s' cannot be that", pair[i], name);
        }
        free(name);
    }
    free(pair);
    return code;
}

/* A word that another model does not know is one that it has never seen. */
static void set_point(cr_row *row, size_t column, const axis *a, size_t i)
{
    const double at = a->low + (a->high - a->low) * (double)i / (double)(a->points - 1);

    if (a->values > 0)
        cr_row_set_text(row, column, a->value[(size_t)fmin(at + 0.5, (double)a->values - 1)]);
    else
        cr_row_set_real(row, column, at);
}

static int fill_grid(const request *r, const cr_model *model, field *f, size_t x, size_t y)
{
    const size_t classes = cr_model_classes(model), points = f->x.points * f->y.points;
    cr_error err = {0};
    cr_row *row;
    int32_t decision;
    cr_status status = cr_row_new(&row, model, &err);
    int code = status == CR_OK ? fix_others(r, model, row) : complain(status, &err);

    f->posterior = reserve(points * classes, sizeof *f->posterior);
    for (size_t i = 0; code == EXIT_DONE && i < points; i++) {
        set_point(row, x, &f->x, i % f->x.points);
        set_point(row, y, &f->y, i / f->x.points);
        status = cr_model_classify(model, row, f->posterior + i * classes, &decision, NULL);
        if (status != CR_OK)
            code = complain(status, &err);
    }
    cr_row_free(row);
    return code;
}

/* The Gaussians of the classes, where the model has them. */
static void find_ellipses(const cr_model *model, field *f, size_t x, size_t y)
{
    f->ellipse = reserve(cr_model_classes(model), sizeof *f->ellipse);
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        double mean[2], s[4], freedom;

        if (cr_model_normal(model, c, (size_t[]){x, y}, 2, mean, s, &freedom, NULL) == CR_OK &&
            freedom == 0 && s[0] > 0 && s[3] > 0)
            f->ellipse[f->ellipses++] = (cr_ellipse){c, mean[0], mean[1], s[0], s[1], s[3]};
    }
}

/* --- data ------------------------------------------------------------------------------------- */

typedef struct points {
    double *x, *y;
    int32_t *class_index;
    size_t count;
} points;

/* Where a row stands: on its number, or somewhere on the stripe of its value, by a sequence that
 * fills it evenly (M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018). */
static double spread(const axis *a, double value, size_t row, double step)
{
    const double u = fmod((double)(row + 1) * step, 1);

    return a->values > 0 ? value + 0.7 * (u - 0.5) : value;
}

/* Of many rows every n-th. */
static points thin_out(const cr_values *v, const field *f)
{
    const size_t every = v->rows / MOST_POINTS + 1;
    points p = {reserve(MOST_POINTS + 1, sizeof *p.x), reserve(MOST_POINTS + 1, sizeof *p.y),
                reserve(MOST_POINTS + 1, sizeof *p.class_index), 0};

    for (size_t i = 0; i < v->rows && p.count <= MOST_POINTS; i += every)
        if (isfinite(v->value[2 * i] + v->value[2 * i + 1])) {
            p.x[p.count] = spread(&f->x, v->value[2 * i], i, 0.7548776662466927);
            p.y[p.count] = spread(&f->y, v->value[2 * i + 1], i, 0.5698402909980532);
            p.class_index[p.count++] = v->class_index[i];
        }
    if (every > 1)
        note("every %zuth of %zu rows is drawn", every, v->rows);
    return p;
}

/* --- the kind --------------------------------------------------------------------------------- */

static void json_surface(json *j, const cr_model *model, const char *path, const field *f)
{
    const size_t classes = cr_model_classes(model);
    double *one = reserve(f->x.points, sizeof *one);

    json_object(j, NULL, JSON_BLOCK);
    json_text(j, "model", path);
    json_object(j, "posterior", JSON_BLOCK);
    for (size_t c = 0; c < classes; c++) {
        json_array(j, cr_model_class(model, c), JSON_BLOCK);
        for (size_t row = 0; row < f->y.points; row++) {
            for (size_t i = 0; i < f->x.points; i++)
                one[i] = f->posterior[(row * f->x.points + i) * classes + c];
            json_numbers(j, NULL, one, f->x.points);
        }
        json_end(j);
    }
    json_end(j);
    json_array(j, "gaussians", JSON_BLOCK);
    for (size_t i = 0; i < f->ellipses; i++) {
        const cr_ellipse *e = &f->ellipse[i];

        json_object(j, NULL, JSON_LINE);
        json_text(j, "class", cr_model_class(model, e->class_index));
        json_numbers(j, "mean", (double[]){e->x, e->y}, 2);
        json_numbers(j, "covariance", (double[]){e->xx, e->xy, e->xy, e->yy}, 4);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    free(one);
}

/* Names of the classes, to be freed (not the names). */
static const char **class_names(const cr_model *model)
{
    const char **name = reserve(cr_model_classes(model), sizeof *name);

    for (size_t c = 0; c < cr_model_classes(model); c++)
        name[c] = cr_model_class(model, c);
    return name;
}

static int draw(plot *p, const cr_model *model, const char *path, field *f, const points *data)
{
    char *title = plot_title(p->r, "%s", path);
    const cr_axes axes = {
        title, {f->x.name, f->x.low, f->x.high, 0}, {f->y.name, f->y.low, f->y.high, 0}};
    const char **name = class_names(model);
    size_t x, y;
    cr_error err = {0};
    int code;

    if ((code = find_column(model, f->x.name, &x)) == EXIT_DONE &&
        (code = find_column(model, f->y.name, &y)) == EXIT_DONE &&
        (code = fill_grid(p->r, model, f, x, y)) == EXIT_DONE) {
        if (f->x.values + f->y.values == 0)
            find_ellipses(model, f, x, y);
        const cr_surface surface = {f->x.points,
                                    f->y.points,
                                    cr_model_classes(model),
                                    f->posterior,
                                    name,
                                    data->x,
                                    data->y,
                                    data->class_index,
                                    data->count,
                                    f->ellipse,
                                    f->ellipses,
                                    f->x.value,
                                    f->x.values,
                                    f->y.value,
                                    f->y.values};

        code = panel_added(cr_figure_add_surface(p->figure, &axes, &surface, &err), &err);
    }
    if (code == EXIT_DONE && p->r->json)
        json_surface(&p->j, model, path, f);
    free(f->posterior);
    free(f->ellipse);
    f->posterior = NULL;
    f->ellipse = NULL;
    f->ellipses = 0;
    free(name);
    free(title);
    return code;
}

/* Which of the operands are models: those that open as such. */
static size_t open_models(const request *r, cr_model **model)
{
    size_t count = 0;

    while (count < MOST_MODELS && count + 1 < r->operand_count &&
           cr_model_load(&model[count], r->operands[count + 1], CR_LOAD_TRUST, NULL) == CR_OK)
        count++;
    return count;
}

/* The columns and what part of them to draw; DATA are the operands from first on. */
static int check_classes(const cr_model *model)
{
    return cr_model_is_regression(model)
               ? misuse("predicted, residuals, errors and coverage are pictures of numbers",
                        "the model predicts a number and has no classes to draw")
               : EXIT_DONE;
}

static int prepare(plot *p, const cr_model *model, size_t first, field *f, cr_values *v)
{
    size_t column[2];
    int code;

    if ((code = check_classes(model)) != EXIT_DONE ||
        (code = choose_columns(p->r, model, f)) != EXIT_DONE ||
        (code = find_column(model, f->x.name, &column[0])) != EXIT_DONE ||
        (code = find_column(model, f->y.name, &column[1])) != EXIT_DONE)
        return code;
    if (p->r->operand_count > first &&
        (code = values_read(v, p->r, model, first, column, 2)) != EXIT_DONE)
        return code;
    if ((code = set_axis(&f->x, p->r, model, column[0], v, 0, COLUMNS)) == EXIT_DONE)
        code = set_axis(&f->y, p->r, model, column[1], v, 1, ROWS);
    return code;
}

static void json_axis(json *j, const axis *a, const char *name, const char *limits,
                      const char *values)
{
    json_text(j, name, a->name);
    if (a->values == 0) {
        json_numbers(j, limits, (double[]){a->low, a->high}, 2);
        return;
    }
    json_array(j, values, JSON_LINE);
    for (size_t i = 0; i < a->values; i++)
        json_text(j, NULL, a->value[i]);
    json_end(j);
}

static int draw_all(plot *p, cr_model *const *model, const char *const *name, size_t models,
                    size_t first)
{
    field f = {0};
    cr_values v = {0};
    points data = {0};
    int code = prepare(p, model[0], first, &f, &v);

    if (code == EXIT_DONE) {
        data = thin_out(&v, &f);
        if (p->r->json) {
            json_axis(&p->j, &f.x, "x", "x_limits", "x_values");
            json_axis(&p->j, &f.y, "y", "y_limits", "y_values");
            json_array(&p->j, "surfaces", JSON_BLOCK);
        }
    }
    for (size_t i = 0; code == EXIT_DONE && i < models; i++)
        code = draw(p, model[i], name[i], &f, &data);
    if (code == EXIT_DONE && p->r->json)
        json_end(&p->j);
    free(data.x);
    free(data.y);
    free(data.class_index);
    cr_values_free(&v);
    return code;
}

int plot_surface(plot *p)
{
    cr_model *model[MOST_MODELS] = {0};
    size_t models;
    int code;

    if (p->models > 0)
        return draw_all(p, p->model, p->name, p->models, 0);
    models = open_models(p->r, model);
    code = models > 0 ? draw_all(p, model, p->r->operands + 1, models, models + 1)
                      : open_model(&model[0], p->r, 1);
    for (size_t i = 0; i < MOST_MODELS; i++)
        cr_model_free(model[i]);
    return code;
}
