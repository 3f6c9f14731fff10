/* cli/explain/explain.h - why a row was decided as it was. */
#ifndef CLI_EXPLAIN_EXPLAIN_H
#define CLI_EXPLAIN_EXPLAIN_H

#include <stdbool.h>

#include "credence/credence.h"
#include "options/options.h"
#include "out/table.h"
#include "out/text.h"

/* --- which rows --------------------------------------------------------------------------- */

/* Rows from first to last, counted from 1. */
typedef struct walk {
    uint64_t first, last, seen;
    bool paragraphs; /* an empty line between rows */
    bool more;       /* some rows were not explained */
    bool live;       /* the sender of the rows may be waiting for an answer */
} walk;

int walk_begin(walk *w, const request *r);

/* Called at the next row: whether to show it. CR_END: no later row is needed. */
cr_status walk_step(walk *w, bool *show);

/* The result of the pass: EXIT_DONE, or an exit status after a message. */
int walk_end(const walk *w, const request *r, cr_source **source, cr_status status, cr_error *err);

/* number.c: rows of a model that predicts numbers. */
int explain_numbers(const request *r, const cr_model *model, cr_source **source,
                    const cr_predict_options *options);

/* --- classes ------------------------------------------------------------------------------ */

/* The model and what is asked about it. */
typedef struct inquiry {
    const cr_model *model;
    const char *path;    /* of the model */
    const char *against; /* class to compare with, or NULL: the runner-up */
    size_t top;          /* factors, and words of each text, shown to people; 0: all */
    bool work;           /* the derivation is asked for */
    cr_row *row;         /* to find counterfactuals; NULL: not asked for */
} inquiry;

/* "Line 2: ", or "" of a row that is in no file, as a message is. Returns out. */
const char *explain_place(char out[NUMBER_ROOM], size_t line);

/* The class that the decision is compared with, or CR_UNDECIDED when there is none. */
int32_t explain_rival(const inquiry *q, const cr_explanation *e);

/* What a factor adds to the log-odds of two classes; NaN if it is impossible in both. */
double explain_share(const cr_factor *f, int32_t decision, int32_t rival);

void explain_shares(const inquiry *q, const cr_explanation *e); /* a table of log-odds */
void explain_work(const inquiry *q, const cr_explanation *e);   /* the derivation */
void explain_json(const inquiry *q, const cr_explanation *e);   /* one object on a line */
void explain_csv(const inquiry *q, const cr_explanation *e);    /* a line per factor and class */
void explain_csv_header(const cr_model *model);

/* The counterfactuals of a row; NULL if they are not asked for or unknown. Free them. */
cr_changes *explain_find_changes(const inquiry *q, const cr_explanation *e);
void explain_changes(const inquiry *q, const cr_explanation *e); /* a table of them */

/* The final remark on a row that is impossible in every class. */
void explain_impossible(const inquiry *q, const cr_explanation *e);

/* --- tables of log-odds ------------------------------------------------------------------- */

/* The columns are name, value, odds, log-odds and a bar. */
table *explain_table(const char *name, const char *value);
void explain_row(table *t, const char *name, const char *value, double log_odds, double scale);

/* --- texts -------------------------------------------------------------------------------- */

bool explain_is_text(const inquiry *q, const cr_factor *f);

/* What a word adds to the log-odds. */
double explain_word_odds(const cr_word_share *w, int32_t decision, int32_t rival);

/* The word with a NUL at its end. Free it. */
char *explain_word_text(const cr_word_share *w);

/* On a terminal, print the text with each word in the colour of the class it supports. */
void explain_coloured(const cr_factor *f, int32_t decision, int32_t rival);

/* The table of a text's words. */
void explain_word_table(const inquiry *q, const cr_factor *f, int32_t decision, int32_t rival);

/* --- the derivation ------------------------------------------------------------------------ */

void explain_work_number(const cr_model *model, const cr_regression_explanation *e, double level);

#endif
