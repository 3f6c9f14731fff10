/* source/block.h - the memory of a chunk, reused by later chunks.
 *
 * A block holds the text of a chunk that comes from a stream, and whatever a parser needs while it
 * works on the chunk. Blocks return to their pool from any thread.
 */
#ifndef CR_SOURCE_BLOCK_H
#define CR_SOURCE_BLOCK_H

#include <pthread.h>
#include <stdint.h>

#include "base/buffer.h"
#include "source/cell.h"

/* Readable bytes before and after the text of every chunk, so that parsers may load whole
 * vectors at either end. */
#define CR__PAD 64

typedef struct cr__blocks {
    pthread_mutex_t lock;
    struct cr__block *free;
} cr__blocks;

#define CR__OPENING_MAX 32

typedef struct cr__stamp {        /* of a field, for records that name their fields */
    size_t record;                /* number of the last record that had it */
    size_t next;                  /* the field that came after it then */
    size_t opening;               /* bytes before its value; 0: more than fit */
    char before[CR__OPENING_MAX]; /* these: the key with its quotes, colon and blanks */
} cr__stamp;

typedef struct cr__document {      /* a record that is a file */
    size_t begin, size;            /* its bytes in the block's text */
    size_t name;                   /* where its name begins in the block's names; it ends in NUL */
    size_t class_name, class_size; /* its class, there too; size 0: it has none */
} cr__document;

typedef struct cr__block {
    struct cr__block *next;
    cr__blocks *pool;
    char *text; /* [capacity], with CR__PAD bytes before and after; NULL at first */
    size_t capacity;
    int quoted;            /* the chunk contains the quote character */
    const cr__batch *laid; /* the batch that the cells are set up for */
    cr__cell *cell;        /* [cell_capacity], set up for the chunk's file */
    size_t cell_capacity;
    cr__recent *recent; /* [recent_capacity], divided among the cells */
    size_t recent_capacity;
    uint32_t *mark; /* [mark_capacity] offsets of separators */
    size_t mark_capacity;
    cr__stamp *stamp; /* [stamp_capacity] of each field, and one before them */
    size_t stamp_capacity;
    size_t records;         /* counted for the stamps, from 1 */
    cr__buffer scratch;     /* unescaped text */
    cr__buffer path;        /* of nested keys */
    cr__document *document; /* [document_capacity] */
    size_t documents, document_capacity;
    cr__buffer names;            /* of documents and their classes */
    int loaded;                  /* the documents are in the text */
    struct cr__mail *mail;       /* splits messages; NULL until there is one */
    struct cr__json_strip *json; /* cuts objects; NULL until there is one */
    cr_error failure;            /* why the record of a batch of one could not be read */
} cr__block;

cr_status cr__blocks_open(cr__blocks *pool, cr_error *err);
void cr__blocks_close(cr__blocks *pool); /* all blocks must be back */

cr__block *cr__block_get(cr__blocks *pool);           /* NULL when out of memory */
int cr__block_reserve(cr__block *block, size_t size); /* room for size bytes of text */
void cr__block_put(cr__block *block);                 /* back to the pool; NULL is allowed */

#endif
