/* tests/store/test_store.c - a store answers and learns like the same model in memory, to the byte:
 * a thousand random lessons, each of them checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "credence/credence.h"
#include "support/live_rows.h"

enum { ROWS = 400, WORDS = 60, OPERATIONS = 1000 };

static live_rows data = {.state = 7};
static int learned[ROWS]; /* how often a row is in the model now */

static const char *const labels[] = {"ham", "spam", "other"};

static void make_rows(void)
{
    make_live_rows(&data, ROWS, 12, WORDS, labels, 3);
    memset(learned, 0, sizeof learned);
    memset(data.text[0], 'x', 300); /* and a word that is as long as a key, nearly */
    memset(data.text[1], 'y', 399);
    data.text_at[0] = data.text[0];
    data.text_at[1] = data.text[1];
}

static void folder(char *path, const char *name)
{
    char command[300];

    snprintf(path, 100, "%s.store", name);
    snprintf(command, sizeof command, "rm -rf %s", path);
    assert_int_equal(system(command), 0);
}

static void assert_same_bytes(const cr_model *a, const cr_model *b)
{
    void *x, *y;
    size_t n, m;

    assert_int_equal(cr_model_save_bytes(a, &x, &n, NULL), CR_OK);
    assert_int_equal(cr_model_save_bytes(b, &y, &m, NULL), CR_OK);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    cr_bytes_free(x);
    cr_bytes_free(y);
}

static void assert_same(cr_store *store, const cr_model *model)
{
    cr_model *whole;

    assert_int_equal(cr_store_model(store, &whole, NULL), CR_OK);
    assert_same_bytes(whole, model);
    cr_model_free(whole);
}

static void fill_row(cr_row *row, size_t r)
{
    assert_int_equal(cr_row_set_text(row, 0, data.text_at[r]), CR_OK);
    assert_int_equal(cr_row_set_text(row, 1, data.colour[r]), CR_OK);
    assert_int_equal(cr_row_set_real(row, 2, data.height[r]), CR_OK);
}

/* The posterior of a row by the store's view is that of the model in memory, bit for bit. */
static void assert_same_answer(cr_store *store, const cr_model *model, size_t r)
{
    double p[3], q[3];
    cr_model *head, *view;
    cr_row *row;
    cr_decision d, e;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    fill_row(row, r);
    assert_int_equal(cr_row_classify(row, NULL, p, &d), CR_OK);
    cr_row_free(row);
    assert_int_equal(cr_store_head(store, &head, NULL), CR_OK);
    assert_int_equal(cr_row_new(&row, head, NULL), CR_OK);
    fill_row(row, r);
    assert_int_equal(cr_store_view_row(store, row, &view, NULL), CR_OK);
    cr_row_free(row);
    assert_int_equal(cr_row_new(&row, view, NULL), CR_OK);
    fill_row(row, r);
    assert_int_equal(cr_row_classify(row, NULL, q, &e), CR_OK);
    assert_int_equal(d.decision, e.decision);
    assert_memory_equal(p, q, cr_model_classes(model) * sizeof *p);
    cr_row_free(row);
    cr_model_free(view);
    cr_model_free(head);
}

/* Learn or unlearn some rows, in the store and in memory. Both reject rows that were not learned,
 * and neither changes. */
static void teach(cr_store *store, cr_model *model, size_t first, size_t rows, int sign)
{
    cr_source *a = live_source(&data, data.label + first, first, rows),
              *b = live_source(&data, data.label + first, first, rows);
    cr_status st = sign > 0 ? cr_model_learn(model, a, NULL, NULL, NULL)
                            : cr_model_unlearn(model, a, NULL, NULL, NULL);
    cr_error err = {0};

    assert_int_equal(cr_store_learn(store, b, sign, CR_STORE_NEW_CLASSES, NULL, NULL, &err), st);
    for (size_t r = first; st == CR_OK && r < first + rows; r++)
        learned[r] += sign;
    cr_source_close(a);
    cr_source_close(b);
}

