/* data/discretise.c - rules that cut by width and by frequency. */
#include "data/discretise.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

enum { FREQUENCY_USUAL = 10, WIDTH_MOST = 64 };

void cr__spread_free(cr__spread *spread)
{
    cr__free(spread->value);
    cr__free(spread->class_of);
    cr__free(spread->count);
    *spread = (cr__spread){0};
}

/* --- rules as text -------------------------------------------------------------------------- */

/* ":K" after the name of a rule. */
static int read_bins(cr__cut_rule *rule, const char *text)
{
    uint64_t bins;

    if (*text == '\0')
        return 1;
    if (cr__parse_uint64(text + 1, strlen(text + 1), &bins) != CR__NUMBER_OK || bins < 2 ||
        bins > CR__CUT_BINS_MOST)
        return -1;
    rule->bins = (size_t)bins;
    return 1;
}

int cr__cut_rule_read(cr__cut_rule *out, const char *text)
{
    static const struct {
        const char *name;
        cr__cut_rule_kind kind;
        int numbered;
    } rules[] = {{"width", CR__CUT_WIDTH, 1},
                 {"frequency", CR__CUT_FREQUENCY, 1},
                 {"sqrt", CR__CUT_SQRT, 0},
                 {"mdl", CR__CUT_MDL, 0},
                 {"auto", CR__CUT_AUTO, 0}};
    const size_t length = strcspn(text, ":");

    *out = (cr__cut_rule){0};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strlen(rules[i].name) == length && memcmp(rules[i].name, text, length) == 0 &&
            (rules[i].numbered || text[length] == '\0')) {
            out->kind = rules[i].kind;
            return read_bins(out, text + length);
        }
    return 0;
}

/* --- cuts ----------------------------------------------------------------------------------- */

/* To 15 digits, so that 3.35 is not 3.3499999999999996. */
static double rounded_cut(double x)
{
    const int exponent = x == 0 ? 0 : 14 - (int)floor(log10(fabs(x)));

    return exponent >= 0 && exponent <= 22
               ? rint(x * cr__exact_tens[exponent]) / cr__exact_tens[exponent]
               : x;
}

double cr__cut_between(double a, double b)
{
    const double middle = a / 2 + b / 2, rounded = rounded_cut(middle);

    if (rounded >= a && rounded < b)
        return rounded;
    return middle >= a && middle < b ? middle : a;
}

static double total(const cr__spread *spread)
{
    double n = 0;

    for (size_t i = 0; i < spread->entries; i++)
        n += spread->count[i];
    return n;
}

static cr_status reserve_cuts(cr__cuts *out, size_t most)
{
    out->cut = cr__alloc(most, sizeof *out->cut);
    return out->cut == NULL ? CR_ENOMEM : CR_OK;
}

static cr_status cut_width(cr__cuts *out, const cr__spread *spread, size_t bins)
{
    const double low = spread->value[0], high = spread->value[spread->entries - 1];
    cr_status st = reserve_cuts(out, bins);

    for (size_t i = 1; st == CR_OK && i < bins; i++) {
        const double share = (double)i / (double)bins;
        const double cut = rounded_cut(low * (1 - share) + high * share) + 0.0;

        if (cut > (out->count == 0 ? -INFINITY : out->cut[out->count - 1]) && cut < high)
            out->cut[out->count++] = cut;
    }
    return st;
}

/* ln of the density that a histogram of `bins` equal intervals gives each row when that row is left
 * out, summed over all rows: Σ n_b ln ((n_b - 1) bins / ((N - 1) range)) (Rudemo 1982, "Empirical
 * choice of histograms and kernel density estimators"; here the likelihood in place of the
 * square). A row alone in its interval counts as half a row would. */
static double left_out(const cr__spread *spread, size_t bins, double *rows)
{
    const double low = spread->value[0], high = spread->value[spread->entries - 1];
    double log_p = 0;

    memset(rows, 0, bins * sizeof *rows);
    for (size_t i = 0; i < spread->entries; i++) {
        const double share = (spread->value[i] / 2 - low / 2) / (high / 2 - low / 2);
        const size_t b = (size_t)(share * (double)bins);

        rows[b < bins ? b : bins - 1] += spread->count[i];
    }
    for (size_t b = 0; b < bins; b++)
        if (rows[b] > 0)
            log_p += rows[b] * log(fmax(rows[b] - 1, 0.5) * (double)bins);
    return log_p;
}

static cr_status choose_width(const cr__spread *spread, size_t *bins)
{
    double *rows = cr__alloc(WIDTH_MOST, sizeof *rows), best = -INFINITY;

    *bins = 2;
    if (rows == NULL)
        return CR_ENOMEM;
    for (size_t k = 2; k <= WIDTH_MOST; k++) {
        const double log_p = left_out(spread, k, rows);

        if (log_p > best) {
            best = log_p;
            *bins = k;
        }
    }
    cr__free(rows);
    return CR_OK;
}

/* For each i, a cut after the first number with at least i/bins of the rows at or below it. */
static cr_status cut_frequency(cr__cuts *out, const cr__spread *spread, size_t bins)
{
    const double n = total(spread);
    double before = 0;
    size_t i = 0, part = 1;
    cr_status st = reserve_cuts(out, bins);

    while (st == CR_OK && i < spread->entries && part < bins) {
        const double x = spread->value[i];

        for (; i < spread->entries && spread->value[i] == x; i++)
            before += spread->count[i];
        if (before * (double)bins < (double)part * n || i == spread->entries)
            continue;
        out->cut[out->count++] = cr__cut_between(x, spread->value[i]);
        while (part < bins && before * (double)bins >= (double)part * n)
            part++;
    }
    return st;
}

cr_status cr__cut(cr__cuts *out, const cr__spread *spread, cr__cut_rule rule)
{
    size_t bins = rule.bins;
    cr_status st = CR_OK;

    *out = (cr__cuts){.whole = 1};
    if (spread->entries == 0 || spread->value[0] == spread->value[spread->entries - 1])
        return CR_OK;
    if (rule.kind == CR__CUT_MDL)
        return cr__cut_mdl(out, spread, rule.logs);
    if (rule.kind == CR__CUT_WIDTH && bins == 0)
        st = choose_width(spread, &bins);
    if (st == CR_OK && rule.kind == CR__CUT_WIDTH)
        return cut_width(out, spread, bins);
    if (rule.kind == CR__CUT_SQRT)
        bins = (size_t)fmin(floor(sqrt(total(spread))), CR__CUT_BINS_MOST);
    if (bins == 0)
        bins = FREQUENCY_USUAL;
    return st == CR_OK ? cut_frequency(out, spread, bins) : st;
}
