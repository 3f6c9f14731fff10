/* cli/estimate/show.c - estimates for people: the numbers, their derivation, and a picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/estimate.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "session/session.h"

enum { TERM = 16, MOST_STRIPS = 12, PRIOR = 96 };

/* --- pieces ------------------------------------------------------------------------------- */

static char *number_of(const cr_estimate *e, char *buffer, double x)
{
    return e->question.of == CR_PRIOR_SHARES ? number_probability(buffer, x)
                                             : number_plain(buffer, x);
}

static char *interval_text(const cr_estimate *e, char *buffer, size_t size, cr_interval i)
{
    char low[NUMBER_ROOM], high[NUMBER_ROOM];

    snprintf(buffer, size, "%s to %s", number_of(e, low, i.low), number_of(e, high, i.high));
    return buffer;
}

/* Usually one piece; two for a density that is highest at both ends. */
static char *highest_text(const cr_estimate *e, char *buffer, size_t size, const cr_distribution *d)
{
    cr_interval piece[2];
    size_t pieces = cr_distribution_highest(d, e->question.level, piece);

    interval_text(e, buffer, size, piece[0]);
    if (pieces == 2) {
        size_t used = strlen(buffer);

        snprintf(buffer + used, size - used, ", ");
        interval_text(e, buffer + used + 2, size - used - 2, piece[1]);
    }
    return buffer;
}

/* Remarks are aligned, beside numbers and beside intervals. */
static void line(const char *term, const char *value, const char *remark)
{
    int width = (int)text_width(value), column = width <= 8 ? 10 : width <= 17 ? 18 : width + 2;

    printf("  %-*s%s", TERM, term, value);
    if (remark != NULL && *remark != '\0')
        printf("%*s%s%s%s", column - width, "", out_style(STYLE_DIM), remark,
               out_style(STYLE_NONE));
    putchar('\n');
}

static const char *mode_remark(cr_mode mode)
{
    switch (mode) {
    case CR_MODE_BORDER: return "on the border";
    case CR_MODE_FLAT: return "none: the posterior is flat";
    case CR_MODE_NONE: return "none: the density is highest along the border";
    default: return "";
    }
}

static char *level_text(const cr_estimate *e, char *buffer, size_t size)
{
    char percent[NUMBER_ROOM];

    snprintf(buffer, size, "%s interval", number_percent(percent, e->question.level));
    return buffer;
}

static void evidence_line(const cr_estimation *r)
{
    char value[NUMBER_ROOM];

    if (!isnan(r->log_evidence))
        line("ln P(data)", number_plain(value, r->log_evidence), "the marginal likelihood");
}

/* "Beta(2, 2)". */
static const char *prior_text(const cr_estimate *e, char *buffer)
{
    return cr_prior_text(e->question.prior, e->question.outcomes, buffer, PRIOR);
}

/* sd and both intervals, which all posteriors have. */
static void spread_lines(const cr_estimate *e, const cr_distribution *d)
{
    char value[160], term[64];

    line("sd", number_plain(value, cr_distribution_sd(d)), NULL);
    interval_text(e, value, sizeof value, cr_distribution_central(d, e->question.level));
    line(level_text(e, term, sizeof term), value, "equal tails");
    line("", highest_text(e, value, sizeof value, d), "highest density");
}

/* --- a coin ------------------------------------------------------------------------------- */

/* The fractions behind the estimates. */
static void coin_lines(const cr_estimate *e, const cr_estimation *r)
{
    const cr_quantity *q = &r->quantity[0];
    const double prior[] = {cr_prior_parameter(e->question.prior, 0),
                            cr_prior_parameter(e->question.prior, 1)};
    double n1 = r->quantity[0].count, n0 = r->quantity[1].count;
    char c1[NUMBER_ROOM], c0[NUMBER_ROOM], p1[NUMBER_ROOM], p0[NUMBER_ROOM], sum[NUMBER_ROOM],
        value[NUMBER_ROOM], remark[320], *shown = text_shown(e->question.outcome[0], 24);

    number_plain(c1, n1);
    number_plain(c0, n0);
    number_plain(p1, prior[0]);
    number_plain(p0, prior[1]);
    snprintf(remark, sizeof remark, "%s / (%s + %s)", c1, c1, c0);
    line("MLE", number_probability(value, q->mle), isnan(q->mle) ? "no observations" : remark);
    snprintf(remark, sizeof remark, "(%s + %s - 1) / (%s + %s - 1 + %s + %s - 1)", c1, p1, c1, p1,
             c0, p0);
    line("MAP", number_probability(value, q->map),
         q->mode == CR_MODE_INSIDE ? remark : mode_remark(q->mode));
    snprintf(remark, sizeof remark, "(%s + %s) / (%s + %s): P(the next is %s)", c1, p1,
             number_plain(sum, n1 + n0), number_plain(value, prior[0] + prior[1]), shown);
    line("mean", number_probability(value, cr_distribution_mean(&q->posterior)), remark);
    spread_lines(e, &q->posterior);
    free(shown);
}

