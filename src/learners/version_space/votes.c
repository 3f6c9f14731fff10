/* learners/version_space/votes.c - the votes of the version space on a row.
 *
 * All hypotheses of the version space vote: P(class | row) is the share that says yes. It is 1 or 0
 * where they agree, and the decision rule accepts or rejects anything else.
 *
 * A hypothesis is a point u, with a coordinate for each side from 0, as in S, to an extent: for a
 * symbol, [0, 1) requires the value and [1, 2) accepts any; for a number, each gap between
 * neighbouring values outside S is a unit, an end is uniform within it, and the last unit is
 * unbounded. Those that are right on every row are the union of the boxes [0, g) of G, and those
 * that say yes to a row are the u >= r of them, where r is how far out the row lies. So votes are
 * volumes of unions of boxes, by slices along one side after the other (J. Knowles, "Local-search
 * and hybrid evolutionary algorithms for Pareto optimization", 2002).
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/version_space/version_space.h"

#define SLICES_MOST 4e6

/* --- sides ----------------------------------------------------------------------------------- */

static size_t values_of_side(const cr__space *v, size_t i, int above)
{
    const cr__outside *o = &v->outside[i];

    return above ? o->count - o->below : o->below;
}

/* The k-th value outside S on a side, from S on; S's own end for 0. */
static double value_at(const cr__space *v, size_t i, int above, size_t k)
{
    const size_t below = v->outside[i].below;

    if (k == 0)
        return above ? v->special[i].high : v->special[i].low;
    return v->outside[i].value[above ? below + k - 1 : below - k];
}

static double extent(const cr__space *v, size_t i, int above)
{
    return v->number[i] ? (double)values_of_side(v, i, above) + 1 : 2;
}

/* How far out x lies: in the k-th gap between k - 1 and k. */
static double distance(const cr__space *v, size_t i, int above, double x)
{
    const size_t count = values_of_side(v, i, above);
    const double sign = above ? 1 : -1;
    size_t k = 1;
    double near, far, share;

    if (isnan(x))
        return (double)count;
    if (!(sign * x > sign * value_at(v, i, above, 0)))
        return 0;
    while (k <= count && sign * x > sign * value_at(v, i, above, k))
        k++;
    if (k > count)
        return (double)count;
    near = value_at(v, i, above, k - 1);
    far = value_at(v, i, above, k);
    share = (x - near) / (far - near);
    return (double)(k - 1) + (share >= 0 && share <= 1 ? share : 0.5);
}

/* How far a hypothesis of G reaches on a side. */
static double reach(const cr__space *v, const cr__restraint *g, size_t i, int above)
{
    const double end = above ? g[i].high : g[i].low;

    if (!v->number[i])
        return g[i].code == CR__SPACE_ANY ? 2 : 1;
    return isinf(end) ? extent(v, i, above) : distance(v, i, above, end);
}

static int has_side(const cr__space *v, size_t i, int above)
{
    return v->number[i] || (!above && v->special[i].code != CR__SPACE_ANY);
}

static int is_restricted(const cr__space *v, size_t i, int above)
{
    for (size_t g = 0; g < v->generals; g++)
        if (reach(v, v->general + g * v->features, i, above) < extent(v, i, above))
            return 1;
    return 0;
}

/* --- volumes --------------------------------------------------------------------------------- */

typedef struct volumes {
    const double *from;  /* [sides] */
    const double **room; /* [(sides + 1) * points] */
    size_t points;
    double slices; /* so far */
} volumes;

static void sort_down(const double **point, size_t n, size_t side)
{
    for (size_t gap = n / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < n; i++)
            for (size_t j = i; j >= gap && point[j - gap][side] < point[j][side]; j -= gap) {
                const double *t = point[j];

                point[j] = point[j - gap];
                point[j - gap] = t;
            }
}

static int lies_within(const double *a, const double *b, size_t sides)
{
    for (size_t k = 0; k < sides; k++)
        if (a[k] > b[k])
            return 0;
    return 1;
}

