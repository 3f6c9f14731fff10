/* learners/joint/joint.c - the learner's table, its knobs, its fitted parameters. */
#include "learners/joint/joint.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/registry.h"
#include "stats/cells_sections.h"

static const cr__knob_spec knobs[] = {
    {"smoothing", "none", CR__KNOB_CHOICE, 0, "none|laplace|dirichlet",
     "how P(cell) is estimated: as counted, or as mean or mode under a Dirichlet prior"},
    {"alpha", "1", CR__KNOB_NUMBER, 0, NULL, "laplace: added to the count of every cell"},
    {"beta", "2", CR__KNOB_NUMBER, 1, NULL, "dirichlet: parameter of the prior, at least 1"},
    {"bins", "none", CR__KNOB_LISTED, 0, NULL,
     "cuts of real columns, as in hours:40.5 or hours:20:40.5,age:30; fixed at training"},
};

static void free_joint(void *fitted)
{
    cr__joint *joint = fitted;

    if (joint == NULL)
        return;
    for (size_t j = 0; joint->cuts != NULL && j < joint->cells.packing.variables; j++)
        cr__free(joint->cuts[j].cut);
    cr__free(joint->cuts);
    cr__free(joint->values);
    cr__free(joint->variable_of);
    cr__free(joint->seen);
    cr__free(joint->own);
    cr__free(joint->class_seen);
    if (joint->opened)
        cr__cells_close(&joint->cells);
    cr__free(joint);
}

/* --- fit ------------------------------------------------------------------------------------ */

static double pseudo_count(const cr__knobs *values)
{
    if (cr__knobs_is(values, "smoothing", "laplace"))
        return cr__knobs_number(values, "alpha");
    if (cr__knobs_is(values, "smoothing", "dirichlet"))
        return cr__knobs_number(values, "beta") - 1;
    return 0;
}

/* Values, cuts and places of the columns, for the existing cells. */
static cr_status lay_columns(cr__joint *joint, const cr_schema *schema, const size_t *values,
                             cr_error *err)
{
    const size_t n = joint->cells.packing.variables;
    cr_status st = CR_OK;

    joint->columns = schema->columns;
    joint->features = n - (schema->target != SIZE_MAX);
    joint->values = cr__alloc(n, sizeof *joint->values);
    joint->cuts = cr__alloc_zero(n, sizeof *joint->cuts);
    joint->variable_of = cr__alloc(schema->columns, sizeof *joint->variable_of);
    joint->seen = cr__alloc_zero(n, sizeof *joint->seen);
    if (joint->values == NULL || joint->cuts == NULL || joint->variable_of == NULL ||
        joint->seen == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++)
        joint->variable_of[i] = SIZE_MAX;
    for (size_t j = 0; j < n; j++) {
        const cr__column *column = &schema->column[joint->cells.column[j]];

        joint->values[j] = values[joint->cells.column[j]];
        joint->variable_of[joint->cells.column[j]] = j;
        if (column->kind == CR_REAL &&
            (st = cr__cuts_of_column(&joint->cuts[j], column, joint->values[j], err)) != CR_OK)
            return st;
    }
    return st;
}

/* Where the counts of each feature begin in one array; returns its length, SIZE_MAX when that is
 * too much. */
static size_t lay_seen(cr__joint *joint, const double *base)
{
    size_t length = 0;

    for (size_t j = 0; j < joint->features; j++) {
        joint->seen[j] = base == NULL ? NULL : base + length;
        if (joint->values[j] > (SIZE_MAX / 16 - length) / (joint->classes > 0 ? joint->classes : 1))
            return SIZE_MAX;
        length += joint->values[j] * joint->classes;
    }
    return length;
}

/* Count the complete rows: in total, by class (exactly, in by_class), and by value and class. */
static void count_cells(cr__joint *joint, cr__count *by_class)
{
    const cr__cells *cells = &joint->cells;
    const size_t K = joint->classes, n = cells->packing.variables;

    for (size_t i = 0; i < cells->count; i++) {
        const uint64_t *key = cells->key + i * cells->packing.words;
        const double weight = cr__count_value(cr__cells_at(cells, i));
        size_t c = 0;

        if (!cr__cells_complete(cells, i)) {
            joint->gaps = 1;
            continue;
        }
        joint->total = cr__count_plus(joint->total, cr__cells_at(cells, i), 1);
        if (joint->features < n)
            c = cr__packing_get(&cells->packing, key, n - 1) - 1;
        by_class[c] = cr__count_plus(by_class[c], cr__cells_at(cells, i), 1);
        for (size_t j = 0; j < joint->features; j++)
            joint->own[(size_t)(joint->seen[j] - joint->own) +
                       (cr__packing_get(&cells->packing, key, j) - 1) * K + c] += weight;
    }
    for (size_t c = 0; c < K; c++)
        joint->class_seen[c] = cr__count_value(by_class[c]);
}

