/* tests/network/nets.h - networks for tests: from text, from the data folder, at random. */
#ifndef CR_TESTS_NETS_H
#define CR_TESTS_NETS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "network/infer/infer.h"
#include "network/files/files.h"

/* AIMA, 4th edition, figure 13.2. */
static const char burglary_text[] =
    "# Burglars and earthquakes set off the alarm; John and Mary call.\n"
    "B: true false\nE: true false\nA: true false\nJ: true false\nM: true false\n"
    "B = .001\n"
    "E = .002\n"
    "A | B E\n"
    "  true true = .95\n"
    "  true false = .94\n"
    "  false true = .29\n"
    "  false false = .001\n"
    "J | A\n  true = .9\n  false = .05\n"
    "M | A\n  true = .7\n  false = .01\n";

static inline cr__network *net_of_text(const char *text)
{
    cr_error err = {0};
    cr__network *net = NULL;
    const cr_status st =
        cr__network_parse(&net, CR__NETWORK_PLAIN, "text", text, strlen(text), &err);

    if (st != CR_OK)
        fail_msg("%zu:%zu: %s", err.line, err.column, err.message);
    return net;
}

/* A network of the data folder, or NULL (and the test is skipped) where there is none. */
static inline cr__network *net_of_data(const char *name)
{
    const char *folder = getenv("CREDENCE_DATA");
    cr_error err = {0};
    cr__network *net = NULL;
    char path[1024];

    if (folder == NULL) {
        print_message("CREDENCE_DATA is not set: skipped\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/bif/%s.bif", folder, name);
    if (cr__network_read(&net, path, &err) != CR_OK)
        fail_msg("%s:%zu:%zu: %s", path, err.line, err.column, err.message);
    return net;
}

static inline uint32_t node_of(const cr__network *net, const char *name)
{
    const uint32_t node = cr__network_find(net, name, strlen(name));

    assert_true(node != CR__NO_NODE);
    return node;
}

/* "smoke=yes asia=no" into states. */
static inline void given_of(const cr__network *net, const char *text, uint32_t *state)
{
    char name[64], label[64];
    int used = 0;

    for (uint32_t i = 0; i < net->nodes; i++)
        state[i] = UINT32_MAX;
    for (; sscanf(text, " %63[^= ]=%63s%n", name, label, &used) == 2; text += used) {
        const uint32_t node = node_of(net, name);

        state[node] = cr__network_state(net, node, label);
        assert_true(state[node] != UINT32_MAX);
    }
}

/* Nodes with up to three parents among those before, two to four states, some zeros. */
static inline cr__network *net_at_random(cr__random *random, uint32_t nodes)
{
    cr__builder *s;
    cr__network *net = NULL;
    cr_error err = {0};

    assert_int_equal(cr__builder_new(&s, &err), CR_OK);
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t states = 1 + (uint32_t)cr__random_below(random, 4);
        uint32_t parent[3], parents = 0, node;
        double *table;
        char name[16];

        snprintf(name, sizeof name, "x%u", i);
        assert_int_equal(cr__builder_add(s, name, strlen(name), &node, &err), CR_OK);
        for (uint32_t k = 0; k < states; k++) {
            snprintf(name, sizeof name, "s%u", k);
            assert_int_equal(cr__builder_add_state(s, node, name, strlen(name), &err), CR_OK);
        }
        for (uint32_t p = 0; p < i && parents < 3; p++)
            if (cr__random_below(random, i) < 2)
                parent[parents++] = p;
        assert_int_equal(cr__builder_set_parents(s, node, parent, parents, &err), CR_OK);
        assert_int_equal(cr__builder_table(s, node, &table, &err), CR_OK);
        for (size_t r = 0; r < s->node[node].cells; r += states) {
            double sum = 0;

            for (uint32_t k = 0; k < states; k++)
                sum += table[r + k] = cr__random_below(random, 8) == 0 && k > 0
                                          ? 0
                                          : 0.05 + cr__random_uniform(random);
            for (uint32_t k = 0; k < states; k++)
                table[r + k] /= sum;
        }
    }
    assert_int_equal(cr__builder_finish(s, &net, &err), CR_OK);
    cr__builder_free(s);
    return net;
}

/* Go through all combinations of states: visit(context, state, P(state)). */
static inline void net_enumerate(const cr__network *net, const cr__evidence *given,
                                 void (*visit)(void *context, const uint32_t *state, double p),
                                 void *context)
{
    uint32_t *state = calloc(net->nodes, sizeof *state), i;

    do {
        double p = 1;

        for (i = 0; i < net->nodes && p > 0; i++) {
            p *= net->table[cr__row_at(net, i, state) + state[i]];
            if (given->state[i] != UINT32_MAX && given->state[i] != state[i])
                p = 0;
            if (given->likelihood != NULL && given->likelihood[i] != NULL)
                p *= given->likelihood[i][state[i]];
        }
        if (p > 0)
            visit(context, state, p);
        for (i = 0; i < net->nodes && ++state[i] == net->states[i]; i++)
            state[i] = 0;
    } while (i < net->nodes);
    free(state);
}

#endif
