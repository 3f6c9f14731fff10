/* tests/support/live_rows.c - draw rows, and hand them out. */
#include "support/live_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const colours[] = {"red", "green", "blue", NULL};

unsigned live_draw(live_rows *r, unsigned below)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((r->state >> 33) % below);
}

void make_live_rows(live_rows *r, size_t rows, unsigned words, unsigned usual,
                    const char *const *labels, unsigned classes)
{
    assert_in_range(rows, 1, LIVE_ROWS_MOST);
    r->rows = rows;
    for (size_t i = 0; i < rows; i++) {
        size_t used = 0;

        for (unsigned n = 1 + live_draw(r, words); n > 0; n--)
            used += (size_t)snprintf(r->text[i] + used, LIVE_TEXT - used, "word%u ",
                                     live_draw(r, 8) == 0 ? 1000 + live_draw(r, 5000)
                                                          : live_draw(r, usual));
        r->text_at[i] = live_draw(r, 20) == 0 ? NULL : r->text[i];
        r->label[i] = labels[live_draw(r, i < 20 ? 2 : classes)];
        r->colour[i] = colours[live_draw(r, 4)];
        r->height[i] = live_draw(r, 3) == 0 ? 1e-3 * live_draw(r, 100000) : 170 + live_draw(r, 20);
    }
}

void live_arrays(const live_rows *r, cr_array a[4], const char *const *of, size_t first)
{
    a[0] = (cr_array){.name = "text", .text = r->text_at + first, .kind = CR_BAG};
    a[1] = (cr_array){.name = "colour", .text = r->colour + first, .kind = CR_SYMBOL};
    a[2] = (cr_array){.name = "height", .real = r->height + first};
    a[3] = (cr_array){.name = "class", .text = of, .role = CR_ROLE_TARGET};
}

cr_source *live_source(const live_rows *r, const char *const *of, size_t first, size_t rows)
{
    cr_array a[4];
    cr_source *source;

    live_arrays(r, a, of, first);
    assert_int_equal(cr_source_open_arrays(&source, a, 4, rows, NULL), CR_OK);
    return source;
}
