/* cli/session/session.c - what most verbs begin and end with: data, models, outputs. */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/hints.h"
#include "session/live.h"
#include "session/reserve.h"
#include "session/team.h"
#include "verbs/verbs.h"

/* Target, weight and basis are options only of verbs without a model, which would know them. */
static void fill_columns(cr_source_options *o, const request *r)
{
    if (option_find(r->verb, "target") == NULL)
        return;
    o->target = option_text(r, "target");
    o->weight = option_text(r, "weight");
    if (option_find(r->verb, "basis") != NULL)
        o->basis = option_text(r, "basis");
}

/* "*=CLASS": every row has this class, whatever its file or folder is called. Kept until exit. */
static const char *all_of_class(const char *name)
{
    static char *list;
    char *end;

    free(list);
    list = reserve(2 * strlen(name) + 3, 1);
    end = stpcpy(list, "*=");
    for (; *name != '\0'; *end++ = *name++)
        if (strchr(",=\\", *name) != NULL)
            *end++ = '\\';
    return list;
}

/* The class that --as gives to all rows, if the verb has such an option: for pictures --as is the
 * format. NULL: none. */
static const char *class_of_all(const request *r)
{
    const option *as = option_find(r->verb, "as");

    return as != NULL && as->kind == OPTION_TEXT ? option_text(r, "as") : NULL;
}

/* --part K/N; 0 of 0 if it is absent or invalid. */
static size_t part_of(const request *r, size_t *parts)
{
    const char *text = option_text(r, "part");
    unsigned long part = 0, of = 0;
    int end = 0;

    *parts = 0;
    if (text == NULL)
        return 0;
    if (sscanf(text, "%lu/%lu%n", &part, &of, &end) != 2 || text[end] != '\0')
        return 0;
    *parts = of;
    return part;
}

/* A verb that answers row by row meets a bad row in its place, after the answers before it. */
static cr_on_error forgiven_at_opening(const request *r)
{
    const option *o = option_find(r->verb, "on-error");
    const cr_on_error what = read_on_error(r);

    return o != NULL && o->kind == OPTION_CHOICE && what == CR_ON_ERROR_STOP ? CR_ON_ERROR_SKIP
                                                                             : what;
}

static void fill(cr_source_options *o, const request *r, const cr_model *model)
{
    const char *as = class_of_all(r);

    cr_source_options_default(o);
    o->format = option_text(r, "format");
    o->delimiter = option_byte(r, "delimiter");
    o->no_header = option_given(r, "no-header");
    o->columns = option_text(r, "columns");
    o->comment = option_byte(r, "comment");
    o->missing = option_text(r, "missing");
    o->member = option_text(r, "member");
    o->classes = as != NULL ? all_of_class(as) : option_text(r, "classes");
    o->on_error = forgiven_at_opening(r);
    o->part = part_of(r, &o->parts);
    o->zero_based = option_count(r, "index-base", 1) == 0;
    if (o->missing == NULL && model != NULL)
        o->missing = cr_model_missing(model);
    fill_columns(o, r);
}

static int check_part(const request *r)
{
    size_t parts;
    const size_t part = part_of(r, &parts);

    if (option_text(r, "part") == NULL || (part >= 1 && part <= parts))
        return EXIT_DONE;
    return misuse("part 3 of 16 is --part 3/16", "--part is '%s', which is not a part of a whole",
                  option_text(r, "part"));
}

/* The library would refuse it too, but here a suggestion is possible. */
static int check_format(const char *wanted)
{
    cr_nearest n = {.wanted = wanted};
    const char *name;
    char hint[80] = "credence help formats lists them";

    for (size_t i = 0; (name = cr_source_format_name(i)) != NULL; i++) {
        if (strcmp(name, wanted) == 0)
            return EXIT_DONE;
        cr_nearest_offer(&n, name);
    }
    if (n.best != NULL)
        snprintf(hint, sizeof hint, "did you mean %s?", n.best);
    return misuse(hint, "there is no format '%s'", wanted);
}

/* --type and --ignore: "COLUMN=KIND" each, in an array to be freed; *room, to be freed too, holds
 * the texts for --ignore. */
