/* source/archive.c - unpack .gz .bz2 .xz .zst and the members of .tar.* and .zip, by libarchive. */
#include "source/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/library.h"
#include "base/memory.h"
#include "source/gunzip.h"

#define BUFFER_SIZE ((size_t)128 << 10)
#define TAR_BLOCK 512

#define FUNCTIONS(X)                                                                               \
    X(entry_filetype)                                                                              \
    X(entry_is_encrypted)                                                                          \
    X(entry_pathname)                                                                              \
    X(entry_size)                                                                                  \
    X(error_string)                                                                                \
    X(filter_bytes)                                                                                \
    X(format)                                                                                      \
    X(read_data)                                                                                   \
    X(read_free)                                                                                   \
    X(read_new)                                                                                    \
    X(read_next_header)                                                                            \
    X(read_open)                                                                                   \
    X(read_set_seek_callback)                                                                      \
    X(read_support_filter_bzip2)                                                                   \
    X(read_support_filter_gzip)                                                                    \
    X(read_support_filter_xz)                                                                      \
    X(read_support_filter_zstd)                                                                    \
    X(read_support_format_empty)                                                                   \
    X(read_support_format_raw)                                                                     \
    X(read_support_format_tar)                                                                     \
    X(read_support_format_zip)                                                                     \
    X(set_error)

#define POINTER(name) __typeof__(archive_##name) *name;

static struct {
    FUNCTIONS(POINTER)
} libarchive;

static cr__library library = {CREDENCE_LIBARCHIVE, "archive_", CR__NAMES(FUNCTIONS), &libarchive,
                              0};

struct cr__archive {
    struct archive *reader;
    cr__raw *raw;
    cr__gunzip *gunzip; /* between the raw bytes and libarchive; NULL: they are not gzip */
    char *buffer;
    la_int64_t tar_end; /* end of the members of a tar seen so far, in unpacked bytes */
    uint32_t tail;      /* the last four bytes that were read, */
    int directory;      /* the mark of a zip's directory has been seen, or this is no zip */
    int begun;          /* something has been read */
    cr_error failure;   /* of reading these bytes, outside libarchive */
};

static const struct {
    const char *bytes;
    size_t size, offset;
} magics[] = {
    {"\x1f\x8b", 2, 0},             /* gzip */
    {"BZh", 3, 0},                  /* bzip2 */
    {"\xfd\x37\x7a\x58\x5a", 6, 0}, /* xz, with the NUL that ends the literal */
    {"\x28\xb5\x2f\xfd", 4, 0},     /* zstd */
    {"PK\x03\x04", 4, 0},           /* zip */
    {"PK\x05\x06", 4, 0},           /* zip without members */
    {"ustar", 5, 257},              /* tar */
};

/* The name at the front of a tar is padded with NULs, so text need not wait for tar's magic. */
int cr__archive_recognise(const char *bytes, size_t size)
{
    int answer = 0;

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        const size_t at = magics[i].offset, whole = at + magics[i].size;
        const size_t seen = size < at ? 0 : size < whole ? size - at : magics[i].size;

        if (memcmp(bytes + (seen > 0 ? at : 0), magics[i].bytes, seen) != 0)
            continue;
        if (size >= whole)
            return 1;
        if (at == 0 || memchr(bytes, 0, size) != NULL)
            answer = -1;
    }
    return answer;
}

static cr_status fill_buffer(cr__archive *archive, size_t *got)
{
    return archive->gunzip != NULL
               ? cr__gunzip_read(archive->gunzip, archive->buffer, BUFFER_SIZE, got,
                                 &archive->failure)
               : cr__raw_read(archive->raw, archive->buffer, BUFFER_SIZE, got, &archive->failure);
}

/* The end of a zip's directory begins with PK 5 6. Only what begins as a zip does is looked
 * through. */
