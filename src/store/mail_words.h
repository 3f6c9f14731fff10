/* store/mail_words.h - the words of one message, each split off once. */
#ifndef CR_STORE_MAIL_WORDS_H
#define CR_STORE_MAIL_WORDS_H

#include "data/table.h"
#include "store/store.h"

typedef struct cr__mail_words {
    size_t column; /* the model's text */
    cr__dict *dict;
    uint32_t *word; /* codes of the dictionary, in the order of the message */
    size_t words, capacity;
} cr__mail_words; /* {0} is empty */

void cr__mail_words_free(cr__mail_words *w);

/* The words of what cr__filter_bytes() gives, by the model's rules. */
cr_status cr__mail_words_read(cr__mail_words *w, const cr_model *model, const char *message,
                              size_t size, cr_error *err);

/* Whether a model's rows have a text and a class, and nothing else. */
int cr__mail_words_are_all(const cr_model *model);

/* A table of one row: the message, of a class. It takes over the words. Free it. */
cr_status cr__mail_words_table(cr__mail_words *w, const cr_model *model, const char *class_name,
                               cr__table **out, cr_error *err);

#endif
