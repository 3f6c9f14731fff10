/* sql/trainer.c - collect rows in blocks, which the library learns or takes back.
 *
 * As long as they are not too many, rows wait to be trained on together, which is what the command
 * does. Beyond that they are learned block by block, and a sample of them is kept to calibrate by.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trainer_impl.h"

#define FIRST_ROWS ((size_t)256) /* initial size of a block; small, as there may be many groups */
#define BLOCK_ROWS ((size_t)16384)
#define BLOCK_BYTES ((size_t)16 << 20) /* limit of a block if symbols have many values */
#define FEW_ROWS ((size_t)64)          /* this few are learned one by one */
#define HELD_ROWS ((size_t)100000) /* this many wait for all others, if they take no more than */
#define HELD_BYTES ((size_t)16 << 20)
#define MANY_NAMES ((size_t)65536) /* this many are forgotten when no row waits */
#define TEXT_CHUNK ((size_t)1 << 20)

static const cr_run alone = {.size = sizeof alone, .threads = 1};

cr_status trainer_no_memory(cr_error *err)
{
    if (err != NULL) {
        *err = (cr_error){.code = CR_ENOMEM};
        strcpy(err->message, cr_status_text(CR_ENOMEM));
    }
    return CR_ENOMEM;
}

cr_status trainer_fail(cr_error *err, cr_status status, const char *message)
{
    if (err != NULL) {
        *err = (cr_error){.code = status};
        strncpy(err->message, message, sizeof err->message - 1);
    }
    return status;
}

/* --- texts ------------------------------------------------------------------------------------ */

static char *keep_text(text_chunk **chunks, const char *bytes, size_t size)
{
    text_chunk *c = *chunks;

    if (c == NULL || c->size - c->used < size) {
        const size_t room = size > TEXT_CHUNK ? size : TEXT_CHUNK;

        if ((c = malloc(sizeof *c + room)) == NULL)
            return NULL;
        c->next = *chunks;
        c->used = 0;
        c->size = room;
        *chunks = c;
    }
    if (size > 0)
        memcpy(c->bytes + c->used, bytes, size);
    c->used += size;
    return c->bytes + c->used - size;
}

static void forget_texts(text_chunk **chunks)
{
    while (*chunks != NULL && (*chunks)->next != NULL) {
        text_chunk *next = (*chunks)->next;

        free(*chunks);
        *chunks = next;
    }
    if (*chunks != NULL)
        (*chunks)->used = 0;
}

/* --- making ----------------------------------------------------------------------------------- */

/* Grow an array; on failure the old one is freed. */
static void *grown(void *old, size_t size)
{
    void *more = realloc(old, size);

    if (more == NULL)
        free(old);
    return more;
}

static void free_block(block *b, size_t columns)
{
    for (size_t i = 0; b->column != NULL && i < columns; i++) {
        free(b->column[i].real);
        free(b->column[i].code);
        free(b->column[i].text);
    }
    free(b->column);
    forget_texts(&b->texts);
    free(b->texts);
}

void trainer_free(trainer *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; t->column != NULL && i < t->columns; i++)
        free((char *)t->column[i].name);
    for (size_t i = 0; t->names != NULL && i < t->columns; i++)
        names_clear(&t->names[i]);
    for (size_t i = 0; t->param != NULL && i < t->params; i++)
        free(t->param[i]);
    free_block(&t->wait[0], t->columns);
    free_block(&t->wait[1], t->columns);
    cr_row_free(t->row);
    cr_model_free(t->model);
    cr_model_free(t->done);
    sample_close(&t->sample);
    free(t->at);
    free(t->column);
    free(t->param);
    free(t->learner);
    free(t->basis);
    free(t->calibrate);
    free(t->names);
    free(t);
}

