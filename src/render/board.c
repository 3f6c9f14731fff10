/* render/board.c - the blackboard: sections and lines, names, numbers, common to every form. */
#include "render/board.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"

enum { HEADING = 16 /* values of the row in the heading */ };

/* --- sections and lines --------------------------------------------------------------------- */

void cr__board_section(cr__board *b, const char *title, int32_t class_index)
{
    if (b->failed ||
        !cr__grow(&b->section, &b->section_room, b->board.sections + 1, sizeof *b->section)) {
        b->failed = 1;
        return;
    }
    b->section[b->board.sections++] = (cr_board_section){title, class_index, 0};
}

void cr__board_put(cr__board *b, const char *fmt, ...)
{
    char text[256];
    va_list list;

    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    cr__buffer_adds(&b->right, text);
}

void cr__board_plain(cr__board *b, double x)
{
    char number[CR_SHOW_SIZE];

    cr__buffer_adds(&b->right, cr_show_number(number, CR_SHOW_PLAIN, x));
}

void cr__board_power(cr__board *b, double log_x)
{
    char number[CR_SHOW_SIZE];

    cr__buffer_adds(&b->right, cr_show_number(number, CR_SHOW_POWER, log_x));
}

void cr__board_added(cr__board *b, double x, int first)
{
    if (!first)
        cr__buffer_adds(&b->right, x < 0 ? " - " : " + ");
    cr__board_plain(b, first ? x : fabs(x));
}

void cr__board_fraction(cr__board *b, double count, double total, double top, double bottom,
                        double power)
{
    const char *open = power != 1 ? "(" : "", *close = power != 1 ? ")" : "";
    char exponent[CR_SHOW_SIZE + 1] = "", n[CR_SHOW_SIZE], d[CR_SHOW_SIZE], plus[CR_SHOW_SIZE],
                                 all[CR_SHOW_SIZE];

    if (power != 1) {
        exponent[0] = '^';
        cr_show_number(exponent + 1, CR_SHOW_PLAIN, power);
    }
    if ((top > count || bottom > total) && top >= count && bottom >= total)
        cr__board_put(b, "= %s(%s + %s)/(%s + %s)%s%s ", open,
                      cr_show_number(n, CR_SHOW_PLAIN, count),
                      cr_show_number(plus, CR_SHOW_PLAIN, top - count),
                      cr_show_number(d, CR_SHOW_PLAIN, total),
                      cr_show_number(all, CR_SHOW_PLAIN, bottom - total), close, exponent);
    cr__board_put(b, "= %s%s/%s%s%s ", open, cr_show_number(n, CR_SHOW_PLAIN, top),
                  cr_show_number(d, CR_SHOW_PLAIN, bottom), close, exponent);
}

void cr__board_term(cr__board *b, size_t line)
{
    if (line == SIZE_MAX)
        return;
    if (!cr__grow(&b->term, &b->term_room, b->terms + 1, sizeof *b->term))
        b->failed = 1;
    else
        b->term[b->terms++] = line;
}

/* A copy in the board's memory; a static empty text where there is none. */
static const char *keep(cr__board *b, const char *bytes, size_t size)
{
    const char *copy = cr__arena_copy(&b->arena, bytes, size);

    b->failed |= copy == NULL;
    return copy == NULL ? "" : copy;
}

size_t cr__board_line(cr__board *b, const char *left, cr_board_line is)
{
    cr_board_section *section = &b->section[b->board.sections - 1];
    const size_t width = cr_show_width(left);
    size_t *term = cr__arena_alloc(&b->arena, b->terms, sizeof *term);

    b->failed |= b->right.failed || term == NULL;
    if (b->failed || !cr__grow(&b->line, &b->line_room, b->board.lines + 1, sizeof *b->line)) {
        b->failed = 1;
        cr__buffer_clear(&b->right);
        b->terms = 0;
        return SIZE_MAX;
    }
    is.section = b->board.sections - 1;
    is.left = left;
    is.right = keep(b, b->right.size == 0 ? "" : b->right.data, b->right.size);
    if (b->terms > 0)
        memcpy(term, b->term, b->terms * sizeof *term);
    is.term = term;
    is.terms = b->terms;
    section->width = width > section->width ? width : section->width;
    cr__buffer_clear(&b->right);
    b->terms = 0;
    b->line[b->board.lines] = is;
    return b->board.lines++;
}

