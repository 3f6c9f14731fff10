/* file/model_file.c - a whole model to and from a file.
 *
 *   META      u64 rows, classes, columns; the 32 characters of the fingerprint; 16 of the version
 *   LEAR      the learner's name
 *   KNOB      NAME=VALUE, a NUL after each, in the learner's order
 *   MISS      the texts that mean missing
 *   RCPE      how texts become words, one line (text/recipe.h)
 *   SCHM      per column u8 kind, role, why, 0, u32 declared values, u32 end of name; the names
 *   AUTO      what was tried before training, if anything (choice.c)
 *   CALI      the calibration of posteriors, if any (calibration.c)
 *   …         the statistics (stats_sections.c) and the learner's own sections
 *
 * A declared column's declared words are the first of its dictionary.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "file/validate.h"
#include "learners/registry.h"
#include "stats/cross_sections.h"
#include "model/model.h"

#define TAG_META CR__TAG('M', 'E', 'T', 'A')
#define TAG_LEARNER CR__TAG('L', 'E', 'A', 'R')
#define TAG_KNOBS CR__TAG('K', 'N', 'O', 'B')
#define TAG_MISSING CR__TAG('M', 'I', 'S', 'S')
#define TAG_RECIPE CR__TAG('R', 'C', 'P', 'E')
#define TAG_SCHEMA CR__TAG('S', 'C', 'H', 'M')

typedef struct meta {
    uint64_t rows, classes, columns;
    char fingerprint[32];
    char version[16];
} meta;

typedef struct schema_record {
    uint8_t kind, role, why, zero;
    uint32_t declared, name_end;
} schema_record;

/* --- writing --------------------------------------------------------------------------------- */

static void draft_schema(cr__draft *draft, const cr_schema *schema)
{
    uint32_t end = 0;

    cr__draft_section_begin(draft, TAG_SCHEMA, 0);
    for (size_t i = 0; i < schema->columns; i++) {
        const cr__column *c = &schema->column[i];
        schema_record r = {(uint8_t)c->kind,
                           (uint8_t)c->role,
                           (uint8_t)c->why,
                           0,
                           c->declared == NULL ? 0 : c->declared->words,
                           0};

        r.name_end = end += (uint32_t)strlen(c->name);
        cr__draft_copy(draft, &r, sizeof r);
    }
    for (size_t i = 0; i < schema->columns; i++)
        cr__draft_borrow(draft, schema->column[i].name, strlen(schema->column[i].name));
}

static void draft_knobs(cr__draft *draft, const cr__knobs *knobs)
{
    cr__draft_section_begin(draft, TAG_KNOBS, 0);
    for (size_t i = 0; i < knobs->count; i++) {
        cr__draft_borrow(draft, knobs->spec[i].name, strlen(knobs->spec[i].name));
        cr__draft_borrow(draft, "=", 1);
        cr__draft_borrow(draft, knobs->value[i], strlen(knobs->value[i]) + 1);
    }
}

static void draft_recipe(cr__draft *draft, const cr__recipe *recipe)
{
    cr__buffer line = {0};

    cr__recipe_write(recipe, &line);
    cr__draft_section_begin(draft, TAG_RECIPE, 0);
    if (line.failed)
        draft->failed = 1;
    else
        cr__draft_copy(draft, line.data, line.size);
    cr__buffer_free(&line);
}

/* The dictionaries of a model without statistics, which would have them otherwise. */
static void draft_dicts(cr__draft *draft, const cr_model *model)
{
    for (size_t i = 0; i < model->schema->columns; i++)
        if (model->dict[i] != NULL) {
            cr__draft_section_begin(draft, CR__TAG_DICT, (uint32_t)i);
            cr__draft_dict(draft, model->dict[i]);
        }
}

