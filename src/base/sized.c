/* base/sized.c - options structs that begin with their size. */
#include "base/sized.h"

#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/pool.h"

static size_t size_of(const void *given, size_t known)
{
    size_t size = 0;

    if (given != NULL)
        memcpy(&size, given, sizeof size);
    return size == 0 ? known : size;
}

/* Returns whether all unknown members are zero. */
static int take(void *own, size_t known, const void *given)
{
    const size_t size = size_of(given, known);
    const unsigned char *bytes = given;

    memset(own, 0, known);
    if (given != NULL)
        memcpy(own, given, size < known ? size : known);
    memcpy(own, &known, sizeof known);
    for (size_t i = known; given != NULL && i < size; i++)
        if (bytes[i] != 0)
            return 0;
    return 1;
}

cr_status cr__sized_take(void *own, size_t size, const void *given, const char *what, cr_error *err)
{
    if (take(own, size, given))
        return CR_OK;
    return cr__fail(err, CR_EARG,
                    "%s is of a later version and asks for what this one does not know", what);
}

cr_run cr__run_of(const cr_run *run)
{
    cr_run own;

    take(&own, sizeof own, run);
    return own;
}

cr_status cr__run_check(const cr_run *run, cr_error *err)
{
    cr_run own;

    return cr__sized_take(&own, sizeof own, run, "cr_run", err);
}

uint64_t cr__run_memory(const cr_run *run)
{
    const uint64_t own = cr__run_of(run).memory;
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);

    if (own != 0)
        return own;
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 4 * 3 : 0;
}

cr_status cr__run_afford(const cr_run *run, double bytes, const char *what, cr_error *err)
{
    const uint64_t limit = cr__run_memory(run);

    if (limit == 0 || bytes <= (double)limit)
        return CR_OK;
    cr__fail(err, CR_ELIMIT, "%s need %s of memory; the limit is %s", what, cr__size_of(bytes).text,
             cr__size_of((double)limit).text);
    return cr__fail_hint(err, CR_ELIMIT, CR__SET("memory") " raises the limit");
}

int cr__run_threads(const cr_run *run)
{
    const cr_run own = cr__run_of(run);

    if (own.threads > 0)
        return own.threads;
    return own.pool != NULL ? cr_pool_threads(own.pool) : cr__cores();
}
