/* network/files/files.c - recognise, read and write the formats of networks; DOT. */
#include "network/files/files.h"

#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
#include "network/files/lexer.h"

enum { FREE_CELLS = 1 << 20, LOOK = 4096 };

static const struct {
    const char *ending;
    cr__network_format format;
} endings[] = {
    {".bif", CR__NETWORK_BIF},    {".xml", CR__NETWORK_XMLBIF}, {".xmlbif", CR__NETWORK_XMLBIF},
    {".net", CR__NETWORK_PLAIN},  {".dot", CR__NETWORK_DOT},    {".gv", CR__NETWORK_DOT},
    {".dne", CR__NETWORK_NETICA},
};

cr__network_format cr__network_format_of(const char *path)
{
    const size_t length = path == NULL ? 0 : strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t n = strlen(endings[i].ending);

        if (length > n && strcasecmp(path + length - n, endings[i].ending) == 0)
            return endings[i].format;
    }
    return CR__NETWORK_UNKNOWN;
}

/* Whether a BIF file begins here: network NAME {, variable NAME {, or probability (. */
static int looks_bif(const char *bytes, size_t size)
{
    cr__lexer c;
    int found = 0;

    cr__lexer_begin(&c, bytes, size, "{}()[],;|", 0, NULL);
    if (cr__lexer_next(&c) == CR_OK) {
        const int named = cr__lexer_is(&c, "network") || cr__lexer_is(&c, "variable");

        if (named && cr__lexer_next(&c) == CR_OK)
            found = c.type == '{' ||
                    (cr__lexer_word(&c) && cr__lexer_next(&c) == CR_OK && c.type == '{');
    }
    cr__lexer_end(&c);
    return found;
}

/* Whether the text begins with one of two words and a brace, a name between them or not; comments
 * of C and those of Hugin, which begin with %, are skipped. */
static int begins_with(const char *bytes, size_t size, const char *one, const char *other)
{
    cr__lexer c;
    int found = 0;

    for (;;) { /* lines of Hugin's comments */
        const size_t blanks = size > 0 && strchr(" \t\r\n", bytes[0]) != NULL && bytes[0] != '\0';
        const char *end = size > 0 && bytes[0] == '%' ? memchr(bytes, '\n', size) : NULL;

        if (blanks == 0 && end == NULL)
            break;
        size -= end == NULL ? 1 : (size_t)(end - bytes);
        bytes = end == NULL ? bytes + 1 : end;
    }
    cr__lexer_begin(&c, bytes, size, "{}()=,;|", 0, NULL);
    if (cr__lexer_next(&c) == CR_OK && (cr__lexer_is(&c, one) || cr__lexer_is(&c, other)) &&
        cr__lexer_next(&c) == CR_OK)
        found =
            c.type == '{' || (cr__lexer_word(&c) && cr__lexer_next(&c) == CR_OK && c.type == '{');
    cr__lexer_end(&c);
    return found;
}

/* A case-insensitive search in the first bytes for the root element. */
static int looks_xmlbif(const char *bytes, size_t size)
{
    const size_t most = size < LOOK ? size : LOOK;

    for (size_t i = 0; i + 5 <= most; i++)
        if (bytes[i] == '<' && strncasecmp(bytes + i, "<BIF", 4) == 0 &&
            strchr(" \t\r\n>", bytes[i + 4]) != NULL)
            return 1;
    return 0;
}

cr__network_format cr__network_recognise(const char *path, const char *bytes, size_t size)
{
    size_t i = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (i < size && strchr(" \t\r\n", bytes[i]) != NULL && bytes[i] != '\0')
        i++;
    if (i < size && bytes[i] == '<')
        return looks_xmlbif(bytes, size) ? CR__NETWORK_XMLBIF : CR__NETWORK_UNKNOWN;
    if (looks_bif(bytes, size))
        return CR__NETWORK_BIF;
    if (begins_with(bytes, size, "bnet", "bnet"))
        return CR__NETWORK_NETICA;
    if (begins_with(bytes, size, "net", "class"))
        return CR__NETWORK_HUGIN;
    return cr__network_format_of(path) == CR__NETWORK_PLAIN ? CR__NETWORK_PLAIN
                                                            : CR__NETWORK_UNKNOWN;
}

