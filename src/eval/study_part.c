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

/* The rows of the part, by the whole's deck. */
static cr_status take_places(cr__deck *deck, const cr__deck *whole, const cr_study *part,
                             cr_error *err)
{
    const int classes = whole->class_code != NULL;

    deck->row = cr__alloc(part->places + 1, sizeof *deck->row);
    deck->class_code = classes ? cr__alloc(part->places + 1, sizeof *deck->class_code) : NULL;
    if (deck->row == NULL || (classes && deck->class_code == NULL))
        return cr__fail_memory(err);
    deck->rows = part->places;
    for (size_t i = 0; i < part->places; i++) {
        deck->row[i] = whole->row[part->place[i]];
        if (classes)
            deck->class_code[i] = whole->class_code[part->place[i]];
    }
    return cr__recipe_copy(&deck->recipe, &whole->recipe, err);
}

static cr_status make_deck(cr_study *part, const cr__deck *whole, cr__deck **out, cr_error *err)
{
    cr__deck *deck = cr__alloc_zero(1, sizeof *deck);
    cr_status st;

    if (deck == NULL)
        return cr__fail_memory(err);
    deck->whole = whole;
    deck->table = whole->table;
    deck->use = whole->use;
    st = take_places(deck, whole, part, err);
    if (st == CR_OK)
        st = cr__deck_deal(part, deck, err);
    if (st != CR_OK) {
        cr__deck_free(deck, 0);
        return st;
    }
    deck->next = part->decks;
    *out = part->decks = deck;
    return CR_OK;
}

cr_status cr__part_deck(cr__candidate *c, cr_error *err)
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
    c->values = whole.values;
    for (cr__deck *d = part->decks; d != NULL; d = d->next)
        if (d->whole == whole.deck) {
            c->deck = d;
            return CR_OK;
        }
    return make_deck(part, whole.deck, &c->deck, err);
}
