/* train/seen_share.c - how large a part of some rows a model has learned.
 *
 * A model keeps sums, not rows. But what is rare tells: a value, word or number of a row that the
 * model has met in one row alone, of the same class, speaks for that row, and one that it never
 * met, or met in one row of another class, speaks against it. A row that was learned has none of
 * the latter. In new rows about as many rare things are unknown as are known from one row, as the
 * next thing is new with the probability N1 / N, N1 of N having come once (Good 1953, "The
 * population frequencies of species and the estimation of population parameters"); so a new row
 * with m rare things has only known ones with a probability of about 2^-m.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/ensemble/ensemble.h"
#include "stats/table_read.h"
#include "train/recode.h"
#include "train/training.h"

enum { RARE_LEAST = 5, ROWS_LEAST = 3, BY_CHANCE = 4 };

typedef struct looking {
    const cr__stats *stats;
    const cr__table *table;
    uint32_t **map; /* [columns] codes of the table in the statistics */
    uint64_t **met; /* [columns] [words] of a text: 1 + the row that had a word last */
} looking;

typedef struct evidence {
    size_t known, strange; /* rare things for a row and against it */
} evidence;

static void weigh(evidence *e, int own, int others)
{
    if (own + others == 0 || (own == 0 && others == 1))
        e->strange++;
    else if (own == 1 && others == 0)
        e->known++;
}

/* Up to two rows, exactly; weights that are no whole numbers are no rows. */
static int few(cr__count count)
{
    const double rows = cr__count_value(count);

    return rows == 0 ? 0 : rows == 1 ? 1 : 2;
}

static void look_at_symbol(const looking *l, size_t column, uint32_t code, size_t class_index,
                           evidence *e)
{
    const uint32_t value = l->map[column][code];
    int own = 0, others = 0;

    for (size_t c = 0; value != CR__MISSING && c < l->stats->classes; c++) {
        const int rows = few(cr__stats_count(l->stats, column, value - 1, c));

        own += c == class_index ? rows : 0;
        others += c == class_index ? 0 : rows;
    }
    weigh(e, own, others);
}

static void look_at_text(const looking *l, size_t column, size_t row, size_t class_index,
                         evidence *e)
{
    const cr__table_column *text = &l->table->column[column];
    const cr__bag *bag = l->stats->column[column].bag;

    for (uint64_t i = text->start[row]; i < text->start[row + 1]; i++) {
        const uint32_t word = l->map[column][text->word[i]];
        int own = 0, others = 0;

        if (l->met[column][text->word[i]] == row + 1)
            continue;
        l->met[column][text->word[i]] = row + 1;
        for (uint64_t k = word == UINT32_MAX ? 0 : bag->row[word];
             word != UINT32_MAX && k < bag->row[word + 1]; k++) {
            const int rows = bag->cell[k].documents > 1 ? 2 : (int)bag->cell[k].documents;

            own += bag->cell[k].class_index == class_index ? rows : 0;
            others += bag->cell[k].class_index == class_index ? 0 : rows;
        }
        weigh(e, own, others);
    }
}

static void look_at_number(const cr__values *values, double x, size_t class_index, evidence *e)
{
    const uint64_t key = cr__values_key(x);
    size_t low = 0, high = values->count;
    int own = 0, others = 0;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (values->key[2 * middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < values->count && values->key[2 * low] == key; low++) {
        const int rows = few(cr__values_at(values, low));

        own += values->key[2 * low + 1] == class_index ? rows : 0;
        others += values->key[2 * low + 1] == class_index ? 0 : rows;
    }
    weigh(e, own, others);
}

static evidence look_at_row(const looking *l, size_t row, size_t class_index)
{
    evidence e = {0};

    for (size_t i = 0; i < l->table->schema->columns; i++) {
        const cr__table_column *from = &l->table->column[i];
        const cr__column_stats *to = &l->stats->column[i];

        if (!cr__stats_is_feature(l->table->schema, i))
            continue;
        if (from->kind == CR_BAG && to->bag != NULL && l->map[i] != NULL)
            look_at_text(l, i, row, class_index, &e);
        else if (from->kind == CR_SYMBOL && to->whole != NULL && l->map[i] != NULL &&
                 from->code[row] != CR__MISSING)
            look_at_symbol(l, i, from->code[row], class_index, &e);
        else if (from->kind == CR_REAL && to->values != NULL && to->values->shift == 0 &&
                 from->real[row] == from->real[row])
            look_at_number(to->values, from->real[row], class_index, &e);
    }
    return e;
}

static cr_status open_look(looking *l, cr_error *err)
{
    const size_t columns = l->table->schema->columns;

    l->map = cr__alloc_zero(columns, sizeof *l->map);
    l->met = cr__alloc_zero(columns, sizeof *l->met);
    if (l->map == NULL || l->met == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < columns; i++) {
        const cr__table_column *from = &l->table->column[i];

        if (cr__recode_column(&l->map[i], from, &l->stats->column[i]) != CR_OK)
            return cr__fail_memory(err);
        if (from->kind == CR_BAG && l->map[i] != NULL &&
            (l->met[i] = cr__alloc_zero((size_t)from->dict->words + 1, sizeof **l->met)) == NULL)
            return cr__fail_memory(err);
    }
    return CR_OK;
}

static void close_look(looking *l, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        if (l->map != NULL)
            cr__free(l->map[i]);
        if (l->met != NULL)
            cr__free(l->met[i]);
    }
    cr__free(l->map);
    cr__free(l->met);
}

/* The share of the rows that can tell, if there are more than chance explains. */
static double find_share(const looking *l)
{
    const size_t target = l->table->schema->target;
    size_t tell = 0, learned = 0;
    double by_chance = 0;

    for (size_t r = 0; r < l->table->rows; r++) {
        const uint32_t code = cr__table_code(&l->table->column[target], r),
                       value = code == CR__MISSING ? CR__MISSING : l->map[target][code];
        evidence e;

        if (value == CR__MISSING)
            continue;
        e = look_at_row(l, r, value - 1);
        if (e.known + e.strange < RARE_LEAST)
            continue;
        tell++;
        learned += e.strange == 0;
        by_chance +=
            1 / (double)((uint64_t)1 << (e.known + e.strange < 60 ? e.known + e.strange : 60));
    }
    return learned >= ROWS_LEAST && (double)learned > BY_CHANCE * by_chance
               ? (double)learned / (double)tell
               : 0;
}

cr_status cr_model_share_learned(const cr_model *model, cr_source *source, const cr_run *run,
                                 double *share, cr_error *err)
{
    const cr__ensemble *e = model->learner->of_models ? model->share->fitted : NULL;
    const cr_model *own = e != NULL && e->members > 0 ? e->member[0].model : model;
    cr__table *table = NULL;
    looking l = {0};
    cr_status st;

    *share = 0;
    if (own->learner->fit == NULL || own->learner->regresses != NULL ||
        own->schema->target == SIZE_MAX || cr__model_stats(own, &l.stats, NULL) != CR_OK)
        return CR_OK;
    if ((st = cr__source_bind(source, own->schema, 1, 0, err)) == CR_OK)
        st = cr__table_read(&table, source, own->schema, &own->recipe, run, err);
    l.table = table;
    if (st == CR_OK && (st = open_look(&l, err)) == CR_OK)
        *share = find_share(&l);
    close_look(&l, own->schema->columns);
    cr__table_free(table);
    return st;
}
