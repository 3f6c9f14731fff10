/* cli/evaluate/cv_numbers.c - cross-validation of a learner of numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/linear.h"
#include "evaluate/kept.h"
#include "evaluate/folds.h"
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
    cr_cv_metrics *metrics;
    double level, seconds;
    kept kept;
} validation;

/* --- the answers -------------------------------------------------------------------------- */

static void write_answer(FILE *file, const validation *v, size_t repeat, size_t row)
{
    char number[NUMBER_ROOM];
    cr_cv_answer a;
    cr_regression f;
    double low, high;

    cr_cv_get_regression(v->cv, repeat, row, &a, &f);
    cr_regression_interval(&f, v->all.level, &low, &high);
    kept_write(&v->kept, row, file);
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

    kept_write(&v->kept, SIZE_MAX, file);
    fputs("row,repeat,fold,truth,prediction,low,high,log_density\n", file);
    for (size_t i = 0; i < v->facts.repeats; i++)
        for (size_t r = 0; r < v->facts.rows; r++)
            write_answer(file, v, i, r);
}

/* --- reports ------------------------------------------------------------------------------ */

static void report_table(const request *r, const validation *v)
{
    cv_headline(r, &v->facts, v->learner, v->seconds);
    numbers_print(&v->all, false);
    if (v->metrics->folds == 0)
        return;
    putchar('\n');
    folds_print(v->cv, v->metrics);
}

static void report(const request *r, const validation *v)
{
    const char *path = option_text(r, "out");

    if (path != NULL && strcmp(path, "-") == 0)
        return;
    if (r->json) {
        folds_json(v->cv, v->metrics, v->learner, NULL, v->level, v->seconds);
    } else if (r->csv && v->metrics->folds == 0) {
        numbers_print(&v->all, true);
    } else if (r->csv) {
        folds_csv(v->cv, v->metrics);
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
    cr_scored all = {0};
    cr_cv_answer a;
    cr_regression f;
    int code;

    if (!option_given(r, "plot"))
        return EXIT_DONE;
    for (size_t i = 0; i < v->facts.rows; i++) {
        cr_cv_get_regression(v->cv, 0, i, &a, &f);
        if (cr_scored_add(&all, &f, a.weight, a.line) != CR_OK)
            reserve_failed();
    }
    code = plot_numbers(r, &all, v->learner, 0);
    cr_scored_free(&all);
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
    if ((status = cr_cv_regression(cv, SIZE_MAX, v.level, &v.all, &err)) != CR_OK ||
        (status = cr_cv_measure(&v.metrics, cv, &(cr_cv_options){.level = v.level}, &err)) != CR_OK)
        code = complain(status, &err);
    else if ((code = kept_read(&v.kept, r, cr_cv_model(cv))) == EXIT_DONE &&
             (path == NULL || (code = write_answers(path, write_all, &v)) == EXIT_DONE)) {
        report(r, &v);
        code = draw(r, &v);
    }
    kept_free(&v.kept);
    cr_cv_metrics_free(v.metrics);
    return code;
}
