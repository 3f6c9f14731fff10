/* model/recipes.c - the recipe of a model's texts, from its knobs. */
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "model/model.h"
#include "source/source.h"

cr_status cr__model_recipe(cr__recipe *out, const cr__knobs *knobs, cr_error *err)
{
    cr_status st = CR_OK;

    *out = cr__recipe_usual();
    for (size_t i = 0; st == CR_OK && i < cr__recipe_knob_count; i++) {
        const char *value = cr__knobs_text(knobs, cr__recipe_knobs[i].name);
        if (*value != '\0' && strcmp(value, "usual") != 0)
            st = cr__recipe_set(out, cr__recipe_knobs[i].name, value, err);
    }
    if (st == CR_OK)
        st = cr__recipe_check(out, err);
    if (st != CR_OK)
        cr__recipe_free(out);
    return st;
}

cr_status cr__model_recipe_mail(cr__recipe *recipe, cr__knobs *knobs, const cr_source *source,
                                cr_error *err)
{
    if (!cr__source_is_mail(source) || *cr__knobs_text(knobs, "mail") == '\0')
        return CR_OK;
    recipe->mail = 1;
    return cr__knobs_set(knobs, "mail=yes", err);
}

/* The line of a recipe, without what is applied to counts. */
static void essence(const cr__recipe *recipe, cr__buffer *out)
{
    cr__recipe bare = *recipe;

    bare.min_count = 1;
    bare.stop_common = 0;
    if (strcmp(bare.stop, "common") == 0)
        strcpy(bare.stop, "none");
    cr__recipe_write(&bare, out);
}

cr_status cr__recipe_same(const cr__recipe *a, const cr__recipe *b, int *same, cr_error *err)
{
    cr__buffer line_a = {0}, line_b = {0};
    cr_status st = CR_OK;

    essence(a, &line_a);
    essence(b, &line_b);
    if (line_a.failed || line_b.failed)
        st = cr__fail_memory(err);
    else
        *same = line_a.size == line_b.size && memcmp(line_a.data, line_b.data, line_a.size) == 0;
    cr__buffer_free(&line_a);
    cr__buffer_free(&line_b);
    return st;
}

cr_status cr__recipe_copy(cr__recipe *out, const cr__recipe *from, cr_error *err)
{
    cr__buffer line = {0};
    cr_status st;

    *out = cr__recipe_usual();
    cr__recipe_write(from, &line);
    st = line.failed ? cr__fail_memory(err) : cr__recipe_read(out, line.data, line.size, err);
    cr__buffer_free(&line);
    return st;
}
