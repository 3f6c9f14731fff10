/* cli/explain_work.c - the derivation of a decision, as one works it on a blackboard.
 *
 *     P(class | row) = P(class) P(x1 | class) P(x2 | class) ... / P(row)
 *
 * Every factor is written as the fraction of counts it is, smoothing included, then the products,
 * their sum P(row), and the posteriors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "out.h"
#include "out_text.h"
#include "reserve.h"

enum { CLASSES_SHOWN = 8, FACTORS_MULTIPLIED = 8, VALUE_WIDTH = 24 };

/* --- a line of the blackboard ------------------------------------------------------------- */

/* "P(legs=no | mammals)"; a small p for densities. To be freed. */
static char *left_side(const inquiry *q, const cr_factor *f, size_t c)
{
    char *class_name = text_shown(cr_model_class(q->model, c), VALUE_WIDTH), *side;
    char *name = text_shown(f->name, VALUE_WIDTH);
    char *value = text_shown(f->value != NULL ? f->value : "", VALUE_WIDTH);
    size_t size = strlen(class_name) + strlen(name) + strlen(value) + 16;
    const cr_schema *schema = cr_model_schema(q->model);

    side = reserve(size, 1);
    if (f->column == SIZE_MAX)
        snprintf(side, size, "P(%s)", class_name);
    else
        snprintf(side, size, "%s(%s=%s | %s)",
                 cr_schema_kind(schema, f->column) == CR_REAL ? "p" : "P", name, value,
                 class_name);
    free(class_name);
    free(name);
    free(value);
    return side;
}

/* Counts behind the fraction; those of a prior are in the model. */
static void counts_of(const inquiry *q, const cr_factor *f, size_t c, double *n, double *of)
{
    cr_model_facts facts;

    if (f->count != NULL) {
        *n = f->count[c];
        *of = f->total[c];
        return;
    }
    cr_model_get_facts(q->model, &facts);
    *n = cr_model_class_count(q->model, c);
    *of = facts.weight;
}

/* 6/7, or (6 + 1)/(7 + 2) = 7/9 where something was added, or plainly 0.02 where it was given. */
static void print_fraction(const inquiry *q, const cr_factor *f, size_t c)
{
    char a[NUMBER_ROOM], b[NUMBER_ROOM], d[NUMBER_ROOM], g[NUMBER_ROOM];
    double n, of, top = f->top[c], bottom = f->bottom[c];

    counts_of(q, f, c, &n, &of);
    if (bottom == 1 && top != 0 && top != 1)
        return;
    if ((top > n || bottom > of) && top >= n && bottom >= of)
        printf(" = (%s + %s)/(%s + %s)", number_plain(a, n), number_plain(b, top - n),
               number_plain(d, of), number_plain(g, bottom - of));
    printf(" = %s/%s", number_plain(a, top), number_plain(b, bottom));
}

/* The normal density, or Student's t when the parameters were integrated out. */
static void print_density(const inquiry *q, const cr_factor *f, size_t c)
{
    char mean[NUMBER_ROOM], variance[NUMBER_ROOM], freedom[NUMBER_ROOM];
    cr_gaussian g = {0};

    if (f->mean == NULL || f->variance == NULL)
        return;
    number_plain(mean, f->mean[c]);
    number_plain(variance, f->variance[c]);
    cr_model_gaussian(q->model, f->column, c, &g);
    if (g.freedom > 0)
        printf(" = Student t with %s degrees of freedom at (%s - %s)/√%s",
               number_plain(freedom, g.freedom), f->value, mean, variance);
    else
        printf(" = exp(-(%s - %s)²/(2 × %s))/√(2π × %s)", f->value, mean, variance, variance);
}

static void print_side(const char *side, size_t width)
{
    printf("  %s%*s", side, (int)(width - text_width(side)), "");
}

static void print_factor(const inquiry *q, const cr_factor *f, size_t c, size_t width)
{
    char *side = left_side(q, f, c), number[NUMBER_ROOM];

    print_side(side, width);
    free(side);
    if (f->left_out) {
        printf(" left out: %s\n", f->left_out == 1 ? "missing" : "never seen");
        return;
    }
    if (f->fraction)
        print_fraction(q, f, c);
    else
        print_density(q, f, c);
    printf(" = %s\n", number_power(number, f->log_p[c]));
}

/* --- one class ---------------------------------------------------------------------------- */

static double log_likelihood(const cr_explanation *e, size_t c)
{
    double sum = 0;

    for (size_t i = 0; i < e->factors; i++)
        if (e->factor[i].column != SIZE_MAX)
            sum += e->factor[i].log_p[c];
    return sum;
}

/* 6/7, or the number where it is no fraction. */
static void print_briefly(const cr_factor *f, size_t c)
{
    char a[NUMBER_ROOM], b[NUMBER_ROOM];

    if (f->fraction)
        printf("%s/%s", number_plain(a, f->top[c]), number_plain(b, f->bottom[c]));
    else
        fputs(number_power(a, f->log_p[c]), stdout);
}

static void print_product(const cr_explanation *e, size_t c)
{
    char number[NUMBER_ROOM];
    size_t used = 0;

    for (size_t i = 0; i < e->factors; i++)
        used += e->factor[i].column != SIZE_MAX && !e->factor[i].left_out;
    if (used > FACTORS_MULTIPLIED) {
        printf(" = product of the %zu factors", used);
    } else if (used > 1) {
        const char *before = " = ";

        for (size_t i = 0; i < e->factors; i++)
            if (e->factor[i].column != SIZE_MAX && !e->factor[i].left_out) {
                fputs(before, stdout);
                print_briefly(&e->factor[i], c);
                before = " × ";
            }
    }
    printf(" = %s\n", number_power(number, log_likelihood(e, c)));
}

