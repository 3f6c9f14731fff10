/* cli/verbs/structure.c - credence structure: compare the arcs of networks, and rate their
 * strength. */
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"
#include "credence/network.h"
#include "credence/structure.h"
#include "network/networks.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/table.h"
#include "out/text.h"
#include "session/session.h"
#include "verbs/verbs.h"

int open_network(cr_model **out, const request *r, size_t operand)
{
    const int code = open_model(out, r, operand);

    if (code != EXIT_DONE || cr_network_nodes(*out) > 0)
        return code;
    cr_model_free(*out);
    *out = NULL;
    return misuse("train DATA -m network makes one, and BIF files are some",
                  "%s is not a Bayesian network", r->operands[operand]);
}

/* --- compare ---------------------------------------------------------------------------------- */

static void difference_row(table *t, const char *what, const cr_structure_difference *d)
{
    table_text(t, what);
    table_number(t, number_plain, (double)d->distance);
    table_number(t, number_plain, (double)d->missing);
    table_number(t, number_plain, (double)d->extra);
    table_number(t, number_plain, (double)d->turned);
}

static void compare_table(const request *r, const cr_structure_comparison *c)
{
    table *t = table_new();

    table_column(t, "", TABLE_LEFT);
    table_column(t, "distance", TABLE_RIGHT);
    table_column(t, "missing", TABLE_RIGHT);
    table_column(t, "extra", TABLE_RIGHT);
    table_column(t, "turned", TABLE_RIGHT);
    difference_row(t, "arcs", &c->arcs);
    difference_row(t, "classes", &c->classes);
    if (r->csv) {
        table_csv(t);
    } else {
        out_line("%s: %zu arcs over %zu variables, %zu of them directed in its class\n",
                 r->operands[1], c->first.arcs, c->first.nodes, c->first.directed);
        out_line("%s: %zu arcs, %zu of them directed in its class\n", r->operands[2],
                 c->second.arcs, c->second.directed);
        table_print(t, 0, true);
    }
    table_free(t);
}

static int run_compare(request *r)
{
    cr_model *first = NULL, *second = NULL;
    cr_structure_comparison c;
    cr_error err = {0};
    cr_status status;
    int code;

    if (r->operand_count != 3)
        return misuse("credence structure compare NETWORK NETWORK",
                      "structure compare takes two networks");
    if ((code = open_network(&first, r, 1)) == EXIT_DONE &&
        (code = open_network(&second, r, 2)) == EXIT_DONE &&
        (status = cr_structure_compare(first, second, &c, &err)) != CR_OK)
        code = complain(status, &err);
    if (code == EXIT_DONE && r->json) {
        cr_output *out = output_kept();

        code = output_print(out, cr_structure_json(&c, r->operands[1], r->operands[2], out), NULL);
    } else if (code == EXIT_DONE) {
        compare_table(r, &c);
    }
    cr_model_free(first);
    cr_model_free(second);
    return code;
}

/* --- arcs, with or without strengths ---------------------------------------------------------- */

/* Where arcs are written: a table, or JSON. */
typedef struct listing {
    bool json, strengths;
    double threshold;
    size_t shown;
    table *table;
    cr_json out;
} listing;

static void begin_listing(listing *l, const request *r)
{
    l->json = r->json;
    if (l->json) {
        json_start(&l->out, stdout);
        cr_json_object(&l->out, NULL, CR_JSON_BLOCK);
        cr_json_array(&l->out, "arcs", CR_JSON_BLOCK);
        return;
    }
    l->table = table_new();
    table_column(l->table, "from", TABLE_LEFT);
    table_column(l->table, "", TABLE_LEFT);
    table_column(l->table, "to", TABLE_LEFT);
    if (l->strengths) {
        table_column(l->table, "strength", TABLE_RIGHT);
        table_column(l->table, "direction", TABLE_RIGHT);
    }
}

static cr_status list_arc(void *context, const cr_structure_arc *arc)
{
    listing *l = context;

    if (arc->strength < l->threshold)
        return CR_OK;
    l->shown++;
    if (l->json) {
        cr_json_object(&l->out, NULL, CR_JSON_LINE);
        cr_json_text(&l->out, "from", arc->from);
        cr_json_text(&l->out, "to", arc->to);
        cr_json_bool(&l->out, "directed", arc->directed != 0);
        if (l->strengths) {
            cr_json_number(&l->out, "strength", arc->strength);
            cr_json_number(&l->out, "direction", arc->direction);
        }
        json_end(&l->out);
        return CR_OK;
    }
    table_text(l->table, arc->from);
    table_text(l->table, arc->directed ? "->" : "--");
    table_text(l->table, arc->to);
    if (l->strengths) {
        table_number(l->table, number_probability, arc->strength);
        table_number(l->table, number_probability, arc->direction);
    }
    return CR_OK;
}

