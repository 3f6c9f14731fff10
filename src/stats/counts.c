/* stats/counts.c - fixed-point counts. */
#include "stats/counts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

cr__count cr__count_of_weight(double weight)
{
    double whole = floor(weight);
    double scaled = (weight - whole) * 0x1p64; /* exact: a power of two */
    cr__count c = {.whole = (int64_t)whole};

    scaled = rint(scaled);
    if (scaled >= 0x1p64)
        c.whole++;
    else
        c.fraction = (uint64_t)scaled;
    return c;
}

/* Counts of a damaged file may overflow: unsigned overflow is defined. */
cr__count cr__count_plus(cr__count a, cr__count b, int sign)
{
    const uint64_t x = (uint64_t)a.whole, y = (uint64_t)b.whole;
    cr__count c;

    if (sign > 0) {
        c.fraction = a.fraction + b.fraction;
        c.whole = (int64_t)(x + y + (c.fraction < a.fraction));
    } else {
        c.fraction = a.fraction - b.fraction;
        c.whole = (int64_t)(x - y - (a.fraction < b.fraction));
    }
    return c;
}

double cr__count_value(cr__count c)
{
    return (double)c.whole + (double)c.fraction * 0x1p-64;
}

void cr__counts_free(cr__counts *counts)
{
    cr__free(counts->whole);
    cr__free(counts->fraction);
    *counts = (cr__counts){0};
}

static size_t grown(size_t capacity, size_t need)
{
    if (need <= capacity)
        return capacity;
    return capacity == 0 || need > SIZE_MAX / 2 || need > capacity * 2 ? need : capacity * 2;
}

/* A zeroed array of the new shape with the old cells in their places. */
static void *reshape(const void *old, const cr__counts *counts, size_t values, size_t classes)
{
    char *new = values != 0 && classes > SIZE_MAX / values
                    ? NULL
                    : cr__alloc_zero(values * classes, sizeof(uint64_t));

    for (size_t v = 0; new != NULL &&old != NULL &&v < counts->values; v++)
        memcpy(new + v *classes * sizeof(uint64_t),
               (const char *)old + v * counts->classes * sizeof(uint64_t),
               counts->classes * sizeof(uint64_t));
    return new;
}

double cr__counts_room(const cr__counts *counts, size_t values, size_t classes)
{
    const double now = (double)counts->values * (double)counts->classes;
    const double then =
        (double)grown(counts->values, values) * (double)grown(counts->classes, classes);

    return (then > now ? now + then : now) * sizeof *counts->whole;
}

cr_status cr__counts_fit(cr__counts *counts, size_t values, size_t classes)
{
    if (values <= counts->values && classes <= counts->classes)
        return CR_OK;
    values = grown(counts->values, values);
    classes = grown(counts->classes, classes);

    int64_t *whole = reshape(counts->whole, counts, values, classes);
    uint64_t *fraction =
        counts->fraction == NULL ? NULL : reshape(counts->fraction, counts, values, classes);
    if (whole == NULL || (fraction == NULL && counts->fraction != NULL)) {
        cr__free(whole);
        cr__free(fraction);
        return CR_ENOMEM;
    }
    cr__counts_free(counts);
    *counts = (cr__counts){values, classes, whole, fraction};
    return CR_OK;
}

void cr__counts_absorb(cr__counts *counts, const uint32_t *value, const uint32_t *class_code,
                       size_t rows)
{
    int64_t *const whole = counts->whole;
    const size_t classes = counts->classes;

    if (value == NULL)
        for (size_t r = 0; r < rows; r++)
            whole[class_code[r]]++;
    else
        for (size_t r = 0; r < rows; r++)
            whole[value[r] * classes + class_code[r]]++;
}

cr__count cr__counts_get(const cr__counts *counts, size_t value, size_t class_code)
{
    const size_t at = value * counts->classes + class_code;

    return (cr__count){counts->whole[at], counts->fraction == NULL ? 0 : counts->fraction[at]};
}

cr_status cr__counts_add(cr__counts *counts, size_t value, size_t class_code, cr__count amount,
                         int sign)
{
    const size_t at = value * counts->classes + class_code;
    cr__count sum;

    if (amount.fraction != 0 && counts->fraction == NULL) {
        counts->fraction = cr__alloc_zero(counts->values * counts->classes, sizeof(uint64_t));
        if (counts->fraction == NULL)
            return CR_ENOMEM;
    }
    sum = cr__count_plus(cr__counts_get(counts, value, class_code), amount, sign);
    counts->whole[at] = sum.whole;
    if (counts->fraction != NULL)
        counts->fraction[at] = sum.fraction;
    return CR_OK;
}

cr_status cr__counts_absorb_weighted(cr__counts *counts, const uint32_t *value,
                                     const double *weight, const uint32_t *class_code, size_t rows)
{
    cr_status st = CR_OK;

    for (size_t r = 0; r < rows && st == CR_OK; r++)
        st = cr__counts_add(counts, value == NULL ? 0 : value[r], class_code[r],
                            cr__count_of_weight(weight[r]), 1);
    return st;
}
