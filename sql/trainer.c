/* sql/trainer.c - collect rows in blocks, which the library learns or takes back.
 *
 * As long as they are not too many, rows wait to be trained on together, which is what the command
 * does. Beyond that they are learned block by block, and a sample of them is kept to calibrate by.
 */
#include "trainer.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "sample.h"

#define FIRST_ROWS ((size_t)256) /* initial size of a block; small, as there may be many groups */
#define BLOCK_ROWS ((size_t)16384)
#define BLOCK_BYTES ((size_t)16 << 20) /* limit of a block if symbols have many values */
#define FEW_ROWS ((size_t)64)          /* this few are learned one by one */
#define HELD_ROWS ((size_t)100000) /* this many wait for all others, if they take no more than */
#define HELD_BYTES ((size_t)16 << 20)
#define ORDERED_ROWS ((size_t)100) /* of fewer the model does not depend on their order */
#define SAMPLE_ROWS ((size_t)16384)
#define MANY_NAMES ((size_t)65536) /* this many are forgotten when no row waits */
#define TEXT_CHUNK ((size_t)1 << 20)

typedef struct text_chunk { /* texts of the rows of a block; they do not move */
    struct text_chunk *next;
    size_t used, size;
    char bytes[];
} text_chunk;

typedef struct column_block {
    double *real;  /* [room] of a real column, */
    int32_t *code; /* or of a symbol, numbers of its names; -1 is missing, */
    cr_span *text; /* or this */
} column_block;

typedef struct block { /* rows waiting to be learned, or taken back */
    size_t rows, room;
    column_block *column;
    text_chunk *texts;
    size_t text_bytes;
} block;

struct trainer {
    trainer_column *column;
    size_t columns, target; /* SIZE_MAX: there is none */
    char *learner, *basis;  /* NULL: the default */
    char *calibrate;        /* NULL: as the command does */
    int plain;              /* rows come and go: nothing is chosen or calibrated by them */
    char **param;
    size_t params;
    cr_model *model; /* of the rows already learned; NULL at first */
    block wait[2];   /* to learn, to take back */
    cr_row *row;     /* of the model, for rows that are learned one by one; NULL at first */
    size_t *at;      /* [columns] of its schema */
    names *names;    /* [columns] of symbols */
    block *into;     /* the block of the row being set, */
    size_t at_row;   /* and its index there, */
    size_t at_bytes; /* and the bytes of its texts */
    uint64_t rows;   /* learned and not taken back */
    sample sample;   /* of the rows already learned */
    cr_model *done;  /* what trainer_finish() gave; NULL: nothing since the last row */
};

static const cr_run alone = {.size = sizeof alone, .threads = 1};

static cr_status no_memory(cr_error *err)
{
    if (err != NULL) {
        *err = (cr_error){.code = CR_ENOMEM};
        strcpy(err->message, cr_status_text(CR_ENOMEM));
    }
    return CR_ENOMEM;
}

static cr_status fail(cr_error *err, cr_status status, const char *message)
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
static cr_status grow_block(block *b, const trainer *t, cr_error *err)
{
    const size_t wanted = b->room == 0 ? FIRST_ROWS : 4 * b->room,
                 room = b->room < HELD_ROWS && wanted > HELD_ROWS ? HELD_ROWS + 1 : wanted;

    if (b->column == NULL && (b->column = calloc(t->columns + 1, sizeof *b->column)) == NULL)
        return no_memory(err);
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
            return no_memory(err);
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
        return no_memory(err);
    t->columns = columns;
    t->target = SIZE_MAX;
    t->params = settings->param_count;
    sample_open(&t->sample);
    if (!copy_settings(t, column, settings)) {
        trainer_free(t);
        return no_memory(err);
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
    if (b->room == 0 && grow_block(b, t, err) != CR_OK)
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
            return no_memory(err);
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
        return number < 0 ? no_memory(err) : CR_OK;
    }
    if (c->real != NULL)
        return set_spelled(t, column, bytes, size, err);
    if (c->text != NULL) {
        const char *kept = keep_text(&t->into->texts, bytes, size);

        t->at_bytes += size;
        c->text[t->at_row] = (cr_span){kept, size};
        return kept == NULL ? no_memory(err) : CR_OK;
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
static cr_status open_block(cr_source **out, cr_array **arrays, trainer *t, const block *b,
                            cr_error *err)
{
    cr_array *array = *arrays = calloc(2 * t->columns + 1, sizeof *array);
    size_t count = 0;

    if (array == NULL)
        return no_memory(err);
    for (size_t i = 0; i < t->columns; i++) {
        if (t->column[i].kind == CR_IGNORE)
            continue;
        if (is_nameless(t, i) && names_number(&t->names[i], "", 0) < 0)
            return no_memory(err);
        array[count++] = array_of(t, b, i, &array[t->columns + i]);
    }
    return cr_source_open_arrays(out, array, count, b->rows, err);
}

/* The text of a row in a column that is not numeric; bytes is NULL if it is missing. */
static cr_span text_of(const trainer *t, const block *b, size_t column, size_t row)
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
            else if ((span = text_of(t, b, i, r)).bytes != NULL)
                status = cr_row_set_bytes(t->row, t->at[i], span.bytes, span.length);
        }
        if (status != CR_OK)
            return fail(err, status, cr_status_text(status));
        status = cr_row_learn(t->model, t->row, which == 0 ? 1 : -1, err);
    }
    return status;
}