/* A network has no decisions and utilities. */
static cr_status refuse_diagram(const cr__builder *builder, cr_error *err)
{
    for (size_t i = 0; i < builder->nodes; i++) {
        const cr__builder_node *n = &builder->node[i];

        if (n->kind == CR__KIND_CHANCE)
            continue;
        cr__fail(err, CR_EFORMAT, "'%s' is a %s, so this is an influence diagram, not a network",
                 n->name, n->kind == CR__KIND_DECISION ? "decision" : "utility");
        cr__fail_hint(err, CR_EFORMAT, "it is not asked but solved for its best policy: decide");
        return cr__fail_at(err, CR_EFORMAT, NULL, n->line, n->column);
    }
    return CR_OK;
}

static cr_status parse(cr__network **out, cr__network_format format, const char *path,
                       const char *bytes, size_t size, int diagrams, cr_error *err)
{
    cr__builder *builder;
    cr_status st = cr__builder_new(&builder, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    builder->cell_limit = FREE_CELLS + size;
    if (format == CR__NETWORK_BIF)
        st = cr__bif_parse(builder, bytes, size, err);
    else if (format == CR__NETWORK_XMLBIF)
        st = cr__xmlbif_parse(builder, bytes, size, err);
    else if (format == CR__NETWORK_PLAIN)
        st = cr__net_format_parse(builder, bytes, size, err);
    else if (format == CR__NETWORK_HUGIN)
        st = cr__hugin_parse(builder, bytes, size, err);
    else if (format == CR__NETWORK_NETICA)
        st = cr__netica_parse(builder, bytes, size, err);
    else
        st = cr__fail(err, CR_EFORMAT, "this is not a network in a supported format");
    if (st == CR_OK && !diagrams)
        st = refuse_diagram(builder, err);
    if (st == CR_OK)
        st = cr__builder_finish(builder, out, err);
    if (st != CR_OK && err != NULL)
        cr__fail_at(err, st, path, err->line, err->column);
    cr__builder_free(builder);
    return st;
}

uint32_t cr__diagram_first(const cr__network *net)
{
    for (uint32_t i = 0; i < net->nodes; i++)
        if (net->kind[i] != CR__KIND_CHANCE)
            return i;
    return CR__NO_NODE;
}

cr_status cr__diagram_parse(cr__network **out, cr__network_format format, const char *path,
                            const char *bytes, size_t size, cr_error *err)
{
    return parse(out, format, path, bytes, size, 1, err);
}

cr_status cr__network_parse(cr__network **out, cr__network_format format, const char *path,
                            const char *bytes, size_t size, cr_error *err)
{
    return parse(out, format, path, bytes, size, 0, err);
}

static cr_status read_bytes(cr__network **out, const char *name, const char *bytes, size_t size,
                            int diagrams, cr_error *err)
{
    cr__network_format format = cr__network_recognise(name, bytes, size);

    if (format == CR__NETWORK_UNKNOWN) /* the format of the name reports what is wrong */
        format = cr__network_format_of(name);
    return parse(out, format, name, bytes, size, diagrams, err);
}

cr_status cr__network_read_bytes(cr__network **out, const char *name, const char *bytes,
                                 size_t size, cr_error *err)
{
    return read_bytes(out, name, bytes, size, 0, err);
}

static cr_status read_file(cr__network **out, const char *path, int diagrams, cr_error *err)
{
    cr__map map;
    cr_status st = cr__map_open(&map, path, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    st = read_bytes(out, path, map.data, map.size, diagrams, err);
    cr__map_close(&map);
    return st;
}

cr_status cr__diagram_read(cr__network **out, const char *path, cr_error *err)
{
    return read_file(out, path, 1, err);
}

cr_status cr__network_read(cr__network **out, const char *path, cr_error *err)
{
    return read_file(out, path, 0, err);
}

/* --- writing ---------------------------------------------------------------------------------- */

void cr__row_next(const cr__network *net, uint32_t node, uint32_t *state)
{
    for (size_t k = net->parent_at[node + 1]; k-- > net->parent_at[node];) {
        uint32_t *s = &state[k - net->parent_at[node]];

        if (++*s < net->states[net->parent[k]])
            return;
        *s = 0;
    }
}

static void print_dot_text(cr__buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            cr__buffer_addc(out, '\\');
        cr__buffer_addc(out, (unsigned char)*text < ' ' ? ' ' : *text);
    }
}

static int takes_states(const cr__network *net, uint32_t node)
{
    return !net->gaussian[node] && net->kind[node] != CR__KIND_UTILITY;
}

/* A node shows its name over its states; or their number if there are many. */
static void print_dot(const cr__network *net, cr__buffer *out)
{
    enum { STATES_SHOWN = 8 };
    static const char *const shapes[] = {"", "style=bold, ", "shape=diamond, style=solid, "};

    cr__buffer_adds(out, "digraph \"");
    print_dot_text(out, net->title);
    cr__buffer_adds(out, "\" {\n  node [shape=box, style=rounded];\n");
    for (uint32_t i = 0; i < net->nodes; i++) {
        cr__buffer_printf(out, "  n%u [%slabel=\"", i, shapes[net->kind[i]]);
        print_dot_text(out, net->name[i]);
        cr__buffer_adds(out, "\\n");
        cr__buffer_adds(out, net->gaussian[i] ? "a number" : "");
        cr__buffer_adds(out, net->kind[i] == CR__KIND_UTILITY ? "utility" : "");
        for (uint32_t k = 0; takes_states(net, i) && k < net->states[i] && k < STATES_SHOWN; k++) {
            cr__buffer_adds(out, k > 0 ? " | " : "");
            print_dot_text(out, net->label[net->label_at[i] + k]);
        }
        if (net->states[i] > STATES_SHOWN)
            cr__buffer_printf(out, " | ... %u states", net->states[i]);
        cr__buffer_adds(out, "\"];\n");
    }
    for (uint32_t i = 0; i < net->nodes; i++)
        for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++)
            cr__buffer_printf(out, "  n%u -> n%u;\n", net->parent[k], i);
    cr__buffer_adds(out, "}\n");
}

