/* stats/dense.c - one line of memory for each word and document. */
#include "stats/dense.h"

#include <string.h>

#include "base/memory.h"

enum { AHEAD = 24, LINE = 64, WIDEST = LINE / sizeof(uint32_t) };

void cr__dense_free(cr__dense *d)
{
    cr__free(d->block);
    cr__free(d->repeat);
    *d = (cr__dense){0};
}

size_t cr__dense_bytes(const cr__dense *d)
{
    return d->rows * (d->lines * d->width + d->codes) * sizeof *d->line;
}

/* The narrowest shape that has the codes: parts of a cache line, then whole ones. */
static void choose_shape(cr__dense *d, uint32_t codes)
{
    d->width = 4;
    while (d->width - 1 < codes && d->width < WIDEST)
        d->width *= 2;
    d->lines = codes == 0 ? 1 : (codes - 1) / (d->width - 1) + 1;
    d->codes = (d->width - 1) * d->lines;
}

/* Without the last documents, which belong to lines that classes are no more in. */
static void copy_row(cr__dense *to, const cr__dense *from, size_t row)
{
    for (uint32_t c = 0; c < from->codes; c++)
        cr__dense_line(to, row, c)[1 + c % (to->width - 1)] =
            cr__dense_line(from, row, c)[1 + c % (from->width - 1)];
    memcpy(to->repeat + row * to->codes, from->repeat + row * from->codes,
           from->codes * sizeof *from->repeat);
}

int cr__dense_fit(cr__dense *d, size_t words, size_t rows, uint32_t codes)
{
    cr__dense new = {.rows = rows};

    choose_shape(&new, codes > d->codes ? codes : d->codes);
    if (rows > SIZE_MAX / 2 / LINE / new.lines)
        return 0;
    new.block = cr__alloc_zero(rows * new.lines * new.width * sizeof *new.line + LINE, 1);
    new.repeat = cr__alloc_zero(rows * new.codes, sizeof *new.repeat);
    if (new.block == NULL || new.repeat == NULL) {
        cr__dense_free(&new);
        return 0;
    }
    new.line = (uint32_t *)(((uintptr_t)new.block + LINE - 1) & ~(uintptr_t)(LINE - 1));
    if (words > 0 && new.codes == d->codes) {
        memcpy(new.line, d->line, words * new.lines * new.width * sizeof *new.line);
        memcpy(new.repeat, d->repeat, words * new.codes * sizeof *new.repeat);
    } else {
        for (size_t r = 0; r < words; r++)
            copy_row(&new, d, r);
    }
    cr__dense_free(d);
    *d = new;
    return 1;
}

cr_status cr__dense_count(cr__dense *d, const uint32_t *row, size_t n, uint32_t class_code,
                          uint32_t document)
{
    const size_t stride = (size_t)d->lines * d->width;
    const uint32_t place = 1 + class_code % (d->width - 1);
    uint32_t *const line = cr__dense_line(d, 0, class_code);
    uint32_t *const repeat = d->repeat + class_code;
    uint32_t full = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t *here = line + row[i] * stride;

        if (i + AHEAD < n)
            __builtin_prefetch(line + row[i + AHEAD] * stride, 1);
        if (here[0] == document)
            repeat[(size_t)row[i] * d->codes]++;
        here[0] = document;
        full |= ++here[place] == 0;
    }
    return full ? CR_ELIMIT : CR_OK;
}

cr_status cr__dense_count_times(cr__dense *d, const uint32_t *row, size_t n, uint32_t class_code,
                                uint32_t document, uint32_t times)
{
    const uint32_t place = 1 + class_code % (d->width - 1);

    for (size_t i = 0; i < n; i++) {
        uint32_t *line = cr__dense_line(d, row[i], class_code);

        if (line[place] > UINT32_MAX - times)
            return CR_ELIMIT;
        if (line[0] == document)
            d->repeat[(size_t)row[i] * d->codes + class_code] += times;
        line[0] = document;
        line[place] += times;
    }
    return CR_OK;
}

void cr__dense_copy(cr__dense *to, size_t row, const cr__dense *from, size_t from_row)
{
    const size_t stride = (size_t)to->lines * to->width;

    memcpy(to->line + row * stride, from->line + from_row * stride, stride * sizeof *to->line);
    memcpy(to->repeat + row * to->codes, from->repeat + from_row * to->codes,
           to->codes * sizeof *to->repeat);
}

void cr__dense_forget(cr__dense *d, size_t words)
{
    for (size_t i = 0; i < words * d->lines; i++)
        d->line[i * d->width] = 0;
}
