/* tests/render/test_board.c - every number on a blackboard follows from the others on it.
 *
 * A board is checked in two ways. By its structure: the value of each line is computed again from
 * the line's own fields or from the lines that it names, by its rule. By its text: whatever is
 * between two equals signs is calculated, every printed number standing for the interval that was
 * rounded to it, and both sides must have a number in common. The last posterior of a class must be
 * the one that the model answers with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"

/* --- arithmetic with rounded numbers --------------------------------------------------------- */

typedef struct interval {
    long double low, high;
} interval;

typedef struct parser {
    const char *at;
    int failed;
} parser;

static interval expression(parser *p);

static void blanks(parser *p)
{
    while (*p->at == ' ')
        p->at++;
}

static int take(parser *p, const char *token)
{
    blanks(p);
    if (strncmp(p->at, token, strlen(token)) != 0)
        return 0;
    p->at += strlen(token);
    return 1;
}

/* Four digits were printed, or of a probability four decimals, of a very small one two digits. */
static interval number(parser *p)
{
    char *end;
    const long double x = strtold(p->at, &end);
    const char *point = memchr(p->at, '.', (size_t)(end - p->at));
    long double half;

    if (end == p->at) {
        p->failed = 1;
        return (interval){0, 0};
    }
    half = x == 0 ? 0 : 0.5000001L * powl(10, floorl(log10l(fabsl(x)) + 1e-9L) - 3);
    if (point != NULL && end - point == 5)
        half = fmaxl(half, 0.0000500001L);
    if (point != NULL && point[2] == 'e')
        half = 0.0500001L * powl(10, floorl(log10l(fabsl(x)) + 1e-9L));
    p->at = end;
    return (interval){x - half, x + half};
}

static interval times(interval a, interval b)
{
    const long double p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    interval r = {p[0], p[0]};

    for (int i = 1; i < 4; i++) {
        r.low = fminl(r.low, p[i]);
        r.high = fmaxl(r.high, p[i]);
    }
    return r;
}

static interval over(interval a, interval b)
{
    if (b.low <= 0 && b.high >= 0)
        return (interval){-INFINITY, INFINITY};
    return times(a, (interval){1 / b.high, 1 / b.low});
}

static interval primary(parser *p)
{
    interval r;

    blanks(p);
    if (take(p, "exp(")) {
        r = expression(p);
        p->failed |= !take(p, ")");
        return (interval){expl(r.low), expl(r.high)};
    }
    if (take(p, "ln ")) {
        r = primary(p);
        return (interval){logl(r.low), logl(r.high)};
    }
    if (take(p, "√")) {
        r = primary(p);
        return (interval){sqrtl(r.low), sqrtl(r.high)};
    }
    if (take(p, "(")) {
        r = expression(p);
        p->failed |= !take(p, ")");
    } else if (*p->at == 'e' && p->at[1] == '^') {
        p->at++;
        r = (interval){expl(1), expl(1)};
    } else {
        r = number(p);
    }
    if (strncmp(p->at, "π", strlen("π")) == 0) {
        p->at += strlen("π");
        r = times(r, (interval){M_PIl, M_PIl});
    }
    return r;
}

static interval raised(parser *p)
{
    interval r, power;
    int minus = 0;

    blanks(p);
    while (*p->at == '-') {
        minus = !minus;
        p->at++;
        blanks(p);
    }
    r = primary(p);
    if (strncmp(p->at, "²", strlen("²")) == 0) {
        p->at += strlen("²");
        power = times(r, r);
        r = (interval){r.low <= 0 && r.high >= 0 ? 0 : power.low, power.high};
    } else if (*p->at == '^') {
        p->at++;
        power = raised(p);
        if (r.low <= 0)
            r = (interval){0, r.high <= 0 ? 0 : powl(r.high, power.low)};
        else {
            const interval logs = times((interval){logl(r.low), logl(r.high)}, power);
            r = (interval){expl(logs.low), expl(logs.high)};
        }
    }
    return minus ? (interval){-r.high, -r.low} : r;
}

static interval term(parser *p)
{
    interval r = raised(p);

    for (;;)
        if (take(p, "×"))
            r = times(r, raised(p));
        else if (take(p, "/"))
            r = over(r, raised(p));
        else
            return r;
}

