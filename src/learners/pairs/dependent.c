/* learners/pairs/dependent.c - the learners tan, kdb and pairs: their knobs, their tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "learners/pairs/pairs.h"
#include "learners/registry.h"

#define SHARED_KNOBS                                                                               \
    {"worth",                                                                                      \
     "aic",                                                                                        \
     CR__KNOB_CHOICE,                                                                              \
     0,                                                                                            \
     "aic|bic|all",                                                                                \
     "dependences that count: those worth their parameters, by Akaike's measure or Schwarz's, "    \
     "or all"},                                                                                    \
        {"smoothing",                                                                              \
         "backoff",                                                                                \
         CR__KNOB_CHOICE,                                                                          \
         0,                                                                                        \
         "backoff|laplace",                                                                        \
         "where rows are few: towards one parent less, or only towards all values alike"},         \
        {"m", "3", CR__KNOB_NUMBER, 0, NULL, "backoff: rows that one parent less is worth"},       \
        {"alpha", "0.5", CR__KNOB_NUMBER, 0, NULL, "added to every count"},                        \
        {"prior",                                                                                  \
         "empirical",                                                                              \
         CR__KNOB_CHOICE,                                                                          \
         0,                                                                                        \
         "empirical|uniform|map",                                                                  \
         "P(class): the share of the rows, all alike, or the mode under a Dirichlet prior"},       \
        {"prior-beta",                                                                             \
         "2",                                                                                      \
         CR__KNOB_NUMBER,                                                                          \
         1,                                                                                        \
         NULL,                                                                                     \
         "prior=map: parameter of the Dirichlet prior"},                                           \
    {                                                                                              \
        "bins", "mdl", CR__KNOB_LISTED, 0, NULL,                                                   \
            "cuts of real columns: mdl, sqrt, width:K, frequency:K or hours:20:40.5,age:30; "      \
            "fixed at "                                                                            \
            "training"                                                                             \
    }

static const cr__knob_spec tan_knobs[] = {SHARED_KNOBS};
static const cr__knob_spec kdb_knobs[] = {
    {"k", "2", CR__KNOB_NUMBER, 0, NULL, "parents that a feature may have, at most 4"},
    SHARED_KNOBS,
};
static const cr__knob_spec pairs_knobs[] = {
    {"pairs", "5", CR__KNOB_NUMBER, 0, NULL, "how many times features are joined, at most"},
    {"order", "2", CR__KNOB_NUMBER, 2, NULL, "features that are joined into one: 2 or 3"},
    {"often", "1", CR__KNOB_NUMBER, 0, NULL,
     "rows there must be for each combination of values and class, on average"},
    SHARED_KNOBS,
};

void cr__dependent_clear(cr__dependent *d)
{
    for (size_t j = 0; d->cuts != NULL && j < d->features; j++)
        cr__free(d->cuts[j].cut);
    cr__free(d->cuts);
    cr__free(d->column);
    cr__free(d->values);
    cr__free(d->feature_of);
    cr__structure_free(&d->structure);
    cr__free(d->table_at);
    cr__free(d->own);
}

void cr__dependent_free(void *fitted)
{
    if (fitted != NULL)
        cr__dependent_clear(fitted);
    cr__free(fitted);
}

/* --- places --------------------------------------------------------------------------------- */

cr_status cr__dependent_lay(cr__dependent *d, const cr_schema *schema, const size_t *values,
                            cr_error *err)
{
    size_t n = 0;
    cr_status st = CR_OK;

    d->columns = schema->columns;
    d->column = cr__alloc(schema->columns, sizeof *d->column);
    d->values = cr__alloc(schema->columns, sizeof *d->values);
    d->cuts = cr__alloc_zero(schema->columns, sizeof *d->cuts);
    d->feature_of = cr__alloc(schema->columns, sizeof *d->feature_of);
    if (d->column == NULL || d->values == NULL || d->cuts == NULL || d->feature_of == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++) {
        const cr__column *column = &schema->column[i];

        d->feature_of[i] = SIZE_MAX;
        if (!cr__stats_is_feature(schema, i))
            continue;
        d->feature_of[i] = n;
        d->column[n] = i;
        d->values[n] = values[i];
        d->features = n + 1;
        if (column->kind == CR_REAL &&
            (st = cr__cuts_of_column(&d->cuts[n], column, values[i], err)) != CR_OK)
            return st;
        n++;
    }
    return st;
}

