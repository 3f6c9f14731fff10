/* store/word_record.c - read, change and write what a store keeps of one word. */
#include "store/word_record.h"

#include <string.h>

#include "base/memory.h"

enum { PLAIN = 0, GROUPED = 1, LONG_WORD = 2 };

#define MOST ((uint64_t)INT64_MAX / 4) /* of a count, so that sums do not overflow */

void cr__word_record_free(cr__word_record *r)
{
    cr__free(r->cell);
    *r = (cr__word_record){0};
}

static int append(cr__word_record *r, cr__word_cell cell)
{
    if (!cr__grow(&r->cell, &r->capacity, r->cells + 1, sizeof *r->cell))
        return 0;
    r->cell[r->cells++] = cell;
    return 1;
}

static cr_status read_plain(cr__word_record *r, cr__reader *in)
{
    while (!in->failed && in->at < in->end) {
        const uint64_t class_id = cr__read_number(in), documents = cr__read_number(in),
                       more = cr__read_number(in);

        if (class_id > UINT32_MAX || documents > MOST || more > MOST || documents == 0 ||
            (r->cells > 0 && r->cell[r->cells - 1].class_id >= class_id))
            return CR_EFORMAT;
        if (!append(r, (cr__word_cell){.class_id = (uint32_t)class_id,
                                       .version = 1,
                                       .documents = (int64_t)documents,
                                       .terms = (int64_t)(documents + more)}))
            return CR_ENOMEM;
    }
    return in->failed ? CR_EFORMAT : CR_OK;
}

static int in_range(int64_t x)
{
    return x <= (int64_t)MOST && x >= -(int64_t)MOST;
}

static int same_group(const cr__word_cell *a, const cr__word_cell *b)
{
    return a->origin == b->origin && a->period == b->period;
}

/* The order of cells: below, at or above 0. */
static int compare(const cr__word_cell *a, const cr__word_cell *b)
{
    if (!same_group(a, b))
        return a->origin < b->origin || (a->origin == b->origin && a->period < b->period) ? -1 : 1;
    return a->class_id < b->class_id ? -1 : a->class_id > b->class_id;
}

static cr_status read_cells(cr__word_record *r, cr__reader *in, cr__word_cell group, uint64_t cells)
{
    for (uint64_t i = 0; i < cells; i++) {
        const uint64_t class_id = cr__read_number(in);
        cr__word_cell cell = group;

        cell.documents = cr__read_signed(in);
        cell.terms = cr__read_signed(in);
        cell.class_id = (uint32_t)class_id;
        if (in->failed || class_id > UINT32_MAX || !in_range(cell.documents) ||
            !in_range(cell.terms) || (cell.documents == 0 && cell.terms == 0) ||
            (r->cells > 0 && compare(&r->cell[r->cells - 1], &cell) >= 0))
            return CR_EFORMAT;
        if (!append(r, cell))
            return CR_ENOMEM;
    }
    return CR_OK;
}

static cr_status read_groups(cr__word_record *r, cr__reader *in)
{
    cr_status st = CR_OK;

    while (st == CR_OK && !in->failed && in->at < in->end) {
        const uint64_t origin = cr__read_number(in), version = cr__read_number(in);
        const cr__word_cell group = {
            .origin = (uint32_t)origin, .version = version, .period = cr__read_number(in)};
        const uint64_t cells = cr__read_number(in);

        if (in->failed || origin > UINT32_MAX || cells > (size_t)(in->end - in->at) ||
            (r->cells > 0 && (same_group(&r->cell[r->cells - 1], &group) ||
                              compare(&r->cell[r->cells - 1], &group) > 0)))
            return CR_EFORMAT;
        if (cells == 0)
            st = append(r, group) ? CR_OK : CR_ENOMEM;
        else
            st = read_cells(r, in, group, cells);
    }
    return st == CR_OK && in->failed ? CR_EFORMAT : st;
}

cr_status cr__word_record_read(cr__word_record *r, const void *bytes, size_t size)
{
    cr__reader in = cr__reader_of(bytes, size);
    uint64_t form;

    r->cells = 0;
    r->word = NULL;
    r->grouped = 0;
    if (size == 0)
        return CR_OK;
    if ((form = cr__read_number(&in)) == LONG_WORD) {
        r->word = cr__read_bytes(&in, &r->length);
        form = cr__read_number(&in);
    }
    if (in.failed || form > GROUPED)
        return CR_EFORMAT;
    r->grouped = form == GROUPED;
    return r->grouped ? read_groups(r, &in) : read_plain(r, &in);
}

