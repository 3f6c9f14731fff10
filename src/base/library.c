/* base/library.c - open a shared library once, and look up the functions in use. */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* ISO C cannot convert an object pointer to a function pointer; on POSIX both have the same
 * form. */
static int fill_table(const cr__library *library, void *handle)
{
    char *slot = library->table, symbol[80];

    for (const char *const *name = library->name; *name != NULL; name++) {
        void *address;

        snprintf(symbol, sizeof symbol, "%s%s", library->prefix, *name);
        if ((address = dlsym(handle, symbol)) == NULL)
            return 0;
        memcpy(slot, &address, sizeof address);
        slot += sizeof address;
    }
    return 1;
}

/* The loader's message names the file. */
static cr_status open_first(cr__library *library, cr_error *err)
{
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);

    if (handle != NULL && fill_table(library, handle)) {
        atomic_store_explicit(&library->open, 1, memory_order_release);
        return CR_OK;
    }
    cr__fail(err, CR_EIO, "a library cannot be used: %s", dlerror());
    if (handle != NULL)
        dlclose(handle);
    return cr__fail_hint(err, CR_EIO, "install it (Debian: %s)", library->package);
}

cr_status cr__library_open(cr__library *library, cr_error *err)
{
    cr_status st = CR_OK;

    if (atomic_load_explicit(&library->open, memory_order_acquire))
        return CR_OK;
    pthread_mutex_lock(&one_at_a_time);
    if (!atomic_load_explicit(&library->open, memory_order_relaxed))
        st = open_first(library, err);
    pthread_mutex_unlock(&one_at_a_time);
    return st;
}
