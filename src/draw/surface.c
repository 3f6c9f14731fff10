/* draw/surface.c - what models decide over two of their features.
 *
 * A feature of symbols has a stripe for each value; rows are spread over it. Every other feature is
 * missing, which sums it out where the model is a distribution, or has a given value.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "credence/grid.h"
#include "data/schema.h"
#include "draw/draw.h"

enum { COLUMNS = 161, ROWS = 121, MOST_POINTS = 600, MOST_VALUES = 40 };

typedef struct axis {
    const char *name; /* of the column */
    double low, high;
    size_t points; /* of the grid */
    size_t values; /* of a column of symbols; 0: it has numbers */
    const char *value[MOST_VALUES];
    int has_density; /* a model has some along it */
} axis;

/* What all panels share. */
typedef struct ground {
    cr_draw_options how;
    axis x, y;
    double *px, *py; /* [points] rows that are drawn */
    int32_t *class_index;
    size_t points;
} ground;

/* One model over it. */
typedef struct field {
    double *posterior; /* [points * classes] */
    cr_ellipse *ellipse;
    size_t ellipses;
    double *x_density, *y_density; /* [classes * points of the axis]; NULL: there are none */
    const char **name;             /* of the classes */
} field;

/* --- columns ---------------------------------------------------------------------------------- */

static int can_be_drawn(const cr_schema *schema, size_t column)
{
    return cr_schema_role(schema, column) == CR_ROLE_FEATURE &&
           cr_schema_kind(schema, column) != CR_BAG &&
           cr_schema_why(schema, column) != CR_WHY_PRODUCT; /* which is computed from others */
}

