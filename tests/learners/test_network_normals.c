/* tests/learners/test_network_normals.c - Gaussian nodes: read, asked, learned, scored, saved.
 *
 * Numbers are from numpy 1.24 and scipy 1.10: means and covariances by (I - B)⁻¹, conditionals by
 * Schur complements, least squares by numpy.linalg.lstsq, quantiles of mixtures by brentq.
 */
#include "network/nets.h"

#include "base/memory.h"
#include "credence/credence.h"
#include "credence/structure.h"
#include "learners/network/network_model.h"
#include "network/learn/normals_learn.h"
#include "support/model_bytes.h"

static const char garden_text[] = "network garden\n"
                                  "rain: little much\nlight: *\ngrowth: *\nheight: *\nflowers: *\n"
                                  "rain = .6 .4\n"
                                  "light = 40 8\n"
                                  "growth | light rain\n  little = 1 .1 2\n  much = 3 .3 1\n"
                                  "height | growth\n  = 5 2 3\n"
                                  "flowers | growth light\n  = -2 .5 .2 1.5\n";

static cr_model *garden(const char *target)
{
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr__network_model_model(&model, net_of_text(garden_text), target, &err) != CR_OK)
        fail_msg("%s", err.message);
    return model;
}

static void near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("%.17g is not %.17g", found, expected);
}

static cr_answer ask(const cr_model *model, const char *query)
{
    cr_answer *answer = NULL, copy;
    cr_error err = {0};

    if (cr_query_run(model, query, &answer, &err) != CR_OK)
        fail_msg("%s: %s", query, err.message);
    copy = *answer;
    cr_answer_free(answer);
    return copy;
}

/* --- asked ------------------------------------------------------------------------------------ */

static void numbers_have_the_mean_and_spread_of_the_closed_form(void **state)
{
    cr_model *model = garden(NULL);
    cr_answer a = ask(model, "E(growth)");

    (void)state;
    assert_int_equal(a.kind, CR_QUERY_NUMBER);
    near(a.mean, 9);
    near(a.deviation, 5.43028544369447);
    a = ask(model, "P(growth | height=30)");
    near(a.mean, 13.0034166117869);
    near(a.deviation, 1.42767834252344);
    near(a.low, 9.93625978641778);
    near(a.high, 15.6484733021988);
    near(a.log_condition, -3.93425358115283);
    assert_true(a.density);
    a = ask(model, "E(light | height=30, flowers=12)");
    near(a.mean, 35.8347628197732);
    near(a.deviation, 4.09800763399022);
    near(a.log_condition, -5.64174189181995);
    a = ask(model, "E(growth | light=41, height=30, rain=much)");
    near(a.mean, 14.4384615384615);
    near(a.deviation, 0.832050294337836);
    near(a.log_condition, -7.33005036484795);
    cr_model_free(model);
}

static void words_and_numbers_tell_about_each_other(void **state)
{
    cr_model *model = garden(NULL);

    (void)state;
    near(ask(model, "P(rain=much | height=30)").probability, 0.9606671881627776);
    near(ask(model, "P(rain=much | height=30, flowers=12)").probability, 0.9632565873250736);
    near(ask(model, "P(height > 30 | light=40)").probability, 0.367706367079484);
    near(ask(model, "P(growth > 12 | height=30)").probability, 0.777075185655953);
    /* A condition that is an interval: P(much | growth > 12) by Bayes' rule from the two tails,
     * scipy's norm.sf(12, 5, √4.64) and norm.sf(12, 15, √6.76). */
    near(ask(model, "P(rain=much | growth > 12)").probability, 0.999011450826919);
    /* Not a word about numbers: they are summed out. */
    near(ask(model, "P(rain=much)").probability, .4);
    cr_model_free(model);
}

