/* render/compare.c - learners side by side. */
#include <math.h>

#include "eval/metric_table.h"
#include "render/results.h"

/* --- on the same folds ------------------------------------------------------------------------ */

/* An entrant flat, with the ends of its intervals. */
typedef struct entrant_row {
    cr_entrant e;
    int best;
    cr_spread main, log;
    double seconds;
} entrant_row;

#define ROW(member, key, title, meaning, show)                                                     \
    CR__FIELD(entrant_row, member, CR__DOUBLE, key, title, meaning, show)

static const cr__field size_fields[] = {
    ROW(e.parameters, "parameters", "parameters", "free parameters of the model", CR_SHOW_PLAIN),
    ROW(e.bytes, "bytes", "size", "of the model file", CR_SHOW_BYTES),
    ROW(seconds, "seconds", "time", "without reading the data", CR_SHOW_SECONDS),
};
static const cr__field paired_fields[] = {
    CR__HIDDEN(cr_paired, difference.mean, CR__DOUBLE, "difference", "from the best"),
    CR__HIDDEN(cr_paired, difference.low, CR__DOUBLE, "low", "lower end of its interval"),
    CR__HIDDEN(cr_paired, difference.high, CR__DOUBLE, "high", "upper end"),
    CR__HIDDEN(cr_paired, t, CR__DOUBLE, "t", "corrected"),
    CR__HIDDEN(cr_paired, p, CR__DOUBLE, "p", "two-sided"),
    CR__HIDDEN(cr_paired, worse, CR__DOUBLE, "worse", "P(it is worse)"),
    CR__HIDDEN(cr_paired, same, CR__DOUBLE, "same", "P(it is as good)"),
    CR__HIDDEN(cr_paired, better, CR__DOUBLE, "better", "P(it is better)"),
};
static const cr__field row_fields[] = {
    CR__HIDDEN(entrant_row, e.only, CR__DOUBLE, "only_right", "rows that only it has right"),
    CR__HIDDEN(entrant_row, e.only_best, CR__DOUBLE, "only_best_right", "that only the best has"),
    CR__HIDDEN(entrant_row, e.rows_p, CR__DOUBLE, "mcnemar_p", "of McNemar's test"),
};
static const cr__field number_row_fields[] = {
    CR__HIDDEN(entrant_row, e.only, CR__DOUBLE, "nearer", "rows that it is nearer to"),
    CR__HIDDEN(entrant_row, e.only_best, CR__DOUBLE, "best_nearer", "that the best is nearer to"),
    CR__HIDDEN(entrant_row, e.rows_p, CR__DOUBLE, "sign_p", "of the sign test"),
};

#define FIELDS(list) list, CR__COUNT_OF(list)
#define NAME(name)                                                                                 \
    {                                                                                              \
        name, NULL, 0, 0, 0                                                                        \
    }

static const cr__part parts[] = {NAME("rows"),
                                 NAME("unlabelled"),
                                 NAME("criterion"),
                                 NAME("best"),
                                 NAME("folds"),
                                 NAME("repeats"),
                                 NAME("rope"),
                                 NAME("models[]:"),
                                 NAME("name"),
                                 NAME("best"),
                                 NAME("cannot"),
                                 {NULL, NULL, 0, CR_METRIC_COMPARE, 0},
                                 NAME("accuracy_low"),
                                 NAME("accuracy_high"),
                                 NAME("log_loss_low"),
                                 NAME("log_loss_high"),
                                 {NULL, FIELDS(size_fields), 0, 0},
                                 {"accuracy_against_best{}", FIELDS(paired_fields), 0, 0},
                                 NAME("log_loss_against_best{}"),
                                 {NULL, FIELDS(row_fields), 0, 0}};
const cr__result cr__comparison_result = {"compare", FIELDS(parts)};

static const cr__part number_parts[] = {{NULL, NULL, 0, CR_METRIC_JSON, 1},
                                        NAME("rmse_low"),
                                        NAME("rmse_high"),
                                        NAME("log_density_low"),
                                        NAME("log_density_high"),
                                        {NULL, FIELDS(size_fields), 0, 1},
                                        NAME("rmse_against_best{}"),
                                        NAME("log_density_against_best{}"),
                                        NAME("level"),
                                        {NULL, FIELDS(number_row_fields), 0, 1}};
