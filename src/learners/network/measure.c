/* learners/network/measure.c - the probability of a question in a network.
 *
 * Facts that the condition joins by "and" become evidence: a variable in a set of values is
 * evidence with likelihood 1 for these values and 0 for others. The rest mostly involves few
 * variables; their joint distribution is computed, and each of its cells belongs to one outcome.
 * With sampling, each sample does.
 *
 * Numbers that the condition fixes count with their density, and one that it leaves open is normal
 * given these and the states of the mixers (normals.h), which join the question. That is exact, so
 * a question about numbers is never sampled.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/network/network_model.h"
#include "network/infer/sample.h"
#include "network/infer/session.h"

enum { JOINT_CELLS = 1 << 24 };

/* --- facts ------------------------------------------------------------------------------------ */

void cr__facts_free(cr__facts *f)
{
    for (uint32_t i = 0; f->likelihood != NULL && i < f->nodes; i++)
        cr__free(f->likelihood[i]);
    cr__free(f->likelihood);
    cr__free(f->state);
    cr__free(f->fact);
    *f = (cr__facts){0};
}

/* Multiply a node's likelihoods by those of a leaf, or by given numbers. */
static cr_status multiply(cr__facts *f, const cr__network *net, uint32_t node,
                          const cr__question_variable *v, const unsigned char *truth, int wanted,
                          const double *number, cr_error *err)
{
    double *likelihood = f->likelihood[node];

    if (likelihood == NULL) {
        likelihood = f->likelihood[node] = cr__alloc(net->states[node], sizeof *likelihood);
        if (likelihood == NULL)
            return cr__fail_memory(err);
        for (uint32_t k = 0; k < net->states[node]; k++)
            likelihood[k] = 1;
    }
    for (uint32_t k = 0; k < net->states[node]; k++)
        likelihood[k] *= number != NULL ? number[k] : (truth[v->block_of[k]] != 0) == wanted;
    return CR_OK;
}

/* Follow the conjunctions of the condition down from its root. Subtrees are in postfix form: the
 * right operand ends just before its operator, the left one where the right one begins. */
static cr_status find_facts(cr__facts *f, const cr__network_model *g, const cr__question *e,
                            int only, cr_error *err)
{
    size_t *stack = cr__alloc(e->nodes + 1, sizeof *stack), depth = 0;
    cr_status st = stack == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK && e->condition != SIZE_MAX)
        stack[depth++] = e->condition;
    while (st == CR_OK && depth > 0) {
        const size_t top = stack[--depth];
        const int negated =
            e->node[top].op == CR__QUESTION_NOT && e->node[top - 1].op == CR__QUESTION_LEAF;
        const size_t at = top - (size_t)negated;
        const cr__question_node *n = &e->node[at];

        if (n->op == CR__QUESTION_AND) {
            stack[depth++] = at - 1;
            stack[depth++] = e->node[at - 1].first - 1;
        } else if (n->op == CR__QUESTION_LEAF && e->variable[n->variable].block_of == NULL) {
            if (only) /* a number: its density is used later */
                st = cr__fail(err, CR_EARG, "the condition must not be about numbers");
        } else if (n->op == CR__QUESTION_LEAF) {
            const cr__question_variable *v = &e->variable[n->variable];

            f->fact[at] = negated ? CR__FACT_NOT : CR__FACT;
            st = multiply(f, g->network, (uint32_t)v->column, v, n->truth, !negated, NULL, err);
        } else if (only) {
            st = cr__fail(err, CR_EARG, "the condition must be facts joined by 'and'");
        }
    }
    cr__free(stack);
    return st;
}

/* A likelihood that leaves only one state is an observation, which makes the tables smaller. Its
 * value is kept as a likelihood when it is not 1. */
static void observe_certain(cr__facts *f, const cr__network *net)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        uint32_t alive = 0, last = 0;

        for (uint32_t k = 0; f->likelihood[i] != NULL && k < net->states[i]; k++)
            if (f->likelihood[i][k] > 0) {
                alive++;
                last = k;
            }
        if (alive != 1)
            continue;
        f->state[i] = last;
        if (f->likelihood[i][last] == 1) {
            cr__free(f->likelihood[i]);
            f->likelihood[i] = NULL;
        }
    }
}

