/* fuzz/fuzz_model.c - a hostile model file must be rejected or usable, never crash.
 *
 * The checksums of the input are corrected first, so that damage reaches the code that uses it;
 * whatever loads goes through everything that the command does with a model (model_uses.h). The
 * mutator changes sections instead of bytes anywhere: it alters, cuts, drops and renames them, and
 * assembles a file that the container accepts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"
#include "data/container.h"
#include "model/model.h"
#include "model_uses.h"

/* What is saved must load again. */
static void save(const cr_model *model)
{
    cr_model *again = NULL;
    void *bytes = NULL;
    size_t size;

    if (cr_model_save_bytes(model, &bytes, &size, NULL) == CR_OK &&
        cr_model_load_bytes(&again, bytes, size, 0, NULL) != CR_OK)
        abort();
    cr_model_free(again);
    cr_bytes_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cr_model *model = NULL;
    void *container;
    cr_error err;
    const size_t part = size < 1 ? 0 : data[0] >> 2;

    if (size < 1 || posix_memalign(&container, 64, size) != 0)
        return 0;
    memcpy(container, data + 1, size - 1);
    if (!(data[0] & 2))
        cr__container_seal(container, size - 1);
    if (cr_model_load_bytes(&model, container, size - 1, data[0] & 1 ? 0 : CR_LOAD_TRUST, &err) ==
        CR_OK) {
        use(model, part);
        change_all(model, part == 0 ? 1 : part);
        save(model);
    }
    cr_model_free(model);
    free(container);
    return 0;
}

/* --- the mutator --------------------------------------------------------------------------------
 */

enum { HEADER = 64, ENTRY = 32, SECTIONS = 64 };

typedef struct section {
    uint32_t tag, index;
    uint8_t *bytes;
    size_t size;
} section;

static uint32_t roll(unsigned *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return below == 0 ? 0 : (*seed >> 8) % below;
}

static uint64_t get64(const uint8_t *at)
{
    uint64_t x;

    memcpy(&x, at, sizeof x);
    return x;
}

/* The sections of a file, as many as make sense, copied. */
static size_t take_apart(const uint8_t *file, size_t size, section *to, size_t most)
{
    size_t n = 0;
    uint32_t count;

    if (size < HEADER)
        return 0;
    memcpy(&count, file + 12, sizeof count);
    for (uint32_t i = 0; i < count && n < most && HEADER + (i + 1) * (size_t)ENTRY <= size; i++) {
        const uint8_t *at = file + HEADER + i * (size_t)ENTRY;
        const uint64_t offset = get64(at + 8), length = get64(at + 16);

        if (offset > size || length > size - offset)
            continue;
        memcpy(&to[n].tag, at, 4);
        memcpy(&to[n].index, at + 4, 4);
        to[n].size = (size_t)length;
        if ((to[n].bytes = malloc(to[n].size + 1)) == NULL)
            break;
        memcpy(to[n].bytes, file + offset, to[n].size);
        n++;
    }
    return n;
}

static int order(const void *pa, const void *pb)
{
    const section *a = pa, *b = pb;

    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static size_t put_together(section *from, size_t n, uint8_t *file, size_t most)
{
    size_t end = (HEADER + n * ENTRY + 63) / 64 * 64;
    const uint32_t count = (uint32_t)n, format = 1;

    qsort(from, n, sizeof *from, order);
    if (end > most)
        return 0;
    memset(file, 0, end);
    memcpy(file,
           "\x89"
           "CRED\r\n\x1a",
           8);
    memcpy(file + 8, &format, 4);
    memcpy(file + 12, &count, 4);
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = file + HEADER + i * ENTRY;
        const uint64_t offset = end, length = from[i].size;
        const size_t next = (end + from[i].size + 63) / 64 * 64;

        if (next > most)
            return 0;
        memset(file + end, 0, next - end);
        memcpy(file + end, from[i].bytes, from[i].size);
        memcpy(at, &from[i].tag, 4);
        memcpy(at + 4, &from[i].index, 4);
        memcpy(at + 8, &offset, 8);
        memcpy(at + 16, &length, 8);
        end = next;
    }
    cr__container_seal(file, end);
    return end;
}

static void alter(section *s, unsigned *seed)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   3,
                                   255,
                                   UINT32_MAX,
                                   UINT64_MAX,
                                   INT64_MAX,
                                   UINT64_C(0x7ff0000000000000),
                                   UINT64_C(0x7ff8000000000000),
                                   UINT64_C(0xbff0000000000000),
                                   UINT64_C(0x3ff0000000000000)};
    const size_t widths[] = {1, 4, 8}, width = widths[roll(seed, 3)];

    for (uint32_t times = 1 + roll(seed, 3); times > 0 && s->size >= width; times--) {
        const size_t at = roll(seed, (uint32_t)(s->size / width)) * width;
        uint64_t x = 0;

        memcpy(&x, s->bytes + at, width);
        x = roll(seed, 2) ? odd[roll(seed, sizeof odd / sizeof *odd)] : x + roll(seed, 5) - 2;
        memcpy(s->bytes + at, &x, width);
    }
}

/* One change to a list of sections; other ones may be grafted in. */
static size_t mutate(section *s, size_t n, const section *other, size_t others, unsigned *seed)
{
    const size_t i = roll(seed, (uint32_t)n);

    switch (roll(seed, 8)) {
    case 0: /* gone */
        free(s[i].bytes);
        s[i] = s[n - 1];
        return n - 1;
    case 1: /* cut */ s[i].size -= roll(seed, (uint32_t)(s[i].size < 9 ? s[i].size + 1 : 9)); break;
    case 2: s[i].index = roll(seed, 4); break;
    case 3:
        if (others > 0 && n < SECTIONS) {
            const section *from = &other[roll(seed, (uint32_t)others)];

            s[n] = *from;
            if ((s[n].bytes = malloc(from->size + 1)) == NULL)
                return n;
            memcpy(s[n].bytes, from->bytes, from->size);
            return n + 1;
        }
        break;
    default: alter(&s[i], seed);
    }
    return n;
}

static size_t change_file(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                          uint8_t *out, size_t most, unsigned seed)
{
    static section s[SECTIONS + 1], other[SECTIONS];
    const size_t others = b_size < 1 ? 0 : take_apart(b + 1, b_size - 1, other, SECTIONS);
    size_t n = a_size < 1 ? 0 : take_apart(a + 1, a_size - 1, s, SECTIONS), size = 0;

    for (uint32_t times = 1 + roll(&seed, 3); n > 1 && times > 0; times--)
        n = mutate(s, n, other, others, &seed);
    if (n > 0 && most > 1) {
        out[0] = (uint8_t)(1 | roll(&seed, PARTS + 1) << 2); /* one part of the uses, or all */
        size = put_together(s, n, out + 1, most - 1);
    }
    for (size_t i = 0; i < n; i++)
        free(s[i].bytes);
    for (size_t i = 0; i < others; i++)
        free(other[i].bytes);
    return size == 0 ? 0 : size + 1;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint8_t *copy = malloc(size + 1);
    size_t made = 0;

    if (copy != NULL) {
        memcpy(copy, data, size);
        made = change_file(copy, size, NULL, 0, data, most, seed);
        if (made == 0)
            memcpy(data, copy, size);
    }
    free(copy);
    return made == 0 ? size : made;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed)
{
    return change_file(a, a_size, b, b_size, out, most, seed);
}
