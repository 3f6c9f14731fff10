/* stats/team_stats.c - statistics travel as the sections of a model file, and are added exactly:
 * the sum has the same bytes whatever the number of members. */
#include "stats/team_stats.h"

#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "stats/cross_sections.h"
#include "stats/stats_sections.h"
#include "stats/team_bags.h"

#define TAG_PART CR__TAG('P', 'A', 'R', 'T')
#define TAG_DECLARED CR__TAG('D', 'E', 'C', 'L')

typedef struct part_head {
    uint64_t rows, classes;
    cr_tally tally;
} part_head;

void cr__stats_pack(const cr__stats *stats, const cr_tally *tally, cr__draft *draft)
{
    const part_head head = {stats->rows, stats->classes, *tally};

    cr__draft_section_begin(draft, TAG_PART, 0);
    cr__draft_copy(draft, &head, sizeof head);
    cr__draft_section_begin(draft, TAG_DECLARED, 0);
    for (size_t i = 0; i < stats->schema->columns; i++) {
        const cr__dict *declared = stats->schema->column[i].declared;
        const uint64_t words = declared == NULL ? 0 : declared->words;

        cr__draft_copy(draft, &words, sizeof words);
    }
    cr__stats_save(stats, draft);
    if (stats->cross != NULL)
        cr__cross_save(stats->cross, draft);
}

/* Intervals are declared while they are counted: the first words of a column's dictionary become
 * declared ones where the schema has none. */
static cr_status declare(cr__stats *stats, const cr__container *container, cr_error *err)
{
    const uint64_t *words;
    const void *section;
    size_t found;
    cr_status st =
        cr__container_need(container, TAG_DECLARED, 0, stats->schema->columns * sizeof *words, 1,
                           &section, &found, err);

    words = section;
    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++) {
        cr__dict **declared = &stats->schema->column[i].declared;
        const cr__dict *dict = stats->column[i].dict;

        if (words[i] == 0 || *declared != NULL)
            continue;
        if (dict == NULL || words[i] > dict->words)
            return cr__container_damaged(container, err, "more values are declared than there are");
        st = cr__dict_new(declared, dict->seed, err);
        for (uint32_t code = 1; st == CR_OK && code <= words[i]; code++) {
            size_t length;
            const char *word = cr__dict_word(dict, code, &length);

            if ((st = cr__dict_intern(*declared, word, length, &(uint32_t){0})) != CR_OK)
                st = cr__fail_memory(err);
        }
    }
    return st;
}

