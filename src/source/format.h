/* source/format.h - file formats, and what they see of the source.
 *
 * A format is a row of the table in formats.c. It reads a header, says where records end, and turns
 * records into cells; files, archives, threads, kinds and the places of errors are not its concern.
 */
#ifndef CR_SOURCE_FORMAT_H
#define CR_SOURCE_FORMAT_H

#include <stdatomic.h>

#include "source/block.h"
#include "source/classes.h"
#include "source/input.h"
#include "source/missing.h"
#include "source/raw.h"
#include "source/scan.h"
#include "source/source.h"
#include "source/folder.h"

#define CR__NO_COLUMN UINT32_MAX

typedef struct cr__file cr__file;

typedef struct cr__format {
    const char *name;     /* as callers give it */
    const char *summary;  /* one line for help */
    const char *suffixes; /* ".csv .txt", with blanks between */
    char delimiter;       /* 0: detected */
    char quote;           /* records that contain it need a closer look; 0: none or all do */
    int open_ended;       /* there is no header; fields appear in the records */
    int target_first;     /* the target, when none is named, is the first field */
    const char *absent;   /* the value of a field that a record does not have; NULL: missing */
    int declared;         /* it knows the kinds of its fields; no survey is needed */
    int documents;        /* each file is a record: see documents.h */
    int mail;             /* its records are messages */
    int any_bytes;        /* NUL bytes too */
    int alone;            /* recognised by its first bytes only when it lies in no folder */

    /* Whether the first bytes look like it. */
    int (*recognise)(const char *bytes, size_t size);

    /* Read the header and add the fields in it. *used: how many bytes it takes; SIZE_MAX when more
     * bytes are needed. NULL for an open-ended format: its first records are surveyed. */
    cr_status (*header)(cr__file *file, const cr__view *view, size_t *used, cr_error *err);

    /* Add fields for the columns of a schema that may occur; NULL: by their names. Only for an
     * open-ended format. */
    cr_status (*expect)(cr_source *source, const cr_schema *schema, cr_error *err);

    /* How many of the bytes, which begin with a record, are whole records; 0: not even one is.
     * Asked only when they contain the quote, if there is one. NULL: records are lines. Where
     * fields are quoted, *inside says whether the bytes begin inside quotes, and on return whether
     * they end inside quotes. */
    size_t (*cut)(const cr__file *file, const char *bytes, size_t size, int *inside);

    /* Add the chunk's next records, as many as fit, to the empty batch. */
    cr_status (*parse)(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err);

    /* The texts of a record by field of the file; `fields` has room for them, all of them NULL. */
    cr_status (*split)(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                       cr_error *err);
} cr__format;

extern const cr__format cr__format_csv, cr__format_tsv, cr__format_arff, cr__format_jsonl,
    cr__format_libsvm, cr__format_idx, cr__format_labelled, cr__format_folder, cr__format_mail,
    cr__format_mbox;

const cr__format *cr__format_find(const char *name);

/* By the end of the file's name, then by its first bytes; CSV when nothing else fits, but text for
 * a file in a folder that does not look like a table. */
const cr__format *cr__format_recognise(const char *name, const char *bytes, size_t size,
                                       int in_folder);

/* Whether the bytes begin with a message that has been delivered: newsgroup posts are not mail. And
 * whether most files of a folder do. */
int cr__mail_is(const char *bytes, size_t size);
int cr__mail_is_tree(const cr__folder *tree);

/* The format of the files in a folder. */
const cr__format *cr__format_of_tree(const cr__folder *tree);

/* A file of the source: one path, or one member of an archive. Chunks share it. */
struct cr__file {
    cr_source *source;
    const cr__format *format;
    char *name;          /* for messages: PATH, or PATH:MEMBER */
    atomic_size_t users; /* the source, while it reads the file, and each chunk of it */
    char delimiter;
    size_t fields;   /* in its records; 0 when the format is open-ended: all */
    uint32_t *field; /* [fields] which field of the source each one is; NULL: the same */
    size_t field_capacity;
    int weighted;      /* a note about weights has been made */
    const char *label; /* its name in short: the class of its records, when they have no other */
    size_t label_size; /* 0: it has none */

    /* Of records that are all of one size: */
    size_t record;         /* in bytes; 0: they vary */
    size_t items;          /* how many there are */
    unsigned char *labels; /* [items] from another file, or NULL */

    /* Of documents: which one comes next. */
    size_t next;        /* in a folder */
    const char *member; /* in an archive: the one that is open, */
    int opened;         /* when one is */
    int ended;          /* there are no more */
};

typedef struct cr__declared_kind { /* that the caller gave */
    char *name;
    cr_kind kind;
} cr__declared_kind;

