/* sql/trainer_bytes.c - rows, and a whole trainer, as bytes and back. */
#include <stdlib.h>
#include <string.h>

#include "trainer_impl.h"

/* --- rows as bytes ---------------------------------------------------------------------------- */

/* The values of a row: real columns as eight bytes, others as their size + 1, 0 where missing, and
 * their bytes. */
void trainer_put_row(writer *w, const trainer *t, const block *b, size_t row)
{
    for (size_t i = 0; i < t->columns; i++) {
        const column_block *c = &b->column[i];

        if (c->real != NULL) {
            put(w, &c->real[row], sizeof *c->real);
        } else if (c->code != NULL || c->text != NULL) {
            const cr_span span = trainer_text_of(t, b, i, row);

            put_number(w, span.bytes == NULL ? 0 : span.length + 1);
            put(w, span.bytes, span.bytes == NULL ? 0 : span.length);
        }
    }
}

/* Add a row of such bytes. */
cr_status trainer_take_row(trainer *t, const void *bytes, size_t size, cr_error *err)
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
    return status == CR_OK && r.bad ? trainer_fail(err, CR_EFORMAT, "these bytes are not a row")
                                    : status;
}

/* --- a trainer -------------------------------------------------------------------------------- */

cr_status trainer_save(trainer *t, void **bytes, size_t *size, cr_error *err)
{
    const int held = trainer_is_held(t);
    void *file = NULL;
    size_t file_size = 0;
    writer w = {0}, row = {0};
    cr_status status = held ? CR_OK : trainer_flush_all(t, err);

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
        trainer_put_row(&row, t, &t->wait[0], r);
        put_bytes(&w, row.bytes, row.size);
    }
    cr_bytes_free(file);
    free(row.bytes);
    if (w.failed || row.failed) {
        free(w.bytes);
        return trainer_no_memory(err);
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
        status = r->bad ? CR_OK : trainer_no_memory(err);
    if (status == CR_OK)
        waiting = take_number(r);
    for (uint64_t i = 0; status == CR_OK && !r->bad && i < waiting; i++) {
        bytes = take_bytes(r, &size);
        if (!r->bad && (status = trainer_take_row(t, bytes, size, err)) == CR_OK)
            status = trainer_end_row(t, err);
    }
    if (status == CR_OK && (r->bad || r->left != 0))
        status = trainer_fail(err, CR_EFORMAT, "these bytes are not the state of a training");
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
        trainer_fail(err, status, "these bytes are not the state of a training");
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
