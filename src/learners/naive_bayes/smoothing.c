/* learners/naive_bayes/smoothing.c - P(class) and P(value | class) from counts.
 *
 * With n rows of class c that have the value, N that have any value, V values and K classes:
 *
 *   none              n / N                                  maximum likelihood
 *   laplace           (n + a) / (N + a V)                    a = 1: Laplace's rule of succession
 *   laplace-classes   (n + a) / (N + a K)                    the form some texts print
 *   m-estimate        (n + m p) / (N + m)                    m rows that follow a prior guess p
 *   dirichlet         (n + b_v - 1) / (N + Σ (b_v - 1))      mode of the posterior, Dirichlet(b …)
 *
 * a and b may be given for a column, for a value of it, and for a value within one class. The
 * guess p may be P(c), the class's share of the rows, as some texts have it; the fractions then do
 * not sum to 1.
 *
 * (Mitchell, Machine Learning, 1997, ch. 6.) All are (n + plus) / (N + plus_total). A class that
 * has no value of the column, with nothing added, is uninformative: every value is equally likely.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "learners/naive_bayes/naive_bayes.h"

static double class_share(const cr__stats *stats, size_t class_index)
{
    double all = 0;

    for (size_t c = 0; c < stats->classes; c++)
        all += cr__count_value(cr__stats_class(stats, c));
    return all > 0 ? cr__count_value(cr__stats_class(stats, class_index)) / all
                   : 1 / (double)stats->classes;
}

/* The prior guess p of the m-estimate: uniform, how common the value is in all classes, how common
 * the class is, or a number. */
static double prior_guess(const cr__stats *stats, const cr__knobs *knobs, size_t column,
                          size_t value, size_t class_index, double values)
{
    double of_value = 0, of_all = 0;

    if (cr__knobs_is(knobs, "p", "uniform"))
        return 1 / values;
    if (cr__knobs_is(knobs, "p", "class"))
        return class_share(stats, class_index);
    if (!cr__knobs_is(knobs, "p", "marginal"))
        return cr__knobs_number(knobs, "p");
    for (size_t c = 0; c < stats->classes; c++) {
        of_all += cr__nb_total(stats, column, c);
        if (value != SIZE_MAX)
            of_value += cr__count_value(cr__stats_count(stats, column, value, c));
    }
    if (of_value == 0) /* never seen: as rare as a value of one more row would be */
        return 1 / (of_all + 1);
    return of_value / of_all;
}

/* Whether a list gives numbers for single values, COLUMN:VALUE:NUMBER or
 * COLUMN:VALUE:CLASS:NUMBER. */
static int lists_values(const char *list)
{
    const char *name;
    char buffer[256];
    double number;

    for (size_t i = 0; cr__list_item(list, i, buffer, sizeof buffer, &name, &number) == CR_OK; i++)
        if (name != NULL && strchr(name, ':') != NULL)
            return 1;
    return 0;
}

/* Whether what is added may differ from class to class: p=class, or COLUMN:VALUE:CLASS:NUMBER. */
static int adds_by_class(const cr__knobs *knobs)
{
    const char *list =
        cr__knobs_text(knobs, cr__knobs_is(knobs, "smoothing", "dirichlet") ? "beta" : "alpha");
    const char *name, *colon;
    char buffer[256];
    double number;

    if (cr__knobs_is(knobs, "smoothing", "m-estimate"))
        return cr__knobs_is(knobs, "p", "class");
    for (size_t i = 0; cr__list_item(list, i, buffer, sizeof buffer, &name, &number) == CR_OK; i++)
        if (name != NULL && (colon = strchr(name, ':')) != NULL && strchr(colon + 1, ':') != NULL)
            return 1;
    return 0;
}

/* The number that a list has under a name, or another. */
static double named(const char *list, const char *name, double otherwise)
{
    const char *item;
    char buffer[256];
    double number;

    for (size_t i = 0; cr__list_item(list, i, buffer, sizeof buffer, &item, &number) == CR_OK; i++)
        if (item != NULL && strcmp(item, name) == 0)
            otherwise = number;
    return otherwise;
}

/* The number for a value in a class: their own, or that of the value, or that of the column.
 * SIZE_MAX is any value that is not seen. */
static double listed(const char *list, const cr__stats *stats, size_t column, size_t value,
                     size_t class_index, double fallback)
{
    const char *name = stats->schema->column[column].name;
    const cr__dict *dict = stats->column[column].dict;
    const double of_column = cr__list_number(list, name, fallback);
    const size_t target = stats->schema->target;
    const char *word;
    char both[256], all[256];

    if (value == SIZE_MAX || dict == NULL || value >= dict->words || !lists_values(list))
        return of_column;
    word = cr__dict_word(dict, (uint32_t)value + 1, NULL);
    snprintf(both, sizeof both, "%s:%s", name, word);
    if (target == SIZE_MAX || stats->column[target].dict == NULL)
        return named(list, both, of_column);
    snprintf(all, sizeof all, "%s:%s:%s", name, word,
             cr__dict_word(stats->column[target].dict, (uint32_t)class_index + 1, NULL));
    return named(list, all, named(list, both, of_column));
}

