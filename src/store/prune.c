/* store/prune.c - drop rare and old words.
 *
 * A word that occurred once, long ago, is hardly informative and takes as much room as any other.
 * Dropping is final: the store is then the model of texts without these words, and a row that had
 * one cannot be unlearned.
 */
#include "base/fail.h"
#include "base/sized.h"
#include "store/edit.h"

typedef struct pruning {
    const cr_store *store;
    cr_store_prune_options options;
    uint64_t oldest; /* words of this period or later are kept */
    cr_store_pruned *out;
} pruning;

/* Drop a word's counts; where other stores may have received them, a mark is left. */
static int prune_word(void *context, cr__word_record *r)
{
    pruning *p = context;
    const uint64_t version = p->store->meta.origin[0].version + 1;
    uint64_t newest = 0;
    int64_t terms = 0;
    size_t kept = 0;

    for (size_t i = 0; i < r->cells; i++) {
        terms += r->cell[i].terms;
        if (r->cell[i].terms != 0 && r->cell[i].period > newest)
            newest = r->cell[i].period;
    }
    if (terms <= 0 || (p->options.below > 0 && (uint64_t)terms >= p->options.below) ||
        (p->options.unseen > 0 && newest >= p->oldest))
        return 0;
    p->out->words++;
    p->out->occurrences += (uint64_t)terms;
    for (size_t i = 0; p->store->meta.shared && i < r->cells; i++)
        if (i == 0 || r->cell[i].period != r->cell[i - 1].period)
            r->cell[kept++] = (cr__word_cell){
                .origin = r->cell[i].origin, .period = r->cell[i].period, .version = version};
    r->cells = kept;
    r->grouped |= p->store->meta.shared;
    return 1;
}

static cr_status check_request(const cr_store *store, const cr_store_prune_options *o,
                               cr_error *err)
{
    if (o->below == 0 && o->unseen == 0)
        return cr__fail(err, CR_EARG, "no words to drop were specified");
    if (!store->meta.apart)
        return cr__fail(err, CR_ECONFLICT, "the words of this store depend on each other");
    if (o->unseen > 0 && store->meta.period == 0) {
        cr__fail(err, CR_ECONFLICT,
                 "the store has no periods: it does not know when words were learned");
        return cr__fail_hint(err, CR_ECONFLICT,
                             "drop words by their number, or make a store with "
                             "periods");
    }
    if (store->meta.origins > 1)
        return cr__fail(err, CR_ECONFLICT,
                        "the store has lessons of other stores, which only they "
                        "may drop");
    return CR_OK;
}

static cr_status prune(cr_store *store, void *context, cr_error *err)
{
    pruning *p = context;
    const uint64_t days = store->meta.period, now = cr__store_period(store);
    cr_model *head;
    cr_status st = check_request(store, &p->options, err);

    *p->out = (cr_store_pruned){0};
    if (st != CR_OK)
        return st;
    if (p->options.unseen > 0) {
        const uint64_t kept = (p->options.unseen + days - 1) / days;

        p->oldest = now < kept ? 0 : now - kept + 1;
    }
    if ((st = cr__words_rewrite(store, prune_word, p, err)) == CR_OK &&
        (st = cr__store_head(store, &head, err)) == CR_OK)
        st = cr__store_rebuild(store, head, err);
    return st;
}

cr_status cr_store_prune(cr_store *store, const cr_store_prune_options *options,
                         cr_store_pruned *out, cr_error *err)
{
    cr_store_pruned own;
    pruning p = {.store = store, .out = out == NULL ? &own : out};
    cr_status st =
        cr__sized_take(&p.options, sizeof p.options, options, "cr_store_prune_options", err);

    return st == CR_OK ? cr__store_write(store, prune, &p, err) : st;
}
