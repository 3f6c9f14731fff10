/* network/files/xmlbif.c - the Interchange Format for Bayesian networks in XML (XMLBIF 0.3).
 *
 *     <BIF VERSION="0.3"><NETWORK><NAME>...</NAME>
 *       <VARIABLE TYPE="nature"><NAME>rain</NAME><OUTCOME>yes</OUTCOME>...</VARIABLE>
 *       <DEFINITION><FOR>grass</FOR><GIVEN>rain</GIVEN><TABLE>0.9 0.1 ...</TABLE></DEFINITION>
 *     </NETWORK></BIF>
 *
 * A TABLE has the variable's own state fastest, then the last GIVEN, as our tables have. The reader
 * supports only as much XML as such files need: elements, attributes (skipped), comments,
 * processing instructions, a document type, CDATA and the entities for single characters. Other
 * elements are skipped. A stack of names, not recursion, follows the nesting.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "base/number.h"
#include "network/files/lexer.h"
#include "network/files/files.h"

enum { DEPTH = 64, NAME_MOST = 64 };

typedef struct element {
    const char *name; /* in the file */
    size_t length;
} element;

typedef struct parser {
    const char *at, *end;
    size_t line, column; /* of the byte up to which characters were counted: */
    const char *counted;
    element stack[DEPTH];
    size_t depth;
    cr__buffer text;             /* characters since the last tag */
    size_t tag_line, tag_column; /* of the last tag */
    cr__builder *builder;
    uint32_t node; /* of the current variable or definition, or CR__NO_NODE */
    uint32_t parent[CR__PARENTS_MAX];
    uint32_t parents;
    double *table; /* of the current definition, as read */
    size_t cells, table_capacity;
    size_t table_line, table_column;
    int networks;
    cr_error *err;
} parser;

/* --- places and failures ---------------------------------------------------------------------- */

static void mark_tag(parser *p)
{
    for (; p->counted < p->at; p->counted++)
        if (*p->counted == '\n') {
            p->line++;
            p->column = 1;
        } else {
            p->column += ((unsigned char)*p->counted & 0xc0) != 0x80;
        }
    p->tag_line = p->line;
    p->tag_column = p->column;
}

static cr_status blame(const parser *p, cr_status st)
{
    return cr__fail_at(p->err, st, NULL, p->tag_line, p->tag_column);
}

static cr_status fail(const parser *p, const char *what)
{
    cr__fail(p->err, CR_EFORMAT, "%s", what);
    return blame(p, CR_EFORMAT);
}

/* --- XML -------------------------------------------------------------------------------------- */

static int starts(const parser *p, const char *what)
{
    const size_t n = strlen(what);

    return (size_t)(p->end - p->at) >= n && memcmp(p->at, what, n) == 0;
}

/* Skip past the next occurrence of `what`. */
static cr_status skip_past(parser *p, const char *what)
{
    const char *found = memmem(p->at, (size_t)(p->end - p->at), what, strlen(what));

    if (found == NULL) {
        cr__fail(p->err, CR_EFORMAT, "the text ends where '%s' should be", what);
        return blame(p, CR_EFORMAT);
    }
    p->at = found + strlen(what);
    return CR_OK;
}

/* <!DOCTYPE ... [ ... ]>: brackets may hold declarations, quotes may hold brackets. */
static cr_status skip_doctype(parser *p)
{
    size_t brackets = 0;
    char quote = '\0';

    for (; p->at < p->end; p->at++) {
        const char byte = *p->at;

        if (quote != '\0') {
            quote = byte == quote ? '\0' : quote;
        } else if (starts(p, "<!--")) {
            cr_status st = skip_past(p, "-->");

            if (st != CR_OK)
                return st;
            p->at--;
        } else if (byte == '"' || byte == '\'') {
            quote = byte;
        } else if (byte == '[') {
            brackets++;
        } else if (byte == ']' && brackets > 0) {
            brackets--;
        } else if (byte == '>' && brackets == 0) {
            p->at++;
            return CR_OK;
        }
    }
    return fail(p, "the document type is not closed");
}

