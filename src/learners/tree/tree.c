/* learners/tree/tree.c - the learner tree: knobs, fitting, scoring, model file, picture. */
#include "learners/tree/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "learners/registry.h"

static const cr__knob_spec knobs[] = {
    {"confidence", "0.25", CR__KNOB_NUMBER, 1e-9, NULL,
     "of the guess how often a leaf will err: lower prunes more, 1 prunes nothing"},
    {"min-rows", "2", CR__KNOB_NUMBER, 1, NULL, "rows that at least two branches must have"},
    {"symbols", "binary", CR__KNOB_CHOICE, 0, "multiway|binary",
     "a branch for each value, or one value against the others"},
    {"m", "4", CR__KNOB_NUMBER, 0, NULL,
     "rows that the node above is worth in the probabilities of a node"},
};

static void free_tree(void *fitted)
{
    cr__tree *tree = fitted;

    if (tree == NULL)
        return;
    if (tree->own != NULL) {
        cr__free((void *)tree->count);
        cr__free(tree->own);
    }
    cr__free(tree->probability);
    cr__free(tree);
}

/* --- fit ------------------------------------------------------------------------------------ */

/* From the root down, each node is smoothed towards the one above it. */
static cr_status smooth(cr__tree *tree, double m)
{
    const size_t K = tree->classes;
    double *p = tree->probability = cr__alloc(tree->nodes * K, sizeof *p);

    if (p == NULL)
        return CR_ENOMEM;
    for (size_t c = 0; c < K; c++)
        p[c] = 1 / (double)K; /* what the root is smoothed towards */
    for (size_t i = 0; i < tree->nodes; i++) {
        const double *n = tree->count + i * K;
        double all = m;

        for (size_t c = 0; c < K; c++)
            all += n[c];
        for (size_t c = 0; c < K && all > 0; c++)
            p[i * K + c] = (n[c] + m * p[i * K + c]) / all;
        for (size_t b = 0; b < tree->node[i].children; b++)
            memcpy(p + (tree->node[i].first + b) * K, p + i * K, K * sizeof *p);
    }
    return CR_OK;
}

/* Every node has counts of the classes, twice while the parts of a tree are joined, with room to
 * grow, and probabilities as well. */
static double node_bytes(size_t classes)
{
    return 4.0 * (double)classes * sizeof(double) + sizeof(cr__tree_node);
}

static cr_status fail_room(const cr__fit_input *input, size_t classes, size_t nodes, cr_error *err)
{
    char what[120];

    snprintf(what, sizeof what, "a tree counts %zu classes at each node: %zu nodes and more",
             classes, nodes);
    if (cr__run_afford(input->run, node_bytes(classes) * (double)nodes, what, err) == CR_OK)
        return cr__fail_memory(err);
    return cr__fail_hint(err, CR_ELIMIT,
                         "a tree cannot distinguish classes of few rows: leave them out, or "
                         "join them; " CR__SET("memory") " raises the limit");
}

static cr_status grow(cr__tree *tree, const cr__fit_input *input, cr_error *err)
{
    const cr_schema *schema = input->stats->schema;
    const double limit = (double)cr__run_memory(input->run);
    atomic_size_t made = 0;
    size_t *values = cr__alloc_zero(schema->columns, sizeof *values);
    cr__tree_plan plan = {.least = cr__knobs_number(input->knobs, "min-rows"),
                          .binary = cr__knobs_is(input->knobs, "symbols", "binary"),
                          .rows = input->rows,
                          .run = input->run,
                          .classes = tree->classes,
                          .values = values,
                          .most =
                              limit > 0 ? (size_t)(limit / node_bytes(tree->classes)) : SIZE_MAX,
                          .made = &made};
    cr__tree_node *node = NULL;
    double *count = NULL;
    cr_status st;

    if (values == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++)
        values[i] = cr__stats_values(input->stats, i);
    st = cr__tree_grow(&plan, &node, &count, &tree->nodes);
    tree->node = node;
    tree->own = node;
    tree->count = count;
    cr__free(values);
    if (st != CR_OK)
        return fail_room(input, tree->classes, atomic_load(&made), err);
    return st;
}

