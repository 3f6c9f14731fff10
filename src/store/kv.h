/* store/kv.h - keys and values in a database with transactions: the base of a store.
 *
 * A reader sees one state from begin to end, whatever others write meanwhile. There is one writer
 * at a time: others wait. Everything written becomes visible to others when the commit returns;
 * without a commit nothing changes. Keys are compared as bytes and have at most CR__KV_KEY_MOST of
 * them.
 */
#ifndef CR_STORE_KV_H
#define CR_STORE_KV_H

#include <stddef.h>
#include <stdint.h>

#include "credence/store.h"

enum { CR__KV_KEY_MOST = 480 };

typedef struct cr__bytes {
    const void *at;
    size_t size;
} cr__bytes;

typedef struct cr__kv cr__kv;

/* A status other than CR_OK ends the scan and is returned. */
typedef cr_status cr__kv_visit(void *context, cr__bytes key, cr__bytes value, cr_error *err);

typedef struct cr__kv_kind {
    void (*close)(cr__kv *kv); /* an open transaction is rolled back */
    cr_status (*begin)(cr__kv *kv, int write, cr_error *err);
    cr_status (*commit)(cr__kv *kv, cr_error *err);
    void (*give_up)(cr__kv *kv); /* the transaction, if there is one */

    /* The values of n keys, of size 0 where there is none; valid until the next call. */
    cr_status (*get)(cr__kv *kv, const cr__bytes *key, size_t n, cr__bytes *value, cr_error *err);

    /* Write n pairs; a value of size 0 removes its key. */
    cr_status (*put)(cr__kv *kv, const cr__bytes *key, const cr__bytes *value, size_t n,
                     cr_error *err);

    /* All pairs whose key begins with the prefix, in the order of the keys. What is visited is
     * valid during the visit, which writes nothing. */
    cr_status (*scan)(cr__kv *kv, cr__bytes prefix, cr__kv_visit *visit, void *context,
                      cr_error *err);

    /* Bytes that it uses. */
    cr_status (*measure)(cr__kv *kv, uint64_t *bytes, cr_error *err);

    /* A copy without unused space. No transaction may be open. */
    cr_status (*copy_to)(cr__kv *kv, const char *where, cr_error *err);

    /* When writing failed because of a limit that can be raised: raise it and return 1; the
     * transaction has been rolled back and may be retried. */
    int (*grow)(cr__kv *kv);

    /* The pair with the greatest key that is not above a key, and the key after it (which may be
     * NULL); of size 0 where there is none. Only of a database that others are laid over. */
    cr_status (*around)(cr__kv *kv, cr__bytes key, cr__bytes *at, cr__bytes *value, cr__bytes *next,
                        cr_error *err);
} cr__kv_kind;

struct cr__kv {
    const cr__kv_kind *kind;
};

/* Open the database at a path or an address; with `create` it must not exist yet. */
cr_status cr__kv_open_lmdb(cr__kv **out, const char *path, int create,
                           const cr_store_options *options, cr_error *err);
cr_status cr__kv_open_postgresql(cr__kv **out, const char *address, int create,
                                 const cr_store_options *options, cr_error *err);

/* Words (keys W …) in packs of another database, which it takes over even on failure. */
cr_status cr__kv_open_packed(cr__kv **out, cr__kv *under, const char *where, cr_error *err);

#define CR__JOURNAL_LEAST ((uint64_t)256 << 10)

/* A journal of words (keys W …) over another database, which it takes over even on failure. It
 * grows to at least `least` bytes before it is written into the tree. */
cr_status cr__kv_open_journal(cr__kv **out, cr__kv *under, const char *where, uint64_t least,
                              cr_error *err);

#endif
