/* stats/team_table.c - each member sends its rows, array by array, to each other one. */
#include "stats/team_table.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"

/* What comes before the arrays. */
typedef struct head {
    uint64_t rows, weighted;
} head;

typedef struct column_head {
    uint64_t words;  /* of texts, in all rows */
    uint64_t values; /* of the dictionary, */
    uint64_t bytes;  /* and theirs */
} column_head;

/* --- one table ------------------------------------------------------------------------------- */

/* Send one array of a table, or receive it into a new one. */
typedef struct way {
    const cr_team *team;
    int other, comes;
    cr_status status;
} way;

static void pass_bytes(way *w, void *bytes, size_t size, cr_error *err)
{
    if (w->status != CR_OK || size == 0)
        return;
    w->status = w->comes ? w->team->receive(w->team->context, w->other, bytes, size, err)
                         : w->team->send(w->team->context, w->other, bytes, size, err);
}

static void pass_array(way *w, void *array, size_t count, size_t size, cr_error *err)
{
    void **at = array;

    if (w->status == CR_OK && w->comes && (*at = cr__alloc(count, size)) == NULL)
        w->status = cr__fail_memory(err);
    pass_bytes(w, *at, count * size, err);
}

/* The words of a dictionary, by their ends and bytes. */
static void pass_dict(way *w, cr__dict **dict, const column_head *h, cr_error *err)
{
    uint32_t *end = w->comes ? NULL : (uint32_t *)(*dict)->end;
    char *bytes = w->comes ? NULL : (char *)(*dict)->bytes;

    pass_array(w, &end, h->values, sizeof *end, err);
    pass_array(w, &bytes, h->bytes, 1, err);
    if (!w->comes)
        return;
    if (w->status == CR_OK)
        w->status = cr__dict_new(dict, 0, err);
    for (size_t i = 0, from = 0; w->status == CR_OK && i < h->values; from = end[i++])
        if (cr__dict_intern(*dict, bytes + from, end[i] - from - 1, &(uint32_t){0}) != CR_OK)
            w->status = cr__fail_memory(err);
    cr__free(end);
    cr__free(bytes);
}

static void pass_column(way *w, cr__table_column *c, size_t rows, cr_error *err)
{
    column_head h = {.words = c->kind == CR_BAG && c->start != NULL ? c->start[rows] : 0,
                     .values = c->dict == NULL ? 0 : c->dict->words,
                     .bytes = c->dict == NULL ? 0 : c->dict->bytes_size};

    if (c->kind == CR_IGNORE)
        return;
    pass_bytes(w, &h, sizeof h, err);
    if (c->kind == CR_REAL) {
        pass_array(w, &c->real, rows, sizeof *c->real, err);
        return;
    }
    pass_array(w, &c->code, rows, sizeof *c->code, err);
    if (c->kind == CR_BAG && rows > 0) {
        pass_array(w, &c->start, rows + 1, sizeof *c->start, err);
        pass_array(w, &c->word, h.words, sizeof *c->word, err);
        c->word_capacity = w->comes ? (size_t)h.words : c->word_capacity;
    }
    pass_dict(w, &c->dict, &h, err);
}

static cr_status pass_table(const cr_team *team, int other, int comes, cr__table *table,
                            cr_error *err)
{
    way w = {team, other, comes, CR_OK};
    head h = {table->rows, table->weight != NULL};

    pass_bytes(&w, &h, sizeof h, err);
    table->rows = table->capacity = (size_t)h.rows;
    if (h.weighted)
        pass_array(&w, &table->weight, table->rows, sizeof *table->weight, err);
    pass_array(&w, &table->line, table->rows, sizeof *table->line, err);
    for (size_t i = 0; w.status == CR_OK && i < table->schema->columns; i++)
        pass_column(&w, &table->column[i], table->rows, err);
    return w.status;
}

/* --- all tables ------------------------------------------------------------------------------ */