static void end_listing(listing *l, const request *r, bool done)
{
    if (l->json && done) {
        json_end(&l->out);
        cr_json_number(&l->out, "count", (double)l->shown);
        json_end(&l->out);
    } else if (done && r->csv) {
        table_csv(l->table);
    } else if (done && !l->json) {
        table_print(l->table, 0, true);
    }
    if (l->table != NULL)
        table_free(l->table);
}

static int run_listing(request *r, bool strengths)
{
    const char *threshold = option_text(r, "threshold");
    const unsigned rounds = (unsigned)option_count(r, "rounds", 100);
    listing l = {.strengths = strengths};
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status = CR_OK;
    int code;

    if (r->operand_count != 2)
        return misuse("credence structure arcs NETWORK, or strength MODEL",
                      "structure %s takes one network", r->operands[0]);
    if (strengths && rounds == 0)
        return misuse("--rounds 100 is usual", "no rounds tell nothing");
    l.threshold = threshold == NULL ? (strengths ? .05 : 0) : atof(threshold);
    if ((code = open_network(&model, r, 1)) != EXIT_DONE)
        return code;
    begin_listing(&l, r);
    status = strengths ? cr_structure_strengths(model, rounds, &r->run, list_arc, &l, &err)
                       : cr_structure_class(model, list_arc, &l, &err);
    if (status == CR_OK)
        end_listing(&l, r, true);
    else if (l.table != NULL)
        table_free(l.table);
    cr_model_free(model);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* --- scores ----------------------------------------------------------------------------------- */

static int print_scores(const request *r, const cr_structure_scores *s)
{
    const char *const key[] = {"rows", "parameters", "loglik", "aic", "bic", "bdeu", "k2"};
    const double value[] = {s->rows, s->parameters, s->loglik, s->aic, s->bic, s->bdeu, s->k2};
    table *t;
    cr_json j;

    if (r->json) {
        json_start(&j, stdout);
        cr_json_object(&j, NULL, CR_JSON_LINE);
        for (size_t i = 0; i < sizeof key / sizeof *key; i++)
            cr_json_number(&j, key[i], value[i]);
        json_end(&j);
        return EXIT_DONE;
    }
    t = table_new();
    table_column(t, "score", TABLE_LEFT);
    table_column(t, "value", TABLE_RIGHT);
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        table_text(t, key[i]);
        table_number(t, number_exact, value[i]);
    }
    if (r->csv)
        table_csv(t);
    else
        table_print(t, 0, false);
    table_free(t);
    return EXIT_DONE;
}

/* The rows of a model, and the network whose arcs are scored: its own or another. */
static int run_score(request *r)
{
    const char *size = option_text(r, "size");
    cr_model *model = NULL, *other = NULL;
    cr_structure_scores scores;
    cr_error err = {0};
    cr_status status;
    int code;

    if (r->operand_count < 2)
        return misuse("credence structure score MODEL [NETWORK]", "structure score takes a model");
    if ((code = open_network(&model, r, 1)) == EXIT_DONE && r->operand_count > 2)
        code = open_network(&other, r, 2);
    if (code == EXIT_DONE) {
        status = cr_structure_score(model, other, size == NULL ? 1 : atof(size), &scores, &err);
        code = status == CR_OK ? print_scores(r, &scores) : complain(status, &err);
    }
    cr_model_free(other);
    cr_model_free(model);
    return code;
}

/* --- averages --------------------------------------------------------------------------------- */

