/* train/assemble.c - combine models: match their columns, values and classes by name. */
#include "train/assemble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/registry.h"

#define WORDS_SEED UINT64_C(0x656e73656d626c65)

/* --- all of them ------------------------------------------------------------------------------ */

/* The member as a container of its own, and opened from there. */
static cr_status copy_member(cr__member *m, const cr_model *model, const char *name, size_t index,
                             cr_error *err)
{
    char number[24];
    cr__draft draft = {0};
    cr_status st;

    m->accuracy = NAN; /* until rows are seen */
    snprintf(number, sizeof number, "%zu", index + 1);
    name = name == NULL ? number : name;
    if ((m->name = cr__strndup(name, strlen(name))) == NULL)
        return cr__fail_memory(err);
    if (model->learner == &cr__ensemble_learner) {
        cr__fail(err, CR_EARG, "'%s' is an ensemble itself", name);
        return cr__fail_hint(err, CR_EARG, "combine its members with the others");
    }
    if (model->schema->target == SIZE_MAX || model->learner->regresses != NULL)
        return cr__fail(err, CR_ECONFLICT, "'%s' has no classes as its target", name);
    if (model->impute != NULL)
        return cr__fail(err, CR_ECONFLICT, "'%s' fills in missing values, which a member cannot",
                        name);
    if (model->classes == 0)
        return cr__fail(err, CR_ECONFLICT, "'%s' has learned nothing: it has no classes", name);
    if ((st = cr__model_draft(model, &draft, err)) == CR_OK)
        st = cr__draft_bytes(&draft, &m->block, &m->bytes, &m->size, err);
    cr__draft_free(&draft);
    return st == CR_OK ? cr__model_borrow(&m->model, m->bytes, m->size, 0, err) : st;
}

static cr_status add_column(cr_schema *schema, const cr__column *column, cr_error *err)
{
    if (cr_schema_find(schema, column->name) != SIZE_MAX)
        return CR_OK;
    return cr__schema_add(schema, column->name, strlen(column->name), column->kind, column->role,
                          column->why, err);
}

/* The columns of the first member, then additional ones of the others; one column of weights at
 * most.
 */
static cr_status join_columns(cr_schema *schema, const cr__ensemble *e, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t m = 0; m < e->members; m++) {
        const cr_schema *own = e->member[m].model->schema;

        for (size_t i = 0; st == CR_OK && i < own->columns; i++)
            if (cr__stats_is_feature(own, i) || (i == own->target && m == 0) ||
                (i == own->weight && schema->weight == SIZE_MAX))
                st = add_column(schema, &own->column[i], err);
    }
    return st;
}

/* The words of a symbol column that any member knows; for the target, those of the first one. */
static cr_status join_words(cr_model *model, const cr__ensemble *e, size_t column, cr_error *err)
{
    const char *name = model->schema->column[column].name;
    const size_t members = column == model->schema->target ? 1 : e->members;
    cr__dict *dict;
    cr_status st = cr__dict_new(&dict, WORDS_SEED, err);

    model->dict[column] = dict;
    for (size_t m = 0; st == CR_OK && m < members; m++) {
        const cr_model *own = e->member[m].model;
        const size_t i = cr_schema_find(own->schema, name);

        if (i == SIZE_MAX || own->schema->column[i].kind != CR_SYMBOL)
            continue;
        for (uint32_t code = 1; st == CR_OK && code <= own->dict[i]->words; code++) {
            size_t length;
            const char *word = cr__dict_word(own->dict[i], code, &length);
            uint32_t same;

            if ((st = cr__dict_intern(dict, word, length, &same)) != CR_OK)
                cr__fail(err, st, "the values of '%s' cannot be kept", name);
        }
    }
    if (st == CR_OK)
        model->values[column] = dict->words;
    return st;
}

static cr_status join_all(cr_model *model, const cr__ensemble *e, cr_error *err)
{
    cr_status st = cr__schema_new(&model->schema, err);

    if (st == CR_OK)
        st = join_columns(model->schema, e, err);
    if (st != CR_OK)
        return st;
    model->dict = cr__alloc_zero(model->schema->columns, sizeof *model->dict);
    model->values = cr__alloc_zero(model->schema->columns, sizeof *model->values);
    if (model->dict == NULL || model->values == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < model->schema->columns; i++)
        if (model->schema->column[i].kind == CR_SYMBOL)
            st = join_words(model, e, i, err);
    model->classes = model->values[model->schema->target];
    return st;
}

/* The texts that mean missing are fixed before columns are matched, so they must be the same for
 * all. */
static cr_status check_missing(const cr__ensemble *e, cr_error *err)
{
    for (size_t m = 1; m < e->members; m++)
        if (strcmp(e->member[m].model->missing, e->member[0].model->missing) != 0)
            return cr__fail(err, CR_ECONFLICT,
                            "other texts mean missing to '%s' (%s) than to '%s' "
                            "(%s)",
                            e->member[m].name, e->member[m].model->missing, e->member[0].name,
                            e->member[0].model->missing);
    return CR_OK;
}

static cr_status fill(cr_model *model, cr__ensemble *e, const cr_model *const *models,
                      const char *const *name, const cr__knobs *knobs, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t m = 0; st == CR_OK && m < e->members; m++)
        st = copy_member(&e->member[m], models[m], name == NULL ? NULL : name[m], m, err);
    if (st == CR_OK)
        st = check_missing(e, err);
    if (st == CR_OK)
        st = join_all(model, e, err);
    for (size_t m = 0; st == CR_OK && m < e->members; m++)
        st = cr__member_match(&e->member[m], model->schema, model->dict, err);
    if (st != CR_OK)
        return st;
    e->classes = model->classes;
    e->columns = model->schema->columns;
    strcpy(model->version, CREDENCE_VERSION);
    if ((model->missing = cr__strndup(models[0]->missing, strlen(models[0]->missing))) == NULL)
        return cr__fail_memory(err);
    if ((st = cr__knobs_copy(&model->knobs, knobs, err)) != CR_OK)
        return st;
    return cr__recipe_copy(&model->recipe, &models[0]->recipe, err);
}

cr_status cr__ensemble_assemble(cr_model **out, const cr_model *const *models,
                                const char *const *name, size_t count, const cr__knobs *knobs,
                                cr_error *err)
{
    cr_model *model;
    cr__ensemble *e;
    cr_status st;

    *out = NULL;
    if (count == 0 || count > CR__MEMBERS_MAX)
        return cr__fail(err, CR_EARG, "%zu members; an ensemble has 1 to %d", count,
                        CR__MEMBERS_MAX);
    if ((model = cr__model_alloc()) == NULL)
        return cr__fail_memory(err);
    model->learner = &cr__ensemble_learner;
    model->dict_views = 1; /* owned: freed with the model */
    if ((model->share->fitted = e = cr__alloc_zero(1, sizeof *e)) == NULL ||
        (e->member = cr__alloc_zero(count, sizeof *e->member)) == NULL) {
        st = cr__fail_memory(err);
    } else {
        e->members = count;
        st = fill(model, e, models, name, knobs, err);
    }
    if (st != CR_OK) {
        cr_model_free(model);
        return st;
    }
    *out = model;
    return CR_OK;
}
