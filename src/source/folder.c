/* source/folder.c - the files below a folder, in the order of their paths. */
#include "source/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/dict.h"

typedef struct paths {
    const char **path;
    size_t count, capacity;
} paths;

typedef struct walk {
    cr__folder *tree;
    paths folders;   /* still to be scanned; the last one comes next */
    paths links;     /* links to folders: scanned after all others */
    cr__dict *known; /* device and inode of each folder that was scanned */
} walk;

static int add_path(paths *list, const char *path)
{
    if (!cr__grow(&list->path, &list->capacity, list->count + 1, sizeof *list->path))
        return 0;
    list->path[list->count++] = path;
    return 1;
}

/* Either part may be empty. */
static const char *join(cr__arena *arena, const char *folder, const char *name)
{
    const size_t n = strlen(folder), m = strlen(name);
    const size_t slash = n > 0 && m > 0 && folder[n - 1] != '/';
    char *path = cr__arena_alloc(arena, n + slash + m + 1, 1);

    if (path == NULL)
        return NULL;
    memcpy(path, folder, n);
    memcpy(path + n, "/", slash);
    memcpy(path + n + slash, name, m + 1);
    return path;
}

static cr_status add_file(cr__folder *tree, const char *path, const struct stat *about,
                          cr_error *err)
{
    if (!cr__grow(&tree->file, &tree->capacity, tree->files + 1, sizeof *tree->file))
        return cr__fail_memory(err);
    tree->file[tree->files++] = (cr__folder_file){path, (uint64_t)about->st_size};
    tree->bytes += (uint64_t)about->st_size;
    return CR_OK;
}

static void leave_out(size_t *count, const char **example, const char *path)
{
    if (*example == NULL || strcmp(path, *example) < 0)
        *example = path;
    ++*count;
}

/* A hidden folder of a Maildir that is a Maildir itself; hidden is its path below the root. */
static cr_status take_hidden(walk *w, const char *hidden, cr_error *err)
{
    cr__arena *arena = &w->tree->arena;
    const char *whole = join(arena, w->tree->root, hidden);
    const char *cur = whole == NULL ? NULL : join(arena, whole, "cur");
    struct stat about;

    if (cur == NULL)
        return cr__fail_memory(err);
    if (stat(cur, &about) != 0 || !S_ISDIR(about.st_mode))
        return CR_OK;
    return add_path(&w->folders, hidden) ? CR_OK : cr__fail_memory(err);
}

/* A folder that has folders cur and new is a Maildir: drop its other entries, except for the
 * Maildirs among its hidden folders. */
static cr_status keep_messages(walk *w, const char *path, size_t files, size_t folders,
                               const paths *hidden, cr_error *err)
{
    cr__folder *tree = w->tree;
    const char *cur = join(&tree->arena, path, "cur"), *fresh = join(&tree->arena, path, "new");

    while (tree->files > files)
        tree->bytes -= tree->file[--tree->files].size;
    w->folders.count = folders;
    tree->maildirs++;
    if (cur == NULL || fresh == NULL || !add_path(&w->folders, cur) ||
        !add_path(&w->folders, fresh))
        return cr__fail_memory(err);
    for (size_t i = 0; i < hidden->count; i++)
        if (take_hidden(w, hidden->path[i], err) != CR_OK)
            return CR_ENOMEM;
    return CR_OK;
}

/* Record a hidden folder: it counts if its parent is a Maildir. */
static cr_status add_hidden(walk *w, paths *hidden, const char *folder, const char *name,
                            cr_error *err)
{
    const char *path;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return CR_OK;
    path = join(&w->tree->arena, folder, name);
    return path != NULL && add_path(hidden, path) ? CR_OK : cr__fail_memory(err);
}

