/* cli/explain/work.c - the derivation of a decision, as one works it on a blackboard.
 *
 *     P(class | row) = P(class) P(x1 | class) P(x2 | class) ... / P(row)
 *
 * Every factor is written as the fraction of counts it is, smoothing included, then the products,
 * their sum P(row), and the posteriors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/line.h"
#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

enum { CLASSES_SHOWN = 8, FACTORS_MULTIPLIED = 8 };

/* --- one class ---------------------------------------------------------------------------- */

static double log_likelihood(const cr_explanation *e, size_t c)
{
    double sum = 0;

    for (size_t i = 0; i < e->factors; i++)
        if (e->factor[i].column != SIZE_MAX)
            sum += e->factor[i].log_p[c];
    return sum;
}

static bool counts(const cr_factor *f)
{
    return f->column != SIZE_MAX && !f->left_out;
}

/* How many numbers are multiplied to P(row | class). */
static size_t count_factors(const blackboard *w)
{
    size_t count = 0;

    for (size_t i = 0; i < w->e->factors; i++) {
        const cr_factor *f = &w->e->factor[i];

        if (counts(f))
            count += explain_is_text(w->q, f) ? f->words + (explain_alike(f, w->c) != 0) : 1;
    }
    return count;
}

/* 6/7, or the number where it is no fraction. */
static void briefly(blackboard *w, bool fraction, double top, double bottom, double log_p,
                    double power, bool *first)
{
    char a[NUMBER_ROOM], b[NUMBER_ROOM];

    fputs(*first ? "= " : "× ", w->line);
    *first = false;
    if (!fraction)
        fprintf(w->line, "%s ", number_power(a, log_p));
    else if (power > 1)
        fprintf(w->line, "(%s/%s)^%.0f ", number_plain(a, top), number_plain(b, bottom), power);
    else
        fprintf(w->line, "%s/%s ", number_plain(a, top), number_plain(b, bottom));
}

static void multiply_words(blackboard *w, const cr_factor *f, bool *first)
{
    word_fraction p;

    for (size_t i = 0; i < f->words; i++) {
        board_fraction(w->q, f, &f->word[i], w->c, &p);
        briefly(w, p.known, p.top, p.bottom, f->word[i].log_p[w->c], f->word[i].weight, first);
    }
    if (explain_alike(f, w->c) != 0)
        briefly(w, false, 0, 0, explain_alike(f, w->c), 1, first);
}

static void write_product(blackboard *w, const char *side)
{
    const cr_explanation *e = w->e;
    size_t used = count_factors(w), c = w->c;
    char number[NUMBER_ROOM];
    bool first = true;

    line_begin(w);
    if (used > FACTORS_MULTIPLIED)
        fprintf(w->line, "= product of the %zu factors ", used);
    for (size_t i = 0; used > 1 && used <= FACTORS_MULTIPLIED && i < e->factors; i++) {
        const cr_factor *f = &e->factor[i];

        if (counts(f) && explain_is_text(w->q, f))
            multiply_words(w, f, &first);
        else if (counts(f))
            briefly(w, f->fraction, f->fraction ? f->top[c] : 0, f->fraction ? f->bottom[c] : 0,
                    f->log_p[c], 1, &first);
    }
    fprintf(w->line, "= %s", number_power(number, log_likelihood(e, c)));
    line_end(w, side);
}

static void widen(size_t *width, char *side)
{
    if (text_width(side) > *width)
        *width = text_width(side);
    free(side);
}

/* The widest left side of the class. */
static void measure(blackboard *w)
{
    word_fraction p;

    for (size_t i = 0; i < w->e->factors; i++) {
        const cr_factor *f = &w->e->factor[i];
        const cr_word_share **words;

        if (!counts(f) || !explain_is_text(w->q, f)) {
            widen(&w->width, line_factor_side(w, f));
            continue;
        }
        words = line_words(w, f);
        for (size_t k = 0; k < f->words && k < BOARD_WORDS; k++) {
            board_fraction(w->q, f, words[k], w->c, &p);
            widen(&w->width, line_word_side(w, words[k], &p));
        }
        if (explain_alike(f, w->c) != 0)
            widen(&w->width, reserve_text(BOARD_ALIKE));
        free(words);
    }
}

static void write_class(inquiry *q, const cr_explanation *e, size_t c)
{
    blackboard w = {.q = q, .e = e, .c = c};
    char a[NUMBER_ROOM], b[NUMBER_ROOM], d[NUMBER_ROOM], *likelihood, *joint;
    size_t size;

    w.name = text_shown(cr_model_class(q->model, c), line_name_width());
    size = 2 * strlen(w.name) + 32;
    likelihood = reserve(size, 1);
    joint = reserve(size, 1);
    snprintf(likelihood, size, "P(row | %s)", w.name);
    snprintf(joint, size, "P(row | %s) P(%s)", w.name, w.name);
    w.width = text_width(joint);
    measure(&w);
    printf("\n%s%s%s\n", out_style(STYLE_BOLD), w.name, out_style(STYLE_NONE));
    for (size_t i = 0; i < e->factors; i++)
        if (counts(&e->factor[i]) && explain_is_text(q, &e->factor[i]))
            line_text(&w, &e->factor[i]);
        else
            line_factor(&w, &e->factor[i]);
    write_product(&w, likelihood);
    line_begin(&w);
    fprintf(w.line, "= %s × %s = %s", number_power(a, log_likelihood(e, c)),
            number_power(b, e->factor[0].log_p[c]), number_power(d, e->score[c]));
    line_end(&w, joint);
    free(w.name);
    free(likelihood);
    free(joint);
}

