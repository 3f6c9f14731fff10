/* tests/store/test_together.c - lessons of processes that teach at the same time: each counts once,
 * whoever is killed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "credence/credence.h"
#include "data/table.h"
#include "source/source.h"
#include "stats/table_read.h"
#include "store/queue.h"
#include "store/store.h"
#include "store/teach.h"

static const char head[] = "text,class\n";
static const char seed[] = "text,class\na dog barks,ham\nthe cat sleeps,spam\n"
                           "a dog sleeps,ham\nthe cat barks,spam\n";

enum { TEACHERS = 6, MOST = 4000 };

static cr_source *source_of(const char *csv)
{
    static const char *const types[] = {"text=text"};
    const cr_source_options options = {
        .format = "csv", .target = "class", .types = types, .type_count = 1};
    cr_source *source;

    assert_int_equal(cr_source_open_memory(&source, csv, strlen(csv), NULL, &options, NULL), CR_OK);
    return source;
}

static cr_model *train(const char *csv)
{
    cr_source *source = source_of(csv);
    cr_model *model;

    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    return model;
}

static cr_store *open_store(const char *path)
{
    cr_store *store;

    assert_int_equal(cr_store_open(&store, path, NULL, NULL), CR_OK);
    return store;
}

static void make_store(const char *path)
{
    cr_model *model = train(seed);
    char command[100];

    snprintf(command, sizeof command, "rm -rf %s", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(cr_store_create(path, model, NULL, NULL), CR_OK);
    cr_model_free(model);
}

/* The row of a lesson has a word that no other row has. */
static void write_row(char *out, size_t size, int teacher, int lesson)
{
    snprintf(out, size, "a cat t%dl%d,%s\n", teacher, lesson, lesson % 2 ? "ham" : "spam");
}

static cr_status teach(cr_store *store, int teacher, int lesson, int sign, cr_tally *tally,
                       cr_error *err)
{
    const cr_run one = {.threads = 1};
    char csv[200], row[100];
    cr_source *source;
    cr_status st;

    write_row(row, sizeof row, teacher, lesson);
    snprintf(csv, sizeof csv, "%s%s", head, row);
    source = source_of(csv);
    st = cr_store_learn(store, source, sign, 0, &one, tally, err);
    cr_source_close(source);
    return st;
}

/* In how many rows the word of a lesson is. In a transaction. */
static int64_t times(cr_store *store, int teacher, int lesson)
{
    cr__word_record record = {0};
    cr__buffer key = {0};
    cr__bytes value;
    int64_t documents = 0;
    char word[50];

    snprintf(word, sizeof word, "t%dl%d", teacher, lesson);
    cr__record_key(&key, 0, word, strlen(word));
    assert_int_equal(cr__store_get(store, key.data, key.size, &value, NULL), CR_OK);
    assert_int_equal(cr__word_record_read(&record, value.at, value.size), CR_OK);
    for (size_t i = 0; i < record.cells; i++)
        documents += record.cell[i].documents;
    cr__word_record_free(&record);
    cr__buffer_free(&key);
    return documents;
}

static int64_t times_now(const char *path, int teacher, int lesson)
{
    cr_store *store = open_store(path);
    int64_t n;

    assert_int_equal(cr__store_begin(store, 0, NULL), CR_OK);
    n = times(store, teacher, lesson);
    cr__store_give_up(store);
    cr_store_close(store);
    return n;
}

static void *shared(size_t size)
{
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(room != MAP_FAILED);
    return room;
}

static void nap(long microseconds)
{
    nanosleep(&(struct timespec){0, 1000 * microseconds}, NULL);
}

/* --- killed at any time ------------------------------------------------------------------------
 */

/* Shared with the teachers: how far each is. A lesson that had begun when its teacher was killed
 * may be there or not. */
typedef struct progress {
    atomic_int begun[TEACHERS], acknowledged[TEACHERS], enough;
    char unsure[TEACHERS][MOST];
} progress;

static void go_on(const char *path, progress *p, int teacher)
{
    cr_store *store;

    if (cr_store_open(&store, path, NULL, NULL) != CR_OK)
        _exit(1);
    while (!atomic_load(&p->enough)) {
        const int lesson = atomic_fetch_add(&p->begun[teacher], 1);
        cr_tally tally = {0};

        if (lesson == MOST || teach(store, teacher, lesson, 1, &tally, NULL) != CR_OK ||
            tally.rows != 1)
            _exit(2);
        atomic_store(&p->acknowledged[teacher], lesson + 1);
    }
    cr_store_close(store);
    _exit(0);
}

static pid_t start(const char *path, progress *p, int teacher)
{
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        go_on(path, p, teacher);
    return child;
}

