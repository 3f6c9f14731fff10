/* tests/network/test_files.c - networks in files: what is read, written, refused. */
#include "network/nets.h"

static cr_status parse(cr__network_format format, const char *text, cr_error *err)
{
    cr__network *net = NULL;
    cr_status st;

    *err = (cr_error){0};
    st = cr__network_parse(&net, format, "some.file", text, strlen(text), err);
    cr__network_free(net);
    return st;
}

/* The text is refused with this message, at this place. */
static void refused(cr__network_format format, const char *text, size_t line, size_t column,
                    const char *message)
{
    cr_error err;

    assert_int_not_equal(parse(format, text, &err), CR_OK);
    if (strstr(err.message, message) == NULL || err.line != line || err.column != column)
        fail_msg("%zu:%zu: %s", err.line, err.column, err.message);
    assert_string_equal(err.file, "some.file");
}

static void same_networks(const cr__network *a, const cr__network *b)
{
    const size_t arcs = a->parent_at[a->nodes];

    assert_int_equal(a->nodes, b->nodes);
    assert_string_equal(a->title, b->title);
    for (uint32_t i = 0; i < a->nodes; i++) {
        assert_string_equal(a->name[i], b->name[i]);
        assert_int_equal(a->states[i], b->states[i]);
    }
    for (size_t k = 0; k < a->label_at[a->nodes]; k++)
        assert_string_equal(a->label[k], b->label[k]);
    assert_int_equal(arcs, b->parent_at[b->nodes]);
    assert_memory_equal(a->parent, b->parent, arcs * sizeof *a->parent);
    assert_memory_equal(a->table, b->table, a->table_at[a->nodes] * sizeof *a->table);
}

/* Written and read in all formats it is the same, bit by bit. */
static void round_trip(const cr__network *net)
{
    for (cr__network_format f = CR__NETWORK_BIF; f < CR__NETWORK_DOT; f++) {
        cr__buffer text = {0};
        cr__network *back = NULL;
        cr_error err = {0};

        cr__network_print(net, f, &text);
        assert_int_equal(cr__network_recognise("x.net", text.data, text.size), f);
        if (cr__network_parse(&back, f, NULL, text.data, text.size, &err) != CR_OK)
            fail_msg("format %d %zu:%zu: %s", f, err.line, err.column, err.message);
        same_networks(net, back);
        cr__network_free(back);
        cr__buffer_free(&text);
    }
}

static void all_networks_of_the_folder_load_and_survive_a_round_trip(void **state)
{
    /* nodes, arcs and parameters: bnlearn.com/bnrepository */
    static const struct {
        const char *name;
        uint32_t nodes;
        size_t arcs;
        double parameters;
    } all[] = {
        {"alarm", 37, 46, 509},      {"andes", 223, 338, 1157},     {"asia", 8, 8, 18},
        {"cancer", 5, 4, 10},        {"child", 20, 25, 230},        {"diabetes", 413, 602, 429409},
        {"earthquake", 5, 4, 10},    {"hailfinder", 56, 66, 2656},  {"insurance", 27, 52, 1008},
        {"link", 724, 1125, 14211},  {"mildew", 35, 46, 540150},    {"munin", 1041, 1397, 80592},
        {"munin1", 186, 273, 15622}, {"munin4", 1038, 1388, 80352}, {"pigs", 441, 592, 5618},
        {"sachs", 11, 17, 178},      {"survey", 6, 6, 21}};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cr__network *net = net_of_data(all[i].name);

        assert_int_equal(net->nodes, all[i].nodes);
        assert_int_equal(net->parent_at[net->nodes], all[i].arcs);
        assert_true(cr__network_parameters(net) == all[i].parameters);
        round_trip(net);
        cr__network_free(net);
    }
}

static void random_networks_survive_a_round_trip(void **state)
{
    cr__random random;

    (void)state;
    cr__random_seed(&random, 11);
    for (int i = 0; i < 50; i++) {
        cr__network *net = net_at_random(&random, 1 + (uint32_t)(i % 12));

        round_trip(net);
        cr__network_free(net);
    }
}

