/* tests/ask/test_query.c - queries: the lectures' figures, the grammar, errors with positions. */
#include "ask/asking.h"

#include "base/memory.h"

/* --- the lectures --------------------------------------------------------------------------- */

static void the_abc_table_gives_the_lectures_figures(void **state)
{
    cr_model *model = abc_model();
    cr_answer *a;

    (void)state;
    assert_near("P(A)", probability(model, "P(A=1)"), .5, 1e-12);
    assert_near("P(A|B)", probability(model, "P(A=1 | B=1)"), .7, 1e-12);
    a = ask(model, "P(A | (B))"); /* a whole distribution, given that B is true */
    assert_int_equal(a->kind, CR_QUERY_DISTRIBUTION);
    assert_string_equal(a->variable, "A");
    assert_int_equal(a->values, 2);
    assert_string_equal(a->value[1], "1");
    assert_near("P(A=0|B)", a->p[0], .3, 1e-12);
    assert_near("P(A=1|B)", a->p[1], .7, 1e-12);
    assert_near("ln P(B)", a->log_condition, log(.5), 1e-12);
    cr_answer_free(a);
    assert_near("P(A or B or C)", probability(model, "P(A or B or C)"), .7, 1e-12);
    assert_near("P(not A)", probability(model, "P(not A)"), .5, 1e-12);
    cr_model_free(model);
}

static void the_census_table_gives_the_lectures_figures(void **state)
{
    /* The printed table sums to .9999991: figures to four digits. */
    const struct {
        const char *query;
        double want;
    } cases[] = {
        {"P(poor, male)", .4654},
        {"P(wealth=poor and gender=male)", .4654},
        {"P(poor)", .7607}, /* printed .7604: the table's sum is .7607 */
        {"P(male | poor)", .612},
        {"P(rich | female, hours<=40.5)", .0885},
        {"P(rich | female, hours=38)", .0885}, /* in the interval up to 40.5 */
        {"P(rich | female, hours=60)", .216},
        {"P(rich | female, hours>40.5)", .216},
        {"P(rich | male, hours<=40.5)", .227},
        {"P(wealth=rich | gender=male, hours > 40.5)", .441}, /* printed .38 */
    };
    cr_model *model = census_model();
    cr_answer *a;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near(cases[i].query, probability(model, cases[i].query), cases[i].want,
                    cases[i].want * 2.3e-3);
    assert_near("P(poor, male)", probability(model, "P(poor, male)"),
                (.331313 + .134106) / .9999991, 1e-12);
    assert_near("P(poor)", probability(model, "P(poor)"), .7607178 / .9999991, 1e-12);
    a = ask(model, "argmax(wealth | male, hours>40.5)");
    assert_int_equal(a->kind, CR_QUERY_ARGMAX);
    assert_string_equal(a->value[a->best], "poor");
    assert_near("its probability", a->probability, .134106 / .240039, 1e-12);
    cr_answer_free(a);
    cr_model_free(model);
}

/* --- grammar -------------------------------------------------------------------------------- */

/* Each pair asks for the same. */
static void operators_bind_as_they_should(void **state)
{
    const char *const same[][2] = {
        {"P(A=1 or B=1 and C=1)", "P(A=1 or (B=1 and C=1))"},
        {"P(not A=1 and B=1)", "P((not A=1) and B=1)"},
        {"P(not A=1 or B=1)", "P((not (A=1)) or B=1)"},
        {"P(A=1 or B=1, C=1)", "P((A=1 or B=1) and C=1)"},
        {"P(A=1, B=1 or C=1)", "P(A=1 and (B=1 or C=1))"},
        {"P(not not not A)", "P(A=0)"},
        {"P(A!=1)", "P(A=0)"},
        {"P(A in {0,1} | B in {1})", "P(A=0 or A=1 | B)"},
        {"P(A<1)", "P(A=0)"},
        {"P(A>=1)", "P(A=1)"},
        {"P(A>0.5)", "P(A=1)"},
        {"p ( 'A' = \"1\" AND 'B'=1 )", "P(A,B)"},
        {"P(A=1.0)", "P(A=1)"},
        {"P(((((A=1)))))", "P(A=1)"},
        {"P(A=1 and A=1)", "P(A=1)"},
        {"P(A=1 | B=1 or C=1)", "P(A and (B or C) | B or C)"},
        {"P(A=1 and A=0 or B=1)", "P(B=1)"},
        {"P((A and not B) or (B and not A) | C)", "P(not ((A and B) or (not A and not B)) | C)"},
    };
    cr_model *model = abc_model();

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_near(same[i][0], probability(model, same[i][0]), probability(model, same[i][1]),
                    1e-14);
    /* by hand: 000 .30, 001 .05, 010 .10, 011 .05, 100 .05, 101 .10, 110 .25, 111 .10 */
    assert_near("or binds less", probability(model, "P(A=1 or B=1 and C=1)"), .55, 1e-12);
    assert_near("comma least", probability(model, "P(A=1 or B=1, C=1)"), .25, 1e-12);
    assert_near("impossible", probability(model, "P(A=1 and A=0)"), 0, 0);
    assert_near("certain", probability(model, "P(A=1 or A=0)"), 1, 0);
    cr_model_free(model);
}

