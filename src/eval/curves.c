/* eval/curves.c - rows in the order of a posterior: ROC, precision and recall, coverage.
 *
 * With P the weight of the rows of a class and N that of the others, going down the thresholds:
 *
 *   ROC area           Σ over pairs [s_i > s_j] + ½ [s_i = s_j], over P N
 *   its variance       S10 / P + S01 / N, where S10 is the variance over rows i of the class of the
 *                      share of the others that i beats, and S01 the same the other way round
 *                      (DeLong, DeLong & Clarke-Pearson, Biometrics 44, 1988; by ranks in
 *                      O(n log n): X. Sun & W. Xu, 2014)
 *   average precision  Σ (R_k - R_k-1) P_k over the different thresholds
 *
 * Keys are the bits of the posterior, or of its logarithm, whose order is that of the numbers.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sort_keys.h"
#include "eval/evaluation.h"

#define SMALLEST 0x1p-1000 /* below this the logarithm is kept */

enum { FIRST_ROWS = 256 };

/* --- storing rows ----------------------------------------------------------------------------- */

/* The weights of all rows so far are 1 until there is an array of them. */
static int make_weights(cr__kept *k)
{
    if ((k->weight = cr__alloc(k->capacity, sizeof *k->weight)) == NULL)
        return 0;
    for (size_t r = 0; r < k->rows; r++)
        k->weight[r] = 1;
    return 1;
}

/* Most rows that can be kept: the largest power of two that leaves room for their posteriors. */
static size_t rows_most(size_t classes)
{
    size_t most = FIRST_ROWS;

    while (most <= CR__KEPT_MOST / classes / 2)
        most *= 2;
    return classes > CR__KEPT_CLASSES ? 0 : most;
}

static int set_capacity(cr__kept *k, size_t capacity, size_t classes)
{
    void *p;

    if ((p = cr__realloc(k->posterior, capacity * classes, sizeof *k->posterior)) == NULL)
        return 0;
    k->posterior = p;
    if (k->weight != NULL && (p = cr__realloc(k->weight, capacity, sizeof *k->weight)) == NULL)
        return 0;
    k->weight = k->weight == NULL ? NULL : p;
    if ((p = cr__realloc(k->truth, capacity, sizeof *k->truth)) == NULL)
        return 0;
    k->truth = p;
    k->capacity = capacity;
    return 1;
}

static int make_room(cr__kept *k, size_t classes)
{
    size_t most, wanted = k->capacity == 0 ? FIRST_ROWS : k->capacity * 2;

    if (k->rows < k->capacity)
        return 1;
    most = rows_most(classes);
    return k->rows < most && set_capacity(k, wanted < most ? wanted : most, classes);
}

/* Rows that cannot be sorted are of no use. */
static void give_up(cr__kept *k, int why)
{
    cr__free(k->posterior);
    cr__free(k->weight);
    cr__free(k->truth);
    *k = (cr__kept){.failed = why};
}

void cr__evaluation_forgets(cr_evaluation *e)
{
    give_up(&e->kept, 1);
}

void cr__evaluation_expects(cr_evaluation *e, size_t rows)
{
    cr__kept *k = &e->kept;

    if (rows > rows_most(e->classes))
        give_up(k, 1);
    else if (rows > k->capacity && !set_capacity(k, rows, e->classes))
        give_up(k, 2);
}

double cr__evaluation_bytes(size_t rows, size_t classes)
{
    const cr__kept *k = NULL;
    const cr__keys *keys = NULL;

    return rows > rows_most(classes) ? 0
                                     : (double)rows * ((double)classes * sizeof *k->posterior +
                                                       sizeof *k->truth + 2 * sizeof *keys->key);
}

