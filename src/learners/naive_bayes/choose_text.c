/* learners/naive_bayes/choose_text.c - which words are used, and how strongly to smooth.
 *
 * Words are dropped by min-count (seen fewer times), stop=common:N (the N commonest) and select:
 * the K words most informative about the class, by
 *
 *     chi2   χ² of the table (word in the document or not) × class
 *     gain   information gain: the mutual information of the same table, in bits (Yang &
 *            Pedersen, "A comparative study on feature selection in text categorization", 1997)
 *
 * select=odds:D instead drops the words whose log-odds between any two classes is less than
 * D: they are hardly informative, but numerous and not independent. Everything is computed from the
 * counts, so `refit` can change it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "learners/naive_bayes/text.h"

typedef struct ranked {
    double value;
    uint32_t word;
} ranked;

/* Largest first; equal ones in the canonical order of the words. */
static int compare_ranked(const void *pa, const void *pb)
{
    const ranked *a = pa, *b = pb;

    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return a->word < b->word ? -1 : a->word > b->word;
}

static double word_terms(const cr__bag *bag, size_t w)
{
    double n = 0;

    for (size_t i = bag->row[w]; i < bag->row[w + 1]; i++)
        n += (double)bag->cell[i].terms;
    return n;
}

/* n log2(n / e), 0 at n = 0: the terms of a mutual information with expected count e. */
static double gain_term(double n, double expected)
{
    return n > 0 ? n * log2(n / expected) : 0;
}

static double chi_term(double n, double expected)
{
    return expected > 0 ? (n - expected) * (n - expected) / expected : 0;
}

/* Σ over classes of term(with the word) + term(without it). */
static double table_value(const cr__bag *bag, size_t w, double all,
                          double (*term)(double n, double expected))
{
    double with = 0, value = 0, missed = 0;

    for (size_t i = bag->row[w]; i < bag->row[w + 1]; i++)
        with += bag->cell[i].documents;
    /* Classes without the word, together: n = 0 with it and D_c without. */
    for (size_t i = bag->row[w]; i < bag->row[w + 1]; i++) {
        const double n = bag->cell[i].documents;
        const double D = (double)bag->documents[bag->cell[i].class_index];

        value += term(n, D * with / all) + term(D - n, D * (all - with) / all);
        missed += D;
    }
    missed = all - missed;
    if (term == gain_term)
        return (value + gain_term(missed, missed * (all - with) / all)) / all;
    return value + missed * with / all + chi_term(missed, missed * (all - with) / all);
}

/* "chi2:3000", "gain:500" or "odds:2". */
static cr_status parse_select(const char *text, double (**term)(double, double), int64_t *keep,
                              double *odds, cr_error *err)
{
    const size_t head = 5;

    *odds = 0;
    if (strncmp(text, "odds:", head) == 0 &&
        cr__parse_double(text + head, strlen(text + head), odds) == CR__NUMBER_OK && *odds > 0)
        return CR_OK;
    *term = strncmp(text, "chi2:", head) == 0   ? chi_term
            : strncmp(text, "gain:", head) == 0 ? gain_term
                                                : NULL;
    if (*term == NULL || cr__parse_int64(text + head, strlen(text + head), keep) != CR__NUMBER_OK ||
        *keep < 1)
        return cr__fail(err, CR_EARG, "select is '%s'; it must be none, chi2:K, gain:K or odds:D",
                        text);
    return CR_OK;
}

/* Rank the words that are still in, and keep (or drop) the first `count`. */
static cr_status by_rank(const cr__bag *bag, unsigned char *chosen, double (*term)(double, double),
                         int64_t count, int drop, cr_error *err)
{
    ranked *list = cr__alloc(bag->words, sizeof *list);
    double all = 0;
    size_t n = 0;

    if (list == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < bag->classes; c++)
        all += (double)bag->documents[c];
    for (size_t w = 0; w < bag->words; w++)
        if (chosen[w])
            list[n++] = (ranked){term == NULL ? word_terms(bag, w) : table_value(bag, w, all, term),
                                 (uint32_t)w};
    qsort(list, n, sizeof *list, compare_ranked);
    for (size_t i = 0; i < n; i++)
        chosen[list[i].word] = ((int64_t)i < count) != drop;
    cr__free(list);
    return CR_OK;
}

