/* base/sort_keys.c - a radix sort of the upper halves, then of the lower halves where upper ones
 * are equal.
 *
 * Four passes over the upper half of the keys, eight bits each, from the lowest digit up, put all
 * keys in order but those that share an upper half. These are neighbours then: a few are sorted by
 * insertion, many by passes over their lower half. A digit that all keys share costs no pass.
 */
#include "base/sort_keys.h"

#include <string.h>

enum { DIGITS = 256, HALF = 4, FEW = 32 };

static size_t digit_of(uint64_t key, int place)
{
    return key >> (8 * place) & (DIGITS - 1);
}

/* How many keys have each digit, in each place of a half. */
static void count_digits(const uint64_t *key, size_t n, int first, size_t count[HALF][DIGITS])
{
    memset(count, 0, HALF * sizeof *count);
    for (size_t i = 0; i < n; i++)
        for (int place = 0; place < HALF; place++)
            count[place][digit_of(key[i], first + place)]++;
}

/* Distribute the keys by a digit; counts become places. */
static void distribute(cr__keys from, cr__keys to, size_t n, int place, size_t *count)
{
    size_t end = 0;

    for (size_t d = DIGITS; d-- > 0;) {
        const size_t keys = count[d];

        count[d] = end;
        end += keys;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t at = count[digit_of(from.key[i], place)]++;

        to.key[at] = from.key[i];
        if (from.item != NULL)
            to.item[at] = from.item[i];
    }
}

/* Sort by the half that begins with the digit in place `first`. */
static cr__keys sort_half(cr__keys list, cr__keys room, size_t n, int first)
{
    size_t count[HALF][DIGITS];

    count_digits(list.key, n, first, count);
    for (int place = 0; place < HALF; place++) {
        const cr__keys from = list;

        if (count[place][digit_of(list.key[0], first + place)] == n)
            continue;
        distribute(from, room, n, first + place, count[place]);
        list = room;
        room = from;
    }
    return list;
}

static void insert(cr__keys list, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t key = list.key[i];
        const uint32_t item = list.item == NULL ? 0 : list.item[i];
        size_t at = i;

        for (; at > 0 && list.key[at - 1] < key; at--) {
            list.key[at] = list.key[at - 1];
            if (list.item != NULL)
                list.item[at] = list.item[at - 1];
        }
        list.key[at] = key;
        if (list.item != NULL)
            list.item[at] = item;
    }
}

static cr__keys part_of(cr__keys list, size_t first)
{
    return (cr__keys){list.key + first, list.item == NULL ? NULL : list.item + first};
}

/* Keys with the same upper half, in their place. */
static void sort_equal(cr__keys list, cr__keys room, size_t n)
{
    cr__keys sorted;

    if (n <= FEW) {
        insert(list, n);
        return;
    }
    sorted = sort_half(list, room, n, 0);
    if (sorted.key == list.key)
        return;
    memcpy(list.key, sorted.key, n * sizeof *list.key);
    if (list.item != NULL)
        memcpy(list.item, sorted.item, n * sizeof *list.item);
}

cr__keys cr__keys_sort_down(cr__keys list, cr__keys room, size_t n)
{
    cr__keys sorted, other;

    if (n == 0)
        return list;
    sorted = sort_half(list, room, n, HALF);
    other = sorted.key == list.key ? room : list;
    for (size_t at = 0, end; at < n; at = end) {
        const uint64_t upper = sorted.key[at] >> 32;

        for (end = at + 1; end < n && sorted.key[end] >> 32 == upper; end++)
            ;
        if (end > at + 1)
            sort_equal(part_of(sorted, at), part_of(other, at), end - at);
    }
    return sorted;
}
