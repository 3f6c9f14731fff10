/* source/source.c - a source from its options to its chunks. */
#include "source/source.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "base/sized.h"
#include "source/division.h"
#include "source/documents.h"
#include "source/scan.h"

size_t cr__source_chunk_size = (size_t)256 << 10;
size_t cr__source_record_limit = ((size_t)4 << 30) - ((size_t)1 << 20); /* offsets have 32 bits */

#define NOTES_MAX 100 /* no one reads more */

void cr_source_options_default(cr_source_options *options)
{
    *options = (cr_source_options){.size = sizeof *options};
}

/* --- options ------------------------------------------------------------------------------- */

static char *copy_text(const char *text, int *failed)
{
    char *copy = text == NULL ? NULL : cr__strndup(text, strlen(text));

    *failed |= text != NULL && copy == NULL;
    return copy;
}

/* A delimiter must not be able to occur in a number or a line end. */
static cr_status check_delimiter(char delimiter, const char *what, cr_error *err)
{
    if (delimiter == '"' || delimiter == '\n' || delimiter == '\r' || delimiter == '.' ||
        delimiter == '+' || delimiter == '-' || (delimiter >= '0' && delimiter <= '9') ||
        ((delimiter | 32) >= 'a' && (delimiter | 32) <= 'z'))
        return cr__fail(err, CR_EARG,
                        "the %s is '%c'; it cannot be a letter, digit, quote, sign, point or line "
                        "end",
                        what, delimiter);
    return CR_OK;
}

static cr_status choose_format(cr_source *source, const char *name, cr_error *err)
{
    cr_nearest near;

    if (name == NULL || (source->format = cr__format_find(name)) != NULL)
        return CR_OK;
    near = (cr_nearest){.wanted = name};
    for (size_t i = 0; cr_source_format_name(i) != NULL; i++)
        cr_nearest_offer(&near, cr_source_format_name(i));
    cr__fail(err, CR_EARG, "there is no format '%s'", name);
    return near.best == NULL ? CR_EARG : cr__fail_hint(err, CR_EARG, "did you mean %s?", near.best);
}

static cr_status take_options(cr_source *source, const cr_source_options *given, cr_error *err)
{
    int failed = 0;
    cr_status st;

    if ((st = check_delimiter(given->delimiter, "delimiter", err)) != CR_OK ||
        (st = choose_format(source, given->format, err)) != CR_OK ||
        (st = cr__missing_open(&source->missing, given->missing, err)) != CR_OK ||
        (st = cr__classes_open(&source->classes, given->classes, err)) != CR_OK)
        return st;
    if (given->comment == '"' || given->comment == '\n')
        return cr__fail(err, CR_EARG, "comment lines cannot begin with a quote or a line end");
    source->delimiter = given->delimiter;
    source->comment = given->comment;
    source->no_header = given->no_header;
    source->index_base = given->zero_based ? 0 : 1;
    source->lenient = given->on_error != CR_ON_ERROR_STOP;
    if (given->parts > 1 && (given->part < 1 || given->part > given->parts))
        return cr__fail(err, CR_EARG, "there is no part %zu of %zu", given->part, given->parts);
    source->part = given->part;
    source->parts = given->parts;
    source->columns = copy_text(given->columns, &failed);
    source->target = copy_text(given->target, &failed);
    source->weight = copy_text(given->weight, &failed);
    source->member = copy_text(given->member, &failed);
    source->basis = copy_text(given->basis, &failed);
    if (failed)
        return cr__fail_memory(err);
    return cr__source_take_types(source, given->types, given->type_count, err);
}

static int make_paths(cr_source *source, size_t count)
{
    source->path = cr__alloc_zero(count, sizeof *source->path);
    source->input = cr__alloc_zero(count, sizeof *source->input);
    source->tree = cr__alloc_zero(count, sizeof *source->tree);
    return source->path != NULL && source->input != NULL && source->tree != NULL;
}

