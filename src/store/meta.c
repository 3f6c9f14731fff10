/* store/meta.c - the meta record: what a store is, its origins and classes.
 *
 *     "credence store", format, period, keep, floor, first, calibrate, apart, grouped,
 *     shared, origins, {id, version}…, classes, {name}…
 */
#include <string.h>

#include "base/memory.h"
#include "store/store.h"

static const char magic[] = "credence store";

enum { FIRST_FORMAT = 1 }; /* which had no journal */

void cr__store_meta_free(cr__store_meta *meta)
{
    for (size_t c = 0; c < meta->classes; c++)
        cr__free(meta->class_name[c]);
    cr__free(meta->class_name);
    cr__free(meta->origin);
    *meta = (cr__store_meta){0};
}

void cr__store_meta_write(const cr__store_meta *meta, cr__buffer *out)
{
    cr__buffer_add(out, magic, sizeof magic);
    cr__put_number(out, CR__STORE_FORMAT);
    cr__put_number(out, meta->period);
    cr__put_number(out, meta->keep);
    cr__put_number(out, meta->floor);
    cr__put_number(out, meta->first);
    cr__put_number(out, meta->calibrate);
    cr__put_number(out, (uint64_t)meta->apart);
    cr__put_number(out, (uint64_t)meta->grouped);
    cr__put_number(out, (uint64_t)meta->shared);
    cr__put_number(out, meta->origins);
    for (size_t i = 0; i < meta->origins; i++) {
        cr__buffer_add(out, meta->origin[i].id, CR__STORE_ID);
        cr__put_number(out, meta->origin[i].version);
    }
    cr__put_number(out, meta->classes);
    for (size_t c = 0; c < meta->classes; c++)
        cr__put_bytes(out, meta->class_name[c], strlen(meta->class_name[c]));
}

static cr_status read_origins(cr__store_meta *meta, cr__reader *in)
{
    for (uint64_t n = cr__read_number(in); n > 0 && !in->failed; n--) {
        cr__contributor *o;

        if ((size_t)(in->end - in->at) < CR__STORE_ID)
            return CR_EFORMAT;
        if (!cr__grow(&meta->origin, &meta->origin_capacity, meta->origins + 1, sizeof *o))
            return CR_ENOMEM;
        o = &meta->origin[meta->origins++];
        memcpy(o->id, in->at, CR__STORE_ID);
        in->at += CR__STORE_ID;
        o->version = cr__read_number(in);
    }
    return in->failed || meta->origins == 0 ? CR_EFORMAT : CR_OK;
}

static cr_status read_classes(cr__store_meta *meta, cr__reader *in)
{
    for (uint64_t n = cr__read_number(in); n > 0 && !in->failed; n--) {
        const size_t before = meta->classes;
        size_t length;
        const char *name = cr__read_bytes(in, &length);

        if (in->failed || memchr(name, '\0', length) != NULL)
            return CR_EFORMAT;
        if (cr__store_class_id(meta, name, length) == UINT32_MAX)
            return CR_ENOMEM;
        if (meta->classes == before)
            return CR_EFORMAT; /* twice */
    }
    return in->failed || in->at != in->end ? CR_EFORMAT : CR_OK;
}

cr_status cr__store_meta_read(cr__store_meta *meta, const void *bytes, size_t size)
{
    cr__reader in = cr__reader_of(bytes, size);
    uint64_t format;
    cr_status st;

    cr__store_meta_free(meta);
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return CR_EFORMAT;
    in.at += sizeof magic;
    format = cr__read_number(&in);
    if (format < FIRST_FORMAT || format > CR__STORE_FORMAT)
        return format > CR__STORE_FORMAT ? CR_EVERSION : CR_EFORMAT;
    meta->period = cr__read_number(&in);
    meta->keep = cr__read_number(&in);
    meta->floor = cr__read_number(&in);
    meta->first = cr__read_number(&in);
    meta->calibrate = cr__read_number(&in);
    meta->apart = cr__read_number(&in) != 0;
    meta->grouped = cr__read_number(&in) != 0;
    meta->shared = cr__read_number(&in) != 0;
    if (meta->period > CR_STORE_PERIOD_WEEK || meta->keep > UINT32_MAX ||
        meta->calibrate > CR__CALIBRATION_ISOTONIC)
        return CR_EFORMAT;
    st = read_origins(meta, &in);
    return st == CR_OK ? read_classes(meta, &in) : st;
}

uint32_t cr__store_class_id(cr__store_meta *meta, const char *name, size_t length)
{
    for (size_t c = 0; c < meta->classes; c++)
        if (strncmp(meta->class_name[c], name, length) == 0 && meta->class_name[c][length] == '\0')
            return (uint32_t)c;
    if (!cr__grow(&meta->class_name, &meta->class_capacity, meta->classes + 1,
                  sizeof *meta->class_name) ||
        (meta->class_name[meta->classes] = cr__strndup(name, length)) == NULL)
        return UINT32_MAX;
    return (uint32_t)meta->classes++;
}

uint32_t cr__store_origin(cr__store_meta *meta, const unsigned char id[CR__STORE_ID])
{
    for (size_t i = 0; i < meta->origins; i++)
        if (memcmp(meta->origin[i].id, id, CR__STORE_ID) == 0)
            return (uint32_t)i;
    if (!cr__grow(&meta->origin, &meta->origin_capacity, meta->origins + 1, sizeof *meta->origin))
        return UINT32_MAX;
    memcpy(meta->origin[meta->origins].id, id, CR__STORE_ID);
    meta->origin[meta->origins].version = 0;
    return (uint32_t)meta->origins++;
}

uint32_t *cr__store_class_places(const cr__store_meta *meta, const cr_model *model)
{
    uint32_t *place = cr__alloc(meta->classes, sizeof *place);

    for (size_t c = 0; place != NULL && c < meta->classes; c++) {
        const char *name = meta->class_name[c];
        const uint32_t code =
            model->schema->target == SIZE_MAX
                ? 1
                : cr__dict_find(model->dict[model->schema->target], name, strlen(name));

        place[c] = code == CR__MISSING ? UINT32_MAX : code - 1;
    }
    return place;
}
