/* base/knobs.c - check and store the values of knobs. */
#include "base/knobs.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "base/number.h"

void cr__knobs_free(cr__knobs *knobs)
{
    for (size_t i = 0; knobs->value != NULL && i < knobs->count; i++)
        cr__free(knobs->value[i]);
    cr__free(knobs->value);
    *knobs = (cr__knobs){0};
}

static cr_status fill(cr__knobs *out, const cr__knob_spec *spec, size_t count, char *const *values,
                      cr_error *err)
{
    *out = (cr__knobs){.spec = spec, .count = count};
    if ((out->value = cr__alloc_zero(count, sizeof *out->value)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const char *value = values == NULL ? spec[i].fallback : values[i];
        if ((out->value[i] = cr__strndup(value, strlen(value))) == NULL) {
            cr__knobs_free(out);
            return cr__fail_memory(err);
        }
    }
    return CR_OK;
}

cr_status cr__knobs_new(cr__knobs *out, const cr__knob_spec *spec, size_t count, cr_error *err)
{
    return fill(out, spec, count, NULL, err);
}

cr_status cr__knobs_copy(cr__knobs *out, const cr__knobs *from, cr_error *err)
{
    return fill(out, from->spec, from->count, from->value, err);
}

static size_t find(const cr__knobs *knobs, const char *name, size_t length)
{
    for (size_t i = 0; i < knobs->count; i++)
        if (strlen(knobs->spec[i].name) == length && memcmp(knobs->spec[i].name, name, length) == 0)
            return i;
    return SIZE_MAX;
}

/* Whether word is one of "one|two|three". */
static int is_choice(const char *choices, const char *word)
{
    const size_t length = strlen(word);

    for (const char *p = choices; p != NULL && *p != '\0';) {
        size_t n = strcspn(p, "|");
        if (n == length && memcmp(p, word, n) == 0)
            return 1;
        p += n + (p[n] == '|');
    }
    return 0;
}

static cr_status fail_unknown(const cr__knobs *knobs, const char *name, cr_error *err)
{
    cr_nearest near = (cr_nearest){.wanted = name};

    for (size_t i = 0; i < knobs->count; i++)
        cr_nearest_offer(&near, knobs->spec[i].name);
    cr__fail(err, CR_EARG, "there is no knob '%s'", name);
    if (strcmp(name, "calibrate") == 0)
        return cr__fail_hint(err, CR_EARG, "it is an option: use " CR__SET("calibrate auto"));
    if (near.best != NULL)
        return cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
    return cr__fail_hint(err, CR_EARG, CR__SET("knob-list the list of knobs has them"));
}

static cr_status check(const cr__knob_spec *spec, const char *value, cr_error *err)
{
    double number = NAN;
    int is_number = cr__parse_double(value, strlen(value), &number) == CR__NUMBER_OK;

    if (spec->type == CR__KNOB_LISTED || is_choice(spec->choices, value))
        return CR_OK;
    if (spec->type == CR__KNOB_CHOICE)
        return cr__fail(err, CR_EARG, "%s is '%s'; it must be one of %s", spec->name, value,
                        spec->choices);
    if (!is_number)
        return cr__fail(err, CR_EARG, "%s is '%s'; it must be a number%s%s", spec->name, value,
                        spec->choices == NULL ? "" : " or one of ",
                        spec->choices == NULL ? "" : spec->choices);
    if (number < spec->least)
        return cr__fail(err, CR_EARG, "%s is %s; it must be at least %g", spec->name, value,
                        spec->least);
    return CR_OK;
}

cr_status cr__knobs_set(cr__knobs *knobs, const char *setting, cr_error *err)
{
    const char *equals = strchr(setting, '=');
    char name[64];
    char *copy;
    size_t i;
    cr_status st;

    if (equals == NULL)
        return cr__fail(err, CR_EARG, "'%s' sets no knob; it must be NAME=VALUE", setting);
    i = find(knobs, setting, (size_t)(equals - setting));
    if (i == SIZE_MAX)
        return fail_unknown(
            knobs, cr__printable(name, sizeof name, setting, (size_t)(equals - setting)), err);
    if ((st = check(&knobs->spec[i], equals + 1, err)) != CR_OK)
        return st;
    if ((copy = cr__strndup(equals + 1, strlen(equals + 1))) == NULL)
        return cr__fail_memory(err);
    cr__free(knobs->value[i]);
    knobs->value[i] = copy;
    return CR_OK;
}

const char *cr__knobs_text(const cr__knobs *knobs, const char *name)
{
    size_t i = find(knobs, name, strlen(name));

    return i == SIZE_MAX ? "" : knobs->value[i];
}

double cr__knobs_number(const cr__knobs *knobs, const char *name)
{
    const char *text = cr__knobs_text(knobs, name);
    double number = NAN;

    cr__parse_double(text, strlen(text), &number);
    return number;
}

int cr__knobs_is(const cr__knobs *knobs, const char *name, const char *choice)
{
    return strcmp(cr__knobs_text(knobs, name), choice) == 0;
}

int cr__knobs_want_values(const cr__knobs *knobs)
{
    const char *real = cr__knobs_text(knobs, "real");

    return cr__knobs_is(knobs, "values", "keep") ||
           (*real != '\0' && strcmp(real, "gaussian") != 0);
}

cr_status cr__list_item(const char *list, size_t index, char *buffer, size_t size,
                        const char **name, double *number)
{
    const char *p = list, *colon = NULL;
    size_t length, name_length;

    for (size_t i = 0; i < index; i++) {
        p += strcspn(p, ",");
        if (*p == '\0')
            return CR_END;
        p++;
    }
    if (*p == '\0' && index > 0)
        return CR_EFORMAT;
    if (*p == '\0')
        return CR_END;
    length = strcspn(p, ",");
    for (size_t i = 0; i < length; i++)
        if (p[i] == ':')
            colon = p + i;
    name_length = colon == NULL ? 0 : (size_t)(colon - p);
    if (name_length + 1 > size)
        return CR_EFORMAT;
    memcpy(buffer, p, name_length);
    buffer[name_length] = '\0';
    *name = colon == NULL ? NULL : buffer;
    if (colon != NULL) {
        length -= name_length + 1;
        p = colon + 1;
    }
    return cr__parse_double(p, length, number) == CR__NUMBER_OK ? CR_OK : CR_EFORMAT;
}

double cr__list_number(const char *list, const char *name, double fallback)
{
    char buffer[256];
    const char *item;
    double number, found = fallback;
    int own = 0;

    for (size_t i = 0; cr__list_item(list, i, buffer, sizeof buffer, &item, &number) == CR_OK; i++)
        if (item == NULL ? !own : strcmp(item, name) == 0) {
            found = number;
            own = item != NULL;
        }
    return found;
}