const cr__result cr__comparison_numbers_result = {"compare-numbers", FIELDS(number_parts)};

static entrant_row row_of(const cr_comparison *c, const cr_comparison_facts *f, size_t i)
{
    entrant_row r = {.best = i == f->best};

    cr_comparison_get(c, i, &r.e);
    if (r.e.status == CR_OK) {
        r.main = r.e.metrics->spread[cr__metric_place(f->main)];
        r.log = r.e.metrics->spread[cr__metric_place(f->log)];
        r.seconds = r.e.facts.seconds;
    }
    return r;
}

static void paired(cr_json *j, const char *key, const cr_paired *p)
{
    cr_json_object(j, key, CR_JSON_LINE);
    cr__fields_json(j, FIELDS(paired_fields), p);
    cr_json_end(j);
}

static void class_figures(cr_json *j, const entrant_row *r, const cr_comparison_facts *f)
{
    const double *all = r->e.metrics->all;
    const cr_metric *metric;

    cr_json_number(j, "accuracy", all[cr__metric_place(f->main)]);
    cr_json_number(j, "accuracy_low", r->main.low);
    cr_json_number(j, "accuracy_high", r->main.high);
    cr_json_number(j, "log_loss", all[cr__metric_place(f->log)]);
    cr_json_number(j, "log_loss_low", r->log.low);
    cr_json_number(j, "log_loss_high", r->log.high);
    for (size_t k = 0; (metric = cr_metric_get(0, k)) != NULL; k++)
        if ((metric->shown & CR_METRIC_COMPARE) != 0 && metric != f->main && metric != f->log)
            cr_json_number(j, metric->key, all[k]);
    if (f->by == cr_metric_find(0, "cost"))
        cr_json_number(j, "cost", all[cr__metric_place(f->by)]);
    cr__fields_json(j, FIELDS(size_fields), r);
    paired(j, "accuracy_against_best", &r->e.main);
    paired(j, "log_loss_against_best", &r->e.log);
    cr__fields_json(j, FIELDS(row_fields), r);
}

static void number_figures(cr_json *j, const entrant_row *r)
{
    cr_regression_metrics m;

    if (cr_cv_regression(r->e.cv, SIZE_MAX, 0, &m, NULL) == CR_OK)
        cr_regression_members(j, &m);
    cr_json_number(j, "rmse_low", r->main.low);
    cr_json_number(j, "rmse_high", r->main.high);
    cr_json_number(j, "log_density_low", r->log.low);
    cr_json_number(j, "log_density_high", r->log.high);
    cr__fields_json(j, FIELDS(size_fields), r);
    paired(j, "rmse_against_best", &r->e.main);
    paired(j, "log_density_against_best", &r->e.log);
    cr__fields_json(j, FIELDS(number_row_fields), r);
}

static void entrant(cr_json *j, const cr_comparison *c, const cr_comparison_facts *f, size_t i)
{
    const entrant_row r = row_of(c, f, i);

    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "name", r.e.name);
    cr_json_bool(j, "best", r.best);
    if (r.e.status != CR_OK)
        cr_json_text(j, "cannot", r.e.why);
    else if (f->numbers)
        number_figures(j, &r);
    else
        class_figures(j, &r, f);
    cr_json_end(j);
}

cr_status cr_comparison_json(const cr_comparison *c, cr_output *out)
{
    cr_comparison_facts f;
    cr_entrant best = {0};
    cr_json j;

    cr_comparison_get_facts(c, &f);
    cr_comparison_get(c, f.best, &best);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_number(&j, "rows", (double)f.rows);
    cr_json_number(&j, "unlabelled", (double)f.unlabelled);
    cr_json_text(&j, "criterion", "cv");
    cr_json_text(&j, "best", best.name);
    cr_json_number(&j, "folds", (double)f.folds);
    cr_json_number(&j, "repeats", (double)f.repeats);
    cr_json_number(&j, "rope", f.rope);
    cr_json_array(&j, "models", CR_JSON_BLOCK);
    for (size_t i = 0; i < f.count; i++)
        entrant(&j, c, &f, i);
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}

