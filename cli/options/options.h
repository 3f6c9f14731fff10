/* cli/options/options.h - options as tables, and what the user gave.
 *
 * A group is a titled table of options. The tables drive the parser, the help, the man pages and
 * the completions. Values are checked while they are parsed, so asking for them cannot fail.
 */
#ifndef CLI_OPTIONS_OPTIONS_H
#define CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "credence/model.h"

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_COUNT,  /* a whole number */
    OPTION_SIZE,   /* bytes: 1.5G */
    OPTION_CHOICE, /* one of the words in value, which are separated by | */
    OPTION_BYTE,   /* one character, or the name of one: tab, comma ... */
    OPTION_PAIR    /* NAME=VALUE; may be repeated */
} option_kind;

typedef struct option {
    const char *name; /* without the dashes */
    char letter;      /* 0: no short name */
    option_kind kind;
    const char *value; /* the value's name in the help; NULL for flags */
    const char *help;  /* what it does, and the default */
} option;

/* Options that several verbs have among their own. */
#define ALLOW_ABSENT_OPTION                                                                        \
    {                                                                                              \
        "allow-absent", 'a', OPTION_FLAG, NULL,                                                    \
            "Columns of the model that DATA lack count as missing. Default: that is an error."     \
    }
#define INTERVAL_OPTION                                                                            \
    {                                                                                              \
        "interval", 0, OPTION_TEXT, "PERCENT",                                                     \
            "Level of the prediction intervals of a regression. Default: 95."                      \
    }
#define CHANGED_MODEL_OPTION                                                                       \
    {                                                                                              \
        "output", 'o', OPTION_TEXT, "MODEL", "File for the changed model. Default: replace MODEL." \
    }

typedef struct option_group {
    const char *title;
    const option *options; /* up to a NULL name */
} option_group;

extern const option_group common_options; /* of every verb */
extern const option_group data_options;   /* of verbs that read DATA */
extern const option_group column_options; /* and of those that have no model to tell them this */
extern const option_group basis_options;  /* and learn from them */

/* One option as the user gave it. */
typedef struct setting {
    const option *option;
    const char *value; /* NULL for flags */
} setting;

struct verb;

/* What the user asks for. */
typedef struct request {
    const struct verb *verb;
    setting *settings;
    size_t setting_count;
    const char **operands; /* what is not an option, in order */
    size_t operand_count;
    bool json, csv;
    cr_run run;
} request;

/* The argument of a verb's main function: parse argv (without the verb itself). EXIT_DONE, or an
 * exit status after a message. */
int request_parse(request *r, const struct verb *verb, int argc, char **argv);
void request_free(request *r);

/* The values given. The last one counts, except for pairs. */
bool option_given(const request *r, const char *name);
const char *option_text(const request *r, const char *name); /* NULL when not given */
uint64_t option_count(const request *r, const char *name, uint64_t otherwise);
char option_byte(const request *r, const char *name); /* 0 when not given */

/* All pairs given under a name, *count of them. Free the array. */
const char **option_pairs(const request *r, const char *name, size_t *count);

/* The option of a verb by name; NULL if there is none. */
const option *option_find(const struct verb *verb, const char *name);

/* Call visit for each option of a verb, its own groups first, until it returns false. */
typedef bool (*option_visit)(void *context, const option_group *group, const option *o);
void option_each(const struct verb *verb, option_visit visit, void *context);

/* What happens to rows that cannot be read, for verbs that answer row by row. */
#define ON_ERROR_OPTION                                                                            \
    {                                                                                              \
        "on-error", 0, OPTION_CHOICE, "stop|skip|row",                                             \
            "A row that cannot be read ends the command, is left out, or has its error in its "    \
            "place (in JSON as line and error). Default: stop."                                    \
    }
cr_on_error read_on_error(const request *r);

#endif
