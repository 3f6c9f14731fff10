/* belief/versus.c - which of two unknowns is larger, by how much, and what a wrong choice costs.
 *
 * Everything is an expectation over A of a function of A, because B's part has a closed form: P(A >
 * B) is E[F_B(A)], and the expected loss of choosing A is E[E[(B - A)+ | A]]. The integrals are
 * taken over a coordinate in which A's density is smooth and log-concave on the whole line: the
 * logit of a share, the log of a rate, arsinh for Student. There it is e^g with its peak, g = 0, at
 * the origin.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/special.h"
#include "belief/distribution.h"
#include "belief/numeric.h"

static const double tolerance = 1e-11;  /* of the difference of two rules: see cr__integrate */
static const double vanishing = -700;   /* e^-700 is negligible beside 1 */
static const double longest_sum = 1000; /* terms of a closed form */
static const double least_start = -600; /* log of its first term */

/* --- coordinates -------------------------------------------------------------------------- */

typedef struct place {
    double x, y; /* y = 1 - x, for a beta */
} place;

static place place_of(const cr_distribution *d, double t)
{
    place p = {0};

    switch (d->family) {
    case CR_BETA:
        p.x = 1 / (1 + d->b / d->a * exp(-t));
        p.y = 1 / (1 + d->a / d->b * exp(t));
        break;
    case CR_GAMMA: p.x = d->a / d->b * exp(t); break;
    default: p.x = isinf(d->freedom) ? d->a + d->b * t : d->a + d->b * sqrt(d->freedom) * sinh(t);
    }
    return p;
}

static double coordinate_of(const cr_distribution *d, double x)
{
    switch (d->family) {
    case CR_BETA: return log(x / (1 - x) * d->b / d->a);
    case CR_GAMMA: return log(x * d->b / d->a);
    default:
        return isinf(d->freedom) ? (x - d->a) / d->b : asinh((x - d->a) / d->b / sqrt(d->freedom));
    }
}

/* log(1 - w + w e^t), 0 < w < 1, exact near t = 0 and where e^t would overflow. */
static double log_mix(double w, double t)
{
    return t > 700 ? t + log(w) : log1p(w * expm1(t));
}

/* g, without the cancellation that the powers of a large a and b would suffer near the peak. */
static double log_height(const cr_distribution *d, double t)
{
    const double a = d->a, b = d->b, far = fabs(t);

    switch (d->family) {
    case CR_BETA: return -a * log_mix(b / (a + b), -t) - b * log_mix(a / (a + b), t);
    case CR_GAMMA: return a * (t - expm1(t));
    default:
        if (isinf(d->freedom))
            return -0.5 * t * t;
        return -d->freedom * (far > 300 ? far - M_LN2 : log1p(2 * sinh(t / 2) * sinh(t / 2)));
    }
}

/* The width of the peak by its curvature, where that is not wider than the bend of the tails. */
static double width_of(const cr_distribution *d)
{
    switch (d->family) {
    case CR_BETA: return fmin(1, sqrt(1 / d->a + 1 / d->b));
    case CR_GAMMA: return fmin(1, 1 / sqrt(d->a));
    default: return isinf(d->freedom) ? 1 : fmin(1, 1 / sqrt(d->freedom));
    }
}

/* --- expectations ------------------------------------------------------------------------- */

typedef struct pair pair;
typedef double of_place(const pair *two, place p);

struct pair {
    const cr_distribution *a, *b;
    of_place *value;
    double shift, factor; /* A - shift, or factor * A, is compared with B */
};

static double weighted(const void *context, double t)
{
    const pair *two = context;
    const double weight = exp(log_height(two->a, t));

    return weight == 0 ? 0 : weight * two->value(two, place_of(two->a, t));
}

static double one(const pair *two, place p)
{
    (void)two;
    (void)p;
    return 1;
}

enum { EDGES = 400 };

typedef struct edges {
    double at[EDGES];
    size_t count;
} edges;

