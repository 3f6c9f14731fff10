/* store/kv_postgresql.c - keys and values in a table of a PostgreSQL server, for several hosts.
 *
 *     CREATE TABLE credence_store (key bytea PRIMARY KEY, value bytea NOT NULL)
 *
 * A reader is a transaction of isolation level repeatable read; a writer locks the table against
 * other writers, never against readers. Many keys are one query, so a lesson takes as many round
 * trips as it has kinds of records, not words.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/library.h"
#include "base/memory.h"
#include "store/kv.h"

#define FUNCTIONS(X)                                                                               \
    X(connectdb)                                                                                   \
    X(status)                                                                                      \
    X(reset)                                                                                       \
    X(finish)                                                                                      \
    X(errorMessage)                                                                                \
    X(exec)                                                                                        \
    X(execParams)                                                                                  \
    X(resultStatus)                                                                                \
    X(resultErrorField)                                                                            \
    X(setNoticeProcessor) X(clear) X(ntuples) X(getvalue) X(getlength)
#define POINTER(name) __typeof__(PQ##name) *name;

static struct {
    FUNCTIONS(POINTER)
} pq;
static cr__library library = {CREDENCE_LIBPQ, "PQ", CR__NAMES(FUNCTIONS), &pq, 0};

enum { BYTES = 17, BYTES_ARRAY = 1001, SOME = 10000 }; /* types of PostgreSQL; rows of one fetch */

typedef struct pg_kv {
    cr__kv kv;
    PGconn *connection;
    PGresult *got; /* what values point into */
    int open;      /* a transaction */
    int sync;
} pg_kv;

/* --- queries ----------------------------------------------------------------------------------
 */

static void forget_values(pg_kv *p)
{
    pq.clear(p->got);
    p->got = NULL;
}

static cr_status fail(pg_kv *p, const PGresult *result, cr_error *err)
{
    const char *code = result == NULL ? NULL : pq.resultErrorField(result, PG_DIAG_SQLSTATE);
    char text[300];

    if (code != NULL && strcmp(code, "42P01") == 0)
        return cr__fail(err, CR_EIO, "there is no store in this database");
    snprintf(text, sizeof text, "%s", pq.errorMessage(p->connection));
    text[strcspn(text, "\n")] = '\0';
    return cr__fail(err, CR_EIO, "PostgreSQL: %s", text);
}

static cr_status run(pg_kv *p, const char *command, cr_error *err)
{
    PGresult *result = pq.exec(p->connection, command);
    const ExecStatusType status = pq.resultStatus(result);
    cr_status st = CR_OK;

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        st = fail(p, result, err);
    pq.clear(result);
    return st;
}

static void put_int(cr__buffer *out, uint32_t x)
{
    const unsigned char bytes[4] = {(unsigned char)(x >> 24), (unsigned char)(x >> 16),
                                    (unsigned char)(x >> 8), (unsigned char)x};

    cr__buffer_add(out, bytes, sizeof bytes);
}

/* A one-dimensional array of bytea as the server sends and takes it. */
static void put_array(cr__buffer *out, const cr__bytes *item, size_t n)
{
    put_int(out, n > 0);
    put_int(out, 0);
    put_int(out, BYTES);
    if (n > 0) {
        put_int(out, (uint32_t)n);
        put_int(out, 1);
    }
    for (size_t i = 0; i < n; i++) {
        put_int(out, (uint32_t)item[i].size);
        cr__buffer_add(out, item[i].at, item[i].size);
    }
}

/* A query with one or two binary parameters. The caller clears the result. */
static cr_status ask(pg_kv *p, const char *command, const cr__buffer *parameter, int count,
                     Oid type, PGresult **out, cr_error *err)
{
    const char *value[2] = {parameter[0].data, count > 1 ? parameter[1].data : NULL};
    const int length[2] = {(int)parameter[0].size, count > 1 ? (int)parameter[1].size : 0};
    const int binary[2] = {1, 1};
    const Oid types[2] = {type, type};
    ExecStatusType status;

    if (parameter[0].failed || (count > 1 && parameter[1].failed))
        return cr__fail_memory(err);
    *out = pq.execParams(p->connection, command, count, types, value, length, binary, 1);
    status = pq.resultStatus(*out);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        return CR_OK;
    fail(p, *out, err);
    pq.clear(*out);
    *out = NULL;
    return CR_EIO;
}