static void show_coin(const cr_estimate *e, const cr_estimation *r)
{
    const cr_quantity *q = &r->quantity[0];
    char prior[PRIOR], posterior[160], one[NUMBER_ROOM], other[NUMBER_ROOM],
        *first = text_shown(q->name, 40), *name1 = text_shown(e->question.outcome[0], 24),
        *name0 = text_shown(e->question.outcome[1], 24);

    printf("%s%s%s after %s %s, %s %s\n\n", out_style(STYLE_BOLD), first, out_style(STYLE_NONE),
           number_plain(one, q->count), name1, number_plain(other, r->quantity[1].count), name0);
    line("prior", prior_text(e, prior), NULL);
    line("posterior", cr_distribution_text(&q->posterior, posterior, sizeof posterior), NULL);
    coin_lines(e, r);
    evidence_line(r);
    putchar('\n');
    picture_large(&q->posterior, e->question.level);
    free(first);
    free(name1);
    free(name0);
}

/* --- a die, and the table for all kinds ---------------------------------------------------- */

/* A line holds 80 columns: shares leave out the standard deviation, as the interval shows it. */
static void row(const cr_estimate *e, table *t, const cr_quantity *q, const char *name)
{
    bool share = e->question.of == CR_PRIOR_SHARES;
    char *(*picture)(char *, double) = share ? number_probability : number_plain;
    char interval[96];

    table_text(t, name);
    if (share)
        table_number(t, number_plain, q->count);
    table_number(t, picture, q->mle);
    table_number(t, picture, q->map);
    table_number(t, picture, cr_distribution_mean(&q->posterior));
    if (!share)
        table_number(t, number_plain, cr_distribution_sd(&q->posterior));
    table_text(t, interval_text(e, interval, sizeof interval,
                                cr_distribution_central(&q->posterior, e->question.level)));
    table_text(t, highest_text(e, interval, sizeof interval, &q->posterior));
}

static void print_table(const cr_estimate *e, const cr_estimation *r)
{
    bool share = e->question.of == CR_PRIOR_SHARES;
    table *t = table_new();
    char level[64];

    table_column(t, "", TABLE_LEFT);
    if (share)
        table_column(t, "count", TABLE_RIGHT);
    table_column(t, "MLE", TABLE_RIGHT);
    table_column(t, "MAP", TABLE_RIGHT);
    table_column(t, "mean", TABLE_RIGHT);
    if (!share)
        table_column(t, "sd", TABLE_RIGHT);
    table_column(t, level_text(e, level, sizeof level), TABLE_LEFT);
    table_column(t, "highest density", TABLE_LEFT);
    for (size_t i = 0; i < r->count; i++)
        row(e, t, &r->quantity[i], share ? e->question.outcome[i] : r->quantity[i].name);
    table_print(t, 2, true);
    table_free(t);
}

static void print_strips(const cr_estimate *e, const cr_estimation *r)
{
    size_t count = r->count < MOST_STRIPS ? r->count : MOST_STRIPS;
    const char *name[MOST_STRIPS];
    cr_distribution d[MOST_STRIPS];

    for (size_t i = 0; i < count; i++) {
        name[i] = e->question.outcome[i];
        d[i] = r->quantity[i].posterior;
    }
    picture_strips(name, d, count, e->question.level);
    if (count < r->count)
        printf("  and %zu more\n", r->count - count);
}

static void show_die(const cr_estimate *e, const cr_estimation *r)
{
    char n[NUMBER_ROOM], prior[PRIOR];

    printf("%sShares%s of %zu outcomes after %s observation%s, prior %s\n\n", out_style(STYLE_BOLD),
           out_style(STYLE_NONE), r->count, number_plain(n, r->shares.observations),
           r->shares.observations == 1 ? "" : "s", prior_text(e, prior));
    print_table(e, r);
    putchar('\n');
    if (r->shares.mode != CR_MODE_INSIDE)
        line("MAP", "", mode_remark(r->shares.mode));
    line("mean", "", "also P(the next outcome is this one)");
    evidence_line(r);
    putchar('\n');
    print_strips(e, r);
}

/* --- numbers and events ------------------------------------------------------------------- */

