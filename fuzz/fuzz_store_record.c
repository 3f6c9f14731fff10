/* fuzz_store_record.c - the records of a store: read, changed, written, read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/judged.h"
#include "store/patch.h"
#include "store/store.h"
#include "store/word_record.h"

/* Writing what was read, and reading it again, gives the same. */
static void check_word(const uint8_t *data, size_t size)
{
    cr__word_record a = {0}, b = {0};
    cr__buffer out = {0};

    if (cr__word_record_read(&a, data, size) == CR_OK) {
        cr__word_record_write(&a, &out);
        if (!out.failed) {
            if (cr__word_record_read(&b, out.data, out.size) != CR_OK || a.cells != b.cells ||
                (a.cells > 0 && memcmp(a.cell, b.cell, a.cells * sizeof *a.cell) != 0))
                abort();
            if (cr__word_record_add(
                    &a, &(cr__word_cell){
                            .class_id = 1, .version = 9, .documents = 1, .terms = 2}) == CR_OK) {
                cr__buffer_clear(&out);
                cr__word_record_write(&a, &out);
                if (!out.failed && a.cells > 0 && !a.grouped &&
                    cr__word_record_read(&b, out.data, out.size) != CR_OK)
                    abort();
            }
        }
    }
    cr__buffer_free(&out);
    cr__word_record_free(&a);
    cr__word_record_free(&b);
}

/* A block of newest values: whatever its bytes, each key that it has is found, or it is damaged. */
static void check_patch(const uint8_t *data, size_t size)
{
    const cr__bytes bytes = {data, size};
    cr__patch p;

    if (cr__patch_open(&p, bytes) != CR_OK)
        return;
    for (uint32_t i = 0; i < p.slots; i++) {
        cr__bytes key, value;
        uint32_t hash;

        if (cr__patch_entry(&p, i, &hash, &key, &value) == 1)
            cr__patch_find(&p, hash, key, &value);
    }
    cr__patch_check(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cr__store_meta meta = {0};
    cr__judged judged = {0};

    if (size == 0)
        return 0;
    switch (data[0] % 4) {
    case 0: check_word(data + 1, size - 1); break;
    case 1: cr__store_meta_read(&meta, data + 1, size - 1); break;
    case 3: check_patch(data + 1, size - 1); break;
    default: cr__judged_add(&judged, data + 1, size - 1);
    }
    cr__store_meta_free(&meta);
    cr__judged_free(&judged);
    return 0;
}
