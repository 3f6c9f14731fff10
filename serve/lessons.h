/* serve/lessons.h - a model that learns while it answers, and loses nothing that it acknowledged.
 *
 * A lesson is the body of a request: rows to be learned, or taken back. Lessons that come at the
 * same time are learned together: by a copy of the model, which nobody sees yet; then they are
 * written to the journal, and only when that is on the disk the copy takes the model's place and
 * the lessons are acknowledged. Now and then a checkpoint saves the model file, so that the journal
 * need not be learned again from its beginning.
 *
 * The journal, MODEL.journal, has a line of JSON for each lesson, followed by its bytes, and a line
 * for each checkpoint with the fingerprint of the model that is about to be saved. After a crash,
 * the fingerprint of the model file tells how many lessons it knows; the others are learned from
 * the journal. A last record that is cut off was not acknowledged and is dropped. A journal beyond
 * its limit is rewritten at a checkpoint, without the oldest lessons, which are in the model file.
 */
#ifndef SERVE_LESSONS_H
#define SERVE_LESSONS_H

#include "service.h"

typedef struct lessons lessons;

/* The result of a lesson. */
typedef struct receipt {
    uint64_t lesson; /* its number, from 1 */
    uint64_t rows;   /* learned or taken back */
    bool again;      /* the key was known: the lesson was learned before */
} receipt;

/* Open a slot's journal and learn the lessons that the model file lacks. The slot must have a
 * model. CR_ECONFLICT: another server has the journal. */
bool lessons_there(const slot *of); /* whether there is a journal */
cr_status lessons_open(service *s, slot *of, cr_error *err);
void lessons_close(slot *of); /* with a checkpoint */

/* Learn the rows of a request (sign 1) or take them back (-1). undoes: the lesson that this takes
 * back, or 0. */
cr_status lessons_teach(call *k, int sign, uint64_t undoes, receipt *out);

/* Take a lesson back. CR_EARG: there is no lesson with this number; CR_ECONFLICT: it was already
 * taken back, or is no longer in the journal. */
cr_status lessons_undo(call *k, uint64_t lesson, receipt *out);

/* Save the model file if there are new lessons; changes by other programs are kept. */
cr_status lessons_checkpoint(slot *of, cr_error *err);

/* Write the last lessons, the newest first, as members of an object. */
void lessons_history(slot *of, size_t most, cr_json *j);

/* Figures: lessons so far; labelled rows and the answers of the model before it learned them: how
 * many, how many right, how many expected to be right by the posteriors; sums of their log losses
 * and Brier scores. */
typedef struct lesson_figures {
    uint64_t lessons, pending;
    double judged, right, expected_right, log_loss, brier;
} lesson_figures;
void lessons_figures(slot *of, lesson_figures *out);

#endif