/* Twenty thousand parentheses and nots: there is no recursion. */
static void depth_costs_no_stack(void **state)
{
    enum { DEPTH = 20000 };
    cr_model *model = abc_model();
    char *query = malloc(4 * DEPTH + 64), *at = query;

    (void)state;
    at += sprintf(at, "P(");
    for (int i = 0; i < DEPTH; i++)
        *at++ = '(';
    at += sprintf(at, "A");
    for (int i = 0; i < DEPTH; i++)
        *at++ = ')';
    sprintf(at, " | B)");
    assert_near("deep", probability(model, query), .7, 1e-12);
    at = query + sprintf(query, "P(A and ");
    for (int i = 0; i < 16000; i++)
        at += sprintf(at, "not ");
    sprintf(at, "B | B)");
    assert_near("nots", probability(model, query), .7, 1e-12);
    free(query);
    cr_model_free(model);
}

/* --- errors --------------------------------------------------------------------------------- */
static void errors_point_at_the_character(void **state)
{
    const struct {
        const char *query;
        size_t column;
        const char *message, *hint;
    } cases[] = {
        {"", 1, "P(...)", ""},
        {"Q(rich)", 1, "not 'Q'", ""},
        {"P rich", 3, "( is expected", ""},
        {"P()", 3, "a variable, a value or (", ""},
        {"P(rich", 7, "not the end", ""},
        {"P((rich)", 9, "not the end", ""},
        {"P((rich", 3, "not closed", ""},
        {"P(rich))", 8, "nothing more", ""},
        {"P(rich) x", 9, "nothing more", ""},
        {"P(rich | )", 10, "a variable, a value or (", ""},
        {"P(rich | male | poor)", 15, "|", "once"},
        {"P((rich | male))", 9, "|", "once"},
        {"P(rich male)", 8, "not 'male'", ""},
        {"P(rich and)", 11, "a variable, a value or (", ""},
        {"P(and rich)", 3, "a variable, a value or (", ""},
        {"P(rich or or male)", 11, "a variable, a value or (", ""},
        {"P(wealth=)", 10, "a value is expected", ""},
        {"P(wealth= = rich)", 11, "a value is expected", ""},
        {"P(wealth == rich)", 10, "not a sign", "write ="},
        {"P(rich & male)", 8, "'&'", "write and"},
        {"P(!rich)", 3, "'!'", "not"},
        {"P(wealth in rich)", 13, "{", ""},
        {"P(wealth in {rich)", 18, ", or }", ""},
        {"P(wealth in {})", 14, "a value", ""},
        {"P('rich)", 3, "not closed", ""},
        {"P(welth=rich)", 3, "no variable 'welth'", "'wealth'"},
        {"P(wealth=Rich)", 10, "no value 'Rich'", "'rich'"},
        {"P(wealth=riche)", 10, "no value 'riche'", "'rich'"},
        {"P(wealth=xyzzyx)", 10, "no value", "poor, rich"},
        {"P(ric)", 3, "'ric'", "'rich'"},
        {"P(xyzzy)", 3, "'xyzzy'", "gender, hours, wealth"},
        {"P(wealth and male)", 3, "is a variable", "wealth = VALUE"},
        {"P(rich=wealth)", 3, "a value of 'wealth'", "begins with a variable"},
        {"P(wealth<rich)", 10, "no order", "!="},
        {"P(hours<=30)", 10, "<=40.5, >40.5", "one of the cuts"},
        {"P(hours<40.5)", 9, "<=40.5, >40.5", "<= or >"},
        {"P(hours<=many)", 10, "number", ""},
        {"P(hours=many)", 9, "no value 'many'", ""},
        {"argmax(rich and male)", 8, "the name of a variable", ""},
        {"argmax(wealt)", 8, "no variable 'wealt'", "'wealth'"},
        {"P(w\xC3\xA9"
         "alth=rich)",
         3, "no variable", "'wealth'"},
        {"P(rich | 'm\xC3\xA9"
         "l\xC3\xA9')",
         10, "no variable or value", ""},
        {"P(rich, '\xC3\xA9' , x)", 9, "no variable or value", ""},
    };
    cr_model *model = census_model();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(model, cases[i].query, CR_EARG, cases[i].column, cases[i].message,
                       cases[i].hint);
    /* columns count characters, not bytes */
    assert_refused(model, "P('\xE2\x80\x9C\xE2\x80\x9D', & rich)", CR_EARG, 9, "'&'", "write and");
    cr_model_free(model);
}

