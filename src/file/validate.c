/* file/validate.c - whether a model file has what its learner needs, and nothing that belongs to
 * another. */
#include "file/validate.h"

#include <stdio.h>
#include <string.h>

#include "learners/registry.h"

/* --- which columns have which statistics -------------------------------------------------------
 */

static int is_feature(const cr_model *m, uint32_t i)
{
    return i < m->schema->columns && cr__stats_is_feature(m->schema, i);
}

/* Its values have a dictionary: words, classes, or intervals of a joint table. */
static int has_words(const cr_model *m, uint32_t i)
{
    return i < m->schema->columns &&
           (m->schema->column[i].kind == CR_SYMBOL || i == m->schema->target ||
            (cr__needs_cuts(&m->learner->needs) && m->schema->column[i].kind == CR_REAL &&
             is_feature(m, i)));
}

static int is_trained(const cr_model *m)
{
    return m->learner->fit != NULL;
}

static int is_counted(const cr_model *m, uint32_t i)
{
    return is_trained(m) && is_feature(m, i) && has_words(m, i);
}

static int is_text(const cr_model *m, uint32_t i)
{
    return is_trained(m) && is_feature(m, i) && m->schema->column[i].kind == CR_BAG;
}

static int is_number(const cr_model *m, uint32_t i)
{
    return is_trained(m) && is_feature(m, i) && m->schema->column[i].kind == CR_REAL &&
           !cr__needs_cuts(&m->learner->needs);
}

static int has_class_counts(const cr_model *m, uint32_t i)
{
    return is_trained(m) && i == 0;
}

/* A learner of pairs may have been trained when pairs were still taken from cells. */
static int may_have_cells(const cr_model *m, uint32_t i)
{
    return is_trained(m) && cr__needs_cuts(&m->learner->needs) && i == 0;
}

static int may_have_tuples(const cr_model *m, uint32_t i)
{
    return is_trained(m) && m->learner->needs.tuples && i == 0;
}

static cr__cross_use products_of(const cr_model *m)
{
    return is_trained(m) ? cr__learner_needs(m->learner, &m->knobs).cross : CR__CROSS_NONE;
}

static int has_products(const cr_model *m, uint32_t i)
{
    return products_of(m) != CR__CROSS_NONE && i == 0;
}

static int has_products_of(const cr_model *m, uint32_t i)
{
    return products_of(m) != CR__CROSS_NONE && i < m->classes;
}

/* --- the sections that are not a learner's own -------------------------------------------------
 */

typedef struct rule {
    char tag[5];
    int (*belongs)(const cr_model *m, uint32_t index);
    int needed; /* wherever it belongs */
} rule;

static const rule rules[] = {
    {"DICT", has_words, 1},    {"CLSC", has_class_counts, 1}, {"CNTS", is_counted, 1},
    {"MOMT", is_number, 1},    {"VALU", is_number, 0},        {"BAGD", is_text, 1},
    {"BAGH", is_text, 1},      {"BAGE", is_text, 1},          {"BAGB", is_text, 1},
    {"BAGR", is_text, 1},      {"BAGC", is_text, 1},          {"BAGW", is_text, 0},
    {"BAGF", is_text, 0},      {"CELL", may_have_cells, 0},   {"TUPL", may_have_tuples, 0},
    {"CROS", has_products, 0}, {"CRSC", has_products_of, 0},  {"CRSX", has_products_of, 0},
};

enum { RULES = sizeof rules / sizeof *rules };

static uint32_t tag_of(const char *name)
{
    return CR__TAG((unsigned char)name[0], (unsigned char)name[1], (unsigned char)name[2],
                   (unsigned char)name[3]);
}

static int owns(const cr__learner *learner, const char *tag)
{
    return strstr(learner->sections, tag) != NULL;
}

static int owned_by_another(const char *tag)
{
    const cr__learner *learner;

    for (size_t i = 0; (learner = cr__learner_at(i)) != NULL; i++)
        if (owns(learner, tag))
            return 1;
    return 0;
}

static int belongs(const cr_model *model, const char *tag, uint32_t index)
{
    if (owns(model->learner, tag))
        return 1;
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(rules[i].tag, tag) == 0)
            return rules[i].belongs(model, index);
    return !owned_by_another(tag);
}

static cr_status check_strays(const cr_model *model, cr_error *err)
{
    for (uint32_t i = 0; i < model->container.sections; i++) {
        char tag[5], what[100];
        const uint32_t index = cr__container_name(&model->container, i, tag);

        if (belongs(model, tag, index))
            continue;
        snprintf(what, sizeof what, "section %s %u does not belong to a model of '%.30s'", tag,
                 (unsigned)index, model->learner->name);
        return cr__container_damaged(&model->container, err, what);
    }
    return CR_OK;
}

static cr_status check_needs(const cr_model *model, cr_error *err)
{
    const void *bytes;
    cr_status st = CR_OK;

    for (size_t r = 0; r < RULES; r++)
        for (uint32_t i = 0; st == CR_OK && rules[r].needed && i < model->schema->columns; i++)
            if (rules[r].belongs(model, i))
                st = cr__container_need(&model->container, tag_of(rules[r].tag), i, 0, 0, &bytes,
                                        NULL, err);
    return st;
}

/* The products must be those that the learner uses. */
static cr_status check_products(const cr_model *model, cr_error *err)
{
    const cr__cross_use use = products_of(model);
    uint64_t found;
    const void *bytes;
    cr_status st;

    if (use == CR__CROSS_NONE)
        return CR_OK;
    st = cr__container_need(&model->container, tag_of("CROS"), 0, sizeof found, 0, &bytes, NULL,
                            err);
    if (st != CR_OK)
        return st;
    memcpy(&found, bytes, sizeof found);
    return found == (uint64_t)use ? CR_OK
                                  : cr__container_damaged(&model->container, err,
                                                          "its products belong to another learner");
}

/* Cut real columns are counted in cells or in pairs, not in both. */
static cr_status check_cells(const cr_model *model, cr_error *err)
{
    size_t size;
    const int cells = cr__container_section(&model->container, tag_of("CELL"), 0, &size) != NULL;
    const int tuples = cr__container_section(&model->container, tag_of("TUPL"), 0, &size) != NULL;

    return !may_have_cells(model, 0) || cells != tuples
               ? CR_OK
               : cr__container_damaged(&model->container, err,
                                       "it has no cells, or has them twice");
}

static cr_status check_columns(const cr_model *model, cr_error *err)
{
    for (size_t i = 0; i < model->schema->columns; i++)
        if (cr__stats_is_feature(model->schema, i) && model->schema->column[i].kind == CR_BAG &&
            model->learner->has_words == NULL && is_trained(model))
            return cr__container_damaged(&model->container, err,
                                         "a column has texts, which its learner does not support");
    return CR_OK;
}

cr_status cr__model_validate(const cr_model *model, cr_error *err)
{
    cr_status st = check_columns(model, err);

    if (st == CR_OK)
        st = check_strays(model, err);
    if (st == CR_OK)
        st = check_needs(model, err);
    if (st == CR_OK)
        st = check_cells(model, err);
    return st == CR_OK ? check_products(model, err) : st;
}
