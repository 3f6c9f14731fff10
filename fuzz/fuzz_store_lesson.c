/* fuzz_store_lesson.c - rows of a lesson that another process posted: read, written, read again,
 * and learned. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"
#include "data/table.h"
#include "source/source.h"
#include "store/teach.h"

static const char csv[] = "text,size,colour,n,class\n"
                          "a dog barks,1.5,red,2,ham\nthe cat the cat,1e30,blue,3,spam\n";

static cr_model *train(void)
{
    static const char *const types[] = {"text=text", "size=real"};
    const cr_source_options options = {
        .format = "csv", .target = "class", .types = types, .type_count = 2, .weight = "n"};
    cr_source *source;
    cr_model *model;

    if (cr_source_open_memory(&source, csv, sizeof csv - 1, NULL, &options, NULL) != CR_OK ||
        cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL) != CR_OK)
        abort();
    cr_source_close(source);
    return model;
}

static void learn(const cr_model *model, const cr__table *table)
{
    const cr_run one = {.threads = 1};
    cr_source *source = NULL;
    cr_model *copy = NULL;

    if (cr_model_copy(&copy, model, NULL) == CR_OK &&
        cr__source_open_table(&source, table, NULL, 0, NULL) == CR_OK)
        cr_model_learn(copy, source, &one, NULL, NULL);
    cr_source_close(source);
    cr_model_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cr_model *model;
    cr__table *table[2], *again[2];
    cr__buffer out = {0};
    int known_only, same;

    if (model == NULL)
        model = train();
    if (cr__lesson_read(data, size, model->schema, &table[0], &table[1], &known_only) != CR_OK)
        return 0;
    if (cr__lesson_write(
            &(cr__taught){.learn = table[0], .unlearn = table[1], .known_only = known_only},
            1 << 20, &out)) {
        if (cr__lesson_read(out.data, out.size, model->schema, &again[0], &again[1], &same) !=
                CR_OK ||
            same != known_only)
            abort();
        for (int t = 0; t < 2; t++) {
            if ((again[t] == NULL) != (table[t] == NULL) ||
                (again[t] != NULL && again[t]->rows != table[t]->rows))
                abort();
            cr__table_free(again[t]);
        }
    }
    for (int t = 0; t < 2; t++) {
        if (table[t] != NULL)
            learn(model, table[t]);
        cr__table_free(table[t]);
    }
    cr__buffer_free(&out);
    return 0;
}
