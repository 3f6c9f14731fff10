/* render/board_product.c - a class's factors, one line each, and their product.
 *
 *     P(class, row) = P(class) P(x1 | class) P(x2 | class, …) …
 *
 * Every factor is written as the fraction of counts or the density that it is. Where the numbers
 * are jointly normal, they make one density out of a quadratic form:
 *
 *     N(x; μ, Σ) = exp(-((x - μ)' Σ⁻¹ (x - μ) + ln |Σ| + n ln 2π) / 2)
 *
 * whose parts are by columns: the squared distance of each number from its expectation given those
 * before it, over the remaining variance; |Σ| is the product of these variances.
 */
#include <math.h>
#include <string.h>

#include "render/board.h"

#define ALIKE "P(no word at all)"

static int takes_part(const cr_factor *f)
{
    return f->column != SIZE_MAX && !f->left_out;
}

/* --- one factor ----------------------------------------------------------------------------- */

/* Counts behind a fraction; those of a prior may be in the model only. */
static void counts_of(const cr__board *b, const cr_factor *f, size_t c, double *n, double *of)
{
    cr_model_facts facts;

    if (f->count != NULL) {
        *n = f->count[c];
        *of = f->total[c];
        return;
    }
    cr_model_get_facts(b->model, &facts);
    *n = cr_model_class_count(b->model, c);
    *of = facts.weight;
}

static size_t fraction_line(cr__board *b, const cr_factor *f, size_t c, const char *side)
{
    cr_board_line is = {.rule = CR_BOARD_FRACTION,
                        .log_value = f->log_p[c],
                        .value = exp(f->log_p[c]),
                        .top = f->top[c],
                        .bottom = f->bottom[c],
                        .power = 1};

    counts_of(b, f, c, &is.count, &is.total);
    if (is.bottom > 0)
        is.value = is.top / is.bottom;
    if (is.bottom == 0)
        is.rule = CR_BOARD_NUMBER; /* nothing was counted: the model has a convention */
    else if (is.bottom != 1 || is.top == 0 || is.top == 1)
        cr__board_fraction(b, is.count, is.total, is.top, is.bottom, 1);
    cr__board_put(b, "= ");
    cr__board_power(b, f->log_p[c]);
    return cr__board_line(b, side, is);
}

/* The normal density, or Student's t when the parameters were integrated out. */
static size_t density_line(cr__board *b, const cr_factor *f, size_t c, const char *side)
{
    const int student = f->freedom != NULL && f->freedom[c] > 0;
    cr_board_line is = {.rule = student ? CR_BOARD_STUDENT : CR_BOARD_GAUSSIAN,
                        .log_value = f->log_p[c],
                        .value = exp(f->log_p[c]),
                        .x = f->x,
                        .mean = f->mean[c],
                        .variance = f->variance[c],
                        .freedom = student ? f->freedom[c] : 0,
                        .power = 1};
    char mean[CR_SHOW_SIZE], variance[CR_SHOW_SIZE], freedom[CR_SHOW_SIZE];

    cr_show_number(mean, CR_SHOW_PLAIN, is.mean);
    cr_show_number(variance, CR_SHOW_PLAIN, is.variance);
    if (student)
        cr__board_put(b, "= Student t with %s degrees of freedom at (%s - %s)/√%s, over √%s ",
                      cr_show_number(freedom, CR_SHOW_PLAIN, is.freedom), f->value, mean, variance,
                      variance);
    else
        cr__board_put(b, "= exp(-(%s - %s)²/(2 × %s))/√(2π × %s) ", f->value, mean, variance,
                      variance);
    cr__board_put(b, "= ");
    cr__board_power(b, f->log_p[c]);
    return cr__board_line(b, side, is);
}