static void empty_block(block *b)
{
    b->rows = b->text_bytes = 0;
    forget_texts(&b->texts);
}

/* --- rows as bytes ---------------------------------------------------------------------------- */

/* The values of a row: real columns as eight bytes, others as their size + 1, 0 where missing, and
 * their bytes. */
static void put_row(writer *w, const trainer *t, const block *b, size_t row)
{
    for (size_t i = 0; i < t->columns; i++) {
        const column_block *c = &b->column[i];

        if (c->real != NULL) {
            put(w, &c->real[row], sizeof *c->real);
        } else if (c->code != NULL || c->text != NULL) {
            const cr_span span = text_of(t, b, i, row);

            put_number(w, span.bytes == NULL ? 0 : span.length + 1);
            put(w, span.bytes, span.bytes == NULL ? 0 : span.length);
        }
    }
}

/* Add a row of such bytes. */
static cr_status take_row(trainer *t, const void *bytes, size_t size, cr_error *err)
{
    reader r = {bytes, size, 0};
    cr_status status = trainer_begin_row(t, 1, err);

    for (size_t i = 0; status == CR_OK && i < t->columns; i++) {
        const cr_kind kind = t->column[i].kind;
        const uint64_t x = kind == CR_IGNORE ? 0 : take_number(&r), length = x - 1;
        double real;

        if (kind == CR_REAL) {
            memcpy(&real, &x, sizeof real);
            trainer_set_real(t, i, real);
        } else if (x > 0 && length <= r.left) {
            status = trainer_set_text(t, i, (const char *)r.at, length, err);
            r.at += length;
            r.left -= length;
        } else {
            r.bad |= x > 0;
        }
    }
    return status == CR_OK && r.bad ? fail(err, CR_EFORMAT, "these bytes are not a row") : status;
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
static int calibrates(const trainer *t)
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
        put_row(&w, t, b, r);
        fine = !w.failed && sample_add(&t->sample, hash, w.bytes, w.size, 1);
    }
    for (size_t i = 0; name != NULL && i < t->columns; i++)
        free(name[i]);
    free(name);
    free(w.bytes);
    return fine ? CR_OK : no_memory(err);
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
    empty_block(&t->wait[0]);
    empty_block(&t->wait[1]);
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
        return fail(err, CR_ECONFLICT, "a row is unlearned that was never learned");
    if (t->model == NULL && t->learner != NULL && strcmp(t->learner, "auto") == 0)
        return fail(err, CR_ELIMIT,
                    "auto tries learners on all rows, and these are too many to keep; name a "
                    "learner in the options");
    if (which == 0 && !t->plain && calibrates(t) && (status = sample_block(t, b, err)) != CR_OK)
        return status;
    if ((status = open_block(&source, &arrays, t, b, err)) == CR_OK) {
        if (t->model == NULL && (status = cr_source_set_basis(source, t->basis, err)) == CR_OK)
            status = cr_model_train(&t->model, source, t->learner, (const char *const *)t->param,
                                    t->params, &alone, &tally, err);
        else if (t->model != NULL)
            status = which == 0 ? cr_model_learn(t->model, source, &alone, &tally, err)
                                : cr_model_unlearn(t->model, source, &alone, &tally, err);
        cr_source_close(source);
    }
    free(arrays);
    empty_block(b);
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
static cr_status flush_all(trainer *t, cr_error *err)
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
static int is_held(const trainer *t)
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
    if (is_held(t) && (b->rows > HELD_ROWS || held_bytes(t) > HELD_BYTES))
        return flush_all(t, err);
    if (b->rows < b->room)
        return CR_OK;
    return is_held(t) || b->room < most_rows(t) ? grow_block(b, t, err) : flush_all(t, err);
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
    cr_status status = flush_all(t, err);

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
        put_row(&w, other, &other->wait[0], r);
        status = w.failed ? no_memory(err) : take_row(t, w.bytes, w.size, err);
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

    if (is_held(other))
        return take_rows(t, other, err);
    if ((status = trainer_model(t, &mine, err)) == CR_OK)
        status = trainer_model(other, &more, err);
    if (status != CR_OK || more == NULL)
        return status;
    t->rows += other->rows;
    if (!sample_join(&t->sample, &other->sample))
        return no_memory(err);
    return t->model == NULL ? cr_model_copy(&t->model, more, err)
                            : cr_model_merge(t->model, more, err);
}