static cr_status find_column(const cr_model *model, const char *name, size_t *column, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_nearest n = {.wanted = name};

    *column = cr_schema_find(schema, name);
    if (*column != SIZE_MAX && can_be_drawn(schema, *column))
        return CR_OK;
    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (can_be_drawn(schema, i))
            cr_nearest_offer(&n, cr_schema_name(schema, i));
    cr__fail(err, CR_EARG, "the model has no feature '%s' to draw", name);
    if (n.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", n.best);
    return CR_EARG;
}

/* The requested ones, or the two most informative features of the model, numbers before symbols. */
static cr_status choose_columns(const cr_model *model, ground *g, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_feature_rank *rank = cr__alloc(cr_schema_columns(schema) + 1, sizeof *rank);
    const size_t count = rank == NULL ? 0 : cr_model_rank_features(model, rank);

    if (rank == NULL)
        return cr__fail_memory(err);
    g->x.name = g->how.x;
    g->y.name = g->how.y;
    for (size_t i = 0; i < 2 * count; i++) {
        const size_t column = rank[i % count].column;
        const char *name = cr_schema_name(schema, column);

        if (!can_be_drawn(schema, column) ||
            (cr_schema_kind(schema, column) == CR_REAL) != (i < count))
            continue;
        if (g->x.name == NULL && (g->y.name == NULL || strcmp(g->y.name, name) != 0))
            g->x.name = name;
        else if (g->y.name == NULL && strcmp(g->x.name, name) != 0)
            g->y.name = name;
    }
    cr__free(rank);
    if (g->x.name != NULL && g->y.name != NULL && strcmp(g->x.name, g->y.name) != 0)
        return CR_OK;
    cr__fail(err, CR_EARG, "a surface needs two features");
    return cr__fail_hint(err, CR_EARG, "x and y name them");
}

/* --- limits ----------------------------------------------------------------------------------- */

/* From the rows; without any from the densities of the classes. */
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

/* "LOW:HIGH" */
static int read_range(const char *text, double *low, double *high)
{
    const char *colon = strchr(text, ':');

    return colon != NULL && cr__parse_double(text, (size_t)(colon - text), low) == CR__NUMBER_OK &&
           cr__parse_double(colon + 1, strlen(colon + 1), high) == CR__NUMBER_OK && *low < *high;
}

static cr_status ask_limits(const ground *g, axis *a, cr_error *err)
{
    const size_t length = strlen(a->name);

    for (size_t i = 0; i < g->how.ranges; i++)
        if (strncmp(g->how.range[i], a->name, length) == 0 && g->how.range[i][length] == '=' &&
            !read_range(g->how.range[i] + length + 1, &a->low, &a->high)) {
            cr__fail(err, CR_EARG, "%s is no range", g->how.range[i]);
            return cr__fail_hint(err, CR_EARG, "a range is COLUMN=LOW:HIGH");
        }
    if (isfinite(a->low) && isfinite(a->high) && a->low < a->high)
        return CR_OK;
    cr__fail(err, CR_EARG, "'%s' has no range to draw", a->name);
    return cr__fail_hint(err, CR_EARG, "a range COLUMN=LOW:HIGH gives one, or rows do");
}

/* The values of a symbol are at 0, 1, 2 …; a number has limits. */
static cr_status set_axis(const ground *g, axis *a, const cr_model *model, size_t column,
                          const cr_values *v, size_t at, size_t points, cr_error *err)
{
    const size_t values = cr_model_values(model, column);

    a->points = points;
    if (cr_schema_kind(cr_model_schema(model), column) == CR_REAL) {
        find_limits(model, column, v, at, &a->low, &a->high);
        return ask_limits(g, a, err);
    }
    if (values == 0 || values > MOST_VALUES)
        return cr__fail(err, CR_EARG, "'%s' has %zu values; 1 to %d can be drawn", a->name, values,
                        MOST_VALUES);
    a->values = values;
    a->low = -0.5;
    a->high = (double)values - 0.5;
    a->points = values * ((points + values - 1) / values);
    for (size_t i = 0; i < values; i++)
        a->value[i] = cr_model_value(model, column, i);
    return CR_OK;
}

/* --- the grid --------------------------------------------------------------------------------- */

/* One "COLUMN=VALUE". */
static cr_status fix_one(const cr_model *model, const char *pair, cr_row *row, cr_error *err)
{
    const char *equals = strrchr(pair, '=');
    char *name;
    size_t column;
    double x;
    cr_status st;

    if (equals == NULL)
        return cr__fail(err, CR_EARG, "'%s' is not COLUMN=VALUE", pair);
    if ((name = cr__strndup(pair, (size_t)(equals - pair))) == NULL)
        return cr__fail_memory(err);
    st = find_column(model, name, &column, err);
    cr__free(name);
    if (st != CR_OK)
        return st;
    if (cr_schema_kind(cr_model_schema(model), column) != CR_REAL)
        st = cr_row_set_text(row, column, equals + 1);
    else if (cr__parse_double(equals + 1, strlen(equals + 1), &x) == CR__NUMBER_OK)
        st = cr_row_set_real(row, column, x);
    else
        st = CR_EARG;
    return st == CR_OK ? CR_OK
                       : cr__fail(err, st, "%s: '%s' cannot be that", pair,
                                  cr_schema_name(cr_model_schema(model), column));
}

/* A side of the grid for a column of the model. text has room for a pointer for each point of a
 * column of symbols, each of whose values has a stripe of points. */
static cr_grid_axis side_of(const axis *a, size_t column, const char **text)
{
    cr_grid_axis side = {.column = column, .points = a->points, .low = a->low, .high = a->high};

    if (a->values == 0)
        return side;
    for (size_t i = 0; i < a->points; i++)
        text[i] = a->value[(size_t)fmin(cr_grid_at(&side, i) + 0.5, (double)a->values - 1)];
    side.value = text;
    return side;
}

static cr_status fill_grid(const cr_model *model, const ground *g, field *f, size_t x, size_t y,
                           cr_error *err)
{
    const char **text = cr__alloc(g->x.points + g->y.points, sizeof *text);
    cr_row *row = NULL;
    cr_status st = text != NULL ? cr_row_new(&row, model, err) : cr__fail_memory(err);

    for (size_t i = 0; st == CR_OK && i < g->how.ats; i++)
        st = fix_one(model, g->how.at[i], row, err);
    if (st == CR_OK) {
        const cr_grid_axis across = side_of(&g->x, x, text),
                           up = side_of(&g->y, y, text + g->x.points);

        st = cr_row_grid(row, &across, &up, f->posterior, err);
    }
    cr_row_free(row);
    cr__free(text);
    return st;
}

/* The Gaussians of the classes, where the model has them. CR_ENOMEM. */
static cr_status find_ellipses(const cr_model *model, field *f, size_t x, size_t y, cr_error *err)
{
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        double mean[2], s[4], freedom;
        const cr_status st =
            cr_model_normal(model, c, (size_t[]){x, y}, 2, mean, s, &freedom, NULL);

        if (st == CR_ENOMEM)
            return cr__fail_memory(err);
        if (st == CR_OK && freedom == 0 && s[0] > 0 && s[3] > 0)
            f->ellipse[f->ellipses++] = (cr_ellipse){c, mean[0], mean[1], s[0], s[1], s[3]};
    }
    return CR_OK;
}

