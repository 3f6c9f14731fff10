/* learners/naive_bayes/without.c - leave-one-out: each row is removed from the counts while it is
 * scored.
 *
 * Only the counts of the row's own class and values change, so no other factor is touched. A value
 * that no other row has disappears with the row: it then counts as never seen. A class that no
 * other row has needs a model of its own.
 */
#include "learners/naive_bayes/without.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

typedef struct state {
    const cr__nb *nb;
    const cr__stats *stats;
    const cr__knobs *knobs;
    cr__nb_reals *reals;  /* or NULL */
    cr__nb_texts **texts; /* [columns] */
    cr__count *total;     /* [columns * classes] of symbol columns */
    double **known;    /* [columns] of symbol columns: [values * classes], the factor of the row's
                        * own class, once computed for a row of weight 1; else NaN */
    cr__nb_rule *rule; /* [columns] what smoothing adds, the same for every value */
    double *top;       /* [classes] */
    double *plus;      /* [classes] added to the counts of the classes */
    int counted, skip; /* the prior comes from counts; values never seen are left out */
    int alike;         /* smoothing depends on the column alone */
} state;

static void close_state(void *opaque)
{
    state *s = opaque;

    if (s == NULL)
        return;
    for (size_t i = 0; s->texts != NULL && i < s->nb->columns; i++)
        cr__nb_texts_free(s->texts[i]);
    for (size_t i = 0; s->known != NULL && i < s->nb->columns; i++)
        cr__free(s->known[i]);
    cr__free(s->texts);
    cr__free(s->known);
    cr__nb_reals_free(s->reals);
    cr__free(s->total);
    cr__free(s->rule);
    cr__free(s->top);
    cr__free(s->plus);
    cr__free(s);
}

static void add_totals(state *s, size_t i)
{
    for (size_t c = 0; c < s->stats->classes; c++)
        for (size_t v = 0; v < cr__stats_values(s->stats, i); v++) {
            cr__count *total = &s->total[i * s->stats->classes + c];

            *total = cr__count_plus(*total, cr__stats_count(s->stats, i, v, c), 1);
        }
}

static cr_status open_symbol(state *s, size_t i, cr_error *err)
{
    const size_t factors = cr__stats_values(s->stats, i) * s->stats->classes;

    add_totals(s, i);
    s->rule[i] = cr__nb_smoothing(s->stats, s->knobs, i, 0, 0);
    if ((s->known[i] = cr__alloc(factors, sizeof **s->known)) == NULL)
        return cr__fail_memory(err);
    for (size_t k = 0; k < factors; k++)
        s->known[i][k] = NAN;
    return CR_OK;
}

static cr_status open_columns(state *s, cr_error *err)
{
    int reals = 0;
    cr_status st = CR_OK;

    if (cr__knobs_is(s->knobs, "real", "auto"))
        return cr__fail(err, CR_EARG, "a row changes more than its own counts");
    for (size_t i = 0; st == CR_OK && i < s->nb->columns; i++) {
        const cr__nb_column *column = &s->nb->column[i];

        if (column->cut || column->kde != NULL)
            return cr__fail(err, CR_EARG, "a row changes more than its own counts");
        reals |= column->kind == CR_REAL;
        if (column->kind == CR_SYMBOL)
            st = open_symbol(s, i, err);
        if (column->kind == CR_BAG)
            st = cr__nb_texts_open(&s->texts[i], column->text, s->stats->column[i].bag, s->knobs,
                                   err);
    }
    return st == CR_OK && reals ? cr__nb_reals_open(&s->reals, s->stats, s->knobs, err) : st;
}

