/* tests/train/test_team.c - a team of processes, here threads, learns what one process learns.
 *
 * Files are made to fool a reader that begins in the middle: quoted line ends, doubled quotes,
 * fields that look like records, quotes inside bare fields.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "credence/credence.h"
#include "support/team.h"

typedef struct lesson {
    const char *path, *learner, *checkpoint, *target;
    const char *params[2];
    size_t param_count;
    size_t part, parts;
    uint64_t memory;
    int first_only;
    cr_tally tally[16];
    void *bytes[16];
    size_t size[16];
    cr_status status[16];
    cr_error err[16];
} lesson;

static void learn(void *context, const cr_team *given)
{
    lesson *l = context;
    cr_team team = *given;
    const cr_run run = {.threads = 1, .memory = l->memory, .team = &team};
    const cr_source_options options = {.target = l->target, .part = l->part, .parts = l->parts};
    const int r = team.rank;
    cr_source *source = NULL;
    cr_model *model = NULL;

    team.checkpoint = l->checkpoint;
    team.first_only = l->first_only;
    l->status[r] = cr_source_open(&source, &l->path, 1, &options, &l->err[r]);
    if (l->status[r] == CR_OK)
        l->status[r] = cr_model_train(&model, source, l->learner, l->params, l->param_count, &run,
                                      &l->tally[r], &l->err[r]);
    if (l->status[r] == CR_OK && model != NULL)
        l->status[r] = cr_model_save_bytes(model, &l->bytes[r], &l->size[r], &l->err[r]);
    cr_model_free(model);
    cr_source_close(source);
}

static void forget(lesson *l)
{
    for (int r = 0; r < 16; r++) {
        cr_bytes_free(l->bytes[r]);
        l->bytes[r] = NULL;
    }
}

/* Every member of every team has the bytes of a process alone. */
static void check_same(lesson *l)
{
    static const int teams[] = {2, 3, 5, 8};
    void *alone;
    size_t size;

    run_team(1, learn, l);
    assert_int_equal(l->status[0], CR_OK);
    alone = l->bytes[0];
    size = l->size[0];
    l->bytes[0] = NULL;
    for (size_t t = 0; t < sizeof teams / sizeof *teams; t++) {
        run_team(teams[t], learn, l);
        for (int r = 0; r < teams[t]; r++) {
            if (l->status[r] != CR_OK)
                print_error("%s, member %d of %d: %s\n", l->learner, r, teams[t],
                            l->err[r].message);
            assert_int_equal(l->status[r], CR_OK);
            assert_int_equal(l->size[r], size);
            assert_memory_equal(l->bytes[r], alone, size);
        }
        forget(l);
    }
    cr_bytes_free(alone);
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Records whose quoted fields hold what would be records outside of quotes. */
static void write_tricky(const char *path, size_t rows, uint32_t seed)
{
    static const char *const piece[] = {"hello ", "a,b ",       "line\n",     "say \"\"x\"\" ",
                                        "\n\n",   "\"\",\n1,a", "0,b\n0,a\n", "\"\"\n"};
    FILE *file = fopen(path, "w");

    fprintf(file, "x,text,label\n");
    for (size_t i = 0; i < rows; i++) {
        fprintf(file, "%u,\"", draw(&seed) % 100);
        for (uint32_t n = draw(&seed) % 12; n > 0; n--)
            fputs(piece[draw(&seed) % 8], file);
        fprintf(file, "\",%c\n", draw(&seed) % 3 > 0 ? 'a' : 'b');
        if (i % 7 == 0) /* a quote inside a bare field is a character */
            fprintf(file, "%u,5\" disk \"x,b\n", draw(&seed) % 100);
    }
    fclose(file);
}

static void quoted_line_ends_fool_no_member(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 9; seed++) {
        lesson l = {.path = "tricky.csv", .learner = "nb"};

        write_tricky(l.path, 40 + 150 * seed, seed);
        check_same(&l);
    }
}

/* One record is nearly the whole file. */
static void a_record_longer_than_a_part(void **state)
{
    lesson l = {.path = "long.csv", .learner = "nb"};
    FILE *file = fopen(l.path, "w");

    (void)state;
    fputs("text,label\nshort one here,a\n\"", file);
    for (int i = 0; i < 20000; i++)
        fputs("very long\nline,b\n", file);
    fputs("\",b\nanother short one,a\n", file);
    fclose(file);
    check_same(&l);
}

static void more_members_than_rows(void **state)
{
    lesson l = {.path = "few.csv", .learner = "nb"};
    FILE *file = fopen(l.path, "w");

    (void)state;
    fputs("x,c\n1,a\n2,b\n", file);
    fclose(file);
    check_same(&l);
}

