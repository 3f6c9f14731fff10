/* tests/eval/test_league.c - learners ranked over many data sets, and what is written of them.
 *
 * The example is that of J. Demšar, "Statistical comparisons of classifiers over multiple data
 * sets", JMLR 7 (2006), table 6: four learners on 14 sets, here by the ranks he gives, less being
 * better. Section 3.2.2 has the results: mean ranks 3.143, 2.000, 2.893, 1.964, chi-square 9.28,
 * F 3.69, critical difference 1.25. Exact values below are worked out from the ranks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/in_memory.h"

enum { SETS = 14, LEARNERS = 5 };

static const char *const learners[LEARNERS] = {"C4.5", "none", "C4.5+m", "C4.5+cf", "C4.5+m+cf"};
static const char *const sets[SETS] = {
    "adult",       "breast cancer", "wisconsin", "cmc",           "ionosphere", "iris",   "liver",
    "lung cancer", "lymphography",  "mushroom",  "primary tumor", "rheum",      "voting", "wine"};
static const double ranks[SETS][4] = {
    {4, 3, 2, 1},     {1, 2, 3, 4}, {4, 1, 2, 3},     {4, 1, 3, 2}, {4, 2, 3, 1},
    {1, 2.5, 4, 2.5}, {3, 2, 4, 1}, {2.5, 2.5, 4, 1}, {4, 3, 2, 1}, {2.5, 2.5, 2.5, 2.5},
    {4, 2.5, 1, 2.5}, {3, 2, 4, 1}, {4, 1, 2, 3},     {3, 1, 4, 2}};

static void assert_near(double x, double expected, double within)
{
    if (!(fabs(x - expected) <= within))
        fail_msg("%.17g, expected %.17g", x, expected);
}

/* The example, and a learner that is always last and cannot handle the last set. */
static cr_league *example(void)
{
    cr_league *l = NULL;
    cr_error err = {0};

    assert_ok(cr_league_new(&l, learners, LEARNERS, &err), err);
    for (size_t s = 0; s < SETS; s++) {
        const double *r = ranks[s];
        const double score[] = {-r[0], s + 1 < SETS ? -9 : NAN, -r[1], -r[2], -r[3]};

        assert_ok(cr_league_add(l, sets[s], score, 0, &err), err);
    }
    return l;
}

static void demsar(void **state)
{
    /* Sums of the columns of the table, and first places: the set on which all are equal gives each
     * a quarter. */
    const double sum[] = {44, NAN, 28, 40.5, 27.5}, wins[] = {2.25, 0, 4.25, 1.25, 6.25};
    cr_league *l = example();
    cr_league_learner one;
    cr_league_facts f;
    cr_error err = {0};

    (void)state;
    cr_league_get_facts(l, &f);
    assert_true(f.ranked == 0 && f.first == SIZE_MAX && isnan(f.ranking.p));
    assert_ok(cr_league_rank(l, &err), err);
    cr_league_get_facts(l, &f);
    assert_true(f.learners == LEARNERS && f.sets == SETS && f.ranked == 4 && f.first == 0);
    for (size_t i = 0; i < LEARNERS; i++) {
        assert_int_equal(cr_league_get(l, i, &one), CR_OK);
        assert_string_equal(one.name, learners[i]);
        assert_near(one.wins, wins[i], 1e-12);
        assert_int_equal(isnan(one.rank) != 0, i == 1);
        assert_int_equal(isnan(one.mean) != 0, i == 1);
        if (i != 1) {
            assert_near(one.rank, sum[i] / SETS, 1e-12);
            assert_near(one.mean, -sum[i] / SETS, 1e-12);
        }
    }
    assert_int_equal(cr_league_get(l, LEARNERS, &one), CR_EARG);
    assert_near(f.ranking.chi_square, 9.28, 0.005);
    assert_near(f.ranking.chi_square, 8.4 * (5116.5 / 196 - 25),
                1e-12); /* 44² + 28² + … = 5116.5 */
    assert_near(f.ranking.f, 3.69, 0.005);
    assert_near(f.ranking.critical, 1.25, 0.01);
    assert_string_equal(cr_league_set(l, 13), "wine");
    assert_null(cr_league_set(l, SETS));
    assert_true(cr_league_score(l, 1, 4) == -4 && isnan(cr_league_score(l, 13, 1)));
    cr_league_free(l);
}

static void against_the_first(void **state)
{
    double difference[SETS], p[3], q[3];
    cr_league *l = example();
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_league_against_first(l, 2, 0.01, 1, &p[0], &p[1], &p[2], &err), CR_EARG);
    assert_ok(cr_league_rank(l, &err), err);
    for (size_t s = 0; s < SETS; s++)
        difference[s] = ranks[s][0] - ranks[s][3];
    assert_ok(cr_compare_signed_rank(difference, SETS, 0.01, 1, &q[0], &q[1], &q[2], &err), err);
    assert_ok(cr_league_against_first(l, 4, 0.01, 1, &p[0], &p[1], &p[2], &err), err);
    assert_memory_equal(p, q, sizeof p);
    assert_true(p[2] > p[0]); /* it is ranked above the first */
    assert_int_equal(cr_league_against_first(l, 1, 0.01, 1, &p[0], &p[1], &p[2], &err), CR_EARG);
    cr_league_free(l);
}