void cr__network_print(const cr__network *net, cr__network_format format, cr__buffer *out)
{
    if (format == CR__NETWORK_BIF)
        cr__bif_print(net, out);
    else if (format == CR__NETWORK_XMLBIF)
        cr__xmlbif_print(net, out);
    else if (format == CR__NETWORK_PLAIN)
        cr__net_format_print(net, out);
    else if (format == CR__NETWORK_HUGIN)
        cr__hugin_print(net, out);
    else if (format == CR__NETWORK_NETICA)
        cr__netica_print(net, out);
    else if (format == CR__NETWORK_DOT)
        print_dot(net, out);
}

cr_status cr__network_write(const cr__network *net, cr__network_format format, const char *path,
                            cr_error *err)
{
    cr__buffer text = {0};
    cr__writer *writer = NULL;
    cr_status st;

    const int diagram = cr__diagram_first(net) != CR__NO_NODE;

    if (diagram && format != CR__NETWORK_HUGIN && format != CR__NETWORK_NETICA &&
        format != CR__NETWORK_DOT)
        return cr__fail(err, CR_EARG,
                        "this format has no decisions and utilities; Hugin's and "
                        "Netica's have");
    if (!diagram && net->weight_at[net->nodes] > 0 && format != CR__NETWORK_PLAIN &&
        format != CR__NETWORK_DOT) {
        cr__fail(err, CR_EARG,
                 "this format is written with discrete variables only, and the network has "
                 "numbers");
        return cr__fail_hint(err, CR_EARG, "write it to a file whose name ends in .net");
    }
    cr__network_print(net, format, &text);
    st = text.failed ? cr__fail_memory(err) : cr__writer_open(&writer, path, err);
    if (st == CR_OK)
        st = cr__writer_write(writer, text.data, text.size, err);
    if (st == CR_OK)
        st = cr__writer_commit(writer, err);
    else
        cr__writer_abandon(writer);
    cr__buffer_free(&text);
    return st;
}
