/* learners/naive_bayes/fit_text.c - the event models of texts from one set of counts.
 *
 * With x_wc the count of word w in class c (terms, or documents, or summed weights), N_c = Σ_w
 * x_wc, X_w = Σ_c x_wc, X = Σ X_w, V words, D_c documents of class c of which d_wc have the word:
 *
 *   multinomial   log P(w|c), f = count            boolean: the same with f = 1, x = documents
 *     additive          (x_wc + a) / (N_c + a V)                     (L: LEARN_NAIVE_BAYES_TEXT)
 *     jelinek-mercer    (1 - λ) x_wc / N_c + λ X_w / X               (Jelinek & Mercer 1980)
 *     dirichlet         (x_wc + μ X_w / X) / (N_c + μ)               (Zhai & Lafferty 2001)
 *   bernoulli     p = (d_wc + a) / (D_c + 2 a): Σ log p over the words that occur plus
 *                 Σ log(1 - p) over those that do not
 *   complement    -log of the additive estimate from all other classes
 *   weighted-     the same divided by its sum over all words (Rennie et al. 2003)
 *     complement
 *
 * A word never seen with a class gives word_w + each_c; delta_wc is the difference for one that
 * was. With a = 0 the estimates are plain fractions: word_w is -∞, which means that the text is
 * impossible for a class that has never had the word, and delta_wc is log x_wc.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "learners/naive_bayes/text.h"

typedef enum event { MULTINOMIAL, BOOLEAN, BERNOULLI, COMPLEMENT, WEIGHTED_COMPLEMENT } event;
typedef enum smoothing { ADDITIVE, JELINEK_MERCER, DIRICHLET } smoothing;

enum { SMALL = 64 }; /* counts whose logarithms are tabulated: most are that small */

typedef struct fit_state {
    const cr__bag *bag;
    const unsigned char *chosen;
    event event;
    smoothing smoothing;
    double a, lambda, mu;
    double log_a, small[SMALL]; /* log a, log(x + a) - log a */
    double odds;                /* of select=odds:D, or 0 */
    size_t V;
    double *N; /* [classes] N_c */
    double X;
    double *once, *each, *scale, *word; /* being filled */
    cr__nb_delta *cell;
} fit_state;

static event event_of(const cr__knobs *knobs)
{
    static const char *const names[] = {"multinomial", "boolean", "bernoulli", "complement",
                                        "weighted-complement"};

    for (int e = 0; e < 5; e++)
        if (cr__knobs_is(knobs, "event", names[e]))
            return (event)e;
    return MULTINOMIAL;
}

/* x_wc for one cell. */
static double cell_count(const fit_state *s, size_t i)
{
    if (s->event == BOOLEAN || s->event == BERNOULLI)
        return s->bag->cell[i].documents;
    if (s->bag->weight != NULL)
        return (double)s->bag->weight[i] / CR__WEIGHT_ONE;
    return (double)s->bag->cell[i].terms;
}

/* V and N_c, of all words. Counts are whole numbers, so their sums are exact. */
static void take_totals(fit_state *s)
{
    const cr__bag *bag = s->bag;
    const int by_documents = s->event == BOOLEAN || s->event == BERNOULLI;

    for (size_t c = 0; bag->totals != NULL && c < bag->classes; c++)
        s->N[c] = (double)(by_documents ? bag->totals->documents[c] : bag->totals->terms[c]);
    if (bag->totals != NULL)
        s->V = (size_t)bag->totals->words;
    for (size_t w = 0; bag->totals == NULL && w < bag->words; w++) {
        s->V += s->chosen[w];
        for (size_t i = bag->row[w]; s->chosen[w] && i < bag->row[w + 1]; i++)
            s->N[bag->cell[i].class_index] += cell_count(s, i);
    }
    for (size_t c = 0; c < bag->classes; c++)
        s->X += s->N[c];
}