size_t cr__board_log_line(cr__board *b, const char *left, cr_board_rule rule, double log_value)
{
    return cr__board_line(
        b, left,
        (cr_board_line){.rule = rule, .log_value = log_value, .value = exp(log_value), .power = 1});
}

/* --- names ---------------------------------------------------------------------------------- */

const char *cr__board_text(cr__board *b, const char *fmt, ...)
{
    cr__buffer text = {0};
    va_list list, again;
    const char *copy;
    char *room;
    int size;

    va_start(list, fmt);
    va_copy(again, list);
    size = vsnprintf(NULL, 0, fmt, list);
    va_end(list);
    if (size >= 0 && (room = cr__buffer_reserve(&text, (size_t)size + 1)) != NULL) {
        vsnprintf(room, (size_t)size + 1, fmt, again);
        text.size = (size_t)size;
    }
    va_end(again);
    b->failed |= text.failed;
    copy = keep(b, text.data == NULL ? "" : text.data, text.size);
    cr__buffer_free(&text);
    return copy;
}

const char *cr__board_name(cr__board *b, const char *text, size_t size)
{
    char *shown = cr__arena_alloc(&b->arena, CR_SHOW_TEXT_SIZE(size), 1);

    b->failed |= shown == NULL;
    return shown == NULL ? "" : cr_show_text(shown, text, size, b->name_width);
}

static const char *name_of(cr__board *b, const char *text)
{
    return text == NULL ? "" : cr__board_name(b, text, strlen(text));
}

const char *cr__board_class(cr__board *b, size_t class_index)
{
    return name_of(b, cr_model_class(b->model, class_index));
}

int cr__board_is_text(const cr__board *b, const cr_factor *f)
{
    return f->column != SIZE_MAX && cr_schema_kind(cr_model_schema(b->model), f->column) == CR_BAG;
}

const char *cr__board_value(cr__board *b, const cr_factor *f)
{
    const char *name = name_of(b, f->name);
    char low[CR_SHOW_SIZE], high[CR_SHOW_SIZE];

    if (!f->cut || f->left_out)
        return cr__board_text(b, "%s=%s", name, name_of(b, f->value));
    cr_show_number(low, CR_SHOW_EXACT, f->low);
    cr_show_number(high, CR_SHOW_EXACT, f->high);
    return isinf(f->low) && isinf(f->high) ? cr__board_text(b, "any %s", name)
           : isinf(f->low)                 ? cr__board_text(b, "%s<=%s", name, high)
           : isinf(f->high)                ? cr__board_text(b, "%s>%s", name, low)
                                           : cr__board_text(b, "%s<%s<=%s", low, name, high);
}

/* ", fur=yes" for each value that the factor is given besides the class; ", …" for others. */
static const char *given_values(cr__board *b, const cr_factor *f)
{
    const char *list = "";

    for (size_t k = 0; f->chained && k < f->givens && k < CR_FACTOR_GIVEN; k++)
        for (size_t i = 0; i < b->e->factors; i++)
            if (b->e->factor[i].column == f->given[k])
                list = cr__board_text(b, "%s, %s", list, cr__board_value(b, &b->e->factor[i]));
    if (f->chained && (f->givens == 0 || f->givens > CR_FACTOR_GIVEN))
        list = cr__board_text(b, "%s, …", list);
    return list;
}

