/* decide/grid.c - the posteriors of a classifier over two columns, point by point. */
#include "credence/grid.h"

#include "base/fail.h"
#include "decide/row.h"

double cr_grid_at(const cr_grid_axis *a, size_t point)
{
    return a->points < 2 ? a->low
                         : a->low + (a->high - a->low) * (double)point / (double)(a->points - 1);
}

static cr_status set_point(cr_row *row, const cr_grid_axis *a, size_t point, cr_error *err)
{
    const cr_status st = a->value != NULL ? cr_row_set_text(row, a->column, a->value[point])
                                          : cr_row_set_real(row, a->column, cr_grid_at(a, point));

    if (st == CR_OK)
        return CR_OK;
    return st == CR_ENOMEM ? cr__fail_memory(err)
                           : cr__fail(err, st, "column %zu cannot have this %s", a->column + 1,
                                      a->value != NULL ? "value" : "number");
}

cr_status cr_row_grid(cr_row *row, const cr_grid_axis *x, const cr_grid_axis *y, double *posterior,
                      cr_error *err)
{
    const size_t classes = cr_model_classes(row->model);
    cr_status st = CR_OK;
    cr_decision d;

    for (size_t j = 0; st == CR_OK && j < y->points; j++) {
        st = set_point(row, y, j, err);
        for (size_t i = 0; st == CR_OK && i < x->points; i++, posterior += classes) {
            if ((st = set_point(row, x, i, err)) != CR_OK)
                return st;
            if ((st = cr_row_classify(row, NULL, posterior, &d)) != CR_OK)
                cr__fail(err, st, "%s", cr_status_text(st));
        }
    }
    return st;
}
