/* learners/logistic/prior.c - what is assumed before the rows: priors, class weights, ratios.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/logistic/fit.h"

/* --- weights of classes -------------------------------------------------------------------- */

static cr_status check_class_list(const char *list, const cr__stats *stats, cr_error *err)
{
    const cr__dict *dict = stats->column[stats->schema->target].dict;
    char buffer[256];
    const char *name;
    double number;
    cr_status st;

    for (size_t i = 0;
         (st = cr__list_item(list, i, buffer, sizeof buffer, &name, &number)) != CR_END; i++) {
        if (st != CR_OK || number < 0)
            return cr__fail(err, CR_EARG,
                            "class-weight is '%s'; it must be none, balanced, or CLASS:W,CLASS:W",
                            list);
        if (name != NULL && cr__dict_find(dict, name, strlen(name)) == CR__MISSING)
            return cr__fail(err, CR_EARG, "class-weight names '%s', which is not a class", name);
    }
    return CR_OK;
}

/* balanced: N / (K N_c), as in scikit-learn: every class counts the same in total. */
cr_status cr__lr_class_weights(double **out, const cr__stats *stats, const cr__knobs *knobs,
                               cr_error *err)
{
    const char *list = cr__knobs_text(knobs, "class-weight");
    const int balanced = strcmp(list, "balanced") == 0;
    double total = 0;
    cr_status st;

    *out = NULL;
    if (strcmp(list, "none") == 0)
        return CR_OK;
    if (!balanced && (st = check_class_list(list, stats, err)) != CR_OK)
        return st;
    if ((*out = cr__alloc(stats->classes, sizeof **out)) == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < stats->classes; c++)
        total += cr__count_value(cr__stats_class(stats, c));
    for (size_t c = 0; c < stats->classes; c++) {
        const double count = cr__count_value(cr__stats_class(stats, c));
        const char *name =
            cr__dict_word(stats->column[stats->schema->target].dict, (uint32_t)c + 1, NULL);

        (*out)[c] = !balanced   ? cr__list_number(list, name, 1)
                    : count > 0 ? total / ((double)stats->classes * count)
                                : 0;
    }
    return CR_OK;
}

/* --- precision ----------------------------------------------------------------------------- */

/* What a unit of a feature of a column is in its spreads: 1 for a symbol. */
static double spread_of(const cr__lr_fit *f, size_t column)
{
    const double spread = f->lr->frame[2 * column + 1];

    return f->lr->shape.slot[column].kind == CR_REAL && spread > 0 ? spread : 1;
}

void cr__lr_precision(const cr__lr_fit *f, double lambda, double *precision)
{
    const cr__lr_shape *shape = &f->lr->shape;
    const int raw = cr__knobs_is(f->input->knobs, "standardise", "no");

    for (size_t s = 0; s < shape->sets; s++)
        precision[s] = 0;
    for (size_t p = shape->sets; p < cr__lr_parameters(shape); p++)
        precision[p] = lambda;
    for (size_t i = 0; raw && i < shape->columns; i++) {
        const double spread = f->lr->frame[2 * i + 1];
        double *of = precision + (1 + shape->slot[i].first) * shape->sets;

        for (size_t s = 0; shape->slot[i].kind == CR_REAL && spread > 0 && s < shape->sets; s++)
            of[s] = lambda / (spread * spread);
    }
    for (size_t k = 0; raw && k < shape->pairs; k++) {
        const cr__lr_pair *pair = &shape->pair[k];
        const double a = spread_of(f, pair->a), b = spread_of(f, pair->b);
        double *of = precision + (1 + pair->first) * shape->sets;

        for (size_t p = 0; p < pair->count * shape->sets; p++)
            of[p] = lambda / (a * a * b * b);
    }
}

/* --- mean ---------------------------------------------------------------------------------- */

/* The value of a symbol column that "COLUMN=VALUE" names, as the feature that codes it. */
static int find_value(const cr__lr_fit *f, size_t i, const char *value, size_t *feature)
{
    const cr__lr_slot *slot = &f->lr->shape.slot[i];
    const cr__dict *dict = f->input->stats->column[i].dict;
    const uint32_t code = cr__dict_find(dict, value, strlen(value));
    double x;

    if (code == CR__MISSING || cr__lr_code_size(slot, code - 1) != 1)
        return 0;
    cr__lr_code(slot, code - 1, 0, feature, &x);
    return 1;
}

/* One item of the list, in the units of the search: a real is divided by its spread there. */
static cr_status set_mean(cr__lr_fit *f, const char *name, double mean, cr_error *err)
{
    const cr_schema *schema = f->input->stats->schema;
    const cr__lr_shape *shape = &f->lr->shape;

    for (size_t i = 0; i < shape->columns; i++) {
        const size_t length = strlen(schema->column[i].name);
        size_t feature = shape->slot[i].first;
        double scale = 1;

        if (strncmp(name, schema->column[i].name, length) != 0)
            continue;
        if (shape->slot[i].kind == CR_REAL && name[length] == '\0')
            scale = f->lr->frame[2 * i + 1];
        else if (shape->slot[i].kind != CR_SYMBOL || name[length] != '=' ||
                 !find_value(f, i, name + length + 1, &feature))
            continue;
        f->centre[(1 + feature) * shape->sets] = mean * scale;
        return CR_OK;
    }
    cr__fail(err, CR_EARG, "prior-mean names '%s', which is not a weight", name);
    return cr__fail_hint(err, CR_EARG, "a number is named by its column, a value as COLUMN=VALUE");
}

