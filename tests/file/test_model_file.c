/* tests/file/test_model_file.c - saved models come back whole; damaged ones are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "credence/credence.h"
#include "model/model.h"

static cr_model *small_model(void)
{
    const double x[] = {1, 2.5, -3, 4, NAN, 1e-3};
    const char *const colour[] = {"red", "blue", "red", "green", NULL, "red"};
    const char *const c[] = {"a", "b", "a", "b", "a", "b"};
    const cr_array table[] = {
        {.name = "x", .real = x},
        {.name = "colour", .text = colour},
        {.name = "class", .text = c, .role = CR_ROLE_TARGET},
    };
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, table, 3, 6, NULL), CR_OK);
    if (cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static unsigned char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    void *bytes;

    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    assert_int_equal(posix_memalign(&bytes, 64, *size), 0);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

static unsigned char *small_file(size_t *size)
{
    cr_model *model = small_model();
    unsigned char *bytes;

    assert_int_equal(cr_model_save(model, "small.cred", NULL), CR_OK);
    bytes = read_all("small.cred", size);
    remove("small.cred");
    cr_model_free(model);
    return bytes;
}

static void a_loaded_model_answers_like_the_saved_one(void **state)
{
    cr_model *model = small_model(), *loaded;
    double p[2], q[2];
    int32_t d, e;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_model_save(model, "same.cred", NULL), CR_OK);
    assert_int_equal(cr_model_load(&loaded, "same.cred", 0, NULL), CR_OK);
    for (int x = -5; x < 5; x++) {
        assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
        cr_row_set_real(row, 0, x);
        cr_row_set_text(row, 1, "red");
        cr_model_classify(model, row, p, &d, NULL);
        cr_row_free(row);
        assert_int_equal(cr_row_new(&row, loaded, NULL), CR_OK);
        cr_row_set_real(row, 0, x);
        cr_row_set_text(row, 1, "red");
        cr_model_classify(loaded, row, q, &e, NULL);
        cr_row_free(row);
        assert_memory_equal(p, q, sizeof p);
        assert_int_equal(d, e);
    }
    cr_model_free(model);
    cr_model_free(loaded);
    remove("same.cred");
}

static void loading_and_saving_again_gives_the_same_bytes(void **state)
{
    size_t size, again_size;
    unsigned char *bytes = small_file(&size), *again;
    cr_model *model;

    (void)state;
    assert_int_equal(cr__model_borrow(&model, bytes, size, 1, NULL), CR_OK);
    assert_int_equal(cr_model_save(model, "again.cred", NULL), CR_OK);
    again = read_all("again.cred", &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    cr_model_free(model);
    free(again);
    free(bytes);
    remove("again.cred");
}

static void every_truncation_is_refused(void **state)
{
    size_t size;
    unsigned char *bytes = small_file(&size);

    (void)state;
    for (size_t n = 0; n < size; n++) {
        cr_model *model;
        cr_error err = {0};
        assert_int_equal(cr__model_borrow(&model, bytes, n, 0, &err), CR_EFORMAT);
        assert_null(model);
        assert_true(err.message[0] != '\0');
    }
    free(bytes);
}

/* Every bit counts: in the header and table by their own checksums, in a section by its. Gaps
 * between sections are zero and not covered; flips there may pass, and do no harm. */
static void every_bit_flip_outside_gaps_is_noticed(void **state)
{
    size_t size, passed = 0;
    unsigned char *bytes = small_file(&size);

    (void)state;
    for (size_t bit = 0; bit < size * 8; bit++) {
        cr_model *model = NULL;

        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (cr__model_borrow(&model, bytes, size, 1, NULL) == CR_OK) {
            passed++;
            assert_int_equal(bytes[bit / 8] & (bytes[bit / 8] - 1), 0); /* it was a zero byte */
        }
        cr_model_free(model);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(passed < size * 8 / 2);
    free(bytes);
}

/* With trust, damaged content is used without harm: no crash, no NaN among the posteriors. */
static void flips_that_are_trusted_do_no_harm(void **state)
{
    size_t size;
    unsigned char *bytes = small_file(&size);
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 1);
    for (int round = 0; round < 20000; round++) {
        const size_t at = 64 + cr__random_below(&rng, size - 64);
        const unsigned char old = bytes[at];
        cr_model *model;
        cr_row *row;
        double p[8];
        int32_t d;

        bytes[at] = (unsigned char)cr__random_next(&rng);
        if (cr__model_borrow(&model, bytes, size, 0, NULL) == CR_OK) {
            assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
            cr_row_set_real(row, 0, 1);
            cr_row_set_text(row, 1, "red");
            if (cr_model_classes(model) <= 8 && cr_model_classify(model, row, p, &d, NULL) == CR_OK)
                for (size_t c = 0; c < cr_model_classes(model); c++)
                    assert_true(p[c] >= 0 && p[c] <= 1);
            cr_row_free(row);
            cr_model_free(model);
        }
        bytes[at] = old;
    }
    free(bytes);
}

