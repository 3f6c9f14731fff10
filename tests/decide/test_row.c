/* tests/decide/test_row.c - a single row gets the same answers as in a file, and learning it gives
 * the same model as a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "credence/credence.h"
#include "support/model_bytes.h"

enum { ROWS = 12, TRAINED = 8, COLUMNS = 6 };

static const double x[ROWS] = {1, 2.5, -3, 4, NAN, 1e-3, 7, 2, 0.5, 1e9, NAN, -7};
static const double y[ROWS] = {0.1, 2, 3, 1, 2, 7, 1, 4, 1, 5, 2, 3};
static const char *const colour[ROWS] = {"red",  "blue",  "red",  "green", NULL, "red",
                                         "blue", "mauve", "blue", "new",   NULL, "green"};
static const char *const words[ROWS] = {"a very close game",
                                        "the election was over",
                                        "very clean match",
                                        "a clean but forgettable game",
                                        "it was close",
                                        "an election",
                                        "the game",
                                        "a good word",
                                        "words never seen",
                                        "the game is over, over",
                                        NULL,
                                        "Close close close"};
static const char *const label[ROWS] = {"a", "b", "a", "b", "a", "b", "b", "a", "b", "c", "a", "b"};
static const double weight[ROWS] = {1, 2, 1, 3, 1, 1, 2, 1, 2, 1, 0, 5};

/* Which of the columns a test has. */
enum { X = 1, Y = 2, COLOUR = 4, WORDS = 8, WEIGHT = 16, CLASS = 32, NUMBER = 64, MAIL = 128 };

static size_t table_of(cr_array *table, int which, size_t first)
{
    size_t n = 0;

    if (which & X)
        table[n++] = (cr_array){.name = "x", .real = x + first};
    if (which & Y)
        table[n++] = (cr_array){.name = "y",
                                .real = y + first,
                                .role = which & NUMBER ? CR_ROLE_TARGET : CR_ROLE_FEATURE};
    if (which & COLOUR)
        table[n++] = (cr_array){.name = "colour", .text = colour + first};
    if (which & WORDS)
        table[n++] = (cr_array){
            .name = "words", .text = words + first, .kind = CR_BAG, .mail = (which & MAIL) != 0};
    if (which & WEIGHT)
        table[n++] = (cr_array){.name = "weight", .real = weight + first, .role = CR_ROLE_WEIGHT};
    if (which & CLASS)
        table[n++] = (cr_array){.name = "class", .text = label + first, .role = CR_ROLE_TARGET};
    return n;
}

static cr_source *rows_of(int which, size_t first, size_t rows)
{
    cr_array table[COLUMNS];
    const size_t columns = table_of(table, which, first);
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, table, columns, rows, NULL), CR_OK);
    return source;
}

static cr_model *trained(const char *learner, const char *const *params, size_t count, int which)
{
    cr_source *source = rows_of(which, 0, TRAINED);
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, params, count, NULL, NULL, &err) != CR_OK)
        fail_msg("%s: %s", learner, err.message);
    cr_source_close(source);
    return model;
}

/* Row r of the table, set column by column by the schema of the model. */
static void fill(cr_row *row, const cr_model *model, int which, size_t r)
{
    cr_array table[COLUMNS];
    const size_t columns = table_of(table, which, r);

    cr_row_clear(row);
    for (size_t i = 0; i < columns; i++) {
        const size_t column = cr_schema_find(cr_model_schema(model), table[i].name);

        if (table[i].mail && *table[i].text != NULL)
            assert_int_equal(cr_row_from_mail(row, *table[i].text, strlen(*table[i].text), NULL),
                             CR_OK);
        else if (table[i].real != NULL)
            assert_int_equal(cr_row_set_real(row, column, *table[i].real), CR_OK);
        else
            assert_int_equal(cr_row_set_text(row, column, *table[i].text), CR_OK);
    }
}

/* --- filling ---------------------------------------------------------------------------------- */

