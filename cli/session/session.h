/* cli/session/session.h - what most verbs begin and end with: data, models, outputs.
 *
 * Functions that return int give EXIT_DONE, or an exit status after having told the user.
 */
#ifndef CLI_SESSION_SESSION_H
#define CLI_SESSION_SESSION_H

#include "credence/credence.h"
#include "options/options.h"
#include "out/out.h"

/* Open DATA: the operands from first on, or standard input. With a model, missing values are marked
 * as in training, unless the user says otherwise. */
int open_data(cr_source **out, const request *r, size_t first, const cr_model *model);

/* Print the source's notes about the data and close it. *source may be NULL, and is NULL
 * afterwards. */
void close_data(cr_source **source);

/* Report an error in the data, after the notes, which may explain it. Returns the exit status. */
int fail_data(const request *r, cr_source **source, cr_status status, cr_error *err);

/* "iris.csv", "3 files" or "standard input". */
const char *data_name(const request *r, size_t first, char *buffer, size_t size);

/* Whether an operand is neither a model nor refers to one: it is data, if both are allowed. */
bool is_data(const request *r, size_t operand);

int open_model(cr_model **out, const request *r, size_t operand);

/* The class of a model by its name. */
int find_class(const cr_model *model, const char *name, size_t *out);

/* Check before a long pass that path can be written, that it is not one of DATA, and that a model
 * replaces nothing but a model. */
int check_output(const char *path, const request *r, size_t first);

/* Report why a file cannot be written. Returns the exit status. */
int cannot_write(const char *path, const char *why);

/* Call it before reading a model that will be replaced: wait until no other command changes the
 * file, and keep others waiting until cr_model_unlock(). A file that cannot be locked is not waited
 * for. */
cr_lock *hold_model(const char *path);

int save_model(const cr_model *model, const char *path);

/* Print notes on how a model was fitted; only the first few of many. */
void note_remarks(const cr_model *model);

/* "1 row", "2 rows". */
const char *plural(uint64_t count);

/* Whether rows come from a pipe or a terminal, so that their sender may wait for an answer. DATA
 * are the operands from first on. */
bool comes_live(const request *r, size_t first);

#endif
