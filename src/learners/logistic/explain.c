/* learners/logistic/explain.c - the contributions to one row's scores, and of the words of a
 * text. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/logistic/logistic.h"

/* From sets to classes, the moderation applied; the class without weights has 0. */
static void spread(const cr__lr *lr, const double *factor, const double *share, double *log_p)
{
    const cr__lr_shape *shape = &lr->shape;

    for (size_t c = 0; c < shape->first_class; c++)
        log_p[c] = 0;
    for (size_t s = 0; s < shape->sets; s++)
        log_p[shape->first_class + s] = factor[s] * share[s];
}

static int is_nothing(const double *log_p, size_t n)
{
    for (size_t c = 0; c < n; c++)
        if (log_p[c] != 0)
            return 0;
    return 1;
}

/* What the scores of the sets are multiplied with, [sets]. */
static void moderate(const cr__lr *lr, const cr__batch *batch, size_t row, double *factor)
{
    double all = 1;

    if (lr->moderate) {
        cr__lr_score_row(lr, batch, row, factor);
        all = cr__lr_moderation(lr, batch, row, factor);
    }
    for (size_t s = 0; s < lr->shape.sets; s++)
        factor[s] = all;
}

/* A missing real counts as what it stands for in training; it is left out where that adds nothing.
 */
cr_status cr__lr_factors(const void *fitted, void *state, const cr__stats *stats,
                         const cr__knobs *knobs, const cr__batch *batch, size_t row,
                         cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__lr *lr = fitted;
    const size_t K = lr->shape.classes;
    double *moderation = work + K; /* after the intercept's; those of columns follow */
    size_t n = 1;

    (void)state;
    (void)knobs;
    (void)err;
    moderate(lr, batch, row, moderation);
    spread(lr, moderation, lr->intercept, work);
    factor[0] = (cr_factor){.column = SIZE_MAX, .name = "intercept", .log_p = work};
    for (size_t i = 0; i < lr->shape.columns; i++) {
        int absent;

        if (lr->column[i].kind == CR_IGNORE)
            continue;
        work += CR__LR_FACTOR_WORK * K;
        absent = cr__lr_share(lr, i, batch, row, 0, lr->shape.sets, work + K);
        spread(lr, moderation, work + K, work);
        factor[n] = (cr_factor){.column = i, .name = stats->schema->column[i].name, .log_p = work};
        factor[n++].left_out = is_nothing(work, K) ? absent : 0;
    }
    for (size_t k = 0; k < lr->shape.pairs; k++) {
        const cr__lr_pair *pair = &lr->shape.pair[k];
        double *next = work + CR__LR_FACTOR_WORK * K;

        if (cr__lr_pair_share(lr, pair, batch, row, 0, lr->shape.sets, next + K))
            continue;
        work = next;
        spread(lr, moderation, work + K, work);
        factor[n++] = (cr_factor){.column = pair->a, .with = 1 + pair->b, .log_p = work};
    }
    *count = n;
    return CR_OK;
}

double cr__lr_word_share(const void *fitted, size_t column, size_t word, size_t c)
{
    const cr__lr *lr = fitted;
    const cr__lr_shape *shape = &lr->shape;

    return c < shape->first_class
               ? 0
               : lr->column[column].text->weight[word * shape->sets + c - shape->first_class];
}

size_t cr__lr_word_shares(const void *fitted, size_t column, const uint32_t *word, size_t n,
                          cr_word_share *share, double *work)
{
    const cr__lr *lr = fitted;
    const cr__nb_text *form = &lr->column[column].text->form;
    const cr__lr_text_features how = cr__lr_text_features_of(lr->column[column].text);
    const cr__lr_norm norm = cr__lr_norm_of(&how, word, n);
    size_t count = 0;

    for (size_t i = 0, run; i < n; i += run) {
        const uint32_t w = word[i], start = w == 0 ? 0 : form->words.end[w - 1];
        double *log_p = work + count * lr->shape.classes;
        double f;

        run = cr__lr_run(word, n, i);
        f = cr__lr_norm_for(&how, &norm, w) * cr__lr_word_weight(&how, w, run);
        share[count++] = (cr_word_share){.bytes = form->words.bytes + start,
                                         .length = form->words.end[w] - start,
                                         .word = w,
                                         .count = run,
                                         .weight = f,
                                         .log_p = log_p};
        for (size_t c = 0; c < lr->shape.classes; c++)
            log_p[c] = f * cr__lr_word_share(lr, column, w, c);
    }
    return count;
}

/* --- weights and values --------------------------------------------------------------------- */

typedef struct detail {
    const cr__lr *lr;
    double *moderation; /* [classes] */
    double *slope;      /* [(1 + columns + pairs) * classes] */
    double *word_slope; /* [words * classes] */
    size_t capacity;
} detail;

