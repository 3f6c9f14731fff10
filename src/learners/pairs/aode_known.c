/* learners/pairs/aode_known.c - one row as averaged one-dependence estimators see it. */
#include "learners/pairs/aode_known.h"

#include <math.h>

#include "base/memory.h"

int cr__aode_known_make(cr__aode_known *k, const cr__aode *a)
{
    const size_t n = a->places.features, width = cr__aode_padded(a->places.classes);

    *k = (cr__aode_known){.width = width, .sums = cr__aode_sums_best()};
    k->code = cr__alloc(n, sizeof *k->code);
    k->never = cr__alloc(n, 1);
    k->feature = cr__alloc(n, sizeof *k->feature);
    k->value = cr__alloc(n, sizeof *k->value);
    k->super = cr__alloc(n, sizeof *k->super);
    k->log_p = cr__alloc_zero(n + 3, width * sizeof *k->log_p);
    if (k->log_p == NULL)
        return 0;
    k->top = k->log_p + (n + 1) * width;
    k->sum = k->top + width;
    return k->code != NULL && k->never != NULL && k->feature != NULL && k->value != NULL &&
           k->super != NULL;
}

void cr__aode_known_free(cr__aode_known *k)
{
    cr__free(k->code);
    cr__free(k->never);
    cr__free(k->feature);
    cr__free(k->value);
    cr__free(k->super);
    cr__free(k->log_p);
}

void cr__aode_known_take(cr__aode_known *k, const cr__aode *a)
{
    k->count = k->models = 0;
    for (size_t i = 0; i < a->places.features; i++) {
        if (k->code[i] == CR__MISSING)
            continue;
        k->feature[k->count] = i;
        k->value[k->count] = a->first[i] + k->code[i] - 1;
        if (cr__aode_value_votes(a, i, k->value[k->count]))
            k->super[k->models++] = k->count;
        k->count++;
    }
}

double cr__aode_log_mean(double top, double sum, size_t models)
{
    return sum > 0 ? top + log(sum / (double)models) : -INFINITY;
}

void cr__aode_known_mean(const cr__aode_known *k, size_t classes, double *out)
{
    const size_t models = k->models > 0 ? k->models : 1;

    k->sums(k->log_p, k->width, models, classes, k->top, k->sum);
    for (size_t c = 0; c < classes; c++)
        out[c] = cr__aode_log_mean(k->top[c], k->sum[c], models);
}
