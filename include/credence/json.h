/* credence/json.h - write JSON (RFC 8259) piece by piece.
 *
 * Objects and arrays nest; key is NULL inside arrays and at the top. A block has one member per
 * line; a line keeps all its members on one line. Text that is not UTF-8 becomes U+FFFD; a number
 * that JSON cannot hold becomes null. Nesting deeper than CR_JSON_DEPTH is left out.
 */
#ifndef CREDENCE_JSON_H
#define CREDENCE_JSON_H

#include "credence/output.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CR_JSON_DEPTH = 16 };

typedef enum cr_json_layout { CR_JSON_BLOCK, CR_JSON_LINE } cr_json_layout;

/* Initialise it with cr_json_start(). The members are private. Nothing needs to be freed. */
typedef struct cr_json {
    cr_output *out;
    int depth;
    struct {
        char closer, in_line, has_members;
    } level[CR_JSON_DEPTH];
} cr_json;

/* Begin a text, an object or an array. key is NULL inside an array and for the outermost. */
void cr_json_start(cr_json *j, cr_output *out);
void cr_json_object(cr_json *j, const char *key, cr_json_layout layout);
void cr_json_array(cr_json *j, const char *key, cr_json_layout layout);
void cr_json_end(cr_json *j); /* of the innermost object or array; the outermost ends the line */

void cr_json_text(cr_json *j, const char *key, const char *text);                /* NULL is null */
void cr_json_bytes(cr_json *j, const char *key, const char *bytes, size_t size); /* as a text */
void cr_json_number(cr_json *j, const char *key, double x);
void cr_json_bool(cr_json *j, const char *key, int x);
void cr_json_numbers(cr_json *j, const char *key, const double *x, size_t count); /* an array */

/* size bytes of text as a JSON string with its quotes. */
void cr_json_quote(cr_output *out, const char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
