/* cli/explain/shares.c - each factor's share in the decision, in log-odds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

enum { CLASSES_SHOWN = 10 };

int32_t explain_rival(const inquiry *q, const cr_explanation *e)
{
    int32_t rival; /* the class is known to exist */

    return cr_explanation_rival(&rival, q->model, e, q->against, NULL) == CR_OK ? rival
                                                                                : e->runner_up;
}

double explain_share(const cr_factor *f, int32_t decision, int32_t rival)
{
    return f->log_p[decision] - f->log_p[rival];
}

/* --- which factors, in which order -------------------------------------------------------- */

typedef struct share {
    const cr_factor *factor;
    double log_odds;
} share;

/* The prior first, then by strength, then in the order of the columns. */
static int stronger_first(const void *a, const void *b)
{
    const share *x = a, *y = b;
    double p = isnan(x->log_odds) ? 0 : fabs(x->log_odds);
    double q = isnan(y->log_odds) ? 0 : fabs(y->log_odds);

    if ((x->factor->column == SIZE_MAX) != (y->factor->column == SIZE_MAX))
        return x->factor->column == SIZE_MAX ? -1 : 1;
    if (p != q)
        return p > q ? -1 : 1;
    return x->factor->column < y->factor->column ? -1 : 1;
}

static share *sort_shares(const cr_explanation *e, int32_t rival, size_t *count)
{
    share *shares = reserve(e->factors, sizeof *shares);

    *count = 0;
    for (size_t i = 0; i < e->factors; i++)
        if (!e->factor[i].left_out)
            shares[(*count)++] =
                (share){&e->factor[i], explain_share(&e->factor[i], e->decision, rival)};
    qsort(shares, *count, sizeof *shares, stronger_first);
    return shares;
}

/* --- the table ---------------------------------------------------------------------------- */

static char *picture_odds(char *buffer, double log_odds)
{
    double odds = exp(fabs(log_odds));
    char number[NUMBER_ROOM];

    if (isnan(log_odds))
        return strcpy(buffer, "both impossible");
    if (odds < 1000)
        snprintf(number, sizeof number, "%.3g", odds);
    else if (odds < 1e6)
        snprintf(number, sizeof number, "%.0f", odds);
    else if (isfinite(odds))
        snprintf(number, sizeof number, "%.2e", odds);
    else
        number_power(number, fabs(log_odds));
    if (log_odds >= 0)
        snprintf(buffer, NUMBER_ROOM, "%.30s : 1", number);
    else
        snprintf(buffer, NUMBER_ROOM, "1 : %.30s", number);
    return buffer;
}