/* Room for more rows in a block, which is empty at first. */
cr_status trainer_grow_block(block *b, const trainer *t, cr_error *err)
{
    const size_t wanted = b->room == 0 ? FIRST_ROWS : 4 * b->room,
                 room = b->room < HELD_ROWS && wanted > HELD_ROWS ? HELD_ROWS + 1 : wanted;

    if (b->column == NULL && (b->column = calloc(t->columns + 1, sizeof *b->column)) == NULL)
        return trainer_no_memory(err);
    for (size_t i = 0; i < t->columns; i++) {
        column_block *c = &b->column[i];
        void *more = NULL;

        switch (t->column[i].kind) {
        case CR_REAL: more = c->real = grown(c->real, room * sizeof *c->real); break;
        case CR_SYMBOL: more = c->code = grown(c->code, room * sizeof *c->code); break;
        case CR_BAG: more = c->text = grown(c->text, room * sizeof *c->text); break;
        default: continue;
        }
        if (more == NULL)
            return trainer_no_memory(err);
    }
    b->room = room;
    return CR_OK;
}

/* A copy of a text, which may be NULL. 0 if memory runs out. */
static int copy_text(char **out, const char *text)
{
    return text == NULL || (*out = strdup(text)) != NULL;
}

static int copy_settings(trainer *t, const trainer_column *column, const trainer_settings *settings)
{
    t->column = calloc(t->columns + 1, sizeof *t->column);
    t->param = calloc(t->params + 1, sizeof *t->param);
    t->at = calloc(t->columns + 1, sizeof *t->at);
    t->names = calloc(t->columns + 1, sizeof *t->names);
    if (t->column == NULL || t->param == NULL || t->at == NULL || t->names == NULL)
        return 0;
    for (size_t i = 0; i < t->columns; i++) {
        t->column[i] = column[i];
        if (column[i].role == CR_ROLE_TARGET)
            t->target = i;
        if ((t->column[i].name = strdup(column[i].name)) == NULL)
            return 0;
    }
    for (size_t i = 0; i < t->params; i++)
        if ((t->param[i] = strdup(settings->params[i])) == NULL)
            return 0;
    return copy_text(&t->learner, settings->learner) && copy_text(&t->basis, settings->basis) &&
           copy_text(&t->calibrate, settings->calibrate);
}

cr_status trainer_new(trainer **out, const trainer_column *column, size_t columns,
                      const trainer_settings *settings, cr_error *err)
{
    trainer *t = calloc(1, sizeof *t);

    *out = NULL;
    if (t == NULL)
        return trainer_no_memory(err);
    t->columns = columns;
    t->target = SIZE_MAX;
    t->params = settings->param_count;
    sample_open(&t->sample);
    if (!copy_settings(t, column, settings)) {
        trainer_free(t);
        return trainer_no_memory(err);
    }
    *out = t;
    return CR_OK;
}

size_t trainer_columns(const trainer *t)
{
    return t->columns;
}

const trainer_column *trainer_column_at(const trainer *t, size_t column)
{
    return &t->column[column];
}

/* --- rows ------------------------------------------------------------------------------------- */

cr_status trainer_begin_row(trainer *t, int sign, cr_error *err)
{
    block *b = t->into = &t->wait[sign < 0];
    const size_t row = t->at_row = b->rows;

    t->at_bytes = 0;
    t->plain |= sign < 0;
    if (t->done != NULL) {
        cr_model_free(t->done);
        t->done = NULL;
    }
    if (b->room == 0 && trainer_grow_block(b, t, err) != CR_OK)
        return CR_ENOMEM;
    for (size_t i = 0; i < t->columns; i++) {
        const column_block *c = &b->column[i];

        if (c->code != NULL)
            c->code[row] = -1;
        else if (c->real != NULL)
            c->real[row] = NAN;
        else if (c->text != NULL)
            c->text[row] = (cr_span){0};
    }
    return CR_OK;
}

void trainer_set_real(trainer *t, size_t column, double x)
{
    t->into->column[column].real[t->at_row] = x;
}

cr_status trainer_settle(trainer *t, size_t column, cr_kind kind, cr_error *err)
{
    t->column[column].open = 0;
    if (kind != CR_SYMBOL || t->model != NULL)
        return CR_OK;
    t->column[column].kind = kind;
    for (int which = 0; which < 2; which++) {
        block *b = &t->wait[which];
        column_block *c = b->column == NULL ? NULL : &b->column[column];

        if (c == NULL)
            continue;
        free(c->real);
        c->real = NULL;
        if ((c->code = malloc(b->room * sizeof *c->code)) == NULL)
            return trainer_no_memory(err);
        memset(c->code, -1, b->room * sizeof *c->code); /* missing, all of them */
    }
    return CR_OK;
}

