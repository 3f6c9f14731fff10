/* learners/tree/nodes.c - credence/tree.h: the nodes of a tree for programs and pictures. */
#include "credence/tree.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/registry.h"
#include "learners/tree/tree.h"
#include "model/model.h"

enum { BRANCH_ROOM = 256 };

void cr_tree_free(cr_tree *tree)
{
    if (tree == NULL)
        return;
    cr__free(tree->node);
    cr__free(tree->text);
    *tree = (cr_tree){0};
}

static size_t best_of(const double *p, size_t classes)
{
    size_t best = 0;

    for (size_t c = 1; c < classes; c++)
        if (p[c] > p[best])
            best = c;
    return best;
}

/* The number of a node in the tree, from the address of its counts. */
static size_t place_of(const cr__tree *tree, const cr_tree_node *node)
{
    return (size_t)(node->count - tree->count) / tree->classes;
}

static void add(cr_tree *out, const cr__tree *tree, size_t i, size_t parent)
{
    const size_t K = tree->classes;

    out->node[out->nodes] =
        (cr_tree_node){.parent = parent,
                       .branch = out->text + out->nodes * BRANCH_ROOM,
                       .column = cr__tree_is_leaf(&tree->node[i]) ? SIZE_MAX : tree->node[i].column,
                       .best = best_of(tree->probability + i * K, K),
                       .count = tree->count + i * K,
                       .probability = tree->probability + i * K};
    out->nodes++;
}

cr_status cr_model_tree(const cr_model *model, cr_tree *out, cr_error *err)
{
    const cr__tree *tree = model->share->fitted;

    *out = (cr_tree){0};
    if (model->learner != &cr__tree_learner)
        return cr__fail(err, CR_EARG, "a model of '%s' is not a decision tree",
                        model->learner->name);
    if ((out->node = cr__alloc(tree->nodes, sizeof *out->node)) == NULL ||
        (out->text = cr__alloc_zero(tree->nodes, BRANCH_ROOM)) == NULL)
        return cr__fail_memory(err);
    add(out, tree, 0, SIZE_MAX);
    for (size_t at = 0; at < out->nodes; at++) {
        const cr__tree_node *node = &tree->node[place_of(tree, &out->node[at])];

        for (size_t b = 0; !cr__tree_is_leaf(node) && b < node->children; b++) {
            if (!(cr__tree_weight(tree, node->first + b) > 0))
                continue;
            cr__tree_question(node, b, model->schema, model->dict[node->column],
                              out->text + out->nodes * BRANCH_ROOM, BRANCH_ROOM);
            add(out, tree, node->first + b, at);
        }
    }
    return CR_OK;
}
