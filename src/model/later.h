/* model/later.h - rows with texts that a model learns one by one: counted at once, worked in when
 * the model is next asked for anything.
 *
 * Words come and go with every text, and the parameters of all words follow from the counts. So a
 * text is only noted, word by word (stats/bag_changes.h), until somebody looks: then bags and
 * parameters are made anew, once for all texts that came or went since. Whoever reads the
 * statistics or the fitted parameters calls cr__model_catch_up() before; copies of a model have
 * nothing to catch up with. A single row whose score follows from the counts of its own words is
 * answered without.
 */
#ifndef CR_MODEL_LATER_H
#define CR_MODEL_LATER_H

#include "data/section.h"
#include "model/model.h"
#include "stats/one_row.h"

/* The text of a column that has one, of a row behind context. */
typedef cr__section cr__later_text(const void *context, size_t column);

/* Whether the statistics have texts whose words are counted, so that rows can be noted. */
int cr__later_applies(const cr__stats *stats);

/* How the model answers a row that it does not have: before it is learned, or once it is taken
 * back. What counts such answers is settled when the model is next asked for anything. */
typedef struct cr__later_answer {
    double *score; /* [classes] */
    cr_status (*settle)(cr__calibration *calibration, cr_error *err);
} cr__later_answer;

/* Learn a row (sign 1), or take it back (-1), in the statistics of a model that has them to itself.
 * CR_END, and nothing has changed: it must take the way of all data. answer is NULL where nobody
 * wants to know. */
cr_status cr__model_note_row(cr_model *model, const cr__one_row *row, cr__later_text *text,
                             const void *context, int sign, const cr__later_answer *answer,
                             cr_error *err);

/* log P(class, row) of a row that is only asked about, as the model would score it once all is
 * worked in, which it need not be. CR_END: nothing is to be worked in, or it must be. Any thread.
 */
cr_status cr__model_score_later(const cr_model *model, const cr__one_row *row, cr__later_text *text,
                                const void *context, double *score, cr_error *err);

#endif
