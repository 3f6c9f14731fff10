/* draw/report_page.c - the page of a report: the common parts, around sections specific to the
 * model. */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "draw/draw.h"
#include "draw/report.h"
#include "render/model_json.h"

static const cr__report_kind *kind_of(const cr_report *r)
{
    return cr_model_is_regression(r->model) ? &cr__report_regression : &cr__report_classes;
}

static double rows_of(const cr_report *r)
{
    return r->scored.evaluation != NULL ? r->scored.metrics.rows : r->numbers.rows;
}

/* --- summary ---------------------------------------------------------------------------------- */

static void put_link(cr__report_page *p, const char *id)
{
    cr__html_format(p, "<a href=\"#%s\">%s</a>", id, id);
}

static void put_summary(cr__report_page *p)
{
    const cr_report *r = p->report;
    char number[CR_SHOW_SIZE];

    cr__html(p, "<nav>");
    for (size_t i = 0; kind_of(r)->section[i].id != NULL; i++)
        put_link(p, kind_of(r)->section[i].id);
    put_link(p, "mistakes");
    put_link(p, "data");
    cr__html(p, "</nav>\n<div class=\"tiles\">\n");
    cr__html_tile(p, cr_show_number(number, CR_SHOW_PLAIN, rows_of(r)), "rows tested");
    kind_of(r)->tiles(p);
    cr__html(p, "</div>\n");
}

/* Without data: how many rows of each class the model learned from. */
static void put_classes_learned(cr__report_page *p)
{
    const cr_model *model = p->report->model;
    const size_t classes = cr_model_classes(model);

    if (classes == 0)
        return;
    cr__html_section(p, "classes", "Classes");
    cr__html_heads(p, "class|#rows|#prior|");
    for (size_t c = 0; c < classes && c < CR__ROWS_LISTED; c++) {
        cr__html(p, "<tr>");
        cr__html_cell(p, "td", NULL, cr_model_class(model, c));
        cr__html_number(p, CR_SHOW_PLAIN, cr_model_class_count(model, c));
        cr__html_number(p, CR_SHOW_PROBABILITY, cr_model_prior(model, c));
        cr__html_bar(p, cr_model_prior(model, c), 10);
        cr__html(p, "</tr>\n");
    }
    cr__html_end(p);
    if (classes > CR__ROWS_LISTED)
        cr__html_format(p, "<p class=\"dim\">… and %zu more classes.</p>\n",
                        classes - CR__ROWS_LISTED);
}

