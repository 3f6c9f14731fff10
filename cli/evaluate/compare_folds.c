/* cli/evaluate/compare_folds.c - learners compared on rows they have not seen: folds, curves, many
 * sets. */
#include "evaluate/compare_folds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/curve.h"
#include "evaluate/numbers.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/table.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"

enum { AGAINST_WIDTH = 14 };

static void free_match(match *m)
{
    for (size_t i = 0; m->all != NULL && i < m->count; i++) {
        cr_cv_free(m->all[i].cv);
        free(m->all[i].main);
        free(m->all[i].log);
    }
    free(m->all);
    free_candidates(m->specs, m->count);
}

/* --- figures ------------------------------------------------------------------------------ */

/* Whichever of both there is. The area may be NULL. */
static cr_status metrics_of(const contestant *c, size_t fold, cr_metrics *out, cr_area *area,
                            cr_regression_metrics *numbers, cr_error *err)
{
    cr_evaluation *e;
    cr_status status;

    *out = (cr_metrics){0};
    if (c->facts.numbers)
        return cr_cv_regression(c->cv, fold, 0, numbers, err);
    if ((status = cr_cv_evaluate(c->cv, fold, NULL, &e, err)) == CR_OK) {
        cr_evaluation_metrics(e, out);
        if (area != NULL)
            status = cr_evaluation_area(e, SIZE_MAX, area, err);
        cr_evaluation_free(e);
    }
    return status;
}

static cr_status take_figures(contestant *c, match *m, cr_error *err)
{
    cr_model_facts facts;
    cr_status status;

    cr_cv_get_facts(c->cv, &c->facts);
    status = metrics_of(c, SIZE_MAX, &c->all, &c->area, &c->numbers, err);
    m->folds = c->facts.folds == c->facts.rows ? 0 : c->facts.folds * c->facts.repeats;
    m->ratio = 1 / ((double)c->facts.folds - 1);
    c->main = reserve(m->folds + 1, sizeof *c->main);
    c->log = reserve(m->folds + 1, sizeof *c->log);
    for (size_t i = 0; status == CR_OK && i < m->folds; i++) {
        cr_regression_metrics numbers = {0};
        cr_metrics one;

        status = metrics_of(c, i, &one, NULL, &numbers, err);
        c->main[i] = c->facts.numbers ? numbers.rmse : one.accuracy;
        c->log[i] = c->facts.numbers ? numbers.log_density : one.log_loss;
    }
    cr_corrected_spread(c->main, m->folds, m->ratio, &c->main_spread);
    cr_corrected_spread(c->log, m->folds, m->ratio, &c->log_spread);
    spread_within(&c->main_spread, 0, c->facts.numbers ? INFINITY : 1);
    spread_within(&c->log_spread, c->facts.numbers ? -INFINITY : 0, INFINITY);
    cr_model_get_facts(cr_cv_model(c->cv), &facts);
    c->parameters = facts.parameters;
    c->size = cr_model_size(cr_cv_model(c->cv));
    c->seconds = c->facts.seconds;
    return status;
}

/* Less is better, of classes and of numbers. */
static double log_loss_of(const contestant *c)
{
    return c->facts.numbers ? -c->numbers.log_density : c->all.log_loss;
}

