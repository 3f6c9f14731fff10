/* draw/tree.c - the tests of a decision tree, from the root down. */
#include "credence/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "credence/plot.h"
#include "draw/draw.h"
#include "plot/letters.h"

enum { CLASSES_MOST = 6, TEXT_ROOM = 120, NAME_WIDTH = 140, NAME_SIZE = 10 };

/* The picture of a tree, to be freed. */
typedef struct picture {
    cr_tree tree;
    const char **name; /* [nodes] the test, or the class */
    char *text;        /* [TEXT_ROOM] for each node: its name; and for each arc: its label */
    cr_arc *arc;
    cr_node_lines *lines;
    const char **line; /* [CLASSES_MOST] for each node */
    double *share;
} picture;

static void picture_free(picture *p)
{
    cr_tree_free(&p->tree);
    cr__free(p->name);
    cr__free(p->text);
    cr__free(p->arc);
    cr__free(p->lines);
    cr__free(p->line);
    cr__free(p->share);
}

static double weight_of(const cr_tree_node *n, size_t classes)
{
    double sum = 0;

    for (size_t c = 0; c < classes; c++)
        sum += n->count[c];
    return sum;
}

/* The shares of the classes among the rows that came to a node, and how many rows. */
static void fill_lines(picture *p, const cr_model *model, size_t i)
{
    const size_t classes = cr_model_classes(model);
    const size_t shown = classes < CLASSES_MOST ? classes : CLASSES_MOST;
    const cr_tree_node *n = &p->tree.node[i];
    const double all = weight_of(n, classes);

    for (size_t c = 0; c < shown; c++) {
        p->line[i * CLASSES_MOST + c] = cr_model_class(model, c);
        p->share[i * CLASSES_MOST + c] = all > 0 ? n->count[c] / all : 0;
    }
    p->lines[i] = (cr_node_lines){.lines = shown,
                                  .text = p->line + i * CLASSES_MOST,
                                  .share = p->share + i * CLASSES_MOST,
                                  .marked = SIZE_MAX,
                                  .first_hue = 0};
}

/* "birth? (14)" for a test and "mammals (7)" for a leaf; rows of which a value is missing are there
 * in part. A long name is cut, not the number. */
static void put_name(char out[TEXT_ROOM], const char *name, const char *mark, double rows)
{
    char text[TEXT_ROOM], digits[CR__NUMBER_SIZE], number[CR__NUMBER_SIZE + 8];

    digits[cr__format_double(digits, round(rows * 100) / 100)] = '\0';
    snprintf(number, sizeof number, "%s (%s)", mark, digits);
    cr__text_fit(text, TEXT_ROOM - sizeof number, name, NAME_SIZE,
                 NAME_WIDTH - cr__text_width(number, NAME_SIZE, 0));
    snprintf(out, TEXT_ROOM, "%s%s", text, number);
}

/* A node with the rows that came to it; on the arc the condition, without the name of the column,
 * which is above. */
static void fill_node(picture *p, const cr_model *model, size_t i)
{
    const cr_schema *schema = cr_model_schema(model);
    const cr_tree_node *n = &p->tree.node[i];
    char *name = p->text + 2 * i * TEXT_ROOM, *label = name + TEXT_ROOM;
    const char *branch = n->branch;

    put_name(name,
             n->column == SIZE_MAX ? cr_model_class(model, n->best)
                                   : cr_schema_name(schema, n->column),
             n->column == SIZE_MAX ? "" : "?", weight_of(n, cr_model_classes(model)));
    p->name[i] = name;
    fill_lines(p, model, i);
    if (i == 0)
        return;
    name = (char *)cr_schema_name(schema, p->tree.node[n->parent].column);
    if (strncmp(branch, name, strlen(name)) == 0)
        branch += strlen(name) + 1;
    snprintf(label, TEXT_ROOM, "%s", branch);
    p->arc[i - 1] = (cr_arc){.from = n->parent, .to = i, .label = label};
}

/* Free it even after a failure. */
static cr_status picture_of(picture *p, const cr_model *model, cr_error *err)
{
    size_t nodes;
    cr_status st;

    *p = (picture){0};
    if ((st = cr_model_tree(model, &p->tree, err)) != CR_OK)
        return st;
    nodes = p->tree.nodes;
    if ((p->name = cr__alloc(nodes, sizeof *p->name)) == NULL ||
        (p->text = cr__alloc_zero(nodes, (size_t)2 * TEXT_ROOM)) == NULL ||
        (p->arc = cr__alloc_zero(nodes, sizeof *p->arc)) == NULL ||
        (p->lines = cr__alloc_zero(nodes, sizeof *p->lines)) == NULL ||
        (p->line = cr__alloc_zero(nodes * CLASSES_MOST, sizeof *p->line)) == NULL ||
        (p->share = cr__alloc_zero(nodes * CLASSES_MOST, sizeof *p->share)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < nodes; i++)
        fill_node(p, model, i);
    return CR_OK;
}

cr_status cr_draw_tree(cr_figure *f, const char *title, const cr_model *model, cr_error *err)
{
    picture p;
    cr_status st = picture_of(&p, model, err);

    if (st == CR_OK)
        st = cr_figure_add_network(
            f, title,
            &(cr_network_picture){p.name, p.tree.nodes, p.arc, p.tree.nodes - 1, SIZE_MAX, p.lines},
            err);
    picture_free(&p);
    return st;
}

cr_status cr__tree_numbers(cr_json *j, const cr_model *model, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_tree tree;
    cr_status st = cr_model_tree(model, &tree, err);

    if (st == CR_OK)
        cr_json_array(j, "nodes", CR_JSON_BLOCK);
    for (size_t i = 0; st == CR_OK && i < tree.nodes; i++) {
        const cr_tree_node *n = &tree.node[i];

        cr_json_object(j, NULL, CR_JSON_LINE);
        if (i > 0)
            cr_json_number(j, "parent", (double)n->parent);
        if (i > 0)
            cr_json_text(j, "branch", n->branch);
        if (n->column != SIZE_MAX)
            cr_json_text(j, "asks", cr_schema_name(schema, n->column));
        cr_json_text(j, "class", cr_model_class(model, n->best));
        cr_json_object(j, "rows", CR_JSON_LINE);
        for (size_t c = 0; c < cr_model_classes(model); c++)
            cr_json_number(j, cr_model_class(model, c), n->count[c]);
        cr_json_end(j);
        cr_json_end(j);
    }
    if (st == CR_OK)
        cr_json_end(j);
    cr_tree_free(&tree);
    return st;
}