cr_status cr__facts_of(cr__facts *out, const cr__network_model *g, const cr__question *e, int only,
                       cr_error *err)
{
    const cr__network *net = g->network;
    cr_status st = CR_OK;

    *out = (cr__facts){.nodes = net->nodes};
    out->state = cr__alloc(net->nodes, sizeof *out->state);
    out->likelihood = cr__alloc_zero(net->nodes, sizeof *out->likelihood);
    out->fact = cr__alloc_zero(e->nodes + 1, 1);
    if (out->state == NULL || out->likelihood == NULL || out->fact == NULL)
        st = cr__fail_memory(err);
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        out->state[i] = UINT32_MAX;
        if (g->likelihood[i] != NULL)
            st = multiply(out, net, i, NULL, NULL, 0, g->likelihood[i], err);
    }
    if (st == CR_OK)
        st = find_facts(out, g, e, only, err);
    if (st == CR_OK)
        observe_certain(out, net);
    else
        cr__facts_free(out);
    return st;
}

cr_status cr__facts_into_tree(const cr__facts *f, cr__junction_tree *tree, cr_error *err)
{
    cr_status st = CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < f->nodes; i++) {
        if (f->state[i] != UINT32_MAX)
            cr__junction_tree_observe(tree, i, f->state[i]);
        if (f->likelihood[i] != NULL)
            st = cr__junction_tree_weigh(tree, i, f->likelihood[i], err);
    }
    return st;
}

/* --- outcomes --------------------------------------------------------------------------------- */

/* A question with its facts turned into evidence. */
typedef struct task {
    const cr__network_model *g;
    const cr__question *question;
    cr__facts facts;
    uint32_t *query; /* [queried] nodes that the rest of the question is about */
    uint32_t queried;
    uint32_t *variable_of; /* [queried] their variables in the question */
    uint32_t *block;       /* [variables]; those that are only facts stay fixed */
    unsigned char *work;   /* [nodes of the question] */
    int numbers;           /* the question mentions Gaussian nodes */
    size_t open;           /* variable that is a number and not observed, or SIZE_MAX */
    double *x;             /* [Gaussian nodes] what was observed */
    unsigned char *known;  /* [Gaussian nodes] */
} task;

static void task_free(task *q)
{
    cr__facts_free(&q->facts);
    cr__free(q->query);
    cr__free(q->variable_of);
    cr__free(q->block);
    cr__free(q->work);
    cr__free(q->x);
    cr__free(q->known);
}

static cr_status check_variables(const task *q, cr_error *err)
{
    for (size_t i = 0; i < q->question->variables; i++) {
        const cr__question_variable *v = &q->question->variable[i];

        if (v->column >= q->g->network->nodes ||
            (v->block_of == NULL) != (q->g->network->gaussian[v->column] != 0) ||
            (v->block_of != NULL && v->values != q->g->network->states[v->column]))
            return cr__fail(err, CR_EARG, "the question is about another network");
    }
    return CR_OK;
}

/* Variables of leaves that are not facts, and those that are asked for. Facts are true, so
 * variables that occur only in facts may use any block in which all of these hold. */
static void list_query(task *q)
{
    const cr__question *e = q->question;

    for (size_t i = 0; i < e->variables; i++) {
        int open = cr__question_asks(e, i);

        if (e->variable[i].block_of == NULL)
            continue;
        for (size_t k = 0; k < e->nodes; k++)
            open |=
                e->node[k].op == CR__QUESTION_LEAF && e->node[k].variable == i && !q->facts.fact[k];
        if (open) {
            q->query[q->queried] = (uint32_t)e->variable[i].column;
            q->variable_of[q->queried++] = (uint32_t)i;
            continue;
        }
        for (size_t b = e->variable[i].blocks; b-- > 0;) {
            int holds = 1;

            for (size_t k = 0; holds && k < e->nodes; k++)
                if (e->node[k].op == CR__QUESTION_LEAF && e->node[k].variable == i)
                    holds = (e->node[k].truth[b] != 0) == (q->facts.fact[k] == CR__FACT);
            if (holds)
                q->block[i] = (uint32_t)b;
        }
    }
}