static void a_condition_of_probability_zero_is_an_error(void **state)
{
    cr_model *model = abc_model();
    cr_answer *answer;

    (void)state;
    assert_refused(model, "P(A | B=1 and B=0)", CR_ECONFLICT, 7, "probability zero", "");
    assert_int_equal(cr_query_run(model, "P(B=1 and B=0)", &answer, NULL), CR_OK);
    assert_true(answer->probability == 0 && answer->log_probability == -INFINITY);
    cr_answer_free(answer);
    cr_model_free(model);
}
/* --- real variables ------------------------------------------------------------------------- */

/* Observed numbers give the posterior that classifying a row gives. */
static void observed_numbers_give_the_posterior_of_a_row(void **state)
{
    const char *const settings[][1] = {{"gaussian=plugin"}, {"gaussian=predictive"}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        cr__random rng;
        cr__random_seed(&rng, 5);
        data *d = random_data(&rng);
        cr_model *model = random_model(d, "nb", settings[i], 1, 1, 1);
        double posterior[8], evidence;
        int32_t decision;
        cr_row *row;
        cr_answer *a = ask(model, "P(class | x = 1.25, y=-0.5, colour='two words')");

        assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
        cr_row_set_real(row, 4, 1.25);
        cr_row_set_real(row, 5, -0.5);
        cr_row_set_text(row, 0, "two words");
        assert_int_equal(cr_model_classify(model, row, posterior, &decision, &evidence), CR_OK);
        for (size_t c = 0; c < a->values; c++)
            assert_near("P(class | x, y, colour)", a->p[c], posterior[c], 1e-13);
        assert_int_equal(a->best, decision);
        assert_true(a->density);
        assert_near("ln density", a->log_condition, evidence, 1e-12);
        cr_answer_free(a);
        /* far out, where every density is below the smallest double */
        cr_row_set_real(row, 4, 1e4);
        assert_int_equal(cr_model_classify(model, row, posterior, &decision, &evidence), CR_OK);
        a = ask(model, "P(class | x = 1e4, y=-0.5, colour='two words')");
        for (size_t c = 0; c < a->values; c++)
            assert_near("P(class | far)", a->p[c], posterior[c], 1e-9);
        cr_answer_free(a);
        cr_row_free(row);
        cr_model_free(model);
        free(d);
    }
}

