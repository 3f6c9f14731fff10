/* text/stem.h - reduce words to their stems, by the Snowball stemmers of libstemmer.
 *
 * A stemmer belongs to one thread. It caches the stems of common words, so that only rare words
 * cost time.
 */
#ifndef CR_TEXT_STEM_H
#define CR_TEXT_STEM_H

#include "credence/status.h"

#include <stddef.h>
#include <stdint.h>

/* Words longer than this many bytes are names, numbers or noise and are left as they are. */
#define CR__STEM_LONGEST 64

typedef struct cr__stemmer cr__stemmer;

/* The short name ("en") of a language given by either name ("en", "English"), the name itself when
 * only libstemmer knows it ("porter"), or NULL when it is unknown. CR_EIO without libstemmer. */
cr_status cr__stem_language(const char **name, const char *language, cr_error *err);

/* A stemmer for a name that cr__stem_language gave. CR_EARG, CR_ENOMEM, CR_EIO. */
cr_status cr__stemmer_new(cr__stemmer **out, const char *language, cr_error *err);
void cr__stemmer_free(cr__stemmer *stemmer); /* NULL is allowed */

/* The stem of a lower-case word in UTF-8 with its token hash; *length becomes the stem's. The
 * result is the word itself or lives until the next call. NULL when out of memory. */
const char *cr__stem(cr__stemmer *stemmer, const char *word, size_t *length, uint64_t hash);

#endif
