/* examples/results_json.c - a cross-validation, a comparison and an explanation as JSON.
 *
 *     cc results_json.c $(pkg-config --cflags --libs credence) -o results_json
 *
 * The table is read from memory. Every result of the library has a function that writes it as JSON,
 * with the keys that `credence help VERB` lists; here they go into memory and then to the terminal.
 */
#include <credence/credence.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char table[] = "refund,marital,income,evade\n"
                            "yes,single,125,no\nno,married,100,no\nno,single,70,no\n"
                            "yes,married,120,no\nno,divorced,95,yes\nno,married,60,no\n"
                            "yes,divorced,220,no\nno,single,85,yes\nno,married,75,no\n"
                            "no,single,90,yes\n";

static int complain(const cr_error *err)
{
    char text[1024];

    fprintf(stderr, "%s\n", cr_error_text(err, text, sizeof text));
    return 1;
}

/* Five folds of naive Bayes; then naive Bayes and logistic regression on the same folds. */
static cr_status judge_learners(cr_study *study, cr_output *out, cr_error *err)
{
    cr_spec specs[2] = {{0}};
    cr_comparison *comparison = NULL;
    cr_cv_metrics *metrics = NULL;
    cr_cv *cv = NULL;
    cr_status st;

    if ((st = cr_cv_run(&cv, study, "nb", NULL, 0, err)) == CR_OK &&
        (st = cr_cv_measure(&metrics, cv, NULL, err)) == CR_OK &&
        (st = cr_cv_json(cv, metrics, "tax", NULL, 0, NAN, out)) == CR_OK &&
        (st = cr_spec_parse(&specs[0], "nb", err)) == CR_OK &&
        (st = cr_spec_parse(&specs[1], "logistic:lambda=1", err)) == CR_OK &&
        (st = cr_compare_learners(&comparison, study, specs, 2, NULL, err)) == CR_OK)
        st = cr_comparison_json(comparison, out);
    cr_comparison_free(comparison);
    cr_spec_free(&specs[0]);
    cr_spec_free(&specs[1]);
    cr_cv_metrics_free(metrics);
    cr_cv_free(cv);
    return st;
}

typedef struct seen {
    const cr_model *model;
    cr_output *out;
} seen;

static cr_status as_json(void *context, const cr_explanation *e)
{
    const seen *s = context;

    return cr_explanation_json(s->model, e, NULL, s->out, NULL);
}

/* Why one row is decided as it is. */
static cr_status explain(const cr_model *model, cr_output *out, cr_error *err)
{
    cr_row *row = NULL;
    cr_status st;

    if ((st = cr_row_new(&row, model, err)) == CR_OK &&
        (st = cr_row_set_named(row, "marital", "divorced", err)) == CR_OK &&
        (st = cr_row_set_named(row, "income", "95", err)) == CR_OK)
        st = cr_row_explain(row, NULL, as_json, &(seen){model, out}, err);
    cr_row_free(row);
    return st;
}

int main(void)
{
    cr_source *source = NULL;
    cr_output *out = NULL;
    cr_model *model = NULL;
    cr_study *study = NULL;
    const char *text;
    cr_error err;
    size_t size;
    int failed = cr_output_new(&out, NULL, NULL, &err) != CR_OK ||
                 cr_source_open_memory(&source, table, strlen(table), "tax", NULL, &err) != CR_OK ||
                 cr_study_new(&study, source, &(cr_deal){.folds = 5}, NULL, &err) != CR_OK ||
                 judge_learners(study, out, &err) != CR_OK ||
                 cr_study_train(study, "nb", NULL, 0, &model, &err) != CR_OK ||
                 explain(model, out, &err) != CR_OK;

    cr_output_bytes(out, "", 1); /* ends the text */
    text = cr_output_data(out, &size);
    if (failed)
        complain(&err);
    else
        fputs(text, stdout);
    /* All three are there: their keys say so. */
    failed = failed || strstr(text, "\"folds\"") == NULL ||
             strstr(text, "\"logistic:lambda=1\"") == NULL || strstr(text, "\"log_odds\"") == NULL;
    cr_model_free(model);
    cr_study_free(study);
    cr_source_close(source);
    cr_output_free(out);
    return failed;
}
