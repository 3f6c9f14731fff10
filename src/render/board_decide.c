/* render/board_decide.c - from products to posteriors, calibration, and a decision by costs.
 *
 *     P(class | row) = P(class, row) / Σ P(class, row)
 *
 * The calibration's formulas are in model/calibration.h, the rule's in decide/rule.c.
 */
#include <math.h>
#include <stdio.h>

#include "base/logspace.h"
#include "decide/rule.h"
#include "render/board.h"

static const char *row_side(cr__board *b, const char *what, size_t k)
{
    return cr__board_text(b, "%sP(%s | row)", what, cr__board_class(b, b->of[k]));
}

/* --- normalisation -------------------------------------------------------------------------- */

/* log of P(any other class | row) */
static double log_others(const cr_explanation *e, size_t class_index, double log_row)
{
    double sum = -INFINITY;

    for (size_t c = 0; c < e->classes; c++)
        sum = c == class_index ? sum : cr__log_add(sum, e->score[c]);
    return sum - log_row;
}

/* A probability with as many nines as it needs; e^log_rest is 1 minus it. From 15 decimals on that
 * is easier to read; in a formula it has brackets. */
static void put_near_one(cr__board *b, double log_p, double log_rest, int in_formula)
{
    const double decimals = ceil(-log_rest / log(10)) + 1, p = exp(log_p);
    char number[CR_SHOW_SIZE];

    if (isinf(log_rest)) {
        cr__board_put(b, "1");
    } else if (p <= 0.99995) {
        cr__board_put(b, "%s", cr_show_number(number, CR_SHOW_PROBABILITY, p));
    } else if (decimals <= 15) {
        cr__board_put(b, "%.*f", (int)decimals, p);
    } else {
        cr__board_put(b, in_formula ? "(1 - " : "1 - ");
        cr__board_power(b, log_rest);
        cr__board_put(b, in_formula ? ")" : "");
    }
}

void cr__board_share(cr__board *b, const double *p, size_t class_index, int in_formula)
{
    double rest = 0;

    for (size_t c = 0; c < b->e->classes; c++)
        rest += c == class_index ? 0 : p[c];
    if (p[class_index] > 0.99995)
        put_near_one(b, log(p[class_index]), log(rest), in_formula);
    else
        cr__board_power(b, log(p[class_index]));
}

static size_t evidence_line(cr__board *b, double log_row)
{
    const cr_explanation *e = b->e;

    for (size_t k = 0; k < b->shown; k++) {
        cr__board_term(b, b->joint[k]);
        cr__board_put(b, k == 0 ? "= " : "+ ");
        cr__board_power(b, e->score[b->of[k]]);
        cr__board_put(b, " ");
    }
    if (b->shown < e->classes)
        cr__board_put(b, "+ ... (%zu more) ", e->classes - b->shown);
    cr__board_put(b, "= ");
    cr__board_power(b, log_row);
    return cr__board_log_line(b, e->form == CR_FORM_LINEAR ? "sum" : "P(row)",
                              b->shown < e->classes ? CR_BOARD_NUMBER : CR_BOARD_SUM, log_row);
}

void cr__board_normalise(cr__board *b)
{
    const cr_explanation *e = b->e;
    const double log_row = cr__log_sum_exp(e->score, e->classes);
    size_t evidence;

    cr__board_section(b, "Together", CR_UNDECIDED);
    if (b->failed)
        return;
    evidence = evidence_line(b, log_row);
    if (log_row == -INFINITY)
        return;
    cr__board_section(b, NULL, CR_UNDECIDED);
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        const double log_p = e->score[b->of[k]] - log_row;

        cr__board_term(b, b->joint[k]);
        cr__board_term(b, evidence);
        cr__board_put(b, "= ");
        cr__board_power(b, e->score[b->of[k]]);
        cr__board_put(b, " / ");
        cr__board_power(b, log_row);
        cr__board_put(b, " = ");
        put_near_one(b, log_p, log_others(e, b->of[k], log_row), 0);
        b->answer[k] = cr__board_log_line(b, row_side(b, "", k), CR_BOARD_QUOTIENT, log_p);
    }
}

void cr__board_divide(cr__board *b, const size_t *line, double log_all, const char *what,
                      const double *answer)
{
    size_t sum;

    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        cr__board_term(b, line[k]);
        cr__board_put(b, k == 0 ? "= " : "+ ");
        cr__board_power(b, b->line[line[k]].log_value);
        cr__board_put(b, " ");
    }
    if (b->shown < b->e->classes)
        cr__board_put(b, "+ ... (%zu more) ", b->e->classes - b->shown);
    cr__board_put(b, "= ");
    cr__board_power(b, log_all);
    sum = cr__board_log_line(b, "sum", b->shown < b->e->classes ? CR_BOARD_NUMBER : CR_BOARD_SUM,
                             log_all);
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        cr__board_term(b, line[k]);
        cr__board_term(b, sum);
        cr__board_put(b, "= ");
        cr__board_power(b, b->line[line[k]].log_value);
        cr__board_put(b, " / ");
        cr__board_power(b, log_all);
        cr__board_put(b, " = ");
        cr__board_share(b, answer, b->of[k], 0);
        b->answer[k] =
            cr__board_log_line(b, row_side(b, what, k), CR_BOARD_QUOTIENT, log(answer[b->of[k]]));
    }
}