cr_status cr__model_draft(const cr_model *model, cr__draft *draft, cr_error *err)
{
    const cr__stats *stats = NULL;
    const int trained = model->learner->fit != NULL;
    meta m = {model->rows, model->classes, model->schema->columns, {0}, CREDENCE_VERSION};
    cr_status st = trained ? cr__model_stats(model, &stats, err) : CR_OK;

    if (st != CR_OK || (st = cr__model_fingerprint(model, err)) != CR_OK)
        return st;
    memcpy(m.fingerprint, model->fingerprint, sizeof m.fingerprint);
    cr__draft_section_begin(draft, TAG_META, 0);
    cr__draft_copy(draft, &m, sizeof m);
    cr__draft_section_begin(draft, TAG_LEARNER, 0);
    cr__draft_borrow(draft, model->learner->name, strlen(model->learner->name));
    cr__draft_section_begin(draft, TAG_MISSING, 0);
    cr__draft_borrow(draft, model->missing, strlen(model->missing));
    draft_recipe(draft, &model->recipe);
    draft_knobs(draft, &model->knobs);
    draft_schema(draft, model->schema);
    if (trained)
        cr__stats_save(stats, draft);
    else
        draft_dicts(draft, model);
    if (trained && stats->cross != NULL)
        cr__cross_save(stats->cross, draft);
    model->learner->save(model->share->fitted, draft);
    if (model->impute != NULL)
        cr__impute_save(model->impute, draft);
    if (model->calibration != NULL)
        cr__calibration_save(model->calibration, draft);
    if (model->choices != NULL)
        cr__choices_save(model->choices, draft);
    return CR_OK;
}

cr_status cr_model_save(const cr_model *model, const char *path, cr_error *err)
{
    cr__draft draft = {0};
    cr_status st = cr__model_draft(model, &draft, err);

    if (st == CR_OK)
        st = cr__draft_save(&draft, path, err);
    cr__draft_free(&draft);
    return st;
}

cr_status cr_model_save_bytes(const cr_model *model, void **bytes, size_t *size, cr_error *err)
{
    cr__draft draft = {0};
    cr_status st = cr__model_draft(model, &draft, err);

    *bytes = NULL;
    *size = 0;
    if (st == CR_OK)
        st = cr__draft_block(&draft, bytes, size, err);
    cr__draft_free(&draft);
    return st;
}

void cr_bytes_free(void *bytes)
{
    cr__free(bytes);
}

/* --- reading --------------------------------------------------------------------------------- */

static cr_status read_text(const cr__container *container, uint32_t tag, char **out, cr_error *err)
{
    const void *bytes;
    size_t size;
    cr_status st = cr__container_need(container, tag, 0, 0, 0, &bytes, &size, err);

    if (st != CR_OK)
        return st;
    if (memchr(bytes, '\0', size) != NULL)
        return cr__container_damaged(container, err, "a text has a NUL in it");
    return (*out = cr__strndup(bytes, size)) == NULL ? cr__fail_memory(err) : CR_OK;
}

static cr_status read_learner(cr_model *model, cr_error *err)
{
    char *name = NULL;
    cr_status st = read_text(&model->container, TAG_LEARNER, &name, err);

    if (st == CR_OK) {
        model->learner = cr__learner_find(name, NULL);
        if (model->learner == NULL) {
            cr__fail(err, CR_EVERSION,
                     "the model is of a kind, '%.40s', that this program does "
                     "not know",
                     name);
            st = cr__fail_at(err, CR_EVERSION, model->container.path, 0, 0);
        }
    }
    cr__free(name);
    return st;
}

static cr_status read_recipe(cr_model *model, cr_error *err)
{
    const void *bytes;
    size_t size;
    cr_status st = cr__container_need(&model->container, TAG_RECIPE, 0, 0, 0, &bytes, &size, err);

    if (st == CR_OK && (st = cr__recipe_read(&model->recipe, bytes, size, err)) == CR_EFORMAT)
        st =
            cr__container_damaged(&model->container, err, "the recipe of its texts makes no sense");
    return st;
}

static cr_status read_knobs(cr_model *model, cr_error *err)
{
    const void *section;
    const char *bytes;
    size_t size;
    cr_status st = cr__container_need(&model->container, TAG_KNOBS, 0, 0, 0, &section, &size, err);

    if (st == CR_OK)
        st = cr__knobs_new(&model->knobs, model->learner->knobs, model->learner->knob_count, err);
    if (st != CR_OK)
        return st;
    bytes = section;
    if (size > 0 && bytes[size - 1] != '\0')
        return cr__container_damaged(&model->container, err, "the knobs are cut short");
    for (size_t at = 0; st == CR_OK && at < size; at += strlen(bytes + at) + 1)
        if ((st = cr__knobs_set(&model->knobs, bytes + at, err)) == CR_EARG)
            st = cr__container_damaged(&model->container, err, "a knob has an impossible value");
    return st;
}

