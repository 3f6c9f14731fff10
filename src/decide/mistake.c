/* decide/mistake.c - p(mistake) as an integral over the regions of decisions.
 *
 *     p(mistake) = Σ_d Σ_{t ≠ d} ∫_{R_d} p(x, C_t) dx
 *
 * C. M. Bishop, Pattern Recognition and Machine Learning, 1.5.1. Two Gaussians a and b are equally
 * probable where ln(P_a N_a) - ln(P_b N_b), a quadratic in x, is zero. Between neighbouring roots
 * of all pairs the order of the classes does not change: one decision in each gap determines its
 * region. Costs move the boundaries: a grid in each class's own scale brackets them, and bisection
 * locates them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "credence/mistake.h"
#include "decide/rule.h"
#include "model/model.h"

enum { REACH = 40, STEPS = 16, GRID = 2 * REACH * STEPS + 1, MOST_CLASSES = 200, HALVINGS = 200 };

#define FARTHEST 1e140 /* its square is still finite */

typedef struct search {
    cr_mistake *m;
    const cr_rule *rule;
    double *prior, *centre, *scale, *freedom, *mass;
    cr_region *region;
    double *cut; /* where the decision may change, sorted */
    size_t cuts;
    double *score, *posterior; /* [classes] */
} search;

static double log_density(const cr_mistake *m, size_t c, double x)
{
    const double z = (x - m->centre[c]) / m->scale[c];

    if (!(m->prior[c] > 0))
        return -INFINITY;
    return log(m->prior[c]) - log(m->scale[c]) +
           (m->freedom[c] > 0 ? cr__student_log_pdf(m->freedom[c], z)
                              : -z * z / 2 - log(2 * M_PI) / 2);
}

double cr_mistake_density(const cr_mistake *m, size_t c, double x)
{
    return c < m->classes ? exp(log_density(m, c, x)) : NAN;
}

static int32_t decide(search *s, double x)
{
    cr_reason reason;

    for (size_t c = 0; c < s->m->classes; c++)
        s->score[c] = log_density(s->m, c, x);
    return cr__rule_decide(s->rule, s->score, s->m->classes, s->posterior, NULL, NULL, &reason);
}

/* --- where the decision may change ------------------------------------------------------------ */

/* The roots of ln(weight_a N_a) = ln(weight_b N_b) + shift. */
static void add_roots(search *s, size_t a, size_t b, double shift)
{
    const double va = s->scale[a] * s->scale[a], vb = s->scale[b] * s->scale[b];
    const double middle = s->centre[b]; /* x is measured from here, to reduce cancellation */
    const double gap = s->centre[a] - middle;
    const double p = 1 / vb - 1 / va, q = 2 * gap / va;
    const double r = 2 * (log(s->prior[a] / s->prior[b]) - shift) - log(va / vb) - gap * gap / va;
    const double root = sqrt(q * q - 4 * p * r);
    const double sum = -(q + copysign(root, q)) / 2;

    if (p == 0 && q != 0)
        s->cut[s->cuts++] = middle - r / q;
    if (p == 0 || isnan(root))
        return;
    s->cut[s->cuts++] = middle + sum / p;
    if (sum != 0)
        s->cut[s->cuts++] = middle + r / sum;
}

/* Of two classes costs only shift the quadratic: d = 0 costs the same as d = 1 where P_0 N_0 (L01 -
 * L00) = P_1 N_1 (L10 - L11), and rejection likewise. */
