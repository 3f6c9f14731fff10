/* learners/version_space/version_space.c - candidate elimination over conjunctions.
 *
 * A hypothesis requires a value in some columns, an interval of numbers in others, and accepts
 * anything in the rest; it covers the rows that meet all its conditions. Of those that are right
 * on all rows so far, S is the most specific one (for conjunctions there is one) and G are the most
 * general ones; the others lie between (Mitchell 1982, "Generalization as search"; Machine
 * Learning, 1997, ch. 2):
 *
 *   a row of the class   removes from G what does not cover it; S drops the values it lacks, and
 *                        its intervals grow to include the row's numbers
 *   another row          S must not cover it; what covers it in G requires one more of S's values,
 *                        or ends at one of the row's numbers
 *
 * When nothing is left between S and G, no conjunction is right on all rows, and the error names
 * the row. Intervals make a hypothesis of numbers a box along the axes.
 *
 * The hypotheses between vote on rows: votes.c.
 */
#include "learners/version_space/version_space.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/registry.h"

enum { ANY = CR__SPACE_ANY };

static const cr__knob_spec knobs[] = {
    {"positive", "last", CR__KNOB_LISTED, 0, NULL,
     "the class that is being described; last: the second of the two"},
};

/* A row's value of one feature. */
typedef struct cell {
    uint32_t code;
    double x;
} cell;

void cr__space_free(void *fitted)
{
    cr__space *v = fitted;

    if (v == NULL)
        return;
    for (size_t i = 0; v->outside != NULL && i < v->features; i++)
        cr__free(v->outside[i].value);
    cr__free(v->outside);
    cr__free(v->column);
    cr__free(v->number);
    cr__free(v->special);
    cr__free(v->general);
    cr__free(v->place);
    cr__free(v);
}

static int special_covers(const cr__space *v, const cell *row)
{
    const cr__restraint *s = v->special;

    for (size_t i = 0; i < v->features; i++)
        if (v->number[i] ? cr__outside_special(&s[i], row[i].x)
                         : s[i].code != ANY && s[i].code != row[i].code)
            return 0;
    return 1;
}

static int general_covers(const cr__space *v, const cr__restraint *g, const cell *row)
{
    for (size_t i = 0; i < v->features; i++)
        if (v->number[i] ? !(g[i].low < row[i].x && row[i].x < g[i].high)
                         : g[i].code != ANY && g[i].code != row[i].code)
            return 0;
    return 1;
}

/* Whether b requires all that a requires. The ends of S belong to it, so they must lie within a. */
int cr__space_is_more_general(const cr__space *v, const cr__restraint *a, const cr__restraint *b)
{
    const int closed = b == v->special;

    for (size_t i = 0; i < v->features; i++)
        if (v->number[i] ? !(a[i].low <= b[i].low && b[i].high <= a[i].high) ||
                               (closed && (a[i].low == b[i].low || a[i].high == b[i].high))
                         : a[i].code != ANY && a[i].code != b[i].code)
            return 0;
    return 1;
}

/* --- elimination ---------------------------------------------------------------------------- */

static void keep_general(cr__space *v, size_t *kept, size_t g)
{
    const size_t n = v->features;

    if (*kept != g)
        memcpy(v->general + *kept * n, v->general + g * n, n * sizeof *v->general);
    ++*kept;
}

static void take_positive(cr__space *v, const cell *row)
{
    size_t kept = 0;

    for (size_t i = 0; i < v->features; i++) {
        cr__restraint *s = &v->special[i];

        s->code = s->code == row[i].code ? s->code : ANY;
        s->low = fmin(s->low, row[i].x);
        s->high = fmax(s->high, row[i].x);
    }
    for (size_t g = 0; g < v->generals; g++)
        if (cr__space_is_more_general(v, v->general + g * v->features, v->special))
            keep_general(v, &kept, g);
    v->generals = kept;
}

/* Whether another of G is more general than h. */
static int is_superfluous(const cr__space *v, const cr__restraint *h)
{
    for (size_t g = 0; g < v->generals; g++)
        if (cr__space_is_more_general(v, v->general + g * v->features, h))
            return 1;
    return 0;
}

