/* tests/source/training.h - for tests: what is learned must not depend on threads or chunks. */
#ifndef TESTS_SOURCE_TRAINING_H
#define TESTS_SOURCE_TRAINING_H

#include "source/paths.h"

#include "credence/model.h"

static inline void train_file(const char *const *paths, size_t count,
                              const cr_source_options *options, int threads, size_t chunk_size,
                              const char *out)
{
    const size_t usual = cr__source_chunk_size;
    const cr_run run = {.threads = threads};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err = {0};

    cr__source_chunk_size = chunk_size > 0 ? chunk_size : usual;
    if (cr_source_open(&source, paths, count, options, &err) != CR_OK ||
        cr_model_train(&model, source, NULL, NULL, 0, &run, NULL, &err) != CR_OK ||
        cr_model_save(model, out, &err) != CR_OK)
        fail_msg("%s: %s", err.file, err.message);
    cr__source_chunk_size = usual;
    cr_model_free(model);
    cr_source_close(source);
}

static inline cr__buffer read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    cr__buffer bytes = {0};
    char part[4096];
    size_t got;

    assert_non_null(file);
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        cr__buffer_add(&bytes, part, got);
    fclose(file);
    return bytes;
}

static inline void expect_same_bytes(const char *a, const char *b)
{
    cr__buffer first = read_whole(a), second = read_whole(b);

    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    cr__buffer_free(&first);
    cr__buffer_free(&second);
}

/* The same model file from one thread and from three, from large chunks and from small ones. */
static inline void expect_same_model(const char *const *paths, size_t count,
                                     const cr_source_options *options)
{
    train_file(paths, count, options, 1, 0, "one.model");
    train_file(paths, count, options, 3, 0, "three.model");
    train_file(paths, count, options, 3, 64, "small.model");
    expect_same_bytes("one.model", "three.model");
    expect_same_bytes("one.model", "small.model");
}

#endif
