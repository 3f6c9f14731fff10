/* cli/evaluate/compare_folds.c - learners compared on unseen rows: folds, curves, many
 * sets. */
#include "evaluate/compare_folds.h"

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
static void report_curves(const request *r, const curves *c)
{
    const cr_learning_curve *const *curve = (const cr_learning_curve *const *)c->curve;
    const char **name = names_of(c);
    cr_sheet *s = NULL;
    cr_output *out;

    if (r->json) {
        out = output_to(stdout);
        cr_curve_pairs_json(curve, name, c->count, out);
        output_end(out);
    } else {
        const cr_status status = cr_curve_pairs_sheet(&s, curve, name, c->count, NULL);

        sheet_made(status, s);
        if (r->csv)
            sheet_csv(s);
        else
            sheet_print(s, SIZE_MAX, 0, true);
    }
    free(name);
}

int compare_curves(request *r)
{
    cr_source *source = NULL;
    curves c = {0};
    int code;

    if ((code = check_plot(r, 0)) == EXIT_DONE &&
        (code = open_data(&source, r, 0, NULL)) == EXIT_DONE &&
        (code = draw_curves(&c, r, &source, &r->run)) == EXIT_DONE) {
        report_curves(r, &c);
        code = plot_learning(r, &c);
    }
    free_curves(&c);
    close_data(&source);
    return code;
}

/* --- many data sets ------------------------------------------------------------------------ */

/* The tests of the ranks, a line each, after an empty one. */
static void print_tests(const cr_league *l, uint64_t seed)
{
    cr_output *out = output_kept();
    const char *text, *end, *before = "\n";
    size_t size;

    if (cr_league_text(l, seed, out, NULL) != CR_OK)
        reserve_failed();
    text = cr_output_data(out, &size);
    for (; size > 0 && (end = memchr(text, '\n', size)) != NULL; text = end + 1, before = "") {
        out_line("%s%.*s", before, (int)(end - text), text);
        size -= (size_t)(end + 1 - text);
    }
    cr_output_free(out);
}

static void report_sets(const request *r, const cr_league *l)
{
    cr_sheet *s = NULL;
    cr_output *out;

    if (r->json) {
        out = output_to(stdout);
        cr_league_json(l, out);
        output_end(out);
    } else {
        const cr_status status = cr_league_sheet(&s, l, NULL);

        sheet_made(status, s);
        if (r->csv) {
            sheet_csv(s);
        } else {
            sheet_print(s, SIZE_MAX, 0, true);
            print_tests(l, r->run.seed);
        }
    }
}

/* The scores on a set, and which learners have none. The first set begins the league. */
static cr_status take_scores(cr_league **l, const cr_comparison *c, const char *set, cr_error *err)
{
    cr_comparison_facts f;
    const char **name;
    cr_entrant e;
    cr_status status = CR_OK;

    cr_comparison_get_facts(c, &f);
    name = reserve(f.count, sizeof *name);
    for (size_t i = 0; cr_comparison_get(c, i, &e) == CR_OK; i++) {
        name[i] = e.name;
        if (e.status != CR_OK)
            note("%s cannot do %s: %s", e.name, set, e.why);
    }
    if (*l == NULL)
        status = cr_league_new(l, name, f.count, err);
    if (status == CR_OK)
        status = cr_league_add_comparison(*l, set, c, err);
    free(name);
    return status;
}

static int play(cr_league **l, request *r, size_t set)
{
    cr_source *source = NULL;
    cr_comparison *c = NULL;
    cr_spec *specs = NULL;
    size_t count = 0;
    cr_error err = {0};
    request one = *r;
    cr_status status;
    int code;

    one.operands = r->operands + set;
    one.operand_count = 1;
    if ((code = open_data(&source, &one, 0, NULL)) == EXIT_DONE &&
        (code = hold(&c, &specs, &count, &one, &source, &r->run)) == EXIT_DONE &&
        (status = take_scores(l, c, r->operands[set], &err)) != CR_OK)
        code = complain(status, &err);
    cr_comparison_free(c);
    free_candidates(specs, count);
    close_data(&source);
    return code;
}

int compare_sets(request *r)
{
    cr_league *l = NULL;
    cr_error err = {0};
    int code = EXIT_DONE;

    for (size_t s = 0; code == EXIT_DONE && s < r->operand_count; s++)
        code = play(&l, r, s);
    if (l == NULL && cr_league_new(&l, NULL, 0, NULL) != CR_OK) /* there are no operands */
        reserve_failed();
    if (code == EXIT_DONE) {
        if (cr_league_rank(l, &err) != CR_OK)
            code = misuse(NULL, "%s", err.message);
        else
            report_sets(r, l);
    }
    cr_league_free(l);
    return code;
}
