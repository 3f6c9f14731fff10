/* cli/filter/filter.h - read one message. */
#ifndef CLI_FILTER_FILTER_H
#define CLI_FILTER_FILTER_H

#include <stddef.h>

/* A message or a mailbox as received; it may contain any bytes. */
typedef struct message {
    char *bytes;
    size_t size;
} message;

/* Read all of a file; "-" is standard input. EXIT_DONE, or an exit status after a message. */
int message_read(message *m, const char *path);
void message_free(message *m);

#endif
