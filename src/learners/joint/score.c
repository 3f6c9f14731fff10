/* learners/joint/score.c - log P(class, row): the cells that agree with a row, added up.
 *
 * A value that a row lacks is summed over, and so is one that was never seen: neither is
 * informative. The cells of a complete row are adjacent, one for each class, so binary search finds
 * them; otherwise the whole table is scanned.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/joint/joint.h"

/* The codes of a row's features, [features]; 0 where it is missing or was never seen. never, when
 * not NULL, gets 1 for those never seen. */
static void row_codes(const cr__joint *joint, const cr__batch *batch, size_t row, uint32_t *code,
                      unsigned char *never)
{
    for (size_t j = 0; j < joint->features; j++) {
        const cr__batch_column *data = &batch->column[joint->cells.column[j]];
        const int unknown = data->kind == CR_SYMBOL && data->code[row] > joint->values[j];

        code[j] = unknown                   ? CR__MISSING
                  : data->kind == CR_SYMBOL ? data->code[row]
                                            : cr__cuts_code(&joint->cuts[j], data->real[row]);
        if (never != NULL)
            never[j] = (unsigned char)unknown;
    }
}

/* The class of a cell, from 0. */
static size_t class_of(const cr__joint *joint, const uint64_t *key)
{
    if (joint->features == joint->cells.packing.variables)
        return 0;
    return cr__packing_get(&joint->cells.packing, key, joint->features) - 1;
}