static void add_edge(edges *e, double t)
{
    if (!isnan(t) && e->count < EDGES)
        e->at[e->count++] = t;
}

/* Panels that double in length from the peak until the density is negligible. */
static void edges_of_a(edges *e, const cr_distribution *d)
{
    const double width = width_of(d);

    add_edge(e, 0);
    for (int side = -1; side <= 1; side += 2)
        for (double t = width; e->count < EDGES / 2; t *= 2) {
            add_edge(e, side * t);
            if (log_height(d, side * t) < vanishing)
                break;
        }
}

/* B's distribution function rises near B, possibly over a narrow range; at the ends of B's support
 * it may have a kink. */
static void edges_of_b(edges *e, const pair *two)
{
    const double width = width_of(two->b);
    const double low = e->at[0], high = e->at[e->count - 1];
    const double from = two->b->family == CR_STUDENT ? NAN : 0;
    const double to = two->b->family == CR_BETA ? 1 : NAN;
    double x[11] = {from, to};

    for (int i = -4; i <= 4; i++)
        x[i + 6] = place_of(two->b, i * width).x;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        const double t = coordinate_of(two->a, (x[i] + two->shift) / two->factor);

        if (t > low && t < high)
            add_edge(e, t);
    }
}

static void sort(edges *e)
{
    for (size_t i = 1; i < e->count; i++)
        for (size_t j = i; j > 0 && e->at[j - 1] > e->at[j]; j--) {
            const double t = e->at[j];

            e->at[j] = e->at[j - 1];
            e->at[j - 1] = t;
        }
}

/* E[value(A)]: a quotient of two integrals, so that errors of the density's constant cancel. */
static double expect(pair two, of_place *value)
{
    edges e = {.count = 0};
    double above, below;

    edges_of_a(&e, two.a);
    sort(&e);
    two.value = one;
    below = cr__integrate(weighted, &two, e.at, e.count, tolerance);
    edges_of_b(&e, &two);
    sort(&e);
    two.value = value;
    above = cr__integrate(weighted, &two, e.at, e.count, tolerance);
    return above / below;
}

/* --- expectations ----------------------------------------------------------------------------- */

static place moved(const pair *two, place p)
{
    const double x = p.x * two->factor - two->shift;

    if (two->factor == 1)
        return (place){x, p.y + two->shift};
    return (place){x, 1 - x};
}

static double b_is_lower(const pair *two, place p)
{
    const place q = moved(two, p);

    if (two->b->family == CR_BETA && q.x > 0.5 && q.y > 0)
        return cr__beta_upper(two->b->b, two->b->a, q.y);
    return cr_distribution_lower(two->b, q.x);
}

static double b_is_higher(const pair *two, place p)
{
    const place q = moved(two, p);

    if (two->b->family == CR_BETA && q.x > 0.5 && q.y > 0)
        return cr__beta_lower(two->b->b, two->b->a, q.y);
    return cr_distribution_upper(two->b, q.x);
}

/* E[(T - z)+] for Student's T with centre 0, scale 1: (freedom + z^2) / (freedom - 1) f(z) - z
 * S(z), from the integral of t f(t). */
static double student_excess(double freedom, double z)
{
    const double log_sum = fabs(z) > 1e100 ? 2 * log(fabs(z)) : log(freedom + z * z);
    const double log_factor = isinf(freedom) ? 0 : log_sum - log(freedom - 1);

    if (isinf(z))
        return 0; /* beyond the range of a double, but with a negligible weight */
    return exp(log_factor + cr__student_log_pdf(freedom, z)) - z * cr__student_lower(freedom, -z);
}

/* The size-biased distribution of B: x f(x) / mean is again of its family, with a + 1 for a. */
static cr_distribution weighted_by_size(const cr_distribution *d)
{
    cr_distribution heavier = *d;

    heavier.a++;
    return heavier;
}

