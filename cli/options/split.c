/* cli/options/split.c - options that hold out some rows. */
#include "options/split.h"

#include <stdlib.h>
#include <string.h>

#include "session/session.h"

static const option split[] = {
    {"split", 0, OPTION_TEXT, "SHARE",
     "Hold out this share of the rows, such as 0.3: train learns from the others, test uses these. "
     "The same DATA, options and --seed hold out the same rows."},
    {"group", 0, OPTION_TEXT, "COLUMN", "Rows with the same value here stay on one side."},
    {"order", 0, OPTION_TEXT, "COLUMN",
     "Hold out the last rows by this column, a number or an ISO date."},
    {"last", 0, OPTION_FLAG, NULL, "Hold out the last rows of the file."},
    {"plain", 0, OPTION_FLAG, NULL,
     "Draw rows without giving each class its share. Default: each class has its share."},
    {0},
};

const option_group split_options = {"Which rows to hold out", split};

static int read_options(cr_split_options *o, const request *r)
{
    const char *share = option_text(r, "split");
    char *end = NULL;

    *o = (cr_split_options){.size = sizeof *o,
                            .plain = option_given(r, "plain"),
                            .group = option_text(r, "group"),
                            .order = option_given(r, "last") ? "" : option_text(r, "order"),
                            .seed = r->run.seed};
    if (option_given(r, "last") && option_given(r, "order"))
        return misuse(NULL, "--last and --order are two ways to say which rows come last");
    if (share == NULL)
        return EXIT_DONE;
    o->test = strtod(share, &end);
    if (end == share || *end != '\0' || !(o->test > 0 && o->test < 1))
        return misuse("a number between 0 and 1, such as 0.3", "--split has no share '%s'", share);
    return EXIT_DONE;
}

int make_split(cr_split **out, const request *r, size_t first, const cr_model *model)
{
    cr_split_options options;
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    int code = read_options(&options, r);

    *out = NULL;
    if (model != NULL && cr_model_target(model) != SIZE_MAX)
        options.target = cr_schema_name(cr_model_schema(model), cr_model_target(model));
    if (code != EXIT_DONE || (code = open_data(&source, r, first, model)) != EXIT_DONE)
        return code;
    status = cr_split_new(out, source, &options, &err);
    if (status != CR_OK)
        return fail_data(r, &source, status, &err);
    cr_source_close(source); /* the next source reports its notes */
    return EXIT_DONE;
}

static bool reads_standard_input(const request *r, size_t first)
{
    for (size_t i = first; i < r->operand_count; i++)
        if (strcmp(r->operands[i], "-") == 0)
            return true;
    return r->operand_count <= first;
}

int keep_side(cr_split **out, cr_source *source, const request *r, size_t first,
              const cr_model *model, cr_side side)
{
    int code;

    *out = NULL;
    if (!option_given(r, "split")) {
        for (size_t i = 1; split[i].name != NULL; i++)
            if (option_given(r, split[i].name))
                return misuse("--split SHARE", "--%s says which rows --split holds out",
                              split[i].name);
        return EXIT_DONE;
    }
    if (reads_standard_input(r, first))
        return misuse("name a file", "--split reads DATA twice, which standard input cannot");
    if ((code = make_split(out, r, first, model)) == EXIT_DONE)
        cr_source_keep(source, *out, side);
    return code;
}
