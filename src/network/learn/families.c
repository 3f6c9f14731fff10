/* network/learn/families.c - scores of families, computed by several threads and cached. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "network/learn/score.h"

enum {
    WORK_ALONE = 1 << 18 /* below this many rows times variables a second thread does not pay */
};

/* A family is identified by 128 bits: the XOR of what its child and each parent contribute.
 * Different sets differ in at least one contribution, so two families have equal keys with
 * probability 2^-128. */
typedef struct key {
    uint64_t a, b;
} key;

typedef struct memory {
    key *key; /* [2^bits], {0, 0} is empty */
    double *score;
    uint32_t bits; /* 0: nothing yet */
    size_t count;
} memory;

/* What one thread has. */
typedef struct workspace {
    cr__counter counter;
    uint32_t *list; /* [variables] scratch */
    cr_status status;
} workspace;

struct cr__families {
    const cr__cases *cases; /* NULL when there is a scorer instead */
    cr__family_scorer *scorer;
    const void *context;
    uint32_t variables;
    cr__score score;
    size_t most; /* cells of a table */
    cr_pool *pool;
    int workers;
    workspace *workspace; /* [workers] */
    memory memory;
    size_t counted, remembered;
    uint32_t *base, *extra; /* [variables + 1] scratch */
    double *marginal;       /* scratch of a family without one of its parents */
    size_t marginal_capacity;
};

/* --- the cache -------------------------------------------------------------------------------- */

static key contribution(uint32_t child, uint32_t parent)
{
    uint64_t state = (uint64_t)child << 32 | parent;
    key k;

    k.a = cr__splitmix64(&state);
    k.b = cr__splitmix64(&state);
    return k;
}

static key key_xor(key x, key y)
{
    return (key){x.a ^ y.a, x.b ^ y.b};
}

static key family_key(uint32_t child, const uint32_t *parent, size_t parents)
{
    key k = contribution(child, child);

    for (size_t i = 0; i < parents; i++)
        k = key_xor(k, contribution(child, parent[i]));
    return k;
}

static size_t find_slot(const memory *m, key k)
{
    const size_t mask = ((size_t)1 << m->bits) - 1;
    size_t at = (size_t)k.a & mask;

    while ((m->key[at].a | m->key[at].b) != 0 && (m->key[at].a != k.a || m->key[at].b != k.b))
        at = (at + 1) & mask;
    return at;
}

static int recall(const memory *m, key k, double *score)
{
    size_t at;

    if (m->bits == 0)
        return 0;
    at = find_slot(m, k);
    if ((m->key[at].a | m->key[at].b) == 0)
        return 0;
    *score = m->score[at];
    return 1;
}

static int grow_memory(memory *m)
{
    memory wide = {.bits = m->bits == 0 ? 12 : m->bits + 1, .count = m->count};

    wide.key = cr__alloc_zero((size_t)1 << wide.bits, sizeof *wide.key);
    wide.score = cr__alloc((size_t)1 << wide.bits, sizeof *wide.score);
    if (wide.key == NULL || wide.score == NULL) {
        cr__free(wide.key);
        cr__free(wide.score);
        return 0;
    }
    for (size_t i = 0; m->bits > 0 && i < (size_t)1 << m->bits; i++)
        if ((m->key[i].a | m->key[i].b) != 0) {
            const size_t at = find_slot(&wide, m->key[i]);

            wide.key[at] = m->key[i];
            wide.score[at] = m->score[i];
        }
    cr__free(m->key);
    cr__free(m->score);
    *m = wide;
    return 1;
}

/* A score that cannot be cached for lack of memory is computed again next time. */
static void remember(memory *m, key k, double score)
{
    size_t at;

    if ((m->bits == 0 || m->count > (size_t)1 << (m->bits - 1)) && !grow_memory(m))
        return;
    at = find_slot(m, k);
    m->count += (m->key[at].a | m->key[at].b) == 0;
    m->key[at] = k;
    m->score[at] = score;
}

/* --- life ------------------------------------------------------------------------------------- */

void cr__families_free(cr__families *f)
{
    if (f == NULL)
        return;
    for (int w = 0; f->workspace != NULL && w < f->workers; w++) {
        cr__counter_free(&f->workspace[w].counter);
        cr__free(f->workspace[w].list);
    }
    cr__free(f->workspace);
    cr__free(f->memory.key);
    cr__free(f->memory.score);
    cr__free(f->base);
    cr__free(f->extra);
    cr__free(f->marginal);
    cr_pool_free(f->pool);
    cr__free(f);
}

