/* cli/out/json.c - write JSON (RFC 8259) as it comes. */
#include "out/json.h"

#include <assert.h>
#include <math.h>

#include "out/text.h"

void json_start(json *j, FILE *file)
{
    *j = (json){.file = file};
}

void json_quote(FILE *file, const char *text)
{
    putc('"', file);
    while (*text != '\0') {
        const char *start = text;
        uint32_t c = text_next(&text);

        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", (char)c);
        else if (c == '\n')
            fputs("\\n", file);
        else if (c == '\t')
            fputs("\\t", file);
        else if (c < 0x20 || c == 0x7F)
            fprintf(file, "\\u%04x", (unsigned)c);
        else if (c == 0xFFFD)
            fputs("\xEF\xBF\xBD", file);
        else
            fwrite(start, 1, (size_t)(text - start), file);
    }
    putc('"', file);
}

/* A member begins: the comma, the place on the page, the key. */
static void begin(json *j, const char *key)
{
    if (j->depth > 0) {
        bool in_line = j->level[j->depth - 1].in_line;

        if (j->level[j->depth - 1].has_members)
            fputs(in_line ? ", " : ",", j->file);
        j->level[j->depth - 1].has_members = true;
        if (!in_line)
            fprintf(j->file, "\n%*s", 2 * j->depth, "");
    }
    if (key != NULL) {
        json_quote(j->file, key);
        fputs(": ", j->file);
    }
}

static void open_level(json *j, const char *key, json_layout layout, char opener, char closer)
{
    bool in_line = layout == JSON_LINE || (j->depth > 0 && j->level[j->depth - 1].in_line);

    assert(j->depth < JSON_DEPTH);
    begin(j, key);
    putc(opener, j->file);
    j->level[j->depth].closer = closer;
    j->level[j->depth].in_line = in_line;
    j->level[j->depth].has_members = false;
    j->depth++;
}

void json_object(json *j, const char *key, json_layout layout)
{
    open_level(j, key, layout, '{', '}');
}

void json_array(json *j, const char *key, json_layout layout)
{
    open_level(j, key, layout, '[', ']');
}

void json_end(json *j)
{
    assert(j->depth > 0);
    j->depth--;
    if (j->level[j->depth].has_members && !j->level[j->depth].in_line)
        fprintf(j->file, "\n%*s", 2 * j->depth, "");
    putc(j->level[j->depth].closer, j->file);
    if (j->depth == 0)
        putc('\n', j->file);
}

void json_text(json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text == NULL)
        fputs("null", j->file);
    else
        json_quote(j->file, text);
}

void json_number(json *j, const char *key, double x)
{
    char buffer[NUMBER_ROOM];

    begin(j, key);
    fputs(isfinite(x) ? number_exact(buffer, x) : "null", j->file);
}

void json_bool(json *j, const char *key, bool x)
{
    begin(j, key);
    fputs(x ? "true" : "false", j->file);
}
