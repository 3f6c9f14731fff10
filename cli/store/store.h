/* cli/store/store.h - settings of a new store. */
#ifndef CLI_STORE_STORE_H
#define CLI_STORE_STORE_H

#include "credence/credence.h"
#include "options/options.h"

#define STORE_OPTIONS                                                                              \
    {"period", 0, OPTION_CHOICE, "none|day|week",                                                  \
     "Of a new store: keep lessons apart by days or weeks, so that old ones can be forgotten. "    \
     "Default: none."},                                                                            \
        {"keep", 0, OPTION_TEXT, "DAYS",                                                           \
         "Of a new store: forget lessons after so long, such as 90d or 12w. Default: never."},     \
    {                                                                                              \
        "live-calibration", 0, OPTION_CHOICE, "temperature|platt|isotonic|beta",                   \
            "Of a new store: calibrate its probabilities by how each row was judged before it "    \
            "was "                                                                                 \
            "learned. Default: the model's own calibration, if it has one."                        \
    }

/* EXIT_DONE, or an exit status after a message. */
int store_settings(const request *r, cr_store_options *out);

#endif
