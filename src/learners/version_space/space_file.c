/* learners/version_space/space_file.c - a version space in a model file, and back.
 *
 *   VSSG   u64 features, hypotheses of G, positive class, rows left out; u32 codes of S, then of G
 *   VSBX   where features are numbers: for S, then each of G, f64 low and high of each feature;
 *          then for each feature u64 values outside S, and f64 × values, ascending
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/version_space/version_space.h"

#define TAG_SPACE CR__TAG('V', 'S', 'S', 'G')
#define TAG_BOXES CR__TAG('V', 'S', 'B', 'X')

typedef struct head {
    uint64_t features, generals, positive, left_out;
} head;

static int has_numbers(const cr__space *v)
{
    for (size_t i = 0; i < v->features; i++)
        if (v->number[i])
            return 1;
    return 0;
}

static void save_codes(const cr__restraint *c, size_t count, cr__draft *draft)
{
    for (size_t i = 0; i < count; i++)
        cr__draft_copy(draft, &c[i].code, sizeof c[i].code);
}

static void save_ends(const cr__restraint *c, size_t count, cr__draft *draft)
{
    for (size_t i = 0; i < count; i++) {
        const double ends[2] = {c[i].low, c[i].high};

        cr__draft_copy(draft, ends, sizeof ends);
    }
}

void cr__space_save(const void *fitted, cr__draft *draft)
{
    const cr__space *v = fitted;
    const head h = {v->features, v->generals, v->positive, v->left_out};

    cr__draft_section_begin(draft, TAG_SPACE, 0);
    cr__draft_copy(draft, &h, sizeof h);
    save_codes(v->special, v->features, draft);
    save_codes(v->general, v->generals * v->features, draft);
    if (!has_numbers(v))
        return;
    cr__draft_section_begin(draft, TAG_BOXES, 0);
    save_ends(v->special, v->features, draft);
    save_ends(v->general, v->generals * v->features, draft);
    for (size_t i = 0; i < v->features; i++) {
        const uint64_t count = v->outside[i].count;

        cr__draft_copy(draft, &count, sizeof count);
        cr__draft_borrow(draft, v->outside[i].value, count * sizeof *v->outside[i].value);
    }
}

/* --- back ----------------------------------------------------------------------------------- */

/* A section as it is read. */
typedef struct reader {
    const char *bytes;
    size_t left;
} reader;

static int take(reader *r, void *out, size_t size)
{
    if (r->left < size)
        return 0;
    if (size > 0)
        memcpy(out, r->bytes, size);
    r->bytes += size;
    r->left -= size;
    return 1;
}

static int take_codes(reader *r, cr__restraint *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!take(r, &c[i].code, sizeof c[i].code))
            return 0;
    return 1;
}

static int take_ends(reader *r, cr__restraint *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!take(r, &c[i].low, sizeof c[i].low) || !take(r, &c[i].high, sizeof c[i].high))
            return 0;
    return 1;
}

/* CR_EFORMAT: the section is not valid. */
static cr_status take_outside(reader *r, cr__space *v, size_t i)
{
    cr__outside *o = &v->outside[i];
    uint64_t count;

    if (!take(r, &count, sizeof count) || count > r->left / sizeof(double) ||
        (count > 0 && !v->number[i]))
        return CR_EFORMAT;
    if (!cr__grow(&o->value, &o->capacity, (size_t)count + 1, sizeof *o->value))
        return CR_ENOMEM;
    o->count = (size_t)count;
    take(r, o->value, o->count * sizeof *o->value);
    for (size_t k = 0; k < o->count; k++)
        if (!isfinite(o->value[k]) || (k > 0 && !(o->value[k - 1] < o->value[k])) ||
            !cr__outside_special(&v->special[i], o->value[k]))
            return CR_EFORMAT;
    return CR_OK;
}

/* An end of G is one of the values outside S, or there is none. */
static int is_end(const cr__outside *o, double x)
{
    if (isinf(x))
        return 1;
    for (size_t k = 0; k < o->count; k++)
        if (o->value[k] == x)
            return 1;
    return 0;
}

