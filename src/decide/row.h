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

/* Record what was given. CR_ENOMEM. */
cr_status cr__row_keep_text(cr__row_text *text, const char *bytes, size_t size, int mail);

/* Make the row a message whose words are known: codes of a dictionary, in their order. */
cr_status cr__row_from_words(cr_row *row, const char *message, size_t size, const cr__dict *dict,
                             const uint32_t *word, size_t words, cr_error *err);

/* --- rows of other models: row_elsewhere.c ---------------------------------------------------- */

/* Whether rows of the one are rows of the other. */
int cr__columns_match(const cr_schema *a, const cr_schema *b);

/* The code that a symbol of the row has in a dictionary, one beyond the last where it is not there;
 * its own where dict is NULL. */
uint32_t cr__row_code(const cr_row *row, size_t column, const cr__dict *dict);

/* A text of the row (context) as it was given. */
cr__section cr__row_section(const void *context, size_t column);

/* log P(class, row) by a model that has learned rows which are not worked in yet: see
 * cr__model_score_later(). CR_END: it must be asked with a row of its own. */
cr_status cr__row_score_later(const cr_row *row, const cr_model *model, double *score,
                              cr_error *err);

/* The same row, without its target, for another model with the same columns. */
cr_status cr__row_again(cr_row **out, const cr_model *model, const cr_row *row, cr_error *err);

#endif
