/* cli/plot/posterior.c - credence plot beta, dirichlet: what is known of shares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/text.h"
#include "plot/plot.h"
#include "session/reserve.h"

enum { POINTS = 301, MOST_CURVES = 8, MOST_OUTCOMES = 8 };

#define LEVEL 0.95
#define EDGE 1e-4 /* densities may be infinite at 0 and 1 */

/* NAME=A,B,... or A,B,...: a name and its numbers, at most so many; how many, 0 when it is wrong.
 */
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

/* --- beta ------------------------------------------------------------------------------------- */

typedef struct known {
    char *name;
    cr_distribution d;
    double x[POINTS], y[POINTS], low[POINTS], high[POINTS];
} known;

/* The density, shaded below it within the central interval. */
static void trace(known *k)
{
    const cr_interval i = cr_distribution_central(&k->d, LEVEL);

    for (size_t p = 0; p < POINTS; p++) {
        k->x[p] = EDGE + (1 - 2 * EDGE) * (double)p / (POINTS - 1);
        k->y[p] = exp(cr_distribution_log_density(&k->d, k->x[p]));
        k->low[p] = k->x[p] >= i.low && k->x[p] <= i.high ? 0 : NAN;
        k->high[p] = k->y[p];
    }
}

static int draw_betas(plot *p, known *k, size_t count, const char *title)
{
    const cr_axes axes = {title, {.label = "share", .high = 1}, {.label = "density"}};
    cr_series series[MOST_CURVES] = {0};
    cr_error err = {0};

    for (size_t i = 0; i < count; i++)
        series[i] = (cr_series){.name = k[i].name,
                                .x = k[i].x,
                                .y = k[i].y,
                                .low = k[i].low,
                                .high = k[i].high,
                                .count = POINTS};
    return panel_added(cr_figure_add_lines(p->figure, &axes, series, count, &err), &err);
}

static void json_betas(json *j, const known *k, size_t count)
{
    json_number(j, "level", LEVEL);
    json_array(j, "densities", JSON_BLOCK);
    for (size_t i = 0; i < count; i++) {
        const cr_interval interval = cr_distribution_central(&k[i].d, LEVEL);

        json_object(j, NULL, JSON_BLOCK);
        json_text(j, "name", k[i].name);
        json_number(j, "a", k[i].d.a);
        json_number(j, "b", k[i].d.b);
        json_number(j, "mean", cr_distribution_mean(&k[i].d));
        json_numbers(j, "interval", (double[]){interval.low, interval.high}, 2);
        json_numbers(j, "x", k[i].x, POINTS);
        json_numbers(j, "density", k[i].y, POINTS);
        json_end(j);
    }
    json_end(j);
}

static void set_beta(known *k, const char *name, double a, double b)
{
    char one[NUMBER_ROOM], other[NUMBER_ROOM], text[300];

    snprintf(text, sizeof text, "%.180s%sBeta(%s, %s)", name, *name != '\0' ? ": " : "",
             number_plain(one, a), number_plain(other, b));
    k->name = reserve_text(text);
    k->d = cr_beta(a, b);
    trace(k);
}

static int finish_betas(plot *p, known *k, size_t count, const char *usual)
{
    char *title = plot_title(p->r, "%s", usual);
    int code = draw_betas(p, k, count, title);

    if (code == EXIT_DONE && p->r->json)
        json_betas(&p->j, k, count);
    free(title);
    return code;
}

int plot_beta(plot *p)
{
    known *k = reserve(MOST_CURVES, sizeof *k);
    size_t count = p->r->operand_count - 1;
    int code = EXIT_DONE;

    if (count == 0 || count > MOST_CURVES)
        code = misuse("such as credence plot beta prior=2,2 posterior=53,51",
                      "beta takes 1 to %d pairs A,B", MOST_CURVES);
    for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
        double number[2];
        char *name;

        if (read_numbers(p->r->operands[i + 1], 2, &name, number) != 2 || !(number[0] > 0) ||
            !(number[1] > 0))
            code = misuse("both are above 0: [NAME=]A,B", "'%s' is no beta distribution",
                          p->r->operands[i + 1]);
        else
            set_beta(&k[i], strchr(p->r->operands[i + 1], '=') != NULL ? name : "", number[0],
                     number[1]);
        free(name);
    }
    if (code == EXIT_DONE)
        code = finish_betas(p, k, count, "What is known of a share");
    for (size_t i = 0; i < MOST_CURVES; i++)
        free(k[i].name);
    free(k);
    return code;
}

