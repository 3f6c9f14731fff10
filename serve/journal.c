/* serve/journal.c - the journal of lessons.
 *
 * A record is a line of JSON, the bytes of the lesson, and a line feed. The line ends in "sum", the
 * FNV-1a hash of all bytes of the record before it and of the lesson: a record that was cut off, or
 * of which the disk lost a part, does not match it.
 */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "request.h"

#define SUM ", \"sum\": \""
enum { LINE_LIMIT = 4096 };

/* FNV-1a, 64 bits (G. Fowler, L. C. Noll & K.-P. Vo). */
static uint64_t hash(uint64_t sum, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001B3u;
    return sum;
}

static uint64_t sum_of(const char *line, size_t length, const char *bytes, size_t size)
{
    return hash(hash(0xCBF29CE484222325u, line, length), bytes, size);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void put_text(buffer *b, const char *key, const char *text)
{
    buffer_printf(b, ", \"%s\": \"", key);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == '"' || c == '\\' || c == 0x7F)
            buffer_printf(b, "\\u%04x", c);
        else
            buffer_add(b, text, 1);
    }
    buffer_add(b, "\"", 1);
}

static void put_lesson(buffer *b, const journal_entry *e)
{
    buffer_printf(b, "{\"lesson\": %llu, \"time\": %.3f, \"sign\": %d, \"rows\": %llu",
                  (unsigned long long)e->lesson, e->time, e->sign, (unsigned long long)e->rows);
    if (e->undoes != 0)
        buffer_printf(b, ", \"undoes\": %llu", (unsigned long long)e->undoes);
    put_text(b, "who", e->who);
    if (e->key[0] != '\0')
        put_text(b, "key", e->key);
    if (e->query[0] != '\0')
        put_text(b, "query", e->query);
    buffer_printf(b, ", \"type\": %d, \"size\": %llu", e->type, (unsigned long long)e->size);
}

void journal_put(const journal *j, buffer *out, journal_entry *e, const void *bytes)
{
    const size_t from = out->size;

    if (e->lesson != 0)
        put_lesson(out, e);
    else
        buffer_printf(out, "{\"%s\": %llu, \"time\": %.3f, \"print\": \"%s\"",
                      e->begins  ? "after"
                      : e->saved ? "saved"
                                 : "checkpoint",
                      (unsigned long long)e->upto, e->time, e->print);
    if (out->failed)
        return;
    buffer_printf(out, SUM "%016llx\"}\n",
                  (unsigned long long)sum_of(out->bytes + from, out->size - from, bytes, e->size));
    e->at = j->end + out->size;
    buffer_add(out, bytes, e->size);
    if (e->lesson != 0)
        buffer_add(out, "\n", 1);
}

static cr_status write_records(journal *j, const buffer *records, cr_error *err)
{
    size_t done = 0;

    if (records->failed)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    while (done < records->size) {
        const ssize_t put =
            pwrite(j->fd, records->bytes + done, records->size - done, (off_t)(j->end + done));

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return fail(err, CR_EIO, NULL, "the journal cannot be written: %s", strerror(errno));
        done += (size_t)put;
    }
    j->end += records->size;
    return CR_OK;
}

cr_status journal_write(journal *j, const buffer *records, cr_error *err)
{
    const uint64_t end = j->end;
    cr_status status = write_records(j, records, err);

    if (status == CR_OK && fdatasync(j->fd) != 0)
        status = fail(err, CR_EIO, NULL, "the journal cannot be written: %s", strerror(errno));
    if (status != CR_OK) {
        j->end = end;
        (void)!ftruncate(j->fd, (off_t)end);
    }
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static void copy_text(char *to, size_t size, const cr_json_value *n, const char *key)
{
    snprintf(to, size, "%s", cr_json_get_text(n, key, ""));
}

static void read_fields(const cr_json_value *n, journal_entry *e)
{
    e->lesson = (uint64_t)cr_json_get_number(n, "lesson", 0);
    e->begins = cr_json_get(n, "after") != NULL;
    e->saved = cr_json_get(n, "saved") != NULL;
    e->upto = (uint64_t)cr_json_get_number(n,
                                           e->begins  ? "after"
                                           : e->saved ? "saved"
                                                      : "checkpoint",
                                           0);
    e->time = cr_json_get_number(n, "time", 0);
    e->sign = cr_json_get_number(n, "sign", 1) < 0 ? -1 : 1;
    e->rows = (uint64_t)cr_json_get_number(n, "rows", 0);
    e->undoes = (uint64_t)cr_json_get_number(n, "undoes", 0);
    e->type = (int)cr_json_get_number(n, "type", 0);
    e->size = (uint64_t)cr_json_get_number(n, "size", 0);
    copy_text(e->print, sizeof e->print, n, "print");
    copy_text(e->who, sizeof e->who, n, "who");
    copy_text(e->key, sizeof e->key, n, "key");
    copy_text(e->query, sizeof e->query, n, "query");
}

/* One record at bytes. Returns its size; 0: it is incomplete. */
static size_t read_record(const char *bytes, size_t left, uint64_t offset, journal_entry *e)
{
    const char *end = memchr(bytes, '\n', left < LINE_LIMIT ? left : LINE_LIMIT);
    size_t length = end != NULL ? (size_t)(end - bytes) : 0, head, tail;
    const cr_json_value *line;
    unsigned long long sum;

    memset(e, 0, sizeof *e);
    if (length < sizeof SUM + 17)
        return 0;
    head = length - (sizeof SUM - 1) - 18; /* 16 digits, a quote and a brace */
    if (memcmp(bytes + head, SUM, sizeof SUM - 1) != 0 ||
        cr_json_parse(&line, bytes, length, NULL) != CR_OK)
        return 0;
    read_fields(line, e);
    sum = strtoull(cr_json_get_text(line, "sum", "0"), NULL, 16);
    cr_json_free(line);
    tail = e->lesson != 0 ? 1 : 0;
    if (e->size > left - length - 1 || left - length - 1 - e->size < tail)
        return 0;
    e->at = offset + length + 1;
    return sum == sum_of(bytes, head, end + 1, e->size) ? length + 1 + e->size + tail : 0;
}

static cr_status read_all(journal *j, size_t size,
                          cr_status (*visit)(void *context, const journal_entry *e), void *context,
                          cr_error *err)
{
    const char *bytes = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, j->fd, 0) : NULL;
    journal_entry e;
    cr_status status = CR_OK;
    size_t length;

    if (size > 0 && bytes == MAP_FAILED)
        return fail(err, CR_EIO, NULL, "the journal cannot be read: %s", strerror(errno));
    while (status == CR_OK && j->end < size &&
           (length = read_record(bytes + j->end, size - j->end, j->end, &e)) > 0) {
        status = visit(context, &e);
        j->end += length;
    }
    if (size > 0)
        munmap((void *)bytes, size);
    if (status == CR_OK && j->end < size && ftruncate(j->fd, (off_t)j->end) != 0)
        status = fail(err, CR_EIO, NULL, "the journal cannot be repaired: %s", strerror(errno));
    return status;
}