/* Check that every path exists before a long run starts with the first of them. */
static cr_status take_paths(cr_source *source, const char *const *paths, size_t count,
                            cr_error *err)
{
    int inputs = 0;
    cr_status st;

    if (!make_paths(source, count))
        return cr__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const char *path = paths[i];
        struct stat about;

        if ((source->path[i] = cr__strndup(path, strlen(path))) == NULL)
            return cr__fail_memory(err);
        source->paths = i + 1;
        if (strcmp(path, "-") == 0 && inputs++ > 0)
            return cr__fail(err, CR_EARG, "standard input can be read only once");
        if (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &about) != 0 : stat(path, &about) != 0)
            return cr__fail_errno(err, "cannot open %s", cr__path_shown(path));
        if (strcmp(path, "-") != 0 && access(path, R_OK) != 0)
            return cr__fail_errno(err, "cannot open %s", path);
        if (S_ISDIR(about.st_mode) && strcmp(path, "-") != 0) {
            if ((st = cr__folder_open(&source->tree[i], path, source->member, err)) != CR_OK)
                return st;
            source->bytes_total += source->tree[i]->bytes;
        } else if (S_ISREG(about.st_mode)) {
            source->bytes_total += (uint64_t)about.st_size;
        } else {
            source->bytes_unknown = 1;
        }
    }
    return CR_OK;
}

static cr_status make_source(cr_source **out, cr_error *err)
{
    cr_source *source = cr__alloc_zero(1, sizeof *source);
    cr_status st;

    *out = NULL;
    if (source == NULL)
        return cr__fail_memory(err);
    if ((st = cr__blocks_open(&source->pool, err)) != CR_OK) {
        cr__free(source);
        return st;
    }
    if (pthread_mutex_init(&source->note_lock, NULL) != 0) {
        cr__blocks_close(&source->pool);
        cr__free(source);
        return cr__fail_memory(err);
    }
    if ((st = cr__schema_new(&source->fields, err)) != CR_OK) {
        cr_source_close(source);
        return st;
    }
    *out = source;
    return CR_OK;
}

static cr_status open_source(cr_source **out, const cr_source_options *options, cr_error *err)
{
    cr_source_options own;
    cr_status st;

    *out = NULL;
    if ((st = cr__sized_take(&own, sizeof own, options, "cr_source_options", err)) == CR_OK &&
        (st = make_source(out, err)) == CR_OK)
        st = take_options(*out, &own, err);
    return st;
}

/* Read the first header, so that errors show at once. */
static cr_status finish_opening(cr_source **out, cr_status st, cr_error *err)
{
    if (st == CR_OK)
        st = cr__source_open_file(*out, err);
    if (st == CR_END)
        st = cr__fail(err, CR_EFORMAT, "%s contains no files", cr__path_shown((*out)->path[0]));
    if (st != CR_OK) {
        cr_source_close(*out);
        *out = NULL;
        return st;
    }
    (*out)->fixed = 1;
    (*out)->visible = (*out)->fields->columns;
    return CR_OK;
}

cr_status cr_source_open(cr_source **out, const char *const *paths, size_t count,
                         const cr_source_options *options, cr_error *err)
{
    cr_status st;

    *out = NULL;
    if (count == 0)
        return cr__fail(err, CR_EARG, "no file is named");
    if ((st = open_source(out, options, err)) == CR_OK)
        st = take_paths(*out, paths, count, err);
    return finish_opening(out, st, err);
}

/* One path, which is not a file. */
static cr_status take_bytes(cr_source *source, const char *bytes, size_t size, const char *name,
                            cr_error *err)
{
    if (!make_paths(source, 1) || (source->path[0] = cr__strndup(name, strlen(name))) == NULL)
        return cr__fail_memory(err);
    source->paths = 1;
    source->bytes_total = size;
    return cr__input_open_memory(&source->input[0], bytes, size, name, &source->pool, err);
}

cr_status cr_source_open_memory(cr_source **out, const void *bytes, size_t size, const char *name,
                                const cr_source_options *options, cr_error *err)
{
    cr_status st = open_source(out, options, err);

    if (st == CR_OK)
        st = take_bytes(*out, size == 0 ? "" : bytes, size, name == NULL ? "memory" : name, err);
    return finish_opening(out, st, err);
}

