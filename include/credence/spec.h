/* credence/spec.h - what people type: misspelt names, and learners with their knobs.
 *
 * A specification is a learner with knobs in one text, LEARNER[:KNOB=VALUE[:KNOB=VALUE...]]:
 *
 *     nb    nb:alpha=0.5    gda:covariance=shared:pool=0.1    nb:prior=no:0.7,yes:0.3
 *
 * A colon that is not followed by KNOB= belongs to the value of the preceding knob. Nothing here is
 * shared; each value belongs to one thread at a time.
 */
#ifndef CREDENCE_SPEC_H
#define CREDENCE_SPEC_H

#include "credence/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- names ---------------------------------------------------------------------------------- */

/* Finds, among names offered one by one, the one nearest to what was typed. Start from
 * (cr_nearest){.wanted = ...}. best stays NULL while no name is near enough to be suggested. A name
 * is near if it begins with what was typed, or if few letters, about one in three, have to be
 * added, dropped, changed or swapped. The case of ASCII letters is ignored. Of equally near names,
 * the first is kept. Names are borrowed. */
typedef struct cr_nearest {
    const char *wanted;
    const char *best;
    size_t distance;
} cr_nearest;

/* Offer another name. */
void cr_nearest_offer(cr_nearest *near, const char *name);

/* --- learners ------------------------------------------------------------------------------- */

typedef struct cr_spec {
    char *name; /* as given */
    char *learner;
    char **params; /* [param_count] "KNOB=VALUE" each, for cr_model_train() */
    size_t param_count;
} cr_spec;

/* Parse a specification. Whether the learner and its knobs exist is not checked here: see
 * cr_spec_check(). CR_ENOMEM. On CR_OK the caller frees what *out holds with cr_spec_free(). */
cr_status cr_spec_parse(cr_spec *out, const char *text, cr_error *err);

/* Append one more knob. */
cr_status cr_spec_add(cr_spec *spec, const char *param, cr_error *err);
void cr_spec_free(cr_spec *spec); /* what it holds, not the spec itself */

/* Parse several specifications, separated by commas: "nb,gda:covariance=shared,tree". A comma that
 * is not followed by the name of a learner belongs to the value of a knob. Free *out with
 * cr_specs_free(). */
cr_status cr_specs_parse(cr_spec **out, size_t *count, const char *text, cr_error *err);
void cr_specs_free(cr_spec *specs, size_t count); /* NULL is allowed */

/* Every learner that learns from data, with its defaults. Free *out with cr_specs_free(). */
cr_status cr_specs_all(cr_spec **out, size_t *count, cr_error *err);

/* CR_EARG, with the nearest name: there is no such learner, or it has no such knob or value. */
cr_status cr_spec_check(const cr_spec *spec, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
