/* decide/team_predict.c - spools of answers, and their replay. */
#include "decide/team_predict.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"

/* A frame is a batch of answers: its head, then the arrays that it has, then errors and bytes. */
typedef struct frame_head {
    uint64_t rows, classes, errors, bytes; /* of errors and bytes: how many bytes */
    uint64_t arrays;                       /* which are there: a bit each, in their order */
} frame_head;

/* Every array of cr_predictions: name and how many elements. */
#define ARRAYS(X)                                                                                  \
    X(line, h->rows)                                                                               \
    X(decision, h->rows)                                                                           \
    X(posterior, h->rows * h->classes)                                                             \
    X(log_evidence, h->rows)                                                                       \
    X(truth, h->rows)                                                                              \
    X(weight, h->rows)                                                                             \
    X(reason, h->rows)                                                                             \
    X(expected_cost, h->rows)                                                                      \
    X(regression, h->rows)                                                                         \
    X(log_truth, h->rows)                                                                          \
    X(log_posterior, h->rows * h->classes)

#define PADDED(size) (((size) + 7) / 8 * 8)

cr_status cr__spool_open(cr__spool *spool, cr_error *err)
{
    *spool = (cr__spool){.file = tmpfile()};
    return spool->file != NULL ? CR_OK : cr__fail_errno(err, "no temporary file can be made");
}

void cr__spool_close(cr__spool *spool)
{
    if (spool->file != NULL)
        fclose(spool->file);
    *spool = (cr__spool){0};
}

static void add_padded(cr__buffer *frame, const void *bytes, size_t size)
{
    static const char zeros[8];

    cr__buffer_add(frame, bytes, size);
    cr__buffer_add(frame, zeros, PADDED(size) - size);
}

static uint64_t arrays_of(const cr_predictions *p)
{
    uint64_t arrays = 0, bit = 1;

#define NOTE(name, count)                                                                          \
    arrays |= p->name != NULL ? bit : 0;                                                           \
    bit <<= 1;
    ARRAYS(NOTE)
#undef NOTE
    return arrays;
}

/* The reasons of rows that could not be read, one NUL after each; a row that could be read has
 * none. */
static void add_errors(cr__buffer *frame, const cr_predictions *p)
{
    for (size_t r = 0; p->error != NULL && r < p->rows; r++) {
        cr__buffer_adds(frame, p->error[r] == NULL ? "" : p->error[r]);
        cr__buffer_addc(frame, '\0');
    }
}

cr_status cr__spool_add(cr__spool *spool, const cr_predictions *p, const void *bytes, size_t size,
                        cr_error *err)
{
    cr__buffer frame = {0}, errors = {0};
    frame_head head = {.rows = p->rows, .classes = p->classes, .arrays = arrays_of(p)};
    const frame_head *h = &head;
    uint64_t length;
    cr_status st = CR_OK;

    add_errors(&errors, p);
    head.errors = errors.size;
    head.bytes = size;
    cr__buffer_add(&frame, &head, sizeof head);
#define ADD(name, count)                                                                           \
    if (p->name != NULL)                                                                           \
        add_padded(&frame, p->name, (count) * sizeof *p->name);
    ARRAYS(ADD)
#undef ADD
    if (errors.size > 0)
        add_padded(&frame, errors.data, errors.size);
    if (size > 0)
        cr__buffer_add(&frame, bytes, size);
    length = frame.size;
    if (frame.failed || errors.failed)
        st = cr__fail_memory(err);
    else if (fwrite(&length, sizeof length, 1, spool->file) != 1 ||
             fwrite(frame.data, 1, frame.size, spool->file) != frame.size)
        st = cr__fail_errno(err, "a temporary file cannot be written");
    spool->frames++;
    cr__buffer_free(&frame);
    cr__buffer_free(&errors);
    return st;
}

