/* learners/logistic/design.c - from the rows of a fit to coded and standardised features. */
#include "learners/logistic/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* --- centre and spread --------------------------------------------------------------------- */

/* N mean = Σ n_c mean_c and N variance = Σ n_c (variance_c + (mean_c - mean)^2), over the classes.
 */
static void frame_of(const cr__moment *moment, size_t classes, double *centre, double *spread)
{
    double total = 0, sum = 0, squares = 0;

    for (size_t c = 0; c < classes; c++) {
        const double n = cr__count_value(moment[c].count);

        total += n;
        sum += n * cr__exact_mean(moment[c].count.whole, moment[c].count.fraction, &moment[c].sum);
    }
    *centre = total > 0 ? sum / total : 0;
    for (size_t c = 0; c < classes; c++) {
        const cr__moment *m = &moment[c];
        const double d = cr__exact_mean(m->count.whole, m->count.fraction, &m->sum) - *centre;

        squares += cr__count_value(m->count) *
                   (cr__exact_variance(m->count.whole, m->count.fraction, &m->sum, &m->squares, 0) +
                    d * d);
    }
    *spread = total > 0 ? sqrt(squares / total) : 0;
    if (!isfinite(*centre) || !isfinite(*spread) || *spread <= 1e-13 * fabs(*centre))
        *spread = 0;
    if (!isfinite(*centre))
        *centre = 0;
}

void cr__lr_frame(const cr__stats *stats, double *frame)
{
    for (size_t i = 0; i < stats->schema->columns; i++) {
        frame[2 * i] = frame[2 * i + 1] = 0;
        if (stats->column[i].moment != NULL)
            frame_of(stats->column[i].moment, stats->classes, &frame[2 * i], &frame[2 * i + 1]);
    }
}

/* --- labels and weights -------------------------------------------------------------------- */

static cr_status put_labels(cr__lr_design *d, const cr__fit_input *input,
                            const double *class_weight, cr_error *err)
{
    const cr__table *rows = input->rows;
    const uint32_t *code = rows->column[rows->schema->target].code;
    const size_t padded = d->blocks * CR__LR_BLOCK;

    d->label = cr__alloc_zero(padded, sizeof *d->label);
    d->weight = cr__alloc_zero(padded, sizeof *d->weight);
    if (d->label == NULL || d->weight == NULL)
        return cr__fail_memory(err);
    d->unit = 1;
    for (size_t r = 0; r < d->rows; r++) {
        const uint32_t c = code[r] - 1;

        if (code[r] == CR__MISSING || c >= d->shape->classes)
            continue; /* it has no weight */
        d->label[r] = c;
        d->weight[r] = (rows->weight == NULL ? 1 : rows->weight[r]) *
                       (class_weight == NULL ? 1 : class_weight[c]);
        d->total += d->weight[r];
    }
    for (size_t r = 0; r < d->rows; r++)
        d->unit &= d->weight[r] == 1;
    return CR_OK;
}

/* --- dense --------------------------------------------------------------------------------- */

