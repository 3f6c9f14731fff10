/* cli/session/suggest.h - the name that was probably meant. */
#ifndef CLI_SESSION_SUGGEST_H
#define CLI_SESSION_SUGGEST_H

#include <stddef.h>

/* Of the names offered one by one, the one nearest to what was typed. Start from
 * (nearest){.typed = ...}; best stays NULL while nothing is near enough to suggest. */
typedef struct nearest {
    const char *typed;
    const char *best;
    size_t distance;
} nearest;

void nearest_offer(nearest *n, const char *name);

#endif