/* --- Dirichlet -------------------------------------------------------------------------------- */

typedef struct outcomes {
    char *name[MOST_OUTCOMES];
    double parameter[MOST_OUTCOMES];
    size_t count;
} outcomes;

static void add_outcome(outcomes *o, const char *name, double parameter)
{
    o->name[o->count] = reserve_text(name);
    o->parameter[o->count++] = parameter;
}

/* NAME=COUNT each, to which the prior is added; or the parameters themselves, A,B,C. */
static int read_outcomes(const request *r, outcomes *o)
{
    const char *prior_text = option_text(r, "prior");
    const double prior = prior_text != NULL ? atof(prior_text) : 1;
    double number[MOST_OUTCOMES];
    size_t count = 0;
    char *name = NULL, each[16];

    if (r->operand_count == 2 && strchr(r->operands[1], '=') == NULL) {
        count = read_numbers(r->operands[1], MOST_OUTCOMES, &name, number);
        for (size_t i = 0; i < count; i++) {
            snprintf(each, sizeof each, "%c", (char)('A' + i));
            add_outcome(o, each, number[i]);
        }
        free(name);
    }
    for (size_t i = 1; count == 0 && i < r->operand_count && i <= MOST_OUTCOMES; i++) {
        const bool good = strchr(r->operands[i], '=') != NULL &&
                          read_numbers(r->operands[i], 1, &name, number) == 1;

        if (good)
            add_outcome(o, name, number[0] + prior);
        free(name);
        name = NULL;
        if (!good)
            break;
    }
    for (size_t i = 0; i < o->count; i++)
        if (!(o->parameter[i] > 0))
            return misuse(NULL, "'%s' has the parameter %g; it must be above 0", o->name[i],
                          o->parameter[i]);
    if (o->count < 2 || (count == 0 && o->count + 1 != r->operand_count))
        return misuse("such as credence plot dirichlet red=3 green=5 blue=1",
                      "dirichlet takes 2 to %d outcomes NAME=COUNT, or parameters A,B,C",
                      MOST_OUTCOMES);
    return EXIT_DONE;
}

/* Three outcomes in their triangle; any number as the beta of each share. */
static int draw_outcomes(plot *p, const outcomes *o)
{
    known *k = reserve(MOST_CURVES, sizeof *k);
    double sum = 0;
    cr_error err = {0};
    int code = EXIT_DONE;

    for (size_t i = 0; i < o->count; i++)
        sum += o->parameter[i];
    for (size_t i = 0; i < o->count; i++)
        set_beta(&k[i], o->name[i], o->parameter[i], sum - o->parameter[i]);
    if (o->count == 3) {
        char one[NUMBER_ROOM], two[NUMBER_ROOM], three[NUMBER_ROOM];
        char *title =
            plot_title(p->r, "Dirichlet(%s, %s, %s)", number_plain(one, o->parameter[0]),
                       number_plain(two, o->parameter[1]), number_plain(three, o->parameter[2]));

        code = panel_added(cr_figure_add_dirichlet(p->figure, title, (const char *const *)o->name,
                                                   o->parameter, &err),
                           &err);
        free(title);
    }
    if (code == EXIT_DONE && p->r->json)
        json_numbers(&p->j, "parameters", o->parameter, o->count);
    if (code == EXIT_DONE)
        code = finish_betas(p, k, o->count, "Each share by itself");
    for (size_t i = 0; i < MOST_CURVES; i++)
        free(k[i].name);
    free(k);
    return code;
}

int plot_dirichlet(plot *p)
{
    outcomes o = {0};
    int code = read_outcomes(p->r, &o);

    if (code == EXIT_DONE)
        code = draw_outcomes(p, &o);
    for (size_t i = 0; i < o.count; i++)
        free(o.name[i]);
    return code;
}
