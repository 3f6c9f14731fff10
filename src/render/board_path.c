/* render/board_path.c - a tree: the tests on the path to a leaf, and the counts there. */
#include <math.h>
#include <stdlib.h>

#include "render/board.h"

static size_t paths_shown(const cr__board *b)
{
    return b->e->paths < CR__BOARD_TERMS ? b->e->paths : CR__BOARD_TERMS;
}

/* "mammals 6, birds 1" */
static void put_counts(cr__board *b, const double *count)
{
    const char *before = "";

    for (size_t k = 0; k < b->shown; k++) {
        cr__board_put(b, "%s%s ", before, cr__board_class(b, b->of[k]));
        cr__board_plain(b, count[b->of[k]]);
        before = ", ";
    }
    if (b->shown < b->e->classes)
        cr__board_put(b, ", ...");
}

static void path_lines(cr__board *b, const cr_path *p)
{
    for (size_t i = 0; i < p->steps && !b->failed; i++) {
        const cr_path_step *s = &p->step[i];

        put_counts(b, s->count);
        if (s->share < 1) {
            cr__board_put(b, "; missing: ");
            cr__board_plain(b, s->share);
            cr__board_put(b, " of the row goes here");
        }
        cr__board_line(b, i == 0 ? "all rows" : cr__board_text(b, "%s", s->question),
                       (cr_board_line){.rule = CR_BOARD_TEXT});
    }
}

/* The share of the row that arrives here: the product of the shares of its steps. */
static size_t share_line(cr__board *b, const cr_path *p, size_t number)
{
    const char *between = "= ";
    size_t parts = 0;

    for (size_t i = 0; i < p->steps; i++)
        parts += p->step[i].share < 1;
    for (size_t i = 0; parts > 1 && i < p->steps; i++)
        if (p->step[i].share < 1) {
            cr__board_put(b, "%s", between);
            cr__board_plain(b, p->step[i].share);
            between = " × ";
        }
    cr__board_put(b, parts > 1 ? " = " : "= ");
    cr__board_plain(b, p->share);
    return cr__board_log_line(b, cr__board_text(b, "share of leaf %zu", number + 1),
                              CR_BOARD_NUMBER, log(p->share));
}

/* P(class | leaf) = (n_c + m P(class | above)) / (n + m) */
static size_t leaf_line(cr__board *b, const cr_path *p, size_t c, const char *where)
{
    const cr_path_step *leaf = &p->step[p->steps - 1];
    const double log_p = log(leaf->top[c] / leaf->bottom);

    cr__board_fraction(b, leaf->count[c], leaf->rows, leaf->top[c], leaf->bottom, 1);
    cr__board_put(b, "= ");
    cr__board_power(b, log_p);
    return cr__board_line(b, cr__board_text(b, "P(%s | %s)", cr__board_class(b, c), where),
                          (cr_board_line){.rule = CR_BOARD_FRACTION,
                                          .log_value = log_p,
                                          .value = exp(log_p),
                                          .count = leaf->count[c],
                                          .total = leaf->rows,
                                          .top = leaf->top[c],
                                          .bottom = leaf->bottom,
                                          .power = 1});
}

/* P(class | row) = Σ share × P(class | leaf); line is [paths * (1 + shown)]. */
static void mix_lines(cr__board *b, const size_t *line, size_t paths)
{
    cr__board_section(b, "Together", CR_UNDECIDED);
    for (size_t k = 0; k < b->shown && !b->failed; k++) {
        for (size_t p = 0; p < paths; p++) {
            const size_t share = line[p * (1 + b->shown)], leaf = line[p * (1 + b->shown) + 1 + k];

            cr__board_put(b, p == 0 ? "= " : " + ");
            cr__board_power(b, b->line[share].log_value);
            cr__board_put(b, " × ");
            cr__board_power(b, b->line[leaf].log_value);
            cr__board_term(b, share);
            cr__board_term(b, leaf);
        }
        if (paths < b->e->paths)
            cr__board_put(b, " + ... (%zu more)", b->e->paths - paths);
        cr__board_put(b, " = ");
        cr__board_power(b, b->e->score[b->of[k]]);
        b->answer[k] = cr__board_log_line(
            b, cr__board_text(b, "P(%s | row)", cr__board_class(b, b->of[k])),
            paths < b->e->paths ? CR_BOARD_NUMBER : CR_BOARD_WEIGHTED, b->e->score[b->of[k]]);
    }
}

void cr__board_paths(cr__board *b)
{
    const size_t paths = paths_shown(b);
    size_t *line = cr__arena_alloc(&b->arena, paths * (1 + b->shown), sizeof *line);

    b->failed |= line == NULL;
    for (size_t p = 0; p < paths && !b->failed; p++) {
        const cr_path *path = &b->e->path[p];
        const char *where = "row";

        cr__board_section(b, paths == 1 ? "Path" : cr__board_text(b, "Leaf %zu", p + 1),
                          CR_UNDECIDED);
        path_lines(b, path);
        cr__board_section(b, NULL, CR_UNDECIDED);
        if (paths > 1) {
            where = cr__board_text(b, "leaf %zu", p + 1);
            line[p * (1 + b->shown)] = share_line(b, path, p);
        }
        for (size_t k = 0; k < b->shown && !b->failed; k++)
            b->answer[k] = line[p * (1 + b->shown) + 1 + k] = leaf_line(b, path, b->of[k], where);
    }
    if (paths > 1)
        mix_lines(b, line, paths);
}
