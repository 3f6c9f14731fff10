/* cli/session/user_mail.h - the store of the user's mail, which the first lesson creates. */
#ifndef CLI_SESSION_USER_MAIL_H
#define CLI_SESSION_USER_MAIL_H

#include <stdbool.h>

#include "credence/credence.h"

/* CREDENCE_MAIL, or ~/.credence/mail. */
const char *user_mail_path(void);

/* Whether a path is that store, and it does not exist yet. */
bool user_mail_is_new(const char *path);

/* Naive Bayes learns it with this knob. */
extern const char *const user_mail_knobs[1];

/* How a store of mail is calibrated. */
extern const char *const user_mail_calibration;

/* Make the folders that the path lacks, except the last. EXIT_DONE, or an exit status after a
 * message. */
int user_mail_folders(const char *path);

/* Create it from what a model has learned. EXIT_DONE, or an exit status after a message. */
int user_mail_make(const cr_model *model);

#endif
