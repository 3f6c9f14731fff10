/* bench/structure.c - how long it takes to learn a structure from rows drawn from a network.
 *
 *     structure NET ROWS WAY [SCORE [THREADS [SEED]]]
 *
 * WAY is hc, tabu, tabu:LENGTH, pc or mmhc. One line: the network, rows, way, seconds of processor
 * time of the search (the rows are in memory), the score of what was found and of the network
 * itself, arcs, the structural Hamming distance to it, and families counted and found in the cache.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "network/graph/cpdag.h"
#include "network/files/files.h"
#include "network/infer/forward.h"
#include "network/learn/independence.h"
#include "network/learn/search.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(cr_status st, const cr_error *err)
{
    if (st == CR_OK)
        return;
    fprintf(stderr, "structure: %s\n", err->message);
    exit(1);
}

/* Learn by one of the methods; the directions of pc's result are completed. */
static void learn(const char *way, cr__arcs *found, const cr__cases *cases, cr__families *families,
                  int threads, cr__climb_report *report)
{
    const cr__test_plan tests = {.alpha = .05, .threads = threads};
    const uint32_t tabu = strncmp(way, "tabu", 4) != 0 ? 0
                          : way[4] == ':'              ? (uint32_t)atoi(way + 5)
                                                       : 10;
    cr__climb_plan plan = {.tabu = tabu, .patience = tabu};
    cr__arcs *lines = NULL;
    cr_error err = {0};
    int consistent;

    if (strcmp(way, "pc") == 0) {
        check(cr__pc(found, cases, &tests, &report->counted, &err), &err);
        check(cr__extend(found, &consistent, &err), &err);
        return;
    }
    if (strcmp(way, "mmhc") == 0) {
        check(cr__arcs_new(&lines, found->nodes, &err), &err);
        check(cr__mmpc(lines, cases, &tests, NULL, &err), &err);
        plan.only = lines;
    }
    check(cr__climb(found, families, &plan, report, &err), &err);
    cr__arcs_free(lines);
}

/* Rows as cases, one variable for each node. */
static cr__cases *draw_cases(const cr__network *net, size_t rows, uint64_t seed)
{
    uint32_t *state = malloc(net->nodes * sizeof *state);
    cr__cases *cases;
    cr__random random;
    cr_error err = {0};

    if (state == NULL)
        exit(1);
    check(cr__cases_new(&cases, net->states, net->nodes, rows, &err), &err);
    cr__random_seed(&random, seed);
    for (size_t r = 0; r < rows; r++) {
        cr__network_draw(net, &random, state);
        for (uint32_t i = 0; i < net->nodes; i++)
            cr__cases_put(cases, i, r, state[i]);
    }
    check(cr__cases_index(cases, &err), &err);
    free(state);
    return cases;
}

int main(int argc, char **argv)
{
    const char *way = argc > 3 ? argv[3] : "hc";
    const int threads = argc > 5 ? atoi(argv[5]) : 1;
    cr_error err = {0};
    cr__climb_report report = {0};
    cr__arcs_difference d;
    cr__network *net;
    cr__cases *cases;
    cr__families *families;
    cr__arcs *truth, *found;
    cr__score score;
    double start, seconds, true_score, own_score;

    if (argc < 3) {
        fprintf(stderr, "usage: structure NET ROWS WAY [SCORE [THREADS [SEED]]]\n");
        return 2;
    }
    check(cr__score_read(&score, argc > 4 ? argv[4] : "bic", &err), &err);
    check(cr__network_read(&net, argv[1], &err), &err);
    cases = draw_cases(net, (size_t)atol(argv[2]), argc > 6 ? (uint64_t)atol(argv[6]) : 1);
    check(cr__arcs_of_network(&truth, net, &err), &err);
    check(cr__arcs_new(&found, net->nodes, &err), &err);
    start = now();
    check(cr__families_new(&families, cases, score, threads, &err), &err);
    learn(way, found, cases, families, threads, &report);
    seconds = now() - start;
    check(cr__arcs_score(truth, families, &true_score, &err), &err);
    check(cr__arcs_score(found, families, &own_score, &err), &err);
    printf("%s %s %s %.4f s, score %.4f (true %.4f), %zu arcs of %zu", argv[1], argv[2], way,
           seconds, own_score, true_score, cr__arcs_count(found), cr__arcs_count(truth));
    check(cr__cpdag(truth, &err), &err);
    check(cr__cpdag(found, &err), &err);
    d = cr__arcs_compare(truth, found);
    printf(", SHD %zu (%zu missing, %zu extra, %zu turned), %zu steps, %zu counted, %zu "
           "remembered\n",
           d.missing + d.extra + d.turned, d.missing, d.extra, d.turned, report.steps,
           report.counted, report.remembered);
    cr__families_free(families);
    cr__arcs_free(found);
    cr__arcs_free(truth);
    cr__cases_free(cases);
    cr__network_free(net);
    return 0;
}