/* Cross-validate all on the same folds. */
static int hold(match *m, const request *r, cr_source **source, cr_run *run)
{
    cr_study *study = NULL;
    cr_error err = {0};
    cr_status status;
    cr_deal deal;
    progress watch;
    int code;

    if ((code = read_deal(&deal, r)) != EXIT_DONE)
        return code;
    read_candidates(&m->specs, &m->count, r);
    m->all = reserve(m->count, sizeof *m->all);
    progress_begin(&watch, "comparing", run);
    if (deal.folds == CR_LEAVE_ONE_OUT)
        progress_advise(&watch, "--folds 10 makes ten", run);
    status = cr_study_new(&study, *source, &deal, run, &err);
    for (size_t i = 0; status == CR_OK && i < m->count; i++) {
        const cr_spec *s = &m->specs[i];

        if ((status = cr_cv_run(&m->all[i].cv, study, s->learner, (const char *const *)s->params,
                                s->param_count, &err)) == CR_OK)
            status = take_figures(&m->all[i], m, &err);
        else if (err.file[0] == '\0')
            snprintf(err.file, sizeof err.file, "%s", s->name);
        if (status == CR_OK && code == EXIT_DONE)
            code = check_alike(m->specs, i, m->all[0].facts.numbers, m->all[i].facts.numbers);
        if (status == CR_OK && log_loss_of(&m->all[i]) < log_loss_of(&m->all[m->best]))
            m->best = i;
    }
    progress_end(&watch);
    cr_study_free(study);
    if (status == CR_EFORMAT && r->operand_count > 1 && err.hint[0] == '\0')
        snprintf(err.hint, sizeof err.hint, "--each takes every file as a data set of its own");
    return status == CR_OK ? code : fail_data(r, source, status, &err);
}

verdict_pair pair_up(const match *m, size_t i)
{
    const contestant *a = &m->all[i], *b = &m->all[m->best];
    const double rope = b->facts.numbers ? ROPE * b->numbers.rmse : ROPE;
    verdict_pair v;

    cr_compare_paired(a->main, b->main, m->folds, m->ratio, rope, &v.main);
    cr_compare_paired(a->log, b->log, m->folds, m->ratio, ROPE, &v.log);
    if (cr_compare_rows(a->cv, b->cv, &v.only, &v.only_best, &v.p, NULL) != CR_OK)
        v.only = v.only_best = v.p = NAN;
    return v;
}

/* --- the table ---------------------------------------------------------------------------- */

char *number_p(char *buffer, double p)
{
    buffer[0] = '\0';
    if (p < 0.0001)
        snprintf(buffer, NUMBER_ROOM, "<0.0001");
    else if (!isnan(p))
        snprintf(buffer, NUMBER_ROOM, "%.4f", p);
    return buffer;
}

static table *match_table(const char *first, const char *second, const char *names)
{
    table *t = table_new();
    char *copy = reserve_text(names);

    if (*first == '\0')
        table_column(t, first, TABLE_LEFT);
    table_column(t, second, TABLE_WHOLE);
    for (char *name = strtok(copy, "|"); name != NULL; name = strtok(NULL, "|"))
        table_column(t, name, TABLE_RIGHT);
    free(copy);
    return t;
}

void match_print(const request *r, const match *m, const match_view *view)
{
    char from[256], *against;
    table *each, *pair;

    if (asprintf(&against, "against %s", m->specs[m->best].name) < 0)
        reserve_failed();
    each = match_table("", "model", view->each);
    pair =
        match_table("-", text_width(against) <= AGAINST_WIDTH ? against : "against *", view->pair);
    out_line("%s: %zu rows, %zu folds%s\n", data_name(r, 0, from, sizeof from),
             m->all[0].facts.rows, m->all[0].facts.folds,
             m->all[0].facts.repeats > 1 ? ", repeated" : "");
    for (size_t i = 0; i < m->count; i++) {
        table_text(each, i == m->best ? "*" : "");
        table_text(each, m->specs[i].name);
        view->add_each(each, m, i);
        if (i != m->best) {
            table_text(pair, m->specs[i].name);
            view->add_pair(pair, m, i);
        }
    }
    table_print(each, 0, true);
    if (m->count > 1) {
        putchar('\n');
        table_print(pair, 0, true);
    }
    table_free(each);
    table_free(pair);
    free(against);
}

static void add_each(table *t, const match *m, size_t i)
{
    const contestant *c = &m->all[i];
    char text[NUMBER_ROOM];

    table_number(t, number_percent, c->all.accuracy);
    table_number(t, number_percent, c->main_spread.low);
    table_number(t, number_percent, c->main_spread.high);
    table_number(t, number_plain, c->all.log_loss);
    table_number(t, number_plain, c->parameters);
    table_text(t, number_bytes(text, (uint64_t)c->size));
    table_text(t, number_seconds(text, c->seconds));
}

