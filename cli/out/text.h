/* cli/out/text.h - numbers for people and for programs, text on a terminal. */
#ifndef CLI_OUT_TEXT_H
#define CLI_OUT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "credence/output.h"

/* Each writes into buffer and returns it. */
enum { NUMBER_ROOM = CR_SHOW_SIZE };

char *number_plain(char *buffer, double x);       /* whole numbers in full, others to 4 digits */
char *number_exact(char *buffer, double x);       /* shortest text that reads back the same */
char *number_probability(char *buffer, double x); /* 4 decimals; 0 and 1.0000 are exact */
char *number_percent(char *buffer, double x);     /* 0.885 is 88.5 %; >99.99 % */
char *number_signed(char *buffer, double x);      /* +1.234, for log-odds */
char *number_added(char *buffer, double x);       /* 4 digits whatever the unit, with a sign */
char *number_power(char *buffer, double log_x);   /* e^log_x as 1.234e-56, however small */
char *number_short(char *buffer, double x);       /* 12.3 M */
char *number_bytes(char *buffer, uint64_t bytes); /* 12.3 MB */
char *number_seconds(char *buffer, double seconds);

/* The width of UTF-8 text on a terminal in columns; an invalid byte counts as one. */
size_t text_width(const char *text);

/* A copy that is safe for a terminal: control characters become U+FFFD, and text wider than the
 * given columns ends in an ellipsis (0: no limit). Free it. */
char *text_shown(const char *text, size_t columns);

/* Write text from column `at` on, followed by a line feed. Lines are wrapped at the width (0: no
 * limit), and all but the first are indented. */
void text_wrap(FILE *file, const char *text, size_t at, size_t indent, size_t width);

/* Decode the character at *text and advance past it; U+FFFD for a byte that is not UTF-8. */
uint32_t text_next(const char **text);

#endif
