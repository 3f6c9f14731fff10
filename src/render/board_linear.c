/* render/board_linear.c - logistic regression: z = w0 + w1 x1 + w2 x2 + …, one line per term.
 *
 * With two classes and one set of weights P(second | row) is the sigmoid of z, otherwise P(class |
 * row) = e^z / Σ e^z over the classes, the class without weights having z = 0.
 */
#include <math.h>
#include <string.h>

#include "render/board.h"

/* Whether a class has no weights: the others are measured against it. */
static int is_reference(const cr_explanation *e, size_t c)
{
    for (size_t i = 0; i < e->factors; i++)
        if (e->factor[i].slope != NULL && e->factor[i].slope[c] != 0)
            return 0;
    return e->score[c] == 0;
}

/* "= 0.5 × 2.38 = 1.19"; only the weight where nothing is multiplied. */
static size_t term_line(cr__board *b, const char *side, double slope, double x)
{
    cr__board_put(b, "= ");
    cr__board_plain(b, slope);
    if (x != 1) {
        cr__board_put(b, " × ");
        cr__board_plain(b, x);
        cr__board_put(b, " = ");
        cr__board_plain(b, slope * x);
    }
    return cr__board_line(b, side,
                          (cr_board_line){.rule = x == 1 ? CR_BOARD_NUMBER : CR_BOARD_TIMES,
                                          .value = slope * x,
                                          .log_value = NAN,
                                          .top = slope,
                                          .bottom = x,
                                          .power = 1});
}

static void add(cr__board *b, size_t line, double *sum)
{
    cr__board_term(b, line);
    if (line != SIZE_MAX)
        *sum += b->line[line].value;
}

/* The lines of a text's words; their sum. */
static size_t word_lines(cr__board *b, const cr_factor *f, size_t c, size_t *line)
{
    const size_t *word = cr__board_words(b, f);
    double rest = 0, all = 0;
    size_t n = 0;

    for (size_t i = 0; word != NULL && i < f->words; i++) {
        const cr_word_share *w = &f->word[word[i]];

        all += w->slope[c] * w->weight;
        if (i < CR__BOARD_WORDS)
            line[n++] =
                term_line(b, cr__board_text(b, "w(%s)", cr__board_name(b, w->bytes, w->length)),
                          w->slope[c], w->weight);
        else
            rest += w->slope[c] * w->weight;
    }
    if (f->words > CR__BOARD_WORDS)
        line[n++] = term_line(b, cr__board_text(b, "%zu weaker words", f->words - CR__BOARD_WORDS),
                              rest, 1);
    if (fabs(f->slope[c] - all) > 1e-9 * fmax(1, fabs(all)))
        line[n++] = term_line(b, "w(any text)", f->slope[c] - all, 1);
    return n;
}

static int is_number(const cr__board *b, size_t column)
{
    return cr_schema_kind(cr_model_schema(b->model), column) == CR_REAL;
}

static const char *side_of(cr__board *b, const cr_factor *f)
{
    const char *name = cr__board_name(b, f->name, strlen(f->name));

    if (f->column == SIZE_MAX)
        return "w0";
    if (f->with > 0) /* numbers are less their means */
        return is_number(b, f->column) && is_number(b, f->with - 1)
                   ? cr__board_text(b, "w(%s) × %s", name, name)
                   : cr__board_text(b, "w(%s)", cr__board_value(b, f));
    return cr_schema_kind(cr_model_schema(b->model), f->column) == CR_REAL && f->x == f->x &&
                   f->value != NULL && strcmp(f->value, "?") != 0
               ? cr__board_text(b, "w(%s) × %s", name, name)
               : cr__board_text(b, "w(%s)", cr__board_value(b, f));
}

/* Every term of z, in lines; returns how many. */
static size_t term_lines(cr__board *b, size_t c, size_t *line)
{
    const cr_explanation *e = b->e;
    size_t n = 0;

    for (size_t i = 0; i < e->factors && !b->failed; i++) {
        const cr_factor *f = &e->factor[i];

        if (f->left_out) {
            cr__board_put(b, "left out: %s", f->left_out == 1 ? "missing" : "never seen");
            cr__board_line(b, side_of(b, f), (cr_board_line){.rule = CR_BOARD_TEXT});
        } else if (cr__board_is_text(b, f) && f->words > 0) {
            n += word_lines(b, f, c, line + n);
        } else {
            line[n++] = term_line(b, side_of(b, f), f->slope[c], f->x);
        }
    }
    return n;
}

