/* learners/version_space/version_space.c - candidate elimination over conjunctions of values.
 *
 * A hypothesis asks for a value in some columns and takes any in the others; it says yes to rows
 * that have all these values. Of the hypotheses that are right on all rows so far, S is the most
 * specific one (for conjunctions there is one) and G are the most general ones; the others lie
 * between (Mitchell 1982, "Generalization as search"; Machine Learning, 1997, ch. 2):
 *
 *   a row of the class   drops from G what does not cover it; S gives up the values it lacks
 *   another row          S must not cover it; what covers it in G asks for one more of S's values
 *
 * When S and G have nothing between them, no conjunction is right on all rows, and the row is
 * named.
 *
 * The hypotheses between vote on rows: votes.c.
 */
#include "learners/version_space/version_space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "learners/registry.h"

enum { ANY = CR__SPACE_ANY };

static const cr__knob_spec knobs[] = {
    {"positive", "last", CR__KNOB_LISTED, 0, NULL,
     "the class that is being described; last: the second of the two"},
};

static void free_space(void *fitted)
{
    cr__space *v = fitted;

    if (v == NULL)
        return;
    cr__free(v->column);
    cr__free(v->special);
    cr__free(v->general);
    cr__free(v);
}

static int covers(const cr__space *v, const uint32_t *h, const uint32_t *row)
{
    for (size_t i = 0; i < v->features; i++)
        if (h[i] != ANY && h[i] != row[i])
            return 0;
    return 1;
}

