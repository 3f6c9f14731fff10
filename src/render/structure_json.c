/* render/structure_json.c - two networks compared, as JSON. */
#include "render/results.h"

#define FIELDS(list) list, CR__COUNT_OF(list)
#define SIZE(member, key, meaning) CR__HIDDEN(cr_structure_size, member, CR__SIZE, key, meaning)
#define DIFFERENCE(member, meaning)                                                                \
    CR__HIDDEN(cr_structure_difference, member, CR__SIZE, #member, meaning)

static const cr__field size_fields[] = {
    SIZE(nodes, "variables", "nodes"),
    SIZE(arcs, "arcs", "of the graph"),
    SIZE(directed, "directed", "arcs of the equivalence class that have a direction"),
};
static const cr__field difference_fields[] = {
    DIFFERENCE(distance, "the sum of the others"),
    DIFFERENCE(missing, "in the first only"),
    DIFFERENCE(extra, "in the second only"),
    DIFFERENCE(turned, "that point the other way"),
};

static void size_json(cr_json *j, const char *key, const char *name, const cr_structure_size *s)
{
    cr_json_object(j, key, CR_JSON_LINE);
    cr_json_text(j, "network", name);
    cr__fields_json(j, FIELDS(size_fields), s);
    cr_json_end(j);
}

static void difference_json(cr_json *j, const char *key, const cr_structure_difference *d)
{
    cr_json_object(j, key, CR_JSON_LINE);
    cr__fields_json(j, FIELDS(difference_fields), d);
    cr_json_end(j);
}

cr_status cr_structure_json(const cr_structure_comparison *c, const char *first, const char *second,
                            cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    size_json(&j, "first", first, &c->first);
    size_json(&j, "second", second, &c->second);
    difference_json(&j, "arcs", &c->arcs);
    difference_json(&j, "classes", &c->classes);
    cr_json_number(&j, "shd", (double)c->classes.distance);
    cr_json_end(&j);
    return cr_output_flush(out);
}