static void find_directory(cr__archive *archive, size_t size)
{
    if (!archive->begun && size > 0) {
        archive->directory = archive->buffer[0] != 'P';
        archive->begun = 1;
    }
    for (size_t i = 0; i < size && !archive->directory; i++) {
        archive->tail = archive->tail << 8 | (unsigned char)archive->buffer[i];
        archive->directory = archive->tail == 0x504b0506;
    }
}

static la_ssize_t read_raw(struct archive *reader, void *data, const void **buffer)
{
    cr__archive *archive = data;
    size_t got;

    *buffer = archive->buffer;
    if (fill_buffer(archive, &got) != CR_OK) {
        libarchive.set_error(reader, EIO, "%s", archive->failure.message);
        return ARCHIVE_FATAL;
    }
    find_directory(archive, got);
    return (la_ssize_t)got;
}

static la_int64_t seek_raw(struct archive *reader, void *data, la_int64_t offset, int whence)
{
    cr__archive *archive = data;
    cr__raw *raw = archive->raw;
    const uint64_t from = whence == SEEK_SET   ? raw->start
                          : whence == SEEK_CUR ? raw->position
                                               : raw->size;

    (void)reader;
    if ((offset < 0 && (uint64_t)-offset > from - raw->start) ||
        (offset > 0 && (uint64_t)offset > raw->size - from))
        return ARCHIVE_FATAL;
    raw->position = from + (uint64_t)offset;
    return (la_int64_t)(raw->position - raw->start);
}

static cr_status fail_archive(cr__archive *archive, cr_error *err)
{
    const char *text = archive->reader != NULL ? libarchive.error_string(archive->reader) : NULL;

    if (archive->failure.code != CR_OK) {
        if (err != NULL)
            *err = archive->failure;
        return archive->failure.code;
    }
    return cr__fail(err, CR_EFORMAT, "it cannot be unpacked: %s",
                    text != NULL ? text : "its end is missing");
}

static int support(struct archive *reader)
{
    return libarchive.read_support_filter_gzip(reader) >= ARCHIVE_WARN &&
           libarchive.read_support_filter_bzip2(reader) >= ARCHIVE_WARN &&
           libarchive.read_support_filter_xz(reader) >= ARCHIVE_WARN &&
           libarchive.read_support_filter_zstd(reader) >= ARCHIVE_WARN &&
           libarchive.read_support_format_tar(reader) >= ARCHIVE_WARN &&
           libarchive.read_support_format_zip(reader) >= ARCHIVE_WARN &&
           libarchive.read_support_format_empty(reader) >= ARCHIVE_WARN &&
           libarchive.read_support_format_raw(reader) >= ARCHIVE_WARN;
}