static cr_status seat(cr__families *f, cr_error *err)
{
    cr_status st = CR_OK;

    f->workers = cr_pool_threads(f->pool);
    if ((f->workspace = cr__alloc_zero((size_t)f->workers, sizeof *f->workspace)) == NULL ||
        (f->base = cr__alloc(f->cases->variables + (size_t)1, sizeof *f->base)) == NULL ||
        (f->extra = cr__alloc(f->cases->variables + (size_t)1, sizeof *f->extra)) == NULL)
        return cr__fail_memory(err);
    for (int w = 0; st == CR_OK && w < f->workers; w++) {
        st = cr__counter_new(&f->workspace[w].counter, f->cases, err);
        f->workspace[w].list = cr__alloc(f->cases->variables, sizeof *f->workspace[w].list);
        if (st == CR_OK && f->workspace[w].list == NULL)
            st = cr__fail_memory(err);
    }
    return st;
}

cr_status cr__families_new(cr__families **out, const cr__cases *cases, cr__score score, int threads,
                           cr_error *err)
{
    cr__families *f = cr__alloc_zero(1, sizeof *f);
    cr_status st = CR_OK;

    *out = NULL;
    if (f == NULL)
        return cr__fail_memory(err);
    f->cases = cases;
    f->score = score;
    f->most = (size_t)(cases->total < 64       ? 64
                       : cases->total < 0x1p32 ? cases->total
                                               : 0x1p32) *
              CR__CELLS_PER_ROW;
    if ((double)cases->rows * cases->variables < WORK_ALONE)
        threads = 1;
    st = cr_pool_new(&f->pool, threads, err);
    if (st == CR_OK)
        st = seat(f, err);
    if (st != CR_OK) {
        cr__families_free(f);
        return st;
    }
    *out = f;
    return CR_OK;
}

cr_status cr__families_new_by(cr__families **out, uint32_t variables, cr__family_scorer *scorer,
                              const void *context, cr_error *err)
{
    cr__families *f = cr__alloc_zero(1, sizeof *f);

    *out = NULL;
    if (f == NULL || (f->base = cr__alloc(variables + (size_t)1, sizeof *f->base)) == NULL) {
        cr__free(f);
        return cr__fail_memory(err);
    }
    f->scorer = scorer;
    f->context = context;
    f->variables = variables;
    *out = f;
    return CR_OK;
}

void cr__families_tell(const cr__families *f, size_t *counted, size_t *remembered)
{
    *counted = f->counted;
    *remembered = f->remembered;
}

/* --- by a function ---------------------------------------------------------------------------- */

static double score_by(cr__families *f, uint32_t child, const uint32_t *parent, size_t parents)
{
    const key k = family_key(child, parent, parents);
    double score;

    if (recall(&f->memory, k, &score)) {
        f->remembered++;
        return score;
    }
    f->counted++;
    score = f->scorer(f->context, child, parent, parents);
    remember(&f->memory, k, score);
    return score;
}

/* The score when x becomes a parent, or stops being one. */
static double score_changed(cr__families *f, uint32_t child, const uint32_t *parent, size_t parents,
                            uint32_t x)
{
    size_t n = 0, i = 0;

    for (; i < parents && parent[i] < x; i++)
        f->base[n++] = parent[i];
    if (i < parents && parent[i] == x)
        i++;
    else
        f->base[n++] = x;
    for (; i < parents; i++)
        f->base[n++] = parent[i];
    return score_by(f, child, f->base, n);
}

/* --- counting --------------------------------------------------------------------------------- */

/* One child, its parents, and what each extra parent would give. */
typedef struct around {
    cr__families *f;
    size_t inner;  /* combinations of the parents */
    size_t bases;  /* in f->base: the parents and, last, the child */
    size_t extras; /* in f->extra */
    double *value; /* [variables] */
} around;

static void work_around(void *context, int worker)
{
    const around *a = context;
    cr__families *f = a->f;
    workspace *d = &f->workspace[worker];
    const size_t w = (size_t)worker, all = (size_t)f->workers;
    const size_t end = (w + 1) * a->extras / all;
    const uint32_t states = f->cases->states[f->base[a->bases - 1]];

    d->status = CR_OK;
    for (size_t first = w * a->extras / all, n; first < end; first += n) {
        n = cr__counter_lay(&d->counter, a->inner * states, f->extra + first, end - first);
        if (n == 0 || cr__count_extended(&d->counter, f->base, a->bases, f->extra + first, n,
                                         d->counter.table) != CR_OK) {
            d->status = CR_ENOMEM;
            return;
        }
        for (size_t i = 0; i < n; i++)
            a->value[f->extra[first + i]] =
                cr__score_table(&f->score, f->cases->total, d->counter.table[i], a->inner, states,
                                f->cases->states[f->extra[first + i]]);
    }
}

static cr_status run(cr__families *f, void (*work)(void *, int), void *context, cr_error *err)
{
    cr__pool_run(f->pool, work, context);
    for (int w = 0; w < f->workers; w++)
        if (f->workspace[w].status != CR_OK)
            return cr__fail_memory(err);
    return CR_OK;
}

