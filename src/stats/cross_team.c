/* stats/cross_team.c - pass the state and the sums from member to member. */
#include "stats/cross_team.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "stats/cross_gather_impl.h"
#include "stats/cross_sections.h"

void cr__cross_gather_record(cr__cross_gather *gather)
{
    gather->records = 1;
}

/* --- bytes ----------------------------------------------------------------------------------- */

/* A block of bytes that is read from the front. */
typedef struct reader {
    const char *at;
    size_t left;
    int failed;
} reader;

static void put_number(cr__buffer *out, uint64_t n)
{
    cr__buffer_add(out, &n, sizeof n);
}

static void read_bytes(reader *in, void *to, size_t size)
{
    in->failed |= size > in->left;
    if (in->failed || size == 0)
        return;
    memcpy(to, in->at, size);
    in->at += size;
    in->left -= size;
}

static size_t read_number(reader *in)
{
    uint64_t n = 0;

    read_bytes(in, &n, sizeof n);
    return (size_t)n;
}

/* A copy of an array; NULL when there is none, or out of memory. */
static double *read_array(reader *in, size_t count)
{
    double *array =
        in->failed || count > in->left / sizeof *array ? NULL : cr__alloc(count, sizeof *array);

    in->failed |= array == NULL;
    if (array != NULL)
        read_bytes(in, array, count * sizeof *array);
    return array;
}

static void put_words(cr__buffer *out, const cr__dict *dict, uint32_t code)
{
    size_t length;
    const char *word = cr__dict_word(dict, code, &length);

    put_number(out, length);
    cr__buffer_add(out, word, length);
}

static const char *read_word(reader *in, size_t *length)
{
    const char *word;

    *length = read_number(in);
    in->failed |= *length > in->left;
    if (in->failed)
        return NULL;
    word = in->at;
    in->at += *length;
    in->left -= *length;
    return word;
}

/* --- the state ------------------------------------------------------------------------------- */

/* Terms of symbols in the order of their arrival, classes likewise. */
static void put_terms(const cr__cross_gather *g, cr__buffer *out)
{
    size_t count = 0;

    for (size_t t = 0; t < g->terms; t++)
        count += g->term[t].value != CR__TERM_REAL;
    put_number(out, count);
    for (size_t t = 0; t < g->terms; t++) {
        size_t f = 0;

        if (g->term[t].value == CR__TERM_REAL)
            continue;
        while (g->column[f] != g->term[t].column)
            f++;
        put_number(out, f);
        put_words(out, g->dict[f], g->term[t].value);
    }
    put_number(out, g->class_dict == NULL ? 0 : g->class_dict->words);
    for (uint32_t c = 1; g->class_dict != NULL && c <= g->class_dict->words; c++)
        put_words(out, g->class_dict, c);
}

static void read_terms(cr__cross_gather *g, reader *in)
{
    size_t length;

    for (size_t n = read_number(in); !in->failed && n > 0; n--) {
        const size_t f = read_number(in);
        const char *word = read_word(in, &length);

        in->failed |= in->failed || f >= g->fields || g->dict[f] == NULL ||
                      cr__cross_term_of(g, f, word, length, &(uint32_t){0}) != CR_OK;
    }
    for (size_t n = read_number(in); !in->failed && n > 0; n--) {
        const char *word = read_word(in, &length);

        in->failed |= in->failed || g->class_dict == NULL ||
                      cr__dict_intern(g->class_dict, word, length, &(uint32_t){0}) != CR_OK;
    }
}

static void put_state(const cr__cross_gather *g, cr__buffer *out)
{
    put_terms(g, out);
    cr__buffer_add(out, g->shift, g->terms * sizeof *g->shift);
    cr__buffer_add(out, g->mean, g->fields * sizeof *g->mean);
    cr__buffer_add(out, g->seen, g->fields * sizeof *g->seen);
    put_number(out, (uint64_t)g->settled);
    put_number(out, g->heaps);
    for (size_t h = 0; h < g->heaps; h++) {
        const cr__cross_block *open = &g->heap[h].open;

        put_number(out, g->heap[h].sequence);
        put_number(out, open->rows);
        cr__buffer_add(out, open->x, open->rows * g->fields * sizeof *open->x);
        cr__buffer_add(out, open->weight, open->rows * sizeof *open->weight);
    }
}

/* Into a gather that is new. */
static cr_status read_state(cr__cross_gather *g, reader *in, cr_error *err)
{
    size_t heaps;
    cr_status st;

    read_terms(g, in);
    if (in->failed)
        return cr__fail_memory(err);
    read_bytes(in, g->shift, g->terms * sizeof *g->shift);
    read_bytes(in, g->mean, g->fields * sizeof *g->mean);
    read_bytes(in, g->seen, g->fields * sizeof *g->seen);
    g->settled = (int)read_number(in);
    heaps = read_number(in);
    if (heaps > 0 && (st = cr__cross_fit_heaps(g, err)) != CR_OK)
        return st;
    for (size_t h = 0; !in->failed && h < heaps && h < g->heaps; h++) {
        cr__cross_block *open = &g->heap[h].open;

        g->heap[h].sequence = g->heap[h].added = read_number(in);
        open->rows = open->capacity = read_number(in);
        if (open->rows == 0)
            continue;
        open->x = read_array(in, open->rows * g->fields);
        open->weight = read_array(in, open->rows);
    }
    return in->failed ? cr__fail_memory(err) : CR_OK;
}

