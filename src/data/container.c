/* data/container.c - write and open model files. */
#include "data/container.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/fail.h"
#include "base/memory.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "model files are used without conversion, which needs a little-endian machine"
#endif

enum { HEADER_BYTES = 64, ENTRY_BYTES = 32, ALIGNMENT = 64 };

static const unsigned char magic[8] = {0x89, 'C', 'R', 'E', 'D', '\r', '\n', 0x1a};

typedef struct header {
    unsigned char magic[8];
    uint32_t format, sections;
    uint64_t file_size;
    uint64_t table_checksum;
    uint64_t header_checksum; /* of the 32 bytes before it */
    unsigned char zero[24];
} header;

typedef struct entry {
    uint32_t tag, index;
    uint64_t offset, size, checksum;
} entry;

_Static_assert(sizeof(header) == HEADER_BYTES && sizeof(entry) == ENTRY_BYTES, "no padding");

/* --- writing --------------------------------------------------------------------------------- */

void cr__draft_section_begin(cr__draft *draft, uint32_t tag, uint32_t index)
{
    if (draft->failed || !cr__grow(&draft->section, &draft->section_capacity, draft->sections + 1,
                                   sizeof *draft->section)) {
        draft->failed = 1;
        return;
    }
    draft->section[draft->sections++] =
        (cr__draft_section){.tag = tag, .index = index, .first_piece = draft->pieces};
}

static void add_piece(cr__draft *draft, const void *bytes, size_t size, void *copy)
{
    if (draft->failed ||
        !cr__grow(&draft->piece, &draft->piece_capacity, draft->pieces + 1, sizeof *draft->piece)) {
        cr__free(copy);
        draft->failed = 1;
        return;
    }
    draft->piece[draft->pieces++] = (cr__piece){bytes, size, copy};
    draft->section[draft->sections - 1].pieces++;
    draft->section[draft->sections - 1].size += size;
}

void cr__draft_borrow(cr__draft *draft, const void *bytes, size_t size)
{
    if (size > 0)
        add_piece(draft, bytes, size, NULL);
}

void cr__draft_copy(cr__draft *draft, const void *bytes, size_t size)
{
    void *copy = size == 0 ? NULL : cr__alloc(size, 1);

    if (size == 0)
        return;
    if (copy == NULL) {
        draft->failed = 1;
        return;
    }
    memcpy(copy, bytes, size);
    add_piece(draft, copy, size, copy);
}

/* Dictionary: u32 words, u32 slot bits, u64 seed, u64 bytes; hash[words] u64; end[words] u32;
 * slot[2^bits] u32; the bytes. */
typedef struct dict_head {
    uint32_t words, slot_bits;
    uint64_t seed, bytes_size;
} dict_head;

void cr__draft_dict(cr__draft *draft, const cr__dict *dict)
{
    const dict_head head = {dict->words, dict->slot_bits, dict->seed, dict->bytes_size};
    const size_t slots = dict->slot_bits == 0 ? 0 : (size_t)1 << dict->slot_bits;

    cr__draft_copy(draft, &head, sizeof head);
    cr__draft_borrow(draft, dict->hash, dict->words * sizeof *dict->hash);
    cr__draft_borrow(draft, dict->end, dict->words * sizeof *dict->end);
    cr__draft_borrow(draft, dict->slot, slots * sizeof *dict->slot);
    cr__draft_borrow(draft, dict->bytes, dict->bytes_size);
}

void cr__draft_free(cr__draft *draft)
{
    for (size_t i = 0; i < draft->pieces; i++)
        cr__free(draft->piece[i].copy);
    cr__free(draft->piece);
    cr__free(draft->section);
    *draft = (cr__draft){0};
}

static void feed(XXH3_state_t *state, const cr__draft *draft, const cr__draft_section *s,
                 XXH_errorcode (*update)(XXH3_state_t *, const void *, size_t))
{
    for (size_t i = 0; i < s->pieces; i++)
        update(state, draft->piece[s->first_piece + i].bytes,
               draft->piece[s->first_piece + i].size);
}

