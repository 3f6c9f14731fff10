/* eval/study_part.c - a study of some of the rows of another: samples, and folds within folds. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/study.h"

cr_status cr__study_part(cr_study **out, cr_study *whole, const uint32_t *place, size_t places,
                         size_t folds, cr_error *err)
{
    const cr_deal deal = {.folds = folds,
                          .group = whole->group,
                          .unstratified = whole->unstratified,
                          .seed = whole->seed};
    cr_status st = cr_study_new(out, whole->source, &deal, &whole->run, err);

    if (st != CR_OK)
        return st;
    (*out)->whole = whole;
    (*out)->places = places;
    if (((*out)->place = cr__alloc(places + 1, sizeof *place)) == NULL) {
        cr_study_free(*out);
        *out = NULL;
        return cr__fail_memory(err);
    }
    if (places > 0)
        memcpy((*out)->place, place, places * sizeof *place);
    return CR_OK;
}

/* The rows of the part, as indices into the whole's row set. */
static cr_status take_places(cr__rowset *set, const cr__rowset *whole, const cr_study *part,
                             cr_error *err)
{
    const int classes = whole->class_code != NULL;

    set->row = cr__alloc(part->places + 1, sizeof *set->row);
    set->class_code = classes ? cr__alloc(part->places + 1, sizeof *set->class_code) : NULL;
    if (set->row == NULL || (classes && set->class_code == NULL))
        return cr__fail_memory(err);
    set->rows = part->places;
    for (size_t i = 0; i < part->places; i++) {
        set->row[i] = whole->row[part->place[i]];
        if (classes)
            set->class_code[i] = whole->class_code[part->place[i]];
    }
    return cr__recipe_copy(&set->recipe, &whole->recipe, err);
}

static cr_status make_rowset(cr_study *part, const cr__rowset *whole, cr__rowset **out,
                             cr_error *err)
{
    cr__rowset *set = cr__alloc_zero(1, sizeof *set);
    cr_status st;

    if (set == NULL)
        return cr__fail_memory(err);
    set->whole = whole;
    set->table = whole->table;
    set->use = whole->use;
    st = take_places(set, whole, part, err);
    if (st == CR_OK)
        st = cr__rowset_deal(part, set, err);
    if (st != CR_OK) {
        cr__rowset_free(set, 0);
        return st;
    }
    set->next = part->sets;
    *out = part->sets = set;
    return CR_OK;
}

cr_status cr__part_rowset(cr__candidate *c, cr_error *err)
{
    cr_study *part = c->study;
    cr__candidate whole;
    cr_status st =
        cr__candidate_open(&whole, part->whole, c->learner, c->params, c->param_count, err);

    if (st != CR_OK)
        return st;
    c->kind = whole.kind;
    c->learner = whole.learner;
    c->adds = whole.adds;
    c->samples = whole.samples;
    c->cuts = whole.cuts;
    c->rule = whole.rule;
    c->needs = whole.needs;
    for (cr__rowset *d = part->sets; d != NULL; d = d->next)
        if (d->whole == whole.set) {
            c->set = d;
            return CR_OK;
        }
    return make_rowset(part, whole.set, &c->set, err);
}
