/* learners/naive_bayes/bins.c - divide real features into intervals and count them like symbols. */
#include "learners/naive_bayes/bins.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"

/* --- the knob ------------------------------------------------------------------------------- */

static cr_status real_rule(const cr__knobs *knobs, cr__nb_real_kind *kind, cr__cut_rule *rule,
                           cr_error *err)
{
    const char *text = cr__knobs_text(knobs, "real");
    int read;

    *rule = (cr__cut_rule){0};
    *kind = strcmp(text, "kde") == 0    ? CR__NB_KDE
            : strcmp(text, "auto") == 0 ? CR__NB_AUTO
                                        : CR__NB_GAUSSIAN;
    if (*kind != CR__NB_GAUSSIAN || strcmp(text, "gaussian") == 0)
        return CR_OK;
    *kind = CR__NB_BINS;
    if (strncmp(text, "bins:", 5) == 0 && (read = cr__cut_rule_read(rule, text + 5)) != 0)
        return read > 0 ? CR_OK
                        : cr__fail(err, CR_EARG, "real is '%s'; a number of intervals is 2 to %d",
                                   text, CR__CUT_BINS_MOST);
    cr__fail(err, CR_EARG, "real is '%.60s'; it must be auto, gaussian, kde or bins:RULE", text);
    return cr__fail_hint(err, CR_EARG,
                         "rules are mdl, sqrt, width:K and frequency:K, as in "
                         "real=bins:mdl");
}

/* --- counting ------------------------------------------------------------------------------- */

void cr__nb_bins_free(cr__nb_bins *bins, size_t columns)
{
    for (size_t i = 0; bins != NULL && i < columns; i++) {
        cr__free(bins[i].cuts.cut);
        cr__dict_free(bins[i].counted.dict);
        if (!bins[i].borrowed) {
            cr__free(bins[i].counted.whole);
            cr__free(bins[i].counted.fraction);
        }
    }
    cr__free(bins);
}

static cr_status name_bins(cr__nb_bins *bins, cr_error *err)
{
    cr_status st = cr__dict_new(&bins->counted.dict, CR__CANONICAL_SEED, err);

    return st == CR_OK ? cr__cuts_name(&bins->cuts, bins->counted.dict, err) : st;
}

/* Numbers of each interval by class, exactly. */
static cr_status count_bins(cr__nb_bins *bins, const cr__values *values, size_t classes,
                            cr_error *err)
{
    const size_t cells = (bins->cuts.count + 1) * classes;
    cr__column_stats *to = &bins->counted;

    to->whole = cr__alloc_zero(cells, sizeof *to->whole);
    if (values->fraction != NULL)
        to->fraction = cr__alloc_zero(cells, sizeof *to->fraction);
    if (to->whole == NULL || (values->fraction != NULL && to->fraction == NULL))
        return cr__fail_memory(err);
    for (size_t i = 0; i < values->count; i++) {
        const double x = cr__values_number(values->key[2 * i], values->shift);
        const size_t at =
            (cr__cuts_code(&bins->cuts, x) - 1) * classes + (size_t)values->key[2 * i + 1];
        const cr__count sum =
            cr__count_plus((cr__count){to->whole[at], to->fraction == NULL ? 0 : to->fraction[at]},
                           cr__values_at(values, i), 1);

        to->whole[at] = sum.whole;
        if (to->fraction != NULL)
            to->fraction[at] = sum.fraction;
    }
    return CR_OK;
}

static cr_status cut_column(cr__nb_bins *bins, const cr__values *values, size_t classes,
                            cr__cut_rule rule, cr_error *err)
{
    cr__spread spread;
    cr_status st = cr__values_spread(values, classes, &spread);

    if (st != CR_OK)
        return cr__fail_memory(err);
    st = cr__cut(&bins->cuts, &spread, rule);
    cr__spread_free(&spread);
    if (st != CR_OK)
        return cr__fail_memory(err);
    st = name_bins(bins, err);
    return st == CR_OK ? count_bins(bins, values, classes, err) : st;
}

static cr_status fail_kept(const cr_schema *schema, size_t column, cr_error *err)
{
    cr__fail(err, CR_EARG, "the model has only the moments of '%s', not its numbers",
             schema->column[column].name);
    return cr__fail_hint(err, CR_EARG,
                         "train with real=bins:mdl, real=kde or values=keep; then "
                         "the knob can be changed");
}

/* Whether the numbers of all real features are kept. */
static cr_status check_kept(const cr__stats *stats, cr_error *err)
{
    for (size_t i = 0; i < stats->schema->columns; i++)
        if (stats->column[i].moment != NULL && stats->column[i].values == NULL)
            return fail_kept(stats->schema, i, err);
    return CR_OK;
}

/* Columns whose forms are chosen. */
typedef struct choosing {
    const cr__stats *stats;
    const cr__knobs *knobs;
    cr__nb_form *form;
    int widths; /* only the width of kernels is */
} choosing;

static cr_status choose_column(void *context, size_t i, cr_error *err)
{
    const choosing *c = context;

    if (c->stats->column[i].moment == NULL)
        return CR_OK;
    return cr__nb_choose_form(&c->form[i], c->stats->column[i].values, c->stats->classes, c->knobs,
                              c->widths) == CR_OK
               ? CR_OK
               : cr__fail_memory(err);
}

