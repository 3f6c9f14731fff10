/* plot/margins.c - densities of the classes along the axes of a surface, outside its frame.
 *
 * The highest point of all curves of an axis fills the strip.
 */
#include "plot/margins.h"

#include <math.h>

#include "base/memory.h"
#include "plot/palette.h"

#define STRIP 34.0
#define GAP 3.0 /* between the frame and the curves */

static double highest(const double *density, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(density[i]))
            most = fmax(most, density[i]);
    return most;
}

/* One class; `along` is the axis of the numbers, `base` where a density of 0 is, and `step` the
 * length of a density of 1, negative if it goes up. */
static void put_curve(cr__chart *chart, size_t class_index, const double *density, size_t count,
                      const cr__scale *along, double base, double step)
{
    const cr__pen pen = {
        .stroke = cr__hue(class_index), .width = 1.1, .dash = cr__hue_dash(class_index)};
    cr__point *point = cr__alloc(count, sizeof *point);
    size_t length = 0;

    if (point == NULL) {
        chart->canvas->failed = 1;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const double at = along->low + (along->high - along->low) * (double)i / (double)(count - 1);
        const double place = cr__scale_at(along, at), far = base + step * density[i];

        if (isfinite(density[i])) {
            point[length++] = step < 0 ? (cr__point){place, far} : (cr__point){far, place};
            continue;
        }
        cr__canvas_path(chart->canvas, pen, point, length, 0);
        length = 0;
    }
    cr__canvas_path(chart->canvas, pen, point, length, 0);
    cr__free(point);
}

void cr__margins_room(cr__chart *chart, const cr_surface *s)
{
    chart->top_room = s->x_density != NULL ? STRIP + GAP : 0;
    chart->right_room = s->y_density != NULL ? STRIP + GAP : 0;
}

void cr__margins_put(cr__chart *chart, const cr_surface *s)
{
    const double x_most = s->x_density == NULL ? 0 : highest(s->x_density, s->classes * s->columns);
    const double y_most = s->y_density == NULL ? 0 : highest(s->y_density, s->classes * s->rows);

    for (size_t c = 0; c < s->classes; c++) {
        if (x_most > 0)
            put_curve(chart, c, s->x_density + c * s->columns, s->columns, &chart->x,
                      chart->top - GAP, -STRIP / x_most);
        if (y_most > 0)
            put_curve(chart, c, s->y_density + c * s->rows, s->rows, &chart->y, chart->right + GAP,
                      STRIP / y_most);
    }
}
