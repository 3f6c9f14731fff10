/* learners/logistic/refit.c - copies of fitted weights, and knobs that can change without rows.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/logistic/fit.h"

static const void *copy_array(const void *from, size_t count, size_t size, void **own, int *failed)
{
    if (from == NULL)
        return NULL;
    if ((*own = cr__alloc(count, size)) == NULL) {
        *failed = 1;
        return NULL;
    }
    return memcpy(*own, from, count * size);
}

/* The words of a text belong to the statistics, or to the file, and are borrowed again. */
static int copy_text(cr__lr_column *to, const cr__lr_text *from, size_t sets)
{
    cr__lr_text *text = to->text = cr__alloc_zero(1, sizeof *text);
    const cr__words *words = &from->form.words;
    int failed = 0;

    if (text == NULL)
        return 0;
    text->form = from->form;
    text->once = to->weight;
    text->weight = to->weight + sets;
    text->form.words.index = copy_array(words->index, ((size_t)1 << words->index_bits) + 1,
                                        sizeof *words->index, (void **)&text->own_index, &failed);
    text->form.idf = copy_array(from->form.idf, words->words, sizeof *from->form.idf,
                                (void **)&text->own_idf, &failed);
    text->ratio = copy_array(from->ratio, words->words, sizeof *from->ratio,
                             (void **)&text->own_ratio, &failed);
    text->apart = from->apart;
    return !failed;
}

static int copy_column(cr__lr *lr, const cr__lr *from, size_t i)
{
    const cr__lr_column *column = &from->column[i];
    const size_t rows = column->kind == CR_REAL     ? 2
                        : column->kind == CR_SYMBOL ? column->values + 2
                                                    : column->values + 1;
    int failed = 0;

    if (column->kind == CR_IGNORE)
        return 1;
    lr->column[i].weight = copy_array(column->weight, rows * lr->shape.sets, sizeof *column->weight,
                                      (void **)&lr->column[i].own, &failed);
    if (!failed && column->kind == CR_BAG)
        failed = !copy_text(&lr->column[i], column->text, lr->shape.sets);
    return !failed;
}

static cr_status copy_fit(cr__lr **out, const cr__lr *from, cr_error *err)
{
    cr__lr_shape shape = from->shape;
    const size_t all = cr__lr_parameters(&shape), columns = shape.columns;
    cr__lr *lr;
    int failed = 0;
    cr_status st;

    *out = NULL;
    shape.slot = cr__alloc(columns, sizeof *shape.slot);
    shape.pair = cr__alloc(shape.pairs + 1, sizeof *shape.pair);
    if (shape.slot == NULL || shape.pair == NULL) {
        cr__lr_shape_free(&shape);
        return cr__fail_memory(err);
    }
    memcpy(shape.slot, from->shape.slot, columns * sizeof *shape.slot);
    if (shape.pairs > 0)
        memcpy(shape.pair, from->shape.pair, shape.pairs * sizeof *shape.pair);
    if ((st = cr__lr_new(&lr, &shape, err)) != CR_OK)
        return st;
    lr->outcome = from->outcome;
    lr->steps = from->steps;
    lr->moderate = from->moderate;
    lr->intercept =
        copy_array(from->intercept, lr->shape.sets, sizeof(double), &lr->own[0], &failed);
    lr->share = copy_array(from->share, lr->shape.classes, sizeof(double), &lr->own[1], &failed);
    lr->frame = copy_array(from->frame, 2 * columns, sizeof(double), &lr->own[2], &failed);
    lr->covariance =
        copy_array(from->covariance, from->outcome.posterior == CR__LR_FULL ? all * all : all,
                   sizeof(double), &lr->own[3], &failed);
    lr->product = copy_array(from->product, lr->shape.products * lr->shape.sets, sizeof(double),
                             &lr->own[CR__LR_OWN_PRODUCT], &failed);
    lr->trace = copy_array(from->trace, from->steps, sizeof(double), &lr->own[4], &failed);
    for (size_t i = 0; !failed && i < columns; i++)
        failed = !copy_column(lr, from, i);
    if (failed) {
        cr__lr_free(lr);
        return cr__fail_memory(err);
    }
    *out = lr;
    return CR_OK;
}

/* Everything except moderation depends on the rows. */
static cr_status check_refit(const cr__fit_input *input, cr_error *err)
{
    const cr__knobs *knobs = input->knobs, *old = input->before_knobs;

    for (size_t i = 0; old != NULL && i < knobs->count; i++)
        if (strcmp(knobs->spec[i].name, "moderate") != 0 &&
            strcmp(knobs->value[i], old->value[i]) != 0) {
            cr__fail(err, CR_EARG, "%s is fixed at training: it takes the rows",
                     knobs->spec[i].name);
            return cr__fail_hint(err, CR_EARG, "train again with this knob");
        }
    return CR_OK;
}

cr_status cr__lr_refit(cr__lr **out, const cr__lr *from, const cr__fit_input *input, cr_error *err)
{
    const int moderate = cr__knobs_is(input->knobs, "moderate", "yes");
    cr_status st = check_refit(input, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if (moderate && from->covariance == NULL)
        return cr__fail(err, CR_ECONFLICT, "the model has no posterior of its weights to average");
    if ((st = copy_fit(out, from, err)) == CR_OK)
        (*out)->moderate = moderate;
    return st;
}