static void write_numbers(const char *path, size_t rows, size_t odd)
{
    FILE *file = fopen(path, "w");
    uint32_t seed = 7;

    fprintf(file, "x,y,c\n");
    for (size_t i = 0; i < rows; i++)
        if (i == odd)
            fprintf(file, "word,1,a\n");
        else
            fprintf(file, "%u.%u,%u,%c\n", draw(&seed) % 90, draw(&seed) % 10, draw(&seed) % 50,
                    "abc"[draw(&seed) % 3]);
    fclose(file);
}

static void every_learner_has_the_same_bytes(void **state)
{
    static const char *const learners[] = {"nb", "gda", "logistic", "tan", "aode", "tree", "kdb"};

    (void)state;
    write_numbers("numbers.csv", 3000, SIZE_MAX);
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        lesson l = {.path = "numbers.csv", .learner = learners[i]};

        check_same(&l);
    }
}

/* Numbers, words that turn up late, and holes. */
static void write_mixed(const char *path, size_t rows)
{
    FILE *file = fopen(path, "w");
    uint32_t seed = 3;

    fprintf(file, "x,y,word,z,c\n");
    for (size_t i = 0; i < rows; i++) {
        const uint32_t x = draw(&seed) % 900, y = draw(&seed) % 500;

        fprintf(file, draw(&seed) % 9 == 0 ? ",%u," : "%u.5,%u,", x, y);
        fprintf(file, "w%u,", draw(&seed) % (uint32_t)(2 + i * 8 / rows));
        if (i >= rows / 3)
            fprintf(file, "%u", x + 3 * y);
        fprintf(file, ",%c\n", "abc"[x % 3]);
    }
    fclose(file);
}

/* Products are rounded: their sums still equal those of one process, to the last bit. */
static void products_are_added_in_the_order_of_the_rows(void **state)
{
    static const lesson lessons[] = {
        {.path = "mixed.csv", .learner = "gda"},
        {.path = "mixed.csv",
         .learner = "gda",
         .params = {"incomplete=pairwise"},
         .param_count = 1},
        {.path = "mixed.csv", .learner = "gda", .params = {"shrinkage=0.1"}, .param_count = 1},
        {.path = "mixed.csv", .learner = "linear", .target = "y"},
        {.path = "few.csv", .learner = "linear", .target = "y"},
        {.path = "mixed.csv", .learner = "gda", .params = {"incomplete=em"}, .param_count = 1},
        {.path = "mixed.csv", .learner = "logistic"},
        {.path = "mixed.csv", .learner = "tree"},
        {.path = "mixed.csv", .learner = "network"},
    };

    (void)state;
    write_mixed("mixed.csv", 9000);
    write_mixed("few.csv", 40);
    for (size_t i = 0; i < sizeof lessons / sizeof *lessons; i++) {
        lesson l = lessons[i];

        check_same(&l);
    }
}

/* Large nodes are evaluated by all members, column by column, and the tasks below them are
 * distributed.
 */
static void a_tree_of_many_rows_is_shared_out(void **state)
{
    lesson l = {.path = "numbers.csv", .learner = "tree"};

    (void)state;
    write_numbers(l.path, 70000, SIZE_MAX);
    check_same(&l);
}

static void weighted_words(void **state)
{
    lesson l = {
        .path = "tricky.csv", .learner = "nb", .params = {"weight=tfidf"}, .param_count = 1};

    (void)state;
    write_tricky(l.path, 700, 3);
    check_same(&l);
}

/* A value far behind the sample makes a number a word: for all members. */
static void a_column_that_breaks_its_kind(void **state)
{
    lesson l = {.path = "numbers.csv", .learner = "nb"};

    (void)state;
    write_numbers(l.path, 90000, 88000);
    check_same(&l);
}

/* The error is the same as for a single process, with the same line. */
static void a_fault_is_told_with_its_line(void **state)
{
    lesson l = {.path = "bad.csv", .learner = "nb"};
    FILE *file = fopen(l.path, "w");

    (void)state;
    fputs("x,c\n", file);
    for (int i = 0; i < 5000; i++)
        fputs(i == 4000 || i == 4500 ? "1,a,3\n" : "1,a\n", file);
    fclose(file);
    run_team(4, learn, &l);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(l.status[r], CR_EFORMAT);
        assert_int_equal(l.err[r].line, 4002);
        assert_string_equal(l.err[r].file, "bad.csv");
    }
}

/* Parts that no team has made add up to the whole. */
static void parts_merge_into_the_whole(void **state)
{
    enum { PARTS = 5 };
    cr_model *sum = NULL, *part = NULL;
    lesson l = {.path = "tricky.csv", .learner = "nb"};
    void *whole, *bytes;
    size_t size, merged;

    (void)state;
    write_tricky(l.path, 900, 11);
    run_team(1, learn, &l);
    whole = l.bytes[0];
    size = l.size[0];
    l.parts = PARTS;
    for (l.part = 1; l.part <= PARTS; l.part++) {
        run_team(1, learn, &l);
        assert_int_equal(l.status[0], CR_OK);
        assert_int_equal(cr_model_load_bytes(&part, l.bytes[0], l.size[0], 0, NULL), CR_OK);
        cr_bytes_free(l.bytes[0]);
        if (sum == NULL) {
            sum = part;
            continue;
        }
        assert_int_equal(cr_model_merge(sum, part, NULL), CR_OK);
        cr_model_free(part);
    }
    assert_int_equal(cr_model_save_bytes(sum, &bytes, &merged, NULL), CR_OK);
    assert_int_equal(merged, size);
    assert_memory_equal(bytes, whole, size);
    cr_model_free(sum);
    cr_bytes_free(bytes);
    cr_bytes_free(whole);
}

