/* belief/hypotheses_read.c - hypotheses from a table: which column means what, and its numbers. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "credence/spec.h"
#include "credence/hypothesis.h"
#include "source/word_table.h"

#define ABSENT SIZE_MAX

static size_t find_column(const cr__texts *t, const char *name, size_t length)
{
    for (size_t i = 0; i < t->columns; i++)
        if (strncasecmp(t->column[i], name, length) == 0 && t->column[i][length] == '\0')
            return i;
    return ABSENT;
}

static size_t find_named(const cr__texts *t, const char *name)
{
    return find_column(t, name, strlen(name));
}

/* --- numbers ------------------------------------------------------------------------------ */

typedef enum number_kind { PROBABILITY, WEIGHT, LOG } number_kind;

/* A number or a fraction; as a log also minus infinity. */
static int read_number(const char *text, number_kind kind, double *out)
{
    const char *slash = strchr(text, '/');
    double top, bottom;

    if (kind == LOG && (strcasecmp(text, "-inf") == 0 || strcasecmp(text, "-infinity") == 0)) {
        *out = -INFINITY;
        return 1;
    }
    if (slash == NULL)
        return cr__texts_number(text, strlen(text), out);
    if (!cr__texts_number(text, (size_t)(slash - text), &top) ||
        !cr__texts_number(slash + 1, strlen(slash + 1), &bottom) || bottom == 0)
        return 0;
    *out = top / bottom;
    return isfinite(*out);
}

static cr_status number_at(const cr__texts *t, size_t row, size_t column, number_kind kind,
                           double *out, cr_error *err)
{
    static const char *const wanted[] = {[PROBABILITY] =
                                             "a probability: a number or fraction, 0 to 1",
                                         [WEIGHT] = "a number or fraction, 0 or more",
                                         [LOG] = "the natural log of a probability, or -inf"};
    const char *text = t->cell[row * t->columns + column];
    const int sound = text != NULL && read_number(text, kind, out) &&
                      (kind == LOG || (*out >= 0 && (kind == WEIGHT || *out <= 1)));

    return sound ? CR_OK : cr__texts_fail(t, row, column, wanted[kind], err);
}

/* --- which column means what -------------------------------------------------------------- */

typedef struct meaning {
    cr__texts table;
    const cr_hypotheses_options *options;
    size_t name, prior, posterior, vote;
    unsigned char *used; /* [columns] not classes */
} meaning;

static cr_status fail_column(const cr__texts *t, cr_status st, const char *what, const char *name,
                             size_t length, cr_error *err)
{
    char wanted[64];
    cr_nearest near = (cr_nearest){.wanted = cr__printable(wanted, sizeof wanted, name, length)};

    for (size_t i = 0; i < t->columns; i++)
        cr_nearest_offer(&near, t->column[i]);
    cr__fail(err, st, "there is no column '%s'%s", wanted, what);
    if (near.best != NULL)
        cr__fail_hint(err, st, "did you mean '%s'?", near.best);
    return cr__fail_at(err, st, t->path, 0, 0);
}

static cr_status fail_likelihood(const cr__texts *t, cr_error *err)
{
    fail_column(t, CR_EFORMAT, " with P(data | h), nor log_likelihood", "likelihood", 10, err);
    if (err != NULL && err->hint[0] == '\0')
        cr__fail_hint(err, CR_EFORMAT,
                      CR__SET("evidence other columns can be named as the evidence"));
    return CR_EFORMAT;
}

static size_t use(meaning *m, const char *name)
{
    const size_t column = find_named(&m->table, name);

    if (column != ABSENT)
        m->used[column] = 1;
    return column;
}

static cr_status find_meaning(meaning *m, cr_error *err)
{
    const cr__texts *t = &m->table;

    if ((m->used = cr__alloc_zero(t->columns + 1, 1)) == NULL)
        return cr__fail_memory(err);
    if ((m->name = use(m, "hypothesis")) == ABSENT)
        return fail_column(t, CR_EFORMAT, " with the names", "hypothesis", 10, err);
    m->prior = use(m, "prior");
    m->posterior = use(m, "posterior");
    m->vote = use(m, "vote");
    use(m, "likelihood");
    use(m, "log_likelihood");
    if (m->posterior != ABSENT && m->options->evidence == NULL)
        m->prior = m->posterior;
    if (m->prior == ABSENT && !(m->options->flags & CR_HYPOTHESES_UNIFORM)) {
        fail_column(t, CR_EFORMAT, " with P(h)", "prior", 5, err);
        return cr__fail_hint(err, CR_EFORMAT,
                             CR__SET("uniform without it, ask for uniform priors"));
    }
    return CR_OK;
}

