/* cli/out/json.c - the library's JSON writer on a file. */
#include "out/json.h"

#include <string.h>

#include "out/out.h"
#include "session/reserve.h"

/* Write errors are reported when the file is closed. */
static cr_status write_file(void *file, const char *bytes, size_t size)
{
    fwrite(bytes, 1, size, file);
    return CR_OK;
}

cr_output *output_to(FILE *file)
{
    cr_output *out;

    if (cr_output_new(&out, write_file, file, NULL) != CR_OK)
        reserve_failed();
    return out;
}

void output_end(cr_output *out)
{
    if (cr_output_flush(out) != CR_OK)
        reserve_failed();
    cr_output_free(out);
}

cr_output *output_kept(void)
{
    cr_output *out;

    if (cr_output_new(&out, NULL, NULL, NULL) != CR_OK)
        reserve_failed();
    return out;
}

int output_print(cr_output *out, cr_status status, const cr_error *err)
{
    size_t size;
    const char *bytes = cr_output_data(out, &size);
    int code = EXIT_DONE;

    if (status == CR_OK)
        fwrite(bytes, 1, size, stdout);
    else
        code = complain(status, err != NULL ? err : &(cr_error){0});
    cr_output_free(out);
    return code;
}

void json_start(cr_json *j, FILE *file)
{
    cr_json_start(j, output_to(file));
}

void json_end(cr_json *j)
{
    cr_json_end(j);
    if (j->depth == 0)
        output_end(j->out);
}

void json_drop(cr_json *j)
{
    cr_output_free(j->out);
}

/* One output serves all fields, since tables have many. */
static cr_status write_there(void *file, const char *bytes, size_t size)
{
    return write_file(*(FILE **)file, bytes, size);
}

void csv_field(FILE *file, const char *field)
{
    static cr_output *out;
    static FILE *to;

    if (out == NULL && cr_output_new(&out, write_there, &to, NULL) != CR_OK)
        reserve_failed();
    to = file;
    cr_csv_field(out, field, strlen(field));
    if (cr_output_flush(out) != CR_OK)
        reserve_failed();
}

void json_quote(FILE *file, const char *text)
{
    cr_output *out = output_to(file);

    cr_json_quote(out, text, strlen(text));
    output_end(out);
}
