/* draw/report.c - collect what a report shows, and write it as JSON. */
#include "draw/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "draw/draw.h"
#include "render/fields.h"

enum { MISTAKES_SHOWN = 8, MISTAKES_MOST = 1000 };
#define USUAL_LEVEL 0.95

/* --- collecting ------------------------------------------------------------------------------- */

static cr_status take_options(cr_report *r, const cr_report_options *given, cr_error *err)
{
    cr_report_options *how = &r->how;
    cr_status st = cr__sized_take(how, sizeof *how, given, "cr_report_options", err);

    if (st != CR_OK)
        return st;
    how->mistakes = how->mistakes == 0 ? MISTAKES_SHOWN : how->mistakes;
    how->mistakes = how->mistakes == SIZE_MAX ? 0 : how->mistakes;
    how->level = how->level == 0 ? USUAL_LEVEL : how->level;
    if (how->mistakes > MISTAKES_MOST)
        return cr__fail(err, CR_EARG, "%zu mistakes; at most %d", how->mistakes, MISTAKES_MOST);
    if (!(how->level > 0 && how->level < 1))
        return cr__fail(err, CR_EARG, "the level of an interval must be between 0 and 1");
    how->model = how->model == NULL ? "the model" : how->model;
    how->data = how->data == NULL ? "the data" : how->data;
    r->model_name = cr__strndup(how->model, strlen(how->model));
    r->data_name = cr__strndup(how->data, strlen(how->data));
    return r->model_name == NULL || r->data_name == NULL ? cr__fail_memory(err) : CR_OK;
}

/* The answers of the model, and their quality. */
static cr_status judge(cr_report *r, cr_source *source, const cr_run *run, cr_error *err)
{
    cr_scored *s = &r->scored;
    cr_status st;

    st = cr_scored_read(s, r->model, source, 1, r->how.allow_absent_columns, run, err);
    if (st == CR_OK && s->evaluation == NULL)
        st = cr_regression_measure(s->answer, s->weight, s->rows, r->how.level, &r->numbers, err);
    return st;
}

static int strongest_first(const void *pa, const void *pb)
{
    const cr_feature_rank *a = pa, *b = pb;

    return a->bits != b->bits ? (a->bits > b->bits ? -1 : 1) : a->column < b->column ? -1 : 1;
}

/* Numbers and symbols that separate the classes; or columns that influence a number. */
static cr_status rank_features(cr_report *r, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(r->model);
    const size_t columns = cr_schema_columns(schema);
    size_t all;

    if ((r->rank = cr__alloc(columns + 1, sizeof *r->rank)) == NULL)
        return cr__fail_memory(err);
    if (!cr_model_is_regression(r->model)) {
        all = cr_model_rank_features(r->model, r->rank);
        for (size_t i = 0; i < all; i++)
            if (cr_schema_kind(schema, r->rank[i].column) != CR_BAG)
                r->rank[r->ranked++] = r->rank[i];
        return CR_OK;
    }
    for (size_t i = 0; r->moves != NULL && i < columns; i++)
        if (r->moves[i] > 0)
            r->rank[r->ranked++] = (cr_feature_rank){i, r->moves[i]};
    qsort(r->rank, r->ranked, sizeof *r->rank, strongest_first);
    return CR_OK;
}

/* Those to be drawn: residuals are not drawn against symbols. */
static void choose_features(cr_report *r)
{
    const cr_schema *schema = cr_model_schema(r->model);

    for (size_t i = 0; r->features < CR__FEATURES_DRAWN && i < r->ranked; i++)
        if (!cr_model_is_regression(r->model) ||
            cr_schema_kind(schema, r->rank[i].column) == CR_REAL)
            r->feature[r->features++] = r->rank[i].column;
}

/* An ensemble has nothing to compare with: then this part is omitted. */
static cr_status compare(cr_report *r, cr_source *source, const cr_run *run, cr_error *err)
{
    const cr_drift_options options = {.allow_absent_columns = r->how.allow_absent_columns};
    const cr_status st = cr_model_drift(r->model, source, &options, run, &r->drift, NULL, NULL);

    return st == CR_ENOMEM ? cr__fail_memory(err) : CR_OK;
}

