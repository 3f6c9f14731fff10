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

/* What has been observed so far, and what follows from it. */
typedef struct stream {
    cr_observations *data;
    const cr_prior *prior;
    double level;
    const request *r;
    cr_estimate e;
    size_t n;
    size_t shown_outcomes;
} stream;

/* --- output ------------------------------------------------------------------------------- */

static void number_column(char *text)
{
    printf("  %*s%s", text_width(text) < NUMBER ? (int)(NUMBER - text_width(text)) : 0, "", text);
}

static void head(stream *s)
{
    const char *unit = s->prior->of == CR_PRIOR_NORMAL ? "mean" : "rate";
    char level[NUMBER_ROOM], *shown;

    number_percent(level, s->level);
    printf("%s%5s  %-*s", out_style(STYLE_BOLD), "n", NAME, "seen");
    if (s->prior->of == CR_PRIOR_SHARES && s->e.question.outcomes > 2) {
        for (size_t i = 0; i < s->e.question.outcomes; i++) {
            shown = text_shown(s->e.question.outcome[i], NUMBER);
            number_column(shown);
            free(shown);
        }
    } else {
        shown = text_shown(s->prior->of == CR_PRIOR_SHARES ? s->e.result[0].quantity[0].name : unit,
                           BAR - 4);
        printf("     MLE     MAP    mean  %s interval", level);
        if (s->prior->of == CR_PRIOR_SHARES)
            printf("%*s0 %-*s 1", (int)(INTERVAL - 7 - strlen(level)), "", BAR - 4, shown);
        free(shown);
    }
    printf("%s\n", out_style(STYLE_NONE));
    s->shown_outcomes = s->e.question.outcomes;
}

static void one_row(const stream *s, const cr_quantity *q)
{
    cr_interval i = cr_distribution_central(&q->posterior, s->level);
    bool share = s->prior->of == CR_PRIOR_SHARES;
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
    const cr_estimation *r = &s->e.result[0];
    char text[NUMBER_ROOM], *shown = text_shown(word, NAME);

    if (s->n == 1 || s->shown_outcomes != s->e.question.outcomes)
        head(s);
    printf("%5zu  %s%*s", s->n, shown, (int)(NAME - text_width(shown)), "");
    free(shown);
    if (!solved) {
        puts("       –       –       –  too early to tell");
    } else if (s->prior->of == CR_PRIOR_SHARES && s->e.question.outcomes > 2) {
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
    return s->prior->of == CR_PRIOR_NORMAL ? 1 : s->e.result[0].count;
}

static void show_json(const stream *s, const char *word, bool solved)
{
    const cr_estimation *r = &s->e.result[0];
    cr_json j;

    json_start(&j, stdout);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_number(&j, "n", (double)s->n);
    cr_json_text(&j, "seen", word);
    if (s->prior->of == CR_PRIOR_SHARES)
        cr_json_object(&j, "outcomes", CR_JSON_LINE);
    for (size_t i = 0; solved && i < shown_quantities(s); i++) {
        const cr_quantity *q = &r->quantity[i];
        const cr_interval central = cr_distribution_central(&q->posterior, s->level);

        cr_json_object(&j, s->prior->of == CR_PRIOR_SHARES ? s->e.question.outcome[i] : q->name,
                       CR_JSON_LINE);
        if (!isnan(q->count))
            cr_json_number(&j, "count", q->count);
        cr_json_number(&j, "mle", q->mle);
        cr_json_number(&j, "map", q->map);
        cr_json_number(&j, "mean", cr_distribution_mean(&q->posterior));
        cr_json_numbers(&j, "interval", (double[]){central.low, central.high}, 2);
        json_end(&j);
    }
    if (s->prior->of == CR_PRIOR_SHARES)
        json_end(&j);
    json_end(&j);
}

/* One row for each quantity, since their number may grow. */
static void show_csv(const stream *s, const char *word, bool solved)
{
    const cr_estimation *r = &s->e.result[0];
    char text[NUMBER_ROOM];

    if (s->n == 1)
        puts("n,seen,name,mle,map,mean,low,high");
    for (size_t i = 0; solved && i < shown_quantities(s); i++) {
        const cr_quantity *q = &r->quantity[i];
        cr_interval c = cr_distribution_central(&q->posterior, s->level);
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

static int bad_line(cr_error *err, cr_status status, size_t line)
{
    if (status == CR_EFORMAT) {
        err->line = line;
        snprintf(err->file, sizeof err->file, "standard input");
    }
    return complain(status, err);
}

static int step(stream *s, const char *word, size_t line)
{
    const bool shares = s->prior->of == CR_PRIOR_SHARES;
    cr_error err = {0};
    cr_status st = cr_observations_add(s->data, word, &err);

    if (st != CR_OK)
        return bad_line(&err, st, line);
    if (shares && s->prior->count != 0 && cr_observations_outcomes(s->data) > s->prior->count) {
        snprintf(err.message, sizeof err.message, "'%.80s' is one outcome more than the prior has",
                 word);
        return bad_line(&err, CR_EFORMAT, line);
    }
    s->n++;
    st = cr_observations_estimate(&s->e, s->data, s->prior, s->level, &err);
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

int estimate_stream(cr_observations *data, const cr_prior *prior, double level, const request *r)
{
    stream s = {.data = data, .prior = prior, .level = level, .r = r};
    char *line_text = NULL;
    size_t room = 0, number = 0;
    int code = EXIT_DONE;

    setvbuf(stdout, NULL, _IOLBF, 0);
    cr_observations_follow(data);
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
    cr_estimate_free(&s.e);
    return code;
}
