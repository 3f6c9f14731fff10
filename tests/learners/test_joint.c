/* tests/learners/test_joint.c - joint tables: exact learning, estimates, cuts, classification. */
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

enum { ROWS = 500, PARTS = 3, COLUMNS = 5 };

#define BINS "bins=hours:20:40.5"

/* A random table: words of few and of many values, numbers to be cut, missing cells, weights. */
typedef struct table {
    const char *colour[ROWS], *word[ROWS], *class[ROWS];
    double hours[ROWS], weight[ROWS];
    char text[ROWS][16];
} table;

static table *random_table(uint64_t seed)
{
    static const char *const colours[] = {"red", "green", "blue"};
    static const char *const classes[] = {"yes", "no", "perhaps"};
    cr__random rng;
    table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        /* the later rows bring many new words: the keys must grow */
        snprintf(t->text[r], sizeof t->text[r], "w%u",
                 (unsigned)cr__random_below(&rng, r < 100 ? 2 : 300));
        t->colour[r] = cr__random_below(&rng, 9) == 0 ? NULL : colours[cr__random_below(&rng, 3)];
        t->word[r] = cr__random_below(&rng, 9) == 0 ? NULL : t->text[r];
        t->class[r] = cr__random_below(&rng, 30) == 0 ? NULL : classes[cr__random_below(&rng, 3)];
        t->hours[r] = cr__random_below(&rng, 9) == 0 ? NAN : 10 * (double)cr__random_below(&rng, 7);
        t->weight[r] = cr__random_uniform(&rng) * 3;
    }
    return t;
}

