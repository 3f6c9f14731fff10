/* learners/joint/list.c - a joint table cell by cell. */
#include "credence/joint.h"

#include "base/fail.h"
#include "base/memory.h"
#include "learners/joint/joint.h"
#include "learners/registry.h"
#include "model/model.h"

typedef cr_status (*visitor)(void *context, const size_t *value, double count, double probability);

typedef struct lister {
    const cr__joint *joint;
    cr__scaled all; /* N + a M */
    size_t *value;  /* [columns] for the visitor */
    uint32_t *code; /* [variables] of the current cell */
    visitor visit;
    void *context;
} lister;

static cr_status tell(lister *l, double count)
{
    const cr__joint *joint = l->joint;
    const cr__scaled mass = cr__scaled_of(count + joint->pseudo, 0);

    for (size_t j = 0; j < joint->cells.packing.variables; j++)
        l->value[joint->cells.column[j]] = l->code[j] - 1;
    return l->visit(l->context, l->value, count, cr__scaled_ratio(mass, l->all));
}

/* The cells that were seen. */
static cr_status list_seen(lister *l)
{
    const cr__cells *cells = &l->joint->cells;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < cells->count; i++) {
        if (!cr__cells_complete(cells, i))
            continue;
        for (size_t j = 0; j < cells->packing.variables; j++)
            l->code[j] = cr__packing_get(&cells->packing, cells->key + i * cells->packing.words, j);
        st = tell(l, cr__count_value(cr__cells_at(cells, i)));
    }
    return st;
}

/* Whether the current cell is the i-th seen one. */
static int is_seen(const lister *l, size_t i)
{
    const cr__cells *cells = &l->joint->cells;

    if (i >= cells->count)
        return 0;
    for (size_t j = 0; j < cells->packing.variables; j++)
        if (l->code[j] !=
            cr__packing_get(&cells->packing, cells->key + i * cells->packing.words, j))
            return 0;
    return 1;
}

/* The next combination, the last variable running fastest; 0 after the last. */
static int advance(lister *l)
{
    for (size_t j = l->joint->cells.packing.variables; j-- > 0;) {
        if (++l->code[j] <= l->joint->values[j])
            return 1;
        l->code[j] = 1;
    }
    return 0;
}

/* All cells, in the order of the stored ones. */
static cr_status list_all(lister *l)
{
    const cr__cells *cells = &l->joint->cells;
    size_t i = 0;
    cr_status st = CR_OK;

    for (size_t j = 0; j < cells->packing.variables; j++)
        l->code[j] = 1;
    do {
        while (i < cells->count && !cr__cells_complete(cells, i))
            i++;
        if (is_seen(l, i))
            st = tell(l, cr__count_value(cr__cells_at(cells, i++)));
        else
            st = tell(l, 0);
    } while (st == CR_OK && advance(l));
    return st;
}

static cr_status check_limit(const cr__joint *joint, uint64_t limit, cr_error *err)
{
    double cells = joint->pseudo > 0 ? 1 : (double)joint->cells.count;

    for (size_t j = 0; joint->pseudo > 0 && j < joint->cells.packing.variables; j++)
        cells *= (double)joint->values[j];
    if (cells <= (double)limit)
        return CR_OK;
    cr__fail(err, CR_ELIMIT, "the table has %.*g cells; at most %llu can be listed",
             cells < 1e15 ? 15 : 3, cells, (unsigned long long)limit);
    return cr__fail_hint(err, CR_ELIMIT,
                         joint->pseudo > 0 ? "with smoothing=none only cells that "
                                             "were seen are listed"
                                           : "query asks for sums of cells");
}

cr_status cr_joint_cells(const cr_model *model, uint64_t limit, visitor visit, void *context,
                         cr_error *err)
{
    const cr__joint *joint = model->share->fitted;
    lister l = {.joint = joint, .visit = visit, .context = context};
    cr_status st;

    if (model->learner != &cr__joint_table)
        return cr__fail(err, CR_EARG, "the model is not a joint table but of '%s'",
                        model->learner->name);
    if ((st = check_limit(joint, limit, err)) != CR_OK)
        return st;
    l.all = cr__scaled_add(cr__scaled_of(cr__count_value(joint->total), 0),
                           cr__joint_pseudo(joint, NULL));
    l.value = cr__alloc(joint->columns, sizeof *l.value);
    l.code = cr__alloc(joint->cells.packing.variables, sizeof *l.code);
    if (l.value == NULL || l.code == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < joint->columns; i++)
        l.value[i] = SIZE_MAX;
    if (st == CR_OK && l.all.value > 0 &&
        (st = joint->pseudo > 0 ? list_all(&l) : list_seen(&l)) != CR_OK)
        cr__fail(err, st, "%s", cr_status_text(st));
    cr__free(l.value);
    cr__free(l.code);
    return st;
}
