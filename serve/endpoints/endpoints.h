/* serve/endpoints/endpoints.h - the endpoints: one function each, see routes.c. */
#ifndef SERVE_ENDPOINTS_H
#define SERVE_ENDPOINTS_H

#include "service.h"

/* models.c */
endpoint list_models, show_model, download_model;

/* Members of an object: the range of a column's values; and arrays of all classes and columns. */
void put_classes(cr_json *j, const cr_model *model);
void put_range(cr_json *j, const cr_model *model, size_t column);
void put_columns(cr_json *j, const cr_model *model);

/* train.c */
endpoint list_learners, find_columns, train_model, show_training, stop_training;

/* predict.c */
endpoint predict_rows;

/* explain.c */
endpoint explain_rows;

/* judge.c */
endpoint test_rows, draw_curves, find_mistakes, compare_rows, compare_traffic;

/* query.c; and the member "answers" of an object, for an array of questions about any model */
endpoint answer_query;
void answer_questions(call *k, const cr_model *model, const cr_json_value *queries);

/* picture.c */
endpoint draw_picture;

/* report.c */
endpoint make_report;

/* learn.c */
endpoint learn_rows, unlearn_rows, undo_lesson, show_history;

/* network.c */
endpoint show_network, network_beliefs, network_explanation;

/* compute/ */
endpoint compute_estimate, compute_hypotheses, compute_table, compute_surface, compute_curve,
    compute_accounts, compute_gaussians;

/* oip.c */
endpoint oip_server, oip_live, oip_ready, oip_model, oip_model_ready;

/* The version in the path must be the served one. */
cr_status oip_version(call *k);

/* infer.c */
endpoint oip_infer;

/* assets.c */
endpoint asset_index, asset;

#endif
