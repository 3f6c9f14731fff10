/* serve/endpoints/assets.c - the files of the workbench, which are embedded in the program. */
#include "assets.h"

#include <stdio.h>
#include <string.h>

#include "endpoints/endpoints.h"

static const struct {
    const char *ending, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".csv", "text/csv; charset=utf-8"},
};

static const char *type_of(const char *path)
{
    const size_t length = strlen(path);

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const size_t size = strlen(types[i].ending);

        if (length > size && strcmp(path + length - size, types[i].ending) == 0)
            return types[i].type;
    }
    return "application/octet-stream";
}

static cr_status give(call *k, const char *path)
{
    const asset_file *f = asset_files;

    while (f->path != NULL && strcmp(f->path, path) != 0)
        f++;
    if (f->path == NULL) {
        k->answer->status = 404;
        return fail(k->err, CR_EARG, "GET /openapi.json tells what there is",
                    "there is nothing at /%.200s", path);
    }
    k->answer->etag = f->etag;
    k->answer->type = type_of(path);
    if (k->request->match != NULL && strstr(k->request->match, f->etag) != NULL) {
        k->answer->status = 304;
        return CR_OK;
    }
    k->answer->fixed = f->bytes;
    k->answer->fixed_size = f->size;
    return CR_OK;
}

cr_status asset_index(call *k)
{
    return give(k, "index.html");
}

cr_status asset(call *k)
{
    const request *r = k->request;
    char path[512];

    snprintf(path, sizeof path, "%s%s%s", r->segment[0], r->segments > 1 ? "/" : "",
             r->segments > 1 ? r->segment[1] : "");
    return give(k, path);
}