/* --- the order of rows ------------------------------------------------------------------------ */

/* Of two rows: by the columns in turn, missing values first, numbers by size, others by bytes. */
static int compare_rows(const trainer *t, const block *b, size_t one, size_t two)
{
    int order = 0;

    for (size_t i = 0; order == 0 && i < t->columns; i++) {
        const column_block *c = &b->column[i];

        if (c->real != NULL) {
            const double x = c->real[one], y = c->real[two];

            order = isnan(x) || isnan(y) ? isnan(y) - isnan(x) : (x > y) - (x < y);
        } else if (c->text != NULL || (c->code != NULL && c->code[one] != c->code[two])) {
            const cr_span x = text_of(t, b, i, one), y = text_of(t, b, i, two);
            const size_t least = x.length < y.length ? x.length : y.length;

            if (x.bytes == NULL || y.bytes == NULL)
                order = (x.bytes != NULL) - (y.bytes != NULL);
            else if ((order = least == 0 ? 0 : memcmp(x.bytes, y.bytes, least)) == 0)
                order = (x.length > y.length) - (x.length < y.length);
        }
    }
    return order;
}

/* Merge sort from the bottom up: row has the numbers of the rows, spare as much room. */
static const uint32_t *sort_rows(const trainer *t, const block *b, uint32_t *row, uint32_t *spare)
{
    for (size_t run = 1; run < b->rows; run *= 2) {
        uint32_t *swap = row;

        for (size_t low = 0; low < b->rows; low += 2 * run) {
            const size_t middle = low + run < b->rows ? low + run : b->rows,
                         high = middle + run < b->rows ? middle + run : b->rows;
            size_t i = low, j = middle;

            for (size_t k = low; k < high; k++)
                spare[k] = j == high || (i < middle && compare_rows(t, b, row[i], row[j]) <= 0)
                               ? row[i++]
                               : row[j++];
        }
        row = spare;
        spare = swap;
    }
    return row;
}

/* Bring an array into the order of the rows; spare has room for it. */
static void arrange(void *array, size_t size, const uint32_t *row, size_t rows, void *spare)
{
    for (size_t r = 0; r < rows; r++)
        memcpy((char *)spare + r * size, (char *)array + row[r] * size, size);
    memcpy(array, spare, rows * size);
}

/* Workers hand over their rows in any order, and a calibration by folds of them depends on it. */
static cr_status order_block(const trainer *t, block *b, cr_error *err)
{
    uint32_t *row = malloc(2 * b->rows * sizeof *row);
    const uint32_t *order;
    void *spare = malloc(b->rows * sizeof(cr_span));

    if (row == NULL || spare == NULL) {
        free(row);
        free(spare);
        return no_memory(err);
    }
    for (size_t r = 0; r < b->rows; r++)
        row[r] = (uint32_t)r;
    order = sort_rows(t, b, row, row + b->rows);
    for (size_t i = 0; i < t->columns; i++) {
        column_block *c = &b->column[i];

        if (c->real != NULL)
            arrange(c->real, sizeof *c->real, order, b->rows, spare);
        else if (c->code != NULL)
            arrange(c->code, sizeof *c->code, order, b->rows, spare);
        else if (c->text != NULL)
            arrange(c->text, sizeof *c->text, order, b->rows, spare);
    }
    free(row);
    free(spare);
    return CR_OK;
}