/* --- transactions -------------------------------------------------------------------------------
 */

static void give_up(cr__kv *kv)
{
    pg_kv *p = (pg_kv *)kv;

    forget_values(p);
    if (p->open)
        run(p, "ROLLBACK", NULL);
    p->open = 0;
}

static void close_kv(cr__kv *kv)
{
    pg_kv *p = (pg_kv *)kv;

    give_up(kv);
    pq.finish(p->connection);
    cr__free(p);
}

/* Reconnect to a server that was restarted. */
static cr_status begin(cr__kv *kv, int write, cr_error *err)
{
    pg_kv *p = (pg_kv *)kv;
    const char *command = !write ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
                          : p->sync == CR_STORE_SYNC_FULL
                              ? "BEGIN; LOCK TABLE credence_store IN EXCLUSIVE MODE"
                              : "BEGIN; SET LOCAL synchronous_commit = off; "
                                "LOCK TABLE credence_store IN EXCLUSIVE MODE";
    cr_status st;

    if (pq.status(p->connection) != CONNECTION_OK)
        pq.reset(p->connection);
    p->open = 1;
    if ((st = run(p, command, err)) != CR_OK)
        give_up(kv);
    return st;
}

static cr_status commit(cr__kv *kv, cr_error *err)
{
    pg_kv *p = (pg_kv *)kv;
    cr_status st;

    forget_values(p);
    st = run(p, "COMMIT", err);
    p->open = 0;
    return st;
}

/* --- keys and values -----------------------------------------------------------------------------
 */

static uint64_t read_big(const char *bytes)
{
    uint64_t x = 0;

    for (int i = 0; i < 8; i++)
        x = x << 8 | (unsigned char)bytes[i];
    return x;
}

static cr_status get(cr__kv *kv, const cr__bytes *key, size_t n, cr__bytes *value, cr_error *err)
{
    pg_kv *p = (pg_kv *)kv;
    cr__buffer keys = {0};
    cr_status st;

    forget_values(p);
    for (size_t i = 0; i < n; i++)
        value[i] = (cr__bytes){NULL, 0};
    put_array(&keys, key, n);
    st = ask(p,
             "SELECT a.i, s.value FROM unnest($1) WITH ORDINALITY a(key, i) "
             "JOIN credence_store s ON s.key = a.key",
             &keys, 1, BYTES_ARRAY, &p->got, err);
    for (int r = 0; st == CR_OK && r < pq.ntuples(p->got); r++) {
        const uint64_t i = read_big(pq.getvalue(p->got, r, 0)) - 1;

        if (i < n)
            value[i] = (cr__bytes){pq.getvalue(p->got, r, 1), (size_t)pq.getlength(p->got, r, 1)};
    }
    cr__buffer_free(&keys);
    return st;
}

/* Pairs to be written (or, of size 0, keys to be removed) with one command. */
static cr_status put_some(pg_kv *p, const cr__bytes *key, const cr__bytes *value, size_t n,
                          int removed, cr_error *err)
{
    cr__bytes *own_key = cr__alloc(n, sizeof *own_key), *own = cr__alloc(n, sizeof *own);
    cr__buffer parameter[2] = {{0}, {0}};
    PGresult *result = NULL;
    size_t count = 0;
    cr_status st = own_key == NULL || own == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++)
        if ((value[i].size == 0) == removed) {
            own_key[count] = key[i];
            own[count++] = value[i];
        }
    if (st == CR_OK && count > 0) {
        put_array(&parameter[0], own_key, count);
        put_array(&parameter[1], own, count);
        st = removed ? ask(p, "DELETE FROM credence_store WHERE key = ANY($1)", parameter, 1,
                           BYTES_ARRAY, &result, err)
                     : ask(p,
                           "INSERT INTO credence_store SELECT * FROM unnest($1, $2) "
                           "ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value",
                           parameter, 2, BYTES_ARRAY, &result, err);
    }
    pq.clear(result);
    cr__buffer_free(&parameter[0]);
    cr__buffer_free(&parameter[1]);
    cr__free(own_key);
    cr__free(own);
    return st;
}

