/* model/learner.c - how knobs change what a learner needs, and which of them it gets unasked. */
#include "model/learner.h"

#include <string.h>

#include "base/memory.h"
#include "data/schema.h"

cr__needs cr__learner_needs(const cr__learner *learner, const cr__knobs *knobs)
{
    cr__needs needs = learner->needs;

    if (learner->needs_with != NULL)
        learner->needs_with(knobs, &needs);
    needs.values |= cr__knobs_want_values(knobs);
    return needs;
}

void cr__unseen_free(cr__unseen *unseen)
{
    cr__free(unseen->score);
    cr__free(unseen->truth);
    cr__free(unseen->weight);
    *unseen = (cr__unseen){0};
}

/* --- settings that nobody asked for ----------------------------------------------------------- */

/* Whether a parameter sets one of the knobs, which stand between blanks. */
static int is_among(const char *param, const char *knobs)
{
    const size_t length = strcspn(param, "=");

    for (const char *at = knobs; (at = strstr(at, " ")) != NULL && at[1] != '\0'; at++)
        if (strncmp(at + 1, param, length) == 0 && at[1 + length] == ' ')
            return 1;
    return 0;
}

static uint64_t features(const cr_schema *schema, cr_kind kind)
{
    uint64_t count = 0;

    for (size_t i = 0; i < schema->columns; i++)
        count += schema->column[i].kind == kind && schema->column[i].role == CR_ROLE_FEATURE;
    return count;
}

void cr__learner_usual(const cr__usual **found, const cr__learner *learner,
                       const char *const *params, size_t count, const cr_schema *schema)
{
    for (size_t u = 0; u < CR__USUALS_MOST; u++) {
        const cr__usual *usual = found[u] = learner->usual[u];

        if (usual == NULL)
            continue;
        if (schema->target == SIZE_MAX || (usual->numbers && features(schema, CR_REAL) == 0) ||
            (usual->texts && features(schema, CR_BAG) == 0))
            found[u] = NULL;
        for (size_t i = 0; i < count; i++)
            if (is_among(params[i], usual->unless))
                found[u] = NULL;
    }
}

uint64_t cr__usual_rows_most(const cr__usual *usual, const cr_schema *schema)
{
    const uint64_t reals = features(schema, CR_REAL);
    const uint64_t rows =
        usual->cells_most == 0 || reals == 0 ? UINT64_MAX : usual->cells_most / reals;

    return rows < usual->rows_most ? rows : usual->rows_most;
}

int cr__usual_suits(const cr__usual *usual, const cr_schema *schema, uint64_t rows, size_t words,
                    size_t classes)
{
    const double weights = (double)words * (double)(classes > 2 ? classes : 1);

    return rows >= usual->rows_least && rows <= cr__usual_rows_most(usual, schema) &&
           (usual->words_most == 0 || weights <= usual->words_most);
}