static cr_status put_reals(cr__lr_design *d, const cr__table *rows, const double *frame,
                           cr_error *err)
{
    const cr__lr_shape *shape = d->shape;

    if (shape->reals == 0)
        return CR_OK;
    if ((d->real = cr__alloc(shape->reals, sizeof *d->real)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < shape->columns; i++)
        if (shape->slot[i].kind == CR_REAL)
            d->real[shape->slot[i].first] =
                (cr__lr_real){.value = rows->column[i].real,
                              .centre = frame[2 * i],
                              .inverse = frame[2 * i + 1] > 0 ? 1 / frame[2 * i + 1] : 0};
    return CR_OK;
}

/* --- sparse -------------------------------------------------------------------------------- */

cr_status cr__lr_idf(double **out, const cr__bag *bag, cr__text_weight weight, cr_error *err)
{
    *out = NULL;
    if (weight != CR__WEIGHT_TFIDF && weight != CR__WEIGHT_SUBLINEAR)
        return CR_OK;
    if ((*out = cr__alloc(bag->words, sizeof **out)) == NULL)
        return cr__fail_memory(err);
    for (size_t w = 0; w < bag->words; w++)
        (*out)[w] = cr__text_idf(bag->frozen_documents, bag->frozen == NULL ? 0 : bag->frozen[w]);
    return CR_OK;
}

typedef struct filler {
    cr__lr_design *design;
    const cr__fit_input *input;
    const double *frame;
    cr__lr_text_features *how; /* [columns] */
    uint32_t *sorted;          /* the words of one text */
    size_t sorted_capacity;
} filler;

static int compare_words(const void *pa, const void *pb)
{
    const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

    return a < b ? -1 : a > b;
}

/* The row's words of a text column in ascending order. */
static const uint32_t *sorted_words(filler *f, const cr__table_column *data, size_t row, size_t *n)
{
    *n = (size_t)(data->start[row + 1] - data->start[row]);
    if (!cr__grow(&f->sorted, &f->sorted_capacity, *n + 1, sizeof *f->sorted))
        return NULL;
    if (*n > 0)
        memcpy(f->sorted, data->word + data->start[row], *n * sizeof *f->sorted);
    qsort(f->sorted, *n, sizeof *f->sorted, compare_words);
    return f->sorted;
}

/* The entries of a symbol column in rows first …: counted in at[r] only, or written from at[r] on.
 */
static void fill_coded(const filler *f, size_t column, size_t first, size_t rows, uint64_t *at,
                       int write)
{
    const cr__lr_slot *slot = &f->design->shape->slot[column];
    const uint32_t *code = f->input->rows->column[column].code + first;
    const cr__lr_sparse *to = &f->design->by_row;

    for (size_t r = 0; r < rows; r++) {
        const size_t v = (size_t)code[r] - 1; /* missing and unknown ones are beyond the values */
        const size_t n = v < slot->values ? cr__lr_code_size(slot, v) : 0;

        for (size_t k = 0; write && k < n; k++) {
            size_t feature;

            cr__lr_code(slot, v, k, &feature, &to->value[at[r] + k]);
            to->index[at[r] + k] = (uint32_t)feature;
        }
        at[r] += n;
    }
}

/* The same where each value has one entry, a 1, except that the first may have none. */
static void fill_indicators(const filler *f, size_t column, size_t first, size_t rows, uint64_t *at,
                            int write)
{
    const cr__lr_slot *slot = &f->design->shape->slot[column];
    const uint32_t *code = f->input->rows->column[column].code + first;
    const uint32_t before = slot->coding == CR__LR_ONE_HOT ? 1 : 2; /* the first code with one */
    const uint32_t count = (uint32_t)slot->count;
    const cr__lr_sparse *to = &f->design->by_row;

    for (size_t r = 0; !write && r < rows; r++)
        at[r] += code[r] - before < count;
    for (size_t r = 0; write && r < rows; r++) {
        if (code[r] - before >= count)
            continue;
        to->index[at[r]] = (uint32_t)slot->first + (code[r] - before);
        if (to->value != NULL)
            to->value[at[r]] = 1;
        at[r]++;
    }
}

/* The same for a column of texts. 0: out of memory. */
static int fill_texts(filler *f, size_t column, size_t first, size_t rows, uint64_t *at, int write)
{
    const cr__table_column *data = &f->input->rows->column[column];
    const cr__lr_sparse *to = &f->design->by_row;

    for (size_t r = 0; r < rows; r++) {
        const uint32_t *word;
        size_t n;

        if (data->code[first + r] == CR__MISSING)
            continue;
        if ((word = sorted_words(f, data, first + r, &n)) == NULL)
            return 0;
        at[r] +=
            cr__lr_weigh_text(&f->how[column], word, n, f->design->shape->slot[column].first,
                              write ? to->index + at[r] : NULL, write ? to->value + at[r] : NULL);
    }
    return 1;
}

/* The same for the products of a pair with a symbol. */
static void fill_pair(const filler *f, const cr__lr_pair *pair, size_t first, size_t rows,
                      uint64_t *at, int write)
{
    const cr__lr_shape *shape = f->design->shape;
    const size_t column[2] = {pair->a, pair->b};
    const cr__lr_sparse *to = &f->design->by_row;

    for (size_t r = 0; r < rows; r++) {
        cr__lr_cells cells;
        size_t n;

        for (int k = 0; k < 2; k++) {
            const cr__table_column *data = &f->input->rows->column[column[k]];
            const int real = shape->slot[column[k]].kind == CR_REAL;

            cr__lr_see_cell(&cells, k, &shape->slot[column[k]], f->frame + 2 * column[k],
                            real ? data->real[first + r] : 0, real ? 0 : data->code[first + r], 1);
        }
        n = cr__lr_product_count(shape, pair, &cells);
        for (size_t k = 0; write && k < n; k++) {
            double x;

            to->index[at[r] + k] =
                (uint32_t)(pair->first + cr__lr_product(shape, pair, &cells, k, &x));
            if (to->value != NULL)
                to->value[at[r] + k] = x;
        }
        at[r] += n;
    }
}

/* All rows, column by column of each block: columns are far apart in memory. at: the position of
 * each row of a block, which the first pass leaves at its number of entries. */
static int fill_blocks(filler *f, int write)
{
    const cr__lr_shape *shape = f->design->shape;
    cr__lr_sparse *to = &f->design->by_row;

    for (size_t first = 0; first < f->design->rows; first += CR__LR_BLOCK) {
        const size_t left = f->design->rows - first;
        const size_t rows = left < CR__LR_BLOCK ? left : CR__LR_BLOCK;
        uint64_t at[CR__LR_BLOCK] = {0};

        if (write)
            memcpy(at, to->start + first, rows * sizeof *at);
        for (size_t i = 0; i < shape->columns; i++)
            if (shape->slot[i].kind == CR_SYMBOL)
                (shape->slot[i].coding == CR__LR_EFFECT ? fill_coded : fill_indicators)(
                    f, i, first, rows, at, write);
            else if (shape->slot[i].kind == CR_BAG && !fill_texts(f, i, first, rows, at, write))
                return 0;
        for (size_t k = 0; k < shape->pairs; k++)
            if (shape->pair[k].first >= shape->dense)
                fill_pair(f, &shape->pair[k], first, rows, at, write);
        for (size_t r = 0; !write && r < rows; r++)
            to->start[first + r + 1] = to->start[first + r] + at[r];
    }
    return 1;
}

static cr_status fill_rows(filler *f, cr_error *err)
{
    cr__lr_design *d = f->design;
    cr__lr_sparse *s = &d->by_row;
    size_t entries = 0;
    int ones = 1, indicators = 1;

    for (size_t i = 0; i < d->shape->columns; i++)
        indicators &= d->shape->slot[i].kind != CR_BAG && d->shape->slot[i].coding != CR__LR_EFFECT;
    for (size_t k = 0; k < d->shape->pairs;
         k++) /* a number times an indicator is neither 0 nor 1 */
        indicators &=
            d->shape->slot[d->shape->pair[k].a].kind == d->shape->slot[d->shape->pair[k].b].kind;
    if ((s->start = cr__alloc_zero(d->rows + 1, sizeof *s->start)) == NULL || !fill_blocks(f, 0))
        return cr__fail_memory(err);
    entries = (size_t)s->start[d->rows];
    s->index = cr__alloc(entries, sizeof *s->index);
    s->value = indicators ? NULL : cr__alloc(entries, sizeof *s->value);
    if (s->index == NULL || (!indicators && s->value == NULL) || !fill_blocks(f, 1))
        return cr__fail_memory(err);
    for (size_t k = 0; !indicators && ones && k < entries; k++)
        ones = s->value[k] == 1;
    if (ones) {
        cr__free(s->value);
        s->value = NULL;
    }
    return CR_OK;
}

/* The same entries by features, each feature's rows in order. */
static cr_status transpose(cr__lr_design *d, cr_error *err)
{
    const cr__lr_sparse *from = &d->by_row;
    const size_t dense = d->shape->dense, features = d->shape->features - dense;
    const size_t entries = (size_t)from->start[d->rows];
    cr__lr_sparse *to = &d->by_feature;

    to->start = cr__alloc_zero(features + 2, sizeof *to->start);
    to->index = cr__alloc(entries, sizeof *to->index);
    to->value = from->value == NULL ? NULL : cr__alloc(entries, sizeof *to->value);
    if (to->start == NULL || to->index == NULL || (from->value != NULL && to->value == NULL))
        return cr__fail_memory(err);
    for (size_t k = 0; k < entries; k++)
        to->start[from->index[k] - dense + 2]++;
    for (size_t j = 0; j < features; j++)
        to->start[j + 2] += to->start[j + 1];
    for (size_t r = 0; r < d->rows; r++)
        for (uint64_t k = from->start[r]; k < from->start[r + 1]; k++) {
            const uint64_t at = to->start[from->index[k] - dense + 1]++;

            to->index[at] = (uint32_t)r;
            if (to->value != NULL)
                to->value[at] = from->value[k];
        }
    return CR_OK;
}

static cr_status prepare_text(filler *f, size_t i, cr_error *err)
{
    const cr__bag *bag = f->input->stats->column[i].bag;
    cr__lr_text_features *how = &f->how[i];
    unsigned char *chosen = cr__alloc(bag->words, 1);
    double *idf = NULL, *ratio = NULL, odds = 0;
    cr_status st = chosen == NULL ? cr__fail_memory(err) : CR_OK;

    how->chosen = chosen;
    how->weight = cr__text_weighting(f->input->knobs, &how->unit_length);
    how->apart = cr__lr_apart(f->input->knobs);
    how->end = bag->end;
    how->bytes = bag->bytes;
    if (st == CR_OK)
        st = cr__text_choose(bag, f->input->knobs, chosen, &odds, err);
    if (st == CR_OK && odds > 0)
        st = cr__fail(err, CR_EARG, "select=odds is for naive Bayes; here it is chi2:K or gain:K");
    if (st == CR_OK)
        st = cr__lr_idf(&idf, bag, how->weight, err);
    if (st == CR_OK)
        st = cr__lr_ratio(&ratio, f->design->shape, bag, f->input->knobs, err);
    how->idf = idf;
    how->ratio = ratio;
    return st;
}

static cr_status put_sparse(cr__lr_design *d, const cr__fit_input *input, const double *frame,
                            cr_error *err)
{
    const size_t columns = d->shape->columns;
    filler f = {.design = d, .input = input, .frame = frame};
    cr_status st = CR_OK;

    if (d->shape->features == d->shape->dense)
        return CR_OK;
    if ((f.how = cr__alloc_zero(columns, sizeof *f.how)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        if (d->shape->slot[i].kind == CR_BAG)
            st = prepare_text(&f, i, err);
    if (st == CR_OK)
        st = fill_rows(&f, err);
    for (size_t i = 0; i < columns; i++) {
        cr__free((void *)f.how[i].chosen);
        cr__free((void *)f.how[i].idf);
        cr__free((void *)f.how[i].ratio);
    }
    cr__free(f.how);
    cr__free(f.sorted);
    return st;
}

/* --- all together -------------------------------------------------------------------------- */

static void free_sparse(cr__lr_sparse *s)
{
    cr__free(s->start);
    cr__free(s->index);
    cr__free(s->value);
}

void cr__lr_design_free(cr__lr_design *design)
{
    if (design == NULL)
        return;
    cr__free(design->real);
    free_sparse(&design->by_row);
    free_sparse(&design->by_feature);
    cr__free(design->label);
    cr__free(design->weight);
    cr__free(design);
}

cr_status cr__lr_design_new(cr__lr_design **out, const cr__lr_shape *shape,
                            const cr__fit_input *input, const double *frame,
                            const double *class_weight, int by_feature, cr_error *err)
{
    cr__lr_design *d = cr__alloc_zero(1, sizeof *d);
    cr_status st;

    *out = NULL;
    if (d == NULL)
        return cr__fail_memory(err);
    d->shape = shape;
    d->rows = input->rows->rows;
    d->blocks = (d->rows + CR__LR_BLOCK - 1) / CR__LR_BLOCK;
    st = put_labels(d, input, class_weight, err);
    if (st == CR_OK)
        st = put_reals(d, input->rows, frame, err);
    if (st == CR_OK)
        st = put_sparse(d, input, frame, err);
    if (st == CR_OK && by_feature && d->by_row.start != NULL)
        st = transpose(d, err);
    if (st != CR_OK) {
        cr__lr_design_free(d);
        return st;
    }
    *out = d;
    return CR_OK;
}