static cr_status put(cr__kv *kv, const cr__bytes *key, const cr__bytes *value, size_t n,
                     cr_error *err)
{
    const cr_status st = put_some((pg_kv *)kv, key, value, n, 0, err);

    return st == CR_OK ? put_some((pg_kv *)kv, key, value, n, 1, err) : st;
}

static cr_status scan(cr__kv *kv, cr__bytes prefix, cr__kv_visit *visit, void *context,
                      cr_error *err)
{
    pg_kv *p = (pg_kv *)kv;
    cr__buffer parameter = {0};
    PGresult *result = NULL;
    cr_status st;
    int rows = SOME, declared;

    cr__buffer_add(&parameter, prefix.at, prefix.size);
    st = ask(p,
             "DECLARE scan CURSOR FOR SELECT key, value FROM credence_store WHERE key >= $1 AND "
             "substring(key FROM 1 FOR length($1)) = $1 ORDER BY key",
             &parameter, 1, BYTES, &result, err);
    pq.clear(result);
    declared = st == CR_OK;
    while (st == CR_OK && rows == SOME) {
        result =
            pq.execParams(p->connection, "FETCH 10000 FROM scan", 0, NULL, NULL, NULL, NULL, 1);
        rows = pq.ntuples(result);
        if (pq.resultStatus(result) != PGRES_TUPLES_OK)
            st = fail(p, result, err);
        for (int r = 0; st == CR_OK && r < rows; r++)
            st = visit(
                context, (cr__bytes){pq.getvalue(result, r, 0), (size_t)pq.getlength(result, r, 0)},
                (cr__bytes){pq.getvalue(result, r, 1), (size_t)pq.getlength(result, r, 1)}, err);
        pq.clear(result);
    }
    if (declared && run(p, "CLOSE scan", st == CR_OK ? err : NULL) != CR_OK && st == CR_OK)
        st = CR_EIO;
    cr__buffer_free(&parameter);
    return st;
}

static cr_status measure(cr__kv *kv, uint64_t *bytes, cr_error *err)
{
    pg_kv *p = (pg_kv *)kv;
    PGresult *result = pq.exec(p->connection, "SELECT pg_total_relation_size('credence_store')");
    cr_status st = CR_OK;

    if (pq.resultStatus(result) == PGRES_TUPLES_OK)
        *bytes = strtoull(pq.getvalue(result, 0, 0), NULL, 10);
    else
        st = fail(p, result, err);
    pq.clear(result);
    return st;
}

static cr_status copy_to(cr__kv *kv, const char *where, cr_error *err)
{
    (void)kv;
    (void)where;
    return cr__fail(err, CR_EARG, "PostgreSQL reclaims space by itself: see its VACUUM");
}

static int grow(cr__kv *kv)
{
    (void)kv;
    return 0;
}

static const cr__kv_kind kind = {close_kv, begin, commit,  give_up, get,
                                 put,      scan,  measure, copy_to, grow, NULL};

static void be_silent(void *context, const char *text)
{
    (void)context;
    (void)text;
}

cr_status cr__kv_open_postgresql(cr__kv **out, const char *address, int create,
                                 const cr_store_options *options, cr_error *err)
{
    pg_kv *p;
    cr_status st = cr__library_open(&library, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((p = cr__alloc_zero(1, sizeof *p)) == NULL)
        return cr__fail_memory(err);
    p->kv.kind = &kind;
    p->sync = options->sync;
    p->connection = pq.connectdb(address);
    if (pq.status(p->connection) != CONNECTION_OK)
        st = fail(p, NULL, err);
    else
        pq.setNoticeProcessor(p->connection, be_silent, NULL);
    if (st == CR_OK && create)
        st = run(p,
                 "CREATE TABLE IF NOT EXISTS credence_store "
                 "(key bytea PRIMARY KEY, value bytea NOT NULL)",
                 err);
    if (st != CR_OK) {
        close_kv(&p->kv);
        return st;
    }
    *out = &p->kv;
    return CR_OK;
}
