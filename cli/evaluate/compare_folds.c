/* cli/evaluate/compare_folds.c - learners compared on unseen rows: folds, curves, many
 * sets. */
#include "evaluate/compare_folds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/curve.h"
#include "options/decide.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/sheet.h"
#include "out/table.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"

enum { AGAINST_WIDTH = 14 };

static char *number_p(char *buffer, double p)
{
    return cr_show_number(buffer, CR_SHOW_P, p);
}

/* --- on the same folds ----------------------------------------------------------------------- */

/* Cross-validate all on the same folds; free the specs either way. */
static int hold(cr_comparison **out, cr_spec **specs, size_t *count, const request *r,
                cr_source **source, cr_run *run)
{
    cr_compare_options o = {.by = option_text(r, "by"), .skip = 1};
    cr_rule_options rule;
    cr_study *study = NULL;
    cr_error err = {0};
    cr_status status;
    cr_deal deal;
    progress watch;
    bool any;
    int code;

    read_candidates(specs, count, r);
    if ((code = read_deal(&deal, r)) != EXIT_DONE ||
        (code = read_rule_options(&rule, &any, r)) != EXIT_DONE)
        return code;
    o.rule = any ? &rule : NULL;
    progress_begin(&watch, "comparing", run);
    if (deal.folds == CR_LEAVE_ONE_OUT)
        progress_advise(&watch, "--folds 10 makes ten", run);
    status = cr_study_new(&study, *source, &deal, run, &err);
    if (status == CR_OK)
        status = cr_compare_learners(out, study, *specs, *count, &o, &err);
    progress_end(&watch);
    cr_study_free(study);
    if (status == CR_EFORMAT && r->operand_count > 1 && err.hint[0] == '\0')
        snprintf(err.hint, sizeof err.hint, "--each takes every file as a data set of its own");
    return status == CR_OK ? EXIT_DONE : fail_data(r, source, status, &err);
}

void tell_unable(const char *name, const char *why)
{
    out_line("%s cannot: %s", name, why);
}

static void print(const request *r, const cr_comparison *c)
{
    cr_comparison_facts f;
    cr_sheet *each = NULL, *pairs = NULL;
    cr_entrant e = {0};
    char from[256], *against;
    table *t;

    cr_comparison_get_facts(c, &f);
    cr_comparison_get(c, f.best, &e);
    if (asprintf(&against, "against %s", e.name != NULL ? e.name : "*") < 0)
        reserve_failed();
    if (cr_comparison_sheet(&each, c, NULL) != CR_OK ||
        cr_comparison_pairs(&pairs, c, NULL) != CR_OK)
        reserve_failed();
    out_line("%s: %zu rows, %zu folds%s\n", data_name(r, 0, from, sizeof from), f.rows, f.folds,
             f.repeats > 1 ? ", repeated" : "");
    sheet_print(each, SIZE_MAX, 0, true);
    if (cr_sheet_rows(pairs) > 0) {
        putchar('\n');
        t = sheet_table(pairs, SIZE_MAX,
                        text_width(against) <= AGAINST_WIDTH ? against : "against *");
        table_print(t, 0, true);
        table_free(t);
    }
    for (size_t i = 0; cr_comparison_get(c, i, &e) == CR_OK; i++)
        if (e.status != CR_OK)
            tell_unable(e.name, e.why);
    cr_sheet_free(pairs);
    free(against);
}

static void report(const request *r, const cr_comparison *c)
{
    cr_comparison_facts f;
    cr_sheet *s = NULL;
    cr_output *out;

    cr_comparison_get_facts(c, &f);
    if (r->json) {
        out = output_to(stdout);
        cr_comparison_json(c, out);
        output_end(out);
    } else if (r->csv) {
        const cr_status status = cr_comparison_sheet(&s, c, NULL);

        sheet_csv(sheet_made(status, s));
    } else {
        print(r, c);
    }
    if (f.unlabelled != 0)
        note("%llu row%s without %s left out", (unsigned long long)f.unlabelled,
             plural(f.unlabelled), f.numbers ? "the target" : "a class");
}