/* A character in UTF-8. */
static void add_character(cr__buffer *out, uint64_t code)
{
    if (code < 0x80) {
        cr__buffer_addc(out, (char)code);
    } else if (code < 0x800) {
        cr__buffer_addc(out, (char)(0xc0 | code >> 6));
        cr__buffer_addc(out, (char)(0x80 | (code & 0x3f)));
    } else {
        if (code < 0x10000) {
            cr__buffer_addc(out, (char)(0xe0 | code >> 12));
        } else {
            cr__buffer_addc(out, (char)(0xf0 | code >> 18));
            cr__buffer_addc(out, (char)(0x80 | (code >> 12 & 0x3f)));
        }
        cr__buffer_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
        cr__buffer_addc(out, (char)(0x80 | (code & 0x3f)));
    }
}

/* &#65; or &#x41;: digits of the given base from *at to end. UINT64_MAX when it is not a
 * character. */
static uint64_t character_number(const char *at, const char *end, unsigned base)
{
    uint64_t code = 0;

    if (at == end)
        return UINT64_MAX;
    for (; at < end; at++) {
        const char lower = (char)(*at | 0x20);
        const unsigned digit = *at >= '0' && *at <= '9'       ? (unsigned)(*at - '0')
                               : lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10
                                                              : base;

        if (digit >= base || code > 0x10ffff)
            return UINT64_MAX;
        code = code * base + digit;
    }
    return code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? UINT64_MAX : code;
}

