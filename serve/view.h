/* serve/view.h - a model as one thread sees it: a snapshot with a row of its own to fill. */
#ifndef SERVE_VIEW_H
#define SERVE_VIEW_H

#include "catalog.h"
#include "buffer.h"

typedef struct view_column {
    const char *name;
    size_t length;
    size_t column; /* index in the schema */
    cr_kind kind;
    bool feature;
} view_column;

typedef struct view_word {
    size_t at, size; /* in words */
} view_word;

typedef struct view {
    slot *slot;
    unsigned long turn;
    snapshot *held; /* NULL: there is no model */
    cr_row *row;
    view_column *column; /* [columns] of the schema that are used */
    size_t columns, features;
    size_t classes;
    double *posterior; /* [classes] */
    view_word *name;   /* [classes] as a JSON string */
    buffer words;
    bool numbers; /* it predicts numbers */
} view;

/* Update the view to the slot's current model. CR_ECONFLICT: it has none. The view is valid until
 * the next call. */
cr_status view_refresh(view *v, slot *s, cr_error *err);
void view_close(view *v);

static inline const cr_model *view_model(const view *v)
{
    return v->held->model;
}

#endif
