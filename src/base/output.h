/* base/output.h - the internals of cr_output. */
#ifndef CR_BASE_OUTPUT_H
#define CR_BASE_OUTPUT_H

#include "base/buffer.h"
#include "credence/output.h"

/* {0} keeps its bytes; cr__buffer_free(&out.bytes) frees one that is not from cr_output_new(). */
struct cr_output {
    cr__buffer bytes;
    cr_status (*write)(void *context, const char *bytes, size_t size);
    void *context;
    cr_status status; /* of the first write that failed */
};

/* Something that was to be written could not be had: as if its bytes had found no memory. */
static inline void cr__output_fail(cr_output *out)
{
    out->bytes.failed = 1;
}

#endif