/* Knobs for pruning and smoothing need no rows. */
static cr_status copy(cr__tree *tree, const cr__tree *before, cr_error *err)
{
    cr__tree_node *node = cr__alloc(before->nodes, sizeof *node);
    double *count = cr__alloc(before->nodes * tree->classes, sizeof *count);

    tree->nodes = before->nodes;
    tree->node = node;
    tree->own = node;
    tree->count = count;
    if (node == NULL || count == NULL)
        return cr__fail_memory(err);
    memcpy(node, before->node, before->nodes * sizeof *node);
    memcpy(count, before->count, before->nodes * tree->classes * sizeof *count);
    return CR_OK;
}

static cr_status check_input(const cr__fit_input *input, cr_error *err)
{
    const cr_schema *schema = input->stats->schema;

    if (input->rows != NULL && input->before != NULL) {
        cr__fail(err, CR_ECONFLICT, "a tree is grown from all rows at once and cannot learn more");
        return cr__fail_hint(err, CR_ECONFLICT, "train again on all of them");
    }
    for (size_t i = 0; i < schema->columns; i++)
        if (cr__stats_is_feature(schema, i) && schema->column[i].kind == CR_BAG) {
            cr__fail(err, CR_EARG, "a tree cannot use the texts of '%s'", schema->column[i].name);
            return cr__fail_hint(err, CR_EARG, CR__SET("type %s=ignore") " leaves them out",
                                 schema->column[i].name);
        }
    return CR_OK;
}

static cr_status fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    cr__tree *tree = cr__alloc_zero(1, sizeof *tree);
    cr_status st = check_input(input, err);

    *fitted = NULL;
    if (st != CR_OK || tree == NULL) {
        cr__free(tree);
        return st != CR_OK ? st : cr__fail_memory(err);
    }
    tree->classes = input->stats->classes;
    tree->columns = input->stats->schema->columns;
    st = input->rows != NULL ? grow(tree, input, err) : copy(tree, input->before, err);
    if (st == CR_OK &&
        (cr__tree_prune(tree->own, tree->count, tree->nodes, tree->classes,
                        cr__knobs_number(input->knobs, "confidence"), input->run) != CR_OK ||
         smooth(tree, cr__knobs_number(input->knobs, "m")) != CR_OK))
        st = cr__fail_memory(err);
    if (st != CR_OK) {
        free_tree(tree);
        return st;
    }
    *fitted = tree;
    return CR_OK;
}

/* --- scoring -------------------------------------------------------------------------------- */

double cr__tree_weight(const cr__tree *tree, size_t node)
{
    double n = 0;

    for (size_t c = 0; c < tree->classes; c++)
        n += tree->count[node * tree->classes + c];
    return n;
}

void cr__tree_descend(const cr__tree *tree, const cr__batch *batch, size_t row, size_t last,
                      cr__tree_visitor *stack, double *p)
{
    const size_t K = tree->classes;
    size_t waiting = 0;

    memset(p, 0, K * sizeof *p);
    stack[waiting++] = (cr__tree_visitor){0, 1};
    while (waiting > 0) {
        const cr__tree_visitor v = stack[--waiting];
        const cr__tree_node *node = &tree->node[v.node];
        const cr__batch_column *data = cr__tree_is_leaf(node) ? NULL : &batch->column[node->column];
        size_t b = node->children;
        double all = 0;

        if (data != NULL && node->column <= last)
            b = data->kind == CR_REAL ? cr__tree_branch(node, CR_REAL, 0, data->real[row])
                                      : cr__tree_branch(node, CR_SYMBOL, data->code[row], 0);
        for (size_t k = 0; data != NULL && b == node->children && k < node->children; k++)
            all += cr__tree_weight(tree, node->first + k);
        if (data == NULL || (b == node->children && !(all > 0))) {
            for (size_t c = 0; c < K; c++)
                p[c] += v.weight * tree->probability[v.node * K + c];
        } else if (b < node->children) {
            stack[waiting++] = (cr__tree_visitor){node->first + (uint32_t)b, v.weight};
        } else {
            for (size_t k = 0; k < node->children; k++)
                if (cr__tree_weight(tree, node->first + k) > 0)
                    stack[waiting++] =
                        (cr__tree_visitor){node->first + (uint32_t)k,
                                           v.weight * cr__tree_weight(tree, node->first + k) / all};
        }
    }
}

