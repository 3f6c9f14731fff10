/* learners/pairs/score.c - log P(class, row) with parents; missing values summed out along the
 * tree.
 *
 * Where every feature has at most one parent they make a forest, and the sum over missing values is
 * taken from the leaves up (Pearl 1988, Probabilistic Reasoning in Intelligent Systems, ch. 4).
 * With B_i(x) the product of the messages of a missing feature i's children about its value x:
 *
 *     a known x with a missing parent says   P(x | p, c)            to each value p of it
 *     a missing feature says                 Σ_x P(x | p, c) B(x)   to its parent or the score
 *
 * A missing feature whose descendants are all missing sends 1, so it is skipped.
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

/* The message of feature i to the values of its missing parent. */
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

/* --- many rows ------------------------------------------------------------------------------ */

void cr__coded_free(cr__coded *coded)
{
    for (size_t i = 0; coded->finder != NULL && i < coded->features; i++)
        cr__free(coded->finder[i].cut);
    cr__free(coded->finder);
    cr__free(coded->code);
    *coded = (cr__coded){0};
}

enum { ROWS_FOR_FINDERS = 128 }; /* making them costs about as much as searching for this many */

static cr_status make_finders(const cr__dependent *d, cr__coded *coded)
{
    coded->features = d->features;
    if ((coded->finder = cr__alloc_zero(d->features, sizeof *coded->finder)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < d->features; i++)
        if (cr__cut_finder_make(&coded->finder[i], &d->cuts[i]) != CR_OK)
            return CR_ENOMEM;
    return CR_OK;
}

cr_status cr__dependent_code_batch(const cr__dependent *d, const cr__batch *batch, cr__coded *coded)
{
    const size_t rows = batch->rows;

    if (coded->finder == NULL && rows >= ROWS_FOR_FINDERS && make_finders(d, coded) != CR_OK)
        return CR_ENOMEM;

    if (!cr__grow(&coded->code, &coded->capacity, d->features * rows, sizeof *coded->code))
        return CR_ENOMEM;
    for (size_t i = 0; i < d->features; i++) {
        const cr__batch_column *data = &batch->column[d->column[i]];
        uint32_t *code = coded->code + i * rows;

        if (data->kind != CR_SYMBOL && coded->finder != NULL)
            cr__cut_finder_codes(&coded->finder[i], data->real, rows, code);
        else if (data->kind != CR_SYMBOL)
            cr__cuts_codes(&d->cuts[i], data->real, rows, code);
        for (size_t r = 0; data->kind == CR_SYMBOL && r < rows; r++)
            code[r] = data->code[r] > d->values[i] ? CR__MISSING : data->code[r];
    }
    return CR_OK;
}

/* What a worker needs. */
typedef struct scoring {
    cr__coded coded;
    uint32_t *code;       /* [features] of one row */
    double *work;         /* as cr__dependent_score_codes() needs it */
    size_t *at;           /* [rows] where the row of a table begins */
    unsigned char *whole; /* [rows] nothing is missing */
    size_t at_capacity, whole_capacity;
} scoring;

static void close_scoring(void *state)
{
    scoring *s = state;

    if (s == NULL)
        return;
    cr__coded_free(&s->coded);
    cr__free(s->code);
    cr__free(s->work);
    cr__free(s->at);
    cr__free(s->whole);
    cr__free(s);
}

static cr_status open_scoring(void **state, const void *fitted, cr_error *err)
{
    const cr__dependent *d = fitted;
    scoring *s = *state = cr__alloc_zero(1, sizeof *s);

    if (s != NULL && (s->code = cr__alloc(d->features, sizeof *s->code)) != NULL &&
        (s->work = cr__alloc(cr__dependent_work(d), sizeof *s->work)) != NULL)
        return CR_OK;
    close_scoring(s);
    *state = NULL;
    return cr__fail_memory(err);
}

/* Where the rows of feature i's table begin for each row of the batch, its value included. Codes of
 * rows that lack something give places that are not used. */
static void find_rows(const cr__dependent *d, size_t i, const uint32_t *code, size_t rows,
                      size_t *at)
{
    const size_t depth = d->structure.depth[i];
    const uint32_t *own = code + i * rows, *parent = d->structure.parent + i * CR__PARENTS_MOST;
    const size_t base = d->table_at[i * (CR__PARENTS_MOST + 1) + depth];

    for (size_t r = 0; r < rows; r++)
        at[r] = depth == 0 ? 0 : code[parent[0] * rows + r] - 1;
    for (size_t k = 1; k < depth; k++)
        for (size_t r = 0; r < rows; r++)
            at[r] = at[r] * d->values[parent[k]] + code[parent[k] * rows + r] - 1;
    for (size_t r = 0; r < rows; r++)
        at[r] = base + (at[r] * d->values[i] + own[r] - 1) * d->classes;
}

static inline void add_rows(const double *log_p, const size_t *at, const unsigned char *whole,
                            size_t rows, size_t K, double *score)
{
    for (size_t r = 0; r < rows; r++, score += K)
        if (whole[r])
            for (size_t c = 0; c < K; c++)
                score[c] += log_p[at[r] + c];
}

/* The same with the number of classes known to the compiler where it is small. */
static void add_factor(const double *log_p, const size_t *at, const unsigned char *whole,
                       size_t rows, size_t K, double *score)
{
    switch (K) {
    case 2: add_rows(log_p, at, whole, rows, 2, score); break;
    case 3: add_rows(log_p, at, whole, rows, 3, score); break;
    case 4: add_rows(log_p, at, whole, rows, 4, score); break;
    default: add_rows(log_p, at, whole, rows, K, score);
    }
}

/* Rows that have every value, feature by feature. */
static void score_whole(const cr__dependent *d, scoring *s, size_t rows, double *score)
{
    const size_t K = d->classes;

    memset(s->whole, 1, rows);
    for (size_t i = 0; i < d->features; i++)
        for (size_t r = 0; r < rows; r++)
            s->whole[r] &= s->coded.code[i * rows + r] != CR__MISSING;
    for (size_t r = 0; r < rows; r++)
        memcpy(score + r * K, d->log_prior, K * sizeof *score);
    for (size_t i = 0; i < d->features; i++) {
        find_rows(d, i, s->coded.code, rows, s->at);
        add_factor(d->log_p, s->at, s->whole, rows, K, score);
    }
}

static cr_status score_batch(const void *fitted, void *state, const cr__batch *batch, double *score,
                             cr_error *err)
{
    const cr__dependent *d = fitted;
    const size_t rows = batch->rows;
    scoring *s = state;

    if (cr__dependent_code_batch(d, batch, &s->coded) != CR_OK ||
        !cr__grow(&s->at, &s->at_capacity, rows, sizeof *s->at) ||
        !cr__grow(&s->whole, &s->whole_capacity, rows, 1))
        return cr__fail_memory(err);
    score_whole(d, s, rows, score);
    for (size_t r = 0; r < rows; r++) {
        if (s->whole[r])
            continue;
        for (size_t i = 0; i < d->features; i++)
            s->code[i] = s->coded.code[i * rows + r];
        cr__dependent_score_codes(d, s->code, s->work, score + r * d->classes);
    }
    return CR_OK;
}

const cr__scores cr__dependent_scores = {
    .open = open_scoring, .close = close_scoring, .score = score_batch};
