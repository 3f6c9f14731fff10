/* learners/gda/score.c - log P(class, row) of a batch by matrix kernels.
 *
 * Rows that have all real features go through one triangular solve per covariance. The others are
 * grouped by the features they have: the density of these alone is derived from the whole one and
 * cached, as long as there are not too many kinds.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/gda/gda.h"

enum {
    PATTERNS_MOST = 512,
    PATTERN_NUMBERS = 8 << 20 /* doubles that all cached densities may take in total */
};

cr_status cr__gda_find_pattern(const cr__gda *fitted, const unsigned char *has, size_t count,
                               const cr__gda_density **out, cr__gda_density *room)
{
    cr__gda *gda = (cr__gda *)fitted; /* caching is not a change */
    const size_t n = gda->density.n;
    cr__gda_pattern *p;
    cr_status st;

    *room = (cr__gda_density){0};
    pthread_mutex_lock(&gda->lock);
    for (p = gda->pattern; p != NULL; p = p->next)
        if (p->count == count && memcmp(p->has, has, n) == 0)
            break;
    pthread_mutex_unlock(&gda->lock);
    if (p != NULL) {
        *out = &p->density;
        return CR_OK;
    }
    if ((st = cr__gda_density_marginal(room, &gda->density, has, count)) != CR_OK)
        return st;
    *out = room;
    pthread_mutex_lock(&gda->lock);
    if (gda->patterns < PATTERNS_MOST &&
        (gda->patterns + 1) * room->factors * cr__gda_factor_size(room) <= PATTERN_NUMBERS &&
        (p = cr__alloc_zero(1, sizeof *p)) != NULL) {
        if ((p->has = cr__alloc(n, 1)) == NULL) {
            cr__free(p);
        } else {
            memcpy(p->has, has, n);
            p->count = count;
            p->density = *room;
            p->next = gda->pattern;
            gda->pattern = p;
            gda->patterns++;
            *room = (cr__gda_density){0};
            *out = &p->density;
        }
    }
    pthread_mutex_unlock(&gda->lock);
    return CR_OK;
}

/* A batch at work. */
typedef struct work {
    const cr__gda *gda;
    const cr__batch *batch;
    double *x, *z;      /* [rows * n] */
    unsigned char *has; /* [rows * n] */
    size_t *count;      /* [rows] features that the row has; SIZE_MAX: done */
    uint32_t *at;       /* [rows] */
    double *score;
} work;

static int begin(work *w)
{
    const size_t n = w->gda->density.n, rows = w->batch->rows;

    w->x = cr__alloc(rows * n, sizeof *w->x);
    w->z = cr__alloc(rows * n, sizeof *w->z);
    w->has = cr__alloc(rows * n, 1);
    w->count = cr__alloc_zero(rows, sizeof *w->count);
    w->at = cr__alloc(rows, sizeof *w->at);
    if (w->x == NULL || w->z == NULL || w->has == NULL || w->count == NULL || w->at == NULL)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const double *x = w->batch->column[w->gda->column[i]].real;

        for (size_t r = 0; r < rows; r++) {
            const unsigned char has = !isnan(x[r]);

            w->has[r * n + i] = has;
            w->count[r] += has;
        }
    }
    return 1;
}

static void end(work *w)
{
    cr__free(w->x);
    cr__free(w->z);
    cr__free(w->has);
    cr__free(w->count);
    cr__free(w->at);
}

/* The features of the rows that are listed, by rows. */
static void collect(work *w, size_t rows, const unsigned char *has)
{
    const size_t n = w->gda->density.n;
    size_t width = 0, at = 0;

    for (size_t i = 0; i < n; i++)
        width += has == NULL || has[i];
    for (size_t i = 0; i < n; i++) {
        const double *x = w->batch->column[w->gda->column[i]].real;

        if (has != NULL && !has[i])
            continue;
        for (size_t k = 0; k < rows; k++)
            w->x[k * width + at] = x[w->at[k]];
        at++;
    }
}

/* All rows that have the same features as row r. */
static cr_status score_pattern(work *w, size_t r)
{
    const size_t n = w->gda->density.n, count = w->count[r];
    const unsigned char *has = w->has + r * n;
    const cr__gda_density *density;
    cr__gda_density room;
    size_t rows = 0;
    cr_status st;

    for (size_t k = r; k < w->batch->rows; k++)
        if (w->count[k] == count && memcmp(w->has + k * n, has, n) == 0) {
            w->at[rows++] = (uint32_t)k;
            w->count[k] = SIZE_MAX;
        }
    if ((st = cr__gda_find_pattern(w->gda, has, count, &density, &room)) != CR_OK)
        return st;
    collect(w, rows, has);
    cr__gda_add_scores(density, w->x, w->at, rows, w->z, w->score);
    cr__gda_density_free(&room);
    return CR_OK;
}

cr_status cr__gda_score(const void *fitted, void *state, const cr__batch *batch, double *score,
                        cr_error *err)
{
    const cr__gda *gda = fitted;
    work w = {.gda = gda, .batch = batch, .score = score};
    size_t rows = 0;
    cr_status st = CR_OK;

    (void)state;
    cr__nb_score(&gda->others, NULL, batch, score, NULL);
    if (gda->density.n == 0)
        return CR_OK;
    if (!begin(&w)) {
        end(&w);
        return cr__fail_memory(err);
    }
    for (size_t r = 0; r < batch->rows; r++)
        if (w.count[r] == gda->density.n)
            w.at[rows++] = (uint32_t)r;
    collect(&w, rows, NULL);
    cr__gda_add_scores(&gda->density, w.x, w.at, rows, w.z, score);
    for (size_t r = 0; st == CR_OK && r < batch->rows; r++)
        if (w.count[r] > 0 && w.count[r] < gda->density.n)
            st = score_pattern(&w, r);
    end(&w);
    if (st == CR_EFORMAT)
        return cr__fail(err, st, "a covariance cannot be reduced to the features that a row has");
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}
