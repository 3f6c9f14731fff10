/* store/store.c - create a store from a model, open it, and query it in transactions. */
#include "store/store.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/table.h"
#include "source/source.h"
#include "stats/tfidf.h"
#include "store/parts.h"
#include "store/queue.h"
#include "train/calibration.h"

static int is_address(const char *where)
{
    return strncmp(where, "postgresql://", 13) == 0 || strncmp(where, "postgres://", 11) == 0;
}

int cr_store_is(const char *where)
{
    char file[4096];
    struct stat about;

    if (is_address(where))
        return 1;
    snprintf(file, sizeof file, "%s/data.mdb", where);
    return stat(file, &about) == 0 && S_ISREG(about.st_mode);
}

cr_status cr__store_damaged(const cr_store *store, cr_error *err, const char *what)
{
    cr__fail(err, CR_EFORMAT, "this is not a sound store: %s", what);
    return cr__fail_at(err, CR_EFORMAT, store->where, 0, 0);
}

int64_t cr__store_now(const cr_store *store)
{
    return store->options.now != NULL ? store->options.now(store->options.now_context)
                                      : (int64_t)time(NULL);
}

/* Weeks begin on Mondays; 1 January 1970 was a Thursday. */
uint64_t cr__store_period(const cr_store *store)
{
    const int64_t day = cr__store_now(store) / 86400;

    if (store->meta.period == 0)
        return 0;
    return (uint64_t)(store->meta.period == CR_STORE_PERIOD_WEEK ? (day + 3) / 7 : day);
}

/* --- transactions ----------------------------------------------------------------------------- */

cr_status cr__store_get(cr_store *store, const void *key, size_t size, cr__bytes *out,
                        cr_error *err)
{
    const cr__bytes k = {key, size};

    return store->kv->kind->get(store->kv, &k, 1, out, err);
}

cr_status cr__store_put(cr_store *store, const void *key, size_t size, const void *value,
                        size_t value_size, cr_error *err)
{
    const cr__bytes k = {key, size}, v = {value, value_size};

    return store->kv->kind->put(store->kv, &k, &v, 1, err);
}