/* Each lesson that was acknowledged is there once, others once or not at all; and the store is the
 * model of exactly these rows, byte for byte. */
static void compare(const char *path, const progress *p)
{
    static char csv[TEACHERS * MOST * 40 + sizeof seed];
    size_t size = (size_t)snprintf(csv, sizeof csv, "%s", seed), lengths[2];
    cr_store *store = open_store(path);
    cr_model *model[2];
    void *bytes[2];
    int sure = 0;

    assert_int_equal(cr_store_check(store, NULL), CR_OK);
    assert_int_equal(cr__store_begin(store, 0, NULL), CR_OK);
    for (int t = 0; t < TEACHERS; t++)
        for (int i = 0; i < atomic_load(&p->begun[t]); i++) {
            const int64_t n = times(store, t, i);

            if (n > 1 || (n == 0 && !p->unsure[t][i]))
                fail_msg("lesson %d of teacher %d is there %d times", i, t, (int)n);
            sure += !p->unsure[t][i];
            if (n == 1) {
                write_row(csv + size, sizeof csv - size, t, i);
                size += strlen(csv + size);
            }
        }
    cr__store_give_up(store);
    assert_true(sure > 2 * TEACHERS);
    assert_int_equal(cr_store_model(store, &model[0], NULL), CR_OK);
    model[1] = train(csv);
    for (int m = 0; m < 2; m++)
        assert_int_equal(cr_model_save_bytes(model[m], &bytes[m], &lengths[m], NULL), CR_OK);
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    for (int m = 0; m < 2; m++) {
        cr_bytes_free(bytes[m]);
        cr_model_free(model[m]);
    }
    cr_store_close(store);
}

static void lessons_count_once_though_teachers_are_killed(void **unused)
{
    const char *path = "killed.store";
    progress *p = shared(sizeof *p);
    pid_t child[TEACHERS];
    int status;

    (void)unused;
    make_store(path);
    srand(1);
    for (int t = 0; t < TEACHERS; t++)
        child[t] = start(path, p, t);
    for (int kills = 0; kills < 150; kills++) {
        const int t = rand() % TEACHERS;

        nap(rand() % 12000);
        assert_int_equal(kill(child[t], SIGKILL), 0);
        assert_int_equal(waitpid(child[t], &status, 0), child[t]);
        assert_true(WIFSIGNALED(status));
        if (atomic_load(&p->begun[t]) > atomic_load(&p->acknowledged[t]))
            p->unsure[t][atomic_load(&p->begun[t]) - 1] = 1;
        child[t] = start(path, p, t);
    }
    nap(100000);
    atomic_store(&p->enough, 1);
    for (int t = 0; t < TEACHERS; t++) {
        assert_int_equal(waitpid(child[t], &status, 0), child[t]);
        assert_int_equal(status, 0);
    }
    compare(path, p);
    munmap(p, sizeof *p);
}

/* --- killed at the worst time ------------------------------------------------------------------
 */

static atomic_int *to_kill; /* so many of those who lead, after their commit */

static void die(void)
{
    if (atomic_fetch_sub(to_kill, 1) > 0)
        raise(SIGKILL);
}

/* A process that learns (sign 1) or takes back one lesson. Its exit status is that of the lesson.
 */
static pid_t one_lesson(const char *path, int teacher, int sign)
{
    const pid_t child = fork();
    cr_tally tally = {0};
    cr_store *store;
    cr_status st;

    assert_true(child >= 0);
    if (child > 0)
        return child;
    cr__store_committed = die;
    if (cr_store_open(&store, path, NULL, NULL) != CR_OK)
        _exit(99);
    st = teach(store, teacher, 0, sign, &tally, NULL);
    cr_store_close(store);
    _exit(st == CR_OK && tally.rows != 1 ? 98 : (int)st);
}

/* Until so many lessons wait. */
static void wait_for(const cr__queue *queue, int lessons)
{
    static cr__posted posted;
    int waiting = -1;

    for (int tries = 0; waiting != lessons && tries < 20000; tries++) {
        waiting = 0;
        for (size_t i = 0; i < CR__QUEUE_PLACES; i++)
            waiting += cr__queue_take(queue, i, &posted);
        nap(500);
    }
    assert_int_equal(waiting, lessons);
}

/* While the store is being written by somebody else, the first of some processes begins to lead and
 * the rest come to wait; then it goes on. */
typedef struct meeting {
    cr_store *store;
    cr__queue *queue;
} meeting;

