/* cli/out/json.h - write JSON (RFC 8259) as it comes.
 *
 * Objects and arrays nest; key is NULL inside arrays and at the top. A block has one member a
 * line, a line keeps its members together. Text that is not UTF-8 becomes U+FFFD; a number that
 * JSON cannot hold becomes null.
 */
#ifndef CLI_OUT_JSON_H
#define CLI_OUT_JSON_H

#include <stdbool.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

typedef struct json {
    FILE *file;
    int depth;
    struct {
        char closer;
        bool in_line, has_members;
    } level[JSON_DEPTH];
} json;

typedef enum json_layout { JSON_BLOCK, JSON_LINE } json_layout;

void json_start(json *j, FILE *file);
void json_object(json *j, const char *key, json_layout layout);
void json_array(json *j, const char *key, json_layout layout);
void json_end(json *j); /* of the innermost object or array; a line feed follows the outermost */

void json_text(json *j, const char *key, const char *text); /* NULL is null */
void json_number(json *j, const char *key, double x);
void json_bool(json *j, const char *key, bool x);

/* text as a JSON string with its quotes. */
void json_quote(FILE *file, const char *text);

#endif
