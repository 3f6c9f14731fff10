/* store/store.h - the internals of cr_store.
 *
 * The keys:
 *
 *     H            the meta record: version, settings, origins, classes (store/meta.c)
 *     M            the head: a model file of everything but the words of texts, or of everything
 *     T column     what all words of a text column add up to (store/words.c)
 *     W column …   a word's counts (store/word_record.h)
 *     B column …   those of some words in LMDB (store/kv_packed.c)
 *     J number, L  the newest records of words (store/kv_journal.c)
 *     D day        how the rows of a day were judged before they were learned (store/judged.c)
 *     E origin day the same of other origins
 *     Q            lessons that were stored for other processes (store/together.c)
 *     P, N …       heads by origin and period (store/parts.c)
 *     C origin     what the calibrations of an origin add up to (store/tallies.c)
 *
 * Columns are two bytes, the higher one first; days and periods four. A word that is too long for a
 * key is there with its beginning and its hash.
 */
#ifndef CR_STORE_STORE_H
#define CR_STORE_STORE_H

#include "base/buffer.h"
#include "model/model.h"
#include "store/kv.h"
#include "store/word_record.h"

enum { CR__STORE_FORMAT = 4, CR__STORE_ID = 16 };

typedef struct cr__contributor {
    unsigned char id[CR__STORE_ID];
    uint64_t version; /* version up to which its lessons are here */
} cr__contributor;

typedef struct cr__store_meta {
    uint64_t period, keep;   /* days of a period, 0: there are none; days that lessons are kept */
    uint64_t floor, first;   /* periods before this one are forgotten; the one it was made in */
    uint64_t calibrate;      /* the cr__calibration_kind that it updates, or 0 */
    int apart;               /* the words of texts have records of their own */
    int grouped;             /* records have origins and periods */
    int shared;              /* it exchanges lessons with other stores: parts are kept */
    cr__contributor *origin; /* [origins] the first is this store */
    size_t origins, origin_capacity;
    char **class_name; /* [classes] by class id, in order of arrival */
    size_t classes, class_capacity;
} cr__store_meta; /* {0} is empty */

struct cr_store {
    cr__kv *kv;
    char *where;
    cr_store_options options;
    cr__store_meta meta;    /* of the current or last transaction */
    cr_model *head;         /* or NULL: not read yet */
    uint64_t head_version;  /* the version of the store that it is of */
    uint64_t lesson_period; /* of the lesson being stored */
    struct cr__queue *queue;
    int has_no_queue;
};

/* --- transactions ----------------------------------------------------------------------------- */

/* Begin, and read the meta record. */
cr_status cr__store_begin(cr_store *store, int write, cr_error *err);
void cr__store_give_up(cr_store *store);

/* Write the meta record with the next version, and commit. */
cr_status cr__store_commit(cr_store *store, cr_error *err);

/* Where lessons of other processes wait; NULL: there is none. */
struct cr__queue *cr__store_queue(cr_store *store);

/* Do something in a transaction that writes, again where the database had to grow. */
typedef cr_status cr__store_work(cr_store *store, void *context, cr_error *err);
cr_status cr__store_write(cr_store *store, cr__store_work *work, void *context, cr_error *err);
/* The same in one that reads. */
cr_status cr__store_read(cr_store *store, cr__store_work *work, void *context, cr_error *err);

/* Create a store in one transaction: fill is called when the meta record has an origin and the
 * options. */
typedef cr_status cr__store_fill(cr_store *store, const void *context, cr_error *err);
cr_status cr__store_make(const char *where, const cr_store_options *options, cr__store_fill *fill,
                         const void *context, cr_error *err);

cr_status cr__store_damaged(const cr_store *store, cr_error *err, const char *what);

/* One value; size 0: there is none. */
cr_status cr__store_get(cr_store *store, const void *key, size_t size, cr__bytes *out,
                        cr_error *err);
cr_status cr__store_put(cr_store *store, const void *key, size_t size, const void *value,
                        size_t value_size, cr_error *err);

/* Seconds since 1970, and the period that lessons belong to now. */
int64_t cr__store_now(const cr_store *store);
uint64_t cr__store_period(const cr_store *store);

/* --- meta.c ----------------------------------------------------------------------------------- */

