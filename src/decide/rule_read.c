/* decide/rule_read.c - costs and priors from texts and tables, by the names of classes. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "base/number.h"
#include "decide/rule.h"
#include "source/word_table.h"
#include "model/model.h"

#define EVERY SIZE_MAX /* the meaning of * */

/* --- names of classes ------------------------------------------------------------------------- */

static size_t find_class(const cr_model *model, const char *name, size_t length)
{
    const uint32_t code = cr__dict_find(model->dict[model->schema->target], name, length);

    return code == CR__MISSING ? EVERY : code - 1;
}

/* --- TRUE->DECIDED=COST, ... ------------------------------------------------------------------ */

typedef struct reader {
    const cr_model *model;
    const char *text, *at;
    cr_error *err;
} reader;

static cr_status at(const reader *r, cr_status st, const char *place)
{
    return cr__fail_at(r->err, st, NULL, 0, (size_t)(place - r->text) + 1);
}

static cr_status fail_form(const reader *r, const char *place, const char *wanted)
{
    char found[40];

    cr__printable(found, sizeof found, place, strcspn(place, ","));
    if (*found == '\0')
        cr__fail(r->err, CR_EARG, "the costs lack %s here", wanted);
    else
        cr__fail(r->err, CR_EARG, "the costs have '%s' where %s should be", found, wanted);
    cr__fail_hint(r->err, CR_EARG, "write TRUE->DECIDED=COST, such as spam->ham=1, ham->spam=20");
    return at(r, CR_EARG, place);
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

/* A name up to `stop`, without the blanks around it, or in quotes. */
static cr_status read_name(reader *r, const char *stop, const char *wanted, size_t *out)
{
    const char *name = r->at, *end;
    size_t length;

    if (*name == '"') {
        end = strchr(++name, '"');
        if (end == NULL)
            return fail_form(r, r->at, "a closing quote");
        length = (size_t)(end - name);
        r->at = end + 1;
        skip_blanks(r);
    } else {
        if ((end = strstr(name, stop)) == NULL || (size_t)(end - name) > strcspn(name, ","))
            return fail_form(r, name, wanted);
        for (length = (size_t)(end - name); length > 0 && strchr(" \t", name[length - 1]);)
            length--;
        r->at = end;
    }
    if (strncmp(r->at, stop, strlen(stop)) != 0)
        return fail_form(r, r->at, stop);
    r->at += strlen(stop);
    skip_blanks(r);
    *out = find_class(r->model, name, length);
    if (*out == EVERY && !(length == 1 && *name == '*')) {
        cr__model_no_class(r->model, CR_EARG, name, length, r->err);
        return at(r, CR_EARG, name);
    }
    return CR_OK;
}

static cr_status read_cost(reader *r, double *out)
{
    const char *number = r->at;
    const size_t length = strcspn(number, ",\n");

    if (!cr__texts_number(number, length, out))
        return fail_form(r, number, "a cost, a finite number,");
    if (*out < 0) {
        cr__fail(r->err, CR_EARG, "a cost is %g; it must be at least 0", *out);
        return at(r, CR_EARG, number);
    }
    r->at += length;
    return CR_OK;
}

/* A star stands for every class but the other one: right answers keep their cost. */
static void put_cost(cr_rule *rule, size_t truth, size_t decision, double cost)
{
    const size_t K = rule->classes;

    if (truth != EVERY && decision != EVERY)
        rule->cost[truth * K + decision] = cost;
    else if (truth != EVERY || decision != EVERY)
        for (size_t c = 0; c < K; c++) {
            const size_t t = truth == EVERY ? c : truth, d = decision == EVERY ? c : decision;

            if (t != d)
                rule->cost[t * K + d] = cost;
        }
    else
        for (size_t i = 0; i < K * K; i++)
            if (i / K != i % K)
                rule->cost[i] = cost;
}

cr_status cr__rule_read_costs(cr_rule *rule, const cr_model *model, const char *costs,
                              cr_error *err)
{
    reader r = {model, costs, costs, err};
    size_t truth = 0, decision = 0;
    double cost = 0;
    cr_status st;

    do {
        skip_blanks(&r);
        if ((st = read_name(&r, "->", "a class and ->", &truth)) != CR_OK ||
            (st = read_name(&r, "=", "a class and =", &decision)) != CR_OK ||
            (st = read_cost(&r, &cost)) != CR_OK)
            return st;
        put_cost(rule, truth, decision, cost);
        r.at += *r.at != '\0';
        skip_blanks(&r);
    } while (*r.at != '\0');
    return CR_OK;
}

/* --- a table ---------------------------------------------------------------------------------- */

static const char *trim(const char *text, size_t *length)
{
    while (*text == ' ' || *text == '\t')
        text++;
    *length = strlen(text);
    while (*length > 0 && (text[*length - 1] == ' ' || text[*length - 1] == '\t'))
        --*length;
    return text;
}

static cr_status class_of(const cr__texts *t, const cr_model *model, const char *text, size_t line,
                          size_t column, size_t *out, cr_error *err)
{
    size_t length;
    const char *name = trim(text, &length);

    if ((*out = find_class(model, name, length)) != EVERY)
        return CR_OK;
    cr__model_no_class(model, CR_EFORMAT, name, length, err);
    return cr__fail_at(err, CR_EFORMAT, t->path, line, column + 1);
}

static cr_status take_row(cr_rule *rule, const cr_model *model, const cr__texts *t,
                          const size_t *decision, size_t row, cr_error *err)
{
    const char *const *cell = t->cell + row * t->columns;
    size_t truth;
    cr_status st;

    if (cell[0] == NULL)
        return cr__texts_fail(t, row, 0, "the name of a true class", err);
    st = class_of(t, model, cell[0], t->line[row], 0, &truth, err);
    for (size_t i = 1; st == CR_OK && i < t->columns; i++) {
        double *cost = &rule->cost[truth * rule->classes + decision[i]];

        if (cell[i] == NULL || !cr__texts_number(cell[i], strlen(cell[i]), cost) || *cost < 0)
            st = cr__texts_fail(t, row, i, "a cost, a number of at least 0", err);
    }
    return st;
}

cr_status cr__rule_read_file(cr_rule *rule, const cr_model *model, const char *path, cr_error *err)
{
    cr__texts t = {0};
    size_t *decision = NULL;
    cr_status st = cr__texts_read(&t, path, err);

    if (st == CR_EIO && err != NULL && err->hint[0] == '\0')
        cr__fail_hint(err, st, "costs are 'TRUE->DECIDED=COST, ...' or a file of them");
    if (st == CR_OK && (decision = cr__alloc(t.columns, sizeof *decision)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 1; st == CR_OK && i < t.columns; i++)
        st = class_of(&t, model, t.column[i], 1, i, &decision[i], err);
    for (size_t r = 0; st == CR_OK && r < t.rows; r++)
        st = take_row(rule, model, &t, decision, r, err);
    if (st == CR_OK && t.columns < 2) {
        cr__fail(err, CR_EFORMAT, "there are no costs in it");
        st = cr__fail_at(err, CR_EFORMAT, path, 0, 0);
    }
    cr__free(decision);
    cr__texts_free(&t);
    return st;
}

/* --- CLASS:P,CLASS:P -------------------------------------------------------------------------- */

static cr_status check_priors(const double *prior, const cr_model *model, cr_error *err)
{
    double sum = 0;

    for (size_t c = 0; c < model->classes; c++) {
        if (isnan(prior[c])) {
            cr__fail(err, CR_EARG, "the priors leave out the class '%s'", cr_model_class(model, c));
            return cr__fail_hint(err, CR_EARG, "give every class one; they add up to 1");
        }
        sum += prior[c];
    }
    return fabs(sum - 1) <= 1e-6 ? CR_OK
                                 : cr__fail(err, CR_EARG, "the priors sum to %.9g, not to 1", sum);
}

cr_status cr__rule_read_priors(double *prior, const cr_model *model, const char *priors,
                               cr_error *err)
{
    char buffer[1024];
    const char *name;
    double p;
    cr_status st;

    for (size_t c = 0; c < model->classes; c++)
        prior[c] = NAN;
    for (size_t i = 0; (st = cr__list_item(priors, i, buffer, sizeof buffer, &name, &p)) == CR_OK;
         i++) {
        const size_t c = name == NULL ? EVERY : find_class(model, name, strlen(name));

        if (name == NULL)
            return cr__fail(err, CR_EARG, "the priors are '%s'; they must be CLASS:P,CLASS:P,…",
                            priors);
        if (c == EVERY)
            return cr__model_no_class(model, CR_EARG, name, strlen(name), err);
        if (!isnan(prior[c]))
            return cr__fail(err, CR_EARG, "the priors name the class '%s' twice", name);
        if (!(p >= 0 && p <= 1))
            return cr__fail(err, CR_EARG, "the prior of '%s' is %g; a probability is 0 to 1", name,
                            p);
        prior[c] = p;
    }
    if (st != CR_END)
        return cr__fail(err, CR_EARG, "the priors are '%s'; they must be CLASS:P,CLASS:P,…",
                        priors);
    return check_priors(prior, model, err);
}