/* --- the sums -------------------------------------------------------------------------------- */

static void put_sums(const cr__cross_gather *g, cr__buffer *out)
{
    put_number(out, g->heaps);
    for (size_t h = 0; h < g->heaps; h++) {
        const cr__cross_heap *from = &g->heap[h];
        const size_t n = from->terms, square = n * n * sizeof(double);

        put_number(out, n);
        cr__buffer_add(out, &from->sum.count, sizeof from->sum.count);
        put_number(out, from->sum.sum != NULL);
        if (from->sum.sum != NULL) {
            cr__buffer_add(out, from->sum.sum, n * sizeof(double));
            cr__buffer_add(out, from->sum.product, square);
        }
        put_number(out, from->sum.pair_count != NULL);
        if (from->sum.pair_count != NULL) {
            cr__buffer_add(out, from->sum.pair_count, square);
            cr__buffer_add(out, from->sum.pair_sum, square);
            cr__buffer_add(out, from->sum.pair_product, square);
        }
    }
}

static void read_sums(cr__cross_gather *g, reader *in)
{
    size_t heaps = read_number(in);

    in->failed |= heaps > g->heaps;
    for (size_t h = 0; !in->failed && h < heaps; h++) {
        cr__cross_heap *to = &g->heap[h];
        const size_t n = to->terms = read_number(in);

        read_bytes(in, &to->sum.count, sizeof to->sum.count);
        if (read_number(in) != 0) {
            to->sum.sum = read_array(in, n);
            to->sum.product = read_array(in, n * n);
        }
        if (read_number(in) != 0) {
            to->sum.pair_count = read_array(in, n * n);
            to->sum.pair_sum = read_array(in, n * n);
            to->sum.pair_product = read_array(in, n * n);
        }
    }
}

/* --- a member's part ------------------------------------------------------------------------- */

/* Distribute the recorded rows over blocks; values and classes are added as they occur. */
static cr_status replay_rows(cr__cross_gather *g, const cr__cross_gather *from,
                             cr__cross_rows *rows, uint32_t *term, uint32_t *class_of,
                             cr_error *err)
{
    cr_status st = CR_OK;
    size_t length;

    for (size_t r = 0; st == CR_OK && r < rows->rows; r++) {
        double *x = rows->x + r * g->fields;
        uint32_t *c = &rows->class_code[r];

        if (g->class_dict != NULL && *c != CR__MISSING && class_of[*c] == 0) {
            const char *word = cr__dict_word(from->class_dict, *c, &length);

            st = cr__dict_intern(g->class_dict, word, length, &class_of[*c]);
        }
        if (st == CR_OK && g->class_dict != NULL && *c != CR__MISSING)
            *c = class_of[*c];
        for (size_t f = 0; st == CR_OK && f < g->fields; f++) {
            const size_t t = g->dict[f] == NULL || isnan(x[f]) ? SIZE_MAX : (size_t)x[f];

            if (t != SIZE_MAX && term[t] == UINT32_MAX) {
                const char *word = cr__dict_word(from->dict[f], from->term[t].value, &length);

                st = cr__cross_term_of(g, f, word, length, &term[t]);
            }
            if (st == CR_OK && t != SIZE_MAX)
                x[f] = term[t];
        }
        st = st == CR_OK ? cr__cross_put_row(g, *c, x, rows->weight[r], err) : cr__fail_memory(err);
    }
    return st;
}

static cr_status replay(cr__cross_gather *g, cr__cross_gather *from, cr_error *err)
{
    const size_t classes = from->class_dict == NULL ? 1 : from->class_dict->words;
    uint32_t *term = cr__alloc(from->terms, sizeof *term);
    uint32_t *class_of = cr__alloc_zero(classes + 1, sizeof *class_of);
    cr_status st = term == NULL || class_of == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK)
        memset(term, 0xff, from->terms * sizeof *term);
    while (st == CR_OK && from->recorded != NULL) {
        cr__cross_rows *rows = from->recorded;

        st = replay_rows(g, from, rows, term, class_of, err);
        from->recorded = rows->next;
        cr__free(rows->x);
        cr__free(rows->class_code);
        cr__free(rows->weight);
        cr__free(rows);
    }
    cr__free(term);
    cr__free(class_of);
    return st;
}

/* Send bytes to the next member, if there is one. A member that has failed sends none. */
static cr_status hand_on(const cr_team *team, cr__buffer *bytes, cr_status st, cr_error *err)
{
    cr_status sent = CR_OK;

    if (bytes->failed && st == CR_OK)
        st = cr__fail_memory(err);
    if (team->rank + 1 < team->ranks)
        sent = cr__team_give(team, team->rank + 1, bytes->data, st == CR_OK ? bytes->size : 0,
                             st == CR_OK ? err : NULL);
    cr__buffer_free(bytes);
    return st == CR_OK ? sent : st;
}