size_t *cr__dependent_values(const cr__stats *stats)
{
    size_t *values = cr__alloc(stats->schema->columns, sizeof *values);

    for (size_t i = 0; values != NULL && i < stats->schema->columns; i++)
        values[i] = cr__stats_values(stats, i);
    return values;
}

/* Values of the last of the first t parents; 1 where there is none. */
static size_t values_of_last(const cr__dependent *d, size_t i, size_t t)
{
    return t == 0 ? 1 : d->values[d->structure.parent[i * CR__PARENTS_MOST + t - 1]];
}

cr_status cr__dependent_lay_tables(cr__dependent *d)
{
    const size_t K = d->classes;

    d->exact = 1;
    d->size = 0;
    d->table_at = cr__alloc(d->features, (CR__PARENTS_MOST + 1) * sizeof *d->table_at);
    if (d->table_at == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < d->features; i++) {
        size_t cells = d->values[i];

        if (K != 0 && cells > CR__TABLE_MOST / K)
            return CR_ELIMIT;
        cells *= K;
        d->exact &= d->structure.depth[i] <= 1;
        for (size_t t = 0; t <= d->structure.depth[i]; t++) {
            const size_t more = values_of_last(d, i, t);

            if (cells != 0 && more > CR__TABLE_MOST / cells)
                return CR_ELIMIT;
            cells *= more;
            d->table_at[i * (CR__PARENTS_MOST + 1) + t] = d->size;
            if (d->size > SIZE_MAX / 16 - cells)
                return CR_ELIMIT;
            d->size += cells;
        }
    }
    return CR_OK;
}

size_t cr__dependent_row(const cr__dependent *d, size_t i, size_t t, const uint32_t *code)
{
    size_t at = 0;

    for (size_t k = 0; k < t; k++) {
        const uint32_t p = d->structure.parent[i * CR__PARENTS_MOST + k];

        at = at * d->values[p] + code[p] - 1;
    }
    return d->table_at[i * (CR__PARENTS_MOST + 1) + t] + at * d->values[i] * d->classes;
}

/* --- tables --------------------------------------------------------------------------------- */

/* P(c) = n_c / n, or (n_c + β - 1) / (n + K (β - 1)), the mode of a Dirichlet posterior. */
void cr__dependent_prior(const cr__stats *stats, const cr__knobs *knobs, double *log_prior)
{
    const int uniform = cr__knobs_is(knobs, "prior", "uniform");
    const double plus =
        cr__knobs_is(knobs, "prior", "map") ? cr__knobs_number(knobs, "prior-beta") - 1 : 0;
    double all = 0;

    for (size_t c = 0; c < stats->classes; c++)
        all += cr__count_value(cr__stats_class(stats, c)) + plus;
    for (size_t c = 0; c < stats->classes; c++)
        log_prior[c] = uniform || !(all > 0)
                           ? -log((double)stats->classes)
                           : log((cr__count_value(cr__stats_class(stats, c)) + plus) / all);
}

/* Rows of feature i by its values, and by those of one parent, from the statistics. */
static void count_values(const cr__dependent *d, const cr__codes *codes, size_t i, double *n)
{
    for (size_t v = 0; v < d->values[i]; v++)
        for (size_t c = 0; c < d->classes; c++)
            n[v * d->classes + c] = cr__codes_value(codes, i, v, c);
}

static void count_pair(const cr__dependent *d, const cr__codes *codes, size_t i, size_t parent,
                       double *n)
{
    const size_t K = d->classes, V = d->values[i], W = d->values[parent];
    const int first = parent < i; /* the pair's first feature */
    const cr__tuple_counts *from =
        &codes->stats->tuples
             ->counts[cr__tuples_pair(d->features, first ? parent : i, first ? i : parent)];

    for (size_t k = 0; k < from->cells; k++) {
        const uint64_t at = from->key == NULL ? k : from->key[k], both = at / K;
        const uint64_t p = first ? both / V : both % W, x = first ? both % V : both / W;

        n[(p * V + x) * K + at % K] = cr__count_value(cr__tuple_at(from, k));
    }
}