/* Add a box to those not contained in another; 0 when it changes nothing. */
static int add_box(const double **kept, size_t *count, const double *box, size_t sides)
{
    size_t left = 0;

    for (size_t i = 0; i < *count; i++)
        if (lies_within(box, kept[i], sides))
            return 0;
    for (size_t i = 0; i < *count; i++)
        if (!lies_within(kept[i], box, sides))
            kept[left++] = kept[i];
    kept[left++] = box;
    *count = left;
    return 1;
}

/* The volume of the union of the boxes [from, point) over the first sides; there are at most
 * CR__SPACE_COUNTED_MOST, which bounds the recursion. */
static double union_volume(volumes *m, const double **point, size_t n, size_t sides)
{
    const double **kept = m->room + sides * m->points;
    double sum = 0, slice = 0;
    size_t count = 0;

    m->slices++;
    if (n == 0 || m->slices > SLICES_MOST)
        return 0;
    if (sides == 0)
        return 1;
    sort_down(point, n, sides - 1);
    for (size_t i = 0; i < n; i++) {
        const double next = i + 1 < n ? point[i + 1][sides - 1] : m->from[sides - 1];

        if (add_box(kept, &count, point[i], sides - 1))
            slice = NAN;
        if (!(point[i][sides - 1] > next))
            continue;
        if (isnan(slice))
            slice = union_volume(m, kept, count, sides - 1);
        sum += (point[i][sides - 1] - next) * slice;
    }
    return sum;
}

/* The volume of the part of the version space beyond `from`. NaN: it takes too long; -1: out of
 * memory. */
static double volume_beyond(const cr__space *v, const double *from)
{
    const double **room = cr__alloc((v->sides + 2) * v->generals, sizeof *room);
    const double **point = room != NULL ? room + (v->sides + 1) * v->generals : NULL;
    volumes m = {from, room, v->generals, 0};
    size_t n = 0;
    double sum;

    if (room == NULL)
        return -1;
    for (size_t g = 0; g < v->generals; g++) {
        const double *p = v->place + g * v->sides;
        int beyond = 1;

        for (size_t k = 0; k < v->sides; k++)
            beyond &= p[k] > from[k];
        if (beyond)
            add_box(point, &n, p, v->sides);
    }
    sum = union_volume(&m, point, n, v->sides);
    cr__free(room);
    return m.slices > SLICES_MOST ? NAN : sum;
}

/* --- preparing -------------------------------------------------------------------------------- */

/* S may have grown over values that were outside. */
static void drop_inside(cr__space *v)
{
    for (size_t i = 0; i < v->features; i++) {
        cr__outside *o = &v->outside[i];
        size_t kept = 0;

        o->below = 0;
        for (size_t k = 0; k < o->count; k++)
            if (cr__outside_special(&v->special[i], o->value[k])) {
                o->below += o->value[k] < v->special[i].low;
                o->value[kept++] = o->value[k];
            }
        o->count = kept;
    }
}

static cr_status find_sides(cr__space *v, cr_error *err)
{
    size_t sides = 0;

    for (size_t i = 0; i < v->features; i++)
        for (int above = 0; above < 2; above++) {
            if (!has_side(v, i, above) || !is_restricted(v, i, above))
                continue;
            if (sides < CR__SPACE_COUNTED_MOST) {
                v->side[sides].feature = i;
                v->side[sides].above = above;
            }
            sides++;
        }
    v->sides = sides;
    if (sides <= CR__SPACE_COUNTED_MOST)
        return CR_OK;
    cr__fail(err, CR_ELIMIT,
             "the most general hypotheses ask for %zu things; votes can be counted over %d", sides,
             CR__SPACE_COUNTED_MOST);
    return cr__fail_hint(err, CR_ELIMIT, CR__SET("type COLUMN=ignore") " leaves a column out");
}

