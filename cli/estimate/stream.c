/* cli/estimate/stream.c - the estimates after each observation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/estimate.h"
#include "out/out.h"
#include "out/json.h"
#include "out/text.h"
#include "session/reserve.h"

enum { BAR = 21, NAME = 8, NUMBER = 6, INTERVAL = 16 };

/* What has been observed: counts of words, and sums instead of numbers. */
typedef struct stream {
    estimate *e;
    estimate_data *d;
    estimate_prior *p;
    const request *r;
    size_t n;
    cr_sample running; /* of --gaussian */
    size_t shown_outcomes;
} stream;

/* B. P. Welford's update (Technometrics 4, 1962). */
static void run_on(cr_sample *s, double x)
{
    double step = x - s->mean;

    s->n++;
    s->mean += step / s->n;
    s->squares += step * (x - s->mean);
}

/* Fewer than two outcomes so far: the others have no name yet. */
static void name_the_rest(stream *s)
{
    size_t need = s->p->own.count > 2 ? s->p->own.count : 2;
    char name[32];

    for (size_t i = 1; s->d->outcomes < need; i++) {
        snprintf(name, sizeof name, i == 1 ? "(other)" : "(other %zu)", i);
        estimate_outcome(s->d, name);
    }
    estimate_fit_prior(s->p, s->d);
}

/* A new outcome takes the place of one that had no name. */
static void claim(stream *s, const char *word)
{
    if (estimate_has_outcome(s->d, word))
        return;
    for (size_t i = 0; i < s->d->outcomes; i++)
        if (strncmp(s->d->outcome[i], "(other", 6) == 0) {
            estimate_rename(s->d, i, word);
            return;
        }
}

/* --- output ------------------------------------------------------------------------------- */

static void number_column(char *text)
{
    printf("  %*s%s", text_width(text) < NUMBER ? (int)(NUMBER - text_width(text)) : 0, "", text);
}

static void head(stream *s)
{
    const char *unit = s->d->kind == CR_PRIOR_NORMAL ? "mean" : "rate";
    char level[NUMBER_ROOM], *shown;

    number_percent(level, s->e->level);
    printf("%s%5s  %-*s", out_style(STYLE_BOLD), "n", NAME, "seen");
    if (s->d->kind == CR_PRIOR_SHARES && s->d->outcomes > 2) {
        for (size_t i = 0; i < s->d->outcomes; i++) {
            shown = text_shown(s->d->outcome[i], NUMBER);
            number_column(shown);
            free(shown);
        }
    } else {
        shown = text_shown(
            s->d->kind == CR_PRIOR_SHARES ? s->e->known.result[0].quantity[0].name : unit, BAR - 4);
        printf("     MLE     MAP    mean  %s interval", level);
        if (s->d->kind == CR_PRIOR_SHARES)
            printf("%*s0 %-*s 1", (int)(INTERVAL - 7 - strlen(level)), "", BAR - 4, shown);
        free(shown);
    }
    printf("%s\n", out_style(STYLE_NONE));
    s->shown_outcomes = s->d->outcomes;
}

static void one_row(const stream *s, const cr_quantity *q)
{
    cr_interval i = cr_distribution_central(&q->posterior, s->e->level);
    bool share = s->d->kind == CR_PRIOR_SHARES;
    char *(*picture)(char *, double) = share ? number_probability : number_plain;
    char text[NUMBER_ROOM], high[NUMBER_ROOM];

    number_column(picture(text, q->mle));
    number_column(picture(text, q->map));
    number_column(picture(text, cr_distribution_mean(&q->posterior)));
    printf("  %s to %s", picture(text, i.low), picture(high, i.high));
    if (share) {
        int used = (int)(text_width(text) + 4 + text_width(high));

        printf("%*s", used < INTERVAL ? INTERVAL + 2 - used : 2, "");
        picture_bar(i, cr_distribution_mean(&q->posterior), BAR);
    }
    putchar('\n');
}

static void show(stream *s, const char *word, bool solved)
{
    const cr_estimation *r = &s->e->known.result[0];
    char text[NUMBER_ROOM], *shown = text_shown(word, NAME);

    if (s->n == 1 || s->shown_outcomes != s->d->outcomes)
        head(s);
    printf("%5zu  %s%*s", s->n, shown, (int)(NAME - text_width(shown)), "");
    free(shown);
    if (!solved) {
        puts("       –       –       –  too early to tell");
    } else if (s->d->kind == CR_PRIOR_SHARES && s->d->outcomes > 2) {
        for (size_t i = 0; i < r->count; i++)
            number_column(
                number_probability(text, cr_distribution_mean(&r->quantity[i].posterior)));
        putchar('\n');
    } else {
        one_row(s, &r->quantity[0]);
    }
}

/* For a Gaussian, only the mean. */
static size_t shown_quantities(const stream *s)
{
    return s->d->kind == CR_PRIOR_NORMAL ? 1 : s->e->known.result[0].count;
}

