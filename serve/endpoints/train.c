/* serve/endpoints/train.c - POST /columns and /train: the columns of a file, and a model of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "body.h"
#include "endpoints/endpoints.h"

enum { SAMPLE_ROWS = 8, TRAINED_MODELS = 64 };

/* --- learners --------------------------------------------------------------------------------- */

static void put_knobs(cr_json *j, const char *learner)
{
    cr_knob knob;

    cr_json_array(j, "knobs", CR_JSON_BLOCK);
    for (size_t i = 0; cr_learner_knob(learner, i, &knob) == CR_OK; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", knob.name);
        cr_json_text(j, "default", knob.fallback);
        cr_json_text(j, "choices", knob.choices);
        cr_json_text(j, "help", knob.help);
        cr_json_end(j);
    }
    cr_json_end(j);
}

cr_status list_learners(call *k)
{
    const char *name;
    cr_json j;

    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_array(&j, "learners", CR_JSON_BLOCK);
    for (size_t i = 0; (name = cr_learner_name(i)) != NULL; i++) {
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        cr_json_text(&j, "name", name);
        cr_json_text(&j, "summary", cr_learner_summary(i));
        put_knobs(&j, name);
        cr_json_end(&j);
    }
    cr_json_end(&j);
    cr_json_end(&j);
    return CR_OK;
}

/* --- columns ---------------------------------------------------------------------------------- */