/* Too few sets, too few learners, and a set that is added after the ranks were made. */
static void no_ranks(void **state)
{
    const double score[] = {0.5, 0.25}, alone[] = {0.5, NAN};
    cr_output *out = new_output();
    cr_league *l = NULL;
    cr_league_facts f;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_league_new(&l, learners, 2, &err), err);
    assert_ok(cr_league_add(l, "one", score, 1, &err), err);
    assert_int_equal(cr_league_rank(l, &err), CR_EARG);
    assert_ok(cr_league_add(l, "two", score, 1, &err), err);
    assert_ok(cr_league_rank(l, &err), err);
    cr_league_get_facts(l, &f);
    assert_true(f.ranked == 2 && f.numbers && f.ranking.rank[1] == 2);
    assert_ok(cr_league_add(l, "three", alone, 1, &err), err);
    assert_ok(cr_league_rank(l, &err), err);
    cr_league_get_facts(l, &f);
    assert_true(f.ranked == 0 && isnan(f.ranking.rank[0]) && isnan(f.ranking.critical));
    assert_ok(cr_league_text(l, 1, out, &err), err);
    assert_string_equal(text_of(out), "");
    cr_output_free(out);
    cr_league_free(l);
}

/* --- what is written ----------------------------------------------------------------------------
 */

static void written(void **state)
{
    cr_league *l = example();
    cr_output *json = new_output(), *text = new_output();
    cr_sheet *s = NULL;
    char *csv, shown[CR_SHOW_SIZE];
    cr_error err = {0};

    (void)state;
    assert_ok(cr_league_rank(l, &err), err);
    assert_int_equal(cr_league_json(l, json), CR_OK);
    assert_has(text_of(json),
               "{\"name\": \"C4.5+m\", \"rank\": 2, \"mean\": -2, \"accuracy\": [-3,");
    assert_has(text_of(json), "{\"name\": \"none\", \"rank\": null, \"mean\": null,");
    assert_ok(cr_league_sheet(&s, l, &err), err);
    assert_int_equal(cr_sheet_rows(s), SETS + 2);
    assert_string_equal(cr_sheet_shown(s, SETS + 1, 1, shown), "3.143"); /* not a percentage */
    csv = csv_of(s);
    assert_has(csv, "data,C4.5,none,C4.5+m,C4.5+cf,C4.5+m+cf\nadult,-4,-9,-3,-2,-1\n");
    assert_has(csv, "\nwine,-3,,-1,-4,-2\nmean,");
    assert_ok(cr_league_text(l, 1, text, &err), err);
    assert_has(text_of(text), "Friedman: chi-square 9.279, p ");
    assert_has(text_of(text), "\nMean ranks farther apart than 1.25");
    assert_has(text_of(text), "\nC4.5+m+cf against C4.5: worse ");
    assert_null(strstr(text_of(text), "none"));
    free(csv);
    cr_sheet_free(s);
    cr_output_free(json);
    cr_output_free(text);
    cr_league_free(l);
}

/* --- comparisons of learners --------------------------------------------------------------------
 */

static void comparisons(void **state)
{
    const char *const names[] = {"nb", "tree"}, *const others[] = {"nb", "gda"};
    cr_source *source = rows_of("x,class\n1,a\n2,a\n3,a\n4,b\n5,a\n6,b\n7,b\n8,b\n");
    cr_study *study = NULL;
    cr_comparison *c = NULL;
    cr_spec *specs = NULL;
    size_t count = 0;
    cr_league *l = NULL, *other = NULL;
    cr_error err = {0};
    cr_entrant e;

    (void)state;
    assert_ok(cr_study_new(&study, source, &(cr_deal){.folds = 2}, NULL, &err), err);
    assert_ok(cr_specs_parse(&specs, &count, "nb,tree", &err), err);
    assert_ok(cr_compare_learners(&c, study, specs, count, NULL, &err), err);
    assert_ok(cr_league_new(&l, names, 2, &err), err);
    assert_ok(cr_league_add_comparison(l, "eight", c, &err), err);
    for (size_t i = 0; i < 2; i++) {
        size_t place = 0;

        while (strcmp(cr_metric_get(0, place)->key, "accuracy") != 0)
            place++;
        assert_int_equal(cr_comparison_get(c, i, &e), CR_OK);
        assert_near(cr_league_score(l, 0, i), e.metrics->all[place], 1e-15);
    }
    assert_ok(cr_league_new(&other, others, 2, &err), err);
    assert_int_equal(cr_league_add_comparison(other, "eight", c, &err), CR_ECONFLICT);
    assert_null(cr_league_set(other, 0)); /* nothing was added */
    cr_league_free(other);
    cr_league_free(l);
    cr_comparison_free(c);
    cr_specs_free(specs, count);
    cr_study_free(study);
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demsar),  cmocka_unit_test(against_the_first), cmocka_unit_test(no_ranks),
        cmocka_unit_test(written), cmocka_unit_test(comparisons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
