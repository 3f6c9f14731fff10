/* stats/value_grid.c - coarse numbers counted where they belong. */
#include "stats/value_grid.h"

#include <string.h>

#include "base/memory.h"

/* A page has 64 to 4096 places, a list at most 65536 pages, and counts take at most 2 MB. */
enum { PAGE_LEAST = 6, PAGE_MOST = 12, LIST_BITS = 13, LIST_MOST = 1 << 16, COUNTS_MOST = 1 << 19 };

void cr__value_grid_free(cr__value_grid *grid)
{
    cr__free(grid->page);
    cr__free(grid->count);
    *grid = (cr__value_grid){0};
}

void cr__value_grid_begin(cr__value_grid *grid, unsigned bits, unsigned class_bits,
                          uint32_t classes)
{
    const unsigned page = bits > class_bits + LIST_BITS ? bits - class_bits - LIST_BITS : 0;

    cr__value_grid_free(grid);
    grid->class_bits = class_bits;
    grid->page_bits = page < PAGE_LEAST ? PAGE_LEAST : page > PAGE_MOST ? PAGE_MOST : page;
    grid->classes = classes;
}

size_t cr__value_grid_count(cr__value_grid *grid, const uint64_t *code, size_t codes)
{
    const unsigned class_bits = grid->class_bits, page_bits = class_bits + grid->page_bits;
    const uint64_t place = (UINT64_C(1) << grid->page_bits) - 1;
    const uint64_t class_code = (UINT64_C(1) << class_bits) - 1, low = grid->low;
    const size_t window = grid->window, classes = grid->classes;
    const uint32_t *restrict page = grid->page;
    uint32_t *restrict count = grid->count;
    size_t i = 0;

    for (; i < codes; i++) {
        const uint64_t at = (code[i] >> page_bits) - low, c = code[i] & class_code;

        if (at >= window || page[at] == CR__NO_PAGE || c >= classes)
            break;
        count[(page[at] + (code[i] >> class_bits & place)) * classes + c]++;
    }
    grid->rows += i;
    return i;
}

/* List the pages up to this one. */
static cr_status list_page(cr__value_grid *grid, uint64_t number)
{
    const uint64_t low = grid->window == 0 || number < grid->low ? number : grid->low;
    const uint64_t end = grid->window == 0 || number >= grid->low + grid->window
                             ? number + 1
                             : grid->low + grid->window;
    uint32_t *wider;

    if (end - low == grid->window)
        return CR_OK;
    if (end - low > LIST_MOST)
        return CR_ELIMIT;
    if ((wider = cr__alloc((size_t)(end - low), sizeof *wider)) == NULL)
        return CR_ENOMEM;
    for (uint64_t i = 0; i < end - low; i++) {
        const uint64_t before = low + i - grid->low;

        wider[i] = before < grid->window ? grid->page[before] : CR__NO_PAGE;
    }
    cr__free(grid->page);
    grid->page = wider;
    grid->low = low;
    grid->window = (size_t)(end - low);
    return CR_OK;
}

static cr_status list_class(cr__value_grid *grid, uint64_t class_code)
{
    const uint64_t most = UINT64_C(1) << grid->class_bits, twice = 2 * (uint64_t)grid->classes;
    const uint64_t classes = class_code < twice && twice <= most ? twice : class_code + 1;
    uint32_t *wider;

    if (class_code < grid->classes)
        return CR_OK;
    if (grid->places > COUNTS_MOST / classes)
        return CR_ELIMIT;
    if ((wider = cr__alloc_zero(grid->places * classes, sizeof *wider)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < grid->places; i++)
        memcpy(wider + i * classes, grid->count + i * grid->classes, grid->classes * sizeof *wider);
    cr__free(grid->count);
    grid->count = wider;
    grid->capacity = grid->places * classes;
    grid->classes = (uint32_t)classes;
    return CR_OK;
}

cr_status cr__value_grid_widen(cr__value_grid *grid, uint64_t code)
{
    const uint64_t number = code >> grid->class_bits >> grid->page_bits;
    const size_t more = (size_t)1 << grid->page_bits;
    cr_status st = list_class(grid, code & ((UINT64_C(1) << grid->class_bits) - 1));

    if (st == CR_OK)
        st = list_page(grid, number);
    if (st != CR_OK || grid->page[number - grid->low] != CR__NO_PAGE)
        return st;
    if (grid->classes > COUNTS_MOST / (grid->places + more))
        return CR_ELIMIT;
    if (!cr__grow(&grid->count, &grid->capacity, (grid->places + more) * grid->classes,
                  sizeof *grid->count))
        return CR_ENOMEM;
    memset(grid->count + grid->places * grid->classes, 0,
           more * grid->classes * sizeof *grid->count);
    grid->page[number - grid->low] = (uint32_t)grid->places;
    grid->places += more;
    return CR_OK;
}

size_t cr__value_grid_numbers(const cr__value_grid *grid)
{
    size_t numbers = 0;

    for (size_t i = 0; i < grid->places; i++) {
        uint32_t any = 0;

        for (size_t c = 0; c < grid->classes; c++)
            any |= grid->count[i * grid->classes + c];
        numbers += any > 0;
    }
    return numbers;
}

size_t cr__value_grid_entries(const cr__value_grid *grid)
{
    size_t entries = 0;

    for (size_t i = 0; i < grid->places * grid->classes; i++)
        entries += grid->count[i] > 0;
    return entries;
}

void cr__value_grid_visit(const cr__value_grid *grid, cr__value_visit *visit, void *context)
{
    for (size_t p = 0; p < grid->window; p++) {
        if (grid->page[p] == CR__NO_PAGE)
            continue;
        for (size_t i = 0; i < (size_t)1 << grid->page_bits; i++) {
            const uint32_t *count = grid->count + (grid->page[p] + i) * grid->classes;

            for (uint32_t c = 0; c < grid->classes; c++)
                if (count[c] > 0)
                    visit(context, (grid->low + p) << grid->page_bits | i, c, count[c]);
        }
    }
}
