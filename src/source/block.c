/* source/block.c - the memory of a chunk, reused by later chunks. */
#include "source/block.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/input.h"
#include "source/json_strip.h"
#include "text/mail.h"

/* A block whose text has grown beyond this (for one very long record) is not kept at that size. */
#define KEPT_TEXT ((size_t)16 << 20)

cr_status cr__blocks_open(cr__blocks *pool, cr_error *err)
{
    pool->free = NULL;
    if (pthread_mutex_init(&pool->lock, NULL) != 0)
        return cr__fail_memory(err);
    return CR_OK;
}

static void free_text(cr__block *block)
{
    if (block->text != NULL)
        cr__free(block->text - CR__PAD);
    block->text = NULL;
    block->capacity = 0;
}

static void free_block(cr__block *block)
{
    free_text(block);
    cr__free(block->cell);
    cr__free(block->recent);
    cr__free(block->mark);
    cr__free(block->stamp);
    cr__buffer_free(&block->scratch);
    cr__buffer_free(&block->path);
    cr__buffer_free(&block->names);
    cr__free(block->document);
    if (block->mail != NULL)
        cr__mail_free(block->mail);
    cr__free(block->mail);
    cr__json_strip_free(block->json);
    cr__free(block);
}

void cr__blocks_close(cr__blocks *pool)
{
    while (pool->free != NULL) {
        cr__block *block = pool->free;
        pool->free = block->next;
        free_block(block);
    }
    pthread_mutex_destroy(&pool->lock);
}

cr__block *cr__block_get(cr__blocks *pool)
{
    cr__block *block;

    pthread_mutex_lock(&pool->lock);
    if ((block = pool->free) != NULL)
        pool->free = block->next;
    pthread_mutex_unlock(&pool->lock);
    if (block == NULL && (block = cr__alloc_zero(1, sizeof *block)) != NULL)
        block->pool = pool;
    if (block != NULL) {
        block->quoted = 0;
        block->laid = NULL;
    }
    return block;
}

int cr__block_reserve(cr__block *block, size_t size)
{
    char *memory;

    if (size <= block->capacity && block->text != NULL)
        return 1;
    if (size > SIZE_MAX - 2 * CR__PAD)
        return 0;
    memory = block->text != NULL ? block->text - CR__PAD : NULL;
    if ((memory = cr__realloc(memory, size + 2 * CR__PAD, 1)) == NULL)
        return 0;
    if (block->text == NULL)
        memset(memory, 0, CR__PAD);
    block->text = memory + CR__PAD;
    block->capacity = size;
    return 1;
}

void cr__block_put(cr__block *block)
{
    if (block == NULL)
        return;
    if (block->capacity > KEPT_TEXT)
        free_text(block);
    if (block->scratch.capacity > KEPT_TEXT || block->scratch.failed)
        cr__buffer_free(&block->scratch);
    if (block->path.failed)
        cr__buffer_free(&block->path);
    if (block->names.failed)
        cr__buffer_free(&block->names);
    cr__buffer_clear(&block->scratch);
    cr__buffer_clear(&block->path);
    pthread_mutex_lock(&block->pool->lock);
    block->next = block->pool->free;
    block->pool->free = block;
    pthread_mutex_unlock(&block->pool->lock);
}