/* An entry of a folder: a file, a folder, a link to either, or something not to be read. */
static cr_status take_entry(walk *w, int fd, const char *folder, const char *name, cr_error *err)
{
    cr__folder *tree = w->tree;
    const char *path = join(&tree->arena, folder, name);
    struct stat about;
    int link = 0;

    if (path == NULL)
        return cr__fail_memory(err);
    if (fstatat(fd, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? CR_OK : cr__fail_errno(err, "cannot examine %s", path);
    if (S_ISLNK(about.st_mode)) {
        link = 1;
        if (fstatat(fd, name, &about, 0) != 0) {
            leave_out(&tree->links, &tree->link_example, path);
            return CR_OK;
        }
    }
    if (S_ISDIR(about.st_mode))
        return add_path(link ? &w->links : &w->folders, path) ? CR_OK : cr__fail_memory(err);
    if (S_ISREG(about.st_mode))
        return add_file(tree, path, &about, err);
    leave_out(&tree->odd, &tree->odd_example, path);
    return CR_OK;
}

/* Whether the folder was scanned before; marks it as scanned. */
static cr_status know_folder(walk *w, int fd, const char *path, int *known, cr_error *err)
{
    const uint32_t before = w->known->words;
    uint64_t key[2];
    struct stat about;
    uint32_t code;

    if (fstat(fd, &about) != 0)
        return cr__fail_errno(err, "cannot examine %s", path);
    key[0] = (uint64_t)about.st_dev;
    key[1] = (uint64_t)about.st_ino;
    if (cr__dict_intern(w->known, (const char *)key, sizeof key, &code) != CR_OK)
        return cr__fail_memory(err);
    *known = w->known->words == before;
    return CR_OK;
}

static cr_status take_folder(walk *w, const char *path, cr_error *err)
{
    const char *whole = join(&w->tree->arena, w->tree->root, path);
    DIR *folder = whole != NULL ? opendir(whole) : NULL;
    const size_t files = w->tree->files, folders = w->folders.count;
    const struct dirent *entry;
    paths hidden = {0};
    int known = 0, cur = 0, fresh = 0;
    cr_status st;

    if (whole == NULL)
        return cr__fail_memory(err);
    if (folder == NULL)
        return cr__fail_errno(err, "cannot list %s", whole);
    st = know_folder(w, dirfd(folder), whole, &known, err);
    if (st == CR_OK && known)
        leave_out(&w->tree->links, &w->tree->link_example, path);
    while (st == CR_OK && !known) {
        errno = 0;
        if ((entry = readdir(folder)) == NULL) {
            if (errno != 0)
                st = cr__fail_errno(err, "cannot list %s", whole);
            break;
        }
        st = entry->d_name[0] != '.' ? take_entry(w, dirfd(folder), path, entry->d_name, err)
                                     : add_hidden(w, &hidden, path, entry->d_name, err);
        cur |= strcmp(entry->d_name, "cur") == 0;
        fresh |= strcmp(entry->d_name, "new") == 0;
    }
    closedir(folder);
    if (st == CR_OK && cur && fresh && w->folders.count >= folders + 2)
        st = keep_messages(w, path, files, folders, &hidden, err);
    cr__free(hidden.path);
    return st;
}

static int compare_backwards(const void *a, const void *b)
{
    return strcmp(*(const char *const *)b, *(const char *const *)a);
}

/* Links to folders come last, and in order: which of two names a folder gets must not depend on the
 * order in which the file system lists them. */
static cr_status take_folders(walk *w, cr_error *err)
{
    cr_status st = CR_OK;

    while (st == CR_OK && w->folders.count + w->links.count > 0) {
        if (w->folders.count == 0) {
            const paths links = w->links;

            qsort(links.path, links.count, sizeof *links.path, compare_backwards);
            w->links = w->folders;
            w->folders = links;
        }
        st = take_folder(w, w->folders.path[--w->folders.count], err);
    }
    return st;
}

/* Where to begin: the folder itself, or the path in it that was asked for. */
static cr_status begin_walk(walk *w, const char *only, cr_error *err)
{
    cr__folder *tree = w->tree;
    struct stat about;
    char *start;

    while (only != NULL && strncmp(only, "./", 2) == 0)
        only += 2;
    start = cr__arena_copy(&tree->arena, only != NULL ? only : "", only != NULL ? strlen(only) : 0);
    if (start == NULL)
        return cr__fail_memory(err);
    for (size_t n = strlen(start); n > 0 && start[n - 1] == '/'; n--)
        start[n - 1] = 0;
    if (*start != 0) {
        const char *whole = join(&tree->arena, tree->root, start);

        if (whole == NULL)
            return cr__fail_memory(err);
        if (stat(whole, &about) != 0) {
            cr__fail(err, CR_EARG, "there is no '%s' in it", start);
            return cr__fail_at(err, CR_EARG, tree->root, 0, 0);
        }
        if (S_ISREG(about.st_mode))
            return add_file(tree, start, &about, err);
    }
    return add_path(&w->folders, start) ? CR_OK : cr__fail_memory(err);
}

/* The last part of the path, without trailing slashes. "." and ".." have their names from the file
 * system. */
static cr_status name_root(cr__folder *tree, cr_error *err)
{
    char *found = NULL;
    const char *path = tree->root, *base;
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    base = memrchr(path, '/', length);
    base = base != NULL && length > 1 ? base + 1 : path;
    length -= (size_t)(base - path);
    if (strncmp(base, "..", length) == 0 && (found = realpath(path, NULL)) != NULL) {
        base = strrchr(found, '/') + 1;
        length = strlen(base);
    }
    tree->name = cr__arena_copy(&tree->arena, base, length);
    free(found);
    return tree->name != NULL ? CR_OK : cr__fail_memory(err);
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const cr__folder_file *)a)->path, ((const cr__folder_file *)b)->path);
}

cr_status cr__folder_open(cr__folder **out, const char *root, const char *only, cr_error *err)
{
    cr__folder *tree = cr__alloc_zero(1, sizeof *tree);
    walk w = {.tree = tree};
    cr_status st;

    *out = NULL;
    if (tree == NULL)
        return cr__fail_memory(err);
    tree->root = cr__arena_copy(&tree->arena, root, strlen(root));
    st = tree->root != NULL ? name_root(tree, err) : cr__fail_memory(err);
    if (st == CR_OK)
        st = cr__dict_new(&w.known, 0, err);
    if (st == CR_OK)
        st = begin_walk(&w, only, err);
    if (st == CR_OK)
        st = take_folders(&w, err);
    cr__dict_free(w.known);
    cr__free(w.folders.path);
    cr__free(w.links.path);
    if (st != CR_OK) {
        cr__folder_close(tree);
        return st;
    }
    if (tree->files > 0)
        qsort(tree->file, tree->files, sizeof *tree->file, compare_files);
    *out = tree;
    return CR_OK;
}

void cr__folder_close(cr__folder *tree)
{
    if (tree == NULL)
        return;
    cr__free(tree->file);
    cr__arena_free(&tree->arena);
    cr__free(tree);
}

int cr__path_is_below(const char *path, const char *only)
{
    size_t length;

    if (only == NULL)
        return 1;
    while (strncmp(only, "./", 2) == 0)
        only += 2;
    length = strlen(only);
    while (length > 0 && only[length - 1] == '/')
        length--;
    return strncmp(path, only, length) == 0 &&
           (length == 0 || path[length] == 0 || path[length] == '/');
}
