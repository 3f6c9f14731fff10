/* cli/session/reserve.h - memory allocation for the command, which ends if it fails. */
#ifndef CLI_SESSION_RESERVE_H
#define CLI_SESSION_RESERVE_H

#include <stddef.h>

/* Zeroed memory for count objects; the command ends with a message when there is none. */
void *reserve(size_t count, size_t size);

/* Resize memory to count objects; the new part is not zeroed. */
void *reserve_more(void *old, size_t count, size_t size);

/* A copy of text. Free it. */
char *reserve_text(const char *text);

/* Report that memory ran out and end the command. */
_Noreturn void reserve_failed(void);

#endif