/* Numbers that the condition fixes are observed; one other may be asked about. */
static cr_status list_numbers(task *q, cr_error *err)
{
    const cr__question *e = q->question;
    const size_t numbers = q->g->normals == NULL ? 0 : q->g->normals->count;

    q->open = SIZE_MAX;
    q->x = cr__alloc(numbers, sizeof *q->x);
    q->known = cr__alloc_zero(numbers, 1);
    if (q->x == NULL || q->known == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < e->variables; i++) {
        const cr__question_variable *v = &e->variable[i];
        uint32_t place;

        if (v->block_of != NULL)
            continue;
        q->numbers = 1;
        place = q->g->normals->place[v->column];
        if (v->observed != SIZE_MAX) {
            q->x[place] = v->threshold[v->observed];
            q->known[place] = 1;
            q->block[i] = (uint32_t)(2 * v->observed + 1);
        } else if (q->open == SIZE_MAX) {
            q->open = i;
        } else {
            cr__fail(err, CR_ELIMIT,
                     "the question is about '%s' and '%s', and only one number "
                     "that is not observed can be asked about at a time",
                     q->g->network->name[e->variable[q->open].column],
                     q->g->network->name[v->column]);
            return cr__fail_hint(err, CR_ELIMIT, "NAME=NUMBER in the condition observes one");
        }
        if (cr__question_asks(e, i) && v->thresholds > 0)
            return cr__fail(err, CR_EARG, "'%s' is asked for and in the condition, too",
                            q->g->network->name[v->column]);
    }
    return CR_OK;
}

/* Where numbers matter, the mixers are part of the question, and come first. */
static void list_mixers(task *q)
{
    const cr__normals *n = q->g->normals;
    uint32_t first = 0;

    for (uint32_t k = 0; q->numbers && k < n->mixers; k++) {
        uint32_t at = first, variable = UINT32_MAX;

        while (at < q->queried && q->query[at] != n->mixer[k])
            at++;
        if (at < q->queried)
            variable = q->variable_of[at];
        else
            q->queried++;
        memmove(q->query + first + 1, q->query + first, (at - first) * sizeof *q->query);
        memmove(q->variable_of + first + 1, q->variable_of + first,
                (at - first) * sizeof *q->variable_of);
        q->query[first] = n->mixer[k];
        q->variable_of[first++] = variable;
    }
}

static cr_status begin(task *q, cr_error *err)
{
    const size_t mixers = q->g->normals == NULL ? 0 : q->g->normals->mixers;
    cr_status st = check_variables(q, err);

    if (st == CR_OK)
        st = cr__facts_of(&q->facts, q->g, q->question, 0, err);
    if (st != CR_OK)
        return st;
    q->query = cr__alloc(q->question->variables + mixers, sizeof *q->query);
    q->variable_of = cr__alloc(q->question->variables + mixers, sizeof *q->variable_of);
    q->block = cr__alloc_zero(q->question->variables, sizeof *q->block);
    q->work = cr__alloc(q->question->nodes + 1, 1);
    if (q->query == NULL || q->variable_of == NULL || q->block == NULL || q->work == NULL)
        return cr__fail_memory(err);
    list_query(q);
    if ((st = list_numbers(q, err)) == CR_OK)
        list_mixers(q);
    return st;
}

static cr__evidence evidence_of(const task *q)
{
    return (cr__evidence){.state = q->facts.state,
                          .likelihood = (const double *const *)q->facts.likelihood};
}

/* --- exactly ---------------------------------------------------------------------------------- */

static size_t joint_cells(const task *q)
{
    size_t cells = 1;

    for (uint32_t k = 0; k < q->queried && cells <= JOINT_CELLS; k++)
        cells *= q->g->network->states[q->query[k]];
    return cells;
}

/* The blocks of the variables in a cell of the joint distribution; state (may be NULL) gets those
 * of the query's nodes. */
static void set_blocks(task *q, size_t cell, uint32_t *state)
{
    const cr__network *net = q->g->network;

    for (uint32_t k = q->queried; k-- > 0;) {
        const uint32_t node = q->query[k], own = (uint32_t)(cell % net->states[node]);

        if (q->variable_of[k] != UINT32_MAX)
            q->block[q->variable_of[k]] = q->question->variable[q->variable_of[k]].block_of[own];
        if (state != NULL)
            state[node] = own;
        cell /= net->states[node];
    }
}