/* --- all classes together ----------------------------------------------------------------- */

/* log P(row) = log of the sum of e^score, scaled by the largest so that nothing underflows. */
static double log_evidence(const cr_explanation *e)
{
    double largest = -INFINITY, sum = 0;

    for (size_t c = 0; c < e->classes; c++)
        largest = fmax(largest, e->score[c]);
    if (isinf(largest))
        return largest;
    for (size_t c = 0; c < e->classes; c++)
        sum += exp(e->score[c] - largest);
    return largest + log(sum);
}

typedef struct scored {
    size_t index;
    double score;
} scored;

static int likelier_first(const void *a, const void *b)
{
    const scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* All classes in their order, or the likeliest where they are many. */
static scored *pick_classes(const cr_explanation *e, size_t *shown)
{
    scored *all = reserve(e->classes, sizeof *all);

    for (size_t c = 0; c < e->classes; c++)
        all[c] = (scored){c, e->score[c]};
    *shown = e->classes;
    if (e->classes > CLASSES_SHOWN) {
        qsort(all, e->classes, sizeof *all, likelier_first);
        *shown = CLASSES_SHOWN;
    }
    return all;
}

/* log of P(any other class | row) */
static double log_others(const cr_explanation *e, size_t class_index, double log_row)
{
    double sum = 0, largest = -INFINITY;

    for (size_t c = 0; c < e->classes; c++)
        if (c != class_index)
            largest = fmax(largest, e->score[c]);
    for (size_t c = 0; c < e->classes && isfinite(largest); c++)
        if (c != class_index)
            sum += exp(e->score[c] - largest);
    return isfinite(largest) ? largest + log(sum) - log_row : -INFINITY;
}

static void write_evidence(const cr_explanation *e, const scored *class_, size_t shown)
{
    char number[NUMBER_ROOM];
    blackboard w = {.width = 6};

    line_begin(&w);
    for (size_t i = 0; i < shown; i++)
        fprintf(w.line, "%s %s ", i == 0 ? "=" : "+", number_power(number, class_[i].score));
    if (shown < e->classes)
        fprintf(w.line, "+ ... (%zu more) ", e->classes - shown);
    fprintf(w.line, "= %s", number_power(number, log_evidence(e)));
    line_end(&w, "P(row)");
}

static void write_posteriors(const inquiry *q, const cr_explanation *e, const scored *class_,
                             size_t shown)
{
    double log_row = log_evidence(e);
    char a[NUMBER_ROOM], b[NUMBER_ROOM], d[NUMBER_ROOM], text[4 * BOARD_NAME_WIDTH + 16];
    blackboard w = {0};

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < shown; i++) {
            size_t c = class_[i].index;
            char *name = text_shown(cr_model_class(q->model, c), line_name_width());

            snprintf(text, sizeof text, "P(%s | row)", name);
            free(name);
            if (pass == 0) {
                widen(&w.width, reserve_text(text));
                continue;
            }
            line_begin(&w);
            fprintf(w.line, "= %s / %s = %s", number_power(a, class_[i].score),
                    number_power(b, log_row),
                    number_near_one(d, e->posterior[c], log_others(e, c, log_row)));
            line_end(&w, text);
        }
}

static void print_given(const inquiry *q, const cr_explanation *e)
{
    const char *before = ": ";
    blackboard w = {0};

    line_begin(&w);
    fprintf(w.line, "Line %zu", e->line);
    for (size_t i = 0; i < e->factors && i <= 2 * FACTORS_MULTIPLIED; i++) {
        const cr_factor *f = &e->factor[i];
        char *name, *value;

        if (f->column == SIZE_MAX || f->left_out == 1)
            continue;
        name = text_shown(f->name, line_name_width());
        value = text_shown(f->value != NULL ? f->value : "", line_name_width());
        if (explain_is_text(q, f))
            fprintf(w.line, "%s%s of %zu known word%s", before, name, f->words, plural(f->words));
        else
            fprintf(w.line, "%s%s=%s", before, name, value);
        before = ", ";
        free(name);
        free(value);
    }
    if (e->factors > 2 * FACTORS_MULTIPLIED + 1)
        fputs(", ...", w.line);
    fclose(w.line);
    fputs(out_style(STYLE_BOLD), stdout);
    text_wrap(stdout, w.text, 0, 2, out_width());
    fputs(out_style(STYLE_NONE), stdout);
    free(w.text);
}

void explain_work(inquiry *q, const cr_explanation *e)
{
    size_t shown;
    scored *class_ = pick_classes(e, &shown);
    char *name, number[NUMBER_ROOM];

    print_given(q, e);
    for (size_t i = 0; i < shown; i++)
        write_class(q, e, class_[i].index);
    printf("\n%sTogether%s\n", out_style(STYLE_BOLD), out_style(STYLE_NONE));
    write_evidence(e, class_, shown);
    if (e->decision != CR_UNDECIDED)
        write_posteriors(q, e, class_, shown);
    putchar('\n');
    if (e->decision == CR_UNDECIDED) {
        explain_impossible(q, e);
    } else {
        name = text_shown(cr_model_class(q->model, (size_t)e->decision), 0);
        out_line("Decision: %s%s%s, the most probable class, %s.", out_style(STYLE_BOLD), name,
                 out_style(STYLE_NONE), number_percent(number, explain_certainty(e)));
        free(name);
    }
    free(class_);
}
