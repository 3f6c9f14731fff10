/* tests/network/test_files_and_scores.c - networks as files and bytes, their scores and classes,
 * and the nodes of an influence diagram.
 *
 * The lawn: P(rain) = .3, P(wet | rain) = .9, P(wet | dry) = .2; so P(wet) = .27 + .14 = .41.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/in_memory.h"

static const char lawn[] = "network lawn {}\n"
                           "variable rain { type discrete [ 2 ] { yes, no }; }\n"
                           "variable lawn { type discrete [ 2 ] { wet, dry }; }\n"
                           "probability ( rain ) { table 0.3, 0.7; }\n"
                           "probability ( lawn | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }\n";

static cr_model *read_lawn(void)
{
    cr_model *model = NULL;
    cr_error err = {0};

    assert_ok(cr_network_read_bytes(&model, lawn, strlen(lawn), "lawn.bif", NULL, &err), err);
    return model;
}

static void evidence(void **state)
{
    cr_model *model = read_lawn();
    cr_network *network = NULL;
    double log_p, p[2];
    cr_error err = {0};

    (void)state;
    assert_ok(cr_network_open(&network, model, NULL, &err), err);
    assert_ok(cr_network_observe(network, 1, 0, &err), err); /* lawn = wet */
    assert_ok(cr_network_evidence(network, &log_p, &err), err);
    assert_true(fabs(exp(log_p) - 0.41) < 1e-12);
    assert_ok(cr_network_posterior(network, 0, p, &err), err);
    assert_true(fabs(p[0] - 0.27 / 0.41) < 1e-12);
    cr_network_close(network);
    cr_model_free(model);
}

/* Written in every format that it can be read from, it comes back with the same tables. */
static void files(void **state)
{
    static const char *const path[] = {"lawn.bif", "lawn.xml", "lawn.net", "lawn.dne"};
    cr_model *model = read_lawn(), *back = NULL;
    const double *mine, *theirs;
    size_t cells;
    cr_error err = {0};
    FILE *other = fopen("lawn.txt", "w");

    (void)state;
    assert_string_equal(cr_network_format("a/b.bif"), "bif");
    assert_string_equal(cr_network_format("b.xml"), "xmlbif");
    assert_null(cr_network_format("b.csv"));
    for (size_t i = 0; i < 4; i++) {
        assert_ok(cr_network_write(model, path[i], NULL, &err), err);
        assert_true(cr_network_recognise(path[i]));
        assert_ok(cr_network_read(&back, path[i], NULL, &err), err);
        mine = cr_network_table(model, 1, &cells);
        assert_int_equal(cells, 4);
        theirs = cr_network_table(back, 1, &cells);
        for (size_t k = 0; k < 4; k++)
            assert_true(fabs(mine[k] - theirs[k]) < 1e-12);
        cr_model_free(back);
        remove(path[i]);
    }
    assert_non_null(other);
    fputs("rain,lawn\nyes,wet\n", other);
    fclose(other);
    assert_false(cr_network_recognise("lawn.txt"));
    remove("lawn.txt");
    cr_model_free(model);
}

/* --- structure ---------------------------------------------------------------------------------
 */

/* a and b are the same in 7 of 8 rows; c has nothing to do with them. */
static const char rows[] = "a,b,c\n0,0,0\n0,0,1\n0,0,0\n0,0,1\n1,1,0\n1,1,1\n1,1,0\n1,0,1\n";

typedef struct arcs {
    size_t count, directed;
    double strongest;
    char from[8], to[8];
} arcs;

static cr_status see_arc(void *context, const cr_structure_arc *arc)
{
    arcs *a = context;

    if (a->count++ == 0) {
        a->strongest = arc->strength;
        snprintf(a->from, sizeof a->from, "%s", arc->from);
        snprintf(a->to, sizeof a->to, "%s", arc->to);
    }
    a->directed += arc->directed != 0;
    return CR_OK;
}

static cr_model *learn_network(const char *csv)
{
    const char *const params[] = {"structure=hc"};
    const char *const types[] = {"a=symbol", "b=symbol", "c=symbol"};
    const cr_source_options options = {.target = "c", .types = types, .type_count = 3};
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err = {0};

    assert_ok(cr_source_open_memory(&source, csv, strlen(csv), "r.csv", &options, &err), err);
    assert_ok(cr_model_train(&model, source, "network", params, 1, NULL, NULL, &err), err);
    cr_source_close(source);
    return model;
}

