/* data/container.h - the model file: a header, a table of sections, the sections.
 *
 *     offset 0     header, 64 bytes
 *     offset 64    table, 32 bytes per section, sorted by tag and index
 *     then         sections, each starting at a multiple of 64, gaps zero
 *
 * All numbers are little-endian, the file is mapped and used in place. No length or offset in it is
 * trusted before it is checked. docs/file-format.md describes every byte.
 */
#ifndef CR_DATA_CONTAINER_H
#define CR_DATA_CONTAINER_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "credence/status.h"
#include "data/dict.h"

#define CR__FORMAT 1 /* version of the file format */

#define CR__TAG(a, b, c, d)                                                                        \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* --- writing --------------------------------------------------------------------------------- */

/* A piece of a section: bytes borrowed until the container is written, or copied into it. */
typedef struct cr__piece {
    const void *bytes;
    size_t size;
    void *copy; /* freed with the draft, or NULL */
} cr__piece;

typedef struct cr__draft_section {
    uint32_t tag, index;
    size_t first_piece, pieces;
    uint64_t size;
} cr__draft_section;

/* Sections being assembled. {0} is empty. Like a buffer, it records that memory ran out. */
typedef struct cr__draft {
    cr__draft_section *section;
    size_t sections, section_capacity;
    cr__piece *piece;
    size_t pieces, piece_capacity;
    int failed;
} cr__draft;

void cr__draft_section_begin(cr__draft *draft, uint32_t tag, uint32_t index);
void cr__draft_borrow(cr__draft *draft, const void *bytes, size_t size);
void cr__draft_copy(cr__draft *draft, const void *bytes, size_t size);
void cr__draft_dict(cr__draft *draft, const cr__dict *dict); /* the body of a section */
void cr__draft_free(cr__draft *draft);

/* The fingerprint of all sections as 32 hexadecimal digits. CR_ENOMEM: memory ran out while the
 * draft was assembled. */
cr_status cr__draft_fingerprint(const cr__draft *draft, char out[33], cr_error *err);

/* Write the whole file, all or nothing. */
cr_status cr__draft_save(cr__draft *draft, const char *path, cr_error *err);

/* The whole file in memory, *size bytes at *bytes, which the caller frees; aligned as by malloc. */
cr_status cr__draft_block(cr__draft *draft, void **bytes, size_t *size, cr_error *err);

/* The whole file in memory, aligned as a mapping is: *size bytes at *bytes, inside a block that the
 * caller frees. */
cr_status cr__draft_bytes(cr__draft *draft, void **block, const void **bytes, size_t *size,
                          cr_error *err);

/* --- reading --------------------------------------------------------------------------------- */

/* Open a model whose file is in memory, aligned to 64 bytes and borrowed. */
struct cr_model;
typedef cr_status cr__open_inside(struct cr_model **out, const void *bytes, size_t size,
                                  cr_error *err);

typedef struct cr__container {
    cr__map map;
    const unsigned char *table;
    uint32_t sections;
    char *path;                   /* for messages; NULL: the bytes were in memory already, */
    void *block;                  /* in this block, freed with the container; NULL: borrowed */
    cr__open_inside *open_inside; /* for a file that contains files; set by its opener, or NULL */
} cr__container;

/* Map a model file and check header and table; with `verify`, also check the checksum of each
 * section. */
cr_status cr__container_open(cr__container *container, const char *path, int verify, cr_error *err);
/* The same for bytes in memory, aligned to 64, which are borrowed. */
cr_status cr__container_borrow(cr__container *container, const void *bytes, size_t size, int verify,
                               cr_error *err);
/* The same for a copy of bytes at any address. */
cr_status cr__container_copy(cr__container *container, const void *bytes, size_t size, int verify,
                             cr_error *err);
/* Whether the bytes are aligned so that they can be borrowed. */
int cr__container_aligned(const void *bytes);
/* Whether bytes begin as a model file does. */
int cr__container_begins(const void *bytes, size_t size);
void cr__container_close(cr__container *container);

/* A section's bytes, or NULL when there is none of that tag and index. */
const void *cr__container_section(const cr__container *container, uint32_t tag, uint32_t index,
                                  size_t *size);

/* A section that must be there with at least (exact: exactly) `size` bytes; err names it. */
cr_status cr__container_need(const cr__container *container, uint32_t tag, uint32_t index,
                             size_t size, int exact, const void **bytes, size_t *found,
                             cr_error *err);

/* A frozen dictionary over a section; the caller frees it before the container is closed. */
cr_status cr__container_dict(const cr__container *container, uint32_t tag, uint32_t index,
                             cr__dict **out, cr_error *err);

/* The tag of section i in order of the table, as four letters; returns its index. */
uint32_t cr__container_name(const cr__container *container, uint32_t i, char tag[5]);

/* Recompute all checksums of a file after a change, as far as its table can be trusted: for
 * tests. */
void cr__container_seal(void *bytes, size_t size);
/* Only the checksum of a header. */
void cr__container_seal_header(void *header_bytes);

/* "this is not a sound model file: …" */
cr_status cr__container_damaged(const cr__container *container, cr_error *err, const char *what);

#endif
