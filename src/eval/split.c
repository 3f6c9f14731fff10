/* eval/split.c - split a table into rows to learn from and rows to test on.
 *
 * Rows are drawn: within each class, of n rows in a random order, the first round(share · n) are
 * held out, with the rounding remainder carried to the next class, so that classes and the whole
 * keep their share to within one row. Groups are drawn whole, the largest first: a group is held
 * out when that brings the held-out rows of each class nearer to their share, by least squares. By
 * order, the last rows are held out; rows that tie with the last training row are training rows
 * too.
 */
#include "credence/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "data/dict.h"
#include "decide/in_order.h"
#include "eval/split.h"

#define SPLIT_SEED UINT64_C(0x73706c6974)
#define SHARE_USUAL (1.0 / 3)
#define CLASSES_PER_ROW 0.2 /* a target with more values than this is not stratified */

enum { BY_CLASS, BY_GROUP, BY_ORDER, COLUMNS };

typedef struct place { /* where a row is */
    uint32_t file;
    size_t line;
} place;

/* What a pass records about each row. */
typedef struct notes {
    size_t rows;
    place *place;
    uint32_t *code[COLUMNS]; /* of the row's value, in dict; NULL when there is no such column */
    size_t place_capacity, code_capacity[COLUMNS];
    size_t column[COLUMNS]; /* of the schema; SIZE_MAX: none */
    cr_schema *schema;
    cr__dict *dict[COLUMNS]; /* by column of the schema */
    cr__dict *files;
} notes;

static void free_notes(notes *n)
{
    for (size_t k = 0; k < COLUMNS; k++) {
        cr__free(n->code[k]);
        cr__dict_free(n->dict[k]);
    }
    cr__free(n->place);
    cr__dict_free(n->files);
    cr__schema_free(n->schema);
}

/* --- reading ---------------------------------------------------------------------------------- */

static cr_status take_batch(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    notes *n = state;
    const char *name = cr__source_chunk_name(chunk);
    const size_t rows = n->rows + batch->rows;
    uint32_t file;

    if (cr__dict_intern(n->files, name, strlen(name), &file) != CR_OK ||
        !cr__grow(&n->place, &n->place_capacity, rows, sizeof *n->place))
        return cr__fail_memory(err);
    for (size_t k = 0; k < COLUMNS; k++) {
        if (n->column[k] == SIZE_MAX)
            continue;
        if (!cr__grow(&n->code[k], &n->code_capacity[k], rows, sizeof *n->code[k]))
            return cr__fail_memory(err);
        memcpy(n->code[k] + n->rows, batch->column[n->column[k]].code,
               batch->rows * sizeof *n->code[k]);
    }
    for (size_t r = 0; r < batch->rows; r++)
        n->place[n->rows + r] = (place){file, batch->record[r].line};
    n->rows = rows;
    return CR_OK;
}

/* Record a column of the source, as words. */
static cr_status note_column(notes *n, int which, const cr_source *source, const char *name,
                             cr_error *err)
{
    const size_t known = cr_schema_find(n->schema, name);
    cr_status st = CR_OK;

    for (size_t i = 0; known == SIZE_MAX && i <= cr__source_fields(source); i++) {
        if (i == cr__source_fields(source)) {
            cr__fail(err, CR_EARG, "the data have no column '%s'", name);
            return cr__fail_hint(err, CR_EARG, "the first one is '%s'",
                                 i > 0 ? cr__source_field_name(source, 0) : "");
        }
        if (strcmp(cr__source_field_name(source, i), name) == 0)
            break;
    }
    n->column[which] = known != SIZE_MAX ? known : n->schema->columns;
    if (known == SIZE_MAX)
        st =
            cr__schema_add(n->schema, name, strlen(name), CR_SYMBOL,
                           which == BY_CLASS ? CR_ROLE_TARGET : CR_ROLE_FEATURE, CR_WHY_GIVEN, err);
    if (st == CR_OK && known == SIZE_MAX)
        st = cr__dict_new(&n->dict[n->column[which]], SPLIT_SEED, err);
    return st;
}

