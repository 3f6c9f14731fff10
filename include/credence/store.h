/* credence/store.h - a live model: one that learns row by row, from many processes, for years.
 *
 * A store keeps the exact statistics of a model in a database: LMDB in a folder, or PostgreSQL.
 * What a lesson or an answer costs depends on the words of its own rows, not on how much the store
 * has learned: the words of texts are kept one by one, everything else in one small record. (A
 * model whose words depend on each other, such as one with event=bernoulli, is kept as one record,
 * and each lesson reads and writes all of it: cr_store_facts.whole.)
 *
 * A lesson is a transaction: after a crash it is there or not, never half. Readers take no lock and
 * see one state. A cr_store belongs to one thread at a time; a process opens a folder once and
 * threads take turns, or each process opens it for itself.
 *
 *     cr_store_open(&store, "mail.store", NULL, &err);
 *     cr_store_learn(store, source, 1, 0, NULL, NULL, &err);   rows of a source, all at once
 *     cr_store_view_mail(store, message, size, &model, &err);  a model for this message
 *     cr_filter_judge(model, message, size, …);
 */
#ifndef CREDENCE_STORE_H
#define CREDENCE_STORE_H

#include "credence/decision.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_store cr_store;

/* What a lesson that was acknowledged survives. All of them survive the end of the process. */
typedef enum cr_store_sync {
    CR_STORE_SYNC_FULL = 0, /* a crash of the machine, too */
    CR_STORE_SYNC_META = 1, /* a crash of the machine may undo the last lessons, nothing else */
    CR_STORE_SYNC_NONE = 2  /* a crash of the machine may damage the store */
} cr_store_sync;

typedef enum cr_store_period {
    CR_STORE_PERIOD_NONE = 0,
    CR_STORE_PERIOD_DAY = 1,
    CR_STORE_PERIOD_WEEK = 7
} cr_store_period;

typedef struct cr_store_options {
    size_t size; /* sizeof(cr_store_options), or 0: see run.h */
    cr_store_sync sync;
    int read_only;
    uint64_t map;           /* bytes that LMDB may use at first; it grows by itself. 0: 1 GB */
    cr_store_period period; /* of a store that is created: what lessons are kept apart by, */
    uint32_t keep;          /* and how many days they are kept; 0: for ever */
    const char *calibrate;  /* of a store that is created: "platt", "beta", "isotonic" or
                             * "temperature": fitted on every row as it was judged before it was
                             * learned. NULL: the model's own, or none */
    int64_t (*now)(void *context); /* seconds since 1970, for tests; NULL: the clock */
    void *now_context;
} cr_store_options;

/* Whether there is a store: a folder that holds one, or the address of a PostgreSQL server. */
int cr_store_is(const char *where);

/* Make a store of what a model has learned. where is a folder, which is made unless it is there and
 * empty, or postgresql://…. CR_EARG: there is a store already. */
cr_status cr_store_create(const char *where, const cr_model *model, const cr_store_options *options,
                          cr_error *err);

/* CR_EFORMAT: no sound store; CR_EVERSION: one of a later version. */
cr_status cr_store_open(cr_store **out, const char *where, const cr_store_options *options,
                        cr_error *err);
void cr_store_close(cr_store *store); /* NULL is allowed */

/* --- answers ---------------------------------------------------------------------------------- */

/* All that the store has learned as a model, which is freed with cr_model_free(). Its file has the
 * bytes that training on the same rows would have given. */
cr_status cr_store_model(cr_store *store, cr_model **out, cr_error *err);

/* The same without the words of texts: columns, classes, knobs. For rows and lessons to be made
 * of. */
cr_status cr_store_head(cr_store *store, cr_model **out, cr_error *err);

/* A model that has the words of a message, or of a row of the head, and no others: it answers and
 * explains them as the whole model would, bit for bit. It must not be saved. */
cr_status cr_store_view_mail(cr_store *store, const void *message, size_t size, cr_model **out,
                             cr_error *err);

/* The same for all rows of a source, which is read to its end: open it again, or rewind it. All of
 * it is in memory meanwhile. */
cr_status cr_store_view_source(cr_store *store, cr_source *source, const cr_run *run,
                               cr_model **out, cr_error *err);
cr_status cr_store_view_row(cr_store *store, const cr_row *row, cr_model **out, cr_error *err);

/* --- lessons ---------------------------------------------------------------------------------- */

/* Learn the rows of a source (sign 1) or take them back (-1), all or nothing; as cr_model_learn()
 * and cr_model_unlearn(). A class that a store of two or more does not have is more often misspelt
 * than new: CR_ECONFLICT, unless the flags allow it. */
enum { CR_STORE_NEW_CLASSES = 1 };
cr_status cr_store_learn(cr_store *store, cr_source *source, int sign, unsigned flags,
                         const cr_run *run, cr_tally *tally, cr_error *err);

