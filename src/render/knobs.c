/* render/knobs.c - the knobs of a model that are not at their defaults, in one line. */
#include <stdio.h>
#include <string.h>

#include "credence/render.h"

const char *cr_show_knobs(char *buffer, size_t size, const cr_model *model)
{
    cr_knob knob;
    size_t used = 0;

    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++) {
        int more;

        if (strcmp(knob.value, knob.fallback) == 0)
            continue;
        more = snprintf(buffer + used, size - used, "%s%s=%s", used != 0 ? " " : "", knob.name,
                        knob.value);
        if (more < 0 || (size_t)more >= size - used)
            return buffer;
        used += (size_t)more;
    }
    if (used == 0)
        snprintf(buffer, size, "all at their defaults");
    return buffer;
}
