/* learners/naive_bayes/score.c - log P(class, row): the logs of the factors, added in order. */
#include <math.h>
#include <string.h>

#include "learners/naive_bayes/naive_bayes.h"

double cr__nb_log_density(const cr__nb_real *real, size_t c, double x)
{
    const double d = x - real->mean[c];

    if (real->freedom[c] > 0)
        return real->base[c] - real->power[c] * log1p(d * d * real->inverse[c]);
    return real->base[c] - real->power[c] * (d * d);
}

static void score_symbol(const cr__nb_column *column, const uint32_t *code, size_t rows,
                         size_t classes, double *score)
{
    for (size_t r = 0; r < rows; r++, score += classes) {
        const double *log_p = column->log_p + code[r] * classes;

        if (code[r] != CR__MISSING)
            for (size_t c = 0; c < classes; c++)
                score[c] += log_p[c];
    }
}

static void score_gaussian(const cr__nb_real *real, const double *x, size_t rows, size_t classes,
                           double *restrict score)
{
    const double *restrict base = real->base, *restrict mean = real->mean;
    const double *restrict power = real->power;

    for (size_t r = 0; r < rows; r++, score += classes) {
        if (isnan(x[r]))
            continue;
        for (size_t c = 0; c < classes; c++) {
            const double d = x[r] - mean[c];
            score[c] += base[c] - power[c] * (d * d);
        }
    }
}

static void score_student(const cr__nb_real *real, const double *x, size_t rows, size_t classes,
                          double *score)
{
    for (size_t r = 0; r < rows; r++, score += classes)
        if (!isnan(x[r]))
            for (size_t c = 0; c < classes; c++)
                score[c] += cr__nb_log_density(real, c, x[r]);
}

static void score_intervals(const cr__nb_column *column, const cr__cuts *cuts, const double *x,
                            size_t rows, size_t classes, double *score)
{
    for (size_t r = 0; r < rows; r++, score += classes) {
        const double *log_p = column->log_p + cr__cuts_code(cuts, x[r]) * classes;

        if (!isnan(x[r]))
            for (size_t c = 0; c < classes; c++)
                score[c] += log_p[c];
    }
}

static void score_kernels(const cr__nb_kde *kde, const double *x, size_t rows, size_t classes,
                          double *score)
{
    for (size_t r = 0; r < rows; r++, score += classes)
        if (!isnan(x[r]))
            for (size_t c = 0; c < classes; c++)
                score[c] += cr__nb_kde_log(kde, c, x[r]);
}

static void score_texts(const cr__nb_text *text, const cr__batch_column *data, size_t rows,
                        double *score)
{
    for (size_t r = 0; r < rows; r++, score += text->classes)
        if (data->code[r] != CR__MISSING)
            cr__nb_score_text(text, data->word + data->start[r],
                              data->start[r + 1] - data->start[r], score);
}

cr_status cr__nb_score(const void *fitted, void *state, const cr__batch *batch, double *score,
                       cr_error *err)
{
    const cr__nb *nb = fitted;
    const size_t classes = nb->classes;

    (void)state;
    (void)err;
    for (size_t r = 0; r < batch->rows; r++)
        memcpy(score + r * classes, nb->log_prior, classes * sizeof *score);
    for (size_t i = 0; i < nb->columns; i++) {
        const cr__nb_column *column = &nb->column[i];

        if (column->kind == CR_SYMBOL)
            score_symbol(column, batch->column[i].code, batch->rows, classes, score);
        else if (column->kind == CR_BAG)
            score_texts(column->text, &batch->column[i], batch->rows, score);
        else if (column->cut)
            score_intervals(column, &nb->bins[i].cuts, batch->column[i].real, batch->rows, classes,
                            score);
        else if (column->kde != NULL)
            score_kernels(column->kde, batch->column[i].real, batch->rows, classes, score);
        else if (column->kind == CR_REAL && column->real.freedom[0] > 0)
            score_student(&column->real, batch->column[i].real, batch->rows, classes, score);
        else if (column->kind == CR_REAL)
            score_gaussian(&column->real, batch->column[i].real, batch->rows, classes, score);
    }
    return CR_OK;
}