/* Whether whatever b covers, a covers: all that a asks for, b asks for. */
static int is_more_general(const cr__space *v, const uint32_t *a, const uint32_t *b)
{
    for (size_t i = 0; i < v->features; i++)
        if (a[i] != ANY && a[i] != b[i])
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

static void take_positive(cr__space *v, const uint32_t *row)
{
    size_t kept = 0;

    for (size_t i = 0; i < v->features; i++)
        if (v->special[i] != row[i])
            v->special[i] = ANY;
    for (size_t g = 0; g < v->generals; g++)
        if (is_more_general(v, v->general + g * v->features, v->special))
            keep_general(v, &kept, g);
    v->generals = kept;
}

/* Whether another of G is more general than the last one of them. */
static int is_superfluous(const cr__space *v, const uint32_t *h)
{
    for (size_t g = 0; g < v->generals; g++)
        if (is_more_general(v, v->general + g * v->features, h))
            return 1;
    return 0;
}

static cr_status take_negative(cr__space *v, const uint32_t *row)
{
    const size_t n = v->features, before = v->generals;
    size_t kept = 0;
    uint32_t *old = cr__alloc(before * n, sizeof *old), *h = cr__alloc(n, sizeof *h);
    cr_status st = old == NULL || h == NULL ? CR_ENOMEM : CR_OK;

    if (st == CR_OK)
        memcpy(old, v->general, before * n * sizeof *old);
    for (size_t g = 0; st == CR_OK && g < before; g++)
        if (!covers(v, old + g * n, row))
            memcpy(v->general + kept++ * n, old + g * n, n * sizeof *old);
    if (st == CR_OK)
        v->generals = kept;
    for (size_t g = 0; st == CR_OK && g < before; g++)
        for (size_t i = 0; st == CR_OK && covers(v, old + g * n, row) && i < n; i++) {
            if (old[g * n + i] != ANY || v->special[i] == ANY || v->special[i] == row[i])
                continue;
            memcpy(h, old + g * n, n * sizeof *h);
            h[i] = v->special[i];
            if (is_superfluous(v, h))
                continue;
            if (v->generals == CR__SPACE_GENERAL_MOST)
                st = CR_ELIMIT;
            else if (!cr__grow(&v->general, &v->general_capacity, (v->generals + 1) * n,
                               sizeof *v->general))
                st = CR_ENOMEM;
            else
                memcpy(v->general + v->generals++ * n, h, n * sizeof *h);
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
        cr__fail(err, CR_EARG, "candidate elimination tells one class from another; there %s %zu",
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

static cr_status lay(cr__space *v, const cr_schema *schema, cr_error *err)
{
    v->columns = schema->columns;
    v->column = cr__alloc(schema->columns, sizeof *v->column);
    if (v->column == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++) {
        if (!cr__stats_is_feature(schema, i))
            continue;
        if (schema->column[i].kind != CR_SYMBOL) {
            cr__fail(err, CR_EARG, "a conjunction of values cannot ask for %s of '%s'",
                     schema->column[i].kind == CR_REAL ? "the numbers" : "the texts",
                     schema->column[i].name);
            return cr__fail_hint(err, CR_EARG,
                                 CR__SET("type %s=symbol") " takes them as words, " CR__SET(
                                     "type %s=ignore") " leaves them out",
                                 schema->column[i].name, schema->column[i].name);
        }
        v->column[v->features++] = i;
    }
    v->special = cr__alloc_zero(v->features, sizeof *v->special);
    return v->special == NULL ? cr__fail_memory(err) : CR_OK;
}

/* The codes of a row; 0 when it lacks a value. */
static int read_row(const cr__space *v, const cr__table *rows, size_t r, uint32_t *code)
{
    for (size_t i = 0; i < v->features; i++)
        if ((code[i] = rows->column[v->column[i]].code[r]) == CR__MISSING)
            return 0;
    return 1;
}

static int is_positive(const cr__space *v, const cr__table *rows, size_t r)
{
    return rows->column[rows->schema->target].code[r] == v->positive + 1;
}

/* S is the first row of the class and G takes anything, until rows say otherwise. As the order of
 * rows does not change what is right on all of them, the positive ones are taken first: then G
 * asks for values of S only. */
static cr_status begin(cr__space *v, const cr__table *rows, cr_error *err)
{
    for (size_t r = 0; r < rows->rows; r++)
        if (is_positive(v, rows, r) && read_row(v, rows, r, v->special)) {
            if (!cr__grow(&v->general, &v->general_capacity, v->features, sizeof *v->general))
                return cr__fail_memory(err);
            for (size_t f = 0; f < v->features; f++)
                v->general[f] = 0;
            v->generals = 1;
            return CR_OK;
        }
    return cr__fail(err, CR_EFORMAT, "no complete row belongs to the class to be described");
}

static cr_status take_rows(cr__space *v, const cr__table *rows, int positive, uint32_t *code,
                           cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < rows->rows; r++) {
        if (is_positive(v, rows, r) != positive)
            continue;
        if (!read_row(v, rows, r, code)) {
            v->left_out++;
            continue;
        }
        if (positive)
            take_positive(v, code);
        else if (covers(v, v->special, code))
            v->generals = 0;
        else
            st = take_negative(v, code);
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

/* Take over what was known before, whose values may have had other codes. */
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
            const uint32_t old =
                g == before->generals ? before->special[i] : before->general[g * v->features + i];
            uint32_t *now =
                g == before->generals ? &v->special[i] : &v->general[g * v->features + i];
            size_t length;
            const char *word = old == ANY ? NULL : cr__dict_word(from, old, &length);

            *now = old == ANY ? ANY : cr__dict_find(to, word, length);
        }
    }
    return CR_OK;
}

/* Columns that some hypothesis of G asks for. */
static size_t asked_for(const cr__space *v)
{
    size_t columns = 0;

    for (size_t i = 0; i < v->features; i++) {
        int asked = 0;

        for (size_t g = 0; g < v->generals; g++)
            asked |= v->general[g * v->features + i] != ANY;
        columns += (size_t)asked;
    }
    return columns;
}

static cr_status fit_space(cr__space *v, const cr__fit_input *input, cr_error *err)
{
    uint32_t *code = cr__alloc(v->features, sizeof *code);
    cr_status st;

    if (code == NULL)
        return cr__fail_memory(err);
    st = input->before != NULL ? resume(v, input->before, input, err) : begin(v, input->rows, err);
    if (st == CR_OK && input->rows != NULL)
        st = take_rows(v, input->rows, 1, code, err);
    if (st == CR_OK && input->rows != NULL)
        st = take_rows(v, input->rows, 0, code, err);
    cr__free(code);
    if (st == CR_OK && asked_for(v) > CR__SPACE_COUNTED_MOST) {
        cr__fail(err, CR_ELIMIT,
                 "the most general hypotheses ask for %zu columns; votes can be counted over %d",
                 asked_for(v), CR__SPACE_COUNTED_MOST);
        st = cr__fail_hint(err, CR_ELIMIT, CR__SET("type COLUMN=ignore") " leaves a column out");
    }
    return st;
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
        cr__fail(err, CR_EARG, "which class is described is settled by training");
        st = cr__fail_hint(err, CR_EARG, "train again with positive=%s",
                           cr__knobs_text(input->knobs, "positive"));
    }
    if (st == CR_OK)
        st = lay(v, input->stats->schema, err);
    if (st == CR_OK)
        st = fit_space(v, input, err);
    if (st != CR_OK) {
        free_space(v);
        return st;
    }
    *fitted = v;
    return CR_OK;
}

/* --- the model file ------------------------------------------------------------------------- */

/*   VSSG      u64 features, hypotheses of G, positive class, rows left out; u32 S, then G */
#define TAG_SPACE CR__TAG('V', 'S', 'S', 'G')

typedef struct head {
    uint64_t features, generals, positive, left_out;
} head;

static void save(const void *fitted, cr__draft *draft)
{
    const cr__space *v = fitted;
    const head h = {v->features, v->generals, v->positive, v->left_out};

    cr__draft_section_begin(draft, TAG_SPACE, 0);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_borrow(draft, v->special, v->features * sizeof *v->special);
    cr__draft_borrow(draft, v->general, v->generals * v->features * sizeof *v->general);
}

static cr_status read_space(cr__space *v, const cr__container *container, const size_t *values,
                            cr_error *err)
{
    const void *section;
    const char *bytes;
    size_t size;
    head h;
    cr_status st = cr__container_need(container, TAG_SPACE, 0, sizeof h, 0, &section, &size, err);

    if (st != CR_OK)
        return st;
    bytes = section;
    memcpy(&h, bytes, sizeof h);
    if (h.features != v->features || h.generals == 0 || h.generals > CR__SPACE_GENERAL_MOST ||
        h.positive > 1 ||
        size - sizeof h != (size_t)(h.generals + 1) * v->features * sizeof(uint32_t))
        return cr__container_damaged(container, err, "its version space makes no sense");
    v->positive = (size_t)h.positive;
    v->left_out = h.left_out;
    v->generals = (size_t)h.generals;
    if (!cr__grow(&v->general, &v->general_capacity, v->generals * v->features, sizeof *v->general))
        return cr__fail_memory(err);
    memcpy(v->special, bytes + sizeof h, v->features * sizeof *v->special);
    memcpy(v->general, bytes + sizeof h + v->features * sizeof *v->special,
           v->generals * v->features * sizeof *v->general);
    for (size_t i = 0; i < v->features; i++)
        if (v->special[i] > values[v->column[i]])
            return cr__container_damaged(container, err,
                                         "its version space has an impossible value");
    for (size_t g = 0; g < v->generals; g++)
        if (!is_more_general(v, v->general + g * v->features, v->special))
            return cr__container_damaged(container, err, "its version space is empty");
    return asked_for(v) <= CR__SPACE_COUNTED_MOST
               ? CR_OK
               : cr__container_damaged(container, err, "its version space is impossibly large");
}

static cr_status open_space(void **fitted, const cr__container *container, const cr_schema *schema,
                            const size_t *values, size_t classes, cr_error *err)
{
    cr__space *v = cr__alloc_zero(1, sizeof *v);
    cr_status st;

    *fitted = NULL;
    if (v == NULL)
        return cr__fail_memory(err);
    st = classes != 2 || lay(v, schema, NULL) == CR_EARG
             ? cr__container_damaged(container, err, "its version space makes no sense")
             : CR_OK;
    if (st == CR_OK && v->special == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = read_space(v, container, values, err);
    if (st != CR_OK) {
        free_space(v);
        return st;
    }
    *fitted = v;
    return CR_OK;
}

/* --- looking in ----------------------------------------------------------------------------- */

static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    (void)stats;
    (void)values;
    return (double)((const cr__space *)fitted)->features;
}

/* "sky=sunny, wind=strong"; "anything" when it asks for nothing. */
static cr_status draw_hypothesis(const cr__space *v, const uint32_t *h, const cr_schema *schema,
                                 cr__dict *const *dict, cr__line_visit *line, void *context,
                                 cr_error *err)
{
    cr__buffer text = {0};
    cr_status st = CR_OK;

    for (size_t i = 0; i < v->features; i++) {
        const char *name = schema->column[v->column[i]].name, *word;

        if (h[i] == ANY)
            continue;
        word = cr__dict_word(dict[v->column[i]], h[i], NULL);
        if (text.size > 0)
            cr__buffer_add(&text, ", ", 2);
        cr__buffer_add(&text, name, strlen(name));
        cr__buffer_add(&text, "=", 1);
        cr__buffer_add(&text, word, strlen(word));
    }
    if (text.size == 0)
        cr__buffer_add(&text, "anything", 8);
    cr__buffer_add(&text, "", 1);
    if (text.failed)
        st = cr__fail_memory(err);
    else
        line(context, 1, text.data);
    cr__buffer_free(&text);
    return st;
}

static cr_status draw(const void *fitted, const cr_schema *schema, cr__dict *const *dict,
                      cr__line_visit *line, void *context, cr_error *err)
{
    const cr__space *v = fitted;
    char text[160];
    cr_status st;

    snprintf(text, sizeof text, "S, the most specific description of '%.60s'",
             cr__dict_word(dict[schema->target], (uint32_t)v->positive + 1, NULL));
    line(context, 0, text);
    if ((st = draw_hypothesis(v, v->special, schema, dict, line, context, err)) != CR_OK)
        return st;
    snprintf(text, sizeof text, "G, the most general: %zu", v->generals);
    line(context, 0, text);
    for (size_t g = 0; st == CR_OK && g < v->generals; g++)
        st = draw_hypothesis(v, v->general + g * v->features, schema, dict, line, context, err);
    if (st == CR_OK && v->left_out > 0) {
        snprintf(text, sizeof text, "rows that lack a value and were left out: %llu",
                 (unsigned long long)v->left_out);
        line(context, 0, text);
    }
    return st;
}

static const cr__scores scores = {.score = cr__space_score};
static const cr__explains explains = {
    .factors = cr__space_factors, .work = 3, .form = CR_FORM_VOTES};

const cr__learner cr__version_space = {
    .name = "candidate-elimination",
    .summary = "all conjunctions of values that are right on every row, which vote",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .target = CR__TARGET_CLASS,
    .needs = {.rows = CR__ROWS_ALWAYS},
    .fit = fit,
    .free = free_space,
    .save = save,
    .sections = "VSSG",
    .open = open_space,
    .parameters = parameters,
    .scores = &scores,
    .explains = &explains,
    .draws = draw,
};