int compare_folds(request *r)
{
    cr_source *source = NULL;
    cr_comparison *c = NULL;
    cr_spec *specs = NULL;
    size_t count = 0;
    int code;

    if ((code = open_data(&source, r, 0, NULL)) == EXIT_DONE &&
        (code = hold(&c, &specs, &count, r, &source, &r->run)) == EXIT_DONE)
        report(r, c);
    cr_comparison_free(c);
    free_candidates(specs, count);
    close_data(&source);
    return code;
}

/* --- growing sizes ------------------------------------------------------------------------- */

/* Each against the first at each size. */
static cr_paired pair_at(const curves *c, size_t i, size_t point)
{
    const cr_learning_curve *a = c->curve[i], *b = c->curve[0];
    const double share = (double)a->point[point].size / (double)a->point[a->points - 1].size;
    const double *of_a = a->numbers ? a->rmse : a->accuracy;
    const double *of_b = b->numbers ? b->rmse : b->accuracy;
    cr_paired p;

    cr_compare_paired(of_a + point * a->repeats, of_b + point * b->repeats, a->repeats,
                      (double)a->tested / (double)a->point[a->points - 1].size * share, CR_ROPE,
                      &p);
    return p;
}

static table *curve_heads(int numbers)
{
    static const char *const heads[][2] = {{"size", "size"},
                                           {"learner", "learner"},
                                           {"parameters", "parameters"},
                                           {"accuracy", "RMSE"},
                                           {"low", "low"},
                                           {"high", "high"},
                                           {"log loss", "log density"},
                                           {"p(t) against the first", "p(t) against the first"}};
    table *t = table_new();

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_column(t, heads[i][numbers != 0], i == 1 ? TABLE_LEFT : TABLE_RIGHT);
    return t;
}

static void add_point(table *t, const cr_learning_point *at, int numbers)
{
    char *(*picture)(char *, double) = numbers ? number_plain : number_percent;
    const cr_spread *main = numbers ? &at->rmse : &at->accuracy;

    table_number(t, number_plain, at->parameters);
    table_number(t, picture, main->mean);
    table_number(t, picture, fmax(main->low, 0));
    table_number(t, picture, numbers ? main->high : fmin(main->high, 1));
    table_number(t, number_plain, numbers ? at->log_density.mean : at->log_loss.mean);
}

int compare_curves(request *r)
{
    cr_source *source = NULL;
    curves c = {0};
    char p[NUMBER_ROOM];
    table *t;
    cr_json j;
    int code;

    if ((code = check_plot(r, 0)) != EXIT_DONE ||
        (code = open_data(&source, r, 0, NULL)) != EXIT_DONE ||
        (code = draw_curves(&c, r, &source, &r->run)) != EXIT_DONE)
        goto done;
    if (r->json) {
        json_start(&j, stdout);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        cr_json_number(&j, "repeats", (double)c.curve[0]->repeats);
        cr_json_number(&j, "tested", (double)c.curve[0]->tested);
        cr_json_array(&j, "points", CR_JSON_BLOCK);
    }
    t = curve_heads(c.curve[0]->numbers);
    for (size_t k = 0; k < c.curve[0]->points; k++)
        for (size_t i = 0; i < c.count; i++) {
            const cr_learning_point *at = &c.curve[i]->point[k];
            const cr_paired pair = pair_at(&c, i, k);

            table_number(t, number_plain, (double)at->size);
            table_text(t, c.specs[i].name);
            add_point(t, at, c.curve[0]->numbers);
            table_text(t, i == 0 ? "" : number_p(p, pair.p));
            if (r->json) {
                cr_json_object(&j, NULL, CR_JSON_LINE);
                cr_learning_point_json(&j, c.specs[i].name, at, c.curve[0]->numbers);
                cr_json_number(&j, "p", i == 0 ? NAN : pair.p);
                json_end(&j);
            }
        }
    if (r->json) {
        json_end(&j);
        json_end(&j);
    } else if (r->csv) {
        table_csv(t);
    } else {
        table_print(t, 0, true);
    }
    table_free(t);
    code = plot_learning(r, &c);
done:
    free_curves(&c);
    close_data(&source);
    return code;
}

