/* bench/network.c - how long exact inference takes in the networks of a folder.
 *
 *     network FOLDER [CASES [THREADS [NAME...]]]
 *
 * For each network NAME.bif a line of a Markdown table: the cells of all cliques; the bandwidth
 * bound, four passes over them at 10 GB/s; the processor time to find a tree and the posteriors of
 * all nodes without evidence; and the mean time of a case, in which a fifth of the nodes are
 * observed: which they are, and their states, come from a new sample of the network each time. For
 * comparison, figures that were published or measured elsewhere: Fast-BNI's sequential code and
 * UnBBayes (PPoPP 2023, table 1, ms per case with 20 % evidence) and gRain (R), measured on a
 * machine of two cores.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "network/infer/infer.h"
#include "network/files/files.h"

static const struct known {
    const char *name;
    double fast_bni, unbbayes, grain; /* ms; 0: not known */
} known[] = {
    {"alarm", 0, 0, 0},      {"andes", 0, 0, 0},           {"asia", 0, 0, 0},
    {"cancer", 0, 0, 0},     {"child", 0, 0, 0},           {"diabetes", 3472, 45480, 1100},
    {"earthquake", 0, 0, 0}, {"hailfinder", 2.0, 14, 0},   {"insurance", 0, 0, 0},
    {"link", 0, 0, 0},       {"mildew", 0, 0, 970},        {"munin", 0, 0, 1350},
    {"munin1", 0, 0, 0},     {"munin4", 17099, 129097, 0}, {"pigs", 1865, 21857, 270},
    {"sachs", 0, 0, 0},      {"survey", 0, 0, 0},
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* A state of every node, parents first. */
static void draw(const cr__network *net, cr__random *random, uint32_t *state)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        const uint32_t node = net->order[i];
        const double *row = net->table + cr__row_at(net, node, state);
        double u = cr__random_uniform(random);
        uint32_t k = 0;

        while (k + 1 < net->states[node] && (u -= row[k]) >= 0)
            k++;
        state[node] = k;
    }
}

static void number(double x)
{
    if (x > 0)
        printf(" %.4g |", x);
    else
        printf(" |");
}

static double seconds_alone(const cr__network *net, cr_pool *pool, double *p, cr__cost *cost,
                            cr_error *err)
{
    const double begun = now();
    cr__junction_tree *tree = NULL;
    double spent = -1;

    if (cr__junction_tree_new(&tree, net, (uint64_t)24 << 30, pool, err) == CR_OK &&
        cr__junction_tree_posteriors(tree, p, err) == CR_OK) {
        spent = now() - begun;
        cr__junction_tree_cost(tree, cost, err);
    }
    cr__junction_tree_free(tree);
    return spent;
}

static double cases_mean(const cr__network *net, cr_pool *pool, int cases, double *p, cr_error *err)
{
    uint32_t *state = calloc(net->nodes, sizeof *state);
    cr__junction_tree *tree = NULL;
    cr__random random;
    double spent = 0;
    cr_status st = state == NULL ? CR_ENOMEM
                                 : cr__junction_tree_new(&tree, net, (uint64_t)24 << 30, pool, err);

    cr__random_seed(&random, 1);
    for (int n = 0; st == CR_OK && n < cases; n++) {
        double begun;

        draw(net, &random, state);
        begun = now();
        for (uint32_t i = 0; i < net->nodes; i++)
            cr__junction_tree_observe(tree, i,
                                      cr__random_below(&random, 5) == 0 ? state[i] : UINT32_MAX);
        st = cr__junction_tree_posteriors(tree, p, err);
        spent += now() - begun;
    }
    cr__junction_tree_free(tree);
    free(state);
    return st == CR_OK ? spent / cases : -1;
}

static void measure(const char *folder, const struct known *k, int cases, cr_pool *pool)
{
    cr__network *net;
    cr__cost cost = {0};
    cr_error err = {0};
    double alone, mean = -1, *p;
    char path[1024], text[1100];

    snprintf(path, sizeof path, "%s/%s.bif", folder, k->name);
    if (cr__network_read(&net, path, &err) != CR_OK) {
        fprintf(stderr, "%s\n", cr_error_text(&err, text, sizeof text));
        return;
    }
    if ((p = malloc(net->label_at[net->nodes] * sizeof *p)) != NULL) {
        alone = seconds_alone(net, pool, p, &cost, &err);
        mean = cases_mean(net, pool, cases, p, &err);
        printf("| %s | %u | %.3g |", k->name, net->nodes, cost.cells);
        number(4 * 8 * cost.cells / 10e9 * 1e3);
        number(alone);
        number(mean);
        number(k->fast_bni);
        number(k->unbbayes);
        number(k->grain);
        puts("");
        if (mean < 0)
            fprintf(stderr, "%s\n", cr_error_text(&err, text, sizeof text));
    }
    fflush(stdout);
    free(p);
    cr__network_free(net);
}

int main(int argc, char **argv)
{
    const int cases = argc > 2 ? atoi(argv[2]) : 20, threads = argc > 3 ? atoi(argv[3]) : 1;
    cr_pool *pool = NULL;

    if (argc < 2 || cases < 1 || cr_pool_new(&pool, threads, NULL) != CR_OK) {
        fputs("network FOLDER [CASES [THREADS [NAME...]]]\n", stderr);
        return 2;
    }
    puts("| network | nodes | cells | bound, ms | no evidence, ms | 20 % evidence, ms a case | "
         "Fast-BNI | UnBBayes | gRain |\n|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int wanted = argc <= 4;

        for (int a = 4; a < argc; a++)
            wanted |= strcmp(argv[a], known[i].name) == 0;
        if (wanted)
            measure(argv[1], &known[i], cases, threads > 1 ? pool : NULL);
    }
    cr_pool_free(pool);
    return 0;
}
