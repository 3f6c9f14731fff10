/* serve/compute/gaussians.c - POST /compute/gaussians: Gaussian classes and their decision regions.
 *
 * {"classes": [{"name", "mean", "sd", "prior"}, …], "cost": "C1->C2=2", "reject": 0.1,
 *  "low": -8, "high": 8, "points": 241}: the joint densities p(x, C) at these points, the density
 * of mistakes there, the regions of decisions, and p(mistake).
 */
#include <math.h>
#include <stdlib.h>

#include "compute/compute.h"
#include "endpoints/endpoints.h"

enum { ROWS = 1000000, CLASSES = 8, POINTS = 241, MOST_POINTS = 4096 };

typedef struct scene {
    call *k;
    const cr_json_value *body;
    size_t rows; /* two of each class */
    double x[2 * CLASSES], weight[2 * CLASSES];
    const char *name[2 * CLASSES];
    cr_model *model;
    cr_mistake *mistake;
} scene;

/* Two rows at mean - sd and mean + sd have these moments. Their weights are proportional to the
 * prior, and large enough for a variance of their own. */
static cr_status add_class(scene *s, const cr_json_value *n)
{
    const double mean = cr_json_get_number(n, "mean", NAN), sd = cr_json_get_number(n, "sd", NAN);
    const double prior = cr_json_get_number(n, "prior", NAN);
    const char *name = cr_json_get_text(n, "name", NULL);

    if (name == NULL || !isfinite(mean) || !(sd > 0) || !isfinite(sd) || !(prior > 0) ||
        !isfinite(prior))
        return fail(s->k->err, CR_EARG,
                    "{\"name\": \"C1\", \"mean\": 0, \"sd\": 1, \"prior\": 0.5}",
                    "a class needs a name, a mean, and an sd and a prior above 0");
    for (int side = -1; side <= 1; side += 2) {
        s->x[s->rows] = mean + side * sd;
        s->weight[s->rows] = ROWS * prior;
        s->name[s->rows++] = name;
    }
    return CR_OK;
}

static cr_status read_classes(scene *s)
{
    const cr_json_value *classes = cr_json_get(s->body, "classes");
    cr_status status = CR_OK;

    if (classes == NULL || classes->kind != CR_JSON_ARRAY || classes->count < 2 ||
        classes->count > CLASSES)
        return fail(s->k->err, CR_EARG, NULL, "\"classes\" must be an array of 2 to %d", CLASSES);
    for (const cr_json_value *n = classes->child; n != NULL && status == CR_OK; n = n->next)
        status = add_class(s, n);
    return status;
}

static cr_status learn(scene *s)
{
    static const char *const knobs[] = {"variance=class-feature", "variance-estimate=mle",
                                        "variance-floor=0"};
    const cr_array table[] = {{.name = "x", .real = s->x},
                              {.name = "class", .text = s->name, .role = CR_ROLE_TARGET},
                              {.name = "weight", .real = s->weight, .role = CR_ROLE_WEIGHT}};
    cr_source *source = NULL;
    cr_status status = cr_source_open_arrays(&source, table, 3, s->rows, s->k->err);

    if (status == CR_OK)
        status = cr_model_train(&s->model, source, "nb", knobs, 3, NULL, NULL, s->k->err);
    cr_source_close(source);
    return status;
}

static cr_status decide(scene *s)
{
    const cr_json_value *reject = cr_json_get(s->body, "reject");
    const cr_rule_options o = {.costs = cr_json_get_text(s->body, "cost", NULL),
                               .may_reject = reject != NULL,
                               .reject_cost = reject != NULL ? reject->number : 0};
    cr_rule *rule = NULL;
    cr_status status = cr_rule_new(&rule, s->model, &o, s->k->err);

    if (status == CR_OK)
        status = cr_model_mistake(&s->mistake, s->model, 0, rule, s->k->err);
    cr_rule_free(rule);
    return status;
}

/* The decision at x. */
static int32_t decision_at(const cr_mistake *m, double x)
{
    size_t i = 0;

    while (i + 1 < m->regions && x >= m->region[i].high)
        i++;
    return m->region[i].decision;
}

static void put_points(scene *s, cr_json *j, const double *x, double *y, size_t points)
{
    const cr_mistake *m = s->mistake;

    cr_json_numbers(j, "x", x, points);
    cr_json_array(j, "densities", CR_JSON_BLOCK);
    for (size_t c = 0; c < m->classes; c++) {
        for (size_t i = 0; i < points; i++)
            y[i] = cr_mistake_density(m, c, x[i]);
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", cr_model_class(s->model, c));
        cr_json_numbers(j, "joint", y, points);
        for (size_t i = 0; i < points; i++)
            if (decision_at(m, x[i]) == (int32_t)c || decision_at(m, x[i]) == CR_UNDECIDED)
                y[i] = 0;
        cr_json_numbers(j, "mistakes", y, points);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static cr_status put_scene(scene *s)
{
    const double wanted = cr_json_get_number(s->body, "points", POINTS);
    const size_t points = wanted >= 2 && wanted <= MOST_POINTS ? (size_t)wanted : POINTS;
    const double low = cr_json_get_number(s->body, "low", -8),
                 high = cr_json_get_number(s->body, "high", 8);
    double *x = calloc(2 * points, sizeof *x);
    cr_json j;

    if (x == NULL)
        return fail(s->k->err, CR_ENOMEM, NULL, "out of memory");
    for (size_t i = 0; i < points; i++)
        x[i] = low + (high - low) * (double)i / (double)(points - 1);
    cr_json_start(&j, s->k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_mistake_json(&j, s->mistake, s->model);
    put_points(s, &j, x, x + points, points);
    cr_json_end(&j);
    free(x);
    return CR_OK;
}

static cr_status gaussians(call *k, const cr_json_value *body)
{
    scene s = {.k = k, .body = body};
    cr_status status = read_classes(&s);

    if (status == CR_OK && (status = learn(&s)) == CR_OK && (status = decide(&s)) == CR_OK)
        status = put_scene(&s);
    cr_mistake_free(s.mistake);
    cr_model_free(s.model);
    return status;
}

cr_status compute_gaussians(call *k)
{
    return compute_with(k, gaussians);
}
