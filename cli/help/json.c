/* cli/help/json.c - the page of a verb for programs. */
#include <stdlib.h>

#include "help/help.h"
#include "out/json.h"

static bool put_option(void *context, const option_group *group, const option *o)
{
    const char letter[2] = {o->letter, '\0'};
    json *j = context;

    json_object(j, NULL, JSON_LINE);
    json_text(j, "name", o->name);
    json_text(j, "letter", o->letter != 0 ? letter : NULL);
    json_text(j, "value", o->value);
    json_text(j, "help", o->help);
    json_text(j, "group", group->title);
    json_end(j);
    return true;
}

void help_json(const verb *v)
{
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_text(&j, "name", v->name);
    json_text(&j, "summary", v->summary);
    json_text(&j, "operands", v->operands);
    json_array(&j, "about", JSON_BLOCK);
    for (const char *const *paragraph = v->about; *paragraph != NULL; paragraph++) {
        char *text = help_expanded(*paragraph);

        json_text(&j, NULL, text);
        free(text);
    }
    json_end(&j);
    json_array(&j, "options", JSON_BLOCK);
    option_each(v, put_option, &j);
    json_end(&j);
    json_array(&j, "examples", JSON_BLOCK);
    for (const example *e = v->examples; e->command != NULL; e++) {
        json_object(&j, NULL, JSON_LINE);
        json_text(&j, "command", e->command);
        json_text(&j, "comment", e->comment);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}
