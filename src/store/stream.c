/* store/stream.c - read and write what stores send each other. */
#include "store/stream.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"
#include "store/judged.h"
#include "store/parts.h"
#include "store/tallies.h"

enum { FORMAT = 1, HASH = 8 };

static const char state_magic[] = "credence state", stream_magic[] = "credence stream";

/* The format after a magic word; 0: neither is there. */
static uint64_t read_magic(cr__reader *in, const char *magic, size_t size)
{
    if ((size_t)(in->end - in->at) < size || memcmp(in->at, magic, size) != 0)
        return 0;
    in->at += size;
    return cr__read_number(in);
}

static void read_id(cr__reader *in, unsigned char id[CR__STORE_ID])
{
    if ((size_t)(in->end - in->at) < CR__STORE_ID) {
        in->failed = 1;
        in->at = in->end;
        memset(id, 0, CR__STORE_ID);
        return;
    }
    memcpy(id, in->at, CR__STORE_ID);
    in->at += CR__STORE_ID;
}

/* --- states ----------------------------------------------------------------------------------- */

void cr__state_write(const cr__store_meta *meta, cr__buffer *out)
{
    cr__buffer_add(out, state_magic, sizeof state_magic);
    cr__put_number(out, FORMAT);
    cr__put_number(out, meta->origins);
    for (size_t i = 0; i < meta->origins; i++) {
        cr__buffer_add(out, meta->origin[i].id, CR__STORE_ID);
        cr__put_number(out, meta->origin[i].version);
    }
}

