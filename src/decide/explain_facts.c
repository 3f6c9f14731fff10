/* decide/explain_facts.c - derived facts of an explanation: the rival, the zero, the order of
 * words.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "credence/explain.h"

cr_status cr_explanation_rival(int32_t *out, const cr_model *model, const cr_explanation *e,
                               const char *against, cr_error *err)
{
    size_t c;
    cr_status st;

    *out = e->runner_up;
    if (against == NULL)
        return CR_OK;
    st = cr_model_find_class(&c, model, against, err);
    if (st == CR_OK && (int32_t)c != e->decision)
        *out = (int32_t)c;
    return st;
}

const cr_factor *cr_explanation_zero(const cr_explanation *e, size_t class_index)
{
    for (size_t i = 0; i < e->factors; i++)
        if (isinf(e->factor[i].log_p[class_index]))
            return &e->factor[i];
    return NULL;
}

double cr_explanation_certainty(const cr_explanation *e)
{
    const double p = e->decision == CR_UNDECIDED ? 0 : e->posterior[e->decision];

    return p == 1 && e->runner_up != CR_UNDECIDED && isfinite(e->score[e->runner_up])
               ? nextafter(1, 0)
               : p;
}

/* The sum of the words may differ from the factor in its last bits. */
double cr_factor_alike(const cr_factor *f, size_t class_index)
{
    double words = 0, rest;

    for (size_t i = 0; i < f->words; i++)
        words += f->word[i].log_p[class_index];
    rest = f->log_p[class_index] - words;
    return isfinite(rest) && fabs(rest) > 1e-9 * fmax(1, fabs(words)) ? rest : 0;
}

typedef struct ranked {
    double strength;
    size_t place;
} ranked;

static int stronger_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    if (x->strength != y->strength)
        return x->strength > y->strength ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

cr_status cr_factor_order_words(const cr_factor *f, int32_t decision, int32_t rival, size_t *word)
{
    ranked *all = cr__alloc(f->words, sizeof *all);

    if (all == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < f->words; i++) {
        double odds = 0;

        if (decision != CR_UNDECIDED && rival != CR_UNDECIDED)
            odds = f->word[i].log_p[decision] - f->word[i].log_p[rival];
        all[i] = (ranked){isnan(odds) ? 0 : fabs(odds), i};
    }
    qsort(all, f->words, sizeof *all, stronger_first);
    for (size_t i = 0; i < f->words; i++)
        word[i] = all[i].place;
    cr__free(all);
    return CR_OK;
}
