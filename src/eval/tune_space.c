/* eval/tune_space.c - "alpha=0.001..10:log" and "event=multinomial,complement". */
#include "eval/tune_space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

enum { NUMBER_TEXT = CR__NUMBER_SIZE + 1 };
#define MOST_SETTINGS ((size_t)1 << 40)

void cr__tune_space_free(cr__tune_space *space)
{
    for (size_t i = 0; i < space->axes; i++) {
        for (size_t v = 0; v < space->axis[i].values; v++)
            cr__free(space->axis[i].value[v]);
        cr__free(space->axis[i].value);
        cr__free(space->axis[i].key);
    }
    cr__free(space->axis);
    *space = (cr__tune_space){0};
}

/* Knobs whose own values have commas or dots: these are used as they are. */
static int is_plain(const char *key)
{
    static const char *const plain[] = {"prior", "ngrams", "bins", "stop", "strip"};

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(key, plain[i]) == 0)
            return 1;
    return 0;
}

static int add_value(cr__axis *a, const char *text, size_t length)
{
    char **more = cr__realloc(a->value, a->values + 1, sizeof *more);

    if (more == NULL)
        return 0;
    a->value = more;
    if ((a->value[a->values] = cr__strndup(text, length)) == NULL)
        return 0;
    a->values++;
    return 1;
}

static double between(const cr__axis *a, double share)
{
    return a->logarithmic ? exp(log(a->low) * (1 - share) + log(a->high) * share)
                          : a->low * (1 - share) + a->high * share;
}

static int is_whole(double x)
{
    return x == floor(x) && fabs(x) < 1e9;
}

/* LOW..HIGH, optionally followed by :log or :N. */
static cr_status read_range(cr__axis *a, const char *text, const char *dots, size_t steps,
                            cr_error *err)
{
    char number[NUMBER_TEXT], *end = NULL;
    int counted = 0;

    a->range = 1;
    if (cr__parse_double(text, (size_t)(dots - text), &a->low) != CR__NUMBER_OK)
        return CR_END; /* it is not a range after all */
    a->high = strtod(dots + 2, &end);
    while (end != dots + 2 && *end == ':') {
        if (strncmp(end, ":log", 4) == 0) {
            a->logarithmic = 1;
            end += 4;
        } else {
            char *rest;

            steps = strtoul(end + 1, &rest, 10);
            counted = 1;
            end = rest == end + 1 ? end + strlen(end) : rest;
        }
    }
    if (end == dots + 2 || *end != '\0' || !(a->low < a->high) || steps < 2 || steps > 1000 ||
        (a->logarithmic && !(a->low > 0))) {
        cr__fail(err, CR_EARG, "%s is '%s', which is not a range", a->key, text);
        return cr__fail_hint(err, CR_EARG, "such as %s=0.001..10:log:5", a->key);
    }
    if (!counted && !a->logarithmic && is_whole(a->low) && is_whole(a->high) &&
        a->high - a->low < (double)steps)
        steps = (size_t)(a->high - a->low) + 1; /* the whole numbers from 1..3 are 1, 2 and 3 */
    for (size_t i = 0; i < steps; i++) {
        const double x = i == 0           ? a->low
                         : i + 1 == steps ? a->high
                                          : between(a, (double)i / (double)(steps - 1));

        if (!add_value(a, number, (size_t)snprintf(number, sizeof number, "%.6g", x)))
            return cr__fail_memory(err);
    }
    return CR_OK;
}

static cr_status read_axis(cr__axis *a, const char *text, size_t steps, cr_error *err)
{
    const char *equals = strchr(text, '='), *dots;
    cr_status st = CR_END;

    if (equals == NULL || equals == text)
        return cr__fail(err, CR_EARG, "'%s' is not KEY=VALUES", text);
    if ((a->key = cr__strndup(text, (size_t)(equals - text))) == NULL)
        return cr__fail_memory(err);
    text = equals + 1;
    dots = strstr(text, "..");
    if (dots != NULL && !is_plain(a->key))
        st = read_range(a, text, dots, steps, err);
    if (st != CR_END)
        return st;
    a->range = 0;
    for (;;) {
        const size_t length = is_plain(a->key) ? strlen(text) : strcspn(text, ",");

        if (!add_value(a, text, length))
            return cr__fail_memory(err);
        if (text[length] == '\0')
            return CR_OK;
        text += length + 1;
    }
}

cr_status cr__tune_space_read(cr__tune_space *out, const char *const *text, size_t count,
                              size_t steps, cr_error *err)
{
    cr_status st = CR_OK;

    *out = (cr__tune_space){.axis = cr__alloc_zero(count + 1, sizeof *out->axis)};
    if (out->axis == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        out->axes++;
        st = read_axis(&out->axis[i], text[i], steps, err);
    }
    if (st != CR_OK)
        cr__tune_space_free(out);
    return st;
}

size_t cr__tune_space_size(const cr__tune_space *space)
{
    size_t size = 1;

    for (size_t i = 0; i < space->axes; i++)
        size = size > MOST_SETTINGS / space->axis[i].values ? MOST_SETTINGS
                                                            : size * space->axis[i].values;
    return size;
}

static char *pair(const char *key, const char *value)
{
    const size_t length = strlen(key) + strlen(value) + 1;
    char *text = cr__alloc(length + 1, 1);

    if (text != NULL)
        snprintf(text, length + 1, "%s=%s", key, value);
    return text;
}

char **cr__tune_space_setting(const cr__tune_space *space, size_t place, cr__random *random)
{
    char **params = cr__alloc_zero(space->axes + 1, sizeof *params);

    for (size_t i = 0; params != NULL && i < space->axes; i++) {
        const cr__axis *a = &space->axis[i];
        char number[NUMBER_TEXT];

        if (random != NULL && a->range) {
            snprintf(number, sizeof number, "%.6g", between(a, cr__random_uniform(random)));
            params[i] = pair(a->key, number);
        } else {
            params[i] = pair(
                a->key,
                a->value[random != NULL ? cr__random_below(random, a->values) : place % a->values]);
        }
        place /= a->values;
        if (params[i] == NULL) {
            while (i-- > 0)
                cr__free(params[i]);
            cr__free(params);
            return NULL;
        }
    }
    return params;
}
