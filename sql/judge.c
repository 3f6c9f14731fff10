/* sql/judge.c - answers and true values, collected until the last row. */
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct judge {
    cr_model *model;
    cr_evaluation *evaluation; /* of classes, */
    double *posterior;
    cr_regression *answer; /* [answers] or of numbers */
    size_t answers, room;
    uint64_t unlabelled;
};

int judge_is_regression(const cr_model *model)
{
    const size_t target = cr_model_target(model);

    return target != SIZE_MAX && cr_schema_kind(cr_model_schema(model), target) == CR_REAL;
}

void judge_free(judge *j)
{
    if (j == NULL)
        return;
    cr_evaluation_free(j->evaluation);
    cr_model_free(j->model);
    free(j->posterior);
    free(j->answer);
    free(j);
}

static cr_status fail(cr_error *err, cr_status status, const char *message)
{
    *err = (cr_error){.code = status};
    strncpy(err->message, message, sizeof err->message - 1);
    return status;
}

static cr_status no_memory(cr_error *err)
{
    return fail(err, CR_ENOMEM, cr_status_text(CR_ENOMEM));
}

cr_status judge_new(judge **out, const cr_model *model, cr_error *err)
{
    judge *j = *out = calloc(1, sizeof *j);
    cr_status status = j == NULL ? no_memory(err) : cr_model_copy(&j->model, model, err);

    if (status == CR_OK && !judge_is_regression(model)) {
        const size_t classes = cr_model_classes(model);

        j->posterior = calloc(classes + 1, sizeof *j->posterior);
        status =
            j->posterior == NULL ? no_memory(err) : cr_evaluation_new(&j->evaluation, classes, err);
    }
    if (status != CR_OK) {
        judge_free(j);
        *out = NULL;
    }
    return status;
}

static cr_status add_class(judge *j, cr_row *row, const char *truth, size_t size, cr_error *err)
{
    int32_t class_index = -2; /* a class that the model does not know */
    cr_decision decision;
    const cr_status status = cr_row_classify(row, NULL, j->posterior, &decision);

    if (status != CR_OK)
        return fail(err, status, cr_status_text(status));
    for (size_t c = 0; c < cr_model_classes(j->model); c++)
        if (strlen(cr_model_class(j->model, c)) == size &&
            memcmp(cr_model_class(j->model, c), truth, size) == 0)
            class_index = (int32_t)c;
    cr_evaluation_add(j->evaluation, j->posterior, decision.decision, class_index, 1);
    return CR_OK;
}

static cr_status add_number(judge *j, cr_row *row, const char *truth, size_t size, cr_error *err)
{
    char text[64] = "", *end;
    cr_regression answer;
    const cr_status status = cr_row_regress(row, &answer);

    if (status != CR_OK)
        return fail(err, status, cr_status_text(status));
    memcpy(text, truth, size < sizeof text ? size : 0);
    answer.truth = strtod(text, &end);
    if (end == text || *end != '\0')
        return fail(err, CR_EARG, "the truth of a row is not a number");
    if (j->answers == j->room) {
        const size_t room = 2 * j->room + 256;
        cr_regression *more = realloc(j->answer, room * sizeof *more);

        if (more == NULL)
            return no_memory(err);
        j->answer = more;
        j->room = room;
    }
    j->answer[j->answers++] = answer;
    return CR_OK;
}

cr_status judge_add(judge *j, cr_row *row, const char *truth, size_t size, cr_error *err)
{
    if (truth == NULL) {
        j->unlabelled++;
        return CR_OK;
    }
    return j->evaluation != NULL ? add_class(j, row, truth, size, err)
                                 : add_number(j, row, truth, size, err);
}

cr_status judge_report(const judge *j, cr_output *out, cr_error *err)
{
    cr_regression_metrics metrics;
    cr_status status;

    if (j->evaluation != NULL)
        return cr_test_json(j->model, j->evaluation, j->unlabelled, NAN, out);
    status = cr_regression_measure(j->answer, NULL, j->answers, 0.95, &metrics, err);
    return status == CR_OK ? cr_regression_json(&metrics, j->unlabelled, NAN, out) : status;
}
