/* milter/message.c - assemble a message. */
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "credence/filter.h"

static void add(message *m, const void *bytes, size_t size)
{
    if (m->size + size > m->most)
        size = m->size < m->most ? m->most - m->size : 0;
    if (m->failed || size == 0)
        return;
    if (m->size + size > m->room) {
        const size_t room = 2 * (m->size + size);
        char *grown = realloc(m->bytes, room);

        if (grown == NULL) {
            m->failed = 1;
            return;
        }
        m->bytes = grown;
        m->room = room;
    }
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

void message_field(message *m, const char *name, const char *value)
{
    if (strcasecmp(name, CR_FILTER_FIELD) == 0)
        m->marks++;
    add(m, name, strlen(name));
    add(m, ": ", 2);
    add(m, value, strlen(value));
    add(m, "\n", 1);
}

void message_body(message *m, const void *bytes, size_t size)
{
    if (!m->in_body)
        add(m, "\n", 1);
    m->in_body = 1;
    add(m, bytes, size);
}

void message_clear(message *m)
{
    m->size = m->marks = 0;
    m->failed = m->in_body = 0;
}

void message_free(message *m)
{
    free(m->bytes);
    *m = (message){0};
}