/* A number for (n + a_v - less) / (N + Σ (a_v - less)): what a list adds, and all that it adds. */
typedef struct addition {
    const char *list;
    double fallback, less;
    int one_more; /* whether there is a place for any other value */
} addition;

static cr__nb_rule add_listed(const cr__stats *stats, addition a, size_t column, size_t value,
                              size_t class_index)
{
    const size_t values = cr__stats_values(stats, column);
    const double rest = listed(a.list, stats, column, SIZE_MAX, class_index, a.fallback) - a.less;
    cr__nb_rule rule = {listed(a.list, stats, column, value, class_index, a.fallback) - a.less,
                        rest * (double)(values + (size_t)a.one_more)};

    for (size_t v = 0; lists_values(a.list) && v < values; v++)
        rule.plus_total +=
            listed(a.list, stats, column, v, class_index, a.fallback) - a.less - rest;
    return rule;
}

cr__nb_rule cr__nb_smoothing(const cr__stats *stats, const cr__knobs *knobs, size_t column,
                             size_t value, size_t class_index)
{
    const char *name = stats->schema->column[column].name;
    const int one_more = cr__knobs_is(knobs, "unseen", "smooth"); /* a place for any other value */
    const double values = (double)cr__stats_values(stats, column) + one_more;

    if (cr__knobs_is(knobs, "smoothing", "m-estimate")) {
        const double m = cr__list_number(cr__knobs_text(knobs, "m"), name, 1);

        return (cr__nb_rule){m * prior_guess(stats, knobs, column, value, class_index, values), m};
    }
    if (cr__knobs_is(knobs, "smoothing", "laplace-classes")) {
        const double a = cr__list_number(cr__knobs_text(knobs, "alpha"), name, 1);

        return (cr__nb_rule){a, a * (double)stats->classes};
    }
    if (cr__knobs_is(knobs, "smoothing", "laplace"))
        return add_listed(stats, (addition){cr__knobs_text(knobs, "alpha"), 1, 0, one_more}, column,
                          value, class_index);
    if (cr__knobs_is(knobs, "smoothing", "dirichlet"))
        return add_listed(stats, (addition){cr__knobs_text(knobs, "beta"), 2, 1, one_more}, column,
                          value, class_index);
    return (cr__nb_rule){0, 0};
}

int cr__nb_smooths_alike(const cr__knobs *knobs)
{
    if (cr__knobs_is(knobs, "smoothing", "m-estimate"))
        return !cr__knobs_is(knobs, "p", "marginal") && !cr__knobs_is(knobs, "p", "class");
    if (cr__knobs_is(knobs, "smoothing", "laplace"))
        return !lists_values(cr__knobs_text(knobs, "alpha"));
    return !cr__knobs_is(knobs, "smoothing", "dirichlet") ||
           !lists_values(cr__knobs_text(knobs, "beta"));
}

double cr__nb_ratio(double top, double bottom, double uniform)
{
    return bottom > 0 ? top / bottom : uniform;
}

double cr__nb_total(const cr__stats *stats, size_t column, size_t c)
{
    cr__count total = {0};

    for (size_t v = 0; v < cr__stats_values(stats, column); v++)
        total = cr__count_plus(total, cr__stats_count(stats, column, v, c), 1);
    return cr__count_value(total);
}

