/* model/question.c - the truth of a question, and its probability when variables are independent.
 *
 * The probability of a logical expression over independent variables is computed by assigning the
 * variables one by one. After some of them a smaller expression remains, and assignments that leave
 * the same one are the same case: their masses are added. So a conjunction or a disjunction of any
 * length has one open case at each step, and in general there are as many as the expression has
 * subfunctions at that point (Bryant, "Graph-based algorithms for Boolean function manipulation",
 * 1986: the width of its decision diagram).
 */
#include "model/question.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/dict.h"

#define STEPS_MAX 1e7         /* cases examined in total */
#define WORK_MAX 1e9          /* and their sizes added up */
#define STATE_BYTES_MAX 512e6 /* of the cases at one variable */

void cr__question_free(cr__question *question)
{
    cr__arena_free(&question->arena);
    *question = (cr__question){0};
}

/* In postfix order the right child, or the only one, comes right before its parent. */
static size_t left_of(const cr__question *question, size_t node)
{
    return question->node[node - 1].first - 1;
}

size_t cr__question_outcome(const cr__question *question, const uint32_t *block,
                            unsigned char *work)
{
    size_t outcome = 0;

    for (size_t i = 0; i < question->nodes; i++) {
        const cr__question_node *n = &question->node[i];

        if (n->op == CR__QUESTION_LEAF)
            work[i] = n->truth[block[n->variable]];
        else if (n->op == CR__QUESTION_NOT)
            work[i] = !work[i - 1];
        else if (n->op == CR__QUESTION_AND)
            work[i] = work[i - 1] & work[left_of(question, i)];
        else
            work[i] = work[i - 1] | work[left_of(question, i)];
    }
    if (question->condition != SIZE_MAX && !work[question->condition])
        return SIZE_MAX;
    for (size_t i = question->variables - question->asked; i < question->variables; i++)
        outcome = outcome * question->variable[i].blocks + block[i];
    return question->question == SIZE_MAX ? outcome : 2 * outcome + !work[question->question];
}

/* --- cases ---------------------------------------------------------------------------------- */

/* What is known of a node. A node below one that is decided does not matter any more. */
enum { OPEN = 0, FALSE = 1, TRUE = 2, SETTLED = 3 };

/* The cases at one point: the states of all nodes as a word, after the combination of the variables
 * that are asked for, as far as they have been assigned; and their masses. */
typedef struct cases {
    cr__dict *word;
    double *mass;      /* [cases * components] */
    int64_t *exponent; /* [cases] */
    size_t mass_capacity, exponent_capacity;
} cases;

typedef struct sweep {
    const cr__question *question;
    const cr__mixture *mixture;
    size_t size;            /* of a word: the nodes and four bytes */
    size_t *parent;         /* [nodes] SIZE_MAX for roots */
    unsigned char *touched; /* [nodes] it is a leaf of the current variable, or above one */
    unsigned char *state;   /* [size] the current case */
    unsigned char *next;    /* [size] the case it becomes */
    double *p;              /* [blocks * components] of the current variable */
    double *moved;          /* [components] masses on their way */
    size_t p_capacity;
    int64_t p_exponent;
    cases now, then;
    cr__scaled *outcome;
    double steps;
} sweep;

static void free_cases(cases *c)
{
    cr__dict_free(c->word);
    cr__free(c->mass);
    cr__free(c->exponent);
}

static void end_sweep(sweep *s)
{
    free_cases(&s->now);
    free_cases(&s->then);
    cr__free(s->parent);
    cr__free(s->touched);
    cr__free(s->state);
    cr__free(s->next);
    cr__free(s->p);
    cr__free(s->moved);
}

static cr_status begin_sweep(sweep *s, cr_error *err)
{
    const cr__question *question = s->question;

    s->size = sizeof(uint32_t) + question->nodes;
    s->parent = cr__alloc(question->nodes, sizeof *s->parent);
    s->touched = cr__alloc(question->nodes, 1);
    s->state = cr__alloc_zero(s->size, 1);
    s->next = cr__alloc_zero(s->size, 1);
    s->moved = cr__alloc(s->mixture->components, sizeof *s->moved);
    if (s->parent == NULL || s->touched == NULL || s->state == NULL || s->next == NULL ||
        s->moved == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < question->nodes; i++) {
        s->parent[i] = SIZE_MAX;
        if (question->node[i].op != CR__QUESTION_LEAF)
            s->parent[i - 1] = i;
        if (question->node[i].op >= CR__QUESTION_AND)
            s->parent[left_of(question, i)] = i;
    }
    return CR_OK;
}

/* Masses for one more case, that of the word s->next; or its existing ones. */
static cr_status find_case(sweep *s, size_t *at, int *is_new, cr_error *err)
{
    const size_t components = s->mixture->components, before = s->then.word->words;
    uint32_t code;
    cr_status st = cr__dict_intern(s->then.word, (const char *)s->next, s->size, &code);

    if (st != CR_OK)
        return st == CR_ENOMEM ? cr__fail_memory(err) : st;
    *at = code - 1;
    *is_new = code > before;
    if ((double)code * (double)(s->size + 8 * components + 32) > STATE_BYTES_MAX)
        return CR_ELIMIT;
    if (!cr__grow(&s->then.mass, &s->then.mass_capacity, code * components, sizeof(double)) ||
        !cr__grow(&s->then.exponent, &s->then.exponent_capacity, code, sizeof(int64_t)))
        return cr__fail_memory(err);
    return CR_OK;
}

