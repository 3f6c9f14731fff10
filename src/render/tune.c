/* render/tune.c - settings that were tried, the best first. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "eval/metric_table.h"
#include "render/results.h"

#define NAME(name)                                                                                 \
    {                                                                                              \
        name, NULL, 0, 0, 0                                                                        \
    }

static const cr__part parts[] = {
    NAME("learner"),  NAME("seconds"),   NAME("nested{}"), NAME("settings[]:"),
    NAME("params[]"), NAME("abandoned"), NAME("folds"),    {NULL, NULL, 0, CR_METRIC_TUNE, 0}};
const cr__result cr__tuning_result = {"tune", parts, CR__COUNT_OF(parts)};

static int is_shown(const cr_metric *m, const cr_tuning *t)
{
    return (m->shown & CR_METRIC_TUNE) != 0 || m == cr_tuning_by(t);
}

static void spreads(cr_json *j, const cr_tuning *t, const cr_setting *s)
{
    const cr_metric *m;

    for (size_t k = 0; (m = cr_metric_get(s->numbers, k)) != NULL; k++)
        if (is_shown(m, t))
            cr__spread_json(j, m->key, &s->spread[k]);
}

static void setting(cr_json *j, const cr_tuning *t, const cr_setting *s)
{
    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_array(j, "params", CR_JSON_LINE);
    for (size_t p = 0; p < s->param_count; p++)
        cr_json_text(j, NULL, s->params[p]);
    cr_json_end(j);
    cr_json_bool(j, "abandoned", s->abandoned);
    cr_json_number(j, "folds", (double)s->folds);
    spreads(j, t, s);
    cr_json_end(j);
}

cr_status cr_tuning_json(const cr_tuning *t, const char *learner, double seconds, cr_output *out)
{
    cr_setting s;
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "learner", learner);
    cr_json_number(&j, "seconds", seconds);
    if (cr_tuning_honest(t, &s) == CR_OK) {
        cr_json_object(&j, "nested", CR_JSON_BLOCK);
        spreads(&j, t, &s);
        cr_json_end(&j);
    }
    cr_json_array(&j, "settings", CR_JSON_BLOCK);
    for (size_t i = 0; cr_tuning_setting(t, i, &s) == CR_OK; i++)
        setting(&j, t, &s);
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}

/* --- as a table ------------------------------------------------------------------------------- */

/* Metrics that have their interval in the table: the main one of each kind, and for classes also
 * the log-loss. */
static int has_interval(const cr_metric *m, int numbers)
{
    return m == cr_metric_find(numbers, numbers ? "rmse" : "accuracy") ||
           m == cr_metric_find(numbers, "log_loss");
}

/* Users see the interval of the first only, and of the rest the default or requested ones. */
static unsigned whom(const cr_metric *m, const cr_tuning *t, int numbers)
{
    return numbers || m == cr_tuning_by(t) || has_interval(m, numbers) ? CR_FOR_ALL
                                                                       : CR_FOR_PROGRAMS;
}

static void columns(cr_sheet *s, const cr_tuning *t, int numbers)
{
    static const char *const low[] = {"accuracy_low", "log_loss_low", "rmse_low"};
    static const char *const high[] = {"accuracy_high", "log_loss_high", "rmse_high"};
    const cr_metric *m;

    for (size_t k = 0; (m = cr_metric_get(numbers, k)) != NULL; k++) {
        const size_t which = numbers ? 2 : m == cr_metric_find(0, "log_loss");

        if (!is_shown(m, t))
            continue;
        cr__sheet_column(s, (cr_field){m->key, m->title, m->meaning, m->show, whom(m, t, numbers)});
        if (has_interval(m, numbers)) {
            const unsigned who = which == 1 ? CR_FOR_PROGRAMS : CR_FOR_ALL;

            cr__sheet_column(s, (cr_field){low[which], "low", NULL, m->show, who});
            cr__sheet_column(s, (cr_field){high[which], "high", NULL, m->show, who});
        }
    }
    cr__sheet_column(s, (cr_field){"folds", "folds", "that were tried", CR_SHOW_PLAIN, CR_FOR_ALL});
}

static void cells(cr_sheet *s, const cr_tuning *t, const cr_setting *one)
{
    const cr_metric *m;

    for (size_t k = 0; (m = cr_metric_get(one->numbers, k)) != NULL; k++) {
        cr_spread x = one->spread[k];

        if (!is_shown(m, t))
            continue;
        cr__spread_within(&x, m);
        cr__sheet_number(s, x.mean);
        if (has_interval(m, one->numbers)) {
            cr__sheet_number(s, x.low);
            cr__sheet_number(s, x.high);
        }
    }
    cr__sheet_number(s, (double)one->folds);
}

/* Whether the settings differ in knob k. */
static int varies(const cr_tuning *t, size_t k)
{
    cr_setting first, s;

    if (cr_tuning_setting(t, 0, &first) != CR_OK)
        return 0;
    for (size_t i = 1; cr_tuning_setting(t, i, &s) == CR_OK; i++)
        if (k >= s.param_count || strcmp(s.params[k], first.params[k]) != 0)
            return 1;
    return 0;
}

static void join(cr_sheet *s, const cr_setting *one)
{
    cr__buffer text = {0};

    for (size_t p = 0; p < one->param_count; p++) {
        cr__buffer_adds(&text, p > 0 ? " " : "");
        cr__buffer_adds(&text, one->params[p]);
    }
    cr__buffer_addc(&text, '\0');
    cr__sheet_own(s, text.failed ? "" : text.data);
    cr__buffer_free(&text);
}

/* The value in KNOB=VALUE. */
static const char *value_of(const char *param)
{
    const char *equals = strchr(param, '=');

    return equals == NULL ? param : equals + 1;
}

/* Programs get a setting in one cell, users a column for each knob that varies. */
cr_status cr_tuning_sheet(cr_sheet **out, const cr_tuning *t, cr_error *err)
{
    cr_setting first = {0}, s;
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    cr_tuning_setting(t, 0, &first);
    cr__sheet_column(*out, (cr_field){"setting", "setting", NULL, CR_SHOW_PLAIN, CR_FOR_PROGRAMS});
    for (size_t k = 0; k < first.param_count; k++)
        if (varies(t, k))
            cr__sheet_titled(*out, first.params[k], strcspn(first.params[k], "="), CR_FOR_PEOPLE);
    columns(*out, t, first.numbers);
    for (size_t i = 0; cr_tuning_setting(t, i, &s) == CR_OK; i++) {
        join(*out, &s);
        for (size_t k = 0; k < first.param_count; k++)
            if (varies(t, k))
                cr__sheet_text(*out, k < s.param_count ? value_of(s.params[k]) : "");
        cells(*out, t, &s);
    }
    return cr__sheet_done(out, err);
}