static void close_detail(void *state)
{
    detail *x = state;

    if (x == NULL)
        return;
    cr__free(x->moderation);
    cr__free(x->slope);
    cr__free(x->word_slope);
    cr__free(x);
}

static cr_status open_detail(void **state, const void *fitted, const cr__stats *stats,
                             const cr__knobs *knobs, cr_error *err)
{
    const cr__lr *lr = fitted;
    const size_t K = lr->shape.classes;
    detail *x = cr__alloc_zero(1, sizeof *x);

    (void)stats;
    (void)knobs;
    *state = x;
    if (x == NULL || (x->moderation = cr__alloc(K, sizeof *x->moderation)) == NULL ||
        (x->slope = cr__alloc(1 + lr->shape.columns + lr->shape.pairs, K * sizeof *x->slope)) ==
            NULL)
        return cr__fail_memory(err);
    x->lr = lr;
    return CR_OK;
}

/* Of a product: of the numbers in it, and the weight of that. */
static void set_pair_slope(const cr__lr *lr, const cr__batch *batch, size_t row, double *slope,
                           cr_factor *f)
{
    const cr__lr_pair *pair = lr->shape.pair;
    cr__lr_cells cells;

    while (pair->a != f->column || pair->b != f->with - 1)
        pair++;
    cells = cr__lr_cells_of(lr, pair, batch, row, 0);
    f->x = (isnan(cells.x[0]) ? 1 : cells.x[0]) * (isnan(cells.x[1]) ? 1 : cells.x[1]);
    f->slope = slope;
    for (size_t c = 0; c < lr->shape.first_class; c++)
        slope[c] = 0;
    slope += lr->shape.first_class;
    if (pair->first < lr->shape.dense) {
        memcpy(slope, lr->product + pair->weight * lr->shape.sets, lr->shape.sets * sizeof *slope);
        return;
    }
    cr__lr_pair_share(lr, pair, batch, row, 0, lr->shape.sets, slope);
    for (size_t s = 0; s < lr->shape.sets; s++)
        slope[s] /= f->x;
}

static void set_slope(const detail *x, const cr__batch *batch, size_t row, double *slope,
                      cr_factor *f)
{
    const cr__lr *lr = x->lr;
    const int intercept = f->column == SIZE_MAX;
    const double real = !intercept && lr->column[f->column].kind == CR_REAL
                            ? batch->column[f->column].real[row]
                            : NAN;

    f->x = isnan(real) ? 1 : real;
    f->slope = slope;
    for (size_t c = 0; c < lr->shape.first_class; c++)
        slope[c] = 0;
    slope += lr->shape.first_class;
    if (intercept)
        memcpy(slope, lr->intercept, lr->shape.sets * sizeof *slope);
    else if (isnan(real))
        cr__lr_share(lr, f->column, batch, row, 0, lr->shape.sets, slope);
    else
        memcpy(slope, lr->column[f->column].weight, lr->shape.sets * sizeof *slope);
}

static void set_words(detail *x, const cr_factor *f, size_t at)
{
    const size_t K = x->lr->shape.classes;

    for (size_t i = 0; i < f->words; i++) {
        cr_word_share *w = (cr_word_share *)&f->word[i];
        double *slope = x->word_slope + (at + i) * K;

        for (size_t c = 0; c < K; c++)
            slope[c] = cr__lr_word_share(x->lr, f->column, w->word, c);
        w->slope = slope;
    }
}

static cr_status detail_row(void *state, const cr__batch *batch, size_t row, cr_factor *factor,
                            cr_explanation *e, cr_error *err)
{
    detail *x = state;
    const cr__lr *lr = x->lr;
    const size_t K = lr->shape.classes;
    size_t words = 0;

    for (size_t c = 0; c < K; c++)
        x->moderation[c] = 1;
    moderate(lr, batch, row, x->moderation + lr->shape.first_class);
    if (lr->moderate && lr->covariance != NULL)
        e->moderation = x->moderation;
    for (size_t f = 0; f < e->factors; f++)
        words += factor[f].words;
    if (words > SIZE_MAX / 64 / K ||
        !cr__grow(&x->word_slope, &x->capacity, words * K, sizeof *x->word_slope))
        return cr__fail_memory(err);
    words = 0;
    for (size_t f = 0; f < e->factors; f++) {
        if (factor[f].with > 0)
            set_pair_slope(lr, batch, row, x->slope + f * K, &factor[f]);
        else
            set_slope(x, batch, row, x->slope + f * K, &factor[f]);
        set_words(x, &factor[f], words);
        words += factor[f].words;
    }
    return CR_OK;
}

const cr__detail cr__lr_detail = {open_detail, detail_row, close_detail};
