/* cli/explain/line.h - lines of the blackboard: a left side, and what it equals. */
#ifndef CLI_EXPLAIN_LINE_H
#define CLI_EXPLAIN_LINE_H

#include <stdio.h>

#include "explain/explain.h"

enum {
    BOARD_WORDS = 40,      /* of a text written out */
    BOARD_NAME_WIDTH = 24, /* of a name, a value or a word, at most */
};

#define BOARD_ALIKE "P(no word at all)"

/* What is being written: the left sides of a class are as wide as the widest. */
typedef struct blackboard {
    inquiry *q;
    const cr_explanation *e;
    size_t c;     /* the class */
    char *name;   /* of it, as shown */
    size_t width; /* of the left sides */
    FILE *line;   /* the right side of a line */
    char *text;
    size_t size;
} blackboard;

/* Columns for a name, a value or a word: three of them and the fractions fit on a line. */
size_t line_name_width(void);

/* Begin the right side of a line, to be written to w->line, and print both. */
void line_begin(blackboard *w);
void line_end(blackboard *w, const char *left);

/* The left side of a factor, of a word; to be freed. */
char *line_factor_side(const blackboard *w, const cr_factor *f);
char *line_word_side(const blackboard *w, const cr_word_share *share, const word_fraction *p);

/* Words as the model has them; the strongest first where they are many. To be freed. */
const cr_word_share **line_words(const blackboard *w, const cr_factor *f);

/* The line of a factor; the lines of a text. */
void line_factor(blackboard *w, const cr_factor *f);
void line_text(blackboard *w, const cr_factor *f);

#endif
