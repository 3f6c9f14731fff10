/* store/meet.c - synchronise two stores that learned separately, here or on two machines.
 *
 * Two processes talk in frames (store/wire.h). The called one sends the state of its store; the
 * other, the answerer, sends its own and what the first lacks; the first sends what the second
 * lacks, and the second an empty frame when it has it. The state of a store that does not exist yet
 * is empty.
 */
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/store.h"
#include "store/wire.h"

/* --- one side --------------------------------------------------------------------------------- */

/* A store that may not exist yet. */
typedef struct side {
    const char *where;
    const cr_store_options *options;
    cr_store *store; /* or NULL */
} side;

static cr_status open_side(side *s, const char *where, const cr_store_options *options,
                           cr_error *err)
{
    *s = (side){.where = where, .options = options};
    return cr_store_is(where) ? cr_store_open(&s->store, where, options, err) : CR_OK;
}

static cr_status put_state(const side *s, const cr__wire *wire, size_t *size, cr_error *err)
{
    void *bytes = NULL;
    cr_status st = CR_OK;

    *size = 0;
    if (s->store != NULL)
        st = cr_store_state(s->store, &bytes, size, err);
    if (st == CR_OK)
        st = cr__wire_put(wire, bytes, *size, err);
    cr_bytes_free(bytes);
    return st;
}

/* What a store with this state lacks, or nothing where there is no store here. */
static cr_status put_stream(const side *s, const cr__buffer *state, const cr__wire *wire,
                            cr_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    cr_status st = CR_OK;

    if (s->store != NULL)
        st = cr_store_send(s->store, state->size == 0 ? NULL : state->data, state->size, &bytes,
                           &size, err);
    if (st == CR_OK)
        st = cr__wire_put(wire, bytes, size, err);
    cr_bytes_free(bytes);
    return st;
}

/* Absorb a stream; a store that does not exist is created from it. */
static cr_status take_over(const side *s, const void *bytes, size_t size, cr_error *err)
{
    cr_status st;

    if (size == 0)
        return CR_OK;
    st = s->store != NULL ? cr_store_receive(s->store, bytes, size, err)
                          : cr_store_create_from(s->where, bytes, size, s->options, err);
    return st == CR_OK ? CR_OK : cr__fail_at(err, st, s->where, 0, 0);
}

static cr_status neither(const char *a, const char *b, cr_error *err)
{
    cr__fail(err, CR_EARG, "there is no store, neither at %s nor at %s", a, b);
    return cr__fail_hint(err, CR_EARG, "the first store is made from a model");
}

/* --- two stores here -------------------------------------------------------------------------- */