static cr_status gather(cr_report *r, cr_source *source, const cr_run *run, cr_error *err)
{
    const int again = r->judged && !r->how.read_once;
    cr_status st;

    if (!cr_model_has_classes(r->model) && !cr_model_is_regression(r->model))
        return cr__fail(err, CR_EARG, "the model has no target to judge its answers by");
    r->numbers.level = r->how.level;
    if ((st = cr__draw_ready(r->model, err)) == CR_OK && r->judged)
        st = judge(r, source, run, err);
    if (st == CR_OK && r->judged)
        st = cr__mistakes_find(r, r->how.mistakes, err);
    if (st == CR_OK && again)
        st = cr__mistakes_explain(r, source, err);
    if (st == CR_OK)
        st = rank_features(r, err);
    if (st != CR_OK)
        return st;
    choose_features(r);
    if (again)
        st = compare(r, source, run, err);
    if (again && st == CR_OK && r->features > 0)
        st = cr_values_read(&r->values, r->model, source, r->feature, r->features, run, err);
    return st;
}

cr_status cr_report_new(cr_report **out, const cr_model *model, cr_source *source,
                        const cr_report_options *options, const cr_run *run, cr_error *err)
{
    cr_report *r = cr__alloc_zero(1, sizeof *r);
    cr_status st;

    *out = NULL;
    if (r == NULL)
        return cr__fail_memory(err);
    r->model = model;
    r->judged = source != NULL;
    if ((st = take_options(r, options, err)) == CR_OK)
        st = gather(r, source, run, err);
    if (st == CR_OK)
        *out = r;
    else
        cr_report_free(r);
    return st;
}

void cr_report_free(cr_report *r)
{
    if (r == NULL)
        return;
    cr__mistakes_free(r);
    cr_drift_free(r->drift);
    cr_values_free(&r->values);
    cr_scored_free(&r->scored);
    cr__free(r->model_name);
    cr__free(r->data_name);
    cr__free(r->rank);
    cr__free(r->moves);
    cr__free(r->no_reasons);
    cr__free(r);
}

const char *cr_report_without_reasons(const cr_report *report)
{
    return report->no_reasons;
}

/* --- for programs ----------------------------------------------------------------------------- */

static void mistake_json(cr_json *j, const cr_report *r, const cr__mistake *m)
{
    const cr_scored *s = &r->scored;
    const int classes = s->evaluation != NULL;

    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_number(j, "line", (double)s->line[m->row]);
    if (classes) {
        cr_json_text(j, "truth", cr_model_class(r->model, (size_t)s->truth[m->row]));
        cr_json_text(j, "decision", cr_model_class(r->model, (size_t)s->decision[m->row]));
        cr_json_number(j, "probability", m->rank);
    } else {
        cr_json_number(j, "truth", s->answer[m->row].truth);
        cr_json_number(j, "prediction", s->answer[m->row].mean);
        cr_json_number(j, "scales", m->rank);
    }
    cr_json_array(j, "reasons", CR_JSON_BLOCK);
    for (size_t k = 0; k < m->reasons; k++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "feature", m->reason[k].feature);
        cr_json_text(j, "value", m->reason[k].value);
        cr_json_number(j, classes ? "log_odds" : "adds", m->reason[k].adds);
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_end(j);
}

cr_status cr_report_json(const cr_report *r, const char *name, cr_output *out)
{
    const cr_metric *m;
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    if (name != NULL)
        cr_json_text(&j, "report", name);
    if (r->judged && r->scored.evaluation == NULL)
        cr_regression_members(&j, &r->numbers);
    for (size_t i = 0; r->scored.evaluation != NULL && (m = cr_metric_get(0, i)) != NULL; i++)
        if ((m->shown & CR_METRIC_REPORT) != 0)
            cr_json_number(&j, m->key, cr_evaluation_value(r->scored.evaluation, m));
    cr_json_array(&j, "mistakes", CR_JSON_BLOCK);
    for (size_t i = 0; i < r->mistakes; i++)
        mistake_json(&j, r, &r->mistake[i]);
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}
