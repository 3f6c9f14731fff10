/* cli/session/user_mail.c - where the user's mail store is, and how it is made. */
#include "session/user_mail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/out.h"
#include "session/reserve.h"
#include "session/session.h"

/* The judgements of messages before they are learned calibrate its probabilities. docs/filter.md
 * has figures. */
const char *const user_mail_calibration = "temperature";

const char *const user_mail_knobs[1] = {"preset=mail"};

const char *user_mail_path(void)
{
    static char path[4096];
    const char *own = getenv("CREDENCE_MAIL"), *home = getenv("HOME");

    if (own != NULL && *own != '\0')
        return own;
    snprintf(path, sizeof path, "%s/.credence/mail", home == NULL ? "." : home);
    return path;
}

bool user_mail_is_new(const char *path)
{
    return strcmp(path, user_mail_path()) == 0 && access(path, F_OK) != 0;
}

int user_mail_folders(const char *path)
{
    char *copy = reserve_text(path);
    int failed = 0;

    for (char *slash = strchr(copy + 1, '/'); slash != NULL && !failed;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        failed = mkdir(copy, 0700) != 0 && errno != EEXIST;
        *slash = '/';
    }
    free(copy);
    return failed ? cannot_write(path, strerror(errno)) : EXIT_DONE;
}

int user_mail_make(const cr_model *model)
{
    const char *path = user_mail_path();
    const cr_store_options options = {.calibrate = user_mail_calibration};
    cr_error err = {0};
    cr_status status;
    const int code = user_mail_folders(path);

    if (code != EXIT_DONE)
        return code;
    status = cr_store_create(path, model, &options, &err);
    if (status == CR_OK && !out_is_quiet())
        printf("%s: made, and learned\n", path);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}