static meeting begin_meeting(const char *path)
{
    meeting m = {.store = open_store(path), .queue = cr__queue_open(path)};

    assert_non_null(m.queue);
    assert_int_equal(cr__store_begin(m.store, 1, NULL), CR_OK);
    return m;
}

static void wait_for_leader(const meeting *m)
{
    for (int tries = 0; cr__queue_lead(m->queue); tries++) {
        cr__queue_resign(m->queue);
        assert_true(tries < 20000);
        nap(500);
    }
}

/* The first leads when nobody else can. */
static pid_t first_of(const meeting *m, const char *path, int teacher)
{
    const pid_t child = one_lesson(path, teacher, 1);

    wait_for_leader(m);
    return child;
}

static void end_meeting(meeting *m)
{
    cr__store_give_up(m->store);
    cr_store_close(m->store);
    cr__queue_close(m->queue);
}

static int status_of(pid_t child)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int exit_of(pid_t child)
{
    const int status = status_of(child);

    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void what_one_who_was_killed_had_committed_is_not_stored_again(void **unused)
{
    const char *path = "committed.store";

    (void)unused;
    for (int kills = 0; kills <= 2; kills++) {
        int killed = 0;
        pid_t child[3];
        meeting m;

        make_store(path);
        atomic_store(to_kill, kills);
        m = begin_meeting(path);
        child[0] = first_of(&m, path, 0);
        child[1] = one_lesson(path, 1, 1);
        child[2] = one_lesson(path, 2, 1);
        wait_for(m.queue, 2);
        end_meeting(&m);
        for (int i = 0; i < 3; i++) {
            const int status = status_of(child[i]);

            killed += WIFSIGNALED(status);
            assert_true(WIFSIGNALED(status) || status == 0);
        }
        assert_int_equal(killed, kills);
        for (int i = 0; i < 3; i++)
            assert_int_equal(times_now(path, i, 0), 1);
    }
    atomic_store(to_kill, 0);
}

static void who_is_refused_learns_it_and_others_do_not(void **unused)
{
    const char *path = "refused.store";
    pid_t child[4];
    meeting m;

    (void)unused;
    make_store(path);
    m = begin_meeting(path);
    child[0] = first_of(&m, path, 0);
    child[1] = one_lesson(path, 1, 1);
    child[2] = one_lesson(path, 2, -1); /* nobody has learned that */
    child[3] = one_lesson(path, 3, 1);
    wait_for(m.queue, 3);
    end_meeting(&m);
    for (int i = 0; i < 4; i++)
        assert_int_equal(exit_of(child[i]), i == 2 ? CR_ECONFLICT : CR_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(times_now(path, i, 0), i != 2);
}

static void what_the_dead_have_posted_is_not_stored(void **unused)
{
    const char *path = "dead.store";
    pid_t child[3];
    meeting m;

    (void)unused;
    make_store(path);
    m = begin_meeting(path);
    child[0] = first_of(&m, path, 0);
    child[1] = one_lesson(path, 1, 1);
    wait_for(m.queue, 1);
    assert_int_equal(kill(child[1], SIGKILL), 0);
    assert_true(WIFSIGNALED(status_of(child[1])));
    wait_for(m.queue, 0);
    end_meeting(&m);
    assert_int_equal(exit_of(child[0]), CR_OK);
    child[2] = one_lesson(path, 2, 1);
    assert_int_equal(exit_of(child[2]), CR_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(times_now(path, i, 0), i != 1);
}

/* --- on error ------------------------------------------------------------------------------------
 */

static void write_message(char *out, size_t size, int number)
{
    snprintf(out, size, "Subject: %s\n\nnumber %d\n",
             number % 2 ? "cheap pills and a prize" : "minutes of the meeting", number / 2);
}

/* A process that learns a message as what it is, or as the other class, unless it is judged so. Its
 * exit status is the number of messages that were learned. */
static pid_t one_error(const char *path, int number, int other)
{
    const char *class_name = number % 2 == other ? "ham" : "spam";
    const cr_filter_limits limits = {0.5, 0.5};
    const pid_t child = fork();
    uint64_t learned;
    char room[200];
    cr_store *store;

    assert_true(child >= 0);
    if (child > 0)
        return child;
    write_message(room, sizeof room, number);
    if (cr_store_open(&store, path, NULL, NULL) != CR_OK ||
        cr_store_teach_errors(store, room, strlen(room), class_name, NULL, &limits, 0, &learned,
                              NULL) != CR_OK)
        _exit(99);
    cr_store_close(store);
    _exit((int)learned);
}

static void make_mail_store(const char *path, int messages)
{
    static const char *const knobs[] = {"preset=mail"};
    cr_model *model;
    char room[200];

    snprintf(room, sizeof room, "rm -rf %s", path);
    assert_int_equal(system(room), 0);
    write_message(room, sizeof room, 0);
    assert_int_equal(cr_filter_train(&model, room, strlen(room), "ham", knobs, 1, NULL), CR_OK);
    for (int i = 1; i < messages; i++) {
        write_message(room, sizeof room, i);
        assert_int_equal(cr_filter_teach(model, room, strlen(room), NULL, i % 2 ? "spam" : "ham", 1,
                                         NULL, NULL, NULL),
                         CR_OK);
    }
    assert_int_equal(cr_store_create(path, model, NULL, NULL), CR_OK);
    cr_model_free(model);
}

/* A store that knows both kinds well learns none of their messages, unless they are given as what
 * they are not; in both cases who leads stores the lessons of the others. */
static void errors_are_learned_together(void **unused)
{
    const char *path = "errors.store";

    (void)unused;
    for (int other = 0; other < 2; other++) {
        cr_store_facts facts;
        cr_store *store;
        pid_t child[3];
        meeting m;

        make_mail_store(path, 60);
        m = begin_meeting(path);
        child[0] = one_error(path, 100, other);
        wait_for_leader(&m);
        child[1] = one_error(path, 101, other);
        child[2] = one_error(path, 102, other);
        wait_for(m.queue, 2); /* they are posted, and do not wait for a turn of their own */
        end_meeting(&m);
        for (int i = 0; i < 3; i++)
            assert_int_equal(exit_of(child[i]), other);
        store = open_store(path);
        assert_int_equal(cr_store_get_facts(store, &facts, NULL), CR_OK);
        assert_int_equal(facts.rows, other ? 63 : 60);
        assert_int_equal(facts.judged, 3); /* all are counted */
        assert_int_equal(cr_store_check(store, NULL), CR_OK);
        cr_store_close(store);
    }
}

/* A queue that is full, damaged or cannot be there is no reason to refuse a lesson. */
static void a_store_without_a_queue_learns(void **unused)
{
    const char *path = "alone.store";

    (void)unused;
    make_store(path);
    assert_int_equal(mkdir("alone.store/queue", 0777), 0);
    assert_int_equal(exit_of(one_lesson(path, 0, 1)), CR_OK);
    assert_int_equal(rmdir("alone.store/queue"), 0);
    assert_int_equal(system("head -c 264968 /dev/urandom >alone.store/queue"), 0);
    assert_int_equal(exit_of(one_lesson(path, 1, 1)), CR_OK);
    assert_int_equal(system("head -c 1000 /dev/urandom >alone.store/queue"), 0);
    assert_int_equal(exit_of(one_lesson(path, 2, 1)), CR_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(times_now(path, i, 0), 1);
}

/* What a link leads to is not the store's to empty. */
static void a_queue_that_is_a_link_leads_nowhere(void **unused)
{
    const char *path = "linked.store";

    (void)unused;
    make_store(path);
    assert_int_equal(system("rm -f linked.store/queue; echo keep this >precious"), 0);
    assert_int_equal(symlink("../precious", "linked.store/queue"), 0);
    assert_int_equal(exit_of(one_lesson(path, 0, 1)), CR_OK);
    assert_int_equal(times_now(path, 0, 0), 1);
    assert_int_equal(system("test \"$(cat precious)\" = 'keep this'"), 0);
}

/* Without its list nobody could tell what is stored. */
static void a_list_that_makes_no_sense_is_found(void **unused)
{
    cr_error err = {0};
    cr_store *store;

    (void)unused;
    make_store("list.store");
    store = open_store("list.store");
    assert_int_equal(cr__store_begin(store, 1, NULL), CR_OK);
    assert_int_equal(cr__store_put(store, "Q", 1, "\x05\x01\x80", 3, NULL), CR_OK);
    assert_int_equal(cr__store_commit(store, NULL), CR_OK);
    assert_int_equal(cr_store_check(store, &err), CR_EFORMAT);
    assert_non_null(strstr(err.message, "list of lessons"));
    assert_int_equal(teach(store, 0, 0, 1, NULL, NULL), CR_EFORMAT);
    cr_store_close(store);
}

/* --- as bytes ----------------------------------------------------------------------------------
 */

static const char table_csv[] = "text,size,colour,n,class\n"
                                "a dog barks,1.5,red,2,ham\n,-0,,1,spam\n"
                                "the cat the cat,1e30,blue,3,ham\n";

static cr__table *read_csv(const char *csv, cr_model **model)
{
    static const char *const types[] = {"text=text", "size=real"};
    const cr_source_options options = {
        .format = "csv", .target = "class", .types = types, .type_count = 2, .weight = "n"};
    const cr_run one = {.threads = 1};
    cr__table *table;
    cr_source *source;

    assert_int_equal(cr_source_open_memory(&source, csv, strlen(csv), NULL, &options, NULL), CR_OK);
    assert_int_equal(cr_model_train(model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(cr_source_open_memory(&source, csv, strlen(csv), NULL, &options, NULL), CR_OK);
    assert_int_equal(cr__source_bind(source, (*model)->schema, 1, 0, NULL), CR_OK);
    assert_int_equal(
        cr__table_read(&table, source, (*model)->schema, &(*model)->recipe, &one, NULL), CR_OK);
    cr_source_close(source);
    return table;
}

static void assert_same_column(const cr__table_column *a, const cr__table_column *b, size_t rows)
{
    assert_int_equal(a->kind, b->kind);
    if (a->kind == CR_REAL)
        assert_memory_equal(a->real, b->real, rows * sizeof *a->real);
    if (a->kind != CR_SYMBOL && a->kind != CR_BAG)
        return;
    assert_memory_equal(a->code, b->code, rows * sizeof *a->code);
    assert_int_equal(a->dict->words, b->dict->words);
    for (uint32_t code = 1; code <= a->dict->words; code++)
        assert_string_equal(cr__dict_word(a->dict, code, NULL), cr__dict_word(b->dict, code, NULL));
    if (a->kind == CR_SYMBOL)
        return;
    assert_memory_equal(a->start, b->start, (rows + 1) * sizeof *a->start);
    assert_memory_equal(a->word, b->word, a->start[rows] * sizeof *a->word);
}

static void rows_are_the_same_after_they_were_bytes(void **unused)
{
    cr_model *model;
    cr__table *table = read_csv(table_csv, &model);
    const cr_filter_limits limits = {0.01, 0.999};
    const cr__taught rows = {.learn = table, .known_only = 1, .limits = &limits, .spam = "junk"};
    cr__buffer bytes = {0}, none = {0};
    cr__lesson read;

    (void)unused;
    assert_int_equal(table->rows, 3);
    assert_non_null(table->weight);
    assert_true(cr__lesson_write(&rows, CR__QUEUE_ROOM, &bytes));
    assert_int_equal(cr__lesson_read(&read, bytes.data, bytes.size, model->schema), CR_OK);
    assert_null(read.unlearn);
    assert_int_equal(read.known_only, 1);
    assert_int_equal(read.on_error, 1);
    assert_memory_equal(&read.limits, &limits, sizeof limits);
    assert_string_equal(read.spam, "junk");
    assert_int_equal(read.learn->rows, 3);
    assert_string_equal(read.learn->missing, table->missing);
    assert_memory_equal(read.learn->weight, table->weight, 3 * sizeof *table->weight);
    assert_memory_equal(read.learn->line, table->line, 3 * sizeof *table->line);
    for (size_t i = 0; i < table->schema->columns; i++)
        assert_same_column(&read.learn->column[i], &table->column[i], 3);
    cr__lesson_free(&read);
    assert_false(cr__lesson_write(&rows, bytes.size - 1, &none)); /* no room */

    /* cut short, and with any byte changed: refused, or other rows */
    for (size_t n = 0; n < bytes.size; n++)
        assert_int_equal(cr__lesson_read(&read, bytes.data, n, model->schema), CR_EFORMAT);
    for (size_t n = 0; n < bytes.size; n++)
        for (int change = 1; change < 256; change += 6) {
            cr_status st;

            bytes.data[n] = (char)(bytes.data[n] ^ change);
            st = cr__lesson_read(&read, bytes.data, bytes.size, model->schema);
            assert_true(st == CR_OK || st == CR_EFORMAT);
            cr__lesson_free(&read);
            bytes.data[n] = (char)(bytes.data[n] ^ change);
        }
    cr__buffer_free(&bytes);
    cr__buffer_free(&none);
    cr__table_free(table);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lessons_count_once_though_teachers_are_killed),
        cmocka_unit_test(what_one_who_was_killed_had_committed_is_not_stored_again),
        cmocka_unit_test(who_is_refused_learns_it_and_others_do_not),
        cmocka_unit_test(what_the_dead_have_posted_is_not_stored),
        cmocka_unit_test(errors_are_learned_together),
        cmocka_unit_test(a_store_without_a_queue_learns),
        cmocka_unit_test(a_queue_that_is_a_link_leads_nowhere),
        cmocka_unit_test(a_list_that_makes_no_sense_is_found),
        cmocka_unit_test(rows_are_the_same_after_they_were_bytes),
    };

    to_kill = shared(sizeof *to_kill);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
