/* learners/version_space/votes.c - what the version space says about a row.
 *
 * All hypotheses of the version space vote, each alike: P(class | row) is the share that says yes.
 * It is 1 or 0 where they agree, and anything else is for the rule of decision to accept or to
 * reject. A hypothesis of the version space is a set T of S's columns, where S asks for a value,
 * that has all the columns of some g in G; so votes are sets to be counted.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/version_space/version_space.h"

/* Of all sets of the allowed columns, the share that has all the columns of some g. Only the
 * columns that some g asks for matter, and their sets are gone through. */
static double count_sets(const cr__space *v, const unsigned char *allowed)
{
    size_t place[CR__SPACE_COUNTED_MOST], used = 0, inside = 0;
    uint32_t mask[CR__SPACE_GENERAL_MOST];
    double sets = 0;

    for (size_t i = 0; i < v->features; i++) {
        int asked = 0;

        for (size_t g = 0; g < v->generals; g++)
            asked |= v->general[g * v->features + i] != CR__SPACE_ANY;
        if (asked && allowed[i] && used < CR__SPACE_COUNTED_MOST)
            place[used++] = i;
    }
    for (size_t g = 0; g < v->generals; g++) {
        int possible = 1;

        mask[inside] = 0;
        for (size_t i = 0; i < v->features; i++)
            possible &= v->general[g * v->features + i] == CR__SPACE_ANY || allowed[i];
        for (size_t k = 0; k < used; k++)
            if (v->general[g * v->features + place[k]] != CR__SPACE_ANY)
                mask[inside] |= UINT32_C(1) << k;
        inside += (size_t)possible;
    }
    for (uint32_t set = 0; inside > 0 && set < UINT32_C(1) << used; set++)
        for (size_t g = 0; g < inside; g++)
            if ((set & mask[g]) == mask[g]) {
                sets++;
                break;
            }
    return sets / ldexp(1, (int)used);
}

/* How many hypotheses there are, and how many say yes to a row; both infinite where they are too
 * many to be counted. A value that is missing or was never seen is one that no hypothesis asks
 * for. Returns the share that says yes. */
static double count_votes(const cr__space *v, const uint32_t *code, unsigned char *allowed,
                          double *votes, double *of)
{
    double all, yes;
    int lost = 0, asked = 0;

    for (size_t i = 0; i < v->features; i++) {
        allowed[i] = v->special[i] != CR__SPACE_ANY;
        asked += allowed[i];
    }
    all = count_sets(v, allowed);
    for (size_t i = 0; i < v->features; i++)
        if (allowed[i] && v->special[i] != code[i]) {
            allowed[i] = 0;
            lost++;
        }
    yes = count_sets(v, allowed);
    *of = asked < 50 ? ldexp(all, asked) : INFINITY;
    *votes = asked < 50 ? ldexp(yes, asked - lost) : INFINITY;
    return all > 0 ? ldexp(yes / all, -lost) : 0;
}

static double share_of_yes(const cr__space *v, const uint32_t *code, unsigned char *allowed)
{
    double votes, of;

    return count_votes(v, code, allowed, &votes, &of);
}

cr_status cr__space_score(const void *fitted, void *state, const cr__batch *batch, double *out,
                          cr_error *err)
{
    const cr__space *v = fitted;
    uint32_t *code = cr__alloc(v->features, sizeof *code);
    unsigned char *allowed = cr__alloc(v->features, 1);
    const int room = code != NULL && allowed != NULL;

    (void)state;
    for (size_t r = 0; room && r < batch->rows; r++, out += 2) {
        double yes;

        for (size_t i = 0; i < v->features; i++)
            code[i] = batch->column[v->column[i]].code[r];
        yes = share_of_yes(v, code, allowed);
        out[v->positive] = isnan(yes) ? -INFINITY : log(yes);
        out[!v->positive] = isnan(yes) ? -INFINITY : log1p(-yes);
    }
    cr__free(code);
    cr__free(allowed);
    return room ? CR_OK : cr__fail_memory(err);
}

/* The votes are not a product: all of them are the one factor. */
cr_status cr__space_factors(const void *fitted, void *state, const cr__stats *stats,
                            const cr__knobs *knobs, const cr__batch *batch, size_t row,
                            cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__space *v = fitted;
    uint32_t *code = cr__alloc(v->features, sizeof *code);
    unsigned char *allowed = cr__alloc(v->features, 1);
    double *top = work + 2, *bottom = work + 4, yes, all = 0;
    cr_status st = code == NULL || allowed == NULL ? cr__fail_memory(err) : CR_OK;

    (void)state;
    (void)stats;
    (void)knobs;
    for (size_t i = 0; st == CR_OK && i < v->features; i++)
        code[i] = batch->column[v->column[i]].code[row];
    if (st == CR_OK) {
        yes = count_votes(v, code, allowed, &top[v->positive], &all);
        work[v->positive] = log(yes);
        work[!v->positive] = log1p(-yes);
        top[!v->positive] = all - top[v->positive];
        bottom[0] = bottom[1] = all;
    }
    factor[0] = (cr_factor){.column = SIZE_MAX,
                            .name = "votes",
                            .log_p = work,
                            .fraction = isfinite(all) && all > 0,
                            .top = top,
                            .bottom = bottom};
    *count = 1;
    cr__free(code);
    cr__free(allowed);
    return st;
}
