/* source/input.c - the bytes of an input: mapped, read, or unpacked. */
#include "source/input.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/archive.h"
#include "source/raw.h"
#include "source/folder.h"

#define READ_SIZE ((size_t)64 << 10) /* the least to ask of a stream at once */
#define MAGIC_SIZE 512               /* bytes that tell what an input is */

struct cr__input {
    cr__raw raw;
    cr__blocks *pool;
    char *path;
    char *map;            /* of the whole file, between two pages of padding; NULL: not mapped */
    size_t map_size;      /* of the file */
    size_t map_at;        /* the next byte, */
    size_t map_end;       /* and where to stop */
    cr__archive *archive; /* NULL: bytes are taken as they are */
    cr__block *block;     /* read but not taken yet: text[begin, end) */
    size_t begin, end;
    int at_end;          /* of the member */
    size_t members;      /* met so far */
    atomic_size_t users; /* the source, and each chunk of a mapped file */
};

/* --- mapped files -------------------------------------------------------------------------- */

/* The file appears between two pages of nothing, so that reading a little before or after it is
 * safe; and privately, so that a last line without an end can be given one. */
static char *map_between_pages(const cr__raw *raw, size_t page)
{
    const size_t size = (size_t)raw->size;
    char *room;

    if (raw->size > SIZE_MAX / 2 - 3 * page)
        return NULL;
    room = mmap(NULL, size + 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    if (mmap(room + page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, raw->fd, 0) ==
        MAP_FAILED) {
        munmap(room, size + 3 * page);
        return NULL;
    }
    madvise(room + page, size, MADV_SEQUENTIAL);
    return room + page;
}

static void unmap(cr__input *input)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (input->map != NULL)
        munmap(input->map - page, input->map_size + 3 * page);
    input->map = NULL;
}

/* A mapping of a file that has shrunk ends in a signal. Looking before each chunk does not close
 * that window, but it leaves only a crack. */
static cr_status still_there(const cr__input *input, size_t size, cr_error *err)
{
    struct stat about;

    if (fstat(input->raw.fd, &about) != 0 ||
        (uint64_t)about.st_size < (uint64_t)input->map_at + size)
        return cr__fail(err, CR_EIO, "%s has shrunk while it was read", input->path);
    return CR_OK;
}

/* --- opening ------------------------------------------------------------------------------- */

