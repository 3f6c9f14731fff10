/* source/missing.c - the texts that mean "no value". */
#include "source/missing.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

cr_status cr__missing_open(cr__missing *missing, const char *list, cr_error *err)
{
    const char *text, *comma;
    size_t count = 2; /* the empty text is always one of them */
    double number;

    *missing = (cr__missing){0};
    if (list == NULL)
        list = CR__MISSING_DEFAULT;
    for (text = list; (comma = strchr(text, ',')) != NULL; text = comma + 1)
        count++;
    missing->list = cr__strndup(list, strlen(list));
    missing->text = cr__alloc(count, sizeof *missing->text);
    missing->length = cr__alloc(count, sizeof *missing->length);
    if (missing->list == NULL || missing->text == NULL || missing->length == NULL) {
        cr__missing_close(missing);
        return cr__fail_memory(err);
    }
    missing->text[0] = "";
    missing->length[0] = 0;
    missing->count = 1;
    for (text = missing->list; missing->count < count;
         text += missing->length[missing->count++] + 1) {
        missing->text[missing->count] = text;
        missing->length[missing->count] = strcspn(text, ",");
        if (cr__parse_double(text, strcspn(text, ","), &number) == CR__NUMBER_OK)
            missing->numbers = 1;
    }
    return CR_OK;
}

void cr__missing_close(cr__missing *missing)
{
    cr__free(missing->list);
    cr__free(missing->text);
    cr__free(missing->length);
    *missing = (cr__missing){0};
}