static int ends_make_sense(const cr__space *v)
{
    for (size_t i = 0; i < v->features; i++) {
        const cr__restraint *s = &v->special[i];

        if (v->number[i] && !(isfinite(s->low) && isfinite(s->high) && s->low <= s->high))
            return 0;
        for (size_t g = 0; v->number[i] && g < v->generals; g++) {
            const cr__restraint *c = &v->general[g * v->features + i];

            if (!is_end(&v->outside[i], c->low) || !is_end(&v->outside[i], c->high))
                return 0;
        }
    }
    return 1;
}

static cr_status read_boxes(cr__space *v, const cr__container *container, cr_error *err)
{
    const void *section;
    reader r;
    cr_status st = cr__container_need(container, TAG_BOXES, 0, 0, 0, &section, &r.left, err);

    if (st != CR_OK)
        return st;
    r.bytes = section;
    if (!take_ends(&r, v->special, v->features) ||
        !take_ends(&r, v->general, v->generals * v->features))
        st = CR_EFORMAT;
    for (size_t i = 0; st == CR_OK && i < v->features; i++)
        st = take_outside(&r, v, i);
    if (st == CR_ENOMEM)
        return cr__fail_memory(err);
    return st == CR_OK && r.left == 0 && ends_make_sense(v)
               ? CR_OK
               : cr__container_damaged(container, err, "its version space makes no sense");
}

static cr_status read_space(cr__space *v, const cr__container *container, cr_error *err)
{
    const void *section;
    reader r;
    head h;
    cr_status st = cr__container_need(container, TAG_SPACE, 0, sizeof h, 0, &section, &r.left, err);

    if (st != CR_OK)
        return st;
    r.bytes = section;
    take(&r, &h, sizeof h);
    if (h.features != v->features || h.generals == 0 || h.generals > CR__SPACE_GENERAL_MOST ||
        h.positive > 1 || r.left != (size_t)(h.generals + 1) * v->features * sizeof(uint32_t))
        return cr__container_damaged(container, err, "its version space makes no sense");
    v->positive = (size_t)h.positive;
    v->left_out = h.left_out;
    v->generals = (size_t)h.generals;
    if (!cr__grow(&v->general, &v->general_capacity, v->generals * v->features, sizeof *v->general))
        return cr__fail_memory(err);
    take_codes(&r, v->special, v->features);
    take_codes(&r, v->general, v->generals * v->features);
    for (size_t i = 0; i < v->features; i++)
        for (size_t g = 0; !v->number[i] && g < v->generals; g++)
            v->general[g * v->features + i].low = v->general[g * v->features + i].high = 0;
    return has_numbers(v) ? read_boxes(v, container, err) : CR_OK;
}

/* Codes are values of the columns, and all of G cover S. */
static cr_status check_space(const cr__space *v, const cr__container *container,
                             const size_t *values, cr_error *err)
{
    for (size_t i = 0; i < v->features; i++)
        if (v->special[i].code > (v->number[i] ? 0 : values[v->column[i]]))
            return cr__container_damaged(container, err,
                                         "its version space has an impossible value");
    for (size_t g = 0; g < v->generals; g++)
        if (!cr__space_is_more_general(v, v->general + g * v->features, v->special))
            return cr__container_damaged(container, err, "its version space is empty");
    return CR_OK;
}

cr_status cr__space_open(void **fitted, const cr__container *container, const cr_schema *schema,
                         const size_t *values, size_t classes, cr_error *err)
{
    cr__space *v = cr__alloc_zero(1, sizeof *v);
    cr_status st;

    *fitted = NULL;
    if (v == NULL)
        return cr__fail_memory(err);
    st = cr__space_lay(v, schema, NULL);
    if (st == CR_ENOMEM)
        st = cr__fail_memory(err);
    else if (classes != 2 || st != CR_OK)
        st = cr__container_damaged(container, err, "its version space makes no sense");
    if (st == CR_OK && (st = read_space(v, container, err)) == CR_OK &&
        (st = check_space(v, container, values, err)) == CR_OK &&
        (st = cr__space_prepare(v, NULL)) != CR_OK)
        st = st == CR_ENOMEM
                 ? cr__fail_memory(err)
                 : cr__container_damaged(container, err, "its version space is impossibly large");
    if (st != CR_OK) {
        cr__space_free(v);
        return st;
    }
    *fitted = v;
    return CR_OK;
}