static interval expression(parser *p)
{
    interval r = term(p), next;

    for (;;)
        if (take(p, "+")) {
            next = term(p);
            r = (interval){r.low + next.low, r.high + next.high};
        } else if (take(p, "-")) {
            next = term(p);
            r = (interval){r.low - next.high, r.high - next.low};
        } else {
            return r;
        }
}

/* --- one line -------------------------------------------------------------------------------- */

/* "= A = B = C, remark": every part that is arithmetic agrees with the last. Returns how many. */
static size_t check_text(const cr_board_line *line)
{
    char copy[4096], *part, *rest;
    interval last = {0, 0};
    size_t count = 0;

    snprintf(copy, sizeof copy, "%s", line->right);
    if (strncmp(copy, "= ", 2) != 0)
        return 0;
    for (part = copy + 2; part != NULL; part = rest) {
        parser p = {.at = part};
        interval found;

        if ((rest = strstr(part, " = ")) != NULL) {
            *rest = '\0';
            rest += 3;
        } else if (strstr(part, ", ") != NULL) {
            *strstr(part, ", ") = '\0';
        }
        found = expression(&p);
        blanks(&p);
        if (p.failed || *p.at != '\0')
            continue;
        if (count > 0 && !(found.low <= last.high && last.low <= found.high))
            fail_msg("%s %s: [%Lg, %Lg] is not [%Lg, %Lg]", line->left, line->right, last.low,
                     last.high, found.low, found.high);
        last = found;
        count++;
    }
    if (count == 0)
        fail_msg("no arithmetic in: %s %s", line->left, line->right);
    if (!(last.low <= line->value * (1 + 1e-9) + 1e-300 || isnan(line->log_value)) &&
        line->value > 0)
        fail_msg("%s %s: the value is %.17g", line->left, line->right, line->value);
    return count;
}

/* Probabilities by their logarithms: they may be too small for a double. */
static double log_of(const cr_board_line *line)
{
    return isnan(line->log_value) ? log(line->value) : line->log_value;
}

static double log_add(double a, double b)
{
    const double most = fmax(a, b), least = fmin(a, b);

    return isinf(most) ? most : most + log1p(exp(least - most));
}

static double log_student(const cr_board_line *l)
{
    const double v = l->freedom, d = l->x - l->mean;

    return lgamma((v + 1) / 2) - lgamma(v / 2) - 0.5 * log(v * M_PI * l->variance) -
           (v + 1) / 2 * log1p(d * d / (v * l->variance));
}

/* ln of the value by the rule; for rules whose value is not a probability, the value. */
static double again(const cr_board *b, const cr_board_line *l, int *is_log)
{
    const cr_board_line *first = l->terms > 0 ? &b->line[l->term[0]] : NULL;
    const double d = l->x - l->mean;
    double sum = 0;

    *is_log = 1;
    switch (l->rule) {
    case CR_BOARD_FRACTION: return l->power * log(l->top / l->bottom);
    case CR_BOARD_GAUSSIAN: return -d * d / (2 * l->variance) - 0.5 * log(2 * M_PI * l->variance);
    case CR_BOARD_STUDENT: return log_student(l);
    case CR_BOARD_PRODUCT:
        for (size_t i = 0; i < l->terms; i++)
            sum += log_of(&b->line[l->term[i]]);
        return sum;
    case CR_BOARD_QUOTIENT: return log_of(first) - log_of(&b->line[l->term[1]]);
    case CR_BOARD_MEAN:
    case CR_BOARD_SUM:
        if (isnan(l->log_value)) {
            *is_log = 0;
            for (size_t i = 0; i < l->terms; i++)
                sum += b->line[l->term[i]].value;
            return sum;
        }
        sum = -INFINITY;
        for (size_t i = 0; i < l->terms; i++)
            sum = log_add(sum, log_of(&b->line[l->term[i]]));
        return l->rule == CR_BOARD_MEAN ? sum - log((double)l->terms) : sum;
    case CR_BOARD_WEIGHTED:
        sum = -INFINITY;
        for (size_t i = 0; i + 1 < l->terms; i += 2)
            sum = log_add(sum, log_of(&b->line[l->term[i]]) + log_of(&b->line[l->term[i + 1]]));
        return sum;
    case CR_BOARD_POWERS:
        for (size_t i = 0; i + 1 < l->terms; i += 2)
            sum += b->line[l->term[i]].value * log_of(&b->line[l->term[i + 1]]);
        return sum;
    case CR_BOARD_NORMAL:
        return -(first->value + b->line[l->term[1]].value + l->top * log(2 * M_PI)) / 2;
    case CR_BOARD_SIGMOID: return -log1p(exp(-first->value));
    case CR_BOARD_REST: return log1p(-first->value);
    case CR_BOARD_EXP: return first->value;
    case CR_BOARD_POWER: return log_of(first) / l->top;
    default: break;
    }
    *is_log = 0;
    switch (l->rule) {
    case CR_BOARD_SQUARE: return d * d / l->variance;
    case CR_BOARD_TIMES: return l->top * l->bottom;
    case CR_BOARD_LOG_SUM:
        for (size_t i = 0; i < l->terms; i++)
            sum += log(b->line[l->term[i]].variance);
        return sum;
    default: return l->value;
    }
}

