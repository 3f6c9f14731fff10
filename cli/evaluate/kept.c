/* cli/evaluate/kept.c - columns of the data that precede the answers of a cross-validation. */
#include "evaluate/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/json.h"
#include "out/out.h"
#include "session/reserve.h"
#include "session/session.h"

typedef struct reading {
    kept *k;
    const char *list; /* "A,B" */
    bool absent;      /* one of them does not exist */
} reading;

void kept_free(kept *k)
{
    for (size_t i = 0; i < k->rows; i++)
        free(k->text[i]);
    free(k->text);
    free(k->head);
    *k = (kept){0};
}

/* The field that a name of the list refers to, or SIZE_MAX. */
static size_t find_field(const cr_predictions *p, const char *name, size_t length)
{
    for (size_t f = 0; f < cr_predictions_fields(p); f++) {
        const char *own = cr_predictions_field_name(p, f);

        if (own != NULL && strlen(own) == length && memcmp(own, name, length) == 0)
            return f;
    }
    return SIZE_MAX;
}

/* The listed columns of one row, or their names (row SIZE_MAX), each followed by a comma. */
static char *row_text(const char *list, const cr_predictions *p, size_t row)
{
    char *text = NULL;
    size_t room = 0;
    FILE *out = open_memstream(&text, &room);

    if (out == NULL)
        reserve_failed();
    for (const char *at = list; *at != '\0'; at += *at == ',') {
        const size_t length = strcspn(at, ","), f = find_field(p, at, length);
        size_t size = 0;
        const char *field = f == SIZE_MAX     ? NULL
                            : row == SIZE_MAX ? cr_predictions_field_name(p, f)
                                              : cr_predictions_field(p, row, f, &size);
        char *copy = field == NULL ? NULL : strndup(field, row == SIZE_MAX ? strlen(field) : size);

        if (copy != NULL)
            csv_field(out, copy);
        putc(',', out);
        free(copy);
        at += length;
    }
    if (fclose(out) != 0)
        reserve_failed();
    return text;
}

static cr_status visit(void *context, const cr_predictions *p)
{
    reading *r = context;
    kept *k = r->k;

    if (k->head == NULL && p->rows > 0) {
        for (const char *at = r->list; *at != '\0'; at += *at == ',') {
            const size_t length = strcspn(at, ",");

            if (find_field(p, at, length) == SIZE_MAX) {
                r->absent = true;
                return CR_EARG;
            }
            at += length;
        }
        k->head = row_text(r->list, p, SIZE_MAX);
    }
    for (size_t row = 0; row < p->rows; row++) {
        if (p->regression != NULL ? isnan(p->regression[row].truth)
                                  : p->truth == NULL || p->truth[row] == -1)
            continue; /* it was not judged */
        if (k->rows == k->room) {
            k->room = k->room * 2 + 256;
            k->text = reserve_more(k->text, k->room, sizeof *k->text);
        }
        k->text[k->rows++] = row_text(r->list, p, row);
    }
    return CR_OK;
}

int kept_read(kept *k, request *r, const cr_model *model)
{
    reading context = {k, option_text(r, "keep"), false};
    const cr_sink sink = {.visit = visit, .context = &context};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    int code;

    *k = (kept){0};
    if (context.list == NULL)
        return EXIT_DONE;
    if (option_text(r, "out") == NULL)
        return misuse("--out FILE", "--keep is for the answers that --out writes");
    if (r->operand_count == 0 || strcmp(r->operands[0], "-") == 0)
        return misuse("name a file", "--keep reads the data twice, which standard input cannot");
    if ((code = open_data(&source, r, 0, model)) != EXIT_DONE)
        return code;
    status = cr_model_predict(model, source, NULL, &sink, &r->run, NULL, &err);
    if (context.absent)
        code = misuse("columns of DATA, as in --keep id,name", "--keep %s: there is no such column",
                      context.list);
    else if (status != CR_OK)
        code = fail_data(r, &source, status, &err);
    close_data(&source);
    return code;
}

void kept_write(const kept *k, size_t row, FILE *file)
{
    if (k->head != NULL)
        fputs(row == SIZE_MAX ? k->head : row < k->rows ? k->text[row] : "", file);
}