/* A new file survives a crash only if its folder has been synced, too. */
static void sync_folder(const char *path)
{
    char folder[4096];
    char *slash;
    int fd;

    snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (slash != NULL)
        *slash = '\0';
    if ((fd = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return;
    fsync(fd);
    close(fd);
}

/* Open and lock the file. If it was replaced between the two, try again. */
static cr_status open_alone(journal *j, const char *path, struct stat *about, cr_error *err)
{
    struct stat there;

    for (;;) {
        if ((j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640)) < 0)
            return fail(err, CR_EIO, NULL, "cannot open %s: %s", path, strerror(errno));
        if (flock(j->fd, LOCK_EX | LOCK_NB) != 0)
            return fail(err, CR_ECONFLICT, "stop it, or serve without --learn",
                        "another server is learning with %s", path);
        if (fstat(j->fd, about) == 0 && stat(path, &there) == 0 && there.st_ino == about->st_ino)
            return CR_OK;
        journal_close(j);
    }
}

cr_status journal_open(journal *j, const char *path,
                       cr_status (*visit)(void *context, const journal_entry *e), void *context,
                       cr_error *err)
{
    struct stat about;
    cr_status status;

    *j = (journal){.fd = -1};
    if ((status = open_alone(j, path, &about, err)) == CR_OK) {
        sync_folder(path);
        status = read_all(j, (size_t)about.st_size, visit, context, err);
    }
    if (status != CR_OK)
        journal_close(j);
    return status;
}

void journal_close(journal *j)
{
    if (j->fd >= 0)
        close(j->fd);
    j->fd = -1;
}

cr_status journal_read(const journal *j, const journal_entry *e, buffer *out, cr_error *err)
{
    size_t done = 0;
    char *at;

    buffer_clear(out, 1 << 20);
    if ((at = buffer_reserve(out, e->size + 1)) == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    while (done < e->size) {
        const ssize_t got = pread(j->fd, at + done, e->size - done, (off_t)(e->at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail(err, CR_EIO, NULL, "the journal cannot be read");
        done += (size_t)got;
    }
    out->size = e->size;
    return CR_OK;
}

/* --- rewriting -------------------------------------------------------------------------------- */

static cr_status copy_lessons(const journal *from, journal *to, journal_entry *entry, size_t count,
                              const journal_entry *mark, cr_error *err)
{
    journal_entry first = {
        .begins = true, .upto = count > 0 ? entry[0].lesson - 1 : mark->upto, .time = mark->time};
    journal_entry begun = *mark, saved = *mark;
    buffer records = {0}, body = {0};
    cr_status status = CR_OK;

    journal_put(to, &records, &first, "");
    for (size_t i = 0; i < count && status == CR_OK; i++) {
        if ((status = journal_read(from, &entry[i], &body, err)) != CR_OK)
            break;
        journal_put(to, &records, &entry[i], body.bytes);
        if (records.size >= 1 << 20) {
            status = write_records(to, &records, err);
            records.size = 0;
        }
    }
    saved.saved = true;
    journal_put(to, &records, &begun, "");
    journal_put(to, &records, &saved, "");
    if (status == CR_OK)
        status = journal_write(to, &records, err);
    buffer_free(&records);
    buffer_free(&body);
    return status;
}

cr_status journal_rewrite(journal *j, const char *path, journal_entry *entry, size_t count,
                          const journal_entry *mark, cr_error *err)
{
    journal_entry *moved = malloc((count + 1) * sizeof *moved);
    journal fresh = {.fd = -1};
    char name[4096];
    cr_status status = CR_OK;

    snprintf(name, sizeof name, "%s.new", path);
    if (moved == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    memcpy(moved, entry, count * sizeof *moved);
    fresh.fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    if (fresh.fd < 0 || flock(fresh.fd, LOCK_EX | LOCK_NB) != 0)
        status = fail(err, CR_EIO, NULL, "cannot write %s: %s", name, strerror(errno));
    if (status == CR_OK)
        status = copy_lessons(j, &fresh, moved, count, mark, err);
    if (status == CR_OK && rename(name, path) != 0)
        status = fail(err, CR_EIO, NULL, "cannot write %s: %s", path, strerror(errno));
    if (status == CR_OK) {
        sync_folder(path);
        memcpy(entry, moved, count * sizeof *moved);
        journal_close(j);
        *j = fresh;
    } else {
        journal_close(&fresh);
        unlink(name);
    }
    free(moved);
    return status;
}
