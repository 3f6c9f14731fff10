/* stats/bag_join.h - one bag of the words that several workers have counted. */
#ifndef CR_STATS_BAG_JOIN_H
#define CR_STATS_BAG_JOIN_H

#include "stats/bag.h"

typedef struct cr__bag_source {
    const cr__vocabulary *vocabulary;
    const uint32_t *map;       /* [codes] the class that each code becomes; UINT32_MAX: none */
    const uint64_t *documents; /* [codes] texts by class code */
    size_t codes;              /* beyond the last class code that was counted */
} cr__bag_source;

/* The sum of the sources, by this many workers: any number gives the same bag. CR_ENOMEM, or
 * CR_ELIMIT when a class has a word in 2^32 documents or all words together have 4 GB. */
cr_status cr__bag_of_vocabularies(cr__bag *out, const cr__bag_source *source, size_t sources,
                                  size_t classes, int workers);

#endif