/* Receive the bytes of the previous member; none if it has failed. */
static cr_status take_over(const cr_team *team, void **bytes, size_t *size, cr_error *err)
{
    *bytes = NULL;
    *size = 0;
    return team->rank == 0 ? CR_OK : cr__team_take(team, team->rank - 1, bytes, size, err);
}

/* Receive the state, distribute the rows, send the state on. */
static cr_status deal_out(const cr_team *team, cr__cross_gather *g, cr__cross_gather *recorded,
                          cr_error *err)
{
    cr__buffer state = {0};
    void *bytes;
    size_t size;
    cr_status st = take_over(team, &bytes, &size, err);

    if (st == CR_OK && team->rank > 0)
        st = size == 0 ? CR_EIO : read_state(g, &(reader){bytes, size, 0}, err);
    cr__free(bytes);
    if (st == CR_OK)
        st = replay(g, recorded, err);
    if (st == CR_OK && team->rank + 1 < team->ranks) {
        put_state(g, &state);
        for (size_t h = 0; h < g->heaps; h++)
            g->heap[h].open.rows = 0; /* they belong to the next member now */
    }
    return hand_on(team, &state, st, err);
}

/* Receive the sums, add the member's own, send the sums on. */
static cr_status add_up(const cr_team *team, cr__cross_gather *g, cr_error *err)
{
    cr__buffer sums = {0};
    reader in;
    void *bytes;
    size_t size;
    cr_status st = take_over(team, &bytes, &size, err);

    in = (reader){bytes, size, 0};
    if (st == CR_OK && size > 0)
        read_sums(g, &in);
    cr__free(bytes);
    for (size_t h = 0; st == CR_OK && h < g->heaps; h++)
        cr__cross_add_waiting(g, &g->heap[h]);
    if (st == CR_OK && (in.failed || g->failed))
        st = cr__fail_memory(err);
    g->holds = 0;
    if (st == CR_OK && team->rank + 1 < team->ranks)
        put_sums(g, &sums);
    return hand_on(team, &sums, st, err);
}

/* --- the whole ------------------------------------------------------------------------------- */

/* The last member has all sums: the products, as sections of a model file. */
static cr_status conclude(cr__cross_gather *g, int threads, const cr__stats *stats, void **bytes,
                          size_t *size, cr_error *err)
{
    cr__dict **dict = cr__alloc_zero(stats->schema->columns, sizeof *dict);
    cr__cross *cross = NULL;
    cr__draft draft = {0};
    cr_status st;

    if (dict == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < stats->schema->columns; i++)
        dict[i] = stats->column[i].dict;
    st = cr__cross_gather_finish(g, threads, dict, stats->classes, &cross, err);
    if (st == CR_OK) {
        cr__cross_save(cross, &draft);
        st = cr__draft_block(&draft, bytes, size, err);
    }
    cr__draft_free(&draft);
    cr__cross_free(cross);
    cr__free(dict);
    return st;
}

/* Send the products from the last member to the first, and from there to all. */
static cr_status spread(const cr_team *team, void *bytes, size_t size, cr__stats *stats,
                        cr_error *err)
{
    const int last = team->ranks - 1;
    cr__container container = {0};
    cr_status st = CR_OK;

    if (team->rank == last && last > 0) {
        st = cr__team_give(team, 0, bytes, size, err);
        cr__free(bytes);
        bytes = NULL;
    }
    if (team->rank == 0 && last > 0)
        st = cr__team_take(team, last, &bytes, &size, err);
    if (st == CR_OK)
        st = cr__team_broadcast(team, &bytes, &size, err);
    if (st == CR_OK)
        st = cr__container_copy(&container, bytes, size, 1, err);
    if (st == CR_OK)
        st = cr__cross_load(stats, &container, err);
    cr__container_close(&container);
    cr__free(bytes);
    return cr__team_agree(team, st, err);
}

cr_status cr__cross_team_finish(const cr_team *team, cr__cross_gather *recorded, int threads,
                                cr__stats *stats, cr_error *err)
{
    cr__cross_gather *g = NULL;
    void *bytes = NULL;
    size_t size = 0;
    cr_status st = cr__cross_gather_new(&g, recorded->schema, recorded->use, recorded->limit, err);

    if ((st = cr__team_agree(team, st, err)) == CR_OK) {
        g->holds = 1;
        st = cr__team_agree(team, deal_out(team, g, recorded, err), err);
    }
    if (st == CR_OK)
        st = cr__team_agree(team, cr__cross_work_all(g, threads, err), err);
    if (st == CR_OK)
        st = cr__team_agree(team, add_up(team, g, err), err);
    if (st == CR_OK)
        st = cr__team_agree(
            team,
            team->rank < team->ranks - 1 ? CR_OK : conclude(g, threads, stats, &bytes, &size, err),
            err);
    if (st == CR_OK)
        st = spread(team, bytes, size, stats, err);
    else
        cr__free(bytes);
    cr__cross_gather_free(g);
    return st;
}
