/* serve/endpoints/judge.c - POST /models/NAME/test, /mistakes, /drift: labelled and recent rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "body.h"
#include "endpoints/endpoints.h"
#include "traffic.h"

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- test ------------------------------------------------------------------------------------- */

static cr_status test_classes(call *k, cr_source *source, const cr_predict_options *options)
{
    const cr_run run = {.pool = k->service->pool};
    const double began = seconds();
    cr_evaluation *evaluation = NULL;
    cr_tally tally = {0};
    cr_status status =
        cr_model_test(view_model(k->view), source, options, &run, &evaluation, &tally, k->err);

    k->worker->answered_rows = tally.rows;
    if (status == CR_OK)
        status = cr_test_json(view_model(k->view), evaluation, tally.unlabelled, seconds() - began,
                              k->answer->out);
    cr_evaluation_free(evaluation);
    return status;
}

static cr_status test_numbers(call *k, cr_source *source, const cr_predict_options *options)
{
    const cr_run run = {.pool = k->service->pool};
    const double began = seconds();
    cr_regression_metrics metrics;
    cr_tally tally = {0};
    double level;
    cr_status status = request_number(k->request, "interval", 95, &level, k->err);

    if (status == CR_OK)
        status = cr_model_test_regression(view_model(k->view), source, options, level / 100, &run,
                                          &metrics, &tally, k->err);
    k->worker->answered_rows = tally.rows;
    if (status == CR_OK)
        status = cr_regression_json(&metrics, tally.unlabelled, seconds() - began, k->answer->out);
    return status;
}

cr_status test_rows(call *k)
{
    cr_predict_options options = {.allow_absent_columns = request_flag(k->request, "allow-absent"),
                                  .need_target = 1};
    cr_source *source = NULL;
    cr_rule *rule = NULL;
    cr_status status;

    if ((status = body_rule(k, &rule)) == CR_OK &&
        (status = body_source(k, view_model(k->view), &source)) == CR_OK) {
        options.rule = rule;
        status = k->view->numbers ? test_numbers(k, source, &options)
                                  : test_classes(k, source, &options);
        body_notes(k, source);
    }
    cr_source_close(source);
    cr_rule_free(rule);
    return status;
}

/* --- curves ----------------------------------------------------------------------------------- */

static cr_status put_curve(call *k, cr_json *j, const cr_evaluation *e, const char *key,
                           cr_curve_kind kind, size_t c)
{
    cr_point *point = NULL;
    size_t count = 0;
    const cr_status status = cr_evaluation_curve(e, kind, c, &point, &count, k->err);

    if (status == CR_ELIMIT) /* no rows of one kind */
        return CR_OK;
    if (status != CR_OK)
        return status;
    cr_json_array(j, key, CR_JSON_LINE);
    for (size_t i = 0; i < count; i++) {
        const double numbers[] = {point[i].x, point[i].y, point[i].threshold, point[i].weight};

        cr_json_numbers(j, NULL, numbers, 4);
    }
    cr_json_end(j);
    cr_points_free(point);
    return CR_OK;
}

static cr_status put_curves(call *k, const cr_evaluation *e, int32_t c)
{
    const size_t of = c < 0 ? k->view->classes - 1 : (size_t)c;
    cr_area area;
    cr_json j;
    cr_status status;

    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "class", cr_model_class(view_model(k->view), of));
    if (cr_evaluation_area(e, of, &area, k->err) == CR_OK) {
        cr_json_number(&j, "roc_auc", area.roc);
        cr_json_number(&j, "roc_auc_low", area.roc_low);
        cr_json_number(&j, "roc_auc_high", area.roc_high);
        cr_json_number(&j, "average_precision", area.pr);
    }
    if ((status = put_curve(k, &j, e, "roc", CR_CURVE_ROC, of)) == CR_OK &&
        (status = put_curve(k, &j, e, "precision_recall", CR_CURVE_PR, of)) == CR_OK &&
        (status = put_curve(k, &j, e, "coverage", CR_CURVE_COVERAGE, SIZE_MAX)) == CR_OK)
        status = put_curve(k, &j, e, "reliability", CR_CURVE_RELIABILITY, c < 0 ? SIZE_MAX : of);
    cr_json_end(&j);
    return status;
}

/* Points are [x, y, threshold, weight]. */
cr_status draw_curves(call *k)
{
    const cr_run run = {.pool = k->service->pool};
    const cr_predict_options options = {
        .allow_absent_columns = request_flag(k->request, "allow-absent"), .need_target = 1};
    cr_evaluation *evaluation = NULL;
    cr_source *source = NULL;
    int32_t c = -1;
    cr_status status;

    if (k->view->numbers)
        return fail(k->err, CR_EARG, NULL, "this model answers with numbers");
    if ((status = body_class(k, "class", &c)) == CR_OK &&
        (status = body_source(k, view_model(k->view), &source)) == CR_OK)
        status =
            cr_model_test(view_model(k->view), source, &options, &run, &evaluation, NULL, k->err);
    if (status == CR_OK)
        status = put_curves(k, evaluation, c);
    cr_evaluation_free(evaluation);
    cr_source_close(source);
    return status;
}

/* --- mistakes --------------------------------------------------------------------------------- */

/* A wrongly decided row, and the model's confidence. */
typedef struct mistake {
    double posterior;
    size_t line;
    int32_t truth, decision;
    size_t at, size; /* the fields as members of an object, in the worker's space */
} mistake;

typedef struct hunt {
    call *k;
    mistake *found; /* [limit] */
    size_t count, limit;
    int32_t truth, decision; /* only of this cell; -3: any */
    cr_output *out;          /* into the worker's space */
    uint64_t rows, wrong;
} hunt;

