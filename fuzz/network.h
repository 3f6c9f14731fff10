/* fuzz/network.h - any bytes as a network: rejected with a position, or read, written and queried.
 *
 * What must hold: an error has a message; a network that was read is written and read back bit by
 * bit; where inference is cheap the posteriors of all nodes are probabilities that sum to 1.
 */
#ifndef CR_FUZZ_NETWORK_H
#define CR_FUZZ_NETWORK_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "network/files/files.h"
#include "network/infer/junction_tree.h"

enum { FUZZ_MEMORY = 1 << 20 };

static void network_check(int holds)
{
    if (!holds)
        abort();
}

static void network_infer(const cr__network *net)
{
    double *p = malloc(net->label_at[net->nodes] * sizeof *p);
    cr__junction_tree *tree = NULL;
    cr_status st;

    network_check(p != NULL && cr__junction_tree_new(&tree, net, FUZZ_MEMORY, NULL, NULL) == CR_OK);
    cr__junction_tree_observe(tree, net->nodes / 2, 0);
    st = cr__junction_tree_posteriors(tree, p, NULL);
    network_check(st == CR_OK || st == CR_ELIMIT || st == CR_ECONFLICT || st == CR_ENOMEM);
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        double sum = 0;

        for (uint32_t k = 0; k < net->states[i]; k++) {
            const double one = p[net->label_at[i] + k];

            network_check(one >= 0 && one <= 1 + 1e-9);
            sum += one;
        }
        network_check(fabs(sum - 1) < 1e-9);
    }
    cr__junction_tree_free(tree);
    free(p);
}

static void network_fuzz(cr__network_format format, const uint8_t *data, size_t size)
{
    cr_error err = {0};
    cr__network *net = NULL, *back = NULL;
    cr__buffer text = {0};

    if (cr__diagram_parse(&net, format, "input", (const char *)data, size, &err) != CR_OK) {
        network_check(net == NULL && err.message[0] != '\0');
        return;
    }
    cr__network_print(net, format, &text);
    network_check(!text.failed);
    network_check(cr__diagram_parse(&back, format, "output", text.data, text.size, &err) == CR_OK);
    network_check(back->nodes == net->nodes &&
                  back->table_at[net->nodes] == net->table_at[net->nodes] &&
                  memcmp(back->table, net->table, net->table_at[net->nodes] * sizeof(double)) == 0);
    if (net->nodes < 64)
        network_infer(net);
    cr__network_free(back);
    cr__network_free(net);
    cr__buffer_free(&text);
}

#endif
