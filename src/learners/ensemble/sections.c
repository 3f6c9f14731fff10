/* learners/ensemble/sections.c - an ensemble in the model file.
 *
 *     ENSM    u64 members, u64 rule (1 Gibbs, 2 product), u64 seed, f64 weight of the held-out
 *             rows; per member f64 prior, log weight, log likelihood, stacking weight and u64 end
 *             of its name; the names
 *     ENSA    f64 accuracy of each member on the held-out rows, where there were some
 *     MEMB i  member i: a whole model file
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/logspace.h"
#include "base/memory.h"
#include "learners/ensemble/ensemble.h"

#define TAG_ENSEMBLE CR__TAG('E', 'N', 'S', 'M')
#define TAG_ACCURACY CR__TAG('E', 'N', 'S', 'A')
#define TAG_MEMBER CR__TAG('M', 'E', 'M', 'B')

typedef struct head {
    uint64_t members, rule, seed;
    double held_out;
} head;

typedef struct record {
    double prior, log_weight, log_likelihood, stacking;
    uint64_t name_end;
} record;

void cr__ensemble_save(const void *fitted, cr__draft *draft)
{
    const cr__ensemble *e = fitted;
    const head h = {e->members, (uint64_t)e->rule, e->seed, e->held_out};
    uint64_t end = 0;

    cr__draft_section_begin(draft, TAG_ENSEMBLE, 0);
    cr__draft_copy(draft, &h, sizeof h);
    for (size_t i = 0; i < e->members; i++) {
        const cr__member *m = &e->member[i];
        const record r = {m->prior, m->log_weight, m->log_likelihood, m->stacking,
                          end += strlen(m->name)};

        cr__draft_copy(draft, &r, sizeof r);
    }
    for (size_t i = 0; i < e->members; i++)
        cr__draft_borrow(draft, e->member[i].name, strlen(e->member[i].name));
    if (e->members > 0 && !isnan(e->member[0].accuracy)) {
        cr__draft_section_begin(draft, TAG_ACCURACY, 0);
        for (size_t i = 0; i < e->members; i++)
            cr__draft_copy(draft, &e->member[i].accuracy, sizeof e->member[i].accuracy);
    }
    for (size_t i = 0; i < e->members; i++) {
        cr__draft_section_begin(draft, TAG_MEMBER, (uint32_t)i);
        cr__draft_borrow(draft, e->member[i].bytes, e->member[i].size);
    }
}

cr_status cr__ensemble_fingerprint(const cr__ensemble *e, char out[33], cr_error *err)
{
    cr__draft draft = {0};
    cr_status st;

    cr__ensemble_save(e, &draft);
    st = cr__draft_fingerprint(&draft, out, err);
    cr__draft_free(&draft);
    return st;
}

/* A member that is an ensemble is rejected before it is opened: ensembles do not nest. */
static cr_status open_model(cr__member *m, const cr__container *container, uint32_t index,
                            cr_error *err)
{
    static const char nested[] = "ensemble";
    cr__container own;
    const void *learner;
    size_t size;
    cr_status st = cr__container_need(container, TAG_MEMBER, index, 0, 0, &m->bytes, &m->size, err);

    if (st != CR_OK)
        return st;
    if (cr__container_borrow(&own, m->bytes, m->size, 0, NULL) != CR_OK)
        return cr__container_damaged(container, err, "a member is not a model");
    learner = cr__container_section(&own, CR__TAG('L', 'E', 'A', 'R'), 0, &size);
    if (learner != NULL && size == sizeof nested - 1 && memcmp(learner, nested, size) == 0)
        return cr__container_damaged(container, err, "a member is an ensemble");
    if ((st = container->open_inside(&m->model, m->bytes, m->size, err)) == CR_EFORMAT)
        return cr__container_damaged(container, err, "a member is not sound");
    return st;
}

static int sound(const record *r, int held_out)
{
    return r->prior >= 0 && r->prior <= 1 && r->log_weight <= 1e-9 &&
           (!held_out || (r->log_likelihood < INFINITY && r->stacking >= 0 && r->stacking <= 1));
}

