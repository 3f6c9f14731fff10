/* learners/pairs/score.c - log P(class, row) with parents; missing values summed out along the
 * tree.
 *
 * Where every feature has at most one parent they make a forest, and the sum over missing values is
 * taken from the leaves up (Pearl 1988, Probabilistic Reasoning in Intelligent Systems, ch. 4).
 * With B_i(x) the product of what the children of a missing feature i say of its value x:
 *
 *     a known x with a missing parent says   P(x | p, c)            to each value p of it
 *     a missing feature says                 Σ_x P(x | p, c) B(x)   to its parent or the score
 *
 * A missing feature whose descendants are all missing says 1, so it is passed over.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/pairs/pairs.h"

void cr__dependent_codes(const cr__dependent *d, const cr__batch *batch, size_t row, uint32_t *code,
                         unsigned char *never)
{
    for (size_t i = 0; i < d->features; i++) {
        const cr__batch_column *data = &batch->column[d->column[i]];
        const int unknown = data->kind == CR_SYMBOL && data->code[row] > d->values[i];

        code[i] = unknown                   ? CR__MISSING
                  : data->kind == CR_SYMBOL ? data->code[row]
                                            : cr__cuts_code(&d->cuts[i], data->real[row]);
        if (never != NULL)
            never[i] = (unsigned char)unknown;
    }
}

size_t cr__dependent_known(const cr__dependent *d, size_t i, const uint32_t *code)
{
    size_t t = 0;

    while (t < d->structure.depth[i] &&
           code[d->structure.parent[i * CR__PARENTS_MOST + t]] != CR__MISSING)
        t++;
    return t;
}

/* Where B of each feature begins; and one flag for each. */
size_t cr__dependent_work(const cr__dependent *d)
{
    size_t size = 1;

    for (size_t i = 0; i < d->features; i++)
        size += d->values[i] * d->classes + 2;
    return size;
}

static void add(double *score, const double *log_p, size_t K)
{
    for (size_t c = 0; c < K; c++)
        score[c] += log_p[c];
}

/* log Σ_x P(x | …, c) B(x) for each class; row is [values * classes]. */
static void sum_values(const double *row, const double *b, size_t values, size_t K, double *out)
{
    for (size_t c = 0; c < K; c++) {
        double largest = -INFINITY, sum = 0;

        for (size_t x = 0; x < values; x++)
            largest = fmax(largest, row[x * K + c] + b[x * K + c]);
        for (size_t x = 0; x < values && largest > -INFINITY; x++)
            sum += exp(row[x * K + c] + b[x * K + c] - largest);
        out[c] += largest > -INFINITY ? largest + log(sum) : -INFINITY;
    }
}

/* What feature i says to the values of its missing parent. */
static void tell_parent(const cr__dependent *d, size_t i, uint32_t code, const double *b,
                        double *parent_b)
{
    const size_t K = d->classes, V = d->values[i];
    const size_t parents = d->values[d->structure.parent[i * CR__PARENTS_MOST]];
    const double *table = d->log_p + d->table_at[i * (CR__PARENTS_MOST + 1) + 1];

    for (size_t p = 0; p < parents; p++, table += V * K)
        if (code != CR__MISSING)
            add(parent_b + p * K, table + (code - 1) * K, K);
        else
            sum_values(table, b, V, K, parent_b + p * K);
}

static void score_tree(const cr__dependent *d, const uint32_t *code, double *work, double *score)
{
    const size_t K = d->classes;
    double *heard = work, *place = work + d->features, *b = work + 2 * d->features;

    for (size_t i = 0; i < d->features; i++) {
        heard[i] = 0;
        place[i] = (double)(b - work);
        b += d->values[i] * K;
    }
    for (size_t q = d->features; q-- > 0;) {
        const size_t i = d->structure.order[q];
        const size_t p =
            d->structure.depth[i] == 1 ? d->structure.parent[i * CR__PARENTS_MOST] : SIZE_MAX;
        double *own = work + (size_t)place[i];

        if (code[i] == CR__MISSING && heard[i] == 0)
            continue;
        if (p != SIZE_MAX && code[p] == CR__MISSING) {
            double *up = work + (size_t)place[p];

            if (heard[p] == 0)
                memset(up, 0, d->values[p] * K * sizeof *up);
            heard[p] = 1;
            tell_parent(d, i, code[i], own, up);
        } else {
            const double *row = d->log_p + cr__dependent_row(d, i, p != SIZE_MAX, code);

            if (code[i] != CR__MISSING)
                add(score, row + (code[i] - 1) * K, K);
            else
                sum_values(row, own, d->values[i], K, score);
        }
    }
}

void cr__dependent_score_codes(const cr__dependent *d, const uint32_t *code, double *work,
                               double *score)
{
    int whole = 1;

    memcpy(score, d->log_prior, d->classes * sizeof *score);
    for (size_t i = 0; i < d->features; i++)
        whole &= code[i] != CR__MISSING;
    if (!whole && d->exact) {
        score_tree(d, code, work, score);
        return;
    }
    for (size_t i = 0; i < d->features; i++)
        if (code[i] != CR__MISSING)
            add(score,
                d->log_p + cr__dependent_row(d, i, cr__dependent_known(d, i, code), code) +
                    (code[i] - 1) * d->classes,
                d->classes);
}

cr_status cr__dependent_score(const void *fitted, void *state, const cr__batch *batch,
                              double *score, cr_error *err)
{
    const cr__dependent *d = fitted;
    uint32_t *code = cr__alloc(d->features, sizeof *code);
    double *work = cr__alloc(cr__dependent_work(d), sizeof *work);
    const int room = code != NULL && work != NULL;

    (void)state;
    for (size_t r = 0; room && r < batch->rows; r++, score += d->classes) {
        cr__dependent_codes(d, batch, r, code, NULL);
        cr__dependent_score_codes(d, code, work, score);
    }
    cr__free(code);
    cr__free(work);
    return room ? CR_OK : cr__fail_memory(err);
}