/* Errors from other parts of the library do not name the file. */
static cr_status at_file(const cr__texts *t, cr_status st, cr_error *err)
{
    if (st == CR_EARG && err != NULL && err->file[0] == '\0')
        err->code = st = CR_EFORMAT;
    return st == CR_OK || st == CR_ENOMEM ? st : cr__fail_at(err, st, t->path, 0, 0);
}

static cr_status begin(cr_hypotheses **out, const meaning *m, cr_error *err)
{
    const cr__texts *t = &m->table;
    const int uniform = (m->options->flags & CR_HYPOTHESES_UNIFORM) != 0;
    const number_kind kind = m->options->flags & CR_HYPOTHESES_NORMALISE ? WEIGHT : PROBABILITY;
    const char **name = cr__alloc(t->rows, sizeof *name);
    double *prior = cr__alloc_zero(t->rows, sizeof *prior);
    cr_status st = name != NULL && prior != NULL ? CR_OK : cr__fail_memory(err);

    for (size_t r = 0; st == CR_OK && r < t->rows; r++) {
        if ((name[r] = t->cell[r * t->columns + m->name]) == NULL)
            st = cr__texts_fail(t, r, m->name, "the name of the hypothesis", err);
        else if (!uniform)
            st = number_at(t, r, m->prior, kind, &prior[r], err);
    }
    if (st == CR_OK)
        st = at_file(t, cr_hypotheses_new(out, name, prior, t->rows, m->options->flags, err), err);
    cr__free(name);
    cr__free(prior);
    return st;
}

/* --- evidence ----------------------------------------------------------------------------- */

static cr_status observe(cr_hypotheses *h, meaning *m, size_t column, cr_error *err)
{
    const cr__texts *t = &m->table;
    const number_kind kind = strncasecmp(t->column[column], "log_", 4) == 0 ? LOG : WEIGHT;
    double *log_likelihood = cr__alloc(t->rows, sizeof *log_likelihood);
    cr_status st = log_likelihood != NULL ? CR_OK : cr__fail_memory(err);

    for (size_t r = 0; st == CR_OK && r < t->rows; r++) {
        st = number_at(t, r, column, kind, &log_likelihood[r], err);
        if (st == CR_OK && kind != LOG)
            log_likelihood[r] = log(log_likelihood[r]);
    }
    if (st == CR_OK)
        st = at_file(t, cr_hypotheses_observe(h, t->column[column], log_likelihood, err), err);
    m->used[column] = 1;
    cr__free(log_likelihood);
    return st;
}

/* Call take for the column of each name in a comma-separated list. */
static cr_status each_column(meaning *m, const char *list, const char *what,
                             cr_status (*take)(void *context, meaning *m, size_t column,
                                               cr_error *err),
                             void *context, cr_error *err)
{
    cr_status st = CR_OK;

    for (;;) {
        const size_t length = strcspn(list, ",");
        const size_t column = find_column(&m->table, list, length);

        if (column == ABSENT)
            return fail_column(&m->table, CR_EARG, what, list, length, err);
        if ((st = take(context, m, column, err)) != CR_OK || list[length] == '\0')
            return st;
        list += length + 1;
    }
}

static cr_status observe_one(void *context, meaning *m, size_t column, cr_error *err)
{
    return observe(context, m, column, err);
}

static cr_status observe_all(cr_hypotheses *h, meaning *m, cr_error *err)
{
    size_t column = find_named(&m->table, "likelihood");

    if (m->options->evidence != NULL)
        return each_column(m, m->options->evidence, " of evidence", observe_one, h, err);
    if (m->posterior != ABSENT)
        return CR_OK;
    if (column == ABSENT)
        column = find_named(&m->table, "log_likelihood");
    return column == ABSENT ? fail_likelihood(&m->table, err) : observe(h, m, column, err);
}

/* --- classes ------------------------------------------------------------------------------ */

typedef struct ballot {
    size_t *column; /* [classes] */
    size_t classes, capacity;
} ballot;

static cr_status add_class(void *context, meaning *m, size_t column, cr_error *err)
{
    ballot *b = context;

    (void)m;
    if (!cr__grow(&b->column, &b->capacity, b->classes + 1, sizeof *b->column))
        return cr__fail_memory(err);
    b->column[b->classes++] = column;
    return CR_OK;
}

/* "A" of "A", "P(A)" and "P(A|h)". */
static char *class_of(cr__arena *arena, const char *column)
{
    size_t length = strlen(column);

    if (length > 3 && strncasecmp(column, "P(", 2) == 0 && column[length - 1] == ')') {
        column += 2;
        length -= 3;
        if (memchr(column, '|', length) != NULL)
            length = (size_t)((const char *)memchr(column, '|', length) - column);
        while (length > 0 && column[length - 1] == ' ')
            length--;
    }
    return cr__arena_copy(arena, column, length);
}

