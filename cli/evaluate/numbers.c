/* cli/evaluate/numbers.c - what answers that are numbers are worth, for people. */
#include "evaluate/numbers.h"

#include <math.h>
#include <string.h>

#include "out/out.h"
#include "out/text.h"

double shown_number(const cr_regression_metrics *m, const cr_metric *metric)
{
    const double x = cr_regression_value(m, metric);

    return strcmp(metric->key, "bias") == 0 && fabs(x) < 1e-12 * m->rmse ? 0 : x;
}

const char *number_meaning(const cr_regression_metrics *m, const cr_metric *metric, char *buffer,
                           size_t size)
{
    if (strcmp(metric->key, "coverage") != 0)
        return metric->meaning;
    snprintf(buffer, size, "share of truths inside their %g %% interval", m->level * 100);
    return buffer;
}

table *numbers_table(const cr_regression_metrics *m)
{
    table *t = table_new();
    char meaning[80], people[NUMBER_ROOM], programs[NUMBER_ROOM];
    const cr_metric *one;

    table_column(t, "measure", TABLE_LEFT);
    table_column(t, "value", TABLE_RIGHT);
    table_column(t, "meaning", TABLE_LEFT);
    for (size_t i = 0; (one = cr_metric_get(1, i)) != NULL; i++) {
        if ((one->shown & CR_METRIC_TABLE) == 0)
            continue;
        table_text(t, one->title);
        table_both(t, cr_show_number(people, one->show, shown_number(m, one)),
                   number_exact(programs, cr_regression_value(m, one)));
        table_text(t, number_meaning(m, one, meaning, sizeof meaning));
    }
    return t;
}

int check_no_rule(const request *r, const char *learner)
{
    static const char *const options[] = {"cost", "reject", "priors"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (option_given(r, options[i]))
            return misuse(NULL, "--%s is about classes, and %s predicts a number", options[i],
                          learner);
    return EXIT_DONE;
}
