/* tests/ask/asking.h - small models to query, shared by the tests of queries.
 *
 * The tables are the lectures'; the random ones have words, numbers and missing values.
 */
#ifndef TESTS_DECIDE_ASKING_H
#define TESTS_DECIDE_ASKING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "credence/credence.h"

/* --- tables --------------------------------------------------------------------------------- */

static const char *const bits[2] = {"0", "1"};

/* The lecture's table of A, B, C, rows 000 to 111. */
static inline cr_model *abc_model(void)
{
    static const double p[8] = {.30, .05, .10, .05, .05, .10, .25, .10};
    static const char *text[3][8];
    const cr_array arrays[] = {{.name = "A", .text = text[0]},
                               {.name = "B", .text = text[1]},
                               {.name = "C", .text = text[2]},
                               {.name = "probability", .real = p, .role = CR_ROLE_WEIGHT}};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    for (size_t r = 0; r < 8; r++)
        for (size_t i = 0; i < 3; i++)
            text[i][r] = bits[r >> (2 - i) & 1];
    assert_int_equal(cr_source_open_arrays(&source, arrays, 4, 8, NULL), CR_OK);
    if (cr_joint_read(&model, source, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* The lecture's census table: gender, hours worked a week, wealth. */
static inline cr_model *census_model(void)
{
    static const double p[8] = {.253122, .0245895, .0421768, .0116293,
                                .331313, .0971295, .134106,  .105933};
    static const char *const gender[] = {"female", "female", "female", "female",
                                         "male",   "male",   "male",   "male"};
    static const char *const hours[] = {"<=40.5", "<=40.5", ">40.5", ">40.5",
                                        "<=40.5", "<=40.5", ">40.5", ">40.5"};
    static const char *const wealth[] = {"poor", "rich", "poor", "rich",
                                         "poor", "rich", "poor", "rich"};
    const cr_array arrays[] = {{.name = "gender", .text = gender},
                               {.name = "hours", .text = hours},
                               {.name = "wealth", .text = wealth},
                               {.name = "probability", .real = p, .role = CR_ROLE_WEIGHT}};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, arrays, 4, 8, NULL), CR_OK);
    if (cr_joint_read(&model, source, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}
static inline cr_answer *ask(const cr_model *model, const char *query)
{
    cr_answer *answer;
    cr_error err = {0};

    if (cr_query_run(model, query, &answer, &err) != CR_OK)
        fail_msg("%s: %zu: %s", query, err.column, err.message);
    return answer;
}

static inline double probability(const cr_model *model, const char *query)
{
    cr_answer *answer = ask(model, query);
    const double p = answer->probability;

    assert_true(fabs(exp(answer->log_probability) - p) < 1e-12);
    cr_answer_free(answer);
    return p;
}

static inline void assert_near(const char *query, double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
        fail_msg("%s is %.17g, not %.17g", query, got, want);
}

static inline void assert_refused(const cr_model *model, const char *query, cr_status status,
                                  size_t column, const char *message, const char *hint)
{
    cr_answer *answer;
    cr_error err = {0};

    if (cr_query_run(model, query, &answer, &err) != status)
        fail_msg("%s was not refused as it should be: %s", query, err.message);
    assert_null(answer);
    if (err.column != column)
        fail_msg("%s: column %zu, not %zu: %s", query, err.column, column, err.message);
    if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL)
        fail_msg("%s: '%s' and '%s' do not say '%s' and '%s'", query, err.message, err.hint,
                 message, hint);
}

/* --- random models -------------------------------------------------------------------------- */

enum { ROWS = 80, SYMBOLS = 4, REALS = 2 };

typedef struct data {
    const char *symbol[SYMBOLS][ROWS]; /* the last is the class */
    double real[REALS][ROWS];
} data;

static inline data *random_data(cr__random *rng)
{
    static const char *const words[SYMBOLS][4] = {{"red", "green", "blue", "two words"},
                                                  {"0", "1", "0", "1"},
                                                  {"a", "b", "c", "d"},
                                                  {"yes", "no", "perhaps", "yes"}};
    data *d = calloc(1, sizeof *d);

    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(rng, 4);

        for (size_t i = 0; i < SYMBOLS; i++)
            d->symbol[i][r] = cr__random_below(rng, 9) == 0
                                  ? NULL
                                  : words[i][i == SYMBOLS - 1 || cr__random_below(rng, 2)
                                                 ? c
                                                 : cr__random_below(rng, 4)];
        for (size_t i = 0; i < REALS; i++)
            d->real[i][r] = cr__random_below(rng, 9) == 0
                                ? NAN
                                : cr__random_normal(rng) * (1 + (double)i) + (double)c / 2;
    }
    return d;
}

static inline cr_model *random_model(const data *d, const char *learner, const char *const *params,
                                     size_t count, int reals, int targeted)
{
    static const char *const names[SYMBOLS + REALS] = {"colour", "bit", "letter",
                                                       "class",  "x",   "y"};
    cr_array arrays[SYMBOLS + REALS];
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    for (size_t i = 0; i < SYMBOLS + REALS; i++)
        arrays[i] =
            (cr_array){.name = names[i],
                       .text = i < SYMBOLS ? d->symbol[i] : NULL,
                       .real = i < SYMBOLS ? NULL : d->real[i - SYMBOLS],
                       .role = targeted && i == SYMBOLS - 1 ? CR_ROLE_TARGET : CR_ROLE_FEATURE};
    assert_int_equal(
        cr_source_open_arrays(&source, arrays, reals ? SYMBOLS + REALS : SYMBOLS, ROWS, NULL),
        CR_OK);
    if (cr_model_train(&model, source, learner, params, count, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}
#endif