static int run_average(request *r)
{
    const char *threshold = option_text(r, "threshold"), *path = option_text(r, "output");
    const unsigned rounds = (unsigned)option_count(r, "rounds", 100);
    cr_model *model = NULL, *made = NULL;
    size_t arcs = 0;
    cr_error err = {0};
    cr_status status;
    int code;

    if (r->operand_count != 2 || path == NULL)
        return misuse("credence structure average MODEL -o AVERAGE.model",
                      "structure average takes a model and a file to write");
    if (rounds == 0)
        return misuse("--rounds 100 is usual", "no rounds tell nothing");
    if ((code = check_output(path, r, 1)) != EXIT_DONE ||
        (code = open_network(&model, r, 1)) != EXIT_DONE)
        return code;
    status = cr_structure_average(&made, model, rounds, threshold == NULL ? .5 : atof(threshold),
                                  &r->run, &err);
    if (status != CR_OK)
        code = complain(status, &err);
    else if (cr_network_format(path) != NULL)
        code = (status = cr_network_write(made, path, NULL, &err)) == CR_OK
                   ? EXIT_DONE
                   : complain(status, &err);
    else
        code = save_model(made, path);
    for (size_t i = 0; made != NULL && i < cr_network_nodes(made); i++)
        for (size_t k = 0; cr_network_parent(made, i, k) != SIZE_MAX; k++)
            arcs++;
    if (code == EXIT_DONE && !out_is_quiet())
        printf("%s: %zu variables, %zu arcs\n", path, cr_network_nodes(made), arcs);
    cr_model_free(made);
    cr_model_free(model);
    return code;
}

/* --- the verb --------------------------------------------------------------------------------- */

static int run(request *r)
{
    const char *what = r->operands[0];

    if (strcmp(what, "compare") == 0)
        return run_compare(r);
    if (strcmp(what, "arcs") == 0 || strcmp(what, "strength") == 0)
        return run_listing(r, strcmp(what, "strength") == 0);
    if (strcmp(what, "score") == 0)
        return run_score(r);
    if (strcmp(what, "average") == 0)
        return run_average(r);
    return misuse("structure compare A B, arcs NETWORK, strength MODEL, score MODEL [NETWORK], "
                  "average MODEL -o OUT",
                  "structure cannot '%s'", what);
}

static const char *const about[] = {
    "compare shows how a second network differs from a first: pairs that only one of them joins, "
    "and pairs that both join, but differently. Arcs are compared as they point, and then as far "
    "as data can tell their directions: networks with the same independences make a class, in "
    "which an arc whose direction is open is a line. The distance between classes is the "
    "structural "
    "Hamming distance.",
    "arcs lists the arcs (->) and lines (--) of a network's class.",
    "strength resamples the rows that a model was trained on, with replacement, --rounds times, "
    "searches for a structure each time by the model's knobs, and shows the share of rounds in "
    "which two variables are joined, and the share of those in which the arc points this way; a "
    "line counts half each way. The data are not needed: the model has them.",
    "average keeps the arcs that --threshold of the rounds join (0.5), the strongest first and "
    "none that closes a cycle, fits their tables to the rows and writes the network to -o.",
    "score measures how well the arcs of a network fit the rows that a model was trained on: "
    "loglik, aic, bic, bdeu and k2, as natural logarithms; larger is better.",
    "NETWORK is a file in BIF, XMLBIF or plain text, or a model trained with -m network. --json "
    "gives one object: of compare first and second (network, variables, arcs, directed), arcs and "
    "classes (missing, extra, turned, distance) and shd; of class and strength arcs[] (from, to, "
    "directed, strength, direction) and count; of score rows, parameters, loglik, aic, bic, bdeu "
    "and k2.",
    NULL,
};

static const option own[] = {
    {"rounds", 0, OPTION_COUNT, "N", "strength: how often rows are drawn anew. Default: 100."},
    {"threshold", 0, OPTION_TEXT, "SHARE",
     "strength: show arcs from this share on. Default: 0.05. average: keep them. Default: 0.5."},
    {"output", 'o', OPTION_TEXT, "FILE", "average: the model or network file to write."},
    {"size", 0, OPTION_TEXT, "ROWS", "score: what the prior of bdeu is worth. Default: 1."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence structure compare alarm.bif learned.model", "How near is what was learned?"},
    {"credence structure strength learned.model --rounds 200", "Which arcs can be trusted?"},
    {"credence structure score learned.model alarm.bif", "How well do other arcs fit the rows?"},
    {0},
};

const verb verb_structure = {
    .name = "structure",
    .operands = "compare|arcs|strength|score|average NETWORK...",
    .least = 1,
    .most = 3,
    .summary = "compare and score networks, and tell how sure their arcs are",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train sample show",
    .run = run,
};
