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

/* What the command answers to the shell. */
enum { EXIT_DONE = 0, EXIT_FAULT = 1, EXIT_MISUSE = 2 };

/* From now on any failure has this exit status; 0: EXIT_FAULT and EXIT_MISUSE. */
void out_fail_as(int status);

/* The exit status of a failure that usually has this one. */
int out_failure(int usual);

/* Keep the numbers of standard streams that are closed from other files. First of all. */
void out_guard(void);

/* colour is "auto", "always" or "never". */
void out_setup(const char *colour, bool quiet);

/* Flush standard output. The exit status: code, or EXIT_FAULT with a message when what was
 * written has not arrived, as on a full disk. */
int out_close(int code);

bool out_is_terminal(void); /* standard output */
bool out_is_quiet(void);
size_t out_width(void); /* columns to fit in; 0 when nothing limits them */

typedef enum style { STYLE_NONE, STYLE_BOLD, STYLE_DIM, STYLE_FOR, STYLE_AGAINST } style;

/* The sequence that begins a style on standard output, "" without colours. STYLE_NONE ends it. */
const char *out_style(style s);

/* A line of standard output, broken where it is wider than the output; what goes on is indented by
 * two columns more than its beginning. */
void out_line(const char *format, ...) PRINTF_LIKE(1, 2);

/* "credence: note: ..." on standard error, unless -q. */
void note(const char *format, ...) PRINTF_LIKE(1, 2);

/* The same for what is lost: --quiet does not hide it. */
void warn(const char *format, ...) PRINTF_LIKE(1, 2);

/* Tell what went wrong in the library, and the exit status that goes with it. */
int complain(cr_status status, const cr_error *err);

/* Tell that the command line is wrong. hint may be NULL. Returns EXIT_MISUSE. */
int misuse(const char *hint, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