static const char **column_types(const request *r, size_t *count, char **room)
{
    const char **types = option_pairs(r, "type", count);
    const char *list = option_find(r->verb, "ignore") != NULL ? option_text(r, "ignore") : NULL;
    char *end;

    *room = NULL;
    if (list == NULL)
        return types;
    end = *room = reserve(strlen(list) * (sizeof "=ignore" + 1) + sizeof "=ignore" + 1, 1);
    while (*list != '\0') {
        const size_t size = strcspn(list, ",");

        if (size > 0) {
            types = reserve_more(types, *count + 1, sizeof *types);
            types[(*count)++] = end;
            end = stpcpy(mempcpy(end, list, size), "=ignore") + 1;
        }
        list += size + (list[size] == ',');
    }
    return types;
}

/* Only one process of a job has its standard input. */
static int check_shared(const char *const *paths, size_t count)
{
    const cr_team *team = team_of_process();

    for (size_t i = 0; team != NULL && team->ranks > 1 && i < count; i++)
        if (strcmp(paths[i], "-") == 0)
            return misuse("name files that every process can read",
                          "standard input cannot be divided among the processes of a job");
    return EXIT_DONE;
}

/* With --local the names of this process's files: its number replaces %r. They are kept. */
static const char *const *own_names(const char *const *names, size_t count, const request *r)
{
    const char **own;

    if (!option_given(r, "local"))
        return names;
    own = reserve(count, sizeof *own);
    for (size_t i = 0; i < count; i++) {
        const char *at = strstr(names[i], "%r");
        char *name = reserve(strlen(names[i]) + 16, 1);

        if (at == NULL)
            strcpy(name, names[i]);
        else
            sprintf(name, "%.*s%d%s", (int)(at - names[i]), names[i], team_rank(), at + 2);
        own[i] = name;
    }
    return own;
}

int open_data(cr_source **out, const request *r, size_t first, const cr_model *model)
{
    static const char *const standard_input[] = {"-"};
    const char **types;
    char *room;
    const char *const *paths = standard_input;
    size_t count = 1;
    cr_source_options options;
    cr_error err = {0};
    cr_status status;
    int code;

    *out = NULL;
    if (r->operand_count > first) {
        count = r->operand_count - first;
        paths = own_names((const char *const *)r->operands + first, count, r);
    } else if (isatty(STDIN_FILENO)) {
        return misuse("name files, or pipe the data in", "%s has no DATA to read", r->verb->name);
    }
    if ((code = check_part(r)) != EXIT_DONE || (code = check_shared(paths, count)) != EXIT_DONE)
        return code;
    fill(&options, r, model);
    if (options.format != NULL && (code = check_format(options.format)) != EXIT_DONE)
        return code;
    types = column_types(r, &options.type_count, &room);
    options.types = types;
    status = cr_source_open(out, paths, count, &options, &err);
    free(types);
    free(room);
    return status == CR_OK ? EXIT_DONE : fail_data(r, out, status, &err);
}

void close_data(cr_source **source)
{
    char text[1024];
    cr_error err;

    for (size_t i = 0; *source != NULL && cr_source_get_note(*source, i, &err) == CR_OK; i++)
        note("%s", cr_error_message(&err, hint_option, NULL, text, sizeof text));
    cr_source_close(*source);
    *source = NULL;
}

/* Replace the library's hint. */
static void advise(cr_error *err, const char *hint)
{
    snprintf(err->hint, sizeof err->hint, "%s", hint);
    err->hint_items = 0;
}

/* Whether the hint begins with a column type. */
static bool begins_with_type(const cr_error *err)
{
    for (size_t i = 0; i < err->hint_items; i++)
        if (!err->hint_item[i].in_message && err->hint_item[i].at == 0)
            return err->hint_item[i].code == CR_HINT_TYPE;
    return false;
}

/* "-m nb gda": a learner where data should be. */
static bool names_learner(const request *r)
{
    const char *name;

    if (option_find(r->verb, "model") == NULL)
        return false;
    for (size_t l = 0; (name = cr_learner_name(l)) != NULL; l++)
        for (size_t i = 0; i < r->operand_count; i++)
            if (strcmp(r->operands[i], name) == 0 && access(name, F_OK) != 0)
                return true;
    return false;
}

