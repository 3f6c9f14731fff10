/* cli/session/live.c - open stores, teach them, report what was done. */
#include "session/live.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "out/out.h"
#include "out/progress.h"
#include "session/change.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { SMALL_DATA = 16 << 20 }; /* bytes */

static cr_store_sync sync_of(const request *r)
{
    const char *text = option_find(r->verb, "sync") != NULL ? option_text(r, "sync") : NULL;

    if (text == NULL || strcmp(text, "full") == 0)
        return CR_STORE_SYNC_FULL;
    return strcmp(text, "meta") == 0 ? CR_STORE_SYNC_META : CR_STORE_SYNC_NONE;
}

cr_store_options store_options(const request *r, bool write)
{
    return (cr_store_options){.sync = sync_of(r), .read_only = !write};
}

int open_store(cr_store **out, const request *r, const char *where, bool write)
{
    const cr_store_options options = store_options(r, write);
    cr_error err = {0};
    const cr_status status = cr_store_open(out, where, &options, &err);

    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

int open_store_model(cr_model **out, const request *r, const char *where)
{
    cr_store *store;
    cr_error err = {0};
    cr_status status;
    int code = open_store(&store, r, where, false);

    *out = NULL;
    if (code != EXIT_DONE)
        return code;
    status = cr_store_model(store, out, &err);
    cr_store_close(store);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* A file that can be read twice and whose words easily fit into memory. */
static bool is_small_file(const char *path)
{
    struct stat about;

    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
           about.st_size <= SMALL_DATA;
}

int open_model_for_data(cr_model **out, const request *r, size_t model, size_t data)
{
    cr_store *store = NULL;
    cr_source *source = NULL;
    cr_model *head = NULL;
    cr_error err = {0};
    cr_status status;
    int code;

    *out = NULL;
    if (r->operand_count != data + 1 || !cr_store_is(r->operands[model]) ||
        !is_small_file(r->operands[data]))
        return open_model(out, r, model);
    if ((code = open_store(&store, r, r->operands[model], false)) != EXIT_DONE)
        return code;
    if ((status = cr_store_head(store, &head, &err)) != CR_OK)
        code = complain(status, &err);
    if (code == EXIT_DONE && (code = open_data(&source, r, data, head)) == EXIT_DONE)
        status = cr_store_view_source(store, source, &r->run, out, NULL);
    cr_source_close(source);
    cr_model_free(head);
    cr_store_close(store);
    if (code != EXIT_DONE || status == CR_OK)
        return code;
    return open_model(out, r, model); /* the reader of the data reports what is wrong with them */
}

int teach_store(request *r, int sign)
{
    cr_store *store = NULL;
    cr_source *source = NULL;
    cr_model *head = NULL, *after = NULL;
    cr_error err = {0};
    cr_tally tally = {0};
    cr_status status;
    progress watch;
    change c;
    int code = open_store(&store, r, r->operands[0], true);

    if (code != EXIT_DONE)
        return code;
    if ((status = cr_store_head(store, &head, &err)) != CR_OK) {
        code = complain(status, &err);
        goto done;
    }
    if ((code = open_data(&source, r, 1, head)) != EXIT_DONE)
        goto done;
    change_begin(&c, head, sign > 0 ? "learned" : "unlearned");
    progress_begin(&watch, sign > 0 ? "learning" : "unlearning", &r->run);
    status = cr_store_learn(store, source, sign,
                            sign < 0 || option_given(r, "new-class") ? CR_STORE_NEW_CLASSES : 0,
                            &r->run, &tally, &err);
    c.seconds = progress_end(&watch);
    c.tally = &tally;
    c.path = r->operands[0];
    if (status == CR_ECONFLICT && sign > 0 && err.hint[0] == '\0')
        snprintf(err.hint, sizeof err.hint,
                 "--new-class adds it; --as CLASS says that all rows are of a class");
    if (status != CR_OK)
        code = fail_data(r, &source, status, &err);
    else if ((status = cr_store_head(store, &after, &err)) != CR_OK)
        code = complain(status, &err);
    else
        change_report(&c, r, after);
done:
    close_data(&source);
    cr_model_free(after);
    cr_model_free(head);
    cr_store_close(store);
    return code;
}

int refit_store(request *r, const char **params, size_t count)
{
    cr_store *store;
    cr_model *head = NULL;
    cr_error err = {0};
    cr_status status;
    change c;
    int code = open_store(&store, r, r->operands[0], true);

    if (code != EXIT_DONE)
        return code;
    if ((status = cr_store_head(store, &head, &err)) == CR_OK) {
        change_begin(&c, head, "refitted");
        c.path = r->operands[0];
        cr_model_free(head);
        head = NULL;
        status = cr_store_refit(store, params, count, &err);
    }
    if (status == CR_OK && (status = cr_store_head(store, &head, &err)) == CR_OK)
        change_report(&c, r, head);
    cr_model_free(head);
    cr_store_close(store);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}