static void print_class(const inquiry *q, const cr_explanation *e, size_t c)
{
    char *name = text_shown(cr_model_class(q->model, c), VALUE_WIDTH);
    size_t size = 2 * strlen(name) + 32, width;
    char *likelihood = reserve(size, 1), *joint = reserve(size, 1);
    char a[NUMBER_ROOM], b[NUMBER_ROOM], d[NUMBER_ROOM];

    snprintf(likelihood, size, "P(row | %s)", name);
    snprintf(joint, size, "P(row | %s) P(%s)", name, name);
    width = text_width(joint);
    for (size_t i = 0; i < e->factors; i++) {
        char *side = left_side(q, &e->factor[i], c);

        if (text_width(side) > width)
            width = text_width(side);
        free(side);
    }
    printf("\n%s%s%s\n", out_style(STYLE_BOLD), name, out_style(STYLE_NONE));
    for (size_t i = 0; i < e->factors; i++)
        print_factor(q, &e->factor[i], c, width);
    print_side(likelihood, width);
    print_product(e, c);
    print_side(joint, width);
    printf(" = %s × %s = %s\n", number_power(a, log_likelihood(e, c)),
           number_power(b, e->factor[0].log_p[c]), number_power(d, e->score[c]));
    free(name);
    free(likelihood);
    free(joint);
}

/* --- all classes together ----------------------------------------------------------------- */

/* log P(row) = log of the sum of e^score, scaled by the largest so that nothing underflows. */
static double log_evidence(const cr_explanation *e)
{
    double largest = -INFINITY, sum = 0;

    for (size_t c = 0; c < e->classes; c++)
        largest = fmax(largest, e->score[c]);
    if (isinf(largest))
        return largest;
    for (size_t c = 0; c < e->classes; c++)
        sum += exp(e->score[c] - largest);
    return largest + log(sum);
}

typedef struct scored {
    size_t index;
    double score;
} scored;

static int likelier_first(const void *a, const void *b)
{
    const scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* All classes in their order, or the likeliest where they are many. */
static scored *pick_classes(const cr_explanation *e, size_t *shown)
{
    scored *all = reserve(e->classes, sizeof *all);

    for (size_t c = 0; c < e->classes; c++)
        all[c] = (scored){c, e->score[c]};
    *shown = e->classes;
    if (e->classes > CLASSES_SHOWN) {
        qsort(all, e->classes, sizeof *all, likelier_first);
        *shown = CLASSES_SHOWN;
    }
    return all;
}

static void print_posteriors(const inquiry *q, const cr_explanation *e, const scored *class_,
                             size_t shown)
{
    double log_row = log_evidence(e);
    char a[NUMBER_ROOM], b[NUMBER_ROOM], d[NUMBER_ROOM];
    size_t width = 0;

    printf("\n%sTogether%s\n  P(row) = ", out_style(STYLE_BOLD), out_style(STYLE_NONE));
    for (size_t i = 0; i < shown; i++)
        printf("%s%s", i != 0 ? " + " : "", number_power(a, class_[i].score));
    if (shown < e->classes)
        printf(" + ... (%zu more classes)", e->classes - shown);
    printf(" = %s\n", number_power(a, log_row));
    if (e->decision == CR_UNDECIDED)
        return;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < shown; i++) {
            char *name = text_shown(cr_model_class(q->model, class_[i].index), VALUE_WIDTH);
            size_t columns = text_width(name);

            if (columns > width)
                width = columns;
            if (pass == 1)
                printf("  P(%s | row)%*s = %s / %s = %s\n", name, (int)(width - columns), "",
                       number_power(a, class_[i].score), number_power(b, log_row),
                       number_probability(d, e->posterior[class_[i].index]));
            free(name);
        }
}

static void print_given(const cr_explanation *e)
{
    const char *before = ": ";

    printf("%sLine %zu%s", out_style(STYLE_BOLD), e->line, out_style(STYLE_NONE));
    for (size_t i = 0; i < e->factors && i <= 2 * FACTORS_MULTIPLIED; i++) {
        const cr_factor *f = &e->factor[i];
        char *name, *value;

        if (f->column == SIZE_MAX || f->left_out == 1)
            continue;
        name = text_shown(f->name, VALUE_WIDTH);
        value = text_shown(f->value != NULL ? f->value : "", VALUE_WIDTH);
        printf("%s%s=%s", before, name, value);
        before = ", ";
        free(name);
        free(value);
    }
    puts(e->factors > 2 * FACTORS_MULTIPLIED + 1 ? ", ..." : "");
}

void explain_work(const inquiry *q, const cr_explanation *e)
{
    size_t shown;
    scored *class_ = pick_classes(e, &shown);
    char *name, number[NUMBER_ROOM];

    print_given(e);
    for (size_t i = 0; i < shown; i++)
        print_class(q, e, class_[i].index);
    print_posteriors(q, e, class_, shown);
    putchar('\n');
    if (e->decision == CR_UNDECIDED) {
        explain_impossible(q, e);
    } else {
        name = text_shown(cr_model_class(q->model, (size_t)e->decision), 0);
        printf("Decision: %s%s%s, the most probable class, %s.\n", out_style(STYLE_BOLD), name,
               out_style(STYLE_NONE), number_percent(number, explain_certainty(e)));
        free(name);
    }
    free(class_);
}
