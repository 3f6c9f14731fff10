/* learners/naive_bayes/uncertain_text.c - texts under P(word | class) drawn from its posterior.
 *
 * With event=multinomial the words' probabilities of a class are Dirichlet a posteriori, with the
 * parameters x_wc + a, or x_wc + μ X_w / X, of fit_text.c. Dirichlet variables are Gamma variables
 * G_w divided by their sum, and words that a text does not have are one variable G_rest, whose
 * parameter is the sum of theirs. So for a text with f_w times the word w, F = Σ f_w,
 *
 *     log P(text | c) = Σ f_w log G_w - F log(Σ G_w + G_rest)
 *
 * takes as many draws as the text has words, whatever the size of the vocabulary.
 */
#include <float.h>
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/naive_bayes/text.h"

struct cr__nb_text_draw {
    const cr__nb_text *text;
    cr__nb_text_counts *counts;
    const uint32_t *word; /* [words] of the row */
    size_t words;
    cr__nb_norm norm;
    double *memory;            /* behind all below, each [classes] */
    cr__nb_fractions fraction; /* of a word */
    double *rest, *sum;        /* of parameters not drawn yet, of draws */
};

enum { ARRAYS = 6 };

void cr__nb_text_draw_free(cr__nb_text_draw *d)
{
    if (d == NULL)
        return;
    cr__nb_text_counts_free(d->counts);
    cr__free(d->memory);
    cr__free(d);
}

static cr_status check(const cr__bag *bag, const cr__knobs *knobs, const char *column,
                       cr_error *err)
{
    const char *event = cr__knobs_text(knobs, "event");
    int unit_length;

    if (!cr__knobs_is(knobs, "event", "multinomial"))
        return cr__fail(err, CR_EARG,
                        "the posterior of words' probabilities with event=%s is not known: '%s' "
                        "has no interval",
                        event, column);
    if (cr__knobs_is(knobs, "text-smoothing", "jelinek-mercer") || cr__text_alpha(knobs) == 0)
        return cr__fail(err, CR_EARG,
                        "words' probabilities have no prior with %s: '%s' has no interval",
                        cr__text_alpha(knobs) == 0 ? "nothing added to their counts"
                                                   : "text-smoothing=jelinek-mercer",
                        column);
    if (cr__text_weighting(knobs, &unit_length) != CR__WEIGHT_COUNTS || unit_length ||
        bag->weight != NULL)
        return cr__fail(err, CR_EARG,
                        "weighted words are not counts, so the posterior of their "
                        "probabilities is not known: '%s' has no interval",
                        column);
    return CR_OK;
}

cr_status cr__nb_text_draw_new(cr__nb_text_draw **out, const cr__nb_text *text, const cr__bag *bag,
                               const cr__knobs *knobs, const char *column, cr_error *err)
{
    cr_status st = check(bag, knobs, column, err);
    const size_t K = bag->classes;
    cr__nb_text_draw *d;

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((d = cr__alloc_zero(1, sizeof *d)) == NULL)
        return cr__fail_memory(err);
    d->text = text;
    d->memory = cr__alloc_zero(K, ARRAYS * sizeof *d->memory);
    st = d->memory == NULL ? cr__fail_memory(err)
                           : cr__nb_text_counts_new(&d->counts, bag, knobs, err);
    if (st != CR_OK) {
        cr__nb_text_draw_free(d);
        return st;
    }
    d->fraction =
        (cr__nb_fractions){d->memory, d->memory + K, d->memory + 2 * K, d->memory + 3 * K};
    d->rest = d->memory + 4 * K;
    d->sum = d->memory + 5 * K;
    *out = d;
    return CR_OK;
}

int cr__nb_text_draw_row(cr__nb_text_draw *d, const uint32_t *word, size_t n)
{
    d->word = word;
    d->words = n;
    cr__nb_text_norm(&d->norm, d->text, word, n);
    for (size_t i = 0; i < n; i++)
        if (!isnan(d->text->word[word[i]]))
            return 1;
    return 0;
}

/* log of a Gamma variable. With G of shape + 1 and u uniform, G u^(1/shape) has the shape; in logs
 * it cannot come out as 0. */
static double log_gamma_draw(cr__random *random, double shape)
{
    if (shape >= 1)
        return log(fmax(cr__random_gamma(random, shape), DBL_MIN));
    return log(fmax(cr__random_gamma(random, shape + 1), DBL_MIN)) +
           log1p(-cr__random_uniform(random)) / shape;
}

static void draw_word(cr__nb_text_draw *d, cr__random *random, double f, double *score)
{
    for (size_t c = 0; c < d->text->classes; c++) {
        const double a = d->fraction.top[c], log_g = log_gamma_draw(random, a);

        d->rest[c] -= a;
        d->sum[c] += exp(log_g);
        score[c] += f * log_g;
    }
}

void cr__nb_text_draw_add(cr__nb_text_draw *d, cr__random *random, double *score)
{
    const size_t K = d->text->classes;
    double total = 0;
    int first = 1;

    for (size_t i = 0, run; i < d->words; i += run) {
        const uint32_t w = d->word[i];
        double f;

        for (run = 1; i + run < d->words && d->word[i + run] == w;)
            run++;
        if (isnan(d->text->word[w]))
            continue;
        cr__nb_text_fractions(d->counts, w, &d->fraction);
        for (size_t c = 0; first && c < K; c++) {
            d->rest[c] = d->fraction.bottom[c];
            d->sum[c] = 0;
        }
        first = 0;
        f = (double)run * cr__nb_norm_of(d->text, &d->norm, w);
        draw_word(d, random, f, score);
        total += f;
    }
    for (size_t c = 0; !first && c < K; c++) {
        if (d->rest[c] > 0)
            d->sum[c] += cr__random_gamma(random, d->rest[c]);
        score[c] -= total * log(fmax(d->sum[c], DBL_MIN));
    }
}