cr_status cr__state_read(const cr__store_meta *meta, const void *bytes, size_t size,
                         uint64_t *version)
{
    cr__reader in = cr__reader_of(bytes, size);
    const uint64_t format = read_magic(&in, state_magic, sizeof state_magic);

    if (format != FORMAT)
        return format > FORMAT ? CR_EVERSION : CR_EFORMAT;
    memset(version, 0, meta->origins * sizeof *version);
    for (uint64_t n = cr__read_number(&in); n > 0 && !in.failed; n--) {
        unsigned char id[CR__STORE_ID];
        uint64_t v;

        read_id(&in, id);
        v = cr__read_number(&in);
        for (size_t i = 0; i < meta->origins; i++)
            if (memcmp(meta->origin[i].id, id, CR__STORE_ID) == 0)
                version[i] = v;
    }
    return in.failed || in.at != in.end ? CR_EFORMAT : CR_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

void cr__stream_begin(cr__buffer *out, const cr__store_meta *meta, const uint64_t *since,
                      cr__bytes head)
{
    const uint64_t setting[] = {FORMAT,      meta->period,    meta->keep,           meta->floor,
                                meta->first, meta->calibrate, (uint64_t)meta->apart};

    cr__buffer_add(out, stream_magic, sizeof stream_magic);
    for (size_t i = 0; i < sizeof setting / sizeof *setting; i++)
        cr__put_number(out, setting[i]);
    cr__put_number(out, meta->origins);
    for (size_t i = 0; i < meta->origins; i++) {
        cr__buffer_add(out, meta->origin[i].id, CR__STORE_ID);
        cr__put_number(out, meta->origin[i].version);
        cr__put_number(out, since[i]);
    }
    cr__put_number(out, meta->classes);
    for (size_t c = 0; c < meta->classes; c++)
        cr__put_bytes(out, meta->class_name[c], strlen(meta->class_name[c]));
    cr__put_bytes(out, head.at, head.size);
}

static uint64_t hash_of(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

void cr__stream_end(cr__buffer *out)
{
    const uint64_t hash = out->failed ? 0 : hash_of(out->data, out->size);

    for (int i = 0; i < HASH; i++)
        cr__buffer_addc(out, (char)(hash >> 8 * i));
}

/* --- reading ---------------------------------------------------------------------------------- */

void cr__stream_free(cr__stream *s)
{
    cr__free(s->origin);
    cr__free(s->class_name);
    *s = (cr__stream){0};
}

static cr__bytes read_value(cr__reader *in)
{
    size_t size;
    const char *at = cr__read_bytes(in, &size);

    return (cr__bytes){at, size};
}

static uint32_t read_small(cr__reader *in)
{
    const uint64_t x = cr__read_number(in);

    if (x > UINT32_MAX)
        in->failed = 1;
    return (uint32_t)x;
}

int cr__stream_next_part(cr__stream_list *list, cr__stream_record *out)
{
    if (list->count == 0)
        return 0;
    list->count--;
    *out = (cr__stream_record){.kind = (char)cr__read_number(&list->at)};
    out->origin = read_small(&list->at);
    out->number = read_small(&list->at);
    out->value = read_value(&list->at);
    return !list->at.failed;
}

int cr__stream_next_calibration(cr__stream_list *list, cr__stream_record *out)
{
    if (list->count == 0)
        return 0;
    list->count--;
    *out = (cr__stream_record){.origin = read_small(&list->at)};
    out->value = read_value(&list->at);
    return !list->at.failed;
}

int cr__stream_next_day(cr__stream_list *list, cr__stream_record *out)
{
    if (list->count == 0)
        return 0;
    list->count--;
    *out = (cr__stream_record){.origin = read_small(&list->at)};
    out->number = read_small(&list->at);
    out->value = read_value(&list->at);
    return !list->at.failed;
}

int cr__stream_next_word(cr__stream_list *list, cr__stream_record *out)
{
    if (list->count == 0)
        return 0;
    list->count--;
    *out = (cr__stream_record){.number = read_small(&list->at)};
    out->word = read_value(&list->at);
    out->value = read_value(&list->at);
    return !list->at.failed;
}

/* --- checking the whole ----------------------------------------------------------------------- */

typedef cr_status check_record(const cr__stream *s, const cr__stream_record *r);

static cr_status check_part(const cr__stream *s, const cr__stream_record *r)
{
    cr__reader in = cr__reader_of(r->value.at, r->value.size);
    const uint64_t version = cr__read_number(&in);

    if ((r->kind != CR__PART_LEARNED && r->kind != CR__PART_TAKEN_BACK) || in.failed ||
        version > s->origin[r->origin].version)
        return CR_EFORMAT;
    return CR_OK;
}

static cr_status check_calibration(const cr__stream *s, const cr__stream_record *r)
{
    (void)s;
    return cr__tallies_check(r->value.at, r->value.size);
}

static cr_status check_day(const cr__stream *s, const cr__stream_record *r)
{
    cr__judged j = {0};
    cr_status st = cr__judged_add(&j, r->value.at, r->value.size);

    if (st == CR_OK && j.classes > s->classes)
        st = CR_EFORMAT;
    cr__judged_free(&j);
    return st;
}

static cr_status check_word(const cr__stream *s, const cr__stream_record *r)
{
    cr__word_record record = {0};
    cr_status st = cr__word_record_read(&record, r->value.at, r->value.size);

    if (st == CR_OK &&
        (!record.grouped || record.word != NULL || record.cells == 0 || r->number > UINT16_MAX))
        st = CR_EFORMAT;
    for (size_t i = 0; st == CR_OK && i < record.cells; i++) {
        const cr__word_cell *c = &record.cell[i];

        if (c->origin >= s->origins || c->version > s->origin[c->origin].version ||
            c->period > UINT32_MAX ||
            (c->class_id >= s->classes && (c->documents != 0 || c->terms != 0)))
            st = CR_EFORMAT;
    }
    cr__word_record_free(&record);
    return st;
}

/* One list: where it begins, and a check of its content. */
static cr_status read_list(cr__stream *s, cr__reader *in,
                           int (*next)(cr__stream_list *list, cr__stream_record *out),
                           check_record *check, cr__stream_list *out)
{
    const uint64_t count = cr__read_number(in);
    cr__stream_list list = {count, *in};
    cr__stream_record r;
    cr_status st = CR_OK;

    *out = list;
    while (st == CR_OK && next(&list, &r))
        st = r.origin < s->origins ? check(s, &r) : CR_EFORMAT;
    if (st == CR_OK && (list.count > 0 || list.at.failed))
        st = CR_EFORMAT;
    *in = list.at;
    return st;
}

static cr_status read_origins(cr__stream *s, cr__reader *in)
{
    for (uint64_t n = cr__read_number(in); n > 0 && !in->failed; n--) {
        cr__stream_origin *o;

        if (!cr__grow(&s->origin, &s->origin_capacity, s->origins + 1, sizeof *o))
            return CR_ENOMEM;
        o = &s->origin[s->origins++];
        read_id(in, o->id);
        o->version = cr__read_number(in);
        o->since = cr__read_number(in);
        for (size_t i = 0; i + 1 < s->origins; i++)
            if (memcmp(s->origin[i].id, o->id, CR__STORE_ID) == 0)
                return CR_EFORMAT; /* twice */
    }
    return in->failed || s->origins == 0 ? CR_EFORMAT : CR_OK;
}

static cr_status read_classes(cr__stream *s, cr__reader *in)
{
    for (uint64_t n = cr__read_number(in); n > 0 && !in->failed; n--) {
        const cr__bytes name = read_value(in);

        if (in->failed || memchr(name.at, '\0', name.size) != NULL)
            return CR_EFORMAT;
        if (!cr__grow(&s->class_name, &s->class_capacity, s->classes + 1, sizeof name))
            return CR_ENOMEM;
        s->class_name[s->classes++] = name;
    }
    return in->failed ? CR_EFORMAT : CR_OK;
}

static cr_status read_settings(cr__stream *s, cr__reader *in)
{
    uint64_t *const setting[] = {&s->period, &s->keep, &s->floor, &s->first, &s->calibrate};

    for (size_t i = 0; i < sizeof setting / sizeof *setting; i++)
        *setting[i] = cr__read_number(in);
    s->apart = cr__read_number(in) != 0;
    return in->failed || s->floor > UINT32_MAX || s->first > UINT32_MAX ? CR_EFORMAT : CR_OK;
}

cr_status cr__stream_read(cr__stream *s, const void *bytes, size_t size)
{
    cr__reader in = cr__reader_of(bytes, size);
    uint64_t format, hash = 0;
    cr_status st;

    *s = (cr__stream){0};
    if ((format = read_magic(&in, stream_magic, sizeof stream_magic)) != FORMAT)
        return format > FORMAT ? CR_EVERSION : CR_EFORMAT;
    if ((size_t)(in.end - in.at) < HASH)
        return CR_EFORMAT;
    in.end -= HASH;
    for (int i = 0; i < HASH; i++)
        hash |= (uint64_t)in.end[i] << 8 * i;
    if (hash != hash_of(bytes, size - HASH))
        return CR_EFORMAT;
    if ((st = read_settings(s, &in)) == CR_OK && (st = read_origins(s, &in)) == CR_OK &&
        (st = read_classes(s, &in)) == CR_OK) {
        s->head = read_value(&in);
        st = in.failed ? CR_EFORMAT : CR_OK;
    }
    if (st == CR_OK &&
        (st = read_list(s, &in, cr__stream_next_part, check_part, &s->parts)) == CR_OK &&
        (st = read_list(s, &in, cr__stream_next_calibration, check_calibration,
                        &s->calibrations)) == CR_OK &&
        (st = read_list(s, &in, cr__stream_next_day, check_day, &s->days)) == CR_OK)
        st = read_list(s, &in, cr__stream_next_word, check_word, &s->words);
    return st == CR_OK && in.at != in.end ? CR_EFORMAT : st;
}