cr_status cr__space_prepare(cr__space *v, cr_error *err)
{
    static const double start[CR__SPACE_COUNTED_MOST];
    cr_status st;

    drop_inside(v);
    if ((st = find_sides(v, err)) != CR_OK)
        return st;
    cr__free(v->place);
    v->place = cr__alloc(v->generals * v->sides, sizeof *v->place);
    if (v->place == NULL)
        return cr__fail_memory(err);
    for (size_t g = 0; g < v->generals; g++)
        for (size_t k = 0; k < v->sides; k++)
            v->place[g * v->sides + k] =
                reach(v, v->general + g * v->features, v->side[k].feature, v->side[k].above);
    v->volume = volume_beyond(v, start);
    if (v->volume < 0)
        return cr__fail_memory(err);
    if (!isnan(v->volume))
        return CR_OK;
    cr__fail(err, CR_ELIMIT,
             "the version space has %zu most general hypotheses over %zu ends: their votes take "
             "too long to count",
             v->generals, v->sides);
    return cr__fail_hint(err, CR_ELIMIT, CR__SET("type COLUMN=ignore") " leaves a column out");
}

/* --- votes ----------------------------------------------------------------------------------- */

/* How far out a row lies on a side. A value that is missing or was never seen is one that no
 * hypothesis requires. */
static double row_at(const cr__space *v, const cr__batch *batch, size_t r, size_t i, int above)
{
    const cr__batch_column *c = &batch->column[v->column[i]];

    if (v->number[i])
        return distance(v, i, above, c->real[r]);
    return c->code[r] == v->special[i].code ? 0 : 1;
}

/* The share that covers a row, -1 when out of memory; and how many hypotheses there are, and how
 * many of them cover it: infinite where these are too many to count, as with numbers. */
static double count_votes(const cr__space *v, const cr__batch *batch, size_t r, double *votes,
                          double *of)
{
    double from[CR__SPACE_COUNTED_MOST] = {0}, free_all = 1, free_yes = 1, yes;
    size_t next = 0;
    int numbers = 0;

    for (size_t i = 0; i < v->features; i++)
        for (int above = 0; above < 2; above++) {
            if (!has_side(v, i, above))
                continue;
            numbers |= v->number[i];
            const double at = row_at(v, batch, r, i, above);

            if (next < v->sides && v->side[next].feature == i && v->side[next].above == above) {
                from[next++] = at;
                continue;
            }
            free_all *= extent(v, i, above);
            free_yes *= extent(v, i, above) - at;
        }
    if ((yes = volume_beyond(v, from)) < 0)
        return -1;
    *of = numbers || free_all * v->volume > 0x1p53 ? INFINITY : free_all * v->volume;
    *votes = isinf(*of) ? INFINITY : free_yes * yes;
    return yes / v->volume * (free_yes / free_all);
}

cr_status cr__space_score(const void *fitted, void *state, const cr__batch *batch, double *out,
                          cr_error *err)
{
    const cr__space *v = fitted;

    (void)state;
    for (size_t r = 0; r < batch->rows; r++, out += 2) {
        double votes, of;
        const double yes = count_votes(v, batch, r, &votes, &of);

        if (yes < 0)
            return cr__fail_memory(err);
        out[v->positive] = log(yes);
        out[!v->positive] = log1p(-fmin(yes, 1));
    }
    return CR_OK;
}

/* The votes are not a product: all of them are the one factor. */
cr_status cr__space_factors(const void *fitted, void *state, const cr__stats *stats,
                            const cr__knobs *knobs, const cr__batch *batch, size_t row,
                            cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__space *v = fitted;
    double *top = work + 2, *bottom = work + 4, all = 0;
    const double yes = count_votes(v, batch, row, &top[v->positive], &all);

    (void)state;
    (void)stats;
    (void)knobs;
    if (yes < 0)
        return cr__fail_memory(err);
    work[v->positive] = log(yes);
    work[!v->positive] = log1p(-fmin(yes, 1));
    top[!v->positive] = all - top[v->positive];
    bottom[0] = bottom[1] = all;
    factor[0] = (cr_factor){.column = SIZE_MAX,
                            .name = "votes",
                            .log_p = work,
                            .fraction = isfinite(all) && all > 0,
                            .top = top,
                            .bottom = bottom};
    *count = 1;
    return CR_OK;
}
