/* store/check.c - read everything, and compare it with its sums. */
#include <string.h>

#include "base/fail.h"
#include "store/judged.h"
#include "store/parts.h"
#include "store/patch.h"
#include "store/teach.h"

static int same_totals(const cr__word_totals *a, const cr__word_totals *b)
{
    if (a->words != b->words || a->chosen != b->chosen || a->digest != b->digest)
        return 0;
    for (size_t c = 0; c < a->classes || c < b->classes; c++) {
        const cr__class_sum none = {0}, *x = c < a->classes ? &a->sum[c] : &none,
                            *y = c < b->classes ? &b->sum[c] : &none;

        if (x->terms != y->terms || x->documents != y->documents ||
            x->chosen_terms != y->chosen_terms || x->chosen_documents != y->chosen_documents)
            return 0;
    }
    return 1;
}

static cr_status check_words(cr_store *store, size_t column, const cr_model *head, cr_error *err)
{
    cr__word_totals kept = {0}, counted = {0};
    cr_status st = cr__word_totals_read(store, column, &kept, err);

    if (st == CR_OK)
        st = cr__word_totals_recount(store, column, cr__knobs_number(&head->knobs, "min-count"),
                                     &counted, err);
    if (st == CR_OK && !same_totals(&kept, &counted))
        st = cr__store_damaged(store, err, "the words of a text do not add up to its totals");
    cr__word_totals_free(&kept);
    cr__word_totals_free(&counted);
    return st;
}

static cr_status check_day(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    cr__judged j = {0};
    const cr_status st = cr__judged_add(&j, value.at, value.size);

    (void)key;
    cr__judged_free(&j);
    return st == CR_OK ? CR_OK
                       : cr__store_damaged(context, err, "the results of a day make no sense");
}

static cr_status check_patch(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    (void)key;
    return cr__patch_check(value) == CR_OK
               ? CR_OK
               : cr__store_damaged(context, err, "its journal makes no sense");
}

/* Whether the lessons by origin and period add up to the head. */
static cr_status check_parts(cr_store *store, const cr_model *head, cr_error *err)
{
    cr__stats *stats = NULL;
    cr_model *sum = NULL;
    void *a = NULL, *b = NULL;
    size_t m = 0, n = 0;
    cr_status st = cr__store_part_total(store, CR__ALL_PERIODS, &stats, err);

    if (st == CR_OK && stats == NULL)
        return head->rows == 0 ? CR_OK : cr__store_damaged(store, err, "its lessons are missing");
    if (st == CR_OK && (st = cr_model_copy(&sum, head, err)) != CR_OK)
        cr__stats_free(stats);
    if (st == CR_OK && (st = cr__model_become(sum, stats, NULL, err)) == CR_OK) {
        sum->calibration = cr__calibration_share(head->calibration);
        if ((st = cr_model_save_bytes(sum, &a, &m, err)) == CR_OK)
            st = cr_model_save_bytes(head, &b, &n, err);
    }
    if (st == CR_OK && (m != n || memcmp(a, b, n) != 0))
        st = cr__store_damaged(store, err, "the lessons of its periods do not add up to the head");
    cr_bytes_free(a);
    cr_bytes_free(b);
    cr_model_free(sum);
    return st;
}

static cr_status check(cr_store *store, void *context, cr_error *err)
{
    const cr__stats *stats;
    cr_model *head, *whole = NULL;
    cr_status st = cr__store_head(store, &head, err);

    (void)context;
    if (st == CR_OK)
        st = store->kv->kind->scan(store->kv, (cr__bytes){"J", 1}, check_patch, store, err);
    if (st == CR_OK)
        st = cr__model_stats(head, &stats, err);
    for (size_t i = 0; st == CR_OK && store->meta.apart && i < head->schema->columns; i++)
        if (stats->column[i].bag != NULL)
            st = check_words(store, i, head, err);
    if (st == CR_OK && cr__store_has_parts(store))
        st = check_parts(store, head, err);
    if (st == CR_OK) /* counts must be positive, and classes must exist */
        st = cr__store_view(store, NULL, &whole, err);
    if (st == CR_OK)
        st = store->kv->kind->scan(store->kv, (cr__bytes){"D", 1}, check_day, store, err);
    if (st == CR_OK)
        st = store->kv->kind->scan(store->kv, (cr__bytes){"E", 1}, check_day, store, err);
    if (st == CR_OK)
        st = cr__store_check_list(store, err);
    cr_model_free(whole);
    return st;
}

cr_status cr_store_check(cr_store *store, cr_error *err)
{
    return cr__store_read(store, check, NULL, err);
}
