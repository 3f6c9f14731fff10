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
static void compare(const cr__lesson *a, const cr__lesson *b)
{
    const cr__table *const table[2][2] = {{a->learn, b->learn}, {a->unlearn, b->unlearn}};

    if (a->known_only != b->known_only || a->on_error != b->on_error ||
        memcmp(&a->limits, &b->limits, sizeof a->limits) != 0 ||
        (a->spam == NULL) != (b->spam == NULL) ||
        (a->spam != NULL && strcmp(a->spam, b->spam) != 0))
        abort();
    for (int t = 0; t < 2; t++)
        if ((table[t][0] == NULL) != (table[t][1] == NULL) ||
            (table[t][0] != NULL && table[t][0]->rows != table[t][1]->rows))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cr_model *model;
    cr__lesson lesson, again;
    cr__buffer out = {0};

    if (model == NULL)
        model = train();
    if (cr__lesson_read(&lesson, data, size, model->schema) != CR_OK)
        return 0;
    if (cr__lesson_write(&(cr__taught){.learn = lesson.learn,
                                       .unlearn = lesson.unlearn,
                                       .known_only = lesson.known_only,
                                       .limits = lesson.on_error ? &lesson.limits : NULL,
                                       .spam = lesson.spam},
                         1 << 20, &out)) {
        if (cr__lesson_read(&again, out.data, out.size, model->schema) != CR_OK)
            abort();
        compare(&lesson, &again);
        cr__lesson_free(&again);
    }
    if (lesson.learn != NULL)
        learn(model, lesson.learn);
    if (lesson.unlearn != NULL)
        learn(model, lesson.unlearn);
    cr__lesson_free(&lesson);
    cr__buffer_free(&out);
    return 0;
}