/* p = (n k + r g) / (n + r): kernels, and a Gaussian of all classes for r rows. */
static size_t kernel_line(cr__board *b, const cr_factor *f, size_t c, const char *side)
{
    const double n = f->kernels[c], r = f->guess_rows;
    char width[CR_SHOW_SIZE];
    cr_board_line is = {.rule = CR_BOARD_FRACTION,
                        .log_value = f->log_p[c],
                        .value = exp(f->log_p[c]),
                        .top = n * f->kernel_sum[c] + r * f->guess,
                        .bottom = n + r,
                        .total = NAN, /* no fraction of counts */
                        .power = 1};

    if (n > 0) {
        cr__board_put(b, "= (");
        cr__board_plain(b, n);
        cr__board_put(b, " × ");
        cr__board_plain(b, f->kernel_sum[c]);
        cr__board_put(b, " + ");
        cr__board_plain(b, r);
        cr__board_put(b, " × ");
        cr__board_plain(b, f->guess);
        cr__board_put(b, ")/(");
        cr__board_plain(b, n);
        cr__board_put(b, " + ");
        cr__board_plain(b, r);
        cr__board_put(b, ") ");
    } else {
        is.rule = CR_BOARD_NUMBER;
    }
    cr__board_put(b, "= ");
    cr__board_power(b, f->log_p[c]);
    if (n > 0)
        cr__board_put(b, ", kernels of width %s",
                      cr_show_number(width, CR_SHOW_PLAIN, f->width[c]));
    return cr__board_line(b, side, is);
}

static size_t factor_line(cr__board *b, const cr_factor *f, size_t c)
{
    const char *side = cr__board_factor_side(b, f, c);

    if (f->left_out) {
        cr__board_put(b, "left out: %s", f->left_out == 1 ? "missing" : "never seen");
        return cr__board_line(b, side, (cr_board_line){.rule = CR_BOARD_TEXT});
    }
    if (f->fraction)
        return fraction_line(b, f, c, side);
    if (f->mean != NULL)
        return density_line(b, f, c, side);
    if (f->kernels != NULL)
        return kernel_line(b, f, c, side);
    cr__board_put(b, "= ");
    cr__board_power(b, f->log_p[c]);
    return cr__board_log_line(b, side, CR_BOARD_NUMBER, f->log_p[c]);
}

/* --- the words of a text -------------------------------------------------------------------- */

/* "P(game | Sports)^2"; how it is written depends on the event model. */
static const char *word_side(cr__board *b, const cr_word_share *w, size_t c)
{
    static const char *const before[] = {"factor(", "P(", "P(", "1/P("};
    static const char *const between[] = {" | ", " | ", " | ", " | not "};
    static const char *const after[] = {")", ")", ") : P(not)", ")"};
    char exponent[CR_SHOW_SIZE + 1] = "";

    if (w->weight != 1) {
        exponent[0] = '^';
        cr_show_number(exponent + 1, CR_SHOW_PLAIN, w->weight);
    }
    return cr__board_text(b, "%s%s%s%s%s%s", before[w->form],
                          cr__board_name(b, w->bytes, w->length), between[w->form],
                          cr__board_class(b, c), after[w->form], exponent);
}

static size_t word_line(cr__board *b, const cr_word_share *w, size_t c)
{
    cr_board_line is = {.rule = CR_BOARD_NUMBER,
                        .log_value = w->log_p[c],
                        .value = exp(w->log_p[c]),
                        .power = w->weight};

    if (w->top != NULL) {
        is.rule = CR_BOARD_FRACTION;
        is.count = w->counted[c];
        is.total = w->total[c];
        is.top = w->top[c];
        is.bottom = w->bottom[c];
        cr__board_fraction(b, is.count, is.total, is.top, is.bottom, w->weight);
    }
    cr__board_put(b, "= ");
    cr__board_power(b, w->log_p[c]);
    return cr__board_line(b, word_side(b, w, c), is);
}

/* --- the product ---------------------------------------------------------------------------- */

/* Lines whose values are multiplied. */
typedef struct factors {
    size_t *line;
    size_t count, room;
} factors;

static void add_factor(cr__board *b, factors *all, size_t line)
{
    if (line == SIZE_MAX)
        return;
    if (all->count == all->room) {
        size_t *larger = cr__arena_alloc(&b->arena, 2 * all->room + 16, sizeof *larger);

        if (larger == NULL) {
            b->failed = 1;
            return;
        }
        for (size_t i = 0; i < all->count; i++)
            larger[i] = all->line[i];
        all->line = larger;
        all->room = 2 * all->room + 16;
    }
    all->line[all->count++] = line;
}