cr_status cr__text_choose(const cr__bag *bag, const cr__knobs *knobs, unsigned char *chosen,
                          double *odds, cr_error *err)
{
    const double least = cr__knobs_number(knobs, "min-count");
    const char *stop = cr__knobs_text(knobs, "stop"), *select = cr__knobs_text(knobs, "select");
    double (*term)(double, double) = NULL;
    int64_t count = 0;
    cr_status st = CR_OK;

    *odds = 0;
    memset(chosen, 1, bag->words);
    if (strncmp(stop, "common:", 7) == 0) {
        if (cr__parse_int64(stop + 7, strlen(stop + 7), &count) != CR__NUMBER_OK || count < 0)
            return cr__fail(err, CR_EARG, "stop is '%s'; it must be common:N", stop);
        st = by_rank(bag, chosen, NULL, count, 1, err);
    }
    for (size_t w = 0; st == CR_OK && w < bag->words; w++)
        if (word_terms(bag, w) < least)
            chosen[w] = 0;
    if (st == CR_OK && strcmp(select, "none") != 0) {
        st = parse_select(select, &term, &count, odds, err);
        if (st == CR_OK && *odds == 0)
            st = by_rank(bag, chosen, term, count, 0, err);
    }
    return st;
}

/* --- alpha=auto ------------------------------------------------------------------------------ */

/* What a cell sums up to, x, and its share u of one occurrence: u = 1 for counts. A sum of weights
 * comes from d documents, so leaving one out takes about u = x/d from it. D is the documents of the
 * class where they matter. There are `cells` alike. */
typedef struct occurrence {
    double x, u, D, cells;
} occurrence;

typedef struct occurrences {
    occurrence *of;
    size_t count;
    occurrence *total; /* [classes] N_c and u_c */
    size_t classes;
    double V;
    const uint64_t *documents; /* [classes] where words occur in a document or not; else NULL */
} occurrences;

static occurrence cell_of(const cr__bag *bag, cr__alpha_of of, size_t i)
{
    const double d = bag->cell[i].documents;

    if (of == CR__ALPHA_OF_WEIGHTS && bag->weight != NULL) {
        const double x = (double)bag->weight[i] / CR__WEIGHT_ONE;

        return (occurrence){x, d > 0 ? x / d : x, 0, 1};
    }
    if (of == CR__ALPHA_OF_PRESENCE)
        return (occurrence){d, 1, (double)bag->documents[bag->cell[i].class_index], 1};
    return (occurrence){of == CR__ALPHA_OF_DOCUMENTS ? d : (double)bag->cell[i].terms, 1, 0, 1};
}

/* The log likelihood of every count when it is left out of its own estimate:
 *   multinomial  Σ x log((x - u + a) / (N_c - u_c + a V))
 *   Bernoulli    Σ d log((d - 1 + a) / (D_c - 1 + 2 a)) + (D_c - d) log((D_c - d - 1 + a) / …)
 * (leaving-one-out, Ney, Essen & Kneser 1995). x counts terms, or documents if event=boolean, with
 * u = u_c = 1; or it sums weights, with u the mean weight of the cell and u_c that of the class. */
static double left_out(const occurrences *s, double a)
{
    const int presence = s->documents != NULL;
    double sum = 0;

    for (size_t c = 0; c < s->classes; c++) {
        const double D = presence ? (double)s->documents[c] : 0;
        const double N = s->total[c].x, u = s->total[c].u;

        if (presence && D > 1) /* every word absent from every document, corrected below */
            sum += s->V * D * log((D - 1 + a) / (D - 1 + 2 * a));
        else if (!presence && N > u)
            sum -= N * log(N - u + a * s->V);
    }
    for (size_t i = 0; i < s->count; i++) {
        const occurrence o = s->of[i];
        const double D = o.D, d = o.x;

        if (!presence)
            sum += o.cells * o.x * log(fmax(o.x - o.u, 0) + a);
        else if (D > 1)
            sum += o.cells * (d * log((d - 1 + a) / (D - 1 + 2 * a)) +
                              (D - d > 0 ? (D - d) * log((D - d - 1 + a) / (D - 1 + 2 * a)) : 0) -
                              D * log((D - 1 + a) / (D - 1 + 2 * a)));
    }
    return sum;
}