/* What parsing is for, when it is not for a batch. */
typedef enum cr__survey {
    CR__SURVEY_NONE = 0,
    CR__SURVEY_FIELDS, /* which fields there are, whatever their values */
    CR__SURVEY_VALUES  /* what kind of values they have */
} cr__survey;

struct cr_source {
    /* What to read, and how. */
    char **path;
    size_t paths;
    const cr__format *format; /* NULL: recognised */
    char delimiter, comment;
    int no_header, index_base;
    char *columns, *target, *weight, *member, *basis;
    cr__declared_kind *type;
    size_t types;
    cr__dict *type_names; /* code i+1 is type i */
    cr__missing missing;
    cr__classes classes;                   /* other names for them */
    struct cr__arrays *arrays;             /* instead of files, */
    const struct cr__rows *rows;           /* or rows of a table in memory */
    struct cr__pulled *pulled;             /* or rows that a function gives */
    const struct cr__selection *selection; /* rows to pass on, or NULL: all; borrowed */
    int selection_in;                      /* those of it (1), or those not in it (0) */
    size_t part, parts; /* the part that every pass reads, from 1; parts < 2: all of it */
    struct cr__division *division; /* into parts, of which one is read; NULL: all */
    cr_on_error on_error;
    int lenient; /* so is finding the columns */

    /* The fields: kinds are those that headers declare, CR_IGNORE where none is declared. */
    cr_schema *fields;
    size_t visible;  /* fields met in the input; a model's may follow them */
    size_t told;     /* how many of these, at the end, are for output only */
    cr__seen *seen;  /* [fields] what a survey has seen */
    int leave_names; /* columns that name the rows are left out */
    size_t seen_capacity;
    int fixed; /* the first header has been read; later ones must have the same fields */
    cr__survey surveying;

    /* What they become. */
    cr__target_use use;
    int inferred;            /* the schema is ours, and may change */
    cr_schema *own;          /* the inferred one */
    const cr_schema *schema; /* that or a model's; NULL before there is one */
    uint32_t *column;        /* [fields] of the schema, or CR__NO_COLUMN */
    size_t column_capacity;
    uint32_t *absent; /* [absents] columns of the schema that no field fills */
    size_t absents, absent_capacity;
    atomic_int unknown_told; /* a note about a field that the schema does not have has been made */
    int advised;             /* notes about leaks and rare classes have been made */
    int live;                /* hand out rows as they come, without waiting for more */
    int widened;             /* how often a guess has broken */
    int mail;                /* some of its texts are messages */
    size_t target_field, weight_field; /* SIZE_MAX: none */
    size_t first_record_fields;        /* of an open-ended format: how many its first record has */

    /* Where reading is. */
    size_t next_path;      /* the one being read, or the next */
    cr__input **input;     /* [paths], NULL: not open */
    cr__folder **tree;     /* [paths], NULL: not a folder */
    uint64_t tree_done;    /* bytes of its files that were handed out */
    cr__file *file;        /* NULL: between members */
    size_t line;           /* of the next byte */
    size_t row;            /* next one of arrays */
    uint64_t sequence;     /* of the next chunk */
    uint64_t bytes_before; /* in paths that are done */
    uint64_t bytes_total;
    int bytes_unknown;
    int once;    /* it will not be rewound: pipes need not be kept */
    int started; /* something has been taken since the last rewind */

    cr__blocks pool;
    pthread_mutex_t note_lock;
    cr_error **note; /* messages */
    size_t notes, note_capacity;
};

/* For formats: a field of the file's records, in order. In the first file it becomes a field of
 * the source; in later ones it must be one. A name that occurs twice is CR_EFORMAT. *field is the
 * source's. */
cr_status cr__file_add(cr__file *file, const char *name, size_t length, size_t *field,
                       cr_error *err);

/* For formats whose records are a class and a text: add these two fields. */
cr_status cr__texts_header(cr__file *file, const char *class_name, cr_error *err);

/* A field more for the source, whatever its files. */
cr_status cr__source_add_field(cr_source *source, const char *name, size_t length, cr_error *err);

/* A note, made once, about a field that the model does not know, perhaps a misspelling. */
void cr__source_note_unknown(cr_source *source, const char *name, size_t length);

/* A field met in a record that no header announced: added during a survey; else *field is SIZE_MAX,
 * and the status CR_OK (it is not used) or CR__EWIDEN (start again with a survey). */
cr_status cr__file_meet(const cr__chunk *chunk, cr__plan *plan, const char *name, size_t length,
                        size_t *field, cr_error *err);

/* Fields that are not for output only. */
static inline size_t cr__source_data_fields(const cr_source *source)
{
    return source->fields->columns - source->told;
}

/* The cells of the file's fields, set up by cr__source_parse for this chunk and batch. They move
 * when cr__file_meet() adds a field. */
