/* stats/values_read.h - a pass over the numbers of real features only, to find cuts. */
#ifndef CR_STATS_VALUES_READ_H
#define CR_STATS_VALUES_READ_H

#include "credence/model.h"
#include "data/discretise.h"
#include "source/source.h"
#include "text/recipe.h"

/* Cut all real features of a source, which is read and rewound, by a rule. A column whose guessed
 * kind is too narrow is widened. Free it even after a failure. */
cr_status cr__values_cut(cr__bins *out, cr_source *source, const cr_schema *schema,
                         const cr__recipe *recipe, cr__cut_rule rule, const cr_run *run,
                         cr_error *err);

/* Whether there are real features, which can be cut. */
int cr__values_any(const cr_schema *schema);

/* The actual rule for `auto`; CR_EARG where it needs classes and there are none. */
cr_status cr__values_rule(cr__cut_rule *rule, const cr_schema *schema, cr_error *err);

#endif
