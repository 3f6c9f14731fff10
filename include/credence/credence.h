/* credence.h - the whole public interface of libcredence.
 *
 *     source → model → decision → evaluation
 *
 * cr_source_open() names data, cr_model_train() learns from it, cr_model_classify() and
 * cr_model_predict() answer, cr_model_explain() says why, cr_model_test() says how well. The
 * library never prints, never exits and keeps no global state but the libraries that it has
 * opened. docs/api.md is the guide; examples/ has programs.
 */
#ifndef CREDENCE_CREDENCE_H
#define CREDENCE_CREDENCE_H

#include "credence/array.h"
#include "credence/auto.h"
#include "credence/calibrate.h"
#include "credence/combine.h"
#include "credence/compare.h"
#include "credence/decision.h"
#include "credence/diagram.h"
#include "credence/distribution.h"
#include "credence/draw.h"
#include "credence/drift.h"
#include "credence/estimate.h"
#include "credence/cv.h"
#include "credence/eval.h"
#include "credence/explain.h"
#include "credence/filter.h"
#include "credence/grid.h"
#include "credence/hypothesis.h"
#include "credence/independence.h"
#include "credence/impute.h"
#include "credence/joint.h"
#include "credence/json.h"
#include "credence/json_reader.h"
#include "credence/league.h"
#include "credence/logistic.h"
#include "credence/linear.h"
#include "credence/mistake.h"
#include "credence/model.h"
#include "credence/network.h"
#include "credence/observations.h"
#include "credence/output.h"
#include "credence/plot.h"
#include "credence/query.h"
#include "credence/render.h"
#include "credence/report.h"
#include "credence/run.h"
#include "credence/schema.h"
#include "credence/source.h"
#include "credence/spec.h"
#include "credence/split.h"
#include "credence/status.h"
#include "credence/table.h"
#include "credence/team.h"
#include "credence/tree.h"
#include "credence/store.h"
#include "credence/tune.h"
#include "credence/structure.h"

#endif
