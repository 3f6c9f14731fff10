/* text/text_to_batch.h - a text's words into a row of a batch. */
#ifndef CR_TEXT_TEXT_TO_BATCH_H
#define CR_TEXT_TEXT_TO_BATCH_H

#include "data/batch.h"
#include "text/tokenizer.h"

/* The numbers of n tokens into word; *kept is how many of them have one. */
typedef cr_status cr__text_find(void *context, size_t column, const char *text,
                                const cr__token *token, size_t n, uint32_t *word, size_t *kept);

/* Tokenize the text and add the words to the row, which has a text from now on. A whole text that
 * is a message, or that the recipe treats as one, is split into sections first. */
cr_status cr__text_to_batch(cr__tokenizer *tokenizer, cr__batch *batch, size_t row, size_t column,
                            const cr__section *text, cr__text_find *find, void *context,
                            cr_error *err);

#endif