static void check_rule(const cr_board *b, const cr_board_line *l)
{
    int is_log;
    const double found = again(b, l, &is_log), said = is_log ? l->log_value : l->value;

    if (l->rule == CR_BOARD_TEXT || (isinf(found) && isinf(said) && (found < 0) == (said < 0)))
        return;
    if (!(fabs(found - said) <= 1e-9 * fmax(1, fabs(said))))
        fail_msg("%s %s: %.17g by its rule %d, %.17g is said", l->left, l->right, found,
                 (int)l->rule, said);
    if (!isnan(l->log_value) && !isinf(l->log_value) && l->log_value > -700 &&
        fabs(l->value - exp(l->log_value)) > 1e-9 * l->value)
        fail_msg("%s: value and logarithm disagree", l->left);
}

/* --- one board ------------------------------------------------------------------------------- */

typedef struct check {
    const cr_model *model;
    const char *what;
    size_t rows, most, lines, undecided;
} check;

/* The last line that is the posterior of a class. */
static const cr_board_line *answer_of(const cr_board *b, const char *name)
{
    const cr_board_line *found = NULL;
    char side[200];

    snprintf(side, sizeof side, "P(%s | row)", name);
    for (size_t i = 0; i < b->lines; i++) {
        const size_t all = strlen(b->line[i].left), end = strlen(side);

        if (all >= end && strcmp(b->line[i].left + all - end, side) == 0 &&
            strncmp(b->line[i].left, "f of", 4) != 0)
            found = &b->line[i];
    }
    return found;
}

static cr_status check_row(void *context, const cr_explanation *e)
{
    check *k = context;
    const cr_board_options options = {.name_width = 60};
    const cr_board_options astray = {.against = "no such class"};
    cr_board *board;

    assert_int_equal(cr_board_new(&board, k->model, e, &astray, NULL), CR_EARG);
    assert_null(board);
    assert_int_equal(cr_board_new(&board, k->model, e, &options, NULL), CR_OK);
    for (size_t i = 0; i < board->lines; i++) {
        check_rule(board, &board->line[i]);
        k->lines += check_text(&board->line[i]);
    }
    k->undecided += e->reason == CR_IMPOSSIBLE;
    for (size_t c = 0; c < e->classes && e->classes <= 8 && e->reason != CR_IMPOSSIBLE; c++) {
        const cr_board_line *line = answer_of(board, cr_model_class(k->model, c));

        if (line == NULL || fabs(line->value - e->posterior[c]) > 1e-9)
            fail_msg("%s: P(%s | row) is %.17g, on the board %.17g", k->what,
                     cr_model_class(k->model, c), e->posterior[c],
                     line == NULL ? NAN : line->value);
    }
    cr_board_free(board);
    return ++k->rows < k->most ? CR_OK : CR_END;
}

/* --- models ---------------------------------------------------------------------------------- */

#define HOUSES "examples/data/houses.csv"
#define IRIS "examples/data/iris.csv"
#define ANIMALS "examples/data/animals.csv"
#define TAX "examples/data/tax.csv"
#define SPORTS "examples/data/sports.csv"

