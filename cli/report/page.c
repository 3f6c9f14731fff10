/* cli/report/page.c - a report: what all models have, around the sections that theirs have. */
#include <math.h>

#include "show/describe.h"
#include "out/out.h"
#include "out/text.h"
#include "report/report.h"
#include "session/session.h"

static const part *parts_of(const report *x)
{
    return x->scores != NULL ? class_parts : number_parts;
}

static double rows_of(const report *x)
{
    return x->scores != NULL ? x->metrics.rows : x->numbers.rows;
}

/* --- summary ---------------------------------------------------------------------------------- */

static void put_link(FILE *f, const char *id)
{
    fprintf(f, "<a href=\"#%s\">%s</a>", id, id);
}

static void put_heading(FILE *f, const report *x)
{
    cr_model_facts facts;
    char from[256], title[600], number[NUMBER_ROOM], knobs[600];

    cr_model_get_facts(x->model, &facts);
    snprintf(title, sizeof title, "%s on %s", x->r->operands[0],
             data_name(x->r, 1, from, sizeof from));
    html_open(f, title);
    html_cell(f, "h1", NULL, title);
    fputs("<p class=\"dim\">", f);
    html_text(f, learner_title(cr_model_learner(x->model)));
    if (x->scores == NULL) {
        fputs("; predicts ", f);
        html_text(f, cr_schema_name(cr_model_schema(x->model), cr_model_target(x->model)));
    }
    fprintf(f, "; learned from %s rows; knobs ", number_plain(number, facts.weight));
    html_text(f, describe_knobs(x->model, knobs, sizeof knobs));
    fputs("; fingerprint ", f);
    html_text(f, facts.fingerprint);
    fputs("</p>\n<nav>", f);
    for (const part *p = parts_of(x); p->id != NULL; p++)
        put_link(f, p->id);
    put_link(f, "mistakes");
    put_link(f, "data");
    fputs("</nav>\n<div class=\"tiles\">\n", f);
    html_tile(f, number_plain(number, rows_of(x)), "rows tested");
    if (x->scores != NULL)
        put_class_tiles(f, x);
    else
        put_number_tiles(f, x);
    fputs("</div>\n", f);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void put_reasons(FILE *f, const report *x, const mistake *m)
{
    double most = 0;

    if (m->reasons == 0)
        return;
    for (size_t i = 0; i < m->reasons; i++)
        most = fmax(most, isfinite(m->reason[i].adds) ? fabs(m->reason[i].adds) : 0);
    html_heads(f, x->scores != NULL ? "feature|value|#log-odds|" : "feature|value|#adds|");
    for (size_t i = 0; i < m->reasons; i++) {
        const double adds = m->reason[i].adds;

        fputs("<tr>", f);
        html_cell(f, "td", NULL, m->reason[i].feature);
        html_cell(f, "td", NULL, m->reason[i].value);
        html_number(f, x->scores != NULL ? number_signed : number_added, adds);
        html_bar(f, most > 0 ? adds / most : 1, 8);
        fputs("</tr>\n", f);
    }
    html_end(f);
}

static void put_mistakes(FILE *f, const report *x)
{
    html_section(f, "mistakes",
                 x->scores != NULL ? "The most confident mistakes" : "The numbers farthest off");
    if (x->mistakes == 0) {
        fputs("<p>There are none.</p>\n", f);
        return;
    }
    fputs(x->scores != NULL
              ? "<p class=\"dim\">Wrong labels and rows unlike all others are often among them. "
                "Log-odds speak for what was decided against the true class (blue), or against it "
                "(red).</p>\n"
              : "<p class=\"dim\">Counted in scales of what was predicted; slips of the pen and "
                "rows unlike all others are often among them. Under each is what the columns add "
                "to the mean of the target (blue), or take away (red).</p>\n",
          f);
    for (size_t i = 0; i < x->mistakes; i++) {
        const mistake *m = &x->mistake[i];

        fprintf(f, "<h3>Line %zu: ", mistake_line(x, m));
        (x->scores != NULL ? put_class_mistake : put_number_mistake)(f, x, m);
        fputs("</h3>\n", f);
        if (m->text != NULL)
            html_cell(f, "p", "quote", m->text);
        put_reasons(f, x, m);
    }
}

/* --- data ------------------------------------------------------------------------------------- */

static void put_notes(FILE *f, const report *x)
{
    const uint64_t unlabelled = x->scores != NULL ? x->scores->unlabelled : x->answers->unlabelled;
    char number[NUMBER_ROOM];

    fputs("<ul>\n", f);
    if (unlabelled > 0)
        fprintf(f, "<li>%llu rows have no %s and were left out.</li>\n",
                (unsigned long long)unlabelled, x->scores != NULL ? "class" : "target");
    if (x->metrics.unknown > 0)
        fprintf(f, "<li class=\"warn\">%s rows have a class that the model does not know.</li>\n",
                number_plain(number, x->metrics.unknown));
    if (x->metrics.undecided > 0)
        fprintf(f, "<li class=\"warn\">%s rows are impossible for every class: undecided.</li>\n",
                number_plain(number, x->metrics.undecided));
    if (x->scores == NULL)
        put_number_notes(f, x);
    if (rows_of(x) < 100)
        fputs("<li class=\"warn\">These are few rows: look at the intervals.</li>\n", f);
    fputs("</ul>\n", f);
}

static void put_data(FILE *f, const report *x)
{
    cr_drift_feature d;

    html_section(f, "data", "The data, next to what the model learned from");
    put_notes(f, x);
    if (x->drift == NULL)
        return;
    html_heads(f, "feature|kind|verdict|#index|#missing before|#missing now|#new values");
    for (size_t i = 0; i < ROWS_LISTED && cr_drift_get_feature(x->drift, i, &d) == CR_OK; i++) {
        const bool bad = d.verdict == CR_DRIFT_MODERATE || d.verdict == CR_DRIFT_STRONG;

        fputs("<tr>", f);
        html_cell(f, "td", NULL, d.name);
        html_cell(f, "td", NULL, describe_kind(x->model, d.column));
        html_cell(f, "td", bad ? "warn" : NULL, cr_drift_verdict_name(d.verdict));
        if (isfinite(d.index))
            html_number(f, number_plain, d.index);
        else
            html_cell(f, "td", "n", "–");
        html_number(f, number_percent, d.missing_before);
        html_number(f, number_percent, d.missing_after);
        html_number(f, number_percent, d.new_share);
        fputs("</tr>\n", f);
    }
    html_end(f);
    fputs("<p class=\"dim\">index is the population stability index; credence drift tells "
          "more.</p>\n",
          f);
}

int report_write(FILE *f, const report *x)
{
    int code;

    put_heading(f, x);
    for (const part *p = parts_of(x); p->id != NULL; p++)
        if ((code = p->put(f, x)) != EXIT_DONE)
            return code;
    put_mistakes(f, x);
    put_data(f, x);
    html_close(f);
    return EXIT_DONE;
}