cr_status cr__source_make_arrays(cr_source **out, cr_error *err)
{
    return open_source(out, NULL, err);
}

cr_status cr_source_set_basis(cr_source *source, const char *basis, cr_error *err)
{
    int failed = 0;
    char *copy = copy_text(basis, &failed);

    if (failed)
        return cr__fail_memory(err);
    cr__free(source->basis);
    source->basis = copy;
    return CR_OK;
}

void cr_source_close(cr_source *source)
{
    if (source == NULL)
        return;
    cr__file_release(source->file);
    for (size_t i = 0; i < source->paths; i++) {
        if (source->input != NULL)
            cr__input_close(source->input[i]);
        if (source->path != NULL)
            cr__free(source->path[i]);
        if (source->tree != NULL)
            cr__folder_close(source->tree[i]);
    }
    for (size_t i = 0; i < source->types; i++)
        cr__free(source->type[i].name);
    for (size_t i = 0; i < source->notes; i++)
        cr__free(source->note[i]);
    cr__source_join(source);
    cr__arrays_free(source->arrays);
    cr__pulled_free(source->pulled);
    cr__rows_free(source->rows);
    cr__missing_close(&source->missing);
    cr__classes_close(&source->classes);
    cr__schema_free(source->fields);
    cr__schema_free(source->own);
    cr__free(source->path);
    cr__free(source->input);
    cr__free(source->tree);
    cr__free(source->type);
    cr__dict_free(source->type_names);
    cr__free(source->note);
    cr__free(source->columns);
    cr__free(source->basis);
    cr__free(source->target);
    cr__free(source->weight);
    cr__free(source->member);
    for (size_t i = 0; i < source->seen_capacity; i++)
        cr__seen_restart(&source->seen[i]);
    cr__free(source->seen);
    cr__free(source->column);
    cr__free(source->absent);
    pthread_mutex_destroy(&source->note_lock);
    cr__blocks_close(&source->pool);
    cr__free(source);
}

/* --- chunks -------------------------------------------------------------------------------- */

static cr_status fail_nul(const cr_source *source, const cr__view *view, cr_error *err)
{
    const char *nul = memchr(view->bytes, 0, view->size);
    const size_t before = nul != NULL ? (size_t)(nul - view->bytes) : 0;

    cr__fail(err, CR_EFORMAT, "a NUL byte: this is not text");
    cr__fail_hint(err, CR_EFORMAT, "text must be ASCII or UTF-8; iconv converts UTF-16");
    return cr__fail_at(err, CR_EFORMAT, source->file->name,
                       source->line + cr__scan_census(view->bytes, before, 0).newlines, 0);
}

/* How many of the bytes in view are whole records; 0 when more bytes are needed. Bytes after them
 * are removed from the census. */
static size_t cut_records(const cr__file *file, const cr__view *view, cr__census *census)
{
    const cr__format *format = file->format;
    const char *last;
    size_t size;

    if (view->whole)
        return view->size;
    if (format->cut != NULL && (census->quote || format->quote == 0)) {
        size = format->cut(file, view->bytes, view->size, &(int){0});
    } else {
        last = memrchr(view->bytes, '\n', view->size);
        size = last != NULL ? (size_t)(last - view->bytes) + 1 : 0;
    }
    census->newlines -= cr__scan_census(view->bytes + size, view->size - size, 0).newlines;
    return size;
}

size_t cr__file_record_limit(const cr__file *file)
{
    return file->format->declared ? cr__source_document_limit : cr__source_record_limit;
}

cr_status cr__file_fail_long(const cr__file *file, size_t line, cr_error *err)
{
    cr__fail(err, CR_ELIMIT, "a record of more than %zu bytes begins here",
             cr__file_record_limit(file));
    if (file->format->quote != 0)
        cr__fail_hint(err, CR_ELIMIT, "perhaps a quote is not closed");
    return cr__fail_at(err, CR_ELIMIT, file->name, line, 0);
}

