/* src/hints.c - the library's settings as arguments of the package. */
#include <stdio.h>
#include <string.h>

#include "module.h"

/* The argument for each setting. */
static const char *const argument_of[] = {
    [CR_HINT_TYPE] = "types",
    [CR_HINT_TARGET] = "target",
    [CR_HINT_WEIGHT] = "weight",
    [CR_HINT_MISSING] = "missing",
    [CR_HINT_DELIMITER] = "delimiter",
    [CR_HINT_COMMENT] = "comment",
    [CR_HINT_NO_HEADER] = "no_header",
    [CR_HINT_INDEX_BASE] = "zero_based",
    [CR_HINT_CALIBRATE] = "calibrate",
    [CR_HINT_BUDGET] = "budget",
    [CR_HINT_GOAL] = "by",
    [CR_HINT_LEARNER] = "learner",
};

/* Settings that are a whole phrase. */
static const char *const phrase_of[] = {
    [CR_HINT_KNOB_LIST] = "credence.knobs() lists them",
    [CR_HINT_TRAIN] = "credence.train(data)",
    [CR_HINT_REFIT] = "refit()",
    [CR_HINT_NORMALISE] = "normalise=True takes them as weights of any sum",
    [CR_HINT_UNIFORM] = "without priors, uniform=True makes all hypotheses alike",
    [CR_HINT_EVIDENCE] = "evidence=[\"COLUMN\"] names another column of likelihoods",
};

enum {
    ARGUMENTS = sizeof argument_of / sizeof *argument_of,
    PHRASES = sizeof phrase_of / sizeof *phrase_of
};

/* params={"alpha": "1"} of alpha=1; impute is a knob that every learner has. */
static int knob_words(const cr_hint_item *item, char *buffer, size_t size)
{
    const char *equals = strchr(item->value, '=');

    if (item->code == CR_HINT_IMPUTE)
        snprintf(buffer, size, "params={\"impute\": \"%s\"}",
                 item->value[0] == '\0' ? "HOW" : item->value);
    else if (equals == NULL)
        snprintf(buffer, size, "params");
    else
        snprintf(buffer, size, "params={\"%.*s\": \"%s\"}", (int)(equals - item->value),
                 item->value, equals + 1);
    return 1;
}

int hint_words(void *context, const cr_hint_item *item, char *buffer, size_t size)
{
    const size_t code = item->code;
    const char *argument = code < ARGUMENTS ? argument_of[code] : NULL;

    (void)context;
    if (item->code == CR_HINT_KNOB || item->code == CR_HINT_IMPUTE)
        return knob_words(item, buffer, size);
    if (code < PHRASES && phrase_of[code] != NULL)
        snprintf(buffer, size, "%s", phrase_of[code]);
    else if (argument == NULL)
        return 0;
    else if (item->column[0] != '\0')
        snprintf(buffer, size, "%s={\"%s\": \"%s\"}", argument, item->column, item->value);
    else if (item->code == CR_HINT_NO_HEADER || item->code == CR_HINT_INDEX_BASE)
        snprintf(buffer, size, "%s=True", argument);
    else if (item->value[0] != '\0')
        snprintf(buffer, size, "%s=\"%s\"", argument, item->value);
    else
        snprintf(buffer, size, "%s", argument);
    return 1;
}