static void show_json(const stream *s, const char *word, bool solved)
{
    const cr_estimation *r = &s->e->known.result[0];
    cr_json j;

    json_start(&j, stdout);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_number(&j, "n", (double)s->n);
    cr_json_text(&j, "seen", word);
    if (s->d->kind == CR_PRIOR_SHARES)
        cr_json_object(&j, "outcomes", CR_JSON_LINE);
    for (size_t i = 0; solved && i < shown_quantities(s); i++) {
        const cr_quantity *q = &r->quantity[i];
        const cr_interval central = cr_distribution_central(&q->posterior, s->e->level);

        cr_json_object(&j, s->d->kind == CR_PRIOR_SHARES ? s->d->outcome[i] : q->name,
                       CR_JSON_LINE);
        if (!isnan(q->count))
            cr_json_number(&j, "count", q->count);
        cr_json_number(&j, "mle", q->mle);
        cr_json_number(&j, "map", q->map);
        cr_json_number(&j, "mean", cr_distribution_mean(&q->posterior));
        cr_json_numbers(&j, "interval", (double[]){central.low, central.high}, 2);
        json_end(&j);
    }
    if (s->d->kind == CR_PRIOR_SHARES)
        json_end(&j);
    json_end(&j);
}

/* One row for each quantity, since their number may grow. */
static void show_csv(const stream *s, const char *word, bool solved)
{
    const cr_estimation *r = &s->e->known.result[0];
    char text[NUMBER_ROOM];

    if (s->n == 1)
        puts("n,seen,name,mle,map,mean,low,high");
    for (size_t i = 0; solved && i < shown_quantities(s); i++) {
        const cr_quantity *q = &r->quantity[i];
        cr_interval c = cr_distribution_central(&q->posterior, s->e->level);
        double value[] = {q->mle, q->map, cr_distribution_mean(&q->posterior), c.low, c.high};

        printf("%zu,", s->n);
        csv_field(stdout, word);
        putchar(',');
        csv_field(stdout, q->name);
        for (size_t k = 0; k < sizeof value / sizeof *value; k++)
            printf(",%s", isfinite(value[k]) ? number_exact(text, value[k]) : "");
        putchar('\n');
    }
}

/* --- input -------------------------------------------------------------------------------- */

/* Numbers are not stored: their sums are sufficient. */
static void sum_up(stream *s)
{
    sample *one = estimate_only_sample(s->d);

    if (s->d->kind == CR_PRIOR_NORMAL) {
        for (size_t i = 0; i < one->count; i++)
            run_on(&s->running, one->value[i]);
        one->count = 0;
        return;
    }
    for (size_t i = 0; i < one->count; i++) {
        if (isnan(one->exposure[i]))
            one->exposure[i] = s->d->exposure;
        if (i > 0) {
            one->value[0] += one->value[i];
            one->exposure[0] += one->exposure[i];
        }
    }
    one->count = one->count > 0;
}

static cr_status solve(stream *s, cr_error *err)
{
    if (s->d->kind != CR_PRIOR_SHARES)
        sum_up(s);
    return estimate_solve(s->e, err);
}

static int bad_line(size_t line_number, const char *word, const char *fault)
{
    cr_error err = {.line = line_number, .file = "standard input"};

    snprintf(err.message, sizeof err.message, "'%.80s' %s", word, fault);
    return complain(CR_EFORMAT, &err);
}

static int step(stream *s, const char *word, size_t line_number)
{
    sample *one = estimate_only_sample(s->d);
    cr_error err = {0};
    cr_status st;

    if (s->d->kind == CR_PRIOR_SHARES)
        claim(s, word);
    if (!estimate_take_word(s->d, one, word))
        return bad_line(line_number, word,
                        s->d->kind == CR_PRIOR_RATE ? "is not a count" : "is not a number");
    if (s->d->kind == CR_PRIOR_SHARES && s->p->own.count != 0 && s->d->outcomes > s->p->own.count)
        return bad_line(line_number, word, "is one outcome more than the prior has");
    if (s->d->kind == CR_PRIOR_SHARES)
        name_the_rest(s);
    s->n++;
    st = solve(s, &err);
    if (st != CR_OK && st != CR_ECONFLICT)
        return complain(st, &err);
    if (s->r->json)
        show_json(s, word, st == CR_OK);
    else if (s->r->csv)
        show_csv(s, word, st == CR_OK);
    else
        show(s, word, st == CR_OK);
    return EXIT_DONE;
}

int estimate_stream(estimate *e, estimate_data *d, estimate_prior *p, const request *r)
{
    stream s = {.e = e, .d = d, .p = p, .r = r};
    char *line_text = NULL;
    size_t room = 0, number = 0;
    int code = EXIT_DONE;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (d->kind == CR_PRIOR_NORMAL)
        d->sum = &s.running;
    estimate_only_sample(d);
    while (code == EXIT_DONE && getline(&line_text, &room, stdin) > 0) {
        char *word = line_text + strspn(line_text, " \t\r\n");
        size_t size = strlen(word);

        number++;
        while (size > 0 && strchr(" \t\r\n", word[size - 1]) != NULL)
            word[--size] = '\0';
        if (size > 0)
            code = step(&s, word, number);
    }
    free(line_text);
    return code;
}