cr_status cr__source_see(cr_source *source, size_t most, cr__view *view, cr__census *census,
                         cr_error *err)
{
    cr__input *input = source->input[source->next_path];
    const int live = source->live && cr__input_is_live(input);
    const size_t limit = cr__file_record_limit(source->file) + 1;
    size_t least = live ? 1 : most;
    cr_status st;

    for (;;) {
        size_t size;

        if ((st = cr__input_see(input, least, most, view, err)) != CR_OK)
            return cr__fail_at(err, st, source->file->name, 0, 0);
        *census = cr__scan_census(view->bytes, view->size, source->file->format->quote);
        size = cut_records(source->file, view, census);
        if (census->nul && !source->file->format->any_bytes &&
            memchr(view->bytes, 0, size > 0 ? size : view->size) != NULL)
            return fail_nul(source, view, err);
        if (size > 0 || view->size == 0) {
            view->size = size;
            return CR_OK;
        }
        if (view->size >= limit)
            return cr__file_fail_long(source->file, source->line, err);
        if (view->size == most)
            most = most < limit / 2 ? most * 2 : limit;
        least = live ? view->size + 1 : most;
    }
}

/* Records of one size: the file must have all the records that its header announces. */
static cr_status check_end(const cr_source *source, const cr__view *view, cr_error *err)
{
    const cr__file *file = source->file;
    const size_t items = file->record == 0 ? 0 : source->line - 1 + view->size / file->record;

    if (file->record == 0 || !view->whole ||
        (view->size % file->record == 0 && items == file->items))
        return CR_OK;
    cr__fail(err, CR_EFORMAT, "the header announces %zu items, but there are %zu%s", file->items,
             items, view->size % file->record == 0 ? "" : " and a part of one");
    return cr__fail_at(err, CR_EFORMAT, file->name, 0, 0);
}

static cr_status take_chunk(cr_source *source, const cr__view *view, const cr__census *census,
                            cr__chunk *chunk, cr_error *err)
{
    cr_status st = check_end(source, view, err);

    if (st == CR_OK)
        st = cr__input_take(source->input[source->next_path], view->size, chunk, err);
    if (st != CR_OK)
        return st;
    chunk->first_line = chunk->line = source->line;
    chunk->sequence = source->sequence++;
    chunk->file = source->file;
    ((cr__block *)chunk->block)->quoted = census->quote;
    source->line += source->file->record > 0 ? view->size / source->file->record : census->newlines;
    source->started = 1;
    atomic_fetch_add(&source->file->users, 1);
    return CR_OK;
}

size_t cr__source_chunks(const cr_source *source)
{
    if (source->arrays != NULL)
        return cr__arrays_chunks(source->arrays);
    return SIZE_MAX;
}

static cr_status next_chunk(cr_source *source, cr__chunk *chunk, cr_error *err)
{
    cr__census census;
    cr__view view;
    cr_status st;

    if (source->arrays != NULL)
        return cr__arrays_next(source, chunk, err);
    if (source->pulled != NULL)
        return cr__pulled_next(source, chunk, err);
    if (source->rows != NULL)
        return cr__rows_next(source, chunk, err);
    for (;;) {
        if (source->file == NULL && (st = cr__source_open_file(source, err)) != CR_OK) {
            if (st == CR_END && source->sequence == 0 &&
                !source->live && /* nothing requested: nothing returned */
                (source->division == NULL || !source->division->active))
                return cr__source_fail_rows(source, err);
            return st;
        }
        if (source->file->format->documents) {
            if ((st = cr__documents_next(source, chunk, err)) != CR_END)
                return st;
            cr__source_leave_path(source);
        } else {
            st = cr__source_see(source, cr__source_chunk_size, &view, &census, err);
            if (st != CR_OK || view.size > 0)
                return st != CR_OK ? st : take_chunk(source, &view, &census, chunk, err);
            if ((st = check_end(source, &view, err)) != CR_OK)
                return st;
        }
        cr__file_release(source->file);
        source->file = NULL;
    }
}

