/* learners/pairs/structure.c - which features depend on which.
 *
 * One more feature to depend on gains n I(X; Y | C) nats of log-likelihood, but for each class it
 * needs (V - 1) (W - 1) parameters, each of which costs on unseen rows: by chance alone the gain is
 * half their number. The worth of a dependence is its gain minus the parameters (Akaike 1974, "A
 * new look at the statistical model identification"), or minus ln(n)/2 for each (Schwarz 1978,
 * "Estimating the dimension of a model"); one that is worth nothing is left out. So a tree becomes
 * a forest where data are few or features have many values.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "learners/pairs/pairs.h"

cr_status cr__structure_new(cr__structure *out, size_t features)
{
    *out = (cr__structure){.features = features};
    out->order = cr__alloc(features, sizeof *out->order);
    out->depth = cr__alloc_zero(features, sizeof *out->depth);
    out->parent = cr__alloc_zero(features, CR__PARENTS_MOST * sizeof *out->parent);
    if (out->order == NULL || out->depth == NULL || out->parent == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < features; i++)
        out->order[i] = (uint32_t)i;
    return CR_OK;
}

void cr__structure_free(cr__structure *structure)
{
    cr__free(structure->order);
    cr__free(structure->depth);
    cr__free(structure->parent);
    *structure = (cr__structure){0};
}

static double worth(const cr__pair *p, cr__worth rule)
{
    if (rule == CR__WORTH_ALL)
        return p->information;
    return p->n * p->information -
           p->freedom * (rule == CR__WORTH_AIC ? 1 : 0.5 * log(fmax(p->n, 1)));
}

/* The threshold of a dependence; by the published rules every one is accepted. */
static double least_worth(cr__worth rule)
{
    return rule == CR__WORTH_ALL ? -1 : 0;
}

static const cr__pair *pair_of(const cr__codes *codes, const cr__pair *pair, size_t i, size_t j)
{
    return &pair[(i < j ? i : j) * codes->features + (i < j ? j : i)];
}

/* Whether a feature may depend on one more: there is something to depend on (a column of one
 * interval is uninformative), and the table stays small enough. */
static int has_room(const cr__structure *s, const cr__codes *codes, size_t i, size_t parent)
{
    size_t cells = codes->values[i] * (codes->classes > 0 ? codes->classes : 1);

    for (size_t k = 0; k < s->depth[i]; k++)
        cells *= codes->values[s->parent[i * CR__PARENTS_MOST + k]];
    return codes->values[i] > 1 && codes->values[parent] > 1 &&
           codes->values[parent] <= CR__TABLE_MOST / cells;
}

static void add_parent(cr__structure *s, size_t i, size_t parent)
{
    s->parent[i * CR__PARENTS_MOST + s->depth[i]++] = (uint32_t)parent;
}

/* The feature of largest information that is not taken yet; the first of equals. */
static size_t most_telling(const double *information, const unsigned char *taken, size_t features)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < features; i++)
        if (!taken[i] && (best == SIZE_MAX || information[i] > information[best]))
            best = i;
    return best;
}

/* --- tan ------------------------------------------------------------------------------------ */

/* Prim's algorithm: the tree grows from the feature most informative about the class, by the
 * feature that depends most on one in the tree. */
cr_status cr__structure_tan(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                            const double *information, cr__worth rule)
{
    const size_t n = codes->features;
    unsigned char *taken = cr__alloc_zero(n, 1);
    double *tie = cr__alloc(n, sizeof *tie);
    size_t *to = cr__alloc(n, sizeof *to);
    cr_status st = taken == NULL || tie == NULL || to == NULL ? CR_ENOMEM : CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++) {
        tie[i] = least_worth(rule);
        to[i] = SIZE_MAX;
    }
    for (size_t k = 0; st == CR_OK && k < n; k++) {
        size_t best = SIZE_MAX;

        for (size_t i = 0; i < n; i++)
            if (!taken[i] && to[i] != SIZE_MAX && (best == SIZE_MAX || tie[i] > tie[best]))
                best = i;
        if (best == SIZE_MAX)
            best = most_telling(information, taken, n);
        else
            add_parent(out, best, to[best]);
        taken[best] = 1;
        out->order[k] = (uint32_t)best;
        for (size_t i = 0; i < n; i++) {
            const double more = i == best ? -1 : worth(pair_of(codes, pair, i, best), rule);

            if (!taken[i] && more > tie[i] && has_room(out, codes, i, best)) {
                tie[i] = more;
                to[i] = best;
            }
        }
    }
    cr__free(taken);
    cr__free(tie);
    cr__free(to);
    return st;
}

