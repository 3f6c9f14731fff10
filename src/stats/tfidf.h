/* stats/tfidf.h - the second pass over texts: sums of weights. */
#ifndef CR_STATS_TFIDF_H
#define CR_STATS_TFIDF_H

#include "base/knobs.h"
#include "source/source.h"
#include "stats/stats.h"
#include "text/recipe.h"

/* Whether the knobs ask for weights that depend on whole texts, so that counts do not suffice. */
int cr__tfidf_needed(const cr_schema *schema, const cr__knobs *knobs);

/* Fill the weights of the stats' bags from the source, which is the one they were counted from.
 * Document frequencies are those of `frozen` (a model's statistics), or when that is NULL the
 * stats' own. */
cr_status cr__tfidf(cr__stats *stats, cr_source *source, const cr__recipe *recipe,
                    const cr__knobs *knobs, const cr__stats *frozen, const cr_run *run,
                    cr_error *err);

/* The document frequencies alone, for learners that weight the words of each row themselves. */
cr_status cr__tfidf_freeze(cr__stats *stats, const cr__stats *frozen, cr_error *err);

#endif