/* --- calibration ---------------------------------------------------------------------------- */

static const double *calibrated_posterior(const cr_explanation *e)
{
    return e->before_rule != NULL ? e->before_rule : e->posterior;
}

/* A value of the calibration's function, and 1 minus it. */
static void put_after(cr__board *b, double after, double rest, int in_formula)
{
    if (after > 0.99995)
        put_near_one(b, log(after), log(rest), in_formula);
    else
        cr__board_power(b, log(after));
}

/* "P(yes | row)^(1/1.7) = 0.4706^(1/1.7) = 0.6417" */
static size_t power_line(cr__board *b, size_t k, const cr_calibration_share *s)
{
    /* 1 - (1 - r)^(1/T) = r/T where r is too small for the logarithm of 1 - r */
    const double rest = s->log_before > -1e-12 ? exp(s->log_rest) / s->number[0]
                                               : -expm1(s->log_before / s->number[0]);
    char T[CR_SHOW_SIZE];

    cr_show_number(T, CR_SHOW_PLAIN, s->number[0]);
    cr__board_term(b, b->answer[k]);
    cr__board_put(b, "= ");
    put_after(b, exp(s->log_before), exp(s->log_rest), 1);
    cr__board_put(b, "^(1/%s) = ", T);
    put_after(b, exp(s->log_before / s->number[0]), rest, 0);
    return cr__board_line(b,
                          cr__board_text(b, "P(%s | row)^(1/%s)", cr__board_class(b, b->of[k]), T),
                          (cr_board_line){.rule = CR_BOARD_POWER,
                                          .log_value = s->log_before / s->number[0],
                                          .value = s->after,
                                          .top = s->number[0],
                                          .power = 1});
}

/* "z = 1.1 × -0.754 - 0.9 × -0.636 + 0.02": with both logarithms, or with their difference. */
static size_t z_line(cr__board *b, size_t k, const cr_calibration_share *s)
{
    const int beta = s->numbers == 3;
    const double odds = s->log_before - s->log_rest;
    const double z = beta ? s->number[0] * s->log_before - s->number[1] * s->log_rest + s->number[2]
                          : s->number[0] * odds + s->number[1];

    cr__board_put(b, beta ? "= a × ln p - b × ln(1 - p) + c = " : "= a × ln(p/(1 - p)) + b = ");
    cr__board_plain(b, s->number[0]);
    cr__board_put(b, " × ");
    cr__board_plain(b, beta ? s->log_before : odds);
    if (beta) {
        cr__board_put(b, s->number[1] < 0 ? " + " : " - ");
        cr__board_plain(b, fabs(s->number[1]));
        cr__board_put(b, " × ");
        cr__board_plain(b, s->log_rest);
    }
    cr__board_added(b, s->number[beta ? 2 : 1], 0);
    cr__board_put(b, " = ");
    cr__board_plain(b, z);
    return cr__board_line(b, cr__board_text(b, "z(%s)", cr__board_class(b, b->of[k])),
                          (cr_board_line){.rule = CR_BOARD_NUMBER, .value = z, .log_value = NAN});
}

static size_t sigmoid_line(cr__board *b, size_t k, const cr_calibration_share *s, const char *what)
{
    const size_t z = z_line(b, k, s);

    if (b->failed)
        return SIZE_MAX;
    cr__board_term(b, z);
    cr__board_put(b, "= 1/(1 + e^");
    cr__board_plain(b, b->line[z].value == 0 ? 0 : -b->line[z].value);
    cr__board_put(b, ") = ");
    put_after(b, s->after, 1 / (1 + exp(b->line[z].value)), 0);
    return cr__board_log_line(b, row_side(b, what, k), CR_BOARD_SIGMOID, log(s->after));
}

/* Straight lines between points of the log-odds. */
static size_t isotonic_line(cr__board *b, size_t k, const cr_calibration_share *s, const char *what)
{
    const double odds = s->log_before - s->log_rest, *v = s->number;

    cr__board_put(b, "= f(ln(p/(1 - p))) = f(");
    cr__board_plain(b, odds);
    cr__board_put(b, ") = ");
    if (v[2] > v[0]) {
        cr__board_plain(b, v[1]);
        cr__board_put(b, " + (");
        cr__board_plain(b, v[3]);
        cr__board_put(b, " - ");
        cr__board_plain(b, v[1]);
        cr__board_put(b, ") × (");
        cr__board_plain(b, odds);
        cr__board_added(b, -v[0], 0);
        cr__board_put(b, ")/(");
        cr__board_plain(b, v[2]);
        cr__board_added(b, -v[0], 0);
        cr__board_put(b, ") = ");
    }
    put_after(b, s->after, 1 - s->after, 0);
    return cr__board_log_line(b, row_side(b, what, k), CR_BOARD_NUMBER, log(s->after));
}

