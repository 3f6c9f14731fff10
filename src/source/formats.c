/* source/formats.c - the table of formats. */
#include <string.h>
#include <strings.h>

#include "source/format.h"

/* In the order in which their contents are tried; CSV takes whatever is left. */
static const cr__format *const formats[] = {
    &cr__format_idx,      &cr__format_mbox, &cr__format_mail,  &cr__format_folder,
    &cr__format_labelled, &cr__format_arff, &cr__format_jsonl, &cr__format_libsvm,
    &cr__format_tsv,      &cr__format_csv,
};

#define FORMATS (sizeof formats / sizeof *formats)

const char *cr_source_format_name(size_t index)
{
    return index < FORMATS ? formats[FORMATS - 1 - index]->name : NULL;
}

const char *cr_source_format_summary(size_t index)
{
    return index < FORMATS ? formats[FORMATS - 1 - index]->summary : NULL;
}

const cr__format *cr__format_find(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

/* The name without an ending such as ".gz". */
static size_t unpacked_length(const char *name)
{
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst"};
    const size_t length = strlen(name);

    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        const size_t n = strlen(packed[i]);
        if (length > n && strcasecmp(name + length - n, packed[i]) == 0)
            return length - n;
    }
    return length;
}

static int has_suffix(const cr__format *format, const char *name, size_t length)
{
    for (const char *s = format->suffixes; *s != 0; s += strspn(s, " ")) {
        const size_t n = strcspn(s, " ");
        if (length > n && strncasecmp(name + length - n, s, n) == 0)
            return 1;
        s += n;
    }
    return 0;
}

static const cr__format *by_suffix(const char *name)
{
    const size_t length = unpacked_length(name);

    for (size_t i = 0; i < FORMATS; i++)
        if (has_suffix(formats[i], name, length))
            return formats[i];
    return NULL;
}

/* Whether the first lines, at least two, have the same number of some delimiter. */
static int is_table(const char *bytes, size_t size, char delimiter)
{
    size_t lines = 0, first = 0, found = 0;

    for (size_t i = 0; i < size && lines < 16; i++) {
        found += bytes[i] == delimiter;
        if (bytes[i] != '\n')
            continue;
        first = lines == 0 ? found : first;
        if (found == 0 || found != first)
            return 0;
        lines++;
        found = 0;
    }
    return lines > 1;
}

const cr__format *cr__format_recognise(const char *name, const char *bytes, size_t size,
                                       int in_folder)
{
    const cr__format *format = by_suffix(name);

    if (format != NULL)
        return format;
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->recognise != NULL && !(in_folder && formats[i]->alone) &&
            formats[i]->recognise(bytes, size))
            return formats[i];
    if (in_folder && cr__mail_is(bytes, size))
        return &cr__format_mail;
    if (in_folder && !is_table(bytes, size, ',') && !is_table(bytes, size, ';') &&
        !is_table(bytes, size, '\t') && !is_table(bytes, size, '|'))
        return &cr__format_folder;
    return &cr__format_csv;
}

const cr__format *cr__format_of_tree(const cr__folder *tree)
{
    const cr__format *format = tree->files > 0 ? by_suffix(tree->file[0].path) : NULL;

    if (tree->maildirs > 0 || (format == NULL && cr__mail_is_tree(tree)))
        return &cr__format_mail;
    return format != NULL ? format : &cr__format_folder;
}
