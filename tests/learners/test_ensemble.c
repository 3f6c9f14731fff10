/* tests/learners/test_ensemble.c - several models that answer as one.
 *
 * What the ensemble says is compared with what its members say one by one, with the lectures'
 * figures, and with brute force.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "credence/combine.h"
#include "credence/credence.h"
#include "learners/ensemble/ensemble.h"
#include "support/model_bytes.h"

enum { ROWS = 600, CLASSES = 3, MOST = 4 };

static void assert_near(double found, double expected, double absolute)
{
    if (!(fabs(found - expected) <= absolute))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* --- tables and models ------------------------------------------------------------------------ */

static const char *const classes[CLASSES] = {"high", "low", "mid"};

/* A word column whose values depend on the row's place, so that parts of the table have different
 * ones; a number, a text, and something missing here and there. */
typedef struct table {
    const char *colour[ROWS], *word[ROWS], *text[ROWS], *class[ROWS];
    double size[ROWS], weight[ROWS];
    char words[ROWS][8], texts[ROWS][64];
} table;

static table *random_table(uint64_t seed)
{
    static const char *const colours[] = {"red", "green", "blue", "grey"};
    static const char *const nouns[] = {"sun", "Moon", "sea", "Tree", "stone", "bird"};
    cr__random rng;
    table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = cr__random_below(&rng, CLASSES);

        snprintf(t->words[r], sizeof t->words[r], "w%u",
                 (unsigned)(cr__random_below(&rng, 6) + r / 100));
        snprintf(t->texts[r], sizeof t->texts[r], "the %s and the %s",
                 nouns[(c + cr__random_below(&rng, 5)) % 6], nouns[cr__random_below(&rng, 6)]);
        t->class[r] = classes[c];
        t->colour[r] =
            cr__random_below(&rng, 9) == 0 ? NULL : colours[(c + cr__random_below(&rng, 3)) % 4];
        t->word[r] = cr__random_below(&rng, 9) == 0 ? NULL : t->words[r];
        t->text[r] = cr__random_below(&rng, 9) == 0 ? NULL : t->texts[r];
        t->size[r] =
            cr__random_below(&rng, 9) == 0 ? NAN : (double)c + 1.5 * cr__random_normal(&rng);
        t->weight[r] = 1 + (double)cr__random_below(&rng, 3);
    }
    return t;
}

enum { COLOUR = 1, WORD = 2, SIZE = 4, TEXT = 8, WEIGHT = 16 };