/* One column alone is a class and its opposite. */
static cr_status vote_by_columns(cr_hypotheses *h, meaning *m, const ballot *b, cr_error *err)
{
    cr__texts *t = &m->table;
    const number_kind kind =
        m->options->flags & CR_HYPOTHESES_NORMALISE && b->classes > 1 ? WEIGHT : PROBABILITY;
    const size_t classes = b->classes == 1 ? 2 : b->classes;
    const char **name = cr__alloc(classes, sizeof *name);
    double *p =
        t->rows > SIZE_MAX / sizeof *p / classes ? NULL : cr__alloc(t->rows * classes, sizeof *p);
    char *other;
    cr_status st = name != NULL && p != NULL ? CR_OK : cr__fail_memory(err);

    for (size_t c = 0; st == CR_OK && c < b->classes; c++)
        if ((name[c] = class_of(&t->arena, t->column[b->column[c]])) == NULL)
            st = cr__fail_memory(err);
    if (st == CR_OK && b->classes == 1) {
        if ((other = cr__arena_alloc(&t->arena, strlen(name[0]) + 5, 1)) == NULL)
            st = cr__fail_memory(err);
        else
            name[1] = strcat(strcpy(other, "not "), name[0]);
    }
    for (size_t r = 0; st == CR_OK && r < t->rows; r++) {
        for (size_t c = 0; st == CR_OK && c < b->classes; c++)
            st = number_at(t, r, b->column[c], kind, &p[r * classes + c], err);
        if (st == CR_OK && b->classes == 1)
            p[r * 2 + 1] = 1 - p[r * 2];
    }
    if (st == CR_OK)
        st = at_file(t, cr_hypotheses_vote(h, name, classes, p, m->options->flags, err), err);
    cr__free(name);
    cr__free(p);
    return st;
}

/* Classes in the order in which the votes name them first. */
static cr_status vote_by_name(cr_hypotheses *h, const meaning *m, cr_error *err)
{
    const cr__texts *t = &m->table;
    const char **name = cr__alloc(t->rows, sizeof *name);
    size_t *choice = cr__alloc(t->rows, sizeof *choice), classes = 0;
    double *p = NULL;
    cr_status st = name != NULL && choice != NULL ? CR_OK : cr__fail_memory(err);

    for (size_t r = 0; st == CR_OK && r < t->rows; r++) {
        const char *vote = t->cell[r * t->columns + m->vote];
        size_t c = 0;

        if (vote == NULL) {
            st = cr__texts_fail(t, r, m->vote, "a class", err);
            break;
        }
        while (c < classes && strcmp(name[c], vote) != 0)
            c++;
        if (c == classes)
            name[classes++] = vote;
        choice[r] = c;
    }
    if (st == CR_OK && (t->rows > SIZE_MAX / sizeof *p / classes ||
                        (p = cr__alloc_zero(t->rows * classes, sizeof *p)) == NULL))
        st = cr__fail_memory(err);
    for (size_t r = 0; st == CR_OK && r < t->rows; r++)
        p[r * classes + choice[r]] = 1;
    if (st == CR_OK)
        st = at_file(t, cr_hypotheses_vote(h, name, classes, p, 0, err), err);
    cr__free(name);
    cr__free(choice);
    cr__free(p);
    return st;
}

static cr_status vote(cr_hypotheses *h, meaning *m, cr_error *err)
{
    const char *classes = m->options->classes;
    ballot b = {0};
    cr_status st = CR_OK;

    if (classes == NULL && m->vote != ABSENT)
        return vote_by_name(h, m, err);
    if (classes != NULL && *classes != '\0')
        st = each_column(m, classes, " of a class", add_class, &b, err);
    else if (classes == NULL && m->options->evidence == NULL)
        for (size_t i = 0; st == CR_OK && i < m->table.columns; i++)
            if (!m->used[i])
                st = add_class(&b, m, i, err);
    if (st == CR_OK && b.classes > 0)
        st = vote_by_columns(h, m, &b, err);
    cr__free(b.column);
    return st;
}

cr_status cr_hypotheses_read(cr_hypotheses **out, const char *path,
                             const cr_hypotheses_options *options, cr_error *err)
{
    cr_hypotheses_options own;
    meaning m = {.options = &own};
    cr_hypotheses *h = NULL;
    cr_status st;

    *out = NULL;
    if ((st = cr__sized_take(&own, sizeof own, options, "cr_hypotheses_options", err)) != CR_OK ||
        (st = cr__texts_read(&m.table, path, err)) != CR_OK ||
        (st = find_meaning(&m, err)) != CR_OK || (st = begin(&h, &m, err)) != CR_OK ||
        (st = observe_all(h, &m, err)) != CR_OK || (st = vote(h, &m, err)) != CR_OK)
        goto done;
    *out = h;
    h = NULL;
done:
    cr_hypotheses_free(h);
    cr__free(m.used);
    cr__texts_free(&m.table);
    return st;
}
