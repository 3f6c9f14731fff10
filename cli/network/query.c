/* cli/network/query.c - options of network queries: method, soft evidence, the best explanation. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/network.h"
#include "out/out.h"
#include "out/json.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

static const option own[] = {
    {"method", 0, OPTION_CHOICE, "exact|weighting|gibbs|loopy",
     "How a network answers: exactly; by likelihood weighting or Gibbs sampling, with standard "
     "errors; by loopy belief propagation. Default: exact."},
    {"samples", 0, OPTION_COUNT, "N", "Samples of weighting and gibbs. Default: 100000."},
    {"soft", 0, OPTION_PAIR, "VARIABLE=VALUE:L,VALUE:L",
     "Soft evidence: how likely each value makes what was seen; a value that is not named is "
     "impossible. May be repeated."},
    {"mpe", 0, OPTION_FLAG, NULL,
     "The most probable values of all variables of a network; each QUERY is a condition."},
    {"all", 0, OPTION_FLAG, NULL,
     "The beliefs about all variables; each QUERY is a condition: P(* | QUERY)."},
    {0},
};
const option_group network_options = {"Bayesian networks", own};

/* One NAME=VALUE for cr_model_refit(). Free it. */
static char *setting_text(const char *name, const char *value)
{
    const size_t size = strlen(name) + strlen(value) + 2;
    char *text = reserve(size, 1);

    snprintf(text, size, "%s=%s", name, value);
    return text;
}

/* All soft evidence as one list. Free it. */
static char *soft_list(const request *r)
{
    size_t count, size = 1;
    const char **pair = option_pairs(r, "soft", &count);
    char *list;

    for (size_t i = 0; i < count; i++)
        size += strlen(pair[i]) + 1;
    list = reserve(size, 1);
    list[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(list, i > 0 ? ";" : "");
        strcat(list, pair[i]);
    }
    free(pair);
    return list;
}

int network_settings(const request *r, cr_model *model)
{
    char *params[5], number[32];
    char *soft = soft_list(r);
    size_t count = 0;
    cr_error err = {0};
    cr_status status = CR_OK;
    const bool asked = option_given(r, "method") || option_given(r, "samples") || soft[0] != '\0' ||
                       option_given(r, "mpe");

    if (asked && cr_network_nodes(model) == 0) {
        free(soft);
        return misuse("--method, --samples, --soft and --mpe are for networks",
                      "a model of '%s' is not a Bayesian network", cr_model_learner(model));
    }
    if (option_given(r, "method"))
        params[count++] = setting_text("method", option_text(r, "method"));
    if (option_given(r, "samples"))
        params[count++] = setting_text("samples", option_text(r, "samples"));
    if (option_given(r, "seed") && cr_network_nodes(model) > 0)
        params[count++] = setting_text("seed", option_text(r, "seed"));
    if (r->run.memory != 0 && cr_network_nodes(model) > 0) {
        snprintf(number, sizeof number, "%" PRIu64, r->run.memory);
        params[count++] = setting_text("memory", number);
    }
    if (soft[0] != '\0')
        params[count++] = setting_text("soft", soft);
    if (count > 0)
        status = cr_model_refit(model, (const char *const *)params, count, &err);
    while (count > 0)
        free(params[--count]);
    free(soft);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* --- the most probable explanation ---------------------------------------------------------- */

static table *best_table(const cr_model *model, const cr_states *s)
{
    table *t = table_new();

    table_column(t, "variable", TABLE_LEFT);
    table_column(t, "value", TABLE_LEFT);
    table_column(t, "given", TABLE_LEFT);
    for (size_t i = 0; i < s->count; i++) {
        table_text(t, cr_structure_node(model, i));
        table_text(t, cr_structure_state(model, i, s->value[i]));
        table_text(t, s->given[i] ? "given" : "");
    }
    return t;
}

int network_best(const request *r, const cr_model *model, const char *condition)
{
    char p[NUMBER_ROOM], of_condition[NUMBER_ROOM];
    cr_states *s;
    cr_error err = {0};
    cr_status status = cr_query_best(model, condition, &s, &err);
    table *t;

    if (status != CR_OK)
        return complain(status, &err);
    t = best_table(model, s);
    if (r->json) {
        cr_output *out = output_kept();

        output_print(out, cr_states_json(s, model, condition, out), NULL);
    } else if (r->csv) {
        table_csv(t);
    } else {
        char *shown = text_shown(condition == NULL ? "nothing" : condition, 0);

        printf("Most probable given %s: %s, and P(%s) is %s\n", shown,
               number_power(p, s->log_probability), condition == NULL ? "evidence" : shown,
               number_power(of_condition, s->log_condition));
        table_print(t, 2, false);
        free(shown);
    }
    table_free(t);
    cr_states_free(s);
    return EXIT_DONE;
}
