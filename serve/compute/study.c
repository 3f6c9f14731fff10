/* serve/compute/study.c - POST /compute/curve and /compute/accounts: learners on the same table. */
#include <stdlib.h>
#include <time.h>

#include "compute/compute.h"
#include "endpoints/endpoints.h"

static cr_status read_specs(call *k, const cr_json_value *body, const char *fallback,
                            cr_spec **specs, size_t *count)
{
    return cr_specs_parse(specs, count, cr_json_get_text(body, "learners", fallback), k->err);
}

/* --- quality against the number of rows ------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cr_status draw(call *k, cr_study *study, const cr_spec *specs, size_t count,
                      const cr_curve_options *options)
{
    cr_learning_curve **curve = calloc(count, sizeof *curve);
    const char **name = calloc(count, sizeof *name);
    const double began = seconds();
    cr_status status =
        curve != NULL && name != NULL ? CR_OK : fail(k->err, CR_ENOMEM, NULL, "out of memory");

    for (size_t i = 0; i < count && status == CR_OK; i++) {
        name[i] = specs[i].name;
        status = cr_study_curve(study, specs[i].learner, (const char *const *)specs[i].params,
                                specs[i].param_count, options, &curve[i], k->err);
    }
    if (status == CR_OK)
        status = cr_curves_json((const cr_learning_curve *const *)curve, name, count,
                                seconds() - began, k->answer->out);
    for (size_t i = 0; curve != NULL && i < count; i++)
        cr_learning_curve_free(curve[i]);
    free(curve);
    free(name);
    return status;
}

static cr_status learning_curve(call *k, const cr_json_value *body)
{
    const double repeats = cr_json_get_number(body, "repeats", 5);
    const cr_curve_options options = {.repeats =
                                          repeats >= 1 && repeats <= 50 ? (size_t)repeats : 5,
                                      .seed = (uint64_t)cr_json_get_number(body, "seed", 1)};
    const cr_deal deal = {.folds = 2, .calibrated = 1, .usual = 1}; /* what POST /train makes */
    const cr_run run = {.pool = k->service->pool};
    cr_source *source = NULL;
    cr_study *study = NULL;
    cr_spec *specs = NULL;
    size_t count = 0;
    cr_status status = read_specs(k, body, "nb,logistic", &specs, &count);

    if (status == CR_OK && (status = compute_source(k, body, &source)) == CR_OK &&
        (status = cr_study_new(&study, source, &deal, &run, k->err)) == CR_OK)
        status = draw(k, study, specs, count, &options);
    cr_study_free(study);
    cr_source_close(source);
    cr_specs_free(specs, count);
    return status;
}

cr_status compute_curve(call *k)
{
    return compute_with(k, learning_curve);
}

/* --- description length, BIC, evidence -------------------------------------------------------- */

static cr_status accounts(call *k, const cr_json_value *body)
{
    const cr_account_options options = {.by = cr_json_get_text(body, "by", NULL),
                                        .lambda = cr_json_get_number(body, "lambda", 0),
                                        .skip = 1};
    const cr_run run = {.pool = k->service->pool};
    cr_accounts *all = NULL;
    cr_source *source = NULL;
    cr_spec *specs = NULL;
    cr_tally tally = {0};
    size_t count = 0;
    cr_status status = read_specs(k, body, "nb,tree,logistic", &specs, &count);

    if (status == CR_OK && (status = compute_source(k, body, &source)) == CR_OK)
        status =
            cr_compare_accounts(&all, source, NULL, specs, count, &options, &run, &tally, k->err);
    if (status == CR_OK)
        status = cr_accounts_json(all, tally.unlabelled, k->answer->out);
    cr_accounts_free(all);
    cr_source_close(source);
    cr_specs_free(specs, count);
    return status;
}

cr_status compute_accounts(call *k)
{
    return compute_with(k, accounts);
}
