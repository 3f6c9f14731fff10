/* source/cell.c - one field's text becomes one cell of a batch. */
#include "source/cell.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "source/source.h"

/* The multiplier of cr__recent_find is odd and begins with a one bit: key 0 maps to entry 0, and
 * key 1 to one in the upper half. */
void cr__recent_clear(cr__recent *recent, size_t entries)
{
    memset(recent, 0, entries * sizeof *recent);
    if (entries > 0)
        recent[0].key.low = 1;
}

static cr_status break_guess(cr__plan *plan, const cr__cell *cell, cr_kind to)
{
    plan->broken_column = cell->column;
    plan->broken_to = to;
    return CR__EWIDEN;
}

static cr_status put_real(cr__plan *plan, const cr__cell *cell, size_t row, const char *text,
                          size_t length, int quoted)
{
    if (cell->guessed && cell->about->why == CR_WHY_EMPTY)
        return break_guess(plan, cell, CR_REAL);
    if (cell->guessed && quoted)
        return break_guess(plan, cell, CR_SYMBOL);
    switch (cr__parse_double(text, length, &cell->real[row])) {
    case CR__NUMBER_OK: return CR_OK;
    case CR__NUMBER_INVALID: break;
    default: return CR_EFORMAT;
    }
    return cell->guessed ? break_guess(plan, cell, CR_SYMBOL) : CR_EFORMAT;
}

static cr_status put_symbol(cr__plan *plan, const cr__cell *cell, size_t row, const char *text,
                            size_t length, int quoted)
{
    if (cell->guessed && (quoted || !cr__is_binary(text, length)))
        return break_guess(plan, cell,
                           !quoted && cr__is_number(text, length) ? CR_REAL : CR_SYMBOL);
    if (length > CR__WORD_MAX)
        return CR_ELIMIT;
    if (cell->declared != NULL && cr__dict_find(cell->declared, text, length) == CR__MISSING)
        return CR_EFORMAT;
    if (cell->classes != NULL) {
        const size_t before = length;

        cr__classes_rename(cell->classes, &text, &length);
        cell->code[row] = CR__MISSING;
        if (length == 0 && before > 0)
            return CR_OK;
    }
    if (plan->grow)
        return cr__dict_intern(cell->dict, text, length, &cell->code[row]);
    cell->code[row] = cr__dict_find(cell->dict, text, length);
    if (cell->code[row] == CR__MISSING)
        cell->code[row] = cell->dict->words + 1;
    return CR_OK;
}

void cr__cell_put_missing(const cr__cell *cell, size_t row)
{
    if (cell->use == CR__CELL_REAL)
        cell->real[row] = NAN;
    else if (cell->use == CR__CELL_SYMBOL)
        cell->code[row] = CR__MISSING;
    else if (cell->use == CR__CELL_TEXT)
        cr__batch_no_text(cell->batch, row, cell->column);
}

cr_status cr__cell_put_class(cr__plan *plan, const cr__cell *cell, size_t row, const char *text,
                             size_t length)
{
    if (length == 0 && cell->classes != NULL)
        cr__classes_rename(cell->classes, &text, &length);
    if (length > 0)
        return cr__cell_put(plan, cell, row, text, length, 0);
    cr__cell_put_missing(cell, row);
    return CR_OK;
}

cr_status cr__cell_put_document(cr__plan *plan, const cr__cell *cell, size_t row, const char *bytes,
                                size_t size)
{
    if (cell->use != CR__CELL_TEXT)
        return cr__cell_put(plan, cell, row, bytes, size, 0);
    cr__batch_no_text(cell->batch, row, cell->column);
    return plan->put_text(plan, cell->batch, row, cell->column,
                          &(cr__section){.prefix = "", .text = bytes, .size = size, .whole = 1},
                          plan->err);
}

/* Whether a word is a value although it could mean missing: the file's header declares it, or the
 * model that the rows are read for has it. */
static int is_known(const cr__plan *plan, const cr__cell *cell, const char *text, size_t length)
{
    const cr__dict *const dicts[] = {
        cell->declared, cell->about == NULL ? NULL : cell->about->declared,
        cell->use == CR__CELL_SYMBOL && !plan->grow ? cell->dict : NULL};

    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++)
        if (dicts[i] != NULL && cr__dict_find(dicts[i], text, length) != CR__MISSING)
            return 1;
    return 0;
}

