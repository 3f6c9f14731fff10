/* learners/logistic/explain.c - the shares of one row's scores, and of the words of a text. */
#include <math.h>
#include <string.h>

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

/* A missing real counts as what it stands for in training; it is left out where that adds nothing.
 */
cr_status cr__lr_factors(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                         const cr__batch *batch, size_t row, cr_factor *factor, size_t *count,
                         double *work, cr_error *err)
{
    const cr__lr *lr = fitted;
    const size_t K = lr->shape.classes;
    double *moderation = work + K; /* behind the intercept's; those of columns follow */
    size_t n = 1;

    (void)knobs;
    (void)err;
    cr__lr_moderation(lr, batch, row, 0, lr->shape.sets, moderation);
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
    const cr__lr_wording how = cr__lr_wording_of(lr->column[column].text);
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
                                         .count = run,
                                         .weight = f,
                                         .log_p = log_p};
        for (size_t c = 0; c < lr->shape.classes; c++)
            log_p[c] = f * cr__lr_word_share(lr, column, w, c);
    }
    return count;
}