static cr_status put_heading(cr__report_page *p)
{
    const cr_report *r = p->report;
    char title[600], number[CR_SHOW_SIZE], knobs[600];
    cr_model_facts facts;

    if (cr_model_get_facts(r->model, &facts) == CR_ENOMEM)
        return cr__fail_memory(p->err);
    snprintf(title, sizeof title, r->judged ? "%.299s on %.290s" : "%.299s",
             cr__short_name(r->model_name, "a model"), cr__short_name(r->data_name, "data"));
    cr__html_open(p, title);
    cr__html_cell(p, "h1", NULL, title);
    cr__html(p, "<p class=\"dim\">");
    cr__html_text(p, cr_model_title(r->model));
    if (cr_model_is_regression(r->model)) {
        cr__html(p, "; predicts ");
        cr__html_text(p, cr_schema_name(cr_model_schema(r->model), cr_model_target(r->model)));
    }
    cr__html_format(p, "; learned from %s rows; knobs ",
                    cr_show_number(number, CR_SHOW_PLAIN, facts.weight));
    cr__html_text(p, cr_show_knobs(knobs, sizeof knobs, r->model));
    cr__html(p, "; fingerprint ");
    cr__html_text(p, facts.fingerprint);
    cr__html(p, "</p>\n");
    if (!r->judged)
        put_classes_learned(p);
    else
        put_summary(p);
    return CR_OK;
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void put_reasons(cr__report_page *p, const cr__mistake *m)
{
    const cr__report_kind *kind = kind_of(p->report);
    double most = 0;

    if (m->reasons == 0)
        return;
    for (size_t i = 0; i < m->reasons; i++)
        most = fmax(most, isfinite(m->reason[i].adds) ? fabs(m->reason[i].adds) : 0);
    cr__html_heads(p, kind->adds);
    for (size_t i = 0; i < m->reasons; i++) {
        const double adds = m->reason[i].adds;

        cr__html(p, "<tr>");
        cr__html_cell(p, "td", NULL, m->reason[i].feature);
        cr__html_cell(p, "td", NULL, m->reason[i].value);
        cr__html_number(p, kind->show, adds);
        cr__html_bar(p, most > 0 ? adds / most : 1, 8);
        cr__html(p, "</tr>\n");
    }
    cr__html_end(p);
}

static void put_mistakes(cr__report_page *p)
{
    const cr_report *r = p->report;

    cr__html_section(p, "mistakes", kind_of(r)->mistakes);
    if (r->mistakes == 0) {
        cr__html(p, "<p>There are none.</p>\n");
        return;
    }
    cr__html(p, "<p class=\"dim\">");
    cr__html(p, kind_of(r)->about_mistakes);
    cr__html(p, "</p>\n");
    for (size_t i = 0; i < r->mistakes; i++) {
        const cr__mistake *m = &r->mistake[i];

        cr__html_format(p, "<h3>Line %zu: ", r->scored.line[m->row]);
        kind_of(r)->mistake(p, m);
        cr__html(p, "</h3>\n");
        if (m->text != NULL)
            cr__html_cell(p, "p", "quote", m->text);
        put_reasons(p, m);
    }
}

/* --- data ------------------------------------------------------------------------------------- */

static void put_notes(cr__report_page *p)
{
    const cr_report *r = p->report;

    cr__html(p, "<ul>\n");
    if (r->scored.unlabelled > 0)
        cr__html_format(p, "<li>%llu rows have no %s and were left out.</li>\n",
                        (unsigned long long)r->scored.unlabelled,
                        r->scored.evaluation != NULL ? "class" : "target");
    kind_of(r)->notes(p);
    if (rows_of(r) < 100)
        cr__html(p, "<li class=\"warn\">These are few rows: look at the intervals.</li>\n");
    cr__html(p, "</ul>\n");
}

static void put_feature(cr__report_page *p, const cr_drift_feature *d)
{
    const int bad = d->verdict == CR_DRIFT_MODERATE || d->verdict == CR_DRIFT_STRONG;

    cr__html(p, "<tr>");
    cr__html_cell(p, "td", NULL, d->name);
    cr__html_cell(p, "td", NULL, cr__kind_name(p->report->model, d->column));
    cr__html_cell(p, "td", bad ? "warn" : NULL, cr_drift_verdict_name(d->verdict));
    cr__html_number(p, CR_SHOW_PLAIN, isfinite(d->index) ? d->index : NAN);
    cr__html_number(p, CR_SHOW_PERCENT, d->missing_before);
    cr__html_number(p, CR_SHOW_PERCENT, d->missing_after);
    cr__html_number(p, CR_SHOW_PERCENT, d->new_share);
    cr__html(p, "</tr>\n");
}

static void put_data(cr__report_page *p)
{
    const cr_drift *drift = p->report->drift;
    cr_drift_feature d;

    cr__html_section(p, "data", "The data, next to what the model learned from");
    put_notes(p);
    if (drift == NULL) {
        cr__html(p, p->report->how.read_once
                        ? "<p>They are not compared, as the data could be read only once.</p>\n"
                        : "<p>They are not compared, as the model keeps no statistics of its "
                          "columns.</p>\n");
        return;
    }
    cr__html_heads(p, "feature|kind|verdict|#index|#missing before|#missing now|#new values");
    for (size_t i = 0; i < CR__ROWS_LISTED && cr_drift_get_feature(drift, i, &d) == CR_OK; i++)
        put_feature(p, &d);
    cr__html_end(p);
    cr__html(p, "<p class=\"dim\">index is the population stability index.</p>\n");
}

cr_status cr_report_html(const cr_report *report, cr_output *out, cr_drawn *drawn, cr_error *err)
{
    const size_t classes = cr_model_classes(report->model);
    cr__report_page p = {
        .out = out,
        .report = report,
        .drawn = {.unlabelled = report->scored.unlabelled, .classes = classes, .drawn = classes},
        .err = err};
    cr_status st = put_heading(&p);

    for (size_t i = 0; st == CR_OK && kind_of(report)->section[i].id != NULL; i++)
        if (report->judged || kind_of(report)->section[i].alone)
            st = kind_of(report)->section[i].put(&p);
    if (st != CR_OK)
        return st;
    if (report->judged) {
        put_mistakes(&p);
        put_data(&p);
    }
    cr__html_close(&p);
    if (drawn != NULL)
        *drawn = p.drawn;
    return cr_output_flush(out);
}
