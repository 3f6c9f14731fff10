/* cli/verb_report.c - credence report: one page about a model and labelled data. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out.h"
#include "out_json.h"
#include "report.h"
#include "reserve.h"
#include "session.h"
#include "verbs.h"

enum { MISTAKES_SHOWN = 8, FEATURES_DRAWN = 4, MOST_MISTAKES = 1000 };

/* --- gathering -------------------------------------------------------------------------------- */

static int evaluate(report *x, cr_evaluation **out)
{
    const scores *s = x->scores;
    cr_error err = {0};
    cr_status status = cr_evaluation_new(out, s->classes, &err);

    if (status != CR_OK)
        return complain(status, &err);
    for (size_t i = 0; i < s->rows; i++)
        cr_evaluation_add(*out, s->posterior + i * s->classes, s->decision[i], s->truth[i],
                          s->weight[i]);
    cr_evaluation_metrics(*out, &x->metrics);
    x->evaluation = *out;
    return EXIT_DONE;
}

/* An ensemble has nothing to compare with: then there is no such part. */
static int compare(report *x, cr_drift **out)
{
    const cr_drift_options options = {.allow_absent_columns = option_given(x->r, "allow-absent")};
    cr_source *source = NULL;
    int code = open_data(&source, x->r, 1, x->model);

    if (code != EXIT_DONE)
        return code;
    if (cr_model_drift(x->model, source, &options, &x->r->run, out, NULL, NULL) == CR_OK)
        x->drift = *out;
    cr_source_close(source);
    return EXIT_DONE;
}

/* Standard input cannot be read again, so what needs that is left out. */
static int read_again(report *x, mistake *m, size_t mistakes, cr_drift **drift, values *v,
                      const size_t *feature, size_t features)
{
    int code = EXIT_DONE;

    for (size_t i = 1; i < x->r->operand_count; i++)
        if (strcmp(x->r->operands[i], "-") == 0 || access(x->r->operands[i], R_OK) != 0)
            return EXIT_DONE;
    if (x->r->operand_count < 2) {
        note("standard input can be read only once: no reasons, histograms and drift");
        return EXIT_DONE;
    }
    if ((code = mistakes_explain(m, mistakes, x->scores, x->r, 1)) == EXIT_DONE &&
        (code = compare(x, drift)) == EXIT_DONE && features > 0)
        code = values_read(v, x->r, x->model, 1, feature, features);
    return code;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* All or nothing: into a file beside it, which then takes its place. */
static int put_file(const char *path, const char *bytes, size_t size)
{
    char *beside = NULL;
    cr_error err = {0};
    FILE *f;
    bool good;

    if (strcmp(path, "-") == 0) {
        fwrite(bytes, 1, size, stdout);
        return EXIT_DONE;
    }
    if (asprintf(&beside, "%s.%ld.part", path, (long)getpid()) < 0)
        reserve_failed();
    f = fopen(beside, "wb");
    good = f != NULL && fwrite(bytes, 1, size, f) == size;
    good = f != NULL && fclose(f) == 0 && good && rename(beside, path) == 0;
    if (!good) {
        snprintf(err.file, sizeof err.file, "%s", path);
        snprintf(err.message, sizeof err.message, "cannot be written: %s", strerror(errno));
        unlink(beside);
    }
    free(beside);
    return good ? EXIT_DONE : complain(CR_EIO, &err);
}

static int write_page(const report *x, const char *path)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    int code;

    if (f == NULL)
        reserve_failed();
    code = report_write(f, x);
    if (fclose(f) != 0)
        reserve_failed();
    if (code == EXIT_DONE)
        code = put_file(path, bytes, size);
    free(bytes);
    return code;
}