static cr_status no_number(const trainer *t, size_t column, const char *bytes, size_t size,
                           cr_error *err)
{
    const char *name = t->column[column].name;

    *err = (cr_error){.code = CR_EFORMAT};
    snprintf(err->message, sizeof err->message, "column '%.60s' has numbers, and '%.*s' is not one",
             name, (int)(size < 60 ? size : 60), bytes);
    snprintf(err->hint, sizeof err->hint,
             "if it has words, say so in the options: {\"types\": {\"%.60s\": \"symbol\"}}", name);
    return CR_EFORMAT;
}

/* A number written as a text. */
static cr_status set_spelled(trainer *t, size_t column, const char *bytes, size_t size,
                             cr_error *err)
{
    char number[64], *end = number;

    if (size < sizeof number) {
        memcpy(number, bytes, size);
        number[size] = '\0';
        trainer_set_real(t, column, strtod(number, &end));
    }
    return end == number || *end != '\0' ? no_number(t, column, bytes, size, err) : CR_OK;
}

/* A text that is not short, or new. Not inlined, so that the common case needs no stack. */
static __attribute__((noinline)) cr_status set_other(trainer *t, size_t column, const char *bytes,
                                                     size_t size, cr_error *err)
{
    const column_block *c = &t->into->column[column];

    if (c->code != NULL) {
        const int32_t number = names_number(&t->names[column], bytes, size);

        c->code[t->at_row] = number;
        return number < 0 ? trainer_no_memory(err) : CR_OK;
    }
    if (c->real != NULL)
        return set_spelled(t, column, bytes, size, err);
    if (c->text != NULL) {
        const char *kept = keep_text(&t->into->texts, bytes, size);

        t->at_bytes += size;
        c->text[t->at_row] = (cr_span){kept, size};
        return kept == NULL ? trainer_no_memory(err) : CR_OK;
    }
    return CR_OK; /* ignored */
}

cr_status trainer_set_text(trainer *t, size_t column, const char *bytes, size_t size, cr_error *err)
{
    int32_t *code = t->into->column[column].code;

    if (code != NULL && (code[t->at_row] = names_find(&t->names[column], bytes, size)) >= 0)
        return CR_OK;
    return set_other(t, column, bytes, size, err);
}

/* A column of a block as an array of the library; called has room for the names of a symbol. */
static cr_array array_of(const trainer *t, const block *b, size_t i, cr_array *called)
{
    const column_block *c = &b->column[i];
    cr_array a = {.size = sizeof a,
                  .name = t->column[i].name,
                  .role = t->column[i].role,
                  .kind = t->column[i].kind};

    if (c->real != NULL) {
        a.data = c->real;
        a.element = CR_ELEMENT_DOUBLE;
    } else if (c->text != NULL) {
        a.data = c->text;
        a.element = CR_ELEMENT_SPAN;
    } else {
        *called = (cr_array){
            .size = sizeof *called, .data = t->names[i].name, .element = CR_ELEMENT_SPAN};
        a.data = c->code;
        a.element = CR_ELEMENT_INT32;
        a.names = called;
        a.name_count = t->names[i].count;
    }
    return a;
}

/* Whether a symbol column has no value in any row, and thus no names. */
static int is_nameless(const trainer *t, size_t i)
{
    return t->column[i].kind == CR_SYMBOL && t->names[i].count == 0;
}

/* The block's columns as a source; free *arrays after it. */
cr_status trainer_open_block(cr_source **out, cr_array **arrays, trainer *t, const block *b,
                             cr_error *err)
{
    cr_array *array = *arrays = calloc(2 * t->columns + 1, sizeof *array);
    size_t count = 0;

    if (array == NULL)
        return trainer_no_memory(err);
    for (size_t i = 0; i < t->columns; i++) {
        if (t->column[i].kind == CR_IGNORE)
            continue;
        if (is_nameless(t, i) && names_number(&t->names[i], "", 0) < 0)
            return trainer_no_memory(err);
        array[count++] = array_of(t, b, i, &array[t->columns + i]);
    }
    return cr_source_open_arrays(out, array, count, b->rows, err);
}

