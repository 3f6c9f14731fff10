/* tests/learners/test_left_out.c - refitting chooses from counts how strongly tan, kdb and pairs
 * fall back on one parent less: what makes rows likeliest that are left out one by one, worked out
 * here from the rows themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"
#include "support/model_bytes.h"

enum { ROWS = 240, FEATURES = 3, VALUES = 4 };

static int code[FEATURES + 1][ROWS]; /* the class last */
static const char *text[FEATURES + 1][ROWS];
static const char *const letters[] = {"a", "b", "c", "d"};

/* Each feature is the one before it in `share` of the rows, else any value. */
static void deal(uint64_t state, double share)
{
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i <= FEATURES; i++) {
            double u;
            int v;

            state = state * 6364136223846793005u + 1442695040888963407u;
            u = (double)(state >> 11) * 0x1p-53;
            v = (int)((state >> 7) % (i == FEATURES ? 2 : VALUES));
            code[i][r] = i > 0 && i < FEATURES && u < share ? code[i - 1][r] : v;
            text[i][r] = letters[code[i][r]];
        }
}

static cr_model *train(const char *learner, const char *const *params, size_t count)
{
    cr_array table[FEATURES + 1];
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    for (size_t i = 0; i <= FEATURES; i++)
        table[i] = (cr_array){.name = i == FEATURES ? "class" : letters[i],
                              .text = text[i],
                              .kind = CR_SYMBOL,
                              .role = i == FEATURES ? CR_ROLE_TARGET : CR_ROLE_FEATURE};
    assert_int_equal(cr_source_open_arrays(&source, table, FEATURES + 1, ROWS, NULL), CR_OK);
    if (cr_model_train(&model, source, learner, params, count, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static double knob(const cr_model *model, const char *name)
{
    cr_knob k;

    for (size_t i = 0; cr_model_knob(model, i, &k) == CR_OK; i++)
        if (strcmp(k.name, name) == 0)
            return atof(k.value);
    return NAN;
}

/* P(value of feature i in row r | its first t parents, class) of the other rows. */
static double left_out(size_t r, size_t i, const size_t *parent, size_t t, double m)
{
    const double alpha = 0.5, less = t == 0 ? 0 : left_out(r, i, parent, t - 1, m);
    double n = 0, all = 0;

    for (size_t o = 0; o < ROWS; o++) {
        int same = o != r && code[FEATURES][o] == code[FEATURES][r];

        for (size_t k = 0; k < t; k++)
            same = same && code[parent[k]][o] == code[parent[k]][r];
        all += same;
        n += same && code[i][o] == code[i][r];
    }
    return (n + alpha + (t > 0 ? m * less : 0)) / (all + alpha * VALUES + (t > 0 ? m : 0));
}

/* kdb with two parents and every dependence: the parents of a feature are those before it, in the
 * order of the lines "feature <- parent, parent" that the model is drawn as. */
typedef struct drawing {
    size_t feature[FEATURES], parents[FEATURES], parent[FEATURES][FEATURES], count;
} drawing;

static void read_line(void *context, size_t depth, const char *line)
{
    drawing *d = context;
    const size_t i = d->count++;

    (void)depth;
    d->feature[i] = (size_t)(line[0] - 'a');
    for (const char *at = strstr(line, "<- "); at != NULL; at = strchr(at, ','))
        d->parent[i][d->parents[i]++] = (size_t)((at += at[0] == '<' ? 3 : 2)[0] - 'a');
}

static double total(const drawing *d, double m)
{
    double sum = 0;

    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < d->count; i++)
            sum += log(left_out(r, d->feature[i], d->parent[i], d->parents[i], m));
    return sum;
}

static void the_m_is_the_one_of_leaving_rows_out(void **state)
{
    static const struct {
        double share;
        uint64_t seed;
    } worlds[] = {{0.1, 3}, {0.5, 5}, {0.95, 7}};
    const char *const params[] = {"worth=all", "k=2"};
    double seen[3];

    (void)state;
    for (size_t w = 0; w < 3; w++) {
        double best = 3, most;
        drawing d = {0};
        cr_model *model;
        cr_error err = {0};

        deal(worlds[w].seed, worlds[w].share);
        model = train("kdb", params, 2);
        assert_int_equal(cr_model_draw(model, read_line, &d, NULL), CR_OK);
        assert_int_equal(d.count, FEATURES);
        most = total(&d, 3); /* the default */
        for (int k = 0; k <= 16; k++) {
            const double m = 0.1 * pow(10, k / 4.0), sum = total(&d, m);

            if (sum > most) {
                most = sum;
                best = m;
            }
        }
        if (cr_model_refit_auto(model, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_true(fabs(knob(model, "m") - best) < 0.01 * best);
        seen[w] = best;
        cr_model_free(model);
    }
    assert_true(seen[2] < seen[1] && seen[1] <= seen[0]); /* the more they depend, the less */
}

/* The choice is a function of what was learned, whatever m is in use; choosing twice is choosing
 * once. */
static void choosing_again_changes_nothing(void **state)
{
    static const char *const learners[] = {"tan", "kdb", "pairs"};
    const char *const params[] = {"worth=all", "m=0.1"};

    (void)state;
    deal(5, 0.5);
    for (size_t i = 0; i < 3; i++) {
        cr_model *one = train(learners[i], params, 1), *two = train(learners[i], params, 2);

        assert_int_equal(cr_model_refit_auto(one, NULL), CR_OK);
        assert_int_equal(cr_model_refit_auto(two, NULL), CR_OK);
        assert_true(knob(one, "m") != 0.1 && knob(one, "m") != 3);
        assert_same_model(one, two);
        assert_int_equal(cr_model_refit_auto(two, NULL), CR_OK);
        assert_same_model(one, two);
        cr_model_free(one);
        cr_model_free(two);
    }
}

static void without_an_m_there_is_nothing_to_choose(void **state)
{
    const char *const laplace[] = {"smoothing=laplace"};
    cr_model *model;
    cr_error err = {0};

    (void)state;
    deal(5, 0.5);
    model = train("tan", laplace, 1);
    assert_int_equal(cr_model_refit_auto(model, &err), CR_ECONFLICT);
    cr_model_free(model);
    model = train("aode", NULL, 0);
    assert_int_equal(cr_model_refit_auto(model, &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "rows are needed"));
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_m_is_the_one_of_leaving_rows_out),
        cmocka_unit_test(choosing_again_changes_nothing),
        cmocka_unit_test(without_an_m_there_is_nothing_to_choose),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
