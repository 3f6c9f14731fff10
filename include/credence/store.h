/* credence/store.h - a live model: one that learns row by row, from many processes, for years.
 *
 * A store keeps the exact statistics of a model in a database: LMDB in a folder, or PostgreSQL.
 * What a lesson or an answer costs depends on the words of its own rows, not on how much the store
 * has learned: the words of texts are kept one by one, everything else in one small record. (A
 * model whose words depend on each other, such as one with event=bernoulli, is kept as one record,
 * and each lesson reads and writes all of it: cr_store_facts.whole.)
 *
 * A lesson is a transaction: after a crash it has been applied completely or not at all. Readers
 * take no lock and see one consistent state. A cr_store belongs to one thread at a time; within a
 * process a folder is opened once and threads take turns; each process opens it for itself.
 *
 *     cr_store_open(&store, "mail.store", NULL, &err);
 *     cr_store_learn(store, source, 1, 0, NULL, NULL, &err);   rows of a source, all at once
 *     cr_store_view_mail(store, message, size, &model, &err);  a model for this message
 *     cr_filter_judge(model, message, size, …);
 */
#ifndef CREDENCE_STORE_H
#define CREDENCE_STORE_H

#include "credence/filter.h"
#include "credence/decision.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_store cr_store;

/* What an acknowledged lesson survives. With every setting it survives the end of the process. */
typedef enum cr_store_sync {
    CR_STORE_SYNC_FULL = 0, /* it also survives a crash of the machine */
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
    cr_store_period period; /* for cr_store_create(): lessons are kept separately for each period */
    uint32_t keep;          /* for cr_store_create(): how many days they are kept; 0: for ever */
    const char *calibrate;  /* for cr_store_create(): "platt", "beta", "isotonic" or "temperature",
                             * fitted on the judgement of every row just before it was learned.
                             * NULL: the model's own, or none */
    int64_t (*now)(void *context); /* seconds since 1970, for tests; NULL: the clock */
    void *now_context;
} cr_store_options;

/* Whether `where` is a folder that holds a store, or the address of a PostgreSQL server. */
int cr_store_is(const char *where);

/* Make a store from what a model has learned. where is postgresql://… or a folder, which is created
 * unless it exists and is empty. CR_EARG: a store already exists. */
cr_status cr_store_create(const char *where, const cr_model *model, const cr_store_options *options,
                          cr_error *err);

/* Open a store. CR_EFORMAT: it is not a sound store. CR_EVERSION: its version is newer than this
 * library. */
cr_status cr_store_open(cr_store **out, const char *where, const cr_store_options *options,
                        cr_error *err);
void cr_store_close(cr_store *store); /* NULL is allowed */

/* --- answers ---------------------------------------------------------------------------------- */

/* Get all that the store has learned as a model, which the caller frees with cr_model_free(). Its
 * file has the bytes that training on the same rows would have given. */
cr_status cr_store_model(cr_store *store, cr_model **out, cr_error *err);

/* The same without the words of texts: columns, classes and knobs. Rows and lessons can be made
 * from it. */
cr_status cr_store_head(cr_store *store, cr_model **out, cr_error *err);

/* A model that has the words of a message, or of a row of the head, and no others: it answers and
 * explains them as the whole model would, bit for bit. It must not be saved. */
cr_status cr_store_view_mail(cr_store *store, const void *message, size_t size, cr_model **out,
                             cr_error *err);

/* The same with the message as a row of that model, to judge it by cr_filter_judge_row() or to
 * explain it; it is split into words only once. Free both. */
cr_status cr_store_view_message(cr_store *store, const void *message, size_t size, cr_model **out,
                                cr_row **row, cr_error *err);

/* The same for all rows of a source. The source is read to its end and held in memory meanwhile;
 * open it again to use it. */
cr_status cr_store_view_source(cr_store *store, cr_source *source, const cr_run *run,
                               cr_model **out, cr_error *err);
cr_status cr_store_view_row(cr_store *store, const cr_row *row, cr_model **out, cr_error *err);

/* --- lessons ---------------------------------------------------------------------------------- */

/* Learn the rows of a source (sign 1) or take them back (-1), all or nothing; as cr_model_learn()
 * and cr_model_unlearn(). A class that a store with two or more classes does not have is more often
 * misspelt than new: it is CR_ECONFLICT, unless the flags allow it. */
enum { CR_STORE_NEW_CLASSES = 1 };
cr_status cr_store_learn(cr_store *store, cr_source *source, int sign, unsigned flags,
                         const cr_run *run, cr_tally *tally, cr_error *err);

/* Learn rows and take others back, all at once. Afterwards no lessons are waiting. */
cr_status cr_store_apply(cr_store *store, cr_lessons *lessons, cr_error *err);

/* Take messages back from one class and learn them as another, at once, as cr_filter_teach()
 * does. */
cr_status cr_store_teach_mail(cr_store *store, const void *bytes, size_t size, const char *unlearn,
                              const char *learn, int new_class, uint64_t *messages, cr_error *err);