static cr_status score(const void *fitted, void *state, const cr__batch *batch, double *out,
                       cr_error *err)
{
    const cr__tree *tree = fitted;
    cr__tree_visitor *stack = cr__alloc(tree->nodes, sizeof *stack);

    (void)state;
    if (stack == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < batch->rows; r++, out += tree->classes) {
        cr__tree_descend(tree, batch, r, SIZE_MAX, stack, out);
        for (size_t c = 0; c < tree->classes; c++)
            out[c] = log(out[c]);
    }
    cr__free(stack);
    return CR_OK;
}

/* --- the model file ------------------------------------------------------------------------- */

/*   TREE      u64 nodes; node[nodes], then weight of the rows by class, f64[nodes * classes]
 *   TRPR      P(class | node), f64[nodes * classes] */
#define TAG_TREE CR__TAG('T', 'R', 'E', 'E')
#define TAG_PROBABILITY CR__TAG('T', 'R', 'P', 'R')

static void save(const void *fitted, cr__draft *draft)
{
    const cr__tree *tree = fitted;
    const uint64_t nodes = tree->nodes;

    cr__draft_section_begin(draft, TAG_TREE, 0);
    cr__draft_copy(draft, &nodes, sizeof nodes);
    cr__draft_borrow(draft, tree->node, tree->nodes * sizeof *tree->node);
    cr__draft_borrow(draft, tree->count, tree->nodes * tree->classes * sizeof *tree->count);
    cr__draft_section_begin(draft, TAG_PROBABILITY, 0);
    cr__draft_borrow(draft, tree->probability,
                     tree->nodes * tree->classes * sizeof *tree->probability);
}

/* Check that tests are about features and that children come after their parents and have one
 * parent each. */
static int sound_node(const cr__tree *tree, size_t i, const cr_schema *schema, const size_t *values,
                      size_t next)
{
    const cr__tree_node *node = &tree->node[i];

    if (node->children == 0)
        return 1;
    if (node->column >= schema->columns || !cr__stats_is_feature(schema, node->column) ||
        node->first != next || next <= i || next > tree->nodes ||
        node->children > tree->nodes - next || !isfinite(node->threshold))
        return 0;
    if (schema->column[node->column].kind == CR_REAL)
        return node->children == 2;
    return schema->column[node->column].kind == CR_SYMBOL &&
           (node->threshold == 0 ? node->children == values[node->column]
                                 : node->children == 2 && node->threshold >= 1 &&
                                       node->threshold <= (double)values[node->column]);
}

/* The children of the nodes must be all nodes except the root. Since tasks are taken from the end
 * of a list they are not in order, so check that each has one parent. */
static int sound_tree(const cr__tree *tree, const cr_schema *schema, const size_t *values,
                      unsigned char *met)
{
    size_t children = 1;

    for (size_t i = 0; i < tree->nodes; i++) {
        const cr__tree_node *node = &tree->node[i];

        if (!sound_node(tree, i, schema, values, node->first))
            return 0;
        for (size_t b = 0; b < node->children; b++)
            if (met[node->first + b]++)
                return 0;
        children += node->children;
    }
    for (size_t i = 0; i < tree->nodes * tree->classes; i++)
        if (!(tree->count[i] >= 0) ||
            !(tree->probability[i] >= 0 && tree->probability[i] < 1 + 1e-9))
            return 0;
    return children == tree->nodes;
}

