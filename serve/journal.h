/* serve/journal.h - the journal of lessons: records are complete or absent. */
#ifndef SERVE_JOURNAL_H
#define SERVE_JOURNAL_H

#include <stdint.h>

#include "buffer.h"
#include "credence/status.h"

/* A line of the journal. */
typedef struct journal_entry {
    uint64_t lesson; /* the number of a lesson; 0: it is a checkpoint */
    uint64_t upto;   /* of a checkpoint: the last lesson that the model knows */
    bool saved;      /* of a checkpoint: the model file has been written */
    bool begins;     /* the first record: lessons up to `upto` are only in the model file */
    char print[33];  /* of a checkpoint: the model's fingerprint */
    double time;     /* seconds since 1970 */
    char who[64], key[128];
    int sign; /* 1: learned, -1: taken back */
    uint64_t rows, undoes;
    int type;          /* the media type of the body */
    char query[256];   /* the parameters it came with */
    uint64_t at, size; /* its bytes in the file */
} journal_entry;

typedef struct journal {
    int fd;
    uint64_t end; /* where the next record goes */
} journal;

/* Open or create the file, and visit each of its records. Anything after the last complete one is
 * cut off. CR_ECONFLICT: another process has it open. */
cr_status journal_open(journal *j, const char *path,
                       cr_status (*visit)(void *context, const journal_entry *e), void *context,
                       cr_error *err);
void journal_close(journal *j);

/* Append a record to a buffer, which journal_write() then writes with others. at is set as if the
 * buffer were written next. */
void journal_put(const journal *j, buffer *out, journal_entry *e, const void *bytes);

/* Write records and sync them to disk; on failure the journal does not change. */
cr_status journal_write(journal *j, const buffer *records, cr_error *err);

/* Rewrite the journal with these lessons only, after a record that says so and before the records
 * of a saved checkpoint. The new file replaces the old one atomically, and the entries are set to
 * the new positions of their bytes. On failure nothing changes. */
cr_status journal_rewrite(journal *j, const char *path, journal_entry *entry, size_t count,
                          const journal_entry *mark, cr_error *err);

/* Read the bytes of a lesson into a buffer. */
cr_status journal_read(const journal *j, const journal_entry *e, buffer *out, cr_error *err);

#endif
