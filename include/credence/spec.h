/* credence/spec.h - what people type: names that are nearly right, learners with their knobs.
 *
 * A specification is a learner with knobs in one text, LEARNER[:KNOB=VALUE[:KNOB=VALUE...]]:
 *
 *     nb    nb:alpha=0.5    gda:covariance=shared:pool=0.1    nb:prior=no:0.7,yes:0.3
 *
 * A colon before something without = belongs to the value of the knob before it. Nothing here is
 * shared: each value belongs to one thread at a time.
 */
#ifndef CREDENCE_SPEC_H
#define CREDENCE_SPEC_H

#include "credence/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- names ---------------------------------------------------------------------------------- */

/* Of the names offered one by one, the one nearest to what was typed. Start from
 * (cr_nearest){.wanted = ...}; best stays NULL while none is near enough to be suggested. Near is a
 * name that begins with what was typed, or that takes few letters added, dropped, changed or
 * swapped, about one in three; the case of ASCII letters does not matter. The first of equals is
 * kept. Names are borrowed. */
typedef struct cr_nearest {
    const char *wanted;
    const char *best;
    size_t distance;
} cr_nearest;

/* Look at another name. */
void cr_nearest_offer(cr_nearest *near, const char *name);

/* --- learners ------------------------------------------------------------------------------- */

typedef struct cr_spec {
    char *name; /* as given */
    char *learner;
    char **params; /* [param_count] "KNOB=VALUE" each, for cr_model_train() */
    size_t param_count;
} cr_spec;

/* Take a specification apart; whether there is such a learner with such knobs is for training to
 * say. CR_ENOMEM. On CR_OK the caller frees what *out holds. */
cr_status cr_spec_parse(cr_spec *out, const char *text, cr_error *err);

/* One more knob behind the others. */
cr_status cr_spec_add(cr_spec *spec, const char *param, cr_error *err);
void cr_spec_free(cr_spec *spec); /* what it holds, not the spec itself */

/* Several specifications, parted by commas: "nb,gda:covariance=shared,tree". A comma after which no
 * name of a learner comes belongs to the value of a knob. To be freed with cr_specs_free(). */
cr_status cr_specs_parse(cr_spec **out, size_t *count, const char *text, cr_error *err);
void cr_specs_free(cr_spec *specs, size_t count); /* NULL is allowed */

/* Every learner that learns from data, at its defaults. To be freed as above. */
cr_status cr_specs_all(cr_spec **out, size_t *count, cr_error *err);

/* CR_EARG, with the nearest name: there is no such learner, or it has no such knob or value. */
cr_status cr_spec_check(const cr_spec *spec, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
