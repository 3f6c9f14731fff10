/* source/file.c - the files of a source: opening them, their headers, their fields. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/container.h"
#include "source/division.h"
#include "source/documents.h"
#include "source/scan.h"

#define HEADER_SIZE ((size_t)64 << 10) /* bytes to examine first */

void cr__file_release(cr__file *file)
{
    if (file == NULL || atomic_fetch_sub(&file->users, 1) != 1)
        return;
    cr__free(file->name);
    cr__free(file->field);
    cr__free(file->labels);
    cr__free(file);
}

static cr_status make_file(cr_source *source, const cr__format *format, const char *member,
                           cr_error *err)
{
    const char *path = cr__path_shown(source->path[source->next_path]);
    const size_t size = strlen(path) + (member != NULL ? strlen(member) + 1 : 0) + 1;
    cr__file *file = cr__alloc_zero(1, sizeof *file);

    if (file == NULL || (file->name = cr__alloc(size, 1)) == NULL) {
        cr__free(file);
        return cr__fail_memory(err);
    }
    snprintf(file->name, size, member != NULL ? "%s:%s" : "%s", path, member);
    file->label =
        cr__path_stem(file->name + (member != NULL ? strlen(path) + 1 : 0), &file->label_size);
    if (member == NULL && path != source->path[source->next_path])
        file->label_size = 0; /* standard input has no name */
    file->source = source;
    file->format = format;
    file->delimiter = format->delimiter != 0 ? format->delimiter : source->delimiter;
    atomic_init(&file->users, 1);
    source->file = file;
    source->line = 1;
    return CR_OK;
}

/* --- fields -------------------------------------------------------------------------------- */

int cr__source_take_more_fields(cr_source *source)
{
    const size_t fields = source->fields->columns, before = source->seen_capacity;

    if (!cr__grow(&source->seen, &source->seen_capacity, fields, sizeof *source->seen))
        return 0;
    if (source->seen_capacity > before)
        memset(source->seen + before, 0, (source->seen_capacity - before) * sizeof *source->seen);
    return cr__grow(&source->column, &source->column_capacity, fields, sizeof *source->column);
}

cr_status cr__source_add_field(cr_source *source, const char *name, size_t length, cr_error *err)
{
    cr_status st =
        cr__schema_add(source->fields, name, length, CR_IGNORE, CR_ROLE_FEATURE, CR_WHY_EMPTY, err);

    if (st != CR_OK)
        return st;
    if (source->fields->columns >= CR__NO_COLUMN)
        return cr__fail(err, CR_ELIMIT, "more columns than can be counted");
    return cr__source_take_more_fields(source) ? CR_OK : cr__fail_memory(err);
}

static size_t find_field(const cr_source *source, const char *name, size_t length)
{
    const uint32_t code = cr__dict_find(source->fields->names, name, length);

    return code == CR__MISSING ? SIZE_MAX : code - 1;
}

cr_status cr__file_add(cr__file *file, const char *name, size_t length, size_t *field,
                       cr_error *err)
{
    cr_source *source = file->source;
    char shown[80];
    cr_status st;

    if (!cr__grow(&file->field, &file->field_capacity, file->fields + 1, sizeof *file->field))
        return cr__fail_memory(err);
    if (source->fixed) {
        *field = find_field(source, name, length);
        if (*field == SIZE_MAX)
            return cr__fail(err, CR_EFORMAT, "column %zu is '%s', which %s does not have",
                            file->fields + 1, cr__printable(shown, sizeof shown, name, length),
                            cr__path_shown(source->path[0]));
    } else {
        *field = source->fields->columns;
        if ((st = cr__source_add_field(source, name, length, err)) != CR_OK)
            return st;
    }
    file->field[file->fields++] = (uint32_t)*field;
    return CR_OK;
}

cr_status cr__file_meet(const cr__chunk *chunk, cr__plan *plan, const char *name, size_t length,
                        size_t *field, cr_error *err)
{
    cr_source *source = chunk->file->source;
    cr_status st;

    *field = SIZE_MAX;
    if (source->surveying) {
        if ((st = cr__source_add_field(source, name, length, err)) != CR_OK)
            return st;
        *field = source->fields->columns - 1;
        source->visible = source->fields->columns;
        return cr__cells_add(chunk, err);
    }
    if (!source->inferred) {
        cr__source_note_unknown(source, name, length);
        return CR_OK;
    }
    plan->broken_column = SIZE_MAX;
    return CR__EWIDEN;
}