/* --- as a table ------------------------------------------------------------------------------- */

/* Where a metric of a comparison is shown: users see the few that fit, programs all. */
static unsigned whom(const cr_metric *m, const cr_comparison_facts *f)
{
    const int few = m == f->main || m == f->log || m == f->by ||
                    (f->numbers && (m->shown & CR_METRIC_COMPARE) != 0);
    const int all = f->numbers || (m->shown & CR_METRIC_COMPARE) != 0;

    return (few ? CR_FOR_PEOPLE : 0U) | (all || few ? CR_FOR_PROGRAMS : 0U);
}

/* Metrics in the order of columns: of classes the two that are tested by pairs come first. */
static const cr_metric *in_order(const cr_comparison_facts *f, size_t k)
{
    const cr_metric *first[] = {f->main, f->log}, *m;

    if (f->numbers)
        return cr_metric_get(1, k);
    if (k < 2)
        return first[k];
    k -= 2;
    for (size_t i = 0; (m = cr_metric_get(0, i)) != NULL; i++)
        if (m != f->main && m != f->log && k-- == 0)
            return m;
    return NULL;
}

static void interval_columns(cr_sheet *s, const char *low, const char *high, cr_show show,
                             unsigned who)
{
    cr__sheet_column(s, (cr_field){low, "low", NULL, show, who});
    cr__sheet_column(s, (cr_field){high, "high", NULL, show, who});
}

/* Metrics, each followed by the ends of its interval if it is tested by pairs; for programs those
 * of a regression come after all metrics. */
static void metric_columns(cr_sheet *s, const cr_comparison_facts *f)
{
    const cr_metric *m;

    for (size_t k = 0; (m = in_order(f, k)) != NULL; k++) {
        if (whom(m, f) == 0)
            continue;
        cr__sheet_column(s, (cr_field){m->key, m->head == NULL ? m->title : m->head, m->meaning,
                                       m->show, whom(m, f)});
        if (m == f->main)
            interval_columns(s, "accuracy_low", "accuracy_high", m->show,
                             f->numbers ? CR_FOR_PEOPLE : CR_FOR_ALL);
        else if (m == f->log && !f->numbers)
            interval_columns(s, "log_loss_low", "log_loss_high", m->show, CR_FOR_PROGRAMS);
    }
    if (f->numbers)
        interval_columns(s, "rmse_low", "rmse_high", f->main->show, CR_FOR_PROGRAMS);
}

static void interval_cells(cr_sheet *s, int is, const cr_spread *x)
{
    cr__sheet_maybe(s, is, is ? x->low : 0);
    cr__sheet_maybe(s, is, is ? x->high : 0);
}

static void metric_cells(cr_sheet *s, const entrant_row *r, const cr_comparison_facts *f)
{
    const int is = r->e.status == CR_OK;
    const cr_metric *m;

    for (size_t k = 0; (m = in_order(f, k)) != NULL; k++) {
        if (whom(m, f) == 0)
            continue;
        cr__sheet_maybe(s, is, is ? r->e.metrics->all[cr__metric_place(m)] : 0);
        if (m == f->main || (m == f->log && !f->numbers))
            interval_cells(s, is, m == f->main ? &r->main : &r->log);
    }
    if (f->numbers)
        interval_cells(s, is, &r->main);
}