/* Add one condition, so that the row is not covered; 0 when that feature cannot do it. */
static int restrict_one(const cr__space *v, cr__restraint *h, size_t i, const cell *row)
{
    const cr__restraint *s = &v->special[i];

    if (!v->number[i]) {
        if (h[i].code != ANY || s->code == ANY || s->code == row[i].code)
            return 0;
        h[i].code = s->code;
        return 1;
    }
    if (row[i].x < s->low)
        h[i].low = row[i].x;
    if (row[i].x > s->high)
        h[i].high = row[i].x;
    return cr__outside_special(s, row[i].x);
}

/* Add h, and remove those that it is more general than. */
static cr_status add_general(cr__space *v, const cr__restraint *h)
{
    const size_t n = v->features;
    size_t kept = 0;

    if (is_superfluous(v, h))
        return CR_OK;
    for (size_t g = 0; g < v->generals; g++)
        if (!cr__space_is_more_general(v, h, v->general + g * n))
            keep_general(v, &kept, g);
    v->generals = kept;
    if (v->generals == CR__SPACE_GENERAL_MOST)
        return CR_ELIMIT;
    if (!cr__grow(&v->general, &v->general_capacity, (v->generals + 1) * n, sizeof *v->general))
        return CR_ENOMEM;
    memcpy(v->general + v->generals++ * n, h, n * sizeof *h);
    return CR_OK;
}

/* A number of a row outside the class: a place where intervals may end. */
static cr_status add_outside(cr__outside *o, double x)
{
    size_t low = 0, high = o->count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (o->value[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < o->count && o->value[low] == x)
        return CR_OK;
    if (!cr__grow(&o->value, &o->capacity, o->count + 1, sizeof *o->value))
        return CR_ENOMEM;
    memmove(o->value + low + 1, o->value + low, (o->count - low) * sizeof *o->value);
    o->value[low] = x;
    o->count++;
    return CR_OK;
}

static cr_status take_negative(cr__space *v, const cell *row)
{
    const size_t n = v->features, before = v->generals;
    size_t kept = 0;
    cr__restraint *old = cr__alloc(before * n, sizeof *old), *h = cr__alloc(n, sizeof *h);
    cr_status st = old == NULL || h == NULL ? CR_ENOMEM : CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++)
        if (v->number[i] && cr__outside_special(&v->special[i], row[i].x))
            st = add_outside(&v->outside[i], row[i].x);
    if (st == CR_OK)
        memcpy(old, v->general, before * n * sizeof *old);
    for (size_t g = 0; st == CR_OK && g < before; g++)
        if (!general_covers(v, old + g * n, row))
            memcpy(v->general + kept++ * n, old + g * n, n * sizeof *old);
    if (st == CR_OK)
        v->generals = kept;
    for (size_t g = 0; st == CR_OK && g < before; g++)
        for (size_t i = 0; st == CR_OK && general_covers(v, old + g * n, row) && i < n; i++) {
            memcpy(h, old + g * n, n * sizeof *h);
            if (restrict_one(v, h, i, row))
                st = add_general(v, h);
        }
    cr__free(old);
    cr__free(h);
    return st;
}

static cr_status fail_row(const cr__table *rows, size_t r, int positive, cr_error *err)
{
    const unsigned long long line = rows->line == NULL ? r + 1 : rows->line[r];

    cr__fail(err, CR_ECONFLICT,
             "the version space is empty: the row of line %llu %s; no conjunction of values is "
             "right on it and on the others",
             line,
             positive ? "belongs to the class, and what covers it covers a row that does not"
                      : "does not belong to the class, and has all that its rows have in common");
    return cr__fail_hint(err, CR_ECONFLICT,
                         "the rows contradict each other, or the class is no "
                         "conjunction: " CR__SET("learner tree") " can learn others");
}

/* --- fit ------------------------------------------------------------------------------------ */