static cr_status open_state(void **out, const void *fitted, const cr__stats *stats,
                            const cr__knobs *knobs, cr_error *err)
{
    const char *prior = cr__knobs_text(knobs, "prior");
    state *s = cr__alloc_zero(1, sizeof *s);
    cr_status st = CR_OK;

    *out = NULL;
    if (s == NULL)
        return cr__fail_memory(err);
    s->nb = fitted;
    s->stats = stats;
    s->knobs = knobs;
    s->counted = strcmp(prior, "empirical") == 0 || strcmp(prior, "map") == 0;
    s->skip = cr__knobs_is(knobs, "unseen", "skip");
    s->texts = cr__alloc_zero(s->nb->columns, sizeof *s->texts);
    s->known = cr__alloc_zero(s->nb->columns, sizeof *s->known);
    s->total = cr__alloc_zero(s->nb->columns * stats->classes, sizeof *s->total);
    s->top = cr__alloc_zero(stats->classes, sizeof *s->top);
    s->rule = cr__alloc_zero(s->nb->columns, sizeof *s->rule);
    s->plus = cr__alloc_zero(stats->classes, sizeof *s->plus);
    s->alike = cr__nb_smooths_alike(knobs);
    for (size_t c = 0; s->plus != NULL && c < stats->classes; c++)
        s->plus[c] = cr__nb_prior_plus(stats, knobs, c);
    if (s->rule == NULL || s->texts == NULL || s->known == NULL || s->total == NULL ||
        s->top == NULL || s->plus == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = open_columns(s, err);
    if (st != CR_OK) {
        close_state(s);
        return st;
    }
    *out = s;
    return CR_OK;
}

static void score_prior(state *s, size_t class_index, cr__count n, double *score)
{
    const size_t K = s->stats->classes;
    double sum = 0;

    if (!s->counted) {
        memcpy(score, s->nb->log_prior, K * sizeof *score);
        return;
    }
    for (size_t c = 0; c < K; c++) {
        cr__count count = cr__stats_class(s->stats, c);

        if (c == class_index)
            count = cr__count_plus(count, n, -1);
        sum += s->top[c] = cr__count_value(count) + s->plus[c];
    }
    for (size_t c = 0; c < K; c++)
        score[c] = log(cr__nb_ratio(s->top[c], sum, 1 / (double)K));
}

/* Whether the row is the only one with the value. */
static int is_alone(const cr__stats *stats, size_t column, size_t value, cr__count n)
{
    cr__count all = {0};

    for (size_t c = 0; c < stats->classes; c++)
        all = cr__count_plus(all, cr__stats_count(stats, column, value, c), 1);
    return cr__count_zero(cr__count_plus(all, n, -1));
}

/* The factor of a value for the row's own class, with the row removed. */
static double own_factor(const state *s, size_t i, size_t value, size_t class_index, cr__count n)
{
    const size_t K = s->stats->classes, values = cr__stats_values(s->stats, i);
    const cr__nb_rule rule = s->rule[i];
    const double count =
        cr__count_value(cr__count_plus(cr__stats_count(s->stats, i, value, class_index), n, -1));
    const double total = cr__count_value(cr__count_plus(s->total[i * K + class_index], n, -1));

    return log(
        cr__nb_ratio(count + rule.plus, total + rule.plus_total, 1 / ((double)values + !s->skip)));
}

static void add_factors(const double *log_p, size_t classes, size_t class_index, double own,
                        double *score)
{
    for (size_t c = 0; c < classes; c++)
        score[c] += c != class_index ? log_p[c] : own;
}

/* 0: the fast method does not cover the counts of this value. A value that only rows of weight 0
 * have is one never seen. */
static int score_symbol(const state *s, size_t i, uint32_t code, size_t class_index, double weight,
                        double *score)
{
    const size_t K = s->stats->classes;
    const double *log_p = s->nb->column[i].log_p + (size_t)code * K;
    const cr__count n = cr__count_of_weight(weight);
    double *known, own;

    if (code == CR__MISSING)
        return 1;
    if (code > cr__stats_values(s->stats, i)) {
        add_factors(log_p, K, class_index, log_p[class_index], score);
        return 1;
    }
    known = &s->known[i][(code - 1) * K + class_index];
    own = weight == 1 ? *known : NAN;
    if (isnan(own)) {
        if (is_alone(s->stats, i, code - 1, n))
            return s->skip && s->stats->schema->column[i].declared == NULL;
        if (!s->alike)
            return 0;
        own = own_factor(s, i, code - 1, class_index, n);
    }
    if (weight == 1)
        *known = own;
    add_factors(log_p, K, class_index, own, score);
    return 1;
}

static int score_row(state *s, const cr__batch *batch, size_t row, size_t class_index,
                     double *score)
{
    const double weight = batch->weight == NULL ? 1 : batch->weight[row];
    const cr__count n = cr__count_of_weight(weight);
    int sound = 1;

    if (cr__count_zero(cr__count_plus(cr__stats_class(s->stats, class_index), n, -1)))
        return 0;
    score_prior(s, class_index, n, score);
    for (size_t i = 0; sound && i < s->nb->columns; i++) {
        const cr__batch_column *data = &batch->column[i];

        if (s->nb->column[i].kind == CR_SYMBOL)
            sound = score_symbol(s, i, data->code[row], class_index, weight, score);
        else if (s->texts[i] != NULL && data->code[row] != CR__MISSING && weight != 1)
            sound = 0;
        else if (s->texts[i] != NULL && data->code[row] != CR__MISSING)
            cr__nb_texts_without(s->texts[i], data->word + data->start[row],
                                 data->start[row + 1] - data->start[row], class_index, score);
    }
    if (sound && s->reals != NULL)
        sound = cr__nb_reals_without(s->reals, batch, row, class_index, weight, score);
    return sound;
}

static void score_rows(void *opaque, const cr__batch *batch, double *score, unsigned char *done)
{
    state *s = opaque;
    const uint32_t *target = batch->column[s->stats->schema->target].code;

    for (size_t r = 0; r < batch->rows; r++)
        done[r] = target[r] != CR__MISSING && target[r] <= s->stats->classes &&
                  score_row(s, batch, r, target[r] - 1, score + r * s->stats->classes);
}

const cr__leaves_one_out cr__nb_without = {open_state, score_rows, close_state};