static void show_normal(const cr_estimate *e, const cr_estimation *r)
{
    const cr_normal *n = &r->normal;
    char text[200], value[NUMBER_ROOM], prior[PRIOR];

    printf("%sMean and variance%s of %s numbers, prior %s\n\n", out_style(STYLE_BOLD),
           out_style(STYLE_NONE), number_plain(value, n->sample.n), prior_text(e, prior));
    print_table(e, r);
    putchar('\n');
    if (!isnan(n->unbiased_variance))
        line("sample variance", number_plain(value, n->unbiased_variance), "unbiased");
    line("mean is", cr_distribution_text(&n->mean, text, sizeof text), NULL);
    line("variance is", cr_distribution_text(&n->variance, text, sizeof text), NULL);
    line("next is", cr_distribution_text(&n->next, text, sizeof text), NULL);
    evidence_line(r);
    putchar('\n');
    picture_large(&n->mean, e->question.level);
}

static void rate_lines(const cr_estimate *e, const cr_estimation *r)
{
    const cr_quantity *q = &r->quantity[0];
    const double prior[] = {cr_prior_parameter(e->question.prior, 0),
                            cr_prior_parameter(e->question.prior, 1)};
    char k[NUMBER_ROOM], t[NUMBER_ROOM], a[NUMBER_ROOM], b[NUMBER_ROOM], value[NUMBER_ROOM],
        remark[256];

    number_plain(k, r->rate.events);
    number_plain(t, r->rate.exposure);
    number_plain(a, prior[0]);
    number_plain(b, prior[1]);
    snprintf(remark, sizeof remark, "%s / %s", k, t);
    line("MLE", number_plain(value, q->mle), isnan(q->mle) ? "no observations" : remark);
    snprintf(remark, sizeof remark, "(%s + %s - 1) / (%s + %s)", k, a, t, b);
    line("MAP", number_plain(value, q->map),
         q->mode == CR_MODE_INSIDE ? remark : mode_remark(q->mode));
    snprintf(remark, sizeof remark, "(%s + %s) / (%s + %s)", k, a, t, b);
    line("mean", number_plain(value, cr_distribution_mean(&q->posterior)), remark);
}

static void show_rate(const cr_estimate *e, const cr_estimation *r)
{
    const cr_quantity *q = &r->quantity[0];
    char text[200], events[NUMBER_ROOM], exposure[NUMBER_ROOM], low[NUMBER_ROOM], high[NUMBER_ROOM],
        none[NUMBER_ROOM], percent[NUMBER_ROOM], remark[160], prior[PRIOR];

    printf("%sRate%s of %s event%s in an exposure of %s\n\n", out_style(STYLE_BOLD),
           out_style(STYLE_NONE), number_plain(events, r->rate.events),
           r->rate.events == 1 ? "" : "s", number_plain(exposure, r->rate.exposure));
    line("prior", prior_text(e, prior), NULL);
    line("posterior", cr_distribution_text(&q->posterior, text, sizeof text), NULL);
    rate_lines(e, r);
    spread_lines(e, &q->posterior);
    snprintf(text, sizeof text, "%s to %s events", number_plain(low, r->forecast.interval.low),
             number_plain(high, r->forecast.interval.high));
    snprintf(remark, sizeof remark, "%s, for an exposure of 1; none: %s",
             number_percent(percent, e->question.level),
             number_probability(none, r->forecast.none));
    line("next", text, remark);
    evidence_line(r);
    putchar('\n');
    picture_large(&q->posterior, e->question.level);
}

/* --- two samples -------------------------------------------------------------------------- */

static const char *unit_of(const cr_estimate *e)
{
    return e->question.of == CR_PRIOR_SHARES   ? e->result[0].quantity[0].name
           : e->question.of == CR_PRIOR_NORMAL ? "mean"
                                               : "rate";
}

static void sample_row(const cr_estimate *e, table *t, const cr_estimation *r)
{
    const cr_quantity *q = &r->quantity[0];
    char text[96];

    table_text(t, r->name);
    if (e->question.of == CR_PRIOR_SHARES) {
        table_number(t, number_plain, q->count);
        table_number(t, number_plain, r->shares.observations);
    } else if (e->question.of == CR_PRIOR_NORMAL) {
        table_number(t, number_plain, r->normal.sample.n);
    } else {
        table_number(t, number_plain, r->rate.events);
        table_number(t, number_plain, r->rate.exposure);
    }
    table_text(t, number_of(e, text, q->mle));
    table_text(t, number_of(e, text, cr_distribution_mean(&q->posterior)));
    table_text(t, number_plain(text, cr_distribution_sd(&q->posterior)));
    table_text(t, interval_text(e, text, sizeof text,
                                cr_distribution_central(&q->posterior, e->question.level)));
}

