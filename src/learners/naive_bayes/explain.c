/* learners/naive_bayes/explain.c - the factors of one row's product, with the counts behind them.
 */
#include <math.h>
#include <string.h>

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
    if (code == CR__MISSING)
        f->left_out = 1;
    else if (cr__knobs_is(knobs, "unseen", "skip") &&
             cr__nb_is_left_out(stats, knobs, column, seen ? code - 1 : SIZE_MAX))
        f->left_out = 2;
    if (f->left_out)
        return;
    for (size_t c = 0; c < K; c++) {
        count[c] = seen ? cr__count_value(cr__stats_count(stats, column, code - 1, c)) : 0;
        total[c] = cr__nb_total(stats, column, c);
        rule = cr__nb_smoothing(stats, knobs, column, seen ? code - 1 : SIZE_MAX, c);
        top[c] = count[c] + rule.plus;
        bottom[c] = total[c] + rule.plus_total;
    }
    f->fraction = 1;
    f->top = top;
    f->bottom = bottom;
    f->count = count;
    f->total = total;
}

/* A number is represented by its interval. */
static void cut_factor(const cr__nb *nb, const cr__stats *view, const cr__knobs *knobs,
                       size_t column, double x, double *work, cr_factor *f)
{
    const cr__cuts *cuts = &nb->bins[column].cuts;
    const uint32_t code = cr__cuts_code(cuts, x);

    symbol_factor(nb, view, knobs, column, code, work, f);
    f->cut = 1;
    cr__cuts_interval(cuts, code, &f->low, &f->high);
}

static void text_factor(const cr__nb *nb, size_t column, const cr__batch_column *data, size_t row,
                        double *work, cr_factor *f)
{
    const uint32_t *word = data->word == NULL ? NULL : data->word + data->start[row];

    f->left_out = data->code[row] == CR__MISSING;
    for (size_t c = 0; c < nb->classes; c++)
        work[c] = 0;
    if (!f->left_out)
        cr__nb_log_text(nb->column[column].text, word, data->start[row + 1] - data->start[row], 0,
                        nb->classes, work);
    f->log_p = work;
}

/* p = (n k + r g) / (n + r), see kde.c; the mean k of the kernels follows from the density.
 */
static void kernel_factor(const cr__nb_kde *kde, double x, double *work, cr_factor *f)
{
    const size_t K = kde->classes;
    double *log_p = work, *kernels = work + K, *width = work + 2 * K, *sum = work + 3 * K;
    const double d = x - kde->prior_mean, v = kde->prior_variance;

    f->guess_rows = kde->prior_rows;
    f->guess = v > 0 ? exp(-0.5 * d * d / v) / sqrt(2 * M_PI * v) : 0;
    for (size_t c = 0; c < K; c++) {
        const double n = kde->of[c].n;

        log_p[c] = cr__nb_kde_log(kde, c, x);
        kernels[c] = n;
        width[c] = kde->of[c].bandwidth;
        sum[c] = exp(log_p[c]) * (n + f->guess_rows) - f->guess_rows * f->guess;
        if (!(sum[c] > 1e-12 * f->guess_rows * f->guess)) /* rounding only */
            sum[c] = 0;
        sum[c] = n > 0 ? sum[c] / n : 0;
    }
    f->kernels = kernels;
    f->width = width;
    f->kernel_sum = sum;
}

static void real_factor(const cr__nb *nb, size_t column, double x, int pooled, double *work,
                        cr_factor *f)
{
    const size_t K = nb->classes;
    const cr__nb_real *real = &nb->column[column].real;
    double *log_p = work, *variance = work + K;

    f->left_out = isnan(x);
    f->log_p = log_p;
    f->x = x;
    if (nb->column[column].kde != NULL) {
        memset(log_p, 0, K * sizeof *log_p);
        if (!f->left_out)
            kernel_factor(nb->column[column].kde, x, work, f);
        return;
    }
    f->pooled = real->freedom[0] == 0 ? pooled : 0;
    for (size_t c = 0; c < K; c++) {
        log_p[c] = f->left_out ? 0 : cr__nb_log_density(real, c, x);
        variance[c] =
            real->freedom[c] > 0 ? 1 / (real->freedom[c] * real->inverse[c]) : real->inverse[c];
    }
    f->mean = real->mean;
    f->variance = variance;
    f->freedom = real->freedom;
}