cr_status cr__source_next(cr_source *source, cr__chunk *chunk, cr_error *err)
{
    cr_status st;

    while ((st = next_chunk(source, chunk, err)) == CR_OK && cr__division_deals_away(source)) {
        cr__source_release(chunk);
        source->sequence--;
    }
    return st;
}

cr_status cr__source_fail_rows(const cr_source *source, cr_error *err)
{
    cr__fail(err, CR_EFORMAT, "there are no rows");
    return cr__fail_at(err, CR_EFORMAT, source->paths > 0 ? cr__path_shown(source->path[0]) : NULL,
                       0, 0);
}

void cr__source_release(cr__chunk *chunk)
{
    cr__file *file = (cr__file *)chunk->file;

    cr__block_put(chunk->block);
    cr__file_release(file);
    *chunk = (cr__chunk){0};
}

cr_status cr__source_check_classes(const cr_source *source, cr_error *err)
{
    if (source->division != NULL && source->division->active)
        return CR_OK; /* other parts may have rows */
    return cr__source_has_target(source) ? cr__classes_check(&source->classes, err) : CR_OK;
}

cr_status cr__source_rewind(cr_source *source, cr_error *err)
{
    cr_status st;

    if (source->pulled != NULL &&
        (st = cr__pulled_rewind(source->pulled, source->started, err)) != CR_OK)
        return st;
    cr__file_release(source->file);
    source->file = NULL;
    source->next_path = 0;
    source->row = 0;
    source->sequence = 0;
    source->bytes_before = source->tree_done = 0;
    if (source->division != NULL)
        source->division->dealt = 0;
    source->started = 0;
    for (size_t i = 0; i < source->paths; i++)
        if (source->input[i] != NULL && (st = cr__input_rewind(source->input[i], err)) != CR_OK)
            return st;
    return CR_OK;
}

uint64_t cr__source_chunks_read(const cr_source *source)
{
    return source->sequence;
}

int cr__source_is_whole(const cr_source *source)
{
    return source->parts < 2;
}

void cr__source_progress(const cr_source *source, uint64_t *done, uint64_t *total)
{
    *total = source->bytes_unknown ? 0 : source->bytes_total;
    *done = source->bytes_before + source->tree_done;
    if (source->next_path < source->paths && source->input[source->next_path] != NULL)
        *done += cr__input_done(source->input[source->next_path]);
    if (*total > 0 && *done > *total)
        *done = *total;
}

/* --- getters ---------------------------------------------------------------------------------- */

size_t cr__source_fields(const cr_source *source)
{
    return source->visible;
}

const char *cr__source_field_name(const cr_source *source, size_t field)
{
    return source->fields->column[field].name;
}

int cr__source_is_mail(const cr_source *source)
{
    return source->mail;
}

const char *cr__source_missing(const cr_source *source)
{
    return source->missing.list;
}

void cr__source_note(cr_source *source, const char *fmt, ...)
{
    char text[512];
    cr_error *note;
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if ((note = cr__alloc_zero(1, sizeof *note)) == NULL)
        return;
    cr__fail(note, CR_OK, "%s", text);
    pthread_mutex_lock(&source->note_lock);
    for (size_t i = 0; i < source->notes; i++)
        if (strcmp(source->note[i]->message, note->message) == 0)
            goto done;
    if (source->notes < NOTES_MAX &&
        cr__grow(&source->note, &source->note_capacity, source->notes + 1, sizeof *source->note)) {
        source->note[source->notes++] = note;
        note = NULL;
    }
done:
    cr__free(note);
    pthread_mutex_unlock(&source->note_lock);
}

const char *cr_source_note(const cr_source *source, size_t index)
{
    return index < source->notes ? source->note[index]->message : NULL;
}

cr_status cr_source_get_note(const cr_source *source, size_t index, cr_error *out)
{
    if (index >= source->notes)
        return CR_END;
    *out = *source->note[index];
    return CR_OK;
}