static void ways_to_set_a_column_agree(void **state)
{
    cr_model *model = trained("nb", NULL, 0, X | COLOUR | WORDS | CLASS);
    double p[5][2];
    cr_decision d;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    assert_int_equal(cr_row_set_real(row, 0, 2.5), CR_OK);
    assert_int_equal(cr_row_set_text(row, 1, "red"), CR_OK);
    assert_int_equal(cr_row_set_text(row, 2, "a close game"), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, p[0], &d), CR_OK);
    cr_row_clear(row);
    assert_int_equal(cr_row_set_bytes(row, 0, "2.50", 3), CR_OK);
    assert_int_equal(cr_row_set_bytes(row, 1, " red!", 4), CR_OK);
    assert_int_equal(cr_row_set_bytes(row, 2, "a close gamer", 12), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, p[1], &d), CR_OK);
    cr_row_clear(row);
    assert_int_equal(cr_row_set_named(row, "x", " 2.5 ", NULL), CR_OK);
    assert_int_equal(cr_row_set_named(row, "colour", "red ", NULL), CR_OK);
    assert_int_equal(cr_row_set_named(row, "words", "a close game", NULL), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, p[2], &d), CR_OK);
    for (size_t v = 0; v < cr_model_values(model, 1); v++)
        if (strcmp(cr_model_value(model, 1, v), "red") == 0)
            assert_int_equal(cr_row_set_code(row, 1, (int32_t)v), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, p[3], &d), CR_OK);
    assert_int_equal(cr_model_classify(model, row, p[4], &(int32_t){0}, NULL), CR_OK);
    for (int i = 1; i < 5; i++)
        assert_memory_equal(p[i], p[0], sizeof *p);
    cr_row_free(row);
    cr_model_free(model);
}

static void missing_is_missing_however_it_is_said(void **state)
{
    cr_model *model = trained("nb", NULL, 0, X | COLOUR | WORDS | CLASS);
    double p[2], q[2];
    cr_decision d;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, p, &d), CR_OK);
    assert_int_equal(cr_row_set_real(row, 0, NAN), CR_OK);
    assert_int_equal(cr_row_set_text(row, 1, NULL), CR_OK);
    assert_int_equal(cr_row_set_bytes(row, 2, NULL, 7), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, q, &d), CR_OK);
    assert_memory_equal(p, q, sizeof p);
    assert_int_equal(cr_row_set_text(row, 0, " NA"), CR_OK);
    assert_int_equal(cr_row_set_named(row, "colour", "?", NULL), CR_OK);
    assert_int_equal(cr_row_set_text(row, 2, ""), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, q, &d), CR_OK);
    assert_memory_equal(p, q, sizeof p);
    assert_int_equal(cr_row_set_code(row, 1, 0), CR_OK);
    assert_int_equal(cr_row_set_code(row, 1, -1), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, q, &d), CR_OK);
    assert_memory_equal(p, q, sizeof p);
    cr_row_free(row);
    cr_model_free(model);
}

static void what_cannot_be_set_is_refused(void **state)
{
    cr_model *model = trained("nb", NULL, 0, X | COLOUR | WORDS | CLASS);
    cr_error err = {0};
    cr_row *row;

    (void)state;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    assert_int_equal(cr_row_set_real(row, SIZE_MAX, 1), CR_EARG);
    assert_int_equal(cr_row_set_real(row, 1, 1), CR_EARG);
    assert_int_equal(cr_row_set_real(row, 0, INFINITY), CR_EARG);
    assert_int_equal(cr_row_set_text(row, 4, "x"), CR_EARG);
    assert_int_equal(cr_row_set_text(row, 0, "tall"), CR_EFORMAT);
    assert_int_equal(cr_row_set_text(row, 0, "inf"), CR_EFORMAT);
    assert_int_equal(cr_row_set_bytes(row, 1, "a\0b", 3), CR_EARG);
    assert_int_equal(cr_row_set_code(row, 0, 0), CR_EARG);
    assert_int_equal(cr_row_set_code(row, 1, 4), CR_EARG);
    assert_int_equal(cr_row_set_code(row, 1, -2), CR_EARG);
    assert_int_equal(cr_row_set_code(row, SIZE_MAX, 0), CR_EARG);
    assert_int_equal(cr_row_set_named(row, "color", "red", &err), CR_EARG);
    assert_non_null(strstr(err.hint, "colour"));
    assert_int_equal(cr_row_set_named(row, "x", "tall", &err), CR_EFORMAT);
    assert_non_null(strstr(err.message, "tall"));
    cr_row_free(row);
    cr_model_free(model);
    model = trained("nb", NULL, 0, X | COLOUR | CLASS);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    assert_int_equal(cr_row_from_mail(row, "Subject: hi\n\nho\n", 16, &err), CR_EARG);
    cr_row_free(row);
    cr_model_free(model);
}

