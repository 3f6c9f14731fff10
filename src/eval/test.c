/* eval/test.c - test a model on labelled data. */
#include "base/fail.h"
#include "base/sized.h"
#include "credence/eval.h"
#include "decide/predict.h"
#include "model/model.h"

typedef struct tester {
    cr_evaluation *evaluation;
    uint64_t unlabelled;
} tester;

static cr_status visit(void *context, const cr_predictions *p)
{
    tester *t = context;

    for (size_t r = 0; r < p->rows; r++) {
        if (p->truth[r] == -1)
            t->unlabelled++;
        else
            cr_evaluation_add_logs(t->evaluation, p->posterior + r * p->classes,
                                   p->log_posterior + r * p->classes, p->decision[r], p->truth[r],
                                   p->weight == NULL ? 1 : p->weight[r]);
    }
    return CR_OK;
}

cr_status cr_model_test(const cr_model *model, cr_source *source, const cr_predict_options *options,
                        const cr_run *run, cr_evaluation **out, cr_tally *tally, cr_error *err)
{
    cr_predict_options labelled;
    tester t = {0};
    cr_sink sink = {.visit = visit, .context = &t};
    cr_tally own;
    cr_status st = cr__sized_take(&labelled, sizeof labelled, options, "cr_predict_options", err);

    *out = NULL;
    tally = tally == NULL ? &own : tally;
    if (st == CR_OK && model->schema->target == SIZE_MAX)
        st = cr__predict_check(model, &labelled, err);
    if (st == CR_OK && !cr_model_has_classes(model))
        st = cr__fail(err, CR_EARG, "this model has no classes to test");
    if (st != CR_OK)
        return st;
    labelled.need_target = labelled.log_posterior = 1;
    if ((st = cr_evaluation_new(&t.evaluation, cr_model_classes(model), err)) != CR_OK)
        return st;
    st = cr_evaluation_use_rule(t.evaluation, labelled.rule, err);
    if (st == CR_OK)
        st = cr_model_predict(model, source, &labelled, &sink, run, tally, err);
    if (st == CR_OK) {
        tally->unlabelled = t.unlabelled;
        tally->rows -= t.unlabelled;
        if (tally->rows == 0)
            st = cr__fail(err, CR_EFORMAT, "no row has a class to test against");
    }
    if (st != CR_OK) {
        cr_evaluation_free(t.evaluation);
        return st;
    }
    *out = t.evaluation;
    return CR_OK;
}