/* The counts of a family, the child fastest, in the first workspace's table. */
static cr_status count_family(cr__families *f, uint32_t child, const uint32_t *parent,
                              size_t parents, size_t inner, cr_error *err)
{
    workspace *d = &f->workspace[0];

    if (cr__counter_lay(&d->counter, inner, &child, 1) == 0 ||
        cr__count_extended(&d->counter, parent, parents, &child, 1, d->counter.table) != CR_OK)
        return cr__fail_memory(err);
    f->counted++;
    return CR_OK;
}

/* Combinations of the parents; SIZE_MAX when they and the child have too many cells. */
static size_t combinations(const cr__families *f, uint32_t child, const uint32_t *parent,
                           size_t parents)
{
    return cr__cases_cells(f->cases, parent, parents, f->most / f->cases->states[child]);
}

cr_status cr__families_score(cr__families *f, uint32_t child, const uint32_t *parent,
                             size_t parents, double *score, cr_error *err)
{
    const size_t inner = f->scorer != NULL ? 1 : combinations(f, child, parent, parents);
    const key k = family_key(child, parent, parents);
    cr_status st = CR_OK;

    *score = f->scorer != NULL ? score_by(f, child, parent, parents) : -INFINITY;
    if (inner == SIZE_MAX || f->scorer != NULL)
        return CR_OK;
    if (recall(&f->memory, k, score)) {
        f->remembered++;
        return CR_OK;
    }
    if ((st = count_family(f, child, parent, parents, inner, err)) != CR_OK)
        return st;
    *score = cr__score_table(&f->score, f->cases->total, f->workspace[0].counter.table[0], inner,
                             f->cases->states[child], 1);
    remember(&f->memory, k, *score);
    return CR_OK;
}

/* The table of a family without its i-th parent: summed over the states of that one. */
static double score_without(cr__families *f, const double *table, uint32_t child,
                            const uint32_t *parent, size_t i, size_t inner)
{
    const size_t states = f->cases->states[parent[i]], r = f->cases->states[child];
    size_t slow = 1, fast;

    for (size_t p = 0; p < i; p++)
        slow *= f->cases->states[parent[p]];
    fast = inner / slow / states * r;
    memset(f->marginal, 0, slow * fast * sizeof *f->marginal);
    for (size_t s = 0; s < slow; s++)
        for (size_t k = 0; k < states; k++)
            for (size_t x = 0; x < fast; x++)
                f->marginal[s * fast + x] += table[(s * states + k) * fast + x];
    return cr__score_table(&f->score, f->cases->total, f->marginal, inner / states, r, 1);
}

/* The family itself and those with one parent less, all from one table. */
static cr_status score_below(cr__families *f, uint32_t child, const uint32_t *parent,
                             size_t parents, size_t inner, double *own, double *value,
                             cr_error *err)
{
    const key k = family_key(child, parent, parents);
    int known = recall(&f->memory, k, own);
    const double *table;
    cr_status st;

    for (size_t i = 0; i < parents; i++)
        known &= recall(&f->memory, key_xor(k, contribution(child, parent[i])), &value[parent[i]]);
    if (known) {
        f->remembered += parents + 1;
        return CR_OK;
    }
    if ((st = count_family(f, child, parent, parents, inner, err)) != CR_OK)
        return st;
    if (!cr__grow(&f->marginal, &f->marginal_capacity, inner * f->cases->states[child],
                  sizeof *f->marginal))
        return cr__fail_memory(err);
    table = f->workspace[0].counter.table[0];
    *own = cr__score_table(&f->score, f->cases->total, table, inner, f->cases->states[child], 1);
    remember(&f->memory, k, *own);
    for (size_t i = 0; i < parents; i++) {
        value[parent[i]] = score_without(f, table, child, parent, i, inner);
        remember(&f->memory, key_xor(k, contribution(child, parent[i])), value[parent[i]]);
    }
    return CR_OK;
}

/* The wanted variables that are neither the child nor parents and whose scores are not known yet,
 * into f->extra. */
static size_t list_extras(cr__families *f, uint32_t child, const uint32_t *parent, size_t parents,
                          size_t inner, const uint64_t *wanted, double *value)
{
    const key k = family_key(child, parent, parents);
    size_t n = 0, p = 0;

    for (uint32_t x = 0; x < f->cases->variables; x++) {
        const int is_parent = p < parents && parent[p] == x;

        p += (size_t)is_parent;
        if (is_parent || x == child || (wanted[x / 64] >> x % 64 & 1) == 0)
            continue;
        if (inner * f->cases->states[child] > f->most / f->cases->states[x])
            value[x] = -INFINITY;
        else if (recall(&f->memory, key_xor(k, contribution(child, x)), &value[x]))
            f->remembered++;
        else
            f->extra[n++] = x;
    }
    return n;
}