static cr_status read_meta(cr_store *store, cr_error *err)
{
    cr__bytes value;
    cr_status st = cr__store_get(store, "H", 1, &value, err);

    if (st != CR_OK)
        return st;
    st = cr__store_meta_read(&store->meta, value.at, value.size);
    if (st == CR_EVERSION) {
        cr__fail(err, st, "the store was written by a later version of this program");
        return cr__fail_at(err, st, store->where, 0, 0);
    }
    if (st == CR_EFORMAT)
        return cr__store_damaged(store, err, "its meta record is missing or makes no sense");
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

cr_status cr__store_begin(cr_store *store, int write, cr_error *err)
{
    cr_status st = store->kv->kind->begin(store->kv, write, err);

    if (st == CR_OK && (st = read_meta(store, err)) != CR_OK)
        cr__store_give_up(store);
    return st;
}

cr_status cr__store_commit(cr_store *store, cr_error *err)
{
    cr__buffer value = {0};
    cr_status st;

    store->meta.origin[0].version++;
    cr__store_meta_write(&store->meta, &value);
    st = value.failed ? cr__fail_memory(err)
                      : cr__store_put(store, "H", 1, value.data, value.size, err);
    cr__buffer_free(&value);
    if (st == CR_OK)
        return store->kv->kind->commit(store->kv, err);
    return st;
}

void cr__store_give_up(cr_store *store)
{
    store->kv->kind->give_up(store->kv);
}

cr_status cr__store_write(cr_store *store, cr__store_work *work, void *context, cr_error *err)
{
    cr_status st;

    do {
        if ((st = cr__store_begin(store, 1, err)) == CR_OK &&
            (st = work(store, context, err)) == CR_OK)
            st = cr__store_commit(store, err);
        if (st != CR_OK)
            cr__store_give_up(store);
    } while (st == CR_ELIMIT && store->kv->kind->grow(store->kv));
    return st;
}

cr_status cr__store_read(cr_store *store, cr__store_work *work, void *context, cr_error *err)
{
    cr_status st = cr__store_begin(store, 0, err);

    if (st != CR_OK)
        return st;
    st = work(store, context, err);
    cr__store_give_up(store);
    return st;
}

/* --- life ------------------------------------------------------------------------------------- */

/* Open the database at a path or an address; with `create` it must not exist yet. */
static cr_status open_database(cr__kv **out, const char *where, int create,
                               const cr_store_options *options, cr_error *err)
{
    cr__kv *tree;
    cr_status st;

    *out = NULL;
    if (is_address(where))
        return cr__kv_open_postgresql(out, where, create, options, err);
    if ((st = cr__kv_open_lmdb(&tree, where, create, options, err)) != CR_OK)
        return st;
    if ((st = cr__kv_open_packed(&tree, tree, where, err)) != CR_OK)
        return st;
    return cr__kv_open_journal(out, tree, where, CR__JOURNAL_LEAST, err);
}

/* Those who share a transaction must agree on what a lesson survives, and on the time. */
struct cr__queue *cr__store_queue(cr_store *store)
{
    const cr_store_options *o = &store->options;

    if (store->queue == NULL && !store->has_no_queue && !is_address(store->where) &&
        !o->read_only && o->sync == CR_STORE_SYNC_FULL && o->now == NULL)
        store->queue = cr__queue_open(store->where);
    store->has_no_queue = store->queue == NULL;
    return store->queue;
}

static cr_status new_store(cr_store **out, const char *where, int create,
                           const cr_store_options *options, cr_error *err)
{
    cr_store *store = cr__alloc_zero(1, sizeof *store);
    cr_status st;

    *out = NULL;
    if (store == NULL)
        return cr__fail_memory(err);
    st = cr__sized_take(&store->options, sizeof store->options, options, "cr_store_options", err);
    if (st == CR_OK && (store->where = cr__strndup(where, strlen(where))) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = open_database(&store->kv, where, create, &store->options, err);
    if (st != CR_OK) {
        cr_store_close(store);
        return st;
    }
    *out = store;
    return CR_OK;
}

void cr_store_close(cr_store *store)
{
    if (store == NULL)
        return;
    cr__queue_close(store->queue);
    if (store->kv != NULL)
        store->kv->kind->close(store->kv);
    cr_model_free(store->head);
    cr__store_meta_free(&store->meta);
    cr__free(store->where);
    cr__free(store);
}

static cr_status do_nothing(cr_store *store, void *context, cr_error *err)
{
    (void)store;
    (void)context;
    (void)err;
    return CR_OK;
}

cr_status cr_store_open(cr_store **out, const char *where, const cr_store_options *options,
                        cr_error *err)
{
    cr_status st;

    *out = NULL;
    if (!cr_store_is(where)) {
        cr__fail(err, CR_EIO, "there is no store");
        return cr__fail_at(err, CR_EIO, where, 0, 0);
    }
    if ((st = new_store(out, where, 0, options, err)) == CR_OK &&
        (st = cr__store_read(*out, do_nothing, NULL, err)) != CR_OK) {
        cr_store_close(*out);
        *out = NULL;
    }
    return st;
}

/* --- making one ------------------------------------------------------------------------------- */

static int has_texts(const cr_schema *schema)
{
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_BAG && cr__stats_is_feature(schema, i))
            return 1;
    return 0;
}

/* Whether the words of a model's texts can be kept one by one. */
int cr__store_words_apart(const cr_model *model)
{
    return has_texts(model->schema) && model->learner->words_apart != NULL &&
           model->impute == NULL && !cr__tfidf_needed(model->schema, &model->knobs) &&
           model->learner->words_apart(&model->knobs);
}

/* The kind of calibration that a new store updates. */
static cr_status read_calibration(cr_store *store, cr_error *err)
{
    const char *name = store->options.calibrate;
    cr__calibration_kind kind = CR__CALIBRATION_TEMPERATURE;

    if (name == NULL)
        return CR_OK;
    while (kind <= CR__CALIBRATION_ISOTONIC && strcmp(cr__calibration_name(kind), name) != 0)
        kind++;
    if (kind > CR__CALIBRATION_ISOTONIC)
        return cr__fail(err, CR_EARG, "a store cannot update a calibration '%s'", name);
    store->meta.calibrate = (uint64_t)kind;
    return CR_OK;
}

/* Set up an origin of its own and the options. */
static cr_status set_up(cr_store *store, cr_error *err)
{
    unsigned char id[CR__STORE_ID];

    if (getrandom(id, sizeof id, 0) != (ssize_t)sizeof id)
        return cr__fail_errno(err, "no random numbers are available");
    cr__store_meta_free(&store->meta);
    store->meta.period = store->options.period;
    store->meta.keep = store->options.keep;
    store->meta.grouped = store->meta.period != 0;
    store->meta.first = cr__store_period(store);
    if (cr__store_origin(&store->meta, id) != 0)
        return cr__fail_memory(err);
    return read_calibration(store, err);
}

static cr_status check_empty(cr_store *store, cr_error *err)
{
    cr__bytes value;
    cr_status st = cr__store_get(store, "H", 1, &value, err);

    if (st != CR_OK || value.size == 0)
        return st;
    cr__fail(err, CR_EARG, "a store already exists");
    return cr__fail_at(err, CR_EARG, store->where, 0, 0);
}

cr_status cr__store_make(const char *where, const cr_store_options *options, cr__store_fill *fill,
                         const void *context, cr_error *err)
{
    cr_store *store;
    cr_status st = new_store(&store, where, 1, options, err);

    if (st != CR_OK)
        return st;
    do {
        if ((st = store->kv->kind->begin(store->kv, 1, err)) == CR_OK &&
            (st = check_empty(store, err)) == CR_OK && (st = set_up(store, err)) == CR_OK &&
            (st = fill(store, context, err)) == CR_OK)
            st = cr__store_commit(store, err);
        if (st != CR_OK)
            cr__store_give_up(store);
    } while (st == CR_ELIMIT && store->kv->kind->grow(store->kv));
    cr_store_close(store);
    return st;
}

/* CR_ECONFLICT: a model that is made of models keeps no statistics, and one that is fitted on the
 * rows themselves may not be able to learn more. A lesson without rows tells. */
static cr_status check_learns(const cr_model *model, cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr_error why = {0};
    cr__table *none = NULL;
    cr_source *source = NULL;
    cr_model *copy = NULL;
    cr_status st;

    if (model->learner->of_models) {
        cr__fail(err, CR_ECONFLICT,
                 "a blend of models cannot be a store: it keeps no statistics of its own");
        return cr__fail_hint(err, CR_ECONFLICT,
                             "train one that learns row by row, such as " CR__SET("learner nb"));
    }
    if (model->learner->needs.rows != CR__ROWS_ALWAYS)
        return CR_OK;
    if ((st = cr__table_new(&none, model->schema, err)) == CR_OK &&
        (st = cr__source_open_table(&source, none, NULL, 0, err)) == CR_OK &&
        (st = cr_model_copy(&copy, model, err)) == CR_OK &&
        cr_model_learn(copy, source, &one, NULL, &why) == CR_ECONFLICT) {
        st = cr__fail(err, CR_ECONFLICT, "a model of '%s' cannot be a store: %s",
                      model->learner->name, why.message);
        cr__fail_hint(err, st, "keep it as a model file, and train again on all rows");
    }
    cr_model_free(copy);
    cr_source_close(source);
    cr__table_free(none);
    return st;
}

/* Everything the model has learned is the first lesson of an empty store. */
static cr_status fill(cr_store *store, const void *context, cr_error *err)
{
    const cr_model *model = context;
    cr_model *own;
    cr_status st = cr_model_copy(&own, model, err);

    if (st != CR_OK)
        return st;
    store->meta.apart = cr__store_words_apart(model);
    st = cr__store_keep(store, NULL, own, 1, err);
    cr_model_free(own);
    return st;
}

cr_status cr_store_create(const char *where, const cr_model *model, const cr_store_options *options,
                          cr_error *err)
{
    const cr_status st = check_learns(model, err);

    return st == CR_OK ? cr__store_make(where, options, fill, model, err) : st;
}

/* --- answers ---------------------------------------------------------------------------------- */

static cr_status whole_model(cr_store *store, void *context, cr_error *err)
{
    return cr__store_view(store, NULL, context, err);
}

cr_status cr_store_model(cr_store *store, cr_model **out, cr_error *err)
{
    *out = NULL;
    return cr__store_read(store, whole_model, out, err);
}

static cr_status head_model(cr_store *store, void *context, cr_error *err)
{
    cr_model *head;
    cr_status st = cr__store_head(store, &head, err);

    return st == CR_OK ? cr_model_copy(context, head, err) : st;
}

cr_status cr_store_head(cr_store *store, cr_model **out, cr_error *err)
{
    *out = NULL;
    return cr__store_read(store, head_model, out, err);
}

static cr_status forget(cr_store *store, void *context, cr_error *err)
{
    (void)context;
    return cr__store_forget(store, err);
}

cr_status cr_store_forget(cr_store *store, cr_error *err)
{
    return cr__store_write(store, forget, NULL, err);
}

cr_status cr_store_compact(cr_store *store, const char *where, cr_error *err)
{
    return store->kv->kind->copy_to(store->kv, where, err);
}