cr_status cr__archive_open(cr__archive **out, cr__raw *raw, cr_error *err)
{
    cr__archive *archive;
    cr_status st = cr__library_open(&library, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    archive = cr__alloc_zero(1, sizeof *archive);
    if (archive == NULL || (archive->buffer = cr__alloc(BUFFER_SIZE, 1)) == NULL) {
        cr__free(archive);
        return cr__fail_memory(err);
    }
    archive->raw = raw;
    if ((archive->reader = libarchive.read_new()) == NULL)
        st = cr__fail_memory(err);
    else if (!support(archive->reader))
        st = fail_archive(archive, err);
    else
        st = cr__gunzip_open(&archive->gunzip, raw, err);
    if (st == CR_OK && raw->regular && archive->gunzip == NULL)
        libarchive.read_set_seek_callback(archive->reader, seek_raw);
    if (st == CR_OK &&
        libarchive.read_open(archive->reader, archive, NULL, read_raw, NULL) < ARCHIVE_WARN)
        st = fail_archive(archive, err);
    if (st != CR_OK) {
        cr__archive_close(archive);
        return st;
    }
    *out = archive;
    return CR_OK;
}

void cr__archive_close(cr__archive *archive)
{
    if (archive == NULL)
        return;
    if (archive->reader != NULL)
        libarchive.read_free(archive->reader);
    cr__gunzip_close(archive->gunzip);
    cr__free(archive->buffer);
    cr__free(archive);
}

/* Files that belong only to the system that packed them. */
static int is_litter(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;

    return strncmp(base, "._", 2) == 0 || strcmp(base, ".DS_Store") == 0 ||
           strncmp(name, "__MACOSX/", 9) == 0;
}

static cr_status fail_end(cr_error *err, const char *what, la_int64_t byte)
{
    cr__fail(err, CR_EFORMAT, "%s at byte %lld", what, (long long)byte);
    return cr__fail_hint(err, CR_EFORMAT, "it may be cut short or damaged; take another copy");
}

/* Errors that libarchive reports as a plain end: a missing end mark after the last member of a tar,
 * a missing directory of a zip, bytes after the first stream of a compressed file that are no
 * stream. */
static cr_status check_end(cr__archive *archive, uint64_t bytes, cr_error *err)
{
    const int format = libarchive.format(archive->reader) & ARCHIVE_FORMAT_BASE_MASK;
    const la_int64_t unpacked = libarchive.filter_bytes(archive->reader, 0);
    const la_int64_t taken = libarchive.filter_bytes(archive->reader, -1);

    if (format == ARCHIVE_FORMAT_TAR && unpacked < archive->tar_end + TAR_BLOCK)
        return fail_end(err, "the tar has no end mark", unpacked);
    if (format == ARCHIVE_FORMAT_ZIP && !archive->directory)
        return fail_end(err, "the zip has no directory where it ends,", (la_int64_t)bytes);
    if (format == ARCHIVE_FORMAT_RAW && archive->gunzip == NULL && (uint64_t)taken < bytes)
        return fail_end(err, "it has bytes that cannot be unpacked,", taken);
    return CR_END;
}

/* A tar ends before its last bytes have been unpacked, and the checksum follows those. */
static cr_status finish(cr__archive *archive, cr_error *err)
{
    size_t got = 1;

    while (got > 0) {
        if (fill_buffer(archive, &got) != CR_OK)
            return fail_archive(archive, err);
        find_directory(archive, got);
    }
    return check_end(archive, archive->raw->position - archive->raw->start, err);
}

/* Where a member of a tar ends: its bytes fill whole blocks. */
static void note_end(cr__archive *archive, struct archive_entry *entry)
{
    const la_int64_t size = libarchive.entry_size(entry);

    if ((libarchive.format(archive->reader) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR)
        archive->tar_end = libarchive.filter_bytes(archive->reader, 0) +
                           (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
}

cr_status cr__archive_next(cr__archive *archive, const char **name, cr_error *err)
{
    for (;;) {
        struct archive_entry *entry;
        const int result = libarchive.read_next_header(archive->reader, &entry);
        const char *path;

        *name = NULL;
        if (result == ARCHIVE_EOF)
            return finish(archive, err);
        if (result < ARCHIVE_WARN)
            return fail_archive(archive, err);
        if (libarchive.format(archive->reader) == ARCHIVE_FORMAT_RAW)
            return CR_OK;
        note_end(archive, entry);
        path = libarchive.entry_pathname(entry);
        if (path == NULL)
            path = "(name that cannot be read)";
        while (strncmp(path, "./", 2) == 0)
            path += 2;
        if (libarchive.entry_filetype(entry) != AE_IFREG || is_litter(path))
            continue;
        if (libarchive.entry_is_encrypted(entry))
            return cr__fail(err, CR_EFORMAT, "its member %s is encrypted", path);
        *name = path;
        return CR_OK;
    }
}

cr_status cr__archive_read(cr__archive *archive, char *buffer, size_t size, size_t *got,
                           cr_error *err)
{
    la_ssize_t n;

    *got = 0;
    do
        n = libarchive.read_data(archive->reader, buffer, size);
    while (n == ARCHIVE_RETRY);
    if (n < 0)
        return fail_archive(archive, err);
    *got = (size_t)n;
    return CR_OK;
}