table *explain_table(const char *name, const char *value)
{
    table *t = table_new();

    table_column(t, name, TABLE_LEFT);
    table_column(t, value, TABLE_LEFT);
    table_column(t, "odds", TABLE_RIGHT);
    table_column(t, "log-odds", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    return t;
}

void explain_row(table *t, const char *name, const char *value, double log_odds, double scale)
{
    char odds[NUMBER_ROOM];

    table_text(t, name);
    table_text(t, value);
    table_text(t, picture_odds(odds, log_odds));
    table_number(t, number_signed, log_odds);
    table_bar(t, isnan(log_odds) || scale == 0 ? 0
                 : isinf(log_odds)             ? copysign(1, log_odds)
                                               : log_odds / scale);
}

/* A text is too long for a table; it is represented by the words that the model knows. */
static const char *value_shown(const inquiry *q, const cr_factor *f, char *buffer, size_t size)
{
    if (!explain_is_text(q, f))
        return f->value;
    snprintf(buffer, size, "%zu word%s", f->words, plural(f->words));
    return buffer;
}

/* The calibrated log-odds, before the priors of a rule apply. */
static double calibrated_odds(const cr_explanation *e, int32_t rival)
{
    const double *p = e->before_rule != NULL ? e->before_rule : e->posterior;

    return log(p[e->decision]) - log(p[rival]);
}

static table *shares_table(const inquiry *q, const cr_explanation *e, int32_t rival)
{
    size_t count, shown;
    share *shares = sort_shares(e, rival, &count);
    double scale = 0, rest = 0, total = e->score[e->decision] - e->score[rival];
    table *t = explain_table("factor", "value");
    char text[64];

    shown = q->top != 0 && count > q->top ? q->top : count;
    for (size_t i = 0; i < count; i++)
        if (isfinite(shares[i].log_odds))
            scale = fmax(scale, fabs(shares[i].log_odds));
    for (size_t i = 0; i < shown; i++)
        explain_row(t, shares[i].factor->name, value_shown(q, shares[i].factor, text, sizeof text),
                    shares[i].log_odds, scale);
    for (size_t i = shown; i < count; i++)
        rest += shares[i].log_odds;
    if (shown < count) {
        snprintf(text, sizeof text, "%zu weaker one%s", count - shown, plural(count - shown));
        explain_row(t, text, "", rest, 0); /* a sum, which has no bar */
    }
    explain_row(t, "all together", "", total, 0);
    if (e->calibration != NULL)
        explain_row(t, "calibrated", e->calibration, calibrated_odds(e, rival), 0);
    free(shares);
    return t;
}

static void print_left_out(const cr_explanation *e)
{
    char *line = NULL;
    size_t size, count = 0;
    FILE *file = open_memstream(&line, &size);

    if (file == NULL)
        reserve_failed();
    for (size_t i = 0; i < e->factors; i++) {
        const cr_factor *f = &e->factor[i];
        char *name;

        if (!f->left_out)
            continue;
        name = text_shown(f->name, 0);
        fprintf(file, "%s%s (%s)", count++ == 0 ? "Left out: " : ", ", name,
                f->left_out == 1 ? "missing" : "never seen");
        free(name);
    }
    fclose(file);
    if (count != 0)
        text_wrap(stdout, line, 0, 2, out_width());
    free(line);
}

static void print_words(const inquiry *q, const cr_explanation *e, int32_t rival)
{
    for (size_t i = 0; i < e->factors; i++)
        if (e->factor[i].words > 0)
            explain_word_table(q, &e->factor[i], e->decision, rival);
}

/* "birth=yes"; for a text, the first word that the class has never seen: "the word 'game'". */
static char *impossible_part(const cr_factor *f, size_t c)
{
    char *name = text_shown(f != NULL ? f->name : "the product", 0), *part = NULL;
    char *value = text_shown(f != NULL && f->value != NULL ? f->value : "", 0);

    for (size_t i = 0; f != NULL && i < f->words && part == NULL; i++)
        if (isinf(f->word[i].log_p[c])) {
            char *word = explain_word_text(&f->word[i]), *shown = text_shown(word, 0);

            part = reserve(strlen(shown) + 16, 1);
            sprintf(part, "the word '%s'", shown);
            free(word);
            free(shown);
        }
    if (part == NULL) {
        part = reserve(strlen(name) + strlen(value) + 2, 1);
        sprintf(part, "%s%s%s", name, *value != '\0' ? "=" : "", value);
    }
    free(name);
    free(value);
    return part;
}

void explain_impossible(const inquiry *q, const cr_explanation *e)
{
    puts("No class can explain this row: each gives it probability zero.");
    for (size_t c = 0; c < e->classes && c < CLASSES_SHOWN && e->members == 0; c++) {
        char *name = text_shown(cr_model_class(q->model, c), 0);
        char *part = impossible_part(cr_explanation_zero(e, c), c);

        out_line("  %s: %s is impossible", name, part);
        free(name);
        free(part);
    }
    if (e->classes > CLASSES_SHOWN)
        printf("  ... and so with %zu more class%s\n", e->classes - CLASSES_SHOWN,
               e->classes - CLASSES_SHOWN == 1 ? "" : "es");
    out_line("Credence does not guess. Smoothing lends some probability to what was never "
             "counted:");
    printf("  credence refit %s -p smoothing=laplace\n", q->path);
}

/* If the decision follows a rule. */
static void print_rule(const inquiry *q, const cr_explanation *e)
{
    char number[NUMBER_ROOM], other[NUMBER_ROOM], *name;

    if (e->rule == NULL)
        return;
    if (e->decision == CR_UNDECIDED) {
        out_line("Any decision is expected to cost more than none, which costs %s.",
                 number_plain(number, cr_rule_cost(e->rule, 0, CR_UNDECIDED)));
        return;
    }
    number_plain(number, e->expected_cost);
    for (size_t c = 0; c < e->classes; c++) {
        double cost = 0;

        if (e->posterior[c] <= e->posterior[e->decision])
            continue;
        for (size_t t = 0; t < e->classes; t++)
            cost += e->posterior[t] * cr_rule_cost(e->rule, t, (int32_t)c);
        name = text_shown(cr_model_class(q->model, c), 0);
        out_line("It is expected to cost %s; %s, which is more probable, %s.", number, name,
                 number_plain(other, cost));
        free(name);
        return;
    }
    out_line("It is expected to cost %s.", number);
}

const char *explain_place(char out[NUMBER_ROOM], size_t line)
{
    out[0] = '\0';
    if (line > 0)
        snprintf(out, NUMBER_ROOM, "Line %zu: ", line);
    return out;
}

static void print_verdict(const inquiry *q, const cr_explanation *e, int32_t rival)
{
    char mine[NUMBER_ROOM], theirs[NUMBER_ROOM], place[NUMBER_ROOM];
    char *winner = text_shown(cr_model_class(q->model, (size_t)e->decision), 0), *loser;

    number_percent(mine, cr_explanation_certainty(e));
    if (rival == CR_UNDECIDED) {
        out_line("%s%s%s, %s%s, the only class", out_style(STYLE_BOLD),
                 explain_place(place, e->line), winner, mine, out_style(STYLE_NONE));
    } else {
        loser = text_shown(cr_model_class(q->model, (size_t)rival), 0);
        out_line("%s%s%s, %s%s, against %s, %s", out_style(STYLE_BOLD),
                 explain_place(place, e->line), winner, mine, out_style(STYLE_NONE), loser,
                 number_percent(theirs, e->posterior[rival]));
        if (q->against != NULL &&
            strcmp(q->against, cr_model_class(q->model, (size_t)e->decision)) == 0)
            out_line("(%s is the decision; %s is the next most probable class.)", winner, loser);
        free(loser);
    }
    free(winner);
}

/* The interval of the decision's probability, where it was requested. */
static void print_interval(const cr_explanation *e)
{
    char low[NUMBER_ROOM], high[NUMBER_ROOM], level[NUMBER_ROOM];

    if (e->low != NULL)
        out_line("The rows leave open what the probability is: %s to %s, %s sure.",
                 number_percent(low, e->low[e->decision]),
                 number_percent(high, e->high[e->decision]), number_percent(level, e->level));
}

void explain_shares(const inquiry *q, const cr_explanation *e)
{
    int32_t rival = explain_rival(q, e);
    char place[NUMBER_ROOM];
    table *t;

    if (e->decision == CR_UNDECIDED) {
        printf("%s%sundecided%s\n", out_style(STYLE_BOLD), explain_place(place, e->line),
               out_style(STYLE_NONE));
        if (e->reason == CR_IMPOSSIBLE)
            explain_impossible(q, e);
        else
            print_rule(q, e);
        return;
    }
    print_verdict(q, e, rival);
    print_interval(e);
    print_rule(q, e);
    if (rival != CR_UNDECIDED) {
        t = shares_table(q, e, rival);
        table_print(t, 0, true);
        table_free(t);
    }
    print_left_out(e);
    if (rival != CR_UNDECIDED)
        print_words(q, e, rival);
}
