/* cli/store/exchange.c - credence store sync, send, receive, state, answer: stores that learned
 * separately. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "filter/filter.h"
#include "out/out.h"
#include "session/live.h"
#include "store/exchange.h"

int store_sync(request *r)
{
    const cr_store_options options = store_options(r, true);
    cr_error err = {0};
    const cr_status status =
        cr_store_meet(r->operands[1], r->operands[2], option_text(r, "ssh"), &options, &err);

    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

int store_answer(request *r)
{
    const cr_store_options options = store_options(r, true);
    cr_error err = {0};
    const cr_status status =
        cr_store_answer(r->operands[1], STDIN_FILENO, STDOUT_FILENO, &options, &err);

    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* Write the bytes to standard output or to the file of -o, and free them. */
static int write_out(const request *r, void *bytes, size_t size)
{
    const char *path = option_text(r, "output");
    FILE *file = path == NULL ? stdout : fopen(path, "wb");
    int done = file != NULL && fwrite(bytes, 1, size, file) == size && fflush(file) == 0;

    if (file != NULL && path != NULL)
        done = fclose(file) == 0 && done;
    cr_bytes_free(bytes);
    return done ? EXIT_DONE
                : cannot_write(path == NULL ? "standard output" : path, strerror(errno));
}

int store_state(request *r)
{
    cr_store *store;
    void *bytes;
    size_t size;
    cr_error err = {0};
    cr_status status;
    int code = open_store(&store, r, r->operands[1], false);

    if (code != EXIT_DONE)
        return code;
    status = cr_store_state(store, &bytes, &size, &err);
    cr_store_close(store);
    return status == CR_OK ? write_out(r, bytes, size) : complain(status, &err);
}

int store_send(request *r)
{
    cr_store *store = NULL;
    message state = {0};
    void *bytes;
    size_t size;
    cr_error err = {0};
    cr_status status;
    int code = r->operand_count > 2 ? message_read(&state, r->operands[2]) : EXIT_DONE;

    if (code == EXIT_DONE)
        code = open_store(&store, r, r->operands[1], true);
    if (code == EXIT_DONE) {
        status = cr_store_send(store, state.size == 0 ? NULL : state.bytes, state.size, &bytes,
                               &size, &err);
        code = status == CR_OK ? write_out(r, bytes, size) : complain(status, &err);
    }
    message_free(&state);
    cr_store_close(store);
    return code;
}

/* A store that does not exist is created. */
int store_receive(request *r)
{
    const char *where = r->operands[1];
    cr_store *store = NULL;
    message stream = {0};
    cr_error err = {0};
    cr_status status;
    int code = message_read(&stream, r->operand_count > 2 ? r->operands[2] : "-");

    if (code == EXIT_DONE && cr_store_is(where))
        code = open_store(&store, r, where, true);
    if (code == EXIT_DONE) {
        status = store != NULL ? cr_store_receive(store, stream.bytes, stream.size, &err)
                               : cr_store_create_from(where, stream.bytes, stream.size, NULL, &err);
        snprintf(err.file, sizeof err.file, "%s", where);
        code = status == CR_OK ? EXIT_DONE : complain(status, &err);
    }
    message_free(&stream);
    cr_store_close(store);
    return code;
}