void cr__store_meta_free(cr__store_meta *meta);
void cr__store_meta_write(const cr__store_meta *meta, cr__buffer *out);
/* CR_EFORMAT, CR_EVERSION, CR_ENOMEM. */
cr_status cr__store_meta_read(cr__store_meta *meta, const void *bytes, size_t size);
/* The id of a class, which is added when it is new; UINT32_MAX when out of memory. */
uint32_t cr__store_class_id(cr__store_meta *meta, const char *name, size_t length);
/* The number of an origin, added likewise. */
uint32_t cr__store_origin(cr__store_meta *meta, const unsigned char id[CR__STORE_ID]);

/* The classes of a model by class id, [meta->classes]; UINT32_MAX: it has none of that name. To be
 * freed; NULL when out of memory. */
uint32_t *cr__store_class_places(const cr__store_meta *meta, const cr_model *model);

/* --- words.c: totals of words, and their records ---------------------------------------------- */

typedef struct cr__class_sum {
    int64_t terms, documents;               /* of all words, */
    int64_t chosen_terms, chosen_documents; /* and of those that min-count does not leave out */
} cr__class_sum;

typedef struct cr__word_totals {
    uint64_t words, chosen;
    uint64_t digest;    /* the sum of the hashes of all records */
    cr__class_sum *sum; /* [classes] by class id */
    size_t classes;
} cr__word_totals; /* {0} is empty */

void cr__word_totals_free(cr__word_totals *t);
cr_status cr__word_totals_read(cr_store *store, size_t column, cr__word_totals *out, cr_error *err);
cr_status cr__word_totals_write(cr_store *store, size_t column, const cr__word_totals *t,
                                cr_error *err);
/* Add the record of a word (sign 1) or subtract it (-1); bytes are those of key and value. */
cr_status cr__word_totals_count(cr__word_totals *t, const cr__word_record *r, double least,
                                int sign);
uint64_t cr__word_digest(cr__bytes key, cr__bytes value);
/* The sum of the records of a column, read one by one. */
cr_status cr__word_totals_recount(cr_store *store, size_t column, double least,
                                  cr__word_totals *out, cr_error *err);

/* The key of a word, appended; it has at most CR__RECORD_KEY_MORE bytes more than the word. */
enum { CR__RECORD_KEY_MORE = 20 };
void cr__record_key(cr__buffer *out, size_t column, const char *word, size_t length);
/* The word of a key or, where it is too long, of its record. */
cr__bytes cr__record_word(cr__bytes key, const cr__word_record *r);

/* --- view.c ----------------------------------------------------------------------------------- */

/* The head, owned by the store and valid until it is changed. In a transaction. */
cr_status cr__store_head(cr_store *store, cr_model **out, cr_error *err);

/* A model with the words of dictionaries by column (NULL: all words). In a transaction. */
cr_status cr__store_view(cr_store *store, cr__dict *const *words, cr_model **out, cr_error *err);

/* --- change.c --------------------------------------------------------------------------------- */

/* Where the store updates a calibration and the model has none, because its classes are new or have
 * changed: one without rows. */
cr_status cr__store_keep_calibration(const cr_store *store, cr_model *model, cr_error *err);

/* Store the change between two models: before is a view with the words of the dictionaries, and
 * after was made from it by learning. In a transaction that writes. */
cr_status cr__store_keep(cr_store *store, const cr_model *before, cr_model *after, int sign,
                         cr_error *err);

/* Write a model without words as the head. */
cr_status cr__store_put_head(cr_store *store, const cr_model *head, cr_error *err);

/* The ids of a model's classes, [classes]; new ones are added. To be freed; NULL when out of
 * memory. */
uint32_t *cr__store_class_ids(cr_store *store, const cr_model *model);

/* Whether the words of a model's texts can be kept one by one. */
int cr__store_words_apart(const cr_model *model);

/* Keep the same statistics under other knobs: words get records of their own or not, as the knobs
 * require. */
cr_status cr__store_rebuild(cr_store *store, cr_model *model, cr_error *err);

/* --- judged.c --------------------------------------------------------------------------------- */

/* Count how a model classifies rows of a table (NULL: all), which have their true classes. */
cr_status cr__store_judge(cr_store *store, const cr_model *model, const struct cr__table *table,
                          const uint32_t *row, size_t rows, cr_error *err);
/* The same for one row with these scores log P(class, row), before calibration, and its class. */
cr_status cr__store_judge_scores(cr_store *store, const cr_model *model, const double *score,
                                 size_t truth, cr_error *err);

#endif