static cr_status read_tree(cr__tree *tree, const cr__container *container, cr_error *err)
{
    const void *bytes;
    uint64_t nodes;
    size_t size, per_node = sizeof(cr__tree_node) + tree->classes * sizeof(double);
    cr_status st = cr__container_need(container, TAG_TREE, 0, sizeof nodes, 0, &bytes, &size, err);

    if (st != CR_OK)
        return st;
    memcpy(&nodes, bytes, sizeof nodes);
    if (nodes == 0 || nodes != (size - sizeof nodes) / per_node ||
        (size - sizeof nodes) % per_node != 0)
        return cr__container_damaged(container, err, "its tree has a wrong length");
    tree->nodes = (size_t)nodes;
    tree->node = (const cr__tree_node *)((const char *)bytes + sizeof nodes);
    tree->count = (const double *)(tree->node + tree->nodes);
    st = cr__container_need(container, TAG_PROBABILITY, 0,
                            tree->nodes * tree->classes * sizeof(double), 1, &bytes, NULL, err);
    if (st != CR_OK)
        return st;
    tree->probability = cr__alloc(tree->nodes * tree->classes, sizeof *tree->probability);
    if (tree->probability == NULL)
        return cr__fail_memory(err);
    memcpy(tree->probability, bytes, tree->nodes * tree->classes * sizeof(double));
    return CR_OK;
}

static cr_status open_tree(void **fitted, const cr__container *container, const cr_schema *schema,
                           const size_t *values, size_t classes, cr_error *err)
{
    cr__tree *tree = cr__alloc_zero(1, sizeof *tree);
    unsigned char *met = NULL;
    cr_status st;

    *fitted = NULL;
    if (tree == NULL)
        return cr__fail_memory(err);
    tree->classes = classes;
    tree->columns = schema->columns;
    st = read_tree(tree, container, err);
    if (st == CR_OK && (met = cr__alloc_zero(tree->nodes, 1)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK && !sound_tree(tree, schema, values, met))
        st = cr__container_damaged(container, err, "its tree makes no sense");
    cr__free(met);
    if (st != CR_OK) {
        free_tree(tree);
        return st;
    }
    *fitted = tree;
    return CR_OK;
}

/* --- getters ---------------------------------------------------------------------------------- */

static double prior(const void *fitted, size_t c)
{
    return ((const cr__tree *)fitted)->probability[c];
}

/* The bits gained by tests of the column on the training rows. */
static double information(const void *fitted, size_t column)
{
    const cr__tree *tree = fitted;
    const size_t K = tree->classes;
    const double whole = cr__tree_weight(tree, 0);
    double bits = 0;

    for (size_t i = 0; i < tree->nodes; i++) {
        const cr__tree_node *node = &tree->node[i];

        if (cr__tree_is_leaf(node) || node->column != column)
            continue;
        for (size_t b = 0; b <= node->children; b++) {
            const size_t at = b == node->children ? i : node->first + b;
            const double n = cr__tree_weight(tree, at);
            double sum = 0;

            for (size_t c = 0; c < K; c++) {
                const double one = tree->count[at * K + c];

                sum -= one > 0 ? one * log2(one / n) : 0;
            }
            bits += at == i ? sum : -sum;
        }
    }
    return whole > 0 && bits > 0 ? bits / whole : 0;
}

/* Reachable nodes. */
static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    const cr__tree *tree = fitted;
    unsigned char *alive = cr__alloc_zero(tree->nodes, 1);
    double leaves = 0, questions = 0;

    (void)stats;
    (void)values;
    if (alive == NULL)
        return NAN;
    alive[0] = 1;
    for (size_t i = 0; i < tree->nodes; i++) {
        if (!alive[i])
            continue;
        if (cr__tree_is_leaf(&tree->node[i])) {
            leaves++;
            continue;
        }
        questions++;
        memset(alive + tree->node[i].first, 1, tree->node[i].children);
    }
    cr__free(alive);
    return questions + leaves * ((double)tree->classes - 1);
}