/* Members exchange in pairs; the lower rank sends first. */
static cr_status exchange(const cr_team *team, cr__table **part, cr_error *err)
{
    cr__table *own = part[team->rank];
    cr_status st = CR_OK;
    int places = 1;

    while (places < team->ranks)
        places *= 2;
    for (int step = 1; st == CR_OK && step < places; step++) {
        const int other = team->rank ^ step;
        const size_t rows = own->rows, capacity = own->capacity;

        if (other >= team->ranks)
            continue;
        st = cr__table_new(&part[other], own->schema, err);
        if (st == CR_OK && team->rank < other)
            st = pass_table(team, other, 0, own, err);
        if (st == CR_OK)
            st = pass_table(team, other, 1, part[other], err);
        if (st == CR_OK && team->rank > other)
            st = pass_table(team, other, 0, own, err);
        own->rows = rows;
        own->capacity = capacity;
    }
    return st;
}

/* The codes that a part's words have in the whole. */
static cr_status map_words(cr__dict *whole, const cr__table_column *from, uint32_t **map)
{
    cr_status st = CR_OK;

    *map = NULL;
    if (whole == NULL || from->dict == NULL)
        return CR_OK;
    if ((*map = cr__alloc_zero((size_t)from->dict->words + 1, sizeof **map)) == NULL)
        return CR_ENOMEM;
    for (uint32_t code = 1; st == CR_OK && code <= from->dict->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from->dict, code, &length);

        st = cr__dict_intern(whole, word, length, &(*map)[code]);
    }
    return st;
}

static cr_status append(cr__table *whole, const cr__table *part)
{
    const size_t columns = whole->schema->columns;
    uint32_t **map = cr__alloc_zero(columns, sizeof *map);
    cr_status st = map == NULL ? CR_ENOMEM : CR_OK;

    for (size_t i = 0; st == CR_OK && i < columns; i++)
        st = map_words(whole->column[i].dict, &part->column[i], &map[i]);
    if (st == CR_OK)
        st = cr__table_extend(whole, part, NULL, part->rows, map);
    for (size_t i = 0; map != NULL && i < columns; i++)
        cr__free(map[i]);
    cr__free(map);
    return st;
}

/* The number of all rows is known before they arrive. */
static cr_status check_room(const cr_team *team, const cr__table *own, uint64_t limit,
                            cr_error *err)
{
    double bytes = cr__table_bytes(own), *every = cr__alloc((size_t)team->ranks, sizeof *every);
    double total = 0;
    cr_status st = every == NULL ? cr__fail_memory(err)
                                 : cr__team_share(team, &bytes, sizeof bytes, every, err);

    for (int r = 0; st == CR_OK && r < team->ranks; r++)
        total += every[r];
    cr__free(every);
    if (st != CR_OK || limit == 0 || total <= (double)limit)
        return st;
    cr__fail(err, CR_ELIMIT, "the rows of all processes take %s of memory; they may have %s",
             cr__size_of(total).text, cr__size_of((double)limit).text);
    return cr__fail_hint(err, CR_ELIMIT, CR__SET("memory") " raises the limit");
}

cr_status cr__team_join_tables(const cr_team *team, cr__table **table, uint64_t limit,
                               cr_error *err)
{
    cr__table **part = cr__alloc_zero((size_t)team->ranks, sizeof *part);
    cr_status st = cr__team_agree(team, part == NULL ? cr__fail_memory(err) : CR_OK, err);

    if (st == CR_OK) {
        part[team->rank] = *table;
        *table = NULL;
        st = cr__team_agree(team, check_room(team, part[team->rank], limit, err), err);
    }
    if (st == CR_OK)
        st = exchange(team, part, err);
    if (st == CR_OK && team->rank > 0) { /* the first part becomes the whole */
        part[0]->missing = part[team->rank]->missing;
        part[team->rank]->missing = NULL;
    }
    for (int r = 1; st == CR_OK && r < team->ranks; r++) {
        if (append(part[0], part[r]) != CR_OK)
            st = cr__fail_memory(err);
        cr__table_free(part[r]);
        part[r] = NULL;
    }
    st = cr__team_agree(team, st, err);
    for (int r = st == CR_OK ? 1 : 0; part != NULL && r < team->ranks; r++)
        cr__table_free(part[r]);
    *table = part == NULL || st != CR_OK ? NULL : part[0];
    cr__free(part);
    return st;
}
