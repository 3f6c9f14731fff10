/* model/choice.c - what was tried, in memory and in a model file.
 *
 *     AUTO    u64 count; per choice f64 log loss, error, accuracy, work, weight, u64 rows, u64
 *             flags (1 exact, 2 chosen), u64 end of its name, u64 end of its reason; the texts
 */
#include "model/choice.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/model.h"

#define TAG_CHOICES CR__TAG('A', 'U', 'T', 'O')

enum { FLAG_EXACT = 1, FLAG_CHOSEN = 2, CHOICES_MOST = 4096 };

typedef struct record {
    double log_loss, error, accuracy, work, weight;
    uint64_t rows, flags, name_end, reason_end;
} record;

cr__choice_list *cr__choices_new(size_t count)
{
    cr__choice_list *list = cr__alloc_zero(1, sizeof *list);

    if (list == NULL)
        return NULL;
    if ((list->choice = cr__alloc_zero(count + 1, sizeof *list->choice)) == NULL) {
        cr__free(list);
        return NULL;
    }
    list->count = count;
    return list;
}

void cr__choices_free(cr__choice_list *list)
{
    if (list == NULL || atomic_fetch_sub(&list->others, 1) != 0)
        return;
    for (size_t i = 0; i < list->count; i++) {
        cr__free((char *)list->choice[i].name);
        cr__free((char *)list->choice[i].reason);
    }
    cr__free(list->choice);
    cr__free(list);
}

cr__choice_list *cr__choices_share(cr__choice_list *list)
{
    if (list != NULL)
        atomic_fetch_add(&list->others, 1);
    return list;
}

void cr__choices_save(const cr__choice_list *list, cr__draft *draft)
{
    const uint64_t count = list->count;
    uint64_t end = 0;

    cr__draft_section_begin(draft, TAG_CHOICES, 0);
    cr__draft_copy(draft, &count, sizeof count);
    for (size_t i = 0; i < list->count; i++) {
        const cr_tried *c = &list->choice[i];
        record r = {c->log_loss, c->error, c->accuracy, c->work, c->weight, c->rows, 0, 0, 0};

        r.flags = (c->exact ? FLAG_EXACT : 0) | (c->chosen ? FLAG_CHOSEN : 0);
        r.name_end = end += strlen(c->name);
        r.reason_end = end += strlen(c->reason);
        cr__draft_copy(draft, &r, sizeof r);
    }
    for (size_t i = 0; i < list->count; i++) {
        cr__draft_borrow(draft, list->choice[i].name, strlen(list->choice[i].name));
        cr__draft_borrow(draft, list->choice[i].reason, strlen(list->choice[i].reason));
    }
}

/* One choice, whose texts are those from start on. */
static cr_status read_choice(cr_tried *out, const record *r, const char *texts, size_t start)
{
    const size_t name = (size_t)r->name_end - start;
    const size_t reason = (size_t)(r->reason_end - r->name_end);

    if (memchr(texts + start, '\0', name + reason) != NULL || r->flags > 3)
        return CR_EFORMAT;
    *out = (cr_tried){.name = cr__strndup(texts + start, name),
                      .log_loss = r->log_loss,
                      .error = r->error,
                      .accuracy = r->accuracy,
                      .work = r->work,
                      .weight = r->weight,
                      .rows = r->rows,
                      .exact = (r->flags & FLAG_EXACT) != 0,
                      .chosen = (r->flags & FLAG_CHOSEN) != 0,
                      .reason = cr__strndup(texts + start + name, reason)};
    return out->name == NULL || out->reason == NULL ? CR_ENOMEM : CR_OK;
}

static cr_status read_choices(cr__choice_list **out, const char *bytes, size_t size)
{
    uint64_t count;
    const char *texts;
    size_t start = 0;
    cr_status st = CR_OK;

    if (size < sizeof count)
        return CR_EFORMAT;
    memcpy(&count, bytes, sizeof count);
    size -= sizeof count;
    if (count > CHOICES_MOST || count > size / sizeof(record))
        return CR_EFORMAT;
    if ((*out = cr__choices_new((size_t)count)) == NULL)
        return CR_ENOMEM;
    texts = bytes + sizeof count + (size_t)count * sizeof(record);
    size -= (size_t)count * sizeof(record);
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        record r;

        memcpy(&r, bytes + sizeof count + i * sizeof r, sizeof r);
        if (r.name_end < start || r.reason_end < r.name_end || r.reason_end > size)
            return CR_EFORMAT;
        st = read_choice(&(*out)->choice[i], &r, texts, start);
        start = (size_t)r.reason_end;
    }
    return st;
}

cr_status cr__choices_open(cr__choice_list **out, const cr__container *container, cr_error *err)
{
    const void *bytes;
    size_t size;
    cr_status st;

    *out = NULL;
    if ((bytes = cr__container_section(container, TAG_CHOICES, 0, &size)) == NULL)
        return CR_OK;
    if ((st = read_choices(out, bytes, size)) == CR_OK)
        return CR_OK;
    cr__choices_free(*out);
    *out = NULL;
    return st == CR_ENOMEM
               ? cr__fail_memory(err)
               : cr__container_damaged(container, err, "the list of what was tried makes no sense");
}

cr_status cr_model_tried(const cr_model *model, size_t index, cr_tried *out)
{
    if (model->choices == NULL || index >= model->choices->count)
        return CR_END;
    *out = model->choices->choice[index];
    return CR_OK;
}