static cr_status read_column(cr_model *model, schema_record r, const char *names, size_t start,
                             cr_error *err)
{
    cr_status st;

    if (r.kind > CR_BAG || r.role > CR_ROLE_WEIGHT || r.why > CR_WHY_PRODUCT)
        return cr__container_damaged(&model->container, err, "a column has an unknown kind");
    if ((r.role == CR_ROLE_TARGET &&
         (model->schema->target != SIZE_MAX ||
          r.kind != (model->learner->target == CR__TARGET_REAL ? CR_REAL : CR_SYMBOL))) ||
        (r.role == CR_ROLE_WEIGHT && (model->schema->weight != SIZE_MAX || r.kind != CR_REAL)) ||
        (r.why == CR_WHY_PRODUCT &&
         (r.role != CR_ROLE_FEATURE || (r.kind != CR_REAL && r.kind != CR_IGNORE))) ||
        memchr(names + start, '\0', r.name_end - start) != NULL)
        return cr__container_damaged(&model->container, err, "its columns make no sense");
    st = cr__schema_add(model->schema, names + start, r.name_end - start, (cr_kind)r.kind,
                        (cr_role)r.role, (cr_why)r.why, err);
    if (st == CR_EFORMAT)
        return cr__container_damaged(
            &model->container, err,
            "two columns have the same name, or one is not a product of others");
    return st;
}

static cr_status read_schema(cr_model *model, uint64_t columns, cr_error *err)
{
    const void *section;
    const char *names;
    size_t size, start = 0;
    cr_status st = cr__container_need(&model->container, TAG_SCHEMA, 0, 0, 0, &section, &size, err);

    if (st == CR_OK)
        st = cr__schema_new(&model->schema, err);
    if (st != CR_OK)
        return st;
    if (columns > size / sizeof(schema_record))
        return cr__container_damaged(&model->container, err, "the columns are cut short");
    names = (const char *)section + columns * sizeof(schema_record);
    size -= columns * sizeof(schema_record);
    for (size_t i = 0; st == CR_OK && i < columns; i++) {
        schema_record r;

        memcpy(&r, (const char *)section + i * sizeof r, sizeof r);
        if (r.name_end < start || r.name_end > size)
            return cr__container_damaged(&model->container, err,
                                         "a column's name is out of bounds");
        st = read_column(model, r, names, start, err);
        start = r.name_end;
    }
    if (st == CR_OK && model->schema->target == SIZE_MAX && !model->learner->needs.cells &&
        model->learner->target != CR__TARGET_NONE)
        st = cr__container_damaged(&model->container, err, "no column is the target");
    return st;
}

/* The declared words: the first ones of the column's dictionary. */
static cr_status read_declared(cr_model *model, size_t i, cr_error *err)
{
    const void *section;
    schema_record r;
    cr__column *column = &model->schema->column[i];
    cr_status st = cr__container_need(&model->container, TAG_SCHEMA, 0, 0, 0, &section, NULL, err);

    if (st != CR_OK)
        return st;
    memcpy(&r, (const char *)section + i * sizeof r, sizeof r);
    if (r.declared == 0)
        return CR_OK;
    if (model->dict[i] == NULL || r.declared > model->dict[i]->words)
        return cr__container_damaged(&model->container, err,
                                     "more values are declared than there are");
    st = cr__dict_new(&column->declared, model->dict[i]->seed, err);
    for (uint32_t code = 1; st == CR_OK && code <= r.declared; code++) {
        size_t length;
        const char *word = cr__dict_word(model->dict[i], code, &length);
        uint32_t same;

        if ((st = cr__dict_intern(column->declared, word, length, &same)) != CR_OK)
            st = cr__fail(err, st, "the declared values cannot be kept");
    }
    return st;
}

static cr_status read_dicts(cr_model *model, cr_error *err)
{
    const size_t columns = model->schema->columns;
    cr_status st = CR_OK;

    model->dict = cr__alloc_zero(columns, sizeof *model->dict);
    model->values = cr__alloc_zero(columns, sizeof *model->values);
    model->dict_views = 1;
    if (model->dict == NULL || model->values == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < columns; i++) {
        const cr_kind kind = model->schema->column[i].kind;

        if (kind != CR_SYMBOL && i != model->schema->target &&
            !(cr__needs_cuts(&model->learner->needs) && kind == CR_REAL &&
              cr__stats_is_feature(model->schema, i)))
            continue;
        st = cr__container_dict(&model->container, CR__TAG_DICT, (uint32_t)i, &model->dict[i], err);
        if (st == CR_OK && !cr__dict_is_sound(model->dict[i]))
            st = cr__container_damaged(&model->container, err, "words of a column are not found");
        if (st == CR_OK) {
            model->values[i] = model->dict[i]->words;
            st = read_declared(model, i, err);
        }
    }
    if (st == CR_OK &&
        model->classes !=
            (model->schema->target == SIZE_MAX ? 1 : model->values[model->schema->target]))
        st = cr__container_damaged(&model->container, err, "the number of classes is wrong");
    return st;
}

