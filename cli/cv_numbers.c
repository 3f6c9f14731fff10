/* cli/cv_numbers.c - cross-validation of a learner of numbers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear.h"
#include "numbers.h"
#include "out_text.h"
#include "plot_result.h"
#include "reserve.h"
#include "session.h"
#include "study.h"

enum { FOLDS_SHOWN = 20 };

typedef struct validation {
    const cr_cv *cv;
    const char *learner;
    cr_cv_facts facts;
    cr_regression_metrics all, *fold; /* [folds] */
    size_t folds;                     /* in all repeats; 0 when one is left out at a time */
    cr_spread spread[NUMBER_FIGURES];
    double level, seconds;
} validation;

/* --- figures of folds --------------------------------------------------------------------- */

static cr_status take_folds(validation *v, cr_error *err)
{
    double *column = reserve(v->folds + 1, sizeof *column);
    cr_status status = cr_cv_regression(v->cv, SIZE_MAX, v->level, &v->all, err);

    v->fold = reserve(v->folds + 1, sizeof *v->fold);
    for (size_t i = 0; status == CR_OK && i < v->folds; i++)
        status = cr_cv_regression(v->cv, i, v->level, &v->fold[i], err);
    for (size_t f = 0; f < NUMBER_FIGURES; f++) {
        const number_figure *figure = &number_figures[f];

        for (size_t i = 0; i < v->folds; i++)
            column[i] = number_figure_of(&v->fold[i], figure);
        cr_corrected_spread(column, v->folds, 1 / ((double)v->facts.folds - 1), &v->spread[f]);
        spread_within(&v->spread[f], figure->least, figure->most);
    }
    free(column);
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

static int write_answers(const char *path, const validation *v)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    int failed;

    if (file == NULL)
        return misuse(NULL, "cannot write %s: %s", path, strerror(errno));
    fputs("row,repeat,fold,truth,prediction,low,high,log_density\n", file);
    for (size_t i = 0; i < v->facts.repeats; i++)
        for (size_t r = 0; r < v->facts.rows; r++)
            write_answer(file, v, i, r);
    failed = ferror(file) != 0;
    if (file != stdout)
        failed |= fclose(file) != 0;
    return failed ? misuse(NULL, "cannot write %s: %s", path, strerror(errno)) : EXIT_DONE;
}

/* --- reports ------------------------------------------------------------------------------ */

static table *folds_table(const validation *v, bool people)
{
    const char *const rest[] = {"mean", "sd", "low", "high"};
    table *t = table_new();
    char name[32];

    table_column(t, "fold", TABLE_LEFT);
    table_column(t, "rows", TABLE_RIGHT);
    for (size_t f = 0; f < NUMBER_FIGURES; f++)
        table_column(t, people ? number_figures[f].title : number_figures[f].key, TABLE_RIGHT);
    for (size_t i = 0; (v->folds <= FOLDS_SHOWN || !people) && i < v->folds; i++) {
        fold_name(name, sizeof name, i, &v->facts);
        table_text(t, name);
        table_number(t, number_plain, v->fold[i].rows);
        for (size_t f = 0; f < NUMBER_FIGURES; f++)
            table_number(t, number_figures[f].picture,
                         number_figure_of(&v->fold[i], &number_figures[f]));
    }
    for (size_t k = 0; people && k < 4; k++) {
        table_text(t, rest[k]);
        table_text(t, "");
        for (size_t f = 0; f < NUMBER_FIGURES; f++) {
            const cr_spread *s = &v->spread[f];
            const double x[] = {s->mean, s->deviation, s->low, s->high};

            table_number(t, number_figures[f].picture, x[k]);
        }
    }
    return t;
}

static void report_json(const validation *v)
{
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    cv_facts_json(&j, &v->facts, v->learner);
    numbers_json(&j, &v->all);
    json_number(&j, "unlabelled", (double)v->facts.unlabelled);
    json_number(&j, "seconds", v->seconds);
    json_object(&j, "mean", JSON_BLOCK);
    for (size_t f = 0; v->folds > 0 && f < NUMBER_FIGURES; f++)
        spread_json(&j, number_figures[f].key, &v->spread[f]);
    json_end(&j);
    json_array(&j, "fold", JSON_BLOCK);
    for (size_t i = 0; i < v->folds; i++) {
        json_object(&j, NULL, JSON_LINE);
        json_number(&j, "rows", v->fold[i].rows);
        for (size_t f = 0; f < NUMBER_FIGURES; f++)
            json_number(&j, number_figures[f].key,
                        number_figure_of(&v->fold[i], &number_figures[f]));
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static void report_table(const request *r, const validation *v)
{
    table *t = numbers_table(&v->all);

    cv_headline(r, &v->facts, v->learner, v->seconds);
    table_print(t, 0, false);
    table_free(t);
    if (v->folds == 0)
        return;
    putchar('\n');
    t = folds_table(v, true);
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
        t = v->folds == 0 ? numbers_table(&v->all) : folds_table(v, false);
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
    double *predicted, *truth;
    cr_cv_answer a;
    cr_regression f;
    int code;

    if (!option_given(r, "plot"))
        return EXIT_DONE;
    predicted = reserve(v->facts.rows, sizeof *predicted);
    truth = reserve(v->facts.rows, sizeof *truth);
    for (size_t i = 0; i < v->facts.rows; i++) {
        cr_cv_get_regression(v->cv, 0, i, &a, &f);
        predicted[i] = f.mean;
        truth[i] = f.truth;
    }
    code = plot_numbers(r, predicted, truth, v->facts.rows, v->learner, 0);
    free(predicted);
    free(truth);
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
    v.folds = v.facts.folds == v.facts.rows ? 0 : v.facts.folds * v.facts.repeats;
    if ((status = take_folds(&v, &err)) != CR_OK)
        code = complain(status, &err);
    else if (path == NULL || (code = write_answers(path, &v)) == EXIT_DONE) {
        report(r, &v);
        code = draw(r, &v);
    }
    free(v.fold);
    return code;
}