/* The first cell whose key is not below the given one. */
static size_t lower_bound(const cr__cells *cells, const uint64_t *key)
{
    const size_t words = cells->packing.words;
    size_t low = 0, high = cells->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        size_t w = 0;

        while (w < words && cells->key[middle * words + w] == key[w])
            w++;
        if (w < words && cells->key[middle * words + w] < key[w])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether a cell has the codes that are known. */
static int agrees(const cr__joint *joint, const uint64_t *key, const uint32_t *code)
{
    for (size_t j = 0; j < joint->features; j++)
        if (code[j] != CR__MISSING && code[j] != cr__packing_get(&joint->cells.packing, key, j))
            return 0;
    return 1;
}

/* Rows of each class that agree with the codes. */
static void count_classes(const cr__joint *joint, const uint32_t *code, uint64_t *key, double *n)
{
    const cr__cells *cells = &joint->cells;
    const size_t words = cells->packing.words;
    int whole = 1;

    memset(n, 0, joint->classes * sizeof *n);
    memset(key, 0, words * sizeof *key);
    for (size_t j = 0; j < joint->features; j++) {
        whole &= code[j] != CR__MISSING;
        cr__packing_put(&cells->packing, key, j, code[j]);
    }
    for (size_t i = whole ? lower_bound(cells, key) : 0; i < cells->count; i++) {
        const uint64_t *cell = cells->key + i * words;

        if (agrees(joint, cell, code)) {
            if (!joint->gaps || cr__cells_complete(cells, i))
                n[class_of(joint, cell)] += cr__count_value(cr__cells_at(cells, i));
        } else if (whole) {
            break;
        }
    }
}

/* log ((n + a m) / (N + a M)), where m cells agree with the row and each class. */
static void score_row(const cr__joint *joint, const uint32_t *code, const double *n,
                      unsigned char *known, double *score)
{
    const size_t variables = joint->cells.packing.variables;
    const cr__scaled all = cr__scaled_add(cr__scaled_of(cr__count_value(joint->total), 0),
                                          cr__joint_pseudo(joint, NULL));
    cr__scaled unseen;

    for (size_t j = 0; j < variables; j++)
        known[j] = j >= joint->features || code[j] != CR__MISSING;
    unseen = cr__joint_pseudo(joint, known);
    for (size_t c = 0; c < joint->classes; c++) {
        const cr__scaled top = cr__scaled_add(cr__scaled_of(n[c], 0), unseen);

        score[c] = all.value == 0 ? -INFINITY : cr__scaled_log(top) - cr__scaled_log(all);
    }
}

cr_status cr__joint_score(const void *fitted, void *state, const cr__batch *batch, double *score,
                          cr_error *err)
{
    const cr__joint *joint = fitted;
    const size_t n = joint->cells.packing.variables, words = joint->cells.packing.words;
    uint32_t *code = cr__alloc(n, sizeof *code);
    uint64_t *key = cr__alloc(words, sizeof *key);
    double *count = cr__alloc(joint->classes, sizeof *count);
    unsigned char *known = cr__alloc(n, 1);
    const int room = code != NULL && key != NULL && count != NULL && known != NULL;

    (void)state;
    for (size_t r = 0; room && r < batch->rows; r++, score += joint->classes) {
        row_codes(joint, batch, r, code, NULL);
        count_classes(joint, code, key, count);
        score_row(joint, code, count, known, score);
    }
    cr__free(code);
    cr__free(key);
    cr__free(count);
    cr__free(known);
    return room ? CR_OK : cr__fail_memory(err);
}

/* --- explanations ----------------------------------------------------------------------------- */

/* Rows of each class that agree with the first features, from none to all: n[(features + 1) *
 * classes]. Each cell is counted where it first differs, and the sums run backwards. */
static void count_prefixes(const cr__joint *joint, const uint32_t *code, double *n)
{
    const cr__cells *cells = &joint->cells;
    const size_t K = joint->classes, features = joint->features;

    memset(n, 0, (features + 1) * K * sizeof *n);
    for (size_t i = 0; i < cells->count; i++) {
        const uint64_t *key = cells->key + i * cells->packing.words;
        size_t j = 0;

        if (joint->gaps && !cr__cells_complete(cells, i))
            continue;
        while (j < features &&
               (code[j] == CR__MISSING || code[j] == cr__packing_get(&cells->packing, key, j)))
            j++;
        n[j * K + class_of(joint, key)] += cr__count_value(cr__cells_at(cells, i));
    }
    for (size_t j = features; j-- > 0;)
        for (size_t c = 0; c < K; c++)
            n[j * K + c] += n[(j + 1) * K + c];
}

/* One factor: (n + a m) / (N + a M) by class, with the bare counts, of and n. */
static void set_factor(cr_factor *f, size_t K, const double *n, cr__scaled plus, const double *of,
                       cr__scaled of_plus, double *work)
{
    double *log_p = work, *top = work + K, *bottom = work + 2 * K, *count = work + 3 * K;
    double *total = work + 4 * K;

    for (size_t c = 0; c < K; c++) {
        const cr__scaled above = cr__scaled_add(cr__scaled_of(n[c], 0), plus);
        const cr__scaled below = cr__scaled_add(cr__scaled_of(of[c], 0), of_plus);

        count[c] = n[c];
        total[c] = of[c];
        top[c] = cr__scaled_shift(above.value, above.exponent);
        bottom[c] = cr__scaled_shift(below.value, below.exponent);
        log_p[c] = above.value == 0 ? -INFINITY : log(cr__scaled_ratio(above, below));
    }
    f->fraction = 1;
    f->log_p = log_p;
    f->top = top;
    f->bottom = bottom;
    f->count = count;
    f->total = total;
}

/* A factor without information. */
static void skip_factor(cr_factor *f, size_t K, int why, double *work)
{
    memset(work, 0, K * sizeof *work);
    f->left_out = why;
    f->log_p = work;
}

/* By the chain rule: P(class) · P(x1 | class) · P(x2 | class, x1) · … */
static void chain(const cr__joint *joint, const uint32_t *code, const unsigned char *never,
                  unsigned char *known, const double *n, cr_factor *factor, double *work)
{
    const size_t K = joint->classes;
    const size_t step = CR__JOINT_FACTOR_WORK * K;
    double *all = work + 4 * K; /* N for each class: the totals of the first factor */
    cr__scaled before;
    int chained = 0; /* from the second feature on */

    memset(known, 0, joint->cells.packing.variables);
    for (size_t c = 0; c < K; c++)
        all[c] = cr__count_value(joint->total);
    before = cr__joint_pseudo(joint, known);
    for (size_t j = joint->features; j < joint->cells.packing.variables; j++)
        known[j] = 1;
    set_factor(&factor[0], K, n, cr__joint_pseudo(joint, known), all, before, work);
    before = cr__joint_pseudo(joint, known);
    for (size_t j = 0; j < joint->features; j++) {
        work += step;
        if (code[j] == CR__MISSING) {
            skip_factor(&factor[j + 1], K, never[j] ? 2 : 1, work);
            continue;
        }
        known[j] = 1;
        factor[j + 1].chained = chained;
        chained = 1;
        set_factor(&factor[j + 1], K, n + (j + 1) * K, cr__joint_pseudo(joint, known), n + j * K,
                   before, work);
        before = cr__joint_pseudo(joint, known);
    }
}

cr_status cr__joint_factors(const void *fitted, void *state, const cr__stats *stats,
                            const cr__knobs *values, const cr__batch *batch, size_t row,
                            cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__joint *joint = fitted;
    const size_t n = joint->cells.packing.variables;
    uint32_t *code = cr__alloc(n, sizeof *code);
    unsigned char *never = cr__alloc(n, 1), *known = cr__alloc(n, 1);
    double *rows = cr__alloc((joint->features + 1) * joint->classes, sizeof *rows);
    cr_status st = CR_OK;

    (void)state;
    (void)values;
    if (code == NULL || never == NULL || known == NULL || rows == NULL) {
        st = cr__fail_memory(err);
    } else {
        factor[0] = (cr_factor){.column = SIZE_MAX, .name = "prior"};
        for (size_t j = 0; j < joint->features; j++)
            factor[j + 1] = (cr_factor){.column = joint->cells.column[j],
                                        .name = stats->schema->column[joint->cells.column[j]].name};
        *count = joint->features + 1;
        row_codes(joint, batch, row, code, never);
        count_prefixes(joint, code, rows);
        chain(joint, code, never, known, rows, factor, work);
    }
    cr__free(code);
    cr__free(never);
    cr__free(known);
    cr__free(rows);
    return st;
}
