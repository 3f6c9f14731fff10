/* decide/changes.c - which changes of a row would change its decision.
 *
 * Each feature is changed alone, with the others fixed: counterfactual explanations with one
 * feature each (Wachter, Mittelstadt and Russell, "Counterfactual explanations without opening the
 * black box", 2017). Only decisions are used, so it works for every learner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/explain.h"
#include "data/bins.h"
#include "decide/explain_members.h"
#include "decide/row.h"

enum {
    STEPS = 16,  /* numbers tried in a standard deviation */
    REACH = 4,   /* standard deviations from the mean */
    HALVES = 60, /* of a step, to find where the decision changes */
    DIGITS = 2,  /* a number is given to a hundredth of the standard deviation */
    WORDS = 20   /* most words left out of a text */
};

typedef struct search {
    cr_row *row;
    const cr_rule *rule;
    double *posterior; /* [classes] */
    int32_t decision;  /* for the unchanged row */
    int32_t rival;     /* the next most probable class */
    cr_changes *found;
} search;

/* --- trying ----------------------------------------------------------------------------------- */

/* Whether the current row gets a different decision, returned in *d. */
static int is_other(search *s, cr_decision *d)
{
    return cr_row_classify(s->row, s->rule, s->posterior, d) == CR_OK &&
           d->decision != s->decision && d->decision != CR_UNDECIDED;
}

static int real_is_other(search *s, size_t column, double x, cr_decision *d)
{
    s->row->real[column] = x;
    return is_other(s, d);
}

