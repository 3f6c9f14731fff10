/* model/inspect_words.c - inspect the texts of a model. */
#include <math.h>

#include "base/memory.h"
#include "model/model.h"

static const cr__bag *bag_of(const cr_model *model, size_t column)
{
    const cr__stats *stats;

    if (!cr__model_has_column(model, column) || model->schema->column[column].kind != CR_BAG ||
        cr__model_stats(model, &stats, NULL) != CR_OK)
        return NULL;
    return stats->column[column].bag;
}

size_t cr_model_words(const cr_model *model, size_t column)
{
    const cr__bag *bag = bag_of(model, column);

    return bag == NULL ? 0 : bag->words;
}

cr_status cr_model_word(const cr_model *model, size_t column, size_t word, size_t c, cr_word *out)
{
    const cr__bag *bag = bag_of(model, column);

    *out = (cr_word){0};
    if (bag == NULL || word >= bag->words || c >= bag->classes)
        return CR_EARG;
    out->bytes = cr__bag_word(bag, word, &out->length);
    for (uint64_t i = bag->row[word]; i < bag->row[word + 1]; i++)
        if (bag->cell[i].class_index == c) {
            out->terms = (double)bag->cell[i].terms;
            out->documents = bag->cell[i].documents;
        }
    out->log_share = model->learner->has_words->share(model->share->fitted, column, word, c);
    return CR_OK;
}

/* P(w | c) log(P(w | c) / P(w | not c)), both with 1/2 added to the counts: a word's contribution
 * to the divergence of the class from the others. */
static double speaks_for(const cr__bag *bag, size_t word, size_t c, double in_class,
                         double elsewhere)
{
    double here = 0, there = 0, p, q;

    for (uint64_t i = bag->row[word]; i < bag->row[word + 1]; i++)
        if (bag->cell[i].class_index == c)
            here += (double)bag->cell[i].terms;
        else
            there += (double)bag->cell[i].terms;
    p = (here + 0.5) / (in_class + 1);
    q = (there + 0.5) / (elsewhere + 1);
    return here > 0 ? p * log(p / q) : -1;
}

size_t cr_model_informative_words(const cr_model *model, size_t column, size_t c, size_t *words,
                                  size_t n)
{
    const cr__bag *bag = c < cr_model_classes(model) ? bag_of(model, column) : NULL;
    double in_class = 0, elsewhere = 0, least = 0; /* least: of the last word, when there are n */
    size_t count = 0;

    if (bag == NULL || n == 0)
        return 0;
    for (size_t i = 0; i < bag->cells; i++)
        *(bag->cell[i].class_index == c ? &in_class : &elsewhere) += (double)bag->cell[i].terms;
    for (size_t w = 0; w < bag->words; w++) {
        const double v = speaks_for(bag, w, c, in_class, elsewhere);
        size_t at;

        if (v <= 0 || (count == n && v <= least) ||
            isnan(model->learner->has_words->share(model->share->fitted, column, w, c)))
            continue;
        /* What the words before it are worth is counted again: that takes no memory, which could
         * be missing. */
        for (at = count < n ? count++ : n - 1;
             at > 0 && speaks_for(bag, words[at - 1], c, in_class, elsewhere) < v; at--)
            words[at] = words[at - 1];
        words[at] = w;
        if (count == n)
            least = speaks_for(bag, words[n - 1], c, in_class, elsewhere);
    }
    return count;
}

double cr_model_present(const cr_model *model, size_t column)
{
    const cr__stats *stats;
    const cr__column_stats *s;
    cr__count total = {0};
    double texts = 0;

    if (!cr__model_has_column(model, column) ||
        cr__model_stats(cr__model_counted(model, &column), &stats, NULL) != CR_OK)
        return NAN;
    s = &stats->column[column];
    for (size_t c = 0; c < stats->classes; c++) {
        if (s->moment != NULL)
            total = cr__count_plus(total, s->moment[c].count, 1);
        else if (s->bag != NULL)
            texts += (double)s->bag->documents[c];
        for (size_t v = 0; s->whole != NULL && v < cr__stats_values(stats, column); v++)
            total = cr__count_plus(total, cr__stats_count(stats, column, v, c), 1);
    }
    return cr__count_value(total) + texts;
}

/* The log of the mean of e^log_share over the other classes, weighted by their priors. The largest
 * is taken out first, so that nothing overflows. */
static double log_elsewhere(const cr_model *model, size_t column, size_t word, size_t c)
{
    double largest = -INFINITY, sum = 0, priors = 0;
    cr_word w;

    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < cr_model_classes(model); k++) {
            if (k == c || cr_model_word(model, column, word, k, &w) != CR_OK)
                continue;
            if (pass == 0) {
                largest = fmax(largest, w.log_share);
                priors += cr_model_prior(model, k);
            } else if (isfinite(largest)) {
                sum += cr_model_prior(model, k) * exp(w.log_share - largest);
            }
        }
    return isfinite(largest) && priors > 0 ? largest + log(sum / priors) : largest;
}

double cr_model_word_odds(const cr_model *model, size_t column, size_t word, size_t c)
{
    cr_word w;

    if (cr_model_word(model, column, word, c, &w) != CR_OK || isnan(w.log_share))
        return NAN;
    if (cr_model_classes(model) < 2)
        return 0;
    return w.log_share - log_elsewhere(model, column, word, c);
}
