/* learners/ensemble/match.c - match a member to the ensemble: columns, values and classes by
 * name. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/ensemble/ensemble.h"
#include "learners/registry.h"

#define WORDS_SEED UINT64_C(0x656e73656d626c65)

static cr_status match_classes(cr__member *m, const cr_schema *schema, cr__dict *const *dict,
                               cr_error *err)
{
    const cr_model *model = m->model;
    const cr__dict *own = model->dict[model->schema->target], *all = dict[schema->target];

    for (uint32_t code = 1; code <= own->words; code++) {
        size_t length;
        const char *word = cr__dict_word(own, code, &length);

        if (cr__dict_find(all, word, length) == CR__MISSING)
            return cr__fail(err, CR_ECONFLICT, "'%s' has the class '%s', others do not", m->name,
                            word);
    }
    if ((m->class_of = cr__alloc_zero(all->words, sizeof *m->class_of)) == NULL)
        return cr__fail_memory(err);
    for (uint32_t code = 1; code <= all->words; code++) {
        size_t length;
        const char *word = cr__dict_word(all, code, &length);
        const uint32_t mine = cr__dict_find(own, word, length);

        if (mine == CR__MISSING || mine > model->classes)
            return cr__fail(err, CR_ECONFLICT, "'%s' lacks the class '%s', which others have",
                            m->name, word);
        m->class_of[code - 1] = mine - 1;
    }
    if (model->classes != all->words) /* only in a damaged file, where a name occurs twice */
        return cr__fail(err, CR_ECONFLICT, "'%s' has %zu classes, others %u", m->name,
                        model->classes, (unsigned)all->words);
    return CR_OK;
}

/* Values that only other members know are unseen values for this one. */
static cr_status match_values(cr__member *m, size_t column, const cr__dict *all, cr_error *err)
{
    const cr__dict *own = m->model->dict[column];
    uint32_t *code_of = cr__alloc((size_t)all->words + 2, sizeof *code_of);

    if ((m->code_of[column] = code_of) == NULL)
        return cr__fail_memory(err);
    m->code_count[column] = (size_t)all->words + 2;
    code_of[0] = CR__MISSING;
    code_of[all->words + 1] = own->words + 1;
    for (uint32_t code = 1; code <= all->words; code++) {
        size_t length;
        const char *word = cr__dict_word(all, code, &length);

        code_of[code] = cr__dict_find(own, word, length);
        if (code_of[code] == CR__MISSING)
            code_of[code] = own->words + 1;
    }
    return CR_OK;
}

static cr_status match_column(cr__member *m, size_t i, const cr_schema *schema,
                              cr__dict *const *dict, cr_error *err)
{
    const cr__column *column = &m->model->schema->column[i];
    const size_t at = cr_schema_find(schema, column->name);

    if (at == SIZE_MAX || !cr__stats_is_feature(schema, at))
        return cr__fail(err, CR_ECONFLICT,
                        "'%s' is a feature of '%s', elsewhere it is something "
                        "else",
                        column->name, m->name);
    if (schema->column[at].kind != column->kind)
        return cr__fail(err, CR_ECONFLICT, "'%s' is %s in '%s', elsewhere it is %s", column->name,
                        cr_kind_name(column->kind), m->name, cr_kind_name(schema->column[at].kind));
    m->column_of[i] = at;
    return column->kind == CR_SYMBOL ? match_values(m, i, dict[at], err) : CR_OK;
}

cr_status cr__member_match(cr__member *m, const cr_schema *schema, cr__dict *const *dict,
                           cr_error *err)
{
    const cr_schema *own = m->model->schema;
    cr_status st;

    m->column_of = cr__alloc(own->columns, sizeof *m->column_of);
    m->code_of = cr__alloc_zero(own->columns, sizeof *m->code_of);
    m->code_count = cr__alloc_zero(own->columns, sizeof *m->code_count);
    if (m->column_of == NULL || m->code_of == NULL || m->code_count == NULL)
        return cr__fail_memory(err);
    if (own->target == SIZE_MAX)
        return cr__fail(err, CR_ECONFLICT, "'%s' has no target", m->name);
    if (strcmp(own->column[own->target].name, schema->column[schema->target].name) != 0)
        return cr__fail(err, CR_ECONFLICT, "'%s' predicts '%s', others '%s'", m->name,
                        own->column[own->target].name, schema->column[schema->target].name);
    st = match_classes(m, schema, dict, err);
    for (size_t i = 0; st == CR_OK && i < own->columns; i++) {
        m->column_of[i] = SIZE_MAX;
        if (cr__stats_is_feature(own, i))
            st = match_column(m, i, schema, dict, err);
    }
    return st;
}
