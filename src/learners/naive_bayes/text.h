/* learners/naive_bayes/text.h - P(text | class): the event models of naive Bayes for bags of words.
 *
 * All event models are one sum. With f the weight of a word in the text (how often it occurs, or
 * 1, or its tf-idf):
 *
 *     log P(text | c) = once_c + scale_c · Σ_words f · (word_w + each_c + delta_wc)
 *
 * where delta_wc is not 0 only where the word occurs with the class; without smoothing word_w is
 * -∞, and a class is impossible unless it has a delta for every word of the text. So a model of a
 * million words and a thousand classes is as small as its counts, and the cost of a text is the
 * number of classes with which its words have occurred. fit_text.c derives the parts for each event
 * model and smoothing.
 */
#ifndef CR_LEARNERS_NAIVE_BAYES_TEXT_H
#define CR_LEARNERS_NAIVE_BAYES_TEXT_H

#include "credence/explain.h"
#include "data/container.h"
#include "base/knobs.h"
#include "base/random.h"
#include "learners/naive_bayes/alike.h"
#include "stats/bag_changes.h"
#include "stats/stats.h"
#include "text/weighting.h"

typedef struct cr__nb_delta {
    uint32_t class_index;
    uint32_t zero;
    double delta;
} cr__nb_delta;

/* How much of a text counts. */
typedef struct cr__nb_length {
    uint32_t most;  /* a longer text counts like one of so many words; 0: as it is */
    uint32_t apart; /* headers and body of a message count like half as many each */
    double alike;   /* n words that repeat each other count like n^alike: alike.h */
} cr__nb_length;

typedef struct cr__nb_text {
    size_t cells, classes;
    cr__words words; /* the vocabulary */
    /* The weights. */
    uint32_t weight, unit_length; /* cr__text_weight; whether texts are scaled to length 1 */
    cr__nb_length length;
    const double *idf; /* [words], or NULL */
    /* The sum. */
    const double *once, *each, *scale; /* [classes] */
    const double *word;                /* [words]; NaN: the word is left out; -∞: it is impossible
                                          with every class that has no cell */
    const uint64_t *row;               /* [words + 1] */
    const cr__nb_delta *cell;          /* [cells] */
    void *own[8]; /* memory behind the above that belongs to this; NULLs at the end.
                     Words and rows belong to the statistics, or to the file */
} cr__nb_text;

/* The bag must outlive the fitted text. */
cr_status cr__nb_fit_text(cr__nb_text **out, const cr__bag *bag, const cr__knobs *knobs,
                          cr_error *err);
void cr__nb_text_free(cr__nb_text *text);

/* Whether a word's parameters are independent of other words: see cr__learner. */
int cr__nb_words_apart(const cr__knobs *knobs);

/* Whether a text is scored by the counts of its words and the totals alone: the multinomial or
 * boolean model with additive smoothing and all words, unweighted. */
typedef struct cr__nb_plain {
    double alpha;     /* what is added; NaN: to be found by leave-one-out */
    cr__bag_count of; /* what is counted */
    cr__nb_length length;
} cr__nb_plain;
int cr__nb_text_is_plain(const cr__knobs *knobs, cr__nb_plain *plain);

/* The words of the chosen vocabulary by the knobs min-count, stop=common:N and select=chi2:K or
 * gain:K: chosen[w] is 0 or 1. *odds is the D of select=odds:D, which applies once the
 * probabilities are known, else 0. Returns CR_OK, CR_ENOMEM or CR_EARG. */
cr_status cr__text_choose(const cr__bag *bag, const cr__knobs *knobs, unsigned char *chosen,
                          double *odds, cr_error *err);

/* The additive smoothing that maximises the leave-one-out likelihood of terms, of their
 * weights where they have any, of documents with the word, or of its presence and absence. */
typedef enum cr__alpha_of {
    CR__ALPHA_OF_TERMS,
    CR__ALPHA_OF_WEIGHTS,
    CR__ALPHA_OF_DOCUMENTS,
    CR__ALPHA_OF_PRESENCE
} cr__alpha_of;

cr_status cr__text_auto_alpha(const cr__bag *bag, const unsigned char *chosen, cr__alpha_of of,
                              double *alpha);