/* Rows to be learned and others to be taken back, at once. Afterwards none wait. */
cr_status cr_store_apply(cr_store *store, cr_lessons *lessons, cr_error *err);

/* Take messages back from one class and learn them as another, at once: cr_filter_teach(). */
cr_status cr_store_teach_mail(cr_store *store, const void *bytes, size_t size, const char *unlearn,
                              const char *learn, int new_class, uint64_t *messages, cr_error *err);

/* Add all that a model has learned: cr_model_merge(). */
cr_status cr_store_merge(cr_store *store, const cr_model *model, cr_error *err);

/* Turn knobs: cr_model_refit(). */
cr_status cr_store_refit(cr_store *store, const char *const *params, size_t param_count,
                         cr_error *err);

/* --- stores that learned apart ---------------------------------------------------------------- */

/* Let each of two stores have what the other has learned: afterwards both are the same model, to
 * the byte. Nothing counts twice, in whatever order and however often stores meet: lessons are
 * kept apart by the store that learned them. CR_ECONFLICT: they have different settings, columns or
 * knobs, or rows of one were taken back in both; then neither has changed. Reads all words. */
cr_status cr_store_exchange(cr_store *a, cr_store *b, cr_error *err);

/* The same over a wire. A state tells what a store has; send gives all that a store with a state
 * (NULL: a store that has nothing) lacks; receive takes it over. Bytes are freed with
 * cr_bytes_free(). */
cr_status cr_store_state(cr_store *store, void **bytes, size_t *size, cr_error *err);
cr_status cr_store_send(cr_store *store, const void *state, size_t state_size, void **bytes,
                        size_t *size, cr_error *err);
cr_status cr_store_receive(cr_store *store, const void *bytes, size_t size, cr_error *err);

/* A new store that has learned nothing itself, and what another sent for a state of NULL. (A copy
 * of a store's folder is the same store: the two must not both learn and then meet.) */
cr_status cr_store_create_from(const char *where, const void *bytes, size_t size,
                               const cr_store_options *options, cr_error *err);

/* All of that by the places of two stores, one of which may not be there yet: it is made. One may
 * be HOST:PATH: a shell runs `COMMAND HOST credence store answer PATH`, where the command is that
 * given (NULL: "ssh"). CR_EARG: there is no store, or the places are one; CR_EIO: the other side
 * broke off. */
cr_status cr_store_meet(const char *first, const char *second, const char *command,
                        const cr_store_options *options, cr_error *err);

/* The other half of that dialogue, on two file descriptors, which are borrowed. */
cr_status cr_store_answer(const char *where, int in, int out, const cr_store_options *options,
                          cr_error *err);

/* --- what is in it, and care ------------------------------------------------------------------ */

typedef struct cr_store_facts {
    uint64_t rows;    /* learned and not unlearned, nor forgotten */
    uint64_t words;   /* of all texts */
    uint64_t lessons; /* transactions that changed it */
    uint64_t bytes;   /* that the database takes */
    int whole;        /* it is kept as one record: lessons cost what the model is large */
    cr_store_period period;
    uint32_t keep;
    size_t origins; /* stores whose lessons it has, itself included */
    /* Rows that were judged just before they were learned, in the last seven days: */
    uint64_t judged, right;
    double log_loss;    /* their mean -ln P(class); NaN: none was judged */
    uint64_t good;      /* those of classes other than spam, where one is called so, */
    uint64_t good_lost; /* of these: with P(spam) at or above the upper limit of the filter */
    uint64_t spam, spam_passed; /* those of spam, and of these: below that limit */
} cr_store_facts;
cr_status cr_store_get_facts(cr_store *store, cr_store_facts *out, cr_error *err);

/* Forget what is older than the store keeps, as the first lesson of a period does by itself. It
 * reads all words once. */
cr_status cr_store_forget(cr_store *store, cr_error *err);

/* Drop words for good: those that occurred less often than below, and were not learned in the last
 * unseen days; 0 leaves the one or the other out. What is left is the model of texts without them.
 * CR_ECONFLICT: the store does not know when words came (it has no periods), keeps them together,
 * or has lessons of other stores. It reads all words once. */
typedef struct cr_store_prune_options {
    size_t size; /* sizeof(cr_store_prune_options), or 0: see run.h */
    uint64_t below;
    uint32_t unseen;
} cr_store_prune_options;
typedef struct cr_store_pruned {
    uint64_t words, occurrences; /* that were dropped */
} cr_store_pruned;
cr_status cr_store_prune(cr_store *store, const cr_store_prune_options *options,
                         cr_store_pruned *out, cr_error *err);

/* Read everything and compare it with its sums. CR_EFORMAT: it is damaged, and err says where. */
cr_status cr_store_check(cr_store *store, cr_error *err);

/* A copy of the store at another place, without room that is no longer used. Lessons may go on. */
cr_status cr_store_compact(cr_store *store, const char *where, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
