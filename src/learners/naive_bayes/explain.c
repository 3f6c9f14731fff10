/* learners/naive_bayes/explain.c - the factors of one row's product, with the counts behind them.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/naive_bayes/naive_bayes.h"

static cr_status prior_factor(const cr__nb *nb, const cr__stats *stats, const cr__knobs *knobs,
                              double *work, cr_factor *f, cr_error *err)
{
    const size_t K = nb->classes;
    double *top = work + K, *bottom = work + 2 * K, all = 0;
    cr_status st = cr__nb_fit_prior(stats, knobs, work, top, bottom, err);

    *f = (cr_factor){.column = SIZE_MAX,
                     .name = "prior",
                     .log_p = nb->log_prior,
                     .fraction = 1,
                     .top = top,
                     .bottom = bottom,
                     .count = work + 3 * K,
                     .total = work + 4 * K};
    for (size_t c = 0; c < K; c++) {
        work[3 * K + c] = cr__count_value(cr__stats_class(stats, c));
        all += work[3 * K + c];
    }
    for (size_t c = 0; c < K; c++)
        work[4 * K + c] = all;
    return st;
}

static void symbol_factor(const cr__nb *nb, const cr__stats *stats, const cr__knobs *knobs,
                          size_t column, uint32_t code, double *work, cr_factor *f)
{
    const size_t K = nb->classes, values = nb->column[column].values;
    const int seen = code >= 1 && code <= values;
    double *top = work, *bottom = work + K, *count = work + 2 * K, *total = work + 3 * K;
    cr__nb_rule rule;

    f->log_p = nb->column[column].log_p + code * K;
    rule = cr__nb_smoothing(stats, knobs, column, seen ? code - 1 : SIZE_MAX);
    if (code == CR__MISSING)
        f->left_out = 1;
    else if (cr__knobs_is(knobs, "unseen", "skip") &&
             cr__nb_is_left_out(stats, column, seen ? code - 1 : SIZE_MAX, rule))
        f->left_out = 2;
    if (f->left_out)
        return;
    for (size_t c = 0; c < K; c++) {
        count[c] = seen ? cr__count_value(cr__stats_count(stats, column, code - 1, c)) : 0;
        total[c] = cr__nb_total(stats, column, c);
        top[c] = count[c] + rule.plus;
        bottom[c] = total[c] + rule.plus_total;
    }
    f->fraction = 1;
    f->top = top;
    f->bottom = bottom;
    f->count = count;
    f->total = total;
}

static void text_factor(const cr__nb *nb, size_t column, const cr__batch_column *data, size_t row,
                        double *work, cr_factor *f)
{
    const uint32_t *word = data->word + data->start[row];

    f->left_out = data->code[row] == CR__MISSING;
    for (size_t c = 0; c < nb->classes; c++)
        work[c] = 0;
    if (!f->left_out)
        cr__nb_log_text(nb->column[column].text, word, data->start[row + 1] - data->start[row], 0,
                        nb->classes, work);
    f->log_p = work;
}

static void real_factor(const cr__nb *nb, size_t column, double x, double *work, cr_factor *f)
{
    const size_t K = nb->classes;
    const cr__nb_real *real = &nb->column[column].real;
    double *log_p = work, *variance = work + K;

    f->left_out = isnan(x);
    f->log_p = log_p;
    if (nb->column[column].kde != NULL) {
        for (size_t c = 0; c < K; c++)
            log_p[c] = f->left_out ? 0 : cr__nb_kde_log(nb->column[column].kde, c, x);
        return;
    }
    for (size_t c = 0; c < K; c++) {
        log_p[c] = f->left_out ? 0 : cr__nb_log_density(real, c, x);
        variance[c] =
            real->freedom[c] > 0 ? 1 / (real->freedom[c] * real->inverse[c]) : real->inverse[c];
    }
    f->mean = real->mean;
    f->variance = variance;
    f->freedom = real->freedom;
}

cr_status cr__nb_factors(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                         const cr__batch *batch, size_t row, cr_factor *factor, size_t *count,
                         double *work, cr_error *err)
{
    const cr__nb *nb = fitted;
    cr__column_stats *room = cr__alloc(nb->columns, sizeof *room);
    cr_status st =
        room == NULL ? cr__fail_memory(err) : prior_factor(nb, stats, knobs, work, &factor[0], err);
    cr__stats view;
    size_t n = 1;

    if (st == CR_OK)
        view = cr__nb_view(stats, nb->bins, room);

    for (size_t i = 0; st == CR_OK && i < nb->columns; i++) {
        if (nb->column[i].kind == CR_IGNORE)
            continue;
        work += CR__NB_FACTOR_WORK * nb->classes;
        factor[n] = (cr_factor){.column = i, .name = stats->schema->column[i].name};
        if (nb->column[i].kind == CR_SYMBOL)
            symbol_factor(nb, stats, knobs, i, batch->column[i].code[row], work, &factor[n]);
        else if (nb->column[i].cut)
            symbol_factor(nb, &view, knobs, i,
                          cr__cuts_code(&nb->bins[i].cuts, batch->column[i].real[row]), work,
                          &factor[n]);
        else if (nb->column[i].kind == CR_BAG)
            text_factor(nb, i, &batch->column[i], row, work, &factor[n]);
        else
            real_factor(nb, i, batch->column[i].real[row], work, &factor[n]);
        n++;
    }
    *count = n;
    cr__free(room);
    return st;
}