/* The same of documents, of all words, bit for bit: how many words and classes occur together in so
 * many documents, [room], their sums N_c, and V. */
cr_status cr__text_auto_alpha_of(const uint64_t *cells, size_t room, const int64_t *N,
                                 size_t classes, uint64_t V, double *alpha);

/* What is added to every count, by the knobs; 0: nothing, NaN: to be found by leave-one-out. */
double cr__text_alpha(const cr__knobs *knobs);

/* The fractions of counts behind a word's contribution, [classes]: unsmoothed, and smoothed as in
 * the score. */
typedef struct cr__nb_fractions {
    double *count, *total, *top, *bottom;
} cr__nb_fractions;

/* The counts of a bag as fitting uses them. A word has fractions where the form is not
 * CR_WORD_NUMBER. Free *out even after a failure. */
typedef struct cr__nb_text_counts cr__nb_text_counts;
cr_status cr__nb_text_counts_new(cr__nb_text_counts **out, const cr__bag *bag,
                                 const cr__knobs *knobs, cr_error *err);
void cr__nb_text_counts_free(cr__nb_text_counts *counts);
cr_word_form cr__nb_text_form(const cr__nb_text_counts *counts);
void cr__nb_text_fractions(const cr__nb_text_counts *counts, size_t word,
                           const cr__nb_fractions *out);

/* log P(text | class) under P(word | class) drawn from its posterior. CR_EARG: with these knobs the
 * posterior of the column is not known. Text, bag and the words of a row must outlive it. */
typedef struct cr__nb_text_draw cr__nb_text_draw;
cr_status cr__nb_text_draw_new(cr__nb_text_draw **out, const cr__nb_text *text, const cr__bag *bag,
                               const cr__knobs *knobs, const char *column, cr_error *err);
void cr__nb_text_draw_free(cr__nb_text_draw *draw); /* NULL is allowed */
int cr__nb_text_draw_row(cr__nb_text_draw *draw, const uint32_t *word, size_t n); /* 0: no
                                                                                   * information */
void cr__nb_text_draw_add(cr__nb_text_draw *draw, cr__random *random, double *score);

/* log P(text | class) of the words (ascending, repeats together) for count classes from first
 * on. */
void cr__nb_log_text(const cr__nb_text *text, const uint32_t *word, size_t n, size_t first,
                     size_t count, double *log_p);

/* The same added to the scores of all classes. */
void cr__nb_score_text(const cr__nb_text *text, const uint32_t *word, size_t n, double *score);

/* What all weights of the text are multiplied with, for texts of unit length or of limited length:
 * 1, or 1 / √Σf², and then length / Σf where that is less than 1; the length of headers and that of
 * the body apart where the text is a message. Besides, each word has the weight of its group. */
typedef struct cr__nb_norm {
    double head, body;    /* the body is all of a text that is no message */
    cr__nb_groups groups; /* set where text-alike is not 1 */
} cr__nb_norm;
void cr__nb_text_norm(cr__nb_norm *norm, const cr__nb_text *text, const uint32_t *word, size_t n);
/* That of one of its words. */
double cr__nb_norm_of(const cr__nb_text *text, cr__nb_norm *norm, uint32_t word);

/* The knobs about it, whether a word is one of those of headers that count apart, and the norm by
 * the sums of the words of both. */
cr__nb_length cr__nb_length_of(const cr__knobs *knobs);
int cr__nb_is_head(cr__nb_length length, const char *word, size_t size);
void cr__nb_norm_within(cr__nb_norm *out, cr__nb_length length, double head, double body,
                        double norm);

/* See cr__learner: the contribution of one occurrence of a word, and those of a text's words. */
double cr__nb_word_share(const cr__nb_text *text, size_t word, size_t class_index);
size_t cr__nb_word_shares(const cr__nb_text *text, const uint32_t *word, size_t n,
                          cr_word_share *share, double *work);

void cr__nb_save_text(const cr__nb_text *text, cr__draft *draft, uint32_t column);
cr_status cr__nb_open_text(cr__nb_text **out, const cr__container *container, uint32_t column,
                           size_t classes, cr_error *err);

#endif
