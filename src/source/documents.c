/* source/documents.c - documents: each file of a folder, or member of an archive, is a record. */
#include "source/documents.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

size_t cr__source_document_limit = (size_t)256 << 20;

#define GROUP_CHUNKS 4                /* a group has about the size of this many chunks */
#define GROUP_DOCUMENTS ((size_t)512) /* and at most this many documents */
#define READ_SIZE ((size_t)64 << 10)

enum { CLASS, TEXT, FILE_NAME, FIELDS };

/* --- names ---------------------------------------------------------------------------------- */

/* The length of the ending, when it is that of a packed file. */
static size_t ending(const char *name, size_t length)
{
    static const char *const known[] = {".gz",  ".bz2", ".xz",  ".zst",  ".tar", ".zip",
                                        ".tgz", ".txz", ".tbz", ".mbox", ".mbx"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t n = strlen(known[i]);

        if (length > n && strncasecmp(name + length - n, known[i], n) == 0)
            return n;
    }
    return 0;
}

const char *cr__path_stem(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;

    *length = strlen(base);
    for (size_t n; (n = ending(base, *length)) > 0;)
        *length -= n;
    return base;
}

static int is_part(const char *part, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(part, word, length) == 0;
}

/* The next-to-last component of a path; *length is 0 when there is none. */
static const char *parent(const char *path, const char *slash, size_t *length)
{
    const char *before;

    *length = 0;
    if (slash == NULL)
        return path;
    before = memrchr(path, '/', (size_t)(slash - path));
    before = before != NULL ? before + 1 : path;
    *length = (size_t)(slash - before);
    return before;
}

/* The folder that a document lies in. The messages of a Maildir are in its folders cur and new, and
 * the Maildir's name counts; the name of one inside another begins with a dot. */
static const char *folder_of(const char *path, int mail, size_t *length)
{
    const char *slash = strrchr(path, '/');
    const char *folder = parent(path, slash, length);

    if (mail && (is_part(folder, *length, "cur") || is_part(folder, *length, "new")))
        folder = parent(path, folder > path ? folder - 1 : NULL, length);
    while (mail && *length > 1 && *folder == '.') {
        folder++;
        --*length;
    }
    return folder;
}

/* A folder of a Maildir, which begins with a dot: part is its name and what is in it. */
static int is_maildir(const char *part)
{
    const char *inside = strchr(part, '/');

    return inside != NULL && (strncmp(inside, "/cur/", 5) == 0 || strncmp(inside, "/new/", 5) == 0);
}

/* What is not read: hidden files, and the messages that a Maildir is still receiving. */
static int is_hidden(const char *path, int mail)
{
    size_t length;
    const char *folder = parent(path, strrchr(path, '/'), &length);

    if (mail && is_part(folder, length, "tmp"))
        return 1;
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (*part == '.' && strncmp(part, "./", 2) != 0 && !(mail && is_maildir(part)))
            return 1;
    }
    return 0;
}

/* --- the fields ------------------------------------------------------------------------------ */

static cr_status add_field(cr__file *file, const char *name, size_t length, cr_kind kind,
                           cr_why why, cr_error *err)
{
    const cr_source *source = file->source;
    size_t field;
    cr_status st = cr__file_add(file, name, length, &field, err);

    if (st == CR_OK && !source->fixed) {
        source->fields->column[field].kind = kind;
        source->fields->column[field].why = why;
    }
    return st;
}

cr_status cr__texts_header(cr__file *file, const char *class_name, cr_error *err)
{
    const char *given = file->source->columns;
    const size_t comma = given != NULL ? strcspn(given, ",") : 0;
    const char *text = given != NULL && given[comma] == ',' ? given + comma + 1 : "text";
    cr_status st;

    if (given != NULL && (given[comma] != ',' || strchr(text, ',') != NULL))
        return cr__fail(err, CR_EARG, "the columns are two, the class and the text, not '%s'",
                        given);
    st = add_field(file, given != NULL ? given : class_name,
                   given != NULL ? comma : strlen(class_name), CR_SYMBOL, CR_WHY_TARGET, err);
    return st != CR_OK ? st : add_field(file, text, strlen(text), CR_BAG, CR_WHY_TEXT, err);
}

cr_status cr__documents_header(cr__file *file, const cr__view *view, size_t *used, cr_error *err)
{
    cr_source *source = file->source;
    cr_status st = cr__texts_header(file, "class", err);

    (void)view;
    *used = 0;
    source->mail |= file->format->mail;
    if (st == CR_OK)
        st = add_field(file, "file", 4, CR_IGNORE, CR_WHY_DECLARED, err);
    if (st == CR_OK && !source->fixed)
        source->told = 1;
    return st;
}

/* --- groups: the serial half ------------------------------------------------------------------ */

