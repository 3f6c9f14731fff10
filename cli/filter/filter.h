/* cli/filter/filter.h - one message at a time: read it, judge it, pass it on, learn it. */
#ifndef CLI_FILTER_FILTER_H
#define CLI_FILTER_FILTER_H

#include <stdbool.h>
#include <stdio.h>

#include "credence/credence.h"
#include "options/options.h"

/* What the filter answers to the shell, as bogofilter does. */
enum { FILTER_SPAM = 0, FILTER_HAM = 1, FILTER_UNSURE = 2, FILTER_ERROR = 3 };

/* The field that the filter adds to the head of a message. */
#define FILTER_FIELD "X-Credence"

/* --- messages ----------------------------------------------------------------------------- */

/* A message as it came, with any bytes in it. */
typedef struct message {
    char *bytes;
    size_t size;
    size_t head;     /* size of its head: the lines before the empty one */
    const char *end; /* of its lines: "\n" or "\r\n" */
} message;

/* Read all of a file; "-" is standard input. EXIT_DONE, or an exit status after a message. */
int message_read(message *m, const char *path);
void message_free(message *m);

/* What is learned and judged: all but fields that a filter has added, NUL bytes made blank. To be
 * freed. */
char *message_text(const message *m);

/* Copy the message with a line added at the end of its head, in place of what a filter has added
 * before. Without a line it is copied as it came. */
void message_write(const message *m, const char *line, FILE *file);

/* --- judging and learning ----------------------------------------------------------------- */

typedef struct verdict {
    int status;        /* FILTER_SPAM, FILTER_HAM or FILTER_UNSURE */
    double spam;       /* P(spam | message); NaN when no class can explain it */
    int32_t decision;  /* most probable class, or CR_UNDECIDED */
    double *posterior; /* [classes], to be freed */
} verdict;

typedef struct limits {
    double low, high; /* ham up to, spam from */
} limits;

/* Judge a text by the model's class spam_class. */
int filter_judge(verdict *v, const cr_model *model, const char *text, size_t spam_class,
                 const limits *l, const cr_run *run);

/* Take a text back from one class, learn it as another, and replace the model file; either class
 * may be NULL. Others that change the file in the same way wait. */
int filter_teach(const request *r, const char *path, const char *text, const char *unlearn,
                 const char *learn);

/* The only text column of a model. EXIT_DONE, or an exit status after a message. */
int filter_column(const cr_model *model, const char *path, size_t *column);

#endif
