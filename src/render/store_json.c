/* render/store_json.c - what is in a store, and how well it judged the rows of the last week. */
#include <math.h>

#include "credence/render.h"

cr_status cr_store_json(const cr_store_facts *facts, const char *name, cr_output *out)
{
    static const char *const periods[] = {[CR_STORE_PERIOD_NONE] = "none",
                                          [CR_STORE_PERIOD_DAY] = "day",
                                          [CR_STORE_PERIOD_WEEK] = "week"};
    const double judged = (double)facts->judged;
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "store", name);
    cr_json_number(&j, "rows", (double)facts->rows);
    cr_json_number(&j, "words", (double)facts->words);
    cr_json_number(&j, "lessons", (double)facts->lessons);
    cr_json_number(&j, "bytes", (double)facts->bytes);
    cr_json_bool(&j, "whole", facts->whole);
    cr_json_text(&j, "period", periods[facts->period]);
    cr_json_number(&j, "keep", facts->keep);
    cr_json_number(&j, "origins", (double)facts->origins);
    cr_json_number(&j, "judged", judged);
    cr_json_number(&j, "right", (double)facts->right);
    cr_json_number(&j, "accuracy", facts->judged == 0 ? NAN : (double)facts->right / judged);
    cr_json_number(&j, "log_loss", facts->log_loss);
    cr_json_number(&j, "good", (double)facts->good);
    cr_json_number(&j, "good_lost", (double)facts->good_lost);
    cr_json_number(&j, "spam", (double)facts->spam);
    cr_json_number(&j, "spam_passed", (double)facts->spam_passed);
    cr_json_end(&j);
    return cr_output_flush(out);
}
