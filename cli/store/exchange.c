/* cli/store/exchange.c - credence store sync, send, receive, state, answer: stores that learned
 * apart.
 *
 * Over ssh two commands talk in frames, each a length of 8 bytes, the highest first, and so many
 * bytes. The one that was called (sync) sends the state of its store; the other (answer) sends its
 * own, and what the first lacks; the first sends what the second lacks, and the second an empty
 * frame when it has it. The state of a store that is not there yet is empty.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filter/filter.h"
#include "out/out.h"
#include "session/live.h"
#include "session/reserve.h"
#include "store/exchange.h"

/* --- bytes to and fro ----------------------------------------------------------------------- */

static int put(FILE *to, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, to) == size;
}

static int put_frame(FILE *to, const void *bytes, size_t size)
{
    unsigned char length[8];

    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)size >> (56 - 8 * i));
    return put(to, length, sizeof length) && (size == 0 || put(to, bytes, size)) && fflush(to) == 0;
}

/* Room grows with what comes, not with what was promised. */
static int get_frame(FILE *from, message *m)
{
    unsigned char length[8];
    uint64_t left = 0;
    size_t room = 0, got;

    free(m->bytes);
    *m = (message){0};
    if (fread(length, 1, sizeof length, from) != sizeof length)
        return 0;
    for (int i = 0; i < 8; i++)
        left = left << 8 | length[i];
    for (; left > 0; left -= got) {
        const size_t some = left < 1 << 20 ? (size_t)left : 1 << 20;

        if (m->size + some > room)
            m->bytes = reserve_more(m->bytes, room = 2 * (m->size + some), 1);
        if ((got = fread(m->bytes + m->size, 1, some, from)) == 0)
            return 0;
        m->size += got;
    }
    return 1;
}

static int broken_off(const char *whom)
{
    cr_error err = {0};

    snprintf(err.file, sizeof err.file, "%s", whom);
    snprintf(err.message, sizeof err.message, "the other side broke off");
    return complain(CR_EIO, &err);
}

/* --- one side ------------------------------------------------------------------------------- */

/* A store that may not be there yet. */
typedef struct side {
    const request *r;
    const char *where;
    cr_store *store; /* or NULL */
} side;

static int open_side(side *s, const request *r, const char *where)
{
    *s = (side){.r = r, .where = where};
    return cr_store_is(where) ? open_store(&s->store, r, where, true) : EXIT_DONE;
}