void put_columns(cr_json *j, const cr_model *model)
{
    static const char *const role[] = {"feature", "target", "weight"};
    const cr_schema *schema = cr_model_schema(model);

    cr_json_array(j, "columns", CR_JSON_BLOCK);
    for (size_t c = 0; c < cr_schema_columns(schema); c++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", cr_schema_name(schema, c));
        cr_json_text(j, "kind", cr_kind_name(cr_schema_kind(schema, c)));
        cr_json_text(j, "role", role[cr_schema_role(schema, c)]);
        cr_json_text(j, "why", cr_why_text(cr_schema_why(schema, c)));
        put_range(j, model, c);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static void put_notes(cr_json *j, const cr_source *source)
{
    cr_error note;
    char text[600];

    cr_json_array(j, "notes", CR_JSON_BLOCK);
    for (size_t i = 0; cr_source_get_note(source, i, &note) == CR_OK; i++)
        cr_json_text(j, NULL, cr_error_message(&note, answer_hint_words, NULL, text, sizeof text));
    cr_json_end(j);
}

static cr_status put_rows(void *context, const cr_predictions *p)
{
    cr_json *j = context;

    for (size_t row = 0; row < p->rows && row < SAMPLE_ROWS; row++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        for (size_t f = 0; f < cr_predictions_fields(p); f++) {
            size_t size = 0;
            const char *field = cr_predictions_field(p, row, f, &size);
            char text[200];

            if (field != NULL)
                snprintf(text, sizeof text, "%.*s", (int)(size < 190 ? size : 190), field);
            cr_json_text(j, cr_predictions_field_name(p, f), field != NULL ? text : NULL);
        }
        cr_json_end(j);
    }
    return CR_ESTOPPED;
}

/* Naive Bayes learns any table quickly, and then knows the types of its columns. */
cr_status find_columns(call *k)
{
    const cr_predict_options options = {.allow_absent_columns = 1};
    const cr_run run = {.pool = k->service->pool};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_tally tally = {0};
    cr_status status;
    cr_json j;

    if ((status = body_source(k, NULL, &source)) == CR_OK)
        status = cr_model_train(&model, source, "nb", NULL, 0, &run, &tally, k->err);
    if (status == CR_OK) {
        cr_sink sink = {.visit = put_rows, .context = &j};
        cr_error unused;

        cr_json_start(&j, k->answer->out);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        cr_json_number(&j, "rows", (double)tally.rows);
        cr_json_number(&j, "unlabelled", (double)tally.unlabelled);
        put_columns(&j, model);
        put_notes(&j, source);
        cr_json_array(&j, "sample", CR_JSON_BLOCK);
        cr_model_predict(model, source, &options, &sink, &run, NULL, &unused);
        cr_json_end(&j);
        cr_json_end(&j);
    }
    cr_model_free(model);
    cr_source_close(source);
    return status;
}

/* --- training --------------------------------------------------------------------------------- */

typedef struct course {
    call *k;
    training *watched; /* NULL: not watched */
    const char *params[REQUEST_PARAMETERS];
    size_t param_count;
    cr_spec spec;
} course;

static int progress(void *context, uint64_t done, uint64_t total, uint64_t rows)
{
    course *c = context;

    return training_step(&c->k->service->trainings, c->watched, done, total, rows);
}

static bool fit_for_a_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strlen(name) <= TRAINING_NAME &&
           name[strspn(
               name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] == '\0';
}

/* "data/iris.csv.gz" makes a model named iris. */
static cr_status choose_name(call *k, char *name, size_t size)
{
    const char *given = request_text(k->request, "name"), *file;

    if (given != NULL) {
        snprintf(name, size, "%s", given);
        return fit_for_a_name(given)
                   ? CR_OK
                   : fail(k->err, CR_EARG, "letters, digits, - _ and .; 64 at most",
                          "'%.100s' cannot be the name of a model", given);
    }
    file = request_text(k->request, "filename");
    file = file == NULL ? "model" : strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
    snprintf(name, size, "%.*s", (int)strcspn(file, "."), file);
    if (!fit_for_a_name(name))
        snprintf(name, size, "model");
    return CR_OK;
}

static void take_params(course *c)
{
    const request *r = c->k->request;

    for (size_t i = 0; i < c->spec.param_count; i++)
        c->params[c->param_count++] = c->spec.params[i];
    for (size_t i = 0; i < r->parameters && c->param_count < REQUEST_PARAMETERS; i++)
        if (strcmp(r->parameter[i].name, "param") == 0)
            c->params[c->param_count++] = r->parameter[i].value;
}

static cr_status train(course *c, cr_source *source, cr_model **model, cr_tally *tally,
                       cr_calibration_report *report)
{
    call *k = c->k;
    const cr_run run = {
        .pool = k->service->pool, .progress = c->watched != NULL ? progress : NULL, .context = c};

    take_params(c);
    return cr_model_train_default(model, source, c->spec.learner, c->params, c->param_count,
                                  request_text(k->request, "calibrate"), &run, tally, report,
                                  k->err);
}

/* Saved in the folder if the server learns, else kept in memory until the server ends. */
static cr_status keep(call *k, const char *name, cr_model *model, bool *stored)
{
    catalog *models = &k->service->models;
    char path[4096] = "";
    slot *s = catalog_find(models, name, NULL);
    cr_status status = CR_OK;

    *stored = k->service->learn && models->folder != NULL;
    if (s != NULL && (s->path != NULL || !s->trained)) {
        cr_model_free(model);
        return fail(k->err, CR_ECONFLICT, "?name=ANOTHER", "there is a model called '%s'", name);
    }
    if (*stored) {
        snprintf(path, sizeof path, "%s/%s.model", models->folder, name);
        status = cr_model_save(model, path, k->err);
        cr_model_free(model);
        if (status == CR_OK)
            catalog_refresh(models, NULL, NULL);
        return status;
    }
    if (s != NULL)
        return catalog_publish(s, model, k->err);
    if (catalog_trained(models) >= TRAINED_MODELS) {
        cr_model_free(model);
        return fail(k->err, CR_ELIMIT, "use one of their names again",
                    "%d models have been trained here", TRAINED_MODELS);
    }
    return catalog_add(models, name, NULL, model, NULL, k->err);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nothing where there are no probabilities to calibrate. */
static void put_calibration(cr_json *j, const cr_model *model, const cr_calibration_report *r)
{
    if (cr_model_is_regression(model) || !cr_model_has_classes(model))
        return;
    cr_json_object(j, "calibration", CR_JSON_LINE);
    cr_json_text(j, "method", r->method);
    cr_json_text(j, "why", r->why);
    cr_json_number(j, "rows", r->rows);
    cr_json_number(j, "temperature", r->temperature);
    cr_json_number(j, "log_loss_before", r->log_loss_before);
    cr_json_number(j, "log_loss_after", r->log_loss_after);
    cr_json_end(j);
}

static void put_trained(call *k, const char *name, const cr_model *model, const cr_source *source,
                        const cr_tally *tally, const cr_calibration_report *report, double took)
{
    cr_tried tried;
    cr_json j;

    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "name", name);
    cr_json_text(&j, "learner", cr_model_learner(model));
    cr_json_number(&j, "rows", (double)tally->rows);
    cr_json_number(&j, "unlabelled", (double)tally->unlabelled);
    cr_json_number(&j, "seconds", took);
    put_calibration(&j, model, report);
    put_columns(&j, model);
    put_notes(&j, source);
    cr_json_array(&j, "tried", CR_JSON_BLOCK);
    for (size_t i = 0; cr_model_tried(model, i, &tried) == CR_OK; i++) {
        cr_json_object(&j, NULL, CR_JSON_LINE);
        cr_json_text(&j, "name", tried.name);
        cr_json_number(&j, "log_loss", tried.log_loss);
        cr_json_number(&j, "error", tried.error);
        cr_json_number(&j, "accuracy", tried.accuracy);
        cr_json_number(&j, "rows", (double)tried.rows);
        cr_json_number(&j, "weight", tried.weight);
        cr_json_bool(&j, "exact", tried.exact);
        cr_json_bool(&j, "chosen", tried.chosen);
        cr_json_text(&j, "reason", tried.reason);
        cr_json_end(&j);
    }
    cr_json_end(&j);
    cr_json_end(&j);
}

cr_status train_model(call *k)
{
    const char *learner = request_text(k->request, "learner"),
               *job = request_text(k->request, "job");
    course c = {.k = k};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_tally tally = {0};
    cr_calibration_report report;
    char name[TRAINING_NAME + 1];
    double began = seconds();
    bool stored;
    cr_status status;

    if ((status = choose_name(k, name, sizeof name)) != CR_OK)
        return status;
    if (job != NULL && (c.watched = training_begin(&k->service->trainings, job)) == NULL)
        return fail(k->err, CR_ECONFLICT, "?job=ANOTHER", "a training called '%.64s' runs", job);
    if (learner != NULL)
        status = cr_spec_parse(&c.spec, learner, k->err);
    if (status == CR_OK && (status = body_source(k, NULL, &source)) == CR_OK &&
        (status = train(&c, source, &model, &tally, &report)) == CR_OK) {
        put_trained(k, name, model, source, &tally, &report, seconds() - began);
        status = keep(k, name, model, &stored);
    }
    cr_spec_free(&c.spec);
    cr_source_close(source);
    if (c.watched != NULL)
        training_end(&k->service->trainings, c.watched);
    return status;
}

cr_status show_training(call *k)
{
    training t;
    cr_json j;

    if (!training_look(&k->service->trainings, k->rest, &t)) {
        k->answer->status = 404;
        return fail(k->err, CR_EARG, NULL, "there is no training '%.64s'", k->rest);
    }
    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_text(&j, "job", t.name);
    cr_json_bool(&j, "running", t.running);
    cr_json_number(&j, "done", (double)t.done);
    cr_json_number(&j, "total", (double)t.total);
    cr_json_number(&j, "rows", (double)t.rows);
    cr_json_end(&j);
    return CR_OK;
}

cr_status stop_training(call *k)
{
    if (training_stop(&k->service->trainings, k->rest))
        return show_training(k);
    k->answer->status = 404;
    return fail(k->err, CR_EARG, NULL, "there is no training '%.64s'", k->rest);
}