static size_t function_line(cr__board *b, size_t k, const cr_calibration_share *s, const char *what)
{
    return s->numbers == 4 ? isotonic_line(b, k, s, what) : sigmoid_line(b, k, s, what);
}

/* Two classes: the function of the second, and 1 minus it for the first. */
static void calibrate_pair(cr__board *b)
{
    const cr_calibration_share *s = b->e->calibrated;

    b->answer[1] = function_line(b, 1, &s[1], "calibrated ");
    if (b->failed)
        return;
    cr__board_term(b, b->answer[1]);
    cr__board_put(b, "= 1 - ");
    put_after(b, s[1].after, s[0].after, 1);
    cr__board_put(b, " = ");
    put_after(b, s[0].after, s[1].after, 0);
    b->answer[0] =
        cr__board_log_line(b, row_side(b, "calibrated ", 0), CR_BOARD_REST, log(s[0].after));
}

void cr__board_calibration(cr__board *b)
{
    const cr_explanation *e = b->e;
    size_t *line;
    double all = 0;

    if (e->calibrated == NULL || b->failed || e->reason == CR_IMPOSSIBLE ||
        (e->form == CR_FORM_POWERS && e->calibrated[0].numbers == 1)) /* it is in the exponents */
        return;
    cr__board_section(b, cr__board_text(b, "Calibration by %s", e->calibration), CR_UNDECIDED);
    if (e->classes == 2 && e->calibrated[1].numbers > 1) {
        calibrate_pair(b);
        return;
    }
    line = cr__arena_alloc(&b->arena, b->shown, sizeof *line);
    b->failed |= line == NULL;
    for (size_t c = 0; c < e->classes; c++)
        all += e->calibrated[c].after;
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        const cr_calibration_share *s = &e->calibrated[b->of[k]];

        if (s->numbers == 1)
            line[k] = power_line(b, k, s);
        else if (s->numbers > 1)
            line[k] = function_line(b, k, s, "f of ");
        else
            line[k] = b->answer[k]; /* impossible, and stays so */
    }
    if (!b->failed)
        cr__board_divide(b, line, log(all), "calibrated ", calibrated_posterior(e));
}

/* --- a rule --------------------------------------------------------------------------------- */

/* Priors of the rule: P(class | row) × new prior / old prior, normalised. */
static void change_priors(cr__board *b)
{
    const cr_explanation *e = b->e;
    size_t *line = cr__arena_alloc(&b->arena, b->shown, sizeof *line);
    double all = 0;

    cr__board_section(b, "Other priors", CR_UNDECIDED);
    b->failed |= line == NULL;
    for (size_t c = 0; c < e->classes; c++)
        all += e->before_rule[c] * exp(cr__rule_shift(e->rule, c));
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        const double p = e->before_rule[b->of[k]], r = exp(cr__rule_shift(e->rule, b->of[k]));

        cr__board_put(b, "= ");
        cr__board_power(b, log(p));
        cr__board_put(b, " × ");
        cr__board_plain(b, r);
        cr__board_put(b, " = ");
        cr__board_power(b, log(p * r));
        line[k] = cr__board_line(
            b, cr__board_text(b, "P(%s | row) × new prior/old prior", cr__board_class(b, b->of[k])),
            (cr_board_line){.rule = CR_BOARD_TIMES,
                            .log_value = log(p * r),
                            .value = p * r,
                            .top = p,
                            .bottom = r,
                            .power = 1});
    }
    if (!b->failed)
        cr__board_divide(b, line, log(all), "then ", e->posterior);
}

/* "= 0.01 × 20 + 0.99 × 0 = 0.2" */
static void cost_line(cr__board *b, int32_t decision)
{
    const cr_explanation *e = b->e;
    double cost = 0;

    for (size_t c = 0; c < e->classes; c++) {
        const double one = cr_rule_cost(e->rule, c, decision);

        cost += e->posterior[c] * one;
        cr__board_put(b, c == 0 ? "= " : " + ");
        cr__board_power(b, log(e->posterior[c]));
        cr__board_put(b, " × ");
        cr__board_plain(b, one);
    }
    cr__board_put(b, " = ");
    cr__board_plain(b, cost);
    cr__board_line(b,
                   decision == CR_UNDECIDED
                       ? "cost of not deciding"
                       : cr__board_text(b, "cost of %s", cr__board_class(b, (size_t)decision)),
                   (cr_board_line){.rule = CR_BOARD_NUMBER, .value = cost, .log_value = NAN});
}

void cr__board_rule(cr__board *b)
{
    const cr_explanation *e = b->e;

    if (e->rule == NULL || b->failed || e->reason == CR_IMPOSSIBLE)
        return;
    if (e->before_rule != NULL)
        change_priors(b);
    if (b->failed || e->classes > CR__BOARD_CLASSES)
        return;
    cr__board_section(b, "Expected costs", CR_UNDECIDED);
    for (size_t d = 0; d < e->classes && !b->failed; d++)
        cost_line(b, (int32_t)d);
    if (isfinite(cr_rule_cost(e->rule, 0, CR_UNDECIDED)) && !b->failed)
        cost_line(b, CR_UNDECIDED);
}
