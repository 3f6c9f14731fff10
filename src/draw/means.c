/* draw/means.c - the mean of every number in each class, as an image: digits by their pixels, scans
 * by their voxels.
 *
 * The real features are pixels in their order, row by row; those of a scan slice by slice, with the
 * slices side by side. All classes have the same scale.
 */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "draw/draw.h"

enum { CLASSES_DRAWN = 20 };

typedef struct means {
    size_t *column; /* [pixels] of the schema */
    size_t pixels, width, height, slices;
    size_t across, down; /* slices beside and below each other */
    double *mean;        /* [classes * pixels] */
    double *image;       /* of one class */
    double low, high;
} means;

static void means_free(means *m)
{
    cr__free(m->column);
    cr__free(m->mean);
    cr__free(m->image);
}

static cr_status find_pixels(means *m, const cr_model *model, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(model);
    const size_t columns = cr_schema_columns(schema);

    if ((m->column = cr__alloc(columns, sizeof *m->column)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < columns; i++)
        if (cr_schema_kind(schema, i) == CR_REAL && cr_schema_role(schema, i) == CR_ROLE_FEATURE)
            m->column[m->pixels++] = i;
    return m->pixels > 0 ? CR_OK : cr__fail(err, CR_EARG, "the model has no numbers to draw");
}

/* As requested, or one square. */
static cr_status find_shape(means *m, size_t width, size_t height, cr_error *err)
{
    const size_t side = (size_t)llround(sqrt((double)m->pixels));

    m->width = width > 0 ? width : side;
    m->height = height > 0 ? height : width > 0 ? m->pixels / width : side;
    if (m->width == 0 || m->height == 0 || m->width > m->pixels || m->pixels % m->width != 0 ||
        (m->pixels / m->width) % m->height != 0) {
        cr__fail(err, CR_EARG, "%zu numbers are no images of %zu by %zu", m->pixels, m->width,
                 m->height);
        return cr__fail_hint(err, CR_EARG,
                             "the width and height of an image, or of a slice, say how they lie");
    }
    m->slices = m->pixels / m->width / m->height;
    m->across = (size_t)ceil(sqrt((double)m->slices * (double)m->height / (double)m->width));
    m->across = m->across < m->slices ? m->across : m->slices;
    m->down = (m->slices + m->across - 1) / m->across;
    return CR_OK;
}

static cr_status read_means(means *m, const cr_model *model, cr_error *err)
{
    const size_t classes = cr_model_classes(model);
    cr_gaussian g;

    m->mean = cr__alloc(classes * m->pixels + 1, sizeof *m->mean);
    m->image = cr__alloc(m->across * (m->width + 1) * m->down * (m->height + 1), sizeof *m->image);
    if (m->mean == NULL || m->image == NULL)
        return cr__fail_memory(err);
    m->low = INFINITY;
    m->high = -INFINITY;
    for (size_t c = 0; c < classes; c++)
        for (size_t i = 0; i < m->pixels; i++) {
            double *mean = &m->mean[c * m->pixels + i];

            if (cr_model_gaussian(model, m->column[i], c, &g) != CR_OK)
                return cr__fail(err, CR_EARG, "a model of '%s' keeps no means of '%s'",
                                cr_model_learner(model),
                                cr_schema_name(cr_model_schema(model), m->column[i]));
            *mean = g.count > 0 ? g.fitted_mean : NAN;
            m->low = fmin(m->low, *mean);
            m->high = fmax(m->high, *mean);
        }
    return CR_OK;
}

static cr_status means_make(means *m, const cr_model *model, size_t width, size_t height,
                            cr_error *err)
{
    cr_status st;

    *m = (means){0};
    if ((st = cr__draw_ready(model, err)) == CR_OK && (st = find_pixels(m, model, err)) == CR_OK &&
        (st = find_shape(m, width, height, err)) == CR_OK)
        st = read_means(m, model, err);
    return st;
}

/* The slices of a class side by side, with a pixel between them. */
static cr_image lay_out(means *m, size_t c)
{
    const size_t columns = m->across * (m->width + 1) - 1, rows = m->down * (m->height + 1) - 1;

    for (size_t i = 0; i < columns * rows; i++)
        m->image[i] = NAN;
    for (size_t i = 0; i < m->pixels; i++) {
        const size_t slice = i / (m->width * m->height), within = i % (m->width * m->height);
        const size_t x = slice % m->across * (m->width + 1) + within % m->width;
        const size_t y = slice / m->across * (m->height + 1) + within / m->width;

        m->image[y * columns + x] = m->mean[c * m->pixels + i];
    }
    return (cr_image){columns, rows, m->image, m->low, m->high};
}

cr_status cr_draw_means(cr_figure *figure, const char *title, const cr_model *model, size_t only,
                        size_t width, size_t height, size_t *drawn, cr_error *err)
{
    const size_t classes = cr_model_classes(model);
    const size_t first = only != SIZE_MAX ? only : 0;
    const size_t last = only != SIZE_MAX          ? only + 1
                        : classes < CLASSES_DRAWN ? classes
                                                  : CLASSES_DRAWN;
    means m;
    cr_status st = means_make(&m, model, width, height, err);

    for (size_t c = first; st == CR_OK && c < last; c++) {
        const cr_image image = lay_out(&m, c);

        st = cr_figure_add_image(figure, title != NULL ? title : cr_model_class(model, c), &image,
                                 err);
    }
    if (drawn != NULL)
        *drawn = only != SIZE_MAX ? classes : last;
    means_free(&m);
    return st;
}

cr_status cr__means_numbers(cr_json *j, const cr_model *model, size_t width, size_t height,
                            cr_error *err)
{
    means m;
    cr_status st = means_make(&m, model, width, height, err);

    if (st == CR_OK) {
        cr_json_number(j, "width", (double)m.width);
        cr_json_number(j, "height", (double)m.height);
        cr_json_number(j, "slices", (double)m.slices);
        cr_json_object(j, "means", CR_JSON_BLOCK);
        for (size_t c = 0; c < cr_model_classes(model); c++)
            cr_json_numbers(j, cr_model_class(model, c), m.mean + c * m.pixels, m.pixels);
        cr_json_end(j);
    }
    means_free(&m);
    return st;
}
