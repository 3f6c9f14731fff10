/* source/input.c - the bytes of an input: read, or unpacked. */
#include "source/input.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/archive.h"
#include "source/raw.h"
#include "source/folder.h"

#define READ_SIZE ((size_t)64 << 10) /* least number of bytes requested from a stream at once */
#define MAGIC_SIZE 512               /* bytes that identify an input */

struct cr__input {
    cr__raw raw;
    cr__blocks *pool;
    char *path;
    int plain;            /* a regular file whose bytes are taken as they are */
    uint64_t stop;        /* of a plain file: where to stop */
    char *map;            /* of a plain file, between two pages of padding; NULL: not mapped yet */
    cr__archive *archive; /* NULL: bytes are taken as they are */
    cr__block *block;     /* read but not taken yet: text[begin, end) */
    size_t begin, end;
    int at_end;     /* of the member */
    size_t members; /* met so far */
};

/* --- mapped files -------------------------------------------------------------------------- */

/* The file appears between two pages of nothing, so that reading a little before or after it is
 * safe. */
static char *map_between_pages(const cr__raw *raw, size_t page)
{
    const size_t size = (size_t)raw->size;
    char *room;

    if (raw->size > SIZE_MAX / 2 - 3 * page)
        return NULL;
    room = mmap(NULL, size + 3 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    if (mmap(room + page, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, raw->fd, 0) == MAP_FAILED) {
        munmap(room, size + 3 * page);
        return NULL;
    }
    return room + page;
}

static void unmap(cr__input *input)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (input->map != NULL)
        munmap(input->map - page, (size_t)input->raw.size + 3 * page);
    input->map = NULL;
}

/* --- opening ------------------------------------------------------------------------------- */