static int side_state(const side *s, message *out)
{
    void *bytes = NULL;
    cr_error err = {0};
    cr_status status = CR_OK;

    free(out->bytes);
    *out = (message){0};
    if (s->store != NULL)
        status = cr_store_state(s->store, &bytes, &out->size, &err);
    out->bytes = bytes;
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* What a store with a state lacks, or nothing where there is no store to tell. */
static int side_send(const side *s, const message *state, message *out)
{
    void *bytes = NULL;
    cr_error err = {0};
    cr_status status = CR_OK;

    free(out->bytes);
    *out = (message){0};
    if (s->store != NULL)
        status = cr_store_send(s->store, state->size == 0 ? NULL : state->bytes, state->size,
                               &bytes, &out->size, &err);
    out->bytes = bytes;
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* Take a stream over; a store that is not there is made of it. */
static int side_receive(side *s, const message *stream)
{
    cr_error err = {0};
    cr_status status = CR_OK;

    if (stream->size == 0)
        return EXIT_DONE;
    if (s->store != NULL)
        status = cr_store_receive(s->store, stream->bytes, stream->size, &err);
    else
        status = cr_store_create_from(s->where, stream->bytes, stream->size, NULL, &err);
    if (status == CR_OK)
        return EXIT_DONE;
    snprintf(err.file, sizeof err.file, "%s", s->where);
    return complain(status, &err);
}

static int neither(const char *a, const char *b)
{
    return misuse("credence store create STORE MODEL makes one",
                  "there is no store, neither at %s nor at %s", a, b);
}

/* --- two stores here ------------------------------------------------------------------------ */

/* A process must not open a store twice. */
static bool is_one_folder(const char *first, const char *second)
{
    struct stat a, b;

    return strcmp(first, second) == 0 || (stat(first, &a) == 0 && stat(second, &b) == 0 &&
                                          a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static int sync_here(const request *r, const char *first, const char *second)
{
    side a = {0}, b = {0};
    message state = {0}, stream = {0};
    int code;

    if (is_one_folder(first, second))
        return misuse("credence store sync STORE OTHER", "%s is one store, not two", first);
    code = open_side(&a, r, first);
    if (code == EXIT_DONE)
        code = open_side(&b, r, second);
    if (code == EXIT_DONE && a.store == NULL && b.store == NULL)
        code = neither(first, second);
    if (code == EXIT_DONE && (code = side_state(&b, &state)) == EXIT_DONE &&
        (code = side_send(&a, &state, &stream)) == EXIT_DONE)
        code = side_receive(&b, &stream);
    if (code == EXIT_DONE && b.store != NULL && (code = side_state(&a, &state)) == EXIT_DONE &&
        (code = side_send(&b, &state, &stream)) == EXIT_DONE)
        code = side_receive(&a, &stream);
    free(state.bytes);
    free(stream.bytes);
    cr_store_close(a.store);
    cr_store_close(b.store);
    return code;
}

/* --- one of them elsewhere ------------------------------------------------------------------ */

/* Start COMMAND HOST credence store answer PATH. */
static pid_t start(const char *command, const char *host, const char *path, FILE **to, FILE **from)
{
    char script[4096];
    int in[2], out[2];
    pid_t child;

    snprintf(script, sizeof script, "exec %s \"$@\"", command);
    if (pipe(in) != 0)
        return -1;
    if (pipe(out) != 0 || (child = fork()) < 0)
        return -1;
    if (child == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[0]);
        close(in[1]);
        close(out[0]);
        close(out[1]);
        execl("/bin/sh", "sh", "-c", script, "sh", host, "credence", "store", "answer", path,
              (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    *to = fdopen(in[1], "wb");
    *from = fdopen(out[0], "rb");
    return child;
}

/* A path as one word of a shell. */
static char *quoted(const char *path)
{
    char *out = reserve(4 * strlen(path) + 3, 1), *at = out;

    *at++ = '\'';
    for (; *path != '\0'; path++) {
        if (*path == '\'') {
            memcpy(at, "'\\''", 4);
            at += 4;
        } else {
            *at++ = *path;
        }
    }
    *at++ = '\'';
    *at = '\0';
    return out;
}

static int talk(side *s, const char *whom, FILE *to, FILE *from)
{
    message own = {0}, state = {0}, stream = {0};
    int code = side_state(s, &own);

    if (code == EXIT_DONE && (!put_frame(to, own.bytes, own.size) || !get_frame(from, &state) ||
                              !get_frame(from, &stream)))
        code = broken_off(whom);
    if (code == EXIT_DONE && own.size == 0 && state.size == 0)
        code = neither(s->where, whom);
    if (code == EXIT_DONE)
        code = side_receive(s, &stream);
    if (code == EXIT_DONE && (code = side_send(s, &state, &stream)) == EXIT_DONE &&
        (!put_frame(to, stream.bytes, stream.size) || !get_frame(from, &stream)))
        code = broken_off(whom);
    free(own.bytes);
    free(state.bytes);
    free(stream.bytes);
    return code;
}

static int sync_there(const request *r, const char *here, const char *there)
{
    const char *colon = strchr(there, ':'), *ssh = option_text(r, "ssh");
    char *host = reserve_text(there), *path = quoted(colon + 1);
    FILE *to = NULL, *from = NULL;
    pid_t child = -1;
    side s;
    int status, code = open_side(&s, r, here);

    host[colon - there] = '\0';
    if (code == EXIT_DONE) {
        signal(SIGPIPE, SIG_IGN);
        child = start(ssh == NULL ? "ssh" : ssh, host, path, &to, &from);
        code =
            child < 0 || to == NULL || from == NULL ? broken_off(there) : talk(&s, there, to, from);
    }
    if (to != NULL)
        fclose(to);
    if (from != NULL)
        fclose(from);
    if (child > 0 && waitpid(child, &status, 0) == child && code == EXIT_DONE && status != 0)
        code = broken_off(there);
    cr_store_close(s.store);
    free(host);
    free(path);
    return code;
}

/* HOST:PATH, and no store here of that name. */
static bool is_elsewhere(const char *where)
{
    const char *colon = strchr(where, ':'), *slash = strchr(where, '/');

    return colon != NULL && colon != where && (slash == NULL || colon < slash) &&
           !cr_store_is(where);
}

/* --- actions -------------------------------------------------------------------------------- */

int store_sync(request *r)
{
    const char *a = r->operands[1], *b = r->operands[2];

    if (is_elsewhere(a) && is_elsewhere(b))
        return misuse("run it on one of them", "one of the two stores must be here");
    if (is_elsewhere(a))
        return sync_there(r, b, a);
    return is_elsewhere(b) ? sync_there(r, a, b) : sync_here(r, a, b);
}

int store_answer(request *r)
{
    message state = {0}, out = {0};
    side s;
    int code = open_side(&s, r, r->operands[1]);

    if (code == EXIT_DONE && !get_frame(stdin, &state))
        code = broken_off("standard input");
    if (code == EXIT_DONE && (code = side_state(&s, &out)) == EXIT_DONE &&
        !put_frame(stdout, out.bytes, out.size))
        code = broken_off("standard output");
    if (code == EXIT_DONE && (code = side_send(&s, &state, &out)) == EXIT_DONE &&
        !put_frame(stdout, out.bytes, out.size))
        code = broken_off("standard output");
    if (code == EXIT_DONE && !get_frame(stdin, &out))
        code = broken_off("standard input");
    if (code == EXIT_DONE && (code = side_receive(&s, &out)) == EXIT_DONE &&
        !put_frame(stdout, NULL, 0))
        code = broken_off("standard output");
    free(state.bytes);
    free(out.bytes);
    cr_store_close(s.store);
    return code;
}

/* To standard output, or where -o says. */
static int write_out(const request *r, const message *m)
{
    const char *path = option_text(r, "output");
    FILE *file = path == NULL ? stdout : fopen(path, "wb");
    int done = file != NULL && put(file, m->bytes, m->size) && fflush(file) == 0;

    if (file != NULL && path != NULL)
        done = fclose(file) == 0 && done;
    return done ? EXIT_DONE
                : cannot_write(path == NULL ? "standard output" : path, strerror(errno));
}

int store_state(request *r)
{
    message state = {0};
    side s;
    int code = open_store(&s.store, r, r->operands[1], false);

    if (code != EXIT_DONE)
        return code;
    if ((code = side_state(&s, &state)) == EXIT_DONE)
        code = write_out(r, &state);
    free(state.bytes);
    cr_store_close(s.store);
    return code;
}

int store_send(request *r)
{
    message state = {0}, stream = {0};
    side s = {.r = r, .where = r->operands[1]};
    int code = EXIT_DONE;

    if (r->operand_count > 2)
        code = message_read(&state, r->operands[2]);
    if (code == EXIT_DONE && (code = open_store(&s.store, r, s.where, true)) == EXIT_DONE &&
        (code = side_send(&s, &state, &stream)) == EXIT_DONE)
        code = write_out(r, &stream);
    free(state.bytes);
    free(stream.bytes);
    cr_store_close(s.store);
    return code;
}

int store_receive(request *r)
{
    message stream = {0};
    side s = {0};
    int code = message_read(&stream, r->operand_count > 2 ? r->operands[2] : "-");

    if (code == EXIT_DONE && stream.size == 0)
        code = broken_off(r->operand_count > 2 ? r->operands[2] : "standard input");
    if (code == EXIT_DONE && (code = open_side(&s, r, r->operands[1])) == EXIT_DONE)
        code = side_receive(&s, &stream);
    message_free(&stream);
    cr_store_close(s.store);
    return code;
}