/* A later file of a table must have every field, once. */
static cr_status check_fields(const cr_source *source, const cr__file *file, cr_error *err)
{
    unsigned char *met = cr__alloc_zero(source->fields->columns + 1, 1);
    cr_status st = CR_OK;

    if (met == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < file->fields; i++)
        if (met[file->field[i]]++ != 0)
            st = cr__fail(err, CR_EFORMAT, "column %zu has the name '%s', which an earlier one has",
                          i + 1, source->fields->column[file->field[i]].name);
    for (size_t i = 0; st == CR_OK && i < source->visible; i++)
        if (met[i] == 0)
            st = cr__fail(err, CR_EFORMAT, "it has no column '%s', which %s has",
                          source->fields->column[i].name, cr__path_shown(source->path[0]));
    cr__free(met);
    return st;
}

/* --- headers ------------------------------------------------------------------------------- */

/* The length of a byte order mark that says that this is UTF-8. */
static size_t mark_length(const cr__view *view)
{
    const unsigned char *b = (const unsigned char *)view->bytes;

    return view->size >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf ? 3 : 0;
}

/* Check before the header: the file must not be empty, and a byte order mark must be that of
 * UTF-8. */
static cr_status check_start(const cr__view *view, cr_error *err)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *name;
    } marks[] = {{"\xff\xfe\0\0", 4, "UTF-32"},
                 {"\0\0\xfe\xff", 4, "UTF-32"},
                 {"\xff\xfe", 2, "UTF-16"},
                 {"\xfe\xff", 2, "UTF-16"}};

    if (view->size == 0)
        return cr__fail(err, CR_EFORMAT, "the file is empty" CR__SET("empty"));
    if (cr__container_begins(view->bytes, view->size))
        return cr__fail(err, CR_EFORMAT, "this is a model, not data to read rows from");
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (view->size >= marks[i].size &&
            memcmp(view->bytes, marks[i].bytes, marks[i].size) == 0) {
            cr__fail(err, CR_EFORMAT, "the text is %s", marks[i].name);
            return cr__fail_hint(err, CR_EFORMAT, "convert it with iconv -f %s -t UTF-8",
                                 marks[i].name);
        }
    return CR_OK;
}

/* A file with the line ends of the first Macintosh (CR alone) would be read as one useless line. */
static cr_status check_line_ends(const cr__view *view, cr_error *err)
{
    const char *cr = view->whole ? memchr(view->bytes, '\r', view->size) : NULL;

    if (cr == NULL || cr == view->bytes + view->size - 1 ||
        memchr(view->bytes, '\n', view->size) != NULL)
        return CR_OK;
    cr__fail(err, CR_EFORMAT, "the lines end in CR alone");
    return cr__fail_hint(err, CR_EFORMAT, "convert them with tr '\\r' '\\n'");
}

/* The fields of an open-ended format are those of its first records. */
static cr_status survey_head(cr_source *source, const cr__view *view, size_t *used, cr_error *err)
{
    const char *last = memrchr(view->bytes, '\n', view->size);
    const size_t size = view->whole    ? view->size
                        : last != NULL ? (size_t)(last - view->bytes) + 1
                                       : 0;

    *used = size == 0 ? SIZE_MAX : 0;
    if (size == 0 || source->fixed)
        return CR_OK;
    return cr__source_survey_fields(source, view->bytes, size, err);
}

static cr_status read_header(cr_source *source, cr__file *file, cr__input *input, cr_error *err)
{
    size_t least = 1, most = HEADER_SIZE, used;
    cr__view view;
    cr_status st;

    for (;;) {
        if ((st = cr__input_see(input, least, most, &view, err)) != CR_OK ||
            (!file->format->any_bytes && (st = check_line_ends(&view, err)) != CR_OK))
            return st;
        if (file->format->header != NULL)
            st = file->format->header(file, &view, &used, err);
        else
            st = survey_head(source, &view, &used, err);
        if (st != CR_OK)
            return st;
        if (!file->format->any_bytes &&
            memchr(view.bytes, 0, used < view.size ? used : view.size) != NULL)
            return cr__fail(err, CR_EFORMAT, "a NUL byte in the header: this is not text");
        if (used != SIZE_MAX)
            break;
        if (view.whole || most >= cr__source_record_limit)
            return cr__fail(err, CR_EFORMAT, "the header has no end");
        most = view.size == most ? most * 2 : most;
        least = view.size + 1;
    }
    if (file->record == 0)
        source->line += cr__scan_census(view.bytes, used, 0).newlines;
    cr__input_skip(input, used);
    return file->format->header != NULL && source->fixed ? check_fields(source, file, err) : CR_OK;
}

/* The file has begun, or its name is added to the error. */
static cr_status settle(cr_source *source, cr_status st, cr_error *err)
{
    cr__file *file = source->file;

    if (st == CR_OK)
        return st;
    if (err != NULL && err->file[0] == 0)
        cr__fail_at(err, st, file->name, err->line, err->column);
    cr__file_release(file);
    source->file = NULL;
    return st;
}

