/* learners/joint/measure.c - the probability of a question, and of the data.
 *
 * The mass of an outcome is the number of rows in the cells where it holds plus a times the number
 * of cells where it holds. The rows are added up exactly, cell by cell; the cells are counted as
 * the probability of the outcome when every combination is equally likely, in which case the
 * variables are independent (question.c).
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/joint/joint.h"

/* For each variable of the question, where it is in a key. */
static cr_status find_variables(const cr__joint *joint, const cr__question *question, size_t *place,
                                cr_error *err)
{
    for (size_t i = 0; i < question->variables; i++) {
        place[i] = joint->variable_of[question->variable[i].column];
        if (place[i] == SIZE_MAX || question->variable[i].block_of == NULL ||
            question->variable[i].values != joint->values[place[i]])
            return cr__fail(err, CR_EARG, "the question is about another table");
    }
    return CR_OK;
}

/* Rows by outcome. block and work have room for the question's variables and nodes. */
static void count_rows(const cr__joint *joint, const cr__question *question, const size_t *place,
                       uint32_t *block, unsigned char *work, cr__count *rows)
{
    const cr__cells *cells = &joint->cells;

    for (size_t i = 0; i < cells->count; i++) {
        const uint64_t *key = cells->key + i * cells->packing.words;
        size_t outcome;

        if (joint->gaps && !cr__cells_complete(cells, i))
            continue;
        for (size_t v = 0; v < question->variables; v++)
            block[v] =
                question->variable[v].block_of[cr__packing_get(&cells->packing, key, place[v]) - 1];
        outcome = cr__question_outcome(question, block, work);
        if (outcome != SIZE_MAX)
            rows[outcome] = cr__count_plus(rows[outcome], cr__cells_at(cells, i), 1);
    }
}

/* Every value equally likely; a value never seen does not count. */
static cr_status uniform_blocks(const void *context, const cr__question_variable *v, double *p,
                                int64_t *exponent, cr_error *err)
{
    (void)context;
    (void)exponent;
    (void)err;
    for (size_t k = 0; k < v->values; k++)
        p[v->block_of[k]] += 1;
    for (size_t b = 0; b < v->blocks; b++)
        p[b] /= (double)v->values;
    return CR_OK;
}

static cr_status add_unseen(const cr__joint *joint, const cr__question *question, cr__scaled *mass,
                            cr_error *err)
{
    const double one = 1;
    const cr__mixture uniform = {.components = 1, .weight = &one, .blocks = uniform_blocks};
    const cr__scaled all = cr__joint_pseudo(joint, NULL);
    cr__scaled *share = cr__alloc(question->outcomes, sizeof *share);
    cr_status st =
        share == NULL ? cr__fail_memory(err) : cr__question_measure(question, &uniform, share, err);

    for (size_t k = 0; st == CR_OK && k < question->outcomes; k++)
        mass[k] = cr__scaled_add(mass[k], cr__scaled_times(all, share[k]));
    cr__free(share);
    return st;
}

/* All masses over N + a M. */
static cr_status normalise(const cr__joint *joint, const cr__question *question, cr__scaled *mass,
                           cr_error *err)
{
    const cr__scaled all = cr__scaled_add(cr__scaled_of(cr__count_value(joint->total), 0),
                                          cr__joint_pseudo(joint, NULL));

    if (all.value == 0)
        return cr__fail(err, CR_ECONFLICT,
                        "the table has learned nothing: no row has a value for "
                        "every variable");
    for (size_t k = 0; k < question->outcomes; k++)
        mass[k] = cr__scaled_of(mass[k].value / all.value, mass[k].exponent - all.exponent);
    return CR_OK;
}

cr_status cr__joint_measure(const void *fitted, const cr__knobs *values, const cr_schema *schema,
                            const cr__question *question, cr__scaled *mass, cr_error *err)
{
    const cr__joint *joint = fitted;
    size_t *place = cr__alloc(question->variables, sizeof *place);
    uint32_t *block = cr__alloc(question->variables, sizeof *block);
    unsigned char *work = cr__alloc(question->nodes, 1);
    cr__count *rows = cr__alloc_zero(question->outcomes, sizeof *rows);
    cr_status st = CR_OK;

    (void)values;
    (void)schema;
    if (place == NULL || block == NULL || work == NULL || rows == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = find_variables(joint, question, place, err);
    if (st == CR_OK) {
        count_rows(joint, question, place, block, work, rows);
        for (size_t k = 0; k < question->outcomes; k++)
            mass[k] = cr__scaled_of(cr__count_value(rows[k]), 0);
    }
    if (st == CR_OK && joint->pseudo > 0)
        st = add_unseen(joint, question, mass, err);
    if (st == CR_OK)
        st = normalise(joint, question, mass, err);
    cr__free(place);
    cr__free(block);
    cr__free(work);
    cr__free(rows);
    return st;
}

/* --- the data ------------------------------------------------------------------------------- */

/* log of gamma(x + d) / gamma(x), where x may be beyond a double. */
static double log_ratio(cr__scaled x, double d)
{
    const double small = cr__scaled_shift(x.value, x.exponent);

    return x.exponent < 1000 ? cr__log_gamma_ratio(small, d) : d * cr__scaled_log(x);
}

/* The parameter of the prior; the flat one for an unsmoothed table. */
static double prior_count(const cr__knobs *values)
{
    if (cr__knobs_is(values, "smoothing", "laplace"))
        return cr__knobs_number(values, "alpha");
    return cr__knobs_is(values, "smoothing", "dirichlet") ? cr__knobs_number(values, "beta") : 1;
}

/* Under Dirichlet(a, …, a) over M cells, the rows one by one in their order:
 *     P(data) = Γ(a M) / Γ(a M + N) · Π Γ(a + n) / Γ(a)
 * (Heckerman, "A tutorial on learning with Bayesian networks", 1996). Cells without rows give a
 * factor of 1. */
cr_status cr__joint_evidence(const cr__stats *stats, const cr__knobs *values, double *log_evidence,
                             cr_error *err)
{
    const cr__cells *cells = stats->cells;
    const double a = prior_count(values);
    cr__count rows = {0};
    cr__scaled all = cr__scaled_of(a, 0);

    *log_evidence = 0;
    if (!(a > 0))
        return cr__fail(err, CR_EARG,
                        "alpha is 0, which is no prior: the data have no probability "
                        "under it");
    for (size_t j = 0; j < cells->packing.variables; j++) {
        const size_t V = cr__stats_values(stats, cells->column[j]);

        all = cr__scaled_times(all, cr__scaled_of((double)V, 0));
    }
    for (size_t i = 0; i < cells->count; i++) {
        if (!cr__cells_complete(cells, i))
            continue;
        rows = cr__count_plus(rows, cr__cells_at(cells, i), 1);
        *log_evidence += cr__log_gamma_ratio(a, cr__count_value(cr__cells_at(cells, i)));
    }
    if (!cr__count_zero(rows))
        *log_evidence -= log_ratio(all, cr__count_value(rows));
    return CR_OK;
}
