/* source/selection.c - some rows of a source, named by file and line. */
#include "source/selection.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

#define NAMES_SEED UINT64_C(0x73656c656374)

cr_status cr__selection_open(cr__selection *s, cr_error *err)
{
    *s = (cr__selection){0};
    return cr__dict_new(&s->names, NAMES_SEED, err);
}

void cr__selection_close(cr__selection *s)
{
    for (size_t i = 0; i < s->files; i++)
        cr__free(s->set[i].word);
    cr__free(s->set);
    cr__dict_free(s->names);
    *s = (cr__selection){0};
}

/* The lines of a file, which is new when it has not been met. NULL: out of memory. */
static cr__line_set *lines_of(cr__selection *s, const char *file)
{
    uint32_t code = cr__dict_find(s->names, file, strlen(file));

    if (code != CR__MISSING)
        return &s->set[code - 1];
    if (!cr__grow(&s->set, &s->capacity, s->files + 1, sizeof *s->set) ||
        cr__dict_intern(s->names, file, strlen(file), &code) != CR_OK)
        return NULL;
    s->set[s->files] = (cr__line_set){0};
    return &s->set[s->files++];
}

cr_status cr__selection_add(cr__selection *s, const char *file, size_t line, cr_error *err)
{
    cr__line_set *set = lines_of(s, file);
    const size_t before = set == NULL ? 0 : set->words;

    if (set == NULL || (line / 64 >= before &&
                        !cr__grow(&set->word, &set->words, line / 64 + 1, sizeof *set->word)))
        return cr__fail_memory(err);
    memset(set->word + before, 0, (set->words - before) * sizeof *set->word);
    set->word[line / 64] |= (uint64_t)1 << line % 64;
    return CR_OK;
}

static int is_chosen(const cr__line_set *set, size_t line)
{
    return set != NULL && line / 64 < set->words && (set->word[line / 64] >> line % 64 & 1) != 0;
}

/* Row `from` of a column becomes row `to` <= from, whose words begin where they should. */
static void move_row(cr__batch_column *c, size_t to, size_t from)
{
    if (c->real != NULL)
        c->real[to] = c->real[from];
    if (c->code != NULL)
        c->code[to] = c->code[from];
    if (c->start != NULL) {
        const uint32_t count = c->start[from + 1] - c->start[from];

        if (count > 0)
            memmove(c->word + c->start[to], c->word + c->start[from], count * sizeof *c->word);
        c->start[to + 1] = c->start[to] + count;
    }
}

static const cr__line_set *find_lines(const cr__selection *s, const char *file)
{
    const uint32_t code = cr__dict_find(s->names, file, strlen(file));

    return code == CR__MISSING ? NULL : &s->set[code - 1];
}

int cr__selection_has(const cr__selection *s, const char *file, size_t line)
{
    return is_chosen(find_lines(s, file), line);
}

void cr__selection_filter(const cr__selection *s, int in, const char *file, cr__batch *batch)
{
    const cr__line_set *set = find_lines(s, file);
    size_t kept = 0;

    for (size_t r = 0; r < batch->rows; r++) {
        if (is_chosen(set, batch->record[r].line) != in)
            continue;
        for (size_t i = 0; kept != r && i < batch->columns; i++)
            move_row(&batch->column[i], kept, r);
        if (batch->weight != NULL)
            batch->weight[kept] = batch->weight[r];
        batch->record[kept++] = batch->record[r];
    }
    batch->rows = kept;
}
