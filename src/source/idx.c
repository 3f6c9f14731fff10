/* source/idx.c - idx files, as of MNIST: bytes in an array of any shape.
 *
 *     0 0 8 D      bytes (8: unsigned) in D dimensions
 *     n1 … nD      their sizes, 32 bits each, the highest byte first
 *     bytes        the last dimension fastest
 *
 * Each item along the first dimension is a record: a column p0, p1 … for each of its bytes, 0 to
 * 255. The labels come from the file whose name differs by "labels" for "images" (and idx1 for
 * idx3), packed or not; without it they are missing.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/format.h"

#define LABEL "label"
#define UNSIGNED_BYTE 8

enum { SIZES_MOST = 8, COLUMNS_MOST = 1 << 20 };

static uint32_t big_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int recognise(const char *bytes, size_t size)
{
    return size >= 8 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] == UNSIGNED_BYTE &&
           bytes[3] > 0 && bytes[3] <= SIZES_MOST;
}

/* How many items there are and how many bytes each has; 0 when this is not such a file. */
static size_t read_sizes(const char *bytes, size_t size, size_t *items, size_t *each)
{
    size_t dimensions;

    if (!recognise(bytes, size) || size < 4 + 4 * (size_t)bytes[3])
        return 0;
    dimensions = (size_t)bytes[3];
    *items = big_endian(bytes + 4);
    *each = 1;
    for (size_t i = 1; i < dimensions; i++) {
        const size_t n = big_endian(bytes + 4 + 4 * i);

        if (n == 0 || *each > COLUMNS_MOST / n)
            return 0;
        *each *= n;
    }
    return 4 + 4 * dimensions;
}

/* --- labels --------------------------------------------------------------------------------- */

/* Replace the last `from` in path by `to`, which is as long or longer; 0 when there is none. */
static int replace(char *path, size_t room, const char *from, const char *to)
{
    char *last = NULL;
    const size_t n = strlen(from), m = strlen(to);

    for (char *p = path; (p = strstr(p, from)) != NULL; p++)
        last = p;
    if (last == NULL || strlen(path) + m - n >= room)
        return 0;
    memmove(last + m, last + n, strlen(last + n) + 1);
    memcpy(last, to, m);
    return 1;
}

static int find_labels(const char *path, char *out, size_t room)
{
    if (strlen(path) >= room)
        return 0;
    strcpy(out, path);
    if (!replace(out, room, "images", "labels"))
        return 0;
    replace(out, room, "idx3", "idx1");
    return access(out, R_OK) == 0;
}

static cr_status read_labels(cr__file *file, const char *path, size_t items, cr_error *err)
{
    cr__input *input = NULL;
    cr__view view = {0};
    const char *member;
    size_t count = 0, each = 0, used = 0;
    cr_status st = cr__input_open(&input, path, &file->source->pool, err);

    if (st == CR_OK)
        st = cr__input_next(input, NULL, &member, err);
    if (st == CR_OK)
        st = cr__input_see(input, items + 8, items + 8, &view, err);
    if (st == CR_OK)
        used = read_sizes(view.bytes, view.size, &count, &each);
    if (st == CR_OK && (used == 0 || count != items || each != 1 || view.size != used + items))
        st = cr__fail(err, CR_EFORMAT, "%s does not have a label for each of %zu items", path,
                      items);
    if (st == CR_OK) {
        if ((file->labels = cr__alloc(items, 1)) == NULL)
            st = cr__fail_memory(err);
        else
            memcpy(file->labels, view.bytes + used, items);
    }
    cr__input_close(input);
    return st;
}

/* --- header --------------------------------------------------------------------------------- */

static cr_status add_column(cr__file *file, const char *name, cr_kind kind, cr_error *err)
{
    size_t field;
    cr_status st = cr__file_add(file, name, strlen(name), &field, err);

    if (st == CR_OK && !file->source->fixed) {
        file->source->fields->column[field].kind = kind;
        file->source->fields->column[field].why = CR_WHY_DECLARED;
    }
    return st;
}