/* The library does not know which hints apply on the command line. Empty standard input is most
 * often a forgotten operand. */
int fail_data(const request *r, cr_source **source, cr_status status, cr_error *err)
{
    bool piped = strcmp(err->file, "-") == 0 || strcmp(err->file, "standard input") == 0;

    fflush(stdout); /* the answers come before the error; out_close() reports a failure */
    close_data(source);
    if (option_find(r->verb, "type") == NULL && begins_with_type(err))
        advise(err,
               "the kinds of columns are the model's; --missing lists texts that mean missing");
    if (piped && cr_error_about(err, CR_HINT_EMPTY)) {
        err->file[0] = '\0';
        snprintf(err->message, sizeof err->message, "standard input is empty");
        advise(err, "name DATA or pipe it in");
    } else if (names_learner(r)) {
        advise(err, "learners are set apart by commas: -m nb,gda");
    } else if (piped) {
        snprintf(err->file, sizeof err->file, "standard input");
    }
    return complain(status, err);
}

const char *data_name(const request *r, size_t first, char *buffer, size_t size)
{
    size_t files = r->operand_count > first ? r->operand_count - first : 0;

    if (files == 0 || (files == 1 && strcmp(r->operands[first], "-") == 0))
        snprintf(buffer, size, "standard input");
    else if (files == 1)
        snprintf(buffer, size, "%s", r->operands[first]);
    else
        snprintf(buffer, size, "%zu files", files);
    return buffer;
}

/* Data given instead of the model: the most common slip, so the next operand is checked. */
static bool swapped(const request *r, size_t operand)
{
    cr_model *other = NULL;
    bool found = operand + 1 < r->operand_count &&
                 cr_model_load(&other, r->operands[operand + 1], CR_LOAD_TRUST, NULL) == CR_OK;

    cr_model_free(other);
    return found;
}

static const char *model_first(const request *r, size_t operand, char *hint, size_t size)
{
    snprintf(hint, size, "the model comes first: credence %s %.80s %.80s", r->verb->name,
             r->operands[operand + 1], r->operands[operand]);
    return hint;
}

/* What is asked may be a table of probabilities, which needs no training. */
static void offer_joint(const request *r, size_t operand, cr_error *err)
{
    char hint[sizeof err->hint];

    if (strcmp(r->verb->name, "query") != 0 || !cr_error_about(err, CR_HINT_TRAIN))
        return;
    snprintf(hint, sizeof hint,
             "`credence convert %.80s --to joint -o MODEL` makes one of a table of probabilities, "
             "`credence train %.80s -o MODEL` of rows",
             r->operands[operand], r->operands[operand]);
    advise(err, hint);
}

bool is_data(const request *r, size_t operand)
{
    const char *path = r->operands[operand];
    cr_model *model = NULL;
    bool data;

    if (strcmp(path, "-") == 0 || cr_store_is(path) || swapped(r, operand))
        return false;
    data = cr_model_load(&model, path, CR_LOAD_TRUST, NULL) == CR_EFORMAT &&
           !cr_network_recognise(path);
    cr_model_free(model);
    return data;
}

int open_model(cr_model **out, const request *r, size_t operand)
{
    bool trust = option_find(r->verb, "trust") != NULL && option_given(r, "trust");
    cr_error err = {0};
    cr_status status;

    *out = NULL;
    if (strcmp(r->operands[operand], "-") == 0)
        return misuse("name its file; only DATA can be -",
                      "a model cannot come from standard input");
    if (cr_store_is(r->operands[operand]))
        return open_store_model(out, r, r->operands[operand]);
    status = cr_model_load(out, r->operands[operand], trust ? CR_LOAD_TRUST : 0, &err);
    if (status == CR_EFORMAT && cr_network_recognise(r->operands[operand]))
        status = cr_network_read(out, r->operands[operand], NULL, &err);
    if (status == CR_OK)
        return EXIT_DONE;
    *out = NULL;
    if (status == CR_EFORMAT && swapped(r, operand))
        model_first(r, operand, err.hint, sizeof err.hint);
    else if (status == CR_EFORMAT)
        offer_joint(r, operand, &err);
    return complain(status, &err);
}

