/* base/fail.h - fill a cr_error and return its code in one expression.
 *
 * err may be NULL everywhere. Usage:
 *     return cr__fail(err, CR_EARG, "alpha is %g; it must be at least 0", alpha);
 */
#ifndef CR_BASE_FAIL_H
#define CR_BASE_FAIL_H

#include "credence/status.h"

#if defined(__GNUC__)
#define CR_PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define CR_PRINTF_LIKE(fmt, first)
#endif

/* Set code and message, clear file, line, column and hint. Returns code. */
CR_PRINTF_LIKE(3, 4)
cr_status cr__fail(cr_error *err, cr_status code, const char *fmt, ...);

/* Out of memory, with the standard message. Returns CR_ENOMEM. */
cr_status cr__fail_memory(cr_error *err);

/* errno's text after the given words: "cannot open x: No such file or directory". CR_EIO. */
CR_PRINTF_LIKE(2, 3)
cr_status cr__fail_errno(cr_error *err, const char *fmt, ...);

/* Add the place to an error that cr__fail has filled: file may be NULL (keep), line and column 0
 * (unknown). Returns err's code, or code when err is NULL. */
cr_status cr__fail_at(cr_error *err, cr_status code, const char *file, size_t line, size_t column);

/* Add a hint that says what would be right. Returns code. */
CR_PRINTF_LIKE(3, 4)
cr_status cr__fail_hint(cr_error *err, cr_status code, const char *fmt, ...);

/* A setting inside a message or a hint, by its name in CR_HINT_MAP and its argument:
 *
 *     cr__fail_hint(err, st, CR__SET("type %s=ignore") " leaves it out", name);
 *
 * Messages of the library name the options of front ends in no other way. */
#define CR__SET(setting) "\x01" setting "\x02"
#define CR__SET_BEGIN '\x01'
#define CR__SET_END '\x02'

/* Remove the marks from a text of err and record the settings they name: base/hint.c. */
void cr__hint_settle(cr_error *err, char *text, int in_message);
void cr__hint_drop(cr_error *err, int of_message);

/* A number of bytes for a message: "1.5 GB", "64 KB". */
typedef struct cr__size {
    char text[24];
} cr__size;

cr__size cr__size_of(double bytes);

/* Copy bytes that came from a file into out (size > 0) for use inside a message: control bytes
 * and invalid UTF-8 as \xNN, shortened with "..." when they do not fit. Returns out. */
char *cr__printable(char *out, size_t size, const char *bytes, size_t length);

#endif