/* Move a row from its class to another, at once. */
static void correct(cr_store *store, cr_model *model, size_t r)
{
    const char *old = data.label[r], *new = labels[live_draw(&data, 2)];
    cr_source *a = live_source(&data, &old, r, 1), *b = live_source(&data, &new, r, 1);
    cr_model *head;
    cr_lessons *lessons;
    cr_row *row;

    if (learned[r] != 1)
        goto done;
    assert_int_equal(cr_model_unlearn(model, a, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_learn(model, b, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_store_head(store, &head, NULL), CR_OK);
    assert_int_equal(cr_lessons_new(&lessons, head, NULL), CR_OK);
    assert_int_equal(cr_row_new(&row, head, NULL), CR_OK);
    fill_row(row, r);
    cr_row_set_text(row, 3, old);
    assert_int_equal(cr_lessons_add(lessons, row, -1, NULL), CR_OK);
    cr_row_set_text(row, 3, new);
    assert_int_equal(cr_lessons_add(lessons, row, 1, NULL), CR_OK);
    assert_int_equal(cr_store_apply(store, lessons, NULL), CR_OK);
    data.label[r] = new;
    cr_row_free(row);
    cr_lessons_free(lessons);
    cr_model_free(head);
done:
    cr_source_close(a);
    cr_source_close(b);
}

static void turn(cr_store *store, cr_model *model)
{
    const char *const some[] = {"text-alpha=0.5", "min-count=2",       "min-count=1",
                                "event=boolean",  "event=multinomial", "prior=uniform",
                                "select=odds:1",  "select=none",       "event=complement"};
    const char *one = some[live_draw(&data, 9)];
    const cr_status st = cr_model_refit(model, &one, 1, NULL);

    assert_int_equal(cr_store_refit(store, &one, 1, NULL), st);
}

static void operate(cr_store *store, cr_model *model, int n)
{
    const size_t first = live_draw(&data, ROWS - 8), rows = 1 + live_draw(&data, 6);

    switch (live_draw(&data, 10)) {
    case 0:
    case 1:
    case 2: teach(store, model, first, 1, 1); break;
    case 3: teach(store, model, first, rows, 1); break;
    case 4:
    case 5: teach(store, model, first, 1, -1); break;
    case 6: correct(store, model, first); break;
    case 7: assert_same_answer(store, model, first); break;
    case 8: n % 7 == 0 ? turn(store, model) : teach(store, model, first, 2, 1); break;
    default: teach(store, model, first, 1, 1);
    }
}

static void random_operations_equal_those_in_memory(void **unused)
{
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE, .map = 1 << 16};
    cr_source *source;
    cr_store *store;
    cr_model *model;
    char path[100];

    (void)unused;
    make_rows();
    folder(path, "random");
    source = live_source(&data, data.label, 0, 20);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    for (int r = 0; r < 20; r++)
        learned[r] = 1;
    assert_int_equal(cr_store_create(path, model, &options, NULL), CR_OK);
    assert_int_equal(cr_store_open(&store, path, &options, NULL), CR_OK);
    for (int n = 0; n < OPERATIONS; n++) {
        operate(store, model, n);
        if (n % 10 == 0)
            assert_same(store, model);
    }
    assert_same(store, model);
    assert_int_equal(cr_store_check(store, NULL), CR_OK);
    cr_store_close(store);
    assert_int_equal(cr_store_open(&store, path, NULL, NULL), CR_OK); /* it was kept */
    assert_same(store, model);
    cr_store_close(store);
    cr_model_free(model);
}

/* A model whose words depend on each other is stored as one record; the lessons are the same. */
static void models_that_are_kept_whole(void **unused)
{
    static const char *const params[] = {"event=bernoulli", "bins=height:100:172:180"};
    static const char *const learner[] = {"nb", "gda", "joint", "tan"};
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE};
    cr_store_facts facts;
    cr_source *source;
    cr_store *store;
    cr_model *model;
    char path[100];

    (void)unused;
    for (size_t l = 0; l < 4; l++) {
        cr_array a[4];
        const size_t skip = l == 0 ? 0 : 1; /* the others learn no texts here */

        make_rows();
        folder(path, learner[l]);
        live_arrays(&data, a, data.label, 0);
        assert_int_equal(cr_source_open_arrays(&source, a + skip, 4 - skip, 30, NULL), CR_OK);
        assert_int_equal(
            cr_model_train(&model, source, learner[l], params + (l > 1), l != 1, NULL, NULL, NULL),
            CR_OK);
        cr_source_close(source);
        assert_int_equal(cr_store_create(path, model, &options, NULL), CR_OK);
        assert_int_equal(cr_store_open(&store, path, &options, NULL), CR_OK);
        for (int n = 0; n < 20; n++)
            teach(store, model, 30 + live_draw(&data, 300), 1 + live_draw(&data, 5),
                  n % 4 == 3 ? -1 : 1);
        assert_same(store, model);
        assert_int_equal(cr_store_get_facts(store, &facts, NULL), CR_OK);
        assert_true(facts.whole);
        cr_store_close(store);
        cr_model_free(model);
    }
}