static void add_pair_costs(search *s)
{
    const double reject = cr_rule_cost(s->rule, 0, CR_UNDECIDED);
    double L[4], shift[3];

    for (size_t i = 0; i < 4; i++)
        L[i] = cr_rule_cost(s->rule, i / 2, (int32_t)(i % 2));
    shift[0] = log((L[2] - L[3]) / (L[1] - L[0]));
    shift[1] = log((L[2] - reject) / (reject - L[0])); /* deciding the first class, or nothing */
    shift[2] = log((reject - L[3]) / (L[1] - reject));
    for (size_t i = 0; i < 3; i++)
        if (isfinite(shift[i]))
            add_roots(s, 0, 1, shift[i]);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Whether the roots of pairs are not sufficient. */
static int needs_grid(const search *s)
{
    int student = 0;

    for (size_t c = 0; c < s->m->classes; c++)
        student |= s->freedom[c] > 0;
    return student || (s->rule != NULL && s->m->classes > 2 &&
                       (s->rule->cost != NULL || isfinite(s->rule->reject)));
}

static void sort_cuts(search *s)
{
    size_t kept = 0;

    qsort(s->cut, s->cuts, sizeof *s->cut, ascending);
    for (size_t i = 0; i < s->cuts; i++)
        if (fabs(s->cut[i]) < FARTHEST && (kept == 0 || s->cut[i] > s->cut[kept - 1]))
            s->cut[kept++] = s->cut[i];
    s->cuts = kept;
}

static void find_cuts(search *s)
{
    const size_t K = s->m->classes;
    const int grid = needs_grid(s);

    for (size_t a = 0; a < K; a++)
        for (size_t b = a + 1; b < K; b++)
            if (s->prior[a] > 0 && s->prior[b] > 0 && s->freedom[a] == 0 && s->freedom[b] == 0)
                add_roots(s, a, b, 0);
    if (K == 2 && s->rule != NULL && s->prior[0] > 0 && s->prior[1] > 0 && s->freedom[0] == 0 &&
        s->freedom[1] == 0)
        add_pair_costs(s);
    for (size_t c = 0; c < K; c++) {
        s->cut[s->cuts++] = s->centre[c];
        for (int i = 0; grid && s->prior[c] > 0 && i < GRID; i++)
            s->cut[s->cuts++] = s->centre[c] + s->scale[c] * ((double)i / STEPS - REACH);
    }
    sort_cuts(s);
}

/* --- regions ---------------------------------------------------------------------------------- */

/* The last x from low on with the same decision as low. */
static double bisect(search *s, double low, double high)
{
    const int32_t left = decide(s, low);

    for (int i = 0; i < HALVINGS; i++) {
        const double middle = low + (high - low) / 2;

        if (!(low < middle && middle < high))
            break;
        if (decide(s, middle) == left)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* One decision in each gap between cuts; where neighbours differ a region ends. */
static void find_regions(search *s)
{
    const double beyond = s->cuts > 1 ? s->cut[s->cuts - 1] - s->cut[0] : s->scale[0];
    double at = s->cut[0] - beyond;
    size_t n = 0;

    s->region[0] = (cr_region){-INFINITY, INFINITY, decide(s, at)};
    for (size_t i = 0; i < s->cuts; i++) {
        const double next =
            i + 1 < s->cuts ? s->cut[i] + (s->cut[i + 1] - s->cut[i]) / 2 : s->cut[i] + beyond;
        const int32_t decision = decide(s, next);

        if (decision != s->region[n].decision) {
            s->region[n].high = bisect(s, at, next);
            s->region[n + 1] = (cr_region){s->region[n].high, INFINITY, decision};
            n++;
        }
        at = next;
    }
    s->m->regions = n + 1;
}

/* --- integrals -------------------------------------------------------------------------------- */

static double lower(double freedom, double z)
{
    return freedom > 0 ? cr__student_lower(freedom, z) : cr__normal_lower(z);
}

/* P(C) times P(low < x < high | C), from the smaller tail. */
static double mass_between(const search *s, size_t c, const cr_region *r)
{
    const double f = s->freedom[c];
    const double a = (r->low - s->centre[c]) / s->scale[c],
                 b = (r->high - s->centre[c]) / s->scale[c];

    if (!(s->prior[c] > 0))
        return 0;
    return s->prior[c] * (a > 0 ? lower(f, -a) - lower(f, -b) : lower(f, b) - lower(f, a));
}

static void integrate(search *s)
{
    cr_mistake *m = s->m;
    const size_t K = m->classes;

    for (size_t i = 0; i < m->regions; i++) {
        const int32_t d = s->region[i].decision;

        for (size_t t = 0; t < K; t++) {
            const double mass = mass_between(s, t, &s->region[i]);

            s->mass[t * (K + 1) + (d < 0 ? K : (size_t)d)] += mass;
            *(d < 0 ? &m->rejected : (size_t)d == t ? &m->correct : &m->mistake) += mass;
            if (mass > 0)
                m->cost += mass * (s->rule != NULL ? cr_rule_cost(s->rule, t, d)
                                                   : d >= 0 && (size_t)d != t);
        }
    }
}

/* --- the call --------------------------------------------------------------------------------- */

static cr_status take_densities(search *s, const cr_model *model, size_t column, cr_error *err)
{
    for (size_t c = 0; c < s->m->classes; c++) {
        double variance;
        cr_status st;

        s->prior[c] = cr_model_prior(model, c) * exp(cr__rule_shift(s->rule, c));
        s->scale[c] = 1;
        if (!(s->prior[c] > 0))
            continue;
        if ((st = cr_model_normal(model, c, &column, 1, &s->centre[c], &variance, &s->freedom[c],
                                  err)) != CR_OK)
            return cr__fail_hint(err, st,
                                 "p(mistake) needs a number with a Gaussian for each class");
        s->scale[c] = sqrt(variance);
        if (!(variance > 0) || !isfinite(variance) || !isfinite(s->centre[c]))
            return cr__fail(err, CR_EARG, "'%s' does not vary in class '%s': it has no density",
                            cr_schema_name(cr_model_schema(model), column),
                            cr_model_class(model, c));
    }
    return CR_OK;
}

static cr_status make_room(search *s, cr_error *err)
{
    const size_t K = s->m->classes, cuts = K * K + 6 + K * (GRID + 1);

    s->m->prior = s->prior = cr__alloc_zero(K, sizeof *s->prior);
    s->m->centre = s->centre = cr__alloc_zero(K, sizeof *s->centre);
    s->m->scale = s->scale = cr__alloc_zero(K, sizeof *s->scale);
    s->m->freedom = s->freedom = cr__alloc_zero(K, sizeof *s->freedom);
    s->m->mass = s->mass = cr__alloc_zero(K * (K + 1), sizeof *s->mass);
    s->m->region = s->region = cr__alloc_zero(cuts + 1, sizeof *s->region);
    s->cut = cr__alloc(cuts, sizeof *s->cut);
    s->score = cr__alloc(K, sizeof *s->score);
    s->posterior = cr__alloc(K, sizeof *s->posterior);
    return s->prior == NULL || s->centre == NULL || s->scale == NULL || s->freedom == NULL ||
                   s->mass == NULL || s->region == NULL || s->cut == NULL || s->score == NULL ||
                   s->posterior == NULL
               ? cr__fail_memory(err)
               : CR_OK;
}

static cr_status check(const cr_model *model, size_t column, const cr_rule *rule, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(model);
    const size_t K = cr_model_classes(model);

    if (column >= cr_schema_columns(schema) || cr_schema_role(schema, column) != CR_ROLE_FEATURE ||
        cr_schema_kind(schema, column) != CR_REAL)
        return cr__fail(err, CR_EARG, "p(mistake) needs a feature of numbers");
    if (K == 0 || cr_model_is_regression(model))
        return cr__fail(err, CR_EARG, "the model has no classes to decide between");
    if (K > MOST_CLASSES)
        return cr__fail(err, CR_ELIMIT, "the model has %zu classes; p(mistake) supports at most %d",
                        K, MOST_CLASSES);
    if (rule != NULL && rule->classes != K)
        return cr__fail(err, CR_EARG, "the rule is for %zu classes; the model has %zu",
                        rule->classes, K);
    return CR_OK;
}

void cr_mistake_free(cr_mistake *m)
{
    if (m == NULL)
        return;
    cr__free((void *)m->region);
    cr__free((void *)m->mass);
    cr__free((void *)m->prior);
    cr__free((void *)m->centre);
    cr__free((void *)m->scale);
    cr__free((void *)m->freedom);
    cr__free(m);
}

cr_status cr_model_mistake(cr_mistake **out, const cr_model *model, size_t column,
                           const cr_rule *rule, cr_error *err)
{
    search s = {.rule = rule};
    cr_rule plain; /* the rule without its priors: they are in the densities */
    cr_status st = check(model, column, rule, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((s.m = cr__alloc_zero(1, sizeof *s.m)) == NULL)
        return cr__fail_memory(err);
    s.m->classes = cr_model_classes(model);
    s.m->column = column;
    if ((st = make_room(&s, err)) == CR_OK)
        st = take_densities(&s, model, column, err);
    if (st == CR_OK) {
        if (rule != NULL) {
            plain = *rule;
            plain.shift = NULL;
            s.rule = &plain;
        }
        find_cuts(&s);
        find_regions(&s);
        integrate(&s);
        *out = s.m;
    } else {
        cr_mistake_free(s.m);
    }
    cr__free(s.cut);
    cr__free(s.score);
    cr__free(s.posterior);
    return st;
}
