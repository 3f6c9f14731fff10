/* model/text_knobs.h - knobs that every learner of texts has, as rows of its table. */
#ifndef CR_MODEL_TEXT_KNOBS_H
#define CR_MODEL_TEXT_KNOBS_H

#include "base/knobs.h"

/* clang-format off */
#define CR__TEXT_KNOBS                                                                             \
    {"select", "none", CR__KNOB_LISTED, 0, NULL,                                                   \
     "texts: keep the K most informative words: chi2:K or gain:K; nb: log-odds of D: odds:D"}, \
    {"min-count", "1", CR__KNOB_NUMBER, 0, NULL, "texts: leave out words seen less often"},        \
    {"weight", "counts", CR__KNOB_CHOICE, 0, "counts|binary|log|tfidf|sublinear-tfidf",            \
     "texts: the weight of a word in a text; fixed at training"},                                  \
    {"length-norm", "none", CR__KNOB_CHOICE, 0, "none|l2",                                         \
     "texts: scale each text to length 1; fixed at training"},                                   \
    {"tokens", "words", CR__KNOB_CHOICE, 0, "words|words2|rich|chars",                             \
     "texts: how they are split into words; fixed at training, as all below"},                     \
    {"ngrams", "usual", CR__KNOB_LISTED, 0, NULL, "texts: runs of N or MIN..MAX words"},           \
    {"skip-bigrams", "no", CR__KNOB_LISTED, 0, NULL,                                               \
     "texts: pairs of words with others between: no, yes or WINDOW"},                              \
    {"stop", "none", CR__KNOB_LISTED, 0, NULL,                                                     \
     "texts: words to leave out: LANG, FILE, or common:N, which can change later"},                \
    {"stem", "none", CR__KNOB_LISTED, 0, NULL, "texts: cut words to their stems: none or LANG"},   \
    {"strip", "none", CR__KNOB_LISTED, 0, NULL,                                                    \
     "texts: parts of a post to leave out: headers,footers,quotes"},                               \
    {"lower-case", "yes", CR__KNOB_CHOICE, 0, "yes|no", "texts: fold capitals"},                   \
    {"punctuation", "no", CR__KNOB_CHOICE, 0, "yes|no", "texts: marks such as ! are words too"},   \
    {"html", "auto", CR__KNOB_CHOICE, 0, "auto|yes|no",                                            \
     "texts: web pages are read as displayed; auto: texts that begin as one"},        \
    {"mail", "no", CR__KNOB_CHOICE, 0, "yes|no",                                                   \
     "texts: they are mail messages; yes by itself for mailboxes and Maildirs"}
/* clang-format on */

#endif
