/* store/kv_lmdb.c - keys and values in LMDB: a memory-mapped tree, written by copy.
 *
 * The folder holds data.mdb and lock.mdb. A page that is in use is never changed, so a process may
 * be killed at any time; readers see the pages of their transaction and take no lock.
 */
#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/library.h"
#include "base/memory.h"
#include "store/kv.h"

#define FUNCTIONS(X)                                                                               \
    X(env_create)                                                                                  \
    X(env_open)                                                                                    \
    X(env_close)                                                                                   \
    X(env_set_mapsize)                                                                             \
    X(env_info)                                                                                    \
    X(env_copy2)                                                                                   \
    X(reader_check)                                                                                \
    X(txn_begin)                                                                                   \
    X(txn_commit)                                                                                  \
    X(txn_abort)                                                                                   \
    X(dbi_open)                                                                                    \
    X(get) X(put) X(del) X(cursor_open) X(cursor_get) X(cursor_close) X(strerror)
#define POINTER(name) __typeof__(mdb_##name) *name;

/* A program that has LMDB in it, as the command does, need not open it: the names are then found
 * when it is linked, and are NULL otherwise. */
#define MAYBE_LINKED(name) extern __typeof__(mdb_##name) mdb_##name __attribute__((weak));
#define ADDRESS(name) mdb_##name,

FUNCTIONS(MAYBE_LINKED)

static struct {
    FUNCTIONS(POINTER)
} lmdb = {FUNCTIONS(ADDRESS)};
static cr__library library = {CREDENCE_LMDB, "mdb_", CR__NAMES(FUNCTIONS), &lmdb, 0};

static cr_status open_library(cr_error *err)
{
    return mdb_env_open != NULL ? CR_OK : cr__library_open(&library, err);
}

#define USUAL_MAP ((uint64_t)1 << 30)

typedef struct lmdb_kv {
    cr__kv kv;
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    char *path;
    MDB_cursor *cursor; /* of the transaction, or NULL */
    int full;           /* the mapping was not large enough: why */
} lmdb_kv;

/* CR_ELIMIT where another try may succeed: see grow(). */
static cr_status fail(lmdb_kv *l, int code, const char *doing, cr_error *err)
{
    cr_status st = code == ENOMEM                 ? CR_ENOMEM
                   : code == MDB_VERSION_MISMATCH ? CR_EVERSION
                   : code == MDB_CORRUPTED || code == MDB_INVALID || code == MDB_PAGE_NOTFOUND
                       ? CR_EFORMAT
                       : CR_EIO;

    if (code == MDB_MAP_FULL || code == MDB_MAP_RESIZED) {
        l->full = code;
        st = CR_ELIMIT;
    }
    cr__fail(err, st, "the store cannot be %s: %s", doing, lmdb.strerror(code));
    cr__fail_at(err, st, l->path, 0, 0);
    if (code == ENOSPC)
        cr__fail_hint(err, st, "the disk is full; the store is as it was before this lesson");
    return st;
}

static cr_status fail_read_only(const lmdb_kv *l, cr_error *err)
{
    cr__fail(err, CR_EIO, "the store is read-only");
    return cr__fail_at(err, CR_EIO, l->path, 0, 0);
}

static void end_cursor(lmdb_kv *l)
{
    if (l->cursor != NULL)
        lmdb.cursor_close(l->cursor);
    l->cursor = NULL;
}

static void give_up(cr__kv *kv)
{
    lmdb_kv *l = (lmdb_kv *)kv;

    end_cursor(l);
    if (l->txn != NULL)
        lmdb.txn_abort(l->txn);
    l->txn = NULL;
}

static void close_kv(cr__kv *kv)
{
    lmdb_kv *l = (lmdb_kv *)kv;

    give_up(kv);
    if (l->env != NULL)
        lmdb.env_close(l->env);
    cr__free(l->path);
    cr__free(l);
}

static int grow(cr__kv *kv)
{
    lmdb_kv *l = (lmdb_kv *)kv;
    const int full = l->full;
    MDB_envinfo info;

    l->full = 0;
    give_up(kv);
    if (full == 0 || lmdb.env_info(l->env, &info) != 0)
        return 0;
    return lmdb.env_set_mapsize(l->env, full == MDB_MAP_FULL ? 2 * info.me_mapsize : 0) == 0;
}

