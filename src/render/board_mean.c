/* render/board_mean.c - answers that are means: of products, of votes, of an ensemble's members. */
#include <math.h>
#include <string.h>

#include "render/board.h"

enum { FACTORS_LISTED = 60 }; /* of a class, by lines of their own */

#define FLOOR 0x1p-52 /* the least probability in a product, see learners/ensemble/score.c */

/* --- the mean of several products ----------------------------------------------------------- */

static const char *value_of(cr__board *b, size_t column)
{
    for (size_t i = 0; i < b->e->factors; i++)
        if (column != SIZE_MAX && b->e->factor[i].column == column)
            return cr__board_value(b, &b->e->factor[i]);
    return "";
}

/* "P(legs=no | mammals, fur=yes)" */
static const char *factor_side(cr__board *b, const cr_product *p, size_t of, const char *name)
{
    if (of == SIZE_MAX)
        return cr__board_text(b, "P(%s)", name);
    if (p->column == SIZE_MAX || of == p->column)
        return cr__board_text(b, "P(%s | %s)", value_of(b, of), name);
    return cr__board_text(b, "P(%s | %s, %s)", value_of(b, of), name, value_of(b, p->column));
}

/* P(class) P(x1 | class) P(x2 | class, x1) …; the factors by lines where they are few. */
static size_t product_line(cr__board *b, const cr_product *p, size_t c, int listed)
{
    const size_t K = b->e->classes, first = b->board.lines;
    const char *name = cr__board_class(b, c);
    double sum = 0;

    for (size_t f = 0; f < p->factors && !b->failed; f++) {
        sum += p->log_p[f * K + c];
        if (!listed)
            continue;
        cr__board_put(b, "= ");
        cr__board_power(b, p->log_p[f * K + c]);
        cr__board_log_line(b, factor_side(b, p, p->of[f], name), CR_BOARD_NUMBER,
                           p->log_p[f * K + c]);
    }
    for (size_t f = 0; f < p->factors && !b->failed; f++) {
        if (listed)
            cr__board_term(b, first + f);
        if (p->factors > CR__BOARD_TERMS)
            continue;
        cr__board_put(b, f == 0 ? "= " : "× ");
        cr__board_power(b, p->log_p[f * K + c]);
        cr__board_put(b, " ");
    }
    if (p->factors > CR__BOARD_TERMS)
        cr__board_put(b, "= product of the %zu factors ", p->factors);
    cr__board_put(b, "= ");
    cr__board_power(b, sum);
    return cr__board_log_line(
        b,
        p->column == SIZE_MAX ? cr__board_text(b, "P(row, %s)", name)
                              : cr__board_text(b, "P(row, %s) by %s", name, value_of(b, p->column)),
        listed ? CR_BOARD_PRODUCT : CR_BOARD_NUMBER, sum);
}

static size_t mean_line(cr__board *b, size_t c, const size_t *line)
{
    const size_t n = b->e->products;

    for (size_t m = 0; m < n && !b->failed; m++) {
        cr__board_term(b, line[m]);
        if (n > CR__BOARD_TERMS)
            continue;
        cr__board_put(b, m == 0 ? "= (" : " + ");
        cr__board_power(b, b->line[line[m]].log_value);
    }
    cr__board_put(b, n > CR__BOARD_TERMS ? "= mean of the %zu products = " : ")/%zu = ", n);
    cr__board_power(b, b->e->score[c]);
    return cr__board_log_line(b, cr__board_text(b, "P(row, %s)", cr__board_class(b, c)),
                              CR_BOARD_MEAN, b->e->score[c]);
}

void cr__board_means(cr__board *b)
{
    const size_t n = b->e->products;
    size_t *line = cr__arena_alloc(&b->arena, n, sizeof *line), factors = 0;

    b->failed |= line == NULL;
    for (size_t m = 0; m < n; m++)
        factors += b->e->product[m].factors;
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        const size_t c = b->of[k];

        cr__board_section(b, cr__board_class(b, c), (int32_t)c);
        for (size_t m = 0; m < n && !b->failed; m++)
            line[m] = product_line(b, &b->e->product[m], c, factors <= FACTORS_LISTED);
        b->joint[k] = n == 1 ? line[0] : mean_line(b, c, line);
    }
    cr__board_normalise(b);
}

/* --- votes ---------------------------------------------------------------------------------- */

void cr__board_votes(cr__board *b)
{
    const cr_factor *f = &b->e->factor[0];

    cr__board_section(b, "Hypotheses that say so, of all that are right on every row",
                      CR_UNDECIDED);
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        const size_t c = b->of[k];
        cr_board_line is = {.rule = f->fraction ? CR_BOARD_FRACTION : CR_BOARD_NUMBER,
                            .log_value = f->log_p[c],
                            .value = exp(f->log_p[c]),
                            .power = 1};

        if (f->fraction) {
            is.top = is.count = f->top[c];
            is.bottom = is.total = f->bottom[c];
            cr__board_fraction(b, is.count, is.total, is.top, is.bottom, 1);
        }
        cr__board_put(b, "= ");
        cr__board_power(b, f->log_p[c]);
        b->answer[k] =
            cr__board_line(b, cr__board_text(b, "P(%s | row)", cr__board_class(b, c)), is);
    }
}

/* --- members of an ensemble ------------------------------------------------------------------ */