static cr_status fit_cells(cr__joint *joint, const cr__stats *stats, cr_error *err)
{
    size_t *values = cr__alloc(stats->schema->columns, sizeof *values), length;
    cr__count *by_class = cr__alloc_zero(joint->classes, sizeof *by_class);
    cr_status st = values == NULL || by_class == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++)
        values[i] = cr__stats_values(stats, i);
    if (st == CR_OK)
        st = lay_columns(joint, stats->schema, values, err);
    if (st == CR_OK) {
        length = lay_seen(joint, NULL);
        joint->own = length == SIZE_MAX ? NULL : cr__alloc_zero(length, sizeof *joint->own);
        joint->class_seen = cr__alloc_zero(joint->classes, sizeof *joint->class_seen);
        if (joint->own == NULL || joint->class_seen == NULL)
            st = cr__fail_memory(err);
    }
    if (st == CR_OK) {
        lay_seen(joint, joint->own);
        count_cells(joint, by_class);
    }
    cr__free(by_class);
    cr__free(values);
    return st;
}

static cr_status fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    const cr__stats *stats = input->stats;
    const cr__knobs *values = input->knobs;
    cr__joint *joint = cr__alloc_zero(1, sizeof *joint);
    cr_status st;

    *fitted = NULL;
    if (joint == NULL)
        return cr__fail_memory(err);
    joint->cells = *stats->cells;
    joint->classes = stats->classes;
    joint->pseudo = pseudo_count(values);
    if ((st = fit_cells(joint, stats, err)) != CR_OK) {
        free_joint(joint);
        return st;
    }
    *fitted = joint;
    return CR_OK;
}

/* --- the model file ------------------------------------------------------------------------- */

/*   JNFT      f64 pseudo-count; i64 whole, u64 fraction of N; complete rows by class, f64[classes]
 *   JNSN      complete rows by value and class, f64[values * classes] feature after feature */
#define TAG_FITTED CR__TAG('J', 'N', 'F', 'T')
#define TAG_SEEN CR__TAG('J', 'N', 'S', 'N')

typedef struct fitted_head {
    double pseudo;
    cr__count total;
} fitted_head;

static void save(const void *fitted, cr__draft *draft)
{
    const cr__joint *joint = fitted;
    const fitted_head h = {joint->pseudo, joint->total};
    size_t length = 0;

    for (size_t j = 0; j < joint->features; j++)
        length += joint->values[j] * joint->classes;
    cr__draft_section_begin(draft, TAG_FITTED, 0);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_borrow(draft, joint->class_seen, joint->classes * sizeof *joint->class_seen);
    cr__draft_section_begin(draft, TAG_SEEN, 0);
    if (joint->features > 0)
        cr__draft_borrow(draft, joint->seen[0], length * sizeof(double));
}

static cr_status read_counts(cr__joint *joint, const cr__container *container, cr_error *err)
{
    const void *bytes;
    fitted_head h;
    size_t length;
    cr_status st = cr__container_need(
        container, TAG_FITTED, 0, sizeof h + joint->classes * sizeof(double), 1, &bytes, NULL, err);

    if (st != CR_OK)
        return st;
    memcpy(&h, bytes, sizeof h);
    if (!(h.pseudo >= 0) || h.total.whole < 0)
        return cr__container_damaged(container, err, "its joint table makes no sense");
    joint->pseudo = h.pseudo;
    joint->total = h.total;
    for (size_t i = 0; i < joint->cells.count && !joint->gaps; i++)
        joint->gaps = !cr__cells_complete(&joint->cells, i);
    joint->class_seen = cr__alloc(joint->classes, sizeof *joint->class_seen);
    if (joint->class_seen == NULL)
        return cr__fail_memory(err);
    memcpy(joint->class_seen, (const char *)bytes + sizeof h, joint->classes * sizeof(double));
    if ((length = lay_seen(joint, NULL)) == SIZE_MAX)
        return cr__container_damaged(container, err, "a column has an impossible number of values");
    st = cr__container_need(container, TAG_SEEN, 0, length * sizeof(double), 1, &bytes, NULL, err);
    if (st == CR_OK)
        lay_seen(joint, bytes);
    return st;
}

