/* learners/naive_bayes/without_text.c - log P(text | class) as if the text had not been learned.
 *
 * Of the counts x_wc only those of the text's own class c change, by what the text has of word w; a
 * word that no other text has disappears, and V shrinks. For the multinomial
 *
 *     log P(text | k) = Σ_w f_w log(x'_wk + a) - Σ_w f_w · log(N'_k + a V')
 *
 * over the words that are left; the complement uses the counts of all other classes instead.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/naive_bayes/without.h"

struct cr__nb_texts {
    const cr__nb_text *text; /* fitted with the text: deltas of the other classes */
    const cr__bag *bag;
    int documents, complement; /* counts are documents; the event is the complement */
    double a, X;
    double *N;       /* [classes] */
    double *total;   /* [words] X_w */
    uint64_t *terms; /* [words] occurrences: a word without any does not exist */
};

void cr__nb_texts_free(cr__nb_texts *t)
{
    if (t == NULL)
        return;
    cr__free(t->N);
    cr__free(t->total);
    cr__free(t->terms);
    cr__free(t);
}

/* Whether a text's own counts are all that it changes. */
static int is_plain(const cr__nb_text *text, const cr__bag *bag, const cr__knobs *knobs)
{
    return text->weight <= CR__WEIGHT_BINARY && !text->unit_length && text->length.most == 0 &&
           text->length.alike == 1 && bag->weight == NULL &&
           cr__knobs_is(knobs, "text-smoothing", "additive") &&
           !cr__knobs_is(knobs, "event", "bernoulli") &&
           !cr__knobs_is(knobs, "event", "weighted-complement") &&
           cr__knobs_is(knobs, "select", "none") && cr__knobs_number(knobs, "min-count") <= 1 &&
           strncmp(cr__knobs_text(knobs, "stop"), "common:", 7) != 0 && cr__text_alpha(knobs) > 0;
}

static double count_of(const cr__nb_texts *t, uint64_t cell)
{
    return t->documents ? t->bag->cell[cell].documents : (double)t->bag->cell[cell].terms;
}

cr_status cr__nb_texts_open(cr__nb_texts **out, const cr__nb_text *text, const cr__bag *bag,
                            const cr__knobs *knobs, cr_error *err)
{
    cr__nb_texts *t;

    *out = NULL;
    if (!is_plain(text, bag, knobs))
        return cr__fail(err, CR_EARG, "a text changes more than its own counts");
    if ((t = cr__alloc_zero(1, sizeof *t)) == NULL)
        return cr__fail_memory(err);
    *t = (cr__nb_texts){.text = text,
                        .bag = bag,
                        .documents = cr__knobs_is(knobs, "event", "boolean"),
                        .complement = cr__knobs_is(knobs, "event", "complement"),
                        .N = cr__alloc_zero(bag->classes, sizeof *t->N),
                        .total = cr__alloc_zero(bag->words, sizeof *t->total),
                        .terms = cr__alloc_zero(bag->words, sizeof *t->terms)};
    if (t->N == NULL || t->total == NULL || t->terms == NULL) {
        cr__nb_texts_free(t);
        return cr__fail_memory(err);
    }
    t->a = cr__text_alpha(knobs);
    for (size_t w = 0; w < bag->words; w++)
        for (uint64_t k = bag->row[w]; k < bag->row[w + 1]; k++) {
            t->N[bag->cell[k].class_index] += count_of(t, k);
            t->total[w] += count_of(t, k);
            t->terms[w] += bag->cell[k].terms;
        }
    for (size_t c = 0; c < bag->classes; c++)
        t->X += t->N[c];
    *out = t;
    return CR_OK;
}

/* The contributions of a word that occurs `own` times (as it counts) in the text, f times in the
 * score. */
static void add_word(const cr__nb_texts *t, uint32_t w, double own, double f, size_t class_index,
                     double *score)
{
    const double base = t->complement ? log(t->total[w] - own + t->a) : 0;

    for (uint64_t k = t->bag->row[w]; k < t->bag->row[w + 1]; k++) {
        const size_t c = t->bag->cell[k].class_index;
        const double x = count_of(t, k) - (c == class_index ? own : 0);

        if (t->complement)
            score[c] += f * (base - log(t->total[w] - own - x + t->a));
        else
            score[c] += f * (c == class_index ? log(x + t->a) - log(t->a) : t->text->cell[k].delta);
    }
}

void cr__nb_texts_without(cr__nb_texts *t, const uint32_t *word, size_t n, size_t class_index,
                          double *score)
{
    const size_t classes = t->bag->classes;
    double V = (double)t->bag->words, all = 0, own_all = 0, shared = 0;

    for (size_t i = 0, run; i < n; i += run) {
        double own, f;

        for (run = 1; i + run < n && word[i + run] == word[i]; run++)
            ;
        own = t->documents ? 1 : (double)run;
        own_all += own;
        if (t->terms[word[i]] <= run) {
            V--;
            continue;
        }
        f = t->text->weight == CR__WEIGHT_BINARY ? 1 : (double)run;
        all += f;
        shared += f * (t->complement ? -log(t->total[word[i]] - own + t->a) : log(t->a));
        add_word(t, word[i], own, f, class_index, score);
    }
    for (size_t c = 0; c < classes; c++) {
        const double N = t->N[c] - (c == class_index ? own_all : 0);

        score[c] += shared +
                    all * (t->complement ? log(t->X - own_all - N + t->a * V) : -log(N + t->a * V));
    }
}