/* --- many data sets ------------------------------------------------------------------------ */

/* The learners on all sets: accuracy, or R² for numbers. */
typedef struct league {
    cr_spec *specs;
    size_t count;
    int numbers;
    double *score;   /* [sets * count] NaN: the learner cannot handle the set */
    cr_ranking rank; /* of those that can handle all; NaN for the others */
    size_t ranked;
} league;

/* The mean over all sets; NaN if the learner cannot handle one of them. */
static double mean_score(const league *l, size_t sets, size_t learner)
{
    double sum = 0;

    for (size_t s = 0; s < sets; s++)
        sum += l->score[s * l->count + learner];
    return sum / (double)sets;
}

/* A rank needs a score on every set, so only learners that have one are ranked. */
static cr_status rank_all(league *l, size_t sets, cr_error *err)
{
    double *score = reserve(sets * l->count + 1, sizeof *score);
    double *rank = reserve(l->count + 1, sizeof *rank);
    size_t at = 0;
    cr_status status = CR_OK;

    for (size_t i = 0; i < l->count; i++)
        l->ranked += !isnan(mean_score(l, sets, i));
    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < l->count; i++)
            if (!isnan(mean_score(l, sets, i)))
                score[at++] = l->score[s * l->count + i];
    l->rank = (cr_ranking){NAN, NAN, NAN, NAN, NAN, rank};
    if (l->ranked > 1)
        status = cr_compare_ranks(score, sets, l->ranked, &l->rank, err);
    at = l->ranked;
    for (size_t i = l->count; i-- > 0;) /* from indices among the ranked to indices among all */
        rank[i] = l->ranked < 2 || isnan(mean_score(l, sets, i)) ? NAN : rank[--at];
    free(score);
    return status;
}

static table *sets_table(const request *r, const league *l)
{
    char *(*picture)(char *, double) = l->numbers ? number_plain : number_percent;
    table *t = table_new();

    table_column(t, "data", TABLE_LEFT);
    for (size_t i = 0; i < l->count; i++)
        table_column(t, l->specs[i].name, TABLE_RIGHT);
    for (size_t s = 0; s < r->operand_count; s++) {
        table_text(t, r->operands[s]);
        for (size_t i = 0; i < l->count; i++)
            table_number(t, picture, l->score[s * l->count + i]);
    }
    table_text(t, "mean");
    for (size_t i = 0; i < l->count; i++)
        table_number(t, picture, mean_score(l, r->operand_count, i));
    table_text(t, "mean rank");
    for (size_t i = 0; i < l->count; i++)
        table_number(t, number_plain, l->rank.rank[i]);
    return t;
}

/* The first learner that was ranked against the others. */
static void report_pairs(const request *r, const league *l)
{
    double *difference = reserve(r->operand_count, sizeof *difference), worse, same, better;
    char number[NUMBER_ROOM], other[NUMBER_ROOM], third[NUMBER_ROOM];
    size_t first = 0;

    while (first < l->count && isnan(l->rank.rank[first]))
        first++;
    for (size_t i = first + 1; i < l->count; i++) {
        if (isnan(l->rank.rank[i]))
            continue;
        for (size_t s = 0; s < r->operand_count; s++)
            difference[s] = l->score[s * l->count + i] - l->score[s * l->count + first];
        if (cr_compare_signed_rank(difference, r->operand_count, CR_ROPE, r->run.seed, &worse,
                                   &same, &better, NULL) == CR_OK)
            out_line("%s against %s: worse %s, as good %s, better %s (Bayesian signed rank)",
                     l->specs[i].name, l->specs[first].name, number_probability(number, worse),
                     number_probability(other, same), number_probability(third, better));
    }
    free(difference);
}