static cr_change *add(search *s, size_t column, const cr_decision *d, double distance)
{
    cr_change *c = &s->found->change[s->found->count++];

    *c = (cr_change){.column = column,
                     .name = s->row->model->schema->column[column].name,
                     .number = NAN,
                     .decision = d->decision,
                     .probability = s->posterior[d->decision],
                     .distance = distance};
    return c;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* The next decimal number from x on, upwards or downwards, with this many digits after the
 * point. */
static double round_away(double x, int digits, int up)
{
    const double power = pow(10, abs(digits));
    const double scaled = digits >= 0 ? x * power : x / power;
    const double whole = up ? ceil(scaled) : floor(scaled);

    return digits >= 0 ? whole / power : whole * power;
}

/* Between `same`, where the decision is as it was, and `other`, where it is not: the boundary,
 * found by bisection. */
static double find_edge(search *s, size_t column, double same, double other)
{
    cr_decision d;

    for (int i = 0; i < HALVES; i++) {
        const double middle = same + (other - same) / 2;

        if (middle == same || middle == other)
            break;
        if (real_is_other(s, column, middle, &d))
            other = middle;
        else
            same = middle;
    }
    return other;
}

/* A short number beyond the boundary, but not beyond the number that was tried. */
static double shorten(search *s, size_t column, double edge, double tried, double deviation)
{
    const int up = tried >= edge, first = DIGITS - (int)floor(log10(deviation));
    cr_decision d;

    for (int digits = first; digits < first + 12; digits++) {
        const double x = round_away(edge, digits, up);

        if (isfinite(x) && (up ? x <= tried : x >= tried) && real_is_other(s, column, x, &d))
            return x;
    }
    return edge;
}

/* The nearest number with another decision, on either side; NaN: there is none within range. */
static double find_number(search *s, size_t column, double from, double mean, double deviation)
{
    const double step = deviation / STEPS, low = mean - REACH * deviation,
                 high = mean + REACH * deviation;
    const double most = ceil(fmax(from - low, high - from) / step);
    cr_decision d;

    for (double k = 1; k <= most; k++)
        for (int side = 0; side < 2; side++) {
            const double sign = side == 0 ? 1 : -1, x = from + sign * k * step;

            if ((side == 0 ? x - step < high : x + step > low) && real_is_other(s, column, x, &d))
                return shorten(s, column, find_edge(s, column, x - sign * step, x), x, deviation);
        }
    return NAN;
}

/* For a missing number the search begins at the mean. */
static cr_status change_number(search *s, size_t column)
{
    const double was = s->row->real[column];
    double mean, deviation, x, from;
    cr_decision d;

    if (cr_model_moments(s->row->model, column, &mean, &deviation) != CR_OK || !isfinite(mean) ||
        !isfinite(deviation) || !(deviation > 0))
        return CR_OK;
    from = isnan(was) ? mean : was;
    x = isnan(was) && real_is_other(s, column, mean, &d)
            ? mean
            : find_number(s, column, from, mean, deviation);
    if (!isnan(x) && real_is_other(s, column, x, &d)) {
        cr_change *c = add(s, column, &d, fabs(x - from) / deviation);

        c->number = x;
    }
    s->row->real[column] = was;
    return CR_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Put a value into the row: its code, or a number of the interval that it names. */
static int put_value(cr_row *row, size_t column, size_t value)
{
    const char *name = cr_model_value(row->model, column, value);
    double low, high;

    if (row->batch.column[column].kind == CR_SYMBOL) {
        row->code[column] = (uint32_t)value + 1;
        return 1;
    }
    if (name == NULL || !cr__interval_of_name(name, strlen(name), &low, &high))
        return 0;
    row->real[column] = isfinite(high) ? high : nextafter(low, INFINITY);
    return 1;
}

/* The value with the most certain decision among those with a different one. */
static cr_status change_value(search *s, size_t column)
{
    const double real = s->row->real[column];
    const uint32_t code = s->row->code[column];
    const size_t values = cr_model_values(s->row->model, column);
    size_t best = SIZE_MAX;
    double most = -1;
    cr_decision d;

    for (size_t v = 0; v < values; v++)
        if (put_value(s->row, column, v) && is_other(s, &d) && s->posterior[d.decision] > most) {
            best = v;
            most = s->posterior[d.decision];
        }
    if (best != SIZE_MAX && put_value(s->row, column, best) && is_other(s, &d))
        add(s, column, &d, 1)->value = cr_model_value(s->row->model, column, best);
    s->row->real[column] = real;
    s->row->code[column] = code;
    return CR_OK;
}

/* --- texts ------------------------------------------------------------------------------------ */

typedef struct weighed {
    size_t word;
    double odds; /* how strongly it supports the decision */
} weighed;

static int strongest_first(const void *a, const void *b)
{
    const weighed *x = a, *y = b;

    if (x->odds != y->odds)
        return x->odds > y->odds ? -1 : 1;
    return x->word < y->word ? -1 : x->word > y->word;
}

/* The words of a text that support the decision against the rival, the strongest first. */
static weighed *weigh_words(const search *s, size_t column, const uint32_t *word, size_t n,
                            size_t *count)
{
    const cr_model *model = s->row->model;
    cr_word_share *share = cr__alloc(n, sizeof *share);
    double *work = cr__alloc(n * model->classes, sizeof *work);
    weighed *list = cr__alloc(n, sizeof *list);

    *count = 0;
    if (share != NULL && work != NULL && list != NULL) {
        n = model->learner->has_words->shares(model->share->fitted, column, word, n, share, work);
        for (size_t i = 0; i < n; i++) {
            const double odds = share[i].log_p[s->decision] - share[i].log_p[s->rival];

            if (odds > 0)
                list[(*count)++] = (weighed){share[i].word, odds};
        }
        if (*count > 0)
            qsort(list, *count, sizeof *list, strongest_first);
    } else {
        cr__free(list);
        list = NULL;
    }
    cr__free(share);
    cr__free(work);
    return list;
}

/* Remove a word from the row's text, wherever it occurs. */
static void leave_out(cr__batch_column *text, size_t word)
{
    uint32_t kept = text->start[0];

    for (uint32_t i = text->start[0]; i < text->start[1]; i++)
        if (text->word[i] != (uint32_t)word)
            text->word[kept++] = text->word[i];
    text->start[1] = kept;
}

/* Remove words, the strongest first, until the decision changes. */
static cr_status leave_words(search *s, size_t column, const weighed *list, size_t count)
{
    cr__batch_column *text = &s->row->batch.column[column];
    cr_decision d;

    for (size_t n = 0; n < count && n < WORDS; n++) {
        cr_change *c;
        size_t *word;

        leave_out(text, list[n].word);
        if (!is_other(s, &d))
            continue;
        if ((word = cr__alloc(n + 1, sizeof *word)) == NULL)
            return CR_ENOMEM;
        for (size_t i = 0; i <= n; i++)
            word[i] = list[i].word;
        c = add(s, column, &d, (double)n + 1);
        c->words = n + 1;
        c->word = word;
        return CR_OK;
    }
    return CR_OK;
}

static cr_status change_text(search *s, size_t column)
{
    cr__batch_column *text = &s->row->batch.column[column];
    const uint32_t start = text->start[0], end = text->start[1];
    const size_t n = end - start, size = n * sizeof *text->word;
    uint32_t *kept = n == 0 ? NULL : cr__alloc(n, sizeof *kept);
    weighed *list = NULL;
    size_t count = 0;
    cr_status st = CR_OK;

    if (n == 0 || s->rival == CR_UNDECIDED || s->row->model->learner->has_words == NULL ||
        s->row->code[column] == CR__MISSING) {
        cr__free(kept);
        return CR_OK;
    }
    if (kept == NULL || n > SIZE_MAX / sizeof *s->posterior / s->row->model->classes)
        st = CR_ENOMEM;
    if (st == CR_OK) {
        memcpy(kept, text->word + start, size);
        if ((list = weigh_words(s, column, kept, n, &count)) == NULL)
            st = CR_ENOMEM;
        else
            st = leave_words(s, column, list, count);
        memcpy(text->word + start, kept, size);
        text->start[1] = end;
    }
    cr__free(list);
    cr__free(kept);
    return st;
}

/* --- the row ---------------------------------------------------------------------------------- */

static cr_status change_column(search *s, size_t column)
{
    const cr_model *model = s->row->model;

    if (model->schema->column[column].role != CR_ROLE_FEATURE)
        return CR_OK;
    switch (model->schema->column[column].kind) {
    case CR_REAL:
        return cr_model_has_values(model, column) ? change_value(s, column)
                                                  : change_number(s, column);
    case CR_SYMBOL: return change_value(s, column);
    case CR_BAG: return change_text(s, column);
    default: return CR_OK;
    }
}

static int nearest_first(const void *a, const void *b)
{
    const cr_change *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->column < y->column ? -1 : 1;
}

void cr_changes_free(cr_changes *changes)
{
    for (size_t i = 0; changes != NULL && i < changes->count; i++)
        cr__free(changes->change[i].word);
    cr__free(changes == NULL ? NULL : changes->change);
    cr__free(changes);
}

static cr_status open_search(search *s, cr_error *err)
{
    const cr_model *model = s->row->model;
    cr_decision d;
    cr_status st;

    s->posterior = cr__alloc(model->classes, sizeof *s->posterior);
    s->found = cr__alloc_zero(1, sizeof *s->found);
    if (s->found != NULL)
        s->found->change = cr__alloc(model->schema->columns, sizeof *s->found->change);
    if (s->posterior == NULL || s->found == NULL || s->found->change == NULL)
        return cr__fail_memory(err);
    if ((st = cr_row_classify(s->row, s->rule, s->posterior, &d)) != CR_OK)
        return cr__fail(err, st, "the row has no decision that could change");
    s->decision = d.decision;
    s->rival = cr__second_best(s->posterior, model->classes, d.decision);
    return CR_OK;
}

cr_status cr_row_changes(cr_row *row, const cr_rule *rule, cr_changes **out, cr_error *err)
{
    search s = {.row = row, .rule = rule};
    cr_status st = open_search(&s, err);

    *out = NULL;
    for (size_t i = 0; st == CR_OK && i < row->batch.columns; i++)
        if ((st = change_column(&s, i)) != CR_OK)
            cr__fail_memory(err);
    cr__free(s.posterior);
    if (st != CR_OK) {
        cr_changes_free(s.found);
        return st;
    }
    if (s.found->count > 0)
        qsort(s.found->change, s.found->count, sizeof *s.found->change, nearest_first);
    *out = s.found;
    return CR_OK;
}

/* --- the row of an explanation ---------------------------------------------------------------- */

static cr_status take_words(cr_row *row, const cr__batch_column *from, size_t r, size_t column)
{
    const size_t n = from->start[r + 1] - from->start[r];
    uint32_t *word;

    cr__batch_no_text(&row->batch, 0, column);
    row->code[column] = from->code[r];
    if (n == 0)
        return CR_OK;
    if ((word = cr__batch_words(&row->batch, 0, column, n)) == NULL)
        return CR_ENOMEM;
    memcpy(word, from->word + from->start[r], n * sizeof *word);
    row->start[2 * column + 1] += (uint32_t)n;
    return CR_OK;
}

cr_status cr_row_take(cr_row *row, const cr_explanation *e)
{
    const cr__batch *batch = e->inside;
    cr_status st = CR_OK;

    if (batch == NULL || batch->columns != row->batch.columns)
        return CR_EARG;
    cr_row_clear(row);
    for (size_t i = 0; st == CR_OK && i < batch->columns; i++) {
        const cr__batch_column *from = &batch->column[i];

        if (row->cell[i].use == CR__CELL_TEXT && e->members > 0)
            st = CR_EARG; /* which needs the text itself */
        else if (row->cell[i].use == CR__CELL_TEXT)
            st = take_words(row, from, e->inside_row, i);
        else if (row->cell[i].use == CR__CELL_REAL && from->real != NULL)
            row->real[i] = from->real[e->inside_row];
        else if (row->cell[i].use == CR__CELL_SYMBOL && from->code != NULL)
            row->code[i] = from->code[e->inside_row];
    }
    return st;
}
