/* render/changes.c - what training, changing, combining and calibrating did, as JSON. */
#include <math.h>

#include "base/sized.h"
#include "render/model_json.h"

#define FIELDS(list) list, CR__COUNT_OF(list)

static cr_model_facts facts_of(const cr_model *model)
{
    cr_model_facts facts;

    cr_model_get_facts(model, &facts);
    return facts;
}

/* --- calibrated ------------------------------------------------------------------------------- */

#define CALIBRATION(member, type, key, meaning)                                                    \
    CR__HIDDEN(cr_calibration_report, member, type, key, meaning)

static const cr__field calibration_fields[] = {
    CALIBRATION(method, CR__TEXT, "calibration", "the method"),
    CALIBRATION(rows, CR__DOUBLE, "calibration_rows", "weight of the rows it was fitted on"),
    CALIBRATION(temperature, CR__DOUBLE, "temperature", "of that method"),
    CALIBRATION(log_loss_before, CR__DOUBLE, "log_loss_before", "of these rows"),
    CALIBRATION(log_loss_after, CR__DOUBLE, "log_loss_after", "each judged by the others"),
    CALIBRATION(why, CR__TEXT, "calibration_why", "why there is none"),
};

cr_status cr_calibration_json(const cr_calibration_report *report, const char *model,
                              cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "model", model);
    cr__fields_json(&j, FIELDS(calibration_fields), report);
    cr_json_end(&j);
    return cr_output_flush(out);
}

/* --- trained ---------------------------------------------------------------------------------- */

static void column_json(cr_json *j, const cr_model *model, size_t column)
{
    const cr_schema *schema = cr_model_schema(model);
    const cr_kind kind = cr_schema_kind(schema, column);
    double mean, deviation;

    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "name", cr_schema_name(schema, column));
    cr_json_text(j, "kind", cr__kind_name(model, column));
    cr_json_text(j, "why", cr_why_text(cr_schema_why(schema, column)));
    if (cr_schema_role(schema, column) == CR_ROLE_FEATURE && kind != CR_IGNORE) {
        cr_json_number(j, "missing", facts_of(model).weight - cr_model_present(model, column));
        if (cr_model_moments(model, column, &mean, &deviation) == CR_OK) {
            cr_json_number(j, "mean", mean);
            cr_json_number(j, "sd", deviation);
        } else {
            cr_json_number(j, kind == CR_BAG ? "words" : "values",
                           (double)(kind == CR_BAG ? cr_model_words(model, column)
                                                   : cr_model_values(model, column)));
        }
    }
    cr_json_end(j);
}

static void tally_json(cr_json *j, const cr_tally *tally, double seconds)
{
    cr_json_number(j, "rows", (double)tally->rows);
    cr_json_number(j, "unlabelled", (double)tally->unlabelled);
    if (tally->pruned_words != 0)
        cr_json_number(j, "pruned_words", (double)tally->pruned_words);
    cr_json_number(j, "passes", (double)tally->passes);
    if (tally->sent != 0) {
        cr_json_number(j, "sent_bytes", (double)tally->sent);
        cr_json_number(j, "adding_seconds", tally->adding);
    }
    cr_json_number(j, "seconds", seconds);
    cr_json_number(j, "rows_per_second", (double)tally->rows / seconds);
}

cr_status cr_training_json(const cr_model *model, const cr_training_report *report, cr_output *out)
{
    const cr_schema *schema = cr_model_schema(model);
    const cr_model_facts facts = facts_of(model);
    cr_training_report r;
    cr_linear_facts linear;
    cr_json j;
    cr_status st = cr__sized_take(&r, sizeof r, report, "cr_training_report", NULL);

    if (st != CR_OK)
        return st;
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "model", r.name);
    cr_json_text(&j, "learner", cr_model_learner(model));
    if (r.start != NULL)
        cr_json_text(&j, "start", r.start);
    tally_json(&j, &r.tally, r.seconds);
    cr_json_text(&j, "fingerprint", facts.fingerprint);
    cr_json_text(&j, "target", cr_schema_name(schema, cr_model_target(model)));
    if (cr_model_linear_facts(model, &linear) == CR_OK)
        cr__linear_json(&j, model);
    else
        cr__classes_json(&j, model);
    cr_json_array(&j, "columns", CR_JSON_BLOCK);
    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        column_json(&j, model, i);
    cr_json_end(&j);
    cr__knobs_json(&j, model);
    if (r.calibration != NULL)
        cr__fields_json(&j, FIELDS(calibration_fields), r.calibration);
    cr__tried_json(&j, model);
    cr__fit_json(&j, model);
    cr_json_end(&j);
    return cr_output_flush(out);
}

/* --- changed ---------------------------------------------------------------------------------- */

cr_status cr_change_json(const cr_model *model, const cr_change_report *report, cr_output *out)
{
    const cr_model_facts facts = facts_of(model);
    cr_change_report r;
    cr_json j;
    cr_status st = cr__sized_take(&r, sizeof r, report, "cr_change_report", NULL);

    if (st != CR_OK)
        return st;
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "model", r.name);
    cr_json_number(&j, "rows_before", (double)r.rows_before);
    cr_json_number(&j, "rows", (double)facts.rows);
    cr_json_number(&j, "classes_before", (double)r.classes_before);
    cr_json_number(&j, "classes", (double)cr_model_classes(model));
    if (r.done != NULL) {
        cr_json_number(&j, r.done, (double)r.tally.rows);
        cr_json_number(&j, "unlabelled", (double)r.tally.unlabelled);
        cr_json_number(&j, "seconds", r.seconds);
    }
    cr_json_text(&j, "fingerprint", facts.fingerprint);
    cr__knobs_json(&j, model);
    cr_json_end(&j);
    return cr_output_flush(out);
}

cr_status cr_combination_json(const cr_model *model, const char *name, const cr_tally *tally,
                              double seconds, cr_output *out)
{
    const cr_model_facts facts = facts_of(model);
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "model", name);
    cr_json_number(&j, "rows", (double)tally->rows);
    cr_json_number(&j, "unlabelled", (double)tally->unlabelled);
    cr_json_number(&j, "seconds", seconds);
    cr_json_text(&j, "fingerprint", facts.fingerprint);
    cr__knobs_json(&j, model);
    cr__members_json(&j, model);
    cr_json_end(&j);
    return cr_output_flush(out);
}