cr_status cr__nb_factors(const void *fitted, void *state, const cr__stats *stats,
                         const cr__knobs *knobs, const cr__batch *batch, size_t row,
                         cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__nb *nb = fitted;
    cr__column_stats *room = cr__alloc(nb->columns, sizeof *room);
    cr_status st =
        room == NULL ? cr__fail_memory(err) : prior_factor(nb, stats, knobs, work, &factor[0], err);
    const int pooled = cr__knobs_is(knobs, "variance", "class-feature") ? 0
                       : cr__knobs_is(knobs, "variance", "class")       ? 2
                       : cr__knobs_is(knobs, "variance", "shared")      ? 3
                                                                        : 1;
    cr__stats view;
    size_t n = 1;

    (void)state;
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
            cut_factor(nb, &view, knobs, i, batch->column[i].real[row], work, &factor[n]);
        else if (nb->column[i].kind == CR_BAG)
            text_factor(nb, i, &batch->column[i], row, work, &factor[n]);
        else
            real_factor(nb, i, batch->column[i].real[row], pooled, work, &factor[n]);
        n++;
    }
    *count = n;
    cr__free(room);
    return st;
}

/* --- the fractions of words ------------------------------------------------------------------ */

typedef struct detail {
    size_t columns, classes;
    cr__nb_text_counts **text; /* [columns] NULL where there is no text */
    double *work;              /* [words * 4 * classes] */
    size_t capacity;
} detail;

static void close_detail(void *state)
{
    detail *x = state;

    for (size_t i = 0; x != NULL && x->text != NULL && i < x->columns; i++)
        cr__nb_text_counts_free(x->text[i]);
    if (x != NULL) {
        cr__free(x->text);
        cr__free(x->work);
    }
    cr__free(x);
}

static cr_status open_detail(void **state, const void *fitted, const cr__stats *stats,
                             const cr__knobs *knobs, cr_error *err)
{
    const cr__nb *nb = fitted;
    detail *x = cr__alloc_zero(1, sizeof *x);
    cr_status st = CR_OK;

    *state = x;
    if (x == NULL || (x->text = cr__alloc_zero(nb->columns, sizeof *x->text)) == NULL)
        return cr__fail_memory(err);
    x->columns = nb->columns;
    x->classes = nb->classes;
    for (size_t i = 0; st == CR_OK && i < nb->columns; i++)
        if (nb->column[i].kind == CR_BAG)
            st = cr__nb_text_counts_new(&x->text[i], stats->column[i].bag, knobs, err);
    return st;
}

static void set_words(const detail *x, const cr_factor *f, double *work)
{
    const cr__nb_text_counts *text = x->text[f->column];
    const cr_word_form form = cr__nb_text_form(text);
    const size_t K = x->classes;

    for (size_t i = 0; i < f->words; i++, work += 4 * K) {
        cr_word_share *w = (cr_word_share *)&f->word[i];

        w->form = form;
        if (form == CR_WORD_NUMBER)
            continue;
        cr__nb_text_fractions(text, w->word,
                              &(cr__nb_fractions){work, work + K, work + 2 * K, work + 3 * K});
        w->counted = work;
        w->total = work + K;
        w->top = work + 2 * K;
        w->bottom = work + 3 * K;
    }
}

static cr_status detail_row(void *state, const cr__batch *batch, size_t row, cr_factor *factor,
                            cr_explanation *e, cr_error *err)
{
    detail *x = state;
    size_t words = 0;

    (void)batch;
    (void)row;
    for (size_t f = 0; f < e->factors; f++)
        words += factor[f].words;
    if (words > SIZE_MAX / 64 / x->classes ||
        !cr__grow(&x->work, &x->capacity, words * 4 * x->classes, sizeof *x->work))
        return cr__fail_memory(err);
    words = 0;
    for (size_t f = 0; f < e->factors; f++) {
        if (factor[f].words > 0)
            set_words(x, &factor[f], x->work + words * 4 * x->classes);
        words += factor[f].words;
    }
    return CR_OK;
}

const cr__detail cr__nb_detail = {open_detail, detail_row, close_detail};
