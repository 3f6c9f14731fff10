/* decide/density.c - the density of a number given the class, as the model uses it.
 *
 * A row that has only x scores ln P(class) + ln p(x | class), and an empty row ln P(class): the
 * difference is the log density, whatever form the learner's densities have.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/decision.h"
#include "model/scorer.h"

int cr_model_is_generative(const cr_model *model)
{
    const cr__explains *explains = model->learner->explains;
    cr_knob knob;

    if (model->learner->regresses != NULL || explains == NULL)
        return 0;
    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++)
        if (strcmp(knob.name, "event") == 0 && strcmp(knob.value, "complement") == 0)
            return 0;
    return explains->form == CR_FORM_PRODUCT || explains->form == CR_FORM_QUADRATIC ||
           explains->form == CR_FORM_MEAN;
}

/* A batch of one row in which every feature is missing. */
typedef struct blank {
    cr__batch batch;
    cr__scorer scorer;
    double *real;
    uint32_t *code, *start;
    double *score, *base; /* [classes] */
} blank;

static void free_blank(blank *b)
{
    cr__free(b->batch.column);
    cr__free(b->real);
    cr__free(b->code);
    cr__free(b->start);
    cr__free(b->score);
    cr__free(b->base);
    cr__scorer_close(&b->scorer);
}

static void clear(blank *b)
{
    for (size_t i = 0; i < b->batch.columns; i++) {
        b->real[i] = NAN;
        b->code[i] = CR__MISSING;
    }
}

static cr_status make_blank(blank *b, const cr_model *model, cr_error *err)
{
    const cr_schema *schema = model->schema;

    b->batch = (cr__batch){.rows = 1, .capacity = 1, .columns = schema->columns};
    b->batch.column = cr__alloc_zero(schema->columns, sizeof *b->batch.column);
    b->real = cr__alloc(schema->columns, sizeof *b->real);
    b->code = cr__alloc(schema->columns, sizeof *b->code);
    b->start = cr__alloc_zero(schema->columns, 2 * sizeof *b->start);
    b->score = cr__alloc(model->classes, sizeof *b->score);
    b->base = cr__alloc(model->classes, sizeof *b->base);
    if (b->batch.column == NULL || b->real == NULL || b->code == NULL || b->start == NULL ||
        b->score == NULL || b->base == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++)
        b->batch.column[i] = (cr__batch_column){.kind = schema->column[i].kind,
                                                .real = &b->real[i],
                                                .code = &b->code[i],
                                                .start = &b->start[2 * i]};
    clear(b);
    return cr__scorer_open(&b->scorer, model, err);
}

cr_status cr_model_density(const cr_model *model, size_t column, const double *x, size_t count,
                           double *density, cr_error *err)
{
    const size_t classes = model->classes;
    blank b = {0};
    cr_status st;

    if (column >= model->schema->columns || model->schema->column[column].kind != CR_REAL ||
        model->schema->column[column].role != CR_ROLE_FEATURE || model->values[column] > 0)
        return cr__fail(err, CR_EARG, "there is no feature of numbers with a density here");
    if (!cr_model_is_generative(model) || classes == 0)
        return cr__fail(err, CR_EARG, "a model of '%s' has no densities", cr_model_learner(model));
    if ((st = make_blank(&b, model, err)) == CR_OK)
        st = cr__scorer_score(&b.scorer, &b.batch, b.base, err);
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        clear(&b);
        b.real[column] = x[i];
        st = cr__scorer_score(&b.scorer, &b.batch, b.score, err);
        for (size_t c = 0; st == CR_OK && c < classes; c++)
            density[c * count + i] = b.base[c] == -INFINITY ? NAN : exp(b.score[c] - b.base[c]);
    }
    free_blank(&b);
    return st;
}
