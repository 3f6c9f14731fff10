/* cli/show/members.c - the members of an ensemble, and their answers for a row. */
#include "show/members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/describe.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "session/session.h"
#include "show/show.h"
#include "show/tried.h"

/* --- the members -------------------------------------------------------------------------- */

/* Whether the priors tell the members apart, and stacking gives other weights than those in use. */
typedef struct worth_showing {
    bool priors, stacking;
} worth_showing;

static worth_showing what_to_show(const cr_model *model)
{
    worth_showing w = {false, false};
    cr_member m, first;

    if (cr_model_member(model, 0, &first) != CR_OK)
        return w;
    for (size_t i = 0; cr_model_member(model, i, &m) == CR_OK; i++) {
        w.priors = w.priors || m.prior != first.prior;
        w.stacking = w.stacking || fabs(m.stacking - m.weight) > 1e-9;
    }
    return w;
}

static void add_judged(table *t, char *(*picture)(char *buffer, double x), double x, bool judged)
{
    if (judged)
        table_number(t, picture, x);
    else
        table_text(t, "");
}

static table *members_table(const cr_model *model, bool for_people)
{
    const worth_showing w = for_people ? what_to_show(model) : (worth_showing){true, true};
    table *t = table_new();
    cr_member m;

    table_column(t, "member", TABLE_LEFT);
    table_column(t, "learner", TABLE_LEFT);
    table_column(t, "rows", TABLE_RIGHT);
    if (w.priors)
        table_column(t, "prior", TABLE_RIGHT);
    table_column(t, for_people ? "ln P(labels)" : "log_likelihood", TABLE_RIGHT);
    table_column(t, "accuracy", TABLE_RIGHT);
    if (w.stacking)
        table_column(t, "stacking", TABLE_RIGHT);
    table_column(t, "weight", TABLE_RIGHT);
    if (for_people)
        table_column(t, "", TABLE_BAR);
    for (size_t i = 0; cr_model_member(model, i, &m) == CR_OK; i++) {
        const bool judged = !isnan(m.log_likelihood);
        cr_model_facts facts;

        cr_model_get_facts(m.model, &facts);
        table_text(t, m.name);
        table_text(t, cr_model_learner(m.model));
        table_number(t, number_plain, (double)facts.rows);
        if (w.priors)
            table_number(t, number_probability, m.prior);
        add_judged(t, number_plain, m.log_likelihood, judged);
        add_judged(t, number_probability, m.accuracy, judged);
        if (w.stacking)
            add_judged(t, number_probability, m.stacking, judged);
        table_number(t, number_probability, m.weight);
        if (for_people)
            table_bar(t, m.weight);
    }
    return t;
}

void members_print(const cr_model *model)
{
    table *t = members_table(model, true);

    table_print(t, 0, true);
    table_free(t);
}

void members_csv(const cr_model *model)
{
    table *t = members_table(model, false);

    table_csv(t);
    table_free(t);
}

static void show_people(const cr_model *model, const char *path)
{
    const size_t classes = cr_model_classes(model), members = cr_model_members(model);
    cr_model_facts facts;
    char number[NUMBER_ROOM], knobs[512];
    char *target = text_shown(cr_schema_name(cr_model_schema(model), cr_model_target(model)), 0);

    cr_model_get_facts(model, &facts);
    out_line("%s%s%s: %s", out_style(STYLE_BOLD), path, out_style(STYLE_NONE),
             cr_model_title(model));
    out_line("  members      %zu, for %zu class%s of %s", members, classes,
             classes == 1 ? "" : "es", target);
    if (facts.rows > 0)
        out_line("  weighed      by %llu held-out row%s", (unsigned long long)facts.rows,
                 plural(facts.rows));
    else
        out_line("  weighed      without held-out rows");
    out_line("  parameters   %s", number_plain(number, facts.parameters));
    out_line("  knobs        %s", cr_show_knobs(knobs, sizeof knobs, model));
    out_line("  written      by credence %s, format %llu", facts.version,
             (unsigned long long)facts.format);
    out_line("  fingerprint  %s\n", facts.fingerprint);
    members_print(model);
    free(target);
}

void members_show(const request *r, const cr_model *model, const char *path)
{
    if (r->json)
        show_json(r, model, 0);
    else if (r->csv)
        members_csv(model);
    else
        show_people(model, path);
    if (!r->json && !r->csv && was_chosen(model)) {
        putchar('\n');
        tried_print(model);
    }
}

/* --- their answers ------------------------------------------------------------------------ */

static const char *class_name(const inquiry *q, int32_t c)
{
    return c != CR_UNDECIDED ? cr_model_class(q->model, (size_t)c) : NULL;
}