static void questions_that_cannot_be_answered_are_refused(void **state)
{
    static const char *const refused[] = {"P(growth > 12 | height > 30)", "E(growth | growth > 3)",
                                          "E(rain)", "argmax(growth)",
                                          "E(growth | light=40, light=41)"};
    cr_model *model = garden(NULL);

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cr_answer *answer = NULL;
        cr_error err = {0};

        if (cr_query_run(model, refused[i], &answer, &err) == CR_OK)
            fail_msg("%s: answered", refused[i]);
        assert_true(err.message[0] != '\0');
    }
    assert_int_not_equal(cr_query_best(model, NULL, &(cr_states *){NULL}, NULL), CR_OK);
    cr_model_free(model);
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct seen {
    size_t rows;
    double mean[4], deviation[4], p[4];
} seen;

static cr_status see(void *context, const cr_predictions *p)
{
    seen *s = context;

    for (size_t r = 0; r < p->rows; r++, s->rows++) {
        s->p[s->rows] = p->posterior[r * p->classes + p->classes - 1];
        if (p->regression != NULL) {
            s->mean[s->rows] = p->regression[r].mean;
            s->deviation[s->rows] = p->regression[r].scale;
        }
    }
    return CR_OK;
}

/* Rows with gaps: what they lack is summed out, numbers and words. */
static seen predict(const cr_model *model)
{
    static const double light[] = {41, NAN, NAN}, height[] = {30, 30, 30},
                        flowers[] = {NAN, 12, NAN};
    static const char *const rain[] = {"much", NULL, NULL};
    const cr_array arrays[] = {{.name = "rain", .text = rain},
                               {.name = "light", .real = light},
                               {.name = "height", .real = height},
                               {.name = "flowers", .real = flowers}};
    cr_source *source;
    cr_error err = {0};
    seen s = {0};
    const cr_sink sink = {.visit = see, .context = &s};

    assert_int_equal(cr_source_open_arrays(&source, arrays, 4, 3, &err), CR_OK);
    if (cr_model_predict(model, source, NULL, &sink, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    assert_int_equal(s.rows, 3);
    return s;
}

static void rows_are_scored_exactly_whatever_they_lack(void **state)
{
    cr_model *number = garden("growth"), *word = garden("rain");
    seen s = predict(number);

    (void)state;
    near(s.mean[0], 14.4384615384615);
    near(s.deviation[0], 0.832050294337836);
    near(s.mean[2], 13.0034166117869);
    near(s.deviation[2], 1.42767834252344);
    s = predict(word);
    near(s.p[1], 0.9632565873250736);
    near(s.p[2], 0.9606671881627776);
    cr_model_free(number);
    cr_model_free(word);
}

static cr_status add_row(void *context, const size_t *state, const double *number)
{
    double *sum = context;

    sum[0]++;
    sum[1] += (double)state[0];
    sum[2] += number[2];
    sum[3] += number[2] * number[2];
    assert_true(isnan(number[0]));
    return CR_OK;
}

/* Within five standard errors of the closed form. */
static void samples_have_the_moments_of_the_network(void **state)
{
    enum { N = 40000 };
    cr_model *model = garden(NULL);
    double sum[4] = {0}, mean;

    (void)state;
    assert_int_equal(cr_structure_draw(model, N, 9, add_row, sum, NULL), CR_OK);
    mean = sum[2] / N;
    assert_true(fabs(sum[1] / N - .4) < 5 * sqrt(.24 / N));
    assert_true(fabs(mean - 9) < 5 * 5.43 / sqrt(N));
    assert_true(fabs(sqrt(sum[3] / N - mean * mean) - 5.43) < 5 * 5.43 / sqrt(2 * N));
    cr_model_free(model);
}

/* --- files ------------------------------------------------------------------------------------ */

static void text_and_models_come_back_as_they_were(void **state)
{
    cr_model *model = garden("rain"), *again = NULL;
    cr__network *net = net_of_text(garden_text), *second;
    cr__buffer one = {0}, two = {0};
    cr_error err = {0};
    char path[] = "/tmp/test_normals_XXXXXX";
    const int file = mkstemp(path);

    (void)state;
    assert_true(file >= 0);
    cr__net_format_print(net, &one);
    cr__buffer_addc(&one, '\0');
    second = net_of_text(one.data);
    cr__net_format_print(second, &two);
    cr__buffer_addc(&two, '\0');
    assert_string_equal(one.data, two.data);
    assert_int_equal(cr_model_save(model, path, &err), CR_OK);
    if (cr_model_load(&again, path, 0, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_same_model(model, again);
    near(ask(again, "E(growth | height=30)").mean, 13.0034166117869);
    remove(path);
    cr__buffer_free(&one);
    cr__buffer_free(&two);
    cr__network_free(net);
    cr__network_free(second);
    cr_model_free(model);
    cr_model_free(again);
}

static void faults_of_texts_are_named(void **state)
{
    static const struct {
        const char *text, *message;
    } faulty[] = {
        {"a: *\nb: y n\na = 0 1\nb | a\n  = .5\n",
         "the arc a -> b leads from a number to a discrete variable"},
        {"a: *\na = 0 0\n", "P(a): a standard deviation is above 0, not 0"},
        {"a: *\na = 0 -1\n", "P(a): a standard deviation is above 0, not -1"},
        {"a: *\na = 1\n", "there are 1 numbers, but 'a' needs 2"},
        {"a: *\nb: *\na = 0 1\nb | a\n  = 0 1\n", "there are 2 numbers, but 'b' needs 3"},
        {"a: *\na = 1e200 1\n", "P(a): 1e+200 is too large a number"},
        {"a: *\nk: y n\nk = .5 .5\na | k\n  y = 0 1\n", "P(a | k=n) is not given"},
        {"a: *\n", "the variable 'a' has no mean and no deviation"},
        {"a: *\na = x 1\n", "found 'x' where a number should be"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++) {
        cr__network *net = NULL;
        cr_error err = {0};

        assert_int_not_equal(cr__network_parse(&net, CR__NETWORK_PLAIN, "text", faulty[i].text,
                                               strlen(faulty[i].text), &err),
                             CR_OK);
        if (strstr(err.message, faulty[i].message) == NULL)
            fail_msg("'%s' is not in '%s'", faulty[i].message, err.message);
    }
}

/* --- learned ---------------------------------------------------------------------------------- */

enum { N = 12 };
static const double x_data[N] = {.002, .597, -.548, -1.781, -.909, -1.983,
                                 .12,  2.68, -.984, -1.241, .98,   .714};
static const double y_data[N] = {1.106, .368, .697,   .805, -.799, -.449,
                                 -.841, 1.05, -1.334, .144, .223,  1.628};
static const double z_data[N] = {2.408, 1.42,  1.499, 3.753, 2.645, 3.905,
                                 .863,  -.604, 2.095, 2.88,  1.617, 1.371};
static const char *const k_data[N] = {"a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"};

static cr_source *source_of(const char *target, size_t first, size_t rows)
{
    const cr_array arrays[] = {
        {.name = "k",
         .text = k_data + first,
         .role = target != NULL && *target == 'k' ? CR_ROLE_TARGET : CR_ROLE_FEATURE},
        {.name = "x", .real = x_data + first},
        {.name = "y", .real = y_data + first},
        {.name = "z",
         .real = z_data + first,
         .role = target != NULL && *target == 'z' ? CR_ROLE_TARGET : CR_ROLE_FEATURE}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 4, rows, NULL), CR_OK);
    return source;
}

static cr_model *train(const char *target, const char *list, size_t first, size_t rows)
{
    const char *const params[] = {"real=gaussian", "structure=none", list};
    cr_source *source = source_of(target, first, rows);
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr_model_train(&model, source, "network", params, 3, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static void lines(const cr_model *model, const char *node, const double *expected, size_t count)
{
    size_t found;
    const double *w = cr_network_weights(model, cr_structure_find(model, node), &found);

    assert_non_null(w);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++)
        near(w[i], expected[i]);
}

static void lines_are_those_of_least_squares(void **state)
{
    static const double x[] = {-0.196083333333333, 1.32463363431234};
    static const double y[] = {0.275019559970035, 0.29844229478981, 0.857968518606433};
    static const double z[] = {1.74089500204574, -0.949365700394657, 0.279985559054085,
                               0.497082439249547};
    static const double by_class[] = {1.76501622807986, -0.400972839074574, 0.653731682531287,
                                      1.9608167016815,  -0.94684397427121,  0.149896710489065};
    cr_model *model = train("z", "whitelist=x>y,x>z,y>z", 0, N);

    (void)state;
    lines(model, "x", x, 2);
    lines(model, "y", y, 3);
    lines(model, "z", z, 4);
    cr_model_free(model);
    model = train("k", "whitelist=x>z,k>z", 0, N);
    lines(model, "z", by_class, 6);
    cr_model_free(model);
}

/* Parts that are merged, and rows that come and go, leave the same lines. */
static void what_is_merged_learned_and_unlearned_agrees(void **state)
{
    static const char list[] = "whitelist=x>z,k>z";
    cr_model *whole = train("k", list, 0, N), *one = train("k", list, 0, 6);
    cr_model *two = train("k", list, 6, 6), *sum = train("k", list, 0, 6);
    cr_source *source = source_of("k", 6, 6);
    cr_error err = {0};
    size_t count;
    const double *w = cr_network_weights(whole, cr_structure_find(whole, "z"), &count);
    const double *before = cr_network_weights(one, cr_structure_find(one, "z"), &count);
    double kept[6];

    (void)state;
    memcpy(kept, before, sizeof kept);
    if (cr_model_merge(sum, two, &err) != CR_OK)
        fail_msg("%s", err.message);
    lines(sum, "z", w, 6);
    assert_int_equal(cr_model_learn(one, source, NULL, NULL, &err), CR_OK);
    lines(one, "z", w, 6);
    cr_source_close(source);
    source = source_of("k", 6, 6);
    if (cr_model_unlearn(one, source, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    lines(one, "z", kept, 6);
    cr_source_close(source);
    cr_model_free(whole);
    cr_model_free(one);
    cr_model_free(two);
    cr_model_free(sum);
}

static cr__numbers *numbers_of(const cr_model *model)
{
    const cr__stats *stats;
    cr__numbers *numbers = NULL;

    assert_int_equal(cr__model_stats(model, &stats, NULL), CR_OK);
    assert_int_equal(cr__numbers_new(&numbers, stats, NULL), CR_OK);
    return numbers;
}

/* Every byte of a model changed in turn: it is refused, or what it says is sound. */
static void change_bytes(const cr_model *model, const char *query)
{
    size_t size;
    char *bytes = model_bytes(model, &size);

    for (size_t at = 0; at < size; at++) {
        cr_model *bad = NULL;
        cr_answer *answer = NULL;

        bytes[at] ^= (char)(1 << at % 8);
        if (cr__model_borrow(&bad, bytes, size, 0, NULL) == CR_OK &&
            cr_query_run(bad, query, &answer, NULL) == CR_OK) {
            assert_false(isnan(answer->mean));
            cr_answer_free(answer);
        }
        cr_model_free(bad);
        bytes[at] ^= (char)(1 << at % 8);
    }
    free(bytes);
}

static void hostile_bytes_are_refused_or_harmless(void **state)
{
    cr_model *given = garden("growth"), *learned = train("k", "whitelist=x>z,k>z", 0, N);
    cr_model *number = train("z", "whitelist=x>z,y>z", 0, N);

    (void)state;
    change_bytes(given, "E(growth | height=30)");
    change_bytes(learned, "E(z | x=1)");
    change_bytes(number, "E(z | x=1)");
    cr_model_free(given);
    cr_model_free(learned);
    cr_model_free(number);
}

/* bnlearn's formulas: the sum of dnorm(residual, 0, s, log = TRUE), s² = rss / (n - parents - 1),
 * less ln(n) / 2 or 1 for each parameter; worked out in numpy. */
static void scores_are_those_of_bnlearn(void **state)
{
    static const uint32_t x = 0, xy[] = {0, 1}, x_class[] = {0, 3};
    cr_model *plain = train(NULL, "whitelist=none", 0, N),
             *classes = train("k", "whitelist=none", 0, N);
    cr__numbers *n = numbers_of(plain), *by_class = numbers_of(classes);
    cr__numbers_score bic = {n, CR__SCORE_BIC}, aic = {n, CR__SCORE_AIC},
                      loglik = {n, CR__SCORE_LOGLIK}, mixed = {by_class, CR__SCORE_BIC};
    double work[100];

    (void)state;
    near(cr__numbers_family(&bic, 0, NULL, 0), -22.3858000738269);
    near(cr__numbers_family(&bic, 1, &x, 1), -17.9163679119194);
    near(cr__numbers_family(&bic, 2, xy, 2), -12.1090829832381);
    near(cr__numbers_family(&aic, 2, xy, 2), -11.1392696836621);
    near(cr__numbers_family(&loglik, 1, &x, 1), -14.1890079372374);
    near(cr__numbers_family(&mixed, 2, x_class, 2), -8.54477973650873);
    near(cr__numbers_test(n, 1, 2, &x, 1, work), 0.166112631865287);
    near(cr__numbers_test(n, 0, 1, NULL, 0, work), 0.161942413790751);
    cr__numbers_free(n);
    cr__numbers_free(by_class);
    cr_model_free(plain);
    cr_model_free(classes);
}

/* Rows of the garden, and every way to a structure finds at least its lines. */
typedef struct rows {
    const char *rain[4000];
    double number[4][4000];
    size_t count;
} rows;

static cr_status keep_row(void *context, const size_t *state, const double *number)
{
    rows *r = context;

    r->rain[r->count] = state[0] == 0 ? "little" : "much";
    for (size_t k = 0; k < 4; k++)
        r->number[k][r->count] = number[k + 1];
    r->count++;
    return CR_OK;
}

static void searches_find_the_network_behind_the_rows(void **state)
{
    static const char *const ways[] = {"structure=hc", "structure=tabu", "structure=mmhc",
                                       "structure=k2"};
    cr_model *model = garden(NULL);
    rows *r = calloc(1, sizeof *r);

    (void)state;
    assert_non_null(r);
    assert_int_equal(cr_structure_draw(model, 4000, 3, keep_row, r, NULL), CR_OK);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const cr_array arrays[] = {{.name = "rain", .text = r->rain, .role = CR_ROLE_TARGET},
                                   {.name = "light", .real = r->number[0]},
                                   {.name = "growth", .real = r->number[1]},
                                   {.name = "height", .real = r->number[2]},
                                   {.name = "flowers", .real = r->number[3]}};
        const char *const params[] = {"real=gaussian", ways[w]};
        cr_structure_comparison c;
        cr_source *source;
        cr_model *found = NULL;
        cr_error err = {0};

        assert_int_equal(cr_source_open_arrays(&source, arrays, 5, r->count, NULL), CR_OK);
        if (cr_model_train(&found, source, "network", params, 2, NULL, NULL, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_int_equal(cr_structure_compare(model, found, &c, NULL), CR_OK);
        if (c.classes.distance != 0)
            fail_msg("%s: distance %zu", ways[w], c.classes.distance);
        cr_source_close(source);
        cr_model_free(found);
    }
    free(r);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_the_mean_and_spread_of_the_closed_form),
        cmocka_unit_test(words_and_numbers_tell_about_each_other),
        cmocka_unit_test(questions_that_cannot_be_answered_are_refused),
        cmocka_unit_test(rows_are_scored_exactly_whatever_they_lack),
        cmocka_unit_test(samples_have_the_moments_of_the_network),
        cmocka_unit_test(text_and_models_come_back_as_they_were),
        cmocka_unit_test(faults_of_texts_are_named),
        cmocka_unit_test(hostile_bytes_are_refused_or_harmless),
        cmocka_unit_test(lines_are_those_of_least_squares),
        cmocka_unit_test(what_is_merged_learned_and_unlearned_agrees),
        cmocka_unit_test(scores_are_those_of_bnlearn),
        cmocka_unit_test(searches_find_the_network_behind_the_rows),
    };

    return cmocka_run_group_tests_name("network_normals", tests, NULL, NULL);
}