/* --- writing ---------------------------------------------------------------------------------- */

static int is_gone(const cr__word_cell *cell)
{
    return cell->documents == 0 && cell->terms == 0;
}

static void write_group(const cr__word_cell *cell, size_t cells, cr__buffer *out)
{
    const int gone = is_gone(cell);

    cr__put_number(out, cell->origin);
    cr__put_number(out, cell->version);
    cr__put_number(out, cell->period);
    cr__put_number(out, gone ? 0 : cells);
    for (size_t i = 0; !gone && i < cells; i++) {
        cr__put_number(out, cell[i].class_id);
        cr__put_signed(out, cell[i].documents);
        cr__put_signed(out, cell[i].terms);
    }
}

void cr__word_record_write(const cr__word_record *r, cr__buffer *out)
{
    if (r->cells == 0)
        return;
    if (r->word != NULL) {
        cr__put_number(out, LONG_WORD);
        cr__put_bytes(out, r->word, r->length);
    }
    cr__put_number(out, r->grouped ? GROUPED : PLAIN);
    for (size_t i = 0, next; i < r->cells; i = next) {
        for (next = i + 1; next < r->cells && same_group(&r->cell[i], &r->cell[next]);)
            next++;
        if (r->grouped) {
            write_group(r->cell + i, next - i, out);
            continue;
        }
        for (size_t k = i; k < next; k++) {
            cr__put_number(out, r->cell[k].class_id);
            cr__put_number(out, (uint64_t)r->cell[k].documents);
            cr__put_number(out, (uint64_t)(r->cell[k].terms - r->cell[k].documents));
        }
    }
}

/* --- changing --------------------------------------------------------------------------------- */

static void remove_cell(cr__word_record *r, size_t at)
{
    r->cells--;
    if (at < r->cells)
        memmove(r->cell + at, r->cell + at + 1, (r->cells - at) * sizeof *r->cell);
}

static int insert_cell(cr__word_record *r, size_t at, cr__word_cell cell)
{
    if (!append(r, cell))
        return 0;
    memmove(r->cell + at + 1, r->cell + at, (r->cells - 1 - at) * sizeof *r->cell);
    r->cell[at] = cell;
    return 1;
}

/* All cells of a group have the same version. */
static void stamp(cr__word_record *r, const cr__word_cell *group)
{
    for (size_t i = 0; i < r->cells; i++)
        if (same_group(&r->cell[i], group))
            r->cell[i].version = group->version;
}

/* Remove a cell of 0, or keep it as the mark of a deleted group. */
static void settle_zero(cr__word_record *r, size_t at)
{
    const cr__word_cell cell = r->cell[at];
    const int before = at > 0 && same_group(&r->cell[at - 1], &cell);
    const int after = at + 1 < r->cells && same_group(&r->cell[at + 1], &cell);

    if (!r->grouped || before || after)
        remove_cell(r, at);
    else
        r->cell[at].class_id = 0;
}

cr_status cr__word_record_add(cr__word_record *r, const cr__word_cell *cell)
{
    size_t at = 0;

    while (at < r->cells && !(same_group(&r->cell[at], cell) && is_gone(&r->cell[at])) &&
           compare(&r->cell[at], cell) < 0)
        at++;
    if (at < r->cells && same_group(&r->cell[at], cell) && is_gone(&r->cell[at]))
        r->cell[at].class_id = cell->class_id; /* it is added again */
    if (at == r->cells || compare(&r->cell[at], cell) != 0) {
        if (!insert_cell(r, at, *cell))
            return CR_ENOMEM;
    } else {
        r->cell[at].documents += cell->documents;
        r->cell[at].terms += cell->terms;
    }
    stamp(r, cell);
    if (is_gone(&r->cell[at]))
        settle_zero(r, at);
    return CR_OK;
}

cr_status cr__word_record_replace(cr__word_record *r, const cr__word_cell *cell, size_t cells)
{
    size_t kept = 0, at = 0;

    for (size_t i = 0; i < r->cells; i++)
        if (!same_group(&r->cell[i], cell))
            r->cell[kept++] = r->cell[i];
    r->cells = kept;
    while (at < kept && compare(&r->cell[at], cell) < 0)
        at++;
    for (size_t i = 0; i < cells; i++)
        if (!insert_cell(r, at + i, cell[i]))
            return CR_ENOMEM;
    return CR_OK;
}
