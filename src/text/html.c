/* text/html.c - HTML to text, in one pass, without a tree. */
#include "text/html.h"

#include "text/html_style.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME_BYTES = 16, LINK_BYTES = 2048, COLOURED = 16 };

/* An open element and how many of the same name are open inside it. */
typedef struct open_element {
    char name[NAME_BYTES];
    unsigned inside;
} open_element;

typedef struct reader {
    cr__html *out;
    const char *p, *end;
    open_element hider;              /* the element that hides the text; no name: none does */
    open_element coloured[COLOURED]; /* elements with a background of their own */
    int32_t background[COLOURED];
    int colours;
} reader;

/* --- tags by name ---------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

#define IN_LIST(name, list)                                                                        \
    (bsearch(name, list, sizeof(list) / sizeof *(list), sizeof *(list), compare_names) != NULL)

/* Tags that separate words; all others are within lines. In the order of strcmp. */
static int is_block(const char *name)
{
    static const char *const blocks[] = {
        "address", "article",  "aside",    "blockquote", "body",   "br",       "button",
        "caption", "center",   "dd",       "details",    "dialog", "dir",      "div",
        "dl",      "dt",       "fieldset", "figcaption", "figure", "footer",   "form",
        "frame",   "frameset", "h1",       "h2",         "h3",     "h4",       "h5",
        "h6",      "head",     "header",   "hr",         "html",   "iframe",   "img",
        "input",   "legend",   "li",       "main",       "map",    "menu",     "meta",
        "nav",     "object",   "ol",       "option",     "p",      "param",    "pre",
        "section", "select",   "table",    "tbody",      "td",     "textarea", "tfoot",
        "th",      "thead",    "title",    "tr",         "ul",
    };

    return IN_LIST(name, blocks);
}

static int is_void(const char *name)
{
    static const char *const voids[] = {
        "area", "base",  "basefont", "bgsound", "br",    "col",    "embed", "frame", "hr",
        "img",  "input", "link",     "meta",    "param", "source", "track", "wbr",
    };

    return IN_LIST(name, voids);
}

/* Whether the start tag of one ends the other, since authors leave out end tags. */
static int ends_by_next(const char *open, const char *next)
{
    const int cell = strcmp(open, "td") == 0 || strcmp(open, "th") == 0;

    if (cell)
        return strcmp(next, "td") == 0 || strcmp(next, "th") == 0 || strcmp(next, "tr") == 0;
    return strcmp(open, next) == 0 &&
           (strcmp(open, "tr") == 0 || strcmp(open, "p") == 0 || strcmp(open, "li") == 0);
}

/* --- text ------------------------------------------------------------------------------------ */

static cr__buffer *current(reader *r)
{
    return r->hider.name[0] != '\0' ? &r->out->hidden : &r->out->text;
}

static void separate(reader *r)
{
    cr__buffer *to = current(r);

    if (to->size > 0 && to->data[to->size - 1] != '\n')
        cr__buffer_addc(to, '\n');
}

/* The text that follows is visible again. */
static void reveal(reader *r)
{
    separate(r);
    r->hider.name[0] = '\0';
}

/* Text with its entities decoded; `strict` decodes only those that end in a semicolon. */
static void add_decoded(cr__buffer *to, const char *p, const char *end, int strict)
{
    while (p < end) {
        const char *mark = memchr(p, '&', (size_t)(end - p));
        const char *stop = mark != NULL ? mark : end, *after = NULL;
        uint32_t point;
        char bytes[4];

        cr__buffer_add(to, p, (size_t)(stop - p));
        if (mark == NULL)
            return;
        point = cr__html_entity(mark + 1, end, &after);
        if (point == 0 || (strict && after[-1] != ';')) {
            cr__buffer_addc(to, '&');
            p = mark + 1;
        } else {
            cr__buffer_add(to, bytes, cr__utf8_put(bytes, point));
            p = after;
        }
    }
}

/* --- attributes ------------------------------------------------------------------------------ */

typedef struct attribute {
    char name[NAME_BYTES];
    const char *value, *end;
} attribute;

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A name in lower case and ASCII, cut to its room. Returns the place after it. */
static const char *read_name(const char *p, const char *end, const char stops[3], char *name)
{
    size_t n = 0;

    for (; p < end && !is_space(*p) && *p != stops[0] && *p != stops[1] && *p != stops[2]; p++)
        if (n + 1 < NAME_BYTES)
            name[n++] = (char)(*p >= 'A' && *p <= 'Z' ? *p | 0x20 : (*p & 0x80) != 0 ? '?' : *p);
    name[n] = '\0';
    return p;
}