static void add_pair(table *t, const match *m, size_t i)
{
    const verdict_pair v = pair_up(m, i);

    table_number(t, number_percent, v.main.difference.mean);
    table_number(t, number_p, v.main.p);
    table_number(t, number_p, v.p);
    table_number(t, number_probability, v.main.worse);
    table_number(t, number_probability, v.main.same);
    table_number(t, number_probability, v.main.better);
    table_number(t, number_plain, v.log.difference.mean);
    table_number(t, number_p, v.log.p);
}

static const match_view view = {"accuracy|low|high|log loss|parameters|size|time",
                                "accuracy|p(t)|McNemar|worse|same|better|log loss|p(t)", add_each,
                                add_pair};

/* --- for programs ------------------------------------------------------------------------- */

/* A larger error is worse: what cr_paired calls better is more. */
cr_paired pair_of_errors(const cr_paired *p)
{
    cr_paired error = *p;

    error.worse = p->better;
    error.better = p->worse;
    return error;
}

void paired_json(json *j, const char *key, const cr_paired *p)
{
    json_object(j, key, JSON_LINE);
    json_number(j, "difference", p->difference.mean);
    json_number(j, "low", p->difference.low);
    json_number(j, "high", p->difference.high);
    json_number(j, "t", p->t);
    json_number(j, "p", p->p);
    json_number(j, "worse", p->worse);
    json_number(j, "same", p->same);
    json_number(j, "better", p->better);
    json_end(j);
}

static void facts_json(json *j, const match *m)
{
    json_number(j, "rows", (double)m->all[0].facts.rows);
    json_number(j, "unlabelled", (double)m->all[0].facts.unlabelled);
    json_text(j, "criterion", "cv");
    json_text(j, "best", m->specs[m->best].name);
    json_number(j, "folds", (double)m->all[0].facts.folds);
    json_number(j, "repeats", (double)m->all[0].facts.repeats);
    json_number(j, "rope", ROPE);
}

void match_json(const match *m, void (*one)(json *j, const match *m, size_t i))
{
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    facts_json(&j, m);
    json_array(&j, "models", JSON_BLOCK);
    for (size_t i = 0; i < m->count; i++)
        one(&j, m, i);
    json_end(&j);
    json_end(&j);
}