/* Some columns of rows first … first + count - 1. */
static cr_source *source_of(const table *t, size_t first, size_t count, int columns)
{
    cr_array arrays[6];
    size_t n = 0;
    cr_source *source;
    cr_error err = {0};

    if (columns & COLOUR)
        arrays[n++] = (cr_array){.name = "colour", .text = t->colour + first};
    if (columns & SIZE)
        arrays[n++] = (cr_array){.name = "size", .real = t->size + first};
    if (columns & TEXT)
        arrays[n++] = (cr_array){.name = "text", .text = t->text + first, .kind = CR_BAG};
    if (columns & WORD)
        arrays[n++] = (cr_array){.name = "word", .text = t->word + first};
    if (columns & WEIGHT)
        arrays[n++] = (cr_array){.name = "w", .real = t->weight + first, .role = CR_ROLE_WEIGHT};
    arrays[n++] = (cr_array){.name = "class", .text = t->class + first, .role = CR_ROLE_TARGET};
    if (cr_source_open_arrays(&source, arrays, n, count, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_model *train_with(cr_source *source, const char *learner, const char *param)
{
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, &param, param != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static cr_model *combine(cr_model *const *member, size_t count, cr_source *held_out,
                         const char *param, const cr_run *run)
{
    static const char *const names[] = {"h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9"};
    cr_model *model;
    cr_error err = {0};

    if (cr_model_combine(&model, (const cr_model *const *)member, names, count, held_out, &param,
                         param != NULL, run, NULL, &err) != CR_OK)
        fail_msg("%s (%s)", err.message, err.hint);
    cr_source_close(held_out);
    return model;
}

static void turn(cr_model *model, const char *param)
{
    cr_error err = {0};

    if (cr_model_refit(model, &param, 1, &err) != CR_OK)
        fail_msg("%s (%s)", err.message, err.hint);
}

typedef struct answers {
    double posterior[ROWS][CLASSES], log_evidence[ROWS], log_truth[ROWS], weight[ROWS];
    int32_t decision[ROWS], truth[ROWS];
    size_t rows;
} answers;

static cr_status take(void *context, const cr_predictions *p)
{
    answers *a = context;

    for (size_t r = 0; r < p->rows; r++, a->rows++) {
        memcpy(a->posterior[a->rows], p->posterior + r * p->classes, p->classes * sizeof(double));
        a->log_evidence[a->rows] = p->log_evidence[r];
        a->decision[a->rows] = p->decision[r];
        a->truth[a->rows] = p->truth[r];
        a->log_truth[a->rows] = p->log_truth[r];
        a->weight[a->rows] = p->weight == NULL ? 1 : p->weight[r];
    }
    return CR_OK;
}

static answers *predict(const cr_model *model, cr_source *source, int threads)
{
    answers *a = calloc(1, sizeof *a);
    const cr_sink sink = {.visit = take, .context = a};
    const cr_run run = {.threads = threads};
    cr_error err = {0};

    assert_non_null(a);
    if (cr_model_predict(model, source, NULL, &sink, &run, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return a;
}

/* Four members that have little in common: other rows, columns, learners, knobs, words. */
static void four_members(const table *t, cr_model *member[MOST])
{
    member[0] = train_with(source_of(t, 0, 200, COLOUR | WORD | SIZE), "nb", NULL);
    member[1] = train_with(source_of(t, 150, 150, TEXT | WORD), "nb", "tokens=chars");
    member[2] = train_with(source_of(t, 100, 250, SIZE | TEXT | COLOUR), "nb", "lower-case=no");
    member[3] = train_with(source_of(t, 0, 300, COLOUR | WEIGHT), "nb", "smoothing=m-estimate");
}

static void free_models(cr_model **member, size_t count)
{
    for (size_t m = 0; m < count; m++)
        cr_model_free(member[m]);
}

/* --- the lectures ----------------------------------------------------------------------------- */

/* A model of one column x with P(A | x = a) = first / 10 and P(A | x = b) = second / 10: so many
 * rows of each, nothing smoothed. */
static cr_model *hypothesis(int first, int second)
{
    const char *x[20], *class[20];
    const cr_array arrays[] = {{.name = "x", .text = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr_source *source;

    for (int r = 0; r < 20; r++) {
        x[r] = r < 10 ? "a" : "b";
        class[r] = r % 10 < (r < 10 ? first : second) ? "A" : "B";
    }
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 20, NULL), CR_OK);
    return train_with(source, "nb", "smoothing=none");
}

static cr_source *rows_of(const char *const *x, const char *const *class, size_t rows)
{
    const cr_array arrays[] = {{.name = "x", .text = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, rows, NULL), CR_OK);
    return source;
}

static const char *const b[] = {"b"}, *const a[] = {"a"}, *const label[] = {"A"};

/* Likelihoods .6 .9 .7, priors .3 .2 .5: posteriors .2535 .2535 .4930; votes for A of .3 .4 .9 give
 * A .441 / .71 = .6211. */
static void the_lectures_mixture(void **state)
{
    static const double relative[] = {0.18, 0.18, 0.35};
    cr_model *h[] = {hypothesis(3, 6), hypothesis(4, 9), hypothesis(9, 7)};
    cr_model *e = combine(h, 3, rows_of(b, label, 1), "prior=h1:.3,h2:.2,h3:.5", NULL);
    answers *said = predict(e, rows_of(a, label, 1), 1);
    cr_member m;

    (void)state;
    assert_int_equal(cr_model_members(e), 3);
    assert_int_equal(cr_model_members(h[0]), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(cr_model_member(e, i, &m), CR_OK);
        assert_near(m.weight, relative[i] / 0.71, 1e-14);
    }
    assert_near(exp(m.log_likelihood), 0.7, 1e-14);
    assert_string_equal(m.name, "h3");
    assert_near(m.prior, 0.5, 0);
    assert_int_equal(cr_model_member(e, 3, &m), CR_END);
    assert_near(said->posterior[0][0], 0.441 / 0.71, 1e-14);
    assert_int_equal(said->decision[0], 0);
    free(said);
    cr_model_free(e);
    free_models(h, 3);
}

/* Posteriors .4 .3 .3 and votes A B B: A .4, B .6, so B, though the best hypothesis says A. The
 * three hold the held-out row to be equally likely. */
static void the_best_member_is_outvoted(void **state)
{
    cr_model *h[] = {hypothesis(10, 5), hypothesis(0, 5), hypothesis(0, 5)};
    cr_model *e = combine(h, 3, rows_of(b, label, 1), "prior=h1:.4,h2:.3,h3:.3", NULL);
    answers *said = predict(e, rows_of(a, label, 1), 1);

    (void)state;
    assert_near(said->posterior[0][0], 0.4, 1e-14);
    assert_near(said->posterior[0][1], 0.6, 1e-14);
    assert_int_equal(said->decision[0], 1);
    free(said);
    cr_model_free(e);
    free_models(h, 3);
}

/* --- what the members say --------------------------------------------------------------------- */

static void the_optimal_rule_mixes_posteriors(void **state)
{
    table *t = random_table(4);
    cr_model *member[MOST], *e;
    answers *said[MOST], *all;
    double weight[MOST];
    cr_member m;

    (void)state;
    four_members(t, member);
    e = combine(member, MOST, source_of(t, 300, 60, COLOUR | WORD | SIZE | TEXT), NULL, NULL);
    turn(e, "prior=h1:.1,h2:.2,h3:.3,h4:.4");
    turn(e, "weights=stacking"); /* all count for something */
    for (size_t i = 0; i < MOST; i++) {
        assert_int_equal(cr_model_member(e, i, &m), CR_OK);
        weight[i] = m.weight;
        said[i] = predict(member[i], source_of(t, 0, ROWS, COLOUR | WORD | SIZE | TEXT), 1);
    }
    all = predict(e, source_of(t, 0, ROWS, COLOUR | WORD | SIZE | TEXT), 1);
    assert_int_equal(all->rows, ROWS);
    for (size_t r = 0; r < ROWS; r++) {
        double evidence = 0;

        for (size_t c = 0; c < CLASSES; c++) {
            double p = 0;

            for (size_t i = 0; i < MOST; i++)
                p += weight[i] * said[i]->posterior[r][c];
            assert_near(all->posterior[r][c], p, 1e-12);
        }
        for (size_t i = 0; i < MOST; i++)
            evidence += weight[i] * exp(said[i]->log_evidence[r]);
        assert_near(all->log_evidence[r], log(evidence), 1e-9);
    }
    for (size_t i = 0; i < MOST; i++)
        free(said[i]);
    free(all);
    cr_model_free(e);
    free_models(member, MOST);
    free(t);
}

/* ln P(h | D) = ln P(h) + Σ ln P(label | row, h) + constant. */
static void posterior_weights_follow_bayes_rule(void **state)
{
    const int columns = COLOUR | WORD | SIZE | TEXT | WEIGHT;
    table *t = random_table(9);
    cr_model *member[MOST], *e;
    double log_posterior[MOST], prior[MOST] = {0.1, 0.2, 0.3, 0.4}, best = -INFINITY, sum = 0;
    cr_member m;

    (void)state;
    four_members(t, member);
    e = combine(member, MOST, source_of(t, 300, 40, columns), "prior=h1:.1,h2:.2,h3:.3,h4:.4",
                NULL);
    for (size_t i = 0; i < MOST; i++) {
        answers *said = predict(member[i], source_of(t, 300, 40, columns), 1);
        double likelihood = 0;

        for (size_t r = 0; r < said->rows; r++)
            likelihood += t->weight[300 + r] * said->log_truth[r];
        assert_int_equal(cr_model_member(e, i, &m), CR_OK);
        assert_near(m.log_likelihood, likelihood, 1e-10);
        log_posterior[i] = log(prior[i]) + likelihood;
        best = fmax(best, log_posterior[i]);
        free(said);
    }
    for (size_t i = 0; i < MOST; i++)
        sum += exp(log_posterior[i] - best);
    for (size_t i = 0; i < MOST; i++) {
        assert_int_equal(cr_model_member(e, i, &m), CR_OK);
        assert_near(m.weight, exp(log_posterior[i] - best) / sum, 1e-10);
        assert_near(m.prior, prior[i], 1e-15);
    }
    cr_model_free(e);
    free_models(member, MOST);
    free(t);
}

static double mixture_score(answers *const *said, const double *weight, size_t members)
{
    double score = 0;

    for (size_t r = 0; r < said[0]->rows; r++) {
        double p = 0;

        for (size_t i = 0; i < members; i++)
            p += weight[i] * exp(said[i]->log_truth[r]);
        score += log(p);
    }
    return score;
}

/* No other weights, on a grid of 1/100, give the held-out labels a better score. */
static void stacking_scores_best(void **state)
{
    const int columns = COLOUR | WORD | SIZE | TEXT;
    table *t = random_table(2);
    cr_model *member[MOST], *e;
    answers *said[3];
    double weight[3], best;
    cr_member m;

    (void)state;
    four_members(t, member);
    e = combine(member, 3, source_of(t, 300, 200, columns), "weights=stacking", NULL);
    for (size_t i = 0; i < 3; i++) {
        said[i] = predict(member[i], source_of(t, 300, 200, columns), 1);
        assert_int_equal(cr_model_member(e, i, &m), CR_OK);
        weight[i] = m.weight;
        assert_near(m.weight, m.stacking, 1e-15);
    }
    assert_near(weight[0] + weight[1] + weight[2], 1, 1e-12);
    best = mixture_score(said, weight, 3);
    for (int i = 0; i <= 100; i++)
        for (int j = 0; i + j <= 100; j++) {
            const double other[3] = {i / 100.0, j / 100.0, (100 - i - j) / 100.0};

            assert_true(mixture_score(said, other, 3) <= best + 200 * 1e-8);
        }
    for (size_t i = 0; i < 3; i++)
        free(said[i]);
    cr_model_free(e);
    free_models(member, MOST);
    free(t);
}

/* At the top no member would add anything: Σ v p / mixture is at most 1 for each, and as L is
 * concave nothing is better. With members that repeat others, and labels that some hold
 * impossible. */
static void stacking_reaches_the_top(void **state)
{
    enum { MEMBERS = 8, LABELS = 60 };
    double log_p[MEMBERS * LABELS], v[LABELS], w[MEMBERS];
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 5);
    for (int trial = 0; trial < 1500; trial++) {
        const size_t M = 1 + cr__random_below(&rng, MEMBERS),
                     R = 1 + cr__random_below(&rng, LABELS);
        double total = 0, g[MEMBERS] = {0}, sum = 0;

        for (size_t i = 0; i < R * M; i++)
            log_p[i] = trial % 3 == 2 && cr__random_below(&rng, 3) == 0
                           ? -INFINITY
                           : -cr__random_exponential(&rng) * (trial % 3 == 1 ? 20 : 1);
        for (size_t r = 0; r < R; r++) {
            v[r] = 1 + (double)cr__random_below(&rng, 3);
            if (M > 1 && trial % 5 == 0)
                log_p[r * M + 1] = log_p[r * M];
        }
        assert_int_equal(cr__stack(log_p, v, R, M, w, NULL), CR_OK);
        for (size_t r = 0; r < R; r++) {
            double mixture = 0;

            for (size_t m = 0; m < M; m++)
                mixture += w[m] * exp(log_p[r * M + m]);
            for (size_t m = 0; mixture > 0 && m < M; m++)
                g[m] += v[r] * exp(log_p[r * M + m]) / mixture;
            total += mixture > 0 ? v[r] : 0;
        }
        for (size_t m = 0; m < M; m++) {
            assert_true(w[m] >= 0 && g[m] <= total * (1 + 1.1e-9));
            sum += w[m];
        }
        assert_near(sum, 1, 1e-12);
    }
}

/* A member for which the row is impossible leaves its weight to the others; where that holds for
 * all, there is no decision. P(A | c) is 1 for the first and unknown to the others, which never met
 * c. */
static void impossible_rows_are_left_to_the_others(void **state)
{
    const char *x[] = {"a", "b", "c"}, *class[] = {"A", "B", "A"};
    const char *params[] = {"smoothing=none", "unseen=smooth"};
    cr_model *h[3], *e;
    answers *said;
    cr_source *source;

    (void)state;
    for (int i = 0; i < 2; i++) {
        source = rows_of(x, class, i == 0 ? 3 : 2);
        assert_int_equal(cr_model_train(&h[i], source, "nb", params, 2, NULL, NULL, NULL), CR_OK);
        cr_source_close(source);
    }
    e = combine(h, 2, NULL, "weights=equal", NULL);
    x[1] = "d";
    said = predict(e, rows_of(x, class, 3), 1);
    assert_int_equal(said->decision[0], 0);
    assert_int_equal(said->decision[1], CR_UNDECIDED); /* nobody has met d */
    assert_int_equal(said->decision[2], 0);
    assert_near(said->posterior[2][0], 1, 0);
    free(said);
    cr_model_free(e);
    free_models(h, 2);
}

static cr_status add_up(void *context, const cr_explanation *x)
{
    size_t *rows = context;

    ++*rows;
    assert_int_equal(x->factors, 0);
    assert_int_equal(x->members, MOST);
    for (size_t c = 0; c < x->classes; c++) {
        double p = 0;

        for (size_t i = 0; i < x->members; i++)
            p += x->member[i].weight * x->member[i].posterior[c];
        assert_near(p, x->posterior[c], 1e-12);
    }
    for (size_t i = 0; i < x->members; i++) {
        const cr_member_share *m = &x->member[i];

        assert_int_equal(m->drawn, 0);
        for (size_t c = 0; c < x->classes; c++)
            assert_true(m->posterior[c] <= m->posterior[m->decision]);
    }
    assert_string_equal(x->member[1].name, "h2");
    return CR_OK;
}

static void explanations_add_up_to_the_posterior(void **state)
{
    table *t = random_table(6);
    cr_model *member[MOST], *e;
    cr_source *source = source_of(t, 0, 100, COLOUR | WORD | SIZE | TEXT);
    size_t rows = 0;

    (void)state;
    four_members(t, member);
    e = combine(member, MOST, NULL, "weights=equal", NULL);
    assert_int_equal(cr_model_explain(e, source, NULL, add_up, &rows, NULL), CR_OK);
    assert_int_equal(rows, 100);
    cr_source_close(source);
    cr_model_free(e);
    free_models(member, MOST);
    free(t);
}

/* --- the Gibbs rule --------------------------------------------------------------------------- */

static void the_gibbs_rule_draws_one_member_a_row(void **state)
{
    const int columns = COLOUR | WORD | SIZE | TEXT;
    table *t = random_table(4);
    cr_model *member[MOST], *e;
    answers *said[MOST], *one, *three, *other;
    double drawn[MOST] = {0};
    size_t changed = 0;
    cr_member m;

    (void)state;
    four_members(t, member);
    e = combine(member, MOST, source_of(t, 300, 200, columns), "weights=stacking", NULL);
    turn(e, "rule=gibbs");
    for (size_t i = 0; i < MOST; i++)
        said[i] = predict(member[i], source_of(t, 0, ROWS, columns), 1);
    one = predict(e, source_of(t, 0, ROWS, columns), 1);
    three = predict(e, source_of(t, 0, ROWS, columns), 3);
    assert_memory_equal(one, three, sizeof *one); /* whatever the number of threads */
    turn(e, "seed=7");
    other = predict(e, source_of(t, 0, ROWS, columns), 1);
    for (size_t r = 0; r < ROWS; r++) {
        size_t i = 0;

        while (i < MOST && memcmp(one->posterior[r], said[i]->posterior[r], sizeof *one->posterior))
            i++;
        assert_true(i < MOST);
        drawn[i]++;
        changed += memcmp(one->posterior[r], other->posterior[r], sizeof *one->posterior) != 0;
    }
    for (size_t i = 0; i < MOST; i++) { /* to four standard deviations */
        assert_int_equal(cr_model_member(e, i, &m), CR_OK);
        assert_near(drawn[i] / ROWS, m.weight, 4 * sqrt(m.weight * (1 - m.weight) / ROWS) + 1e-9);
        free(said[i]);
    }
    assert_true(changed > ROWS / 10);
    free(one);
    free(three);
    free(other);
    cr_model_free(e);
    free_models(member, MOST);
    free(t);
}

static cr_status see_draw(void *context, const cr_explanation *x)
{
    size_t drawn = 0;

    (void)context;
    for (size_t i = 0; i < x->members; i++)
        if (x->member[i].drawn) {
            drawn++;
            for (size_t c = 0; c < x->classes; c++)
                assert_near(x->posterior[c], x->member[i].posterior[c], 1e-15);
        }
    assert_int_equal(drawn, 1);
    return CR_OK;
}

/* One row asked again and again is answered by one member or the other, half and half. */
static void single_rows_are_drawn_for_as_well(void **state)
{
    cr_model *h[] = {hypothesis(10, 5), hypothesis(0, 5)};
    cr_model *e = combine(h, 2, NULL, "weights=equal", NULL);
    cr_source *source = rows_of(a, label, 1);
    size_t first = 0;
    cr_row *row;

    (void)state;
    turn(e, "rule=gibbs");
    assert_int_equal(cr_row_new(&row, e, NULL), CR_OK);
    assert_int_equal(cr_row_set_text(row, 0, "a"), CR_OK);
    for (int i = 0; i < 1000; i++) {
        double posterior[2];
        int32_t decision;

        assert_int_equal(cr_model_classify(e, row, posterior, &decision, NULL), CR_OK);
        first += decision == 0;
    }
    assert_true(first > 437 && first < 563); /* four standard deviations around 500 */
    cr_row_free(row);
    assert_int_equal(cr_model_explain(e, source, NULL, see_draw, NULL, NULL), CR_OK);
    cr_source_close(source);
    cr_model_free(e);
    free_models(h, 2);
}

/* Hypotheses: thresholds 0 … 8 on eight values. One of them, drawn uniformly, labels a few held-out
 * rows and all the rows of the test. D. Haussler, M. Kearns and R. Schapire (1994): the Gibbs
 * classifier is expected to err at most twice as often as the Bayes optimal one. */
static void gibbs_errs_at_most_twice_as_often_as_optimal(void **state)
{
    enum { VALUES = 8, MEMBERS = 9, TRIALS = 400, SEEN = 2 };
    static const char *const value[VALUES] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    const char *x[VALUES * 2], *class[VALUES * 2];
    cr_model *h[MEMBERS];
    size_t optimal = 0, gibbs = 0;
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 77);
    for (size_t i = 0; i < MEMBERS; i++) { /* both classes occur: a row without a value each */
        size_t n = 0;

        for (; n < VALUES; n++) {
            x[n] = value[n];
            class[n] = n < i ? "-" : "+";
        }
        x[n] = x[n + 1] = NULL;
        class[n] = "-";
        class[n + 1] = "+";
        h[i] = train_with(rows_of(x, class, n + 2), "nb", "smoothing=none");
        turn(h[i], "prior=uniform");
    }
    for (size_t trial = 0; trial < TRIALS; trial++) {
        const size_t truth = cr__random_below(&rng, MEMBERS);
        char seed[24];
        cr_model *e;
        answers *said;

        for (size_t i = 0; i < SEEN; i++) {
            const size_t v = cr__random_below(&rng, VALUES);

            x[i] = value[v];
            class[i] = v < truth ? "-" : "+";
        }
        e = combine(h, MEMBERS, rows_of(x, class, SEEN), NULL, NULL);
        for (size_t v = 0; v < VALUES; v++) {
            x[v] = value[v];
            class[v] = v < truth ? "-" : "+";
        }
        said = predict(e, rows_of(x, class, VALUES), 1);
        for (size_t v = 0; v < VALUES; v++)
            optimal += said->decision[v] != said->truth[v];
        free(said);
        turn(e, "rule=gibbs");
        snprintf(seed, sizeof seed, "seed=%zu", trial);
        turn(e, seed);
        said = predict(e, rows_of(x, class, VALUES), 1);
        for (size_t v = 0; v < VALUES; v++)
            gibbs += said->decision[v] != said->truth[v];
        free(said);
        cr_model_free(e);
    }
    assert_true(gibbs <= 2 * optimal);
    assert_true(gibbs > optimal + optimal / 10); /* it does err more: there is something to show */
    free_models(h, MEMBERS);
}

/* --- a model like any other ------------------------------------------------------------------- */

static void an_ensemble_is_saved_and_loaded(void **state)
{
    const int columns = COLOUR | WORD | SIZE | TEXT;
    table *t = random_table(5);
    cr_model *member[MOST], *e, *loaded;
    answers *before, *after;
    cr_model_facts facts, same;
    double parameters = MOST - 1;
    cr_error err = {0};

    (void)state;
    four_members(t, member);
    e = combine(member, MOST, source_of(t, 300, 100, columns), "rule=gibbs", NULL);
    assert_int_equal(cr_model_save(e, "ensemble.model", NULL), CR_OK);
    if (cr_model_load(&loaded, "ensemble.model", 0, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_same_model(e, loaded);
    for (int optimal = 0; optimal < 2; optimal++) {
        before = predict(e, source_of(t, 0, ROWS, columns), 2);
        after = predict(loaded, source_of(t, 0, ROWS, columns), 2);
        assert_memory_equal(before, after, sizeof *before);
        free(before);
        free(after);
        turn(e, "rule=optimal"); /* knobs turn in a loaded one as well */
        turn(loaded, "rule=optimal");
        turn(e, "weights=stacking");
        turn(loaded, "weights=stacking");
    }
    assert_same_model(e, loaded);
    cr_model_get_facts(e, &facts);
    cr_model_get_facts(loaded, &same);
    assert_string_equal(facts.fingerprint, same.fingerprint);
    assert_int_equal(strlen(facts.fingerprint), 32);
    assert_int_equal(facts.rows, 100);
    for (size_t i = 0; i < MOST; i++) {
        cr_model_facts one;

        cr_model_get_facts(member[i], &one);
        parameters += one.parameters;
    }
    assert_true(facts.parameters == parameters);
    assert_string_equal(cr_model_learner(loaded), "ensemble");
    assert_string_equal(cr_model_class(loaded, 2), "mid");
    assert_near(cr_model_prior(loaded, 0) + cr_model_prior(loaded, 1) + cr_model_prior(loaded, 2),
                1, 1e-12);
    assert_true(isnan(cr_model_class_count(loaded, 0)) && isnan(cr_model_information(loaded, 0)));
    cr_model_free(e);
    cr_model_free(loaded);
    remove("ensemble.model");
    free_models(member, MOST);
    free(t);
}

/* Testing uses the same path, including costs and rejection. */
static void an_ensemble_is_tested(void **state)
{
    const int columns = COLOUR | WORD | SIZE | TEXT;
    table *t = random_table(5);
    cr_model *member[MOST], *e;
    cr_source *source = source_of(t, 300, 300, columns);
    cr_rule *rule;
    cr_predict_options options = {0};
    cr_evaluation *evaluation;
    cr_metrics m;
    cr_error err = {0};

    (void)state;
    four_members(t, member);
    e = combine(member, MOST, NULL, "weights=equal", NULL);
    assert_int_equal(cr_rule_new(&rule, e,
                                 &(cr_rule_options){.costs = "high->low=5",
                                                    .may_reject = 1,
                                                    .reject_cost = 0.5,
                                                    .priors = "high:.2,low:.3,mid:.5"},
                                 NULL),
                     CR_OK);
    options.rule = rule;
    if (cr_model_test(e, source, &options, NULL, &evaluation, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_evaluation_metrics(evaluation, &m);
    assert_true(m.rows == 300 && m.rejected > 10 && m.coverage < 1 && m.cost > 0 &&
                m.decided_accuracy > 0.4);
    cr_evaluation_free(evaluation);
    cr_rule_free(rule);
    cr_source_close(source);
    cr_model_free(e);
    free_models(member, MOST);
    free(t);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void refused(cr_model *const *member, size_t count, cr_source *held_out, const char *param,
                    cr_status status, const char *message)
{
    static const char *const names[] = {"h1", "h2", "h3", "h4"};
    cr_model *model = (cr_model *)(uintptr_t)1;
    cr_error err = {0};

    assert_int_equal(cr_model_combine(&model, (const cr_model *const *)member, names, count,
                                      held_out, &param, param != NULL, NULL, NULL, &err),
                     status);
    assert_null(model);
    if (strstr(err.message, message) == NULL)
        fail_msg("'%s' instead of '%s'", err.message, message);
    cr_source_close(held_out);
}

static cr_model *of_rows(const char *const *x, const char *const *class, size_t rows,
                         const char *column, const char *target, int real)
{
    const double number[] = {1, 2, 3, 4};
    const cr_array arrays[] = {
        {.name = column, .text = real ? NULL : x, .real = real ? number : NULL},
        {.name = target, .text = class, .role = CR_ROLE_TARGET}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, rows, NULL), CR_OK);
    return train_with(source, "nb", NULL);
}

/* Four rows in ten folds: each is answered without itself. Of (a, A) the others leave one row (a,
 * A) and two (b, B), so with Laplace smoothing P(A | a) = (1/3 2/3) / (1/3 2/3 + 2/3 1/4) = 4/7,
 * and the other rows are like it. */
static void learned_rows_are_answered_without_themselves(void **state)
{
    static const char *const x[] = {"a", "b", "a", "b"}, *const two[] = {"A", "B", "A", "B"};
    const cr_array arrays[] = {{.name = "x", .text = x},
                               {.name = "class", .text = two, .role = CR_ROLE_TARGET}};
    cr_model *m[2] = {of_rows(x, two, 4, "x", "class", 0), of_rows(x, two, 4, "x", "class", 0)};
    cr_model *e;
    cr_source *source;
    cr_tally tally;
    cr_member first;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 4, NULL), CR_OK);
    if (cr_model_combine_learned(&e, (const cr_model *const *)m, NULL, 2, source, NULL, 0, NULL,
                                 &tally, &err) != CR_OK)
        fail_msg("%s (%s)", err.message, err.hint);
    assert_int_equal(tally.rows, 4);
    assert_int_equal(cr_model_member(e, 0, &first), CR_OK);
    assert_float_equal(first.log_likelihood, 4 * log(4.0 / 7), 1e-12);
    assert_float_equal(first.accuracy, 1, 0);
    assert_float_equal(first.weight, 0.5, 1e-12);
    cr_source_close(source);
    cr_model_free(e);
    free_models(m, 2);
}

static void members_that_do_not_fit_are_refused(void **state)
{
    static const char *const x[] = {"a", "b", "a", "b"};
    static const char *const two[] = {"A", "B", "A", "B"}, *const three[] = {"A", "B", "C", "B"};
    cr_model *m[2] = {of_rows(x, two, 4, "x", "class", 0), NULL};
    cr_model *e;

    (void)state;
    refused(m, 0, NULL, NULL, CR_EARG, "0 members");
    m[1] = of_rows(x, three, 4, "x", "class", 0);
    refused(m, 2, NULL, "weights=equal", CR_ECONFLICT, "'h2' has the class 'C', others do not");
    cr_model_free(m[1]);
    e = m[0];
    m[0] = of_rows(x, three, 4, "x", "class", 0);
    m[1] = e;
    refused(m, 2, NULL, "weights=equal", CR_ECONFLICT,
            "'h2' lacks the class 'C', which others have");
    cr_model_free(m[0]);
    m[0] = e;
    m[1] = of_rows(x, two, 4, "x", "class", 1);
    refused(m, 2, NULL, "weights=equal", CR_ECONFLICT,
            "'x' is real in 'h2', elsewhere it is symbol");
    cr_model_free(m[1]);
    m[1] = of_rows(x, two, 4, "x", "kind", 0);
    refused(m, 2, NULL, "weights=equal", CR_ECONFLICT, "'h2' predicts 'kind', others 'class'");
    cr_model_free(m[1]);
    m[1] = combine(m, 1, NULL, "weights=equal", NULL);
    refused(m, 2, NULL, "weights=equal", CR_EARG, "'h2' is an ensemble itself");
    free_models(m, 2);
}

static void wrong_knobs_are_refused(void **state)
{
    static const char *const none[] = {NULL}, *const other[] = {"C"};
    cr_model *h[] = {hypothesis(10, 5), hypothesis(0, 5)};
    cr_model *sure[] = {hypothesis(0, 5), hypothesis(0, 5)};

    (void)state;
    refused(h, 2, NULL, NULL, CR_EARG, "weights=posterior needs held-out rows");
    refused(h, 2, NULL, "weights=stacking", CR_EARG, "weights=stacking needs held-out rows");
    refused(h, 2, NULL, "wights=equal", CR_EARG, "there is no knob 'wights'");
    refused(h, 2, NULL, "weights=best", CR_EARG,
            "it must be one of posterior|accuracy|stacking|equal");
    refused(h, 2, rows_of(a, label, 1), "prior=h1:.5,h2:.6", CR_EARG, "the priors sum to 1.1");
    refused(h, 2, rows_of(a, label, 1), "prior=h1:.5,h3:.5", CR_EARG, "names the member 'h3'");
    refused(h, 2, rows_of(a, label, 1), "prior=h1:1", CR_EARG, "leaves out the member 'h2'");
    refused(h, 2, rows_of(a, label, 1), "prior=h1:-1,h2:2", CR_EARG, "the prior of 'h1' is -1");
    refused(h, 2, rows_of(a, label, 1), "prior=0.5,0.5", CR_EARG, "it must be uniform or NAME:P");
    refused(h, 2, rows_of(a, label, 1), "seed=1.5", CR_EARG, "seed is 1.5");
    refused(h, 2, rows_of(a, none, 1), NULL, CR_EFORMAT, "no held-out row has a class");
    refused(h, 2, rows_of(a, other, 1), NULL, CR_EFORMAT, "no held-out row has a class");
    refused(sure, 2, rows_of(a, label, 1), NULL, CR_ECONFLICT,
            "every member holds some label of the held-out rows impossible");
    free_models(h, 2);
    free_models(sure, 2);
}

static void an_ensemble_does_not_learn(void **state)
{
    cr_model *h[] = {hypothesis(10, 5), hypothesis(0, 5)};
    cr_model *e = combine(h, 2, NULL, "weights=equal", NULL), *none, *twin;
    cr_source *source = rows_of(a, label, 1);
    const char *stacking = "weights=stacking";
    cr_error err = {0};

    (void)state;
    twin = combine(h, 2, NULL, "weights=equal", NULL);
    assert_int_equal(cr_model_learn(e, source, NULL, NULL, &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "an ensemble keeps no statistics of its own"));
    assert_int_equal(cr_model_unlearn(e, source, NULL, NULL, &err), CR_ECONFLICT);
    assert_int_equal(cr_model_merge(e, twin, &err), CR_ECONFLICT);
    assert_int_equal(cr_model_refit(e, &stacking, 1, &err), CR_EARG);
    assert_non_null(strstr(err.message, "needs held-out rows"));
    assert_int_equal(cr_model_train(&none, source, "ensemble", NULL, 0, NULL, NULL, &err), CR_EARG);
    assert_non_null(strstr(err.message, "an ensemble is not trained on data"));
    assert_same_model(e, twin);
    cr_source_close(source);
    cr_model_free(e);
    cr_model_free(twin);
    free_models(h, 2);
}

/* --- damage, and no memory -------------------------------------------------------------------- */

/* Bytes changed with correct checksums: rejected or usable, never a crash. */
static void damaged_files_do_no_harm(void **state)
{
    table *t = random_table(5);
    cr_model *member[MOST], *e;
    cr__random rng;
    size_t size, refusals = 0;
    char *bytes;

    (void)state;
    four_members(t, member);
    e = combine(member, MOST, source_of(t, 300, 30, 15), "weights=stacking", NULL);
    bytes = model_bytes(e, &size);
    cr__random_seed(&rng, 3);
    for (int trial = 0; trial < 400; trial++) {
        const size_t cut = trial % 10 == 0 ? cr__random_below(&rng, size) : size;
        FILE *f = fopen("damaged.model", "wb");
        cr_model *loaded;

        assert_non_null(f);
        for (int i = 0; i < 3; i++) {
            const size_t at = cr__random_below(&rng, trial % 2 ? size : 4096);

            bytes[at] ^= (char)(1 + cr__random_below(&rng, 255));
            if (i == 2)
                assert_int_equal(fwrite(bytes, 1, cut, f), cut);
        }
        fclose(f);
        if (cr_model_load(&loaded, "damaged.model", CR_LOAD_TRUST, NULL) == CR_OK) {
            free(predict(loaded, source_of(t, 0, 50, 15), 1));
            cr_model_free(loaded);
        } else {
            refusals++;
        }
        free(bytes);
        bytes = model_bytes(e, &size);
    }
    assert_true(refusals > 100);
    free(bytes);
    remove("damaged.model");
    cr_model_free(e);
    free_models(member, MOST);
    free(t);
}

static void memory_may_run_out_anywhere(void **state)
{
    cr_model *h[] = {hypothesis(10, 5), hypothesis(4, 5)};
    const cr_run run = {.threads = 1};
    cr_source *source = rows_of(a, label, 1);
    cr_model *e;
    cr_status st = CR_ENOMEM;
    long limit = 0;

    (void)state;
    for (; st == CR_ENOMEM; limit++) {
        cr__memory_fail_after = limit;
        st = cr_model_combine(&e, (const cr_model *const *)h, NULL, 2, source, NULL, 0, &run, NULL,
                              NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || (st == CR_ENOMEM && e == NULL));
    }
    assert_true(limit > 50);
    assert_int_equal(cr_model_save(e, "whole.model", NULL), CR_OK);
    cr_model_free(e);
    for (st = CR_ENOMEM, limit = 0; st == CR_ENOMEM; limit++) {
        cr__memory_fail_after = limit;
        st = cr_model_load(&e, "whole.model", 0, NULL);
        cr__memory_fail_after = -1;
    }
    assert_int_equal(st, CR_OK);
    remove("whole.model");
    cr_model_free(e);
    cr_source_close(source);
    free_models(h, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lectures_mixture),
        cmocka_unit_test(the_best_member_is_outvoted),
        cmocka_unit_test(the_optimal_rule_mixes_posteriors),
        cmocka_unit_test(posterior_weights_follow_bayes_rule),
        cmocka_unit_test(stacking_scores_best),
        cmocka_unit_test(stacking_reaches_the_top),
        cmocka_unit_test(impossible_rows_are_left_to_the_others),
        cmocka_unit_test(explanations_add_up_to_the_posterior),
        cmocka_unit_test(the_gibbs_rule_draws_one_member_a_row),
        cmocka_unit_test(single_rows_are_drawn_for_as_well),
        cmocka_unit_test(gibbs_errs_at_most_twice_as_often_as_optimal),
        cmocka_unit_test(an_ensemble_is_saved_and_loaded),
        cmocka_unit_test(an_ensemble_is_tested),
        cmocka_unit_test(learned_rows_are_answered_without_themselves),
        cmocka_unit_test(members_that_do_not_fit_are_refused),
        cmocka_unit_test(wrong_knobs_are_refused),
        cmocka_unit_test(an_ensemble_does_not_learn),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests_name("ensemble", tests, NULL, NULL);
}