void cr__keep(cr_evaluation *e, const double *posterior, const double *log_posterior, int judged,
              int32_t truth, double weight)
{
    cr__kept *k = &e->kept;
    const size_t K = e->classes;
    double *to;

    atomic_store_explicit(&e->has_area, 0, memory_order_relaxed);
    if (k->failed || !(weight > 0))
        return;
    if (!make_room(k, K) || (weight != 1 && k->weight == NULL && !make_weights(k))) {
        give_up(k, k->rows >= rows_most(K) ? 1 : 2);
        return;
    }
    to = k->posterior + k->rows * K;
    for (size_t c = 0; c < K; c++)
        to[c] = !judged                                               ? 1 / (double)K
                : posterior[c] >= SMALLEST                            ? posterior[c]
                : log_posterior != NULL && isfinite(log_posterior[c]) ? log_posterior[c]
                                                                      : posterior[c];
    if (k->weight != NULL)
        k->weight[k->rows] = weight;
    k->truth[k->rows++] = truth;
}

/* --- order ------------------------------------------------------------------------------------ */

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Places of the keys: logarithms of posteriors below 2^-1000, posteriors, those next to 1 by the
 * rest, and those by the logarithm of the rest. The bits of doubles have the same order. */
#define PLACE(i) ((uint64_t)(i) << 62)
#define BITS_OF_INFINITY ((uint64_t)0x7FF0 << 48)

/* ln Σ of the posteriors of all other classes, all of which are logarithms or 0. */
static double log_rest(const double *kept, size_t classes, size_t class_index)
{
    double most = -INFINITY, sum = 0;

    for (size_t c = 0; c < classes; c++)
        if (c != class_index && kept[c] < 0)
            most = fmax(most, kept[c]);
    for (size_t c = 0; c < classes; c++)
        if (c != class_index && kept[c] < 0)
            sum += exp(kept[c] - most);
    return most + log(sum);
}

/* Rises with the posterior of the class; next to 1 with the smallness of the rest. */
static uint64_t key_of(const double *kept, size_t classes, size_t class_index)
{
    const double p = kept[class_index];
    double rest = 0, log_of_rest;

    if (p < 0)
        return BITS_OF_INFINITY - bits_of(-p);
    if (p <= 1 - 0x1p-40)
        return PLACE(1) + bits_of(p + 0.0);
    for (size_t c = 0; c < classes; c++)
        rest += c == class_index ? 0 : fmax(kept[c], 0);
    if (rest >= SMALLEST)
        return PLACE(1) + BITS_OF_INFINITY - bits_of(rest < 1 ? rest : 1);
    log_of_rest = log_rest(kept, classes, class_index);
    return PLACE(3) + (isnan(log_of_rest) ? BITS_OF_INFINITY : bits_of(-log_of_rest)) -
           ((uint64_t)0x4000 << 48);
}

static size_t likeliest(const double *posterior, size_t classes)
{
    size_t best = 0;

    for (size_t c = 1; c < classes; c++)
        if (posterior[c] > posterior[best])
            best = c;
    return best;
}

/* The rows of a class, or the others, in falling order of their keys. */
typedef struct side {
    cr__keys keys; /* the items are rows; NULL where weights and thresholds do not matter */
    size_t rows, at;
} side;

/* Both, and the room they are sorted in, reused for one class after another. */
typedef struct order {
    cr__keys list, room; /* [rows] each */
    side positive, negative;
} order;

static void close_order(order *o)
{
    cr__free(o->list.key);
    cr__free(o->room.key);
    cr__free(o->list.item);
    cr__free(o->room.item);
}

/* named: it matters which rows they are. */
static cr_status open_order(order *o, const cr_evaluation *e, int named, cr_error *err)
{
    const cr__kept *k = &e->kept;

    *o = (order){0};
    if (k->failed == 2)
        return cr__fail_memory(err);
    if (k->failed || k->rows == 0)
        return cr__fail(err, CR_ELIMIT,
                        k->failed ? "there are too many rows to sort" : "there are no rows");
    o->list.key = cr__alloc(k->rows, sizeof *o->list.key);
    o->room.key = cr__alloc(k->rows, sizeof *o->room.key);
    named = named || k->weight != NULL;
    o->list.item = named ? cr__alloc(k->rows, sizeof *o->list.item) : NULL;
    o->room.item = named ? cr__alloc(k->rows, sizeof *o->room.item) : NULL;
    if (o->list.key != NULL && o->room.key != NULL &&
        (!named || (o->list.item != NULL && o->room.item != NULL)))
        return CR_OK;
    close_order(o);
    return cr__fail_memory(err);
}