static void a_new_class_needs_a_word(void **unused)
{
    const char *odd = "never-seen";
    cr_source *source;
    cr_store *store;
    cr_model *model;
    cr_error err = {0};
    char path[100];

    (void)unused;
    make_rows();
    folder(path, "class");
    source = live_source(&data, data.label, 0, 20);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(cr_store_create(path, model, NULL, NULL), CR_OK);
    assert_int_equal(cr_store_create(path, model, NULL, &err), CR_EARG); /* it is there */
    assert_int_equal(cr_store_open(&store, path, NULL, NULL), CR_OK);
    source = live_source(&data, &odd, 5, 1);
    assert_int_equal(cr_store_learn(store, source, 1, 0, NULL, NULL, &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "never-seen"));
    assert_same(store, model);
    cr_source_close(source);
    cr_store_close(store);
    cr_model_free(model);
}

static int64_t clock_of(void *days)
{
    return *(int64_t *)days * 86400 + 5;
}

/* With periods of a day and three days kept, the store is what the last three days' rows give,
 * whatever was learned and unlearned before. */
static void old_days_are_forgotten_exactly(void **unused)
{
    int64_t day = 20000;
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE,
                                      .period = CR_STORE_PERIOD_DAY,
                                      .keep = 3,
                                      .now = clock_of,
                                      .now_context = &day};
    cr_source *source;
    cr_store *store;
    cr_model *model;
    char path[100];

    (void)unused;
    make_rows();
    folder(path, "days");
    source = live_source(&data, data.label, 0, 20);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(cr_store_create(path, model, &options, NULL), CR_OK);
    cr_model_free(model);
    assert_int_equal(cr_store_open(&store, path, &options, NULL), CR_OK);
    for (day = 20001; day < 20009; day++) { /* day d learns rows 20 + 10 (d - 20001) … */
        const size_t first = 20 + 10 * (size_t)(day - 20001);

        source = live_source(&data, data.label + first, first, 10);
        assert_int_equal(cr_store_learn(store, source, 1, CR_STORE_NEW_CLASSES, NULL, NULL, NULL),
                         CR_OK);
        cr_source_close(source);
        if (day == 20006) { /* and takes back the last row of the day before, which is gone then */
            source = live_source(&data, data.label + first - 1, first - 1, 1);
            assert_int_equal(cr_store_learn(store, source, -1, 0, NULL, NULL, NULL), CR_OK);
            cr_source_close(source);
        }
        assert_int_equal(cr_store_check(store, NULL), CR_OK);
    }
    day--; /* that of rows 90 … 99; 70 … 89 are of the two before: what was taken back is forgotten
            */
    source = live_source(&data, data.label + 70, 70, 30);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_same(store, model);
    cr_model_free(model);
    cr_store_close(store);
}

/* --- pruning ---------------------------------------------------------------------------------- */

