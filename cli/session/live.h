/* cli/session/live.h - stores: models that are kept in a database, where a verb takes MODEL. */
#ifndef CLI_SESSION_LIVE_H
#define CLI_SESSION_LIVE_H

#include "credence/credence.h"
#include "options/options.h"

/* What lessons survive. */
#define SYNC_OPTION                                                                                \
    {                                                                                              \
        "sync", 0, OPTION_CHOICE, "full|meta|none",                                                \
            "Of a store, what a lesson survives once the command is done: full, a crash of the "   \
            "machine; meta, such a crash may undo the last lessons; none, it may damage the "      \
            "store. All survive the end of any process. Default: full."                            \
    }

/* Open the store at a place, to be changed or only read. EXIT_DONE, or an exit status after a
 * message. */
cr_store_options store_options(const request *r, bool write);
int open_store(cr_store **out, const request *r, const char *where, bool write);

/* All of a store as a model. */
int open_store_model(cr_model **out, const request *r, const char *where);

/* A model to answer the rows of the data with: that of a file, or of a store. Of a store it has the
 * words of the data only, where these are a file that is small beside what a store may know. */
int open_model_for_data(cr_model **out, const request *r, size_t model, size_t data);

/* Learn (sign 1) or take back (-1) DATA, the operands from 1 on, and tell what was done. */
int teach_store(request *r, int sign);

/* Turn knobs of a store. */
int refit_store(request *r, const char **params, size_t count);

#endif
