/* eval/reliability.c - bins of posteriors and the shares observed in them. */
#include <math.h>

#include "base/fail.h"
#include "eval/evaluation.h"

/* (p + z²/2n ± z √(p (1 - p) / n + z²/4n²)) / (1 + z²/n), z the normal's 97.5 % point (JASA 22,
 * 1927). */
void cr_wilson_interval(double share, double n, double *low, double *high)
{
    const double z = 1.959963984540054;
    const double centre = share + z * z / (2 * n);
    const double half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n));

    *low = share <= 0 ? 0 : fmax(0, (centre - half) / (1 + z * z / n));
    *high = share >= 1 ? 1 : fmin(1, (centre + half) / (1 + z * z / n));
}

static void fill_bin(cr_reliability_bins *out, size_t b, const cr__bin *bin)
{
    out->weight[b] = bin->weight;
    out->confidence[b] = out->share[b] = out->low[b] = out->high[b] = NAN;
    if (!(bin->weight > 0))
        return;
    out->confidence[b] = bin->sum / bin->weight;
    out->share[b] = bin->hits / bin->weight;
    cr_wilson_interval(out->share[b], bin->weight, &out->low[b], &out->high[b]);
}

cr_status cr_evaluation_reliability(const cr_evaluation *e, size_t class_index,
                                    cr_reliability_bins *out, cr_error *err)
{
    const int of_class = class_index != SIZE_MAX;
    const cr__bin *bins = of_class ? e->class_bin : e->bin;

    *out = (cr_reliability_bins){0};
    if (of_class && class_index >= e->classes)
        return cr__fail(err, CR_EARG, "there are %zu classes", e->classes);
    if (bins == NULL)
        return cr__fail(err, CR_ELIMIT, "there are too many classes for bins of each");
    bins += of_class ? class_index * CR__BINS : 0;
    for (size_t b = 0; b < CR__BINS; b++) {
        fill_bin(out, b, &bins[b]);
        out->error += e->weight > 0 ? fabs(bins[b].hits - bins[b].sum) / e->weight : 0;
    }
    return CR_OK;
}