/* Rows first … first + count - 1. */
static cr_source *source_of(const table *t, size_t first, size_t count, int targeted, int weighted)
{
    const cr_array arrays[COLUMNS] = {
        {.name = "colour", .text = t->colour + first},
        {.name = "class",
         .text = t->class + first,
         .role = targeted ? CR_ROLE_TARGET : CR_ROLE_FEATURE},
        {.name = "word", .text = t->word + first},
        {.name = "hours", .real = t->hours + first},
        {.name = "weight", .real = t->weight + first, .role = CR_ROLE_WEIGHT},
    };
    cr_source *source;
    cr_error err = {0};

    if (cr_source_open_arrays(&source, arrays, weighted ? COLUMNS : COLUMNS - 1, count, &err) !=
        CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_model *train(const table *t, size_t first, size_t count, int targeted, int weighted,
                       int threads)
{
    cr_source *source = source_of(t, first, count, targeted, weighted);
    const char *const params[] = {BINS};
    const cr_run run = {.threads = threads};
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, "joint", params, 1, &run, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* The bytes of the model's file. */
static char *file_of(const cr_model *model, size_t *size)
{
    cr_error err = {0};
    char *bytes;
    FILE *f;

    if (cr_model_save(model, "joint.model", &err) != CR_OK)
        fail_msg("%s", err.message);
    f = fopen("joint.model", "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    remove("joint.model");
    return bytes;
}

static void assert_same_file(const cr_model *a, const cr_model *b)
{
    size_t size_a, size_b;
    char *bytes_a = file_of(a, &size_a), *bytes_b = file_of(b, &size_b);

    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
}

/* --- exactness ------------------------------------------------------------------------------ */

static void merging_any_split_equals_one_pass(void **state)
{
    const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const int targeted = seed & 1, weighted = seed >> 1 & 1, *o = order[seed % 6];
        const size_t cut[PARTS + 1] = {0, 60 + 17 * seed, 300 + 11 * seed, ROWS};
        table *t = random_table(seed);
        cr_model *whole = train(t, 0, ROWS, targeted, weighted, 1), *part[PARTS];

        for (int i = 0; i < PARTS; i++)
            part[i] = train(t, cut[i], cut[i + 1] - cut[i], targeted, weighted, 1);
        assert_int_equal(cr_model_merge(part[o[0]], part[o[1]], NULL), CR_OK);
        assert_int_equal(cr_model_merge(part[o[0]], part[o[2]], NULL), CR_OK);
        assert_same_file(whole, part[o[0]]);
        for (int i = 0; i < PARTS; i++)
            cr_model_free(part[i]);
        cr_model_free(whole);
        free(t);
    }
}

static void learning_and_unlearning_leaves_the_file_as_it_was(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const int targeted = seed & 1, weighted = seed >> 1 & 1;
        table *t = random_table(seed);
        cr_model *before = train(t, 0, 150, targeted, weighted, 1);
        cr_model *model = train(t, 0, 150, targeted, weighted, 2);
        cr_model *all = train(t, 0, ROWS, targeted, weighted, 1);
        cr_source *more = source_of(t, 150, ROWS - 150, targeted, weighted);
        cr_error err = {0};

        assert_int_equal(cr_model_learn(model, more, NULL, NULL, &err), CR_OK);
        assert_same_file(model, all);
        cr_source_close(more);
        more = source_of(t, 150, ROWS - 150, targeted, weighted);
        if (cr_model_unlearn(model, more, NULL, NULL, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_same_file(model, before);
        cr_source_close(more);
        cr_model_free(before);
        cr_model_free(model);
        cr_model_free(all);
        free(t);
    }
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    const int threads[] = {2, 3, 8};
    table *t = random_table(99);

    (void)state;
    for (int targeted = 0; targeted < 2; targeted++) {
        cr_model *one = train(t, 0, ROWS, targeted, 1, 1);

        for (int i = 0; i < 3; i++) {
            cr_model *many = train(t, 0, ROWS, targeted, 1, threads[i]);
            assert_same_file(one, many);
            cr_model_free(many);
        }
        cr_model_free(one);
    }
    free(t);
}

static void a_loaded_model_learns_like_the_one_in_memory(void **state)
{
    table *t = random_table(7);
    cr_model *model = train(t, 0, 200, 1, 1, 1), *all = train(t, 0, ROWS, 1, 1, 1), *loaded;
    cr_source *more = source_of(t, 200, ROWS - 200, 1, 1);
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_save(model, "loaded.model", NULL), CR_OK);
    assert_int_equal(cr_model_load(&loaded, "loaded.model", 0, &err), CR_OK);
    assert_same_file(model, loaded);
    if (cr_model_learn(loaded, more, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_same_file(loaded, all);
    remove("loaded.model");
    cr_source_close(more);
    cr_model_free(model);
    cr_model_free(all);
    cr_model_free(loaded);
    free(t);
}

static void a_row_that_was_never_learned_is_named(void **state)
{
    table *t = random_table(5);
    cr_model *model = train(t, 0, 300, 0, 0, 1), *before = train(t, 0, 300, 0, 0, 1);
    cr_source *source;
    cr_error err = {0};

    (void)state;
    for (size_t r = 0; r < 20; r++) { /* rows that were learned, and then one that was not */
        t->colour[300 + r] = t->colour[r];
        t->word[300 + r] = t->word[r];
        t->class[300 + r] = t->class[r];
        t->hours[300 + r] = t->hours[r];
    }
    t->colour[311] = "violet";
    source = source_of(t, 300, 20, 0, 0);
    assert_int_equal(cr_model_unlearn(model, source, NULL, NULL, &err), CR_ECONFLICT);
    assert_int_equal(err.line, 12);
    assert_non_null(strstr(err.message, "never learned"));
    assert_same_file(model, before);
    cr_source_close(source);
    cr_model_free(model);
    cr_model_free(before);
    free(t);
}

/* --- estimates ------------------------------------------------------------------------------ */

/* Two variables: a has x 3 times and y once, b has p, q; of the four cells xp has 2 rows, xq 1,
 * yp 1, yq none; a fifth row lacks b. */
static const char *const small_a[] = {"x", "x", "x", "y", "y"};
static const char *const small_b[] = {"p", "p", "q", "p", NULL};

static cr_model *small_model(const char *setting, int targeted)
{
    const cr_array arrays[] = {
        {.name = "a", .text = small_a},
        {.name = "b", .text = small_b, .role = targeted ? CR_ROLE_TARGET : CR_ROLE_FEATURE},
    };
    const char *const params[] = {setting};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 5, NULL), CR_OK);
    if (cr_model_train(&model, source, "joint", params, 1, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* P(a = x) over the complete rows: (3 + 2 pseudo) / (4 + 4 pseudo). */
static void marginals_are_sums_of_smoothed_cells(void **state)
{
    const struct {
        const char *setting;
        double want;
    } cases[] = {{"smoothing=none", 3.0 / 4},
                 {"smoothing=laplace", 5.0 / 8},
                 {"smoothing=dirichlet", 5.0 / 8},
                 {"alpha=7", 3.0 / 4}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_model *model = small_model(cases[i].setting, 0);
        cr_model_facts facts;

        assert_true(fabs(cr_model_probability(model, 0, 0, 0) - cases[i].want) < 1e-15);
        cr_model_get_facts(model, &facts);
        assert_true(facts.parameters == 3);
        assert_true(facts.joint_parameters == 3);
        assert_int_equal(facts.rows, 5);
        assert_true(facts.cells == 3);
        assert_true(facts.incomplete == 1);
        assert_int_equal(cr_model_target(model), SIZE_MAX);
        assert_true(cr_model_count(model, 0, 1, 0) == 2); /* all rows of y, complete or not */
        cr_model_free(model);
    }
}

static void a_target_gives_its_distribution_given_the_rest(void **state)
{
    cr_model *model = small_model("smoothing=laplace", 1);
    double posterior[2], evidence;
    int32_t decision;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_model_classes(model), 2);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    cr_row_set_text(row, 0, "x");
    assert_int_equal(cr_model_classify(model, row, posterior, &decision, &evidence), CR_OK);
    assert_true(fabs(posterior[0] - 3.0 / 5) < 1e-14); /* (2 + 1) / (3 + 2) */
    assert_true(fabs(evidence - log(5.0 / 8)) < 1e-14);
    assert_int_equal(decision, 0);
    cr_row_set_text(row, 0, "never seen"); /* says nothing: P(p) = (3 + 2) / 8 */
    assert_int_equal(cr_model_classify(model, row, posterior, &decision, &evidence), CR_OK);
    assert_true(fabs(posterior[0] - 5.0 / 8) < 1e-14);
    assert_true(fabs(evidence) < 1e-14);
    cr_row_clear(row);
    assert_int_equal(cr_model_classify(model, row, posterior, &decision, NULL), CR_OK);
    assert_true(fabs(posterior[0] - 5.0 / 8) < 1e-14);
    cr_row_free(row);
    cr_model_free(model);
}

/* Without a target the one class has no name, and log P(row) is the evidence. */
static void a_table_without_a_target_gives_the_probability_of_rows(void **state)
{
    cr_model *model = small_model("smoothing=none", 0);
    double posterior, evidence;
    int32_t decision;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_model_classes(model), 1);
    assert_string_equal(cr_model_class(model, 0), "");
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    cr_row_set_text(row, 0, "x");
    cr_row_set_text(row, 1, "q");
    assert_int_equal(cr_model_classify(model, row, &posterior, &decision, &evidence), CR_OK);
    assert_true(fabs(evidence - log(0.25)) < 1e-15);
    cr_row_set_text(row, 0, "y"); /* never together */
    assert_int_equal(cr_model_classify(model, row, &posterior, &decision, &evidence), CR_OK);
    assert_true(evidence == -INFINITY);
    assert_int_equal(decision, CR_UNDECIDED);
    cr_row_free(row);
    cr_model_free(model);
}

typedef struct listing {
    double probability[4];
    size_t cells;
} listing;

static cr_status list_cell(void *context, const size_t *value, double count, double probability)
{
    listing *l = context;

    (void)count;
    l->probability[value[0] * 2 + value[1]] = probability;
    l->cells++;
    return CR_OK;
}

static void all_cells_with_a_probability_are_listed(void **state)
{
    cr_model *counted = small_model("smoothing=none", 0);
    cr_model *smooth = small_model("smoothing=laplace", 0);
    listing l = {{0}, 0};
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_joint_cells(counted, 100, list_cell, &l, &err), CR_OK);
    assert_int_equal(l.cells, 3); /* yq has no row */
    assert_true(l.probability[0] == 0.5 && l.probability[1] == 0.25 && l.probability[2] == 0.25);
    l = (listing){{0}, 0};
    assert_int_equal(cr_joint_cells(smooth, 4, list_cell, &l, &err), CR_OK);
    assert_int_equal(l.cells, 4);
    assert_true(fabs(l.probability[0] - 3.0 / 8) < 1e-15);
    assert_true(fabs(l.probability[3] - 1.0 / 8) < 1e-15);
    assert_int_equal(cr_joint_cells(smooth, 3, list_cell, &l, &err), CR_ELIMIT);
    assert_non_null(strstr(err.message, "4 cells"));
    cr_model_free(counted);
    cr_model_free(smooth);
}

/* Γ(4 a) / Γ(4 a + 4) · Γ(a + 2) / Γ(a) · a · a: with a = 1 that is 3!/7! · 2 = 1/420. */
static void the_evidence_is_dirichlet_multinomial(void **state)
{
    cr_model *flat = small_model("smoothing=none", 0);
    cr_model *beta = small_model("smoothing=dirichlet", 0);
    double log_evidence;

    (void)state;
    assert_int_equal(cr_model_evidence(flat, &log_evidence, NULL), CR_OK);
    assert_true(fabs(log_evidence - log(1.0 / 420)) < 1e-13);
    assert_int_equal(cr_model_evidence(beta, &log_evidence, NULL), CR_OK);
    /* a = 2: 7!/11! · (2 · 3) · 2 · 2 = 24 / 7920 */
    assert_true(fabs(log_evidence - log(24.0 / 7920)) < 1e-13);
    cr_model_free(flat);
    cr_model_free(beta);
}

/* --- cuts ----------------------------------------------------------------------------------- */

static void numbers_are_cut_into_named_intervals(void **state)
{
    static const double hours[] = {40.5, 41, 20, -5, NAN, 60.25};
    const cr_array arrays[] = {{.name = "hours", .real = hours}};
    const char *const params[] = {"bins=hours:60.25:40.5:40.5"};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 1, 6, NULL), CR_OK);
    if (cr_model_train(&model, source, "joint", params, 1, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_int_equal(cr_model_values(model, 0), 3);
    assert_string_equal(cr_model_value(model, 0, 0), "<=40.5");
    assert_string_equal(cr_model_value(model, 0, 1), "40.5..60.25");
    assert_string_equal(cr_model_value(model, 0, 2), ">60.25"); /* no row, but it is there */
    assert_true(cr_model_count(model, 0, 0, 0) == 3);           /* 40.5 itself lies below the cut */
    assert_true(cr_model_count(model, 0, 1, 0) == 2);
    assert_true(cr_model_count(model, 0, 2, 0) == 0);
    cr_source_close(source);
    cr_model_free(model);
}

static void bad_cuts_are_refused(void **state)
{
    static const double hours[] = {40.5, 41};
    static const char *const class[] = {"a", "b"};
    const cr_array arrays[] = {{.name = "hours", .real = hours}, {.name = "class", .text = class}};
    const struct {
        const char *setting, *message, *hint;
    } cases[] = {
        {"bins=none", "'hours'", "bins=hours"},
        {"bins=hour:40", "'hour'", "'hours'"},
        {"bins=hours", "COLUMN:CUT", "bins=hours:40.5"},
        {"bins=hours:x", "COLUMN:CUT", "bins="},
        {"bins=hours:", "COLUMN:CUT", "bins="},
        {"bins=class:1", "'class'", "columns of numbers"},
        {"bins=hours:1,hours:2", "twice", ""},
        {"bins=", "COLUMN:CUT", "bins="},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_source *source;
        cr_model *model;
        cr_error err = {0};

        assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 2, NULL), CR_OK);
        assert_int_equal(
            cr_model_train(&model, source, "joint", &cases[i].setting, 1, NULL, NULL, &err),
            CR_EARG);
        assert_non_null(strstr(err.message, cases[i].message));
        assert_non_null(strstr(err.hint, cases[i].hint));
        cr_source_close(source);
    }
}

static void cuts_are_settled_by_training(void **state)
{
    const char *const other[] = {"bins=hours:30"}, *const smooth[] = {"smoothing=laplace"};
    table *t = random_table(2);
    cr_model *model = train(t, 0, 100, 0, 0, 1), *differently;
    cr_source *source = source_of(t, 0, 100, 0, 0);
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_refit(model, other, 1, &err), CR_EARG);
    assert_non_null(strstr(err.message, "fixed at training"));
    assert_int_equal(cr_model_refit(model, smooth, 1, &err), CR_OK);
    assert_int_equal(cr_model_train(&differently, source, "joint", other, 1, NULL, NULL, &err),
                     CR_OK);
    assert_int_equal(cr_model_merge(model, differently, &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "'hours'"));
    cr_source_close(source);
    cr_model_free(model);
    cr_model_free(differently);
    free(t);
}