/* Rows that lack something. */
#define GAPPY "gappy"
static const char gappy[] = "fly,legs,size,length,kind\n"
                            "yes,2,small,1.5,bird\nyes,2,?,2.5,bird\nno,2,large,?,bird\n"
                            "yes,?,small,1.1,bird\nno,4,large,9.5,beast\nno,4,?,7.25,beast\n"
                            "no,?,large,8,beast\n?,4,small,?,beast\nyes,4,small,3.5,beast\n"
                            "no,0,small,4,fish\n?,0,large,?,fish\nno,0,?,2.75,fish\n"
                            "no,0,small,3,fish\n?,?,?,?,fish\nyes,2,large,2,bird\n"
                            "no,4,large,12,beast\n";

static cr_source *source_of(const char *name)
{
    static const char *const types[] = {"name=ignore"};
    const int animals = strcmp(name, ANIMALS) == 0;
    cr_source_options o = {.size = sizeof o, .types = types, .type_count = (size_t)animals};
    char path[1000];
    const char *paths[] = {path};
    cr_source *source;
    cr_error err = {0};

    o.target = animals                     ? "class"
               : strcmp(name, GAPPY) == 0  ? "kind"
               : strcmp(name, IRIS) == 0   ? "species"
               : strcmp(name, HOUSES) == 0 ? "price"
                                           : NULL;
    if (strcmp(name, GAPPY) == 0) {
        assert_int_equal(
            cr_source_open_memory(&source, gappy, sizeof gappy - 1, "gappy.csv", &o, NULL), CR_OK);
        return source;
    }
    snprintf(path, sizeof path, "%s/%s", getenv("CREDENCE_SOURCE"), name);
    if (cr_source_open(&source, paths, 1, &o, &err) != CR_OK)
        fail_msg("%s: %s", path, err.message);
    return source;
}

static size_t split(const char *params, char *room, const char **list)
{
    size_t n = 0;

    strcpy(room, params);
    for (char *p = strtok(room, " "); p != NULL; p = strtok(NULL, " "))
        list[n++] = p;
    return n;
}

static cr_model *train(const char *data, const char *learner, const char *params)
{
    cr_source *source = source_of(data);
    const char *list[16];
    char room[400];
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, list, split(params, room, list), NULL, NULL,
                       &err) != CR_OK)
        fail_msg("%s %s on %s: %s", learner, params, data, err.message);
    cr_source_close(source);
    return model;
}

/* The boards of the first rows of a table. */
static check check_model(const cr_model *model, const char *what, const char *data,
                         const cr_rule *rule)
{
    const cr_predict_options options = {.allow_absent_columns = 1, .rule = rule};
    cr_source *source = source_of(data);
    check k = {.model = model, .what = what, .most = 60};
    cr_error err = {0};
    const cr_status st = cr_model_explain(model, source, &options, check_row, &k, &err);

    if (st != CR_OK && st != CR_END)
        fail_msg("%s: %s", what, err.message);
    assert_true(k.rows > 0);
    assert_true(k.lines > k.rows);
    cr_source_close(source);
    return k;
}