/* The densities of the classes along one axis; *density stays NULL where the model has none. */
static cr_status find_margin(const cr_model *model, axis *a, size_t column, double **density,
                             cr_error *err)
{
    double *at = cr__alloc(a->points, sizeof *at);
    cr_status st = CR_EARG;

    *density = cr__alloc(a->points, cr_model_classes(model) * sizeof **density);
    if (at == NULL || *density == NULL) {
        cr__free(at);
        return cr__fail_memory(err);
    }
    for (size_t i = 0; i < a->points; i++)
        at[i] = cr_grid_at(&(cr_grid_axis){.points = a->points, .low = a->low, .high = a->high}, i);
    if (a->values == 0)
        st = cr_model_density(model, column, at, a->points, *density, NULL);
    cr__free(at);
    if (st == CR_OK) {
        a->has_density = 1;
        return CR_OK;
    }
    cr__free(*density);
    *density = NULL;
    return st == CR_ENOMEM ? cr__fail_memory(err) : CR_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The position of a row: at its number, or somewhere on the stripe of its value, by a sequence that
 * fills it evenly (M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018). */
static double spread(const axis *a, double value, size_t row, double step)
{
    const double u = fmod((double)(row + 1) * step, 1);

    return a->values > 0 ? value + 0.7 * (u - 0.5) : value;
}

/* Every n-th row when there are many. */
static cr_status thin_out(ground *g, const cr_values *v, cr_drawn *drawn, cr_error *err)
{
    const size_t every = v->rows / MOST_POINTS + 1;

    g->px = cr__alloc(MOST_POINTS + 1, sizeof *g->px);
    g->py = cr__alloc(MOST_POINTS + 1, sizeof *g->py);
    g->class_index = cr__alloc(MOST_POINTS + 1, sizeof *g->class_index);
    if (g->px == NULL || g->py == NULL || g->class_index == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < v->rows && g->points <= MOST_POINTS; i += every)
        if (isfinite(v->value[2 * i] + v->value[2 * i + 1])) {
            g->px[g->points] = spread(&g->x, v->value[2 * i], i, 0.7548776662466927);
            g->py[g->points] = spread(&g->y, v->value[2 * i + 1], i, 0.5698402909980532);
            g->class_index[g->points++] = v->class_index[i];
        }
    drawn->rows = v->rows;
    drawn->every = every;
    return CR_OK;
}

/* The columns, their ranges, and the rows. */
static cr_status prepare(ground *g, const cr_model *model, cr_source *source, const cr_run *run,
                         cr_drawn *drawn, cr_error *err)
{
    size_t column[2];
    cr_values v = {0};
    cr_status st = cr__draw_ready(model, err);

    if (st == CR_OK)
        st = choose_columns(model, g, err);
    if (st == CR_OK)
        st = find_column(model, g->x.name, &column[0], err);
    if (st == CR_OK)
        st = find_column(model, g->y.name, &column[1], err);
    if (st == CR_OK && source != NULL)
        st = cr_values_read(&v, model, source, column, 2, run, err);
    if (st == CR_OK)
        st = set_axis(g, &g->x, model, column[0], &v, 0, COLUMNS, err);
    if (st == CR_OK)
        st = set_axis(g, &g->y, model, column[1], &v, 1, ROWS, err);
    if (st == CR_OK)
        st = thin_out(g, &v, drawn, err);
    cr_values_free(&v);
    return st;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void posterior_json(cr_json *j, const cr_model *model, const ground *g, const field *f)
{
    const size_t classes = cr_model_classes(model), columns = g->x.points;

    cr_json_object(j, "posterior", CR_JSON_BLOCK);
    for (size_t c = 0; c < classes; c++) {
        cr_json_array(j, cr_model_class(model, c), CR_JSON_BLOCK);
        for (size_t row = 0; row < g->y.points; row++) {
            cr_json_array(j, NULL, CR_JSON_LINE);
            for (size_t i = 0; i < columns; i++)
                cr_json_number(j, NULL, f->posterior[(row * columns + i) * classes + c]);
            cr_json_end(j);
        }
        cr_json_end(j);
    }
    cr_json_end(j);
}

static void margin_json(cr_json *j, const cr_model *model, const char *key, const axis *a,
                        const double *density)
{
    if (density == NULL)
        return;
    cr_json_object(j, key, CR_JSON_BLOCK);
    for (size_t c = 0; c < cr_model_classes(model); c++)
        cr_json_numbers(j, cr_model_class(model, c), density + c * a->points, a->points);
    cr_json_end(j);
}

static void surface_json(cr_json *j, const cr_model *model, const char *name, const ground *g,
                         const field *f)
{
    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "model", name);
    posterior_json(j, model, g, f);
    cr_json_array(j, "gaussians", CR_JSON_BLOCK);
    for (size_t i = 0; i < f->ellipses; i++) {
        const cr_ellipse *e = &f->ellipse[i];

        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "class", cr_model_class(model, e->class_index));
        cr_json_numbers(j, "mean", (double[]){e->x, e->y}, 2);
        cr_json_numbers(j, "covariance", (double[]){e->xx, e->xy, e->xy, e->yy}, 4);
        cr_json_end(j);
    }
    cr_json_end(j);
    margin_json(j, model, "x_density", &g->x, f->x_density);
    margin_json(j, model, "y_density", &g->y, f->y_density);
    cr_json_end(j);
}

