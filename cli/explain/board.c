/* cli/explain/board.c - the fractions behind P(word | class), found again from the counts.
 *
 * The library gives the logarithm that a word adds. On a blackboard one wants to see where it comes
 * from: (n_k + 1)/(n + |V|) of Mitchell's "Machine Learning" (1997), chapter 6.10, in the
 * multinomial model, and its relatives. A fraction is shown only when it agrees with the library.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "session/reserve.h"

#define MOST_COUNTS 1e7 /* that are looked up to add up a vocabulary */

typedef enum event { EVENT_OTHER, EVENT_MULTINOMIAL, EVENT_BOOLEAN, EVENT_BERNOULLI } event;

typedef struct entry {
    const char *bytes;
    size_t length, word;
} entry;

/* What is known of a text column. */
typedef struct totals {
    bool looked_up;
    double *terms;     /* [classes] occurrences of all of them */
    double *documents; /* [classes] texts that each occurs in, added up */
    entry *sorted;     /* [entries] the vocabulary by its bytes */
    size_t entries;
} totals;

typedef struct board {
    event event;
    double alpha; /* NaN: not a number that is written down */
    size_t columns;
    totals *column; /* [columns] */
} board;

static const char *knob_value(const cr_model *model, const char *name)
{
    cr_knob knob;

    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++)
        if (strcmp(knob.name, name) == 0)
            return knob.value;
    return "";
}

static double plain_number(const char *text)
{
    char *end;
    double x = strtod(text, &end);

    return end != text && *end == '\0' ? x : NAN;
}

static event find_event(const cr_model *model)
{
    const char *name = knob_value(model, "event");

    if (strcmp(knob_value(model, "text-smoothing"), "additive") != 0)
        return EVENT_OTHER;
    return strcmp(name, "multinomial") == 0 ? EVENT_MULTINOMIAL
           : strcmp(name, "boolean") == 0   ? EVENT_BOOLEAN
           : strcmp(name, "bernoulli") == 0 ? EVENT_BERNOULLI
                                            : EVENT_OTHER;
}

static board *board_new(const cr_model *model)
{
    const char *alpha = knob_value(model, "text-alpha");
    board *b = reserve(1, sizeof *b);

    b->event = find_event(model);
    b->alpha = plain_number(strcmp(alpha, "same") == 0 ? knob_value(model, "alpha") : alpha);
    b->columns = cr_schema_columns(cr_model_schema(model));
    b->column = reserve(b->columns, sizeof *b->column);
    return b;
}

void board_free(board *b)
{
    for (size_t i = 0; b != NULL && i < b->columns; i++) {
        free(b->column[i].terms);
        free(b->column[i].documents);
        free(b->column[i].sorted);
    }
    if (b != NULL)
        free(b->column);
    free(b);
}

static int by_bytes(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = memcmp(x->bytes, y->bytes, x->length < y->length ? x->length : y->length);

    return order != 0 ? order : x->length < y->length ? -1 : x->length > y->length;
}

/* Once for each text column; NULL where the vocabulary is too large for a blackboard. */
static const totals *add_up(board *b, const cr_model *model, size_t column)
{
    size_t classes = cr_model_classes(model), words = cr_model_words(model, column);
    totals *t = &b->column[column];
    cr_word w;

    if ((double)words * (double)classes > MOST_COUNTS)
        return NULL;
    if (t->looked_up)
        return t;
    t->looked_up = true;
    t->terms = reserve(classes, sizeof *t->terms);
    t->documents = reserve(classes, sizeof *t->documents);
    t->sorted = reserve(words, sizeof *t->sorted);
    for (size_t i = 0; i < words; i++)
        for (size_t c = 0; c < classes; c++) {
            if (cr_model_word(model, column, i, c, &w) != CR_OK || isnan(w.log_share))
                break;
            if (c == 0)
                t->sorted[t->entries++] = (entry){w.bytes, w.length, i};
            t->terms[c] += w.terms;
            t->documents[c] += w.documents;
        }
    qsort(t->sorted, t->entries, sizeof *t->sorted, by_bytes);
    return t;
}

/* The word of the model that a word of the text is. */
static bool find_word(const totals *t, const cr_model *model, size_t column,
                      const cr_word_share *wanted, size_t c, cr_word *out)
{
    entry key = {wanted->bytes, wanted->length, 0};
    const entry *found = bsearch(&key, t->sorted, t->entries, sizeof key, by_bytes);

    return found != NULL && cr_model_word(model, column, found->word, c, out) == CR_OK;
}

/* Multinomial: (n_k + a)/(n + a |V|) with occurrences, boolean: with texts. Bernoulli: a word that
 * is there counts P/(1 - P) with P = (d + a)/(D + 2 a), beside the (1 - P) of all words that every
 * text of the class has. */
static void candidate(const board *b, const totals *t, const cr_model *model, size_t c,
                      const cr_word *w, word_fraction *out)
{
    double a = b->alpha;

    if (b->event == EVENT_BERNOULLI) {
        out->after = ") : P(not)";
        out->count = w->documents;
        out->total = cr_model_class_count(model, c) - w->documents;
        out->bottom = out->total + a;
    } else {
        out->count = b->event == EVENT_BOOLEAN ? w->documents : w->terms;
        out->total = b->event == EVENT_BOOLEAN ? t->documents[c] : t->terms[c];
        out->bottom = out->total + a * (double)t->entries; /* |V|: the words in use */
    }
    out->top = out->count + a;
}

void board_fraction(inquiry *q, const cr_factor *f, const cr_word_share *share, size_t c,
                    word_fraction *out)
{
    const totals *t;
    cr_word w;

    *out = (word_fraction){.before = "P(", .after = ")"};
    if (q->board == NULL)
        q->board = board_new(q->model);
    if (q->board->event == EVENT_OTHER)
        out->before = "factor(";
    if (q->board->event == EVENT_OTHER || isnan(q->board->alpha) ||
        share->weight != floor(share->weight) ||
        (t = add_up(q->board, q->model, f->column)) == NULL ||
        !find_word(t, q->model, f->column, share, c, &w))
        return;
    candidate(q->board, t, q->model, c, &w, out);
    out->known = fabs(log(out->top / out->bottom) - w.log_share) < 1e-9 ||
                 (out->top == 0 && isinf(w.log_share));
}