/* "petal_width <= 0.8: setosa (50)", or "... : setosa (50, 2 wrong)". */
static void describe(const cr__tree *tree, size_t i, const char *question, const cr_schema *schema,
                     cr__dict *const *dict, char *text, size_t size)
{
    const size_t K = tree->classes;
    const double *n = tree->count + i * K, all = cr__tree_weight(tree, i);
    char number[CR__NUMBER_SIZE], wrong[CR__NUMBER_SIZE];
    size_t best = 0;

    for (size_t c = 1; c < K; c++)
        if (tree->probability[i * K + c] > tree->probability[i * K + best])
            best = c;
    if (!cr__tree_is_leaf(&tree->node[i])) {
        snprintf(text, size, "%s", question);
        return;
    }
    number[cr__format_double(number, round(all * 100) / 100)] = '\0';
    wrong[cr__format_double(wrong, round((all - n[best]) * 100) / 100)] = '\0';
    snprintf(text, size, "%s%s%.80s (%s%s%s%s)", question, question[0] == '\0' ? "" : ": ",
             cr__dict_word(dict[schema->target], (uint32_t)best + 1, NULL), number,
             all - n[best] > 0.005 ? ", " : "", all - n[best] > 0.005 ? wrong : "",
             all - n[best] > 0.005 ? " wrong" : "");
}

void cr__tree_question(const cr__tree_node *node, size_t b, const cr_schema *schema,
                       const cr__dict *names, char *text, size_t size)
{
    const char *name = schema->column[node->column].name;
    char number[CR__NUMBER_SIZE];

    if (schema->column[node->column].kind == CR_REAL) {
        number[cr__format_double(number, node->threshold)] = '\0';
        snprintf(text, size, "%.80s %s %s", name, b == 0 ? "<=" : ">", number);
    } else if (node->threshold > 0) {
        snprintf(text, size, "%.80s %s %.80s", name,
                 b == 0 ? "=" : "!=", cr__dict_word(names, (uint32_t)node->threshold, NULL));
    } else {
        snprintf(text, size, "%.80s = %.80s", name, cr__dict_word(names, (uint32_t)b + 1, NULL));
    }
}

typedef struct pending {
    uint32_t node, parent, branch;
    uint32_t depth;
} pending;

static cr_status draw(const void *fitted, const cr_schema *schema, cr__dict *const *dict,
                      cr__line_visit *line, void *context, cr_error *err)
{
    const cr__tree *tree = fitted;
    pending *stack = cr__alloc(tree->nodes, sizeof *stack);
    size_t waiting = 0;
    char question[256], text[512];

    if (stack == NULL)
        return cr__fail_memory(err);
    stack[waiting++] = (pending){0, UINT32_MAX, 0, 0};
    while (waiting > 0) {
        const pending p = stack[--waiting];
        const cr__tree_node *node = &tree->node[p.node];

        question[0] = '\0';
        if (p.parent != UINT32_MAX)
            cr__tree_question(&tree->node[p.parent], p.branch, schema,
                              dict[tree->node[p.parent].column], question, sizeof question);
        if (p.parent != UINT32_MAX || cr__tree_is_leaf(node)) {
            describe(tree, p.node, question, schema, dict, text, sizeof text);
            line(context, p.depth, text);
        }
        for (size_t b = node->children; !cr__tree_is_leaf(node) && b-- > 0;)
            if (cr__tree_weight(tree, node->first + b) > 0)
                stack[waiting++] = (pending){node->first + (uint32_t)b, p.node, (uint32_t)b,
                                             p.depth + (p.parent != UINT32_MAX)};
    }
    cr__free(stack);
    return CR_OK;
}

static const cr__scores scores = {.score = score};
static const cr__explains explains = {
    .factors = cr__tree_factors, .work = 1, .detail = &cr__tree_detail, .form = CR_FORM_PATH};

const cr__learner cr__tree_learner = {
    .name = "tree",
    .summary = "decision tree: questions by gain ratio, pruned, as C4.5 grows it",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .target = CR__TARGET_CLASS,
    .needs = {.rows = CR__ROWS_ALWAYS},
    .fit = fit,
    .free = free_tree,
    .save = save,
    .sections = "TREE TRPR",
    .open = open_tree,
    .prior = prior,
    .parameters = parameters,
    .information = information,
    .scores = &scores,
    .explains = &explains,
    .draws = draw,
};