const char *cr__board_factor_side(cr__board *b, const cr_factor *f, size_t c)
{
    const cr_schema *schema = cr_model_schema(b->model);
    const char *name = cr__board_class(b, c);
    int density;

    if (f->column == SIZE_MAX)
        return cr__board_text(b, "P(%s)", name);
    if (cr__board_is_text(b, f))
        return cr__board_text(b, "P(%s | %s)", name_of(b, f->name), name);
    density = cr_schema_kind(schema, f->column) == CR_REAL && !f->fraction && !f->cut &&
              cr_model_values(b->model, f->column) <= 1;
    return cr__board_text(b, "%s(%s | %s%s)", density ? "p" : "P", cr__board_value(b, f), name,
                          given_values(b, f));
}

/* As the model has them; the strongest first where they are many. */
const size_t *cr__board_words(cr__board *b, const cr_factor *f)
{
    size_t *word = cr__arena_alloc(&b->arena, f->words, sizeof *word);

    if (word == NULL || (f->words > CR__BOARD_WORDS &&
                         cr_factor_order_words(f, b->e->decision, b->rival, word) != CR_OK)) {
        b->failed = 1;
        return NULL;
    }
    for (size_t i = 0; f->words <= CR__BOARD_WORDS && i < f->words; i++)
        word[i] = i;
    return word;
}

/* --- a board -------------------------------------------------------------------------------- */

static int likelier_first(const void *pa, const void *pb, void *score)
{
    const size_t a = *(const size_t *)pa, c = *(const size_t *)pb;
    const double x = ((const double *)score)[a], y = ((const double *)score)[c];

    return x != y ? (x > y ? -1 : 1) : a < c ? -1 : a > c;
}

/* All classes in their order, or the likeliest where they are many. */
static void pick_classes(cr__board *b)
{
    const size_t classes = b->e->classes;

    b->of = cr__arena_alloc(&b->arena, classes, sizeof *b->of);
    b->joint = cr__arena_alloc(&b->arena, classes, sizeof *b->joint);
    b->answer = cr__arena_alloc(&b->arena, classes, sizeof *b->answer);
    if (b->of == NULL || b->joint == NULL || b->answer == NULL) {
        b->failed = 1;
        return;
    }
    for (size_t c = 0; c < classes; c++) {
        b->of[c] = c;
        b->joint[c] = b->answer[c] = SIZE_MAX;
    }
    b->shown = classes;
    if (classes > CR__BOARD_CLASSES) {
        qsort_r(b->of, classes, sizeof *b->of, likelier_first, (void *)b->e->score);
        b->shown = CR__BOARD_CLASSES;
    }
}

/* "Line 2: birth=yes, fly=no" */
static const char *heading(cr__board *b)
{
    const cr_explanation *e = b->e;
    const char *before = ": ";
    size_t factors = e->factors;

    while (factors > 0 && e->factor[factors - 1].with > 0) /* products come last */
        factors--;
    cr__board_put(b, "Line %zu", e->line);
    for (size_t i = 0; i < factors && i <= HEADING; i++) {
        const cr_factor *f = &e->factor[i];

        if (f->column == SIZE_MAX || f->left_out == 1)
            continue;
        cr__buffer_adds(&b->right, before);
        if (cr__board_is_text(b, f))
            cr__board_put(b, "%s of %zu known word%s", name_of(b, f->name), f->words,
                          f->words == 1 ? "" : "s");
        else
            cr__board_put(b, "%s=%s", name_of(b, f->name), name_of(b, f->value));
        before = ", ";
    }
    if (factors > HEADING + 1)
        cr__buffer_adds(&b->right, ", ...");
    return keep(b, b->right.data == NULL ? "" : b->right.data, b->right.size);
}

