/* render/fields.c - fields of structs, written as members of JSON objects. */
#include "render/fields.h"

#include <string.h>

/* The number that a field holds; whole numbers too. */
static double number_at(const cr__field *f, const char *at)
{
    double x = 0;
    uint64_t count;
    size_t size;

    if (f->type == CR__DOUBLE)
        memcpy(&x, at, sizeof x);
    if (f->type == CR__SIZE) {
        memcpy(&size, at, sizeof size);
        x = (double)size;
    }
    if (f->type == CR__COUNT) {
        memcpy(&count, at, sizeof count);
        x = (double)count;
    }
    return x;
}

static const char *text_at(const char *at)
{
    const char *text;

    memcpy(&text, at, sizeof text);
    return text;
}

static int bool_at(const char *at)
{
    int x;

    memcpy(&x, at, sizeof x);
    return x;
}

void cr__fields_json(cr_json *j, const cr__field *list, size_t count, const void *from)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)from + list[i].at;

        if (list[i].type == CR__TEXT)
            cr_json_text(j, list[i].field.key, text_at(at));
        else if (list[i].type == CR__CHARS)
            cr_json_text(j, list[i].field.key, at);
        else if (list[i].type == CR__BOOL)
            cr_json_bool(j, list[i].field.key, bool_at(at));
        else
            cr_json_number(j, list[i].field.key, number_at(&list[i], at));
    }
}

void cr__metrics_json(cr_json *j, int numbers, unsigned shown, const double *value)
{
    const cr_metric *m;

    for (size_t i = 0; (m = cr_metric_get(numbers, i)) != NULL; i++)
        if ((m->shown & shown) != 0)
            cr_json_number(j, m->key, value[i]);
}

void cr__spread_json(cr_json *j, const char *key, const cr_spread *s)
{
    cr_json_object(j, key, CR_JSON_LINE);
    cr_json_number(j, "mean", s->mean);
    cr_json_number(j, "sd", s->deviation);
    cr_json_number(j, "low", s->low);
    cr_json_number(j, "high", s->high);
    cr_json_end(j);
}

void cr__sheet_cells(cr_sheet *s, const cr__field *list, size_t count, const void *from)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)from + list[i].at;

        if (list[i].type == CR__TEXT)
            cr__sheet_text(s, text_at(at));
        else if (list[i].type == CR__CHARS)
            cr__sheet_text(s, at);
        else if (list[i].type == CR__BOOL)
            cr__sheet_text(s, bool_at(at) ? "*" : "");
        else
            cr__sheet_number(s, number_at(&list[i], at));
    }
}
