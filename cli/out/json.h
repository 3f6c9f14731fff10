/* cli/out/json.h - the library's JSON writer on a file. */
#ifndef CLI_OUT_JSON_H
#define CLI_OUT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "credence/json.h"

/* The end of the outermost object hands all to the file; json_drop() gives up before that. */
void json_start(cr_json *j, FILE *file);
void json_end(cr_json *j);
void json_drop(cr_json *j);

/* An output that goes to a file; the command ends where there is no memory for it. */
cr_output *output_to(FILE *file);
void output_end(cr_output *out); /* hand over the rest, and free it */

/* An output that keeps its bytes; and these on standard output if what was written into it is
 * CR_OK, or a complaint. Frees the output and returns the exit status. */
cr_output *output_kept(void);
int output_print(cr_output *out, cr_status status, const cr_error *err);

/* A field of CSV, quoted where it must be. */
void csv_field(FILE *file, const char *field);

/* text as a JSON string with its quotes. */
void json_quote(FILE *file, const char *text);

#endif