/* The same for two parents, from the triple of the three in ascending order. */
static void count_triple(const cr__dependent *d, const cr__codes *codes, size_t i,
                         const uint32_t *parent, double *n)
{
    const cr__tuples *tuples = codes->stats->tuples;
    const uint32_t who[3] = {parent[0], parent[1], (uint32_t)i};
    uint32_t sorted[3], place[3]; /* where each of who is among them */
    const cr__tuple_counts *from;
    const size_t K = d->classes;

    for (size_t a = 0; a < 3; a++) {
        place[a] = (uint32_t)((who[a] > who[(a + 1) % 3]) + (who[a] > who[(a + 2) % 3]));
        sorted[place[a]] = who[a];
    }
    from = &tuples->counts[cr__tuples_find(tuples, sorted, 3)];
    for (size_t k = 0; k < from->cells; k++) {
        const uint64_t at = from->key == NULL ? k : from->key[k], values = at / K;
        const uint64_t two = values / d->values[sorted[2]];
        const uint64_t value[3] = {two / d->values[sorted[1]], two % d->values[sorted[1]],
                                   values % d->values[sorted[2]]};

        n[((value[place[0]] * d->values[parent[1]] + value[place[1]]) * d->values[i] +
           value[place[2]]) *
              K +
          at % K] = cr__count_value(cr__tuple_at(from, k));
    }
}

/* Rows of feature i with its first t parents, into its table, which is all 0. */
static void count_table(const cr__dependent *d, const cr__codes *codes, size_t i, size_t t,
                        double *n)
{
    if (t == 0) {
        count_values(d, codes, i, n);
        return;
    }
    const uint32_t *parent = d->structure.parent + i * CR__PARENTS_MOST;

    if (codes->code == NULL && t == 1) {
        count_pair(d, codes, i, *parent, n);
        return;
    }
    if (codes->code == NULL) {
        count_triple(d, codes, i, parent, n);
        return;
    }
    const uint16_t *x = codes->code[i];

    for (size_t c = 0; c < codes->classes; c++)
        for (size_t r = codes->start[c]; r < codes->start[c + 1]; r++) {
            size_t at = 0;
            int whole = x[r] != 0;

            for (size_t k = 0; k < t; k++) {
                const uint16_t p = codes->code[parent[k]][r];

                whole &= p != 0;
                at = at * d->values[parent[k]] + p - 1;
            }
            if (whole)
                n[(at * d->values[i] + x[r] - 1) * d->classes + c] +=
                    codes->weight == NULL ? 1 : codes->weight[r];
        }
}

/* Convert counts to logs of probabilities; less is the finished table with one parent less, each
 * row of which serves `per` rows here. */
static void smooth_table(const cr__dependent *d, size_t i, size_t rows, const double *less,
                         size_t per, double *n)
{
    const size_t V = d->values[i], K = d->classes;

    for (size_t q = 0; q < rows; q++, n += V * K)
        for (size_t c = 0; c < K; c++) {
            double total = cr__dependent_plus_all(d, V, less != NULL);

            for (size_t v = 0; v < V; v++)
                total += n[v * K + c];
            for (size_t v = 0; v < V; v++) {
                const double guess = less == NULL ? NAN : exp(less[(q / per * V + v) * K + c]);
                const double plus = cr__dependent_plus(d, guess);

                n[v * K + c] = log(total > 0      ? (n[v * K + c] + plus) / total
                                   : less == NULL ? 1 / (double)V
                                                  : guess);
            }
        }
}

void cr__dependent_count(const cr__dependent *d, const cr__codes *codes, double *n)
{
    memset(n, 0, d->size * sizeof *n);
    for (size_t i = 0; i < d->features; i++)
        for (size_t t = 0; t <= d->structure.depth[i]; t++)
            count_table(d, codes, i, t, n + d->table_at[i * (CR__PARENTS_MOST + 1) + t]);
}