cr_status cr__lr_prior_mean(cr__lr_fit *f, cr_error *err)
{
    const char *list = cr__knobs_text(f->input->knobs, "prior-mean");
    char buffer[256];
    const char *name;
    double number;
    cr_status st;

    if (strcmp(list, "0") == 0)
        return CR_OK;
    if (f->prior != CR__LR_GAUSSIAN || f->lr->shape.sets != 1)
        return cr__fail(err, CR_EARG,
                        "prior-mean goes with prior=gaussian and two classes, of "
                        "which the second has the weights");
    f->centre = cr__alloc_zero(cr__lr_parameters(&f->lr->shape), sizeof *f->centre);
    if (f->centre == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0;
         (st = cr__list_item(list, i, buffer, sizeof buffer, &name, &number)) != CR_END; i++) {
        if (st != CR_OK || name == NULL)
            return cr__fail(err, CR_EARG, "prior-mean is '%s'; it must be NAME:M,NAME:M,…", list);
        if ((st = set_mean(f, name, number, err)) != CR_OK)
            return st;
    }
    return CR_OK;
}

/* --- log-count ratios ---------------------------------------------------------------------- */

static double cell_count(const cr__bag *bag, size_t cell, int binary)
{
    return binary ? bag->cell[cell].documents : (double)bag->cell[cell].terms;
}

/* r_wc = ln( (x_wc + α) / Σ_w (x_wc + α) ) - the same for all other classes together, where x_wc is
 * how often word w occurs in class c: in how many of its texts when weight=binary. */
static cr_status text_ratios(double *scale, const cr__lr_shape *shape, const cr__lr_slot *slot,
                             const cr__bag *bag, int binary, double alpha)
{
    const size_t classes = bag->classes;
    double *total = cr__alloc_zero(classes + 1, sizeof *total);
    double *count = cr__alloc(classes, sizeof *count);

    if (total == NULL || count == NULL) {
        cr__free(total);
        cr__free(count);
        return CR_ENOMEM;
    }
    for (size_t k = 0; k < bag->cells; k++) {
        total[bag->cell[k].class_index] += cell_count(bag, k, binary);
        total[classes] += cell_count(bag, k, binary);
    }
    for (size_t w = 0; w < bag->words; w++) {
        const double plus = alpha * (double)bag->words;
        double *of = scale + (1 + slot->first + w) * shape->sets, all = 0;

        memset(count, 0, classes * sizeof *count);
        for (uint64_t k = bag->row[w]; k < bag->row[w + 1]; k++) {
            count[bag->cell[k].class_index] += cell_count(bag, k, binary);
            all += cell_count(bag, k, binary);
        }
        for (size_t s = 0; s < shape->sets; s++) {
            const size_t c = shape->first_class + s;

            of[s] = log((count[c] + alpha) / (total[c] + plus)) -
                    log((all - count[c] + alpha) / (total[classes] - total[c] + plus));
        }
    }
    cr__free(total);
    cr__free(count);
    return CR_OK;
}

cr_status cr__lr_ratios(double **out, const cr__lr_shape *shape, const cr__stats *stats,
                        const cr__knobs *knobs, cr_error *err)
{
    const size_t all = cr__lr_parameters(shape);
    const int binary = cr__knobs_is(knobs, "weight", "binary");
    double *scale;
    cr_status st;

    *out = NULL;
    if (cr__knobs_is(knobs, "length-norm", "l2"))
        return CR_OK; /* they are part of the features: cr__lr_ratio */
    *out = scale = cr__alloc(all, sizeof *scale);
    st = scale == NULL ? CR_ENOMEM : CR_OK;
    for (size_t p = 0; st == CR_OK && p < all; p++)
        scale[p] = 1;
    for (size_t i = 0; st == CR_OK && i < shape->columns; i++)
        if (shape->slot[i].kind == CR_BAG)
            st = text_ratios(scale, shape, &shape->slot[i], stats->column[i].bag, binary,
                             cr__knobs_number(knobs, "alpha"));
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

/* |r_w|, for more than one set of weights √(Σ_s r_ws² / sets). The weights supply the sign. */
cr_status cr__lr_ratio(double **out, const cr__lr_shape *shape, const cr__bag *bag,
                       const cr__knobs *knobs, cr_error *err)
{
    const size_t sets = shape->sets;
    const cr__lr_slot slot = {.first = 0};
    double *ratio;

    *out = NULL;
    if (!cr__knobs_is(knobs, "features", "log-count-ratio") ||
        !cr__knobs_is(knobs, "length-norm", "l2"))
        return CR_OK;
    if ((ratio = cr__alloc((bag->words + 1) * sets, sizeof *ratio)) == NULL)
        return cr__fail_memory(err);
    *out = ratio;
    if (text_ratios(ratio, shape, &slot, bag, cr__knobs_is(knobs, "weight", "binary"),
                    cr__knobs_number(knobs, "alpha")) != CR_OK)
        return cr__fail_memory(err);
    for (size_t w = 0; w < bag->words; w++) {
        double squares = 0;

        for (size_t s = 0; s < sets; s++)
            squares += ratio[(1 + w) * sets + s] * ratio[(1 + w) * sets + s];
        ratio[w] = sqrt(squares / (double)sets);
    }
    return CR_OK;
}
