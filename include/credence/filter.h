/* credence/filter.h - mail: judge a message, mark it, learn it.
 *
 * A message is bytes, as it came: RFC 5322 with LF or CR LF, perhaps with the "From " line of a
 * mailbox in front, perhaps without a head. Nothing here changes a byte of it but for the one field
 * that cr_filter_mark() adds. Fields that a filter has added before are neither judged nor learned.
 *
 * Judging reads a model only and may run in many threads; teaching needs the model alone.
 */
#ifndef CREDENCE_FILTER_H
#define CREDENCE_FILTER_H

#include "credence/decision.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The field that marks a message. */
#define CR_FILTER_FIELD "X-Credence"

typedef enum cr_filter_verdict {
    CR_FILTER_SPAM = 0,
    CR_FILTER_HAM = 1,
    CR_FILTER_UNSURE = 2
} cr_filter_verdict;

const char *cr_filter_verdict_name(cr_filter_verdict verdict); /* "spam", "ham", "unsure" */

/* A message is ham up to low and spam from high on. They lie far apart on the side where a mistake
 * does more harm: a good message taken for spam is lost. */
typedef struct cr_filter_limits {
    double low, high;
} cr_filter_limits;

#define CR_FILTER_USUAL_LIMITS "0.1..0.99"

/* "LOW..HIGH", two probabilities; NULL: the usual ones. CR_EARG. */
cr_status cr_filter_limits_read(cr_filter_limits *out, const char *text, cr_error *err);

/* What a model makes of a message. */
typedef struct cr_filter_judgement {
    cr_filter_verdict verdict;
    double spam;      /* P(spam | message); NaN when no class can explain it: then it is unsure */
    int32_t decision; /* the most probable class, or CR_UNDECIDED */
} cr_filter_judgement;

/* The class that is spam: the one of that name; NULL: the one called spam, in any capitals.
 * CR_EARG: the model has no such class (with the nearest); CR_ECONFLICT: there is none called spam.
 */
cr_status cr_filter_spam_class(const cr_model *model, const char *name, size_t *out, cr_error *err);

/* The only column of texts, which a model to filter with must have. CR_ECONFLICT: it has none, or
 * several. */
cr_status cr_filter_column(const cr_model *model, size_t *out, cr_error *err);

/* Make the row a message without what filters have added to it. */
cr_status cr_filter_row(cr_row *row, const void *message, size_t size, cr_error *err);

/* Judge a message. posterior (may be NULL) has room for cr_model_classes() numbers. */
cr_status cr_filter_judge(const cr_model *model, const void *message, size_t size,
                          size_t spam_class, const cr_filter_limits *limits,
                          cr_filter_judgement *out, double *posterior, cr_error *err);

/* "X-Credence: spam, probability=0.9987, model=mail.model" into line, room for CR_FILTER_LINE
 * bytes. Only the last part of the path is named, and what may not stand in a head is a question
 * mark. */
enum { CR_FILTER_LINE = 200 };
char *cr_filter_line(char *line, const cr_filter_judgement *judgement, const char *model_path);

/* Copy the message with the line added at the end of its head, in place of such fields that came
 * with it; NULL: as it came. Not another byte is changed. */
void cr_filter_mark(const void *message, size_t size, const char *line, cr_output *out);

/* {"model", "verdict", "probability", "low", "high", "prediction", "posterior": {}}. */
void cr_filter_json(const cr_model *model, const char *model_path,
                    const cr_filter_judgement *judgement, const cr_filter_limits *limits,
                    const double *posterior, cr_output *out);

/* A first model, of a message or of all those of a mailbox, all of one class: naive Bayes with the
 * knobs given, "KEY=VALUE" each. */
cr_status cr_filter_train(cr_model **out, const void *bytes, size_t size, const char *class_name,
                          const char *const *params, size_t param_count, cr_error *err);

/* Take messages back from one class and learn them as another; either may be NULL. The bytes are
 * one message, or a mailbox: then every message in it. *messages (may be NULL) is how many. A class
 * that the model does not have is refused unless the model has fewer than two or new_class is not
 * 0. When anything fails the model is as it was. CR_ECONFLICT from unlearning: never learned so. */
cr_status cr_filter_teach(cr_model *model, const void *bytes, size_t size, const char *unlearn,
                          const char *learn, int new_class, const cr_run *run, uint64_t *messages,
                          cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
