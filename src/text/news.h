/* text/news.h - leave out what newsgroup posts say about their sender rather than their subject.
 *
 * The same parts as scikit-learn's fetch_20newsgroups(remove=...) leaves out, in the same order:
 * headers: all up to the first empty line (all, when there is none);
 * footers: what follows the last line that is empty or made of hyphens, if that is not the first;
 * quotes: lines that begin with '>' or '|', "In article" or "Quoted from", and lines that say
 * "writes:", "writes in", "wrote:", "says:" or "said:".
 */
#ifndef CR_TEXT_NEWS_H
#define CR_TEXT_NEWS_H

#include "base/buffer.h"

#include <stddef.h>

/* Remove the parts in `strip` (CR__STRIP_...) from *bytes and *size, valid UTF-8. To remove quotes,
 * the rest is copied to scratch, and *bytes then points there. 0 when out of memory. */
int cr__news_strip(unsigned strip, const char **bytes, size_t *size, cr__buffer *scratch);

#endif