/* Look at the first bytes and choose how to go on. The bytes are read again afterwards. */
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
    if (input->raw.regular &&
        (input->map = map_between_pages(&input->raw, (size_t)sysconf(_SC_PAGESIZE))) != NULL) {
        input->map_size = (size_t)input->raw.size;
        input->map_at = (size_t)input->raw.start;
        input->map_end = input->map_size;
        return CR_OK;
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
    atomic_init(&input->users, 1);
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
    if (input == NULL || atomic_fetch_sub(&input->users, 1) > 1)
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

/* More bytes behind those of the block, which grows to hold `size`. */
static cr_status read_more(cr__input *input, size_t size, cr_error *err)
{
    cr__block *block = input->block;
    size_t got = 0;
    cr_status st;

    if (block == NULL && (block = input->block = cr__block_get(input->pool)) == NULL)
        return cr__fail_memory(err);
    if (input->begin > 0 && input->begin + size > block->capacity) {
        memmove(block->text, block->text + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->begin = 0;
    }
    if (!cr__block_reserve(block, size > READ_SIZE ? size : READ_SIZE))
        return cr__fail_memory(err);
    if (input->archive != NULL)
        st = cr__archive_read(input->archive, block->text + input->end,
                              block->capacity - input->end, &got, err);
    else
        st = cr__raw_read(&input->raw, block->text + input->end, block->capacity - input->end, &got,
                          err);
    input->end += got;
    input->at_end = got == 0;
    return st == CR_OK ? st : cr__fail_at(err, st, input->path, 0, 0);
}

cr_status cr__input_see(cr__input *input, size_t least, size_t most, cr__view *view, cr_error *err)
{
    cr_status st;

    if (input->map != NULL) {
        const size_t left = input->map_end - input->map_at;

        *view = (cr__view){input->map + input->map_at, most < left ? most : left, most >= left};
        return still_there(input, view->size, err);
    }
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
    if (input->map != NULL)
        input->map_at += size;
    else
        input->begin += size;
}

/* What a fault maps besides the page that is wanted: reading a chunk brings back some pages before
 * it, which must be dropped once more with it. */
#define FAULT_AROUND ((size_t)512 << 10)

/* With several workers the chunk that follows those being parsed is brought in by one of them: the
 * faults of a chunk would otherwise all be taken by who cuts it, while the others wait. */
static void look_ahead(const cr__input *input, cr__block *block, size_t size)
{
    const size_t skip = input->map_at + size * (input->pool->workers - 1);

    if (input->pool->workers < 2 || skip >= input->map_size)
        return;
    block->ahead = input->map + skip;
    block->ahead_size = input->map_size - skip < size ? input->map_size - skip : size;
}

/* Pages are dropped many at a time, by the chunk that crosses a multiple of this: every time all
 * processors are interrupted that work on the file. */
#define DROP_SIZE ((size_t)4 << 20)

/* What the chunk that begins at map_at should drop. The page that holds the end of the file may
 * have been written to, so it is never dropped. */
static void plan_drop(const cr__input *input, cr__block *block, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t last_page = input->map_size / page * page, end = input->map_at + size;
    size_t from = input->map_at / DROP_SIZE * DROP_SIZE, to = end < last_page ? end : last_page;

    from -= from < FAULT_AROUND ? from : FAULT_AROUND;
    if (input->map_at / DROP_SIZE == end / DROP_SIZE || from >= to)
        return;
    block->pages = input->map + from;
    block->pages_size = to - from;
}

static cr_status take_mapped(cr__input *input, size_t size, cr__chunk *chunk, cr_error *err)
{
    char *bytes = input->map + input->map_at;
    cr__block *block = cr__block_get(input->pool);

    if (block == NULL)
        return cr__fail_memory(err);
    atomic_fetch_add(&input->users, 1);
    block->owner = input;
    plan_drop(input, block, size);
    input->map_at += size;
    look_ahead(input, block, size);
    if (input->map_at == input->map_size && bytes[size - 1] != '\n')
        bytes[size++] = '\n';
    *chunk = (cr__chunk){.bytes = bytes, .size = size, .block = block};
    return CR_OK;
}

static cr_status take_read(cr__input *input, size_t size, cr__chunk *chunk, cr_error *err)
{
    cr__block *block = input->block, *rest = NULL;
    const size_t left = input->end - input->begin - size;
    char *bytes = block->text + input->begin;

    if (left > 0) {
        rest = cr__block_get(input->pool);
        if (rest == NULL || !cr__block_reserve(rest, left > READ_SIZE ? left : READ_SIZE)) {
            cr__block_put(rest);
            return cr__fail_memory(err);
        }
        memcpy(rest->text, bytes + size, left);
    }
    if (left == 0 && input->at_end && bytes[size - 1] != '\n')
        bytes[size++] = '\n'; /* there is padding for it */
    memset(bytes + size, 0, CR__PAD - 1);
    input->block = rest;
    input->begin = 0;
    input->end = left;
    *chunk = (cr__chunk){.bytes = bytes, .size = size, .block = block};
    return CR_OK;
}

cr_status cr__input_take(cr__input *input, size_t size, cr__chunk *chunk, cr_error *err)
{
    return input->map != NULL ? take_mapped(input, size, chunk, err)
                              : take_read(input, size, chunk, err);
}

const char *cr__input_mapped(const cr__input *input, uint64_t *at)
{
    *at = input->map_at;
    return input->map;
}

void cr__input_narrow(cr__input *input, uint64_t begin, uint64_t end)
{
    if (end < input->map_size)
        input->map_end = (size_t)end;
    if (begin > input->map_at)
        input->map_at = (size_t)begin;
    if (input->map_at > input->map_end)
        input->map_at = input->map_end;
}

cr_status cr__input_rewind(cr__input *input, cr_error *err)
{
    cr_status st;

    input->members = 0;
    if (input->map != NULL) {
        input->map_at = (size_t)input->raw.start;
        input->map_end = input->map_size;
        return CR_OK;
    }
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
    return input->map != NULL ? input->map_at - input->raw.start
                              : input->raw.position - input->raw.start;
}

uint64_t cr__input_total(const cr__input *input)
{
    return input->raw.size - input->raw.start;
}