static void numbers_have_no_probability_but_intervals_have(void **state)
{
    cr__random rng;
    cr_model *model;
    data *d;

    (void)state;
    cr__random_seed(&rng, 9);
    d = random_data(&rng);
    model = random_model(d, "nb", NULL, 0, 1, 1);
    assert_true(probability(model, "P(x = 1)") == 0);
    assert_near("P(x != 1)", probability(model, "P(x != 1)"), 1, 1e-15);
    assert_near("P(x<1)", probability(model, "P(x<1)"), probability(model, "P(x <= 1)"), 1e-15);
    assert_near("P(x<1 or x>=1)", probability(model, "P(x<1 or x>=1)"), 1, 1e-15);
    assert_near("P(x<1 | x=0.5)", probability(model, "P(x<1 | x=0.5)"), 1, 0);
    assert_near("P(x>1 | x=0.5)", probability(model, "P(x>1 | x=0.5)"), 0, 0);
    assert_near("x in a set", probability(model, "P(x in {1,2,3} or y > 0)"),
                probability(model, "P(y > 0)"), 1e-15);
    assert_near("an interval", probability(model, "P(x>0 and x<=1)"),
                probability(model, "P(x<=1)") - probability(model, "P(x<=0)"), 1e-13);
    assert_near("with a condition on itself", probability(model, "P(x<=0 | x<=1)"),
                probability(model, "P(x<=0)") / probability(model, "P(x<=1)"), 1e-13);
    assert_refused(model, "P(class | x=1 or x=2)", CR_ECONFLICT, 11, "probability zero",
                   "joined by and");
    assert_refused(model, "P(class | x=1, x=2)", CR_ECONFLICT, 11, "probability zero", "");
    assert_refused(model, "P(x)", CR_EARG, 3, "not a table", "P(x <= NUMBER)");
    assert_refused(model, "P(x and class=yes)", CR_EARG, 3, "is a variable", "x <= NUMBER");
    assert_refused(model, "P(x < red)", CR_EARG, 7, "numbers", "");
    assert_refused(model, "P(x < inf)", CR_EARG, 7, "numbers", "");
    cr_model_free(model);
    free(d);
}

/* The t distribution: P(x <= its centre) is a half in every class. */
static void predictive_intervals_are_students(void **state)
{
    static const double x[] = {1, 3, 2, 4};
    static const char *const class[] = {"a", "a", "b", "b"};
    const cr_array arrays[] = {{.name = "x", .real = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    const char *const params[] = {"gaussian=predictive", "mean-rows=1", "variance-rows=2",
                                  "variance-floor=0"};
    char query[128];
    cr_source *source;
    cr_model *model;
    cr_gaussian g;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 4, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", params, 4, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_gaussian(model, 0, 0, &g), CR_OK);
    snprintf(query, sizeof query, "P(x <= %.17g | class=a)", g.fitted_mean);
    assert_near(query, probability(model, query), 0.5, 1e-14);
    assert_true(g.freedom == 4);
    /* R: pt(1, 4) = 0.8130495168499706 */
    snprintf(query, sizeof query, "P(x <= %.17g | class=a)",
             g.fitted_mean + sqrt(g.fitted_variance));
    assert_near(query, probability(model, query), 0.8130495168499706, 1e-12);
    cr_source_close(source);
    cr_model_free(model);
}
/* --- naive Bayes, other ---------------------------------------------------------------------- */

static void rules_that_are_no_distribution_are_refused(void **state)
{
    const char *const params[] = {"smoothing=laplace-classes"};
    cr__random rng;
    cr_model *model;
    data *d;

    (void)state;
    cr__random_seed(&rng, 3);
    d = random_data(&rng);
    model = random_model(d, "nb", params, 1, 1, 1);
    assert_refused(model, "P(class | colour=red)", CR_ECONFLICT, 0, "sum to", "laplace");
    assert_near("unaffected", probability(model, "P(class in {yes,no,perhaps})"), 1, 1e-14);
    cr_model_free(model);
    free(d);
}

static void a_value_never_seen_has_its_share_when_smoothed(void **state)
{
    const char *const params[] = {"unseen=smooth"};
    cr__random rng;
    cr_model *model;
    cr_answer *a;
    double sum = 0;
    data *d;

    (void)state;
    cr__random_seed(&rng, 3);
    d = random_data(&rng);
    model = random_model(d, "nb", params, 1, 1, 1);
    a = ask(model, "P(colour | class=yes)");
    assert_int_equal(a->values, cr_model_values(model, 0) + 1);
    assert_string_equal(a->value[a->values - 1], "(never seen)");
    assert_true(a->p[a->values - 1] > 0);
    for (size_t v = 0; v < a->values; v++)
        sum += a->p[v];
    assert_near("sum", sum, 1, 1e-14);
    assert_near("not red", probability(model, "P(colour != red | class=yes)"),
                1 - probability(model, "P(colour = red | class=yes)"), 1e-14);
    cr_answer_free(a);
    cr_model_free(model);
    free(d);
}

/* Names that mean several things, and bare ones that mean one. */
static void bare_names_must_be_unambiguous(void **state)
{
    static const char *const smokes[] = {"yes", "no", "yes", "no"};
    static const char *const drinks[] = {"yes", "yes", "no", "no"};
    static const char *const mood[] = {"good", "smokes", "good", "bad"};
    const cr_array arrays[] = {{.name = "smokes", .text = smokes},
                               {.name = "drinks", .text = drinks},
                               {.name = "mood", .text = mood}};
    cr_source *source;
    cr_model *model;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, 4, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "joint", NULL, 0, NULL, NULL, NULL), CR_OK);
    assert_near("P(good)", probability(model, "P(good)"), 0.5, 1e-15);
    assert_near("P(drinks | good)", probability(model, "P(good | (drinks))"), 0.5, 1e-15);
    assert_near("P(not drinks, good)", probability(model, "P(not drinks, good)"), 0.25, 1e-15);
    assert_refused(model, "P(yes)", CR_EARG, 3, "a value of smokes, drinks", "smokes=yes");
    assert_refused(model, "P(good and smokes)", CR_EARG, 12, "a variable and a value: smokes, mood",
                   "mood=smokes");
    cr_source_close(source);
    cr_model_free(model);
}
/* --- memory --------------------------------------------------------------------------------- */