static cr_status choose_positive(cr__space *v, const cr__stats *stats, const cr__knobs *values,
                                 cr_error *err)
{
    const char *name = cr__knobs_text(values, "positive");
    const cr__dict *classes = stats->column[stats->schema->target].dict;
    uint32_t code;

    if (stats->classes != 2) {
        cr__fail(err, CR_EARG, "candidate elimination separates two classes; there %s %zu",
                 stats->classes == 1 ? "is" : "are", stats->classes);
        return cr__fail_hint(err, CR_EARG, CR__SET("learner tree") " takes any number of classes");
    }
    code = cr__dict_find(classes, name, strlen(name));
    v->positive = code == CR__MISSING ? 1 : code - 1;
    if (code != CR__MISSING || strcmp(name, "last") == 0)
        return CR_OK;
    return cr__fail(err, CR_EARG, "positive is '%s'; the classes are '%s' and '%s'", name,
                    cr__dict_word(classes, 1, NULL), cr__dict_word(classes, 2, NULL));
}

cr_status cr__space_lay(cr__space *v, const cr_schema *schema, cr_error *err)
{
    v->columns = schema->columns;
    v->column = cr__alloc(schema->columns, sizeof *v->column);
    v->number = cr__alloc_zero(schema->columns, sizeof *v->number);
    if (v->column == NULL || v->number == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++) {
        if (!cr__stats_is_feature(schema, i))
            continue;
        if (schema->column[i].kind == CR_BAG) {
            cr__fail(err, CR_EARG, "a conjunction of values cannot use the texts of '%s'",
                     schema->column[i].name);
            return cr__fail_hint(err, CR_EARG,
                                 CR__SET("type %s=symbol") " takes them as words, " CR__SET(
                                     "type %s=ignore") " leaves them out",
                                 schema->column[i].name, schema->column[i].name);
        }
        v->number[v->features] = schema->column[i].kind == CR_REAL;
        v->column[v->features++] = i;
    }
    v->special = cr__alloc_zero(v->features, sizeof *v->special);
    v->outside = cr__alloc_zero(v->features, sizeof *v->outside);
    return v->special == NULL || v->outside == NULL ? cr__fail_memory(err) : CR_OK;
}

/* The values of a row; 0 when it lacks one. */
static int read_row(const cr__space *v, const cr__table *rows, size_t r, cell *row)
{
    for (size_t i = 0; i < v->features; i++) {
        const cr__table_column *c = &rows->column[v->column[i]];

        row[i] = (cell){v->number[i] ? 0 : c->code[r], v->number[i] ? c->real[r] : 0};
        if (v->number[i] ? isnan(row[i].x) : row[i].code == CR__MISSING)
            return 0;
    }
    return 1;
}

static int is_positive(const cr__space *v, const cr__table *rows, size_t r)
{
    return rows->column[rows->schema->target].code[r] == v->positive + 1;
}

/* Initially S is the first row of the class and G accepts anything. Since the order of rows does
 * not change which hypotheses are right on all of them, the positive rows come first: then G
 * requires only values of S. */
static cr_status begin(cr__space *v, const cr__table *rows, cell *row, cr_error *err)
{
    for (size_t r = 0; r < rows->rows; r++)
        if (is_positive(v, rows, r) && read_row(v, rows, r, row)) {
            if (!cr__grow(&v->general, &v->general_capacity, v->features, sizeof *v->general))
                return cr__fail_memory(err);
            for (size_t f = 0; f < v->features; f++) {
                v->special[f] = (cr__restraint){row[f].code, row[f].x, row[f].x};
                v->general[f] = (cr__restraint){ANY, -INFINITY, INFINITY};
            }
            v->generals = 1;
            return CR_OK;
        }
    return cr__fail(err, CR_EFORMAT, "no complete row belongs to the class to be described");
}

static cr_status take_rows(cr__space *v, const cr__table *rows, int positive, cell *row,
                           cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < rows->rows; r++) {
        if (is_positive(v, rows, r) != positive)
            continue;
        if (!read_row(v, rows, r, row)) {
            v->left_out++;
            continue;
        }
        if (positive)
            take_positive(v, row);
        else if (special_covers(v, row))
            v->generals = 0;
        else
            st = take_negative(v, row);
        if (st == CR_ELIMIT)
            return cr__fail(err, st, "the version space has more than %d most general hypotheses",
                            CR__SPACE_GENERAL_MOST);
        if (st != CR_OK)
            return cr__fail_memory(err);
        if (v->generals == 0)
            return fail_row(rows, r, positive, err);
    }
    return st;
}

