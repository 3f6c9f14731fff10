/* data/cut_finder.c - intervals by buckets. */
#include "data/cut_finder.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { MOST = 4 }; /* comparing one by one pays up to this many cuts in a bucket */

/* A missing number gets some bucket, too. */
static inline size_t bucket_of(const cr__cut_finder *f, double x)
{
    double at = (x - f->low) * f->scale;

    at = at > 0 ? at : 0;
    at = at < CR__CUT_BUCKETS - 1 ? at : CR__CUT_BUCKETS - 1;
    return (size_t)(int)at;
}

cr_status cr__cut_finder_make(cr__cut_finder *out, const cr__cuts *cuts)
{
    const size_t n = cuts->count;
    uint16_t in[CR__CUT_BUCKETS] = {0}, before = 0;
    double range;

    *out = (cr__cut_finder){.cuts = cuts};
    if (n == 0 || n > UINT16_MAX)
        return CR_OK;
    range = cuts->cut[n - 1] - cuts->cut[0];
    out->low = cuts->cut[0];
    out->scale = range > 0 ? (CR__CUT_BUCKETS - 1) / range : 0;
    if (!isfinite(range) || !isfinite(out->scale))
        return CR_OK;
    for (size_t i = 0; i < n; i++)
        in[bucket_of(out, cuts->cut[i])]++;
    for (size_t b = 0; b < CR__CUT_BUCKETS; b++) {
        out->first[b] = before;
        before = (uint16_t)(before + in[b]);
        out->most = in[b] > out->most ? in[b] : out->most;
    }
    if (out->most > MOST)
        return CR_OK;
    if ((out->cut = cr__alloc(n + MOST, sizeof *out->cut)) == NULL)
        return CR_ENOMEM;
    memcpy(out->cut, cuts->cut, n * sizeof *out->cut);
    for (size_t i = n; i < n + MOST; i++)
        out->cut[i] = INFINITY;
    return CR_OK;
}

static inline void find(const cr__cut_finder *f, const double *x, size_t rows, uint32_t *code,
                        size_t most)
{
    const double *cut = f->cut;

    for (size_t r = 0; r < rows; r++) {
        uint32_t below = f->first[bucket_of(f, x[r])];

        for (size_t k = 0; k < most; k++)
            below += cut[below] < x[r];
        code[r] = x[r] == x[r] ? below + 1 : CR__MISSING;
    }
}

void cr__cut_finder_codes(const cr__cut_finder *finder, const double *x, size_t rows,
                          uint32_t *code)
{
    if (finder->cut == NULL)
        cr__cuts_codes(finder->cuts, x, rows, code);
    else if (finder->most == 1)
        find(finder, x, rows, code, 1);
    else if (finder->most == 2)
        find(finder, x, rows, code, 2);
    else
        find(finder, x, rows, code, MOST);
}