/* Add s->moved, times 2^exponent, to the case s->next. */
static cr_status add_case(sweep *s, int64_t exponent, cr_error *err)
{
    const size_t components = s->mixture->components;
    size_t at = 0;
    int is_new = 0;
    double *mass;
    cr_status st = find_case(s, &at, &is_new, err);

    if (st != CR_OK)
        return st;
    mass = s->then.mass + at * components;
    if (is_new) {
        memcpy(mass, s->moved, components * sizeof *mass);
        s->then.exponent[at] = exponent;
        return CR_OK;
    }
    if (exponent > s->then.exponent[at]) {
        for (size_t c = 0; c < components; c++)
            mass[c] = cr__scaled_shift(mass[c], s->then.exponent[at] - exponent);
        s->then.exponent[at] = exponent;
    }
    for (size_t c = 0; c < components; c++)
        mass[c] += cr__scaled_shift(s->moved[c], exponent - s->then.exponent[at]);
    return CR_OK;
}

/* Scale a case so that its largest mass is near 1. Returns 0 when it has none. */
static int scale_case(double *mass, size_t components, int64_t *exponent)
{
    double largest = 0;
    int shift;

    for (size_t c = 0; c < components; c++)
        largest = mass[c] > largest ? mass[c] : largest;
    if (!(largest > 0))
        return 0;
    frexp(largest, &shift);
    for (size_t c = 0; c < components && shift != 0; c++)
        mass[c] = ldexp(mass[c], -shift);
    *exponent += shift;
    return 1;
}

/* --- one variable --------------------------------------------------------------------------- */

static unsigned char combine(cr__question_op op, unsigned char a, unsigned char b)
{
    const unsigned char strong = op == CR__QUESTION_AND ? FALSE : TRUE;

    if (a == strong || b == strong)
        return strong;
    return a == OPEN || b == OPEN ? OPEN : a;
}

/* Give the leaves of a variable their truth, and all above them what follows. */
static void decide_nodes(sweep *s, size_t variable, size_t block)
{
    const cr__question *question = s->question;
    unsigned char *state = s->next + sizeof(uint32_t);

    for (size_t i = 0; i < question->nodes; i++) {
        const cr__question_node *n = &question->node[i];

        if (!s->touched[i] || state[i] != OPEN)
            continue;
        if (n->op == CR__QUESTION_LEAF && n->variable == variable)
            state[i] = n->truth[block] ? TRUE : FALSE;
        else if (n->op == CR__QUESTION_NOT && state[i - 1] != OPEN)
            state[i] = state[i - 1] == TRUE ? FALSE : TRUE;
        else if (n->op >= CR__QUESTION_AND)
            state[i] = combine(n->op, state[i - 1], state[left_of(question, i)]);
        if (state[i] != OPEN)
            memset(state + n->first, SETTLED, i - n->first);
    }
}

/* The outcome that s->next has reached after a variable; SIZE_MAX when it is open, SIZE_MAX - 1
 * when its condition is false. */
static size_t outcome_of(const sweep *s, size_t variable)
{
    const cr__question *question = s->question;
    const unsigned char *state = s->next + sizeof(uint32_t);
    uint32_t combination;

    if (question->condition != SIZE_MAX && state[question->condition] == FALSE)
        return SIZE_MAX - 1;
    if (question->condition != SIZE_MAX && state[question->condition] == OPEN)
        return SIZE_MAX;
    if (question->asked > 0 && variable + 1 < question->variables)
        return SIZE_MAX;
    memcpy(&combination, s->next, sizeof combination);
    if (question->question == SIZE_MAX)
        return combination;
    if (state[question->question] == OPEN)
        return SIZE_MAX;
    return 2 * (size_t)combination + (state[question->question] != TRUE);
}

static void add_outcome(sweep *s, size_t outcome, int64_t exponent)
{
    double sum = 0;

    for (size_t c = 0; c < s->mixture->components; c++)
        sum += s->moved[c];
    s->outcome[outcome] = cr__scaled_add(s->outcome[outcome], cr__scaled_of(sum, exponent));
}

/* Move the case s->state, its masses times P(block), to where the block leads. */
static cr_status take_block(sweep *s, size_t variable, size_t block, const double *mass,
                            int64_t exponent, cr_error *err)
{
    const size_t components = s->mixture->components;
    const double *p = s->p + block * components;
    uint32_t combination;
    int64_t moved = exponent + s->p_exponent;
    size_t outcome;

    for (size_t c = 0; c < components; c++)
        s->moved[c] = mass[c] * p[c];
    if (!scale_case(s->moved, components, &moved))
        return CR_OK;
    memcpy(s->next, s->state, s->size);
    if (cr__question_asks(s->question, variable)) {
        memcpy(&combination, s->next, sizeof combination);
        combination =
            combination * (uint32_t)s->question->variable[variable].blocks + (uint32_t)block;
        memcpy(s->next, &combination, sizeof combination);
    }
    decide_nodes(s, variable, block);
    outcome = outcome_of(s, variable);
    if (outcome == SIZE_MAX)
        return add_case(s, moved, err);
    if (outcome < s->question->outcomes)
        add_outcome(s, outcome, moved);
    return CR_OK;
}

