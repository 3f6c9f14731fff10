/* cli/evaluate/calibrate.h - report a calibration. */
#ifndef CLI_EVALUATE_CALIBRATE_H
#define CLI_EVALUATE_CALIBRATE_H

#include "credence/credence.h"
#include "options/options.h"

/* A line for people, or a JSON object. */
void calibration_report(const request *r, const cr_calibration_report *c, const char *path);

#endif