static void fit_constants(fit_state *s)
{
    const double V = (double)s->V;

    s->log_a = log(s->a);
    for (int x = 0; x < SMALL; x++)
        s->small[x] = log(x + s->a) - (s->a > 0 ? s->log_a : 0);
    for (size_t c = 0; c < s->bag->classes; c++) {
        const double D = (double)s->bag->documents[c], absent = s->a / (D + 2 * s->a);

        s->once[c] = 0;
        s->scale[c] = 1;
        switch (s->event) {
        case BERNOULLI:
            s->once[c] = V * log1p(-absent);
            s->each[c] = log(absent) - log1p(-absent);
            break;
        case COMPLEMENT:
        case WEIGHTED_COMPLEMENT: s->each[c] = log(s->X - s->N[c] + s->a * V); break;
        default:
            s->each[c] = !(s->N[c] + s->a * V > 0)   ? 0 /* all of its words are impossible */
                         : s->smoothing == ADDITIVE  ? -log(s->N[c] + s->a * V)
                         : s->smoothing == DIRICHLET ? -log(s->N[c] + s->mu)
                                                     : 0;
        }
    }
}

/* The part of a word that all classes share. total is X_w. */
static double word_constant(const fit_state *s, double total)
{
    switch (s->event) {
    case BERNOULLI: return 0;
    case COMPLEMENT:
    case WEIGHTED_COMPLEMENT: return -log(total + s->a);
    default:
        return s->smoothing == ADDITIVE    ? s->log_a
               : s->smoothing == DIRICHLET ? log(s->mu * total / s->X)
                                           : log(s->lambda * total / s->X);
    }
}

/* delta_wc of a cell with count x, and for Bernoulli what its presence changes in once_c. */
static double cell_delta(fit_state *s, size_t c, double x, double total)
{
    const double D = (double)s->bag->documents[c];

    switch (s->event) {
    case BERNOULLI: {
        const double p = (x + s->a) / (D + 2 * s->a), not_p = (D - x + s->a) / (D + 2 * s->a);
        s->once[c] += log(not_p) - log1p(-s->a / (D + 2 * s->a));
        return log(p) - log(not_p) - s->each[c];
    }
    case COMPLEMENT:
    case WEIGHTED_COMPLEMENT: return log(total + s->a) - log(total - x + s->a);
    default:
        if (s->smoothing == ADDITIVE)
            return x >= 0 && x < SMALL && x == (int)x ? s->small[(int)x]
                                                      : log(x + s->a) - (s->a > 0 ? s->log_a : 0);
        if (s->smoothing == DIRICHLET)
            return log1p(x / (s->mu * total / s->X));
        return log1p((1 - s->lambda) * x / s->N[c] / (s->lambda * total / s->X));
    }
}

/* Weighted complement: divide by Σ_w |weight|, so that no class dominates. */
static void fit_scale(fit_state *s)
{
    const cr__bag *bag = s->bag;
    double shared = 0;

    for (size_t w = 0; w < bag->words; w++)
        if (s->chosen[w])
            shared += s->word[w];
    for (size_t c = 0; c < bag->classes; c++)
        s->scale[c] = shared + (double)s->V * s->each[c];
    for (size_t w = 0; w < bag->words; w++)
        for (size_t i = bag->row[w]; s->chosen[w] && i < bag->row[w + 1]; i++)
            s->scale[s->cell[i].class_index] += s->cell[i].delta;
    for (size_t c = 0; c < bag->classes; c++)
        s->scale[c] = s->scale[c] != 0 ? 1 / s->scale[c] : 0;
}

/* Whether no two classes differ on the word by as much as select=odds:D requires. */
static int is_dull(const fit_state *s, size_t w)
{
    const size_t last = s->bag->row[w + 1];
    double most = -INFINITY, least = INFINITY;

    for (size_t c = 0, i = s->bag->row[w]; c < s->bag->classes; c++) {
        const int met = i < last && s->cell[i].class_index == c;
        double share = s->each[c] + (isinf(s->word[w]) && !met ? -INFINITY : 0);

        if (met)
            share += s->cell[i++].delta;
        most = fmax(most, share);
        least = fmin(least, share);
    }
    return most - least < s->odds;
}