/* --- size ----------------------------------------------------------------------------------- */

/* A hundred binary variables: 2^100 - 1 parameters, and still only as many cells as rows. */
static void a_hundred_variables_are_a_sparse_table(void **state)
{
    enum { VARIABLES = 100, FEW = 64 };
    static const char *const bit[] = {"0", "1"};
    static char name[VARIABLES][8];
    cr_array arrays[VARIABLES];
    const char **text = calloc(VARIABLES * FEW, sizeof *text);
    const char *const params[] = {"smoothing=laplace"};
    cr_model_facts facts;
    cr_source *source;
    cr_model *model;
    listing l = {{0}, 0};
    cr_error err = {0};

    (void)state;
    for (size_t i = 0; i < VARIABLES; i++) {
        snprintf(name[i], sizeof name[i], "x%zu", i);
        for (size_t r = 0; r < FEW; r++)
            text[i * FEW + r] = bit[(r * (2 * i + 3) + i * i) / 7 % 2];
        arrays[i] = (cr_array){.name = name[i], .text = text + i * FEW};
    }
    assert_int_equal(cr_source_open_arrays(&source, arrays, VARIABLES, FEW, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "joint", params, 1, NULL, NULL, &err), CR_OK);
    cr_model_get_facts(model, &facts);
    assert_true(fabs(facts.parameters / 1.2676506002282294e30 - 1) < 1e-12); /* 2^100 */
    assert_true(fabs(facts.joint_log10 - 30.102999566398) < 1e-9);
    assert_true(facts.cells <= FEW);
    assert_int_equal(cr_joint_cells(model, 1000000, list_cell, &l, &err), CR_ELIMIT);
    assert_non_null(strstr(err.message, "1.27e+30"));
    /* the few rows are nothing beside 2^100 pseudo-counts: every bit is as good as fair */
    assert_true(fabs(cr_model_probability(model, 3, 0, 0) - 0.5) < 1e-12);
    cr_source_close(source);
    cr_model_free(model);
    free(text);
}