/* --- the last step ---------------------------------------------------------------------------- */

/* All rows are here: train as the command does. */
static cr_status train_held(trainer *t, cr_error *err)
{
    block *b = &t->wait[0];
    cr_source *source = NULL;
    cr_array *arrays = NULL;
    cr_status status = b->rows >= ORDERED_ROWS ? order_block(t, b, err) : CR_OK;

    if (status == CR_OK && (status = open_block(&source, &arrays, t, b, err)) == CR_OK &&
        (status = cr_source_set_basis(source, t->basis, err)) == CR_OK)
        status = cr_model_train_default(&t->done, source, t->learner == NULL ? "nb" : t->learner,
                                        (const char *const *)t->param, t->params,
                                        calibrates(t) ? NULL : "none", &alone, NULL, NULL, err);
    cr_source_close(source);
    free(arrays);
    return status;
}

/* Let the rows of the sample wait, as often as they came, or evenly over them where that is too
 * often. */
static cr_status take_sample(trainer *t, cr_error *err)
{
    const uint64_t rows = t->rows;
    uint64_t all = 0, at = 0;
    cr_status status = CR_OK;

    sample_sort(&t->sample);
    for (size_t i = 0; i < t->sample.rows; i++)
        all += t->sample.row[i].count;
    for (size_t i = 0; status == CR_OK && i < t->sample.rows; i++) {
        const sample_row *row = &t->sample.row[i];
        const double share = all <= SAMPLE_ROWS ? 1 : (double)SAMPLE_ROWS / (double)all;
        const uint64_t before = (uint64_t)((double)at * share),
                       after = (uint64_t)((double)(at + row->count) * share);

        at += row->count;
        for (uint64_t k = before; status == CR_OK && k < after; k++)
            if ((status = take_row(t, row->bytes, row->size, err)) == CR_OK &&
                ++t->wait[0].rows == t->wait[0].room)
                status = grow_block(&t->wait[0], t, err);
    }
    t->rows = rows;
    return status;
}

/* The rows were learned as they came: calibrate a copy of the model by some of them. */
static cr_status train_spilled(trainer *t, cr_error *err)
{
    cr_source *source = NULL;
    cr_array *arrays = NULL;
    cr_model *model = NULL;
    cr_status status = flush_all(t, err);

    if (status == CR_OK)
        status = cr_model_copy(&model, t->model, err);
    if (status == CR_OK && calibrates(t) && t->sample.rows > 0) {
        if ((status = take_sample(t, err)) == CR_OK &&
            (status = open_block(&source, &arrays, t, &t->wait[0], err)) == CR_OK)
            status = cr_model_calibrate_learned(model, source, &alone, NULL, err);
        cr_source_close(source);
        free(arrays);
        empty_block(&t->wait[0]);
    }
    if (status == CR_OK)
        t->done = model;
    else
        cr_model_free(model);
    return status;
}

cr_status trainer_finish(trainer *t, const cr_model **out, cr_error *err)
{
    cr_status status = CR_OK;

    *out = NULL;
    if (t->plain)
        return trainer_model(t, out, err);
    if (t->rows > 0 && t->done == NULL)
        status = is_held(t) ? train_held(t, err) : train_spilled(t, err);
    *out = t->done;
    return status;
}

/* --- as bytes --------------------------------------------------------------------------------- */

cr_status trainer_save(trainer *t, void **bytes, size_t *size, cr_error *err)
{
    const int held = is_held(t);
    void *file = NULL;
    size_t file_size = 0;
    writer w = {0}, row = {0};
    cr_status status = held ? CR_OK : flush_all(t, err);

    *bytes = NULL;
    if (status == CR_OK && t->model != NULL)
        status = cr_model_save_bytes(t->model, &file, &file_size, err);
    if (status != CR_OK)
        return status;
    put_number(&w, t->columns);
    for (size_t i = 0; i < t->columns; i++) {
        put_number(&w, t->column[i].kind);
        put_number(&w, t->column[i].role);
        put_text(&w, t->column[i].name);
    }
    put_text(&w, t->learner);
    put_text(&w, t->basis);
    put_text(&w, t->calibrate);
    put_number(&w, t->params);
    for (size_t i = 0; i < t->params; i++)
        put_text(&w, t->param[i]);
    put_number(&w, t->rows);
    put_bytes(&w, file, file_size);
    sample_put(&t->sample, &w);
    put_number(&w, t->wait[0].rows);
    for (size_t r = 0; r < t->wait[0].rows; r++) {
        row.size = 0;
        put_row(&row, t, &t->wait[0], r);
        put_bytes(&w, row.bytes, row.size);
    }
    cr_bytes_free(file);
    free(row.bytes);
    if (w.failed || row.failed) {
        free(w.bytes);
        return no_memory(err);
    }
    *bytes = w.bytes;
    *size = w.size;
    return CR_OK;
}

