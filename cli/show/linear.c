/* cli/show/linear.c - show and test linear regressions, with intervals. */
#include <math.h>
#include <stdlib.h>

#include "show/describe.h"
#include "evaluate/numbers.h"
#include "options/split.h"
#include "out/json.h"
#include "show/show.h"
#include "out/progress.h"
#include "out/sheet.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"

#include "show/linear.h"

bool is_linear(const cr_model *model)
{
    cr_linear_facts facts;

    return cr_model_linear_facts(model, &facts) == CR_OK;
}

int read_interval(const request *r, double *level)
{
    const char *text = option_text(r, "interval");
    char *end;
    double percent;

    *level = 0;
    if (text == NULL)
        return EXIT_DONE;
    percent = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !(percent > 0 && percent < 100))
        return misuse(NULL, "--interval is '%s'; it must be a percentage between 0 and 100", text);
    *level = percent < 1 ? percent : percent / 100; /* 0.95 is a fraction: nobody wants 0.95 % */
    return EXIT_DONE;
}

/* --- how it was fitted ---------------------------------------------------------------------- */

void linear_report(const cr_model *model)
{
    cr_linear_facts f;
    char noise[NUMBER_ROOM], r2[NUMBER_ROOM], freedom[NUMBER_ROOM], lambda[NUMBER_ROOM],
        evidence[NUMBER_ROOM];

    if (cr_model_linear_facts(model, &f) != CR_OK)
        return;
    out_line("Fit: %zu weight%s and the intercept; noise %s (sd, %s degrees of freedom), "
             "R² %s%s%s%s%s",
             f.weights, f.weights == 1 ? "" : "s", number_plain(noise, f.noise),
             number_plain(freedom, f.freedom), number_plain(r2, f.r2),
             f.lambda > 0 ? "; lambda " : "", f.lambda > 0 ? number_plain(lambda, f.lambda) : "",
             f.lambda > 0 ? ", ln evidence " : "",
             f.lambda > 0 ? number_plain(evidence, f.log_evidence) : "");
}

void linear_notes(const cr_model *model)
{
    cr_linear_facts f;
    char rows[NUMBER_ROOM];

    if (cr_model_linear_facts(model, &f) != CR_OK)
        return;
    if (f.incomplete > 0)
        note("%s row%s that lack%s a value left out; --impute fills them",
             number_plain(rows, f.incomplete), f.incomplete == 1 ? "" : "s",
             f.incomplete == 1 ? "s" : "");
    if (f.constant > 0)
        note("%zu column%s or value%s that do%s not vary left out", f.constant,
             f.constant == 1 ? "" : "s", f.constant == 1 ? "" : "s", f.constant == 1 ? "es" : "");
    if (f.rank < f.weights)
        note("columns are collinear: %zu weights, but the data tell only %zu combinations; of all "
             "weights that fit alike these are the smallest",
             f.weights, f.rank);
}

/* --- show ------------------------------------------------------------------------------------ */

int linear_show(const request *r, const cr_model *model)
{
    double level;
    int code = read_interval(r, &level);
    char knobs[512];
    cr_sheet *sheet = NULL;
    cr_status status;

    if (code != EXIT_DONE)
        return code;
    level = level > 0 ? level : USUAL_LEVEL;
    if (r->json)
        return show_json(r, model, level);
    status = cr_coefficients_sheet(&sheet, model, level, NULL);
    sheet = sheet_made(status, sheet);
    if (r->csv) {
        sheet_csv(sheet);
    } else {
        out_line("%s: %s, of %s", r->operands[0], cr_model_title(model),
                 cr_schema_name(cr_model_schema(model), cr_model_target(model)));
        out_line("Knobs: %s", cr_show_knobs(knobs, sizeof knobs, model));
        linear_report(model);
        printf("\nWhat a unit adds, its standard error, and its %g %% interval\n", level * 100);
        sheet_print(sheet, SIZE_MAX, 2, true);
    }
    linear_notes(model);
    return EXIT_DONE;
}

/* --- test ------------------------------------------------------------------------------------ */

typedef struct trial {
    cr_regression_metrics metrics;
    uint64_t unlabelled;
    double seconds;
} trial;

static void test_json(const trial *t)
{
    cr_output *out = output_to(stdout);

    cr_regression_json(&t->metrics, t->unlabelled, t->seconds, out);
    output_end(out);
}

static void test_report(const request *r, const trial *x)
{
    char from[256], rows[NUMBER_ROOM], time[NUMBER_ROOM];

    if (r->json) {
        test_json(x);
    } else if (r->csv) {
        numbers_print(&x->metrics, true);
    } else {
        out_line("%s on %s: %s row%s in %s", r->operands[0], data_name(r, 1, from, sizeof from),
                 number_plain(rows, x->metrics.rows), x->metrics.rows == 1 ? "" : "s",
                 number_seconds(time, x->seconds));
        putchar('\n');
        numbers_print(&x->metrics, false);
    }
    if (x->unlabelled != 0)
        note("%llu row%s without the target left out", (unsigned long long)x->unlabelled,
             plural(x->unlabelled));
}

/* Figures alone need no stored answers. */
static int test_streaming(request *r, const cr_model *model, double level, trial *x)
{
    const cr_predict_options options = {.allow_absent_columns = option_given(r, "allow-absent")};
    cr_source *source = NULL;
    cr_split *split = NULL;
    cr_error err = {0};
    cr_tally tally;
    cr_status status;
    progress watch;
    int code = open_data(&source, r, 1, model);

    if (code != EXIT_DONE ||
        (code = keep_side(&split, source, r, 1, model, CR_SIDE_TEST)) != EXIT_DONE) {
        close_data(&source);
        return code;
    }
    progress_begin(&watch, "testing", &r->run);
    status = cr_model_test_regression(model, source, &options, level, &r->run, &x->metrics, &tally,
                                      &err);
    x->seconds = progress_end(&watch);
    code = status == CR_OK ? EXIT_DONE : fail_data(r, &source, status, &err);
    close_data(&source);
    cr_split_free(split);
    x->unlabelled = tally.unlabelled;
    return code;
}

/* Pictures need all answers. */
static int test_drawing(request *r, const cr_model *model, double level, trial *x)
{
    cr_scored a = {0};
    int code = scores_read(&a, r, model, 1, true, &x->seconds);

    if (code == EXIT_DONE) {
        cr_regression_measure(a.answer, a.weight, a.rows, level, &x->metrics, NULL);
        x->unlabelled = a.unlabelled;
        test_report(r, x);
        code = plot_numbers(r, &a, r->operands[0], 1);
    }
    cr_scored_free(&a);
    return code;
}

int linear_test(request *r, const cr_model *model)
{
    trial x = {0};
    double level;
    int code = read_interval(r, &level);

    if (code != EXIT_DONE)
        return code;
    level = level > 0 ? level : USUAL_LEVEL;
    if (option_given(r, "plot") && option_given(r, "split"))
        return misuse("credence split writes the rows to test on",
                      "--plot of a model of numbers takes all rows of DATA, so not --split");
    if (option_given(r, "plot"))
        return test_drawing(r, model, level, &x);
    if ((code = test_streaming(r, model, level, &x)) == EXIT_DONE)
        test_report(r, &x);
    return code;
}
