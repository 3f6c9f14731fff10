/* cli/session/session.h - what most verbs begin and end with: data, models, outputs.
 *
 * Functions that return int give EXIT_DONE, or an exit status after having told the user.
 */
#ifndef CLI_SESSION_SESSION_H
#define CLI_SESSION_SESSION_H

#include "credence/credence.h"
#include "options/options.h"
#include "out/out.h"

/* Open DATA: the operands from first on, or standard input. With a model, what means missing is
 * what meant it in training, unless the user says otherwise. */
int open_data(cr_source **out, const request *r, size_t first, const cr_model *model);

/* Pass on what the source has to tell about the data, and close it; *source, which may be NULL, is
 * NULL then. */
void close_data(cr_source **source);

/* Tell what went wrong with the data, after its notes, which may say why. The exit status. */
int fail_data(const request *r, cr_source **source, cr_status status, cr_error *err);

/* "iris.csv", "3 files" or "standard input". */
const char *data_name(const request *r, size_t first, char *buffer, size_t size);

/* Whether an operand is no model, and no model stands behind it: data, where both may be given. */
bool is_data(const request *r, size_t operand);

int open_model(cr_model **out, const request *r, size_t operand);

/* The class of a model by its name. */
int find_class(const cr_model *model, const char *name, size_t *out);

/* Find out before a long pass whether path can be written, that it is not one of DATA, and that a
 * model takes the place of nothing but a model. */
int check_output(const char *path, const request *r, size_t first);

/* Tell why a file cannot be written. The exit status. */
int cannot_write(const char *path, const char *why);

/* Before a model is read that will be replaced: wait until no other command changes the file, and
 * keep others waiting until cr_model_unlock(). What cannot be held is not waited for. */
cr_lock *hold_model(const char *path);

int save_model(const cr_model *model, const char *path);

/* Notes on how a model was fitted; of many the first few. */
void note_remarks(const cr_model *model);

/* "1 row", "2 rows". */
const char *plural(uint64_t count);

/* Whether rows come through a pipe or from a terminal: who sends them may wait for an answer. DATA
 * are the operands from first on. */
bool comes_live(const request *r, size_t first);

#endif
