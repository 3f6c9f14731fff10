/* source/mailbox.c - mail: folders and archives of messages, Maildirs, mailbox files.
 *
 * A message is split into sections (text/mail.h), all of which are put into one column. The class
 * of a message in a mailbox file is the name of the file; that of any other message is its folder.
 */
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/documents.h"
#include "text/mail.h"
#include "text/mbox.h"

enum { CLASS, TEXT, FILE_NAME };

/* --- one message ---------------------------------------------------------------------------- */

static cr_status put_sections(const cr__mail *mail, cr__plan *plan, const cr__cell *cell,
                              size_t row, cr_error *err)
{
    cr_status st = CR_OK;

    cr__batch_no_text(cell->batch, row, cell->column);
    cell->batch->column[cell->column].code[row] = 1; /* a message may be empty, but it exists */
    for (size_t i = 0; st == CR_OK && i < mail->count; i++)
        st = plan->put_text(plan, cell->batch, row, cell->column, &mail->sections[i], err);
    return st;
}

/* A message, without the "From " line that may precede it. */
static cr_status put_mail(const cr__chunk *chunk, cr__plan *plan, const cr__cell *cell, size_t row,
                          const char *bytes, size_t size, cr_error *err)
{
    cr__block *block = chunk->block;
    size_t start, end;
    cr_status st;

    if (cell->use != CR__CELL_TEXT)
        return cr__cell_put_document(plan, cell, row, bytes, size);
    if (block->mail == NULL && (block->mail = cr__alloc_zero(1, sizeof *block->mail)) == NULL)
        return cr__fail_memory(err);
    cr__mbox_message(bytes, 0, size, &start, &end);
    if ((st = cr__mail_read(block->mail, bytes + start, end - start, err)) != CR_OK)
        return st;
    if (block->mail->cut)
        cr__source_note(chunk->file->source,
                        "some messages in %s are beyond a limit and read in part only",
                        chunk->file->name);
    return put_sections(block->mail, plan, cell, row, err);
}

/* --- a message per file ---------------------------------------------------------------------- */

/* The length of a header's name at the beginning of a line, or 0. */
static size_t header_name(const char *bytes, size_t size)
{
    size_t n = 0;

    while (n < size && bytes[n] > ' ' && bytes[n] != ':' && bytes[n] < 127)
        n++;
    return n < size && bytes[n] == ':' ? n : 0;
}

/* Which of the headers common to all messages the line begins with; -1: none. */
static int usual_header(const char *name, size_t length)
{
    static const char *const usual[] = {"received", "return-path", "message-id", "from",
                                        "to",       "subject",     "date",       "mime-version"};

    for (int i = 0; i < (int)(sizeof usual / sizeof *usual); i++)
        if (strlen(usual[i]) == length && strncasecmp(name, usual[i], length) == 0)
            return i;
    return -1;
}

/* Whether there are headers from the first line on, at least two of them common to all messages;
 * *received: one of them is a Received header. */
static int look_at_head(const char *bytes, size_t size, int *received)
{
    const char *p = bytes, *end = bytes + size;
    int found = 0;

    *received = 0;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const size_t name = header_name(p, (size_t)(end - p));
        const int usual = usual_header(p, name);

        if (name == 0 && (p == bytes || !cr__is_blank(*p) || *p == '\r'))
            break;
        found += usual >= 0;
        *received |= usual == 0;
        p = newline != NULL ? newline + 1 : end;
    }
    return found >= 2;
}

static int recognise_message(const char *bytes, size_t size)
{
    int received;

    return look_at_head(bytes, size, &received);
}

int cr__mail_is(const char *bytes, size_t size)
{
    size_t start, end;
    int received;

    cr__mbox_message(bytes, 0, size, &start, &end);
    return look_at_head(bytes + start, end - start, &received) && received;
}

#define LOOK ((size_t)4096) /* bytes of a file */

static int file_is_mail(const cr__folder *tree, const char *path)
{
    char bytes[LOOK];
    const int folder = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int fd = folder < 0 ? -1 : openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t got = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);

    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    return got > 0 && cr__mail_is(bytes, (size_t)got);
}

int cr__mail_is_tree(const cr__folder *tree)
{
    enum { SAMPLE = 9 };
    const size_t files = tree->files < SAMPLE ? tree->files : SAMPLE;
    size_t found = 0;

    for (size_t i = 0; i < files; i++)
        found += (size_t)file_is_mail(tree, tree->file[i * tree->files / files].path);
    return found * 2 > files;
}

static cr_status parse_mail(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    return cr__documents_parse(chunk, plan, batch, put_mail, err);
}

const cr__format cr__format_mail = {
    .name = "mail",
    .summary = "a folder, archive or Maildir of messages, each class in a folder of its own",
    .suffixes = ".eml",
    .target_first = 1,
    .declared = 1,
    .documents = 1,
    .mail = 1,
    .alone = 1,
    .recognise = recognise_message,
    .header = cr__documents_header,
    .parse = parse_mail,
    .split = cr__documents_split,
};