/* The words of a text and the part common to all texts. */
static void text_lines(cr__board *b, const cr_factor *f, size_t c, factors *all)
{
    const size_t *word = cr__board_words(b, f);
    const double alike = cr_factor_alike(f, c);
    double rest = 0;

    for (size_t i = 0; word != NULL && i < f->words; i++)
        if (i < CR__BOARD_WORDS)
            add_factor(b, all, word_line(b, &f->word[word[i]], c));
        else
            rest += f->word[word[i]].log_p[c];
    if (f->words > CR__BOARD_WORDS) {
        cr__board_put(b, "= ");
        cr__board_power(b, rest);
        add_factor(
            b, all,
            cr__board_log_line(b, cr__board_text(b, "%zu weaker words", f->words - CR__BOARD_WORDS),
                               CR_BOARD_NUMBER, rest));
    }
    if (alike != 0) {
        cr__board_put(b, "= ");
        cr__board_power(b, alike);
        add_factor(b, all, cr__board_log_line(b, ALIKE, CR_BOARD_NUMBER, alike));
    }
}

/* 6/7, or the number where it is not a fraction. */
static void briefly(cr__board *b, const cr_board_line *line, int first)
{
    cr__board_put(b, first ? "= " : "× ");
    if (line->rule != CR_BOARD_FRACTION || isnan(line->total)) {
        cr__board_power(b, line->log_value);
    } else {
        cr__board_put(b, line->power != 1 ? "(" : "");
        cr__board_plain(b, line->top);
        cr__board_put(b, "/");
        cr__board_plain(b, line->bottom);
        cr__board_put(b, line->power != 1 ? ")^" : "");
        if (line->power != 1)
            cr__board_plain(b, line->power);
    }
    cr__board_put(b, " ");
}

/* P(row | class) and P(row | class) P(class). */
static size_t product_lines(cr__board *b, size_t c, const factors *all, size_t prior)
{
    const char *name = cr__board_class(b, c);
    const double log_prior = b->e->factor[0].log_p[c];
    double log_p = 0;
    size_t product;

    for (size_t i = 0; i < all->count && !b->failed; i++)
        log_p += b->line[all->line[i]].log_value;
    if (all->count > CR__BOARD_TERMS)
        cr__board_put(b, "= product of the %zu numbers above ", all->count);
    for (size_t i = 0; all->count > 1 && i < all->count && !b->failed; i++) {
        if (all->count <= CR__BOARD_TERMS)
            briefly(b, &b->line[all->line[i]], i == 0);
        cr__board_term(b, all->line[i]);
    }
    if (all->count == 1)
        cr__board_term(b, all->line[0]);
    cr__board_put(b, "= ");
    cr__board_power(b, log_p);
    product =
        cr__board_log_line(b, cr__board_text(b, "P(row | %s)", name), CR_BOARD_PRODUCT, log_p);
    cr__board_term(b, product);
    cr__board_term(b, prior);
    cr__board_put(b, "= ");
    cr__board_power(b, log_p);
    cr__board_put(b, " × ");
    cr__board_power(b, log_prior);
    cr__board_put(b, " = ");
    cr__board_power(b, b->e->score[c]);
    return cr__board_log_line(b, cr__board_text(b, "P(row | %s) P(%s)", name, name),
                              CR_BOARD_PRODUCT, b->e->score[c]);
}

/* --- the quadratic form --------------------------------------------------------------------- */

/* "d²(petal_width | …) = (1.7 - 1.36)²/0.041 = 2.82" */
static size_t square_line(cr__board *b, const cr_factor *f, size_t c)
{
    const double d = f->x - f->mean[c], square = d * d / f->variance[c];
    char mean[CR_SHOW_SIZE], variance[CR_SHOW_SIZE];

    cr__board_put(b, "= (%s - %s)²/%s = ", f->value,
                  cr_show_number(mean, CR_SHOW_PLAIN, f->mean[c]),
                  cr_show_number(variance, CR_SHOW_PLAIN, f->variance[c]));
    cr__board_plain(b, square);
    return cr__board_line(b,
                          cr__board_text(b, "d²(%s%s)", cr__board_name(b, f->name, strlen(f->name)),
                                         f->chained ? " | before" : ""),
                          (cr_board_line){.rule = CR_BOARD_SQUARE,
                                          .value = square,
                                          .log_value = NAN,
                                          .x = f->x,
                                          .mean = f->mean[c],
                                          .variance = f->variance[c]});
}