cr_status cr_comparison_sheet(cr_sheet **out, const cr_comparison *c, cr_error *err)
{
    cr_comparison_facts f;
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    cr_comparison_get_facts(c, &f);
    cr__sheet_column(*out, (cr_field){"best", "", NULL, CR_SHOW_PLAIN, CR_FOR_PEOPLE});
    cr__sheet_column(*out, (cr_field){"model", "model", NULL, CR_SHOW_PLAIN, CR_FOR_ALL});
    metric_columns(*out, &f);
    for (size_t i = 0; i < CR__COUNT_OF(size_fields); i++) {
        cr_field field = size_fields[i].field;

        field.whom = f.numbers ? CR_FOR_PROGRAMS : CR_FOR_ALL;
        cr__sheet_column(*out, field);
    }
    cr__sheet_column(*out, (cr_field){"p", "p", NULL, CR_SHOW_P, CR_FOR_PROGRAMS});
    cr__sheet_column(*out, (cr_field){f.numbers ? "sign_p" : "mcnemar_p", "p", NULL, CR_SHOW_P,
                                      CR_FOR_PROGRAMS});
    for (size_t i = 0; i < f.count; i++) {
        const entrant_row r = row_of(c, &f, i);
        const int is = r.e.status == CR_OK;

        cr__sheet_text(*out, r.best ? "*" : "");
        cr__sheet_text(*out, r.e.name);
        metric_cells(*out, &r, &f);
        for (size_t k = 0; k < CR__COUNT_OF(size_fields); k++)
            if (is)
                cr__sheet_cells(*out, &size_fields[k], 1, &r);
            else
                cr__sheet_text(*out, "");
        cr__sheet_maybe(*out, is, is ? r.e.main.p : 0);
        cr__sheet_maybe(*out, is, is ? r.e.rows_p : 0);
    }
    return cr__sheet_done(out, err);
}

/* Columns of classes and of numbers: key, title, how shown. */
static const cr_field pair_columns[2][9] = {
    {{"model", "against *", NULL, CR_SHOW_PLAIN, CR_FOR_ALL},
     {"accuracy", "accuracy", NULL, CR_SHOW_PERCENT, CR_FOR_ALL},
     {"p", "p(t)", NULL, CR_SHOW_P, CR_FOR_ALL},
     {"mcnemar_p", "McNemar", NULL, CR_SHOW_P, CR_FOR_ALL},
     {"worse", "worse", NULL, CR_SHOW_PROBABILITY, CR_FOR_ALL},
     {"same", "same", NULL, CR_SHOW_PROBABILITY, CR_FOR_ALL},
     {"better", "better", NULL, CR_SHOW_PROBABILITY, CR_FOR_ALL},
     {"log_loss", "log loss", NULL, CR_SHOW_PLAIN, CR_FOR_ALL},
     {"log_loss_p", "p(t)", NULL, CR_SHOW_P, CR_FOR_ALL}},
    {{"model", "against *", NULL, CR_SHOW_PLAIN, CR_FOR_ALL},
     {"rmse", "RMSE", NULL, CR_SHOW_PLAIN, CR_FOR_ALL},
     {"p", "p(t)", NULL, CR_SHOW_P, CR_FOR_ALL},
     {"worse", "worse", NULL, CR_SHOW_PROBABILITY, CR_FOR_ALL},
     {"same", "same", NULL, CR_SHOW_PROBABILITY, CR_FOR_ALL},
     {"better", "better", NULL, CR_SHOW_PROBABILITY, CR_FOR_ALL},
     {"log_density", "log p", NULL, CR_SHOW_PLAIN, CR_FOR_ALL},
     {"sign_p", "p(sign)", NULL, CR_SHOW_P, CR_FOR_ALL}}};

cr_status cr_comparison_pairs(cr_sheet **out, const cr_comparison *c, cr_error *err)
{
    cr_comparison_facts f;
    cr_entrant e;
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    cr_comparison_get_facts(c, &f);
    for (size_t i = 0; i < (f.numbers ? 8 : 9); i++)
        cr__sheet_column(*out, pair_columns[f.numbers][i]);
    for (size_t i = 0; cr_comparison_get(c, i, &e) == CR_OK; i++) {
        const double classes[] = {e.main.difference.mean, e.main.p,    e.rows_p,
                                  e.main.worse,           e.main.same, e.main.better,
                                  e.log.difference.mean,  e.log.p};
        const double numbers[] = {
            e.main.difference.mean, e.main.p, e.main.worse, e.main.same, e.main.better,
            e.log.difference.mean,  e.rows_p};

        if (i == f.best || e.status != CR_OK)
            continue;
        cr__sheet_text(*out, e.name);
        for (size_t k = 0; k < (f.numbers ? 7 : 8); k++)
            cr__sheet_number(*out, f.numbers ? numbers[k] : classes[k]);
    }
    return cr__sheet_done(out, err);
}
