/* text/weighting.h - the weight of a word in a text. */
#ifndef CR_TEXT_WEIGHTING_H
#define CR_TEXT_WEIGHTING_H

#include "base/knobs.h"

/* How a text's words are weighted. */
typedef enum cr__text_weight {
    CR__WEIGHT_COUNTS,
    CR__WEIGHT_BINARY,
    CR__WEIGHT_LOG,
    CR__WEIGHT_TFIDF,
    CR__WEIGHT_SUBLINEAR
} cr__text_weight;

/* What the knobs say about weighting; they are the same for training and prediction. */
cr__text_weight cr__text_weighting(const cr__knobs *knobs, int *unit_length);

/* ln((1 + documents) / (1 + frequency)) + 1, scikit-learn's smooth idf. */
double cr__text_idf(uint64_t documents, uint64_t frequency);

/* The weight of a word that occurs count times, before scaling to unit length. */
double cr__text_weight_of(cr__text_weight weight, double count, double idf);

#endif