static void write_json(const report *x, const char *path)
{
    const scores *s = x->scores;
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_text(&j, "report", path);
    json_number(&j, "rows", x->metrics.rows);
    json_number(&j, "accuracy", x->metrics.accuracy);
    json_number(&j, "log_loss", x->metrics.log_loss);
    json_number(&j, "brier", x->metrics.brier);
    json_number(&j, "ece", x->metrics.ece);
    json_number(&j, "macro_f1", x->metrics.macro_f1);
    json_array(&j, "mistakes", JSON_BLOCK);
    for (size_t i = 0; i < x->mistakes; i++) {
        const mistake *m = &x->mistake[i];

        json_object(&j, NULL, JSON_BLOCK);
        json_number(&j, "line", (double)s->line[m->row]);
        json_text(&j, "truth", cr_model_class(x->model, (size_t)s->truth[m->row]));
        json_text(&j, "decision", cr_model_class(x->model, (size_t)s->decision[m->row]));
        json_number(&j, "probability", m->sure);
        json_array(&j, "reasons", JSON_BLOCK);
        for (size_t k = 0; k < m->reasons; k++) {
            json_object(&j, NULL, JSON_LINE);
            json_text(&j, "feature", m->reason[k].feature);
            json_text(&j, "value", m->reason[k].value);
            json_number(&j, "log_odds", m->reason[k].odds);
            json_end(&j);
        }
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

/* --- the verb --------------------------------------------------------------------------------- */

static int run(request *r)
{
    const char *path = option_text(r, "output");
    size_t most = option_count(r, "mistakes", MISTAKES_SHOWN), features = 0;
    cr_evaluation *evaluation = NULL;
    cr_model *model = NULL;
    cr_drift *drift = NULL;
    scores s = {0};
    values v = {0};
    mistake *m = NULL;
    size_t *feature = NULL;
    report x = {.r = r};
    int code;

    if (path == NULL)
        return misuse("such as -o report.html; - is standard output", "report needs -o FILE");
    if (strcmp(path, "-") == 0 && r->json)
        return misuse("-o FILE for the page", "--json writes to standard output");
    if (most > MOST_MISTAKES)
        return misuse(NULL, "--mistakes %zu; at most %d", most, MOST_MISTAKES);
    if ((code = check_output(path, r, 0)) != EXIT_DONE ||
        (code = open_model(&model, r, 0)) != EXIT_DONE ||
        (code = scores_read(&s, r, model, 1)) != EXIT_DONE)
        goto done;
    x.model = model;
    x.scores = &s;
    x.values = &v;
    m = mistakes_find(&s, most, &x.mistakes);
    x.mistake = m;
    x.feature = feature = telling_features(model, &features);
    x.features = features < FEATURES_DRAWN ? features : FEATURES_DRAWN;
    if ((code = evaluate(&x, &evaluation)) != EXIT_DONE ||
        (code = read_again(&x, m, x.mistakes, &drift, &v, feature, x.features)) != EXIT_DONE)
        goto done;
    code = write_page(&x, path);
    if (code == EXIT_DONE && r->json)
        write_json(&x, path);
done:
    if (m != NULL)
        mistakes_free(m, x.mistakes);
    free(feature);
    values_free(&v);
    cr_drift_free(drift);
    cr_evaluation_free(evaluation);
    scores_free(&s);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Writes one page of HTML about a model and labelled DATA: how good it is with intervals, the "
    "confusion of classes, ROC and precision-recall curves, how reliable the probabilities are, "
    "the features and words that tell most, the most confident mistakes with the reasons for "
    "them, and how the data differ from what the model learned from.",
    "The page needs nothing but itself: pictures are inside, there are no scripts, and it is as "
    "readable in the dark and in print. DATA is read again for the reasons; of standard input "
    "they are left out.",
    "--json gives report, rows, accuracy, log_loss, brier, ece, macro_f1 and mistakes[] with "
    "line, truth, decision, probability and reasons[].",
    NULL,
};

static const option own[] = {
    {"output", 'o', OPTION_TEXT, "FILE", "Where the page goes; - is standard output."},
    {"mistakes", 0, OPTION_COUNT, "N", "Mistakes to show at most. Default: 8."},
    {"allow-absent", 'a', OPTION_FLAG, NULL,
     "Columns of the model that DATA lack count as missing. Default: that is an error."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &data_options, NULL};

static const example examples[] = {
    {"credence report iris.model iris.csv -o iris.html", "All about it, for a browser."},
    {"credence report --json spam.model today.csv -o spam.html | jq '.mistakes[0]'",
     "And the worst mistake for a program."},
    {0},
};

const verb verb_report = {
    .name = "report",
    .operands = "MODEL [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "write a page about a model and how good it is",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "test plot drift explain",
    .run = run,
};