static cr_status begin(cr__kv *kv, int write, cr_error *err)
{
    lmdb_kv *l = (lmdb_kv *)kv;
    int code = lmdb.txn_begin(l->env, NULL, write ? 0 : MDB_RDONLY, &l->txn);

    if (code == MDB_MAP_RESIZED && lmdb.env_set_mapsize(l->env, 0) == 0) /* by another process */
        code = lmdb.txn_begin(l->env, NULL, write ? 0 : MDB_RDONLY, &l->txn);
    if (code == EACCES)
        return fail_read_only(l, err);
    return code == 0 ? CR_OK : fail(l, code, write ? "written" : "read", err);
}

static cr_status commit(cr__kv *kv, cr_error *err)
{
    lmdb_kv *l = (lmdb_kv *)kv;
    int code;

    end_cursor(l);
    code = lmdb.txn_commit(l->txn);
    l->txn = NULL;
    return code == 0 ? CR_OK : fail(l, code, "written", err);
}

static cr_status get(cr__kv *kv, const cr__bytes *key, size_t n, cr__bytes *value, cr_error *err)
{
    lmdb_kv *l = (lmdb_kv *)kv;
    int code = 0;

    for (size_t i = 0; code == 0 && i < n; i++) {
        MDB_val k = {key[i].size, (void *)key[i].at}, v = {0, NULL};

        if ((code = lmdb.get(l->txn, l->dbi, &k, &v)) == MDB_NOTFOUND) {
            v = (MDB_val){0, NULL};
            code = 0;
        }
        value[i] = (cr__bytes){v.mv_data, v.mv_size};
    }
    return code == 0 ? CR_OK : fail(l, code, "read", err);
}

static cr_status put(cr__kv *kv, const cr__bytes *key, const cr__bytes *value, size_t n,
                     cr_error *err)
{
    lmdb_kv *l = (lmdb_kv *)kv;
    int code = 0;

    end_cursor(l);
    for (size_t i = 0; code == 0 && i < n; i++) {
        MDB_val k = {key[i].size, (void *)key[i].at}, v = {value[i].size, (void *)value[i].at};

        code = v.mv_size > 0 ? lmdb.put(l->txn, l->dbi, &k, &v, 0)
                             : lmdb.del(l->txn, l->dbi, &k, NULL);
        if (code == MDB_NOTFOUND)
            code = 0;
    }
    return code == 0 ? CR_OK : fail(l, code, "written", err);
}

static cr_status scan(cr__kv *kv, cr__bytes prefix, cr__kv_visit *visit, void *context,
                      cr_error *err)
{
    lmdb_kv *l = (lmdb_kv *)kv;
    MDB_cursor *cursor;
    MDB_val k = {prefix.size, (void *)prefix.at}, v;
    int code = lmdb.cursor_open(l->txn, l->dbi, &cursor);
    cr_status st = CR_OK;

    if (code != 0)
        return fail(l, code, "read", err);
    code = lmdb.cursor_get(cursor, &k, &v, prefix.size == 0 ? MDB_FIRST : MDB_SET_RANGE);
    while (st == CR_OK && code == 0 && k.mv_size >= prefix.size &&
           (prefix.size == 0 || memcmp(k.mv_data, prefix.at, prefix.size) == 0)) {
        st = visit(context, (cr__bytes){k.mv_data, k.mv_size}, (cr__bytes){v.mv_data, v.mv_size},
                   err);
        if (st == CR_OK)
            code = lmdb.cursor_get(cursor, &k, &v, MDB_NEXT);
    }
    lmdb.cursor_close(cursor);
    return st != CR_OK || code == 0 || code == MDB_NOTFOUND ? st : fail(l, code, "read", err);
}

static cr_status around(cr__kv *kv, cr__bytes key, cr__bytes *at, cr__bytes *value, cr__bytes *next,
                        cr_error *err)
{
    lmdb_kv *l = (lmdb_kv *)kv;
    MDB_val k = {key.size, (void *)key.at}, v = {0, NULL}, after = {0, NULL};
    int code = l->cursor != NULL ? 0 : lmdb.cursor_open(l->txn, l->dbi, &l->cursor);

    if (code == 0)
        code = lmdb.cursor_get(l->cursor, &k, &v, MDB_SET_RANGE);
    if (code == 0 && k.mv_size == key.size && memcmp(k.mv_data, key.at, key.size) == 0) {
        MDB_val unused;

        if (next != NULL && (code = lmdb.cursor_get(l->cursor, &after, &unused, MDB_NEXT)) != 0)
            after = (MDB_val){0, NULL};
    } else if (code == 0 || code == MDB_NOTFOUND) {
        if (code == 0)
            after = k;
        code = lmdb.cursor_get(l->cursor, &k, &v, code == 0 ? MDB_PREV : MDB_LAST);
        if (code == MDB_NOTFOUND)
            k = v = (MDB_val){0, NULL};
    }
    *at = (cr__bytes){k.mv_data, k.mv_size};
    *value = (cr__bytes){v.mv_data, v.mv_size};
    if (next != NULL)
        *next = (cr__bytes){after.mv_data, after.mv_size};
    return code == 0 || code == MDB_NOTFOUND ? CR_OK : fail(l, code, "read", err);
}