/* A file whose checksums are right, and in which a word of a column is not where its hash says. */
static void a_word_that_is_not_found_is_refused(void **state)
{
    size_t size, words;
    unsigned char *bytes = small_file(&size);
    cr_error err = {0};
    cr_model *model;
    uint32_t *slot;

    (void)state;
    words = (size_t)((unsigned char *)memmem(bytes, size, "blue\0green\0red", 15) - bytes);
    assert_true(words < size);
    slot = (uint32_t *)(void *)(bytes + words) - 1; /* the last of 16 */
    while (*slot == 0)
        slot--;
    *slot = *slot == 1 ? 2 : 1;
    cr__container_seal(bytes, size);
    assert_int_equal(cr__model_borrow(&model, bytes, size, 1, &err), CR_EFORMAT);
    assert_non_null(strstr(err.message, "words of a column are not found"));
    free(bytes);
}

static void a_newer_format_is_refused_politely(void **state)
{
    cr_error err = {0};
    cr_model *model;
    size_t size;
    unsigned char *bytes = small_file(&size);

    (void)state;
    bytes[8] = 200; /* the format's version; the header's checksum is made anew below */
    cr__container_seal_header(bytes);
    assert_int_equal(cr__model_borrow(&model, bytes, size, 1, &err), CR_EVERSION);
    assert_non_null(strstr(err.message, "200"));
    free(bytes);
}

/* A file written by version 0.1.0: the tax table of the lectures with add-one smoothing. Every
 * later version must read it and answer the same. By hand: P(No) = 7/10, P(no | No) = 5/9,
 * P(married | No) = 5/10, N(120; 110, 2975); P(Yes) = 3/10, P(no | Yes) = 4/5, P(married | Yes) =
 * 1/6, N(120; 90, 25); all variances have a floor of 1e-9 times the largest. */
static void golden_files_stay_readable(void **state)
{
    const double floor_no = 2975 + 1e-9 * 1874, floor_yes = 25 + 1e-9 * 1874;
    const double no = 0.7 * 5 / 9 * 5 / 10 / sqrt(2 * M_PI * floor_no) * exp(-100 / (2 * floor_no));
    const double yes = 0.3 * 4 / 5 / 6 / sqrt(2 * M_PI * floor_yes) * exp(-900 / (2 * floor_yes));
    const char *folder = getenv("CREDENCE_SOURCE");
    char path[4096];
    cr_model *model;
    cr_row *row;
    double p[2];
    int32_t d;

    (void)state;
    if (folder == NULL)
        skip();
    snprintf(path, sizeof path, "%s/tests/data/golden-1.cred", folder);
    assert_int_equal(cr_model_load(&model, path, 0, NULL), CR_OK);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    assert_int_equal(cr_row_set_text(row, 1, "no"), CR_OK);
    assert_int_equal(cr_row_set_text(row, 2, "married"), CR_OK);
    assert_int_equal(cr_row_set_real(row, 3, 120), CR_OK);
    assert_int_equal(cr_model_classify(model, row, p, &d, NULL), CR_OK);
    assert_true(fabs(p[0] - no / (no + yes)) < 1e-12);
    cr_row_free(row);
    cr_model_free(model);
}

static void other_files_are_called_what_they_are(void **state)
{
    cr_error err = {0};
    cr_model *model;
    FILE *f = fopen("text.csv", "w");

    (void)state;
    fputs("a,b\n1,2\n", f);
    fclose(f);
    assert_int_equal(cr_model_load(&model, "text.csv", 0, &err), CR_EFORMAT);
    assert_non_null(strstr(err.message, "not a model file"));
    assert_int_equal(cr_model_load(&model, "nowhere.cred", 0, &err), CR_EIO);
    remove("text.csv");
}

/* Every allocation of training and saving fails in turn: an error each time, no leak, no crash. */
static void running_out_of_memory_is_survived(void **state)
{
    cr_model *model = small_model();

    (void)state;
    assert_int_equal(cr_model_save(model, "memory.cred", NULL), CR_OK);
    cr_model_free(model);
    for (long n = 0; n < 100000; n++) {
        cr_model *loaded = NULL;
        const char *knob = "alpha=0.5";
        cr_status st;
        int through;

        cr__memory_fail_after = n;
        st = cr_model_load(&loaded, "memory.cred", 0, NULL);
        if (st == CR_OK)
            st = cr_model_refit(loaded, &knob, 1, NULL);
        if (st == CR_OK)
            st = cr_model_save(loaded, "memory2.cred", NULL);
        through = cr__memory_fail_after >= 0;
        cr__memory_fail_after = -1;
        cr_model_free(loaded);
        if (through) {
            assert_int_equal(st, CR_OK);
            break;
        }
        if (st == CR_OK) { /* the file was in place already: only its folder was not synced */
            assert_int_equal(cr_model_load(&loaded, "memory2.cred", 0, NULL), CR_OK);
            cr_model_free(loaded);
        } else {
            assert_int_equal(st, CR_ENOMEM);
        }
    }
    remove("memory.cred");
    remove("memory2.cred");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_model_answers_like_the_saved_one),
        cmocka_unit_test(loading_and_saving_again_gives_the_same_bytes),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_bit_flip_outside_gaps_is_noticed),
        cmocka_unit_test(flips_that_are_trusted_do_no_harm),
        cmocka_unit_test(a_word_that_is_not_found_is_refused),
        cmocka_unit_test(a_newer_format_is_refused_politely),
        cmocka_unit_test(golden_files_stay_readable),
        cmocka_unit_test(other_files_are_called_what_they_are),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests_name("model file", tests, NULL, NULL);
}