static cr_status read_columns(reader *r, trainer_column **column, size_t *columns)
{
    *columns = take_number(r);
    if (r->bad || *columns > r->left / 24)
        return CR_EFORMAT;
    if ((*column = calloc(*columns + 1, sizeof **column)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < *columns; i++) {
        (*column)[i].kind = (cr_kind)take_number(r);
        (*column)[i].role = (cr_role)take_number(r);
        if (((*column)[i].name = take_text(r)) == NULL)
            return CR_ENOMEM;
        if ((*column)[i].kind > CR_BAG || (*column)[i].role > CR_ROLE_WEIGHT)
            return CR_EFORMAT;
    }
    return r->bad ? CR_EFORMAT : CR_OK;
}

static cr_status read_params(reader *r, char ***param, size_t *params)
{
    *params = take_number(r);
    if (r->bad || *params > r->left / 8)
        return CR_EFORMAT;
    if ((*param = calloc(*params + 1, sizeof **param)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < *params; i++)
        if (((*param)[i] = take_text(r)) == NULL)
            return CR_ENOMEM;
    return r->bad ? CR_EFORMAT : CR_OK;
}

/* The model of the rows that were learned, their sample, and the rows that wait. */
static cr_status read_learned(trainer *t, reader *r, cr_error *err)
{
    const uint64_t rows = take_number(r);
    size_t size;
    const void *bytes = take_bytes(r, &size);
    cr_status status = CR_OK;
    uint64_t waiting = 0;

    if (!r->bad && size > 0)
        status = cr_model_load_bytes(&t->model, bytes, size, 0, err);
    if (status == CR_OK && !sample_take(&t->sample, r))
        status = r->bad ? CR_OK : no_memory(err);
    if (status == CR_OK)
        waiting = take_number(r);
    for (uint64_t i = 0; status == CR_OK && !r->bad && i < waiting; i++) {
        bytes = take_bytes(r, &size);
        if (!r->bad && (status = take_row(t, bytes, size, err)) == CR_OK)
            status = trainer_end_row(t, err);
    }
    if (status == CR_OK && (r->bad || r->left != 0))
        status = fail(err, CR_EFORMAT, "these bytes are not the state of a training");
    t->rows = rows;
    return status;
}

cr_status trainer_load(trainer **out, const void *bytes, size_t size, cr_error *err)
{
    reader r = {bytes, size, 0};
    trainer_column *column = NULL;
    trainer_settings settings = {0};
    char **param = NULL, *learner = NULL, *basis = NULL, *calibrate = NULL;
    size_t columns = 0, params = 0;
    cr_status status = read_columns(&r, &column, &columns);

    *out = NULL;
    if (status == CR_OK && ((learner = take_text(&r)) == NULL || (basis = take_text(&r)) == NULL ||
                            (calibrate = take_text(&r)) == NULL))
        status = CR_ENOMEM;
    if (status == CR_OK)
        status = read_params(&r, &param, &params);
    if (status == CR_OK) {
        settings = (trainer_settings){.learner = *learner == '\0' ? NULL : learner,
                                      .basis = *basis == '\0' ? NULL : basis,
                                      .calibrate = *calibrate == '\0' ? NULL : calibrate,
                                      .params = (const char *const *)param,
                                      .param_count = params};
        status = trainer_new(out, column, columns, &settings, err);
    } else {
        fail(err, status, "these bytes are not the state of a training");
    }
    if (status == CR_OK)
        status = read_learned(*out, &r, err);
    if (status != CR_OK) {
        trainer_free(*out);
        *out = NULL;
    }
    for (size_t i = 0; column != NULL && i < columns; i++)
        free((char *)column[i].name);
    for (size_t i = 0; param != NULL && i < params; i++)
        free(param[i]);
    free(column);
    free(param);
    free(learner);
    free(basis);
    free(calibrate);
    return status;
}
