/* credence/status.h - what a call returns, and what to tell a person about it.
 *
 * Every function that can fail returns a cr_status: it tells the program what to do. Most also take
 * a cr_error, always last, which may be NULL: it tells a person what happened, where, and what
 * would be right. A cr_error lives on the caller's stack and owns nothing; each thread has its own.
 */
#ifndef CREDENCE_STATUS_H
#define CREDENCE_STATUS_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, value, text. The values are part of the ABI and never change. */
#define CR_STATUS_MAP(X)                                                                           \
    X(OK, 0, "success")                                                                            \
    X(END, 1, "no more rows")                                                                      \
    X(ENOMEM, 2, "out of memory")                                                                  \
    X(EIO, 3, "input or output failed")                                                            \
    X(EFORMAT, 4, "bad input")                                                                     \
    X(EARG, 5, "bad argument")                                                                     \
    X(ELIMIT, 6, "beyond a limit")                                                                 \
    X(ECONFLICT, 7, "does not fit what is there")                                                  \
    X(EVERSION, 8, "written by a newer version")                                                   \
    X(ESTOPPED, 9, "stopped by the caller")

typedef enum cr_status {
#define CR_X(name, value, text) CR_##name = value,
    CR_STATUS_MAP(CR_X)
#undef CR_X
} cr_status;

/* Settings that an error may mention, because changing them would help. Each has a name for plain
 * texts. Front ends word them in their users' terms: the command as `--type age=ignore`, Python as
 * `types={"age": "ignore"}`. Values never change. */
#define CR_HINT_MAP(X)                                                                             \
    X(TYPE, "type", 1)             /* the kind of a column: column, value real, symbol, … */     \
    X(TARGET, "target", 1)         /* the column to learn; value: its name, or none */             \
    X(WEIGHT, "weight", 1)         /* the column of weights */                                     \
    X(MISSING, "missing", 1)       /* the texts that mean missing */                               \
    X(DELIMITER, "delimiter", 1)   /* of a table */                                                \
    X(COMMENT, "comment", 1)       /* what comments begin with */                                  \
    X(NO_HEADER, "no-header", 1)   /* the first line is data */                                    \
    X(INDEX_BASE, "index-base", 1) /* of sparse rows */                                            \
    X(MEMORY, "memory", 1)         /* the limit of a cr_run */                                     \
    X(IMPUTE, "impute", 1)         /* missing values filled in, while training */                  \
    X(CALIBRATE, "calibrate", 1)   /* of cr_model_train_calibrated() */                            \
    X(BUDGET, "budget", 1)         /* of a search for settings */                                  \
    X(GOAL, "goal", 1)             /* of such a search */                                          \
    X(LEARNER, "learner", 0)       /* value: its name */                                           \
    X(KNOB, "knob", 0)             /* value: KNOB=VALUE */                                         \
    X(KNOB_LIST, "knob-list", 0)   /* where learners and knobs are listed */                       \
    X(TRAIN, "train", 0)           /* train a model */                                             \
    X(REFIT, "refit", 0)           /* turn knobs of a model */                                     \
    X(EMPTY, "empty", 0)           /* there are no data at all */                                  \
    X(NORMALISE, "normalise", 0)   /* priors of hypotheses may have any sum */                     \
    X(UNIFORM, "uniform", 0)       /* hypotheses may have equal priors */                          \
    X(EVIDENCE, "evidence", 0)     /* which column has the likelihoods of hypotheses */            \
    X(CLASSES, "classes", 1)       /* another name of a class: column OLD, value NEW */            \
    X(GROUP, "group", 1)           /* the column whose equal values stay in one fold */

typedef enum cr_hint {
    CR_HINT_NONE,
#define CR_X(code, name, named) CR_HINT_##code,
    CR_HINT_MAP(CR_X)
#undef CR_X
} cr_hint;

/* One setting that an error mentions, and where its plain words are in the text. */
typedef struct cr_hint_item {
    cr_hint code;
    int in_message;    /* the words are in the message, not in the hint */
    size_t at, length; /* where they begin, and how many bytes they take */
    char column[128];  /* the column it is about; may be empty */
    char value[128];   /* the suggested value; may be empty */
} cr_hint_item;

enum { CR_HINT_ITEMS = 4 };

/* What went wrong. `file` is empty and `line`, `column` are 0 where they do not apply; `column`
 * counts fields of the record for tables and characters elsewhere, from 1. */
typedef struct cr_error {
    cr_status code;
    size_t line;
    size_t column;
    char file[256];
    char message[512]; /* what was found */
    char hint[256];    /* what would be right; may be empty */
    size_t hint_items;
    cr_hint_item hint_item[CR_HINT_ITEMS]; /* settings that message and hint mention, in order */
} cr_error;

/* The few words that stand for a status ("out of memory"). Never NULL. */
const char *cr_status_text(cr_status status);

/* Writes a front end's words for a setting into buffer. Returns 0 if it has none; the plain words
 * then stay. */
typedef int cr_hint_words(void *context, const cr_hint_item *item, char *buffer, size_t size);

/* The message or the hint, with the settings it mentions in a front end's words. The text ends in
 * NUL if size > 0, and is cut if it is too long. Returns buffer. */
char *cr_error_message(const cr_error *err, cr_hint_words *words, void *context, char *buffer,
                       size_t size);
char *cr_error_hint(const cr_error *err, cr_hint_words *words, void *context, char *buffer,
                    size_t size);

/* Whether an error mentions a setting. */
int cr_error_about(const cr_error *err, cr_hint code);

/* Write "FILE:LINE:COLUMN: MESSAGE (HINT)" into buffer, with the parts that are known; always
 * ends in NUL when size > 0. Returns buffer. */
char *cr_error_text(const cr_error *err, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