/* What programs are told of each learner of classes. */
static const figure figures[] = {
    {.key = "accuracy", .at = offsetof(contestant, all.accuracy)},
    {.key = "accuracy_low", .at = offsetof(contestant, main_spread.low)},
    {.key = "accuracy_high", .at = offsetof(contestant, main_spread.high)},
    {.key = "log_loss", .at = offsetof(contestant, all.log_loss)},
    {.key = "log_loss_low", .at = offsetof(contestant, log_spread.low)},
    {.key = "log_loss_high", .at = offsetof(contestant, log_spread.high)},
    {.key = "balanced_accuracy", .at = offsetof(contestant, all.balanced_accuracy)},
    {.key = "brier", .at = offsetof(contestant, all.brier)},
    {.key = "ece", .at = offsetof(contestant, all.ece)},
    {.key = "mce", .at = offsetof(contestant, all.mce)},
    {.key = "macro_f1", .at = offsetof(contestant, all.macro_f1)},
    {.key = "micro_f1", .at = offsetof(contestant, all.micro_f1)},
    {.key = "weighted_f1", .at = offsetof(contestant, all.weighted_f1)},
    {.key = "mcc", .at = offsetof(contestant, all.mcc)},
    {.key = "kappa", .at = offsetof(contestant, all.kappa)},
    {.key = "roc_area", .at = offsetof(contestant, area.roc)},
    {.key = "pr_area", .at = offsetof(contestant, area.pr)},
    {.key = "parameters", .at = offsetof(contestant, parameters)},
    {.key = "bytes", .at = offsetof(contestant, size)},
    {.key = "seconds", .at = offsetof(contestant, seconds)},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static void contestant_json(json *j, const match *m, size_t i)
{
    const contestant *c = &m->all[i];
    const verdict_pair v = pair_up(m, i);
    const cr_paired log_loss = pair_of_errors(&v.log);

    json_object(j, NULL, JSON_BLOCK);
    json_text(j, "name", m->specs[i].name);
    json_bool(j, "best", i == m->best);
    for (size_t f = 0; f < FIGURES; f++)
        json_number(j, figures[f].key, figure_of(c, &figures[f]));
    paired_json(j, "accuracy_against_best", &v.main);
    paired_json(j, "log_loss_against_best", &log_loss);
    json_number(j, "only_right", v.only);
    json_number(j, "only_best_right", v.only_best);
    json_number(j, "mcnemar_p", v.p);
    json_end(j);
}

static void report_csv(const match *m)
{
    table *t = table_new();

    table_column(t, "model", TABLE_LEFT);
    for (size_t f = 0; f < FIGURES; f++)
        table_column(t, figures[f].key, TABLE_RIGHT);
    table_column(t, "p", TABLE_RIGHT);
    table_column(t, "mcnemar_p", TABLE_RIGHT);
    for (size_t i = 0; i < m->count; i++) {
        const verdict_pair v = pair_up(m, i);

        table_text(t, m->specs[i].name);
        for (size_t f = 0; f < FIGURES; f++)
            table_number(t, number_plain, figure_of(&m->all[i], &figures[f]));
        table_number(t, number_plain, v.main.p);
        table_number(t, number_plain, v.p);
    }
    table_csv(t);
    table_free(t);
}

int compare_folds(request *r)
{
    cr_source *source = NULL;
    match m = {0};
    int code;

    if ((code = open_data(&source, r, 0, NULL)) == EXIT_DONE &&
        (code = hold(&m, r, &source, &r->run)) == EXIT_DONE) {
        if (m.all[0].facts.numbers)
            compare_numbers(r, &m);
        else if (r->json)
            match_json(&m, contestant_json);
        else if (r->csv)
            report_csv(&m);
        else
            match_print(r, &m, &view);
    }
    free_match(&m);
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
                      (double)a->tested / (double)a->point[a->points - 1].size * share, ROPE, &p);
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

    table_number(t, number_plain, at->parameters);
    table_spread(t, picture, numbers ? &at->rmse : &at->accuracy, 0, numbers ? INFINITY : 1);
    table_number(t, number_plain, numbers ? at->log_density.mean : at->log_loss.mean);
}

