/* ask/query_best.c - the most probable explanation, for a condition in the language of queries. */
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "credence/query.h"

void cr_states_free(cr_states *s)
{
    if (s == NULL)
        return;
    cr__free((void *)s->value);
    cr__free((void *)s->given);
    cr__free(s);
}

/* The states of an answer by the numbers of nodes. */
static cr_status states_of(cr_states **out, const cr_answer *a, cr_error *err)
{
    cr_states *s = cr__alloc_zero(1, sizeof *s);
    size_t *value = cr__alloc(a->variables, sizeof *value);
    unsigned char *given = cr__alloc(a->variables, 1);

    if (s == NULL || value == NULL || given == NULL) {
        cr__free(s);
        cr__free(value);
        cr__free(given);
        return cr__fail_memory(err);
    }
    for (size_t i = 0; i < a->variables; i++) {
        value[i] = a->about[i].state;
        given[i] = (unsigned char)a->about[i].given;
    }
    *s = (cr_states){.count = a->variables,
                     .value = value,
                     .given = given,
                     .log_probability = a->log_probability,
                     .log_condition = a->log_condition};
    *out = s;
    return CR_OK;
}

cr_status cr_query_best(const cr_model *model, const char *condition, cr_states **out,
                        cr_error *err)
{
    static const char opening[] = "argmax(*";
    const int bare = condition == NULL || condition[strspn(condition, " \t")] == '\0';
    const size_t shift = sizeof opening - 1 + 3; /* characters before the condition */
    cr__buffer text = {0};
    cr_answer *answer = NULL;
    cr_states *s = NULL;
    cr_status st;

    *out = NULL;
    cr__buffer_printf(&text, "%s%s%s)", opening, bare ? "" : " | ", bare ? "" : condition);
    cr__buffer_addc(&text, '\0');
    st = text.failed ? cr__fail_memory(err) : cr_query_run(model, text.data, &answer, err);
    cr__buffer_free(&text);
    if (st != CR_OK && err != NULL)
        err->column = err->column > shift ? err->column - shift : 0;
    if (st == CR_OK)
        st = states_of(&s, answer, err);
    cr_answer_free(answer);
    *out = s;
    return st;
}
