/* model/calibration.c - a calibration in memory and in a model file.
 *
 *   CALT      u64 count; per tally that is not 0, rising: u64 place, i64 value
 *   CALI      u64 kind, functions; u64 start[functions + 1]; f64 number[start[functions]]
 */
#include "model/calibration.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

#define TAG_CALIBRATION CR__TAG('C', 'A', 'L', 'I')
#define TAG_TALLY CR__TAG('C', 'A', 'L', 'T')

const char *cr__calibration_name(cr__calibration_kind kind)
{
    static const char *const names[] = {"none", "temperature", "platt",
                                        "beta", "isotonic",    "confidence"};

    return names[kind];
}

int cr__calibration_is_temperature(cr__calibration_kind kind)
{
    return kind == CR__CALIBRATION_TEMPERATURE || kind == CR__CALIBRATION_CONFIDENCE;
}

size_t cr__calibration_functions(cr__calibration_kind kind, size_t classes)
{
    return cr__calibration_is_temperature(kind) || classes <= 2 ? 1 : classes;
}

cr__calibration *cr__calibration_new(cr__calibration_kind kind, size_t classes, const size_t *count)
{
    const size_t functions = cr__calibration_functions(kind, classes);
    cr__calibration *c = cr__alloc_zero(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->kind = kind;
    c->classes = classes;
    c->functions = functions;
    if ((c->start = cr__alloc_zero(functions + 1, sizeof *c->start)) != NULL) {
        for (size_t f = 0; f < functions; f++)
            c->start[f + 1] = c->start[f] + count[f];
        c->number = cr__alloc_zero((size_t)c->start[functions], sizeof *c->number);
    }
    if (c->number == NULL) {
        cr__calibration_free(c);
        return NULL;
    }
    return c;
}

void cr__calibration_free(cr__calibration *c)
{
    if (c == NULL || atomic_fetch_sub(&c->others, 1) != 0)
        return;
    cr__free(c->start);
    cr__free(c->number);
    cr__free(c->tally);
    cr__free(c);
}

size_t cr__calibration_tallies(cr__calibration_kind kind, size_t classes)
{
    switch (kind) {
    case CR__CALIBRATION_TEMPERATURE: return CR__TEMPERATURES;
    case CR__CALIBRATION_PLATT:
    case CR__CALIBRATION_BETA:
    case CR__CALIBRATION_ISOTONIC:
        return cr__calibration_functions(kind, classes) * CR__ODDS_BINS * 2;
    default: return 0;
    }
}

cr__calibration *cr__calibration_share(cr__calibration *c)
{
    if (c != NULL)
        atomic_fetch_add(&c->others, 1);
    return c;
}

static void save_tally(const cr__calibration *c, cr__draft *draft)
{
    uint64_t count = 0;

    for (size_t i = 0; i < c->tallies; i++)
        count += c->tally[i] != 0;
    cr__draft_section_begin(draft, TAG_TALLY, 0);
    cr__draft_copy(draft, &count, sizeof count);
    for (uint64_t i = 0; i < c->tallies; i++)
        if (c->tally[i] != 0) {
            cr__draft_copy(draft, &i, sizeof i);
            cr__draft_copy(draft, &c->tally[i], sizeof c->tally[i]);
        }
}

void cr__calibration_save(const cr__calibration *c, cr__draft *draft)
{
    const uint64_t head[] = {c->kind, c->functions};

    cr__draft_section_begin(draft, TAG_CALIBRATION, 0);
    cr__draft_copy(draft, head, sizeof head);
    cr__draft_borrow(draft, c->start, (c->functions + 1) * sizeof *c->start);
    cr__draft_borrow(draft, c->number, (size_t)c->start[c->functions] * sizeof *c->number);
    if (c->tally != NULL)
        save_tally(c, draft);
}

/* Numbers that make a function of the kind. */
static int is_sound(cr__calibration_kind kind, const double *number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(number[i]))
            return 0;
    switch (kind) {
    case CR__CALIBRATION_TEMPERATURE:
    case CR__CALIBRATION_CONFIDENCE: return count == 1 && number[0] > 0;
    case CR__CALIBRATION_PLATT: return count == 2;
    case CR__CALIBRATION_BETA: return count == 3;
    default: break;
    }
    if (count == 0 || count % 2 != 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        if ((i % (count / 2) > 0 && number[i] < number[i - 1]) ||
            (i >= count / 2 && !(number[i] >= 0 && number[i] <= 1)))
            return 0;
    return 1;
}

static cr_status read_section(cr__calibration **out, const char *bytes, size_t size, size_t classes)
{
    uint64_t head[2], first = 0;
    cr__calibration *c;
    size_t *count, at = sizeof head, most = size / sizeof(double);

    if (size < sizeof head)
        return CR_EFORMAT;
    memcpy(head, bytes, sizeof head);
    if (head[0] < CR__CALIBRATION_TEMPERATURE || head[0] > CR__CALIBRATION_CONFIDENCE ||
        head[1] != cr__calibration_functions((cr__calibration_kind)head[0], classes) ||
        head[1] + 3 > most)
        return CR_EFORMAT;
    if ((count = cr__alloc((size_t)head[1], sizeof *count)) == NULL)
        return CR_ENOMEM;
    for (uint64_t f = 0; f <= head[1]; f++, at += sizeof first) {
        uint64_t start;

        memcpy(&start, bytes + at, sizeof start);
        if (start < first || start > most || (f == 0 && start != 0)) {
            cr__free(count);
            return CR_EFORMAT;
        }
        if (f > 0)
            count[f - 1] = (size_t)(start - first);
        first = start;
    }
    if (size - at != (size_t)first * sizeof(double)) {
        cr__free(count);
        return CR_EFORMAT;
    }
    *out = c = cr__calibration_new((cr__calibration_kind)head[0], classes, count);
    cr__free(count);
    if (c == NULL)
        return CR_ENOMEM;
    memcpy(c->number, bytes + at, size - at);
    for (size_t f = 0; f < c->functions; f++)
        if (!is_sound(c->kind, c->number + c->start[f], (size_t)(c->start[f + 1] - c->start[f])))
            return CR_EFORMAT;
    return CR_OK;
}

/* The tallies of a calibration that was read, when there are some. */
static cr_status read_tally(cr__calibration *c, const cr__container *container)
{
    size_t size, most = cr__calibration_tallies(c->kind, c->classes);
    const char *bytes = cr__container_section(container, TAG_TALLY, 0, &size);
    uint64_t count, place, before = 0;

    if (bytes == NULL)
        return CR_OK;
    if (size < sizeof count)
        return CR_EFORMAT;
    memcpy(&count, bytes, sizeof count);
    if (count > most || size != sizeof count + (size_t)count * 16)
        return CR_EFORMAT;
    if ((c->tally = cr__alloc_zero(most, sizeof *c->tally)) == NULL)
        return CR_ENOMEM;
    c->tallies = most;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&place, bytes + 8 + 16 * i, sizeof place);
        if (place >= most || (i > 0 && place <= before))
            return CR_EFORMAT;
        memcpy(&c->tally[place], bytes + 16 + 16 * i, sizeof *c->tally);
        before = place;
    }
    return CR_OK;
}

cr_status cr__calibration_open(cr__calibration **out, const cr__container *container,
                               size_t classes, cr_error *err)
{
    const void *bytes;
    size_t size;
    cr_status st;

    *out = NULL;
    if ((bytes = cr__container_section(container, TAG_CALIBRATION, 0, &size)) == NULL)
        return CR_OK;
    if ((st = read_section(out, bytes, size, classes)) == CR_OK &&
        (st = read_tally(*out, container)) == CR_OK)
        return CR_OK;
    cr__calibration_free(*out);
    *out = NULL;
    return st == CR_ENOMEM
               ? cr__fail_memory(err)
               : cr__container_damaged(container, err, "its calibration makes no sense");
}