/* Golden section on log a: the curve has one maximum. */
static double best_alpha(const occurrences *s)
{
    const double golden = (sqrt(5) - 1) / 2;
    double low = log(1e-5), high = log(10), left = high - golden * (high - low);
    double right = low + golden * (high - low);
    double at_left = left_out(s, exp(left)), at_right = left_out(s, exp(right));

    while (high - low > 1e-3)
        if (at_left > at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = left_out(s, exp(left));
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = left_out(s, exp(right));
        }
    return exp((low + high) / 2);
}

/* Most cells are alike, words that occurred once or twice: how many have each small count. */
static void take_small(occurrences *s, const uint64_t *cells, size_t room)
{
    for (size_t x = 1; x < room; x++)
        if (cells[x] > 0)
            s->of[s->count++] = (occurrence){(double)x, 1, 0, (double)cells[x]};
}

/* V, N_c and u_c of every class, and the different occurrences. Counts below room go to small. */
static void take_occurrences(occurrences *s, const cr__bag *bag, const unsigned char *chosen,
                             cr__alpha_of of, uint64_t *small, size_t room)
{
    for (size_t w = 0; w < bag->words; w++) {
        s->V += chosen[w];
        for (size_t i = bag->row[w]; chosen[w] && i < bag->row[w + 1]; i++) {
            const occurrence o = cell_of(bag, of, i);
            occurrence *t = &s->total[bag->cell[i].class_index];

            t->x += o.x;
            t->u += o.u > 0 ? o.x / o.u : 0; /* how many occurrences */
            if (o.x < (double)room)
                small[(size_t)o.x]++;
            else
                s->of[s->count++] = o;
        }
    }
    take_small(s, small, room);
    for (size_t c = 0; c < bag->classes; c++)
        s->total[c].u = s->total[c].u > 0 ? s->total[c].x / s->total[c].u : 0;
}

/* Counts up to this are tabulated: of documents all, so that they are added up in their order. */
static size_t tabled(const cr__bag *bag, cr__alpha_of of)
{
    enum { OF_TERMS = 1024 };
    uint64_t most = 0;

    if (of == CR__ALPHA_OF_PRESENCE || (of == CR__ALPHA_OF_WEIGHTS && bag->weight != NULL))
        return 0;
    if (of != CR__ALPHA_OF_DOCUMENTS)
        return OF_TERMS;
    for (size_t c = 0; c < bag->classes; c++)
        most = bag->documents[c] > most ? bag->documents[c] : most;
    return (size_t)most + 1;
}

cr_status cr__text_auto_alpha(const cr__bag *bag, const unsigned char *chosen, cr__alpha_of of,
                              double *alpha)
{
    const size_t room = tabled(bag, of);
    uint64_t *small = cr__alloc_zero(room + 1, sizeof *small);
    occurrences s = {.of = cr__alloc(bag->cells + 1, sizeof *s.of),
                     .total = cr__alloc_zero(bag->classes, sizeof *s.total),
                     .classes = bag->classes,
                     .documents = of == CR__ALPHA_OF_PRESENCE ? bag->documents : NULL};
    const cr_status st = s.of == NULL || s.total == NULL || small == NULL ? CR_ENOMEM : CR_OK;

    if (st == CR_OK) {
        take_occurrences(&s, bag, chosen, of, small, room);
        *alpha = best_alpha(&s);
    }
    cr__free(s.of);
    cr__free(s.total);
    cr__free(small);
    return st;
}

cr_status cr__text_auto_alpha_of(const uint64_t *cells, size_t room, const int64_t *N,
                                 size_t classes, uint64_t V, double *alpha)
{
    occurrences s = {.of = cr__alloc(room + 1, sizeof *s.of),
                     .total = cr__alloc(classes, sizeof *s.total),
                     .classes = classes,
                     .V = (double)V};
    const cr_status st = s.of == NULL || s.total == NULL ? CR_ENOMEM : CR_OK;

    for (size_t c = 0; st == CR_OK && c < classes; c++)
        s.total[c] = (occurrence){.x = (double)N[c], .u = N[c] > 0};
    if (st == CR_OK) {
        take_small(&s, cells, room);
        *alpha = best_alpha(&s);
    }
    cr__free(s.of);
    cr__free(s.total);
    return st;
}