static void each_learner_has_a_true_board(void **state)
{
    static const struct {
        const char *data, *learner, *params;
    } all[] = {
        {ANIMALS, "nb", ""},
        {ANIMALS, "nb", "smoothing=none"},
        {ANIMALS, "nb", "smoothing=m-estimate m=3 prior=uniform"},
        {TAX, "nb", ""},
        {TAX, "nb", "variance=class-feature smoothing=none"},
        {TAX, "nb", "gaussian=predictive"},
        {GAPPY, "nb", ""},
        {IRIS, "nb", "variance=shared"},
        {IRIS, "nb", "real=kde"},
        {IRIS, "nb", "real=bins:mdl"},
        {SPORTS, "nb", ""},
        {SPORTS, "nb", "event=boolean"},
        {SPORTS, "nb", "event=bernoulli"},
        {SPORTS, "nb", "event=complement"},
        {SPORTS, "nb", "event=weighted-complement"},
        {SPORTS, "nb", "text-smoothing=jelinek-mercer"},
        {SPORTS, "nb", "text-smoothing=dirichlet"},
        {SPORTS, "nb", "weight=tfidf length-norm=l2"},
        {SPORTS, "nb", "smoothing=none"},
        {IRIS, "tan", ""},
        {ANIMALS, "tan", "smoothing=laplace"},
        {GAPPY, "tan", ""},
        {IRIS, "kdb", "k=2"},
        {ANIMALS, "pairs", ""},
        {IRIS, "aode", ""},
        {GAPPY, "aode", ""},
        {IRIS, "tree", ""},
        {ANIMALS, "tree", "confidence=1"},
        {GAPPY, "tree", ""},
        {IRIS, "logistic", ""},
        {ANIMALS, "logistic", ""},
        {IRIS, "logistic", "moderate=yes"},
        {SPORTS, "logistic", ""},
        {GAPPY, "logistic", ""},
        {IRIS, "gda", ""},
        {IRIS, "gda", "covariance=shared"},
        {IRIS, "gda", "covariance=diagonal"},
        {IRIS, "gda", "estimate=predictive"},
        {TAX, "gda", ""},
        {GAPPY, "gda", ""},
        {GAPPY, "kdb", "k=2 worth=all"},
        {GAPPY, "network", ""},
        {ANIMALS, "joint", ""},
        {ANIMALS, "network", ""},
        {IRIS, "network", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cr_model *model = train(all[i].data, all[i].learner, all[i].params);
        char what[400];

        snprintf(what, sizeof what, "%s %s on %s", all[i].learner, all[i].params, all[i].data);
        check_model(model, what, all[i].data, NULL);
        cr_model_free(model);
    }
}

/* The votes of a version space are counted: of the hypotheses "size is S", "anything blue" … */
static void votes_are_a_fraction(void **state)
{
    static const char rows[] = "sky,air,wind,sport\nsunny,warm,strong,yes\n"
                               "rainy,cold,strong,no\nsunny,warm,weak,yes\n";
    static const char asked[] = "sky,air,wind\nsunny,warm,strong\nsunny,cold,weak\n"
                                "rainy,cold,weak\n";
    cr_source *source;
    cr_model *model;
    cr_error err = {0};
    check k;

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, rows, sizeof rows - 1, "rows.csv", NULL, NULL),
                     CR_OK);
    if (cr_model_train(&model, source, "candidate-elimination", (const char *[]){"positive=yes"}, 1,
                       NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    assert_int_equal(
        cr_source_open_memory(&source, asked, sizeof asked - 1, "asked.csv", NULL, NULL), CR_OK);
    k = (check){.model = model, .what = "votes", .most = 10};
    assert_int_equal(cr_model_explain(model, source, NULL, check_row, &k, &err), CR_OK);
    assert_int_equal(k.rows, 3);
    cr_source_close(source);
    cr_model_free(model);
}

static void calibration_has_lines_of_its_own(void **state)
{
    static const char *const methods[] = {"temperature", "platt", "beta", "isotonic", "confidence"};
    static const char *const data[] = {IRIS, ANIMALS};

    (void)state;
    for (size_t d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            cr_model *model = train(data[d], "nb", "");
            cr_source *source = source_of(data[d]);
            cr_error err = {0};

            if (cr_model_calibrate_on(model, source, methods[i], NULL, NULL, &err) != CR_OK)
                fail_msg("%s: %s", methods[i], err.message);
            cr_source_close(source);
            check_model(model, methods[i], data[d], NULL);
            cr_model_free(model);
        }
}

static void costs_and_priors_are_worked_out(void **state)
{
    const cr_rule_options costs = {
        .costs = "mammals->non-mammals=20", .may_reject = 1, .reject_cost = 0.3};
    const cr_rule_options priors = {.priors = "mammals:0.9,non-mammals:0.1"};
    const cr_rule_options *const all[] = {&costs, &priors};
    cr_model *model = train(ANIMALS, "nb", "");

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        cr_rule *rule;

        assert_int_equal(cr_rule_new(&rule, model, all[i], NULL), CR_OK);
        check_model(model, "rule", ANIMALS, rule);
        cr_rule_free(rule);
    }
    cr_model_free(model);
}

