/* credence/filter.h - mail: judge a message, mark it, learn it.
 *
 * A message is taken as bytes, as received: RFC 5322 with LF or CR LF, optionally with the "From "
 * line of a mailbox in front, optionally without a header. Nothing here changes a byte of it,
 * except that cr_filter_mark() adds one field. Fields that a filter added earlier are neither
 * judged nor learned.
 *
 * Judging only reads the model and may run in many threads; teaching requires exclusive access to
 * it.
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

/* A message is ham if P(spam) is at most low, and spam if it is at least high. high is close to 1
 * because a mistake there does more harm: a good message taken for spam is lost. */
typedef struct cr_filter_limits {
    double low, high;
} cr_filter_limits;

#define CR_FILTER_USUAL_LIMITS "0.1..0.99"

/* "LOW..HIGH", two probabilities; NULL: the usual ones. CR_EARG. */
cr_status cr_filter_limits_read(cr_filter_limits *out, const char *text, cr_error *err);

/* The limits beyond which a judgement is certain: those with odds ten times as far. Where only
 * errors are learned, so is what is judged right within them: a message that is only just judged
 * right tells what the next of its kind will need. */
cr_filter_limits cr_filter_certain(const cr_filter_limits *limits);

/* The judgement of a model about a message. */
typedef struct cr_filter_judgement {
    cr_filter_verdict verdict;
    double spam;      /* P(spam | message); NaN if every class gives the message probability zero;
                       * the verdict is then unsure */
    int32_t decision; /* the most probable class, or CR_UNDECIDED */
} cr_filter_judgement;

/* Find the class of spam: the one called name, or with NULL the one called spam, in upper or lower
 * case. CR_EARG: the model has no such class (err names the nearest). CR_ECONFLICT: no class is
 * called spam. */
cr_status cr_filter_spam_class(const cr_model *model, const char *name, size_t *out, cr_error *err);

/* Find the only column of texts, which a filter's model must have. CR_ECONFLICT: it has none, or
 * several. */
cr_status cr_filter_column(const cr_model *model, size_t *out, cr_error *err);

/* Make the row a message, without the fields that filters have added to it. */
cr_status cr_filter_row(cr_row *row, const void *message, size_t size, cr_error *err);

/* Judge a message. posterior (may be NULL) has room for cr_model_classes() numbers. */
cr_status cr_filter_judge(const cr_model *model, const void *message, size_t size,
                          size_t spam_class, const cr_filter_limits *limits,
                          cr_filter_judgement *out, double *posterior, cr_error *err);

/* The same of a row that is a message already. */
cr_status cr_filter_judge_row(const cr_model *model, cr_row *row, size_t spam_class,
                              const cr_filter_limits *limits, cr_filter_judgement *out,
                              double *posterior, cr_error *err);

/* "X-Credence: spam, probability=0.9987, model=mail.model" into line, room for CR_FILTER_LINE
 * bytes. Only the last part of the path is used; bytes that are not allowed in a header become
 * question marks. */
enum { CR_FILTER_LINE = 200 };
char *cr_filter_line(char *line, const cr_filter_judgement *judgement, const char *model_path);

/* Copy the message with the line added at the end of its header, replacing any such fields it
 * already has. With line NULL, copy it unchanged. No other byte is changed. */
void cr_filter_mark(const void *message, size_t size, const char *line, cr_output *out);

/* {"model", "verdict", "probability", "low", "high", "prediction", "posterior": {}}. */
void cr_filter_json(const cr_model *model, const char *model_path,
                    const cr_filter_judgement *judgement, const cr_filter_limits *limits,
                    const double *posterior, cr_output *out);

/* Train a first model on one message, or on all messages of a mailbox, all of one class. The
 * learner is naive Bayes with the knobs given, each "KEY=VALUE". */
cr_status cr_filter_train(cr_model **out, const void *bytes, size_t size, const char *class_name,
                          const char *const *params, size_t param_count, cr_error *err);

/* Take messages back from one class and learn them as another; either may be NULL. The bytes are
 * one message or a mailbox, of which every message is taken. *messages is their number; messages
 * may be NULL. A class that the model does not have is refused, unless the model has fewer than two
 * classes or new_class is not 0. If anything fails, the model is unchanged. CR_ECONFLICT: a message
 * to unlearn was never learned as that class. */
cr_status cr_filter_teach(cr_model *model, const void *bytes, size_t size, const char *unlearn,
                          const char *learn, int new_class, const cr_run *run, uint64_t *messages,
                          cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