static void fill_tables(cr__dependent *d, const cr__codes *codes, double *log_p)
{
    for (size_t i = 0; i < d->features; i++) {
        const double *less = NULL;
        size_t rows = 1;

        for (size_t t = 0; t <= d->structure.depth[i]; t++) {
            double *table = log_p + d->table_at[i * (CR__PARENTS_MOST + 1) + t];
            const size_t more = values_of_last(d, i, t);

            rows *= more;
            memset(table, 0, rows * d->values[i] * d->classes * sizeof *table);
            count_table(d, codes, i, t, table);
            smooth_table(d, i, rows, isnan(d->m) ? NULL : less, more, table);
            less = table;
        }
    }
}

static cr_status fit_tables(cr__dependent *d, const cr__codes *codes, const cr__stats *stats,
                            const cr__fit_input *input, cr_error *err)
{
    const cr__knobs *knobs = input->knobs;
    cr_status st = cr__dependent_lay_tables(d);

    if (st == CR_ELIMIT) {
        cr__fail(err, st, "a feature has too many values: its table would be too large");
        return cr__fail_hint(err, st, CR__SET("type COLUMN=ignore") " leaves one out");
    }
    if (st == CR_OK &&
        (st = cr__run_afford(input->run, (double)d->size * sizeof *d->own,
                             "tables of features by class and by each other", err)) != CR_OK)
        return st;
    if (st != CR_OK || (d->own = cr__alloc(d->size + d->classes, sizeof *d->own)) == NULL)
        return cr__fail_memory(err);
    d->alpha = cr__knobs_number(knobs, "alpha");
    d->m = cr__knobs_is(knobs, "smoothing", "laplace") ? NAN : cr__knobs_number(knobs, "m");
    fill_tables(d, codes, d->own);
    cr__dependent_prior(stats, knobs, d->own + d->size);
    d->log_p = d->own;
    d->log_prior = d->own + d->size;
    return CR_OK;
}

/* --- fit ------------------------------------------------------------------------------------ */

typedef cr_status find_structure(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                                 const double *information, const cr__knobs *knobs);

static cr__worth worth_of(const cr__knobs *knobs)
{
    return cr__knobs_is(knobs, "worth", "all")   ? CR__WORTH_ALL
           : cr__knobs_is(knobs, "worth", "bic") ? CR__WORTH_BIC
                                                 : CR__WORTH_AIC;
}

static cr_status find_tan(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                          const double *information, const cr__knobs *knobs)
{
    return cr__structure_tan(out, codes, pair, information, worth_of(knobs));
}

static cr_status find_kdb(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                          const double *information, const cr__knobs *knobs)
{
    return cr__structure_kdb(out, codes, pair, information,
                             (size_t)fmin(CR__PARENTS_MOST, cr__knobs_number(knobs, "k")),
                             worth_of(knobs));
}

static cr_status find_joins(cr__structure *out, const cr__codes *codes, const cr__pair *pair,
                            const double *information, const cr__knobs *knobs)
{
    (void)information;
    return cr__structure_joins(out, codes, pair,
                               (size_t)fmin(1e6, cr__knobs_number(knobs, "pairs")),
                               (size_t)fmin(3, cr__knobs_number(knobs, "order")),
                               cr__knobs_number(knobs, "often"), worth_of(knobs));
}

/* Without joins nothing needs to be measured. */
static int needs_pairs(const cr__knobs *knobs)
{
    return !(cr__knobs_number(knobs, "pairs") < 1) && !(cr__knobs_number(knobs, "k") < 1);
}

/* Features that are counted together at most, themselves and their parents: 2 for tan. */
static size_t together(const cr__knobs *knobs)
{
    const double k = cr__knobs_number(knobs, "k"), order = cr__knobs_number(knobs, "order");

    return !isnan(k) ? (size_t)fmin(CR__PARENTS_MOST, k) + 1 : order > 2 ? 3 : 2;
}

/* Counts of triples no longer exist for a knob that needs more. */
static cr_status check_counts(const cr__codes *codes, const cr__knobs *knobs, cr_error *err)
{
    const size_t have = cr__tuples_order(codes->stats->tuples), need = together(knobs);

    if (have == 0 || need <= have || need <= 2 || codes->features <= have)
        return CR_OK;
    cr__fail(err, CR_EARG, "the model counts %zu features together; %zu are needed", have, need);
    return cr__fail_hint(err, CR_EARG, "train again with these knobs");
}

