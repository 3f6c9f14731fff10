/* serve/routes.c - the table of routes, the most frequent first. */
#include "endpoints/endpoints.h"
#include "metrics.h"
#include "service.h"

static const route routes[] = {
    {METHOD_POST, "/models/{model}/predict", predict_rows, ROUTE_SMALL},
    {METHOD_POST, "/models/{model}/explain", explain_rows, ROUTE_SMALL},
    {METHOD_POST, "/models/{model}/test", test_rows, ROUTE_JOB},
    {METHOD_POST, "/models/{model}/curves", draw_curves, ROUTE_JOB},
    {METHOD_POST, "/models/{model}/mistakes", find_mistakes, ROUTE_JOB},
    {METHOD_POST, "/models/{model}/drift", compare_rows, ROUTE_JOB},
    {METHOD_GET, "/models/{model}/drift", compare_traffic, ROUTE_JOB},
    {METHOD_POST, "/models/{model}/query", answer_query, ROUTE_JOB},
    {METHOD_POST, "/models/{model}/learn", learn_rows, ROUTE_JOB | ROUTE_TEACH},
    {METHOD_POST, "/models/{model}/unlearn", unlearn_rows, ROUTE_JOB | ROUTE_TEACH},
    {METHOD_POST, "/models/{model}/undo/{lesson}", undo_lesson, ROUTE_JOB | ROUTE_TEACH},
    {METHOD_GET, "/models/{model}/history", show_history, ROUTE_JOB},
    {METHOD_GET, "/models", list_models, 0},
    {METHOD_GET, "/models/{model}", show_model, ROUTE_JOB},
    {METHOD_GET, "/models/{model}/file", download_model, ROUTE_JOB},
    {METHOD_GET, "/models/{model}/plot/{kind}", draw_picture, ROUTE_JOB},
    {METHOD_POST, "/models/{model}/plot/{kind}", draw_picture, ROUTE_JOB},
    {METHOD_GET, "/models/{model}/report", make_report, ROUTE_JOB},
    {METHOD_POST, "/models/{model}/report", make_report, ROUTE_JOB},
    {METHOD_GET, "/learners", list_learners, 0},
    {METHOD_POST, "/columns", find_columns, ROUTE_JOB},
    {METHOD_POST, "/train", train_model, ROUTE_JOB},
    {METHOD_GET, "/train/{job}", show_training, 0},
    {METHOD_POST, "/train/{job}/stop", stop_training, 0},
    {METHOD_GET, "/models/{model}/network", show_network, 0},
    {METHOD_POST, "/models/{model}/network/beliefs", network_beliefs, ROUTE_JOB},
    {METHOD_POST, "/models/{model}/network/explanation", network_explanation, ROUTE_JOB},
    {METHOD_POST, "/compute/estimate", compute_estimate, 0},
    {METHOD_POST, "/compute/hypotheses", compute_hypotheses, 0},
    {METHOD_POST, "/compute/gaussians", compute_gaussians, 0},
    {METHOD_POST, "/compute/model", compute_table, ROUTE_JOB},
    {METHOD_POST, "/compute/surface", compute_surface, ROUTE_JOB},
    {METHOD_POST, "/compute/curve", compute_curve, ROUTE_JOB},
    {METHOD_POST, "/compute/accounts", compute_accounts, ROUTE_JOB},
    {METHOD_GET, "/metrics", show_metrics, 0},
    {METHOD_GET, "/v2", oip_server, ROUTE_OPEN},
    {METHOD_GET, "/v2/health/live", oip_live, ROUTE_OPEN},
    {METHOD_GET, "/v2/health/ready", oip_ready, ROUTE_OPEN},
    {METHOD_GET, "/v2/models/{model}", oip_model, 0},
    {METHOD_GET, "/v2/models/{model}/versions/{version}", oip_model, 0},
    {METHOD_GET, "/v2/models/{model}/ready", oip_model_ready, 0},
    {METHOD_GET, "/v2/models/{model}/versions/{version}/ready", oip_model_ready, 0},
    {METHOD_POST, "/v2/models/{model}/infer", oip_infer, ROUTE_SMALL},
    {METHOD_POST, "/v2/models/{model}/versions/{version}/infer", oip_infer, ROUTE_SMALL},
    {METHOD_GET, "/", asset_index, ROUTE_OPEN},
    {METHOD_GET, "/{file}", asset, ROUTE_OPEN},
    {METHOD_GET, "/{folder}/{file}", asset, ROUTE_OPEN},
};

const route *route_at(size_t index)
{
    return index < sizeof routes / sizeof *routes ? &routes[index] : NULL;
}
