/* base/sha1.h - the hash SHA-1, which other programs use as names. It is no protection. */
#ifndef CR_BASE_SHA1_H
#define CR_BASE_SHA1_H

#include <stddef.h>

enum { CR__SHA1_BYTES = 20 };

void cr__sha1(const void *bytes, size_t size, unsigned char out[CR__SHA1_BYTES]);

#endif
