/* cli/evaluate/study.h - options of verbs that split rows into folds: folds, learners and knobs. */
#ifndef CLI_EVALUATE_STUDY_H
#define CLI_EVALUATE_STUDY_H

#include "credence/credence.h"
#include "options/options.h"
#include "out/json.h"

extern const option_group deal_options; /* --folds --repeats --group --stratified */

/* For verbs that judge learners with the calibration of credence train. */
#define CALIBRATE_OPTION                                                                           \
    {                                                                                              \
        "calibrate", 0, OPTION_CHOICE, "auto|none|temperature|confidence|platt|isotonic|beta",     \
            "How learners are calibrated before they are judged; none judges them as they are. "   \
            "Default: as credence train does it; -m nb:calibrate=platt names a method for one."    \
    }

/* The folds that the options ask for. EXIT_DONE, or an exit status after a message. */
int read_deal(cr_deal *out, const request *r);

/* --- what was done ------------------------------------------------------------------------- */

/* "nb on iris.csv: 150 rows in 10 folds, in 2 ms (subtracted)" and an empty line. */
void cv_headline(const request *r, const cr_cv_facts *facts, const char *learner, double seconds);

/* --- learners with knobs ------------------------------------------------------------------- */

/* The default of -m: auto, the best learner; or nb if -p gives knobs, which are then its knobs. */
const char *usual_learner(const request *r);

/* All learners that -m names, separated by commas, each with the knobs of -p appended; `nb`, or the
 * given default, when -m is absent. Free them with free_candidates(). */
void read_candidates(cr_spec **out, size_t *count, const request *r);
void read_candidates_or(cr_spec **out, size_t *count, const request *r, const char *usual);

/* Whether candidate i predicts the same as the first, classes or numbers, so that they compare. */
int check_alike(const cr_spec *specs, size_t i, int first, int numbers);
void free_candidates(cr_spec *specs, size_t count);

#endif