/* A process must not open a store twice. */
static int is_one_folder(const char *first, const char *second)
{
    struct stat a, b;

    return strcmp(first, second) == 0 || (stat(first, &a) == 0 && stat(second, &b) == 0 &&
                                          a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* A store that does not exist is created from everything in the other. */
static cr_status make_side(const side *from, const side *to, cr_error *err)
{
    void *bytes;
    size_t size;
    cr_status st = cr_store_send(from->store, NULL, 0, &bytes, &size, err);

    if (st == CR_OK)
        st = take_over(to, bytes, size, err);
    cr_bytes_free(bytes);
    return st;
}

static cr_status meet_here(const char *first, const char *second, const cr_store_options *options,
                           cr_error *err)
{
    side a = {0}, b = {0};
    cr_status st;

    if (is_one_folder(first, second))
        return cr__fail(err, CR_EARG, "%s is one store, not two", first);
    if ((st = open_side(&a, first, options, err)) == CR_OK)
        st = open_side(&b, second, options, err);
    if (st == CR_OK && a.store == NULL && b.store == NULL)
        st = neither(first, second, err);
    else if (st == CR_OK && a.store != NULL && b.store != NULL)
        st = cr_store_exchange(a.store, b.store, err);
    else if (st == CR_OK)
        st = a.store != NULL ? make_side(&a, &b, err) : make_side(&b, &a, err);
    cr_store_close(a.store);
    cr_store_close(b.store);
    return st;
}

/* --- one of them elsewhere -------------------------------------------------------------------- */

static cr_status talk(const side *s, const cr__wire *wire, cr_error *err)
{
    cr__buffer state = {0}, stream = {0};
    size_t own;
    cr_status st = put_state(s, wire, &own, err);

    if (st == CR_OK && (st = cr__wire_get(wire, &state, err)) == CR_OK)
        st = cr__wire_get(wire, &stream, err);
    if (st == CR_OK && own == 0 && state.size == 0)
        st = neither(s->where, wire->whom, err);
    if (st == CR_OK && (st = take_over(s, stream.data, stream.size, err)) == CR_OK &&
        (st = put_stream(s, &state, wire, err)) == CR_OK)
        st = cr__wire_get(wire, &stream, err);
    cr__buffer_free(&state);
    cr__buffer_free(&stream);
    return st;
}

cr_status cr_store_answer(const char *where, int in, int out, const cr_store_options *options,
                          cr_error *err)
{
    const cr__wire wire = {in, out, "the wire"};
    cr__buffer state = {0}, stream = {0};
    size_t own;
    side s;
    cr_status st = open_side(&s, where, options, err);

    if (st == CR_OK && (st = cr__wire_get(&wire, &state, err)) == CR_OK &&
        (st = put_state(&s, &wire, &own, err)) == CR_OK &&
        (st = put_stream(&s, &state, &wire, err)) == CR_OK &&
        (st = cr__wire_get(&wire, &stream, err)) == CR_OK &&
        (st = take_over(&s, stream.data, stream.size, err)) == CR_OK)
        st = cr__wire_put(&wire, NULL, 0, err);
    cr__buffer_free(&state);
    cr__buffer_free(&stream);
    cr_store_close(s.store);
    return st;
}

/* A path as one word of a shell, with a NUL. */
static void add_quoted(cr__buffer *out, const char *path)
{
    cr__buffer_addc(out, '\'');
    for (; *path != '\0'; path++) {
        if (*path == '\'')
            cr__buffer_adds(out, "'\\''");
        else
            cr__buffer_addc(out, *path);
    }
    cr__buffer_add(out, "'", 2);
}

/* Start `COMMAND HOST credence store answer PATH` with a socket for its input and output. */
static int start(pid_t *child, int its_end, const char *command, char *host, char *path)
{
    extern char **environ;
    char *const argument[] = {"sh",       "-c",    (char *)command, "sh", host,
                              "credence", "store", "answer",        path, NULL};
    posix_spawn_file_actions_t actions;
    int failed;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return 0;
    failed = posix_spawn_file_actions_adddup2(&actions, its_end, STDIN_FILENO) != 0 ||
             posix_spawn_file_actions_adddup2(&actions, its_end, STDOUT_FILENO) != 0 ||
             posix_spawn(child, "/bin/sh", &actions, NULL, argument, environ) != 0;
    posix_spawn_file_actions_destroy(&actions);
    return !failed;
}

/* The dialogue with a process of the command; its exit status tells whether it received
 * everything. */
static cr_status call(const side *s, const char *there, const char *command, char *host, char *path,
                      cr_error *err)
{
    int end[2], status = 0;
    cr__wire wire = {-1, -1, there};
    pid_t child = -1;
    cr_status st;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0)
        return cr__fail_errno(err, "there is no socket");
    wire.in = wire.out = end[0];
    if (!start(&child, end[1], command, host, path))
        child = -1;
    close(end[1]);
    st = child < 0 ? cr__wire_broken(&wire, err) : talk(s, &wire, err);
    close(end[0]);
    if (child > 0 && waitpid(child, &status, 0) == child && st == CR_OK && status != 0)
        st = cr__wire_broken(&wire, err);
    return st;
}

static cr_status meet_there(const char *here, const char *there, const char *command,
                            const cr_store_options *options, cr_error *err)
{
    const char *colon = strchr(there, ':');
    char *host = cr__strndup(there, (size_t)(colon - there));
    cr__buffer path = {0}, script = {0};
    side s = {0};
    cr_status st = CR_OK;

    add_quoted(&path, colon + 1);
    cr__buffer_printf(&script, "exec %s \"$@\"", command == NULL ? "ssh" : command);
    cr__buffer_addc(&script, '\0');
    if (host == NULL || path.failed || script.failed)
        st = cr__fail_memory(err);
    if (st == CR_OK && (st = open_side(&s, here, options, err)) == CR_OK)
        st = call(&s, there, script.data, host, path.data, err);
    cr_store_close(s.store);
    cr__buffer_free(&path);
    cr__buffer_free(&script);
    cr__free(host);
    return st;
}

/* HOST:PATH, and no store here of that name. */
static int is_elsewhere(const char *where)
{
    const char *colon = strchr(where, ':'), *slash = strchr(where, '/');

    return colon != NULL && colon != where && (slash == NULL || colon < slash) &&
           !cr_store_is(where);
}

cr_status cr_store_meet(const char *first, const char *second, const char *command,
                        const cr_store_options *options, cr_error *err)
{
    const int there = is_elsewhere(second);

    if (is_elsewhere(first) && there)
        return cr__fail(err, CR_EARG, "one of the two stores must be here");
    if (is_elsewhere(first))
        return meet_there(second, first, command, options, err);
    return there ? meet_there(first, second, command, options, err)
                 : meet_here(first, second, options, err);
}
