/* credence/output.h - gather bytes for a file, a socket or a string; write numbers as text.
 *
 * A cr_output gathers bytes. An output made with cr_output_new() either keeps them (write NULL) or
 * hands them to a function of the caller. Adding bytes returns no status: after a failed allocation
 * or write, later bytes are dropped, and cr_output_flush() returns the failure. An output belongs
 * to one thread at a time.
 */
#ifndef CREDENCE_OUTPUT_H
#define CREDENCE_OUTPUT_H

#include <stddef.h>

#include "credence/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_output cr_output;

/* write receives the bytes in order, from time to time. If it is NULL, they are kept for
 * cr_output_data(). A status other than CR_OK ends the output. Free *out with cr_output_free(). */
cr_status cr_output_new(cr_output **out,
                        cr_status (*write)(void *context, const char *bytes, size_t size),
                        void *context, cr_error *err);
void cr_output_free(cr_output *out); /* without flushing; NULL is allowed */

/* Append bytes, a text, a number. Failures are kept until the output is flushed. */
void cr_output_bytes(cr_output *out, const char *bytes, size_t size);
void cr_output_text(cr_output *out, const char *text);
void cr_output_number(cr_output *out, double x); /* shortest text that reads back the same */

/* A field of CSV, in quotes if RFC 4180 requires them or if it begins or ends with a blank. */
void cr_csv_field(cr_output *out, const char *bytes, size_t size);

/* Hand over all bytes so far. CR_ENOMEM, or the first status of write that was not CR_OK. */
cr_status cr_output_flush(cr_output *out);

/* The bytes that are kept, without a terminating NUL. Borrowed until the next addition. */
const char *cr_output_data(const cr_output *out, size_t *size);

/* --- numbers for people ---------------------------------------------------------------------- */

typedef enum cr_show {
    CR_SHOW_PLAIN,       /* whole numbers in full, others to 4 digits */
    CR_SHOW_EXACT,       /* shortest text that reads back the same */
    CR_SHOW_PROBABILITY, /* 4 decimals; 0 and 1.0000 are exact */
    CR_SHOW_PERCENT,     /* 0.885 is 88.5 %; >99.99 % */
    CR_SHOW_SIGNED,      /* +1.234 */
    CR_SHOW_ADDED,       /* 4 digits in any unit, with a sign */
    CR_SHOW_POWER,       /* e^x as 1.234e-56, however small */
    CR_SHOW_SHORT,       /* 12.3 M */
    CR_SHOW_BYTES,       /* 12.3 MB */
    CR_SHOW_SECONDS,     /* 12.3 ms */
    CR_SHOW_P,           /* 0.0123, <0.0001; nothing for NaN */
    CR_SHOW_INDEX        /* 3 decimals */
} cr_show;

enum { CR_SHOW_SIZE = 48 };

/* Write a number into buffer, which has room for CR_SHOW_SIZE bytes, and return buffer. */
char *cr_show_number(char *buffer, cr_show how, double x);

/* --- text for people ------------------------------------------------------------------------- */

/* Columns that UTF-8 takes on a terminal; escape sequences that set colours take none, and a byte
 * that is not UTF-8 takes one. */
size_t cr_show_width(const char *text);

/* A copy fit for a terminal into buffer, which has room for CR_SHOW_TEXT_SIZE(size) bytes: control
 * characters, which could take over the terminal, become U+FFFD, and text wider than the given
 * columns ends in an ellipsis (0: no limit). Returns buffer, which ends in NUL. */
#define CR_SHOW_TEXT_SIZE(size) (3 * (size) + 4)
char *cr_show_text(char *buffer, const char *text, size_t size, size_t columns);

#ifdef __cplusplus
}
#endif
#endif