/* The next attribute of the tag at r->p; 0 at the end of the tag, which is stepped over. */
static int next_attribute(reader *r, attribute *a)
{
    const char *close;

    while (r->p < r->end && (is_space(*r->p) || *r->p == '/'))
        r->p++;
    if (r->p == r->end || *r->p == '>') {
        r->p += r->p < r->end;
        return 0;
    }
    a->value = a->end = r->p;
    r->p = read_name(*r->p == '=' ? r->p + 1 : r->p, r->end, "=>/", a->name);
    while (r->p < r->end && is_space(*r->p))
        r->p++;
    if (r->p == r->end || *r->p != '=')
        return 1;
    for (r->p++; r->p < r->end && is_space(*r->p);)
        r->p++;
    if (r->p < r->end && (*r->p == '"' || *r->p == '\'') &&
        (close = memchr(r->p + 1, *r->p, (size_t)(r->end - r->p - 1))) != NULL) {
        a->value = r->p + 1;
        a->end = close;
        r->p = close + 1;
        return 1;
    }
    a->value = r->p;
    while (r->p < r->end && !is_space(*r->p) && *r->p != '>')
        r->p++;
    a->end = r->p;
    return 1;
}

static int is_named(const attribute *a, const char *name)
{
    return *a->name == *name && strcmp(a->name, name) == 0;
}

/* Add the target of a link, unless it stays on the page. */
static void add_link(reader *r, const attribute *a)
{
    const char *p = a->value, *end = a->end;

    while (p < end && is_space(*p))
        p++;
    if (end - p > LINK_BYTES)
        for (end = p + LINK_BYTES; ((unsigned char)*end & 0xc0) == 0x80;)
            end--;
    if (p == end || *p == '#' || (end - p >= 4 && strncasecmp(p, "cid:", 4) == 0) ||
        (end - p >= 5 && strncasecmp(p, "data:", 5) == 0))
        return;
    add_decoded(&r->out->links, p, end, 1);
    cr__buffer_addc(&r->out->links, '\n');
}

static void add_markup(reader *r, const attribute *a)
{
    cr__buffer_adds(&r->out->markup, a->name);
    cr__buffer_addc(&r->out->markup, ' ');
    cr__buffer_add(&r->out->markup, a->value,
                   a->end - a->value < NAME_BYTES ? (size_t)(a->end - a->value) : 0);
    cr__buffer_addc(&r->out->markup, ' ');
}

static void use_attribute(reader *r, const attribute *a, cr__html_look *look)
{
    const size_t length = (size_t)(a->end - a->value);

    if (is_named(a, "href") || is_named(a, "src") || is_named(a, "action") ||
        is_named(a, "background")) {
        add_link(r, a);
    } else if (is_named(a, "style")) {
        cr__html_style(look, a->value, length);
    } else if (is_named(a, "color") || is_named(a, "text")) {
        look->colour = cr__html_colour(a->value, length);
        add_markup(r, a);
    } else if (is_named(a, "bgcolor")) {
        look->background = cr__html_colour(a->value, length);
        add_markup(r, a);
    } else if (is_named(a, "size") || is_named(a, "face") || is_named(a, "width") ||
               is_named(a, "height")) {
        add_markup(r, a);
    } else if (is_named(a, "hidden")) {
        look->hidden = 1;
    } else if (is_named(a, "alt") || is_named(a, "title")) {
        separate(r);
        add_decoded(current(r), a->value, a->end, 1);
        separate(r);
    }
}

/* --- what is visible ------------------------------------------------------------------------- */

static int32_t background_of(const reader *r)
{
    return r->colours > 0 ? r->background[r->colours - 1] : 0xffffff;
}

static void set_name(open_element *element, const char *name)
{
    memcpy(element->name, name, NAME_BYTES);
    element->inside = 0;
}

/* An element of that name begins; returns whether that ends the open one. */
static int nest(open_element *element, const char *name)
{
    if (ends_by_next(element->name, name))
        return 1;
    element->inside += strcmp(element->name, name) == 0;
    return 0;
}

/* An element of that name ends; returns whether it is the open one. */
static int unnest(open_element *element, const char *name)
{
    if (strcmp(element->name, name) != 0)
        return strcmp(name, "table") == 0 &&
               (strcmp(element->name, "td") == 0 || strcmp(element->name, "tr") == 0);
    if (element->inside == 0)
        return 1;
    element->inside--;
    return 0;
}

static void begin_element(reader *r, const char *name, const cr__html_look *look)
{
    const int hidden =
        look->hidden ||
        cr__html_same_colour(look->colour, look->background != CR__COLOUR_NONE ? look->background
                                                                               : background_of(r));

    if (r->hider.name[0] == '\0' && hidden && strcmp(name, "body") != 0 &&
        strcmp(name, "html") != 0)
        set_name(&r->hider, name);
    if (look->background != CR__COLOUR_NONE && r->colours < COLOURED) {
        set_name(&r->coloured[r->colours], name);
        r->background[r->colours++] = look->background;
    }
}

/* --- tags ------------------------------------------------------------------------------------ */

/* Skip the content of a script or a style; if it has no end tag, nothing follows. */
static void skip_raw(reader *r, const char *name)
{
    const size_t length = strlen(name);

    while ((r->p = memchr(r->p, '<', (size_t)(r->end - r->p))) != NULL) {
        if ((size_t)(r->end - r->p) > length + 1 && r->p[1] == '/' &&
            strncasecmp(r->p + 2, name, length) == 0)
            return;
        r->p++;
    }
    r->p = r->end;
}

