/* milter/message.h - a message as the mail server hands it over: fields, then pieces of the body.
 */
#ifndef MILTER_MESSAGE_H
#define MILTER_MESSAGE_H

#include <stddef.h>

typedef struct message {
    char *bytes;
    size_t size, room;
    size_t most;  /* bytes that are looked at; what comes after them is not */
    int failed;   /* memory ran out */
    int in_body;  /* the head is complete */
    size_t marks; /* fields like ours that came with it */
} message;        /* all zero but for most is empty */

/* Add a field, or a piece of the body. */
void message_field(message *m, const char *name, const char *value);
void message_body(message *m, const void *bytes, size_t size);

/* Begin another message, with the same memory. */
void message_clear(message *m);
void message_free(message *m);

#endif
