/* text/news.c - newsgroup posts without headers, footers and quotes. */
#include "text/news.h"

#include "text/recipe.h"
#include "text/unicode.h"
#include "text/utf8.h"

#include <string.h>

typedef struct span {
    const char *start, *end;
} span;

/* Without the white space around it, as Python's str.strip(). */
static span trim(span text)
{
    uint32_t point;

    while (text.start < text.end) {
        const char *next = cr__utf8_next(text.start, text.end, &point);

        if (!cr__point_is_space(point))
            break;
        text.start = next;
    }
    while (text.start < text.end) {
        const char *last = cr__utf8_before(text.start, text.end, &point);

        if (!cr__point_is_space(point))
            break;
        text.end = last;
    }
    return text;
}

static span strip_header(span text)
{
    const char *blank = memmem(text.start, (size_t)(text.end - text.start), "\n\n", 2);

    return (span){blank != NULL ? blank + 2 : text.end, text.end};
}

/* Whether nothing but hyphens is in the line, between white space. */
static int is_rule(span line)
{
    line = trim(line);
    while (line.start < line.end && *line.start == '-')
        line.start++;
    return line.start == line.end;
}

/* Lines are looked at from the last to the second. When the first one is reached, the text is
 * unchanged, including the white space around it. */
static span strip_footer(span text)
{
    const span trimmed = trim(text);
    const char *end = trimmed.end;

    for (;;) {
        const char *newline = memrchr(trimmed.start, '\n', (size_t)(end - trimmed.start));

        if (newline == NULL)
            return text;
        if (is_rule((span){newline + 1, end}))
            return (span){trimmed.start, newline};
        end = newline;
    }
}

static int ends_with(const char *start, const char *end, const char *word)
{
    const size_t length = strlen(word);

    return (size_t)(end - start) >= length && memcmp(end - length, word, length) == 0;
}

static int begins_with(span line, const char *word)
{
    const size_t length = strlen(word);

    return (size_t)(line.end - line.start) >= length && memcmp(line.start, word, length) == 0;
}

static int is_quote(span line)
{
    const size_t length = (size_t)(line.end - line.start);
    const char *colon = line.start;

    if (length == 0)
        return 0;
    if (*line.start == '>' || *line.start == '|' || begins_with(line, "In article") ||
        begins_with(line, "Quoted from"))
        return 1;
    while ((colon = memchr(colon, ':', (size_t)(line.end - colon))) != NULL) {
        if (ends_with(line.start, colon, "writes") || ends_with(line.start, colon, "wrote") ||
            ends_with(line.start, colon, "says") || ends_with(line.start, colon, "said"))
            return 1;
        colon++;
    }
    return memmem(line.start, length, "writes in", 9) != NULL;
}

/* The lines that are not quotes, joined by newlines. */
static span strip_quotes(span text, cr__buffer *out)
{
    const char *line = text.start;
    int some = 0;

    if (cr__buffer_reserve(out, (size_t)(text.end - text.start)) == NULL)
        return text;
    while (line <= text.end) {
        const char *newline = memchr(line, '\n', (size_t)(text.end - line));
        const char *end = newline != NULL ? newline : text.end;

        if (!is_quote((span){line, end})) {
            if (some)
                cr__buffer_addc(out, '\n');
            cr__buffer_add(out, line, (size_t)(end - line));
            some = 1;
        }
        if (newline == NULL)
            break;
        line = newline + 1;
    }
    return (span){out->data, out->data + out->size};
}

int cr__news_strip(unsigned strip, const char **bytes, size_t *size, cr__buffer *scratch)
{
    span text = {*bytes, *bytes + *size};

    if (*size == 0)
        return 1;
    if ((strip & CR__STRIP_HEADERS) != 0)
        text = strip_header(text);
    if ((strip & CR__STRIP_FOOTERS) != 0)
        text = strip_footer(text);
    if ((strip & CR__STRIP_QUOTES) != 0)
        text = strip_quotes(text, scratch);
    *bytes = text.start;
    *size = (size_t)(text.end - text.start);
    return !scratch->failed;
}