/* VALUE, or VALUE:CLASS. */
static cr_status check_value(const cr__stats *stats, const char *knob, size_t column,
                             const char *name, cr_error *err)
{
    const cr__dict *dict = stats->column[column].dict;
    const size_t target = stats->schema->target;
    const cr__dict *classes = target == SIZE_MAX ? NULL : stats->column[target].dict;
    const char *wrong = NULL;

    if (cr__dict_find(dict, name, strlen(name)) != CR__MISSING)
        return CR_OK;
    for (const char *colon = strchr(name, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        if (cr__dict_find(dict, name, (size_t)(colon - name)) == CR__MISSING)
            continue;
        wrong = colon + 1;
        if (classes != NULL && cr__dict_find(classes, wrong, strlen(wrong)) != CR__MISSING)
            return CR_OK;
    }
    if (wrong != NULL)
        return cr__fail(err, CR_EARG, "%s names the class '%s', which there is not", knob, wrong);
    return cr__fail(err, CR_EARG, "%s names the value '%s' of '%s', which there is not", knob, name,
                    stats->schema->column[column].name);
}

/* COLUMN, or COLUMN:VALUE or COLUMN:VALUE:CLASS where single values may be given. */
static cr_status check_name(const cr__stats *stats, const char *knob, const char *name, int values,
                            cr_error *err)
{
    const char *near = cr__schema_nearest(stats->schema, name);
    char column[256];

    if (cr_schema_find(stats->schema, name) != SIZE_MAX)
        return CR_OK;
    for (const char *colon = strchr(name, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        size_t i;

        snprintf(column, sizeof column, "%.*s", (int)(colon - name), name);
        if ((i = cr_schema_find(stats->schema, column)) == SIZE_MAX)
            continue;
        if (!values || stats->column[i].dict == NULL)
            return cr__fail(err, CR_EARG, "%s cannot be given for values of '%s'", knob, column);
        return check_value(stats, knob, i, colon + 1, err);
    }
    cr__fail(err, CR_EARG, "%s names the column '%s', which does not exist", knob, name);
    return near == NULL ? CR_EARG : cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near);
}

/* A list knob: every name is a column or a value, every number is at least `least`. */
static cr_status check_list(const cr__stats *stats, const cr__knobs *knobs, const char *knob,
                            double least, cr_error *err)
{
    const int values = strcmp(knob, "m") != 0;
    const char *list = cr__knobs_text(knobs, knob), *name;
    char buffer[256];
    double number = 0;
    cr_status st = CR_OK;
    size_t i;

    for (i = 0; (st = cr__list_item(list, i, buffer, sizeof buffer, &name, &number)) == CR_OK;
         i++) {
        if (name != NULL && (st = check_name(stats, knob, name, values, err)) != CR_OK)
            return st;
        if (number < least)
            return cr__fail(err, CR_EARG, "%s is %g; it must be at least %g", knob, number, least);
    }
    if (st != CR_END || i == 0)
        return cr__fail(err, CR_EARG,
                        "%s is '%s'; it must be a number, or a list such as 1,COLUMN:0.5%s", knob,
                        list, values ? ",COLUMN:VALUE:2,COLUMN:VALUE:CLASS:3" : "");
    return CR_OK;
}

cr_status cr__nb_check_smoothing(const cr__stats *stats, const cr__knobs *knobs, cr_error *err)
{
    cr_status st =
        cr__knobs_is(knobs, "alpha", "auto") ? CR_OK : check_list(stats, knobs, "alpha", 0, err);

    if (st == CR_OK)
        st = check_list(stats, knobs, "m", 0, err);
    if (st == CR_OK)
        st = check_list(stats, knobs, "beta", 1, err);
    if (st == CR_OK && cr__knobs_number(knobs, "p") > 1)
        st = cr__fail(err, CR_EARG, "p is %s; a probability is at most 1",
                      cr__knobs_text(knobs, "p"));
    return st;
}

/* A value that no class has ever had says nothing about them, unless smoothing gives it a share. */
int cr__nb_is_left_out(const cr__stats *stats, const cr__knobs *knobs, size_t column, size_t value)
{
    if (value >= cr__stats_values(stats, column))
        return 1;
    for (size_t c = 0; c < stats->classes; c++)
        if (!cr__count_zero(cr__stats_count(stats, column, value, c)))
            return 0;
    for (size_t c = 0; c < stats->classes; c++)
        if (cr__nb_smoothing(stats, knobs, column, value, c).plus != 0)
            return 0;
    return 1;
}

void cr__nb_fit_symbol(const cr__stats *stats, const cr__knobs *knobs, size_t column, double *log_p)
{
    const size_t classes = stats->classes, values = cr__stats_values(stats, column);
    const int skip = cr__knobs_is(knobs, "unseen", "skip");
    const int by_class = adds_by_class(knobs);
    const double uniform = 1 / ((double)values + !skip);
    double *const totals = log_p; /* the row of missing values, until it is cleared */

    for (size_t c = 0; c < classes; c++)
        totals[c] = cr__nb_total(stats, column, c);
    for (size_t v = 0; v <= values; v++) {
        const size_t value = v < values ? v : SIZE_MAX;
        cr__nb_rule rule = cr__nb_smoothing(stats, knobs, column, value, 0);
        const int left_out = skip && cr__nb_is_left_out(stats, knobs, column, v);

        for (size_t c = 0; c < classes; c++) {
            if (by_class)
                rule = cr__nb_smoothing(stats, knobs, column, value, c);
            double n = v < values ? cr__count_value(cr__stats_count(stats, column, v, c)) : 0;
            log_p[(v + 1) * classes + c] =
                left_out ? 0
                         : log(cr__nb_ratio(n + rule.plus, totals[c] + rule.plus_total, uniform));
        }
    }
    for (size_t c = 0; c < classes; c++)
        totals[c] = 0;
}

/* --- P(class) -------------------------------------------------------------------------------- */

static cr_status fail_prior(cr_error *err, const char *text)
{
    return cr__fail(err, CR_EARG,
                    "prior is '%s'; it must be empirical, uniform, map, or CLASS:P,CLASS:P,…",
                    text);
}

/* prior=spam:0.2,ham:0.8. Every class once, the numbers sum to 1. */
static cr_status given_prior(const cr__stats *stats, const char *list, double *top, cr_error *err)
{
    const cr__dict *dict = stats->column[stats->schema->target].dict;
    const char *name;
    char buffer[256];
    double p = 0, sum = 0;
    cr_status st;

    for (size_t c = 0; c < stats->classes; c++)
        top[c] = -1;
    for (size_t i = 0; (st = cr__list_item(list, i, buffer, sizeof buffer, &name, &p)) == CR_OK;
         i++) {
        uint32_t code = name == NULL ? CR__MISSING : cr__dict_find(dict, name, strlen(name));
        if (name == NULL)
            return fail_prior(err, list);
        if (code == CR__MISSING)
            return cr__fail(err, CR_EARG, "prior names the class '%s', which does not exist", name);
        if (p < 0 || p > 1)
            return cr__fail(err, CR_EARG, "the prior of '%s' is %g; a probability is 0 to 1", name,
                            p);
        top[code - 1] = p;
        sum += p;
    }
    if (st != CR_END)
        return fail_prior(err, list);
    for (size_t c = 0; c < stats->classes; c++)
        if (top[c] < 0)
            return cr__fail(err, CR_EARG, "prior leaves out the class '%s'",
                            cr__dict_word(dict, (uint32_t)c + 1, NULL));
    if (fabs(sum - 1) > 1e-6)
        return cr__fail(err, CR_EARG, "the priors sum to %.9g, not to 1", sum);
    return CR_OK;
}

double cr__nb_prior_plus(const cr__stats *stats, const cr__knobs *knobs, size_t class_index)
{
    const char *list = cr__knobs_text(knobs, "prior-beta");
    const cr__dict *dict = stats->column[stats->schema->target].dict;

    if (!cr__knobs_is(knobs, "prior", "map"))
        return 0;
    return cr__list_number(list, cr__dict_word(dict, (uint32_t)class_index + 1, NULL), 2) - 1;
}

/* prior-beta=2,spam:3: every number is at least 1, every name a class. */
static cr_status check_prior_beta(const cr__stats *stats, const cr__knobs *knobs, cr_error *err)
{
    const char *list = cr__knobs_text(knobs, "prior-beta"), *name;
    const cr__dict *dict = stats->column[stats->schema->target].dict;
    char buffer[256];
    double beta = 0;
    cr_status st;
    size_t i;

    for (i = 0; (st = cr__list_item(list, i, buffer, sizeof buffer, &name, &beta)) == CR_OK; i++) {
        if (name != NULL && cr__dict_find(dict, name, strlen(name)) == CR__MISSING)
            return cr__fail(err, CR_EARG, "prior-beta names the class '%s', which does not exist",
                            name);
        if (!(beta >= 1))
            return cr__fail(err, CR_EARG, "prior-beta is %g; it must be at least 1", beta);
    }
    if (st != CR_END || i == 0)
        return cr__fail(err, CR_EARG,
                        "prior-beta is '%s'; it must be a number, or a list such as 2,CLASS:3",
                        list);
    return CR_OK;
}

cr_status cr__nb_fit_prior(const cr__stats *stats, const cr__knobs *knobs, double *log_prior,
                           double *top, double *bottom, cr_error *err)
{
    const char *prior = cr__knobs_text(knobs, "prior");
    const size_t classes = stats->classes;
    double sum = 0;
    cr_status st = check_prior_beta(stats, knobs, err);

    if (st != CR_OK)
        return st;
    if (strcmp(prior, "empirical") == 0 || strcmp(prior, "map") == 0)
        for (size_t c = 0; c < classes; c++)
            top[c] =
                cr__count_value(cr__stats_class(stats, c)) + cr__nb_prior_plus(stats, knobs, c);
    else if (strcmp(prior, "uniform") == 0)
        for (size_t c = 0; c < classes; c++)
            top[c] = 1;
    else
        st = given_prior(stats, prior, top, err);
    for (size_t c = 0; c < classes; c++)
        sum += top[c];
    for (size_t c = 0; c < classes; c++) {
        bottom[c] = sum;
        log_prior[c] = log(cr__nb_ratio(top[c], sum, 1 / (double)classes));
    }
    return st;
}
