/* serve/endpoints/errand.c - pictures that the library does not draw.
 *
 * They are the command's: it is run on a copy of the model and on the rows of the
 * body, in a folder that goes away, with the parameters that it has as options. Nothing of a
 * request is given to a shell, and no parameter names a file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "body.h"
#include "endpoints/endpoints.h"

enum { SECONDS = 120, ARGUMENTS = REQUEST_PARAMETERS + 16 };

extern char **environ;

/* Options of the command that a request may give. */
static const char *const allowed[] = {
    "class",   "feature", "top",     "bins",   "x",       "y",        "at",        "range",
    "width",   "height",  "title",   "across", "format",  "columns",  "delimiter", "no-header",
    "missing", "type",    "comment", "member", "classes", "mistakes", "interval",  "allow-absent",
};

typedef struct errand {
    call *k;
    char folder[PATH_MAX], model[PATH_MAX + 300], rows[PATH_MAX + 16], out[PATH_MAX + 16],
        err[PATH_MAX + 16];
    char *argument[ARGUMENTS];
    size_t arguments;
    buffer words; /* the arguments' own */
    size_t at[ARGUMENTS];
} errand;

/* --- the folder ------------------------------------------------------------------------------- */

static cr_status write_file(const char *path, const char *bytes, size_t size, cr_error *err)
{
    FILE *file = fopen(path, "wbe");
    const bool done = file != NULL && fwrite(bytes, 1, size, file) == size;

    if (file == NULL || fclose(file) != 0 || !done)
        return fail(err, CR_EIO, NULL, "a file cannot be written: %s", strerror(errno));
    return CR_OK;
}

static cr_status read_file(const char *path, buffer *out)
{
    FILE *file = fopen(path, "rbe");
    char part[1 << 14];
    size_t size;

    while (file != NULL && (size = fread(part, 1, sizeof part, file)) > 0)
        buffer_add(out, part, size);
    if (file == NULL)
        return CR_EIO;
    fclose(file);
    return out->failed ? CR_ENOMEM : CR_OK;
}

static void remove_folder(const errand *e)
{
    DIR *folder = opendir(e->folder);
    struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    rmdir(e->folder);
}

/* The model and the rows as files. */
static cr_status lay_out(errand *e, const char *ending)
{
    static const char *const form[] = {
        [MEDIA_JSON] = ".jsonl", [MEDIA_JSONL] = ".jsonl", [MEDIA_CSV] = ".csv",
        [MEDIA_MAIL] = ".eml",   [MEDIA_OTHER] = "",       [MEDIA_NONE] = ""};
    const request *r = e->k->request;
    const char *place = getenv("TMPDIR");
    const media type = body_type(r);
    const char *lines;
    size_t size;
    cr_status status;

    snprintf(e->folder, sizeof e->folder, "%s/credence-XXXXXX", place != NULL ? place : "/tmp");
    if (mkdtemp(e->folder) == NULL)
        return fail(e->k->err, CR_EIO, NULL, "no folder can be made: %s", strerror(errno));
    snprintf(e->model, sizeof e->model, "%s/%s", e->folder, e->k->view->slot->name);
    snprintf(e->rows, sizeof e->rows, "%s/rows%s", e->folder, form[type]);
    snprintf(e->out, sizeof e->out, "%s/out%s", e->folder, ending);
    snprintf(e->err, sizeof e->err, "%s/err", e->folder);
    if ((status = cr_model_save(view_model(e->k->view), e->model, e->k->err)) != CR_OK ||
        r->size == 0)
        return status;
    if (type != MEDIA_JSON)
        return write_file(e->rows, r->body, r->size, e->k->err);
    if ((status = body_lines(e->k, &lines, &size)) != CR_OK)
        return status;
    return write_file(e->rows, lines, size, e->k->err);
}

/* --- the command ------------------------------------------------------------------------------ */

static void argue(errand *e, const char *text)
{
    if (e->arguments + 1 == ARGUMENTS)
        return;
    e->at[e->arguments++] = e->words.size;
    buffer_text(&e->words, text);
    buffer_add(&e->words, "", 1);
}

static void argue_parameters(errand *e)
{
    const request *r = e->k->request;
    char text[1024];

    for (size_t i = 0; i < r->parameters; i++)
        for (size_t a = 0; a < sizeof allowed / sizeof *allowed; a++)
            if (strcmp(r->parameter[i].name, allowed[a]) == 0) {
                snprintf(text, sizeof text, "--%s%s%s", allowed[a],
                         r->parameter[i].value[0] != '\0' ? "=" : "", r->parameter[i].value);
                argue(e, text);
            }
}

/* The command beside this program; else the one in the PATH. */
static void find_command(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash - path) + sizeof "/credence" > size)
        strcpy(path, "credence");
    else
        strcpy(slash, "/credence");
    if (slash != NULL && access(path, X_OK) != 0)
        strcpy(path, "credence");
}

static cr_status run(errand *e)
{
    const struct rlimit limit = {SECONDS, SECONDS};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    char command[PATH_MAX];
    sigset_t none;
    pid_t child;
    int code, how = 0;

    for (size_t i = 0; i < e->arguments; i++)
        e->argument[i] = e->words.bytes + e->at[i];
    e->argument[e->arguments] = NULL;
    if (e->words.failed)
        return fail(e->k->err, CR_ENOMEM, NULL, "out of memory");
    find_command(command, sizeof command);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addchdir_np(&files, e->folder); /* pages show names, not paths */
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, e->err, O_WRONLY | O_CREAT, 0600);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    code = posix_spawnp(&child, command, &files, &attributes, e->argument, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (code != 0)
        return fail(e->k->err, CR_EIO, NULL, "the command cannot be run: %s", strerror(code));
    prlimit(child, RLIMIT_CPU, &limit, NULL);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(how) && WEXITSTATUS(how) == 0 ? CR_OK : CR_EARG;
}

/* What the command says is wrong: "credence: …" */
static cr_status complain(errand *e)
{
    buffer text = {0};
    const char *from;
    char *end;

    read_file(e->err, &text);
    from = buffer_string(&text);
    if (strncmp(from, "credence: ", 10) == 0)
        from += 10;
    if ((end = strchr(from, '\n')) != NULL)
        *end = '\0';
    fail(e->k->err, CR_EARG, NULL, "%s", *from != '\0' ? from : "the command has failed");
    buffer_free(&text);
    return CR_EARG;
}

/* credence VERB OPTION... -o FILE -- [KIND] MODEL [ROWS] */
static cr_status make(errand *e, const char *verb, const char *kind, const char *ending)
{
    cr_status status = lay_out(e, ending);

    if (status == CR_OK) {
        argue(e, "credence");
        argue(e, verb);
        argue_parameters(e);
        argue(e, "-o");
        argue(e, e->out);
        argue(e, "--");
        if (kind != NULL)
            argue(e, kind);
        argue(e, strrchr(e->model, '/') + 1);
        if (e->k->request->size > 0)
            argue(e, strrchr(e->rows, '/') + 1);
        status = run(e);
        if (status == CR_EARG)
            status = complain(e);
    }
    if (status == CR_OK && read_file(e->out, &e->k->answer->body) != CR_OK)
        status = fail(e->k->err, CR_EIO, NULL, "the command has written nothing");
    remove_folder(e);
    buffer_free(&e->words);
    return status;
}

cr_status draw_by_command(call *k, const char *kind)
{
    errand e = {.k = k};

    k->answer->type = TYPE_SVG;
    return make(&e, "plot", kind, ".svg");
}