/* How often a word occurs in rows, each of which ends its words with a blank. */
static size_t occurrences(const char *word, size_t length, size_t first, size_t rows)
{
    size_t count = 0;

    for (size_t r = first; r < first + rows; r++)
        for (const char *at = data.text_at[r]; at != NULL && *at != '\0';) {
            const size_t n = strcspn(at, " ");

            count += n == length && memcmp(at, word, n) == 0;
            at += n + (at[n] == ' ');
        }
    return count;
}

/* Leave the words of some rows out that occur less than least times in others. What is left is a
 * text, if without a word: an empty one would be missing. */
static void leave_out(size_t rows, size_t of, size_t of_rows, size_t least)
{
    static char fewer[ROWS][LIVE_TEXT];

    for (size_t r = 0; r < rows; r++) {
        strcpy(fewer[r], ". ");
        for (const char *at = data.text_at[r]; at != NULL && *at != '\0';) {
            const size_t n = strcspn(at, " ");

            if (occurrences(at, n, of, of_rows) >= least) {
                strncat(fewer[r], at, n);
                strcat(fewer[r], " ");
            }
            at += n + (at[n] == ' ');
        }
    }
    for (size_t r = 0; r < rows; r++)
        data.text_at[r] = data.text_at[r] == NULL ? NULL : fewer[r];
}

/* Pruned, the store is the model of the same rows without these words. */
static void rare_and_old_words_are_dropped(void **unused)
{
    int64_t day = 20000;
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE,
                                      .period = CR_STORE_PERIOD_DAY,
                                      .now = clock_of,
                                      .now_context = &day};
    cr_store_pruned dropped;
    cr_store_facts facts;
    cr_source *source;
    cr_store *store;
    cr_model *model;
    cr_error err = {0};
    char path[100];

    (void)unused;
    for (int old = 0; old < 2; old++) {
        make_rows();
        folder(path, "prune");
        source = live_source(&data, data.label, 0, 100);
        assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
        cr_source_close(source);
        day = 20000;
        assert_int_equal(cr_store_create(path, model, old ? &options : NULL, NULL), CR_OK);
        cr_model_free(model);
        assert_int_equal(cr_store_open(&store, path, old ? &options : NULL, NULL), CR_OK);
        day = 20010;
        source = live_source(&data, data.label + 100, 100, 100);
        assert_int_equal(cr_store_learn(store, source, 1, CR_STORE_NEW_CLASSES, NULL, NULL, NULL),
                         CR_OK);
        cr_source_close(source);
        if (!old)
            assert_int_equal(
                cr_store_prune(store, &(cr_store_prune_options){.unseen = 5}, NULL, &err),
                CR_ECONFLICT); /* it has no periods */
        assert_int_equal(cr_store_prune(store,
                                        old ? &(cr_store_prune_options){.unseen = 5}
                                            : &(cr_store_prune_options){.below = 3},
                                        &dropped, NULL),
                         CR_OK);
        assert_true(dropped.words > 0 && dropped.occurrences >= dropped.words);
        leave_out(old ? 100 : 200, old ? 100 : 0, old ? 100 : 200, old ? 1 : 3);
        source = live_source(&data, data.label, 0, 200);
        assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
        cr_source_close(source);
        assert_same(store, model);
        assert_int_equal(cr_store_get_facts(store, &facts, NULL), CR_OK);
        assert_int_equal(facts.words, cr_model_words(model, 0));
        assert_int_equal(cr_store_check(store, NULL), CR_OK);
        cr_model_free(model);
        cr_store_close(store);
    }
}

/* --- messages --------------------------------------------------------------------------------- */

static const char *message_of(char *room, size_t size, size_t r)
{
    snprintf(room, size, "Subject: about %s\nX-Credence: spam\n\n%s and %s\n",
             data.colour[r] == NULL ? "nothing" : data.colour[r], data.text_at[r],
             data.text_at[(r + 1) % ROWS]);
    return room;
}

