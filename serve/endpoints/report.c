/* serve/endpoints/report.c - GET and POST /models/NAME/report: the page that `credence report`
 * makes, of the model and the labelled rows in the body; without any, of the model alone. */
#include "body.h"
#include "endpoints/endpoints.h"

static cr_status choose_options(call *k, cr_report_options *o)
{
    const request *r = k->request;
    double level;
    cr_status status;

    *o = (cr_report_options){.model = k->view->slot->name,
                             .data = request_text(r, "filename"),
                             .allow_absent_columns = request_flag(r, "allow-absent")};
    if (o->data == NULL)
        o->data = "rows";
    if ((status = request_count(r, "mistakes", 0, 1000, &o->mistakes, k->err)) != CR_OK)
        return status;
    if (request_text(r, "mistakes") != NULL && o->mistakes == 0)
        o->mistakes = SIZE_MAX; /* none */
    if ((status = request_number(r, "interval", 95, &level, k->err)) == CR_OK)
        o->level = level / 100;
    return status;
}

cr_status make_report(call *k)
{
    const cr_run run = {.pool = k->service->pool};
    cr_report_options options;
    cr_report *report = NULL;
    cr_source *source = NULL;
    cr_status status = choose_options(k, &options);

    if (status == CR_OK && k->request->size > 0)
        status = body_source(k, view_model(k->view), &source);
    if (status == CR_OK)
        status = cr_report_new(&report, view_model(k->view), source, &options, &run, k->err);
    if (status == CR_OK)
        status = cr_report_html(report, k->answer->out, NULL, k->err);
    if (status == CR_OK) {
        k->answer->type = TYPE_HTML;
        if (source != NULL)
            body_notes(k, source);
    }
    cr_report_free(report);
    cr_source_close(source);
    return status;
}