static void fit_words(fit_state *s)
{
    const cr__bag *bag = s->bag;

    for (size_t w = 0; w < bag->words; w++) {
        double total = 0;

        for (size_t i = bag->row[w]; i < bag->row[w + 1]; i++)
            total += cell_count(s, i);
        s->word[w] = s->chosen[w] && (total > 0 || (s->smoothing == ADDITIVE && s->a > 0))
                         ? word_constant(s, total)
                         : NAN;
        for (size_t i = bag->row[w]; i < bag->row[w + 1]; i++) {
            const uint32_t c = bag->cell[i].class_index;
            s->cell[i] =
                (cr__nb_delta){c, 0, s->chosen[w] ? cell_delta(s, c, cell_count(s, i), total) : 0};
        }
        if (s->odds > 0 && is_dull(s, w))
            s->word[w] = NAN;
    }
    if (s->event == WEIGHTED_COMPLEMENT)
        fit_scale(s);
}

/* --- memory ---------------------------------------------------------------------------------- */

void cr__nb_text_free(cr__nb_text *text)
{
    if (text == NULL)
        return;
    for (size_t i = 0; i < sizeof text->own / sizeof *text->own; i++)
        cr__free(text->own[i]);
    cr__free(text);
}

static void *own(cr__nb_text *text, size_t count, size_t size)
{
    size_t i = 0;

    while (text->own[i] != NULL)
        i++;
    return text->own[i] = cr__alloc_zero(count, size);
}

/* --- all together ---------------------------------------------------------------------------- */

double cr__text_alpha(const cr__knobs *knobs)
{
    const char *alpha = cr__knobs_text(knobs, "text-alpha");

    if (strcmp(alpha, "same") == 0 && cr__knobs_is(knobs, "smoothing", "none"))
        return 0;
    if (strcmp(alpha, "same") == 0)
        alpha = cr__knobs_text(knobs, "alpha");
    return strcmp(alpha, "auto") == 0 ? NAN : cr__list_number(alpha, "", 1);
}

static cr_status check_knobs(const fit_state *s, const cr__knobs *knobs, cr_error *err)
{
    const char *name = cr__knobs_text(knobs, "event");

    if (s->smoothing != ADDITIVE && s->event != MULTINOMIAL && s->event != BOOLEAN)
        return cr__fail(err, CR_EARG, "text-smoothing=%s goes with event=multinomial or boolean",
                        cr__knobs_text(knobs, "text-smoothing"));
    if (s->odds > 0 && (s->event == BERNOULLI || s->event == WEIGHTED_COMPLEMENT))
        return cr__fail(err, CR_EARG,
                        "select=odds:%g does not go with event=%s: all words of the "
                        "vocabulary count there",
                        s->odds, name);
    if (!(s->lambda > 0 && s->lambda < 1))
        return cr__fail(err, CR_EARG, "lambda is %s; it must be between 0 and 1",
                        cr__knobs_text(knobs, "lambda"));
    if (!(s->a > 0) && s->event != MULTINOMIAL && s->event != BOOLEAN) {
        cr__fail(err, CR_EARG, "texts with event=%s need smoothing: without it most are impossible",
                 name);
        return cr__fail_hint(err, CR_EARG, "text-alpha=1 smooths the texts alone");
    }
    return CR_OK;
}

/* The classes' own counts are the likelihood also where the others are used, as in complement. */
static cr__alpha_of alpha_of(event e)
{
    return e == BERNOULLI     ? CR__ALPHA_OF_PRESENCE
           : e == BOOLEAN     ? CR__ALPHA_OF_DOCUMENTS
           : e == MULTINOMIAL ? CR__ALPHA_OF_WEIGHTS
                              : CR__ALPHA_OF_TERMS;
}

static cr_status read_knobs(fit_state *s, const cr__knobs *knobs, cr_error *err)
{
    s->event = event_of(knobs);
    s->smoothing = cr__knobs_is(knobs, "text-smoothing", "jelinek-mercer") ? JELINEK_MERCER
                   : cr__knobs_is(knobs, "text-smoothing", "dirichlet")    ? DIRICHLET
                                                                           : ADDITIVE;
    s->lambda = cr__knobs_number(knobs, "lambda");
    s->mu = cr__knobs_number(knobs, "mu");
    s->a = cr__text_alpha(knobs);
    if (isnan(s->a) && cr__text_auto_alpha(s->bag, s->chosen, alpha_of(s->event), &s->a) != CR_OK)
        return cr__fail_memory(err);
    return check_knobs(s, knobs, err);
}