/* The verdict on a message whose words are read once is that of the whole model, bit for bit. */
static void assert_same_judgement(cr_store *store, const cr_model *model, const char *message)
{
    cr_filter_limits limits;
    cr_filter_judgement a, b;
    double p[2], q[2];
    size_t spam;
    cr_model *view;
    cr_row *row;

    assert_int_equal(cr_filter_limits_read(&limits, NULL, NULL), CR_OK);
    assert_int_equal(cr_filter_spam_class(model, NULL, &spam, NULL), CR_OK);
    assert_int_equal(cr_filter_judge(model, message, strlen(message), spam, &limits, &a, p, NULL),
                     CR_OK);
    assert_int_equal(cr_store_view_message(store, message, strlen(message), &view, &row, NULL),
                     CR_OK);
    assert_int_equal(cr_filter_judge_row(view, row, spam, &limits, &b, q, NULL), CR_OK);
    assert_int_equal(a.verdict, b.verdict);
    assert_memory_equal(p, q, sizeof p);
    cr_row_free(row);
    cr_model_free(view);
}

/* Messages that are learned one by one leave what training on all of them leaves. */
static void messages_are_learned_one_by_one(void **unused)
{
    static const char *const knobs[] = {"preset=mail"};
    char path[100], room[2000];
    cr_model *model = NULL;
    cr_store *store;

    (void)unused;
    make_rows();
    folder(path, "messages");
    for (size_t r = 0; r < 100; r++) {
        const char *message = message_of(room, sizeof room, r), *label = labels[r % 3 != 0];
        const size_t size = strlen(message);

        if (r == 0) {
            assert_int_equal(cr_filter_train(&model, message, size, label, knobs, 1, NULL), CR_OK);
            assert_int_equal(cr_store_create(path, model, NULL, NULL), CR_OK);
            assert_int_equal(cr_store_open(&store, path, NULL, NULL), CR_OK);
            continue;
        }
        if (r > 2)
            assert_same_judgement(store, model, message);
        assert_int_equal(cr_filter_teach(model, message, size, NULL, label, 1, NULL, NULL, NULL),
                         CR_OK);
        assert_int_equal(cr_store_teach_mail(store, message, size, NULL, label, 1, NULL, NULL),
                         CR_OK);
        assert_same(store, model);
    }
    assert_int_equal(cr_store_check(store, NULL), CR_OK);
    cr_model_free(model);
    cr_store_close(store);
}

/* On error: what is judged right is counted and not learned. */
static void what_is_judged_right_is_counted(void **unused)
{
    static const char *const knobs[] = {"preset=mail"};
    const cr_store_options options = {.calibrate = "temperature"};
    const cr_filter_limits limits = {0.5, 0.5};
    char path[100], room[2000];
    uint64_t all = 0, learned_now;
    cr_model *model;
    cr_store *store;
    cr_store_facts facts;

    (void)unused;
    folder(path, "errors");
    for (size_t r = 0; r < 60; r++) {
        const size_t size =
            (size_t)snprintf(room, sizeof room, "Subject: %s\n\nnumber %zu\n",
                             r % 2 ? "cheap pills and a prize" : "minutes of the meeting", r / 2);

        if (r == 0) {
            assert_int_equal(cr_filter_train(&model, room, size, "ham", knobs, 1, NULL), CR_OK);
            assert_int_equal(cr_store_create(path, model, &options, NULL), CR_OK);
            assert_int_equal(cr_store_open(&store, path, &options, NULL), CR_OK);
            cr_model_free(model);
            continue;
        }
        assert_int_equal(cr_store_teach_errors(store, room, size, r % 2 ? "spam" : "ham", NULL,
                                               &limits, 1, &learned_now, NULL),
                         CR_OK);
        all += learned_now;
    }
    assert_int_equal(cr_store_get_facts(store, &facts, NULL), CR_OK);
    assert_in_range(all, 1, 20); /* two subjects are soon told apart */
    assert_int_equal(facts.rows, all + 1);
    assert_int_equal(facts.judged, 58); /* 60, but for those before there were two classes */
    assert_int_equal(facts.good + facts.spam, 58);
    assert_int_equal(cr_store_check(store, NULL), CR_OK);
    cr_store_close(store);
}