/* The same by a function. */
static void around_by(cr__families *f, uint32_t child, const uint32_t *parent, size_t parents,
                      const uint64_t *wanted, double *own, double *value)
{
    size_t at = 0;

    *own = score_by(f, child, parent, parents);
    for (uint32_t x = 0; x < f->variables; x++) {
        const int is_parent = at < parents && parent[at] == x;

        at += (size_t)is_parent;
        if (x != child && (is_parent || (wanted[x / 64] >> x % 64 & 1)))
            value[x] = score_changed(f, child, parent, parents, x);
    }
}

cr_status cr__families_around(cr__families *f, uint32_t child, const uint32_t *parent,
                              size_t parents, const uint64_t *wanted, double *own, double *value,
                              cr_error *err)
{
    const size_t inner = f->scorer != NULL ? 1 : combinations(f, child, parent, parents);
    const key k = family_key(child, parent, parents);
    around a = {.f = f, .inner = inner, .bases = parents + 1, .value = value};
    cr_status st;

    if (f->scorer != NULL) {
        around_by(f, child, parent, parents, wanted, own, value);
        return CR_OK;
    }
    if (inner == SIZE_MAX)
        return cr__fail(err, CR_ELIMIT, "a family has more cells than %d for each row",
                        (int)CR__CELLS_PER_ROW);
    if ((st = score_below(f, child, parent, parents, inner, own, value, err)) != CR_OK)
        return st;
    if (parents > 0)
        memcpy(f->base, parent, parents * sizeof *f->base);
    f->base[parents] = child;
    a.extras = list_extras(f, child, parent, parents, inner, wanted, value);
    if (a.extras == 0)
        return CR_OK;
    if ((st = run(f, work_around, &a, err)) != CR_OK)
        return st;
    f->counted += a.extras;
    for (size_t i = 0; i < a.extras; i++)
        remember(&f->memory, key_xor(k, contribution(child, f->extra[i])), value[f->extra[i]]);
    return CR_OK;
}

/* --- all pairs -------------------------------------------------------------------------------- */

typedef struct pairs {
    cr__families *f;
    double *value;
} pairs;

/* The pairs of one variable with those after it. A table of a pair serves both directions. */
static cr_status score_pairs(const pairs *p, workspace *d, uint32_t i)
{
    const cr__cases *cases = p->f->cases;
    const size_t n = cases->variables, states = cases->states[i];
    const cr__score *score = &p->f->score;
    size_t extras = 0;

    for (uint32_t j = i + 1; j < n; j++)
        if (states <= p->f->most / cases->states[j])
            d->list[extras++] = j;
        else
            p->value[i * n + j] = p->value[j * n + i] = -INFINITY;
    for (size_t first = 0, some; first < extras; first += some) {
        some = cr__counter_lay(&d->counter, states, d->list + first, extras - first);
        if (some == 0 || cr__count_extended(&d->counter, &i, 1, d->list + first, some,
                                            d->counter.table) != CR_OK)
            return CR_ENOMEM;
        for (size_t k = 0; k < some; k++) {
            const size_t j = d->list[first + k], other = cases->states[j];
            const double *table = d->counter.table[k];

            p->value[i * n + j] = cr__score_table(score, cases->total, table, 1, states, other);
            p->value[j * n + i] = cr__score_table(score, cases->total, table, states, other, 1);
        }
    }
    if (cr__counter_lay(&d->counter, 1, &i, 1) == 0 ||
        cr__count_extended(&d->counter, NULL, 0, &i, 1, d->counter.table) != CR_OK)
        return CR_ENOMEM;
    p->value[i * n + i] = cr__score_table(score, cases->total, d->counter.table[0], 1, states, 1);
    return CR_OK;
}

static void work_pairs(void *context, int worker)
{
    const pairs *p = context;
    workspace *d = &p->f->workspace[worker];

    d->status = CR_OK;
    for (uint32_t i = (uint32_t)worker; i < p->f->cases->variables && d->status == CR_OK;
         i += (uint32_t)p->f->workers)
        d->status = score_pairs(p, d, i);
}

cr_status cr__families_pairs(cr__families *f, double *value, cr_error *err)
{
    const uint32_t n = f->scorer != NULL ? f->variables : f->cases->variables;
    pairs p = {f, value};
    cr_status st;

    for (uint32_t i = 0; f->scorer != NULL && i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            value[(size_t)i * n + j] = score_by(f, i, &j, i == j ? 0 : 1);
    if (f->scorer != NULL)
        return CR_OK;
    if ((st = run(f, work_pairs, &p, err)) != CR_OK)
        return st;
    f->counted += (size_t)n * n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            remember(&f->memory,
                     i == j ? contribution(i, i) : key_xor(contribution(i, i), contribution(i, j)),
                     value[(size_t)i * n + j]);
    return CR_OK;
}
