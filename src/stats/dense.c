/* stats/dense.c - one line of memory for each word and document. */
#include "stats/dense.h"

#include <string.h>

enum { AHEAD = 24 };

_Static_assert(CR__DENSE_CODES < 64, "cr__dense_used has a bit for each code");

void cr__dense_free(cr__dense *d)
{
    for (uint32_t plane = 0; plane < CR__DENSE_PLANES; plane++)
        cr__pages_free(&d->plane[plane]);
    *d = (cr__dense){0};
}

static size_t line_bytes(const cr__dense *d)
{
    return 2 * (1 + (size_t)d->each) * sizeof(uint32_t);
}

size_t cr__dense_bytes(const cr__dense *d)
{
    return d->rows * d->planes * line_bytes(d);
}

/* Room for this many rows and planes of the current width. */
static int fit_planes(cr__dense *d, size_t rows, uint32_t planes)
{
    for (uint32_t plane = 0; plane < planes; plane++)
        if (!cr__pages_fit(&d->plane[plane], rows, line_bytes(d)))
            return 0;
    d->rows = rows;
    d->planes = planes;
    d->codes = planes * d->each;
    return 1;
}

/* Convert planes of few codes to planes of many. */
static int widen(cr__dense *d, size_t words, size_t rows, uint32_t planes)
{
    cr__dense new = {.each = CR__DENSE_MANY};

    if (!fit_planes(&new, rows, planes)) {
        cr__dense_free(&new);
        return 0;
    }
    for (size_t r = 0; d->planes > 0 && r < words; r++) {
        uint32_t *to = cr__dense_line(&new, r, 0);
        const uint32_t *from = cr__dense_line(d, r, 0);

        memcpy(to + 1, from + 1, CR__DENSE_FEW * sizeof *to);
        memcpy(to + 1 + CR__DENSE_MANY + 1, from + 1 + CR__DENSE_FEW + 1,
               CR__DENSE_FEW * sizeof *to);
    }
    cr__dense_free(d);
    *d = new;
    return 1;
}

int cr__dense_fit(cr__dense *d, size_t words, size_t rows, uint32_t codes)
{
    const uint32_t many = (codes + CR__DENSE_MANY - 1) / CR__DENSE_MANY;

    if (codes > CR__DENSE_FEW && d->each != CR__DENSE_MANY)
        return widen(d, words, rows, many);
    if (d->each == 0)
        d->each = CR__DENSE_FEW;
    return fit_planes(d, rows,
                      codes <= d->codes && d->planes > 0 ? d->planes
                      : codes <= CR__DENSE_FEW           ? 1
                                                         : many);
}

cr_status cr__dense_count(cr__dense *d, const uint32_t *row, size_t n, uint32_t class_code,
                          uint32_t document)
{
    const uint32_t plane = cr__dense_plane(d, class_code);
    const size_t first = 1 + class_code - plane * d->each, repeat = first + 1 + d->each;
    const size_t width = 2 * (1 + (size_t)d->each);
    uint32_t *const line = cr__dense_line(d, 0, plane);
    uint32_t full = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t *here = line + row[i] * width;

        if (i + AHEAD < n)
            __builtin_prefetch(line + row[i + AHEAD] * width, 1);
        here[repeat] += here[0] == document;
        here[0] = document;
        full |= ++here[first] == 0;
    }
    return full ? CR_ELIMIT : CR_OK;
}

cr_status cr__dense_count_times(cr__dense *d, const uint32_t *row, size_t n, uint32_t class_code,
                                uint32_t document, uint32_t times)
{
    const uint32_t plane = cr__dense_plane(d, class_code);
    const size_t first = 1 + class_code - plane * d->each, repeat = first + 1 + d->each;

    for (size_t i = 0; i < n; i++) {
        uint32_t *line = cr__dense_line(d, row[i], plane);

        if (line[first] > UINT32_MAX - times)
            return CR_ELIMIT;
        line[repeat] += line[0] == document ? times : 0;
        line[0] = document;
        line[first] += times;
    }
    return CR_OK;
}

void cr__dense_copy(cr__dense *to, size_t row, const cr__dense *from, size_t from_row)
{
    for (uint32_t plane = 0; plane < to->planes; plane++)
        memcpy(cr__dense_line(to, row, plane), cr__dense_line(from, from_row, plane),
               line_bytes(to));
}

void cr__dense_forget(cr__dense *d, size_t words)
{
    for (uint32_t plane = 0; plane < d->planes; plane++)
        for (size_t row = 0; row < words; row++)
            cr__dense_line(d, row, plane)[0] = 0;
}
