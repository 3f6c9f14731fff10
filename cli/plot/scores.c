/* cli/plot/scores.c - answers next to the truth: ROC, precision and recall, reliability. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/progress.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"

enum { THINNED = 500 };

/* --- reading ---------------------------------------------------------------------------------- */

static void make_room(scores *s)
{
    if (s->rows < s->room)
        return;
    s->room = s->room != 0 ? 2 * s->room : 1024;
    s->posterior = reserve_more(s->posterior, s->room, s->classes * sizeof *s->posterior);
    s->weight = reserve_more(s->weight, s->room, sizeof *s->weight);
    s->truth = reserve_more(s->truth, s->room, sizeof *s->truth);
    s->decision = reserve_more(s->decision, s->room, sizeof *s->decision);
    s->place = reserve_more(s->place, s->room, sizeof *s->place);
    s->line = reserve_more(s->line, s->room, sizeof *s->line);
}

static cr_status keep(void *context, const cr_predictions *p)
{
    scores *s = context;

    for (size_t i = 0; i < p->rows; i++, s->seen++) {
        if (p->truth[i] == -1) {
            s->unlabelled++;
            continue;
        }
        make_room(s);
        memcpy(s->posterior + s->rows * s->classes, p->posterior + i * p->classes,
               p->classes * sizeof *p->posterior);
        s->weight[s->rows] = p->weight != NULL ? p->weight[i] : 1;
        s->truth[s->rows] = p->truth[i];
        s->decision[s->rows] = p->decision[i];
        s->place[s->rows] = s->seen;
        s->line[s->rows] = p->line[i];
        s->total += s->weight[s->rows++];
    }
    return CR_OK;
}

int predict_all(request *r, const cr_model *model, size_t first, const cr_sink *sink,
                double *seconds)
{
    const cr_predict_options options = {.allow_absent_columns = option_given(r, "allow-absent"),
                                        .need_target = 1};
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

int scores_read(scores *s, request *r, const cr_model *model, size_t first)
{
    const cr_sink sink = {.visit = keep, .context = s};
    cr_error err = {0};
    int code;

    *s = (scores){.model = model, .classes = cr_model_classes(model)};
    if ((code = check_classes(model)) != EXIT_DONE ||
        (code = predict_all(r, model, first, &sink, NULL)) != EXIT_DONE)
        return code;
    if (!(s->total > 0)) {
        snprintf(err.message, sizeof err.message, "no row has a class to compare with");
        return complain(CR_EFORMAT, &err);
    }
    return EXIT_DONE;
}

void scores_free(scores *s)
{
    free(s->posterior);
    free(s->weight);
    free(s->truth);
    free(s->decision);
    free(s->place);
    free(s->line);
    *s = (scores){0};
}

/* --- curves ----------------------------------------------------------------------------------- */

typedef struct judged {
    double p, weight;
    bool positive;
} judged;

static int surest_first(const void *a, const void *b)
{
    const judged *x = a, *y = b;

    return x->p > y->p ? -1 : x->p < y->p;
}

static judged *judge(const scores *s, size_t class_index, double *positive)
{
    judged *rows = reserve(s->rows, sizeof *rows);

    *positive = 0;
    for (size_t i = 0; i < s->rows; i++) {
        rows[i] = (judged){s->posterior[i * s->classes + class_index], s->weight[i],
                           s->truth[i] == (int32_t)class_index};
        if (rows[i].positive)
            *positive += rows[i].weight;
    }
    qsort(rows, s->rows, sizeof *rows, surest_first);
    return rows;
}

/* One point for each threshold: the weight of positives and negatives at least as sure. */
static curve sweep(const scores *s, size_t class_index)
{
    double positives, hits = 0, alarms = 0;
    judged *rows = judge(s, class_index, &positives);
    curve c = {.x = reserve(s->rows + 1, sizeof *c.x),
               .y = reserve(s->rows + 1, sizeof *c.y),
               .threshold = reserve(s->rows + 1, sizeof *c.threshold),
               .share = positives / s->total};

    c.threshold[c.count++] = INFINITY;
    for (size_t i = 0; i < s->rows; i++) {
        *(rows[i].positive ? &hits : &alarms) += rows[i].weight;
        if (i + 1 < s->rows && rows[i + 1].p == rows[i].p)
            continue;
        c.threshold[c.count] = rows[i].p;
        c.x[c.count] = alarms;
        c.y[c.count++] = hits;
    }
    free(rows);
    return c;
}

/* The area under the curve is P(a positive row is surer than a negative one), ties half: the
 * trapezoid rule (J. Hanley and B. McNeil, 1982). */
curve scores_roc(const scores *s, size_t class_index)
{
    curve c = sweep(s, class_index);
    const double positives = c.y[c.count - 1], negatives = c.x[c.count - 1];

    c.area = positives > 0 && negatives > 0 ? 0 : NAN;
    for (size_t i = 0; i < c.count; i++) {
        c.x[i] = negatives > 0 ? c.x[i] / negatives : NAN;
        c.y[i] = positives > 0 ? c.y[i] / positives : NAN;
        if (i > 0)
            c.area += (c.x[i] - c.x[i - 1]) * (c.y[i] + c.y[i - 1]) / 2;
    }
    return c;
}

/* Precision holds back to the recall before; its mean by the gain in recall is the average
 * precision. Before the first row the precision is 1, as a convention. */
curve scores_precision_recall(const scores *s, size_t class_index)
{
    curve c = sweep(s, class_index);
    const double positives = c.y[c.count - 1];

    c.area = positives > 0 ? 0 : NAN;
    for (size_t i = 0; i < c.count; i++) {
        const double taken = c.x[i] + c.y[i], hits = c.y[i];

        c.x[i] = positives > 0 ? hits / positives : NAN;
        c.y[i] = taken > 0 ? hits / taken : 1;
        if (i > 0)
            c.area += (c.x[i] - c.x[i - 1]) * c.y[i];
    }
    return c;
}

void curve_free(curve *c)
{
    free(c->x);
    free(c->y);
    free(c->threshold);
    *c = (curve){0};
}

/* A point stays when it is a step of 1 / THINNED away from the last one, or the next one is. */
curve curve_thinned(const curve *c)
{
    curve t = {.x = reserve(c->count, sizeof *t.x),
               .y = reserve(c->count, sizeof *t.y),
               .area = c->area,
               .share = c->share};

    for (size_t i = 0; i < c->count; i++) {
        const size_t last = t.count > 0 ? t.count - 1 : 0;
        const double step = 1.0 / THINNED;

        if (i > 0 && i + 1 < c->count && fabs(c->x[i + 1] - t.x[last]) < step &&
            fabs(c->y[i + 1] - t.y[last]) < step)
            continue;
        t.x[t.count] = c->x[i];
        t.y[t.count++] = c->y[i];
    }
    return t;
}

/* --- reliability and confusion ---------------------------------------------------------------- */

/* (E. Wilson, 1927) */
void share_interval(double p, double n, double *low, double *high)
{
    const double z = 1.959963984540054, z2 = z * z;
    const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    const double half = z / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));

    *low = fmax(middle - half, 0);
    *high = fmin(middle + half, 1);
}