int find_class(const cr_model *model, const char *name, size_t *out)
{
    cr_error err = {0};
    const cr_status status = cr_model_find_class(out, model, name, &err);

    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

int cannot_write(const char *path, const char *why)
{
    cr_error err = {0};

    snprintf(err.file, sizeof err.file, "%s", path);
    snprintf(err.message, sizeof err.message, "cannot be written: %s", why);
    return complain(CR_EIO, &err);
}

/* Whether a model would replace another kind of file: "train -o *.csv" names a table as the model.
 * An empty file, as mktemp makes, may be replaced. The bytes are those that every model begins with
 * (docs/file-format.md). */
static bool hides_other(const char *path, const request *r)
{
    static const char magic[] = "\x89"
                                "CRED\r\n\x1a";
    const option *o = option_find(r->verb, "output");
    char start[sizeof magic - 1];
    FILE *file = o != NULL && strcmp(o->value, "MODEL") == 0 ? fopen(path, "rb") : NULL;
    size_t size;

    if (file == NULL)
        return false;
    size = fread(start, 1, sizeof start, file);
    fclose(file);
    return size > 0 && (size < sizeof start || memcmp(start, magic, sizeof start) != 0);
}

/* Anything but a regular file is written directly, so its folder does not matter. */
int check_output(const char *path, const request *r, size_t first)
{
    struct stat there, data;
    char *folder = reserve_text(path), *slash = strrchr(folder, '/');
    bool exists = stat(path, &there) == 0;
    char hint[256];
    int code = EXIT_DONE;

    if (slash != NULL)
        slash[slash == folder] = '\0';
    if (exists && S_ISDIR(there.st_mode))
        code = cannot_write(path, strerror(EISDIR));
    else if ((!exists || S_ISREG(there.st_mode)) && strcmp(path, "-") != 0 &&
             access(slash != NULL ? folder : ".", W_OK | X_OK) != 0)
        code = cannot_write(path, strerror(errno));
    for (size_t i = first; exists && code == EXIT_DONE && i < r->operand_count; i++)
        if (S_ISREG(there.st_mode) && stat(r->operands[i], &data) == 0 &&
            data.st_dev == there.st_dev && data.st_ino == there.st_ino)
            code = misuse("name another file with -o", "-o %s would overwrite the data", path);
    if (code == EXIT_DONE && exists && S_ISREG(there.st_mode) && hides_other(path, r))
        code = r->operand_count > 1 && path == r->operands[0] && swapped(r, 0)
                   ? misuse(model_first(r, 0, hint, sizeof hint), "%s is not a model", path)
                   : misuse("name another file with -o, or remove this one first",
                            "%s already exists and is not a model", path);
    free(folder);
    return code;
}

static void say_waiting(void *path)
{
    note("waiting for another command that changes %s", (const char *)path);
}

cr_lock *hold_model(const char *path)
{
    cr_lock *lock = NULL;

    if (team_is_first() && cr_model_lock(&lock, path, say_waiting, (void *)path, NULL) != CR_OK)
        reserve_failed();
    team_wait_for_first();
    return lock;
}

int save_model(const cr_model *model, const char *path)
{
    cr_error err = {0};
    cr_status status;

    if (!team_is_first())
        return EXIT_DONE;
    status = cr_model_save(model, path, &err);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void note_remarks(const cr_model *model)
{
    enum { SHOWN = 5 };
    char text[400];
    size_t i;

    for (i = 0; cr_model_remark(model, i, text, sizeof text) == CR_OK; i++)
        if (i < SHOWN)
            note("%s", text);
    if (i > SHOWN)
        note("and %zu more like these", i - SHOWN);
}

bool comes_live(const request *r, size_t first)
{
    const char *data = r->operand_count > first ? r->operands[first] : "-";
    struct stat about;

    return strcmp(data, "-") == 0 && fstat(STDIN_FILENO, &about) == 0 && !S_ISREG(about.st_mode);
}