static cr_status read_entity(parser *p)
{
    static const struct {
        const char *name;
        char byte;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    const char *begin = p->at + 1;
    const size_t most = (size_t)(p->end - begin) < 12 ? (size_t)(p->end - begin) : 12;
    const char *semicolon = memchr(begin, ';', most);

    if (semicolon == NULL)
        return fail(p, "an '&' does not begin an entity; '&amp;' stands for it");
    p->at = semicolon + 1;
    if (*begin == '#') {
        const int hex = begin[1] == 'x';
        const uint64_t code = character_number(begin + 1 + hex, semicolon, hex ? 16 : 10);

        if (code == UINT64_MAX)
            return fail(p, "an entity is not a character");
        add_character(&p->text, code);
        return CR_OK;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == (size_t)(semicolon - begin) &&
            memcmp(known[i].name, begin, (size_t)(semicolon - begin)) == 0) {
            cr__buffer_addc(&p->text, known[i].byte);
            return CR_OK;
        }
    return fail(p, "an entity is unknown");
}

static cr_status read_cdata(parser *p)
{
    const char *begin = p->at += strlen("<![CDATA[");
    cr_status st = skip_past(p, "]]>");

    if (st == CR_OK)
        cr__buffer_add(&p->text, begin, (size_t)(p->at - begin) - 3);
    return st;
}

/* Collect text up to the next tag, which becomes the current one; 0 in *more at the end. */
static cr_status read_text(parser *p, int *more)
{
    cr_status st = CR_OK;

    while (st == CR_OK && p->at < p->end) {
        if (*p->at == '&') {
            mark_tag(p);
            st = read_entity(p);
        } else if (*p->at != '<') {
            const char *stop = p->at;

            while (stop < p->end && *stop != '<' && *stop != '&')
                stop++;
            cr__buffer_add(&p->text, p->at, (size_t)(stop - p->at));
            p->at = stop;
        } else {
            mark_tag(p);
            if (starts(p, "<!--"))
                st = skip_past(p, "-->");
            else if (starts(p, "<?"))
                st = skip_past(p, "?>");
            else if (starts(p, "<![CDATA["))
                st = read_cdata(p);
            else if (starts(p, "<!"))
                st = skip_doctype(p);
            else
                break;
        }
    }
    *more = p->at < p->end;
    return st != CR_OK ? st : p->text.failed ? cr__fail_memory(p->err) : CR_OK;
}

/* The current tag: its name, whether it closes, whether it is empty (<X/>). */
static cr_status read_tag(parser *p, element *tag, int *closing, int *empty)
{
    char quote = '\0';

    *closing = p->end - p->at >= 2 && p->at[1] == '/';
    p->at += 1 + *closing;
    tag->name = p->at;
    while (p->at < p->end && strchr(" \t\r\n/>", *p->at) == NULL)
        p->at++;
    tag->length = (size_t)(p->at - tag->name);
    if (tag->length == 0 || tag->length > NAME_MOST)
        return fail(p, "a '<' does not begin an element; '&lt;' stands for it");
    for (; p->at < p->end; p->at++) {
        if (quote != '\0')
            quote = *p->at == quote ? '\0' : quote;
        else if (*p->at == '"' || *p->at == '\'')
            quote = *p->at;
        else if (*p->at == '>')
            break;
    }
    if (p->at == p->end)
        return fail(p, "a tag is not closed");
    *empty = p->at[-1] == '/';
    p->at++;
    return CR_OK;
}

/* --- networks --------------------------------------------------------------------------------- */

static int is(const element *e, const char *name)
{
    return e->length == strlen(name) && strncasecmp(e->name, name, e->length) == 0;
}

/* The text without the space around it. */
static const char *trimmed(const parser *p, size_t *length)
{
    const char *at = p->text.data == NULL ? "" : p->text.data, *end = at + p->text.size;

    while (at < end && strchr(" \t\r\n", *at) != NULL && *at != '\0')
        at++;
    while (at < end && strchr(" \t\r\n", end[-1]) != NULL && end[-1] != '\0')
        end--;
    *length = (size_t)(end - at);
    return at;
}

static cr_status named_node(parser *p, uint32_t *node)
{
    size_t length;
    const char *name = trimmed(p, &length);
    char shown[100];
    cr_nearest near = (cr_nearest){.wanted = cr__printable(shown, sizeof shown, name, length)};

    *node = cr__builder_find(p->builder, name, length);
    if (*node != CR__NO_NODE)
        return CR_OK;
    for (size_t i = 0; i < p->builder->nodes; i++)
        cr_nearest_offer(&near, p->builder->node[i].name);
    cr__fail(p->err, CR_EFORMAT, "there is no variable '%s' before this", shown);
    if (near.best != NULL)
        cr__fail_hint(p->err, CR_EFORMAT, "did you mean '%s'?", near.best);
    return blame(p, CR_EFORMAT);
}

static cr_status name_variable(parser *p)
{
    size_t length;
    const char *name = trimmed(p, &length);
    cr_status st;

    if (p->node != CR__NO_NODE)
        return fail(p, "a variable has two names");
    if (memchr(name, '\0', length) != NULL)
        return fail(p, "there is a zero byte in a name");
    if ((st = cr__builder_add(p->builder, name, length, &p->node, p->err)) != CR_OK)
        return blame(p, st);
    p->builder->node[p->node].line = p->tag_line;
    p->builder->node[p->node].column = p->tag_column;
    return CR_OK;
}

static cr_status add_outcome(parser *p)
{
    size_t length;
    const char *name = trimmed(p, &length);
    cr_status st;

    if (p->node == CR__NO_NODE)
        return fail(p, "a variable's outcome comes before its name");
    if (memchr(name, '\0', length) != NULL)
        return fail(p, "there is a zero byte in a name");
    st = cr__builder_add_state(p->builder, p->node, name, length, p->err);
    return st == CR_OK ? CR_OK : blame(p, st);
}

static cr_status add_parent(parser *p)
{
    if (p->parents == CR__PARENTS_MAX)
        return fail(p, "a variable has too many parents");
    return named_node(p, &p->parent[p->parents++]);
}

/* The numbers of a table; what they mean is known when the definition ends. */
static cr_status read_table(parser *p)
{
    const char *at = p->text.data == NULL ? "" : p->text.data, *end = at + p->text.size;

    p->cells = 0;
    p->table_line = p->tag_line;
    p->table_column = p->tag_column;
    for (;;) {
        const char *stop;
        char shown[60];

        while (at < end && (*at == ' ' || *at == ',' || (*at >= '\t' && *at <= '\r')))
            at++;
        if (at == end)
            return CR_OK;
        for (stop = at; stop < end && (unsigned char)*stop > ' ' && *stop != ',';)
            stop++;
        stop += stop == at; /* a control byte, which is not a number */
        if (!cr__grow(&p->table, &p->table_capacity, p->cells + 1, sizeof *p->table))
            return cr__fail_memory(p->err);
        if (cr__parse_double(at, (size_t)(stop - at), &p->table[p->cells]) != CR__NUMBER_OK ||
            !(p->table[p->cells] >= 0 && p->table[p->cells] <= 1 + CR__ROW_TOLERANCE)) {
            cr__fail(p->err, CR_EFORMAT, "'%s', number %zu of this table, is not a probability",
                     cr__printable(shown, sizeof shown, at, (size_t)(stop - at)), p->cells + 1);
            return blame(p, CR_EFORMAT);
        }
        p->cells++;
        at = stop;
    }
}

static cr_status end_definition(parser *p)
{
    const cr__builder_node *n;
    double *table = NULL;
    cr_status st;

    if (p->node == CR__NO_NODE)
        return fail(p, "a definition does not say FOR which variable");
    n = &p->builder->node[p->node];
    if (n->defined)
        return fail(p, "the probabilities of a variable are given twice");
    st = cr__builder_set_parents(p->builder, p->node, p->parent, p->parents, p->err);
    if (st == CR_OK)
        st = cr__builder_table(p->builder, p->node, &table, p->err);
    if (st != CR_OK)
        return blame(p, st);
    if (p->cells != n->cells) {
        cr__fail(p->err, CR_EFORMAT, "the table of '%s' has %zu numbers where %zu should be",
                 n->name, p->cells, n->cells);
        return cr__fail_at(p->err, CR_EFORMAT, NULL, p->table_line, p->table_column);
    }
    memcpy(table, p->table, n->cells * sizeof *table);
    for (size_t r = 0; r < n->cells; r += n->states)
        if ((st = cr__row_normalise(table + r, n->states, p->err)) != CR_OK)
            return cr__fail_at(p->err, st, NULL, p->table_line, p->table_column);
    return CR_OK;
}

static cr_status open_element(parser *p, const element *tag)
{
    if (p->depth == DEPTH)
        return fail(p, "elements are nested too deeply");
    if (is(tag, "VARIABLE") || is(tag, "DEFINITION") || is(tag, "PROBABILITY")) {
        p->node = CR__NO_NODE;
        p->parents = 0;
        p->cells = 0;
        p->table_line = p->tag_line;
        p->table_column = p->tag_column;
    }
    if (is(tag, "NETWORK") && ++p->networks > 1)
        return fail(p, "there are two networks in the file");
    p->stack[p->depth++] = *tag;
    return CR_OK;
}

/* An element ends: its text matters depending on its parent. */
static cr_status close_element(parser *p, const element *tag)
{
    const element *above;
    size_t length;
    const char *text;

    if (p->depth == 0 || p->stack[p->depth - 1].length != tag->length ||
        memcmp(p->stack[p->depth - 1].name, tag->name, tag->length) != 0)
        return fail(p, "an element ends that is not open");
    above = --p->depth == 0 ? NULL : &p->stack[p->depth - 1];
    if (above == NULL)
        return CR_OK;
    if (is(above, "VARIABLE"))
        return is(tag, "NAME")                          ? name_variable(p)
               : is(tag, "OUTCOME") || is(tag, "VALUE") ? add_outcome(p)
                                                        : CR_OK;
    if (is(above, "DEFINITION") || is(above, "PROBABILITY"))
        return is(tag, "FOR")     ? named_node(p, &p->node)
               : is(tag, "GIVEN") ? add_parent(p)
               : is(tag, "TABLE") ? read_table(p)
                                  : CR_OK;
    if (is(tag, "DEFINITION") || is(tag, "PROBABILITY"))
        return end_definition(p);
    text = trimmed(p, &length);
    if (is(above, "NETWORK") && is(tag, "NAME") && memchr(text, '\0', length) == NULL &&
        (p->builder->title = cr__arena_copy(&p->builder->arena, text, length)) == NULL)
        return cr__fail_memory(p->err);
    return CR_OK;
}

cr_status cr__xmlbif_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err)
{
    parser p = {.at = bytes,
                .end = bytes + size,
                .line = 1,
                .column = 1,
                .counted = bytes,
                .builder = builder,
                .node = CR__NO_NODE,
                .err = err};
    element tag;
    int more = 1, closing = 0, empty = 0;
    cr_status st = CR_OK;

    while (st == CR_OK && (st = read_text(&p, &more)) == CR_OK && more) {
        if ((st = read_tag(&p, &tag, &closing, &empty)) != CR_OK)
            break;
        if (!closing)
            st = open_element(&p, &tag);
        if (st == CR_OK && !closing)
            cr__buffer_clear(&p.text);
        if (st == CR_OK && (closing || empty))
            st = close_element(&p, &tag);
        cr__buffer_clear(&p.text);
    }
    if (st == CR_OK && p.depth > 0)
        st = fail(&p, "the text ends before the network does");
    cr__buffer_free(&p.text);
    cr__free(p.table);
    return st;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void print_element(cr__buffer *out, const char *tag, const char *text)
{
    cr__buffer_printf(out, "<%s>", tag);
    for (; *text != '\0'; text++)
        if (*text == '<')
            cr__buffer_adds(out, "&lt;");
        else if (*text == '>')
            cr__buffer_adds(out, "&gt;");
        else if (*text == '&')
            cr__buffer_adds(out, "&amp;");
        else if ((unsigned char)*text < ' ')
            cr__buffer_printf(out, "&#%d;", *text);
        else
            cr__buffer_addc(out, *text);
    cr__buffer_printf(out, "</%s>\n", tag);
}

static void print_definition(const cr__network *net, uint32_t i, cr__buffer *out)
{
    cr__buffer_adds(out, "<DEFINITION>\n");
    print_element(out, "FOR", net->name[i]);
    for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++)
        print_element(out, "GIVEN", net->name[net->parent[k]]);
    cr__buffer_adds(out, "<TABLE>");
    for (size_t c = net->table_at[i]; c < net->table_at[i + 1]; c++) {
        const size_t in_row = (c - net->table_at[i]) % net->states[i];

        cr__buffer_addc(out, in_row == 0 ? '\n' : ' ');
        cr__print_number(out, net->table[c]);
    }
    cr__buffer_adds(out, "\n</TABLE>\n</DEFINITION>\n");
}

void cr__xmlbif_print(const cr__network *net, cr__buffer *out)
{
    cr__buffer_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<BIF VERSION=\"0.3\">\n<NETWORK>\n");
    print_element(out, "NAME", net->title);
    for (uint32_t i = 0; i < net->nodes; i++) {
        cr__buffer_adds(out, "<VARIABLE TYPE=\"nature\">\n");
        print_element(out, "NAME", net->name[i]);
        for (uint32_t k = 0; k < net->states[i]; k++)
            print_element(out, "OUTCOME", net->label[net->label_at[i] + k]);
        cr__buffer_adds(out, "</VARIABLE>\n");
    }
    for (uint32_t i = 0; i < net->nodes; i++)
        print_definition(net, i, out);
    cr__buffer_adds(out, "</NETWORK>\n</BIF>\n");
}
