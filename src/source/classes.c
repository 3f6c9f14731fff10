/* source/classes.c - other names for classes. */
#include "source/classes.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* The first `sign` in text that is not escaped by a backslash; NULL when there is none. */
static char *find_sign(char *text, char sign)
{
    for (; *text != 0; text++)
        if (*text == sign)
            return text;
        else if (*text == '\\' && text[1] != 0)
            text++;
    return NULL;
}

/* Unescape a name: remove the backslashes before commas, equals signs and backslashes. */
static char *unescape(char *name)
{
    char *to = name;

    for (const char *from = name; *from != 0; from++) {
        if (*from == '\\' && from[1] != 0 && strchr(",=\\", from[1]) != NULL)
            from++;
        *to++ = *from;
    }
    *to = 0;
    return name;
}

/* One pair, which ends in NUL. */
static cr_status add_pair(cr__classes *classes, char *pair, size_t *capacity, cr_error *err)
{
    char *equals = find_sign(pair, '='), *name;
    const uint32_t before = classes->from->words;
    uint32_t code;

    if (equals == NULL || strcmp(pair, "=") == 0) {
        cr__fail(err, CR_EARG, "'%s' is not of the form OLD=NEW", pair);
        return cr__fail_hint(err, CR_EARG, "classes are renamed by a list such as a=x,b=x,c=y");
    }
    if (find_sign(equals + 1, '=') != NULL) {
        cr__fail(err, CR_EARG, "'%s' has more than one =", pair);
        return cr__fail_hint(err, CR_EARG, "in the name of a class write \\= and \\,");
    }
    *equals = 0;
    pair = unescape(pair);
    name = unescape(equals + 1);
    if (cr__dict_intern(classes->from, pair, strlen(pair), &code) != CR_OK ||
        !cr__grow(&classes->to, capacity, code, sizeof *classes->to))
        return cr__fail_memory(err);
    if (classes->from->words == before)
        return cr__fail(err, CR_EARG, "class '%s' is renamed twice", pair);
    classes->to[code - 1] = name;
    if (strcmp(pair, "*") == 0)
        classes->any = name;
    return CR_OK;
}

cr_status cr__classes_open(cr__classes *classes, const char *list, cr_error *err)
{
    size_t capacity = 0;
    cr_status st;

    *classes = (cr__classes){0};
    if (list == NULL)
        return CR_OK;
    if ((classes->list = cr__strndup(list, strlen(list))) == NULL)
        return cr__fail_memory(err);
    st = cr__dict_new(&classes->from, 0, err);
    for (char *pair = classes->list, *next; st == CR_OK && pair != NULL; pair = next) {
        if ((next = find_sign(pair, ',')) != NULL)
            *next++ = 0;
        st = add_pair(classes, pair, &capacity, err);
    }
    if (st == CR_OK &&
        (classes->met = cr__alloc_zero(classes->from->words + 1, sizeof *classes->met)) == NULL)
        st = cr__fail_memory(err);
    if (st != CR_OK)
        cr__classes_close(classes);
    return st;
}

void cr__classes_close(cr__classes *classes)
{
    cr__free(classes->list);
    cr__free(classes->to);
    cr__free(classes->met);
    cr__dict_free(classes->from);
    *classes = (cr__classes){0};
}

void cr__classes_rename(const cr__classes *classes, const char **text, size_t *length)
{
    const uint32_t code =
        classes->from == NULL ? CR__MISSING : cr__dict_find(classes->from, *text, *length);

    if (code == CR__MISSING && classes->any == NULL)
        return;
    if (code != CR__MISSING)
        atomic_store_explicit(&classes->met[code - 1], 1, memory_order_relaxed);
    *text = code == CR__MISSING ? classes->any : classes->to[code - 1];
    *length = strlen(*text);
}

cr_status cr__classes_check(const cr__classes *classes, cr_error *err)
{
    for (uint32_t code = 1; classes->from != NULL && code <= classes->from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(classes->from, code, &length);

        if (atomic_load_explicit(&classes->met[code - 1], memory_order_relaxed) || length == 0 ||
            (length == 1 && word[0] == '*'))
            continue;
        cr__fail(err, CR_EARG, "no row is of the class '%.*s', which is to have another name",
                 (int)length, word);
        return cr__fail_hint(err, CR_EARG, "classes are renamed by the names that the data have");
    }
    return CR_OK;
}
