/* tests/base/test_file.c - mappings and atomic replacement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

/* The path of a name inside the test's folder; good until the fourth call after this one. */
static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void assert_content(const char *path, const char *text)
{
    cr__map map;
    assert_int_equal(cr__map_open(&map, path, NULL), CR_OK);
    assert_int_equal(map.size, strlen(text));
    assert_memory_equal(map.data, text, map.size);
    cr__map_close(&map);
}

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static cr_status write_file(const char *path, const char *text, cr_error *err)
{
    cr__writer *w;
    cr_status st = cr__writer_open(&w, path, err);
    if (st == CR_OK)
        st = cr__writer_write(w, text, strlen(text), err);
    if (st == CR_OK)
        return cr__writer_commit(w, err);
    cr__writer_abandon(w);
    return st;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/credence-test-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void map_shows_the_bytes(void **state)
{
    (void)state;
    put(in_folder("a"), "hello\n");
    assert_content(in_folder("a"), "hello\n");
}

static void an_empty_file_is_a_mapping_of_size_0(void **state)
{
    (void)state;
    cr__map map;
    put(in_folder("empty"), "");
    assert_int_equal(cr__map_open(&map, in_folder("empty"), NULL), CR_OK);
    assert_non_null(map.data);
    assert_int_equal(map.size, 0);
    cr__map_close(&map);
    cr__map_close(&map);
}

static void only_regular_files_are_mapped(void **state)
{
    (void)state;
    cr__map map;
    cr_error err;
    assert_int_equal(cr__map_open(&map, in_folder("none"), &err), CR_EIO);
    assert_non_null(strstr(err.message, "none: No such file or directory"));
    assert_null(map.data);
    assert_int_equal(cr__map_open(&map, folder, &err), CR_EIO);
    assert_non_null(strstr(err.message, "is a folder, not a regular file"));
    assert_int_equal(cr__map_open(&map, "/dev/zero", &err), CR_EIO);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_int_equal(cr__map_open(&map, in_folder("pipe"), &err), CR_EIO);
    assert_non_null(strstr(err.message, "pipe or a device"));
}

static void a_new_file_has_the_mode_the_umask_leaves(void **state)
{
    (void)state;
    struct stat st;
    mode_t before = umask(027);
    assert_int_equal(write_file(in_folder("new"), "text", NULL), CR_OK);
    umask(before);
    assert_content(in_folder("new"), "text");
    assert_int_equal(stat(in_folder("new"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(files_in_folder(), 1);
}

static void a_replaced_file_keeps_its_mode(void **state)
{
    (void)state;
    struct stat st;
    put(in_folder("f"), "old");
    assert_int_equal(chmod(in_folder("f"), 0606), 0);
    assert_int_equal(write_file(in_folder("f"), "new", NULL), CR_OK);
    assert_content(in_folder("f"), "new");
    assert_int_equal(stat(in_folder("f"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0606);
}

static void the_old_file_stays_until_commit_and_after_abandon(void **state)
{
    (void)state;
    cr__writer *w;
    put(in_folder("f"), "old");
    assert_int_equal(cr__writer_open(&w, in_folder("f"), NULL), CR_OK);
    assert_int_equal(cr__writer_write(w, "new", 3, NULL), CR_OK);
    assert_content(in_folder("f"), "old");
    cr__writer_abandon(w);
    cr__writer_abandon(NULL);
    assert_content(in_folder("f"), "old");
    assert_int_equal(files_in_folder(), 1);
}

static void a_mapping_outlives_the_replacement_of_its_file(void **state)
{
    (void)state;
    cr__map map;
    put(in_folder("f"), "old");
    assert_int_equal(cr__map_open(&map, in_folder("f"), NULL), CR_OK);
    assert_int_equal(write_file(in_folder("f"), "newer", NULL), CR_OK);
    assert_memory_equal(map.data, "old", 3);
    cr__map_close(&map);
}

static void small_and_large_writes_arrive_in_order(void **state)
{
    (void)state;
    enum { SIZE = 200000 };
    char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 31 % 253);
    cr__writer *w;
    assert_int_equal(cr__writer_open(&w, in_folder("big"), NULL), CR_OK);
    size_t at = 0;
    for (size_t step = 1; at < SIZE; step = step * 3 + 1) {
        size_t n = step < SIZE - at ? step : SIZE - at;
        assert_int_equal(cr__writer_write(w, bytes + at, n, NULL), CR_OK);
        at += n;
    }
    assert_int_equal(cr__writer_commit(w, NULL), CR_OK);
    cr__map map;
    assert_int_equal(cr__map_open(&map, in_folder("big"), NULL), CR_OK);
    assert_int_equal(map.size, SIZE);
    assert_memory_equal(map.data, bytes, SIZE);
    cr__map_close(&map);
    free(bytes);
}

static void a_symbolic_link_stays_and_its_target_changes(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    put(in_folder("sub/real"), "old");
    assert_int_equal(symlink("real", in_folder("sub/inner")), 0);
    assert_int_equal(symlink("sub/inner", in_folder("outer")), 0);
    assert_int_equal(write_file(in_folder("outer"), "new", NULL), CR_OK);
    assert_content(in_folder("sub/real"), "new");
    assert_int_equal(lstat(in_folder("outer"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat(in_folder("sub/inner"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));

    assert_int_equal(symlink("sub/absent", in_folder("dangling")), 0);
    assert_int_equal(write_file(in_folder("dangling"), "made", NULL), CR_OK);
    assert_content(in_folder("sub/absent"), "made");

    assert_int_equal(symlink("loop", in_folder("loop")), 0);
    assert_int_equal(write_file(in_folder("loop"), "x", NULL), CR_EIO);
}

static void a_full_disk_is_reported_by_write_or_commit(void **state)
{
    (void)state;
    cr_error err;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(write_file("/dev/full", "text", &err), CR_EIO);
    assert_string_equal(err.message, "cannot write /dev/full: No space left on device");

    static char block[100000];
    cr__writer *w;
    assert_int_equal(cr__writer_open(&w, "/dev/full", NULL), CR_OK);
    assert_int_equal(cr__writer_write(w, block, sizeof block, NULL), CR_EIO);
    assert_int_equal(cr__writer_write(w, "", 0, NULL), CR_EIO);
    assert_int_equal(cr__writer_commit(w, &err), CR_EIO);
}

/* A limit on the size of files stands in for a disk that fills up half way. */
static void a_write_that_fails_leaves_the_old_bytes(void **state)
{
    (void)state;
    static char block[300000];
    struct rlimit before, small;
    cr_error err;
    cr__writer *w;

    put(in_folder("f"), "precious");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 70000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(cr__writer_open(&w, in_folder("f"), &err), CR_OK);
    cr_status large = cr__writer_write(w, block, sizeof block, &err);
    cr_status commit = cr__writer_commit(w, &err);
    setrlimit(RLIMIT_FSIZE, &before);

    assert_int_equal(large, CR_EIO);
    assert_int_equal(commit, CR_EIO);
    assert_non_null(strstr(err.message, "File too large"));
    assert_content(in_folder("f"), "precious");
    assert_int_equal(files_in_folder(), 1);
}

static void a_commit_that_fails_leaves_no_temporary_file(void **state)
{
    (void)state;
    cr__writer *w;
    assert_int_equal(cr__writer_open(&w, in_folder("late"), NULL), CR_OK);
    assert_int_equal(mkdir(in_folder("late"), 0700), 0); /* now rename must fail */
    assert_int_equal(cr__writer_commit(w, NULL), CR_EIO);
    assert_int_equal(files_in_folder(), 1);
}

static void places_that_cannot_hold_a_file_are_refused(void **state)
{
    (void)state;
    cr_error err;
    assert_int_equal(write_file(in_folder("no/such/file"), "x", &err), CR_EIO);
    assert_non_null(strstr(err.message, "No such file or directory"));
    assert_int_equal(write_file(folder, "x", &err), CR_EIO);
    assert_int_equal(write_file(in_folder("new/"), "x", &err), CR_EIO);
    assert_int_equal(write_file("", "x", &err), CR_EIO);
    assert_int_equal(write_file("/dev/fd/987654", "x", &err), CR_EIO);
    assert_int_equal(files_in_folder(), 0);
}

static void an_unwritable_folder_or_file_is_refused(void **state)
{
    (void)state;
    cr_error err;
    if (geteuid() == 0)
        skip(); /* permissions do not bind root */
    put(in_folder("f"), "old");
    chmod(in_folder("f"), 0444);
    assert_int_equal(write_file(in_folder("f"), "new", &err), CR_EIO);
    assert_non_null(strstr(err.message, "Permission denied"));
    chmod(in_folder("f"), 0644);
    chmod(folder, 0555);
    cr_status st = write_file(in_folder("f"), "new", &err);
    chmod(folder, 0755);
    assert_int_equal(st, CR_EIO);
    assert_content(in_folder("f"), "old");
}

static void an_open_descriptor_is_written_straight_through(void **state)
{
    (void)state;
    char path[32];
    put(in_folder("log"), "first ");
    int fd = open(in_folder("log"), O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    assert_int_equal(write_file(path, "second", NULL), CR_OK);
    assert_int_equal(write(fd, " third", 6), 6); /* ours is still open */
    close(fd);
    assert_content(in_folder("log"), "first second third");

    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    fd = open(in_folder("out"), O_WRONLY | O_CREAT, 0600);
    dup2(fd, STDOUT_FILENO);
    cr_status dash = write_file("-", "dash ", NULL);
    cr_status name = write_file("/dev/stdout", "name", NULL);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(fd);
    assert_int_equal(dash, CR_OK);
    assert_int_equal(name, CR_OK);
    assert_content(in_folder("out"), "dash name");
}

static void lack_of_memory_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    put(in_folder("f"), "old");
    for (long n = 0;; n++) {
        cr__memory_fail_after = n;
        cr_status st = write_file(in_folder("f"), "new", NULL);
        int reached = cr__memory_fail_after < 0;
        cr__memory_fail_after = -1;
        assert_int_equal(files_in_folder(), 1);
        if (st == CR_OK && !reached)
            break;
        if (st != CR_OK) {
            assert_int_equal(st, CR_ENOMEM);
            assert_content(in_folder("f"), "old");
        }
        assert_true(n < 20);
    }
    assert_content(in_folder("f"), "new");
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(map_shows_the_bytes),
        IN_A_FOLDER(an_empty_file_is_a_mapping_of_size_0),
        IN_A_FOLDER(only_regular_files_are_mapped),
        IN_A_FOLDER(a_new_file_has_the_mode_the_umask_leaves),
        IN_A_FOLDER(a_replaced_file_keeps_its_mode),
        IN_A_FOLDER(the_old_file_stays_until_commit_and_after_abandon),
        IN_A_FOLDER(a_mapping_outlives_the_replacement_of_its_file),
        IN_A_FOLDER(small_and_large_writes_arrive_in_order),
        IN_A_FOLDER(a_symbolic_link_stays_and_its_target_changes),
        IN_A_FOLDER(a_full_disk_is_reported_by_write_or_commit),
        IN_A_FOLDER(a_write_that_fails_leaves_the_old_bytes),
        IN_A_FOLDER(a_commit_that_fails_leaves_no_temporary_file),
        IN_A_FOLDER(places_that_cannot_hold_a_file_are_refused),
        IN_A_FOLDER(an_unwritable_folder_or_file_is_refused),
        IN_A_FOLDER(an_open_descriptor_is_written_straight_through),
        IN_A_FOLDER(lack_of_memory_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