/* A row is positive if it is of the class; SIZE_MAX: of its likeliest one. */
static int is_positive(const cr_evaluation *e, size_t row, size_t class_index)
{
    const int32_t truth = e->kept.truth[row];

    if (class_index == SIZE_MAX)
        class_index = likeliest(e->kept.posterior + row * e->classes, e->classes);
    return truth >= 0 && (size_t)truth == class_index;
}

static void sort_side(side *s, order *o, size_t first, size_t rows)
{
    cr__keys list = o->list, room = o->room;

    list.key += first;
    room.key += first;
    if (list.item != NULL) {
        list.item += first;
        room.item += first;
    }
    *s = (side){.keys = cr__keys_sort_down(list, room, rows), .rows = rows};
}

/* All rows by the posterior of a class, SIZE_MAX: of their likeliest one. */
static void rank_rows(order *o, const cr_evaluation *e, size_t class_index)
{
    const cr__kept *k = &e->kept;
    size_t positives = 0, at[2] = {0, 0};

    for (size_t r = 0; r < k->rows; r++)
        positives += (size_t)is_positive(e, r, class_index);
    at[0] = positives; /* the others come after them */
    for (size_t r = 0; r < k->rows; r++) {
        const double *p = k->posterior + r * e->classes;
        const size_t c = class_index == SIZE_MAX ? likeliest(p, e->classes) : class_index;
        const size_t place = at[is_positive(e, r, c)]++;

        o->list.key[place] = key_of(p, e->classes, c);
        if (o->list.item != NULL)
            o->list.item[place] = (uint32_t)r;
    }
    sort_side(&o->positive, o, 0, positives);
    sort_side(&o->negative, o, positives, k->rows - positives);
}

/* --- walks down the thresholds ---------------------------------------------------------------- */

/* Rows with the same posterior: the weight of those in the class, and of the others. */
typedef struct step {
    double positive, negative;
    uint32_t row; /* the first of them, where rows are named */
} step;

static double take_equal(side *s, uint64_t key, const double *weight, uint32_t *first)
{
    double sum = 0;

    if (s->at < s->rows && s->keys.item != NULL && s->keys.key[s->at] == key &&
        s->keys.item[s->at] < *first)
        *first = s->keys.item[s->at];
    for (; s->at < s->rows && s->keys.key[s->at] == key; s->at++)
        sum += weight == NULL ? 1 : weight[s->keys.item[s->at]];
    return sum;
}

/* The next step down; 0 when all rows are above. */
static int next_step(order *o, const cr_evaluation *e, step *out)
{
    side *p = &o->positive, *n = &o->negative;
    const int no_p = p->at == p->rows, no_n = n->at == n->rows;
    uint64_t key;

    if (no_p && no_n)
        return 0;
    key = no_n || (!no_p && p->keys.key[p->at] > n->keys.key[n->at]) ? p->keys.key[p->at]
                                                                     : n->keys.key[n->at];
    out->row = UINT32_MAX;
    out->positive = take_equal(p, key, e->kept.weight, &out->row);
    out->negative = take_equal(n, key, e->kept.weight, &out->row);
    return 1;
}

static double threshold_of(const cr_evaluation *e, size_t row, size_t class_index)
{
    const double *p = e->kept.posterior + row * e->classes;
    const double kept = p[class_index == SIZE_MAX ? likeliest(p, e->classes) : class_index];

    return kept < 0 ? exp(kept) : kept;
}

