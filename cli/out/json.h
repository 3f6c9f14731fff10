/* cli/out/json.h - the library's JSON writer on a file. */
#ifndef CLI_OUT_JSON_H
#define CLI_OUT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "credence/json.h"

/* The end of the outermost object writes everything to the file; json_drop() discards it before
 * that. */
void json_start(cr_json *j, FILE *file);
void json_end(cr_json *j);
void json_drop(cr_json *j);

/* An output that goes to a file; the command ends if memory runs out. */
cr_output *output_to(FILE *file);
void output_end(cr_output *out); /* write the rest and free it */

/* An output that keeps its bytes. Its end prints them on standard output if the status is CR_OK, or
 * reports the error; it frees the output and returns the exit status. */
cr_output *output_kept(void);
int output_print(cr_output *out, cr_status status, const cr_error *err);

/* A CSV field, quoted if necessary. */
void csv_field(FILE *file, const char *field);

/* text as a JSON string with its quotes. */
void json_quote(FILE *file, const char *text);

#endif
