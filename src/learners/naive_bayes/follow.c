/* learners/naive_bayes/follow.c - parameters updated row by row.
 *
 * A row changes the counts of its class alone. P(value | class) of the others is unchanged, unless
 * the smoothing depends on all classes; Gaussians share variances, or at least the floor, so all of
 * them are rewritten, but only the sums of the row's class are recomputed.
 */
#include <math.h>

#include "base/memory.h"
#include "learners/naive_bayes/without.h"

/* The sum of squares of 2^53 numbers of this size still fits a double. */
#define NUMBER_MAX 1e140

typedef struct symbol {
    cr__nb_rule rule; /* of every value */
    double uniform;   /* the share of a value in a class without values */
} symbol;

typedef struct cr__nb_pace {
    cr__nb_reals *reals;
    symbol *symbol;   /* [columns] of symbol columns */
    double *fraction; /* [2 * classes] for the prior */
    int skip;         /* unseen=skip */
} cr__nb_pace;

void cr__nb_pace_free(cr__nb_pace *pace)
{
    if (pace == NULL)
        return;
    cr__nb_reals_free(pace->reals);
    cr__free(pace->symbol);
    cr__free(pace->fraction);
    cr__free(pace);
}

/* --- preparing -------------------------------------------------------------------------------- */

/* Whether all parameters are owned by the fit, and of kinds that can be updated. */
static int can_follow(const cr__nb *nb, const cr__stats *stats, const cr__knobs *knobs)
{
    if (nb->own_prior == NULL || nb->bins != NULL || !cr__nb_smooths_alike(knobs))
        return 0;
    for (size_t i = 0; i < nb->columns; i++) {
        const cr__nb_column *column = &nb->column[i];

        if (column->text != NULL || column->kde != NULL ||
            (cr__stats_is_feature(stats->schema, i) &&
             (column->kind == CR_SYMBOL || column->kind == CR_REAL) && column->own == NULL))
            return 0;
    }
    return 1;
}

static void set_rules(cr__nb_pace *pace, const cr__nb *nb, const cr__stats *stats,
                      const cr__knobs *knobs)
{
    pace->skip = cr__knobs_is(knobs, "unseen", "skip");
    for (size_t i = 0; i < nb->columns; i++)
        if (nb->column[i].kind == CR_SYMBOL)
            pace->symbol[i] = (symbol){.rule = cr__nb_smoothing(stats, knobs, i, SIZE_MAX, 0),
                                       .uniform = 1 / ((double)nb->column[i].values + !pace->skip)};
}

static cr_status open(void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                      const double *real)
{
    cr__nb *nb = fitted;
    cr__nb_pace *pace;

    for (size_t i = 0; i < nb->columns; i++)
        if (nb->column[i].kind == CR_REAL && fabs(real[i]) > NUMBER_MAX)
            return CR_END;
    if (nb->pace != NULL)
        return CR_OK;
    if (!can_follow(nb, stats, knobs) || (pace = cr__alloc_zero(1, sizeof *pace)) == NULL)
        return CR_END;
    pace->symbol = cr__alloc_zero(nb->columns, sizeof *pace->symbol);
    pace->fraction = cr__alloc(nb->classes, 2 * sizeof *pace->fraction);
    if (pace->symbol == NULL || pace->fraction == NULL ||
        cr__nb_reals_open(&pace->reals, stats, knobs, NULL) != CR_OK ||
        cr__nb_reals_keep_up(pace->reals, stats) != CR_OK) {
        cr__nb_pace_free(pace);
        return CR_END;
    }
    set_rules(pace, nb, stats, knobs);
    nb->pace = pace;
    return CR_OK;
}

/* --- updating --------------------------------------------------------------------------------- */

/* log P(value | c) of every value, as computed by cr__nb_fit_symbol(). */
static void follow_symbol(cr__nb_column *column, const symbol *s, int skip, const cr__stats *stats,
                          size_t i, size_t c)
{
    const cr__nb_rule rule = s->rule;
    const double total = cr__nb_total(stats, i, c) + rule.plus_total;

    for (size_t v = 0; v <= column->values; v++) {
        const int unseen = v == column->values;
        const double n = unseen ? 0 : (double)stats->column[i].whole[v * stats->classes + c];

        column->own[(v + 1) * stats->classes + c] =
            unseen && skip ? 0 : log(cr__nb_ratio(n + rule.plus, total, s->uniform));
    }
}

static cr_status follow(void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                        const double *real, const uint32_t *code, size_t class_index, int sign)
{
    cr__nb *nb = fitted;
    cr__nb_pace *pace = nb->pace;

    if (cr__nb_reals_take(pace->reals, real, sign) != CR_OK)
        return CR_ENOMEM;
    cr__nb_reals_write(pace->reals, stats, knobs, real, class_index, nb->column);
    (void)cr__nb_fit_prior(stats, knobs, nb->own_prior, pace->fraction,
                           pace->fraction + nb->classes, NULL);
    for (size_t i = 0; i < nb->columns; i++) {
        cr__nb_column *column = &nb->column[i];

        if (column->kind != CR_SYMBOL || code[i] == CR__MISSING)
            continue;
        if (pace->symbol[i].rule.plus > 0)
            follow_symbol(column, &pace->symbol[i], pace->skip, stats, i, class_index);
        else /* a value may become relevant for all classes */
            cr__nb_fit_symbol(stats, knobs, i, column->own);
    }
    return CR_OK;
}

const cr__follows cr__nb_follows = {
    .open = open, .follow = follow, .score_texts = cr__nb_score_changes};
