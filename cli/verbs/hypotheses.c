/* cli/verbs/hypotheses.c - credence hypotheses: Bayes' rule over a table of hypotheses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "credence/credence.h"
#include "out/out.h"
#include "out/json.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { TERM = 16, VALUE = 12, MOST_COLUMNS = 7 };

/* --- the table of hypotheses --------------------------------------------------------------- */

static void text_power(table *t, double log_x)
{
    char text[NUMBER_ROOM];

    table_text(t, number_power(text, log_x));
}

static void hypotheses_row(table *t, const cr_hypothesis *h, bool observed)
{
    table_text(t, h->name);
    if (observed) {
        table_number(t, number_plain, h->prior);
        text_power(t, h->log_likelihood);
        text_power(t, h->log_relative);
    }
    table_number(t, number_probability, h->posterior);
    if (observed) {
        table_number(t, number_plain, h->prior_bits);
        table_number(t, number_plain, h->data_bits);
        table_number(t, number_plain, h->prior_bits + h->data_bits);
    }
    table_bar(t, h->posterior);
}

static void show_hypotheses(const cr_hypotheses *h)
{
    bool observed = cr_hypotheses_steps(h) > 0;
    table *t = table_new();
    cr_hypothesis one;

    table_column(t, "h", TABLE_LEFT);
    if (observed) {
        table_column(t, "P(h)", TABLE_RIGHT);
        table_column(t, "P(D|h)", TABLE_RIGHT);
        table_column(t, "P(D|h) P(h)", TABLE_RIGHT);
    }
    table_column(t, "P(h|D)", TABLE_RIGHT);
    if (observed) {
        table_column(t, "bits h", TABLE_RIGHT);
        table_column(t, "bits D", TABLE_RIGHT);
        table_column(t, "total", TABLE_RIGHT);
    }
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < cr_hypotheses_count(h); i++) {
        cr_hypotheses_get(h, i, &one);
        hypotheses_row(t, &one, observed);
    }
    table_print(t, 2, true);
    table_free(t);
}

/* --- the choices --------------------------------------------------------------------------- */

static void line(const char *term, const char *value, const char *remark)
{
    char *shown = text_shown(value, 0);
    int width = (int)text_width(shown);

    printf("  %-*s%s", TERM, term, shown);
    if (*remark != '\0')
        printf("%*s%s%s%s", width < VALUE ? VALUE - width : 2, "", out_style(STYLE_DIM), remark,
               out_style(STYLE_NONE));
    putchar('\n');
    free(shown);
}

/* "h1 = h2": all that tie. */
static void line_of_best(const cr_hypotheses *h, cr_choice by, const char *term, const char *remark)
{
    size_t *best = reserve(cr_hypotheses_count(h), sizeof *best);
    size_t ties = cr_hypotheses_best(h, by, best), used = 0;
    char names[512] = "", tied[256];
    cr_hypothesis one;

    for (size_t i = 0; i < ties && used + 8 < sizeof names; i++) {
        cr_hypotheses_get(h, best[i], &one);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? " = " : "",
                                 one.name);
    }
    snprintf(tied, sizeof tied, "a tie of %zu: %s", ties, remark);
    line(term, names, ties > 1 ? tied : remark);
    free(best);
}

static void show_choices(const cr_hypotheses *h)
{
    char value[NUMBER_ROOM];

    if (cr_hypotheses_steps(h) > 0) {
        line("P(D)", number_power(value, cr_hypotheses_log_evidence(h)),
             "the evidence: sum of P(D|h) P(h)");
        line_of_best(h, CR_CHOICE_ML, "h_ML", "largest likelihood P(D|h)");
        line_of_best(h, CR_CHOICE_MAP, "h_MAP", "largest posterior, shortest description");
    } else {
        line_of_best(h, CR_CHOICE_MAP, "h_MAP", "largest posterior");
    }
}

/* --- one piece of evidence after another --------------------------------------------------- */

static void steps_by_columns(const cr_hypotheses *h, table *t)
{
    size_t count = cr_hypotheses_count(h), steps = cr_hypotheses_steps(h);
    cr_hypothesis one;

    table_column(t, "after", TABLE_LEFT);
    for (size_t i = 0; i < count; i++) {
        cr_hypotheses_get(h, i, &one);
        table_column(t, one.name, TABLE_RIGHT);
    }
    for (size_t s = 0; s <= steps; s++) {
        table_text(t, s == 0 ? "(prior)" : cr_hypotheses_evidence(h, s - 1));
        for (size_t i = 0; i < count; i++) {
            cr_hypotheses_get(h, i, &one);
            table_number(t, number_probability,
                         s == 0 ? one.prior : cr_hypotheses_posterior(h, s - 1)[i]);
        }
    }
}