static cr_status fit_structure(cr__dependent *d, const cr__codes *codes, const cr__fit_input *input,
                               find_structure *find, cr_error *err)
{
    const size_t n = d->features;
    cr__pair *pair;
    double *information;
    cr_status st = cr__run_afford(input->run, (double)n * (double)n * sizeof *pair,
                                  "what features tell about each other, pair by pair,", err);

    if (st != CR_OK)
        return st;
    pair = cr__alloc_zero(n * n, sizeof *pair);
    information = cr__alloc(n, sizeof *information);
    st = cr__structure_new(&d->structure, n);
    if (st != CR_OK || pair == NULL || information == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK && needs_pairs(input->knobs))
        st = cr__codes_measure_pairs(codes, input->run, pair, err);
    if (st == CR_OK && (cr__codes_class_information(codes, information) != CR_OK ||
                        find(&d->structure, codes, pair, information, input->knobs) != CR_OK))
        st = cr__fail_memory(err);
    cr__free(pair);
    cr__free(information);
    return st;
}

static cr_status fit(void **fitted, const cr__fit_input *input, find_structure *find, cr_error *err)
{
    const cr__stats *stats = input->stats;
    cr__dependent *d = cr__alloc_zero(1, sizeof *d);
    size_t *values = cr__dependent_values(stats);
    cr__codes codes = {0};
    cr_status st = d == NULL || values == NULL ? cr__fail_memory(err) : CR_OK;

    *fitted = NULL;
    if (st == CR_OK) {
        d->classes = stats->classes;
        st = cr__dependent_lay(d, stats->schema, values, err);
    }
    if (st == CR_OK)
        st = cr__codes_make(&codes, stats, err);
    if (st == CR_OK)
        st = check_counts(&codes, input->knobs, err);
    if (st == CR_OK)
        st = fit_structure(d, &codes, input, find, err);
    if (st == CR_OK)
        st = fit_tables(d, &codes, stats, input, err);
    cr__codes_free(&codes);
    cr__free(values);
    if (st != CR_OK) {
        cr__dependent_free(d);
        return st;
    }
    *fitted = d;
    return CR_OK;
}

static cr_status fit_tan(void **fitted, const cr__fit_input *input, cr_error *err)
{
    return fit(fitted, input, find_tan, err);
}

static cr_status fit_kdb(void **fitted, const cr__fit_input *input, cr_error *err)
{
    return fit(fitted, input, find_kdb, err);
}

static cr_status fit_pairs(void **fitted, const cr__fit_input *input, cr_error *err)
{
    return fit(fitted, input, find_joins, err);
}

/* --- getters ---------------------------------------------------------------------------------- */

double cr__dependent_information(const double *log_p, size_t values, const double *log_prior,
                                 size_t classes)
{
    double bits = 0;

    for (size_t v = 0; v < values; v++, log_p += classes) {
        double of_value = 0;

        for (size_t c = 0; c < classes; c++)
            of_value += exp(log_prior[c] + log_p[c]);
        for (size_t c = 0; c < classes; c++) {
            const double both = exp(log_prior[c] + log_p[c]);

            bits += both > 0 ? both * (log_p[c] - log(of_value)) / M_LN2 : 0;
        }
    }
    return bits > 0 ? bits : 0;
}

static double prior(const void *fitted, size_t c)
{
    return exp(((const cr__dependent *)fitted)->log_prior[c]);
}

static double probability(const void *fitted, size_t column, size_t value, size_t c)
{
    const cr__dependent *d = fitted;
    const size_t i = d->feature_of[column];

    return exp(d->log_p[d->table_at[i * (CR__PARENTS_MOST + 1)] + value * d->classes + c]);
}

static double information(const void *fitted, size_t column)
{
    const cr__dependent *d = fitted;
    const size_t i = d->feature_of[column];

    return i == SIZE_MAX
               ? 0
               : cr__dependent_information(d->log_p + d->table_at[i * (CR__PARENTS_MOST + 1)],
                                           d->values[i], d->log_prior, d->classes);
}

