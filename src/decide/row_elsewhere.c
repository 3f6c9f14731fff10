/* decide/row_elsewhere.c - a row that was made for one model, asked of another with its columns.
 *
 * Mostly the other is a later state of the same model, which has learned rows since. If their words
 * are not worked in yet, the answer follows from the counts of the row's own words; else the row is
 * filled in again for that model, with what it was given.
 */
#include <string.h>

#include "base/fail.h"
#include "decide/row.h"
#include "model/later.h"

int cr__columns_match(const cr_schema *a, const cr_schema *b)
{
    int same = a->columns == b->columns && a->target == b->target && a->weight == b->weight;

    for (size_t i = 0; a != b && same && i < a->columns; i++)
        same = a->column[i].kind == b->column[i].kind &&
               strcmp(a->column[i].name, b->column[i].name) == 0;
    return same;
}

cr__section cr__row_section(const void *context, size_t column)
{
    const cr__row_text *text = &((const cr_row *)context)->text[column];

    return (cr__section){
        .prefix = "", .text = text->bytes, .size = text->size, .whole = 1, .mail = text->mail};
}

uint32_t cr__row_code(const cr_row *row, size_t column, const cr__dict *dict)
{
    const cr__dict *own = row->model->dict[column];
    const uint32_t code = row->code[column];
    const char *word = row->text[column].bytes;
    size_t length = row->text[column].size;
    uint32_t there;

    if (dict == NULL || dict == own || code == CR__MISSING)
        return code;
    if (code <= own->words)
        word = cr__dict_word(own, code, &length);
    there = cr__dict_find(dict, word, length);
    return there == CR__MISSING ? dict->words + 1 : there;
}

cr_status cr__row_score_later(const cr_row *row, const cr_model *model, double *score,
                              cr_error *err)
{
    return cr__model_score_later(model, &(cr__one_row){.real = row->real, .code = row->code},
                                 cr__row_section, row, score, err);
}

/* The texts of a row into one of another model. */
static cr_status fill_texts(cr_row *to, const cr_row *from, cr_error *err)
{
    cr__plan *plan = &to->scorer.plan;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < to->batch.columns; i++) {
        cr__section text;

        if (to->cell[i].use != CR__CELL_TEXT || from->code[i] == CR__MISSING)
            continue;
        text = cr__row_section(from, i);
        cr__batch_no_text(&to->batch, 0, i);
        st = plan->put_text(plan, &to->batch, 0, i, &text, err);
        if (st == CR_OK &&
            cr__row_keep_text(&to->text[i], text.text, text.size, text.mail) != CR_OK)
            st = cr__fail_memory(err);
    }
    return st;
}

cr_status cr__row_again(cr_row **out, const cr_model *model, const cr_row *row, cr_error *err)
{
    cr_row *again;
    cr_status st = cr_row_new(&again, model, err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    for (size_t i = 0; i < row->batch.columns; i++)
        if (again->cell[i].use == CR__CELL_REAL)
            again->real[i] = row->real[i];
        else if (again->cell[i].use == CR__CELL_SYMBOL)
            again->code[i] = cr__row_code(row, i, model->dict[i]);
    if ((st = fill_texts(again, row, err)) != CR_OK) {
        cr_row_free(again);
        return st;
    }
    *out = again;
    return CR_OK;
}
