/* render/curve_pairs.c - learning curves side by side, each against the first. */
#include <math.h>

#include "render/results.h"

/* p of the paired test against the first curve; NaN for the first itself. */
static double p_against_first(const cr_learning_curve *const *curve, size_t i, size_t point)
{
    cr_paired p = {.p = NAN};

    if (i > 0)
        cr_compare_curves(curve[i], curve[0], point, CR_ROPE, &p);
    return p.p;
}

cr_status cr_curve_pairs_json(const cr_learning_curve *const *curve, const char *const *name,
                              size_t count, cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_number(&j, "repeats", (double)curve[0]->repeats);
    cr_json_number(&j, "tested", (double)curve[0]->tested);
    cr_json_array(&j, "points", CR_JSON_BLOCK);
    for (size_t k = 0; k < curve[0]->points; k++)
        for (size_t i = 0; i < count; i++) {
            cr_json_object(&j, NULL, CR_JSON_LINE);
            cr_learning_point_json(&j, name[i], &curve[i]->point[k], curve[0]->numbers);
            cr_json_number(&j, "p", p_against_first(curve, i, k));
            cr_json_end(&j);
        }
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}

/* Programs get p as people see it, in a column of their own. */
static void columns(cr_sheet *s, int numbers)
{
    static const char *const plain[] = {"size", "learner", "parameters"};
    static const char p[] = "p(t) against the first";
    const cr_show show = numbers ? CR_SHOW_PLAIN : CR_SHOW_PERCENT;
    const char *main = numbers ? "RMSE" : "accuracy", *log = numbers ? "log density" : "log loss";

    cr__sheet_name(s, plain, CR__COUNT_OF(plain));
    cr__sheet_column(s, (cr_field){main, main, NULL, show, CR_FOR_ALL});
    cr__sheet_column(s, (cr_field){"low", "low", NULL, show, CR_FOR_ALL});
    cr__sheet_column(s, (cr_field){"high", "high", NULL, show, CR_FOR_ALL});
    cr__sheet_column(s, (cr_field){log, log, NULL, CR_SHOW_PLAIN, CR_FOR_ALL});
    cr__sheet_column(s, (cr_field){p, p, NULL, CR_SHOW_P, CR_FOR_PEOPLE});
    cr__sheet_column(s, (cr_field){p, p, NULL, CR_SHOW_P, CR_FOR_PROGRAMS});
}

/* An accuracy is in 0 … 1, an RMSE not below 0, and so are the ends of their intervals. */
static void point_cells(cr_sheet *s, const cr_learning_point *at, int numbers)
{
    const cr_spread *main = numbers ? &at->rmse : &at->accuracy;

    cr__sheet_number(s, at->parameters);
    cr__sheet_number(s, main->mean);
    cr__sheet_number(s, fmax(main->low, 0));
    cr__sheet_number(s, numbers ? main->high : fmin(main->high, 1));
    cr__sheet_number(s, numbers ? at->log_density.mean : at->log_loss.mean);
}

cr_status cr_curve_pairs_sheet(cr_sheet **out, const cr_learning_curve *const *curve,
                               const char *const *name, size_t count, cr_error *err)
{
    char shown[CR_SHOW_SIZE];
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    columns(*out, curve[0]->numbers);
    for (size_t k = 0; k < curve[0]->points; k++)
        for (size_t i = 0; i < count; i++) {
            const double p = p_against_first(curve, i, k);

            cr__sheet_number(*out, (double)curve[i]->point[k].size);
            cr__sheet_text(*out, name[i]);
            point_cells(*out, &curve[i]->point[k], curve[0]->numbers);
            cr__sheet_maybe(*out, i > 0, p);
            cr__sheet_own(*out, i > 0 ? cr_show_number(shown, CR_SHOW_P, p) : "");
        }
    return cr__sheet_done(out, err);
}