/* The next frame of this member's own spool. */
static cr_status read_frame(cr__spool *spool, void **bytes, size_t *size, cr_error *err)
{
    uint64_t length = 0;

    *bytes = NULL;
    *size = 0;
    if (fread(&length, sizeof length, 1, spool->file) != 1)
        return cr__fail(err, CR_EIO, "a temporary file cannot be read");
    if ((*bytes = cr__alloc((size_t)length, 1)) == NULL)
        return cr__fail_memory(err);
    *size = (size_t)length;
    if (fread(*bytes, 1, *size, spool->file) != *size)
        return cr__fail(err, CR_EIO, "a temporary file cannot be read");
    return CR_OK;
}

/* The reasons in a frame, as pointers into it. */
static cr_status find_errors(const char *at, size_t rows, const char ***out)
{
    if ((*out = cr__alloc(rows, sizeof **out)) == NULL)
        return CR_ENOMEM;
    for (size_t r = 0; r < rows; r++) {
        (*out)[r] = *at != '\0' ? at : NULL;
        at += strlen(at) + 1;
    }
    return CR_OK;
}

/* Pass a frame to the sink. */
static cr_status show(const char *frame, const cr_sink *sink, int writes,
                      const struct cr__answers *inside, uint64_t *rows, cr_error *err)
{
    frame_head head;
    const frame_head *h = &head;
    const char *at = frame + sizeof head;
    const char **error = NULL;
    cr_predictions p = {.inside = inside};
    uint64_t bit = 1;
    cr_status st = CR_OK;

    memcpy(&head, frame, sizeof head);
    p.rows = (size_t)head.rows;
    p.classes = (size_t)head.classes;
#define FIND(name, count)                                                                          \
    if (head.arrays & bit) {                                                                       \
        p.name = (const void *)at;                                                                 \
        at += PADDED((size_t)(count) * sizeof *p.name);                                            \
    }                                                                                              \
    bit <<= 1;
    ARRAYS(FIND)
#undef FIND
    if (head.errors > 0 && (st = find_errors(at, p.rows, &error)) == CR_OK)
        p.error = error;
    at += PADDED(head.errors);
    if (st == CR_OK && sink->visit != NULL)
        st = sink->visit(sink->context, &p);
    if (st == CR_OK && writes && sink->write != NULL && head.bytes > 0)
        st = sink->write(sink->context, at, (size_t)head.bytes);
    *rows += head.rows;
    cr__free(error);
    return st == CR_OK ? CR_OK : cr__fail(err, st, "%s", cr_status_text(st));
}

/* One frame of member r, from its spool to all. */
static cr_status pass_round(cr__spool *spool, const cr_team *team, int r, void **frame,
                            size_t *size, cr_error *err)
{
    cr_status st = CR_OK;

    *frame = NULL;
    *size = 0;
    if (team->rank == r)
        st = read_frame(spool, frame, size, err);
    if (st == CR_OK && r > 0 && team->rank == r)
        st = cr__team_give(team, 0, *frame, *size, err);
    if (st == CR_OK && r > 0 && team->rank == 0)
        st = cr__team_take(team, r, frame, size, err);
    if (st == CR_OK && team->rank > 0 && team->rank == r) {
        cr__free(*frame); /* it comes again with those of the others */
        *frame = NULL;
    }
    return st == CR_OK ? cr__team_broadcast(team, frame, size, err) : st;
}

cr_status cr__spool_replay(cr__spool *spool, const cr_team *team, const cr_sink *sink,
                           const struct cr__answers *inside, uint64_t *rows, cr_error *err)
{
    uint64_t *frames = cr__alloc((size_t)team->ranks, sizeof *frames), own = spool->frames;
    cr_status st =
        frames == NULL ? cr__fail_memory(err) : cr__team_share(team, &own, sizeof own, frames, err);

    if (st == CR_OK && fseek(spool->file, 0, SEEK_SET) != 0)
        st = cr__fail_errno(err, "a temporary file cannot be read");
    *rows = 0;
    for (int r = 0; st == CR_OK && r < team->ranks; r++)
        for (uint64_t f = 0; st == CR_OK && f < frames[r]; f++) {
            void *frame;
            size_t size;

            st = pass_round(spool, team, r, &frame, &size, err);
            if (st == CR_OK && !(r == 0 && team->rank == 0))
                st = show(frame, sink, team->rank == 0, inside, rows, err);
            cr__free(frame);
        }
    cr__free(frames);
    return st;
}
