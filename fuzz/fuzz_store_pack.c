/* fuzz_store_pack.c - a pack of words: searched, read in order, and written again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/pack.h"

/* Every key that is read in order is found, with its value; and what is written of them is a pack
 * that has them too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const cr__bytes pack = {data, size};
    char key[CR__KV_KEY_MOST], last[CR__KV_KEY_MOST];
    size_t at = 0, length = 0, before = 0, keys = 0, again = 0;
    cr__buffer out = {0};
    cr__pack_pair pair;
    cr__bytes value;

    cr__pack_find(pack, (cr__bytes){"word", 4}, &value);
    while (cr__pack_next(pack, &at, &pair) == 1 && cr__pack_key(&pair, key, &length)) {
        size_t shared = 0;

        while (shared < before && shared < length && last[shared] == key[shared])
            shared++;
        cr__pack_add(&out, shared, (cr__bytes){key, length}, pair.value);
        memcpy(last, key, length);
        before = length;
        keys++;
    }
    at = length = 0;
    while (!out.failed && cr__pack_next((cr__bytes){out.data, out.size}, &at, &pair) == 1) {
        if (!cr__pack_key(&pair, key, &length) ||
            cr__pack_find((cr__bytes){out.data, out.size}, (cr__bytes){key, length}, &value) != 1 ||
            value.size != pair.value.size)
            abort();
        again++;
    }
    if (!out.failed && again != keys)
        abort();
    cr__buffer_free(&out);
    return 0;
}