static cr_status open_fitted(void **fitted, const cr__container *container, const cr_schema *schema,
                             const size_t *values, size_t classes, cr_error *err)
{
    cr__joint *joint = cr__alloc_zero(1, sizeof *joint);
    cr_status st;

    *fitted = NULL;
    if (joint == NULL)
        return cr__fail_memory(err);
    joint->opened = 1;
    joint->classes = classes;
    st = cr__cells_open(&joint->cells, container, schema, values, err);
    if (st == CR_OK && (st = lay_columns(joint, schema, values, err)) == CR_EFORMAT)
        st = cr__container_damaged(container, err, "the intervals of a column make no sense");
    if (st == CR_OK)
        st = read_counts(joint, container, err);
    if (st != CR_OK) {
        free_joint(joint);
        return st;
    }
    *fitted = joint;
    return CR_OK;
}

/* --- getters ---------------------------------------------------------------------------------- */

cr__scaled cr__joint_pseudo(const cr__joint *joint, const unsigned char *skip)
{
    cr__scaled product = cr__scaled_of(joint->pseudo, 0);

    for (size_t j = 0; j < joint->cells.packing.variables; j++)
        if (skip == NULL || !skip[j])
            product = cr__scaled_times(product, cr__scaled_of((double)joint->values[j], 0));
    return product;
}

/* (n + a m) / (N + a M), where m = M / parts cells have n rows. */
static double share(const cr__joint *joint, double n, double parts, double of, double of_parts)
{
    const cr__scaled all = cr__joint_pseudo(joint, NULL);
    const cr__scaled top =
        cr__scaled_add(cr__scaled_of(n, 0), cr__scaled_times(all, cr__scaled_of(1 / parts, 0)));
    const cr__scaled bottom =
        cr__scaled_add(cr__scaled_of(of, 0), cr__scaled_times(all, cr__scaled_of(1 / of_parts, 0)));

    return bottom.value == 0 ? of_parts / parts : cr__scaled_ratio(top, bottom);
}

static double prior(const void *fitted, size_t c)
{
    const cr__joint *joint = fitted;

    return share(joint, joint->class_seen[c], (double)joint->classes, cr__count_value(joint->total),
                 1);
}

static double probability(const void *fitted, size_t column, size_t value, size_t c)
{
    const cr__joint *joint = fitted;
    const size_t j = joint->variable_of[column], K = joint->classes;

    return share(joint, joint->seen[j][value * K + c], (double)K * (double)joint->values[j],
                 joint->class_seen[c], (double)K);
}

/* I(target; column) in bits: Σ P(v, c) log2 ( P(v, c) / P(v) P(c) ). */
static double information(const void *fitted, size_t column)
{
    const cr__joint *joint = fitted;
    const size_t j = joint->variable_of[column], K = joint->classes;
    double bits = 0;

    if (joint->features == joint->cells.packing.variables || j >= joint->features)
        return NAN;
    for (size_t v = 0; v < joint->values[j]; v++) {
        double of_value = 0;

        for (size_t c = 0; c < K; c++)
            of_value += prior(joint, c) * probability(joint, column, v, c);
        for (size_t c = 0; c < K; c++) {
            const double p = probability(joint, column, v, c);
            bits += p > 0 ? prior(joint, c) * p * log2(p / of_value) : 0;
        }
    }
    return bits > 0 ? bits : 0;
}

/* The number of cells minus one. */
static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    double cells = 1;

    (void)fitted;
    (void)values;
    for (size_t j = 0; j < stats->cells->packing.variables; j++)
        cells *= (double)cr__stats_values(stats, stats->cells->column[j]);
    return cells > 0 ? cells - 1 : 0;
}

/* How much of the table was seen, and which rows cannot be used for it. */
static void facts(const void *fitted, const cr__stats *stats, cr_model_facts *out)
{
    const cr__cells *cells = stats == NULL ? NULL : stats->cells;
    cr__count incomplete = {0};

    (void)fitted;
    for (size_t i = 0; cells != NULL && i < cells->count; i++)
        if (cr__cells_complete(cells, i))
            out->cells++;
        else
            incomplete = cr__count_plus(incomplete, cr__cells_at(cells, i), 1);
    out->incomplete = cr__count_value(incomplete);
}

static const cr__scores scores = {.score = cr__joint_score};
static const cr__explains explains = {.factors = cr__joint_factors, .work = CR__JOINT_FACTOR_WORK};
static const cr__has_values has_values = {.probability = probability};
static const cr__has_joint has_joint = {.measure = cr__joint_measure};

const cr__learner cr__joint_table = {
    .name = "joint",
    .summary = "joint table: how often each combination of values occurs",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .target = CR__TARGET_NONE,
    .needs = {.cells = 1},
    .fit = fit,
    .free = free_joint,
    .save = save,
    .sections = "JNFT JNSN",
    .open = open_fitted,
    .prior = prior,
    .parameters = parameters,
    .information = information,
    .facts = facts,
    .scores = &scores,
    .explains = &explains,
    .has_values = &has_values,
    .has_joint = &has_joint,
    .has_evidence = cr__joint_evidence,
};