/* Whether the variable can still change anything for the case s->state. */
static int matters(const sweep *s, size_t variable)
{
    if (cr__question_asks(s->question, variable))
        return 1;
    for (size_t i = 0; i < s->question->nodes; i++)
        if (s->question->node[i].op == CR__QUESTION_LEAF &&
            s->question->node[i].variable == variable && s->state[sizeof(uint32_t) + i] == OPEN)
            return 1;
    return 0;
}

static cr_status step(sweep *s, size_t variable, cr_error *err)
{
    const size_t components = s->mixture->components;
    const size_t blocks = s->question->variable[variable].blocks;
    cr_status st = CR_OK;

    for (uint32_t code = 1; st == CR_OK && code <= s->now.word->words; code++) {
        double *mass = s->now.mass + (code - 1) * components;
        int64_t exponent = s->now.exponent[code - 1];

        memcpy(s->state, cr__dict_word(s->now.word, code, NULL), s->size);
        if (!scale_case(mass, components, &exponent))
            continue;
        if (!matters(s, variable)) {
            memcpy(s->next, s->state, s->size);
            memcpy(s->moved, mass, components * sizeof *mass);
            st = add_case(s, exponent, err);
            continue;
        }
        for (size_t b = 0; st == CR_OK && b < blocks; b++)
            st = take_block(s, variable, b, mass, exponent, err);
        s->steps += (double)blocks;
        if (s->steps > STEPS_MAX || s->steps * (double)(s->size + components) > WORK_MAX)
            st = CR_ELIMIT;
    }
    return st;
}

/* Which nodes a variable reaches. */
static void touch(sweep *s, size_t variable)
{
    memset(s->touched, 0, s->question->nodes);
    for (size_t i = 0; i < s->question->nodes; i++) {
        if (s->question->node[i].op == CR__QUESTION_LEAF &&
            s->question->node[i].variable == variable)
            s->touched[i] = 1;
        if (s->touched[i] && s->parent[i] != SIZE_MAX)
            s->touched[s->parent[i]] = 1;
    }
}

static cr_status take_variable(sweep *s, size_t variable, cr_error *err)
{
    const cr__question_variable *v = &s->question->variable[variable];
    const size_t components = s->mixture->components;
    cases swap;
    cr_status st;

    if (v->blocks > SIZE_MAX / sizeof *s->p / components ||
        !cr__grow(&s->p, &s->p_capacity, v->blocks * components, sizeof *s->p))
        return cr__fail_memory(err);
    memset(s->p, 0, v->blocks * components * sizeof *s->p);
    s->p_exponent = 0;
    st = s->mixture->blocks(s->mixture->context, v, s->p, &s->p_exponent, err);
    cr__dict_free(s->then.word);
    s->then.word = NULL;
    if (st == CR_OK)
        st = cr__dict_new(&s->then.word, 0, err);
    if (st != CR_OK)
        return st;
    touch(s, variable);
    st = step(s, variable, err);
    swap = s->now;
    s->now = s->then;
    s->then = swap;
    return st;
}

static cr_status fail_limit(const cr__question *question, double steps, cr_error *err)
{
    double combinations = 1;

    for (size_t i = 0; i < question->variables; i++)
        combinations *= (double)question->variable[i].blocks;
    cr__fail(err, CR_ELIMIT,
             "the expression ties %zu variables together: of %.3g combinations more than %.3g "
             "would have to be told apart",
             question->variables, combinations, steps);
    return cr__fail_hint(err, CR_ELIMIT,
                         "terms that share variables should stand next to each "
                         "other; or ask for the parts");
}

/* One case in which nothing is decided. */
static cr_status first_case(sweep *s, cr_error *err)
{
    cr_status st = cr__dict_new(&s->then.word, 0, err);

    memcpy(s->moved, s->mixture->weight, s->mixture->components * sizeof *s->moved);
    if (st == CR_OK)
        st = add_case(s, 0, err);
    s->now = s->then;
    s->then = (cases){0};
    return st;
}

cr_status cr__question_measure(const cr__question *question, const cr__mixture *mixture,
                               cr__scaled *mass, cr_error *err)
{
    sweep s = {.question = question, .mixture = mixture, .outcome = mass};
    cr_status st = begin_sweep(&s, err);

    for (size_t k = 0; k < question->outcomes; k++)
        mass[k] = (cr__scaled){0, 0};
    if (st == CR_OK)
        st = first_case(&s, err);
    for (size_t i = 0; st == CR_OK && i < question->variables; i++)
        st = take_variable(&s, i, err);
    end_sweep(&s);
    return st == CR_ELIMIT ? fail_limit(question, s.steps, err) : st;
}
