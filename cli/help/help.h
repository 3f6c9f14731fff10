/* cli/help/help.h - help pages generated from the table of verbs. */
#ifndef CLI_HELP_HELP_H
#define CLI_HELP_HELP_H

#include <stdio.h>

#include "verbs/verbs.h"

/* For people at a terminal. */
void help_overview(FILE *file);
void help_verb(const verb *v);

/* The page of a verb for programs: name, summary, operands, about[], options[], examples[]. */
void help_json(const verb *v);

/* The width of help text in columns. */
size_t help_width(void);

/* An empty line and a paragraph. */
void help_paragraph(const char *text);

/* A term and what it means, the meaning wrapped beside it. */
void help_entry(FILE *file, const char *term, const char *meaning);

/* The man page of a verb, or of the command when v is NULL, in roff. */
void help_man(const verb *v);

/* Completions for a shell; false when there are none for it. */
bool help_completion(const char *shell);

extern const char help_slogan[];

/* A paragraph of a verb with {keys RESULT} replaced by the keys of its JSON. Free it. */
char *help_expanded(const char *text);

#endif