static void axis_json(cr_json *j, const axis *a, const char *name, const char *limits,
                      const char *values)
{
    cr_json_text(j, name, a->name);
    if (a->values == 0) {
        cr_json_numbers(j, limits, (double[]){a->low, a->high}, 2);
        return;
    }
    cr_json_array(j, values, CR_JSON_LINE);
    for (size_t i = 0; i < a->values; i++)
        cr_json_text(j, NULL, a->value[i]);
    cr_json_end(j);
}

/* --- panels ----------------------------------------------------------------------------------- */

static void free_field(field *f)
{
    cr__free(f->posterior);
    cr__free(f->ellipse);
    cr__free(f->x_density);
    cr__free(f->y_density);
    cr__free(f->name);
}

static cr_status make_field(field *f, const cr_model *model, ground *g, cr_error *err)
{
    const size_t classes = cr_model_classes(model);
    size_t x, y;
    cr_status st;

    f->posterior = cr__alloc(g->x.points * g->y.points, classes * sizeof *f->posterior);
    f->ellipse = cr__alloc(classes, sizeof *f->ellipse);
    f->name = cr__alloc(classes, sizeof *f->name);
    if (f->posterior == NULL || f->ellipse == NULL || f->name == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < classes; c++)
        f->name[c] = cr_model_class(model, c);
    if ((st = find_column(model, g->x.name, &x, err)) == CR_OK &&
        (st = find_column(model, g->y.name, &y, err)) == CR_OK &&
        (st = fill_grid(model, g, f, x, y, err)) == CR_OK && g->x.values + g->y.values == 0)
        st = find_ellipses(model, f, x, y, err);
    if (st == CR_OK && g->how.margins)
        st = find_margin(model, &g->x, x, &f->x_density, err);
    if (st == CR_OK && g->how.margins)
        st = find_margin(model, &g->y, y, &f->y_density, err);
    return st;
}