cr_status cr__stats_unpack(cr__stats **out, const cr__container *container, const cr_schema *schema,
                           cr_tally *tally, cr_error *err)
{
    const void *section;
    part_head head;
    size_t found;
    cr_status st =
        cr__container_need(container, TAG_PART, 0, sizeof head, 1, &section, &found, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    memcpy(&head, section, sizeof head);
    *tally = head.tally;
    st = cr__stats_load(out, container, schema, head.rows, (size_t)head.classes, err);
    if (st == CR_OK && (st = declare(*out, container, err)) != CR_OK) {
        cr__stats_free(*out);
        *out = NULL;
    }
    return st;
}

/* Statistics as bytes, to be freed; no bytes when there are none. */
static cr_status pack(const cr__stats *stats, void **bytes, size_t *size, cr_error *err)
{
    cr__draft draft = {0};
    cr_status st;

    *bytes = NULL;
    *size = 0;
    if (stats == NULL)
        return CR_OK;
    cr__stats_pack(stats, &(cr_tally){0}, &draft);
    st = cr__draft_block(&draft, bytes, size, err);
    cr__draft_free(&draft);
    return st;
}

static cr_status unpack(cr__stats **out, const void *bytes, size_t size, const cr_schema *schema,
                        cr_error *err)
{
    cr__container container = {0};
    cr_tally tally;
    cr_status st;

    *out = NULL;
    if (size == 0)
        return CR_OK;
    if ((st = cr__container_copy(&container, bytes, size, 1, err)) == CR_OK)
        st = cr__stats_unpack(out, &container, schema, &tally, err);
    cr__container_close(&container);
    return st;
}

cr_status cr__stats_add_part(cr__stats **sum, cr__stats *other, cr_error *err)
{
    cr__stats *both = NULL, *const parts[2] = {*sum, other};
    cr_status st = CR_OK;

    if (other == NULL)
        return CR_OK;
    if (*sum == NULL) {
        *sum = other;
        return CR_OK;
    }
    st = cr__stats_sum(&both, parts, 2, err);
    cr__stats_free(*sum);
    cr__stats_free(other);
    *sum = both;
    return st;
}

static cr_status give(const cr_team *team, int to, const cr__stats *stats, uint64_t *sent,
                      cr_error *err)
{
    void *bytes;
    size_t size;
    cr_status st = pack(stats, &bytes, &size, err);

    if (st == CR_OK)
        st = cr__team_give(team, to, bytes, size, err);
    cr__free(bytes);
    *sent += size;
    return st;
}

static cr_status take(const cr_team *team, int from, cr__stats **stats, const cr_schema *schema,
                      cr_error *err)
{
    cr__stats *other = NULL;
    void *bytes;
    size_t size;
    cr_status st = cr__team_take(team, from, &bytes, &size, err);

    if (st == CR_OK)
        st = unpack(&other, bytes, size, schema, err);
    cr__free(bytes);
    return st == CR_OK ? cr__stats_add_part(stats, other, err) : st;
}

/* From the first member to all. */
static cr_status spread(const cr_team *team, cr__stats **stats, const cr_schema *schema,
                        uint64_t *sent, cr_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    cr_status st = team->rank == 0 ? pack(*stats, &bytes, &size, err) : CR_OK;

    if (st == CR_OK)
        st = cr__team_broadcast(team, &bytes, &size, err);
    if (st == CR_OK && team->rank > 0) {
        cr__stats_free(*stats);
        st = unpack(stats, bytes, size, schema, err);
        *sent += size; /* another member has sent it */
    }
    cr__free(bytes);
    return st;
}

/* Sums along a binomial tree: the first member has them all in the end. */
static cr_status climb(const cr_team *team, cr__stats **stats, const cr_schema *schema,
                       uint64_t *sent, cr_error *err)
{
    cr_status st = CR_OK;

    for (int step = 1, other; st == CR_OK && step < team->ranks; step *= 2) {
        const cr__tree_turn turn = cr__tree_turn_at(team, step, &other);

        if (turn == CR__TREE_TAKE)
            st = take(team, other, stats, schema, err);
        if (turn == CR__TREE_GIVE) {
            st = give(team, other, *stats, sent, err);
            break;
        }
    }
    return cr__team_agree(team, st, err);
}

/* --- words ----------------------------------------------------------------------------------- */

/* The classes of the sum, which the first member knows: one after another, each after its length.
 */
static cr_status share_classes(const cr_team *team, const cr__stats *sum, size_t target,
                               cr__dict **classes, cr_error *err)
{
    const cr__dict *dict = sum == NULL || target == SIZE_MAX ? NULL : sum->column[target].dict;
    cr__buffer text = {0};
    void *bytes;
    size_t size, length;
    cr_status st = cr__dict_new(classes, CR__CANONICAL_SEED, err);

    for (uint32_t code = 1; dict != NULL && code <= dict->words; code++) {
        const char *word = cr__dict_word(dict, code, &length);

        cr__buffer_add(&text, &length, sizeof length);
        cr__buffer_add(&text, word, length);
    }
    st = cr__team_agree(team, text.failed ? cr__fail_memory(err) : st, err);
    bytes = text.data;
    size = text.size;
    if (st == CR_OK)
        st = cr__team_broadcast(team, &bytes, &size, err);
    for (size_t at = 0; st == CR_OK && at < size; at += sizeof length + length) {
        memcpy(&length, (const char *)bytes + at, sizeof length);
        if (cr__dict_intern(*classes, (const char *)bytes + at + sizeof length, length,
                            &(uint32_t){0}) != CR_OK)
            st = cr__fail_memory(err);
    }
    if (team->rank > 0)
        cr__free(bytes);
    cr__buffer_free(&text);
    return cr__team_agree(team, st, err);
}

/* Map a member's classes to those of all; one that no longer occurs maps to none. */
static uint32_t *map_classes(const cr__stats *own, size_t target, const cr__dict *classes)
{
    const size_t count = own == NULL ? 0 : own->classes;
    const cr__dict *dict = own == NULL || target == SIZE_MAX ? NULL : own->column[target].dict;
    uint32_t *map = cr__alloc_zero(count + 1, sizeof *map);

    for (size_t c = 0; map != NULL && dict != NULL && c < count; c++) {
        size_t length;
        const char *word = cr__dict_word(dict, (uint32_t)c + 1, &length);

        map[c] = cr__dict_find(classes, word, length) - 1;
    }
    return map;
}

/* A bag without words, which has the documents of all, gets the words of all. */
static void put_words(cr__bag *bag, cr__bag *words)
{
    uint64_t *documents = bag->documents;

    bag->documents = words->documents;
    words->documents = documents;
    words->classes = bag->classes;
    cr__bag_free(bag);
    *bag = *words;
}

/* The words of all columns, into the sum of everything else that the first member has. */
static cr_status sum_words(const cr_team *team, const cr__stats *own, cr__stats *sum,
                           const cr_schema *schema, const cr_run *run, uint64_t *sent,
                           cr_error *err)
{
    const size_t target =
        schema->target != SIZE_MAX && schema->column[schema->target].kind == CR_SYMBOL
            ? schema->target
            : SIZE_MAX;
    cr__dict *classes = NULL;
    cr_status st = share_classes(team, sum, target, &classes, err);
    uint32_t *map = st == CR_OK ? map_classes(own, target, classes) : NULL;
    const size_t count = st != CR_OK ? 0 : target == SIZE_MAX ? 1 : classes->words;

    st = cr__team_agree(team, st == CR_OK && map == NULL ? cr__fail_memory(err) : st, err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        const cr__bag *bag = own == NULL ? NULL : own->column[i].bag;
        cr__bag total;

        if (schema->column[i].kind != CR_BAG || !cr__stats_is_feature(schema, i))
            continue;
        st = cr__team_sum_bags(team, bag, map, count, run, &total, sent, err);
        if (st == CR_OK && sum != NULL)
            put_words(sum->column[i].bag, &total);
    }
    cr__free(map);
    cr__dict_free(classes);
    return st;
}

static int has_texts(const cr_schema *schema)
{
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_BAG && cr__stats_is_feature(schema, i))
            return 1;
    return 0;
}

