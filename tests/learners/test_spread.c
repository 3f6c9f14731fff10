/* tests/learners/test_spread.c - kernels added to the nodes of a grid: their definition, and the
 * same bits as one node after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learners/naive_bayes/spread.h"

enum { PAD = CR__NB_SPREAD_PAD, VALUES = 40, MOST = 900 };

#define MARGIN 8.0 /* bandwidths from the ends of a grid to the numbers, as in kde.c */

static double value[VALUES], weight[VALUES];

/* Numbers over a few bandwidths or many, some of them equal, and a grid around them. */
static cr__nb_nodes make(uint64_t seed, double bandwidth)
{
    cr__random rng;
    double high = -INFINITY, low = INFINITY;

    cr__random_seed(&rng, seed);
    for (size_t i = 0; i < VALUES; i++) {
        value[i] = i % 5 == 4 ? value[i - 1] : 100 + 10 * cr__random_normal(&rng);
        weight[i] = 1 + (double)cr__random_below(&rng, 9) / 4;
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    return (cr__nb_nodes){
        .low = low - MARGIN * bandwidth,
        .step = bandwidth / CR__NB_NODES_PER_H,
        .bandwidth = bandwidth,
        .count = (size_t)(((high - low) / bandwidth + 2 * MARGIN) * CR__NB_NODES_PER_H + 2)};
}

static void sums_are_as_defined(void **state)
{
    static double sum[MOST + 2 * PAD], pull[MOST + 2 * PAD];

    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        const cr__nb_nodes g = make(seed, 0.7 + (double)seed);

        assert_true(g.count <= MOST);
        cr__nb_spread(&g, value, weight, VALUES, sum, pull);
        for (size_t n = 0; n < g.count; n++) {
            const double x = g.low + (double)n * g.step;
            double all = 0, drawn = 0;

            for (size_t i = 0; i < VALUES; i++) {
                const double z = (value[i] - x) / g.bandwidth;

                all += weight[i] * exp(-0.5 * z * z);
                drawn += weight[i] * z * exp(-0.5 * z * z);
            }
            assert_true(fabs(sum[PAD + n] - all) <= 1e-12 * all + 1e-29);
            assert_true(fabs(pull[PAD + n] - drawn) <= 1e-12 * all * 12 + 1e-28);
        }
    }
}

/* The same steps without vectors: lane by lane of four, e^(z d j) as a product of fourth powers. */
static void add_alone(const cr__nb_nodes *g, double x, double w, double *sum, double *pull)
{
    const double d = 1.0 / CR__NB_NODES_PER_H;
    const size_t at = (size_t)((x - g->low) / g->step + 0.5);
    const double z0 = (x - (g->low + (double)at * g->step)) / g->bandwidth;
    const double top = w * exp(-0.5 * z0 * z0), q = exp(z0 * d), r = 1 / q;
    const double q2 = q * q, r2 = r * r;
    const double right[] = {top, top * q, top * q2, top * (q2 * q)};
    const double left[] = {top * r, top * r2, top * (r2 * r), top * (r2 * r2)};

    for (size_t lane = 0; lane < 4; lane++) {
        double power = right[lane], z = z0 - (double)lane * d;

        for (size_t j = lane; j < CR__NB_REACH && at + j < g->count; j += 4) {
            const double term = power * exp(-0.5 * ((double)j * d) * ((double)j * d));

            sum[at + j] += term;
            pull[at + j] += term * z;
            power *= q2 * q2;
            z -= 4 * d;
        }
        power = left[lane];
        z = z0 + (double)(lane + 1) * d;
        for (size_t j = lane + 1; j <= CR__NB_REACH && j <= at; j += 4) {
            const double term = power * exp(-0.5 * ((double)j * d) * ((double)j * d));

            sum[at - j] += term;
            pull[at - j] += term * z;
            power *= r2 * r2;
            z += 4 * d;
        }
    }
}

static void vectors_give_the_bits_of_one_node_after_the_other(void **state)
{
    static double sum[MOST + 2 * PAD], pull[MOST + 2 * PAD], alone[MOST], drawn[MOST];

    (void)state;
    for (uint64_t seed = 20; seed < 32; seed++) {
        const cr__nb_nodes g = make(seed, 0.7 + (double)(seed - 20) * 3);

        assert_true(g.count <= MOST);
        memset(alone, 0, sizeof alone);
        memset(drawn, 0, sizeof drawn);
        for (size_t i = 0; i < VALUES; i++)
            add_alone(&g, value[i], weight[i], alone, drawn);
        cr__nb_spread(&g, value, weight, VALUES, sum, pull);
        assert_memory_equal(sum + PAD, alone, g.count * sizeof *alone);
        assert_memory_equal(pull + PAD, drawn, g.count * sizeof *drawn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_as_defined),
        cmocka_unit_test(vectors_give_the_bits_of_one_node_after_the_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