/* Copy the values of rows outside S; those that S has since included are dropped later.
 */
static cr_status resume_outside(cr__space *v, const cr__space *before, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < v->features; i++)
        for (size_t k = 0; st == CR_OK && k < before->outside[i].count; k++)
            st = add_outside(&v->outside[i], before->outside[i].value[k]);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

/* Copy what was known before, whose values may have had different codes. */
static cr_status resume(cr__space *v, const cr__space *before, const cr__fit_input *input,
                        cr_error *err)
{
    if (before->features != v->features ||
        !cr__grow(&v->general, &v->general_capacity, before->generals * v->features,
                  sizeof *v->general))
        return cr__fail_memory(err);
    v->generals = before->generals;
    v->left_out = before->left_out;
    for (size_t i = 0; i < v->features; i++) {
        const cr__dict *from = input->before_stats->column[v->column[i]].dict;
        const cr__dict *to = input->stats->column[v->column[i]].dict;

        for (size_t g = 0; g <= before->generals; g++) {
            const cr__restraint *old =
                g == before->generals ? &before->special[i] : &before->general[g * v->features + i];
            cr__restraint *now =
                g == before->generals ? &v->special[i] : &v->general[g * v->features + i];
            size_t length;
            const char *word = old->code == ANY ? NULL : cr__dict_word(from, old->code, &length);

            *now = *old;
            now->code = old->code == ANY ? ANY : cr__dict_find(to, word, length);
        }
    }
    return resume_outside(v, before, err);
}

static cr_status fit_space(cr__space *v, const cr__fit_input *input, cr_error *err)
{
    cell *row = cr__alloc(v->features, sizeof *row);
    cr_status st;

    if (row == NULL)
        return cr__fail_memory(err);
    st = input->before != NULL ? resume(v, input->before, input, err)
                               : begin(v, input->rows, row, err);
    if (st == CR_OK && input->rows != NULL)
        st = take_rows(v, input->rows, 1, row, err);
    if (st == CR_OK && input->rows != NULL)
        st = take_rows(v, input->rows, 0, row, err);
    cr__free(row);
    return st == CR_OK ? cr__space_prepare(v, err) : st;
}

static cr_status fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    cr__space *v = cr__alloc_zero(1, sizeof *v);
    cr_status st = v == NULL ? cr__fail_memory(err) : CR_OK;

    *fitted = NULL;
    if (st == CR_OK)
        st = choose_positive(v, input->stats, input->knobs, err);
    if (st == CR_OK && input->before != NULL &&
        ((const cr__space *)input->before)->positive != v->positive) {
        cr__fail(err, CR_EARG, "which class is described is fixed at training");
        st = cr__fail_hint(err, CR_EARG, "train again with positive=%s",
                           cr__knobs_text(input->knobs, "positive"));
    }
    if (st == CR_OK)
        st = cr__space_lay(v, input->stats->schema, err);
    if (st == CR_OK)
        st = fit_space(v, input, err);
    if (st != CR_OK) {
        cr__space_free(v);
        return st;
    }
    *fitted = v;
    return CR_OK;
}

/* --- getters ---------------------------------------------------------------------------------- */

static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    const cr__space *v = fitted;
    double ends = 0;

    (void)stats;
    (void)values;
    for (size_t i = 0; i < v->features; i++)
        ends += v->number[i] ? 2 : 1;
    return ends;
}

static const cr__scores scores = {.score = cr__space_score};
static const cr__explains explains = {
    .factors = cr__space_factors, .work = 3, .form = CR_FORM_VOTES};

const cr__learner cr__version_space = {
    .name = "candidate-elimination",
    .summary = "all conjunctions of values and intervals that are right on every row, which vote",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .target = CR__TARGET_CLASS,
    .needs = {.rows = CR__ROWS_ALWAYS},
    .fit = fit,
    .free = cr__space_free,
    .save = cr__space_save,
    .sections = "VSSG VSBX",
    .open = cr__space_open,
    .parameters = parameters,
    .scores = &scores,
    .explains = &explains,
    .draws = cr__space_draw,
};
