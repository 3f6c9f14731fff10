/* cli/verbs/external.h - verbs that are programs of their own: credence NAME runs credence-NAME. */
#ifndef CLI_VERBS_EXTERNAL_H
#define CLI_VERBS_EXTERNAL_H

#include <stddef.h>

typedef struct external {
    const char *name;    /* of the verb; the program is credence-NAME */
    const char *summary; /* half a sentence */
    const char *missing; /* what to do when the program is not there */
} external;

/* The program at a place of the table, NULL past the last; and by its name. */
const external *external_at(size_t index);
const external *external_find(const char *name);

/* Become the program; argv begins with the verb. It is looked for beside this command, then in the
 * PATH. Returns an exit status only when it cannot be run, having said why. */
int external_run(const external *e, char **argv);

#endif