/* The column of the classes, or NULL where there is none. */
static const char *find_target(const cr_source *source, const cr_schema *all,
                               const cr_split_options *o)
{
    const size_t usual = cr__source_usual_target(source);

    if (o->plain || o->order != NULL)
        return NULL;
    if (o->target != NULL)
        return o->target;
    if (all->target != SIZE_MAX)
        return all->column[all->target].name;
    return usual == SIZE_MAX ? NULL : cr__source_field_name(source, usual);
}

static cr_status note_columns(notes *n, cr_source *source, const cr_split_options *o, cr_error *err)
{
    const cr_schema *all;
    const char *target;
    cr_status st = cr__source_infer(source, CR__TARGET_NONE, &all, err);

    for (size_t k = 0; k < COLUMNS; k++)
        n->column[k] = SIZE_MAX;
    if (st == CR_OK)
        st = cr__schema_new(&n->schema, err);
    if (st == CR_OK && (target = find_target(source, all, o)) != NULL)
        st = note_column(n, BY_CLASS, source, target, err);
    if (st == CR_OK && o->group != NULL)
        st = note_column(n, BY_GROUP, source, o->group, err);
    if (st == CR_OK && o->order != NULL && o->order[0] != '\0')
        st = note_column(n, BY_ORDER, source, o->order, err);
    return st;
}

static cr_status take_notes(notes *n, cr_source *source, const cr_split_options *o, cr_error *err)
{
    cr__plan plan = {.dict = n->dict, .grow = 1};
    cr_status st = cr__dict_new(&n->files, SPLIT_SEED, err);

    if (st == CR_OK)
        st = note_columns(n, source, o, err);
    if (st == CR_OK)
        st = cr__source_bind(source, n->schema, 0, 0, err);
    plan.schema = n->schema;
    if (st == CR_OK)
        st = cr__pass_in_order(source, n->schema, &plan, take_batch, n, err);
    cr__plan_forget(&plan);
    return st;
}

/* --- deciding --------------------------------------------------------------------------------- */

/* The class of each row from 0 on; missing is a class of its own. NULL: there is one class. */
static size_t count_classes(const notes *n)
{
    const cr__dict *dict = n->column[BY_CLASS] == SIZE_MAX ? NULL : n->dict[n->column[BY_CLASS]];

    return dict == NULL || (double)dict->words > CLASSES_PER_ROW * (double)n->rows
               ? 1
               : (size_t)dict->words + 1;
}

static size_t class_of(const notes *n, size_t classes, size_t row)
{
    return classes == 1 ? 0 : n->code[BY_CLASS][row];
}

static cr_status draw_rows(const notes *n, double share, cr__random *random, unsigned char *test,
                           cr_error *err)
{
    const size_t classes = count_classes(n);
    uint32_t *order = cr__alloc(n->rows, sizeof *order);
    size_t *quota = cr__alloc_zero(classes, sizeof *quota);
    double carried = 0;

    if (order == NULL || quota == NULL) {
        cr__free(order);
        cr__free(quota);
        return cr__fail_memory(err);
    }
    for (size_t r = 0; r < n->rows; r++) {
        order[r] = (uint32_t)r;
        quota[class_of(n, classes, r)]++;
    }
    for (size_t c = 0; c < classes; c++) {
        const double want = share * (double)quota[c] + carried;
        const double whole = fmin(fmax(round(want), 0), (double)quota[c]);

        carried = want - whole;
        quota[c] = (size_t)whole;
    }
    cr__random_shuffle(random, order, n->rows);
    for (size_t i = 0; i < n->rows; i++) {
        size_t *left = &quota[class_of(n, classes, order[i])];

        if (*left > 0) {
            test[order[i]] = 1;
            --*left;
        }
    }
    cr__free(order);
    cr__free(quota);
    return CR_OK;
}

typedef struct group {
    size_t first, rows; /* in a list of rows sorted by group */
    uint64_t chance;
} group;

