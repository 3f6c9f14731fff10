/* credence/status.h - what a call answers, and what to tell a person about it.
 *
 * Every function that can fail returns a cr_status: it tells the program what to do. Most also
 * take a cr_error, always last, which may be NULL: it tells a person what happened, where, and
 * what would be right. A cr_error lives on the caller's stack and owns nothing; each thread has its
 * own.
 */
#ifndef CREDENCE_STATUS_H
#define CREDENCE_STATUS_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, value, text. The values are part of the ABI and never change. */
#define CR_STATUS_MAP(X)                                                                           \
    X(OK, 0, "success")                                                                            \
    X(END, 1, "no more rows")                                                                      \
    X(ENOMEM, 2, "out of memory")                                                                  \
    X(EIO, 3, "input or output failed")                                                            \
    X(EFORMAT, 4, "bad input")                                                                     \
    X(EARG, 5, "bad argument")                                                                     \
    X(ELIMIT, 6, "beyond a limit")                                                                 \
    X(ECONFLICT, 7, "does not fit what is there")                                                  \
    X(EVERSION, 8, "written by a newer version")                                                   \
    X(ESTOPPED, 9, "stopped by the caller")

typedef enum cr_status {
#define CR_X(name, value, text) CR_##name = value,
    CR_STATUS_MAP(CR_X)
#undef CR_X
} cr_status;

/* What went wrong. `file` is empty and `line`, `column` are 0 where they do not apply; `column`
 * counts fields of the record for tables and characters elsewhere, from 1. */
typedef struct cr_error {
    cr_status code;
    size_t line;
    size_t column;
    char file[256];
    char message[512]; /* what was found */
    char hint[256];    /* what would be right; may be empty */
} cr_error;

/* The few words that stand for a status ("out of memory"). Never NULL. */
const char *cr_status_text(cr_status status);

/* Write "FILE:LINE:COLUMN: MESSAGE (HINT)" into buffer, with the parts that are known; always
 * ends in NUL when size > 0. Returns buffer. */
char *cr_error_text(const cr_error *err, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
