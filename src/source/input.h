/* source/input.h - the bytes of an input: a file, standard input, or members of an archive.
 *
 *     open → (next member → (see → skip or take)* )* → close, with a rewind at any time
 *
 * Bytes are read into blocks that stay in a processor's cache. (Mapping plain files would save the
 * copy, but giving back the pages interrupts all processors that work on the file, which costs more
 * with two threads.) Compressed files and archives are recognised by their first bytes, never by
 * their names. What a pipe has delivered is kept in an unlinked temporary file as long as it may be
 * wanted a second time.
 */
#ifndef CR_SOURCE_INPUT_H
#define CR_SOURCE_INPUT_H

#include "source/block.h"
#include "source/source.h"

typedef struct cr__input cr__input;

/* "-" is standard input. */
cr_status cr__input_open(cr__input **out, const char *path, cr__blocks *pool, cr_error *err);

/* Bytes in memory, borrowed until the input is closed; name is used in messages. */
cr_status cr__input_open_memory(cr__input **out, const char *bytes, size_t size, const char *name,
                                cr__blocks *pool, cr_error *err);
void cr__input_close(cr__input *input); /* NULL is allowed */

/* Go to the next member (the only one, when the input is not an archive); CR_END after the last.
 * With `only` those that are not of this name, nor in a folder of it, are skipped. *name is
 * borrowed until the next one; NULL when the input is not an archive. */
cr_status cr__input_next(cr__input *input, const char *only, const char **name, cr_error *err);

typedef struct cr__view {
    const char *bytes;
    size_t size;
    int whole; /* nothing follows them */
} cr__view;

/* See the member's next bytes: at least `least` of them, or all that are left; at most `most`.
 * Valid until the next call of anything here. */
cr_status cr__input_see(cr__input *input, size_t least, size_t most, cr__view *view, cr_error *err);

void cr__input_skip(cr__input *input, size_t size); /* no more than are visible */

/* Hand out the next bytes, no more than are visible, with a block; at the end of the member a line
 * end is added when there is none. Fills bytes, size and block of the chunk. */
cr_status cr__input_take(cr__input *input, size_t size, cr__chunk *chunk, cr_error *err);

/* The bytes of a plain file, all of them, and the place of the next one; NULL when the input is
 * something else. */
const char *cr__input_mapped(cr__input *input, uint64_t *at);

/* Of a plain file hand out only bytes from begin (or from the next byte, when that is behind it)
 * to end, until it is rewound. */
void cr__input_narrow(cr__input *input, uint64_t begin, uint64_t end);

/* Rewind to before the first member. CR_EIO when the bytes are gone. */
cr_status cr__input_rewind(cr__input *input, cr_error *err);

/* It will not be rewound any more: keep nothing for that. */
void cr__input_forget(cr__input *input);

int cr__input_is_live(const cr__input *input);    /* a pipe or terminal: bytes arrive at any time */
int cr__input_is_kept(const cr__input *input);    /* it cannot be opened a second time */
size_t cr__input_members(const cr__input *input); /* met since the beginning */
uint64_t cr__input_done(const cr__input *input);  /* bytes used so far, compressed */
uint64_t cr__input_total(const cr__input *input); /* 0 when unknown */

#endif
