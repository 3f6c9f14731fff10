/* source/infer.c - what kind of column each field is. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "source/format.h"

size_t cr__source_sample_size = (size_t)1 << 20;

#define SAMPLE_ROWS ((size_t)10000) /* of the sample, at most */
#define SIMPLE_WIDENINGS 1          /* guesses corrected one by one before all rows are surveyed */

/* --- types given by the caller ------------------------------------------------------------- */

/* This is the one place that knows the words for kinds. */
static cr_status kind_of_type(const char *word, const char *column, cr_kind *kind, cr_error *err)
{
    if (strcmp(word, "real") == 0)
        *kind = CR_REAL;
    else if (strcmp(word, "symbol") == 0)
        *kind = CR_SYMBOL;
    else if (strcmp(word, "ignore") == 0)
        *kind = CR_IGNORE;
    else if (strcmp(word, "text") == 0)
        *kind = CR_BAG;
    else
        return cr__fail(err, CR_EARG,
                        "column '%s' cannot be '%s': the types are real, symbol, text "
                        "and ignore",
                        column, word);
    return CR_OK;
}

cr_status cr__source_take_types(cr_source *source, const char *const *types, size_t count,
                                cr_error *err)
{
    cr_status st = cr__dict_new(&source->type_names, 0, err);

    if (st != CR_OK)
        return st;
    if ((source->type = cr__alloc_zero(count, sizeof *source->type)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const char *equals = strrchr(types[i], '=');
        cr__declared_kind *type = &source->type[source->types];
        uint32_t code;

        if (equals == NULL || equals == types[i])
            return cr__fail(err, CR_EARG, "the type '%s' is not of the form COLUMN=TYPE", types[i]);
        if ((type->name = cr__strndup(types[i], (size_t)(equals - types[i]))) == NULL)
            return cr__fail_memory(err);
        source->types++;
        if ((st = kind_of_type(equals + 1, type->name, &type->kind, err)) != CR_OK)
            return st;
        if (cr__dict_intern(source->type_names, type->name, strlen(type->name), &code) != CR_OK)
            return cr__fail_memory(err);
        if (code != source->types)
            return cr__fail(err, CR_EARG, "two types are given for column '%s'", type->name);
    }
    return CR_OK;
}

cr_kind cr__source_given_kind(const cr_source *source, size_t field, int *given)
{
    const char *name = source->fields->column[field].name;
    const uint32_t code =
        source->types == 0 ? 0 : cr__dict_find(source->type_names, name, strlen(name));

    *given = code != 0;
    return code != 0 ? source->type[code - 1].kind : CR_IGNORE;
}

static cr_status fail_unknown(const cr_source *source, const char *what, const char *name,
                              cr_error *err)
{
    const char *nearest = cr__schema_nearest(source->fields, name);

    cr__fail(err, CR_EARG, "there is no column '%s' %s", name, what);
    if (nearest != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", nearest);
    cr__fail_at(err, CR_EARG, source->paths > 0 ? cr__path_shown(source->path[0]) : NULL, 0, 0);
    return CR_EARG;
}

/* An open-ended format may contain the column later. */
static cr_status check_types(const cr_source *source, cr_error *err)
{
    if (source->file != NULL && source->file->format->open_ended)
        return CR_OK;
    for (size_t i = 0; i < source->types; i++)
        if (cr_schema_find(source->fields, source->type[i].name) == SIZE_MAX)
            return fail_unknown(source, "to give a type to", source->type[i].name, err);
    return CR_OK;
}

/* --- surveys ------------------------------------------------------------------------------- */

/* Parse a chunk only to see its values and fields. */
static cr_status survey_chunk(cr_source *source, cr__chunk *chunk, cr__survey what, size_t most,
                              size_t *rows, cr_error *err)
{
    cr_schema *nothing = NULL; /* no column is filled, so that many rows fit a batch */
    cr__batch *batch = NULL;
    cr_status st = cr__schema_new(&nothing, err);
    cr__plan plan = {.schema = nothing};

    if (st == CR_OK)
        st = cr__batch_new(&batch, nothing, err);
    source->surveying = what;
    while (st == CR_OK && *rows < most) {
        if ((st = cr__source_parse(chunk, &plan, batch, err)) == CR_OK)
            *rows += batch->rows;
    }
    source->surveying = CR__SURVEY_NONE;
    cr__batch_free(batch);
    cr__schema_free(nothing);
    return st == CR_END ? CR_OK : st;
}

/* A chunk of a copy of the bytes, which are not consumed from the input. */
static cr_status copy_chunk(cr_source *source, const char *bytes, size_t size, cr__chunk *chunk,
                            cr_error *err)
{
    cr__block *block = cr__block_get(&source->pool);

    if (block == NULL || !cr__block_reserve(block, size + 1)) {
        cr__block_put(block);
        return cr__fail_memory(err);
    }
    memcpy(block->text, bytes, size);
    if (bytes[size - 1] != '\n')
        block->text[size++] = '\n';
    memset(block->text + size, 0, CR__PAD);
    block->quoted = source->file->format->quote != 0 &&
                    memchr(block->text, source->file->format->quote, size) != NULL;
    *chunk = (cr__chunk){.bytes = block->text, .size = size, .file = source->file, .block = block};
    chunk->first_line = chunk->line = source->line;
    atomic_fetch_add(&source->file->users, 1);
    return CR_OK;
}

static cr_status survey_bytes(cr_source *source, const char *bytes, size_t size, cr__survey what,
                              size_t *rows, cr_error *err)
{
    cr__chunk chunk;
    cr_status st = copy_chunk(source, bytes, size, &chunk, err);

    if (st != CR_OK)
        return st;
    st = survey_chunk(source, &chunk, what, SAMPLE_ROWS, rows, err);
    cr__source_release(&chunk);
    return st;
}

cr_status cr__source_survey_fields(cr_source *source, const char *bytes, size_t size, cr_error *err)
{
    size_t rows = 0;

    return survey_bytes(source, bytes, size, CR__SURVEY_FIELDS, &rows, err);
}

static void restart_seen(cr_source *source)
{
    for (size_t i = 0; i < source->fields->columns; i++)
        cr__seen_restart(&source->seen[i]);
}

/* Survey the first records without consuming them. */
static cr_status survey_sample(cr_source *source, size_t *rows, cr_error *err)
{
    cr__census census;
    cr__view view;
    cr_status st;

    if (source->started && (st = cr__source_rewind(source, err)) != CR_OK)
        return st;
    if (source->file == NULL && (st = cr__source_open_file(source, err)) != CR_OK)
        return st;
    if (source->file->format->declared) {
        *rows = 1; /* whatever is in them */
        return CR_OK;
    }
    restart_seen(source);
    if ((st = cr__source_see(source, cr__source_sample_size, &view, &census, err)) != CR_OK ||
        view.size == 0)
        return st;
    return survey_bytes(source, view.bytes, view.size, CR__SURVEY_VALUES, rows, err);
}

/* Survey all records, and go back to the first. */
static cr_status survey_all(cr_source *source, size_t *rows, cr_error *err)
{
    cr__chunk chunk;
    cr_status st = cr__source_rewind(source, err);

    restart_seen(source);
    while (st == CR_OK && (st = cr__source_next(source, &chunk, err)) == CR_OK) {
        st = survey_chunk(source, &chunk, CR__SURVEY_VALUES, SIZE_MAX, rows, err);
        cr__source_release(&chunk);
    }
    return st == CR_END ? cr__source_rewind(source, err) : st;
}

/* --- the inferred schema ----------------------------------------------------------------- */

/* The field that a name, or else a number from 1, stands for. */
static size_t find_by_name_or_number(const cr_source *source, const char *text)
{
    size_t field = cr_schema_find(source->fields, text);
    uint64_t number;

    if (field == SIZE_MAX && cr__parse_uint64(text, strlen(text), &number) == CR__NUMBER_OK)
        field = (size_t)number - 1;
    return field < cr__source_data_fields(source) ? field : SIZE_MAX;
}

size_t cr__source_usual_target(const cr_source *source)
{
    if (source->fields->columns == 0)
        return SIZE_MAX;
    if (source->file != NULL && source->file->format->target_first)
        return 0;
    return source->first_record_fields > 0 ? source->first_record_fields - 1
                                           : source->fields->columns - 1;
}

/* Which fields are the target and the weight; SIZE_MAX for none. */
static cr_status find_roles(const cr_source *source, size_t *target, size_t *weight, cr_error *err)
{
    *target = *weight = SIZE_MAX;
    if (cr__source_is_described(source)) {
        *target = source->fields->target;
        *weight = source->fields->weight;
        if (*target == SIZE_MAX && source->use != CR__TARGET_NONE)
            return cr__fail(err, CR_EARG, "no %s has the role of the target",
                            source->arrays != NULL ? "array" : "column");
        return CR_OK;
    }
    if (source->weight != NULL &&
        (*weight = find_by_name_or_number(source, source->weight)) == SIZE_MAX)
        return fail_unknown(source, "of weights", source->weight, err);
    if (source->target != NULL) {
        if ((*target = find_by_name_or_number(source, source->target)) == SIZE_MAX)
            return fail_unknown(source, "to learn", source->target, err);
    } else if (source->use != CR__TARGET_NONE) {
        *target = cr__source_usual_target(source);
        if (*target != SIZE_MAX && *target == *weight)
            return cr__fail(err, CR_EARG,
                            "column '%s' is the last, so it would be the target, but "
                            "it holds the weights: name a target",
                            source->fields->column[*weight].name);
    }
    if (*target != SIZE_MAX && *target == *weight)
        return cr__fail(err, CR_EARG, "column '%s' cannot be both the target and the weight",
                        source->fields->column[*weight].name);
    return CR_OK;
}

static void decide_by_values(const cr_source *source, const cr__seen *seen, cr__column *column)
{
    if (seen->kinds & CR__SEEN_WORD && column->role == CR_ROLE_FEATURE &&
        source->use == CR__TARGET_CLASS && cr__seen_is_text(seen)) {
        column->kind = CR_BAG;
        column->why = CR_WHY_TEXT;
    } else if (seen->kinds & CR__SEEN_WORD) {
        column->kind = CR_SYMBOL;
        column->why = CR_WHY_WORDS;
    } else if (seen->kinds & CR__SEEN_NUMBER) {
        column->kind = CR_REAL;
        column->why = CR_WHY_NUMBERS;
    } else if (seen->kinds & CR__SEEN_BINARY) {
        column->kind = CR_SYMBOL;
        column->why = CR_WHY_BINARY;
    } else {
        column->kind = CR_REAL;
        column->why = CR_WHY_EMPTY;
    }
}

/* A header that declares a string without values leaves open whether these are names or texts:
 * their appearance decides. */
static int is_string_of_words(const cr__column *declared, const cr__column *column)
{
    return declared->kind == CR_SYMBOL && declared->declared == NULL && column->kind == CR_BAG;
}

static cr_status decide(const cr_source *source, size_t field, cr__column *column, cr_error *err)
{
    const cr__column *declared = &source->fields->column[field];
    int given;
    const cr_kind kind = cr__source_given_kind(source, field, &given);

    decide_by_values(source, &source->seen[field], column);
    if ((declared->why != CR_WHY_EMPTY && !is_string_of_words(declared, column)) ||
        cr__source_is_described(source)) {
        column->kind = declared->kind;
        column->why = declared->why;
    }
    if (column->role == CR_ROLE_TARGET && source->use == CR__TARGET_CLASS) {
        if (column->kind != CR_SYMBOL || column->why != CR_WHY_DECLARED)
            column->why = CR_WHY_TARGET;
        column->kind = CR_SYMBOL;
    } else if (column->role == CR_ROLE_WEIGHT ||
               (column->role == CR_ROLE_TARGET && source->use == CR__TARGET_REAL)) {
        column->kind = CR_REAL;
        column->why = column->role == CR_ROLE_WEIGHT ? CR_WHY_GIVEN : CR_WHY_NUMBERS;
    }
    if (!given)
        return CR_OK;
    if (column->role != CR_ROLE_FEATURE && kind != column->kind &&
        !(column->role == CR_ROLE_TARGET && source->use == CR__TARGET_NONE && kind != CR_IGNORE))
        return cr__fail(err, CR_EARG, "column '%s' is the %s and must be %s, not %s", column->name,
                        column->role == CR_ROLE_TARGET ? "target" : "weight",
                        cr_kind_name(column->kind), cr_kind_name(kind));
    column->kind = kind;
    column->why = CR_WHY_GIVEN;
    return CR_OK;
}

/* The values that a header declares, renamed. */
static cr_status copy_words(cr__dict **out, const cr__dict *from, const cr__classes *classes,
                            cr_error *err)
{
    cr_status st = cr__dict_new(out, from->seed, err);

    for (uint32_t code = 1; st == CR_OK && code <= from->words; code++) {
        size_t length, before;
        const char *word = cr__dict_word(from, code, &length);
        uint32_t same;

        before = length;
        if (classes != NULL)
            cr__classes_rename(classes, &word, &length);
        if ((length > 0 || before == 0) && cr__dict_intern(*out, word, length, &same) != CR_OK)
            st = cr__fail_memory(err);
    }
    return st;
}

/* Words that were probably meant as numbers. */
static void note_commas(cr_source *source, size_t field, const cr__column *column)
{
    const unsigned kinds = source->seen[field].kinds;

    if (column->why == CR_WHY_WORDS && kinds & CR__SEEN_COMMA && !(kinds & CR__SEEN_PLAIN))
        cr__source_note(source,
                        "the values of column '%s' look like numbers with a decimal comma; they "
                        "are read as words, since numbers have a decimal point",
                        column->name);
}

/* A feature whose kind is not declared and whose values name the rows. */
static int is_names(const cr_source *source, size_t field)
{
    const cr__column *declared = &source->fields->column[field];
    int given;

    cr__source_given_kind(source, field, &given);
    return !given && !cr__source_is_described(source) && field != source->target_field &&
           field != source->weight_field && declared->why == CR_WHY_EMPTY &&
           cr__seen_is_names(&source->seen[field], declared->name, source->use == CR__TARGET_REAL);
}

/* Names are left out only if other features remain to learn from. */
static int can_leave_names(const cr_source *source)
{
    for (size_t i = 0; source->leave_names && i < cr__source_data_fields(source); i++) {
        int given;
        const cr_kind kind = cr__source_given_kind(source, i, &given);

        if (i != source->target_field && i != source->weight_field && !is_names(source, i) &&
            !(given && kind == CR_IGNORE))
            return 1;
    }
    return 0;
}

static void leave_names(cr_source *source, cr__column *column, int noted)
{
    const cr_kind kind = column->kind;

    column->kind = CR_IGNORE;
    column->why = CR_WHY_NAMES;
    if (!noted)
        cr__source_note(source,
                        "column '%s' is different in every row: it names the rows, and is left "
                        "out; " CR__SET("type %s=%s") " keeps it",
                        column->name, column->name, cr_kind_name(kind));
}

/* Decide about a column, which may have been another kind before. */
static cr_status update_column(cr_source *source, size_t field, size_t broken, cr_error *err)
{
    cr__column *column = &source->own->column[field];
    const cr__column before = *column;
    cr_status st = decide(source, field, column, err);

    if (st != CR_OK)
        return st;
    note_commas(source, field, column);
    if (column->kind != CR_BAG && is_names(source, field) && can_leave_names(source))
        leave_names(source, column, before.why == CR_WHY_NAMES);
    if (column->kind != before.kind && before.why != CR_WHY_EMPTY && field != broken)
        cr__source_note(source,
                        "column '%s' has other values after the first rows: it is read as %s",
                        column->name, cr_kind_name(column->kind));
    return CR_OK;
}

/* Products come after all fields, of which there may be more now. */
static cr_status cut_basis(cr_schema *own, cr_error *err)
{
    size_t columns = own->columns;

    while (columns > 0 && own->column[columns - 1].factors > 0)
        columns--;
    return cr__schema_cut(own, columns, err);
}

/* Update the inferred schema to the fields and the values seen in them. It stays the same object,
 * since others refer to it. A note is made for every column that changes, except the `broken`
 * one. */
static cr_status update_schema(cr_source *source, size_t broken, cr_error *err)
{
    cr_schema *own = source->own;
    cr_status st = cut_basis(own, err);

    for (size_t i = cr__source_data_fields(source); i < source->fields->columns; i++)
        source->column[i] = CR__NO_COLUMN;
    for (size_t i = 0; st == CR_OK && i < cr__source_data_fields(source); i++) {
        const cr__column *field = &source->fields->column[i];

        if (i == own->columns) {
            const cr_role role = i == source->target_field   ? CR_ROLE_TARGET
                                 : i == source->weight_field ? CR_ROLE_WEIGHT
                                                             : CR_ROLE_FEATURE;
            st = cr__schema_add(own, field->name, strlen(field->name), CR_REAL, role, CR_WHY_EMPTY,
                                err);
            if (st == CR_OK && field->declared != NULL)
                st = copy_words(&own->column[i].declared, field->declared,
                                role == CR_ROLE_TARGET ? &source->classes : NULL, err);
        }
        if (st == CR_OK)
            st = update_column(source, i, broken, err);
        source->column[i] = (uint32_t)i;
    }
    return st == CR_OK && source->basis != NULL ? cr__source_add_basis(source, own, err) : st;
}

/* Whether some row could still change the schema. */
static int can_break(const cr_source *source)
{
    for (size_t i = 0; i < source->own->columns; i++)
        if (cr__source_is_guess(source, &source->own->column[i]))
            return 1;
    return source->file != NULL && source->file->format->open_ended;
}

void cr__source_forget_inputs(cr_source *source)
{
    source->once = 1;
    for (size_t i = 0; i < source->paths; i++)
        if (source->input[i] != NULL)
            cr__input_forget(source->input[i]);
}

void cr__source_leave_names(cr_source *source)
{
    source->leave_names = 1;
}

cr_status cr__source_infer(cr_source *source, cr__target_use use, const cr_schema **schema,
                           cr_error *err)
{
    size_t rows = 0;
    cr_status st;

    source->use = use;
    source->absents = 0;
    source->live = 0;
    if ((cr__source_is_described(source) || source->rows != NULL) && source->started &&
        (st = cr__source_rewind(source, err)) != CR_OK)
        return st;
    if (source->rows != NULL)
        return cr__rows_infer(source, schema);
    cr__schema_free(source->own);
    source->own = NULL;
    if ((st = check_types(source, err)) != CR_OK)
        return st;
    if (cr__source_is_described(source) && source->started &&
        (st = cr__source_rewind(source, err)) != CR_OK)
        return st;
    if (!cr__source_is_described(source) && (st = survey_sample(source, &rows, err)) != CR_OK)
        return st;
    if (!cr__source_is_described(source) && rows == 0 &&
        ((st = survey_all(source, &rows, err)) != CR_OK || rows == 0))
        return st != CR_OK ? st : cr__source_fail_rows(source, err);
    if ((st = find_roles(source, &source->target_field, &source->weight_field, err)) != CR_OK ||
        (st = cr__schema_new(&source->own, err)) != CR_OK ||
        (st = update_schema(source, SIZE_MAX, err)) != CR_OK)
        return st;
    source->inferred = 1;
    source->widened = 0;
    *schema = source->schema = source->own;
    if (!can_break(source))
        cr__source_forget_inputs(source);
    return CR_OK;
}

/* A column without any value in the sample meets its first one; that breaks no guess. */
static int is_empty(const cr_source *source, size_t column)
{
    return column != SIZE_MAX && source->own->column[column].why == CR_WHY_EMPTY;
}

/* Correct the guess: by this value alone the first time, after that by a survey of all rows. */
static cr_status mend(cr_source *source, size_t column, cr_kind to, cr_error *err)
{
    size_t rows = 0;
    cr_status st;

    if (column != SIZE_MAX && !is_empty(source, column)) {
        source->seen[column].kinds |=
            to == CR_SYMBOL ? CR__SEEN_WORD | CR__SEEN_PLAIN : CR__SEEN_NUMBER;
        if (source->widened++ < SIMPLE_WIDENINGS)
            return (st = cr__source_rewind(source, err)) != CR_OK
                       ? st
                       : update_schema(source, column, err);
    }
    return (st = survey_all(source, &rows, err)) != CR_OK ? st : update_schema(source, column, err);
}

cr_status cr__source_widen(cr_source *source, size_t column, cr_kind to, cr_error *err)
{
    const cr_error why = err != NULL ? *err : (cr_error){0};
    int told;
    cr_status st;

    if (!source->inferred)
        return cr__fail(err, CR_EARG, "the schema is not the source's own");
    told = column != SIZE_MAX && !is_empty(source, column) && why.file[0] != 0;
    if ((st = mend(source, column, to, err)) == CR_OK && told)
        cr__source_note(source, "%s:%zu: %s: the column is read as %s", why.file, why.line,
                        why.message, cr_kind_name(source->own->column[column].kind));
    return st;
}