static void print_samples(const cr_estimate *e)
{
    table *t = table_new();
    char level[64];

    table_column(t, "", TABLE_LEFT);
    if (e->question.of == CR_PRIOR_SHARES)
        table_column(t, e->question.outcome[0], TABLE_RIGHT);
    if (e->question.of == CR_PRIOR_RATE)
        table_column(t, "events", TABLE_RIGHT);
    table_column(t, e->question.of == CR_PRIOR_RATE ? "exposure" : "of", TABLE_RIGHT);
    table_column(t, "MLE", TABLE_RIGHT);
    table_column(t, "mean", TABLE_RIGHT);
    table_column(t, "sd", TABLE_RIGHT);
    table_column(t, level_text(e, level, sizeof level), TABLE_LEFT);
    sample_row(e, t, &e->result[0]);
    sample_row(e, t, &e->result[1]);
    table_print(t, 2, true);
    table_free(t);
}

static char *span_text(char *buffer, size_t size, cr_interval i)
{
    char low[NUMBER_ROOM], high[NUMBER_ROOM];

    snprintf(buffer, size, "%s to %s", number_plain(low, i.low), number_plain(high, i.high));
    return buffer;
}

/* The figures of a comparison, one to a line. */
static void versus_lines(const cr_estimate *e, const char *a, const char *b)
{
    const cr_versus *v = &e->versus[0];
    char term[96], value[NUMBER_ROOM], span[96], remark[160], percent[NUMBER_ROOM];

    number_percent(percent, e->question.level);
    snprintf(term, sizeof term, "P(%s > %s)", a, b);
    line(term, number_probability(value, v->greater), v->exact ? "exact" : "by quadrature");
    snprintf(term, sizeof term, "P(%s > %s)", b, a);
    line(term, number_probability(value, v->less), NULL);
    snprintf(term, sizeof term, "%s - %s", a, b);
    snprintf(remark, sizeof remark, "%s interval %s", percent,
             span_text(span, sizeof span, v->difference));
    line(term, number_plain(value, v->mean), remark);
    if (!isnan(v->ratio.low)) {
        snprintf(term, sizeof term, "%s / %s", a, b);
        snprintf(remark, sizeof remark, "%s interval", percent);
        line(term, span_text(span, sizeof span, v->ratio), remark);
    }
    if (!isnan(v->loss_a)) {
        snprintf(term, sizeof term, "loss with %s", a);
        line(term, number_plain(value, v->loss_a), "expected, if the larger is the better");
        snprintf(term, sizeof term, "loss with %s", b);
        line(term, number_plain(value, v->loss_b), NULL);
    }
}

/* A row for each outcome of a die. */
static void versus_table(const cr_estimate *e, const char *a, const char *b)
{
    table *t = table_new();
    char text[96];

    table_column(t, "", TABLE_LEFT);
    table_column(t, a, TABLE_RIGHT);
    table_column(t, b, TABLE_RIGHT);
    snprintf(text, sizeof text, "P(%s > %s)", a, b);
    table_column(t, text, TABLE_RIGHT);
    snprintf(text, sizeof text, "%s - %s", a, b);
    table_column(t, text, TABLE_RIGHT);
    table_column(t, level_text(e, text, sizeof text), TABLE_LEFT);
    for (size_t i = 0; i < e->compared; i++) {
        const cr_versus *v = &e->versus[i];

        table_text(t, e->result[0].quantity[i].name);
        for (size_t s = 0; s < 2; s++)
            table_number(t, number_probability,
                         cr_distribution_mean(&e->result[s].quantity[i].posterior));
        table_number(t, number_probability, v->greater);
        table_number(t, number_plain, v->mean);
        table_text(t, span_text(text, sizeof text, v->difference));
    }
    table_print(t, 2, true);
    table_free(t);
}

static void show_two(const cr_estimate *e)
{
    char *a = text_shown(e->result[0].name, 12), *b = text_shown(e->result[1].name, 12),
         *unit = text_shown(unit_of(e), 40), prior[PRIOR];
    const char *name[] = {e->result[0].name, e->result[1].name};
    cr_distribution d[] = {e->result[0].quantity[0].posterior, e->result[1].quantity[0].posterior};

    printf("%s%s against %s%s, prior %s for each\n\n", out_style(STYLE_BOLD), a, b,
           out_style(STYLE_NONE), prior_text(e, prior));
    if (e->compared > 1) {
        versus_table(e, a, b);
    } else {
        print_samples(e);
        putchar('\n');
        versus_lines(e, a, b);
    }
    printf("\n  %s\n", unit);
    picture_strips(name, d, 2, e->question.level);
    free(a);
    free(b);
    free(unit);
}

void estimate_show(const cr_estimate *e)
{
    const cr_estimation *r = &e->result[0];

    if (e->results == 2)
        show_two(e);
    else if (e->question.of == CR_PRIOR_NORMAL)
        show_normal(e, r);
    else if (e->question.of == CR_PRIOR_RATE)
        show_rate(e, r);
    else if (e->question.outcomes == 2)
        show_coin(e, r);
    else
        show_die(e, r);
}
