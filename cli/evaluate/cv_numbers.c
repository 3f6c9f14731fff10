/* cli/evaluate/cv_numbers.c - cross-validation of a learner of numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/linear.h"
#include "evaluate/numbers.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"
#include "evaluate/study.h"

typedef struct validation {
    const cr_cv *cv;
    const char *learner;
    cr_cv_facts facts;
    cr_regression_metrics all;
    folds folds;
    double level, seconds;
} validation;

/* --- figures of folds --------------------------------------------------------------------- */

static cr_status take_folds(validation *v, cr_error *err)
{
    cr_status status = cr_cv_regression(v->cv, SIZE_MAX, v->level, &v->all, err);

    folds_begin(&v->folds, v->cv, number_figures, NUMBER_FIGURES);
    for (size_t i = 0; status == CR_OK && i < v->folds.count; i++) {
        cr_regression_metrics m;

        status = cr_cv_regression(v->cv, i, v->level, &m, err);
        folds_take(&v->folds, i, m.rows, status == CR_OK ? &m : NULL);
        status = status == CR_EFORMAT ? CR_OK : status; /* none of its rows weighs anything */
    }
    folds_spread(&v->folds);
    return status;
}

/* --- the answers -------------------------------------------------------------------------- */

static void write_answer(FILE *file, const validation *v, size_t repeat, size_t row)
{
    char number[NUMBER_ROOM];
    cr_cv_answer a;
    cr_regression f;
    double low, high;

    cr_cv_get_regression(v->cv, repeat, row, &a, &f);
    cr_regression_interval(&f, v->all.level, &low, &high);
    fprintf(file, "%llu,%zu,%zu,", (unsigned long long)a.line, repeat + 1, a.fold + 1);
    fprintf(file, "%s,", number_exact(number, f.truth));
    fprintf(file, "%s,", number_exact(number, f.mean));
    fprintf(file, "%s,", number_exact(number, low));
    fprintf(file, "%s,", number_exact(number, high));
    fprintf(file, "%s\n", number_exact(number, cr_regression_log_density(&f, f.truth)));
}

static void write_all(FILE *file, const void *context)
{
    const validation *v = context;

    fputs("row,repeat,fold,truth,prediction,low,high,log_density\n", file);
    for (size_t i = 0; i < v->facts.repeats; i++)
        for (size_t r = 0; r < v->facts.rows; r++)
            write_answer(file, v, i, r);
}

/* --- reports ------------------------------------------------------------------------------ */

static void report_json(const validation *v)
{
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    cv_facts_json(&j, &v->facts, v->learner);
    numbers_json(&j, &v->all);
    json_number(&j, "unlabelled", (double)v->facts.unlabelled);
    json_number(&j, "seconds", v->seconds);
    folds_json(&j, &v->folds);
    json_end(&j);
}

static void report_table(const request *r, const validation *v)
{
    table *t = numbers_table(&v->all);

    cv_headline(r, &v->facts, v->learner, v->seconds);
    table_print(t, 0, false);
    table_free(t);
    if (v->folds.count == 0)
        return;
    putchar('\n');
    t = folds_table(&v->folds, true);
    table_print(t, 0, true);
    table_free(t);
}

static void report(const request *r, const validation *v)
{
    const char *path = option_text(r, "out");
    table *t;

    if (path != NULL && strcmp(path, "-") == 0)
        return;
    if (r->json) {
        report_json(v);
    } else if (r->csv) {
        t = v->folds.count == 0 ? numbers_table(&v->all) : folds_table(&v->folds, false);
        table_csv(t);
        table_free(t);
    } else {
        report_table(r, v);
    }
    if (v->facts.unlabelled != 0)
        note("%llu row%s without the target left out", (unsigned long long)v->facts.unlabelled,
             plural(v->facts.unlabelled));
    linear_notes(cr_cv_model(v->cv));
}

/* --- the verb ----------------------------------------------------------------------------- */

static int draw(const request *r, const validation *v)
{
    answers all = {0};
    cr_cv_answer a;
    cr_regression f;
    int code;

    if (!option_given(r, "plot"))
        return EXIT_DONE;
    for (size_t i = 0; i < v->facts.rows; i++) {
        cr_cv_get_regression(v->cv, 0, i, &a, &f);
        answers_add(&all, &f, a.weight, a.line);
    }
    code = plot_numbers(r, &all, v->learner, 0);
    answers_free(&all);
    return code;
}

int cv_numbers(request *r, const cr_cv *cv, double seconds, const char *learner)
{
    validation v = {.cv = cv, .learner = learner, .seconds = seconds};
    const char *path = option_text(r, "out");
    cr_error err = {0};
    cr_status status;
    int code;

    if ((code = check_no_rule(r, learner)) != EXIT_DONE ||
        (code = read_interval(r, &v.level)) != EXIT_DONE)
        return code;
    cr_cv_get_facts(cv, &v.facts);
    if ((status = take_folds(&v, &err)) != CR_OK)
        code = complain(status, &err);
    else if (path == NULL || (code = write_answers(path, write_all, &v)) == EXIT_DONE) {
        report(r, &v);
        code = draw(r, &v);
    }
    folds_free(&v.folds);
    return code;
}
