/* decide/row.h - the internals of cr_row: a batch of one row, filled by the rules for fields of
 * files.
 *
 * The row has a copy of its model, so that it stays valid when the model changes. Texts are kept
 * unchanged, because lessons need words that the model does not know.
 */
#ifndef CR_DECIDE_ROW_H
#define CR_DECIDE_ROW_H

#include "model/scorer.h"
#include "source/cell.h"

/* The given value of a column where the model's codes cannot represent it. */
typedef struct cr__row_text {
    char *bytes;
    size_t size, capacity;
    int is_set;
    int mail; /* it is a whole message */
} cr__row_text;

struct cr_row {
    cr_model *model; /* its own copy */
    cr__scorer scorer;
    cr__missing missing;
    cr__batch batch;
    cr__cell *cell;     /* [columns] */
    cr__row_text *text; /* [columns] values that the model has never seen, and whole texts */
    double *real;       /* [columns] */
    uint32_t *code;     /* [columns] */
    double *kept_real;  /* [columns] both as they were given, where the model fills gaps */
    uint32_t *kept_code;
    uint32_t *start;                /* [2 * columns] where the words of texts begin and end */
    struct cr__explainer *explains; /* after the first explanation, or NULL */
};

/* Around each answer: values filled in by the model are not given, and the row must be restored for
 * the next answer. */
cr_status cr__row_begin(cr_row *row, cr_error *err);
void cr__row_end(cr_row *row);

/* Make the row a message whose words are known: codes of a dictionary, in their order. */
cr_status cr__row_from_words(cr_row *row, const char *message, size_t size, const cr__dict *dict,
                             const uint32_t *word, size_t words, cr_error *err);

#endif
