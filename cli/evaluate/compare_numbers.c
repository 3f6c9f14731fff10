/* cli/evaluate/compare_numbers.c - learners of numbers next to each other, and against the best. */
#include <math.h>

#include "evaluate/compare_folds.h"
#include "evaluate/numbers.h"
#include "out/out.h"
#include "out/text.h"
#include "session/session.h"

/* --- for people ----------------------------------------------------------------------------- */

static void add_each(table *t, const match *m, size_t i)
{
    const contestant *c = &m->all[i];

    table_number(t, number_plain, c->numbers.rmse);
    table_number(t, number_plain, c->main_spread.low);
    table_number(t, number_plain, c->main_spread.high);
    table_number(t, number_plain, c->numbers.mae);
    table_number(t, number_plain, c->numbers.r2);
    table_number(t, number_plain, c->numbers.log_density);
    table_number(t, number_plain, c->numbers.coverage);
}

static void add_pair(table *t, const match *m, size_t i)
{
    const verdict_pair v = pair_up(m, i);
    const cr_paired error = pair_of_errors(&v.main);

    table_number(t, number_plain, v.main.difference.mean);
    table_number(t, number_p, v.main.p);
    table_number(t, number_probability, error.worse);
    table_number(t, number_probability, error.same);
    table_number(t, number_probability, error.better);
    table_number(t, number_plain, v.log.difference.mean);
    table_number(t, number_p, v.p);
}

static const match_view view = {"RMSE|low|high|MAE|R²|log p|cover",
                                "RMSE|p(t)|worse|same|better|log p|p(sign)", add_each, add_pair};

/* --- for programs --------------------------------------------------------------------------- */

static void contestant_json(json *j, const match *m, size_t i)
{
    const contestant *c = &m->all[i];
    const verdict_pair v = pair_up(m, i);
    const cr_paired error = pair_of_errors(&v.main);

    json_object(j, NULL, JSON_BLOCK);
    json_text(j, "name", m->specs[i].name);
    json_bool(j, "best", i == m->best);
    numbers_json(j, &c->numbers);
    json_number(j, "rmse_low", c->main_spread.low);
    json_number(j, "rmse_high", c->main_spread.high);
    json_number(j, "log_density_low", c->log_spread.low);
    json_number(j, "log_density_high", c->log_spread.high);
    json_number(j, "parameters", c->parameters);
    json_number(j, "bytes", c->size);
    json_number(j, "seconds", c->seconds);
    paired_json(j, "rmse_against_best", &error);
    paired_json(j, "log_density_against_best", &v.log);
    json_number(j, "nearer", v.only);
    json_number(j, "best_nearer", v.only_best);
    json_number(j, "sign_p", v.p);
    json_end(j);
}

static void report_csv(const match *m)
{
    static const char *const rest[] = {"rmse_low", "rmse_high", "parameters", "bytes",
                                       "seconds",  "p",         "sign_p"};
    table *t = table_new();

    table_column(t, "model", TABLE_LEFT);
    for (size_t f = 0; f < NUMBER_FIGURES; f++)
        table_column(t, number_figures[f].key, TABLE_RIGHT);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        table_column(t, rest[i], TABLE_RIGHT);
    for (size_t i = 0; i < m->count; i++) {
        const contestant *c = &m->all[i];
        const verdict_pair v = pair_up(m, i);
        const double x[] = {c->main_spread.low,
                            c->main_spread.high,
                            c->parameters,
                            c->size,
                            c->seconds,
                            v.main.p,
                            v.p};

        table_text(t, m->specs[i].name);
        for (size_t f = 0; f < NUMBER_FIGURES; f++)
            table_number(t, number_plain, figure_of(&c->numbers, &number_figures[f]));
        for (size_t k = 0; k < sizeof x / sizeof *x; k++)
            table_number(t, number_plain, x[k]);
    }
    table_csv(t);
    table_free(t);
}

void compare_numbers(const request *r, const match *m)
{
    if (r->json)
        match_json(m, contestant_json);
    else if (r->csv)
        report_csv(m);
    else
        match_print(r, m, &view);
    if (m->all[0].facts.unlabelled != 0)
        note("%llu row%s without the target left out",
             (unsigned long long)m->all[0].facts.unlabelled, plural(m->all[0].facts.unlabelled));
}