/* --- memory --------------------------------------------------------------------------------- */

/* The n-th allocation fails, for every n: nothing crashes, nothing leaks, nothing half-made comes
 * back. */
static void running_out_of_memory_is_survived(void **state)
{
    const char *const params[] = {BINS, "smoothing=laplace"};
    const cr_run one = {.threads = 1};
    table *t = random_table(4);
    long n;

    (void)state;
    for (n = 0; n < 3000; n++) {
        cr_source *source = source_of(t, 0, 60, 1, 1), *more = source_of(t, 60, 60, 1, 1);
        cr_model *model = NULL;
        cr_status st;

        cr__memory_fail_after = n;
        st = cr_model_train(&model, source, "joint", params, 2, &one, NULL, NULL);
        if (st == CR_OK)
            st = cr_model_learn(model, more, &one, NULL, NULL);
        if (st == CR_OK)
            st = cr_model_merge(model, model, NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || st == CR_ENOMEM);
        cr_model_free(model);
        cr_source_close(source);
        cr_source_close(more);
        if (st == CR_OK)
            break;
    }
    assert_true(n > 100 && n < 3000);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_any_split_equals_one_pass),
        cmocka_unit_test(learning_and_unlearning_leaves_the_file_as_it_was),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(a_loaded_model_learns_like_the_one_in_memory),
        cmocka_unit_test(a_row_that_was_never_learned_is_named),
        cmocka_unit_test(marginals_are_sums_of_smoothed_cells),
        cmocka_unit_test(a_target_gives_its_distribution_given_the_rest),
        cmocka_unit_test(a_table_without_a_target_gives_the_probability_of_rows),
        cmocka_unit_test(all_cells_with_a_probability_are_listed),
        cmocka_unit_test(the_evidence_is_dirichlet_multinomial),
        cmocka_unit_test(numbers_are_cut_into_named_intervals),
        cmocka_unit_test(bad_cuts_are_refused),
        cmocka_unit_test(cuts_are_settled_by_training),
        cmocka_unit_test(a_hundred_variables_are_a_sparse_table),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests_name("joint", tests, NULL, NULL);
}
