/* plot/contour.c - marching squares: W. Lorensen and H. Cline's marching cubes (1987) in the plane.
 *
 * Each square of the grid is crossed where the signs at its corners differ, at the place that
 * linear interpolation gives. Ambiguous squares, with equal signs at opposite corners, are decided
 * by the centre.
 */
#include "plot/contour.h"

#include <math.h>

#include "base/memory.h"

/* Corners of a square: 0 lower left, 1 lower right, 2 upper right, 3 upper left. */
typedef struct square {
    double value[4];
    cr__point corner[4];
} square;

static cr__point crossing(const square *s, int side)
{
    const int from = side, to = (side + 1) % 4;
    const double share = s->value[from] / (s->value[from] - s->value[to]);

    return (cr__point){s->corner[from].x + share * (s->corner[to].x - s->corner[from].x),
                       s->corner[from].y + share * (s->corner[to].y - s->corner[from].y)};
}

static int add(cr__contour *out, const square *s, int from, int to)
{
    if (!cr__grow(&out->point, &out->capacity, out->count + 2, sizeof *out->point))
        return 0;
    out->point[out->count++] = crossing(s, from);
    out->point[out->count++] = crossing(s, to);
    return 1;
}

static int march(cr__contour *out, const square *s)
{
    int crossed[4], count = 0;
    double middle = 0;

    for (int i = 0; i < 4; i++) {
        if (isnan(s->value[i]))
            return 1;
        middle += s->value[i];
    }
    for (int i = 0; i < 4; i++)
        if ((s->value[i] >= 0) != (s->value[(i + 1) % 4] >= 0))
            crossed[count++] = i;
    if (count == 2)
        return add(out, s, crossed[0], crossed[1]);
    if (count < 4)
        return 1;
    if ((middle >= 0) == (s->value[0] >= 0)) /* corners 0 and 2 are connected */
        return add(out, s, 0, 1) && add(out, s, 2, 3);
    return add(out, s, 3, 0) && add(out, s, 1, 2);
}

int cr__contour_at(cr__contour *out, const cr__grid *grid, double level)
{
    const double dx = (grid->x_high - grid->x_low) / (double)(grid->columns - 1),
                 dy = (grid->y_high - grid->y_low) / (double)(grid->rows - 1);
    static const size_t right[] = {0, 1, 1, 0}, up[] = {0, 0, 1, 1};

    *out = (cr__contour){0};
    for (size_t row = 0; row + 1 < grid->rows; row++)
        for (size_t column = 0; column + 1 < grid->columns; column++) {
            square s;

            for (size_t i = 0; i < 4; i++) {
                const size_t c = column + right[i], r = row + up[i];

                s.value[i] = grid->value[r * grid->columns + c] - level;
                s.corner[i] =
                    (cr__point){grid->x_low + (double)c * dx, grid->y_low + (double)r * dy};
            }
            if (!march(out, &s))
                return 0;
        }
    return 1;
}

void cr__contour_free(cr__contour *contour)
{
    cr__free(contour->point);
    *contour = (cr__contour){0};
}
