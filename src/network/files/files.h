/* network/files/files.h - networks in files: BIF, XMLBIF, our own plain-text format, Hugin's and
 * Netica's formats, and DOT.
 *
 * All readers work on bytes in memory, trust nothing in them, do not recurse, and name the line and
 * column (in characters, from 1) of what is wrong. Tables may have no more cells than the file has
 * bytes, plus a million, whatever it declares. What is written reads back as the same network, bit
 * by bit.
 */
#ifndef CR_NETWORK_FILES_FILES_H
#define CR_NETWORK_FILES_FILES_H

#include "base/buffer.h"
#include "network/graph/network.h"

typedef enum cr__network_format {
    CR__NETWORK_UNKNOWN,
    CR__NETWORK_BIF,    /* Interchange Format for Bayesian networks, 0.15 */
    CR__NETWORK_XMLBIF, /* the same in XML, 0.3 */
    CR__NETWORK_PLAIN,  /* docs/networks.md */
    CR__NETWORK_HUGIN,  /* Hugin's NET language, .net too */
    CR__NETWORK_NETICA, /* Netica's DNET language, .dne */
    CR__NETWORK_DOT     /* Graphviz; write-only */
} cr__network_format;

/* By the name's ending; CR__NETWORK_UNKNOWN when it is unknown. */
cr__network_format cr__network_format_of(const char *path);

/* Whether bytes are a network: by their beginning, or by the name where that ends in .net. */
cr__network_format cr__network_recognise(const char *path, const char *bytes, size_t size);

/* path is for messages; NULL is allowed. A diagram may have decisions and utilities, a network has
 * neither: CR_EFORMAT. */
cr_status cr__diagram_parse(cr__network **out, cr__network_format format, const char *path,
                            const char *bytes, size_t size, cr_error *err);
cr_status cr__network_parse(cr__network **out, cr__network_format format, const char *path,
                            const char *bytes, size_t size, cr_error *err);

/* The first decision or utility, or CR__NO_NODE. */
uint32_t cr__diagram_first(const cr__network *network);

/* The file at path. CR_EFORMAT: it is not a network, or is malformed. */
cr_status cr__diagram_read(cr__network **out, const char *path, cr_error *err);
cr_status cr__network_read(cr__network **out, const char *path, cr_error *err);
/* The same of bytes in memory, as if they were in a file of this name. */
cr_status cr__network_read_bytes(cr__network **out, const char *name, const char *bytes,
                                 size_t size, cr_error *err);

/* The bytes of a file of that format. */
void cr__network_print(const cr__network *network, cr__network_format format, cr__buffer *out);

/* Replace the file at path ("-" is standard output), all or nothing. */
cr_status cr__network_write(const cr__network *network, cr__network_format format, const char *path,
                            cr_error *err);

/* --- one per format, used by files.c ---------------------------------------------------------- */

cr_status cr__bif_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err);
cr_status cr__xmlbif_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err);
cr_status cr__net_format_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err);

cr_status cr__hugin_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err);
cr_status cr__netica_parse(cr__builder *builder, const char *bytes, size_t size, cr_error *err);

void cr__hugin_print(const cr__network *network, cr__buffer *out);
void cr__netica_print(const cr__network *network, cr__buffer *out);
void cr__bif_print(const cr__network *network, cr__buffer *out);
void cr__xmlbif_print(const cr__network *network, cr__buffer *out);
void cr__net_format_print(const cr__network *network, cr__buffer *out);

/* Advance to the next row of a node's table: the last parent is the fastest. state is [parents]. */
void cr__row_next(const cr__network *network, uint32_t node, uint32_t *state);

#endif