static void totals(const cr_evaluation *e, size_t class_index, double *positive, double *negative)
{
    const cr__kept *k = &e->kept;

    *positive = *negative = 0;
    for (size_t r = 0; r < k->rows; r++) {
        const double weight = k->weight == NULL ? 1 : k->weight[r];

        if (k->truth[r] >= 0 && (size_t)k->truth[r] == class_index)
            *positive += weight;
        else
            *negative += weight;
    }
}

static void measure_area(order *o, const cr_evaluation *e, size_t class_index, cr_area *out)
{
    double P, N, above_p = 0, above_n = 0, area = 0, squares_p = 0, squares_n = 0, precision = 0;
    step s;

    totals(e, class_index, &P, &N);
    while (next_step(o, e, &s)) {
        const double beaten_n = N - above_n - s.negative / 2, beat_p = above_p + s.positive / 2;

        above_p += s.positive;
        above_n += s.negative;
        if (s.positive > 0) {
            const double beats = beaten_n / N;

            area += s.positive * beats;
            squares_p += s.positive * beats * beats;
            precision += s.positive * above_p / (above_p + above_n);
        }
        if (s.negative > 0)
            squares_n += s.negative * (beat_p / P) * (beat_p / P);
    }
    *out = (cr_area){NAN, NAN, NAN, NAN, NAN};
    if (P > 0)
        out->pr = precision / P;
    if (!(P > 0 && N > 0))
        return;
    out->roc = area / P;
    if (!(P > 1 && N > 1))
        return;
    out->deviation = sqrt(fmax(0, (squares_p - P * out->roc * out->roc) / (P - 1)) / P +
                          fmax(0, (squares_n - N * out->roc * out->roc) / (N - 1)) / N);
    out->roc_low = fmax(0, out->roc - 1.959963984540054 * out->deviation);
    out->roc_high = fmin(1, out->roc + 1.959963984540054 * out->deviation);
}

static void class_area(order *o, const cr_evaluation *e, size_t class_index, cr_area *out)
{
    rank_rows(o, e, class_index);
    measure_area(o, e, class_index, out);
}

/* The mean over the classes that have an area. */
static void mean_area(order *o, const cr_evaluation *e, cr_area *out)
{
    double rocs = 0, prs = 0;
    cr_area one, sum = {.roc_low = NAN, .roc_high = NAN, .deviation = NAN};

    for (size_t c = 0; c < e->classes; c++) {
        class_area(o, e, c, &one);
        rocs += !isnan(one.roc);
        prs += !isnan(one.pr);
        sum.roc += isnan(one.roc) ? 0 : one.roc;
        sum.pr += isnan(one.pr) ? 0 : one.pr;
    }
    sum.roc = rocs > 0 ? sum.roc / rocs : NAN;
    sum.pr = prs > 0 ? sum.pr / prs : NAN;
    *out = sum;
}

/* Cache an area, unless another thread does. */
static void remember_area(const cr_evaluation *e, const cr_area *area)
{
    cr_evaluation *own = (cr_evaluation *)e; /* filling the cache is not a change */
    int none = 0;

    if (atomic_compare_exchange_strong(&own->has_area, &none, 1)) {
        own->area = *area;
        atomic_store(&own->has_area, 2);
    }
}

cr_status cr_evaluation_area(const cr_evaluation *e, size_t class_index, cr_area *out,
                             cr_error *err)
{
    order o;
    cr_status st;

    *out = (cr_area){NAN, NAN, NAN, NAN, NAN};
    if (class_index != SIZE_MAX && class_index >= e->classes)
        return cr__fail(err, CR_EARG, "there are %zu classes", e->classes);
    if (class_index == SIZE_MAX && atomic_load(&e->has_area) == 2) {
        *out = e->area;
        return CR_OK;
    }
    if ((st = open_order(&o, e, 0, err)) != CR_OK)
        return st;
    if (class_index != SIZE_MAX || e->classes == 2)
        class_area(&o, e, class_index == SIZE_MAX ? 1 : class_index, out);
    else
        mean_area(&o, e, out);
    if (class_index == SIZE_MAX)
        remember_area(e, out);
    close_order(&o);
    return CR_OK;
}