/* --- answers ---------------------------------------------------------------------------------- */

typedef struct answers {
    double posterior[ROWS][4], cost[ROWS];
    int32_t decision[ROWS];
    size_t rows;
} answers;

static cr_status collect(void *context, const cr_predictions *p)
{
    answers *a = context;

    for (size_t i = 0; i < p->rows; i++) {
        memcpy(a->posterior[a->rows], p->posterior + i * p->classes, p->classes * sizeof(double));
        a->cost[a->rows] = p->expected_cost == NULL ? NAN : p->expected_cost[i];
        a->decision[a->rows++] = p->decision[i];
    }
    return CR_OK;
}

static void a_rule_decides_as_in_a_file(void **state)
{
    const int which = X | COLOUR | WORDS | CLASS;
    cr_model *model = trained("nb", NULL, 0, which);
    const cr_rule_options options = {
        .costs = "a->b=5", .may_reject = 1, .reject_cost = 0.3, .priors = "a:0.2,b:0.8"};
    cr_source *source = rows_of(which, 0, ROWS);
    answers a = {.rows = 0};
    const cr_sink sink = {.visit = collect, .context = &a};
    cr_predict_options predict = {0};
    cr_rule *rule, *other;
    cr_model *three;
    cr_decision d;
    double p[4];
    cr_row *row;

    (void)state;
    assert_int_equal(cr_rule_new(&rule, model, &options, NULL), CR_OK);
    predict.rule = rule;
    assert_int_equal(cr_model_predict(model, source, &predict, &sink, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t r = 0; r < ROWS; r++) {
        fill(row, model, which, r);
        assert_int_equal(cr_row_classify(row, rule, p, &d), CR_OK);
        assert_memory_equal(p, a.posterior[r], 2 * sizeof *p);
        assert_int_equal(d.decision, a.decision[r]);
        assert_true(d.expected_cost == a.cost[r]);
    }
    source = rows_of(which, 0, ROWS);
    assert_int_equal(cr_model_train(&three, source, NULL, NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(cr_rule_new(&other, three, &(cr_rule_options){0}, NULL), CR_OK);
    assert_int_equal(cr_row_classify(row, other, p, &d), CR_EARG);
    cr_rule_free(other);
    cr_rule_free(rule);
    cr_row_free(row);
    cr_model_free(three);
    cr_model_free(model);
}

static void a_row_outlives_changes_of_its_model(void **state)
{
    const int which = X | COLOUR | WORDS | CLASS;
    cr_model *model = trained("nb", NULL, 0, which);
    cr_source *more = rows_of(which, TRAINED, ROWS - TRAINED);
    double before[2], after[3], later[3];
    cr_decision d;
    cr_row *row, *own;

    (void)state;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    fill(row, model, which, 2);
    assert_int_equal(cr_row_classify(row, NULL, before, &d), CR_OK);
    assert_int_equal(cr_model_learn(model, more, NULL, NULL, NULL), CR_OK);
    cr_source_close(more);
    assert_int_equal(cr_model_classify(model, row, later, &(int32_t){0}, NULL), CR_OK);
    assert_int_equal(cr_row_new(&own, model, NULL), CR_OK);
    fill(own, model, which, 2);
    assert_int_equal(cr_row_classify(own, NULL, after, &d), CR_OK);
    assert_memory_equal(later, after, sizeof later);
    cr_row_free(own);
    cr_model_free(model);
    assert_int_equal(cr_row_classify(row, NULL, after, &d), CR_OK);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(cr_row_set_text(row, 1, "new"), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, after, &d), CR_OK);
    cr_row_free(row);
}

/* What an explanation says, as text, so that two can be compared. */
typedef struct told {
    char text[20000];
    size_t used, rows;
} told;

static void say(told *t, const char *what, double number)
{
    assert_true(t->used + 200 < sizeof t->text);
    t->used += (size_t)snprintf(t->text + t->used, sizeof t->text - t->used, "%.80s %.17g\n", what,
                                number);
}

static cr_status tell(void *context, const cr_explanation *e)
{
    told *t = context;

    t->rows++;
    say(t, "decision", e->decision);
    for (size_t c = 0; c < e->classes; c++) {
        say(t, "score", e->score[c]);
        say(t, "posterior", e->posterior[c]);
    }
    for (size_t f = 0; f < e->factors; f++) {
        say(t, e->factor[f].name, e->factor[f].left_out);
        say(t, e->factor[f].value == NULL ? "" : e->factor[f].value, e->factor[f].log_p[0]);
        if (e->factor[f].text != NULL)
            say(t, "text", (double)e->factor[f].text_size);
        for (size_t w = 0; w < e->factor[f].words; w++)
            say(t, "word", e->factor[f].word[w].log_p[1]);
    }
    for (size_t m = 0; m < e->members; m++)
        say(t, e->member[m].name, e->member[m].posterior[0]);
    return CR_OK;
}

static void check_explanations(const cr_model *model, int which)
{
    told *file = calloc(1, sizeof *file), *alone = calloc(1, sizeof *alone);
    cr_error err = {0};
    cr_row *row;

    assert_true(file != NULL && alone != NULL);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t r = 0; r < ROWS; r++) {
        cr_source *source = rows_of(which, r, 1);

        file->used = alone->used = 0;
        if (cr_model_explain(model, source, NULL, tell, file, &err) != CR_OK)
            fail_msg("%s", err.message);
        cr_source_close(source);
        fill(row, model, which, r);
        for (int again = 0; again < 2; again++) {
            alone->used = 0;
            if (cr_row_explain(row, NULL, tell, alone, &err) != CR_OK)
                fail_msg("%s", err.message);
            assert_string_equal(alone->text, file->text);
        }
    }
    assert_int_equal(alone->rows, 2 * file->rows);
    cr_row_free(row);
    free(file);
    free(alone);
}

static void a_row_is_explained_as_in_a_file(void **state)
{
    static const char *const learner[] = {"nb", "gda", "tan", "aode", "kdb", "logistic", "tree"};
    const char *impute = "impute=mean";

    (void)state;
    for (size_t i = 0; i < sizeof learner / sizeof *learner; i++) {
        const int which = i == 0 ? X | COLOUR | WORDS | CLASS : X | Y | COLOUR | CLASS;
        cr_model *model = trained(learner[i], &impute, i > 0, which);

        check_explanations(model, which);
        cr_model_free(model);
    }
}

static void an_ensemble_is_asked_and_explained_again_and_again(void **state)
{
    const int which = COLOUR | WORDS | CLASS;
    cr_model *a = trained("nb", NULL, 0, which), *b = trained("logistic", NULL, 0, which), *both;
    const cr_model *members[] = {a, b};
    const char *equal = "weights=equal";
    double p[2], q[2];
    cr_error err = {0};
    cr_decision d;
    cr_row *row;

    (void)state;
    if (cr_model_combine(&both, members, NULL, 2, NULL, &equal, 1, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    check_explanations(both, which);
    assert_int_equal(cr_row_new(&row, both, NULL), CR_OK);
    fill(row, both, which, 1);
    assert_int_equal(cr_row_classify(row, NULL, p, &d), CR_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cr_row_classify(row, NULL, q, &d), CR_OK);
        assert_memory_equal(p, q, sizeof p);
    }
    cr_row_free(row);
    cr_model_free(both);
    cr_model_free(a);
    cr_model_free(b);
}

/* --- lessons ---------------------------------------------------------------------------------- */

typedef struct way {
    const char *learner;
    int which;
    const char *param[2];
    size_t params;
    int forgets; /* it can take rows back: 1, to the byte; 2, as a file does */
} way;

static const way ways[] = {
    {"nb", X | Y | COLOUR | WORDS | CLASS, {0}, 0, 1},
    {"nb", X | COLOUR | WORDS | CLASS | WEIGHT, {0}, 0, 1},
    {"nb", WORDS | CLASS | MAIL, {0}, 0, 1},
    {"nb", X | COLOUR | CLASS, {"real=kde"}, 1, 1},
    {"nb", X | COLOUR | CLASS, {"impute=mean"}, 1, 1},
    {"nb", WORDS | CLASS, {"weight=tfidf"}, 1, 1},
    {"nb", Y | COLOUR | CLASS, {"pairs=1"}, 1, 1},
    {"gda", Y | CLASS, {0}, 0, 1},
    {"linear", X | Y | COLOUR | NUMBER, {"impute=mean"}, 1, 2},
    {"joint", COLOUR | CLASS, {0}, 0, 1},
    {"tan", Y | COLOUR | CLASS, {0}, 0, 1},
    {"aode", Y | COLOUR | CLASS, {0}, 0, 1},
    {"kdb", Y | COLOUR | CLASS, {0}, 0, 1},
    {"logistic", Y | COLOUR | CLASS, {0}, 0, 0},
};

static cr_model *copy_of(const cr_model *model)
{
    cr_model *copy;

    assert_int_equal(cr_model_copy(&copy, model, NULL), CR_OK);
    return copy;
}

static void unlearn_row(cr_model *model, int which, size_t r)
{
    cr_source *source = rows_of(which, r, 1);

    assert_int_equal(cr_model_unlearn(model, source, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
}

/* Learning rows one by one from files, and the same rows as single rows. */
static void check_lessons(const way *w)
{
    cr_model *before = trained(w->learner, w->param, w->params, w->which);
    cr_model *file = copy_of(before), *alone = copy_of(before);
    cr_error err = {0};
    cr_row *row;

    assert_int_equal(cr_row_new(&row, before, NULL), CR_OK);
    for (size_t r = TRAINED; r < ROWS; r++) {
        cr_source *source;

        if (!w->forgets && strcmp(label[r], "c") == 0)
            continue; /* logistic regression takes no new classes */
        source = rows_of(w->which, r, 1);
        if (cr_model_learn(file, source, NULL, NULL, &err) != CR_OK)
            fail_msg("%s: %s", w->learner, err.message);
        cr_source_close(source);
        fill(row, before, w->which, r);
        if (cr_row_learn(alone, row, 1, &err) != CR_OK)
            fail_msg("%s: %s", w->learner, err.message);
        assert_same_model(file, alone);
    }
    for (size_t r = ROWS; w->forgets && r-- > TRAINED;) {
        fill(row, before, w->which, r);
        if (cr_row_learn(alone, row, -1, &err) != CR_OK)
            fail_msg("%s: %s", w->learner, err.message);
        unlearn_row(file, w->which, r);
        assert_same_model(file, alone);
    }
    if (w->forgets == 1)
        assert_same_model(alone, before);
    cr_row_free(row);
    cr_model_free(before);
    cr_model_free(file);
    cr_model_free(alone);
}

static void a_row_is_learned_as_from_a_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        check_lessons(&ways[i]);
}

static void lessons_are_learned_at_once(void **state)
{
    const int which = X | COLOUR | WORDS | CLASS;
    cr_model *model = trained("nb", NULL, 0, which), *alone = copy_of(model);
    cr_source *source = rows_of(which, TRAINED, ROWS - TRAINED);
    cr_lessons *lessons;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_model_learn(model, source, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    source = rows_of(which, 3, 1);
    assert_int_equal(cr_model_unlearn(model, source, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(cr_lessons_new(&lessons, alone, NULL), CR_OK);
    assert_int_equal(cr_row_new(&row, alone, NULL), CR_OK);
    for (size_t r = TRAINED; r < ROWS; r++) {
        fill(row, alone, which, r);
        assert_int_equal(cr_lessons_add(lessons, row, 1, NULL), CR_OK);
    }
    fill(row, alone, which, 3);
    assert_int_equal(cr_lessons_add(lessons, row, -1, NULL), CR_OK);
    assert_int_equal(cr_lessons_count(lessons), ROWS - TRAINED + 1);
    assert_int_equal(cr_lessons_apply(lessons, alone, NULL, NULL), CR_OK);
    assert_int_equal(cr_lessons_count(lessons), 0);
    assert_same_model(model, alone);
    /* and all of it back again, with the same lessons */
    for (size_t r = TRAINED; r < ROWS; r++) {
        fill(row, alone, which, r);
        assert_int_equal(cr_lessons_add(lessons, row, -1, NULL), CR_OK);
    }
    fill(row, alone, which, 3);
    assert_int_equal(cr_lessons_add(lessons, row, 1, NULL), CR_OK);
    assert_int_equal(cr_lessons_apply(lessons, alone, NULL, NULL), CR_OK);
    cr_model_free(model);
    model = trained("nb", NULL, 0, which);
    assert_same_model(model, alone);
    cr_lessons_free(lessons);
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(alone);
}

static void what_was_never_learned_is_refused(void **state)
{
    const int which = X | COLOUR | WORDS | CLASS;
    cr_model *model = trained("nb", NULL, 0, which), *same = copy_of(model);
    cr_model *other = trained("nb", NULL, 0, X | CLASS),
             *tree = trained("tree", NULL, 0, Y | CLASS);
    cr_error err = {0};
    cr_lessons *lessons;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    fill(row, model, which, 9);
    assert_int_equal(cr_row_learn(model, row, -1, &err), CR_ECONFLICT);
    assert_string_equal(err.file, "");
    assert_int_equal(cr_row_learn(other, row, 1, &err), CR_ECONFLICT);
    /* some rows can be learned, one cannot be taken back: nothing happens */
    assert_int_equal(cr_lessons_new(&lessons, model, NULL), CR_OK);
    assert_int_equal(cr_lessons_add(lessons, row, -1, NULL), CR_OK);
    fill(row, model, which, 8);
    assert_int_equal(cr_lessons_add(lessons, row, 1, NULL), CR_OK);
    assert_int_equal(cr_lessons_apply(lessons, model, NULL, &err), CR_ECONFLICT);
    assert_int_equal(err.line, 1);
    assert_int_equal(cr_lessons_count(lessons), 2);
    assert_same_model(model, same);
    cr_lessons_clear(lessons);
    assert_int_equal(cr_lessons_count(lessons), 0);
    assert_int_equal(cr_row_set_text(row, cr_model_target(model), NULL), CR_OK);
    assert_int_equal(cr_row_learn(model, row, 1, &err), CR_EARG);
    assert_non_null(strstr(err.message, "class"));
    cr_row_free(row);
    assert_int_equal(cr_row_new(&row, tree, NULL), CR_OK);
    fill(row, tree, Y | CLASS, 1);
    assert_int_equal(cr_row_learn(tree, row, 1, &err), CR_ECONFLICT);
    cr_lessons_free(lessons);
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(same);
    cr_model_free(other);
    cr_model_free(tree);
}

static void a_message_is_read_as_from_a_mailbox(void **state)
{
    static const char *const mail[] = {
        "From: a@b.example\nSubject: cheap pills\n\nBuy now!\n",
        "From: boss@work.example\nSubject: meeting\nContent-Type: text/html\n\n<b>at ten</b>\n",
        "Subject: pills again\nContent-Transfer-Encoding: base64\n\nY2hlYXAgcGlsbHM=\n"};
    static const char *const kind[] = {"spam", "ham", "spam"};
    const cr_array table[] = {{.name = "text", .text = mail, .kind = CR_BAG, .mail = 1},
                              {.name = "class", .text = kind, .role = CR_ROLE_TARGET}};
    const cr_array last[] = {{.name = "text", .text = mail + 2, .kind = CR_BAG, .mail = 1},
                             {.name = "class", .text = kind + 2, .role = CR_ROLE_TARGET}};
    const char *preset = "preset=mail";
    cr_model *all, *some;
    cr_source *source;
    answers a = {.rows = 0};
    const cr_sink sink = {.visit = collect, .context = &a};
    cr_error err = {0};
    double p[2];
    cr_decision d;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, table, 2, 3, NULL), CR_OK);
    if (cr_model_train(&all, source, "nb", &preset, 1, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    some = copy_of(all);
    assert_int_equal(cr_source_open_arrays(&source, last, 2, 1, NULL), CR_OK);
    assert_int_equal(cr_model_unlearn(some, source, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_predict(some, source, NULL, &sink, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(cr_row_new(&row, some, NULL), CR_OK);
    assert_int_equal(cr_row_from_mail(row, mail[2], strlen(mail[2]), NULL), CR_OK);
    assert_int_equal(cr_row_classify(row, NULL, p, &d), CR_OK);
    assert_memory_equal(p, a.posterior[0], sizeof p);
    assert_int_equal(cr_row_set_text(row, cr_model_target(some), "spam"), CR_OK);
    assert_int_equal(cr_row_learn(some, row, 1, NULL), CR_OK);
    assert_same_model(some, all);
    cr_row_free(row);
    cr_model_free(some);
    cr_model_free(all);
}

/* --- memory and threads ----------------------------------------------------------------------- */

static cr_status use_row(cr_model *model, const char *text)
{
    double p[4];
    cr_decision d;
    cr_row *row = NULL;
    cr_status st = cr_row_new(&row, model, NULL);

    if (st == CR_OK)
        st = cr_row_set_text(row, 1, "unheard");
    if (st == CR_OK)
        st = cr_row_set_text(row, 2, text);
    if (st == CR_OK)
        st = cr_row_set_text(row, 3, "a");
    if (st == CR_OK)
        st = cr_row_classify(row, NULL, p, &d);
    if (st == CR_OK)
        st = cr_row_learn(model, row, 1, NULL);
    cr_row_free(row);
    return st;
}

static void memory_may_run_out_anywhere(void **state)
{
    cr_model *model = trained("nb", NULL, 0, X | COLOUR | WORDS | CLASS), *same = copy_of(model);
    cr_status st;
    long n = 0;

    (void)state;
    do {
        cr_model *copy = copy_of(model);

        cr__memory_fail_after = n++;
        st = use_row(copy, "the game was very close");
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || st == CR_ENOMEM);
        if (st != CR_OK)
            assert_same_model(copy, same);
        cr_model_free(copy);
    } while (st != CR_OK);
    assert_true(n > 50);
    cr_model_free(model);
    cr_model_free(same);
}

static void *classify_much(void *context)
{
    const cr_model *model = context;
    double sum = 0, p[2];
    cr_decision d;
    cr_row *row;

    for (int i = 0; i < 50; i++) {
        if (cr_row_new(&row, model, NULL) != CR_OK)
            abort();
        for (size_t r = 0; r < ROWS; r++) {
            cr_row_clear(row);
            cr_row_set_text(row, 1, colour[r]);
            cr_row_set_text(row, 2, words[r]);
            if (cr_row_classify(row, NULL, p, &d) != CR_OK)
                abort();
            sum += p[0];
        }
        cr_row_free(row);
    }
    return sum > 0 ? context : NULL;
}

static void threads_have_rows_of_one_model(void **state)
{
    cr_model *model = trained("nb", NULL, 0, X | COLOUR | WORDS | CLASS);
    pthread_t thread[3];

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, classify_much, model), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_to_set_a_column_agree),
        cmocka_unit_test(missing_is_missing_however_it_is_said),
        cmocka_unit_test(what_cannot_be_set_is_refused),
        cmocka_unit_test(a_rule_decides_as_in_a_file),
        cmocka_unit_test(a_row_outlives_changes_of_its_model),
        cmocka_unit_test(a_row_is_explained_as_in_a_file),
        cmocka_unit_test(an_ensemble_is_asked_and_explained_again_and_again),
        cmocka_unit_test(a_row_is_learned_as_from_a_file),
        cmocka_unit_test(lessons_are_learned_at_once),
        cmocka_unit_test(what_was_never_learned_is_refused),
        cmocka_unit_test(a_message_is_read_as_from_a_mailbox),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(threads_have_rows_of_one_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