/* The most confident mistakes are kept in descending order. */
static cr_status keep(hunt *h, const cr_predictions *p, size_t row)
{
    buffer *room = &h->k->worker->more;
    mistake m = {.posterior = p->posterior[row * p->classes + (size_t)p->decision[row]],
                 .line = p->line[row],
                 .truth = p->truth[row],
                 .decision = p->decision[row],
                 .at = room->size};
    size_t at = h->count;
    cr_status status;

    if (h->count == h->limit && !(m.posterior > h->found[h->limit - 1].posterior))
        return CR_OK;
    body_fields(p, row, h->out);
    if ((status = cr_output_flush(h->out)) != CR_OK)
        return status;
    m.size = room->size - m.at;
    if (h->count == h->limit)
        at--;
    else
        h->count++;
    for (; at > 0 && h->found[at - 1].posterior < m.posterior; at--)
        h->found[at] = h->found[at - 1];
    h->found[at] = m;
    return CR_OK;
}

static cr_status collect(void *context, const cr_predictions *p)
{
    hunt *h = context;
    cr_status status = CR_OK;

    for (size_t row = 0; row < p->rows && status == CR_OK && p->truth != NULL; row++) {
        const int32_t truth = p->truth[row], decision = p->decision[row];

        h->rows++;
        if (truth == -1 || decision < 0)
            continue;
        if (h->truth != -3 ? truth != h->truth || decision != h->decision : truth == decision)
            continue;
        h->wrong++;
        status = keep(h, p, row);
    }
    return status;
}

static void put_mistakes(hunt *h)
{
    const cr_model *model = view_model(h->k->view);
    cr_output *out = h->k->answer->out;

    cr_output_text(out, "{\"rows\": ");
    cr_output_number(out, (double)h->rows);
    cr_output_text(out, ", \"found\": ");
    cr_output_number(out, (double)h->wrong);
    cr_output_text(out, ", \"mistakes\": [");
    for (size_t i = 0; i < h->count; i++) {
        const mistake *m = &h->found[i];
        const char *truth = m->truth >= 0 ? cr_model_class(model, (size_t)m->truth) : "";
        const char *decision = cr_model_class(model, (size_t)m->decision);

        cr_output_text(out, i == 0 ? "\n{\"line\": " : ",\n{\"line\": ");
        cr_output_number(out, (double)m->line);
        cr_output_text(out, ", \"truth\": ");
        cr_json_quote(out, truth, strlen(truth));
        cr_output_text(out, ", \"prediction\": ");
        cr_json_quote(out, decision, strlen(decision));
        cr_output_text(out, ", \"probability\": ");
        cr_output_number(out, m->posterior);
        cr_output_text(out, ", \"row\": {");
        cr_output_bytes(out, h->k->worker->more.bytes + m->at, m->size);
        cr_output_text(out, "}}");
    }
    cr_output_text(out, "]}\n");
}

cr_status find_mistakes(call *k)
{
    hunt h = {.k = k, .truth = -3, .decision = -3, .limit = 20};
    const cr_sink sink = {NULL, collect, NULL, &h};
    const cr_run run = {.pool = k->service->pool};
    const cr_predict_options options = {
        .allow_absent_columns = request_flag(k->request, "allow-absent"), .need_target = 1};
    cr_source *source = NULL;
    cr_status status;

    if (k->view->numbers)
        return fail(k->err, CR_EARG, "POST …/test tells its errors",
                    "this model answers with numbers, which are never quite right");
    if ((status = request_count(k->request, "top", 1, 1000, &h.limit, k->err)) != CR_OK ||
        (status = body_class(k, "truth", &h.truth)) != CR_OK ||
        (status = body_class(k, "decision", &h.decision)) != CR_OK)
        return status;
    if ((h.truth == -3) != (h.decision == -3))
        return fail(k->err, CR_EARG, NULL, "truth and decision belong together");
    buffer_clear(&k->worker->more, 1 << 20);
    h.found = calloc(h.limit, sizeof *h.found);
    status = h.found != NULL ? cr_output_new(&h.out, buffer_write, &k->worker->more, k->err)
                             : fail(k->err, CR_ENOMEM, NULL, "out of memory");
    if (status == CR_OK && (status = body_source(k, view_model(k->view), &source)) == CR_OK)
        status = cr_model_predict(view_model(k->view), source, &options, &sink, &run, NULL, k->err);
    if (status == CR_OK)
        put_mistakes(&h);
    cr_source_close(source);
    cr_output_free(h.out);
    free(h.found);
    return status;
}

/* --- drift ------------------------------------------------------------------------------------ */

cr_status compare_rows(call *k)
{
    const cr_run run = {.pool = k->service->pool};
    cr_drift_options options = {.allow_absent_columns = request_flag(k->request, "allow-absent")};
    const char *correction = request_text(k->request, "correct");
    cr_source *source = NULL;
    cr_drift *drift = NULL;
    cr_tally tally = {0};
    cr_status status = request_number(k->request, "level", 0, &options.level, k->err);

    if (correction != NULL)
        options.correction = strcmp(correction, "bh") == 0     ? CR_CORRECT_BH
                             : strcmp(correction, "none") == 0 ? CR_CORRECT_NONE
                                                               : CR_CORRECT_HOLM;
    if (status == CR_OK && (status = body_source(k, view_model(k->view), &source)) == CR_OK)
        status =
            cr_model_drift(view_model(k->view), source, &options, &run, &drift, &tally, k->err);
    k->worker->answered_rows = tally.rows;
    if (status == CR_OK)
        status = cr_drift_json(drift, k->answer->out);
    cr_drift_free(drift);
    cr_source_close(source);
    return status;
}

cr_status compare_traffic(call *k)
{
    return traffic_json(k);
}