/* The only pair that data can tell is a - b, in either direction: a line of the class. */
static void the_class_and_its_strength(void **state)
{
    cr_model *model = learn_network(rows), *average = NULL;
    arcs class = {0}, strength = {0}, agreed = {0};
    cr_error err = {0};

    (void)state;
    assert_ok(cr_structure_class(model, see_arc, &class, &err), err);
    assert_int_equal(class.count, 1);
    assert_int_equal(class.directed, 0);
    assert_ok(cr_structure_strengths(model, 50, NULL, see_arc, &strength, &err), err);
    assert_true(strength.strongest > 0.5 && strength.strongest <= 1);
    assert_true((strength.from[0] == 'a' && strength.to[0] == 'b') ||
                (strength.from[0] == 'b' && strength.to[0] == 'a'));
    assert_ok(cr_structure_average(&average, model, 50, 0.5, NULL, &err), err);
    assert_ok(cr_structure_class(average, see_arc, &agreed, &err), err);
    assert_int_equal(agreed.count, 1);
    cr_model_free(average);
    cr_model_free(model);
}

/* By hand, the log likelihood of the network a -> b, c: a and c are 4 : 4, b is 4 : 0 where a = 0
 * and 1 : 3 where a = 1. Four parameters: 1 of a, 2 of b, 1 of c. */
static void scores(void **state)
{
    cr_model *model = learn_network(rows);
    cr_structure_scores s;
    const double loglik = 8 * log(0.5) + 3 * log(0.75) + log(0.25) + 8 * log(0.5);
    cr_error err = {0};

    (void)state;
    assert_ok(cr_structure_score(model, NULL, 1, &s, &err), err);
    assert_true(s.rows == 8 && s.parameters == 4);
    assert_true(fabs(s.loglik - loglik) < 1e-9);
    assert_true(fabs(s.aic - (loglik - 4)) < 1e-9);
    assert_true(fabs(s.bic - (loglik - 2 * log(8))) < 1e-9);
    /* K2: a and c 4! 4! / 9! each; b 4! 0! / 5! and 1! 3! / 5! */
    assert_true(fabs(s.k2 - (2 * log(24.0 * 24 / 362880) + log(24.0 / 120) + log(6.0 / 120))) <
                1e-9);
    cr_model_free(model);
}

/* --- influence diagrams ------------------------------------------------------------------------
 */

/* examples/data/oil.net: H. Raiffa's oil wildcatter. */
static void nodes_of_a_diagram(void **state)
{
    char path[4096];
    cr_diagram *d = NULL;
    size_t drill = SIZE_MAX, kinds[4] = {0};
    cr_error err = {0};

    (void)state;
    snprintf(path, sizeof path, "%s/examples/data/oil.net", getenv("CREDENCE_SOURCE"));
    assert_true(cr_diagram_recognise(path));
    assert_ok(cr_diagram_read(&d, path, &err), err);
    for (size_t i = 0; i < cr_diagram_nodes(d); i++) {
        kinds[cr_diagram_kind_of(d, i)]++;
        if (strcmp(cr_diagram_name(d, i), "drill") == 0)
            drill = i;
        if (cr_diagram_kind_of(d, i) == CR_UTILITY)
            assert_int_equal(cr_diagram_states(d, i), 0);
    }
    assert_true(kinds[CR_CHANCE] == 2 && kinds[CR_DECISION] == 2 && kinds[CR_UTILITY] == 2);
    assert_null(cr_diagram_name(d, cr_diagram_nodes(d)));
    assert_int_not_equal(drill, SIZE_MAX);
    assert_int_equal(cr_diagram_states(d, drill), 2);
    assert_string_equal(cr_diagram_state(d, drill, 0), "yes");
    assert_int_not_equal(cr_diagram_parent(d, drill, 0), SIZE_MAX); /* what is known then */
    assert_int_equal(cr_diagram_parent(d, drill, 99), SIZE_MAX);
    cr_diagram_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence),
        cmocka_unit_test(files),
        cmocka_unit_test(the_class_and_its_strength),
        cmocka_unit_test(scores),
        cmocka_unit_test(nodes_of_a_diagram),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