static int largest_first(const void *pa, const void *pb)
{
    const group *a = pa, *b = pb;

    if (a->rows != b->rows)
        return a->rows > b->rows ? -1 : 1;
    return a->chance < b->chance ? -1 : a->chance > b->chance;
}

/* Rows by group: where each group begins, [groups + 1]. A row without a value is a group of its
 * own, after the others. */
static cr_status list_groups(const notes *n, uint32_t *row, group **out, size_t *count,
                             cr__random *random, cr_error *err)
{
    const uint32_t *code = n->code[BY_GROUP];
    const size_t named = n->dict[n->column[BY_GROUP]]->words;
    size_t missing = 0, at = 0;
    group *g;

    for (size_t r = 0; r < n->rows; r++)
        missing += code[r] == CR__MISSING;
    *count = named + missing;
    if ((*out = g = cr__alloc_zero(*count + 1, sizeof *g)) == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < n->rows; r++)
        if (code[r] != CR__MISSING)
            g[code[r] - 1].rows++;
    for (size_t i = 0; i < *count; i++) {
        g[i].rows = i < named ? g[i].rows : 1;
        g[i].first = at;
        g[i].chance = cr__random_next(random);
        at += g[i].rows;
        g[i].rows = 0;
    }
    missing = named;
    for (size_t r = 0; r < n->rows; r++) {
        group *own = &g[code[r] != CR__MISSING ? code[r] - 1 : missing++];

        row[own->first + own->rows++] = (uint32_t)r;
    }
    qsort(g, *count, sizeof *g, largest_first);
    return CR_OK;
}

/* Whether holding a group out brings each class nearer to its share. */
static int is_wanted(const double *have, const double *more, const double *want, size_t classes)
{
    double change = 0;

    for (size_t c = 0; c < classes; c++)
        if (more[c] > 0)
            change += more[c] * (2 * (have[c] - want[c]) + more[c]) / want[c];
    return change < 0;
}

static cr_status draw_groups(const notes *n, double share, cr__random *random, unsigned char *test,
                             cr_error *err)
{
    const size_t classes = count_classes(n);
    uint32_t *row = cr__alloc(n->rows, sizeof *row);
    double *have = cr__alloc_zero(3 * classes, sizeof *have);
    double *want = have + classes, *more = want + classes;
    group *g = NULL;
    size_t count = 0;
    cr_status st = row == NULL || have == NULL ? cr__fail_memory(err)
                                               : list_groups(n, row, &g, &count, random, err);

    for (size_t r = 0; st == CR_OK && r < n->rows; r++)
        want[class_of(n, classes, r)] += share;
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        memset(more, 0, classes * sizeof *more);
        for (size_t k = g[i].first; k < g[i].first + g[i].rows; k++)
            more[class_of(n, classes, row[k])]++;
        if (!is_wanted(have, more, want, classes))
            continue;
        for (size_t c = 0; c < classes; c++)
            have[c] += more[c];
        for (size_t k = g[i].first; k < g[i].first + g[i].rows; k++)
            test[row[k]] = 1;
    }
    cr__free(row);
    cr__free(have);
    cr__free(g);
    return st;
}

/* Hold out the last rows by the rank of their values; rows without a value come first. */
static cr_status cut_by_order(const notes *n, double share, unsigned char *test, cr_error *err)
{
    const cr__dict *dict = n->dict[n->column[BY_ORDER]];
    uint32_t *order = cr__alloc((size_t)dict->words + 1, sizeof *order);
    size_t *rank = cr__alloc_zero((size_t)dict->words + 2, sizeof *rank);
    size_t *behind = cr__alloc_zero((size_t)dict->words + 2, sizeof *behind);
    size_t cut = dict->words, held = 0;
    cr_status st = order == NULL || rank == NULL || behind == NULL || cr__dict_order(dict, order)
                       ? cr__fail_memory(err)
                       : CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < dict->words; i++)
        rank[order[i]] = i + 1;
    for (size_t r = 0; st == CR_OK && r < n->rows; r++)
        behind[rank[n->code[BY_ORDER][r]]]++;
    /* Ranks above `cut` are held out: as many as come nearest to the share from below. */
    while (st == CR_OK && cut > 0 &&
           (double)(held + behind[cut]) <= round(share * (double)n->rows)) {
        held += behind[cut];
        cut--;
    }
    for (size_t r = 0; st == CR_OK && r < n->rows; r++)
        test[r] = rank[n->code[BY_ORDER][r]] > cut;
    cr__free(order);
    cr__free(rank);
    cr__free(behind);
    return st;
}