int compare_curves(request *r)
{
    cr_source *source = NULL;
    curves c = {0};
    char p[NUMBER_ROOM];
    table *t;
    json j;
    int code;

    if ((code = check_plot(r, 0)) != EXIT_DONE ||
        (code = open_data(&source, r, 0, NULL)) != EXIT_DONE ||
        (code = draw_curves(&c, r, &source, &r->run)) != EXIT_DONE)
        goto done;
    if (r->json) {
        json_start(&j, stdout);
        json_object(&j, NULL, JSON_BLOCK);
        json_number(&j, "repeats", (double)c.curve[0]->repeats);
        json_number(&j, "tested", (double)c.curve[0]->tested);
        json_array(&j, "points", JSON_BLOCK);
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
                json_object(&j, NULL, JSON_LINE);
                curve_point_json(&j, c.specs[i].name, at);
                json_number(&j, "p", i == 0 ? NAN : pair.p);
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

static void report_sets(const request *r, const match *last, const double *score,
                        const cr_ranking *rank)
{
    table *t = table_new();
    char number[NUMBER_ROOM], other[NUMBER_ROOM], third[NUMBER_ROOM];
    double *difference = reserve(r->operand_count, sizeof *difference), worse, same, better;

    table_column(t, "data", TABLE_LEFT);
    for (size_t i = 0; i < last->count; i++)
        table_column(t, last->specs[i].name, TABLE_RIGHT);
    for (size_t s = 0; s < r->operand_count; s++) {
        table_text(t, r->operands[s]);
        for (size_t i = 0; i < last->count; i++)
            table_number(t, last->all[0].facts.numbers ? number_plain : number_percent,
                         score[s * last->count + i]);
    }
    table_text(t, "mean rank");
    for (size_t i = 0; i < last->count; i++)
        table_number(t, number_plain, rank->rank[i]);
    if (r->csv) {
        table_csv(t);
    } else {
        table_print(t, 0, true);
        out_line("\nFriedman: chi-square %s, p %s; Iman and Davenport: p %s",
                 number_plain(number, rank->chi_square), number_p(other, rank->p),
                 number_p(third, rank->p_f));
        out_line("Mean ranks farther apart than %s differ (Nemenyi, 5 %%)",
                 number_plain(number, rank->critical));
        for (size_t i = 1; i < last->count; i++) {
            for (size_t s = 0; s < r->operand_count; s++)
                difference[s] = score[s * last->count + i] - score[s * last->count];
            if (cr_compare_signed_rank(difference, r->operand_count, ROPE, r->run.seed, &worse,
                                       &same, &better, NULL) == CR_OK)
                out_line("%s against %s: worse %s, as good %s, better %s (Bayesian signed rank)",
                         last->specs[i].name, last->specs[0].name,
                         number_probability(number, worse), number_probability(other, same),
                         number_probability(third, better));
        }
    }
    table_free(t);
    free(difference);
}

static void sets_json(const request *r, const match *last, const double *score,
                      const cr_ranking *rank)
{
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_number(&j, "chi_square", rank->chi_square);
    json_number(&j, "p", rank->p);
    json_number(&j, "f", rank->f);
    json_number(&j, "p_f", rank->p_f);
    json_number(&j, "critical_difference", rank->critical);
    json_array(&j, "models", JSON_BLOCK);
    for (size_t i = 0; i < last->count; i++) {
        json_object(&j, NULL, JSON_LINE);
        json_text(&j, "name", last->specs[i].name);
        json_number(&j, "rank", rank->rank[i]);
        json_array(&j, last->all[0].facts.numbers ? "r2" : "accuracy", JSON_LINE);
        for (size_t s = 0; s < r->operand_count; s++)
            json_number(&j, NULL, score[s * last->count + i]);
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

int compare_sets(request *r)
{
    double *score = NULL, *ranks = NULL;
    match m = {0};
    cr_error err = {0};
    cr_ranking rank;
    int code = EXIT_DONE;

    for (size_t s = 0; code == EXIT_DONE && s < r->operand_count; s++) {
        cr_source *source = NULL;
        request one = *r;

        one.operands = r->operands + s;
        one.operand_count = 1;
        free_match(&m);
        m = (match){0};
        if ((code = open_data(&source, &one, 0, NULL)) == EXIT_DONE &&
            (code = hold(&m, &one, &source, &r->run)) == EXIT_DONE) {
            if (score == NULL)
                score = reserve(r->operand_count * m.count, sizeof *score);
            for (size_t i = 0; i < m.count; i++)
                score[s * m.count + i] =
                    m.all[i].facts.numbers ? m.all[i].numbers.r2 : m.all[i].all.accuracy;
        }
        close_data(&source);
    }
    if (code == EXIT_DONE) {
        ranks = reserve(m.count + 1, sizeof *ranks);
        rank = (cr_ranking){.rank = ranks};
        if (cr_compare_ranks(score, r->operand_count, m.count, &rank, &err) != CR_OK)
            code = misuse(NULL, "%s", err.message);
        else if (r->json)
            sets_json(r, &m, score, &rank);
        else
            report_sets(r, &m, score, &rank);
    }
    free_match(&m);
    free(score);
    free(ranks);
    return code;
}
