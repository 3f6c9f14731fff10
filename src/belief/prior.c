/* belief/prior.c - priors by name and numbers: "beta:2,2". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "credence/estimate.h"

void cr_prior_free(cr_prior *prior)
{
    cr__free(prior->value);
    *prior = (cr_prior){.of = prior->of};
}

/* The numbers of a list. CR_EARG: one of them is not a number. */
static cr_status read_list(cr_prior *p, const char *text)
{
    size_t capacity = p->count;

    for (;; text++) {
        const size_t size = strcspn(text, ",");
        double x;

        if (cr__parse_double(text, size, &x) != CR__NUMBER_OK)
            return CR_EARG;
        if (!cr__grow(&p->value, &capacity, p->count + 1, sizeof *p->value))
            return CR_ENOMEM;
        p->value[p->count++] = x;
        text += size;
        if (*text == '\0')
            return CR_OK;
    }
}

/* NAME:NUMBER,NUMBER… with this many numbers; 0: any. CR_END: it has a different name. */
static cr_status read_named(cr_prior *p, const char *text, const char *name, size_t count)
{
    const size_t size = strlen(name);
    cr_status st;

    if (strncmp(text, name, size) != 0 || text[size] != ':')
        return CR_END;
    st = read_list(p, text + size + 1);
    return st == CR_OK && count != 0 && p->count != count ? CR_EARG : st;
}

static cr_status read_shares(cr_prior *p, const char *text)
{
    cr_status st;

    p->each = strcmp(text, "jeffreys") == 0 ? 0.5 : 1;
    if (strcmp(text, "uniform") == 0 || strcmp(text, "jeffreys") == 0)
        return CR_OK;
    if ((st = read_named(p, text, "beta", 2)) != CR_END)
        return st;
    st = read_named(p, text, "dirichlet", 0);
    if (st == CR_OK && p->count == 1) {
        p->each = p->value[0];
        p->count = 0;
    }
    return st;
}

static cr_status read_normal(cr_prior *p, const char *text)
{
    cr_status st;

    p->normal = cr_normal_reference();
    if (strcmp(text, "reference") == 0)
        return CR_OK;
    if ((st = read_named(p, text, "nig", 4)) == CR_OK)
        p->normal = (cr_normal_prior){p->value[0], p->value[1], p->value[2], p->value[3]};
    return st;
}

static cr_status read_rate(cr_prior *p, const char *text)
{
    if (strcmp(text, "jeffreys") == 0)
        return read_list(p, "0.5,0");
    if (strcmp(text, "uniform") == 0)
        return read_list(p, "1,0");
    return read_named(p, text, "gamma", 2);
}

cr_status cr_prior_parse(cr_prior *out, cr_prior_of of, const char *text, cr_error *err)
{
    static cr_status (*const read[])(cr_prior * p, const char *text) = {read_shares, read_normal,
                                                                        read_rate};
    static const char *const usual[] = {"uniform", "reference", "jeffreys"};
    static const char *const known[] = {
        "uniform, jeffreys, beta:A,B, dirichlet:A or dirichlet:A,B,C", "reference or nig:M,K,A,B",
        "jeffreys, uniform or gamma:SHAPE,RATE"};
    cr_status st;

    *out = (cr_prior){.of = of};
    st = read[of](out, text == NULL ? usual[of] : text);
    if (st == CR_OK)
        return CR_OK;
    cr_prior_free(out);
    if (st == CR_ENOMEM)
        return cr__fail_memory(err);
    cr__fail(err, CR_EARG, "there is no prior '%.100s' for this", text);
    return cr__fail_hint(err, CR_EARG, "%s", known[of]);
}

/* "Beta(2, 2)", "Dirichlet(1, 1, 1)", or "Dirichlet(1, 1, 1, 1, 1, 1, ...)" if there are many. */
static void show_shares(const cr_prior *prior, size_t outcomes, char *buffer, size_t size)
{
    enum { MOST = 6, ROOM = 24 }; /* parameters that are shown, and bytes that one may take */
    size_t used = (size_t)snprintf(buffer, size, outcomes == 2 ? "Beta(" : "Dirichlet(");

    for (size_t i = 0; i < outcomes && used < size; i++) {
        if (i >= MOST || used + ROOM > size) {
            used += (size_t)snprintf(buffer + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(buffer + used, size - used, "%s%g", i > 0 ? ", " : "",
                                 cr_prior_parameter(prior, i));
    }
    if (used < size)
        snprintf(buffer + used, size - used, ")");
}

char *cr_prior_text(const cr_prior *prior, size_t outcomes, char *buffer, size_t size)
{
    const double *v = prior->value;

    if (prior->of == CR_PRIOR_SHARES)
        show_shares(prior, outcomes, buffer, size);
    else if (prior->of == CR_PRIOR_RATE)
        snprintf(buffer, size, "Gamma(%g, %g)", v[0], v[1]);
    else if (prior->count == 4)
        snprintf(buffer, size, "normal-inverse-gamma(%g, %g, %g, %g)", v[0], v[1], v[2], v[3]);
    else
        snprintf(buffer, size, "reference");
    return buffer;
}