static void odd_names_are_quoted_and_come_back(void **state)
{
    cr__network *net = net_of_text("network \"wet & <dry>\"\n"
                                   "\"two words\": \"a,b\" \"say \\\"no\\\"\" \"back\\\\slash\"\n"
                                   "größe: klein groß\n"
                                   "\"#x\" : \"*\" \"=\"\n"
                                   "\"two words\" = .2 .3\n"
                                   "größe | \"two words\"\n"
                                   "  \"a,b\" = .25 .75\n  * = .5\n  \"back\\\\slash\" = 0 1\n"
                                   "\"#x\" = .1\n");

    (void)state;
    assert_string_equal(net->title, "wet & <dry>");
    assert_string_equal(net->name[0], "two words");
    assert_string_equal(net->label[1], "say \"no\"");
    assert_string_equal(net->label[2], "back\\slash");
    assert_true(net->table[2] == .5);
    /* The star came after the first row and before the last: later rows win. */
    assert_true(net->table[net->table_at[1]] == .5);
    assert_true(net->table[net->table_at[1] + 5] == 1);
    round_trip(net);
    cr__network_free(net);
}

static void bif_knows_tables_defaults_properties_and_comments(void **state)
{
    static const char text[] =
        "// first\nnetwork dogs { property author me; }\n"
        "variable out { type discrete[2] { true false }; property \"a;b\" ; }\n"
        "variable light { type discrete [2] { on, off }; }\n"
        "/* a\n comment */ variable bark { type discrete [ 2 ] { \"yes sir\", no }; }\n"
        "probability ( out ) { table .15 .85; }\n"
        "probability ( light | out ) { table .6, .05, .4, .95; }\n"
        "probability ( bark out light ) { (true, on) .9 .1; default .3, .7; }\n";
    cr__network *net = NULL;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr__network_recognise(NULL, text, strlen(text)), CR__NETWORK_BIF);
    assert_int_equal(cr__network_parse(&net, CR__NETWORK_BIF, NULL, text, strlen(text), &err),
                     CR_OK);
    /* table lists the node's own first state for all states of the parent, then its second */
    assert_true(net->table[net->table_at[1]] == .6 && net->table[net->table_at[1] + 1] == .4);
    assert_true(net->table[net->table_at[1] + 2] == .05);
    assert_true(net->table[net->table_at[2]] == .9 && net->table[net->table_at[2] + 2] == .3);
    assert_string_equal(net->label[4], "yes sir");
    cr__network_free(net);
}

static void xmlbif_knows_doctypes_comments_and_entities(void **state)
{
    static const char text[] =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE BIF [ <!ELEMENT BIF (NETWORK)*> <!-- ]> --> ]>\n"
        "<bif version='0.3'><NETWORK><NAME>a &amp; b</NAME>\n"
        "<VARIABLE TYPE=\"nature\"><NAME>x&#x41;</NAME><OUTCOME>&lt;1</OUTCOME>"
        "<OUTCOME><![CDATA[>=1 & more]]></OUTCOME><PROPERTY>x</PROPERTY></VARIABLE>\n"
        "<VARIABLE><NAME>y</NAME><VALUE>a</VALUE><VALUE>b</VALUE></VARIABLE>\n"
        "<DEFINITION><FOR>xA</FOR><TABLE>.2 <!-- the rest --> .8</TABLE></DEFINITION>\n"
        "<DEFINITION><FOR>y</FOR><GIVEN>xA</GIVEN><TABLE>.1 .9\n.3 .7</TABLE></DEFINITION>\n"
        "</NETWORK></bif>\n";
    cr__network *net = NULL;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr__network_recognise(NULL, text, strlen(text)), CR__NETWORK_XMLBIF);
    if (cr__network_parse(&net, CR__NETWORK_XMLBIF, NULL, text, strlen(text), &err) != CR_OK)
        fail_msg("%zu:%zu: %s", err.line, err.column, err.message);
    assert_string_equal(net->title, "a & b");
    assert_string_equal(net->name[0], "xA");
    assert_string_equal(net->label[0], "<1");
    assert_string_equal(net->label[1], ">=1 & more");
    assert_true(net->table[net->table_at[1] + 2] == .3);
    round_trip(net);
    cr__network_free(net);
}

