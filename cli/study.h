/* cli/study.h - options of verbs that deal rows out: folds, learners and their knobs. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "credence/credence.h"
#include "options.h"

extern const option_group deal_options; /* --folds --repeats --group --stratified */

/* The deal that the options ask for. EXIT_DONE, or an exit status after a message. */
int read_deal(cr_deal *out, const request *r);

/* LEARNER[:KNOB=VALUE[:KNOB=VALUE...]] */
typedef struct candidate_spec {
    char *name;          /* as given */
    char *learner;
    char **params;       /* [param_count] KNOB=VALUE */
    size_t param_count;
} candidate_spec;

/* All that -m names, parted by commas, with the -p of the request behind the knobs of each; `nb`
 * when none is named. To be freed. */
void read_candidates(candidate_spec **out, size_t *count, const request *r);
void free_candidates(candidate_spec *specs, size_t count);

#endif
