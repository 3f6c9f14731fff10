/* render/fields.h - fields of structs, written as members of JSON objects and as cells. */
#ifndef CR_RENDER_FIELDS_H
#define CR_RENDER_FIELDS_H

#include <stddef.h>

#include "base/buffer.h"
#include "credence/render.h"

typedef enum cr__field_type {
    CR__DOUBLE,
    CR__SIZE,  /* size_t */
    CR__COUNT, /* uint64_t */
    CR__TEXT,  /* const char * */
    CR__CHARS, /* char [] */
    CR__BOOL   /* int */
} cr__field_type;

/* A field, and where a struct has it. */
typedef struct cr__field {
    cr_field field;
    cr__field_type type;
    size_t at;
} cr__field;

/* Fields that are the same for users and programs, or for programs only. */
#define CR__FIELD(struct_type, member, type, key, title, meaning, show)                            \
    {                                                                                              \
        {key, title, meaning, show, CR_FOR_ALL}, type, offsetof(struct_type, member)               \
    }
#define CR__HIDDEN(struct_type, member, type, key, meaning)                                        \
    {                                                                                              \
        {key, key, meaning, CR_SHOW_PLAIN, CR_FOR_PROGRAMS}, type, offsetof(struct_type, member)   \
    }

/* As members of the open object. */
void cr__fields_json(cr_json *j, const cr__field *list, size_t count, const void *from);

/* Metrics that are shown in a place: value is by their place in the table. */
void cr__metrics_json(cr_json *j, int numbers, unsigned shown, const double *value);
void cr__spread_json(cr_json *j, const char *key, const cr_spread *s);

/* --- sheets ----------------------------------------------------------------------------------- */

/* Cells are added from left to right; a full row ends by itself. Errors are recorded. */
cr_status cr__sheet_new(cr_sheet **out, cr_error *err);
void cr__sheet_column(cr_sheet *s, cr_field field); /* its texts are borrowed */
void cr__sheet_titled(cr_sheet *s, const char *title, size_t size, unsigned whom); /* copied */
void cr__sheet_name(cr_sheet *s, const char *const *name,
                    size_t count); /* plain columns, for all */
void cr__sheet_number(cr_sheet *s, double x);
void cr__sheet_shown(cr_sheet *s, double x, cr_show show, double people); /* shown in another way */
void cr__sheet_maybe(cr_sheet *s, int is, double x);                      /* or an empty cell */
void cr__sheet_text(cr_sheet *s, const char *text);                       /* borrowed */
void cr__sheet_own(cr_sheet *s, const char *text);                        /* copied */
void cr__sheet_cells(cr_sheet *s, const cr__field *list, size_t count, const void *from);

/* The sheet if nothing failed; otherwise it is freed. */
cr_status cr__sheet_done(cr_sheet **out, cr_error *err);

#endif