static cr_status header(cr__file *file, const cr__view *view, size_t *used, cr_error *err)
{
    const char *path = file->source->path[file->source->next_path];
    char labels[4096], name[24];
    size_t items, each;
    cr_status st = CR_OK;

    *used = read_sizes(view->bytes, view->size, &items, &each);
    if (*used == 0) {
        cr__fail(err, CR_EFORMAT, "this is not an idx file of bytes");
        return cr__fail_hint(err, CR_EFORMAT, "it begins with 0, 0, 8 and its dimensions");
    }
    file->record = each;
    file->items = items;
    for (size_t i = 0; st == CR_OK && i < each; i++) {
        snprintf(name, sizeof name, "p%zu", i);
        st = add_column(file, name, CR_REAL, err);
    }
    if (st == CR_OK)
        st = add_column(file, LABEL, CR_SYMBOL, err);
    if (st == CR_OK && find_labels(path, labels, sizeof labels))
        st = read_labels(file, labels, items, err);
    return st;
}

static size_t cut(const cr__file *file, const char *bytes, size_t size, int *inside)
{
    (void)inside;
    (void)bytes;
    return size / file->record * file->record;
}

/* --- records -------------------------------------------------------------------------------- */

static int put_digits(char *text, unsigned char byte)
{
    return snprintf(text, 4, "%u", byte);
}

/* Put a byte into the cell of a row, as text where it is not read as a number. */
static cr_status put_byte(cr__plan *plan, const cr__cell *cell, size_t row, unsigned char byte)
{
    char text[24];

    if (cell->use == CR__CELL_SKIP)
        return CR_OK;
    if (cell->use == CR__CELL_REAL && !cell->careful) {
        cell->real[row] = byte;
        return CR_OK;
    }
    return cr__cell_put(plan, cell, row, text, (size_t)put_digits(text, byte), 0);
}

static cr_status put_record(cr__chunk *chunk, cr__plan *plan, size_t row, const char *bytes,
                            size_t item, cr_error *err)
{
    const cr__file *file = chunk->file;
    const cr__cell *cell = cr__chunk_cells(chunk);
    cr_status st = CR_OK;
    size_t i;

    for (i = 0; st == CR_OK && i < file->record; i++)
        st = put_byte(plan, &cell[i], row, (unsigned char)bytes[i]);
    if (st != CR_OK) {
        char text[24];

        return cr__cell_fail(err, st, &cell[i - 1], text,
                             (size_t)put_digits(text, (unsigned char)bytes[i - 1]), file->name,
                             item, i);
    }
    if (cell[file->record].use == CR__CELL_SKIP)
        return CR_OK;
    if (file->labels == NULL || item > file->items) {
        cr__cell_put_missing(&cell[file->record], row);
        return CR_OK;
    }
    return put_byte(plan, &cell[file->record], row, file->labels[item - 1]);
}

static cr_status parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err)
{
    const size_t each = chunk->file->record;
    cr_status st = CR_OK;

    while (st == CR_OK && batch->rows < batch->capacity && chunk->line <= chunk->file->items &&
           chunk->size - chunk->position >= each) {
        const char *bytes = chunk->bytes + chunk->position;

        batch->record[batch->rows] = (cr__record){bytes, each, chunk->line};
        st = put_record(chunk, plan, batch->rows++, bytes, chunk->line, err);
        chunk->position += each;
        chunk->line++;
    }
    if (chunk->size - chunk->position < each || chunk->line > chunk->file->items)
        chunk->position = chunk->size; /* a line end is added to every file */
    return st;
}

static cr_status split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                       cr_error *err)
{
    const cr__file *file = chunk->file;
    char *at;

    cr__buffer_clear(fields->scratch);
    if ((at = cr__buffer_reserve(fields->scratch, 4 * (file->record + 1))) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < file->record; i++, at += 4) {
        fields->size[i] = (size_t)put_digits(at, (unsigned char)record->bytes[i]);
        fields->bytes[i] = at;
    }
    if (file->labels != NULL && record->line >= 1 && record->line <= file->items) {
        fields->size[file->record] = (size_t)put_digits(at, file->labels[record->line - 1]);
        fields->bytes[file->record] = at;
    }
    return CR_OK;
}

const cr__format cr__format_idx = {
    .name = "idx",
    .summary = "arrays of bytes, as of MNIST; labels from the file beside it",
    .suffixes = "-idx3-ubyte .idx3-ubyte -idx2-ubyte .idx2-ubyte .idx",
    .declared = 1,
    .any_bytes = 1,
    .recognise = recognise,
    .header = header,
    .cut = cut,
    .parse = parse,
    .split = split,
};
