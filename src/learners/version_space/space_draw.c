/* learners/version_space/space_draw.c - a version space as lines of text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/number.h"
#include "learners/version_space/version_space.h"

static void add(cr__buffer *text, const char *words)
{
    cr__buffer_add(text, words, strlen(words));
}

static void add_number(cr__buffer *text, double x)
{
    char number[CR__NUMBER_SIZE];

    cr__buffer_add(text, number, cr__format_double(number, x));
}

/* "sky=sunny", "3 <= height <= 5", and of G "2 < height < 6" or "height < 6". */
static void add_condition(cr__buffer *text, const cr__restraint *c, int number, int closed,
                          const char *name, const cr__dict *dict)
{
    if (text->size > 0)
        add(text, ", ");
    if (number && c->low > -INFINITY) {
        add_number(text, c->low);
        add(text, closed ? " <= " : " < ");
    }
    add(text, name);
    if (number && c->high < INFINITY) {
        add(text, closed ? " <= " : " < ");
        add_number(text, c->high);
    }
    if (!number) {
        add(text, "=");
        add(text, cr__dict_word(dict, c->code, NULL));
    }
}

/* "sky=sunny, wind=strong"; "anything" when it asks for nothing. */
static cr_status draw_hypothesis(const cr__space *v, const cr__restraint *h,
                                 const cr_schema *schema, cr__dict *const *dict,
                                 cr__line_visit *line, void *context, cr_error *err)
{
    cr__buffer text = {0};
    cr_status st = CR_OK;

    for (size_t i = 0; i < v->features; i++)
        if (v->number[i] ? h[i].low > -INFINITY || h[i].high < INFINITY
                         : h[i].code != CR__SPACE_ANY)
            add_condition(&text, &h[i], v->number[i], h == v->special,
                          schema->column[v->column[i]].name, dict[v->column[i]]);
    if (text.size == 0)
        add(&text, "anything");
    cr__buffer_add(&text, "", 1);
    if (text.failed)
        st = cr__fail_memory(err);
    else
        line(context, 1, text.data);
    cr__buffer_free(&text);
    return st;
}

cr_status cr__space_draw(const void *fitted, const cr_schema *schema, cr__dict *const *dict,
                         cr__line_visit *line, void *context, cr_error *err)
{
    const cr__space *v = fitted;
    char text[160];
    cr_status st;

    snprintf(text, sizeof text, "S, the most specific description of '%.60s'",
             cr__dict_word(dict[schema->target], (uint32_t)v->positive + 1, NULL));
    line(context, 0, text);
    if ((st = draw_hypothesis(v, v->special, schema, dict, line, context, err)) != CR_OK)
        return st;
    snprintf(text, sizeof text, "G, the most general: %zu", v->generals);
    line(context, 0, text);
    for (size_t g = 0; st == CR_OK && g < v->generals; g++)
        st = draw_hypothesis(v, v->general + g * v->features, schema, dict, line, context, err);
    if (st == CR_OK && v->left_out > 0) {
        snprintf(text, sizeof text, "rows that lack a value and were left out: %llu",
                 (unsigned long long)v->left_out);
        line(context, 0, text);
    }
    return st;
}
