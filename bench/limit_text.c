/* bench/limit_text.c - the practical limit: the least work that training on texts can be.
 *
 *   limit_text FILE [THREADS]
 *
 * Reads fastText lines ("__label__c7 some words"), splits at anything that is not an ASCII letter
 * or digit, lower-cases, hashes, and counts words by class in a table that never grows and compares
 * 64-bit fingerprints instead of words. Words are handled in groups of 32: table slots are
 * prefetched, then counters. Prints how many words there are and how many differ.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BITS = 21, CLASSES = 32, GROUP = 32, MAX_THREADS = 64 };

typedef struct share {
    pthread_t thread;
    const char *begin, *end;
    uint64_t *key;              /* [2^BITS] fingerprints, 0 = empty */
    uint32_t (*count)[CLASSES]; /* [2^BITS] */
    uint64_t words, different;
    uint64_t pending[GROUP];
    uint32_t pending_class[GROUP];
    int pendings;
} share;

static unsigned char fold[256]; /* small letters and digits; 0: a separator */

static void die(const char *text)
{
    fprintf(stderr, "limit_text: %s\n", text);
    exit(1);
}

static void count_group(share *s)
{
    const uint64_t mask = ((uint64_t)1 << BITS) - 1;
    uint64_t at[GROUP];

    for (int i = 0; i < s->pendings; i++)
        __builtin_prefetch(&s->key[at[i] = s->pending[i] >> (64 - BITS)]);
    for (int i = 0; i < s->pendings; i++) {
        while (s->key[at[i]] != 0 && s->key[at[i]] != s->pending[i])
            at[i] = (at[i] + 1) & mask;
        s->different += s->key[at[i]] == 0;
        s->key[at[i]] = s->pending[i];
        __builtin_prefetch(&s->count[at[i]][s->pending_class[i]], 1);
    }
    for (int i = 0; i < s->pendings; i++)
        s->count[at[i]][s->pending_class[i]]++;
    s->words += (uint64_t)s->pendings;
    s->pendings = 0;
}

static const char *count_line(share *s, const char *p)
{
    uint32_t class_number = 0;

    for (int i = 0; i < 10 && *p != '\n'; i++) /* "__label__c" */
        p++;
    for (; *p != ' ' && *p != '\n'; p++)
        class_number = class_number * 10 + (uint32_t)(*p - '0');
    class_number %= CLASSES;
    while (*p != '\n') {
        uint64_t hash = 0, length = 0;
        unsigned char c;

        for (; (c = fold[(unsigned char)*p]) != 0; p++, length++)
            hash = (hash ^ c) * UINT64_C(0x100000001b3) + (hash >> 47);
        if (length > 0) {
            hash = (hash ^ length) * UINT64_C(0x9e3779b97f4a7c15);
            s->pending[s->pendings] = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15) | 1;
            s->pending_class[s->pendings++] = class_number;
            if (s->pendings == GROUP)
                count_group(s);
        } else {
            p++;
        }
    }
    return p + 1;
}

static void *work(void *argument)
{
    share *s = argument;

    s->key = calloc((size_t)1 << BITS, sizeof *s->key);
    s->count = calloc((size_t)1 << BITS, sizeof *s->count);
    if (s->key == NULL || s->count == NULL)
        die("out of memory");
    for (const char *p = s->begin; p < s->end;)
        p = count_line(s, p);
    count_group(s);
    return NULL;
}

/* Add the second table to the first. */
static void merge(share *into, const share *from)
{
    const uint64_t mask = ((uint64_t)1 << BITS) - 1;

    for (uint64_t i = 0; i <= mask; i++) {
        uint64_t at = from->key[i] >> (64 - BITS);
        if (from->key[i] == 0)
            continue;
        while (into->key[at] != 0 && into->key[at] != from->key[i])
            at = (at + 1) & mask;
        into->different += into->key[at] == 0;
        into->key[at] = from->key[i];
        for (int c = 0; c < CLASSES; c++)
            into->count[at][c] += from->count[i][c];
    }
    into->words += from->words;
}

/* The file in memory; a last line without an end gets one, beyond the file's own bytes. */
static const char *map_lines(int fd, size_t *size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, *size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (*size == 0 || map == MAP_FAILED ||
        mmap(map, *size, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, fd, 0) == MAP_FAILED)
        die("cannot map the file");
    if (map[*size - 1] != '\n') {
        if (mprotect(map + *size / page * page, page, PROT_READ | PROT_WRITE) != 0)
            die("cannot write to the last page");
        map[(*size)++] = '\n';
    }
    return map;
}

int main(int argc, char **argv)
{
    static share shares[MAX_THREADS];
    const int threads = argc > 2 ? atoi(argv[2]) : 1;
    const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    struct stat about;
    size_t size;
    const char *map, *at;

    if (fd < 0 || threads < 1 || threads > MAX_THREADS || fstat(fd, &about) != 0)
        die("usage: limit_text FILE [THREADS]");
    size = (size_t)about.st_size;
    map = map_lines(fd, &size);
    for (int c = 0; c < 256; c++)
        fold[c] = (unsigned char)(c >= 'A' && c <= 'Z'                               ? c + 32
                                  : (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c
                                                                                     : 0);
    at = map;
    for (int t = 0; t < threads; t++) {
        const char *aim = map + size / (size_t)threads * (size_t)(t + 1);
        shares[t].begin = at;
        if (t == threads - 1)
            at = map + size;
        else if (aim > at) /* a long line may have gone to the shares before */
            at = (const char *)memchr(aim, '\n', (size_t)(map + size - aim)) + 1;
        shares[t].end = at;
        if (pthread_create(&shares[t].thread, NULL, work, &shares[t]) != 0)
            die("cannot start a thread");
    }
    for (int t = 0; t < threads; t++)
        pthread_join(shares[t].thread, NULL);
    for (int t = 1; t < threads; t++)
        merge(&shares[0], &shares[t]);
    printf("%llu words, %llu different\n", (unsigned long long)shares[0].words,
           (unsigned long long)shares[0].different);
    return 0;
}
