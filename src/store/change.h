/* store/change.h - the words whose counts a lesson changes. */
#ifndef CR_STORE_CHANGE_H
#define CR_STORE_CHANGE_H

#include "credence/filter.h"
#include "store/store.h"

typedef struct cr__word_change {
    const char *word; /* borrowed */
    size_t length;
    size_t first, cells;
} cr__word_change;

/* The words of a column that change, each of them once, and by how much. */
typedef struct cr__changes {
    cr__word_change *word;
    size_t words, word_capacity;
    cr__word_cell *cell; /* by class id; the rest of it is the same for all */
    size_t cells, cell_capacity;
} cr__changes; /* {0} is empty */

/* Free the changes of all columns. */
void cr__changes_free(cr__changes *changes, size_t columns);

/* Store a lesson: the heads before and after it, and the words that it adds, [columns]. In a
 * transaction that writes. */
cr_status cr__store_keep_words(cr_store *store, const cr_model *before, cr_model *after,
                               const cr__changes *changes, cr_error *err);

/* --- lesson.c --------------------------------------------------------------------------------- */

struct cr__table;

/* Whether a table is one row of a class that the store knows, whose words have records of their
 * own: cr__store_learn_row() learns such a lesson like any other, and faster. */
int cr__store_is_row(const cr_store *store, const cr_model *head, const struct cr__table *table);

/* What is learned. With limits it is a message, which is not learned when it is judged as its class
 * beyond doubt. */
typedef struct cr__row_lesson {
    const struct cr__table *table;
    cr__dict *const *words; /* by column */
    const cr_run *run;
    cr_tally *tally;
    const cr_filter_limits *limits; /* or NULL */
    const char *spam;               /* or NULL: the class of that name */
} cr__row_lesson;

/* Classify the row by a view with its words, count how, and learn it. */
cr_status cr__store_learn_row(cr_store *store, const cr__row_lesson *lesson, cr_error *err);

#endif
