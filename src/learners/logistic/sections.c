/* learners/logistic/sections.c - fitted weights in the model file.
 *
 *   LRHD      u64 sets, first class, steps of the trace, 1 for moderated plus 2 for products
 *             (refused by versions that know none); the outcome: f64
 *             iterations, gradient, log likelihood, objective, lambda, rows; u32 solver, prior,
 *             converged, separated, origin, posterior
 *   LRCO      u32 coding of each column
 *   LRPR      f64 share of each class           LRIN    f64 intercept[sets]
 *   LRFR      f64 centre and spread of each column
 *   LRWT i    column i: real f64 weight, missing, [sets] each; symbol [(values + 2) * sets]; text
 *             once and then the words, [(words + 1) * sets]
 *   LRPX      f64 weights of the products, [products * sets], when there are any
 *   LRCV      f64 covariance of the weights inside: [P * P] or [P], when there is
 *   LRTR      f64 log likelihood at each step, when kept
 *   LTHD i    text: u64 words; u32 index bits, weight, unit length, 0
 *   LTIX i    u32 index[2^bits + 1]             LTID i  f64 idf[words], when there is
 *
 * Words and hashes are those of the statistics: BAGH, BAGE, BAGB.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stats/bag_sections.h"
#include "learners/logistic/objective.h"

#define TAG_HEAD CR__TAG('L', 'R', 'H', 'D')
#define TAG_CODING CR__TAG('L', 'R', 'C', 'O')
#define TAG_PRIOR CR__TAG('L', 'R', 'P', 'R')
#define TAG_INTERCEPT CR__TAG('L', 'R', 'I', 'N')
#define TAG_FRAME CR__TAG('L', 'R', 'F', 'R')
#define TAG_WEIGHTS CR__TAG('L', 'R', 'W', 'T')
#define TAG_PRODUCTS CR__TAG('L', 'R', 'P', 'X')
#define TAG_COVARIANCE CR__TAG('L', 'R', 'C', 'V')
#define TAG_TRACE CR__TAG('L', 'R', 'T', 'R')
#define TAG_TEXT CR__TAG('L', 'T', 'H', 'D')
#define TAG_INDEX CR__TAG('L', 'T', 'I', 'X')
#define TAG_IDF CR__TAG('L', 'T', 'I', 'D')
#define TAG_RATIO CR__TAG('L', 'T', 'R', 'A')

typedef struct head {
    uint64_t sets, first_class, steps, form; /* form: MODERATED, PRODUCTS */
    cr__lr_outcome outcome;
} head;

typedef struct text_head {
    uint64_t words;
    uint32_t index_bits, weight, unit_length, more; /* more: BY_RATIO, APART */
} text_head;

enum { BY_RATIO = 1, APART = 2 };
enum { MODERATED = 1, PRODUCTS = 2 };

/* --- writing ------------------------------------------------------------------------------- */

static size_t weight_rows(const cr__lr_column *column)
{
    return column->kind == CR_REAL     ? 2
           : column->kind == CR_SYMBOL ? column->values + 2
                                       : column->values + 1;
}

static void put(cr__draft *draft, uint32_t tag, size_t index, const void *bytes, size_t count,
                size_t size)
{
    cr__draft_section_begin(draft, tag, (uint32_t)index);
    cr__draft_borrow(draft, bytes, count * size);
}

static void save_text(const cr__lr_text *text, cr__draft *draft, size_t column)
{
    const cr__nb_text *form = &text->form;
    const text_head h = {form->words.words, form->words.index_bits, form->weight, form->unit_length,
                         (text->ratio != NULL ? BY_RATIO : 0) | (text->apart ? APART : 0)};

    cr__draft_section_begin(draft, TAG_TEXT, (uint32_t)column);
    cr__draft_copy(draft, &h, sizeof h);
    put(draft, TAG_INDEX, column, form->words.index, ((size_t)1 << form->words.index_bits) + 1,
        sizeof *form->words.index);
    if (form->idf != NULL)
        put(draft, TAG_IDF, column, form->idf, form->words.words, sizeof *form->idf);
    if (text->ratio != NULL)
        put(draft, TAG_RATIO, column, text->ratio, form->words.words, sizeof *text->ratio);
}

static size_t covariance_size(const cr__lr_shape *shape, uint32_t posterior)
{
    const size_t all = cr__lr_parameters(shape);

    return posterior == CR__LR_FULL ? all * all : posterior == CR__LR_DIAGONAL ? all : 0;
}

