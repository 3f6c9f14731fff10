/* eval/taken_back.c - a model's answers to rows it has learned, each without the row's fold.
 *
 * The rows of each fold are taken back from a copy of the model, which answers them. That is exact,
 * and costs little however many rows there are: nothing is learned twice. A learner that is fitted
 * on the rows themselves cannot take them back: models are trained again without a fold. A search
 * does not begin at the weights of the model, which know the rows of the fold.
 */
#include "eval/taken_back.h"

#include <string.h>

#include "credence/calibrate.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/folds.h"
#include "eval/study.h"

int cr__trains_again(const cr_model *model)
{
    const cr__needs needs = cr__learner_needs(model->learner, &model->knobs);

    return needs.rows == CR__ROWS_ALWAYS || needs.stream;
}

typedef struct answering {
    const cr__taken_back *t;
    cr_run run; /* of a model that is trained again */
} answering;

/* The scores of the rows of a fold by a model into their places. */
static cr_status score_fold(const answering *a, const cr_model *without, uint32_t f,
                            const uint32_t *list, size_t rows, cr_error *err)
{
    const size_t K = a->t->model->classes;
    double *score = cr__alloc(rows + 1, K * sizeof *score);
    size_t *place = NULL, at = 0;
    cr_status st =
        score == NULL ? cr__fail_memory(err) : cr__class_places(without, a->t->model, &place, err);

    if (st == CR_OK)
        st = cr__score_rows(without, a->t->table, list, rows, place, K, NULL, score, err);
    for (size_t i = 0; st == CR_OK && i < a->t->rows; i++)
        if (a->t->fold[i] == f)
            memcpy(a->t->score + i * K, score + at++ * K, K * sizeof *score);
    cr__free(score);
    cr__free(place);
    return st;
}

/* The rows of the fold, taken back from a copy. */
static cr_status take_back(const answering *a, const uint32_t *list, size_t rows, cr_model **out,
                           cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr_source *source = NULL;
    cr_status st = cr__source_open_table(&source, a->t->table, list, rows, err);

    if (st == CR_OK)
        st = cr_model_copy(out, a->t->model, err);
    if (st == CR_OK)
        cr_model_uncalibrate(*out);
    if (st == CR_OK)
        st = cr_model_unlearn(*out, source, &one, NULL, err);
    cr_source_close(source);
    return st;
}

/* A model of all rows but the listed ones; both lists rise. */
static cr_status train_again(const answering *a, const uint32_t *list, size_t rows, cr_model **out,
                             cr_error *err)
{
    const cr__taken_back *s = a->t;
    uint32_t *others = cr__alloc(s->labelled + 1, sizeof *others);
    cr_source *source = NULL;
    size_t n = 0, at = 0;
    cr_status st = others == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < s->labelled; i++)
        if (at < rows && s->all[i] == list[at])
            at++;
        else
            others[n++] = s->all[i];
    if (st == CR_OK)
        st = cr__source_open_table(&source, s->table, others, n, err);
    if (st == CR_OK)
        st = cr__model_train_again(out, a->t->model, source, &a->run, err);
    cr_source_close(source);
    cr__free(others);
    return st;
}

static cr_status answer_fold(void *context, size_t f, cr_error *err)
{
    const answering *a = context;
    uint32_t *list = cr__alloc(a->t->rows + 1, sizeof *list);
    cr_model *without = NULL;
    size_t rows = 0;
    cr_status st = list == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK)
        rows = cr__folds_list(a->t->fold, a->t->row, a->t->rows, (uint32_t)f, 1, list);
    if (st != CR_OK || rows == 0) { /* fewer rows than folds */
        cr__free(list);
        return st;
    }
    st = (a->t->again || cr__trains_again(a->t->model) ? train_again : take_back)(a, list, rows,
                                                                                  &without, err);
    if (st == CR_OK)
        st = score_fold(a, without, (uint32_t)f, list, rows, err);
    cr_model_free(without);
    cr__free(list);
    return st;
}

/* Folds side by side, or a single one with all threads. */
cr_status cr__taken_back_answer(const cr__taken_back *t, const cr_run *run, cr_error *err)
{
    answering a = {.t = t, .run = {.threads = 1, .memory = run->memory, .seed = run->seed}};

    if (t->folds == 1) {
        a.run = *run;
        return answer_fold(&a, 0, err);
    }
    return cr__parallel_for(run, t->folds, answer_fold, &a, err);
}