static void running_out_of_memory_is_survived(void **state)
{
    const char *const params[] = {"smoothing=laplace"};
    const char *const queries[] = {
        "P(A=1 or B=1 and not C=1 | A in {0,1}, B=1 or C=0)", "P(A | B or C)",
        "argmax(class | x=1.5, y<0 or x<2, colour in {red, 'two words'})"};
    cr__random rng;
    cr_model *model[2];
    data *d;

    (void)state;
    cr__random_seed(&rng, 8);
    d = random_data(&rng);
    model[0] = abc_model();
    model[1] = random_model(d, "nb", NULL, 0, 1, 1);
    assert_int_equal(cr_model_refit(model[0], params, 1, NULL), CR_OK);
    for (size_t q = 0; q < 3; q++) {
        cr_status st = CR_ENOMEM;
        long n;

        for (n = 0; st != CR_OK && n < 2000; n++) {
            cr_answer *answer;

            cr__memory_fail_after = n;
            st = cr_query_run(model[q / 2], queries[q], &answer, NULL);
            cr__memory_fail_after = -1;
            assert_true(st == CR_ENOMEM || st == CR_OK);
            assert_true((answer == NULL) == (st != CR_OK));
            cr_answer_free(answer);
        }
        assert_true(n > 10 && n < 2000);
    }
    cr_model_free(model[0]);
    cr_model_free(model[1]);
    free(d);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_abc_table_gives_the_lectures_figures),
        cmocka_unit_test(the_census_table_gives_the_lectures_figures),
        cmocka_unit_test(operators_bind_as_they_should),
        cmocka_unit_test(depth_costs_no_stack),
        cmocka_unit_test(errors_point_at_the_character),
        cmocka_unit_test(a_condition_of_probability_zero_is_an_error),
        cmocka_unit_test(observed_numbers_give_the_posterior_of_a_row),
        cmocka_unit_test(numbers_have_no_probability_but_intervals_have),
        cmocka_unit_test(predictive_intervals_are_students),
        cmocka_unit_test(rules_that_are_no_distribution_are_refused),
        cmocka_unit_test(a_value_never_seen_has_its_share_when_smoothed),
        cmocka_unit_test(bare_names_must_be_unambiguous),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests_name("query", tests, NULL, NULL);
}
