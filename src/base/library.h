/* base/library.h - large libraries, loaded when they are first needed.
 *
 * Loading OpenBLAS, cairo, libarchive and Graphviz takes longer than classifying a message, and
 * most runs call none of them. So they are not linked: the functions in use are listed once, and
 * become a table of pointers with the types declared in the library's own header.
 *
 *     #define FUNCTIONS(X) X(create) X(destroy)
 *     #define POINTER(name) __typeof__(cairo_##name) *name;
 *
 *     static struct {
 *         FUNCTIONS(POINTER)
 *     } cairo;
 *     static cr__library library = {CREDENCE_CAIRO, "cairo_", CR__NAMES(FUNCTIONS), &cairo, 0};
 *
 * After cr__library_open(&library, err) they are called as cairo.create() and cairo.destroy().
 */
#ifndef CR_BASE_LIBRARY_H
#define CR_BASE_LIBRARY_H

#include <stdatomic.h>

#include "base/fail.h"

typedef struct cr__library {
    const char *file, *package; /* name for the loader; the Debian package */
    const char *prefix;         /* of the following names */
    const char *const *name;    /* NULL after the last */
    void *table;                /* as many pointers, in the same order */
    atomic_int open;
} cr__library;

#define CR__QUOTED(name) #name,
#define CR__NAMES(LIST) ((const char *const[]){LIST(CR__QUOTED) NULL})

/* Fill the table on the first call. Any thread may call it. CR_EIO when the library or one of the
 * names is missing; err then names the package. The library stays open until the program ends. */
cr_status cr__library_open(cr__library *library, cr_error *err);

#endif