/* Odds ten times beyond: 0.99 is 99 to 1 and 990 to 1 is 990/991; 0.1 is 1 to 9, and 1 to 90 is
 * 1/91. Nothing is beyond 0 and 1. */
static void certain_is_ten_times_beyond_the_limits(void **unused)
{
    cr_filter_limits l, c;

    (void)unused;
    assert_int_equal(cr_filter_limits_read(&l, NULL, NULL), CR_OK);
    c = cr_filter_certain(&l);
    assert_float_equal(c.low, 1.0 / 91, 1e-15);
    assert_float_equal(c.high, 990.0 / 991, 1e-15);
    c = cr_filter_certain(&(cr_filter_limits){0, 1});
    assert_true(c.low == 0 && c.high == 1);
}

/* P(spam) of a message by the store as it is. */
static double judged(cr_store *store, const char *message)
{
    const cr_filter_limits limits = {0.5, 0.5};
    cr_filter_judgement v;
    cr_model *model;
    size_t spam;

    assert_int_equal(cr_store_view_mail(store, message, strlen(message), &model, NULL), CR_OK);
    assert_int_equal(cr_filter_spam_class(model, NULL, &spam, NULL), CR_OK);
    assert_int_equal(
        cr_filter_judge(model, message, strlen(message), spam, &limits, &v, NULL, NULL), CR_OK);
    cr_model_free(model);
    return v.spam;
}

/* A message with odds o of spam is learned as spam under limits of up to o, and of more than o / 10
 * too: it is right, but not certain. */
static void what_is_only_just_right_is_learned(void **unused)
{
    static const char *const knobs[] = {"preset=mail"};
    static const char *const message[] = {"Subject: minutes\n\nthe meeting\n",
                                          "Subject: a prize\n\ncheap pills\n"};
    cr_model *model;
    cr_store *store;
    char path[100];
    double p, odds;

    (void)unused;
    folder(path, "margin");
    assert_int_equal(cr_filter_train(&model, message[0], strlen(message[0]), "ham", knobs, 1, NULL),
                     CR_OK);
    assert_int_equal(
        cr_filter_teach(model, message[1], strlen(message[1]), NULL, "spam", 1, NULL, NULL, NULL),
        CR_OK);
    assert_int_equal(cr_store_create(path, model, NULL, NULL), CR_OK);
    cr_model_free(model);
    assert_int_equal(cr_store_open(&store, path, NULL, NULL), CR_OK);
    p = judged(store, message[1]);
    odds = p / (1 - p);
    for (int beyond = 5; beyond <= 20; beyond += 15) {
        const double limit = odds / beyond / (1 + odds / beyond);
        const cr_filter_limits limits = {limit / 2, limit};
        uint64_t learned_now;

        assert_true(p > limit); /* right */
        if (beyond == 5)
            assert_true(p < cr_filter_certain(&limits).high);
        assert_int_equal(cr_store_teach_errors(store, message[1], strlen(message[1]), "spam", NULL,
                                               &limits, 0, &learned_now, NULL),
                         CR_OK);
        assert_int_equal(learned_now, beyond == 5);
        p = judged(store, message[1]);
        odds = p / (1 - p);
    }
    cr_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_equal_those_in_memory),
        cmocka_unit_test(models_that_are_kept_whole),
        cmocka_unit_test(a_new_class_needs_a_word),
        cmocka_unit_test(old_days_are_forgotten_exactly),
        cmocka_unit_test(rare_and_old_words_are_dropped),
        cmocka_unit_test(messages_are_learned_one_by_one),
        cmocka_unit_test(what_is_judged_right_is_counted),
        cmocka_unit_test(certain_is_ten_times_beyond_the_limits),
        cmocka_unit_test(what_is_only_just_right_is_learned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