static cr_status decide(const notes *n, const cr_split_options *o, double share,
                        unsigned char *test, cr_error *err)
{
    cr__random random;

    cr__random_seed(&random, o->seed);
    if (n->column[BY_ORDER] != SIZE_MAX)
        return cut_by_order(n, share, test, err);
    if (n->column[BY_GROUP] != SIZE_MAX)
        return draw_groups(n, share, &random, test, err);
    if (o->order == NULL)
        return draw_rows(n, share, &random, test, err);
    for (size_t r = n->rows - (size_t)round(share * (double)n->rows); r < n->rows; r++)
        test[r] = 1;
    return CR_OK;
}

static cr_status keep(cr_split *split, const notes *n, const unsigned char *test, cr_error *err)
{
    cr_status st = cr__selection_open(&split->test, err);

    for (size_t r = 0; st == CR_OK && r < n->rows; r++) {
        split->rows[test[r]]++;
        if (test[r])
            st = cr__selection_add(&split->test, cr__dict_word(n->files, n->place[r].file, NULL),
                                   n->place[r].line, err);
    }
    if (st == CR_OK && (split->rows[0] == 0 || split->rows[1] == 0)) {
        cr__fail(err, CR_ECONFLICT, "of %zu rows all would be on one side", n->rows);
        st = cr__fail_hint(err, CR_ECONFLICT, "more rows, smaller groups or another share");
    }
    return st;
}

static cr_status check_options(const cr_split_options *o, double *share, cr_error *err)
{
    *share = o->test == 0 ? SHARE_USUAL : o->test;
    if (!(*share > 0 && *share < 1)) {
        cr__fail(err, CR_EARG, "the share of rows to hold out is %g", o->test);
        return cr__fail_hint(err, CR_EARG, "a number between 0 and 1, such as 0.3");
    }
    if (o->group != NULL && o->order != NULL)
        return cr__fail(err, CR_EARG, "rows are held out by group or by order, not by both");
    return CR_OK;
}

cr_status cr_split_new(cr_split **out, cr_source *source, const cr_split_options *options,
                       cr_error *err)
{
    cr_split_options own;
    const cr_split_options *o = &own;
    unsigned char *test = NULL;
    notes n = {0};
    double share;
    cr_status st = cr__sized_take(&own, sizeof own, options, "cr_split_options", err);

    *out = NULL;
    if (st == CR_OK)
        st = check_options(o, &share, err);
    if (st == CR_OK)
        st = take_notes(&n, source, o, err);
    if (st == CR_OK && ((test = cr__alloc_zero(n.rows + 1, 1)) == NULL ||
                        (*out = cr__alloc_zero(1, sizeof **out)) == NULL))
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = decide(&n, o, share, test, err);
    if (st == CR_OK)
        st = keep(*out, &n, test, err);
    if (st != CR_OK) {
        cr_split_free(*out);
        *out = NULL;
    }
    cr__free(test);
    free_notes(&n);
    return st;
}

void cr_split_free(cr_split *split)
{
    if (split == NULL)
        return;
    cr__selection_close(&split->test);
    cr__free(split);
}

uint64_t cr_split_rows(const cr_split *split, cr_side side)
{
    return split->rows[side == CR_SIDE_TEST];
}

void cr_source_keep(cr_source *source, const cr_split *split, cr_side side)
{
    cr__source_select(source, split == NULL ? NULL : &split->test, side == CR_SIDE_TEST);
}
