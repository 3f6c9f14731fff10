/* store/edit.h - change the records of many words, and their totals with them. */
#ifndef CR_STORE_EDIT_H
#define CR_STORE_EDIT_H

#include "store/store.h"

/* Which words, and the function applied to the record of each: empty where there was none. */
typedef struct cr__edits {
    size_t count;
    const char *(*word)(const void *context, size_t i, size_t *length);
    cr_status (*edit)(const void *context, size_t i,
                      cr__word_record *r); /* CR_ECONFLICT, CR_ENOMEM */
    const void *context;
} cr__edits;

/* Do not repeat a word: repetitions are edited twice only where they are 4096 places apart. least
 * is the min-count of the text. In a transaction that writes. */
cr_status cr__words_edit(cr_store *store, size_t column, const cr__edits *edits, double least,
                         cr_error *err);

/* Call change for the record of every word, and write those that it changed (it returns 1); one
 * without cells is removed. Totals are not updated: cr__store_rebuild() recomputes them. */
typedef int cr__record_change(void *context, cr__word_record *r);
cr_status cr__words_rewrite(cr_store *store, cr__record_change *change, void *context,
                            cr_error *err);

#endif
