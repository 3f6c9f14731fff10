/* stats/values_sort.c - radix sorts by the bits that differ. */
#include "stats/values_sort.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One pass of a radix sort by eleven bits of the class or of the number, keeping the order of
 * equals. */
static void sort_digit(const cr__value_pending *from, cr__value_pending *to, size_t n, int by_class,
                       unsigned shift)
{
    uint32_t start[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++)
        start[((by_class ? from[i].class_code : from[i].key) >> shift) & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        const uint32_t own = start[d];

        start[d] = sum;
        sum += own;
    }
    for (size_t i = 0; i < n; i++)
        to[start[((by_class ? from[i].class_code : from[i].key) >> shift) & (DIGITS - 1)]++] =
            from[i];
}

cr__value_pending *cr__values_sort_pending(cr__value_pending *list, cr__value_pending *spare,
                                           size_t n, unsigned low)
{
    uint64_t keys = 0, classes = 0;

    for (size_t i = 1; i < n; i++) {
        keys |= list[i].key ^ list[0].key;
        classes |= list[i].class_code ^ list[0].class_code;
    }
    for (int by_class = 1; by_class >= 0; by_class--) {
        const uint64_t differ = by_class ? classes : keys;
        unsigned shift = by_class ? 0 : low;

        for (; differ != 0 && shift <= cr__values_highest_bit(differ); shift += DIGIT_BITS) {
            cr__value_pending *swap = list;

            if ((differ >> shift & (DIGITS - 1)) == 0)
                continue;
            sort_digit(list, spare, n, by_class, shift);
            list = spare;
            spare = swap;
        }
    }
    return list;
}

/* The same for codes, which are sorted as they are. */
static void sort_code_digit(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
    uint32_t start[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++)
        start[(from[i] >> shift) & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        const uint32_t own = start[d];

        start[d] = sum;
        sum += own;
    }
    for (size_t i = 0; i < n; i++)
        to[start[(from[i] >> shift) & (DIGITS - 1)]++] = from[i];
}

uint64_t *cr__values_sort_codes(uint64_t *list, uint64_t *spare, size_t n)
{
    uint64_t differ = 0;

    for (size_t i = 1; i < n; i++)
        differ |= list[i] ^ list[0];
    for (unsigned shift = 0; differ != 0 && shift <= cr__values_highest_bit(differ);
         shift += DIGIT_BITS) {
        uint64_t *swap = list;

        if ((differ >> shift & (DIGITS - 1)) == 0)
            continue;
        sort_code_digit(list, spare, n, shift);
        list = spare;
        spare = swap;
    }
    return list;
}
