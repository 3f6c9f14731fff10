/* model/learner.c - how knobs change what a learner needs. */
#include "model/learner.h"

cr__needs cr__learner_needs(const cr__learner *learner, const cr__knobs *knobs)
{
    cr__needs needs = learner->needs;

    if (learner->needs_with != NULL)
        learner->needs_with(knobs, &needs);
    needs.values |= cr__knobs_want_values(knobs);
    return needs;
}