static void members_of_an_ensemble_are_weighted(void **state)
{
    cr_model *a = train(IRIS, "nb", ""), *b = train(IRIS, "tree", ""), *both;
    const cr_model *members[] = {a, b};
    const char *const names[] = {"bayes", "tree"};
    const char *const rules[] = {"rule=optimal", "rule=gibbs", "rule=product"};
    cr_error err = {0};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        cr_source *held_out = source_of(IRIS);

        if (cr_model_combine(&both, members, names, 2, held_out, &rules[i], 1, NULL, NULL, &err) !=
            CR_OK)
            fail_msg("%s", err.message);
        cr_source_close(held_out);
        check_model(both, rules[i], IRIS, NULL);
        cr_model_free(both);
    }
    cr_model_free(a);
    cr_model_free(b);
}

/* P(close | Sports) = 0/11 and P(game | Not sports) = 0/9: no class can explain the text. */
static void a_text_without_smoothing_shows_its_zeros(void **state)
{
    static const char text[] = "text\nA very close game\n";
    cr_model *model = train(SPORTS, "nb", "smoothing=none");
    cr_source *source;
    check k = {.model = model, .what = "zeros", .most = 1};

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, text, sizeof text - 1, "text.csv", NULL, NULL),
                     CR_OK);
    assert_int_equal(cr_model_explain(model, source, NULL, check_row, &k, NULL), CR_END);
    assert_int_equal(k.undecided, 1);
    cr_source_close(source);
    cr_model_free(model);
}

static cr_status check_number(void *context, const cr_regression_explanation *e)
{
    const cr_model *model = context;
    cr_board *board;

    assert_int_equal(cr_board_new_regression(&board, model, e, 0.95, NULL, NULL), CR_OK);
    for (size_t i = 0; i < board->lines; i++) {
        check_rule(board, &board->line[i]);
        if (strncmp(board->line[i].right, "= ", 2) == 0)
            check_text(&board->line[i]);
    }
    cr_board_free(board);
    return CR_OK;
}

static void a_number_is_a_sum(void **state)
{
    static const char *const learners[] = {"linear", "network"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        cr_model *model = train(HOUSES, learners[i], i == 0 ? "" : "real=gaussian");
        cr_source *source = source_of(HOUSES);
        cr_error err = {0};

        if (cr_model_explain_regression(model, source, NULL, check_number, model, &err) != CR_OK)
            fail_msg("%s: %s", learners[i], err.message);
        cr_source_close(source);
        cr_model_free(model);
    }
}

static void assert_holds(const char *bytes, size_t size, const char *text)
{
    if (memmem(bytes, size, text, strlen(text)) == NULL)
        fail_msg("no '%s' in %.*s", text, (int)size, bytes);
}

/* Both forms hold the same lines. */
static cr_status write_row(void *context, const cr_explanation *e)
{
    cr_output *out;
    cr_board *board;
    cr_json json;
    const char *bytes;
    size_t size;

    assert_int_equal(cr_output_new(&out, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_board_new(&board, context, e, NULL, NULL), CR_OK);
    cr_board_text(board, out);
    bytes = cr_output_data(out, &size);
    assert_holds(bytes, size, "  P(fly=no | mammals)         = ");
    assert_holds(bytes, size, "\nTogether\n  P(row) = ");
    cr_json_start(&json, out);
    cr_board_json(board, &json, NULL);
    bytes = cr_output_data(out, &size);
    assert_non_null(memmem(bytes, size,
                           "\"left\": \"P(mammals)\", \"right\": \"= 7/20 = 0.35\", "
                           "\"rule\": \"fraction\", \"value\": 0.35",
                           81));
    cr_board_free(board);
    cr_output_free(out);
    return CR_END;
}

static void a_board_is_text_and_json(void **state)
{
    cr_model *model = train(ANIMALS, "nb", "smoothing=none");
    cr_source *source = source_of(ANIMALS);

    (void)state;
    assert_int_equal(cr_model_explain(model, source, NULL, write_row, model, NULL), CR_END);
    cr_source_close(source);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_learner_has_a_true_board),
        cmocka_unit_test(votes_are_a_fraction),
        cmocka_unit_test(calibration_has_lines_of_its_own),
        cmocka_unit_test(costs_and_priors_are_worked_out),
        cmocka_unit_test(members_of_an_ensemble_are_weighted),
        cmocka_unit_test(a_text_without_smoothing_shows_its_zeros),
        cmocka_unit_test(a_number_is_a_sum),
        cmocka_unit_test(a_board_is_text_and_json),
    };
    return cmocka_run_group_tests_name("board", tests, NULL, NULL);
}
