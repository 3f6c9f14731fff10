/* render/league.c - learners ranked over many data sets. */
#include <math.h>

#include "render/results.h"

cr_status cr_league_json(const cr_league *league, cr_output *out)
{
    cr_league_facts f;
    cr_league_learner l;
    cr_json j;

    cr_league_get_facts(league, &f);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_number(&j, "chi_square", f.ranking.chi_square);
    cr_json_number(&j, "p", f.ranking.p);
    cr_json_number(&j, "f", f.ranking.f);
    cr_json_number(&j, "p_f", f.ranking.p_f);
    cr_json_number(&j, "critical_difference", f.ranking.critical);
    cr_json_array(&j, "models", CR_JSON_BLOCK);
    for (size_t i = 0; cr_league_get(league, i, &l) == CR_OK; i++) {
        cr_json_object(&j, NULL, CR_JSON_LINE);
        cr_json_text(&j, "name", l.name);
        cr_json_number(&j, "rank", l.rank);
        cr_json_number(&j, "mean", l.mean);
        cr_json_array(&j, f.numbers ? "r2" : "accuracy", CR_JSON_LINE);
        for (size_t s = 0; s < f.sets; s++)
            cr_json_number(&j, NULL, cr_league_score(league, s, i));
        cr_json_end(&j);
        cr_json_end(&j);
    }
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}

cr_status cr_league_sheet(cr_sheet **out, const cr_league *league, cr_error *err)
{
    cr_league_facts f;
    cr_league_learner l;
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    cr_league_get_facts(league, &f);
    cr__sheet_column(*out, (cr_field){"data", "data", NULL, CR_SHOW_PLAIN, CR_FOR_ALL});
    for (size_t i = 0; cr_league_get(league, i, &l) == CR_OK; i++)
        cr__sheet_column(*out, (cr_field){l.name, l.name, NULL,
                                          f.numbers ? CR_SHOW_PLAIN : CR_SHOW_PERCENT, CR_FOR_ALL});
    for (size_t s = 0; s < f.sets; s++) {
        cr__sheet_text(*out, cr_league_set(league, s));
        for (size_t i = 0; i < f.learners; i++)
            cr__sheet_number(*out, cr_league_score(league, s, i));
    }
    cr__sheet_text(*out, "mean");
    for (size_t i = 0; cr_league_get(league, i, &l) == CR_OK; i++)
        cr__sheet_number(*out, l.mean);
    cr__sheet_text(*out, "mean rank");
    for (size_t i = 0; cr_league_get(league, i, &l) == CR_OK; i++)
        cr__sheet_shown(*out, l.rank, CR_SHOW_PLAIN, l.rank);
    return cr__sheet_done(out, err);
}

/* --- in words --------------------------------------------------------------------------------- */

/* Words, each number between them in its format. */
static void say(cr_output *out, const char *before, cr_show show, double x)
{
    char number[CR_SHOW_SIZE];

    cr_output_text(out, before);
    cr_output_text(out, cr_show_number(number, show, x));
}

static cr_status say_pair(const cr_league *league, size_t learner, const char *first, uint64_t seed,
                          cr_output *out, cr_error *err)
{
    cr_league_learner l;
    double worse, same, better;
    const cr_status st =
        cr_league_against_first(league, learner, CR_ROPE, seed, &worse, &same, &better, err);

    if (st != CR_OK)
        return st;
    cr_league_get(league, learner, &l);
    cr_output_text(out, l.name);
    cr_output_text(out, " against ");
    cr_output_text(out, first);
    say(out, ": worse ", CR_SHOW_PROBABILITY, worse);
    say(out, ", as good ", CR_SHOW_PROBABILITY, same);
    say(out, ", better ", CR_SHOW_PROBABILITY, better);
    cr_output_text(out, " (Bayesian signed rank)\n");
    return CR_OK;
}

cr_status cr_league_text(const cr_league *league, uint64_t seed, cr_output *out, cr_error *err)
{
    cr_league_facts f;
    cr_league_learner first;
    cr_status st = CR_OK;

    cr_league_get_facts(league, &f);
    if (cr_league_get(league, f.first, &first) != CR_OK)
        return CR_OK;
    say(out, "Friedman: chi-square ", CR_SHOW_PLAIN, f.ranking.chi_square);
    say(out, ", p ", CR_SHOW_P, f.ranking.p);
    say(out, "; Iman and Davenport: p ", CR_SHOW_P, f.ranking.p_f);
    say(out, "\nMean ranks farther apart than ", CR_SHOW_PLAIN, f.ranking.critical);
    cr_output_text(out, " differ (Nemenyi, 5 %)\n");
    for (size_t i = f.first + 1; st == CR_OK && i < f.learners; i++)
        if (!isnan(f.ranking.rank[i]))
            st = say_pair(league, i, first.name, seed, out, err);
    return st == CR_OK ? cr_output_flush(out) : st;
}
