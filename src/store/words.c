/* store/words.c - the keys of words, and the totals of the words of a text. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/store.h"

enum { HEAD = 3, LONGEST = CR__KV_KEY_MOST - HEAD - 32 }; /* of a word that is its own key */

/* --- keys ------------------------------------------------------------------------------------- */

static void key_head(char *head, char kind, size_t column)
{
    head[0] = kind;
    head[1] = (char)(column >> 8);
    head[2] = (char)column;
}

/* For a long word: its beginning, a byte that no text has, and 128 bits of hash. */
void cr__record_key(cr__buffer *out, size_t column, const char *word, size_t length)
{
    const size_t own = length <= LONGEST ? length : LONGEST;
    char *key = cr__buffer_reserve(out, HEAD + own);

    if (key == NULL)
        return;
    key_head(key, 'W', column);
    memcpy(key + HEAD, word, own);
    out->size += HEAD + own;
    if (length > LONGEST) {
        const XXH128_hash_t hash = XXH3_128bits(word, length);

        cr__buffer_addc(out, (char)0xff);
        cr__buffer_add(out, &hash, sizeof hash);
    }
}

cr__bytes cr__record_word(cr__bytes key, const cr__word_record *r)
{
    return r->word != NULL ? (cr__bytes){r->word, r->length}
                           : (cr__bytes){(const char *)key.at + HEAD, key.size - HEAD};
}

/* --- totals ----------------------------------------------------------------------------------- */

void cr__word_totals_free(cr__word_totals *t)
{
    cr__free(t->sum);
    *t = (cr__word_totals){0};
}

static int make_room(cr__word_totals *t, size_t classes)
{
    cr__class_sum *sum;

    if (classes <= t->classes)
        return 1;
    if ((sum = cr__realloc(t->sum, classes, sizeof *sum)) == NULL)
        return 0;
    memset(sum + t->classes, 0, (classes - t->classes) * sizeof *sum);
    t->sum = sum;
    t->classes = classes;
    return 1;
}

cr_status cr__word_totals_read(cr_store *store, size_t column, cr__word_totals *out, cr_error *err)
{
    char key[HEAD];
    cr__bytes value;
    cr__reader in;
    uint64_t classes;
    cr_status st;

    *out = (cr__word_totals){0};
    key_head(key, 'T', column);
    if ((st = cr__store_get(store, key, HEAD, &value, err)) != CR_OK)
        return st;
    if (!make_room(out, store->meta.classes))
        return cr__fail_memory(err);
    if (value.size == 0)
        return CR_OK;
    in = cr__reader_of(value.at, value.size);
    out->words = cr__read_number(&in);
    out->chosen = cr__read_number(&in);
    out->digest = cr__read_number(&in);
    classes = cr__read_number(&in);
    if (classes > out->classes)
        in.failed = 1;
    for (uint64_t c = 0; !in.failed && c < classes; c++) {
        out->sum[c].terms = cr__read_signed(&in);
        out->sum[c].documents = cr__read_signed(&in);
        out->sum[c].chosen_terms = cr__read_signed(&in);
        out->sum[c].chosen_documents = cr__read_signed(&in);
    }
    if (!in.failed && in.at == in.end)
        return CR_OK;
    cr__word_totals_free(out);
    return cr__store_damaged(store, err, "the totals of a text make no sense");
}

cr_status cr__word_totals_write(cr_store *store, size_t column, const cr__word_totals *t,
                                cr_error *err)
{
    cr__buffer value = {0};
    char key[HEAD];
    cr_status st;

    key_head(key, 'T', column);
    cr__put_number(&value, t->words);
    cr__put_number(&value, t->chosen);
    cr__put_number(&value, t->digest);
    cr__put_number(&value, t->classes);
    for (size_t c = 0; c < t->classes; c++) {
        cr__put_signed(&value, t->sum[c].terms);
        cr__put_signed(&value, t->sum[c].documents);
        cr__put_signed(&value, t->sum[c].chosen_terms);
        cr__put_signed(&value, t->sum[c].chosen_documents);
    }
    st = value.failed ? cr__fail_memory(err)
                      : cr__store_put(store, key, HEAD, value.data, value.size, err);
    cr__buffer_free(&value);
    return st;
}

uint64_t cr__word_digest(cr__bytes key, cr__bytes value)
{
    return value.size == 0
               ? 0
               : XXH3_64bits_withSeed(value.at, value.size, XXH3_64bits(key.at, key.size));
}

cr_status cr__word_totals_count(cr__word_totals *t, const cr__word_record *r, double least,
                                int sign)
{
    int64_t terms = 0;
    int there = 0, chosen;

    for (size_t i = 0; i < r->cells; i++) {
        terms += r->cell[i].terms;
        if (r->cell[i].class_id >= t->classes && !make_room(t, r->cell[i].class_id + (size_t)1))
            return CR_ENOMEM;
    }
    chosen = (double)terms >= least;
    for (size_t i = 0; i < r->cells; i++) {
        cr__class_sum *s = &t->sum[r->cell[i].class_id];

        s->terms += sign * r->cell[i].terms;
        s->documents += sign * r->cell[i].documents;
        s->chosen_terms += chosen ? sign * r->cell[i].terms : 0;
        s->chosen_documents += chosen ? sign * r->cell[i].documents : 0;
    }
    there = terms > 0;
    t->words += there ? (uint64_t)(int64_t)sign : 0;
    t->chosen += there && chosen ? (uint64_t)(int64_t)sign : 0;
    return CR_OK;
}