static cr_status begin_documents(cr_source *source, const char *member, cr_error *err)
{
    cr__file *file = source->file;
    size_t used;
    cr_status st = file->format->header(file, NULL, &used, err);

    file->member = member;
    file->opened = source->tree[source->next_path] == NULL;
    return st == CR_OK && source->fixed ? check_fields(source, file, err) : st;
}

/* Recognise the file that the input is at, and read its header. */
static cr_status begin_file(cr_source *source, cr__input *input, const char *member, cr_error *err)
{
    const char *path = source->path[source->next_path];
    const cr__format *format = source->format;
    cr__view view;
    size_t mark;
    cr_status st = cr__input_see(input, 1, HEADER_SIZE, &view, err);

    if (st != CR_OK)
        return cr__fail_at(err, st, cr__path_shown(path), 0, 0);
    mark = mark_length(&view);
    if (format == NULL)
        format =
            cr__format_recognise(member != NULL ? member : path, view.bytes + mark,
                                 view.size - mark, member != NULL && strchr(member, '/') != NULL);
    if ((st = make_file(source, format, format->documents ? NULL : member, err)) != CR_OK)
        return st;
    if (format->documents)
        return settle(source, begin_documents(source, member, err), err);
    if ((st = check_start(&view, err)) == CR_OK) {
        cr__input_skip(input, mark);
        st = read_header(source, source->file, input, err);
    }
    if (st == CR_OK)
        cr__division_enter(source);
    return settle(source, st, err);
}

/* A folder is one file, whose records are the files in it. */
static cr_status begin_tree(cr_source *source, cr_error *err)
{
    const cr__folder *tree = source->tree[source->next_path];
    const cr__format *format = source->format != NULL ? source->format : cr__format_of_tree(tree);
    cr_status st = make_file(source, format, NULL, err);

    if (st != CR_OK)
        return st;
    if (tree->files == 0) {
        st = cr__fail(err, CR_EFORMAT, "the folder contains no files");
    } else if (!format->documents) {
        cr__fail(err, CR_EIO, "this is a folder, and the format %s reads files", format->name);
        st = cr__fail_hint(err, CR_EIO, "name the files in it");
    } else {
        st = begin_documents(source, NULL, err);
    }
    if (st == CR_OK && tree->odd > 0)
        cr__source_note(source, "%zu of the entries of %s %s not a file and left out, such as %s",
                        tree->odd, tree->root, tree->odd == 1 ? "is" : "are", tree->odd_example);
    if (st == CR_OK && tree->links > 0)
        cr__source_note(source,
                        "%zu link%s in %s lead%s nowhere, or to a folder that is read anyway, such "
                        "as %s",
                        tree->links, tree->links == 1 ? "" : "s", tree->root,
                        tree->links == 1 ? "s" : "", tree->link_example);
    return settle(source, st, err);
}

/* What came through a pipe stays open: it may be needed again. */
void cr__source_leave_path(cr_source *source)
{
    const cr__folder *tree = source->tree[source->next_path];
    cr__input **input = &source->input[source->next_path++];

    source->tree_done = 0;
    source->bytes_before += tree != NULL ? tree->bytes : cr__input_done(*input);
    if (tree != NULL)
        return;
    if (!cr__input_is_kept(*input)) {
        cr__input_close(*input);
        *input = NULL;
    }
}

cr_status cr__source_open_file(cr_source *source, cr_error *err)
{
    while (source->next_path < source->paths) {
        cr__input **input = &source->input[source->next_path];
        const char *path = source->path[source->next_path], *member;
        cr_status st = CR_OK;

        if (cr__division_skips(source)) {
            source->next_path++;
            continue;
        }
        if (source->tree[source->next_path] != NULL)
            return begin_tree(source, err);
        if (*input == NULL)
            st = cr__input_open(input, path, &source->pool, err);
        if (st == CR_OK && source->once)
            cr__input_forget(*input);
        if (st == CR_OK)
            st = cr__input_next(*input, source->member, &member, err);
        if (st == CR_OK)
            return begin_file(source, *input, member, err);
        if (st != CR_END)
            return st;
        if (source->member != NULL && cr__input_members(*input) == 0) {
            cr__fail(err, CR_EARG, "there is no member '%s' in it", source->member);
            return cr__fail_at(err, CR_EARG, cr__path_shown(path), 0, 0);
        }
        cr__source_leave_path(source);
    }
    return CR_END;
}

cr_status cr__chunk_fail(const cr__chunk *chunk, size_t line, size_t field, cr_error *err,
                         const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cr__fail(err, CR_EFORMAT, "%s", text);
    cr__fail_at(err, CR_EFORMAT, chunk->file->name, line, field);
    return CR_EFORMAT;
}
