/* cli/session/seen.c - warn when a model is judged by rows that it has learned, or part of them. */
#include "session/seen.h"

#include <string.h>
#include <unistd.h>

#include "out/out.h"
#include "session/session.h"

enum { ROWS_LOOKED_AT = 5000 };

#define SHARE_TOLD 0.01

/* Files can be read again, a pipe cannot. */
static bool can_read_again(const request *r, size_t first)
{
    for (size_t i = first; i < r->operand_count; i++)
        if (strcmp(r->operands[i], "-") == 0 || strncmp(r->operands[i], "/dev/", 5) == 0 ||
            access(r->operands[i], R_OK) != 0)
            return false;
    return r->operand_count > first;
}

/* Whether all rows were learned; more than were learned cannot be. */
static bool all_seen(request *r, size_t first, const cr_model *model, double rows)
{
    cr_source *source = NULL;
    cr_model_facts facts;
    int learned = 0;

    if (cr_model_get_facts(model, &facts) != CR_OK || rows > (double)facts.rows ||
        (rows > ROWS_LOOKED_AT && rows != (double)facts.rows))
        return false;
    if (open_data(&source, r, first, model) != EXIT_DONE ||
        cr_model_has_learned(model, source, &r->run, &learned, NULL) != CR_OK)
        learned = 0;
    cr_source_close(source);
    return learned;
}

static double share_seen(request *r, size_t first, const cr_model *model, double rows)
{
    cr_source *source = NULL;
    double share = 0;

    if (rows > ROWS_LOOKED_AT)
        return 0;
    if (open_data(&source, r, first, model) != EXIT_DONE ||
        cr_model_share_learned(model, source, &r->run, &share, NULL) != CR_OK)
        share = 0;
    cr_source_close(source);
    return share;
}

void note_seen(request *r, size_t first, const cr_model *model, double rows)
{
    double share;

    if (out_is_quiet() || r->run.team != NULL || !can_read_again(r, first))
        return;
    if (all_seen(r, first, model, rows))
        note("the model has learned these rows: others are a harder test; train and test with "
             "--split 0.3 keep some apart");
    else if ((share = share_seen(r, first, model, rows)) > SHARE_TOLD)
        note(
            "the model has learned about %.0f %% of these rows, judging by those with rare values: "
            "the others are a harder test; train and test with --split 0.3 keep some apart",
            100 * share);
}
