/* milter/message.h - a message as received from the mail server: fields, then pieces of the body.
 */
#ifndef MILTER_MESSAGE_H
#define MILTER_MESSAGE_H

#include <stddef.h>

typedef struct message {
    char *bytes;
    size_t size, room;
    size_t most;  /* the bytes to keep; later ones are ignored */
    int failed;   /* memory ran out */
    int in_body;  /* the head is complete */
    size_t marks; /* fields with our name that came with it */
} message;        /* empty if all but most is zero */

/* Add a field, or a piece of the body. */
void message_field(message *m, const char *name, const char *value);
void message_body(message *m, const void *bytes, size_t size);

/* Begin another message and reuse the memory. */
void message_clear(message *m);
void message_free(message *m);

#endif