static inline cr__cell *cr__chunk_cells(const cr__chunk *chunk)
{
    return ((cr__block *)chunk->block)->cell;
}

/* Fail with the place: the chunk's file, a line, a field from 1 (0: none). */
CR_PRINTF_LIKE(5, 6)
cr_status cr__chunk_fail(const cr__chunk *chunk, size_t line, size_t field, cr_error *err,
                         const char *fmt, ...);

/* The longest record allowed; and the error for a longer one. */
size_t cr__file_record_limit(const cr__file *file);
cr_status cr__file_fail_long(const cr__file *file, size_t line, cr_error *err);

/* A note for the user; shown once however often it is made. */
CR_PRINTF_LIKE(2, 3)
void cr__source_note(cr_source *source, const char *fmt, ...);

/* Columns of one value that are missing elsewhere, as a market basket has them. */
typedef struct cr__present_columns {
    size_t columns;
    const char *name; /* of the first */
    const cr__dict *dict;
} cr__present_columns;

/* Count a column of so many rows if it is one of them, and say so once for all. */
void cr__present_column(cr__present_columns *found, const cr__column *column, const cr__dict *dict,
                        double observed, double rows);
void cr__source_note_present(cr_source *source, const cr__present_columns *found);

/* Arrays instead of files. */
cr_status cr__arrays_next(cr_source *source, cr__chunk *chunk, cr_error *err);
cr_status cr__arrays_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err);
cr_status cr__arrays_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                           cr_error *err);
size_t cr__arrays_chunks(const struct cr__arrays *arrays);
void cr__arrays_free(struct cr__arrays *arrays);

/* Rows from a function instead of files. */
cr_status cr__pulled_next(cr_source *source, cr__chunk *chunk, cr_error *err);
cr_status cr__pulled_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err);
cr_status cr__pulled_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                           cr_error *err);
cr_status cr__pulled_rewind(struct cr__pulled *pulled, int started, cr_error *err);
void cr__pulled_free(struct cr__pulled *pulled);

/* Whether the kinds of the columns are known without looking at the rows. */
static inline int cr__source_is_described(const cr_source *source)
{
    return source->arrays != NULL || source->pulled != NULL;
}

/* The next rows, `most` at a time, of a source that has so many in memory; CR_END: none is left. */
cr_status cr__source_take_rows(cr_source *source, cr__file *file, size_t rows, size_t most,
                               cr__chunk *chunk, cr_error *err);

/* Rows of a table instead of files. */
cr_status cr__rows_infer(cr_source *source, const cr_schema **schema);
cr_status cr__rows_next(cr_source *source, cr__chunk *chunk, cr_error *err);
cr_status cr__rows_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err);
cr_status cr__rows_split(cr__fields *fields);
void cr__rows_free(const struct cr__rows *rows);

/* Parts of the source in files of their own. */
cr_status cr__source_make_arrays(cr_source **out, cr_error *err); /* a source without files */
/* Add the products of the basis after the columns of an inferred schema: basis.c. */
cr_status cr__source_add_basis(const cr_source *source, cr_schema *schema, cr_error *err);

cr_status cr__source_take_types(cr_source *source, const char *const *types, size_t count,
                                cr_error *err);
cr_status cr__source_open_file(cr_source *source, cr_error *err); /* the next; CR_END: none */
void cr__source_leave_path(cr_source *source);                    /* it has been read */
void cr__file_release(cr__file *file);                            /* one user less; NULL is fine */
void cr__source_forget_inputs(cr_source *source);   /* pipes need not be kept any more */
int cr__source_take_more_fields(cr_source *source); /* memory for seen and column */
cr_kind cr__source_given_kind(const cr_source *source, size_t field, int *given);
int cr__source_is_guess(const cr_source *source, const cr__column *column);
cr_status cr__source_fail_rows(const cr_source *source, cr_error *err); /* there are none */

/* See whole records of at most that size, or one longer one; nothing at the end of the file. */
cr_status cr__source_see(cr_source *source, size_t most, cr__view *view, cr__census *census,
                         cr_error *err);
cr_status cr__cells_add(const cr__chunk *chunk, cr_error *err); /* the source has one more field */

/* Find the fields of the records in these bytes of the current file, which begin and end with a
 * record. */
cr_status cr__source_survey_fields(cr_source *source, const char *bytes, size_t size,
                                   cr_error *err);

/* Sizes in bytes, and a limit; tests make them small. */
extern size_t cr__source_chunk_size;
extern size_t cr__source_sample_size;    /* surveyed before the first guess */
extern size_t cr__source_record_limit;   /* a longer record is refused, */
extern size_t cr__source_document_limit; /* and a longer text */
extern size_t cr__source_index_limit;    /* of libsvm: rows are dense in memory, so it is bounded */

#endif
