/* cli/evaluate/folds.c - the folds of a cross-validation, for people. */
#include "evaluate/folds.h"

#include <math.h>

#include "out/file.h"
#include "out/json.h"
#include "out/out.h"
#include "out/sheet.h"
#include "out/text.h"

enum { FOLDS_SHOWN = 20 };

static cr_sheet *sheet_of(const cr_cv *cv, const cr_cv_metrics *m)
{
    cr_sheet *s = NULL;
    const cr_status status = cr_cv_sheet(&s, cv, m, NULL);

    return sheet_made(status, s);
}

void folds_print(const cr_cv *cv, const cr_cv_metrics *m)
{
    const char *const rest[] = {"mean", "sd", "low", "high"};
    cr_sheet *s = sheet_of(cv, m);
    table *t = sheet_table(s, m->folds <= FOLDS_SHOWN ? SIZE_MAX : 0, NULL);
    char number[NUMBER_ROOM];
    const cr_metric *metric;

    for (size_t row = 0; row < 4; row++) {
        table_text(t, rest[row]);
        table_text(t, "");
        for (size_t k = 0; (metric = cr_metric_get(m->numbers, k)) != NULL; k++) {
            const cr_spread *x = &m->spread[k];
            const double value[] = {x->mean, x->deviation, x->low, x->high};

            if ((metric->shown & CR_METRIC_FOLDS) != 0)
                table_text(t, cr_show_number(number, metric->show, value[row]));
        }
    }
    table_print(t, 0, true);
    table_free(t);
    cr_sheet_free(s);
}

void folds_json(const cr_cv *cv, const cr_cv_metrics *m, const char *name, const cr_rule *rule,
                double level, double seconds)
{
    cr_output *out = output_to(stdout);

    cr_cv_json(cv, m, name, rule, level, seconds, out);
    output_end(out);
}

void folds_csv(const cr_cv *cv, const cr_cv_metrics *m)
{
    sheet_csv(sheet_of(cv, m));
}

int write_answers(const char *path, void (*write)(FILE *file, const void *context),
                  const void *context)
{
    out_file out;
    int code = out_file_open(&out, path);

    if (code != EXIT_DONE)
        return code;
    write(out.file, context);
    return out_file_close(&out, EXIT_DONE);
}
