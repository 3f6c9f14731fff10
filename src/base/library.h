/* base/library.h - large libraries, opened when they are first needed.
 *
 * To bind OpenBLAS, cairo, libarchive and Graphviz takes the loader longer than it takes to judge a
 * message, and most runs call none of them. So they are not linked: the functions in use are listed
 * once, and become a table of pointers with the types that the library's own header gives them.
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
    const char *file, *package; /* as the loader looks for it; what brings it on Debian */
    const char *prefix;         /* of the names that follow */
    const char *const *name;    /* NULL behind the last */
    void *table;                /* of as many pointers, in the same order */
    atomic_int open;
} cr__library;

#define CR__QUOTED(name) #name,
#define CR__NAMES(LIST) ((const char *const[]){LIST(CR__QUOTED) NULL})

/* Fill the table, the first time. Threads may call it at once. Of a library that is not there, or
 * lacks a name, err tells the package; CR_EIO. It stays open until the program ends. */
cr_status cr__library_open(cr__library *library, cr_error *err);

#endif