/* With many hypotheses only the leading one is shown. */
static void steps_by_leader(const cr_hypotheses *h, table *t)
{
    size_t count = cr_hypotheses_count(h), steps = cr_hypotheses_steps(h);

    table_column(t, "after", TABLE_LEFT);
    table_column(t, "h_MAP", TABLE_LEFT);
    table_column(t, "P(h|D)", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    for (size_t s = 0; s < steps; s++) {
        const double *posterior = cr_hypotheses_posterior(h, s);
        size_t best = 0;
        cr_hypothesis one;

        for (size_t i = 1; i < count; i++)
            if (posterior[i] > posterior[best])
                best = i;
        cr_hypotheses_get(h, best, &one);
        table_text(t, cr_hypotheses_evidence(h, s));
        table_text(t, one.name);
        table_number(t, number_probability, posterior[best]);
        table_bar(t, posterior[best]);
    }
}

static void show_steps(const cr_hypotheses *h)
{
    table *t = table_new();

    if (cr_hypotheses_count(h) <= MOST_COLUMNS)
        steps_by_columns(h, t);
    else
        steps_by_leader(h, t);
    table_print(t, 2, true);
    table_free(t);
    putchar('\n');
}

/* --- classes ------------------------------------------------------------------------------- */

static void show_votes(const cr_hypotheses *h)
{
    bool observed = cr_hypotheses_steps(h) > 0;
    double log_evidence = cr_hypotheses_log_evidence(h);
    table *t = table_new();

    table_column(t, "class", TABLE_LEFT);
    if (observed)
        table_column(t, "sum of P(c|h) P(D|h) P(h)", TABLE_RIGHT);
    table_column(t, "P(c|D)", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    for (size_t c = 0; c < cr_hypotheses_classes(h); c++) {
        double p = cr_hypotheses_predictive(h, c);

        table_text(t, cr_hypotheses_class(h, c));
        if (observed)
            text_power(t, log(p) + log_evidence);
        table_number(t, number_probability, p);
        table_bar(t, p);
    }
    table_print(t, 2, true);
    table_free(t);
}

static void show_verdict(const cr_hypotheses *h)
{
    char optimal[NUMBER_ROOM], remark[128];
    cr_verdict v;

    if (cr_hypotheses_classify(h, &v, NULL) != CR_OK)
        return;
    number_probability(optimal, v.optimal_error);
    snprintf(remark, sizeof remark, "wrong with %s%s", optimal,
             v.ties > 1 ? ", and tied with others" : "");
    line("Bayes optimal", cr_hypotheses_class(h, v.best), remark);
    number_probability(optimal, v.map_error);
    snprintf(remark, sizeof remark, "wrong with %s", optimal);
    line("h_MAP says", cr_hypotheses_class(h, v.map_class), remark);
    line("Gibbs", number_probability(optimal, v.gibbs_error),
         "expected error of a hypothesis drawn by P(h|D)");
}

static void show(const cr_hypotheses *h)
{
    size_t count = cr_hypotheses_count(h);

    printf("%s%zu hypothes%cs%s\n\n", out_style(STYLE_BOLD), count, count == 1 ? 'i' : 'e',
           out_style(STYLE_NONE));
    if (cr_hypotheses_steps(h) > 1)
        show_steps(h);
    show_hypotheses(h);
    putchar('\n');
    show_choices(h);
    if (cr_hypotheses_classes(h) > 0) {
        putchar('\n');
        show_votes(h);
        putchar('\n');
        show_verdict(h);
    }
}

/* --- for programs -------------------------------------------------------------------------- */

static void write_json(const cr_hypotheses *h)
{
    cr_output *out = output_to(stdout);

    if (cr_hypotheses_json(h, out) == CR_ENOMEM)
        reserve_failed();
    output_end(out);
}

static void write_csv(const cr_hypotheses *h)
{
    static const char *const column[] = {"prior",     "log_likelihood", "log_relative",
                                         "posterior", "prior_bits",     "data_bits"};
    table *t = table_new();
    cr_hypothesis one;

    table_column(t, "hypothesis", TABLE_LEFT);
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        table_column(t, column[i], TABLE_RIGHT);
    for (size_t i = 0; i < cr_hypotheses_count(h); i++) {
        cr_hypotheses_get(h, i, &one);
        table_text(t, one.name);
        table_number(t, number_plain, one.prior);
        table_number(t, number_plain, one.log_likelihood);
        table_number(t, number_plain, one.log_relative);
        table_number(t, number_plain, one.posterior);
        table_number(t, number_plain, one.prior_bits);
        table_number(t, number_plain, one.data_bits);
    }
    table_csv(t);
    table_free(t);
}

/* --- the verb ------------------------------------------------------------------------------ */

/* The library does not know what "-" means here. */
static void translate(cr_error *err)
{
    if (strcmp(err->file, "-") == 0)
        snprintf(err->file, sizeof err->file, "standard input");
}

static int run(request *r)
{
    const char *path = r->operand_count > 0 ? r->operands[0] : "-";
    const cr_hypotheses_options options = {
        .flags = (option_given(r, "normalise") ? CR_HYPOTHESES_NORMALISE : 0) |
                 (option_given(r, "uniform") ? CR_HYPOTHESES_UNIFORM : 0),
        .evidence = option_text(r, "evidence"),
        .classes = option_text(r, "classes")};
    cr_hypotheses *h = NULL;
    cr_error err = {0};
    cr_status st;

    if (r->operand_count == 0 && isatty(STDIN_FILENO))
        return misuse("name a file, or pipe the table in", "hypotheses has no TABLE to read");
    if ((st = cr_hypotheses_read(&h, path, &options, &err)) != CR_OK) {
        translate(&err);
        if (r->operand_count == 0 && cr_error_about(&err, CR_HINT_EMPTY))
            snprintf(err.hint, sizeof err.hint, "name a file, or pipe the table in");
        return complain(st, &err);
    }
    if (r->json)
        write_json(h);
    else if (r->csv)
        write_csv(h);
    else
        show(h);
    cr_hypotheses_free(h);
    return EXIT_DONE;
}

static const char *const about[] = {
    "Reads a table with a row for each hypothesis, in the columns hypothesis, prior, P(h), and "
    "likelihood, P(data | h), or log_likelihood, its natural log. Shown are the relative "
    "posteriors P(D|h) P(h), the true ones, the hypotheses of largest likelihood (ML) and largest "
    "posterior (MAP), and the bits it takes to write down each hypothesis and the data given it "
    "(minimum description length).",
    "Further columns are classes of a new instance: one for each class with P(class | h), or a "
    "single column vote with the class that the hypothesis answers. All hypotheses together give "
    "the Bayes optimal class, which need not be the one that the best hypothesis names. The Gibbs "
    "classifier draws one hypothesis by its posterior and errs at most twice as often.",
    "--evidence names columns of likelihoods, one for each thing that can be observed, and takes "
    "them in one after another; a column can be named again when it is observed again. Columns "
    "whose names begin with log_ hold natural logs. A column posterior, in place of prior and "
    "likelihood, is taken as it is. Numbers can be fractions: 1/3.",
    "TABLE is read from standard input when it is not named. --json gives one object: "
    "hypotheses[] (name, prior, log_likelihood, log_relative, posterior, prior_bits, data_bits), "
    "log_evidence, steps[], ml[], map[], classes[] (name, predictive), optimal_class, "
    "optimal_ties, "
    "optimal_error, map_class, map_error, gibbs_error. --csv gives the hypotheses.",
    NULL,
};

static const option own[] = {
    {"evidence", 'e', OPTION_TEXT, "COLUMN,COLUMN",
     "Observe these columns in turn. Default: likelihood or log_likelihood."},
    {"classes", 'c', OPTION_TEXT, "COLUMN,COLUMN",
     "Columns with P(class | h). Default: vote, or all columns that mean nothing else; with "
     "--evidence none."},
    {"uniform", 'u', OPTION_FLAG, NULL, "All hypotheses are equally probable at first."},
    {"normalise", 0, OPTION_FLAG, NULL,
     "Take priors, and the classes of a hypothesis, as weights that need not add up to 1."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence hypotheses table.csv", "Posteriors, ML, MAP, description lengths, votes."},
    {"credence hypotheses coins.csv --evidence heads,heads,tails",
     "Which coin is it? Three flips, one after another."},
    {"printf 'hypothesis,prior,likelihood\\nGood,.8,.3\\nBad,.2,.4\\n' | credence hypotheses",
     "Bayes' rule on two lines."},
    {0},
};

const verb verb_hypotheses = {
    .name = "hypotheses",
    .operands = "[TABLE]",
    .most = 1,
    .summary = "weigh hypotheses by Bayes' rule and let them vote",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "estimate explain",
    .run = run,
};
