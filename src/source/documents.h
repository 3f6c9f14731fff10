/* source/documents.h - documents: each file of a folder, or member of an archive, is a record.
 *
 * A chunk is a group of documents of about a megabyte. The files of a folder are read in the
 * parallel half, the members of an archive are unpacked in the serial half. The class of a document
 * is the folder that contains it; its number in the folder or archive takes the place of the line
 * number. The columns are `class`, `text` and, for output only, `file`.
 */
#ifndef CR_SOURCE_DOCUMENTS_H
#define CR_SOURCE_DOCUMENTS_H

#include "source/format.h"

/* The header of every format whose records have a class and a text, and are identified by a
 * file. */
cr_status cr__documents_header(cr__file *file, const cr__view *view, size_t *used, cr_error *err);

/* The next group of documents of the current path; CR_END: there are no more. */
cr_status cr__documents_next(cr_source *source, cr__chunk *chunk, cr_error *err);

/* Put the bytes of a document into its cell of a row. */
typedef cr_status (*cr__text_to_batch)(const cr__chunk *chunk, cr__plan *plan, const cr__cell *cell,
                                       size_t row, const char *bytes, size_t size, cr_error *err);

/* parse and split for a format whose records are documents. */
cr_status cr__documents_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch,
                              cr__text_to_batch put, cr_error *err);
cr_status cr__documents_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                              cr_error *err);

/* The last part of a path, without the endings of compressed files, archives and mailboxes. */
const char *cr__path_stem(const char *path, size_t *length);

#endif