/* K - 1 for the classes, and (V - 1) for each class and combination of a feature's parents. */
static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    const cr__dependent *d = fitted;
    double total = d->classes > 0 ? (double)d->classes - 1 : 0;

    (void)stats;
    (void)values;
    for (size_t i = 0; i < d->features; i++) {
        double cells = d->values[i] > 0 ? ((double)d->values[i] - 1) * (double)d->classes : 0;

        for (size_t k = 0; k < d->structure.depth[i]; k++)
            cells *= (double)d->values[d->structure.parent[i * CR__PARENTS_MOST + k]];
        total += cells;
    }
    return total;
}

/* The tree, or for several parents each feature with its parents. */
static cr_status draw(const void *fitted, const cr_schema *schema, cr__dict *const *dict,
                      cr__line_visit *line, void *context, cr_error *err)
{
    const cr__dependent *d = fitted;
    size_t *level = cr__alloc_zero(d->features, sizeof *level);
    uint32_t *stack = cr__alloc(d->features, sizeof *stack);
    char text[512];
    cr_status st = level == NULL || stack == NULL ? cr__fail_memory(err) : CR_OK;

    (void)dict;
    for (size_t q = 0; st == CR_OK && !d->exact && q < d->features; q++) {
        const size_t i = d->structure.order[q];
        size_t n = (size_t)snprintf(text, sizeof text, "%.100s", schema->column[d->column[i]].name);

        for (size_t k = 0; k < d->structure.depth[i] && n < sizeof text; k++) {
            const size_t p = d->structure.parent[i * CR__PARENTS_MOST + k];

            n += (size_t)snprintf(text + n, sizeof text - n, "%s%.80s", k == 0 ? " <- " : ", ",
                                  schema->column[d->column[p]].name);
        }
        line(context, 0, text);
    }
    for (size_t root = 0; st == CR_OK && d->exact && root < d->features; root++) {
        size_t waiting = 0;

        if (d->structure.depth[root] != 0)
            continue;
        stack[waiting++] = (uint32_t)root;
        while (waiting > 0) {
            const uint32_t i = stack[--waiting];

            line(context, level[i], schema->column[d->column[i]].name);
            for (size_t j = d->features; j-- > 0;)
                if (d->structure.depth[j] == 1 && d->structure.parent[j * CR__PARENTS_MOST] == i) {
                    level[j] = level[i] + 1;
                    stack[waiting++] = (uint32_t)j;
                }
        }
    }
    cr__free(level);
    cr__free(stack);
    return st;
}

static const cr__explains explains = {.factors = cr__dependent_factors,
                                      .work = CR__DEPENDENT_FACTOR_WORK,
                                      .detail = &cr__dependent_detail};
static const cr__has_values has_values = {.probability = probability};
static const cr__has_joint has_joint = {.measure = cr__dependent_measure,
                                        .network = cr__dependent_network};

/* All pairs of features, all triples where features have two parents, the cells for more. */
static void needs_with(const cr__knobs *knobs, cr__needs *needs)
{
    const size_t need = together(knobs);

    needs->tuples = need > 3 ? 0 : (int)(need < 2 ? 2 : need);
    needs->cells = need > 3;
}

#define DEPENDENT(learner_name, words, knob_table, fit_function)                                   \
    {                                                                                              \
        .name = learner_name, .summary = words, .knobs = knob_table,                               \
        .knob_count = sizeof knob_table / sizeof *knob_table, .target = CR__TARGET_CLASS,          \
        .needs = {.tuples = 2}, .needs_with = needs_with, .fit = fit_function,                     \
        .free = cr__dependent_free, .save = cr__dependent_save, .sections = "DPST DPTB",           \
        .open = cr__dependent_open, .advise = cr__dependent_advise, .prior = prior,                \
        .parameters = parameters, .information = information, .scores = &cr__dependent_scores,     \
        .explains = &explains, .has_values = &has_values, .has_joint = &has_joint, .draws = draw,  \
    }

const cr__learner cr__tan = DEPENDENT("tan",
                                      "tree-augmented naive Bayes: features depend on one "
                                      "another along a tree",
                                      tan_knobs, fit_tan);
const cr__learner cr__kdb = DEPENDENT("kdb",
                                      "naive Bayes in which each feature depends on up to "
                                      "k others",
                                      kdb_knobs, fit_kdb);
const cr__learner cr__pairs = DEPENDENT("pairs",
                                        "naive Bayes with the features joined that "
                                        "depend most",
                                        pairs_knobs, fit_pairs);
