/* network/learn/score.c - scores of tables of counts. */
#include "network/learn/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "credence/spec.h"
#include "base/number.h"
#include "base/special.h"

static const struct {
    const char *name;
    cr__score_kind kind;
} scores[] = {{"bic", CR__SCORE_BIC},
              {"aic", CR__SCORE_AIC},
              {"bdeu", CR__SCORE_BDEU},
              {"k2", CR__SCORE_K2},
              {"loglik", CR__SCORE_LOGLIK}};

enum { SCORES = sizeof scores / sizeof *scores };

cr_status cr__score_read(cr__score *out, const char *text, cr_error *err)
{
    const size_t length = strcspn(text, ":");
    cr_nearest near = (cr_nearest){.wanted = text};

    *out = (cr__score){CR__SCORE_BIC, 1};
    for (size_t i = 0; i < SCORES; i++) {
        cr_nearest_offer(&near, scores[i].name);
        if (strlen(scores[i].name) != length || memcmp(scores[i].name, text, length) != 0)
            continue;
        out->kind = scores[i].kind;
        if (text[length] == '\0')
            return CR_OK;
        if (out->kind != CR__SCORE_BDEU)
            break;
        text += length + 1;
        if (cr__parse_double(text, strlen(text), &out->size) == CR__NUMBER_OK && out->size > 0)
            return CR_OK;
        return cr__fail(err, CR_EARG, "bdeu:%s needs a number of rows above 0 for its prior", text);
    }
    cr__fail(err, CR_EARG, "there is no score '%s'", text);
    return cr__fail_hint(err, CR_EARG, "%s%s%s", near.best == NULL ? "" : "did you mean '",
                         near.best == NULL ? "bic, aic, bdeu:SIZE, k2 and loglik are the scores"
                                           : near.best,
                         near.best == NULL ? "" : "'?");
}

/* Where the counts of a node's states are, for one combination of its parents. */
typedef struct lot {
    const double *counts;
    size_t states, step;
} lot;

static double sum_of(const lot *l)
{
    double sum = 0;

    for (size_t k = 0; k < l->states; k++)
        sum += l->counts[k * l->step];
    return sum;
}

/* Σk N(k) ln N(k) - N ln N. */
static double log_likelihood(const lot *l)
{
    double sum = 0, total = 0;

    for (size_t k = 0; k < l->states; k++) {
        const double n = l->counts[k * l->step];

        total += n;
        sum += n > 0 ? n * log(n) : 0;
    }
    return total > 0 ? sum - total * log(total) : 0;
}

/* ln Γ(r a) - ln Γ(N + r a) + Σk ( ln Γ(N(k) + a) - ln Γ(a) ), given ln Γ(r a) and ln Γ(a). */
static double log_dirichlet(const lot *l, double a, double log_sum, double log_one)
{
    const double total = sum_of(l);
    double sum = 0;

    if (total <= 0)
        return 0;
    for (size_t k = 0; k < l->states; k++)
        if (l->counts[k * l->step] > 0)
            sum += cr__log_gamma(l->counts[k * l->step] + a) - log_one;
    return sum + log_sum - cr__log_gamma(total + (double)l->states * a);
}

double cr__score_table(const cr__score *score, double total, const double *counts, size_t inner,
                       size_t states, size_t outer)
{
    const double q = (double)inner * (double)outer, r = (double)states;
    const int prior = score->kind == CR__SCORE_BDEU || score->kind == CR__SCORE_K2;
    const double a = score->kind == CR__SCORE_BDEU ? score->size / (q * r) : 1;
    const double log_sum = prior ? cr__log_gamma(r * a) : 0;
    const double log_one = prior ? cr__log_gamma(a) : 0;
    double sum = 0;

    for (size_t j = 0; j < inner; j++)
        for (size_t o = 0; o < outer; o++) {
            const lot l = {counts + j * states * outer + o, states, outer};

            sum += prior ? log_dirichlet(&l, a, log_sum, log_one) : log_likelihood(&l);
        }
    if (score->kind == CR__SCORE_AIC)
        sum -= q * (r - 1);
    else if (score->kind == CR__SCORE_BIC)
        sum -= q * (r - 1) * log(total > 1 ? total : 1) / 2;
    return sum;
}