static void a_cycle_is_named(void **state)
{
    (void)state;
    refused(CR__NETWORK_PLAIN,
            "a: y n\nb: y n\nc: y n\nd: y n\n"
            "a | c\n y = .5\n n = .5\nb | a\n * = .5\nc | b d\n * * = .5\nd = .5\n",
            5, 1, "a cycle of 3 variables: a <- c <- b <- a");
    refused(CR__NETWORK_PLAIN, "a: y n\na | a\n", 2, 1, "cycle: a -> a");
}

static void wrong_tables_are_refused_with_their_place(void **state)
{
    static const char head[] = "variable a { type discrete [2] { y, n }; }\n"
                               "variable b { type discrete [2] { y, n }; }\n";
    char text[600];

    (void)state;
#define WITH(rest) (snprintf(text, sizeof text, "%s%s", head, rest), text)
    refused(CR__NETWORK_BIF, WITH("probability ( a ) { table .2, .3, .5; }"), 3, 27,
            "3 probabilities where 2 should be");
    refused(CR__NETWORK_BIF, WITH("probability ( a | c ) { default .2, .8; }"), 3, 19,
            "no variable 'c'");
    refused(CR__NETWORK_BIF, WITH("probability ( a ) { table 1.2, -.2; }"), 3, 27,
            "1.2 is not a probability");
    refused(CR__NETWORK_BIF, WITH("probability ( a ) { table .2, .7; }"), 3, 27,
            "sum to 0.9, not to 1");
    refused(CR__NETWORK_BIF, WITH("probability ( a | b ) { (y) .2, .8; }"), 3, 1,
            "P(a | b=n) is not given");
    refused(CR__NETWORK_BIF, WITH("probability ( a | b ) { (y) .2, .8; (y) .1, .9; }"), 3, 37,
            "given twice");
    refused(CR__NETWORK_BIF, WITH("probability ( a | b ) { (maybe) .2, .8; }"), 3, 26,
            "'b' has no state 'maybe'");
    refused(CR__NETWORK_BIF, WITH("probability ( a ) { table .2, .8; }"), 2, 10,
            "'b' has no probabilities");
    refused(CR__NETWORK_BIF, "variable a { type discrete [3] { y, n }; }", 1, 39,
            "said to have 3 states, but 2 are named");
    refused(CR__NETWORK_BIF, WITH("variable a { type discrete [2] { y, n }; }"), 3, 10,
            "two variables 'a'");
    refused(CR__NETWORK_BIF, WITH("probability ( a | b, b ) { }"), 3, 24, "parent 'b' twice");
    refused(CR__NETWORK_BIF, WITH("/* open"), 3, 1, "not closed");
    refused(CR__NETWORK_PLAIN, "a: y n\n  y = .5\n", 2, 3, "found 'y'");
    refused(CR__NETWORK_PLAIN, "a: y n\na = .5 .2 .3\n", 2, 5, "3 probabilities, but 'a' has 2");
    refused(CR__NETWORK_PLAIN, "a: y n\nb: y n\na = .5\nb | aa\n", 4, 5, "no variable 'aa'");
    refused(CR__NETWORK_XMLBIF,
            "<BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME>"
            "<OUTCOME>y</OUTCOME></VARIABLE>\n<DEFINITION><FOR>a</FOR><TABLE>.5 .5 0</TABLE>"
            "</DEFINITION></NETWORK></BIF>",
            2, 39, "3 numbers where 2 should be");
    refused(CR__NETWORK_XMLBIF, "<BIF>\n<NETWORK></BIF>", 2, 10, "not open");
#undef WITH
}