/* The interval of the decision's probability; nothing where that was not requested. */
static const char *interval(cr__board *b)
{
    const cr_explanation *e = b->e;
    char low[CR_SHOW_SIZE], high[CR_SHOW_SIZE], level[CR_SHOW_SIZE];

    if (e->low == NULL)
        return "";
    cr_show_number(low, CR_SHOW_PERCENT, e->low[e->decision]);
    cr_show_number(high, CR_SHOW_PERCENT, e->high[e->decision]);
    cr_show_number(level, CR_SHOW_PERCENT, e->level);
    return cr__board_text(b, " The rows leave open what it is: %s to %s, %s sure.", low, high,
                          level);
}

static const char *closing(cr__board *b)
{
    const cr_explanation *e = b->e;
    char number[CR_SHOW_SIZE];

    if (e->decision == CR_UNDECIDED)
        return e->reason == CR_REJECTED
                   ? cr__board_text(b,
                                    "Undecided: any decision is expected to cost more than none.")
                   : "No class can explain this row: each gives it probability zero.";
    cr_show_number(number, e->rule == NULL ? CR_SHOW_PERCENT : CR_SHOW_PLAIN,
                   e->rule == NULL ? cr_explanation_certainty(e) : e->expected_cost);
    return e->rule == NULL
               ? cr__board_text(b, "Decision: %s, the most probable class, %s.%s",
                                cr__board_class(b, (size_t)e->decision), number, interval(b))
               : cr__board_text(b, "Decision: %s, the least expected cost, %s.",
                                cr__board_class(b, (size_t)e->decision), number);
}

/* The scope of the variances, where they are not per class. */
static const char *note_pooled(cr__board *b)
{
    static const char *const over[] = {"", "over the classes", "over the columns of a class",
                                       "over all classes and columns"};

    for (size_t i = 0; i < b->e->factors; i++)
        if (b->e->factor[i].pooled && !b->e->factor[i].left_out)
            return b->e->form == CR_FORM_QUADRATIC
                       ? "The covariance is pooled over the classes."
                       : cr__board_text(b, "Variances are pooled %s.",
                                        over[b->e->factor[i].pooled & 3]);
    return NULL;
}

static void write_board(cr__board *b)
{
    b->board.heading = heading(b);
    cr__buffer_clear(&b->right);
    b->board.note = note_pooled(b);
    switch (b->e->form) {
    case CR_FORM_LINEAR: cr__board_linear(b); break;
    case CR_FORM_PATH: cr__board_paths(b); break;
    case CR_FORM_MEAN: cr__board_means(b); break;
    case CR_FORM_VOTES: cr__board_votes(b); break;
    case CR_FORM_POWERS:
    case CR_FORM_MEMBERS: cr__board_members(b); break;
    default: cr__board_products(b);
    }
    cr__board_calibration(b);
    cr__board_rule(b);
    b->board.closing = closing(b);
    b->board.section = b->section;
    b->board.line = b->line;
}

cr_status cr_board_new(cr_board **out, const cr_model *model, const cr_explanation *e,
                       const cr_board_options *options, cr_error *err)
{
    cr_board_options o;
    cr__board *b;
    cr_status st = cr__sized_take(&o, sizeof o, options, "cr_board_options", err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((b = cr__alloc_zero(1, sizeof *b)) == NULL)
        return cr__fail_memory(err);
    b->model = model;
    b->e = e;
    b->name_width = o.name_width == 0 ? CR__BOARD_NAME_WIDTH : o.name_width;
    st = cr_explanation_rival(&b->rival, model, e, o.against, err);
    if (st != CR_OK) {
        cr_board_free(&b->board);
        return st;
    }
    pick_classes(b);
    if (!b->failed)
        write_board(b);
    if (b->failed || b->right.failed) {
        cr_board_free(&b->board);
        return cr__fail_memory(err);
    }
    *out = &b->board;
    return CR_OK;
}

void cr_board_free(cr_board *board)
{
    cr__board *b = (cr__board *)board;

    if (b == NULL)
        return;
    cr__arena_free(&b->arena);
    cr__buffer_free(&b->right);
    cr__free(b->term);
    cr__free(b->section);
    cr__free(b->line);
    cr__free(b);
}