/* Pieces that are kept are not read again, also by another number of members; a damaged one is. */
static void checkpoints_are_taken_up(void **state)
{
    lesson l = {.path = "tricky.csv", .learner = "nb"};
    void *alone;
    size_t size;

    (void)state;
    write_tricky(l.path, 900, 12);
    run_team(1, learn, &l);
    alone = l.bytes[0];
    size = l.size[0];
    l.bytes[0] = NULL;
    l.checkpoint = "pieces";
    for (int members = 1; members < 6; members++) {
        if (members == 3)
            assert_int_equal(system("rm pieces/*-2-of-16; for f in pieces/*-9-of-16; do echo > $f; "
                                    "done"),
                             0);
        run_team(members, learn, &l);
        for (int r = 0; r < members; r++) {
            assert_int_equal(l.status[r], CR_OK);
            assert_int_equal(l.size[r], size);
            assert_memory_equal(l.bytes[r], alone, size);
        }
        forget(&l);
    }
    cr_bytes_free(alone);
}

/* Many words: most of the model are words. Those of the first texts are not those of the last. */
static void write_words(const char *path, size_t rows, size_t words)
{
    FILE *file = fopen(path, "w");
    uint32_t seed = 5;

    fprintf(file, "text,label\n");
    for (size_t i = 0; i < rows; i++) {
        for (int n = 0; n < 12; n++)
            fprintf(file, "w%u ", (uint32_t)(i * words / rows) + draw(&seed) % 400);
        fprintf(file, ",%c\n", "abc"[draw(&seed) % 3]);
    }
    fclose(file);
}

/* Words go by shares to the first member alone: a member sends no more than it has counted, and two
 * together no more than a model. */
static void only_the_first_member_gets_the_model(void **state)
{
    lesson l = {.path = "words.csv", .learner = "nb"};
    void *alone;
    size_t size;

    (void)state;
    write_words(l.path, 4000, 9000);
    run_team(1, learn, &l);
    alone = l.bytes[0];
    size = l.size[0];
    l.bytes[0] = NULL;
    l.first_only = 1;
    for (int members = 2; members < 10; members++) {
        run_team(members, learn, &l);
        assert_int_equal(l.status[0], CR_OK);
        assert_int_equal(l.size[0], size);
        assert_memory_equal(l.bytes[0], alone, size);
        for (int r = 1; r < members; r++) {
            assert_int_equal(l.status[r], CR_OK);
            assert_null(l.bytes[r]);
        }
        assert_true(l.tally[0].sent > 0);
        assert_true(l.tally[0].sent <= size * (members == 2 ? 1 : (size_t)members));
        assert_true(l.tally[0].adding > 0);
        forget(&l);
    }
    cr_bytes_free(alone);
}

/* Each member stays within the limit, all words together do not: they are not collected. */
static void words_beyond_the_memory_are_told_before_they_are_gathered(void **state)
{
    lesson l = {.path = "words.csv", .learner = "nb"};

    (void)state;
    write_words(l.path, 16000, 32000);
    for (int members = 12; members < 14; members++) {
        l.memory = 2000000;
        run_team(members, learn, &l);
        for (int r = 0; r < members; r++) {
            assert_int_equal(l.status[r], CR_ELIMIT);
            assert_non_null(strstr(l.err[r].message, "the words of all processes need"));
            assert_non_null(strstr(l.err[r].message, "the limit is 2.0 MB"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quoted_line_ends_fool_no_member),
        cmocka_unit_test(a_record_longer_than_a_part),
        cmocka_unit_test(more_members_than_rows),
        cmocka_unit_test(every_learner_has_the_same_bytes),
        cmocka_unit_test(products_are_added_in_the_order_of_the_rows),
        cmocka_unit_test(a_tree_of_many_rows_is_shared_out),
        cmocka_unit_test(weighted_words),
        cmocka_unit_test(a_column_that_breaks_its_kind),
        cmocka_unit_test(a_fault_is_told_with_its_line),
        cmocka_unit_test(parts_merge_into_the_whole),
        cmocka_unit_test(checkpoints_are_taken_up),
        cmocka_unit_test(only_the_first_member_gets_the_model),
        cmocka_unit_test(words_beyond_the_memory_are_told_before_they_are_gathered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