/* Store the name for messages and for the class. */
static cr_status add_document(const cr_source *source, cr__block *block, const char *path,
                              cr_error *err)
{
    const cr__folder *tree = source->tree[source->next_path];
    const char *root = source->path[source->next_path];
    const int mail = source->file->format->mail;
    cr__document *d;
    size_t length, slash = strlen(root);
    const char *folder;

    if (!cr__grow(&block->document, &block->document_capacity, block->documents + 1,
                  sizeof *block->document))
        return cr__fail_memory(err);
    d = &block->document[block->documents++];
    *d = (cr__document){.name = block->names.size};
    cr__buffer_adds(&block->names, source->file->name);
    if (path != NULL && (tree == NULL || root[slash - 1] != '/'))
        cr__buffer_addc(&block->names, tree != NULL ? '/' : ':');
    cr__buffer_adds(&block->names, path != NULL ? path : "");
    cr__buffer_addc(&block->names, 0);
    folder = folder_of(path != NULL ? path : root, mail, &length);
    if (length == 0 && tree != NULL) {
        folder = tree->name + (mail && *tree->name == '.');
        length = strlen(folder);
    } else if (length == 0 && path != NULL) {
        folder = cr__path_stem(root, &length);
    }
    d->class_name = block->names.size;
    d->class_size = length;
    cr__buffer_add(&block->names, folder, length);
    return block->names.failed ? cr__fail_memory(err) : CR_OK;
}

static cr_status add_files(cr_source *source, cr__block *block, cr_error *err)
{
    const cr__folder *tree = source->tree[source->next_path];
    const size_t full = GROUP_CHUNKS * cr__source_chunk_size;
    cr__file *file = source->file;
    uint64_t size = 0;
    cr_status st = CR_OK;

    while (st == CR_OK && file->next < tree->files && size < full &&
           block->documents < GROUP_DOCUMENTS) {
        const cr__folder_file *next = &tree->file[file->next++];

        source->tree_done += next->size;
        if (is_hidden(next->path, file->format->mail))
            continue;
        size += next->size;
        st = add_document(source, block, next->path, err);
    }
    return st;
}

static const char *name_of(const cr__block *block, const cr__document *d)
{
    return block->names.data + d->name;
}

static cr_status fail_long(const cr__block *block, const cr__document *d, cr_error *err)
{
    cr__fail(err, CR_ELIMIT, "the document has more than %zu MiB", cr__source_document_limit >> 20);
    return cr__fail_at(err, CR_ELIMIT, name_of(block, d), 0, 0);
}

/* Room for more bytes of a document after those it has. */
static cr_status make_room(cr__block *block, const cr__document *d, size_t more, cr_error *err)
{
    const size_t need = d->begin + d->size + more;

    if (d->size > cr__source_document_limit)
        return fail_long(block, d, err);
    if (need <= block->capacity && block->text != NULL)
        return CR_OK;
    return cr__block_reserve(block, need > 2 * block->capacity ? need : 2 * block->capacity)
               ? CR_OK
               : cr__fail_memory(err);
}

/* All bytes of the member that the input is at. */
static cr_status read_member(cr__input *input, cr__block *block, cr__document *d, cr_error *err)
{
    cr__view view;
    cr_status st;

    for (;;) {
        if ((st = cr__input_see(input, 1, READ_SIZE, &view, err)) != CR_OK)
            return cr__fail_at(err, st, name_of(block, d), 0, 0);
        if ((st = make_room(block, d, view.size, err)) != CR_OK || view.size == 0)
            return st;
        memcpy(block->text + d->begin + d->size, view.bytes, view.size);
        d->size += view.size;
        cr__input_skip(input, view.size);
    }
}

static cr_status add_members(cr_source *source, cr__block *block, cr_error *err)
{
    cr__input *input = source->input[source->next_path];
    cr__file *file = source->file;
    size_t used = 0;
    cr_status st = CR_OK;

    while (st == CR_OK && used < GROUP_CHUNKS * cr__source_chunk_size &&
           block->documents < GROUP_DOCUMENTS && !file->ended) {
        const char *member = file->member;

        if (!file->opened) {
            st = cr__input_next(input, source->member, &member, err);
            file->ended = st == CR_END;
        }
        file->opened = 0;
        if (st != CR_OK || (member != NULL && is_hidden(member, file->format->mail)))
            continue;
        if ((st = add_document(source, block, member, err)) == CR_OK) {
            cr__document *d = &block->document[block->documents - 1];

            d->begin = used;
            st = read_member(input, block, d, err);
            used += d->size;
        }
    }
    block->loaded = 1;
    return st == CR_END ? CR_OK : st;
}

cr_status cr__documents_next(cr_source *source, cr__chunk *chunk, cr_error *err)
{
    cr__block *block = cr__block_get(&source->pool);
    cr_status st;

    if (block == NULL)
        return cr__fail_memory(err);
    block->documents = 0;
    block->loaded = 0;
    cr__buffer_clear(&block->names);
    st = source->tree[source->next_path] != NULL ? add_files(source, block, err)
                                                 : add_members(source, block, err);
    if (st == CR_OK && block->documents == 0)
        st = CR_END;
    if (st != CR_OK) {
        cr__block_put(block);
        return st;
    }
    *chunk = (cr__chunk){.bytes = block->text,
                         .size = block->documents,
                         .first_line = source->line,
                         .line = source->line,
                         .sequence = source->sequence++,
                         .file = source->file,
                         .block = block};
    source->line += block->documents;
    source->started = 1;
    atomic_fetch_add(&source->file->users, 1);
    return CR_OK;
}