/* --- a file of messages ----------------------------------------------------------------------- */

/* A "From " line and a header. */
static int recognise(const char *bytes, size_t size)
{
    const char *line = cr__mbox_is(bytes, size) ? memchr(bytes, '\n', size) : NULL;

    return line != NULL && header_name(line + 1, (size_t)(bytes + size - line - 1)) > 0;
}

#define WINDOW ((size_t)16 << 10)
#define SEAM 8 /* with this many bytes before the window, any "From " line in it is found */

/* The last message may be incomplete; the others are whole. It is searched for from the end. */
static size_t cut(const cr__file *file, const char *bytes, size_t size, int *inside)
{
    (void)inside;
    size_t last = 0;

    (void)file;
    for (size_t end = size, from; last == 0 && end > 0; end = from) {
        from = end > WINDOW ? end - WINDOW : 0;
        for (size_t at = from > SEAM ? from - SEAM : 0; (at = cr__mbox_next(bytes, end, at)) < end;)
            last = at;
    }
    return last;
}

/* Bytes before the first message are a message too, if there are any. */
static int is_nothing(const char *bytes, size_t size)
{
    while (size > 0 && (cr__is_blank(*bytes) || *bytes == '\n')) {
        bytes++;
        size--;
    }
    return size == 0;
}

static cr_status put_label(const cr__chunk *chunk, cr__plan *plan, const cr__batch *batch,
                           cr_error *err)
{
    const cr__cell *cell = &cr__chunk_cells(chunk)[CLASS];
    const cr__file *file = chunk->file;
    cr_status st = cr__cell_put_class(plan, cell, batch->rows, file->label, file->label_size);

    return st == CR_OK ? st
                       : cr__cell_fail(err, st, cell, file->label, file->label_size, file->name,
                                       chunk->line, CLASS + 1);
}

/* The message that begins at the chunk's position and has that size. */
static cr_status put_message(const cr__chunk *chunk, cr__plan *plan, cr__batch *batch, size_t size,
                             cr_error *err)
{
    const cr__cell *cell = &cr__chunk_cells(chunk)[TEXT];
    const char *bytes = chunk->bytes + chunk->position;
    cr__buffer *scratch = &((cr__block *)chunk->block)->scratch;
    cr_status st = put_label(chunk, plan, batch, err);

    if (st != CR_OK)
        return st;
    batch->record[batch->rows] = (cr__record){bytes, size, chunk->line};
    if (cr__mbox_is_quoted(bytes, size)) {
        cr__buffer_clear(scratch);
        if (cr__buffer_reserve(scratch, size) == NULL)
            return cr__fail_memory(err);
        size = cr__mbox_unquote(bytes, size, scratch->data);
        bytes = scratch->data;
    }
    st = put_mail(chunk, plan, cell, batch->rows, bytes, size, err);
    if (st != CR_OK)
        return cr__cell_fail(err, st, cell, bytes, size, chunk->file->name, chunk->line, TEXT + 1);
    batch->rows++;
    return CR_OK;
}

static cr_status parse_mbox(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    cr_status st;

    while (batch->rows < batch->capacity && chunk->position < chunk->size) {
        const size_t next = cr__mbox_next(chunk->bytes, chunk->size, chunk->position);
        const char *bytes = chunk->bytes + chunk->position;
        const size_t size = next - chunk->position;

        if (size > cr__file_record_limit(chunk->file))
            return cr__file_fail_long(chunk->file, chunk->line, err);
        if (!is_nothing(bytes, size) && (st = put_message(chunk, plan, batch, size, err)) != CR_OK)
            return st;
        chunk->line += cr__scan_census(bytes, size, 0).newlines;
        chunk->position = next;
    }
    return CR_OK;
}

static cr_status split_mbox(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                            cr_error *err)
{
    const cr__file *file = chunk->file;

    (void)err;
    fields->bytes[CLASS] = file->label_size > 0 ? file->label : NULL;
    fields->size[CLASS] = file->label_size;
    fields->bytes[TEXT] = record->bytes;
    fields->size[TEXT] = record->size;
    fields->bytes[FILE_NAME] = file->name;
    fields->size[FILE_NAME] = strlen(file->name);
    return CR_OK;
}

const cr__format cr__format_mbox = {
    .name = "mbox",
    .summary = "a mailbox file of messages, whose class is the name of the file",
    .suffixes = ".mbox .mbx",
    .target_first = 1,
    .declared = 1,
    .mail = 1,
    .any_bytes = 1,
    .alone = 1,
    .recognise = recognise,
    .header = cr__documents_header,
    .cut = cut,
    .parse = parse_mbox,
    .split = split_mbox,
};