static cr_status draw_one(cr_figure *figure, const cr_model *model, const char *name, ground *g,
                          cr_json *numbers, cr_error *err)
{
    const cr_axes axes = {g->how.title != NULL ? g->how.title : cr__short_name(name, "the model"),
                          {g->x.name, g->x.low, g->x.high, 0},
                          {g->y.name, g->y.low, g->y.high, 0}};
    field f = {0};
    cr_status st = make_field(&f, model, g, err);

    if (st == CR_OK) {
        const cr_surface surface = {.columns = g->x.points,
                                    .rows = g->y.points,
                                    .classes = cr_model_classes(model),
                                    .posterior = f.posterior,
                                    .name = f.name,
                                    .x = g->px,
                                    .y = g->py,
                                    .class_index = g->class_index,
                                    .points = g->points,
                                    .ellipse = f.ellipse,
                                    .ellipses = f.ellipses,
                                    .x_name = g->x.value,
                                    .x_names = g->x.values,
                                    .y_name = g->y.value,
                                    .y_names = g->y.values,
                                    .x_density = f.x_density,
                                    .y_density = f.y_density};

        st = cr_figure_add_surface(figure, &axes, &surface, err);
    }
    if (st == CR_OK && numbers != NULL)
        surface_json(numbers, model, name, g, &f);
    free_field(&f);
    return st;
}

static cr_status check_classes(const cr_model *model, cr_error *err)
{
    if (cr_model_has_classes(model))
        return CR_OK;
    cr__fail(err, CR_EARG, "the model predicts a number and has no classes to draw");
    return cr__fail_hint(err, CR_EARG,
                         "predicted, residuals, errors and coverage are pictures of numbers");
}

cr_status cr_draw_surfaces(cr_figure *figure, cr_model *const *models, const char *const *names,
                           size_t count, cr_source *source, const cr_draw_options *options,
                           const cr_run *run, cr_json *numbers, cr_drawn *drawn, cr_error *err)
{
    ground g = {0};
    cr_drawn left = {0};
    cr_status st = cr__sized_take(&g.how, sizeof g.how, options, "cr_draw_options", err);

    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = check_classes(models[i], err);
    if (st == CR_OK)
        st = count > 0 ? prepare(&g, models[0], source, run, &left, err)
                       : cr__fail(err, CR_EARG, "a surface needs a model");
    if (st == CR_OK && numbers != NULL) {
        axis_json(numbers, &g.x, "x", "x_limits", "x_values");
        axis_json(numbers, &g.y, "y", "y_limits", "y_values");
        cr_json_array(numbers, "surfaces", CR_JSON_BLOCK);
    }
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = draw_one(figure, models[i], names != NULL ? names[i] : NULL, &g, numbers, err);
    if (st == CR_OK && numbers != NULL)
        cr_json_end(numbers);
    if (g.how.margins && !(g.x.has_density && g.y.has_density))
        left.no_density = g.x.has_density ? g.y.name : g.x.name;
    if (drawn != NULL)
        *drawn = left;
    cr__free(g.px);
    cr__free(g.py);
    cr__free(g.class_index);
    return st;
}
