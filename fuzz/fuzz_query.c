/* fuzz/fuzz_query.c - any text is a query; the result is a probability or an error with a position.
 *
 * Four models are queried: a joint table as counted, one that is smoothed, naive Bayes with words,
 * numbers and a text, and a network. What must hold: no NaN, probabilities between 0 and 1 that sum
 * to 1, and for errors a message and a place inside the text.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"

enum { ROWS = 6, MODELS = 4 };

static cr_model *train(const char *learner, const char *setting, int text)
{
    static const char *const colour[ROWS] = {"red", "green", "red", "two words", NULL, "red"};
    static const char *const bit[ROWS] = {"0", "1", "1", "0", "1", "1"};
    static const char *const said[ROWS] = {"yes sir", "no", "well no", "yes", "no sir", "yes"};
    static const char *const class[ROWS] = {"yes", "no", "no", "yes", "no", "yes"};
    static const double hours[ROWS] = {38, 41, 52.5, 12, NAN, 40.5};
    const cr_array arrays[] = {
        {.name = "colour", .text = colour},
        {.name = "bit", .text = bit},
        {.name = "hours a week", .real = hours},
        {.name = "class", .text = class, .role = CR_ROLE_TARGET},
        {.name = "said", .text = said, .kind = CR_BAG},
    };
    const char *const params[] = {setting};
    cr_source *source = NULL;
    cr_model *model = NULL;

    if (cr_source_open_arrays(&source, arrays, text ? 5 : 4, ROWS, NULL) != CR_OK ||
        cr_model_train(&model, source, learner, params, 1, NULL, NULL, NULL) != CR_OK)
        abort();
    cr_source_close(source);
    return model;
}

static void require(int holds)
{
    if (!holds)
        abort();
}

/* Tables, beliefs and the like: every number in its range. */
static void check_variables(const cr_answer *a)
{
    for (size_t i = 0; i < a->variables; i++) {
        const cr_query_variable *v = &a->about[i];

        require(v->name != NULL && (v->state == SIZE_MAX || v->state < v->values));
        for (size_t k = 0; v->p != NULL && k < v->values; k++)
            require(v->p[k] >= 0 && v->p[k] <= 1 + 1e-12);
        require(a->kind != CR_QUERY_INFORMATION || v->information >= 0);
    }
    for (size_t k = 0; k < a->values; k++)
        require(isnan(a->p[k]) || (a->p[k] >= 0 && a->p[k] <= 1 + 1e-12));
}

/* As JSON and CSV. */
static void write_answer(const char *text, const cr_answer *a)
{
    cr_output *out = NULL;

    require(cr_output_new(&out, NULL, NULL, NULL) == CR_OK);
    require(cr_answer_json(text, a, out) == CR_OK);
    require(cr_answer_csv(text, a, out) == CR_OK);
    cr_output_free(out);
}

static void check_answer(const cr_answer *a)
{
    double sum = 0;

    if (a->kind >= CR_QUERY_TABLE) {
        check_variables(a);
        return;
    }
    require(a->probability >= 0 && a->probability <= 1 + 1e-12);
    require(!isnan(a->log_probability) && a->log_probability <= 1e-12);
    require(!isnan(a->log_condition));
    for (size_t v = 0; v < a->values; v++) {
        require(a->value[v] != NULL && a->p[v] >= 0 && a->p[v] <= a->probability + 1e-12);
        sum += a->p[v];
    }
    require(a->values == 0 || fabs(sum - 1) < 1e-9);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cr_model *model[MODELS];
    const char *const params[] = {"smoothing=laplace"};
    char *text = malloc(size + 1);

    if (text == NULL)
        return 0;
    if (model[0] == NULL) {
        model[0] = train("joint", "bins=hours a week:40.5", 0);
        model[1] = train("joint", "bins=hours a week:20:40.5", 0);
        model[2] = train("nb", "unseen=smooth", 1);
        model[3] = train("network", "bins=hours a week:40.5", 0);
        require(cr_model_refit(model[1], params, 1, NULL) == CR_OK);
    }
    memcpy(text, data, size);
    text[size] = '\0';
    for (int i = 0; i < MODELS; i++) {
        cr_answer *answer = NULL;
        cr_error err = {0};

        if (cr_query_run(model[i], text, &answer, &err) == CR_OK) {
            check_answer(answer);
            write_answer(text, answer);
        } else {
            require(answer == NULL && err.message[0] != '\0');
            require(err.column <= strlen(text) + 1);
        }
        cr_answer_free(answer);
    }
    free(text);
    return 0;
}
