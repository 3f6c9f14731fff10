/* serve/endpoints/learn.c - POST /models/NAME/learn, /unlearn, /undo/LESSON; GET …/history. */
#include <stdlib.h>

#include "endpoints/endpoints.h"
#include "lessons.h"

static cr_status put_receipt(call *k, cr_status status, const receipt *r)
{
    cr_json j;

    if (status != CR_OK)
        return status;
    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_number(&j, "lesson", (double)r->lesson);
    cr_json_number(&j, "rows", (double)r->rows);
    cr_json_bool(&j, "again", r->again);
    cr_json_end(&j);
    return CR_OK;
}

cr_status learn_rows(call *k)
{
    receipt r;
    const cr_status status = lessons_teach(k, 1, 0, &r);

    return put_receipt(k, status, &r);
}

cr_status unlearn_rows(call *k)
{
    receipt r;
    const cr_status status = lessons_teach(k, -1, 0, &r);

    return put_receipt(k, status, &r);
}

cr_status undo_lesson(call *k)
{
    char *end;
    const unsigned long long lesson = strtoull(k->rest, &end, 10);
    receipt r;

    if (*end != '\0' || end == k->rest)
        return fail(k->err, CR_EARG, NULL, "'%.40s' is not the number of a lesson", k->rest);
    const cr_status status = lessons_undo(k, lesson, &r);

    return put_receipt(k, status, &r);
}

cr_status show_history(call *k)
{
    size_t most = 100;
    const cr_status status = request_count(k->request, "top", 0, 1000000, &most, k->err);
    cr_json j;

    if (status != CR_OK)
        return status;
    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_bool(&j, "learns", k->service->learn && k->view->slot->path != NULL);
    if (k->view->slot->lessons != NULL)
        lessons_history(k->view->slot, most, &j);
    cr_json_end(&j);
    return CR_OK;
}