static void rows_are_normalised_once_and_then_stay(void **state)
{
    double row[3] = {.33333, .33333, .33333}, again[3];

    (void)state;
    assert_int_equal(cr__row_normalise(row, 3, NULL), CR_OK);
    assert_true(fabs(row[0] - 1. / 3) < 1e-16);
    memcpy(again, row, sizeof row);
    assert_int_equal(cr__row_normalise(again, 3, NULL), CR_OK);
    assert_memory_equal(row, again, sizeof row);
}

/* A table cannot be declared larger than the file could fill. */
static void a_small_file_cannot_ask_for_a_huge_table(void **state)
{
    char text[8000];
    size_t used = 0;

    (void)state;
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "x%d: a b\n", i);
    used += (size_t)snprintf(text + used, sizeof text - used, "x0 |");
    for (int i = 1; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " x%d", i);
    snprintf(text + used, sizeof text - used, "\n");
    refused(CR__NETWORK_PLAIN, text, 41, 1, "the table of 'x0' has more than");
}

static void markov_blankets_are_parents_children_and_their_parents(void **state)
{
    cr__network *net = net_of_text(burglary_text);
    size_t blanket[5];

    (void)state;
    assert_int_equal(net->nodes, 5);
    assert_int_equal(cr__network_blanket(net, node_of(net, "B"), blanket), 2); /* E and A */
    assert_int_equal(blanket[0], node_of(net, "E"));
    assert_int_equal(blanket[1], node_of(net, "A"));
    cr__network_free(net);
}

static void dot_draws_every_arc(void **state)
{
    cr__network *net = net_of_text(burglary_text);
    cr__buffer text = {0};

    (void)state;
    cr__network_print(net, CR__NETWORK_DOT, &text);
    cr__buffer_addc(&text, '\0');
    assert_non_null(strstr(text.data, "n0 [label=\"B\\ntrue | false\"];"));
    assert_non_null(strstr(text.data, "n2 -> n3;"));
    cr__buffer_free(&text);
    cr__network_free(net);
}