static void report_sets(const request *r, const league *l)
{
    table *t = sets_table(r, l);
    char number[NUMBER_ROOM], other[NUMBER_ROOM], third[NUMBER_ROOM];

    if (r->csv) {
        table_csv(t);
    } else {
        table_print(t, 0, true);
        if (l->ranked > 1) {
            out_line("\nFriedman: chi-square %s, p %s; Iman and Davenport: p %s",
                     number_plain(number, l->rank.chi_square), number_p(other, l->rank.p),
                     number_p(third, l->rank.p_f));
            out_line("Mean ranks farther apart than %s differ (Nemenyi, 5 %%)",
                     number_plain(number, l->rank.critical));
            report_pairs(r, l);
        }
    }
    table_free(t);
}

static void sets_json(const request *r, const league *l)
{
    cr_json j;

    json_start(&j, stdout);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_number(&j, "chi_square", l->rank.chi_square);
    cr_json_number(&j, "p", l->rank.p);
    cr_json_number(&j, "f", l->rank.f);
    cr_json_number(&j, "p_f", l->rank.p_f);
    cr_json_number(&j, "critical_difference", l->rank.critical);
    cr_json_array(&j, "models", CR_JSON_BLOCK);
    for (size_t i = 0; i < l->count; i++) {
        cr_json_object(&j, NULL, CR_JSON_LINE);
        cr_json_text(&j, "name", l->specs[i].name);
        cr_json_number(&j, "rank", l->rank.rank[i]);
        cr_json_number(&j, "mean", mean_score(l, r->operand_count, i));
        cr_json_array(&j, l->numbers ? "r2" : "accuracy", CR_JSON_LINE);
        for (size_t s = 0; s < r->operand_count; s++)
            cr_json_number(&j, NULL, l->score[s * l->count + i]);
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

/* The score of each learner on a set, or why it has none. */
static void take_scores(league *l, const cr_comparison *c, size_t set, const char *name)
{
    cr_comparison_facts f;
    cr_entrant e;

    cr_comparison_get_facts(c, &f);
    l->numbers = f.numbers;
    for (size_t i = 0; cr_comparison_get(c, i, &e) == CR_OK; i++) {
        cr_metrics m = {0};
        cr_regression_metrics n = {0};
        cr_evaluation *all = NULL;

        l->score[set * l->count + i] = NAN;
        if (e.status != CR_OK) {
            note("%s cannot do %s: %s", e.name, name, e.why);
            continue;
        }
        if (f.numbers)
            cr_cv_regression(e.cv, SIZE_MAX, 0, &n, NULL);
        else if (cr_cv_evaluate(e.cv, SIZE_MAX, NULL, &all, NULL) == CR_OK)
            cr_evaluation_metrics(all, &m);
        cr_evaluation_free(all);
        l->score[set * l->count + i] = f.numbers ? n.r2 : m.accuracy;
    }
}

static int play(league *l, request *r, size_t set)
{
    cr_source *source = NULL;
    cr_comparison *c = NULL;
    request one = *r;
    int code;

    one.operands = r->operands + set;
    one.operand_count = 1;
    free_candidates(l->specs, l->count);
    l->specs = NULL;
    l->count = 0;
    if ((code = open_data(&source, &one, 0, NULL)) == EXIT_DONE &&
        (code = hold(&c, &l->specs, &l->count, &one, &source, &r->run)) == EXIT_DONE) {
        if (l->score == NULL)
            l->score = reserve(r->operand_count * l->count, sizeof *l->score);
        take_scores(l, c, set, r->operands[set]);
    }
    cr_comparison_free(c);
    close_data(&source);
    return code;
}

int compare_sets(request *r)
{
    league l = {0};
    cr_error err = {0};
    int code = EXIT_DONE;

    for (size_t s = 0; code == EXIT_DONE && s < r->operand_count; s++)
        code = play(&l, r, s);
    if (code == EXIT_DONE) {
        if (rank_all(&l, r->operand_count, &err) != CR_OK)
            code = misuse(NULL, "%s", err.message);
        else if (r->json)
            sets_json(r, &l);
        else
            report_sets(r, &l);
    }
    free_candidates(l.specs, l.count);
    free(l.score);
    free(l.rank.rank);
    return code;
}