/* Examine the first bytes and choose how to continue. The bytes are read again afterwards. */
static cr_status choose_way(cr__input *input, cr_error *err)
{
    char magic[MAGIC_SIZE];
    size_t size = 0, got = 0;
    cr_status st;

    do {
        st = cr__raw_read(&input->raw, magic + size, sizeof magic - size, &got, err);
        if (st != CR_OK)
            return st;
        size += got;
    } while (got > 0 && cr__archive_recognise(magic, size) < 0);
    if (cr__archive_recognise(magic, size) > 0) {
        if ((st = cr__raw_seek(&input->raw, input->raw.start, err)) != CR_OK)
            return st;
        return cr__archive_open(&input->archive, &input->raw, err);
    }
    if (input->raw.regular) {
        input->plain = 1;
        input->stop = input->raw.size;
        (void)posix_fadvise(input->raw.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
        return cr__raw_seek(&input->raw, input->raw.start, err);
    }
    if ((input->block = cr__block_get(input->pool)) == NULL ||
        !cr__block_reserve(input->block, READ_SIZE))
        return cr__fail_memory(err);
    memcpy(input->block->text, magic, size);
    input->end = size;
    return CR_OK;
}

static cr_status open_with(cr__input **out, cr__input *input, cr__blocks *pool, const char *path,
                           cr_error *err)
{
    cr_status st;

    input->pool = pool;
    path = cr__path_shown(path);
    if ((input->path = cr__strndup(path, strlen(path))) == NULL)
        st = cr__fail_memory(err);
    else
        st = choose_way(input, err);
    if (st != CR_OK) {
        cr__input_close(input);
        return cr__fail_at(err, st, path, 0, 0);
    }
    *out = input;
    return CR_OK;
}

cr_status cr__input_open(cr__input **out, const char *path, cr__blocks *pool, cr_error *err)
{
    cr__input *input = cr__alloc_zero(1, sizeof *input);
    cr_status st;

    *out = NULL;
    if (input == NULL)
        return cr__fail_memory(err);
    if ((st = cr__raw_open(&input->raw, path, err)) != CR_OK) {
        cr__free(input);
        return st;
    }
    return open_with(out, input, pool, path, err);
}

cr_status cr__input_open_memory(cr__input **out, const char *bytes, size_t size, const char *name,
                                cr__blocks *pool, cr_error *err)
{
    cr__input *input = cr__alloc_zero(1, sizeof *input);

    *out = NULL;
    if (input == NULL)
        return cr__fail_memory(err);
    cr__raw_open_memory(&input->raw, bytes, size);
    return open_with(out, input, pool, name, err);
}

void cr__input_close(cr__input *input)
{
    if (input == NULL)
        return;
    unmap(input);
    cr__archive_close(input->archive);
    cr__block_put(input->block);
    cr__raw_close(&input->raw);
    cr__free(input->path);
    cr__free(input);
}

/* --- members and bytes --------------------------------------------------------------------- */

static void drop_rest(cr__input *input)
{
    input->begin = input->end = 0;
    input->at_end = 0;
}

cr_status cr__input_next(cr__input *input, const char *only, const char **name, cr_error *err)
{
    cr_status st;

    *name = NULL;
    if (input->archive == NULL)
        return input->members++ == 0 ? CR_OK : CR_END;
    drop_rest(input);
    do {
        if ((st = cr__archive_next(input->archive, name, err)) != CR_OK)
            return st == CR_END ? st : cr__fail_at(err, st, input->path, 0, 0);
    } while (only != NULL && (*name == NULL || !cr__path_is_below(*name, only)));
    input->members++;
    return CR_OK;
}

/* Bytes of a plain file up to where it ended when it was opened, whatever is appended to it
 * meanwhile: all passes see the same. */
static cr_status read_plain(cr__input *input, char *text, size_t size, size_t *got, cr_error *err)
{
    const uint64_t left = input->stop - input->raw.position;
    cr_status st;

    if (size > left)
        size = (size_t)left;
    if (size == 0)
        return CR_OK;
    st = cr__raw_read(&input->raw, text, size, got, err);
    if (st == CR_OK && *got == 0)
        return cr__fail(err, CR_EIO, "%s has shrunk while it was read", input->path);
    return st;
}

/* More bytes behind those of the block, which has room for `size` then. No more than these are
 * read, since what is left of a chunk is copied. */
static cr_status read_more(cr__input *input, size_t size, cr_error *err)
{
    cr__block *block = input->block;
    size_t got = 0;
    char *text;
    cr_status st;

    if (block == NULL && (block = input->block = cr__block_get(input->pool)) == NULL)
        return cr__fail_memory(err);
    size = size > READ_SIZE || input->plain ? size : READ_SIZE;
    if (input->begin > 0 && input->begin + size > block->capacity) {
        memmove(block->text, block->text + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->begin = 0;
    }
    if (!cr__block_reserve(block, input->begin + size))
        return cr__fail_memory(err);
    text = block->text + input->end;
    size -= input->end - input->begin;
    if (input->archive != NULL)
        st = cr__archive_read(input->archive, text, size, &got, err);
    else if (input->plain)
        st = read_plain(input, text, size, &got, err);
    else
        st = cr__raw_read(&input->raw, text, size, &got, err);
    input->end += got;
    input->at_end = got == 0 || (input->plain && input->raw.position == input->stop);
    return st == CR_OK ? st : cr__fail_at(err, st, input->path, 0, 0);
}

cr_status cr__input_see(cr__input *input, size_t least, size_t most, cr__view *view, cr_error *err)
{
    cr_status st;

    while (input->end - input->begin < least && !input->at_end)
        if ((st = read_more(input, most, err)) != CR_OK)
            return st;
    view->bytes = input->block != NULL ? input->block->text + input->begin : "";
    view->size = input->end - input->begin < most ? input->end - input->begin : most;
    view->whole = input->at_end && view->size == input->end - input->begin;
    return CR_OK;
}

void cr__input_skip(cr__input *input, size_t size)
{
    input->begin += size;
}

cr_status cr__input_take(cr__input *input, size_t size, cr__chunk *chunk, cr_error *err)
{
    cr__block *block = input->block, *rest = NULL;
    const size_t left = input->end - input->begin - size;
    const int cut = input->plain && input->stop < input->raw.size;
    char *bytes = block->text + input->begin;

    if (left > 0) {
        rest = cr__block_get(input->pool);
        if (rest == NULL || !cr__block_reserve(rest, left > READ_SIZE ? left : READ_SIZE)) {
            cr__block_put(rest);
            return cr__fail_memory(err);
        }
        memcpy(rest->text, bytes + size, left);
    }
    if (left == 0 && input->at_end && !cut && bytes[size - 1] != '\n')
        bytes[size++] = '\n'; /* there is padding for it */
    memset(bytes + size, 0, CR__PAD - 1);
    input->block = rest;
    input->begin = 0;
    input->end = left;
    *chunk = (cr__chunk){.bytes = bytes, .size = size, .block = block};
    return CR_OK;
}

/* The place of the next byte of a plain file. */
static uint64_t next_place(const cr__input *input)
{
    return input->raw.position - (input->end - input->begin);
}

const char *cr__input_mapped(cr__input *input, uint64_t *at)
{
    *at = next_place(input);
    if (input->plain && input->map == NULL)
        input->map = map_between_pages(&input->raw, (size_t)sysconf(_SC_PAGESIZE));
    return input->map;
}

void cr__input_narrow(cr__input *input, uint64_t begin, uint64_t end)
{
    const uint64_t at = next_place(input);

    if (end < input->raw.size)
        input->stop = end;
    drop_rest(input);
    input->raw.position = begin > at ? begin : at;
    if (input->raw.position > input->stop)
        input->raw.position = input->stop;
}

cr_status cr__input_rewind(cr__input *input, cr_error *err)
{
    cr_status st;

    input->members = 0;
    input->stop = input->raw.size;
    drop_rest(input);
    if ((st = cr__raw_seek(&input->raw, input->raw.start, err)) != CR_OK)
        return cr__fail_at(err, st, input->path, 0, 0);
    if (input->archive != NULL) {
        cr__archive_close(input->archive);
        input->archive = NULL;
        if ((st = cr__archive_open(&input->archive, &input->raw, err)) != CR_OK)
            return cr__fail_at(err, st, input->path, 0, 0);
    }
    return CR_OK;
}

void cr__input_forget(cr__input *input)
{
    cr__raw_forget(&input->raw);
}

int cr__input_is_live(const cr__input *input)
{
    return !input->raw.regular && input->raw.memory == NULL;
}

int cr__input_is_kept(const cr__input *input)
{
    return !input->raw.regular;
}

size_t cr__input_members(const cr__input *input)
{
    return input->members;
}

uint64_t cr__input_done(const cr__input *input)
{
    return (input->plain ? next_place(input) : input->raw.position) - input->raw.start;
}

uint64_t cr__input_total(const cr__input *input)
{
    return input->raw.size - input->raw.start;
}
