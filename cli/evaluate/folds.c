/* cli/evaluate/folds.c - figures of folds: of each, and their means. */
#include "evaluate/folds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/numbers.h"
#include "out/out.h"
#include "out/file.h"
#include "out/text.h"
#include "session/reserve.h"
#include "evaluate/study.h"

enum { FOLDS_SHOWN = 20 };

double figure_of(const void *metrics, const figure *f)
{
    double x;

    memcpy(&x, (const char *)metrics + f->at, sizeof x);
    return x;
}

void folds_begin(folds *f, const cr_cv *cv, const figure *list, size_t figures)
{
    *f = (folds){.figure = list, .figures = figures};
    cr_cv_get_facts(cv, &f->facts);
    if (f->facts.folds != f->facts.rows)
        f->count = f->facts.folds * f->facts.repeats;
    f->rows = reserve(f->count + 1, sizeof *f->rows);
    f->value = reserve(f->count * figures + 1, sizeof *f->value);
    f->spread = reserve(figures, sizeof *f->spread);
}

void folds_take(folds *f, size_t fold, double rows, const void *metrics)
{
    f->rows[fold] = rows;
    for (size_t k = 0; k < f->figures; k++)
        f->value[fold * f->figures + k] =
            metrics != NULL && rows > 0 ? figure_of(metrics, &f->figure[k]) : NAN;
}

void folds_spread(folds *f)
{
    double *column = reserve(f->count + 1, sizeof *column);

    for (size_t k = 0; k < f->figures; k++) {
        for (size_t i = 0; i < f->count; i++)
            column[i] = f->value[i * f->figures + k];
        cr_corrected_spread(column, f->count, 1 / ((double)f->facts.folds - 1), &f->spread[k]);
        spread_within(&f->spread[k], f->figure[k].least, f->figure[k].most);
    }
    free(column);
}

void folds_free(folds *f)
{
    free(f->rows);
    free(f->value);
    free(f->spread);
    *f = (folds){0};
}

table *folds_table(const folds *f, bool people)
{
    const char *const rest[] = {"mean", "sd", "low", "high"};
    table *t = table_new();
    char name[32];

    table_column(t, "fold", TABLE_LEFT);
    table_column(t, "rows", TABLE_RIGHT);
    for (size_t k = 0; k < f->figures; k++)
        table_column(t, people ? f->figure[k].title : f->figure[k].key, TABLE_RIGHT);
    for (size_t i = 0; (f->count <= FOLDS_SHOWN || !people) && i < f->count; i++) {
        fold_name(name, sizeof name, i, &f->facts);
        table_text(t, name);
        table_number(t, number_plain, f->rows[i]);
        for (size_t k = 0; k < f->figures; k++)
            table_number(t, f->figure[k].picture, f->value[i * f->figures + k]);
    }
    for (size_t row = 0; people && row < 4; row++) {
        table_text(t, rest[row]);
        table_text(t, "");
        for (size_t k = 0; k < f->figures; k++) {
            const cr_spread *s = &f->spread[k];
            const double x[] = {s->mean, s->deviation, s->low, s->high};

            table_number(t, f->figure[k].picture, x[row]);
        }
    }
    return t;
}

void folds_json(json *j, const folds *f)
{
    json_object(j, "mean", JSON_BLOCK);
    for (size_t k = 0; f->count > 0 && k < f->figures; k++)
        spread_json(j, f->figure[k].key, &f->spread[k]);
    json_end(j);
    json_array(j, "fold", JSON_BLOCK);
    for (size_t i = 0; i < f->count; i++) {
        json_object(j, NULL, JSON_LINE);
        json_number(j, "rows", f->rows[i]);
        for (size_t k = 0; k < f->figures; k++)
            json_number(j, f->figure[k].key, f->value[i * f->figures + k]);
        json_end(j);
    }
    json_end(j);
}

int write_answers(const char *path, void (*write)(FILE *file, const void *context),
                  const void *context)
{
    out_file out;
    int code = out_file_open(&out, path);

    if (code != EXIT_DONE)
        return code;
    write(out.file, context);
    return out_file_close(&out, EXIT_DONE);
}