static cr_status read_impute(cr_model *model, cr_error *err)
{
    cr__impute *impute = NULL;
    cr_status st = cr__impute_open(&impute, &model->container, model->schema, err);

    return st == CR_OK ? cr__model_take_impute(model, impute, err) : st;
}

/* A model inside this one. */
static cr_status open_inside(cr_model **out, const void *bytes, size_t size, cr_error *err)
{
    return cr__model_borrow(out, bytes, size, 0, err);
}

static cr_status read_model(cr_model *model, cr_error *err)
{
    const void *bytes;
    meta m;
    cr_status st =
        cr__container_need(&model->container, TAG_META, 0, sizeof m, 1, &bytes, NULL, err);

    if (st != CR_OK)
        return st;
    memcpy(&m, bytes, sizeof m);
    model->rows = m.rows;
    model->classes = (size_t)m.classes;
    memcpy(model->fingerprint, m.fingerprint, sizeof m.fingerprint);
    memcpy(model->version, m.version, sizeof m.version - 1);
    st = read_learner(model, err);
    if (st == CR_OK)
        st = read_knobs(model, err);
    if (st == CR_OK)
        st = read_text(&model->container, TAG_MISSING, &model->missing, err);
    if (st == CR_OK)
        st = read_recipe(model, err);
    if (st == CR_OK)
        st = read_schema(model, m.columns, err);
    if (st == CR_OK)
        st = cr__model_validate(model, err);
    if (st == CR_OK)
        st = read_dicts(model, err);
    if (st == CR_OK)
        model->container.open_inside = open_inside;
    if (st == CR_OK)
        st = model->learner->open(&model->share->fitted, &model->container, model->schema,
                                  model->values, model->classes, err);
    if (st == CR_OK && model->learner->settle != NULL)
        st = model->learner->settle(model->share->fitted, &model->knobs, err);
    if (st == CR_OK)
        st = read_impute(model, err);
    if (st == CR_OK)
        st = cr__calibration_open(&model->calibration, &model->container, model->classes, err);
    if (st == CR_OK)
        st = cr__choices_open(&model->choices, &model->container, err);
    if (st == CR_OK)
        cr__model_adopt_bins(model);
    return st;
}

static cr_status finish_load(cr_model **out, cr_model *model, cr_status st, cr_error *err)
{
    if (st == CR_OK)
        st = read_model(model, err);
    if (st != CR_OK) {
        cr_model_free(model);
        return st;
    }
    *out = model;
    return CR_OK;
}

cr_status cr_model_load(cr_model **out, const char *path, unsigned flags, cr_error *err)
{
    cr_model *model = cr__model_alloc();

    *out = NULL;
    if (model == NULL)
        return cr__fail_memory(err);
    return finish_load(out, model,
                       cr__container_open(&model->container, path, !(flags & CR_LOAD_TRUST), err),
                       err);
}

cr_status cr_model_load_bytes(cr_model **out, const void *bytes, size_t size, unsigned flags,
                              cr_error *err)
{
    const int verify = !(flags & CR_LOAD_TRUST);
    cr_model *model;

    if ((flags & CR_LOAD_BORROW) && cr__container_aligned(bytes))
        return cr__model_borrow(out, bytes, size, verify, err);
    *out = NULL;
    if ((model = cr__model_alloc()) == NULL)
        return cr__fail_memory(err);
    return finish_load(out, model, cr__container_copy(&model->container, bytes, size, verify, err),
                       err);
}

cr_status cr__model_borrow(cr_model **out, const void *bytes, size_t size, int verify,
                           cr_error *err)
{
    cr_model *model = cr__model_alloc();

    *out = NULL;
    if (model == NULL)
        return cr__fail_memory(err);
    return finish_load(out, model,
                       cr__container_borrow(&model->container, bytes, size, verify, err), err);
}

cr_status cr__model_own(cr_model *model, cr_error *err)
{
    cr_model *own;
    void *bytes;
    size_t size;
    cr_status st;

    if (!cr__model_shared(model))
        return CR_OK;
    if ((st = cr_model_save_bytes(model, &bytes, &size, err)) != CR_OK)
        return st;
    if ((st = cr_model_load_bytes(&own, bytes, size, CR_LOAD_TRUST, err)) == CR_OK) {
        cr__model_swap(model, own);
        cr_model_free(own);
    }
    cr_bytes_free(bytes);
    return st;
}
