/* cli/out/out.h - standard output and standard error of the command.
 *
 * Results go to standard output; everything else goes to standard error. Colours appear only on
 * a terminal, or where they were asked for.
 */
#ifndef CLI_OUT_OUT_H
#define CLI_OUT_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "credence/status.h"

#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

/* Exit statuses of the command. */
enum { EXIT_DONE = 0, EXIT_FAULT = 1, EXIT_MISUSE = 2 };

/* From now on every failure has this exit status; 0: EXIT_FAULT and EXIT_MISUSE. */
void out_fail_as(int status);

/* The exit status of a failure whose default is this one. */
int out_failure(int usual);

/* Reserve the descriptors of closed standard streams. Call it before anything else. */
void out_guard(void);

/* colour is "auto", "always" or "never". */
void out_setup(const char *colour, bool quiet);

/* Flush standard output. Returns code, or EXIT_FAULT with a message if the output was not written,
 * as on a full disk. */
int out_close(int code);

bool out_is_terminal(void); /* standard output */
bool out_is_quiet(void);
size_t out_width(void); /* width in columns; 0: no limit */

typedef enum style { STYLE_NONE, STYLE_BOLD, STYLE_DIM, STYLE_FOR, STYLE_AGAINST } style;

/* The escape sequence that begins a style on standard output, "" without colours. STYLE_NONE ends
 * it. */
const char *out_style(style s);

/* Print a line on standard output, wrapped to its width; continuation lines are indented by two
 * more columns. */
void out_line(const char *format, ...) PRINTF_LIKE(1, 2);

/* "credence: note: ..." on standard error, unless -q. */
void note(const char *format, ...) PRINTF_LIKE(1, 2);

/* The same for lost data or results: --quiet does not hide it. */
void warn(const char *format, ...) PRINTF_LIKE(1, 2);

/* Report an error of the library. Returns its exit status. */
int complain(cr_status status, const cr_error *err);

/* Report that the command line is wrong. hint may be NULL. Returns EXIT_MISUSE. */
int misuse(const char *hint, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
