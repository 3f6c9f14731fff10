/* cli/plot/scores.c - answers next to the truth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/progress.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"

static void make_room(scores *s)
{
    if (s->rows < s->room)
        return;
    s->room = s->room != 0 ? 2 * s->room : 1024;
    s->confidence = reserve_more(s->confidence, s->room, sizeof *s->confidence);
    s->truth = reserve_more(s->truth, s->room, sizeof *s->truth);
    s->decision = reserve_more(s->decision, s->room, sizeof *s->decision);
    s->place = reserve_more(s->place, s->room, sizeof *s->place);
    s->line = reserve_more(s->line, s->room, sizeof *s->line);
}

static void keep(scores *s, const cr_predictions *p, size_t i)
{
    make_room(s);
    s->confidence[s->rows] =
        p->decision[i] < 0 ? 0 : p->posterior[i * p->classes + (size_t)p->decision[i]];
    s->truth[s->rows] = p->truth[i];
    s->decision[s->rows] = p->decision[i];
    s->place[s->rows] = s->seen;
    s->line[s->rows++] = p->line[i];
}

static cr_status visit(void *context, const cr_predictions *p)
{
    scores *s = context;

    for (size_t i = 0; i < p->rows; i++, s->seen++) {
        if (p->truth[i] == -1) {
            s->unlabelled++;
            continue;
        }
        cr_evaluation_add_logs(s->evaluation, p->posterior + i * p->classes,
                               p->log_posterior + i * p->classes, p->decision[i], p->truth[i],
                               p->weight != NULL ? p->weight[i] : 1);
        if (s->keep)
            keep(s, p, i);
    }
    return CR_OK;
}

int predict_all(request *r, const cr_model *model, size_t first, const cr_sink *sink,
                double *seconds)
{
    const cr_predict_options options = {.allow_absent_columns = option_given(r, "allow-absent"),
                                        .need_target = 1,
                                        .log_posterior = 1};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    progress watch;
    double took;
    int code = open_data(&source, r, first, model);

    if (code != EXIT_DONE)
        return code;
    progress_begin(&watch, "predicting", &r->run);
    status = cr_model_predict(model, source, &options, sink, &r->run, NULL, &err);
    took = progress_end(&watch);
    if (seconds != NULL)
        *seconds = took;
    if (status != CR_OK)
        return fail_data(r, &source, status, &err);
    close_data(&source);
    return EXIT_DONE;
}

int scores_read(scores *s, request *r, const cr_model *model, size_t first, bool keep_rows)
{
    const cr_sink sink = {.visit = visit, .context = s};
    cr_error err = {0};
    int code;

    *s = (scores){.model = model, .keep = keep_rows};
    if ((code = check_classes(model)) != EXIT_DONE)
        return code;
    if (cr_evaluation_new(&s->evaluation, cr_model_classes(model), &err) != CR_OK)
        reserve_failed();
    if ((code = predict_all(r, model, first, &sink, NULL)) != EXIT_DONE)
        return code;
    cr_evaluation_metrics(s->evaluation, &s->metrics);
    if (!(s->metrics.rows > 0)) {
        snprintf(err.message, sizeof err.message, "no row has a class to compare with");
        return complain(CR_EFORMAT, &err);
    }
    return EXIT_DONE;
}

void scores_free(scores *s)
{
    cr_evaluation_free(s->evaluation);
    free(s->confidence);
    free(s->truth);
    free(s->decision);
    free(s->place);
    free(s->line);
    *s = (scores){0};
}

const char **class_names(const cr_model *model)
{
    const char **name = reserve(cr_model_classes(model), sizeof *name);

    for (size_t c = 0; c < cr_model_classes(model); c++)
        name[c] = cr_model_class(model, c);
    return name;
}