/* Files as Hugin and Netica write them, with what is passed over; by hand. */
static void files_of_other_programs_are_read(void **state)
{
    static const char hugin_net[] =
        "% Wet grass\nnet\n{\n    node_size = (80 40);\n    HR_Desc = \"100 % wet; or "
        "{not}\";\n}\n\n"
        "node Rain\n{\n    label = \"Did it rain?\";\n    position = (100 200);\n"
        "    states = (\"yes\" \"no\");\n}\nnode Wet\n{\n    states = (\"wet\" \"damp\" "
        "\"dry\");\n}\n"
        "potential (Rain)\n{\n    data = ( 0.2 0.8 ); % prior\n}\n"
        "potential (Wet | Rain)\n{\n    data = (( 0.7 0.2 0.1 )\t% yes\n            ( 0.1 0.2 0.7 "
        "));\n}\n";
    static const char netica[] =
        "// ~->[DNET-1]->~\n\n// File created by hand\n\nbnet Wet_grass {\nautoupdate = TRUE;\n"
        "whenchanged = 1254787200;\n\nvisual V1 {\n\tdefdispform = BELIEFBARS;\n"
        "\tnodelabeling = TITLE;\n\tNodeMaxNumEntries = 50;\n\t};\n\nnode Wet {\n\tkind = NATURE;\n"
        "\tdiscrete = TRUE;\n\tchance = CHANCE;\n\tstates = (wet, damp, dry);\n\tparents = "
        "(Rain);\n"
        "\tprobs = \n\t\t// wet damp dry // Rain\n\t\t(0.7, 0.2, 0.1, // yes\n"
        "\t\t 0.1, 0.2, 0.7); // no\n\ttitle = \"Is it wet?\";\n"
        "\tvisual V1 {\n\t\tcenter = (10, 20);\n\t\t};\n\t};\n\nnode Rain {\n\tkind = NATURE;\n"
        "\tdiscrete = TRUE;\n\tstates = (yes, no);\n\tparents = ();\n\tprobs = (0.2, "
        "0.8);\n\t};\n};\n";
    static const char plain[] = "Rain: yes no\nWet: wet damp dry\nRain = .2\n"
                                "Wet | Rain\n yes = .7 .2 .1\n no = .1 .2 .7\n";
    cr__network *want = net_of_text(plain), *got = NULL;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr__network_recognise("a.net", hugin_net, strlen(hugin_net)),
                     CR__NETWORK_HUGIN);
    if (cr__network_parse(&got, CR__NETWORK_HUGIN, "a", hugin_net, strlen(hugin_net), &err))
        fail_msg("%zu:%zu: %s", err.line, err.column, err.message);
    same_networks(want, got);
    cr__network_free(got);
    assert_int_equal(cr__network_recognise("a.dne", netica, strlen(netica)), CR__NETWORK_NETICA);
    if (cr__network_parse(&got, CR__NETWORK_NETICA, "a", netica, strlen(netica), &err))
        fail_msg("%zu:%zu: %s", err.line, err.column, err.message);
    assert_int_equal(got->nodes, 2);
    assert_string_equal(got->title, "Wet_grass");
    assert_string_equal(got->name[0], "Wet");
    assert_int_equal(got->parent[got->parent_at[0]], 1);
    assert_memory_equal(got->table + got->table_at[0], want->table + want->table_at[1],
                        6 * sizeof(double));
    cr__network_free(got);
    cr__network_free(want);
    refused(CR__NETWORK_HUGIN, "net { }\ndecision Drill\n{ states = (\"y\" \"n\"); }", 2, 10,
            "'Drill' is a decision");
    refused(CR__NETWORK_HUGIN, "net { }\nutility U { }", 2, 9, "'U' is a utility");
    refused(CR__NETWORK_HUGIN, "net { }\ncontinuous node X { }", 2, 17, "'X' is a continuous node");
    refused(CR__NETWORK_HUGIN,
            "net { }\nnode a { states = (\"y\" \"n\"); }\n"
            "potential (a) { data = (.5 .3 .2); }",
            3, 31, "more than the 2 numbers");
    refused(CR__NETWORK_HUGIN,
            "net { }\nnode a { states = (\"y\" \"n\"); }\n"
            "potential (a | b) { }",
            3, 16, "no variable 'b'");
    refused(CR__NETWORK_HUGIN, "net { }\nnode a { states (\"y\"); }", 2, 17, "found '('");
    refused(CR__NETWORK_NETICA, "bnet x {\nnode D {\n kind = DECISION;\n states = (y, n);\n};\n};",
            2, 6, "'D' is a decision");
    refused(CR__NETWORK_NETICA, "bnet x {\nnode D {\n kind = DECISION;\n};\n};", 2, 6, "no states");
    refused(CR__NETWORK_NETICA, "bnet x {\nnode D {\n discrete = FALSE;\n};\n};", 3, 13,
            "continuous");
    refused(CR__NETWORK_NETICA, "bnet x {\nnode a {\n states = (y, n);\n probs = (1);\n};\n};", 4,
            13, "1 numbers; its states and parents make 2");
    refused(CR__NETWORK_NETICA, "net { }", 1, 1, "bnet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_other_programs_are_read),
        cmocka_unit_test(all_networks_of_the_folder_load_and_survive_a_round_trip),
        cmocka_unit_test(random_networks_survive_a_round_trip),
        cmocka_unit_test(odd_names_are_quoted_and_come_back),
        cmocka_unit_test(bif_knows_tables_defaults_properties_and_comments),
        cmocka_unit_test(xmlbif_knows_doctypes_comments_and_entities),
        cmocka_unit_test(a_cycle_is_named),
        cmocka_unit_test(wrong_tables_are_refused_with_their_place),
        cmocka_unit_test(rows_are_normalised_once_and_then_stay),
        cmocka_unit_test(a_small_file_cannot_ask_for_a_huge_table),
        cmocka_unit_test(markov_blankets_are_parents_children_and_their_parents),
        cmocka_unit_test(dot_draws_every_arc),
    };

    return cmocka_run_group_tests_name("network files", tests, NULL, NULL);
}