static size_t sum_squares(cr__board *b, const size_t *line, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n && !b->failed; i++) {
        sum += b->line[line[i]].value;
        cr__board_term(b, line[i]);
        if (n <= CR__BOARD_TERMS && n > 1) {
            cr__board_put(b, i == 0 ? "= " : "");
            cr__board_added(b, b->line[line[i]].value, i == 0);
        }
    }
    cr__board_put(b, n > CR__BOARD_TERMS ? "= sum of the %zu above = " : n > 1 ? " = " : "= ", n);
    cr__board_plain(b, sum);
    return cr__board_line(b, "(x - μ)' Σ⁻¹ (x - μ)",
                          (cr_board_line){.rule = CR_BOARD_SUM, .value = sum, .log_value = NAN});
}

static size_t sum_logs(cr__board *b, const size_t *line, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n && !b->failed; i++) {
        sum += log(b->line[line[i]].variance);
        cr__board_term(b, line[i]);
        if (n <= CR__BOARD_TERMS) {
            cr__board_put(b, i == 0 ? "= ln " : " + ln ");
            cr__board_plain(b, b->line[line[i]].variance);
        }
    }
    cr__board_put(
        b, n > CR__BOARD_TERMS ? "= sum of the logarithms of the %zu variances = " : " = ", n);
    cr__board_plain(b, sum);
    return cr__board_line(
        b, "ln |Σ|", (cr_board_line){.rule = CR_BOARD_LOG_SUM, .value = sum, .log_value = NAN});
}

/* The density of all numbers together; SIZE_MAX where the row has none. */
static size_t normal_lines(cr__board *b, size_t c)
{
    const cr_explanation *e = b->e;
    size_t *line = cr__arena_alloc(&b->arena, e->factors, sizeof *line), n = 0, square, logs;
    double log_p = 0;

    b->failed |= line == NULL;
    for (size_t i = 0; i < e->factors && !b->failed; i++)
        if (takes_part(&e->factor[i]) && e->factor[i].mean != NULL) {
            log_p += e->factor[i].log_p[c];
            line[n++] = square_line(b, &e->factor[i], c);
        }
    if (n == 0 || b->failed)
        return SIZE_MAX;
    square = sum_squares(b, line, n);
    logs = sum_logs(b, line, n);
    if (b->failed)
        return SIZE_MAX;
    cr__board_term(b, square);
    cr__board_term(b, logs);
    cr__board_put(b, "= exp(-(");
    cr__board_plain(b, b->line[square].value);
    cr__board_added(b, b->line[logs].value, 0);
    cr__board_put(b, " + %zu × ln 2π)/2) = ", n);
    cr__board_power(b, log_p);
    return cr__board_line(
        b, cr__board_text(b, "p(number%s | %s)", n == 1 ? "" : "s", cr__board_class(b, c)),
        (cr_board_line){.rule = CR_BOARD_NORMAL,
                        .log_value = log_p,
                        .value = exp(log_p),
                        .top = (double)n,
                        .power = 1});
}

/* --- all classes ---------------------------------------------------------------------------- */

static void write_class(cr__board *b, size_t k)
{
    const cr_explanation *e = b->e;
    const size_t c = b->of[k];
    const int quadratic = e->form == CR_FORM_QUADRATIC;
    factors all = {0};
    size_t prior = SIZE_MAX;

    cr__board_section(b, cr__board_class(b, c), (int32_t)c);
    for (size_t i = 0; i < e->factors && !b->failed; i++) {
        const cr_factor *f = &e->factor[i];

        if (takes_part(f) && cr__board_is_text(b, f))
            text_lines(b, f, c, &all);
        else if (takes_part(f) && quadratic && f->mean != NULL)
            continue;
        else if (f->column == SIZE_MAX)
            prior = factor_line(b, f, c);
        else if (f->left_out)
            factor_line(b, f, c);
        else
            add_factor(b, &all, factor_line(b, f, c));
    }
    if (quadratic)
        add_factor(b, &all, normal_lines(b, c));
    b->joint[k] = product_lines(b, c, &all, prior);
}

void cr__board_products(cr__board *b)
{
    for (size_t k = 0; k < b->shown && !b->failed; k++)
        write_class(b, k);
    cr__board_normalise(b);
}
