/* text/weighting.c - the weight of a word in a text: its occurrences, their logarithm, tf-idf. */
#include "text/weighting.h"

#include <math.h>

cr__text_weight cr__text_weighting(const cr__knobs *knobs, int *unit_length)
{
    static const char *const names[] = {"counts", "binary", "log", "tfidf", "sublinear-tfidf"};

    *unit_length = cr__knobs_is(knobs, "length-norm", "l2");
    for (int w = 0; w < 5; w++)
        if (cr__knobs_is(knobs, "weight", names[w]))
            return (cr__text_weight)w;
    return CR__WEIGHT_COUNTS;
}

double cr__text_idf(uint64_t documents, uint64_t frequency)
{
    return log((1 + (double)documents) / (1 + (double)frequency)) + 1;
}

double cr__text_weight_of(cr__text_weight weight, double count, double idf)
{
    switch (weight) {
    case CR__WEIGHT_BINARY: return 1;
    case CR__WEIGHT_LOG: return log1p(count);
    case CR__WEIGHT_TFIDF: return count * idf;
    case CR__WEIGHT_SUBLINEAR: return (1 + log(count)) * idf;
    default: return count;
    }
}