void cr__lr_save(const void *fitted, cr__draft *draft)
{
    const cr__lr *lr = fitted;
    const head h = {lr->shape.sets, lr->shape.first_class, lr->steps,
                    (uint64_t)(lr->moderate ? MODERATED : 0) |
                        (uint64_t)(lr->shape.interactions ? PRODUCTS : 0),
                    lr->outcome};

    cr__draft_section_begin(draft, TAG_HEAD, 0);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_section_begin(draft, TAG_CODING, 0);
    for (size_t i = 0; i < lr->shape.columns; i++) {
        const uint32_t coding = lr->shape.slot[i].coding;

        cr__draft_copy(draft, &coding, sizeof coding);
    }
    put(draft, TAG_PRIOR, 0, lr->share, lr->shape.classes, sizeof *lr->share);
    put(draft, TAG_INTERCEPT, 0, lr->intercept, lr->shape.sets, sizeof *lr->intercept);
    put(draft, TAG_FRAME, 0, lr->frame, 2 * lr->shape.columns, sizeof *lr->frame);
    if (lr->shape.products > 0)
        put(draft, TAG_PRODUCTS, 0, lr->product, lr->shape.products * lr->shape.sets,
            sizeof *lr->product);
    if (lr->covariance != NULL)
        put(draft, TAG_COVARIANCE, 0, lr->covariance,
            covariance_size(&lr->shape, lr->outcome.posterior), sizeof *lr->covariance);
    if (lr->steps > 0)
        put(draft, TAG_TRACE, 0, lr->trace, lr->steps, sizeof *lr->trace);
    for (size_t i = 0; i < lr->shape.columns; i++) {
        const cr__lr_column *column = &lr->column[i];

        if (column->kind == CR_BAG)
            save_text(column->text, draft, i);
        if (column->kind != CR_IGNORE)
            put(draft, TAG_WEIGHTS, i, column->weight, weight_rows(column) * lr->shape.sets,
                sizeof *column->weight);
    }
}

/* --- reading ------------------------------------------------------------------------------- */

/* A section of exactly count finite numbers. */
static cr_status numbers(const cr__container *container, uint32_t tag, size_t index, size_t count,
                         const double **out, cr_error *err)
{
    const void *bytes;
    cr_status st;

    if (count > SIZE_MAX / sizeof(double))
        return cr__container_damaged(container, err, "a section has an impossible size");
    st = cr__container_need(container, tag, (uint32_t)index, count * sizeof(double), 1, &bytes,
                            NULL, err);
    if (st != CR_OK)
        return st;
    *out = bytes;
    for (size_t i = 0; i < count; i++)
        if (!isfinite((*out)[i]))
            return cr__container_damaged(container, err, "a weight is not a number");
    return CR_OK;
}

static cr_status open_text(cr__lr *lr, const cr__container *container, size_t i, cr_error *err)
{
    cr__lr_text *text = lr->column[i].text = cr__alloc_zero(1, sizeof *text);
    const void *bytes;
    text_head h;
    cr__bag bag;
    cr_status st;

    if (text == NULL)
        return cr__fail_memory(err);
    if ((st = cr__container_need(container, TAG_TEXT, (uint32_t)i, sizeof h, 1, &bytes, NULL,
                                 err)) != CR_OK ||
        (st = cr__bag_view(&bag, container, (uint32_t)i, lr->shape.classes, err)) != CR_OK)
        return st;
    memcpy(&h, bytes, sizeof h);
    if (h.words != bag.words || h.words > UINT32_MAX || h.index_bits < 1 || h.index_bits > 30 ||
        h.weight > CR__WEIGHT_SUBLINEAR)
        return cr__container_damaged(container, err, "a text has an impossible size");
    lr->shape.slot[i].values = lr->column[i].values = bag.words;
    text->form.weight = h.weight;
    text->form.unit_length = h.unit_length;
    text->form.words = (cr__words){.words = bag.words,
                                   .hash = bag.hash,
                                   .end = bag.end,
                                   .bytes = bag.bytes,
                                   .index_bits = h.index_bits};
    st = cr__container_need(container, TAG_INDEX, (uint32_t)i,
                            (((size_t)1 << h.index_bits) + 1) * sizeof(uint32_t), 1, &bytes, NULL,
                            err);
    text->form.words.index = bytes;
    if (st == CR_OK && (h.weight == CR__WEIGHT_TFIDF || h.weight == CR__WEIGHT_SUBLINEAR))
        st = numbers(container, TAG_IDF, i, bag.words, &text->form.idf, err);
    text->apart = (h.more & APART) != 0;
    if (st == CR_OK && (h.more & BY_RATIO) != 0)
        st = numbers(container, TAG_RATIO, i, bag.words, &text->ratio, err);
    return st;
}