/* Where nothing was added to a view of a member's statistics: a copy that does not need these any
 * more. */
static cr_status stand_alone(cr__stats **stats, cr_error *err)
{
    cr__stats *copy = NULL;
    cr_status st;

    if (*stats == NULL || (*stats)->base == NULL)
        return CR_OK;
    st = cr__stats_sum(&copy, stats, 1, err);
    cr__stats_free(*stats);
    *stats = copy;
    return st;
}

/* Words by shares, all else along the tree. */
static cr_status add_all(const cr_team *team, const cr_run *run, cr__stats **stats,
                         const cr_schema *schema, uint64_t *sent, cr_error *err)
{
    cr__stats *own = *stats;
    cr_status st = CR_OK;

    if (team->ranks == 1)
        return CR_OK;
    if (!has_texts(schema))
        return climb(team, stats, schema, sent, err);
    *stats = NULL;
    if (own != NULL)
        st = cr__stats_view(stats, own, err);
    st = cr__team_agree(team, st, err);
    if (st == CR_OK)
        st = climb(team, stats, schema, sent, err);
    if (st == CR_OK)
        st = cr__team_agree(team, stand_alone(stats, err), err);
    if (st == CR_OK)
        st = sum_words(team, own, team->rank == 0 ? *stats : NULL, schema, run, sent, err);
    cr__stats_free(own);
    return st;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

cr_status cr__team_sum_stats(const cr_team *team, const cr_run *run, int first_only,
                             cr__stats **stats, const cr_schema *schema, cr_tally *tally,
                             cr_error *err)
{
    const double start = now();
    uint64_t sent = 0;
    cr_status st = add_all(team, run, stats, schema, &sent, err);

    if (st == CR_OK && !first_only)
        st = spread(team, stats, schema, &sent, err);
    st = cr__team_agree(team, st, err);
    if (st == CR_OK)
        st = cr__team_add(team, &sent, 1, err);
    tally->sent += sent;
    tally->adding += now() - start;
    if (st == CR_OK && *stats == NULL && (team->rank == 0 || !first_only))
        st = cr__fail(err, CR_EFORMAT, "there are no rows");
    if (first_only)
        st = cr__team_agree(team, st, err);
    if (st != CR_OK || (first_only && team->rank > 0)) {
        cr__stats_free(*stats);
        *stats = NULL;
    }
    return st;
}
