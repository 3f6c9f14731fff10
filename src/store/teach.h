/* store/teach.h - lessons of rows, alone and together with those of other processes. */
#ifndef CR_STORE_TEACH_H
#define CR_STORE_TEACH_H

#include "credence/filter.h"
#include "store/store.h"

struct cr__table;

/* What a transaction does with tables: either may be NULL. */
typedef struct cr__taught {
    const struct cr__table *learn, *unlearn;
    const cr_run *run;
    cr_tally *tally;
    int known_only; /* classes must not be new, unless there were fewer than two */
    const cr_filter_limits
        *limits; /* only a message that is not yet judged right: see cr__row_lesson */
    const char *spam;
} cr__taught;

/* Apply them, as a cr__store_work: context is a cr__taught. Unlearning comes first. */
cr_status cr__store_change_by_rows(cr_store *store, void *context, cr_error *err);

/* --- lesson_bytes.c --------------------------------------------------------------------------- */

/* Rows as bytes; 0: they take more than `most`, are such as have no form of bytes, or memory is
 * out. */
int cr__lesson_write(const cr__taught *rows, size_t most, cr__buffer *out);

/* The same from bytes; as in cr__taught. */
typedef struct cr__lesson {
    struct cr__table *learn, *unlearn;
    int known_only, on_error;
    cr_filter_limits limits;
    char *spam;
} cr__lesson;

void cr__lesson_free(cr__lesson *lesson);
/* Rows of a schema. CR_EFORMAT, CR_ENOMEM: nothing is to be freed. */
cr_status cr__lesson_read(cr__lesson *out, const void *bytes, size_t size, const cr_schema *schema);

/* --- together.c ------------------------------------------------------------------------------- */

/* Apply rows in one transaction; with those of processes that do so at the same time where they
 * can be posted. */
cr_status cr__store_teach(cr_store *store, cr__taught *rows, cr_error *err);

/* Whether the list of lessons that were stored for others makes sense. In a transaction. */
cr_status cr__store_check_list(cr_store *store, cr_error *err);

/* Tests end a process here: its transaction is committed, and nobody knows. */
extern void (*cr__store_committed)(void);

#endif
