/* text/stem.c - reduce words to their stems, by the Snowball stemmers of libstemmer. */
#include "text/stem.h"

#include "base/fail.h"
#include "base/library.h"
#include "base/memory.h"

#include <libstemmer.h>
#include <string.h>
#include <strings.h>

#define FUNCTIONS(X) X(list) X(new) X(stem) X(length) X(delete)
#define POINTER(name) __typeof__(sb_stemmer_##name) *name;

static struct {
    FUNCTIONS(POINTER)
} snowball;

static cr__library library = {CREDENCE_LIBSTEMMER, "sb_stemmer_", CR__NAMES(FUNCTIONS), &snowball,
                              0};

/* A cache of 4096 words, direct-mapped by hash: in running text nine words out of ten are found
 * there. */
enum { PLACES = 4096, ROOM = 24 };

typedef struct entry {
    uint64_t hash;
    unsigned char word_length, stem_length; /* word_length 0: empty */
    char word[ROOM], stem[ROOM];
} entry;

struct cr__stemmer {
    struct sb_stemmer *snowball;
    entry cache[PLACES];
};

static const struct language {
    const char *code, *name; /* ISO 639-1, and libstemmer's name */
} languages[] = {
    {"ar", "arabic"},     {"ca", "catalan"},  {"da", "danish"},     {"de", "german"},
    {"el", "greek"},      {"en", "english"},  {"es", "spanish"},    {"eu", "basque"},
    {"fi", "finnish"},    {"fr", "french"},   {"ga", "irish"},      {"hi", "hindi"},
    {"hu", "hungarian"},  {"hy", "armenian"}, {"id", "indonesian"}, {"it", "italian"},
    {"lt", "lithuanian"}, {"ne", "nepali"},   {"nl", "dutch"},      {"no", "norwegian"},
    {"pt", "portuguese"}, {"ro", "romanian"}, {"ru", "russian"},    {"sr", "serbian"},
    {"sv", "swedish"},    {"ta", "tamil"},    {"tr", "turkish"},    {"yi", "yiddish"},
};

static const struct language *find(const char *wanted)
{
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (strcasecmp(languages[i].code, wanted) == 0 ||
            strcasecmp(languages[i].name, wanted) == 0)
            return &languages[i];
    return NULL;
}

/* The spelling in libstemmer's own list, which depends on its version; NULL when it is not there.
 */
static const char *snowball_name(const char *name)
{
    for (const char **list = snowball.list(); *list != NULL; list++)
        if (strcasecmp(*list, name) == 0)
            return *list;
    return NULL;
}

cr_status cr__stem_language(const char **name, const char *language, cr_error *err)
{
    const struct language *known = find(language);
    const cr_status st = cr__library_open(&library, err);

    *name = st == CR_OK ? snowball_name(known != NULL ? known->name : language) : NULL;
    if (known != NULL && *name != NULL)
        *name = known->code;
    return st;
}

cr_status cr__stemmer_new(cr__stemmer **out, const char *language, cr_error *err)
{
    const struct language *known = find(language);
    const char *name;
    cr__stemmer *stemmer;
    const cr_status st = cr__library_open(&library, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((name = snowball_name(known != NULL ? known->name : language)) == NULL)
        return cr__fail(err, CR_EARG, "there is no stemmer for \"%s\"", language);
    stemmer = cr__alloc_zero(1, sizeof *stemmer);
    if (stemmer == NULL)
        return cr__fail_memory(err);
    stemmer->snowball = snowball.new(name, "UTF_8");
    if (stemmer->snowball == NULL) {
        cr__free(stemmer);
        return cr__fail_memory(err);
    }
    *out = stemmer;
    return CR_OK;
}

void cr__stemmer_free(cr__stemmer *stemmer)
{
    if (stemmer == NULL)
        return;
    snowball.delete(stemmer->snowball);
    cr__free(stemmer);
}

static void remember(entry *place, const char *word, size_t word_length, const char *stem,
                     size_t stem_length, uint64_t hash)
{
    if (word_length > ROOM || stem_length > ROOM)
        return;
    place->hash = hash;
    place->word_length = (unsigned char)word_length;
    place->stem_length = (unsigned char)stem_length;
    memcpy(place->word, word, word_length);
    memcpy(place->stem, stem, stem_length);
}

const char *cr__stem(cr__stemmer *stemmer, const char *word, size_t *length, uint64_t hash)
{
    entry *place = &stemmer->cache[hash % PLACES];
    const sb_symbol *stem;

    if (*length == 0 || *length > CR__STEM_LONGEST)
        return word;
    if (place->hash == hash && place->word_length == *length &&
        memcmp(place->word, word, *length) == 0) {
        *length = place->stem_length;
        return place->stem;
    }
    stem = snowball.stem(stemmer->snowball, (const sb_symbol *)word, (int)*length);
    if (stem == NULL)
        return NULL;
    {
        const size_t stem_length = (size_t)snowball.length(stemmer->snowball);

        remember(place, word, *length, (const char *)stem, stem_length, hash);
        *length = stem_length;
    }
    return (const char *)stem;
}