/* --- documents: the parallel half ------------------------------------------------------------- */

static cr_status fail_file(const char *name, cr_error *err)
{
    if (errno == ENOENT)
        cr__fail(err, CR_EIO,
                 "the document existed when its folder was listed and is "
                 "gone now");
    else
        cr__fail_errno(err, "the document cannot be read");
    return cr__fail_at(err, CR_EIO, name, 0, 0);
}

static cr_status read_file(cr__block *block, cr__document *d, cr_error *err)
{
    const char *name = name_of(block, d);
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = 1;
    cr_status st = fd < 0 ? fail_file(name, err) : CR_OK;

    while (st == CR_OK && got != 0) {
        if ((st = make_room(block, d, READ_SIZE, err)) != CR_OK)
            break;
        got = read(fd, block->text + d->begin + d->size, block->capacity - d->begin - d->size);
        if (got < 0 && errno != EINTR)
            st = fail_file(name, err);
        else if (got > 0)
            d->size += (size_t)got;
    }
    if (fd >= 0)
        close(fd);
    return st;
}

/* The files of a folder are read when their chunk is parsed. */
static cr_status load(cr__chunk *chunk, cr_error *err)
{
    cr__block *block = chunk->block;
    size_t used = 0;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < block->documents; i++) {
        block->document[i].begin = used;
        block->document[i].size = 0;
        st = read_file(block, &block->document[i], err);
        used += block->document[i].size;
    }
    chunk->bytes = block->text;
    block->loaded = st == CR_OK;
    return st;
}

static cr_status put_class(const cr__chunk *chunk, cr__plan *plan, const cr__document *d,
                           size_t row, cr_error *err)
{
    const cr__block *block = chunk->block;
    const cr__cell *cell = &block->cell[CLASS];
    const char *class_name = block->names.data + d->class_name;
    cr_status st = cr__cell_put_class(plan, cell, row, class_name, d->class_size);

    return st == CR_OK
               ? st
               : cr__cell_fail(err, st, cell, class_name, d->class_size, name_of(block, d), 0, 0);
}

cr_status cr__documents_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch,
                              cr__text_to_batch put, cr_error *err)
{
    cr__block *block = chunk->block;
    cr_status st = block->loaded ? CR_OK : load(chunk, err);

    while (st == CR_OK && batch->rows < batch->capacity && chunk->position < chunk->size) {
        const cr__document *d = &block->document[chunk->position];
        const size_t row = batch->rows;
        const char *bytes = block->text + d->begin;

        batch->record[row] = (cr__record){bytes, d->size, chunk->line};
        if ((st = put_class(chunk, plan, d, row, err)) != CR_OK)
            return st;
        if ((st = put(chunk, plan, &block->cell[TEXT], row, bytes, d->size, err)) != CR_OK)
            return cr__cell_fail(err, st, &block->cell[TEXT], bytes, d->size, name_of(block, d), 0,
                                 0);
        batch->rows++;
        chunk->position++;
        chunk->line++;
    }
    return st;
}

cr_status cr__documents_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                              cr_error *err)
{
    const cr__block *block = chunk->block;
    const size_t i = record->line - chunk->first_line;
    const cr__document *d = &block->document[i];

    if (i >= block->documents || !block->loaded)
        return cr__chunk_fail(chunk, 0, 0, err, "the record is not one of this chunk");
    fields->bytes[CLASS] = d->class_size > 0 ? block->names.data + d->class_name : NULL;
    fields->size[CLASS] = d->class_size;
    fields->bytes[TEXT] = block->text + d->begin;
    fields->size[TEXT] = d->size;
    fields->bytes[FILE_NAME] = name_of(block, d);
    fields->size[FILE_NAME] = strlen(name_of(block, d));
    return CR_OK;
}

/* --- the format ------------------------------------------------------------------------------- */

static cr_status put_text(const cr__chunk *chunk, cr__plan *plan, const cr__cell *cell, size_t row,
                          const char *bytes, size_t size, cr_error *err)
{
    (void)chunk;
    (void)err;
    return cr__cell_put_document(plan, cell, row, bytes, size);
}

static cr_status parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    return cr__documents_parse(chunk, plan, batch, put_text, err);
}

const cr__format cr__format_folder = {
    .name = "folder",
    .summary = "a folder or archive of texts, each class in a folder of its own",
    .suffixes = "",
    .target_first = 1,
    .documents = 1,
    .declared = 1,
    .header = cr__documents_header,
    .parse = parse,
    .split = cr__documents_split,
};
