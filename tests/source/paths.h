/* tests/source/paths.h - for tests: read files and folders by their paths, and pack archives. */
#ifndef TESTS_SOURCE_PATHS_H
#define TESTS_SOURCE_PATHS_H

#include "source/reading.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <sys/stat.h>

static inline reading read_paths(const char *const *paths, size_t count,
                                 const cr_source_options *options)
{
    reading r = {0};
    cr_source *source = NULL;

    r.status = cr_source_open(&source, paths, count, options, &r.err);
    if (r.status == CR_OK)
        reading_run(&r, source);
    cr_source_close(source);
    return r;
}

static inline void expect_path(const char *path, const cr_source_options *options,
                               const char *expected)
{
    reading r = read_paths(&path, 1, options);

    if (r.status != CR_OK)
        fail_msg("%s: %s", path, r.err.message);
    assert_string_equal(r.text.data, expected);
    cr__buffer_free(&r.text);
}

static inline void expect_path_error(const char *path, const cr_source_options *options,
                                     cr_status status, const char *words)
{
    reading r = read_paths(&path, 1, options);

    if (r.status != status || strstr(r.err.message, words) == NULL)
        fail_msg("%s: %d %s", path, (int)r.status, r.err.message);
    cr__buffer_free(&r.text);
}

typedef struct member {
    const char *name, *text;
} member;

/* Pack members with libarchive; for "raw" only the first, with no archive around it. */
static inline void pack(const char *path, const char *filter, const char *format,
                        const member *members, size_t count)
{
    struct archive *a = archive_write_new();

    if (filter != NULL)
        assert_int_equal(archive_write_add_filter_by_name(a, filter), ARCHIVE_OK);
    assert_int_equal(archive_write_set_format_by_name(a, format), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new();
        const int folder = members[i].text == NULL;

        archive_entry_set_pathname(entry, members[i].name);
        archive_entry_set_filetype(entry, folder ? AE_IFDIR : AE_IFREG);
        archive_entry_set_perm(entry, folder ? 0755 : 0644);
        archive_entry_set_size(entry, folder ? 0 : (la_int64_t)strlen(members[i].text));
        assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
        if (!folder)
            assert_int_equal(archive_write_data(a, members[i].text, strlen(members[i].text)),
                             strlen(members[i].text));
        archive_entry_free(entry);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

/* A file in a folder, both of which are made. */
static inline void plant(const char *path, const char *text)
{
    char folder[256];

    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        assert_true(mkdir(folder, 0700) == 0 || errno == EEXIST);
    }
    write_file(path, text, strlen(text));
}

#endif
