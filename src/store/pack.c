/* store/pack.c - read and write packs. */
#include "store/pack.h"

#include <string.h>

#include "store/varint.h"

static int read_pair(cr__reader *in, cr__pack_pair *pair)
{
    uint64_t rest, value;

    if (in->end - in->at >= 3 && ((in->at[0] | in->at[1] | in->at[2]) & 0x80) == 0) {
        pair->shared = in->at[0]; /* as almost always */
        rest = in->at[1];
        value = in->at[2];
        in->at += 3;
    } else {
        pair->shared = (size_t)cr__read_number(in);
        rest = cr__read_number(in);
        value = cr__read_number(in);
    }
    if (in->failed || rest > (size_t)(in->end - in->at) ||
        value > (size_t)(in->end - in->at) - rest)
        return -1;
    pair->rest = (cr__bytes){in->at, (size_t)rest};
    pair->value = (cr__bytes){in->at + rest, (size_t)value};
    in->at += rest + value;
    return 1;
}

/* How many bytes two strings share at their beginning. */
static size_t common(const char *a, size_t m, const char *b, size_t n)
{
    size_t i = 0;

    while (i < m && i < n && a[i] == b[i])
        i++;
    return i;
}

/* All keys before the one that is looked at are below the key, and share `same` bytes of it with
 * it at most. A key that shares more with its predecessor than that is below it for the same
 * reason, and one that shares less is above it. */
int cr__pack_find(cr__bytes pack, cr__bytes key, cr__bytes *value)
{
    cr__reader in = cr__reader_of(pack.at, pack.size);
    const char *const bytes = key.at;
    size_t same = 0;

    while (in.at < in.end) {
        cr__pack_pair p;
        const char *rest;
        size_t n;

        if (read_pair(&in, &p) < 0)
            return -1;
        if (p.shared > same)
            continue;
        if (p.shared < same)
            return 0;
        rest = p.rest.at;
        n = common(rest, p.rest.size, bytes + same, key.size - same);
        same += n;
        if (n < p.rest.size) {
            if (same == key.size || (unsigned char)rest[n] > (unsigned char)bytes[same])
                return 0;
        } else if (same == key.size) {
            *value = p.value;
            return 1;
        }
    }
    return 0;
}

int cr__pack_next(cr__bytes pack, size_t *at, cr__pack_pair *pair)
{
    cr__reader in;

    if (*at >= pack.size)
        return 0;
    in = cr__reader_of((const char *)pack.at + *at, pack.size - *at);
    if (read_pair(&in, pair) < 0)
        return -1;
    *at = (size_t)((const char *)in.at - (const char *)pack.at);
    return 1;
}

int cr__pack_key(const cr__pack_pair *p, char *key, size_t *size)
{
    if (p->shared > *size || p->rest.size == 0 || p->rest.size > CR__KV_KEY_MOST - p->shared)
        return 0;
    if (p->shared < *size && *(const unsigned char *)p->rest.at <= (unsigned char)key[p->shared])
        return 0;
    memcpy(key + p->shared, p->rest.at, p->rest.size);
    *size = p->shared + p->rest.size;
    return 1;
}

void cr__pack_add(cr__buffer *out, size_t shared, cr__bytes key, cr__bytes value)
{
    cr__put_number(out, shared);
    cr__put_number(out, key.size - shared);
    cr__put_number(out, value.size);
    cr__buffer_add(out, (const char *)key.at + shared, key.size - shared);
    cr__buffer_add(out, value.at, value.size);
}
