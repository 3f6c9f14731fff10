/* learners/naive_bayes/score_changes.c - a text scored by counts that the model has not worked in.
 *
 *   log P(c) + Σ_w f_w · (log a + each_c + log(x_wc + a) - log a),   each_c = -log(N_c + a V)
 *
 * the multinomial and boolean models of fit_text.c, computed from the counts of the text's words
 * alone, with the same operations in the same order as fitting and scoring do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/naive_bayes/naive_bayes.h"

enum { SMALL = 64 };

typedef struct item { /* a different word of the text */
    uint64_t hash;
    const char *bytes;
    size_t length;
    uint32_t number;
    double f; /* how often it counts */
} item;

typedef struct scoring {
    cr__nb_plain plain;
    double a, log_a, small[SMALL]; /* log(x + a) - log a */
    size_t classes;
    double *sum;    /* [classes] */
    int64_t *count; /* [classes] */
    item *item;
} scoring;

/* Whether there are neither symbols nor numbers among the features. */
static int has_texts_alone(const cr__stats *stats)
{
    int texts = 1;

    for (size_t i = 0; texts && i < stats->schema->columns; i++)
        texts = !cr__stats_is_feature(stats->schema, i) || stats->column[i].bag != NULL;
    return texts;
}

/* The order of words in a bag. */
static int canonical(const void *a, const void *b)
{
    const item *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return cr__word_compare(x->bytes, x->length, y->bytes, y->length);
}

static size_t list_words(const scoring *s, const cr__bag_changes *changes, const uint32_t *word,
                         size_t n, item *list)
{
    size_t items = 0;

    for (size_t i = 0, run; i < n; i += run) {
        item *next = &list[items++];

        for (run = 1; i + run < n && word[i + run] == word[i]; run++)
            ;
        *next = (item){.number = word[i], .f = s->plain.of == CR__BAG_TERMS ? (double)run : 1};
        next->bytes = cr__bag_changes_word(changes, word[i], &next->hash, &next->length);
    }
    if (items > 1)
        qsort(list, items, sizeof *list, canonical);
    return items;
}

static double delta_of(const scoring *s, int64_t x)
{
    return x < SMALL ? s->small[x] : log((double)x + s->a) - s->log_a;
}

static void set_alpha(scoring *s, double a)
{
    s->a = a;
    s->log_a = log(a);
    for (int x = 0; x < SMALL; x++)
        s->small[x] = log(x + a) - s->log_a;
}

/* What is added to the counts of this text column as they are now. */
static cr_status choose_alpha(scoring *s, cr__bag_changes *changes, const int64_t *N, uint64_t V)
{
    size_t room;
    const uint64_t *cells = cr__bag_changes_spectrum(changes, &room);
    double a;

    if (cells == NULL || cr__text_auto_alpha_of(cells, room, N, s->classes, V, &a) != CR_OK)
        return CR_ENOMEM;
    set_alpha(s, a);
    return CR_OK;
}

/* The counts of a word into s->count; 0: the model does not know it. */
static int count_word(const scoring *s, const cr__bag_changes *changes, const item *w)
{
    memset(s->count, 0, s->classes * sizeof *s->count);
    return cr__bag_changes_count(changes, s->plain.of, w->number, s->count) > 0;
}

static void norm_of(cr__nb_norm *norm, const scoring *s, const cr__bag_changes *changes,
                    size_t items)
{
    double sum[2] = {0};

    norm->head = norm->body = 1;
    if (s->plain.length.most == 0)
        return;
    for (const item *w = s->item; w < s->item + items; w++)
        if (count_word(s, changes, w))
            sum[cr__nb_is_head(s->plain.length, w->bytes, w->length)] += w->f;
    cr__nb_norm_within(norm, s->plain.length, sum[1], sum[0], 1);
}

/* Add log P(text | class). */
static cr_status add_text(scoring *s, cr__bag_changes *changes, const uint32_t *word, size_t n,
                          double *score)
{
    uint64_t V;
    const int64_t *N = cr__bag_changes_totals(changes, s->plain.of, &V);
    const size_t items = N == NULL ? 0 : list_words(s, changes, word, n, s->item);
    cr__nb_norm norm;
    double shared = 0, total = 0;

    if (N == NULL || (isnan(s->plain.alpha) && choose_alpha(s, changes, N, V) != CR_OK))
        return CR_ENOMEM;
    norm_of(&norm, s, changes, items);
    memset(s->sum, 0, s->classes * sizeof *s->sum);
    for (const item *w = s->item; w < s->item + items; w++) {
        const int head = cr__nb_is_head(s->plain.length, w->bytes, w->length);
        const double f = w->f * (head ? norm.head : norm.body);

        if (!count_word(s, changes, w))
            continue;
        total += f;
        shared += f * s->log_a;
        for (size_t c = 0; c < s->classes; c++)
            if (s->count[c] > 0)
                s->sum[c] += f * delta_of(s, s->count[c]);
    }
    for (size_t c = 0; c < s->classes; c++) {
        const double all = (double)N[c] + s->a * (double)V, each = all > 0 ? -log(all) : 0;

        score[c] += s->sum[c] + shared + total * each;
    }
    return CR_OK;
}

static cr_status open(scoring *s, size_t classes, size_t words)
{
    s->classes = classes;
    if (!isnan(s->plain.alpha))
        set_alpha(s, s->plain.alpha);
    s->sum = cr__alloc(2 * classes, sizeof *s->sum);
    s->count = cr__alloc(classes, sizeof *s->count);
    s->item = cr__alloc(words, sizeof *s->item);
    return s->sum == NULL || s->count == NULL || s->item == NULL ? CR_ENOMEM : CR_OK;
}

static size_t most_words(const cr__batch *row)
{
    size_t most = 0;

    for (size_t i = 0; i < row->columns; i++)
        if (row->column[i].kind == CR_BAG &&
            row->column[i].start[1] - row->column[i].start[0] > most)
            most = row->column[i].start[1] - row->column[i].start[0];
    return most;
}

cr_status cr__nb_score_changes(const cr__stats *stats, const cr__knobs *knobs,
                               cr__bag_changes *const *changes, const cr__batch *row, double *score,
                               cr_error *err)
{
    scoring s = {0};
    cr_status st;

    if (!has_texts_alone(stats) || !cr__nb_text_is_plain(knobs, &s.plain))
        return CR_END;
    if ((st = open(&s, stats->classes, most_words(row))) == CR_OK)
        st = cr__nb_fit_prior(stats, knobs, score, s.sum, s.sum + s.classes, err);
    for (size_t i = 0; st == CR_OK && i < row->columns; i++) {
        const cr__batch_column *data = &row->column[i];

        if (changes[i] != NULL && cr__stats_is_feature(stats->schema, i) &&
            data->code[0] != CR__MISSING)
            st = add_text(&s, changes[i], data->word + data->start[0],
                          data->start[1] - data->start[0], score);
    }
    cr__free(s.sum);
    cr__free(s.count);
    cr__free(s.item);
    return st == CR_ENOMEM ? cr__fail_memory(err) : st;
}