void scores_reliability(const scores *s, int32_t class_index, reliability *out)
{
    *out = (reliability){0};
    for (size_t i = 0; i < s->rows; i++) {
        const int32_t c = class_index >= 0 ? class_index : s->decision[i];
        const double p = c >= 0 ? s->posterior[i * s->classes + (size_t)c] : -1;
        const size_t bin = (size_t)fmin(fmax(p, 0) * RELIABILITY_BINS, RELIABILITY_BINS - 1);

        if (p < 0)
            continue;
        out->count[bin] += s->weight[i];
        out->confidence[bin] += s->weight[i] * p;
        out->share[bin] += s->truth[i] == c ? s->weight[i] : 0;
    }
    for (size_t b = 0; b < RELIABILITY_BINS; b++)
        if (out->count[b] > 0) {
            out->error += fabs(out->share[b] - out->confidence[b]) / s->total;
            out->confidence[b] /= out->count[b];
            out->share[b] /= out->count[b];
            share_interval(out->share[b], out->count[b], &out->low[b], &out->high[b]);
        }
}

double *scores_confusion(const scores *s, size_t *columns)
{
    bool undecided = false;
    double *weight;

    for (size_t i = 0; i < s->rows; i++)
        undecided |= s->decision[i] < 0;
    *columns = s->classes + undecided;
    weight = reserve(s->classes * *columns, sizeof *weight);
    for (size_t i = 0; i < s->rows; i++)
        if (s->truth[i] >= 0)
            weight[(size_t)s->truth[i] * *columns +
                   (s->decision[i] >= 0 ? (size_t)s->decision[i] : s->classes)] += s->weight[i];
    return weight;
}

const char **class_names(const cr_model *model)
{
    const char **name = reserve(cr_model_classes(model), sizeof *name);

    for (size_t c = 0; c < cr_model_classes(model); c++)
        name[c] = cr_model_class(model, c);
    return name;
}
