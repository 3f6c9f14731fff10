/* cli/help/json.c - the page of a verb for programs. */
#include <stdlib.h>

#include "help/help.h"
#include "out/json.h"

static bool put_option(void *context, const option_group *group, const option *o)
{
    const char letter[2] = {o->letter, '\0'};
    cr_json *j = context;

    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "name", o->name);
    cr_json_text(j, "letter", o->letter != 0 ? letter : NULL);
    cr_json_text(j, "value", o->value);
    cr_json_text(j, "help", o->help);
    cr_json_text(j, "group", group->title);
    json_end(j);
    return true;
}

void help_json(const verb *v)
{
    cr_json j;

    json_start(&j, stdout);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "name", v->name);
    cr_json_text(&j, "summary", v->summary);
    cr_json_text(&j, "operands", v->operands);
    cr_json_array(&j, "about", CR_JSON_BLOCK);
    for (const char *const *paragraph = v->about; *paragraph != NULL; paragraph++) {
        char *text = help_expanded(*paragraph);

        cr_json_text(&j, NULL, text);
        free(text);
    }
    json_end(&j);
    cr_json_array(&j, "options", CR_JSON_BLOCK);
    option_each(v, put_option, &j);
    json_end(&j);
    cr_json_array(&j, "examples", CR_JSON_BLOCK);
    for (const example *e = v->examples; e->command != NULL; e++) {
        cr_json_object(&j, NULL, CR_JSON_LINE);
        cr_json_text(&j, "command", e->command);
        cr_json_text(&j, "comment", e->comment);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}
