/* cli/evaluate/study.h - options of verbs that deal rows out: folds, learners and their knobs. */
#ifndef CLI_EVALUATE_STUDY_H
#define CLI_EVALUATE_STUDY_H

#include "credence/credence.h"
#include "options/options.h"
#include "out/json.h"

extern const option_group deal_options; /* --folds --repeats --group --stratified */

/* Of verbs whose learners are judged as credence train would calibrate them. */
#define CALIBRATE_OPTION                                                                           \
    {                                                                                              \
        "calibrate", 0, OPTION_CHOICE, "auto|none",                                                \
            "none judges learners as they are. Default: auto, calibrated as credence train does "  \
            "it; -m nb:calibrate=platt names a method."                                            \
    }

/* The deal that the options ask for. EXIT_DONE, or an exit status after a message. */
int read_deal(cr_deal *out, const request *r);

/* --- what was done ------------------------------------------------------------------------- */

/* "nb on iris.csv: 150 rows in 10 folds, in 2 ms (subtracted)" and an empty line. */
void cv_headline(const request *r, const cr_cv_facts *facts, const char *learner, double seconds);

/* --- learners with knobs ------------------------------------------------------------------- */

/* What is learned where -m does not say: the best that there is, auto; or nb, whose knobs they are,
 * where -p gives some. */
const char *usual_learner(const request *r);

/* All that -m names, separated by commas, with the -p of the request appended to the knobs of each;
 * `nb`, or what is said to be usual, when none is named. To be freed with free_candidates(). */
void read_candidates(cr_spec **out, size_t *count, const request *r);
void read_candidates_or(cr_spec **out, size_t *count, const request *r, const char *usual);

/* Candidate i predicts what the first one does, classes or numbers: both can be compared. */
int check_alike(const cr_spec *specs, size_t i, int first, int numbers);
void free_candidates(cr_spec *specs, size_t count);

#endif