/* --- points ----------------------------------------------------------------------------------- */

void cr_points_free(cr_point *points)
{
    cr__free(points);
}

static cr_point point_of(cr_curve_kind kind, const step *s, double above_p, double above_n,
                         double P, double N)
{
    const double above = above_p + above_n;
    cr_point point = {.weight = s->positive + s->negative};

    if (kind == CR_CURVE_ROC) {
        point.x = N > 0 ? above_n / N : 0;
        point.y = P > 0 ? above_p / P : 0;
    } else if (kind == CR_CURVE_PR) {
        point.x = P > 0 ? above_p / P : 0;
        point.y = above_p / above;
    } else {
        point.x = above / (P + N);
        point.y = above_p / above;
    }
    return point;
}

static cr_status walk(const cr_evaluation *e, cr_curve_kind kind, size_t class_index,
                      cr_point *points, size_t *count, cr_error *err)
{
    order o;
    double P = 0, N = 0, above_p = 0, above_n = 0;
    step s;
    cr_status st = open_order(&o, e, 1, err);

    if (st != CR_OK)
        return st;
    rank_rows(&o, e, class_index);
    totals(e, class_index, &P, &N); /* for coverage only their sum matters */
    if (kind == CR_CURVE_ROC)
        points[(*count)++] = (cr_point){.threshold = INFINITY};
    if (kind == CR_CURVE_PR)
        points[(*count)++] = (cr_point){.threshold = INFINITY, .y = 1};
    while (next_step(&o, e, &s)) {
        cr_point *point = &points[(*count)++];

        above_p += s.positive;
        above_n += s.negative;
        *point = point_of(kind, &s, above_p, above_n, P, N);
        point->threshold = threshold_of(e, s.row, class_index);
    }
    close_order(&o);
    return CR_OK;
}

static cr_status reliability(const cr_evaluation *e, size_t class_index, cr_point *points,
                             size_t *count, cr_error *err)
{
    const cr__bin *bins = class_index == SIZE_MAX ? e->bin : e->class_bin;

    if (bins == NULL)
        return cr__fail(err, CR_ELIMIT, "there are too many classes for bins of each");
    bins += class_index == SIZE_MAX ? 0 : class_index * CR__BINS;
    for (size_t b = 0; b < CR__BINS; b++)
        if (bins[b].weight > 0)
            points[(*count)++] = (cr_point){.threshold = (double)b / CR__BINS,
                                            .x = bins[b].sum / bins[b].weight,
                                            .y = bins[b].hits / bins[b].weight,
                                            .weight = bins[b].weight};
    return CR_OK;
}

cr_status cr_evaluation_curve(const cr_evaluation *e, cr_curve_kind kind, size_t class_index,
                              cr_point **points, size_t *count, cr_error *err)
{
    const size_t most = kind == CR_CURVE_RELIABILITY ? CR__BINS : e->kept.rows + 1;
    cr_status st;

    *count = 0;
    *points = NULL;
    if (kind == CR_CURVE_COVERAGE)
        class_index = SIZE_MAX;
    else if (class_index == SIZE_MAX ? kind != CR_CURVE_RELIABILITY : class_index >= e->classes)
        return cr__fail(err, CR_EARG, "a curve needs one of the %zu classes", e->classes);
    if ((*points = cr__alloc(most, sizeof **points)) == NULL)
        return cr__fail_memory(err);
    st = kind == CR_CURVE_RELIABILITY ? reliability(e, class_index, *points, count, err)
                                      : walk(e, kind, class_index, *points, count, err);
    if (st != CR_OK) {
        cr__free(*points);
        *points = NULL;
    }
    return st;
}
