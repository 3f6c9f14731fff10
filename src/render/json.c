/* render/json.c - write JSON (RFC 8259) piece by piece. */
#include "credence/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/utf8.h"

void cr_json_start(cr_json *j, cr_output *out)
{
    *j = (cr_json){.out = out};
}

/* The escape of a character that may not occur in a string; NULL: it may. */
static const char *escape_of(uint32_t c, char buffer[8])
{
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    case 0xFFFD: return "\xEF\xBF\xBD";
    }
    if (c >= 0x20 && c != 0x7F)
        return NULL;
    snprintf(buffer, 8, "\\u%04x", (unsigned)c);
    return buffer;
}

void cr_json_quote(cr_output *out, const char *text, size_t size)
{
    const char *end = text + size, *plain = text;
    char buffer[8];

    cr_output_bytes(out, "\"", 1);
    for (;;) {
        uint32_t c;
        const char *start, *escape;

        while (text < end && *text >= 0x20 && *text < 0x7F && *text != '"' && *text != '\\')
            text++; /* most text is plain */
        if (text == end)
            break;
        start = text;
        text = cr__utf8_next(text, end, &c);
        if ((escape = escape_of(c, buffer)) != NULL) {
            cr_output_bytes(out, plain, (size_t)(start - plain));
            cr_output_text(out, escape);
            plain = text;
        }
    }
    cr_output_bytes(out, plain, (size_t)(text - plain));
    cr_output_bytes(out, "\"", 1);
}

static void new_line(cr_json *j)
{
    cr_output_bytes(j->out, "\n", 1);
    for (int i = 0; i < j->depth; i++)
        cr_output_bytes(j->out, "  ", 2);
}

/* A member begins: the comma, the indentation, the key. */
static void begin(cr_json *j, const char *key)
{
    if (j->depth > 0) {
        const int in_line = j->level[j->depth - 1].in_line;

        if (j->level[j->depth - 1].has_members)
            cr_output_text(j->out, in_line ? ", " : ",");
        j->level[j->depth - 1].has_members = 1;
        if (!in_line)
            new_line(j);
    }
    if (key != NULL) {
        cr_json_quote(j->out, key, strlen(key));
        cr_output_text(j->out, ": ");
    }
}

static void open_level(cr_json *j, const char *key, cr_json_layout layout, const char *brackets)
{
    const int in_line = layout == CR_JSON_LINE || (j->depth > 0 && j->level[j->depth - 1].in_line);

    if (j->depth == CR_JSON_DEPTH)
        return;
    begin(j, key);
    cr_output_bytes(j->out, brackets, 1);
    j->level[j->depth].closer = brackets[1];
    j->level[j->depth].in_line = (char)in_line;
    j->level[j->depth].has_members = 0;
    j->depth++;
}

void cr_json_object(cr_json *j, const char *key, cr_json_layout layout)
{
    open_level(j, key, layout, "{}");
}

void cr_json_array(cr_json *j, const char *key, cr_json_layout layout)
{
    open_level(j, key, layout, "[]");
}

void cr_json_end(cr_json *j)
{
    if (j->depth == 0)
        return;
    j->depth--;
    if (j->level[j->depth].has_members && !j->level[j->depth].in_line)
        new_line(j);
    cr_output_bytes(j->out, &j->level[j->depth].closer, 1);
    if (j->depth == 0)
        cr_output_bytes(j->out, "\n", 1);
}

void cr_json_text(cr_json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text == NULL)
        cr_output_text(j->out, "null");
    else
        cr_json_quote(j->out, text, strlen(text));
}

void cr_json_bytes(cr_json *j, const char *key, const char *bytes, size_t size)
{
    begin(j, key);
    cr_json_quote(j->out, bytes, size);
}

void cr_json_number(cr_json *j, const char *key, double x)
{
    begin(j, key);
    if (isfinite(x))
        cr_output_number(j->out, x == 0 ? 0.0 : x); /* no -0 */
    else
        cr_output_text(j->out, "null");
}

void cr_json_bool(cr_json *j, const char *key, int x)
{
    begin(j, key);
    cr_output_text(j->out, x ? "true" : "false");
}

void cr_json_numbers(cr_json *j, const char *key, const double *x, size_t count)
{
    cr_json_array(j, key, CR_JSON_LINE);
    for (size_t i = 0; i < count; i++)
        cr_json_number(j, NULL, x[i]);
    cr_json_end(j);
}
