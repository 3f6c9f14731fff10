/* fuzz/fuzz_model.c - a hostile model file must be refused or used, never crash.
 *
 * The first byte chooses whether checksums are verified. Without that, damaged tables reach the
 * code that uses them: everything public is called on whatever loads.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"
#include "model/model.h"

/* What a damaged table of cells or of probabilities would be asked. */
static void ask(const cr_model *model)
{
    static const char *const queries[] = {"P(yes)", "P(gender | hours > 40.5)",
                                          "argmax(evade | refund=no, income<=80)"};
    double log_evidence;

    cr_model_evidence(model, &log_evidence, NULL);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        cr_answer *answer = NULL;

        cr_query_run(model, queries[i], &answer, NULL);
        cr_answer_free(answer);
    }
}

static void use(const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);
    const size_t classes = cr_model_classes(model);
    double *posterior = malloc((classes + 1) * sizeof *posterior);
    cr_model_facts facts;
    cr_row *row = NULL;
    int32_t decision;

    cr_model_get_facts(model, &facts);
    for (size_t c = 0; c < classes && c < 8; c++) {
        cr_model_class(model, c);
        cr_model_class_count(model, c);
        cr_model_prior(model, c);
    }
    for (size_t i = 0; i < cr_schema_columns(schema) && i < 16; i++) {
        cr_gaussian g;
        for (size_t v = 0; v < cr_model_values(model, i) && v < 8; v++)
            for (size_t c = 0; c < classes && c < 4; c++) {
                cr_model_value(model, i, v);
                cr_model_count(model, i, v, c);
                cr_model_probability(model, i, v, c);
            }
        if (classes > 0)
            cr_model_gaussian(model, i, 0, &g);
        if (classes < 8)
            cr_model_information(model, i);
    }
    if (posterior != NULL && cr_row_new(&row, model, NULL) == CR_OK) {
        for (size_t i = 0; i < cr_schema_columns(schema); i++) {
            cr_row_set_real(row, i, 1.5);
            cr_row_set_text(row, i, "yes");
        }
        cr_model_classify(model, row, posterior, &decision, NULL);
    }
    cr_row_free(row);
    free(posterior);
    ask(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cr_model *model = NULL;
    void *image;
    cr_error err;

    if (size < 1 || posix_memalign(&image, 64, size) != 0)
        return 0;
    memcpy(image, data + 1, size - 1);
    if (cr__model_borrow(&model, image, size - 1, data[0] & 1, &err) == CR_OK) {
        const char *knob = "alpha=0.5";
        use(model);
        if (cr_model_refit(model, &knob, 1, NULL) == CR_OK)
            use(model);
    }
    cr_model_free(model);
    free(image);
    return 0;
}
