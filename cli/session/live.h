/* cli/session/live.h - stores: models in a database, wherever a verb takes MODEL. */
#ifndef CLI_SESSION_LIVE_H
#define CLI_SESSION_LIVE_H

#include "credence/credence.h"
#include "options/options.h"

/* The failures that lessons survive. */
#define SYNC_OPTION                                                                                \
    {                                                                                              \
        "sync", 0, OPTION_CHOICE, "full|meta|none",                                                \
            "Of a store, what a lesson survives once the command is done: full, a crash of the "   \
            "machine; meta, such a crash may undo the last lessons; none, it may damage the "      \
            "store. All survive the end of any process. Default: full."                            \
    }

/* Open the store at a path, for writing or only for reading. EXIT_DONE, or an exit status after a
 * message. */
cr_store_options store_options(const request *r, bool write);
int open_store(cr_store **out, const request *r, const char *where, bool write);

/* The whole store as a model. */
int open_store_model(cr_model **out, const request *r, const char *where);

/* A model to answer the rows of the data with, from a file or from a store. If the data are a file
 * that is small compared with what a store may hold, only its words are read from the store. */
int open_model_for_data(cr_model **out, const request *r, size_t model, size_t data);

/* Learn (sign 1) or take back (-1) DATA, the operands from 1 on, and report it. */
int teach_store(request *r, int sign);

/* Set knobs of a store. */
int refit_store(request *r, const char **params, size_t count);

#endif