static void read_start(reader *r)
{
    cr__html_look look = {CR__COLOUR_NONE, CR__COLOUR_NONE, 0};
    char name[NAME_BYTES] = "";
    attribute a;

    r->p = read_name(r->p + 1, r->end, ">//", name);
    if (r->hider.name[0] != '\0' && nest(&r->hider, name))
        reveal(r);
    if (r->colours > 0 && nest(&r->coloured[r->colours - 1], name))
        r->colours--;
    if (is_block(name))
        separate(r);
    cr__buffer_adds(&r->out->markup, name);
    cr__buffer_addc(&r->out->markup, ' ');
    while (next_attribute(r, &a))
        use_attribute(r, &a, &look);
    cr__buffer_addc(&r->out->markup, '\n');
    if (strcmp(name, "script") == 0 || strcmp(name, "style") == 0)
        skip_raw(r, name);
    else if (!is_void(name))
        begin_element(r, name, &look);
}

static void read_end(reader *r)
{
    char name[NAME_BYTES] = "";
    const char *close;

    r->p = read_name(r->p + 2, r->end, ">//", name);
    close = memchr(r->p, '>', (size_t)(r->end - r->p));
    r->p = close != NULL ? close + 1 : r->end;
    if (is_block(name))
        separate(r);
    if (r->hider.name[0] != '\0' && unnest(&r->hider, name))
        reveal(r);
    if (r->colours > 0 && unnest(&r->coloured[r->colours - 1], name))
        r->colours--;
}

/* "<!-- ... -->", "<!doctype ...>", "<?...>". */
static void read_declaration(reader *r)
{
    const size_t left = (size_t)(r->end - r->p);
    const char *close;

    if (left >= 4 && memcmp(r->p, "<!--", 4) == 0) {
        if (left >= 5 && r->p[4] == '>') {
            r->p += 5;
            return;
        }
        close = memmem(r->p + 4, left - 4, "-->", 3);
        r->p = close != NULL ? close + 3 : r->end;
        return;
    }
    close = memchr(r->p, '>', left);
    r->p = close != NULL ? close + 1 : r->end;
}

void cr__html_read(cr__html *out, const char *bytes, size_t size)
{
    reader r = {.out = out, .p = bytes, .end = bytes + size};

    while (r.p < r.end) {
        const char *tag = memchr(r.p, '<', (size_t)(r.end - r.p));
        const char *stop = tag != NULL ? tag : r.end;
        char next;

        add_decoded(current(&r), r.p, stop, 0);
        r.p = stop;
        if (tag == NULL)
            break;
        next = r.p + 1 < r.end ? r.p[1] : ' ';
        if ((unsigned char)((next | 0x20) - 'a') < 26) {
            read_start(&r);
        } else if (next == '/') {
            read_end(&r);
        } else if (next == '!' || next == '?') {
            read_declaration(&r);
        } else {
            cr__buffer_addc(current(&r), '<');
            r.p++;
        }
    }
    reveal(&r);
    separate(&r);
}

void cr__html_clear(cr__html *out)
{
    cr__buffer_clear(&out->text);
    cr__buffer_clear(&out->hidden);
    cr__buffer_clear(&out->links);
    cr__buffer_clear(&out->markup);
    out->text.failed = out->hidden.failed = out->links.failed = out->markup.failed = 0;
}

void cr__html_free(cr__html *out)
{
    cr__buffer_free(&out->text);
    cr__buffer_free(&out->hidden);
    cr__buffer_free(&out->links);
    cr__buffer_free(&out->markup);
}

/* --- telling pages from other texts ---------------------------------------------------------- */

/* Ignores case. The first byte of a word is not a letter, so most texts differ there. */
static inline int begins_with(const char *p, const char *end, const char *word)
{
    const size_t length = strlen(word);

    return (size_t)(end - p) >= length && *p == *word && strncasecmp(p, word, length) == 0;
}

/* Skip blanks, a byte order mark and comments before a page; NULL: they do not end. */
static const char *skip_preface(const char *p, const char *end)
{
    if (begins_with(p, end, "\xef\xbb\xbf"))
        p += 3;
    for (;;) {
        const char *mark = begins_with(p, end, "<!--")    ? "-->"
                           : begins_with(p, end, "<?xml") ? "?>"
                                                          : NULL;

        if (mark != NULL) {
            if ((p = memmem(p, (size_t)(end - p), mark, strlen(mark))) == NULL)
                return NULL;
            p += strlen(mark);
        } else if (p < end && strchr(" \t\r\n\f", *p) != NULL && *p != '\0') {
            p++;
        } else {
            return p;
        }
    }
}

int cr__html_begins(const char *bytes, size_t size)
{
    static const char *const words[] = {"<!doctype html", "<html", "<head", "<body"};
    const char *end = bytes + size, *p = size > 0 ? skip_preface(bytes, end) : NULL;

    for (size_t i = 0; p != NULL && i < sizeof words / sizeof *words; i++) {
        const char *after = p + strlen(words[i]);

        if (begins_with(p, end, words[i]) && (after == end || strchr(" \t\r\n\f>", *after) != NULL))
            return 1;
    }
    return 0;
}
