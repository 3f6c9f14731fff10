/* cli/out/hints.c - the library's settings as options of the command. */
#include "out/hints.h"

#include <stdio.h>

/* The option, or a whole phrase, for each setting. */
static const char *const option_of[] = {
    [CR_HINT_TYPE] = "--type",
    [CR_HINT_TARGET] = "--target",
    [CR_HINT_WEIGHT] = "--weight",
    [CR_HINT_MISSING] = "--missing",
    [CR_HINT_DELIMITER] = "-d",
    [CR_HINT_COMMENT] = "--comment",
    [CR_HINT_NO_HEADER] = "--no-header",
    [CR_HINT_INDEX_BASE] = "--index-base",
    [CR_HINT_MEMORY] = "--memory",
    [CR_HINT_IMPUTE] = "--impute",
    [CR_HINT_CALIBRATE] = "--calibrate",
    [CR_HINT_BUDGET] = "--budget",
    [CR_HINT_GOAL] = "--by",
    [CR_HINT_LEARNER] = "-m",
    [CR_HINT_KNOB] = "-p",
    [CR_HINT_CLASSES] = "--classes",
    [CR_HINT_GROUP] = "--group",
};

static const char *const phrase_of[] = {
    [CR_HINT_KNOB_LIST] = "`credence help knobs` lists them",
    [CR_HINT_TRAIN] = "`credence train DATA -o MODEL`",
    [CR_HINT_REFIT] = "credence refit",
    [CR_HINT_NORMALISE] = "--normalise takes them as weights of any sum",
    [CR_HINT_UNIFORM] = "without priors, --uniform makes all hypotheses alike",
    [CR_HINT_EVIDENCE] = "--evidence COLUMN names another column of likelihoods",
};

enum {
    OPTIONS = sizeof option_of / sizeof *option_of,
    PHRASES = sizeof phrase_of / sizeof *phrase_of
};

int hint_option(void *context, const cr_hint_item *item, char *buffer, size_t size)
{
    const size_t code = item->code;
    const char *option = code < OPTIONS ? option_of[code] : NULL;

    (void)context;
    if (code < PHRASES && phrase_of[code] != NULL) {
        snprintf(buffer, size, "%s", phrase_of[code]);
        return 1;
    }
    if (option == NULL)
        return 0;
    if (item->code == CR_HINT_TARGET && item->value[0] != '\0')
        option = "-t"; /* as people write it with a name */
    snprintf(buffer, size, "%s%s%s%s%s", option, item->value[0] != '\0' ? " " : "", item->column,
             item->column[0] != '\0' ? "=" : "", item->value);
    return 1;
}
