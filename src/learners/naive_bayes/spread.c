/* learners/naive_bayes/spread.c - kernels added to the nodes of a grid, in vectors along the nodes.
 *
 * With d bandwidths between nodes and z at the nearest one, the node j places to the right has
 * z - j d, and
 *
 *     e^(-(z - j d)²/2) = e^(-z²/2) (e^(z d))^j e^(-(j d)²/2)
 *
 * The last factor is the same for all kernels and tabulated, the middle one grows by a constant
 * factor; to the left it is its inverse. So a kernel takes two exponentials, however far it
 * reaches.
 */
#include "learners/naive_bayes/spread.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/exponential.h"

#define INLINE static inline __attribute__((always_inline))

enum { BLOCKS = CR__NB_REACH / CR__LANES };

/* e^(-(j d)²/2) for nodes 0, 1, … to the right, and for those to the left, the farthest first. */
typedef struct bell {
    double right[CR__NB_REACH], left[CR__NB_REACH];
} bell;

static void make_bell(bell *b)
{
    const double d = 1.0 / CR__NB_NODES_PER_H;

    for (size_t j = 0; j < CR__NB_REACH; j++) {
        const double away = (double)(j + 1) * d;

        b->right[j] = exp(-0.5 * ((double)j * d) * ((double)j * d));
        b->left[CR__NB_REACH - 1 - j] = exp(-0.5 * away * away);
    }
}

/* Blocks of nodes from `first` on, the next one `stride` numbers further. */
INLINE void add_blocks(double *sum, double *pull, const double *factor, ptrdiff_t stride,
                       size_t blocks, const cr__quad *at_first, double pace,
                       const cr__quad *z_at_first, double move)
{
    cr__quad power = *at_first, z = *z_at_first;

    for (size_t i = 0; i < blocks; i++) {
        const cr__quad term = power * *(const cr__quad *)factor;

        *(cr__quad *)sum += term;
        *(cr__quad *)pull += term * z;
        power *= pace;
        z += move;
        sum += stride;
        pull += stride;
        factor += stride;
    }
}

INLINE size_t blocks_of(size_t nodes)
{
    const size_t blocks = (nodes + CR__LANES - 1) / CR__LANES;

    return blocks < BLOCKS ? blocks : BLOCKS;
}

INLINE void spread(const cr__nb_nodes *nodes, const bell *b, const double *value,
                   const double *weight, size_t values, double *sum, double *pull)
{
    const double d = 1.0 / CR__NB_NODES_PER_H;

    for (size_t i = 0; i < values; i++) {
        const size_t at = (size_t)((value[i] - nodes->low) / nodes->step + 0.5);
        const double z = (value[i] - (nodes->low + (double)at * nodes->step)) / nodes->bandwidth;
        const double top = weight[i] * exp(-0.5 * z * z), q = exp(z * d), r = 1 / q;
        const double q2 = q * q, r2 = r * r;
        const cr__quad right = {top, top * q, top * q2, top * (q2 * q)};
        const cr__quad left = {top * (r2 * r2), top * (r2 * r), top * r2, top * r};
        const cr__quad z_right = {z, z - d, z - 2 * d, z - 3 * d};
        const cr__quad z_left = {z + 4 * d, z + 3 * d, z + 2 * d, z + d};

        add_blocks(sum + at, pull + at, b->right, CR__LANES, blocks_of(nodes->count - at), &right,
                   q2 * q2, &z_right, -CR__LANES * d);
        add_blocks(sum + at - CR__LANES, pull + at - CR__LANES, b->left + CR__NB_REACH - CR__LANES,
                   -CR__LANES, blocks_of(at), &left, r2 * r2, &z_left, CR__LANES * d);
    }
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static void spread_avx2(const cr__nb_nodes *nodes, const bell *b,
                                                        const double *value, const double *weight,
                                                        size_t values, double *sum, double *pull)
{
    spread(nodes, b, value, weight, values, sum, pull);
}

#endif

void cr__nb_spread(const cr__nb_nodes *nodes, const double *value, const double *weight,
                   size_t values, double *sum, double *pull)
{
    const size_t size = nodes->count + 2 * CR__NB_SPREAD_PAD;
    bell b;

    make_bell(&b);
    memset(sum, 0, size * sizeof *sum);
    memset(pull, 0, size * sizeof *pull);
    sum += CR__NB_SPREAD_PAD;
    pull += CR__NB_SPREAD_PAD;
#if defined(__x86_64__)
    if (cr__cpu_has_avx2()) {
        spread_avx2(nodes, &b, value, weight, values, sum, pull);
        return;
    }
#endif
    spread(nodes, &b, value, weight, values, sum, pull);
}
