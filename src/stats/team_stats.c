/* stats/team_stats.c - statistics travel as the sections of a model file, and are added exactly:
 * the sum has the same bytes whatever the number of members. */
#include "stats/team_stats.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stats/cross_sections.h"
#include "stats/stats_sections.h"

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

/* Statistics as bytes, to be freed; none are no bytes. */
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

static cr_status give(const cr_team *team, int to, const cr__stats *stats, cr_error *err)
{
    void *bytes;
    size_t size;
    cr_status st = pack(stats, &bytes, &size, err);

    if (st == CR_OK)
        st = cr__team_give(team, to, bytes, size, err);
    cr__free(bytes);
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
                        cr_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    cr_status st = team->rank == 0 ? pack(*stats, &bytes, &size, err) : CR_OK;

    if (st == CR_OK)
        st = cr__team_broadcast(team, &bytes, &size, err);
    if (st == CR_OK && team->rank > 0) {
        cr__stats_free(*stats);
        st = unpack(stats, bytes, size, schema, err);
    }
    cr__free(bytes);
    return st;
}

cr_status cr__team_sum_stats(const cr_team *team, cr__stats **stats, const cr_schema *schema,
                             cr_error *err)
{
    cr_status st = CR_OK;

    for (int step = 1, other; st == CR_OK && step < team->ranks; step *= 2) {
        const cr__tree_turn turn = cr__tree_turn_at(team, step, &other);

        if (turn == CR__TREE_TAKE)
            st = take(team, other, stats, schema, err);
        if (turn == CR__TREE_GIVE) {
            st = give(team, other, *stats, err);
            break;
        }
    }
    st = cr__team_agree(team, st, err);
    if (st == CR_OK)
        st = spread(team, stats, schema, err);
    st = cr__team_agree(team, st, err);
    if (st == CR_OK && *stats == NULL)
        st = cr__fail(err, CR_EFORMAT, "there are no rows");
    if (st != CR_OK) {
        cr__stats_free(*stats);
        *stats = NULL;
    }
    return st;
}