/* E[(B - x)+]: the expected loss when x is chosen and B is larger. */
static double excess(const pair *two, place p)
{
    const cr_distribution heavier = weighted_by_size(two->b);
    const pair more = {.b = &heavier, .factor = 1};

    if (two->b->family == CR_STUDENT)
        return two->b->b * student_excess(two->b->freedom, (p.x - two->b->a) / two->b->b);
    return fmax(0,
                cr_distribution_mean(two->b) * b_is_higher(&more, p) - p.x * b_is_higher(two, p));
}

/* E[(x - B)+]. */
static double deficit(const pair *two, place p)
{
    const cr_distribution heavier = weighted_by_size(two->b);
    const pair more = {.b = &heavier, .factor = 1};

    if (two->b->family == CR_STUDENT)
        return two->b->b * student_excess(two->b->freedom, (two->b->a - p.x) / two->b->b);
    return fmax(0, p.x * b_is_lower(two, p) - cr_distribution_mean(two->b) * b_is_lower(&more, p));
}

/* --- which is larger ---------------------------------------------------------------------- */

static int is_short(double parameter)
{
    return parameter == floor(parameter) && parameter <= longest_sum;
}

/* P(B > A) for a whole number b1, from the expansion of B's upper tail into b1 terms:
 *     sum over i < b1 of B(a1 + i, a0 + b0) / ((b0 + i) B(1 + i, b0) B(a1, a0))
 * (J. D. Cook, "Exact calculation of beta inequalities", 2005). Consecutive terms have a rational
 * quotient. NaN when the first term is too small to start from. */
static double beta_sum(double a1, double a0, double b1, double b0)
{
    const double start = cr__log_gamma_ratio(a0, b0) - cr__log_gamma_ratio(a1 + a0, b0);
    double term = 1, sum = 0;

    if (start < least_start)
        return NAN;
    for (double i = 0; i < b1; i++) {
        sum += term;
        term *= (a1 + i) * (b0 + i) / ((a1 + a0 + b0 + i) * (i + 1));
    }
    return fmin(1, exp(start) * sum);
}

/* P(A > B) in closed form, or NaN. A share exceeds another when its complement is below. */
static double beta_greater(const cr_distribution *a, const cr_distribution *b)
{
    if (is_short(a->a) && (!is_short(b->b) || a->a <= b->b))
        return beta_sum(b->a, b->b, a->a, a->b);
    return is_short(b->b) ? beta_sum(a->b, a->a, b->b, b->a) : NAN;
}

/* G_A / (G_A + G_B) of two gamma variables of rate 1 is beta, so A > B is an event of a beta. */
static double gamma_greater(const cr_distribution *a, const cr_distribution *b)
{
    const double edge = a->b / (a->b + b->b);

    return edge < 0.5 ? cr__beta_upper(a->a, b->a, edge)
                      : cr__beta_lower(b->a, a->a, b->b / (a->b + b->b));
}

static double student_greater(const cr_distribution *a, const cr_distribution *b)
{
    if (isinf(a->freedom) && isinf(b->freedom))
        return cr__normal_lower((a->a - b->a) / hypot(a->b, b->b));
    return NAN;
}

static double greater(const cr_distribution *a, const cr_distribution *b, int *exact)
{
    const double closed = a->family == CR_BETA    ? beta_greater(a, b)
                          : a->family == CR_GAMMA ? gamma_greater(a, b)
                                                  : student_greater(a, b);

    *exact &= !isnan(closed);
    return isnan(closed) ? expect((pair){.a = a, .b = b, .factor = 1}, b_is_lower) : closed;
}

/* --- intervals ---------------------------------------------------------------------------- */

typedef struct search {
    const cr_distribution *a, *b;
    double tail;
    int upper; /* the tail is the upper one */
} search;

/* P(A - B < x) - tail, or the same of the upper tail. */
static double difference_tail(const void *context, double x)
{
    const search *s = context;
    const pair two = {.a = s->a, .b = s->b, .factor = 1, .shift = x};

    return expect(two, s->upper ? b_is_lower : b_is_higher) - s->tail;
}