/* Each cell of the joint distribution belongs to an outcome, or the condition is false in it. */
static void add_cells(task *q, const double *joint, size_t cells, int64_t exponent,
                      cr__scaled *mass)
{
    for (size_t cell = 0; cell < cells; cell++) {
        size_t outcome;

        if (joint[cell] == 0)
            continue;
        set_blocks(q, cell, NULL);
        outcome = cr__question_outcome(q->question, q->block, q->work);
        if (outcome != SIZE_MAX)
            mass[outcome] = cr__scaled_add(mass[outcome], cr__scaled_of(joint[cell], exponent));
    }
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* A mass given by its logarithm and a factor. */
static cr__scaled mass_of_log(double factor, int64_t exponent, double log_density)
{
    const double log2_density = log_density / M_LN2, whole = floor(log2_density);

    return cr__scaled_of(factor * exp2(log2_density - whole), exponent + (int64_t)whole);
}

/* P(a < z < b), by the tails on the side where they are small. */
static double between(double a, double b)
{
    return a > 0 ? cr__normal_lower(-a) - cr__normal_lower(-b)
                 : cr__normal_lower(b) - cr__normal_lower(a);
}

/* Add a cell: all its mass where no number is open; else divided by the intervals of the open one,
 * which is normal. A single number has no probability. */
static void add_intervals(task *q, cr__scaled cell, double mean, double deviation, cr__scaled *mass)
{
    const cr__question_variable *v = q->open == SIZE_MAX ? NULL : &q->question->variable[q->open];
    double last = -INFINITY;

    for (size_t t = 0; t <= (v == NULL ? 0 : v->thresholds); t++) {
        const double z =
            v != NULL && t < v->thresholds ? (v->threshold[t] - mean) / deviation : INFINITY;
        const double p = v == NULL ? 1 : between(last, z);
        size_t outcome;

        if (v != NULL)
            q->block[q->open] = (uint32_t)(2 * t);
        outcome = cr__question_outcome(q->question, q->block, q->work);
        if (outcome != SIZE_MAX && p > 0)
            mass[outcome] =
                cr__scaled_add(mass[outcome], cr__scaled_of(cell.value * p, cell.exponent));
        last = z;
    }
}

/* The distribution of a queried number: a mixture of normals. */
typedef struct blend {
    cr__scaled *weight;
    cr__normal_part *part;
    size_t parts;
} blend;

static void report_blend(const task *q, blend *b, cr__scaled total)
{
    cr__question_report *report = q->question->report;

    if (report == NULL || !(total.value > 0))
        return;
    for (size_t i = 0; i < b->parts; i++)
        b->part[i].weight = cr__scaled_ratio(b->weight[i], total);
    cr__mixture_moments(b->part, b->parts, &report->mean, &report->deviation);
    report->low = cr__mixture_quantile(b->part, b->parts, 0.025);
    report->high = cr__mixture_quantile(b->part, b->parts, 0.975);
}

/* Cell by cell, the mixers' states slowest: a condition is reused until they change. */
static cr_status add_mixture(task *q, const double *joint, size_t cells, int64_t exponent, blend *b,
                             cr__scaled *mass, cr_error *err)
{
    const cr__normals *n = q->g->normals;
    uint32_t *state = cr__alloc_zero(q->g->network->nodes, sizeof *state);
    const int asked = cr__question_asks(q->question, q->open);
    size_t inner = cells, config = SIZE_MAX;
    double log_density = 0, mean = 0, variance = 1;
    cr__condition *c = NULL;
    cr_status st = state == NULL ? cr__fail_memory(err) : cr__condition_new(&c, n, err);

    for (uint32_t k = 0; k < n->mixers; k++)
        inner /= q->g->network->states[n->mixer[k]];
    for (size_t cell = 0; st == CR_OK && cell < cells; cell++) {
        cr__scaled m;

        if (joint[cell] == 0)
            continue;
        set_blocks(q, cell, state);
        if (config != cell / inner) {
            config = cell / inner;
            if ((st = cr__condition_set(c, state, q->known, err)) != CR_OK)
                continue;
            log_density = cr__condition_observe(c, q->x);
            if (q->open != SIZE_MAX)
                cr__condition_tell(c, n->place[q->question->variable[q->open].column], q->x, &mean,
                                   &variance);
        }
        m = mass_of_log(joint[cell], exponent, log_density);
        add_intervals(q, m, mean, sqrt(variance), mass);
        if (asked && cr__question_outcome(q->question, q->block, q->work) != SIZE_MAX) {
            b->weight[b->parts] = m;
            b->part[b->parts++] = (cr__normal_part){0, mean, sqrt(variance)};
        }
    }
    cr__condition_free(c);
    cr__free(state);
    return st;
}

static cr_status add_numbers(task *q, const double *joint, size_t cells, int64_t exponent,
                             cr__scaled *mass, cr_error *err)
{
    blend b = {cr__alloc(cells, sizeof *b.weight), cr__alloc(cells, sizeof *b.part), 0};
    cr_status st = b.weight == NULL || b.part == NULL
                       ? cr__fail_memory(err)
                       : add_mixture(q, joint, cells, exponent, &b, mass, err);

    if (st == CR_OK && cr__question_asks(q->question, q->open))
        report_blend(q, &b, mass[0]);
    cr__free(b.weight);
    cr__free(b.part);
    return st;
}

/* P(query, evidence), in the session of the question when it has one. */
static cr_status find_joint(const task *q, double *joint, int64_t *exponent, cr_error *err)
{
    const cr__evidence evidence = evidence_of(q);
    cr_pool *pool = NULL;
    cr_status st;

    if (q->question->session != NULL)
        return cr__inference_session_joint(q->question->session, &evidence, q->query, q->queried,
                                           joint, exponent, err);
    st = cr_pool_new(&pool, 0, err);
    if (st == CR_OK)
        st = cr__ask_joint(q->g->network, &evidence, q->query, q->queried, q->g->memory, pool,
                           joint, exponent, err);
    cr_pool_free(pool);
    return st;
}

static cr_status measure_exactly(task *q, cr__scaled *mass, cr_error *err)
{
    const size_t cells = joint_cells(q);
    double *joint = NULL;
    int64_t exponent = 0;
    cr_status st;

    if (cells > JOINT_CELLS)
        return cr__fail(err, CR_ELIMIT,
                        "the question ties %u variables together, whose joint "
                        "table has more than %d cells",
                        q->queried, (int)JOINT_CELLS);
    if ((joint = cr__alloc(cells, sizeof *joint)) == NULL)
        return cr__fail_memory(err);
    st = find_joint(q, joint, &exponent, err);
    if (st == CR_OK && q->numbers)
        st = add_numbers(q, joint, cells, exponent, mass, err);
    else if (st == CR_OK)
        add_cells(q, joint, cells, exponent, mass);
    cr__free(joint);
    return st;
}

/* --- approximately ---------------------------------------------------------------------------- */

/* Samplers call it from several threads, so it keeps nothing. */
static void count_sample(const void *context, const uint32_t *state, double weight, double *sum)
{
    enum { ROOM = 64 };
    const task *q = context;
    uint32_t block[ROOM], *more = NULL;
    unsigned char work[ROOM], *more_work = NULL;
    size_t outcome = SIZE_MAX;

    if (q->question->variables > ROOM || q->question->nodes > ROOM) {
        more = cr__alloc(q->question->variables, sizeof *more);
        more_work = cr__alloc(q->question->nodes, 1);
    }
    if (q->question->variables <= ROOM && q->question->nodes <= ROOM) {
        for (size_t i = 0; i < q->question->variables; i++)
            block[i] = q->question->variable[i].block_of[state[q->question->variable[i].column]];
        outcome = cr__question_outcome(q->question, block, work);
    } else if (more != NULL && more_work != NULL) {
        for (size_t i = 0; i < q->question->variables; i++)
            more[i] = q->question->variable[i].block_of[state[q->question->variable[i].column]];
        outcome = cr__question_outcome(q->question, more, more_work);
    }
    if (outcome != SIZE_MAX)
        sum[outcome] += weight;
    cr__free(more);
    cr__free(more_work);
}

/* The shares become masses, as far as P(evidence) is known. */
static void set_masses(const task *q, const double *p, const double *error,
                       const cr__sampled *about, const char *method, cr__scaled *mass)
{
    cr__question_report *report = q->question->report;
    const int known = !isnan(about->log_evidence);
    const double log2_evidence = known ? about->log_evidence / M_LN2 : 0;
    const double whole = floor(log2_evidence);
    double total = 0;

    for (size_t k = 0; k < q->question->outcomes; k++) {
        total += p[k];
        mass[k] = cr__scaled_of(p[k] * exp2(log2_evidence - whole), (int64_t)whole);
    }
    if (report == NULL)
        return;
    report->method = method;
    report->effective = about->effective;
    report->samples = about->rounds;
    report->free_condition = !known;
    for (size_t k = 0; k < q->question->outcomes; k++)
        report->error[k] = error == NULL || !(total > 0) ? NAN : error[k] / total;
}

static cr_status measure_by_samples(task *q, cr__scaled *mass, cr_error *err)
{
    const cr__sample_count survey = {
        .outcomes = q->question->outcomes, .count = count_sample, .context = q};
    const cr__evidence evidence = evidence_of(q);
    const int gibbs = q->g->method == CR__METHOD_GIBBS;
    double *p = cr__alloc(survey.outcomes, 2 * sizeof *p);
    cr_pool *pool = NULL;
    cr__sampled about;
    cr_status st = p == NULL ? cr__fail_memory(err) : cr_pool_new(&pool, 0, err);

    if (st == CR_OK)
        st = (gibbs ? cr__sample_gibbs : cr__sample_weighting)(q->g->network, &evidence, &survey,
                                                               q->g->samples, q->g->seed, pool, p,
                                                               p + survey.outcomes, &about, err);
    if (st == CR_OK)
        set_masses(q, p, p + survey.outcomes, &about, gibbs ? "gibbs" : "weighting", mass);
    cr_pool_free(pool);
    cr__free(p);
    return st;
}

/* Beliefs are about one variable each. */
static cr_status measure_loopy(task *q, cr__scaled *mass, cr_error *err)
{
    const cr__network *net = q->g->network;
    const cr__evidence evidence = evidence_of(q);
    double *belief, *p;
    cr__sampled about;
    cr_status st;

    if (q->queried > 1) {
        cr__fail(err, CR_ELIMIT,
                 "loopy belief propagation knows one variable at a time, and the "
                 "question is about %u",
                 q->queried);
        return cr__fail_hint(err, CR_ELIMIT, "take weighting or gibbs");
    }
    belief = cr__alloc(net->label_at[net->nodes], sizeof *belief);
    p = cr__alloc_zero(q->question->outcomes, sizeof *p);
    if (belief == NULL || p == NULL)
        st = cr__fail_memory(err);
    else
        st = cr__loopy_beliefs(net, &evidence, q->g->samples, belief, &about, err);
    for (uint32_t k = 0; st == CR_OK && k < (q->queried == 0 ? 1 : net->states[q->query[0]]); k++) {
        size_t outcome;

        if (q->queried > 0)
            q->block[q->variable_of[0]] = q->question->variable[q->variable_of[0]].block_of[k];
        outcome = cr__question_outcome(q->question, q->block, q->work);
        if (outcome != SIZE_MAX)
            p[outcome] += q->queried == 0 ? 1 : belief[net->label_at[q->query[0]] + k];
    }
    if (st == CR_OK)
        set_masses(q, p, NULL, &about, "loopy", mass);
    cr__free(belief);
    cr__free(p);
    return st;
}

cr_status cr__network_model_measure(const void *fitted, const cr__knobs *knobs,
                                    const cr_schema *schema, const cr__question *question,
                                    cr__scaled *mass, cr_error *err)
{
    const cr__network_model *g = fitted;
    task q = {.g = g, .question = question};
    cr_status st = begin(&q, err);

    (void)knobs;
    (void)schema;
    if (st == CR_OK && (g->method == CR__METHOD_EXACT || q.numbers))
        st = measure_exactly(&q, mass, err);
    else if (st == CR_OK && g->method == CR__METHOD_LOOPY)
        st = measure_loopy(&q, mass, err);
    else if (st == CR_OK)
        st = measure_by_samples(&q, mass, err);
    task_free(&q);
    return st;
}
