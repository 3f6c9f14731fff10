/* source/source.h - the internals of cr_source: what the pass engine needs of every format.
 *
 * Reading has a serial half and a parallel half. cr__source_next() cuts the input into chunks of
 * whole records, fast, under the engine's lock; cr__source_parse() turns a chunk's records into
 * batches and may run for many chunks at once. So any number of workers gives the same rows.
 *
 *     infer the schema → (next chunk → parse → absorb)* → rewind when a column breaks its guess
 */
#ifndef CR_SOURCE_SOURCE_H
#define CR_SOURCE_SOURCE_H

#include "credence/source.h"
#include "data/table.h"

struct cr__file; /* one of the source's files, with its columns */

typedef struct cr__chunk {
    const char *bytes; /* whole records */
    size_t size;
    size_t first_line;           /* 1-based line of bytes[0] in its file */
    uint64_t sequence;           /* 0, 1, 2 … over the whole source */
    const struct cr__file *file; /* where it comes from: name for errors, column layout */
    size_t position;             /* cr__source_parse: offset reached so far; starts at 0 */
    size_t line;                 /* cr__source_parse: line at position */
    size_t careful; /* cr__source_parse: up to this line records are read one by one; 0: none */
    void *block;    /* its other memory; returned by cr__source_release */
} cr__chunk;

/* What is learned, when a schema is inferred. */
typedef enum cr__target_use {
    CR__TARGET_CLASS, /* classification: the target becomes a symbol whatever its values */
    CR__TARGET_REAL,  /* regression: the target must be real */
    CR__TARGET_NONE   /* joint tables: a target is kept when one is named */
} cr__target_use;

/* Guess every column's kind from the first records, obeying the header's declarations and the
 * options. The source keeps the schema: later chunks are read for it. The caller borrows it until
 * the source is closed. */
cr_status cr__source_infer(cr_source *source, cr__target_use use, const cr_schema **schema,
                           cr_error *err);

/* From now on columns that are different in every row get the kind CR_IGNORE, with a note. */
void cr__source_leave_names(cr_source *source);

/* The field that is the target where none is named; SIZE_MAX when there are no fields. */
size_t cr__source_usual_target(const cr_source *source);

enum { CR__ABSENT_NOTED = 2 }; /* allow_absent */

/* Set the source up for an existing schema (a model's): columns are matched by name. A column of
 * the schema that the source lacks is CR_ECONFLICT with the nearest name, except the target (unless
 * need_target) and the weight (then 1), which may be absent; with allow_absent any feature may be
 * absent and counts as missing; with CR__ABSENT_NOTED the source has a note about it, and at least
 * one feature must exist. Columns unknown to the schema are skipped. Without need_target, chunks
 * from a pipe hold what has come so far, so that answers do not wait for more rows. */
cr_status cr__source_bind(cr_source *source, const cr_schema *schema, int need_target,
                          int allow_absent, cr_error *err);
int cr__source_has_target(const cr_source *source); /* after a bind: the data have the target */

/* The inferred column breaks its guess: make it `to` and be ready for another pass, with the same
 * schema object, now changed. err comes with the place of the value, which becomes a note. SIZE_MAX
 * for the column: a row has a field that is new; the new columns are appended to the schema. Only
 * columns whose kind was inferred can be widened; others get CR_EFORMAT from cr__source_parse
 * itself. However many guesses break, a few passes are enough: from the second on all rows are
 * surveyed here. All chunks must have been released, and plans and batches for the schema freed. */
cr_status cr__source_widen(cr_source *source, size_t column, cr_kind to, cr_error *err);

/* After all rows were read: CR_EARG when a renamed class does not occur. */
cr_status cr__source_check_classes(const cr_source *source, cr_error *err);

/* Start from the first record again. CR_EIO when the input cannot be read twice. All chunks must
 * have been released. */
cr_status cr__source_rewind(cr_source *source, cr_error *err);

/* How many chunks there are at most, so that no more workers are called than have something to do;
 * SIZE_MAX when that is not known. */
size_t cr__source_chunks(const cr_source *source);

/* How many chunks were handed out since the first record. */
uint64_t cr__source_chunks_read(const cr_source *source);

/* Whether all of it is read, not one of several parts. */
int cr__source_is_whole(const cr_source *source);

/* The next chunk, or CR_END. One caller at a time. */
cr_status cr__source_next(cr_source *source, cr__chunk *chunk, cr_error *err);
void cr__source_release(cr__chunk *chunk); /* any thread, once per chunk */

/* Fill the batch (emptied first) with the chunk's next records. CR_OK: batch->rows > 0; CR_END: the
 * chunk is done. A chunk is parsed with one plan and one batch throughout.
 * CR__EWIDEN: an inferred column met a value its kind cannot hold; plan->broken_column and
 * broken_to say which (SIZE_MAX: a field that is new), err says where. Other statuses: err has
 * file, line and column. Batches get weights when the schema has a column of them, and from
 * records that carry their own. */
#define CR__EWIDEN ((cr_status)100)
/* What happens to records that cannot be read, until the next call; CR_ON_ERROR_ROW gives a batch
 * of one row, all missing, with the reason in its `failure`. */
void cr__source_on_error(cr_source *source, cr_on_error what);

cr_status cr__source_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err);

/* The name of the file a chunk comes from, for messages. */
const char *cr__source_chunk_name(const cr__chunk *chunk);

/* Add that name to an error that already has a line. Returns st. */
cr_status cr__source_blame(const cr__chunk *chunk, cr_status st, cr_error *err);

/* Bytes of input so far handed out and in total (0 when unknown, as for pipes), for progress. */
void cr__source_progress(const cr_source *source, uint64_t *done, uint64_t *total);

/* The columns as they are in the input (all of them, known to the schema or not). */
size_t cr__source_fields(const cr_source *source);
const char *cr__source_field_name(const cr_source *source, size_t field);

/* The fields of one record as texts (unquoted, unescaped), for output that repeats its input. */
typedef struct cr__fields {
    size_t count, capacity; /* count equals cr__source_fields() */
    const char **bytes;     /* NULL where there is no text: an absent key, null, NaN */
    size_t *size;
    struct cr__buffer *scratch;
} cr__fields; /* {0} is empty */

/* Valid until the next call with the same fields or the release of the chunk. */
cr_status cr__source_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                           cr_error *err);
void cr__fields_free(cr__fields *fields);

/* Whether it has a mailbox or another file of messages. */
int cr__source_is_mail(const cr_source *source);

/* Rows of a table as a source: those listed, or all when row is NULL. Table and list are borrowed
 * until the source is closed. The schema is the table's, whatever is to be learned. */
cr_status cr__source_open_table(cr_source **out, const cr__table *table, const uint32_t *row,
                                size_t rows, cr_error *err);

/* The table behind such a source, and which of its rows; NULL for any other source. */
const cr__table *cr__source_table(const cr_source *source, const uint32_t **row, size_t *rows);

/* Pass on only rows that are (in = 1) or are not (in = 0) in a selection, which is borrowed; NULL:
 * all rows. */
struct cr__selection; /* source/selection.h */
void cr__source_select(cr_source *source, const struct cr__selection *selection, int in);

/* The texts that mean missing, comma-separated, as given or the default; stored in models. */
const char *cr__source_missing(const cr_source *source);

#endif