static cr_status open_member(cr__ensemble *e, uint32_t index, const cr__container *container,
                             const record *r, const char *names, size_t start,
                             const cr_schema *schema, cr__dict *const *dict, cr_error *err)
{
    cr__member *m = &e->member[index];
    cr_status st;

    if (!sound(r, e->held_out > 0))
        return cr__container_damaged(container, err, "a member's weight makes no sense");
    if (memchr(names + start, '\0', (size_t)r->name_end - start) != NULL)
        return cr__container_damaged(container, err, "a member's name makes no sense");
    if ((m->name = cr__strndup(names + start, (size_t)r->name_end - start)) == NULL)
        return cr__fail_memory(err);
    m->prior = r->prior;
    m->log_weight = r->log_weight;
    m->weight = exp(r->log_weight);
    m->log_likelihood = r->log_likelihood;
    m->stacking = r->stacking;
    if ((st = open_model(m, container, index, err)) == CR_OK &&
        (st = cr__member_match(m, schema, dict, err)) == CR_ECONFLICT)
        st = cr__container_damaged(container, err, "its members do not fit");
    return st;
}

static cr_status open_members(cr__ensemble *e, const cr__container *container, const char *section,
                              size_t size, const cr_schema *schema, cr__dict *const *dict,
                              cr_error *err)
{
    const char *names = section + sizeof(head) + e->members * sizeof(record);
    const size_t room = size - (size_t)(names - section);
    double sum = 0;
    size_t start = 0;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < e->members; i++) {
        record r;

        memcpy(&r, section + sizeof(head) + i * sizeof r, sizeof r);
        if (r.name_end < start || r.name_end > room)
            return cr__container_damaged(container, err, "a member's name is out of bounds");
        st = open_member(e, (uint32_t)i, container, &r, names, start, schema, dict, err);
        sum += st == CR_OK ? e->member[i].weight : 0;
        start = (size_t)r.name_end;
    }
    if (st == CR_OK && !(fabs(sum - 1) < 1e-6))
        st = cr__container_damaged(container, err, "its weights do not add up to 1");
    return st;
}

/* Older files have none. */
static cr_status open_accuracy(cr__ensemble *e, const cr__container *container, cr_error *err)
{
    size_t size;
    const void *section = cr__container_section(container, TAG_ACCURACY, 0, &size);

    if (section != NULL && size != e->members * sizeof e->member->accuracy)
        return cr__container_damaged(container, err, "the accuracy of members makes no sense");
    for (size_t i = 0; i < e->members; i++) {
        double *to = &e->member[i].accuracy;

        *to = NAN;
        if (section != NULL)
            memcpy(to, (const char *)section + i * sizeof *to, sizeof *to);
        if (section != NULL && !(*to >= 0 && *to <= 1))
            return cr__container_damaged(container, err, "the accuracy of members makes no sense");
    }
    return CR_OK;
}

/* The dictionaries, for as long as members are matched. */
static cr_status open_dicts(cr__dict **dict, const cr__container *container,
                            const cr_schema *schema, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (schema->column[i].kind == CR_SYMBOL)
            st = cr__container_dict(container, CR__TAG_DICT, (uint32_t)i, &dict[i], err);
    return st;
}

cr_status cr__ensemble_open(void **fitted, const cr__container *container, const cr_schema *schema,
                            const size_t *values, size_t classes, cr_error *err)
{
    cr__ensemble *e = cr__alloc_zero(1, sizeof *e);
    cr__dict **dict = cr__alloc_zero(schema->columns, sizeof *dict);
    const void *section;
    size_t size;
    head h;
    cr_status st =
        e == NULL || dict == NULL
            ? cr__fail_memory(err)
            : cr__container_need(container, TAG_ENSEMBLE, 0, sizeof h, 0, &section, &size, err);

    (void)values;
    *fitted = NULL;
    if (st == CR_OK) {
        memcpy(&h, section, sizeof h);
        if (h.members == 0 || h.members > CR__MEMBERS_MAX || h.rule > CR__RULE_PRODUCT ||
            !(h.held_out >= 0) || h.members > (size - sizeof h) / sizeof(record))
            st = cr__container_damaged(container, err, "the list of members makes no sense");
    }
    if (st == CR_OK && (e->member = cr__alloc_zero((size_t)h.members, sizeof *e->member)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK) {
        *e = (cr__ensemble){(size_t)h.members,         classes, schema->columns, e->member,
                            (cr__ensemble_rule)h.rule, h.seed,  h.held_out};
        st = open_dicts(dict, container, schema, err);
    }
    if (st == CR_OK)
        st = open_members(e, container, section, size, schema, dict, err);
    if (st == CR_OK)
        st = open_accuracy(e, container, err);
    for (size_t i = 0; dict != NULL && i < schema->columns; i++)
        cr__dict_free(dict[i]);
    cr__free(dict);
    if (st != CR_OK) {
        cr__ensemble_free(e);
        return st;
    }
    *fitted = e;
    return CR_OK;
}