static cr_status allocate(cr__nb_text *text, fit_state *s, cr_error *err)
{
    const cr__bag *bag = s->bag;

    uint32_t *index;

    text->words.words = bag->words;
    text->words.index_bits = cr__words_index_bits(bag->words);
    text->words.hash = bag->hash;
    text->words.end = bag->end;
    text->words.bytes = bag->bytes;
    text->row = bag->row;
    text->words.index = index = own(text, ((size_t)1 << text->words.index_bits) + 1, sizeof *index);
    text->once = s->once = own(text, bag->classes, sizeof *s->once);
    text->each = s->each = own(text, bag->classes, sizeof *s->each);
    text->scale = s->scale = own(text, bag->classes, sizeof *s->scale);
    text->word = s->word = own(text, bag->words, sizeof *s->word);
    text->cell = s->cell = own(text, bag->cells, sizeof *s->cell);
    s->N = cr__alloc_zero(bag->classes, sizeof *s->N);
    if (index == NULL || s->once == NULL || s->each == NULL || s->scale == NULL ||
        s->word == NULL || s->cell == NULL || s->N == NULL)
        return cr__fail_memory(err);
    cr__words_make_index(&text->words, index);
    return CR_OK;
}

static cr_status fit_idf(cr__nb_text *text, const cr__bag *bag, cr_error *err)
{
    double *idf;

    if (text->weight != CR__WEIGHT_TFIDF && text->weight != CR__WEIGHT_SUBLINEAR)
        return CR_OK;
    if ((idf = own(text, bag->words, sizeof *idf)) == NULL)
        return cr__fail_memory(err);
    for (size_t w = 0; w < bag->words; w++)
        idf[w] = cr__text_idf(bag->frozen_documents, bag->frozen == NULL ? 0 : bag->frozen[w]);
    text->idf = idf;
    return CR_OK;
}

cr_status cr__nb_fit_text(cr__nb_text **out, const cr__bag *bag, const cr__knobs *knobs,
                          cr_error *err)
{
    cr__nb_text *text = cr__alloc_zero(1, sizeof *text);
    unsigned char *chosen = cr__alloc(bag->words, 1);
    fit_state s = {.bag = bag, .chosen = chosen};
    int unit_length;
    cr_status st = CR_OK;

    *out = NULL;
    if (text == NULL || chosen == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK) {
        text->cells = bag->cells;
        text->classes = bag->classes;
        text->weight = cr__text_weighting(knobs, &unit_length);
        text->unit_length = (uint32_t)unit_length;
        text->length = cr__nb_length_of(knobs);
        st = cr__text_choose(bag, knobs, chosen, &s.odds, err);
    }
    if (st == CR_OK)
        st = read_knobs(&s, knobs, err);
    if (st == CR_OK && (s.event == BOOLEAN || s.event == BERNOULLI))
        text->weight = CR__WEIGHT_BINARY;
    if (st == CR_OK)
        st = allocate(text, &s, err);
    if (st == CR_OK)
        st = fit_idf(text, bag, err);
    if (st == CR_OK) {
        take_totals(&s);
        fit_constants(&s);
        fit_words(&s);
        *out = text;
        text = NULL;
    }
    cr__free(s.N);
    cr__free(chosen);
    cr__nb_text_free(text);
    return st;
}

/* Bernoulli and weighted complement sum over the vocabulary; ranks and alpha=auto need all of it;
 * weights of whole texts are sums that do not follow from counts. */
int cr__nb_words_apart(const cr__knobs *knobs)
{
    const event e = event_of(knobs);
    const char *select = cr__knobs_text(knobs, "select");
    int unit_length;

    return e != BERNOULLI && e != WEIGHTED_COMPLEMENT && !isnan(cr__text_alpha(knobs)) &&
           (strcmp(select, "none") == 0 || strncmp(select, "odds:", 5) == 0) &&
           strncmp(cr__knobs_text(knobs, "stop"), "common:", 7) != 0 &&
           (cr__text_weighting(knobs, &unit_length) == CR__WEIGHT_COUNTS || e == BOOLEAN) &&
           !unit_length;
}