cr_status cr__nb_forms(cr__nb_form **out, const cr__stats *stats, const cr__knobs *knobs,
                       const cr_run *run, cr_error *err)
{
    const size_t columns = stats->schema->columns;
    const cr_run all = cr__run_of(run);
    const cr_run quiet = {.threads = run == NULL ? 1 : all.threads, .pool = all.pool};
    cr__nb_real_kind kind;
    cr__cut_rule rule;
    cr_status st = real_rule(knobs, &kind, &rule, err);
    const int widths = kind == CR__NB_KDE && cr__knobs_is(knobs, "bandwidth", "auto");

    *out = NULL;
    if (st == CR_OK && kind != CR__NB_GAUSSIAN)
        st = check_kept(stats, err);
    if (st == CR_OK && (*out = cr__alloc_zero(columns, sizeof **out)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        if (stats->column[i].moment != NULL)
            (*out)[i] =
                (cr__nb_form){kind == CR__NB_AUTO ? CR__NB_GAUSSIAN : kind, 0, CR__NB_BY_KNOB, 1};
    if (st == CR_OK && (kind == CR__NB_AUTO || widths))
        st = cr__parallel_for(&quiet, columns, choose_column,
                              &(choosing){stats, knobs, *out, widths}, err);
    if (st != CR_OK) {
        cr__free(*out);
        *out = NULL;
    }
    return st;
}

cr_status cr__nb_cut(cr__nb_bins **out, const cr__stats *stats, const cr__knobs *knobs,
                     const cr__nb_form *form, cr_error *err)
{
    const size_t columns = stats->schema->columns;
    cr__nb_real_kind kind;
    cr__cut_rule rule;
    size_t cut = 0;
    cr_status st = real_rule(knobs, &kind, &rule, err);

    *out = NULL;
    if (kind == CR__NB_AUTO)
        rule = (cr__cut_rule){.kind = CR__CUT_MDL};
    for (size_t i = 0; i < columns; i++)
        cut += stats->column[i].moment != NULL && form[i].kind == CR__NB_BINS;
    if (st != CR_OK || cut == 0)
        return st;
    if ((*out = cr__alloc_zero(columns, sizeof **out)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        if (stats->column[i].moment != NULL && form[i].kind == CR__NB_BINS)
            st = cut_column(&(*out)[i], stats->column[i].values, stats->classes, rule, err);
    if (st != CR_OK) {
        cr__nb_bins_free(*out, columns);
        *out = NULL;
    }
    return st;
}

cr__stats cr__nb_view(const cr__stats *stats, const cr__nb_bins *bins, cr__column_stats *room)
{
    cr__stats view = *stats;

    if (bins == NULL)
        return view;
    for (size_t i = 0; i < stats->schema->columns; i++)
        room[i] = bins[i].counted.dict != NULL ? bins[i].counted : stats->column[i];
    view.column = room;
    return view;
}

/* --- the model file ------------------------------------------------------------------------- */

/*   NBBN i    u64 cuts, fractional; cut[cuts]; whole[intervals * classes], fraction likewise when
 *             fractional */
#define TAG_BINS CR__TAG('N', 'B', 'B', 'N')

typedef struct bins_head {
    uint64_t cuts, fractional;
} bins_head;

void cr__nb_bins_save(const cr__nb_bins *bins, size_t classes, uint32_t column, cr__draft *draft)
{
    const bins_head h = {bins->cuts.count, bins->counted.fraction != NULL};
    const size_t cells = (bins->cuts.count + 1) * classes;

    cr__draft_section_begin(draft, TAG_BINS, column);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_borrow(draft, bins->cuts.cut, bins->cuts.count * sizeof *bins->cuts.cut);
    cr__draft_borrow(draft, bins->counted.whole, cells * sizeof *bins->counted.whole);
    if (bins->counted.fraction != NULL)
        cr__draft_borrow(draft, bins->counted.fraction, cells * sizeof *bins->counted.fraction);
}

cr_status cr__nb_bins_open(cr__nb_bins *bins, const cr__container *container, uint32_t column,
                           size_t classes, int *found, cr_error *err)
{
    size_t size, cells;
    const char *bytes = cr__container_section(container, TAG_BINS, column, &size);
    bins_head h;

    *found = bytes != NULL;
    if (bytes == NULL)
        return CR_OK;
    if (size < sizeof h)
        return cr__container_damaged(container, err, "the intervals of a column are cut short");
    memcpy(&h, bytes, sizeof h);
    size -= sizeof h;
    if (h.fractional > 1 || h.cuts > CR__VALUES_EXACT || classes > SIZE_MAX / 64 / (h.cuts + 1))
        return cr__container_damaged(container, err, "the intervals of a column make no sense");
    cells = (size_t)(h.cuts + 1) * classes;
    if (size != 8 * ((size_t)h.cuts + cells * (1 + (size_t)h.fractional)))
        return cr__container_damaged(container, err,
                                     "the intervals of a column have a wrong length");
    bins->borrowed = 1;
    bins->cuts = (cr__cuts){(size_t)h.cuts, cr__alloc((size_t)h.cuts, sizeof(double)), 1};
    if (bins->cuts.cut == NULL)
        return cr__fail_memory(err);
    memcpy(bins->cuts.cut, bytes + sizeof h, (size_t)h.cuts * sizeof(double));
    for (size_t i = 0; i < h.cuts; i++)
        if (!isfinite(bins->cuts.cut[i]) || (i > 0 && bins->cuts.cut[i] <= bins->cuts.cut[i - 1]))
            return cr__container_damaged(container, err, "the cuts of a column are out of order");
    bins->counted.whole = (int64_t *)(bytes + sizeof h + 8 * h.cuts); /* it is never written to */
    if (h.fractional)
        bins->counted.fraction = (uint64_t *)(bins->counted.whole + cells);
    return name_bins(bins, err);
}