/* A member's weight and posterior, [1 + shown] lines. */
static void member_lines(cr__board *b, const cr_member_share *m, size_t *line)
{
    const char *name = cr__board_name(b, m->name, strlen(m->name));

    cr__board_section(b, m->drawn ? cr__board_text(b, "%s, which was drawn", name) : name,
                      CR_UNDECIDED);
    if (b->failed)
        return;
    cr__board_put(b, "= ");
    cr__board_plain(b, m->weight);
    line[0] = cr__board_line(
        b, "weight",
        (cr_board_line){
            .rule = CR_BOARD_NUMBER, .value = m->weight, .log_value = log(m->weight), .power = 1});
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        const double p = m->posterior[b->of[k]];
        const int floored = b->e->form == CR_FORM_POWERS && !(p > FLOOR);

        cr__board_put(b, "= ");
        if (floored)
            cr__board_power(b, log(FLOOR));
        else
            cr__board_share(b, m->posterior, b->of[k], 0);
        cr__board_put(b, "%s", floored ? ", the least that counts" : "");
        line[1 + k] = cr__board_log_line(
            b, cr__board_text(b, "P(%s | row, %s)", cr__board_class(b, b->of[k]), name),
            CR_BOARD_NUMBER, log(floored ? FLOOR : p));
    }
}

/* A member's probability within a formula, written as on its own line. */
static void put_member(cr__board *b, const cr_member_share *m, size_t k, double log_p)
{
    if (m->posterior[b->of[k]] > FLOOR)
        cr__board_share(b, m->posterior, b->of[k], 1);
    else
        cr__board_power(b, log_p);
}

/* The posterior before a rule applies, and before a calibration that is not in the exponents. */
static const double *plain_posterior(cr__board *b)
{
    const cr_explanation *e = b->e;
    double *p = cr__arena_alloc(&b->arena, e->classes, sizeof *p);

    if (e->calibrated == NULL || (e->form == CR_FORM_POWERS && e->calibrated[0].numbers == 1))
        return e->before_rule != NULL ? e->before_rule : e->posterior;
    b->failed |= p == NULL;
    for (size_t c = 0; c < e->classes && p != NULL; c++)
        p[c] = e->calibrated[c].before;
    return p;
}

/* P(class | row) ∝ Π P(class | row, member)^power */
static void multiply_lines(cr__board *b, const size_t *line)
{
    const size_t n = b->e->members, step = 1 + b->shown;
    size_t *product = cr__arena_alloc(&b->arena, b->shown, sizeof *product);
    const double *answer = plain_posterior(b);
    double log_all = 0;

    cr__board_section(b, "Together", CR_UNDECIDED);
    b->failed |= product == NULL;
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        double sum = 0;

        for (size_t m = 0; m < n; m++) {
            const cr_board_line *p = &b->line[line[m * step + 1 + k]];

            sum += b->e->member[m].weight * p->log_value;
            cr__board_term(b, line[m * step]);
            cr__board_term(b, line[m * step + 1 + k]);
            if (n > CR__BOARD_TERMS)
                continue;
            cr__board_put(b, m == 0 ? "= " : " × ");
            put_member(b, &b->e->member[m], k, p->log_value);
            cr__board_put(b, "^");
            cr__board_plain(b, b->e->member[m].weight);
        }
        cr__board_put(b, n > CR__BOARD_TERMS ? "= product of the %zu powers = " : " = ", n);
        cr__board_power(b, sum);
        product[k] =
            cr__board_log_line(b, cr__board_text(b, "product(%s)", cr__board_class(b, b->of[k])),
                               CR_BOARD_POWERS, sum);
        log_all = sum - log(answer[b->of[k]]);
    }
    if (!b->failed)
        cr__board_divide(b, product, log_all, "", answer);
}

/* P(class | row) = Σ weight × P(class | row, member), or that of the member that was drawn. */
static void mix_lines(cr__board *b, const size_t *line, size_t drawn)
{
    const size_t n = b->e->members, step = 1 + b->shown;
    const double *answer = plain_posterior(b);

    cr__board_section(b, "Together", CR_UNDECIDED);
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        const double p = answer[b->of[k]];
        const char *side = cr__board_text(b, "P(%s | row)", cr__board_class(b, b->of[k]));

        if (drawn < n) {
            cr__board_term(b, line[drawn * step + 1 + k]);
            cr__board_put(b, "= ");
            cr__board_share(b, answer, b->of[k], 0);
            b->answer[k] = cr__board_log_line(b, side, CR_BOARD_PRODUCT, log(p));
            continue;
        }
        for (size_t m = 0; m < n; m++) {
            cr__board_term(b, line[m * step]);
            cr__board_term(b, line[m * step + 1 + k]);
            if (n > CR__BOARD_TERMS)
                continue;
            cr__board_put(b, m == 0 ? "= " : " + ");
            cr__board_plain(b, b->e->member[m].weight);
            cr__board_put(b, " × ");
            put_member(b, &b->e->member[m], k, b->line[line[m * step + 1 + k]].log_value);
        }
        cr__board_put(b, n > CR__BOARD_TERMS ? "= weighted mean of the %zu members = " : " = ", n);
        cr__board_share(b, answer, b->of[k], 0);
        b->answer[k] = cr__board_log_line(b, side, CR_BOARD_WEIGHTED, log(p));
    }
}

void cr__board_members(cr__board *b)
{
    const size_t n = b->e->members, step = 1 + b->shown;
    size_t *line = cr__arena_alloc(&b->arena, n * step, sizeof *line), drawn = n;

    b->failed |= line == NULL;
    for (size_t m = 0; m < n && !b->failed; m++) {
        member_lines(b, &b->e->member[m], line + m * step);
        if (b->e->member[m].drawn)
            drawn = m;
    }
    if (b->failed || b->e->reason == CR_IMPOSSIBLE)
        return;
    if (b->e->form == CR_FORM_POWERS)
        multiply_lines(b, line);
    else
        mix_lines(b, line, drawn);
}