/* The text of a row in a column that is not numeric; bytes is NULL if it is missing. */
cr_span trainer_text_of(const trainer *t, const block *b, size_t column, size_t row)
{
    const column_block *c = &b->column[column];

    if (c->text != NULL)
        return c->text[row];
    return c->code != NULL && c->code[row] >= 0 ? t->names[column].name[c->code[row]]
                                                : (cr_span){0};
}

/* Learn the rows of a block one by one, or take them back. */
static cr_status teach_rows(trainer *t, int which, cr_error *err)
{
    const block *b = &t->wait[which];
    cr_status status = CR_OK;
    cr_span span;

    for (size_t r = 0; status == CR_OK && r < b->rows; r++) {
        cr_row_clear(t->row);
        for (size_t i = 0; status == CR_OK && i < t->columns; i++) {
            if (b->column[i].real != NULL)
                status = cr_row_set_real(t->row, t->at[i], b->column[i].real[r]);
            else if ((span = trainer_text_of(t, b, i, r)).bytes != NULL)
                status = cr_row_set_bytes(t->row, t->at[i], span.bytes, span.length);
        }
        if (status != CR_OK)
            return trainer_fail(err, status, cr_status_text(status));
        status = cr_row_learn(t->model, t->row, which == 0 ? 1 : -1, err);
    }
    return status;
}

void trainer_empty_block(block *b)
{
    b->rows = b->text_bytes = 0;
    forget_texts(&b->texts);
}

/* --- the sample ------------------------------------------------------------------------------- */

/* A mixture of two numbers in which every bit depends on all: a multiplication and a fold
 * (Wang Yi, wyhash). */
static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b ^ UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xD6E8FEB86659FD93);
    a ^= a >> 32;
    a *= UINT64_C(0xD6E8FEB86659FD93);
    return a ^ a >> 29;
}

static uint64_t hash_bytes(const char *bytes, size_t size)
{
    uint64_t h = size;

    for (; size >= 8; bytes += 8, size -= 8)
        h = mix(h, names_word(bytes));
    return size == 0 ? h : mix(h, names_short_word(bytes, size));
}

/* The hashes of the names of each symbol column, to be freed; NULL if memory runs out. */
static uint64_t **hash_names(const trainer *t)
{
    uint64_t **hash = calloc(t->columns + 1, sizeof *hash);

    for (size_t i = 0; hash != NULL && i < t->columns; i++) {
        const names *n = &t->names[i];

        if ((hash[i] = malloc((n->count + 1) * sizeof **hash)) == NULL) {
            while (i-- > 0)
                free(hash[i]);
            free(hash);
            return NULL;
        }
        for (size_t k = 0; k < n->count; k++)
            hash[i][k] = hash_bytes(n->name[k].bytes, n->name[k].length) | 1;
    }
    return hash;
}

/* A hash of the values of a row, and not of how they came to be numbered. */
static uint64_t hash_row(const trainer *t, const block *b, size_t row, uint64_t *const *name)
{
    uint64_t h = 0;

    for (size_t i = 0; i < t->columns; i++) {
        const column_block *c = &b->column[i];
        uint64_t x = 0;

        if (c->real != NULL) {
            const double real = isnan(c->real[row]) ? NAN : c->real[row] + 0.0; /* one zero */

            memcpy(&x, &real, sizeof x);
        } else if (c->code != NULL) {
            x = c->code[row] < 0 ? 0 : name[i][c->code[row]];
        } else if (c->text != NULL && c->text[row].bytes != NULL) {
            x = hash_bytes(c->text[row].bytes, c->text[row].length) | 1;
        } else {
            continue;
        }
        h = mix(h, x);
    }
    return h;
}

