/* learners/spec.c - learners with their knobs in one text. */
#include "credence/spec.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/model.h"

void cr_spec_free(cr_spec *spec)
{
    for (size_t i = 0; i < spec->param_count; i++)
        cr__free(spec->params[i]);
    cr__free(spec->params);
    cr__free(spec->learner);
    cr__free(spec->name);
    *spec = (cr_spec){0};
}

void cr_specs_free(cr_spec *specs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_spec_free(&specs[i]);
    cr__free(specs);
}

static cr_status add_param(cr_spec *spec, const char *text, size_t size, cr_error *err)
{
    char **more = cr__realloc(spec->params, spec->param_count + 1, sizeof *more);

    if (more == NULL)
        return cr__fail_memory(err);
    spec->params = more;
    if ((spec->params[spec->param_count] = cr__strndup(text, size)) == NULL)
        return cr__fail_memory(err);
    spec->param_count++;
    return CR_OK;
}

cr_status cr_spec_add(cr_spec *spec, const char *param, cr_error *err)
{
    return add_param(spec, param, strlen(param), err);
}

/* A colon before something without = belongs to the value of a knob: prior=no:0.7. */
static size_t param_size(const char *text, size_t most)
{
    size_t size = 0;

    for (;;) {
        const char *next;

        while (size < most && text[size] != ':')
            size++;
        if (size == most)
            return size;
        next = memchr(text + size + 1, ':', most - size - 1);
        if (memchr(text + size + 1, '=',
                   next == NULL ? most - size - 1 : (size_t)(next - text) - size - 1) != NULL)
            return size;
        size++;
    }
}

static cr_status parse(cr_spec *out, const char *text, size_t size, cr_error *err)
{
    const char *colon = memchr(text, ':', size);
    const size_t length = colon == NULL ? size : (size_t)(colon - text);
    cr_status st = CR_OK;

    *out = (cr_spec){0};
    out->name = cr__strndup(text, size);
    out->learner = cr__strndup(text, length);
    if (out->name == NULL || out->learner == NULL)
        st = cr__fail_memory(err);
    for (size_t at = length; st == CR_OK && at < size;) {
        const size_t n = param_size(text + at + 1, size - at - 1);

        st = add_param(out, text + at + 1, n, err);
        at += 1 + n;
    }
    if (st != CR_OK)
        cr_spec_free(out);
    return st;
}

cr_status cr_spec_parse(cr_spec *out, const char *text, cr_error *err)
{
    return parse(out, text, strlen(text), err);
}

static int is_learner(const char *text, size_t size)
{
    const char *name;

    for (size_t i = 0; (name = cr_learner_name(i)) != NULL; i++)
        if (strlen(name) == size && memcmp(name, text, size) == 0)
            return 1;
    return 0;
}

/* The end of a specification: a comma after which a learner's name comes. Other commas belong to
 * the value of a knob, once there is one. */
static size_t spec_size(const char *text)
{
    size_t size = strcspn(text, ",");

    while (text[size] == ',' && memchr(text, '=', size) != NULL &&
           !is_learner(text + size + 1, strcspn(text + size + 1, ":,")))
        size += 1 + strcspn(text + size + 1, ",");
    return size;
}

cr_status cr_specs_parse(cr_spec **out, size_t *count, const char *text, cr_error *err)
{
    size_t capacity = 0;
    cr_status st = CR_OK;

    *out = NULL;
    *count = 0;
    for (;; text++) {
        const size_t size = spec_size(text);

        if (!cr__grow(out, &capacity, *count + 1, sizeof **out))
            st = cr__fail_memory(err);
        else if ((st = parse(&(*out)[*count], text, size, err)) == CR_OK)
            ++*count;
        text += size;
        if (st != CR_OK || *text == '\0')
            break;
    }
    if (st != CR_OK) {
        cr_specs_free(*out, *count);
        *out = NULL;
        *count = 0;
    }
    return st;
}