int cr__nb_text_is_plain(const cr__knobs *knobs, cr__nb_plain *plain)
{
    const event e = event_of(knobs);
    int unit_length;

    *plain = (cr__nb_plain){.alpha = cr__text_alpha(knobs),
                            .of = e == BOOLEAN ? CR__BAG_DOCUMENTS : CR__BAG_TERMS,
                            .length = cr__nb_length_of(knobs)};
    return (e == BOOLEAN || (e == MULTINOMIAL && !isnan(plain->alpha))) && plain->alpha != 0 &&
           cr__knobs_is(knobs, "text-smoothing", "additive") && plain->length.alike == 1 &&
           (cr__text_weighting(knobs, &unit_length) == CR__WEIGHT_COUNTS || e == BOOLEAN) &&
           !unit_length && cr__knobs_is(knobs, "select", "none") &&
           cr__knobs_number(knobs, "min-count") <= 1 &&
           strncmp(cr__knobs_text(knobs, "stop"), "common:", 7) != 0;
}

/* --- fractions, for explanations ------------------------------------------------------------- */

struct cr__nb_text_counts {
    fit_state state;
    unsigned char *chosen;
};

void cr__nb_text_counts_free(cr__nb_text_counts *t)
{
    if (t == NULL)
        return;
    cr__free(t->state.N);
    cr__free(t->chosen);
    cr__free(t);
}

cr_status cr__nb_text_counts_new(cr__nb_text_counts **out, const cr__bag *bag,
                                 const cr__knobs *knobs, cr_error *err)
{
    cr__nb_text_counts *t = *out = cr__alloc_zero(1, sizeof *t);
    cr_status st;

    if (t == NULL || (t->chosen = cr__alloc(bag->words, 1)) == NULL ||
        (t->state.N = cr__alloc_zero(bag->classes, sizeof *t->state.N)) == NULL)
        return cr__fail_memory(err);
    t->state.bag = bag;
    t->state.chosen = t->chosen;
    if ((st = cr__text_choose(bag, knobs, t->chosen, &t->state.odds, err)) == CR_OK)
        st = read_knobs(&t->state, knobs, err);
    if (st == CR_OK)
        take_totals(&t->state);
    return st;
}

cr_word_form cr__nb_text_form(const cr__nb_text_counts *t)
{
    const fit_state *s = &t->state;

    return s->event == WEIGHTED_COMPLEMENT || s->smoothing == JELINEK_MERCER ? CR_WORD_NUMBER
           : s->event == BERNOULLI                                           ? CR_WORD_ODDS
           : s->event == COMPLEMENT                                          ? CR_WORD_INVERSE
                                                                             : CR_WORD_PROBABILITY;
}

/* Of one class; all is X_w. See the top of the file for the formulas. */
static void set_fraction(const fit_state *s, double x, double all, size_t c,
                         const cr__nb_fractions *out)
{
    const double N = s->N[c], V = (double)s->V, D = (double)s->bag->documents[c];
    const int other = s->event == COMPLEMENT;

    out->count[c] = other ? s->X - N : x;
    out->total[c] = s->event == BERNOULLI ? D - x : other ? all - x : N;
    if (s->event == BERNOULLI || other) {
        out->top[c] = out->count[c] + (other ? s->a * V : s->a);
        out->bottom[c] = out->total[c] + s->a;
    } else {
        out->top[c] = x + (s->smoothing == DIRICHLET ? s->mu * all / s->X : s->a);
        out->bottom[c] = N + (s->smoothing == DIRICHLET ? s->mu : s->a * V);
    }
}

void cr__nb_text_fractions(const cr__nb_text_counts *t, size_t word, const cr__nb_fractions *out)
{
    const fit_state *s = &t->state;
    const cr__bag *bag = s->bag;
    double all = 0;

    for (size_t i = bag->row[word]; i < bag->row[word + 1]; i++)
        all += cell_count(s, i);
    for (size_t c = 0; c < bag->classes; c++)
        set_fraction(s, 0, all, c, out);
    for (size_t i = bag->row[word]; i < bag->row[word + 1]; i++)
        set_fraction(s, cell_count(s, i), all, bag->cell[i].class_index, out);
}
