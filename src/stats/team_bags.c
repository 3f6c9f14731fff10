/* stats/team_bags.c - a reduce-scatter of words by hash, and a gather to the first member. */
#include "stats/team_bags.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"

/* A run of a bag's words as sent: this header, then the arrays. */
typedef struct slice {
    uint64_t words, cells, bytes, classes;
    uint64_t first_byte, first_cell; /* what `end` and `row` begin at */
} slice;

/* What one member does. */
typedef struct exchange {
    const cr_team *team;
    const cr_run *run;
    cr__bag_part own; /* its bag may be empty */
    size_t classes;
    uint64_t *sent;
    slice *coming; /* [ranks] of this member's share, from each other one */
    cr__bag in;    /* room for the largest of them */
    uint32_t *in_map;
    uint32_t *same;   /* [classes] the identity map */
    cr__bag share;    /* the member's own words of its share; may borrow from its bag */
    cr__bag sum;      /* of all members' words of the share, */
    int summed;       /* once there is one, */
    cr_status failed; /* and why there is none */
} exchange;

/* --- ranges of hashes ------------------------------------------------------------------------ */

/* The first word of a member's share. */
static size_t share_begins(const exchange *x, int member)
{
    const cr__bag *bag = x->own.bag;
    const uint64_t ranks = (uint64_t)x->team->ranks;
    size_t low = 0, high = bag->words;

    if (member == 0)
        return 0;
    if (ranks == 2 || (uint64_t)member == ranks)
        return bag->words;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (bag->hash[middle] < UINT64_MAX / ranks * (uint64_t)member)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static slice slice_of(const cr__bag *bag, size_t first, size_t last)
{
    const uint64_t byte = first == 0 ? 0 : bag->end[first - 1];
    const uint64_t cell = bag->words == 0 ? 0 : bag->row[first];

    return (slice){.words = last - first,
                   .cells = bag->words == 0 ? 0 : bag->row[last] - cell,
                   .bytes = (last == 0 ? 0 : bag->end[last - 1]) - byte,
                   .classes = bag->classes,
                   .first_byte = byte,
                   .first_cell = cell};
}

static slice share_of(const exchange *x, int member)
{
    return slice_of(x->own.bag, share_begins(x, member), share_begins(x, member + 1));
}

static double bytes_of(const slice *s)
{
    return (double)s->bytes + (double)s->words * 20 + (double)s->cells * sizeof(cr__bag_cell);
}

/* --- sending --------------------------------------------------------------------------------- */

static cr_status put(const exchange *x, int to, const void *bytes, size_t size, cr_error *err)
{
    *x->sent += size;
    return size == 0 ? CR_OK : x->team->send(x->team->context, to, bytes, size, err);
}

static cr_status get(const exchange *x, int from, void *bytes, size_t size, cr_error *err)
{
    return size == 0 ? CR_OK : x->team->receive(x->team->context, from, bytes, size, err);
}

/* The words of a slice that begins at word `first`. */
static cr_status put_words(const exchange *x, int to, const cr__bag *bag, size_t first,
                           const slice *s, cr_error *err)
{
    cr_status st;

    if (s->words == 0)
        return CR_OK;
    if ((st = put(x, to, bag->hash + first, s->words * sizeof *bag->hash, err)) != CR_OK ||
        (st = put(x, to, bag->end + first, s->words * sizeof *bag->end, err)) != CR_OK ||
        (st = put(x, to, bag->bytes + s->first_byte, s->bytes, err)) != CR_OK ||
        (st = put(x, to, bag->row + first + 1, s->words * sizeof *bag->row, err)) != CR_OK)
        return st;
    return put(x, to, bag->cell + s->first_cell, s->cells * sizeof *bag->cell, err);
}

/* The same into a bag that has room, after what it has. */
static cr_status get_words(const exchange *x, int from, cr__bag *bag, const slice *s, cr_error *err)
{
    const uint64_t byte = bag->words == 0 ? 0 : bag->end[bag->words - 1], cell = bag->cells;
    uint32_t *end = bag->end + bag->words;
    uint64_t *row = bag->row + bag->words + 1;
    cr_status st;

    if (s->words == 0)
        return CR_OK;
    if ((st = get(x, from, bag->hash + bag->words, s->words * sizeof *bag->hash, err)) != CR_OK ||
        (st = get(x, from, end, s->words * sizeof *end, err)) != CR_OK ||
        (st = get(x, from, bag->bytes + byte, s->bytes, err)) != CR_OK ||
        (st = get(x, from, row, s->words * sizeof *row, err)) != CR_OK ||
        (st = get(x, from, bag->cell + cell, s->cells * sizeof *bag->cell, err)) != CR_OK)
        return st;
    for (size_t i = 0; i < s->words; i++) {
        end[i] = (uint32_t)(end[i] - s->first_byte + byte);
        row[i] = row[i] - s->first_cell + cell;
    }
    bag->words += s->words;
    bag->cells += s->cells;
    return CR_OK;
}

/* Room for so many words, of which there are none yet; the bag's classes are known. */
static int make_room(cr__bag *bag, uint64_t words, uint64_t cells, uint64_t bytes)
{
    bag->hash = cr__alloc(words, sizeof *bag->hash);
    bag->end = cr__alloc(words, sizeof *bag->end);
    bag->bytes = cr__alloc(bytes, 1);
    bag->row = cr__alloc_zero(words + 1, sizeof *bag->row);
    bag->cell = cr__alloc(cells, sizeof *bag->cell);
    bag->documents = cr__alloc_zero(bag->classes, sizeof *bag->documents);
    return bag->hash != NULL && bag->end != NULL && bag->bytes != NULL && bag->row != NULL &&
           bag->cell != NULL && bag->documents != NULL;
}

/* --- each pair of members -------------------------------------------------------------------- */

/* Members exchange in pairs, in the same order for both: there is no circular wait. */
static cr_status meet_all(exchange *x, cr_status (*send)(exchange *, int, cr_error *),
                          cr_status (*receive)(exchange *, int, cr_error *), cr_error *err)
{
    const int rank = x->team->rank, ranks = x->team->ranks;
    cr_status st = CR_OK;
    int places = 1;

    while (places < ranks)
        places *= 2;
    for (int step = 1; st == CR_OK && step < places; step++) {
        const int other = rank ^ step;

        if (other >= ranks)
            continue;
        if (rank < other)
            st = send(x, other, err);
        if (st == CR_OK)
            st = receive(x, other, err);
        if (st == CR_OK && rank > other)
            st = send(x, other, err);
    }
    return st;
}

static cr_status announce(exchange *x, int to, cr_error *err)
{
    const slice s = share_of(x, to);

    return put(x, to, &s, sizeof s, err);
}

static cr_status hear(exchange *x, int from, cr_error *err)
{
    return get(x, from, &x->coming[from], sizeof *x->coming, err);
}

static cr_status give(exchange *x, int to, cr_error *err)
{
    const slice s = share_of(x, to);
    const cr__bag *bag = x->own.bag;
    cr_status st;

    if (s.words == 0)
        return CR_OK;
    if ((st = put(x, to, bag->documents, s.classes * sizeof *bag->documents, err)) != CR_OK ||
        (st = put(x, to, x->own.map, s.classes * sizeof *x->own.map, err)) != CR_OK)
        return st;
    return put_words(x, to, bag, share_begins(x, to), &s, err);
}

/* The words of another member are added to those of the share; at first these are its own. */
static cr_status add(exchange *x, const cr__bag_part *more)
{
    cr__bag both = {0};
    const cr__bag_part parts[2] = {x->summed ? (cr__bag_part){&x->sum, x->same, 1}
                                             : (cr__bag_part){&x->share, x->own.map, 1},
                                   more == NULL ? (cr__bag_part){0} : *more};
    const cr_status st = cr__bag_sum(&both, parts, more == NULL ? 1 : 2, x->classes);

    cr__bag_free(&x->sum);
    x->sum = both;
    x->summed = 1;
    return st;
}

/* A failure to add does not end the exchange: other members wait for it. */
static cr_status take(exchange *x, int from, cr_error *err)
{
    const slice *s = &x->coming[from];
    cr__bag *in = &x->in;
    cr_status st;

    if (s->words == 0)
        return CR_OK;
    in->words = in->cells = 0;
    in->classes = s->classes;
    if ((st = get(x, from, in->documents, s->classes * sizeof *in->documents, err)) != CR_OK ||
        (st = get(x, from, x->in_map, s->classes * sizeof *x->in_map, err)) != CR_OK ||
        (st = get_words(x, from, in, s, err)) != CR_OK)
        return st;
    if (x->failed == CR_OK)
        x->failed = add(x, &(cr__bag_part){in, x->in_map, 1});
    return CR_OK;
}

/* --- a share --------------------------------------------------------------------------------- */

/* The member's own words of its share, whose counts are borrowed where they begin at 0. */
static int cut_own(exchange *x)
{
    const cr__bag *bag = x->own.bag;
    const size_t first = share_begins(x, x->team->rank);
    const slice s = share_of(x, x->team->rank);
    cr__bag *to = &x->share;

    *to = *bag;
    to->words = s.words;
    to->cells = s.cells;
    if (first == 0 || s.words == 0)
        return 1;
    *to = (cr__bag){.words = s.words, .cells = s.cells, .classes = bag->classes};
    if (!make_room(to, s.words, s.cells, s.bytes))
        return 0;
    memcpy(to->documents, bag->documents, bag->classes * sizeof *to->documents);
    memcpy(to->hash, bag->hash + first, s.words * sizeof *to->hash);
    memcpy(to->bytes, bag->bytes + s.first_byte, s.bytes);
    if (s.cells > 0)
        memcpy(to->cell, bag->cell + s.first_cell, s.cells * sizeof *to->cell);
    for (size_t i = 0; i < s.words; i++) {
        to->end[i] = (uint32_t)(bag->end[first + i] - s.first_byte);
        to->row[i + 1] = bag->row[first + i + 1] - s.first_cell;
    }
    return 1;
}

/* Room for the largest slice that comes, when the share fits into memory at all: it has at least as
 * many words as any one slice. */
static cr_status prepare(exchange *x, cr_error *err)
{
    const slice own = share_of(x, x->team->rank);
    slice most = {0};
    double least = bytes_of(&own);

    for (int r = 0; r < x->team->ranks; r++) {
        const slice *s = &x->coming[r];

        most.words = s->words > most.words ? s->words : most.words;
        most.cells = s->cells > most.cells ? s->cells : most.cells;
        most.bytes = s->bytes > most.bytes ? s->bytes : most.bytes;
        most.classes = s->classes > most.classes ? s->classes : most.classes;
        least = bytes_of(s) > least ? bytes_of(s) : least;
    }
    x->in.classes = most.classes;
    x->in_map = cr__alloc(most.classes, sizeof *x->in_map);
    x->same = cr__alloc(x->classes, sizeof *x->same);
    for (size_t c = 0; x->same != NULL && c < x->classes; c++)
        x->same[c] = (uint32_t)c;
    if (x->in_map == NULL || x->same == NULL || !cut_own(x) ||
        !make_room(&x->in, most.words, most.cells, most.bytes))
        return cr__fail_memory(err);
    return cr__run_afford(x->run, least, "the words of all processes", err);
}

static cr_status scatter(exchange *x, cr_error *err)
{
    cr_status st = meet_all(x, announce, hear, err);

    if (st == CR_OK)
        st = cr__team_agree(x->team, prepare(x, err), err);
    if (st == CR_OK)
        st = meet_all(x, give, take, err);
    if (st == CR_OK && x->failed == CR_OK && !x->summed)
        x->failed = add(x, NULL);
    if (st == CR_OK && x->failed != CR_OK)
        st = cr__fail(err, x->failed, "the words of all processes cannot be added up");
    return cr__team_agree(x->team, st, err);
}

/* --- all shares ------------------------------------------------------------------------------ */

/* The size of the shares: the first member learns it before it receives them. */
static cr_status check_total(exchange *x, cr__bag *out, cr_error *err)
{
    slice total = {0};

    for (int r = 0; r < x->team->ranks; r++) {
        total.words += x->coming[r].words;
        total.cells += x->coming[r].cells;
        total.bytes += x->coming[r].bytes;
    }
    if (total.words > UINT32_MAX || total.bytes > UINT32_MAX)
        return cr__fail(err, CR_ELIMIT, "all words together take more than 4 GB");
    if (cr__run_afford(x->run, bytes_of(&total), "the words of all processes", err) != CR_OK)
        return CR_ELIMIT;
    if (total.words == x->sum.words) { /* it has them all */
        *out = x->sum;
        x->sum = (cr__bag){0};
        return CR_OK;
    }
    *out = (cr__bag){.classes = x->classes};
    if (!make_room(out, total.words, total.cells, total.bytes))
        return cr__fail_memory(err);
    return CR_OK;
}

/* The first member's own share comes first. */
static void put_own(exchange *x, cr__bag *out)
{
    const cr__bag *own = &x->sum;

    if (x->summed && own->documents != NULL)
        memcpy(out->documents, own->documents, x->classes * sizeof *out->documents);
    if (own->words == 0)
        return;
    memcpy(out->hash, own->hash, own->words * sizeof *out->hash);
    memcpy(out->end, own->end, own->words * sizeof *out->end);
    memcpy(out->bytes, own->bytes, own->end[own->words - 1]);
    memcpy(out->row, own->row, (own->words + 1) * sizeof *out->row);
    memcpy(out->cell, own->cell, own->cells * sizeof *out->cell);
    out->words = own->words;
    out->cells = own->cells;
    cr__bag_free(&x->sum);
}

static cr_status gather(exchange *x, cr__bag *out, cr_error *err)
{
    const cr_team *team = x->team;
    const slice own = slice_of(&x->sum, 0, x->sum.words);
    cr_status st = CR_OK;

    x->coming[0] = own;
    if (team->rank > 0)
        st = put(x, 0, &own, sizeof own, err);
    for (int r = 1; team->rank == 0 && st == CR_OK && r < team->ranks; r++)
        st = hear(x, r, err);
    if (st == CR_OK)
        st = cr__team_agree(team, team->rank == 0 ? check_total(x, out, err) : CR_OK, err);
    if (st != CR_OK)
        return st;
    if (team->rank > 0)
        return put_words(x, 0, &x->sum, 0, &own, err);
    if (out->words == 0)
        put_own(x, out);
    for (int r = 1; st == CR_OK && r < team->ranks; r++)
        st = get_words(x, r, out, &x->coming[r], err);
    return st;
}

cr_status cr__team_sum_bags(const cr_team *team, const cr__bag *own, const uint32_t *map,
                            size_t classes, const cr_run *run, cr__bag *out, uint64_t *sent,
                            cr_error *err)
{
    static const cr__bag none = {0};
    exchange x = {.team = team,
                  .run = run,
                  .own = {own == NULL ? &none : own, map, 1},
                  .classes = classes,
                  .sent = sent};
    cr_status st;

    *out = (cr__bag){0};
    x.coming = cr__alloc_zero((size_t)team->ranks, sizeof *x.coming);
    st = cr__team_agree(team, x.coming == NULL ? cr__fail_memory(err) : CR_OK, err);
    if (st == CR_OK)
        st = scatter(&x, err);
    if (st == CR_OK)
        st = gather(&x, out, err);
    if (st != CR_OK)
        cr__bag_free(out);
    if (x.share.hash != x.own.bag->hash)
        cr__bag_free(&x.share);
    cr__bag_free(&x.sum);
    cr__bag_free(&x.in);
    cr__free(x.in_map);
    cr__free(x.same);
    cr__free(x.coming);
    return st;
}
