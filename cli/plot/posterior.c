/* cli/plot/posterior.c - credence plot beta, dirichlet: posteriors of shares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "plot/plot.h"
#include "session/reserve.h"

/* Parse NAME=A,B,... or A,B,...: a name and at most `most` numbers. Returns their count, 0 on
 * error. */
static size_t read_numbers(const char *text, size_t most, char **name, double *number)
{
    const char *equals = strrchr(text, '='), *list = equals != NULL ? equals + 1 : text;
    size_t count = 0;
    char *end;

    *name = reserve_text(text);
    if (equals != NULL)
        (*name)[equals - text] = '\0';
    for (; count < most; list = end + 1) {
        number[count] = strtod(list, &end);
        if (end == list || !isfinite(number[count]) || number[count] < 0)
            return 0;
        count++;
        if (*end == '\0')
            return count;
        if (*end != ',')
            return 0;
    }
    return 0;
}

/* --- the pictures ------------------------------------------------------------------------------
 */

int plot_beta(plot *p)
{
    cr_beta_curve share[CR_BETAS_DRAWN];
    char *name[CR_BETAS_DRAWN] = {0};
    const size_t count = p->r->operand_count - 1;
    cr_error err = {0};
    int code = EXIT_DONE;

    if (count > CR_BETAS_DRAWN)
        return misuse("such as credence plot beta prior=2,2 posterior=53,51",
                      "beta takes 1 to %d pairs A,B", CR_BETAS_DRAWN);
    for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
        const char *text = p->r->operands[i + 1];
        double number[2];

        if (read_numbers(text, 2, &name[i], number) != 2 || !(number[0] > 0) || !(number[1] > 0))
            code = misuse("both are above 0: [NAME=]A,B", "'%s' is no beta distribution", text);
        else
            share[i] =
                (cr_beta_curve){strchr(text, '=') != NULL ? name[i] : NULL, number[0], number[1]};
    }
    if (code == EXIT_DONE)
        code = panel_added(cr_draw_betas(p->figure, option_text(p->r, "title"), share, count,
                                         p->r->json ? &p->j : NULL, &err),
                           &err);
    for (size_t i = 0; i < count; i++)
        free(name[i]);
    return code;
}

/* --- Dirichlet -------------------------------------------------------------------------------- */

typedef struct outcomes {
    char *name[CR_BETAS_DRAWN];
    double parameter[CR_BETAS_DRAWN];
    size_t count;
} outcomes;

static void add_outcome(outcomes *o, const char *name, double parameter)
{
    o->name[o->count] = reserve_text(name);
    o->parameter[o->count++] = parameter;
}

/* NAME=COUNT each, added to the prior; or the parameters themselves, A,B,C. */
static int read_outcomes(const request *r, outcomes *o)
{
    const char *prior_text = option_text(r, "prior");
    const double prior = prior_text != NULL ? atof(prior_text) : 1;
    double number[CR_BETAS_DRAWN];
    size_t count = 0;
    char *name = NULL, each[16];

    if (r->operand_count == 2 && strchr(r->operands[1], '=') == NULL) {
        count = read_numbers(r->operands[1], CR_BETAS_DRAWN, &name, number);
        for (size_t i = 0; i < count; i++) {
            snprintf(each, sizeof each, "%c", (char)('A' + i));
            add_outcome(o, each, number[i]);
        }
        free(name);
    }
    for (size_t i = 1; count == 0 && i < r->operand_count && i <= CR_BETAS_DRAWN; i++) {
        const bool good = strchr(r->operands[i], '=') != NULL &&
                          read_numbers(r->operands[i], 1, &name, number) == 1;

        if (good)
            add_outcome(o, name, number[0] + prior);
        free(name);
        name = NULL;
        if (!good)
            break;
    }
    if (o->count < 2 || (count == 0 && o->count + 1 != r->operand_count))
        return misuse("such as credence plot dirichlet red=3 green=5 blue=1",
                      "dirichlet takes 2 to %d outcomes NAME=COUNT, or parameters A,B,C",
                      CR_BETAS_DRAWN);
    return EXIT_DONE;
}

int plot_dirichlet(plot *p)
{
    outcomes o = {0};
    cr_error err = {0};
    int code = read_outcomes(p->r, &o);

    if (code == EXIT_DONE)
        code = panel_added(cr_draw_dirichlet(p->figure, option_text(p->r, "title"),
                                             (const char *const *)o.name, o.parameter, o.count,
                                             p->r->json ? &p->j : NULL, &err),
                           &err);
    for (size_t i = 0; i < o.count; i++)
        free(o.name[i]);
    return code;
}