/* The same for A / B, in the log of the ratio. */
static double ratio_tail(const void *context, double log_ratio)
{
    const search *s = context;
    const pair two = {.a = s->a, .b = s->b, .factor = exp(-log_ratio)};

    return expect(two, s->upper ? b_is_lower : b_is_higher) - s->tail;
}

/* The difference is within bounds with probability at least 1 - 2 tail if each part stays within
 * its own interval. */
static cr_interval difference_interval(const cr_distribution *a, const cr_distribution *b,
                                       double level)
{
    const double tail = (1 - level) / 2;
    const double al = cr_distribution_quantile(a, tail / 2),
                 bl = cr_distribution_quantile(b, tail / 2);
    const double ah = cr__distribution_upper_quantile(a, tail / 2),
                 bh = cr__distribution_upper_quantile(b, tail / 2);
    search s = {a, b, tail, 0};
    cr_interval i;

    i.low = cr__find_zero(difference_tail, &s, al - bh, ah - bl);
    s.upper = 1;
    i.high = cr__find_zero(difference_tail, &s, al - bh, ah - bl);
    return i;
}

/* G_A / G_B is a beta variable divided by 1 minus it. */
static cr_interval gamma_ratio(const cr_distribution *a, const cr_distribution *b, double level)
{
    const double tail = (1 - level) / 2, scale = b->b / a->b;

    return (cr_interval){scale * cr__beta_lower_inverse(a->a, b->a, tail) /
                             cr__beta_upper_inverse(b->a, a->a, tail),
                         scale * cr__beta_upper_inverse(a->a, b->a, tail) /
                             cr__beta_lower_inverse(b->a, a->a, tail)};
}

static cr_interval ratio_interval(const cr_distribution *a, const cr_distribution *b, double level)
{
    const double tail = (1 - level) / 2;
    double low, high;
    search s = {a, b, tail, 0};
    cr_interval i;

    if (a->family == CR_STUDENT)
        return (cr_interval){NAN, NAN};
    if (a->family == CR_GAMMA)
        return gamma_ratio(a, b, level);
    low = log(cr_distribution_quantile(a, tail / 2) / cr__distribution_upper_quantile(b, tail / 2));
    high =
        log(cr__distribution_upper_quantile(a, tail / 2) / cr_distribution_quantile(b, tail / 2));
    i.low = exp(cr__find_zero(ratio_tail, &s, low, high));
    s.upper = 1;
    i.high = exp(cr__find_zero(ratio_tail, &s, low, high));
    return i;
}

cr_status cr_distribution_compare(const cr_distribution *a, const cr_distribution *b, double level,
                                  cr_versus *out, cr_error *err)
{
    const pair two = {.a = a, .b = b, .factor = 1};

    memset(out, 0, sizeof *out);
    if (!(level > 0 && level < 1))
        return cr__fail(err, CR_EARG, "the level is %g; it must be between 0 and 1", level);
    if (a->family != b->family || a->family == CR_INVERSE_GAMMA)
        return cr__fail(err, CR_EARG, "a %s and a %s distribution cannot be compared",
                        cr_family_name(a->family), cr_family_name(b->family));
    if (!cr__distribution_valid(a) || !cr__distribution_valid(b))
        return cr__fail(err, CR_EARG, "the parameters are not those of a %s distribution",
                        cr_family_name(a->family));
    out->exact = 1;
    out->greater = greater(a, b, &out->exact);
    out->less = greater(b, a, &out->exact);
    out->mean = cr_distribution_mean(a) - cr_distribution_mean(b);
    out->sd = isnan(out->mean) ? NAN : hypot(cr_distribution_sd(a), cr_distribution_sd(b));
    out->difference = difference_interval(a, b, level);
    out->ratio = ratio_interval(a, b, level);
    out->loss_a = isnan(out->mean) ? NAN : expect(two, excess);
    out->loss_b = isnan(out->mean) ? NAN : expect(two, deficit);
    return CR_OK;
}