static bool drawn(const cr_explanation *e)
{
    for (size_t i = 0; i < e->members; i++)
        if (e->member[i].drawn)
            return true;
    return false;
}

static bool is_product(const cr_model *model)
{
    cr_knob knob;

    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++)
        if (strcmp(knob.name, "rule") == 0)
            return strcmp(knob.value, "product") == 0;
    return false;
}

/* What a member's posterior, raised to its weight, adds to the log-odds of two classes. */
static double log_odds_of(const double *posterior, int32_t c, int32_t rival)
{
    const double least = 0x1p-52;

    return log(fmax(posterior[c], least)) - log(fmax(posterior[rival], least));
}

/* Each member's part in the log-odds of the decision against its rival. */
static table *powers_table(const inquiry *q, const cr_explanation *e, int32_t c, int32_t rival)
{
    char *name = text_shown(cr_model_class(q->model, (size_t)c), 20), head[80];
    table *t = table_new();
    double sum = 0;

    snprintf(head, sizeof head, "P(%s)", name);
    table_column(t, "member", TABLE_LEFT);
    table_column(t, "says", TABLE_LEFT);
    table_column(t, head, TABLE_RIGHT);
    table_column(t, "power", TABLE_RIGHT);
    table_column(t, "log-odds", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < e->members; i++) {
        const cr_member_share *m = &e->member[i];
        const double share =
            m->decision == CR_UNDECIDED ? 0 : m->weight * log_odds_of(m->posterior, c, rival);

        sum += share;
        table_text(t, m->name);
        table_text(t, m->decision == CR_UNDECIDED ? "(impossible)" : class_name(q, m->decision));
        table_number(t, number_probability, m->posterior[c]);
        table_number(t, number_plain, m->weight);
        table_number(t, number_signed, share);
        table_bar(t, share);
    }
    table_text(t, "all together");
    table_text(t, "");
    table_text(t, "");
    table_text(t, "");
    table_number(t, number_signed, sum);
    table_bar(t, 0);
    free(name);
    return t;
}

/* Each member's part in the posterior of a class. If one member was drawn, only it counts. */
static table *shares_table(const inquiry *q, const cr_explanation *e, int32_t c)
{
    char *name = text_shown(cr_model_class(q->model, (size_t)c), 20), head[80];
    const bool one = drawn(e);
    table *t = table_new();

    snprintf(head, sizeof head, "P(%s)", name);
    table_column(t, "member", TABLE_LEFT);
    table_column(t, "says", TABLE_LEFT);
    table_column(t, head, TABLE_RIGHT);
    table_column(t, "weight", TABLE_RIGHT);
    table_column(t, one ? "drawn" : "share", TABLE_RIGHT);
    table_column(t, "", TABLE_BAR);
    for (size_t i = 0; i < e->members; i++) {
        const cr_member_share *m = &e->member[i];
        const double share = one ? m->drawn * m->posterior[c] : m->weight * m->posterior[c];

        table_text(t, m->name);
        table_text(t, m->decision == CR_UNDECIDED ? "(impossible)" : class_name(q, m->decision));
        table_number(t, number_probability, m->posterior[c]);
        table_number(t, number_probability, m->weight);
        if (one && !m->drawn)
            table_text(t, "");
        else
            table_number(t, number_probability, share);
        table_bar(t, share);
    }
    table_text(t, "all together");
    table_text(t, "");
    table_text(t, "");
    table_text(t, "");
    table_number(t, number_probability, e->posterior[c]);
    table_bar(t, 0);
    free(name);
    return t;
}

void members_explain(const inquiry *q, const cr_explanation *e)
{
    const int32_t rival = explain_rival(q, e);
    char number[NUMBER_ROOM], place[NUMBER_ROOM], *winner, *loser;
    table *t;

    if (e->decision == CR_UNDECIDED) {
        printf("%s%sundecided%s\n", out_style(STYLE_BOLD), explain_place(place, e->line),
               out_style(STYLE_NONE));
        puts("No member can explain this row: each gives it probability zero in every class.");
        return;
    }
    winner = text_shown(class_name(q, e->decision), 0);
    printf("%s%s%s, %s%s", out_style(STYLE_BOLD), explain_place(place, e->line), winner,
           number_percent(number, cr_explanation_certainty(e)), out_style(STYLE_NONE));
    if (rival != CR_UNDECIDED) {
        loser = text_shown(class_name(q, rival), 0);
        printf(", against %s, %s", loser, number_percent(number, e->posterior[rival]));
        free(loser);
    }
    putchar('\n');
    t = rival != CR_UNDECIDED && is_product(q->model) ? powers_table(q, e, e->decision, rival)
                                                      : shares_table(q, e, e->decision);
    table_print(t, 0, true);
    table_free(t);
    free(winner);
}
