/* cli/verbs/external.h - verbs that are separate programs: credence NAME runs credence-NAME. */
#ifndef CLI_VERBS_EXTERNAL_H
#define CLI_VERBS_EXTERNAL_H

#include <stddef.h>

typedef struct external {
    const char *name;    /* of the verb; the program is credence-NAME */
    const char *summary; /* half a sentence */
    const char *missing; /* what to do when the program is missing */
} external;

/* The program at an index of the table, NULL past the last; and by its name. */
const external *external_at(size_t index);
const external *external_find(const char *name);

/* Execute the program; argv begins with the verb. It is searched for in the command's own folder,
 * then in PATH. Returns an exit status only if it cannot be run, after a message. */
int external_run(const external *e, char **argv);

#endif
