/* learners/logistic/text_features.c - convert the words of a text to weighted features. */
#include <math.h>

#include "learners/logistic/logistic.h"
#include "text/mail.h"

cr__lr_text_features cr__lr_text_features_of(const cr__lr_text *text)
{
    const cr__nb_text *form = &text->form;

    return (cr__lr_text_features){.weight = (cr__text_weight)form->weight,
                                  .unit_length = (int)form->unit_length,
                                  .apart = (int)text->apart,
                                  .idf = form->idf,
                                  .ratio = text->ratio,
                                  .end = form->words.end,
                                  .bytes = form->words.bytes};
}

int cr__lr_apart(const cr__knobs *knobs)
{
    return cr__knobs_is(knobs, "mail", "yes") && cr__knobs_is(knobs, "length-norm", "l2");
}

size_t cr__lr_run(const uint32_t *word, size_t n, size_t i)
{
    size_t run = 1;

    while (i + run < n && word[i + run] == word[i])
        run++;
    return run;
}

double cr__lr_word_weight(const cr__lr_text_features *how, uint32_t word, size_t count)
{
    const double f =
        cr__text_weight_of(how->weight, (double)count, how->idf == NULL ? 1 : how->idf[word]);

    return how->ratio == NULL ? f : f * how->ratio[word];
}

static int is_head(const cr__lr_text_features *how, uint32_t word)
{
    const uint32_t start = word == 0 ? 0 : how->end[word - 1];

    return how->apart && cr__mail_is_head(how->bytes + start, how->end[word] - start);
}

static cr__lr_norm norm_from(double body, double head)
{
    return (cr__lr_norm){body > 0 ? 1 / sqrt(body) : 1, head > 0 ? 1 / sqrt(head) : 1};
}

cr__lr_norm cr__lr_norm_of(const cr__lr_text_features *how, const uint32_t *word, size_t n)
{
    double squares[2] = {0};

    for (size_t i = 0, run; how->unit_length && i < n; i += run) {
        const double f = cr__lr_word_weight(how, word[i], run = cr__lr_run(word, n, i));

        squares[is_head(how, word[i])] += f * f;
    }
    return norm_from(squares[0], squares[1]);
}

double cr__lr_norm_for(const cr__lr_text_features *how, const cr__lr_norm *norm, uint32_t word)
{
    return is_head(how, word) ? norm->head : norm->body;
}

size_t cr__lr_weigh_text(const cr__lr_text_features *how, const uint32_t *word, size_t n,
                         size_t first, uint32_t *index, double *value)
{
    const cr__lr_norm norm = index == NULL ? (cr__lr_norm){1, 1} : cr__lr_norm_of(how, word, n);
    size_t count = 0;

    for (size_t i = 0, run; i < n; i += run) {
        const uint32_t w = word[i];

        run = cr__lr_run(word, n, i);
        if (how->chosen != NULL && !how->chosen[w])
            continue;
        if (index != NULL) {
            index[count] = (uint32_t)(first + w);
            value[count] = cr__lr_word_weight(how, w, run) * cr__lr_norm_for(how, &norm, w);
        }
        count++;
    }
    return count;
}
