/* cli/session/reserve.h - memory for the command, which cannot go on without it. */
#ifndef CLI_SESSION_RESERVE_H
#define CLI_SESSION_RESERVE_H

#include <stddef.h>

/* Zeroed room for count objects; the command ends with a message when there is none. */
void *reserve(size_t count, size_t size);

/* Room for count objects where there was some before; what is new is not zeroed. */
void *reserve_more(void *old, size_t count, size_t size);

/* A copy of text, to be freed. */
char *reserve_text(const char *text);

/* Say that there is no memory and end the command. */
_Noreturn void reserve_failed(void);

#endif