static cr_status open_head(cr__lr *lr, const cr__container *container, cr_error *err)
{
    const void *bytes;
    head h;
    cr_status st = cr__container_need(container, TAG_HEAD, 0, sizeof h, 1, &bytes, NULL, err);

    if (st != CR_OK)
        return st;
    memcpy(&h, bytes, sizeof h);
    if (h.first_class > 1 || h.sets + h.first_class != lr->shape.classes ||
        h.steps > SIZE_MAX / 16 || h.form > (MODERATED | PRODUCTS) ||
        h.outcome.solver > CR__LR_SGD || h.outcome.prior > CR__LR_FLAT ||
        h.outcome.posterior > CR__LR_FULL)
        return cr__container_damaged(container, err, "the weights have an impossible form");
    lr->shape.sets = (size_t)h.sets;
    lr->shape.first_class = (size_t)h.first_class;
    lr->steps = (size_t)h.steps;
    lr->moderate = (h.form & MODERATED) != 0;
    lr->shape.interactions = (h.form & PRODUCTS) != 0;
    lr->outcome = h.outcome;
    return CR_OK;
}

static cr_status open_codings(cr__lr *lr, const cr__container *container, const cr_schema *schema,
                              const size_t *values, cr_error *err)
{
    const void *bytes;
    cr_status st = cr__container_need(container, TAG_CODING, 0,
                                      lr->shape.columns * sizeof(uint32_t), 1, &bytes, NULL, err);

    for (size_t i = 0; st == CR_OK && i < lr->shape.columns; i++) {
        cr__lr_slot *slot = &lr->shape.slot[i];
        const uint32_t coding = ((const uint32_t *)bytes)[i];

        if (!cr__stats_is_feature(schema, i))
            continue;
        if (coding > CR__LR_EFFECT)
            return cr__container_damaged(container, err, "a column has an unknown coding");
        slot->coding = (cr__lr_coding)coding;
        slot->kind = lr->column[i].kind = schema->column[i].kind;
        if (slot->kind == CR_SYMBOL)
            slot->values = lr->column[i].values = values[i];
        else if (slot->kind == CR_BAG)
            st = open_text(lr, container, i, err);
    }
    if (st == CR_OK && cr__lr_shape_number(&lr->shape, err) != CR_OK)
        st = cr__container_damaged(container, err, "there are too many weights");
    return st;
}

static cr_status open_weights(cr__lr *lr, const cr__container *container, cr_error *err)
{
    const size_t sets = lr->shape.sets;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < lr->shape.columns; i++) {
        cr__lr_column *column = &lr->column[i];

        if (column->kind == CR_IGNORE)
            continue;
        if (sets != 0 && weight_rows(column) > SIZE_MAX / sizeof(double) / sets)
            return cr__container_damaged(container, err,
                                         "a column has an impossible number of values");
        st = numbers(container, TAG_WEIGHTS, i, weight_rows(column) * sets, &column->weight, err);
        if (st == CR_OK && column->kind == CR_BAG) {
            column->text->once = column->weight;
            column->text->weight = column->weight + sets;
        }
    }
    return st;
}

static cr_status open_posterior(cr__lr *lr, const cr__container *container, cr_error *err)
{
    const uint32_t posterior = lr->outcome.posterior;

    if (posterior == CR__LR_NO_POSTERIOR) {
        lr->moderate = 0;
        return CR_OK;
    }
    if (posterior == CR__LR_FULL && cr__lr_parameters(&lr->shape) > CR__LR_MOST_FULL)
        return cr__container_damaged(container, err, "the covariance has an impossible size");
    return numbers(container, TAG_COVARIANCE, 0, covariance_size(&lr->shape, posterior),
                   &lr->covariance, err);
}

cr_status cr__lr_open(void **fitted, const cr__container *container, const cr_schema *schema,
                      const size_t *values, size_t classes, cr_error *err)
{
    cr__lr_shape shape = {.columns = schema->columns, .classes = classes};
    cr__lr *lr = NULL;
    cr_status st;

    *fitted = NULL;
    if ((shape.slot = cr__alloc_zero(schema->columns, sizeof *shape.slot)) == NULL)
        return cr__fail_memory(err);
    if ((st = cr__lr_new(&lr, &shape, err)) != CR_OK)
        return st;
    st = open_head(lr, container, err);
    if (st == CR_OK)
        st = open_codings(lr, container, schema, values, err);
    if (st == CR_OK)
        st = numbers(container, TAG_PRIOR, 0, classes, &lr->share, err);
    if (st == CR_OK)
        st = numbers(container, TAG_INTERCEPT, 0, lr->shape.sets, &lr->intercept, err);
    if (st == CR_OK)
        st = numbers(container, TAG_FRAME, 0, 2 * schema->columns, &lr->frame, err);
    if (st == CR_OK)
        st = open_weights(lr, container, err);
    if (st == CR_OK && lr->shape.products > 0)
        st = numbers(container, TAG_PRODUCTS, 0, lr->shape.products * lr->shape.sets, &lr->product,
                     err);
    if (st == CR_OK)
        st = open_posterior(lr, container, err);
    if (st == CR_OK && lr->steps > 0)
        st = numbers(container, TAG_TRACE, 0, lr->steps, &lr->trace, err);
    if (st != CR_OK) {
        cr__lr_free(lr);
        return st;
    }
    *fitted = lr;
    return CR_OK;
}