/* Whether the model is calibrated in the end. */
int trainer_calibrates(const trainer *t)
{
    return t->calibrate == NULL || strcmp(t->calibrate, "none") != 0;
}

static cr_status sample_block(trainer *t, const block *b, cr_error *err)
{
    uint64_t **name = hash_names(t);
    writer w = {0};
    int fine = name != NULL;

    for (size_t r = 0; fine && r < b->rows; r++) {
        const uint64_t hash = hash_row(t, b, r, name);

        if (!sample_wants(&t->sample, hash))
            continue;
        w.size = 0;
        trainer_put_row(&w, t, b, r);
        fine = !w.failed && sample_add(&t->sample, hash, w.bytes, w.size, 1);
    }
    for (size_t i = 0; name != NULL && i < t->columns; i++)
        free(name[i]);
    free(name);
    free(w.bytes);
    return fine ? CR_OK : trainer_no_memory(err);
}

/* --- learning --------------------------------------------------------------------------------- */

/* A few rows are learned in place, which suits a window that moves by one row. */
static cr_status flush_few(trainer *t, cr_error *err)
{
    cr_status status = CR_OK;

    if (t->row == NULL) {
        for (size_t i = 0; i < t->columns; i++)
            t->at[i] = cr_schema_find(cr_model_schema(t->model), t->column[i].name);
        status = cr_row_new(&t->row, t->model, err);
    }
    for (int which = 0; status == CR_OK && which < 2; which++)
        status = teach_rows(t, which, err);
    trainer_empty_block(&t->wait[0]);
    trainer_empty_block(&t->wait[1]);
    return status;
}

static cr_status flush(trainer *t, int which, cr_error *err)
{
    block *b = &t->wait[which];
    cr_source *source = NULL;
    cr_array *arrays = NULL;
    cr_tally tally;
    const int first = t->model == NULL;
    cr_status status;

    if (b->rows == 0)
        return CR_OK;
    if (t->model == NULL && which == 1)
        return trainer_fail(err, CR_ECONFLICT, "a row is unlearned that was never learned");
    if (t->model == NULL && t->learner != NULL && strcmp(t->learner, "auto") == 0)
        return trainer_fail(
            err, CR_ELIMIT,
            "auto tries learners on all rows, and these are too many to keep; name a "
            "learner in the options");
    if (which == 0 && !t->plain && trainer_calibrates(t) &&
        (status = sample_block(t, b, err)) != CR_OK)
        return status;
    if ((status = trainer_open_block(&source, &arrays, t, b, err)) == CR_OK) {
        if (t->model == NULL && (status = cr_source_set_basis(source, t->basis, err)) == CR_OK)
            status = cr_model_train(&t->model, source, t->learner, (const char *const *)t->param,
                                    t->params, &alone, &tally, err);
        else if (t->model != NULL)
            status = which == 0 ? cr_model_learn(t->model, source, &alone, &tally, err)
                                : cr_model_unlearn(t->model, source, &alone, &tally, err);
        cr_source_close(source);
    }
    free(arrays);
    trainer_empty_block(b);
    if (first && b->room > BLOCK_ROWS) { /* all had waited; blocks are smaller from now on */
        free_block(b, t->columns);
        *b = (block){0};
    }
    return status;
}

/* Without this, names of values that come and go would grow without bound. */
static void forget_names(trainer *t)
{
    for (size_t i = 0; i < t->columns; i++)
        if (t->names[i].count > MANY_NAMES)
            names_clear(&t->names[i]);
}

/* Learn waiting rows before taking rows back. */
cr_status trainer_flush_all(trainer *t, cr_error *err)
{
    cr_status status;

    if (t->wait[0].rows + t->wait[1].rows == 0)
        return CR_OK;
    if (t->plain && t->model != NULL && t->wait[0].rows <= FEW_ROWS && t->wait[1].rows <= FEW_ROWS)
        return flush_few(t, err);
    status = flush(t, 0, err);
    if (status == CR_OK)
        status = flush(t, 1, err);
    if (status == CR_OK)
        forget_names(t);
    return status;
}