/* --- kdb ------------------------------------------------------------------------------------ */

cr_status cr__structure_kdb(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                            const double *information, size_t parents, cr__worth rule)
{
    const size_t n = codes->features;
    unsigned char *taken = cr__alloc_zero(n, 1), *used = cr__alloc(n, 1);
    cr_status st = taken == NULL || used == NULL ? CR_ENOMEM : CR_OK;

    for (size_t k = 0; st == CR_OK && k < n; k++) {
        const size_t i = most_telling(information, taken, n);

        memset(used, 0, n);
        while (out->depth[i] < parents && out->depth[i] < CR__PARENTS_MOST) {
            double most = least_worth(rule);
            size_t best = SIZE_MAX;

            for (size_t q = 0; q < k; q++) {
                const size_t p = out->order[q];
                const double more = worth(pair_of(codes, pair, i, p), rule);

                if (!used[p] && has_room(out, codes, i, p) && more > most) {
                    most = more;
                    best = p;
                }
            }
            if (best == SIZE_MAX)
                break;
            used[best] = 1;
            add_parent(out, i, best);
        }
        taken[i] = 1;
        out->order[k] = (uint32_t)i;
    }
    cr__free(taken);
    cr__free(used);
    return st;
}

/* --- joins ---------------------------------------------------------------------------------- */

/* Join feature j to the group that i is in: it depends on all its members. Returns 0 when it
 * cannot. */
static int join(cr__structure *s, const cr__codes *codes, size_t *group, size_t i, size_t j,
                size_t together)
{
    size_t members = 0;

    for (size_t k = 0; k < s->features; k++)
        members += group[k] == group[i];
    if (members >= together || members > CR__PARENTS_MOST)
        return 0;
    for (size_t q = 0; q < s->features; q++) {
        const size_t p = s->order[q];

        if (group[p] == group[i]) {
            if (!has_room(s, codes, j, p)) {
                s->depth[j] = 0;
                return 0;
            }
            add_parent(s, j, p);
        }
    }
    group[j] = group[i];
    return 1;
}

/* The members of a group in the order in which they joined; parents first. */
static void order_groups(cr__structure *s)
{
    size_t at = 0;

    for (uint32_t depth = 0; depth <= CR__PARENTS_MOST; depth++)
        for (size_t i = 0; i < s->features; i++)
            if (s->depth[i] == depth)
                s->order[at++] = (uint32_t)i;
}

/* Whether a feature is not in a group. */
static int alone(const cr__structure *s, const size_t *group, size_t i)
{
    for (size_t k = 0; k < s->features; k++)
        if (k != i && group[k] == group[i])
            return 0;
    return 1;
}

/* Repeatedly join the most dependent pair; one of the two must be alone so far, and the other's
 * group small enough. There must be enough rows: on average `least` for each possible combination
 * of values and class. */
cr_status cr__structure_joins(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                              size_t joins, size_t together, double least, cr__worth rule)
{
    const size_t n = codes->features;
    size_t *group = cr__alloc(n, sizeof *group);
    unsigned char *done = cr__alloc_zero(n * n, 1);
    cr_status st = group == NULL || done == NULL ? CR_ENOMEM : CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++)
        group[i] = i;
    for (size_t made = 0; st == CR_OK && made < joins;) {
        size_t best = SIZE_MAX;

        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) {
                const cr__pair *p = &pair[i * n + j];

                if (!done[i * n + j] && worth(p, rule) > 0 &&
                    p->n >= least * (double)(codes->values[i] * codes->values[j]) *
                                (double)codes->classes &&
                    (best == SIZE_MAX || worth(p, rule) > worth(&pair[best], rule)))
                    best = i * n + j;
            }
        if (best == SIZE_MAX)
            break;
        done[best] = 1;
        const size_t i = best / n, j = best % n;
        if (group[i] == group[j])
            continue;
        if (alone(out, group, j))
            made += (size_t)join(out, codes, group, i, j, together);
        else if (alone(out, group, i))
            made += (size_t)join(out, codes, group, j, i, together);
        order_groups(out);
    }
    if (st == CR_OK)
        order_groups(out);
    cr__free(group);
    cr__free(done);
    return st;
}
