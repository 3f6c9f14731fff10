/* base/arena.c - a list of blocks, each twice the size of the one before, up to a limit. */
#include "base/arena.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define SEPARATE_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SEPARATE_BLOCKS 1
#endif
#endif
#ifndef SEPARATE_BLOCKS
#define SEPARATE_BLOCKS 0
#endif

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

typedef struct cr__arena_block {
    struct cr__arena_block *next;
    size_t used, capacity; /* bytes of data */
    max_align_t data[];
} block;

static block *block_new(size_t capacity)
{
    if (capacity > (size_t)PTRDIFF_MAX - sizeof(block))
        return NULL;
    block *b = cr__alloc(1, sizeof *b + capacity);
    if (b != NULL)
        *b = (block){.capacity = capacity};
    return b;
}

/* A block that has room for need bytes. A large object gets a block of its own behind the head, so
 * that the rest of the head stays in use. */
static block *block_with_room(cr__arena *arena, size_t need)
{
    block *head = arena->head;
    if (head != NULL && head->capacity - head->used >= need && !SEPARATE_BLOCKS)
        return head;

    size_t capacity = head == NULL ? FIRST_BLOCK : 2 * head->capacity;
    if (capacity > LARGEST_BLOCK)
        capacity = LARGEST_BLOCK;
    int alone = SEPARATE_BLOCKS || need > capacity / 4;
    block *b = block_new(alone ? need : capacity);
    if (b == NULL)
        return NULL;
    if (alone && head != NULL) {
        b->next = head->next;
        head->next = b;
    } else {
        b->next = head;
        arena->head = b;
    }
    return b;
}

void *cr__arena_alloc(cr__arena *arena, size_t count, size_t size)
{
    const size_t align = _Alignof(max_align_t);

    if (size != 0 && count > ((size_t)PTRDIFF_MAX - align) / size)
        return NULL;
    size_t bytes = count * size;
    size_t need = bytes == 0 ? align : (bytes + align - 1) / align * align;
    if (SEPARATE_BLOCKS && bytes > 0)
        need = bytes; /* without padding the first byte past the object is out of bounds */
    block *b = block_with_room(arena, need);
    if (b == NULL)
        return NULL;
    void *object = (char *)b->data + b->used;
    b->used += need;
    return object;
}

char *cr__arena_copy(cr__arena *arena, const char *bytes, size_t n)
{
    if (n == SIZE_MAX)
        return NULL;
    char *copy = cr__arena_alloc(arena, n + 1, 1);
    if (copy == NULL)
        return NULL;
    if (n > 0)
        memcpy(copy, bytes, n);
    copy[n] = '\0';
    return copy;
}

void cr__arena_free(cr__arena *arena)
{
    for (block *b = arena->head, *next; b != NULL; b = next) {
        next = b->next;
        cr__free(b);
    }
    arena->head = NULL;
}