cr_status cr__cell_put(cr__plan *plan, const cr__cell *cell, size_t row, const char *text,
                       size_t length, int quoted)
{
    if (cell->use == CR__CELL_SKIP)
        return CR_OK;
    cr__trim(&text, &length);
    if (cr__missing_is(cell->missing, text, length) && !is_known(plan, cell, text, length)) {
        cr__cell_put_missing(cell, row);
        return CR_OK;
    }
    switch (cell->use) {
    case CR__CELL_TEXT: return cr__cell_put_document(plan, cell, row, text, length);
    case CR__CELL_REAL: return put_real(plan, cell, row, text, length, quoted);
    case CR__CELL_SYMBOL: return put_symbol(plan, cell, row, text, length, quoted);
    default: return cr__seen_value(cell->seen, text, length, quoted);
    }
}

/* --- why a text was refused ---------------------------------------------------------------- */

static cr_status fail_declared(cr_error *err, const cr__cell *cell, const char *shown)
{
    char allowed[200] = "none";
    size_t used = 0;

    for (uint32_t code = 1; code <= cell->declared->words && used + 26 < sizeof allowed; code++) {
        char word[24];
        size_t length;
        const char *bytes = cr__dict_word(cell->declared, code, &length);

        cr__printable(word, sizeof word, bytes, length);
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s",
                                 code > 1 ? ", " : "", word);
    }
    cr__fail(err, CR_EFORMAT, "'%s' is not among the values that the header declares for '%s'",
             shown, cell->about->name);
    return cr__fail_hint(err, CR_EFORMAT, "allowed: %s%s", allowed,
                         used + 26 < sizeof allowed ? "" : ", ...");
}

static cr_status fail_real(cr_error *err, cr_status status, const cr__cell *cell, const char *shown,
                           const char *text, size_t length)
{
    double number;

    switch (cr__parse_double(text, length, &number)) {
    case CR__NUMBER_NOT_FINITE:
        cr__fail(err, CR_EFORMAT, "'%s' in column '%s' is not a finite number", shown,
                 cell->about->name);
        return cr__fail_hint(err, status,
                             CR__SET("missing '?,NA,NaN,%s'") " takes it as missing too", shown);
    case CR__NUMBER_OVERFLOW:
        cr__fail(err, CR_EFORMAT, "'%s' in column '%s' is beyond the range of a double", shown,
                 cell->about->name);
        return cr__fail_hint(err, status, CR__SET("missing '?,NA,NaN,%s'") " takes it as missing",
                             shown);
    default:
        cr__fail(err, CR_EFORMAT, "'%s' in column '%s' is not a number", shown, cell->about->name);
        return cr__fail_hint(err, status,
                             CR__SET("type %s=symbol") " takes its values as words; " CR__SET(
                                 "missing") " lists texts that mean missing",
                             cell->about->name);
    }
}

/* A guess was broken: this becomes a note. */
static void fail_guess(cr_error *err, const cr__cell *cell, const char *shown, const char *text,
                       size_t length)
{
    const char *what = "neither 0 nor 1";

    if (cell->about->why == CR_WHY_EMPTY)
        what = "the first value of all";
    else if (cr__is_number(text, length) && cell->about->why == CR_WHY_NUMBERS)
        what = "a word, in quotes";
    else if (cell->about->why == CR_WHY_NUMBERS)
        what = "not a number";
    cr__fail(err, CR_EFORMAT, "'%s' in column '%s' is %s", shown, cell->about->name, what);
}

cr_status cr__cell_fail(cr_error *err, cr_status status, const cr__cell *cell, const char *text,
                        size_t length, const char *file, size_t line, size_t field)
{
    char shown[48];

    cr__trim(&text, &length);
    cr__printable(shown, sizeof shown, text, length);
    if (status == CR_ENOMEM)
        return cr__fail_memory(err);
    if (status == CR__EWIDEN)
        fail_guess(err, cell, shown, text, length);
    else if (cell->use == CR__CELL_TEXT && err != NULL && err->code == status)
        ; /* whatever refused the text has said why */
    else if (status == CR_ELIMIT && length > CR__WORD_MAX)
        cr__fail(err, status, "a value of %zu bytes in column '%s'; the most is %zu", length,
                 cell->about->name, CR__WORD_MAX);
    else if (status == CR_ELIMIT)
        cr__fail(err, status, "column '%s' has more different values than a dictionary can hold",
                 cell->about->name);
    else if (cell->use == CR__CELL_REAL)
        fail_real(err, status, cell, shown, text, length);
    else if (cell->declared != NULL)
        fail_declared(err, cell, shown);
    else
        cr__fail(err, status, "the text in column '%s' cannot be stored", cell->about->name);
    cr__fail_at(err, status, file, line, field);
    return status;
}