static cr_status measure(cr__kv *kv, uint64_t *bytes, cr_error *err)
{
    lmdb_kv *l = (lmdb_kv *)kv;
    char file[4096];
    struct stat about;

    snprintf(file, sizeof file, "%s/data.mdb", l->path);
    if (stat(file, &about) != 0)
        return cr__fail_errno(err, "cannot examine %s", file);
    *bytes = (uint64_t)about.st_blocks * 512;
    return CR_OK;
}

static cr_status copy_to(cr__kv *kv, const char *where, cr_error *err)
{
    lmdb_kv *l = (lmdb_kv *)kv;
    int code;

    if (mkdir(where, 0777) != 0 && errno != EEXIST)
        return cr__fail_errno(err, "cannot make the folder %s", where);
    if (cr_store_is(where)) {
        cr__fail(err, CR_EARG, "a store already exists");
        return cr__fail_at(err, CR_EARG, where, 0, 0);
    }
    code = lmdb.env_copy2(l->env, where, MDB_CP_COMPACT);
    return code == 0 ? CR_OK : fail(l, code, "copied", err);
}

static const cr__kv_kind kind = {close_kv, begin,   commit,  give_up, get,   put,
                                 scan,     measure, copy_to, grow,    around};

/* A new environment, opened; what an attempt that failed has left cannot be used again. */
static int try_env(lmdb_kv *l, const cr_store_options *o, unsigned flags)
{
    int code;

    if (l->env != NULL)
        lmdb.env_close(l->env);
    l->env = NULL;
    if ((code = lmdb.env_create(&l->env)) != 0 ||
        (code = lmdb.env_set_mapsize(l->env, o->map != 0 ? o->map : USUAL_MAP)) != 0)
        return code;
    return lmdb.env_open(l->env, l->path, flags, 0666);
}

/* A reader that may not write the lock file reads without one. */
static int open_env(lmdb_kv *l, const cr_store_options *o)
{
    const unsigned sync = o->sync == CR_STORE_SYNC_META   ? MDB_NOMETASYNC
                          : o->sync == CR_STORE_SYNC_NONE ? MDB_NOSYNC
                                                          : 0;
    const unsigned flags = MDB_NOTLS | MDB_NORDAHEAD | sync;
    int dead, code = try_env(l, o, flags | (o->read_only ? MDB_RDONLY : 0));

    if ((code == EROFS || code == EACCES) && o->read_only)
        code = try_env(l, o, flags | MDB_RDONLY | MDB_NOLOCK);
    if (code == 0 && !o->read_only)
        lmdb.reader_check(l->env, &dead); /* readers that were killed */
    return code;
}

static cr_status open_table(lmdb_kv *l, int create, cr_error *err)
{
    int code;
    cr_status st = begin(&l->kv, create, err);

    if (st != CR_OK)
        return st;
    if ((code = lmdb.dbi_open(l->txn, NULL, 0, &l->dbi)) != 0) {
        give_up(&l->kv);
        return fail(l, code, "opened", err);
    }
    return commit(&l->kv, err);
}

cr_status cr__kv_open_lmdb(cr__kv **out, const char *path, int create,
                           const cr_store_options *options, cr_error *err)
{
    lmdb_kv *l;
    cr_status st = open_library(err);
    int code;

    *out = NULL;
    if (st != CR_OK)
        return st;
    if (create && mkdir(path, 0777) != 0 && errno != EEXIST) {
        cr__fail_errno(err, "the folder cannot be made");
        return cr__fail_at(err, CR_EIO, path, 0, 0);
    }
    if ((l = cr__alloc_zero(1, sizeof *l)) == NULL)
        return cr__fail_memory(err);
    l->kv.kind = &kind;
    if ((l->path = cr__strndup(path, strlen(path))) == NULL)
        st = cr__fail_memory(err);
    else if ((code = open_env(l, options)) != 0)
        st = !options->read_only && (code == EROFS || (code == EACCES && !create))
                 ? fail_read_only(l, err)
                 : fail(l, code, "opened", err);
    else
        st = open_table(l, create, err);
    if (st != CR_OK) {
        close_kv(&l->kv);
        return st;
    }
    *out = &l->kv;
    return CR_OK;
}