/* z, and its moderated value where the weights' uncertainty is averaged out. */
static size_t sum_line(cr__board *b, size_t c, const size_t *line, size_t n)
{
    const char *side = cr__board_text(b, "z(%s)", cr__board_class(b, c));
    const double *moderation = b->e->moderation;
    double sum = 0;
    size_t z;

    for (size_t i = 0; i < n && !b->failed; i++) {
        if (n > 1 && n <= CR__BOARD_TERMS) {
            cr__board_put(b, i == 0 ? "= " : "");
            cr__board_added(b, b->line[line[i]].value, i == 0);
        }
        add(b, line[i], &sum);
    }
    cr__board_put(b, n > CR__BOARD_TERMS ? "= sum of the %zu terms = " : n > 1 ? " = " : "= ", n);
    cr__board_plain(b, sum);
    z = cr__board_line(b, side,
                       (cr_board_line){.rule = CR_BOARD_SUM, .value = sum, .log_value = NAN});
    if (moderation == NULL || moderation[c] == 1)
        return z;
    cr__board_term(b, z);
    cr__board_put(b, "= ");
    cr__board_plain(b, moderation[c]);
    cr__board_put(b, " × ");
    cr__board_plain(b, sum);
    cr__board_put(b, " = ");
    cr__board_plain(b, moderation[c] * sum);
    return cr__board_line(b, cr__board_text(b, "moderated z(%s)", cr__board_class(b, c)),
                          (cr_board_line){.rule = CR_BOARD_TIMES,
                                          .value = moderation[c] * sum,
                                          .log_value = NAN,
                                          .top = moderation[c],
                                          .bottom = sum});
}

static size_t class_lines(cr__board *b, size_t c)
{
    size_t most = 2, *line;

    for (size_t i = 0; i < b->e->factors; i++)
        most +=
            1 +
            (b->e->factor[i].words < CR__BOARD_WORDS ? b->e->factor[i].words : CR__BOARD_WORDS) + 2;
    line = cr__arena_alloc(&b->arena, most, sizeof *line);
    b->failed |= line == NULL;
    cr__board_section(b, cr__board_class(b, c), (int32_t)c);
    if (b->failed)
        return SIZE_MAX;
    if (is_reference(b->e, c)) {
        cr__board_put(b, "= 0, which the other class%s measured against",
                      b->e->classes == 2 ? " is" : "es are");
        return cr__board_line(b, cr__board_text(b, "z(%s)", cr__board_class(b, c)),
                              (cr_board_line){.rule = CR_BOARD_NUMBER, .log_value = NAN});
    }
    return sum_line(b, c, line, term_lines(b, c, line));
}

/* P(second | row) = 1/(1 + e^-z); P(first | row) = 1 - that. */
static void write_sigmoid(cr__board *b, size_t z)
{
    const double value = b->failed ? 0 : b->line[z].value;
    const double p[2] = {1 / (1 + exp(value)), 1 / (1 + exp(-value))};

    cr__board_section(b, "Together", CR_UNDECIDED);
    if (b->failed)
        return;
    cr__board_term(b, z);
    cr__board_put(b, "= 1/(1 + e^");
    cr__board_plain(b, value == 0 ? 0 : -value);
    cr__board_put(b, ") = ");
    cr__board_share(b, p, 1, 0);
    b->answer[1] = cr__board_log_line(b, cr__board_text(b, "P(%s | row)", cr__board_class(b, 1)),
                                      CR_BOARD_SIGMOID, log(p[1]));
    cr__board_term(b, b->answer[1]);
    cr__board_put(b, "= 1 - ");
    cr__board_share(b, p, 1, 1);
    cr__board_put(b, " = ");
    cr__board_share(b, p, 0, 0);
    b->answer[0] = cr__board_log_line(b, cr__board_text(b, "P(%s | row)", cr__board_class(b, 0)),
                                      CR_BOARD_REST, log(p[0]));
}

void cr__board_linear(cr__board *b)
{
    const int two = b->e->classes == 2 && is_reference(b->e, 0);
    size_t z = SIZE_MAX;

    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        const size_t c = b->of[k];

        z = class_lines(b, c);
        if (two || b->failed)
            continue;
        cr__board_term(b, z);
        cr__board_put(b, "= e^");
        cr__board_plain(b, b->line[z].value);
        cr__board_put(b, " = ");
        cr__board_power(b, b->line[z].value);
        b->joint[k] = cr__board_log_line(b, cr__board_text(b, "e^z(%s)", cr__board_class(b, c)),
                                         CR_BOARD_EXP, b->line[z].value);
    }
    if (two)
        write_sigmoid(b, z);
    else
        cr__board_normalise(b);
}