/* Train on error: learn a message, or each one of a mailbox as a lesson of its own, unless it is
 * judged as its class with certainty, as cr_filter_certain() says of the limits; spam and limits
 * are those of cr_filter_judge(), a NULL spam is the class of that name. All are counted in the
 * calibration and in the figures of the day: it would otherwise see mistakes only. learned (may be
 * NULL) gets how many were learned. */
cr_status cr_store_teach_errors(cr_store *store, const void *bytes, size_t size,
                                const char *class_name, const char *spam,
                                const cr_filter_limits *limits, int new_class, uint64_t *learned,
                                cr_error *err);

/* Add all that a model has learned, as cr_model_merge() does. */
cr_status cr_store_merge(cr_store *store, const cr_model *model, cr_error *err);

/* Turn knobs, as cr_model_refit() does. */
cr_status cr_store_refit(cr_store *store, const char *const *params, size_t param_count,
                         cr_error *err);

/* --- stores that learned apart ---------------------------------------------------------------- */

/* Give each of two stores what the other has learned. Afterwards both are the same model, byte for
 * byte. Nothing counts twice, in whatever order and however often stores meet, because lessons are
 * kept separately for each store that learned them. CR_ECONFLICT: the settings, columns or knobs
 * differ, or rows of one were taken back in both; neither store has then changed. It reads all
 * words. */
cr_status cr_store_exchange(cr_store *a, cr_store *b, cr_error *err);

/* The same over a network. cr_store_state() describes what a store has. cr_store_send() gives all
 * that a store with that state lacks (NULL: a store that has nothing), and cr_store_receive() adds
 * it. Free the bytes with cr_bytes_free(). */
cr_status cr_store_state(cr_store *store, void **bytes, size_t *size, cr_error *err);
cr_status cr_store_send(cr_store *store, const void *state, size_t state_size, void **bytes,
                        size_t *size, cr_error *err);
cr_status cr_store_receive(cr_store *store, const void *bytes, size_t size, cr_error *err);

/* Make a new store from what another sent for a state of NULL; it has learned nothing itself. (A
 * copy of a store's folder is the same store: the two must not both learn and then meet.) */
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
    int whole;        /* it is kept as one record: the cost of a lesson grows with the model */
    cr_store_period period;
    uint32_t keep;
    size_t origins; /* stores whose lessons it has, itself included */
    /* Rows that were judged just before they were learned, in the last seven days: */
    uint64_t judged, right;
    double log_loss;            /* their mean -ln P(class); NaN: none was judged */
    uint64_t good;              /* if a class is called spam: those of the other classes */
    uint64_t good_lost;         /* good with P(spam) at or above the filter's upper limit */
    uint64_t spam, spam_passed; /* those of spam, and those of them below that limit */
} cr_store_facts;
cr_status cr_store_get_facts(cr_store *store, cr_store_facts *out, cr_error *err);

/* Forget what is older than the store keeps. The first lesson of a period does this by itself. It
 * reads all words once. */
cr_status cr_store_forget(cr_store *store, cr_error *err);

/* Drop words permanently: those that occurred less often than `below` and were not learned in the
 * last `unseen` days; 0 omits a condition. What is left is the model of texts without these words.
 * CR_ECONFLICT: the store does not know when words came (it has no periods), keeps them together,
 * or has lessons of other stores. It reads all words once. */
typedef struct cr_store_prune_options {
    size_t size; /* sizeof(cr_store_prune_options), or 0: see run.h */
    uint64_t below;
    uint32_t unseen;
} cr_store_prune_options;
typedef struct cr_store_pruned {
    uint64_t words, occurrences; /* how much was dropped */
} cr_store_pruned;
cr_status cr_store_prune(cr_store *store, const cr_store_prune_options *options,
                         cr_store_pruned *out, cr_error *err);

/* Read everything and compare it with its sums. CR_EFORMAT: it is damaged, and err says where. */
cr_status cr_store_check(cr_store *store, cr_error *err);

/* Copy the store to another place, without unused space. Lessons may continue meanwhile. */
cr_status cr_store_compact(cr_store *store, const char *where, cr_error *err);

/* A mail model with the word counts of bogofilter, from what `bogoutil -d` writes: to create a
 * store of it, or to merge it into one. *clipped, if not NULL, is the number of counts that
 * exceeded the number of messages and were reduced to it. CR_EFORMAT: the file is something else,
 * or a count is no number or negative, which err names with its line. */
cr_status cr_wordlist_read(cr_model **out, const char *path, uint64_t *clipped, cr_error *err);

/* The same from what SpamAssassin's `sa-learn --backup` writes. That has hashes instead of words,
 * so only words that mail has are found: mail is a model of messages, of which the words alone
 * matter, best without pairs of words. *found may be NULL. */
typedef struct cr_wordlist_found {
    uint64_t tokens, found;        /* of the backup */
    uint64_t counts, counts_found; /* the messages that each of them is in, added up */
    uint64_t words;                /* of the model */
    uint64_t clipped;              /* counts that were reduced, as in cr_wordlist_read() */
} cr_wordlist_found;
cr_status cr_wordlist_match(cr_model **out, const char *path, const cr_model *mail,
                            cr_wordlist_found *found, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