/* The 128-bit fingerprint (low, high) of the sections from `first` on. */
static void digest_sections(const cr__draft *draft, size_t first, uint64_t digest[2])
{
    XXH3_state_t state;
    XXH128_hash_t sum;

    XXH3_128bits_reset(&state);
    for (size_t i = first; i < draft->sections; i++) {
        const cr__draft_section *s = &draft->section[i];
        uint64_t name[2] = {(uint64_t)s->index << 32 | s->tag, s->size};

        XXH3_128bits_update(&state, name, sizeof name);
        feed(&state, draft, s, XXH3_128bits_update);
    }
    sum = XXH3_128bits_digest(&state);
    digest[0] = sum.low64;
    digest[1] = sum.high64;
}

cr_status cr__draft_fingerprint(const cr__draft *draft, char out[33], cr_error *err)
{
    uint64_t digest[2];

    if (draft->failed)
        return cr__fail_memory(err);
    digest_sections(draft, 0, digest);
    for (int i = 0; i < 32; i++)
        out[i] = "0123456789abcdef"[digest[1 - i / 16] >> (60 - i % 16 * 4) & 15];
    out[32] = '\0';
    return CR_OK;
}

static int compare_sections(const void *pa, const void *pb)
{
    const cr__draft_section *a = pa, *b = pb;

    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static uint64_t align(uint64_t offset)
{
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Assign every section its offset and checksum. Returns the size of the file. */
static uint64_t lay_out(const cr__draft *draft, entry *table)
{
    uint64_t offset = align(HEADER_BYTES + (uint64_t)draft->sections * ENTRY_BYTES);
    XXH3_state_t state;

    for (size_t i = 0; i < draft->sections; i++) {
        const cr__draft_section *s = &draft->section[i];

        XXH3_64bits_reset(&state);
        feed(&state, draft, s, XXH3_64bits_update);
        table[i] = (entry){s->tag, s->index, offset, s->size, XXH3_64bits_digest(&state)};
        offset = align(offset + s->size);
    }
    return offset;
}

/* The destination of a container: a file, or a block of memory that is large enough. */
typedef struct sink {
    cr__writer *file; /* NULL: memory */
    char *at;
} sink;

static cr_status put(sink *to, const void *bytes, size_t size, cr_error *err)
{
    if (to->file != NULL)
        return cr__writer_write(to->file, bytes, size, err);
    if (size > 0)
        memcpy(to->at, bytes, size);
    to->at += size;
    return CR_OK;
}

static cr_status put_gap(sink *to, uint64_t size, cr_error *err)
{
    static const char zeros[ALIGNMENT];

    return put(to, zeros, (size_t)(align(size) - size), err);
}

static cr_status put_all(const cr__draft *draft, const entry *table, uint64_t file_size, sink *to,
                         cr_error *err)
{
    const size_t table_bytes = draft->sections * ENTRY_BYTES;
    header head = {.format = CR__FORMAT, .sections = (uint32_t)draft->sections};
    cr_status st;

    memcpy(head.magic, magic, sizeof magic);
    head.file_size = file_size;
    head.table_checksum = XXH3_64bits(table, table_bytes);
    cr__container_seal_header(&head);
    st = put(to, &head, sizeof head, err);
    if (st == CR_OK)
        st = put(to, table, table_bytes, err);
    if (st == CR_OK)
        st = put_gap(to, HEADER_BYTES + table_bytes, err);
    for (size_t i = 0; st == CR_OK && i < draft->sections; i++) {
        const cr__draft_section *s = &draft->section[i];
        for (size_t p = 0; st == CR_OK && p < s->pieces; p++)
            st = put(to, draft->piece[s->first_piece + p].bytes,
                     draft->piece[s->first_piece + p].size, err);
        if (st == CR_OK)
            st = put_gap(to, s->size, err);
    }
    return st;
}

/* The table of a draft whose sections are in order, and the size of its file. */
static cr_status lay_table(cr__draft *draft, entry **table, uint64_t *size, cr_error *err)
{
    if (draft->failed || draft->sections > UINT32_MAX ||
        (*table = cr__alloc(draft->sections, sizeof **table)) == NULL)
        return cr__fail_memory(err);
    qsort(draft->section, draft->sections, sizeof *draft->section, compare_sections);
    *size = lay_out(draft, *table);
    return CR_OK;
}

cr_status cr__draft_save(cr__draft *draft, const char *path, cr_error *err)
{
    sink to = {0};
    uint64_t size = 0;
    entry *table;
    cr_status st = lay_table(draft, &table, &size, err);

    if (st != CR_OK)
        return st;
    if ((st = cr__writer_open(&to.file, path, err)) == CR_OK) {
        st = put_all(draft, table, size, &to, err);
        if (st == CR_OK)
            st = cr__writer_commit(to.file, err);
        else
            cr__writer_abandon(to.file);
    }
    cr__free(table);
    return st;
}

/* The first aligned byte of a block that is larger than needed. */
static char *aligned(void *block)
{
    const uintptr_t at = (uintptr_t)block;

    return (char *)block + (align(at) - at);
}

/* The file in a block with `spare` bytes more than it needs. */
static cr_status put_in_block(cr__draft *draft, size_t spare, void **block, const void **bytes,
                              size_t *size, cr_error *err)
{
    uint64_t file_size = 0;
    entry *table;
    cr_status st = lay_table(draft, &table, &file_size, err);

    *block = NULL;
    if (st != CR_OK)
        return st;
    if (file_size > SIZE_MAX - spare ||
        (*block = cr__alloc((size_t)file_size + spare, 1)) == NULL) {
        st = cr__fail_memory(err);
    } else {
        sink to = {.at = spare == 0 ? *block : aligned(*block)};

        *bytes = to.at;
        *size = (size_t)file_size;
        st = put_all(draft, table, file_size, &to, err);
    }
    cr__free(table);
    return st;
}

cr_status cr__draft_bytes(cr__draft *draft, void **block, const void **bytes, size_t *size,
                          cr_error *err)
{
    return put_in_block(draft, ALIGNMENT, block, bytes, size, err);
}

cr_status cr__draft_block(cr__draft *draft, void **bytes, size_t *size, cr_error *err)
{
    const void *same;

    return put_in_block(draft, 0, bytes, &same, size, err);
}

void cr__container_seal_header(void *header_bytes)
{
    header *head = header_bytes;

    head->header_checksum = XXH3_64bits(head, offsetof(header, header_checksum));
}

void cr__container_seal(void *bytes, size_t size)
{
    unsigned char *at = bytes;
    header head;

    if (size < HEADER_BYTES)
        return;
    memcpy(&head, at, sizeof head);
    if (head.sections > (size - HEADER_BYTES) / ENTRY_BYTES)
        return;
    for (uint32_t i = 0; i < head.sections; i++) {
        unsigned char *place = at + HEADER_BYTES + (size_t)i * ENTRY_BYTES;
        entry e;

        memcpy(&e, place, sizeof e);
        if (e.offset <= size && e.size <= size - e.offset)
            e.checksum = XXH3_64bits(at + e.offset, e.size);
        memcpy(place, &e, sizeof e);
    }
    head.table_checksum = XXH3_64bits(at + HEADER_BYTES, (size_t)head.sections * ENTRY_BYTES);
    head.file_size = size;
    cr__container_seal_header(&head);
    memcpy(at, &head, sizeof head);
}

/* --- reading --------------------------------------------------------------------------------- */

cr_status cr__container_damaged(const cr__container *container, cr_error *err, const char *what)
{
    cr__fail(err, CR_EFORMAT, "this is not a sound model file: %s", what);
    cr__fail_at(err, CR_EFORMAT, container->path, 0, 0);
    return cr__fail_hint(err, CR_EFORMAT,
                         "it may be cut short or changed; train it again, or "
                         "take a copy");
}

int cr__container_begins(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static cr_status check_header(const cr__container *container, header *head, cr_error *err)
{
    if (container->map.size < sizeof *head || memcmp(container->map.data, magic, 8) != 0) {
        cr__fail(err, CR_EFORMAT, "this is not a model file");
        cr__fail_at(err, CR_EFORMAT, container->path, 0, 0);
        return cr__fail_hint(err, CR_EFORMAT, CR__SET("train training") " makes one");
    }
    memcpy(head, container->map.data, sizeof *head);
    if (head->header_checksum != XXH3_64bits(head, offsetof(header, header_checksum)))
        return cr__container_damaged(container, err, "the header's checksum is wrong");
    if (head->format > CR__FORMAT) {
        cr__fail(err, CR_EVERSION, "the model is of format %u; this program knows formats up to %d",
                 (unsigned)head->format, CR__FORMAT);
        cr__fail_at(err, CR_EVERSION, container->path, 0, 0);
        return cr__fail_hint(err, CR_EVERSION, "a newer credence reads it");
    }
    if (head->file_size != container->map.size)
        return cr__container_damaged(container, err, "its length is not the one in its header");
    if (head->sections > (container->map.size - sizeof *head) / ENTRY_BYTES)
        return cr__container_damaged(container, err, "the table of sections is cut short");
    return CR_OK;
}

static entry get_entry(const cr__container *container, uint32_t i)
{
    entry e;

    memcpy(&e, container->table + (size_t)i * ENTRY_BYTES, sizeof e);
    return e;
}

uint32_t cr__container_name(const cr__container *container, uint32_t i, char tag[5])
{
    const entry e = get_entry(container, i);

    for (int k = 0; k < 4; k++)
        tag[k] = (char)(e.tag >> 8 * k);
    tag[4] = '\0';
    return e.index;
}

static int entry_order(entry a, uint32_t tag, uint32_t index)
{
    if (a.tag != tag)
        return a.tag < tag ? -1 : 1;
    return a.index < index ? -1 : a.index > index;
}

/* Check that offsets and sizes lie inside the file and that the table is sorted for searching. */
static cr_status check_table(const cr__container *container, cr_error *err)
{
    for (uint32_t i = 0; i < container->sections; i++) {
        entry e = get_entry(container, i);

        if (e.offset % ALIGNMENT != 0 || e.offset > container->map.size ||
            e.size > container->map.size - e.offset)
            return cr__container_damaged(container, err, "a section lies outside the file");
        if (i > 0 && entry_order(get_entry(container, i - 1), e.tag, e.index) >= 0)
            return cr__container_damaged(container, err, "the table of sections is not in order");
    }
    return CR_OK;
}

static cr_status verify_sections(const cr__container *container, cr_error *err)
{
    for (uint32_t i = 0; i < container->sections; i++) {
        entry e = get_entry(container, i);

        if (XXH3_64bits(container->map.data + e.offset, e.size) != e.checksum)
            return cr__container_damaged(container, err, "a section's checksum is wrong");
    }
    return CR_OK;
}

static cr_status check(cr__container *container, int verify, cr_error *err)
{
    header head;
    cr_status st = check_header(container, &head, err);

    if (st != CR_OK)
        return st;
    container->sections = head.sections;
    container->table = (const unsigned char *)container->map.data + HEADER_BYTES;
    if (head.table_checksum != XXH3_64bits(container->table, (size_t)head.sections * ENTRY_BYTES))
        return cr__container_damaged(container, err,
                                     "the checksum of its table of sections is wrong");
    st = check_table(container, err);
    if (st == CR_OK && verify)
        st = verify_sections(container, err);
    return st;
}

cr_status cr__container_open(cr__container *container, const char *path, int verify, cr_error *err)
{
    cr_status st;

    *container = (cr__container){.path = cr__strndup(path, strlen(path))};
    if (container->path == NULL)
        return cr__fail_memory(err);
    if ((st = cr__map_open(&container->map, path, err)) == CR_OK)
        st = check(container, verify, err);
    if (st != CR_OK)
        cr__container_close(container);
    return st;
}

cr_status cr__container_borrow(cr__container *container, const void *bytes, size_t size, int verify,
                               cr_error *err)
{
    *container = (cr__container){.map = {.data = bytes, .size = size}};
    return check(container, verify, err);
}

int cr__container_aligned(const void *bytes)
{
    return (uintptr_t)bytes % ALIGNMENT == 0;
}

cr_status cr__container_copy(cr__container *container, const void *bytes, size_t size, int verify,
                             cr_error *err)
{
    void *block = size > SIZE_MAX - ALIGNMENT ? NULL : cr__alloc(size + ALIGNMENT, 1);
    cr_status st;

    *container = (cr__container){0};
    if (block == NULL)
        return cr__fail_memory(err);
    if (size > 0)
        memcpy(aligned(block), bytes, size);
    st = cr__container_borrow(container, aligned(block), size, verify, err);
    container->block = block;
    if (st != CR_OK)
        cr__container_close(container);
    return st;
}

void cr__container_close(cr__container *container)
{
    if (container->path != NULL)
        cr__map_close(&container->map);
    cr__free(container->path);
    cr__free(container->block);
    *container = (cr__container){0};
}

const void *cr__container_section(const cr__container *container, uint32_t tag, uint32_t index,
                                  size_t *size)
{
    uint32_t low = 0, high = container->sections;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        entry e = get_entry(container, middle);
        int order = entry_order(e, tag, index);

        if (order == 0) {
            *size = (size_t)e.size;
            return container->map.data + e.offset;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *size = 0;
    return NULL;
}

cr_status cr__container_need(const cr__container *container, uint32_t tag, uint32_t index,
                             size_t size, int exact, const void **bytes, size_t *found,
                             cr_error *err)
{
    const char name[5] = {(char)tag, (char)(tag >> 8), (char)(tag >> 16), (char)(tag >> 24), 0};
    char what[80];
    size_t have;

    *bytes = cr__container_section(container, tag, index, &have);
    if (*bytes == NULL || have < size || (exact && have != size)) {
        snprintf(what, sizeof what, "section %s %u %s", name, (unsigned)index,
                 *bytes == NULL ? "is missing" : "has a wrong length");
        return cr__container_damaged(container, err, what);
    }
    if (found != NULL)
        *found = have;
    return CR_OK;
}

cr_status cr__container_dict(const cr__container *container, uint32_t tag, uint32_t index,
                             cr__dict **out, cr_error *err)
{
    const char *bytes;
    const void *section;
    dict_head head;
    size_t size, need, slots;
    cr__dict *dict;
    cr_status st = cr__container_need(container, tag, index, sizeof head, 0, &section, &size, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    bytes = section;
    memcpy(&head, bytes, sizeof head);
    if (head.words > CR__DICT_WORDS_MAX || head.slot_bits > 32 || head.bytes_size > size)
        return cr__container_damaged(container, err, "a dictionary has an impossible size");
    slots = head.slot_bits == 0 ? 0 : (size_t)1 << head.slot_bits;
    need = sizeof head + (size_t)head.words * 12 + slots * 4 + (size_t)head.bytes_size;
    if (need != size || (slots == 0 && head.words > 0))
        return cr__container_damaged(container, err, "a dictionary's length is wrong");
    if ((dict = cr__alloc_zero(1, sizeof *dict)) == NULL)
        return cr__fail_memory(err);
    *dict = (cr__dict){.words = head.words,
                       .slot_bits = head.slot_bits,
                       .seed = head.seed,
                       .bytes_size = (size_t)head.bytes_size,
                       .frozen = 1};
    bytes += sizeof head;
    dict->hash = (const uint64_t *)(const void *)bytes;
    dict->end = (const uint32_t *)(const void *)(bytes + (size_t)head.words * 8);
    dict->slot = dict->end + head.words;
    dict->bytes = (const char *)(dict->slot + slots);
    *out = dict;
    return CR_OK;
}