/* A row without its class teaches nothing. */
static int has_target(const trainer *t)
{
    const column_block *c;

    if (t->target == SIZE_MAX)
        return 1;
    c = &t->into->column[t->target];
    return c->code != NULL   ? c->code[t->at_row] >= 0
           : c->real != NULL ? !isnan(c->real[t->at_row])
                             : c->text != NULL && c->text[t->at_row].bytes != NULL;
}

/* The largest number of waiting rows. The cost of a block grows with the number of names, whatever
 * its rows. */
static size_t most_rows(const trainer *t)
{
    size_t row = 0, most = BLOCK_ROWS, wanted = 0;

    for (size_t i = 0; i < t->columns; i++) {
        if (t->column[i].kind == CR_BAG)
            return most; /* texts are stored, too */
        row += t->column[i].kind == CR_REAL ? sizeof(double) : sizeof(int32_t);
        if (16 * t->names[i].count > wanted)
            wanted = 16 * t->names[i].count;
    }
    if (wanted > BLOCK_BYTES / row)
        wanted = BLOCK_BYTES / row;
    return wanted > most ? wanted : most;
}

/* What the rows that wait take, wherever they came from. */
static size_t held_bytes(const trainer *t)
{
    size_t row = 0;

    for (size_t i = 0; i < t->columns; i++)
        row += t->column[i].kind == CR_REAL     ? sizeof(double)
               : t->column[i].kind == CR_SYMBOL ? sizeof(int32_t)
               : t->column[i].kind == CR_BAG    ? sizeof(cr_span)
                                                : 0;
    return t->wait[0].rows * row + t->wait[0].text_bytes;
}

/* Whether all rows so far wait to be trained on together. */
int trainer_is_held(const trainer *t)
{
    return t->model == NULL && !t->plain;
}

cr_status trainer_end_row(trainer *t, cr_error *err)
{
    block *b = t->into;

    if (!has_target(t))
        return CR_OK; /* the next row reuses its place */
    t->rows += b == &t->wait[0] ? 1 : UINT64_MAX;
    b->text_bytes += t->at_bytes;
    b->rows++;
    if (trainer_is_held(t) && (b->rows > HELD_ROWS || held_bytes(t) > HELD_BYTES))
        return trainer_flush_all(t, err);
    if (b->rows < b->room)
        return CR_OK;
    return trainer_is_held(t) || b->room < most_rows(t) ? trainer_grow_block(b, t, err)
                                                        : trainer_flush_all(t, err);
}

void trainer_is_window(trainer *t)
{
    t->plain = 1;
}

uint64_t trainer_rows(const trainer *t)
{
    return t->rows;
}

int trainer_has_model(const trainer *t)
{
    return t->model != NULL;
}

cr_status trainer_model(trainer *t, const cr_model **out, cr_error *err)
{
    cr_status status = trainer_flush_all(t, err);

    *out = status == CR_OK && t->rows > 0 ? t->model : NULL;
    return status;
}

/* Add the rows that wait in another trainer. */
static cr_status take_rows(trainer *t, const trainer *other, cr_error *err)
{
    writer w = {0};
    cr_status status = CR_OK;

    for (size_t r = 0; status == CR_OK && r < other->wait[0].rows; r++) {
        w.size = 0;
        trainer_put_row(&w, other, &other->wait[0], r);
        status = w.failed ? trainer_no_memory(err) : trainer_take_row(t, w.bytes, w.size, err);
        if (status == CR_OK)
            status = trainer_end_row(t, err);
    }
    free(w.bytes);
    return status;
}

cr_status trainer_merge(trainer *t, trainer *other, cr_error *err)
{
    const cr_model *mine, *more;
    cr_status status;

    if (trainer_is_held(other))
        return take_rows(t, other, err);
    if ((status = trainer_model(t, &mine, err)) == CR_OK)
        status = trainer_model(other, &more, err);
    if (status != CR_OK || more == NULL)
        return status;
    t->rows += other->rows;
    if (!sample_join(&t->sample, &other->sample))
        return trainer_no_memory(err);
    return t->model == NULL ? cr_model_copy(&t->model, more, err)
                            : cr_model_merge(t->model, more, err);
}
